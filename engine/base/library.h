/* library.h - the loader's lock, and the check of GPUMM_BLAS.
 *
 * Every call of the loader holds this lock. The functions of the BLAS, by their names, are in
 * gpumm_blas.h, because programs call them, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_LIBRARY_H
#define GPUMM_LIBRARY_H

#include "gpumm.h"

/* Around every call of the loader (dlopen, dlsym), and of what calls it. It has locks and a state
 * that nobody would put right in a child of fork (): meanwhile fork () waits. A thread may hold
 * this more than once. */
void gpumm_loader_hold (void);
void gpumm_loader_let_go (void);

/* GPUMM_INVALID if GPUMM_BLAS names no BLAS, or was set after the BLAS had been chosen. */
gpumm_status gpumm_check_blas (void);

#endif
