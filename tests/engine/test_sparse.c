/* test_sparse.c - sparse products against sums in long double formed by the test from triplets.
 *
 * The oracle knows a matrix as a list of (row, column, value), with op () applied by swapping; a
 * dense operand is a list of all its elements. Each element of a result is within
 * terms eps |A||B| of the oracle's, and the pattern is exactly that of the nonzero sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "check.h"
#include "host_device.h"
#include "memory/host.h"
#include "types.h"
#include "gpumm.h"

#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef long double complex number;

typedef struct {
  int64_t row;
  number value;
} triplet;

/* A matrix as a list, sorted by columns; first[j] is where column j begins. */
typedef struct {
  triplet *list;
  int64_t *first, cols;
  int is_complex;
} triplets;

/* Whole numbers make every product exact, and sums that cancel; SPECIAL has Inf, NaN and zeros. */
enum { REAL_NUMBERS, WHOLE_NUMBERS, SPECIAL, MODES };

static double random_value (int mode) {
  static const double special[] = {INFINITY, -INFINITY, NAN, 0, 1, -2, 1};
  switch (mode) {
  case REAL_NUMBERS:
    return check_uniform ();
  case WHOLE_NUMBERS:
    return (double) (check_between (1, 2) * (check_between (0, 1) ? 1 : -1));
  default:
    return special[check_between (0, 6)];
  }
}

static void set (gpumm_matrix *x, int64_t at, int mode) {
  if (x->type == GPUMM_B)
    ((unsigned char *) x->values)[at] = 1;
  else if (x->type == GPUMM_D)
    ((double *) x->values)[at] = random_value (mode);
  else
    ((double complex *) x->values)[at] = CMPLX (random_value (mode), random_value (mode));
}

static number get (const gpumm_matrix *x, int64_t at) {
  if (x->type == GPUMM_B)
    return ((unsigned char *) x->values)[at];
  if (x->type == GPUMM_D)
    return ((double *) x->values)[at];
  const double complex z = ((double complex *) x->values)[at];
  return CMPLXL (creal (z), cimag (z));
}

/* percent: of elements stored. In half of the sparse matrices half of the columns repeat the rows
 * of the one before. */
static gpumm_matrix make (gpumm_format kind, gpumm_type type, int64_t rows, int64_t cols,
                          int percent, int mode) {
  gpumm_matrix x = {.format = kind, .type = type, .rows = rows, .cols = cols, .ld = rows};
  if (kind == GPUMM_DENSE) {
    x.ld = rows + check_between (0, 2);
    x.values = check_allocate (x.ld * cols, gpumm_type_bytes (type));
    for (int64_t e = 0; e < x.ld * cols; e++)
      set (&x, e, mode);
    return x;
  }
  x.start = check_allocate (cols + 1, sizeof *x.start);
  x.nzmax = 0;
  int64_t room = 0;
  int may_repeat = (int) check_between (0, 1);
  for (int64_t j = 0; j < cols; j++) {
    int repeats = may_repeat && j > 0 && check_between (0, 1);
    int64_t next = repeats ? x.start[j - 1] : 0, end = x.start[j];
    for (int64_t i = 0; i < rows; i++)
      if (repeats ? next < end && x.row[next] == i : check_between (0, 9999) < 100 * percent) {
        next++;
        if (x.nzmax == room) {
          room = 2 * room + 8;
          x.row = realloc (x.row, (size_t) room * sizeof *x.row);
        }
        x.row[x.nzmax++] = i;
      }
    x.start[j + 1] = x.nzmax;
  }
  x.values = check_allocate (x.nzmax, gpumm_type_bytes (type));
  for (int64_t e = 0; e < x.nzmax; e++)
    set (&x, e, mode);
  return x;
}

static void release (gpumm_matrix *x) {
  free (x->values);
  if (x->format == GPUMM_SPARSE) {
    free (x->start);
    free (x->row);
  }
}

/* ---- the oracle --------------------------------------------------------------------------- */

/* By columns of op(X): counted, then put in their places. */
static triplets list_of (const gpumm_matrix *x, gpumm_op op) {
  const int64_t count = x->format == GPUMM_SPARSE ? x->start[x->cols] : x->rows * x->cols;
  triplets t = {.list = check_allocate (count, sizeof (triplet)),
                .cols = op == GPUMM_NONE ? x->cols : x->rows,
                .is_complex = x->type == GPUMM_Z};
  t.first = check_allocate (t.cols + 1, sizeof *t.first);
  int64_t *next = check_allocate (t.cols + 1, sizeof *next);
  for (int places = 0; places < 2; places++) {
    for (int64_t j = 0; j < x->cols; j++) {
      const int64_t begin = x->format == GPUMM_SPARSE ? x->start[j] : j * x->ld;
      const int64_t end = x->format == GPUMM_SPARSE ? x->start[j + 1] : j * x->ld + x->rows;
      for (int64_t e = begin; e < end; e++) {
        const int64_t i = x->format == GPUMM_SPARSE ? x->row[e] : e - begin;
        const int64_t row = op == GPUMM_NONE ? i : j, col = op == GPUMM_NONE ? j : i;
        if (places) {
          const number value = get (x, e);
          t.list[next[col]++] = (triplet){row, op == GPUMM_CTRANSPOSE ? conjl (value) : value};
        } else
          t.first[col + 1]++;
      }
    }
    for (int64_t j = 0; j < t.cols && !places; j++)
      t.first[j + 1] += t.first[j];
    memcpy (next, t.first, (size_t) (t.cols + 1) * sizeof *next);
  }
  free (next);
  return t;
}

/* One column of op(A) op(B): the sums, the sums of sizes, and how many products met in each. */
typedef struct {
  number *sum;
  long double *size;
  int64_t *terms;
} column;

static number times (number a, int a_is_complex, number b, int b_is_complex) {
  if (a_is_complex && b_is_complex)
    return a * b;
  if (a_is_complex)
    return CMPLXL (creall (a) * creall (b), cimagl (a) * creall (b));
  return b_is_complex ? CMPLXL (creall (a) * creall (b), creall (a) * cimagl (b))
                      : CMPLXL (creall (a) * creall (b), 0);
}

