/* bsr_tensor_small.cu - products of two matrices sparse by small blocks, double precision on tensor
 * cores.
 *
 * What it does: as bsr.cu, with the same structure and the same lists of products, for blocks up to
 * 16 x 16. A warp computes a block of C in one piece. A tensor core takes the elements of a block
 * as they lie in memory, so they go straight to the threads' registers, and nothing is shared. A
 * warp takes consecutive blocks of C, and their products are consecutive, too. While one warp waits
 * for its elements, others multiply.
 *
 * What limits it is memory, because a block of B is read and a block of C is written for few
 * operations (9 x 9: 1.1 operations per byte if each block of C has one product). For sizes such as
 * 9 x 9 the lines of the first-level cache that a fragment spans limit it, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "products.h"
#include "tensor_products.h"

enum {
  THREADS = 256,
  WARPS = THREADS / 32,
  PIECE = 1024, /* blocks of C for a thread block */
};

/* A sum of ROWS (1 or 2) x COLUMNS fragments of 8 x 8, with STEPS times 4 along k at once, for
 * PRODUCTS products. */
template <class Type, int ROWS, int COLUMNS, int STEPS, int PRODUCTS, int BLOCKS> struct shape {
  typedef Type T;
  static constexpr int rows = ROWS, columns = COLUMNS, steps = STEPS, products = PRODUCTS,
                       blocks = BLOCKS;
};

template <class own>
__global__ void __launch_bounds__ (THREADS, own::blocks)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply_small_blocks (gpumm_sparse_product p, int piece, typename own::T alpha) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  typedef typename own::T T;
  constexpr int ROWS = own::rows, COLUMNS = own::columns, STEPS = own::steps;
  constexpr int PRODUCTS = own::products, LANES = 32;
  PRODUCT_LISTS (lists, THREADS);
  int rows = (int) p.c.block_rows, cols = (int) p.c.block_cols, inner = (int) p.a.block_cols;
  int size_a = rows * inner, size_b = inner * cols, size_c = rows * cols;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  /* This thread reads every eighth row of A from row_a on and every eighth column of B from
   * column_b on, and repeats the last past the end. */
  int row_a = min (g, rows - 1), column_b = min (g, cols - 1);
  int next_a[ROWS], next_b[COLUMNS];
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    next_a[r] = min (g + 8 * r, rows - 1) - row_a;
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    next_b[c] = (min (g + 8 * c, cols - 1) - column_b) * inner;
  const int real = real_factors (p);
  const T *A = (const T *) p.a.values + row_a + t * rows;
  const T *B = (const T *) p.b.values + column_b * inner + t;

  for_runs<THREADS> (p, piece, lists, [&] (const run_of_blocks &run) {
    T *C = (T *) p.c.values + run.begin * size_c;
    clear_empty (run, lists, C, size_c, warp, lane);

    /* of the warp's blocks */
    int product = lists.first[0][run.count * warp / WARPS];
    int end = lists.first[0][run.count * (warp + 1) / WARPS];
    const T *A_row = A + run.entry * size_a;
    T sum[COLUMNS][2 * ROWS] = {};
    for (; product < end; product += LANES) {
      /* each thread looks up a product and passes it to all others */
      int mine = product + lane;
      int32_t own_block = mine < end ? (int32_t) lists.block[0][mine] : -1;
      uint32_t own_which = mine < end ? (uint32_t) lists.which[0][mine] : 0;
      int count = min (LANES, end - product);
      for (int i = 0; i < count; i += PRODUCTS) {
        T a[PRODUCTS][STEPS][ROWS], b[PRODUCTS][STEPS][COLUMNS][1];
        uint32_t which[PRODUCTS];
        const T *from_a[PRODUCTS], *from_b[PRODUCTS];
        bool there[PRODUCTS];
        auto read = [&] (int u, int l0) {
#pragma unroll
          for (int s = 0; s < STEPS; s++) {
            int l = l0 + 4 * s;
            bool inside = there[u] && l + t < inner; /* past the end, zeros in both */
#pragma unroll
            for (int r = 0; r < ROWS; r++)
              a[u][s][r] = inside ? from_a[u][l * rows + next_a[r]] : T{};
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
              b[u][s][c][0] = inside ? from_b[u][l + next_b[c]] : T{};
          }
        };
        auto multiply = [&] (int u) {
#pragma unroll
          for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
              multiply_add (sum[c], a[u][s], b[u][s][c], real);
        };
#pragma unroll
        for (int u = 0; u < PRODUCTS; u++) {
          int32_t block = __shfl_sync (0xffffffff, own_block, i + u);
          which[u] = __shfl_sync (0xffffffff, own_which, i + u);
          there[u] = block >= 0;
          from_a[u] = A_row + which_entry (which[u]) * size_a;
          from_b[u] = B + (int64_t) block * size_b;
          read (u, 0);
        }
#pragma unroll
        for (int u = 0; u < PRODUCTS; u++) {
          multiply (u);
          for (int l0 = 4 * STEPS; l0 < inner; l0 += 4 * STEPS) {
            read (u, l0);
            multiply (u);
          }
          if (which_last (which[u])) {
            T *to = C + which_rank (which[u]) * size_c;
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
              for (int c = 0; c < COLUMNS; c++)
#pragma unroll
                for (int e = 0; e < 2; e++) {
                  int row = g + 8 * r, column = 2 * t + 8 * c + e, place = row + column * rows;
                  if (row < rows && column < cols) {
                    T value = scale (alpha, sum[c][2 * r + e]);
                    to[place] = run.adds ? add (to[place], value) : value;
                  }
                  sum[c][2 * r + e] = T{};
                }
          }
        }
      }
    }
  });
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

