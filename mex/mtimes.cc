// mtimes.cc - Octave's own operator * of matrices, computed by gpumm after gpumm_mtimes (true).
//
//   [ON, GPU, CPU] = __gpumm_mtimes__ ()       is it on, and how many products ran where
//   [ON, GPU, CPU] = __gpumm_mtimes__ (ON)     the same before the call
//
// Octave finds the function of an operator in a table, by the types of both operands. gpumm's
// functions take the places of Octave's there. They call __gpumm_multiply__ for large products and
// Octave's function for the others, and if gpumm raises an error: Octave then multiplies, or raises
// its own. A'*B and the like are operators of their own. Where Octave has no function for one, it
// forms the transpose; gpumm does not.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "own_matrix.h"
#include "plan/too_small.h"

#include <octave/ov-cx-mat.h>
#include <octave/ov-cx-sparse.h>
#include <octave/ov-flt-cx-mat.h>
#include <octave/ov-flt-re-mat.h>
#include <octave/ov-re-mat.h>
#include <octave/ov-re-sparse.h>
#include <octave/parse.h>

using octave::type_info;
using binary_op_fcn = type_info::binary_op_fcn;

// Multiplications from which a product of full matrices is gpumm's.
static const double LEAST_WORK = double (GPUMM_LEAST_EDGE) * GPUMM_LEAST_EDGE * GPUMM_LEAST_EDGE;

enum form { MUL, TRANS_MUL, MUL_TRANS, HERM_MUL, MUL_HERM, FORMS };
enum { FULL_TYPES = 4, TYPES = 6 };

static int ids[TYPES]; // of Octave's types of matrices, the full ones first
static binary_op_fcn octaves[FORMS][TYPES][TYPES];
static bool is_on, is_inside;
static double on_gpu, on_cpu;

static int index_of (int id) {
  int i = 0;
  while (ids[i] != id)
    i++;
  return i;
}

static bool turns_first (form f) {
  return f == TRANS_MUL || f == HERM_MUL;
}

// Elements that a product reads.
static double stored (const octave_base_value &x) {
  return double (x.issparse () ? x.nnz () : x.numel ());
}

// With r elements of A and s of B, a product of inner size k has about r s / k multiplications.
static bool is_large (form f, const octave_base_value &a, const octave_base_value &b) {
  const double least = a.issparse () && b.issparse ()   ? GPUMM_LEAST_SPARSE_BY_SPARSE
                       : a.issparse () || b.issparse () ? GPUMM_LEAST_SPARSE_BY_FULL
                                                        : LEAST_WORK;
  const double pairs = stored (a) * stored (b);
  if (pairs < least) // found without the sizes, which take as long as a small product to ask for
    return false;
  const dim_vector x = a.dims (), y = b.dims ();
  const octave_idx_type k = x (!turns_first (f));
  const bool turns_second = f != MUL && !turns_first (f);
  if (x.ndims () != 2 || y.ndims () != 2 || k != y (turns_second) || pairs < least * double (k))
    return false;
  return !(a.issparse () && b.issparse ()
           && gpumm_octave_is_faster (true, true, stored (a), stored (b),
                                      double (x (turns_first (f))), double (k),
                                      double (y (!turns_second))));
}

// Returns an undefined value if gpumm raises an error, or does not multiply them as they are.
static octave_value product (form f, const octave_base_value &a, const octave_base_value &b) {
  static const char *const option[FORMS] = {"", "TransposeA", "TransposeB", "TransposeA",
                                            "TransposeB"};
  octave_value_list arguments = ovl (shared (a), shared (b)); // A and A of A'*A stay one array
  if (f != MUL)
    arguments.append (ovl (option[f], f < HERM_MUL ? "transpose" : "ctranspose"));
  is_inside = true;
  octave::unwind_action leave ([] () { is_inside = false; });
  try {
    const octave_value_list results = octave::feval ("__gpumm_multiply__", arguments, 2);
    if (results.empty () || results (0).is_undefined ()) // not as they are
      return octave_value ();
    (results (1).scalar_map_value ().getfield ("backend").string_value () == "gpu" ? on_gpu
                                                                                   : on_cpu)++;
    return results (0);
  } catch (const octave::execution_exception &) {
    octave::interpreter::the_interpreter ()->recover_from_exception ();
    return octave_value ();
  }
}

