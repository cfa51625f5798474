/* operand.h - one operand: the facts that the choice of moduli needs, and its residues.
 *
 * The vectors of an operand are the rows of op(A) or the columns of op(B). Two passes over the
 * elements gather the facts for choice.h, in integers, so that the order of atomics does not
 * matter: first each vector's largest exponent and lowest bit, then the levels relative to these. A
 * third pass rounds the scaled elements to integers and writes their residues, vector by vector,
 * with the elements of a vector side by side, as INT8 products need both operands.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_OPERAND_H
#define GPUMM_EMULATED_OPERAND_H

#include "choice.h"
#include "parts.h"

#include <limits>

/* The facts about each vector and about all, on the device. */
struct operand_vectors {
  int *top, *low;              /* NO_TOP and -NO_TOP where all elements are 0 */
  unsigned long long *squares; /* sum of (level + 1)^2 */
  uint32_t *bins;              /* LEVEL_BINS a vector */
  float *norm, *weight;        /* weight: sqrt (squares) */
  int *exponent;               /* the scaling: A' = rint (A 2^exponent) */
  operand_facts *facts;        /* norm and exact: FACT_OFFSET more, so that bits order them */
  scaling *kept;               /* the parameters of exponent and of kept residues */
};

enum { NO_TOP = -100000 };
#define FACT_OFFSET 16.0f

/* Covers all rounding below: norms are rounded up a little. */
#define NORM_MARGIN 2e-4f

/* Bits that a vector has more than the vector of the largest norm. Rounding is below this margin
 * and must not make the number -1. */
#define NORM_ROUNDING 1e-5f

__device__ static inline int more_bits (float largest, float norm) {
  return (int) floorf (largest - norm + NORM_ROUNDING);
}

enum { EMULATED_THREADS = 256, WARPS = EMULATED_THREADS / 32 };

__device__ static inline int warp_max (int x) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x = max (x, __shfl_xor_sync (0xffffffffu, x, lanes));
  return x;
}

/* Raises x to a number with these bits, if that is larger. Bits of numbers from 0 on ascend. */
__device__ static inline void raise_to (float *x, int bits) {
  /* cppcheck-suppress invalidPointerCast */
  atomicMax ((int *) x, bits);
}

template <class N> __device__ static inline N warp_sum (N x) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, lanes);
  return x;
}

/* ---- elements ----------------------------------------------------------------------------- */

struct extent {
  int top, low;
  bool bad, zero;
};

/* For numbers with that many binary digits. Finds the low bit by one slow instruction, not four. */
template <int DIGITS> __device__ static inline void add_extent (extent &e, number_parts x) {
  if (x.significand == 0)
    return;
  bool normal = x.significand >> (DIGITS - 1) != 0;
  uint32_t word = (uint32_t) x.significand;
  int zeros = 0;
  if (DIGITS > 32 && word == 0) {
    word = (uint32_t) (x.significand >> 32);
    zeros = 32;
  }
  zeros += __popc (~word & (word - 1));
  e.zero = false;
  e.top = max (e.top, x.exponent + (normal ? DIGITS : 64 - __clzll ((long long) x.significand)));
  e.low = min (e.low, x.exponent + zeros);
}

template <class R> __device__ static inline extent extent_of (R x) {
  extent e = {NO_TOP, -NO_TOP, !isfinite (x), true};
  add_extent<std::numeric_limits<R>::digits> (e, take_apart (x));
  return e;
}

/* |z| < 2^top: a bit more than the larger part's. */
template <class R> __device__ static inline extent extent_of (complex<R> z) {
  extent e = extent_of (z.re), im = extent_of (z.im);
  e.zero = e.zero && im.zero;
  return {max (e.top, im.top) + !e.zero, min (e.low, im.low), e.bad || im.bad, e.zero};
}

/* floor (|x| 2^(bits - top)) */
__device__ static inline uint32_t leading_bits (number_parts x, int top, int bits) {
  int shift = top - bits - x.exponent;
  return (uint32_t) (shift > 63 ? 0 : shift < 0 ? x.significand << -shift : x.significand >> shift);
}

/* floor (128 |x| 2^-top), in 0 .. 127; for a complex number at most that, and smaller by at most
 * one and 2^-15 of it. */
template <class R> __device__ static inline int level (R x, int top) {
  return (int) leading_bits (take_apart (x), top, 7);
}

