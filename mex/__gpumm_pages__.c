/* __gpumm_pages__.c - the gateway of pagemtimes.m.
 *
 *   Z = __gpumm_pages__ (X, OP_X, Y, OP_Y)
 *
 * X and Y are full arrays of one precision of floating point or of one integer class, and conform. OP is
 * 0: none, 1: transpose, 2: ctranspose. Z is a matrix, the pages beside each other: pagemtimes.m gives it
 * its size.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

/* The first page of x, with op. */
static int get_page (const mxArray *x, const mxArray *op, gpumm_matrix *page) {
  gpumm_scalar number;
  if (!get_array (x, page) || page->format != GPUMM_DENSE || !get_scalar (op, &number)
      || !(number.re >= GPUMM_NONE && number.re <= GPUMM_CTRANSPOSE))
    return 0;
  page->cols = (int64_t) mxGetDimensions (x)[1];
  page->op = (gpumm_op) number.re;
  return 1;
}

/* Dimension d of x, from 0. */
static int64_t size_along (const mxArray *x, mwSize d) {
  return d < mxGetNumberOfDimensions (x) ? (int64_t) mxGetDimensions (x)[d] : 1;
}

/* Sets the sizes of the result and the steps of both arrays; returns 0 if their page sizes do not fit. */
static int get_steps (const mxArray *x, const mxArray *y, gpumm_pages *p) {
  const mwSize dims_x = mxGetNumberOfDimensions (x), dims_y = mxGetNumberOfDimensions (y);
  const mwSize dims = dims_x > dims_y ? dims_x : dims_y;
  int64_t *sizes = mxCalloc (dims, sizeof *sizes), *steps_a = mxCalloc (dims, sizeof *steps_a);
  int64_t *steps_b = mxCalloc (dims, sizeof *steps_b), pages_x = 1, pages_y = 1;
  p->sizes = sizes;
  p->steps_a = steps_a;
  p->steps_b = steps_b;
  for (mwSize d = 2; d < dims; d++) {
    const int64_t here_x = size_along (x, d), here_y = size_along (y, d);
    if (here_x != here_y && here_x != 1 && here_y != 1)
      return 0;
    sizes[p->dims] = here_x == 1 ? here_y : here_x;
    steps_a[p->dims] = here_x == 1 ? 0 : pages_x;
    steps_b[p->dims++] = here_y == 1 ? 0 : pages_y;
    pages_x *= here_x;
    pages_y *= here_y;
  }
  return 1;
}

static gpumm_status run_pages (void *source, gpumm_matrix *z) {
  return gpumm_pages_run (source, NULL, z);
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  gpumm_pages pages = {0};
  gpumm_matrix shape = {0};
  if (nrhs != 4 || !get_page (prhs[0], prhs[1], &pages.a) || !get_page (prhs[2], prhs[3], &pages.b)
      || !get_steps (prhs[0], prhs[2], &pages))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by pagemtimes.m only");
  plhs[0] = make_matrix (gpumm_pages_result (&pages, &shape), &shape, run_pages, &pages, e);
}
