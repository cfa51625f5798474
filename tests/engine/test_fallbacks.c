/* test_fallbacks.c - what becomes of a product where the GPU fails, in part or in whole: by a
 * made-up GPU (made_up_gpu.c), which the engine opens in CUDA's place.
 *
 * All operands are ones: an element of alpha A B + beta C0 is alpha k + beta.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_blas.h"
#include "check.h"
#include "made_up_gpu.h"
#include "memory/pool.h"
#include "base/progress.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static made_up *gpu;

/* Nanoseconds. Rates are measured by this clock, in place of the machine's: so they come out alike
 * however busy it is. A look takes some time, and BLAS some for each operation; nothing else does.
 * The linker gives the engine what begins with __wrap_. */
static _Atomic int64_t now;
static _Atomic int blas_products;

double __wrap_gpumm_seconds (void);
gpumm_status __real_gpumm_blas_product (const gpumm_product *p, int64_t largest,
                                        const char **kernel);
gpumm_status __wrap_gpumm_blas_product (const gpumm_product *p, int64_t largest,
                                        const char **kernel);

double __wrap_gpumm_seconds (void) {
  return 1e-9 * (double) (now += 10000);
}

gpumm_status __wrap_gpumm_blas_product (const gpumm_product *p, int64_t largest,
                                        const char **kernel) {
  now += p->m * p->n * p->k / 10;
  blas_products++;
  return __real_gpumm_blas_product (p, largest, kernel);
}

enum { ON_HOST = -1 };

/* n x n ones in host memory, or in a buffer of a device. */
static gpumm_matrix ones (int device, int64_t n) {
  gpumm_matrix x = {.type = GPUMM_D, .rows = n, .cols = n, .ld = n}, there = x;
  double *values = x.values = check_allocate (n * n, sizeof *values);
  for (int64_t i = 0; i < n * n; i++)
    values[i] = 1;
  if (device == ON_HOST)
    return x;
  OK (gpumm_buffer_new (device, (size_t) (n * n) * sizeof *values, &there.buffer));
  there.values = gpumm_buffer_address (there.buffer);
  OK (gpumm_copy (&x, &there));
  free (values);
  return there;
}

static void drop (gpumm_matrix *x) {
  if (x->buffer)
    gpumm_buffer_release (x->buffer);
  else
    free (x->values);
}

/* C = A B + beta C of ones; *r says what ran. */
static gpumm_status multiply (const gpumm_matrix *a, const gpumm_matrix *b, double beta,
                              gpumm_matrix *c, const gpumm_options *o, gpumm_report *r) {
  const gpumm_problem p = {.a = *a,
                           .b = *b,
                           .alpha = {1, 0},
                           .beta = {beta, 0},
                           .c0 = beta != 0 ? c : NULL,
                           .stays = c->buffer != NULL};
  gpumm_job *job;
  gpumm_status status = gpumm_open (&p, o, &job);
  status = status ? status : gpumm_run (job, c);
  if (!status) {
    gpumm_matrix here = c->buffer ? ones (ON_HOST, c->rows) : *c;
    int64_t wrong = 0;
    *r = *gpumm_job_report (job);
    if (c->buffer)
      OK (gpumm_copy (c, &here));
    for (int64_t i = 0; i < c->rows * c->cols; i++)
      wrong += ((const double *) here.values)[i] != (double) a->cols + beta;
    CHECK (wrong == 0, "%s: %" PRId64 " wrong", r->reason, wrong);
    if (c->buffer)
      drop (&here);
  }
  gpumm_close (job);
  return status;
}

/* n x n matrices in host memory. */
static gpumm_status square (int64_t n, gpumm_options o, gpumm_report *r) {
  gpumm_matrix a = ones (ON_HOST, n), b = ones (ON_HOST, n), c = ones (ON_HOST, n);
  const gpumm_status status = multiply (&a, &b, 0, &c, &o, r);
  drop (&a);
  drop (&b);
  drop (&c);
  return status;
}

enum { LARGE = 1500, SMALL = 40 };
enum { AUTO = GPUMM_AUTO, CPU = GPUMM_CPU, GPU = GPUMM_GPU };

