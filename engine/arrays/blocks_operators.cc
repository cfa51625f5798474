// blocks_operators.cc - operators and products of matrices in blocks: see blocks.h.
//
// The callers have checked that sizes and blocks fit. The engine's plan chooses how a product runs.
// Two matrices with one pattern are combined as two arrays, in one pass.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"

namespace gpumm {

// ---- products -----------------------------------------------------------------------------------

gpumm_matrix stored_of (blocks &x) {
  gpumm_matrix m = compressed_of (x);
  m.format = GPUMM_BLOCKS;
  m.block_rows = x.block_rows;
  m.block_cols = x.block_cols;
  return m;
}

int64_t lines_of_product (const blocks &a, const blocks &) {
  return a.size () (0) / a.block_size () (0);
}

blocks new_result (const gpumm_matrix &described, const blocks &a, const array &start) {
  blocks sizes;
  sizes.rows = described.rows;
  sizes.cols = described.cols;
  sizes.block_rows = described.block_rows;
  sizes.block_cols = described.block_cols;
  return new_blocks (a.device, described.type, sizes, described.nzmax, &start);
}

// Blocks of double beside those of single become single.
static blocks in_precision (const blocks &x, gpumm_type type) {
  return !is_single (type) || is_single (x.type ())
             ? x
             : in_type (x, is_complex (x.type ()) ? GPUMM_C : GPUMM_S);
}

bool has_long_lines (const blocks &a, const blocks &b) {
  return !(a.turned && b.turned)
         && is_long (b.cols / b.block_cols, b.stored + (b.turned ? a.stored : 0));
}

blocks multiplied (blocks &a, blocks &b, gpumm_type type, const product_options &o) {
  if (is_single (a.type ()) == is_single (b.type ()))
    return multiplied_stored (a, b, type, o);
  blocks x = in_precision (a, type), y = in_precision (b, type);
  return multiplied_stored (x, y, type, o);
}

array multiplied_full (blocks &given, array d, bool left, const product_options &o) {
  blocks s = drop_zeros (given);
  if (d.type == GPUMM_B)
    d = converted (d, GPUMM_D);
  const gpumm_type type = product_type (s.type (), d.type);
  if (is_single (type) && !is_single (d.type))
    d = converted (d, is_complex (d.type) ? GPUMM_C : GPUMM_S);
  return multiplied_full_stored (in_precision (s, type), d, left, false, type, o);
}

array sum_of (blocks x, int dim) {
  const int64_t n = x.size () (dim);
  if (!is_float (x.type ()))
    x = converted (x, GPUMM_D);
  array one = as_array (number_operand ({1, 0}, GPUMM_D, x.device));
  one.size = dim == 0 ? shape (1, n) : shape (n, 1);
  return multiplied_full (x, is_single (x.type ()) ? converted (one, GPUMM_S) : one, dim == 1, {});
}

// ---- elementwise --------------------------------------------------------------------------------

static bool same_pattern (const blocks &a, const blocks &b) {
  return a.start.buffer == b.start.buffer && a.index.buffer == b.index.buffer
         && a.turned == b.turned && a.rows == b.rows && a.cols == b.cols
         && a.block_rows == b.block_rows;
}

// The operation if `large` stores blocks at all places of `small`: the result has the pattern of
// `large`, and only the blocks of `small` are looked up. `on_left`: is `large` the left operand?
static blocks over (gpumm_map_op op, const blocks &large, const blocks &small, const array &places,
                    bool on_left, gpumm_type real) {
  const operand part = operand (taken (large.values, places)), other = operand (small.values),
                all = operand (large.values), zero = number_operand ({0, 0}, GPUMM_D, large.device);
  array meets = on_left ? combined (op, part, other, real) : combined (op, other, part, real);
  array y = on_left ? combined (op, all, zero, real) : combined (op, zero, all, real);
  y = converted (y, meets.type);
  put (meets, places, ready (y));
  return with_values (large, y);
}

// The operation on the union of both patterns.
static blocks united (gpumm_map_op op, const blocks &a, const blocks &b, const meeting &both,
                      gpumm_type real) {
  const int64_t stored = a.stored + b.stored - both.count;
  const array from_a = vector (a.device, GPUMM_I64, a.stored),
              from_b = vector (a.device, GPUMM_I64, b.stored);
  blocks c = new_blocks (a.device, GPUMM_B, a, 0);
  c.stored = stored;
  c.index = vector (a.device, GPUMM_I32, stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_UNITE;
  w.a = grid_of (a);
  w.b = grid_of (b);
  both.in_a.attach (w);
  w.c = grid_of (c);
  w.from_a = view (from_a);
  w.from_b = view (from_b);
  run_sparse_work (w);
  return with_values (c, combined (op, operand (put_among_zeros (a.values, from_a, stored)),
                                   operand (put_among_zeros (b.values, from_b, stored)), real));
}

// Blocks that are not stored are zero.
blocks combined (gpumm_map_op op, blocks a, blocks b, gpumm_type real) {
  if (a.conjugated || b.conjugated) {
    a = straight (a);
    b = straight (b);
  }
  if (same_pattern (a, b))
    return with_values (a, combined (op, operand (a.values), operand (b.values), real));
  if (a.turned && b.turned) {
    a.turned = b.turned = false;
    return transposed (combined (op, a, b, real), false);
  }
  a = straight (a);
  b = straight (b);
  const meeting both (a.device, grid_of (a), grid_of (b));
  if (op != GPUMM_MAP_MUL && both.count == b.stored)
    return over (op, a, b, both.from_a, true, real);
  if (op != GPUMM_MAP_MUL && both.count == a.stored)
    return over (op, b, a, both.from_b, false, real);
  return united (op, a, b, both, real);
}

} // namespace gpumm
