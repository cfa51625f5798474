/* pool.c - memory, streams and events that outlive a call.
 *
 * One list holds a device's blocks of both kinds: there are only tens of blocks, and a search is
 * cheap. A request takes the smallest unused block that is large enough. The block may be at
 * most twice the size, so that small requests do not occupy large blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"
#include "base/error.h"
#include "host.h"
#include "queue.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- blocks ------------------------------------------------------------------------------- */

typedef struct gpumm_block {
  struct gpumm_block *next;
  gpumm_pool_kind kind;
  size_t bytes;
  int used;
  void *p;
} block;

/* Sizes are rounded up, so that slightly different products share blocks. */
size_t gpumm_pool_rounded (size_t bytes) {
  if (!GPUMM_POOL_KEEPS)
    return bytes ? bytes : 1;
  size_t step = bytes < ((size_t) 1 << 20) ? (size_t) 1 << 12 : (size_t) 1 << 21;
  const size_t up = bytes ? (bytes - 1) / step * step : 0;
  return up <= SIZE_MAX - step ? up + step : bytes;
}

static block *take_kept (gpumm_context *context, gpumm_pool_kind kind, size_t bytes) {
  block *best = NULL;
  pthread_mutex_lock (&lock);
  for (block *b = context->blocks; b; b = b->next)
    if (!b->used && b->kind == kind && b->bytes >= bytes && b->bytes / 2 <= bytes
        && (!best || b->bytes < best->bytes))
      best = b;
  if (best)
    best->used = 1;
  pthread_mutex_unlock (&lock);
  return best;
}

gpumm_status gpumm_pool_take (gpumm_context *context, gpumm_pool_kind kind, size_t bytes,
                              void **p) {
  *p = NULL;
  const gpumm_status status = kind == GPUMM_POOL_DEVICE ? gpumm_queue_wait (context) : GPUMM_OK;
  return status ? status : gpumm_pool_take_in_order (context, kind, bytes, p);
}

gpumm_status gpumm_pool_take_in_order (gpumm_context *context, gpumm_pool_kind kind, size_t bytes,
                                       void **p) {
  const gpumm_driver *driver = context->driver;
  const int pinned = kind == GPUMM_POOL_PINNED;
  *p = NULL;
  bytes = gpumm_pool_rounded (bytes);
  block *b = take_kept (context, kind, bytes);
  if (!b) {
    gpumm_status (*take) (int, size_t, void **) = pinned ? driver->pin : driver->allocate;
    if (!(b = gpumm_allocate (1, sizeof *b)))
      return GPUMM_HOST_MEMORY;
    *b = (block){.kind = kind, .bytes = bytes, .used = 1};
    gpumm_status status = take (context->device, bytes, &b->p);
    if (status) {
      gpumm_pool_trim (context, kind, 0);
      status = take (context->device, bytes, &b->p);
    }
    if (status) {
      gpumm_release (b);
      return gpumm_fail (status == GPUMM_DEVICE_MEMORY && pinned ? GPUMM_HOST_MEMORY : status,
                         "%s: cannot allocate %zu bytes of %s memory: %s", driver->name, bytes,
                         pinned ? "page-locked host" : "device", driver->error_text ());
    }
    pthread_mutex_lock (&lock);
    b->next = context->blocks;
    context->blocks = b;
    pthread_mutex_unlock (&lock);
  }
  *p = b->p;
  return GPUMM_OK;
}

static void release (gpumm_context *context, block **link) {
  const gpumm_driver *driver = context->driver;
  block *b = *link;
  *link = b->next;
  (b->kind == GPUMM_POOL_DEVICE ? driver->release : driver->unpin) (context->device, b->p);
  gpumm_release (b);
}

void gpumm_pool_give (gpumm_context *context, gpumm_pool_kind kind, void *p) {
  if (!p)
    return;
  pthread_mutex_lock (&lock);
  block **link = &context->blocks;
  while (*link && !((*link)->used && (*link)->p == p && (*link)->kind == kind))
    link = &(*link)->next;
  if (*link && GPUMM_POOL_KEEPS)
    (*link)->used = 0;
  else if (*link)
    release (context, link);
  pthread_mutex_unlock (&lock);
}

