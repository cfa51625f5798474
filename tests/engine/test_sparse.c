/* test_sparse.c - sparse operands: many rows and few elements, arrays that are damaged or shared,
 * what falls back. Their products are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "host_device.h"
#include "memory/host.h"
#include "multiply/algorithm.h"
#include "multiply/sparse.h"
#include "operands.h"

#include <inttypes.h>

static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .algorithm = "sparse", .device = -1};
static const gpumm_options on_device = {.backend = GPUMM_CPU, .algorithm = "spgemm", .device = -1};
static const gpumm_options as_full = {
    .backend = GPUMM_CPU, .algorithm = "sparse_as_full", .device = -1};

static gpumm_status run (const gpumm_options *o, const gpumm_problem *p, gpumm_matrix *c) {
  return multiply (p, o, 0, c, NULL);
}

static gpumm_matrix make_sparse (gpumm_type type, int64_t rows, int64_t cols, int percent,
                                 values v) {
  return make_in_blocks (GPUMM_SPARSE, type, rows, cols, 1, 1, percent, v);
}

static const gpumm_type types[] = {GPUMM_D, GPUMM_Z, GPUMM_B};

/* x with `rows` rows, of which those at `place` are the rows of x. */
static gpumm_matrix stretched (const gpumm_matrix *x, const int64_t *place, int64_t rows) {
  gpumm_matrix y = *x;
  y.rows = rows;
  y.row = check_allocate (x->nzmax, sizeof *y.row);
  for (int64_t t = 0; t < x->nzmax; t++)
    y.row[t] = place[x->row[t]];
  return y;
}

static int is_stretched (const gpumm_matrix *c, const gpumm_matrix *small, const int64_t *place) {
  const int64_t entries = small->start[small->cols];
  int same =
      c->nzmax == small->nzmax && c->cols == small->cols
      && memcmp (c->start, small->start, (size_t) (c->cols + 1) * sizeof *c->start) == 0
      && memcmp (c->values, small->values, (size_t) entries * gpumm_type_bytes (c->type)) == 0;
  for (int64_t t = 0; same && t < entries; t++)
    same = c->row[t] == (place ? place[small->row[t]] : small->row[t]);
  return same;
}

typedef struct {
  const gpumm_problem *large;
  const gpumm_options *options;
  const gpumm_matrix *small; /* the product without the rows between */
  const int64_t *place;
} stretch;

static gpumm_status run_stretched (void *context) {
  const stretch *s = context;
  gpumm_matrix c;
  const gpumm_status status = run (s->options, s->large, &c);
  if (!status) {
    CHECK (is_stretched (&c, s->small, s->place), "another product");
    release (&c);
  }
  return status;
}

/* Rows between the rows of a product, for which there is no memory, change nothing: rows of A, or
 * with A transposed of A and B, which may be one matrix. Each allocation fails once. */
static void test_long_lines (int repeats) {
  enum { MOST = 40 };
  for (int n = 0; n < repeats; n++) {
    const int inner = n % 2, is_one = n % 6 == 5;
    const int64_t sizes[] = {check_between (0, MOST), check_between (0, MOST),
                             check_between (0, MOST)};
    gpumm_matrix a = make_sparse (types[n % 3], sizes[0], sizes[1], 20, WHOLE), b = a;
    if (!is_one)
      b = make_sparse (types[n / 3 % 3], inner ? sizes[0] : sizes[1], sizes[2], 20, WHOLE);
    a.op = !inner ? GPUMM_NONE : n % 4 == 1 ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE;
    int64_t place[MOST + 1], rows = 0;
    for (int64_t i = 0; i < sizes[0]; i++, rows++)
      rows = place[i] = rows + check_between (0, 1) * check_between (0, (int64_t) 1 << 50);
    rows += (int64_t) 1 << check_between (36, 61);
    gpumm_problem small = {.a = a, .b = b, .alpha = {2, 0}}, large = small;
    large.a = stretched (&a, place, rows);
    large.b = is_one ? large.a : inner ? stretched (&b, place, rows) : b;
    large.b.op = GPUMM_NONE;
    small.b.op = GPUMM_NONE;
    const gpumm_options *o = n / 2 % 2 ? &on_device : &on_cpu;
    gpumm_matrix right;
    CHECK (run (o, &small, &right) == GPUMM_OK, "%s", gpumm_last_error ());
    stretch s = {&large, o, &right, inner ? NULL : place};
    CHECK (!run_stretched (&s), "%" PRId64 " rows: %s", rows, gpumm_last_error ());
    if (n < 6)
      fail_in_turn (&(faults){.name = "long lines",
                              .inject = gpumm_fault_memory,
                              .run = run_stretched,
                              .context = &s,
                              .least = 1});
    free (large.a.row);
    if (inner && !is_one)
      free (large.b.row);
    release (&right);
    release (&a);
    if (!is_one)
      release (&b);
  }
}

