/* test_spgemm.c - every kernel of a driver for sparse times sparse, against sorted products.
 *
 *   test_spgemm LIBRARY [random=200] [seed=1] [kernel=] [types=dz] [large=1] [cancel=1]
 *
 * random   so many random cases, after the named ones
 * kernel   only rows whose name begins so
 * types    of the named cases, by BLAS letter
 * cancel   1: also the named cases with values that cancel; 0: not
 * large    1: also cases of up to 2^20 columns and rows of 10^5 products; 0: none of them
 *
 * All products of a row are listed, sorted by column and k, and added up in double, each operation
 * rounded by itself: pattern and values must be the same, so that what cancels in Octave's * cancels
 * in a kernel. Some operands are made for that: all of C cancels, and fused multiply-adds would leave
 * something of each element. Each product is made twice, whole and in ranges of rows, and must have
 * the same bits.
 * Exits with 77 when the driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "driver_test.h"

static struct {
  long random, large, cancel, seed;
  const char *kernel, *types;
} options = {200, 1, 1, 1, "", "dz"};

/* ---- matrices ----------------------------------------------------------------------------- */

enum { GUARD = 16 }; /* elements after the arrays of C */

typedef struct {
  int64_t rows, cols;
  int64_t *start;
  int32_t *column;
  double *values; /* two for a complex element */
} matrix;

typedef struct {
  const char *name;
  gpumm_type type;
  matrix a, b;
  gpumm_scalar alpha;
  int integers; /* elements -2 .. 2: sums are exact, and some cancel */
  int real;     /* 1: A's imaginary parts are 0, 2: B's, 3: both; the kernel is told */
} test;

static int parts (gpumm_type type) {
  return type == GPUMM_Z ? 2 : 1;
}

static void drop (matrix *x) {
  free (x->start);
  free (x->column);
  free (x->values);
}

static int ascending (const void *x, const void *y) {
  return (*(const int32_t *) x > *(const int32_t *) y)
         - (*(const int32_t *) x < *(const int32_t *) y);
}

/* A row of at most wanted different columns of cols, ascending. Returns how many. */
static int64_t draw_row (int32_t *to, int64_t wanted, int64_t cols) {
  int64_t count = 0;
  if (wanted >= cols) {
    for (; count < cols; count++)
      to[count] = (int32_t) count;
    return count;
  }
  /* half the time near to each other, as in a matrix of a grid */
  const int64_t span = below (2) && cols > 4 * wanted ? 4 * wanted : cols,
                from = below (cols - span + 1);
  for (int64_t q = 0; q < wanted; q++)
    to[q] = (int32_t) (from + below (span));
  qsort (to, (size_t) wanted, sizeof *to, ascending);
  for (int64_t q = 0; q < wanted; q++)
    if (q == 0 || to[q] != to[count - 1])
      to[count++] = to[q];
  return count;
}

/* lengths: how many elements each row should have. together: rows side by side with equal columns,
 * 0: as many as chance has it. */
static matrix make_matrix (const test *t, int64_t rows, int64_t cols, const int64_t *lengths,
                           int64_t together) {
  matrix x = {rows, cols, check_allocate (rows + 1, sizeof (int64_t)), NULL, NULL};
  int64_t size = 1024;
  x.column = check_allocate (size, sizeof *x.column);
  for (int64_t i = 0, left = 0; i < rows; i++, left--) {
    const int64_t at = x.start[i], before = i > 0 ? at - x.start[i - 1] : 0;
    const int64_t wanted = lengths[i] < cols ? lengths[i] : cols;
    while (at + wanted + before + 1 > size) {
      x.column = realloc (x.column, (size_t) (size *= 2) * sizeof *x.column);
      if (!x.column)
        exit (1);
    }
    if (left > 0) {
      memcpy (x.column + at, x.column + at - before, (size_t) before * sizeof *x.column);
      x.start[i + 1] = at + before;
    } else {
      left = together > 0 ? together : 1 + below (5);
      x.start[i + 1] = at + draw_row (x.column + at, wanted, cols);
    }
  }
  const int64_t reals = x.start[rows] * parts (t->type);
  x.values = check_allocate (reals, sizeof *x.values);
  for (int64_t q = 0; q < reals; q++)
    x.values[q] = t->integers
                      ? (double) (below (5) - 2)
                      : ldexp ((double) (check_random () >> 11) * 0x1p-52 - 1, (int) -below (8));
  return x;
}

