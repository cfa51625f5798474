/* spgemm.cu - sparse times sparse, both by compressed rows.
 *
 * Row i of C is the sum of the rows k of B times A(i,k) (F. G. Gustavson, ACM TOMS 4 (1978) 250).
 * Rows differ by orders of magnitude, so they are first put into bins by their number of products:
 *
 * short rows  up to 2048 products: 8 to 128 threads make a key of each product, its column followed
 *             by its number, and sort the keys in registers (bitonic sort: K. E. Batcher, AFIPS 32
 *             (1968) 307). Products of one column are then neighbours, in the order of ascending
 *             k, and are summed in that order.
 * long rows   a bit for each column of a window marks the columns that occur; counting the bits
 *             from the left gives each column its place in C, already in order. If the sums fit in
 *             shared memory, the elements of A are taken one after the other, and the threads share
 *             the row of B that belongs to the element. So no two threads add to the same sum at a
 *             time, and sums run in ascending k.
 * wide rows   long rows whose sums stay in C. A warp takes 32 products at a time, in the order of
 *             k, from one or more elements of A. Lanes with the same column give their products to
 *             the first of them. The columns of the longest rows, the hubs of a graph, are split
 *             among warps.
 *
 * Several unknowns at a point, as in a stiffness matrix, give adjacent rows with the same columns.
 * Such rows count as long from 512 products on. Up to three such rows of A are multiplied together,
 * and up to three such rows of B are read together: for 9 products, places are looked up once and
 * each sum is read and written once.
 *
 * Sums run in ascending k in any order of the GPU's work, and each product and each sum is rounded
 * by itself (spgemm.h). So results are the same on each run, and the same as the results of
 * Octave's *.
 *
 * What limits it: for short rows the sorting, whose steps grow with the square of the logarithm of
 * a row's products; for long rows latency, because the tables in shared memory leave room for few
 * warps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "spgemm.h"

#include <cub/block/block_scan.cuh>

/* ---- sizes -------------------------------------------------------------------------------- */

static constexpr unsigned ALL = 0xffffffff; /* lanes of a warp */

enum {
  WARP = 32,
  GROUP = 8,            /* lanes that look at a row together */
  SHORT_BINS = 7,       /* up to 16, 64, 128, 256, 512, 1024 and 2048 products */
  MOST_OF_WARP = 16384, /* products of a long row that a warp makes */
  LONG = SHORT_BINS,    /* bins of long rows: for warps and for blocks, */
  LONGEST,
  WIDE, /* of wide ones, and of those that are split */
  SPLIT,
  BINS,
  MOST_SPLIT = 1 << 14,    /* rows; others are not split */
  SEGMENTS = 32,           /* of such a row, at most, */
  LEAST_SEGMENT = 1 << 15, /* and their columns, at least */
  TOGETHER = 3,            /* rows with the same columns, treated as one */
  RUN = 12,                /* a run of such rows is cut at multiples of this */
  COUNTERS = 64,           /* in a workspace: those of struct bins, and some to spare */
  LOOK_UP = 30,            /* elements of A that a warp looks up at once: whole groups of three */
  /* A row with at least this many products and the columns of the row before or after it counts as
   * a long one, unless it spans more than this many columns per product. */
  FEWEST_TOGETHER = 512,
  WIDEST_TOGETHER = 64
};

/* A block for long rows: columns of a window, bytes of sums. A window's bits and counts and the
 * sums take 21 KiB for a warp and 57 KiB for a block: at least 10 and 4 of them fit a
 * multiprocessor of compute capability 9.0, 3 and 1 one of 7.5. */
template <int THREADS> struct table {
  static constexpr int window = THREADS == WARP ? 1 << 16 : 1 << 17;
  static constexpr int words = window / 32;
  static constexpr int sum_bytes = THREADS == WARP ? 9216 : 24576;
  typedef cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
  static constexpr int blocks = THREADS == WARP ? 16 : 4; /* started for each multiprocessor */
};

/* exclusive counts of bits; in a warp's window they fit 16 bits */
template <int THREADS> struct count_of { typedef int type; };
template <> struct count_of<WARP> { typedef unsigned short type; };

enum { BLOCK = 256 };

/* ---- arguments of the kernels -------------------------------------------------------------- */

struct bins {
  int *length;       /* BINS: rows in each */
  int *next;         /* the next place to take in each bin of long rows, and of SPLIT to count */
  int *any;          /* are there long rows? */
  int *found;        /* of segments of split rows: their columns that occur */
  int segments;      /* of a row, at least 1 */
  int64_t most_each; /* products for an element of A, in a wide row */
  int64_t segment;   /* columns of one */
  int *list[(BINS + 1) / 2]; /* rows, counted from the launch's first: see entry_of */
  int64_t rows;              /* room in each list */
  unsigned char *mark;       /* of each row: as follows */
  unsigned char *repeats;    /* 1 for a row of B with the columns of the one before */
};

/* Row i of a bin. A row is in one bin, so two bins share a list, one of them from its end. */
__device__ static inline int &entry_of (const bins &w, int bin, int64_t i) {
  return w.list[bin / 2][bin % 2 ? w.rows - 1 - i : i];
}

enum { IS_LONG = 1, IS_REPEAT = 2, IS_LONGEST = 4, IS_WIDE = 8 };

template <class T> struct problem {
  gpumm_device_matrix a, b, c;
  int64_t row;
  int count;
  T alpha;
  int32_t *zero;
  int real; /* REAL_A, REAL_B */
  bins w;
};

__device__ static inline int lane_of () {
  return threadIdx.x % WARP;
}

__device__ static inline double read (const double *p) {
  return __ldg (p);
}

__device__ static inline complex<double> read (const complex<double> *p) {
  double2 x = __ldg ((const double2 *) p);
  return {x.x, x.y};
}

/* A barrier for THREADS threads: whole warps call it together. */
template <int THREADS> __device__ static inline void wait_for_all () {
  if (THREADS <= WARP)
    __syncwarp ();
  else
    __syncthreads ();
}

/* Sums over the lanes up to this one. */
template <int LANES> __device__ static inline int sum_to_lane (int x) {
  for (int d = 1; d < LANES; d *= 2) {
    const int other = __shfl_up_sync (ALL, x, d, LANES);
    x += (int) threadIdx.x % LANES >= d ? other : 0;
  }
  return x;
}

/* ---- bins --------------------------------------------------------------------------------- */

/* Does row i of x have the columns of the row before? GROUP lanes, mask, call it together. */
__device__ static inline bool repeats (const gpumm_device_matrix &x, int64_t i, unsigned mask) {
  int64_t before = x.start[i - 1], begin = x.start[i], end = x.start[i + 1];
  bool same = begin < end && end - begin == begin - before;
  for (int64_t t = begin + threadIdx.x % GROUP; same && t - threadIdx.x % GROUP < end; t += GROUP)
    same = __all_sync (mask, t >= end || x.column[t] == x.column[t - (begin - before)]);
  return same;
}

