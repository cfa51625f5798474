/* spread.c - a product on several devices.
 *
 * Columns of op (B) and C are split; or rows of op (A) and C, where matrices are stored by rows. k is
 * not split, so that one device sums each element; tiles are the same, so that most kernels sum it in the
 * order that they have on one device. A part is a job in a thread, with its share of the cores. Full
 * matrices that fit the devices go up once: devices give each other the panels of op (A)
 * (move/exchange.h). If a device fails, the others compute its part in the next round, or at last the CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"
#include "devices.h"
#include "error.h"
#include "links.h"
#include "memory/host.h"
#include "move/exchange.h"
#include "multiply/pass.h"
#include "multiply/sparse.h"
#include "progress.h"
#include "rates.h"
#include "threads.h"
#include "tiles.h"
#include "types.h"
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = GPUMM_MOST_SHARES, CPU = -1 };

/* A product may be spread if it takes one device at least this many seconds by its estimate, by the rates of
 * small products and by the links; and is, if several take at most FASTER of the time of one. */
static const double WORTH = 25e-3, WORTH_COMPRESSED = 0.1, FASTER = 0.9;

/* Threads, parts, and what the host does again for each device with compressed operands: of two devices, and of
 * each further one. Two H200 and four H100 took mostly 3 to 16 ms longer than rates and links say, for full
 * matrices of 20 to 110 ms. Four H200 took 9 to 16 ms longer than two with blocks, and up to 12 with 8192 x 8192. */
static const double EXTRA = 5e-3, FURTHER = 1e-3;
static const double EXTRA_COMPRESSED = 10e-3, FURTHER_COMPRESSED = 7e-3;

/* Computing and moving overlap but for this part of the shorter: 1/6 on H100 and H200. */
static const double APART = 1.0 / 6;

/* Operations per second of a device where no rate is known: those of "classic" on an H100. */
static const double UNKNOWN_RATE = 1e11;

/* Parts of full matrices consist of whole tiles if the largest is then less than EXCESS times its share; else
 * they begin at multiples of FINE_GRAIN. */
static const double EXCESS = 1.15;
enum { FINE_GRAIN = 64 };

typedef struct {
  int device; /* index, or CPU */
  gpumm_options options;
  gpumm_problem problem;
  gpumm_matrix c0, c; /* of the part; c without entries until they are counted */
  int64_t room;       /* entries of C that there is memory for */
  gpumm_job *job;     /* NULL: not open */
  int is_done;        /* in this phase */
  gpumm_status status;
  char error[300];
} part;

typedef struct gpumm_spread {
  gpumm_job *whole;
  const gpumm_part_calls *calls;
  int by_rows;         /* rows of C are split, not columns */
  int64_t unit, units; /* rows or columns that stay together, and how many of these there are */
  int devices[MOST];   /* in use; CPU after the last has failed */
  double rates[MOST];  /* of each, in relation to the others */
  int count;
  int lost; /* devices that have failed */
  int parts;
  part part[MOST];
  int runs;                 /* phase: 0 opens, 1 runs */
  gpumm_exchange *exchange; /* of this phase, of part i as member i; or NULL */
  gpumm_share shares[MOST];
} spread;

/* ---- parts of matrices -------------------------------------------------------------------- */

/* Can some columns (or rows) of op (x) be taken as they lie? */
static int can_slice (const gpumm_matrix *x, int rows) {
  const int stored_rows = rows != gpumm_is_turned (x);
  return x->format == GPUMM_DENSE || stored_rows == (x->format == GPUMM_BLOCKS);
}

/* Makes x the matrix of `count` of its columns (rows) of op (x). Compressed ones get offsets of their own,
 * which the caller releases. */
