/* routine_arguments.h - which arguments a routine has in Fortran: what tests can vary follows.
 * test_routines.c calls the library below with the same list, so a wrong list fails.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_ROUTINE_ARGUMENTS_H
#define GPUMM_TESTS_ROUTINE_ARGUMENTS_H

#include "gpumm_blas.h"

#include <string.h>

/* Is text in the list, such as "(m, n, a, lda, pivots, info)"? "m," is not in "(uplo, n, a)". */
static inline int has (int routine, const char *text) {
  static const char *const lists[] = {
#define ROUTINE(NAME, names, library, letters, work, fortran, ...) #fortran,
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  };
  return strstr (lists[routine], text) != NULL;
}

#endif
