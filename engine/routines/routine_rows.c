/* routine_rows.c - what follows from a routine's row: the operands of a call, and whether the CPU
 * has to compute it.
 *
 * A program gets the results, info and so the warnings of its own BLAS and LAPACK, also where
 * NVIDIA's libraries differ from them. Its own libraries compute:
 *
 *   products with alpha 0: cuBLAS reads A and B, and 0 * NaN is NaN
 *   trmm, trsm and LAPACK, if numbers are not finite, or close to overflow or underflow: cuSOLVER
 *     loses NaN, and does not scale
 *   LAPACK, if info is not 0
 *   a matrix that is singular to working precision: info depends on rounding errors
 *   results that overflow: the order of the arithmetic decides which elements are Inf or NaN
 *
 * Most of this shows only while or after the device computes. Such calls are rare and take longer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "routine_rows.h"
#include "base/error.h"
#include "base/magnitude.h"
#include "base/overlap.h"
#include "base/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUTINE(NAME, names, library, letters, work, fortran, ...)                                 \
  [GPUMM_##NAME] = {{UNPACKED names}, UNPACKED library, {UNPACKED letters}, #fortran},
#define ESTIMATE(NAME, names)                                                                      \
  [GPUMM_##NAME] = {{UNPACKED names}, .trans = {"", ""}, .arguments = ""},
#define UNPACKED(...) __VA_ARGS__
const gpumm_routine_row gpumm_routine_rows[GPUMM_ROUTINES] = {GPUMM_ROUTINE_ROWS (ROUTINE)
                                                                  GPUMM_ESTIMATE_ROWS (ESTIMATE)};
#undef ROUTINE

const char *gpumm_routine_name (gpumm_routine routine, gpumm_type type) {
  return (unsigned) routine < GPUMM_ROUTINES
             ? gpumm_routine_rows[routine].names[gpumm_is_complex (type)]
             : "";
}

int gpumm_has_argument (gpumm_routine routine, const char *name) {
  return strstr (gpumm_routine_rows[routine].arguments, name) != NULL;
}

/* ---- operands ----------------------------------------------------------------------------- */

typedef enum { READ, WRITTEN, UPDATED, SUMMED, OVER_A } access_kind;
typedef enum { ALL, TRIANGLE, BELOW } part_kind;

static void set (const gpumm_call *x, gpumm_operand *all, gpumm_operand_index i, int64_t rows,
                 int64_t cols, access_kind access, part_kind part) {
  void *const values[GPUMM_OPERANDS] = {x->a, x->b, x->c, x->tau, x->pivots};
  const int64_t ld[GPUMM_OPERANDS] = {x->lda, x->ldb, x->ldc, rows, rows};
  const int has_unit = gpumm_has_argument (x->routine, "diag") && x->diag == 'U';
  const int where = access == OVER_A ? GPUMM_OPERAND_A : (int) i;
  all[i] = (gpumm_operand){.x = {.type = i == GPUMM_OPERAND_PIVOTS ? GPUMM_I32 : x->type,
                                 .rows = rows,
                                 .cols = cols,
                                 .ld = ld[where],
                                 .values = values[where]},
                           .reads = access == READ || access == UPDATED
                                    || (access == SUMMED && !gpumm_is_zero (x->beta)),
                           .writes = access != READ,
                           .over_a = access == OVER_A,
                           .part = (char) (part == TRIANGLE ? x->uplo
                                           : part == BELOW  ? 'L'
                                                            : 'A'),
                           .written = (char) (part == TRIANGLE ? x->uplo : 'A'),
                           .apart = part == BELOW || (part == TRIANGLE && has_unit)};
}

