/* transpose.h - the transpose of a matrix by compressed rows, plain or in blocks.
 *
 * Blocks are counted by column, the counts are summed to find where each row of the transpose
 * begins, and each block takes the next free place of its row. That order is random, so each row is
 * then sorted: the place of a block is the number of blocks with lower columns, counted one by one
 * in short rows and by a bitmap in long ones. The elements move last; blocks are transposed on the
 * way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_TRANSPOSE_H
#define GPUMM_SPARSE_TRANSPOSE_H

#include "symbolic.h"

enum {
  TRANSPOSE_THREADS = 256,
  TRANSPOSE_LANES = 16,                                 /* threads for a row */
  TRANSPOSE_ROWS = TRANSPOSE_THREADS / TRANSPOSE_LANES, /* of a thread block */
  SHORT_ROW = 512,                                      /* counted one by one */
  SUM_CHUNK = 4096,                                     /* counts that a thread block adds up */
};

/* ---- where rows begin --------------------------------------------------------------------- */

/* count[column] of all stored blocks; LANES threads per row, as in all that follows. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS) count_columns (gpumm_rows a, int32_t *count) {
  int64_t i = (int64_t) blockIdx.x * TRANSPOSE_ROWS + threadIdx.x / TRANSPOSE_LANES;
  if (i < a.rows)
    for (int64_t p = a.start[i] + threadIdx.x % TRANSPOSE_LANES; p < a.start[i + 1];
         p += TRANSPOSE_LANES)
      atomic_add (count[a.column[p]], 1);
}

/* sums[block] of chunk `block` of count */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    add_chunks (const int32_t *count, int64_t rows, int64_t *sums) {
  SHARED (int32_t, scan, 2, THREADS);
  int64_t begin = (int64_t) blockIdx.x * SUM_CHUNK,
          end = begin + SUM_CHUNK < rows ? begin + SUM_CHUNK : rows;
  int own = 0, all;
  for (int64_t i = begin + threadIdx.x; i < end; i += THREADS)
    own += count[i];
  sum_before<THREADS> (scan, own, all);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = all;
}

/* Sets start[i], and count to zeros. A chunk begins where the chunks before it end. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    begin_rows (int32_t *count, int64_t rows, const int64_t *sums, int64_t *start) {
  SHARED (int32_t, scan, 2, THREADS);
  SHARED (int64_t, parts, 1, THREADS);
  int64_t before = 0;
  for (int64_t chunk = threadIdx.x; chunk < blockIdx.x; chunk += THREADS)
    before += sums[chunk];
  parts[0][threadIdx.x] = before;
  __syncthreads ();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if ((int) threadIdx.x < half) {
      int64_t other = parts[0][threadIdx.x + half];
      parts[0][threadIdx.x] = before += other;
    }
    __syncthreads ();
  }
  before = parts[0][0];
  enum { EACH = SUM_CHUNK / THREADS };
  int64_t first = (int64_t) blockIdx.x * SUM_CHUNK + threadIdx.x * EACH;
  int own = 0, all;
  for (int e = 0; e < EACH; e++)
    own += first + e < rows ? count[first + e] : 0;
  before += sum_before<THREADS> (scan, own, all);
  for (int e = 0; e < EACH && first + e < rows; e++) {
    start[first + e] = before;
    before += count[first + e];
    count[first + e] = 0;
    if (first + e + 1 == rows)
      start[rows] = before;
  }
}

/* ---- the order in a row ------------------------------------------------------------------- */

/* A stored block before it has its final place. */
struct noted_block {
  int32_t from;   /* its number in the matrix */
  int32_t column; /* of the transpose */
};

template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    note_blocks (gpumm_rows a, const int64_t *start, int32_t *count, noted_block *noted) {
  int64_t i = (int64_t) blockIdx.x * TRANSPOSE_ROWS + threadIdx.x / TRANSPOSE_LANES;
  if (i < a.rows)
    for (int64_t p = a.start[i] + threadIdx.x % TRANSPOSE_LANES; p < a.start[i + 1];
         p += TRANSPOSE_LANES) {
      int32_t j = a.column[p];
      noted[start[j] + atomic_add (count[j], 1)] = {(int32_t) p, (int32_t) i};
    }
}

