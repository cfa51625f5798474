/* __gpumm_blocks__.c - the gateway to products with block-sparse matrices.
 *
 *   [C, FAILED, INFO] = __gpumm_blocks__ (A, B, OPTIONS)
 *   [C, FAILED] = __gpumm_blocks__ (S)
 *
 * The second converts S, in blocks of double, to a sparse matrix.
 *
 * A and B are full matrices or structs with the fields of a blocksparse (mex/blocksparse.cc).
 * OPTIONS is the struct of private/parse_options.m; its field full asks for a full product of two
 * matrices in blocks. C is a struct or a matrix like A and B; if FAILED is true, C is a struct
 * (message, identifier) for error ().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

/* ---- check and marshal -------------------------------------------------------------------- */

static int get_any (const mxArray *x, gpumm_operand *operand) {
  return mxIsStruct (x) ? get_blocks (x, operand)
                        : get_operand (x, operand) && operand->kind == GPUMM_DENSE;
}

static int get_problem (const mxArray *const prhs[], gpumm_problem *p, gpumm_operand *c0) {
  const mxArray *options = prhs[2], *output = mxGetField (options, 0, "output");
  *p = (gpumm_problem){.alpha = {1, 0}};
  if (!get_any (prhs[0], &p->a) || !get_any (prhs[1], &p->b))
    return 0;
  p->output = is_complex (p->a.type) ? p->a.type : p->b.type;
  p->op_a = (gpumm_op) get_number (options, "transpose_a");
  p->op_b = (gpumm_op) get_number (options, "transpose_b");
  p->full = get_number (options, "full") != 0;
  if (output && !mxIsEmpty (output) && is_integer (p->output) && !get_type (output, &p->output))
    return 0;
  if (!get_scalar (mxGetField (options, 0, "alpha"), &p->alpha)
      || !get_scalar (mxGetField (options, 0, "beta"), &p->beta))
    return 0;
  if (p->beta.re == 0 && p->beta.im == 0)
    return 1;
  p->c0 = c0;
  return get_operand (mxGetField (options, 0, "c"), c0) && c0->kind == GPUMM_DENSE;
}

/* ---- as a sparse matrix ------------------------------------------------------------------- */

static mxArray *make_sparse (const mxArray *s, gateway_error *e) {
  gpumm_operand x, shape;
  gpumm_blocks_sparse *sparse = NULL;
  mxArray *c = NULL;
  gpumm_status status;
  if (!get_blocks (s, &x))
    gateway_fail (e, "gpumm:unsupported", "gpumm: not a matrix by blocks");
  else if ((status = gpumm_blocks_sparse_open (&x, &sparse, &shape)) != GPUMM_OK)
    gateway_fail_engine (e, status);
  else if ((c = allocate_result (&shape, e)) != NULL) {
    if ((status = gpumm_blocks_sparse_fill (sparse, &shape)) != GPUMM_OK)
      gateway_fail_engine (e, status);
    else
      c = settle_result (c, &shape, e);
  }
  gpumm_blocks_sparse_close (sparse);
  return c;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_error error = {0};
  gpumm_options options = {.device = -1};
  char algorithm[NAME_BYTES];
  gpumm_problem problem;
  gpumm_operand c0, result;
  gpumm_job *job = NULL;
  block_arrays out = {0};
  mxArray *c = NULL, *info = NULL;
  gpumm_status status;
  gateway_enter ();

  if (nrhs == 1 && nlhs == 2 && mxIsStruct (prhs[0])) {
    c = make_sparse (prhs[0], &error);
    goto done;
  }

  /* check, marshal */
  if (nrhs != 3 || nlhs < 2 || !mxIsStruct (prhs[2]))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by gpumm.m only");
  get_options (prhs[2], &options, algorithm);
  if (!get_problem (prhs, &problem, &c0)) {
    gateway_fail (&error, "gpumm:unsupported", "gpumm: not matrices by blocks that have a product");
    goto done;
  }

  /* multiply */
  if ((status = gpumm_open (&problem, &options, &job)) != GPUMM_OK
      || (status = gpumm_result (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }
  if (result.kind == GPUMM_DENSE ? !(c = allocate_result (&result, &error))
                                 : !allocate_blocks (&result, &out, &error))
    goto done;
  if ((status = gpumm_run (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }

  /* deliver */
  if (result.kind == GPUMM_DENSE)
    c = settle_result (c, &result, &error);
  else
    c = blocks_value (&out, &result, &error);
  if (c && nlhs > 2)
    info = report_value (gpumm_job_report (job), &error);

done: /* release */
  gpumm_close (job);
  destroy_blocks (&out);
  if (error.identifier[0] && c)
    mxDestroyArray (c);
  gateway_interrupt (&error);
  plhs[0] = error.identifier[0] ? gateway_error_value (&error) : c;
  plhs[1] = mxCreateLogicalScalar (error.identifier[0] != 0);
  if (nlhs > 2)
    plhs[2] = info ? info : mxCreateDoubleMatrix (0, 0, mxREAL);
}