// As Octave does it where it has no function for the form.
static octave_value decomposed (form f, const octave_base_value &a, const octave_base_value &b) {
  type_info &types = octave::interpreter::the_interpreter ()->get_type_info ();
  const octave_value::unary_op turn =
      f < HERM_MUL ? octave_value::op_transpose : octave_value::op_hermitian;
  octave_value x = shared (a), y = shared (b);
  (turns_first (f) ? x : y) = octave::unary_op (types, turn, turns_first (f) ? x : y);
  return octave::binary_op (types, octave_value::op_mul, x, y);
}

template <form f>
static octave_value multiply (const octave_base_value &a, const octave_base_value &b) {
  if (is_on && !is_inside && is_large (f, a, b)) {
    const octave_value c = product (f, a, b);
    if (c.is_defined ())
      return c;
  }
  const binary_op_fcn octave = octaves[f][index_of (a.type_id ())][index_of (b.type_id ())];
  return octave ? octave (a, b) : decomposed (f, a, b);
}

// ---- the table ----------------------------------------------------------------------------------

// gpumm has no products of sparse matrices with single ones.
static bool has_product (int i, int j) {
  const auto is_single = [] (int t) { return t == 2 || t == 3; };
  return !(i >= FULL_TYPES && is_single (j)) && !(j >= FULL_TYPES && is_single (i));
}

// Puts f's function in the places of Octave's, or Octave's back. A place that is not as it was left
// has another owner and stays.
template <form f, typename operation>
static void exchange (type_info &types, operation op, bool on) {
  for (int i = 0; i < TYPES; i++)
    for (int j = 0; j < TYPES; j++) {
      if (!has_product (i, j))
        continue;
      const binary_op_fcn now = types.lookup_binary_op (op, ids[i], ids[j]);
      if (on && (now || (f != MUL && octaves[MUL][i][j]))) {
        octaves[f][i][j] = now; // null: Octave decomposes the form
        types.register_binary_op (op, ids[i], ids[j], multiply<f>);
      } else if (!on && now == binary_op_fcn (multiply<f>))
        types.register_binary_op (op, ids[i], ids[j], octaves[f][i][j]);
    }
}

static void set (octave::interpreter &interp, bool on) {
  type_info &types = interp.get_type_info ();
  const octave_value said = octave::feval ("warning", octave_value_list (), 1) (0);
  const octave_value_list last = octave::feval ("lastwarn", octave_value_list (), 2);
  octave::feval ("warning", ovl ("off", "all")); // of an operator that is installed a second time
  octave::unwind_action restore ([&said, &last] () {
    octave::feval ("warning", ovl (said));
    octave::feval ("lastwarn", last); // Octave 11 keeps there what it does not say, too
  });
  exchange<MUL> (types, octave_value::op_mul, on);
  exchange<TRANS_MUL> (types, octave_value::op_trans_mul, on);
  exchange<MUL_TRANS> (types, octave_value::op_mul_trans, on);
  exchange<HERM_MUL> (types, octave_value::op_herm_mul, on);
  exchange<MUL_HERM> (types, octave_value::op_mul_herm, on);
  is_on = on;
}

DEFMETHOD_DLD (__gpumm_mtimes__, interp, args, , "For internal use: see gpumm_mtimes.") {
  static bool known = false;
  if (!known) {
    interp.mlock (); // `clear all` must not unload the code of an operator
    const int found[TYPES] = {
        octave_matrix::static_type_id (),        octave_complex_matrix::static_type_id (),
        octave_float_matrix::static_type_id (),  octave_float_complex_matrix::static_type_id (),
        octave_sparse_matrix::static_type_id (), octave_sparse_complex_matrix::static_type_id ()};
    std::copy_n (found, TYPES, ids);
    known = true;
  }
  const octave_value_list before = ovl (is_on, on_gpu, on_cpu);
  if (args.length () > 1 || (args.length () == 1 && !args (0).is_bool_scalar ()))
    error_with_id ("gpumm:internal", "__gpumm_mtimes__: for use by gpumm_mtimes only");
  if (args.length () > 0 && args (0).bool_value () != is_on)
    set (interp, !is_on);
  return before;
}
