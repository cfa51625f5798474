/* cublas.cu - the product by NVIDIA's own library: what all other kernels are measured against.
 *
 * What it does: it picks, for the sizes and the GPU, one of hundreds of kernels that are built like
 * register.cu, but with larger tiles, copies that overlap with the products and, from compute
 * capability 8.0 on, double-precision tensor cores. What limits it is the arithmetic itself.
 *
 * cuBLAS is opened at first use, so that gpumm also loads on a machine without it and leaves
 * products to other kernels there.
 *
 * Its arithmetic is pinned. In CUBLAS_DEFAULT_MATH every product and sum is at least as precise as
 * the type's own; but some environment variables (below) turn on TensorFloat-32 or an emulation
 * by integers or bfloat16, in which NaN may spread differently and the error bound may not hold.
 * While one of them is set, gpumm asks for CUBLAS_PEDANTIC_MATH: the type's own arithmetic
 * throughout, perhaps slower. Run tests/kernels/test_kernels with them set to check this.
 * CUBLAS_WORKSPACE_CONFIG can only change the order of summation, within the bound.
 *
 * A A' and A' A of one array are computed by syrk and herk, which make one triangle: half the
 * operations, and C is exactly symmetric.
 *
 * A device has one handle, which routines.cu uses, too, and thus one workspace: results are
 * reproducible bit by bit as long as the products of a device are queued on one stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"
#include "cuda/cublas_library.h"

#include <cuComplex.h>
#include <pthread.h>

/* ---- the library -------------------------------------------------------------------------- */

template <class Size, class T>
using gemm = cublasStatus_t (*) (cublasHandle_t, cublasOperation_t, cublasOperation_t, Size, Size,
                                 Size, const T *, const T *, Size, const T *, Size, const T *, T *,
                                 Size);

template <class Size, class T>
using gemm_pages = cublasStatus_t (*) (cublasHandle_t, cublasOperation_t, cublasOperation_t, Size,
                                       Size, Size, const T *, const T *, Size, long long, const T *,
                                       Size, long long, const T *, T *, Size, long long, Size);

/* syrk, and herk, whose alpha and beta are real. */
using gram = cublasStatus_t (*) (cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int,
                                 const void *, const void *, int, const void *, void *, int);

static struct {
  void *library;
  cublasStatus_t (*create) (cublasHandle_t *);
  cublasStatus_t (*destroy) (cublasHandle_t);
  cublasStatus_t (*set_stream) (cublasHandle_t, cudaStream_t);
  cublasStatus_t (*set_math_mode) (cublasHandle_t, cublasMath_t);
  const char *(*status_string) (cublasStatus_t);
  void *gemm[4], *gemm_64[4]; /* of type S, D, C, Z; the latter NULL before cuBLAS 12 */
  void *gemm_pages[4];
  gram syrk[4], herk[4];
  char why[512]; /* why it cannot be used; "" if it can */
} cublas;

static void open_library (void) {
  cublas.library = open_cuda_library ("libcublas");
  if (!cublas.library) {
    snprintf (cublas.why, sizeof cublas.why, "cuBLAS cannot be opened: %s" HOW_TO_GET_LIBRARIES,
              dlerror ());
    return;
  }
  static const char *const gemm_names[] = {"cublasSgemm_v2", "cublasDgemm_v2", "cublasCgemm_v2",
                                           "cublasZgemm_v2"};
  static const char *const gemm_64_names[] = {"cublasSgemm_v2_64", "cublasDgemm_v2_64",
                                              "cublasCgemm_v2_64", "cublasZgemm_v2_64"};
  static const char *const gemm_pages_names[] = {
      "cublasSgemmStridedBatched", "cublasDgemmStridedBatched", "cublasCgemmStridedBatched",
      "cublasZgemmStridedBatched"};
  static const char *const syrk_names[] = {"cublasSsyrk_v2", "cublasDsyrk_v2", "cublasCsyrk_v2",
                                           "cublasZsyrk_v2"};
  static const char *const herk_names[] = {"cublasSsyrk_v2", "cublasDsyrk_v2", "cublasCherk_v2",
                                           "cublasZherk_v2"};
  bool found = find_function (cublas.library, "cublasCreate_v2", &cublas.create)
               && find_function (cublas.library, "cublasDestroy_v2", &cublas.destroy)
               && find_function (cublas.library, "cublasSetStream_v2", &cublas.set_stream)
               && find_function (cublas.library, "cublasSetMathMode", &cublas.set_math_mode);
  for (int t = 0; t < 4; t++) {
    found = find_function (cublas.library, gemm_names[t], &cublas.gemm[t]) && found;
    find_function (cublas.library, gemm_64_names[t], &cublas.gemm_64[t]);
    find_function (cublas.library, gemm_pages_names[t], &cublas.gemm_pages[t]);
    find_function (cublas.library, syrk_names[t], &cublas.syrk[t]);
    find_function (cublas.library, herk_names[t], &cublas.herk[t]);
  }
  find_function (cublas.library, "cublasGetStatusString", &cublas.status_string); /* since 11.4.2 */
  if (!found)
    snprintf (cublas.why, sizeof cublas.why, "cuBLAS lacks functions that gpumm needs");
}

