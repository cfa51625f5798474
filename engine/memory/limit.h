/* limit.h - the limit of this machine's memory.
 *
 * A system that overcommits grants any request and kills the process that uses the memory. So gpumm
 * refuses a product that can never fit before it begins.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_LIMIT_H
#define GPUMM_MEMORY_LIMIT_H

#include "gpumm.h"

/* gpumm_check_memory does not check fewer bytes than this: a check takes 0.3 us, or 2.3 us with
 * cold caches. */
#define GPUMM_LARGE_BYTES (16 << 20)

/* GPUMM_HOST_MEMORY if this many bytes exceed the machine's memory and swap, or a limit of the
 * process's control groups; what (printf's rules) begins the error text. The environment variable
 * GPUMM_MAX_HOST_MEMORY overrides both limits: bytes from GPUMM_LARGE_BYTES on, with K, M, G or T
 * for powers of 1024, or "none" (or 0) for no limit. GPUMM_INVALID if its value is none of
 * these. */
gpumm_status gpumm_check_memory (double bytes, const char *what, ...)
    __attribute__ ((format (printf, 2, 3)));
gpumm_status gpumm_check_limit (void); /* the variable alone */

/* The same check for a result with all its arrays, in any format. A sparse result has room for
 * nzmax elements or blocks; nzmax is 0 until they are counted. */
gpumm_status gpumm_check_room (const gpumm_matrix *result);

/* The least memory limit, with swap, of the control groups (version 1 or 2) from the process's own
 * up to the root; infinite if there is none. The files are /proc/self/cgroup and
 * /proc/self/mountinfo; swap is the machine's, in bytes. For limit.c and its test. */
double gpumm_group_limit (const char *cgroup, const char *mountinfo, double swap);

#endif
