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

static gpumm_bsr bsr_of (const blocks &x) {
  gpumm_bsr m = {};
  m.rows = x.rows / x.block_rows;
  m.cols = x.cols / x.block_cols;
  m.stored = x.stored;
  m.block_rows = x.block_rows;
  m.block_cols = x.block_cols;
  m.start = view (x.start);
  m.column = view (x.index);
  m.values = view (x.values);
  return m;
}

// A product with its operands, whose blocks of C are counted.
struct counted_blocks {
  gpumm_bsr_product p = {};
  blocks a, b, c;

  counted_blocks (blocks x, blocks y) {
    const gpumm_type s = x.values.type, t = y.values.type, type = type_of_product (s, t);
    a = in_type (straight (x), type);
    b = in_type (straight (y), type);
    a.values = plain (a.values);
    b.values = plain (b.values);
    blocks sizes = a;
    sizes.cols = b.cols;
    sizes.block_cols = b.block_cols;
    c = new_blocks (a.device, type, sizes, 0);
    if (is_complex (type)) // real ones mirror by themselves
      p.symmetry = symmetry_of (x, y);
    if (is_empty ()) {
      c.start = zeros (a.device, GPUMM_I64, c.start.size);
      return;
    }
    c.zero = vector (a.device, GPUMM_I32, 1);
    c.may_store_zeros = true;
    p.a = bsr_of (a);
    p.b = bsr_of (b);
    p.c = bsr_of (c);
    p.real_a = is_complex (type) && !is_complex (s);
    p.real_b = is_complex (type) && !is_complex (t);
    p.zero = view (c.zero);
    need (gpumm_bsr_count (&p));
  }

  bool is_empty () const {
    return a.stored == 0 || b.stored == 0;
  }
};

// a * b, and drops zeros of a and b, all in one read.
static blocks multiplied (blocks &a, blocks &b) {
  if (!(a.turned && b.turned)
      && is_long (b.cols / b.block_cols, b.stored + (b.turned ? a.stored : 0)))
    return upload_blocks (product_on_host (a, b), a.device);
  for (;;) {
    read_back l;
    zero_flags<blocks> zeros (a, b, l);
    counted_blocks product (a, b);
    blocks &c = product.c;
    if (product.is_empty ())
      return c;
    int64_t stored = 0;
    l.add (c.start, product.p.c.rows, 1, &stored);
    l.now ();
    if (!zeros.drops_nothing (a, b))
      continue; // again, without the dropped blocks
    gpumm_bsr_product &p = product.p;
    c.stored = stored;
    c.index = vector (c.device, GPUMM_I32, stored);
    c.values =
        new_array (c.device, c.values.type, dim_vector (c.block_rows * c.block_cols, stored));
    p.c = bsr_of (c);
    need (gpumm_bsr_multiply (&p));
    return c;
  }
}

// Blocks times full (left) or full times blocks.
static array multiplied_full (blocks &given, array d, bool left) {
  blocks s = drop_zeros (given);
  const dim_vector size = s.size ();
  const gpumm_type t = s.values.type, u = d.type == GPUMM_B ? GPUMM_D : d.type,
                   type = type_of_product (t, u);
  if (s.conjugated && !s.turned)
    s = straight (s);
  s = in_type (s, type);
  s.values = plain (s.values);
  d = as_factor (converted (d, type));
  const bool is_zero = d.numel () == 0 || s.stored == 0;
  const array c = (is_zero ? zeros : new_array) (
      s.device, type, left ? dim_vector (size (0), d.size (1)) : dim_vector (d.size (0), size (1)));
  gpumm_bsr_full p = {};
  p.s = bsr_of (s);
  p.op = op_of (s);
  p.left = left;
  p.real_s = is_complex (type) && !is_complex (t);
  p.real_d = is_complex (type) && !is_complex (u);
  p.d = matrix_of (d);
  p.c = matrix_of (c);
  p.d.buffer = d.buffer.get ();
  p.c.buffer = c.buffer.get ();
  if (c.numel () > 0 && !is_zero)
    need (gpumm_bsr_multiply_full (&p));
  return c;
}

array sum_of (blocks x, int dim) {
  const index_type n = x.size () (dim);
  if (!is_float (x.type ()))
    x = converted (x, GPUMM_D);
  array one = as_array (operand_of (octave_value (1.0), x.device));
  one.size = dim == 0 ? dim_vector (1, n) : dim_vector (n, 1);
  return multiplied_full (x, is_single (x.type ()) ? converted (one, GPUMM_S) : one, dim == 1);
}

static bool product (block_operand &a, block_operand &b, blocks &result, array &full) {
  if (a.is_blocks && b.is_blocks)
    result = multiplied (a.s, b.s);
  else
    full = a.is_blocks ? multiplied_full (a.s, as_array (b.other), true)
                       : multiplied_full (b.s, as_array (a.other), false);
  return a.is_blocks && b.is_blocks;
}

// By repeated squaring, as for a blocksparse of the host.
static blocks power (blocks a, double p) {
  blocks c;
  for (bool is_first = true;; a = multiplied (a, a)) {
    if (std::fmod (p, 2) == 1) {
      c = is_first ? a : multiplied (c, a);
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

bool combined (octave_value::binary_op op, block_operand &a, block_operand &b, blocks &result,
               array &full) {
  look_at_number (a);
  look_at_number (b);
  const octave_value::binary_op given = op;
  op = reduced (op, a, b, is_number (a), is_number (b), true);
  const bool multiplies = op == octave_value::op_mul, powers = op == octave_value::op_pow;
  const bool stays =
      !multiplies && !powers && keeps_zeros (given == octave_value::op_mul ? given : op, a, b);
  if (multiplies)
    return product (a, b, result, full);
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
