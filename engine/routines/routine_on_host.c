/* routine_on_host.c - what the host device does for cuBLAS and cuSOLVER: it calls the CPU's
 * library.
 *
 * So the tests reach, without a GPU, all of a call but the arithmetic of NVIDIA's libraries.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "queued.h"
#include "base/error.h"
#include "base/types.h"
#include "memory/host.h"
#include "move/copy.h"

#include <stdio.h>

/* Fortran passes all by reference. Its integers have 32 or 64 bits: 64 bits fit both
 * (little-endian). The lengths of letters come last; more than a routine has do no harm. */
typedef void routine ();

/* pivots: in the library's integers. */
static void call (routine *f, const gpumm_call *x, void *pivots, void *space, const int64_t *length,
                  int64_t *info) {
  const gpumm_typed_scalar of_alpha = gpumm_scalar_of (x->type, x->alpha),
                           of_beta = gpumm_scalar_of (x->type, x->beta);
  const void *alpha = &of_alpha, *beta = &of_beta;
  const char *side = &x->side, *uplo = &x->uplo, *trans = &x->trans, *trans_b = &x->trans_b,
             *diag = &x->diag;
  const int64_t *m = &x->m, *n = &x->n, *k = &x->k, *lda = &x->lda, *ldb = &x->ldb, *ldc = &x->ldc;
  void *a = x->a, *b = x->b, *c = x->c, *tau = x->tau;
  const size_t one = 1;
  switch (x->routine) {
#define UNPACKED(...) __VA_ARGS__
#define ROUTINE(NAME, names, library, letters, work, fortran, ...)                                 \
  case GPUMM_##NAME:                                                                               \
    f (UNPACKED fortran, one, one, one, one);                                                      \
    break;
    GPUMM_ROUTINE_ROWS (ROUTINE)
  default:
    break;
  }
}

/* With workspace, and pivots in the library's integers. The inverse is made in place. */
static gpumm_status with_space (routine *f, gpumm_call x, int32_t *info) {
  enum { BLOCK = 64 };
  const size_t element = gpumm_type_bytes (x.type);
  const int wide = gpumm_blas_bits () == 64;
  const int64_t length = BLOCK * (x.m > x.n ? x.m : x.n);
  gpumm_operand operands[GPUMM_OPERANDS];
  const gpumm_operand *p = &operands[GPUMM_OPERAND_PIVOTS];
  int64_t said = 0;
  gpumm_owner owner = {.count = 0};
  const gpumm_status status = gpumm_call_operands (&x, operands);
  if (status)
    return status;
  void *space = gpumm_own (&owner, length, element);
  int64_t *pivots = gpumm_own (&owner, p->x.rows + 1, sizeof *pivots);
  if (!space || !pivots) {
    gpumm_release_owned (&owner);
    return GPUMM_HOST_MEMORY;
  }
  int32_t *narrow = (int32_t *) pivots;
  for (int64_t i = 0; p->reads && i < p->x.rows; i++)
    if (wide)
      pivots[i] = x.pivots[i];
    else
      narrow[i] = x.pivots[i];
  if (operands[GPUMM_OPERAND_B].over_a) {
    gpumm_copy_columns (x.b, (size_t) x.ldb * element, x.a, (size_t) x.lda * element,
                        (size_t) x.n * element, x.n, 0);
    x.a = x.b, x.lda = x.ldb;
  }
  call (f, &x, pivots, space, &length, &said);
  for (int64_t i = 0; p->writes && i < p->x.rows; i++)
    x.pivots[i] = wide ? (int32_t) pivots[i] : narrow[i];
  if (info)
    *info = (int32_t) said;
  gpumm_release_owned (&owner);
  return GPUMM_OK;
}

gpumm_status gpumm_call_on_host (const gpumm_call *x, int32_t *info) {
  static const char letters[] = "sdcz";
  char name[16];
  snprintf (name, sizeof name, "%c%s_", letters[x->type], gpumm_routine_name (x->routine, x->type));
  routine *f = (routine *) gpumm_blas_symbol (name);
  if (!f)
    return gpumm_fail (GPUMM_UNSUPPORTED, "no library of this process has %s", name);
  return with_space (f, *x, info);
}
