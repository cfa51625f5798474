/* bsr_tensor_outer.cu - products of two matrices sparse by small square blocks, double precision on
 * tensor cores, as a sum of outer products, for products that nearly all go to different blocks of
 * C.
 *
 * What it does: C is the sum over k of column k of A times row k of B (Pal et al., OuterSPACE, HPCA
 * 2018). Row k of B is copied to shared memory once for all of A's column, so B is read from memory
 * once, not for each product. What remains is writing C, block by block in any order. For that each
 * product must know its block of C beforehand. The steps:
 *
 * place     A's entries are counted by column, the counts summed, and each entry gets a place among
 *           those of its column. Products are numbered in that order: n of them for an entry of
 *           column k, where row k of B has n blocks.
 * number    By rows of C, as in symbolic.cu: a bitmap of the row's columns says where in C the block of
 *           each product is. Blocks with further products are listed, with these products in order.
 * multiply  The products by their numbers, except those of listed blocks. One warp of a thread block
 *           copies stages of several entries and a row of B; the others multiply several
 *           neighbouring blocks of B as one matrix and write blocks of C. Both use bulk copies.
 * add       The listed blocks, one warp for each.
 * seams     Memory is written in sectors of 32 bytes, and writing a part of a sector takes as long as
 *           reading and writing all of it. Blocks of 9 x 9 doubles begin and end within sectors. So
 *           `multiply` writes the whole sectors of a block to C, and the other elements, three on
 *           average, to a place given by the product's number. Finally these are written to C in the
 *           order of C, as whole sectors.
 *
 * Sums have the same order on each run, although places in a column are random.
 *
 * What limits it, for 9 x 9 with 40 random blocks in each of 100,000 rows, on an H200: of 51.6 ms
 * `multiply` has 39.3, which a program that only copies to equally random places does in 34.2
 * (bench/ceiling_blocks.cu, by K: 6.8 TFLOPS, 5.8 with seams; this kernel reaches 4.5). `seams` has
 * 8.2, 6.3 of them for its many places, `number` 2.8, limited by latency, and `add` 1.1.
 * Whole blocks instead of sectors take 1.9 times as long.
 *
 * Tried and not kept, by the time of `multiply` for a C of 16 GB, 6.5 ms: C by plain stores (6.9);
 * blocks of A and B and numbers by plain copies (6.5); two or three thread blocks for a
 * multiprocessor, two to six stages, units of four products (6.5 to 7.3); hints that C should not
 * stay in the cache (as fast); listed blocks by an extra warp (6.8 to 7.8). Three stages of 18
 * entries are as fast for 9 x 9, and for 8 x 8 take 1.2 times as long.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bulk.h"
#include "tensor_products.h"
#include "bulk_blocks.h"
#include "products.h"
#include "sparse/arrays.h"

extern "C" {
extern const gpumm_sparse_kernel gpumm_family_bsr_tensor_bulk[]; /* for other products */
}

enum {
  WARPS = 15,                 /* that multiply */
  THREADS = 32 * (WARPS + 1), /* and one that brings blocks; one thread block a multiprocessor */
  STAGES = 4,                 /* one is multiplied, the others are on their way */
  ENTRIES = 12,               /* of A's column in a stage */
  ALIGNED = 4,                /* 32-bit numbers that a bulk copy is made of */
  STRETCH = 2048,             /* products that a thread block takes at one time */
  NUMBER_THREADS = 512,       /* that number the products of a row of C */
  WINDOW_WORDS = 3136,        /* of bitmaps of its columns: 100352 */
  STAGED = 2048,              /* numbers that go to memory together */
  MOST_FURTHER = 256,         /* products that are put in order there */
  ROW_THREADS = 256,          /* of a thread block by rows of C */
  ENTRY_LANES = 8,            /* that read a row of B together */
  SHARED_BYTES = 225 << 10,   /* of a thread block */
  MOST_TEAMS = 132 * 8 * 3,   /* thread blocks of kernels that process everything */
  LEAST_SERVED = 2,           /* entries of a column of A, for which B's row comes once */
  MOST_LISTED = 12,           /* at most one further product for this many blocks of C */
  MOST_OF_ROW = 1 << 16,      /* products of a row of C */
};

/* ---- what is in the workspace ------------------------------------------------------------- */

/* A block of C with more than one product: their number, and their place in outer_products.further
 * in order; number 0: they are not stored there. */
struct listed_block {
  int32_t block, row, begin, count;
};

/* Where a thread block's stretch of products begins: entry and column of the first one. */
struct stretch {
  int32_t column, entry;
};

struct further_product {
  int32_t a, b; /* blocks */
};

struct listed_product {
  int32_t block; /* of C */
  further_product of;
};