/* x with each column (right: each row) twice, side by side; of values there is only room. */
static matrix doubled (const matrix *x, int right, int z) {
  const int64_t nnz = x->start[x->rows], rows = right ? 2 * x->rows : x->rows;
  matrix y = {rows, right ? x->cols : 2 * x->cols, check_allocate (rows + 1, sizeof *y.start),
              check_allocate (2 * nnz, sizeof *y.column),
              check_allocate (2 * nnz * z, sizeof *y.values)};
  for (int64_t i = 0; i < rows; i++) {
    const int64_t from = x->start[right ? i / 2 : i], to = x->start[(right ? i / 2 : i) + 1];
    int64_t at = y.start[i];
    for (int64_t q = from; q < to; q++)
      if (right)
        y.column[at++] = x->column[q];
      else {
        y.column[at++] = 2 * x->column[q];
        y.column[at++] = 2 * x->column[q] + 1;
      }
    y.start[i + 1] = at;
  }
  return y;
}

/* Makes of each k two, and values with which their products cancel: u v and -v u. Returns how many of
 * the pairs would not cancel in a fused multiply-add. */
static int64_t cancel (test *t) {
  const int z = parts (t->type);
  const int64_t k = t->b.rows, own = t->real == 0 ? z : 1; /* parts that are drawn */
  double *u = check_allocate (2 * k, sizeof *u), *v = check_allocate (2 * k, sizeof *v);
  int64_t left = 0;
  for (int64_t p = 0; p < k; p++) {
    for (int64_t r = 0; r < own; r++) {
      u[2 * p + r] = check_uniform ();
      v[2 * p + r] = check_uniform ();
    }
    left += fma (u[2 * p], v[2 * p], -(u[2 * p] * v[2 * p])) != 0;
  }
  const matrix a = doubled (&t->a, 0, z), b = doubled (&t->b, 1, z);
  for (int64_t q = 0; q < a.start[a.rows]; q++)
    for (int r = 0; r < z; r++) {
      const int64_t p = a.column[q] / 2;
      a.values[z * q + r] = a.column[q] % 2 ? -v[2 * p + r] : u[2 * p + r];
    }
  for (int64_t i = 0; i < b.rows; i++)
    for (int64_t q = z * b.start[i]; q < z * b.start[i + 1]; q++)
      b.values[q] = (i % 2 ? u : v)[i / 2 * 2 + q % z];
  drop (&t->a);
  drop (&t->b);
  t->a = a;
  t->b = b;
  free (u);
  free (v);
  return left;
}

/* ---- what is right ------------------------------------------------------------------------ */

typedef struct {
  int32_t column, k;
  double re, im;
} term;

static int by_column (const void *x, const void *y) {
  const term *a = x, *b = y;
  const int c = ascending (&a->column, &b->column);
  return c ? c : ascending (&a->k, &b->k);
}

static term product (double ur, double ui, double vr, double vi) {
  return (term){.re = ur * vr - ui * vi, .im = ur * vi + ui * vr};
}

typedef struct {
  int64_t *start;
  int32_t *column;
  double *re, *im;
  int64_t zeros;
} expected;

/* The definition: all products of a row, sorted. This file is compiled without fused
 * multiply-adds. */
