/* __gpumm_multiply__.c - the gateway of gpumm.m to a product.
 *
 *   [C, ERR, INFO] = __gpumm_multiply__ (A, B, TYPE_A, TYPE_B, OPTIONS)
 *
 * TYPE_A and TYPE_B are typeinfo (A) and typeinfo (B). OPTIONS is a struct that private/
 * parse_options.m fills, or is left out; a call without one is gpumm.m's first try, and a scalar is
 * then special, too. ERR is [] or a struct (message, identifier) for error ();
 * its identifier is "gpumm:special" for operands that the engine does not take as they are, which
 * gpumm.m then converts or multiplies by Octave's own rules. INFO is what gpumm_report says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <string.h>

typedef struct {
  gpumm_problem problem;
  gpumm_operand c0;
  gpumm_options options;
  char algorithm[64], output[16];
} request;

static int is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

/* ---- check -------------------------------------------------------------------------------- */

/* Single with double, and sparse with single or integer, are not for the engine. */
static int types_match (const gpumm_operand *a, const gpumm_operand *b) {
  if (is_integer (a->type) || is_integer (b->type))
    return a->type == b->type;
  int single_a = a->type == GPUMM_S || a->type == GPUMM_C;
  int single_b = b->type == GPUMM_S || b->type == GPUMM_C;
  return single_a == single_b;
}

/* A scalar multiplies whatever stands beside it element by element. */
static int is_scalar (const gpumm_operand *x) {
  return x->rows == 1 && x->cols == 1;
}

/* ---- marshal ------------------------------------------------------------------------------ */

static double get_number (const mxArray *options, const char *field) {
  const mxArray *x = mxGetField (options, 0, field);
  return x && mxGetNumberOfElements (x) == 1 ? mxGetScalar (x) : 0;
}

static gpumm_scalar get_scalar (const mxArray *options, const char *field) {
  const mxArray *x = mxGetField (options, 0, field);
  gpumm_scalar s = {0, 0};
  if (x && mxIsDouble (x) && mxGetNumberOfElements (x) == 1) {
    const double *v = mxGetData (x);
    s = (gpumm_scalar){v[0], mxIsComplex (x) ? v[1] : 0};
  }
  return s;
}

static gpumm_type type_by_name (const char *name, gpumm_type otherwise) {
  for (int t = 0; t < GPUMM_TYPES; t++)
    if (strcmp (name, gpumm_type_name ((gpumm_type) t)) == 0)
      return (gpumm_type) t;
  return otherwise;
}

static void get_options (const mxArray *options, request *r) {
  gpumm_problem *p = &r->problem;
  p->op_a = (gpumm_op) get_number (options, "transpose_a");
  p->op_b = (gpumm_op) get_number (options, "transpose_b");
  p->alpha = get_scalar (options, "alpha");
  p->beta = get_scalar (options, "beta");
  const mxArray *c0 = mxGetField (options, 0, "c"), *type = mxGetField (options, 0, "c_type");
  if (c0 && type && get_operand (c0, type, &r->c0))
    p->c0 = &r->c0;
  const mxArray *output = mxGetField (options, 0, "output");
  if (output && get_text (output, r->output, sizeof r->output))
    p->output = type_by_name (r->output, p->output);
  const mxArray *algorithm = mxGetField (options, 0, "algorithm");
  if (algorithm && get_text (algorithm, r->algorithm, sizeof r->algorithm))
    r->options.algorithm = r->algorithm;
  r->options.backend = (gpumm_backend) get_number (options, "backend");
  r->options.device = (int) get_number (options, "device");
  r->options.max_device_memory = (int64_t) get_number (options, "max_device_memory");
  r->options.max_capability = (int) get_number (options, "max_capability");
}

/* ---- deliver ------------------------------------------------------------------------------ */

static void set_number (mxArray *s, const char *field, double value) {
  mxSetField (s, 0, field, mxCreateDoubleScalar (value));
}

static void set_text (mxArray *s, const char *field, const char *text) {
  mxSetField (s, 0, field, mxCreateString (text));
}

static mxArray *info_value (const gpumm_report *r) {
  const char *fields[] = {"backend", "device", "algorithm", "kernel", "seconds",
                          "bytes",   "flops",  "gflops",    "reason"};
  const char *device_fields[] = {"name", "index"};
  const char *seconds_fields[] = {"total", "upload", "compute", "download", "overhead"};
  const char *bytes_fields[] = {"up", "down"};
  mxArray *info = mxCreateStructMatrix (1, 1, 9, fields);
  mxArray *device = mxCreateStructMatrix (1, 1, 2, device_fields);
  mxArray *seconds = mxCreateStructMatrix (1, 1, 5, seconds_fields);
  mxArray *bytes = mxCreateStructMatrix (1, 1, 2, bytes_fields);
  set_text (device, "name", r->device_name);
  set_number (device, "index", r->device);
  set_number (seconds, "total", r->total);
  set_number (seconds, "upload", r->upload);
  set_number (seconds, "compute", r->compute);
  set_number (seconds, "download", r->download);
  set_number (seconds, "overhead", r->overhead);
  set_number (bytes, "up", (double) r->bytes_up);
  set_number (bytes, "down", (double) r->bytes_down);
  set_text (info, "backend", r->backend == GPUMM_GPU ? "gpu" : "cpu");
  mxSetField (info, 0, "device", device);
  set_text (info, "algorithm", r->algorithm);
  set_text (info, "kernel", r->kernel);
  mxSetField (info, 0, "seconds", seconds);
  mxSetField (info, 0, "bytes", bytes);
  set_number (info, "flops", r->flops);
  set_number (info, "gflops", r->total > 0 ? 1e-9 * r->flops / r->total : 0);
  set_text (info, "reason", r->reason);
  return info;
}

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_error error = {0};
  request r = {.problem = {.alpha = {1, 0}}, .options = {.device = -1}};
  gpumm_job *job = NULL;
  gpumm_operand result;
  mxArray *c = NULL, *info = NULL;
  gpumm_status status;
  gateway_enter ();

  /* check */
  if (nrhs < 4 || nrhs > 5 || nlhs < 2 || (nrhs == 5 && !mxIsStruct (prhs[4])))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by gpumm.m only");
  if (!get_operand (prhs[0], prhs[2], &r.problem.a) || !get_operand (prhs[1], prhs[3], &r.problem.b)
      || !types_match (&r.problem.a, &r.problem.b)
      || (nrhs == 4 && (is_scalar (&r.problem.a) || is_scalar (&r.problem.b)))) {
    gateway_fail (&error, "gpumm:special", "gpumm: not for the engine as they are");
    goto done;
  }

  /* marshal */
  r.problem.output = r.problem.a.type;
  if (nrhs == 5)
    get_options (prhs[4], &r);

  /* multiply */
  if ((status = gpumm_open (&r.problem, &r.options, &job)) != GPUMM_OK
      || (status = gpumm_result (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }
  c = allocate_result (&result, &error);
  if (!c)
    goto done;
  if ((status = gpumm_run (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }

  /* deliver */
  c = settle_result (c, &result, &error);
  if (c && nlhs > 2)
    info = info_value (gpumm_job_report (job));

done: /* release */
  gpumm_close (job);
  if (error.identifier[0] && c) {
    mxDestroyArray (c);
    c = NULL;
  }
  plhs[0] = c ? c : mxCreateDoubleMatrix (0, 0, mxREAL);
  plhs[1] = gateway_error_value (&error);
  if (nlhs > 2)
    plhs[2] = info ? info : mxCreateDoubleMatrix (0, 0, mxREAL);
}
