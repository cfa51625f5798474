/* __gpumm_multiply__.c - the gateway of gpumm to products.
 *
 *   [C, INFO] = __gpumm_multiply__ (A, B, NAME, VALUE, ...)
 *   [C, INFO] = __gpumm_multiply__ ({A, B, OPTIONS})
 *
 * NAME and VALUE come from the user. No result and no error mean that the engine cannot compute
 * Octave's alpha * A * B + beta * C for these operands unchanged: then gpumm.cc multiplies by
 * Octave's rules, or __multiply_any__.m converts them.
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

#include <math.h>

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

/* ---- the gateway -------------------------------------------------------------------------- */

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  request r;
  check_use (nrhs > 1 || (nrhs == 1 && mxIsCell (prhs[0]) && mxGetNumberOfElements (prhs[0]) == 3),
             "gpumm");
  if (get_request (nrhs, prhs, &r, e))
    plhs[0] = make_product (&r, nlhs > 1 ? &plhs[1] : NULL, NULL, e);
  check_use (nrhs > 1 || plhs[0] || e->identifier[0], "gpumm");
}
