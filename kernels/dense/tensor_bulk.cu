/* tensor_bulk.cu - double precision on tensor cores, for shapes that memory limits.
 *
 * What it does: the same products and the same division of the work as tensor.cu, but a separate
 * warp copies with the bulk copies of compute capability 9.0 (TMA): one instruction brings a box of
 * 128 bytes by many lines, bypassing registers and the L1 cache, and a barrier in shared memory
 * says when it is there. The other warps only read and multiply.
 *
 * - About 190 KB of shared memory per multiprocessor are always in use or on their way, so the
 *   memory stays busy, which is the limit if C has few rows or columns.
 * - Operands lie in shared memory as they do in global memory, along k or across, in lines of 128
 *   bytes. The order of a line's pieces of 16 bytes differs from line to line (the copies' swizzle:
 *   piece p of line l at p xor l mod 8). The elements that a thread reads are chosen to suit it:
 *   see row_of.
 * - Blocks share a tile as in tensor.cu, but without a second kernel: all blocks wait for each
 *   other (a cooperative launch, so all run at once) and add the shares together, always in the
 *   same order.
 *
 * Bulk copies need addresses and columns at multiples of 16 bytes, which the engine provides.
 * Otherwise four warps copy to the same places, an element at a time.
 *
 * What limits it is the memory: at 32 x 4096 x 4096 it reads 134 MB in 45 us; cuBLAS takes 42 us.
 * It is faster where cuBLAS drops: 1.34 times as fast at 33 x 4095 x 4097, 1.38 at 63 and 1.34 at
 * 100 instead of 33. But cuBLAS with m, n and k padded by zeros also is: 1.15, 1.41 and 1.24. At 64
 * x 8192 x 8192 and at 100 x 100 x 65536 it is 1.05 times as fast as cuBLAS. (NVIDIA H200,
 * bench/results/h200/shapes.csv.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/bulk_maps.h"
#include "tensor_division.h"
#include "blocks/tensor_products.h"

#if CUDART_VERSION >= 12050
#include <cooperative_groups.h>

/* ---- layout in shared memory -------------------------------------------------------------- */

/* A tile of `rows` x K elements lies in boxes of lines of 128 bytes. Along k: a line is LINE steps
 * of a row, a box has all rows, and the tile K / LINE boxes. Across: a line is LINE rows of a step,
 * a box has all K steps, and the tile rows / LINE boxes. */
enum { LINE = BOX_WIDTH, LINE_BYTES = 8 * LINE };

template <bool ALONG> DEVICE constexpr int box_bytes (int rows, int k) {
  return LINE_BYTES * (ALONG ? rows : k);
}

template <bool ALONG> DEVICE constexpr int boxes (int rows, int k) {
  return (ALONG ? k : rows) / LINE;
}

/* Where element (r, l) lies, in bytes. */
template <bool ALONG> DEVICE int place (int rows, int k, int r, int l) {
  int box = (ALONG ? l : r) / LINE, line = ALONG ? r : l, inside = (ALONG ? l : r) % LINE * 8;
  return box * box_bytes<ALONG> (rows, k) + line * LINE_BYTES + (inside ^ line % 8 * 16);
}

/* Which elements of a tile a thread reads for a product of 16 rows and 8 steps. Together the
 * threads of a warp must cover all rows and all steps, and the steps must be the same for both
 * operands. If possible, a thread reads 16 bytes for neighbouring registers of the instruction: two
 * rows of a, two steps of b (PAIRS). Otherwise it reads single elements. In both cases the threads
 * that read at one time hit different banks. */
template <bool ALONG, bool PAIRS> DEVICE constexpr int row_of (int h, int g) {
  return PAIRS   ? (ALONG ? 8 * h + g / 2 + g % 2 * 4 : 2 * g + h)
         : ALONG ? 8 * h + g % 4 * 2 + g / 4
                 : 4 * h + g % 2 + g / 2 % 2 * 8 + g / 4 * 2;
}