/* Is row i of C, with few products, faster as a long row? The answer is the same in all ranges of
 * rows, and so is the rounding of the row's sums. sums: as for list_long. GROUP lanes, mask, call
 * it together. */
__device__ static inline bool better_together (const gpumm_device_matrix &a,
                                               const gpumm_device_matrix &b,
                                               const gpumm_device_matrix &c, int64_t i,
                                               int64_t products, int64_t sums, unsigned mask) {
  if (products < FEWEST_TOGETHER || (sums > 0 && TOGETHER * (c.start[i + 1] - c.start[i]) > sums)
      || !((i > 0 && repeats (a, i, mask)) || (i + 1 < a.rows && repeats (a, i + 1, mask))))
    return false;
  int low = INT32_MAX, high = -1;
  for (int64_t t = a.start[i] + threadIdx.x % GROUP; t < a.start[i + 1]; t += GROUP) {
    const int64_t k = a.column[t], begin = b.start[k], end = b.start[k + 1];
    if (begin < end) {
      low = min (low, b.column[begin]);
      high = max (high, b.column[end - 1]);
    }
  }
  for (int d = GROUP / 2; d > 0; d /= 2) {
    low = min (low, __shfl_xor_sync (mask, low, d, GROUP));
    high = max (high, __shfl_xor_sync (mask, high, d, GROUP));
  }
  return high - low <= WIDEST_TOGETHER * products;
}

/* The most products of a row in a short bin. */
__host__ __device__ static inline int most_of (int bin) {
  return bin == 0 ? 16 : 32 << bin;
}

/* The number of products of row i + lane, below end_row. The lanes of a group count together, and
 * read the elements of short rows all at once. */
__device__ static inline int64_t count_products (const gpumm_device_matrix &a,
                                                 const gpumm_device_matrix &b, int64_t i,
                                                 int64_t end_row, unsigned mask) {
  const int lane = threadIdx.x % GROUP;
  int64_t begin[GROUP], end[GROUP], products[GROUP], mine = 0;
  int k[GROUP];
#pragma unroll
  for (int u = 0; u < GROUP; u++) {
    begin[u] = i + u < end_row ? a.start[i + u] + lane : 0;
    end[u] = i + u < end_row ? a.start[i + u + 1] : 0;
  }
#pragma unroll
  for (int u = 0; u < GROUP; u++)
    k[u] = begin[u] < end[u] ? a.column[begin[u]] : -1;
#pragma unroll
  for (int u = 0; u < GROUP; u++)
    products[u] = k[u] >= 0 ? b.start[k[u] + 1] - b.start[k[u]] : 0;
#pragma unroll
  for (int u = 0; u < GROUP; u++) {
    for (int64_t t = begin[u] + GROUP; t < end[u]; t += GROUP)
      products[u] += b.start[a.column[t] + 1] - b.start[a.column[t]];
    for (int d = GROUP / 2; d > 0; d /= 2)
      products[u] += __shfl_xor_sync (mask, products[u], d, GROUP);
    mine = lane == u ? products[u] : mine;
  }
  return mine;
}

/* Lists the short rows and marks the long ones. sums: as for list_long. */
__global__ void __launch_bounds__ (BLOCK)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    find_bins (gpumm_device_matrix a, gpumm_device_matrix b, gpumm_device_matrix c, int64_t row,
               int count, int64_t sums, int most_short, bins w) {
  __shared__ int found[SHORT_BINS], begin[SHORT_BINS];
  const unsigned mask = 0xffu << (threadIdx.x % WARP / GROUP * GROUP);
  const int lane = threadIdx.x % GROUP;
  for (int64_t r0 = (int64_t) blockIdx.x * BLOCK; r0 < count; r0 += (int64_t) gridDim.x * BLOCK) {
    const int64_t r = r0 + threadIdx.x;
    int bin = -1, at = 0, marked = 0;
    if (threadIdx.x < SHORT_BINS)
      found[threadIdx.x] = 0;
    __syncthreads ();
    const int64_t mine = count_products (a, b, row + r - lane, row + count, mask);
    for (int u = 0; u < GROUP; u++) {
      const int64_t products = __shfl_sync (mask, mine, u, GROUP), other = r - lane + u;
      if (products <= most_short
          && (products < FEWEST_TOGETHER
              || !better_together (a, b, c, row + other, products, sums, mask)))
        continue;
      const bool repeated = other % RUN != 0 && repeats (a, row + other, mask);
      const int64_t elements = a.start[row + other + 1] - a.start[row + other];
      if (lane == u)
        marked = IS_LONG | (products > MOST_OF_WARP ? IS_LONGEST : 0)
                 | (products <= elements * w.most_each ? IS_WIDE : 0) | (repeated ? IS_REPEAT : 0);
    }
    if (!marked && mine > 0)
      for (bin = 0; mine > most_of (bin);)
        bin++;
    if (r < count)
      w.mark[r] = (unsigned char) marked;
    if (marked)
      *w.any = 1;
    if (bin >= 0)
      at = atomicAdd (&found[bin], 1);
    __syncthreads ();
    if (threadIdx.x < SHORT_BINS && found[threadIdx.x] > 0)
      begin[threadIdx.x] = atomicAdd (&w.length[threadIdx.x], found[threadIdx.x]);
    __syncthreads ();
    if (bin >= 0)
      entry_of (w, bin, begin[bin] + at) = (int) r;
  }
}

/* The rows of the group that begins at r. */
__device__ static inline int group_of (const bins &w, int r, int count) {
  int together = 1;
  while (together < TOGETHER && r + together < count && w.mark[r + together] & IS_REPEAT)
    together++;
  return together;
}

/* Lists the first row of each group of long rows. sums: how many sums a warp has room for; 0:
 * no limit. */
__global__ void __launch_bounds__ (BLOCK)
    list_long (gpumm_device_matrix c, int64_t row, int count, int64_t sums, bins w) {
  if (!*w.any)
    return;
  for (int64_t r = (int64_t) blockIdx.x * BLOCK + threadIdx.x; r < count;
       r += (int64_t) gridDim.x * BLOCK) {
    int before = 0;
    if (!(w.mark[r] & IS_LONG))
      continue;
    while (w.mark[r - before] & IS_REPEAT)
      before++;
    if (before % TOGETHER != 0)
      continue;
    const int together = group_of (w, (int) r, count);
    const bool longest = w.mark[r] & IS_LONGEST;
    const bool fits = sums == 0 || together * (c.start[row + r + 1] - c.start[row + r]) <= sums;
    int bin = fits && !longest                         ? LONG
              : together > 1 || !(w.mark[r] & IS_WIDE) ? LONGEST
              : longest                                ? SPLIT
                                                       : WIDE;
    int at = atomicAdd (&w.length[bin], 1);
    if (bin == SPLIT && at >= MOST_SPLIT)
      at = atomicAdd (&w.length[bin = WIDE], 1);
    entry_of (w, bin, at) = (int) r;
  }
}

