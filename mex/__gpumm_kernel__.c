/* __gpumm_kernel__.c - the gateway of gpumm_kernel.m to one kernel under the microscope.
 *
 *   [C, FAILED, INFO, TRACE] = __gpumm_kernel__ (A, B, OPTIONS, COUNT)
 *
 * A and B are full matrices of one type, or both are structs with the fields of a blocksparse.
 * OPTIONS has the fields algorithm, backend, device, transpose_a and transpose_b, and for blocks
 * output, the class of C. If COUNT is true, accesses are counted. If FAILED is true, C is a struct
 * (message, identifier) for error ().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

/* ---- check and marshal -------------------------------------------------------------------- */

static int get_problem (const mxArray *prhs[], gpumm_problem *p) {
  *p = (gpumm_problem){.alpha = {1, 0}};
  p->op_a = (gpumm_op) get_number (prhs[2], "transpose_a");
  p->op_b = (gpumm_op) get_number (prhs[2], "transpose_b");
  if (mxIsStruct (prhs[0]) && mxIsStruct (prhs[1])) {
    const mxArray *output = mxGetField (prhs[2], 0, "output");
    return get_blocks (prhs[0], &p->a) && get_blocks (prhs[1], &p->b) && p->a.type == p->b.type
           && output && get_type (output, &p->output);
  }
  if (!get_operand (prhs[0], &p->a) || !get_operand (prhs[1], &p->b) || p->a.kind != GPUMM_DENSE
      || p->b.kind != GPUMM_DENSE || p->a.type != p->b.type)
    return 0;
  p->output = p->a.type;
  return 1;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_error error = {0};
  gpumm_problem problem;
  gpumm_options options = {.device = -1};
  char algorithm[NAME_BYTES];
  gpumm_job *job = NULL;
  gpumm_operand result;
  gpumm_trace trace = {0};
  block_arrays blocks = {0};
  mxArray *c = NULL;
  gpumm_status status;
  gateway_enter ();

  /* check, marshal */
  if (nrhs != 4 || nlhs != 4 || !mxIsStruct (prhs[2]))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by gpumm_kernel.m only");
  get_options (prhs[2], &options, algorithm);
  if (!get_problem (prhs, &problem)) {
    gateway_fail (&error, "gpumm:unsupported", "gpumm_kernel: no kernel multiplies these operands");
    goto done;
  }

  /* multiply */
  if ((status = gpumm_open (&problem, &options, &job)) != GPUMM_OK
      || (status = gpumm_result (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }
  if (result.kind == GPUMM_BLOCKS ? !allocate_blocks (&result, &blocks, &error)
                                  : !(c = allocate_result (&result, &error)))
    goto done;
  status = gpumm_run_traced (job, &result, mxGetScalar (prhs[3]) != 0, &trace);
  if (status != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }

  /* deliver */
  if (result.kind == GPUMM_BLOCKS)
    c = blocks_value (&blocks, &result, &error);
  else
    c = settle_result (c, &result, &error);
  plhs[2] = report_value (gpumm_job_report (job), &error);
  plhs[3] = trace_value (&trace);

done: /* release */
  gpumm_close (job);
  destroy_blocks (&blocks);
  if (error.identifier[0]) {
    if (c)
      mxDestroyArray (c);
    plhs[2] = mxCreateDoubleMatrix (0, 0, mxREAL);
    plhs[3] = mxCreateDoubleMatrix (0, 0, mxREAL);
  }
  gateway_interrupt (&error);
  plhs[0] = error.identifier[0] ? gateway_error_value (&error) : c;
  plhs[1] = mxCreateLogicalScalar (error.identifier[0] != 0);
}
