/* routine_on_host.c - what the host device does for cuBLAS and cuSOLVER: it calls the CPU's
 * library.
 *
 * So the tests reach, without a GPU, all of a call but the arithmetic of NVIDIA's libraries.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "routine_on_host.h"
#include "base/error.h"
#include "base/types.h"
#include "memory/host.h"
#include "move/copy.h"

#include <stdio.h>

const char *gpumm_routine_name (gpumm_routine routine, gpumm_type type) {
  static const char *const names[GPUMM_ROUTINES] = {
      "gemm",  "symm",  "hemm",  "syrk",  "herk",  "syr2k", "her2k", "trmm",  "trsm", "getrf",
      "getrs", "getri", "potrf", "potrs", "geqrf", "orgqr", "ormqr", "gecon", "pocon"};
  if (gpumm_is_complex (type) && (routine == GPUMM_ORGQR || routine == GPUMM_ORMQR))
    return routine == GPUMM_ORGQR ? "ungqr" : "unmqr";
  return (unsigned) routine < GPUMM_ROUTINES ? names[routine] : "";
}

/* Fortran passes all by reference. Its integers have 32 or 64 bits: 64 bits fit both
 * (little-endian). The lengths of letters come last; more than a routine has do no harm. */
typedef void routine ();

static void level3 (routine *f, const gpumm_call *x) {
  const gpumm_typed_scalar alpha = gpumm_scalar_of (x->type, x->alpha),
                           beta = gpumm_scalar_of (x->type, x->beta);
  const size_t one = 1;
  switch (x->routine) {
  case GPUMM_SYMM:
  case GPUMM_HEMM:
    f (&x->side, &x->uplo, &x->m, &x->n, &alpha, x->a, &x->lda, x->b, &x->ldb, &beta, x->c, &x->ldc,
       one, one);
    break;
  case GPUMM_SYRK:
  case GPUMM_HERK:
    f (&x->uplo, &x->trans, &x->n, &x->k, &alpha, x->a, &x->lda, &beta, x->c, &x->ldc, one, one);
    break;
  case GPUMM_SYR2K:
  case GPUMM_HER2K:
    f (&x->uplo, &x->trans, &x->n, &x->k, &alpha, x->a, &x->lda, x->b, &x->ldb, &beta, x->c,
       &x->ldc, one, one);
    break;
  default:
    f (&x->side, &x->uplo, &x->trans, &x->diag, &x->m, &x->n, &alpha, x->a, &x->lda, x->b, &x->ldb,
       one, one, one, one);
  }
}

/* pivots: in the library's integers. */
static void lapack (routine *f, const gpumm_call *x, void *pivots, void *space,
                    const int64_t *length, int64_t *info) {
  const size_t one = 1;
  switch (x->routine) {
  case GPUMM_GETRF:
    f (&x->m, &x->n, x->a, &x->lda, pivots, info);
    break;
  case GPUMM_GETRS:
    f (&x->trans, &x->n, &x->k, x->a, &x->lda, pivots, x->b, &x->ldb, info, one);
    break;
  case GPUMM_GETRI:
    f (&x->n, x->b, &x->ldb, pivots, space, length, info);
    break;
  case GPUMM_POTRF:
    f (&x->uplo, &x->n, x->a, &x->lda, info, one);
    break;
  case GPUMM_POTRS:
    f (&x->uplo, &x->n, &x->k, x->a, &x->lda, x->b, &x->ldb, info, one);
    break;
  case GPUMM_GEQRF:
    f (&x->m, &x->n, x->a, &x->lda, x->tau, space, length, info);
    break;
  case GPUMM_ORGQR:
    f (&x->m, &x->n, &x->k, x->a, &x->lda, x->tau, space, length, info);
    break;
  default:
    f (&x->side, &x->trans, &x->m, &x->n, &x->k, x->a, &x->lda, x->tau, x->c, &x->ldc, space,
       length, info, one, one);
  }
}

static gpumm_status with_space (routine *f, const gpumm_call *x, int32_t *info) {
  enum { BLOCK = 64 };
  const size_t element = gpumm_type_bytes (x->type);
  const int wide = gpumm_blas_bits () == 64;
  const int64_t longest = x->m > x->n ? x->m : x->n, length = BLOCK * longest;
  const int64_t count = x->routine == GPUMM_GETRF ? gpumm_least (x->m, x->n) : x->n;
  int64_t said = 0;
  gpumm_owner owner = {.count = 0};
  void *space = gpumm_own (&owner, length, element);
  int64_t *pivots = gpumm_own (&owner, count, sizeof *pivots);
  if (!space || !pivots) {
    gpumm_release_owned (&owner);
    return GPUMM_HOST_MEMORY;
  }
  int32_t *narrow = (int32_t *) pivots;
  const int reads = x->routine == GPUMM_GETRS || x->routine == GPUMM_GETRI;
  for (int64_t i = 0; reads && i < count; i++)
    if (wide)
      pivots[i] = x->pivots[i];
    else
      narrow[i] = x->pivots[i];
  if (x->routine == GPUMM_GETRI)
    gpumm_copy_columns (x->b, (size_t) x->ldb * element, x->a, (size_t) x->lda * element,
                        (size_t) x->n * element, x->n, 0);
  lapack (f, x, pivots, space, &length, &said);
  for (int64_t i = 0; x->routine == GPUMM_GETRF && i < count; i++)
    x->pivots[i] = wide ? (int32_t) pivots[i] : narrow[i];
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
  if (x->routine >= GPUMM_GETRF)
    return with_space (f, x, info);
  level3 (f, x);
  return GPUMM_OK;
}
