// typeinfo.cc - how Octave stores a value that a gateway was handed.
//
// typeinfo () in Octave says so, too, but two calls of it cost a small product a fifth of its time
// (4.3 of 21 us at 2x2), and the C interface has no word for it: there a diagonal matrix is a full
// one as soon as its memory is looked at.
//
// This file, allocate.cc and blocksparse.cc link to the C++ interfaces of GNU Octave, covered by the GNU
// General Public License, version 3 or later: what is built with them is a combined work under that
// licence. The files themselves are under gpumm's BSD-3-Clause, which that licence allows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <string>

#include <octave/oct.h>

#include <octave/mxarray.h>

// typeinfo (X), cut off at SIZE - 1 characters. To be asked before the memory of X is: a value of
// which the C interface has made a copy is told as that copy. Declared again in marshal.h, as what
// mex.h calls an mxArray is C's.
extern "C" void get_type_name (const mxArray *x, char *name, std::size_t size) {
  const std::string text = mxArray::as_octave_value (x).type_name ();
  name[text.copy (name, size - 1)] = '\0';
}