/* |re| + |im|: within sqrt (2) of the absolute value, and far quicker */
static long double size_of (number x) {
  return fabsl (creall (x)) + fabsl (cimagl (x));
}

static void sum_column (const triplets *a, const triplets *b, int64_t j, int64_t rows, column *c) {
  for (int64_t i = 0; i < rows; i++) {
    c->sum[i] = 0;
    c->size[i] = 0;
    c->terms[i] = 0;
  }
  for (int64_t t = b->first[j]; t < b->first[j + 1]; t++) {
    const int64_t p = b->list[t].row;
    for (int64_t s = a->first[p]; s < a->first[p + 1]; s++) {
      const int64_t i = a->list[s].row;
      c->sum[i] += times (a->list[s].value, a->is_complex, b->list[t].value, b->is_complex);
      c->size[i] += size_of (a->list[s].value) * size_of (b->list[t].value);
      c->terms[i]++;
    }
  }
}

static int alike (long double x, long double y) {
  return isnan (x) ? isnan (y) : isinf (x) || isinf (y) ? x == y : fabsl (x - y) <= 1e-9L;
}

static number result_at (const gpumm_matrix *c, int64_t at) {
  return c->type == GPUMM_Z ? CMPLXL (creal (((double complex *) c->values)[at]),
                                      cimag (((double complex *) c->values)[at]))
                            : CMPLXL (((double *) c->values)[at], 0);
}

/* ---- one product -------------------------------------------------------------------------- */

typedef struct {
  gpumm_format kind_a, kind_b;
  gpumm_type type_a, type_b;
  int64_t m, n, k;
  gpumm_op op_a, op_b;
  int percent_a, percent_b, mode;
  gpumm_scalar alpha, beta;
} test_case;

static int is_zero (gpumm_scalar s) {
  return s.re == 0 && s.im == 0;
}

/* How products are made: NULL by "sparse", or by another algorithm, on the host device if it has
 * kernels. */
static const gpumm_options *options;
static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .algorithm = "sparse", .device = -1},
                           on_device = {.backend = GPUMM_CPU, .algorithm = "spmm", .device = -1},
                           in_small_pieces = {.backend = GPUMM_CPU,
                                              .algorithm = "spmm",
                                              .device = -1,
                                              .max_device_memory = 64 << 20};
static const gpumm_options sparse_on_device = {
    .backend = GPUMM_CPU, .algorithm = "spgemm", .device = -1};
static const gpumm_options as_dense = {
    .backend = GPUMM_CPU, .algorithm = "sparse_as_dense", .device = -1};

/* Opens and runs; c gets memory of its own, filled with NaN, and nothing of it is uninitialised. */
static gpumm_status multiply (const gpumm_problem *p, int64_t spare_rows, gpumm_matrix *c) {
  gpumm_job *job = NULL;
  *c = (gpumm_matrix){0};
  gpumm_status status = gpumm_open (p, options ? options : &on_cpu, &job);
  if (!status) {
    gpumm_result (job, c);
    const size_t bytes = gpumm_type_bytes (c->type);
    if (c->format == GPUMM_SPARSE) {
      c->start = check_allocate (c->cols + 1, sizeof *c->start);
      c->row = check_allocate (c->nzmax, sizeof *c->row);
      c->values = check_allocate (c->nzmax, bytes);
    } else {
      c->ld += spare_rows;
      c->values = check_allocate (c->ld * c->cols, bytes);
      memset (c->values, 0xff, (size_t) (c->ld * c->cols) * bytes);
    }
    status = gpumm_run (job, c);
    if (!status) {
      const gpumm_report *r = gpumm_job_report (job);
      const char *algorithm = options ? options->algorithm : "sparse";
      const int full = options && strcmp (options->algorithm, "spmm") == 0;
      const char *kernel = full                          ? "spmm"
                           : options                     ? "spgemm_merge"
                           : c->format == GPUMM_SPARSE   ? "gustavson"
                           : p->a.format == GPUMM_SPARSE ? "sparse_dense"
                                                         : "dense_sparse";
      if (options
          && (is_zero (p->alpha) || (full && (c->rows == 0 || c->cols == 0)))) /* none runs */
        kernel = r->kernel;
      if (options && strcmp (options->algorithm, "sparse_as_dense") == 0) /* of BLAS */
        kernel = is_zero (p->alpha) || c->rows == 0 || c->cols == 0 ? ""
                 : gpumm_k (p) == 0                                 ? "scale"
                 : p->a.type == GPUMM_Z && p->b.type == GPUMM_Z     ? "z"
                                                                    : r->kernel;
      /* what is filled to the last may be in blocks: test_natural.c */
      CHECK (strcmp (r->algorithm, algorithm) == 0
                 && strncmp (r->kernel, kernel, strlen (kernel)) == 0,
             "%s, %s", r->algorithm, r->kernel);
    } else
      release (c);
  }
  gpumm_close (job);
  return status;
}

