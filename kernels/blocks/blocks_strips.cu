/* blocks_strips.cu - blocks of uint16, sums in uint32, for few blocks: a strip of C in shared
 * memory collects the sums.
 *
 * What it does: a thread block computes one block row of C over a run of block columns, a strip.
 * Its warps share the row's blocks of A. For each block A(i, k) they multiply the blocks of row k
 * of B in the strip, with M lanes per block of B, one for each column: 32 / M products of blocks at
 * a time. Nothing is searched: tables built first say where each row of B, and of C, enters each
 * strip. At the end the strip is written as the blocks that C has there.
 *
 * A sum of k products of 16 bits needs 32 + log2 k bits, and atomic additions of shared memory have
 * words of 32 bits: a term is added in two parts, the low 16 bits and the rest. 2^16 low parts fit
 * a word, and MOST_PRODUCTS high parts. Sums of integers do not depend on their order.
 *
 * What limits it: shared memory's atomic additions, two for each element of a product of
 * blocks. The products of a warp go to random blocks, so the order of a block's rows depends on its
 * column: with row r always in the same banks, four rows would meet there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

enum {
  STRIP_ELEMENTS = 8192, /* of C per thread block: 64 KiB, which any GPU has; an H200 fits three */
  PLACE_THREADS = 256
};

/* Threads of a strip; three strips run on a multiprocessor of an H200. A million blocks of 4 x 4 at
 * n = 32768 take 6.2 ms with 384 threads, 7.6 with 256 and 7.1 with 512. 250,000 blocks of 8 x 8,
 * which need more registers, take 5.5, 5.4 and 8.8 ms. */
template <int M> constexpr int STRIP_THREADS = M == 4 ? 384 : 256;

/* place[s * rows + i]: how many blocks of row row + i have columns below s * width. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    place_strips (int64_t row, int64_t rows, int64_t strips, int64_t width,
                  global<const int64_t> start, global<const int32_t> column,
                  global<int32_t> place) {
  const int64_t at = blockIdx.x * (int64_t) THREADS + threadIdx.x;
  if (at >= rows * (strips + 1))
    return;
  const int64_t i = row + at % rows, s = at / rows, begin = start[i];
  place[at] = (int32_t) (lower_bound (column, begin, start[i + 1], s * width) - begin);
}

/* Words of 32 bits, sixteen bytes at a time if possible. */
template <int WORDS>
__device__ static inline void load_words (uint32_t (&to)[WORDS], const uint16_t *from) {
  constexpr int EACH = WORDS < 4 ? WORDS : 4;
  struct alignas (4 * EACH) piece {
    uint32_t word[EACH];
  };
#pragma unroll
  for (int w = 0; w < WORDS; w += EACH) {
    const piece x = ((const piece *) from)[w / EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
      to[w + e] = x.word[e];
  }
}

/* Element e of words that hold two elements each. */
template <int WORDS>
__device__ static inline uint32_t half_word (const uint32_t (&words)[WORDS], int e) {
  return e % 2 ? words[e / 2] >> 16 : words[e / 2] & 0xffff;
}

/* Row r of the block in column j of the strip begins at word place_of_block<M> (j) ^ (r * M): in
 * eight (M = 4) or four (M = 8) neighbours each row comes to lie in all of the 32 banks. */
template <int M> __device__ static inline int place_of_block (int j) {
  return j * (M * M) + ((M == 4 ? j >> 1 : j) & 3) * M;
}

/* Block row row + blockIdx.x % count of C in strip blockIdx.x / count: rows that run at the same
 * time share the strip's part of B, which stays in the L2 cache. */
template <int M>
__global__ void __launch_bounds__ (STRIP_THREADS<M>)
    strips (int64_t row, int64_t count, int64_t rows_b, global<const int64_t> a_start,
            global<const int32_t> a_column, const uint16_t *A, global<const int64_t> b_start,
            global<const int32_t> b_column, const uint16_t *B, global<const int32_t> place_b,
            global<const int64_t> c_start, global<const int32_t> c_column,
            global<const int32_t> place_c, uint32_t *C, int32_t *zero) {
  enum { THREADS = STRIP_THREADS<M>, WARPS = THREADS / 32, PAIRS = 32 / M };
  extern __shared__ uint32_t sums[]; /* low parts, block after block, then high parts */
  uint32_t *high = sums + STRIP_ELEMENTS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t s = blockIdx.x / count, of = blockIdx.x % count, i = row + of;
  const int64_t first = s * (STRIP_ELEMENTS / (M * M));
  const int from = place_c[s * count + of], to = place_c[(s + 1) * count + of];
  if (from == to)
    return;
  for (int e = threadIdx.x; e < 2 * STRIP_ELEMENTS / 4; e += THREADS)
    ((uint4 *) sums)[e] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();

  const int64_t end = a_start[i + 1];
  for (int64_t base = a_start[i]; base < end; base += 32 * WARPS) {
    /* each lane keeps one block of A and the blocks of B's row in the strip */
    const int64_t own = base + lane * WARPS + warp;
    int64_t begin = 0;
    int many = 0;
    if (own < end) {
      const int32_t k = a_column[own];
      const int32_t enter = place_b[s * rows_b + k];
      begin = b_start[k] + enter;
      many = place_b[(s + 1) * rows_b + k] - enter;
    }
    for (unsigned left = __ballot_sync (0xffffffffu, many > 0); left; left &= left - 1) {
      const int x = __ffs (left) - 1, last = __shfl_sync (0xffffffffu, many, x);
      const int64_t u0 = __shfl_sync (0xffffffffu, begin, x);
      uint32_t a[M * M / 2];
      load_words (a, A + (base + x * WARPS + warp) * (M * M));
      const int c = lane % M;
      for (int pair = lane / M; pair < last; pair += PAIRS) {
        const int64_t u = u0 + pair;
        const int j = (int) (b_column[u] - first);
        uint32_t b[M / 2];
        load_words (b, B + (u * M + c) * M);
        const int place = place_of_block<M> (j) + c;
#pragma unroll
        for (int r = 0; r < M; r++) {
          uint64_t sum = 0;
#pragma unroll
          for (int p = 0; p < M; p++)
            sum += (uint64_t) half_word (a, r + p * M) * half_word (b, p);
          uint32_t *at = sums + (place ^ (r * M));
          atomicAdd (at, (uint32_t) sum & 0xffff);
          atomicAdd (at + STRIP_ELEMENTS, (uint32_t) (sum >> 16));
        }
      }
    }
  }
  __syncthreads ();

  /* the blocks that C has in the strip, one thread per column */
  const int c = threadIdx.x % M;
  for (int q = from + (int) threadIdx.x / M; q - (int) threadIdx.x / M < to; q += THREADS / M) {
    uint32_t value[M];
    const int64_t at = c_start[i] + q;
    const int j = q < to ? (int) (c_column[at] - first) : 0;
#pragma unroll
    for (int r = 0; r < M; r++) {
      const int e = (place_of_block<M> (j) + c) ^ (r * M);
      value[r] = cut (((int64_t) high[e] << 16) + sums[e]);
    }
    store_column<M> (C, at, c, q < to, value, zero);
  }
}

/* ---- launchers ---------------------------------------------------------------------------- */

/* Products of blocks for one sum: M high parts of 16 bits are below M 2^16, and 2^16 / M of these
 * fit. */
static int64_t most_products (int64_t m) {
  return 65536 / m;
}

static int64_t strip_count (const gpumm_sparse_product *p) {
  return ceil_div (p->b.cols * p->a.block_rows * p->b.block_cols, STRIP_ELEMENTS);
}

static size_t strips_workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return gpumm_pattern_bytes (p)
         + (size_t) (p->b.rows + p->count) * (size_t) (strip_count (p) + 1) * sizeof (int32_t);
}

