/* product.c - a product, from Octave's operands to Octave's result.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

/* ---- operands and options as a problem ---------------------------------------------------- */

static int get_any (const mxArray *x, gpumm_matrix *operand) {
  return get_operand (x, operand) || get_blocks (x, operand);
}

static int get_factor (const mxArray *x, double otherwise, gpumm_scalar *factor) {
  *factor = (gpumm_scalar){otherwise, 0};
  return !x || get_scalar (x, factor);
}

int get_problem (const mxArray *a, const mxArray *b, request *r) {
  const call_options *o = &r->options;
  gpumm_problem *p = &r->problem;
  *p = (gpumm_problem){.full = o->full};
  if (!get_any (a, &p->a) || !get_any (b, &p->b))
    return 0;
  p->a.op = o->op_a;
  p->b.op = o->op_b;
  p->output = o->output < GPUMM_TYPES ? o->output : p->a.type; /* of integers; others have one */
  if (gpumm_result_type (p, &p->output) != GPUMM_OK || !get_factor (o->alpha, 1, &p->alpha)
      || !get_factor (o->beta, o->c != NULL, &p->beta))
    return 0;
  if (p->beta.re == 0 && p->beta.im == 0)
    return 1;
  p->c0 = &r->c0;
  return get_operand (o->c, &r->c0) && r->c0.format == GPUMM_FULL && r->c0.type == p->output;
}

/* ---- the product -------------------------------------------------------------------------- */

typedef struct run {
  gpumm_job *job;
  gpumm_trace *trace; /* NULL: as fast as it can be */
} run;

static gpumm_status run_job (void *source, gpumm_matrix *c) {
  const run *r = source;
  return r->trace ? gpumm_run_traced (r->job, c, r->trace->counted, r->trace)
                  : gpumm_run (r->job, c);
}

static void close_job (void *job) {
  gpumm_close (job);
}

mxArray *make_product (const request *r, mxArray **info, gpumm_trace *trace, gateway_error *e) {
  run product = {NULL, trace};
  gpumm_matrix shape = {0};
  gpumm_status status = gpumm_open (&r->problem, &r->options.engine, &product.job);
  e->close = close_job;
  e->open = product.job;
  if (!status)
    status = gpumm_result (product.job, &shape);
  mxArray *c = make_matrix (status, &shape, run_job, &product, e);
  if (c && shape.format == GPUMM_BLOCKS)
    c = own (new_blocksparse (&shape, mxGetField (c, 0, "start"), mxGetField (c, 0, "column"),
                              mxGetField (c, 0, "values")));
  if (c && info)
    *info = own (new_info (gpumm_job_report (product.job)));
  return c;
}