/* How many elements of column j of c differ from the oracle's column o. */
static int64_t wrong_in_column (const test_case *t, const gpumm_matrix *c, const gpumm_matrix *c0,
                                int64_t j, const column *o) {
  int64_t wrong = 0, next = c->format == GPUMM_SPARSE ? c->start[j] : 0;
  const number alpha = CMPLXL (t->alpha.re, t->alpha.im), beta = CMPLXL (t->beta.re, t->beta.im);
  for (int64_t i = 0; i < c->rows; i++) {
    if (c->format == GPUMM_SPARSE && o->terms[i] == 0
        && !(next < c->start[j + 1] && c->row[next] == i))
      continue; /* neither expected nor there */
    number expected = o->sum[i], got = 0;
    long double size = o->size[i];
    if (t->mode != SPECIAL) { /* whose alpha is 1 and whose beta is 0 */
      expected *= alpha;
      size *= size_of (alpha);
      if (!is_zero (t->beta)) {
        const number old = result_at (c0, i + j * c0->ld);
        expected += beta * old;
        size += size_of (beta) * size_of (old);
      }
    }
    int stored = 1;
    if (c->format == GPUMM_SPARSE) {
      stored = next < c->start[j + 1] && c->row[next] == i;
      if (stored)
        got = result_at (c, next++);
    } else
      got = result_at (c, i + j * c->ld);
    int right;
    if (t->mode == SPECIAL) {
      right = alike (creall (expected), creall (got)) && alike (cimagl (expected), cimagl (got));
      /* on a device, complex by complex with Inf or NaN: only that it is not finite */
      if (options && t->type_a == GPUMM_Z && t->type_b == GPUMM_Z && !isfinite (size_of (expected)))
        right = !isfinite (size_of (got));
    } else if (t->mode == WHOLE_NUMBERS)
      right = got == expected;
    else
      right = size_of (got - expected) <= (long double) (o->terms[i] + 4) * 2 * DBL_EPSILON * size;
    if (c->format == GPUMM_SPARSE && t->mode != SPECIAL)
      right = right && stored == (expected != 0);
    if (c->format == GPUMM_SPARSE && stored)
      right = right && got != 0;
    wrong += !right;
  }
  /* elements left over were not in order, or twice, or of no row of C */
  return c->format == GPUMM_SPARSE ? wrong + c->start[j + 1] - next : wrong;
}

static void one (const test_case *t) {
  gpumm_problem p = {.alpha = t->alpha, .beta = t->beta};
  const int plain_a = t->op_a == GPUMM_NONE, plain_b = t->op_b == GPUMM_NONE;
  p.a = make (t->kind_a, t->type_a, plain_a ? t->m : t->k, plain_a ? t->k : t->m, t->percent_a,
              t->mode);
  p.b = make (t->kind_b, t->type_b, plain_b ? t->k : t->n, plain_b ? t->n : t->k, t->percent_b,
              t->mode);
  p.a.op = t->op_a;
  p.b.op = t->op_b;
  const gpumm_type type = t->type_a == GPUMM_Z || t->type_b == GPUMM_Z ? GPUMM_Z : GPUMM_D;
  const int sparse = t->kind_a == GPUMM_SPARSE && t->kind_b == GPUMM_SPARSE;
  gpumm_matrix c0 = make (GPUMM_DENSE, type, t->m, t->n, 100, WHOLE_NUMBERS), c;
  if (is_zero (t->beta)) /* not read */
    memset (c0.values, 0xff, (size_t) (c0.ld * c0.cols) * gpumm_type_bytes (type));
  if (!sparse && (!is_zero (t->beta) || check_between (0, 1)))
    p.c0 = &c0;
  const int64_t spare = check_between (0, 2);
  const gpumm_status status = multiply (&p, spare, &c);
  CHECK (status == GPUMM_OK, "%s", gpumm_last_error ());
  if (!status) {
    triplets a = list_of (&p.a, t->op_a), b = list_of (&p.b, t->op_b);
    column o = {check_allocate (t->m, sizeof *o.sum), check_allocate (t->m, sizeof *o.size),
                check_allocate (t->m, sizeof *o.terms)};
    int64_t wrong = 0, pattern = 0;
    for (int64_t j = 0; j < t->n; j++) {
      sum_column (&a, &b, j, t->m, &o);
      wrong += wrong_in_column (t, &c, &c0, j, &o);
      for (int64_t i = 0; i < t->m; i++)
        pattern += o.terms[i] > 0;
      for (int64_t i = t->m; c.format == GPUMM_DENSE && i < c.ld; i++) /* is not written */
        wrong += !isnan (creall (result_at (&c, i + j * c.ld)));
    }
    CHECK (c.type == type && c.rows == t->m && c.cols == t->n, "shape");
    if (sparse) {
      CHECK (c.start[0] == 0, "the first column pointer is %" PRId64, c.start[0]);
      const int64_t most = options == &as_dense ? t->m * t->n : pattern;
      CHECK (c.nzmax == (is_zero (t->alpha) ? 0 : most), "nzmax %" PRId64 ", not %" PRId64, c.nzmax,
             most);
    }
    CHECK (
        wrong == 0,
        "%s %s by %s %s, %" PRId64 " x %" PRId64 " x %" PRId64
        ", ops %d %d, filled %d%% %d%%, mode %d, alpha %g + %gi, beta %g + %gi: %" PRId64 " wrong",
        t->kind_a ? "sparse" : "dense", gpumm_type_name (t->type_a), t->kind_b ? "sparse" : "dense",
        gpumm_type_name (t->type_b), t->m, t->n, t->k, t->op_a, t->op_b, t->percent_a, t->percent_b,
        t->mode, t->alpha.re, t->alpha.im, t->beta.re, t->beta.im, wrong);
    free (a.list);
    free (a.first);
    free (b.list);
    free (b.first);
    free (o.sum);
    free (o.size);
    free (o.terms);
    release (&c);
  }
  release (&p.a);
  release (&p.b);
  release (&c0);
}

/* ---- tests -------------------------------------------------------------------------------- */

static gpumm_scalar random_scalar (int is_complex) {
  static const double values[] = {0, 1, 1, -1, 2, -3};
  return (gpumm_scalar){values[check_between (0, 5)],
                        is_complex && check_between (0, 2) == 0 ? 2 : 0};
}

static const gpumm_type types[] = {GPUMM_D, GPUMM_Z, GPUMM_B};