static expected expect (const test *t) {
  const matrix *a = &t->a, *b = &t->b;
  const int z = parts (t->type);
  int64_t all = 0, most = 0;
  for (int64_t i = 0; i < a->rows; i++) {
    int64_t products = 0;
    for (int64_t s = a->start[i]; s < a->start[i + 1]; s++)
      products += b->start[a->column[s] + 1] - b->start[a->column[s]];
    all += products;
    most = products > most ? products : most;
  }
  expected y = {check_allocate (a->rows + 1, sizeof *y.start),
                check_allocate (all, sizeof *y.column), check_allocate (all, sizeof *y.re),
                check_allocate (all, sizeof *y.im), 0};
  term *terms = check_allocate (most, sizeof *terms);
  int64_t out = 0;
  for (int64_t i = 0; i < a->rows; i++) {
    int64_t count = 0;
    for (int64_t s = a->start[i]; s < a->start[i + 1]; s++)
      for (int64_t q = b->start[a->column[s]]; q < b->start[a->column[s] + 1]; q++) {
        const double *u = a->values + z * s, *v = b->values + z * q;
        terms[count] = product (u[0], z > 1 ? u[1] : 0, v[0], z > 1 ? v[1] : 0);
        terms[count].k = a->column[s];
        terms[count++].column = b->column[q];
      }
    qsort (terms, (size_t) count, sizeof *terms, by_column);
    for (int64_t q = 0, end; q < count; q = end, out++) {
      double re = 0, im = 0;
      for (end = q; end < count && terms[end].column == terms[q].column; end++) {
        re += terms[end].re;
        im += terms[end].im;
      }
      const term scaled = product (t->alpha.re, t->alpha.im, re, im);
      y.column[out] = terms[q].column;
      y.re[out] = scaled.re;
      y.im[out] = scaled.im;
      y.zeros += scaled.re == 0 && scaled.im == 0;
    }
    y.start[i + 1] = out;
  }
  free (terms);
  return y;
}

static void drop_expected (expected *y) {
  free (y->start);
  free (y->column);
  free (y->re);
  free (y->im);
}

/* ---- running ------------------------------------------------------------------------------ */

static void *take (size_t bytes) {
  void *p;
  need (driver->allocate (0, bytes ? bytes : 1, &p), "allocate");
  return p;
}

static void give (void *p) {
  need (driver->release (0, p), "release");
}

static gpumm_rows copy_rows (const matrix *x, gpumm_type type) {
  const size_t nnz = (size_t) x->start[x->rows], each = 8 * (size_t) parts (type);
  gpumm_rows r = {.rows = x->rows, .cols = x->cols, .block_rows = 1, .block_cols = 1};
  r.start = take ((size_t) (x->rows + 1) * sizeof *r.start);
  r.column = take (nnz * sizeof *r.column);
  r.values = take (nnz * each);
  copy (r.start, x->start, (size_t) (x->rows + 1) * sizeof *r.start, 1);
  copy (r.column, x->column, nnz * sizeof *r.column, 1);
  copy (r.values, x->values, nnz * each, 1);
  return r;
}

static void drop_rows (gpumm_rows *r) {
  give (r->start);
  give (r->column);
  give (r->values);
}

/* What a kernel made of it. Memory begins as 0xff, which is no index and no number. */
typedef struct {
  int64_t *start;
  int32_t *column;
  double *values;
  int32_t zero;
} made;

static void drop_made (made *m) {
  free (m->start);
  free (m->column);
  free (m->values);
}

