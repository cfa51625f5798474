/* __gpumm_file__.c - the gateway to files that get their name when they are complete.
 *
 *   __gpumm_file__ ("open", NAME)
 *   __gpumm_file__ ("write", TEXT)
 *   __gpumm_file__ ("commit")
 *   __gpumm_file__ ("abort")
 *
 * for private/__write_file__.m. One file is open at a time: opening another aborts it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <limits.h>
#include <string.h>

static gpumm_output *output; /* NULL: no file is open */

static gpumm_status open_file (const mxArray *name) {
  static char text[PATH_MAX + 1]; /* the engine refuses a name that is too long */
  gpumm_output_abort (output);
  output = NULL;
  (void) mxGetString (name, text, sizeof text);
  return gpumm_output_open (text, &output);
}

static gpumm_status write_text (const mxArray *text) {
  return gpumm_output_append (output, mxGetData (text), mxGetNumberOfElements (text));
}

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void) nlhs;
  (void) plhs;
  char verb[8];
  gateway_error error = {0};
  gpumm_status status = GPUMM_OK;
  gateway_enter ();
  if (nrhs < 1 || nrhs > 2 || !get_text (prhs[0], verb, sizeof verb)
      || (nrhs == 2 && !mxIsChar (prhs[1])))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by __write_file__.m only");
  if (strcmp (verb, "open") == 0 && nrhs == 2)
    status = open_file (prhs[1]);
  else if (strcmp (verb, "write") == 0 && nrhs == 2 && output)
    status = write_text (prhs[1]);
  else if (strcmp (verb, "commit") == 0) {
    status = gpumm_output_commit (output);
    output = NULL;
  } else {
    gpumm_output_abort (output);
    output = NULL;
  }
  if (status != GPUMM_OK)
    gateway_fail_engine (&error, status);
  gateway_raise (&error);
}
