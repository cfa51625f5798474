/* transfer_rates.c - how fast large matrices move between the host and several devices at once.
 *
 * Each device has a link of its own, but all share the cores that copy and the host's memory. On
 * one host two H100 received 1.4 to 1.9 times as much as one, and sent no more.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transfer_rates.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/threads.h"
#include "memory/host.h"
#include "rates.h"
#include "timed_product.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Flat matrices of 0.25 GiB, or of 128 MiB for each device, go up or come down, beside others
 * that take a few percent of that. On four H200 0.25 GiB went up at 83 GB/s and came down at 60,
 * 0.5 GiB at 95 and 69, 1 GiB at 97 and 71. */
enum { ROWS = 512, COLS = 65536, COLS_EACH = COLS / 2, THIN = 16, MOST_ROUNDS = 4 };

/* No further round begins so many seconds after the first, which opens the devices. */
static const double ENOUGH = 0.15;

/* What is known of a set of devices of one kind, by their bits. */
typedef struct {
  const gpumm_driver *driver;
  uint64_t devices;
  gpumm_transfer_rates rates; /* 0: they could not be measured */
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { SETS = 8 };
static entry known[SETS]; /* the oldest makes room */
static int newest;

void gpumm_transfer_rates_forget (void) {
  pthread_mutex_lock (&lock);
  memset (known, 0, sizeof known);
  pthread_mutex_unlock (&lock);
}

/* Of a product that moves little, and of those that bring a flat matrix down and up. */
typedef struct {
  gpumm_product_times little, down, up;
} times;

static int64_t columns (int count) {
  const int64_t each = (int64_t) COLS_EACH * count;
  return each > COLS ? each : COLS;
}

/* Lowers the times of the first `count` devices. x: the elements of every other operand. */
static gpumm_status time_moves (const gpumm_candidate *devices, int count, void *x, times *least) {
  const int64_t n = columns (count);
  gpumm_product little = {.type = GPUMM_D, .m = THIN, .n = ROWS, .k = ROWS, .a = x, .b = x};
  gpumm_product down = {.type = GPUMM_D, .m = ROWS, .n = n, .k = THIN, .a = x, .b = x};
  gpumm_product up = {.type = GPUMM_D, .m = THIN, .n = n, .k = ROWS, .a = x};
  gpumm_status status = gpumm_time_product (devices, count, &little, &least->little);
  if (!status)
    status = gpumm_time_product (devices, count, &down, &least->down);
  up.b = down.c;
  if (!status)
    status = gpumm_time_product (devices, count, &up, &least->up);
  gpumm_release (little.c);
  gpumm_release (down.c);
  gpumm_release (up.c);
  return status;
}

static double rate (const gpumm_product_times *x, const times *least, int count) {
  const double bytes = (double) ROWS * (double) columns (count) * sizeof (double),
               shortest = 1e-6; /* of coarse clocks */
  return bytes / fmax (x->total - least->little.total, shortest);
}

static gpumm_transfer_rate rates_of (const times *least, int count) {
  return (gpumm_transfer_rate){rate (&least->up, least, count), rate (&least->down, least, count)};
}

/* Measures one device, and all, in several rounds. */
static gpumm_status measure (gpumm_context *const *contexts, int count,
                             gpumm_transfer_rates *rates) {
  static const times none = {{INFINITY, INFINITY}, {INFINITY, INFINITY}, {INFINITY, INFINITY}};
  times one = none, all = none;
  gpumm_candidate devices[GPUMM_MOST_TEAMS];
  /* not of whole numbers, nor of those that fit a float: these would go up in fewer bytes */
  void *x = gpumm_random_matrix (THIN * columns (count), GPUMM_D);
  gpumm_status status = x ? GPUMM_OK : GPUMM_HOST_MEMORY;
  for (int i = 0; i < count && !status; i++)
    status = gpumm_candidate_device (contexts[i], GPUMM_D, 1, &devices[i]);
  double first_ended = 0;
  for (int i = 0; i < MOST_ROUNDS && !status && (i < 2 || gpumm_seconds () - first_ended < ENOUGH);
       i++) {
    status = time_moves (devices, 1, x, &one);
    if (!status)
      status = time_moves (devices, count, x, &all);
    if (i == 0)
      first_ended = gpumm_seconds ();
  }
  gpumm_release (x);
  if (!status)
    *rates = (gpumm_transfer_rates){rates_of (&one, 1), rates_of (&all, count)};
  return status;
}

gpumm_status gpumm_transfer_rates_of (gpumm_context *const *contexts, int count,
                                      gpumm_transfer_rates *rates) {
  entry e = {.driver = contexts[0]->driver};
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < count; i++)
    e.devices |= UINT64_C (1) << contexts[i]->device;
  pthread_mutex_lock (&lock);
  const entry *x = known;
  while (x < known + SETS && (x->driver != e.driver || x->devices != e.devices))
    x++;
  if (x == known + SETS) {
    gpumm_progress_enter (gpumm_seconds (), 0, 0); /* this is none of the caller's product */
    status = measure (contexts, count, &e.rates);
    gpumm_progress_leave ();
    if (status != GPUMM_CANCELLED) { /* what fails is not tried again */
      newest = (newest + 1) % SETS;
      known[newest] = e;
      status = GPUMM_OK;
    }
  } else
    e = *x;
  *rates = e.rates;
  pthread_mutex_unlock (&lock);
  return status;
}
