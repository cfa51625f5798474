/* transfer_rates.h - how fast large matrices move between the host and several devices at once.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TRANSFER_RATES_H
#define GPUMM_TRANSFER_RATES_H

#include "spread.h"

/* Fills in the rates of the first of these GPUs alone and of all of them at once. They are
 * measured once, at the first product that could be spread over these GPUs, which takes up to
 * 0.2 s after the GPUs are open and 0.3 GiB of host memory, by products of `calls` that compute
 * next to nothing. If the measurement fails they are 0 from then on. The status is GPUMM_OK or
 * GPUMM_CANCELLED. */
gpumm_status gpumm_transfer_rates_of (uint64_t devices, const gpumm_product_calls *calls,
                                      gpumm_transfer_rates *rates);

/* Is this thread measuring? Its products are then spread over all devices that they may use. */
int gpumm_transfer_rates_measuring (void);

/* The next product measures anew. */
void gpumm_transfer_rates_forget (void);

#endif
