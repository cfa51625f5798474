/* diff.cu - differences of neighbours along one dimension. Memory limits it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"

struct difference {
  template <class W> DEVICE W at (const lane_reader<W> &x, int64_t k) {
    return minus (entry (x, k + 1), entry (x, k));
  }
};

static gpumm_status check (const gpumm_operation *o) {
  return o->length < o->count || o->length == 0
             ? GPUMM_OK
             : gpumm_driver_fail (GPUMM_INVALID, "of %lld entries only %lld differ",
                                  (long long) o->count, (long long) o->count - 1);
}

/* name, types, results, length, places, reads, in_place, check, workspace, launch */
ARRAY_ROWS (diff) = {{"diff", COMPUTED_TYPES, 1, GPUMM_LENGTH_GIVEN, GPUMM_NO_PLACES,
                      GPUMM_READS_INPUT, 0, check, NULL, launch_each<difference>},
                     {}};
