/* transpose.h - the transpose of a matrix by compressed rows, plain or in blocks.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_TRANSPOSE_H
#define GPUMM_SPARSE_TRANSPOSE_H

#include "rows.h"

/* The transpose of a matrix and what is needed to make it, in gpumm_transpose_bytes of memory. */
struct transpose {
  gpumm_device_matrix t;
  int32_t *from;       /* which block of the matrix each block of t is */
  int32_t *row;        /* of each block of the matrix, until the elements are there */
  int32_t *sorted_key; /* rows of t, in order */
  char *scratch;       /* for the sort */
  size_t bytes;        /* of all */

  /* where all lies from `memory` on: of a, of at most 2^31 - 1 blocks */
  transpose (const gpumm_device_matrix *a, gpumm_type type, void *memory);
};

static inline size_t gpumm_transpose_bytes (const gpumm_device_matrix *a, gpumm_type type) {
  return transpose (a, type, NULL).bytes;
}

/* All but the elements, and these, where the structure is there. */
gpumm_status gpumm_transpose_structure (int device, gpumm_stream *stream,
                                        const gpumm_device_matrix *a, const transpose &x);
gpumm_status gpumm_transpose_elements (int device, gpumm_stream *stream,
                                       const gpumm_device_matrix *a, const transpose &x,
                                       gpumm_type type, bool conjugated);

#endif