__global__ void __launch_bounds__ (BLOCK) find_repeats (gpumm_device_matrix b, bins w) {
  if (!*w.any)
    return;
  const unsigned mask = 0xffu << (threadIdx.x % WARP / GROUP * GROUP);
  for (int64_t k = (int64_t) blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP; k < b.rows;
       k += (int64_t) gridDim.x * (BLOCK / GROUP)) {
    bool same = k > 0 && repeats (b, k, mask);
    if (threadIdx.x % GROUP == 0)
      w.repeats[k] = same;
  }
}

/* ---- short rows --------------------------------------------------------------------------- */

/* How the rows of a bin are computed: threads per row, products per thread. */
template <int BIN> struct shape {
  static constexpr int items = BIN == 0 ? 2 : BIN < 4 ? 8 : 16;
  static constexpr int threads = BIN <= 1 ? 8 : BIN == 2 ? 16 : BIN < 5 ? 32 : BIN == 5 ? 64 : 128;
  static constexpr int size = items * threads; /* products of the longest row */
  static constexpr int block = threads > WARP ? threads : BIN == 4 ? 64 : 128;
  static constexpr int rows = block / threads; /* of a block, at a time */
  static constexpr int lanes = threads < WARP ? threads : WARP;
};

/* Where the products of a row of A, its elements t0 .. end - 1, come from: product q is item
 * q / threads of thread q % threads. All threads of a warp call it. */
template <class own> struct products {
  int total;
  int a[own::items];     /* elements of A, counted from t0 */
  int64_t b[own::items]; /* elements of B; -1: no product */
};

template <class own>
__device__ static inline void find_products (const gpumm_device_matrix &a,
                                             const gpumm_device_matrix &b, int64_t t0, int64_t end,
                                             products<own> &found) {
  const int lane = threadIdx.x % own::lanes, count = (int) (end - t0);
  found.total = 0;
#pragma unroll
  for (int j = 0; j < own::items; j++) {
    found.a[j] = 0;
    found.b[j] = -1;
  }
  for (int t = 0; __any_sync (ALL, t < count); t += own::lanes) {
    int64_t from = 0;
    int length = 0;
    if (t + lane < count) {
      const int64_t k = a.column[t0 + t + lane];
      from = b.start[k];
      length = (int) (b.start[k + 1] - from);
    }
    const int upto = sum_to_lane<own::lanes> (length); /* products of the lanes up to this */
    from -= upto - length;
    const int here = __shfl_sync (ALL, upto, own::lanes - 1, own::lanes);
#pragma unroll
    for (int j = 0; j < own::items; j++) {
      const int q = j * own::threads + (int) threadIdx.x % own::threads - found.total;
      const bool mine = q >= 0 && q < here;
      if (!__any_sync (ALL, mine))
        continue;
      int e = 0; /* the lane whose product q is */
#pragma unroll
      for (int d = own::lanes / 2; d > 0; d /= 2)
        e += __shfl_sync (ALL, upto, e + d - 1, own::lanes) <= q ? d : 0;
      const int64_t at = __shfl_sync (ALL, from, e, own::lanes) + q;
      if (mine) {
        found.a[j] = t + e;
        found.b[j] = at;
      }
    }
    found.total += here;
  }
}

template <class KEY> __device__ static inline void in_order (KEY &x, KEY &y) {
  const KEY least = min (x, y);
  y = max (x, y);
  x = least;
}

/* One step of sorting: each key is compared with the key `apart` threads away; in the first step of
 * a merge, where both halves ascend, with the mirrored item. */
template <class own, bool MIRRORED, class KEY>
__device__ static inline void exchange_keys (KEY (&key)[own::items], KEY *exchange, int apart,
                                             bool lower) {
  constexpr int ITEMS = own::items;
  const int thread = threadIdx.x % own::threads;
  KEY other[ITEMS];
  if (apart >= WARP) {
    __syncthreads ();
#pragma unroll
    for (int j = 0; j < ITEMS; j++)
      exchange[j * own::threads + thread] = key[j];
    __syncthreads ();
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const int from = MIRRORED ? ITEMS - 1 - j : j;
    other[j] = apart >= WARP ? exchange[from * own::threads + (thread ^ apart)]
                             : __shfl_xor_sync (ALL, key[from], apart % WARP);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++)
    key[j] = lower ? min (key[j], other[j]) : max (key[j], other[j]);
}

/* Sorts the keys of a row's threads: the smallest become those of the first thread. exchange has
 * room for all of them; used where there is more than a warp. Keys of 64 bits are rare: their loops
 * over threads are not unrolled, which would take nvcc a minute. (By cub::WarpMergeSort and
 * BlockMergeSort, which go through shared memory, products take up to 2.6 times as long on an
 * H200.)
 */
template <class own, class KEY>
__device__ static inline void sort (KEY (&key)[own::items], KEY *exchange) {
  constexpr int ITEMS = own::items, UNROLLED = sizeof (KEY) == 4 ? 8 : 1;
  const int thread = threadIdx.x % own::threads;
  /* the keys of each thread */
#pragma unroll
  for (int size = 2; size <= ITEMS; size *= 2)
#pragma unroll
    for (int d = size / 2; d > 0; d /= 2)
#pragma unroll
      for (int j = 0; j < ITEMS; j++)
        if ((j & d) == 0)
          in_order (key[j], key[d == size / 2 ? j ^ (size - 1) : j | d]);
          /* then the keys of twice as many threads at a time */
#pragma unroll UNROLLED
  for (int threads = 2; threads <= own::threads; threads *= 2) {
    exchange_keys<own, true> (key, exchange, threads - 1, (thread & threads / 2) == 0);
#pragma unroll UNROLLED
    for (int apart = threads / 4; apart > 0; apart /= 2)
      exchange_keys<own, false> (key, exchange, apart, (thread & apart) == 0);
#pragma unroll
    for (int d = ITEMS / 2; d > 0; d /= 2)
#pragma unroll
      for (int j = 0; j < ITEMS; j++)
        if ((j & d) == 0)
          in_order (key[j], key[j | d]);
  }
}

/* If a row spans at most this number of columns, one warp counts them with a bit for each: a mesh's
 * rows. */
enum { SPAN = 1 << 14 };

/* Counts a lane's keys that no other lane has counted. Returns false to all lanes if the row spans
 * too many columns. seen: SPAN / 32 words of this warp. */
template <class own>
__device__ static inline bool count_by_bits (const unsigned (&key)[own::items], unsigned *seen,
                                             int &different) {
  unsigned low = UINT32_MAX, high = 0;
#pragma unroll
  for (int j = 0; j < own::items; j++) {
    low = min (low, key[j]);
    high = max (high, key[j] != UINT32_MAX ? key[j] : 0);
  }
  for (int d = WARP / 2; d > 0; d /= 2) {
    low = min (low, __shfl_xor_sync (ALL, low, d));
    high = max (high, __shfl_xor_sync (ALL, high, d));
  }
  if (low <= high && high - low >= SPAN)
    return false;
  for (unsigned x = lane_of (); low <= high && x <= (high - low) / 32; x += WARP)
    seen[x] = 0;
  __syncwarp ();
#pragma unroll
  for (int j = 0; j < own::items; j++)
    if (key[j] != UINT32_MAX) {
      const unsigned bit = 1u << (key[j] - low) % 32;
      different += (atomicOr (&seen[(key[j] - low) / 32], bit) & bit) == 0;
    }
  __syncwarp (); /* before the next row clears them */
  return true;
}