typedef complex<double> Z;

template <class own>
static gpumm_status launch_bsr_tensor_small_as (int device, gpumm_stream *stream,
                                                const gpumm_sparse_product *p) {
  typename own::T alpha;
  convert (p->alpha, &alpha);
  int piece = piece_of (p, PIECE, WARPS);
  return LAUNCH ("bsr_tensor_small", multiply_small_blocks<own>, pieces_of (p, piece),
                 dim3 (THREADS), device, stream, *p, piece, alpha);
}

typedef shape<double, 1, 1, 2, 2, 4> d_8x8;
typedef shape<double, 2, 2, 3, 1, 3> d_16x16x12;
typedef shape<double, 2, 2, 4, 1, 2> d_16x16x16;
typedef shape<Z, 1, 1, 2, 1, 3> z_8x8;
typedef shape<Z, 2, 2, 2, 1, 2> z_16x16;

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  int64_t widest = p->c.block_rows > p->c.block_cols ? p->c.block_rows : p->c.block_cols;
  if (p->type_c == GPUMM_D)
    return widest <= 8             ? launch_bsr_tensor_small_as<d_8x8> (device, stream, p)
           : p->a.block_cols <= 12 ? launch_bsr_tensor_small_as<d_16x16x12> (device, stream, p)
                                   : launch_bsr_tensor_small_as<d_16x16x16> (device, stream, p);
  return widest <= 8 ? launch_bsr_tensor_small_as<z_8x8> (device, stream, p)
                     : launch_bsr_tensor_small_as<z_16x16> (device, stream, p);
}

/* Tiles of 8 x 8 pay if blocks fill most of a tile. */
enum { FEWEST_ELEMENTS = 49, WIDEST = 16 };

static int runs_bsr_tensor_small (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return has_blocks (p) && (p->type_c == GPUMM_D || p->type_c == GPUMM_Z)
         && p->c.block_rows <= WIDEST && p->c.block_cols <= WIDEST
         && p->c.block_rows * p->c.block_cols >= FEWEST_ELEMENTS;
}

/* As measured on an H200, double (bench/results/h200/bsr-patterns.csv): 1.4 to 2 times as fast as
 * registers at 8 x 8, 1.4 to 1.7 times at 16 x 16, but as fast at 9 x 9 in wide bands; 1.2 to 1.6
 * times as fast as bsr_tensor at 16 x 16 (bsr.csv). Shapes that let more warps run are faster than
 * shapes that read more products at a time. */
SPARSE_FAMILY_ROWS (bsr_tensor_small) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_tensor_small", 80, runs_bsr_tensor_small, turned_bytes, count_products,
     launch_products<multiply>},
    {},
};