/* The products of several rows of C. Blocks of C are numbered from the first of these rows on. */
struct outer_products {
  int32_t *count;                       /* per column of A: entries in these rows */
  int64_t *entry_begin, *product_begin; /* these and their products, of the columns before */
  int32_t *place;                       /* of each entry, among those of its column */
  int32_t *entries;                     /* by column and place: the entry */
  int32_t *block;                       /* of each product: the block of C; -1: listed */
  int32_t *product;                     /* and of each block: its product; -1: listed */
  double *first_seam, *seams; /* of each product: one element of seams, and SECTOR others */
  stretch *stretches;         /* one after the other */
  char *scratch;              /* for sums */
  struct {
    int32_t blocks, products;
  } * listed;     /* their number */
  int32_t *taken; /* stretches that thread blocks took after their first */
  listed_block *list;
  further_product *further;
};

static int64_t stretches_of (const gpumm_sparse_product *p) {
  return ceil_div (p->pairs, STRETCH);
}

static bool has_seams (int64_t side) {
  return side * side % SECTOR != 0;
}

/* Lays them out from `memory` on; returns the bytes of all. */
static size_t lay_out (const gpumm_sparse_product *p, char *memory, outer_products *x) {
  const int64_t k = p->op_a == GPUMM_NONE ? p->a.cols : p->a.rows;
  const int64_t in_seams = has_seams (p->c.block_rows) ? p->pairs : 0;
  parts m (memory);
  m.take (x->count, k);
  m.take (x->entry_begin, k + 1);
  m.take (x->product_begin, k + 1);
  m.take (x->place, p->a.stored);
  m.take (x->entries, p->a.stored);
  m.take (x->block, p->pairs);
  m.take (x->product, in_seams);
  m.take (x->first_seam, in_seams);
  m.take (x->seams, SECTOR * in_seams);
  m.take (x->stretches, stretches_of (p) + 1);
  m.take (x->listed, 1);
  m.take (x->taken, 1);
  m.take (x->list, p->pairs / 2);
  m.take (x->further, p->pairs);
  m.take (x->scratch, (int64_t) gpumm_sum_up_bytes (k + 1));
  return m.used;
}

/* ---- sort and number ---------------------------------------------------------------------- */

/* Gives each entry of the rows its place in its column, and counts those. */
static __global__ void __launch_bounds__ (ROW_THREADS)
    place_entries (gpumm_sparse_product p, outer_products x) {
  const int64_t end = p.a.start[p.row + p.count];
  const int64_t step = (int64_t) gridDim.x * ROW_THREADS;
  for (int64_t e = p.a.start[p.row] + (int64_t) blockIdx.x * ROW_THREADS + threadIdx.x; e < end;
       e += step)
    x.place[e] = atomicAdd (&x.count[p.a.column[e]], 1);
}

static __global__ void __launch_bounds__ (ROW_THREADS)
    count_by_column (gpumm_sparse_product p, outer_products x) {
  const int64_t k = (int64_t) blockIdx.x * ROW_THREADS + threadIdx.x;
  if (k < p.b.rows) {
    x.entry_begin[k + 1] = x.count[k];
    x.product_begin[k + 1] = x.count[k] * (p.b.start[k + 1] - p.b.start[k]);
  }
  if (k == 0) {
    x.entry_begin[0] = x.product_begin[0] = 0;
    *x.listed = {0, 0};
    *x.taken = 0;
  }
}

