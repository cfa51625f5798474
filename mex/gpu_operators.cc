// gpu_operators.cc - operators and concatenation of gpuArrays, with a GPU or without one.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gpuarray.h"

#include <octave/parse.h>

using namespace gpumm;

static const gpu_value &first_of (const octave_base_value &a, const octave_base_value &b) {
  const gpu_value *x = gpu_value_of (a);
  return x ? *x : *gpu_value_of (b);
}

int device_of (const octave_base_value &a, const octave_base_value &b) {
  return first_of (a, b).device ();
}

// ---- concatenation ------------------------------------------------------------------------------

Array<octave_idx_type> place_of_part (const Array<octave_idx_type> &given, const dim_vector &whole,
                                      const dim_vector &part) {
  const int dims = std::max<int> (whole.ndims (), int (given.numel ()));
  const dim_vector all = whole.redim (dims), size = part.redim (dims);
  Array<octave_idx_type> place (given);
  for (int d = 0; d < int (place.numel ()); d++)
    if (place (d) + size (d) > all (d)) {
      if (size (d) != all (d)) // otherwise it is the only part in this dimension
        error_with_id ("gpumm:unsupported",
                       "gpuArray: an empty matrix of 1x0 or 0x1 cannot be concatenated "
                       "here. Leave it out");
      place (d) = 0;
    }
  return place;
}

octave_value gpu_value::joined (const octave_base_value &a, const octave_base_value &b,
                                const Array<octave_idx_type> &place) const {
  switch (kind_of_both (a, b)) {
  case storage::blocks:
    return gpublocks_joined (a, b, place);
  case storage::sparse:
    return gpusparse_joined (a, b, place);
  default:
    return gpufull_joined (a, b, place);
  }
}

// ---- operators ----------------------------------------------------------------------------------

// Is x a divisor in host memory?  Octave divides by it: this costs more than to copy the other
// operand.
static bool is_host_divisor (const octave_base_value &x) {
  return !gpu_value_of (x) && !is_blocksparse (x) && x.numel () != 1;
}

// Is x a full divisor that is a matrix?
static bool is_full_divisor (const octave_base_value &x, const octave_base_value &other) {
  return x.numel () != 1 && kind_of_both (x, other) == storage::full;
}

// An N-d array beside a matrix is a matrix for `*`: all dimensions after the first count columns.
static bool has_pages (const octave_base_value &a, const octave_base_value &b) {
  return std::max (a.ndims (), b.ndims ()) > 2 && a.numel () != 1 && b.numel () != 1;
}

static octave_value product_of_pages (const octave_base_value &a, const octave_base_value &b) {
  const octave_value x = shared (a), y = shared (b);
  if (x.dims ().redim (2) (1) != y.rows ())
    error_with_id ("Octave:nonconformant-args",
                   "operator *: op1 is %s and op2 is %s. pagemtimes multiplies each page",
                   x.dims ().str ().c_str (), y.dims ().str ().c_str ());
  return octave::binary_op (type_info (), octave_value::op_mul, x.reshape (x.dims ().redim (2)),
                            y.reshape (y.dims ().redim (2)));
}

// A matrix in blocks of one element counts as a number beside a matrix that is not in blocks.
static bool is_number_beside (const octave_base_value &x, const octave_base_value &other) {
  return x.numel () == 1 && other.numel () != 1 && is_gpublocks (x) && !is_in_blocks (other);
}

static bool is_operand (const octave_base_value &x) {
  return gpu_value_of (x) || x.isnumeric () || x.islogical () || x.is_string ();
}

// Octave has no such operator. Its own words, and what to write for a class that does not go with
// the other one.
[[noreturn]] static void not_implemented (const std::string &words, const octave_base_value &a,
                                          const octave_base_value &b) {
  const char *text = "";
  if ((a.issparse () || b.issparse ()) && (a.is_single_type () || b.is_single_type ()))
    text = ". Use double (X) of the single operand X, or full (S) of the sparse operand S";
  else if (is_operand (a) && is_operand (b))
    text = ". Convert one of the operands to the class of the other";
  error_with_id ("gpumm:undefined-operator", "%s%s", words.c_str (), text);
}

