/* tensor.cu - double precision on tensor cores.
 *
 * What it does: tiles in shared memory and sums in registers as in register.cu, but tensor cores
 * compute the products: a warp multiplies 16 x 8 by 8 x 8 elements in one instruction
 * (m16n8k8 on compute capability 9.0; four of 8 x 4 by 4 x 8 on others from 8.0 on), and each
 * element is a chain of fused multiply-adds as in plain code: the same error bound, NaN and Inf
 * where the formula has them. A complex product is four real ones on split fragments.
 *
 * - Copies overlap with the products: of the STAGES steps along k in shared memory, one is in use
 *   and the others are on their way by asynchronous copies (cp.async), which use no registers. A
 *   copy has 16 bytes if pointers and leading dimensions allow it, otherwise one element. The
 *   copies are the cost: without them the kernel is as fast as cuBLAS, with copies of 8 bytes a
 *   fifth slower. Separate warps for the copies do not help.
 * - Operands lie in shared memory as they do in global memory, along k or across: each pair of ops
 *   has its own kernel. The padding of a line keeps the threads that read a fragment in different
 *   banks.
 * - Blocks share the work evenly for any number of tiles. As many blocks run as fit the GPU, and
 *   compute whole tiles while there is one for each block. The steps along k of the remaining tiles
 *   are lined up and cut into equal shares, so several blocks may compute one tile: each leaves its
 *   sum in the workspace, and add_shares adds them, always in the
 *   same order. (Osama, Merrill, Cecka, Garland, Owens: Stream-K, PPoPP 2023; here with a second
 *   kernel; there blocks wait for each other.) This also splits k if C has few tiles.
 *
 * What limits it is the arithmetic, which the copies hold up: a tensor core works 80 % of the time
 * at n = 4096 on an H200. For m or n below about 64 the memory limits it, and for small sizes the
 * second kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tensor_division.h"
#include "blocks/tensor_products.h"

/* ---- shared memory ------------------------------------------------------------------------ */

/* Where element (r, l) of a tile of ROWS x TILE_K lies: neighbours in memory, along k or across,
 * stay neighbours. Shared memory serves 16 doubles or 8 complex numbers at a time if their banks
 * differ. The padding ensures that for the 4 along k by 4 (2) across of which fragments consist. */
template <class T, bool ALONG, int ROWS, int TILE_K> DEVICE constexpr int place (int r, int l) {
  return ALONG ? r * (TILE_K + 4) + l : l * (ROWS + 32 / (int) sizeof (T)) + r;
}

/* Elements of shared memory for a tile. */
template <class T, int ROWS, int TILE_K> DEVICE constexpr int room () {
  return place<T, true, ROWS, TILE_K> (ROWS, 0) > place<T, false, ROWS, TILE_K> (0, TILE_K)
             ? place<T, true, ROWS, TILE_K> (ROWS, 0)
             : place<T, false, ROWS, TILE_K> (0, TILE_K);
}

/* ---- the kernel --------------------------------------------------------------------------- */

/* op (A), or op (B) transposed: rows run along m, or n. */
template <class T> struct operand {
  const T *x;
  int64_t ld, rows;
  bool conjugated;
};

template <class T> struct problem {
  int64_t k;
  operand<T> a, b;
  T alpha, beta;
  T *c;
  int64_t ldc;
  T *workspace;
  division d = {};
};

/* A thread's copies of tiles, COUNT for each, of V elements that are neighbours in memory along k
 * or across, with zeros past the edges: along k both operands have them, so padding multiplies 0 by
 * 0 only. Neighbouring threads copy neighbours. Constants of all steps are kept, and a step has no
 * branches, so that the compiler can put copies between products. */
