/* random.cu - random numbers by Philox 4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC11.
 *
 * The generator is a function of a key and a counter, so that each thread computes its numbers
 * without a state. A thread computes a block of 16 bytes and what is made of them, and stores it at
 * once. Memory limits it.
 *
 * The same bits come of every device: the functions below only add, multiply and divide, and take
 * square roots, which IEEE 754 rounds in one way. CUDA's logarithm and sine differ from those of
 * glibc in the last place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "entries.h"

#include <string.h>

enum { ROUNDS = 10, BLOCK_BYTES = 16 };

/* A block of the generator, by words. */
struct random_block {
  uint32_t word[4];
};

DEVICE random_block philox (uint64_t key, uint64_t low, uint64_t high) {
  uint32_t x[] = {(uint32_t) low, (uint32_t) (low >> 32), (uint32_t) high, (uint32_t) (high >> 32)};
  uint32_t k = (uint32_t) key, l = (uint32_t) (key >> 32);
#pragma unroll
  for (int round = 0; round < ROUNDS; round++, k += 0x9E3779B9u, l += 0xBB67AE85u) {
    const uint64_t p = (uint64_t) 0xD2511F53u * x[0], q = (uint64_t) 0xCD9E8D57u * x[2];
    x[0] = (uint32_t) (q >> 32) ^ x[1] ^ k;
    x[1] = (uint32_t) q;
    x[2] = (uint32_t) (p >> 32) ^ x[3] ^ l;
    x[3] = (uint32_t) p;
  }
  return {{x[0], x[1], x[2], x[3]}};
}

/* Word i of a block, of 32 or 64 bits. */
DEVICE uint32_t word_of (const random_block &b, int i, uint32_t) {
  return b.word[i];
}

DEVICE uint64_t word_of (const random_block &b, int i, uint64_t) {
  return b.word[2 * i] | (uint64_t) b.word[2 * i + 1] << 32;
}

/* The upper half of the product. */
DEVICE uint32_t mul_high (uint32_t x, uint32_t y) {
  return (uint32_t) ((uint64_t) x * y >> 32);
}

DEVICE uint64_t mul_high (uint64_t x, uint64_t y) {
  const uint64_t low = UINT32_MAX, p = (x & low) * (y & low), q = (x >> 32) * (y & low) + (p >> 32),
                 r = (x & low) * (y >> 32) + (q & low);
  return (x >> 32) * (y >> 32) + (q >> 32) + (r >> 32);
}

/* ---- reals ---------------------------------------------------------------------------------- */

/* What float and double have: words as long as they are, and the last terms of the series below
 * that change a sum of this type. */
template <class R> struct real_traits;

template <> struct real_traits<float> {
  typedef uint32_t word;
  enum { DIGITS = 24, BIAS = 127, LAST_OF_LOG = 4, LAST_OF_SINE = 9, LAST_OF_COSINE = 10 };
};

template <> struct real_traits<double> {
  typedef uint64_t word;
  enum { DIGITS = 53, BIAS = 1023, LAST_OF_LOG = 10, LAST_OF_SINE = 17, LAST_OF_COSINE = 16 };
};

template <class R> using word_for = typename real_traits<R>::word;

/* ln 2: the first 15 bits, whose product with an exponent is exact, and the rest. */
template <class R> constexpr R ln2_high = (R) 0.693145751953125;
template <class R> constexpr R ln2_low = (R) 1.42860682030941723e-06;

/* 2^-n, 1 / n! */
template <class R> DEVICE constexpr R half_to (int n) {
  return n == 0 ? 1 : half_to<R> (n - 1) / 2;
}

template <class R> DEVICE constexpr R inverse_factorial (int n) {
  return n == 0 ? 1 : inverse_factorial<R> (n - 1) / (R) n;
}

/* A multiple of 2^-53 in (0, 1). 0 becomes 2^-53, once in 2^53 numbers. */
DEVICE double fraction_of (uint64_t word) {
  constexpr double unit = half_to<double> (53);
  const int64_t k = (int64_t) (word >> 11);
  return (double) (k == 0 ? 1 : k) * unit;
}

