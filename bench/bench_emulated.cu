/* bench_emulated.cu - times emulated products and cuBLAS's, on the device alone.
 *
 *   cmake --build build --target bench_emulated
 *   build/kernels/cuda/bench_emulated FILE.csv [TYPES [N ...]]
 *
 * Products are square. Data are uniform in (-1/2, 1/2), also real and imaginary parts. A time is
 * the median of 5 launches between CUDA events, after one launch to warm up. The errors of both,
 * largest and root mean square of 1000 random elements, are multiples of 2^-53 |A||B| (single:
 * 2^-24), compared with sums in 113 bits. The output also says whether two runs gave the same bits,
 * and the seconds of each stage.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

static void record_stage (const char *name, void *stream);
#define EMULATED_STAGE(name, stream) record_stage (name, stream)
#include "../kernels/emulated/emulated.cu"

#include <algorithm>
#include <vector>

typedef __float128 quad; /* 113 bits: products of doubles are exact */

enum { RUNS = 5, SAMPLES = 1000, MOST_STAGES = 4096 };

static void need (bool ok, const char *what) {
  if (ok)
    return;
  printf ("%s: %s %s\n", what, cudaGetErrorString (cudaGetLastError ()), gpumm_driver_text ());
  exit (1);
}

#define CUDA(call) need ((call) == cudaSuccess, #call)

/* ---- stages ------------------------------------------------------------------------------- */

static struct {
  bool on;
  int count;
  const char *names[MOST_STAGES];
  cudaEvent_t begun, ended[MOST_STAGES];
} stages;

static void record_stage (const char *name, void *stream) {
  if (!stages.on || stages.count == MOST_STAGES)
    return;
  if (!stages.ended[stages.count])
    CUDA (cudaEventCreate (&stages.ended[stages.count]));
  CUDA (cudaEventRecord (stages.ended[stages.count], (cudaStream_t) stream));
  stages.names[stages.count++] = name;
}

static double milliseconds (cudaEvent_t from, cudaEvent_t to) {
  float ms;
  CUDA (cudaEventElapsedTime (&ms, from, to));
  return ms;
}

/* ---- data --------------------------------------------------------------------------------- */

