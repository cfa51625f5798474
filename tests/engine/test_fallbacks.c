/* test_fallbacks.c - what becomes of a product where the GPU fails, in part or in whole: by a
 * made-up GPU (made_up_gpu.c), which the engine opens in CUDA's place.
 *
 * All operands are ones: an element of alpha A B + beta C0 is alpha k + beta.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "gpumm.h"
#include "made_up_gpu.h"
#include "progress.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static made_up *gpu;

static gpumm_matrix ones (int64_t rows, int64_t cols) {
  gpumm_matrix x = {.type = GPUMM_D, .rows = rows, .cols = cols, .ld = rows};
  double *values = x.values = check_allocate (rows * cols, sizeof *values);
  for (int64_t i = 0; i < rows * cols; i++)
    values[i] = 1;
  return x;
}

static int64_t wrong_in (const gpumm_matrix *c, double expected) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < c->rows * c->cols; i++)
    wrong += ((const double *) c->values)[i] != expected;
  return wrong;
}

/* A product of n x n; *r says what ran. */
static gpumm_status square (int64_t n, gpumm_options o, gpumm_report *r) {
  gpumm_matrix a = ones (n, n), b = ones (n, n), c = ones (n, n);
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  gpumm_job *job;
  gpumm_status status = gpumm_open (&p, &o, &job);
  if (!status)
    status = gpumm_run (job, &c);
  if (!status) {
    *r = *gpumm_job_report (job);
    CHECK (wrong_in (&c, (double) n) == 0, "%s: wrong values", r->reason);
  }
  gpumm_close (job);
  free (a.values);
  free (b.values);
  free (c.values);
  return status;
}

enum { LARGE = 1500, SMALL = 40 };

