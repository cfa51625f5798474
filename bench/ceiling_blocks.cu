/* ceiling_blocks.cu - how fast a product of blocks can move its data, without the arithmetic, if
 * each product makes its own block of C. Several orders are tried.
 *
 *   nvcc -O3 -arch=native -DGPUMM_DRIVER_CUDA -I engine -I kernels bench/ceiling_blocks.cu -o ceiling_blocks
 *   ./ceiling_blocks [SIDE [ROWS [ORDERS]]]
 *
 * The model is A*A for a matrix with 40 random blocks of SIDE x SIDE (9) in each of 100,000 rows. A
 * row of C has 1600 products and nearly as many blocks. Each product reads a block of B that is not
 * in the cache, and writes a block of C. Here warps copy the blocks of B to C, for ROWS (11,666)
 * rows of C, with a ring of bulk copies. ORDERS (CB) has the letters of the orders:
 *
 * by C       blocks of C in order, blocks of B at random: as bsr_tensor_bulk.cu
 * by B       blocks of B in the order of its rows, several per copy, blocks of C at random in a row
 *
 * There are no lists: the blocks follow from their numbers. Each line has the rows, the parts of a
 * row of C, the parts that a multiprocessor makes at once, the warps per part, the copies under way
 * per warp, the blocks per copy, milliseconds (the least of 3), TB/s of B and C, and the GFLOPS of
 * a product in this time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "try.h"
#include "../kernels/blocks/bulk_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS_B = 100000,
  EACH = 40,
  ROW_OF_C = EACH * EACH,
  MOST_WARPS = 16,
  MOST_COPIES = 8,
  SHARED_BYTES = 200 << 10 /* shared memory of a multiprocessor that is used */
};

/* A pseudo-random number below n for each x. */
__device__ static unsigned any (unsigned long long x, unsigned n) {
  x = (x + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (unsigned) ((x >> 32) * n >> 32);
}

/* The work of a thread block: a part of a row of C. */
struct shape {
  bool by_b;
  int parts; /* of a row */
  int warps, copies, batch;
};

/* Each warp copies a contiguous range of the part's products. */
__global__ void move_blocks (gpumm_rows B, double *C, int size, shape s) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__ (128) double shared[];
  __shared__ unsigned long long all_barriers[MOST_WARPS][MOST_COPIES];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int place = in_grains (s.batch * size + 1), each = EACH / s.parts;
  const long long row = blockIdx.x / s.parts, part = blockIdx.x % s.parts;
  const int products = EACH * each;
  double *const ring = shared + warp * s.copies * place;
  const unsigned barriers = (unsigned) __cvta_generic_to_shared (all_barriers[warp]);
  const source_of_blocks b (B, size);
  if (lane == 0) {
    for (int d = 0; d < s.copies; d++)
      make_barrier (barriers + 8 * d, 1);
    publish_barriers ();
  }
  __syncwarp ();
  const int begin = products * warp / s.warps / s.batch * s.batch;
  const int end = products * (warp + 1) / s.warps / s.batch * s.batch;
  /* the block of B for product q: random, or one of the part's blocks in row q / each */
  auto block_of = [&] (int q) {
    return s.by_b ? (int) (any (row * EACH + q / each, ROWS_B) * EACH + part * each + q % each)
                  : (int) any ((row * s.parts + part) * products + q, ROWS_B * EACH - s.batch);
  };
  int next = begin;
  auto fetch = [&] (int d) {
    if (next < end && elected ())
      fetch_blocks (ring + d * place, b, block_of (next), s.batch, barriers + 8 * d);
    next += s.batch;
  };
  for (int d = 0; d < s.copies; d++)
    fetch (d);
  for (int q = begin, d = 0, parity = 0; q < end; q += s.batch) {
    const double *from = ring + d * place + b.lies_off (block_of (q));
    wait (barriers + 8 * d, parity);
    for (int x = 0; x < s.batch; x++, from += size) {
      const int at = s.by_b ? (q + x) % each * EACH + (q + x) / each : q + x;
      double *to = C + ((row * s.parts + part) * products + at) * size;
      /* align each store of a warp to cache lines */
      const int skipped = (int) ((uintptr_t) to / sizeof *to % 16);
      for (int e = lane - skipped; e < size; e += 32)
        if (e >= 0)
          __stcs (to + e, from[e]);
    }
    __syncwarp ();
    fetch (d);
    d = d + 1 < s.copies ? d + 1 : 0;
    parity ^= d == 0;
  }
#endif
}

/* ---- time --------------------------------------------------------------------------------- */

static cudaEvent_t from, to;

/* Milliseconds of f (): the least of 3, after one untimed run. */
template <class F> static float least_ms (F f) {
  float least = 0;
  for (int round = -1; round < 3; round++) {
    float ms;
    TRY (cudaEventRecord (from));
    f ();
    TRY (cudaGetLastError ());
    TRY (cudaEventRecord (to));
    TRY (cudaEventSynchronize (to));
    TRY (cudaEventElapsedTime (&ms, from, to));
    if (round == 0 || (round > 0 && ms < least))
      least = ms;
  }
  return least;
}

int main (int count, char **arguments) {
  const int side = count > 1 ? atoi (arguments[1]) : 9, size = side * side;
  const int rows_c = count > 2 ? atoi (arguments[2]) : 11666;
  const char *orders = count > 3 ? arguments[3] : "CB";
  const size_t bytes_b = (size_t) ROWS_B * EACH * size * 8, products = (size_t) rows_c * ROW_OF_C;
  double *b, *c;
  if (size < 1 || size > 4096 || rows_c < 1 || rows_c > ROWS_B) {
    fprintf (stderr, "usage: ceiling_blocks [SIDE [ROWS [ORDERS]]]\n");
    return 2;
  }
  TRY (cudaMalloc (&b, bytes_b));
  TRY (cudaMalloc (&c, products * size * 8));
  TRY (cudaMemset (b, 0x3f, bytes_b));
  TRY (cudaEventCreate (&from));
  TRY (cudaEventCreate (&to));
  gpumm_rows rows = {};
  rows.values = b;
  rows.stored = (int64_t) ROWS_B * EACH;
  printf ("rows,order,side,parts,resident,warps,copies,blocks_of_a_copy,ms,tb_s,gflops\n");
  static const int parts[] = {1, 2, 4, 8}, batches[] = {1, 2, 5};
  for (int by_b = 0; by_b < 2; by_b++)
    for (int part : parts)
      for (int resident = 1; resident <= 4; resident *= 2)
        for (int warps = 8; warps <= MOST_WARPS; warps *= 2)
          for (int batch : batches)
            for (int copies = 2; copies <= MOST_COPIES; copies *= 2) {
              const int needed = warps * copies * in_grains (batch * size + 1) * 8;
              const int shared = SHARED_BYTES / resident;
              const shape s = {by_b == 1, part, warps, copies, batch};
              if (!strchr (orders, "CB"[by_b]) || needed > shared
                  || (by_b ? EACH / part % batch != 0 : batch > 1 || part > 4))
                continue;
              TRY (cudaFuncSetAttribute (move_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         shared));
              const float least = least_ms ([&] {
                /* clang-format off */
                move_blocks<<<rows_c * part, 32 * warps, shared>>> (rows, c, size, s);
                /* clang-format on */
              });
              printf ("%d,by %c,%d,%d,%d,%d,%d,%d,%.3f,%.3f,%.0f\n", rows_c, by_b ? 'B' : 'C', side,
                      part, resident, warps, copies, batch, least,
                      1e-9 * 16 * (double) products * size / least,
                      2e-6 * (double) products * size * side / least);
            }
  return 0;
}
