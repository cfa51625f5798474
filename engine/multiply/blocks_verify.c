/* blocks_verify.c - checks matrices in blocks from outside.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks.h"
#include "error.h"
#include "matrix.h"
#include "threads.h"

#include <stdatomic.h>

/* The fewest blocks for a thread: each costs a cache line, about 50 ns. */
static const int64_t LEAST_BLOCKS = 10000;

typedef struct {
  const gpumm_matrix *x;
  atomic_llong zeros;
} zero_count;

static void count_zeros (void *context, int64_t begin, int64_t end) {
  zero_count *count = context;
  const gpumm_matrix *x = count->x;
  const size_t bytes = gpumm_entry_bytes (x);
  int64_t zeros = 0;
  for (int64_t t = begin; t < end; t++)
    zeros += !gpumm_blocks_any (x->type, (const char *) x->values + (size_t) t * bytes,
                                gpumm_entry_elements (x));
  atomic_fetch_add (&count->zeros, zeros);
}

gpumm_status gpumm_blocks_verify (const gpumm_matrix *x, int64_t *zeros) {
  if (zeros)
    *zeros = 0;
  if (x->format != GPUMM_BLOCKS)
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
  if (!zeros)
    return GPUMM_OK;
  zero_count of = {.x = x};
  const gpumm_status counted = gpumm_parallel (count, LEAST_BLOCKS, count_zeros, &of);
  *zeros = (int64_t) of.zeros;
  return counted;
}
