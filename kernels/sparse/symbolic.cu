/* symbolic.cu - which blocks a product of two matrices by compressed rows has.
 *
 * Row i of C has the columns of all rows k of B for which A has a block (i, k). A thread block
 * computes a row: it marks these columns, in any order, in a bitmap in shared memory and counts the
 * bits. When the begin of the row is known, it writes the columns, which ascend. A row that spans
 * more columns than the bitmap has bits is computed window by window.
 *
 * What limits it is shared memory: a bit to set for each pair of blocks, and a bitmap to clear and
 * to read for each row. If B has few columns, its rows become bits first (gpumm_make_pattern), and
 * a row of C is the OR of the rows of B that its row of A selects.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "symbolic.h"

enum {
  THREADS = 256,
  LANES = 16,                         /* threads that read a row of B together */
  WORDS = 4096,                       /* of the bitmap: 131072 columns */
  SHORT_WORDS = GPUMM_MOST_BITS / 32, /* of rows of B as bits */
  LOOK_EVERY = 64                     /* blocks of A between two checks whether the row is full */
};

/* A thread's part of a bitmap: its words first .. last - 1, and the bits before these and in
 * all. */
struct part_of_bits {
  int first, last, before, all;
};

template <int THREADS, class BITS>
__device__ static inline part_of_bits count_bits (BITS &bits, int words,
                                                  tile<int32_t, 2, THREADS> &scan) {
  const int chunk = (words + THREADS - 1) / THREADS | 1; /* odd: of different banks */
  part_of_bits x = {(int) threadIdx.x * chunk, 0, 0, 0};
  int own = 0;
  x.last = x.first + chunk < words ? x.first + chunk : words;
  for (int w = x.first; w < x.last; w++)
    own += __popc (bits[0][w]);
  x.before = sum_before<THREADS> (scan, own, x.all);
  return x;
}

/* Writes the column from + b for each bit b of a word; gives the place after them. */
__device__ static inline int32_t *write_bits (uint32_t word, int64_t from, int32_t *column) {
  for (; word; word &= word - 1)
    *column++ = (int32_t) (from + __popc ((word & -word) - 1));
  return column;
}

/* Row `row` + block of A B: counts its blocks in start[i + 1] or, if column is not NULL, writes
 * their columns from start[i] on. */
__global__ void __launch_bounds__ (THREADS)
    make_structure (gpumm_device_matrix a, gpumm_device_matrix b, int64_t row, int64_t *start,
                    int32_t *column) {
  SHARED (uint32_t, bits, 1, WORDS);
  SHARED (int32_t, scan, 2, THREADS);
  SHARED (int32_t, reached, 1, 2);
  int me = threadIdx.x;
  int64_t i = row + blockIdx.x, a_begin = a.start[i], a_end = a.start[i + 1], made = 0;
  int32_t low, high;
  columns_reached<THREADS> (a, b, i, reached, low, high);
  for (int64_t from = low / 32 * 32; from <= high; from += 32 * WORDS) {
    int64_t left = (high - from) / 32 + 1;
    int words = left < WORDS ? (int) left : (int) WORDS;
    for (int w = me; w < words; w += THREADS)
      bits[0][w] = 0;
    __syncthreads ();
    for (int64_t p = a_begin + me / LANES; p < a_end; p += THREADS / LANES) {
      int64_t q = b.start[a.column[p]], end = b.start[a.column[p] + 1];
      if (from > low)
        q = lower_bound (b.column, q, end, from);
      for (q += me % LANES; q < end; q += LANES) {
        int64_t j = b.column[q] - from;
        if (j >= 32 * (int64_t) words)
          break;
        atomic_or (bits[0][(int) j / 32], 1u << j % 32);
      }
    }
    __syncthreads ();
    const part_of_bits part = count_bits<THREADS> (bits, words, scan);
    int32_t *to = column ? column + start[i] + made + part.before : NULL;
    for (int w = part.first; column && w < part.last; w++)
      to = write_bits (bits[0][w], from + 32 * w, to);
    made += part.all;
    __syncthreads (); /* before the next window */
  }
  if (!column && me == 0)
    start[i + 1] = made;
}

/* ---- by rows of B as bits ----------------------------------------------------------------- */

