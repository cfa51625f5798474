/* made_up_gpu.c - a driver that stands for CUDA's in test_fallbacks, and lends its functions to
 * test_alternative_rates: a GPU that never was, whose calls fail when the test says so.
 *
 * Its one kernel, "cublas", does not multiply: all operands of the test are ones, so that an
 * element of A B is k. That makes it fast, and every later launch on the same C shows. There may be
 * several, and each knows its own memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "made_up_gpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now (void) {
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

made_up made_up_gpu = {.devices = 1, .clock = seconds_now};

static const char *error_text (void) {
  return "it was made up";
}

static gpumm_status count (int *devices) {
  *devices = made_up_gpu.devices;
  return GPUMM_OK;
}

static gpumm_status properties (int device, gpumm_device_properties *p) {
  (void) device;
  made_up_gpu.asked++;
  if (made_up_gpu.is_lost)
    return GPUMM_DEVICE_FAILED;
  *p = (gpumm_device_properties){.name = "made-up GPU",
                                 .capability = 90,
                                 .multiprocessors = 132,
                                 .memory_total = (int64_t) 1 << 37,
                                 .memory_free = (int64_t) 1 << 36};
  return GPUMM_OK;
}

/* What is allocated on the devices. */
enum { MOST_HELD = 64 };

static struct {
  char *p;
  size_t bytes;
  int device;
} held[MOST_HELD];

/* Several devices work at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Counts a use of a device's memory or handles on another one. */
static void count_stray (int device, int other) {
  if (device != other)
    __atomic_add_fetch (&made_up_gpu.strays, 1, __ATOMIC_RELAXED);
}

static gpumm_status allocate (int device, size_t bytes, void **p) {
  *p = NULL;
  pthread_mutex_lock (&lock);
  made_up_gpu.allocations++;
  for (int i = 0; i < MOST_HELD && !*p; i++)
    if (!held[i].p) {
      *p = held[i].p = malloc (bytes);
      held[i].bytes = bytes;
      held[i].device = device;
      made_up_gpu.held += *p != NULL;
    }
  pthread_mutex_unlock (&lock);
  return *p ? GPUMM_OK : GPUMM_DEVICE_MEMORY;
}

static gpumm_status release (int device, void *p) {
  pthread_mutex_lock (&lock);
  for (int i = 0; i < MOST_HELD; i++)
    if (held[i].p == p) {
      count_stray (device, held[i].device);
      made_up_gpu.held--;
      held[i].p = NULL;
    }
  pthread_mutex_unlock (&lock);
  free (p);
  return GPUMM_OK;
}

/* Counts a use of another device's memory. */
static void look (int device, const void *p) {
  pthread_mutex_lock (&lock);
  for (int i = 0; i < MOST_HELD; i++)
    if (held[i].p && (const char *) p >= held[i].p && (const char *) p < held[i].p + held[i].bytes)
      count_stray (device, held[i].device);
  pthread_mutex_unlock (&lock);
}

/* A stream, or an event with the time of its record: all is done at once, but where it belongs. */
typedef struct {
  int device;
  double at;
} handle;

static gpumm_status make (int device, handle **h) {
  *h = calloc (1, sizeof **h);
  if (*h)
    (*h)->device = device;
  return *h ? GPUMM_OK : GPUMM_HOST_MEMORY;
}

static gpumm_status use (int device, const void *h) {
  count_stray (device, ((const handle *) h)->device);
  return GPUMM_OK;
}

static gpumm_status destroy (int device, void *h) {
  use (device, h);
  free (h);
  return GPUMM_OK;
}

static gpumm_status stream_create (int device, gpumm_stream **stream) {
  return make (device, (handle **) stream);
}

static gpumm_status stream_destroy (int device, gpumm_stream *stream) {
  return destroy (device, stream);
}

static gpumm_status stream_synchronize (int device, gpumm_stream *stream) {
  return use (device, stream);
}

static gpumm_status event_create (int device, gpumm_event_kind kind, gpumm_event **event) {
  (void) kind;
  return make (device, (handle **) event);
}

static gpumm_status event_destroy (int device, gpumm_event *event) {
  return destroy (device, event);
}

