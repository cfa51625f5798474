// stored.h - sparse matrices and matrices in blocks, M here, as one stored format: memory, the way
// a matrix is read, stored zeros and products. The check for zeros is read back with the other
// results that the host needs, so a product waits once.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_STORED_H
#define GPUMM_STORED_H

#include "vectors.h"

namespace gpumm {

// What sparse matrices and matrices in blocks, M here, have in common. Both store values and a
// pattern in compressed columns, or in compressed block rows.
template <typename M> struct stored_matrix {
  int device = NO_DEVICE;
  int64_t rows = 0, cols = 0, stored = 0; // as stored; the number of entries or blocks
  array start, index, values;
  bool turned = false, conjugated = false; // read transposed; read conjugated
  bool may_store_zeros = false;            // a stored entry or block may be zero
  array zero;                              // after a product: is a stored entry or block zero?
  std::shared_ptr<M> twin;                 // the transpose of the stored matrix, if it was made

  shape size () const {
    return turned ? shape (cols, rows) : shape (rows, cols);
  }
  gpumm_type type () const {
    return values.type;
  }
};

// A part of a concatenation, which begins at this row and column, from 0.
template <typename M> struct part {
  M m;
  int64_t row, col;
};

// The parts, row by row, put into base where it has no entries. numel (m) is the number of elements
// of a part; united (parts, first, last, below) joins the parts from `first` to before `last` below
// or beside each other; put (whole, part) puts a part into a matrix.
template <typename M, typename N, typename U, typename P>
M joined_rows (const M &base, const std::vector<part<M>> &parts, const N &numel, const U &united,
               const P &put) {
  std::vector<part<M>> rows;
  double left = numel (base); // places without a part
  for (std::size_t i = 0, next; i < parts.size (); i = next) {
    for (next = i; next < parts.size () && parts[next].row == parts[i].row; next++)
      left -= numel (parts[next].m);
    rows.push_back ({united (parts, i, next, false), parts[i].row, parts[i].col});
  }
  const std::size_t count = rows.size ();
  // the base is an empty double matrix, which has no say where parts of any class fill it
  if (left == 0)
    return united (rows, 0, count, true);
  // parts of other kinds came before or come after: the first row and the last may be short
  std::vector<part<M>> rest = {rows[0]};
  if (count > 2)
    rest.push_back ({united (rows, 1, count - 1, true), rows[1].row, rows[1].col});
  if (count > 1)
    rest.push_back (rows[count - 1]);
  M c = base;
  for (const part<M> &p : rest)
    c = put (c, p);
  return c;
}

// ---- memory -------------------------------------------------------------------------------------

template <typename M> M moved_stored (M x, int device) {
  if (x.device == device)
    return x;
  x.start = moved (x.start, device);
  x.index = moved (x.index, device);
  x.values = moved (x.values, device);
  x.zero = array (); // the flag of a product stays on its device
  x.twin = std::make_shared<M> ();
  x.device = device;
  return x;
}

template <typename M> M transposed_stored (M x, bool conjugates) {
  x.turned = !x.turned;
  x.conjugated = x.conjugated != (conjugates && is_complex (x.values.type));
  return x;
}

// ---- other values, and straight matrices --------------------------------------------------------

// The pattern of x with other values.
template <typename M> M with_values (const M &x, const array &values) {
  M y = x;
  y.values = values;
  y.twin = std::make_shared<M> ();
  y.zero = array ();
  y.may_store_zeros = true;
  return y;
}

// x in this type. Zeros stay zero.
template <typename M> M in_type (M x, gpumm_type type) {
  if (x.values.type != type) {
    x.values = converted (x.values, type);
    ready (x.values);
    x.twin = std::make_shared<M> ();
  }
  return x;
}

// x stored the way it is read, in compressed columns or block rows. Uses twin_of.
template <typename M> M straight (M x) {
  if (x.turned) {
    x.values = plain (x.values);
    M t = twin_of (x);
    t.conjugated = x.conjugated;
    t.may_store_zeros = x.may_store_zeros;
    t.zero = x.zero;
    x = t;
  }
  if (x.conjugated) {
    x.values = conjugates_of (x.values);
    ready (x.values);
    x.conjugated = false;
    x.twin = std::make_shared<M> ();
  }
  return x;
}

// ---- zeros --------------------------------------------------------------------------------------

// May the matrix store zeros? It must not change before it is read back. Uses marks_of and packed.
template <typename M> class zero_flag {
public:
  zero_flag (M &x, read_back &l) {
    if (!x.may_store_zeros || x.stored == 0)
      return;
    if (x.zero.buffer) // the flag of the product that made x
      l.add (x.zero, 0, 1, &has_zero);
    else {
      found.reset (new marks (marks_of (x)));
      l.add (found->before, found->words.numel (), 1, &kept);
    }
  }

  // After the read: drops zeros, and returns true if there were none.
  bool drops_nothing (M &x) {
    if (has_zero) {
      found.reset (new marks (marks_of (x)));
      kept = found->count ();
    }
    const bool stays = !found || kept == x.stored;
    if (!stays)
      x = packed (x, *found, int64_t (kept));
    x.zero = array ();
    x.may_store_zeros = false;
    return stays;
  }

private:
  int32_t has_zero = 0;
  int64_t kept = 0;
  std::unique_ptr<marks> found;
};

template <typename M> const M &without_zeros (M &x) {
  if (x.may_store_zeros) {
    read_back l;
    zero_flag<M> d (x, l);
    l.now ();
    d.drops_nothing (x);
  }
  return x;
}

// Do both store the same data, whether transposed or not?
template <typename M> bool same_stored (const M &a, const M &b) {
  return a.values.buffer && a.values.is_with (b.values) && a.start.buffer == b.start.buffer
         && a.rows == b.rows && a.values.conjugated == b.values.conjugated;
}

// The data of a, read the way b is read.
template <typename M> M read_as (M a, const M &b) {
  a.turned = b.turned;
  a.conjugated = b.conjugated;
  return a;
}

// The zero_flags of both factors of a product. One factor may be the transpose of the other.
template <typename M> class zero_flags {
public:
  zero_flags (M &a, M &b, read_back &l) : of_a (a, l), is_same (same_stored (a, b)) {
    if (!is_same)
      of_b.reset (new zero_flag<M> (b, l));
  }

  bool drops_nothing (M &a, M &b) {
    const bool stays = of_a.drops_nothing (a);
    if (!is_same)
      return of_b->drops_nothing (b) && stays;
    b = read_as (a, b);
    return stays;
  }

private:
  zero_flag<M> of_a;
  bool is_same;
  std::unique_ptr<zero_flag<M>> of_b;
};

// ---- products -----------------------------------------------------------------------------------

// What the engine reads of both formats.
template <typename M> gpumm_matrix compressed_of (M &x) {
  x.values = plain (x.values);
  gpumm_matrix m = pattern_of (x.rows, x.cols, x.start, x.index);
  set_values (m, x.values);
  return m;
}

// An operand of the engine: as stored, with the op by which it is read, and with its transpose if
// that is needed. Uses stored_of and twin_of.
template <typename M> struct factor {
  M x, twin;
  gpumm_matrix stored = {}, transpose = {};

  factor (const M &given, bool needs_transpose) : x (given) {
    if (x.conjugated && !x.turned)
      x = straight (x);
    stored = stored_of (x);
    stored.op = op_of (x);
    if (!needs_transpose)
      return;
    twin = twin_of (x);
    transpose = stored_of (twin);
    stored.transpose = &transpose;
  }
  factor (const factor &) = delete;
};

// A product that is planned, and the entries of its result counted, on the array stream.
class device_product {
public:
  // start: memory for the result's offsets, if that is sparse or in blocks.
  device_product (const gpumm_matrix &a, const gpumm_matrix &b, gpumm_type type,
                  const product_options &o, gpumm_buffer *start = nullptr)
      : options (o) {
    gpumm_problem p = {};
    p.a = a;
    p.b = b;
    p.alpha = {1, 0};
    p.output = type;
    p.stays = 1;
    p.start = start;
    p.queues = !o.report;
    need (gpumm_open (&p, &o.engine, &job));
  }
  ~device_product () {
    gpumm_close (job);
  }
  device_product (const device_product &) = delete;

