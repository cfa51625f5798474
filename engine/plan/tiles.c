/* tiles.c - how a product of full matrices is cut so that its parts fit a device.
 *
 * Sizes, the kernel's row and the free bytes decide. It knows nothing of streams, buffers or the
 * order in which the parts are computed (move/streaming.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tiles.h"
#include "base/error.h"
#include "base/types.h"
#include "memory/pool.h"
#include "work.h"

#include <stdint.h>

/* Steps along k are at least this long as long as C's tiles can shrink instead. */
static const int64_t SHORTEST_STEP = 512;

/* Tiles of a product that fits the device: more tiles overlap transfers better, larger tiles
 * multiply faster. On an H200 tiles of 1024 run at full rate. */
static const int64_t MOST_TILES = 16, SMALLEST_TILE = 1024;

/* Slices of a panel are at least as long as a chunk of a transfer. */
static const size_t SHORTEST_SLICE = 1 << 20;

/* Smaller sizes are not padded, because padding gains nothing there. Without padding cuBLAS takes
 * 1.02 times as long at 17 x 4095 x 4097, 1.15 at 33, 1.4 at 63 x 4095 x 4097 (shapes.csv). */
static const int64_t PADDED_FROM = 32;

static int64_t half (int64_t size) {
  /* halves that are multiples of 64 consist of whole tiles of every kernel */
  int64_t h = (size + 1) / 2;
  return h <= 64 ? h : (h + 63) / 64 * 64;
}

int64_t gpumm_device_ld (int64_t rows, size_t element) {
  int64_t line = 128 / (int64_t) element;
  return rows > INT64_MAX - line ? rows : (rows + line - 1) / line * line;
}

int64_t gpumm_padded (const gpumm_plan *plan, int64_t size, gpumm_type type) {
  const gpumm_kernel *kernel = plan->kernel;
  int64_t multiple = plan->pads && kernel->padded_types & 1u << type ? kernel->multiple : 0;
  if (multiple <= 1 || size < PADDED_FROM || size > INT32_MAX - multiple)
    return size;
  return (size + multiple - 1) / multiple * multiple;
}

/* Bytes of a stored panel, at most 1e18: the bytes of an impossible product could overflow. */
static size_t panel_bytes (int64_t rows, int64_t cols, gpumm_op op, size_t element) {
  int64_t down = op == GPUMM_NONE ? rows : cols, across = op == GPUMM_NONE ? cols : rows;
  double bytes = (double) gpumm_device_ld (down, element) * (double) across * (double) element;
  return bytes < 1e18 ? (size_t) bytes : (size_t) 1e18;
}

/* Can B's panels use A's buffer, because A and B are one array? With equal ops (A*A) a panel is a
 * part of the whole A; with one transpose (A*A') A and B have the same panels if the tiles are
 * square. */
static int reads_b_from_a (const gpumm_problem *p, const gpumm_plan *plan) {
  return plan->fits_device && gpumm_is_one_array (p)
         && plan->tile_m == (gpumm_is_gram (p) ? plan->tile_n : gpumm_m (p));
}

gpumm_buffers gpumm_plan_buffers (const gpumm_problem *p, const gpumm_plan *plan) {
  size_t element = gpumm_type_bytes (p->output);
  gpumm_buffers x = {.a = gpumm_pieces (gpumm_m (p), plan->tile_m),
                     .b = gpumm_pieces (gpumm_n (p), plan->tile_n)};
  x.c = x.a * x.b;
  if (!plan->fits_device) {
    int64_t steps = gpumm_pieces (gpumm_k (p), plan->tile_k);
    x.a = gpumm_least (x.a * steps, 2);
    x.b = gpumm_least (x.b * steps, 2);
    x.c = gpumm_least (x.c, 2);
  }
  if (p->b.buffer || reads_b_from_a (p, plan))
    x.b = 0;
  if (p->a.buffer)
    x.a = 0;
  if (p->stays)
    x.c = 0;
  int64_t m = gpumm_padded (plan, plan->tile_m, p->output);
  int64_t n = gpumm_padded (plan, plan->tile_n, p->output);
  int64_t k = gpumm_padded (plan, plan->tile_k, p->output);
  x.a_bytes = panel_bytes (m, k, p->a.op, element);
  x.b_bytes = panel_bytes (k, n, p->b.op, element);
  x.c_bytes = panel_bytes (m, n, GPUMM_NONE, element);
  return x;
}