template <class R> __device__ static inline int level (complex<R> z, int top) {
  float re = (float) leading_bits (take_apart (z.re), top, 24);
  float im = (float) leading_bits (take_apart (z.im), top, 24);
  return (int) (sqrtf (re * re + im * im) * (1 - 0x1p-20f) * 0x1p-17f);
}

/* ---- the first pass: exponents ------------------------------------------------------------ */

__global__ void static forget (operand_vectors x, int64_t count) {
  int64_t v = blockIdx.x * (int64_t) EMULATED_THREADS + threadIdx.x;
  if (v < count) {
    x.top[v] = NO_TOP;
    x.low[v] = -NO_TOP;
    x.squares[v] = 0;
    for (int b = 0; b < LEVEL_BINS; b++)
      x.bins[v * LEVEL_BINS + b] = 0;
  }
  if (v == 0) {
    *x.facts = operand_facts{};
    *x.kept = scaling{};
  }
}

/* Vectors and elements of a block in the two passes. A warp takes 32 elements at a time: of one
 * vector, or one of each of 32 vectors. */
template <bool ALONG_K> struct pass {
  static constexpr int VECTORS = ALONG_K ? WARPS : 32;
  static constexpr int ELEMENTS = ALONG_K ? 4096 : 1024; /* 128 a thread */
  static constexpr int STEP = ALONG_K ? 32 : WARPS;
  int64_t v, l, end;

  __device__ pass (int64_t count, int64_t k) {
    int64_t across = (count + VECTORS - 1) / VECTORS;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = blockIdx.x % across * VECTORS + (ALONG_K ? warp : lane);
    int64_t begin = blockIdx.x / across * ELEMENTS;
    l = begin + (ALONG_K ? lane : warp);
    end = v < count ? min (begin + ELEMENTS, k) : 0;
  }

  static int64_t blocks (int64_t count, int64_t k) {
    return ceil_div (count, VECTORS) * ceil_div (k, ELEMENTS);
  }
};

template <class T, bool ALONG_K>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    find_extents (operand_view<T> x, operand_vectors known) {
  pass<ALONG_K> p (x.count, x.k);
  extent all = {NO_TOP, -NO_TOP, false, false};
#pragma unroll 4
  for (int64_t l = p.l; l < p.end; l += p.STEP) {
    extent e = extent_of (x.at (p.v, l));
    all.top = max (all.top, e.top);
    all.low = min (all.low, e.low);
    all.bad = all.bad || e.bad;
    all.zero = all.zero || e.zero;
  }
  if (ALONG_K) {
    all.top = warp_max (all.top);
    all.low = -warp_max (-all.low);
  }
  if ((!ALONG_K || threadIdx.x % 32 == 0) && all.top != NO_TOP) {
    atomicMax (&known.top[p.v], all.top);
    atomicMin (&known.low[p.v], all.low);
  }
  if (all.bad)
    known.facts->bad = 1;
  if (all.zero)
    known.facts->zeros = 1;
}

/* ---- the second pass: levels -------------------------------------------------------------- */

template <class T, bool ALONG_K>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    count_levels (operand_view<T> x, operand_vectors known) {
  /* each thread counts by itself, in its own bank */
  __shared__ uint32_t bins[WARPS][LEVEL_BINS][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int b = 0; b < LEVEL_BINS; b++)
    bins[warp][b][lane] = 0;
  pass<ALONG_K> p (x.count, x.k);
  int top = p.end > 0 ? known.top[p.v] : NO_TOP;
  uint32_t squares = 0; /* at most 128^2 of 128 elements */
  if (top != NO_TOP)
#pragma unroll 4
    for (int64_t l = p.l; l < p.end; l += p.STEP) {
      T value = x.at (p.v, l);
      int s = level (value, top);
      if (!is_zero (value))
        squares += (uint32_t) ((s + 1) * (s + 1));
      bins[warp][s / LEVELS_A_BIN][lane]++;
    }
  if (ALONG_K)
    squares = warp_sum (squares);
  if ((!ALONG_K || lane == 0) && squares > 0)
    atomicAdd (&known.squares[p.v], (unsigned long long) squares);
  if (ALONG_K)
    __syncwarp ();
  else
    __syncthreads ();
  if (ALONG_K) { /* one bin per lane */
    uint32_t sum = 0;
    for (int i = 0; i < 32; i++)
      sum += bins[warp][lane][(lane + i) % 32];
    if (top != NO_TOP && sum > 0)
      atomicAdd (&known.bins[p.v * LEVEL_BINS + lane], sum);
  } else if (top != NO_TOP) /* several bins of a vector per thread */
    for (int b = warp; b < LEVEL_BINS; b += WARPS) {
      uint32_t sum = 0;
      for (int i = 0; i < WARPS; i++)
        sum += bins[i][b][lane];
      if (sum > 0)
        atomicAdd (&known.bins[p.v * LEVEL_BINS + b], sum);
    }
}