/* Devices that there are; without an answer; what is asked for: backend, algorithm, device (-1:
 * any), capability and memory; the size. What runs (NULL: an error), and part of what is said. */
static const struct {
  int devices, is_lost, backend;
  const char *algorithm;
  int device, most;
  int64_t memory, n;
  const char *runs, *says;
} places[] = {
    {1, 0, AUTO, NULL, -1, 0, 0, LARGE, "cublas", "by measured rates the GPU takes"},
    {1, 0, AUTO, NULL, -1, 0, 0, SMALL, "blas", "too small"},
    {1, 0, AUTO, NULL, 0, 0, 0, LARGE, "cublas", "by measured rates"},
    {1, 0, AUTO, NULL, 1, 0, 0, LARGE, NULL, "device 1 does not exist"},
    {1, 0, AUTO, NULL, -1, 40, 0, LARGE, "blas", "MaxCapability"},
    {1, 0, AUTO, NULL, -1, 0, 9, LARGE, "blas", "smallest tiles"},
    {1, 1, AUTO, NULL, -1, 0, 0, LARGE, "blas", "device 0: it was made up"},
    {1, 1, GPU, NULL, -1, 0, 0, LARGE, NULL, "it was made up"},
    {1, 1, AUTO, "cublas", -1, 0, 0, SMALL, NULL,
     "algorithm \"cublas\" needs a GPU, and none can be used: device 0: it was made up"},
    {1, 1, AUTO, "tiled", -1, 0, 0, SMALL, "tiled", "no GPU can be used"},
    {0, 0, AUTO, NULL, -1, 0, 0, LARGE, "blas", "no GPU can be used: it was made up"},
    {0, 0, AUTO, "cublas", -1, 0, 0, SMALL, NULL,
     "algorithm \"cublas\" needs a GPU, and there is none: it was made up"},
    {1, 0, CPU, "cublas", -1, 0, 0, SMALL, NULL,
     "algorithm \"cublas\" needs a GPU, and Backend \"cpu\" was asked for"},
    {0, 0, GPU, NULL, -1, 0, 0, LARGE, NULL, "it was made up"},
    {0, 0, AUTO, "tiled", -1, 0, 0, SMALL, "tiled", "no GPU can be used"},
    {1, 0, GPU, NULL, -1, 0, 0, SMALL, "cublas", "the GPU was asked for"},
    {1, 0, CPU, NULL, -1, 0, 0, LARGE, "blas", "the CPU was asked for"},
    {1, 0, AUTO, "blas", -1, 0, 0, LARGE, "blas", "was asked for"},
};

static void test_places (void) {
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const gpumm_options o = {.backend = (gpumm_backend) places[i].backend,
                             .algorithm = places[i].algorithm,
                             .device = places[i].device,
                             .max_capability = places[i].most,
                             .max_device_memory = places[i].memory};
    const gpumm_status error = places[i].device > 0     ? GPUMM_INVALID
                               : places[i].algorithm    ? GPUMM_UNSUPPORTED
                               : places[i].devices == 0 ? GPUMM_NO_DEVICE
                                                        : GPUMM_DEVICE_FAILED;
    gpumm_report r = {0};
    gpu->devices = places[i].devices;
    gpu->is_lost = places[i].is_lost;
    const gpumm_status status = square (places[i].n, o, &r);
    const char *said = status ? gpumm_last_error () : r.reason;
    CHECK (status == (places[i].runs ? GPUMM_OK : error), "row %zu: %s, \"%s\"", i,
           gpumm_status_name (status), said);
    CHECK (status || strcmp (r.algorithm, places[i].runs) == 0, "row %zu: %s, \"%s\"", i,
           r.algorithm, said);
    CHECK (strstr (said, places[i].says), "row %zu: \"%s\"", i, said);
  }
  gpu->devices = 1;
  gpu->is_lost = 0;
}

/* An algorithm whose library is missing says so, also in the list of algorithms; "auto" does
 * without it. */