template <class T, bool ALONG, int V, int ROWS, int TILE_K, int THREADS> struct copies {
  static constexpr int COUNT = ROWS * TILE_K / V / THREADS;
  static constexpr int LINE = (ALONG ? TILE_K : ROWS) / V; /* copies of neighbours */
  static constexpr int NEXT = THREADS / LINE;              /* rows or steps, from copy to copy */
  static_assert (THREADS % LINE == 0 && COUNT * NEXT == (ALONG ? ROWS : TILE_K), "whole lines");
  const T *from;
  int64_t next, next_step; /* distance from copy to copy, and extra from step to step */
  unsigned to;             /* the first, in the first stage */
  int lines, elements;     /* copies that lie inside, and their elements */

  /* row and step of the first copy, in the tile */
  __device__ static inline int row () {
    return ALONG ? threadIdx.x / LINE : threadIdx.x % LINE * V;
  }

  __device__ static inline int step () {
    return ALONG ? threadIdx.x % LINE * V : threadIdx.x / LINE;
  }

  __device__ inline copies (const T *s, const operand<T> &x) : from (x.x), lines (0), elements (0) {
    next = NEXT * x.ld;
    next_step = ALONG ? TILE_K - ROWS * x.ld : 0;
    to = (unsigned) __cvta_generic_to_shared (s + place<T, ALONG, ROWS, TILE_K> (row (), step ()));
  }

  /* begins the tile at row r0, from step l0 on */
  __device__ inline void begin_tile (const operand<T> &x, int64_t r0, int64_t l0) {
    int64_t r = r0 + row (), l = l0 + step ();
    from = x.x + (ALONG ? l + r * x.ld : r + l * x.ld);
  }

  /* limits the next step to that many rows and steps of k */
  __device__ inline void set_edges (int64_t rows, int64_t k) {
    rows = max (min (rows, (int64_t) ROWS) - row (), (int64_t) 0);
    k = max (min (k, (int64_t) TILE_K) - step (), (int64_t) 0);
    lines = ((int) (ALONG ? rows : k) + NEXT - 1) / NEXT;
    elements = min ((int) (ALONG ? k : rows), V);
  }

  /* starts copy e into the stage at that offset in bytes; call it for all copies, in order */
  __device__ inline void start (int e, unsigned stage) {
    constexpr int BYTES = V * sizeof (T);
    unsigned address =
        to + stage
        + (unsigned) sizeof (T)
              * place<T, ALONG, ROWS, TILE_K> (ALONG ? e * NEXT : 0, ALONG ? 0 : e * NEXT);
    int inside = e < lines ? elements * (int) sizeof (T) : 0;
    start_copy<BYTES> (address, from, inside);
    from += next;
    if (e + 1 == COUNT)
      from += next_step;
  }
};

/* What a row of the table chooses: a block computes M x N of C in steps of K, each of its warps
 * WARP_M x WARP_N of that; STAGES steps lie in shared memory; BLOCKS blocks fit a multiprocessor. */
template <class Type, int M, int N, int K, int WARP_M, int WARP_N, int STAGES, int BLOCKS>
struct tiling {
  typedef Type T;
  static constexpr int m = M, n = N, k = K, warp_m = WARP_M, warp_n = WARP_N;
  static constexpr int warps_m = M / WARP_M, threads = 32 * warps_m * (N / WARP_N);
  static constexpr int stages = STAGES, stage = room<T, M, K> () + room<T, N, K> (); /* elements */
  static constexpr int shared_bytes = stages * stage * (int) sizeof (T), blocks = BLOCKS;
};

