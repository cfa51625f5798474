/* cublas_types.h - the types and constants of cuBLAS and cuBLASLt that gpumm uses, with NVIDIA's
 * names and the values that cuBLAS has had since CUDA 11. The libraries are opened by name, and so
 * a build needs neither them nor their headers. tests/kernels/cublas_types.cu compares this file
 * with NVIDIA's headers.
 * Source: NVIDIA, cuBLAS library documentation.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CUDA_CUBLAS_TYPES_H
#define GPUMM_CUDA_CUBLAS_TYPES_H

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>

typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 3 } cublasStatus_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_PEDANTIC_MATH = 2 } cublasMath_t;
typedef enum { CUBLAS_COMPUTE_32I = 72 } cublasComputeType_t;
typedef struct cublasContext *cublasHandle_t;

typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtMatmulDesc *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayout *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreference *cublasLtMatmulPreference_t;
typedef enum { CUBLASLT_MATMUL_DESC_TRANSA = 3 } cublasLtMatmulDescAttributes_t;
typedef enum {
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6
} cublasLtMatrixLayoutAttribute_t;
typedef enum { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 } cublasLtMatmulPreferenceAttributes_t;

typedef struct {
  uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
} cublasLtMatmulHeuristicResult_t;

/* F (name, arguments): the functions of cuBLASLt that gpumm calls. */
#define CUBLASLT_FUNCTIONS(F)                                                                      \
  F (Create, (cublasLtHandle_t *) )                                                                \
  F (Destroy, (cublasLtHandle_t))                                                                  \
  F (Matmul, (cublasLtHandle_t, cublasLtMatmulDesc_t, const void *alpha, const void *a,            \
              cublasLtMatrixLayout_t, const void *b, cublasLtMatrixLayout_t, const void *beta,     \
              const void *c, cublasLtMatrixLayout_t, void *d, cublasLtMatrixLayout_t,              \
              const cublasLtMatmulAlgo_t *, void *workspace, size_t bytes, cudaStream_t))          \
  F (MatmulDescCreate, (cublasLtMatmulDesc_t *, cublasComputeType_t, cudaDataType_t))              \
  F (MatmulDescDestroy, (cublasLtMatmulDesc_t))                                                    \
  F (MatmulDescSetAttribute,                                                                       \
     (cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void *, size_t))                 \
  F (MatrixLayoutCreate,                                                                           \
     (cublasLtMatrixLayout_t *, cudaDataType, uint64_t rows, uint64_t cols, int64_t ld))           \
  F (MatrixLayoutDestroy, (cublasLtMatrixLayout_t))                                                \
  F (MatrixLayoutSetAttribute,                                                                     \
     (cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, const void *, size_t))              \
  F (MatmulPreferenceCreate, (cublasLtMatmulPreference_t *) )                                      \
  F (MatmulPreferenceDestroy, (cublasLtMatmulPreference_t))                                        \
  F (MatmulPreferenceSetAttribute,                                                                 \
     (cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t))     \
  F (MatmulAlgoGetHeuristic,                                                                       \
     (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,      \
      cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int most,        \
      cublasLtMatmulHeuristicResult_t *, int *count))                                              \
  F (MatmulAlgoCheck, (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,             \
                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,     \
                       const cublasLtMatmulAlgo_t *, cublasLtMatmulHeuristicResult_t *) )

#endif