/* In `pieces` ranges of rows. 0: the kernel failed, or the counts are wrong. */
static int run_kernel (const test *t, const gpumm_sparse_kernel *row, int64_t pieces,
                       const expected *y, made *m) {
  const int64_t rows = t->a.rows, nnz = y->start[rows] + GUARD;
  const size_t each = 8 * (size_t) parts (t->type), start_bytes = (size_t) (rows + 1) * 8;
  gpumm_sparse_product p = {.type_a = t->type,
                            .type_b = t->type,
                            .type_c = t->type,
                            .a = copy_rows (&t->a, t->type),
                            .b = copy_rows (&t->b, t->type),
                            .real_a = t->real & 1,
                            .real_b = t->real >> 1,
                            .alpha = t->alpha};
  p.c = (gpumm_rows){.rows = rows, .cols = t->b.cols, .block_rows = 1, .block_cols = 1};
  p.c.start = take (start_bytes);
  p.zero = take (sizeof *p.zero);
  *m = (made){check_allocate (rows + 1, 8), check_allocate (nnz, 4), check_allocate (nnz, each), 0};
  need (driver->fill (0, stream, p.c.start, 0xff, start_bytes), "fill");
  need (driver->fill (0, stream, p.c.start, 0, 8), "fill");
  need (driver->fill (0, stream, p.zero, 0, sizeof *p.zero), "fill");
  p.count = rows;
  p.workspace_bytes = row->workspace ? row->workspace (&p, &device) : 0;
  p.workspace = take (p.workspace_bytes);
  gpumm_status status = GPUMM_OK;
  if (!row->runs (&p, &device)) {
    report (0, "%s %s: does not run", row->name, t->name);
    return 0;
  }
  for (int64_t piece = 0; piece < pieces && !status; piece++) {
    p.row = rows * piece / pieces;
    p.count = rows * (piece + 1) / pieces - p.row;
    need (driver->fill (0, stream, p.workspace, 0x5a, p.workspace_bytes), "fill");
    status = row->symbolic (0, stream, &p);
    if (!status && row->offsets)
      status = row->offsets (0, stream, &p);
  }
  copy (m->start, p.c.start, start_bytes, 0);
  if (!row->offsets) {
    for (int64_t i = 0; i < rows; i++)
      m->start[i + 1] += m->start[i];
    copy (p.c.start, m->start, start_bytes, 1);
  }
  int ok = !status;
  for (int64_t i = 0; i <= rows && ok; i++)
    if (m->start[i] != y->start[i]) {
      report (0, "%s %s: row %lld ends at %lld, not %lld", row->name, t->name, (long long) i,
              (long long) m->start[i], (long long) y->start[i]);
      ok = 0;
    }
  p.c.column = take ((size_t) nnz * 4);
  p.c.values = take ((size_t) nnz * each);
  need (driver->fill (0, stream, p.c.column, 0xff, (size_t) nnz * 4), "fill");
  need (driver->fill (0, stream, p.c.values, 0xff, (size_t) nnz * each), "fill");
  for (int64_t piece = 0; piece < pieces && ok && !status; piece++) {
    p.row = rows * piece / pieces;
    p.count = rows * (piece + 1) / pieces - p.row;
    need (driver->fill (0, stream, p.workspace, 0x5a, p.workspace_bytes), "fill");
    status = row->launch (0, stream, &p);
  }
  if (ok && !status)
    status = driver->stream_synchronize (0, stream);
  if (status)
    report (0, "%s %s: %s", row->name, t->name, driver->error_text ());
  else {
    copy (m->column, p.c.column, (size_t) nnz * 4, 0);
    copy (m->values, p.c.values, (size_t) nnz * each, 0);
    copy (&m->zero, p.zero, sizeof m->zero, 0);
  }
  drop_rows (&p.a);
  drop_rows (&p.b);
  drop_rows (&p.c);
  give (p.zero);
  give (p.workspace);
  return ok && !status;
}

static void compare (const test *t, const gpumm_sparse_kernel *row, const expected *y,
                     const made *m) {
  const int z = parts (t->type);
  const int64_t nnz = y->start[t->a.rows];
  for (int64_t q = 0; q < nnz; q++) {
    const double re = m->values[z * q], im = z > 1 ? m->values[z * q + 1] : 0;
    if (m->column[q] != y->column[q] || re != y->re[q] || im != y->im[q]) {
      int64_t i = 0;
      while (y->start[i + 1] <= q)
        i++;
      report (0, "%s %s: C(%lld,%ld) is (%.17g,%.17g), not C(%lld,%ld) = (%.17g,%.17g)", row->name,
              t->name, (long long) i, (long) m->column[q], re, im, (long long) i,
              (long) y->column[q], y->re[q], y->im[q]);
      return;
    }
  }
  int outside = 0;
  for (int64_t q = nnz; q < nnz + GUARD; q++)
    outside |= m->column[q] != -1 || !isnan (m->values[z * q]);
  report (!outside, "%s %s: wrote behind C", row->name, t->name);
  report (m->zero == (y->zeros > 0), "%s %s: zeros: %d, and there are %lld", row->name, t->name,
          (int) m->zero, (long long) y->zeros);
}

static int cancelling; /* the cases that follow are made to cancel */

/* spgemm_merge makes a row by one thread, in a time of elements of A times elements of C: what would
 * take it seconds is left to spgemm. */
static int is_slow (const test *t, const expected *y) {
  const int64_t limit = strcmp (driver->name, "cuda") == 0 ? 200000 : 20000000;
  int64_t most = 0;
  for (int64_t i = 0; i < t->a.rows; i++) {
    const int64_t work = (t->a.start[i + 1] - t->a.start[i]) * (y->start[i + 1] - y->start[i]);
    most = work > most ? work : most;
  }
  return most > limit;
}

