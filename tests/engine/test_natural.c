/* test_natural.c - natural blocks of sparse matrices: found where they are and nowhere else, and
 * products through them, which must be those of plain sums in the same order to the last bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/natural.h"
#include "multiply/sparse.h"
#include "check.h"
#include "memory/host.h"
#include "gpumm.h"

#include <complex.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const int sizes[] = {2, 3, 4, 6, 8};

enum { SIZES = sizeof sizes / sizeof *sizes };

enum { REAL_NUMBERS, WHOLE_NUMBERS, SPECIAL, MODES };

static double random_value (int mode) {
  static const double special[] = {INFINITY, -INFINITY, NAN, 0, 1, -2, 3};
  return mode == REAL_NUMBERS    ? check_uniform ()
         : mode == WHOLE_NUMBERS ? (check_between (0, 1) ? 1 : -1)
                                 : special[check_between (0, 6)];
}

static void set (gpumm_matrix *x, int64_t at, int mode) {
  if (x->type == GPUMM_B)
    ((unsigned char *) x->values)[at] = 1;
  else if (x->type == GPUMM_D)
    ((double *) x->values)[at] = random_value (mode);
  else
    ((double complex *) x->values)[at] = CMPLX (random_value (mode), random_value (mode));
}

/* rows x cols blocks of b x b, percent of them there. */
static gpumm_matrix make (gpumm_type type, int64_t rows, int64_t cols, int64_t b, int percent,
                          int mode) {
  gpumm_matrix x = {.format = GPUMM_SPARSE, .type = type, .rows = rows * b, .cols = cols * b};
  char *there = check_allocate (rows * cols, 1);
  for (int64_t t = 0; t < rows * cols; t++) {
    there[t] = check_between (0, 99) < percent;
    x.nzmax += there[t] * b * b;
  }
  x.start = check_allocate (x.cols + 1, sizeof *x.start);
  x.row = check_allocate (x.nzmax + 1, sizeof *x.row);
  x.values = check_allocate (x.nzmax + 1, gpumm_type_bytes (type));
  int64_t out = 0;
  for (int64_t j = 0; j < x.cols; j++) {
    for (int64_t i = 0; i < x.rows; i++)
      if (there[i / b + j / b * rows])
        x.row[out++] = i;
    x.start[j + 1] = out;
  }
  for (int64_t t = 0; t < x.nzmax; t++)
    set (&x, t, mode);
  free (there);
  return x;
}

static void release (gpumm_matrix *x) {
  free (x->start);
  free (x->row);
  free (x->values);
}

/* Element t, of column j, goes. */
static void drop (gpumm_matrix *x, int64_t j, int64_t t) {
  const size_t each = gpumm_type_bytes (x->type), after = (size_t) (x->nzmax - t - 1);
  memmove (x->row + t, x->row + t + 1, after * sizeof *x->row);
  memmove ((char *) x->values + (size_t) t * each, (char *) x->values + (size_t) (t + 1) * each,
           after * each);
  for (int64_t i = j + 1; i <= x->cols; i++)
    x->start[i]--;
  x->nzmax--;
}

/* Blocks of b are blocks of each size that divides b. */
static unsigned all_of (int64_t b) {
  unsigned all = 0;
  for (int s = 0; s < SIZES; s++)
    if (b % sizes[s] == 0)
      all |= 1u << sizes[s];
  return all;
}

static int is_natural (const gpumm_matrix *x, int64_t b) {
  gpumm_owner memory = {0};
  gpumm_matrix blocks;
  CHECK (gpumm_as_natural (&memory, x, b, &blocks) == GPUMM_OK, "%s", gpumm_last_error ());
  const int64_t *start = blocks.start, *row = blocks.row;
  int found = start != NULL;
  if (found) { /* and the pattern is right */
    CHECK (start[x->cols / b] * b * b == x->nzmax, "%" PRId64 " blocks", start[x->cols / b]);
    for (int64_t j = 0; j < x->cols / b; j++)
      for (int64_t t = start[j]; t < start[j + 1]; t++)
        if (row[t] * b != x->row[x->start[j * b] + (t - start[j]) * b])
          found = -1;
  }
  gpumm_release_owned (&memory);
  return found;
}

/* ---- what is found ------------------------------------------------------------------------ */

