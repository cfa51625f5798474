/* __gpumm_blocks_file__.c - the gateway to files of blocks.
 *
 *   [S, FAILED] = __gpumm_blocks_file__ (FILE, CLASS)
 *   [ERR, FAILED] = __gpumm_blocks_file__ (FILE, S)
 *
 * reads and writes S, a struct with the fields of a blocksparse. CLASS is "uint16", "uint32" or "":
 * the file's size tells the class. If FAILED is true, the first value is a struct (message,
 * identifier) for error ().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

enum { NAME_MOST = 4096 };

static mxArray *read_file (const char *name, const mxArray *class_name, gateway_error *e) {
  gpumm_type type = GPUMM_TYPES;
  gpumm_blocks_file *file = NULL;
  gpumm_operand x;
  block_arrays arrays = {0};
  mxArray *s = NULL;
  gpumm_status status;
  (void) get_type (class_name, &type);
  if ((status = gpumm_blocks_file_open (name, type, &file, &x)) != GPUMM_OK)
    gateway_fail_engine (e, status);
  else if (allocate_blocks (&x, &arrays, e)) {
    if ((status = gpumm_blocks_file_read (file, &x)) != GPUMM_OK)
      gateway_fail_engine (e, status);
    else
      s = blocks_value (&arrays, &x, e);
  }
  destroy_blocks (&arrays);
  gpumm_blocks_file_close (file);
  return s;
}

static void write_file (const char *name, const mxArray *s, gateway_error *e) {
  gpumm_operand x;
  gpumm_status status;
  if (!get_blocks (s, &x))
    gateway_fail (e, "gpumm:unsupported", "gpumm: not a matrix by blocks");
  else if ((status = gpumm_blocks_file_write (name, &x)) != GPUMM_OK)
    gateway_fail_engine (e, status);
}

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  char name[NAME_MOST];
  gateway_error error = {0};
  mxArray *s = NULL;
  gateway_enter ();
  if (nrhs != 2 || nlhs != 2)
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by blocksparse_read and _write only");
  if (!get_text (prhs[0], name, sizeof name))
    gateway_fail (&error, "gpumm:invalid", "gpumm: the name of a file is too long");
  else if (mxIsStruct (prhs[1]))
    write_file (name, prhs[1], &error);
  else
    s = read_file (name, prhs[1], &error);
  gateway_interrupt (&error);
  plhs[0] = s ? s : gateway_error_value (&error);
  plhs[1] = mxCreateLogicalScalar (error.identifier[0] != 0);
}