int64_t gpumm_plan_slices (const gpumm_problem *p, const gpumm_plan *plan, int devices) {
  return gpumm_plan_buffers (p, plan).a_bytes / (size_t) devices < SHORTEST_SLICE ? 1 : devices;
}

gpumm_tiling gpumm_plan_tiling (const gpumm_problem *p, const gpumm_plan *plan) {
  if (!plan->keeps)
    return (gpumm_tiling){0};
  return (gpumm_tiling){.down = gpumm_pieces (gpumm_m (p), plan->tile_m),
                        .across = gpumm_pieces (gpumm_n (p), plan->tile_n),
                        .m = plan->tile_m,
                        .n = plan->tile_n};
}

/* Bytes that the pool takes for all buffers of an operand. */
static double rounded (int64_t count, size_t bytes) {
  double all = (double) count * (double) bytes;
  return all < 1e18 ? (double) gpumm_pool_rounded ((size_t) all) : all;
}

/* The largest workspace that the kernel needs for the tiles, with the smaller ones at the edges. */
static int64_t workspace_bytes (const gpumm_problem *p, const gpumm_candidate *candidate,
                                const gpumm_plan *plan) {
  size_t most = 0;
  if (!plan->kernel->workspace)
    return 0;
  for (int edges = 0; edges < 8; edges++) {
    int64_t rest_m = plan->tile_m ? gpumm_m (p) % plan->tile_m : 0;
    int64_t rest_n = plan->tile_n ? gpumm_n (p) % plan->tile_n : 0;
    int64_t rest_k = plan->tile_k ? gpumm_k (p) % plan->tile_k : 0;
    gpumm_product tile = gpumm_product_of (p);
    tile.m = edges & 1 && rest_m ? rest_m : plan->tile_m;
    tile.n = edges & 2 && rest_n ? rest_n : plan->tile_n;
    tile.k = edges & 4 && rest_k ? rest_k : plan->tile_k;
    tile.tiling = gpumm_plan_tiling (p, plan);
    if (plan->tile_k < gpumm_k (p)) /* each step along k after the first adds to C */
      tile.beta = (gpumm_scalar){1, 0};
    size_t bytes = plan->kernel->workspace (&tile, &candidate->properties);
    most = bytes > most ? bytes : most;
  }
  return (int64_t) most;
}

static double device_bytes (const gpumm_problem *p, const gpumm_candidate *candidate,
                            const gpumm_plan *plan) {
  gpumm_buffers x = gpumm_plan_buffers (p, plan);
  int64_t workspace = workspace_bytes (p, candidate, plan);
  return (x.a ? rounded (x.a, x.a_bytes) : 0) + (x.b ? rounded (x.b, x.b_bytes) : 0)
         + (x.c ? rounded (x.c, x.c_bytes) : 0) + (workspace ? rounded (1, (size_t) workspace) : 0);
}

/* The tile size for a dimension: about the smallest, with at most MOST_TILES tiles of nearly equal
 * size, none smaller than the kernel likes. */
static int64_t overlapping_tile (int64_t size, int64_t smallest, int64_t liked) {
  int64_t tiles = gpumm_least ((size + smallest / 2) / smallest, MOST_TILES);
  if (liked > 0)
    tiles = gpumm_least (tiles, size / liked);
  if (tiles <= 1)
    return size;
  return (gpumm_pieces (size, tiles) + 63) / 64 * 64;
}

/* Chooses tiles of C, none smaller than liked, if A, B and C are all on the device. The kernel
 * keeps its results about panels if it asks for memory to do so and that memory fits. */
