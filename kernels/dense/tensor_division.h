/* tensor_division.h - how the blocks of a product on tensor cores share its work.
 *
 * (Osama, Merrill, Cecka, Garland, Owens: Stream-K, PPoPP 2023.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TENSOR_DIVISION_H
#define GPUMM_TENSOR_DIVISION_H

#include "kernel.h"

/* C has down x across tiles, each a sum of `steps` steps along k. One block each computes the first
 * `whole` tiles: block b computes tiles b, b + blocks, ... The steps of the other tiles, one tile
 * after the other, are cut into `shares` equal parts for the last `shares` blocks, which have a
 * whole tile fewer than the others if the number of blocks does not divide `whole`. */
struct division {
  int down, across, tiles, steps;
  int blocks, whole, shares;
};

/* Tiles are numbered down GROUP rows and then to the right, so that the tiles computed at one time
 * lie in a square and share their operands in the cache. */
enum { GROUP = 8 };

/* Fewest steps of a share: fewer do not pay for its sum. */
enum { FEWEST_STEPS = 4 };

static inline int64_t least (int64_t x, int64_t y) {
  return x < y ? x : y;
}

/* Tiles of own::m x own::n in steps of own::k, none of them shared, for at most that many
 * blocks. */
template <class own>
static gpumm_status divide_whole (int64_t m, int64_t n, int64_t k, int64_t blocks, division *d) {
  int64_t down = ceil_div (m, own::m), across = ceil_div (n, own::n);
  int64_t steps = k > 0 ? ceil_div (k, own::k) : 1, tiles = down * across;
  if ((double) down * (double) across > INT32_MAX / GROUP || steps > INT32_MAX)
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "kernel tensor: %lld x %lld tiles are too many",
                              (long long) down, (long long) across);
  *d = {
      (int) down, (int) across, (int) tiles, (int) steps, (int) least (tiles, blocks), (int) tiles,
      0};
  return GPUMM_OK;
}

/* The share of that step of the rest: s with share_begin (s) <= step < share_begin (s + 1). */
DEVICE int share_of (const division &d, int64_t step) {
  return (int) (((step + 1) * d.shares - 1) / ((int64_t) (d.tiles - d.whole) * d.steps));
}

DEVICE void tile_at (const division &d, int tile, int &i, int &j) {
  int top = tile / (GROUP * d.across) * GROUP, inside = tile % (GROUP * d.across);
  int height = d.down - top < GROUP ? d.down - top : GROUP;
  i = top + inside % height;
  j = inside / height;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* older GPUs have none of what follows */

/* Negative: the block has no share. */
DEVICE int own_share (const division &d) {
  return (int) blockIdx.x + d.shares - d.blocks;
}

/* Where a share begins among the steps of the rest; share = shares: where the last one ends. */
DEVICE int64_t share_begin (const division &d, int share) {
  return (int64_t) (d.tiles - d.whole) * d.steps * share / d.shares;
}

/* A place in a block's work: a step of [from, last), the block's steps of a tile; tile -1: done. */
struct cursor {
  int tile, from, step, last;
};

DEVICE void enter_share (const division &d, cursor &c, int64_t step) {
  int64_t left = share_begin (d, own_share (d) + 1) - step;
  c.tile = -1;
  if (left <= 0)
    return;
  c.tile = d.whole + (int) (step / d.steps);
  c.from = c.step = (int) (step % d.steps);
  c.last = left < d.steps - c.from ? c.from + (int) left : d.steps;
}

DEVICE void enter_tile (const division &d, cursor &c, int tile) {
  c = {tile, 0, 0, d.steps};
  if (tile < d.whole)
    return;
  c.tile = -1;
  if (own_share (d) >= 0 && d.shares > 0)
    enter_share (d, c, share_begin (d, own_share (d)));
}

DEVICE void advance (const division &d, cursor &c) {
  if (++c.step < c.last)
    return;
  if (c.tile < d.whole)
    enter_tile (d, c, c.tile + d.blocks);
  else
    enter_share (d, c, (int64_t) (c.tile - d.whole) * d.steps + c.last);
}

#endif

/* The workspace holds two sums for a block: of the tile in which its share begins and of the tile
 * in which it ends. The share with a tile's step 0 uses the second slot, all others the first. */
DEVICE int slot (int share, int from) {
  return 2 * share + (from == 0);
}

#endif
