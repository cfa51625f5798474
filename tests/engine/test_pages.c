/* test_pages.c - products of pages: types, ops, sizes and steps at random, with a printed seed;
 * then what is refused, Inf in a real array beside a complex one, memory that fails, pages that are
 * stopped, and the threads of the BLAS.
 *
 *   test_pages [SEED [CASES [DEVICE]]]   DEVICE: index of the GPU for arrays that stay on one
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_arrays.h"
#include "faults.h"
#include "operands.h"
#include "base/progress.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

enum { MOST_DIMS = 4 };

typedef struct {
  gpumm_pages p;
  int64_t sizes[MOST_DIMS], steps_a[MOST_DIMS], steps_b[MOST_DIMS];
  int64_t pages_a, pages_b; /* that the arrays have */
  const gpumm_options *options;
} problem;

/* ---- the oracle --------------------------------------------------------------------------- */

/* Page `at` of an array as a matrix. */
static gpumm_matrix page_of (const gpumm_matrix *x, int64_t at) {
  gpumm_matrix page = *x;
  page.values = (char *) x->values + (size_t) (at * x->rows * x->cols) * gpumm_type_bytes (x->type);
  return page;
}

/* Wrong elements of this page of c. Values of floating point are whole, so that every way gives the
 * same. */
static int64_t wrong_in_page (const problem *q, const gpumm_matrix *c, int64_t page) {
  int64_t rest = page, at_a = 0, at_b = 0;
  for (int d = 0; d < q->p.dims; d++) {
    at_a += rest % q->sizes[d] * q->steps_a[d];
    at_b += rest % q->sizes[d] * q->steps_b[d];
    rest /= q->sizes[d];
  }
  enum { SOME = 13 }; /* columns of a large page */
  gpumm_problem p = {.a = page_of (&q->p.a, at_a), .b = page_of (&q->p.b, at_b), .alpha = {1, 0}};
  gpumm_matrix here = *c;
  int64_t *const cols = p.b.op == GPUMM_NONE ? &p.b.cols : &p.b.rows;
  here.cols = *cols;
  here = page_of (&here, page);
  if (here.rows * here.cols > 100000) {
    const size_t bytes = gpumm_type_bytes (c->type);
    const int64_t from = check_between (0, *cols - SOME);
    const int64_t step = p.b.op == GPUMM_NONE ? p.b.ld : 1;
    p.b.values = (char *) p.b.values + (size_t) (from * step) * gpumm_type_bytes (p.b.type);
    here.values = (char *) here.values + (size_t) (from * here.ld) * bytes;
    *cols = here.cols = SOME;
  }
  return judge (&p, &here, EXACT, 0).wrong;
}

static int device = GPUMM_HOST;

/* An array of as many pages as x on the device, with the elements of x if there are any. */
static gpumm_matrix sent (const gpumm_matrix *x, int64_t pages) {
  gpumm_matrix all = *x, y;
  all.cols *= pages;
  all.op = GPUMM_NONE;
  y = all;
  const size_t bytes = (size_t) (all.rows * all.cols) * gpumm_type_bytes (x->type);
  gpumm_status status = gpumm_buffer_new (device, bytes + 16, &y.buffer);
  y.values = gpumm_buffer_address (y.buffer);
  if (!status && x->values)
    status = gpumm_copy (&all, &y);
  CHECK (!status, "%s", gpumm_last_error ());
  y.cols = x->cols;
  y.op = x->op;
  return y;
}

/* The same with all arrays on the device: c gets the elements of the result. */
static gpumm_status run_there (const problem *q, gpumm_matrix *c) {
  gpumm_pages there = q->p;
  gpumm_matrix empty = *c, back;
  empty.values = NULL;
  there.a = sent (&q->p.a, q->pages_a);
  there.b = sent (&q->p.b, q->pages_b);
  back = sent (&empty, 1);
  gpumm_status status = gpumm_pages_run (&there, NULL, &back);
  if (!status)
    status = gpumm_copy (&back, c);
  gpumm_buffer_release (there.a.buffer);
  gpumm_buffer_release (there.b.buffer);
  gpumm_buffer_release (back.buffer);
  return status;
}

