// products.cc - products of arrays and of their pages: see array.h.
//
// A product is a job of the engine, whose plan chooses how the product runs: this file names no
// algorithm and no kernel. It decides only which operands the engine can read as they lie, and
// copies the others first.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"

#include <algorithm>

namespace gpumm {

gpumm_matrix matrix_of (const array &x) {
  gpumm_matrix m = {};
  m.format = GPUMM_FULL;
  m.type = x.type;
  m.op = op_of (x);
  m.rows = x.turned ? x.size (1) : x.size (0);
  m.cols = x.turned ? x.size (0) : x.size (1);
  m.ld = std::max<int64_t> (m.rows, 1);
  m.values = x.values ();
  m.buffer = x.buffer.get ();
  return m;
}

array as_factor (array x) {
  ready (x);
  return x.conjugated && !x.turned ? plain (x) : x;
}

// Is a * b symmetric or Hermitian by its operands, which are one array?
static bool is_mirrored (const array &a, const array &b) {
  return a.buffer && a.is_with (b) && a.turned != b.turned && a.size (0) == b.size (1);
}

// Does the engine read it as it lies?
static bool is_factor (const array &x) {
  return x.turned || !x.conjugated;
}

array multiplied (const array &a, const array &b, gpumm_type type, const product_options &o) {
  array left = converted (a, type), right = converted (b, type);
  ready (left);
  ready (right);
  // conj (A) * A.' is conj (A * A'): then neither is copied, and the engine sees one array
  const bool flips =
      is_complex (type) && is_mirrored (left, right) && !(is_factor (left) && is_factor (right));
  for (array *x : {&left, &right})
    x->conjugated = x->conjugated != flips;
  left = as_factor (left);
  right = as_factor (right);
  array c = new_array (left.device, type, shape (a.size (0), b.size (1)));
  gpumm_problem p = {};
  p.a = matrix_of (left);
  p.b = matrix_of (right);
  p.alpha = {1, 0};
  p.output = type;
  p.stays = true;
  p.queues = !o.report;
  gpumm_matrix result = matrix_of (c);
  gpumm_job *job = nullptr;
  gpumm_status status = gpumm_open (&p, &o.engine, &job);
  if (!status)
    status = gpumm_run (job, &result);
  if (!status && o.report)
    *o.report = *gpumm_job_report (job);
  gpumm_close (job);
  need (status);
  c.conjugated = flips;
  return c;
}

array multiplied_pages (const array &given_a, gpumm_op op_a, const array &given_b, gpumm_op op_b,
                        gpumm_type type) {
  const array a = plain (converted (given_a, type)), b = plain (converted (given_b, type));
  const int dims = std::max (a.size.ndims (), b.size.ndims ());
  const shape m = a.size.redim (dims), n = b.size.redim (dims);
  shape size = common_size (m, n);
  size (0) = m (op_a != GPUMM_NONE);
  size (1) = n (op_b == GPUMM_NONE);
  distances sizes, steps_a, steps_b;
  int64_t pages_a = 1, pages_b = 1;
  for (int d = 2; d < dims; d++) {
    sizes.push_back (size (d));
    steps_a.push_back (m (d) == 1 ? 0 : pages_a);
    steps_b.push_back (n (d) == 1 ? 0 : pages_b);
    pages_a *= m (d);
    pages_b *= n (d);
  }
  array page_a = a, page_b = b;
  page_a.size = shape (m (0), m (1));
  page_b.size = shape (n (0), n (1));
  const array c = new_array (a.device, type, size);
  gpumm_pages p = {};
  p.a = matrix_of (page_a);
  p.b = matrix_of (page_b);
  p.a.op = op_a;
  p.b.op = op_b;
  p.dims = dims - 2;
  p.sizes = sizes.data ();
  p.steps_a = steps_a.data ();
  p.steps_b = steps_b.data ();
  array all = c;
  all.size = shape (size (0), size (0) > 0 ? c.numel () / size (0) : 0);
  gpumm_matrix result = matrix_of (all);
  if (c.numel () > 0)
    need (gpumm_pages_run (&p, nullptr, &result));
  return c;
}

} // namespace gpumm
