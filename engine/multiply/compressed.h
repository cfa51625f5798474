/* compressed.h - what compressed columns of elements and compressed rows of blocks share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COMPRESSED_H
#define GPUMM_COMPRESSED_H

#include "gpumm.h"

/* A sparse matrix by its columns, or one in blocks by its block rows: lines of entries. */
typedef struct gpumm_lines {
  int64_t count, across; /* lines, and places of an entry in one */
  int64_t block_rows, block_cols;
  int64_t *start; /* count + 1 offsets */
  void *index;    /* the place of each entry */
  size_t index_bytes;
  void *values;
  gpumm_type type;
} gpumm_lines;

gpumm_lines gpumm_lines_of (const gpumm_operand *x);

/* Lines are cut into pieces of at most most_lines lines and, single lines apart, at most `most` of what
 * start counts before each line. start NULL: only lines are counted. */
typedef struct gpumm_cut {
  const int64_t *start;
  int64_t lines, most_lines, most;
} gpumm_cut;

/* The end of the piece that begins with this line. */
int64_t gpumm_cut_end (const gpumm_cut *cut, int64_t line);

/* The number of pieces; *largest becomes what start counts in the largest. */
int64_t gpumm_cut_count (const gpumm_cut *cut, int64_t *largest);

/* Do the indices of every line ascend, within 0 .. range - 1? The indices of line i lie at start[i]
 * to before start[i + 1], an offset never less than the one before; each has index_bytes, 4 or 8.
 * Lines are looked at in parallel, by pieces of at least `grain`. Returns a line that does not, or
 * -1. */
int64_t gpumm_find_unsorted (int64_t lines, const int64_t *start, const void *index,
                             size_t index_bytes, int64_t range, int64_t grain);

/* Multiplications of a product of which so many elements of B, in these rows, each meet a column of A;
 * column l of A begins at start[l]. */
int64_t gpumm_count_products (const int64_t *start, const int64_t *row, int64_t count);

/* Refuses a C of this shape that memory cannot hold before its entries are counted, which may take
 * minutes. Entries of x, or of its transpose where turned is set, multiply lines of another matrix, which
 * begin at start: a line of C has at least as many entries as the longest of the lines that it sums. */
gpumm_status gpumm_check_least (const gpumm_operand *c, double products, const gpumm_lines *x,
                                int turned, const int64_t *start);

/* Is any of count elements not zero? -0 is zero, NaN is not. */
int gpumm_blocks_any (gpumm_type type, const void *values, int64_t count);

/* Lines cut[piece] to before cut[piece + 1] of x lie from start[cut[piece]] on and end before
 * end[piece], as zeros were left out: what follows moves down. */
void gpumm_close_gaps (const gpumm_lines *x, const int64_t *start, const int64_t *cut,
                       int64_t pieces, const int64_t *end);

/* The lines of x begin at start. What is zero is left out, and x->start becomes what it should be. */
gpumm_status gpumm_drop_zeros (const gpumm_lines *x, const int64_t *start);

#endif
