/* pool.c - memory that outlives a call.
 *
 * One list holds the blocks of all devices and kinds: there are only tens of blocks, and a search
 * is cheap. A request takes the smallest unused block that is large enough. The block may be at
 * most twice the size, so that small requests do not occupy large blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"
#include "error.h"
#include "host.h"

#include <pthread.h>

typedef struct block {
  struct block *next;
  const gpumm_driver *driver;
  int device;
  gpumm_pool_kind kind;
  size_t bytes;
  int used;
  void *p;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;

/* Sizes are rounded up, so that slightly different products share blocks. */
size_t gpumm_pool_rounded (size_t bytes) {
  size_t step = bytes < ((size_t) 1 << 20) ? (size_t) 1 << 12 : (size_t) 1 << 21;
  return bytes ? (bytes + step - 1) / step * step : step;
}

static int belongs (const block *b, const gpumm_driver *driver, int device, gpumm_pool_kind kind) {
  return b->driver == driver && b->device == device && b->kind == kind;
}

static void give_back (block *b) {
  /* a driver that is shutting down may refuse; its memory is gone anyway */
  if (b->kind == GPUMM_POOL_DEVICE)
    b->driver->release (b->device, b->p);
  else
    b->driver->unpin (b->device, b->p);
  gpumm_release (b);
}

/* Removes unused blocks, oldest first (the list's end), while more than keep bytes are unused.
 * driver NULL: all devices. Call with the lock held. */
static void trim (const gpumm_driver *driver, int device, gpumm_pool_kind kind, size_t keep) {
  size_t unused = 0;
  for (block **link = &blocks; *link;) {
    block *b = *link;
    if (!b->used && (!driver || belongs (b, driver, device, kind))) {
      unused += b->bytes;
      if (unused > keep) {
        unused -= b->bytes;
        *link = b->next;
        give_back (b);
        continue;
      }
    }
    link = &b->next;
  }
}

gpumm_status gpumm_pool_take (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                              size_t bytes, void **p) {
  gpumm_status status = GPUMM_OK;
  *p = NULL;
  bytes = gpumm_pool_rounded (bytes);
  pthread_mutex_lock (&lock);
  block *best = NULL;
  for (block *b = blocks; b; b = b->next)
    if (!b->used && belongs (b, driver, device, kind) && b->bytes >= bytes && b->bytes / 2 <= bytes
        && (!best || b->bytes < best->bytes))
      best = b;
  if (!best) {
    best = gpumm_allocate (1, sizeof *best);
    if (!best) {
      status = GPUMM_HOST_MEMORY;
      goto done;
    }
    gpumm_status (*take) (int, size_t, void **) =
        kind == GPUMM_POOL_DEVICE ? driver->allocate : driver->pin;
    status = take (device, bytes, &best->p);
    if (status) {
      trim (driver, device, kind, 0);
      status = take (device, bytes, &best->p);
    }
    if (status) {
      gpumm_release (best);
      status = gpumm_fail (
          status == GPUMM_DEVICE_MEMORY && kind == GPUMM_POOL_PINNED ? GPUMM_HOST_MEMORY : status,
          "%s: cannot allocate %zu bytes of %s memory: %s", driver->name, bytes,
          kind == GPUMM_POOL_DEVICE ? "device" : "page-locked host", driver->error_text ());
      goto done;
    }
    *best = (block){.next = blocks,
                    .driver = driver,
                    .device = device,
                    .kind = kind,
                    .bytes = bytes,
                    .p = best->p};
    blocks = best;
  }
  best->used = 1;
  *p = best->p;
done:
  pthread_mutex_unlock (&lock);
  return status;
}

void gpumm_pool_give (const gpumm_driver *driver, int device, gpumm_pool_kind kind, void *p) {
  if (!p)
    return;
  pthread_mutex_lock (&lock);
  for (block *b = blocks; b; b = b->next)
    if (b->used && b->p == p && belongs (b, driver, device, kind))
      b->used = 0;
  pthread_mutex_unlock (&lock);
}

void gpumm_pool_trim (const gpumm_driver *driver, int device, gpumm_pool_kind kind, size_t keep) {
  pthread_mutex_lock (&lock);
  trim (driver, device, kind, keep);
  pthread_mutex_unlock (&lock);
}

size_t gpumm_pool_bytes (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                         size_t *unused) {
  size_t all = 0, idle = 0;
  pthread_mutex_lock (&lock);
  for (const block *b = blocks; b; b = b->next)
    if (belongs (b, driver, device, kind)) {
      all += b->bytes;
      if (!b->used)
        idle += b->bytes;
    }
  pthread_mutex_unlock (&lock);
  if (unused)
    *unused = idle;
  return all;
}

void gpumm_pools_reset (void) {
  pthread_mutex_lock (&lock);
  trim (NULL, 0, GPUMM_POOL_DEVICE, 0);
  pthread_mutex_unlock (&lock);
}

void gpumm_pools_forget (void) {
  while (blocks) {
    block *b = blocks;
    blocks = b->next;
    gpumm_release (b);
  }
}

/* The part of free device memory that is used without a given limit. */
static const double USABLE_MEMORY = 0.9;

double gpumm_room (int64_t memory_free, int64_t limit) {
  const double room = USABLE_MEMORY * (double) memory_free;
  return limit > 0 && (double) limit < room ? (double) limit : room;
}