/* The oldest blocks (the list's end) are released first. A driver that is shutting down may refuse;
 * its memory is gone anyway. */
void gpumm_pool_trim (gpumm_context *context, gpumm_pool_kind kind, size_t keep) {
  size_t unused = 0;
  gpumm_queue_drain (context);
  pthread_mutex_lock (&lock);
  for (block **link = &context->blocks; *link;) {
    block *b = *link;
    const int counts = !b->used && b->kind == kind;
    if (!counts || b->bytes <= keep - unused) {
      unused += counts ? b->bytes : 0;
      link = &b->next;
      continue;
    }
    release (context, link);
  }
  pthread_mutex_unlock (&lock);
}

size_t gpumm_pool_bytes (gpumm_context *context, gpumm_pool_kind kind, size_t *unused) {
  size_t all = 0, idle = 0;
  pthread_mutex_lock (&lock);
  for (const block *b = context->blocks; b; b = b->next)
    if (b->kind == kind) {
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

/* A call takes a few streams and events, and each thread of a transfer two events. The kept one, or
 * NULL. */
static void *take_last (void **kept, int *count) {
  pthread_mutex_lock (&lock);
  void *p = *count > 0 ? kept[--*count] : NULL;
  pthread_mutex_unlock (&lock);
  return p;
}

/* Returns 0 if there is no room. */
static int keep (void **kept, int *count, int most, void *p) {
  pthread_mutex_lock (&lock);
  const int room = *count < most;
  if (room)
    kept[(*count)++] = p;
  pthread_mutex_unlock (&lock);
  return room;
}

static gpumm_status made (const gpumm_context *context, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "device %d: cannot make a new %s: %s", context->device, what,
                              context->driver->error_text ())
                : GPUMM_OK;
}

gpumm_status gpumm_stream_take (gpumm_context *context, gpumm_stream **stream) {
  *stream = take_last (context->streams, &context->stream_count);
  if (*stream)
    return GPUMM_OK;
  return made (context, context->driver->stream_create (context->device, stream), "stream");
}

gpumm_status gpumm_event_take (gpumm_context *context, gpumm_event_kind kind, gpumm_event **event) {
  *event = take_last (context->events[kind], &context->event_count[kind]);
  if (*event)
    return GPUMM_OK;
  return made (context, context->driver->event_create (context->device, kind, event), "event");
}

/* A driver that is shutting down may refuse to destroy them; they are gone anyway. */
void gpumm_stream_give (gpumm_context *context, gpumm_stream *stream) {
  if (stream && !keep (context->streams, &context->stream_count, GPUMM_MOST_STREAMS, stream))
    context->driver->stream_destroy (context->device, stream);
}

void gpumm_event_give (gpumm_context *context, gpumm_event_kind kind, gpumm_event *event) {
  if (event && !keep (context->events[kind], &context->event_count[kind], GPUMM_MOST_EVENTS, event))
    context->driver->event_destroy (context->device, event);
}

/* ---- both --------------------------------------------------------------------------------- */

void gpumm_pool_reset (gpumm_context *context) {
  const gpumm_driver *driver = context->driver;
  gpumm_queue_reset (context);
  for (void *p; (p = take_last (context->streams, &context->stream_count));)
    driver->stream_destroy (context->device, p);
  for (int k = 0; k < GPUMM_EVENT_KINDS; k++)
    for (void *p; (p = take_last (context->events[k], &context->event_count[k]));)
      driver->event_destroy (context->device, p);
  gpumm_pool_trim (context, GPUMM_POOL_DEVICE, 0);
  gpumm_pool_trim (context, GPUMM_POOL_PINNED, 0);
}

void gpumm_pool_forget (gpumm_context *context) {
  context->stream_count = 0;
  memset (context->event_count, 0, sizeof context->event_count);
  gpumm_queue_forget (context);
  while (context->blocks) {
    block *b = context->blocks;
    context->blocks = b->next;
    gpumm_release (b);
  }
}
