// gpufull.cc - the type gpuArray of full arrays, as Octave sees it.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "gpuarray.h"

#include <octave/lo-array-errwarn.h>
#include <octave/parse.h>

using namespace gpumm;

// ---- the type -----------------------------------------------------------------------------------

class octave_gpuarray : public gpu_full {
public:
  octave_gpuarray () = default;
  explicit octave_gpuarray (const array &x) : m (x) {
  }
  octave_gpuarray (const octave_gpuarray &x) : gpu_full (x), m (x.computed ()) {
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
    m = own (computed ());
  }

  // The array, without a pending program. A variable is empty before its entries are assigned.
  array &computed () const {
    if (!m.buffer && !m.pending)
      m = new_array (device_for_new (), GPUMM_D, shape (0, 0));
    ready (m);
    return m;
  }

  // The array for use in an expression. If others hold it, too, it is computed once for all of
  // them.
  array operand () const {
    return is_shared () || !m.pending ? computed () : m;
  }

  gpumm_type type () const {
    return m.type;
  }
  int device () const {
    return m.device;
  }
  octave_value gathered () const {
    return download (computed (), is_as_given);
  }
  bool is_valid () const {
    return m.pending || !m.buffer || is_usable (m); // without a buffer nothing is lost
  }

  dim_vector dims () const {
    return is_left_out () ? dim_vector (0, 0) : dims_of (m.size);
  }
  std::size_t stored_bytes () const {
    return std::size_t (m.numel ()) * gpumm_type_bytes (m.type);
  }
  octave_idx_type nnz () const {
    return nonzeros_of (computed ());
  }

  bool is_true () const;
  octave_value transpose (bool conjugates) const;
  octave_value reshape (const dim_vector &size) const;
  octave_value permute (const Array<int> &order, bool inverse) const;
  octave_value resize (const dim_vector &size, bool fill) const;
  octave_value map (unary_mapper_t f) const;
  octave_value all (int dim) const {
    return truth (fold_all, dim);
  }
  octave_value any (int dim) const {
    return truth (fold_any, dim);
  }
  octave_value diag (octave_idx_type k) const;
  using gpu_full::diag;
  octave::idx_vector index_vector (bool integers) const {
    return gathered ().index_vector (integers);
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const;

  octave_value fast_elem_extract (octave_idx_type n) const {
    if (n < 0 || n >= m.numel ())
      return octave_value ();
    return download (part_of (computed (), {selection (n, 1, 1)}));
  }
  type_conv_info numeric_conversion_function () const;

  octave_value inverted () const;
  octave_value negated () const;
  octave_value as_sparse () const {
    return value_of (gpumm::as_sparse (operand ()));
  }
  void become (const gpu_value &x);

  mutable array m;

protected:
  octave_value mapped (const gpumm::function &f) const {
    return value_of (gpumm::mapped (f, operand (), mapped_type (f, m.type)));
  }
  octave_value_list folded (gpumm_fold_op op, int dim, int nargout) const;
  octave_value part (const octave_value_list &index) const;
  void assign_part (const octave_value_list &index, const octave_value &y);

private:
  bool assign_there (const array &index, const octave_value &y);
  octave_value truth (gpumm_fold_op op, int dim) const;

  OWN_TYPE (octave_gpuarray, "gpuArray", "gpuArray")
};

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

  OWN_TYPE (octave_gpuarray_part, "part from gpuArray", "gpuArray")
};

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

array array_on (const octave_value &x, int device) {
  const octave_gpuarray *g = gpuarray_of (x.get_rep ());
  return g ? moved (g->computed (), device) : upload (x, device);
}

bool octave_gpuarray::is_true () const {
  if (m.numel () <= 1 || is_wide (m.type))
    return download (computed ()).is_true ();
  if (is_float (m.type)) // is read twice
    check_nan (gpumm::operand (computed ()));
  return holds (fold_all, m);
}

// Says once a session that a loop reads or writes an array on a device element by element.
static void count_element () {
  using clock = std::chrono::steady_clock;
  static const int MANY = 1000; // within a second
  static int count = 0;
  static clock::time_point begun;
  if (count < 0)
    return;
  if (count == 0)
    begun = clock::now ();
  if (++count < MANY)
    return;
  count = 0;
  if (clock::now () - begun > std::chrono::seconds (1))
    return;
  count = -1; // before the warning, which may be an error
  warning_with_id ("gpumm:gpuArray:element-access",
                   "gpuArray: %d single elements of arrays on a device were used within a second. "
                   "Each use takes as long as an operation on thousands of elements. Write "
                   "X = gather (X) before the loop, or use whole arrays",
                   MANY);
}

// The only index, if it is a gpuArray.
static const octave_gpuarray *index_there (const octave_value_list &index) {
  return index.length () == 1 ? gpuarray_of (index (0).get_rep ()) : nullptr;
}