/* Returns whether the sizes fit each other. */
static int set_all (const gpumm_call *x, gpumm_operand *all) {
  const int64_t m = x->m, n = x->n, k = x->k, side = x->side == 'L' ? m : n;
  const int64_t least = gpumm_least (m, n);
  const int plain = x->trans == 'N', plain_b = x->trans_b == 'N';
  int fits = 1;
  memset (all, 0, GPUMM_OPERANDS * sizeof *all);
  switch (x->routine) {
#define OPERAND(which, rows, cols, access, part)                                                   \
  set (x, all, GPUMM_OPERAND_##which, rows, cols, access, part);
#define NEEDS(condition) fits = condition;
#define ROUTINE(NAME, names, library, letters, work, fortran, nvidia, operands)                    \
  case GPUMM_##NAME:                                                                               \
    operands break;
    GPUMM_ROUTINE_ROWS (ROUTINE)
  default:
    break;
  }
  return fits;
}

/* Is the letter one of these, if the routine has such a letter? */
static int is_letter (const gpumm_call *x, const char *name, char letter, const char *allowed) {
  return !gpumm_has_argument (x->routine, name) || (letter && strchr (allowed, letter));
}

static int has_letters (const gpumm_call *x) {
  const char *const trans = gpumm_routine_rows[x->routine].trans[gpumm_is_complex (x->type)];
  return is_letter (x, "side", x->side, "LR") && is_letter (x, "uplo", x->uplo, "UL")
         && is_letter (x, "trans", x->trans, trans) && is_letter (x, "trans_b", x->trans_b, "NTC")
         && is_letter (x, "diag", x->diag, "UN");
}

gpumm_status gpumm_call_operands (const gpumm_call *call, gpumm_operand operands[GPUMM_OPERANDS]) {
  if (!call || !operands || (unsigned) call->routine >= GPUMM_GECON
      || (unsigned) call->type > GPUMM_Z)
    return gpumm_fail (GPUMM_INVALID, "no call of a routine");
  const char *name = gpumm_routine_name (call->routine, call->type);
  const int fits = set_all (call, operands);
  if (!has_letters (call))
    return gpumm_fail (GPUMM_INVALID, "%s: side, uplo, trans or diag is not a letter of BLAS",
                       name);
  if (!fits)
    return gpumm_fail (GPUMM_INVALID, "%s: m, n and k do not fit", name);
  for (const gpumm_operand *o = operands; o < operands + GPUMM_OPERANDS; o++) {
    if (!o->reads && !o->writes)
      continue;
    if (o->x.rows < 1 || o->x.cols < 1 || o->x.ld < o->x.rows || !o->x.values)
      return gpumm_fail (GPUMM_INVALID,
                         "%s: an argument has %lld x %lld elements with leading dimension %lld%s",
                         name, (long long) o->x.rows, (long long) o->x.cols, (long long) o->x.ld,
                         o->x.values ? "" : ", and no memory");
    for (const gpumm_operand *p = operands; p < o; p++)
      if (!o->over_a && (o->writes || p->writes) && p->x.values
          && gpumm_matrices_overlap (&o->x, &p->x))
        return gpumm_fail (GPUMM_INVALID,
                           "%s: what it writes lies in the memory of another argument", name);
  }
  return GPUMM_OK;
}

/* ---- what is the CPU's ---------------------------------------------------------------------- */

gpumm_status gpumm_leave_to_cpu (const gpumm_call *x, const char *why) {
  return gpumm_fail (GPUMM_UNSUPPORTED, "%s: left to the CPU, as %s",
                     gpumm_routine_name (x->routine, x->type), why);
}

/* The library gets numbers within this range, and 0. */
static gpumm_range range_of (const gpumm_call *x) {
  const gpumm_numbers numbers = gpumm_routine_rows[x->routine].numbers;
  const gpumm_range safe = gpumm_safe_range (x->type);
  return numbers == SQUARED ? (gpumm_range){sqrt (safe.least), sqrt (safe.most)}
         : numbers == SAFE  ? safe
                            : (gpumm_range){DBL_TRUE_MIN, DBL_MAX};
}

gpumm_status gpumm_check_largest (const gpumm_call *x, double largest) {
  const gpumm_range allowed = range_of (x);
  if (largest == 0 || (largest >= allowed.least && largest <= allowed.most))
    return GPUMM_OK;
  return gpumm_leave_to_cpu (x, "numbers are not finite, or close to overflow or underflow");
}

/* Singular to working precision: the smallest pivot below 16 sqrt (n) eps of the largest one. For
 * n = 1000 that is 500 eps. Matrices of rank 999 had up to 190 eps in single precision, random ones
 * above 60000 eps. The pivots of Cholesky's factor are the squares. */
gpumm_status gpumm_check_diagonal (const gpumm_call *x, const void *values, int64_t n, int64_t ld) {
  const gpumm_range allowed = range_of (x);
  const gpumm_diagonal kind = gpumm_routine_rows[x->routine].diagonal;
  const double eps = gpumm_is_single (x->type) ? FLT_EPSILON : DBL_EPSILON;
  const double noise = 16 * sqrt ((double) n) * eps;
  const gpumm_range found = gpumm_diagonal_range (x->type, values, n, ld);
  const double ratio = found.least / found.most;
  const int has_pivots = kind == READ_PIVOTS || kind == WRITTEN_PIVOTS;
  const int has_squares = kind == READ_SQUARES || kind == WRITTEN_SQUARES;
  if (!(found.least >= allowed.least && found.most <= allowed.most))
    return gpumm_leave_to_cpu (
        x, "a diagonal element is zero, not finite, or close to overflow or underflow");
  if ((has_pivots && !(ratio > noise)) || (has_squares && !(ratio * ratio > noise)))
    return gpumm_leave_to_cpu (x, "the matrix is singular to working precision");
  return GPUMM_OK;
}
