/* blocks_strips.cu - blocks of uint16, sums in uint32, where the blocks are few: a warp keeps a strip
 * of C in shared memory and adds to it what it meets.
 *
 * What it does: a warp makes one block row of C over a run of block columns. It goes along the row
 * of A; each block A(i, k) names a row of B, and the blocks that this has in the strip are
 * multiplied, M lanes a block of B, a lane a column of it: 32 / M products of blocks at a time, in
 * columns of C that differ, so that no two lanes add to the same place. Nothing is looked for: a
 * table of where each row of B enters each strip is made first. The lists ahead and the blocks
 * themselves come by asynchronous copies, DEPTH steps ahead, for a warp has little else to hide
 * their way from memory with. At the end the strip is written as the blocks that C has there.
 *
 * All terms are nonnegative: a sum cut to 2^32 - 1 after each block is the full sum cut once, and 32
 * bits hold it.
 *
 * What limits it: shared memory, whose 128 bytes a clock every product of blocks crosses twice with
 * its block of C, and the 64-bit multiply-adds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/pattern.h"

#include <cuda_pipeline.h>

enum {
  STRIP_ELEMENTS = 8192, /* of C a warp: 32 KiB; see bench/results/h200/blocks-strips.txt */
  DEPTH = 8,             /* steps that are on their way */
  PLACE_THREADS = 256
};

/* One step: a block of A, and blocks of its row of B in the strip. */
template <int M> struct step {
  enum { PAIRS = 32 / M };
  alignas (16) uint16_t b[PAIRS][M * M];
  alignas (16) uint16_t a[M * M];
  int32_t column[PAIRS];
};

/* ---- where rows of B enter strips --------------------------------------------------------- */

/* place[s * rows + k]: the first block of row k of B whose column is at least s * width. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    place_strips (int64_t rows, int64_t strips, int64_t width, global<const int64_t> start,
                  global<const int32_t> column, global<int32_t> place) {
  const int64_t at = blockIdx.x * (int64_t) THREADS + threadIdx.x;
  if (at >= rows * (strips + 1))
    return;
  const int64_t k = at % rows, s = at / rows;
  place[at] = (int32_t) find_column (column, start[k], start[k + 1], s * width);
}

/* ---- the product -------------------------------------------------------------------------- */

/* What a lane knows of a block of A: the blocks of its row of B in the strip. */
struct lookahead {
  int32_t first, count;
};

/* Starts the copies of a step of count products. */
template <int M>
__device__ static inline void fetch (step<M> &to, const uint16_t *a, const uint16_t *b,
                                     const int32_t *column, int count, bool with_a) {
  enum { PAIRS = 32 / M, PIECES = M * M / 8 /* of 16 bytes a block */ };
  const int lane = threadIdx.x;
  for (int e = lane; e < count * PIECES; e += 32)
    __pipeline_memcpy_async ((uint4 *) to.b + e, (const uint4 *) b + e, 16);
  if (with_a && lane < PIECES)
    __pipeline_memcpy_async ((uint4 *) to.a + lane, (const uint4 *) a + lane, 16);
  if (lane >= 32 - PAIRS) {
    const int e = lane - (32 - PAIRS);
    if (e < count)
      __pipeline_memcpy_async (to.column + e, column + e, 4);
    else
      to.column[e] = -1;
  }
}

/* Element (r, p) of a block of A that is packed two rows a word. */
template <int M> __device__ static inline uint32_t element (const uint32_t *a, int r, int p) {
  const uint32_t word = a[p * (M / 2) + r / 2];
  return r % 2 ? word >> 16 : word & 0xffff;
}