/* Every pair of kinds and types with every pair of ops, at random sizes and fillings. */
static void test_pairs (int repeats) {
  static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 63, 64, 65, 130};
  static const int percents[] = {0, 1, 5, 20, 50, 100};
  for (int kinds = 1; kinds < 4; kinds++)
    for (int pair = 0; pair < 9; pair++)
      for (int ops = 0; ops < 9; ops++)
        for (int repeat = 0; repeat < repeats; repeat++) {
          test_case t = {.kind_a = kinds & 1 ? GPUMM_SPARSE : GPUMM_DENSE,
                         .kind_b = kinds & 2 ? GPUMM_SPARSE : GPUMM_DENSE,
                         .type_a = types[pair / 3],
                         .type_b = types[pair % 3],
                         .m = sizes[check_between (0, 15)],
                         .n = sizes[check_between (0, 15)],
                         .k = sizes[check_between (0, 15)],
                         .op_a = ops / 3,
                         .op_b = ops % 3,
                         .percent_a = percents[check_between (0, 5)],
                         .percent_b = percents[check_between (0, 5)],
                         .mode = (int) check_between (0, MODES - 1),
                         .alpha = {1, 0}};
          if ((t.kind_a == GPUMM_DENSE && t.type_a == GPUMM_B)
              || (t.kind_b == GPUMM_DENSE && t.type_b == GPUMM_B))
            continue; /* logical matrices are sparse here */
          const int is_complex = t.type_a == GPUMM_Z || t.type_b == GPUMM_Z;
          if (t.mode != SPECIAL) {
            t.alpha = random_scalar (is_complex);
            if (kinds != 3)
              t.beta = random_scalar (is_complex);
          }
          one (&t);
          options = kinds == 3 ? &sparse_on_device : &on_device;
          one (&t);
          if (kinds == 3 && t.mode != SPECIAL) {
            options = &as_dense;
            one (&t);
          }
          options = NULL;
        }
}

/* Enough work for several threads and pieces; columns thin and full, tall and wide: every step-th. */
static void test_large (int step) {
  static const struct {
    int64_t m, n, k;
    int percent_a, percent_b;
  } shapes[] = {{2000, 1500, 2000, 1, 1},
                {200, 150, 180, 40, 30},
                {20000, 20, 30, 2, 20},
                /* thin columns that meet, repeat each other and cancel */
                {4000, 400, 30, 1, 10},
                /* a vector by a matrix */
                {40000, 1, 30, 50, 100},
                {1, 40000, 30, 100, 50},
                /* on a device in pieces, each with its columns of B */
                {400, 4000, 100, 8, 20}};
  int cases = 0;
  for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
    for (int kinds = 1; kinds < 4; kinds++)
      for (int complexes = 0; complexes < 2; complexes++) {
        if (++cases % step)
          continue;
        test_case t = {.kind_a = kinds & 1 ? GPUMM_SPARSE : GPUMM_DENSE,
                       .kind_b = kinds & 2 ? GPUMM_SPARSE : GPUMM_DENSE,
                       .type_a = complexes ? GPUMM_Z : GPUMM_D,
                       .type_b = GPUMM_D,
                       .m = shapes[shape].m,
                       .n = shapes[shape].n,
                       .k = shapes[shape].k,
                       .op_a = check_between (0, 2),
                       .op_b = check_between (0, 2),
                       .percent_a = shapes[shape].percent_a,
                       .percent_b = shapes[shape].percent_b,
                       /* whole numbers cancel: pieces shrink and have to be closed up */
                       .mode = complexes ? REAL_NUMBERS : WHOLE_NUMBERS,
                       .alpha = {1, 0}};
        const int is_last = shape + 1 == sizeof shapes / sizeof *shapes;
        if (kinds != 3 && (shape == 0 || is_last)) /* the oracle would take seconds */
          t.n = t.m = 300;
        one (&t);
        if (kinds != 3 || is_last) { /* several panels */
          options = kinds == 3 ? &sparse_on_device : &in_small_pieces;
          one (&t);
          options = NULL;
        }
      }
}

/* A hundred million rows and a few elements: time and memory follow the elements. */
static void test_few_in_many (void) {
  enum { MANY = 100000000 };
  int64_t a_column[4] = {0, 2, 2, 4}, a_row[4] = {5, MANY - 1, 0, 5};
  double a_values[4] = {1, 2, 3, -1}, b_values[3] = {10, 20, 10};
  int64_t b_column[3] = {0, 2, 3}, b_row[3] = {0, 2, 0};
  gpumm_matrix a = {.format = GPUMM_SPARSE,
                    .type = GPUMM_D,
                    .rows = MANY,
                    .cols = 3,
                    .nzmax = 4,
                    .start = a_column,
                    .row = a_row,
                    .values = a_values};
  gpumm_matrix b = {.format = GPUMM_SPARSE,
                    .type = GPUMM_D,
                    .rows = 3,
                    .cols = 2,
                    .nzmax = 3,
                    .start = b_column,
                    .row = b_row,
                    .values = b_values};
  gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  gpumm_matrix c;
  CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  CHECK (c.nzmax == 5 && c.start[1] == 3 && c.start[2] == 5, "%" PRId64 " in column 0", c.start[1]);
  CHECK (c.row[0] == 0 && c.row[1] == 5 && c.row[2] == MANY - 1 && c.row[4] == MANY - 1, "rows");
  const double *v = c.values;
  CHECK (v[0] == 60 && v[1] == -10 && v[2] == 20 && v[3] == 10 && v[4] == 20, "values");
  release (&c);
  for (int shift = 40; shift < 63; shift++) { /* more rows than there is memory for marks of */
    p.a.rows = (int64_t) 1 << shift;
    a_row[1] = p.a.rows - 1;
    CHECK (multiply (&p, 0, &c) == GPUMM_OK && c.row[2] == a_row[1] && c.row[4] == a_row[1],
           "2^%d rows: %s", shift, gpumm_last_error ());
    release (&c);
    p.a.op = GPUMM_TRANSPOSE; /* as columns of op (A) they do not fit B */
    CHECK (multiply (&p, 0, &c) == GPUMM_NONCONFORMANT, "2^%d rows: %s", shift,
           gpumm_last_error ());
    p.a.op = GPUMM_NONE;
  }
}

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

/* Rows between the rows of a product, for which there is no memory, change nothing: rows of A, or with
 * A transposed of A and B, which may be one matrix. Each allocation fails once. */