static gpumm_status event_record (int device, gpumm_event *event, gpumm_stream *stream) {
  ((handle *) event)->at = made_up_gpu.clock ();
  use (device, stream);
  return use (device, event);
}

static gpumm_status event_synchronize (int device, gpumm_event *event) {
  return use (device, event);
}

static gpumm_status event_done (int device, gpumm_event *event, int *done) {
  *done = 1;
  return use (device, event);
}

static gpumm_status event_seconds (int device, gpumm_event *from, gpumm_event *to,
                                   double *seconds) {
  *seconds = ((handle *) to)->at - ((handle *) from)->at;
  use (device, from);
  return use (device, to);
}

static gpumm_status stream_wait (int device, gpumm_stream *stream, gpumm_event *event) {
  use (device, stream);
  return use (device, event);
}

static gpumm_status pin (int device, size_t bytes, void **p) {
  (void) device;
  *p = malloc (bytes);
  return *p ? GPUMM_OK : GPUMM_HOST_MEMORY;
}

static gpumm_status unpin (int device, void *p) {
  (void) device;
  free (p);
  return GPUMM_OK;
}

static gpumm_status copy (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                          const void *from, size_t from_pitch, size_t width, size_t height) {
  use (device, stream);
  look (device, to);
  look (device, from);
  for (size_t j = 0; j < height; j++)
    memcpy ((char *) to + j * to_pitch, (const char *) from + j * from_pitch, width);
  return GPUMM_OK;
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  use (device, stream);
  look (device, p->a);
  look (device, p->b);
  look (device, p->c);
  if (made_up_gpu.failing >> device & 1)
    return GPUMM_DEVICE_FAILED;
  if (__atomic_add_fetch (&made_up_gpu.launches, 1, __ATOMIC_RELAXED) == made_up_gpu.failing_launch)
    return GPUMM_DEVICE_MEMORY;
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->m; i++) {
      double *c = (double *) p->c + i + j * p->ldc;
      *c = p->alpha.re * (double) p->k + (p->beta.re == 0 ? 0 : p->beta.re * *c);
    }
  return GPUMM_OK;
}

/* All elements of a product are equal. */
static gpumm_status mirror (int device, gpumm_stream *stream, const gpumm_mirroring *m) {
  use (device, stream);
  look (device, m->c.values);
  for (int64_t j = 0; m->from && j < m->c.cols; j++)
    for (int64_t i = 0; i < m->c.rows; i++)
      ((double *) m->c.values)[i + j * m->c.ld] = *(const double *) m->from;
  return GPUMM_OK;
}

static void reset (void) {
}

static const char *missing (const char *algorithm) {
  return strcmp (algorithm, "cublas") == 0 ? made_up_gpu.missing : NULL;
}

static int runs (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) p, (void) device;
  return !made_up_gpu.missing;
}

static const gpumm_kernel cublas = {.algorithm = "cublas",
                                    .name = "cublas",
                                    .types = 1 << GPUMM_D,
                                    .capability = 50,
                                    .runs = runs,
                                    .launch = launch};
static const gpumm_kernel *const kernels[] = {&cublas, NULL};

static const gpumm_driver table = {.version = GPUMM_DRIVER_VERSION,
                                   .name = "cuda",
                                   .count = count,
                                   .properties = properties,
                                   .allocate = allocate,
                                   .release = release,
                                   .pin = pin,
                                   .unpin = unpin,
                                   .stream_create = stream_create,
                                   .stream_destroy = stream_destroy,
                                   .stream_synchronize = stream_synchronize,
                                   .event_create = event_create,
                                   .event_destroy = event_destroy,
                                   .event_record = event_record,
                                   .event_synchronize = event_synchronize,
                                   .event_done = event_done,
                                   .event_seconds = event_seconds,
                                   .stream_wait = stream_wait,
                                   .copy_up = copy,
                                   .copy_down = copy,
                                   .mirror = mirror,
                                   .error_text = error_text,
                                   .reset = reset,
                                   .kernels = kernels,
                                   .missing = missing};

const gpumm_driver *gpumm_driver_table (void) {
  return &table;
}
