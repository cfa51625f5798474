/* streaming.c - work as a sequence of steps, streamed through a device.
 *
 * Panels are cut into chunks. The caller's memory is pageable, and copy engines need page-locked
 * memory, so each chunk passes through a page-locked slot: a thread copies it in and the device
 * fetches it, or the device writes it and a thread copies it out. One thread, the conductor, makes
 * all calls to the device and decides what comes next; the others, the copiers, copy. They share no
 * lock: the conductor hands out slots through a ring, and a copier sets the slot's state when it is
 * done. (With a lock around the device calls, 16 threads waited longer than they copied: a call
 * takes 5 us, handing over its lock 15 us.)
 *
 * A chunk of numbers that a narrower type holds exactly goes up in that type: small integers in
 * doubles take an eighth of the transfer. Each narrow column lies at the beginning of its place
 * until the step that needs it widens it there, on the launches' stream just before its launch. (On
 * another stream the widening would wait for a gap between the launches' blocks.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "streaming.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/types.h"
#include "copy.h"
#include "first_touch.h"
#include "memory/host.h"
#include "memory/pool.h"
#include "memory/queue.h"
#include "narrow.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Chunk sizes: an H100's link moves chunks of 1, 2 and 4 MiB at 47, 51 and 53 GB/s. Small products
 * are cut finer, so that several threads share the copying. Page-locking costs 0.5 s/GiB at the
 * first call, so there are just enough slots: some are filled, some wait, one is in transfer. */
enum { SLOT_BYTES = 2 << 20, SMALLEST_CHUNK = 512 << 10, SLOTS_OF_ONE = 24 };

/* Where several devices share the host, its memory limits them, not their links: their slots should
 * stay in the last-level cache, but be more than the threads, which otherwise wait for one. On four
 * H200 with 64 cores 16384 x 16384 takes 100 ms with 16 slots of 1 MiB for each device, 97 with 16
 * of 2 MiB, 89 with 32 of 1 MiB; 2000 x 100000 by 100000 x 2000 61.5, 53.7, 50.8. Two devices need
 * the faster copies of 2 MiB. */
enum {
  BYTES_OF_SEVERAL = 32 << 20,
  FEW_DEVICES = 2,
  CHUNK_OF_MANY = SLOT_BYTES / 2,
  SLOTS_A_WAY = BYTES_OF_SEVERAL / CHUNK_OF_MANY, /* the most */
  SLOTS = 2 * SLOTS_A_WAY
};

/* One thread per this many bytes: waking a thread takes as long as copying 0.5 MiB. With 16 threads
 * instead of 13 on 16 cores of an H100 host 8192 x 8192, double, takes 38 ms instead of 48: results
 * go to fresh pages at 2 GB/s a thread. With 32 cores more than 20 gain nothing there (20, 26, 32:
 * 35, 37, 40 ms), but a result in blocks of 2.7 GB takes 84, 73, 79 ms, and a sparse one of 12 GB
 * 360, 336, 307. */
enum { BYTES_PER_WORKER = 4 << 20, FEW_WORKERS = 20, MOST_WORKERS = 32 };
static const size_t FRESH_BYTES = 1 << 30,
                    FRESH_BYTES_PER_WORKER = 256 << 20; /* for more than 20 */

/* With fewer threads than this the conductor copies too instead of waiting. */
enum { FEW_COPIERS = 3 };

/* With fewer cores for a device, downloads wait until uploads end: the device computes from what
 * goes up, and few threads move hardly more in both ways at once. 16384 x 16384, double: 186 for
 * 221 ms on an H100 with 16 cores, 110 for 129 on two with 32. With 32 cores for one, 8192 x 8192
 * takes 33 ms both ways at once and 38 one after the other, 33 M blocks of integers 162 and 169. */
enum { CORES_FOR_BOTH_WAYS = 32 };

/* A copier without a task checks for one this many times, every 0.5 us, and then leaves. Calling it
 * back costs 2048 x 2048 a fifth of its time, so it waits as long as such a product takes. Between
 * checks it yields its core, so that a conductor on the same core does not lose a time slice (3
 * ms). */
enum { COPIER_PATIENCE = 10000 };

/* Rounds of waiting after which the conductor checks less often. */
enum { CONDUCTOR_PATIENCE = 10000, CONDUCTOR_NAP = 20 /* us */ };

/* Columns of fewer numbers are not narrowed: each block of the device would widen too few. */
enum { SHORTEST_NARROW = 512 };

/* Stop trying narrow types after MOST_VAIN wasted conversions plus 1/VAIN_PART of the successful
 * ones. A chunk that fails at its last number takes nearly twice as long to copy (0.35 ms for 2 MiB
 * instead of 0.20, one thread of a Xeon); this limits such chunks to four and those under way. */
enum { MOST_VAIN = 1 << 20, VAIN_PART = 8 };

/* Queued work cannot be revoked, and a cancellation waits for it. MOST_QUEUED seconds of work, in
 * parts of PART_SECONDS, keep the device busy. */
static const double MOST_QUEUED = 0.1, PART_SECONDS = 0.04;

/* Steps shorter than SHORT_STEP seconds share a mark, one per WORTH_A_MARK seconds. */
static const double SHORT_STEP = 1e-3, WORTH_A_MARK = 10e-3;

/* Until a step has been timed, assume that it takes this many times its estimate, which is for the
 * library's kernel. */
static const double FIRST_PACE = 40;

enum { MOST_PARTS = 1 << 12, MARKS = 8 };

enum { UP, WORK, DOWN, TAKE, STREAMS }; /* TAKE: from other devices */

typedef struct {
  int64_t chunks, queued; /* of the uploads */
  unsigned char *went;    /* for each upload, the type that its numbers went up in */
  int waited;             /* the up stream already waits for readers of the old contents */
  int64_t down_chunks, down_queued;
  gpumm_event *begun, *ended; /* around the launch */
  gpumm_event *fetched;       /* after the last copy down; only if a later step waits for it */
  gpumm_event *taken;         /* after the last copy from another device; NULL: none */
} step_state;

