/* bsr_tensor_stream.cu - products of two matrices sparse by blocks of up to 64 x 64, double precision
 * on tensor cores, by bulk copies.
 *
 * What it does: as bsr_tensor.cu, with whole blocks in shared memory. A team of warps computes a
 * block of C. It has a ring of blocks of B and a ring of blocks of A, which its first warp fills by
 * bulk copies. A block of A that the next product needs, too, is not copied again: if blocks of C
 * have one product each, the lists follow A's blocks (sparse/products.h), and one block of A serves
 * for all blocks of B's row in the run. No step waits for the whole team: a warp waits for the
 * block that it multiplies next, and the first warp waits for the slowest before it refills a
 * place.
 *
 * Blocks with an even number of rows are copied as boxes: a map describes the array to the hardware,
 * which copies 16 rows of a block and zeros past its edges. Columns of other blocks begin at odd
 * multiples of 8 bytes, which boxes do not allow: they are copied as they lie.
 *
 * What limits it: the link between the two halves of the second-level cache, which half of all
 * reads and writes cross: busy for 87 % of the time at 64 x 64 if blocks of C have one product
 * (ncu, lts__ltcfabric2ltc_cycles_active, H200).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bulk.h"
#include "tensor_products.h"
#include "bulk_blocks.h"
#include "products.h"

#if CUDART_VERSION >= 12050 /* can ask the driver for its functions by version */
#include <cuda.h>

/* A box is 128 bytes wide, and swizzled: in line y the 16 bytes of number x lie at x ^ y % 8, so that
 * a warp that reads a column does not meet itself in one bank. */
enum { BOX_WIDTH = 16, BOX_ALIGNMENT = 1024 }; /* doubles, bytes */

enum {
  PIECE = 512, /* blocks of C for a thread block, and elements, where they are large */
  PIECE_ELEMENTS = 1 << 19,
  PLACES_A = 2,             /* for blocks of A, in a team's ring */
  SHARED_BYTES = 228 << 10, /* of a multiprocessor */
  OTHER_BYTES = 25 << 10,   /* for the lists, and what the driver takes */
};

DEVICE constexpr int round_up (int x, int to) {
  return (x + to - 1) / to * to;
}

/* Teams of DOWN x ACROSS warps compute blocks of up to SIDE rows and columns, each warp ROWS x
 * COLUMNS fragments of 16 x 8. */
template <int SIDE, int ROWS, int COLUMNS, int DOWN, int ACROSS, int TEAMS, int PLACES_B>
struct teams_of {
  static constexpr int side = SIDE, rows = ROWS, columns = COLUMNS, down = DOWN, across = ACROSS;
  static constexpr int warps = DOWN * ACROSS, teams = TEAMS, threads = 32 * warps * TEAMS;
  static constexpr int places_b = PLACES_B, places = PLACES_A + PLACES_B;
  /* doubles of a block: in boxes, or as stored, up to a double off its place */
  DEVICE constexpr int place (bool boxes) {
    return boxes ? round_up (SIDE, BOX_WIDTH) * round_up (SIDE, 8) : in_grains (SIDE * SIDE + 1);
  }
  static constexpr int barriers = PLACES_A + 2 * PLACES_B; /* of a team */
  DEVICE constexpr int bytes (bool boxes) {
    return BOX_ALIGNMENT + 8 * TEAMS * (places * place (boxes) + barriers);
  }
  DEVICE constexpr int blocks (bool boxes) {
    return 2 * (bytes (boxes) + OTHER_BYTES) <= SHARED_BYTES ? 2 : 1;
  }
  static_assert (16 * ROWS * DOWN >= SIDE && 8 * COLUMNS * ACROSS >= SIDE, "tiles cover blocks");
};

struct maps {
  CUtensorMap a, b;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* Brings the box of the map at (x, y, z). */
__device__ static inline void start_box (unsigned to, const CUtensorMap *map, int x, int y, int z,
                                         unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
               "[%1, {%2, %3, %4}], [%5];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
               : "memory");
}