static gpumm_status slice (gpumm_matrix *x, int rows, int64_t from, int64_t count) {
  const int stored_rows = rows != gpumm_is_turned (x);
  const size_t element = gpumm_type_bytes (x->type);
  int64_t *size = stored_rows ? &x->rows : &x->cols;
  *size = count;
  if (x->format == GPUMM_DENSE) {
    x->values = (char *) x->values + (size_t) (stored_rows ? from : from * x->ld) * element;
    return GPUMM_OK;
  }
  const int64_t lines = gpumm_line_count (x);
  const int64_t *start = x->start + (x->format == GPUMM_BLOCKS ? from / x->block_rows : from);
  x->start = gpumm_allocate (lines + 1, sizeof *x->start);
  if (!x->start)
    return GPUMM_HOST_MEMORY;
  for (int64_t i = 0; i <= lines; i++)
    x->start[i] = start[i] - start[0];
  x->nzmax = x->start[lines];
  x->index = (char *) x->index + (size_t) start[0] * gpumm_index_bytes (x);
  x->values = (char *) x->values + (size_t) start[0] * gpumm_entry_bytes (x);
  return GPUMM_OK;
}

/* The matrix that is split. */
static const gpumm_matrix *operand (const spread *s) {
  return s->by_rows ? &s->whole->problem.a : &s->whole->problem.b;
}

/* Finds out how the product can be split; 0: not at all. */
static int find_direction (spread *s) {
  const gpumm_problem *p = &s->whole->problem;
  const gpumm_format c = gpumm_result_format (p);
  s->by_rows = !(c != GPUMM_BLOCKS && can_slice (&p->b, 0));
  if (s->by_rows && (c == GPUMM_SPARSE || !can_slice (&p->a, 1)))
    return 0;
  const gpumm_matrix *x = operand (s);
  s->unit = x->format != GPUMM_BLOCKS ? 1
            : s->by_rows              ? gpumm_op_block_rows (x)
                                      : gpumm_op_block_cols (x);
  s->units = (s->by_rows ? gpumm_m (p) : gpumm_n (p)) / s->unit;
  return s->units > 1 && gpumm_m (p) > 0 && gpumm_n (p) > 0 && gpumm_k (p) > 0;
}

/* Parts of full matrices begin at multiples of this: at tiles of the plan, where that is even enough. */
static int64_t grain_of (const spread *s) {
  const gpumm_plan *plan = &s->whole->plan;
  const int64_t tile = !plan->kernel ? 1 : s->by_rows ? plan->tile_m : plan->tile_n;
  const int64_t tiles = gpumm_pieces (s->units, tile);
  if ((double) (gpumm_pieces (tiles, s->count) * s->count) < EXCESS * (double) tiles)
    return tile;
  return s->units >= (int64_t) s->count * FINE_GRAIN ? FINE_GRAIN : 1;
}

/* The unit before which this part, 0 to 1, of the work lies; in compressed matrices an entry counts as much
 * as a line. */
