/* bench.h - what the benchmarks in C of a driver share, beside tests/driver.h: times by events, their
 * median, the head of a file of results, random bits, lists of names.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BENCH_H
#define GPUMM_BENCH_H

#include "../tests/driver.h"

/* The driver and a file of results that begins with lines that say what ran where. Returns 0, or the
 * exit status where there is nothing to go on with. */
static inline int open_benchmark (int count, char **arguments, FILE **file) {
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  *file = fopen (arguments[2], "w");
  if (!*file) {
    printf ("%s cannot be written\n", arguments[2]);
    return 2;
  }
  fprintf (*file, "#");
  for (int i = 0; i < count; i++)
    fprintf (*file, " %s",
             strrchr (arguments[i], '/') ? strrchr (arguments[i], '/') + 1 : arguments[i]);
  fprintf (*file, "\n# %s, driver for CUDA %d, runtime %d\n", device.name, device.driver,
           device.runtime);
  return 0;
}

/* ---- times -------------------------------------------------------------------------------- */

static inline int by_size (const void *x, const void *y) {
  return (*(const double *) x > *(const double *) y) - (*(const double *) x < *(const double *) y);
}

/* Sorts the times. */
static inline double median (double *times, int count) {
  qsort (times, (size_t) count, sizeof *times, by_size);
  return times[count / 2];
}

static inline gpumm_event *make_event (void) {
  gpumm_event *event;
  need (driver->event_create (0, &event), "event_create");
  return event;
}

static inline void record (gpumm_event *event) {
  need (driver->event_record (0, event, stream), "event_record");
}

/* Waits for the second. */
static inline double seconds_between (gpumm_event *from, gpumm_event *to) {
  double seconds;
  need (driver->event_synchronize (0, to), "event_synchronize");
  need (driver->event_seconds (0, from, to, &seconds), "event_seconds");
  return seconds;
}

/* ---- operations --------------------------------------------------------------------------- */

/* Of a multiplication and an addition. */
static inline double operations_of (gpumm_type type) {
  return is_complex (type) ? 8 : 2;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Is the name one of a list like "register,tiled"? With `beginning`, a name that begins so will do.
 * An empty list has all names. */
static inline int listed (const char *list, const char *name, int beginning) {
  if (!*list)
    return 1;
  for (const char *p = list; p; p = strchr (p, ',') ? strchr (p, ',') + 1 : NULL) {
    size_t length = strcspn (p, ",");
    if (length > 0 && strncmp (p, name, length) == 0 && (beginning || !name[length]))
      return 1;
  }
  return 0;
}

#endif