/* Sorts the keys, and counts those of this thread that differ from the key before. */
template <class own>
__device__ static inline int count_sorted (unsigned (&key)[own::items], unsigned *exchange,
                                           unsigned *last_of) {
  const int thread = threadIdx.x % own::threads, warp = threadIdx.x / WARP;
  sort<own> (key, exchange);
  unsigned last = __shfl_up_sync (ALL, key[own::items - 1], 1);
  if (own::threads > WARP) {
    if (lane_of () == WARP - 1)
      last_of[warp] = key[own::items - 1];
    __syncthreads ();
    if (lane_of () == 0 && warp > 0)
      last = last_of[warp - 1];
  }
  int different = 0;
#pragma unroll
  for (int j = 0; j < own::items; j++) {
    different += key[j] != UINT32_MAX && ((j == 0 && thread == 0) || key[j] != last);
    last = key[j];
  }
  return different;
}

template <int BIN>
__global__ void __launch_bounds__ (shape<BIN>::block)
    count_short (gpumm_device_matrix a, gpumm_device_matrix b, gpumm_device_matrix c, int64_t row,
                 bins w) {
  typedef shape<BIN> own;
  constexpr bool BY_WARPS = own::threads == WARP;
  __shared__ unsigned exchange[own::threads > WARP ? own::size : 1];
  __shared__ unsigned last_of[own::block / WARP];
  __shared__ unsigned seen[BY_WARPS ? own::block / WARP : 1][BY_WARPS ? SPAN / 32 : 1];
  const int rows = w.length[BIN], thread = threadIdx.x % own::threads, warp = threadIdx.x / WARP;
  for (int r0 = blockIdx.x * own::rows; r0 < rows; r0 += gridDim.x * own::rows) {
    const int r = r0 + threadIdx.x / own::threads;
    const int64_t i = r < rows ? row + entry_of (w, BIN, r) : -1;
    products<own> found;
    find_products<own> (a, b, i < 0 ? 0 : a.start[i], i < 0 ? 0 : a.start[i + 1], found);
    unsigned key[own::items];
#pragma unroll
    for (int j = 0; j < own::items; j++)
      key[j] = found.b[j] >= 0 ? (unsigned) __ldg (b.column + found.b[j]) : UINT32_MAX;
    int different = 0;
    if (!BY_WARPS || !count_by_bits<own> (key, seen[BY_WARPS ? warp : 0], different))
      different = count_sorted<own> (key, exchange, last_of);
    for (int d = own::lanes / 2; d > 0; d /= 2)
      different += __shfl_xor_sync (ALL, different, d, own::lanes);
    /* symbolic left zeros there, to which each warp of a row adds */
    if (thread % own::lanes == 0 && i >= 0)
      atomicAdd ((unsigned long long *) &c.start[i + 1], (unsigned long long) different);
  }
}

/* A place in the sorted keys, chosen so that lanes that write their items hit different banks. */
__device__ static inline int padded (int q) {
  return q + q / WARP;
}

/* KEY has room for a column and the number of a product. */
template <class T, int BIN, class KEY>
__global__ void __launch_bounds__ (shape<BIN>::block) multiply_short (problem<T> p) {
  typedef shape<BIN> own;
  __shared__ KEY all_keys[own::rows][own::size + own::size / WARP];
  __shared__ T all_values[own::rows][own::size];
  __shared__ unsigned short all_firsts[own::rows][own::size]; /* where each column begins */
  __shared__ int firsts_of[own::block / WARP];
  const int rows = p.w.length[BIN], thread = threadIdx.x % own::threads,
            slot = threadIdx.x / own::threads, lane = threadIdx.x % own::lanes;
  /* the lanes of the warp that work on this row */
  const unsigned mine = ALL >> (WARP - own::lanes) << (lane_of () - lane);
  const unsigned left = mine & ((1u << lane_of ()) - 1);
  const T *a_values = (const T *) p.a.values, *b_values = (const T *) p.b.values;
  KEY *keys = all_keys[slot];
  T *values = all_values[slot];
  unsigned short *firsts = all_firsts[slot];
  bool zeros = false;
  for (int r0 = blockIdx.x * own::rows; r0 < rows; r0 += gridDim.x * own::rows) {
    const int r = r0 + slot;
    const int64_t i = r < rows ? p.row + entry_of (p.w, BIN, r) : -1;
    const int64_t to = i < 0 ? 0 : p.c.start[i];
    const int64_t row = i < 0 ? 0 : p.a.start[i], row_end = i < 0 ? 0 : p.a.start[i + 1];
    products<own> found;
    find_products<own> (p.a, p.b, row, row_end, found);
    const int total = found.total;
    KEY key[own::items];
    T x[own::items], y[own::items];
#pragma unroll
    for (int j = 0; j < own::items; j++) {
      key[j] = found.b[j] >= 0 ? __ldg (p.b.column + found.b[j]) : 0;
      x[j] = found.b[j] >= 0 ? read (b_values + found.b[j]) : T{};
      y[j] = found.b[j] >= 0 ? read (a_values + row + found.a[j]) : T{};
    }
#pragma unroll
    for (int j = 0; j < own::items; j++) {
      const int q = j * own::threads + thread;
      key[j] = q < total ? key[j] * own::size + q : (KEY) -1;
      values[q] = times (y[j], x[j], p.real);
    }
    sort<own> (key, keys);
    wait_for_all<own::threads> ();
#pragma unroll
    for (int j = 0; j < own::items; j++)
      keys[padded (thread * own::items + j)] = key[j];
    wait_for_all<own::threads> ();
    /* each warp goes through its part of the sorted products and lists the first of each column */
    const int begin = own::threads > WARP ? threadIdx.x / WARP * (WARP * own::items) : 0;
    const int end = own::threads > WARP ? min (total, begin + WARP * own::items) : total;
    int columns = 0, before = 0;
    if (own::threads > WARP) {
      for (int q = begin + lane; q < end; q += WARP)
        columns += q == 0 || keys[padded (q)] / own::size != keys[padded (q - 1)] / own::size;
      for (int d = WARP / 2; d > 0; d /= 2)
        columns += __shfl_xor_sync (ALL, columns, d);
      if (lane == 0)
        firsts_of[threadIdx.x / WARP] = columns;
      __syncthreads ();
      columns = 0;
      for (int v = 0; v < own::threads / WARP; v++) {
        before += v < (int) threadIdx.x / WARP ? firsts_of[v] : 0;
        columns += firsts_of[v];
      }
    }
    for (int q0 = begin; __any_sync (ALL, q0 < end); q0 += own::lanes) {
      const int q = q0 + lane;
      const bool first =
          q < end && (q == 0 || keys[padded (q)] / own::size != keys[padded (q - 1)] / own::size);
      const unsigned all = __ballot_sync (ALL, first);
      if (first)
        firsts[before + __popc (all & left)] = (unsigned short) q;
      before += __popc (all & mine);
    }
    if (own::threads <= WARP)
      columns = before;
    wait_for_all<own::threads> ();
    for (int f = thread; f < columns; f += own::threads) {
      int q = firsts[f];
      const int last = f + 1 < columns ? firsts[f + 1] : total;
      const KEY self = keys[padded (q)];
      T sum = values[self % own::size];
      while (++q < last)
        sum = add (sum, values[keys[padded (q)] % own::size]);
      sum = times_alpha (p.alpha, sum);
      p.c.column[to + f] = (int32_t) (self / own::size);
      ((T *) p.c.values)[to + f] = sum;
      zeros |= is_zero (sum);
    }
    wait_for_all<own::threads> (); /* before the next row's values overwrite these */
  }
  if (zeros && p.zero)
    *p.zero = 1;
}

