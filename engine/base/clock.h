/* clock.h - seconds on the host's monotonic clock.
 *
 * Only the difference of two readings has a meaning. This clock does not time a device: a launch
 * returns before its work is done. Use events (device/device.h), or wait first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CLOCK_H
#define GPUMM_CLOCK_H

double gpumm_seconds (void);

#endif
