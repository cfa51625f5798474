/* table.c - the rows of the table of routines, and the operands of a call by its row.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"
#include "base/error.h"
#include "base/overlap.h"
#include "base/types.h"

#include <string.h>

#define ROUTINE(NAME, names, library, letters, ...)                                                \
  [GPUMM_##NAME] = {{UNPACKED names}, UNPACKED library, LETTERS letters},
#define ESTIMATE(NAME, names) [GPUMM_##NAME] = {{UNPACKED names}, .trans = {"", ""}},
#define UNPACKED(...)         __VA_ARGS__
#define LETTERS(letters, trans, trans_complex)                                                     \
  letters, {                                                                                       \
    trans, trans_complex                                                                           \
  }
const gpumm_routine_row gpumm_routine_rows[GPUMM_ROUTINES] = {GPUMM_ROUTINE_ROWS (ROUTINE)
                                                                  GPUMM_ESTIMATE_ROWS (ESTIMATE)};
#undef ROUTINE

const char *gpumm_routine_name (gpumm_routine routine, gpumm_type type) {
  return (unsigned) routine < GPUMM_ROUTINES
             ? gpumm_routine_rows[routine].names[gpumm_is_complex (type)]
             : "";
}

/* ---- operands ----------------------------------------------------------------------------- */

typedef enum { READ, WRITTEN, UPDATED, SUMMED, OVER_A } access_kind;
typedef enum { ALL, TRIANGLE, BELOW } part_kind;

static void set (const gpumm_call *x, gpumm_operand *all, gpumm_operand_index i, int64_t rows,
                 int64_t cols, access_kind access, part_kind part) {
  void *const values[GPUMM_OPERANDS] = {x->a, x->b, x->c, x->tau, x->pivots};
  const int64_t ld[GPUMM_OPERANDS] = {x->lda, x->ldb, x->ldc, rows, rows};
  const int has_unit = gpumm_routine_rows[x->routine].letters & HAS_DIAG && x->diag == 'U';
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

/* Is the letter one of these? allowed "": the routine has no such letter. */
static int is_letter (char letter, const char *allowed) {
  return !*allowed || (letter && strchr (allowed, letter));
}

static int has_letters (const gpumm_call *x) {
  const gpumm_routine_row *row = &gpumm_routine_rows[x->routine];
  return is_letter (x->side, row->letters & HAS_SIDE ? "LR" : "")
         && is_letter (x->uplo, row->letters & HAS_UPLO ? "UL" : "")
         && is_letter (x->trans, row->trans[gpumm_is_complex (x->type)])
         && is_letter (x->trans_b, row->letters & HAS_TRANS_B ? "NTC" : "")
         && is_letter (x->diag, row->letters & HAS_DIAG ? "UN" : "");
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
