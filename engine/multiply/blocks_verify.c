/* blocks_verify.c - checks matrices in blocks from outside, and removes their zero blocks.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks.h"
#include "error.h"
#include "threads.h"

#include <stdatomic.h>
#include <string.h>

/* Elements to check before the rest of a block: most blocks begin with a nonzero element. */
enum { FIRST_ELEMENTS = 16 };

/* The fewest blocks for a thread: each costs a cache line, about 50 ns. */
static const int64_t LEAST_BLOCKS = 10000;

static int is_zero (const gpumm_operand *x, int64_t t) {
  const int64_t each = x->block_rows * x->block_cols;
  const int64_t first = each < FIRST_ELEMENTS ? each : FIRST_ELEMENTS;
  const size_t bytes = gpumm_type_bytes (x->type);
  const char *block = (const char *) x->values + (size_t) (t * each) * bytes;
  return !gpumm_blocks_any (x->type, block, first)
         && !gpumm_blocks_any (x->type, block + (size_t) first * bytes, each - first);
}

typedef struct {
  const gpumm_operand *x;
  atomic_llong zeros;
} zero_count;

static void count_zeros (void *context, int64_t begin, int64_t end) {
  zero_count *count = context;
  int64_t zeros = 0;
  for (int64_t t = begin; t < end; t++)
    zeros += is_zero (count->x, t);
  atomic_fetch_add (&count->zeros, zeros);
}

gpumm_status gpumm_blocks_verify (const gpumm_operand *x, int64_t *zeros) {
  if (zeros)
    *zeros = 0;
  if (x->kind != GPUMM_BLOCKS || (unsigned) x->type >= GPUMM_TYPES || x->place != GPUMM_HOST)
    return gpumm_fail (GPUMM_INVALID, "not a matrix by blocks in host memory");
  if (x->rows < 0 || x->cols < 0 || x->nzmax < 0 || x->block_rows < 1 || x->block_cols < 1
      || x->rows % x->block_rows != 0 || x->cols % x->block_cols != 0)
    return gpumm_fail (GPUMM_INVALID, "%lldx%lld does not divide into blocks of %lldx%lld",
                       (long long) x->rows, (long long) x->cols, (long long) x->block_rows,
                       (long long) x->block_cols);
  if (!x->block_start || (x->nzmax > 0 && (!x->block_column || !x->values)))
    return gpumm_fail (GPUMM_INVALID, "a matrix by blocks has no arrays");
  const gpumm_status status = gpumm_blocks_check_structure (x, "the matrix");
  if (status != GPUMM_OK)
    return status;
  const int64_t count = x->block_start[x->rows / x->block_rows];
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

void gpumm_blocks_drop_zeros (const gpumm_operand *x, gpumm_operand *y) {
  const size_t bytes = (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (x->type);
  int64_t out = 0;
  y->block_start[0] = 0;
  for (int64_t i = 0; i < x->rows / x->block_rows; i++) {
    for (int64_t t = x->block_start[i]; t < x->block_start[i + 1]; t++) {
      if (is_zero (x, t))
        continue;
      y->block_column[out] = x->block_column[t];
      memcpy ((char *) y->values + (size_t) out * bytes,
              (const char *) x->values + (size_t) t * bytes, bytes);
      out++;
    }
    y->block_start[i + 1] = out;
  }
}
