/* driver.c - the host device: engine/device.h without a GPU, for tests and teaching.
 *
 * Each allocation is a malloc of its own, so that AddressSanitizer sees accesses past its end, and
 * is filled with NaN, so that reads of unwritten memory show. Work on a stream runs at once.
 * Streams, events and memory are checked for uses that CUDA would refuse or, worse, tolerate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "driver.h"
#include "fibers.h"
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One lock for the whole device, which does one thing at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static gpumm_status leave (gpumm_status status) {
  pthread_mutex_unlock (&lock);
  return status;
}

/* ---- fault injection ---------------------------------------------------------------------- */

static int64_t calls, fail_at;

static int64_t fault (int64_t n) {
  pthread_mutex_lock (&lock);
  int64_t counted = calls;
  calls = 0;
  fail_at = n;
  pthread_mutex_unlock (&lock);
  return counted;
}

/* Begins a call that can fail: takes the lock. leave () must release it, whatever this returns. */
static gpumm_status enter (const char *call, int device, gpumm_status on_fault) {
  pthread_mutex_lock (&lock);
  if (device != 0)
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "%s: the host device has index 0, not %d", call,
                              device);
  if (++calls == fail_at)
    return gpumm_driver_fail (on_fault, "%s: made to fail by a test", call);
  return GPUMM_OK;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum kind { ON_DEVICE, PINNED };

struct allocation {
  char *p;
  size_t bytes;
  enum kind kind;
};

static struct allocation *allocations;
static int allocation_count, allocation_room;
static int64_t memory_total = INT64_C (1) << 30, memory_used;

void gpumm_host_set_memory (int64_t bytes) {
  pthread_mutex_lock (&lock);
  memory_total = bytes;
  pthread_mutex_unlock (&lock);
}

/* The allocation of that kind that contains p .. p + bytes - 1, or NULL. */
static struct allocation *find (enum kind kind, const void *p, size_t bytes) {
  const char *first = p;
  for (int i = 0; i < allocation_count; i++) {
    struct allocation *a = &allocations[i];
    if (a->kind == kind && first >= a->p && first <= a->p + a->bytes
        && bytes <= (size_t) (a->p + a->bytes - first))
      return a;
  }
  return NULL;
}

const char *gpumm_host_allocation (const void *p) {
  const struct allocation *a = find (ON_DEVICE, p, 1);
  return a ? a->p : NULL;
}

/* NaN in every type; in pieces, because a GiB of fresh memory takes half a second. */
static gpumm_status fill_with_nan (char *p, size_t bytes) {
  const size_t piece = (size_t) 32 << 20;
  for (size_t i = 0; i < bytes; i += piece) {
#ifdef __SANITIZE_THREAD__ /* it would touch four bytes of its own for each byte */
    (void) p;
#else
    memset (p + i, 0xff, bytes - i < piece ? bytes - i : piece);
#endif
    if (gpumm_driver_is_cancelled ())
      return gpumm_driver_fail (GPUMM_CANCELLED, "cancelled");
  }
  return GPUMM_OK;
}

static gpumm_status allocate_kind (enum kind kind, size_t bytes, void **p) {
  *p = NULL;
  size_t left = memory_used < memory_total ? (size_t) (memory_total - memory_used) : 0;
  if (kind == ON_DEVICE && bytes > left)
    return gpumm_driver_fail (GPUMM_DEVICE_MEMORY,
                              "allocate: out of memory: %zu bytes wanted, %zu of %lld free", bytes,
                              left, (long long) memory_total);
  if (allocation_count == allocation_room) {
    int room = allocation_room ? 2 * allocation_room : 64;
    struct allocation *grown = realloc (allocations, (size_t) room * sizeof *grown);
    if (!grown)
      return gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory");
    allocations = grown;
    allocation_room = room;
  }
  if (posix_memalign (p, 256, bytes ? bytes : 1)) { /* aligned as CUDA does */
    *p = NULL;
    return gpumm_driver_fail (GPUMM_DEVICE_MEMORY, "%s: the host refused %zu bytes",
                              kind == PINNED ? "pin" : "allocate", bytes);
  }
  gpumm_status status = fill_with_nan (*p, bytes);
  if (status) {
    free (*p);
    *p = NULL;
    return status;
  }
  allocations[allocation_count++] = (struct allocation){*p, bytes, kind};
  if (kind == ON_DEVICE)
    memory_used += (int64_t) bytes;
  return GPUMM_OK;
}

