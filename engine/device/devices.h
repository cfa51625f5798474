/* devices.h - the drivers, and a context for each device.
 *
 * It says which devices exist and which of them a product may use; the plan chooses among them. The
 * engine is linked to no driver: each is a library, opened at first use. What is kept for a device
 * between calls is in context.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_DEVICES_H
#define GPUMM_DEVICES_H

#include "context.h"

/* The CUDA driver table if this process can use a GPU; else NULL, and *why says what is missing.
 * Opens the library at the first call. */
const gpumm_driver *gpumm_cuda (const char **why);

/* The host device's driver table, or NULL and *why. */
const gpumm_driver *gpumm_host_device (const char **why);

/* The context of the GPU of this index, or of a host device: GPUMM_HOST, and where there are
 * several, GPUMM_HOST - 1, GPUMM_HOST - 2 ... GPUMM_NO_DEVICE if there is none at all,
 * GPUMM_INVALID if there is none of this index. */
gpumm_status gpumm_context_of (int device, gpumm_context **context);

/* The devices that the options, or else GPUMM_DEVICES in the environment, let a product use, as
 * bits; of the GPUs or of the host devices. GPUMM_INVALID if there is no such device, or if the
 * environment does not name any. */
gpumm_status gpumm_allowed_devices (const gpumm_options *options, int of_host, uint64_t *devices);
gpumm_status gpumm_check_devices (void); /* only that the variable is a list */

/* A device's properties: now; or those seen last, because asking for the free memory takes as long
 * as a small product. Set the error text on failure. */
gpumm_status gpumm_context_properties (gpumm_context *context, gpumm_device_properties *properties);
gpumm_status gpumm_context_seen (gpumm_context *context, gpumm_device_properties *properties);

/* Empties all pools and closes what the drivers keep. Returns how many contexts were in use, and
 * sets `used` to them. */
enum { GPUMM_MOST_GPUS = 64, GPUMM_MOST_CONTEXTS = GPUMM_MOST_GPUS + 8 }; /* more are not used */
int gpumm_devices_reset (gpumm_context *used[GPUMM_MOST_CONTEXTS]);

#endif