/* Element e of matrix number `which`; the same on the host and on the device. */
__host__ __device__ static double uniform (uint64_t which, uint64_t e) {
  uint64_t x = (which << 60 ^ e) + 0x9e3779b97f4a7c15u; /* splitmix64 */
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double) ((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5;
}

template <class R> __global__ void fill (R *x, int64_t count, uint64_t which) {
  for (int64_t e = blockIdx.x * (int64_t) blockDim.x + threadIdx.x; e < count;
       e += (int64_t) gridDim.x * blockDim.x)
    x[e] = (R) uniform (which, e);
}

__global__ void count_differences (const uint64_t *x, const uint64_t *y, int64_t count,
                                   unsigned long long *differ) {
  for (int64_t e = blockIdx.x * (int64_t) blockDim.x + threadIdx.x; e < count;
       e += (int64_t) gridDim.x * blockDim.x)
    if (x[e] != y[e])
      atomicAdd (differ, 1);
}

/* ---- one type and size -------------------------------------------------------------------- */

static double time_of (const gpumm_kernel *kernel, gpumm_product *p, cudaStream_t stream) {
  std::vector<double> times;
  cudaEvent_t from, to;
  CUDA (cudaEventCreate (&from));
  CUDA (cudaEventCreate (&to));
  for (int run = -1; run < RUNS; run++) {
    CUDA (cudaEventRecord (from, stream));
    need (!kernel->launch (0, (gpumm_stream *) stream, p), "launch");
    CUDA (cudaEventRecord (to, stream));
    CUDA (cudaEventSynchronize (to));
    if (run >= 0)
      times.push_back (milliseconds (from, to));
  }
  CUDA (cudaEventDestroy (from));
  CUDA (cudaEventDestroy (to));
  std::sort (times.begin (), times.end ());
  return times[RUNS / 2];
}

struct errors {
  double largest, rms;
};

template <class R> static errors errors_of (const R *c, int64_t n, bool complexes) {
  errors e = {0, 0};
  for (int s = 0; s < SAMPLES; s++) {
    int64_t i = (int64_t) ((uniform (7, s) + 0.5) * (double) n);
    int64_t j = (int64_t) ((uniform (8, s) + 0.5) * (double) n);
    quad sum = 0, size = 0;
    for (int64_t l = 0; l < n; l++) {
      int64_t a = i + l * n, b = l + j * n;
      if (complexes) { /* the real part */
        quad ar = (R) uniform (1, 2 * a), ai = (R) uniform (1, 2 * a + 1);
        quad br = (R) uniform (2, 2 * b), bi = (R) uniform (2, 2 * b + 1);
        sum += ar * br - ai * bi;
        size += (quad) (hypot ((double) ar, (double) ai) * hypot ((double) br, (double) bi));
      } else {
        quad x = (R) uniform (1, a), y = (R) uniform (2, b);
        sum += x * y;
        size += x * y < 0 ? -x * y : x * y;
      }
    }
    R value;
    CUDA (cudaMemcpy (&value, c + (i + j * n) * (complexes ? 2 : 1), sizeof value,
                      cudaMemcpyDeviceToHost));
    double error =
        fabs ((double) (((quad) value - sum) / size)) * 2 / std::numeric_limits<R>::epsilon ();
    e.largest = error > e.largest ? error : e.largest;
    e.rms += error * error / SAMPLES;
  }
  e.rms = sqrt (e.rms);
  return e;
}

template <class R>
static void measure (FILE *file, gpumm_type type, int64_t n, cudaStream_t stream) {
  bool complexes = is_complex_type (type);
  int64_t reals = n * n * (complexes ? 2 : 1);
  size_t bytes = (size_t) reals * sizeof (R);
  R *a, *b, *c, *again;
  unsigned long long *differ, different;
  CUDA (cudaMalloc (&a, bytes));
  CUDA (cudaMalloc (&b, bytes));
  CUDA (cudaMalloc (&c, bytes));
  CUDA (cudaMalloc (&again, bytes));
  CUDA (cudaMalloc (&differ, sizeof *differ));
  need (!LAUNCH ("fill", fill<R>, 1024, dim3 (256), 0, stream, a, reals, 1), "fill");
  need (!LAUNCH ("fill", fill<R>, 1024, dim3 (256), 0, stream, b, reals, 2), "fill");
  char note[GPUMM_NOTE_BYTES] = "";
  gpumm_product p = {};
  p.type = type;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = a;
  p.b = b;
  p.c = c;
  p.alpha.re = 1;
  const gpumm_kernel *native = gpumm_family_cublas, *emulated = gpumm_family_emulated;
  gpumm_device_properties device;
  need (!gpumm_driver_table ()->properties (0, &device), "properties");
  p.workspace_bytes = emulated->workspace (&p, &device);
  CUDA (cudaMalloc (&p.workspace, p.workspace_bytes));
  p.note = note;
  CUDA (cudaMemset (c, 0xff, bytes));
  double native_ms = time_of (native, &p, stream);
  errors native_errors = errors_of (c, n, complexes);
  CUDA (cudaMemset (c, 0xff, bytes));
  double ms = time_of (emulated, &p, stream);
  errors own = errors_of (c, n, complexes);
  p.c = again;
  CUDA (cudaMemset (again, 0xff, bytes));
  stages.on = true;
  stages.count = 0;
  CUDA (cudaEventRecord (stages.begun, stream));
  need (!emulated->launch (0, (gpumm_stream *) stream, &p), "launch");
  stages.on = false;
  CUDA (cudaMemsetAsync (differ, 0, sizeof *differ, stream));
  need (!LAUNCH ("count_differences", count_differences, 1024, dim3 (256), 0, stream,
                 (uint64_t *) c, (uint64_t *) again, (int64_t) (bytes / 8), differ),
        "compare");
  CUDA (cudaMemcpyAsync (&different, differ, sizeof different, cudaMemcpyDeviceToHost, stream));
  CUDA (cudaStreamSynchronize (stream));

  double tflop = (complexes ? 8e-9 : 2e-9) * (double) n * (double) n * (double) n;
  printf ("%c n = %5lld  cublas %8.3f ms %6.1f TFLOPS, emulated %8.3f ms %6.1f TFLOPS, %5.2f times"
          " (%s; error %.2f rms %.2f, of cublas %.2f rms %.2f; %s bits, %.2f GB workspace)\n   ",
          "sdcz"[type], (long long) n, native_ms, tflop / native_ms, ms, tflop / ms, native_ms / ms,
          note, own.largest, own.rms, native_errors.largest, native_errors.rms,
          different ? "OTHER" : "same", 1e-9 * (double) p.workspace_bytes);
  fprintf (file, "%c,%lld,%.4g,%.4g,%.4g,%.4g,%.3g,\"%s\",%.3g,%.3g,%.3g,%.3g,%s", "sdcz"[type],
           (long long) n, native_ms, tflop / native_ms, ms, tflop / ms, native_ms / ms, note,
           own.largest, own.rms, native_errors.largest, native_errors.rms,
           different ? "no" : "yes");
  static const char *const names[] = {"look at the data", "guard", "quantise", "int8 products",
                                      "reconstruct"};
  for (const char *name : names) {
    double sum = 0;
    for (int s = 0; s < stages.count; s++)
      if (strcmp (stages.names[s], name) == 0)
        sum += milliseconds (s ? stages.ended[s - 1] : stages.begun, stages.ended[s]);
    printf (" %s %.3f ms,", name, sum);
    fprintf (file, ",%.4g", sum);
  }
  printf ("\n");
  fprintf (file, "\n");
  fflush (file);
  for (void *x : {(void *) a, (void *) b, (void *) c, (void *) again, (void *) differ, p.workspace})
    CUDA (cudaFree (x));
}

int main (int count, char **arguments) {
  if (count < 2) {
    printf ("usage: bench_emulated FILE.csv [TYPES [N ...]]\n");
    return 2;
  }
  FILE *file = fopen (arguments[1], "w");
  need (file != NULL, arguments[1]);
  std::vector<int64_t> sizes;
  for (int i = 3; i < count; i++)
    sizes.push_back (atoll (arguments[i]));
  if (sizes.empty ())
    sizes = {512, 1024, 2048, 4096, 8192, 16384};
  const char *types = count > 2 ? arguments[2] : "sdcz";
  cudaStream_t stream;
  cudaDeviceProp device;
  int driver, runtime;
  CUDA (cudaGetDeviceProperties (&device, 0));
  CUDA (cudaDriverGetVersion (&driver));
  CUDA (cudaRuntimeGetVersion (&runtime));
  CUDA (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  CUDA (cudaEventCreate (&stages.begun));
  fprintf (file, "# bench/bench_emulated.cu: bench_emulated FILE.csv");
  for (int i = 2; i < count; i++)
    fprintf (file, " %s", arguments[i]);
  fprintf (file, "\n# %s, driver for CUDA %d.%d, runtime %d.%d, cuBLAS %d.%d.%d\n", device.name,
           driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, CUBLAS_VER_MAJOR,
           CUBLAS_VER_MINOR, CUBLAS_VER_PATCH);
  fprintf (file, "type,n,cublas_ms,cublas_tflops,emulated_ms,emulated_tflops,ratio,note,"
                 "error_largest,error_rms,cublas_error_largest,cublas_error_rms,same_bits,look_ms,"
                 "guard_ms,quantise_ms,int8_ms,reconstruct_ms\n");
  for (const char *t = types; *t; t++)
    for (int64_t n : sizes)
      switch (*t) {
      case 's':
        measure<float> (file, GPUMM_S, n, stream);
        break;
      case 'd':
        measure<double> (file, GPUMM_D, n, stream);
        break;
      case 'c':
        measure<float> (file, GPUMM_C, n, stream);
        break;
      case 'z':
        measure<double> (file, GPUMM_Z, n, stream);
        break;
      default:
        need (false, "types are s, d, c, z");
      }
  fclose (file);
  return 0;
}
