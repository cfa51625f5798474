/* blocks_full_kernels.h - a matrix in blocks times a full one, for one precision.
 *
 * blocks.c includes this file once for each, with these macros:
 *   R, Z  letters of real and complex elements: TYPE_R, store_Z
 *
 * All is reckoned in reals. Of a complex Y, WIDTH real parts lie in a panel before their WIDTH
 * imaginary parts, and so do sums: every step is on vectors of reals, however X and Y are mixed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#define NAME(f) JOIN (f##_, R)
#define T       JOIN (TYPE_, R)
#define TZ      JOIN (TYPE_, Z)

/* WIDTH elements of a row. */
typedef T NAME (line)
    __attribute__ ((vector_size (WIDTH * sizeof (T)), aligned (sizeof (T)), may_alias));

/* Fills rows first to before end of the panel, WIDTH rows at a time so that Y is read by cache
 * lines; zeros past Y's last column. parts is 2 if Y is complex. */
static inline __attribute__ ((always_inline)) void NAME (pack_parts) (const full_product *d,
                                                                      int64_t first, int64_t end,
                                                                      const int parts) {
  const view *y = &d->y;
  const void *values = y->op.values;
  const T *from = (const T *) values + d->column * y->across * parts;
  T *panel = d->panel;
  for (int64_t l0 = first; l0 < end && !gpumm_is_cancelled (); l0 += WIDTH) {
    const int64_t l1 = gpumm_least (l0 + WIDTH, end);
    for (int64_t s = 0; s < d->stride; s++)
      for (int64_t l = l0; l < l1; l++) {
        T value[2] = {0};
        for (int q = 0; q < parts && s < d->columns; q++)
          value[q] = from[(l * y->down + s * y->across) * parts + q];
        T *to = panel + (l * d->stride + s / WIDTH * WIDTH) * parts + s % WIDTH;
        to[0] = value[0];
        if (parts == 2)
          to[WIDTH] = y->conjugate ? -value[1] : value[1];
      }
  }
}

static void NAME (pack) (const full_product *d, int64_t first, int64_t end) {
  if (d->complex_y)
    NAME (pack_parts) (d, first, end, 2);
  else
    NAME (pack_parts) (d, first, end, 1);
}

/* Computes rows r0 to r0 + m - 1 of block row i of the product, WIDTH columns from the panel's
 * column s0 on. With a constant m the sums stay in registers. */
static inline __attribute__ ((always_inline)) void NAME (make_tile) (
    const full_product *d, int64_t i, int64_t r0, int64_t s0, NAME (line) *restrict tile,
    const int m, const int complex_x, const int complex_y) {
  const view *x = &d->x;
  const int64_t k = x->op.block_cols, down = x->down, across = x->across;
  const int64_t stride = d->stride * (1 + complex_y);
  const int parts = 1 + (complex_x | complex_y);
  const T sign = x->conjugate ? -1 : 1;
  NAME (line) sums[MOST_ROWS] = {{0}};
  for (int64_t t = x->op.start[i]; t < x->op.start[i + 1]; t++) {
    const T *block = (const T *) element_at (x, i, 0, t) + r0 * down * (1 + complex_x);
    const T *row = (const T *) d->panel + x->op.block_column[t] * k * stride + s0 * (1 + complex_y);
    for (int64_t l = 0; l < k; l++, row += stride) {
      const NAME (line) re = *(const NAME (line) *) row;
      const NAME (line) im = complex_y ? *(const NAME (line) *) (row + WIDTH) : re;
      for (int r = 0; r < m; r++) {
        const T *u = block + (r * down + l * across) * (1 + complex_x);
        const T u_im = complex_x ? sign * u[1] : 0;
        if (complex_x && complex_y) {
          sums[2 * r] += u[0] * re - u_im * im;
          sums[2 * r + 1] += u[0] * im + u_im * re;
        } else {
          sums[parts * r] += u[0] * re;
          if (parts == 2)
            sums[2 * r + 1] += complex_x ? u_im * re : u[0] * im;
        }
      }
    }
  }
  for (int r = 0; r < parts * m; r++)
    tile[r] = sums[r];
}