static int64_t place_of (const spread *s, double part) {
  const gpumm_matrix *x = operand (s);
  if (x->format == GPUMM_DENSE) {
    const double grain = (double) grain_of (s);
    return gpumm_least ((int64_t) (round (part * (double) s->units / grain) * grain), s->units);
  }
  const double wanted = part * (double) (x->start[s->units] + s->units);
  int64_t low = 0, high = s->units;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if ((double) (x->start[middle] + middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gpumm_status make_part (spread *s, int device, int64_t from, int64_t count) {
  const gpumm_job *whole = s->whole;
  part *p = &s->part[s->parts++];
  *p = (part){
      .device = device, .options = whole->options, .problem = whole->problem, .c = whole->shape};
  p->options.devices = 0;
  from *= s->unit;
  count *= s->unit;
  *(s->by_rows ? &p->c.rows : &p->c.cols) = count; /* its place is known when it runs */
  gpumm_matrix *x = s->by_rows ? &p->problem.a : &p->problem.b;
  if (whole->problem.c0) {
    p->c0 = *whole->problem.c0;
    p->problem.c0 = &p->c0;
    slice (&p->c0, s->by_rows, from, count);
  }
  return slice (x, s->by_rows, from, count);
}

static gpumm_status make_parts (spread *s) {
  double all = 0, before = 0;
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < s->count; i++)
    all += s->rates[i];
  for (int i = 0; i < s->count && !status; i++) {
    const int64_t from = i > 0 ? place_of (s, before / all) : 0;
    before += s->rates[i];
    const int64_t to = i + 1 < s->count ? place_of (s, before / all) : s->units;
    if (to > from)
      status = make_part (s, s->devices[i], from, to - from);
  }
  s->count = s->parts; /* a device without work takes no part */
  for (int i = 0; i < s->count; i++)
    s->devices[i] = s->part[i].device;
  return status;
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* Opens a part, or runs it; one that another device has opened is opened again. */
static gpumm_status work_on (spread *s, part *p) {
  gpumm_status status = GPUMM_OK;
  p->options.device = p->device;
  if (p->device == CPU) {
    p->options.backend = GPUMM_CPU;
    p->options.algorithm = NULL;
  }
  const int member = (int) (p - s->part);
  if (!p->job)
    status = s->calls->open (&p->problem, &p->options, s->whole, s->exchange, member, &p->job);
  if (!status && s->runs && p->job->shape.nzmax > p->room)
    status = gpumm_fail (GPUMM_INTERNAL, "a part of C has grown");
  if (!status && s->runs) {
    p->job->exchange = s->exchange;
    status = s->calls->run (p->job, &p->c);
  }
  gpumm_exchange_drop (s->exchange, member); /* if it has not left */
  if (status) {
    snprintf (p->error, sizeof p->error, "%s", gpumm_last_error ());
    s->calls->close (p->job);
    p->job = NULL;
  }
  return status;
}

typedef struct {
  spread *s;
  int device, number;
  pthread_t thread;
  int has_thread;
} worker;

/* The parts of a device, one after the other until one fails. */
static void work_through (const worker *w) {
  for (part *p = w->s->part; p < w->s->part + w->s->parts; p++)
    if (p->device == w->device && !p->is_done) {
      p->status = work_on (w->s, p);
      p->is_done = !p->status;
      if (p->status)
        return;
    }
}

static void *thread_of (void *argument) {
  const worker *w = argument;
  gpumm_team_choose (w->number, w->s->count);
  gpumm_progress_mute ();
  work_through (w);
  return NULL;
}

/* All devices at once; the first one in this thread, which tells how far it is. */
static void do_round (spread *s) {
  worker w[MOST] = {{.s = s, .device = s->devices[0]}};
  for (int i = 1; i < s->count; i++)
    w[i] = (worker){.s = s, .device = s->devices[i], .number = i};
  for (int i = 1; i < s->count; i++) {
    w[i].has_thread = !gpumm_thread_start (thread_of, &w[i], &w[i].thread);
    if (!w[i].has_thread)
      gpumm_exchange_drop (s->exchange, i); /* which then comes too late */
  }
  gpumm_team_choose (0, s->count);
  work_through (&w[0]);
  gpumm_team_choose (0, 1);
  for (int i = 1; i < s->count; i++)
    if (w[i].has_thread)
      pthread_join (w[i].thread, NULL);
    else
      work_through (&w[i]);
}

/* May another device do better, or the same one without the others' panels? */
static int is_of_device (gpumm_status status) {
  return status == GPUMM_PEER_FAILED || status == GPUMM_DEVICE_MEMORY
         || status == GPUMM_DEVICE_FAILED || status == GPUMM_NO_DEVICE
         || status == GPUMM_HOST_MEMORY || status == GPUMM_UNSUPPORTED;
}

/* Leaves out the device of a part that failed, and gives its parts to the others, in turn; or at last to
 * the CPU. Returns 0 if there is none. */
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
      s->calls->close (p->job); /* opened, and not run yet */
      p->job = NULL;
      p->is_done = 0;
      p->device = s->devices[next++ % s->count];
    }
  return 1;
}

/* The operand that all devices need. */
static const gpumm_matrix *common (const spread *s) {
  return s->by_rows ? &s->whole->problem.b : &s->whole->problem.a;
}

/* Do devices with this plan give each other the common operand? */
static int gives (const spread *s, const gpumm_plan *plan) {
  if (!plan->context || !plan->context->driver->copy_peer)
    return 0;
  return common (s)->format == GPUMM_DENSE ? plan->kernel && plan->resident && !s->by_rows
                                           : plan->algorithm->shares != GPUMM_NEVER_SHARES;
}

/* Lets the devices exchange the common operand where each has one part, in the same way: of full matrices that
 * fit the panels of op (A), in the same tiles. When parts are opened their plan is that of the whole. */
static void begin_exchange (spread *s) {
  const gpumm_plan *first = s->runs ? &s->part[0].job->plan : &s->whole->plan;
  const int in_run = first->kernel || first->algorithm->shares == GPUMM_SHARES_IN_RUN;
  if (s->parts != s->count || !gives (s, first) || s->runs != in_run)
    return;
  for (int i = 0; i < s->parts; i++) {
    const gpumm_plan *plan = s->runs ? &s->part[i].job->plan : first;
    if (s->part[i].device != s->devices[i] || !gives (s, plan)
        || plan->algorithm != first->algorithm || plan->kernel != first->kernel
        || plan->tile_m != first->tile_m || plan->pads != first->pads)
      return;
  }
  const gpumm_problem *p = &s->part[0].problem;
  const int64_t panels = first->kernel ? gpumm_pieces (gpumm_m (p), first->tile_m)
                                             * gpumm_plan_shares (p, first, s->parts)
                                       : (int64_t) s->parts * GPUMM_MOST_SHARED;
  s->exchange = gpumm_exchange_new (s->parts, panels);
}

static void end_exchange (spread *s) {
  gpumm_exchange_release (s->exchange);
  s->exchange = NULL;
}

/* Nothing of a round counts in which devices gave each other panels and one failed: what it gave may be wrong. */
static void begin_again (spread *s) {
  for (part *p = s->part; p < s->part + s->parts; p++) {
    s->calls->close (p->job);
    p->job = NULL;
    p->is_done = 0;
  }
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
    do_round (s);
    end_exchange (s);
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
    if (exchanged)
      begin_again (s);
  }
}

