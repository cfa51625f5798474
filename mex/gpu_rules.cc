// gpu_rules.cc - which operators gpuArrays have, with a GPU or without one: the errors for operands
// that a device does not take. Octave itself has most rules: it applies them to small operands.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "gpu_functions.h"

#include <octave/lo-array-errwarn.h>
#include <octave/parse.h>

using namespace gpumm;

// ---- operands -----------------------------------------------------------------------------------

storage kind_of_both (const octave_base_value &a, const octave_base_value &b) {
  return is_in_blocks (a) || is_in_blocks (b) ? storage::blocks
         : a.issparse () || b.issparse ()     ? storage::sparse
                                              : storage::full;
}

any_operand::any_operand (storage one, octave_value::binary_op op, const octave_base_value &given,
                          const octave_base_value &other)
    : there (gpu_value_of (given)) {
  if (one == storage::blocks && given.issparse ())
    say_gather ("an operator cannot combine a blocksparse X with a sparse matrix on a device. Use "
                "sparse (X), full (X) or gather (X)");
  x.size = shape_of (given.dims ());
  if (there) {
    kind = there->kind ();
    x.type = there->type ();
    return;
  }
  // As in Octave, a permutation matrix is full except for `*`, and a diagonal matrix is full for
  // `.*`, and beside a number, for which its zeros count.
  if (is_blocksparse (given)) {
    kind = storage::blocks;
    value = shared (given);
  } else if (given.issparse ()
             || (one == storage::sparse && op == octave_value::op_mul && given.is_perm_matrix ())) {
    kind = storage::sparse;
    value = given.issparse () ? shared (given) : by_octave ("sparse", ovl (shared (given)));
  } else if (one == storage::sparse && given.is_diag_matrix () && given.numel () != 1
             && other.numel () != 1 && op != octave_value::op_el_mul) {
    is_diagonal = true;
    value = shared (given);
  } else
    value = plain_array (shared (given));
  x.type = type_of_value (value);
}

octave_value any_operand::on_host () const {
  return there ? there->gathered () : value;
}

octave_value any_operand::as_given () const {
  return there ? shared (*there) : value;
}

dim_vector any_operand::block_size () const {
  if (there)
    return dynamic_cast<const gpu_stored &> (*there).block_size ();
  const Matrix b = by_octave ("blocksize", ovl (value)).matrix_value ();
  return dim_vector (octave_idx_type (b (0)), octave_idx_type (b (1)));
}

// ---- full arrays --------------------------------------------------------------------------------

static void check_full (octave_value::binary_op op, any_operand a, any_operand b) {
  op = reduced (op, a, b, a.x.is_scalar (), b.x.is_scalar ());
  if (op == octave_value::op_mul) {
    check_inner (a.x.size, b.x.size);
    return;
  }
  (void) checked_type (operation_of (op), a.x, b.x);
}

// ---- sparse matrices ----------------------------------------------------------------------------

static octave_value sparse_sample (gpumm_type type, bool is_scalar) {
  static octave_value samples[GPUMM_TYPES][2];
  octave_value &x = samples[type][is_scalar];
  if (!x.is_defined ())
    x = by_octave ("sparse", ovl (sample (type, is_scalar, dim_vector (2, 2))));
  return x;
}

// A sample of o for asking Octave for its rules. The rule may depend on a number's value.
static octave_value sample_of (const any_operand &o, bool by_value) {
  const array &x = o.x;
  if (o.kind == storage::sparse || (o.is_diagonal && !is_single (x.type)))
    return sparse_sample (x.type, x.is_scalar ());
  if (x.is_scalar () && (by_value || !o.is_there ()))
    return o.on_host ();
  return sample (x.type, x.is_scalar (), dim_vector (2, 2));
}

[[noreturn]] static void refuse_filled (octave_value::binary_op op) {
  say_gather (
      "the result of X %s Y would have few zeros, so it is not computed as a sparse matrix. "
      "Use full (X) or gather (X)",
      octave_value::binary_op_as_string (op).c_str ());
}