/* As the options ask, and the GPU is: what runs, or the error. */
static void test_places (void) {
  static const struct {
    int devices, is_lost;
    gpumm_options options;
    int64_t n;
    gpumm_status status;
    const char *algorithm; /* that runs */
    const char *says;      /* part of the reason, or of the error */
  } table[] = {
      {1, 0, {.device = -1}, LARGE, GPUMM_OK, "cublas", "by measured rates the GPU takes"},
      {1, 0, {.device = -1}, SMALL, GPUMM_OK, "blas", "too small"},
      {1, 0, {.device = 0}, LARGE, GPUMM_OK, "cublas", "by measured rates"},
      {1, 0, {.device = 1}, LARGE, GPUMM_INVALID, NULL, "device 1 does not exist"},
      {1, 0, {.device = -1, .max_capability = 40}, LARGE, GPUMM_OK, "blas", "MaxCapability"},
      {1, 0, {.device = -1, .max_device_memory = 9}, LARGE, GPUMM_OK, "blas", "smallest tiles"},
      {1, 1, {.device = -1}, LARGE, GPUMM_OK, "blas", "device 0: it was made up"},
      {1,
       1,
       {.backend = GPUMM_GPU, .device = -1},
       LARGE,
       GPUMM_DEVICE_FAILED,
       NULL,
       "it was made up"},
      {1,
       1,
       {.algorithm = "cublas", .device = -1},
       SMALL,
       GPUMM_UNSUPPORTED,
       NULL,
       "no GPU can be used"},
      {1, 1, {.algorithm = "tiled", .device = -1}, SMALL, GPUMM_OK, "tiled", "no GPU can be used"},
      {0, 0, {.device = -1}, LARGE, GPUMM_OK, "blas", "no GPU can be used: it was made up"},
      {0, 0, {.backend = GPUMM_GPU, .device = -1}, LARGE, GPUMM_NO_DEVICE, NULL, "it was made up"},
      {0, 0, {.algorithm = "tiled", .device = -1}, SMALL, GPUMM_OK, "tiled", "no GPU can be used"},
      {1,
       0,
       {.backend = GPUMM_GPU, .device = -1},
       SMALL,
       GPUMM_OK,
       "cublas",
       "the GPU was asked for"},
      {1,
       0,
       {.backend = GPUMM_CPU, .device = -1},
       LARGE,
       GPUMM_OK,
       "blas",
       "the CPU was asked for"},
      {1, 0, {.algorithm = "blas", .device = -1}, LARGE, GPUMM_OK, "blas", "was asked for"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_report r = {0};
    gpu->devices = table[i].devices;
    gpu->is_lost = table[i].is_lost;
    const gpumm_status status = square (table[i].n, table[i].options, &r);
    const char *said = status ? gpumm_last_error () : r.reason;
    CHECK (status == table[i].status, "row %zu: %s, \"%s\"", i, gpumm_status_name (status), said);
    CHECK (status || strcmp (r.algorithm, table[i].algorithm) == 0, "row %zu: %s, \"%s\"", i,
           r.algorithm, said);
    CHECK (strstr (said, table[i].says), "row %zu: \"%s\"", i, said);
  }
  gpu->devices = 1;
  gpu->is_lost = 0;
}

/* A launch without memory: smaller tiles; the next: the CPU. */
static void test_launches (void) {
  gpumm_report r;
  for (int n = 1; n < 4; n++) {
    gpu->launches = 0;
    gpu->failing_launch = n;
    CHECK (square (LARGE, (gpumm_options){.device = -1}, &r) == GPUMM_OK, "%s",
           gpumm_last_error ());
    CHECK (gpu->launches < n || strstr (r.reason, "smaller tiles"), "launch %d: %s", n, r.reason);
  }
  gpu->failing_launch = 0;
}

/* Under a limit the pool keeps what the next product takes. */
static void test_limit (void) {
  gpumm_report r;
  const gpumm_options o = {.device = -1, .max_device_memory = 1 << 30};
  CHECK (square (LARGE, o, &r) == GPUMM_OK, "%s", gpumm_last_error ());
  const int before = gpu->allocations;
  CHECK (square (LARGE, o, &r) == GPUMM_OK, "%s", gpumm_last_error ());
  CHECK (gpu->allocations == before, "%d allocations", gpu->allocations - before);
}

/* C = A B + 2 C in place on the device: a launch that fails after others have written to C loses C,
 * and must not be tried again; the first may be. */
static void test_in_place (void) {
  enum { N = 2100 };
  gpumm_matrix a = ones (N, N), b = ones (N, N), c = ones (N, N), there = c;
  for (int failing = 1; failing < 6; failing++) {
    CHECK (gpumm_buffer_new (0, (size_t) (N * N) * 8, &there.buffer) == GPUMM_OK, "%s",
           gpumm_last_error ());
    there.values = gpumm_buffer_address (there.buffer);
    for (int64_t i = 0; i < (int64_t) N * N; i++)
      ((double *) c.values)[i] = 1;
    CHECK (gpumm_copy (&c, &there) == GPUMM_OK, "%s", gpumm_last_error ());
    const gpumm_problem p = {
        .a = a, .b = b, .alpha = {1, 0}, .beta = {2, 0}, .c0 = &there, .stays = 1};
    gpumm_job *job;
    gpu->launches = 0;
    gpu->failing_launch = failing;
    gpumm_status status = gpumm_open (&p, NULL, &job);
    CHECK (status == GPUMM_OK, "%s", gpumm_last_error ());
    if (!status)
      status = gpumm_run (job, &there);
    gpumm_close (job);
    gpu->failing_launch = 0;
    CHECK (failing == 1 || gpu->launches >= failing || !status, "launch %d was not reached",
           failing);
    if (status)
      CHECK (status == GPUMM_DEVICE_MEMORY, "%s", gpumm_last_error ());
    else {
      CHECK (gpumm_copy (&there, &c) == GPUMM_OK, "%s", gpumm_last_error ());
      CHECK (wrong_in (&c, N + 2) == 0, "launch %d: %" PRId64 " wrong", failing,
             wrong_in (&c, N + 2));
    }
    gpumm_buffer_release (there.buffer);
  }
  free (a.values);
  free (b.values);
  free (c.values);
}

/* A matrix of ones in a buffer of a device. */
static gpumm_matrix ones_on (int device, int64_t n) {
  gpumm_matrix x = ones (n, n), there = x;
  CHECK (gpumm_buffer_new (device, (size_t) (n * n) * 8, &there.buffer) == GPUMM_OK, "%s",
         gpumm_last_error ());
  there.values = gpumm_buffer_address (there.buffer);
  CHECK (gpumm_copy (&x, &there) == GPUMM_OK, "%s", gpumm_last_error ());
  free (x.values);
  return there;
}

/* Each device has its own memory and kept streams, and a product with a resident operand runs where
 * that is. */
static void test_two_devices (void) {
  enum { N = 300 };
  gpumm_report r = {0};
  gpumm_buffer *none;
  gpumm_reset ();
  CHECK (gpu->held == 0, "%d allocations are left", gpu->held);
  gpu->devices = 2;
  gpu->strays = 0;
  for (int turn = 0; turn < 4; turn++) {
    const gpumm_options o = {.backend = GPUMM_GPU, .device = turn % 2};
    CHECK (square (N, o, &r) == GPUMM_OK && r.device == turn % 2, "%s", gpumm_last_error ());
  }
  gpumm_matrix on[] = {ones_on (0, N), ones_on (1, N)}, c = ones (N, N);
  CHECK (gpumm_copy (&on[0], &on[1]) == GPUMM_OK, "through the host: %s", gpumm_last_error ());
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) { /* 2: in host memory */
      gpumm_job *job = NULL;
      gpumm_matrix host[] = {ones (N, N), ones (N, N)};
      const gpumm_problem p = {
          .a = a < 2 ? on[a] : host[0], .b = b < 2 ? on[b] : host[1], .alpha = {1, 0}};
      const int apart = a + b == 1, place = a < b ? a : b;
      const gpumm_status status = gpumm_open (&p, NULL, &job);
      CHECK (status == (apart ? GPUMM_UNSUPPORTED : GPUMM_OK), "%d by %d: %s", a, b,
             gpumm_last_error ());
      CHECK (!apart || strstr (gpumm_last_error (), "different devices"), "%s",
             gpumm_last_error ());
      if (!status) {
        CHECK (gpumm_run (job, &c) == GPUMM_OK && wrong_in (&c, N) == 0, "%d by %d: %s", a, b,
               gpumm_last_error ());
        CHECK (place == 2 || gpumm_job_report (job)->device == place, "%d by %d ran on %d", a, b,
               gpumm_job_report (job)->device);
      }
      gpumm_close (job);
      free (host[0].values);
      free (host[1].values);
    }
  CHECK (gpumm_buffer_new (2, 8, &none) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "device 2 does not exist: there are 2 (0 to 1)"),
         "%s", gpumm_last_error ());
  CHECK (gpu->strays == 0, "%d uses of another device's memory", gpu->strays);
  gpumm_reset ();
  CHECK (gpu->held == 2, "%d allocations beside the two buffers", gpu->held - 2);
  gpumm_buffer_release (on[0].buffer);
  gpumm_buffer_release (on[1].buffer);
  gpumm_reset ();
  CHECK (gpu->held == 0 && gpu->strays == 0, "%d allocations are left", gpu->held);
  gpu->devices = 1;
  free (c.values);
}