/* Whatever is wrong with the arrays is found before they are followed. */
static void test_structure (void) {
  static const struct {
    int64_t column[4], row[4], nzmax;
    const char *says;
  } rows[] = {
      {{1, 2, 3, 4}, {0, 1, 2, 0}, 4, "the first column begins at 1"},
      {{0, 3, 2, 4}, {0, 1, 2, 0}, 4, "descend from 3 to 2"},
      {{0, 2, -1, 4}, {0, 1, 2, 0}, 4, "descend from 2 to -1"},
      {{0, 9, 9, 4}, {0, 1, 2, 0}, 4, "descend from 9 to 4"},
      {{0, 2, 3, 4}, {0, 1, 2, 0}, 3, "4 nonzeros, but the arrays hold 3"},
      {{0, 2, 3, 4}, {0, 1, 3, 0}, 4, "rows of column 2 do not ascend from 0 to at most 2"},
      {{0, 2, 3, 4}, {0, 1, -1, 0}, 4, "rows of column 2 do not ascend"},
      {{0, 2, 3, 4}, {0, INT64_MAX, 2, 0}, 4, "rows of column 1 do not ascend"},
      {{0, 2, 3, 4}, {INT64_MIN, 1, 2, 0}, 4, "rows of column 1 do not ascend"},
      {{0, 2, 3, 4}, {1, 0, 2, 0}, 4, "rows of column 1 do not ascend"},
      {{0, 2, 3, 4}, {1, 1, 2, 0}, 4, "rows of column 1 do not ascend"},
  };
  double values[4] = {1, 1, 1, 1};
  int64_t good_column[4] = {0, 1, 2, 3}, good_row[3] = {0, 1, 2};
  const gpumm_matrix good = {.format = GPUMM_SPARSE,
                             .type = GPUMM_D,
                             .rows = 3,
                             .cols = 3,
                             .nzmax = 3,
                             .start = good_column,
                             .row = good_row,
                             .values = values};
  double zeros[9] = {0};
  const gpumm_matrix full = {.type = GPUMM_D, .rows = 3, .cols = 3, .ld = 3, .values = zeros};
  const int64_t alive = gpumm_live_allocations ();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (int side = 0; side < 4; side++) {
      gpumm_matrix bad = good;
      bad.start = (int64_t *) rows[r].column;
      bad.row = (int64_t *) rows[r].row;
      bad.nzmax = rows[r].nzmax;
      const gpumm_matrix *other = side & 2 ? &full : &good;
      gpumm_problem p = {
          .a = side & 1 ? *other : bad, .b = side & 1 ? bad : *other, .alpha = {1, 0}};
      gpumm_job *job = NULL;
      const gpumm_options *named = r % 2 && !(side & 2) ? &as_full : NULL;
      CHECK (gpumm_open (&p, named, &job) == GPUMM_INVALID && !job, "row %zu side %d", r, side);
      CHECK (strstr (gpumm_last_error (), rows[r].says)
                 && strstr (gpumm_last_error (), side & 1 ? "B: " : "A: "),
             "row %zu: \"%s\"", r, gpumm_last_error ());
      /* alpha = 0: A and B are not read */
      gpumm_matrix c;
      p.alpha.re = 0;
      CHECK (run (&on_cpu, &p, &c) == GPUMM_OK, "%s", gpumm_last_error ());
      for (int e = 0; e < (side & 2 ? 9 : 0); e++)
        CHECK (((double *) c.values)[e] == 0, "element %d is %g", e, ((double *) c.values)[e]);
      CHECK (c.format == GPUMM_FULL || c.start[3] == 0, "not empty");
      CHECK (gpumm_open (&p, NULL, &job) == GPUMM_OK, "the plan: %s", gpumm_last_error ());
      gpumm_close (job);
      release (&c);
    }
  CHECK (gpumm_live_allocations () == alive, "leaked");
}

/* One wrong row index among many is found, and named, wherever it is; many columns are empty, and
 * they are looked at in several pieces. */
