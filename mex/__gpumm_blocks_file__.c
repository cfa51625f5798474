/* __gpumm_blocks_file__.c - the gateway to files of blocks.
 *
 *   S = __gpumm_blocks_file__ (FILE, CLASS)
 *   __gpumm_blocks_file__ (FILE, S)
 *
 * reads and writes a blocksparse; what is read is a struct with its fields. CLASS is "uint16",
 * "uint32" or "": the file's size tells the class.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

enum { NAME_MOST = 4096 };

static gpumm_status fill (void *source, gpumm_matrix *x) {
  return gpumm_blocks_file_read (source, x);
}

static void close_file (void *file) {
  gpumm_blocks_file_close (file);
}

static mxArray *read_file (const char *name, const mxArray *class_name, gateway_error *e) {
  gpumm_blocks_file *file = NULL;
  gpumm_matrix shape = {0};
  gpumm_status status = gpumm_blocks_file_open (name, get_type (class_name), &file, &shape);
  e->close = close_file;
  e->open = file;
  return make_matrix (status, &shape, fill, file, e);
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  char name[NAME_MOST];
  gpumm_matrix x;
  check_use (nrhs == 2 && mxIsChar (prhs[0]) && (mxIsChar (prhs[1]) || get_blocks (prhs[1], &x)),
             "blocksparse_read and blocksparse_write");
  if (!get_text (prhs[0], name, sizeof name))
    gateway_fail (e, "gpumm:invalid", "gpumm: the name of a file is too long");
  else if (!mxIsChar (prhs[1]))
    gateway_check (e, gpumm_blocks_file_write (name, &x));
  else
    plhs[0] = read_file (name, prhs[1], e);
}
