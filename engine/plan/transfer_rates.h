/* transfer_rates.h - how fast large matrices move between the host and several devices at once. For
 * products that are spread (job/spread.c); those of one device have their rates in rates.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TRANSFER_RATES_H
#define GPUMM_TRANSFER_RATES_H

#include "device/context.h"

/* Bytes per second of large matrices, of one device alone and of all at once. */
typedef struct gpumm_transfer_rate {
  double up, down;
} gpumm_transfer_rate;

typedef struct gpumm_transfer_rates {
  gpumm_transfer_rate one, all;
} gpumm_transfer_rates;

/* Fills in the rates of the first of these devices alone and of all of them at once. They are
 * measured once, at the first product that could be spread over these devices, which takes up to
 * 0.2 s after the devices are open and 0.3 GiB of host memory, by products that compute next to
 * nothing. If the measurement fails they are 0 from then on. The status is GPUMM_OK or
 * GPUMM_CANCELLED. */
gpumm_status gpumm_transfer_rates_of (gpumm_context *const *contexts, int count,
                                      gpumm_transfer_rates *rates);

/* The next product measures anew. */
void gpumm_transfer_rates_forget (void);

#endif
