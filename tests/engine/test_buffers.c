/* test_buffers.c - matrices that stay on a device: operands and results in buffers, in every combination
 * with host memory, against sums that the test forms; what is refused; and who owns the memory.
 *
 *   test_buffers [DEVICE]   the host device, or the GPU of this index
 *
 * All numbers are small integers, so that results are compared without a tolerance; but for the products that
 * mirror, whose elements round.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "host_device.h"
#include "memory/host.h"
#include "memory/pool.h"
#include "gpumm.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int device = GPUMM_HOST;
static int queues; /* products may be queued */
static gpumm_context *context;

static double complex get (const gpumm_matrix *x, int64_t i, int64_t j) {
  const int64_t at = i + j * x->ld;
  return x->type == GPUMM_S   ? ((const float *) x->values)[at]
         : x->type == GPUMM_D ? ((const double *) x->values)[at]
         : x->type == GPUMM_C ? ((const float complex *) x->values)[at]
                              : ((const double complex *) x->values)[at];
}

static double complex get_op (const gpumm_matrix *x, int64_t i, int64_t j) {
  return x->op == GPUMM_NONE        ? get (x, i, j)
         : x->op == GPUMM_TRANSPOSE ? get (x, j, i)
                                    : conj (get (x, j, i));
}

/* Small integers, and 77 between the columns. */
static gpumm_matrix make (gpumm_type type, int64_t rows, int64_t cols, int64_t spare) {
  const int is_single = type == GPUMM_S || type == GPUMM_C;
  const int parts = type == GPUMM_C || type == GPUMM_Z ? 2 : 1;
  gpumm_matrix x = {.type = type, .rows = rows, .cols = cols, .ld = rows + spare};
  x.values = check_allocate (x.ld * cols + 1, gpumm_type_bytes (type));
  for (int64_t e = 0; e < parts * x.ld * cols; e++) {
    const double value = e / parts % x.ld < rows ? (double) check_between (-3, 3) : 77;
    if (is_single)
      ((float *) x.values)[e] = (float) value;
    else
      ((double *) x.values)[e] = value;
  }
  return x;
}

/* The same on the device, with other gaps, and not at the beginning of its buffer. */
static gpumm_matrix sent (const gpumm_matrix *x, int64_t spare) {
  const size_t element = gpumm_type_bytes (x->type), before = 256;
  gpumm_matrix y = *x;
  y.ld = x->rows + spare;
  const size_t bytes = before + (size_t) (y.ld * x->cols) * element;
  if (gpumm_buffer_new (device, bytes, &y.buffer)) {
    CHECK (0, "%s", gpumm_last_error ());
    exit (check_done ());
  }
  y.values = (char *) gpumm_buffer_address (y.buffer) + before;
  CHECK (gpumm_copy (x, &y) == GPUMM_OK, "%s", gpumm_last_error ());
  return y;
}

/* Opens and runs; where the device of c allows it, asks for a result that stays. */
static gpumm_status multiply (gpumm_problem p, const gpumm_options *options, gpumm_matrix *c,
                              gpumm_report *report) {
  gpumm_job *job = NULL;
  gpumm_matrix shape = {0};
  p.stays = c->buffer != NULL;
  p.queues = queues;
  gpumm_status status = gpumm_open (&p, options, &job);
  if (!status)
    status = gpumm_result (job, &shape);
  if (!status) {
    CHECK (shape.rows == c->rows && shape.cols == c->cols && shape.type == c->type, "shape");
    status = gpumm_run (job, c);
    *report = *gpumm_job_report (job);
  }
  gpumm_close (job);
  return status;
}

typedef struct {
  gpumm_type type;
  int64_t m, n, k;
  gpumm_op op_a, op_b;
  int there; /* bits: A, B, C on the device */
  int same;  /* B is A */
  double alpha, beta;
  int64_t limit;
  const char *algorithm;
} test_case;

