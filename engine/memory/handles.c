/* handles.c - streams and events that outlive a call.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "handles.h"
#include "error.h"

#include <pthread.h>

enum kind { STREAM, EVENT, KINDS };

/* The most handles kept; more are destroyed. A call takes one stream and a few events, and each
 * thread of a transfer two events. */
enum { MOST_KEPT = 256 };

typedef struct {
  const gpumm_driver *driver;
  int device;
  void *handle;
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept table[KINDS][MOST_KEPT];
static int count[KINDS];

static gpumm_status create (enum kind kind, const gpumm_driver *driver, int device, void **handle) {
  if (kind == STREAM)
    return driver->stream_create (device, (gpumm_stream **) handle);
  return driver->event_create (device, (gpumm_event **) handle);
}

static void destroy (enum kind kind, const kept *k) {
  /* a driver that is shutting down may refuse; its handles are gone anyway */
  if (kind == STREAM)
    k->driver->stream_destroy (k->device, k->handle);
  else
    k->driver->event_destroy (k->device, k->handle);
}

static void *take_kept (enum kind kind, const gpumm_driver *driver, int device) {
  void *handle = NULL;
  pthread_mutex_lock (&lock);
  for (int i = count[kind] - 1; i >= 0 && !handle; i--)
    if (table[kind][i].driver == driver && table[kind][i].device == device) {
      handle = table[kind][i].handle;
      table[kind][i] = table[kind][--count[kind]];
    }
  pthread_mutex_unlock (&lock);
  return handle;
}

static gpumm_status take (enum kind kind, const gpumm_driver *driver, int device, void **handle) {
  *handle = take_kept (kind, driver, device);
  if (*handle)
    return GPUMM_OK;
  gpumm_status status = create (kind, driver, device, handle);
  if (status)
    gpumm_fail (status, "device %d: cannot make a new %s: %s", device,
                kind == STREAM ? "stream" : "event", driver->error_text ());
  return status;
}

static void give (enum kind kind, const gpumm_driver *driver, int device, void *handle) {
  kept k = {.driver = driver, .device = device, .handle = handle};
  if (!handle)
    return;
  pthread_mutex_lock (&lock);
  int room = count[kind] < MOST_KEPT;
  if (room)
    table[kind][count[kind]++] = k;
  pthread_mutex_unlock (&lock);
  if (!room)
    destroy (kind, &k);
}

gpumm_status gpumm_stream_take (const gpumm_driver *driver, int device, gpumm_stream **stream) {
  void *handle;
  gpumm_status status = take (STREAM, driver, device, &handle);
  *stream = handle;
  return status;
}

gpumm_status gpumm_event_take (const gpumm_driver *driver, int device, gpumm_event **event) {
  void *handle;
  gpumm_status status = take (EVENT, driver, device, &handle);
  *event = handle;
  return status;
}

void gpumm_stream_give (const gpumm_driver *driver, int device, gpumm_stream *stream) {
  give (STREAM, driver, device, stream);
}

void gpumm_event_give (const gpumm_driver *driver, int device, gpumm_event *event) {
  give (EVENT, driver, device, event);
}

void gpumm_handles_reset (void) {
  pthread_mutex_lock (&lock);
  for (int kind = 0; kind < KINDS; kind++)
    while (count[kind] > 0)
      destroy ((enum kind) kind, &table[kind][--count[kind]]);
  pthread_mutex_unlock (&lock);
}

void gpumm_handles_forget (void) {
  for (int kind = 0; kind < KINDS; kind++)
    count[kind] = 0;
}
