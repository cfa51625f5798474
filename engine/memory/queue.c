/* queue.c - the array stream of a device: its work runs in order, and all others wait for it.
 *
 * It launches nothing: the callers do, between begin and end, one of them at a time. The lock of
 * the numbers is not held while the device is waited for. A failure is kept until it is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "queue.h"
#include "base/error.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER; /* taken before lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t waits; /* for gpumm_waits */

gpumm_status gpumm_queue_begin (gpumm_context *context, gpumm_stream **stream) {
  gpumm_status status = GPUMM_OK;
  pthread_mutex_lock (&launching);
  if (!context->arrays.stream)
    status = context->driver->stream_create (context->device, &context->arrays.stream);
  *stream = context->arrays.stream;
  if (!status)
    return GPUMM_OK;
  pthread_mutex_unlock (&launching);
  return gpumm_fail (status, "device %d: cannot make a new stream: %s", context->device,
                     context->driver->error_text ());
}

void gpumm_queue_end (gpumm_context *context, const char *name) {
  pthread_mutex_lock (&lock);
  if (context->arrays.queued++ == context->arrays.waited)
    context->arrays.first = name;
  context->arrays.last = name;
  pthread_mutex_unlock (&lock);
  pthread_mutex_unlock (&launching);
}

/* The runtime does not say which operation failed. */
static void keep_failure (gpumm_context *context, gpumm_status status, int64_t count,
                          const char *first, const char *last) {
  char which[160];
  if (count == 1)
    snprintf (which, sizeof which, "%s failed", first);
  else
    snprintf (which, sizeof which, "one of %lld operations on arrays failed, from %s to %s",
              (long long) count, first, last);
  context->arrays.failed = status;
  snprintf (context->arrays.error, sizeof context->arrays.error, "device %d: %s: %s",
            context->device, which, context->driver->error_text ());
}

void gpumm_queue_drain (gpumm_context *context) {
  pthread_mutex_lock (&lock);
  gpumm_stream *stream = context->arrays.stream;
  const int64_t queued = context->arrays.queued, count = queued - context->arrays.waited;
  const char *first = context->arrays.first, *last = context->arrays.last;
  pthread_mutex_unlock (&lock);
  if (count <= 0)
    return;
  /* not under the lock: others may queue meanwhile */
  const gpumm_status status = context->driver->stream_synchronize (context->device, stream);
  pthread_mutex_lock (&lock);
  waits++;
  if (context->arrays.waited < queued) {
    context->arrays.waited = queued;
    context->arrays.first = context->arrays.last; /* of those queued meanwhile, if there are any */
  }
  if (status)
    keep_failure (context, status, count, first, last);
  pthread_mutex_unlock (&lock);
}

int64_t gpumm_waits (void) {
  pthread_mutex_lock (&lock);
  const int64_t count = waits;
  pthread_mutex_unlock (&lock);
  return count;
}

gpumm_status gpumm_queue_failure (gpumm_context *context) {
  char error[sizeof context->arrays.error];
  pthread_mutex_lock (&lock);
  const gpumm_status status = context->arrays.failed;
  memcpy (error, context->arrays.error, sizeof error);
  context->arrays.failed = GPUMM_OK;
  pthread_mutex_unlock (&lock);
  return status ? gpumm_fail (status, "%s", error) : GPUMM_OK;
}

gpumm_status gpumm_queue_wait (gpumm_context *context) {
  gpumm_queue_drain (context);
  return gpumm_queue_failure (context);
}

void gpumm_queue_reset (gpumm_context *context) {
  pthread_mutex_lock (&launching);
  gpumm_queue_drain (context);
  if (context->arrays.stream)
    context->driver->stream_destroy (context->device, context->arrays.stream);
  gpumm_queue_forget (context);
  pthread_mutex_unlock (&launching);
}

void gpumm_queue_forget (gpumm_context *context) {
  pthread_mutex_lock (&lock);
  memset (&context->arrays, 0, sizeof context->arrays);
  pthread_mutex_unlock (&lock);
}