static void test_long_lines (int repeats) {
  enum { MOST = 40 };
  for (int n = 0; n < repeats; n++) {
    const int inner = n % 2, is_one = n % 6 == 5;
    const int64_t sizes[] = {check_between (0, MOST), check_between (0, MOST),
                             check_between (0, MOST)};
    gpumm_matrix a = make (GPUMM_SPARSE, types[n % 3], sizes[0], sizes[1], 20, WHOLE_NUMBERS),
                 b = a;
    if (!is_one)
      b = make (GPUMM_SPARSE, types[n / 3 % 3], inner ? sizes[0] : sizes[1], sizes[2], 20,
                WHOLE_NUMBERS);
    a.op = !inner ? GPUMM_NONE : n % 4 == 1 ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE;
    int64_t place[MOST + 1], rows = 0;
    for (int64_t i = 0; i < sizes[0]; i++, rows++)
      rows = place[i] = rows + check_between (0, 1) * check_between (0, (int64_t) 1 << 50);
    rows += (int64_t) 1 << check_between (36, 58);
    gpumm_problem small = {.a = a, .b = b, .alpha = {2, 0}}, large = small;
    large.a = stretched (&a, place, rows);
    large.b = is_one ? large.a : inner ? stretched (&b, place, rows) : b;
    large.b.op = GPUMM_NONE;
    small.b.op = GPUMM_NONE;
    options = n / 2 % 2 ? &sparse_on_device : NULL;
    gpumm_matrix c, right;
    CHECK (multiply (&small, 0, &right) == GPUMM_OK, "%s", gpumm_last_error ());
    const int64_t alive = gpumm_live_allocations ();
    int fault = 1;
    gpumm_status status;
    do {
      gpumm_fault_memory (n < 6 ? fault++ : 0);
      status = multiply (&large, 0, &c);
      gpumm_fault_memory (0);
      CHECK (gpumm_live_allocations () == alive, "allocation %d leaked", fault);
    } while (n < 6 && status == GPUMM_HOST_MEMORY && fault < 200);
    CHECK (status == GPUMM_OK && is_stretched (&c, &right, inner ? NULL : place),
           "%" PRId64 " rows: %s", rows, status ? gpumm_last_error () : "another product");
    if (!status)
      release (&c);
    free (large.a.row);
    if (inner && !is_one)
      free (large.b.row);
    release (&right);
    release (&a);
    if (!is_one)
      release (&b);
  }
  options = NULL;
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
  double full[9] = {0};
  const gpumm_matrix dense = {.type = GPUMM_D, .rows = 3, .cols = 3, .ld = 3, .values = full};
  const int64_t alive = gpumm_live_allocations ();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (int side = 0; side < 4; side++) {
      gpumm_matrix bad = good;
      bad.start = (int64_t *) rows[r].column;
      bad.row = (int64_t *) rows[r].row;
      bad.nzmax = rows[r].nzmax;
      const gpumm_matrix *other = side & 2 ? &dense : &good;
      gpumm_problem p = {
          .a = side & 1 ? *other : bad, .b = side & 1 ? bad : *other, .alpha = {1, 0}};
      gpumm_job *job = NULL;
      const gpumm_options *named = r % 2 && !(side & 2) ? &as_dense : NULL;
      CHECK (gpumm_open (&p, named, &job) == GPUMM_INVALID && !job, "row %zu side %d", r, side);
      CHECK (strstr (gpumm_last_error (), rows[r].says)
                 && strstr (gpumm_last_error (), side & 1 ? "B: " : "A: "),
             "row %zu: \"%s\"", r, gpumm_last_error ());
      /* alpha = 0: A and B are not read */
      gpumm_matrix c;
      p.alpha.re = 0;
      CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
      for (int e = 0; e < (side & 2 ? 9 : 0); e++)
        CHECK (((double *) c.values)[e] == 0, "element %d is %g", e, ((double *) c.values)[e]);
      CHECK (c.format == GPUMM_DENSE || c.start[3] == 0, "not empty");
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
  gpumm_matrix s = make (GPUMM_SPARSE, GPUMM_D, rows, cols, 5, REAL_NUMBERS);
  gpumm_matrix x = make (GPUMM_DENSE, GPUMM_D, 1, rows, 100, REAL_NUMBERS), c;
  gpumm_problem p = {.a = x, .b = s, .alpha = {1, 0}};
  CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
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
  CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  release (&c);
  release (&x);
  release (&s);
}

/* Beta with a sparse result is refused. */
static void test_refusals (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 3, 3, 50, REAL_NUMBERS);
  gpumm_matrix c0 = make (GPUMM_DENSE, GPUMM_D, 3, 3, 100, REAL_NUMBERS);
  gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}, .beta = {1, 0}, .c0 = &c0};
  gpumm_job *job = NULL;
  CHECK (gpumm_open (&p, NULL, &job) == GPUMM_UNSUPPORTED && !job, "beta");
  release (&a);
  release (&c0);
}

/* A result without elements has a column of offsets, in memory that need not be initialised, and
 * nothing else; none of a result's arrays is an operand's. */
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
      CHECK (gpumm_open (&p, on ? &sparse_on_device : NULL, &job) == GPUMM_OK
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
}

/* A and B in one memory, but not of one size: rows that A has, B has not. */
static void test_shared_arrays (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 40, 40, 20, WHOLE_NUMBERS), b = a, c;
  a.rows = 70;
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  for (int on = 0; on < 3; on++) {
    options = on == 2 ? &as_dense : on ? &sparse_on_device : NULL;
    CHECK (multiply (&p, 0, &c) == GPUMM_OK && c.rows == 70, "%s", gpumm_last_error ());
    release (&c);
    const int64_t last = a.start[40] - 1, before = a.row[last];
    a.row[last] = 60;
    CHECK (multiply (&p, 0, &c) == GPUMM_INVALID
               && strstr (gpumm_last_error (), "B: the rows of column 40 do not ascend"),
           "\"%s\"", gpumm_last_error ());
    a.row[last] = before;
  }
  options = NULL;
  release (&a);
}