template <bool PAIRS> DEVICE constexpr int step_of (int s, int t) {
  return PAIRS ? 2 * t + s : 4 * s + t;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* Reads two doubles, or one, from shared memory. Volatile, so that it stays behind its barriers. */
__device__ static inline void read_shared (double &x, double &y, unsigned from) {
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "r"(from));
}

__device__ static inline void read_shared (double &x, unsigned from) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(from));
}

/* A thread's elements of a tile: of 16 rows and 8 steps x[2 s + h], of row row_of (h, thread / 4)
 * and step step_of (s, thread % 4). */
template <bool ALONG, bool PAIRS, int ROWS, int K> struct fragments {
  unsigned offset[2][2]; /* [s][h] */

  __device__ inline fragments (int thread) {
    for (int s = 0; s < 2; s++)
      for (int h = 0; h < 2; h++)
        offset[s][h] = place<ALONG> (ROWS, K, row_of<ALONG, PAIRS> (h, thread / 4),
                                     step_of<PAIRS> (s, thread % 4));
  }

  /* The place of rows r .. r + 15, steps 8 q .. 8 q + 7. A line along k holds 16 steps: the second
   * 8 are in the other half of the line. */
  __device__ inline unsigned at (int s, int h, int r, int q) const {
    constexpr int BOX = box_bytes<ALONG> (ROWS, K);
    return ALONG ? (offset[s][h] ^ q * 8 % LINE * 8) + q * 8 / LINE * BOX + r * LINE_BYTES
                 : offset[s][h] + r / LINE * BOX + q * 8 * LINE_BYTES;
  }

  __device__ inline void read (double (&x)[4], unsigned tile, int r, int q) const {
#pragma unroll
    for (int i = 0; i < 2; i++)
      if (!PAIRS)
        for (int s = 0; s < 2; s++)
          read_shared (x[2 * s + i], tile + at (s, i, r, q));
      else if (ALONG)
        read_shared (x[i], x[2 + i], tile + at (0, i, r, q));
      else
        read_shared (x[2 * i], x[2 * i + 1], tile + at (i, 0, r, q));
  }
};

#endif

/* ---- the kernel --------------------------------------------------------------------------- */

/* op (A), or op (B) transposed: rows run along m, or n. */
struct operand {
  const double *x;
  int64_t ld, rows;
};

struct problem {
  int64_t k;
  operand a, b;
  double alpha, beta;
  double *c;
  int64_t next_row, next_column; /* of C, in elements */
  double *workspace;
  division d = {};
};

/* The operands for bulk copies. */
struct maps {
  CUtensorMap a, b;
};

/* What a row of the table chooses: a block computes M x N of C in steps of K, each of its warps
 * WARP_M x WARP_N of that; STAGES steps lie in shared memory. One block per multiprocessor. */
template <int M, int N, int K, int WARP_M, int WARP_N, int STAGES> struct tiling {
  static constexpr int m = M, n = N, k = K, warp_m = WARP_M, warp_n = WARP_N;
  static constexpr int warps_m = M / WARP_M, warps = warps_m * (N / WARP_N), threads = 32 * warps;
  static constexpr int stages = STAGES, bytes_a = M * K * (int) sizeof (double);
  static constexpr int stage_bytes = (M + N) * K * (int) sizeof (double);
  /* swizzled lines need multiples of 1024 bytes, which the driver does not guarantee */
  static constexpr int shared_bytes = 1024 + STAGES * stage_bytes + 2 * STAGES * 8;
};