static double (*usual_clock) (void);

/* Of events on a GPU that takes much longer to compute than to move matrices. */
static double slow_clock (void) {
  return 200 * usual_clock ();
}

enum { WORTH_ALL = 3000 };

/* The same product, of which some devices do not compute their parts. */
static void fail_some (unsigned failing, gpumm_options o, const gpumm_report *whole) {
  gpumm_report r = {0};
  gpu->failing = failing;
  const gpumm_status status = square (WORTH_ALL, o, &r);
  gpu->failing = 0;
  const int left = 3 - __builtin_popcount (failing);
  if (left == 0 && o.backend == GPUMM_GPU) {
    CHECK (status == GPUMM_DEVICE_FAILED, "%s", gpumm_status_name (status));
    return;
  }
  CHECK (status == GPUMM_OK, "failing %x: %s", failing, gpumm_last_error ());
  CHECK (r.share_count == (left > 0 ? left : 1), "failing %x: %d shares", failing, r.share_count);
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
  CHECK (square (100, o, &r) == GPUMM_OK && r.share_count == 0
             && strstr (r.reason, "one device, which takes about"),
         "%s", r.reason);
  gpumm_reset (); /* the rates */
  first_part = last_part = falls = 0;
  usual_clock = gpu->clock;
  gpu->clock = slow_clock;
  CHECK (square (WORTH_ALL, o, &r) == GPUMM_OK && r.share_count == 3
             && strstr (r.reason, "3 devices, as they take about"),
         "%s", r.reason);
  CHECK (first_part > 0 && first_part < 0.4 && !falls, "told from %g to %g, falls: %d", first_part,
         last_part, falls);
  gpumm_tell (NULL);
  gpumm_progress_set_delay (GPUMM_TELL_AFTER);
  gpu->clock = usual_clock;
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
    CHECK (square (WORTH_ALL, o, &whole) == GPUMM_OK && whole.share_count == 3, "%s", whole.reason);
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
  CHECK (gpumm_open (&p, o, &job) == GPUMM_OK, "%s", gpumm_last_error ());
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
                           .c = a + 2,
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

/* Rates of large transfers are measured at the first product of more than 256 MiB for which they
 * matter; what fails is not tried again. */
static void test_large (void) {
  enum { LESS = 3300, MORE = 3400 };
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
  test_places ();
  test_symm ();
  test_launches ();
  test_limit ();
  test_in_place ();
  test_two_devices ();
  test_choice ();
  test_spread ();
  test_large ();
  return check_done ();
}
