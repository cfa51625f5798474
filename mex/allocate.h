// allocate.h - results of Octave's in untouched memory, in C++; marshal.h has it for C.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_ALLOCATE_H
#define GPUMM_ALLOCATE_H

#include <octave/oct.h>

#include "gpumm.h"

// A full or sparse matrix of this shape, with undefined elements but for one complex one, which
// keeps it complex. The caller writes all of them. Throws std::bad_alloc.
octave_value allocated (const gpumm_matrix &shape);

#endif