static void test_sizes (void) {
  for (int b = 1; b <= 12; b++)
    for (int repeat = 0; repeat < 8; repeat++) {
      /* prime numbers of blocks with gaps between them: no larger block can be made of these */
      gpumm_matrix x = make (repeat % 2 ? GPUMM_D : GPUMM_Z, 31, 29, b, 30, REAL_NUMBERS);
      CHECK (gpumm_natural_sizes (&x) == all_of (b), "blocks of %d: %x", b,
             gpumm_natural_sizes (&x));
      for (int s = 0; s < SIZES; s++)
        if (x.rows % sizes[s] == 0 && x.cols % sizes[s] == 0)
          CHECK (is_natural (&x, sizes[s]) == (b % sizes[s] == 0), "blocks of %d as %d", b,
                 sizes[s]);
      release (&x);
    }
  gpumm_matrix none = make (GPUMM_D, 4, 4, 2, 0, REAL_NUMBERS);
  CHECK (gpumm_natural_sizes (&none) == 0, "a matrix without elements");
  const gpumm_matrix wide = {.format = GPUMM_DENSE, .type = GPUMM_D, .rows = 6, .cols = 6};
  CHECK (gpumm_natural_sizes (&wide) == 0, "a full matrix");
  release (&none);
}

/* One element less, one more, one in another row, or all of it one row down. */
static void test_nearly (void) {
  for (int s = 0; s < SIZES; s++)
    for (int what = 0; what < 4; what++)
      for (int repeat = 0; repeat < 20; repeat++) {
        const int b = sizes[s];
        gpumm_matrix x = make (GPUMM_D, 17, 19, b, 40, REAL_NUMBERS);
        int64_t j = check_between (0, x.cols - 1);
        while (x.start[j + 1] == x.start[j])
          j = (j + 1) % x.cols;
        const int64_t t = check_between (x.start[j], x.start[j + 1] - 1);
        if (what == 0)
          drop (&x, j, t);
        else if (what < 3 && x.row[x.start[j + 1] - 1] == x.rows - 1) {
          release (&x);
          continue;
        } else if (what == 1) /* the last of a column is one row further down */
          x.row[x.start[j + 1] - 1]++;
        else if (what == 2) /* of all columns of a block: equal columns alone are no blocks */
          for (int w = 0; w < b; w++)
            x.row[x.start[j / b * b + w + 1] - 1]++;
        else { /* shifted: one row more above, and some below */
          x.rows += b;
          for (int64_t e = 0; e < x.nzmax; e++)
            x.row[e]++;
        }
        CHECK (is_natural (&x, b) == 0, "size %d, change %d", b, what);
        /* few columns: the estimate sees all of them */
        CHECK (!(gpumm_natural_sizes (&x) & 1u << b), "size %d, change %d: estimate", b, what);
        release (&x);
      }
}

/* One element is missing where the estimate does not look: the product is a plain one. */
static void test_unseen (void) {
  gpumm_matrix x = make (GPUMM_D, 3, 2000, 3, 100, WHOLE_NUMBERS), c;
  drop (&x, 3001, x.start[3001] + 1);
  CHECK (gpumm_natural_sizes (&x) & 1u << 3, "the estimate sees element 3001");
  CHECK (is_natural (&x, 3) == 0, "missing element");
  gpumm_matrix a = make (GPUMM_D, 5, 3, 3, 60, WHOLE_NUMBERS);
  const gpumm_problem p = {.a = a, .b = x, .alpha = {1, 0}};
  gpumm_job *job = NULL;
  CHECK (gpumm_open (&p, NULL, &job) == GPUMM_OK, "%s", gpumm_last_error ());
  gpumm_result (job, &c);
  c.start = check_allocate (c.cols + 1, sizeof *c.start);
  c.row = check_allocate (c.nzmax, sizeof *c.row);
  c.values = check_allocate (c.nzmax, 8);
  CHECK (gpumm_run (job, &c) == GPUMM_OK, "%s", gpumm_last_error ());
  CHECK (strcmp (gpumm_job_report (job)->kernel, "gustavson") == 0, "%s",
         gpumm_job_report (job)->kernel);
  gpumm_close (job);
  release (&c);
  release (&a);
  release (&x);
}