static int64_t wrong_in (const gpumm_problem *p, const gpumm_matrix *c0, const gpumm_matrix *c) {
  const int64_t k = p->a.op == GPUMM_NONE ? p->a.cols : p->a.rows;
  int64_t wrong = 0;
  for (int64_t j = 0; j < c->cols; j++)
    for (int64_t i = 0; i < c->rows; i++) {
      double complex sum = 0;
      for (int64_t l = 0; l < k; l++)
        sum += get_op (&p->a, i, l) * get_op (&p->b, l, j);
      sum *= p->alpha.re;
      if (p->beta.re != 0)
        sum += p->beta.re * get (c0, i, j);
      wrong += get (c, i, j) != sum;
    }
  return wrong;
}

static void one (const test_case *t) {
  const int turned_a = t->op_a != GPUMM_NONE, turned_b = t->op_b != GPUMM_NONE;
  gpumm_matrix a =
      make (t->type, turned_a ? t->k : t->m, turned_a ? t->m : t->k, check_between (0, 3));
  gpumm_matrix b = t->same ? a
                           : make (t->type, turned_b ? t->n : t->k, turned_b ? t->k : t->n,
                                   check_between (0, 3));
  a.op = t->op_a;
  b.op = t->op_b;
  gpumm_matrix c0 = make (t->type, t->m, t->n, 1), c = make (t->type, t->m, t->n, 2);
  gpumm_matrix there_a = sent (&a, check_between (0, 5)), there_c = sent (&c0, 3);
  gpumm_matrix there_b = t->same ? there_a : sent (&b, 7);
  there_b.op = b.op;
  gpumm_problem p = {.a = a, .b = b, .alpha = {t->alpha, 0}, .beta = {t->beta, 0}};
  const gpumm_problem host = p;
  if (t->there & 1)
    p.a = there_a;
  if (t->there & 2)
    p.b = there_b;
  if (t->beta != 0)
    p.c0 = t->there & 4 ? &there_c : &c0;
  const gpumm_options options = {.backend = device <= GPUMM_HOST ? GPUMM_CPU : GPUMM_AUTO,
                                 .algorithm = t->algorithm,
                                 .device = device <= GPUMM_HOST ? GPUMM_HOST - device : -1,
                                 .max_device_memory = t->limit};
  gpumm_report report = {.bytes_up = -1};
  const gpumm_status status = multiply (p, &options, t->there & 4 ? &there_c : &c, &report);
  CHECK (!status, "%s", gpumm_last_error ());
  if (!status && t->there & 4)
    CHECK (gpumm_copy (&there_c, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  const int64_t wrong = status ? 0 : wrong_in (&host, &c0, &c);
  CHECK (wrong == 0,
         "%s, %d%d%d, same %d, ops %d %d, %" PRId64 " x %" PRId64 " x %" PRId64
         ", alpha %g, beta %g, limit %" PRId64 ": %" PRId64 " wrong by %s",
         gpumm_type_name (t->type), t->there & 1, t->there >> 1 & 1, t->there >> 2, t->same,
         t->op_a, t->op_b, t->m, t->n, t->k, t->alpha, t->beta, t->limit, wrong, report.kernel);
  for (int64_t j = 0; j < t->n && !(t->there & 4); j++)
    CHECK (creal (get (&c, t->m, j)) == 77, "the gap after column %" PRId64 " was written", j);
  if (t->there == 7)
    CHECK (report.bytes_up == 0 && report.bytes_down == 0, "%" PRId64 " bytes up, %" PRId64 " down",
           report.bytes_up, report.bytes_down);
  gpumm_buffer_release (there_a.buffer);
  if (!t->same)
    gpumm_buffer_release (there_b.buffer);
  gpumm_buffer_release (there_c.buffer);
  free (a.values);
  if (!t->same)
    free (b.values);
  free (c0.values);
  free (c.values);
}

static void test_products (int repeats) {
  static const int64_t sizes[] = {1, 2, 7, 31, 33, 64, 70};
  for (int there = 1; there < 8; there++)
    for (int ops = 0; ops < 9; ops++)
      for (int type = GPUMM_S; type <= GPUMM_Z; type++)
        for (int repeat = 0; repeat < repeats; repeat += SANITIZED_STEP) {
          test_case t = {.type = (gpumm_type) type,
                         .m = sizes[check_between (0, 6)],
                         .n = sizes[check_between (0, 6)],
                         .k = sizes[check_between (0, 6)],
                         .op_a = (gpumm_op) (ops / 3),
                         .op_b = (gpumm_op) (ops % 3),
                         .there = there,
                         .alpha = (double) check_between (-2, 2),
                         .beta = (double) check_between (-1, 1),
                         .algorithm = check_between (0, 1) ? "tiled" : NULL};
          if (device <= GPUMM_HOST && !t.algorithm && !(there & 3)) /* a result that stays alone */
            t.algorithm = "register";
          queues = (int) check_between (0, 1);
          one (&t);
          t.m = t.n = t.k;
          t.same = (there & 3) == 3 || (there & 3) == 0;
          one (&t);
        }
}

/* In tiles, and with a k in steps: what stays is read where it lies. */
static void test_out_of_core (void) {
  for (int there = 1; there < 8; there++)
    for (int64_t limit = 1 << 16; limit <= 1 << 20; limit *= 4) {
      test_case t = {.type = GPUMM_D,
                     .m = 70,
                     .n = 90,
                     .k = 1200,
                     .op_a = there & 1 ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .there = there,
                     .alpha = 1,
                     .beta = limit > 1 << 16,
                     .limit = limit,
                     .algorithm = "tiled"};
      one (&t);
    }
}

/* Elements of many magnitudes, so that another order of a sum rounds otherwise. */
static void make_random (gpumm_matrix *x) {
  const int is_single = x->type == GPUMM_S || x->type == GPUMM_C;
  const int parts = x->type == GPUMM_C || x->type == GPUMM_Z ? 2 : 1;
  for (int64_t e = 0; e < parts * x->ld * x->cols; e++) {
    const double value = ldexp (check_uniform () - 0.5, (int) check_between (-8, 8));
    if (is_single)
      ((float *) x->values)[e] = (float) value;
    else
      ((double *) x->values)[e] = value;
  }
}

/* The elements of each page that are not those of the page's transpose, conjugated or not. */
static int64_t not_mirrored (const gpumm_matrix *c, int64_t n, int is_hermitian) {
  int64_t wrong = 0;
  for (int64_t j = 0; j < c->cols; j++)
    for (int64_t i = 0; i < n; i++) {
      const double complex x = get (c, i, j), y = get (c, j % n, j / n * n + i);
      wrong += x != (is_hermitian ? conj (y) : y);
    }
  return wrong;
}

/* A A', A' A and their like, queued or not, and pages of them: symmetric or Hermitian bit by bit. */
static void test_mirrored (void) {
  static const int64_t sizes[] = {1, 2, 31, 32, 33, 70};
  enum { PAGES = 3 };
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int ops = 0; ops < 4; ops++)
      for (int size = 0; size < 6; size++) {
        const int64_t n = sizes[size], k = check_between (1, 40), pages = PAGES, step = 1;
        const gpumm_op turned = ops & 1 ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE;
        const int second = ops >> 1, is_hermitian = ops & 1;
        gpumm_matrix x = make ((gpumm_type) type, second ? n : k, (second ? k : n) * PAGES, 0);
        gpumm_matrix c = make ((gpumm_type) type, n, n * PAGES, 0);
        make_random (&x);
        gpumm_matrix there = sent (&x, 0), result = sent (&c, 0);
        gpumm_report report;
        gpumm_problem p = {.a = there, .b = there, .alpha = {-0.3, 0}};
        p.a.cols = p.b.cols = second ? k : n;
        p.a.op = second ? GPUMM_NONE : turned;
        p.b.op = second ? turned : GPUMM_NONE;
        gpumm_matrix first = result, here = c;
        first.cols = here.cols = n;
        queues = (int) check_between (0, 1);
        gpumm_status status =
            multiply (p,
                      &(gpumm_options){.backend = device <= GPUMM_HOST ? GPUMM_CPU : GPUMM_AUTO,
                                       .device = -1},
                      &first, &report);
        if (!status)
          status = gpumm_copy (&first, &here);
        CHECK (!status && not_mirrored (&here, n, is_hermitian) == 0, "%s n %" PRId64 " ops %d: %s",
               gpumm_type_name ((gpumm_type) type), n, ops, gpumm_last_error ());
        const gpumm_pages all = {
            .a = p.a, .b = p.b, .dims = 1, .sizes = &pages, .steps_a = &step, .steps_b = &step};
        status = gpumm_pages_run (&all, NULL, &result);
        if (!status)
          status = gpumm_copy (&result, &c);
        CHECK (!status && not_mirrored (&c, n, is_hermitian) == 0,
               "pages of %s n %" PRId64 " ops %d: %s", gpumm_type_name ((gpumm_type) type), n, ops,
               gpumm_last_error ());
        gpumm_buffer_release (there.buffer);
        gpumm_buffer_release (result.buffer);
        free (x.values);
        free (c.values);
      }
}

static void test_refused (void) {
  gpumm_matrix x = make (GPUMM_D, 6, 6, 0), there = sent (&x, 0), c = make (GPUMM_D, 6, 6, 0);
  gpumm_matrix far = there, single = there, real = make (GPUMM_Z, 6, 6, 0);
  const gpumm_backend backend = device <= GPUMM_HOST ? GPUMM_CPU : GPUMM_AUTO;
  const gpumm_options none = {.backend = backend, .device = -1},
                      blas = {.backend = backend, .algorithm = "blas", .device = -1},
                      elsewhere = {.backend = device <= GPUMM_HOST ? GPUMM_GPU : GPUMM_CPU,
                                   .device = -1};
  gpumm_report report;
  gpumm_problem p = {.a = there, .b = x, .alpha = {1, 0}};
  CHECK (multiply (p, &none, &c, &report) == GPUMM_OK, "%s", gpumm_last_error ());
  CHECK (strstr (report.reason, "operands lie on the device"), "%s", report.reason);
  CHECK (multiply (p, &blas, &c, &report) == GPUMM_UNSUPPORTED, "blas on a device");
  far.values = (char *) far.values + 8; /* its last element lies outside */
  far.ld += 100000;
  p.a = far;
  CHECK (multiply (p, &none, &c, &report) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "in its buffer"),
         "%s", gpumm_last_error ());
  far = there;
  far.values = (char *) gpumm_buffer_address (there.buffer) - 8;
  p.a = far;
  CHECK (multiply (p, &none, &c, &report) == GPUMM_INVALID, "before the buffer");
  far = there;
  far.rows = 5;
  far.values = (char *) far.values + 4;
  p.a = far;
  CHECK (multiply (p, &none, &c, &report) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "whole element"),
         "%s", gpumm_last_error ());
  p.a = there;
  CHECK (multiply (p, &elsewhere, &c, &report) == GPUMM_UNSUPPORTED
             && strstr (gpumm_last_error (), "another place"),
         "%s", gpumm_last_error ());
  CHECK (gpumm_copy (NULL, &c) == GPUMM_INVALID && gpumm_buffer_new (device, 8, NULL), "NULL");
  single.type = GPUMM_S;
  p.a = single;
  CHECK (multiply (p, &none, &c, &report) == GPUMM_UNSUPPORTED, "single by double");
  p.a = there;
  p.b = real;
  gpumm_matrix z = make (GPUMM_Z, 6, 6, 0);
  CHECK (multiply (p, &none, &z, &report) == GPUMM_UNSUPPORTED
             && strstr (gpumm_last_error (), "one type"),
         "%s", gpumm_last_error ());
  single.type = GPUMM_I32;
  p.a = p.b = single;
  CHECK (multiply (p, &none, &c, &report) == GPUMM_UNSUPPORTED, "integers");
  p = (gpumm_problem){.a = x, .b = x, .alpha = {1, 0}, .beta = {1, 0}, .c0 = &there};
  CHECK (multiply (p, &none, &c, &report) == GPUMM_UNSUPPORTED, "C0 there, C here");
  gpumm_matrix other = sent (&x, 0);
  CHECK (multiply (p, &none, &other, &report) == GPUMM_UNSUPPORTED, "C0 is not C");
  /* a result where it was not announced */
  gpumm_job *job;
  for (int stays = 0; stays < 2; stays++) {
    p = (gpumm_problem){.a = there, .b = x, .alpha = {1, 0}, .stays = stays};
    CHECK (gpumm_open (&p, &none, &job) == GPUMM_OK, "%s", gpumm_last_error ());
    CHECK (gpumm_run (job, stays ? &c : &other) == GPUMM_INVALID
               && strstr (gpumm_last_error (), "buffer"),
           "%s", gpumm_last_error ());
    gpumm_close (job);
  }
  p = (gpumm_problem){.a = there, .b = x, .alpha = {1, 0}};
  CHECK (gpumm_open (&p, &(gpumm_options){.backend = backend, .algorithm = "tiled", .device = -1},
                     &job)
             == GPUMM_OK,
         "%s", gpumm_last_error ());
  gpumm_trace trace;
  CHECK (gpumm_run_traced (job, &c, 0, &trace) == GPUMM_UNSUPPORTED, "traced");
  gpumm_close (job);
  CHECK (gpumm_copy (&x, &c) == GPUMM_UNSUPPORTED, "both on the host");
  CHECK (gpumm_copy (&there, &other) == GPUMM_UNSUPPORTED, "both on the device");
  CHECK (gpumm_copy (&there, &z) == GPUMM_UNSUPPORTED, "of another type");
  gpumm_buffer *none_there;
  CHECK (gpumm_buffer_new (99, 8, &none_there) && !none_there, "device 99");
  for (int less = 0; less < 3; less++)
    CHECK (gpumm_buffer_new (device, SIZE_MAX - (size_t) less * 4096, &none_there) && !none_there,
           "2^64 bytes less %d pages", less);
  CHECK (gpumm_result_type (NULL, NULL) == GPUMM_INVALID
             && gpumm_blocks_verify (NULL, NULL) == GPUMM_INVALID && !gpumm_blas_symbol (NULL),
         "NULL");
  gpumm_buffer_release (there.buffer);
  gpumm_buffer_release (other.buffer);
  free (x.values);
  free (c.values);
  free (z.values);
  free (real.values);
}

