/* cancel.c - the flag that stops products.
 *
 * It stops nothing and knows no job, only how many are open: loops ask it (cancel.h). A signal
 * handler may call gpumm_cancel, so all state is atomic, without a lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cancel.h"
#include "error.h"

static const volatile sig_atomic_t never = 0;

_Atomic unsigned gpumm_cancel_word;
const volatile sig_atomic_t *_Atomic gpumm_cancel_flag = &never;

/* Lock-free, because a signal handler may interrupt any function here. */
void gpumm_cancel (void) {
  unsigned word = atomic_load (&gpumm_cancel_word);
  while (word > 0 && !atomic_compare_exchange_weak (&gpumm_cancel_word, &word, word | 1))
    ;
}

void gpumm_watch (const volatile sig_atomic_t *flag) {
  atomic_store (&gpumm_cancel_flag, flag ? flag : &never);
}

void gpumm_cancel_enter (void) {
  atomic_fetch_add (&gpumm_cancel_word, 2);
}

void gpumm_cancel_leave (void) {
  unsigned word = atomic_load (&gpumm_cancel_word);
  while (!atomic_compare_exchange_weak (&gpumm_cancel_word, &word, word <= 3 ? 0 : word - 2))
    ;
}

int gpumm_cancelled (void) {
  return gpumm_is_cancelled ();
}

gpumm_status gpumm_check_cancelled (void) {
  return gpumm_is_cancelled () ? gpumm_fail (GPUMM_CANCELLED, "cancelled") : GPUMM_OK;
}