/* A device without room for one column of a panel; a device that fails at each of its calls. */
static void test_device_failures (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 2000, 900, 10, REAL_NUMBERS);
  gpumm_matrix b = make (GPUMM_DENSE, GPUMM_D, 900, 40, 100, REAL_NUMBERS), c;
  gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
  const gpumm_options scant = {
      .backend = GPUMM_CPU, .algorithm = "spmm", .device = -1, .max_device_memory = 100000};
  options = &scant;
  CHECK (multiply (&p, 0, &c) == GPUMM_DEVICE_MEMORY
             && strstr (gpumm_last_error (), "MaxDeviceMemory"),
         "%s", gpumm_last_error ());
  gpumm_options ample = on_device; /* beside memory that is kept */
  ample.max_device_memory = INT64_MAX;
  for (int i = 0; i < 2; i++) {
    options = &ample;
    CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
    release (&c);
  }
  options = &on_device;
  gpumm_fault_device (0);
  CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  release (&c);
  const int64_t calls = gpumm_fault_device (0);
  CHECK (calls >= 8, "%" PRId64 " calls", calls);
  for (int64_t n = 1; n <= calls; n += SANITIZED_STEP) {
    gpumm_reset ();
    gpumm_fault_device (n);
    const gpumm_status status = multiply (&p, 0, &c);
    gpumm_fault_device (0);
    CHECK (status == GPUMM_OK || status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY,
           "call %" PRId64 ": %d %s", n, status, gpumm_last_error ());
    if (!status)
      release (&c);
  }
  options = NULL;
  release (&a);
  release (&b);
}

static void test_out_of_memory (void) {
  const int64_t alive = gpumm_live_allocations ();
  for (int way = 1; way < 5; way++) {
    const int kinds = way == 4 ? 3 : way;
    gpumm_matrix a = make (kinds & 1 ? GPUMM_SPARSE : GPUMM_DENSE, kinds & 1 ? GPUMM_B : GPUMM_D,
                           200, 200, 20, REAL_NUMBERS);
    gpumm_matrix b =
        make (kinds & 2 ? GPUMM_SPARSE : GPUMM_DENSE, GPUMM_Z, 200, 200, 20, REAL_NUMBERS);
    options = way == 4 ? &as_dense : NULL;
    a.op = GPUMM_TRANSPOSE;
    b.op = GPUMM_CTRANSPOSE;
    gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
    int failures = 0;
    for (int n = 1;; n++) {
      gpumm_matrix c;
      gpumm_fault_memory (n);
      const gpumm_status status = multiply (&p, 0, &c);
      gpumm_fault_memory (0);
      CHECK (gpumm_live_allocations () == alive, "allocation %d leaked", n);
      if (status == GPUMM_OK) {
        release (&c);
        break;
      }
      CHECK (status == GPUMM_HOST_MEMORY && strstr (gpumm_last_error (), "memory"),
             "allocation %d: %s", n, gpumm_last_error ());
      failures++;
    }
    CHECK (failures >= 4, "%d allocations failed", failures);
    release (&a);
    release (&b);
  }
  options = NULL;
}

/* C in several chunks, as it is and under a limit of device memory; and too little of that. */
static void test_chunks (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_Z, 900, 900, 3, WHOLE_NUMBERS);
  gpumm_matrix b = make (GPUMM_SPARSE, GPUMM_D, 900, 900, 4, WHOLE_NUMBERS);
  const gpumm_problem p = {.a = a, .b = b, .alpha = {2, 0}};
  gpumm_matrix right;
  CHECK (multiply (&p, 0, &right) == GPUMM_OK, "%s", gpumm_last_error ());
  /* Room for operands and workspace and some 3, 2 or 1 buffers, then for less. Sanitized: every other
   * limit, and so the last one. */
  static const int64_t limits[] = {0, 16 << 20, 9 << 20, 5 << 20, 1 << 10};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i += (SANITIZED_STEP + 1) / 2) {
    gpumm_options limited = sparse_on_device;
    limited.max_device_memory = limits[i];
    gpumm_matrix c;
    options = &limited;
    const gpumm_status status = multiply (&p, 0, &c);
    options = NULL;
    if (limits[i] == 1 << 10) {
      CHECK (status == GPUMM_DEVICE_MEMORY && strstr (gpumm_last_error (), "MaxDeviceMemory"),
             "%d: %s", status, gpumm_last_error ());
      continue;
    }
    CHECK (status == GPUMM_OK, "limit %" PRId64 ": %s", limits[i], gpumm_last_error ());
    if (status)
      continue;
    const int64_t nnz = right.start[right.cols];
    CHECK (memcmp (c.start, right.start, (size_t) (c.cols + 1) * sizeof *c.start) == 0
               && memcmp (c.row, right.row, (size_t) nnz * sizeof *c.row) == 0
               && memcmp (c.values, right.values, (size_t) nnz * 16) == 0,
           "limit %" PRId64 ": another result", limits[i]);
    release (&c);
  }
  release (&right);
  release (&a);
  release (&b);
}

/* Each call of the device fails once: an error, nothing leaked, and the next product is right. */
static void test_device_faults (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 60, 60, 10, WHOLE_NUMBERS);
  const gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}};
  int failures = 0;
  options = &sparse_on_device;
  for (int64_t n = 1;; n++) {
    gpumm_matrix c;
    gpumm_reset ();
    const int64_t alive = gpumm_live_allocations ();
    gpumm_fault_device (n);
    const gpumm_status status = multiply (&p, 0, &c);
    gpumm_fault_device (0);
    gpumm_reset ();
    if (status == GPUMM_OK) {
      release (&c);
      if (n > 100) /* some calls fail without harm */
        break;
      continue;
    }
    failures++;
    CHECK (gpumm_live_allocations () == alive, "call %" PRId64 " leaked", n);
    CHECK (gpumm_last_error ()[0] != 0, "call %" PRId64 " failed without a word", n);
  }
  CHECK (failures > 10, "%d calls failed", failures);
  options = NULL;
  release (&a);
}