/* ---- which devices ------------------------------------------------------------------------ */

/* Links add up until they carry what all of them did. */
static double rate_of (double one, double all, int count) {
  return count == 1 ? one : fmin (count * one, all);
}

/* The seconds of so many bytes up and down. */
static double moving (const gpumm_links *links, double up, double down, int count) {
  const gpumm_link *one = &links->one, *all = &links->all;
  const double shared = fmin (up, down);
  return shared / rate_of (one->both, all->both, count)
         + (up - shared) / rate_of (one->up, all->up, count)
         + (down - shared) / rate_of (one->down, all->down, count);
}

double gpumm_spread_seconds (const gpumm_spread_costs *x, const double *rates, int count) {
  double all = 0;
  for (int i = 0; i < count; i++)
    all += rates[i];
  const double compute = x->compute * rates[0] / all;
  const double move =
      moving (&x->links, (x->gives ? 1 : count) * x->common + x->split, x->result, count);
  return fmax (compute, move) + APART * fmin (compute, move)
         + (count > 1 ? x->extra + (count - 2) * x->further : 0);
}

int gpumm_spread_count (const gpumm_spread_costs *x, const double *rates, int most) {
  int best = 1;
  double least = FASTER * gpumm_spread_seconds (x, rates, 1);
  for (int count = 2; count <= most; count++) {
    const double time = gpumm_spread_seconds (x, rates, count);
    if (time < least) {
      least = time;
      best = count;
    }
  }
  return best;
}

static double result_bytes (const gpumm_problem *p, const gpumm_sparse_estimate *estimate) {
  const double all = (double) gpumm_m (p) * (double) gpumm_n (p);
  const double element = (double) gpumm_type_bytes (p->output);
  switch (gpumm_result_format (p)) {
  case GPUMM_DENSE:
    return all * element;
  case GPUMM_SPARSE:
    return estimate->nonzeros * (sizeof (int64_t) + element);
  default: { /* with few indices; blocks at random places */
    const double products =
        gpumm_sparse_flops (p) / (gpumm_flops_each (p) * (double) gpumm_op_block_cols (&p->a));
    return all > 0 ? all * -expm1 (-products / all) * element : 0;
  }
  }
}

