/* __gpumm_pages__.c - the gateway of pagemtimes.m.
 *
 *   Z = __gpumm_pages__ (X, Y)
 *   Z = __gpumm_pages__ (X, TRANSPX, Y, TRANSPY)
 *
 * with pagemtimes's arguments as the user gave them. The error "gpumm:special" means that the
 * engine cannot multiply them as they are: then pagemtimes.m converts them, multiplies by Octave's
 * rules, or says what is wrong with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_arrays.h"
#include "marshal.h"

/* The first page of x, with op; NULL: none. */
static int get_page (const mxArray *x, const mxArray *op, gpumm_matrix *page) {
  if (!get_array (x, page) || page->format != GPUMM_FULL || (op && !get_op (op, &page->op)))
    return 0;
  page->cols = (int64_t) mxGetDimensions (x)[1];
  return page->rows != 1 || page->cols != 1; /* Octave scales by scalars */
}

/* Dimension d of x, from 0. */
static int64_t size_along (const mxArray *x, mwSize d) {
  return d < mxGetNumberOfDimensions (x) ? (int64_t) mxGetDimensions (x)[d] : 1;
}

/* Sets the sizes of the result and the steps of both arrays; returns 0 if their page sizes do not
 * fit. */
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

static int get_pages (int nrhs, const mxArray *prhs[], gpumm_pages *p, gpumm_status *status,
                      gpumm_matrix *shape) {
  const int has_ops = nrhs == 4;
  if (nrhs != 2 && nrhs != 4)
    return 0;
  const mxArray *x = prhs[0], *y = prhs[1 + has_ops];
  if (!get_page (x, has_ops ? prhs[1] : NULL, &p->a)
      || !get_page (y, has_ops ? prhs[3] : NULL, &p->b) || !get_steps (x, y, p))
    return 0;
  *status = gpumm_pages_result (p, shape);
  return *status != GPUMM_NONCONFORMANT && *status != GPUMM_UNSUPPORTED;
}

static gpumm_status run_pages (void *source, gpumm_matrix *z) {
  return gpumm_pages_run (source, NULL, z);
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  gpumm_pages pages = {0};
  gpumm_matrix shape = {0};
  gpumm_status status;
  if (!get_pages (nrhs, prhs, &pages, &status, &shape)) {
    gateway_fail (e, "gpumm:special", "pagemtimes: not for the engine as they are");
    return;
  }
  mxArray *z = make_matrix (status, &shape, run_pages, &pages, e);
  if (!z)
    return;
  mxArray *const y =
      in_pages (z, pages.b.op == GPUMM_NONE ? pages.b.cols : pages.b.rows, pages.dims, pages.sizes);
  plhs[0] = y == z ? z : own (y);
}