static void test_missing (void) {
  gpumm_report r = {0};
  gpumm_algorithm_info info = {0};
  gpu->missing = "it is made up";
  const gpumm_options named = {.backend = GPUMM_GPU, .algorithm = "cublas"};
  CHECK (square (64, named, &r) == GPUMM_UNSUPPORTED
             && strstr (gpumm_last_error (), "made-up GPU: it is made up"),
         "\"%s\"", gpumm_last_error ());
  CHECK (square (64, (gpumm_options){.device = -1}, &r) == GPUMM_OK
             && strcmp (r.algorithm, "blas") == 0,
         "%s", r.algorithm);
  int count = 0, missing = 0;
  for (; gpumm_algorithm_at (count, &info) == GPUMM_OK; count++)
    missing += gpumm_missing_library (info.name) != NULL;
  CHECK (count > 1 && missing == 1, "%d of %d are missing", missing, count);
  gpu->missing = NULL;
}

/* A launch without memory: smaller tiles; the next: the CPU. */
static void test_launches (void) {
  gpumm_report r;
  for (int n = 1; n < 4; n++) {
    gpu->launches = 0;
    gpu->failing_launch = n;
    OK (square (LARGE, (gpumm_options){.device = -1}, &r));
    CHECK (gpu->launches < n || strstr (r.reason, "smaller tiles"), "launch %d: %s", n, r.reason);
  }
  gpu->failing_launch = 0;
}

/* Under a limit the pool keeps what the next product takes. */
static void test_limit (void) {
  gpumm_report r;
  const gpumm_options o = {.device = -1, .max_device_memory = 1 << 30};
  OK (square (LARGE, o, &r));
  const int before = gpu->allocations;
  OK (square (LARGE, o, &r));
  CHECK (gpu->allocations == before || !GPUMM_POOL_KEEPS, "%d allocations",
         gpu->allocations - before);
}

/* C = A B + 2 C in place on the device: a launch that fails after others have written to C loses C,
 * and must not be tried again; the first may be. */
static void test_in_place (void) {
  enum { N = 2100 };
  gpumm_matrix a = ones (ON_HOST, N), b = ones (ON_HOST, N);
  for (int failing = 1; failing < 6; failing++) {
    gpumm_matrix c = ones (0, N);
    gpumm_report r;
    gpu->launches = 0;
    gpu->failing_launch = failing;
    const gpumm_status status = multiply (&a, &b, 2, &c, &(gpumm_options){.device = -1}, &r);
    gpu->failing_launch = 0;
    CHECK (failing == 1 || gpu->launches >= failing || !status, "launch %d was not reached",
           failing);
    CHECK (!status || status == GPUMM_DEVICE_MEMORY, "%s", gpumm_last_error ());
    drop (&c);
  }
  drop (&a);
  drop (&b);
}

/* Each device has its own memory and kept streams, and a product with a resident operand runs where
 * that is. */
static void test_two_devices (void) {
  enum { N = 300 };
  const gpumm_options any = {.device = -1};
  gpumm_report r = {0};
  gpumm_buffer *none;
  gpumm_reset ();
  CHECK (gpu->held == 0, "%d allocations are left", gpu->held);
  gpu->devices = 2;
  gpu->strays = 0;
  for (int turn = 0; turn < 4; turn++) {
    OK (square (N, (gpumm_options){.backend = GPUMM_GPU, .device = turn % 2}, &r));
    CHECK (r.device == turn % 2, "device %d", r.device);
  }
  gpumm_matrix c = ones (ON_HOST, N);
  gpumm_matrix left[] = {ones (0, N), ones (1, N), ones (ON_HOST, N)},
               right[] = {left[0], left[1], ones (ON_HOST, N)};
  OK (gpumm_copy (&left[0], &left[1])); /* through the host */
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const int apart = a + b == 1, place = a < b ? a : b;
      const gpumm_status status = multiply (&left[a], &right[b], 0, &c, &any, &r);
      CHECK (status == (apart ? GPUMM_UNSUPPORTED : GPUMM_OK), "%d by %d: %s", a, b,
             gpumm_last_error ());
      CHECK (!apart || strstr (gpumm_last_error (), "different devices"), "%s",
             gpumm_last_error ());
      CHECK (apart || place == 2 || r.device == place, "%d by %d ran on %d", a, b, r.device);
    }
  CHECK (gpumm_buffer_new (2, 8, &none) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "device 2 does not exist: there are 2 (0 to 1)"),
         "%s", gpumm_last_error ());
  CHECK (gpu->strays == 0, "%d uses of another device's memory", gpu->strays);
  gpumm_reset ();
  CHECK (gpu->held == 2, "%d allocations beside the two buffers", gpu->held - 2);
  for (int i = 0; i < 3; i++)
    drop (&left[i]);
  drop (&right[2]);
  drop (&c);
  gpumm_reset ();
  CHECK (gpu->held == 0 && gpu->strays == 0, "%d allocations are left", gpu->held);
  gpu->devices = 1;
}