static int runs_blocks_strips (const gpumm_sparse_product *p,
                               const gpumm_device_properties *device) {
  return takes_squares (p) && p->b.rows <= most_products (p->a.block_rows)
         && p->count * strip_count (p) <= INT32_MAX
         && device->shared_bytes >= (int64_t) (2 * STRIP_ELEMENTS * sizeof (uint32_t));
}

template <int M>
static gpumm_status launch_blocks_strips_as (int device, gpumm_stream *stream,
                                             const gpumm_sparse_product *p) {
  const gpumm_device_matrix &a = p->a, &b = p->b, &c = p->c;
  const int64_t many = strip_count (p), width = STRIP_ELEMENTS / (M * M);
  const size_t shared = 2 * STRIP_ELEMENTS * sizeof (uint32_t);
  int32_t *place_b = (int32_t *) ((char *) p->workspace + gpumm_pattern_bytes (p));
  int32_t *place_c = place_b + b.rows * (many + 1);
  TRY (gpumm_make_pattern (device, stream, p, true));
  TRY (LAUNCH ("place_strips", place_strips<PLACE_THREADS>,
               ceil_div (b.rows * (many + 1), PLACE_THREADS), dim3 (PLACE_THREADS), device, stream,
               0, b.rows, many, width, b.start, b.column, place_b));
  TRY (LAUNCH ("place_strips", place_strips<PLACE_THREADS>,
               ceil_div (p->count * (many + 1), PLACE_THREADS), dim3 (PLACE_THREADS), device,
               stream, p->row, p->count, many, width, c.start, c.column, place_c));
  return LAUNCH_SHARED ("blocks_strips", strips<M>, p->count * many, dim3 (STRIP_THREADS<M>),
                        shared, device, stream, p->row, p->count, b.rows, a.start, a.column,
                        (const uint16_t *) a.values, b.start, b.column, (const uint16_t *) b.values,
                        place_b, c.start, c.column, place_c, (uint32_t *) c.values, p->zero);
}

LAUNCH_SQUARES (launch_blocks_strips)

/* Multiply-adds a second and multiprocessor on an H200 (132 of them), at 1.5 % of the blocks of
 * 32768 x 32768 and of 8192 x 8192. */
static const double MULTIPLY_RATE = 1.1e12 / 132;

static double seconds (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  const double m = (double) p->a.block_rows;
  return has_squares (p) ? (double) p->pairs * m * m * m / (MULTIPLY_RATE * device->multiprocessors)
                         : INFINITY;
}

SPARSE_FAMILY_ROWS (blocks_strips) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch, waits, smallest piece,
     * offsets, seconds */
    {"bsr_integer", "blocks_strips", ANY_CAPABILITY, runs_blocks_strips, strips_workspace,
     pattern_symbolic, launch_blocks_strips, 0, 0, NULL, seconds},
    {},
};
