/* bench.h - functions that the C benchmarks of a driver share: times by events, medians, the head
 * of a results file, random bits, lists of names. tests/driver.h has the rest.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BENCH_H
#define GPUMM_BENCH_H

#include "../tests/driver.h"

/* Opens the driver and the results file, and writes the head: the command, GPU and driver. Returns
 * 0, or the exit status if one of them cannot be opened. */
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

/* Also sorts the times. */
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

/* Waits for the second event. */
static inline double seconds_between (gpumm_event *from, gpumm_event *to) {
  double seconds;
  need (driver->event_synchronize (0, to), "event_synchronize");
  need (driver->event_seconds (0, from, to, &seconds), "event_seconds");
  return seconds;
}

/* ---- operations --------------------------------------------------------------------------- */

/* Operations of one multiply-add: 2, complex 8. */
static inline double operations_of (gpumm_type type) {
  return is_complex (type) ? 8 : 2;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Is the name in a list like "register,tiled"? beginning: is an entry the beginning of the name?
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