/* A buffer outlives a reset, and its memory goes with it. */
static void test_owners (void) {
  size_t unused_before, unused;
  gpumm_matrix x = make (GPUMM_D, 50, 40, 0), back = make (GPUMM_D, 50, 40, 0);
  gpumm_reset ();
  const size_t held = gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused_before);
  gpumm_matrix there = sent (&x, 0);
  gpumm_reset ();
  CHECK (gpumm_copy (&there, &back) == GPUMM_OK, "%s", gpumm_last_error ());
  int wrong = 0;
  for (int64_t j = 0; j < 40; j++)
    for (int64_t i = 0; i < 50; i++)
      wrong += get (&back, i, j) != get (&x, i, j);
  CHECK (wrong == 0, "%d elements changed", wrong);
  gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused);
  CHECK (unused == 0, "%zu bytes unused while the buffer lives", unused);
  gpumm_buffer_release (there.buffer);
  gpumm_buffer_release (NULL);
  gpumm_reset ();
  CHECK (gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, NULL) == held, "the buffer was kept");
  free (x.values);
  free (back.values);
  int64_t used[3], kept[3];
  gpumm_buffer *b = NULL;
  gpumm_reset ();
  CHECK (!gpumm_memory (device, &used[0], &kept[0]) && kept[0] == 0, "kept after a reset");
  gpumm_buffer_new (device, 1 << 20, &b);
  CHECK (!gpumm_memory (device, &used[1], &kept[1]) && used[1] >= used[0] + (1 << 20)
             && kept[1] == 0,
         "%" PRId64 " bytes used", used[1]);
  gpumm_buffer_release (b);
  CHECK (!gpumm_memory (device, &used[2], &kept[2]) && used[2] == used[0]
             && kept[2] == used[1] - used[0],
         "%" PRId64 " bytes used, %" PRId64 " kept", used[2], kept[2]);
  CHECK (gpumm_memory (99, &used[0], &kept[0]) < 0, "device 99");
}

