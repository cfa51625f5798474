/* driver.c - the host device: engine/device/device.h without a GPU, for tests and teaching.
 *
 * Each allocation is a malloc of its own, so that AddressSanitizer sees accesses past its end, and
 * is filled with NaN, so that reads of unwritten memory show. Work on a stream runs at once.
 * Streams, events and memory are checked for uses that CUDA would refuse or, worse, tolerate.
 *
 * GPUMM_HOST_DEVICES in the environment, or a test, makes it several devices, so that several GPUs
 * can be tested without one: each has its own memory, streams and events, and refuses the others'.
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

enum { MOST_DEVICES = 8 };

/* One lock for all devices: one thing is done at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static gpumm_status leave (gpumm_status status) {
  pthread_mutex_unlock (&lock);
  return status;
}

/* ---- devices ------------------------------------------------------------------------------ */

static struct {
  int64_t memory_total, memory_used; /* total 0: the default */
  int64_t calls, fail_at;            /* of this device; below 0: this call and all that follow */
} devices[MOST_DEVICES];

static int device_count; /* 0: not known yet */
static int64_t calls, fail_at;
static const int64_t DEFAULT_MEMORY = INT64_C (1) << 30;

/* Call with the lock held. 0: the variable is no count. */
static int count_devices (void) {
  const char *wanted = device_count == 0 ? getenv ("GPUMM_HOST_DEVICES") : NULL;
  if (device_count == 0 && (!wanted || !*wanted))
    device_count = 1;
  else if (wanted && *wanted > '0' && *wanted <= '0' + MOST_DEVICES && !wanted[1])
    device_count = *wanted - '0';
  return device_count;
}

static gpumm_status count (int *there) {
  pthread_mutex_lock (&lock);
  *there = count_devices ();
  return leave (*there > 0 ? GPUMM_OK
                           : gpumm_driver_fail (GPUMM_INVALID,
                                                "the environment variable GPUMM_HOST_DEVICES is "
                                                "\"%.100s\"; it must be 1 to %d",
                                                getenv ("GPUMM_HOST_DEVICES"), MOST_DEVICES));
}

void gpumm_host_set_devices (int n) {
  pthread_mutex_lock (&lock);
  device_count = n;
  memset (devices, 0, sizeof devices);
  pthread_mutex_unlock (&lock);
}

void gpumm_host_set_memory_of (int device, int64_t bytes) {
  pthread_mutex_lock (&lock);
  devices[device].memory_total = bytes;
  pthread_mutex_unlock (&lock);
}

/* ---- fault injection ---------------------------------------------------------------------- */

static int64_t fault (int64_t n) {
  pthread_mutex_lock (&lock);
  int64_t counted = calls;
  calls = 0;
  fail_at = n;
  pthread_mutex_unlock (&lock);
  return counted;
}

int64_t gpumm_host_fault_of (int device, int64_t n) {
  pthread_mutex_lock (&lock);
  int64_t counted = devices[device].calls;
  devices[device].calls = 0;
  devices[device].fail_at = n;
  pthread_mutex_unlock (&lock);
  return counted;
}

/* Begins a call that can fail: takes the lock. leave () must release it, whatever this returns. */
static gpumm_status enter (const char *call, int device, gpumm_status on_fault) {
  pthread_mutex_lock (&lock);
  if (device < 0 || device >= count_devices ())
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "%s: there is no host device %d", call, device);
  const int64_t n = ++devices[device].calls, at = devices[device].fail_at;
  if (++calls == fail_at || n == at || (at < 0 && n >= -at))
    return gpumm_driver_fail (on_fault, "%s: made to fail by a test", call);
  return GPUMM_OK;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum kind { ON_DEVICE, PINNED };

struct allocation {
  struct allocation *next;
  enum kind kind;
  int device; /* of pinned memory -1: all devices reach it */
  size_t bytes;
  char *p;
};

static struct allocation *allocations;

static int64_t memory_of (int device) {
  return devices[device].memory_total ? devices[device].memory_total : DEFAULT_MEMORY;
}

static int64_t memory_left (int device) {
  const int64_t left = memory_of (device) - devices[device].memory_used;
  return left > 0 ? left : 0;
}

enum { ANY = -1 };

/* The allocation of that kind, and of that device if it is not ANY, that contains p .. p + bytes -
 * 1; or NULL. */
static const struct allocation *find (enum kind kind, int device, const void *p, size_t bytes) {
  const char *first = p;
  for (const struct allocation *a = allocations; a; a = a->next)
    if (a->kind == kind && (kind == PINNED || device == ANY || a->device == device) && first >= a->p
        && first <= a->p + a->bytes && bytes <= (size_t) (a->p + a->bytes - first))
      return a;
  return NULL;
}

