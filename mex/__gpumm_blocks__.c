/* __gpumm_blocks__.c - the gateway to products with matrices that are sparse by blocks.
 *
 *   [C, FAILED, INFO] = __gpumm_blocks__ (A, B, TYPE_A, TYPE_B, OPTIONS)
 *
 * A and B are structs with the fields of a blocksparse (octave/@blocksparse/blocksparse.m) or full
 * matrices; TYPE_X is typeinfo (X.values) or typeinfo (X). OPTIONS is the struct of private/
 * parse_options.m with the field full, true where C is to be full of two in blocks. C is a struct
 * or a matrix like them, or where FAILED is true a struct (message, identifier) for error ().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <string.h>

static const char *const names[] = {"rows",  "cols",   "block_rows", "block_cols",
                                    "start", "column", "values"};
enum { FIELDS = 7 };

/* ---- check and marshal -------------------------------------------------------------------- */

/* The engine follows these arrays: their classes and lengths must be right. */
static int get_blocks (const mxArray *x, const mxArray *type_name, gpumm_operand *operand) {
  const mxArray *start = mxGetField (x, 0, "start"), *column = mxGetField (x, 0, "column");
  const mxArray *values = mxGetField (x, 0, "values");
  gpumm_operand v;
  if (!start || !column || !get_operand (values, type_name, &v) || v.kind != GPUMM_DENSE
      || mxGetClassID (start) != mxINT64_CLASS || mxGetClassID (column) != mxINT32_CLASS)
    return 0;
  *operand = (gpumm_operand){.kind = GPUMM_BLOCKS,
                             .type = v.type,
                             .rows = (int64_t) get_number (x, "rows"),
                             .cols = (int64_t) get_number (x, "cols"),
                             .block_rows = (int64_t) get_number (x, "block_rows"),
                             .block_cols = (int64_t) get_number (x, "block_cols"),
                             .nzmax = (int64_t) mxGetNumberOfElements (column),
                             .block_start = mxGetData (start),
                             .block_column = mxGetData (column),
                             .values = v.values,
                             .place = GPUMM_HOST};
  const int64_t each = operand->block_rows * operand->block_cols;
  return operand->block_rows > 0 && operand->block_cols > 0
         && (int64_t) mxGetNumberOfElements (start) == operand->rows / operand->block_rows + 1
         && v.rows * v.cols == each * operand->nzmax;
}

static int get_any (const mxArray *x, const mxArray *type_name, gpumm_operand *operand) {
  return mxIsStruct (x) ? get_blocks (x, type_name, operand)
                        : get_operand (x, type_name, operand) && operand->kind == GPUMM_DENSE;
}

static int get_problem (const mxArray *const prhs[], gpumm_problem *p, gpumm_operand *c0) {
  const mxArray *options = prhs[4], *output = mxGetField (options, 0, "output");
  *p = (gpumm_problem){.alpha = {1, 0}};
  if (!get_any (prhs[0], prhs[2], &p->a) || !get_any (prhs[1], prhs[3], &p->b))
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
  return get_operand (mxGetField (options, 0, "c"), mxGetField (options, 0, "c_type"), c0)
         && c0->kind == GPUMM_DENSE;
}

/* ---- results ------------------------------------------------------------------------------ */

/* The arrays of a result, in Octave's memory: column and values for nzmax blocks. */
typedef struct {
  mxArray *start, *column, *values;
} arrays;

static void destroy (arrays *x) {
  if (x->start)
    mxDestroyArray (x->start);
  if (x->column)
    mxDestroyArray (x->column);
  if (x->values)
    mxDestroyArray (x->values);
  *x = (arrays){0};
}