/* A forked process cannot use it, and may let it go. */
static void test_fork (void) {
  gpumm_matrix x = make (GPUMM_D, 5, 4, 0), there = sent (&x, 0);
  const pid_t child = fork ();
  if (child == 0) {
    const gpumm_status status = gpumm_copy (&there, &x);
    gpumm_buffer_release (there.buffer);
    _exit (status == GPUMM_INVALID ? 7 : 1);
  }
  int code = 0;
  waitpid (child, &code, 0);
  CHECK (WIFEXITED (code) && WEXITSTATUS (code) == 7, "a forked process: %d", code);
  CHECK (gpumm_copy (&there, &x) == GPUMM_OK, "%s", gpumm_last_error ());
  gpumm_buffer_release (there.buffer);
  free (x.values);
}

/* Which kernel a product of arrays takes that are at most 256 x 256, and larger ones. */
static void test_small (void) {
  for (int which = 0; which < 16; which++) {
    const int64_t m = 256 + (which & 1), n = 256 + (which >> 1 & 1), k = 256 + (which >> 2 & 1);
    gpumm_matrix a = make (GPUMM_D, m, k, 0), b = make (GPUMM_D, k, n, 0);
    gpumm_problem p = {.a = sent (&a, 0), .b = sent (&b, 0), .alpha = {1, 0}, .output = GPUMM_D};
    gpumm_job *job = NULL;
    p.stays = 1;
    p.queues = which >> 3;
    CHECK (!gpumm_open (&p, NULL, &job), "%s", gpumm_last_error ());
    if (job) {
      const char *name = gpumm_job_report (job)->algorithm;
      CHECK (!strcmp (name, "tiled") == (which == 8), "%d: %s", which, name);
    }
    gpumm_close (job);
    gpumm_buffer_release (p.a.buffer);
    gpumm_buffer_release (p.b.buffer);
    free (a.values);
    free (b.values);
  }
}

