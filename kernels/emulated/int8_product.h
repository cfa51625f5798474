/* int8_product.h - many products of int8 matrices at once, by NVIDIA's library.
 *
 * cuBLASLt has them from compute capability 7.5 on, with sums in int32 and both operands contiguous
 * along k ("TN"). Sums of integers do not depend on their order, so every kernel that it picks
 * gives the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_INT8_PRODUCT_H
#define GPUMM_EMULATED_INT8_PRODUCT_H

#include "cuda/cublas_library.h"
#include "product.h"

#include <pthread.h>
#if __has_include(<nvtx3/nvToolsExtMemCudaRt.h>)
#define TELLS_TOOLS
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMemCudaRt.h>
#endif

/* For kernels that split k or keep tiles there: as much as cuBLAS itself uses on Hopper. */
static const size_t INT8_WORKSPACE = (size_t) 32 << 20;

/* ---- the library -------------------------------------------------------------------------- */

static struct {
  void *library;
#define POINTER(name, arguments) cublasStatus_t (*name) arguments;
  CUBLASLT_FUNCTIONS (POINTER)
#undef POINTER
  char why[512]; /* why it cannot be used; "" if it can */
} lt;

static void open_lt (void) {
  lt.library = open_cuda_library ("libcublasLt");
  if (!lt.library) {
    snprintf (lt.why, sizeof lt.why, "cuBLASLt cannot be opened: %s" HOW_TO_GET_LIBRARIES,
              dlerror ());
    return;
  }
  bool found = true;
#define FIND(name, arguments)                                                                      \
  found = find_function (lt.library, "cublasLt" #name, &lt.name) && found;
  CUBLASLT_FUNCTIONS (FIND)
#undef FIND
  if (!found)
    snprintf (lt.why, sizeof lt.why, "cuBLASLt lacks functions that gpumm needs");
}

static bool int8_usable (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, open_lt);
  return lt.why[0] == 0;
}