/* The norms, and the worst of all vectors; one thread per vector. Integers of at most that many
 * binary digits are all floating-point numbers. */
__global__ void static summarise (operand_vectors x, int64_t count, int digits) {
  int64_t v = blockIdx.x * (int64_t) EMULATED_THREADS + threadIdx.x;
  bool known = v < count && x.top[v] != NO_TOP;
  float norm = 0, exact = 0;
  if (known) {
    if (x.low[v] < 0 || x.top[v] > digits)
      x.facts->fractions = 1;
    float squares = (float) x.squares[v];
    norm = 0.5f * log2f (squares) - 7 + NORM_MARGIN;
    exact = (float) (x.top[v] - x.low[v]) + norm;
    x.weight[v] = sqrtf (squares) * 1.0001f;
  } else if (v < count)
    x.weight[v] = 0;
  if (v < count)
    x.norm[v] = norm;
  int norm_bits = warp_max (known ? __float_as_int (norm + FACT_OFFSET) : 0);
  int exact_bits = warp_max (known ? __float_as_int (exact + FACT_OFFSET) : 0);
  if (threadIdx.x % 32 == 0) {
    raise_to (&x.facts->norm, norm_bits);
    raise_to (&x.facts->exact, exact_bits);
  }
  uint32_t below = 0;
  for (int b = 0; b < LEVEL_BINS; b++) {
    int most = warp_max (known ? (int) below : 0);
    if (threadIdx.x % 32 == 0)
      atomicMax (&x.facts->below[b], (uint32_t) most);
    if (known)
      below += x.bins[v * LEVEL_BINS + b];
  }
}

template <class R> static int digits (R) {
  return std::numeric_limits<R>::digits;
}

/* For a complex number: top belongs to its magnitude. */
template <class R> static int digits (complex<R>) {
  return digits (R ()) + 1;
}

template <class T, bool ALONG_K>
static gpumm_status pass_twice (int device, gpumm_stream *stream, const operand_view<T> &x,
                                const operand_vectors &known) {
  const int64_t blocks = pass<ALONG_K>::blocks (x.count, x.k);
  TRY (LAUNCH ("find_extents", (find_extents<T, ALONG_K>), blocks, dim3 (EMULATED_THREADS), device,
               stream, x, known));
  return LAUNCH ("count_levels", (count_levels<T, ALONG_K>), blocks, dim3 (EMULATED_THREADS),
                 device, stream, x, known);
}

template <class T>
static gpumm_status learn (int device, gpumm_stream *stream, const operand_view<T> &x,
                           const operand_vectors &known) {
  int64_t threads = EMULATED_THREADS, blocks = ceil_div (x.count, threads);
  TRY (LAUNCH ("forget", forget, blocks, dim3 (EMULATED_THREADS), device, stream, known, x.count));
  TRY (x.along_k ? pass_twice<T, true> (device, stream, x, known)
                 : pass_twice<T, false> (device, stream, x, known));
  return LAUNCH ("summarise", summarise, blocks, dim3 (EMULATED_THREADS), device, stream, known,
                 x.count, digits (T ()));
}

/* ---- the scaling -------------------------------------------------------------------------- */

/* kept: receives the parameters of the residues that follow, if they are kept. */
__global__ void static set_exponents (operand_vectors x, int64_t count, int bits, scaling kept) {
  int64_t v = blockIdx.x * (int64_t) EMULATED_THREADS + threadIdx.x;
  if (v == 0)
    *x.kept = kept;
  if (v >= count)
    return;
  int exponent = 0;
  if (x.top[v] != NO_TOP) {
    exponent = -x.low[v]; /* more would be zeros */
    if (bits != EXACT) {
      int more = more_bits (x.facts->norm - FACT_OFFSET, x.norm[v]);
      exponent = min (exponent, bits + more - x.top[v]);
    }
  }
  x.exponent[v] = exponent;
}

/* ---- the third pass: integers and their residues ------------------------------------------ */

