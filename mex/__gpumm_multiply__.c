/* __gpumm_multiply__.c - the gateway of gpumm.m to a product.
 *
 *   [C, INFO] = __gpumm_multiply__ (A, B, NAME, VALUE, ...)
 *   [C, INFO] = __gpumm_multiply__ ({A, B, OPTIONS})
 *
 * NAME and VALUE come from the user; OPTIONS is the struct of private/parse_options.m. INFO has the
 * contents of a gpumm_report. The error "gpumm:special" means that the engine cannot compute
 * Octave's alpha * A * B + beta * C for these operands unchanged: then multiply_any.m converts
 * them, or multiplies by Octave's rules. If only C is asked for, small products by Octave's rules
 * are computed from here.
 *
 * A small product takes hardly longer than its call. So errors are raised here, because returning
 * them as an output would cost 1.8 of 10 us, and the gateway asks for types itself (typeinfo.cc).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <math.h>
#include <string.h>

typedef struct {
  gpumm_problem problem;
  gpumm_operand c0;
  call_options options;
} request;

/* ---- check and marshal -------------------------------------------------------------------- */

static int is_scalar (const gpumm_operand *x) {
  return x->rows == 1 && x->cols == 1;
}

/* Sets the type of the product. The engine does not multiply single by double, or sparse by single
 * or integer. */
static int set_output (gpumm_problem *p) {
  p->output = is_complex (p->a.type) ? p->a.type : p->b.type;
  if (is_integer (p->a.type) || is_integer (p->b.type))
    return p->a.type == p->b.type;
  return is_single (p->a.type) == is_single (p->b.type);
}

/* Factors of an integer product must be integers of at most 2^53 in size. */
static int is_whole (gpumm_scalar s) {
  return s.im == 0 && fabs (s.re) <= 0x1p53 && s.re == trunc (s.re);
}

/* Octave applies factors that are not double, or complex with real operands, because they change
 * the type of C (even with a zero imaginary part, complex times Inf gives NaN), and factors that
 * are not finite, because algorithms differ in where they apply a factor. */
static int get_factor (const mxArray *x, double otherwise, const gpumm_problem *p,
                       gpumm_scalar *factor) {
  *factor = (gpumm_scalar){otherwise, 0};
  if (!x)
    return 1;
  return get_scalar (x, factor)
         && (is_integer (p->a.type) ? is_whole (*factor)
                                    : (!mxIsComplex (x) || is_complex (p->output))
                                          && isfinite (factor->re) && isfinite (factor->im));
}

/* In Octave the transpose of a complex matrix with zero imaginary parts is real, except beside an
 * untransposed complex matrix: then Octave does not form the transpose. */
static int is_narrowed (const gpumm_operand *x, gpumm_op op, const gpumm_operand *y,
                        gpumm_op op_y) {
  return op != GPUMM_NONE && x->kind == GPUMM_DENSE && is_complex (x->type)
         && !(op_y == GPUMM_NONE && is_complex (y->type))
         && !has_imaginary_part (x, x->rows * x->cols);
}

/* Copies the options to the problem; returns 0 if the engine cannot solve it. */
static int apply_options (const call_options *o, request *r) {
  gpumm_problem *p = &r->problem;
  int sparse = p->a.kind == GPUMM_SPARSE || p->b.kind == GPUMM_SPARSE;
  p->op_a = o->op_a;
  p->op_b = o->op_b;
  if (is_narrowed (&p->a, p->op_a, &p->b, p->op_b) || is_narrowed (&p->b, p->op_b, &p->a, p->op_a))
    return 0;
  if (o->form[0]) /* only for blocks */
    return 0;
  if (o->output[0] && (!is_integer (p->output) || !find_type (o->output, &p->output)))
    return 0;
  if (!get_factor (o->alpha, 1, p, &p->alpha) || !get_factor (o->beta, o->c != NULL, p, &p->beta))
    return 0;
  if (p->beta.re == 0 && p->beta.im == 0)
    return !sparse || (p->alpha.im == 0 && (p->alpha.re == 0 || p->alpha.re == 1));
  p->c0 = &r->c0;
  return !sparse && get_operand (o->c, &r->c0) && r->c0.kind == GPUMM_DENSE
         && r->c0.type == p->output;
}

