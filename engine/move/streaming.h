/* streaming.h - work as a sequence of steps, streamed through a device.
 *
 * A step uploads panels, launches a task that reads and writes them, and may download panels. Steps
 * run in order on the device while host threads copy for earlier and later steps: uploads, kernels
 * and downloads overlap as far as the steps' dependencies allow.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_PANELS_H
#define GPUMM_MEMORY_PANELS_H

#include "device/context.h"
#include "first_touch.h"

/* The form of a caller's element on the device. */
typedef enum gpumm_form {
  GPUMM_AS_IT_IS,
  GPUMM_INDEX,   /* int64 as int32; the caller has checked that they fit */
  GPUMM_LOGICAL, /* a byte as a double; up only */
  GPUMM_REAL,    /* a float or double as a complex one; up only */
  /* elements of one or more floats or doubles, unchanged; they may go up in a narrower type that
   * holds them exactly. Up only, to memory that belongs to the panel alone up to its last column's
   * end */
  GPUMM_FLOATS,
  GPUMM_DOUBLES
} gpumm_form;

/* A panel on a device that others may copy from there: not before `ready`, once state says so. */
enum { GPUMM_NOT_YET, GPUMM_OFFERED, GPUMM_NEVER };
#define GPUMM_PEER_FAILED                                                                          \
  ((gpumm_status) -100) /* a panel was never offered; spread.c tries again */
typedef struct gpumm_offer {
  _Atomic int state;
  int device;
  const void *memory;
  gpumm_event *ready;
} gpumm_offer;

/* A matrix in transfer, with columns ld elements apart; a vector is one column. */
typedef struct gpumm_panel {
  const void *from;
  void *to;
  int64_t rows, cols, ld_from, ld_to;
  size_t element; /* bytes of an element in the caller's memory */
  gpumm_form form;
  int64_t pad_rows, pad_cols; /* zeros added on the device; up only */
  gpumm_offer
      *offer; /* up only: NULL, or it is offered to others; takes: copied from there instead */
  int takes;
} gpumm_panel;

/* Bytes of an element on the device. */
size_t gpumm_device_element (const gpumm_panel *panel);

enum { GPUMM_MOST_UPLOADS = 6, GPUMM_MOST_DOWNLOADS = 2 };

typedef struct gpumm_step {
  gpumm_panel up[GPUMM_MOST_UPLOADS]; /* the uploads of this step, for its launch */
  int ups;
  int64_t after_launch;   /* the uploads overwrite what this earlier step's launch read; or -1 */
  int64_t after_download; /* uploads and launch overwrite what this earlier step downloads; or -1 */
  const void *task;       /* what to launch; NULL: nothing */
  double seconds;         /* estimated, of the launch; 0: negligible */
  gpumm_panel down[GPUMM_MOST_DOWNLOADS]; /* panels to download after the launch */
  int downs;
} gpumm_step;

/* Piece `index` of the `count` pieces of a long launch, which are launched in turn. */
typedef struct gpumm_piece {
  int64_t index, count;
} gpumm_piece;

typedef struct gpumm_stream_job {
  gpumm_context *context;
  const gpumm_step *steps;
  int64_t count;
  /* Launches the task on the stream, or a piece of it if divides is set. Sets the text of a failure
   * (gpumm_fail). note has GPUMM_NOTE_BYTES for its decision. waits: launch waits for the device,
   * so a separate thread calls it. */
  gpumm_status (*launch) (const struct gpumm_stream_job *job, const void *task, gpumm_piece piece,
                          gpumm_stream *stream, char *note);
  const void *kernel; /* for launch */
  int waits, divides;
  gpumm_region fresh
      [GPUMM_MOST_REGIONS]; /* the caller's memory for downloads; its pages are brought meanwhile */
} gpumm_stream_job;

/* Runs the steps and adds seconds and bytes to the report. By estimates and earlier timings it
 * queues at most 0.1 s of work on the device at a time, so that a cancellation does not wait
 * longer. Seconds are measured on the device: uploads and downloads from the first copy to the
 * last, launches summed. When it returns nothing is under way, even after a failure. */
gpumm_status gpumm_run_steps (const gpumm_stream_job *job, gpumm_report *report);

#endif
