/* int8.h - products of int8 matrices of emulated.cu, for other families.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_INT8_H
#define GPUMM_EMULATED_INT8_H

#include "kernel.h"

/* Vectors of k elements, ld apart: rows of A or columns of B. ld and vectors are multiples of
 * 16. */
struct int8_matrix {
  const int8_t *to;
  int64_t ld, vectors;
};

enum { INT8_CAPABILITY = 75 }; /* the first whose INT8 tensor cores cuBLASLt uses */

extern const size_t gpumm_int8_workspace; /* bytes */

/* Can cuBLASLt be opened? */
bool gpumm_int8_usable (void);

/* D = A B, or with add D += A B, for a.vectors x k by k x b.vectors elements; D by columns, sums
 * modulo 2^32. */
gpumm_status gpumm_int8_multiply (int device, gpumm_stream *stream, const int8_matrix &a,
                                  const int8_matrix &b, int32_t *d, int64_t ld, int64_t k, bool add,
                                  void *workspace);

#endif
