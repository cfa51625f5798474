// gpuarray.cc - the type gpuArray, as Octave sees it.
//
//   G = __gpuarray__ (A)                   copies A to the selected device
//   Y = __gpuarray__ (NAME, ARGS)          calls the named function of this name with the arguments
//                                          in a cell array: gpu_functions.cc
//   LIST = __gpuarray__ (NAME, ARGS, N)    the same, with N results in a cell array
//   ... = __gpuarray__ (WORD, ...)         see words, at the end
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <strings.h>

#include "device_vector.h"
#include "gpuarray.h"
#include "info.h"

#include <octave/lo-array-errwarn.h>
#include <octave/parse.h>

using namespace gpumm;

class octave_gpuarray;
static const octave_gpuarray *gpuarray_of (const octave_base_value &x);

// ---- the type -----------------------------------------------------------------------------------

class octave_gpuarray : public gpu_full {
public:
  octave_gpuarray () = default;
  explicit octave_gpuarray (const array &x) : m (x) {
  }
  octave_gpuarray (const octave_gpuarray &x) : gpu_full (x), m (ready (x.m)) {
  }

  octave_base_value *clone () const {
    return new octave_gpuarray (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpuarray ();
  }

  // Octave calls this when a variable gets the value. Queues the pending program, so it runs only
  // once, and copies a part of another array, whose memory would stay otherwise.
  void maybe_economize () {
    m = own (ready (m));
  }

  // The array for use in an expression. If others hold it, too, it is computed once for all of
  // them.
  array operand () const {
    if (is_shared ())
      ready (m);
    return m;
  }

  gpumm_type type () const {
    return m.type;
  }
  int device () const {
    return m.device;
  }
  octave_value gathered () const {
    return download (ready (m), is_as_given);
  }
  bool is_valid () const {
    return m.pending || !m.buffer || is_usable (m); // without a buffer nothing is lost
  }

  dim_vector dims () const {
    return m.size;
  }
  std::size_t byte_size () const {
    return std::size_t (m.numel ()) * gpumm_type_bytes (m.type);
  }
  octave_idx_type nnz () const {
    return nonzeros_of (ready (m));
  }

  bool is_true () const;
  octave_value transpose (bool conjugates) const;
  octave_value reshape (const dim_vector &size) const;
  octave_value permute (const Array<int> &order, bool inverse) const;
  octave_value resize (const dim_vector &size, bool fill) const;
  octave_value map (unary_mapper_t f) const;
  octave_value all (int dim) const {
    return truth (GPUMM_FOLD_ALL, dim);
  }
  octave_value any (int dim) const {
    return truth (GPUMM_FOLD_ANY, dim);
  }
  octave_value diag (octave_idx_type k) const;
  using gpu_full::diag;
  octave::idx_vector index_vector (bool integers) const {
    return download (m).index_vector (integers);
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const;

  octave_value fast_elem_extract (octave_idx_type n) const {
    if (n < 0 || n >= m.numel ())
      return octave_value ();
    return download (gpumm::part_of (ready (m), {octave::idx_vector (n)}));
  }
  type_conv_info numeric_conversion_function () const;

  octave_value inverted () const;
  octave_value negated () const;
  octave_value as_sparse () const {
    return value_of (sparse_of (operand ()));
  }
  void become (const gpu_value &x);

  mutable array m;

protected:
  octave_value mapped (const gpumm::function &f) const {
    return value_of (gpumm::mapped (f, operand ()));
  }
  octave_value_list folded (gpumm_fold_op op, int dim, int nargout) const;
  octave_value part (const octave_value_list &index) const {
    return value_of (seen_part_of (ready (m), indices_of (index, m.size.ndims ())));
  }
  void assign (const octave_value_list &index, const octave_value &y);

private:
  octave_value truth (gpumm_fold_op op, int dim) const;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpuarray, "gpuArray", "gpuArray");

// A gpuArray on its way to a part of a variable of the host, which becomes a gpuArray. Octave
// chooses what the variable becomes by the types alone, but a number leaves the variable as it is:
// so this is a type.
class octave_gpuarray_part : public octave_gpuarray {
public:
  octave_gpuarray_part () = default;
  explicit octave_gpuarray_part (const octave_gpuarray &x) : octave_gpuarray (x) {
  }
  type_conv_info numeric_conversion_function () const {
    return gpu_value::numeric_conversion_function ();
  }

private:
  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpuarray_part, "part from gpuArray", "gpuArray");

octave_base_value::type_conv_info octave_gpuarray::numeric_conversion_function () const {
  if (m.numel () == 1)
    return gpu_value::numeric_conversion_function ();
  return type_conv_info (
      [] (const octave_base_value &x) -> octave_base_value * {
        return new octave_gpuarray_part (dynamic_cast<const octave_gpuarray &> (x));
      },
      octave_gpuarray_part::static_type_id ());
}

octave_value value_of (const array &x) {
  return octave_value (new octave_gpuarray (x));
}

static const octave_gpuarray *gpuarray_of (const octave_base_value &x) {
  return dynamic_cast<const octave_gpuarray *> (&x);
}

bool get_gpuarray (const octave_base_value &x, array &to) {
  const octave_gpuarray *g = gpuarray_of (x);
  if (g)
    to = g->operand ();
  return g != nullptr;
}

static const gpu_value &first_of (const octave_base_value &a, const octave_base_value &b) {
  const gpu_value *x = gpu_value_of (a);
  return x ? *x : *gpu_value_of (b);
}

int device_of (const octave_base_value &a, const octave_base_value &b) {
  return first_of (a, b).device ();
}

std::pair<operand, operand> operands_of (const octave_base_value &a, const octave_base_value &b) {
  const octave_gpuarray *x = gpuarray_of (a), *y = gpuarray_of (b);
  operand u, v;
  if (!x && !y)
    u.x.device = v.x.device = device_for_new ();
  if (x)
    u.x = x->operand ();
  if (y)
    v.x = y->operand ();
  if (!x)
    u = operand_of (shared (a), v.x.device);
  if (!y)
    v = operand_of (shared (b), u.x.device);
  if (u.x.device != v.x.device) // the device of the first operand counts
    v.x = moved (v.x, u.x.device);
  return {u, v};
}

// An argument as an array on this device.
static array argument (const octave_value &x, int device) {
  const octave_gpuarray *g = gpuarray_of (x.get_rep ());
  return g ? moved (ready (g->m), device) : upload (x, device);
}

bool octave_gpuarray::is_true () const {
  if (m.numel () <= 1 || is_wide (m.type))
    return download (m).is_true ();
  if (is_float (m.type)) // is read twice
    check_nan (gpumm::operand (ready (m)));
  return holds (GPUMM_FOLD_ALL, m);
}

octave_value octave_gpuarray::reshape (const dim_vector &size) const {
  if (size.safe_numel () != m.numel ())
    error ("reshape: can't reshape %s array to %s array", m.size.str ().c_str (),
           size.str ().c_str ());
  dim_vector shape = size;
  shape.chop_trailing_singletons ();
  return value_of (reshaped (ready (m), shape));
}

static array transposed (array x, bool conjugates) {
  ready (x);
  if (x.size.ndims () > 2)
    error ("transpose not defined for N-D objects");
  x.size = dim_vector (x.size (1), x.size (0));
  x.turned = !x.turned;
  x.conjugated = x.conjugated != (conjugates && is_complex (x.type));
  return x;
}

octave_value octave_gpuarray::transpose (bool conjugates) const {
  return value_of (transposed (operand (), conjugates));
}

octave_value octave_gpuarray::permute (const Array<int> &order, bool inverse) const {
  const array x = plain (m);
  dim_vector small = x.size;
  for (int d = 0; d < small.ndims (); d++)
    small (d) = std::min<octave_idx_type> (small (d), 2);
  boolNDArray (small, false).permute (order, inverse); // Octave's check of the order
  const int dims = int (order.numel ());
  const dim_vector from = x.size.redim (std::max<int> (dims, x.size.ndims ()));
  const distances stride = strides_of (x, from);
  distances moved (dims);
  dim_vector size = dim_vector::alloc (dims);
  for (int d = 0; d < dims; d++) {
    const int to = inverse ? order (d) : d, of = inverse ? d : order (d);
    size (to) = from (of);
    moved[to] = stride[of];
  }
  array y = new_array (x.device, x.type, size);
  gpumm_map m = {};
  m.domain = domain_of (x.type);
  m.inputs = 1;
  m.input[0] = view_of (x);
  m.output = view_of (y);
  lay_out (m, size, {moved, strides_of (y, size)});
  if (y.numel () > 0)
    need (gpumm_map_entries (&m));
  y.size.chop_trailing_singletons ();
  return value_of (y);
}

octave_value octave_gpuarray::resize (const dim_vector &size, bool) const {
  // concatenation begins so, whatever the dimensions are
  if (size.zero_by_zero ())
    return value_of (upload (sample (m.type, false, size), m.device));
  if (m.size.ndims () > size.ndims ())
    octave::err_invalid_resize ();
  array x = plain (m);
  if (size.numel () == 0)
    return value_of (new_array (x.device, x.type, size));
  dim_vector kept = x.size.redim (size.ndims ());
  std::vector<octave::idx_vector> index;
  for (int d = 0; d < size.ndims (); d++) {
    kept (d) = std::min (kept (d), size (d));
    index.push_back (octave::idx_vector (0, kept (d)));
  }
  if (x.numel () > 0)
    x = part_of (x, index);
  x.size = kept;
  return value_of (enlarged (x, size));
}

octave_value octave_gpuarray::map (unary_mapper_t f) const {
  const array x = operand ();
  if (f == umap_conj && is_complex (x.type) && !x.pending) { // read conjugated, without a copy
    array y = x;
    y.conjugated = !x.conjugated;
    return value_of (y);
  }
  return gpu_full::map (f);
}

octave_value_list octave_gpuarray::folded (gpumm_fold_op op, int dim, int nargout) const {
  const bool has_places = nargout > 1 && (op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN);
  array places;
  const array y =
      gpumm::fold (op, operand (), dim, type_of_fold (op, m.type), has_places ? &places : nullptr);
  return has_places ? ovl (value_of (y), value_of (places)) : ovl (value_of (y));
}

octave_value octave_gpuarray::truth (gpumm_fold_op op, int dim) const {
  if (m.numel () == 0 || is_wide (m.type)) {
    const octave_value x = download (m);
    return value_of (upload (op == GPUMM_FOLD_ALL ? x.all (dim) : x.any (dim), m.device));
  }
  return value_of (
      gpumm::fold (op, operand (), dim < 0 ? m.size.first_non_singleton () : dim, GPUMM_B));
}

// The diagonal of a matrix, or the matrix with this diagonal.
octave_value octave_gpuarray::diag (octave_idx_type k) const {
  const array x = ready (m);
  if (x.size.ndims () > 2)
    error ("Matrix must be 2-dimensional");
  const octave_idx_type rows = x.size (0), cols = x.size (1);
  const octave_idx_type off =
      std::abs (std::max (k, -std::numeric_limits<octave_idx_type>::max ()));
  const bool is_vector = rows == 1 || cols == 1;
  if (is_vector && off > std::numeric_limits<octave_idx_type>::max () - rows * cols)
    throw std::bad_alloc ();
  const octave_idx_type count = is_vector ? rows * cols
                                : k > 0   ? std::min (rows, cols - off)
                                          : std::min (rows - off, cols);
  const octave_idx_type n = std::max<octave_idx_type> (count, 0);
  if (n == 0)
    return value_of (
        zeros (x.device, x.type, octave_value (boolNDArray (x.size)).diag (k).dims ()));
  gpumm_map map = {};
  map.domain = domain_of (x.type);
  map.inputs = 1;
  array y = is_vector ? zeros (x.device, x.type, dim_vector (n + off, n + off))
                      : new_array (x.device, x.type, dim_vector (n, 1));
  const array &whole = is_vector ? y : x, &line = is_vector ? x : y;
  const distances step = whole.turned ? distances{whole.size (1), 1} : distances{1, whole.size (0)};
  const gpumm_view diagonal = view_of (whole, k > 0 ? k * step[1] : -k * step[0]);
  map.input[0] = is_vector ? view_of (line) : diagonal;
  map.output = is_vector ? diagonal : view_of (line);
  map.output.conjugated = 0;
  const distances along{step[0] + step[1], 0}, one{1, 0};
  lay_out (map, dim_vector (n, 1), {is_vector ? one : along, is_vector ? along : one});
  need (gpumm_map_entries (&map));
  return value_of (y);
}

octave_value octave_gpuarray::elements_as (octave_value (octave_value::*type) () const) const {
  const octave_value z = (elements ().*type) ();
  gpumm_type to = type_of_class (z.class_name ());
  if (z.iscomplex ())
    to = complex_type (to);
  if (is_wide (to) || is_wide (m.type)) // Octave converts on the host
    return value_of (upload ((download (m).*type) (), m.device));
  return value_of (gpumm::converted (ready (m), to));
}

void octave_gpuarray::assign (const octave_value_list &index, const octave_value &y) {
  ready (m);
  // for Octave a 1 behind the last dimension counts where elements are deleted, or an array is
  // empty
  const bool counts = y.isnull () || m.numel () == 0;
  const std::vector<octave::idx_vector> places =
      indices_of (index, counts ? int (index.length ()) : int (m.size.ndims ()));
  if (y.isnull ()) {
    m = without (m, places);
    return;
  }
  const octave_gpuarray *g = gpuarray_of (y.get_rep ());
  array part = g ? g->operand () : as_array (operand_of (y, m.device));
  gpumm::assign (m, places, ready (part));
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

// b put into a, whose memory nobody else holds.
static octave_value put_into (const array &x, const array &y, const Array<octave_idx_type> &place) {
  const dim_vector size = y.size.redim (std::max<int> (x.size.ndims (), int (place.numel ())));
  std::vector<octave::idx_vector> index;
  for (int d = 0; d < size.ndims (); d++) {
    const octave_idx_type at = d < int (place.numel ()) ? place (d) : 0;
    index.push_back (octave::idx_vector (at, at + size (d)));
  }
  if (y.numel () > 0)
    pick (true, y, size, x, x.size.redim (size.ndims ()), index);
  return value_of (x);
}

// a with b put at place. Octave inserts the parts in order; a already has the size of the result.
// It is changed in place if nobody else holds it: a copy for each part would take quadratic time.
static octave_value joined_full (const octave_base_value &a, const octave_base_value &b,
                                 const Array<octave_idx_type> &given) {
  const octave_gpuarray *g = gpuarray_of (a), *h = gpuarray_of (b);
  const int device = g ? g->m.device : h->m.device;
  array x = argument (shared (a), device), y = argument (shared (b), device);
  const int dims = std::max<int> (x.size.ndims (), int (given.numel ()));
  const Array<octave_idx_type> place =
      place_of_part (given, x.size.redim (dims), y.size.redim (dims));
  const gpumm_type type = joined_type (x.type, y.type);
  const bool keeps = g && x.type == type && !g->is_shared ();
  x = plain (converted (x, type));
  y = plain (converted (y, type));
  if (keeps && x.buffer.use_count () == 2) // g's and this one
    return put_into (x, y, place);
  array z = new_array (device, type, x.size);
  run (program_of (x), z);
  return put_into (z, y, place);
}

octave_value gpu_value::joined (const octave_base_value &a, const octave_base_value &b,
                                const Array<octave_idx_type> &place) const {
  switch (kind_of_both (a, b)) {
  case storage::blocks:
    return gpublocks_joined (a, b, place);
  case storage::sparse:
    return gpusparse_joined (a, b, place);
  default:
    return joined_full (a, b, place);
  }
}

// ---- operators ----------------------------------------------------------------------------------

static array computed (octave_value::binary_op op, const octave_base_value &a,
                       const octave_base_value &b) {
  auto both = operands_of (a, b);
  operand &x = both.first, &y = both.second;
  op = reduced (op, x, y, x.x.is_scalar (), y.x.is_scalar ());
  if (op == octave_value::op_mul)
    return multiplied (x.x, y.x);
  return entrywise (operation_of (op), x, y);
}

// Is x a divisor in host memory?  Octave divides by it: this costs more than to copy the other
// operand.
static bool is_host_divisor (const octave_base_value &x) {
  return !gpu_value_of (x) && !is_blocksparse (x) && x.numel () != 1;
}

static octave_value divided (octave_value::binary_op op, const octave_base_value &a,
                             const octave_base_value &b) {
  return on_device (octave::binary_op (type_info (), op, on_host (a), on_host (b)),
                    device_of (a, b));
}

// An N-d array beside a matrix is a matrix for `*`: all dimensions after the first count columns.
static bool has_pages (const octave_base_value &a, const octave_base_value &b) {
  return std::max (a.ndims (), b.ndims ()) > 2 && a.numel () != 1 && b.numel () != 1;
}

static octave_value product_of_pages (const octave_base_value &a, const octave_base_value &b) {
  const octave_value x = shared (a), y = shared (b);
  return octave::binary_op (type_info (), octave_value::op_mul, x.reshape (x.dims ().redim (2)),
                            y.reshape (y.dims ().redim (2)));
}

// A matrix in blocks of one element counts as a number beside a matrix that is not in blocks.
static bool is_number_beside (const octave_base_value &x, const octave_base_value &other) {
  return is_gpublocks (x) && x.numel () == 1 && other.numel () != 1 && !is_in_blocks (other);
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
  return first_of (a, b).combined (op, a, b);
}

// a OP b, stored in this way, with the options of a product.
static octave_value combined_stored (storage kind, octave_value::binary_op op,
                                     const octave_base_value &a, const octave_base_value &b,
                                     const product_options &o) {
  const bool is_sparse =
      check_operator (kind, op, operand_form (kind, op, a, b), operand_form (kind, op, b, a));
  return kind == storage::blocks ? gpublocks_binary (op, a, b, o)
                                 : gpusparse_binary (op, a, b, is_sparse, o);
}

octave_value gpu_value::combined (octave_value::binary_op op, const octave_base_value &a,
                                  const octave_base_value &b) const {
  const storage kind = kind_of_both (a, b);
  return kind == storage::full ? value_of (computed (op, a, b)) // checks its operands
                               : combined_stored (kind, op, a, b, {});
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
    say_gather (
        "OP= with a sparse matrix cannot change a full array. Write X = X OP Y, or use gather (X)");
  const octave_value y = operated (op, a, b);
  dynamic_cast<gpu_full &> (a).become (*gpu_value_of (y.get_rep ()));
  return octave_value ();
}

void octave_gpuarray::become (const gpu_value &value) {
  array y = dynamic_cast<const octave_gpuarray &> (value).m;
  long uses = 1; // of the buffer, by this value and y's program
  if (y.pending)
    for (const array &input : y.pending->inputs)
      uses += input.is_with (m) && !input.turned && input.size == m.size;
  if (y.pending && y.type == m.type && y.size == m.size && !m.turned && !m.conjugated
      && m.buffer.use_count () == uses)
    run (*y.pending, m);
  else
    m = ready (y);
}

// x++ and x--
template <octave_value::binary_op op> static void stepped (octave_base_value &x) {
  compound<op> (x, octave_value_list (), octave_value (1.0).get_rep ());
}

octave_value octave_gpuarray::negated () const {
  const gpumm_type type = m.type == GPUMM_B ? GPUMM_D : m.type;
  return value_of (applied (operand (), {step_of (GPUMM_MAP_NEG)}, domain_of (type), type));
}

octave_value octave_gpuarray::inverted () const {
  const array x = operand ();
  check_nan (gpumm::operand (x));
  const bool goes_on = x.pending && x.type == GPUMM_B; // in the domain of what gave truth values
  const gpumm_type domain = goes_on ? x.pending->domain : domain_of (x.type);
  return value_of (applied (x, {step_of (GPUMM_MAP_NOT)}, domain, GPUMM_B));
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

static void install (octave::type_info &types) {
  const int device = device_for_new ();
  check_first (types, "gpuArray");
  if (device == NO_DEVICE) {
    install_gpuheld (types);
    return;
  }
  octave_gpuarray::register_type (types);
  octave_gpuarray_part::register_type (types);
  install_full (types, octave_gpuarray::static_type_id (), octave_gpuarray_part::static_type_id ());
  install_gpusparse (types);
  install_gpublocks (types);
}

// ---- words for the methods ----------------------------------------------------------------------

// What an argument of a word must be.
struct kind {
  const char *what; // for an error
  bool (*fits) (const octave_value &x);
};

// x as a real number, NaN if it is anything else.
static double number_of (const octave_value &x) {
  const bool is_one = (x.isnumeric () || x.islogical ()) && x.isreal () && x.numel () == 1
                      && !x.issparse () && !is_in_blocks (x.get_rep ());
  return is_one ? x.double_value () : NAN;
}

static const kind any_value = {"any value", [] (const octave_value &) { return true; }};
static const kind full = {"a full array", [] (const octave_value &x) {
                            return !is_gpu (x.get_rep (), storage::sparse)
                                   && !is_gpublocks (x.get_rep ());
                          }};
static const kind some_text = {
    "a text", [] (const octave_value &x) { return x.is_string () && x.rows () <= 1; }};

static const kind number = {"a number", [] (const octave_value &x) {
                              return (x.isnumeric () || x.islogical ()) && x.numel () == 1
                                     && !gpu_value_of (x.get_rep ()) && !x.issparse ()
                                     && !is_in_blocks (x.get_rep ());
                            }};
static const kind device_index = {"the index of a device", [] (const octave_value &x) {
                                    const double n = number_of (x);
                                    return std::abs (n) <= 1024 && n == std::trunc (n);
                                  }};
static const kind options_struct = {
    "a struct", [] (const octave_value &x) { return x.isstruct () && x.numel () == 1; }};

static octave_value_list word_type (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (x ? class_of (x->type ()) : args (1).class_name ());
}

static octave_value_list word_device (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (double (x ? x->device () : device_for_new ()));
}

static octave_value_list word_valid (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (x && x->is_valid ());
}

octave_value on_device (const octave_value &x, int device) {
  octave_value y = x;
  if (gpu_value_of (x.get_rep ()))
    return y;
  if (device == NO_DEVICE)
    y = value_of (x);
  else if (is_blocksparse (x.get_rep ()))
    y = value_of (upload_blocks (x, device));
  else
    y = x.issparse () ? value_of (upload_sparse (x, device)) : value_of (upload (x, device));
  if (gpu_full *full = dynamic_cast<gpu_full *> (y.internal_rep ()))
    full->is_as_given = x.iscomplex ();
  return y;
}

// ("upload", A, DEVICE)
static octave_value_list word_upload (const octave_value_list &args, int) {
  const int device = args (2).int_value ();
  if ((device == NO_DEVICE) != (device_for_new () == NO_DEVICE)) // arrays of both kinds do not meet
    error_with_id ("gpumm:internal", "__gpuarray__: there is no device %d here", device);
  return ovl (on_device (args (1), device));
}

static gpumm_op op_of (const octave_value &x, const char *name) {
  static const char *const ops[] = {"none", "transpose", "ctranspose"};
  if (x.is_string ())
    for (int op = 0; op < 3; op++)
      if (strcasecmp (x.string_value ().c_str (), ops[op]) == 0)
        return gpumm_op (op);
  error_with_id ("gpumm:bad-value",
                 "pagemtimes: %s must be \"none\", \"transpose\" or \"ctranspose\"", name);
}

// x with each page transposed.
static array turned_pages (const array &x, gpumm_op op) {
  if (op == GPUMM_NONE)
    return x;
  Array<int> order (dim_vector (1, std::max<int> (x.size.ndims (), 2)));
  for (int d = 0; d < int (order.numel ()); d++)
    order (d) = d < 2 ? 1 - d : d;
  const octave_value y = value_of (x).permute (order);
  return op == GPUMM_CTRANSPOSE && is_complex (x.type)
             ? gpuarray_of (y.get_rep ().map (octave_base_value::umap_conj).get_rep ())->operand ()
             : gpuarray_of (y.get_rep ())->operand ();
}

octave_value products_of_pages (const octave_value_list &args) {
  const gpumm_op op_x = op_of (args (1), "transpX"), op_y = op_of (args (3), "transpY");
  if (device_for_new () == NO_DEVICE)
    return value_of (by_octave ("pagemtimes", ovl (plain_array (on_host (args (0))), args (1),
                                                   plain_array (on_host (args (2))), args (3))));
  auto both = operands_of (args (0).get_rep (), args (2).get_rep ());
  const array x = as_array (both.first), y = as_array (both.second);
  // the CPU computes exact products of integers
  if (is_integer (x.type) || is_integer (y.type))
    return value_of (upload (
        by_octave ("pagemtimes", ovl (download (x), args (1), download (y), args (3))), x.device));
  const int dims = std::max (x.size.ndims (), y.size.ndims ());
  const dim_vector m = x.size.redim (dims), n = y.size.redim (dims);
  const bool scales = (m (0) == 1 && m (1) == 1) || (n (0) == 1 && n (1) == 1);
  if (scales)
    return value_of (entrywise (operation_of (octave_value::op_el_mul),
                                operand (turned_pages (x, op_x)),
                                operand (turned_pages (y, op_y))));
  const gpumm_type type = product_type (x.type, y.type);
  const array a = plain (converted (x, type)), b = plain (converted (y, type));

  dim_vector size = m;
  distances sizes, steps_a, steps_b;
  size (0) = m (op_x != GPUMM_NONE);
  size (1) = n (op_y == GPUMM_NONE);
  bool fits = m (op_x == GPUMM_NONE) == n (op_y != GPUMM_NONE);
  int64_t pages_a = 1, pages_b = 1;
  for (int d = 2; d < dims; d++) {
    fits = fits && (m (d) == n (d) || m (d) == 1 || n (d) == 1);
    size (d) = m (d) == 1 ? n (d) : m (d);
    sizes.push_back (size (d));
    steps_a.push_back (m (d) == 1 ? 0 : pages_a);
    steps_b.push_back (n (d) == 1 ? 0 : pages_b);
    pages_a *= m (d);
    pages_b *= n (d);
  }
  if (!fits) {
    dim_vector of_x = x.size, of_y = y.size;
    if (op_x != GPUMM_NONE)
      std::swap (of_x (0), of_x (1));
    if (op_y != GPUMM_NONE)
      std::swap (of_y (0), of_y (1));
    octave::err_nonconformant ("pagemtimes", of_x, of_y);
  }
  array page_a = a, page_b = b;
  page_a.size = dim_vector (m (0), m (1));
  page_b.size = dim_vector (n (0), n (1));
  array c = new_array (a.device, type, size);
  gpumm_pages p = {};
  p.a = matrix_of (page_a);
  p.b = matrix_of (page_b);
  p.a.op = op_x;
  p.b.op = op_y;
  p.dims = dims - 2;
  p.sizes = sizes.data ();
  p.steps_a = steps_a.data ();
  p.steps_b = steps_b.data ();
  array all = c;
  all.size = dim_vector (size (0), size (0) > 0 ? c.numel () / size (0) : 0);
  gpumm_matrix result = matrix_of (all);
  if (c.device <= HOST_DEVICE)
    need (gpumm_wait (engine_device (c.device)));
  if (c.numel () > 0)
    need (gpumm_pages_run (&p, nullptr, &result));
  c.size.chop_trailing_singletons ();
  return value_of (c);
}

// ---- gpumm, with its options

// The report of a product that the engine does not compute, of this type and number of entries.
static gpumm_report report_of_scale (int device, octave_idx_type count) {
  gpumm_report report = {};
  gpumm_device_properties properties;
  if (device >= 0)
    need (gpumm_device (device, &properties));
  snprintf (report.device_name, sizeof report.device_name, "%s",
            device < 0 ? "CPU" : properties.name);
  report.backend = device < 0 ? GPUMM_CPU : GPUMM_GPU;
  report.device = engine_device (device);
  snprintf (report.algorithm, sizeof report.algorithm, "scale");
  snprintf (report.reason, sizeof report.reason,
            "a scalar times an array, or a diagonal matrix times one, is computed entry by entry");
  report.flops = double (count);
  return report;
}

// The struct of private/multiply_any.m. Each field is taken once, and a field that nobody has taken
// is an error: so no option is ignored.
class option_fields {
public:
  explicit option_fields (const octave_scalar_map &s) : left (s) {
  }
  octave_value take (const char *name, const kind &k) {
    const octave_value x = left.contents (name);
    if (!x.is_defined () || !k.fits (x))
      wrong (name, k.what);
    left.rmfield (name);
    return x;
  }
  int64_t take_whole (const char *name, double least, double most) {
    const double n = take (name, number).double_value ();
    if (!(n >= least && n <= most && n == std::trunc (n)))
      wrong (name, "within its range");
    return int64_t (n);
  }
  std::string take_text (const char *name) {
    return take (name, some_text).string_value ();
  }
  void end () const {
    if (left.nfields () > 0)
      wrong (left.fieldnames () (0).c_str (), "left out: gpuArrays do not have this option");
  }

private:
  octave_scalar_map left;

  [[noreturn]] static void wrong (const char *name, const char *what) {
    error_with_id ("gpumm:internal", "__gpuarray__: option \"%s\" of gpumm must be %s", name, what);
  }
};

// The error of the engine's products, for those that it does not compute, if the options ask for
// another place than the device of the gpuArrays.
static void check_place (const gpumm_options &o, int device) {
  const int index = device <= HOST_DEVICE ? HOST_DEVICE - device : device;
  if ((device > HOST_DEVICE && o.device >= 0 && o.device != index)
      || (o.devices != 0 && !(o.devices >> index & 1)))
    error_with_id ("gpumm:unsupported",
                   "gpumm: the matrices lie on device %d, and another place was asked for", index);
}

static octave_value with_op (const octave_value &x, int64_t op) {
  return op == GPUMM_NONE ? x
                          : octave::unary_op (type_info (),
                                              op == GPUMM_CTRANSPOSE ? octave_value::op_hermitian
                                                                     : octave_value::op_transpose,
                                              x);
}

// The product of two values, of which one is on a device.
static octave_value product_of (const octave_base_value &a, const octave_base_value &b,
                                const product_options &o) {
  const storage kind = kind_of_both (a, b);
  if (kind != storage::full)
    return combined_stored (kind, octave_value::op_mul, a, b, o);
  auto both = operands_of (a, b);
  const array x = as_array (both.first), y = as_array (both.second);
  return value_of (
      x.is_scalar () || y.is_scalar ()
          ? entrywise (operation_of (octave_value::op_el_mul), operand (x), operand (y))
          : multiplied (x, y, product_type (x.type, y.type), o));
}

// ("gpumm", A, B, OPTIONS): [C, INFO]
static octave_value_list word_gpumm (const octave_value_list &args, int nargout) {
  option_fields fields (args (3).scalar_map_value ());
  product_options o;
  const octave_value a =
      with_op (args (1), fields.take_whole ("transpose_a", GPUMM_NONE, GPUMM_CTRANSPOSE));
  const octave_value b =
      with_op (args (2), fields.take_whole ("transpose_b", GPUMM_NONE, GPUMM_CTRANSPOSE));
  const std::string algorithm = fields.take_text ("algorithm");
  o.engine.algorithm = algorithm.c_str ();
  o.engine.device = int (fields.take_whole ("device", -1, INT_MAX));
  o.engine.devices = uint64_t (fields.take_whole ("devices", 0, 0x1p53));
  o.output = type_of_class (fields.take_text ("output"));
  fields.end ();
  if (device_for_new () == NO_DEVICE)
    error_with_id ("gpumm:internal", "__gpuarray__: gpumm needs a device");
  const int device = device_of (a.get_rep (), b.get_rep ());
  gpumm_report report = {};
  o.report = nargout > 1 ? &report : nullptr;
  if (a.numel () == 1 || b.numel () == 1)
    check_place (o.engine, device);
  const octave_value c = product_of (a.get_rep (), b.get_rep (), o);
  if (nargout < 2)
    return ovl (c);
  return ovl (c, info_of (report.algorithm[0] ? report : report_of_scale (device, c.numel ())));
}

static octave_value_list word_select (const octave_value_list &args, int) {
  const int before = device_for_new ();
  if (args.length () > 1) {
    const int index = args (1).int_value ();
    int64_t used, kept;
    selected_device = before <= HOST_DEVICE ? HOST_DEVICE - index : index;
    const gpumm_status status = gpumm_memory (engine_device (selected_device), &used, &kept);
    if (status)
      selected_device = before;
    need (status);
  }
  return ovl (double (engine_device (before)));
}

// Bytes of the selected device that arrays and products hold, and bytes kept for later arrays.
static octave_value_list word_memory (const octave_value_list &, int) {
  int64_t used = 0, kept = 0;
  if (device_for_new () != NO_DEVICE)
    need (gpumm_memory (engine_device (device_for_new ()), &used, &kept));
  octave_scalar_map s;
  s.assign ("used", double (used));
  s.assign ("cached", double (kept));
  return ovl (s);
}

// The tables of the functions of gpuArrays, gpumm_elementwise.h and gpu_functions.h, for tests.
static octave_value_list word_functions (const octave_value_list &, int) {
  string_vector names;
  RowVector units (octave_idx_type (functions ().size ()));
  boolMatrix keeps_zero (1, units.numel ());
  for (octave_idx_type i = 0; i < units.numel (); i++) {
    const function &f = functions ()[std::size_t (i)];
    names.append (std::string (f.name));
    units (i) = f.units;
    keeps_zero (i) = f.keeps_zero;
  }
  octave_scalar_map tables;
  tables.assign ("elementwise", Cell (names).transpose ());
  tables.assign ("units", units);
  tables.assign ("keeps_zero", keeps_zero);
  tables.assign ("named", Cell (string_vector (function_names ())).transpose ());
  return ovl (tables);
}

// ("refuse", TEXT): the error of what a device does not do
[[noreturn]] static octave_value_list word_refuse (const octave_value_list &args, int) {
  say_gather ("%s", args (1).string_value ().c_str ());
}

// ("wait", DEVICE), by the engine's index
static octave_value_list word_wait (const octave_value_list &args, int) {
  const int device = args (1).int_value ();
  if (device != NO_DEVICE)
    need (gpumm_wait (device));
  return ovl ();
}

[[noreturn]] static void refuse_function (const std::string &name) {
  warn_in_solver ();
  error_with_id ("gpumm:gpuArray:gather",
                 "%s: not available for a gpuArray. Write gpuArray (%s (gather (X)))",
                 name.c_str (), name.c_str ());
}

// ---- the words ----------------------------------------------------------------------------------

// A word and its arguments, which the dispatcher checks: so the word reads them without a check.
struct word_row {
  const char *word;
  std::vector<const kind *> arguments;
  octave_value_list (*run) (const octave_value_list &args, int nargout);
};

static const word_row words[] = {{"type", {&any_value}, word_type},
                                 {"device", {&any_value}, word_device},
                                 {"valid", {&any_value}, word_valid},
                                 {"select", {}, word_select},
                                 {"select", {&device_index}, word_select},
                                 {"refuse", {&some_text}, word_refuse},
                                 {"wait", {&device_index}, word_wait},
                                 {"memory", {}, word_memory},
                                 {"functions", {}, word_functions},
                                 {"upload", {&any_value, &device_index}, word_upload},
                                 {"gpumm", {&any_value, &any_value, &options_struct}, word_gpumm}};

// The place of the first argument that is not of its kind, or of the end.
static octave_idx_type first_wrong (const octave_value_list &args,
                                    const std::vector<const kind *> &kinds) {
  octave_idx_type i = 1;
  while (i < args.length () && kinds[i - 1]->fits (args (i)))
    i++;
  return i;
}

void need_full (const char *name, const octave_value_list &args) {
  const char *const stored = "%s of a %s is not available on a device. Use %sgather (X)";
  bool has_sparse = false, has_blocks = false;
  for (octave_idx_type i = 0; i < args.length (); i++) {
    has_sparse = has_sparse || is_gpu (args (i).get_rep (), storage::sparse);
    has_blocks = has_blocks || is_gpublocks (args (i).get_rep ());
  }
  if (has_blocks)
    say_gather (stored, name, "blocksparse", "");
  if (has_sparse)
    say_gather (stored, name, "sparse matrix", "full (X) or ");
}

// The error for arguments that no row of the table takes: this one is the first with the word and
// the number.
[[noreturn]] static void say_wrong (const octave_value_list &args, const word_row &row) {
  need_full (row.word, args);
  const octave_idx_type i = first_wrong (args, row.arguments);
  error_with_id ("gpumm:internal", "__gpuarray__: argument %d of \"%s\" must be %s", int (i + 1),
                 row.word, row.arguments[i - 1]->what);
}

DEFMETHOD_DLD (__gpuarray__, interp, args, nargout, "For internal use: arrays on a device.") {
  static bool installed = false;
  if (!installed) {
    interp.mlock ();                   // `clear all` must not unload the code of live values
    octave::feval ("__blocksparse__"); // registers its type, for which operators are installed, too
    install (interp.get_type_info ());
    installed = true;
  }
  if (args.length () == 1 && !args (0).is_string ())
    return ovl (on_device (args (0), device_for_new ()));
  const std::string word =
      args.length () > 0 && args (0).is_string () ? args (0).string_value () : "";
  // cell arrays of arguments and results: varargin{:} and [varargout{1:N}] = ... take Octave longer
  const bool is_call = args.length () > 1 && args (1).iscell ();
  const named_function *f = is_call ? find_function (word) : nullptr;
  if (f && args.length () == 2)
    return call_function (*f, octave_value_list (args (1).cell_value ()), nargout);
  if (f && args.length () == 3 && number.fits (args (2))) {
    const int count = args (2).int_value ();
    return ovl (Cell (call_function (*f, octave_value_list (args (1).cell_value ()), count)));
  }
  const word_row *first = nullptr;
  for (const auto &row : words)
    if (word == row.word && args.length () == octave_idx_type (row.arguments.size ()) + 1) {
      if (first_wrong (args, row.arguments) == args.length ())
        return row.run (args, nargout);
      first = first ? first : &row;
    }
  if (first)
    say_wrong (args, *first);
  if (is_call && !f)
    refuse_function (word);
  error_with_id ("gpumm:internal", "__gpuarray__: for use by gpuArray only");
}