static bool usable (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, open_library);
  return cublas.why[0] == 0;
}

const char *gpumm_cublas_missing (void) {
  return usable () ? NULL : cublas.why;
}

static gpumm_status check (const char *call, cublasStatus_t error) {
  if (error == CUBLAS_STATUS_SUCCESS)
    return GPUMM_OK;
  cudaGetLastError (); /* its own launch may have left one */
  return gpumm_driver_fail (
      error == CUBLAS_STATUS_ALLOC_FAILED ? GPUMM_DEVICE_MEMORY : GPUMM_DEVICE_FAILED,
      "%s: %s (status %d)", call, cublas.status_string ? cublas.status_string (error) : "failed",
      (int) error);
}

/* ---- handles ------------------------------------------------------------------------------ */

static cublasHandle_t handles[MOST_DEVICES];
static struct { /* of its handle, and while that is used: devices do not wait for each other */
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
} locks[MOST_DEVICES];

/* The handle of the current device, set to that stream and to the pinned arithmetic: nothing that
 * an earlier call has set stays. */
static gpumm_status prepare (int device, gpumm_stream *stream, cublasHandle_t *handle) {
  if (!handles[device])
    TRY (check ("cublasCreate", cublas.create (&handles[device])));
  *handle = handles[device];
  TRY (check ("cublasSetStream", cublas.set_stream (*handle, (cudaStream_t) stream)));
  return check ("cublasSetMathMode", cublas.set_math_mode (*handle, cublas_math_mode ()));
}

gpumm_status gpumm_cublas_enter (const char *call, int device, gpumm_stream *stream, int *before,
                                 cublasHandle_t *handle) {
  if (device < 0 || device >= MOST_DEVICES)
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "there is no device %d", device);
  TRY (gpumm_cuda_enter (call, device, before));
  pthread_mutex_lock (&locks[device].lock);
  const gpumm_status status = prepare (device, stream, handle);
  return status ? gpumm_cublas_leave (call, device, *before, CUBLAS_STATUS_SUCCESS),
         status : GPUMM_OK;
}

gpumm_status gpumm_cublas_leave (const char *call, int device, int before, cublasStatus_t error) {
  const gpumm_status status = check (call, error);
  pthread_mutex_unlock (&locks[device].lock);
  gpumm_cuda_leave (device, before);
  return status;
}

void *gpumm_cublas_function (const char *name) {
  return usable () ? dlsym (cublas.library, name) : NULL;
}

void gpumm_cublas_reset (void) {
  for (int device = 0; device < MOST_DEVICES; device++) {
    pthread_mutex_lock (&locks[device].lock);
    release_handle (device, &handles[device], cublas.destroy);
    pthread_mutex_unlock (&locks[device].lock);
  }
}

/* ---- the product -------------------------------------------------------------------------- */