/* Cuts the products into `count` stretches of whole entries. */
static __global__ void __launch_bounds__ (ROW_THREADS)
    cut_products (gpumm_sparse_product p, outer_products x, int count) {
  const int64_t at = (int64_t) blockIdx.x * ROW_THREADS + threadIdx.x;
  const int64_t K = p.b.rows, all = x.product_begin[K], product = all * at / count;
  if (at > count)
    return;
  if (product == all) {
    x.stretches[at] = {(int32_t) K, (int32_t) x.entry_begin[K]};
    return;
  }
  const int64_t k = lower_bound (x.product_begin, (int64_t) 0, K, product + 1) - 1;
  const int64_t each = p.b.start[k + 1] - p.b.start[k];
  x.stretches[at] = {(int32_t) k,
                     (int32_t) (x.entry_begin[k] + (product - x.product_begin[k]) / each)};
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
#define NUMBER_TEAMS 4 /* fill a multiprocessor; others may have room for fewer threads */
#else
#define NUMBER_TEAMS 1
#endif

/* Writes the columns of the rows of C, as make_structure does (symbolic.cu), numbers the products, and
 * lists the blocks that have more than one. A thread block makes a row. */
template <bool SEAMS>
static __global__ void __launch_bounds__ (NUMBER_THREADS, NUMBER_TEAMS)
    number_products (gpumm_sparse_product p, outer_products x) {
  constexpr int THREADS = NUMBER_THREADS, AT_ONCE = 5;
  SHARED (uint32_t, met, 1, WINDOW_WORDS);   /* a bit for each column that has a product, */
  SHARED (uint32_t, again, 1, WINDOW_WORDS); /* and that has two */
  SHARED (int32_t, before, 1, WINDOW_WORDS); /* bits of met in the words before */
  SHARED (int32_t, staged, 1, STAGED);       /* columns, then products, of blocks of the window */
  SHARED (int32_t, reached, 1, 2);
  SHARED (listed_product, further, 1, MOST_FURTHER);
  SHARED (int32_t, listed, 2, 2); /* products and blocks: in the window, and in all before */
  tile<int32_t, 2, THREADS> &scan = *(tile<int32_t, 2, THREADS> *) staged; /* before it is used */
  const int me = threadIdx.x;
  const int64_t i = p.row + blockIdx.x, a_begin = p.a.start[i], a_end = p.a.start[i + 1];
  int32_t low, high;
  for (int64_t e = a_begin + me; e < a_end; e += THREADS)
    x.entries[x.entry_begin[p.a.column[e]] + x.place[e]] = (int32_t) e;
  columns_reached<THREADS> (p.a, p.b, i, reached, low, high);

  int64_t made = p.c.start[i];
  for (int64_t from = low / 32 * 32; from <= high; from += 32 * WINDOW_WORDS) {
    const int64_t left = (high - from) / 32 + 1;
    const int words = left < WINDOW_WORDS ? (int) left : (int) WINDOW_WORDS;
    const int32_t number = (int32_t) (made - p.c.start[p.row]);
    for (int w = me; w < words; w += THREADS)
      met[0][w] = again[0][w] = 0;
    if (me < 2)
      listed[0][me] = 0;
    __syncthreads ();
    /* Calls f (product, block of A, block of B, its column in the window). */
    auto for_products = [&] (auto f) {
      for (int64_t e = a_begin + me / ENTRY_LANES; e < a_end; e += THREADS / ENTRY_LANES) {
        const int32_t k = p.a.column[e];
        const int64_t begin = p.b.start[k], end = p.b.start[k + 1];
        const int64_t product = x.product_begin[k] + x.place[e] * (end - begin);
        int64_t q = from > low ? lower_bound (p.b.column, begin, end, from) : begin;
        for (q += me % ENTRY_LANES; q < end; q += AT_ONCE * ENTRY_LANES) {
          int32_t column[AT_ONCE]; /* read together */
#pragma unroll
          for (int z = 0; z < AT_ONCE; z++)
            column[z] = q + z * ENTRY_LANES < end ? p.b.column[q + z * ENTRY_LANES] : INT32_MAX;
#pragma unroll
          for (int z = 0; z < AT_ONCE; z++)
            if (q + z * ENTRY_LANES < end && column[z] - from < 32 * (int64_t) words)
              f (product + (q + z * ENTRY_LANES - begin), e, q + z * ENTRY_LANES,
                 (int) (column[z] - from));
          if (column[AT_ONCE - 1] - from >= 32 * (int64_t) words)
            break;
        }
      }
    };
    for_products ([&] (int64_t, int64_t, int64_t, int j) {
      const uint32_t bit = 1u << j % 32;
      if (atomicOr (&met[0][j / 32], bit) & bit)
        atomicOr (&again[0][j / 32], bit);
    });
    __syncthreads ();
    const part_of_bits part = count_bits<THREADS> (met, words, scan);
    const int all = part.all;
    /* Direct writes would be scattered. Through shared memory, as far as it has room, neighbouring
     * threads write to neighbouring places. */
    const bool stages = all <= STAGED;
    int32_t *const columns = stages ? staged[0] : p.c.column + made;
    int32_t *const products = stages ? staged[0] : x.product + number;
    const auto unload = [&] (int32_t *to) {
      for (int y = me; stages && y < all; y += THREADS)
        to[y] = staged[0][y];
      __syncthreads (); /* before what is next there */
    };
    int32_t *to = columns + part.before;
    for (int w = part.first; w < part.last; w++) {
      before[0][w] = (int32_t) (to - columns);
      to = write_bits (met[0][w], from + 32 * w, to);
    }
    __syncthreads ();
    unload (p.c.column + made);
    /* the block of column j, of the window's */
    const auto block_of = [&] (int j) {
      return before[0][j / 32] + __popc (met[0][j / 32] & ((1u << j % 32) - 1));
    };
    for_products ([&] (int64_t product, int64_t e, int64_t q, int j) {
      const int block = block_of (j);
      if (again[0][j / 32] >> j % 32 & 1) {
        x.block[product] = -1;
        const int at = atomicAdd (&listed[0][0], 1);
        if (at < MOST_FURTHER)
          further[0][at] = {block, {(int32_t) e, (int32_t) q}};
      } else {
        x.block[product] = number + block;
        if (SEAMS)
          products[block] = (int32_t) product;
      }
    });
    __syncthreads ();
    const int count = listed[0][0];
    if (count > 0 && count <= MOST_FURTHER) {
      /* in the order of blocks of C, and for each of those of A */
      listed_product mine = {};
      int at = 0, same = 0, of_same = 0;
      if (me < count) {
        mine = further[0][me];
        for (int y = 0; y < count; y++) {
          const listed_product other = further[0][y];
          at += other.block < mine.block;
          same += other.block == mine.block;
          of_same += other.block == mine.block && other.of.a < mine.of.a;
        }
        if (of_same == 0)
          atomicAdd (&listed[0][1], 1);
      }
      __syncthreads ();
      if (me < 2)
        listed[1][me] = atomicAdd (me ? &x.listed->blocks : &x.listed->products, listed[0][me]);
      __syncthreads ();
      at += listed[1][0];
      if (me < count) {
        x.further[at + of_same] = mine.of;
        if (of_same == 0) {
          x.list[atomicAdd (&listed[1][1], 1)] = {number + mine.block, (int32_t) i, at, same};
          if (SEAMS)
            products[mine.block] = -1;
        }
      }
    } else if (count > 0)
      for (int w = part.first; w < part.last; w++)
        for (uint32_t set = again[0][w]; set; set &= set - 1) {
          const int block = block_of (32 * w + __popc ((set & -set) - 1));
          x.list[atomicAdd (&x.listed->blocks, 1)] = {number + block, (int32_t) i, 0, 0};
          if (SEAMS)
            products[block] = -1;
        }
    made += all;
    __syncthreads ();
    if (SEAMS)
      unload (x.product + number);
  }
}

/* ---- multiply ----------------------------------------------------------------------------- */

/* Blocks of SIDE x SIDE, and how they lie in shared memory, in doubles. */
template <int SIDE> struct staged_square {
  static constexpr int side = SIDE, size = SIDE * SIDE;
  static constexpr bool seams = size % SECTOR != 0;
  static constexpr int slot = in_grains (size + 1);
  static constexpr int unit = SIDE <= 9 ? 8 : 4;   /* products that a warp computes together */
  static constexpr int made = seams ? slot : size; /* from block to block, in a buffer */
  static constexpr int buffers = WARPS * unit * made;
  /* of B in a stage, for which there are also numbers of C's blocks */
  static constexpr int most =
      ((SHARED_BYTES / 8 - buffers) / STAGES - ENTRIES * (slot + 5)) / (size + ENTRIES / 2);
  static constexpr int numbers = (most + 2 * (ALIGNED - 1)) / ALIGNED * ALIGNED;
  static constexpr int row_of_b = in_grains (most * size + 1);
  static constexpr int stage = row_of_b + ENTRIES * slot;
  static constexpr int bytes = 8 * (STAGES * stage + buffers);
};

/* A block's elements in seams, those of its begin and then those of its end. The square of an odd
 * number is 1 modulo 4 (SECTOR): they are one, or one and SECTOR others. */
struct seams_of_block {
  int begin, size, end; /* of the block: whole sectors, and all */
  __device__ inline seams_of_block (const whole_sectors &x, int block_size)
      : begin (x.begin), size (block_size), end (x.end) {
  }

  /* the element of number e */
  __device__ inline int element (int e) const {
    return e < begin ? e : end + e - begin;
  }

  __device__ inline bool has_others (void) const {
    return begin + size - end > 1;
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* What a thread 4 g + t of a warp reads of a block of A: rows g and g + 8, and column t of every
 * four columns. Rows past the end repeat the last row, and their results are discarded; columns
 * past the end are zeros, in B, too. */
template <int SIDE> struct fragments_of_a {
  static constexpr int STEPS = (SIDE + 3) / 4, ROWS = (SIDE + 7) / 8;
  double u[STEPS][ROWS];

  __device__ static inline bool inside (int step, int t) {
    return 4 * step + 3 < SIDE || 4 * step + t < SIDE;
  }

  __device__ inline fragments_of_a (const double *A, int g, int t) {
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        u[s][r] = inside (s, t) ? A[min (g + 8 * r, SIDE - 1) + (4 * s + t) * SIDE] : 0;
  }

  /* sum += the block times 8 columns of which this thread has number g, from its element t on:
   * sum[0 .. 1] are of row g, columns 2 t and 2 t + 1, sum[2 .. 3] of row g + 8 */
  __device__ inline void multiply (const double *column, int t, double (&sum)[4]) const {
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
      const double v = inside (s, t) ? column[4 * s] : 0;
      if (ROWS == 2)
        multiply_add_16x8 (sum[0], sum[1], sum[2], sum[3], u[s][0], u[s][ROWS - 1], v);
      else
        multiply_add_8x8 (sum[0], sum[1], u[s][0], v);
    }
  }
};

#endif

template <class own>
__global__ void __launch_bounds__ (THREADS, 1)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply_outer (gpumm_sparse_product p, outer_products x, int count, double alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int SIDE = own::side, SIZE = own::size;
  extern __shared__ __align__ (128) double shared[];
  __shared__ unsigned long long barriers[2 * STAGES];
  __shared__ struct __align__ (16) {
    int block[ENTRIES][own::numbers];  /* of C, from product % ALIGNED on, for each entry */
    int entry[ENTRIES];                /* the blocks of A */
    int product, entries, blocks, row; /* the first; of A and of B; of B's row in all */
    int first, lies;                   /* block of B, and the place of these blocks */
  }
  stages[STAGES];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned there = (unsigned) __cvta_generic_to_shared (barriers),
                 unused = there + 8 * STAGES;
  const source_of_blocks a (p.a, SIZE), b (p.b, SIZE);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      make_barrier (there + 8 * s, 32 + 1);
      /* compute-sanitizer reports a race if only one thread of a warp arrives for all */
      make_barrier (unused + 8 * s, 32 * WARPS);
    }
    publish_barriers ();
  }
  __syncthreads ();

  if (warp == WARPS) {
    const int64_t K = p.b.rows;
    int stage = 0, rows = 0; /* of B, or parts of them, that have come */
    int64_t base = -32, row_begin = 0, entry_begin = 0,
            product_begin = 0; /* of column base + lane */
    /* Stretches as they come, the next one's limits on their way. */
    int now_at = blockIdx.x, next_at = 0;
    stretch limits[2], next_limits[2];
    auto look_up = [&] (int at, stretch (&of)[2]) {
      for (int z = 0; z < 2; z++)
        of[z] = x.stretches[at < count ? at + z : count];
    };
    auto take_next = [&] () {
      const int taken = lane == 0 ? atomicAdd (x.taken, 1) : 0;
      return (int) gridDim.x + __shfl_sync (~0u, taken, 0);
    };
    next_at = take_next ();
    look_up (now_at, limits);
    while (now_at < count) {
      look_up (next_at, next_limits);
      const int after_next = take_next ();
      int64_t k = limits[0].column, from = limits[0].entry;
      const int64_t end = limits[1].entry;
      for (; from < end; k++) {
        if (k + 1 >= base + 32 || k < base) {
          base = k;
          const int64_t mine = base + lane < K ? base + lane : K;
          row_begin = p.b.start[mine];
          entry_begin = x.entry_begin[mine];
          product_begin = x.product_begin[mine];
        }
        const int at = (int) (k - base);
        const int64_t row = __shfl_sync (~0u, row_begin, at);
        const int64_t first = __shfl_sync (~0u, entry_begin, at);
        const int64_t first_product = __shfl_sync (~0u, product_begin, at);
        const int64_t next = __shfl_sync (~0u, entry_begin, at + 1), stop = next < end ? next : end;
        const int n = (int) (__shfl_sync (~0u, row_begin, at + 1) - row);
        const int parts = (n + own::most - 1) / own::most;
        for (int part = 0; part < parts; part++) {
          const int begin = (int) ((int64_t) n * part / parts);
          const int blocks = (int) ((int64_t) n * (part + 1) / parts) - begin;
          for (int64_t e = from; e < stop; e += ENTRIES, stage++) {
            const int place = stage % STAGES;
            auto &now = stages[place];
            double *to = shared + place * own::stage + own::row_of_b;
            const int entries = stop - e < ENTRIES ? (int) (stop - e) : (int) ENTRIES;
            const int product = (int) (first_product + (e - first) * n + begin);
            const int entry = lane < entries ? x.entries[e + lane] : 0;
            if (stage >= STAGES)
              wait (unused + 8 * place, (stage / STAGES - 1) & 1);
            if (lane == 0) {
              now.product = product;
              now.entries = entries;
              now.blocks = blocks;
              now.row = n;
              now.first = (int) row + begin;
              /* A row stays where its first stage copied it, at the place of the row STAGES rows
               * before. Each row has at least one stage, so that earlier row has been
               * multiplied. */
              now.lies = (rows - (e != from)) % STAGES;
              if (e == from)
                fetch_blocks (shared + now.lies * own::stage, b, now.first, blocks,
                              there + 8 * place);
              else
                arrive (there + 8 * place);
            }
            rows += e == from;
            if (lane < entries) {
              now.entry[lane] = entry;
              const int of = product + lane * n, behind = of % ALIGNED;
              const int bytes = (behind + blocks + ALIGNED - 1) / ALIGNED * 16;
              start_bulk ((unsigned) __cvta_generic_to_shared (now.block[lane]),
                          x.block + (of - behind), bytes, there + 8 * place);
              expect (there + 8 * place, bytes);
              fetch_blocks (to + lane * own::slot, a, entry, 1, there + 8 * place);
            } else
              arrive (there + 8 * place);
          }
        }
        from = stop;
      }
      now_at = next_at;
      next_at = after_next;
      limits[0] = next_limits[0];
      limits[1] = next_limits[1];
    }
    /* the end: a stage without entries */
    const int place = stage % STAGES;
    if (stage >= STAGES)
      wait (unused + 8 * place, (stage / STAGES - 1) & 1);
    if (lane == 0) {
      stages[place].entries = 0;
      arrive (there + 8 * place);
    }
    arrive (there + 8 * place);
    return;
  }

  /* Blocks of B's row are consecutive, so UNIT of them are one matrix of UNIT * SIDE columns, which
   * is multiplied 8 columns at a time. */
  constexpr int UNIT = own::unit, TILES = (UNIT * SIDE + 7) / 8, AT_ONCE = (TILES + 1) / 2;
  const int g = lane / 4, t = lane % 4;
  double *const made = shared + STAGES * own::stage + warp * UNIT * own::made;
  double *const C = (double *) p.c.values + p.c.start[p.row] * SIZE;
  for (int stage = 0;; stage++) {
    const int place = stage % STAGES;
    const auto &now = stages[place];
    wait (there + 8 * place, stage / STAGES & 1);
    if (now.entries == 0)
      break;
    const double *const row_of_b = shared + now.lies * own::stage + b.lies_off (now.first);
    const double *const all_of_a = shared + place * own::stage + own::row_of_b;
    const int units = (now.blocks + UNIT - 1) / UNIT; /* of an entry */
    for (int entry = 0, first = warp * UNIT;; first += WARPS * UNIT) {
      for (; first >= now.blocks && entry < now.entries; entry++)
        first -= units * UNIT;
      if (entry == now.entries)
        break;
      const int count = now.blocks - first < UNIT ? now.blocks - first : UNIT;
      const int of_entry = now.product + entry * now.row, product = of_entry + first;
      /* of lane x, where the unit's block x of C is */
      const int block = lane < count ? now.block[entry][of_entry % ALIGNED + first + lane] : -1;
      double *const to = C + (int64_t) block * SIZE;
      const whole_sectors whole (to, SIZE);
      /* Whole sectors begin at the begin of a grain: the block's bit says whether it lies one
       * double behind its place. */
      const unsigned behind = own::seams ? __ballot_sync (~0u, whole.begin % GRAIN) : 0;
      const auto offset = [&] (int x) { return own::seams ? (int) (behind >> x & 1) : 0; };

      const double *A = all_of_a + entry * own::slot + a.lies_off (now.entry[entry]);
      const double *B = row_of_b + first * SIZE + t;
      const int last = count * SIDE - 1; /* column */
      const fragments_of_a<SIDE> u (A, g, t);
#pragma unroll
      for (int begin = 0; begin < TILES; begin += AT_ONCE) {
        double sum[AT_ONCE][4] = {};
#pragma unroll
        for (int c = 0; c < AT_ONCE; c++) {
          if (begin + c >= TILES)
            break;
          u.multiply (B + min (8 * (begin + c) + g, last) * SIDE, t, sum[c]);
        }
        if (begin == 0) {
          wait_bulk_stores (); /* the buffer has been read */
          __syncwarp ();
        }
#pragma unroll
        for (int c = 0; c < AT_ONCE; c++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            if (begin + c >= TILES)
              break;
            const int tile = 8 * (begin + c), j = tile + 2 * t + e;
            const int of = tile / SIDE + (j >= (tile / SIDE + 1) * SIDE); /* the block */
            double *at = made + j * SIDE + of * (own::made - SIZE) + offset (of) + g;
            if ((tile + 7 < UNIT * SIDE || j < UNIT * SIDE) && (SIDE >= 8 || g < SIDE))
              at[0] = scale (alpha, sum[c][e]);
            if (SIDE > 8 && (tile + 7 < UNIT * SIDE || j < UNIT * SIDE) && g + 8 < SIDE)
              at[8] = scale (alpha, sum[c][2 + e]);
          }
      }
      order_bulk ();
      __syncwarp ();
      if (block >= 0)
        start_bulk_store (to + whole.begin,
                          (unsigned) __cvta_generic_to_shared (made + lane * own::made
                                                               + offset (lane) + whole.begin),
                          (whole.end - whole.begin) * (int) sizeof (double));
      if (own::seams) {
        if (block >= 0)
          x.first_seam[product + lane] =
              made[lane * own::made + offset (lane) + seams_of_block (whole, SIZE).element (0)];
        const int of = lane / SECTOR % UNIT, number = __shfl_sync (~0u, block, of);
        const seams_of_block seams (whole_sectors (C + (int64_t) number * SIZE, SIZE), SIZE);
        if (lane < UNIT * SECTOR && number >= 0 && seams.has_others ())
          x.seams[(int64_t) product * SECTOR + lane] =
              made[of * own::made + offset (of) + seams.element (1 + lane % SECTOR)];
      }
    }
    arrive (unused + 8 * place);
  }
  wait_bulk_stores ();
#endif
}