enum { QUAD = 4 }; /* elements that a thread converts to residues: one word of each plane */

template <class T> struct part_count { static constexpr int VALUE = 1, PLANES = 1; };

template <class R> struct part_count<complex<R>> { static constexpr int VALUE = 2, PLANES = 3; };

template <class R> __device__ static inline number_parts part (R x, int) {
  return take_apart (x);
}

template <class R> __device__ static inline number_parts part (complex<R> z, int which) {
  return take_apart (which ? z.im : z.re);
}

/* The low bytes of four biased integers. */
__device__ static inline uint32_t pack (const float (&x)[QUAD]) {
  uint32_t low = __byte_perm (__float_as_uint (x[0]), __float_as_uint (x[1]), 0x0040);
  uint32_t high = __byte_perm (__float_as_uint (x[2]), __float_as_uint (x[3]), 0x0040);
  return __byte_perm (low, high, 0x5410);
}

template <class T, int WORDS>
__device__ static inline void write_residues (const T (&x)[QUAD], int exponent, uint64_t seed,
                                              int64_t l, const residue_table &t, uint32_t *to,
                                              int64_t plane_words) {
  constexpr int PARTS = part_count<T>::VALUE;
  whole<WORDS> integer[PARTS][QUAD];
#pragma unroll
  for (int i = 0; i < PARTS; i++)
#pragma unroll
    for (int e = 0; e < QUAD; e++)
      integer[i][e] =
          to_whole<WORDS> (part (x[e], i), exponent, dither_at (seed, PARTS * (l + e) + i));
  for (int p = 0; p < t.count; p++, to += plane_words) {
    float r[PARTS][QUAD];
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
#pragma unroll
      for (int e = 0; e < QUAD; e++)
        r[i][e] = residue (integer[i][e], t, p);
      to[i * t.count * plane_words] = pack (r[i]);
    }
    if (PARTS == 2) {
#pragma unroll
      for (int e = 0; e < QUAD; e++)
        r[0][e] = reduce (r[0][e] + (r[1 % PARTS][e] - ROUNDER), t, p);
      to[2 * t.count * plane_words] = pack (r[0]);
    }
  }
}

/* Elements side by side in a vector: a warp takes 128 of one. */
template <class T, int WORDS>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    quantise_along (operand_view<T> x, const int *exponents, const residue_table t,
                    residue_planes planes) {
  int64_t across = planes.ld / (32 * QUAD);
  int64_t v = blockIdx.x / across * WARPS + threadIdx.x / 32;
  int64_t l = (blockIdx.x % across * 32 + threadIdx.x % 32) * QUAD;
  if (v >= planes.vectors)
    return;
  T value[QUAD];
#pragma unroll
  for (int e = 0; e < QUAD; e++)
    value[e] = v < x.count && l + e < x.k ? x.at (v, l + e) : T{};
  write_residues<T, WORDS> (value, v < x.count ? exponents[v] : 0, x.seed (v), x.l0 + l, t,
                            (uint32_t *) (planes.to + v * planes.ld + l), planes.plane / 4);
}

/* Vectors side by side: a block transposes a tile of TILE_V vectors, TILE_K elements long, in
 * shared memory. */
enum { TILE_V = 32, TILE_K = 64 };

template <class T, int WORDS>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    quantise_across (operand_view<T> x, const int *exponents, const residue_table t,
                     residue_planes planes) {
  __shared__ T tile[TILE_K][TILE_V + 1];
  int64_t across = (planes.vectors + TILE_V - 1) / TILE_V;
  int64_t v0 = blockIdx.x % across * TILE_V, l0 = blockIdx.x / across * TILE_K;
#pragma unroll
  for (int l = threadIdx.x / TILE_V; l < TILE_K; l += EMULATED_THREADS / TILE_V) {
    int v = threadIdx.x % TILE_V;
    tile[l][v] = v0 + v < x.count && l0 + l < x.k ? x.at (v0 + v, l0 + l) : T{};
  }
  __syncthreads ();
  constexpr int QUADS = TILE_K / QUAD;
  int l = threadIdx.x % QUADS * QUAD;
  for (int v = threadIdx.x / QUADS; v < TILE_V && v0 + v < planes.vectors;
       v += EMULATED_THREADS / QUADS) {
    T value[QUAD];
#pragma unroll
    for (int e = 0; e < QUAD; e++)
      value[e] = tile[l + e][v];
    write_residues<T, WORDS> (
        value, v0 + v < x.count ? exponents[v0 + v] : 0, x.seed (v0 + v), x.l0 + l0 + l, t,
        (uint32_t *) (planes.to + (v0 + v) * planes.ld + l0 + l), planes.plane / 4);
  }
}