/* Elements of C of a chain of blocks, or elements, each of which meets three neighbours to both sides: spread evenly
 * they would be far more. */
static void test_nonzeros (void) {
  for (int s = 0; s <= SIZES; s++) {
    const int64_t b = s < SIZES ? sizes[s] : 1, n = 400;
    gpumm_matrix x = make (GPUMM_D, n, n, b, 0, REAL_NUMBERS);
    x.nzmax = 7 * n * b * b;
    free (x.row);
    x.row = check_allocate (x.nzmax, sizeof *x.row);
    int64_t out = 0;
    for (int64_t j = 0; j < n * b; j++) {
      for (int64_t i = j / b - 3 < 0 ? 0 : (j / b - 3) * b; i < (j / b + 4) * b && i < n * b; i++)
        x.row[out++] = i;
      x.start[j + 1] = out;
    }
    const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
    const double nonzeros = gpumm_estimate_sparse (&p).nonzeros, right = 13.0 * n * b * b;
    CHECK (fabs (nonzeros - right) < 0.1 * right, "blocks of %" PRId64 ": %g nonzeros, not %g", b,
           nonzeros, right);
    release (&x);
  }
}

/* Columns of so many products that only some of them are looked at: of a full matrix, and of a wide
 * band, all of whose columns fall into the same rows. */
static void test_nonzeros_of_full (void) {
  const int64_t n = 1500, widths[] = {1500, 200};
  for (int w = 0; w < 2; w++) {
    const int64_t width = widths[w];
    gpumm_matrix x = {.format = GPUMM_SPARSE,
                      .type = GPUMM_D,
                      .rows = n,
                      .cols = n,
                      .nzmax = n * n,
                      .start = check_allocate (n + 1, sizeof (int64_t)),
                      .row = check_allocate (n * n, sizeof (int64_t))};
    double right = 0;
    int64_t out = 0;
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = j - width < 0 ? 0 : j - width; i <= j + width && i < n; i++)
        x.row[out++] = i;
      x.start[j + 1] = out;
      right +=
          fmin ((double) n - 1, (double) (j + 2 * width)) - fmax (0, (double) (j - 2 * width)) + 1;
    }
    x.nzmax = out;
    const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
    const double nonzeros = gpumm_estimate_sparse (&p).nonzeros;
    CHECK (fabs (nonzeros - right) < 0.15 * right, "width %" PRId64 ": %g nonzeros, not %g", width,
           nonzeros, right);
    free (x.start);
    free (x.row);
  }
}

/* ---- products ----------------------------------------------------------------------------- */

static double complex value_at (const gpumm_matrix *x, int64_t t, int conjugate) {
  if (x->type == GPUMM_B)
    return ((unsigned char *) x->values)[t];
  if (x->type == GPUMM_D)
    return ((double *) x->values)[t];
  const double complex z = ((double complex *) x->values)[t];
  return conjugate ? conj (z) : z;
}

/* sum + a b as the types have it: a real number multiplies both parts and nothing else. */
static double complex add (double complex sum, double complex a, double complex b, int complex_a,
                           int complex_b) {
  if (complex_a && complex_b)
    return sum + a * b;
  return complex_a
             ? CMPLX (creal (sum) + creal (a) * creal (b), cimag (sum) + cimag (a) * creal (b))
             : CMPLX (creal (sum) + creal (a) * creal (b),
                      cimag (sum) + (complex_b ? creal (a) * cimag (b) : 0));
}

/* op (X) full, by columns; there: 1 where an element is stored. */
static double complex *spread (const gpumm_matrix *x, gpumm_op op, char *there) {
  const int64_t rows = op == GPUMM_NONE ? x->rows : x->cols;
  double complex *full = check_allocate (x->rows * x->cols, sizeof *full);
  for (int64_t j = 0; j < x->cols; j++)
    for (int64_t t = x->start[j]; t < x->start[j + 1]; t++) {
      const int64_t at = op == GPUMM_NONE ? x->row[t] + j * rows : j + x->row[t] * rows;
      full[at] = value_at (x, t, op == GPUMM_CTRANSPOSE);
      there[at] = 1;
    }
  return full;
}

static int same_bits (double x, double y) {
  return x == y || (isnan (x) && isnan (y));
}