/* ---- long rows ---------------------------------------------------------------------------- */

/* The part of a row of B within a window, for this lane's element of A; and a mask of the lanes
 * whose row has the columns of the row of the lane before. */
struct meeting {
  int64_t from;
  int length;
  unsigned same;
};

__device__ static inline meeting look_up (const gpumm_device_matrix &a,
                                          const gpumm_device_matrix &b,
                                          const unsigned char *repeats, int64_t t0, int64_t end,
                                          int64_t window, int64_t window_end, bool whole) {
  const int lane = lane_of ();
  const bool there = lane < LOOK_UP && t0 + lane < end;
  meeting m = {0, 0, 0};
  int k = -2;
  if (there) {
    k = a.column[t0 + lane];
    m.from = b.start[k];
    int64_t stop = b.start[k + 1];
    if (!whole) {
      m.from = lower_bound (b.column, m.from, stop, window);
      stop = lower_bound (b.column, m.from, stop, window_end);
    }
    m.length = (int) (stop - m.from);
  }
  const int before = __shfl_up_sync (ALL, k, 1);
  m.same = __ballot_sync (ALL, there && lane > 0 && k == before + 1 && repeats[k]);
  return m;
}

/* The number of rows from lane e on with the same columns. */
__device__ static inline int group_at (unsigned same, int e) {
  return !(same >> (e + 1) & 1) ? 1 : !(same >> (e + 2) & 1) ? 2 : 3;
}

/* Calls f (of, at) for the products of a warp's elements of A in the order of k, AHEAD for each
 * lane at a time. Lane l has the products q + l, q + WARP + l, ... of[] is the lane that has the
 * row of B of each product, and at[] is the product's place in B, or -1 if there is no product. */
template <int AHEAD, class F>
__device__ static inline void for_products (int64_t from, int length, F f) {
  const int upto = sum_to_lane<WARP> (length), all = __shfl_sync (ALL, upto, WARP - 1);
  from -= upto - length;
  for (int q0 = lane_of (); q0 - lane_of () < all; q0 += AHEAD * WARP) {
    int of[AHEAD];
    int64_t at[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      const int q = q0 + u * WARP;
      of[u] = 0;
#pragma unroll
      for (int d = WARP / 2; d > 0; d /= 2)
        of[u] += __shfl_sync (ALL, upto, of[u] + d - 1) <= q ? d : 0;
      at[u] = __shfl_sync (ALL, from, of[u]) + q;
      if (q >= all)
        at[u] = -1;
    }
    f (of, at);
  }
}

/* Sets the bit of each column of row i of C that lies in the window, and clears the others. Each
 * warp takes rows of B of its own, and skips rows with the columns of the row before. */
template <int THREADS>
__device__ static inline void mark_columns (const gpumm_device_matrix &a,
                                            const gpumm_device_matrix &b,
                                            const unsigned char *repeats, int64_t i, int64_t window,
                                            int64_t window_end, bool whole, unsigned *bits,
                                            int words) {
  for (int q = threadIdx.x; q < words; q += THREADS)
    bits[q] = 0;
  wait_for_all<THREADS> ();
  const int64_t end = a.start[i + 1];
  for (int64_t t0 = a.start[i] + threadIdx.x / WARP * LOOK_UP; t0 < end;
       t0 += THREADS / WARP * LOOK_UP) {
    const meeting m = look_up (a, b, repeats, t0, end, window, window_end, whole);
    for_products<4> (
        m.from, m.same >> lane_of () & 1 ? 0 : m.length, [&] (const int *, const int64_t *at) {
          int column[4];
#pragma unroll
          for (int u = 0; u < 4; u++)
            column[u] = at[u] >= 0 ? (int) (__ldg (b.column + at[u]) - window) : -1;
#pragma unroll
          for (int u = 0; u < 4; u++) {
            const unsigned bit = 1u << (column[u] & 31);
            /* look first: most bits are set, and setting one bit from two threads is slow */
            if (column[u] >= 0 && !(*(volatile unsigned *) &bits[column[u] / 32] & bit))
              atomicOr (&bits[column[u] / 32], bit);
          }
        });
  }
  wait_for_all<THREADS> ();
}

/* A long row, or a segment of its columns; r is -1 after the last. */
struct piece {
  int r, number; /* of the segment, of all */
  int segment;
};

/* The next piece of a bin; next is a counter. */
template <int THREADS, int BIN>
__device__ static inline piece next_piece (const bins &w, int *next, int *taken) {
  const int rows = BIN == SPLIT ? min (w.length[BIN], (int) MOST_SPLIT) : w.length[BIN];
  wait_for_all<THREADS> (); /* all threads have read the last piece, and shared memory is free */
  if (threadIdx.x == 0)
    *taken = atomicAdd (next, 1);
  wait_for_all<THREADS> ();
  const int number = *taken, segments = BIN == SPLIT ? w.segments : 1, at = number / segments;
  return {at < rows ? entry_of (w, BIN, at) : -1, number, number % segments};
}

/* Clips the columns that the row reaches to the columns of the piece. */
template <int BIN>
__device__ static inline void clip (const bins &w, const piece &x, int &low, int &high) {
  if (BIN != SPLIT)
    return;
  const int64_t begin = x.segment * w.segment, end = begin + w.segment - 1;
  low = low < begin ? (int) min (begin, (int64_t) INT32_MAX) : low;
  high = high > end ? (int) end : high;
}