/* Writes the residues of x, whose vectors have these exponents. planes.ld is a multiple of 128. */
template <class T, int WORDS = 1>
static gpumm_status quantise (int device, gpumm_stream *stream, const operand_view<T> &x,
                              const int *exponents, const residue_table &t,
                              const residue_planes &planes) {
  if constexpr (WORDS < MOST_WORDS)
    if (t.words > WORDS)
      return quantise<T, WORDS + 1> (device, stream, x, exponents, t, planes);
  if (x.along_k)
    return LAUNCH ("quantise_along", (quantise_along<T, WORDS>),
                   ceil_div (planes.vectors, WARPS) * (planes.ld / (32 * QUAD)),
                   dim3 (EMULATED_THREADS), device, stream, x, exponents, t, planes);
  return LAUNCH ("quantise_across", (quantise_across<T, WORDS>),
                 ceil_div (planes.vectors, TILE_V) * (planes.ld / TILE_K), dim3 (EMULATED_THREADS),
                 device, stream, x, exponents, t, planes);
}

/* ---- levels for the guard's product ------------------------------------------------------- */

/* floor (127 sqrt (|x| 2^-top)) at most: square roots span twice the exponents in as many bits. */
template <class R> __device__ static inline int root_level (R x, int top) {
  float part = (float) leading_bits (take_apart (x), top, 24) * 0x1p-24f;
  return (int) (sqrtf (part) * (127 * (1 - 0x1p-20f)));
}

template <class R> __device__ static inline int root_level (complex<R> z, int top) {
  float re = (float) leading_bits (take_apart (z.re), top, 24) * 0x1p-24f;
  float im = (float) leading_bits (take_apart (z.im), top, 24) * 0x1p-24f;
  return (int) (sqrtf (sqrtf (re * re + im * im)) * (127 * (1 - 0x1p-20f)));
}

/* The levels of roots of x, less drop bits, into the first plane; with masked, into the second 1
 * for each element that is not 0. */
template <class T>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    write_levels (operand_view<T> x, const int *tops, int drop, bool masked,
                  residue_planes planes) {
  __shared__ T tile[TILE_K][TILE_V + 1];
  int64_t across = (planes.vectors + TILE_V - 1) / TILE_V;
  int64_t v0 = blockIdx.x % across * TILE_V, l0 = blockIdx.x / across * TILE_K;
#pragma unroll
  for (int i = threadIdx.x; i < TILE_K * TILE_V; i += EMULATED_THREADS) {
    int v = x.along_k ? i / TILE_K : i % TILE_V, l = x.along_k ? i % TILE_K : i / TILE_V;
    tile[l][v] = v0 + v < x.count && l0 + l < x.k ? x.at (v0 + v, l0 + l) : T{};
  }
  __syncthreads ();
  constexpr int QUADS = TILE_K / QUAD;
  int l = threadIdx.x % QUADS * QUAD;
  for (int v = threadIdx.x / QUADS; v < TILE_V && v0 + v < planes.vectors;
       v += EMULATED_THREADS / QUADS) {
    int top = v0 + v < x.count ? tops[v0 + v] : NO_TOP;
    uint32_t levels = 0, mask = 0;
    for (int e = 0; e < QUAD; e++) {
      T value = tile[l + e][v];
      if (top != NO_TOP && !is_zero (value)) {
        levels |= (uint32_t) (root_level (value, top) >> drop) << 8 * e;
        mask |= 1u << 8 * e;
      }
    }
    uint32_t *to = (uint32_t *) (planes.to + (v0 + v) * planes.ld + l0 + l);
    to[0] = levels;
    if (masked)
      to[planes.plane / 4] = mask;
  }
}

template <class T>
static gpumm_status take_levels (int device, gpumm_stream *stream, const operand_view<T> &x,
                                 const int *tops, int drop, bool masked,
                                 const residue_planes &planes) {
  return LAUNCH ("write_levels", (write_levels<T>),
                 ceil_div (planes.vectors, TILE_V) * (planes.ld / TILE_K), dim3 (EMULATED_THREADS),
                 device, stream, x, tops, drop, masked, planes);
}

#endif
