/* blas.h - what the routines of the drop-in share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLAS_BLAS_H
#define GPUMM_BLAS_BLAS_H

#include "gpumm_blas.h"

#ifdef GPUMM_BLAS_64
typedef int64_t integer;
#else
typedef int32_t integer;
#endif

/* m n k from which on a call is looked at; set when the library is loaded. */
extern double gpumm_blas_least;

/* Does the call where the engine sends it, if its arguments are valid. 0: it is for the BLAS below,
 * which also reports invalid arguments. */
int gpumm_blas_take (const gpumm_call *call);

/* gecon and pocon by all cores of the CPU, where they count. 0: it is for the LAPACK below. */
int gpumm_blas_estimate (const gpumm_call *call, char norm, double anorm, void *rcond);

/* The same for a call with pivots; writes: the routine sets them. */
int gpumm_blas_take_pivots (gpumm_call *call, integer *pivots, int64_t count, int writes);

/* A call by rows becomes the same call by columns. */
void gpumm_blas_by_columns (gpumm_call *call);

/* The function of the BLAS below. If it has none the process ends, as it would without a BLAS. */
void *gpumm_blas_find (const char *name);

/* Counts a large call that the CPU computed. */
void gpumm_blas_passed (gpumm_routine routine, gpumm_type type, double seconds);
double gpumm_blas_seconds (void); /* of a clock */

/* Entry i of the counts, for gpumm_blas () in Octave; 0 past the last. This name marks the drop-in:
 * the engine does not take a library that has it for a BLAS. */
GPUMM_API int gpumm_blas_calls (int i, char name[16], int64_t *gpu, int64_t *cpu,
                                double *gpu_seconds, double *cpu_seconds);

/* Letters and scalars as gpumm_call has them. */
static inline char gpumm_blas_capital (const char *letter) {
  return (char) (*letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter);
}

static inline gpumm_scalar gpumm_blas_scalar (const void *x, int is_single, int is_complex) {
  const float *s = x;
  const double *d = x;
  return (gpumm_scalar){is_single ? (double) s[0] : d[0], !is_complex ? 0
                                                          : is_single ? (double) s[1]
                                                                      : d[1]};
}

#endif
