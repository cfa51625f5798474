/* blocks_verify.c - checks matrices in blocks from outside.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_tools.h"
#include "blocks.h"
#include "cancel.h"
#include "error.h"
#include "matrix.h"

gpumm_status gpumm_blocks_verify (const gpumm_matrix *x, int64_t *zeros) {
  if (zeros)
    *zeros = 0;
  if (!x || x->format != GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_INVALID, "not a matrix by blocks");
  gpumm_status status = gpumm_check_matrix (x, "the matrix");
  if (!status)
    status = gpumm_check_entries (x, "the matrix");
  if (status)
    return status;
  const int64_t count = gpumm_entries (x);
  if (count != x->nzmax)
    return gpumm_fail (GPUMM_INVALID, "the offsets end at %lld, and there are %lld blocks",
                       (long long) count, (long long) x->nzmax);
  const size_t bytes = gpumm_entry_bytes (x);
  for (int64_t t = 0; zeros && t < count && !gpumm_is_cancelled_at (t); t++)
    *zeros += !gpumm_blocks_any (x->type, (const char *) x->values + (size_t) t * bytes,
                                 gpumm_entry_elements (x));
  return gpumm_check_cancelled ();
}