static void run_test (test *t) {
  if (cancelling) {
    const int64_t k = t->b.rows, left = cancel (t);
    t->name = "all of C cancels";
    report (left >= k / 2, "fused multiply-adds would cancel, too: %lld of %lld pairs",
            (long long) (k - left), (long long) k);
  }
  expected y = expect (t);
  if (cancelling)
    report (y.zeros == y.start[t->a.rows], "an element that is not 0 is expected");
  const int slow = is_slow (t, &y);
  for (const gpumm_sparse_kernel *const *r = driver->sparse_kernels; *r; r++) {
    const gpumm_sparse_kernel *row = *r;
    made whole, again;
    if (strcmp (row->algorithm, "spgemm") != 0 || row->capability > device.capability
        || strncmp (row->name, options.kernel, strlen (options.kernel)) != 0
        || (slow && strcmp (row->name, "spgemm_merge") == 0))
      continue;
    if (!run_kernel (t, row, 1, &y, &whole))
      continue;
    compare (t, row, &y, &whole);
    if (run_kernel (t, row, 2 + below (4), &y, &again)) {
      const int64_t nnz = y.start[t->a.rows];
      const size_t each = 8 * (size_t) parts (t->type);
      report (memcmp (whole.column, again.column, (size_t) nnz * 4) == 0
                  && memcmp (whole.values, again.values, (size_t) nnz * each) == 0,
              "%s %s: other bits in the second run", row->name, t->name);
      drop_made (&again);
    }
    drop_made (&whole);
  }
  drop_expected (&y);
  drop (&t->a);
  drop (&t->b);
}

/* ---- cases -------------------------------------------------------------------------------- */

static int64_t *equal_lengths (int64_t rows, int64_t length) {
  int64_t *x = check_allocate (rows, sizeof *x);
  for (int64_t i = 0; i < rows; i++)
    x[i] = length;
  return x;
}

/* A with rows of length_a, together side by side alike; B likewise. */
static void run_regular (const char *name, gpumm_type type, int64_t m, int64_t k, int64_t n,
                         int64_t length_a, int64_t together_a, int64_t length_b,
                         int64_t together_b) {
  test t = {.name = name, .type = type, .alpha = {1, 0}};
  int64_t *la = equal_lengths (m, length_a), *lb = equal_lengths (k, length_b);
  t.a = make_matrix (&t, m, k, la, together_a);
  t.b = make_matrix (&t, k, n, lb, together_b);
  run_test (&t);
  free (la);
  free (lb);
}

/* Rows of A that make so many products, around the limits of bins: B's rows have one element each,
 * or 8, and some of the columns are the same. */
static void run_limits (gpumm_type type, int64_t length_b, int64_t n) {
  static const int64_t products[] = {
      0,   1,   2,   7,   8,   9,   31,   32,   33,   63,   64,   65,   127,   128,   129,   255,
      256, 257, 511, 512, 513, 520, 1023, 1200, 2047, 3071, 3073, 4096, 16383, 16384, 16385, 20000};
  const int64_t rows = sizeof products / sizeof *products, k = 20008;
  test t = {.name = "limits of bins", .type = type, .alpha = {-2, 0}, .integers = length_b == 1};
  int64_t lengths[sizeof products / sizeof *products];
  for (int64_t i = 0; i < rows; i++)
    lengths[i] = products[i] / length_b / (cancelling ? 2 : 1);
  int64_t *lb = equal_lengths (k, length_b);
  t.a = make_matrix (&t, rows, k, lengths, 1);
  t.b = make_matrix (&t, k, n, lb, 1);
  run_test (&t);
  free (lb);
}

