/* int8_product.h - many products of int8 matrices at once, by NVIDIA's library.
 *
 * cuBLASLt has them from compute capability 7.5 on, sums in int32, both operands with the elements
 * that are multiplied side by side ("TN"). Sums of integers do not depend on their order: whatever
 * kernel it picks, the bits are the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_INT8_PRODUCT_H
#define GPUMM_EMULATED_INT8_PRODUCT_H

#include "product.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <pthread.h>

/* Where the Toolkit that built this has it, with a slash at the end; "" if not known. */
#ifndef GPUMM_CUBLAS_DIRECTORY
#define GPUMM_CUBLAS_DIRECTORY ""
#endif

/* For kernels that split k or keep tiles there: what cuBLAS itself takes on Hopper. */
static const size_t INT8_WORKSPACE = (size_t) 32 << 20;

/* ---- the library -------------------------------------------------------------------------- */

#define WITH_FUNCTIONS(F)                                                                          \
  F (Create)                                                                                       \
  F (Destroy)                                                                                      \
  F (Matmul)                                                                                       \
  F (MatmulDescCreate)                                                                             \
  F (MatmulDescDestroy)                                                                            \
  F (MatmulDescSetAttribute)                                                                       \
  F (MatrixLayoutCreate)                                                                           \
  F (MatrixLayoutDestroy)                                                                          \
  F (MatrixLayoutSetAttribute)                                                                     \
  F (MatmulPreferenceCreate)                                                                       \
  F (MatmulPreferenceDestroy)                                                                      \
  F (MatmulPreferenceSetAttribute)                                                                 \
  F (MatmulAlgoGetHeuristic)

static struct {
  void *library;
#define POINTER(name) decltype (&cublasLt##name) name;
  WITH_FUNCTIONS (POINTER)
#undef POINTER
  char why[256]; /* it cannot be used; "" if it can */
} lt;

static void open_lt (void) {
  static const char *const names[] = {
      "libcublasLt.so.13",
      "libcublasLt.so.12",
      "libcublasLt.so.11",
      "libcublasLt.so",
      GPUMM_CUBLAS_DIRECTORY "libcublasLt.so",
  };
  /* the first name is that of the headers this was compiled with */
  char own[64];
  snprintf (own, sizeof own, "libcublasLt.so.%d", CUBLAS_VER_MAJOR);
  lt.library = dlopen (own, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; !lt.library && i < sizeof names / sizeof *names; i++)
    lt.library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  if (!lt.library) {
    snprintf (lt.why, sizeof lt.why, "cuBLASLt cannot be opened: %s", dlerror ());
    return;
  }
  bool found = true;
  void *symbol;
#define FIND(name)                                                                                 \
  symbol = dlsym (lt.library, "cublasLt" #name);                                                   \
  memcpy (&lt.name, &symbol, sizeof symbol);                                                       \
  found = found && symbol;
  WITH_FUNCTIONS (FIND)
#undef FIND
  if (!found)
    snprintf (lt.why, sizeof lt.why, "cuBLASLt lacks functions that gpumm needs");
}

static bool int8_usable (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, open_lt);
  return lt.why[0] == 0;
}

static gpumm_status check_lt (const char *call, cublasStatus_t error) {
  if (error == CUBLAS_STATUS_SUCCESS)
    return GPUMM_OK;
  cudaGetLastError (); /* its own launch may have left one */
  return gpumm_driver_fail (error == CUBLAS_STATUS_ALLOC_FAILED ? GPUMM_DEVICE_MEMORY
                                                                : GPUMM_DEVICE_FAILED,
                            "%s: status %d", call, (int) error);
}

/* ---- handles and algorithms --------------------------------------------------------------- */

enum { MOST_LT_DEVICES = 64, KEPT_ALGORITHMS = 32 };

/* What cuBLASLt advised: asking takes it tens of microseconds. */
struct advice {
  int64_t key[8];
  cublasLtMatmulAlgo_t algorithm;
};

static struct {
  pthread_mutex_t lock;
  cublasLtHandle_t handles[MOST_LT_DEVICES];
  advice kept[KEPT_ALGORITHMS];
  int64_t asked;
} lt_state = {PTHREAD_MUTEX_INITIALIZER, {}, {}, 0};

void gpumm_emulated_reset (void) {
  pthread_mutex_lock (&lt_state.lock);
  for (int device = 0; device < MOST_LT_DEVICES; device++) {
    int before;
    if (!lt_state.handles[device])
      continue;
    if (gpumm_cuda_enter ("cublasLtDestroy", device, &before) == GPUMM_OK) {
      lt.Destroy (lt_state.handles[device]);
      cudaGetLastError ();
      gpumm_cuda_leave (device, before);
    }
    lt_state.handles[device] = NULL;
  }
  pthread_mutex_unlock (&lt_state.lock);
}

/* ---- the product -------------------------------------------------------------------------- */

/* What one call of the library needs, and gives back whatever failed. */
struct lt_call {
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t a, b, d;
  cublasLtMatmulPreference_t preference;

