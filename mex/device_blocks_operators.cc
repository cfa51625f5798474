// device_blocks_operators.cc - operators of matrices in blocks on a device, by the rules of
// blocksparse: a result is in blocks if it is in blocks on the host, and full otherwise.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks_parts.h"

#include <cmath>

namespace gpumm {

// ---- operands -----------------------------------------------------------------------------------

static dim_vector size_of (const block_operand &x) {
  return x.is_blocks ? x.s.size () : x.other.x.size;
}

static bool is_number (const block_operand &x) {
  return !x.is_blocks && x.other.x.is_scalar ();
}

static array full_operand (const block_operand &x) {
  return x.is_blocks ? implicit_full_of (x.s) : as_array (x.other);
}

static gpumm_type type_of_product (gpumm_type a, gpumm_type b) {
  return is_float (a) ? product_type (a, b) : a; // two integers of one class
}

// ---- products -----------------------------------------------------------------------------------

gpumm_matrix stored_of (blocks &x) {
  gpumm_matrix m = compressed_of (x);
  m.format = GPUMM_BLOCKS;
  m.block_rows = x.block_rows;
  m.block_cols = x.block_cols;
  return m;
}

static index_type lines_of_product (const blocks &a, const blocks &) {
  return a.size () (0) / a.block_size () (0);
}

static blocks new_result (const gpumm_matrix &shape, const blocks &a, const array &start) {
  blocks sizes;
  sizes.rows = shape.rows;
  sizes.cols = shape.cols;
  sizes.block_rows = shape.block_rows;
  sizes.block_cols = shape.block_cols;
  return new_blocks (a.device, shape.type, sizes, shape.nzmax, &start);
}

// Blocks of double beside those of single become single.
static blocks in_precision (const blocks &x, gpumm_type type) {
  return !is_single (type) || is_single (x.type ())
             ? x
             : in_type (x, is_complex (x.type ()) ? GPUMM_C : GPUMM_S);
}

// a * b in this type, and drops zeros of a and b, all in one read.
static blocks multiplied (blocks &a, blocks &b, gpumm_type type, const product_options &o) {
  if (!(a.turned && b.turned)
      && is_long (b.cols / b.block_cols, b.stored + (b.turned ? a.stored : 0)))
    return upload_blocks (product_on_host (a, b), a.device);
  if (is_single (a.type ()) == is_single (b.type ()))
    return multiplied_stored (a, b, type, o);
  blocks x = in_precision (a, type), y = in_precision (b, type);
  return multiplied_stored (x, y, type, o);
}

// Blocks times full (left) or full times blocks.
static array multiplied_full (blocks &given, array d, bool left, const product_options &o) {
  blocks s = drop_zeros (given);
  if (d.type == GPUMM_B)
    d = converted (d, GPUMM_D);
  const gpumm_type type = type_of_product (s.type (), d.type);
  if (is_single (type) && !is_single (d.type))
    d = converted (d, is_complex (d.type) ? GPUMM_C : GPUMM_S);
  return multiplied_full_stored (in_precision (s, type), d, left, false, type, o);
}

array sum_of (blocks x, int dim) {
  const index_type n = x.size () (dim);
  if (!is_float (x.type ()))
    x = converted (x, GPUMM_D);
  array one = as_array (operand_of (octave_value (1.0), x.device));
  one.size = dim == 0 ? dim_vector (1, n) : dim_vector (n, 1);
  return multiplied_full (x, is_single (x.type ()) ? converted (one, GPUMM_S) : one, dim == 1, {});
}

static bool product (block_operand &a, block_operand &b, const product_options &o, blocks &result,
                     array &full) {
  if (a.is_blocks && b.is_blocks) {
    const gpumm_type type = type_of_product (a.s.type (), b.s.type ());
    result = multiplied (a.s, b.s, o.output == GPUMM_TYPES ? type : o.output, o);
  } else
    full = a.is_blocks ? multiplied_full (a.s, as_array (b.other), true, o)
                       : multiplied_full (b.s, as_array (a.other), false, o);
  return a.is_blocks && b.is_blocks;
}

// By repeated squaring, as for a blocksparse of the host.
static blocks power (blocks a, double p) {
  blocks c;
  const gpumm_type type = a.type ();
  for (bool is_first = true;; a = multiplied (a, a, type, {})) {
    if (std::fmod (p, 2) == 1) {
      c = is_first ? a : multiplied (c, a, type, {});
      is_first = false;
    }
    p = std::floor (p / 2);
    if (p == 0)
      return c;
  }
}

// ---- elementwise --------------------------------------------------------------------------------

static bool same_pattern (const blocks &a, const blocks &b) {
  return a.start.buffer == b.start.buffer && a.index.buffer == b.index.buffer
         && a.turned == b.turned && a.rows == b.rows && a.cols == b.cols
         && a.block_rows == b.block_rows;
}

// The operation if `large` stores blocks at all places of `small`: the result has the pattern of
// `large`, and only the blocks of `small` are looked up. `on_left`: is `large` the left operand?
static blocks over (const operation &o, const blocks &large, const blocks &small,
                    const array &places, bool on_left) {
  const operand part = operand (taken (large.values, places)), other = operand (small.values),
                all = operand (large.values), zero = operand_of (octave_value (0.0), large.device);
  array meets = on_left ? entrywise (o, part, other) : entrywise (o, other, part);
  array y = converted (on_left ? entrywise (o, all, zero) : entrywise (o, zero, all), meets.type);
  put (meets, places, ready (y));
  return with_values (large, y);
}

// The operation on the union of both patterns.
static blocks united (const operation &o, const blocks &a, const blocks &b, const meeting &both) {
  const index_type stored = a.stored + b.stored - both.count;
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
  run (w);
  return with_values (c, entrywise (o, operand (put_among_zeros (a.values, from_a, stored)),
                                    operand (put_among_zeros (b.values, from_b, stored))));
}

// The operation at all places where one of the operands stores a block. Blocks that are not stored
// are zero.
static blocks joined (const operation &o, blocks a, blocks b) {
  if (a.conjugated || b.conjugated) {
    a = straight (a);
    b = straight (b);
  }
  if (same_pattern (a, b))
    return with_values (a, entrywise (o, operand (a.values), operand (b.values)));
  if (a.turned && b.turned) {
    a.turned = b.turned = false;
    return transposed (joined (o, a, b), false);
  }
  a = straight (a);
  b = straight (b);
  const meeting both (a.device, grid_of (a), grid_of (b));
  if (o.map != GPUMM_MAP_MUL && both.count == b.stored)
    return over (o, a, b, both.from_a, true);
  if (o.map != GPUMM_MAP_MUL && both.count == a.stored)
    return over (o, b, a, both.from_b, false);
  return united (o, a, b, both);
}

// S OP number or number OP S.
static blocks with_number (const operation &o, const block_operand &a, const block_operand &b) {
  blocks x = a.is_blocks ? a.s : b.s;
  const gpumm_scalar number = (a.is_blocks ? b : a).other.number;
  if (!std::isfinite (number.re) || !std::isfinite (number.im))
    drop_zeros (x); // 0 * Inf would be NaN
  if (x.conjugated)
    x = straight (x);
  const operand values = operand (x.values);
  return with_values (x, a.is_blocks ? entrywise (o, values, b.other)
                                     : entrywise (o, a.other, values));
}

// Does the result stay in blocks? The rules are those of @blocksparse/elementwise.m. With `*` a
// number may be NaN or Inf.
static bool keeps_zeros (octave_value::binary_op op, const block_operand &a,
                         const block_operand &b) {
  if (a.is_blocks && b.is_blocks)
    return (op == octave_value::op_add || op == octave_value::op_sub
            || op == octave_value::op_el_mul)
           && size_of (a) == size_of (b) && a.s.block_size () == b.s.block_size ();
  const block_operand &n = a.is_blocks ? b : a;
  if (op == octave_value::op_mul || !is_number (n))
    return is_number (n);
  const gpumm_scalar x = n.other.number;
  if (!std::isfinite (x.re) || !std::isfinite (x.im))
    return false;
  const bool is_zero = x.re == 0 && x.im == 0;
  return op == octave_value::op_el_mul
         || (a.is_blocks
             && (op == octave_value::op_el_div
                     ? !is_zero
                     : op == octave_value::op_el_pow && !is_complex (n.other.x.type) && x.re > 0));
}

// Copies a number on the device to the host, which needs its value. Waits.
static void look_at_number (block_operand &x) {
  if (is_number (x) && !x.other.is_number)
    x.other = operand_of (download (as_array (x.other)), x.other.x.device);
}

bool combined (octave_value::binary_op op, block_operand &a, block_operand &b,
               const product_options &o, blocks &result, array &full) {
  look_at_number (a);
  look_at_number (b);
  const octave_value::binary_op given = op;
  op = reduced (op, a, b, is_number (a), is_number (b), true);
  const bool multiplies = op == octave_value::op_mul, powers = op == octave_value::op_pow;
  const bool stays =
      !multiplies && !powers && keeps_zeros (given == octave_value::op_mul ? given : op, a, b);
  if (multiplies)
    return product (a, b, o, result, full);
  if (powers)
    result = power (a.s, b.other.number.re);
  else if (!stays)
    full = entrywise (operation_of (op), operand (full_operand (a)), operand (full_operand (b)));
  else if (a.is_blocks && b.is_blocks)
    result = joined (operation_of (op), a.s, b.s);
  else
    result = with_number (operation_of (op), a, b);
  return stays || powers;
}

} // namespace gpumm
