/* transfer.c - matrices between the caller's memory and a device.
 *
 * A matrix is cut into chunks that fit a slot. Each thread of the loop owns two slots, so that it
 * copies one while the copy engine moves the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transfer.h"
#include "../error.h"
#include "../threads.h"
#include "handles.h"
#include "pool.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Large enough for the full rate of PCIe (reached from about 1 MiB), small enough that many
 * threads' slots stay few MiB: page-locking costs 0.4 s/GiB at the first call. */
enum { SLOT_BYTES = 2 << 20, SLOTS = 2 };

typedef struct {
  const gpumm_transfer *t;
  int down;
  int64_t chunk_rows, chunk_cols; /* of most chunks */
  int64_t across;                 /* chunks along the rows */
  pthread_mutex_t lock;
  gpumm_status status; /* the first failure of any thread */
  char error[512];
} chunks;

typedef struct {
  void *memory;
  gpumm_event *moved; /* after the copy that uses the slot */
  int busy;
  int64_t chunk; /* on the way down: where it goes */
} slot;

typedef struct {
  int64_t row, col, rows, cols;
} rectangle;

static int64_t least (int64_t a, int64_t b) {
  return a < b ? a : b;
}

static rectangle chunk_at (const chunks *c, int64_t index) {
  rectangle r;
  r.row = index % c->across * c->chunk_rows;
  r.col = index / c->across * c->chunk_cols;
  r.rows = least (c->chunk_rows, c->t->rows - r.row);
  r.cols = least (c->chunk_cols, c->t->cols - r.col);
  return r;
}

static char *at (const void *matrix, int64_t ld, const rectangle *r, size_t element) {
  return (char *) (uintptr_t) matrix + (size_t) (r->row + r->col * ld) * element;
}

static void copy_columns (char *to, size_t to_pitch, const char *from, size_t from_pitch,
                          size_t width, int64_t height) {
  if (width == to_pitch && width == from_pitch)
    memcpy (to, from, width * (size_t) height);
  else
    for (int64_t j = 0; j < height; j++)
      memcpy (to + (size_t) j * to_pitch, from + (size_t) j * from_pitch, width);
}

static gpumm_status driver_failed (const gpumm_transfer *t, gpumm_status status, const char *what) {
  return gpumm_fail (status, "%s of a %lld x %lld matrix failed on device %d: %s", what,
                     (long long) t->rows, (long long) t->cols, t->device, t->driver->error_text ());
}

/* Waits for the slot's copy and, on the way down, delivers it. */
static gpumm_status settle (const chunks *c, slot *s) {
  const gpumm_transfer *t = c->t;
  if (!s->busy)
    return GPUMM_OK;
  s->busy = 0;
  gpumm_status status = t->driver->event_synchronize (t->device, s->moved);
  if (status)
    return driver_failed (t, status, c->down ? "download" : "upload");
  if (c->down) {
    rectangle r = chunk_at (c, s->chunk);
    size_t width = (size_t) r.rows * t->element;
    copy_columns (at (t->to, t->ld_to, &r, t->element), (size_t) t->ld_to * t->element, s->memory,
                  width, width, r.cols);
  }
  return GPUMM_OK;
}

static gpumm_status move (const chunks *c, slot *s, int64_t index) {
  const gpumm_transfer *t = c->t;
  rectangle r = chunk_at (c, index);
  size_t width = (size_t) r.rows * t->element, height = (size_t) r.cols;
  char *from = at (t->from, t->ld_from, &r, t->element);
  char *to = at (t->to, t->ld_to, &r, t->element);
  size_t from_pitch = (size_t) t->ld_from * t->element, to_pitch = (size_t) t->ld_to * t->element;
  gpumm_status status;
  if (c->down)
    status = t->driver->copy_down (t->device, t->stream, s->memory, width, from, from_pitch, width,
                                   height);
  else {
    copy_columns (s->memory, width, from, from_pitch, width, r.cols);
    status =
        t->driver->copy_up (t->device, t->stream, to, to_pitch, s->memory, width, width, height);
  }
  if (!status)
    status = t->driver->event_record (t->device, s->moved, t->stream);
  if (status)
    return driver_failed (t, status, c->down ? "download" : "upload");
  s->busy = 1;
  s->chunk = index;
  return GPUMM_OK;
}

static void work (void *context, int64_t begin, int64_t end) {
  chunks *c = context;
  const gpumm_transfer *t = c->t;
  slot slots[SLOTS] = {{0}};
  gpumm_status status = GPUMM_OK, settled;
  for (int i = 0; i < SLOTS && i < end - begin && !status; i++) {
    status =
        gpumm_pool_take (t->driver, t->device, GPUMM_POOL_PINNED, SLOT_BYTES, &slots[i].memory);
    if (!status)
      status = gpumm_event_take (t->driver, t->device, &slots[i].moved);
  }
  for (int64_t index = begin; index < end && !status; index++) {
    slot *s = &slots[index % SLOTS];
    status = settle (c, s);
    if (!status)
      status = move (c, s, index);
  }
  /* even after a failure, nothing may be under way in a slot that goes back */
  for (int64_t i = 0; i < SLOTS; i++) {
    slot *s = &slots[(end + i) % SLOTS];
    settled = settle (c, s);
    if (!status)
      status = settled;
  }
  for (int i = 0; i < SLOTS; i++) {
    gpumm_event_give (t->driver, t->device, slots[i].moved);
    gpumm_pool_give (t->driver, t->device, GPUMM_POOL_PINNED, slots[i].memory);
  }
  if (status) {
    pthread_mutex_lock (&c->lock);
    if (!c->status) {
      c->status = status;
      snprintf (c->error, sizeof c->error, "%s", gpumm_last_error ());
    }
    pthread_mutex_unlock (&c->lock);
  }
}

static gpumm_status transfer (const gpumm_transfer *t, int down) {
  if (t->rows == 0 || t->cols == 0)
    return GPUMM_OK;
  chunks c = {.t = t, .down = down, .lock = PTHREAD_MUTEX_INITIALIZER};
  int64_t fit = SLOT_BYTES / (int64_t) t->element;
  c.chunk_rows = least (t->rows, fit);
  c.chunk_cols = least (t->cols, fit / c.chunk_rows);
  c.across = (t->rows + c.chunk_rows - 1) / c.chunk_rows;
  int64_t count = c.across * ((t->cols + c.chunk_cols - 1) / c.chunk_cols);
  gpumm_parallel (count, SLOTS, work, &c);
  return c.status ? gpumm_fail (c.status, "%s", c.error) : GPUMM_OK;
}

gpumm_status gpumm_upload (const gpumm_transfer *t) {
  return transfer (t, 0);
}

gpumm_status gpumm_download (const gpumm_transfer *t) {
  return transfer (t, 1);
}
