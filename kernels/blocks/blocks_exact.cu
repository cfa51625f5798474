/* blocks_exact.cu - blocks of any size and any class of integers, exactly.
 *
 * What it does: a thread computes one element of C at a time, within one block row of C. It goes
 * along the row of A and searches the rows of B for its own block column. Sums are exact and
 * saturate once: products of 8 and 16 bits in 64 bits, of 32 in 128, of 64 in 192, as two halves of
 * 128.
 *
 * It exists so that every class runs; blocks_strips.cu and blocks_slices.cu are faster for the
 * common ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

enum { EXACT_THREADS = 128, SPLIT = 8 /* thread blocks a block row of C */ };

typedef __int128 int128;
typedef unsigned __int128 uint128;

/* ---- sums --------------------------------------------------------------------------------- */

/* A sum of at most 2^62 products: high 2^64 + low. */
struct halves {
  int128 high;
  uint128 low;
};

template <int BYTES> struct sum_of { typedef int64_t type; };

template <> struct sum_of<4> { typedef int128 type; };

template <> struct sum_of<8> { typedef halves type; };

template <class T> DEVICE void add_integers (int64_t &sum, T x, T y) {
  sum += (int64_t) x * (int64_t) y;
}

template <class T> DEVICE void add_integers (int128 &sum, T x, T y) {
  sum += (int128) x * (int128) y;
}

DEVICE void add_integers (halves &sum, int64_t x, int64_t y) {
  const int128 product = (int128) x * y;
  sum.low += (uint64_t) product;
  sum.high += product >> 64;
}

DEVICE void add_integers (halves &sum, uint64_t x, uint64_t y) {
  const uint128 product = (uint128) x * y;
  sum.low += (uint64_t) product;
  sum.high += (uint64_t) (product >> 64);
}

/* The sum, or a value that saturates in the same way in every class. */
DEVICE int128 clamp (int64_t sum) {
  return sum;
}

DEVICE int128 clamp (int128 sum) {
  return sum;
}

DEVICE int128 clamp (halves sum) {
  const int128 high = sum.high + (int128) (sum.low >> 64), one = 1;
  if (high > 0)
    return one << 64;
  if (high < -1)
    return -(one << 64);
  return (int128) (uint64_t) sum.low + (high < 0 ? -(one << 64) : (int128) 0);
}

template <class T> DEVICE void store_as (void *c, int64_t at, int128 value) {
  global<T> C = (T *) c;
  C[at] = (T) value;
}

/* Saturates; then the bits of a signed integer are those of an unsigned one. */
DEVICE void store_integer (int bytes, bool is_signed, void *c, int64_t at, int128 value) {
  const int128 half = (int128) 1 << (8 * bytes - 1);
  const int128 low = is_signed ? -half : (int128) 0, high = low + 2 * half - 1;
  value = value < low ? low : value > high ? high : value;
  if (bytes == 1)
    store_as<uint8_t> (c, at, value);
  else if (bytes == 2)
    store_as<uint16_t> (c, at, value);
  else if (bytes == 4)
    store_as<uint32_t> (c, at, value);
  else
    store_as<uint64_t> (c, at, value);
}

/* ---- the kernel --------------------------------------------------------------------------- */

/* Block row row + blockIdx.x / SPLIT of C, in blocks of m x n; blocks of A are m x k, of B k x
 * n. */
template <class T>
__global__ void __launch_bounds__ (EXACT_THREADS)
    exact (int64_t row, int64_t m, int64_t n, int64_t k, global<const int64_t> a_start,
           global<const int32_t> a_column, global<const T> A, global<const int64_t> b_start,
           global<const int32_t> b_column, global<const T> B, global<const int64_t> c_start,
           global<const int32_t> c_column, int bytes, bool is_signed, void *C) {
  const int64_t i = row + blockIdx.x / SPLIT, begin = c_start[i] * m * n,
                end = c_start[i + 1] * m * n;
  const int64_t first = blockIdx.x % SPLIT * EXACT_THREADS + threadIdx.x;
  for (int64_t at = begin + first; at < end; at += SPLIT * EXACT_THREADS) {
    const int64_t r = at % (m * n) % m, c = at % (m * n) / m;
    const int32_t j = c_column[at / (m * n)];
    typename sum_of<sizeof (T)>::type sum = {};
    for (int64_t t = a_start[i]; t < a_start[i + 1]; t++) {
      const int32_t q = a_column[t];
      const int64_t last = b_start[q + 1],
                    u = lower_bound (b_column, (int64_t) b_start[q], last, j);
      if (u < last && b_column[u] == j)
        for (int64_t p = 0; p < k; p++) {
          const T x = A[t * m * k + r + p * m], y = B[u * k * n + p + c * k];
          add_integers (sum, x, y);
        }
    }
    store_integer (bytes, is_signed, C, at, clamp (sum));
  }
}

/* ---- launchers ---------------------------------------------------------------------------- */

/* An int64 holds at least 2^30 products of 16 bits. */
static int runs_blocks_exact (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return takes_blocks (p) && p->type_a == p->type_b && is_integer (p->type_a)
         && is_integer (p->type_c) && p->a.cols * p->a.block_cols <= INT64_C (1) << 30
         && p->count <= INT32_MAX / SPLIT;
}

template <class T>
static gpumm_status launch_blocks_exact_as (int device, gpumm_stream *stream,
                                            const gpumm_sparse_product *p) {
  const gpumm_device_matrix &a = p->a, &b = p->b, &c = p->c;
  const int bytes = element_bytes (p->type_c);
  TRY (gpumm_make_pattern (device, stream, p, true));
  TRY (LAUNCH ("blocks_exact", exact<T>, p->count * SPLIT, dim3 (EXACT_THREADS), device, stream,
               p->row, a.block_rows, b.block_cols, a.block_cols, a.start, a.column,
               (const T *) a.values, b.start, b.column, (const T *) b.values, c.start, c.column,
               bytes, p->type_c <= GPUMM_I64, c.values));
  return gpumm_find_zeros (device, stream, p);
}

static gpumm_status launch_blocks_exact (int device, gpumm_stream *stream,
                                         const gpumm_sparse_product *p) {
  static gpumm_status (*const by_type[]) (int, gpumm_stream *, const gpumm_sparse_product *) = {
      launch_blocks_exact_as<int8_t>,   launch_blocks_exact_as<int16_t>,
      launch_blocks_exact_as<int32_t>,  launch_blocks_exact_as<int64_t>,
      launch_blocks_exact_as<uint8_t>,  launch_blocks_exact_as<uint16_t>,
      launch_blocks_exact_as<uint32_t>, launch_blocks_exact_as<uint64_t>};
  return by_type[p->type_a - GPUMM_I8](device, stream, p);
}

SPARSE_FAMILY_ROWS (blocks_exact) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr_integer", "blocks_exact", ANY_CAPABILITY, runs_blocks_exact, pattern_workspace,
     pattern_symbolic, launch_blocks_exact},
    {},
};