static gpumm_status release_kind (enum kind kind, void *p) {
  if (!p)
    return GPUMM_OK;
  struct allocation *a = NULL;
  for (int i = 0; i < allocation_count; i++)
    if (allocations[i].kind == kind && allocations[i].p == p)
      a = &allocations[i];
  if (!a)
    return gpumm_driver_fail (GPUMM_INVALID, "%s: %p was not allocated, or already given back",
                              kind == PINNED ? "unpin" : "release", p);
  if (kind == ON_DEVICE)
    memory_used -= (int64_t) a->bytes;
  *a = allocations[--allocation_count];
  free (p);
  if (allocation_count == 0) {
    free (allocations);
    allocations = NULL;
    allocation_room = 0;
  }
  return GPUMM_OK;
}

static gpumm_status allocate (int device, size_t bytes, void **p) {
  *p = NULL;
  gpumm_status status = enter ("allocate", device, GPUMM_DEVICE_MEMORY);
  return leave (status ? status : allocate_kind (ON_DEVICE, bytes, p));
}

static gpumm_status pin (int device, size_t bytes, void **p) {
  *p = NULL;
  gpumm_status status = enter ("pin", device, GPUMM_DEVICE_MEMORY);
  return leave (status ? status : allocate_kind (PINNED, bytes, p));
}

static gpumm_status release (int device, void *p) {
  (void) device;
  pthread_mutex_lock (&lock);
  return leave (release_kind (ON_DEVICE, p));
}

static gpumm_status unpin (int device, void *p) {
  (void) device;
  pthread_mutex_lock (&lock);
  return leave (release_kind (PINNED, p));
}

/* ---- device ------------------------------------------------------------------------------- */

static gpumm_status count (int *devices) {
  *devices = 1;
  return GPUMM_OK;
}

static gpumm_status properties (int device, gpumm_device_properties *properties) {
  gpumm_status status = enter ("properties", device, GPUMM_DEVICE_FAILED);
  if (!status) {
    *properties = (gpumm_device_properties){
        .capability = 999, /* every kernel of the table runs here */
        .multiprocessors = 1,
        .memory_total = memory_total,
        .memory_free = memory_used < memory_total ? memory_total - memory_used : 0,
        .shared_bytes = 48 << 10,
    };
    snprintf (properties->name, sizeof properties->name, "host device (CUDA threads as fibers)");
  }
  return leave (status);
}

/* ---- streams and events ------------------------------------------------------------------- */

struct gpumm_stream {
  int device;
};

struct gpumm_event {
  double seconds; /* time of recording; negative: not recorded yet */
};

static gpumm_status stream_create (int device, gpumm_stream **stream) {
  *stream = NULL;
  gpumm_status status = enter ("stream_create", device, GPUMM_DEVICE_FAILED);
  if (!status && !(*stream = calloc (1, sizeof **stream)))
    status = gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory");
  return leave (status);
}

static gpumm_status stream_destroy (int device, gpumm_stream *stream) {
  (void) device;
  free (stream);
  return GPUMM_OK;
}

static gpumm_status stream_synchronize (int device, gpumm_stream *stream) {
  (void) stream;
  return leave (enter ("stream_synchronize", device, GPUMM_DEVICE_FAILED));
}

static gpumm_status event_create (int device, gpumm_event **event) {
  *event = NULL;
  gpumm_status status = enter ("event_create", device, GPUMM_DEVICE_FAILED);
  if (!status) {
    *event = malloc (sizeof **event);
    if (*event)
      (*event)->seconds = -1;
    else
      status = gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory");
  }
  return leave (status);
}

static gpumm_status event_destroy (int device, gpumm_event *event) {
  (void) device;
  free (event);
  return GPUMM_OK;
}