/* A job that "auto" has given to a GPU, for which the host device stands. */
static gpumm_job *job_on_gpu (const gpumm_problem *p) {
  const gpumm_options asked = {.backend = GPUMM_GPU, .device = -1};
  gpumm_place place = {.context = need_host_device ()};
  gpumm_choices choices = {.gpu = &place, .why_no_gpu = ""};
  gpumm_job *job = gpumm_allocate (1, sizeof *job);
  CHECK (!gpumm_context_properties (place.context, &place.properties), "%s", gpumm_last_error ());
  job->problem = *p;
  job->problem.output = p->a.type == GPUMM_Z || p->b.type == GPUMM_Z ? GPUMM_Z : GPUMM_D;
  CHECK (!gpumm_make_plan (&job->problem, &asked, &choices, &job->plan)
             && job->plan.backend == GPUMM_GPU,
         "%s", gpumm_last_error ());
  job->options = (gpumm_options){.device = -1};
  job->shape = (gpumm_matrix){.format = gpumm_result_format (&job->problem),
                              .type = job->problem.output,
                              .rows = gpumm_m (p),
                              .cols = gpumm_n (p),
                              .ld = gpumm_m (p)};
  return job;
}

/* Whatever fails there, at whatever step, the CPU goes on, and the result is the same. */
static void test_fall_back (void) {
  for (int kind = 0; kind < 2; kind++)
    for (int what = 0; what < 2; what++) {
      int64_t (*inject) (int64_t) = what ? gpumm_fault_memory : gpumm_fault_device;
      gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 60, 50, 20, WHOLE_NUMBERS);
      gpumm_matrix b = make (kind ? GPUMM_DENSE : GPUMM_SPARSE, GPUMM_Z, 50, 40, 20, WHOLE_NUMBERS);
      const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
      gpumm_matrix right;
      CHECK (multiply (&p, 0, &right) == GPUMM_OK, "%s", gpumm_last_error ());
      const int64_t count = kind ? right.rows * right.cols : right.start[right.cols];
      int fallen = 0;
      gpumm_reset ();
      const int64_t alive = gpumm_live_allocations ();
      for (int64_t n = 1, calls = 1; calls >= n - 1; n++) {
        gpumm_job *job = job_on_gpu (&p);
        gpumm_matrix c = job->shape;
        c.nzmax = kind ? 0 : right.nzmax;
        c.values = check_allocate (kind ? count : c.nzmax, 16);
        c.row = kind ? NULL : check_allocate (c.nzmax, sizeof *c.row);
        c.start = kind ? NULL : check_allocate (c.cols + 1, sizeof *c.start);
        inject (n);
        const gpumm_status status = gpumm_run (job, &c);
        calls = inject (0);
        fallen += job->plan.backend == GPUMM_CPU;
        CHECK (!status && !memcmp (c.values, right.values, (size_t) count * 16)
                   && (kind || !memcmp (c.row, right.row, (size_t) count * sizeof *c.row)),
               "call %" PRId64 ": %s", n, status ? gpumm_last_error () : "wrong");
        CHECK (!strstr (job->report.reason, "as the GPU could not")
                   == (job->plan.backend != GPUMM_CPU),
               "reason: %s", job->report.reason);
        gpumm_close (job);
        free (c.row);
        free (c.start);
        free (c.values);
        gpumm_reset ();
        CHECK (gpumm_live_allocations () == alive, "call %" PRId64 " leaked", n);
      }
      CHECK (fallen >= 3, "%d products fell back", fallen);
      release (&right);
      release (&a);
      release (&b);
    }
}

/* ---- as dense matrices -------------------------------------------------------------------- */

/* Inf, NaN and what might become so in a sum would meet zeros that are not stored. */
static void test_refused_as_dense (void) {
  static const double bad[] = {INFINITY, -INFINITY, NAN, 0x1.8p320, -0x1p1000};
  static const double good[] = {0, -0.0, 0x1p320, -0x1p320, 0x1p-1074};
  for (int is_complex = 0; is_complex < 2; is_complex++)
    for (size_t i = 0; i < 5; i++)
      for (int side = 0; side < 2; side++) {
        gpumm_matrix a =
            make (GPUMM_SPARSE, is_complex ? GPUMM_Z : GPUMM_D, 9, 8, 50, WHOLE_NUMBERS);
        gpumm_matrix b = make (GPUMM_SPARSE, is_complex ? GPUMM_Z : GPUMM_D, 8, 9, 50,
                               WHOLE_NUMBERS),
                     c;
        const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
        const gpumm_matrix *x = side ? &b : &a;
        const int64_t reals = x->start[x->cols] * (1 + is_complex);
        double *at = (double *) x->values + check_between (0, reals - 1);
        *at = bad[i];
        options = &as_dense;
        CHECK (multiply (&p, 0, &c) == GPUMM_UNSUPPORTED
                   && strstr (gpumm_last_error (), side ? "element of B" : "element of A"),
               "%g: \"%s\"", bad[i], gpumm_last_error ());
        options = NULL;
        *at = good[i];
        options = &as_dense;
        CHECK (multiply (&p, 0, &c) == GPUMM_OK, "%g: %s", good[i], gpumm_last_error ());
        options = NULL;
        for (int64_t t = 0; t < c.start[9] * (1 + is_complex); t++)
          CHECK (isfinite (((double *) c.values)[t]), "%g: not finite", good[i]);
        release (&c);
        release (&a);
        release (&b);
      }
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 9, 9, 50, WHOLE_NUMBERS), c;
  static const double alphas[] = {NAN, INFINITY, 0x1.8p320};
  options = &as_dense;
  for (size_t i = 0; i < 3; i++) {
    const gpumm_problem p = {.a = a, .b = a, .alpha = {alphas[i], 0}};
    CHECK (multiply (&p, 0, &c) == GPUMM_UNSUPPORTED && strstr (gpumm_last_error (), "alpha"),
           "alpha %g", alphas[i]);
  }
  options = NULL;
  release (&a);
}