octave_value octave_gpuarray::part (const octave_value_list &index) const {
  if (const octave_gpuarray *g = index_there (index)) {
    const array i = g->operand ();
    if (const auto places = places_there (i, computed ()))
      return value_of (indexed_there (m, i, *places));
  }
  const array x = indexed (computed (), indices_of (index, m.size.ndims ()));
  if (x.is_scalar () && !m.is_scalar ())
    count_element ();
  return value_of (x);
}

octave_value octave_gpuarray::reshape (const dim_vector &size) const {
  if (size.safe_numel () != m.numel ())
    error ("reshape: can't reshape %s array to %s array", m.size.str ().c_str (),
           size.str ().c_str ());
  shape to = shape_of (size);
  to.chop_trailing_singletons ();
  return value_of (reshaped (computed (), to));
}

octave_value octave_gpuarray::transpose (bool conjugates) const {
  if (m.size.ndims () > 2)
    error ("transpose not defined for N-D objects");
  return value_of (transposed (operand (), conjugates));
}

octave_value octave_gpuarray::permute (const Array<int> &order, bool inverse) const {
  dim_vector small = dims ();
  for (int d = 0; d < small.ndims (); d++)
    small (d) = std::min<octave_idx_type> (small (d), 2);
  boolNDArray (small, false).permute (order, inverse); // Octave's check of the order
  std::vector<int> from (std::size_t (order.numel ()), 0);
  for (int d = 0; d < int (order.numel ()); d++)
    from[inverse ? order (d) : d] = inverse ? d : order (d);
  return value_of (permuted (computed (), from));
}

octave_value octave_gpuarray::resize (const dim_vector &size, bool) const {
  // concatenation begins so, whatever the dimensions are
  if (size.zero_by_zero ())
    return value_of (upload (sample (m.type, false, size), m.device));
  if (m.size.ndims () > size.ndims ())
    octave::err_invalid_resize ();
  const octave_idx_type count = size.safe_numel (); // Octave's error if no array can be so large
  array x = plain (computed ());
  const shape to = shape_of (size);
  if (count == 0)
    return value_of (new_array (x.device, x.type, to));
  shape kept = x.size.redim (size.ndims ());
  std::vector<selection> index;
  for (int d = 0; d < size.ndims (); d++) {
    kept (d) = std::min (kept (d), to (d));
    index.push_back (selection::range (0, kept (d)));
  }
  if (x.numel () > 0)
    x = part_of (x, index);
  x.size = kept;
  return value_of (enlarged (x, to));
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
  const bool with_places = nargout > 1 && has_places (op);
  array places;
  const array y =
      gpumm::fold (op, operand (), dim, type_of_fold (op, m.type), with_places ? &places : nullptr);
  return with_places ? ovl (value_of (y), value_of (places)) : ovl (value_of (y));
}

octave_value octave_gpuarray::truth (gpumm_fold_op op, int dim) const {
  if (m.numel () == 0 || is_wide (m.type)) {
    const octave_value x = download (computed ());
    return value_of (upload (op == fold_all ? x.all (dim) : x.any (dim), m.device));
  }
  return value_of (
      gpumm::fold (op, operand (), dim < 0 ? dims ().first_non_singleton () : dim, GPUMM_B));
}

// The diagonal of a matrix, or the matrix with this diagonal.
octave_value octave_gpuarray::diag (octave_idx_type k) const {
  const array x = computed ();
  if (x.size.ndims () > 2)
    error ("Matrix must be 2-dimensional");
  const octave_idx_type rows = x.size (0), cols = x.size (1);
  const octave_idx_type off =
      std::abs (std::max (k, -std::numeric_limits<octave_idx_type>::max ()));
  const bool is_vector = rows == 1 || cols == 1;
  if (is_vector && off > std::numeric_limits<octave_idx_type>::max () - rows * cols)
    throw std::bad_alloc ();
  const bool is_empty = rows == 0 || cols == 0 || (!is_vector && off >= (k > 0 ? cols : rows));
  if (is_empty)
    return value_of (
        zeros (x.device, x.type, shape_of (octave_value (boolNDArray (dims ())).diag (k).dims ())));
  return value_of (is_vector ? matrix_with_diagonal (x, k) : gpumm::diagonal_of (x, k));
}

octave_value octave_gpuarray::elements_as (octave_value (octave_value::*type) () const) const {
  const octave_value z = (elements ().*type) ();
  gpumm_type to = type_of_class (z.class_name ());
  if (z.iscomplex ())
    to = complex_type (to);
  if (is_wide (to) || is_wide (m.type)) // Octave converts on the host
    return value_of (upload ((download (m).*type) (), m.device));
  return value_of (gpumm::converted (computed (), to));
}

