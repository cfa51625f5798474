/* timed_product.h - products of full matrices that are run to see how long they take. No jobs, and
 * without a plan, which needs what they tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TIMED_PRODUCT_H
#define GPUMM_TIMED_PRODUCT_H

#include "plan.h"

/* Elements of a floating-point type, uniform in (-0.5, 0.5): power and clocks depend on the data,
 * and zeros would flatter. Few of them fit a narrower type, in which they would go up. The same at
 * each call; NULL without memory. Release it by gpumm_release. */
void *gpumm_random_matrix (int64_t elements, gpumm_type type);

/* The least seconds so far, at first INFINITY: of the whole product, with transfers; and of the
 * kernel of the first device. */
typedef struct gpumm_product_times {
  double total, compute;
} gpumm_product_times;

/* Computes C = A B by the transfers and kernel that "auto" would take, on each of these devices its
 * columns at the same time, and lowers *least. p says the type, m, n and k, and where the elements
 * lie in host memory, without gaps. If p->c is NULL it is set to fresh memory, as results of
 * Octave's lie in; the caller releases it by gpumm_release, also after a failure. */
gpumm_status gpumm_time_product (const gpumm_candidate *devices, int count, gpumm_product *p,
                                 gpumm_product_times *least);

#endif
