/* condition_kernels.h - what a thread does in the solution of a triangular system, for one element
 * type.
 *
 * condition.c includes this file once for each type, with these macros:
 *   T, LETTER, PARTS  the type of a real, the letter of the element type, reals in an element
 *
 * Complex numbers are reckoned in reals, part by part, so that compilers make vectors of the loops.
 * A vector x has n elements, and for complex types behind them the same with real and imaginary
 * part exchanged: then a sum of products is two sums of reals times reals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#define JOINED(f, letter) f##_##letter
#define JOIN(f, letter)   JOINED (f, letter)
#define NAME(f)           JOIN (f, LETTER)

typedef T NAME (line) __attribute__ ((vector_size (64), aligned (sizeof (T)), may_alias));

/* y = y - A re (x) and turned = turned + A im (x), for parts of COLUMNS columns a of A. */
static inline __attribute__ ((always_inline)) void NAME (add_columns) (const T *const a[COLUMNS],
                                                                       const T re[COLUMNS],
                                                                       const T im[COLUMNS],
                                                                       int64_t count, T *y,
                                                                       T *turned) {
  enum { WIDTH = 64 / sizeof (T) };
  int64_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH) {
    NAME (line) product = {0}, other = {0};
    for (int l = 0; l < COLUMNS; l++) {
      const NAME (line) here = *(const NAME (line) *) (a[l] + i);
      product += here * re[l];
      if (PARTS == 2)
        other += here * im[l];
    }
    *(NAME (line) *) (y + i) -= product;
    if (PARTS == 2)
      *(NAME (line) *) (turned + i) += other;
  }
  for (; i < count; i++)
    for (int l = 0; l < COLUMNS; l++) {
      y[i] -= a[l][i] * re[l];
      if (PARTS == 2)
        turned[i] += a[l][i] * im[l];
    }
}

/* y = y - A x for rows begin to end - 1 of y: COLUMNS columns of A at a time, and PART reals of
 * each, so that those of y stay in the first cache. */
FOR_EACH_PROCESSOR static void NAME (subtract) (const panel *p, int64_t begin, int64_t end) {
  enum { PART = 512 };
  const T *x = p->x;
  T turned[PART];
  for (int64_t i0 = begin * PARTS; i0 < end * PARTS; i0 += PART) {
    const int64_t count = gpumm_least (PART, end * PARTS - i0);
    T *y = (T *) p->y + i0;
    for (int64_t i = 0; i < count && PARTS == 2; i++)
      turned[i] = 0;
    for (int64_t j = 0; j < p->cols; j += COLUMNS) {
      const T *a[COLUMNS];
      T re[COLUMNS], im[COLUMNS];
      for (int64_t l = 0; l < COLUMNS; l++) { /* past the last column: that column times zero */
        const int64_t col = gpumm_least (j + l, p->cols - 1);
        const int is_column = j + l < p->cols;
        a[l] = (const T *) p->a + col * p->lda * PARTS + i0;
        re[l] = is_column ? x[col * PARTS] : 0;
        im[l] = is_column ? x[col * PARTS + PARTS - 1] : 0;
      }
      NAME (add_columns) (a, re, im, count, y, turned);
    }
    for (int64_t i = 0; i < count && PARTS == 2; i += 2) {
      y[i] += turned[i + 1];
      y[i + 1] -= turned[i];
    }
  }
}

/* y = y - A' x for elements begin to end - 1 of y: COLUMNS columns of A at a time. */
FOR_EACH_PROCESSOR static void NAME (subtract_dots) (const panel *p, int64_t begin, int64_t end) {
  enum { WIDTH = 64 / sizeof (T) };
  const int64_t count = p->rows * PARTS, lines = count / WIDTH;
  const T *x = p->x, *exchanged = x + p->n * PARTS;
  T *y = p->y;
  for (int64_t j = begin; j < end; j += COLUMNS) {
    const T *a[COLUMNS];
    NAME (line) re[COLUMNS] = {{0}}, im[COLUMNS] = {{0}};
    for (int64_t l = 0; l < COLUMNS; l++)
      a[l] = (const T *) p->a + gpumm_least (j + l, end - 1) * p->lda * PARTS;
    for (int64_t i = 0; i < lines; i++) {
      const NAME (line) here = ((const NAME (line) *) x)[i];
      for (int l = 0; l < COLUMNS; l++)
        re[l] += ((const NAME (line) *) a[l])[i] * here;
      if (PARTS == 2)
        for (int l = 0; l < COLUMNS; l++)
          im[l] += ((const NAME (line) *) a[l])[i] * ((const NAME (line) *) exchanged)[i];
    }
    for (int64_t l = 0; l < COLUMNS && j + l < end; l++) {
      T sum = 0, turned = 0;
      for (int64_t i = lines * WIDTH; i < count; i++) {
        sum += a[l][i] * x[i];
        if (PARTS == 2)
          turned += (i % 2 ? -1 : 1) * a[l][i] * exchanged[i];
      }
      for (int i = 0; i < WIDTH; i++) {
        sum += re[l][i];
        turned += (i % 2 ? -1 : 1) * im[l][i];
      }
      y[(j + l) * PARTS] -= sum;
      if (PARTS == 2)
        y[(j + l) * PARTS + 1] -= turned;
    }
  }
}

/* Divides x by the element d of the diagonal, or by its conjugate. */
static void NAME (divide) (T *x, const T *d, int is_conjugate) {
#if PARTS == 1
  (void) is_conjugate;
  x[0] /= d[0];
#else
  const T im = is_conjugate ? -d[1] : d[1];
  const double complex quotient =
      CMPLX ((double) x[0], (double) x[1]) / CMPLX ((double) d[0], (double) im);
  x[0] = (T) creal (quotient);
  x[1] = (T) cimag (quotient);
#endif
}

/* Solves with a block of the diagonal, a triangle of `size` rows: the panel has its first row and
 * column. */
static void NAME (solve_block) (const panel *p, const triangle *t, int64_t size) {
  T *x = p->y;
  T *exchanged = x + p->n * PARTS;
  const int is_forward = t->is_upper == t->is_transposed;
  for (int64_t step = 0; step < size; step++) {
    const int64_t j = is_forward ? step : size - 1 - step;
    const int64_t first = t->is_upper ? 0 : j + 1, rows = t->is_upper ? j : size - 1 - j;
    const T *column = (const T *) p->a + j * p->lda * PARTS;
    panel rest = {.a = column + first * PARTS, .lda = p->lda, .rows = rows, .cols = 1, .n = p->n};
    if (t->is_transposed) {
      rest.x = x + first * PARTS;
      rest.y = x + j * PARTS;
      NAME (subtract_dots) (&rest, 0, 1);
    }
    if (!t->is_unit)
      NAME (divide) (x + j * PARTS, column + j * PARTS, t->is_transposed);
    for (int l = 0; l < PARTS && PARTS == 2; l++)
      exchanged[j * PARTS + l] = x[j * PARTS + 1 - l];
    if (!t->is_transposed) {
      rest.x = x + j * PARTS;
      rest.y = x + first * PARTS;
      NAME (subtract) (&rest, 0, rows);
    }
  }
}

#undef JOINED
#undef JOIN
#undef NAME
#undef T
#undef LETTER
#undef PARTS