// Refuses operations that would make nonzeros of zeros that are not stored.
static void check_fills (octave_value::binary_op op, bool takes, const any_operand &a,
                         const any_operand &b) {
  const operation &o = operation_of (op);
  const bool adds = op == octave_value::op_add || op == octave_value::op_sub;
  if (compares (o.map) && !is_logical (o.map) && op != octave_value::op_ne
      && op != octave_value::op_eq && (is_complex (a.x.type) || is_complex (b.x.type)))
    say_gather ("complex sparse matrices cannot be ordered on a device. Use gather (X)");
  if (a.x.is_scalar () != b.x.is_scalar ()) {
    if ((!compares (o.map) && !adds && !takes) || !(a.x.is_scalar () ? b : a).is_stored ())
      return;
    const octave_value zero (0.0), given = (b.x.is_scalar () ? b : a).on_host ().full_value ();
    // NaN beside a sparse matrix is true
    const octave_value number =
        is_logical (o.map) ? octave_value (given.complex_value () != Complex (0)) : given;
    if (octave::binary_op (type_info (), op, b.x.is_scalar () ? zero : number,
                           b.x.is_scalar () ? number : zero)
            .complex_value ()
        != Complex (0))
      refuse_filled (op);
  } else if (a.is_stored () && b.is_stored () && !a.x.is_scalar () && op != octave_value::op_el_mul
             && op != octave_value::op_el_and && !adds && op != octave_value::op_lt
             && op != octave_value::op_gt && op != octave_value::op_ne
             && op != octave_value::op_el_or
             && !(op == octave_value::op_el_div && goes_along (b.x.size, a.x.size)))
    refuse_filled (op);
}

// The zeros of a sparse matrix that are not stored stay zeros beside these factors of its rows or
// columns, or it is an error: 0 * Inf and 0 / 0 are NaN. Waits.
static void check_factors (octave_value::binary_op op, const any_operand &factors) {
  const octave_value products = binary (op, 0.0, factors.as_given ().full_value ());
  if (any_of (binary (octave_value::op_ne, products, 0.0)))
    say_gather ("X %s Y: %s in Y would make NaN of zeros of X. Use full (X) or gather (X)",
                octave_value::binary_op_as_string (op).c_str (),
                op == octave_value::op_el_mul ? "Inf or NaN" : "0 or NaN");
}

// An error where the sizes differ. Octave 11 also broadcasts sparse matrices.
static void check_sparse_sizes (octave_value::binary_op op, const shape &a, const shape &b) {
  static const bool broadcasts = [] {
    const octave_value x (SparseMatrix (2, 2)), y (SparseMatrix (1, 2));
    try {
      octave::binary_op (type_info (), octave_value::op_add, x, y);
      return true;
    } catch (const octave::execution_exception &) {
      return false;
    }
  }();
  if (a == b)
    return;
  if (broadcasts && a.ndims () == 2 && b.ndims () == 2 && can_broadcast (a, b))
    say_gather (
        "X %s Y of a sparse matrix needs equal sizes on a device. Use full (X) or gather (X)",
        octave_value::binary_op_as_string (op).c_str ());
  octave::err_nonconformant (operation_of (op).name, dims_of (a), dims_of (b));
}

static bool check_sparse (octave_value::binary_op op, any_operand a, any_operand b) {
  for (const any_operand *o : {&a, &b})
    if (!o->is_stored ())
      check_narrow (o->x.type);
  if ((op == octave_value::op_div && !b.x.is_scalar ())
      || (op == octave_value::op_ldiv && !a.x.is_scalar ()))
    reduced (op, a, b, false, false); // an error; Octave's rules would tell sizes of samples
  const bool by_value = op == octave_value::op_el_pow || op == octave_value::op_pow;
  const octave_value rules =
      octave::binary_op (type_info (), op, sample_of (a, by_value), sample_of (b, by_value));
  const octave_value::binary_op given = op;
  op = reduced (op, a, b, a.x.is_scalar (), b.x.is_scalar ());
  if (op != octave_value::op_mul && has_own_sizes (op, a.x.size, b.x.size))
    return rules.issparse ();
  const bool both = a.kind == storage::sparse && b.kind == storage::sparse;
  if (op != octave_value::op_mul && rules.issparse ())
    check_fills (op, (both && takes_zeros (given)) || zeros_count (op), a, b);
  const bool multiplies = op == octave_value::op_el_mul,
             scales_b = multiplies && goes_along (a.x.size, b.x.size),
             scales_a =
                 (multiplies || op == octave_value::op_el_div) && goes_along (b.x.size, a.x.size);
  const bool by_b = scales_a && a.kind == storage::sparse;
  if (by_b || (scales_b && b.kind == storage::sparse))
    check_factors (op, by_b ? b : a);
  else if (scales_a || scales_b)
    refuse_filled (op);
  else if (op != octave_value::op_mul && !a.x.is_scalar () && !b.x.is_scalar ())
    check_sparse_sizes (op, a.x.size, b.x.size);
  return rules.issparse ();
}

