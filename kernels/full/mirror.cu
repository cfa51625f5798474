/* mirror.cu - the lower triangle of C becomes the transpose of the upper one, so that a product
 * such as A A' is symmetric or Hermitian bit by bit, whatever computed it. Memory limits both
 * kernels.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

enum { SIDE = 32, ROWS = 8, THREADS = SIDE * ROWS };

template <class T> DEVICE T real_part (T x) {
  return x;
}

template <class R> DEVICE complex<R> real_part (complex<R> x) {
  return {x.re, 0};
}

template <class T> DEVICE T mirrored (T x, bool is_hermitian) {
  return is_hermitian ? conjugate (x) : x;
}

/* A block reads a square and writes its mirror image, both by columns: a square of the upper
 * triangle of a page into the lower one, or any of `from` into C. down x across squares make a
 * page. */
template <class T>
__global__ void __launch_bounds__ (THREADS)
    mirror (T *first, const T *from, int64_t rows, int64_t cols, int64_t down, int64_t across,
            int64_t ld, int64_t ld_from, int64_t step, bool is_triangle, bool is_hermitian) {
  SHARED (T, part, SIDE, SIDE + 1);
  const int64_t square = blockIdx.x % (down * across), i = square % down, j = square / down;
  const int64_t page = blockIdx.x / (down * across) * step;
  if (is_triangle && i > j)
    return;
  const int t = (int) threadIdx.x % SIDE;
  for (int s = (int) threadIdx.x / SIDE; s < SIDE; s += ROWS)
    if (i * SIDE + t < rows && j * SIDE + s < cols)
      part[s][t] = from[page + i * SIDE + t + (j * SIDE + s) * ld_from];
  __syncthreads ();
  for (int s = (int) threadIdx.x / SIDE; s < SIDE; s += ROWS) {
    const int64_t row = j * SIDE + t, column = i * SIDE + s;
    T *const to = first + page + row + column * ld;
    if (row >= cols || column >= rows || (is_triangle && row < column))
      continue;
    if (is_triangle && row == column)
      *to = is_hermitian ? real_part ((T) part[t][s]) : (T) part[t][s];
    else
      *to = mirrored ((T) part[t][s], is_hermitian);
  }
}

/* The place from begin on and before end where ascending x[place] is not below `least`, or end. */
template <class X>
DEVICE int64_t first_from (const X *x, int64_t begin, int64_t end, int64_t least) {
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (x[middle] < least)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* A thread has an element of a stored block. */
template <class T>
__global__ void __launch_bounds__ (THREADS)
    mirror_blocks (T *values, const int64_t *start, const int32_t *column, int64_t rows,
                   int64_t stored, int64_t side, bool is_hermitian) {
  const int64_t each = side * side;
  const int64_t at = blockIdx.x * (int64_t) THREADS + threadIdx.x, block = at / each;
  if (block >= stored)
    return;
  const int64_t r = at % each % side, c = at % each / side, j = column[block];
  const int64_t i = first_from (start, 0, rows, block + 1) - 1; /* the last row that begins there */
  if (j > i || (j == i && r < c))
    return;
  const int64_t there = first_from (column, start[j], start[j + 1], i);
  const T x = values[there * each + c + r * side];
  values[at] = is_hermitian && j == i && r == c ? real_part (x) : mirrored (x, is_hermitian);
}

template <class T>
static gpumm_status launch_mirror (int device, gpumm_stream *stream, const gpumm_mirroring &m) {
  const gpumm_device_matrix &c = m.c;
  const bool is_hermitian = m.symmetry == GPUMM_HERMITIAN;
  const bool is_triangle = !m.from;
  if (!c.start) {
    const int64_t rows = c.cols, cols = c.rows; /* of what is read */
    const int64_t down = ceil_div (rows, SIDE), across = ceil_div (cols, SIDE);
    return LAUNCH ("mirror", mirror<T>, down * across * m.pages, dim3 (THREADS), device, stream,
                   (T *) c.values, (const T *) (is_triangle ? c.values : m.from), rows, cols, down,
                   across, c.ld, is_triangle ? c.ld : m.ld_from, m.step, is_triangle, is_hermitian);
  }
  const int64_t elements = c.stored * c.block_rows * c.block_cols;
  return LAUNCH ("mirror blocks", mirror_blocks<T>, ceil_div (elements, THREADS), dim3 (THREADS),
                 device, stream, (T *) c.values, c.start, c.column, c.rows, c.stored, c.block_rows,
                 is_hermitian);
}

gpumm_status gpumm_driver_mirror (int device, gpumm_stream *stream, const gpumm_mirroring *m) {
  WITH_TYPE (m->type, T, return launch_mirror<T> (device, stream, *m));
}
