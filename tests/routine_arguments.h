/* routine_arguments.h - which arguments a routine has in Fortran: of that tests conclude what they can
 * vary. The calls of the tests have the same lists, so a wrong one fails.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_ROUTINE_ARGUMENTS_H
#define GPUMM_TESTS_ROUTINE_ARGUMENTS_H

#include "gpumm_blas.h"

#include <string.h>

/* text: of the list "(m, n, a, lda, pivots, info)" */
static inline int has (int routine, const char *text) {
  static const char *const lists[] = {
#define ROUTINE(NAME, names, library, letters, work, fortran, ...) #fortran,
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  };
  return strstr (lists[routine], text) != NULL;
}

#endif
