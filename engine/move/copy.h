/* copy.h - copies of large blocks between host buffers.
 *
 * One thread copies, and does not look for a cancellation: callers cut what is large into chunks.
 * The two buffers do not overlap.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_COPY_H
#define GPUMM_MEMORY_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies height columns of width bytes with these pitches. past_caches, for copies that are
 * read much later: large copies bypass the caches. */
void gpumm_copy_columns (void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, int64_t height, int past_caches);

/* Copies indices of 32 bits as indices of 64 bits, past the caches. */
void gpumm_widen_indices (int64_t *to, const int32_t *from, int64_t count);

#endif
