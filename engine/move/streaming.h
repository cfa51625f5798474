/* streaming.h - work as a sequence of steps, streamed through a device.
 *
 * A step takes panels up, launches something that reads and writes them, and may take panels down.
 * Steps run in order on the device, while host threads copy for the steps ahead and behind:
 * uploads, kernels and downloads overlap wherever the steps leave them free to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_PANELS_H
#define GPUMM_MEMORY_PANELS_H

#include "device.h"

/* How an element of the caller's is kept on the device. */
typedef enum gpumm_form {
  GPUMM_AS_IT_IS,
  GPUMM_INDEX,   /* int64 as int32: the caller has seen to it that they fit */
  GPUMM_LOGICAL, /* a byte as a double; up only */
  GPUMM_REAL,    /* a float or double as a complex one; up only */
  /* floats or doubles, an element one or more of them: as they are, but they may go up in a type
   * that is narrower and holds them exactly; up only, to memory that is the panel's alone up to its
   * last column's end */
  GPUMM_FLOATS,
  GPUMM_DOUBLES
} gpumm_form;

/* A matrix on its way, columns ld elements apart; a vector is one column. */
typedef struct gpumm_panel {
  const void *from;
  void *to;
  int64_t rows, cols, ld_from, ld_to;
  size_t element; /* bytes of one in the caller's memory */
  gpumm_form form;
  int64_t pad_rows, pad_cols; /* zeros that follow on the device; up only */
} gpumm_panel;

enum { GPUMM_MOST_UPLOADS = 6, GPUMM_MOST_DOWNLOADS = 2 };

typedef struct gpumm_step {
  gpumm_panel up[GPUMM_MOST_UPLOADS]; /* what the launch needs and no step before brought */
  int ups;
  int64_t after_launch;   /* the uploads overwrite what this earlier step's launch read; -1 */
  int64_t after_download; /* uploads and launch overwrite what this earlier step takes down; -1 */
  const void *task;       /* what to launch; NULL: nothing */
  double seconds;         /* that the launch takes, as estimated; 0: too few to matter */
  gpumm_panel down[GPUMM_MOST_DOWNLOADS]; /* what is finished */
  int downs;
} gpumm_step;

/* Of a launch that would take long: number index of count pieces, which are launched in turn. */
typedef struct gpumm_part {
  int64_t index, count;
} gpumm_part;

typedef struct gpumm_stream_job {
  const gpumm_driver *driver;
  int device;
  const gpumm_step *steps;
  int64_t count;
  /* Launches the task on the stream, or part of it where divides is set. A failure has left its text
   * (gpumm_fail). note has GPUMM_NOTE_BYTES for what it decided. waits: it waits for the device, so
   * that a thread of its own calls it. */
  gpumm_status (*launch) (const struct gpumm_stream_job *job, const void *task, gpumm_part part,
                          gpumm_stream *stream, char *note);
  const void *context; /* for launch */
  int waits, divides;
  /* the caller's memory that downloads go to, provided with pages meanwhile */
  struct {
    void *begin;
    size_t bytes;
  } fresh[GPUMM_MOST_DOWNLOADS];
} gpumm_stream_job;

/* Runs the steps and adds seconds and bytes to the report. At most 0.1 s of work is queued on the
 * device at a time, as far as estimates and what earlier steps took can tell, so that a cancellation
 * need not wait for more. Seconds are the device's own: of
 * uploads and downloads from the first copy to the last, of launches their sum. When it returns,
 * nothing is under way, whatever failed. */
gpumm_status gpumm_run_steps (const gpumm_stream_job *job, gpumm_report *report);

#endif