static octave_value operated (octave_value::binary_op op, const octave_base_value &a,
                              const octave_base_value &b) {
  if (op == octave_value::op_mul && has_pages (a, b))
    return product_of_pages (a, b);
  if ((op == octave_value::op_div && is_host_divisor (b))
      || (op == octave_value::op_ldiv && is_host_divisor (a)))
    return divided (op, a, b);
  if (is_number_beside (a, b))
    return octave::binary_op (type_info (), op, a.full_value (), shared (b));
  if (is_number_beside (b, a))
    return octave::binary_op (type_info (), op, shared (a), b.full_value ());
  if (!is_operand (a) || !is_operand (b))
    not_implemented ("binary operator '" + octave_value::binary_op_as_string (op)
                         + "' not implemented for '" + a.type_name () + "' by '" + b.type_name ()
                         + "' operations",
                     a, b);
  if ((op == octave_value::op_div && is_full_divisor (b, a))
      || (op == octave_value::op_ldiv && is_full_divisor (a, b)))
    return divided (op, a, b);
  try {
    return first_of (a, b).combined (op, a, b);
  } catch (const octave::execution_exception &err) {
    if (!err.identifier ().empty () || err.message ().find ("binary operator") != 0)
      throw;
    octave::interpreter::the_interpreter ()->recover_from_exception ();
    not_implemented (err.message (), a, b);
  }
}

void any_operand::bring (int device, bool drops_zeros) {
  if (there && kind == storage::sparse)
    s = moved (stored_as<sparse> (*there)->operand (drops_zeros), device);
  else if (there && kind == storage::blocks)
    b = moved (stored_as<blocks> (*there)->operand (false), device);
  else if (there && get_gpuarray (*there, x) && x.device != device)
    x = moved (x, device);
  else if (!there && kind == storage::sparse)
    s = upload_sparse (value, device);
  else if (!there && kind == storage::blocks)
    b = upload_blocks (value, device);
  else if (!there && !is_diagonal)
    static_cast<operand &> (*this) = operand_of (value, device);
  x.device = device;
}

array any_operand::full () const {
  return kind == storage::sparse   ? full_of (s)
         : kind == storage::blocks ? implicit_full_of (b)
         : is_diagonal             ? upload (value.full_value (), x.device)
                                   : as_array (*this);
}

void any_operand::keep () const {
  if (there && kind == storage::sparse)
    stored_as<sparse> (*there)->keep (s);
  if (there && kind == storage::blocks)
    stored_as<blocks> (*there)->keep (b);
}

octave_value combined_there (octave_value::binary_op op, const octave_base_value &a,
                             const octave_base_value &b, const product_options &o) {
  const storage kind = kind_of_both (a, b);
  if (kind == storage::full)
    return gpufull_binary (op, a, b, o); // checks its operands
  any_operand x (kind, op, a, b), y (kind, op, b, a);
  const bool is_sparse = check_operator (kind, op, x, y), multiplies = op == octave_value::op_mul;
  const device_stored<sparse> *s = stored_as<sparse> (a), *t = stored_as<sparse> (b);
  const bool drops_zeros =
      !multiplies && s && t && x.x.size == y.x.size && !same_pattern (s->m (), t->m ());
  x.bring (device_of (a, b), drops_zeros);
  y.bring (device_of (a, b), drops_zeros);
  const octave_value z = kind == storage::blocks ? combined_blocks (op, x, y, o)
                                                 : combined_sparse (op, x, y, is_sparse, o);
  if (multiplies) {
    x.keep ();
    y.keep ();
  }
  return z;
}

octave_value gpu_value::combined (octave_value::binary_op op, const octave_base_value &a,
                                  const octave_base_value &b) const {
  return combined_there (op, a, b, {});
}

template <octave_value::binary_op op>
static octave_value binary (const octave_base_value &a, const octave_base_value &b) {
  return operated (op, a, b);
}

// a OP= b, in a's buffer if nobody else holds it.
template <octave_value::binary_op op>
static octave_value compound (octave_base_value &a, const octave_value_list &,
                              const octave_base_value &b) {
  a.maybe_economize ();
  if (b.issparse ()
      || is_blocksparse (b)) // a result that may be sparse cannot replace a full array
    say_gather ("X %s= Y with a sparse Y cannot change a full array. Write X = X %s Y",
                octave_value::binary_op_as_string (op).c_str (),
                octave_value::binary_op_as_string (op).c_str ());
  const octave_value y = operated (op, a, b);
  dynamic_cast<gpu_full &> (a).become (*gpu_value_of (y.get_rep ()));
  return octave_value ();
}

