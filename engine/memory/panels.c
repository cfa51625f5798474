/* panels.c - a product as a sequence of steps, streamed through a device.
 *
 * Panels are cut into chunks. The caller's memory is pageable, and the copy engines want
 * page-locked memory: each worker of a team has page-locked slots, copies a chunk into one and
 * queues its upload, or queues the download of a chunk into one, waits, and copies it out. Whoever
 * brings the last chunk of a step launches its product. One lock guards the state of all steps and
 * the three streams (up, products, down); copies of memory and waits happen outside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "panels.h"
#include "../error.h"
#include "../threads.h"
#include "../types.h"
#include "copy.h"
#include "handles.h"
#include "host.h"
#include "pool.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Chunks: PCIe reaches its rate from about 1 MiB, and on an H200 host 2 MiB, written through the
 * caches (from which the copy engine reads), were faster than 1 and 4; small products are cut
 * finer, so that several threads share the copying. Page-locking costs 0.5 s/GiB at the first
 * call, so slots are few. */
enum { SLOT_BYTES = 2 << 20, SMALLEST_CHUNK = 512 << 10, SLOTS = 2 };

/* Workers: a thread for so many bytes (on an H200 host 4 MiB was faster than 1, 2, 8 and 16); of them at most so many copy up at once, which is where
 * PCIe is full (measured on an H200 host: 8 threads 50 GB/s); others give the result its pages. */
enum { BYTES_PER_WORKER = 4 << 20, MOST_WORKERS = 16, MOST_UPLOADING = 8 };

enum { TOUCH_BYTES = 4 << 20 };

enum { UP, PRODUCT, DOWN, STREAMS };

typedef struct {
  int64_t chunks, queued; /* of the uploads */
  int waited;             /* the up stream waits for what the uploads overwrite */
  int64_t down_chunks, down_queued;
  gpumm_event *begun, *ended; /* around the product */
  gpumm_event *fetched;       /* after the last copy down; only where a later step waits for it */
} step_state;

typedef struct {
  void *memory;
  gpumm_event *moved; /* after the copy that uses it */
  int busy;
} slot;

typedef struct {
  const gpumm_stream_job *job;
  gpumm_report *report;
  gpumm_stream *streams[STREAMS];
  gpumm_event *up_begun, *uploaded, *down_begun, *fetched;
  step_state *states;
  int64_t chunk_bytes;

  pthread_mutex_t lock; /* of all below, and of the streams */
  pthread_cond_t changed;
  gpumm_status status; /* the first failure of any worker */
  char error[768];
  int64_t up_step, up_chunk; /* next to go up */
  int uploading, downloading, most_downloading;
  int64_t launched;              /* steps whose product is queued */
  int launching;                 /* a worker is at it without the lock */
  int64_t down_step, down_chunk; /* next to come down */
  size_t touched;
  int up_started, down_started;
  int64_t bytes_up, bytes_down;
} run;

/* ---- chunks ------------------------------------------------------------------------------- */

/* Columns of a panel in one chunk, or, where a column is longer than a chunk, rows. */
static void chunk_shape (const run *r, const gpumm_panel *p, int64_t *rows, int64_t *cols) {
  int64_t fit = r->chunk_bytes / (int64_t) r->job->element;
  *rows = gpumm_least (p->rows, fit);
  *cols = gpumm_least (p->cols, fit / *rows);
}

static int64_t chunk_count (const run *r, const gpumm_panel *p) {
  int64_t rows, cols;
  if (p->rows == 0 || p->cols == 0)
    return 0;
  chunk_shape (r, p, &rows, &cols);
  return ((p->rows + rows - 1) / rows) * ((p->cols + cols - 1) / cols);
}

static gpumm_panel chunk_at (const run *r, const gpumm_panel *p, int64_t index) {
  int64_t rows, cols, element = (int64_t) r->job->element;
  chunk_shape (r, p, &rows, &cols);
  int64_t down = (p->rows + rows - 1) / rows;
  int64_t row = index % down * rows, col = index / down * cols;
  gpumm_panel c = *p;
  c.from = (const char *) p->from + (row + col * p->ld_from) * element;
  c.to = (char *) p->to + (row + col * p->ld_to) * element;
  c.rows = gpumm_least (rows, p->rows - row);
  c.cols = gpumm_least (cols, p->cols - col);
  return c;
}

/* ---- failures ----------------------------------------------------------------------------- */