/* adds: adds to the lengths of rows, in c.start. The lengths of segments are stored in any case. */
template <int THREADS, int BIN>
__global__ void __launch_bounds__ (THREADS)
    count_long (gpumm_device_matrix a, gpumm_device_matrix b, gpumm_device_matrix c, int64_t row,
                int count, bool adds, bins w) {
  typedef table<THREADS> own;
  __shared__ unsigned bits[own::words];
  __shared__ typename own::scan::TempStorage scratch;
  __shared__ int reached[1][2], taken;
  int *const next = BIN == SPLIT ? &w.next[BINS] : &w.next[BIN];
  for (piece x; (x = next_piece<THREADS, BIN> (w, next, &taken)).r >= 0;) {
    const int64_t i = row + x.r;
    int lowest, highest, found = 0, all;
    columns_reached<THREADS> (a, b, i, reached, lowest, highest);
    int low = lowest, high = highest;
    clip<BIN> (w, x, low, high);
    const int64_t first = low / 32 * 32;
    for (int64_t window = first; window <= high; window += own::window) {
      const int64_t window_end = min (window + own::window, (int64_t) high + 1);
      const int words = (int) ((window_end - window + 31) / 32);
      mark_columns<THREADS> (a, b, w.repeats, i, window, window_end,
                             window <= lowest && window_end > highest, bits, words);
      for (int q = threadIdx.x; q < words; q += THREADS)
        found += __popc (bits[q]);
      wait_for_all<THREADS> ();
    }
    typename own::scan (scratch).ExclusiveSum (found, found, all);
    if (threadIdx.x == 0 && BIN == SPLIT)
      w.found[x.number] = all;
    if (threadIdx.x == 0 && adds)
      for (int g = group_of (w, x.r, count); g > 0; g--)
        atomicAdd ((unsigned long long *) &c.start[i + g], (unsigned long long) all);
  }
}

/* Counts the bits to the left of each word, and writes the columns of the window to the rows of C
 * of the group: the first of them at `to`, rows a row's length apart. Each warp does a piece of the
 * words. Returns the bits of all. */
template <int THREADS, class COUNT>
__device__ static inline int write_columns (const unsigned *bits, int words, COUNT *before,
                                            typename table<THREADS>::scan::TempStorage &scratch,
                                            int64_t window, int32_t *to, int64_t length,
                                            int together) {
  const int warp = threadIdx.x / WARP, lane = lane_of (), warps = THREADS / WARP;
  const int piece = (words + warps - 1) / warps, begin = min (warp * piece, words),
            end = min (begin + piece, words);
  int total = 0, all = 0; /* bits before, and of all */
  if (warps > 1) {
    for (int q = begin + lane; q < end; q += WARP)
      total += __popc (bits[q]);
    typename table<THREADS>::scan (scratch).ExclusiveSum (total, total, all);
    total = __shfl_sync (ALL, total, 0);
  }
  for (int q0 = begin; q0 < end; q0 += WARP) {
    const int q = q0 + lane;
    unsigned word = q < end ? bits[q] : 0;
    const int mine = __popc (word), upto = sum_to_lane<WARP> (mine);
    int sum = total + upto - mine;
    total += __shfl_sync (ALL, upto, WARP - 1);
    if (q < end)
      before[q] = (COUNT) sum;
    for (; word; word &= word - 1, sum++)
      for (int g = 0; g < together; g++)
        to[sum + g * length] = (int32_t) (window + 32 * q + __ffs ((int) word) - 1);
  }
  return warps > 1 ? all : total;
}

template <class T, int THREADS, int BIN>
__global__ void __launch_bounds__ (THREADS) multiply_long (problem<T> p) {
  typedef table<THREADS> own;
  typedef typename count_of<THREADS>::type count_type;
  extern __shared__ double2 shared[]; /* sums, bits, counts */
  T *const shared_sums = (T *) shared;
  unsigned *const bits = (unsigned *) ((char *) shared + own::sum_bytes);
  count_type *const before = (count_type *) (bits + own::words);
  __shared__ typename own::scan::TempStorage scratch;
  __shared__ int reached[1][2], taken;
  const T *a_values = (const T *) p.a.values, *b_values = (const T *) p.b.values;
  bool zeros = false;
  for (piece x; (x = next_piece<THREADS, BIN> (p.w, &p.w.next[BIN], &taken)).r >= 0;) {
    const int64_t i = p.row + x.r, length = p.c.start[i + 1] - p.c.start[i];
    const int64_t a_begin = p.a.start[i], a_length = p.a.start[i + 1] - a_begin;
    const int together = group_of (p.w, x.r, p.count);
    const int64_t start = p.c.start[i];
    T *const values = (T *) p.c.values + start;
    T *const sums =
        together * length * (int64_t) sizeof (T) <= own::sum_bytes ? shared_sums : values;
    int lowest, highest;
    int64_t done = 0; /* elements of C in the windows before */
    for (int64_t q = threadIdx.x; q < together * length; q += THREADS)
      sums[q] = T{};
    columns_reached<THREADS> (p.a, p.b, i, reached, lowest, highest);
    const int64_t first = lowest / 32 * 32;
    for (int64_t window = first; window <= highest; window += own::window) {
      const int64_t window_end = min (window + own::window, (int64_t) highest + 1);
      const int words = (int) ((window_end - window + 31) / 32);
      const bool whole = window <= lowest && window_end > highest;
      mark_columns<THREADS> (p.a, p.b, p.w.repeats, i, window, window_end, whole, bits, words);
      const int found = write_columns<THREADS> (bits, words, before, scratch, window,
                                                p.c.column + start + done, length, together);
      wait_for_all<THREADS> ();
      for (int64_t t0 = 0; t0 < a_length; t0 += LOOK_UP) {
        const meeting m = look_up (p.a, p.b, p.w.repeats, a_begin + t0, a_begin + a_length, window,
                                   window_end, whole);
        for (int e = 0, wide; e < LOOK_UP && t0 + e < a_length; e += wide) {
          wide = group_at (m.same, e);
          const int64_t from = __shfl_sync (ALL, m.from, e),
                        from1 = __shfl_sync (ALL, m.from, e + 1),
                        from2 = __shfl_sync (ALL, m.from, e + 2);
          const int part = __shfl_sync (ALL, m.length, e);
          T y[TOGETHER][TOGETHER]; /* elements of A */
#pragma unroll
          for (int g = 0; g < TOGETHER; g++)
#pragma unroll
            for (int h = 0; h < TOGETHER; h++)
              y[g][h] = g < together && h < wide
                            ? read (a_values + a_begin + g * a_length + t0 + e + h)
                            : T{};
          for (int l = threadIdx.x; l < part; l += THREADS) {
            const int column = (int) (__ldg (p.b.column + from + l) - window);
            const T z0 = read (b_values + from + l),
                    z1 = wide > 1 ? read (b_values + from1 + l) : T{},
                    z2 = wide > 2 ? read (b_values + from2 + l) : T{};
            T *sum = sums + done + before[column / 32]
                     + __popc (bits[column / 32] & ((1u << (column & 31)) - 1));
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
              if (g < together) {
                T s = sum[g * length];
                accumulate (s, y[g][0], z0, p.real);
                if (wide > 1)
                  accumulate (s, y[g][1], z1, p.real);
                if (wide > 2)
                  accumulate (s, y[g][2], z2, p.real);
                sum[g * length] = s;
              }
          }
          if (part > 0)
            wait_for_all<THREADS> ();
        }
      }
      done += found;
    }
    for (int64_t q = threadIdx.x; q < together * length; q += THREADS) {
      const T sum = times_alpha (p.alpha, sums[q]);
      values[q] = sum;
      zeros |= is_zero (sum);
    }
  }
  if (zeros && p.zero)
    *p.zero = 1;
}

