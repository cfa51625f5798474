/* blocks_full_kernels.h - a matrix in blocks times a full one, for one set of element types.
 *
 * blocks.c includes this file once for each set, with these macros:
 *   TX, TY  the element types of the matrix in blocks and of the full one
 *   TC      that of the product
 *   CONJ_X, CONJ_Y  the complex conjugate of an element; may be left out
 *   REAL    defined where all are real, MIXED where one of X and Y is
 *   SCALE   SCALE (x, s) is s x for an element of the product
 *   NAME    NAME (f) is the name of f for these types
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#ifndef CONJ_X
#define CONJ_X(x) (x)
#endif
#ifndef CONJ_Y
#define CONJ_Y(x) (x)
#endif

/* WIDTH elements of a row, and sums += u row for such rows, in a vector if the compiler has one. */
#ifdef REAL
typedef TC NAME (line)
    __attribute__ ((vector_size (WIDTH * sizeof (TC)), aligned (sizeof (TC)), may_alias));
#define ADD_LINE(sums, u, row) ((sums) += (u) * *(const NAME (line) *) (row))
#else
typedef TC NAME (line)[WIDTH];
#define ADD_LINE(sums, u, row)                                                                     \
  do                                                                                               \
    for (int64_t s = 0; s < WIDTH; s++)                                                            \
      (sums)[s] += (u) * (row)[s];                                                                 \
  while (0)
#endif

/* Packs rows first to before end of the panel, WIDTH rows at a time so that Y is read by lines;
 * zeros past Y's last column. */
static void NAME (pack) (const full_product *d, int64_t first, int64_t end) {
  const view *y = &d->y;
  const void *values = y->values;
  const TY *from = (const TY *) values + d->column * y->across;
  TY *panel = d->panel;
  for (int64_t l0 = first; l0 < end && !gpumm_is_cancelled (); l0 += WIDTH) {
    const int64_t l1 = gpumm_least (l0 + WIDTH, end);
    for (int64_t s = 0; s < d->stride; s++)
      for (int64_t l = l0; l < l1; l++) {
        TY value = 0;
        if (s < d->columns)
          value = from[l * y->down + s * y->across];
        panel[l * d->stride + s] = y->conjugate ? CONJ_Y (value) : value;
      }
  }
}

/* Stores a tile of m rows in C. */
static void NAME (store_tile) (const full_product *d, int64_t m, int64_t i, int64_t s0,
                               const NAME (line) * sums) {
  const int64_t width = gpumm_least (WIDTH, d->columns - s0), column = d->column + s0;
  TC *c = (TC *) d->c->values + i * m * d->c_down + column * d->c_across;
  for (int64_t s = 0; s < width; s++)
    for (int64_t r = 0; r < m; r++)
      c[r * d->c_down + s * d->c_across] = SCALE (sums[r][s], d->alpha);
  if (d->c0) {
    const TC *c0 = (const TC *) d->c0->values + i * m * d->c0_down + column * d->c0_across;
    for (int64_t s = 0; s < width; s++)
      for (int64_t r = 0; r < m; r++)
        c[r * d->c_down + s * d->c_across] +=
            SCALE (c0[r * d->c0_down + s * d->c0_across], d->beta);
  }
}

/* Computes WIDTH columns of block row i of the product, from the panel's column s0 on. Inlined with
 * a constant m, sums stay in registers. */
static inline __attribute__ ((always_inline)) void NAME (make_tile) (const full_product *d,
                                                                     int64_t m, int64_t i,
                                                                     int64_t s0,
                                                                     NAME (line) *restrict sums) {
  const view *x = &d->x;
  const int64_t k = x->block_cols, down = x->down, across = x->across, stride = d->stride;
  const int conjugate = x->conjugate;
  for (int64_t r = 0; r < m; r++)
    for (int64_t s = 0; s < WIDTH; s++)
      sums[r][s] = 0;
  for (int64_t t = x->start[i]; t < x->start[i + 1]; t++) {
    const TX *block = element_at (x, i, x->column[t], t);
    const TY *rows = (const TY *) d->panel + x->column[t] * k * stride + s0;
    for (int64_t l = 0; l < k; l++, rows += stride)
      for (int64_t r = 0; r < m; r++) {
        const TX stored = block[r * down + l * across];
        const TX u = conjugate ? CONJ_X (stored) : stored;
        ADD_LINE (sums[r], u, rows);
      }
  }
  NAME (store_tile) (d, m, i, s0, (const NAME (line) *) sums);
}

/* Common block heights get code with sums in registers. Mixed products, which are rare, do not:
 * each height takes a second to compile. */
#ifdef MIXED
#define WITH_ROWS(m)
#else
#define WITH_ROWS(m)                                                                               \
  case m: {                                                                                        \
    NAME (line) few[m];                                                                            \
    NAME (make_tile) (d, m, i, s0, few);                                                           \
    break;                                                                                         \
  }
#endif

/* Computes the panel's columns of block row i of the product. sums has a block's rows by WIDTH. */
FOR_EACH_PROCESSOR static void NAME (multiply_full) (const full_product *d, int64_t i, void *sums) {
  const int64_t m = d->x.block_rows;
  for (int64_t s0 = 0; s0 < d->columns && !gpumm_is_cancelled (); s0 += WIDTH)
    switch (m) {
      WITH_ROWS (1)
      WITH_ROWS (2)
      WITH_ROWS (3)
      WITH_ROWS (4)
      WITH_ROWS (6)
      WITH_ROWS (8)
    default:
      NAME (make_tile) (d, m, i, s0, sums);
    }
}

#undef WITH_ROWS
#undef ADD_LINE
#undef REAL
#undef MIXED
#undef TX
#undef TY
#undef TC
#undef CONJ_X
#undef CONJ_Y
#undef SCALE
#undef NAME
