/* products.h - which products of blocks make up each block of C, listed in shared memory.
 *
 * C's structure is known (symbolic.h). A thread block takes about PIECE consecutive blocks of C,
 * row by row, and lists for each block (i, j) the pairs of blocks (i, k) of A and (k, j) of B, by
 * ascending k, so that sums have the same order on each run. For a run of blocks of row i it goes
 * over the blocks of A's row and, for each, over B's row k between the run's first and last column.
 * A binary search finds the place of j in the run. Each place has a mask with a bit for each block
 * of A's row, in which the bit of k is set, in any order. Counting and summing the bits tells where
 * each list begins, and a second pass puts each product behind those with lower bits.
 *
 * Runs are halved until masks and lists fit. Rows of A with more than ENTRIES blocks are taken in
 * parts, whose sums are added in C.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_PRODUCTS_H
#define GPUMM_SPARSE_PRODUCTS_H

#include "sparse/symbolic.h"
#include "sparse/transpose.h"

/* Shared memory for lists is 23 KB, so that six thread blocks of 256 threads have 60 % of it on an
 * H200 and leave the rest to the first-level cache. */
enum {
  MOST_BLOCKS = 512,    /* in a run */
  MOST_PRODUCTS = 1024, /* of a run */
  MOST_ENTRIES = 256,   /* of A's row at one time */
  MASK_WORDS = 1024,
  LIST_LANES = 16, /* threads that read a row of B together */
};

template <int THREADS> struct product_lists {
  tile<int32_t, 1, MOST_BLOCKS> &column;    /* of each block of the run */
  tile<int32_t, 1, MOST_BLOCKS + 1> &first; /* where its list begins */
  tile<uint32_t, 1, MASK_WORDS> &mask;
  tile<int32_t, 1, MOST_PRODUCTS> &block;     /* of each product: the number of B's block */
  tile<uint32_t, 1, MOST_PRODUCTS> &which;    /* and what which_* below read */
  tile<uint16_t, 1, MOST_PRODUCTS> &rank;     /* by A's block, then B's: the place in the run */
  tile<int32_t, 1, MOST_ENTRIES> &base;       /* for each block of A's row, the part of B's row */
  tile<int32_t, 1, MOST_ENTRIES + 1> &before; /* its products, summed over those before */
  tile<int32_t, 2, THREADS> &scan;
};