static int is_full (const gpumm_problem *p) {
  return p->a.format == GPUMM_DENSE && p->b.format == GPUMM_DENSE;
}

/* Is the product too short to be spread, if it takes one device so many seconds? */
static int is_short (const gpumm_problem *p, double seconds, char *reason) {
  if (seconds >= (is_full (p) ? WORTH : WORTH_COMPRESSED))
    return 0;
  gpumm_add_reason (reason, "; one device, which takes about %.3g ms", 1e3 * seconds);
  return 1;
}

static int always; /* spread whatever can be */

void gpumm_spread_always (int yes) {
  always = yes;
}

/* The seconds of the product on a device; INFINITY: nothing is known of it. */
static gpumm_status seconds_on (const spread *s, gpumm_context *context, gpumm_place *place,
                                const gpumm_sparse_estimate *estimate, double *seconds) {
  const gpumm_problem *p = &s->whole->problem;
  const gpumm_algorithm *algorithm = s->whole->plan.algorithm;
  const gpumm_type type = gpumm_is_float (p->output) ? p->output : GPUMM_D;
  *seconds = INFINITY;
  if (always || gpumm_links_measuring ())
    return GPUMM_OK;
  gpumm_status status = gpumm_place_device (context, type, 0, place);
  if (status || place->upload <= 0)
    return status;
  if (algorithm->seconds)
    *seconds = algorithm->seconds (p, place, estimate);
  if (!isfinite (*seconds))
    *seconds = gpumm_sparse_flops (p) / UNKNOWN_RATE
               + (gpumm_stored_bytes (&p->a) + gpumm_stored_bytes (&p->b)) / place->upload
               + result_bytes (p, estimate) / place->download;
  return GPUMM_OK;
}

/* Finds the allowed devices that can be used, and their rates relative to each other: 1 for each if none is
 * known. Devices of the first one's model are as fast as it: rates that are measured one after the other
 * differ by a third at times. *place and *seconds are those of the first. */
static gpumm_status find_devices (spread *s, uint64_t devices, gpumm_place *place, double *seconds,
                                  gpumm_sparse_estimate *estimate) {
  const int on_gpu = s->whole->plan.backend == GPUMM_GPU;
  char *reason = s->whole->report.reason;
  char model[sizeof place->properties.name] = "";
  *estimate = gpumm_estimate_sparse (&s->whole->problem);
  for (int i = 0; i < MOST; i++) {
    gpumm_context *context;
    gpumm_device_properties properties;
    gpumm_place here;
    double time = *seconds;
    if (!(devices & UINT64_C (1) << i))
      continue;
    gpumm_status status = gpumm_context_of (on_gpu ? i : GPUMM_HOST - i, &context);
    if (!status)
      status = gpumm_context_seen (context, &properties);
    if (!status && strcmp (model, properties.name) != 0)
      status = seconds_on (s, context, s->count == 0 ? place : &here, estimate, &time);
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
      if (is_short (&s->whole->problem, time, reason))
        return GPUMM_OK; /* the others are not even opened */
    }
    s->devices[s->count++] = i;
  }
  return GPUMM_OK;
}

