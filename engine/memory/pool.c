/* pool.c - memory, streams and events that outlive a call.
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- blocks ------------------------------------------------------------------------------- */

typedef struct block {
  struct block *next;
  const gpumm_driver *driver;
  int device;
  gpumm_pool_kind kind;
  size_t bytes;
  int used;
  void *p;
} block;

static block *blocks;

/* Sizes are rounded up, so that slightly different products share blocks. */
size_t gpumm_pool_rounded (size_t bytes) {
  size_t step = bytes < ((size_t) 1 << 20) ? (size_t) 1 << 12 : (size_t) 1 << 21;
  return bytes ? (bytes + step - 1) / step * step : step;
}

static int belongs (const block *b, const gpumm_driver *driver, int device, gpumm_pool_kind kind) {
  return b->driver == driver && b->device == device && b->kind == kind;
}

static block *take_kept (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                         size_t bytes) {
  block *best = NULL;
  pthread_mutex_lock (&lock);
  for (block *b = blocks; b; b = b->next)
    if (!b->used && belongs (b, driver, device, kind) && b->bytes >= bytes && b->bytes / 2 <= bytes
        && (!best || b->bytes < best->bytes))
      best = b;
  if (best)
    best->used = 1;
  pthread_mutex_unlock (&lock);
  return best;
}

gpumm_status gpumm_pool_take (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                              size_t bytes, void **p) {
  const int pinned = kind == GPUMM_POOL_PINNED;
  *p = NULL;
  bytes = gpumm_pool_rounded (bytes);
  block *b = take_kept (driver, device, kind, bytes);
  if (!b) {
    gpumm_status (*take) (int, size_t, void **) = pinned ? driver->pin : driver->allocate;
    if (!(b = gpumm_allocate (1, sizeof *b)))
      return GPUMM_HOST_MEMORY;
    *b = (block){.driver = driver, .device = device, .kind = kind, .bytes = bytes, .used = 1};
    gpumm_status status = take (device, bytes, &b->p);
    if (status) {
      gpumm_pool_trim (driver, device, kind, 0);
      status = take (device, bytes, &b->p);
    }
    if (status) {
      gpumm_release (b);
      return gpumm_fail (status == GPUMM_DEVICE_MEMORY && pinned ? GPUMM_HOST_MEMORY : status,
                         "%s: cannot allocate %zu bytes of %s memory: %s", driver->name, bytes,
                         pinned ? "page-locked host" : "device", driver->error_text ());
    }
    pthread_mutex_lock (&lock);
    b->next = blocks;
    blocks = b;
    pthread_mutex_unlock (&lock);
  }
  *p = b->p;
  return GPUMM_OK;
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

/* The oldest blocks (the list's end) are released first. driver NULL: blocks of all devices. A
 * driver that is shutting down may refuse; its memory is gone anyway. */
void gpumm_pool_trim (const gpumm_driver *driver, int device, gpumm_pool_kind kind, size_t keep) {
  size_t unused = 0;
  pthread_mutex_lock (&lock);
  for (block **link = &blocks; *link;) {
    block *b = *link;
    const int counts = !b->used && (!driver || belongs (b, driver, device, kind));
    if (!counts || b->bytes <= keep - unused) {
      unused += counts ? b->bytes : 0;
      link = &b->next;
      continue;
    }
    *link = b->next;
    (b->kind == GPUMM_POOL_DEVICE ? b->driver->release : b->driver->unpin) (b->device, b->p);
    gpumm_release (b);
  }
  pthread_mutex_unlock (&lock);
}

size_t gpumm_pool_bytes (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                         size_t *unused) {
  size_t all = 0, idle = 0;
  pthread_mutex_lock (&lock);
  for (const block *b = blocks; b; b = b->next)
    if (belongs (b, driver, device, kind)) {
      all += b->bytes;
      idle += b->used ? 0 : b->bytes;
    }
  pthread_mutex_unlock (&lock);
  if (unused)
    *unused = idle;
  return all;
}

/* The part of free device memory that is used without a given limit. */
static const double USABLE_MEMORY = 0.9;

double gpumm_room (int64_t memory_free, int64_t limit) {
  const double room = USABLE_MEMORY * (double) memory_free;
  return limit > 0 && (double) limit < room ? (double) limit : room;
}

/* ---- streams and events ------------------------------------------------------------------- */

enum kind { STREAM, EVENT };

/* The most handles kept; more are destroyed. A call takes a few streams and events, and each thread
 * of a transfer two events. */
enum { MOST_KEPT = 512 };

typedef struct {
  const gpumm_driver *driver;
  int device;
  enum kind kind;
  void *p;
} handle;

static handle kept[MOST_KEPT];
static int kept_count;

static gpumm_status take (enum kind kind, const gpumm_driver *driver, int device, void **p) {
  *p = NULL;
  pthread_mutex_lock (&lock);
  for (int i = kept_count - 1; i >= 0 && !*p; i--)
    if (kept[i].kind == kind && kept[i].driver == driver && kept[i].device == device) {
      *p = kept[i].p;
      kept[i] = kept[--kept_count];
    }
  pthread_mutex_unlock (&lock);
  if (*p)
    return GPUMM_OK;
  const gpumm_status status = kind == STREAM ? driver->stream_create (device, (gpumm_stream **) p)
                                             : driver->event_create (device, (gpumm_event **) p);
  return status ? gpumm_fail (status, "device %d: cannot make a new %s: %s", device,
                              kind == STREAM ? "stream" : "event", driver->error_text ())
                : GPUMM_OK;
}

/* A driver that is shutting down may refuse; its handles are gone anyway. */
static void destroy (handle h) {
  if (h.kind == STREAM)
    h.driver->stream_destroy (h.device, h.p);
  else
    h.driver->event_destroy (h.device, h.p);
}

static void give (handle h) {
  if (!h.p)
    return;
  pthread_mutex_lock (&lock);
  const int room = kept_count < MOST_KEPT;
  if (room)
    kept[kept_count++] = h;
  pthread_mutex_unlock (&lock);
  if (!room)
    destroy (h);
}

gpumm_status gpumm_stream_take (const gpumm_driver *driver, int device, gpumm_stream **stream) {
  return take (STREAM, driver, device, (void **) stream);
}

gpumm_status gpumm_event_take (const gpumm_driver *driver, int device, gpumm_event **event) {
  return take (EVENT, driver, device, (void **) event);
}

void gpumm_stream_give (const gpumm_driver *driver, int device, gpumm_stream *stream) {
  give ((handle){driver, device, STREAM, stream});
}

void gpumm_event_give (const gpumm_driver *driver, int device, gpumm_event *event) {
  give ((handle){driver, device, EVENT, event});
}

/* ---- both --------------------------------------------------------------------------------- */

void gpumm_pools_reset (void) {
  pthread_mutex_lock (&lock);
  while (kept_count > 0)
    destroy (kept[--kept_count]);
  pthread_mutex_unlock (&lock);
  gpumm_pool_trim (NULL, 0, GPUMM_POOL_DEVICE, 0);
}

void gpumm_pools_forget (void) {
  kept_count = 0;
  while (blocks) {
    block *b = blocks;
    blocks = b->next;
    gpumm_release (b);
  }
}