// x++ and x--
template <octave_value::binary_op op> static void stepped (octave_base_value &x) {
  compound<op> (x, octave_value_list (), octave_value (1.0).get_rep ());
}

// An error for a full array whose type has no arithmetic on a device.
static void check_arithmetic (const octave_base_value &x) {
  const gpu_value &g = *gpu_value_of (x);
  if (g.kind () == storage::full)
    check_narrow (g.type ());
}

void install_with_operators (octave::type_info &types, int id) {
#define OPERATOR(op)                                                                               \
  install_with_all (types, octave_value::op_##op, id, binary<octave_value::op_##op>);
  OPERATOR (mul)
  OPERATOR (div)
  OPERATOR (ldiv)
  OPERATOR (pow)
  OPERATOR (add)
  OPERATOR (sub)
  OPERATOR (el_mul)
  OPERATOR (el_div)
  OPERATOR (el_ldiv)
  OPERATOR (el_pow)
  OPERATOR (lt)
  OPERATOR (le)
  OPERATOR (eq)
  OPERATOR (ne)
  OPERATOR (ge)
  OPERATOR (gt)
  OPERATOR (el_and)
  OPERATOR (el_or)
#undef OPERATOR
  types.install_unary_op (octave_value::op_transpose, id, [] (const octave_base_value &x) {
    return gpu_value_of (x)->transpose (false);
  });
  types.install_unary_op (octave_value::op_hermitian, id, [] (const octave_base_value &x) {
    return gpu_value_of (x)->transpose (true);
  });
  types.install_unary_op (octave_value::op_not, id, [] (const octave_base_value &x) {
    check_arithmetic (x);
    return gpu_value_of (x)->inverted ();
  });
  types.install_unary_op (octave_value::op_uminus, id, [] (const octave_base_value &x) {
    check_arithmetic (x);
    return gpu_value_of (x)->negated ();
  });
  types.install_unary_op (octave_value::op_uplus, id, [] (const octave_base_value &x) {
    return x.islogical () ? shared (x).as_double () : shared (x);
  });
  const auto join = [] (const octave_base_value &a, const octave_base_value &b,
                        const Array<octave_idx_type> &place) {
    if ((a.is_string () || b.is_string ()) && kind_of_both (a, b) == storage::full)
      say_gather ("text cannot be concatenated with a gpuArray. Use gather (X)");
    return first_of (a, b).joined (a, b, place);
  };
  for (int other = 0; other < types.installed_type_names ().numel (); other++) {
    types.install_cat_op (id, other, join);
    if (other != id)
      types.install_cat_op (other, id, join);
  }
}

// V(I) = G makes a gpuArray of V, if V is a full array of the host.
static void install_parts (octave::type_info &types, int id, int part) {
  const auto widened = [] (const octave_base_value &x) -> octave_base_value * {
    return on_device (shared (x), device_for_new ()).get_rep ().clone ();
  };
  for (int type = 0; type < GPUMM_TYPES; type++)
    for (const bool is_scalar : {false, true}) {
      const int v = sample (gpumm_type (type), is_scalar, dim_vector (1, 2)).type_id ();
      types.install_pref_assign_conv (v, part, id);
      types.install_widening_op (v, id, widened);
    }
  for (const char quote : {'"', '\''}) // text would become double
    types.install_assign_op (octave_value::op_asn_eq, octave_value ("", quote).type_id (), part,
                             [] (octave_base_value &, const octave_value_list &,
                                 const octave_base_value &) -> octave_value {
                               say_gather ("text has no parts on a device. Use gather (X)");
                             });
}

void install_full (octave::type_info &types, int id, int part) {
  install_with_operators (types, id);
  install_parts (types, id, part);
  for (int other = 0; other < types.installed_type_names ().numel (); other++) {
#define COMPOUND(op)                                                                               \
  types.install_assign_op (octave_value::op_##op##_eq, id, other, compound<octave_value::op_##op>);
    COMPOUND (add)
    COMPOUND (sub)
    COMPOUND (mul)
    COMPOUND (div)
    COMPOUND (el_mul)
    COMPOUND (el_div)
    COMPOUND (el_and)
    COMPOUND (el_or)
#undef COMPOUND
  }
  types.install_non_const_unary_op (octave_value::op_incr, id, stepped<octave_value::op_add>);
  types.install_non_const_unary_op (octave_value::op_decr, id, stepped<octave_value::op_sub>);
}
