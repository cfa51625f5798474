/* definition.h - products of full matrices and of matrices by compressed rows, plain or in blocks,
 * in tests of kernels: cases, their operands, and what is right by the definition.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_DEFINITION_H
#define GPUMM_TESTS_DEFINITION_H

#include "../engine/operands.h"
#include "driver_test.h"

/* ---- cases -------------------------------------------------------------------------------- */

/* Which blocks of a row are there: up to twice `each`; each; none; all; those near the diagonal; a
 * few, with full and empty rows and columns. */
typedef enum { SCATTERED, EXACTLY, EMPTY, FULL, BANDED, HUBS, PATTERNS } pattern;

typedef struct {
  pattern pattern;
  int64_t each;
  int64_t together;       /* rows side by side with equal columns; 0: one to five */
  const int64_t *lengths; /* NULL, or in the place of each */
} shape;

enum { REAL_A = 1, REAL_B = 2 };

typedef struct {
  gpumm_type type, output;
  int64_t m, k, n;    /* in blocks; of a full operand in elements */
  int64_t bm, bk, bn; /* of blocks */
  shape a, b;
  char full; /* 'A', 'B': a full operand; 'C': both; 0: none */
  gpumm_op op_a, op_b;
  int64_t pad_a, pad_b, pad_c; /* of leading dimensions */
  gpumm_scalar alpha, beta;
  values values;
  int real;              /* these operands are real, and the kernel is told */
  int ordered;           /* sums in order, each operation rounded by itself: to the last bit */
  int cancels;           /* the products of each k and the next one cancel */
  wide low, high, later; /* integers; later: the highest of A's second half of rows, 0: high */
  int zeros;             /* so many of 8 integers are 0, and of 8 blocks */
} test;

/* m x k x n blocks of one type: BM x BK by BK x BN. */
static inline test block_test (int type, int64_t m, int64_t k, int64_t n, int64_t bm, int64_t bk,
                               int64_t bn) {
  const gpumm_type t = (gpumm_type) type;
  return (test){.type = t,
                .output = t,
                .m = m,
                .k = k,
                .n = n,
                .bm = bm,
                .bk = bk,
                .bn = bn,
                .alpha = {1, 0}};
}

/* Of full matrices, ops: 0 to 8. */
static inline test full_test (int type, int ops, int64_t m, int64_t k, int64_t n) {
  test t = block_test (type, m, k, n, 1, 1, 1);
  t.full = 'C';
  t.op_a = (gpumm_op) (ops % 3);
  t.op_b = (gpumm_op) (ops / 3);
  return t;
}