  // Waits, unless the stream was waited for.
  gpumm_matrix shape () {
    gpumm_matrix s = {};
    need (gpumm_result (job, &s));
    return s;
  }
  void run (gpumm_matrix result) {
    need (gpumm_run (job, &result));
    if (options.report)
      *options.report = *gpumm_job_report (job);
  }

private:
  const product_options &options;
  gpumm_job *job = nullptr;
};

// x with its conjugation taken back, if `flips`.
template <typename M> M flipped (M x, bool flips) {
  x.conjugated = x.conjugated != flips;
  return x;
}

// a * b, and drops zeros of a and b, all in one read. Uses lines_of_product and new_result.
template <typename M> M multiplied_stored (M &a, M &b, gpumm_type type, const product_options &o) {
  for (;;) {
    read_back l;
    zero_flags<M> zeros (a, b, l);
    a.values = plain (a.values);
    const bool is_same = same_stored (a, b);
    b.values = is_same ? a.values : plain (b.values);
    // conj (A) * A.' is conj (A * A'): then neither is copied, and the engine sees one matrix
    const bool flips = is_same && a.turned != b.turned && (a.turned ? b : a).conjugated;
    const factor<M> left (flipped (a, flips), a.turned), right (flipped (b, flips), b.turned);
    const array start = vector (a.device, GPUMM_I64, lines_of_product (a, b) + 1);
    device_product product (left.stored, right.stored, type, o, start.buffer.get ());
    l.now ();
    if (!zeros.drops_nothing (a, b))
      continue; // again, without the dropped zeros
    M c = new_result (product.shape (), a, start);
    gpumm_matrix result = stored_of (c);
    c.zero = vector (a.device, GPUMM_I32, 1);
    c.may_store_zeros = true;
    c.conjugated = flips;
    result.zero = c.zero.buffer.get ();
    product.run (result);
    return c;
  }
}

// s * d if `left`, else d * s, which is full.
template <typename M>
array multiplied_full_stored (const M &s, array d, bool left, bool needs_transpose, gpumm_type type,
                              const product_options &o) {
  d = as_factor (d);
  const factor<M> compressed (s, needs_transpose);
  gpumm_matrix full = matrix_of (d);
  full.buffer = d.buffer.get ();
  device_product product (left ? compressed.stored : full, left ? full : compressed.stored, type,
                          o);
  const array c = new_array (
      d.device, type, left ? shape (s.size () (0), d.size (1)) : shape (d.size (0), s.size () (1)));
  gpumm_matrix result = matrix_of (c);
  result.buffer = c.buffer.get ();
  product.run (result);
  return c;
}

// ---- long matrices ------------------------------------------------------------------------------

// Are there far more places (rows of a sparse matrix, block columns) than entries? Then memory for
// each place, such as an offset of the transpose, is far larger than the matrix.
inline bool is_long (int64_t places, int64_t entries) {
  return places > 1 << 20 && places / 16 > entries;
}

} // namespace gpumm

#endif