template <int M>
__device__ static inline void add_step (uint32_t *sums, const step<M> &from, const uint32_t *a,
                                        int64_t first) {
  const int g = threadIdx.x / M, c = threadIdx.x % M;
  const int32_t j = from.column[g];
  if (j < 0)
    return;
  uint32_t b[M];
#pragma unroll
  for (int p = 0; p < M; p += 2) {
    const uint32_t word = ((const uint32_t *) from.b[g])[(c * M + p) / 2];
    b[p] = word & 0xffff;
    b[p + 1] = word >> 16;
  }
  uint4 *at = (uint4 *) (sums + (j - first) * (M * M) + c * M);
#pragma unroll
  for (int q = 0; q < M / 4; q++) {
    uint4 old = at[q];
    uint32_t x[4] = {old.x, old.y, old.z, old.w};
#pragma unroll
    for (int r = 0; r < 4; r++) {
      uint64_t sum = x[r];
#pragma unroll
      for (int p = 0; p < M; p++)
        sum += (uint64_t) element<M> (a, 4 * q + r, p) * b[p];
      x[r] = sum >> 32 ? UINT32_MAX : (uint32_t) sum;
    }
    at[q] = make_uint4 (x[0], x[1], x[2], x[3]);
  }
}

/* Block row row + blockIdx.x % count of C in strip blockIdx.x / count: rows that run together share
 * the strip's part of B, which the L2 cache then holds. */
template <int M>
__global__ void __launch_bounds__ (32)
    strips (int64_t row, int64_t count, int64_t rows_b, global<const int64_t> a_start,
            global<const int32_t> a_column, const uint16_t *A, const int32_t *b_column,
            const uint16_t *B, global<const int32_t> place, global<const int64_t> c_start,
            global<const int32_t> c_column, uint32_t *C, int32_t *zero) {
  enum { WIDTH = STRIP_ELEMENTS / (M * M), PAIRS = 32 / M, WORDS = M * M / 2, PIECES = M * M / 4 };
  __shared__ alignas (16) uint32_t sums[STRIP_ELEMENTS];
  __shared__ step<M> ring[DEPTH];
  const int lane = threadIdx.x;
  const int64_t i = row + blockIdx.x % count, s = blockIdx.x / count, first = s * WIDTH;
  const int64_t from = find_column (c_column, c_start[i], c_start[i + 1], first);
  const int64_t to = find_column (c_column, from, c_start[i + 1], first + WIDTH);
  if (from == to)
    return;
  for (int e = lane; e < STRIP_ELEMENTS / 4; e += 32)
    ((uint4 *) sums)[e] = make_uint4 (0, 0, 0, 0);

  /* A lane knows of one block of A in 32: now, of the next 32, and the row of B of those after. */
  const int64_t end = a_start[i + 1];
  global<const int32_t> enter = place + s * rows_b, leave = enter + rows_b;
  int64_t t = a_start[i];
  lookahead now = {0, 0}, next = {0, 0};
  int32_t k = t + lane < end ? a_column[t + lane] : -1;
  if (k >= 0)
    now = {enter[k], leave[k] - enter[k]};
  k = t + 32 + lane < end ? a_column[t + 32 + lane] : -1;
  if (k >= 0)
    next = {enter[k], leave[k] - enter[k]};
  k = t + 64 + lane < end ? a_column[t + 64 + lane] : -1;
  unsigned left = __ballot_sync (0xffffffffu, now.count > 0);
  int x = -1, at = 0, many = 0, begin = 0; /* the block of A, and how far its row of B is done */

  uint32_t a[WORDS];
  unsigned fresh = 0; /* bit d: slot d of the ring has a block of A that is new */
  int fetched = 0, added = 0;
  bool more = true;
  for (;;) {
    /* one step ahead into the ring */
    if (more && at >= many) {
      while (left == 0 && t + 32 < end) {
        t += 32;
        now = next;
        next = {0, 0};
        if (k >= 0)
          next = {enter[k], leave[k] - enter[k]};
        k = t + 64 + lane < end ? a_column[t + 64 + lane] : -1;
        left = __ballot_sync (0xffffffffu, now.count > 0);
      }
      more = left != 0;
      if (more) {
        x = __ffs (left) - 1;
        left &= left - 1;
        begin = __shfl_sync (0xffffffffu, now.first, x);
        many = __shfl_sync (0xffffffffu, now.count, x);
        at = 0;
      }
    }
    if (more) {
      const int slot = fetched % DEPTH, some = min (many - at, (int) PAIRS);
      const int64_t u = (int64_t) begin + at;
      fetch<M> (ring[slot], A + (t + x) * (M * M), B + u * (M * M), b_column + u, some, at == 0);
      fresh = at == 0 ? fresh | 1u << slot : fresh & ~(1u << slot);
      at += PAIRS;
      fetched++;
    }
    __pipeline_commit ();
    if (more && fetched - added < DEPTH)
      continue;
    if (added == fetched)
      break;

    /* the oldest step of the ring; there was a commit each turn, and DEPTH - 1 are younger */
    if (more)
      __pipeline_wait_prior (DEPTH - 1);
    else
      __pipeline_wait_prior (0);
    __syncwarp ();
    const int slot = added % DEPTH;
    if (fresh >> slot & 1) {
#pragma unroll
      for (int w = 0; w < WORDS; w += 4) {
        const uint4 four = ((const uint4 *) ring[slot].a)[w / 4];
        a[w] = four.x;
        a[w + 1] = four.y;
        a[w + 2] = four.z;
        a[w + 3] = four.w;
      }
    }
    add_step<M> (sums, ring[slot], a, first);
    __syncwarp (); /* before the slot is written again, and the next block of A adds */
    added++;
  }

  /* the blocks that C has in the strip, in pieces of 16 bytes */
  for (int64_t e = lane; e - lane < (to - from) * PIECES; e += 32) {
    const int64_t q = from + e / PIECES;
    const int piece = (int) (e % PIECES);
    uint4 value = make_uint4 (1, 0, 0, 0);
    if (q < to) {
      value = ((const uint4 *) (sums + (c_column[q] - first) * (M * M)))[piece];
      ((uint4 *) (C + q * (M * M)))[piece] = value;
    }
    const unsigned some = __ballot_sync (0xffffffffu, (value.x | value.y | value.z | value.w) != 0);
    if (zero && (some >> lane / PIECES * PIECES & ((1u << PIECES) - 1)) == 0)
      *zero = 1;
  }
}

