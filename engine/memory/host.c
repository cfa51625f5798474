/* host.c - host memory of the engine.
 *
 * Apart from error texts and names of libraries, all memory of the engine in C comes from here, so
 * that tests can make each allocation fail and count what is not released. How much may be taken at
 * once is in limit.c. Page-locked memory is in pool.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"
#include "base/error.h"
#include "gpumm_tools.h"
#include "limit.h"

#include <stdatomic.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static atomic_llong live, calls, fail_at;

enum { LARGE_BLOCK = 32 << 20 }; /* bytes: from there on malloc always maps fresh memory */

int64_t gpumm_fault_memory (int64_t n) {
  int64_t counted = atomic_exchange (&calls, 0);
  atomic_store (&fail_at, n);
  return counted;
}

int64_t gpumm_live_allocations (void) {
  return atomic_load (&live);
}

/* Pages of 2 MB instead of 4 KB halve the time of the first touch, where the kernel lets programs
 * choose (mex/allocate.cc, for the results in Octave). Only advice, so failures do not matter. */
static void advise_huge_pages (void *p, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t huge = (uintptr_t) 2 << 20;
  const uintptr_t begin = ((uintptr_t) p + huge - 1) & ~(huge - 1);
  const uintptr_t end = ((uintptr_t) p + bytes) & ~(huge - 1);
  if (begin < end)
    (void) madvise ((void *) begin, end - begin, MADV_HUGEPAGE);
#else
  (void) p;
  (void) bytes;
#endif
}

void *gpumm_allocate (int64_t count, size_t size) {
  size_t bytes;
  if (count < 0 || __builtin_mul_overflow ((size_t) count, size, &bytes)
      || bytes > SIZE_MAX / 2 - 64) {
    gpumm_fail (GPUMM_HOST_MEMORY, "out of host memory: %lld elements of %zu bytes",
                (long long) count, size);
    return NULL;
  }
  if (gpumm_check_memory ((double) bytes, "working memory"))
    return NULL;
  /* large blocks come from mmap, already zero: calloc leaves their pages untouched */
  const long long call = atomic_fetch_add (&calls, 1) + 1;
  char *raw = call == atomic_load (&fail_at) ? NULL : calloc (1, bytes + 64 + sizeof (void *));
  if (!raw) {
    gpumm_fail_memory (bytes);
    return NULL;
  }
  if (bytes >= LARGE_BLOCK)
    advise_huge_pages (raw, bytes);
  void **p = (void **) (((uintptr_t) raw + sizeof (void *) + 63) & ~(uintptr_t) 63);
  p[-1] = raw;
  atomic_fetch_add (&live, 1);
  return p;
}

void *gpumm_allocate_result (int64_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow ((size_t) count, size, &bytes))
    bytes = SIZE_MAX / 2;
  const long long call = atomic_fetch_add (&calls, 1) + 1;
  void *p = call == atomic_load (&fail_at) ? NULL : malloc (bytes + 1);
  if (!p)
    gpumm_fail_memory (bytes);
  else if (bytes >= LARGE_BLOCK)
    advise_huge_pages (p, bytes);
  return p;
}

void gpumm_release (void *p) {
  if (!p)
    return;
  atomic_fetch_sub (&live, 1);
  free (((void **) p)[-1]);
}

void *gpumm_own (gpumm_owner *owner, int64_t count, size_t size) {
  if (owner->count == GPUMM_MOST_OWNED) {
    gpumm_fail (GPUMM_INTERNAL, "more than %d blocks of memory for one algorithm",
                GPUMM_MOST_OWNED);
    return NULL;
  }
  void *p = gpumm_allocate (count, size);
  if (p)
    owner->owned[owner->count++] = p;
  return p;
}

void gpumm_release_owned (gpumm_owner *owner) {
  while (owner->count > 0)
    gpumm_release (owner->owned[--owner->count]);
}