enum { LINE = 64 }; /* bytes of a cache line */

/* The states of a slot. A copier owns it while FILLING or EMPTYING, the conductor otherwise. */
enum { IDLE, FILLING, FILLED, UPLOADING, DOWNLOADING, EMPTYING, EMPTIED };

typedef struct {
  void *memory;
  gpumm_event *moved;  /* after the copy that uses it; untimed */
  int64_t step, index; /* of the chunk among the step's */
  gpumm_panel chunk;
  gpumm_type narrow; /* the type that its numbers go up in; unused for other elements */
  _Alignas(LINE) _Atomic int state;
} slot;

/* Slots in the order of their copies on a stream, in which they also arrive. */
typedef struct {
  slot *slots[SLOTS_A_WAY];
  int first, count;
} flight;

/* A mark in the queue of launches shows how far the device is. */
typedef struct {
  gpumm_event *begun, *ended;
  int timed;      /* begun was recorded */
  double seconds; /* estimated, of the work between the previous mark and this one */
} mark;

/* An entry for copiers: the index of a slot, or LAUNCH for a task. */
enum { LAUNCH = SLOTS, NOTHING, RING = 128 /* > SLOTS + 1, a power of two */ };

typedef struct {
  const gpumm_stream_job *job;
  const gpumm_driver *driver; /* the job's context's */
  int device;
  gpumm_report *report;
  gpumm_stream *streams[STREAMS];
  gpumm_event *up_begun, *uploaded, *fetched; /* the latter two so far */
  step_state *states;
  unsigned char *went; /* of all steps */
  int workers;         /* the conductor and copiers */
  int slots_a_way;     /* in use */
  int both_ways;       /* downloads begin while uploads go on */
  int64_t chunk_bytes;

  /* the conductor's own */
  gpumm_status status; /* the first failure */
  char error[768];
  int64_t up_step, up_chunk; /* next to go up; up_chunk counts through all uploads of the step */
  int64_t take_step;         /* steps whose panels of other devices are queued */
  int64_t launched;          /* steps whose task is queued */
  gpumm_piece piece;         /* of the next step's task, to be launched next */
  mark marks[MARKS];         /* of launches that have not ended, the oldest at first_mark */
  int first_mark, mark_count, is_long; /* is_long: there is enough work for marks */
  double queued, unmarked, pace; /* estimated seconds; pace: real divided by estimated seconds */
  int64_t down_step, down_chunk; /* next to come down */
  flight going_up, coming_down;
  int up_started;
  int reuses;              /* some step waits until another one's result is down */
  int rising;              /* uploads go on, as far as slots are free */
  gpumm_event *first_down; /* the time from which downloads could begin */
  int64_t bytes_up, bytes_down;

  /* shared by conductor and copiers; on lines of their own, because a cache line that one thread
   * writes and others poll is slow for everything in it */
  slot slots[SLOTS]; /* the first half goes up, the second down */
  _Alignas(LINE) _Atomic int ring[RING];
  _Alignas(LINE) atomic_ullong given; /* entries of the ring, counted without wrapping */
  _Alignas(LINE) atomic_ullong taken;
  gpumm_first_touch fresh; /* memory that downloads go to */
  _Alignas(LINE) atomic_int over;
  atomic_int copiers;          /* at work */
  atomic_int called;           /* called to work, minus those that have left */
  atomic_llong narrowed, vain; /* numbers that went up narrow; numbers converted in vain */
  _Atomic int launching;       /* state of a task that waits for the device: LAUNCH_NONE .. */
  gpumm_status launch_status;
  char launch_error[768];
  char note[GPUMM_NOTE_BYTES];
} run;

enum { LAUNCH_NONE, LAUNCH_RUNS, LAUNCH_ENDED };

/* ---- chunks ------------------------------------------------------------------------------- */

size_t gpumm_device_element (const gpumm_panel *p) {
  switch (p->form) {
  case GPUMM_INDEX:
    return sizeof (int32_t);
  case GPUMM_LOGICAL:
    return sizeof (double);
  case GPUMM_REAL:
    return 2 * p->element;
  default:
    return p->element;
  }
}

/* May the numbers go up in another type? *wide is their own. */
static int is_numbers (const gpumm_panel *p, gpumm_type *wide) {
  *wide = p->form == GPUMM_FLOATS ? GPUMM_S : GPUMM_D;
  return p->form == GPUMM_FLOATS || p->form == GPUMM_DOUBLES;
}

/* Bytes of an element in transfer up; numbers have the type narrow. */
static size_t element_up (const gpumm_panel *p, gpumm_type narrow) {
  gpumm_type wide;
  if (!is_numbers (p, &wide))
    return gpumm_device_element (p);
  return p->element / gpumm_type_bytes (wide) * gpumm_type_bytes (narrow);
}

/* Rows and columns on the device, with padding. */
static int64_t all_rows (const gpumm_panel *p) {
  return p->rows + p->pad_rows;
}

static int64_t all_cols (const gpumm_panel *p) {
  return p->cols + p->pad_cols;
}

static int64_t device_bytes (const gpumm_panel *p) {
  return all_rows (p) * all_cols (p) * (int64_t) gpumm_device_element (p);
}

/* Columns of a panel in one chunk, or rows if a column is longer than a chunk. */
static void chunk_shape (const run *r, const gpumm_panel *p, int64_t *rows, int64_t *cols) {
  int64_t fit = r->chunk_bytes / (int64_t) gpumm_device_element (p);
  *rows = gpumm_least (all_rows (p), fit);
  *cols = gpumm_least (all_cols (p), fit / *rows);
}

static int64_t chunk_count (const run *r, const gpumm_panel *p) {
  int64_t rows, cols;
  if (all_rows (p) == 0 || all_cols (p) == 0 || p->takes)
    return 0;
  chunk_shape (r, p, &rows, &cols);
  return ((all_rows (p) + rows - 1) / rows) * ((all_cols (p) + cols - 1) / cols);
}