/* A block's copy in shared memory. */
template <bool BOXES> struct copied_blocks {
  const CUtensorMap *map;
  source_of_blocks all;
  int rows, columns; /* with padding, in boxes: multiples of 16 and of 8 */

  __device__ inline copied_blocks (const gpumm_rows &x, const CUtensorMap &described)
      : map (&described), all (x, (int) (x.block_rows * x.block_cols)),
        rows (BOXES ? round_up ((int) x.block_rows, BOX_WIDTH) : (int) x.block_rows),
        columns (BOXES ? round_up ((int) x.block_cols, 8) : (int) x.block_cols) {
  }

  __device__ inline void fetch (double *to, int block, unsigned barrier) const {
    if (!elected ())
      return;
    if constexpr (BOXES) {
      for (int row = 0; row < rows; row += BOX_WIDTH)
        start_box ((unsigned) __cvta_generic_to_shared (to + row * columns), map, row, 0, block,
                   barrier);
      arrive_and_expect (barrier, rows * columns * (int) sizeof *to);
    } else
      fetch_blocks (to, all, block, 1, barrier);
  }

  /* where it begins */
  __device__ inline const double *at (const double *place, int block) const {
    return place + (BOXES ? 0 : all.lies_off (block));
  }
};

#endif

template <class own, bool BOXES>
__global__ void __launch_bounds__ (own::threads, own::blocks (BOXES))
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    stream_blocks (gpumm_sparse_product p, __grid_constant__ const maps described, int piece,
                   double alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int PLACE = own::place (BOXES), PLACES_B = own::places_b;
  extern __shared__ char memory[];
  PRODUCT_LISTS (lists, own::threads);
  const int rows = (int) p.c.block_rows, cols = (int) p.c.block_cols, inner = (int) p.a.block_cols;
  const int64_t size_c = (int64_t) rows * cols;
  const int team = threadIdx.x / 32 / own::warps, warp = threadIdx.x / 32 % own::warps;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const copied_blocks<BOXES> a (p.a, described.a), b (p.b, described.b);
  /* as an offset from `memory`, so that the compiler sees that it is shared memory */
  const unsigned from = (unsigned) __cvta_generic_to_shared (memory) % BOX_ALIGNMENT;
  double *const places = (double *) (memory + (BOX_ALIGNMENT - from) % BOX_ALIGNMENT);
  double *const ring_a = places + team * own::places * PLACE;
  double *const ring_b = ring_a + PLACES_A * PLACE;
  /* there_*: a block has arrived; free_b: all warps have read it and A's block */
  const unsigned there_a = (unsigned) __cvta_generic_to_shared (
      places + own::teams * own::places * PLACE + team * own::barriers);
  const unsigned there_b = there_a + 8 * PLACES_A, free_b = there_b + 8 * PLACES_B;
  if (threadIdx.x % (32 * own::warps) == 0) {
    for (int x = 0; x < PLACES_A + PLACES_B; x++)
      make_barrier (there_a + 8 * x, 1);
    /* One thread of a warp arrives for all. For plain copies, unlike boxes, compute-sanitizer
     * records the threads that read them, and reports a race unless each of these arrives. */
    for (int x = 0; x < PLACES_B; x++)
      make_barrier (free_b + 8 * x, BOXES ? own::warps : 32 * own::warps);
    publish_barriers ();
  }
  __syncthreads ();

  /* This warp's tile of C begins at (row0, col0). Of each 16 rows of A, rows g and g + 8 of a
   * fragment are the rows row_a; of 8 columns of B, column x is column_of (x). So no two of 16
   * threads hit the same bank in boxes. Of 8 steps of k this thread reads steps t and t + 4. */
  const int row0 = warp % own::down * (16 * own::rows);
  const int col0 = warp / own::down * (8 * own::columns);
  const int row_a[] = {BOXES ? g % 2 + g / 2 % 2 * 8 + g / 4 * 2 : g,
                       BOXES ? g % 2 + g / 2 % 2 * 8 + g / 4 * 2 + 4 : g + 8};
  const auto column_of = [] (int x) { return BOXES ? x % 4 * 2 + x / 4 : x; };
  int of_a[2][2], of_b[2];                        /* in boxes: by the step, and A's by the row */
  int line_a[own::rows][2], line_b[own::columns]; /* of the fragments, by A's row */
#pragma unroll
  for (int e = 0; e < 2; e++) {
    const int l = t + 4 * e;
#pragma unroll
    for (int f = 0; f < 2; f++)
      of_a[e][f] = l * BOX_WIDTH + (row_a[f] / 2 ^ l) * 2 + row_a[f] % 2;
    of_b[e] = column_of (g) * BOX_WIDTH + (l / 2 ^ column_of (g)) * 2 + l % 2;
  }
#pragma unroll
  for (int r = 0; r < own::rows; r++)
#pragma unroll
    for (int f = 0; f < 2; f++)
      line_a[r][f] = BOXES ? (row0 + 16 * r) * a.columns : min (row0 + 16 * r + row_a[f], rows - 1);
#pragma unroll
  for (int c = 0; c < own::columns; c++)
    line_b[c] =
        BOXES ? (col0 + 8 * c) * BOX_WIDTH : min (col0 + 8 * c + column_of (g), cols - 1) * inner;

  /* Products and blocks of A are counted from the start of the kernel: number n lies at place n
   * modulo the ring's places, which also gives the barriers' phases. */
  int product = 0, entries = 0;

  /* The team's part of a list. */
  auto multiply = [&] (const run_of_blocks &run, which_products what) {
    const part_of_list part = part_of (run, lists, what, team, own::teams);
    const int begin = part.begin, end = part.end;
    int next = begin, next_product = product, next_entries = entries, next_entry = -1;
    int user0 = -1, user1 = -1; /* the last products that read the blocks of A at places 0 and 1 */
    /* Starts the copies for this product and the following ones while there are free places. Only
     * the team's first warp keeps `next` and the other counters. */
    auto fetch = [&] () {
      for (; next < end && next_product < product + PLACES_B; next++) {
        const uint32_t which = lists.which[0][next];
        if (what == FIRST && !which_first (which))
          continue;
        const int entry = which_entry (which), place = next_product % PLACES_B;
        const int place_a = next_entries % PLACES_A, last = place_a ? user1 : user0;
        const bool other = entry != next_entry;
        if (other && last >= product)
          return; /* it still has to be read, by this warp, too */
        if (next_product >= PLACES_B)
          wait (free_b + 8 * place, (next_product / PLACES_B - 1) & 1);
        if (other) {
          /* All warps are past the product that had B's place. If A's was read after that: */
          if (last >= 0 && last + PLACES_B > next_product)
            wait (free_b + 8 * (last % PLACES_B), last / PLACES_B & 1);
          a.fetch (ring_a + place_a * PLACE, (int) run.entry + entry, there_a + 8 * place_a);
          next_entry = entry;
          next_entries++;
        }
        (next_entries % PLACES_A ? user0 : user1) = next_product;
        b.fetch (ring_b + place * PLACE, lists.block[0][next], there_b + 8 * place);
        next_product++;
      }
    };

    double *C = (double *) p.c.values + run.begin * size_c;
    double sum[own::rows][own::columns][4] = {};
    /* calls f (sum, where it is in C) for the warp's elements of a block of C */
    auto for_sums_of = [&] (double *to, bool full, auto f) {
#pragma unroll
      for (int r = 0; r < own::rows; r++)
#pragma unroll
        for (int c = 0; c < own::columns; c++)
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const int i = row0 + 16 * r + row_a[e / 2];
            const int j = col0 + 8 * c + column_of (2 * t + e % 2);
            if (full || (i < rows && j < cols))
              f (sum[r][c][e], to + (i + j * rows));
          }
    };
    auto for_sums = [&] (uint32_t which, auto f) {
      double *to = C + which_rank (which) * size_c;
      if (row0 + 16 * own::rows <= rows && col0 + 8 * own::columns <= cols)
        for_sums_of (to, true, f);
      else
        for_sums_of (to, false, f);
    };
    int entry = -1;
    bool begins = true; /* a block of C */
    for (int x = begin; x < end; x++) {
      const uint32_t which = lists.which[0][x];
      if (what == FIRST && !which_first (which))
        continue;
      if (warp == 0)
        fetch ();
      if (begins && what == FURTHER)
        for_sums (which, [] (double &value, const double *at) { value = *at; });
      const bool ends = what == FIRST || which_last (which);
      begins = ends;
      if (which_entry (which) != entry) {
        entry = which_entry (which);
        wait (there_a + 8 * (entries % PLACES_A), entries / PLACES_A & 1);
        entries++;
      }
      const int place = product % PLACES_B;
      const double *A = a.at (ring_a + (entries - 1) % PLACES_A * PLACE, (int) run.entry + entry);
      const double *B = b.at (ring_b + place * PLACE, lists.block[0][x]);
      wait (there_b + 8 * place, product / PLACES_B & 1);
#pragma unroll 2
      for (int l = 0; l < inner; l += 8) {
        double u[own::rows][4], v[own::columns][2];
#pragma unroll
        for (int e = 0; e < 2; e++) {
          const int k = l + t + 4 * e;
          const bool inside = BOXES || k < inner; /* past the end, zeros in both */
#pragma unroll
          for (int r = 0; r < own::rows; r++)
#pragma unroll
            for (int f = 0; f < 2; f++)
              u[r][2 * e + f] = !inside ? 0
                                : BOXES ? A[line_a[r][f] + l * BOX_WIDTH + of_a[e][f]]
                                        : A[line_a[r][f] + k * rows];
#pragma unroll
          for (int c = 0; c < own::columns; c++)
            v[c][e] =
                !inside ? 0
                : BOXES ? B[line_b[c] + l / BOX_WIDTH * BOX_WIDTH * b.columns + (of_b[e] ^ (l & 8))]
                        : B[line_b[c] + k];
        }
#pragma unroll
        for (int r = 0; r < own::rows; r++)
#pragma unroll
          for (int c = 0; c < own::columns; c++)
            multiply_add (sum[r][c], u[r], v[c]);
      }
      if (BOXES)
        __syncwarp ();
      if (!BOXES || elected ())
        arrive (free_b + 8 * place);
      product++;
      if (ends && run.adds)
        for_sums (which,
                  [&] (double &value, double *at) { value = add (*at, scale (alpha, value)); });
      if (ends)
        for_sums (which, [&] (double &value, double *at) {
          /* streaming store: the cache is for B's blocks */
          __stcs (at, run.adds ? value : scale (alpha, value));
          value = 0;
        });
    }
  };

  auto multiply_run = [&] (const run_of_blocks &run) {
    clear_empty (run, lists, (double *) p.c.values + run.begin * size_c, size_c, threadIdx.x / 32,
                 threadIdx.x % 32);
    for_lists (run, [&] (which_products what) { multiply (run, what); });
  };
  /* in lists by entries, C holds a sum that continues, unless it has been multiplied already */
  for_runs<own::threads> (p, piece, lists, multiply_run, MOST_ENTRIES, alpha == 1);
