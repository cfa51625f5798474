// device_stored.h - functions for both sparse matrices and matrices in blocks, M here: memory, the
// way a matrix is read, and stored zeros. The check for zeros is read back with the other results
// that the host needs, so a product waits once.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_STORED_H
#define GPUMM_DEVICE_STORED_H

#include "device_vector.h"

namespace gpumm {

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
    x.values = applied (x.values, {step_of (GPUMM_MAP_CONJ)}, x.values.type, x.values.type);
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
      x = packed (x, *found, index_type (kept));
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

// What a * b is by its operands.
template <typename M> gpumm_symmetry symmetry_of (const M &a, const M &b) {
  return !same_stored (a, b) || a.turned == b.turned ? GPUMM_GENERAL
         : a.conjugated != b.conjugated              ? GPUMM_HERMITIAN
                                                     : GPUMM_SYMMETRIC;
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
  std::unique_ptr<zero_flag<M> > of_b;
};

// ---- long matrices ------------------------------------------------------------------------------

// Are there far more places (rows of a sparse matrix, block columns) than entries? Then memory for
// each place, such as an offset of the transpose, is far larger than the matrix.
inline bool is_long (index_type places, index_type entries) {
  return places > 1 << 20 && places / 16 > entries;
}

// The product in host memory, where gpumm takes no memory for such places.
template <typename M> octave_value product_on_host (M a, M b) {
  const auto read = [] (M &x) -> const char * {
    if (x.conjugated && !x.turned)
      x = straight (x);
    const char *op = !x.turned ? "none" : x.conjugated ? "ctranspose" : "transpose";
    x.turned = x.conjugated = false;
    return op;
  };
  const char *op_a = read (a), *op_b = read (b);
  return by_octave ("gpumm",
                    ovl (download (a), download (b), "TransposeA", op_a, "TransposeB", op_b));
}

} // namespace gpumm

#endif