/* The value of another lane. */
__device__ static inline double from_lane (double x, int lane) {
  return __shfl_sync (ALL, x, lane);
}

__device__ static inline complex<double> from_lane (complex<double> x, int lane) {
  return {__shfl_sync (ALL, x.re, lane), __shfl_sync (ALL, x.im, lane)};
}

/* Adds each lane's product to its sum. If several lanes have the same sum, the first adds the
 * products of all, in the order of the lanes. */
template <class T>
__device__ static inline void add_products (T product, T *sum, bool there, int column) {
  const unsigned self = 1u << lane_of ();
  const unsigned same = __match_any_sync (ALL, there ? column : -1 - lane_of ());
  const bool adds = there && !(same & (self - 1));
  T s = adds ? add (*sum, product) : T{};
  for (unsigned rest = adds ? same & ~self : 0; __any_sync (ALL, rest != 0); rest &= rest - 1) {
    const T other = from_lane (product, rest ? __ffs ((int) rest) - 1 : 0);
    s = rest ? add (s, other) : s;
  }
  if (adds)
    *sum = s;
  __syncwarp (); /* the next products may have the same sums */
}

template <class T, int BIN> __global__ void __launch_bounds__ (WARP) multiply_wide (problem<T> p) {
  typedef table<WARP> own;
  enum { AHEAD = 4 };
  __shared__ unsigned bits[own::words];
  __shared__ count_of<WARP>::type before[own::words];
  __shared__ typename own::scan::TempStorage scratch;
  __shared__ int reached[1][2], taken;
  const T *a_values = (const T *) p.a.values, *b_values = (const T *) p.b.values;
  bool zeros = false;
  for (piece x; (x = next_piece<WARP, BIN> (p.w, &p.w.next[BIN], &taken)).r >= 0;) {
    const int64_t i = p.row + x.r, a_end = p.a.start[i + 1];
    int64_t start = p.c.start[i]; /* of the piece in C */
    for (int e = x.number - x.segment; BIN == SPLIT && e < x.number; e++)
      start += p.w.found[e];
    const int64_t length = BIN == SPLIT ? p.w.found[x.number] : p.c.start[i + 1] - start;
    T *const sums = (T *) p.c.values + start;
    int lowest, highest;
    int64_t done = 0; /* elements of the piece in the windows before */
    for (int64_t q = threadIdx.x; q < length; q += WARP)
      sums[q] = T{};
    columns_reached<WARP> (p.a, p.b, i, reached, lowest, highest);
    int low = lowest, high = highest;
    clip<BIN> (p.w, x, low, high);
    for (int64_t window = low / 32 * 32; window <= high; window += own::window) {
      const int64_t window_end = min (window + own::window, (int64_t) high + 1);
      const int words = (int) ((window_end - window + 31) / 32);
      const bool whole = window <= lowest && window_end > highest;
      mark_columns<WARP> (p.a, p.b, p.w.repeats, i, window, window_end, whole, bits, words);
      const int found = write_columns<WARP> (bits, words, before, scratch, window,
                                             p.c.column + start + done, 0, 1);
      __syncwarp ();
      for (int64_t t0 = p.a.start[i]; t0 < a_end; t0 += LOOK_UP) {
        const meeting m = look_up (p.a, p.b, p.w.repeats, t0, a_end, window, window_end, whole);
        const T mine = t0 + lane_of () < a_end ? read (a_values + t0 + lane_of ()) : T{};
        for_products<AHEAD> (m.from, m.length, [&] (const int *of, const int64_t *at) {
          int column[AHEAD];
          T product[AHEAD];
#pragma unroll
          for (int u = 0; u < AHEAD; u++) {
            column[u] = at[u] >= 0 ? (int) (__ldg (p.b.column + at[u]) - window) : 0;
            product[u] = at[u] >= 0 ? read (b_values + at[u]) : T{};
          }
#pragma unroll
          for (int u = 0; u < AHEAD; u++)
            product[u] = times (from_lane (mine, of[u]), product[u], p.real);
#pragma unroll
          for (int u = 0; u < AHEAD; u++) {
            const unsigned left = bits[column[u] / 32] & ((1u << (column[u] & 31)) - 1);
            add_products (product[u], sums + done + before[column[u] / 32] + __popc (left),
                          at[u] >= 0, column[u]);
          }
        });
      }
      done += found;
    }
    for (int64_t q = threadIdx.x; q < length; q += WARP) {
      const T sum = times_alpha (p.alpha, sums[q]);
      sums[q] = sum;
      zeros |= is_zero (sum);
    }
  }
  if (zeros && p.zero)
    *p.zero = 1;
}

/* ---- launch ------------------------------------------------------------------------------- */

/* Places the counters, the lists of the bins, and a byte for each row of C and of B. Returns the
 * bytes. */
static size_t lay_out (const gpumm_sparse_product *p, bins *w) {
  parts m (p->workspace);
  m.take (w->length, COUNTERS);
  w->next = w->length + BINS;
  w->any = w->next + BINS + 1;
  w->rows = p->count;
  for (int *&list : w->list)
    m.take (list, p->count);
  w->segment = max (ceil_div (ceil_div (p->b.cols, SEGMENTS), 32) * 32, (int64_t) LEAST_SEGMENT);
  w->segments = (int) max (ceil_div (p->b.cols, w->segment), (int64_t) 1);
  /* with more, half of a block's threads have a product of each element, in a window */
  w->most_each = BLOCK / 2 * max (ceil_div (p->b.cols, table<BLOCK>::window), (int64_t) 1);
  m.take (w->found, min (p->count, (int64_t) MOST_SPLIT) * w->segments);
  m.take (w->mark, p->count);
  m.take (w->repeats, p->b.rows);
  return m.used;
}

static size_t workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  bins w;
  const size_t bytes = lay_out (p, &w), offsets = gpumm_sum_up_bytes (p->count + 1);
  return bytes > offsets ? bytes : offsets;
}

static int runs_spgemm (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return is_plain (p) && (p->type_a == GPUMM_D || p->type_a == GPUMM_Z)
         && p->count <= INT32_MAX - (1 << 24) && device->shared_bytes >= 60 << 10;
}