/* values has block_rows x (block_cols nzmax) elements; shape gets the pointers. */
static int allocate (gpumm_operand *shape, arrays *x, gateway_error *e) {
  gpumm_operand start = {.type = GPUMM_I64, .rows = shape->rows / shape->block_rows + 1, .cols = 1};
  gpumm_operand column = {.type = GPUMM_I32, .rows = shape->nzmax, .cols = 1};
  gpumm_operand values = {
      .type = shape->type, .rows = shape->block_rows, .cols = shape->block_cols * shape->nzmax};
  x->start = allocate_result (&start, e);
  x->column = x->start ? allocate_result (&column, e) : NULL;
  x->values = x->column ? allocate_result (&values, e) : NULL;
  if (!x->values) {
    destroy (x);
    return 0;
  }
  shape->block_start = start.values;
  shape->block_column = column.values;
  shape->values = values.values;
  return 1;
}

/* A result that came out with fewer blocks than it has room for, or without imaginary parts, in
 * arrays of their own size. */
static int settle (arrays *x, const gpumm_operand *result, gateway_error *e) {
  const int64_t count = result->block_start[result->rows / result->block_rows];
  gpumm_operand values = {.kind = GPUMM_DENSE,
                          .type = result->type,
                          .rows = result->block_rows,
                          .cols = result->block_cols * count,
                          .ld = result->block_rows,
                          .values = result->values};
  if (count < result->nzmax) {
    arrays less = {0};
    gpumm_operand shape = *result;
    shape.nzmax = count;
    if (!allocate (&shape, &less, e))
      return 0;
    const size_t bytes = gpumm_type_bytes (result->type);
    memcpy (shape.block_start, result->block_start,
            (size_t) (result->rows / result->block_rows + 1) * sizeof *shape.block_start);
    memcpy (shape.block_column, result->block_column, (size_t) count * sizeof *shape.block_column);
    memcpy (shape.values, result->values, (size_t) (values.rows * values.cols) * bytes);
    destroy (x);
    *x = less;
    values.values = shape.values;
  }
  x->values = settle_result (x->values, &values, e);
  return x->values != NULL;
}

static mxArray *make_struct (const gpumm_operand *c, arrays *x) {
  mxArray *s = mxCreateStructMatrix (1, 1, FIELDS, (const char **) names);
  set_number (s, 0, "rows", (double) c->rows);
  set_number (s, 0, "cols", (double) c->cols);
  set_number (s, 0, "block_rows", (double) c->block_rows);
  set_number (s, 0, "block_cols", (double) c->block_cols);
  mxSetField (s, 0, "start", x->start);
  mxSetField (s, 0, "column", x->column);
  mxSetField (s, 0, "values", x->values);
  *x = (arrays){0};
  return s;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_error error = {0};
  gpumm_options options = {.device = -1};
  char algorithm[NAME_BYTES];
  gpumm_problem problem;
  gpumm_operand c0, result;
  gpumm_job *job = NULL;
  arrays out = {0};
  mxArray *c = NULL, *info = NULL;
  gpumm_status status;
  gateway_enter ();

  /* check, marshal */
  if (nrhs != 5 || nlhs < 2 || !mxIsStruct (prhs[4]))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by gpumm.m only");
  get_options (prhs[4], &options, algorithm);
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
                                 : !allocate (&result, &out, &error))
    goto done;
  if ((status = gpumm_run (job, &result)) != GPUMM_OK) {
    gateway_fail_engine (&error, status);
    goto done;
  }

  /* deliver */
  if (result.kind == GPUMM_DENSE)
    c = settle_result (c, &result, &error);
  else if (settle (&out, &result, &error))
    c = make_struct (&result, &out);
  if (c && nlhs > 2)
    info = report_value (gpumm_job_report (job));

done: /* release */
  gpumm_close (job);
  destroy (&out);
  if (error.identifier[0] && c)
    mxDestroyArray (c);
  plhs[0] = error.identifier[0] ? gateway_error_value (&error) : c;
  plhs[1] = mxCreateLogicalScalar (error.identifier[0] != 0);
  if (nlhs > 2)
    plhs[2] = info ? info : mxCreateDoubleMatrix (0, 0, mxREAL);
}
