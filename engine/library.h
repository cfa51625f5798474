/* library.h - the BLAS and LAPACK of this process.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_LIBRARY_H
#define GPUMM_LIBRARY_H

#include "gpumm.h"

/* The bits of its Fortran integers, 32 or 64; 0 if there is no BLAS. */
int gpumm_blas_bits (void);

#endif
