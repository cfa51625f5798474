/* rates.h - how fast the devices and the CPU are, for the plan. Measured once a process, at the
 * first product for which a rate matters, and again after gpumm_rates_forget.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_RATES_H
#define GPUMM_RATES_H

#include "plan.h"

/* Fills a candidate for a device: its properties, now or as seen last, and its rates, measured once
 * per process with the transfers of full.c and the kernel that "auto" would take. Sets the
 * error text on failure. */
gpumm_status gpumm_candidate_device (gpumm_context *context, gpumm_type type, int now,
                                     gpumm_candidate *candidate);

/* Fills in the rates that decide whether "auto" takes one of the alternatives to the library, the
 * rows of the engine's table, for this product. They are measured at the first product of its type
 * for which they matter: the link, the library's rate and, if computing takes longer than the link,
 * the alternative's. A rate that cannot be measured (no room, say) stays 0. */
void gpumm_candidate_alternatives (const gpumm_problem *problem, const gpumm_options *options,
                                   const gpumm_alternative *rows, gpumm_candidate *candidate);

/* Gives the candidate the rates of large transfers for a product that moves 256 MiB or more. They
 * are measured at the first such product, with host memory for 320 MiB; if that fails the rates
 * stay. limit: of device memory in bytes, 0 for none. */
void gpumm_candidate_large (double bytes, int64_t limit, gpumm_candidate *candidate);

/* The CPU's rate for a type, measured once per process with the BLAS in use. */
gpumm_status gpumm_candidate_cpu (gpumm_type type, gpumm_candidate *candidate);

/* Forgets a device's rates; NULL: the CPU's. */
void gpumm_rates_forget (gpumm_context *context);

#endif
