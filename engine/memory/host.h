/* host.h - host memory of the engine: malloc that counts and, in tests, fails on request.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_HOST_H
#define GPUMM_MEMORY_HOST_H

#include "gpumm.h"

/* count elements of size bytes, zeroed, 64-byte aligned; NULL with the error's text set when
 * refused or when count * size overflows. count = 0 gives memory that may be released. */
void *gpumm_allocate (int64_t count, size_t size);

void gpumm_release (void *p); /* NULL is allowed */

/* Blocks of memory that are released together: what an algorithm keeps from open to close. */
enum { GPUMM_MOST_OWNED = 16 };

typedef struct gpumm_owner {
  void *owned[GPUMM_MOST_OWNED];
  int count;
} gpumm_owner;

void *gpumm_own (gpumm_owner *owner, int64_t count, size_t size); /* as gpumm_allocate */
void gpumm_release_owned (gpumm_owner *owner);

#endif