static void test_wrong_row (void) {
  enum { WRONG = 60 };
  const int64_t rows = 60, cols = 200000;
  gpumm_matrix s = make_sparse (GPUMM_D, rows, cols, 5, ANY);
  gpumm_matrix x = make_full (GPUMM_D, 1, rows, ANY), c;
  gpumm_problem p = {.a = x, .b = s, .alpha = {1, 0}};
  CHECK (run (&on_cpu, &p, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  release (&c);
  for (int n = 0; n < WRONG; n++) {
    int64_t j = check_between (0, cols - 1);
    while (s.start[j + 1] - s.start[j] < 2)
      j = (j + 1) % cols;
    const int last = n % 2; /* of its column, or the second one */
    const int64_t t = last ? s.start[j + 1] - 1 : s.start[j] + 1, right = s.row[t];
    s.row[t] = n % 3 == 0 ? s.row[t - 1] : n % 3 == 1 ? rows : -1;
    char says[64];
    snprintf (says, sizeof says, "the rows of column %" PRId64 " do not ascend", j + 1);
    gpumm_job *job = NULL;
    CHECK (gpumm_open (&p, NULL, &job) == GPUMM_INVALID && !job, "%s", says);
    CHECK (strstr (gpumm_last_error (), says), "%s: \"%s\"", says, gpumm_last_error ());
    s.row[t] = right;
  }
  CHECK (run (&on_cpu, &p, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  release (&c);
  release (&x);
  release (&s);
}

/* A result without elements has a column of offsets, in memory that need not be initialised, and
 * nothing else; none of a result's arrays is an operand's; beta is refused. */
static void test_results (void) {
  double values[] = {1, 2};
  int64_t row_a[] = {0}, row_b[] = {1, 1}, column_b[] = {0, 1, 2};
  gpumm_matrix a = {.format = GPUMM_SPARSE,
                    .type = GPUMM_D,
                    .rows = 1,
                    .cols = 2,
                    .nzmax = 1,
                    .start = (int64_t[]){0, 1, 1},
                    .row = row_a,
                    .values = values},
               b = a, c;
  b.rows = b.nzmax = 2;
  b.start = column_b;
  b.row = row_b;
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  for (int on = 0; on < 2; on++)
    for (int shared = 0; shared < 3; shared++) {
      int64_t column[3] = {7, 7, 7}, row[1] = {7};
      double value[1];
      gpumm_job *job = NULL;
      CHECK (gpumm_open (&p, on ? &on_device : NULL, &job) == GPUMM_OK
                 && gpumm_result (job, &c) == GPUMM_OK,
             "%s", gpumm_last_error ());
      CHECK (c.nzmax == 0, "%" PRId64 " nonzeros", c.nzmax);
      c.start = shared == 1 ? b.start : column;
      if (shared == 2) {
        c.nzmax = 1;
        c.row = b.row;
        c.values = value;
      }
      if (shared)
        CHECK (gpumm_run (job, &c) == GPUMM_INVALID
                   && strstr (gpumm_last_error (), "memory of an operand"),
               "%d: \"%s\"", shared, gpumm_last_error ());
      else
        CHECK (gpumm_run (job, &c) == GPUMM_OK && column[0] == 0 && column[1] == 0 && column[2] == 0
                   && row[0] == 7,
               "\"%s\"", gpumm_last_error ());
      gpumm_close (job);
    }
  gpumm_matrix c0 = make_full (GPUMM_D, 1, 2, ANY);
  gpumm_problem with_c0 = p;
  with_c0.beta.re = 1;
  with_c0.c0 = &c0;
  CHECK (run (&on_cpu, &with_c0, &c) == GPUMM_UNSUPPORTED, "beta");
  release (&c0);
}

/* A and B in one memory, but not of one size: rows that A has, B has not. */
static void test_shared_arrays (void) {
  static const gpumm_options *const ways[] = {&on_cpu, &on_device, &as_full};
  gpumm_matrix a = make_sparse (GPUMM_D, 40, 40, 100, WHOLE), b = a, c;
  a.rows = 70;
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  for (int on = 0; on < 3; on++) {
    CHECK (run (ways[on], &p, &c) == GPUMM_OK && c.rows == 70, "%s", gpumm_last_error ());
    release (&c);
    const int64_t last = a.start[40] - 1, before = a.row[last];
    a.row[last] = 60;
    CHECK (run (ways[on], &p, &c) == GPUMM_INVALID
               && strstr (gpumm_last_error (), "B: the rows of column 40 do not ascend"),
           "\"%s\"", gpumm_last_error ());
    a.row[last] = before;
  }
  release (&a);
}

/* Limits of device memory: too few bytes for a column or a piece, and more than there is, beside
 * memory that is kept. */
static void test_limits (void) {
  static const struct {
    const char *algorithm;
    gpumm_format b;
    int64_t most;
    gpumm_status status;
  } cases[] = {{"spmm", GPUMM_FULL, 100000, GPUMM_DEVICE_MEMORY},
               {"spmm", GPUMM_FULL, INT64_MAX, GPUMM_OK},
               {"spmm", GPUMM_FULL, INT64_MAX, GPUMM_OK},
               {"spgemm", GPUMM_SPARSE, 1 << 10, GPUMM_DEVICE_MEMORY}};
  gpumm_matrix a = make_sparse (GPUMM_D, 2000, 900, 10, WHOLE), c;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpumm_options o = {.backend = GPUMM_CPU,
                             .algorithm = cases[i].algorithm,
                             .device = -1,
                             .max_device_memory = cases[i].most};
    gpumm_problem p = {.a = a, .alpha = {1, 0}};
    p.b = make (&(operand){.format = cases[i].b,
                           .type = GPUMM_D,
                           .rows = 900,
                           .cols = 40,
                           .percent = 20,
                           .values = WHOLE});
    const gpumm_status status = run (&o, &p, &c);
    CHECK (status == cases[i].status
               && (!status || strstr (gpumm_last_error (), "MaxDeviceMemory")),
           "case %zu: %s", i, gpumm_last_error ());
    if (!status)
      release (&c);
    release (&p.b);
  }
  release (&a);
}

/* ---- another way -------------------------------------------------------------------------- */

static gpumm_job *new_job (const gpumm_problem *p) {
  gpumm_job *job = gpumm_allocate (1, sizeof *job);
  job->problem = *p;
  job->problem.output = p->a.type == GPUMM_Z || p->b.type == GPUMM_Z ? GPUMM_Z : GPUMM_D;
  job->options = (gpumm_options){.device = -1};
  job->shape = (gpumm_matrix){.format = gpumm_result_format (&job->problem),
                              .type = job->problem.output,
                              .rows = gpumm_m (p),
                              .cols = gpumm_n (p),
                              .ld = gpumm_m (p)};
  job->shape.nzmax = job->shape.rows * job->shape.cols;
  return job;
}

/* That "auto" has given to a GPU, for which the host device stands. */
static gpumm_job *job_on_gpu (const gpumm_problem *p) {
  const gpumm_options asked = {.backend = GPUMM_GPU, .device = -1};
  gpumm_candidate place = {.context = need_host_device ()};
  const gpumm_sparse_estimate estimate = gpumm_estimate_sparse (p);
  gpumm_candidates choices = {.gpu = &place, .why_no_gpu = "", .estimate = &estimate};
  gpumm_job *job = new_job (p);
  CHECK (!gpumm_context_properties (place.context, &place.properties), "%s", gpumm_last_error ());
  CHECK (!gpumm_make_plan (&job->problem, &asked, &choices, &job->plan)
             && job->plan.backend == GPUMM_GPU,
         "%s", gpumm_last_error ());
  return job;
}

static gpumm_job *job_as_full (const gpumm_problem *p) {
  gpumm_job *job = new_job (p);
  job->options.backend = GPUMM_CPU;
  job->plan = (gpumm_plan){.algorithm = &gpumm_algorithm_sparse_as_full, .backend = GPUMM_CPU};
  return job;
}

/* Runs such a job, of which each call fails in turn (inject NULL: none): it goes on another way,
 * its reason has this text, and the result is right. Returns how many jobs went another way. */
static int fall_back (gpumm_job *(*make_job) (const gpumm_problem *), const gpumm_problem *p,
                      int64_t (*inject) (int64_t), const char *text) {
  int fallen = 0;
  gpumm_reset ();
  const int64_t alive = gpumm_live_allocations ();
  for (int64_t n = 1, calls = 1; calls >= n - 1; n++) {
    gpumm_job *job = make_job (p);
    const gpumm_algorithm *algorithm = job->plan.algorithm;
    gpumm_matrix c = job->shape;
    provide (&c, 0);
    if (inject)
      inject (n);
    const gpumm_status status = gpumm_run (job, &c);
    calls = inject ? inject (0) : -1;
    CHECK (!status && judge (p, &c, EXACT, !inject).wrong == 0, "call %" PRId64 ": %s", n,
           status ? gpumm_last_error () : "wrong");
    const int is_other = job->plan.algorithm != algorithm;
    CHECK (!strstr (job->report.reason, text) == !is_other, "reason: %s", job->report.reason);
    CHECK (!is_other || strcmp (job->plan.algorithm->name, "sparse") == 0, "%s",
           job->plan.algorithm->name);
    fallen += is_other;
    gpumm_close (job);
    release (&c);
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == alive, "call %" PRId64 " leaked", n);
  }
  return fallen;
}

/* From a GPU to the CPU, whatever fails there, at whatever step; and from full matrices to sparse
 * ones, be it at the last step. */
static void test_fall_back (void) {
  for (int full = 0; full < 2; full++) {
    gpumm_problem p = {.a = make_sparse (GPUMM_D, 60, 50, 20, WHOLE), .alpha = {1, 0}};
    p.b = full ? make_full (GPUMM_Z, 50, 40, WHOLE) : make_sparse (GPUMM_Z, 50, 40, 20, WHOLE);
    CHECK (fall_back (job_on_gpu, &p, gpumm_fault_device, "as the GPU could not") >= 3
               && fall_back (job_on_gpu, &p, gpumm_fault_memory, "as the GPU could not") >= 3,
           "few fell back");
    if (!full) {
      CHECK (fall_back (job_as_full, &p, NULL, "not as full matrices") == 0
                 && fall_back (job_as_full, &p, gpumm_fault_memory, "not as full matrices") >= 5,
             "few fell back");
      ((double *) p.a.values)[7] = INFINITY;
      CHECK (fall_back (job_as_full, &p, NULL, "not as full matrices") == 1, "with Inf");
    }
    release (&p.a);
    release (&p.b);
  }
}

/* ---- as full matrices -------------------------------------------------------------------- */

/* Inf, NaN and what might become so in a sum would meet zeros that are not stored. */
static void test_refused_as_full (void) {
  static const double bad[] = {INFINITY, -INFINITY, NAN, 0x1.8p320, -0x1p1000};
  static const double good[] = {0, -0.0, 0x1p320, -0x1p320, 0x1p-1074};
  for (int is_complex = 0; is_complex < 2; is_complex++)
    for (size_t i = 0; i < 5; i++)
      for (int side = 0; side < 2; side++) {
        gpumm_matrix a = make_sparse (is_complex ? GPUMM_Z : GPUMM_D, 9, 8, 50, WHOLE);
        gpumm_matrix b = make_sparse (is_complex ? GPUMM_Z : GPUMM_D, 8, 9, 50, WHOLE), c;
        const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
        const gpumm_matrix *x = side ? &b : &a;
        const int64_t reals = x->start[x->cols] * (1 + is_complex);
        double *at = (double *) x->values + check_between (0, reals - 1);
        *at = bad[i];
        CHECK (run (&as_full, &p, &c) == GPUMM_UNSUPPORTED
                   && strstr (gpumm_last_error (), side ? "element of B" : "element of A"),
               "%g: \"%s\"", bad[i], gpumm_last_error ());
        *at = good[i];
        CHECK (run (&as_full, &p, &c) == GPUMM_OK, "%g: %s", good[i], gpumm_last_error ());
        for (int64_t t = 0; t < c.start[9] * (1 + is_complex); t++)
          CHECK (isfinite (((double *) c.values)[t]), "%g: not finite", good[i]);
        release (&c);
        release (&a);
        release (&b);
      }
  gpumm_matrix a = make_sparse (GPUMM_D, 9, 9, 50, WHOLE), c;
  static const double alphas[] = {NAN, INFINITY, 0x1.8p320};
  for (size_t i = 0; i < 3; i++) {
    const gpumm_problem p = {.a = a, .b = a, .alpha = {alphas[i], 0}};
    CHECK (run (&as_full, &p, &c) == GPUMM_UNSUPPORTED && strstr (gpumm_last_error (), "alpha"),
           "alpha %g", alphas[i]);
  }
  release (&a);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  need_host_device ();
  test_long_lines (60);
  test_structure ();
  test_wrong_row ();
  test_results ();
  test_shared_arrays ();
  test_limits ();
  test_fall_back ();
  test_refused_as_full ();
  return released_and_done ();
}
