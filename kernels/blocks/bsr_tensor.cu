/* bsr_tensor.cu - products of two matrices sparse by blocks, double precision on tensor cores.
 *
 * What it does: as bsr.cu, with the same structure and the same lists of products, but tensor cores
 * compute the sums (tensor_products.h). A team of one, two or four warps computes a block of C, or
 * a tile of it if the block is larger than the team's tile. A team takes consecutive blocks of C,
 * so their products form one sequence of steps, each TILE_K of the inner size. While one step is
 * multiplied, asynchronous copies bring the next ones to shared memory, even those of the next
 * block of C. Past the edges of blocks there are zeros, along k in both A and B.
 *
 * What limits it: for blocks below about 24 x 24 the padding to 16 x 8 and the cost of a step; for
 * larger blocks the second-level cache, which delivers A and B: 2 b^3 operations for 2 b^2
 * elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "products.h"
#include "tensor_products.h"

enum {
  THREADS = 128,
  WARPS = THREADS / 32,
  /* blocks of C for a thread block, and elements, where they are large */
  PIECE = 512,
  PIECE_ELEMENTS = 1 << 17,
};

/* A team of DOWN x ACROSS warps computes tiles of C, each warp ROWS x COLUMNS fragments of 16 x 8,
 * in steps of K, of which STAGES lie in shared memory. */
template <class Type, int ROWS, int COLUMNS, int DOWN, int ACROSS, int K, int STAGES, int BLOCKS>
struct team_of {
  typedef Type T;
  static constexpr int rows = ROWS, columns = COLUMNS, down = DOWN, across = ACROSS, k = K;
  static constexpr int tile_m = 16 * ROWS * DOWN, tile_n = 8 * COLUMNS * ACROSS;
  static constexpr int warps = DOWN * ACROSS, threads = 32 * warps, teams = WARPS / warps;
  /* lines of shared memory are padded, against conflicts of banks: a[l][i], b[j][l] */
  static constexpr int line_a = tile_m + 32 / (int) sizeof (T), line_b = K + 4;
  static constexpr int stage = K * line_a + tile_n * line_b, stages = STAGES, blocks = BLOCKS;
  static constexpr int bytes = teams * STAGES * stage * (int) sizeof (T);
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* Teams wait different numbers of times. racecheck of CUDA 13.0 then no longer knows the thread
 * block's own barriers, and reports what these keep apart (bench/results/h200/gpu-check.txt). */
template <class own> __device__ static inline void wait_for_team (int team) {
  if (own::warps == 1)
    __syncwarp ();
  else /* barrier 0 is the thread block's */
    asm volatile("bar.sync %0, %1;" : : "r"(team + 1), "n"(own::threads) : "memory");
}

/* A thread's copies of a tile of LINES lines of LENGTH elements, WIDE at a time, from lines that
 * are ld apart; past the given numbers of lines and elements there are zeros. */
template <class T, int WIDE, int LENGTH, int LINES, int LINE, int TEAM>
__device__ static inline void copy_tile (T *to, const T *from, int ld, int lines, int elements) {
  constexpr int EACH = LENGTH / WIDE;
  int lane = threadIdx.x % TEAM;
#pragma unroll
  for (int e = 0; e < (EACH * LINES + TEAM - 1) / TEAM; e++) {
    int x = e * TEAM + lane, line = x / EACH, at = x % EACH * WIDE;
    if (EACH * LINES % TEAM != 0 && line >= LINES)
      break;
    bool inside = line < lines && at < elements;
    start_copy<WIDE *(int) sizeof (T)> ((unsigned) __cvta_generic_to_shared (to + line * LINE + at),
                                        from + (inside ? line * ld + at : 0),
                                        inside ? WIDE * (int) sizeof (T) : 0);
  }
}

#endif

template <class own>
__global__ void __launch_bounds__ (THREADS, own::blocks)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply_blocks (gpumm_sparse_product p, int piece, typename own::T alpha) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  typedef typename own::T T;
  constexpr int TILE_M = own::tile_m, TILE_N = own::tile_n, K = own::k, STAGES = own::stages;
  constexpr int LINE_A = own::line_a, LINE_B = own::line_b;
  constexpr int PAIR = 16 / (int) sizeof (T); /* elements of a copy of 16 bytes */
  extern __shared__ __align__ (16) char shared[];
  PRODUCT_LISTS (lists, THREADS);
  int rows = (int) p.c.block_rows, cols = (int) p.c.block_cols, inner = (int) p.a.block_cols;
  int64_t size_a = (int64_t) rows * inner, size_b = (int64_t) inner * cols,
          size_c = (int64_t) rows * cols;
  bool pairs = rows % PAIR == 0 && inner % PAIR == 0;
  int team = threadIdx.x / own::threads, warp = threadIdx.x / 32 % own::warps;
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  int warp_i = warp % own::down * (16 * own::rows), warp_j = warp / own::down * (8 * own::columns);
  const int real = real_factors (p);
  T *stages = (T *) shared + team * (STAGES * own::stage);

