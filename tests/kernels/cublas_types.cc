/* cublas_types.cc - compiled, not run: the kernels' declarations of cuBLAS are those of NVIDIA's
 * headers. SPDX-License-Identifier: BSD-3-Clause */
#include <cstddef>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <type_traits>

namespace declared {
#include "cuda/cublas_types.h"
}

#define SAME(constant) static_assert ((int) declared::constant == (int) constant, #constant)
SAME (CUBLAS_STATUS_SUCCESS);
SAME (CUBLAS_STATUS_ALLOC_FAILED);
SAME (CUBLAS_OP_N);
SAME (CUBLAS_OP_T);
SAME (CUBLAS_OP_C);
SAME (CUBLAS_SIDE_LEFT);
SAME (CUBLAS_SIDE_RIGHT);
SAME (CUBLAS_FILL_MODE_LOWER);
SAME (CUBLAS_FILL_MODE_UPPER);
SAME (CUBLAS_DIAG_NON_UNIT);
SAME (CUBLAS_DIAG_UNIT);
SAME (CUBLAS_DEFAULT_MATH);
SAME (CUBLAS_PEDANTIC_MATH);
SAME (CUBLAS_COMPUTE_32I);
SAME (CUBLASLT_MATMUL_DESC_TRANSA);
SAME (CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME (CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME (CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);

/* The functions with NVIDIA's types: the macro names types, and here these are NVIDIA's. */
#define SAME_FUNCTION(name, arguments)                                                             \
  static_assert (std::is_same_v<decltype (&cublasLt##name), cublasStatus_t (*) arguments>, #name);
CUBLASLT_FUNCTIONS (SAME_FUNCTION)

using ours = declared::cublasLtMatmulHeuristicResult_t;
using theirs = cublasLtMatmulHeuristicResult_t;
static_assert (sizeof (declared::cublasLtMatmulAlgo_t) == sizeof (cublasLtMatmulAlgo_t));
static_assert (sizeof (ours) == sizeof (theirs));
static_assert (offsetof (ours, algo) == offsetof (theirs, algo));
static_assert (offsetof (ours, workspaceSize) == offsetof (theirs, workspaceSize));
static_assert (offsetof (ours, state) == offsetof (theirs, state));
