/* host.h - host memory of the engine: malloc that counts and, in tests, fails on request.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_HOST_H
#define GPUMM_MEMORY_HOST_H

#include "../gpumm.h"

/* count elements of size bytes, zeroed, 64-byte aligned; NULL with the error's text set when
 * refused or when count * size overflows. count = 0 gives memory that may be released. */
void *gpumm_allocate (int64_t count, size_t size);

void gpumm_release (void *p); /* NULL is allowed */

#endif
