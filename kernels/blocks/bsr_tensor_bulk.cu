/* bsr_tensor_bulk.cu - products of two matrices sparse by small square blocks, double precision on
 * tensor cores, by bulk copies.
 *
 * What it does: as bsr_tensor_small.cu, with the same lists of products, a warp for each block of
 * C. The blocks of A's row lie in shared memory, which all warps of the thread block read. Each
 * warp has a ring of DEPTH blocks of B: while one is multiplied, the next are on their way. A bulk
 * copy brings a block in one piece and occupies no thread and no line of the first-level cache. A
 * block of C passes through shared memory, because its elements are consecutive in memory but not
 * in the tensor core's registers.
 *
 * What limits it: for 9 x 9 and blocks of C with one product each, a block of B is read and one of
 * C written for 1458 operations, 1.1 per byte. To come near the memory's rate, a multiprocessor has
 * about 75 cycles for them. Therefore each size is a kernel of its own with constant addresses:
 * with variable sizes the address arithmetic alone took as long. An H200's memory then moves 3.3
 * TB/s (ncu; 3.1 of B and C), of 4.3 with a copy, and the way from one half of the second-level
 * cache to the other is busy for 85 % of the time (ncu, lts__ltcfabric2ltc_cycles_active).
 *
 * Copying the blocks of B to C in this order, without products and without lists, takes the time of
 * 4.0 TFLOPS at 9 x 9, and of 4.1 in the best of 177 ways on an H200; this kernel reaches 3.5. A
 * sum of outer products, which reads each row of B once, reaches 4.1, but only if nearly every
 * product has a block of C of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bulk.h"
#include "bulk_blocks.h"
#include "products.h"
#include "tensor_products.h"

#include <type_traits>

enum {
  THREADS = 256,
  WARPS = THREADS / 32,
  PIECE = 512,                    /* blocks of C for a thread block, at most */
  ENTRIES = 40,                   /* of A's row at one time */
  SHARED_BYTES = (228 << 10) / 3, /* three thread blocks share a multiprocessor */
  OTHER_BYTES = 23 << 10,         /* for the lists, and what the driver takes */
};

/* Blocks of SIDE x SIDE, and how they lie in shared memory. */
template <int SIDE> struct square {
  static constexpr int side = SIDE, size = SIDE * SIDE, depth = 4;
  static constexpr int tiles = (SIDE + 7) / 8, steps = (SIDE + 3) / 4; /* of 8, and of 4 along k */
  static constexpr int slot = in_grains (size + 1);                    /* doubles */
  static constexpr int row_of_a = in_grains (ENTRIES * size + 1);
  static constexpr int barriers = in_grains (1 + WARPS * depth);
  static constexpr int bytes = 8 * (barriers + row_of_a + WARPS * (depth * slot + size));
  static constexpr int blocks = bytes + OTHER_BYTES <= SHARED_BYTES ? 3 : 2;
};

