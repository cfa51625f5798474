/* copy.c - copies of large blocks between host buffers.
 *
 * It knows bytes and indices, no matrices, threads or devices. Stores past the caches are fenced
 * before it returns, so the caller may tell another thread at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "copy.h"

#include <string.h>

/* Shorter runs gain nothing from stores past the caches. */
enum { SHORTEST_STREAM = 2048 };

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_STREAMS
#include <immintrin.h>

/* Stores that bypass the caches: they do not read the line first and evict nothing, so memory moves
 * a third less. */
__attribute__ ((target ("avx2"))) static void stream_avx2 (char *to, const char *from,
                                                           size_t bytes) {
  size_t head = (size_t) (-(uintptr_t) to & 31);
  memcpy (to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= 128; bytes -= 128, to += 128, from += 128) {
    __m256i a = _mm256_loadu_si256 ((const __m256i *) from);
    __m256i b = _mm256_loadu_si256 ((const __m256i *) (from + 32));
    __m256i c = _mm256_loadu_si256 ((const __m256i *) (from + 64));
    __m256i d = _mm256_loadu_si256 ((const __m256i *) (from + 96));
    _mm256_stream_si256 ((__m256i *) to, a);
    _mm256_stream_si256 ((__m256i *) (to + 32), b);
    _mm256_stream_si256 ((__m256i *) (to + 64), c);
    _mm256_stream_si256 ((__m256i *) (to + 96), d);
  }
  memcpy (to, from, bytes);
}

/* The same for indices that become longer. Returns how many it wrote: up to 15 are left at the
 * end. */
__attribute__ ((target ("avx2"))) static int64_t widen_avx2 (int64_t *to, const int32_t *from,
                                                             int64_t count) {
  enum { AT_ONCE = 16, LANES = 4 };
  int64_t i = 0;
  for (; i < count && ((uintptr_t) (to + i) & 31); i++)
    to[i] = from[i];
  for (; count - i >= AT_ONCE; i += AT_ONCE)
    for (int64_t j = i; j < i + AT_ONCE; j += LANES) {
      const __m128i narrow = _mm_loadu_si128 ((const __m128i *) (from + j));
      _mm256_stream_si256 ((__m256i *) (to + j), _mm256_cvtepi32_epi64 (narrow));
    }
  return i;
}
#endif

static void stream (char *to, const char *from, size_t bytes) {
#ifdef HAS_STREAMS
  if (bytes >= SHORTEST_STREAM && __builtin_cpu_supports ("avx2")) {
    stream_avx2 (to, from, bytes);
    return;
  }
#endif
  memcpy (to, from, bytes);
}

/* Streaming stores need a fence before another thread is told that they are done. */
static void fence (void) {
#ifdef HAS_STREAMS
  _mm_sfence ();
#endif
}

void gpumm_copy_columns (void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, int64_t height, int past_caches) {
  if (width == to_pitch && width == from_pitch) { /* one long column */
    width *= (size_t) height;
    height = 1;
  }
  for (int64_t j = 0; j < height; j++) {
    char *there = (char *) to + (size_t) j * to_pitch;
    const char *here = (const char *) from + (size_t) j * from_pitch;
    if (past_caches)
      stream (there, here, width);
    else
      memcpy (there, here, width);
  }
  if (past_caches)
    fence ();
}

void gpumm_widen_indices (int64_t *to, const int32_t *from, int64_t count) {
  int64_t i = 0;
#ifdef HAS_STREAMS
  if (__builtin_cpu_supports ("avx2"))
    i = widen_avx2 (to, from, count);
#endif
  for (; i < count; i++)
    to[i] = from[i];
  fence ();
}
