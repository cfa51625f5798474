/* narrow.h - copies of real numbers in the narrowest type that holds them exactly.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_NARROW_H
#define GPUMM_MEMORY_NARROW_H

#include "gpumm.h"

/* Copies columns of rows reals of type wide (S or D) that begin ld_from reals apart, in the
 * narrowest of the types I8, I16 and, of doubles, S that holds all of them, sign of zero included
 * (which integers have not; a NaN no other type holds for certain). In to, which has room for as
 * many wide ones, they begin ld_to narrow ones apart. Returns that type, or wide where there is
 * none; what is in to then is of no use. *vain grows by the number of reals that were copied for
 * nothing. */
gpumm_type gpumm_narrow_columns (gpumm_type wide, void *to, int64_t ld_to, const void *from,
                                 int64_t ld_from, int64_t rows, int64_t cols, int64_t *vain);

#endif
