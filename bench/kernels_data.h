/* kernels_data.h - options, memory, elements and times of kernels.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BENCH_KERNELS_DATA_H
#define GPUMM_BENCH_KERNELS_DATA_H

#include "../tests/driver.h"

enum { MOST_REPEATS = 64, MOST_ROWS = 256 };

static struct {
  const char *types, *kernels, *cases, *blocks, *ops, *ld, *save;
  double room, most;
  long rows, repeats;
} options = {"", "", "", "", "nn", "exact", NULL, 16, 10, 100000, 5};

static FILE *file;
static gpumm_event *events[4];
static int wrong;
static double
    rates[MOST_ROWS]; /* of each row of a table in its last case: seconds of an operation */

/* ---- names -------------------------------------------------------------------------------- */

/* Is the name in a list like "register,tiled"? beginning: is an entry the beginning of the name? An
 * empty list has all names. */
static int listed (const char *list, const char *name, int beginning) {
  for (const char *p = list; p && *p; p = strchr (p, ',') ? strchr (p, ',') + 1 : NULL) {
    const size_t length = strcspn (p, ",");
    if (strncmp (p, name, length) == 0 && (beginning || !name[length]))
      return 1;
  }
  return !*list;
}

static int listed_number (const char *list, int64_t number) {
  char name[30];
  snprintf (name, sizeof name, "%lld", (long long) number);
  return listed (list, name, 0);
}

static char letter_of (gpumm_type type) {
  return type == GPUMM_U16 ? 'u' : "sdcz"[type];
}

/* ---- memory ------------------------------------------------------------------------------- */

static void *take (int64_t elements, size_t size) {
  void *p;
  need (driver->allocate (0, (size_t) elements * size + 1, &p), "allocate");
  return p;
}

static void give (void *p) {
  need (driver->release (0, p), "release");
}

/* ---- elements ----------------------------------------------------------------------------- */

static uint64_t splitmix64 (uint64_t x) { /* S. Vigna, 2015, public domain */
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* Element e of an operand is element e + SHIFT * which, modulo PIECE, of a piece: drawing 16384^2
 * numbers would take longer than multiplying them. PIECE is prime, so that columns differ. */
enum { PIECE = 2097143, SHIFT = 700001 };
static void *piece; /* pinned */
static uint32_t highest = 65535;

static size_t bytes_of (gpumm_type type) {
  return type == GPUMM_U16 ? 2 : sizes[type];
}

static double operations_of (gpumm_type type) {
  return type != GPUMM_U16 && is_complex (type) ? 8 : 2;
}

static void make_piece (gpumm_type type) {
  for (int64_t e = 0; e < PIECE; e++)
    if (type == GPUMM_U16)
      ((uint16_t *) piece)[e] = (uint16_t) (splitmix64 ((uint64_t) e) % (highest + 1));
    else
      for (int part = 0; part < 2; part++)
        put (type, piece, e, part,
             (double) (splitmix64 ((uint64_t) (2 * e + part)) >> 11) * 0x1p-53 - 0.5);
}

static double part_of (gpumm_type type, int which, int64_t e, int part) {
  e = (e + (int64_t) SHIFT * which) % PIECE;
  return type == GPUMM_U16 ? part ? 0 : ((uint16_t *) piece)[e] : get (type, piece, e, part);
}

static void *make_operand (gpumm_type type, int which, int64_t elements) {
  const size_t size = bytes_of (type);
  char *p = take (elements, size);
  int64_t from = (int64_t) SHIFT * which % PIECE;
  for (int64_t at = 0; at < elements; from = 0) {
    const int64_t now = elements - at < PIECE - from ? elements - at : PIECE - from;
    const size_t bytes = (size_t) now * size;
    need (driver->copy_up (0, stream, p + (size_t) at * size, bytes,
                           (char *) piece + (size_t) from * size, bytes, bytes, 1),
          "copy_up");
    at += now;
  }
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  return p;
}

typedef struct {
  long double re, im, size; /* size: the sum of absolute values */
} sum;

/* Adds the product of element a of A and element b of B, operand number which_b. */
static void add_product (gpumm_type type, int64_t a, int which_b, int64_t b, sum *s) {
  const long double ar = part_of (type, 0, a, 0), ai = part_of (type, 0, a, 1);
  const long double br = part_of (type, which_b, b, 0), bi = part_of (type, which_b, b, 1);
  s->re += ar * br - ai * bi;
  s->im += ar * bi + ai * br;
  s->size += hypotl (ar, ai) * hypotl (br, bi);
}

/* The error of the element of C at p, on the device; of integers, which saturate, 0 or 1. */
static double error_at (gpumm_type type, const void *p, const sum *s) {
  char value[16];
  if (type == GPUMM_U16) {
    copy (value, p, sizeof (uint32_t), 0);
    return *(uint32_t *) value != (s->re < UINT32_MAX ? (uint32_t) s->re : UINT32_MAX);
  }
  copy (value, p, sizes[type], 0);
  const long double re = get (type, value, 0, 0) - s->re, im = get (type, value, 0, 1) - s->im;
  return isnan (re) || isnan (im) ? INFINITY : (double) hypotl (re, im);
}

/* ---- time --------------------------------------------------------------------------------- */

static int by_size (const void *x, const void *y) {
  return (*(const double *) x > *(const double *) y) - (*(const double *) x < *(const double *) y);
}

/* Also sorts the times. */
static double median (double *times) {
  qsort (times, (size_t) options.repeats, sizeof *times, by_size);
  return times[options.repeats / 2];
}

static void record (int event) {
  need (driver->event_record (0, events[event], stream), "event_record");
}

/* Waits for the second event. */
static double seconds_between (int from, int to) {
  double seconds;
  need (driver->event_synchronize (0, events[to]), "event_synchronize");
  need (driver->event_seconds (0, events[from], events[to], &seconds), "event_seconds");
  return seconds;
}

#endif
