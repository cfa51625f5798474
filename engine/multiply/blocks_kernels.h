/* blocks_kernels.h - a block row of C from blocks of A and B, for one pair of element types.
 *
 * blocks.c includes this file once for each pair, with these macros:
 *   A, B     letters of the elements as they are multiplied: TYPE_A, load_A. Left out: i, int64_t
 *   TC       of integers: what their products are added up in
 *   ADD      ADD (c, a, b) adds a b to c; may be left out
 *   NAME     NAME (f) is the name of f for this pair; only for integers it may not be left out
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#ifdef A
#define TC JOIN (TYPE_, JOIN3 (SUM_, A, B))
#ifndef NAME
#define NAME(f) JOIN3 (f##_, A, B)
#endif
#else
#define A i
#define B i
#endif
#define TA JOIN (TYPE_, A)
#define TB JOIN (TYPE_, B)
#ifndef ADD
#define ADD(c, a, b) ((c) += (a) * (b))
#endif

/* c += a b for blocks of m x k, k x n and m x n, column by column; unrolled when inlined with
 * constant sizes. */
static inline __attribute__ ((always_inline)) void NAME (add_sized) (
    int64_t m, int64_t n, int64_t k, const TA *restrict a, const TB *restrict b, TC *restrict c) {
  enum { LARGE = 1 << 14 }; /* operations of a column; below, the caller checks often enough */
  for (int64_t j = 0; j < n && !(m * k > LARGE && gpumm_is_cancelled ()); j++)
    for (int64_t p = 0; p < k; p++) {
      const TB b_pj = b[p + j * k];
      for (int64_t i = 0; i < m; i++)
        ADD (c[i + j * m], a[i + p * m], b_pj);
    }
}

static inline __attribute__ ((always_inline)) void NAME (add_block) (int64_t m, int64_t n,
                                                                     int64_t k, const TA *a,
                                                                     const TB *b, TC *c) {
  enum { SMALL = _Generic((TC *) NULL, float * : 1, double * : 1, default : 0) };
  if (!SMALL)
    NAME (add_sized) (m, n, k, a, b, c);
  else if (m == 4 && n == 4 && k == 4)
    NAME (add_sized) (4, 4, 4, a, b, c);
  else if (m == 8 && n == 8 && k == 8)
    NAME (add_sized) (8, 8, 8, a, b, c);
  else if (m == 3 && n == 3 && k == 3)
    NAME (add_sized) (3, 3, 3, a, b, c);
  else if (m == 4)
    NAME (add_sized) (4, n, k, a, b, c);
  else if (m == 8)
    NAME (add_sized) (8, n, k, a, b, c);
  else
    NAME (add_sized) (m, n, k, a, b, c);
}

/* The sums of block row i of C; place[j] is the place of block column j, NULL: at j. */
FOR_EACH_PROCESSOR static void NAME (add_row) (const numeric *d, const gpumm_line *w, int64_t i) {
  const view *a = &d->a, *b = &d->b;
  const gpumm_matrix *x = &a->op, *y = &b->op;
  const int64_t m = rows_at (a, i), k = x->block_cols;
  const int64_t begin = x->start ? x->start[i] : 0, end = x->start ? x->start[i + 1] : a->cols;
  TC *const sums = w->sums;
  void *const room_a = (char *) w->sums + d->room_a, *const room_b = (char *) w->sums + d->room_b;
  for (int64_t t = begin; t < end && !gpumm_is_cancelled (); t++) {
    const int64_t q = x->start ? x->block_column[t] : t;
    const void *block_a = element_at (a, i, q, t);
    if (!a->ready)
      block_a = JOIN (load_, A) (a, block_a, m, k, room_a);
    const int64_t first = y->start ? y->start[q] : 0, last = y->start ? y->start[q + 1] : b->cols;
    for (int64_t u = first; u < last; u++) {
      const int64_t j = y->start ? y->block_column[u] : u, n = cols_at (b, j);
      const void *block_b = element_at (b, q, j, u);
      if (!b->ready)
        block_b = JOIN (load_, B) (b, block_b, k, n, room_b);
      NAME (add_block)
      (m, n, k, block_a, block_b, sums + (w->place ? w->place[j] : j) * d->elements);
    }
  }
}

#undef NAME
#undef TA
#undef TB
#undef TC
#undef ADD
#undef A
#undef B