/* Keeps the first; the lock is held. */
static void fail (run *r, gpumm_status status, const char *text) {
  if (!r->status) {
    r->status = status;
    snprintf (r->error, sizeof r->error, "%s", text);
  }
  pthread_cond_broadcast (&r->changed);
}

static gpumm_status driver_failed (const run *r, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, r->job->device,
                              r->job->driver->error_text ())
                : GPUMM_OK;
}

/* ---- the device's side; the lock is held -------------------------------------------------- */

static gpumm_status record (run *r, gpumm_event *event, int stream) {
  const gpumm_stream_job *j = r->job;
  return driver_failed (r, j->driver->event_record (j->device, event, r->streams[stream]),
                        "an event");
}

static gpumm_status wait_for (run *r, int stream, gpumm_event *event) {
  const gpumm_stream_job *j = r->job;
  return driver_failed (r, j->driver->stream_wait (j->device, r->streams[stream], event),
                        "waiting for an event");
}

static int is_fetched (const run *r, int64_t step) {
  return step < 0 || r->states[step].down_queued == r->states[step].down_chunks;
}

static int may_launch (const run *r) {
  const gpumm_step *s = &r->job->steps[r->launched];
  const step_state *state = &r->states[r->launched];
  return !r->launching && state->queued == state->chunks && is_fetched (r, s->after_download);
}

/* Adds to the kernel's name in the report what a launch decided, once however often it did. */
static void add_note (gpumm_report *report, const char *note) {
  char *kernel = report->kernel;
  size_t length = strlen (kernel), room = sizeof report->kernel;
  if (!note[0] || strstr (kernel, note) || length + strlen (note) + 4 > room)
    return;
  if (length > 0 && kernel[length - 1] == ')')
    snprintf (kernel + length - 1, room - length + 1, ", %s)", note);
  else
    snprintf (kernel + length, room - length, " (%s)", note);
}

/* Launches the next step's product. A kernel that waits for its stream does so without the lock,
 * so that the others go on copying. */
static gpumm_status launch (run *r) {
  const gpumm_stream_job *j = r->job;
  const gpumm_step *s = &j->steps[r->launched];
  step_state *state = &r->states[r->launched];
  char note[GPUMM_NOTE_BYTES] = "";
  gpumm_product product = s->product;
  const gpumm_product *p = &product;
  product.note = note;
  gpumm_status status = GPUMM_OK;
  if (state->chunks > 0) {
    status = record (r, r->uploaded, UP);
    if (!status)
      status = wait_for (r, PRODUCT, r->uploaded);
  }
  if (!status && s->after_download >= 0)
    status = wait_for (r, PRODUCT, r->states[s->after_download].fetched);
  if (!status)
    status = record (r, state->begun, PRODUCT);
  if (!status) {
    if (j->kernel->waits) {
      r->launching = 1;
      pthread_mutex_unlock (&r->lock);
    }
    status = j->kernel->launch (j->device, r->streams[PRODUCT], p);
    if (j->kernel->waits) {
      pthread_mutex_lock (&r->lock);
      r->launching = 0;
    }
    if (status)
      gpumm_fail (status, "kernel %s failed on %lld x %lld times %lld x %lld: %s", j->kernel->name,
                  (long long) p->m, (long long) p->k, (long long) p->k, (long long) p->n,
                  j->driver->error_text ());
  }
  if (!status)
    status = record (r, state->ended, PRODUCT);
  if (!status) {
    r->launched++;
    add_note (r->report, note);
  }
  return status;
}

/* Launches all that is ready, in order. */
static gpumm_status launch_ready (run *r) {
  gpumm_status status = GPUMM_OK;
  int64_t before = r->launched;
  while (!r->status && !status && r->launched < r->job->count && may_launch (r))
    status = launch (r);
  if (status) /* at once, so that nobody launches it again */
    fail (r, status, gpumm_last_error ());
  if (r->launched > before)
    pthread_cond_broadcast (&r->changed);
  return status;
}

static gpumm_status queue_up (run *r, int64_t step, const gpumm_panel *c, slot *s) {
  const gpumm_stream_job *j = r->job;
  const gpumm_step *what = &j->steps[step];
  step_state *state = &r->states[step];
  size_t width = (size_t) c->rows * j->element;
  gpumm_status status = GPUMM_OK;
  if (!r->up_started) {
    r->up_started = 1;
    status = record (r, r->up_begun, UP);
  }
  if (!status && !state->waited) {
    state->waited = 1;
    if (what->after_product >= 0)
      status = wait_for (r, UP, r->states[what->after_product].ended);
    if (!status && what->after_download >= 0)
      status = wait_for (r, UP, r->states[what->after_download].fetched);
  }
  if (!status)
    status = driver_failed (r,
                            j->driver->copy_up (j->device, r->streams[UP], c->to,
                                                (size_t) c->ld_to * j->element, s->memory, width,
                                                width, (size_t) c->cols),
                            "an upload");
  if (!status)
    status = record (r, s->moved, UP);
  if (!status) {
    s->busy = 1;
    r->bytes_up += (int64_t) width * c->cols;
    state->queued++;
    status = launch_ready (r);
  }
  return status;
}

