// sparse_operators.cc - operators and products of sparse matrices: see sparse.h.
//
// Stored zeros are dropped here before they can matter: before two patterns meet, and before a zero
// is multiplied by Inf. The engine's plan chooses how a product runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.h"

#include <algorithm>

namespace gpumm {

// ---- two patterns -------------------------------------------------------------------------------

bool same_pattern (const sparse &a, const sparse &b) {
  return a.start.buffer == b.start.buffer && a.index.buffer == b.index.buffer
         && a.turned == b.turned && a.rows == b.rows && a.cols == b.cols;
}

// May a stored value be zero? If a product computed the flag, waits for the product.
static bool has_zeros (const sparse &x) {
  int32_t is_there = 1;
  if (!x.may_store_zeros || x.stored == 0)
    return false;
  if (x.zero.buffer) {
    read_back l;
    l.add (x.zero, 0, 1, &is_there);
    l.now ();
  }
  return is_there != 0;
}

// Drops the entries that are zero in one of two matrices with the same pattern.
static void drop_zeros_of_both (sparse &a, sparse &b) {
  for (sparse *x : {&b, &a})
    if (has_zeros (*x)) {
      const marks m = marks_of (*x);
      const int64_t kept = m.count ();
      if (kept == x->stored)
        continue;
      a = packed (a, m, kept); // the other matrix may still store zeros
      b = packed (b, m, kept);
      b.start = a.start;
      b.index = a.index;
      x->may_store_zeros = false;
    }
}

// The stored entries of x, and zero where the mask is 0.
static array masked (const array &x, const array &mask, gpumm_type type) {
  return pending_array (fused (GPUMM_MAP_MASK, operand (x), operand (mask), type), type, x.size,
                        x.device);
}

sparse combined (bool unites, gpumm_map_op op, sparse a, sparse b) {
  if (is_logical (op)) {
    drop_zeros (a);
    drop_zeros (b);
    a = as_truth (a);
    b = as_truth (b);
  }
  if (a.conjugated || b.conjugated) {
    a = straight (a);
    b = straight (b);
  }
  const bool drops = op == GPUMM_MAP_MUL && !unites, // a stored zero times Inf would be NaN
      masks = op == GPUMM_MAP_MUL && (a.values.type == GPUMM_B || b.values.type == GPUMM_B);
  if (same_pattern (a, b) && drops && masks) {
    const bool is_mask = b.values.type == GPUMM_B;
    const sparse &x = is_mask ? a : b;
    sparse c = with_values (x, masked (x.values, (is_mask ? b : a).values,
                                       product_type (a.values.type, b.values.type)));
    c.thinned = true;
    return c;
  }
  if (same_pattern (a, b)) {
    if (drops)
      drop_zeros_of_both (a, b);
    sparse c = with_values (a, combined (op, operand (a.values), operand (b.values)));
    c.thinned = masks;
    return c;
  }
  drop_zeros (a);
  drop_zeros (b);
  if (a.turned && b.turned) {
    a.turned = b.turned = false;
    return transposed (combined (unites, op, a, b), false);
  }
  a = straight (a);
  b = straight (b);
  const int device = a.device;
  const marks m (device, a.stored);
  gpumm_sparse_work w = matched (stored_of (a), stored_of (b), m);
  const int64_t both = m.count ();
  const int64_t stored = unites ? a.stored + b.stored - both : both;
  const array from_a = vector (device, GPUMM_I64, unites ? a.stored : stored),
              from_b = vector (device, GPUMM_I64, unites ? b.stored : stored);
  sparse c = new_sparse (device, GPUMM_B, a.rows, a.cols, stored);
  w.op = unites ? GPUMM_SPARSE_UNITE : GPUMM_SPARSE_MEET;
  w.c = stored_of (c);
  w.from_a = view_of (from_a);
  w.from_b = view_of (from_b);
  run_sparse_work (w);
  return with_values (c, combined (op, operand (picked (unites, a.values, from_a, stored)),
                                   operand (picked (unites, b.values, from_b, stored))));
}

// ---- products -----------------------------------------------------------------------------------

int64_t lines_of_product (const sparse &, const sparse &b) {
  return b.size () (1);
}

sparse new_result (const gpumm_matrix &described, const sparse &a, const array &start) {
  return new_sparse (a.device, described.type, described.rows, described.cols, described.nzmax,
                     &start);
}

static bool is_thinned (const sparse &x) {
  return x.thinned || x.values.type == GPUMM_B; // for example a comparison
}

void drop_zeros_of_thinned (sparse &a, sparse &b) {
  const bool is_same = same_stored (a, b);
  if (is_thinned (a)) {
    drop_zeros (a);
    b = is_same ? read_as (a, b) : b;
  }
  if (!is_same && is_thinned (b))
    drop_zeros (b);
}

bool has_long_lines (const sparse &a, const sparse &b) {
  return a.turned && !b.turned && is_long (a.rows, a.stored + b.stored);
}

sparse multiplied (sparse &a, sparse &b, const product_options &o) {
  return multiplied_stored (a, b, product_type (a.type (), b.type ()), o);
}

array multiplied_full (sparse &given, array d, bool left, const product_options &o) {
  sparse s = drop_zeros (given);
  const gpumm_type type = product_type (s.type (), d.type);
  if (is_single (type) && !is_single (s.type ()))
    s = in_type (s, is_complex (s.type ()) ? GPUMM_C : GPUMM_S);
  if (!is_float (d.type))
    d = converted (d, GPUMM_D);
  return multiplied_full_stored (s, d, left, left && !s.turned, type, o); // kernels take rows
}

sparse scaled (bool divides, sparse x, array factors, bool by_rows) {
  const gpumm_type s = x.values.type, t = factors.type, type = product_type (s, t);
  if (x.conjugated)
    x = straight (x);
  factors = plain (converted (factors, type));
  x.values = converted (x.values, type);
  ready (x.values);
  const array y = vector (x.device, type, x.stored);
  const int along = by_rows != x.turned ? 0 : 1; // dimension of the stored matrix
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_SCALE;
  w.a = stored_of (x);
  w.c.nzmax = x.stored;
  set_values (w.c, y);
  w.full = view_of (factors);
  std::fill_n (w.full_size, GPUMM_MAP_DIMS, 1);
  std::fill_n (w.full.stride, GPUMM_MAP_DIMS, 0);
  w.full_size[along] = factors.numel ();
  w.full.stride[along] = 1;
  w.divides = divides;
  w.real_a = !is_complex (s);
  w.real_full = !is_complex (t);
  if (x.stored > 0)
    run_sparse_work (w);
  return with_values (x, y);
}

} // namespace gpumm