static gpumm_status event_record (int device, gpumm_event *event, gpumm_stream *stream) {
  (void) stream;
  gpumm_status status = enter ("event_record", device, GPUMM_DEVICE_FAILED);
  if (!status) {
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    event->seconds = (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
  }
  return leave (status);
}

static gpumm_status event_synchronize (int device, gpumm_event *event) {
  (void) event;
  return leave (enter ("event_synchronize", device, GPUMM_DEVICE_FAILED));
}

/* Work on a stream runs at once. */
static gpumm_status event_done (int device, gpumm_event *event, int *done) {
  (void) event;
  *done = 1;
  return leave (enter ("event_done", device, GPUMM_DEVICE_FAILED));
}

static gpumm_status event_seconds (int device, gpumm_event *from, gpumm_event *to,
                                   double *seconds) {
  *seconds = 0;
  gpumm_status status = enter ("event_seconds", device, GPUMM_DEVICE_FAILED);
  if (!status && (from->seconds < 0 || to->seconds < 0))
    status = gpumm_driver_fail (GPUMM_DEVICE_FAILED, "event_seconds: the event was not recorded");
  if (!status)
    *seconds = to->seconds - from->seconds;
  return leave (status);
}

static gpumm_status stream_wait (int device, gpumm_stream *stream, gpumm_event *event) {
  (void) stream;
  (void) event;
  return leave (enter ("stream_wait", device, GPUMM_DEVICE_FAILED));
}

/* ---- copies ------------------------------------------------------------------------------- */

static int inside (enum kind kind, const void *p, size_t pitch, size_t width, size_t height) {
  return find (kind, p, (height - 1) * pitch + width) != NULL;
}

static gpumm_status copy (const char *call, int device, char *to, size_t to_pitch,
                          enum kind to_kind, const char *from, size_t from_pitch,
                          enum kind from_kind, size_t width, size_t height) {
  gpumm_status status = enter (call, device, GPUMM_DEVICE_FAILED);
  if (status || width == 0 || height == 0)
    return leave (status);
  if (height > 1 && (to_pitch < width || from_pitch < width))
    status = gpumm_driver_fail (GPUMM_INVALID, "%s: columns of %zu bytes are %zu and %zu apart",
                                call, width, to_pitch, from_pitch);
  else if (!inside (to_kind, to, to_pitch, width, height))
    status = gpumm_driver_fail (GPUMM_INVALID, "%s: %zu x %zu bytes at %p are not in one %s", call,
                                width, height, (void *) to,
                                to_kind == PINNED ? "pinned allocation" : "device allocation");
  else if (!inside (from_kind, from, from_pitch, width, height))
    status = gpumm_driver_fail (GPUMM_INVALID, "%s: %zu x %zu bytes at %p are not in one %s", call,
                                width, height, (const void *) from,
                                from_kind == PINNED ? "pinned allocation" : "device allocation");
  else
    for (size_t j = 0; j < height; j++)
      memcpy (to + j * to_pitch, from + j * from_pitch, width);
  return leave (status);
}

static gpumm_status copy_up (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height) {
  (void) stream;
  return copy ("copy_up", device, to, to_pitch, ON_DEVICE, from, from_pitch, PINNED, width, height);
}

static gpumm_status copy_down (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                               const void *from, size_t from_pitch, size_t width, size_t height) {
  (void) stream;
  return copy ("copy_down", device, to, to_pitch, PINNED, from, from_pitch, ON_DEVICE, width,
               height);
}

static gpumm_status fill (int device, gpumm_stream *stream, void *p, int byte, size_t bytes) {
  (void) stream;
  gpumm_status status = enter ("fill", device, GPUMM_DEVICE_FAILED);
  if (!status && bytes > 0) {
    if (find (ON_DEVICE, p, bytes))
      memset (p, byte, bytes);
    else
      status = gpumm_driver_fail (GPUMM_INVALID, "fill: %zu bytes at %p are not in one allocation",
                                  bytes, p);
  }
  return leave (status);
}

/* ---- launches ----------------------------------------------------------------------------- */

static gpumm_launches seen;

/* A launch whose value differs from that of the earlier ones makes the field unknown. */
static void agree (int64_t *known, int64_t value) {
  if (seen.launches > 0 && *known != value)
    value = -1;
  *known = value;
}

static gpumm_status launched (int device, gpumm_launches *launches) {
  (void) device;
  pthread_mutex_lock (&lock);
  *launches = seen;
  launches->registers = -1; /* the host device has none */
  launches->occupancy = -1;
  seen = (gpumm_launches){0};
  return leave (GPUMM_OK);
}

gpumm_status gpumm_host_launch (const char *kernel, int64_t blocks, gpumm_index3 threads,
                                void (*thread) (const void *arguments), const void *arguments) {
  gpumm_status status = enter (kernel, 0, GPUMM_DEVICE_FAILED);
  if (!status)
    status = gpumm_host_run (kernel, blocks, threads, thread, arguments);
  if (!status && blocks > 0) {
    agree (&seen.threads[0], threads.x);
    agree (&seen.threads[1], threads.y);
    agree (&seen.shared_bytes, gpumm_host_shared_bytes ());
    seen.blocks += blocks;
    seen.launches++;
  }
  return leave (status);
}

static void reset (void) {
  pthread_mutex_lock (&lock);
  gpumm_host_run_reset ();
  pthread_mutex_unlock (&lock);
}

/* ---- the table ---------------------------------------------------------------------------- */

const gpumm_driver gpumm_driver_here = {
    GPUMM_DRIVER_FUNCTIONS,      .name = "host", .fault = fault, .count_accesses = gpumm_host_count,
    .counts = gpumm_host_counts,
};