static gpumm_status queue_down (run *r, int64_t step, const gpumm_panel *c, slot *s) {
  const gpumm_stream_job *j = r->job;
  step_state *state = &r->states[step];
  size_t width = (size_t) c->rows * j->element;
  gpumm_status status = GPUMM_OK;
  if (state->down_queued == 0)
    status = wait_for (r, DOWN, state->ended);
  if (!status && !r->down_started) {
    r->down_started = 1;
    status = record (r, r->down_begun, DOWN);
  }
  if (!status)
    status = driver_failed (r,
                            j->driver->copy_down (j->device, r->streams[DOWN], s->memory, width,
                                                  c->from, (size_t) c->ld_from * j->element, width,
                                                  (size_t) c->cols),
                            "a download");
  if (!status)
    status = record (r, s->moved, DOWN);
  if (!status) {
    s->busy = 1;
    r->bytes_down += (int64_t) width * c->cols;
    if (++state->down_queued == state->down_chunks && state->fetched)
      status = record (r, state->fetched, DOWN);
  }
  if (!status)
    status = launch_ready (r);
  return status;
}

/* ---- the workers -------------------------------------------------------------------------- */

typedef enum { STOP, WAIT, UPLOAD, DOWNLOAD, TOUCH } task_kind;

typedef struct {
  task_kind kind;
  int64_t step, chunk; /* chunk counts through all uploads of the step */
  size_t offset, bytes;
} task;

/* Past the steps that have nothing more to hand out. */
static void settle_cursors (run *r) {
  const gpumm_stream_job *j = r->job;
  while (r->up_step < j->count && r->up_chunk == r->states[r->up_step].chunks) {
    r->up_step++;
    r->up_chunk = 0;
  }
  while (r->down_step < j->count && r->down_chunk == r->states[r->down_step].down_chunks) {
    r->down_step++;
    r->down_chunk = 0;
  }
}

/* What to do next; the lock is held. Uploads come before downloads of the same readiness up to
 * half of the workers each, so that both directions of PCIe are busy. */
static task pick (run *r) {
  const gpumm_stream_job *j = r->job;
  settle_cursors (r);
  if (r->status)
    return (task){.kind = STOP};
  int up = 0, down = r->down_step < j->count && r->down_step < r->launched;
  if (r->up_step < j->count) {
    const gpumm_step *s = &j->steps[r->up_step];
    up = s->after_product < r->launched && is_fetched (r, s->after_download)
         && r->uploading < MOST_UPLOADING;
  }
  if (down && (!up || r->downloading < r->most_downloading)) {
    r->downloading++;
    return (task){.kind = DOWNLOAD, .step = r->down_step, .chunk = r->down_chunk++};
  }
  if (up) {
    r->uploading++;
    return (task){.kind = UPLOAD, .step = r->up_step, .chunk = r->up_chunk++};
  }
  if (r->touched < j->result_bytes) {
    task t = {.kind = TOUCH, .offset = r->touched, .bytes = j->result_bytes - r->touched};
    if (t.bytes > TOUCH_BYTES)
      t.bytes = TOUCH_BYTES;
    r->touched += t.bytes;
    return t;
  }
  return (task){.kind = r->up_step == j->count && r->down_step == j->count ? STOP : WAIT};
}

static gpumm_status settle (const run *r, slot *s) {
  const gpumm_stream_job *j = r->job;
  if (!s->busy)
    return GPUMM_OK;
  s->busy = 0;
  return driver_failed (r, j->driver->event_synchronize (j->device, s->moved), "a copy");
}

