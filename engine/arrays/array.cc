// array.cc - memory, views and programs of arrays: see array.h.
//
// Only array.cc calls gpumm_buffer_new and gpumm_copy: the other files of this folder use its
// functions, and read back only counts, flags and answers. array.cc runs programs, and does not
// know the operators and functions that write them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"

#include <algorithm>

namespace gpumm {

// ---- memory -------------------------------------------------------------------------------------

array new_array (int device, gpumm_type type, const shape &size) {
  array x;
  x.type = type;
  x.size = size;
  x.size.chop_trailing_singletons ();
  x.device = device;
  const std::size_t bytes = std::size_t (size.checked_numel ()) * gpumm_type_bytes (type);
  gpumm_buffer *buffer = nullptr;
  need (gpumm_buffer_new (engine_device (device), std::max<std::size_t> (bytes, 1), &buffer));
  x.buffer = std::shared_ptr<gpumm_buffer> (buffer, gpumm_buffer_release);
  return x;
}

array zeros (int device, gpumm_type type, const shape &size) {
  array x = new_array (device, type, size);
  program p;
  p.domain = domain_of (type);
  if (is_wide (type)) { // only moved: eight zero bytes are a double
    array y = x;
    y.type = GPUMM_D;
    run_program (p, y);
  } else
    run_program (p, x);
  return x;
}

gpumm_matrix column_of (const array &x) {
  gpumm_matrix m = {};
  m.type = x.type;
  m.rows = m.ld = x.numel ();
  m.cols = 1;
  m.values = x.values ();
  m.buffer = x.buffer.get ();
  return m;
}

static gpumm_matrix in_host_memory (gpumm_matrix m, const void *values) {
  m.values = const_cast<void *> (values);
  m.buffer = nullptr;
  return m;
}

void from_host (const void *values, const array &x) {
  const gpumm_matrix to = column_of (x), from = in_host_memory (to, values);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
}

void to_host (array x, void *values) {
  x = plain (x);
  const gpumm_matrix from = column_of (x), to = in_host_memory (from, values);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
}

bool is_usable (const array &x) {
  unsigned char byte;
  array first = x;
  first.type = GPUMM_U8;
  first.size = shape (1, 1);
  const gpumm_matrix from = column_of (first), to = in_host_memory (from, &byte);
  return gpumm_copy (&from, &to) == GPUMM_OK;
}

// The entries as stored, turned or not.
array moved (array x, int device) {
  ready (x);
  if (x.device == device)
    return x;
  array y = new_array (device, x.type, x.size);
  const gpumm_matrix from = column_of (x), to = column_of (y);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

// ---- views --------------------------------------------------------------------------------------

distances strides_of (const array &x, const shape &size) {
  distances stride (std::max (size.ndims (), x.size.ndims ()), 0);
  int64_t step = 1;
  for (int d = 0; d < x.size.ndims (); d++) {
    if (x.size (d) > 1)
      stride[d] = !x.turned ? step : d == 0 ? x.size (1) : 1;
    step *= x.size (d);
  }
  return stride;
}

gpumm_view view_of (const array &x, int64_t offset) {
  gpumm_view view = {};
  view.type = x.type;
  view.buffer = x.buffer.get ();
  view.values = static_cast<char *> (x.values ()) + offset * int64_t (gpumm_type_bytes (x.type));
  view.conjugated = x.conjugated;
  return view;
}

void lay_out (gpumm_map &m, const shape &size, const std::vector<distances> &strides) {
  int last = -1;
  const auto view = [&] (std::size_t v) -> gpumm_view & {
    return v + 1 < strides.size () ? m.input[v] : m.output;
  };
  std::fill_n (m.size, GPUMM_MAP_DIMS, 1);
  for (int d = 0; d < size.ndims (); d++) {
    bool joins = last >= 0;
    for (std::size_t v = 0; v < strides.size (); v++)
      joins = joins && strides[v][d] == view (v).stride[last] * m.size[last];
    if (size (d) == 1)
      continue;
    if (!joins && ++last == GPUMM_MAP_DIMS)
      say_limit ("an operation on " + size.str () + " needs more than the "
                 + std::to_string (GPUMM_MAP_DIMS) + " dimensions of a device. Use gather (X)");
    m.size[last] = joins ? m.size[last] * size (d) : size (d);
    for (std::size_t v = 0; v < strides.size () && !joins; v++)
      view (v).stride[last] = strides[v][d];
  }
}

void copy_entries (const gpumm_view &from, const gpumm_view &to, const shape &size,
                   const distances &from_stride, const distances &to_stride) {
  gpumm_map m = {};
  m.domain = domain_of (from.type);
  m.inputs = 1;
  m.input[0] = from;
  m.output = to;
  lay_out (m, size, {from_stride, to_stride});
  if (size.numel () > 0)
    need (gpumm_map_entries (&m));
}

// ---- programs -----------------------------------------------------------------------------------

gpumm_map map_of (const program &p, const array &output) {
  gpumm_map m = {};
  m.domain = p.domain;
  m.inputs = int (p.inputs.size ());
  m.steps = int (p.steps.size ());
  std::copy (p.steps.begin (), p.steps.end (), m.step);
  std::vector<distances> strides;
  for (int i = 0; i < m.inputs; i++) {
    m.input[i] = view_of (p.inputs[i]);
    strides.push_back (strides_of (p.inputs[i], output.size));
  }
  m.output = view_of (output);
  strides.push_back (strides_of (output, output.size));
  lay_out (m, output.size, strides);
  return m;
}

void run_program (const program &p, const array &output) {
  if (output.numel () == 0)
    return;
  const gpumm_map m = map_of (p, output);
  need (gpumm_map_entries (&m));
}

const array &ready (array &x) {
  if (x.pending) {
    array y = new_array (x.device, x.type, x.size);
    run_program (*x.pending, y);
    x = y;
  }
  return x;
}

program program_of (const array &x) {
  if (x.pending)
    return *x.pending;
  program p;
  p.domain = domain_of (x.type);
  p.inputs.push_back (x);
  return p;
}

gpumm_map_step step_of (gpumm_map_op op, int source, bool swapped, gpumm_scalar constant) {
  gpumm_map_step step = {};
  step.op = op;
  step.source = source;
  step.swapped = swapped;
  step.constant = constant;
  return step;
}

array pending_array (const program &p, gpumm_type type, const shape &size, int device) {
  array x;
  x.type = type;
  x.size = size;
  x.device = device;
  x.pending = std::make_shared<program> (p);
  return x;
}

array copied (const array &x) {
  array y = new_array (x.device, x.type, x.size);
  run_program (program_of (x), y);
  return y;
}

array plain (array x) {
  ready (x);
  if (!x.turned && !x.conjugated)
    return x;
  return copied (x);
}

array own (const array &x) {
  if (!x.is_part)
    return x;
  return copied (x);
}

array converted (array x, gpumm_type type) {
  ready (x);
  if (x.type == type)
    return x;
  program p = program_of (x);
  if (is_complex (type) || (is_float (type) && !is_complex (x.type)))
    p.domain = type;
  return pending_array (p, type, x.size, x.device);
}

} // namespace gpumm