// X(INDEX) = Y or [] with an index that lies on a device. Returns false where Octave has to look:
// of numbers that occur twice the last value of Y counts.
bool octave_gpuarray::assign_there (const array &index, const octave_value &y) {
  const bool is_mask = index.type == GPUMM_B;
  if (y.isnull ()) {
    const bool is_vector = m.size.ndims () == 2 && (m.size (0) == 1 || m.size (1) == 1);
    if (!is_mask || !is_vector || index.numel () != m.numel () || m.is_scalar ())
      return false;
    m = without_there (m, index);
    return true;
  }
  if (!is_mask && y.numel () != 1)
    return false;
  const auto places = places_there (index, m);
  if (!places || (y.numel () != 1 && y.numel () != places->numel ()))
    return false;
  const octave_gpuarray *g = gpuarray_of (y.get_rep ());
  array part = g ? g->operand () : as_array (operand_of (y, m.device));
  gpumm::assign_there (m, *places, ready (part));
  return true;
}

void octave_gpuarray::assign_part (const octave_value_list &index, const octave_value &y) {
  computed ();
  const octave_gpuarray *i = index_there (index);
  if (i && assign_there (i->operand (), y))
    return;
  // for Octave a 1 behind the last dimension counts where elements are deleted, or an array is
  // empty
  const bool counts = y.isnull () || m.numel () == 0;
  const std::vector<octave::idx_vector> places =
      indices_of (index, counts ? int (index.length ()) : int (m.size.ndims ()));
  if (y.isnull ()) {
    m = without (m, places);
    return;
  }
  if (std::all_of (places.begin (), places.end (),
                   [] (const octave::idx_vector &i) { return i.is_scalar (); }))
    count_element ();
  const octave_gpuarray *g = gpuarray_of (y.get_rep ());
  array part = g ? g->operand () : as_array (operand_of (y, m.device));
  gpumm::assign (m, places, ready (part));
}

// ---- concatenation ------------------------------------------------------------------------------

// b put into a, whose memory nobody else holds.
static octave_value put_into (const array &x, const array &y, const Array<octave_idx_type> &place) {
  const shape size = y.size.redim (std::max<int> (x.size.ndims (), int (place.numel ())));
  const distances from = strides_of (y, size);
  distances to;
  int64_t first = 0, all = 1;
  for (int d = 0; d < size.ndims (); d++) {
    to.push_back (all);
    first += (d < int (place.numel ()) ? place (d) : 0) * all;
    all *= d < x.size.ndims () ? x.size (d) : 1;
  }
  copy_entries (view_of (y), view_of (x, first), size, from, to);
  return value_of (x);
}

// a with b put at place. Octave inserts the parts in order; a already has the size of the result.
// It is changed in place if nobody else holds it: a copy for each part would take quadratic time.
octave_value gpufull_joined (const octave_base_value &a, const octave_base_value &b,
                             const Array<octave_idx_type> &given) {
  const octave_gpuarray *g = gpuarray_of (a), *h = gpuarray_of (b);
  const int device = g ? g->m.device : h->m.device;
  array x = array_on (shared (a), device), y = array_on (shared (b), device);
  const int dims = std::max<int> (x.size.ndims (), int (given.numel ()));
  const Array<octave_idx_type> place =
      place_of_part (given, dims_of (x.size.redim (dims)), dims_of (y.size.redim (dims)));
  const gpumm_type type = joined_type (x.type, y.type);
  const bool keeps = g && x.type == type && !g->is_shared ();
  x = plain (as_type (x, type));
  y = plain (as_type (y, type));
  if (keeps && x.buffer.use_count () == 2) // g's and this one
    return put_into (x, y, place);
  return put_into (copied (x), y, place);
}

// ---- operators ----------------------------------------------------------------------------------

octave_value gpufull_binary (octave_value::binary_op op, const octave_base_value &a,
                             const octave_base_value &b, const product_options &o) {
  auto both = operands_of (a, b);
  operand &x = both.first, &y = both.second;
  op = reduced (op, x, y, x.x.is_scalar (), y.x.is_scalar ());
  if (op == octave_value::op_mul)
    return value_of (multiplied (x.x, y.x, o));
  return value_of (elementwise (operation_of (op), x, y));
}

void octave_gpuarray::become (const gpu_value &value) {
  array y = dynamic_cast<const octave_gpuarray &> (value).m;
  long uses = 1; // of the buffer, by this value and y's program
  if (y.pending)
    for (const array &input : y.pending->inputs)
      uses += input.is_with (m) && !input.turned && input.size == m.size;
  if (y.pending && y.type == m.type && y.size == m.size && !m.turned && !m.conjugated
      && m.buffer.use_count () == uses)
    run_program (*y.pending, m);
  else
    m = ready (y);
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

void install_gpufull (octave::type_info &types) {
  octave_gpuarray::register_type (types);
  octave_gpuarray_part::register_type (types);
  install_full (types, octave_gpuarray::static_type_id (), octave_gpuarray_part::static_type_id ());
}