/* Maps and products of one stream, of which nothing waits: X = X * A + 1 again and again, in memory that
 * is released while it is in use. */
static void test_queued (void) {
  enum { STEPS = 20, N = 33 };
  gpumm_matrix a = make (GPUMM_D, N, N, 0), c = make (GPUMM_D, N, N, 0), x = sent (&a, 0);
  double value = 1; /* of all entries, in each step */
  for (int64_t e = 0; e < (int64_t) N * N; e++) {
    ((double *) a.values)[e] = e % (N + 1) == 0 ? 2 : 0;
    ((double *) c.values)[e] = 1;
  }
  gpumm_matrix there = sent (&a, 0);
  gpumm_copy (&c, &x);
  queues = 1;
  gpumm_fault_device (0);
  for (int i = 0; i < STEPS; i++) {
    gpumm_report report = {.bytes_up = -1};
    gpumm_matrix y = x;
    gpumm_map plus = {
        .domain = GPUMM_D, .size = {(int64_t) N * N, 1, 1, 1}, .inputs = 1, .steps = 1};
    const gpumm_problem p = {.a = x, .b = there, .alpha = {1, 0}};
    y.ld = N;
    CHECK (!gpumm_buffer_new (device, sizeof (double) * N * N, &y.buffer), "%s",
           gpumm_last_error ());
    y.values = gpumm_buffer_address (y.buffer);
    CHECK (!multiply (p, NULL, &y, &report), "%s", gpumm_last_error ());
    CHECK (report.bytes_up == 0 && report.bytes_down == 0, "something moved");
    plus.input[0] = plus.output =
        (gpumm_view){.type = GPUMM_D, .buffer = y.buffer, .values = y.values, .stride = {1}};
    plus.step[0] =
        (gpumm_map_step){.op = GPUMM_MAP_ADD, .source = GPUMM_MAP_CONSTANT, .constant = {1, 0}};
    CHECK (!gpumm_map_entries (&plus), "%s", gpumm_last_error ());
    gpumm_buffer_release (x.buffer);
    x = y;
    value = 2 * value + 1;
  }
  const int64_t calls = gpumm_fault_device (0);
  CHECK (calls <= 2 * STEPS + 2, "%" PRId64 " calls for %d steps", calls, STEPS);
  CHECK (!gpumm_copy (&x, &c), "%s", gpumm_last_error ());
  for (int64_t e = 0; e < (int64_t) N * N; e++)
    CHECK (((double *) c.values)[e] == value, "entry %" PRId64 " is %g and not %g", e,
           ((double *) c.values)[e], value);
  queues = 0;
  gpumm_buffer_release (x.buffer);
  gpumm_buffer_release (there.buffer);
  free (a.values);
  free (c.values);
}

