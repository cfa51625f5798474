/* context.h - a device and what is kept for it between calls.
 *
 * Whatever runs on a device takes its context, never "the" device: memory, streams and events come
 * from its pools, and the plan weighs its rates. There is one context per device, made once and
 * never freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CONTEXT_H
#define GPUMM_CONTEXT_H

#include "device.h"

enum { GPUMM_MOST_STREAMS = 64, GPUMM_MOST_EVENTS = 448 };

typedef struct gpumm_context {
  const gpumm_driver *driver;
  int device; /* its index for the driver */
  /* kept by memory/pool.c */
  struct gpumm_block *blocks;
  void *streams[GPUMM_MOST_STREAMS], *events[GPUMM_EVENT_KINDS][GPUMM_MOST_EVENTS];
  int stream_count, event_count[GPUMM_EVENT_KINDS];
  struct { /* kept by memory/queue.c: work on arrays, in order */
    gpumm_stream *stream;
    int64_t queued, waited;   /* operations so far */
    const char *first, *last; /* names of those that nothing has waited for */
    gpumm_status failed;      /* not reported yet */
    char error[512];
  } arrays;
  gpumm_device_properties seen; /* by the last gpumm_context_properties; no name: not yet */
  struct gpumm_rates *rates;    /* rates.c; NULL: nothing measured yet */
} gpumm_context;

#endif