/* Puts the rows into bins. sums: as for list_long. */
static gpumm_status prepare (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                             int64_t sums, int most_short, int processors, bins *w) {
  if (!p->workspace || workspace (p, NULL) > p->workspace_bytes)
    return gpumm_driver_fail (GPUMM_INVALID, "kernel spgemm: its workspace is too small");
  lay_out (p, w);
  const int count = (int) p->count;
  const int64_t most = (int64_t) processors * 8;
  TRY (fill (device, stream, w->length, 0, COUNTERS * sizeof (int)));
  TRY (LAUNCH ("spgemm, bins", find_bins, min (ceil_div (count, BLOCK), most), BLOCK, device,
               stream, p->a, p->b, p->c, p->row, count, sums, most_short, *w));
  TRY (LAUNCH ("spgemm, bins", list_long, min (ceil_div (count, BLOCK), most), BLOCK, device,
               stream, p->c, p->row, count, sums, *w));
  return LAUNCH ("spgemm, bins", find_repeats, min (ceil_div (p->b.rows, BLOCK / GROUP), most),
                 BLOCK, device, stream, p->b, *w);
}

/* Threads started for each multiprocessor: four times its capacity, to share the work evenly. */
enum { SHORT_THREADS = 8192 };

/* Blocks for a bin of short rows, whose number only the device knows. */
template <int BIN> static int64_t short_blocks (int64_t count, int processors) {
  return min (ceil_div (count, shape<BIN>::rows),
              (int64_t) processors * (SHORT_THREADS / shape<BIN>::block));
}

template <int THREADS> static int64_t long_blocks (int64_t count, int processors) {
  return min (count, (int64_t) processors * table<THREADS>::blocks);
}

/* From BIN on. */
template <int BIN>
static gpumm_status count_bins (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                int processors, const bins &w) {
  TRY (LAUNCH ("spgemm, counting", count_short<BIN>, short_blocks<BIN> (p->count, processors),
               shape<BIN>::block, device, stream, p->a, p->b, p->c, p->row, w));
  if constexpr (BIN + 1 < SHORT_BINS)
    TRY (count_bins<BIN + 1> (device, stream, p, processors, w));
  return GPUMM_OK;
}

template <int THREADS, int BIN>
static gpumm_status count_rest (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                bool adds, int processors, const bins &w) {
  return LAUNCH ("spgemm, counting", (count_long<THREADS, BIN>),
                 long_blocks<THREADS> (BIN == SPLIT ? p->count * SEGMENTS : p->count, processors),
                 THREADS, device, stream, p->a, p->b, p->c, p->row, (int) p->count, adds, w);
}

static gpumm_status symbolic (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  bins w;
  int processors;
  if (p->count == 0)
    return GPUMM_OK;
  TRY (multiprocessors (device, &processors));
  /* rows without products are in no bin, and warps add to what is there */
  TRY (fill (device, stream, p->c.start + p->row + 1, 0, (size_t) p->count * sizeof (int64_t)));
  TRY (prepare (device, stream, p, 0, shape<SHORT_BINS - 1>::size, processors, &w));
  TRY (count_bins<0> (device, stream, p, processors, w));
  TRY (count_rest<WARP, SPLIT> (device, stream, p, true, processors, w));
  TRY (count_rest<WARP, WIDE> (device, stream, p, true, processors, w));
  TRY (count_rest<BLOCK, LONGEST> (device, stream, p, true, processors, w));
  return count_rest<WARP, LONG> (device, stream, p, true, processors, w);
}

/* Columns and the numbers of products fit 32 bits. */
template <int BIN> static bool is_narrow (int64_t cols) {
  return cols <= ((int64_t) 1 << 32) / shape<BIN>::size;
}

/* Leaves out kernels that need more shared memory than some GPUs have. */
template <class T> static constexpr int most_bins (bool narrow) {
  return narrow || sizeof (T) == 8 ? SHORT_BINS : SHORT_BINS - 1;
}

/* From BIN on. */
template <class T, int BIN>
static gpumm_status multiply_bins (int device, gpumm_stream *stream, const problem<T> &q,
                                   int processors) {
  const int64_t blocks = short_blocks<BIN> (q.count, processors);
  const int threads = shape<BIN>::block;
  if (is_narrow<BIN> (q.b.cols))
    TRY (LAUNCH ("spgemm", (multiply_short<T, BIN, uint32_t>), blocks, threads, device, stream, q));
  else if constexpr (BIN < most_bins<T> (false))
    TRY (LAUNCH ("spgemm", (multiply_short<T, BIN, uint64_t>), blocks, threads, device, stream, q));
  if constexpr (BIN + 1 < SHORT_BINS)
    TRY (multiply_bins<T, BIN + 1> (device, stream, q, processors));
  return GPUMM_OK;
}

template <class T, int THREADS, int BIN>
static gpumm_status multiply_rest (int device, gpumm_stream *stream, const problem<T> &q,
                                   int processors) {
  typedef table<THREADS> own;
  const size_t bytes =
      own::sum_bytes + own::words * (sizeof (unsigned) + sizeof (typename count_of<THREADS>::type));
  return LAUNCH_SHARED ("spgemm", (multiply_long<T, THREADS, BIN>),
                        long_blocks<THREADS> (q.count, processors), THREADS, bytes, device, stream,
                        q);
}

template <class T, int BIN>
static gpumm_status multiply_wide_rows (int device, gpumm_stream *stream, const problem<T> &q,
                                        int processors) {
  const int64_t pieces = BIN == SPLIT ? (int64_t) q.count * SEGMENTS : q.count;
  return LAUNCH ("spgemm", (multiply_wide<T, BIN>), long_blocks<WARP> (pieces, processors), WARP,
                 device, stream, q);
}

template <class T>
static gpumm_status launch_spgemm_as (int device, gpumm_stream *stream,
                                      const gpumm_sparse_product *p) {
  problem<T> q = {p->a, p->b, p->c, p->row, (int) p->count, {}, p->zero, real_factors (*p), {}};
  const int bins = most_bins<T> (is_narrow<SHORT_BINS - 1> (p->b.cols));
  int processors;
  convert (p->alpha, &q.alpha);
  TRY (multiprocessors (device, &processors));
  TRY (prepare (device, stream, p, table<WARP>::sum_bytes / (int64_t) sizeof (T),
                most_of (bins - 1), processors, &q.w));
  TRY (multiply_bins<T, 0> (device, stream, q, processors));
  TRY (count_rest<WARP, SPLIT> (device, stream, p, false, processors, q.w));
  TRY (multiply_wide_rows<T, SPLIT> (device, stream, q, processors));
  TRY (multiply_wide_rows<T, WIDE> (device, stream, q, processors));
  TRY (multiply_rest<T, BLOCK, LONGEST> (device, stream, q, processors));
  return multiply_rest<T, WARP, LONG> (device, stream, q, processors);
}

static gpumm_status launch_spgemm (int device, gpumm_stream *stream,
                                   const gpumm_sparse_product *p) {
  if (p->count == 0)
    return GPUMM_OK;
  return p->type_c == GPUMM_Z ? launch_spgemm_as<complex<double>> (device, stream, p)
                              : launch_spgemm_as<double> (device, stream, p);
}

SPARSE_FAMILY_ROWS (spgemm) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch, waits, piece, offsets */
    {"spgemm", "spgemm", 70, runs_spgemm, workspace, symbolic, launch_spgemm, 0, 0, offsets},
    {},
};
