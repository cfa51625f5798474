/* narrow.h - copies of real numbers in the narrowest type that holds them exactly.
 *
 * Widened again, each copy has the same bits. Whether an attempt is worth its time is not known
 * here: streaming.c counts what was converted in vain.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_NARROW_H
#define GPUMM_MEMORY_NARROW_H

#include "gpumm.h"

/* Copies columns of `rows` reals of type wide (S or D), ld_from apart, in the narrowest type that
 * holds all of them exactly: I8, I16 or, for doubles, S. (Integers cannot hold -0, and NaN is never
 * narrowed.) `to` has room for the wide reals; its columns are ld_to narrow reals apart.
 * Returns the type, or wide if no type fits; `to` is then undefined. Adds the number of reals
 * converted in vain to *vain. */
gpumm_type gpumm_narrow_columns (gpumm_type wide, void *to, int64_t ld_to, const void *from,
                                 int64_t ld_from, int64_t rows, int64_t cols, int64_t *vain);

#endif
