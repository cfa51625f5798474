/* spread.c - a product of full matrices on several devices.
 *
 * Columns of op (B) and C are split. k is not split, so that one device sums each element. The
 * tiles are those of one device, so most kernels sum each element in the same order. A part is a
 * job in a thread, with some of the cores. Matrices that fit the devices go up once: devices
 * give each other the panels of op (A) (move/exchange.h). If a device fails, the others compute its
 * part in the next round, or at last the CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/types.h"
#include "device/devices.h"
#include "job.h"
#include "memory/host.h"
#include "move/exchange.h"
#include "plan/costs.h"
#include "plan/rates.h"
#include "plan/tiles.h"
#include "plan/too_small.h"
#include "plan/transfer_rates.h"
#include "plan/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = GPUMM_MOST_TEAMS, CPU = -1 };

/* A product is spread if several devices take at most FASTER of the time of one. */
static const double FASTER = 0.9;

/* What several devices take besides: threads and parts. */
static const double EXTRA = 5e-3;

/* Parts consist of whole tiles if the largest is then less than EXCESS times the mean; else they
 * begin at multiples of FINE_GRAIN. */
static const double EXCESS = 1.15;
enum { FINE_GRAIN = 64 };

typedef struct {
  int device; /* index, or CPU */
  gpumm_options options;
  gpumm_problem problem;
  gpumm_matrix c0, c; /* of the part */
  gpumm_job *job;     /* NULL: not open */
  int is_done;        /* in this phase */
  gpumm_status status;
  char error[300];
} part;

typedef struct gpumm_spread {
  gpumm_job *whole;
  gpumm_context *contexts[MOST]; /* of the devices to choose from */
  int devices[MOST];             /* in use; CPU after the last has failed */
  double rates[MOST];            /* of each, in relation to the others */
  int count;
  int lost; /* devices that have failed */
  int parts;
  part part[MOST];
  int runs;                 /* phase: 0 opens, 1 runs */
  gpumm_exchange *exchange; /* of this phase, of part i as member i; or NULL */
  gpumm_device_report reports[MOST];
} spread;

/* ---- parts of matrices -------------------------------------------------------------------- */

/* Parts begin at multiples of this: at tiles of the plan, where that is even enough. */
static int64_t grain_of (const spread *s) {
  const gpumm_plan *plan = &s->whole->plan;
  const int64_t columns = gpumm_n (&s->whole->problem);
  const int64_t tile = plan->kernel ? plan->tile_n : 1;
  const int64_t tiles = gpumm_pieces (columns, tile);
  if ((double) (gpumm_pieces (tiles, s->count) * s->count) < EXCESS * (double) tiles)
    return tile;
  return columns >= (int64_t) s->count * FINE_GRAIN ? FINE_GRAIN : 1;
}

/* Returns the column at which this fraction (0 to 1) of the work ends. */
static int64_t place_of (const spread *s, double fraction) {
  const int64_t columns = gpumm_n (&s->whole->problem);
  const double grain = (double) grain_of (s);
  return gpumm_least ((int64_t) (round (fraction * (double) columns / grain) * grain), columns);
}

static void make_part (spread *s, int device, int64_t from, int64_t count) {
  const gpumm_job *whole = s->whole;
  part *p = &s->part[s->parts++];
  *p = (part){
      .device = device, .options = whole->options, .problem = whole->problem, .c = whole->shape};
  p->options.devices = 0;
  p->c.cols = count; /* its place is known when it runs */
  if (whole->problem.c0) {
    p->c0 = *whole->problem.c0;
    p->problem.c0 = &p->c0;
    gpumm_take_columns (&p->c0, from, count);
  }
  gpumm_take_columns (&p->problem.b, from, count);
}

