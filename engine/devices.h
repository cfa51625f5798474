/* devices.h - the drivers.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_DEVICES_H
#define GPUMM_DEVICES_H

#include "device.h"

enum { GPUMM_MOST_DEVICES = 16 }; /* that anything is remembered of */

/* The CUDA driver table if this process can use a GPU; else NULL, and *why says what is missing.
 * Opens the library at the first call. */
const gpumm_driver *gpumm_cuda (const char **why);

/* The host device's driver table, or NULL and *why. */
const gpumm_driver *gpumm_host_device (const char **why);

/* The driver of the GPU of this index, or of GPUMM_HOST; *index is the device's there. NULL with the error
 * text set. */
const gpumm_driver *gpumm_driver_of (int device, int *index);

/* Empties the pools and closes what the drivers keep. */
void gpumm_devices_reset (void);

#endif
