/* empty_mex.c - a MEX file that does nothing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mex.h>

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void) nlhs, (void) plhs, (void) nrhs, (void) prhs;
}
