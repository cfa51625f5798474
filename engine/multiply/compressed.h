/* compressed.h - functions for compressed columns of elements and compressed rows of blocks.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COMPRESSED_H
#define GPUMM_COMPRESSED_H

#include "gpumm.h"
#include "memory/host.h"

/* A sparse matrix by columns, or a block-sparse matrix by block rows: lines of entries. */
typedef struct gpumm_lines {
  int64_t count, across; /* lines, and places in a line */
  int64_t block_rows, block_cols;
  int64_t *start; /* count + 1 offsets */
  void *index;    /* the place of each entry in its line */
  size_t index_bytes;
  void *values;
  gpumm_type type;
} gpumm_lines;

gpumm_lines gpumm_lines_of (const gpumm_operand *x);

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

/* Checks that the indices of each line ascend within 0 .. range - 1; returns a line that fails, or
 * -1. Line i has the indices from start[i] to before start[i + 1]; start must not descend. An index
 * has index_bytes, 4 or 8. Works in parallel, in pieces of at least `grain` lines. */
int64_t gpumm_find_unsorted (int64_t lines, const int64_t *start, const void *index,
                             size_t index_bytes, int64_t range, int64_t grain);

/* Where the lines of x begin, or, if turned, those of its transpose; NULL: out of host memory.
 * Release *made. */
const int64_t *gpumm_line_starts (const gpumm_lines *x, int turned, int64_t **made);

/* The products of entries of x y, of both the transpose if turned. */
gpumm_status gpumm_count_products (const gpumm_lines *x, int turned_x, const gpumm_lines *y,
                                   int turned_y, double *products);

/* Refuses a C of this shape that memory cannot hold before its entries are counted, which may take
 * minutes. C is x y, of both the transpose if turned: a line of C has at least as many entries as
 * the longest line of y in its sum. */
gpumm_status gpumm_check_least (const gpumm_operand *c, double products, const gpumm_lines *x,
                                int turned_x, const gpumm_lines *y, int turned_y);

/* Is any of count elements nonzero? -0 is zero, NaN is not. */
int gpumm_blocks_any (gpumm_type type, const void *values, int64_t count);

/* Closes the gaps between pieces of x: lines cut[piece] to before cut[piece + 1] lie from
 * start[cut[piece]] on and, without their zeros, end before end[piece]. */
void gpumm_close_gaps (const gpumm_lines *x, const int64_t *start, const int64_t *cut,
                       int64_t pieces, const int64_t *end);

/* Drops zero entries of x, whose lines begin at start, and sets x->start. */
gpumm_status gpumm_drop_zeros (const gpumm_lines *x, const int64_t *start);

/* The transpose of x in memory of the owner: start, index and values of *out. The values move if they
 * have 8 or 16 bytes; without `moves` the values are the places of the entries in x, as int64_t. */
gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_lines *x, int moves,
                                    gpumm_lines *out);

#endif