/* ---- seams and listed blocks -------------------------------------------------------------- */

/* Writes the elements to C whose sectors belong to two blocks: SECTOR threads for the sector in
 * which a block begins. */
static __global__ void __launch_bounds__ (ROW_THREADS)
    write_seams (gpumm_sparse_product p, outer_products x) {
  const int size = (int) (p.c.block_rows * p.c.block_cols), e = threadIdx.x % SECTOR;
  const int64_t blocks = p.c.start[p.row + p.count] - p.c.start[p.row];
  const int64_t step = (int64_t) gridDim.x * (ROW_THREADS / SECTOR);
  double *const C = (double *) p.c.values + p.c.start[p.row] * size;
#pragma unroll 4
  for (int64_t at = (int64_t) blockIdx.x * (ROW_THREADS / SECTOR) + threadIdx.x / SECTOR;
       at <= blocks; at += step) {
    double *to = C + at * size;
    const int begin = (int) ((uintptr_t) to / sizeof *to % SECTOR); /* in its sector */
    const bool before = e < begin;                                  /* of the block before */
    if (begin == 0 || (before ? at == 0 : at == blocks))
      continue;
    const int product = x.product[before ? at - 1 : at];
    const int number = before ? whole_sectors (to - size, size).begin + e : e - begin;
    if (product >= 0)
      to[e - begin] =
          number == 0 ? x.first_seam[product] : x.seams[(int64_t) product * SECTOR + number - 1];
  }
}