const char *gpumm_int8_missing (void) {
  return int8_usable () ? NULL : lt.why;
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

enum { KEPT_ALGORITHMS = 64, CANDIDATES = 6 };

/* Fewest operations of a product for which measuring algorithms pays: about 10 us on an H200. */
static const double FEWEST_OPERATIONS = 1e10;

/* From this k on the fastest algorithm stays the fastest: on an H200 the algorithm chosen at 4096
 * ran 16384 as fast as the one chosen there, 101 and 103 ms in all. */
static const int64_t DEEP = 4096;

/* The fastest algorithm of those that cuBLASLt suggests for products of about these sizes. */
struct advice {
  int64_t key[5];
  cublasLtMatmulAlgo_t algorithm;
};

static struct {
  pthread_mutex_t lock;
  cublasLtHandle_t handles[MOST_DEVICES];
  advice kept[KEPT_ALGORITHMS];
  int64_t asked;
} lt_state = {PTHREAD_MUTEX_INITIALIZER, {}, {}, 0};

void gpumm_emulated_reset (void) {
  pthread_mutex_lock (&lt_state.lock);
  for (int device = 0; device < MOST_DEVICES; device++)
    release_handle (device, &lt_state.handles[device], lt.Destroy);
  pthread_mutex_unlock (&lt_state.lock);
}

/* ---- the product -------------------------------------------------------------------------- */

/* One call of the library with its descriptors, which are released on failure, too. */
struct lt_call {
  cublasLtHandle_t handle = NULL;
  cublasLtMatmulDesc_t operation = NULL;
  cublasLtMatrixLayout_t a = NULL, b = NULL, d = NULL;
  cublasLtMatmulPreference_t preference = NULL;
  const int8_t *from_a = NULL, *from_b = NULL;
  int32_t *to = NULL;
  void *workspace = NULL;
  cudaStream_t stream = NULL;

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
  int32_t count = batch;
  TRY (check_lt ("cublasLtMatrixLayoutCreate",
                 lt.MatrixLayoutCreate (x, type, (uint64_t) rows, (uint64_t) cols, ld)));
  TRY (check_lt (
      "cublasLtMatrixLayoutSetAttribute",
      lt.MatrixLayoutSetAttribute (*x, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count)));
  return check_lt ("cublasLtMatrixLayoutSetAttribute",
                   lt.MatrixLayoutSetAttribute (*x, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &stride, sizeof stride));
}

static gpumm_status run_call (const lt_call &x, const cublasLtMatmulAlgo_t &algorithm, bool add) {
  int32_t one = 1, beta = add;
  return check_lt ("cublasLtMatmul of int8",
                   lt.Matmul (x.handle, x.operation, &one, x.from_a, x.a, x.from_b, x.b, &beta,
                              x.to, x.d, x.to, x.d, &algorithm, x.workspace, INT8_WORKSPACE,
                              x.stream));
}

/* The time of an algorithm's second run, because the first may load it. */
static gpumm_status time_algorithm (const lt_call &x, const cublasLtMatmulAlgo_t &algorithm,
                                    cudaEvent_t from, cudaEvent_t to, float *ms) {
  TRY (run_call (x, algorithm, false));
  TRY (gpumm_cuda_check ("cudaEventRecord", cudaEventRecord (from, x.stream)));
  TRY (run_call (x, algorithm, false));
  TRY (gpumm_cuda_check ("cudaEventRecord", cudaEventRecord (to, x.stream)));
  TRY (gpumm_cuda_check ("cudaEventSynchronize", cudaEventSynchronize (to)));
  return gpumm_cuda_check ("cudaEventElapsedTime", cudaEventElapsedTime (ms, from, to));
}

static gpumm_status measure_algorithms (const lt_call &x, int count,
                                        const cublasLtMatmulHeuristicResult_t *candidates,
                                        int *best) {
  cudaEvent_t from = NULL, to = NULL;
  float ms = 0, least = 0;
  gpumm_status status = gpumm_cuda_check ("cudaEventCreate", cudaEventCreate (&from));
  if (!status)
    status = gpumm_cuda_check ("cudaEventCreate", cudaEventCreate (&to));
  for (int i = 0; i < count && !status; i++) {
    status = time_algorithm (x, candidates[i].algo, from, to, &ms);
    if (!status && (i == 0 || ms < least)) {
      least = ms;
      *best = i;
    }
  }
  if (from)
    cudaEventDestroy (from);
  if (to)
    cudaEventDestroy (to);
  return status;
}

static int64_t size_class (int64_t size) {
  int bits = 0;
  while (size > (int64_t) 1 << bits)
    bits++;
  return bits;
}

/* The first suggestion can be poor: 1180 TOPS on an H200 (cuBLAS 13.1), the second 1600, for
 * batches of 14 products of 8192 x 2048 x 8192. So products that are not small try a few
 * algorithms, once for all of about that size. The result is the same for any choice. */
static gpumm_status find_algorithm (int device, const lt_call &x, int64_t m, int64_t n, int64_t k,
                                    int batch, bool add, cublasLtMatmulAlgo_t *algorithm) {
  int64_t depth = least (k, DEEP);
  int64_t key[5] = {device + 1, size_class (m), size_class (n), size_class (depth),
                    size_class (batch)};
  cublasLtMatmulHeuristicResult_t found[CANDIDATES];
  for (const advice &kept : lt_state.kept)
    if (memcmp (kept.key, key, sizeof key) == 0
        && lt.MatmulAlgoCheck (x.handle, x.operation, x.a, x.b, x.d, x.d, &kept.algorithm, found)
               == CUBLAS_STATUS_SUCCESS
        && found->workspaceSize <= INT8_WORKSPACE) {
      *algorithm = kept.algorithm;
      return GPUMM_OK;
    }
  int count = 0, best = 0;
  gpumm_status status =
      check_lt ("cublasLtMatmulAlgoGetHeuristic for int8",
                lt.MatmulAlgoGetHeuristic (x.handle, x.operation, x.a, x.b, x.d, x.d, x.preference,
                                           CANDIDATES, found, &count));
  if (!status && count == 0)
    status = gpumm_driver_fail (GPUMM_UNSUPPORTED, "this cuBLASLt has no product of int8");
  bool worth = 2.0 * (double) m * (double) n * (double) k * batch >= FEWEST_OPERATIONS;
  if (!status && worth && !add)
    status = measure_algorithms (x, count, found, &best);
  if (!status && !add) {
    advice &oldest = lt_state.kept[lt_state.asked++ % KEPT_ALGORITHMS];
    memcpy (oldest.key, key, sizeof key);
    oldest.algorithm = found[best].algo;
  }
  *algorithm = found[best].algo;
  return status;
}

enum { MOST_PLANES = 3 * MOST_MODULI };

/* Kernels of cuBLASLt for compute capability 9.0 write by tensor copies, which compute-sanitizer's
 * initcheck does not follow: this tells it what they wrote. Without the tool nothing happens. */
static void tell_written (const product_planes &d, int64_t rows, int64_t cols, int batch,
                          cudaStream_t stream) {
#ifdef TELLS_TOOLS
  static nvtxDomainHandle_t domain = nvtxDomainCreateA ("gpumm");
  nvtxMemVirtualRangeDesc_t planes[MOST_PLANES];
  nvtxMemMarkInitializedBatch_t all = {};
  for (int p = 0; p < batch; p++)
    planes[p] = {sizeof *d.d * (size_t) (d.ld * (cols - 1) + rows), d.d + p * d.plane};
  all.extCompatID = NVTX_EXT_COMPATID_MEM;
  all.structSize = sizeof all;
  all.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  all.regionDescCount = (size_t) batch;
  all.regionDescElementSize = sizeof *planes;
  all.regionDescElements = planes;
  nvtxMemCudaMarkInitialized (domain, stream, 0, &all);
#else
  (void) d, (void) rows, (void) cols, (void) batch, (void) stream;
#endif
}

/* The caller holds the lock. */
static gpumm_status multiply_locked (int device, gpumm_stream *stream, const residue_planes &a,
                                     const residue_planes &b, const product_planes &d, int64_t k,
                                     int batch, bool add, void *workspace) {
  lt_call x;
  x.from_a = a.to;
  x.from_b = b.to;
  x.to = d.d;
  x.workspace = workspace;
  x.stream = (cudaStream_t) stream;
  cublasOperation_t transpose = CUBLAS_OP_T;
  if (!lt_state.handles[device])
    TRY (check_lt ("cublasLtCreate", lt.Create (&lt_state.handles[device])));
  x.handle = lt_state.handles[device];
  TRY (check_lt ("cublasLtMatmulDescCreate",
                 lt.MatmulDescCreate (&x.operation, CUBLAS_COMPUTE_32I, CUDA_R_32I)));
  TRY (check_lt ("cublasLtMatmulDescSetAttribute",
                 lt.MatmulDescSetAttribute (x.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose,
                                            sizeof transpose)));
  TRY (make_layout (&x.a, CUDA_R_8I, k, a.vectors, a.ld, batch, a.plane));
  TRY (make_layout (&x.b, CUDA_R_8I, k, b.vectors, b.ld, batch, b.plane));
  TRY (make_layout (&x.d, CUDA_R_32I, a.vectors, b.vectors, d.ld, batch, d.plane));
  TRY (check_lt ("cublasLtMatmulPreferenceCreate", lt.MatmulPreferenceCreate (&x.preference)));
  TRY (check_lt ("cublasLtMatmulPreferenceSetAttribute",
                 lt.MatmulPreferenceSetAttribute (x.preference,
                                                  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &INT8_WORKSPACE, sizeof INT8_WORKSPACE)));
  cublasLtMatmulAlgo_t algorithm;
  TRY (find_algorithm (device, x, a.vectors, b.vectors, k, batch, add, &algorithm));
  TRY (run_call (x, algorithm, add));
  tell_written (d, a.vectors, b.vectors, batch, x.stream);
  return GPUMM_OK;
}

/* For each of batch planes: D = A^T B, or D += A^T B; rows vectors of A and cols vectors of B, of k
 * elements each. workspace: INT8_WORKSPACE bytes. */
static gpumm_status multiply_planes (int device, gpumm_stream *stream, const residue_planes &a,
                                     const residue_planes &b, const product_planes &d, int64_t k,
                                     int batch, bool add, void *workspace) {
  int before;
  if (device < 0 || device >= MOST_DEVICES)
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "there is no device %d", device);
  gpumm_status status = gpumm_cuda_enter ("int8 product", device, &before);
  if (status)
    return status;
  pthread_mutex_lock (&lt_state.lock);
  status = multiply_locked (device, stream, a, b, d, k, batch, add, workspace);
  pthread_mutex_unlock (&lt_state.lock);
  gpumm_cuda_leave (device, before);
  return status;
}

#endif
