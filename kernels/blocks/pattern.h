/* pattern.h - which blocks C = A B has, all three by compressed rows: C has a block where a block
 * of A meets one of B.
 *
 * One thread block computes one block row of C: it sets a bit for each block column in shared
 * memory, counts the bits, and in the numeric phase writes their places in order. Up to
 * SHORT_COLUMNS block columns, B's rows become bits first, and a row of C is the OR of the rows of
 * B that its row of A selects: as many steps for each block of A as a row has words, however full B
 * is. Longer rows are processed in windows, block by block.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_PATTERN_H
#define GPUMM_BLOCKS_PATTERN_H

#include "kernel.h"

enum {
  PATTERN_THREADS = 256,
  SHORT_WORDS = 512, /* of 32 bits: B's bits then are no more than 2 KiB a row */
  SHORT_COLUMNS = 32 * SHORT_WORDS,
  WINDOW_WORDS = 2048, /* 8 KiB of shared memory */
  LOOK_EVERY = 64      /* blocks of A between two checks whether the row is full already */
};

/* The first place in begin .. end - 1 of ascending columns whose column is at least j, or end. */
DEVICE int64_t find_column (global<const int32_t> column, int64_t begin, int64_t end, int64_t j) {
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    if (column[middle] < j)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* bits: of block row blockIdx.x of B, words of them. */
template <int WORDS>
__global__ void __launch_bounds__ (PATTERN_THREADS)
    mark_rows (int64_t words, global<const int64_t> start, global<const int32_t> column,
               global<uint32_t> bits) {
  SHARED (uint32_t, marked, 1, WORDS);
  int64_t k = blockIdx.x;
  for (int w = threadIdx.x; w < words; w += PATTERN_THREADS)
    marked[0][w] = 0;
  __syncthreads ();
  for (int64_t t = start[k] + threadIdx.x; t < start[k + 1]; t += PATTERN_THREADS) {
    int32_t j = column[t];
    atomic_or (marked[0][j / 32], (uint32_t) 1 << j % 32);
  }
  __syncthreads ();
  for (int w = threadIdx.x; w < words; w += PATTERN_THREADS)
    bits[k * words + w] = marked[0][w];
}

/* The number of bits in marked; with write, also writes their places, counted from first, to
 * column[at] and on. All threads call it together. */
template <int WORDS>
__device__ static inline int64_t list_bits (tile<uint32_t, 1, WORDS> &marked,
                                            tile<int32_t, 1, PATTERN_THREADS> &sums, int64_t words,
                                            int64_t first, bool write, global<int32_t> column,
                                            int64_t at) {
  const int each = (int) ((words + PATTERN_THREADS - 1) / PATTERN_THREADS);
  const int begin = (int) threadIdx.x * each;
  const int end = begin + each < words ? begin + each : (int) words;
  int32_t own = 0;
  for (int w = begin; w < end; w++)
    own += __popc (marked[0][w]);
  sums[0][threadIdx.x] = own;
  __syncthreads ();
  for (int step = 1; step < PATTERN_THREADS; step *= 2) { /* Hillis and Steele 1986 */
    int32_t before = 0;
    if ((int) threadIdx.x >= step)
      before = sums[0][threadIdx.x - step];
    __syncthreads ();
    sums[0][threadIdx.x] = sums[0][threadIdx.x] + before;
    __syncthreads ();
  }
  int64_t all = sums[0][PATTERN_THREADS - 1];
  if (write) {
    at += sums[0][threadIdx.x] - own;
    for (int w = begin; w < end; w++) {
      uint32_t word = marked[0][w];
      for (int bit = 0; bit < 32; bit++)
        if (word >> bit & 1)
          column[at++] = (int32_t) (first + 32 * w + bit);
    }
  }
  __syncthreads ();
  return all;
}

/* Block row row + blockIdx.x of C from bits of B: their number to c_start[i + 1], or their columns
 * to c_column. */
template <int WORDS>
__global__ void __launch_bounds__ (PATTERN_THREADS)
    pattern_of_bits (int64_t row, int64_t cols, global<const int64_t> a_start,
                     global<const int32_t> a_column, global<const uint32_t> bits, bool write,
                     global<int64_t> c_start, global<int32_t> c_column) {
  SHARED (uint32_t, marked, 1, WORDS);
  SHARED (int32_t, sums, 1, PATTERN_THREADS);
  SHARED (int32_t, open, 1, 1);
  const int64_t i = row + blockIdx.x, words = (cols + 31) / 32, end = a_start[i + 1];
  for (int w = threadIdx.x; w < words; w += PATTERN_THREADS)
    marked[0][w] = 0;
  for (int64_t begin = a_start[i]; begin < end; begin += LOOK_EVERY) {
    const int64_t stop = begin + LOOK_EVERY < end ? begin + LOOK_EVERY : end;
    __syncthreads ();
    if (threadIdx.x == 0)
      open[0][0] = 0;
    __syncthreads ();
    for (int w = threadIdx.x; w < words; w += PATTERN_THREADS) {
      uint32_t word = marked[0][w];
#pragma unroll 8
      for (int64_t t = begin; t < stop; t++)
        word |= bits[a_column[t] * words + w];
      marked[0][w] = word;
      if (word != (32 * (w + 1) <= cols ? UINT32_MAX : ((uint32_t) 1 << cols % 32) - 1))
        open[0][0] = 1;
    }
    __syncthreads ();
    if (!open[0][0])
      break; /* the row is full */
  }
  __syncthreads ();
  int64_t count =
      list_bits<WORDS> (marked, sums, words, 0, write, c_column, write ? c_start[i] : 0);
  if (!write && threadIdx.x == 0)
    c_start[i + 1] = count;
}

/* The same from the blocks themselves, one window of block columns after the other; 32 threads take
 * a block of A. */
template <int WORDS>
__global__ void __launch_bounds__ (PATTERN_THREADS)
    pattern_of_blocks (int64_t row, int64_t cols, global<const int64_t> a_start,
                       global<const int32_t> a_column, global<const int64_t> b_start,
                       global<const int32_t> b_column, bool write, global<int64_t> c_start,
                       global<int32_t> c_column) {
  SHARED (uint32_t, marked, 1, WORDS);
  SHARED (int32_t, sums, 1, PATTERN_THREADS);
  const int64_t i = row + blockIdx.x, end = a_start[i + 1];
  int64_t count = 0, at = write ? c_start[i] : 0;
  for (int64_t first = 0; first < cols; first += 32 * WORDS) {
    const int64_t next = first + 32 * WORDS < cols ? first + 32 * WORDS : cols;
    const int64_t words = (next - first + 31) / 32;
    for (int w = threadIdx.x; w < words; w += PATTERN_THREADS)
      marked[0][w] = 0;
    __syncthreads ();
    for (int64_t t = a_start[i] + threadIdx.x / 32; t < end; t += PATTERN_THREADS / 32) {
      const int32_t k = a_column[t];
      const int64_t last = b_start[k + 1];
      const int64_t from =
          first == 0 ? b_start[k] : find_column (b_column, b_start[k], last, first);
      for (int64_t u = from + threadIdx.x % 32; u < last && b_column[u] < next; u += 32) {
        const int64_t j = b_column[u] - first;
        atomic_or (marked[0][j / 32], (uint32_t) 1 << j % 32);
      }
    }
    __syncthreads ();
    count += list_bits<WORDS> (marked, sums, words, first, write, c_column, at + count);
  }
  if (!write && threadIdx.x == 0)
    c_start[i + 1] = count;
}

/* Sets *zero if a block of C, of that many bytes, is all zero; one block row per thread block. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    find_zero_blocks (int64_t row, int64_t bytes, global<const int64_t> c_start,
                      global<const uint8_t> C, global<int32_t> zero) {
  const int64_t i = row + blockIdx.x;
  for (int64_t t = c_start[i] + threadIdx.x; t < c_start[i + 1]; t += THREADS) {
    int64_t e = 0;
    while (e < bytes && C[t * bytes + e] == 0)
      e++;
    if (e == bytes)
      zero[0] = 1;
  }
}

/* ---- for launchers ------------------------------------------------------------------------ */

/* Parts of a workspace begin at multiples of this. */
static inline size_t aligned (size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/* B's bits, in a kernel's workspace. */
static size_t pattern_bytes (const gpumm_sparse_product *p) {
  if (p->b.cols > SHORT_COLUMNS)
    return 0;
  return (size_t) p->b.rows * (size_t) ceil_div (p->b.cols, 32) * sizeof (uint32_t);
}

/* What each row of the table requires besides its own conditions: C = A B in whole blocks, all by
 * compressed rows. */
static bool takes_blocks (const gpumm_sparse_product *p) {
  return p->a.start && p->b.start && p->c.start && p->alpha.re == 1 && p->alpha.im == 0
         && p->beta.re == 0 && p->beta.im == 0 && p->b.rows <= INT32_MAX && p->b.cols <= INT32_MAX
         && p->a.cols == p->b.rows && p->a.block_cols == p->b.block_rows;
}

/* uint16 in square blocks of 4 or 8, sums in uint32. */
static inline bool is_classic (const gpumm_sparse_product *p) {
  const int64_t m = p->a.block_rows;
  return p->type_a == GPUMM_U16 && p->type_b == GPUMM_U16 && p->type_c == GPUMM_U32
         && (m == 4 || m == 8) && p->a.block_cols == m && p->b.block_cols == m;
}

/* Counts (write false) or lists the blocks of each row of C. workspace: pattern_bytes (). */
static gpumm_status make_pattern (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                  bool write, void *workspace) {
  const gpumm_rows &a = p->a, &b = p->b, &c = p->c;
  if (b.cols > SHORT_COLUMNS)
    return LAUNCH ("pattern_of_blocks", pattern_of_blocks<WINDOW_WORDS>, p->count,
                   dim3 (PATTERN_THREADS), device, stream, p->row, b.cols, a.start, a.column,
                   b.start, b.column, write, c.start, c.column);
  uint32_t *bits = (uint32_t *) workspace;
  gpumm_status status = LAUNCH ("mark_rows", mark_rows<SHORT_WORDS>, b.rows, dim3 (PATTERN_THREADS),
                                device, stream, ceil_div (b.cols, 32), b.start, b.column, bits);
  if (status)
    return status;
  return LAUNCH ("pattern_of_bits", pattern_of_bits<SHORT_WORDS>, p->count, dim3 (PATTERN_THREADS),
                 device, stream, p->row, b.cols, a.start, a.column, bits, write, c.start, c.column);
}

/* For kernels that do not see whole blocks of C themselves. bytes: of a block. */
static inline gpumm_status look_for_zeros (int device, gpumm_stream *stream,
                                           const gpumm_sparse_product *p, size_t bytes) {
  if (!p->zero)
    return GPUMM_OK;
  return LAUNCH ("find_zero_blocks", find_zero_blocks<PATTERN_THREADS>, p->count,
                 dim3 (PATTERN_THREADS), device, stream, p->row, (int64_t) bytes, p->c.start,
                 (const uint8_t *) p->c.values, p->zero);
}

static inline size_t pattern_workspace (const gpumm_sparse_product *p,
                                        const gpumm_device_properties *) {
  return pattern_bytes (p);
}

static inline gpumm_status pattern_symbolic (int device, gpumm_stream *stream,
                                             const gpumm_sparse_product *p) {
  return make_pattern (device, stream, p, false, p->workspace);
}

#endif
