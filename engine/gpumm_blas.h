/* gpumm_blas.h - routines of BLAS and LAPACK on a device, and the BLAS of this process.
 *
 * For programs, and for libgpumm_blas.so (blas/). A gpumm_call has LAPACK's arguments as values of
 * C: how Fortran passes them is left to blas/. What a GPU might compute differently from the CPU's
 * library is refused with the arguments unchanged, and the caller calls that library.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_BLAS_H
#define GPUMM_GPUMM_BLAS_H

#include "gpumm.h"
#include "gpumm_routines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- routines of BLAS and LAPACK ------------------------------------------------------------- */

/* In the order of the table: first level 3 of BLAS, then LAPACK, then from GPUMM_GECON on what the
 * CPU alone computes, not for gpumm_run_call. */
typedef enum gpumm_routine {
#define ROUTINE(NAME, ...) GPUMM_##NAME,
  GPUMM_ROUTINE_ROWS (ROUTINE) GPUMM_ESTIMATE_ROWS (ROUTINE)
#undef ROUTINE
      GPUMM_ROUTINES
} gpumm_routine;

/* A call of a routine for matrices by columns in host memory. The arguments have the names and the
 * values that they have in BLAS and LAPACK, letters are capitals, and what a routine does not have
 * is not looked at; k is nrhs of getrs and potrs. trmm, trsm: the matrices are a and b. No size may
 * be 0, and what a routine writes must not overlap its other arguments: GPUMM_INVALID. */
typedef struct gpumm_call {
  gpumm_routine routine;
  gpumm_type type; /* S, D, C, Z */
  char side, uplo, trans, trans_b, diag;
  int64_t m, n, k;
  gpumm_scalar alpha, beta;
  void *a, *b, *c;
  int64_t lda, ldb, ldc;
  void *tau;
  int32_t *pivots;
} gpumm_call;

/* A routine's name without the letter of its type: "gemm". */
GPUMM_API const char *gpumm_routine_name (gpumm_routine routine, gpumm_type type);

/* An operand of a call. */
typedef enum gpumm_operand_index {
  GPUMM_OPERAND_A,
  GPUMM_OPERAND_B,
  GPUMM_OPERAND_C,
  GPUMM_OPERAND_TAU,
  GPUMM_OPERAND_PIVOTS,
  GPUMM_OPERANDS
} gpumm_operand_index;

typedef struct gpumm_operand {
  gpumm_matrix x;
  int reads, writes;  /* neither: the routine has no such operand */
  int over_a;         /* it is written where A was read */
  char part, written; /* what is read, and written: 'A': all, 'U', 'L': a triangle */
  int apart;          /* the part that is read begins so many elements beside the diagonal */
} gpumm_operand;

/* Sets the operands of a call of a routine that gpumm_run_call takes: the sizes follow from side,
 * trans, m, n and k, what is read from beta. GPUMM_INVALID: letters, sizes, leading dimensions or
 * memory do not fit. */
GPUMM_API gpumm_status gpumm_call_operands (const gpumm_call *call,
                                            gpumm_operand operands[GPUMM_OPERANDS]);

/* Runs it on a GPU; where is GPUMM_AUTO: if the plan would send a product of this size there;
 * GPUMM_GPU: in any case; GPUMM_CPU: on the host device, for tests. GPUMM_UNSUPPORTED: the CPU
 * shall do it, because of its size, or because NVIDIA's library and the CPU's might differ: alpha
 * is 0, info is not, numbers are not finite or close to overflow, a matrix is singular to working
 * precision (routine_rows.c). On failure the arguments are unchanged, except outputs that are not
 * read. */
GPUMM_API gpumm_status gpumm_run_call (const gpumm_call *call, gpumm_backend where);

/* gecon and pocon by all cores of the CPU: sets *rcond to an estimate of the reciprocal condition
 * number of the matrix whose factors of getrf or potrf are a, and whose norm is anorm, above 0. It
 * takes LAPACK's steps with LAPACK's bound. norm: '1', 'O' or 'I', of gecon. GPUMM_UNSUPPORTED:
 * LAPACK shall do it, because numbers are close to overflow. GPUMM_INVALID: an argument is none of
 * these. No argument but *rcond changes. */
GPUMM_API gpumm_status gpumm_estimate_condition (const gpumm_call *call, char norm, double anorm,
                                                 double *rcond);

/* ---- the BLAS of this process -------------------------------------------------------------- */

/* A function of the BLAS or LAPACK that computes on the CPU, by its name ("dgemm_"): of the library
 * that GPUMM_BLAS names, else of the one that the process uses, else of the system's; never of
 * gpumm's own libgpumm_blas.so. NULL: none has it. And the file of that BLAS, "" if there is none,
 * and the bits of its integers, 32 or 64. */
GPUMM_API void *gpumm_blas_symbol (const char *name);
GPUMM_API const char *gpumm_blas_file (void);
GPUMM_API int gpumm_blas_bits (void);

#ifdef __cplusplus
}
#endif
#endif
