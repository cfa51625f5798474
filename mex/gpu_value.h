// gpu_value.h - what Octave asks of a gpuArray, and what is refused, the same with a GPU and
// without one.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPU_VALUE_H
#define GPUMM_GPU_VALUE_H

#include "device_blocks.h"
#include "own_matrix.h"

#include <octave/lo-array-errwarn.h>

// What all types of gpuArrays have in common: what Octave asks of them, and what is refused, the
// same with a GPU and without one. The types compute the rest: arrays, sparse matrices and matrices
// in blocks on a device, or without a GPU values that Octave holds (gpu_held.cc).
class gpu_value : public own_matrix {
public:
  virtual storage kind () const = 0;

  // The type of the elements, the device, and the value as one of the host.
  virtual gpumm_type type () const = 0;
  virtual int device () const = 0;
  virtual octave_value gathered () const = 0;

  // Can this process use its memory? See is_usable ().
  virtual bool is_valid () const = 0;

  virtual octave_value transpose (bool conjugates) const = 0;
  virtual octave_value inverted () const = 0;
  virtual octave_value negated () const = 0;
  virtual octave_value as_sparse () const = 0;

  // a OP b, and a with b put at this place, where this value is one of them.
  virtual octave_value combined (octave_value::binary_op op, const octave_base_value &a,
                                 const octave_base_value &b) const;
  virtual octave_value joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place) const;

  // [Y, PLACES] of a reduction along a dimension, from 0 on.
  octave_value_list fold (gpumm_fold_op op, int dim, int nargout = 1) const {
    const char *name = gpumm::name_of_fold (op);
    const bool orders = gpumm::has_places (op), is_of_sparse = gpumm::is_of_sparse (op);
    if (kind () == storage::sparse) {
      if (nargout > 1 || dim > 1 || !is_of_sparse || (orders && iscomplex ()))
        gpumm::refuse (name, nargout > 1 ? "of a sparse matrix with two results"
                             : dim > 1   ? "of a sparse matrix along this DIM"
                                         : "of a sparse matrix");
      return folded (op, dim, nargout);
    }
    if (kind () == storage::blocks && (!gpumm::is_of_blocks (op) || dim > 1))
      gpumm::refuse (name, "of a blocksparse");
    gpumm::check_narrow (type ());
    return folded (op, dim, nargout);
  }

  const octave_value &elements () const {
    static octave_value samples[GPUMM_TYPES];
    octave_value &x = samples[type ()];
    if (!x.is_defined ())
      x = gpumm::sample (type (), false, dim_vector (1, 2));
    return x;
  }
  octave_value whole () const {
    const octave_value x = in_file ();
    if (x.is_defined ())
      return x;
    if (dims ().numel () != 1)
      gpumm::refuse_function (dims ());
    return kind () == storage::blocks ? gpumm::by_octave ("full", ovl (gathered ())) : gathered ();
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

  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index) {
    if (type[0] == '(')
      return do_index_op (index.front ()).next_subsref (type, index);
    if (kind () == storage::blocks && type[0] != '{')
      error_with_id (
          "gpumm:blocksparse:index",
          "blocksparse: a blocksparse has no fields. Write S(i,j) for elements, S{I,J} for blocks");
    return block (index.front ()).next_subsref (type, index);
  }

  bool print_as_scalar () const {
    return shows () ? kind () == storage::full && gathered ().print_as_scalar ()
                    : kind () != storage::blocks;
  }
  bool print_name_tag (std::ostream &os, const std::string &name) const {
    if (shows () && kind () != storage::blocks)
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

  void look_for_dump () const {
    (void) calls_below_dump ();
  }
  // Files hold the value of the host: an Octave without gpumm reads them, too.
  octave_value for_file () const {
    const octave_value x = gathered ();
    if (!x.is_defined ()) // a signal came while a part was assigned
      error ("gpuArray: it is being changed");
    return kind () == storage::blocks && octave_dumps_for_matlab () ? without_blocks (x) : x;
  }

  // Do others hold this value, too?
  bool is_shared () const {
    return references (this, 0) > 1;
  }

protected:
  // What a type computes, after the checks: a function of the elements, and a reduction.
  virtual octave_value mapped (const gpumm::function &f) const = 0;
  virtual octave_value_list folded (gpumm_fold_op op, int dim, int nargout) const = 0;

  // X{I,J}
  virtual octave_value block (const octave_value_list &) const {
    no_fields ();
  }
  [[noreturn]] static void no_fields () {
    error_with_id ("gpumm:invalid",
                   "gpuArray: a gpuArray has no fields or cells. Write X(I,J) for its entries");
  }
  static void check_resize (bool resize_ok) {
    if (resize_ok)
      gpumm::say_gather ("an index cannot enlarge a gpuArray here. Use gather (X)");
  }

private:
  // Is it small enough to be shown with its elements? Larger values show only their kind.
  bool shows () const {
    return nzmax () <= 1000;
  }
  [[noreturn]] void refuse_file () const {
    gpumm::say_gather ("a gpuArray can be saved only by save. Use gather (X)");
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

// x as a value of the host.
inline octave_value on_host (const octave_base_value &x) {
  const gpu_value *g = gpu_value_of (x);
  return g ? g->gathered () : shared (x);
}
inline octave_value on_host (const octave_value &x) {
  const gpu_value *g = gpu_value_of (x.get_rep ());
  return g ? g->gathered () : x;
}

// Is x a gpuArray of this kind?
inline bool is_gpu (const octave_base_value &x, storage kind) {
  const gpu_value *g = gpu_value_of (x);
  return g && g->kind () == kind;
}

inline bool is_gpublocks (const octave_base_value &x) {
  return is_gpu (x, storage::blocks);
}

// Is x a matrix in blocks, on the host or as a gpuArray?
inline bool is_in_blocks (const octave_base_value &x) {
  const gpu_value *g = gpu_value_of (x);
  return g ? g->kind () == storage::blocks : gpumm::is_blocksparse (x);
}

// gpuArray (X), on this device, or where there is none held by Octave
octave_value on_device (const octave_value &x, int device);

// A gpuArray that stores all elements.
class gpu_full : public gpu_value {
public:
  gpu_full () = default;
  gpu_full (const gpu_full &x) : gpu_value (x) { // a copy counts as a result
  }

  storage kind () const {
    return storage::full;
  }
  octave_value full_value () const {
    return octave_value (const_cast<gpu_full *> (this), true); // itself
  }
  // As for Octave's arrays, an N-d array with a single dimension left becomes a column.
  octave_value squeeze () const {
    dim_vector size = dims ();
    if (size.ndims () > 2)
      size.chop_all_singletons ();
    return reshape (size);
  }
  octave_value map (unary_mapper_t f) const {
    if (const gpumm::function *there = gpumm::device_function (f)) {
      gpumm::check_narrow (type ());
      return mapped (*there);
    }
    if (numel () != 1)
      gpumm::refuse (get_umap_name (f));
    return whole ().get_rep ().map (f);
  }
  octave_value diag (octave_idx_type rows, octave_idx_type cols) const {
    const dim_vector size = dims ();
    if (size.ndims () > 2 || (size (0) != 1 && size (1) != 1))
      error ("cat: invalid dimension argument");
    return octave_value (clone ()).diag (0).resize (dim_vector (rows, cols), true);
  }
  using gpu_value::diag;
  octave_value do_index_op (const octave_value_list &index, bool resize_ok = false) {
    check_resize (resize_ok);
    return part (index);
  }
  octave_value subsasgn (const std::string &type, const std::list<octave_value_list> &index,
                         const octave_value &value) {
    if (type != "(")
      no_fields ();
    is_as_given = false;
    // what is sparse or in blocks is full where an array is
    const bool is_full = !value.issparse () && !is_in_blocks (value.get_rep ());
    assign_part (index.front (), is_full ? value : value.full_value ());
    return octave_value (this, true);
  }
  void short_disp (std::ostream &os) const {
    os << dims ().str () << " gpuArray, " << (iscomplex () ? "complex " : "")
       << gpumm::class_of (type ());
  }

  // Becomes x, which is a full gpuArray.
  virtual void become (const gpu_value &x) = 0;

  // Was it uploaded, and is no result? Octave keeps complex (1, 0) complex until an operation takes
  // it.
  bool is_as_given = false;

protected:
  virtual octave_value part (const octave_value_list &index) const = 0;
  // X(I) = Y, or X(I) = []. Y is full.
  virtual void assign_part (const octave_value_list &index, const octave_value &y) = 0;
};

// A gpuArray of a sparse matrix, or of one in blocks.
class gpu_stored : public gpu_value {
public:
  // The elements that are stored.
  virtual octave_value values () const = 0;

  // The size and the number of blocks: an entry of a sparse matrix is a block of one element.
  virtual dim_vector block_size () const {
    return dim_vector (1, 1);
  }
  virtual octave_idx_type block_count () const {
    return nnz ();
  }

  bool issparse () const {
    const octave_value x = in_file ();
    return x.is_defined () ? x.issparse () : kind () == storage::sparse;
  }
  // As Octave's sparse matrices, with one element, too.
  bool is_matrix_type () const {
    return issparse () || gpu_value::is_matrix_type ();
  }
  bool is_scalar_type () const {
    return !issparse () && gpu_value::is_scalar_type ();
  }
  octave_idx_type nzmax () const {
    return block_count () * block_size ().numel ();
  }

  octave_value inverted () const {
    if (issparse ())
      gpumm::say_gather (
          "! X of a sparse matrix would have few zeros. Use ! full (X) or gather (X)");
    return octave::unary_op (gpumm::type_info (), octave_value::op_not, full_value ());
  }
  octave_value negated () const {
    return octave::binary_op (gpumm::type_info (), octave_value::op_mul, octave_value (-1.0),
                              octave_value (clone ()));
  }
  octave_value reshape (const dim_vector &size) const {
    if (size != dims ())
      refuse ("reshape", list_of (size));
    return octave_value (clone ());
  }
  octave_value permute (const Array<int> &order, bool inverse) const {
    if (!issparse ()) // full, as on the host
      return inverse ? full_value ().ipermute (order) : full_value ().permute (order);
    octave_value (SparseMatrix (2, 2)).permute (order, inverse); // Octave's check of the order
    return order (0) == 0 ? octave_value (clone ()) : transpose (false);
  }
  // A concatenation begins with a matrix without entries, which then gets the size of the result.
  octave_value resize (const dim_vector &size, bool) const {
    if (size.ndims () != 2 || !(size.zero_by_zero () || nzmax () == 0))
      refuse ("resize", list_of (size));
    return none (size);
  }
  octave_value map (unary_mapper_t f) const {
    const gpumm::function *const there = gpumm::device_function (f);
    const char *name = there ? there->name : get_umap_name (f);
    const bool gives_full =
        issparse () ? there && !there->keeps_zero
                    : (there && !there->keeps_zero) || f == umap_isnan || f == umap_isinf;
    if (gives_full)
      gpumm::refuse (name, std::string ("of a ") + kind_name () + ": the result would be full",
                     std::string (name) + " (full (X))");
    if (!there)
      refuse (name);
    gpumm::check_narrow (type ());
    return mapped (*there);
  }
  octave_value all (int dim) const {
    refuse ("all", dim < 0 ? "" : std::to_string (dim + 1));
  }
  octave_value any (int dim) const {
    if (!issparse ())
      refuse ("any", dim < 0 ? "" : std::to_string (dim + 1));
    if (dims ().any_zero ())
      return on_device (octave_value (SparseMatrix (dims ())).any (dim), device ());
    return fold (gpumm::fold_any, dim < 0 ? dims ().first_non_singleton () : dim) (0);
  }
  octave_value diag (octave_idx_type k) const {
    const bool is_vector = dims () (0) == 1 || dims () (1) == 1;
    if (issparse () && is_vector && k != 0)
      refuse ("diag", std::to_string (k));
    if (!issparse () && (is_vector || k != 0 || block_size () (0) != block_size () (1)))
      refuse ("diag", k == 0 ? "" : std::to_string (k));
    return diagonal (k);
  }
  octave_value diag (octave_idx_type rows, octave_idx_type cols) const {
    refuse ("diag", std::to_string (rows) + ", " + std::to_string (cols));
  }
  octave_value do_index_op (const octave_value_list &given, bool resize_ok = false) {
    check_resize (resize_ok);
    if (given.length () == 0)
      return octave_value (clone ());
    const std::vector<octave::idx_vector> index = gpumm::indices_of (given, 2);
    const dim_vector size = dims ();
    (issparse () ? check_sparse_index : check_blocks_index) (index, size);
    gpumm::check_range (index, size);
    return part (given.slice (0, int (index.size ())), index);
  }
  octave_value subsasgn (const std::string &, const std::list<octave_value_list> &,
                         const octave_value &) {
    if (issparse ())
      gpumm::say_gather ("parts of a sparse matrix on a device cannot be assigned. Use gather (X)");
    gpumm::say_gather ("elements of a blocksparse cannot be assigned. Use full (X) or gather (X)");
  }
  octave::idx_vector index_vector (bool integers) const {
    const octave_value x = gathered ();
    return (issparse () ? x : gpumm::by_octave ("full", ovl (x))).index_vector (integers);
  }
  // printf and mat2str read single elements by this function.
  octave_value fast_elem_extract (octave_idx_type n) const {
    return n >= 0 && n < dims ().numel ()
               ? gathered ().index_op (ovl (double (n + 1))).full_value ()
               : octave_value ();
  }
  void short_disp (std::ostream &os) const {
    os << dims ().str () << (issparse () ? " sparse" : " blocksparse") << " gpuArray, "
       << (iscomplex () ? "complex " : "") << gpumm::class_of (type ()) << ", ";
    if (issparse ())
      os << nnz () << " nonzero";
    else
      os << block_count () << " blocks of " << block_size ().str ();
  }

protected:
  // What a type computes, after the checks: a matrix of this size without entries, the diagonal,
  // and a part by indices as given and as read.
  virtual octave_value none (const dim_vector &size) const = 0;
  virtual octave_value diagonal (octave_idx_type k) const = 0;
  virtual octave_value part (const octave_value_list &given,
                             const std::vector<octave::idx_vector> &index) const = 0;

private:
  // Errors for indices of a sparse matrix of this size.
  static void check_sparse_index (const std::vector<octave::idx_vector> &index,
                                  const dim_vector &size) {
    if (index.size () > 2)
      gpumm::say_gather (
          "a sparse matrix has only two dimensions. Write X(I,J), or use gather (X)");
    if (index.size () == 2)
      return;
    const octave::idx_vector &places = index[0];
    const dim_vector shape = places.orig_dimensions ();
    const auto is_matrix = [] (const dim_vector &x) { return x (0) != 1 && x (1) != 1; };
    if (!places.is_scalar () && (is_matrix (size) || (!places.is_colon () && is_matrix (shape))))
      gpumm::say_gather (
          "X(I) of a sparse matrix is not available on a device. Write X(I,J), or use gather (X)");
    if (places.is_colon () && size (1) != 1)
      gpumm::say_gather (
          "X(:) of a sparse row is not available on a device. Write X.', or use gather (X)");
  }

  // Errors for indices of a matrix in blocks of this size.
  static void check_blocks_index (const std::vector<octave::idx_vector> &index,
                                  const dim_vector &size) {
    if (index.size () > 2)
      gpumm::say_gather ("a blocksparse has only two dimensions. Write X(I,J), or use gather (X)");
    if (index.size () == 1 && !index[0].is_scalar () && size.numel () != 1)
      gpumm::say_gather (
          "X(I) of a blocksparse reads one element on a device. Write X(I,J), or use gather (X)");
  }

  // [2, 3], say
  static std::string list_of (const dim_vector &size) {
    std::string list;
    for (int d = 0; d < size.ndims (); d++)
      list += (d > 0 ? ", " : "[") + std::to_string (size (d));
    return list + "]";
  }
  // "sparse matrix", say
  const char *kind_name () const {
    return issparse () ? "sparse matrix" : "blocksparse";
  }
  // The error for what a device does not compute of them: NAME (X), NAME (X, REST).
  [[noreturn]] void refuse (const std::string &name, const std::string &rest = "") const {
    gpumm::refuse (name, std::string ("of a ") + kind_name (),
                   "gpuArray (" + name + " (gather (X)" + (rest.empty () ? "" : ", ") + rest
                       + "))");
  }
};

#endif