/* Sets s->count to the best number of devices. All stay if nothing is known of them. */
static gpumm_status choose_devices (spread *s, const gpumm_place *first, double seconds,
                                    const gpumm_sparse_estimate *estimate) {
  const gpumm_problem *p = &s->whole->problem;
  const gpumm_plan *plan = &s->whole->plan;
  gpumm_spread_costs x = {.common = gpumm_stored_bytes (common (s)),
                          .split = gpumm_stored_bytes (operand (s)),
                          .result = result_bytes (p, estimate),
                          .extra = is_full (p) ? EXTRA : EXTRA_COMPRESSED,
                          .further = is_full (p) ? FURTHER : FURTHER_COMPRESSED,
                          .gives = gives (s, plan)};
  char *reason = s->whole->report.reason;
  uint64_t devices = 0;
  if (s->count < 2 || !isfinite (seconds))
    return GPUMM_OK;
  for (int i = 0; i < s->count; i++)
    devices |= UINT64_C (1) << s->devices[i];
  x.compute =
      plan->rival_seconds > 0
          ? plan->rival_seconds
          : fmax (seconds - (x.common + x.split) / first->upload - x.result / first->download, 0);
  const gpumm_status status = gpumm_links_of (devices, s->calls, &x.links);
  if (status)
    return status;
  if (x.links.one.up <= 0) {
    s->count = 1;
    gpumm_add_reason (reason, "; one device, as the links of several could not be measured");
    return GPUMM_OK;
  }
  const int most = s->count;
  const double one = gpumm_spread_seconds (&x, s->rates, 1);
  s->count = 1;
  if (is_short (p, one, reason))
    return GPUMM_OK;
  s->count = gpumm_spread_count (&x, s->rates, most);
  const double several = gpumm_spread_seconds (&x, s->rates, s->count == 1 ? most : s->count);
  if (s->count > 1)
    gpumm_add_reason (reason, "; %d devices, as they take about %.3g ms and one takes %.3g ms",
                      s->count, 1e3 * several, 1e3 * one);
  else
    gpumm_add_reason (reason, "; one device, as it takes about %.3g ms and %d take %.3g ms",
                      1e3 * one, most, 1e3 * several);
  return GPUMM_OK;
}

/* ---- the product -------------------------------------------------------------------------- */

/* May the product be spread at all? */
static int may_spread (const gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  return job->plan.context && !job->whole && !gpumm_is_bound (p) && !gpumm_is_zero (p->alpha);
}

/* Adds up the entries that C may have. */
static void add_shapes (const spread *s) {
  gpumm_matrix *shape = &s->whole->shape;
  shape->nzmax = 0;
  for (int i = 0; i < s->parts; i++)
    shape->nzmax += s->part[i].job->shape.nzmax;
}

