/* exchange.h - the panels of A that the devices of a product give each other. Each device takes its
 * slice of the panels up, and copies the others from the devices that have them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MOVE_EXCHANGE_H
#define GPUMM_MOVE_EXCHANGE_H

#include "streaming.h"

typedef struct gpumm_exchange gpumm_exchange;

/* For panels that members 0, 1, ... take up in turn; NULL without memory. */
gpumm_exchange *gpumm_exchange_new (int members, int64_t panels);
void gpumm_exchange_release (gpumm_exchange *x); /* once all have left; NULL is allowed */

int gpumm_exchange_members (const gpumm_exchange *x);

/* Does the member take part with this number of panels? Not after it has left. */
int gpumm_exchange_joins (const gpumm_exchange *x, int member, int64_t panels);

/* A slice of the whole panel's columns. The slices are panels first, first + 1, ... of the
 * exchange. Turn 0 uploads this member's slice and offers it. Each later turn copies another
 * member's slice. A single slice is the whole, and one of the members brings it. */
gpumm_panel gpumm_exchange_slice (const gpumm_exchange *x, int member, int64_t first,
                                  int64_t slices, int64_t turn, const gpumm_panel *whole);

/* The member offers no more panels. leave waits until all members have left, because they may
 * still copy its panels, and then gives back its events; drop, for a member that offered none,
 * does not wait. A second call does nothing. */
void gpumm_exchange_leave (gpumm_exchange *x, int member, gpumm_context *context);
void gpumm_exchange_drop (gpumm_exchange *x, int member);

#endif
