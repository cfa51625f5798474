/* __gpumm_fault__.c - for tests: lets the engine's memory or the host device fail on request.
 *
 *   CALLS = __gpumm_fault__ ("memory", N)  the N-th allocation of the engine from now fails
 *   CALLS = __gpumm_fault__ ("device", N)  the N-th call of the host device from now fails
 *   __gpumm_fault__ ("spread", N)          all allowed devices take part in each product (N = 1),
 *                                          or only where they are faster (0)
 *   COUNT = __gpumm_fault__ ("live")       the number of the engine's live allocations
 *   COUNT = __gpumm_fault__ ("waits")      how often a call has waited for array work
 *
 * N = 0: none fails. CALLS is the number of calls since the last setting.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_arrays.h"
#include "marshal.h"

#include <string.h>

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  char what[16];
  const double number = nrhs > 1 ? get_number (prhs[1]) : 0;
  check_use ((nrhs == 1 || nrhs == 2) && get_text (prhs[0], what, sizeof what) && number >= 0
                 && number <= 0x1p53,
             "tests");
  const int64_t n = (int64_t) number;
  if (strcmp (what, "spread") == 0)
    gpumm_spread_always (n != 0);
  int64_t count = strcmp (what, "memory") == 0   ? gpumm_fault_memory (n)
                  : strcmp (what, "device") == 0 ? gpumm_fault_device (n)
                  : strcmp (what, "waits") == 0  ? gpumm_waits ()
                                                 : gpumm_live_allocations ();
  plhs[0] = mxCreateDoubleScalar ((double) count);
}