/* ---- launchers ---------------------------------------------------------------------------- */

static int64_t strip_count (const gpumm_sparse_product *p) {
  return ceil_div (p->b.cols * p->a.block_rows * p->b.block_cols, STRIP_ELEMENTS);
}

static size_t aligned (size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

static size_t strips_workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return aligned (pattern_bytes (p))
         + (size_t) p->b.rows * (size_t) (strip_count (p) + 1) * sizeof (int32_t);
}

static int runs (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  const int64_t m = p->a.block_rows;
  return takes_blocks (p) && p->type_a == GPUMM_U16 && p->type_b == GPUMM_U16
         && p->type_c == GPUMM_U32 && (m == 4 || m == 8) && p->a.block_cols == m
         && p->b.block_cols == m && p->b.stored <= INT32_MAX
         && p->count * strip_count (p) <= INT32_MAX;
}

template <int M>
static gpumm_status launch_as (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  const gpumm_rows &a = p->a, &b = p->b, &c = p->c;
  const int64_t many = strip_count (p), width = STRIP_ELEMENTS / (M * M);
  int32_t *place = (int32_t *) ((char *) p->workspace + aligned (pattern_bytes (p)));
  gpumm_status status = make_pattern (device, stream, p, true, p->workspace);
  if (!status)
    status = LAUNCH ("place_strips", place_strips<PLACE_THREADS>,
                     ceil_div (b.rows * (many + 1), PLACE_THREADS), dim3 (PLACE_THREADS), device,
                     stream, b.rows, many, width, b.start, b.column, place);
  if (!status)
    status = LAUNCH ("blocks_strips", strips<M>, p->count * many, dim3 (32), device, stream, p->row,
                     p->count, b.rows, a.start, a.column, (const uint16_t *) a.values, b.column,
                     (const uint16_t *) b.values, place, c.start, c.column, (uint32_t *) c.values,
                     p->zero);
  return status;
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  return p->a.block_rows == 4 ? launch_as<4> (device, stream, p) : launch_as<8> (device, stream, p);
}

SPARSE_FAMILY_ROWS (blocks_strips) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"blocks_strips", "blocks_strips", ANY_CAPABILITY, runs, strips_workspace, pattern_symbolic,
     launch},
    {},
};
