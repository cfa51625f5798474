/* integer_end.h - the exact end of an integer product: alpha, beta C0, saturation or rounding, once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_INTEGER_END_H
#define GPUMM_INTEGER_END_H

#include "wide.h"
#include "error.h"
#include "types.h"

#include <math.h>

typedef __int128 int128;

/* A sum high 2^n + low, such as one of 2^62 products of 64-bit integers with n = 64. */
typedef struct {
  int128 high, low;
} halves;

/* Every integer type: its letter and its C type. */
#define INTEGER_TYPES(F)                                                                           \
  F (I8, int8_t)                                                                                   \
  F (I16, int16_t)                                                                                 \
  F (I32, int32_t)                                                                                 \
  F (I64, int64_t)                                                                                 \
  F (U8, uint8_t)                                                                                  \
  F (U16, uint16_t)                                                                                \
  F (U32, uint32_t)                                                                                \
  F (U64, uint64_t)

/* ---- elements ---------------------------------------------------------------------------- */

static inline int128 load_integer (gpumm_type type, const void *values, int64_t at) {
  switch (type) {
#define LOAD_CASE(letter, type)                                                                    \
  case GPUMM_##letter:                                                                             \
    return ((const type *) values)[at];
    INTEGER_TYPES (LOAD_CASE)
  default:
    return 0;
  }
}

static inline void store_integer (gpumm_type type, void *values, int64_t at, int128 value) {
  const int bits = 8 * (int) gpumm_type_bytes (type);
  const int128 half = (int128) 1 << (bits - 1);
  const int128 low = gpumm_is_signed (type) ? -half : 0;
  const int128 high = low + 2 * half - 1;
  value = value < low ? low : value > high ? high : value;
  switch (type) {
#define STORE_CASE(letter, type)                                                                   \
  case GPUMM_##letter:                                                                             \
    ((type *) values)[at] = (type) value;                                                          \
    break;
    INTEGER_TYPES (STORE_CASE)
  default:
    break;
  }
}

/* The destination of a sum and the operations still to apply to it. */
typedef struct {
  gpumm_type output;
  int64_t alpha, beta;
  const void *c0; /* NULL if beta is 0 */
  void *c;
} integer_end;

static inline integer_end integer_end_of (const gpumm_problem *p, const gpumm_matrix *c) {
  return (integer_end){.output = c->type,
                       .alpha = (int64_t) p->alpha.re,
                       .beta = (int64_t) p->beta.re,
                       .c0 = p->c0 ? p->c0->values : NULL,
                       .c = c->values};
}

static inline gpumm_status check_whole (const gpumm_problem *p) {
  return gpumm_is_whole (p->alpha) && gpumm_is_whole (p->beta)
             ? GPUMM_OK
             : gpumm_fail (GPUMM_INVALID, "with integer matrices alpha and beta must be whole "
                                          "numbers of at most 2^53 in size");
}

/* x += beta c0 for a double c0, exactly: the sum is x 2^exponent. Returns 1 if a nonzero rest below
 * x was dropped. |x| < 2^222. */
static inline int add_double (wide *x, int64_t beta, double c0, int *exponent) {
  enum { FAR = 250, ROOM = 128 };
  int e;
  const int64_t significand = (int64_t) ldexp (frexp (c0, &e), 53);
  const wide y = wide_from ((int128) beta * significand); /* beta c0 = y 2^e, |y| <= 2^106 */
  int lost = 0;
  e -= 53;
  *exponent = 0;
  if (significand == 0)
    return 0;
  if (wide_is_zero (x)) {
    *x = y;
    *exponent = e;
  } else if (e > FAR) { /* y is far above x: 128 bits below its last, x affects only the rounding */
    wide above = y;
    wide_shift (&above, ROOM);
    *exponent = e - ROOM;
    lost = wide_shift (x, -*exponent);
    wide_add (x, &above);
  } else if (e >= 0) {
    wide above = y;
    wide_shift (&above, e);
    wide_add (x, &above);
  } else if (e >= -FAR) {
    wide_shift (x, -e);
    *exponent = e;
    wide_add (x, &y);
  } else { /* |beta c0| < 2^-144 affects only the rounding */
    const wide below = wide_from (wide_is_negative (&y) ? -1 : 0);
    wide_shift (x, ROOM);
    *exponent = -ROOM;
    lost = 1;
    wide_add (x, &below);
  }
  return lost;
}

static inline void store_float (const integer_end *e, int64_t at, wide *x, int64_t at_c0) {
  int exponent = 0;
  const int is_double = e->output == GPUMM_D;
  if (e->c0) {
    const double c0 =
        is_double ? ((const double *) e->c0)[at_c0] : (double) ((const float *) e->c0)[at_c0];
    if (!isfinite (c0)) { /* the sum is finite */
      if (is_double)
        ((double *) e->c)[at] = (double) e->beta * c0;
      else
        ((float *) e->c)[at] = (float) ((double) e->beta * c0);
      return;
    }
    /* an odd last bit, far below the rounding position, represents the dropped rest */
    x->limb[0] |= (uint64_t) add_double (x, e->beta, c0, &exponent);
  }
  if (is_double)
    ((double *) e->c)[at] = wide_to_double (x, exponent);
  else
    ((float *) e->c)[at] = wide_to_float (x, exponent);
}

/* C = alpha sum + beta C0 for element `at` of C and at_c0 of C0; |sum| < 2^63 */
static inline void finish_narrow (const integer_end *e, int64_t at, int64_t at_c0, int64_t sum) {
  /* alpha sum and beta C0 fit 128 bits */
  int128 value = (int128) e->alpha * sum;
  if (gpumm_is_float (e->output) && e->c0) {
    wide x = wide_from (value);
    store_float (e, at, &x, at_c0);
    return;
  }
  if (e->c0)
    value += (int128) e->beta * load_integer (e->output, e->c0, at_c0);
  if (gpumm_is_integer (e->output))
    store_integer (e->output, e->c, at, value);
  else if (e->output == GPUMM_D)
    ((double *) e->c)[at] = (double) value;
  else
    ((float *) e->c)[at] = (float) value;
}

/* The same for any sum. */
static inline void finish_wide (const integer_end *e, int64_t at, int64_t at_c0, wide sum) {
  wide_multiply (&sum, e->alpha);
  if (!gpumm_is_integer (e->output)) {
    store_float (e, at, &sum, at_c0);
    return;
  }
  if (e->c0) {
    wide c0 = wide_from (load_integer (e->output, e->c0, at_c0));
    wide_multiply (&c0, e->beta);
    wide_add (&sum, &c0);
  }
  store_integer (e->output, e->c, at, wide_clamp (&sum));
}

#endif