/* Elements of c that are not those of the sums of products in ascending order. */
static int64_t wrong_in (const gpumm_problem *p, const gpumm_matrix *c) {
  char *there_a = check_allocate (p->a.rows * p->a.cols, 1);
  char *there_b = check_allocate (p->b.rows * p->b.cols, 1);
  double complex *a = spread (&p->a, p->a.op, there_a), *b = spread (&p->b, p->b.op, there_b);
  const int64_t m = c->rows, n = c->cols, k = p->a.op == GPUMM_NONE ? p->a.cols : p->a.rows;
  const int complex_a = p->a.type == GPUMM_Z, complex_b = p->b.type == GPUMM_Z;
  int64_t wrong = c->start[0] != 0;
  for (int64_t j = 0; j < n; j++) {
    int64_t next = c->start[j];
    for (int64_t i = 0; i < m; i++) {
      double complex sum = 0;
      for (int64_t q = 0; q < k; q++)
        if (there_a[i + q * m] && there_b[q + j * k])
          sum = add (sum, a[i + q * m], b[q + j * k], complex_a, complex_b);
      if (p->alpha.re != 1) /* a real one */
        sum = CMPLX (p->alpha.re * creal (sum), p->alpha.re * cimag (sum));
      if (sum != 0) {
        const double complex got = next < c->start[j + 1] ? value_at (c, next, 0) : NAN;
        wrong += next >= c->start[j + 1] || c->row[next] != i
                 || !same_bits (creal (got), creal (sum)) || !same_bits (cimag (got), cimag (sum));
        next++;
      }
    }
    wrong += next != c->start[j + 1];
  }
  free (there_a);
  free (there_b);
  free (a);
  free (b);
  return wrong;
}

static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .algorithm = "sparse", .device = -1};

static gpumm_status multiply (const gpumm_problem *p, gpumm_matrix *c, char kernel[128]) {
  gpumm_job *job = NULL;
  *c = (gpumm_matrix){0};
  gpumm_status status = gpumm_open (p, &on_cpu, &job);
  if (!status) {
    gpumm_result (job, c);
    c->start = check_allocate (c->cols + 1, sizeof *c->start);
    c->row = check_allocate (c->nzmax, sizeof *c->row);
    c->values = check_allocate (c->nzmax, gpumm_type_bytes (c->type));
    status = gpumm_run (job, c);
    snprintf (kernel, 128, "%s", gpumm_job_report (job)->kernel);
    const char *reason = gpumm_job_report (job)->reason;
    CHECK (status || !strstr (reason, "natural blocks of ") == !strchr (kernel, '_'), "%s: %s",
           kernel, reason);
    if (status)
      release (c);
  }
  gpumm_close (job);
  return status;
}

static void test_products (void) {
  static const gpumm_type types[] = {GPUMM_D, GPUMM_Z, GPUMM_B};
  for (int s = 0; s < SIZES; s++)
    for (int pair = 0; pair < 9; pair++)
      for (int ops = 0; ops < 9; ops++)
        for (int mode = 0; mode < MODES; mode++) {
          const int64_t m = check_between (1, 12), n = check_between (1, 12),
                        k = check_between (1, 12), b = sizes[s];
          const gpumm_type type_a = types[pair / 3], type_b = types[pair % 3];
          gpumm_problem p = {.alpha = {1, 0}};
          p.a = make (type_a, ops / 3 ? k : m, ops / 3 ? m : k, b, 50, mode);
          p.b = make (type_b, ops % 3 ? n : k, ops % 3 ? k : n, b, 50, mode);
          p.a.op = ops / 3;
          p.b.op = ops % 3;
          if (mode == WHOLE_NUMBERS && check_between (0, 1))
            p.alpha.re = -3;
          gpumm_matrix c;
          char kernel[128], expected[16];
          const int64_t size = gpumm_natural_size (&p);
          CHECK (multiply (&p, &c, kernel) == GPUMM_OK, "%s", gpumm_last_error ());
          snprintf (expected, sizeof expected, "gustavson_%dx%d", (int) size, (int) size);
          CHECK (size % b == 0 && strcmp (kernel, size ? expected : "gustavson") == 0,
                 "blocks of %" PRId64 ": %s", b, kernel);
          /* complex products with Inf or NaN are finite or not, alike; their parts are not */
          const int loose = mode == SPECIAL && (type_a == GPUMM_Z || type_b == GPUMM_Z);
          const int64_t wrong = loose ? 0 : wrong_in (&p, &c);
          CHECK (wrong == 0,
                 "blocks of %" PRId64 ", %" PRId64 " x %" PRId64 " x %" PRId64
                 " of them, types %d %d, ops %d, mode %d: %" PRId64 " wrong",
                 b, m, n, k, type_a, type_b, ops, mode, wrong);
          release (&c);
          release (&p.a);
          release (&p.b);
        }
}

