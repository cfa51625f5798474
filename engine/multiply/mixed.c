/* mixed.c - a real matrix times a complex one, made of real products.
 *
 * Interleaved complex storage is real storage with twice the rows, so most cases are one real
 * product without copies. The others pack the complex operand or unpack the result. Octave computes
 * two real products too, unless k <= min (m, n) / 10: then it converts the real operand. The two
 * ways differ if Inf meets zero, so this file follows Octave's rule.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "cancel.h"
#include "error.h"
#include "memory/host.h"
#include "threads.h"
#include "types.h"

typedef struct {
  gpumm_problem inner;
  int opened;    /* next has given it */
  void *product; /* its result, unless that is the caller's memory */
  int negate;    /* conjugate while unpacking */
} mixed;

/* ---- element loops, by real type ---------------------------------------------------------- */

typedef struct {
  const void *from;
  void *to;
  int64_t rows, ld_from, ld_to; /* in elements of their own type */
  int negate;
  gpumm_scalar alpha, beta;
  const gpumm_matrix *c0;
} columns;

/* move: parts of complex numbers, one or two, that lie step_from apart down a column and far_from from
 * part to part, to where they lie otherwise. split: complex columns into pairs of real ones, re, im, re,
 * im; join: and back; widen: real into complex columns. combine: to = alpha to + beta c0. */
#define LOOPS(real, suffix)                                                                        \
  static inline __attribute__ ((always_inline)) void move_##suffix (                               \
      const columns *c, int64_t begin, int64_t end, int step_from, int step_to, int64_t far_from,  \
      int64_t far_to, int parts_from) {                                                            \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      const real *from = (const real *) c->from + parts_from * j * c->ld_from;                     \
      real *to = (real *) c->to + 2 * j * c->ld_to;                                                \
      for (int64_t i = 0; i < c->rows; i++) {                                                      \
        const real im = parts_from == 2 ? from[step_from * i + far_from] : 0;                      \
        to[step_to * i] = from[step_from * i];                                                     \
        to[step_to * i + far_to] = c->negate ? -im : im;                                           \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void split_##suffix (void *context, int64_t begin, int64_t end) {                         \
    const columns *c = context;                                                                    \
    move_##suffix (c, begin, end, 2, 1, 1, c->ld_to, 2);                                           \
  }                                                                                                \
  static void join_##suffix (void *context, int64_t begin, int64_t end) {                          \
    const columns *c = context;                                                                    \
    move_##suffix (c, begin, end, 1, 2, c->ld_from, 1, 2);                                         \
  }                                                                                                \
  static void widen_##suffix (void *context, int64_t begin, int64_t end) {                         \
    move_##suffix (context, begin, end, 1, 2, 0, 1, 1);                                            \
  }                                                                                                \
  static void combine_##suffix (void *context, int64_t begin, int64_t end) {                       \
    const columns *c = context;                                                                    \
    const real ar = (real) c->alpha.re, ai = (real) c->alpha.im;                                   \
    const real br = (real) c->beta.re, bi = (real) c->beta.im;                                     \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      real *to = (real *) c->to + 2 * j * c->ld_to;                                                \
      const real *old = c->c0 ? (const real *) c->c0->values + 2 * j * c->c0->ld : NULL;           \
      for (int64_t i = 0; i < 2 * c->rows; i += 2) {                                               \
        real re = ai == 0 ? ar * to[i] : ar * to[i] - ai * to[i + 1];                              \
        real im = ai == 0 ? ar * to[i + 1] : ar * to[i + 1] + ai * to[i];                          \
        if (old) {                                                                                 \
          re += bi == 0 ? br * old[i] : br * old[i] - bi * old[i + 1];                             \
          im += bi == 0 ? br * old[i + 1] : br * old[i + 1] + bi * old[i];                         \
        }                                                                                          \
        to[i] = re;                                                                                \
        to[i + 1] = im;                                                                            \
      }                                                                                            \
    }                                                                                              \
  }
LOOPS (float, s)
LOOPS (double, d)

typedef void loop (void *, int64_t, int64_t);

static gpumm_status over_columns (gpumm_type type, loop *single, loop *full, columns *c,
                                  int64_t cols) {
  int64_t grain = c->rows > 0 ? 65536 / c->rows + 1 : cols;
  return gpumm_parallel (cols, grain, type == GPUMM_C ? single : full, c);
}

/* ---- the inner problem -------------------------------------------------------------------- */

static void *matrix (struct gpumm_job *job, int64_t rows, int64_t cols, gpumm_type type) {
  int64_t elements;
  if (__builtin_mul_overflow (rows, cols, &elements))
    elements = -1; /* gpumm_allocate refuses this and sets the text */
  return gpumm_own (&job->memory, elements, gpumm_type_bytes (type));
}