static gpumm_status upload (run *r, const task *t, slot *s) {
  const gpumm_step *step = &r->job->steps[t->step];
  int64_t index = t->chunk;
  const gpumm_panel *p = step->up;
  while (index >= chunk_count (r, p))
    index -= chunk_count (r, p++);
  gpumm_panel c = chunk_at (r, p, index);
  size_t element = r->job->element, width = (size_t) c.rows * element;
  gpumm_status status = settle (r, s);
  if (!status)
    gpumm_copy_columns (s->memory, width, c.from, (size_t) c.ld_from * element, width, c.cols, 0);
  pthread_mutex_lock (&r->lock);
  r->uploading--;
  if (!status && !r->status)
    status = queue_up (r, t->step, &c, s);
  pthread_cond_signal (&r->changed);
  pthread_mutex_unlock (&r->lock);
  return status;
}

static gpumm_status download (run *r, const task *t, slot *s) {
  gpumm_panel c = chunk_at (r, &r->job->steps[t->step].down, t->chunk);
  size_t element = r->job->element, width = (size_t) c.rows * element;
  gpumm_status status = settle (r, s);
  pthread_mutex_lock (&r->lock);
  if (!status && !r->status)
    status = queue_down (r, t->step, &c, s);
  pthread_mutex_unlock (&r->lock);
  int queued = s->busy;
  if (!status && queued) {
    status = settle (r, s);
    if (!status)
      gpumm_copy_columns (c.to, (size_t) c.ld_to * element, s->memory, width, width, c.cols, 1);
  }
  pthread_mutex_lock (&r->lock);
  r->downloading--;
  pthread_cond_signal (&r->changed);
  pthread_mutex_unlock (&r->lock);
  return status;
}

static gpumm_status take_slot (const run *r, slot *s) {
  const gpumm_stream_job *j = r->job;
  gpumm_status status = GPUMM_OK;
  if (!s->memory)
    status = gpumm_pool_take (j->driver, j->device, GPUMM_POOL_PINNED, SLOT_BYTES, &s->memory);
  if (!status && !s->moved)
    status = gpumm_event_take (j->driver, j->device, &s->moved);
  return status;
}