template <class own, bool ALONG_A, bool ALONG_B, int V>
__global__ void __launch_bounds__ (own::threads, own::blocks)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply (problem<typename own::T> p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  typedef typename own::T T;
  constexpr int TILE_M = own::m, TILE_N = own::n, TILE_K = own::k, STAGES = own::stages;
  constexpr int ROOM_A = room<T, TILE_M, TILE_K> ();
  constexpr int ROWS = own::warp_m / 16, COLUMNS = own::warp_n / 8; /* of fragments, of a warp */
  extern __shared__ __align__ (16) char shared[];
  T *tiles = (T *) shared;
  int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  int warp_i = warp % own::warps_m * own::warp_m, warp_j = warp / own::warps_m * own::warp_n;

  cursor load, now; /* the next step to copy, and the next to multiply */
  enter_tile (p.d, load, blockIdx.x);
  now = load;
  copies<T, ALONG_A, V, TILE_M, TILE_K, own::threads> copies_a (tiles, p.a);
  copies<T, ALONG_B, V, TILE_N, TILE_K, own::threads> copies_b (tiles + ROOM_A, p.b);
  auto prepare_copies = [&] {
    int64_t l0 = (int64_t) load.step * TILE_K, left = load.tile < 0 ? 0 : p.k - l0;
    bool begins = load.tile >= 0 && load.step == load.from;
    if (!begins && left >= TILE_K)
      return;
    int i, j;
    tile_at (p.d, load.tile < 0 ? 0 : load.tile, i, j);
    int64_t i0 = (int64_t) i * TILE_M, j0 = (int64_t) j * TILE_N;
    copies_a.set_edges (p.a.rows - i0, left);
    copies_b.set_edges (p.b.rows - j0, left);
    if (begins) {
      copies_a.begin_tile (p.a, i0, l0);
      copies_b.begin_tile (p.b, j0, l0);
    }
  };
  /* part u of U */
  auto start_copies = [&] (int u, int U, int stage) {
    unsigned bytes = stage * own::stage * (unsigned) sizeof (T);
#pragma unroll
    for (int e = u * copies_a.COUNT / U; e < (u + 1) * copies_a.COUNT / U; e++)
      copies_a.start (e, bytes);
#pragma unroll
    for (int e = u * copies_b.COUNT / U; e < (u + 1) * copies_b.COUNT / U; e++)
      copies_b.start (e, bytes);
  };
  auto next_copies = [&] {
    if (load.tile >= 0) {
      advance (p.d, load);
      prepare_copies ();
    }
  };
  prepare_copies ();
#pragma unroll 1
  for (int stage = 0; stage < STAGES - 1; stage++) {
    start_copies (0, 1, stage);
    end_group ();
    next_copies ();
  }

  /* A unit of a step is one fragment of a times a row of fragments of b. While the tensor cores
   * compute a unit, the next fragment of a is read, and part of the next fragments of b. The last
   * unit reads the first fragments of the next step: from there on the stage of this step is
   * free. */
  constexpr int U = TILE_K / 8 * ROWS;
  static_assert (U % 2 == 0 && TILE_K / 8 % 2 == 0, "a step begins with x[0] and y[0]");
  T x[2][4], y[2][COLUMNS][2];
  auto read_a = [&] (int u, int stage) {
    const T *a = tiles + stage * own::stage + place<T, ALONG_A, TILE_M, TILE_K> (warp_i + g, t);
#pragma unroll
    for (int e = 0; e < 4; e++) {
      T value = a[place<T, ALONG_A, TILE_M, TILE_K> (u % ROWS * 16 + e % 2 * 8,
                                                     u / ROWS * 8 + e / 2 * 4)];
      x[u % 2][e] = p.a.conjugated ? conjugate (value) : value;
    }
  };
  auto read_b = [&] (int u, int stage, int c) {
    const T *b =
        tiles + stage * own::stage + ROOM_A + place<T, ALONG_B, TILE_N, TILE_K> (warp_j + g, t);
#pragma unroll
    for (int e = 0; e < 2; e++) {
      T value = b[place<T, ALONG_B, TILE_N, TILE_K> (c * 8, u / ROWS * 8 + e * 4)];
      y[u / ROWS % 2][c][e] = p.b.conjugated ? conjugate (value) : value;
    }
  };
  auto wait = [&] {
    wait_groups<STAGES - 2> ();
    __syncthreads (); /* the next stage is complete, and all threads have read this one */
  };

  T sum[ROWS][COLUMNS][4] = {};
  wait ();
  read_a (0, 0);
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    read_b (0, 0, c);
  for (int stage = 0, next; now.tile >= 0; stage = next) {
    next = stage + 1 < STAGES ? stage + 1 : 0;
#pragma unroll
    for (int u = 0; u < U; u++) {
      bool last = u + 1 == U;
      if (last)
        wait ();
      read_a ((u + 1) % U, last ? next : stage);
      int row = (u / ROWS + 1) * ROWS % U; /* the first unit of the next row of b */
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        if (row == 0 ? last : c * ROWS / COLUMNS == u % ROWS)
          read_b (row, last ? next : stage, c);
      /* in two groups: the compiler delays each until the earlier reads have arrived */
      if (u == 0)
        start_copies (0, 2, stage > 0 ? stage - 1 : STAGES - 1);
      if (u == (U - 1) / 2) {
        start_copies (1, 2, stage > 0 ? stage - 1 : STAGES - 1);
        end_group ();
      }
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        multiply_add (sum[u % ROWS][c], x[u % 2], y[u / ROWS % 2][c]);
    }
    next_copies ();

    if (now.step + 1 == now.last) {
      int tile_i, tile_j;
      tile_at (p.d, now.tile, tile_i, tile_j);
      bool whole = now.from == 0 && now.last == p.d.steps;
      T *partial = p.workspace + (int64_t) slot (own_share (p.d), now.from) * (TILE_M * TILE_N);
#pragma unroll
      for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
          for (int e = 0; e < 4; e++) {
            int i = warp_i + 16 * r + 8 * (e / 2) + g, j = warp_j + 8 * c + 2 * t + e % 2;
            int64_t row = (int64_t) tile_i * TILE_M + i, column = (int64_t) tile_j * TILE_N + j;
            if (!whole)
              partial[i + j * TILE_M] = sum[r][c][e];
            else if (row < p.a.rows && column < p.b.rows)
              store<T> (p.c, row + column * p.ldc, p.alpha, sum[r][c][e], p.beta);
            sum[r][c][e] = T{};
          }
    }
    advance (p.d, now);
  }
#endif
}