/* C = beta C, for alpha = 0 or k = 0: A and B must not be read. */
template <class T>
__global__ void scale_only (int64_t m, int64_t n, T beta, global<T> C, int64_t ldc) {
  int64_t e = blockIdx.x * (int64_t) blockDim.x + threadIdx.x;
  if (e < m * n)
    store (C, e % m + e / m * ldc, T{}, T{}, beta);
}

static const cublasOperation_t op[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

template <class Size, class T>
static cublasStatus_t call (void *function, cublasHandle_t handle, const gpumm_product *p,
                            const arguments<T> &x) {
  gemm<Size, T> multiply;
  memcpy (&multiply, &function, sizeof function);
  return multiply (handle, op[p->op_a], op[p->op_b], (Size) x.m, (Size) x.n, (Size) x.k, &x.alpha,
                   x.a, (Size) p->lda, x.b, (Size) p->ldb, &x.beta, x.c, (Size) p->ldc);
}

/* Do the sizes fit the entry points that this cuBLAS has? */
static bool fits (const gpumm_product *p) {
  const int64_t most = INT32_MAX;
  return cublas.gemm_64[p->type]
         || (p->m <= most && p->n <= most && p->k <= most && p->lda <= most && p->ldb <= most
             && p->ldc <= most);
}

/* Calls f with the handle of a device, on this stream. */
template <class F> static gpumm_status with_handle (int device, gpumm_stream *stream, const F &f) {
  int before;
  cublasHandle_t handle;
  TRY (gpumm_cublas_enter ("cublas gemm", device, stream, &before, &handle));
  return gpumm_cublas_leave ("cublas gemm", device, before, f (handle));
}

/* ---- A A' and A' A ------------------------------------------------------------------------ */

/* From this size of C on: below it syrk gains nothing, and in single it loses. On an H200, double
 * takes 1.00, 0.98, 0.53, 0.56, 0.59 of gemm's time at 512, 1024, 2048, 4096, 8192 (single 1.3,
 * 1.08, 0.67,
 * 0.65, 0.51; complex double the same as double). */
enum { GRAM_FROM = 2048 };

static gram find_gram (const gpumm_product *p) {
  const gpumm_op op = p->op_a == GPUMM_NONE ? p->op_b : p->op_a;
  const int64_t most = INT32_MAX;
  if (p->a != p->b || p->lda != p->ldb || (p->op_a == GPUMM_NONE) == (p->op_b == GPUMM_NONE)
      || p->m != p->n || p->m < GRAM_FROM || p->beta.re != 0 || p->beta.im != 0 || p->k > most
      || p->lda > most || p->ldc > most || (op == GPUMM_CTRANSPOSE && p->alpha.im != 0))
    return NULL;
  return op == GPUMM_CTRANSPOSE ? cublas.herk[p->type] : cublas.syrk[p->type];
}

template <class T>
static gpumm_status launch_gram (int device, gpumm_stream *stream, const gpumm_product *p,
                                 const arguments<T> &x, gram multiply) {
  const bool turned = p->op_a != GPUMM_NONE;
  const bool conjugated = (p->type == GPUMM_C || p->type == GPUMM_Z)
                          && (p->op_a == GPUMM_CTRANSPOSE || p->op_b == GPUMM_CTRANSPOSE);
  const gpumm_status status = with_handle (device, stream, [&] (cublasHandle_t handle) {
    return multiply (handle, CUBLAS_FILL_MODE_UPPER,
                     !turned      ? CUBLAS_OP_N
                     : conjugated ? CUBLAS_OP_C
                                  : CUBLAS_OP_T,
                     (int) x.n, (int) x.k, &x.alpha, x.a, (int) p->lda, &x.beta, x.c, (int) p->ldc);
  });
  if (status || p->symmetry != GPUMM_GENERAL)
    return status;
  const gpumm_mirroring whole = {p->type,
                                 conjugated ? GPUMM_HERMITIAN : GPUMM_SYMMETRIC,
                                 {.rows = x.n, .cols = x.n, .values = x.c, .ld = p->ldc},
                                 1,
                                 0,
                                 NULL,
                                 0};
  return gpumm_driver_mirror (device, stream, &whole);
}

/* ---- launches ----------------------------------------------------------------------------- */

template <class T>
static gpumm_status launch_cublas_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  enum { THREADS = 256 };
  arguments<T> x (p);
  if (x.m == 0 || x.n == 0)
    return GPUMM_OK;
  if (x.k == 0)
    return LAUNCH ("scale_only", scale_only<T>, ceil_div (x.m * x.n, THREADS), THREADS, device,
                   stream, x.m, x.n, x.beta, x.c, p->ldc);
  if (!usable () || !fits (p))
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "%s",
                              usable () ? "this cuBLAS takes no sizes above 2^31 - 1" : cublas.why);
  if (gram multiply = find_gram (p))
    return launch_gram (device, stream, p, x, multiply);
  return with_handle (device, stream, [&] (cublasHandle_t handle) {
    return cublas.gemm_64[p->type] ? call<int64_t> (cublas.gemm_64[p->type], handle, p, x)
                                   : call<int> (cublas.gemm[p->type], handle, p, x);
  });
}