/* Warps that copy, in addition to those that multiply. */
DEVICE constexpr int copying_warps (bool bulk) {
  return bulk ? 1 : 4;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* A step's copies, by one thread. */
template <class own, bool ALONG_A, bool ALONG_B>
__device__ static inline void copy_boxes (const maps &x, unsigned to, int r_a, int r_b, int l,
                                          unsigned barrier) {
  arrive_and_expect (barrier, own::stage_bytes);
#pragma unroll
  for (int box = 0; box < boxes<ALONG_A> (own::m, own::k); box++)
    start_box_of_2 (to + box * box_bytes<ALONG_A> (own::m, own::k), &x.a,
                    (ALONG_A ? l : r_a) + box * LINE, ALONG_A ? r_a : l, barrier);
#pragma unroll
  for (int box = 0; box < boxes<ALONG_B> (own::n, own::k); box++)
    start_box_of_2 (to + own::bytes_a + box * box_bytes<ALONG_B> (own::n, own::k), &x.b,
                    (ALONG_B ? l : r_b) + box * LINE, ALONG_B ? r_b : l, barrier);
}

/* A step's copies of one operand by THREADS threads, an element at a time; neighbouring threads
 * copy neighbours. */
template <bool ALONG, int ROWS, int K, int THREADS>
__device__ static inline void copy_elements (const operand &x, int thread, unsigned to, int64_t r0,
                                             int64_t l0, int64_t k) {
#pragma unroll 8
  for (int e = thread; e < ROWS * K; e += THREADS) {
    int r = ALONG ? e / K : e % ROWS, l = ALONG ? e % K : e / ROWS;
    bool inside = r0 + r < x.rows && l0 + l < k;
    const double *from = x.x + (ALONG ? l0 + l + (r0 + r) * x.ld : r0 + r + (l0 + l) * x.ld);
    start_copy<8> (to + place<ALONG> (ROWS, K, r, l), inside ? from : x.x, inside ? 8 : 0);
  }
}

/* Where in a tile of C a thread's sum [r][c][e] is. */
template <class own, bool ALONG_A, bool ALONG_B>
__device__ static inline void position (int thread, int r, int c, int e, int &row, int &column) {
  constexpr bool PAIRS = !ALONG_A && ALONG_B;
  int warp = thread / 32, g = thread % 32 / 4, t = thread % 4;
  row = warp % own::warps_m * own::warp_m + 16 * r + row_of<ALONG_A, PAIRS> (e / 2, g);
  column = warp / own::warps_m * own::warp_n + 16 * (c / 2)
           + row_of<ALONG_B, PAIRS> (c % 2, 2 * t + e % 2);
}

__device__ static inline void store_at (const problem &p, int64_t row, int64_t column, double sum) {
  if (row < p.a.rows && column < p.b.rows)
    store<double> (p.c, row * p.next_row + column * p.next_column, p.alpha, sum, p.beta);
}

/* C = alpha (sum of the shares of a tile) + beta C, by all blocks. With fewer elements than
 * threads, up to 8 threads of a warp work on one element and divide its shares. The latency of the
 * loads limits it, so a thread starts many at once, for several elements. Tiles that one share
 * completed are in C already. */
template <class own, bool ALONG_A, bool ALONG_B>
__device__ static inline void add_shares (const problem &p) {
  constexpr int TILE = own::m * own::n, COLUMNS = own::warp_n / 8;
  constexpr int ELEMENTS = 4, SHARES = 8; /* at once */
  int rest = p.d.tiles - p.d.whole, thread = threadIdx.x % 32, group = 1;
  int64_t all = (int64_t) rest * TILE, threads = (int64_t) gridDim.x * blockDim.x;
  while (group < 8 && 2 * group * all <= threads)
    group *= 2;
  int width = 32 / group, own_part = thread / width; /* a warp's elements are neighbours */
  int even = p.d.shares % rest == 0 ? p.d.shares / rest : 0;
  int64_t warp = ((int64_t) blockIdx.x * blockDim.x + threadIdx.x) / 32, stride = threads / group;
  for (int64_t e0 = warp * width; e0 < all; e0 += ELEMENTS * stride) {
    double sum[ELEMENTS] = {};
    const double *from[ELEMENTS];
    int count[ELEMENTS], most = 0;
    bool parts[ELEMENTS];
#pragma unroll
    for (int i = 0; i < ELEMENTS; i++) {
      int64_t e = e0 + i * stride;
      int tile = (int) (e / TILE), first = 0, last = 0; /* per warp: width divides TILE */
      if (e < all) {
        int64_t step = (int64_t) tile * p.d.steps;
        first = even ? tile * even : share_of (p.d, step);
        last = even ? first + even - 1 : share_of (p.d, step + p.d.steps - 1);
      }
      parts[i] = first < last;
      count[i] = parts[i] && first + own_part <= last ? (last - first - own_part) / group + 1 : 0;
      most = max (most, count[i]);
      from[i] =
          p.workspace + (int64_t) slot (first + own_part, 1) * TILE + e % TILE + thread % width;
    }
    for (int n = 0; n < most; n += SHARES) {
      double part[ELEMENTS][SHARES];
#pragma unroll
      for (int i = 0; i < ELEMENTS; i++)
#pragma unroll
        for (int j = 0; j < SHARES; j++) {
          int64_t at = (int64_t) 2 * (n + j) * group * TILE;
          if (n + j == 0 && own_part == 0)
            at += TILE; /* a tile's first share is in the other slot */
          part[i][j] = n + j < count[i] ? from[i][at] : 0;
        }
#pragma unroll
      for (int i = 0; i < ELEMENTS; i++)
#pragma unroll
        for (int j = 0; j < SHARES; j++)
          sum[i] = add (sum[i], part[i][j]);
    }
#pragma unroll
    for (int i = 0; i < ELEMENTS; i++) {
      for (int other = width; other < 32; other *= 2)
        sum[i] = add (sum[i], __shfl_xor_sync (0xffffffff, sum[i], other));
      if (!parts[i] || thread >= width)
        continue;
      int64_t e = e0 + i * stride + thread;
      int x = (int) (e % TILE), r = x / own::threads, tile_i, tile_j, row, column;
      tile_at (p.d, p.d.whole + (int) (e / TILE), tile_i, tile_j);
      position<own, ALONG_A, ALONG_B> (x % own::threads, r / 4 / COLUMNS, r / 4 % COLUMNS, r % 4,
                                       row, column);
      store_at (p, (int64_t) tile_i * own::m + row, (int64_t) tile_j * own::n + column, sum[i]);
    }
  }
}

#endif

template <class own, bool ALONG_A, bool ALONG_B, bool BULK>
__global__ void __launch_bounds__ (own::threads + 32 * copying_warps (BULK), 1)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply (const __grid_constant__ problem p, const __grid_constant__ maps x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int STAGES = own::stages, COPIERS = 32 * copying_warps (BULK);
  constexpr int ROWS = own::warp_m / 16, COLUMNS = own::warp_n / 8; /* of products, of a warp */
  extern __shared__ __align__ (1024) char shared[];
  char *tiles = shared + (1024 - (unsigned) __cvta_generic_to_shared (shared) % 1024) % 1024;
  unsigned first_tile = (unsigned) __cvta_generic_to_shared (tiles);
  /* a stage's barriers: full, its tiles are there; empty, they are no longer needed */
  unsigned full = first_tile + STAGES * own::stage_bytes, empty = full + STAGES * 8;
  int thread = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; stage++) {
      make_barrier (full + 8 * stage, BULK ? 1 : COPIERS);
      make_barrier (empty + 8 * stage, BULK ? own::warps : own::threads);
    }
    publish_barriers ();
  }
  if (BULK && threadIdx.x == own::threads) {
    prefetch_map (&x.a);
    prefetch_map (&x.b);
  }
  __syncthreads ();

  cursor now;
  enter_tile (p.d, now, blockIdx.x);
  int stage = 0, parity = 0;
  auto next_stage = [&] {
    parity ^= stage + 1 == STAGES;
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  };

  if (warp >= own::warps) { /* copy */
    int tile_i = 0, tile_j = 0;
    /* Copies of elements are announced on arrival, and waited for only when those of the next step
     * are on their way. */
    int untold = 0, oldest = 0;
    auto tell = [&] {
      arrive (full + 8 * oldest);
      oldest = oldest + 1 == STAGES ? 0 : oldest + 1;
      untold--;
    };
    if (!BULK || elected ())
      for (; now.tile >= 0; advance (p.d, now), next_stage ()) {
        if (now.step == now.from)
          tile_at (p.d, now.tile, tile_i, tile_j);
        unsigned to = first_tile + stage * own::stage_bytes, barrier = full + 8 * stage;
        wait (empty + 8 * stage, parity ^ 1);
        if constexpr (BULK)
          copy_boxes<own, ALONG_A, ALONG_B> (x, to, tile_i * own::m, tile_j * own::n,
                                             now.step * own::k, barrier);
        else {
          int64_t l = (int64_t) now.step * own::k;
          int copier = threadIdx.x - own::threads;
          copy_elements<ALONG_A, own::m, own::k, COPIERS> (p.a, copier, to,
                                                           (int64_t) tile_i * own::m, l, p.k);
          copy_elements<ALONG_B, own::n, own::k, COPIERS> (p.b, copier, to + own::bytes_a,
                                                           (int64_t) tile_j * own::n, l, p.k);
          end_group ();
          if (++untold > 1) {
            wait_groups<1> ();
            tell ();
          }
        }
      }
    if (!BULK) {
      wait_groups<0> ();
      if (untold > 0)
        tell ();
    }
    __syncwarp ();
  } else { /* multiply */
    int warp_i = warp % own::warps_m * own::warp_m, warp_j = warp / own::warps_m * own::warp_n;
    constexpr bool PAIRS = !ALONG_A && ALONG_B;
    fragments<ALONG_A, PAIRS, own::m, own::k> a (thread);
    fragments<ALONG_B, PAIRS, own::n, own::k> b (thread);
    /* A unit of a step is 16 rows and 8 along k. While one unit is multiplied, the next one's part
     * of a is read, and its part of b if it is the first of its 8 along k. */
    constexpr int U = own::k / 8 * ROWS;
    static_assert (U % 2 == 0 && own::k / 8 % 2 == 0, "a step begins with u[0] and v[0]");
    double u[2][4], v[2][COLUMNS / 2][4];
    unsigned tile = first_tile; /* of the current stage */
    auto read_a = [&] (int unit) {
      a.read (u[unit % 2], tile, warp_i + unit % ROWS * 16, unit / ROWS);
    };
    auto read_b = [&] (int q) {
#pragma unroll
      for (int c = 0; c < COLUMNS / 2; c++)
        b.read (v[q % 2][c], tile + own::bytes_a, warp_j + 16 * c, q);
    };
    while (now.tile >= 0) {
      double sum[ROWS][COLUMNS][4] = {};
      wait (full + 8 * stage, parity);
      read_a (0);
      read_b (0);
#pragma unroll 1
      for (int left = now.last - now.from; left > 0; left--) {
#pragma unroll
        for (int unit = 0; unit < U; unit++) {
          if (unit + 1 < U) {
            if (unit % ROWS == 0 && unit + ROWS < U)
              read_b (unit / ROWS + 1);
            read_a (unit + 1);
          } else {
            /* the whole stage is in registers */
            __syncwarp ();
            if (thread == 0 || !BULK) /* every thread if threads copy, for racecheck */
              arrive (empty + 8 * stage);
            next_stage ();
            tile = stage == 0 ? first_tile : tile + own::stage_bytes;
            if (left > 1) {
              wait (full + 8 * stage, parity);
              read_a (0);
              read_b (0);
            }
          }
#pragma unroll
          for (int c = 0; c < COLUMNS; c++) {
            double y[2] = {v[unit / ROWS % 2][c / 2][c % 2], v[unit / ROWS % 2][c / 2][2 + c % 2]};
            multiply_add (sum[unit % ROWS][c], u[unit % 2], y);
          }
        }
      }
      int tile_i, tile_j;
      tile_at (p.d, now.tile, tile_i, tile_j);
      bool whole = now.from == 0 && now.last == p.d.steps;
      double *partial =
          p.workspace + (int64_t) slot (own_share (p.d), now.from) * (own::m * own::n);
#pragma unroll
      for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
          for (int e = 0; e < 4; e++)
            if (whole) {
              int row, column;
              position<own, ALONG_A, ALONG_B> (threadIdx.x, r, c, e, row, column);
              store_at (p, (int64_t) tile_i * own::m + row, (int64_t) tile_j * own::n + column,
                        sum[r][c][e]);
            } else
              partial[((r * COLUMNS + c) * 4 + e) * own::threads + threadIdx.x] = sum[r][c][e];
      now.step = now.last - 1;
      advance (p.d, now);
    }
  }
  if (p.d.shares > 0) {
    cooperative_groups::this_grid ().sync ();
    add_shares<own, ALONG_A, ALONG_B> (p);
  }
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