/* A multiple of 2^-24 in (0, 1): 256 or 257 words give each of them. */
DEVICE float fraction_of (uint32_t word) {
  constexpr float unit = half_to<float> (24);
  return (float) (int32_t) (1 + mul_high (word, (1u << 24) - 1)) * unit;
}

/* In (0, 1), with all digits also near 0, for -log: there the distributions have their tails. */
template <class R> DEVICE R fine_fraction_of (word_for<R> word) {
  constexpr R unit = half_to<R> (8 * sizeof (R)), most = 1 - half_to<R> (real_traits<R>::DIGITS);
  const R x = ((R) word + (R) 0.5) * unit;
  return x < most ? x : most;
}

/* 1 / (2 n + 1) + z / (2 n + 3) + ...: the series of atanh */
template <class R, int N> DEVICE R atanh_series (R z) {
  constexpr R term = (R) 1 / (R) (2 * N + 1);
  if constexpr (N == real_traits<R>::LAST_OF_LOG)
    return term;
  else
    return term + z * atanh_series<R, N + 1> (z);
}

/* -log (x) of x in (0, 1). x = 2^-n m with m from sqrt (1/2) to sqrt (2), and log (m) = 2 atanh (s)
 * with s = d / (2 + d), d = m - 1. 2 s is d - s d: d is exact. */
template <class R> DEVICE R negative_log (R x) {
  typedef word_for<R> W;
  constexpr int stored = real_traits<R>::DIGITS - 1, bias = real_traits<R>::BIAS;
  W bits;
  memcpy (&bits, &x, sizeof bits);
  int n = bias - 1 - (int) (bits >> stored);
  bits += (W) n << stored; /* from 1/2 to 1 */
  R m;
  memcpy (&m, &bits, sizeof m);
  if (m < (R) 0.70710678118654752) {
    m *= 2;
    n++;
  }
  const R d = m - 1, s = d / (2 + d), z = s * s, e = (R) n;
  const R rest = s * (d - 2 * z * atanh_series<R, 1> (z)) + e * ln2_low<R>;
  return e * ln2_high<R> - (d - rest);
}

/* 1 / n! - z / (n + 2)! + ...: the series of sine and cosine */
template <class R, int N, int LAST> DEVICE R sine_series (R z) {
  constexpr R term = inverse_factorial<R> (N);
  if constexpr (N == LAST)
    return term;
  else
    return term - z * sine_series<R, N + 2, LAST> (z);
}

/* Two numbers by Box and Muller, "A note on the generation of random normal deviates", 1958. The
 * angle is one of 8 octants, and a place in it, where sine and cosine lose no digits. */
template <class R> DEVICE void draw_normals (word_for<R> u, word_for<R> v, R &x, R &y) {
  typedef word_for<R> W;
  constexpr int bits = 8 * sizeof (R) - 3;
  constexpr R unit = (R) 0.78539816339744831 * half_to<R> (bits); /* pi / 4 */
  const int octant = (int) (v >> bits);
  const R a = ((R) (v & (((W) 1 << bits) - 1)) + (R) 0.5) * unit, z = a * a;
  const R sine = a - a * z * sine_series<R, 3, real_traits<R>::LAST_OF_SINE> (z);
  const R cosine = 1 - z * sine_series<R, 2, real_traits<R>::LAST_OF_COSINE> (z);
  const R r = sqrt (2 * negative_log (fine_fraction_of<R> (u)));
  const R p = r * (octant & 1 ? sine : cosine), q = r * (octant & 1 ? cosine : sine);
  x = octant & 2 ? -p : p;
  y = octant & 4 ? -q : q;
}

/* ---- what is drawn -------------------------------------------------------------------------- */

struct drawing {
  uint64_t key, low, high; /* key and counter */
  int64_t first;           /* of integers */
  uint64_t range;
  void *to;
  int64_t entries;
  bool is_aligned; /* to its blocks */
};

/* Entries that one thread stores at once. */
template <class E, int N> struct alignas (N * sizeof (E)) drawn_entries {
  typedef E entry;
  enum { COUNT = N };
  E x[N];
};