/* Blocks of 6 by blocks of 4: both are made of blocks of 2. And blocks by none. */
static void test_common (void) {
  static const struct {
    int64_t a, b, common;
  } pairs[] = {{6, 4, 2}, {3, 6, 3}, {8, 4, 4}, {4, 3, 0}, {1, 6, 0}, {2, 8, 2}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    gpumm_problem p = {.alpha = {1, 0}};
    p.a = make (GPUMM_D, 7, 24, pairs[i].a, 40, WHOLE_NUMBERS);
    p.b = make (GPUMM_D, 24 * pairs[i].a / pairs[i].b, 7, pairs[i].b, 40, WHOLE_NUMBERS);
    gpumm_matrix c;
    char kernel[128], expected[16] = "gustavson";
    if (pairs[i].common)
      snprintf (expected, sizeof expected, "gustavson_%dx%d", (int) pairs[i].common,
                (int) pairs[i].common);
    CHECK (multiply (&p, &c, kernel) == GPUMM_OK, "%s", gpumm_last_error ());
    CHECK (strcmp (kernel, expected) == 0 && wrong_in (&p, &c) == 0,
           "blocks of %" PRId64 " by %" PRId64 ": %s", pairs[i].a, pairs[i].b, kernel);
    release (&c);
    release (&p.a);
    release (&p.b);
  }
}

/* Work for several threads, in pieces whose gaps close. */
static void test_large (void) {
  for (int s = 0; s < SIZES; s++) {
    const int b = sizes[s];
    gpumm_problem p = {.alpha = {1, 0}};
    p.a = make (GPUMM_D, 97, 90, b, 70, WHOLE_NUMBERS);
    p.b = make (GPUMM_D, 90, 101, b, 70, WHOLE_NUMBERS);
    gpumm_matrix c;
    char kernel[128];
    CHECK (multiply (&p, &c, kernel) == GPUMM_OK, "%s", gpumm_last_error ());
    CHECK (strchr (kernel, '_') && c.start[c.cols] < c.rows * c.cols && wrong_in (&p, &c) == 0,
           "blocks of %d, %s", b, kernel);
    release (&c);
    release (&p.a);
    release (&p.b);
  }
}

/* A matrix in blocks by a full one, to the last bit where rows are scattered; sums of rows, other types
 * and few columns go the plain way. */