/* Cost of adding shares, in multiply-adds of a multiprocessor: about 4 us, estimated from the bytes
 * of the sums and two waits for the memory. */
static const double SHARING_COST = 0.9e6;

/* Shares that cut all tiles in the same way read the same steps of k at the same time and share
 * them in the cache. They are used if they keep at least this part of the multiprocessors busy. */
static const double BUSY = 0.9;

/* Each multiprocessor computes tiles one after the other while there is one for all. The rest is
 * cut in shares if that saves more than it costs. */
template <class own>
static gpumm_status divide (int64_t m, int64_t n, int64_t k, int multiprocessors, bool share,
                            division *d) {
  gpumm_status status = divide_whole<own> (m, n, k, multiprocessors, d);
  const int64_t all = multiprocessors, tiles = d->tiles, steps = d->steps, rest = tiles % all;
  if (status || !share || rest == 0)
    return status;
  int64_t even = all / rest * rest;
  int64_t shares = tiles < all && (double) even >= BUSY * (double) all ? even : all;
  shares = least (shares, rest * steps / FEWEST_STEPS);
  double step = (double) own::m * own::n * own::k;
  double saved = 1 - (double) rest / (double) shares;
  if (shares > rest && saved * (double) steps * step > SHARING_COST) {
    d->whole = (int) (tiles - rest);
    d->shares = (int) shares;
    d->blocks = (int) (tiles > all ? all : shares);
  }
  return GPUMM_OK;
}