/* Of events on a GPU that takes much longer to compute than to move matrices. */
static double slow_clock (void) {
  return 200 * __wrap_gpumm_seconds ();
}

enum { WORTH_ALL = 3000, SPREAD = 600 };

/* The same product, of which some devices do not compute their parts. */
static void fail_some (unsigned failing, gpumm_options o, const gpumm_report *whole) {
  gpumm_report r = {0};
  gpu->failing = failing;
  const gpumm_status status = square (SPREAD, o, &r);
  gpu->failing = 0;
  const int left = 3 - __builtin_popcount (failing);
  if (left == 0 && o.backend == GPUMM_GPU) {
    CHECK (status == GPUMM_DEVICE_FAILED, "%s", gpumm_status_name (status));
    return;
  }
  CHECK (status == GPUMM_OK, "failing %x: %s", failing, gpumm_last_error ());
  CHECK (r.device_count == (left > 0 ? left : 1), "failing %x: %d devices", failing,
         r.device_count);
  CHECK (strstr (r.reason, "it was made up"), "%s", r.reason);
  CHECK (left > 0 || strstr (r.reason, "the CPU computed the rest"), "%s", r.reason);
  CHECK (r.flops == whole->flops, "failing %x: %g operations", failing, r.flops);
}

static double first_part, last_part; /* of the progress that is told */
static int falls;

static void listen (double part, double left) {
  (void) left;
  if (part < 0)
    return;
  first_part = first_part > 0 ? first_part : part;
  falls |= part < last_part;
  last_part = part;
}

/* By measured rates one device takes a short product, and three take one that it computes for long.
 * The products that measure the links are not told as parts of it. */
static void test_choice (void) {
  const gpumm_options o = {.backend = GPUMM_GPU, .device = -1, .devices = 7};
  gpumm_report r = {0};
  gpumm_tell (listen);
  gpumm_progress_set_delay (1e-6);
  gpumm_reset ();
  gpu->devices = 3;
  CHECK (square (100, o, &r) == GPUMM_OK && r.device_count == 0
             && strstr (r.reason, "one device, which takes about"),
         "%s", r.reason);
  gpumm_reset (); /* the rates */
  first_part = last_part = falls = 0;
  gpu->clock = slow_clock;
  CHECK (square (WORTH_ALL, o, &r) == GPUMM_OK && r.device_count == 3
             && strstr (r.reason, "3 devices, as they take about"),
         "%s", r.reason);
  CHECK (first_part > 0 && first_part < 0.4 && !falls, "told from %g to %g, falls: %d", first_part,
         last_part, falls);
  gpumm_tell (NULL);
  gpumm_progress_set_delay (GPUMM_TELL_AFTER);
  gpu->clock = __wrap_gpumm_seconds;
  gpu->devices = 1;
  gpumm_reset ();
}

/* A product on three devices, of which some fail: the others do their parts, or at last the CPU, if
 * it was not the GPU or a kernel that was asked for. */
static void test_spread (void) {
  gpumm_reset ();
  gpu->devices = 3;
  gpu->strays = 0;
  gpumm_spread_always (1);
  for (int asked = 0; asked < 2; asked++) {
    const gpumm_options o = {.backend = asked ? GPUMM_GPU : GPUMM_AUTO, .device = -1, .devices = 7};
    gpumm_report whole = {0};
    CHECK (square (SPREAD, o, &whole) == GPUMM_OK && whole.device_count == 3, "%s", whole.reason);
    for (unsigned failing = 1; failing < 8; failing++)
      fail_some (failing, o, &whole);
  }
  gpumm_spread_always (0);
  CHECK (gpu->strays == 0, "%d uses of another device's memory", gpu->strays);
  gpumm_reset ();
  CHECK (gpu->held == 0, "%d allocations are left", gpu->held);
  gpu->devices = 1;
}

