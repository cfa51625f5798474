/* transfer_rates.c - how fast large matrices move between the host and several devices at once.
 *
 * Each device has a link of its own, but all share the cores that copy and the host's memory. On
 * one host two H100 received 1.4 to 1.9 times as much as one, and sent no more.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transfer_rates.h"
#include "clock.h"
#include "memory/host.h"
#include "progress.h"
#include "rates.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Flat matrices of 0.25 GiB, or of 128 MiB for each device, go up or come down, beside others
 * that take a few percent of that. On four H200 0.25 GiB went up at 83 GB/s and came down at 60,
 * 0.5 GiB at 95 and 69, 1 GiB at 97 and 71. */
enum { ROWS = 512, COLS = 65536, COLS_EACH = COLS / 2, THIN = 16, MOST_ROUNDS = 4 };

/* No further round begins so many seconds after the first, which opens the devices. */
static const double ENOUGH = 0.15;

/* The least seconds of a product that moves little, and of those that bring a flat matrix down
 * and up. */
typedef struct {
  double little, down, up;
} times;

/* What is known of a set of devices, by their bits. */
typedef struct {
  uint64_t devices;
  times one, all;
  int failed;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { SETS = 8 };
static entry known[SETS]; /* the oldest makes room */
static int newest;

static _Thread_local int is_measuring;

int gpumm_transfer_rates_measuring (void) {
  return is_measuring;
}

void gpumm_transfer_rates_forget (void) {
  pthread_mutex_lock (&lock);
  memset (known, 0, sizeof known);
  pthread_mutex_unlock (&lock);
}

typedef struct {
  uint64_t devices;
  const gpumm_product_calls *calls;
  gpumm_matrix square, tall, wide, few; /* ROWS x ROWS, ROWS x THIN, THIN x ROWS, THIN x columns */
} trial;

static int64_t columns (uint64_t devices) {
  const int64_t each = COLS_EACH * (int64_t) __builtin_popcountll (devices);
  return each > COLS ? each : COLS;
}

static gpumm_matrix matrix (int64_t rows, int64_t cols, void *values) {
  return (gpumm_matrix){.type = GPUMM_D, .rows = rows, .cols = cols, .ld = rows, .values = values};
}

/* Not of whole numbers, nor of those that fit a float: these would go up in fewer bytes. */
static gpumm_matrix random_operand (int64_t rows, int64_t cols) {
  return matrix (rows, cols, gpumm_random_matrix (rows * cols, GPUMM_D));
}

/* Lowers *least to the seconds of a * b, in fresh memory, as results of Octave's are. */
static gpumm_status time_product (const trial *t, const gpumm_matrix *a, const gpumm_matrix *b,
                                  gpumm_matrix *c, double *least) {
  const gpumm_problem problem = {.a = *a, .b = *b, .alpha = {1, 0}, .output = GPUMM_D};
  const gpumm_options options = {.backend = GPUMM_GPU, .device = -1, .devices = t->devices};
  struct gpumm_job *job = NULL;
  *c = matrix (a->rows, b->cols, gpumm_allocate (a->rows * b->cols, sizeof (double)));
  if (!c->values)
    return GPUMM_HOST_MEMORY;
  const double began = gpumm_seconds ();
  gpumm_status status = t->calls->open (&problem, &options, &job);
  if (!status) {
    status = t->calls->run (job, c);
    t->calls->close (job);
  }
  *least = fmin (*least, gpumm_seconds () - began);
  return status;
}

static gpumm_status time_moves (const trial *t, times *least) {
  gpumm_matrix flat = {0}, few = {0}, little = {0};
  gpumm_status status = time_product (t, &t->wide, &t->square, &little, &least->little);
  if (!status)
    status = time_product (t, &t->tall, &t->few, &flat, &least->down);
  if (!status)
    status = time_product (t, &t->wide, &flat, &few, &least->up);
  gpumm_release (flat.values);
  gpumm_release (few.values);
  gpumm_release (little.values);
  return status;
}

static double rate (double seconds, const times *least, uint64_t devices) {
  const double bytes = (double) ROWS * (double) columns (devices) * sizeof (double),
               shortest = 1e-6; /* of coarse clocks */
  return bytes / fmax (seconds - least->little, shortest);
}

static gpumm_transfer_rate rates_of (const times *least, uint64_t devices) {
  return (gpumm_transfer_rate){rate (least->up, least, devices),
                               rate (least->down, least, devices)};
}

static uint64_t first_of (uint64_t devices) {
  return devices & -devices;
}

/* Lowers the times of one device, and of all, in several rounds. */
static gpumm_status measure (entry *e, const gpumm_product_calls *calls) {
  trial all = {.devices = e->devices,
               .calls = calls,
               .square = random_operand (ROWS, ROWS),
               .tall = random_operand (ROWS, THIN),
               .wide = random_operand (THIN, ROWS),
               .few = random_operand (THIN, columns (e->devices))};
  gpumm_matrix *operands[] = {&all.square, &all.tall, &all.wide, &all.few};
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < 4; i++)
    status = operands[i]->values ? status : GPUMM_HOST_MEMORY;
  trial one = all;
  one.devices = first_of (e->devices);
  one.few.cols = columns (one.devices);
  double first_ended = 0;
  for (int i = 0; i < MOST_ROUNDS && !status && (i < 2 || gpumm_seconds () - first_ended < ENOUGH);
       i++) {
    status = time_moves (&one, &e->one);
    if (!status)
      status = time_moves (&all, &e->all);
    if (i == 0)
      first_ended = gpumm_seconds ();
  }
  for (int i = 0; i < 4; i++)
    gpumm_release (operands[i]->values);
  return status;
}

/* The same, as no part of the caller's product: neither its progress nor its choice of devices. */
static gpumm_status measure_apart (entry *e, const gpumm_product_calls *calls) {
  is_measuring = 1;
  gpumm_progress_enter (gpumm_seconds (), 0, 0);
  const gpumm_status status = measure (e, calls);
  gpumm_progress_leave ();
  is_measuring = 0;
  return status;
}

/* A set that is not known yet. What fails is not tried again, unless it was stopped. */
static gpumm_status add (uint64_t devices, const gpumm_product_calls *calls, entry **added) {
  const times none = {INFINITY, INFINITY, INFINITY};
  entry e = {.devices = devices, .one = none, .all = none};
  const gpumm_status status = measure_apart (&e, calls);
  if (status == GPUMM_CANCELLED)
    return status;
  e.failed = status != GPUMM_OK;
  newest = (newest + 1) % SETS;
  known[newest] = e;
  *added = &known[newest];
  return GPUMM_OK;
}

static gpumm_status find (uint64_t devices, const gpumm_product_calls *calls, entry **found) {
  entry *e = known;
  while (e < known + SETS && e->devices != devices)
    e++;
  if (e == known + SETS)
    return add (devices, calls, found);
  *found = e;
  return GPUMM_OK;
}

gpumm_status gpumm_transfer_rates_of (uint64_t devices, const gpumm_product_calls *calls,
                                      gpumm_transfer_rates *rates) {
  entry *e = NULL;
  *rates = (gpumm_transfer_rates){0};
  pthread_mutex_lock (&lock);
  const gpumm_status status = find (devices, calls, &e);
  if (!status && !e->failed)
    *rates =
        (gpumm_transfer_rates){rates_of (&e->one, first_of (devices)), rates_of (&e->all, devices)};
  pthread_mutex_unlock (&lock);
  return status;
}
