/* host.h - host memory of the engine: malloc that counts allocations and, in tests, fails on
 * request.
 *
 * It does not know what the memory is for. Page-locked memory, which devices copy faster, is in
 * pool.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_HOST_H
#define GPUMM_MEMORY_HOST_H

#include "gpumm.h"

/* Allocates count elements of size bytes, zeroed and 64-byte aligned. NULL, with the error text
 * set, if memory is refused or count * size overflows. count = 0 gives memory that may be
 * released. */
void *gpumm_allocate (int64_t count, size_t size);

/* As malloc, for what the engine's caller releases with free; NULL with the error text set. */
void *gpumm_allocate_result (int64_t count, size_t size);

void gpumm_release (void *p); /* NULL is allowed */

/* Blocks of memory that are released together; an algorithm keeps them from open to close. */
enum { GPUMM_MOST_OWNED = 16 };

typedef struct gpumm_owner {
  void *owned[GPUMM_MOST_OWNED];
  int count;
} gpumm_owner;

void *gpumm_own (gpumm_owner *owner, int64_t count, size_t size); /* as gpumm_allocate */
void gpumm_release_owned (gpumm_owner *owner);

#endif
