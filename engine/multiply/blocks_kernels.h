/* blocks_kernels.h - a block row of C from blocks of A and B, for one set of element types.
 *
 * blocks.c includes this file once for each set, with these macros:
 *   TA, TB  the element types of A and B as they are stored, or T for both
 *   XA, XB  what they are multiplied as, or X for both; where left out, as they are stored
 *   TC      what the products are added up in
 *   CONJ_A, CONJ_B  the complex conjugate of an element, or CONJ for both; may be left out
 *   ADD     ADD (c, a, b) adds a b to c; may be left out
 *   NAME    NAME (f) is the name of f for these types
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#ifdef T
#define TA T
#define TB T
#endif
#ifdef X
#define XA X
#define XB X
#else
#define XA TA
#define XB TB
#endif
#ifdef CONJ
#define CONJ_A CONJ
#define CONJ_B CONJ
#endif
#ifndef CONJ_A
#define CONJ_A(x) (x)
#endif
#ifndef CONJ_B
#define CONJ_B(x) (x)
#endif
#ifndef ADD
#define ADD(c, a, b) ((c) += (a) * (b))
#endif

/* c += a b for blocks of m x k, k x n and m x n, column by column; unrolled when inlined with
 * constant sizes. */
static inline __attribute__ ((always_inline)) void NAME (add_sized) (
    int64_t m, int64_t n, int64_t k, const XA *restrict a, const XB *restrict b, TC *restrict c) {
  enum { LARGE = 1 << 14 }; /* operations of a column; below, the caller checks often enough */
  for (int64_t j = 0; j < n && !(m * k > LARGE && gpumm_is_cancelled ()); j++)
    for (int64_t p = 0; p < k; p++) {
      const XB b_pj = b[p + j * k];
      for (int64_t i = 0; i < m; i++)
        ADD (c[i + j * m], a[i + p * m], b_pj);
    }
}

static inline __attribute__ ((always_inline)) void NAME (add_block) (int64_t m, int64_t n,
                                                                     int64_t k, const XA *a,
                                                                     const XB *b, TC *c) {
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

static inline XA NAME (load_a) (TA x, int conjugate) {
  return conjugate ? CONJ_A (x) : x;
}

static inline XB NAME (load_b) (TB x, int conjugate) {
  return conjugate ? CONJ_B (x) : x;
}

/* The sums of block row i of C; place[j] is the place of block column j, NULL: at j. */
FOR_EACH_PROCESSOR static void NAME (add_row) (const numeric *d, const workspace *w, int64_t i) {
  const view *a = &d->a, *b = &d->b;
  const int64_t m = rows_at (a, i), k = a->block_cols;
  const int64_t begin = a->start ? a->start[i] : 0, end = a->start ? a->start[i + 1] : a->cols;
  enum {
    AS_STORED_A = _Generic((TA *) NULL, XA * : 1, default : 0),
    AS_STORED_B = _Generic((TB *) NULL, XB * : 1, default : 0)
  };
  TC *const sums = w->sums;
  for (int64_t t = begin; t < end && !gpumm_is_cancelled (); t++) {
    const int64_t q = a->start ? a->column[t] : t;
    const void *stored_a = element_at (a, i, q, t);
    const TA *from_a = stored_a;
    const XA *block_a = w->a;
    if (AS_STORED_A && a->plain)
      block_a = stored_a;
    else if (a->plain)
      for (int64_t e = 0; e < m * k; e++)
        ((XA *) w->a)[e] = NAME (load_a) (from_a[e], a->conjugate);
    else
      for (int64_t p = 0; p < k; p++)
        for (int64_t r = 0; r < m; r++)
          ((XA *) w->a)[r + p * m] =
              NAME (load_a) (from_a[r * a->down + p * a->across], a->conjugate);
    const int64_t first = b->start ? b->start[q] : 0, last = b->start ? b->start[q + 1] : b->cols;
    for (int64_t u = first; u < last; u++) {
      const int64_t j = b->start ? b->column[u] : u, n = cols_at (b, j);
      const void *stored_b = element_at (b, q, j, u);
      const TB *from_b = stored_b;
      const XB *block_b = w->b;
      if (AS_STORED_B && b->plain)
        block_b = stored_b;
      else if (b->plain)
        for (int64_t e = 0; e < k * n; e++)
          ((XB *) w->b)[e] = NAME (load_b) (from_b[e], b->conjugate);
      else
        for (int64_t s = 0; s < n; s++)
          for (int64_t p = 0; p < k; p++)
            ((XB *) w->b)[p + s * k] =
                NAME (load_b) (from_b[p * b->down + s * b->across], b->conjugate);
      NAME (add_block)
      (m, n, k, block_a, block_b, sums + (w->place ? w->place[j] : j) * d->elements);
    }
  }
}

#undef T
#undef X
#undef TA
#undef TB
#undef XA
#undef XB
#undef TC
#undef CONJ
#undef CONJ_A
#undef CONJ_B
#undef ADD
#undef NAME
