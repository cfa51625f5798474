/* __gpumm_reset__.c - the gateway of gpumm_reset.m: __gpumm_reset__ ().
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void) nlhs;
  (void) plhs;
  (void) nrhs;
  (void) prhs;
  gateway_error error = {0};
  gateway_enter ();
  gpumm_status status = gpumm_reset ();
  if (status != GPUMM_OK)
    gateway_fail_engine (&error, status);
  gateway_raise (&error);
}