/* Returns 0 if the engine cannot solve the problem, or with the error set. */
static int get_request (int nrhs, const mxArray *prhs[], request *r, gateway_error *e) {
  gpumm_problem *p = &r->problem;
  const mxArray *a = prhs[0], *b;
  *r = (request){0};
  if (nrhs == 1) {
    a = mxGetCell (prhs[0], 0);
    b = mxGetCell (prhs[0], 1);
    get_struct (mxGetCell (prhs[0], 2), &r->options);
  } else {
    b = prhs[1];
    if (!get_pairs (nrhs - 2, prhs + 2, &r->options, e))
      return 0;
  }
  return get_operand (a, &p->a) && get_operand (b, &p->b) && set_output (p)
         && apply_options (&r->options, r)
         && (r->options.scalars || (!is_scalar (&p->a) && !is_scalar (&p->b)));
}

/* ---- by Octave's own rules ---------------------------------------------------------------- */

/* Products up to these m n k and m n are too small for multiply_any.m, which takes 0.3 ms. */
static const double SHORT_PRODUCT = 1e6;

/* A value of a user type, such as a blocksparse, counts as numeric too, but has no class here. */
static int is_value (const mxArray *x) {
  return (mxIsNumeric (x) && mxGetClassID (x) != mxUNKNOWN_CLASS) || mxIsLogical (x)
         || mxIsChar (x);
}

static int is_integer_array (const mxArray *x) {
  return mxIsNumeric (x) && !mxIsDouble (x) && !mxIsSingle (x);
}

/* Should Octave's `*` compute A * B, without options, at once? Yes for scalars, diagonal and
 * permutation matrices, and for small products whose operands would need conversion. No if `*` is
 * undefined: multiply_any.m raises that error. */
static int is_for_octave (const mxArray *a, const mxArray *b) {
  char type_a[32], type_b[32];
  if (!is_value (a) || !is_value (b))
    return 0;
  if (mxGetNumberOfElements (a) == 1 || mxGetNumberOfElements (b) == 1)
    return 1;
  if (is_integer_array (a) || is_integer_array (b) || mxGetNumberOfDimensions (a) != 2
      || mxGetNumberOfDimensions (b) != 2)
    return 0;
  get_type_name (a, type_a, sizeof type_a);
  get_type_name (b, type_b, sizeof type_b);
  if (strstr (type_a, "diagonal") && strstr (type_b, "diagonal")) /* Octave 7 has a bug for these */
    return 0;
  return strstr (type_a, "diagonal") || strstr (type_b, "diagonal")
         || strstr (type_a, "permutation") || strstr (type_b, "permutation")
         || ((double) mxGetM (a) * (double) mxGetN (a) * (double) mxGetN (b) <= SHORT_PRODUCT
             && (double) mxGetM (a) * (double) mxGetN (b) <= SHORT_PRODUCT);
}

/* A * B, or NULL on an error. builtin, because `*` does not call a user's function mtimes
 * either. */
static mxArray *octave_product (const mxArray *prhs[]) {
  mxArray *c = NULL, *name = mxCreateString ("mtimes");
  mxArray *arguments[] = {name, (mxArray *) prhs[0], (mxArray *) prhs[1]};
  mxArray *failure = mexCallMATLABWithTrap (1, &c, 3, arguments, "builtin");
  mxDestroyArray (name);
  if (failure)
    mxDestroyArray (failure);
  return failure ? NULL : c;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_error error = {0};
  request r;
  gpumm_job *job = NULL;
  gpumm_operand result;
  mxArray *c = NULL, *info = NULL;
  gpumm_status status;
  gateway_enter ();

  /* check, marshal */
  if (nrhs < 1
      || (nrhs == 1
          && (!mxIsCell (prhs[0]) || mxGetNumberOfElements (prhs[0]) != 3
              || !mxIsStruct (mxGetCell (prhs[0], 2)))))
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by gpumm.m only");
  if (!get_request (nrhs, prhs, &r, &error)) {
    if (error.identifier[0])
      goto done;
    if (nrhs == 2 && nlhs < 2 && is_for_octave (prhs[0], prhs[1])
        && (c = octave_product (prhs)) != NULL)
      goto done;
    gateway_fail (&error, "gpumm:special", "gpumm: not for the engine as they are");
    goto done;
  }

  /* multiply */
  if ((status = gpumm_open (&r.problem, &r.options.engine, &job)) != GPUMM_OK
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
  if (c && nlhs > 1)
    info = report_value (gpumm_job_report (job), &error);

done: /* release */
  gpumm_close (job);
  if (error.identifier[0] && c)
    mxDestroyArray (c);
  gateway_raise (&error);
  plhs[0] = c;
  if (nlhs > 1)
    plhs[1] = info;
}
