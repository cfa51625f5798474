/* symbolic.h - which blocks a product of two matrices by compressed rows has.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_SYMBOLIC_H
#define GPUMM_SPARSE_SYMBOLIC_H

#include "rows.h"

/* Counts the blocks of each row of the product A B to c.start[i + 1], or writes their columns to
 * c.column once c.start has offsets. */
gpumm_status gpumm_make_structure (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                   bool write);

/* The same; B's rows become bits first if they are short enough. A block of A then takes as many
 * steps as a row has words, however full B is. */
size_t gpumm_pattern_bytes (const gpumm_sparse_product *p); /* of p->workspace, where it begins */
gpumm_status gpumm_make_pattern (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                 bool write);

/* Sets *p->zero, if that is there, where a block of C is all zero. */
gpumm_status gpumm_find_zeros (int device, gpumm_stream *stream, const gpumm_sparse_product *p);

#endif
