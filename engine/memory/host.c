/* host.c - host memory of the engine.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"
#include "error.h"
#include "limit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong live, calls, fail_at;

int64_t gpumm_fault_memory (int64_t n) {
  int64_t counted = atomic_exchange (&calls, 0);
  atomic_store (&fail_at, n);
  return counted;
}

int64_t gpumm_live_allocations (void) {
  return atomic_load (&live);
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
  void **p = (void **) (((uintptr_t) raw + sizeof (void *) + 63) & ~(uintptr_t) 63);
  p[-1] = raw;
  atomic_fetch_add (&live, 1);
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