/* Would the plan send A B to the GPU, for two n x n matrices? Their values are never read. */
static int product_goes (double *values, int64_t n, const gpumm_options *o) {
  gpumm_problem p = {.a = {.type = GPUMM_D, .rows = n, .cols = n, .ld = n, .values = values},
                     .alpha = {1, 0}};
  p.b = p.a;
  p.b.values = values + 1;
  gpumm_job *job = NULL;
  OK (gpumm_open (&p, o, &job));
  const int goes = job && gpumm_job_report (job)->backend == GPUMM_GPU;
  gpumm_close (job);
  return goes;
}

/* Would the plan send symm there? The error that follows says that the GPU has no routines. */
static int symm_goes (double *a, double *b, int64_t n) {
  const gpumm_call call = {.routine = GPUMM_SYMM,
                           .type = GPUMM_D,
                           .side = 'L',
                           .uplo = 'L',
                           .m = n,
                           .n = n,
                           .alpha = {1, 0},
                           .a = a,
                           .b = b,
                           /* far from A and B; nothing is read or written */
                           .c = (void *) ((uintptr_t) a + ((uintptr_t) 1 << 40)),
                           .lda = n,
                           .ldb = n,
                           .ldc = n};
  const gpumm_status status = gpumm_run_call (&call, GPUMM_AUTO);
  CHECK (status == GPUMM_UNSUPPORTED, "%s", gpumm_status_name (status));
  return strstr (gpumm_last_error (), "computes products alone") != NULL;
}

/* A and B of symm are both uploaded, even if they are one array. So the smallest symm on the GPU is
 * as large as the smallest product of two matrices there. */
static void test_symm (void) {
  double values[3];
  int64_t cpu = SMALL, gpu_from = LARGE;
  CHECK (!product_goes (values, cpu, NULL) && product_goes (values, gpu_from, NULL),
         "no size between");
  while (gpu_from - cpu > 1) {
    const int64_t n = (cpu + gpu_from) / 2;
    *(product_goes (values, n, NULL) ? &gpu_from : &cpu) = n;
  }
  for (int other = 0; other < 2; other++) {
    CHECK (!symm_goes (values, values + other, cpu), "n = %" PRId64 ": on the GPU", cpu);
    CHECK (symm_goes (values, values + other, gpu_from), "n = %" PRId64 ": on the CPU", gpu_from);
  }
}

/* The launches that planning such a product took. */
static int launches_for (int64_t n, gpumm_options o) {
  double values[2];
  const int before = gpu->launches;
  o.device = -1;
  product_goes (values, n, &o);
  return gpu->launches - before;
}

enum { MORE = 3400 };

/* Rates of large transfers are measured at the first product of more than 256 MiB for which they
 * matter; what fails is not tried again. */
static void test_large (void) {
  enum { LESS = 3300 };
  const gpumm_options any = {.device = -1}, on_gpu = {.backend = GPUMM_GPU},
                      limited = {.max_device_memory = 200 << 20};
  gpumm_reset ();
  gpu->launches = 0;
  const int all = launches_for (LESS, any);
  CHECK (all > 0 && launches_for (LESS, any) == 0, "%d launches", all);
  CHECK (launches_for (MORE, on_gpu) == 0 && launches_for (MORE, limited) == 0,
         "measured for nothing");
  const int large = launches_for (MORE, any);
  CHECK (large > 3, "%d launches", large);
  CHECK (launches_for (MORE, any) == 0 && launches_for (2 * MORE, any) == 0, "measured twice");
  /* the first, and one in the middle: how many there are differs by a few from one time to the
   * other */
  for (int middle = 0; middle < 2; middle++) {
    const int failing = middle ? large / 2 : 1;
    gpumm_reset ();
    launches_for (LESS, any);
    gpu->launches = 0;
    gpu->failing_launch = failing;
    CHECK (launches_for (MORE, any) == failing && launches_for (MORE, any) == 0, "launch %d",
           failing);
    gpu->failing_launch = 0;
  }
  gpumm_reset ();
  CHECK (gpu->held == 0, "%d allocations are left", gpu->held);
}