  lt_call () : operation (NULL), a (NULL), b (NULL), d (NULL), preference (NULL) {
  }

  ~lt_call () {
    if (preference)
      lt.MatmulPreferenceDestroy (preference);
    for (cublasLtMatrixLayout_t x : {a, b, d})
      if (x)
        lt.MatrixLayoutDestroy (x);
    if (operation)
      lt.MatmulDescDestroy (operation);
  }
};

static gpumm_status make_layout (cublasLtMatrixLayout_t *x, cudaDataType type, int64_t rows,
                                 int64_t cols, int64_t ld, int batch, int64_t stride) {
  gpumm_status status =
      check_lt ("cublasLtMatrixLayoutCreate",
                lt.MatrixLayoutCreate (x, type, (uint64_t) rows, (uint64_t) cols, ld));
  int32_t count = batch;
  if (!status)
    status = check_lt (
        "cublasLtMatrixLayoutSetAttribute",
        lt.MatrixLayoutSetAttribute (*x, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
  if (!status)
    status = check_lt ("cublasLtMatrixLayoutSetAttribute",
                       lt.MatrixLayoutSetAttribute (*x, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                    &stride, sizeof stride));
  return status;
}

static gpumm_status find_algorithm (int device, const lt_call &call, const int64_t (&key)[8],
                                    cublasLtMatmulAlgo_t *algorithm) {
  for (const advice &kept : lt_state.kept)
    if (memcmp (kept.key, key, sizeof key) == 0) {
      *algorithm = kept.algorithm;
      return GPUMM_OK;
    }
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  gpumm_status status =
      check_lt ("cublasLtMatmulAlgoGetHeuristic for int8",
                lt.MatmulAlgoGetHeuristic (lt_state.handles[device], call.operation, call.a, call.b,
                                           call.d, call.d, call.preference, 1, &result, &found));
  if (!status && found == 0)
    status = gpumm_driver_fail (GPUMM_UNSUPPORTED, "this cuBLASLt has no product of int8");
  if (!status) {
    advice &oldest = lt_state.kept[lt_state.asked++ % KEPT_ALGORITHMS];
    memcpy (oldest.key, key, sizeof key);
    *algorithm = oldest.algorithm = result.algo;
  }
  return status;
}

/* Of each of batch planes: D = A^T B, or D += A^T B, k elements deep. workspace: INT8_WORKSPACE
 * bytes. */
static gpumm_status multiply_planes (int device, gpumm_stream *stream, const residue_planes &a,
                                     const residue_planes &b, const product_planes &d, int64_t k,
                                     int batch, bool add, void *workspace) {
  int before;
  gpumm_status status = gpumm_cuda_enter ("int8 product", device, &before);
  if (status)
    return status;
  pthread_mutex_lock (&lt_state.lock);
  {
    lt_call call;
    cublasOperation_t transpose = CUBLAS_OP_T;
    if (!lt_state.handles[device])
      status = check_lt ("cublasLtCreate", lt.Create (&lt_state.handles[device]));
    if (!status)
      status = check_lt ("cublasLtMatmulDescCreate",
                         lt.MatmulDescCreate (&call.operation, CUBLAS_COMPUTE_32I, CUDA_R_32I));
    if (!status)
      status = check_lt ("cublasLtMatmulDescSetAttribute",
                         lt.MatmulDescSetAttribute (call.operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                    &transpose, sizeof transpose));
    if (!status)
      status = make_layout (&call.a, CUDA_R_8I, k, a.vectors, a.ld, batch, a.plane);
    if (!status)
      status = make_layout (&call.b, CUDA_R_8I, k, b.vectors, b.ld, batch, b.plane);
    if (!status)
      status = make_layout (&call.d, CUDA_R_32I, a.vectors, b.vectors, d.ld, batch, d.plane);
    if (!status)
      status =
          check_lt ("cublasLtMatmulPreferenceCreate", lt.MatmulPreferenceCreate (&call.preference));
    size_t bytes = INT8_WORKSPACE;
    if (!status)
      status = check_lt ("cublasLtMatmulPreferenceSetAttribute",
                         lt.MatmulPreferenceSetAttribute (call.preference,
                                                          CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                          &bytes, sizeof bytes));
    int64_t key[8] = {device + 1, a.vectors, b.vectors, k, batch, a.ld, d.ld, add};
    cublasLtMatmulAlgo_t algorithm;
    if (!status)
      status = find_algorithm (device, call, key, &algorithm);
    int32_t one = 1, beta = add;
    if (!status)
      status = check_lt ("cublasLtMatmul of int8",
                         lt.Matmul (lt_state.handles[device], call.operation, &one, a.to, call.a,
                                    b.to, call.b, &beta, d.d, call.d, d.d, call.d, &algorithm,
                                    workspace, bytes, (cudaStream_t) stream));
  }
  pthread_mutex_unlock (&lt_state.lock);
  gpumm_cuda_leave (device, before);
  return status;
}

#endif