/* Splits a chunk's extent in one direction into the caller's part and padding. */
static void cut (int64_t chunk, int64_t at, int64_t size, int64_t pad, int64_t *own,
                 int64_t *padding) {
  int64_t all = gpumm_least (chunk, size + pad - at);
  *own = at >= size ? 0 : gpumm_least (all, size - at);
  *padding = all - *own;
}

/* The chunk of this index in a panel; up: the panel goes up. */
static gpumm_panel chunk_at (const run *r, const gpumm_panel *p, int up, int64_t index) {
  int64_t rows, cols;
  int64_t there = (int64_t) gpumm_device_element (p), here = (int64_t) p->element;
  chunk_shape (r, p, &rows, &cols);
  int64_t down = (all_rows (p) + rows - 1) / rows;
  int64_t row = index % down * rows, col = index / down * cols;
  gpumm_panel c = *p;
  c.from = (const char *) p->from + (row + col * p->ld_from) * (up ? here : there);
  c.to = (char *) p->to + (row + col * p->ld_to) * (up ? there : here);
  cut (rows, row, p->rows, p->pad_rows, &c.rows, &c.pad_rows);
  cut (cols, col, p->cols, p->pad_cols, &c.cols, &c.pad_cols);
  return c;
}

/* ---- failures ----------------------------------------------------------------------------- */

/* Keeps the first failure. */
static void fail (run *r, gpumm_status status) {
  if (status && !r->status) {
    r->status = status;
    snprintf (r->error, sizeof r->error, "%s", gpumm_last_error ());
  }
}

static gpumm_status driver_failed (const run *r, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, r->device,
                              r->driver->error_text ())
                : GPUMM_OK;
}

/* ---- copiers ------------------------------------------------------------------------------ */