template <class own> static size_t bytes_for (const division &d) {
  return (size_t) 2 * (size_t) d.shares * own::m * own::n * sizeof (double);
}

/* The same tiles for a C whose longer side is along n. */
template <class own>
using flipped = tiling<own::n, own::m, own::k, own::warp_m, own::warp_n, own::stages>;

template <class own>
static size_t workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  division d = {};
  int64_t m = p->m > p->n ? p->m : p->n, n = least (p->m, p->n);
  return divide<own> (m, n, p->k, device->multiprocessors, true, &d) ? 0 : bytes_for<own> (d);
}

/* The limits of a map: bytes between columns, and places of type int, even of boxes that reach past
 * the edges. */
static const int64_t PITCH_END = (int64_t) 1 << 40, LONGEST_SIDE = INT32_MAX / 2;

/* Boxes of lines of 128 bytes of an operand; false: its layout does not suit bulk copies, or it is
 * empty and the driver would refuse it. */
template <bool ALONG>
static bool make_map (const operand &x, int64_t k, int rows, int steps, CUtensorMap *map) {
  bool aligned = (uintptr_t) x.x % 16 == 0 && x.ld % 2 == 0 && x.ld < PITCH_END / 8;
  bool sized = x.rows > 0 && x.rows <= LONGEST_SIDE && k > 0 && k <= LONGEST_SIDE;
  if (!aligned || !sized)
    return false;
  cuuint64_t sizes[] = {(cuuint64_t) (ALONG ? k : x.rows), (cuuint64_t) (ALONG ? x.rows : k)};
  cuuint64_t pitch[] = {(cuuint64_t) x.ld * sizeof (double)};
  cuuint32_t box[] = {LINE, (cuuint32_t) (ALONG ? rows : steps)};
  return encode_map (x.x, 2, sizes, pitch, box, map);
}

