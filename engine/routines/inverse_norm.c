/* inverse_norm.c - lacn2 of the process's own LAPACK, one step at a time.
 *
 * It knows no matrix: whoever has the factors solves with them, threads in host memory
 * (condition.c) or a device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inverse_norm.h"
#include "gpumm_blas.h"
#include "base/error.h"
#include "base/types.h"

#include <float.h>
#include <stdio.h>

/* lacn2 keeps its state in `save`, and says in `kase` what to multiply x by: 1: the inverse, 2: its
 * transpose, 0: nothing, it is done. Integers of 64 bits fit both kinds (library.c). */
typedef void real_step (const int64_t *n, void *v, void *x, int64_t *signs, void *norm,
                        int64_t *kase, int64_t *save);
typedef void complex_step (const int64_t *n, void *v, void *x, void *norm, int64_t *kase,
                           int64_t *save);

/* Looked for once: among many libraries that takes as long as a small estimate. */
static void *find_step (gpumm_type type) {
  static void *_Atomic found[4];
  char name[8];
  if (!found[type]) {
    snprintf (name, sizeof name, "%clacn2_", "sdcz"[type]);
    found[type] = gpumm_blas_symbol (name);
  }
  return found[type];
}

gpumm_status gpumm_inverse_norm_open (gpumm_inverse_norm *e, gpumm_type type, int64_t n) {
  const size_t element = gpumm_type_bytes (type);
  *e = (gpumm_inverse_norm){.type = type, .n = n, .step = find_step (type)};
  e->v = gpumm_own (&e->owner, n, element);
  e->x = gpumm_own (&e->owner, n, 2 * element);
  e->signs = gpumm_own (&e->owner, n, sizeof *e->signs);
  return !e->step                   ? gpumm_fail (GPUMM_UNSUPPORTED, "no LAPACK has lacn2")
         : e->v && e->x && e->signs ? GPUMM_OK
                                    : GPUMM_HOST_MEMORY;
}

int gpumm_inverse_norm_next (gpumm_inverse_norm *e) {
  if (gpumm_is_complex (e->type))
    ((complex_step *) e->step) (&e->n, e->v, e->x, &e->norm, &e->kase, e->save);
  else
    ((real_step *) e->step) (&e->n, e->v, e->x, e->signs, &e->norm, &e->kase, e->save);
  e->is_transposed = e->kase == 2;
  return e->kase != 0;
}

gpumm_status gpumm_inverse_norm_rcond (const gpumm_inverse_norm *e, double anorm, double *rcond) {
  const double found =
      gpumm_is_single (e->type) ? (double) (1 / e->norm.s / (float) anorm) : 1 / e->norm.d / anorm;
  if (!(found > 0 && found <= DBL_MAX))
    return gpumm_fail (GPUMM_UNSUPPORTED, "the estimate overflows");
  *rcond = found;
  return GPUMM_OK;
}

void gpumm_inverse_norm_close (gpumm_inverse_norm *e) {
  gpumm_release_owned (&e->owner);
}