static void make_parts (spread *s) {
  double all = 0, before = 0;
  for (int i = 0; i < s->count; i++)
    all += s->rates[i];
  for (int i = 0; i < s->count; i++) {
    const int64_t from = i > 0 ? place_of (s, before / all) : 0;
    before += s->rates[i];
    const int64_t to = i + 1 < s->count ? place_of (s, before / all) : gpumm_n (&s->whole->problem);
    if (to > from)
      make_part (s, s->devices[i], from, to - from);
  }
  s->count = s->parts; /* a device without work takes no part */
  for (int i = 0; i < s->count; i++)
    s->devices[i] = s->part[i].device;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static void close_part (part *p) {
  gpumm_job_close (p->job);
  p->job = NULL;
  p->is_done = 0;
}

/* Opens a part, or runs it; one that another device has opened is opened again. */
static gpumm_status work_on (spread *s, part *p) {
  gpumm_status status = GPUMM_OK;
  p->options.device = p->device;
  if (p->device == CPU) {
    p->options.backend = GPUMM_CPU;
    p->options.algorithm = NULL;
  }
  const int member = (int) (p - s->part);
  gpumm_progress_enter (gpumm_seconds (), 0, 1);
  if (!p->job)
    status = gpumm_job_plan (&p->problem, &p->options, s->whole, &p->job);
  if (!status && !p->job->is_open)
    status = gpumm_job_open (p->job);
  if (!status && s->runs) {
    p->job->exchange = s->exchange;
    p->job->member = member;
    status = gpumm_job_compute (p->job, &p->c);
    p->job->report.total = gpumm_seconds () - p->job->opened;
  }
  gpumm_progress_leave ();
  gpumm_exchange_drop (s->exchange, member); /* if it has not left */
  if (status) {
    snprintf (p->error, sizeof p->error, "%s", gpumm_last_error ());
    close_part (p);
  }
  return status;
}

/* The parts of device i, one after the other until one fails. */
static void work_through (void *context, int i) {
  spread *s = context;
  for (part *p = s->part; p < s->part + s->parts; p++)
    if (p->device == s->devices[i] && !p->is_done) {
      p->status = work_on (s, p);
      p->is_done = !p->status;
      if (p->status)
        return;
    }
}

/* Device i works after the others: they must not wait for its panels. */
static void drop_late (void *context, int i) {
  gpumm_exchange_drop (((spread *) context)->exchange, i);
}

/* Is the failure worth a retry on another device, or without the exchange? */
static int is_of_device (gpumm_status status) {
  return status == GPUMM_PEER_FAILED || status == GPUMM_DEVICE_MEMORY
         || status == GPUMM_DEVICE_FAILED || status == GPUMM_NO_DEVICE
         || status == GPUMM_HOST_MEMORY || status == GPUMM_UNSUPPORTED;
}

/* Leaves out the device of a part that failed, and gives its parts to the others, in turn; or at
 * last to the CPU. Returns 0 if there is none. */
static int hand_on (spread *s, const part *failed) {
  const gpumm_options *o = &s->whole->options;
  const int device = failed->device;
  const int is_auto = gpumm_is_auto (o) && o->backend == GPUMM_AUTO;
  char *reason = s->whole->report.reason;
  int left = 0, next = 0;
  if (device == CPU || !is_of_device (failed->status))
    return 0;
  for (int i = 0; i < s->count; i++)
    if (s->devices[i] != device)
      s->devices[left++] = s->devices[i];
  if (left == 0 && !is_auto)
    return 0;
  if (left == 0)
    s->devices[0] = CPU;
  s->count = left > 0 ? left : 1;
  if (s->lost++ == 0)
    gpumm_add_reason (reason, "; device %d failed (%.140s)", device, failed->error);
  else
    gpumm_add_reason (reason, "; device %d failed, too", device);
  if (left == 0)
    gpumm_add_reason (reason, "; the CPU computed the rest");
  for (part *p = s->part; p < s->part + s->parts; p++)
    if (p->device == device && !(s->runs && p->is_done)) {
      close_part (p); /* opened, and not run yet */
      p->device = s->devices[next++ % s->count];
    }
  return 1;
}

/* Do devices with this plan give each other the panels of op (A)? */
static int gives (const gpumm_plan *plan) {
  return plan->context && plan->context->driver->copy_peer && plan->kernel && plan->fits_device;
}

/* Lets the devices exchange the panels of op (A), where each device has one part and all parts have
 * the same tiles. */
static void begin_exchange (spread *s) {
  if (s->parts != s->count || !s->runs)
    return;
  const gpumm_plan *first = &s->part[0].job->plan;
  for (int i = 0; i < s->parts; i++) {
    const gpumm_plan *plan = &s->part[i].job->plan;
    if (s->part[i].device != s->devices[i] || !gives (plan) || plan->algorithm != first->algorithm
        || plan->kernel != first->kernel || plan->tile_m != first->tile_m
        || plan->pads != first->pads)
      return;
  }
  const gpumm_problem *p = &s->part[0].problem;
  const int64_t panels =
      gpumm_pieces (gpumm_m (p), first->tile_m) * gpumm_plan_slices (p, first, s->parts);
  s->exchange = gpumm_exchange_new (s->parts, panels);
}

/* Opens or runs all parts, in rounds. */
static gpumm_status do_all (spread *s, int runs) {
  s->runs = runs;
  for (part *p = s->part; p < s->part + s->parts; p++)
    p->is_done = 0;
  begin_exchange (s);
  for (;;) {
    const part *failed = NULL;
    const int exchanged = s->exchange != NULL;
    for (part *p = s->part; p < s->part + s->parts; p++)
      p->status = GPUMM_OK;
    gpumm_each_team (s->count, work_through, drop_late, s); /* the first tells how far it is */
    gpumm_exchange_release (s->exchange);
    s->exchange = NULL;
    for (part *p = s->part; p < s->part + s->parts; p++)
      if (p->status
          && (!failed || failed->status == GPUMM_PEER_FAILED || !is_of_device (p->status)))
        failed = p;
    if (!failed)
      return GPUMM_OK;
    const part why = *failed;
    for (part *p = s->part; p < s->part + s->parts; p++)
      if (p->status && p->status != GPUMM_PEER_FAILED && !hand_on (s, p))
        return gpumm_fail (why.status, "%s", why.error);
    /* the panels that a device sent before it failed may be wrong: discard the whole round */
    for (part *p = s->part; exchanged && p < s->part + s->parts; p++)
      close_part (p);
  }
}

/* ---- which devices ------------------------------------------------------------------------ */

double gpumm_spread_seconds (const gpumm_spread_costs *x, const double *rates, int count) {
  const gpumm_transfer_rate *link = count == 1 ? &x->transfer.one : &x->transfer.all;
  double all = 0;
  for (int i = 0; i < count; i++)
    all += rates[i];
  const double up = (x->gives ? 1 : count) * x->common + x->split;
  const double moving = fmax (up / link->up, x->result / link->down);
  return fmax (x->compute * rates[0] / all, moving) + (count > 1 ? EXTRA : 0);
}

static int always; /* spread whatever can be */

void gpumm_spread_always (int yes) {
  always = yes;
}

/* The seconds of the product on a device; INFINITY: nothing is known of it. */
static gpumm_status seconds_on (const spread *s, gpumm_context *context, gpumm_candidate *candidate,
                                double *seconds) {
  const gpumm_problem *p = &s->whole->problem;
  *seconds = INFINITY;
  if (always)
    return GPUMM_OK;
  gpumm_status status = gpumm_candidate_device (context, p->output, 0, candidate);
  if (!status && candidate->upload > 0)
    *seconds = gpumm_product_costs (p, NULL, candidate).gpu;
  return status;
}

/* Finds the allowed devices that can be used, and their rates relative to each other: 1 for each
 * if none is known. Devices of the first one's model are as fast as it: rates that are measured
 * one after the other differ by a third at times. *candidate and *seconds are of the first. */
static gpumm_status find_devices (spread *s, uint64_t devices, gpumm_candidate *candidate,
                                  double *seconds) {
  const int on_gpu = s->whole->plan.backend == GPUMM_GPU;
  char *reason = s->whole->report.reason;
  char model[sizeof candidate->properties.name] = "";
  for (int i = 0; i < MOST; i++) {
    gpumm_context *context;
    gpumm_device_properties properties;
    gpumm_candidate here;
    double time = *seconds;
    if (!(devices & UINT64_C (1) << i))
      continue;
    gpumm_status status = gpumm_context_of (on_gpu ? i : GPUMM_HOST - i, &context);
    if (!status)
      status = gpumm_context_seen (context, &properties);
    if (!status && strcmp (model, properties.name) != 0)
      status = seconds_on (s, context, s->count == 0 ? candidate : &here, &time);
    if (status && !is_of_device (status))
      return status;
    if (status) {
      gpumm_add_reason (reason, "; without device %d (%.90s)", i, gpumm_last_error ());
      continue;
    }
    s->rates[s->count] = isfinite (time) && time > 0 ? 1 / time : 1;
    if (s->count == 0) {
      *seconds = time;
      memcpy (model, properties.name, sizeof model);
      if (time < GPUMM_LEAST_SPREAD) { /* the others are not even opened */
        gpumm_add_reason (reason, "; one device, which takes about %.*g ms",
                          GPUMM_DIGITS (1e3 * time));
        return GPUMM_OK;
      }
    }
    s->contexts[s->count] = context;
    s->devices[s->count++] = i;
  }
  return GPUMM_OK;
}

/* Sets s->count to 1 unless all devices are faster. They stay if nothing is known of them. */
static gpumm_status choose_devices (spread *s, const gpumm_candidate *first, double seconds) {
  const gpumm_problem *p = &s->whole->problem;
  const gpumm_plan *plan = &s->whole->plan;
  gpumm_spread_costs x = {.common = gpumm_stored_bytes (&p->a),
                          .split = gpumm_stored_bytes (&p->b),
                          .result = gpumm_bytes_down (p),
                          .gives = gives (plan)};
  char *reason = s->whole->report.reason;
  if (s->count < 2 || !isfinite (seconds))
    return GPUMM_OK;
  x.compute =
      plan->alternative_seconds > 0
          ? plan->alternative_seconds
          : fmax (seconds - (x.common + x.split) / first->upload - x.result / first->download, 0);
  const gpumm_status status = gpumm_transfer_rates_of (s->contexts, s->count, &x.transfer);
  if (status)
    return status;
  if (x.transfer.one.up <= 0) {
    s->count = 1;
    gpumm_add_reason (reason, "; one device, as the links of several could not be measured");
    return GPUMM_OK;
  }
  const int several = s->count;
  const double one = gpumm_spread_seconds (&x, s->rates, 1);
  const double all = gpumm_spread_seconds (&x, s->rates, several);
  if (all <= FASTER * one)
    gpumm_add_reason (reason, "; %d devices, as they take about %.*g ms and one takes %.*g ms",
                      several, GPUMM_DIGITS (1e3 * all), GPUMM_DIGITS (1e3 * one));
  else {
    s->count = 1;
    gpumm_add_reason (reason, "; one device, as it takes about %.*g ms and %d take %.*g ms",
                      GPUMM_DIGITS (1e3 * one), several, GPUMM_DIGITS (1e3 * all));
  }
  return GPUMM_OK;
}

/* ---- the product -------------------------------------------------------------------------- */

/* May the product be spread at all? */
static int may_spread (const gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  return job->plan.context && !gpumm_is_bound (p) && !gpumm_is_zero (p->alpha);
}

/* Are there several columns of full matrices to split? */
static int can_split (const gpumm_problem *p, char *reason) {
  if (!gpumm_is_full (p))
    gpumm_add_reason (reason, "; one device, as only products of full matrices are spread");
  else if (gpumm_m (p) == 0 || gpumm_n (p) < 2 || gpumm_k (p) == 0)
    gpumm_add_reason (reason, "; one device, as the product cannot be split");
  else
    return 1;
  return 0;
}

gpumm_status gpumm_spread_open (gpumm_job *job) {
  uint64_t devices;
  gpumm_candidate candidate = {0};
  double seconds = 0;
  if (!may_spread (job))
    return GPUMM_OK;
  gpumm_status status =
      gpumm_allowed_devices (&job->options, job->plan.backend != GPUMM_GPU, &devices);
  if (status || __builtin_popcountll (devices) < 2
      || !can_split (&job->problem, job->report.reason))
    return status;
  spread *s = gpumm_allocate (1, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->whole = job;
  job->spread = s;
  status = find_devices (s, devices, &candidate, &seconds);
  if (!status)
    status = choose_devices (s, &candidate, seconds);
  if (!status && s->count > 1)
    make_parts (s);
  if (!status && s->parts > 1)
    status = do_all (s, 0);
  if (status || s->parts < 2)
    gpumm_spread_close (job);
  return status;
}

/* The place of each part's result in C. */
static void place_results (spread *s, const gpumm_matrix *result) {
  int64_t column = 0;
  for (part *p = s->part; p < s->part + s->parts; p++) {
    const int64_t count = p->c.cols;
    p->c = *result;
    gpumm_take_columns (&p->c, column, count);
    column += count;
  }
}

/* Adds what the device of a part did. */
static void add_report (spread *s, const part *p) {
  const gpumm_report *more = &p->job->report;
  int *count = &s->whole->report.device_count;
  gpumm_device_report *x = s->reports;
  while (x < s->reports + *count && x->device != p->device)
    x++;
  if (x == s->reports + *count) {
    ++*count;
    *x = (gpumm_device_report){.device = p->device};
    memcpy (x->device_name, more->device_name, sizeof x->device_name);
  }
  x->total += more->total;
  x->upload += more->upload;
  x->compute += more->compute;
  x->download += more->download;
  x->bytes_up += more->bytes_up;
  x->bytes_down += more->bytes_down;
  x->flops += more->flops;
}

static void report_on (spread *s) {
  gpumm_report *r = &s->whole->report;
  r->devices = s->reports;
  for (const part *p = s->part; p < s->part + s->parts; p++) {
    const gpumm_report *of = &p->job->report;
    add_report (s, p);
    r->bytes_up += of->bytes_up;
    r->bytes_down += of->bytes_down;
    r->flops += of->flops;
    if (p == s->part)
      memcpy (r->kernel, of->kernel, sizeof r->kernel); /* with what it decided */
  }
  for (const gpumm_device_report *x = s->reports; x < s->reports + r->device_count; x++) {
    r->upload = fmax (r->upload, x->upload);
    r->compute = fmax (r->compute, x->compute);
    r->download = fmax (r->download, x->download);
  }
}

gpumm_status gpumm_spread_run (gpumm_job *job, gpumm_matrix *result) {
  spread *s = job->spread;
  place_results (s, result);
  const gpumm_status status = do_all (s, 1);
  if (!status)
    report_on (s);
  return status;
}

void gpumm_spread_close (gpumm_job *job) {
  spread *s = job->spread;
  if (!s)
    return;
  for (part *p = s->part; p < s->part + s->parts; p++)
    gpumm_job_close (p->job);
  gpumm_release (s);
  job->spread = NULL;
}