/* ---- the sums of shares ------------------------------------------------------------------- */

enum { ADDERS = 256 };

/* C = alpha (sum of the shares of a tile) + beta C. ADDERS / elements threads work on an element:
 * each adds every n-th share, then the first thread adds their sums. Tiles that one share completed
 * are in C already. */
template <class T, int TILE_M, int TILE_N>
__global__ void __launch_bounds__ (ADDERS) add_shares (problem<T> p, int elements) {
  __shared__ T sums[ADDERS];
  int chunks = TILE_M * TILE_N / elements;
  int tile = blockIdx.x / chunks;
  int e = blockIdx.x % chunks * elements + threadIdx.x % elements;
  __shared__ int ends[2]; /* the tile's first and last share: two threads do the divisions */
  if (threadIdx.x < 2)
    ends[threadIdx.x] =
        share_of (p.d, (int64_t) tile * p.d.steps + (threadIdx.x == 0 ? 0 : p.d.steps - 1));
  __syncthreads ();
  int first = ends[0], last = ends[1];
  if (first == last)
    return;
  T sum = {};
  for (int share = first + threadIdx.x / elements; share <= last; share += ADDERS / elements)
    sum = add (sum, p.workspace[(int64_t) slot (share, share > first) * (TILE_M * TILE_N) + e]);
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if ((int) threadIdx.x >= elements)
    return;
  for (int other = threadIdx.x + elements; other < ADDERS; other += elements)
    sum = add (sum, sums[other]);
  int i, j;
  tile_at (p.d, p.d.whole + tile, i, j);
  int64_t row = (int64_t) i * TILE_M + e % TILE_M, column = (int64_t) j * TILE_N + e / TILE_M;
  if (row < p.a.rows && column < p.b.rows)
    store<T> (p.c, row + column * p.ldc, p.alpha, sum, p.beta);
}

/* ---- launch ------------------------------------------------------------------------------- */

/* Cost of adding shares, in multiply-adds of a multiprocessor: about 6 us to write and read the
 * sums and to start the second kernel (H200). */
static const double SHARING_COST = 1.3e6;

/* If some multiprocessors have a tile more than others, all wait for it. Shares are used where they
 * save more than they cost. */
template <class own>
static gpumm_status divide (int64_t m, int64_t n, int64_t k, int multiprocessors, bool share,
                            division *d) {
  const int64_t most = (int64_t) multiprocessors * own::blocks;
  gpumm_status status = divide_whole<own> (m, n, k, most, d);
  if (status)
    return status;
  const int64_t tiles = d->tiles, steps = d->steps;
  double step = (double) own::m * own::n * own::k * (sizeof (typename own::T) > 8 ? 4 : 1);
  double saved = (double) ceil_div (tiles, multiprocessors) - (double) tiles / multiprocessors;
  /* whole tiles for all blocks, then, if there are as many, for one block of each multiprocessor */
  int64_t whole = tiles - tiles % multiprocessors, rest = tiles - whole;
  int64_t sharing = whole % most ? most - whole % most : most;
  int64_t shares = least (sharing, rest * steps / FEWEST_STEPS);
  if (share && shares > rest && saved * (double) steps * step > SHARING_COST) {
    d->whole = (int) whole;
    d->shares = (int) shares;
    d->blocks = (int) (whole > 0 ? most : shares);
  }
  return GPUMM_OK;
}

template <class own> static size_t bytes_for (const division &d) {
  return (size_t) 2 * (size_t) d.shares * own::m * own::n * sizeof (typename own::T);
}

template <class own>
static size_t workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  division d = {};
  return divide<own> (p->m, p->n, p->k, device->multiprocessors, true, &d) ? 0 : bytes_for<own> (d);
}

template <class own, bool ALONG_A, bool ALONG_B, int V>
static gpumm_status launch_as (int device, gpumm_stream *stream,
                               const problem<typename own::T> &q) {
  return launch_on_gpu ("tensor", q.d.blocks, own::threads, device, [&] {
    auto kernel = multiply<own, ALONG_A, ALONG_B, V>;
    if (!cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               own::shared_bytes))
      /* clang-format off */
      kernel<<<(unsigned) q.d.blocks, own::threads, own::shared_bytes, (cudaStream_t) stream>>> (q);
    /* clang-format on */
  });
}

template <class own, int V>
static gpumm_status launch_ops (int device, gpumm_stream *stream, bool along_a, bool along_b,
                                const problem<typename own::T> &q) {
  return along_a   ? along_b ? launch_as<own, true, true, V> (device, stream, q)
                             : launch_as<own, true, false, V> (device, stream, q)
           : along_b ? launch_as<own, false, true, V> (device, stream, q)
                   : launch_as<own, false, false, V> (device, stream, q);
}

