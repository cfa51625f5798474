// device_sparse.cc - see device_sparse.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse.h"

#include <algorithm>
#include <cmath>

#include <octave/lo-array-errwarn.h>
#include <octave/ov-re-sparse.h>

namespace gpumm {

using index_type = octave_idx_type;

// ---- memory -------------------------------------------------------------------------------------

static array vector (int device, gpumm_type type, index_type count) {
  return new_array (device, type, dim_vector (count, 1));
}

// Elements without gaps, for a copy.
static gpumm_matrix column (gpumm_type type, index_type count, const void *values,
                            gpumm_buffer *buffer) {
  gpumm_matrix m = {};
  m.type = type == GPUMM_B ? GPUMM_U8 : type; // as many bytes
  m.rows = m.ld = count;
  m.cols = 1;
  m.values = const_cast<void *> (values);
  m.buffer = buffer;
  return m;
}

static array to_device (int device, gpumm_type type, index_type count, const void *from) {
  const array x = vector (device, type, count);
  const gpumm_matrix source = column (type, count, from, nullptr);
  const gpumm_matrix to = column (type, count, x.values (), x.buffer.get ());
  if (count > 0)
    need (gpumm_copy (&source, &to));
  return x;
}

static void to_host (array x, void *to) {
  x = plain (x);
  const gpumm_matrix from = column (x.type, x.numel (), x.values (), x.buffer.get ());
  const gpumm_matrix target = column (x.type, x.numel (), to, nullptr);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &target));
}

static gpumm_view view (const array &x) {
  return x.buffer ? view_of (x) : gpumm_view ();
}

static gpumm_csc csc_of (sparse &x) {
  x.values = plain (x.values);
  gpumm_csc m = {};
  m.rows = x.rows;
  m.cols = x.cols;
  m.stored = x.stored;
  m.start = view (x.start);
  m.index = view (x.index);
  m.values = view (x.values);
  return m;
}

// Room for a matrix; start is there if it is given.
static sparse new_sparse (int device, gpumm_type type, index_type rows, index_type cols,
                          index_type stored, const array *start = nullptr) {
  sparse x;
  x.device = device;
  x.rows = rows;
  x.cols = cols;
  x.stored = stored;
  x.start = start ? *start : vector (device, GPUMM_I64, cols + 1);
  x.index = vector (device, GPUMM_I32, stored);
  x.values = vector (device, type, stored);
  x.twin = std::make_shared<sparse> ();
  return x;
}

static void run (const gpumm_sparse_work &w) {
  need (gpumm_sparse_run (&w));
}

// The count that a device has found. Waits.
static index_type look (const array &x, index_type place) {
  int64_t count = 0;
  const gpumm_view at = view_of (x, place);
  need (gpumm_look (&at, 1, &count));
  return index_type (count);
}

gpumm_type sparse::type () const {
  if (!is_hosted ())
    return values.type;
  return host.islogical () ? GPUMM_B : host.iscomplex () ? GPUMM_Z : GPUMM_D;
}

static sparse hosted_sparse (const octave_value &value) {
  sparse x;
  x.host = value;
  return x;
}

