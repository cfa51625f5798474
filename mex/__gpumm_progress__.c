/* __gpumm_progress__.c - the gateway of gpumm_progress.m, and of work in .m files to the same line.
 *
 *   WAS = __gpumm_progress__ ()           are there lines?
 *   WAS = __gpumm_progress__ (ON)         sets it
 *   __gpumm_progress__ (DONE, ALL)        so much is done; ALL 0: that was all
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void) nlhs;
  gateway_enter ();
  if (nrhs == 2)
    gpumm_tell_work (mxGetScalar (prhs[0]), mxGetScalar (prhs[1]));
  else
    plhs[0] =
        mxCreateLogicalScalar (gpumm_tells (nrhs == 1 ? mxGetScalar (prhs[0]) != 0 : -1) != 0);
}