/* Can elements be copied 16 bytes at a time? */
static bool aligned (const void *p, int64_t ld_bytes) {
  return (uintptr_t) p % 16 == 0 && ld_bytes % 16 == 0;
}

template <class own>
static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  typedef typename own::T T;
  if (p->type != (sizeof (T) > 8 ? GPUMM_Z : GPUMM_D))
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "kernel tensor: not for elements of type %d",
                              (int) p->type);
  arguments<T> x (p);
  problem<T> q = {x.k,
                  {x.a, p->lda, x.m, p->op_a == GPUMM_CTRANSPOSE},
                  {x.b, p->ldb, x.n, p->op_b == GPUMM_CTRANSPOSE},
                  x.alpha,
                  x.beta,
                  x.c,
                  p->ldc,
                  (T *) p->workspace,
                  {}};
  int processors;
  gpumm_status status = multiprocessors (device, &processors);
  if (!status)
    status = divide<own> (x.m, x.n, x.k, processors, true, &q.d);
  if (!status && (!p->workspace || bytes_for<own> (q.d) > p->workspace_bytes))
    status = divide<own> (x.m, x.n, x.k, processors, false, &q.d);
  if (status)
    return status;
  constexpr int WIDE = 16 / sizeof (T);
  bool along_a = p->op_a != GPUMM_NONE, along_b = p->op_b == GPUMM_NONE;
  if (aligned (x.a, p->lda * (int64_t) sizeof (T)) && aligned (x.b, p->ldb * (int64_t) sizeof (T)))
    status = launch_ops<own, WIDE> (device, stream, along_a, along_b, q);
  else
    status = launch_ops<own, 1> (device, stream, along_a, along_b, q);
  if (status || q.d.shares == 0)
    return status;
  int rest = q.d.tiles - q.d.whole, elements = ADDERS;
  while (elements > 32 && q.d.shares / rest > 2 * ADDERS / elements)
    elements /= 2;
  return LAUNCH ("tensor, shares", (add_shares<T, own::m, own::n>),
                 (int64_t) rest * (own::m * own::n / elements), ADDERS, device, stream, q,
                 elements);
}

template <class own>
static int runs (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) p;
  return device->shared_bytes >= own::shared_bytes;
}

/* Skinny tiles, for a C of few rows or columns. */
template <class own>
static int runs_flat (const gpumm_product *p, const gpumm_device_properties *device) {
  return p->m <= own::m && runs<own> (p, device);
}

template <class own>
static int runs_narrow (const gpumm_product *p, const gpumm_device_properties *device) {
  return p->n <= own::n && runs<own> (p, device);
}

/* As measured on an H200 (bench/results/h200/shapes.csv): 64 x 64 is faster at 1024 and 1025, 128 x
 * 64 from 2047 on. For at most 32 rows or columns of C the skinny tiles are 1.2 times as fast as 64
 * x 64 in double, and 2.3 times as fast as 64 x 32 in complex. */
typedef tiling<double, 64, 64, 16, 32, 32, 3, 3> d_64x64;
typedef tiling<double, 128, 64, 16, 64, 32, 3, 2> d_128x64;
typedef tiling<double, 32, 64, 32, 16, 32, 4, 2> d_32x64;
typedef tiling<double, 128, 32, 16, 32, 32, 4, 2> d_128x32;
typedef tiling<complex<double>, 64, 32, 16, 32, 16, 3, 2> z_64x32;
typedef tiling<complex<double>, 32, 64, 16, 32, 16, 3, 2> z_32x64;

#define ROW(name, types, own, from, runs)                                                          \
  {                                                                                                \
    "tensor", name, types, own::m, own::n, own::k, own::warp_m / 8, own::warp_n / 4, 80, from,     \
        runs<own>, launch<own>, workspace<own>                                                     \
  }

enum { D = 1 << GPUMM_D, Z = 1 << GPUMM_Z };

FAMILY_ROWS (tensor) = {
    ROW ("tensor_64x64x16", D, d_64x64, 0, runs),
    ROW ("tensor_128x64x16", D, d_128x64, 2000, runs),
    ROW ("tensor_32x64x32", D, d_32x64, 0, runs_flat),
    ROW ("tensor_128x32x16", D, d_128x32, 0, runs_narrow),
    ROW ("tensor_64x32x16", Z, z_64x32, 0, runs),
    ROW ("tensor_32x64x16", Z, z_32x64, 0, runs_flat),
    {},
};
