/* __gpumm_options__.c - the options of gpumm as a struct, for products that __gpumm_multiply__
 * cannot do alone.
 *
 *   O = __gpumm_options__ (NAME, VALUE, ...)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  call_options o;
  if (get_pairs (nrhs, prhs, &o, e))
    plhs[0] = struct_of (&o, nrhs, prhs);
}