/* Every allocation, then every call of the device, fails in turn: an error, and what was there before
 * is there after. */
static void test_faults (void) {
  gpumm_matrix x = make (GPUMM_D, 40, 40, 0), c = make (GPUMM_D, 40, 40, 0);
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "tiled", .device = -1};
  for (int which = 0; which < 4; which++)
    for (int n = 1;; n += SANITIZED_STEP) {
      gpumm_reset ();
      gpumm_matrix there = sent (&x, 0), result = sent (&c, 0);
      const int64_t alive = gpumm_live_allocations ();
      gpumm_buffer *more = NULL;
      gpumm_report report;
      const gpumm_problem p = {.a = there, .b = which & 2 ? there : x, .alpha = {1, 0}};
      const int is_device = which & 1;
      queues = which >> 1;
      if (is_device)
        gpumm_fault_device (n);
      else
        gpumm_fault_memory (n);
      gpumm_status status = gpumm_buffer_new (device, 1 << 16, &more);
      if (!status)
        status = multiply (p, &options, &result, &report);
      if (!status)
        status = gpumm_copy (&result, &c);
      const int64_t calls = gpumm_fault_device (0);
      gpumm_fault_memory (0);
      CHECK (!status == (more && !status), "a failure with a buffer");
      gpumm_buffer_release (more);
      CHECK (is_device || status || gpumm_live_allocations () >= alive, "released twice");
      CHECK (gpumm_copy (&there, &c) == GPUMM_OK, "%s", gpumm_last_error ());
      CHECK (get (&c, 39, 39) == get (&x, 39, 39), "the operand changed");
      gpumm_buffer_release (there.buffer);
      gpumm_buffer_release (result.buffer);
      if (!status && (!is_device || calls < n)) { /* a refused allocation is asked for again */
        CHECK (n > 3, "only %d calls", n);
        break;
      }
    }
  gpumm_reset ();
  free (x.values);
  free (c.values);
}

int main (int argc, char **argv) {
  check_seed (20261123);
  if (argc > 1)
    device = atoi (argv[1]);
  if (gpumm_context_of (device, &context)) {
    CHECK (0, "%s", gpumm_last_error ());
    return check_done ();
  }
  test_products (1);
  test_out_of_core ();
  test_mirrored ();
  test_queued ();
  test_small ();
  test_refused ();
  test_owners ();
  if (device <= GPUMM_HOST) { /* whose calls can be made to fail, and which survives fork () */
    test_fork ();
    test_faults ();
  }
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "%" PRId64 " allocations are left",
         gpumm_live_allocations ());
  return check_done ();
}