/* Runs it, and compares the pages; of many every fifth or 37th, which meets all places of arrays
 * whose sizes are at most 4. */
static gpumm_status multiply_where (const problem *q, int is_there, int64_t *wrong) {
  gpumm_matrix c;
  gpumm_status status = gpumm_pages_result (&q->p, &c);
  if (status)
    return status;
  provide (&c, 0);
  status = is_there ? run_there (q, &c) : gpumm_pages_run (&q->p, q->options, &c);
  const int64_t n = q->p.b.op == GPUMM_NONE ? q->p.b.cols : q->p.b.rows;
  const int64_t pages = n > 0 ? c.cols / n : 0, step = pages > 200 ? 37 : pages > 12 ? 5 : 1;
  *wrong = 0;
  for (int64_t page = 0; page < pages && !status; page += step)
    *wrong += wrong_in_page (q, &c, page);
  release (&c);
  return status;
}

static gpumm_status multiply_pages (const problem *q, int64_t *wrong) {
  return multiply_where (q, 0, wrong);
}

/* ---- problems ----------------------------------------------------------------------------- */

/* An array of rows x cols matrices; pages of a complex one may be real. */
static gpumm_matrix make_pages (gpumm_type type, gpumm_op op, int64_t rows, int64_t cols,
                                int64_t pages) {
  gpumm_matrix x = {.type = type, .op = op};
  x.rows = x.ld = op == GPUMM_NONE ? rows : cols;
  x.cols = op == GPUMM_NONE ? cols : rows;
  const int64_t each = rows * cols;
  x.values = check_allocate (each * pages, gpumm_type_bytes (type));
  for (int64_t e = 0; e < each * pages; e++)
    draw (type, x.values, e, !is_integer (type) ? WHOLE : e % 3 ? HALF_RANGE : ANY);
  for (int64_t page = 0; page < pages && is_complex (type); page++)
    if (check_between (0, 2) == 0)
      for (int64_t e = page * each; e < (page + 1) * each; e++)
        put (type, x.values, e, creall (get (type, x.values, e)));
  return x;
}

/* m x k by k x n, with pages of these sizes; spread: which arrays have size 1 there, by bits (1: A,
 * 2: B) of each dimension. */
static void make_problem (problem *q, gpumm_type type_a, gpumm_type type_b, gpumm_op op_a,
                          gpumm_op op_b, int64_t m, int64_t n, int64_t k, int dims,
                          const int64_t *sizes, const int *spread) {
  *q = (problem){.pages_a = 1, .pages_b = 1};
  q->p.dims = dims;
  for (int d = 0; d < dims; d++) {
    q->sizes[d] = sizes[d];
    q->steps_a[d] = spread[d] & 1 ? 0 : q->pages_a;
    q->steps_b[d] = spread[d] & 2 ? 0 : q->pages_b;
    q->pages_a *= spread[d] & 1 ? 1 : sizes[d];
    q->pages_b *= spread[d] & 2 ? 1 : sizes[d];
  }
  q->p.sizes = q->sizes;
  q->p.steps_a = q->steps_a;
  q->p.steps_b = q->steps_b;
  q->p.a = make_pages (type_a, op_a, m, k, q->pages_a);
  q->p.b = make_pages (type_b, op_b, k, n, q->pages_b);
}

/* Square pages A B.' in one dimension. */
static void make_square (problem *q, gpumm_type a, gpumm_type b, int64_t side, int64_t pages) {
  make_problem (q, a, b, GPUMM_NONE, GPUMM_TRANSPOSE, side, side, side, 1, &pages,
                (const int[]){0});
}

static void release_problem (problem *q) {
  free (q->p.a.values);
  free (q->p.b.values);
}

static const char *const ways[] = {NULL, "auto", "blas", "loops"};