  for_runs<THREADS> (p, piece, lists, [&] (const run_of_blocks &run) {
    int first = run.count * team / own::teams, end = run.count * (team + 1) / own::teams;
    int begin_product = lists.first[0][first], end_product = lists.first[0][end];
    for (int j0 = 0; j0 < cols; j0 += TILE_N)
      for (int i0 = 0; i0 < rows; i0 += TILE_M) {
        int load = begin_product, load_l = 0; /* the next step to be copied */
        auto start_step = [&] (int stage) {
          if (load < end_product) {
            const T *a = (const T *) p.a.values
                         + (run.entry + which_entry (lists.which[0][load])) * size_a + i0
                         + (int64_t) load_l * rows;
            const T *b = (const T *) p.b.values + lists.block[0][load] * size_b + load_l
                         + (int64_t) j0 * inner;
            T *to = stages + stage * own::stage, *to_b = to + K * LINE_A;
            if (PAIR > 1 && pairs) {
              copy_tile<T, PAIR, TILE_M, K, LINE_A, own::threads> (to, a, rows, inner - load_l,
                                                                   rows - i0);
              copy_tile<T, PAIR, K, TILE_N, LINE_B, own::threads> (to_b, b, inner, cols - j0,
                                                                   inner - load_l);
            } else {
              copy_tile<T, 1, TILE_M, K, LINE_A, own::threads> (to, a, rows, inner - load_l,
                                                                rows - i0);
              copy_tile<T, 1, K, TILE_N, LINE_B, own::threads> (to_b, b, inner, cols - j0,
                                                                inner - load_l);
            }
            load_l += K;
            if (load_l >= inner) {
              load_l = 0;
              load++;
            }
          }
          end_group ();
        };
        T sum[own::rows][own::columns][4] = {};
        int x = first; /* the block of C */
        /* stores the sums of blocks whose products end here */
        auto store_sums = [&] (int product) {
          for (; x < end && lists.first[0][x + 1] <= product; x++) {
            T *to = (T *) p.c.values + (run.begin + x) * size_c;
#pragma unroll
            for (int r = 0; r < own::rows; r++)
#pragma unroll
              for (int c = 0; c < own::columns; c++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                  int i = i0 + warp_i + 16 * r + 8 * (e / 2) + g;
                  int j = j0 + warp_j + 8 * c + 2 * t + e % 2;
                  if (i < rows && j < cols) {
                    T value = scale (alpha, sum[r][c][e]);
                    int64_t at = i + (int64_t) j * rows;
                    to[at] = run.adds ? add (to[at], value) : value;
                  }
                  sum[r][c][e] = T{};
                }
          }
        };

        store_sums (begin_product);
        for (int stage = 0; stage < STAGES - 1; stage++)
          start_step (stage);
        int stage = 0;
        for (int product = begin_product; product < end_product; product++) {
          for (int l = 0; l < inner; l += K) {
            wait_groups<STAGES - 2> ();
            wait_for_team<own> (team); /* this stage is complete, the one before is read */
            start_step (stage > 0 ? stage - 1 : STAGES - 1);
            const T *a = stages + stage * own::stage + t * LINE_A + warp_i + g;
            const T *b = stages + stage * own::stage + K * LINE_A + (warp_j + g) * LINE_B + t;
#pragma unroll
            for (int h = 0; h < K; h += 8) {
              if (K > 8 && l + h >= inner)
                break;
              T u[own::rows][4], v[own::columns][2];
#pragma unroll
              for (int r = 0; r < own::rows; r++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                  u[r][e] = a[(h + e / 2 * 4) * LINE_A + 16 * r + e % 2 * 8];
#pragma unroll
              for (int c = 0; c < own::columns; c++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                  v[c][e] = b[8 * c * LINE_B + h + e * 4];
#pragma unroll
              for (int r = 0; r < own::rows; r++)
#pragma unroll
                for (int c = 0; c < own::columns; c++)
                  multiply_add (sum[r][c], u[r], v[c], real);
            }
            stage = stage + 1 < STAGES ? stage + 1 : 0;
          }
          store_sums (product + 1);
        }
        wait_groups<0> ();
        wait_for_team<own> (team); /* all threads have read before the next tile's copies */
      }
  });
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

typedef complex<double> Z;

template <class own>
static gpumm_status launch_bsr_tensor_as (int device, gpumm_stream *stream,
                                          const gpumm_sparse_product *p) {
  typename own::T alpha;
  convert (p->alpha, &alpha);
  int piece = piece_of (p, PIECE, 2 * own::teams, PIECE_ELEMENTS);
  return LAUNCH_SHARED ("bsr_tensor", multiply_blocks<own>, pieces_of (p, piece), THREADS,
                        own::bytes, device, stream, *p, piece, alpha);
}

typedef team_of<double, 2, 3, 1, 1, 8, 4, 3> d_32x24;
typedef team_of<double, 2, 2, 1, 2, 16, 3, 2> d_32x32;
/* Odd sides are copied element by element: shorter steps, and more teams at once. */
typedef team_of<double, 2, 2, 1, 2, 8, 4, 3> d_32x32_odd;
typedef team_of<double, 3, 3, 1, 2, 8, 4, 2> d_48x48;
typedef team_of<double, 2, 4, 2, 2, 16, 3, 2> d_64x64;
typedef team_of<Z, 2, 2, 1, 2, 8, 3, 2> z_32x32;
typedef team_of<Z, 2, 2, 2, 2, 8, 3, 2> z_64x32;

/* Elements of the tiles that cover a block of C: fewer are better. */
template <class own> static int64_t covered (const gpumm_sparse_product *p) {
  return ceil_div (p->c.block_rows, own::tile_m) * own::tile_m
         * (ceil_div (p->c.block_cols, own::tile_n) * own::tile_n);
}

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  if (p->type_c == GPUMM_D) {
    const bool pairs = p->c.block_rows % 2 == 0 && p->a.block_cols % 2 == 0;
    int64_t least = covered<d_64x64> (p);
    least =
        min (least, min (covered<d_32x24> (p), min (covered<d_32x32> (p), covered<d_48x48> (p))));
    return covered<d_64x64> (p) == least   ? launch_bsr_tensor_as<d_64x64> (device, stream, p)
           : covered<d_48x48> (p) == least ? launch_bsr_tensor_as<d_48x48> (device, stream, p)
           : covered<d_32x32> (p) != least ? launch_bsr_tensor_as<d_32x24> (device, stream, p)
           : pairs                         ? launch_bsr_tensor_as<d_32x32> (device, stream, p)
                                           : launch_bsr_tensor_as<d_32x32_odd> (device, stream, p);
  }
  return covered<z_32x32> (p) < covered<z_64x32> (p)
             ? launch_bsr_tensor_as<z_32x32> (device, stream, p)
             : launch_bsr_tensor_as<z_64x32> (device, stream, p);
}

/* Smaller blocks leave most of a tile empty, and bsr_tensor_small is for those up to 16 x 16. */
enum { FEWEST_ROWS = 8, FEWEST_ELEMENTS = 257, SHARED_BYTES = 114 << 10 };

static int runs_bsr_tensor (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return has_blocks (p) && (p->type_c == GPUMM_D || p->type_c == GPUMM_Z)
         && p->c.block_rows >= FEWEST_ROWS && p->c.block_cols >= FEWEST_ROWS
         && inner_of (p) >= FEWEST_ROWS && p->c.block_rows * p->c.block_cols >= FEWEST_ELEMENTS
         && device->shared_bytes >= SHARED_BYTES;
}

/* As measured on an H200 (bench/results/h200/bsr-patterns.csv), double: 1.1 to 1.5 times as fast as
 * registers at 20 x 20, 1.5 to 2 times at 23 x 23 and 2.9 to 4.5 times at 64 x 64, where it reaches
 * half of the arithmetic's rate if blocks of C have several products, and two thirds of memory's
 * rate if they have one. */
SPARSE_FAMILY_ROWS (bsr_tensor) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_tensor", 80, runs_bsr_tensor, turned_bytes, count_products,
     launch_products<multiply>},
    {},
};
