/* __gpumm_progress__.c - the gateway of gpumm_progress.m, and of the progress of .m files.
 *
 *   WAS = __gpumm_progress__ ()           are there lines?
 *   WAS = __gpumm_progress__ (ON)         switches them
 *   __gpumm_progress__ (DONE, ALL)        DONE of ALL is done; ALL = 0 ends the work
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  if (nrhs == 2)
    gpumm_tell_work (mxGetScalar (prhs[0]), mxGetScalar (prhs[1]));
  else
    plhs[0] =
        mxCreateLogicalScalar (gpumm_tells (nrhs == 1 ? mxGetScalar (prhs[0]) != 0 : -1) != 0);
}