template <typename M> static sparse uploaded (const M &m, gpumm_type type, int device) {
  sparse x;
  x.device = device;
  x.rows = m.rows ();
  x.cols = m.cols ();
  x.stored = m.nnz ();
  if (x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_gather ("a sparse matrix on a device has less than 2^31 rows and columns");
  const std::vector<int32_t> index (m.ridx (), m.ridx () + x.stored);
  x.start = to_device (device, GPUMM_I64, x.cols + 1, m.cidx ());
  x.index = to_device (device, GPUMM_I32, x.stored, index.data ());
  x.values = to_device (device, type, x.stored, m.data ());
  x.twin = std::make_shared<sparse> ();
  return x;
}

sparse upload_sparse (const octave_value &value, int device) {
  const octave_value x = value.issparse () ? value : by_octave ("sparse", ovl (value));
  if (device == NO_DEVICE)
    return hosted_sparse (x);
  if (x.islogical ())
    return uploaded (x.sparse_bool_matrix_value (), GPUMM_B, device);
  return x.iscomplex () ? uploaded (x.sparse_complex_matrix_value (), GPUMM_Z, device)
                        : uploaded (x.sparse_matrix_value (), GPUMM_D, device);
}

sparse moved (sparse x, int device) {
  if (x.device == device || x.is_hosted () || device == NO_DEVICE)
    return x;
  x.start = moved (x.start, device);
  x.index = moved (x.index, device);
  x.values = moved (x.values, device);
  x.zero = array (); // as if no product had told
  x.twin = std::make_shared<sparse> ();
  x.device = device;
  return x;
}

template <typename M> static octave_value downloaded (const sparse &x, M m) {
  std::vector<int32_t> index (x.stored);
  to_host (x.start, m.cidx ());
  to_host (x.index, index.data ());
  to_host (x.values, m.data ());
  std::copy (index.begin (), index.end (), m.ridx ());
  return octave_value (m);
}

// ---- as stored ----------------------------------------------------------------------------------

// Which entries of a matrix are marked (GPUMM_SPARSE_KEEP).
struct marks {
  array words, before;

  marks (int device, index_type stored)
      : words (vector (device, GPUMM_U64, GPUMM_MARK_WORDS (stored))),
        before (vector (device, GPUMM_I64, GPUMM_MARK_WORDS (stored) + 1)) {
  }

  void attach (gpumm_sparse_work &w) const {
    w.marks = view_of (words);
    w.before = view_of (before);
  }

  // Waits.
  index_type count () const {
    return look (before, words.numel ());
  }
};

// Those entries of x whose value is not zero.
static marks marks_of (sparse &x) {
  const marks m (x.device, x.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_KEEP;
  w.a = csc_of (x);
  m.attach (w);
  run (w);
  return m;
}

// The marked entries.
static sparse packed (sparse x, const marks &m, index_type kept) {
  sparse y = new_sparse (x.device, x.values.type, x.rows, x.cols, kept);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_PACK;
  w.a = csc_of (x);
  m.attach (w);
  w.c = csc_of (y);
  run (w);
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  y.unsure = x.unsure;
  return y;
}

// May a stored value be zero? Waits for the product that tells, if one does.
static bool has_zeros (const sparse &x) {
  int32_t is_there = 1;
  if (!x.unsure || x.stored == 0)
    return false;
  if (x.zero.buffer) {
    const gpumm_view flag = view_of (x.zero);
    need (gpumm_look (&flag, 1, &is_there));
  }
  return is_there != 0;
}

const sparse &settle (sparse &x) {
  if (x.is_hosted () || !x.unsure)
    return x;
  if (has_zeros (x)) {
    const marks m = marks_of (x);
    const index_type kept = m.count ();
    if (kept < x.stored)
      x = packed (x, m, kept);
  }
  x.zero = array ();
  x.unsure = false;
  return x;
}

sparse transposed (sparse x, bool conjugates) {
  if (x.is_hosted ())
    return hosted_sparse (octave::unary_op (
        type_info (), conjugates ? octave_value::op_hermitian : octave_value::op_transpose,
        x.host));
  x.turned = !x.turned;
  x.conjugated = x.conjugated != (conjugates && is_complex (x.values.type));
  return x;
}

// The transpose of what is stored: made once and kept with the matrix, because who needs it once mostly
// needs it again.
static sparse twin_of (sparse &x) {
  if (!x.twin || !x.twin->start.buffer) {
    sparse t = new_sparse (x.device, x.values.type, x.cols, x.rows, x.stored);
    gpumm_sparse_work w = {};
    w.op = GPUMM_SPARSE_TRANSPOSE;
    w.a = csc_of (x);
    w.c = csc_of (t);
    run (w);
    t.twin = nullptr; // a transpose of it is not kept
    if (!x.twin)
      return t;
    *x.twin = t;
  }
  return *x.twin;
}

// x as it reads, in compressed columns.
static sparse straight (sparse x) {
  if (x.turned) {
    ready (x.values);
    sparse t = twin_of (x);
    t.conjugated = x.conjugated;
    t.unsure = x.unsure;
    x = t;
  }
  if (x.conjugated) {
    x.values = applied (x.values, {step_of (GPUMM_MAP_CONJ)}, x.values.type, x.values.type);
    ready (x.values);
    x.conjugated = false;
    x.twin = std::make_shared<sparse> ();
  }
  return x;
}

octave_value download (sparse x) {
  if (x.is_hosted ())
    return x.host;
  settle (x);
  x = straight (x);
  if (x.values.type == GPUMM_B)
    return downloaded (x, SparseBoolMatrix (x.rows, x.cols, x.stored));
  return x.values.type == GPUMM_Z ? downloaded (x, SparseComplexMatrix (x.rows, x.cols, x.stored))
                                  : downloaded (x, SparseMatrix (x.rows, x.cols, x.stored));
}

// The pattern of x with other values.
static sparse with_values (const sparse &x, const array &values) {
  sparse y = x;
  y.values = values;
  y.twin = std::make_shared<sparse> ();
  y.zero = array ();
  y.unsure = true;
  return y;
}

// ---- full arrays --------------------------------------------------------------------------------

array values_of (sparse x) {
  if (x.is_hosted ())
    return hosted (by_octave ("nonzeros", ovl (x.host)));
  settle (x);
  x = straight (x);
  return ready (x.values);
}

array full_of (sparse x) {
  if (x.is_hosted ())
    return hosted (x.host.full_value ());
  ready (x.values);
  array y = zeros (x.device, x.values.type, dim_vector (x.rows, x.cols));
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_SCATTER;
  w.a = csc_of (x);
  w.full = view_of (y);
  w.full.stride[0] = 1;
  w.full.stride[1] = x.rows;
  std::fill_n (w.full_size, GPUMM_MAP_DIMS, 1);
  w.full_size[0] = x.rows;
  w.full_size[1] = x.cols;
  if (x.stored > 0)
    run (w);
  y.size = x.size ();
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

sparse sparse_of (const array &given) {
  array x = given;
  if (is_hosted (ready (x)))
    return hosted_sparse (by_octave ("sparse", ovl (x.host)));
  if (x.size.ndims () > 2)
    error ("sparse: wrong type argument 'gpuArray with more than two dimensions'");
  if (x.type != GPUMM_B && x.type != GPUMM_D && x.type != GPUMM_Z) {
    by_octave ("sparse", ovl (sample (x.type, false, dim_vector (1, 2)))); // or Octave's error
    x = converted (x, is_complex (x.type) ? GPUMM_Z : GPUMM_D);
  }
  x = plain (x);
  gpumm_sparse_work w = {};
  const marks m (x.device, x.numel ());
  w.op = GPUMM_SPARSE_KEEP;
  w.a.rows = x.size (0);
  w.a.cols = x.size (1);
  w.a.stored = x.numel ();
  w.a.values = view_of (x);
  m.attach (w);
  run (w);
  sparse y = new_sparse (x.device, x.type, x.size (0), x.size (1), m.count ());
  w.op = GPUMM_SPARSE_PACK;
  w.c = csc_of (y);
  run (w);
  return y;
}

// ---- two patterns -------------------------------------------------------------------------------

bool same_pattern (const sparse &a, const sparse &b) {
  return a.start.buffer == b.start.buffer && a.index.buffer == b.index.buffer
         && a.turned == b.turned && a.rows == b.rows && a.cols == b.cols;
}

// The values at these places, or put there among zeros.
static array picked (bool put, array values, const array &places, index_type count) {
  values = plain (values);
  const array y = put ? zeros (values.device, values.type, dim_vector (count, 1))
                      : vector (values.device, values.type, count);
  gpumm_pick p = {};
  p.put = put;
  p.part = view_of (put ? values : y);
  p.whole = view_of (put ? y : values);
  std::fill_n (p.size, GPUMM_MAP_DIMS, 1);
  std::fill_n (p.whole_size, GPUMM_MAP_DIMS, 1);
  p.size[0] = places.numel ();
  p.whole_size[0] = put ? count : values.numel ();
  p.part.stride[0] = p.whole.stride[0] = 1;
  p.places[0].buffer = places.buffer.get ();
  p.places[0].vector = static_cast<const int64_t *> (places.values ());
  if (places.numel () > 0)
    need (gpumm_pick_entries (&p));
  return y;
}

static operand operand_with (const array &x) {
  operand o;
  o.x = x;
  return o;
}

// Drops the entries of two matrices of one pattern where either is zero.
static void settle_both (sparse &a, sparse &b) {
  for (sparse *x : {&b, &a})
    if (has_zeros (*x)) {
      const marks m = marks_of (*x);
      const index_type kept = m.count ();
      if (kept == x->stored)
        continue;
      a = packed (a, m, kept); // what is left of the other one may still be zero
      b = packed (b, m, kept);
      b.start = a.start;
      b.index = a.index;
      x->unsure = false;
    }
}

// The type of products of these.
static gpumm_type product_type (gpumm_type a, gpumm_type b) {
  return is_complex (a) || is_complex (b) ? GPUMM_Z : GPUMM_D;
}

// x where the mask is not 0, entry by stored entry.
static array masked (const array &x, const array &mask, gpumm_type type) {
  return pending_array (fused (GPUMM_MAP_MASK, operand_with (x), operand_with (mask), type), type,
                        x.size, x.device);
}

// As truth values: of sparse matrices NaN is true.
static sparse as_truth (sparse x) {
  if (x.values.type != GPUMM_B) {
    operand zero = operand_of (octave_value (0.0), x.device);
    x.values = entrywise (operation_of (octave_value::op_ne), operand_with (x.values), zero);
    x.conjugated = false;
    x.twin = nullptr;
  }
  return x;
}

// f of the values of both, where one of them has any, or both do.
static sparse joined (bool unites, const operation &o, sparse a, sparse b) {
  if (o.is_logical) {
    settle (a);
    settle (b);
    a = as_truth (a);
    b = as_truth (b);
  }
  if (a.conjugated || b.conjugated) {
    a = straight (a);
    b = straight (b);
  }
  if (same_pattern (a, b) && o.map == GPUMM_MAP_MUL
      && (a.values.type == GPUMM_B || b.values.type == GPUMM_B)) {
    const bool is_mask = b.values.type == GPUMM_B;
    const sparse &x = is_mask ? a : b;
    return with_values (x, masked (x.values, (is_mask ? b : a).values,
                                   product_type (a.values.type, b.values.type)));
  }
  if (same_pattern (a, b)) {
    if (o.map == GPUMM_MAP_MUL) // a zero that is not stored makes no NaN of Inf
      settle_both (a, b);
    return with_values (a, entrywise (o, operand_with (a.values), operand_with (b.values)));
  }
  settle (a);
  settle (b);
  if (a.turned && b.turned) {
    a.turned = b.turned = false;
    return transposed (joined (unites, o, a, b), false);
  }
  a = straight (a);
  b = straight (b);
  const int device = a.device;
  const marks m (device, a.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_MATCH;
  w.a = csc_of (a);
  w.b = csc_of (b);
  m.attach (w);
  run (w);
  const index_type both = m.count ();
  const index_type stored = unites ? a.stored + b.stored - both : both;
  const array from_a = vector (device, GPUMM_I64, unites ? a.stored : stored),
              from_b = vector (device, GPUMM_I64, unites ? b.stored : stored);
  sparse c = new_sparse (device, GPUMM_B, a.rows, a.cols, stored);
  w.op = unites ? GPUMM_SPARSE_UNITE : GPUMM_SPARSE_MEET;
  w.c = csc_of (c);
  w.from_a = view_of (from_a);
  w.from_b = view_of (from_b);
  run (w);
  return with_values (c, entrywise (o, operand_with (picked (unites, a.values, from_a, stored)),
                                    operand_with (picked (unites, b.values, from_b, stored))));
}

// ---- products -----------------------------------------------------------------------------------

// x in this type.
static sparse in_type (sparse x, gpumm_type type) {
  if (x.values.type != type) {
    x.values = converted (x.values, type);
    ready (x.values);
    x.twin = std::make_shared<sparse> ();
  }
  return x;
}

static sparse multiplied (sparse a, sparse b) {
  if (a.size () (1) != b.size () (0))
    octave::err_nonconformant ("operator *", a.size (), b.size ());
  settle (a);
  settle (b);
  const gpumm_type s = a.values.type, t = b.values.type, type = product_type (s, t);
  a = in_type (straight (a), type);
  b = in_type (straight (b), type);
  sparse c;
  c.device = a.device;
  c.rows = a.rows;
  c.cols = b.cols;
  c.start = vector (a.device, GPUMM_I64, b.cols + 1);
  c.zero = vector (a.device, GPUMM_I32, 1);
  gpumm_csc_product p = {};
  p.a = csc_of (a);
  p.b = csc_of (b);
  p.c.rows = c.rows;
  p.c.cols = c.cols;
  p.c.start = view_of (c.start);
  p.real_a = type == GPUMM_Z && s != GPUMM_Z;
  p.real_b = type == GPUMM_Z && t != GPUMM_Z;
  p.zero = view_of (c.zero);
  need (gpumm_csc_count (&p));
  const array start = c.start, zero = c.zero;
  c = new_sparse (a.device, type, a.rows, b.cols, look (start, b.cols), &start);
  c.zero = zero;
  c.unsure = true;
  p.c = csc_of (c);
  need (gpumm_csc_multiply (&p));
  return c;
}

// Sparse times full (left) or full times sparse.
static array multiplied_full (sparse s, array d, bool left) {
  const dim_vector a = left ? s.size () : d.size, b = left ? d.size : s.size ();
  if (d.size.ndims () > 2 || a (1) != b (0))
    octave::err_nonconformant ("operator *", a, b);
  settle (s);
  const gpumm_type t = s.values.type, u = d.type, type = product_type (t, u);
  if (t != type)
    s = in_type (s, type);
  if (left && !s.turned) { // kernels take the rows of what is on the left
    ready (s.values);
    sparse turned = twin_of (s);
    turned.turned = true;
    turned.conjugated = s.conjugated;
    s = turned;
  }
  d = converted (d, type);
  ready (d);
  if (d.conjugated && !d.turned)
    d = plain (d);
  if (s.conjugated && !s.turned)
    s = straight (s);
  const bool is_zero = d.numel () == 0 || s.stored == 0;
  const array c = (is_zero ? zeros : new_array) (s.device, type, dim_vector (a (0), b (1)));
  gpumm_csc_full p = {};
  p.s = csc_of (s);
  p.op = !s.turned ? GPUMM_NONE : s.conjugated ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE;
  p.left = left;
  p.real_s = type == GPUMM_Z && t != GPUMM_Z;
  p.real_d = type == GPUMM_Z && u != GPUMM_Z;
  p.d = matrix_of (d, !d.turned ? GPUMM_NONE : d.conjugated ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE);
  p.c = matrix_of (c, GPUMM_NONE);
  p.d.buffer = d.buffer.get ();
  p.c.buffer = c.buffer.get ();
  if (c.numel () > 0 && !is_zero)
    need (gpumm_csc_multiply_full (&p));
  return c;
}

// x with each row (or column) multiplied by, or divided by, an element of a full vector.
static sparse scaled (bool divides, sparse x, array factors, bool by_rows) {
  const gpumm_type s = x.values.type, t = factors.type, type = product_type (s, t);
  if (x.conjugated)
    x = straight (x);
  factors = plain (converted (factors, type));
  x.values = converted (x.values, type);
  ready (x.values);
  const array y = vector (x.device, type, x.stored);
  const int along = by_rows != x.turned ? 0 : 1; // of what is stored
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_SCALE;
  w.a = csc_of (x);
  w.c.stored = x.stored;
  w.c.values = view_of (y);
  w.full = view_of (factors);
  std::fill_n (w.full_size, GPUMM_MAP_DIMS, 1);
  std::fill_n (w.full.stride, GPUMM_MAP_DIMS, 0);
  w.full_size[along] = factors.numel ();
  w.full.stride[along] = 1;
  w.divides = divides;
  w.real_a = !is_complex (s);
  w.real_full = !is_complex (t);
  if (x.stored > 0)
    run (w);
  return with_values (x, y);
}

// ---- operators ----------------------------------------------------------------------------------

static octave_value sparse_sample (gpumm_type type, bool is_scalar) {
  static octave_value samples[GPUMM_TYPES][2];
  octave_value &x = samples[type][is_scalar];
  if (!x.is_defined ())
    x = by_octave ("sparse", ovl (sample (type, is_scalar, dim_vector (2, 2))));
  return x;
}

static dim_vector size_of (const sparse_operand &x) {
  return x.is_sparse ? x.s.size () : x.diagonal.is_defined () ? x.diagonal.dims () : x.other.x.size;
}

static bool is_scalar (const sparse_operand &x) {
  const dim_vector size = size_of (x);
  return size.ndims () == 2 && size (0) == 1 && size (1) == 1;
}

static array full_operand (const sparse_operand &x) {
  return x.is_sparse                ? full_of (x.s)
         : x.diagonal.is_defined () ? upload (x.diagonal.full_value (), x.s.device)
                                    : as_array (x.other);
}

// The operand on the host.
static octave_value on_host (const sparse_operand &x) {
  return x.is_sparse                ? download (x.s)
         : x.diagonal.is_defined () ? x.diagonal
                                    : download (as_array (x.other));
}

// What stands for x when Octave is asked for its rules: a number may be asked for by its value.
static octave_value sample_of (const sparse_operand &x, bool by_value) {
  if (x.is_sparse)
    return sparse_sample (x.s.type (), is_scalar (x));
  if (x.diagonal.is_defined ())
    return sparse_sample (x.diagonal.iscomplex () ? GPUMM_Z : GPUMM_D, false);
  if (is_scalar (x) && (by_value || x.other.is_number))
    return x.other.is_number ? x.other.value : download (as_array (x.other));
  return sample (x.other.x.type, is_scalar (x), dim_vector (2, 2));
}

[[noreturn]] static void refuse (octave_value::binary_op op) {
  say_gather ("%s of these would fill a sparse matrix: gather (X), or full (X)",
              octave_value::binary_op_as_string (op).c_str ());
}

// A vector that goes with each column or each row of the matrix.
static bool goes_along (const dim_vector &v, const dim_vector &size) {
  return v.ndims () == 2 && v != size && v.numel () != 1
         && ((v (0) == 1 && v (1) == size (1)) || (v (1) == 1 && v (0) == size (0)));
}

// Refuses what would make something of zeros that are not stored.
static void check_fills (octave_value::binary_op op, const sparse_operand &a,
                         const sparse_operand &b) {
  const operation &o = operation_of (op);
  const bool adds = op == octave_value::op_add || op == octave_value::op_sub;
  const auto is_complex_one = [] (const sparse_operand &x) {
    return x.is_sparse ? is_complex (x.s.type ()) : is_complex (x.other.x.type);
  };
  if (o.compares && !o.is_logical && op != octave_value::op_ne && op != octave_value::op_eq
      && (is_complex_one (a) || is_complex_one (b)))
    say_gather ("Octave orders complex numbers of sparse matrices in its own way: gather (X)");
  const auto is_stored = [] (const sparse_operand &x) {
    return x.is_sparse || x.diagonal.is_defined ();
  };
  if (is_scalar (a) != is_scalar (b)) {
    const octave_value zero (0.0), number = on_host (is_scalar (b) ? b : a).full_value ();
    if (o.compares || adds)
      if (octave::binary_op (type_info (), op, is_scalar (b) ? zero : number,
                             is_scalar (b) ? number : zero)
              .double_value ()
          != 0)
        refuse (op);
  } else if (is_stored (a) && is_stored (b) && !is_scalar (a) && op != octave_value::op_el_mul
             && op != octave_value::op_el_and && !adds && op != octave_value::op_lt
             && op != octave_value::op_gt && op != octave_value::op_ne
             && op != octave_value::op_el_or
             && !(op == octave_value::op_el_div && goes_along (size_of (b), size_of (a))))
    refuse (op);
}

static sparse as_sparse (const sparse_operand &x, int device) {
  return x.is_sparse                ? x.s
         : x.diagonal.is_defined () ? upload_sparse (x.diagonal, device)
                                    : sparse_of (as_array (x.other));
}

// The factors of a diagonal matrix, or of a vector that is sparse or full, as a column.
static array factors_of (const sparse_operand &x, int device) {
  array v = x.diagonal.is_defined ()
                ? upload (octave_value (x.diagonal).diag ().full_value (), device)
                : full_operand (x);
  return reshaped (v, dim_vector (v.numel (), 1));
}

// S OP number or number OP S, where nothing becomes of zeros.
static sparse with_number (const operation &o, const sparse_operand &a, const sparse_operand &b) {
  sparse x = a.is_sparse && !is_scalar (a) ? a.s : b.is_sparse ? b.s : a.s;
  const bool left = a.is_sparse && (!is_scalar (a) || !b.is_sparse || is_scalar (b));
  const sparse_operand &n = left ? b : a;
  operand number = n.other;
  if (n.is_sparse)
    number = operand_with (full_of (n.s));
  const gpumm_scalar value = number.number;
  if (!number.is_number || !std::isfinite (value.re) || !std::isfinite (value.im)
      || (o.map == GPUMM_MAP_DIV && value.re == 0 && value.im == 0))
    settle (x); // 0 times Inf would be NaN, and so would 0 by 0
  if (x.conjugated)
    x = straight (x);
  const operand values = operand_with (x.values);
  return with_values (x, left ? entrywise (o, values, number) : entrywise (o, number, values));
}

// Entry by entry, where the result is sparse.
static sparse entrywise_sparse (octave_value::binary_op op, const sparse_operand &a,
                                const sparse_operand &b) {
  const operation &o = operation_of (op);
  const int device = a.is_sparse ? a.s.device : b.s.device;
  const bool multiplies = op == octave_value::op_el_mul, divides = op == octave_value::op_el_div;
  if (is_scalar (a) != is_scalar (b) || (is_scalar (a) && !(a.is_sparse && b.is_sparse)))
    return with_number (o, a, b);
  const dim_vector u = size_of (a), v = size_of (b);
  if ((multiplies && goes_along (u, v)) || ((multiplies || divides) && goes_along (v, u))) {
    const bool left = goes_along (v, u) && a.is_sparse;
    if (!left && !(b.is_sparse && goes_along (u, v)))
      refuse (op);
    const sparse_operand &f = left ? b : a;
    return scaled (divides, left ? a.s : b.s, factors_of (f, device), size_of (f) (1) == 1);
  }
  if (u != v)
    octave::err_nonconformant (o.name, u, v);
  const bool both =
      (a.is_sparse || a.diagonal.is_defined ()) && (b.is_sparse || b.diagonal.is_defined ());
  if (!both) // with a full one: NaN and Inf fill what is zero
    return sparse_of (
        entrywise (o, operand_with (full_operand (a)), operand_with (full_operand (b))));
  const bool meets = multiplies || op == octave_value::op_el_and;
  return joined (!meets, o, as_sparse (a, device), as_sparse (b, device));
}

// The form of a product: OP of scalars is entry by entry.
static octave_value::binary_op reduced (octave_value::binary_op op, sparse_operand &a,
                                        sparse_operand &b) {
  switch (op) {
  case octave_value::op_mul:
    return is_scalar (a) || is_scalar (b) ? octave_value::op_el_mul : op;
  case octave_value::op_div:
    if (!is_scalar (b))
      say_gather ("division by a matrix: gather the matrices");
    return octave_value::op_el_div;
  case octave_value::op_ldiv:
    if (!is_scalar (a))
      say_gather ("division by a matrix: gather the matrices");
    std::swap (a, b);
    return octave_value::op_el_div;
  case octave_value::op_el_ldiv:
    std::swap (a, b);
    return octave_value::op_el_div;
  case octave_value::op_pow:
    if (!is_scalar (a) || !is_scalar (b))
      say_gather ("powers of a matrix: gather (X), or write X * X");
    return octave_value::op_el_pow;
  default:
    return op;
  }
}

static bool product (const sparse_operand &a, const sparse_operand &b, sparse &result,
                     array &full) {
  const int device = a.is_sparse ? a.s.device : b.s.device;
  const dim_vector u = size_of (a), v = size_of (b);
  if (u.ndims () > 2 || v.ndims () > 2 || u (1) != v (0))
    octave::err_nonconformant ("operator *", u, v);
  if (b.diagonal.is_defined () && v (0) == v (1))
    result = scaled (false, a.s, factors_of (b, device), false);
  else if (a.diagonal.is_defined () && u (0) == u (1))
    result = scaled (false, b.s, factors_of (a, device), true);
  else if ((a.is_sparse || a.diagonal.is_defined ()) && (b.is_sparse || b.diagonal.is_defined ()))
    result = multiplied (as_sparse (a, device), as_sparse (b, device));
  else {
    full = a.is_sparse ? multiplied_full (a.s, as_array (b.other), true)
                       : multiplied_full (b.s, as_array (a.other), false);
    return false;
  }
  return true;
}

// Octave computes, what a device would refuse is refused.
static bool hosted_combined (octave_value::binary_op op, const sparse_operand &a,
                             const sparse_operand &b, sparse &result, array &full) {
  octave_value x = on_host (a), y = on_host (b);
  const bool multiplies = op == octave_value::op_el_mul;
  if ((multiplies || op == octave_value::op_el_div) && goes_along (y.dims (), x.dims ())
      && a.is_sparse && !is_scalar (b)) { // which Octave has as products with diagonal matrices
    if (op == octave_value::op_el_div)
      y = octave::binary_op (type_info (), octave_value::op_el_div, octave_value (1.0),
                             y.full_value ());
    const bool by_rows = y.dims () (1) == 1;
    const octave_value d = by_octave ("diag", ovl (y.full_value ()));
    x = by_rows ? octave::binary_op (type_info (), octave_value::op_mul, d, x)
                : octave::binary_op (type_info (), octave_value::op_mul, x, d);
    result = hosted_sparse (x);
    return true;
  }
  if (multiplies && goes_along (x.dims (), y.dims ()) && b.is_sparse && !is_scalar (a))
    return hosted_combined (op, b, a, result, full);
  const octave_value z = octave::binary_op (type_info (), op, x, y);
  if (z.issparse ())
    result = hosted_sparse (z);
  else
    full = hosted (z);
  return z.issparse ();
}

bool combined (octave_value::binary_op op, sparse_operand a, sparse_operand b, sparse &result,
               array &full) {
  for (const sparse_operand *x : {&a, &b})
    if (!x->is_sparse && !x->diagonal.is_defined ())
      check_narrow (x->other.x.type);
  const bool by_value = op == octave_value::op_el_pow || op == octave_value::op_pow;
  const octave_value rules = octave::binary_op (type_info (), op, sample_of (a, by_value),
                                                sample_of (b, by_value)); // or Octave's error
  const sparse_operand given_a = a, given_b = b;
  const octave_value::binary_op given_op = op;
  op = reduced (op, a, b);
  if (op != octave_value::op_mul && rules.issparse ())
    check_fills (op, a, b);
  if ((a.is_sparse ? a.s : b.s).is_hosted ())
    return hosted_combined (given_op, given_a, given_b, result, full);
  if (op == octave_value::op_mul)
    return product (a, b, result, full);
  const bool scales =
      (op == octave_value::op_el_mul || op == octave_value::op_el_div)
      && (goes_along (size_of (b), size_of (a)) || goes_along (size_of (a), size_of (b)));
  if (rules.issparse () || scales) {
    result = entrywise_sparse (op, a, b);
    return true;
  }
  if (!is_scalar (a) && !is_scalar (b)
      && size_of (a) != size_of (b)) // as Octave's, which repeats none
    octave::err_nonconformant (operation_of (op).name, size_of (a), size_of (b));
  full = entrywise (operation_of (op), operand_with (full_operand (a)),
                    operand_with (full_operand (b)));
  return false;
}

// ---- functions ----------------------------------------------------------------------------------

sparse mapped (const function &f, sparse x) {
  static const gpumm_map_op fills[] = {GPUMM_MAP_EXP, GPUMM_MAP_LOG, GPUMM_MAP_COS, GPUMM_MAP_NOT};
  if (std::find (std::begin (fills), std::end (fills), f.map) != std::end (fills))
    say_gather ("this function would fill a sparse matrix: gather (X), or full (X)");
  if (x.is_hosted ())
    return hosted_sparse (x.host.get_rep ().map (f.name));
  if (x.conjugated)
    x = straight (x);
  sparse y = with_values (x, mapped (f, x.values));
  y.unsure = x.unsure || (f.map != GPUMM_MAP_ABS && f.map != GPUMM_MAP_CONJ);
  return y;
}

sparse applied_sparse (sparse x, gpumm_map_step step, gpumm_type type) {
  if (x.conjugated)
    x = straight (x);
  return with_values (x, applied (x.values, {step}, domain_of (x.values.type), type));
}

sparse folded (gpumm_fold_op op, sparse x, int dim) {
  const bool orders = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  if (op == GPUMM_FOLD_PROD || op == GPUMM_FOLD_ALL || (orders && is_complex (x.type ())))
    say_gather ("%s of a sparse matrix is not computed on a device: gather (X)", fold_names[op]);
  if (x.is_hosted ()) {
    return hosted_sparse (by_octave (fold_names[op], orders ? ovl (x.host, Matrix (), dim + 1)
                                                            : ovl (x.host, dim + 1)));
  }
  if (dim > 1)
    say_gather ("a sparse matrix has two dimensions: gather (X)");
  if (orders)
    settle (x);
  x = straight (dim == 1 ? transposed (x, false) : x);
  const array sums = vector (x.device, is_complex (x.values.type) ? GPUMM_Z : GPUMM_D, x.cols);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_FOLD;
  w.fold = op;
  w.a = csc_of (x);
  w.c.values = view_of (sums);
  if (x.cols > 0)
    run (w);
  array all = reshaped (sums, dim == 1 ? dim_vector (x.cols, 1) : dim_vector (1, x.cols));
  if (op == GPUMM_FOLD_ANY)
    all = converted (all, GPUMM_B);
  return sparse_of (all);
}

// ---- parts --------------------------------------------------------------------------------------

static sparse matrix_with_diagonal (sparse x) {
  const index_type n = x.size ().numel ();
  const sparse down = straight (x.size () (1) == 1 ? x : transposed (x, false));
  const sparse across = straight (x.size () (1) == 1 ? transposed (x, false) : x);
  sparse y = down;
  y.rows = y.cols = n;
  y.start = across.start;
  y.twin = std::make_shared<sparse> ();
  return y;
}

sparse diagonal_of (sparse x, octave_idx_type k) {
  const dim_vector size = x.size ();
  const bool is_vector = size (0) == 1 || size (1) == 1;
  if (is_vector && k != 0)
    say_gather ("diag (X, K) of a sparse vector: gather (X)");
  if (x.is_hosted ())
    return hosted_sparse (x.host.diag (k));
  settle (x);
  if (is_vector)
    return matrix_with_diagonal (x);
  const index_type n = std::max<index_type> (
      k > 0 ? std::min (size (0), size (1) - k) : std::min (size (0) + k, size (1)), 0);
  x = straight (x);
  const marks m (x.device, x.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_DIAGONAL;
  w.shift = k;
  w.a = csc_of (x);
  m.attach (w);
  run (w);
  const index_type stored = m.count ();
  sparse y = packed (x, m, stored);
  const int64_t ends[] = {0, stored};
  y.rows = n;
  y.cols = 1;
  y.start = to_device (x.device, GPUMM_I64, 2, ends);
  if (k < 0)
    y.index =
        applied (y.index, {step_of (GPUMM_MAP_ADD, GPUMM_MAP_CONSTANT, false, {double (k), 0})},
                 GPUMM_D, GPUMM_I32);
  ready (y.index);
  return y;
}

// Columns of x, which is as it reads.
static sparse columns_of (sparse x, const octave::idx_vector &which) {
  if (which.is_colon ())
    return x;
  const index_type count = which.length (x.cols);
  std::vector<int64_t> list (count);
  for (index_type j = 0; j < count; j++)
    list[j] = which (j);
  const array places = to_device (x.device, GPUMM_I64, count, list.data ());
  const array start = vector (x.device, GPUMM_I64, count + 1);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_LENGTHS;
  w.a = csc_of (x);
  w.which = view_of (places);
  w.c.rows = x.rows;
  w.c.cols = count;
  w.c.start = view_of (start);
  run (w);
  sparse y = new_sparse (x.device, x.values.type, x.rows, count, look (start, count), &start);
  w.op = GPUMM_SPARSE_TAKE;
  w.c = csc_of (y);
  run (w);
  y.unsure = x.unsure;
  return y;
}

sparse part_of (sparse x, const octave_value_list &given) {
  std::vector<octave::idx_vector> index = indices_of (given, 2);
  const dim_vector size = x.size ();
  if (index.empty ())
    return x;
  if (index.size () == 1) {
    if (!index[0].is_scalar () && size (0) != 1 && size (1) != 1)
      say_gather ("X(I) of a sparse matrix: gather (X), or name rows and columns");
    if (index[0].is_colon () && size (1) != 1)
      say_gather ("X(:) of a sparse row: gather (X), or X.'");
    if (x.is_hosted ())
      return hosted_sparse (x.host.index_op (given));
    if (index[0].extent (size.numel ()) > size.numel ())
      octave::err_index_out_of_range (1, 1, index[0].extent (size.numel ()), size.numel (), size);
    const dim_vector shape = index[0].orig_dimensions ();
    if (!index[0].is_scalar () && !index[0].is_colon () && shape (0) != 1 && shape (1) != 1)
      say_gather ("X(I) of a sparse matrix: gather (X), or name rows and columns");
    if (index[0].is_scalar ()) {
      const index_type at = index[0](0);
      index = {octave::idx_vector (at % size (0)), octave::idx_vector (at / size (0))};
    } else if (size (1) == 1)
      index = {index[0], octave::idx_vector::colon};
    else
      index = {octave::idx_vector::colon, index[0]};
  }
  if (index.size () > 2)
    say_gather ("a sparse matrix has two indices: gather (X)");
  if (x.is_hosted ())
    return hosted_sparse (x.host.index_op (given));
  for (int d = 0; d < 2; d++)
    if (index[d].extent (size (d)) > size (d))
      octave::err_index_out_of_range (2, d + 1, index[d].extent (size (d)), size (d), size);
  if (!index[1].is_colon ())
    x = columns_of (straight (x), index[1]);
  if (!index[0].is_colon ())
    x = transposed (columns_of (straight (transposed (x, false)), index[0]), false);
  return x;
}

} // namespace gpumm