gpumm_status gpumm_spread_open (gpumm_job *job, const gpumm_part_calls *calls) {
  uint64_t devices;
  gpumm_place place = {0};
  gpumm_sparse_estimate estimate;
  double seconds = 0;
  if (!may_spread (job))
    return GPUMM_OK;
  gpumm_status status =
      gpumm_allowed_devices (&job->options, job->plan.backend != GPUMM_GPU, &devices);
  if (status || __builtin_popcountll (devices) < 2)
    return status;
  spread *s = gpumm_allocate (1, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->whole = job;
  s->calls = calls;
  job->spread = s;
  if (!find_direction (s))
    gpumm_add_reason (job->report.reason, "; one device, as the product cannot be split");
  else {
    status = find_devices (s, devices, &place, &seconds, &estimate);
    if (!status)
      status = choose_devices (s, &place, seconds, &estimate);
    if (!status && s->count > 1)
      status = make_parts (s);
  }
  if (!status && s->parts > 1)
    status = do_all (s, 0);
  if (!status && s->parts > 1)
    add_shapes (s);
  else
    gpumm_spread_close (job);
  return status;
}

/* The place of each part's result in C, and of its C0, which may have moved since it was opened (routine.c). */
static gpumm_status place_results (spread *s, const gpumm_matrix *result) {
  int64_t line = 0, entry = 0;
  for (int i = 0; i < s->parts; i++) {
    part *p = &s->part[i];
    const int64_t count = s->by_rows ? p->c.rows : p->c.cols;
    const int64_t nzmax = p->job->shape.nzmax;
    p->c = *result;
    if (s->whole->problem.c0) {
      p->c0 = *s->whole->problem.c0;
      slice (&p->c0, s->by_rows, line, count);
      p->job->c0 = p->c0;
    }
    if (result->format == GPUMM_DENSE)
      slice (&p->c, s->by_rows, line, count);
    else {
      *(s->by_rows ? &p->c.rows : &p->c.cols) = count;
      p->room = p->c.nzmax = nzmax;
      p->c.index = (char *) result->index + (size_t) entry * gpumm_index_bytes (result);
      p->c.values = (char *) result->values + (size_t) entry * gpumm_entry_bytes (result);
      p->c.start = gpumm_allocate (gpumm_line_count (&p->c) + 1, sizeof *p->c.start);
      if (!p->c.start)
        return GPUMM_HOST_MEMORY;
      entry += nzmax;
    }
    line += count;
  }
  return GPUMM_OK;
}

/* Moves entries together, where parts had more room than they took, and joins the offsets. */
static void join_results (const spread *s, gpumm_matrix *result) {
  int64_t line = 0, entry = 0;
  if (result->format == GPUMM_DENSE)
    return;
  result->start[0] = 0;
  for (const part *p = s->part; p < s->part + s->parts; p++) {
    const int64_t lines = gpumm_line_count (&p->c), entries = p->c.start[lines];
    const size_t index = gpumm_index_bytes (result), element = gpumm_entry_bytes (result);
    memmove ((char *) result->index + (size_t) entry * index, p->c.index, (size_t) entries * index);
    memmove ((char *) result->values + (size_t) entry * element, p->c.values,
             (size_t) entries * element);
    for (int64_t i = 1; i <= lines; i++)
      result->start[line + i] = entry + p->c.start[i];
    line += lines;
    entry += entries;
  }
}

/* What was not spread, or a part, on this device. */
static gpumm_share share_of (const gpumm_report *r, int device) {
  gpumm_share x = {.device = device,
                   .total = r->total,
                   .upload = r->upload,
                   .compute = r->compute,
                   .download = r->download,
                   .bytes_up = r->bytes_up,
                   .bytes_down = r->bytes_down,
                   .flops = r->flops};
  memcpy (x.device_name, r->device_name, sizeof x.device_name);
  return x;
}

static void add_share (gpumm_share *shares, int *count, const gpumm_share *more) {
  gpumm_share *x = shares;
  while (x < shares + *count && x->device != more->device)
    x++;
  if (x == shares + *count) {
    shares[(*count)++] = *more;
    return;
  }
  x->total += more->total;
  x->upload += more->upload;
  x->compute += more->compute;
  x->download += more->download;
  x->bytes_up += more->bytes_up;
  x->bytes_down += more->bytes_down;
  x->flops += more->flops;
}

void gpumm_add_shares (gpumm_share *shares, int *count, const gpumm_report *of) {
  const gpumm_share whole = share_of (of, of->device);
  if (of->share_count == 0)
    add_share (shares, count, &whole);
  for (int i = 0; i < of->share_count; i++)
    add_share (shares, count, &of->shares[i]);
}

static void report_on (spread *s) {
  gpumm_report *r = &s->whole->report;
  r->shares = s->shares;
  for (const part *p = s->part; p < s->part + s->parts; p++) {
    const gpumm_report *of = &p->job->report;
    const gpumm_share share = share_of (of, p->device);
    add_share (s->shares, &r->share_count, &share);
    r->bytes_up += of->bytes_up;
    r->bytes_down += of->bytes_down;
    r->flops += of->flops;
    if (p == s->part)
      memcpy (r->kernel, of->kernel, sizeof r->kernel); /* with what it decided */
  }
  for (const gpumm_share *x = s->shares; x < s->shares + r->share_count; x++) {
    r->upload = fmax (r->upload, x->upload);
    r->compute = fmax (r->compute, x->compute);
    r->download = fmax (r->download, x->download);
  }
}

gpumm_status gpumm_spread_run (gpumm_job *job, gpumm_matrix *result) {
  spread *s = job->spread;
  gpumm_status status = place_results (s, result);
  if (!status)
    status = do_all (s, 1);
  if (status)
    return status;
  join_results (s, result);
  report_on (s);
  return GPUMM_OK;
}

void gpumm_spread_close (gpumm_job *job) {
  spread *s = job->spread;
  if (!s)
    return;
  for (part *p = s->part; p < s->part + s->parts; p++) {
    s->calls->close (p->job);
    const gpumm_matrix *x = s->by_rows ? &p->problem.a : &p->problem.b;
    if (x->format != GPUMM_DENSE)
      gpumm_release (x->start);
    if (p->c.format != GPUMM_DENSE)
      gpumm_release (p->c.start);
  }
  gpumm_release (s);
  job->spread = NULL;
}