/* Zeros may differ in their sign. */
static void check_same (const gpumm_matrix *c, const gpumm_matrix *right) {
  const int64_t nnz = right->start[right->cols];
  int64_t wrong = 0;
  CHECK (memcmp (c->start, right->start, (size_t) (c->cols + 1) * sizeof *c->start) == 0
             && memcmp (c->row, right->row, (size_t) nnz * sizeof *c->row) == 0,
         "another pattern");
  for (int64_t t = 0; t < nnz; t++)
    wrong += result_at (c, t) != result_at (right, t);
  CHECK (wrong == 0, "%" PRId64 " elements differ", wrong);
}

/* A matrix by its own transpose is written out once, and BLAS makes half of C. */
static void test_gram_as_dense (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_Z, 50, 40, 60, WHOLE_NUMBERS), c, right;
  const gpumm_op ops[][2] = {{GPUMM_CTRANSPOSE, GPUMM_NONE}, {GPUMM_NONE, GPUMM_CTRANSPOSE}};
  for (int i = 0; i < 2; i++) {
    gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}};
    p.a.op = ops[i][0];
    p.b.op = ops[i][1];
    gpumm_job *job = NULL;
    CHECK (multiply (&p, 0, &right) == GPUMM_OK, "%s", gpumm_last_error ());
    c = right;
    CHECK (gpumm_open (&p, &as_dense, &job) == GPUMM_OK && gpumm_result (job, &c) == GPUMM_OK, "%s",
           gpumm_last_error ());
    c.start = check_allocate (c.cols + 1, sizeof *c.start);
    c.row = check_allocate (c.nzmax, sizeof *c.row);
    c.values = check_allocate (c.nzmax, 16);
    CHECK (gpumm_run (job, &c) == GPUMM_OK, "%s", gpumm_last_error ());
    const gpumm_report *r = gpumm_job_report (job);
    CHECK (strcmp (r->kernel, "zherk") == 0, "%s", r->kernel);
    /* what has been done for stored elements alone */
    int64_t count[50] = {0}, products = 0;
    for (int64_t j = 0; j < a.cols; j++)
      for (int64_t t = a.start[j]; t < a.start[j + 1]; t++)
        count[i ? j : a.row[t]]++;
    for (int64_t l = 0; l < (i ? a.cols : a.rows); l++)
      products += count[l] * count[l];
    CHECK (r->flops == 8 * (double) products, "%g operations", r->flops);
    gpumm_close (job);
    check_same (&c, &right);
    release (&c);
    release (&right);
  }
  release (&a);
}

/* "auto" goes the sparse way where the dense one cannot be gone, be it at its last step. */
static void test_sparse_after_all (void) {
  gpumm_matrix a = make (GPUMM_SPARSE, GPUMM_D, 60, 50, 70, WHOLE_NUMBERS);
  gpumm_matrix b = make (GPUMM_SPARSE, GPUMM_Z, 50, 40, 70, WHOLE_NUMBERS);
  for (int what = 0; what < 3; what++) {
    if (what == 1)
      ((double *) a.values)[7] = INFINITY;
    if (what == 2)
      ((double *) a.values)[7] = 1;
    const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}};
    gpumm_matrix right;
    CHECK (multiply (&p, 0, &right) == GPUMM_OK, "%s", gpumm_last_error ());
    const int64_t alive = gpumm_live_allocations ();
    int fallen = 0;
    for (int64_t n = 1, calls = 1; what == 2 ? calls >= n - 1 : n == 1; n++) {
      gpumm_matrix c = right;
      gpumm_job *job = gpumm_allocate (1, sizeof *job);
      *job = (struct gpumm_job){
          .problem = p,
          .options = {.backend = GPUMM_CPU, .device = -1},
          .plan = {.algorithm = &gpumm_algorithm_sparse_as_dense, .backend = GPUMM_CPU}};
      job->problem.output = GPUMM_Z;
      c.nzmax = c.rows * c.cols;
      job->shape = c;
      c.start = check_allocate (c.cols + 1, sizeof *c.start);
      c.row = check_allocate (c.nzmax, sizeof *c.row);
      c.values = check_allocate (c.nzmax, 16);
      gpumm_fault_memory (what == 2 ? n : 0);
      const gpumm_status status = gpumm_run (job, &c);
      calls = gpumm_fault_memory (0);
      CHECK (!status, "call %" PRId64 ": %s", n, gpumm_last_error ());
      const int is_sparse = strcmp (job->plan.algorithm->name, "sparse") == 0;
      CHECK (!strstr (job->report.reason, "not as dense matrices") == !is_sparse, "reason: %s",
             job->report.reason);
      CHECK (what == 2 || is_sparse == (what == 1), "%s", job->plan.algorithm->name);
      fallen += is_sparse;
      if (what != 1) /* with NaN, which differ in their bits */
        check_same (&c, &right);
      else
        CHECK (memcmp (c.row, right.row, (size_t) right.start[40] * sizeof *c.row) == 0, "rows");
      gpumm_close (job);
      release (&c);
      CHECK (gpumm_live_allocations () == alive, "call %" PRId64 " leaked", n);
    }
    CHECK (what != 2 || fallen >= 5, "%d products fell back", fallen);
    release (&right);
  }
  release (&a);
  release (&b);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  need_host_device ();
  const int64_t alive = gpumm_live_allocations ();
  test_pairs (argc > 2 ? atoi (argv[2]) : 8);
  test_large (argc > 3 ? atoi (argv[3]) : SANITIZED_STEP);
  test_few_in_many ();
  test_long_lines (60);
  test_structure ();
  test_wrong_row ();
  test_refusals ();
  test_results ();
  test_shared_arrays ();
  test_device_failures ();
  gpumm_reset (); /* what the host device's pools keep */
  test_out_of_memory ();
  test_refused_as_dense ();
  test_gram_as_dense ();
  test_sparse_after_all ();
  test_chunks ();
  test_device_faults ();
  test_fall_back ();
  gpumm_reset (); /* what the host device's pools keep */
  CHECK (gpumm_live_allocations () == alive, "%" PRId64 " allocations leaked",
         gpumm_live_allocations () - alive);
  return check_done ();
}