static void test_random (int cases) {
  static const int64_t sides[] = {0, 1, 2, 3, 7, 16, 33};
  for (int i = 0; i < cases; i++) {
    problem q;
    gpumm_type a = (gpumm_type) check_between (0, GPUMM_U64), b = a;
    if (!is_integer (a) && check_between (0, 1)) /* real by complex, in one precision */
      b = (gpumm_type) (a ^ 2);
    int64_t sizes[MOST_DIMS];
    int spread[MOST_DIMS];
    const int dims = (int) check_between (0, 3), whole = (int) check_between (0, 3);
    for (int d = 0; d < dims; d++) {
      sizes[d] = check_between (0, 15) ? check_between (1, 4) : 0;
      spread[d] = whole < 3 ? whole : (int) check_between (0, 3);
    }
    const gpumm_op op_a = (gpumm_op) check_between (0, 2), op_b = (gpumm_op) check_between (0, 2);
    const int64_t m = sides[check_between (0, 6)], n = sides[check_between (0, 6)],
                  k = sides[check_between (0, 6)];
    make_problem (&q, a, b, op_a, op_b, m, n, k, dims, sizes, spread);
    const gpumm_options options = {.device = -1,
                                   .backend = check_between (0, 1) ? GPUMM_CPU : GPUMM_AUTO,
                                   .algorithm =
                                       !is_integer (a) ? ways[check_between (0, 3)] : NULL};
    int64_t wrong;
    const int is_there = !is_integer (a) && a == b && check_between (0, 1);
    q.options = check_between (0, 2) ? &options : NULL;
    const gpumm_status status = multiply_where (&q, is_there, &wrong);
    CHECK (!status && wrong == 0,
           "case %d, %s by %s, ops %d %d, %lld x %lld x %lld, %d dims: %lld wrong, %s", i,
           gpumm_type_name (a), gpumm_type_name (b), op_a, op_b, (long long) m, (long long) k,
           (long long) n, dims, (long long) wrong, status ? gpumm_last_error () : "");
    release_problem (&q);
  }
}

/* Pages large enough for jobs, and so many small ones that all threads get some. */
static void test_sizes (void) {
  static const struct {
    gpumm_type a, b;
    int64_t side, pages;
  } cases[] = {{GPUMM_D, GPUMM_D, 520, 2},  {GPUMM_S, GPUMM_C, 420, 2},
               {GPUMM_Z, GPUMM_D, 65, 40},  {GPUMM_D, GPUMM_D, 80, 60},
               {GPUMM_Z, GPUMM_Z, 3, 3000}, {GPUMM_I16, GPUMM_I16, 4, 999}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    problem q;
    const int64_t side = cases[i].side;
    make_problem (&q, cases[i].a, cases[i].b, GPUMM_TRANSPOSE, GPUMM_CTRANSPOSE, side, side, side,
                  1, &cases[i].pages, (const int[]){0});
    int64_t wrong;
    const gpumm_status status = multiply_pages (&q, &wrong);
    CHECK (!status && wrong == 0, "%lld pages of %lld: %lld wrong, %s", (long long) cases[i].pages,
           (long long) side, (long long) wrong, status ? gpumm_last_error () : "");
    release_problem (&q);
  }
}

/* ---- real by complex ---------------------------------------------------------------------- */