/* Sorts the rows of the transpose: columns, and the number of each block in the matrix. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    order_blocks (gpumm_rows t, const noted_block *noted, int32_t *from) {
  SHARED (uint32_t, bits, 1, SYMBOLIC_WORDS);
  SHARED (int32_t, before, 1, SYMBOLIC_WORDS); /* bits of the words before */
  SHARED (int32_t, scan, 2, THREADS);
  int me = threadIdx.x;
  int64_t first = (int64_t) blockIdx.x * TRANSPOSE_ROWS,
          end = first + TRANSPOSE_ROWS < t.rows ? first + TRANSPOSE_ROWS : t.rows;
  int64_t i = first + me / TRANSPOSE_LANES;
  if (i < end && t.start[i + 1] - t.start[i] <= SHORT_ROW) {
    const noted_block *row = noted + t.start[i];
    int length = (int) (t.start[i + 1] - t.start[i]);
    for (int x = me % TRANSPOSE_LANES; x < length; x += TRANSPOSE_LANES) {
      noted_block block = row[x];
      int place = 0;
      for (int y = 0; y < length; y++)
        place += row[y].column < block.column;
      t.column[t.start[i] + place] = block.column;
      from[t.start[i] + place] = block.from;
    }
  }
  for (i = first; i < end; i++) {
    int64_t length = t.start[i + 1] - t.start[i], to = t.start[i];
    const noted_block *row = noted + t.start[i];
    for (int64_t low = 0; length > SHORT_ROW && low < t.cols; low += 32 * SYMBOLIC_WORDS) {
      for (int w = me; w < SYMBOLIC_WORDS; w += THREADS)
        bits[0][w] = 0;
      __syncthreads ();
      for (int64_t x = me; x < length; x += THREADS) {
        int64_t j = row[x].column - low;
        if (j >= 0 && j < 32 * SYMBOLIC_WORDS)
          atomic_or (bits[0][(int) j / 32], 1u << j % 32);
      }
      __syncthreads ();
      enum { EACH = SYMBOLIC_WORDS / THREADS };
      int own = 0, all;
      for (int w = me * EACH; w < (me + 1) * EACH; w++)
        own += __popc (bits[0][w]);
      int sum = sum_before<THREADS> (scan, own, all);
      for (int w = me * EACH; w < (me + 1) * EACH; w++) {
        before[0][w] = sum;
        sum += __popc (bits[0][w]);
      }
      __syncthreads ();
      for (int64_t x = me; x < length; x += THREADS) {
        int64_t j = row[x].column - low;
        if (j < 0 || j >= 32 * SYMBOLIC_WORDS)
          continue;
        int64_t place =
            to + before[0][(int) j / 32] + __popc (bits[0][(int) j / 32] & ((1u << j % 32) - 1));
        t.column[place] = row[x].column;
        from[place] = row[x].from;
      }
      to += all;
      __syncthreads (); /* before the next window */
    }
  }
}

/* Elements: t's block x is a's block from[x], transposed. */
template <class T, int THREADS, bool CONJUGATED>
__global__ void __launch_bounds__ (THREADS)
    move_blocks (gpumm_rows a, gpumm_rows t, const int32_t *from) {
  int rows = (int) t.block_rows, cols = (int) t.block_cols, size = rows * cols;
  int lanes = size < TRANSPOSE_LANES ? 1 : TRANSPOSE_LANES, lane = threadIdx.x % lanes;
  int64_t x = (int64_t) blockIdx.x * (THREADS / lanes) + threadIdx.x / lanes;
  if (x >= t.start[t.rows])
    return;
  const T *of = (const T *) a.values + (int64_t) from[x] * size;
  T *to = (T *) t.values + x * size;
  for (int e = lane; e < size; e += lanes)
    if (CONJUGATED)
      to[e] = conjugate (of[e / rows + e % rows * cols]);
    else
      to[e] = of[e / rows + e % rows * cols];
}

/* ---- all of it ---------------------------------------------------------------------------- */

static inline size_t element_bytes (gpumm_type type) {
  return type == GPUMM_S ? 4 : type == GPUMM_Z ? 16 : 8;
}

static inline size_t whole_pieces (int64_t count, size_t size) {
  return ((size_t) count * size + 255) / 256 * 256;
}

/* Bytes for the transpose of a and for computing it; a has at most 2^31 - 1 blocks with elements of
 * that size. */
static inline size_t transpose_bytes (const gpumm_rows *a, size_t size) {
  return whole_pieces (a->cols + 1, 8) + whole_pieces (a->stored, 4)
         + whole_pieces (a->stored * a->block_rows * a->block_cols, size)
         + whole_pieces (a->cols, 4) + whole_pieces (ceil_div (a->cols, SUM_CHUNK), 8)
         + whole_pieces (a->stored, sizeof (noted_block)) + whole_pieces (a->stored, 4);
}