/* A complex matrix viewed as a real one with twice the rows. */
static gpumm_matrix as_real (const gpumm_matrix *x, gpumm_type real) {
  gpumm_matrix y = *x;
  y.type = real;
  y.rows *= 2;
  y.ld *= 2;
  return y;
}

/* Copies x by that loop into a matrix of another type with `times` as many columns, which x becomes. */
static gpumm_status pack (struct gpumm_job *job, gpumm_matrix *x, gpumm_type type, int times,
                          loop *single, loop *full, int negate) {
  const int64_t cols = x->cols;
  columns c = {.from = x->values,
               .to = matrix (job, x->rows, cols * times, type),
               .rows = x->rows,
               .ld_from = x->ld,
               .ld_to = x->rows,
               .negate = negate};
  x->type = type;
  x->cols = cols * times;
  x->ld = x->rows;
  x->values = c.to;
  return c.to ? over_columns (job->problem.output, single, full, &c, cols) : GPUMM_HOST_MEMORY;
}

/* Octave's rule. If only the real operand is transposed, Octave always computes two real products
 * (trans_mul of op-m-cm.cc, mul_trans of op-cm-m.cc). */
int gpumm_octave_widens (const gpumm_problem *p) {
  int a_complex = gpumm_is_complex (p->a.type);
  gpumm_op op_real = a_complex ? p->b.op : p->a.op, op_complex = a_complex ? p->a.op : p->b.op;
  if (op_real != GPUMM_NONE && op_complex == GPUMM_NONE)
    return 0;
  return gpumm_k (p) <= gpumm_least (gpumm_m (p), gpumm_n (p)) / 10;
}

static gpumm_status open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const gpumm_type real = p->output == GPUMM_C ? GPUMM_S : GPUMM_D;
  const int a_complex = gpumm_is_complex (p->a.type);
  mixed *state = gpumm_new_state (job, sizeof *state);
  if (!state)
    return GPUMM_HOST_MEMORY;
  gpumm_problem *inner = &state->inner;
  *inner = *p;
  if (gpumm_octave_widens (p))
    return pack (job, a_complex ? &inner->b : &inner->a, p->output, 1, widen_s, widen_d, 0);
  /* unpacking applies alpha and beta, when the product is complex again */
  inner->alpha = (gpumm_scalar){gpumm_is_zero (p->alpha) ? 0 : 1, 0};
  inner->beta = (gpumm_scalar){0, 0};
  inner->c0 = NULL;
  gpumm_matrix *x = a_complex ? &inner->a : &inner->b;
  const int conjugate = x->op == GPUMM_CTRANSPOSE;
  /* real and imaginary parts alternate along C's rows if A is complex, along its columns if B is */
  const int is_split = a_complex != (x->op == GPUMM_NONE);
  state->negate = !a_complex && conjugate && !is_split;
  if (conjugate)
    x->op = GPUMM_TRANSPOSE;
  if (is_split)
    return pack (job, x, real, 2, split_s, split_d, conjugate && a_complex);
  *x = as_real (x, real);
  return GPUMM_OK;
}

static gpumm_status next (struct gpumm_job *job, gpumm_problem *inner, int *more) {
  mixed *state = job->state;
  *inner = state->inner;
  *more = !state->opened;
  state->opened = 1;
  return GPUMM_OK;
}

static gpumm_status into (struct gpumm_job *job, const gpumm_matrix *shape, gpumm_matrix *result,
                          gpumm_matrix *c) {
  mixed *state = job->state;
  if (shape->type == result->type)
    *c = *result;
  else if (shape->rows != result->rows)
    *c = as_real (result, shape->type);
  else {
    *c = *shape;
    c->values = state->product = matrix (job, shape->rows, shape->cols, shape->type);
    return state->product ? GPUMM_OK : GPUMM_HOST_MEMORY;
  }
  return GPUMM_OK;
}

static gpumm_status finish (struct gpumm_job *job, const gpumm_matrix *product,
                            gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const mixed *state = job->state;
  gpumm_status status = GPUMM_OK;
  if (product->type == result->type)
    return GPUMM_OK;
  columns c = {.from = state->product,
               .to = result->values,
               .rows = result->rows,
               .ld_from = product->rows,
               .ld_to = result->ld,
               .negate = state->negate,
               .alpha = p->alpha,
               .beta = p->beta,
               .c0 = p->c0};
  if (state->product)
    status = over_columns (p->output, join_s, join_d, &c, result->cols);
  if (!status && (!gpumm_is_one (p->alpha) || p->c0))
    status = over_columns (p->output, combine_s, combine_d, &c, result->cols);
  return status;
}

const gpumm_algorithm gpumm_algorithm_mixed = {
    .name = "mixed",
    .summary = "real times complex, made of real products",
    .open = open,
    .next = next,
    .into = into,
    .finish = finish,
    .hides = 1,
};
