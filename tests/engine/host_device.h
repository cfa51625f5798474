/* host_device.h - for tests that cannot go on without the host device.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_HOST_DEVICE_H
#define GPUMM_TESTS_HOST_DEVICE_H

#include "check.h"
#include "device/devices.h"

/* Its context; where it is missing, says why and ends the test, which has failed. */
static inline gpumm_context *need_host_device (void) {
  gpumm_context *context = NULL;
  CHECK (!gpumm_context_of (GPUMM_HOST, &context), "%s", gpumm_last_error ());
  if (!context)
    exit (check_done ());
  return context;
}

#endif
