/* copy.h - copies of large blocks between host buffers.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_COPY_H
#define GPUMM_MEMORY_COPY_H

#include <stddef.h>
#include <stdint.h>

/* height columns of width bytes each, so many bytes apart. With past_caches large ones are written
 * so that the caches keep what they hold: for memory that is read long after. */
void gpumm_copy_columns (void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, int64_t height, int past_caches);

/* Lets the system provide the pages of fresh memory now, in this thread, without changing what is
 * in them; whole pages within begin .. begin + bytes only. Advice: nothing depends on it. */
void gpumm_touch (void *begin, size_t bytes);

#endif