/* Computes the listed blocks, one warp for each: from their products, or from a search of A's
 * row. */
template <int SIDE>
__global__ void __launch_bounds__ (ROW_THREADS, 4)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    add_products (gpumm_sparse_product p, outer_products x, double alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int SIZE = SIDE * SIDE, TILES = (SIDE + 7) / 8;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int teams = gridDim.x * (ROW_THREADS / 32), listed = x.listed->blocks;
  for (int y = blockIdx.x * (ROW_THREADS / 32) + threadIdx.x / 32; y < listed; y += teams) {
    const listed_block of = x.list[y];
    double sum[TILES][4] = {};
    auto add = [&] (int64_t block_a, int64_t block_b) {
      const fragments_of_a<SIDE> u ((const double *) p.a.values + block_a * SIZE, g, t);
      const double *B = (const double *) p.b.values + block_b * SIZE + t;
#pragma unroll
      for (int c = 0; c < TILES; c++)
        u.multiply (B + min (8 * c + g, SIDE - 1) * SIDE, t, sum[c]);
    };
    for (int z = 0; z < of.count; z++) {
      const further_product f = x.further[of.begin + z];
      add (f.a, f.b);
    }
    if (of.count == 0) {
      const int32_t j = p.c.column[p.c.start[p.row] + of.block];
      const int64_t end = p.a.start[of.row + 1];
      for (int64_t first = p.a.start[of.row]; first < end; first += 32) {
        int found = -1; /* the block of B that meets this thread's of A */
        if (first + lane < end) {
          const int32_t k = p.a.column[first + lane];
          const int64_t q = lower_bound (p.b.column, p.b.start[k], p.b.start[k + 1], j);
          if (q < p.b.start[k + 1] && p.b.column[q] == j)
            found = (int) q;
        }
        for (unsigned left = __ballot_sync (~0u, found >= 0); left; left &= left - 1) {
          const int from = __ffs (left) - 1;
          add (first + from, __shfl_sync (~0u, found, from));
        }
      }
    }
    double *to = (double *) p.c.values + (p.c.start[p.row] + of.block) * SIZE + g;
#pragma unroll
    for (int c = 0; c < TILES; c++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int j = 8 * c + 2 * t + e % 2, below = e / 2 * 8;
        if (j < SIDE && g + below < SIDE)
          to[j * SIDE + below] = scale (alpha, sum[c][e]);
      }
  }
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

template <int SIDE>
static gpumm_status launch_as (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                               const outer_products &x) {
  typedef staged_square<SIDE> own;
  double alpha;
  convert (p->alpha, &alpha);
  int processors;
  TRY (multiprocessors (device, &processors));
  const int64_t count = stretches_of (p), blocks = count < processors ? count : processors;
  TRY (LAUNCH_SHARED ("bsr_tensor_outer", multiply_outer<own>, blocks, dim3 (THREADS), own::bytes,
                      device, stream, *p, x, (int) count, alpha));
  return LAUNCH ("bsr_tensor_outer", add_products<SIDE>, MOST_TEAMS, dim3 (ROW_THREADS), device,
                 stream, *p, x, alpha);
}

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                              char *memory) {
  const char *const name = "bsr_tensor_outer";
  const int64_t K = p->a.cols;
  const int count = (int) stretches_of (p);
  const bool seams = has_seams (p->c.block_rows);
  const auto number = seams ? number_products<true> : number_products<false>;
  const dim3 threads (ROW_THREADS);
  outer_products x;
  lay_out (p, memory, &x);
  TRY (fill (device, stream, x.count, 0, (size_t) K * sizeof *x.count));
  TRY (LAUNCH (name, place_entries, MOST_TEAMS, threads, device, stream, *p, x));
  TRY (LAUNCH (name, count_by_column, ceil_div (K, ROW_THREADS), threads, device, stream, *p, x));
  for (int64_t *begin : {x.entry_begin, x.product_begin})
    TRY (gpumm_sum_up (device, stream, begin, K + 1, x.scratch, gpumm_sum_up_bytes (K + 1)));
  TRY (LAUNCH (name, cut_products, ceil_div (count + 1, ROW_THREADS), threads, device, stream, *p,
               x, count));
  TRY (LAUNCH (name, number, p->count, dim3 (NUMBER_THREADS), device, stream, *p, x));
  TRY (with_side (name, p->c.block_rows, [&] (auto side) {
    return launch_as<decltype (side)::value> (device, stream, p, x);
  }));
  return seams ? LAUNCH (name, write_seams, MOST_TEAMS, threads, device, stream, *p, x) : GPUMM_OK;
}

