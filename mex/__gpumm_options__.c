/* __gpumm_options__.c - the options of gpumm as a struct, for products that __gpumm_multiply__
 * cannot do alone.
 *
 *   O = __gpumm_options__ (NAME, VALUE, ...)
 *
 * alpha, beta and c are the positions of the values among the arguments, or 0. The values are not
 * passed through, because Octave 7 copies half of a complex array.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

static int place (const mxArray *x, int nrhs, const mxArray *prhs[]) {
  int i = x ? nrhs : 0;
  while (i > 0 && prhs[i - 1] != x)
    i--;
  return i;
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  call_options o;
  if (!get_pairs (nrhs, prhs, &o, e))
    return;
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  set_number (s, 0, "transpose_a", o.op_a);
  set_number (s, 0, "transpose_b", o.op_b);
  set_number (s, 0, "alpha", place (o.alpha, nrhs, prhs));
  set_number (s, 0, "beta", place (o.beta, nrhs, prhs));
  set_number (s, 0, "c", place (o.c, nrhs, prhs));
  set_number (s, 0, "backend", o.engine.backend);
  set_text (s, 0, "algorithm", o.engine.algorithm ? o.engine.algorithm : "auto");
  set_number (s, 0, "device", o.engine.device);
  set_number (s, 0, "devices", (double) o.engine.devices); /* by bits */
  set_text (s, 0, "output", o.output < GPUMM_TYPES ? gpumm_type_name (o.output) : "");
  set_text (s, 0, "form", o.form);
  set_number (s, 0, "max_device_memory", (double) o.engine.max_device_memory);
  set_number (s, 0, "max_capability", o.engine.max_capability);
  plhs[0] = s;
}
