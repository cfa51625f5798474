/* clock.h - seconds on the host's monotonic clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CLOCK_H
#define GPUMM_CLOCK_H

double gpumm_seconds (void);

#endif