/* What is measured once, and again after gpumm_reset. A row measures what no row above it does, by
 * launches on the devices or by products of the BLAS. */
static void test_reset (void) {
  static const struct {
    const char *what;
    int64_t n;
    gpumm_options o;
    int launches, products;
  } rows[] = {
      {"the CPU and device 0", LARGE, {.device = 0}, 1, 1},
      {"device 1", LARGE, {.device = 1}, 1, 0},
      {"device 2", LARGE, {.device = 2}, 1, 0},
      {"large transfers", MORE, {.device = 0}, 1, 0},
      {"transfers of three", WORTH_ALL, {.backend = GPUMM_GPU, .device = -1, .devices = 7}, 1, 0},
  };
  double values[2];
  gpu->devices = 3;
  gpu->clock = slow_clock; /* for the last row: three devices are worth a look */
  for (int turn = 0; turn < 2; turn++) {
    gpumm_reset ();
    CHECK (gpu->held == 0, "%d allocations are left", gpu->held);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      for (int again = 0; again < 2; again++) {
        gpu->launches = blas_products = 0;
        product_goes (values, rows[i].n, &rows[i].o);
        CHECK ((gpu->launches > 0) == (rows[i].launches && !again)
                   && (blas_products > 0) == (rows[i].products && !again),
               "turn %d, %s%s: %d launches, %d products", turn, rows[i].what, again ? " again" : "",
               gpu->launches, blas_products);
      }
  }
  gpu->clock = __wrap_gpumm_seconds;
  gpu->devices = 1;
  gpumm_reset ();
}

/* The free memory is asked for only where the GPU wins or is asked for, and the CPU is measured
 * only where there is a GPU to compare it with. */
static void test_thrift (void) {
  static const struct {
    const char *what;
    int devices;
    int64_t n;
    gpumm_options o;
    int asked, products; /* are any? */
  } rows[] = {
      {"without a GPU", 0, LARGE, {.device = -1}, 0, 0},
      {"with one", 1, LARGE, {.device = -1}, 1, 1},
      {"which wins again", 1, LARGE, {.device = -1}, 1, 0},
      {"and loses", 1, 120, {.device = -1}, 0, 0},
      {"is too small for", 1, 30, {.device = -1}, 0, 0},
      {"is asked for", 1, 30, {.device = -1, .backend = GPUMM_GPU}, 1, 0},
      {"is not asked for", 1, LARGE, {.device = -1, .backend = GPUMM_CPU}, 0, 0},
  };
  double values[2];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (i == 0 || rows[i].devices != rows[i - 1].devices) {
      gpu->devices = rows[i].devices;
      gpumm_reset ();
    }
    gpu->asked = blas_products = 0;
    product_goes (values, rows[i].n, &rows[i].o);
    CHECK ((gpu->asked > 0) == rows[i].asked && (blas_products > 0) == rows[i].products,
           "%s: asked %d times, %d products", rows[i].what, gpu->asked, blas_products);
  }
  gpumm_reset ();
}

int main (void) {
  char path[4096] = "";
  if (readlink ("/proc/self/exe", path, sizeof path - 32) > 0)
    strcpy (strrchr (path, '/') + 1, "libgpumm_cuda.so");
  void *library = dlopen (path, RTLD_NOW);
  gpu = library ? dlsym (library, "made_up_gpu") : NULL;
  CHECK (gpu, "%s", library ? "not the made-up GPU" : dlerror ());
  const char *why = "";
  const int found = gpu && gpumm_device_count (&why) > 0;
  CHECK (!gpu || found, "the engine finds it if this program is started by an absolute path: %s",
         why);
  if (!found)
    return check_done ();
  gpu->clock = __wrap_gpumm_seconds;
  test_places ();
  test_missing ();
  test_symm ();
  test_launches ();
  test_limit ();
  test_in_place ();
  test_two_devices ();
  test_choice ();
  test_spread ();
  test_large ();
  test_reset ();
  test_thrift ();
  return check_done ();
}