template <class W> struct draw_bits {
  typedef drawn_entries<W, BLOCK_BYTES / sizeof (W)> drawn;
  DEVICE void fill (const drawing &, const random_block &b, drawn &e) {
    for (int i = 0; i < (int) (BLOCK_BYTES / sizeof (W)); i++)
      e.x[i] = word_of (b, i, (W) 0);
  }
};

template <class R> struct draw_uniform {
  typedef drawn_entries<R, BLOCK_BYTES / sizeof (R)> drawn;
  DEVICE void fill (const drawing &, const random_block &b, drawn &e) {
    for (int i = 0; i < (int) (BLOCK_BYTES / sizeof (R)); i++)
      e.x[i] = fraction_of (word_of (b, i, word_for<R> ()));
  }
};

template <class R> struct draw_exponential {
  typedef drawn_entries<R, BLOCK_BYTES / sizeof (R)> drawn;
  DEVICE void fill (const drawing &, const random_block &b, drawn &e) {
    for (int i = 0; i < (int) (BLOCK_BYTES / sizeof (R)); i++)
      e.x[i] = negative_log (fine_fraction_of<R> (word_of (b, i, word_for<R> ())));
  }
};

template <class R> struct draw_normal {
  typedef drawn_entries<R, BLOCK_BYTES / sizeof (R)> drawn;
  DEVICE void fill (const drawing &, const random_block &b, drawn &e) {
    for (int i = 0; i < (int) (BLOCK_BYTES / sizeof (R)); i += 2)
      draw_normals<R> (word_of (b, i, word_for<R> ()), word_of (b, i + 1, word_for<R> ()), e.x[i],
                       e.x[i + 1]);
  }
};

/* first + k as an entry, which saturates. */
template <class E> DEVICE E integer_entry (int64_t first, uint64_t k) {
  const int64_t x = first + (int64_t) k;
  if constexpr (std::numeric_limits<E>::is_integer) {
    constexpr int64_t most = sizeof (E) == 8 ? INT64_MAX : (int64_t) largest<E>;
    constexpr int64_t least = std::numeric_limits<E>::is_signed ? -most - 1 : 0;
    return (E) (x < least ? least : x > most ? most : x);
  } else
    return (E) x;
}

/* floor (range u) with u of 64 bits for ranges below 2^32, else of 128: no k is more frequent than
 * another by more than one in 2^32. */
template <class E> struct draw_integers {
  typedef drawn_entries<E, 2> drawn;
  DEVICE void fill (const drawing &d, const random_block &b, drawn &e) {
    for (int i = 0; i < 2; i++)
      e.x[i] = integer_entry<E> (d.first, mul_high (word_of (b, i, UINT64_C (0)), d.range));
  }
};

template <class E> struct draw_wide_integers {
  typedef drawn_entries<E, 1> drawn;
  DEVICE void fill (const drawing &d, const random_block &b, drawn &e) {
    const uint64_t low = word_of (b, 0, UINT64_C (0)), high = word_of (b, 1, UINT64_C (0));
    const uint64_t middle = high * d.range, sum = middle + mul_high (low, d.range);
    e.x[0] = integer_entry<E> (d.first, mul_high (high, d.range) + (sum < middle));
  }
};

/* ---- launch ------------------------------------------------------------------------------- */

template <class F> __global__ void __launch_bounds__ (THREADS) draw_entries (drawing d) {
  typedef typename F::drawn drawn;
  constexpr int each = drawn::COUNT;
  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i * each < d.entries;
       i += (int64_t) THREADS * gridDim.x) {
    drawn e;
    F::fill (d, philox (d.key, d.low + (uint64_t) i, d.high), e);
    if (d.is_aligned && (i + 1) * each <= d.entries)
      ((drawn *) d.to)[i] = e;
    else
      for (int k = 0; k < each && i * each + k < d.entries; k++)
        ((typename drawn::entry *) d.to)[i * each + k] = e.x[k];
  }
}

