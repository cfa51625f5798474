// octave.cc - what the gateways, written in C, ask of Octave's C++ interfaces: how an argument is
// stored, and Ctrl-C. marshal.h declares these functions again, because mex.h's mxArray is a C type.
//
// This file, allocate.cc, report.cc and blocksparse.cc link to the C++ interfaces of GNU Octave,
// covered by the GNU General Public License, version 3 or later: what is built with them is a combined
// work under that licence. The files themselves are under gpumm's BSD-3-Clause, which that licence
// allows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <cstddef>
#include <string>

#include <octave/oct.h>

#include <octave/mxarray.h>

#include "gpumm.h"

// ---- types --------------------------------------------------------------------------------------

// typeinfo (X), cut off at SIZE - 1 characters. Call it before reading the memory of X: afterwards
// it tells the type of the C interface's copy, which makes a diagonal matrix full. Two calls of
// Octave's typeinfo () would take a fifth of a small product's time (4.3 of 21 us at 2x2).
extern "C" void get_type_name (const mxArray *x, char *name, std::size_t size) {
  const std::string text = mxArray::as_octave_value (x).type_name ();
  name[text.copy (name, size - 1)] = '\0';
}

// ---- interrupts ---------------------------------------------------------------------------------

// Octave's SIGINT handler increments octave_interrupt_state. Octave's own loops check it in
// octave_quit (), which throws octave::interrupt_exception; the engine checks it at the address
// passed to gpumm_watch here. The exception can pass through C code, but the gateway would leak its
// memory. So calls of Octave catch it, the gateway releases everything and then throws it again.

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

// Calls call (arguments); returns 1 if an interrupt ended it.
extern "C" int catch_interrupt (void (*call) (void *), void *arguments) {
  try {
    call (arguments);
    return 0;
  } catch (const octave::interrupt_exception &) {
    return 1;
  }
}

extern "C" void throw_interrupt (void) {
  octave_quit ();
  throw octave::interrupt_exception ();
}
