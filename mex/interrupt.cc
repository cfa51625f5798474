// interrupt.cc - Ctrl-C in gateways written in C.
//
// Octave's SIGINT handler increments octave_interrupt_state. Octave's own loops check it in
// octave_quit (), which throws octave::interrupt_exception; the engine checks it at the address
// passed to gpumm_watch here. The exception can pass through C code, but the gateway would leak its
// memory. So calls of Octave catch it, the gateway releases everything and then throws it again.
//
// Links to the C++ interfaces of GNU Octave: typeinfo.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <octave/oct.h>

#include <csignal>

#include "gpumm.h"

// Declared again in marshal.h.

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
