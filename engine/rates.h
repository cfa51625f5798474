/* rates.h - how fast the devices and the CPU are, for the plan.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_RATES_H
#define GPUMM_RATES_H

#include "plan.h"

/* Fills place for a device: its properties now, its tuned rows for the type, and its rates, measured
 * once a process. Real rates are measured with uploads and downloads as dense.c makes them, and with
 * the kernel that "auto" would take. On failure the error's text is set. */
gpumm_status gpumm_place_device (const gpumm_driver *driver, int device, gpumm_type type,
                                 gpumm_place *place);

/* The rates of a GPU alone, if this process has measured them, without a look at the device: 1, or 0
 * where they are not known. */
int gpumm_place_known_rates (int device, gpumm_type type, gpumm_place *place);

/* Fills in what says whether "auto" should take "emulated" for this product, measured on the device
 * at the first product of its type and class of k for which that could matter: the link, then the
 * library's rate, and where computing is what takes the time, emulated's. What cannot be measured
 * (no room on the device, say) stays 0, not known. */
void gpumm_place_emulated (const gpumm_problem *problem, const gpumm_options *options,
                           gpumm_place *place);

/* The CPU's rate for one type is measured once a process, with the BLAS in use. */
gpumm_status gpumm_place_cpu (gpumm_type type, gpumm_place *place);

void gpumm_rates_forget (void);

#endif