static void run_named (gpumm_type type) {
  run_regular ("0 x 0", type, 0, 0, 0, 0, 1, 0, 1);
  run_regular ("3 x 0 x 5", type, 3, 0, 5, 0, 1, 0, 1);
  run_regular ("1 x 1", type, 1, 1, 1, 1, 1, 1, 1);
  run_regular ("no elements", type, 70, 40, 50, 0, 1, 0, 1);
  run_regular ("A without elements", type, 70, 40, 50, 0, 1, 3, 1);
  run_regular ("B without elements", type, 70, 40, 50, 3, 1, 0, 1);
  run_regular ("1 x n", type, 1, 300, 500, 300, 1, 5, 1);
  run_regular ("n x 1", type, 500, 300, 1, 7, 1, 1, 1);
  run_regular ("outer product", type, 80, 1, 90, 1, 1, 90, 1);
  run_regular ("full", type, 40, 37, 41, 37, 1, 41, 1);
  run_regular ("full, long", type, 9, 130, 140, 130, 1, 140, 1);
  run_regular ("threes", type, 90, 90, 120, 27, 3, 30, 3);
  run_regular ("twos", type, 90, 90, 300, 36, 2, 40, 2);
  run_regular ("threes and twos", type, 50, 200, 300, 66, 3, 40, 2);
  run_regular ("full, 511 products", type, 14, 7, 73, 7, 1, 73, 1);   /* as short rows */
  run_regular ("full, 512 products", type, 14, 16, 32, 16, 1, 32, 1); /* as long rows */
  run_regular ("twos, cut", type, 15, 40, 60, 20, 2, 30, 2);
  run_regular ("threes, cut", type, 25, 40, 60, 20, 3, 30, 3);
  run_regular ("threes with long rows of C", type, 60, 400, 60000, 30, 3, 40, 1);
  run_regular ("all rows alike", type, 50, 64, 300, 30, 50, 40, 64);
  run_limits (type, 1, 5000);
  run_limits (type, 8, 5000);
  if (!options.large)
    return;
  run_limits (type, 8, 1 << 28); /* keys of 64 bits, many windows */
  run_regular ("wide", type, 60, 400, 1 << 20, 50, 1, 40, 1);
  run_regular ("wide, threes", type, 60, 400, 1 << 20, 60, 3, 50, 3);
  run_regular ("wide, threes of few products", type, 60, 400, 1 << 20, 30, 3, 20, 3);
  run_regular ("dense rows", type, 12, 2000, 40000, 300, 1, 400, 1);
  run_regular ("dense rows, wide", type, 6, 300, 300000, 100, 3, 3000, 3);
}

/* Rows of very different lengths: many empty, most short, a few long. */
static void run_random (void) {
  test t = {.name = "random",
            .type = below (2) ? GPUMM_D : GPUMM_Z,
            .alpha = {below (3) ? 1 : -0.75, 0},
            .integers = (int) below (2)};
  if (t.type == GPUMM_Z && below (3) == 0)
    t.alpha.im = 0.5;
  const int64_t m = below (120), k = 1 + below (150), n = 1 + below (below (4) ? 200 : 200000);
  int64_t *la = check_allocate (m, sizeof *la), *lb = check_allocate (k, sizeof *lb);
  const int64_t hubs = below (4);
  cancelling = below (4) == 0;
  t.real = t.type == GPUMM_Z ? (int) below (4) : 0;
  for (int64_t i = 0; i < m; i++)
    la[i] = below (20) < hubs ? below (k + 1) : below (3) ? below (9) : 0;
  for (int64_t i = 0; i < k; i++)
    lb[i] = below (20) < hubs ? below (n < 600 ? n + 1 : 600) : below (3) ? below (17) : 0;
  t.a = make_matrix (&t, m, k, la, below (2));
  t.b = make_matrix (&t, k, n, lb, below (2));
  for (int right = 0; right < 2; right++)
    for (int64_t q = 0; t.real >> right & 1 && q < (right ? t.b.start[k] : t.a.start[m]); q++)
      (right ? t.b.values : t.a.values)[2 * q + 1] = 0;
  run_test (&t);
  free (la);
  free (lb);
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  const option known[] = {{.name = "random", .number = &options.random},
                          {.name = "large", .number = &options.large},
                          {.name = "seed", .number = &options.seed},
                          {.name = "kernel", .text = &options.kernel},
                          {.name = "types", .text = &options.types},
                          {.name = "cancel", .number = &options.cancel},
                          {.name = NULL}};
  int usage = count < 2;
  for (int i = 2; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage) {
    printf ("usage: test_spgemm LIBRARY [random=200] [seed=1] [kernel=] [types=dz] [large=1] "
            "[cancel=1]\n");
    return 2;
  }
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  begin_tests (options.seed);
  for (const char *letter = options.types; *letter; letter++)
    for (cancelling = 0; cancelling <= options.cancel; cancelling++)
      run_named (*letter == 'z' ? GPUMM_Z : GPUMM_D);
  for (long q = 0; q < options.random; q++)
    run_random ();
  close_driver ();
  return check_done ();
}
