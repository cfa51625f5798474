/* pattern.h - what the kernels of integer blocks share: C = A B, all three by compressed rows.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_PATTERN_H
#define GPUMM_BLOCKS_PATTERN_H

#include "sparse/symbolic.h"

/* What each row of the table requires besides its own conditions: C = A B in whole blocks, all by
 * compressed rows. */
static bool takes_blocks (const gpumm_sparse_product *p) {
  return p->a.start && p->b.start && p->c.start && p->alpha.re == 1 && p->alpha.im == 0
         && p->beta.re == 0 && p->beta.im == 0 && p->b.rows <= INT32_MAX && p->b.cols <= INT32_MAX
         && p->a.cols == p->b.rows && p->a.block_cols == p->b.block_rows;
}

/* Are the blocks squares of 4 or 8 rows of uint16, and C's of uint32? An estimate knows no more. */
static inline bool has_squares (const gpumm_sparse_product *p) {
  const int64_t m = p->a.block_rows;
  return p->type_a == GPUMM_U16 && p->type_b == GPUMM_U16 && p->type_c == GPUMM_U32
         && (m == 4 || m == 8) && p->a.block_cols == m && p->b.block_cols == m;
}

static inline bool takes_squares (const gpumm_sparse_product *p) {
  return takes_blocks (p) && has_squares (p);
}

/* The launch of kernels for such squares: of NAME_as<4> or NAME_as<8>. */
#define LAUNCH_SQUARES(NAME)                                                                       \
  static gpumm_status NAME (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {     \
    return p->a.block_rows == 4 ? NAME##_as<4> (device, stream, p)                                 \
                                : NAME##_as<8> (device, stream, p);                                \
  }

static inline size_t pattern_workspace (const gpumm_sparse_product *p,
                                        const gpumm_device_properties *) {
  return gpumm_pattern_bytes (p);
}

static inline gpumm_status pattern_symbolic (int device, gpumm_stream *stream,
                                             const gpumm_sparse_product *p) {
  return gpumm_make_pattern (device, stream, p, false);
}

#ifdef __CUDACC__

/* A nonnegative sum, cut to 2^32 - 1. */
__device__ static inline uint32_t cut (int64_t sum) {
  return sum < UINT32_MAX ? (uint32_t) sum : UINT32_MAX;
}

/* Writes column c of block t of C, if it is there, and notes in *zero, if that is, a block that is
 * all zero. M neighbouring threads have a block; whole warps come here. */
template <int M>
__device__ static inline void store_column (uint32_t *C, int64_t t, int c, bool there,
                                            const uint32_t (&value)[M], int32_t *zero) {
  uint32_t some = !there;
#pragma unroll
  for (int r = 0; r < M; r++)
    some |= value[r];
  if (there)
    for (int q = 0; q < M / 4; q++)
      ((uint4 *) (C + t * (M * M) + c * M))[q] =
          make_uint4 (value[4 * q], value[4 * q + 1], value[4 * q + 2], value[4 * q + 3]);
  const unsigned lanes = __ballot_sync (0xffffffffu, some != 0);
  if (zero && (lanes >> threadIdx.x % 32 / M * M & ((1u << M) - 1)) == 0)
    *zero = 1;
}

#endif

#endif
