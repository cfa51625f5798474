/* compressed.h - functions for compressed columns of elements and compressed rows of blocks.
 *
 * Both are lines of entries: a function asks for the format only where an index or an entry has
 * another size. The matrices lie in host memory and are sound (base/matrix.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COMPRESSED_H
#define GPUMM_COMPRESSED_H

#include "base/types.h"
#include "memory/host.h"

/* The index of entry t. */
static inline int64_t gpumm_index_at (const gpumm_matrix *x, int64_t t) {
  return x->format == GPUMM_BLOCKS ? x->block_column[t] : x->row[t];
}

static inline void gpumm_set_index (const gpumm_matrix *x, int64_t t, int64_t index) {
  if (x->format == GPUMM_BLOCKS)
    x->block_column[t] = (int32_t) index;
  else
    x->row[t] = index;
}

/* The first place from begin on and before end where ascending numbers are not below `least`, or
 * end. */
static inline int64_t gpumm_find_from (const int64_t *numbers, int64_t begin, int64_t end,
                                       int64_t least) {
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (numbers[middle] < least)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Cuts lines into pieces of at most most_lines lines and at most `most` entries; a single line may
 * have more. start counts the entries before each line; NULL: only lines count. */
typedef struct gpumm_cut {
  const int64_t *start;
  int64_t lines, most_lines, most;
} gpumm_cut;

/* The end of the piece that begins with this line. */
int64_t gpumm_cut_end (const gpumm_cut *cut, int64_t line);

/* The number of pieces; sets *largest to the entries of the largest piece. */
int64_t gpumm_cut_count (const gpumm_cut *cut, int64_t *largest);

/* Products of matrices of one format, by their lines: x y is A B of blocks, but of sparse matrices,
 * whose lines are columns, x is B and y is A.
 *
 * The number of products of entries. */
gpumm_status gpumm_count_products (const gpumm_matrix *x, const gpumm_matrix *y, double *products);

/* The same estimated from a sample, or, if op of y transposes, for evenly spread entries. */
double gpumm_estimate_products (const gpumm_matrix *x, const gpumm_matrix *y);

/* Refuses a C = x y of this shape that memory cannot hold before its entries are counted, which may
 * take minutes: a line of C has at least as many entries as the longest line of y in its sum. */
gpumm_status gpumm_check_least (const gpumm_matrix *c, double products, const gpumm_matrix *x,
                                const gpumm_matrix *y);

/* Is any of count elements nonzero? -0 is zero, NaN is not. */
int gpumm_any_nonzero (gpumm_type type, const void *values, int64_t count);

/* Closes the gaps between pieces of x: lines cut[piece] to before cut[piece + 1] lie from
 * start[cut[piece]] on and, without their zeros, end before end[piece]. */
void gpumm_close_gaps (const gpumm_matrix *x, const int64_t *start, const int64_t *cut,
                       int64_t pieces, const int64_t *end);

/* Drops zero entries of x. */
gpumm_status gpumm_drop_zeros (const gpumm_matrix *x);

/* The transpose of x, with op GPUMM_NONE, in memory of the owner. The values move if they have 8 or
 * 16 bytes; without `moves` the values are the places of the entries in x, as int64_t. */
gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_matrix *x, int moves,
                                    gpumm_matrix *out);

#endif