template <class F>
static gpumm_status launch_draw (int device, gpumm_stream *stream, const gpumm_operation *o) {
  typedef typename F::drawn drawn;
  const gpumm_random &r = o->random;
  void *const to = o->result[0].values;
  const drawing d = {r.key,
                     r.counter[0],
                     r.counter[1],
                     r.low,
                     r.range,
                     to,
                     o->inner * o->count * o->outer,
                     (uintptr_t) to % sizeof (drawn) == 0};
  return LAUNCH (o->name, draw_entries<F>, blocks_for (ceil_div (d.entries, drawn::COUNT), 4),
                 dim3 (THREADS), device, stream, d);
}

template <class E>
static gpumm_status launch_integers (int device, gpumm_stream *stream, const gpumm_operation *o) {
  return o->random.range <= UINT32_MAX ? launch_draw<draw_integers<E>> (device, stream, o)
                                       : launch_draw<draw_wide_integers<E>> (device, stream, o);
}

template <class R>
static gpumm_status launch_reals (int device, gpumm_stream *stream, const gpumm_operation *o) {
  switch (o->random.distribution) {
  case GPUMM_UNIFORM:
    return launch_draw<draw_uniform<R>> (device, stream, o);
  case GPUMM_NORMAL:
    return launch_draw<draw_normal<R>> (device, stream, o);
  default:
    return launch_draw<draw_exponential<R>> (device, stream, o);
  }
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *o, void *) {
  const gpumm_distribution distribution = o->random.distribution;
  const gpumm_type type = o->result[0].type;
  if (distribution == GPUMM_RANDOM_BITS)
    return type == GPUMM_U32 ? launch_draw<draw_bits<uint32_t>> (device, stream, o)
                             : launch_draw<draw_bits<uint64_t>> (device, stream, o);
  if (distribution != GPUMM_INTEGERS)
    return type == GPUMM_S ? launch_reals<float> (device, stream, o)
                           : launch_reals<double> (device, stream, o);
  switch (type) {
#define INTEGERS(TYPE, E)                                                                          \
  case TYPE:                                                                                       \
    return launch_integers<E> (device, stream, o);
    INTEGERS (GPUMM_S, float)
    INTEGERS (GPUMM_I8, int8_t)
    INTEGERS (GPUMM_I16, int16_t)
    INTEGERS (GPUMM_I32, int32_t)
    INTEGERS (GPUMM_I64, int64_t)
    INTEGERS (GPUMM_U8, uint8_t)
    INTEGERS (GPUMM_U16, uint16_t)
    INTEGERS (GPUMM_U32, uint32_t)
    INTEGERS (GPUMM_U64, uint64_t)
#undef INTEGERS
  default:
    return launch_integers<double> (device, stream, o);
  }
}

/* The types of each distribution. */
enum {
  REALS = 1 << GPUMM_S | 1 << GPUMM_D,
  WORDS = 1 << GPUMM_U32 | 1 << GPUMM_U64,
  RANDOM_TYPES = MOVED_TYPES & ~(1 << GPUMM_C | 1 << GPUMM_Z | 1 << GPUMM_B)
};

static gpumm_status check (const gpumm_operation *o) {
  const gpumm_random &r = o->random;
  const int64_t most = INT64_C (1) << 53;
  const int distribution = (int) r.distribution, type = (int) o->result[0].type;
  const unsigned types = distribution == GPUMM_RANDOM_BITS ? (unsigned) WORDS
                         : distribution == GPUMM_INTEGERS  ? (unsigned) RANDOM_TYPES
                                                           : (unsigned) REALS;
  if (distribution < 0 || distribution >= GPUMM_DISTRIBUTIONS)
    return gpumm_driver_fail (GPUMM_INVALID, "no distribution %d", distribution);
  if (type >= 0 && type < GPUMM_TYPES && !(types >> type & 1))
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "distribution %d does not have element type %d",
                              distribution, type);
  if (distribution == GPUMM_INTEGERS
      && (r.low < -most || r.low > most || r.range < 1 || r.range > (uint64_t) most))
    return gpumm_driver_fail (GPUMM_INVALID, "integers are not within 2^53, or none");
  return GPUMM_OK;
}

ARRAY_ROWS (random) = {{"random", RANDOM_TYPES, 1, GPUMM_SAME_LENGTH, GPUMM_NO_PLACES,
                        GPUMM_READS_NOTHING, 0, check, NULL, launch},
                       {}};