/* Inf in a real array meets the parts of a complex one apart; complex arithmetic would give NaN. */
static void test_parts (const char *algorithm) {
  double a[] = {INFINITY, 2}, b[] = {1, -1, 1, 1}, c[4]; /* Inf, 2; 1 - i, 1 + i */
  const int64_t size = 2, step = 1;
  const gpumm_options options = {.device = -1, .algorithm = algorithm};
  gpumm_pages p = {.a = {.type = GPUMM_D, .rows = 1, .cols = 1, .ld = 1, .values = a},
                   .b = {.type = GPUMM_Z, .rows = 1, .cols = 1, .ld = 1, .values = b},
                   .dims = 1,
                   .sizes = &size,
                   .steps_a = &step,
                   .steps_b = &step};
  gpumm_matrix z;
  CHECK (!gpumm_pages_result (&p, &z), "%s", gpumm_last_error ());
  z.values = c;
  CHECK (!gpumm_pages_run (&p, &options, &z), "%s", gpumm_last_error ());
  CHECK (c[0] == INFINITY && c[1] == -INFINITY && c[2] == 2 && c[3] == 2, "%g %g %g %g", c[0], c[1],
         c[2], c[3]);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static gpumm_matrix shape;

static gpumm_status get_shape (const gpumm_pages *p) {
  return gpumm_pages_result (p, &shape);
}

#define BAD(change, status, text) REFUSED (gpumm_pages, good, change, get_shape, status, text)

/* Arrays on the device: both or none, the result too, and in their buffers. */
static void refuse_there (const gpumm_pages *good, gpumm_matrix *c, int64_t *size) {
  gpumm_pages p = *good;
  gpumm_matrix there = sent (c, 1);
  p.a = sent (&good->a, 2);
  refused (get_shape (&p), GPUMM_UNSUPPORTED, "both arrays");
  p.b = sent (&good->b, 2);
  CHECK (gpumm_pages_run (&p, NULL, c) == GPUMM_INVALID, "%s", gpumm_last_error ());
  CHECK (!gpumm_pages_run (&p, NULL, &there), "%s", gpumm_last_error ());
  *size = 100; /* more pages than there are in the buffers */
  there.cols = 200;
  refused (gpumm_pages_run (&p, NULL, &there), GPUMM_INVALID, "does not lie in its buffer");
  *size = 2;
  gpumm_buffer_release (p.a.buffer);
  gpumm_buffer_release (p.b.buffer);
  gpumm_buffer_release (there.buffer);
}

static void test_refusals (void) {
  double numbers[32] = {0};
  int64_t size = 2, step = 1, start[4] = {0};
  const gpumm_matrix a = {.type = GPUMM_D, .rows = 2, .cols = 3, .ld = 2, .values = numbers};
  const gpumm_matrix b = {.type = GPUMM_D, .rows = 3, .cols = 2, .ld = 3, .values = numbers};
  const gpumm_pages good = {
      .a = a, .b = b, .dims = 1, .sizes = &size, .steps_a = &step, .steps_b = &step};
  BAD (x.sizes = x.steps_a = NULL, GPUMM_INVALID, "");
  BAD (x.dims = -1, GPUMM_INVALID, "");
  BAD (x.b.rows = x.b.ld = 2, GPUMM_NONCONFORMANT, "op1 is 2x3, op2 is 2x2");
  BAD (x.b.type = GPUMM_S, GPUMM_UNSUPPORTED, "no product");
  BAD ((x.a.format = GPUMM_SPARSE, x.a.start = start), GPUMM_UNSUPPORTED, "must be full matrices");
  BAD (x.a.ld = 3, GPUMM_INVALID, "gaps");
  BAD (x.a.op = (gpumm_op) 3, GPUMM_INVALID, "unknown op");
  BAD (x.a.values = NULL, GPUMM_INVALID, "A has no values");
  BAD ((void) (size = -1), GPUMM_INVALID, "below 0");
  size = 2;
  BAD ((void) (step = -1), GPUMM_INVALID, "below 0");
  BAD ((void) (step = 0, size = INT64_MAX), GPUMM_HOST_MEMORY, "columns");
  BAD ((void) (size = INT64_MAX / 64), GPUMM_HOST_MEMORY, "too large");
  size = 2;
  step = 1;
  CHECK (gpumm_pages_result (NULL, &shape) == GPUMM_INVALID, "NULL");
  gpumm_pages p = good; /* of 0 rows and without values, ld as the BLAS wants it */
  p.a = b;
  p.a.op = GPUMM_TRANSPOSE;
  p.a.rows = p.b.rows = 0;
  p.a.ld = p.b.ld = 1;
  p.a.values = p.b.values = NULL;
  CHECK (!get_shape (&p) && shape.rows == 2 && shape.cols == 4, "%s", gpumm_last_error ());
  CHECK (!get_shape (&good) && shape.rows == 2 && shape.cols == 4, "%s", gpumm_last_error ());
  gpumm_matrix c = shape;
  CHECK (gpumm_pages_run (&good, NULL, NULL) == GPUMM_INVALID, "no result");
  CHECK (gpumm_pages_run (&good, NULL, &c) == GPUMM_INVALID, "no memory");
  c.values = numbers + 12;
  c.cols = 3;
  CHECK (gpumm_pages_run (&good, NULL, &c) == GPUMM_INVALID, "another size");
  c.cols = 4;
  refuse_there (&good, &c, &size);
  gpumm_options options = {.device = -1, .algorithm = "integers"};
  CHECK (gpumm_pages_run (&good, &options, &c) == GPUMM_UNSUPPORTED, "%s", gpumm_last_error ());
  options = (gpumm_options){.device = -2}; /* also of pages that threads share */
  refused (gpumm_pages_run (&good, &options, &c), GPUMM_INVALID, "devices count from 0");
  CHECK (!gpumm_pages_run (&good, NULL, &c), "%s", gpumm_last_error ());
}

/* ---- memory that fails -------------------------------------------------------------------- */

static gpumm_status run_again (void *context) {
  int64_t wrong = 0;
  const gpumm_status status = multiply_pages (context, &wrong);
  CHECK (status || wrong == 0, "%lld wrong", (long long) wrong);
  return status;
}

static void test_memory (void) {
  static const struct {
    gpumm_type a, b;
    const char *algorithm; /* NULL: in threads, by the BLAS without allocations */
  } cases[] = {{GPUMM_D, GPUMM_D, NULL},
               {GPUMM_D, GPUMM_Z, NULL},
               {GPUMM_Z, GPUMM_Z, "blas"},
               {GPUMM_I16, GPUMM_I16, NULL},
               {GPUMM_S, GPUMM_C, "blas"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpumm_options options = {.device = -1, .algorithm = cases[i].algorithm};
    problem q;
    make_square (&q, cases[i].a, cases[i].b, 5, 50);
    q.options = &options;
    /* one by one, pages take the same calls */
    fail_in_turn (&(faults){.name = gpumm_type_name (cases[i].a),
                            .inject = gpumm_fault_memory,
                            .run = run_again,
                            .context = &q,
                            .least = i > 0,
                            .step = cases[i].algorithm ? 7 : 1});
    release_problem (&q);
  }
}

/* ---- stopping ----------------------------------------------------------------------------- */

static volatile sig_atomic_t flag;

static void *press (void *delay) {
  usleep ((useconds_t) (1e6 * *(const double *) delay));
  __atomic_store_n (&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_cancel (gpumm_type a, gpumm_type b, int64_t side, int64_t pages) {
  problem q;
  int64_t wrong;
  int stopped = 0;
  make_square (&q, a, b, side, pages);
  gpumm_matrix c;
  CHECK (!gpumm_pages_result (&q.p, &c), "%s", gpumm_last_error ());
  provide (&c, 0);
  gpumm_reset (); /* what a GPU's rates take, which are measured at the first product */
  const int64_t live = gpumm_live_allocations ();
  for (int i = 0; i < 6; i++) {
    double delay = i == 5 ? 0 : 0.02 * (check_uniform () + 0.5);
    pthread_t thread;
    if (i == 5)
      flag = 1; /* not too late */
    pthread_create (&thread, NULL, press, &delay);
    const gpumm_status status = gpumm_pages_run (&q.p, NULL, &c);
    pthread_join (thread, NULL);
    flag = 0;
    stopped += status == GPUMM_CANCELLED;
    CHECK (!status || (status == GPUMM_CANCELLED && strstr (gpumm_last_error (), "cancelled")),
           "%s", gpumm_last_error ());
  }
  CHECK (stopped > 0, "none was stopped");
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "some memory leaked");
  if (side < 100)
    CHECK (!multiply_pages (&q, &wrong) && wrong == 0, "after it: %s", gpumm_last_error ());
  release (&c);
  release_problem (&q);
}

/* ---- progress ----------------------------------------------------------------------------- */

static double told, last;

static void tell (double done, double seconds_left) {
  (void) seconds_left;
  if (done >= 0)
    told = done > told ? done : told;
  last = done;
}

static void test_progress (gpumm_type type, int64_t side, int64_t pages, const char *algorithm) {
  problem q;
  const gpumm_options options = {.device = -1, .algorithm = algorithm};
  make_square (&q, type, type, side, pages);
  gpumm_matrix c;
  gpumm_pages_result (&q.p, &c);
  provide (&c, 0);
  gpumm_progress_set_delay (1e-6);
  gpumm_tell (tell);
  told = 0;
  CHECK (!gpumm_pages_run (&q.p, &options, &c), "%s", gpumm_last_error ());
  CHECK (told > 0.9 && told <= 1 && last == -1, "%s, %s: told %g, at last %g",
         gpumm_type_name (type), algorithm ? algorithm : "threads", told, last);
  gpumm_tell (NULL);
  gpumm_progress_set_delay (GPUMM_TELL_AFTER);
  release (&c);
  release_problem (&q);
}

/* ---- threads ------------------------------------------------------------------------------ */

static void *multiply_often (void *argument) {
  const problem *q = argument;
  int64_t wrong = 0, bad = 0;
  for (int i = 0; i < 5; i++)
    bad += multiply_pages (q, &wrong) != GPUMM_OK || wrong;
  return (void *) (intptr_t) bad;
}

/* The number of the BLAS's threads, or 0 if it is no OpenBLAS. */
static int blas_threads (void) {
  int (*count) (void) = NULL;
  void *library = dlopen ("libblas.so.3", RTLD_NOW); /* as the engine */
  void *found = library ? dlsym (library, "openblas_get_num_threads") : NULL;
  memcpy (&count, &found, sizeof found);
  return count ? count () : 0;
}

/* Products of pages in several threads at once. */
static void test_threads (void) {
  static const gpumm_type types[][2] = {
      {GPUMM_D, GPUMM_D}, {GPUMM_D, GPUMM_Z}, {GPUMM_I8, GPUMM_I8}};
  pthread_t threads[3];
  problem q[3];
  for (int i = 0; i < 3; i++)
    make_square (&q[i], types[i][0], types[i][1], 45, 40);
  for (int i = 0; i < 3; i++)
    pthread_create (&threads[i], NULL, multiply_often, &q[i]);
  for (int i = 0; i < 3; i++) {
    void *bad;
    pthread_join (threads[i], &bad);
    CHECK (!bad, "thread %d: %d of 5 were wrong", i, (int) (intptr_t) bad);
    release_problem (&q[i]);
  }
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261124);
  const int before = blas_threads ();
  device = argc > 3 ? atoi (argv[3]) : GPUMM_HOST;
  test_random (argc > 2 ? atoi (argv[2]) : 2000 / SANITIZED_STEP);
  test_sizes ();
  test_parts (NULL);
  test_parts ("blas");
  test_refusals ();
  test_memory ();
  gpumm_watch (&flag);
  test_cancel (GPUMM_D, GPUMM_D, 64, 1000);
  test_cancel (GPUMM_C, GPUMM_S, 48, 1000);
  test_cancel (GPUMM_I32, GPUMM_I32, 32, 500);
  test_cancel (GPUMM_D, GPUMM_D, 520, 4);
  gpumm_watch (NULL);
  test_progress (GPUMM_D, 40, 500, NULL);
  test_progress (GPUMM_D, 40, 500, "blas");
  test_progress (GPUMM_I16, 24, 500, NULL);
  test_threads ();
  CHECK (blas_threads () == before, "the BLAS has %d threads, and had %d", blas_threads (), before);
  printf ("the BLAS has %d threads\n", before);
  gpumm_reset (); /* compute-sanitizer counts what is kept as leaks */
  return check_done ();
}