/* cuBLAS takes this many pages at once everywhere. */
template <class T>
static gpumm_status launch_pages_as (int device, gpumm_stream *stream, const gpumm_product *p,
                                     int64_t count, const int64_t steps[3]) {
  const int64_t most = 65535;
  arguments<T> x (p);
  gemm_pages<int, T> multiply;
  memcpy (&multiply, &cublas.gemm_pages[p->type], sizeof multiply);
  gpumm_status status = GPUMM_OK;
  for (int64_t at = 0; at < count && !status; at += most)
    status = with_handle (device, stream, [&] (cublasHandle_t handle) {
      return multiply (handle, op[p->op_a], op[p->op_b], (int) x.m, (int) x.n, (int) x.k, &x.alpha,
                       (const T *) x.a + at * steps[0], (int) p->lda, steps[0],
                       (const T *) x.b + at * steps[1], (int) p->ldb, steps[1], &x.beta,
                       (T *) x.c + at * steps[2], (int) p->ldc, steps[2],
                       (int) (count - at < most ? count - at : most));
    });
  return status;
}

/* Without those entry points, or with sizes that they do not take: one by one. */
template <class T>
static gpumm_status launch_one_by_one (int device, gpumm_stream *stream, const gpumm_product *first,
                                       int64_t count, const int64_t steps[3]) {
  gpumm_status status = GPUMM_OK;
  gpumm_product page = *first;
  for (int64_t i = 0; i < count && !status; i++) {
    page.a = (const T *) first->a + i * steps[0];
    page.b = (const T *) first->b + i * steps[1];
    page.c = (T *) first->c + i * steps[2];
    status = launch_cublas_as<T> (device, stream, &page);
  }
  return status;
}

static gpumm_status launch_pages (int device, gpumm_stream *stream, const gpumm_product *p,
                                  int64_t count, const int64_t steps[3]) {
  const int64_t most = INT32_MAX;
  const bool at_once = usable () && cublas.gemm_pages[p->type] && p->m > 0 && p->n > 0 && p->k > 0
                       && p->lda <= most && p->ldb <= most && p->ldc <= most && p->k <= most;
  WITH_TYPE (p->type, T,
             return at_once ? launch_pages_as<T> (device, stream, p, count, steps)
                            : launch_one_by_one<T> (device, stream, p, count, steps));
}

static gpumm_status launch_cublas (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return launch_cublas_as<T> (device, stream, p));
}

static int runs_cublas (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return usable () && fits (p);
}

/* cuBLAS DGEMM is slower if sizes are not multiples of 8: on an H200, padding 2049 x 2049 to 2056
 * takes 0.84 of the time, 4097 0.73 of it; other types gain nothing
 * (bench/results/h200/shapes.csv). */
enum { EVEN = 8 };

FAMILY_ROWS (cublas) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch, workspace,
     * waits, smallest tile, types that are padded and to what, launch_pages */
    {"cublas", "cublas", ALL_TYPES, 1, 1, 1, 1, 1, ANY_CAPABILITY, 0, runs_cublas, launch_cublas,
     NULL, 0, 0, 1 << GPUMM_D, EVEN, launch_pages},
    {},
};
