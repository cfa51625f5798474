/* bsr.cu - products of two matrices sparse by blocks, by registers.
 *
 * What it does: C = alpha A B for matrices by compressed block rows, of any block sizes that
 * conform. The symbolic phase counts the blocks of C (sparse/symbolic.h). The numeric phase writes
 * their columns, lists the products of blocks that make up each of them (sparse/products.h), and
 * computes the sums. A block of C has one thread for each tile of SIZE x SIZE elements; the thread
 * sums its tile in registers and reads the blocks of A and B straight from memory. In a list k
 * ascends, so the bits are the same on each run.
 *
 * What limits it: for small blocks memory, because a block of B is read and a block of C is written
 * for few operations (4 x 4 in double: half an operation per byte if each block of C has one
 * product); for larger blocks the reads from the first-level cache, 2 SIZE for SIZE^2
 * multiply-adds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "products.h"

enum {
  THREADS = 256,
  /* blocks of C for a thread block, where blocks are small, and elements, where they are not */
  PIECE = 1024,
  PIECE_ELEMENTS = 1 << 17,
};

template <class T, int SIZE>
__global__ void __launch_bounds__ (THREADS)
    multiply_blocks (gpumm_sparse_product p, int piece, T alpha) {
  PRODUCT_LISTS (lists, THREADS);
  int rows = (int) p.c.block_rows, cols = (int) p.c.block_cols, inner = (int) p.a.block_cols;
  int down = (rows + SIZE - 1) / SIZE, tiles = down * ((cols + SIZE - 1) / SIZE);
  int team = tiles < THREADS ? tiles : THREADS, teams = THREADS / team; /* a team: a block of C */
  int me = threadIdx.x % team, my_team = threadIdx.x / team;
  int64_t size_a = (int64_t) rows * inner, size_b = (int64_t) inner * cols,
          size_c = (int64_t) rows * cols;
  const T *A = (const T *) p.a.values, *B = (const T *) p.b.values;
  T *C = (T *) p.c.values;
  const int real = real_factors (p);

  for_runs<THREADS> (p, piece, lists, [&] (const run_of_blocks &run) {
    if (my_team >= teams)
      return;
    for (int x = my_team; x < run.count; x += teams)
      for (int place = me; place < tiles; place += team) {
        /* rows and columns are strided, so that neighbouring threads read neighbouring elements;
         * those past the edge repeat the last row or column */
        int r[SIZE], c[SIZE], across = tiles / down;
#pragma unroll
        for (int e = 0; e < SIZE; e++) {
          r[e] = place % down + e * down;
          c[e] = place / down + e * across;
        }
        T sum[SIZE][SIZE] = {};
        int first = lists.first[0][x], last = lists.first[0][x + 1];
        for (int product = first; product < last; product++) {
          uint32_t which = lists.which[0][product];
          int32_t block = lists.block[0][product];
          const T *a = A + (run.entry + which_entry (which)) * size_a;
          const T *b = B + block * size_b;
#pragma unroll 4
          for (int l = 0; l < inner; l++) {
            T u[SIZE], v[SIZE];
#pragma unroll
            for (int e = 0; e < SIZE; e++) {
              u[e] = a[(r[e] < rows ? r[e] : rows - 1) + l * rows];
              v[e] = b[l + (c[e] < cols ? c[e] : cols - 1) * inner];
            }
#pragma unroll
            for (int f = 0; f < SIZE; f++)
#pragma unroll
              for (int e = 0; e < SIZE; e++)
                multiply_add (sum[e][f], u[e], v[f], real);
          }
        }
        T *to = C + (run.begin + x) * size_c;
#pragma unroll
        for (int f = 0; f < SIZE; f++)
#pragma unroll
          for (int e = 0; e < SIZE; e++)
            if (r[e] < rows && c[f] < cols) {
              T value = scale (alpha, sum[e][f]);
              int at = r[e] + c[f] * rows;
              to[at] = run.adds ? add (to[at], value) : value;
            }
      }
  });
}

/* ---- launch ------------------------------------------------------------------------------- */

/* The share of the tiles' elements that lie inside a block. */
static double use (int64_t rows, int64_t cols, int size) {
  return (double) (rows * cols)
         / (double) (ceil_div (rows, size) * size * ceil_div (cols, size) * size);
}

/* Few threads leave memory idle: tiles of 2 for blocks up to 4, otherwise the largest that fits
 * well. */
static int tile_size (int64_t rows, int64_t cols) {
  if (rows * cols <= 16)
    return 2;
  return use (rows, cols, 4) >= use (rows, cols, 3) ? 4 : 3;
}

template <class T>
static gpumm_status launch_bsr_as (int device, gpumm_stream *stream,
                                   const gpumm_sparse_product *p) {
  T alpha;
  convert (p->alpha, &alpha);
  int piece = piece_of (p, PIECE, 1, PIECE_ELEMENTS);
  int64_t blocks = pieces_of (p, piece);
  const int size = tile_size (p->c.block_rows, p->c.block_cols);
  const auto kernel = size == 2   ? (multiply_blocks<T, 2>)
                      : size == 3 ? (multiply_blocks<T, 3>)
                                  : (multiply_blocks<T, 4>);
  return LAUNCH ("bsr", kernel, blocks, dim3 (THREADS), device, stream, *p, piece, alpha);
}

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  WITH_TYPE (p->type_c, T, return launch_bsr_as<T> (device, stream, p));
}

static int runs_bsr (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return has_blocks (p);
}

SPARSE_FAMILY_ROWS (bsr) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_register", ANY_CAPABILITY, runs_bsr, turned_bytes, count_products,
     launch_products<multiply>},
    {},
};