#endif
}

/* ---- launch ------------------------------------------------------------------------------- */

/* The driver's function that makes maps; NULL where it has none. */
static decltype (&cuTensorMapEncodeTiled) find_encoder (void) {
  void *function = NULL;
  cudaDriverEntryPointQueryResult found;
  return !cudaGetDriverEntryPointByVersion ("cuTensorMapEncodeTiled", &function, 12000,
                                            cudaEnableDefault, &found)
                 && found == cudaDriverEntryPointSuccess
             ? (decltype (&cuTensorMapEncodeTiled)) function
             : NULL;
}

/* Boxes out of the blocks of an operand: of 16 rows and all columns. False: the array does not lie as
 * they need it. */
static bool make_map (const gpumm_rows &x, CUtensorMap *map) {
  static const auto encode = find_encoder ();
  const cuuint64_t rows = (cuuint64_t) x.block_rows, columns = (cuuint64_t) x.block_cols;
  const cuuint64_t sizes[] = {rows, columns, (cuuint64_t) x.stored};
  const cuuint64_t pitch[] = {8 * rows, 8 * rows * columns};
  const cuuint32_t box[] = {BOX_WIDTH, (cuuint32_t) round_up ((int) columns, 8), 1};
  const cuuint32_t every[] = {1, 1, 1};
  return rows % 2 == 0 && (uintptr_t) x.values % 16 == 0 && x.stored > 0 && encode
         && encode (map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, x.values, sizes, pitch, box, every,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                == CUDA_SUCCESS;
}

template <class own, bool BOXES>
static gpumm_status launch_as (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                               const maps &described) {
  double alpha;
  convert (p->alpha, &alpha);
  int piece = piece_of (p, PIECE, 2 * own::teams, PIECE_ELEMENTS);
  return LAUNCH_SHARED ("bsr_tensor_stream", (stream_blocks<own, BOXES>), pieces_of (p, piece),
                        dim3 (own::threads), own::bytes (BOXES), device, stream, *p, described,
                        piece, alpha);
}

template <class own>
static gpumm_status launch_by_rows (int device, gpumm_stream *stream,
                                    const gpumm_sparse_product *p) {
  maps described = {};
  if (make_map (p->a, &described.a) && make_map (p->b, &described.b))
    return launch_as<own, true> (device, stream, p, described);
  return launch_as<own, false> (device, stream, p, described);
}

static int64_t widest (const gpumm_sparse_product *p) {
  int64_t x = p->c.block_rows > p->c.block_cols ? p->c.block_rows : p->c.block_cols;
  return x > inner_of (p) ? x : inner_of (p);
}

static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  int64_t side = widest (p);
  return side <= 32   ? launch_by_rows<teams_of<32, 2, 2, 1, 2, 2, 2> > (device, stream, p)
         : side <= 48 ? launch_by_rows<teams_of<48, 1, 3, 3, 2, 2, 2> > (device, stream, p)
                      : launch_by_rows<teams_of<64, 2, 2, 2, 4, 1, 3> > (device, stream, p);
}

