/* limit.h - what this machine's memory can hold at all.
 *
 * A system that overcommits grants any request and kills the process that uses it. What can never be
 * held is refused before it is begun, while nothing is lost.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_LIMIT_H
#define GPUMM_MEMORY_LIMIT_H

#include "gpumm.h"

/* Below this many bytes gpumm_check_memory asks nobody: that takes 0.3 us, and 2.3 us where operands
 * have just filled the caches. */
#define GPUMM_LARGE_BYTES (16 << 20)

/* GPUMM_HOST_MEMORY where so many bytes are more than all memory and swap of the machine or than a
 * limit of the process's control groups allows; what (printf's rules) begins the error's text. The
 * environment variable GPUMM_MAX_HOST_MEMORY overrides both: bytes, with K, M, G or T for powers of
 * 1024; 0 or "none" for no limit. GPUMM_INVALID where it is none of these. */
gpumm_status gpumm_check_memory (double bytes, const char *what, ...)
    __attribute__ ((format (printf, 2, 3)));

/* The same for a result with all its arrays: one rule for all formats. A sparse one, plain or by
 * blocks, has room for nzmax elements or blocks, which is 0 as long as they are not counted. */
gpumm_status gpumm_check_room (const gpumm_operand *result);

/* The least limit of the memory's control groups, version 1 or 2, from the process's own up to the
 * root, with the swap that it allows; infinite where there is none. The files are /proc/self/cgroup
 * and /proc/self/mountinfo; swap is the machine's, in bytes. For limit.c and its test. */
double gpumm_group_limit (const char *cgroup, const char *mountinfo, double swap);

#endif
