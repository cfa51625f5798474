/* host_device.h - for tests that cannot go on without the host device.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_HOST_DEVICE_H
#define GPUMM_TESTS_HOST_DEVICE_H

#include "check.h"
#include "devices.h"

/* Its driver; where it is missing, says why and ends the test, which has failed. */
static inline const gpumm_driver *need_host_device (void) {
  const char *why = "";
  const gpumm_driver *driver = gpumm_host_device (&why);
  CHECK (driver, "%s", why);
  if (!driver)
    exit (check_done ());
  return driver;
}

#endif
