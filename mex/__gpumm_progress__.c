/* __gpumm_progress__.c - the gateway of gpumm_progress.m, and of the progress of .m files.
 *
 *   WAS = __gpumm_progress__ ()           are there lines?
 *   WAS = __gpumm_progress__ (ON)         switches them
 *   __gpumm_progress__ (DONE, ALL)        DONE of ALL is done; ALL = 0 ends the work
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <math.h>

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  double numbers[2] = {0, 0};
  for (int i = 0; i < nrhs && i < 2; i++)
    numbers[i] = get_number (prhs[i]);
  check_use (nrhs <= 2 && !isnan (numbers[0]) && !isnan (numbers[1]), "gpumm_progress");
  if (nrhs == 2)
    gpumm_tell_work (numbers[0], numbers[1]);
  else
    plhs[0] = mxCreateLogicalScalar (gpumm_tells (nrhs == 1 ? numbers[0] != 0 : -1) != 0);
}