/* bits: of block row blockIdx.x of B, words of them. */
__global__ void __launch_bounds__ (THREADS)
    mark_rows (int64_t words, global<const int64_t> start, global<const int32_t> column,
               global<uint32_t> bits) {
  SHARED (uint32_t, marked, 1, SHORT_WORDS);
  int64_t k = blockIdx.x;
  for (int w = threadIdx.x; w < words; w += THREADS)
    marked[0][w] = 0;
  __syncthreads ();
  for (int64_t t = start[k] + threadIdx.x; t < start[k + 1]; t += THREADS) {
    int32_t j = column[t];
    atomic_or (marked[0][j / 32], (uint32_t) 1 << j % 32);
  }
  __syncthreads ();
  for (int w = threadIdx.x; w < words; w += THREADS)
    bits[k * words + w] = marked[0][w];
}

/* Like make_structure, but from bits of B. */
__global__ void __launch_bounds__ (THREADS)
    structure_of_bits (int64_t row, int64_t cols, global<const int64_t> a_start,
                       global<const int32_t> a_column, global<const uint32_t> bits, int64_t *start,
                       int32_t *column) {
  SHARED (uint32_t, marked, 1, SHORT_WORDS);
  SHARED (int32_t, scan, 2, THREADS);
  SHARED (int32_t, open, 1, 1);
  const int64_t i = row + blockIdx.x, words = (cols + 31) / 32, end = a_start[i + 1];
  for (int w = threadIdx.x; w < words; w += THREADS)
    marked[0][w] = 0;
  for (int64_t begin = a_start[i]; begin < end; begin += LOOK_EVERY) {
    const int64_t stop = begin + LOOK_EVERY < end ? begin + LOOK_EVERY : end;
    __syncthreads ();
    if (threadIdx.x == 0)
      open[0][0] = 0;
    __syncthreads ();
    for (int w = threadIdx.x; w < words; w += THREADS) {
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
      break; /* all that there can be are there */
  }
  __syncthreads ();
  const part_of_bits part = count_bits<THREADS> (marked, (int) words, scan);
  int32_t *to = column ? column + start[i] + part.before : NULL;
  for (int w = part.first; column && w < part.last; w++)
    to = write_bits (marked[0][w], 32 * w, to);
  if (!column && threadIdx.x == 0)
    start[i + 1] = part.all;
}

/* ---- zeros -------------------------------------------------------------------------------- */

/* One thread per block of C: in nearly all blocks the first element is not zero. */
template <class T>
__global__ void __launch_bounds__ (THREADS) find_zeros (gpumm_sparse_product p, int64_t elements) {
  int64_t x = p.c.start[p.row] + (int64_t) blockIdx.x * THREADS + threadIdx.x, e = 0;
  if (x >= p.c.start[p.row + p.count])
    return;
  const T *block = (const T *) p.c.values + x * elements;
  while (e < elements && is_zero (block[e]))
    e++;
  if (e == elements)
    *p.zero = 1;
}

template <class T>
static gpumm_status look_for (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                              int64_t elements) {
  const int64_t blocks = p->count > 0 ? ceil_div (p->c.stored, THREADS) : 0;
  return LAUNCH ("zeros", find_zeros<T>, blocks, dim3 (THREADS), device, stream, *p, elements);
}

gpumm_status gpumm_find_zeros (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  const int64_t size = p->c.block_rows * p->c.block_cols;
  if (!p->zero)
    return GPUMM_OK;
  if (is_integer (p->type_c))
    return look_for<uint8_t> (device, stream, p, size * element_bytes (p->type_c));
  WITH_TYPE (p->type_c, T, return look_for<T> (device, stream, p, size));
}

/* ---- launch ------------------------------------------------------------------------------- */

gpumm_status gpumm_make_structure (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                   bool write) {
  return LAUNCH ("symbolic", make_structure, p->count, dim3 (THREADS), device, stream, p->a, p->b,
                 p->row, p->c.start, write ? p->c.column : NULL);
}

size_t gpumm_pattern_bytes (const gpumm_sparse_product *p) {
  if (p->b.cols > GPUMM_MOST_BITS)
    return 0;
  return aligned ((size_t) p->b.rows * (size_t) ceil_div (p->b.cols, 32) * sizeof (uint32_t));
}

gpumm_status gpumm_make_pattern (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                 bool write) {
  const gpumm_device_matrix &a = p->a, &b = p->b, &c = p->c;
  uint32_t *bits = (uint32_t *) p->workspace;
  if (b.cols > GPUMM_MOST_BITS)
    return gpumm_make_structure (device, stream, p, write);
  if (!p->prepared)
    TRY (LAUNCH ("symbolic", mark_rows, b.rows, dim3 (THREADS), device, stream,
                 ceil_div (b.cols, 32), b.start, b.column, bits));
  return LAUNCH ("symbolic", structure_of_bits, p->count, dim3 (THREADS), device, stream, p->row,
                 b.cols, a.start, a.column, bits, c.start, write ? c.column : NULL);
}