const char *gpumm_host_allocation (const void *p) {
  const struct allocation *a = find (ON_DEVICE, ANY, p, 1);
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

static gpumm_status no_memory (void) {
  return gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory");
}

static gpumm_status add_allocation (enum kind kind, int device, size_t bytes, void **p) {
  if (kind == ON_DEVICE && bytes > (size_t) memory_left (device))
    return gpumm_driver_fail (GPUMM_DEVICE_MEMORY,
                              "allocate: out of memory: %zu bytes wanted, %lld of %lld free", bytes,
                              (long long) memory_left (device), (long long) memory_of (device));
  struct allocation *a = malloc (sizeof *a);
  void *memory = NULL;
  /* The slots of transfers are 2 MiB of pinned memory each, of which small products use the
   * beginning: to fill them all takes up to a sixth of a test's time. */
  const size_t filled = kind == PINNED && bytes > 256 << 10 ? 256 << 10 : bytes;
  if (!a)
    return no_memory ();
  gpumm_status status =
      posix_memalign (&memory, 256, bytes ? bytes : 1) /* aligned as CUDA does */
          ? gpumm_driver_fail (GPUMM_DEVICE_MEMORY, "%s: the host refused %zu bytes",
                               kind == PINNED ? "pin" : "allocate", bytes)
          : fill_with_nan (memory, filled);
  if (status) {
    free (memory);
    free (a);
    return status;
  }
  *a = (struct allocation){allocations, kind, device, bytes, memory};
  allocations = a;
  devices[device].memory_used += kind == ON_DEVICE ? (int64_t) bytes : 0;
  *p = memory;
  return GPUMM_OK;
}

static gpumm_status take (enum kind kind, const char *call, int device, size_t bytes, void **p) {
  *p = NULL;
  const gpumm_status status = enter (call, device, GPUMM_DEVICE_MEMORY);
  return leave (status ? status : add_allocation (kind, device, bytes, p));
}

static gpumm_status give (enum kind kind, const char *call, int device, void *p) {
  struct allocation **link = &allocations, *a;
  pthread_mutex_lock (&lock);
  while ((a = *link) && (a->kind != kind || a->device != device || a->p != p))
    link = &a->next;
  if (a) {
    devices[device].memory_used -= kind == ON_DEVICE ? (int64_t) a->bytes : 0;
    *link = a->next;
    free (a);
    free (p);
  }
  return leave (
      a || !p ? GPUMM_OK
              : gpumm_driver_fail (
                  GPUMM_INVALID, "%s: %p was not allocated there, or already given back", call, p));
}

static gpumm_status allocate (int device, size_t bytes, void **p) {
  return take (ON_DEVICE, "allocate", device, bytes, p);
}

static gpumm_status pin (int device, size_t bytes, void **p) {
  return take (PINNED, "pin", device, bytes, p);
}

static gpumm_status release (int device, void *p) {
  return give (ON_DEVICE, "release", device, p);
}

static gpumm_status unpin (int device, void *p) {
  return give (PINNED, "unpin", device, p);
}

/* ---- device ------------------------------------------------------------------------------- */

static gpumm_status properties (int device, gpumm_device_properties *properties) {
  gpumm_status status = enter ("properties", device, GPUMM_DEVICE_FAILED);
  if (!status) {
    *properties = (gpumm_device_properties){
        .capability = 999, /* every kernel of the table runs here */
        .multiprocessors = 1,
        .memory_total = memory_of (device),
        .memory_free = memory_left (device),
        .shared_bytes = 48 << 10,
    };
    snprintf (properties->name, sizeof properties->name, "host device (CUDA threads as fibers)");
  }
  return leave (status);
}

/* ---- streams and events ------------------------------------------------------------------- */

/* What is queued on a stream is done. */
struct gpumm_stream {
  int device;
};

struct gpumm_event {
  int device;
  gpumm_event_kind kind;
  double seconds; /* time of recording; 0: not recorded yet */
};

/* As enter, and refuses another device's stream or event; NULL: none to look at. */
static gpumm_status enter_with (const char *call, int device, const gpumm_stream *stream,
                                const gpumm_event *event) {
  const gpumm_status status = enter (call, device, GPUMM_DEVICE_FAILED);
  if (status || ((!stream || stream->device == device) && (!event || event->device == device)))
    return status;
  return gpumm_driver_fail (GPUMM_INVALID, "%s: a stream or an event of another device than %d",
                            call, device);
}

static gpumm_status create (const char *call, int device, size_t bytes, void **p) {
  *p = NULL;
  gpumm_status status = enter (call, device, GPUMM_DEVICE_FAILED);
  if (!status && !(*p = calloc (1, bytes)))
    status = no_memory ();
  return leave (status);
}

static gpumm_status stream_create (int device, gpumm_stream **stream) {
  const gpumm_status status = create ("stream_create", device, sizeof **stream, (void **) stream);
  if (!status)
    (*stream)->device = device;
  return status;
}

static gpumm_status stream_destroy (int device, gpumm_stream *stream) {
  (void) device;
  free (stream);
  return GPUMM_OK;
}

static gpumm_status stream_synchronize (int device, gpumm_stream *stream) {
  return leave (enter_with ("stream_synchronize", device, stream, NULL));
}

static gpumm_status event_create (int device, gpumm_event_kind kind, gpumm_event **event) {
  const gpumm_status status = create ("event_create", device, sizeof **event, (void **) event);
  if (!status) {
    (*event)->device = device;
    (*event)->kind = kind;
  }
  return status;
}

static gpumm_status event_destroy (int device, gpumm_event *event) {
  (void) device;
  free (event);
  return GPUMM_OK;
}

static gpumm_status event_record (int device, gpumm_event *event, gpumm_stream *stream) {
  gpumm_status status = enter_with ("event_record", device, stream, event);
  if (!status) {
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    event->seconds = (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
  }
  return leave (status);
}

static gpumm_status event_synchronize (int device, gpumm_event *event) {
  return leave (enter_with ("event_synchronize", device, NULL, event));
}

/* Work on a stream runs at once. */
static gpumm_status event_done (int device, gpumm_event *event, int *done) {
  *done = 1;
  return leave (enter_with ("event_done", device, NULL, event));
}

static gpumm_status event_seconds (int device, gpumm_event *from, gpumm_event *to,
                                   double *seconds) {
  *seconds = 0;
  gpumm_status status = enter_with ("event_seconds", device, NULL, from);
  if (!status && (from->seconds == 0 || to->seconds == 0))
    status = gpumm_driver_fail (GPUMM_DEVICE_FAILED, "event_seconds: the event was not recorded");
  if (!status && (from->kind != GPUMM_TIMED || to->kind != GPUMM_TIMED))
    status = gpumm_driver_fail (GPUMM_DEVICE_FAILED, "event_seconds: the event takes no time");
  if (!status)
    *seconds = to->seconds - from->seconds;
  return leave (status);
}

/* The event may be another device's. */
static gpumm_status stream_wait (int device, gpumm_stream *stream, gpumm_event *event) {
  (void) event;
  return leave (enter_with ("stream_wait", device, stream, NULL));
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Do columns lie in one allocation of that kind? */
static gpumm_status check (const char *call, enum kind kind, int device, const void *p,
                           size_t pitch, size_t width, size_t height) {
  return find (kind, device, p, (height - 1) * pitch + width)
             ? GPUMM_OK
             : gpumm_driver_fail (GPUMM_INVALID, "%s: %zu x %zu bytes at %p are not in one %s",
                                  call, width, height, p,
                                  kind == PINNED ? "pinned allocation" : "device allocation");
}

static gpumm_status copy (const char *call, int device, gpumm_stream *stream, char *to,
                          size_t to_pitch, enum kind to_kind, int from_device, const char *from,
                          size_t from_pitch, enum kind from_kind, size_t width, size_t height) {
  gpumm_status status = enter_with (call, device, stream, NULL);
  if (status || width == 0 || height == 0)
    return leave (status);
  if (height > 1 && (to_pitch < width || from_pitch < width))
    status = gpumm_driver_fail (GPUMM_INVALID, "%s: columns of %zu bytes are %zu and %zu apart",
                                call, width, to_pitch, from_pitch);
  if (!status)
    status = check (call, to_kind, device, to, to_pitch, width, height);
  if (!status)
    status = check (call, from_kind, from_device, from, from_pitch, width, height);
  for (size_t j = 0; j < height && !status; j++)
    memcpy (to + j * to_pitch, from + j * from_pitch, width);
  return leave (status);
}

static gpumm_status copy_up (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height) {
  return copy ("copy_up", device, stream, to, to_pitch, ON_DEVICE, device, from, from_pitch, PINNED,
               width, height);
}

static gpumm_status copy_down (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                               const void *from, size_t from_pitch, size_t width, size_t height) {
  return copy ("copy_down", device, stream, to, to_pitch, PINNED, device, from, from_pitch,
               ON_DEVICE, width, height);
}

static gpumm_status copy_peer (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                               int from_device, const void *from, size_t from_pitch, size_t width,
                               size_t height) {
  return copy ("copy_peer", device, stream, to, to_pitch, ON_DEVICE, from_device, from, from_pitch,
               ON_DEVICE, width, height);
}

static gpumm_status fill (int device, gpumm_stream *stream, void *p, int byte, size_t bytes) {
  gpumm_status status = enter_with ("fill", device, stream, NULL);
  if (status || bytes == 0)
    return leave (status);
  if (!find (ON_DEVICE, device, p, bytes))
    return leave (gpumm_driver_fail (GPUMM_INVALID,
                                     "fill: %zu bytes at %p are not in one allocation", bytes, p));
  memset (p, byte, bytes);
  return leave (GPUMM_OK);
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

gpumm_status gpumm_host_launch (const char *kernel, int device, gpumm_stream *stream,
                                int64_t blocks, gpumm_index3 threads,
                                void (*thread) (const void *arguments), const void *arguments) {
  gpumm_status status = enter_with (kernel, device, stream, NULL);
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
    GPUMM_DRIVER_FUNCTIONS,
    GPUMM_DRIVER_ARRAYS,
    .name = "host",
    .fault = fault,
    .count_accesses = gpumm_host_count,
    .counts = gpumm_host_counts,
    .records = gpumm_host_records,
};