/* Other kernels take blocks of C that leave much of their tile empty, small blocks, and large
 * blocks that cannot be copied as boxes: reading fragments of those causes bank conflicts. */
static int runs (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  int64_t rows = p->c.block_rows, cols = p->c.block_cols, inner = inner_of (p), wide = widest (p);
  int64_t least = wide <= 32 ? 25 : wide <= 48 ? 33 : 49; /* more than the tile below */
  return has_blocks (p) && p->type_c == GPUMM_D && wide <= 64 && rows >= least && cols >= least
         && 2 * inner >= wide && (wide <= 48 || (rows % 2 == 0 && inner % 2 == 0))
         && device->shared_bytes >= SHARED_BYTES - (1 << 10);
}

/* As measured on an H200 (bench/results/h200/bsr.csv), double, 40 random blocks a row: 1.1 to 1.6
 * times as fast as bsr_tensor where blocks of C have one product (64 x 64: 27 TFLOPS), 0.92 to 1.3
 * times where they have seven. At 24 x 24 it was not faster. At 49 x 49 and 63 x 63 it was 1.00 and
 * 0.94 times as fast, 0.74 and 0.64 times if blocks of C have seven products. */
SPARSE_FAMILY_ROWS (bsr_tensor_stream) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"bsr", "bsr_tensor_stream", 90, runs, turned_bytes, count_products, launch_products<multiply>},
    {},
};

#else /* a Toolkit that cannot ask the driver for its functions by version: no rows */

SPARSE_FAMILY_ROWS (bsr_tensor_stream) = {{}};

#endif
