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

// ---- operands -----------------------------------------------------------------------------------

static dim_vector size_of (const block_operand &x) {
  return dims_of (x.is_blocks ? x.s.size () : x.other.x.size);
}

static bool is_number (const block_operand &x) {
  return !x.is_blocks && x.other.x.is_scalar ();
}

static array full_operand (const block_operand &x) {
  return x.is_blocks ? implicit_full_of (x.s) : as_array (x.other);
}

// ---- products -----------------------------------------------------------------------------------

// a * b in this type, and drops zeros of a and b.
static blocks product (blocks &a, blocks &b, gpumm_type type, const product_options &o) {
  return has_long_lines (a, b) ? upload_blocks (product_on_host (a, b), a.device)
                               : multiplied (a, b, type, o);
}

static bool product (block_operand &a, block_operand &b, const product_options &o, blocks &result,
                     array &full) {
  if (a.is_blocks && b.is_blocks) {
    const gpumm_type s = a.s.type (), type = is_float (s) ? product_type (s, b.s.type ()) : s;
    result = product (a.s, b.s, o.output == GPUMM_TYPES ? type : o.output, o);
  } else
    full = a.is_blocks ? multiplied_full (a.s, as_array (b.other), true, o)
                       : multiplied_full (b.s, as_array (a.other), false, o);
  return a.is_blocks && b.is_blocks;
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
static blocks with_number (const operation &o, const block_operand &a, const block_operand &b) {
  blocks x = a.is_blocks ? a.s : b.s;
  const gpumm_scalar number = (a.is_blocks ? b : a).other.number;
  if (!std::isfinite (number.re) || !std::isfinite (number.im))
    drop_zeros (x); // 0 * Inf would be NaN
  if (x.conjugated)
    x = straight (x);
  const operand values = operand (x.values);
  return with_values (x, a.is_blocks ? elementwise (o, values, b.other)
                                     : elementwise (o, a.other, values));
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
               const product_options &options, blocks &result, array &full) {
  look_at_number (a);
  look_at_number (b);
  const octave_value::binary_op given = op;
  op = reduced (op, a, b, is_number (a), is_number (b), true);
  if (op == octave_value::op_mul)
    return product (a, b, options, result, full);
  if (op == octave_value::op_pow) {
    result = power (a.s, b.other.number.re);
    return true;
  }
  const operation &o = operation_of (op);
  const bool stays = keeps_zeros (given == octave_value::op_mul ? given : op, a, b);
  if (!stays)
    full = elementwise (o, operand (full_operand (a)), operand (full_operand (b)));
  else if (a.is_blocks && b.is_blocks)
    result = combined (o.map, a.s, b.s,
                       checked_type (o, {a.s.type (), size_of (a)}, {b.s.type (), size_of (b)}));
  else
    result = with_number (o, a, b);
  return stays;
}

} // namespace gpumm
