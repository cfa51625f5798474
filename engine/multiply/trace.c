/* trace.c - a kernel of the table under the microscope: run, then counted.
 *
 * The algorithm makes the whole product one launch, so that a reader sees what the kernel does with
 * all of A, B and C. It is launched twice: once for the time, and once with counting, which is a
 * hundred times slower.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pass.h"
#include "base/error.h"
#include "memory/pool.h"

enum { PARTS = 4 }; /* A, B, C and the workspace */

static gpumm_status driver_failed (const gpumm_plan *plan, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, plan->context->device,
                              plan->context->driver->error_text ())
                : GPUMM_OK;
}

/* Records the launches since the last call. */
static gpumm_status read_launches (const gpumm_plan *plan, gpumm_launches *launches) {
  if (!plan->context->driver->launched)
    return GPUMM_OK;
  return driver_failed (plan, plan->context->driver->launched (plan->context->device, launches),
                        "watching launches");
}

static gpumm_status read_counts (const gpumm_plan *plan, void *const memory[], gpumm_trace *trace) {
  gpumm_counts *counts[PARTS] = {&trace->a, &trace->b, &trace->c, &trace->workspace};
  gpumm_status status = plan->context->driver->counts (NULL, &trace->all);
  for (int i = 0; i < PARTS && !status; i++)
    if (memory[i])
      status = plan->context->driver->counts (memory[i], counts[i]);
  return driver_failed (plan, status, "counting");
}

static gpumm_status read_records (const gpumm_plan *plan, void *const memory[],
                                  gpumm_trace *trace) {
  for (int i = 0; i < 3; i++)
    trace->first[i] = memory[i];
  return driver_failed (plan, plan->context->driver->records (&trace->records, &trace->recorded),
                        "recording");
}

/* Launches the first step once more, counted. */
static gpumm_status count (const struct gpumm_job *job, const gpumm_stream_job *steps,
                           void *const memory[]) {
  const gpumm_plan *plan = &job->plan;
  const gpumm_driver *driver = plan->context->driver;
  const gpumm_piece whole = {.index = 0, .count = 1};
  char note[GPUMM_NOTE_BYTES] = "";
  gpumm_stream *stream = NULL;
  if (!driver->count_accesses || !driver->counts)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "device %d does not count what a kernel does; the CPU's host device does",
                       plan->context->device);
  gpumm_status status = gpumm_stream_take (plan->context, &stream);
  if (status)
    return status;
  driver->count_accesses (job->count);
  status = steps->launch (steps, steps->steps[0].task, whole, stream, note);
  /* also after a failure: no work may be queued on a stream that is given back */
  const gpumm_status waited = driver->stream_synchronize (plan->context->device, stream);
  if (!status)
    status = driver_failed (plan, waited, "waiting for a counted kernel");
  if (!status)
    status = read_counts (plan, memory, job->trace);
  if (!status && job->count == GPUMM_RECORD)
    status = read_records (plan, memory, job->trace);
  driver->count_accesses (0);
  gpumm_stream_give (plan->context, stream);
  return status;
}

gpumm_status gpumm_trace_steps (struct gpumm_job *job, const gpumm_stream_job *stream,
                                void *const memory[]) {
  gpumm_launches before;
  gpumm_status status = read_launches (&job->plan, &before);
  if (!status)
    status = gpumm_run_steps (stream, &job->report);
  if (!status)
    status = read_launches (&job->plan, &job->trace->launched);
  if (!status && job->count)
    status = count (job, stream, memory);
  return status;
}
