// device_blocks.cc - see device_blocks.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks.h"
#include "block_index.h"

#include <cmath>

#include <octave/ov-struct.h>

namespace gpumm {

// ---- the host -----------------------------------------------------------------------------------

bool is_blocksparse (const octave_base_value &x) {
  return x.class_name () == "blocksparse";
}

blocks upload_blocks (const octave_value &value, int device) {
  const octave_scalar_map s = by_octave ("__blocksparse__", ovl (value)).scalar_map_value ();
  const auto size = [&s] (const char *name) {
    return octave_idx_type (s.contents (name).double_value ());
  };
  blocks x;
  x.device = device;
  x.rows = size ("rows");
  x.cols = size ("cols");
  x.block_rows = size ("block_rows");
  x.block_cols = size ("block_cols");
  if (x.rows / x.block_rows >= INT32_MAX || x.cols / x.block_cols >= INT32_MAX)
    say_gather (
        "a blocksparse on a device must have less than 2^31 - 1 rows and columns of blocks. Use "
        "gather (X)");
  x.start = upload (s.contents ("start"), device);
  x.index = upload (s.contents ("column"), device);
  x.values = upload (s.contents ("values"), device);
  x.stored = x.index.numel ();
  x.values.size = shape (x.block_rows * x.block_cols, x.stored);
  x.twin = std::make_shared<blocks> ();
  return x;
}

octave_value download (blocks x) {
  drop_zeros (x);
  x = straight (x);
  array values = ready (x.values);
  values.size = shape (x.block_rows, x.block_cols * x.stored);
  octave_scalar_map s;
  s.assign ("rows", double (x.rows));
  s.assign ("cols", double (x.cols));
  s.assign ("block_rows", double (x.block_rows));
  s.assign ("block_cols", double (x.block_cols));
  s.assign ("start", download (x.start));
  s.assign ("column", download (x.index));
  s.assign ("values", download (values));
  return by_octave ("__blocksparse__", ovl (octave_value (s), "product"));
}

blocks as_type (blocks x, gpumm_type type) {
  if (x.type () == type || !(is_wide (x.type ()) || is_wide (type)))
    return converted (x, type);
  x = straight (x);
  return with_values (x, as_type (x.values, type));
}

// Larger full matrices need full (X), as for a blocksparse of the host.
static const double MOST_IMPLICIT_BYTES = 1 << 30;

array implicit_full_of (const blocks &x) {
  const shape size = x.size ();
  const double bytes =
      double (size (0)) * double (size (1)) * double (gpumm_type_bytes (x.type ()));
  if (bytes > MOST_IMPLICIT_BYTES)
    error_with_id ("gpumm:unsupported",
                   "blocksparse: this operation needs all %ldx%ld elements, %.3g GB. Use full (S)",
                   long (size (0)), long (size (1)), 1e-9 * bytes);
  return full_of (x);
}

// ---- parts --------------------------------------------------------------------------------------

array part_of (const blocks &x, std::vector<octave::idx_vector> index) {
  const shape size = x.size ();
  if (size.numel () == 1)
    return indexed (full_of (x), index);
  if (index.size () == 1) {
    const octave_idx_type at = index[0](0);
    index = {octave::idx_vector (at % size (0)), octave::idx_vector (at / size (0))};
  }
  return part_of (x, selected (index[0]), selected (index[1]));
}

array block_of (const blocks &x, const octave_value_list &given) {
  const block_index at (given, dims_of (x.size ()), dims_of (x.block_size ()));
  return part_of (x, selected (at.rows), selected (at.cols));
}

// ---- products -----------------------------------------------------------------------------------

// a * b in this type, and drops zeros of a and b.
static blocks product (blocks &a, blocks &b, gpumm_type type, const product_options &o) {
  return has_long_lines (a, b) ? upload_blocks (product_on_host (a, b), a.device)
                               : multiplied (a, b, type, o);
}

static octave_value blocks_product (any_operand &a, any_operand &b, const product_options &o) {
  if (b.kind != storage::blocks)
    return value_of (multiplied_full (a.b, as_array (b), true, o));
  if (a.kind != storage::blocks)
    return value_of (multiplied_full (b.b, as_array (a), false, o));
  const gpumm_type type = product_type (a.x.type, b.x.type);
  return value_of (product (a.b, b.b, o.output == GPUMM_TYPES ? type : o.output, o));
}

// By repeated squaring, as for a blocksparse of the host.
static blocks power (blocks a, double p) {
  blocks c;
  const gpumm_type type = a.type ();
  for (bool is_first = true;; a = product (a, a, type, {})) {
    if (std::fmod (p, 2) == 1) {
      c = is_first ? a : product (c, a, type, {});
      is_first = false;
    }
    p = std::floor (p / 2);
    if (p == 0)
      return c;
  }
}

// ---- elementwise --------------------------------------------------------------------------------

// S OP number or number OP S.
static blocks blocks_with_number (const operation &o, const any_operand &a, const any_operand &b) {
  const bool left = a.kind == storage::blocks;
  blocks x = left ? a.b : b.b;
  const gpumm_scalar number = (left ? b : a).number;
  if (!std::isfinite (number.re) || !std::isfinite (number.im))
    drop_zeros (x); // 0 * Inf would be NaN
  if (x.conjugated)
    x = straight (x);
  const operand values = operand (x.values);
  return with_values (x, left ? elementwise (o, values, b) : elementwise (o, a, values));
}

// Does the result stay in blocks? The rules are those of @blocksparse/elementwise.m. With `*` a
// number may be NaN or Inf.
static bool keeps_zeros (octave_value::binary_op op, const any_operand &a, const any_operand &b) {
  if (a.kind == storage::blocks && b.kind == storage::blocks)
    return (op == octave_value::op_add || op == octave_value::op_sub
            || op == octave_value::op_el_mul)
           && a.x.size == b.x.size && a.b.block_size () == b.b.block_size ();
  const any_operand &n = a.kind == storage::blocks ? b : a;
  if (op == octave_value::op_mul || !n.is_full_number ())
    return n.is_full_number ();
  if (!std::isfinite (n.number.re) || !std::isfinite (n.number.im))
    return false;
  const bool is_zero = n.number.re == 0 && n.number.im == 0;
  return op == octave_value::op_el_mul
         || (a.kind == storage::blocks
             && (op == octave_value::op_el_div
                     ? !is_zero
                     : op == octave_value::op_el_pow && !is_complex (n.x.type) && n.number.re > 0));
}

// Copies a number on the device to the host, which needs its value. Waits.
static void look_at_number (any_operand &x) {
  if (x.is_full_number () && !x.is_number)
    static_cast<operand &> (x) = operand_of (download (x.x), x.x.device);
}

octave_value combined_blocks (octave_value::binary_op op, any_operand &a, any_operand &b,
                              const product_options &options) {
  look_at_number (a);
  look_at_number (b);
  const octave_value::binary_op given = op;
  op = reduced (op, a, b, a.is_full_number (), b.is_full_number (), true);
  if (op == octave_value::op_mul)
    return blocks_product (a, b, options);
  if (op == octave_value::op_pow)
    return value_of (power (a.b, b.number.re));
  const operation &o = operation_of (op);
  if (!keeps_zeros (given == octave_value::op_mul ? given : op, a, b))
    return value_of (elementwise (o, operand (a.full ()), operand (b.full ())));
  if (a.kind == storage::blocks && b.kind == storage::blocks)
    return value_of (combined (o.map, a.b, b.b, checked_type (o, a.x, b.x)));
  return value_of (blocks_with_number (o, a, b));
}

} // namespace gpumm