static void test_full (void) {
  for (int s = 0; s < SIZES; s++)
    for (int left = 0; left < 2; left++)
      for (int turned = 0; turned < 2; turned++)
        for (int repeat = 0; repeat < 12; repeat++) {
          const int64_t b = sizes[s], other = repeat < 2 ? 5 : check_between (16, 80);
          const gpumm_type type = repeat == 2 ? GPUMM_Z : GPUMM_D;
          /* few blocks in many columns, too: then only the rows that are met are packed */
          gpumm_matrix x = make (repeat == 3 ? GPUMM_B : GPUMM_D, check_between (1, 9),
                                 check_between (2, 40), b, repeat == 4 ? 1 : 40, WHOLE_NUMBERS);
          const int64_t rows = turned ? x.cols : x.rows, cols = turned ? x.rows : x.cols;
          const int64_t inner = left ? cols : rows;
          gpumm_matrix y = {
              .type = type, .rows = left ? inner : other, .cols = left ? other : inner};
          y.ld = y.rows + 1;
          y.values = check_allocate (y.ld * y.cols, gpumm_type_bytes (type));
          for (int64_t e = 0; e < y.ld * y.cols; e++)
            set (&y, e, REAL_NUMBERS);
          gpumm_problem p = {.a = left ? x : y, .b = left ? y : x, .alpha = {1, 0}};
          *(left ? &p.a.op : &p.b.op) = turned ? GPUMM_TRANSPOSE : GPUMM_NONE;
          gpumm_job *job = NULL;
          gpumm_matrix c;
          CHECK (gpumm_open (&p, NULL, &job) == GPUMM_OK, "%s", gpumm_last_error ());
          gpumm_result (job, &c);
          c.values = check_allocate (c.rows * c.cols, gpumm_type_bytes (c.type));
          CHECK (gpumm_run (job, &c) == GPUMM_OK, "%s", gpumm_last_error ());
          const char *kernel = gpumm_job_report (job)->kernel;
          const unsigned there = gpumm_natural_sizes (&x);
          if (other < 16 || type != GPUMM_D || left == turned || !there)
            CHECK (!strchr (kernel, 'x'), "%s", kernel);
          else /* so little work is for panels of 4 or 8 on any machine */
            CHECK (strchr (kernel, 'x') && (kernel[strlen (kernel) - 1] - '0') % b == 0, "%s",
                   kernel);
          char *stored = check_allocate (x.rows * x.cols, 1);
          double complex *full = spread (&x, turned ? GPUMM_TRANSPOSE : GPUMM_NONE, stored);
          int64_t wrong = 0;
          for (int64_t j = 0; j < c.cols; j++)
            for (int64_t i = 0; i < c.rows; i++) {
              double complex sum = 0;
              for (int64_t q = 0; q < inner; q++)
                if (stored[left ? i + q * rows : q + j * rows])
                  sum += left ? creal (full[i + q * rows]) * value_at (&y, q + j * y.ld, 0)
                              : value_at (&y, i + q * y.ld, 0) * creal (full[q + j * rows]);
              const double complex got = value_at (&c, i + j * c.rows, 0);
              wrong += creal (got) != creal (sum) || cimag (got) != cimag (sum);
            }
          CHECK (wrong == 0, "blocks of %" PRId64 ", %s, left %d, turned %d: %" PRId64 " wrong", b,
                 kernel, left, turned, wrong);
          gpumm_close (job);
          free (stored);
          free (full);
          free (c.values);
          free (y.values);
          release (&x);
        }
}

/* One memory, two matrices: B is A without its last column, and so without blocks. */
static void test_shared_arrays (void) {
  gpumm_problem p = {.alpha = {1, 0}};
  p.a = make (GPUMM_D, 4, 4, 2, 60, WHOLE_NUMBERS);
  p.b = p.a;
  p.b.cols--;
  gpumm_matrix c;
  char kernel[128];
  CHECK (multiply (&p, &c, kernel) == GPUMM_OK, "%s", gpumm_last_error ());
  CHECK (strcmp (kernel, "gustavson") == 0 && wrong_in (&p, &c) == 0, "%s", kernel);
  release (&c);
  release (&p.a);
}

static void test_out_of_memory (void) {
  const int64_t alive = gpumm_live_allocations ();
  gpumm_problem p = {.alpha = {1, 0}};
  p.a = make (GPUMM_B, 20, 20, 3, 30, REAL_NUMBERS);
  p.b = make (GPUMM_B, 20, 20, 3, 30, REAL_NUMBERS);
  p.a.op = GPUMM_TRANSPOSE;
  p.b.op = GPUMM_CTRANSPOSE;
  int failures = 0;
  for (int n = 1;; n++) {
    gpumm_matrix c;
    char kernel[128];
    gpumm_fault_memory (n);
    const gpumm_status status = multiply (&p, &c, kernel);
    gpumm_fault_memory (0);
    CHECK (gpumm_live_allocations () == alive, "allocation %d leaked", n);
    if (status == GPUMM_OK) {
      CHECK (strcmp (kernel, "gustavson_3x3") == 0, "%s", kernel);
      release (&c);
      break;
    }
    CHECK (status == GPUMM_HOST_MEMORY, "allocation %d: %s", n, gpumm_last_error ());
    failures++;
  }
  CHECK (failures >= 15, "%d allocations failed", failures);
  release (&p.a);
  release (&p.b);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  test_sizes ();
  test_nearly ();
  test_unseen ();
  test_nonzeros ();
  test_nonzeros_of_full ();
  test_products ();
  test_common ();
  test_large ();
  test_full ();
  test_shared_arrays ();
  test_out_of_memory ();
  return check_done ();
}
