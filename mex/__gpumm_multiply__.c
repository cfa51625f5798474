/* __gpumm_multiply__.c - the gateway of gpumm to products.
 *
 *   [C, INFO] = __gpumm_multiply__ (A, B, NAME, VALUE, ...)
 *   [C, INFO] = __gpumm_multiply__ ({A, B, OPTIONS})
 *
 * NAME and VALUE come from the user. No result and no error mean that the engine cannot compute
 * Octave's alpha * A * B + beta * C for these operands unchanged: then __multiply_any__.m converts
 * them, or multiplies by Octave's rules. If only C is asked for, small products by Octave's rules
 * are computed from here.
 *
 * The second form computes what it is given: __multiply_any__.m has converted it. OPTIONS is the
 * struct of private/parse_options.m; its field full asks for a full product of two matrices by
 * blocks.
 *
 * A small product takes hardly longer than its call. So errors are raised here, because returning
 * them as an output would cost 1.8 of 10 us, and the gateway asks for types itself (octave.cc).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"
#include "plan/too_small.h"

#include <math.h>
#include <string.h>

/* ---- check and marshal -------------------------------------------------------------------- */

static int is_scalar (const gpumm_matrix *x) {
  return x->rows == 1 && x->cols == 1;
}

/* Octave applies factors that are complex with real operands, because they change the type of C
 * (even with a zero imaginary part, complex times Inf gives NaN), and factors that are not finite,
 * because algorithms differ in where they apply a factor. */
static int is_factor (const mxArray *x, gpumm_scalar s, const gpumm_problem *p) {
  return (!x || !mxIsComplex (x) || is_complex (p->output)) && isfinite (s.re) && isfinite (s.im);
}

/* In Octave the transpose of a complex matrix with zero imaginary parts is real, except beside an
 * untransposed complex matrix: then Octave does not form the transpose. */
static int is_narrowed (const gpumm_matrix *x, gpumm_op op, const gpumm_matrix *y, gpumm_op op_y) {
  return op != GPUMM_NONE && x->format == GPUMM_FULL && is_complex (x->type)
         && !(op_y == GPUMM_NONE && is_complex (y->type))
         && !has_imaginary_part (x, x->rows * x->cols);
}

/* Matrices by blocks whose inner block sizes differ: __multiply_any__.m says what to do. */
static int have_other_blocks (const gpumm_matrix *a, const gpumm_matrix *b) {
  return a->format == GPUMM_BLOCKS && b->format == GPUMM_BLOCKS
         && (a->op == GPUMM_NONE ? a->block_cols : a->block_rows)
                != (b->op == GPUMM_NONE ? b->block_rows : b->block_cols);
}

/* Does the engine's product agree with Octave's alpha * A * B + beta * C? __multiply_any__.m
 * refuses the options that integers do not have. */
static int agrees (const request *r) {
  const gpumm_problem *p = &r->problem;
  const call_options *o = &r->options;
  const int sparse = p->a.format == GPUMM_SPARSE || p->b.format == GPUMM_SPARSE;
  const int blocks = p->a.format == GPUMM_BLOCKS || p->b.format == GPUMM_BLOCKS;
  const int scales = o->alpha || o->beta || o->c;
  return !is_scalar (&p->a) && !is_scalar (&p->b) && !o->form[0]
         && !have_other_blocks (&p->a, &p->b) && !(blocks && scales)
         && (is_integer (p->a.type) ? !scales : o->output == GPUMM_TYPES)
         && !is_narrowed (&p->a, p->a.op, &p->b, p->b.op)
         && !is_narrowed (&p->b, p->b.op, &p->a, p->a.op) && is_factor (o->alpha, p->alpha, p)
         && is_factor (o->beta, p->beta, p)
         && (!sparse || (!p->c0 && p->alpha.im == 0 && (p->alpha.re == 0 || p->alpha.re == 1)));
}

/* Returns 0 if the engine cannot solve the problem, or with the error set. */
static int get_request (int nrhs, const mxArray *prhs[], request *r, gateway_error *e) {
  if (nrhs == 1) {
    check_use (get_struct (mxGetCell (prhs[0], 2), &r->options), "gpumm");
    return get_problem (mxGetCell (prhs[0], 0), mxGetCell (prhs[0], 1), r);
  }
  return get_pairs (nrhs - 2, prhs + 2, &r->options, e) && get_problem (prhs[0], prhs[1], r)
         && agrees (r);
}

/* ---- by Octave's own rules ---------------------------------------------------------------- */

/* Products up to these m n k and m n are too small for __multiply_any__.m, which takes 0.3 ms. */
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
 * undefined: __multiply_any__.m raises that error. */
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

/* Is A * B a product of sparse matrices for which a look at all elements takes longer than `*`? */
static int has_few_products (const mxArray *a, const mxArray *b) {
  return mxIsSparse (a) && mxIsSparse (b) && is_value (a) && is_value (b) /* and no gpuArray */
         && mxGetN (a) == mxGetM (b)
         && gpumm_has_few_products ((double) mxGetJc (a)[mxGetN (a)],
                                    (double) mxGetJc (b)[mxGetN (b)], (double) mxGetM (b),
                                    (double) mxGetN (b));
}

/* A * B, or NULL on an error. builtin, because `*` does not call a user's function mtimes
 * either. */
static mxArray *octave_product (const mxArray *prhs[]) {
  mxArray *c = NULL;
  mxArray *arguments[] = {mxCreateString ("mtimes"), (mxArray *) prhs[0], (mxArray *) prhs[1]};
  return mexCallMATLABWithTrap (1, &c, 3, arguments, "builtin") ? NULL : c;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  request r;
  check_use (nrhs > 1 || (nrhs == 1 && mxIsCell (prhs[0]) && mxGetNumberOfElements (prhs[0]) == 3),
             "gpumm");
  if (nrhs == 2 && nlhs < 2 && has_few_products (prhs[0], prhs[1]))
    plhs[0] = octave_product (prhs);
  else if (get_request (nrhs, prhs, &r, e))
    plhs[0] = make_product (&r, nlhs > 1 ? &plhs[1] : NULL, NULL, e);
  else if (!e->identifier[0] && nrhs == 2 && nlhs < 2 && is_for_octave (prhs[0], prhs[1]))
    plhs[0] = octave_product (prhs);
  check_use (nrhs > 1 || plhs[0] || e->identifier[0], "gpumm");
}
