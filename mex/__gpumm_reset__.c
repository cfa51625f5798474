/* __gpumm_reset__.c - the gateway of gpumm_reset.m: __gpumm_reset__ ().
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  check_use (nrhs == 0, "gpumm_reset");
  gateway_check (e, gpumm_reset ());
}
