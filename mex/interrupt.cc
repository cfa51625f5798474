// interrupt.cc - Ctrl-C, between Octave and gateways in C.
//
// Octave's handler of SIGINT counts up octave_interrupt_state, and whoever runs looks at it: Octave's
// own loops by octave_quit (), which throws octave::interrupt_exception, and the engine by the
// address that gpumm_watch is given here. The exception may pass through the C of a gateway, but
// would leave behind what the gateway holds; so it is caught around calls of Octave, the gateway
// releases everything, and throws it then.
//
// Links to the C++ interfaces of GNU Octave: typeinfo.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <octave/oct.h>

#include <csignal>

#include "gpumm.h"

// Declared again in marshal.h.

// A sig_atomic_t up to Octave 8, then an atomic that lies in memory as one: the engine only reads it.
static_assert (sizeof octave_interrupt_state == sizeof (sig_atomic_t), "it can be read as one");

extern "C" void watch_interrupts (void) {
  gpumm_watch (reinterpret_cast<const volatile sig_atomic_t *> (&octave_interrupt_state));
}

// Positive: waits to be handled. Negative: was thrown, and is handled when Octave's prompt catches it.
extern "C" int is_interrupted (void) {
  return octave_interrupt_state != 0;
}

// Calls call (arguments); 1 when an interrupt ended it.
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
