// typeinfo.cc - how Octave stores an argument of a gateway.
//
// Octave's typeinfo () tells this too, but two calls take a fifth of a small product's time (4.3 of
// 21 us at 2x2). The C interface cannot tell: it makes a diagonal matrix full as soon as its memory
// is read.
//
// This file, allocate.cc and blocksparse.cc link to the C++ interfaces of GNU Octave, covered by
// the GNU General Public License, version 3 or later: what is built with them is a combined work
// under that licence. The files themselves are under gpumm's BSD-3-Clause, which that licence
// allows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <string>

#include <octave/oct.h>

#include <octave/mxarray.h>

// typeinfo (X), cut off at SIZE - 1 characters. Call it before reading the memory of X: afterwards
// it tells the type of the C interface's copy. Declared again in marshal.h, because mex.h's mxArray
// is a C type.
extern "C" void get_type_name (const mxArray *x, char *name, std::size_t size) {
  const std::string text = mxArray::as_octave_value (x).type_name ();
  name[text.copy (name, size - 1)] = '\0';
}
