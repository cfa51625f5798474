/* routine_rows.h - the rows of the table of routines, as the engine reads them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROUTINE_ROWS_H
#define GPUMM_ROUTINE_ROWS_H

#include "gpumm_blas.h"

typedef enum { CUBLAS, CUSOLVER } gpumm_library;

/* The numbers that a library gets. ANY: in sums of products NaN and Inf stay. FINITE: cuSOLVER and
 * triangles lose them. SAFE: LAPACK's own routines alone scale. SQUARED: QR computes squares. */
typedef enum { ANY, FINITE, SAFE, SQUARED } gpumm_numbers;

/* Whose diagonal decides whether the CPU shall compute: of A before the call (READ), or after it.
 * DIAGONAL: its elements must be safe; PIVOTS: and not singular to working precision; SQUARES: the
 * pivots are their squares. */
typedef enum {
  NO_DIAGONAL,
  READ_DIAGONAL,
  READ_PIVOTS,
  READ_SQUARES,
  WRITTEN_DIAGONAL,
  WRITTEN_PIVOTS,
  WRITTEN_SQUARES
} gpumm_diagonal;

typedef struct gpumm_routine_row {
  const char *names[2]; /* of real and of complex types */
  gpumm_library library;
  gpumm_numbers numbers;
  gpumm_diagonal diagonal;
  const char *trans[2];  /* "": none */
  const char *arguments; /* in Fortran: "(uplo, n, a, lda, info)" */
} gpumm_routine_row;

extern const gpumm_routine_row gpumm_routine_rows[GPUMM_ROUTINES];

/* Does a routine have this argument: alpha or a letter? */
int gpumm_has_argument (gpumm_routine routine, const char *name);

/* GPUMM_UNSUPPORTED, with the reason. */
gpumm_status gpumm_leave_to_cpu (const gpumm_call *call, const char *why);

/* Leave a call to the CPU: because of the largest number of an operand (base/magnitude.h); because
 * the diagonal of a factor, or of trsm's triangle, is extreme or the factor is singular. */
gpumm_status gpumm_check_largest (const gpumm_call *call, double largest);
gpumm_status gpumm_check_diagonal (const gpumm_call *call, const void *values, int64_t n,
                                   int64_t ld);

#endif