template <class own>
__global__ void __launch_bounds__ (THREADS, own::blocks)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    multiply_by_bulk (gpumm_sparse_product p, int piece, double alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int SIDE = own::side, SIZE = own::size, DEPTH = own::depth, TILES = own::tiles;
  extern __shared__ __align__ (128) double shared[];
  PRODUCT_LISTS (lists, THREADS);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  double *const row_of_a = shared + own::barriers;
  double *const ring = row_of_a + own::row_of_a + warp * DEPTH * own::slot;
  double *const made = row_of_a + own::row_of_a + WARPS * DEPTH * own::slot + warp * SIZE;
  const unsigned barrier_a = (unsigned) __cvta_generic_to_shared (shared);
  const unsigned barriers = barrier_a + 8 * (1 + warp * DEPTH);
  const source_of_blocks a (p.a, SIZE), b (p.b, SIZE);
  if (threadIdx.x == 0) {
    for (int x = 0; x < 1 + WARPS * DEPTH; x++)
      make_barrier (barrier_a + 8 * x, 1);
    publish_barriers ();
  }
  __syncthreads ();
  int64_t held = -1;                   /* A's entry with which row_of_a begins */
  unsigned parity_a = 0, parities = 0; /* of the barriers' phases, by place in the ring */

  /* This thread reads the rows g, g + 8 of A and the columns g, g + 8 of B, and step t of every
   * four steps of k. Rows and columns past the end repeat the last one; their results are
   * discarded. */
  int of_a[TILES], of_b[TILES];
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    of_a[i] = min (g + 8 * i, SIDE - 1) + t * SIDE;
    of_b[i] = min (g + 8 * i, SIDE - 1) * SIDE + t;
  }

  auto multiply = [&] (const run_of_blocks &run) {
    double *C = (double *) p.c.values + run.begin * SIZE;
    clear_empty (run, lists, C, SIZE, warp, lane);

    const bool other_row = run.entry != held;
    if (other_row && warp == 0 && elected ())
      fetch_blocks (row_of_a, a, (int) run.entry, run.entries, barrier_a);
    /* the products of the warp's blocks */
    const int begin = lists.first[0][run.count * warp / WARPS];
    const int end = lists.first[0][run.count * (warp + 1) / WARPS];
    const int32_t *const blocks = &lists.block[0][0];
    auto fetch_b = [&] (int product, int place) {
      if (product < end && elected ())
        fetch_blocks (ring + place * own::slot, b, blocks[product], 1, barriers + 8 * place);
    };
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
      fetch_b (begin + d, d);
    if (other_row) {
      wait (barrier_a, parity_a);
      parity_a ^= 1;
      held = run.entry;
    }
    const double *const entries = row_of_a + a.lies_off ((int) run.entry);
    double sum[TILES][2 * TILES] = {};
    for (int product = begin, place = 0; product < end; product++) {
      const uint32_t which = lists.which[0][product];
      const double *x = entries + which_entry (which) * SIZE;
      const double *y = ring + place * own::slot + b.lies_off (blocks[product]);
      wait (barriers + 8 * place, parities >> place & 1);
      parities ^= 1u << place;
#pragma unroll
      for (int s = 0; s < own::steps; s++) {
        const bool inside = 4 * s + 3 < SIDE || 4 * s + t < SIDE; /* past k's end, zeros in both */
        double u[TILES], v[TILES][1];
#pragma unroll
        for (int i = 0; i < TILES; i++) {
          u[i] = inside ? x[of_a[i] + 4 * s * SIDE] : 0;
          v[i][0] = inside ? y[of_b[i] + 4 * s] : 0;
        }
#pragma unroll
        for (int c = 0; c < TILES; c++)
          multiply_add (sum[c], u, v[c]);
      }
      __syncwarp (); /* all lanes have read the block and the earlier results */
      fetch_b (product + DEPTH, place);
      place = place + 1 < DEPTH ? place + 1 : 0;
      if (!which_last (which))
        continue;
#pragma unroll
      for (int r = 0; r < TILES; r++)
#pragma unroll
        for (int c = 0; c < TILES; c++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            const int i = g + 8 * r, j = 2 * t + 8 * c + e;
            if ((8 * r + 7 < SIDE || i < SIDE) && (8 * c + 6 + e < SIDE || j < SIDE))
              made[i + j * SIDE] = sum[c][2 * r + e];
            sum[c][2 * r + e] = 0;
          }
      __syncwarp ();
      double *to = C + which_rank (which) * SIZE;
#pragma unroll
      for (int e0 = 0; e0 < SIZE; e0 += 32)
        if (e0 + 31 < SIZE || lane + e0 < SIZE) {
          const double value = scale (alpha, made[lane + e0]);
          /* streaming store: the cache is for B's blocks */
          __stcs (to + lane + e0, run.adds ? add (to[lane + e0], value) : value);
        }
    }
  };
  for_runs<THREADS> (p, piece, lists, multiply, ENTRIES);
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

/* Each side of square blocks, 7 to 12, has a kernel of its own: calls f (side), whose type tells
 * the number (decltype (side)::value). */
template <int SIDE = 7, class F> static gpumm_status with_side (int64_t side, F f) {
  if constexpr (SIDE > 12)
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "bsr_tensor_bulk: not for blocks of %lld rows",
                              (long long) side);
  else
    return side == SIDE ? f (std::integral_constant<int, SIDE> ()) : with_side<SIDE + 1> (side, f);
}

template <int SIDE>
static gpumm_status launch_bsr_tensor_bulk_as (int device, gpumm_stream *stream,
                                               const gpumm_sparse_product *p) {
  typedef square<SIDE> own;
  double alpha;
  convert (p->alpha, &alpha);
  int piece = piece_of (p, PIECE, WARPS);
  return LAUNCH_SHARED ("bsr_tensor_bulk", multiply_by_bulk<own>, pieces_of (p, piece),
                        dim3 (THREADS), own::bytes, device, stream, *p, piece, alpha);
}

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  return with_side (p->c.block_rows, [&] (auto side) {
    return launch_bsr_tensor_bulk_as<decltype (side)::value> (device, stream, p);
  });
}

/* Has a thread block of this device the shared memory? With 99 KiB (12.0) not for 11 x 11. */
static bool has_room (int64_t side, const gpumm_device_properties *device) {
  int64_t bytes = 0;
  with_side (side, [&] (auto x) {
    bytes = square<decltype (x)::value>::bytes;
    return GPUMM_OK;
  });
  return bytes + OTHER_BYTES <= device->shared_bytes;
}

/* If rows of A have more entries than fit at one time, blocks of C are written more than once. */
static int runs_bsr_tensor_bulk (const gpumm_sparse_product *p,
                                 const gpumm_device_properties *device) {
  int64_t side = p->c.block_rows, rows = p->op_a == GPUMM_NONE ? p->a.rows : p->a.cols;
  return has_blocks (p) && p->type_c == GPUMM_D && side >= 7 && side <= 12
         && p->c.block_cols == side && inner_of (p) == side && p->a.stored <= rows * ENTRIES
         && has_room (side, device);
}

/* As measured on an H200 (bench/results/h200/bsr-patterns.csv): 1.4 to 2.3 times as fast as
 * bsr_tensor_small at 9 x 9 and 12 x 12, 1.03 to 1.5 times at 8 x 8. Fewer threads with more blocks
 * on the way are slower. */
SPARSE_FAMILY_ROWS (bsr_tensor_bulk) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_tensor_bulk", 90, runs_bsr_tensor_bulk, turned_bytes, count_products,
     launch_products<multiply>},
    {},
};