template <class T> __global__ void clear (T *x, int64_t count) {
  for (int64_t i = (int64_t) blockIdx.x * TRANSPOSE_THREADS + threadIdx.x; i < count;
       i += (int64_t) gridDim.x * TRANSPOSE_THREADS)
    x[i] = 0;
}

/* The transpose of a matrix and the arrays that computing it needs, in transpose_bytes of
 * memory. */
struct transpose {
  gpumm_rows t;
  int32_t *count;     /* blocks of each row of t */
  int64_t *sums;      /* and of SUM_CHUNK rows together */
  noted_block *noted; /* of each row, in any order */
  int32_t *from;      /* which block of the matrix each block of t is */
};

static inline transpose lay_out_transpose (const gpumm_rows *a, void *memory, size_t size) {
  char *p = (char *) memory;
  transpose x = {*a, NULL, NULL, NULL, NULL};
  gpumm_rows *t = &x.t;
  t->rows = a->cols;
  t->cols = a->rows;
  t->block_rows = a->block_cols;
  t->block_cols = a->block_rows;
  t->start = (int64_t *) p;
  t->column = (int32_t *) (p += whole_pieces (t->rows + 1, 8));
  t->values = p += whole_pieces (a->stored, 4);
  x.count = (int32_t *) (p += whole_pieces (a->stored * a->block_rows * a->block_cols, size));
  x.sums = (int64_t *) (p += whole_pieces (t->rows, 4));
  x.noted = (noted_block *) (p += whole_pieces (ceil_div (t->rows, SUM_CHUNK), 8));
  x.from = (int32_t *) (p + whole_pieces (a->stored, sizeof (noted_block)));
  return x;
}

/* All but the elements. */
static inline gpumm_status transpose_structure (int device, gpumm_stream *stream,
                                                const gpumm_rows *a, const transpose &x) {
  constexpr int THREADS = TRANSPOSE_THREADS;
  const gpumm_rows &t = x.t;
  int64_t chunks = ceil_div (t.rows, SUM_CHUNK), teams = ceil_div (a->rows, TRANSPOSE_ROWS);
  gpumm_status status = LAUNCH ("transpose", clear<int32_t>, ceil_div (t.rows, 16 * THREADS),
                                dim3 (THREADS), device, stream, x.count, t.rows);
  if (!status)
    status = LAUNCH ("transpose", count_columns<THREADS>, teams, dim3 (THREADS), device, stream, *a,
                     x.count);
  if (!status)
    status = LAUNCH ("transpose", add_chunks<THREADS>, chunks, dim3 (THREADS), device, stream,
                     x.count, t.rows, x.sums);
  if (!status)
    status = LAUNCH ("transpose", begin_rows<THREADS>, chunks, dim3 (THREADS), device, stream,
                     x.count, t.rows, x.sums, t.start);
  if (!status)
    status = LAUNCH ("transpose", note_blocks<THREADS>, teams, dim3 (THREADS), device, stream, *a,
                     t.start, x.count, x.noted);
  if (!status)
    status = LAUNCH ("transpose", order_blocks<THREADS>, ceil_div (t.rows, TRANSPOSE_ROWS),
                     dim3 (THREADS), device, stream, t, x.noted, x.from);
  return status;
}

/* The elements, when the structure is there. */
template <class T>
static gpumm_status transpose_elements (int device, gpumm_stream *stream, const gpumm_rows *a,
                                        const transpose &x, bool conjugated) {
  constexpr int THREADS = TRANSPOSE_THREADS;
  int64_t size = a->block_rows * a->block_cols;
  int64_t blocks_at_once = size < TRANSPOSE_LANES ? THREADS : TRANSPOSE_ROWS;
  int64_t blocks = ceil_div (a->stored, blocks_at_once);
  return conjugated ? LAUNCH ("transpose", (move_blocks<T, THREADS, true>), blocks, dim3 (THREADS),
                              device, stream, *a, x.t, x.from)
                    : LAUNCH ("transpose", (move_blocks<T, THREADS, false>), blocks, dim3 (THREADS),
                              device, stream, *a, x.t, x.from);
}

/* t = a', in transpose_bytes of memory; prepared: the structure is there already. */
template <class T>
static gpumm_status transpose_rows (int device, gpumm_stream *stream, const gpumm_rows *a,
                                    void *memory, bool prepared, gpumm_rows *t) {
  transpose x = lay_out_transpose (a, memory, sizeof (T));
  *t = x.t;
  if (prepared)
    return GPUMM_OK;
  gpumm_status status = transpose_structure (device, stream, a, x);
  return status ? status : transpose_elements<T> (device, stream, a, x, false);
}

#endif
