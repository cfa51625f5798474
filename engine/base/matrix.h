/* matrix.h - is a matrix sound?
 *
 * After both checks nothing that follows its arrays can leave them, so algorithms do not check
 * again. Offsets and indices on a device are trusted. job/job.c checks whether two matrices fit
 * each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MATRIX_H
#define GPUMM_MATRIX_H

#include "gpumm.h"

/* Checks the fields of x. name is its name in errors, here and below. */
gpumm_status gpumm_check_matrix (const gpumm_matrix *x, const char *name);

/* Checks the arrays of x in host memory, which has passed the first check: offsets must begin at 0,
 * not descend and not leave the arrays, and indices ascend in each line. Takes as long as reading
 * the indices once. */
gpumm_status gpumm_check_entries (const gpumm_matrix *x, const char *name);

#endif