void check_sparse_part (const octave_base_value &x) {
  const gpu_value *g = gpu_value_of (x);
  const gpumm_type type = g ? g->type () : type_of_class (x.class_name ());
  if (real_type (type) != GPUMM_D && type != GPUMM_B)
    say_gather (
        "a sparse matrix can be concatenated only with double and logical ones. Use gather (X)");
}

// ---- matrices in blocks -------------------------------------------------------------------------

// Raises Octave's or gpumm's error if a * b does not exist.
static void check_blocks_product (const any_operand &a, const any_operand &b) {
  const bool blocks_a = a.kind == storage::blocks, blocks_b = b.kind == storage::blocks;
  check_inner (a.x.size, b.x.size);
  const bool has_integers = is_integer (a.x.type) || is_integer (b.x.type);
  if (has_integers && a.x.type != b.x.type)
    error_with_id ("gpumm:undefined-operator",
                   "binary operator '*' not implemented for '%s%s' by '%s%s' operations",
                   blocks_a ? "blocksparse " : "", class_of (a.x.type),
                   blocks_b ? "blocksparse " : "", class_of (b.x.type));
  if (!blocks_a || !blocks_b) {
    if (has_integers)
      say_gather (
          "a device multiplies a blocksparse of integers only by another one. Use gather (X)");
    return;
  }
  const dim_vector s = a.block_size (), t = b.block_size ();
  if (s (1) != t (0))
    error_with_id ("Octave:nonconformant-args",
                   "operator *: nonconformant blocks (op1 has blocks of %s, op2 of %s). Use full "
                   "(S) of one of them, or other blocks",
                   s.str ().c_str (), t.str ().c_str ());
}

static void check_blocks_power (const any_operand &a, const any_operand &b) {
  if (a.kind != storage::blocks || b.kind == storage::blocks || !b.x.is_scalar ())
    say_gather ("X ^ Y with a matrix Y is not available on a device. Use gather (X)");
  const double p = scalar_of (b.on_host ()).re;
  if (!is_float (a.x.type)) // Octave's error
    octave::binary_op (type_info (), octave_value::op_pow,
                       sample (a.x.type, false, dim_vector (2, 2)), octave_value (2.0));
  if (a.x.size (0) != a.x.size (1))
    error ("for x^y, only square matrix arguments are permitted and one argument must be scalar.  "
           "Use .^ for elementwise power.");
  if (b.x.type != GPUMM_D || !(p >= 1) || p != std::floor (p) || p > 9007199254740992.0
      || a.block_size () (0) != a.block_size () (1))
    say_gather (
        "X ^ P of a blocksparse needs square blocks and a whole P of 1 or more on a device. "
        "Use gather (X)");
}

static void check_blocks (octave_value::binary_op op, any_operand a, any_operand b) {
  op = reduced (op, a, b, a.is_full_number (), b.is_full_number (), true);
  if (op == octave_value::op_mul) {
    check_blocks_product (a, b);
    return;
  }
  check_narrow (a.x.type);
  check_narrow (b.x.type);
  if (op == octave_value::op_pow)
    check_blocks_power (a, b);
}

bool fits_blocks (gpumm_type a, const dim_vector &block_a, gpumm_type b, const dim_vector &block_b,
                  const Array<octave_idx_type> &place) {
  return real_type (a) == real_type (b) && block_a == block_b && place (0) % block_a (0) == 0
         && place (1) % block_a (1) == 0;
}

// ---- all ----------------------------------------------------------------------------------------

bool check_operator (storage kind, octave_value::binary_op op, const any_operand &a,
                     const any_operand &b) {
  if (kind == storage::sparse)
    return check_sparse (op, a, b);
  (kind == storage::full ? check_full : check_blocks) (op, a, b);
  return false;
}
