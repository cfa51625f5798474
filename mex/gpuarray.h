// gpuarray.h - functions that the types of gpuArray (full, sparse and block matrices) call in each
// other.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPUARRAY_H
#define GPUMM_GPUARRAY_H

#include "device_blocks.h"
#include "own_matrix.h"

// What the three types have in common.
class gpu_value : public own_matrix {
public:
  // The type of the elements, the device, and the value as one of the host.
  virtual gpumm_type type () const = 0;
  virtual int device () const = 0;
  virtual octave_value gathered () const = 0;

  // Can this process use its memory? See is_usable ().
  virtual bool is_valid () const = 0;

  // Is it small enough to be shown with its elements?
  virtual bool shows () const = 0;

  virtual octave_value transpose (bool conjugates) const = 0;

  const octave_value &elements () const {
    static octave_value samples[GPUMM_TYPES];
    octave_value &x = samples[type ()];
    if (!x.is_defined ())
      x = gpumm::sample (type (), false, dim_vector (1, 2));
    return x;
  }
  octave_value whole_sparse () const {
    return gpumm::by_octave ("sparse", ovl (whole ()));
  }
  bool is_instance_of (const std::string &name) const {
    return name == "gpuArray" || name == elements ().class_name ()
           || (name == "integer" && !isfloat () && !islogical ());
  }

  // A matrix of one element is a number where it is assigned to a part of a variable of the host.
  type_conv_info numeric_conversion_function () const {
    if (dims ().numel () != 1)
      return own_matrix::numeric_conversion_function ();
    const octave_value z = gpumm::sample (type (), true, dim_vector ());
    return type_conv_info (
        [] (const octave_base_value &x) {
          return dynamic_cast<const gpu_value &> (x).whole ().get_rep ().clone ();
        },
        (issparse () ? gpumm::by_octave ("sparse", ovl (z)) : z).type_id ());
  }

  [[noreturn]] static void no_fields () {
    error_with_id ("gpumm:invalid",
                   "gpuArray: a gpuArray has no fields or cells. Write X(I,J) for its entries");
  }

  bool print_name_tag (std::ostream &os, const std::string &name) const {
    if (shows ())
      return gathered ().print_name_tag (os, name);
    indent (os);
    os << name << " = ";
    return false;
  }
  void print (std::ostream &os, bool is_current = false) {
    if (shows ())
      gathered ().print (os);
    else {
      print_raw (os, is_current);
      newline (os);
    }
  }
  void print_raw (std::ostream &os, bool is_current = false) const {
    if (shows ())
      gathered ().print_raw (os, is_current);
    else
      short_disp (os);
  }

  // A gpuArray is never saved as another type.
  bool save_ascii (std::ostream &) {
    not_saved ();
  }
  bool save_binary (std::ostream &, bool) {
    not_saved ();
  }
  bool save_hdf5 (octave_hdf5_id, const char *, bool) {
    not_saved ();
  }
  // Writers of MATLAB files ask this last for unknown types (blocksparse.cc).
  bool is_complex_matrix () const {
    not_saved ();
  }

protected:
  // Do others hold this value, too?
  bool is_shared () const {
    return references (this, 0) > 1;
  }

private:
  [[noreturn]] static void not_saved () {
    gpumm::say_gather ("a gpuArray cannot be saved. Save gather (X)");
  }
  // Octave's field is `count` up to version 7, `m_count` later.
  template <typename T> static auto references (const T *x, int) -> decltype (long (x->m_count)) {
    return long (x->m_count);
  }
  template <typename T> static long references (const T *x, long) {
    return long (x->count);
  }
};

inline const gpu_value *gpu_value_of (const octave_base_value &x) {
  return dynamic_cast<const gpu_value *> (&x);
}

// An array or a matrix as a gpuArray.
octave_value value_of (const gpumm::array &x);
octave_value value_of (const gpumm::sparse &x);
octave_value value_of (const gpumm::blocks &x);

// The array in a full gpuArray for use in an expression, if x is one.
bool get_gpuarray (const octave_base_value &x, gpumm::array &to);