/* Row r of block row i of X times column j of Y, both complex, by C's rules. */
FOR_EACH_PROCESSOR static TZ NAME (sum_again) (const full_product *d, int64_t i, int64_t r,
                                               int64_t j) {
  const view *x = &d->x, *y = &d->y;
  TZ sum = 0;
  for (int64_t t = x->op.start[i]; t < x->op.start[i + 1]; t++) {
    const int64_t k = x->op.block_cols, first = x->op.block_column[t] * k;
    const TZ *a = (const TZ *) element_at (x, i, 0, t) + r * x->down;
    const TZ *b = (const TZ *) y->op.values + first * y->down + j * y->across;
    for (int64_t l = 0; l < k; l++, a += x->across, b += y->down)
      sum +=
          (x->conjugate ? JOIN (CONJ_, Z) (*a) : *a) * (y->conjugate ? JOIN (CONJ_, Z) (*b) : *b);
  }
  return sum;
}

/* Stores a tile of m rows in C. */
static __attribute__ ((noinline)) void NAME (store_tile) (const full_product *d, int64_t i,
                                                          int64_t r0, int64_t s0, int m,
                                                          const NAME (line) * tile) {
  const target *to = &d->to;
  const int64_t row = i * d->x.op.block_rows + r0, column = d->column + s0;
  const int64_t at = row * to->down + column * to->across;
  const int64_t width = gpumm_least (WIDTH, d->columns - s0);
  TZ sums[MOST_ROWS / 2 * WIDTH];
  if (!d->complex_x && !d->complex_y) {
    JOIN (store_, R) (to, (const T *) tile, WIDTH, m, width, at);
    return;
  }
  for (int r = 0; r < m; r++)
    for (int s = 0; s < width; s++) {
      const T re = tile[2 * r][s], im = tile[2 * r + 1][s];
      T *sum = (T *) (sums + r * WIDTH + s);
      sum[0] = re;
      sum[1] = im;
      if (d->complex_x && d->complex_y && (isnan (re) || isnan (im)))
        sums[r * WIDTH + s] = NAME (sum_again) (d, i, r0 + r, column + s);
    }
  JOIN (store_, Z) (to, sums, WIDTH, m, width, at);
}

/* Computes the panel's columns of block row i of the product, as many rows at once as have room
 * for their sums in registers. */
static inline __attribute__ ((always_inline)) void NAME (multiply_rows) (const full_product *d,
                                                                         int64_t i,
                                                                         const int complex_x,
                                                                         const int complex_y) {
  const int most = (complex_x | complex_y) ? MOST_ROWS / 2 : MOST_ROWS;
  NAME (line) tile[MOST_ROWS];
  for (int64_t s0 = 0; s0 < d->columns && !gpumm_is_cancelled (); s0 += WIDTH)
    for (int64_t r0 = 0, rows; r0 < d->x.op.block_rows; r0 += rows) {
      rows = gpumm_least (most, d->x.op.block_rows - r0);
      rows -= rows == 5 || rows == 7;
      switch (rows) {
#define TILE_OF(m)                                                                                 \
  case m:                                                                                          \
    if (m <= most)                                                                                 \
      NAME (make_tile) (d, i, r0, s0, tile, m, complex_x, complex_y);                              \
    break;
        TILE_OF (1)
        TILE_OF (2)
        TILE_OF (3)
        TILE_OF (4)
        TILE_OF (6)
        TILE_OF (8)
#undef TILE_OF
      }
      NAME (store_tile) (d, i, r0, s0, (int) rows, tile);
    }
}

FOR_EACH_PROCESSOR static void NAME (multiply_full) (const full_product *d, int64_t i) {
  if (d->complex_x && d->complex_y)
    NAME (multiply_rows) (d, i, 1, 1);
  else if (d->complex_x)
    NAME (multiply_rows) (d, i, 1, 0);
  else if (d->complex_y)
    NAME (multiply_rows) (d, i, 0, 1);
  else
    NAME (multiply_rows) (d, i, 0, 0);
}

#undef NAME
#undef T
#undef TZ
#undef R
#undef Z
