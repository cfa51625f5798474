/* driver_test.h - what the tests of kernels share: counted checks with the driver's own words,
 * random numbers of a printed seed, operands on both sides, scalars, and when two numbers agree.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_DRIVER_TEST_H
#define GPUMM_DRIVER_TEST_H

#include "../driver.h"

#include <stdarg.h>

/* ---- counting ----------------------------------------------------------------------------- */

static inline void report (int ok, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* Counts; a failure prints the text (printf's rules). */
static inline void report (int ok, const char *format, ...) {
  if (ok) {
    check_passed++;
    return;
  }
  if (++check_failed > 20)
    return;
  va_list arguments;
  va_start (arguments, format);
  printf ("FAILED: ");
  vprintf (format, arguments);
  printf ("\n");
  va_end (arguments);
}

/* Of the driver's own functions. */
#define CHECK_DRIVER(what)                                                                         \
  report ((what) ? 1 : 0, "line %d: %s (%s)", __LINE__, #what, driver->error_text ())

/* ---- the program --------------------------------------------------------------------------- */

/* LIBRARY and options, from the first-th argument on. Returns 0, or the exit status where there is
 * nothing to go on with; says how the program is used (2). */
static inline int open_tests (int count, char **arguments, int first, const option *known,
                              const char *usage) {
  int good = count >= first;
  for (int i = first; i < count; i++)
    good = good && take_option (known, arguments[i]);
  if (good)
    return open_driver (arguments[1]);
  printf ("usage: %s\n", usage);
  return 2;
}

/* NULL: the driver has no row of that name. */
static inline const gpumm_kernel *find_kernel (const char *name) {
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (strcmp ((*row)->name, name) == 0)
      return *row;
  return NULL;
}

/* ---- random numbers ----------------------------------------------------------------------- */

/* Says what is tested. A seed gives the numbers that it gave before. */
static inline void begin_tests (long seed) {
  printf ("driver %s, %s, seed=%ld\n", driver->name, device.name, seed);
  check_state = (uint64_t) seed * 2 + 1; /* not 0, where xorshift stays */
}

/* 0 .. n - 1 */
static inline int64_t below (int64_t n) {
  return (int64_t) ((check_random () >> 11) % (uint64_t) n);
}

/* In (-1, 1), a few of them exactly zero, the others over several orders of magnitude. */
static inline double any_number (void) {
  double x = (double) (check_random () >> 11) * 0x1p-52 - 1;
  return below (16) == 0 ? 0 : ldexp (x, (int) -below (8));
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Page-locked memory and its like on the device, of exactly that many bytes. */
typedef struct pair {
  void *host, *device;
  size_t bytes;
} pair;

static inline pair make_pair (size_t bytes) {
  pair p = {NULL, NULL, bytes};
  need (driver->pin (0, bytes, &p.host), "pin");
  need (driver->allocate (0, bytes, &p.device), "allocate");
  return p;
}

static inline void drop_pair (pair *p) {
  need (driver->unpin (0, p->host), "unpin");
  need (driver->release (0, p->device), "release");
}

static inline void up (const pair *p) {
  need (driver->copy_up (0, stream, p->device, p->bytes, p->host, p->bytes, p->bytes, 1),
        "copy_up");
}

static inline void down (const pair *p) {
  need (driver->copy_down (0, stream, p->host, p->bytes, p->device, p->bytes, p->bytes, 1),
        "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
}

/* ---- memory ------------------------------------------------------------------------------- */

enum { GUARD = 256, POISON = 0xff }; /* GUARD bytes before and after what a kernel writes */

static inline void *upload (const void *from, size_t bytes) {
  void *p;
  need (driver->allocate (0, bytes, &p), "allocate");
  copy (p, from, bytes, 1);
  return p;
}

static inline void drop (void *p) {
  need (driver->release (0, p), "release");
}

/* What a kernel writes, on the device and between guards on the host: before it, after its first
 * run, and after the last. */
typedef struct {
  void *device;
  char *before, *first, *now;
  size_t bytes;
} written;

static inline written provide_written (size_t bytes) {
  written w = {.bytes = (bytes + 15) / 16 * 16 + 2 * GUARD};
  w.before = check_allocate (3, w.bytes);
  memset (w.before, 0xa5, w.bytes);
  memset (w.before + GUARD, POISON, bytes);
  w.first = w.before + w.bytes;
  w.now = w.first + w.bytes;
  w.device = upload (w.before, w.bytes);
  return w;
}

static inline void *inside (const written *w) {
  return (char *) w->device + GUARD;
}

static inline void drop_written (written *w) {
  drop (w->device);
  free (w->before);
}

/* ---- scalars ------------------------------------------------------------------------------ */

static const struct {
  gpumm_scalar alpha, beta;
} scalars[] = {
    {{1, 0}, {0, 0}}, {{1, 0}, {1, 0}},      {{0.5, 0}, {-2, 0}},  {{0, 0}, {0, 0}},
    {{0, 0}, {3, 0}}, {{0.5, -1.5}, {0, 0}}, {{-1, 0}, {0.25, 2}}, {{0, 1}, {0, -1}},
};
enum { SCALARS = sizeof scalars / sizeof *scalars };

/* A complex scalar for a real type is not a problem that can be put: its real part is used. */
static inline void choose_scalars (gpumm_type type, int64_t which, gpumm_scalar *alpha,
                                   gpumm_scalar *beta) {
  *alpha = scalars[which % SCALARS].alpha;
  *beta = scalars[which % SCALARS].beta;
  if (!is_complex (type))
    alpha->im = beta->im = 0;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* |x|; 0 for NaN and Inf, beside which there is no error to bound. */
static inline long double if_finite (long double x) {
  return isfinite (x) ? fabsl (x) : 0;
}

/* Of the same kind (NaN, an Inf of that sign, a number), and if a number, near enough. */
static inline int agrees (long double x, long double y, long double bound) {
  if (isnan (y))
    return isnan (x);
  if (isinf (y))
    return x == y;
  return fabsl (x - y) <= bound;
}

#endif