// What sparse matrices and matrices in blocks, M here, have in common.
template <typename M> class gpu_stored : public gpu_value {
public:
  explicit gpu_stored (const M &x) : kept (x) {
  }

  gpumm_type type () const {
    return m ().type ();
  }
  int device () const {
    return kept.device;
  }
  octave_value gathered () const {
    return download (operand ());
  }
  bool is_valid () const {
    return m ().is_octave_held () || gpumm::is_usable (m ().start);
  }
  void maybe_economize () {
    computed ();
  }

  // For use in an expression. If others hold the value, too, it is computed, and rid of zeros, once
  // for all.
  M operand (bool drops_zeros = true) const {
    if (is_shared ()) {
      computed ();
      if (drops_zeros)
        drop_zeros (m ());
    }
    return m ();
  }

  dim_vector dims () const {
    return kept.size (); // the size of the result, before its parts are joined
  }
  bool is_true () const {
    const bool is_full =
        dims ().numel () <= 1 || m ().is_octave_held () || nnz () == dims ().numel ();
    return is_full && gathered ().is_true ();
  }
  octave_value transpose (bool conjugates) const {
    return value_of (transposed (operand (false), conjugates));
  }
  octave_value full_value () const {
    return value_of (full_of (operand (false)));
  }
  // printf and mat2str read single elements by this function.
  octave_value fast_elem_extract (octave_idx_type n) const {
    return n >= 0 && n < dims ().numel ()
               ? gathered ().index_op (ovl (double (n + 1))).full_value ()
               : octave_value ();
  }

  // A product has checked x, which is this value, for zeros, so no other operation needs to check
  // again.
  void keep (const M &x) const {
    if (kept.device == x.device && !x.is_octave_held ())
      m () = x;
  }

  // The matrix.
  M &m () const {
    if (!parts.empty ()) {
      kept = gpumm::joined (kept, parts);
      parts.clear ();
    }
    return kept;
  }

  // What the parts of a concatenation that is not finished are put into.
  const M *base () const {
    return parts.empty () ? nullptr : &kept;
  }

  // a, which has this base, with a part at this place. If nobody else holds a, its parts are taken:
  // a copy for each part would take quadratic time.
  static octave_value with_part (const gpu_stored *a, const M &base, const M &part,
                                 const Array<octave_idx_type> &place) {
    std::vector<gpumm::part<M> > list;
    if (a && a->is_shared ())
      list = a->parts;
    else if (a)
      list.swap (a->parts);
    if (!part.size ().any_zero ())
      list.push_back ({part, place (0), place (1)});
    const octave_value c = value_of (base);
    dynamic_cast<const gpu_stored &> (c.get_rep ()).parts.swap (list);
    return c;
  }

protected:
  const M &computed () const {
    if (!m ().is_octave_held ())
      ready (kept.values);
    return kept;
  }

  mutable M kept;
  mutable std::vector<gpumm::part<M> > parts; // of a concatenation
};

// gpuArray (X), on this device
octave_value on_device (const octave_value &x, int device);

// An error that says gather if one of the arguments of the function NAME is stored sparse or in
// blocks.
void need_full (const char *name, const octave_value_list &args);

// The arguments after the first.
inline octave_value_list rest_of (const octave_value_list &args, int first = 1) {
  return args.slice (first, args.length () - first);
}

// The row of a named function, or null; its results.
struct named_function;
const named_function *find_function (const std::string &name);
std::vector<std::string> function_names ();
octave_value_list call_function (const named_function &f, const octave_value_list &args,
                                 int nargout);

// Both operands of an operator on full arrays.
std::pair<gpumm::operand, gpumm::operand> operands_of (const octave_base_value &a,
                                                       const octave_base_value &b);

// pagemtimes (X, OP, Y, OP) of full arrays
octave_value products_of_pages (const octave_value_list &args);

// The device of the first gpuArray of two values.
int device_of (const octave_base_value &a, const octave_base_value &b);

// Installs the operators of two values, transposes and concatenation for one of the types, with
// values of any type.
void install_with_operators (octave::type_info &types, int id);

// The place where Octave inserts a part of this size in a concatenation. Octave counts an empty
// part of 1x0 or 0x1 before it, but the size of the whole does not: an error if other places were
// wrong, too.
Array<octave_idx_type> place_of_part (const Array<octave_idx_type> &given, const dim_vector &whole,
                                      const dim_vector &part);

// Is it a sparse gpuArray?
bool is_gpusparse (const octave_value &x);

// Registers the type and its operators, after the type of full arrays.
void install_gpusparse (octave::type_info &types);

// a OP b, if one of them is sparse and one is on the device. The options are those of a product.
octave_value gpusparse_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b, const gpumm::product_options &o = {});

// a with b inserted, if one of them is sparse, neither is in blocks, and one is on the device.
octave_value gpusparse_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);

// [Y, PLACES] of a reduction along dimension DIM of a sparse gpuArray.
octave_value_list sparse_fold (gpumm_fold_op op, const octave_value &x, int dim, int nargout);

// The values that a sparse gpuArray stores.
octave_value sparse_values (const octave_value &x);

// The same for matrices in blocks.
bool is_gpublocks (const octave_base_value &x);
void install_gpublocks (octave::type_info &types);
octave_value gpublocks_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b, const gpumm::product_options &o = {});
octave_value gpublocks_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);
octave_value_list blocks_fold (gpumm_fold_op op, const octave_value &x, int dim);
octave_value blocks_values (const octave_value &x);
octave_value blocks_sparse (const octave_value &x);
dim_vector blocks_size (const octave_value &x);
double blocks_count (const octave_value &x);
bool blocks_equal (const octave_value &x, const octave_value &y);
octave_value blocks_dropped (const octave_value &x, double most);

#endif
