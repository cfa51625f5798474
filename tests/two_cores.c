/* two_cores.c - for tests of plans: the engine counts two cores on every machine, as in the rates
 * that such a test makes up. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <sched.h>

int sched_getaffinity (pid_t process, size_t bytes, cpu_set_t *set) {
  (void) process;
  CPU_ZERO_S (bytes, set);
  CPU_SET_S (0, bytes, set);
  CPU_SET_S (1, bytes, set);
  return 0;
}
