/* work.c - what a product takes: operations, and bytes that move.
 *
 * By sizes and types alone. It knows no rates: seconds are in costs.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"
#include "base/types.h"
#include "multiply/real_by_complex.h"

#include <math.h>

gpumm_product gpumm_product_of (const gpumm_problem *p) {
  return (gpumm_product){.type = p->output,
                         .op_a = p->a.op,
                         .op_b = p->b.op,
                         .m = gpumm_m (p),
                         .n = gpumm_n (p),
                         .k = gpumm_k (p),
                         .a = p->a.values,
                         .lda = p->a.ld,
                         .b = p->b.values,
                         .ldb = p->b.ld,
                         .alpha = p->alpha,
                         .beta = p->beta};
}

double gpumm_full_flops (const gpumm_problem *p) {
  return gpumm_flops_each (p) * (double) gpumm_m (p) * (double) gpumm_n (p) * (double) gpumm_k (p);
}

static double stored_elements (const gpumm_matrix *x) {
  return x->format == GPUMM_FULL ? (double) x->rows * (double) x->cols
                                 : (double) gpumm_entries (x) * (double) gpumm_entry_elements (x);
}

double gpumm_sparse_flops (const gpumm_problem *p) {
  double k = (double) gpumm_k (p);
  return k > 0 ? gpumm_flops_each (p) * stored_elements (&p->a) * stored_elements (&p->b) / k : 0;
}

/* Of A or B as it is sent: as the product's type, but a large real matrix stays real. */
static double bytes_of_operand (const gpumm_problem *p, const gpumm_matrix *x) {
  const gpumm_type sent = gpumm_is_split (p) ? x->type : p->output;
  return x->buffer ? 0 : (double) x->rows * (double) x->cols * (double) gpumm_type_bytes (sent);
}

double gpumm_bytes_up (const gpumm_problem *p) {
  const double b = gpumm_is_one_array (p) ? 0 : bytes_of_operand (p, &p->b);
  const double c = p->c0 && !p->c0->buffer ? (double) gpumm_m (p) * (double) gpumm_n (p)
                                                 * (double) gpumm_type_bytes (p->output)
                                           : 0;
  return bytes_of_operand (p, &p->a) + b + c;
}

double gpumm_bytes_down (const gpumm_problem *p) {
  if (p->stays)
    return 0;
  return (double) gpumm_m (p) * (double) gpumm_n (p) * (double) gpumm_type_bytes (p->output);
}

double gpumm_stored_bytes (const gpumm_matrix *x) {
  return x->format == GPUMM_FULL ? stored_elements (x) * (double) gpumm_type_bytes (x->type)
                                 : (double) gpumm_entries (x)
                                       * (double) (gpumm_entry_bytes (x) + gpumm_index_bytes (x));
}

/* C has at most an element for each of its places, and at most one for each multiplication. */
double gpumm_bytes_moved (const gpumm_problem *p) {
  if (gpumm_is_full (p))
    return gpumm_bytes_up (p) + gpumm_bytes_down (p);
  if (gpumm_is_bound (p))
    return 0;
  const double places = (double) gpumm_m (p) * (double) gpumm_n (p);
  return gpumm_stored_bytes (&p->a) + gpumm_stored_bytes (&p->b)
         + fmin (places, gpumm_sparse_flops (p) / gpumm_flops_each (p))
               * (double) gpumm_type_bytes (p->output);
}