template <class own, bool ALONG_A, bool ALONG_B, bool BULK>
static gpumm_status launch_as (int device, gpumm_stream *stream, const problem &q, const maps &x) {
  constexpr int THREADS = own::threads + 32 * copying_warps (BULK);
  return launch_on_gpu ("tensor", q.d.blocks, THREADS, device, [&] {
    auto kernel = multiply<own, ALONG_A, ALONG_B, BULK>;
    void *parameters[] = {(void *) &q, (void *) &x};
    dim3 blocks ((unsigned) q.d.blocks), threads (THREADS);
    if (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              own::shared_bytes))
      return;
    if (q.d.shares > 0) /* all blocks run at once and wait for each other */
      cudaLaunchCooperativeKernel ((const void *) kernel, blocks, threads, parameters,
                                   own::shared_bytes, (cudaStream_t) stream);
    else
      cudaLaunchKernel ((const void *) kernel, blocks, threads, parameters, own::shared_bytes,
                        (cudaStream_t) stream);
  });
}

template <class own, bool ALONG_A, bool ALONG_B>
static gpumm_status launch_ops (int device, gpumm_stream *stream, const gpumm_product *p,
                                problem q) {
  int processors;
  gpumm_status status = multiprocessors (device, &processors);
  if (!status)
    status = divide<own> (q.a.rows, q.b.rows, q.k, processors, true, &q.d);
  if (!status && (!p->workspace || bytes_for<own> (q.d) > p->workspace_bytes))
    status = divide<own> (q.a.rows, q.b.rows, q.k, processors, false, &q.d);
  if (status)
    return status;
  maps x = {};
  if (make_map<ALONG_A> (q.a, q.k, own::m, own::k, &x.a)
      && make_map<ALONG_B> (q.b, q.k, own::n, own::k, &x.b))
    return launch_as<own, ALONG_A, ALONG_B, true> (device, stream, q, x);
  return launch_as<own, ALONG_A, ALONG_B, false> (device, stream, q, x);
}