static void choose_overlapping (const gpumm_problem *p, const gpumm_candidate *candidate,
                                const gpumm_plan *like, int64_t smallest, int64_t liked,
                                double room, gpumm_plan *plan) {
  int64_t m = gpumm_m (p), n = gpumm_n (p);
  plan->tile_m = like ? gpumm_least (like->tile_m, m) : overlapping_tile (m, smallest, liked);
  plan->tile_n = like ? gpumm_least (like->tile_n, n) : overlapping_tile (n, smallest, liked);
  /* A*A: the panels of B are columns of the whole A */
  if (gpumm_is_one_array (p) && !gpumm_is_gram (p))
    plan->tile_m = m;
  plan->keeps = 0;
  if (plan->kernel->workspace && (plan->tile_m < m || plan->tile_n < n)) {
    int64_t without = workspace_bytes (p, candidate, plan);
    plan->keeps = 1;
    if (workspace_bytes (p, candidate, plan) <= without || device_bytes (p, candidate, plan) > room)
      plan->keeps = 0;
  }
}

gpumm_status gpumm_choose_tiles (const gpumm_problem *p, const gpumm_candidate *candidate,
                                 const gpumm_candidates *known, int64_t limit, gpumm_plan *plan) {
  int64_t smallest = known->smallest_tile ? known->smallest_tile : SMALLEST_TILE;
  int64_t m = gpumm_m (p), n = gpumm_n (p), k = gpumm_k (p);
  const double room = gpumm_room (candidate->properties.memory_free, limit);
  int64_t liked = plan->kernel->smallest_tile;
  plan->fits_device =
      m <= GPUMM_LARGEST_DIMENSION && n <= GPUMM_LARGEST_DIMENSION && k <= GPUMM_LARGEST_DIMENSION;
  plan->tile_m = gpumm_least (m, GPUMM_LARGEST_DIMENSION);
  plan->tile_n = gpumm_least (n, GPUMM_LARGEST_DIMENSION);
  plan->tile_k = gpumm_least (k, GPUMM_LARGEST_DIMENSION);
  plan->keeps = 0;
  plan->pads = !p->a.buffer && !p->b.buffer && !p->stays;
  const int moves = !p->a.buffer || !p->b.buffer || !p->stays || p->c0;
  if (plan->fits_device && moves) {
    /* Complex tiles have four times the operations, so half the edge is enough if the kernel keeps
     * its results about panels. With emulated at 8192 on an H200 half the edge takes 76 ms instead
     * of 84 in complex double and 39 instead of 43 in complex single, but 22 instead of 20 in
     * single (auto.csv). */
    int halves = gpumm_is_complex (p->output) && liked > 0;
    choose_overlapping (p, candidate, known->like, smallest, halves ? liked - liked / 2 : liked,
                        room, plan);
    if (halves && !plan->keeps)
      choose_overlapping (p, candidate, known->like, smallest, liked, room, plan);
  }
  if (plan->fits_device && device_bytes (p, candidate, plan) > room) {
    plan->fits_device = 0;
    plan->tile_m = m;
    plan->tile_n = n;
  }
  while (device_bytes (p, candidate, plan) > room) {
    int64_t *longest = plan->tile_m > plan->tile_n ? &plan->tile_m : &plan->tile_n;
    if (plan->tile_k > SHORTEST_STEP
        && (plan->tile_k > *longest || *longest <= SHORTEST_STEP || plan->tile_k > 4096))
      longest = &plan->tile_k;
    else if (*longest <= 64 && plan->tile_k > *longest)
      longest = &plan->tile_k;
    if (*longest <= 1)
      return gpumm_refuse (plan->reason, GPUMM_DEVICE_MEMORY,
                           "%lld x %lld times %lld x %lld needs more device memory than %.0f bytes "
                           "even in the smallest tiles (%s: %.0f bytes free%s)",
                           (long long) m, (long long) k, (long long) k, (long long) n, room,
                           candidate->properties.name, (double) candidate->properties.memory_free,
                           limit > 0 ? ", MaxDeviceMemory given" : "");
    *longest = half (*longest);
  }
  plan->workspace_bytes = workspace_bytes (p, candidate, plan);
  plan->device_bytes = (int64_t) device_bytes (p, candidate, plan);
  return GPUMM_OK;
}