static inline const char *describe (const test *t, const char *row, const char *what) {
  static char text[600];
  snprintf (text, sizeof text,
            "%s, %c to %c, m=%lld k=%lld n=%lld, blocks %lld %lld %lld, patterns %d %lld %lld and "
            "%d %lld %lld, full %d, ops %d %d, pads %lld %lld %lld, alpha=(%g,%g) beta=(%g,%g), "
            "values %d, "
            "real %d, cancels %d, %g .. %g, later %g, zeros %d: %s",
            row, type_letters[t->type], type_letters[t->output], (long long) t->m, (long long) t->k,
            (long long) t->n, (long long) t->bm, (long long) t->bk, (long long) t->bn,
            (int) t->a.pattern, (long long) t->a.each, (long long) t->a.together,
            (int) t->b.pattern, (long long) t->b.each, (long long) t->b.together, t->full,
            (int) t->op_a, (int) t->op_b, (long long) t->pad_a, (long long) t->pad_b,
            (long long) t->pad_c, t->alpha.re, t->alpha.im, t->beta.re, t->beta.im, (int) t->values,
            t->real, t->cancels, (double) t->low, (double) t->high, (double) t->later, t->zeros,
            what);
  return text;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Columns of row i, ascending. Returns how many. */
static inline int64_t draw_row (const shape *s, int64_t i, int64_t cols, int32_t *to) {
  const int64_t each = s->lengths ? s->lengths[i] : s->each;
  int64_t count = 0, wanted = s->pattern == EMPTY       ? 0
                              : s->pattern == FULL      ? cols
                              : s->pattern == SCATTERED ? below (2 * each + 1)
                                                        : each;
  if (s->pattern >= BANDED) {
    for (int64_t j = 0; j < cols; j++)
      if (s->pattern == BANDED
              ? i - j <= each / 2 && j - i <= each / 2
              : i % 3 != 1 && j % 7 != 3 && (i % 11 == 0 || j % 13 == 5 || below (cols) < each / 2))
        to[count++] = (int32_t) j;
    return count;
  }
  wanted = wanted < cols ? wanted : cols;
  /* half the time near to each other, as in a matrix of a grid */
  const int64_t span = below (2) && cols > 4 * wanted ? 4 * wanted : cols;
  const int64_t from = below (cols - span + 1);
  for (; count < wanted; count++) {
    const int64_t first = count * span / wanted, next = (count + 1) * span / wanted;
    to[count] = (int32_t) (from + first + below (next - first));
  }
  return count;
}

static inline double element_of (const test *t) {
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
  if (t->values == WHOLE)
    return (double) (below (5) - 2);
  return t->values == SPECIAL && below (60) == 0 ? specials[below (5)] : any_number ();
}

static inline wide integer_of (const test *t, wide high) {
  const unsigned __int128 range = (unsigned __int128) (high - t->low) + 1;
  if (below (8) < t->zeros)
    return 0;
  if (below (10) == 0)
    return below (2) ? t->low : high;
  return t->low + (wide) (check_random () % range);
}

/* Imaginary parts of real operands must not matter; of sums in order they are 0. */
static inline void draw_elements (const test *t, void *to, int64_t count, int is_real) {
  for (int64_t e = 0; e < count; e++) {
    const double re = element_of (t), im = is_real && t->ordered ? 0 : element_of (t);
    put (t->type, to, e, CMPLXL (re, im));
  }
}

static inline void draw_integers (const test *t, gpumm_matrix *x, int is_a) {
  const int64_t each = entry_elements (x), bytes = (int64_t) gpumm_type_bytes (t->type);
  const int64_t half = x->start[lines_of (x) / 2];
  for (int64_t q = 0; q < x->nzmax; q++)
    if (below (8) >= t->zeros)
      for (int64_t e = q * each; e < (q + 1) * each; e++) {
        const wide high = is_a && q >= half && t->later ? t->later : t->high;
        const uint64_t value = (uint64_t) integer_of (t, high);
        memcpy ((char *) x->values + e * bytes, &value, (size_t) bytes);
      }
}

static inline int32_t *grown (int32_t *columns, int64_t room) {
  columns = realloc (columns, (size_t) room * sizeof *columns);
  if (!columns)
    exit (EXIT_FAILURE);
  return columns;
}

/* rows x cols blocks as stored. doubled: each column is two; pairs: so is each row. */
static inline gpumm_matrix make_rows (const test *t, int is_a, int64_t rows, int64_t cols,
                                      int64_t block_rows, int64_t block_cols) {
  const shape s = is_a ? t->a : t->b;
  const int doubled = t->cancels && is_a ? 2 : 1, pairs = t->cancels && !is_a ? 2 : 1;
  gpumm_matrix x = {.format = GPUMM_BLOCKS,
                    .type = t->type,
                    .op = is_a ? t->op_a : t->op_b,
                    .rows = rows * block_rows,
                    .cols = cols * block_cols,
                    .block_rows = block_rows,
                    .block_cols = block_cols};
  int64_t room = 1, left = 0;
  x.start = check_allocate (rows + 1, sizeof *x.start);
  x.block_column = check_allocate (room, sizeof *x.block_column);
  for (int64_t i = 0; i < rows; i++) {
    const int64_t at = x.start[i], before = i > 0 ? at - x.start[i - 1] : 0;
    const int64_t each = s.lengths ? s.lengths[i] : s.each;
    const int64_t most = s.pattern > EXACTLY || 4 * each > cols ? cols : 4 * each;
    if (at + before + most > room) {
      room = 2 * (at + before + most);
      x.block_column = grown (x.block_column, room);
    }
    int32_t *to = x.block_column + at;
    int64_t count = before;
    if (left > 0)
      memcpy (to, to - before, (size_t) before * sizeof *to);
    else {
      left = pairs * (s.together > 0 ? s.together : 1 + below (5));
      count = doubled * draw_row (&s, i, cols / doubled, to);
      for (int64_t q = count - 1; q >= 0 && doubled > 1; q--)
        to[q] = 2 * to[q / 2] + (int32_t) (q % 2);
    }
    left--;
    x.start[i + 1] = at + count;
  }
  x.nzmax = x.start[rows];
  const int64_t elements = x.nzmax * block_rows * block_cols;
  x.values = check_allocate (elements, gpumm_type_bytes (t->type));
  if (is_integer (t->type))
    draw_integers (t, &x, is_a);
  else
    draw_elements (t, x.values, elements, t->real & (is_a ? REAL_A : REAL_B));
  return x;
}

/* Elements of a full matrix, without those below its last column. */
static inline int64_t length_of (int64_t rows, int64_t cols, int64_t ld) {
  return rows == 0 || cols == 0 ? 0 : (cols - 1) * ld + rows;
}

static inline gpumm_matrix make_operand (const test *t, int is_a) {
  const gpumm_op op = is_a ? t->op_a : t->op_b;
  const int turned = op != GPUMM_NONE;
  const int64_t size[] = {is_a ? t->m : t->k, is_a ? t->k : t->n};
  const int64_t block[] = {is_a ? t->bm : t->bk, is_a ? t->bk : t->bn};
  if (t->full != 'C' && t->full != (is_a ? 'A' : 'B'))
    return make_rows (t, is_a, size[turned], size[!turned], block[turned], block[!turned]);
  gpumm_matrix x = {.type = t->type,
                    .op = op,
                    .rows = size[turned] * block[turned],
                    .cols = size[!turned] * block[!turned]};
  x.ld = x.rows + (is_a ? t->pad_a : t->pad_b);
  x.values = check_allocate (x.ld * x.cols, gpumm_type_bytes (t->type));
  draw_elements (t, x.values, x.ld * x.cols, t->real & (is_a ? REAL_A : REAL_B));
  for (int64_t e = 0; e < x.ld * x.cols; e++)
    if (e % x.ld >= x.rows)
      put (t->type, x.values, e, CMPLXL (NAN, NAN));
  return x;
}

/* Of full matrices on the device. */
static inline gpumm_product product_of (const test *t, const gpumm_matrix *a, const void *a_values,
                                        const gpumm_matrix *b, const void *b_values, void *c) {
  return (gpumm_product){.type = t->type,
                         .op_a = t->op_a,
                         .op_b = t->op_b,
                         .m = t->m,
                         .n = t->n,
                         .k = t->k,
                         .a = a_values,
                         .lda = a->ld,
                         .b = b_values,
                         .ldb = b->ld,
                         .c = c,
                         .ldc = t->m + t->pad_c,
                         .alpha = t->alpha,
                         .beta = t->beta};
}

/* What is in a full C before: with beta = 0 it must not matter. */
static inline void draw_before (const test *t, void *values, int64_t rows, int64_t cols,
                                int64_t ld) {
  const size_t bytes = gpumm_type_bytes (t->type);
  memset (values, 0xa5, (size_t) length_of (rows, cols, ld) * bytes);
  for (int64_t j = 0; j < cols && rows > 0; j++)
    if (is_zero (t->beta))
      memset ((char *) values + (size_t) (j * ld) * bytes, 0xff, (size_t) rows * bytes);
    else
      draw_elements (t, (char *) values + (size_t) (j * ld) * bytes, rows, 0);
}

/* Of k and the next one the products become u v and -v u. In most pairs a fused multiply-add would
 * leave something. */
static inline void make_cancel (const test *t, gpumm_matrix *a, gpumm_matrix *b) {
  number *u = check_allocate (t->k, sizeof *u), *v = u + t->k / 2;
  int64_t left = 0;
  const int is_whole = is_complex (t->type) && !t->real;
  for (int64_t p = 0; p < t->k / 2; p++) {
    u[p] = CMPLXL (check_uniform (), is_whole ? check_uniform () : 0);
    v[p] = CMPLXL (check_uniform (), is_whole ? check_uniform () : 0);
    const double x = (double) creall (u[p]), y = (double) creall (v[p]);
    left += fma (x, y, -(x * y)) != 0;
  }
  for (int64_t q = 0; q < a->nzmax; q++)
    put (t->type, a->values, q,
         a->block_column[q] % 2 ? -v[a->block_column[q] / 2] : u[a->block_column[q] / 2]);
  for (int64_t i = 0; i < b->rows; i++)
    for (int64_t q = b->start[i]; q < b->start[i + 1]; q++)
      put (t->type, b->values, q, i % 2 ? u[i / 2] : v[i / 2]);
  free (u);
  report (left >= t->k / 4, "fused multiply-adds would cancel, too: all but %lld of %lld",
          (long long) left, (long long) t->k / 2);
}

/* ---- what is right ------------------------------------------------------------------------ */

/* op (A) op (B) in rows of blocks, or, where C is full, of elements. */
typedef struct {
  int64_t *start, rows, block_rows, block_cols;
  int32_t *column;
  element *sums; /* block by block, each by columns */
} expected;

/* op (X) by rows: op (X).' by columns. */
static inline entries rows_of (const gpumm_matrix *x) {
  gpumm_matrix turned = *x;
  turned.op = x->op == GPUMM_NONE ? GPUMM_TRANSPOSE : GPUMM_NONE;
  entries all = list_of (&turned);
  if (x->op == GPUMM_CTRANSPOSE && is_complex (x->type))
    for (int64_t e = 0; e < all.first[all.cols]; e++)
      all.list[e].value = conj (all.list[e].value);
  return all;
}

/* As kernels define it: a real factor multiplies both parts of the other. */
static inline void add (element *x, const test *t, const entry *a, const entry *b) {
  if (is_integer (t->type)) {
    add_integers (x, a->whole, b->whole);
    return;
  }
  const long double ar = creal (a->value), ai = cimag (a->value);
  const long double br = creal (b->value), bi = cimag (b->value);
  const double dar = (double) ar, dai = (double) ai, dbr = (double) br, dbi = (double) bi;
  x->terms++;
  if (!is_complex (t->type)) {
    x->re += ar * br;
    x->ordered_re += dar * dbr;
    x->size += if_finite (ar * br);
  } else if (t->real == REAL_A || t->real == REAL_B) { /* one part may be finite, the other not */
    const long double im = t->real == REAL_A ? ar * bi : ai * br;
    x->re += ar * br;
    x->im += im;
    x->size += if_finite (ar * br) + if_finite (im);
    x->ordered_re += dar * dbr;
    x->ordered_im += t->real == REAL_A ? dar * dbi : dai * dbr;
  } else {
    x->re += ar * br - ai * bi;
    x->im += ar * bi + ai * br;
    x->size += if_finite (sqrtl ((ar * ar + ai * ai) * (br * br + bi * bi)));
    x->ordered_re += dar * dbr - dai * dbi;
    x->ordered_im += dar * dbi + dai * dbr;
  }
}

static inline int ascending (const void *x, const void *y) {
  const int32_t a = *(const int32_t *) x, b = *(const int32_t *) y;
  return (a > b) - (a < b);
}

/* The columns of row i of blocks of C. seen: as many zeros, and after it. */
static inline int64_t find_columns (const expected *c, const entries *a, const entries *b,
                                    int64_t i, int32_t *found, char *seen) {
  int64_t count = 0;
  for (int64_t p = a->first[i * c->block_rows]; p < a->first[(i + 1) * c->block_rows]; p++)
    for (int64_t q = b->first[a->list[p].row]; q < b->first[a->list[p].row + 1]; q++) {
      const int32_t j = (int32_t) (b->list[q].row / c->block_cols);
      if (!seen[j])
        found[count++] = j;
      seen[j] = 1;
    }
  for (int64_t x = 0; x < count; x++)
    seen[found[x]] = 0;
  qsort (found, (size_t) count, sizeof *found, ascending);
  return count;
}

/* place: as many as C has block columns. */
static inline void sum_row (const test *t, const expected *c, const entries *a, const entries *b,
                            int64_t i, int64_t *place) {
  for (int64_t q = c->start[i]; q < c->start[i + 1]; q++)
    place[c->column[q]] = q;
  for (int64_t r = 0; r < c->block_rows; r++)
    for (int64_t p = a->first[i * c->block_rows + r]; p < a->first[i * c->block_rows + r + 1]; p++)
      for (int64_t q = b->first[a->list[p].row]; q < b->first[a->list[p].row + 1]; q++) {
        const int64_t j = b->list[q].row, block = place[j / c->block_cols];
        const int64_t at = (block * c->block_cols + j % c->block_cols) * c->block_rows + r;
        add (&c->sums[at], t, &a->list[p], &b->list[q]);
      }
}

static inline expected expect (const test *t, const gpumm_matrix *a, const gpumm_matrix *b) {
  entries x = rows_of (a), y = rows_of (b);
  expected c = {.rows = t->full ? t->m * t->bm : t->m,
                .block_rows = t->full ? 1 : t->bm,
                .block_cols = t->full ? 1 : t->bn};
  const int64_t cols = t->n * t->bn / c.block_cols;
  int64_t room = 0, *place = check_allocate (cols, sizeof *place);
  int32_t *found = check_allocate (cols, sizeof *found);
  char *seen = check_allocate (cols, 1);
  c.start = check_allocate (c.rows + 1, sizeof *c.start);
  for (int64_t j = 0; j < cols && t->full; j++)
    found[j] = (int32_t) j;
  for (int64_t i = 0; i < c.rows; i++) {
    const int64_t count = t->full ? cols : find_columns (&c, &x, &y, i, found, seen);
    c.start[i + 1] = c.start[i] + count;
    if (c.start[i + 1] > room)
      c.column = grown (c.column, room = 2 * c.start[i + 1]);
    if (count > 0)
      memcpy (c.column + c.start[i], found, (size_t) count * sizeof *found);
  }
  c.sums = check_allocate (c.start[c.rows] * c.block_rows * c.block_cols, sizeof *c.sums);
  for (int64_t i = 0; i < c.rows; i++)
    sum_row (t, &c, &x, &y, i, place);
  free (place);
  free (found);
  free (seen);
  release_list (&x);
  release_list (&y);
  return c;
}

static inline void drop_expected (expected *c) {
  free (c->start);
  free (c->column);
  free (c->sums);
}

/* A real scalar multiplies both parts. */
static inline number scale (gpumm_scalar s, number x) {
  const long double re = creall (x), im = cimagl (x);
  return s.im == 0 ? CMPLXL (s.re * re, s.re * im)
                   : CMPLXL (s.re * re - s.im * im, s.re * im + s.im * re);
}

typedef struct {
  number value;
  long double bound;
} right;

/* The sum, times alpha, plus beta times the old element. A sum in any order is within
 * terms * eps |A||B| (Higham 2002, section 3.1); alpha and beta add a few roundings. */
static inline right right_of (const test *t, const element *x, number old) {
  right r = {is_zero (t->alpha) ? 0 : scale (t->alpha, CMPLXL (x->re, x->im)), 0};
  long double size = x->size * hypotl (t->alpha.re, t->alpha.im);
  if (!is_zero (t->beta)) {
    const number more = scale (t->beta, old);
    r.value = CMPLXL (creall (r.value) + creall (more), cimagl (r.value) + cimagl (more));
    size += hypotl (t->beta.re, t->beta.im) * (if_finite (creall (old)) + if_finite (cimagl (old)));
  }
  const long double eps = is_single (t->type) ? FLT_EPSILON : DBL_EPSILON;
  const long double tiny = is_single (t->type) ? FLT_MIN : DBL_MIN;
  if (t->values != WHOLE)
    r.bound = (long double) (x->terms + 8) * eps * (size + tiny);
  return r;
}

static inline int is_near_to (right r, number got) {
  return agrees (creall (got), creall (r.value), r.bound)
         && agrees (cimagl (got), cimagl (r.value), r.bound);
}

/* Is element e of values right? */
static inline int is_right (const test *t, const element *x, const void *values, const void *before,
                            int64_t e) {
  if (is_integer (t->output))
    return get_integer (t->output, values, e) == saturated (x, t->output);
  const number got = get (t->type, values, e);
  const double re = x->ordered_re, im = x->ordered_im;
  if (t->ordered)
    return creall (got) == t->alpha.re * re - t->alpha.im * im
           && cimagl (got) == t->alpha.re * im + t->alpha.im * re;
  return is_near_to (right_of (t, x, get (t->type, before, e)), got);
}

#endif