static void pause_briefly (void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Takes the oldest entry of the ring. The conductor overwrites an entry only after it was taken;
 * then the exchange fails and the value read is not used. */
static int take_task (run *r) {
  unsigned long long taken = atomic_load (&r->taken);
  while (taken < atomic_load (&r->given)) {
    int task = atomic_load_explicit (&r->ring[taken % RING], memory_order_relaxed);
    if (atomic_compare_exchange_weak (&r->taken, &taken, taken + 1))
      return task;
  }
  return NOTHING;
}

static gpumm_status launch_run (run *r, char *note) {
  const gpumm_stream_job *j = r->job;
  const void *task = j->steps[r->launched].task;
  return task ? j->launch (j, task, r->piece, r->streams[WORK], note) : GPUMM_OK;
}

/* Copies a chunk up in the form that the device keeps. */
static void change_form_up (void *to, const gpumm_panel *c) {
  for (int64_t j = 0; j < c->cols; j++) {
    const int64_t begin = j * c->ld_from, end = begin + c->rows;
    int64_t at = j * all_rows (c) * (c->form == GPUMM_REAL ? 2 : 1);
    if (c->form == GPUMM_INDEX)
      for (int64_t i = begin; i < end; i++)
        ((int32_t *) to)[at++] = (int32_t) ((const int64_t *) c->from)[i];
    else if (c->form == GPUMM_LOGICAL)
      for (int64_t i = begin; i < end; i++)
        ((double *) to)[at++] = ((const unsigned char *) c->from)[i];
    else if (c->element == sizeof (float))
      for (int64_t i = begin; i < end; i++) {
        ((float *) to)[at++] = ((const float *) c->from)[i];
        ((float *) to)[at++] = 0;
      }
    else
      for (int64_t i = begin; i < end; i++) {
        ((double *) to)[at++] = ((const double *) c->from)[i];
        ((double *) to)[at++] = 0;
      }
  }
}

/* Copies a chunk of numbers in the narrowest type that holds them and returns this type. If it
 * returns their own type, nothing is copied yet. */
static gpumm_type copy_narrow (run *r, void *to, const gpumm_panel *c) {
  gpumm_type wide;
  if (!is_numbers (c, &wide))
    return wide;
  const int64_t numbers = (int64_t) (c->element / gpumm_type_bytes (wide));
  const int64_t rows = numbers * c->rows, height = numbers * all_rows (c);
  if (!r->driver->widen || height < SHORTEST_NARROW
      || atomic_load (&r->vain) > MOST_VAIN + atomic_load (&r->narrowed) / VAIN_PART)
    return wide;
  int64_t vain = 0;
  gpumm_type narrow =
      gpumm_narrow_columns (wide, to, height, c->from, numbers * c->ld_from, rows, c->cols, &vain);
  atomic_fetch_add (&r->vain, vain);
  if (narrow != wide)
    atomic_fetch_add (&r->narrowed, rows * c->cols);
  return narrow;
}

static int is_changed (const gpumm_panel *c) {
  return c->form == GPUMM_INDEX || c->form == GPUMM_LOGICAL || c->form == GPUMM_REAL;
}

/* Zeros below each column, and columns of zeros. */
static void add_padding (void *to, const gpumm_panel *c, size_t element) {
  size_t height = (size_t) all_rows (c) * element;
  size_t own = (size_t) c->rows * element;
  if (c->pad_rows > 0)
    for (int64_t j = 0; j < c->cols; j++)
      memset ((char *) to + (size_t) j * height + own, 0, height - own);
  memset ((char *) to + (size_t) c->cols * height, 0, (size_t) c->pad_cols * height);
}

/* Before a chunk is written to the caller's memory. */
static void bring_pages (run *r, const gpumm_panel *c) {
  const size_t column = (size_t) c->rows * c->element, pitch = (size_t) c->ld_to * c->element;
  if (column == pitch)
    gpumm_first_touch_before (&r->fresh, c->to, column * (size_t) c->cols);
  else
    for (size_t j = 0; j < (size_t) c->cols; j++)
      gpumm_first_touch_before (&r->fresh, (char *) c->to + j * pitch, column);
}

static void do_task (run *r, int task) {
  if (task == LAUNCH) {
    r->launch_status = launch_run (r, r->note);
    if (r->launch_status) /* the error text belongs to this thread */
      snprintf (r->launch_error, sizeof r->launch_error, "%s", gpumm_last_error ());
    atomic_store (&r->launching, LAUNCH_ENDED);
    return;
  }
  slot *s = &r->slots[task];
  const gpumm_panel *c = &s->chunk;
  size_t element = gpumm_device_element (c), width = (size_t) c->rows * element;
  if (atomic_load (&s->state) == FILLING) {
    s->narrow = copy_narrow (r, s->memory, c);
    if (is_changed (c))
      change_form_up (s->memory, c);
    else if (element_up (c, s->narrow) == element)
      gpumm_copy_columns (s->memory, (size_t) all_rows (c) * element, c->from,
                          (size_t) c->ld_from * c->element, width, c->cols, 0);
    add_padding (s->memory, c, element_up (c, s->narrow));
    atomic_store (&s->state, FILLED);
  } else {
    bring_pages (r, c);
    if (c->form == GPUMM_AS_IT_IS)
      gpumm_copy_columns (c->to, (size_t) c->ld_to * c->element, s->memory, width, width, c->cols,
                          1);
    else
      for (int64_t j = 0; j < c->cols; j++)
        gpumm_widen_indices ((int64_t *) c->to + j * c->ld_to,
                             (const int32_t *) s->memory + j * c->rows, c->rows);
    atomic_store (&s->state, EMPTIED);
  }
}

static int ring_is_empty (run *r) {
  return atomic_load (&r->taken) == atomic_load (&r->given);
}

/* A copier that the team left behind while it rested must not use r any more. */
static void copy (run *r, int worker) {
  atomic_fetch_add (&r->copiers, 1);
  for (int tries = 0; !atomic_load (&r->over);) {
    int task = take_task (r);
    if (task != NOTHING)
      do_task (r, task);
    if (task != NOTHING || gpumm_first_touch_ahead (&r->fresh)) {
      tries = 0;
      continue;
    }
    if (++tries > COPIER_PATIENCE) {
      atomic_fetch_sub (&r->called, 1);
      if (ring_is_empty (r)) /* later entries call it back */
        break;
      atomic_fetch_add (&r->called, 1);
      tries = 0;
    }
    gpumm_team_rest (worker);
    sched_yield ();
    if (!gpumm_team_resume (worker))
      return;
  }
  atomic_fetch_sub (&r->copiers, 1);
}

/* ---- the conductor: handing out ----------------------------------------------------------- */

/* The ring has room: each slot is in it at most once. */
static void give_task (run *r, int task) {
  unsigned long long given = atomic_load (&r->given);
  atomic_store_explicit (&r->ring[given % RING], task, memory_order_relaxed);
  atomic_store (&r->given, given + 1);
  if (atomic_load (&r->called) < r->workers - 1) {
    atomic_store (&r->called, r->workers - 1);
    gpumm_team_recall (r);
  }
}

static void hand_out (run *r, slot *s, int state) {
  atomic_store (&s->state, state);
  give_task (r, (int) (s - r->slots));
}

/* An idle slot from first on; NULL if there is none, or no memory for it. */
static slot *idle_slot (run *r, int first) {
  gpumm_status status = GPUMM_OK;
  slot *s = &r->slots[first], *const end = s + r->slots_a_way;
  while (s < end && atomic_load (&s->state) != IDLE)
    s++;
  if (s == end)
    return NULL;
  if (!s->memory)
    status = gpumm_pool_take (r->job->context, GPUMM_POOL_PINNED, SLOT_BYTES, &s->memory);
  if (!status && !s->moved)
    status = gpumm_event_take (r->job->context, GPUMM_UNTIMED, &s->moved);
  fail (r, status);
  return status ? NULL : s;
}

/* ---- the conductor: the device ------------------------------------------------------------ */

static gpumm_status record (run *r, gpumm_event *event, int stream) {
  return driver_failed (r, r->driver->event_record (r->device, event, r->streams[stream]),
                        "an event");
}

static gpumm_status wait_for (run *r, int stream, gpumm_event *event) {
  return driver_failed (r, r->driver->stream_wait (r->device, r->streams[stream], event),
                        "waiting for an event");
}

static int is_fetched (const run *r, int64_t step) {
  return step < 0 || r->states[step].down_queued == r->states[step].down_chunks;
}

/* Puts a slot whose copy has been queued at the end of its flight. */
static gpumm_status take_off (run *r, flight *f, slot *s, int stream, int state) {
  gpumm_status status = record (r, s->moved, stream);
  if (!status) {
    atomic_store (&s->state, state);
    f->slots[(f->first + f->count++) % SLOTS_A_WAY] = s;
  }
  return status;
}

/* The first slot of a flight if its copy has ended, else NULL. */
static slot *land (run *r, flight *f) {
  int done = 0;
  if (f->count == 0)
    return NULL;
  slot *s = f->slots[f->first];
  fail (r, driver_failed (r, r->driver->event_done (r->device, s->moved, &done),
                          "looking for a copy"));
  if (r->status || !done)
    return NULL;
  f->first = (f->first + 1) % SLOTS_A_WAY;
  f->count--;
  return s;
}

static gpumm_status queue_up (run *r, slot *s) {
  const gpumm_stream_job *j = r->job;
  const gpumm_step *step = &j->steps[s->step];
  step_state *state = &r->states[s->step];
  const gpumm_panel *c = &s->chunk;
  size_t element = gpumm_device_element (c), up = element_up (c, s->narrow);
  size_t width = (size_t) all_rows (c) * up;
  gpumm_status status = GPUMM_OK;
  if (!r->up_started) {
    r->up_started = 1;
    status = record (r, r->up_begun, UP);
  }
  if (!status && !state->waited) {
    state->waited = 1;
    if (step->after_launch >= 0)
      status = wait_for (r, UP, r->states[step->after_launch].ended);
    if (!status && step->after_download >= 0)
      status = wait_for (r, UP, r->states[step->after_download].fetched);
  }
  if (!status)
    status = driver_failed (r,
                            r->driver->copy_up (r->device, r->streams[UP], c->to,
                                                (size_t) c->ld_to * element, s->memory, width,
                                                width, (size_t) all_cols (c)),
                            "an upload");
  if (!status)
    status = take_off (r, &r->going_up, s, UP, UPLOADING);
  if (!status) {
    r->bytes_up += c->rows * c->cols * (int64_t) up;
    state->went[s->index] = (unsigned char) s->narrow;
    state->queued++;
  }
  return status;
}

static gpumm_status queue_down (run *r, slot *s) {
  step_state *state = &r->states[s->step];
  const gpumm_panel *c = &s->chunk;
  size_t element = gpumm_device_element (c), width = (size_t) c->rows * element;
  gpumm_status status = GPUMM_OK;
  /* No event before the first copy: it would put the stream among the kernels, and its copies would
   * wait for a gap between kernels, perhaps until the end. */
  if (state->down_queued == 0)
    status = wait_for (r, DOWN, state->ended);
  if (!r->first_down)
    r->first_down = state->ended;
  if (!status)
    status = driver_failed (r,
                            r->driver->copy_down (r->device, r->streams[DOWN], s->memory, width,
                                                  c->from, (size_t) c->ld_from * element, width,
                                                  (size_t) c->cols),
                            "a download");
  if (!status)
    status = take_off (r, &r->coming_down, s, DOWN, DOWNLOADING);
  if (!status) {
    r->bytes_down += (int64_t) width * c->cols;
    if (++state->down_queued == state->down_chunks) {
      status = record (r, r->fetched, DOWN);
      if (!status && state->fetched)
        status = record (r, state->fetched, DOWN);
    }
  }
  return status;
}

/* Adds a launch's decision to the kernel's name in the report, once. */
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

/* Widens count chunks from first on, which went up in the type narrow. */
static gpumm_status widen_chunks (const run *r, const gpumm_panel *p, gpumm_type narrow,
                                  int64_t first, int64_t count) {
  gpumm_type wide;
  int64_t rows, cols;
  if (!is_numbers (p, &wide) || narrow == wide)
    return GPUMM_OK;
  const int64_t numbers = (int64_t) (p->element / gpumm_type_bytes (wide));
  chunk_shape (r, p, &rows, &cols);
  /* a chunk is of whole columns, or a piece of one */
  const int64_t pieces = (all_rows (p) + rows - 1) / rows * all_cols (p);
  gpumm_widening w = {.narrow = narrow,
                      .wide = wide,
                      .p = p->to,
                      .rows = numbers * all_rows (p),
                      .ld = numbers * p->ld_to,
                      .piece = numbers * rows,
                      .first = first * cols,
                      .count = gpumm_least (count * cols, pieces - first * cols)};
  return driver_failed (r, r->driver->widen (r->device, r->streams[WORK], &w), "widening");
}

/* Widens the narrow uploads of the next step, in runs of chunks of one type. */
static gpumm_status widen_panels (const run *r) {
  const gpumm_step *s = &r->job->steps[r->launched];
  const unsigned char *went = r->states[r->launched].went;
  gpumm_status status = GPUMM_OK;
  for (int u = 0; u < s->ups; u++) {
    const int64_t chunks = chunk_count (r, &s->up[u]);
    for (int64_t first = 0, next; first < chunks && !status; first = next) {
      for (next = first + 1; next < chunks && went[next] == went[first]; next++)
        ;
      status = widen_chunks (r, &s->up[u], (gpumm_type) went[first], first, next - first);
    }
    went += chunks;
  }
  return status;
}

/* Did all of the panel go up in its own type? */
static int is_as_sent (const gpumm_panel *p, const unsigned char *went, int64_t chunks) {
  gpumm_type wide;
  if (!is_numbers (p, &wide))
    return 1;
  while (chunks > 0 && went[chunks - 1] == wide)
    chunks--;
  return chunks == 0;
}

/* Offers the panels of the next step. They are complete when their copies have ended, or have been
 * widened behind the launches before. */
static gpumm_status offer_panels (run *r) {
  const gpumm_step *s = &r->job->steps[r->launched];
  const unsigned char *went = r->states[r->launched].went;
  gpumm_status status = GPUMM_OK;
  for (int u = 0; u < s->ups && !status; u++) {
    const int64_t chunks = chunk_count (r, &s->up[u]);
    gpumm_offer *offer = s->up[u].takes ? NULL : s->up[u].offer;
    const int stream = is_as_sent (&s->up[u], went, chunks) ? UP : WORK;
    went += chunks;
    if (!offer)
      continue;
    status = gpumm_event_take (r->job->context, GPUMM_UNTIMED, &offer->ready);
    if (!status)
      status = record (r, offer->ready, stream);
    offer->device = r->device;
    offer->memory = s->up[u].to;
    if (!status)
      atomic_store (&offer->state, GPUMM_OFFERED);
  }
  return status;
}

/* Makes the stream wait for the uploads and downloads that the next step's launch depends on. */
static gpumm_status before_launch (run *r) {
  const gpumm_step *s = &r->job->steps[r->launched];
  step_state *state = &r->states[r->launched];
  gpumm_status status = GPUMM_OK;
  if (state->chunks > 0) {
    status = record (r, r->uploaded, UP);
    if (!status)
      status = wait_for (r, WORK, r->uploaded);
  }
  if (!status && s->after_download >= 0)
    status = wait_for (r, WORK, r->states[s->after_download].fetched);
  if (!status && state->taken)
    status = wait_for (r, WORK, state->taken);
  if (!status)
    status = record (r, state->begun, WORK);
  if (!status)
    status = widen_panels (r);
  return status ? status : offer_panels (r);
}

/* ---- the conductor: how much is queued ---------------------------------------------------- */

/* Estimated seconds of the next piece to launch. */
static double next_seconds (const run *r) {
  return r->job->steps[r->launched].seconds / (double) r->piece.count;
}

static gpumm_status take_event (run *r, gpumm_event_kind kind, gpumm_event **event) {
  return *event ? GPUMM_OK : gpumm_event_take (r->job->context, kind, event);
}

/* Checks which marks the device has passed, and times their launches. */
static void collect_marks (run *r) {
  while (r->mark_count > 0 && !r->status) {
    mark *m = &r->marks[r->first_mark];
    double seconds = 0;
    int done = 0;
    fail (r, driver_failed (r, r->driver->event_done (r->device, m->ended, &done),
                            "looking for a launch"));
    if (r->status || !done)
      return;
    if (m->timed) {
      fail (r, driver_failed (r, r->driver->event_seconds (r->device, m->begun, m->ended, &seconds),
                              "timing by events"));
      r->pace = seconds / m->seconds;
    }
    r->queued -= m->seconds;
    gpumm_progress_add (m->seconds);
    r->first_mark = (r->first_mark + 1) % MARKS;
    r->mark_count--;
  }
}

/* Does the device have enough queued work? */
static int is_full (run *r) {
  if (!r->is_long)
    return 0;
  collect_marks (r);
  return r->mark_count == MARKS
         || (r->mark_count > 0 && (r->queued + next_seconds (r)) * r->pace > MOST_QUEUED);
}

static void cut_step (run *r) {
  const double seconds = r->job->steps[r->launched].seconds * r->pace;
  r->piece = (gpumm_piece){.count = 1};
  if (r->is_long && r->job->divides && seconds > PART_SECONDS)
    r->piece.count =
        seconds < MOST_PARTS * PART_SECONDS ? (int64_t) (seconds / PART_SECONDS) + 1 : MOST_PARTS;
}

static mark *next_mark (run *r) {
  return &r->marks[(r->first_mark + r->mark_count) % MARKS];
}

static gpumm_status begin_mark (run *r) {
  mark *m = next_mark (r);
  m->timed = 0;
  if (!r->is_long || next_seconds (r) * r->pace < SHORT_STEP)
    return GPUMM_OK;
  gpumm_status status = take_event (r, GPUMM_TIMED, &m->begun);
  if (!status)
    status = record (r, m->begun, WORK);
  m->timed = !status;
  return status;
}

static gpumm_status end_mark (run *r) {
  mark *m = next_mark (r);
  r->unmarked += next_seconds (r);
  if (!r->is_long || (!m->timed && r->unmarked * r->pace < WORTH_A_MARK))
    return GPUMM_OK;
  gpumm_status status = take_event (r, GPUMM_TIMED, &m->ended);
  if (!status)
    status = record (r, m->ended, WORK);
  m->seconds = m->timed ? next_seconds (r) : r->unmarked;
  r->queued += m->seconds;
  r->unmarked -= m->seconds;
  r->mark_count++;
  return status;
}

/* Updates marks and counts after the launch of a piece. */
static gpumm_status after_launch (run *r) {
  gpumm_status status = end_mark (r);
  add_note (r->report, r->note);
  if (++r->piece.index < r->piece.count)
    return status;
  if (!status)
    status = record (r, r->states[r->launched].ended, WORK);
  r->piece = (gpumm_piece){0};
  r->launched++;
  return status;
}

/* ---- the conductor: what comes next ------------------------------------------------------- */

/* Each of these functions does all work of its kind that can be done now, and returns 0 if there
 * was none. */

static int collect_slots (run *r) {
  int moved = 0;
  for (slot *s; (s = land (r, &r->going_up)) != NULL; moved = 1)
    atomic_store (&s->state, IDLE);
  for (slot *s; (s = land (r, &r->coming_down)) != NULL; moved = 1)
    hand_out (r, s, EMPTYING);
  for (slot *s = r->slots; s < r->slots + SLOTS && !r->status; s++) {
    int state = atomic_load (&s->state);
    if (state == FILLED)
      fail (r, queue_up (r, s));
    else if (state == EMPTIED)
      atomic_store (&s->state, IDLE);
    moved |= state == FILLED || state == EMPTIED;
  }
  return moved;
}

/* Queues copies of a step's panels from other devices, once all of them are offered. */
static gpumm_status take_panels (run *r, const gpumm_step *s, step_state *state) {
  gpumm_status status = GPUMM_OK;
  for (int u = 0; u < s->ups && !status; u++) {
    const gpumm_panel *p = &s->up[u];
    if (!p->takes)
      continue;
    const size_t element = gpumm_device_element (p), pitch = (size_t) p->ld_to * element;
    status = wait_for (r, TAKE, p->offer->ready);
    if (!status)
      status = driver_failed (r,
                              r->driver->copy_peer (r->device, r->streams[TAKE], p->to, pitch,
                                                    p->offer->device, p->offer->memory, pitch,
                                                    (size_t) all_rows (p) * element,
                                                    (size_t) all_cols (p)),
                              "a copy from another device");
    if (!status)
      status = record (r, state->taken, TAKE);
  }
  return status;
}

static int begin_takes (run *r) {
  int moved = 0;
  for (; r->take_step < r->job->count && !r->status; r->take_step++) {
    const gpumm_step *s = &r->job->steps[r->take_step];
    step_state *state = &r->states[r->take_step];
    for (int u = 0; u < s->ups && state->taken; u++) {
      const int offered = s->up[u].takes ? atomic_load (&s->up[u].offer->state) : GPUMM_OFFERED;
      if (offered == GPUMM_NEVER)
        fail (r, gpumm_fail (GPUMM_PEER_FAILED,
                             "another device did not bring its part of an operand"));
      if (offered != GPUMM_OFFERED)
        return moved;
    }
    if (state->taken) {
      /* either device may be the cause: the next attempt, without exchange, tells */
      if (take_panels (r, s, state))
        fail (r, gpumm_fail (GPUMM_PEER_FAILED, "%s", gpumm_last_error ()));
      moved = 1;
    }
  }
  return moved;
}

/* Launches tasks in order. A copier launches a task that waits for the device, so that the
 * conductor does not wait. */
static int launch_steps (run *r) {
  int moved = 0;
  if (atomic_load (&r->launching) == LAUNCH_ENDED) {
    if (r->launch_status)
      fail (r, gpumm_fail (r->launch_status, "%s", r->launch_error));
    else
      fail (r, after_launch (r));
    atomic_store (&r->launching, LAUNCH_NONE);
    moved = 1;
  }
  while (!r->status && atomic_load (&r->launching) == LAUNCH_NONE && r->launched < r->job->count) {
    const step_state *state = &r->states[r->launched];
    if (state->queued < state->chunks || r->launched >= r->take_step
        || !is_fetched (r, r->job->steps[r->launched].after_download))
      break;
    const int first = r->piece.count == 0;
    if (first)
      cut_step (r);
    if (is_full (r)) {
      if (first) /* later timings may cut it differently */
        r->piece = (gpumm_piece){0};
      break;
    }
    r->note[0] = 0;
    gpumm_status status = first ? before_launch (r) : GPUMM_OK;
    if (!status)
      status = begin_mark (r);
    if (!status && r->job->waits) {
      atomic_store (&r->launching, LAUNCH_RUNS);
      give_task (r, LAUNCH);
      return 1;
    }
    if (!status)
      status = launch_run (r, r->note);
    fail (r, status ? status : after_launch (r));
    moved = 1;
  }
  return moved;
}

/* Finds the panel and the chunk of an index that counts the chunks of all panels. */
static gpumm_panel chunk_of (const run *r, const gpumm_panel *p, int up, int64_t index) {
  while (index >= chunk_count (r, p))
    index -= chunk_count (r, p++);
  return chunk_at (r, p, up, index);
}

static int begin_uploads (run *r) {
  const gpumm_stream_job *j = r->job;
  int moved = 0;
  for (; !r->status; moved = 1) {
    while (r->up_step < j->count && r->up_chunk == r->states[r->up_step].chunks) {
      r->up_step++;
      r->up_chunk = 0;
    }
    r->rising = 0;
    if (r->up_step == j->count)
      return moved;
    const gpumm_step *step = &j->steps[r->up_step];
    slot *s;
    if (step->after_launch >= r->launched || !is_fetched (r, step->after_download))
      return moved;
    r->rising = 1;
    if (!(s = idle_slot (r, 0)))
      return moved;
    s->step = r->up_step;
    s->index = r->up_chunk++;
    s->chunk = chunk_of (r, step->up, 1, s->index);
    hand_out (r, s, FILLING);
  }
  return moved;
}

/* With few cores not while uploads go on, unless they may wait for a download: see
 * CORES_FOR_BOTH_WAYS. */
static int begin_downloads (run *r) {
  const gpumm_stream_job *j = r->job;
  int moved = 0;
  if (r->rising && !r->reuses && !r->both_ways)
    return 0;
  for (; !r->status; moved = 1) {
    while (r->down_step < r->launched && r->down_chunk == r->states[r->down_step].down_chunks) {
      r->down_step++;
      r->down_chunk = 0;
    }
    slot *s;
    if (r->down_step == r->launched || !(s = idle_slot (r, SLOTS_A_WAY)))
      return moved;
    s->step = r->down_step;
    s->chunk = chunk_of (r, j->steps[r->down_step].down, 0, r->down_chunk++);
    fail (r, queue_down (r, s));
  }
  return moved;
}

static int is_over (run *r) {
  if (r->down_step < r->job->count || r->going_up.count > 0 || r->coming_down.count > 0)
    return 0;
  for (const slot *s = r->slots; s < r->slots + SLOTS; s++)
    if (atomic_load (&s->state) != IDLE)
      return 0;
  return 1;
}

static void conduct (run *r) {
  for (int rounds = 0; !r->status && !is_over (r);) {
    int moved = collect_slots (r);
    fail (r, gpumm_check_cancelled ());
    moved |= begin_takes (r);
    moved |= launch_steps (r);
    moved |= begin_downloads (r);
    moved |= begin_uploads (r);
    if (!moved && atomic_load (&r->copiers) < FEW_COPIERS) {
      int task = take_task (r);
      if (task != NOTHING) {
        do_task (r, task);
        moved = 1;
      }
    }
    if (moved)
      rounds = 0;
    else if (++rounds < CONDUCTOR_PATIENCE)
      pause_briefly ();
    else
      usleep (CONDUCTOR_NAP);
  }
  atomic_store (&r->over, 1);
}

static void work (void *context, int worker) {
  if (worker == 0)
    conduct (context);
  else
    copy (context, worker);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static gpumm_status prepare (run *r, int64_t bytes) {
  const gpumm_stream_job *j = r->job;
  gpumm_status status = GPUMM_OK;
  int64_t chunks = 0;
  gpumm_event **events[] = {&r->up_begun, &r->uploaded, &r->fetched};
  const int devices = gpumm_teams ();
  const int64_t most = devices > FEW_DEVICES ? CHUNK_OF_MANY : SLOT_BYTES;
  r->slots_a_way = devices > 1 ? (int) (BYTES_OF_SEVERAL / most) : SLOTS_OF_ONE;
  r->chunk_bytes = gpumm_least (bytes / (4 * r->workers), most);
  if (r->chunk_bytes < SMALLEST_CHUNK)
    r->chunk_bytes = SMALLEST_CHUNK;
  r->states = gpumm_allocate (j->count, sizeof *r->states);
  if (!r->states)
    return GPUMM_HOST_MEMORY;
  int takes = 0;
  for (int64_t i = 0; i < j->count; i++)
    for (int u = 0; u < j->steps[i].ups; u++)
      takes |= j->steps[i].up[u].takes;
  for (int s = 0; s < STREAMS && !status; s++)
    if (s != TAKE || takes)
      status = gpumm_stream_take (r->job->context, &r->streams[s]);
  for (size_t e = 0; e < sizeof events / sizeof *events && !status; e++)
    status = gpumm_event_take (r->job->context, GPUMM_TIMED, events[e]);
  for (int64_t i = 0; i < j->count && !status; i++) {
    const gpumm_step *s = &j->steps[i];
    for (int u = 0; u < s->ups; u++)
      r->states[i].chunks += chunk_count (r, &s->up[u]);
    for (int u = 0; u < s->ups && !status; u++)
      if (s->up[u].takes)
        status = take_event (r, GPUMM_UNTIMED, &r->states[i].taken);
    for (int d = 0; d < s->downs; d++)
      r->states[i].down_chunks += chunk_count (r, &s->down[d]);
    if (!status)
      status = gpumm_event_take (r->job->context, GPUMM_TIMED, &r->states[i].begun);
    if (!status)
      status = gpumm_event_take (r->job->context, GPUMM_TIMED, &r->states[i].ended);
    r->reuses |= s->after_download >= 0;
    if (!status && s->after_download >= 0)
      status = take_event (r, GPUMM_UNTIMED, &r->states[s->after_download].fetched);
    chunks += r->states[i].chunks;
  }
  r->went = status ? NULL : gpumm_allocate (chunks, sizeof *r->went);
  if (!status && !r->went)
    status = GPUMM_HOST_MEMORY;
  chunks = 0;
  for (int64_t i = 0; i < j->count && !status; i++) {
    r->states[i].went = r->went + chunks;
    chunks += r->states[i].chunks;
  }
  return status;
}

static void add_seconds (run *r, gpumm_event *from, gpumm_event *to, double *sum) {
  double seconds = 0;
  fail (r, driver_failed (r, r->driver->event_seconds (r->device, from, to, &seconds),
                          "timing by events"));
  *sum += seconds;
}

static void report_on (run *r) {
  gpumm_report *report = r->report;
  report->bytes_up += r->bytes_up;
  report->bytes_down += r->bytes_down;
  if (r->up_started)
    add_seconds (r, r->up_begun, r->uploaded, &report->upload);
  if (r->first_down)
    add_seconds (r, r->first_down, r->fetched, &report->download);
  for (int64_t i = 0; i < r->job->count; i++)
    add_seconds (r, r->states[i].begun, r->states[i].ended, &report->compute);
}

/* Waits for all work under way and releases all slots, events and streams. */
static void finish (run *r) {
  const gpumm_stream_job *j = r->job;
  gpumm_event *events[] = {r->up_begun, r->uploaded, r->fetched};
  for (int s = 0; s < STREAMS; s++)
    if (r->streams[s])
      fail (r, driver_failed (r, r->driver->stream_synchronize (r->device, r->streams[s]),
                              "the device"));
  if (!r->status)
    report_on (r);
  for (int s = 0; s < STREAMS; s++)
    gpumm_stream_give (r->job->context, r->streams[s]);
  for (size_t e = 0; e < sizeof events / sizeof *events; e++)
    gpumm_event_give (r->job->context, GPUMM_TIMED, events[e]);
  for (mark *m = r->marks; m < r->marks + MARKS; m++) {
    gpumm_event_give (r->job->context, GPUMM_TIMED, m->begun);
    gpumm_event_give (r->job->context, GPUMM_TIMED, m->ended);
  }
  for (slot *s = r->slots; s < r->slots + SLOTS; s++) {
    gpumm_event_give (r->job->context, GPUMM_UNTIMED, s->moved);
    gpumm_pool_give (r->job->context, GPUMM_POOL_PINNED, s->memory);
  }
  for (int64_t i = 0; r->states && i < j->count; i++) {
    gpumm_event_give (r->job->context, GPUMM_TIMED, r->states[i].begun);
    gpumm_event_give (r->job->context, GPUMM_TIMED, r->states[i].ended);
    gpumm_event_give (r->job->context, GPUMM_UNTIMED, r->states[i].fetched);
    gpumm_event_give (r->job->context, GPUMM_UNTIMED, r->states[i].taken);
  }
  gpumm_release (r->states);
  gpumm_release (r->went);
  gpumm_first_touch_close (&r->fresh);
}

gpumm_status gpumm_run_steps (const gpumm_stream_job *job, gpumm_report *report) {
  run r = {.job = job,
           .driver = job->context->driver,
           .device = job->context->device,
           .report = report,
           .pace = FIRST_PACE};
  int64_t bytes = 0;
  size_t fresh = 0;
  double seconds = 0;
  const gpumm_status status = gpumm_queue_wait (job->context); /* may use what lies in buffers */
  if (status)
    return status;
  for (int64_t i = 0; i < job->count; i++) {
    seconds += job->steps[i].seconds;
    for (int u = 0; u < job->steps[i].ups; u++)
      bytes += job->steps[i].up[u].takes ? 0 : device_bytes (&job->steps[i].up[u]);
    for (int d = 0; d < job->steps[i].downs; d++)
      bytes += device_bytes (&job->steps[i].down[d]);
  }
  for (int d = 0; d < GPUMM_MOST_REGIONS; d++)
    fresh += job->fresh[d].bytes;
  gpumm_progress_of (seconds); /* for algorithms that stated no work */
  r.is_long = seconds * FIRST_PACE > MOST_QUEUED;
  const int64_t more =
      fresh > FRESH_BYTES ? (int64_t) ((fresh - FRESH_BYTES) / FRESH_BYTES_PER_WORKER) : 0;
  const int64_t most = gpumm_least (FEW_WORKERS + more, MOST_WORKERS);
  const int workers =
      (int) gpumm_least (gpumm_least (gpumm_threads (), most), bytes / BYTES_PER_WORKER + 1);
  r.workers = workers;
  r.both_ways = gpumm_threads () >= CORES_FOR_BOTH_WAYS;
  atomic_init (&r.called, workers - 1);
  fail (&r, gpumm_first_touch_open (&r.fresh, job->fresh));
  if (!r.status)
    fail (&r, prepare (&r, bytes));
  if (!r.status)
    gpumm_team (workers, work, &r);
  finish (&r);
  return r.status ? gpumm_fail (r.status, "%s", r.error) : GPUMM_OK;
}