/* If A is along k and B is not, the transposed product is computed, in which it is the other way
 * round. If both are or both are not, it is computed if that puts the longer side of C along m. */
template <class own>
static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  if (p->type != GPUMM_D)
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "kernel tensor: not for elements of type %d",
                              (int) p->type);
  arguments<double> x (p);
  operand a = {x.a, p->lda, x.m}, b = {x.b, p->ldb, x.n};
  bool along_a = p->op_a != GPUMM_NONE, along_b = p->op_b == GPUMM_NONE;
  problem q = {x.k, a, b, x.alpha, x.beta, x.c, 1, p->ldc, (double *) p->workspace, {}};
  if (along_a == along_b ? x.n > x.m : along_a) {
    q.a = b;
    q.b = a;
    q.next_row = p->ldc;
    q.next_column = 1;
  }
  if (along_a != along_b && q.a.rows < q.b.rows)
    return launch_ops<flipped<own>, false, true> (device, stream, p, q);
  return along_a != along_b ? launch_ops<own, false, true> (device, stream, p, q)
         : along_a          ? launch_ops<own, true, true> (device, stream, p, q)
                            : launch_ops<own, false, false> (device, stream, p, q);
}

template <class own>
static int runs (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) p;
  return device->shared_bytes >= own::shared_bytes;
}

/* For C of at most 64 or at most 32 rows or columns, and for few of both and a long k. By name
 * only: they gain little over cuBLAS, and at few sizes (see the top). */
typedef tiling<128, 64, 32, 32, 32, 4> tiling_128x64x32;
typedef tiling<128, 32, 32, 32, 16, 5> tiling_128x32x32;
typedef tiling<64, 64, 32, 32, 16, 6> tiling_64x64x32;

#define ROW(name, own)                                                                             \
  {                                                                                                \
    "tensor", name, 1 << GPUMM_D, own::m, own::n, own::k, own::warp_m / 8, own::warp_n / 4, 90,    \
        BY_NAME_ONLY, runs<own>, launch<own>, workspace<own>                                       \
  }

FAMILY_ROWS (tensor_bulk) = {
    ROW ("tensor_bulk_128x64x32", tiling_128x64x32),
    ROW ("tensor_bulk_128x32x32", tiling_128x32x32),
    ROW ("tensor_bulk_64x64x32", tiling_64x64x32),
    {},
};

#else /* a Toolkit that cannot ask the driver for its functions by version: no rows */

FAMILY_ROWS (tensor_bulk) = {{}};

#endif