static void work (void *context, int worker) {
  run *r = context;
  const gpumm_stream_job *j = r->job;
  slot slots[SLOTS] = {{0}};
  (void) worker;
  for (int64_t done = 0;; done++) {
    pthread_mutex_lock (&r->lock);
    task t = pick (r);
    while (t.kind == WAIT) {
      pthread_cond_wait (&r->changed, &r->lock);
      t = pick (r);
    }
    if (t.kind == STOP) /* for all */
      pthread_cond_broadcast (&r->changed);
    pthread_mutex_unlock (&r->lock);
    slot *s = &slots[done % SLOTS];
    gpumm_status status = GPUMM_OK;
    if (t.kind == STOP)
      break;
    if (t.kind == TOUCH)
      gpumm_touch ((char *) j->result + t.offset, t.bytes);
    else
      status = take_slot (r, s);
    if (!status && t.kind == UPLOAD)
      status = upload (r, &t, s);
    else if (!status && t.kind == DOWNLOAD)
      status = download (r, &t, s);
    if (status) {
      pthread_mutex_lock (&r->lock);
      fail (r, status, gpumm_last_error ());
      pthread_mutex_unlock (&r->lock);
    }
  }
  /* Nothing may be under way in a slot that goes back; after a failure perhaps what no event tells. */
  for (int s = 0; r->status && s < STREAMS; s++)
    j->driver->stream_synchronize (j->device, r->streams[s]);
  for (int i = 0; i < SLOTS; i++) {
    gpumm_status status = settle (r, &slots[i]);
    if (status) {
      pthread_mutex_lock (&r->lock);
      fail (r, status, gpumm_last_error ());
      pthread_mutex_unlock (&r->lock);
    }
    gpumm_event_give (j->driver, j->device, slots[i].moved);
    gpumm_pool_give (j->driver, j->device, GPUMM_POOL_PINNED, slots[i].memory);
  }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int64_t panel_bytes (const gpumm_panel *p, size_t element) {
  return p->rows * p->cols * (int64_t) element;
}

static gpumm_status prepare (run *r, int64_t bytes, int workers) {
  const gpumm_stream_job *j = r->job;
  gpumm_status status = GPUMM_OK;
  gpumm_event **events[] = {&r->up_begun, &r->uploaded, &r->down_begun, &r->fetched};
  r->chunk_bytes = bytes / (4 * workers);
  r->chunk_bytes = r->chunk_bytes > SLOT_BYTES       ? SLOT_BYTES
                   : r->chunk_bytes < SMALLEST_CHUNK ? SMALLEST_CHUNK
                                                     : r->chunk_bytes;
  r->most_downloading = workers / 2;
  if (workers == 1)
    r->touched = j->result_bytes; /* nobody is free for it */
  r->states = gpumm_allocate (j->count, sizeof *r->states);
  if (!r->states)
    return GPUMM_HOST_MEMORY;
  for (int s = 0; s < STREAMS && !status; s++)
    status = gpumm_stream_take (j->driver, j->device, &r->streams[s]);
  for (size_t e = 0; e < sizeof events / sizeof *events && !status; e++)
    status = gpumm_event_take (j->driver, j->device, events[e]);
  for (int64_t i = 0; i < j->count && !status; i++) {
    const gpumm_step *s = &j->steps[i];
    for (int u = 0; u < s->ups; u++)
      r->states[i].chunks += chunk_count (r, &s->up[u]);
    r->states[i].down_chunks = chunk_count (r, &s->down);
    status = gpumm_event_take (j->driver, j->device, &r->states[i].begun);
    if (!status)
      status = gpumm_event_take (j->driver, j->device, &r->states[i].ended);
    if (!status && s->after_download >= 0 && !r->states[s->after_download].fetched)
      status = gpumm_event_take (j->driver, j->device, &r->states[s->after_download].fetched);
  }
  return status;
}

static void add_seconds (run *r, gpumm_event *from, gpumm_event *to, double *sum) {
  double seconds = 0;
  gpumm_status status = r->job->driver->event_seconds (r->job->device, from, to, &seconds);
  if (status && !r->status) {
    driver_failed (r, status, "timing by events");
    fail (r, status, gpumm_last_error ());
  }
  *sum += seconds;
}

static void report_on (run *r) {
  gpumm_report *report = r->report;
  report->bytes_up += r->bytes_up;
  report->bytes_down += r->bytes_down;
  if (r->up_started)
    add_seconds (r, r->up_begun, r->uploaded, &report->upload);
  if (r->down_started)
    add_seconds (r, r->down_begun, r->fetched, &report->download);
  for (int64_t i = 0; i < r->job->count; i++)
    add_seconds (r, r->states[i].begun, r->states[i].ended, &report->compute);
}

gpumm_status gpumm_run_steps (const gpumm_stream_job *job, gpumm_report *report) {
  run r = {.job = job,
           .report = report,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER};
  int64_t bytes = 0;
  for (int64_t i = 0; i < job->count; i++) {
    for (int u = 0; u < job->steps[i].ups; u++)
      bytes += panel_bytes (&job->steps[i].up[u], job->element);
    bytes += panel_bytes (&job->steps[i].down, job->element);
  }
  int workers = gpumm_threads ();
  workers = (int) gpumm_least (gpumm_least (workers, MOST_WORKERS), bytes / BYTES_PER_WORKER + 1);
  r.status = prepare (&r, bytes, workers);
  if (r.status)
    snprintf (r.error, sizeof r.error, "%s", gpumm_last_error ());
  else {
    pthread_mutex_lock (&r.lock);
    launch_ready (&r); /* steps that need nothing from the host */
    pthread_mutex_unlock (&r.lock);
    gpumm_team (workers, work, &r);
    if (!r.status && r.up_started)
      r.status = record (&r, r.uploaded, UP);
    if (!r.status && r.down_started)
      r.status = record (&r, r.fetched, DOWN);
    if (r.status && !r.error[0])
      snprintf (r.error, sizeof r.error, "%s", gpumm_last_error ());
  }
  for (int s = 0; s < STREAMS; s++)
    if (r.streams[s]) {
      gpumm_status status = job->driver->stream_synchronize (job->device, r.streams[s]);
      if (status && !r.status) {
        driver_failed (&r, status, "the device");
        fail (&r, status, gpumm_last_error ());
      }
    }
  if (!r.status)
    report_on (&r);
  for (int s = 0; s < STREAMS; s++)
    gpumm_stream_give (job->driver, job->device, r.streams[s]);
  gpumm_event *events[] = {r.up_begun, r.uploaded, r.down_begun, r.fetched};
  for (size_t e = 0; e < sizeof events / sizeof *events; e++)
    gpumm_event_give (job->driver, job->device, events[e]);
  for (int64_t i = 0; r.states && i < job->count; i++) {
    gpumm_event_give (job->driver, job->device, r.states[i].begun);
    gpumm_event_give (job->driver, job->device, r.states[i].ended);
    gpumm_event_give (job->driver, job->device, r.states[i].fetched);
  }
  gpumm_release (r.states);
  return r.status ? gpumm_fail (r.status, "%s", r.error) : GPUMM_OK;
}