static size_t workspace (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  outer_products x;
  return turned_bytes (p, device) + lay_out (p, NULL, &x);
}

/* Does a row of B serve for several entries of A? */
static bool serves (const gpumm_sparse_product *p) {
  const int64_t rows = p->op_a == GPUMM_NONE ? p->a.rows : p->a.cols;
  const int64_t inner = p->op_a == GPUMM_NONE ? p->a.cols : p->a.rows;
  return (double) p->a.stored * (double) p->count
         >= (double) LEAST_SERVED * (double) rows * (double) inner;
}

/* Listed blocks take more time than others, above all many in one row, so few are allowed (c.stored
 * is the number of all blocks). Pieces of a product may be smaller, or for small products larger,
 * than the piece for which this kernel and its workspace were chosen. */
static bool pays (const gpumm_sparse_product *p) {
  return p->pairs > 0 && p->pairs <= p->c.stored + p->c.stored / MOST_LISTED && serves (p)
         && p->workspace_bytes >= workspace (p, NULL);
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  if (!pays (p)) {
    if (p->note)
      snprintf (p->note, GPUMM_NOTE_BYTES, "as bsr_tensor_bulk");
    return gpumm_family_bsr_tensor_bulk->launch (device, stream, p);
  }
  char *const memory = (char *) p->workspace + turned_bytes (p, NULL);
  const auto multiply_there = [&] (int, gpumm_stream *, const gpumm_sparse_product *turned) {
    return multiply (device, stream, turned, memory);
  };
  return make_products (device, stream, p, multiply_there, false);
}

/* If the caller knows the number of products, and the workspace leaves most of the memory to C. */
static int runs (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return gpumm_family_bsr_tensor_bulk->runs (p, device) && p->pairs > 0 && p->pairs <= INT32_MAX
         && p->row_pairs <= MOST_OF_ROW && serves (p)
         && device->shared_bytes >= SHARED_BYTES + (1 << 10)
         && workspace (p, device) <= (size_t) device->memory_free / 4
         && (has_seams (p->c.block_rows) || (uintptr_t) p->c.values % (8 * SECTOR) == 0);
}

/* As measured on an H200 (bench/results/h200/bsr.csv, bsr_outer.csv), 40 random blocks a row: 1.2
 * to 1.9 times as fast as bsr_tensor_bulk. At 9 x 9 it is not faster if a block of C has 1.1
 * products, and hardly faster if a row of B serves for 1.5 entries of A. */
SPARSE_FAMILY_ROWS (bsr_tensor_outer) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_tensor_outer", 90, runs, workspace, count_products, launch},
    {},
};
