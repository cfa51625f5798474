/* inverse_norm.h - the norm of an inverse, estimated from a few solutions that the caller makes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_INVERSE_NORM_H
#define GPUMM_INVERSE_NORM_H

#include "memory/host.h"

typedef struct gpumm_inverse_norm {
  gpumm_type type; /* S, D, C, Z */
  int64_t n;
  void *x; /* n elements, with room for n more, in host memory */
  int is_transposed;
  void *step, *v; /* from here on lacn2's */
  int64_t *signs, kase, save[3];
  union {
    float s;
    double d;
  } norm;
  gpumm_owner owner;
} gpumm_inverse_norm;

/* After open, call next until it returns 0. Where it returns 1, replace x by the inverse times x,
 * or if is_transposed by the inverse of the conjugate transpose times x. Then rcond sets the
 * reciprocal condition number of the matrix whose norm 1 is anorm. close: also after a failure. */
gpumm_status gpumm_inverse_norm_open (gpumm_inverse_norm *e, gpumm_type type, int64_t n);
int gpumm_inverse_norm_next (gpumm_inverse_norm *e);
gpumm_status gpumm_inverse_norm_rcond (const gpumm_inverse_norm *e, double anorm, double *rcond);
void gpumm_inverse_norm_close (gpumm_inverse_norm *e);

#endif