/* At the top of a kernel: declares lists for that many threads. */
#define PRODUCT_LISTS(lists, THREADS)                                                              \
  SHARED (int32_t, lists##_column, 1, MOST_BLOCKS);                                                \
  SHARED (int32_t, lists##_first, 1, MOST_BLOCKS + 1);                                             \
  SHARED (uint32_t, lists##_mask, 1, MASK_WORDS);                                                  \
  SHARED (int32_t, lists##_block, 1, MOST_PRODUCTS);                                               \
  SHARED (uint32_t, lists##_which, 1, MOST_PRODUCTS);                                              \
  SHARED (uint16_t, lists##_rank, 1, MOST_PRODUCTS);                                               \
  SHARED (int32_t, lists##_base, 1, MOST_ENTRIES);                                                 \
  SHARED (int32_t, lists##_before, 1, MOST_ENTRIES + 1);                                           \
  SHARED (int32_t, lists##_scan, 2, THREADS);                                                      \
  product_lists<THREADS> lists = {lists##_column, lists##_first,  lists##_mask,                    \
                                  lists##_block,  lists##_which,  lists##_rank,                    \
                                  lists##_base,   lists##_before, lists##_scan}

/* The place of A's block in the row, the place of C's block in the run, and whether it is the last
 * product of C's block. */
DEVICE int which_entry (uint32_t which) {
  return (int) (which & 0xffff);
}

DEVICE int which_rank (uint32_t which) {
  return (int) (which >> 16 & 0x7fff);
}

DEVICE bool which_last (uint32_t which) {
  return which >> 31;
}

/* Consecutive blocks of a row of C, and blocks of A's row. */
struct run_of_blocks {
  int64_t begin; /* of C: the first */
  int count;
  int64_t entry; /* of A: the first */
  int entries;
  bool adds;  /* to what is in C? */
  bool whole; /* all of A's row? If not, blocks of C may have no product */
};

/* Blocks of C that have no product in a run become zeros, by warps. C: from the run's first on. */
template <int THREADS, class T, class SIZE>
__device__ static inline void clear_empty (const run_of_blocks &run,
                                           const product_lists<THREADS> &s, T *C, SIZE size,
                                           int warp, int lane) {
  if (!run.whole && !run.adds)
    for (int x = warp; x < run.count; x += THREADS / 32)
      if (s.first[0][x] == s.first[0][x + 1])
        for (int e = lane; e < size; e += 32)
          C[x * size + e] = T{};
}

/* Lists the products of a run; returns false, to all threads, if there are too many. */
template <int THREADS>
__device__ static inline bool list_products (const gpumm_device_matrix &a,
                                             const gpumm_device_matrix &b,
                                             const gpumm_device_matrix &c, const run_of_blocks &run,
                                             const product_lists<THREADS> &s) {
  int me = threadIdx.x, words = (run.entries + 31) / 32, all;
  int32_t low = c.column[run.begin], high = c.column[run.begin + run.count - 1];
  for (int x = me; x < run.count * words; x += THREADS)
    s.mask[0][x] = 0;
  for (int x = me; x < run.count; x += THREADS)
    s.column[0][x] = c.column[run.begin + x];
  enum { EACH = (MOST_ENTRIES + THREADS - 1) / THREADS };
  int length[EACH], own = 0;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int p = me * EACH + e;
    length[e] = 0;
    if (p < run.entries) {
      int32_t k = a.column[run.entry + p];
      int64_t begin = b.start[k], end = b.start[k + 1];
      if (begin < end && b.column[begin] < low)
        begin = lower_bound (b.column, begin, end, low);
      if (begin < end && b.column[end - 1] > high)
        end = lower_bound (b.column, begin, end, (int64_t) high + 1);
      s.base[0][p] = (int32_t) begin;
      length[e] = (int) (end - begin);
    }
    own += length[e];
  }
  int at = sum_before<THREADS> (s.scan, own, all);
  if (all > MOST_PRODUCTS)
    return false;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int p = me * EACH + e;
    if (p <= run.entries)
      s.before[0][p] = at;
    at += length[e];
  }
  if (me == 0)
    s.before[0][run.entries] = all;
  __syncthreads ();

  for (int p = me / LIST_LANES; p < run.entries; p += THREADS / LIST_LANES) {
    int base = s.base[0][p], before = s.before[0][p], end = s.before[0][p + 1], rank = 0;
    for (int x = before + me % LIST_LANES; x < end; x += LIST_LANES) {
      int32_t j = b.column[base + (x - before)];
      rank =
          lower_bound (s.column[0], rank, run.count, j); /* j is there, and behind the last one */
      s.rank[0][x] = (uint16_t) rank;
      atomic_or (s.mask[0][rank * words + p / 32], 1u << p % 32);
    }
  }
  __syncthreads ();

  int chunk = (run.count + THREADS - 1) / THREADS;
  int begin = me * chunk < run.count ? me * chunk : run.count;
  int end = begin + chunk < run.count ? begin + chunk : run.count;
  own = 0;
  for (int x = begin * words; x < end * words; x++)
    own += __popc (s.mask[0][x]);
  at = sum_before<THREADS> (s.scan, own, all);
  for (int x = begin; x < end; x++) {
    s.first[0][x] = at;
    for (int w = 0; w < words; w++)
      at += __popc (s.mask[0][x * words + w]);
  }
  if (me == 0)
    s.first[0][run.count] = all;
  __syncthreads ();

  for (int p = me / LIST_LANES; p < run.entries; p += THREADS / LIST_LANES) {
    int base = s.base[0][p], before = s.before[0][p], end = s.before[0][p + 1];
    for (int x = before + me % LIST_LANES; x < end; x += LIST_LANES) {
      int rank = s.rank[0][x], to = s.first[0][rank];
      for (int w = 0; w < p / 32; w++)
        to += __popc (s.mask[0][rank * words + w]);
      to += __popc (s.mask[0][rank * words + p / 32] & ((1u << p % 32) - 1));
      const uint32_t last = to + 1 == s.first[0][rank + 1] ? 1u << 31 : 0;
      s.block[0][to] = base + (x - before);
      s.which[0][to] = (uint32_t) p | (uint32_t) rank << 16 | last;
    }
  }
  __syncthreads ();
  return true;
}

/* Calls multiply (run) for the runs of the thread block's piece, the blocks of C from piece
 * blockIdx.x on; in it the lists are there, and what it leaves behind for other threads to read in
 * C may be read in the next. Runs have up to `most_entries` of A's row. */
template <int THREADS, class F>
__device__ static inline void for_runs (const gpumm_sparse_product &p, int piece,
                                        const product_lists<THREADS> &s, F multiply,
                                        int most_entries = MOST_ENTRIES) {
  int64_t begin = p.c.start[p.row] + (int64_t) blockIdx.x * piece;
  int64_t end = p.c.start[p.row + p.count];
  if (begin >= end)
    return;
  end = begin + piece < end ? begin + piece : end;
  int64_t i = p.row, above = p.row + p.count; /* start[i] <= begin < start[above] */
  i = lower_bound (p.c.start, i, above, begin + 1) - 1;
  for (; begin < end; i++) {
    int64_t stop = p.c.start[i + 1] < end ? p.c.start[i + 1] : end;
    int64_t a_begin = p.a.start[i], a_end = p.a.start[i + 1];
    for (int64_t entry = a_begin; entry < a_end && begin < stop; entry += most_entries) {
      const bool whole = a_end - a_begin <= most_entries;
      run_of_blocks run = {begin, 0, entry, 0, entry > a_begin, whole};
      run.entries = a_end - entry < most_entries ? (int) (a_end - entry) : most_entries;
      int most = MASK_WORDS / ((run.entries + 31) / 32);
      most = most < MOST_BLOCKS ? most : MOST_BLOCKS;
      for (; run.begin < stop; run.begin += run.count) {
        run.count = stop - run.begin < most ? (int) (stop - run.begin) : most;
        while (!list_products<THREADS> (p.a, p.b, p.c, run, s))
          run.count /= 2; /* one block has at most MOST_ENTRIES */
        multiply (run);
        __syncthreads (); /* all threads have read the lists */
      }
    }
    begin = stop;
  }
}

/* The number of thread blocks. */
static inline int64_t pieces_of (const gpumm_sparse_product *p, int piece) {
  return p->count > 0 ? ceil_div (p->c.stored, piece) : 0;
}

/* Blocks of C per thread block: limited by number and by elements. If C has few blocks, fewer, so
 * that each multiprocessor of a large GPU has work: an H200 has 132, with room for two to six
 * thread blocks on each. */
enum { FEWEST_TEAMS = 512 };

static inline int piece_of (const gpumm_sparse_product *p, int64_t most, int64_t least,
                            int64_t elements = INT64_MAX) {
  int64_t fair = ceil_div (p->c.stored, FEWEST_TEAMS);
  elements /= p->c.block_rows * p->c.block_cols;
  fair = fair < most ? fair : most;
  fair = fair < elements ? fair : elements;
  return (int) (fair > least ? fair : least);
}

/* ---- transposed operands ------------------------------------------------------------------ */

/* Columns of the blocks of op (A). */
static inline int64_t inner_of (const gpumm_sparse_product *p) {
  return p->op_a == GPUMM_NONE ? p->a.block_cols : p->a.block_rows;
}

/* Can the kernels with lists compute it? They count blocks of A and B with 32 bits. */
static inline int has_blocks (const gpumm_sparse_product *p) {
  return p->a.start && p->b.start && p->c.start && p->type_a == p->type_c && p->type_b == p->type_c
         && p->type_c <= GPUMM_Z
         && inner_of (p) == (p->op_b == GPUMM_NONE ? p->b.block_rows : p->b.block_cols)
         && p->a.stored <= INT32_MAX && p->b.stored <= INT32_MAX;
}

/* gpumm_sparse_kernel.workspace of all of them: the transposes of operands that have an op. */
static inline size_t turned_bytes (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return (p->op_a == GPUMM_NONE ? 0 : gpumm_transpose_bytes (&p->a, p->type_c))
         + (p->op_b == GPUMM_NONE ? 0 : gpumm_transpose_bytes (&p->b, p->type_c));
}

/* What remains to be computed of the transposes. */
enum to_make { STRUCTURE, ELEMENTS, NOTHING };

/* The product after transposing: its operands have no ops. */
static inline gpumm_status turn_operands (int device, gpumm_stream *stream,
                                          const gpumm_sparse_product *p, to_make what,
                                          gpumm_sparse_product *turned) {
  char *memory = (char *) p->workspace;
  *turned = *p;
  turned->op_a = turned->op_b = GPUMM_NONE;
  if (p->workspace_bytes < turned_bytes (p, NULL))
    return gpumm_driver_fail (GPUMM_INVALID, "bsr: a workspace of %zu bytes is too small",
                              p->workspace_bytes);
  for (int right = 0; right < 2; right++) {
    const gpumm_device_matrix *x = right ? &p->b : &p->a;
    gpumm_op op = right ? p->op_b : p->op_a;
    if (op == GPUMM_NONE)
      continue;
    const transpose t (x, p->type_c, memory);
    memory += t.bytes;
    if (what == STRUCTURE)
      TRY (gpumm_transpose_structure (device, stream, x, t));
    else if (what == ELEMENTS)
      TRY (gpumm_transpose_elements (device, stream, x, t, p->type_c, op == GPUMM_CTRANSPOSE));
    (right ? turned->b : turned->a) = t.t;
  }
  return GPUMM_OK;
}

/* ---- both phases -------------------------------------------------------------------------- */

/* gpumm_sparse_kernel.symbolic of all of them */
static inline gpumm_status count_products (int device, gpumm_stream *stream,
                                           const gpumm_sparse_product *p) {
  gpumm_sparse_product turned;
  TRY (turn_operands (device, stream, p, p->prepared ? NOTHING : STRUCTURE, &turned));
  return gpumm_make_structure (device, stream, &turned, false);
}

/* gpumm_sparse_kernel.launch around MULTIPLY, which is given the product without ops, and C with
 * its columns. */
template <gpumm_status (*MULTIPLY) (int, gpumm_stream *, const gpumm_sparse_product *)>
static gpumm_status launch_products (int device, gpumm_stream *stream,
                                     const gpumm_sparse_product *p) {
  gpumm_sparse_product turned;
  TRY (turn_operands (device, stream, p, p->prepared ? NOTHING : ELEMENTS, &turned));
  TRY (gpumm_make_structure (device, stream, &turned, true));
  TRY (MULTIPLY (device, stream, &turned));
  return gpumm_find_zeros (device, stream, &turned);
}

#endif
