// octave.cc - what the gateways, written in C, ask of Octave's C++ interfaces: how an argument is
// stored, Ctrl-C, the struct info, and pages. marshal.h declares these functions again, because
// mex.h's mxArray is a C type.
//
// This file and the other .cc files of this folder link to the C++ interfaces of GNU Octave,
// covered by the GNU General Public License, version 3 or later: what is built with them is a
// combined work under that licence. The files themselves are under gpumm's BSD-3-Clause, which that
// licence allows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <string>
#include <utility>

#include <octave/oct.h>

#include <octave/mxarray.h>
#include <octave/oct-map.h>
#include <octave/parse.h>

#include "info.h"
#include "own_matrix.h"

// ---- types --------------------------------------------------------------------------------------

// typeinfo (X), cut off at SIZE - 1 characters. Call it before reading the memory of X: afterwards
// it tells the type of the C interface's copy, which makes a diagonal matrix full. Two calls of
// Octave's typeinfo () would take a fifth of a small product's time (4.3 of 21 us at 2x2).
extern "C" void get_type_name (const mxArray *x, char *name, std::size_t size) {
  const std::string text = mxArray::as_octave_value (x).type_name ();
  name[text.copy (name, size - 1)] = '\0';
}

// ---- blocks -------------------------------------------------------------------------------------

// See marshal.h: the C interface sees no data of a user's type.
extern "C" int get_blocks (const mxArray *x, gpumm_matrix *operand) {
  const octave_value value = mxArray::as_octave_value (x);
  if (value.type_name () != "blocksparse")
    return 0;
  *operand = static_cast<const own_matrix &> (value.get_rep ()).stored ();
  return 1;
}

extern "C" mxArray *new_blocksparse (const gpumm_matrix *shape, const mxArray *start,
                                     const mxArray *column, const mxArray *values) {
  octave_scalar_map fields;
  fields.assign ("rows", double (shape->rows));
  fields.assign ("cols", double (shape->cols));
  fields.assign ("block_rows", double (shape->block_rows));
  fields.assign ("block_cols", double (shape->block_cols));
  fields.assign ("start", mxArray::as_octave_value (start));
  fields.assign ("column", mxArray::as_octave_value (column));
  fields.assign ("values", mxArray::as_octave_value (values));
  const octave_value_list arguments = ovl (octave_value (fields), "product");
  return new mxArray (true, octave::feval ("__blocksparse__", arguments, 1) (0));
}

// ---- interrupts ---------------------------------------------------------------------------------

// Octave's SIGINT handler increments octave_interrupt_state. Octave's own loops check it in
// octave_quit (), which throws octave::interrupt_exception; the engine checks it at the address
// passed to gpumm_watch here. The exception could pass through C code, but the gateway would leak
// its memory: so the gateway releases everything and then throws.

// A sig_atomic_t up to Octave 8, later an atomic with the same memory layout. The engine only reads
// it.
static_assert (sizeof octave_interrupt_state == sizeof (sig_atomic_t), "it can be read as one");

extern "C" void watch_interrupts (void) {
  gpumm_watch (reinterpret_cast<const volatile sig_atomic_t *> (&octave_interrupt_state));
}

// Positive: pending. Negative: thrown, until Octave's prompt catches it.
extern "C" int is_interrupted (void) {
  return octave_interrupt_state != 0;
}

extern "C" void throw_interrupt (void) {
  octave_quit ();
  throw octave::interrupt_exception ();
}

// Where a try takes an error, Octave forgets that a signal waits, though not which one.
// pagemtimes.m takes an error for each product of special arrays: in a loop of them SIGTERM would
// be lost. This makes Octave look at all signals again.
extern "C" void keep_signals (void) {
  octave_signal_caught = 1;
}

// ---- info ---------------------------------------------------------------------------------------

static octave_scalar_map struct_of (
    std::initializer_list<std::pair<const char *, octave_value>> fields) {
  octave_scalar_map s;
  for (const auto &field : fields)
    s.assign (field.first, field.second);
  return s;
}

// The shares of a product that was spread over several devices; else there are none.
static octave_map devices_of (const gpumm_report &r) {
  static const octave_map none (
      dim_vector (0, 0),
      string_vector (std::list<std::string>{"index", "name", "seconds", "bytes", "flops"}));
  const int count = r.device_count;
  if (count == 0)
    return none;
  const dim_vector size (count, 1);
  Cell index (size), name (size), seconds (size), bytes (size), flops (size);
  for (int i = 0; i < count; i++) {
    const gpumm_device_report &x = r.devices[i];
    index (i) = x.device;
    name (i) = x.device_name;
    seconds (i) = struct_of ({{"total", x.total},
                              {"upload", x.upload},
                              {"compute", x.compute},
                              {"download", x.download}});
    bytes (i) = struct_of ({{"up", double (x.bytes_up)}, {"down", double (x.bytes_down)}});
    flops (i) = x.flops;
  }
  octave_map s (size, none.keys ());
  s.assign ("index", index);
  s.assign ("name", name);
  s.assign ("seconds", seconds);
  s.assign ("bytes", bytes);
  s.assign ("flops", flops);
  return s;
}

// See info.h. The C interface would make each field an mxArray and then an Octave value, which
// takes 50 us; a small product takes 12.
octave_value info_of (const gpumm_report &r) {
  return struct_of (
      {{"backend", r.backend == GPUMM_GPU ? "gpu" : "cpu"},
       {"device", struct_of ({{"name", r.device_name}, {"index", r.device}})},
       {"algorithm", r.algorithm},
       {"kernel", r.kernel},
       {"seconds", struct_of ({{"total", r.total},
                               {"upload", r.upload},
                               {"compute", r.compute},
                               {"download", r.download},
                               {"overhead", r.overhead}})},
       {"bytes", struct_of ({{"up", double (r.bytes_up)}, {"down", double (r.bytes_down)}})},
       {"flops", r.flops},
       {"gflops", r.total > 0 ? 1e-9 * r.flops / r.total : 0.0},
       {"reason", r.reason},
       {"devices", devices_of (r)}});
}

// See marshal.h.
extern "C" void run_and_clean (void (*run) (void *), void (*clean) (void *), void *call) {
  octave::unwind_action last ([clean, call] () { clean (call); });
  run (call);
}

extern "C" mxArray *new_info (const gpumm_report *r) {
  return new mxArray (true, info_of (*r));
}

// ---- pages --------------------------------------------------------------------------------------

// See marshal.h. What mxCreate* made must not become an octave_value before the gateway ends: that
// takes the array's memory and may free it, and when the gateway ends Octave 8 and later free what
// lies there by then.
extern "C" mxArray *in_pages (mxArray *x, std::int64_t cols, int dims, const std::int64_t *sizes) {
  if (!x->is_octave_value ()) {
    mwSize *all = static_cast<mwSize *> (mxArray::malloc ((dims + 2) * sizeof (mwSize)));
    all[0] = x->get_m ();
    all[1] = cols;
    std::copy_n (sizes, dims, all + 2);
    x->set_dimensions (all, dims + 2); // which keeps them
    return x;
  }
  const octave_value matrix = mxArray::as_octave_value (x);
  dim_vector size (matrix.rows (), cols);
  size.resize (dims + 2, 1);
  for (int d = 0; d < dims; d++)
    size (d + 2) = sizes[d];
  return new mxArray (true, matrix.reshape (size));
}
