/* __gpumm_file__.c - the gateway to files that get their name when they are complete.
 *
 *   __gpumm_file__ ("open", NAME)
 *   __gpumm_file__ ("write", TEXT)
 *   __gpumm_file__ ("commit")
 *   __gpumm_file__ ("abort")
 *
 * for octave/__write_file__.m. One file is open at a time: opening another aborts it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <limits.h>
#include <string.h>

static gpumm_output *output; /* NULL: no file is open */

static gpumm_status open_file (const mxArray *name) {
  static char text[PATH_MAX + 1]; /* the engine refuses a name that is too long */
  (void) mxGetString (name, text, sizeof text);
  return gpumm_output_open (text, &output);
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  char verb[8];
  gpumm_output *ended = output;
  check_use ((nrhs == 1 || nrhs == 2) && get_text (prhs[0], verb, sizeof verb), "__write_file__");
  const int with_text = strcmp (verb, "open") == 0 || strcmp (verb, "write") == 0;
  check_use (with_text ? nrhs == 2 && mxIsChar (prhs[1])
                       : nrhs == 1 && (strcmp (verb, "commit") == 0 || strcmp (verb, "abort") == 0),
             "__write_file__");
  if (strcmp (verb, "write") == 0) {
    check_use (output != NULL, "__write_file__");
    gateway_check (
        e, gpumm_output_append (output, mxGetData (prhs[1]), mxGetNumberOfElements (prhs[1])));
    return;
  }
  output = NULL;
  if (strcmp (verb, "commit") == 0) {
    gateway_check (e, gpumm_output_commit (ended));
    return;
  }
  gpumm_output_abort (ended);
  if (strcmp (verb, "open") == 0)
    gateway_check (e, open_file (prhs[1]));
}
