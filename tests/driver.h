/* driver.h - what programs share that test or measure the kernels of a driver: the driver of a
 * library with its first device and a stream, options of the command line, elements of any type.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_DRIVER_H
#define GPUMM_TESTS_DRIVER_H

#include "device/device.h"
#include "check.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void *driver_library;
static const gpumm_driver *driver;
static gpumm_device_properties device;
static gpumm_stream *stream;

/* What the program itself needs of the driver: without it there is no going on. */
static inline void need (gpumm_status status, const char *what) {
  if (status) {
    printf ("cannot go on, %s: %s\n", what, driver->error_text ());
    exit (EXIT_FAILURE);
  }
}

/* Sets *function, a pointer to a function; NULL and 0: the library has none of that name. */
static inline int find_function (void *library, const char *name, void *function) {
  void *found = dlsym (library, name);
  memcpy (function, &found, sizeof found);
  return found != NULL;
}

/* Returns 0, or the exit status where there is nothing to go on with: 77 without a device. */
static inline int open_driver (const char *library) {
  const gpumm_driver *(*table) (void);
  int devices = 0;
  driver_library = dlopen (library, RTLD_NOW | RTLD_LOCAL);
  if (!driver_library || !find_function (driver_library, "gpumm_driver_table", &table)) {
    printf ("%s\n", dlerror ());
    return 2;
  }
  driver = table ();
  if (driver->version != GPUMM_DRIVER_VERSION || driver->count (&devices)) {
    printf ("driver %s: %s\n", driver->name, driver->error_text ());
    return EXIT_FAILURE;
  }
  if (devices == 0) {
    printf ("SKIP: no GPU: %s\n", driver->error_text ());
    return 77;
  }
  need (driver->properties (0, &device), "properties");
  need (driver->stream_create (0, &stream), "stream_create");
  return 0;
}

static void *pinned;

/* Up or down, by way of host memory that copies may use, kept from one to the next. */
static inline void copy (void *to, const void *from, size_t bytes, int is_up) {
  static size_t size;
  if (bytes > size) {
    need (driver->unpin (0, pinned), "unpin");
    need (driver->pin (0, size = 2 * bytes, &pinned), "pin");
  }
  if (bytes == 0)
    return;
  if (is_up)
    memcpy (pinned, from, bytes);
  need (is_up ? driver->copy_up (0, stream, to, bytes, pinned, bytes, bytes, 1)
              : driver->copy_down (0, stream, pinned, bytes, from, bytes, bytes, 1),
        "copy");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  if (!is_up)
    memcpy (to, pinned, bytes);
}

static inline void close_driver (void) {
  need (driver->unpin (0, pinned), "unpin");
  need (driver->stream_destroy (0, stream), "stream_destroy");
  driver->reset ();
}

/* ---- options ------------------------------------------------------------------------------ */

/* "name=value", and where the value goes: to the one of these that is not NULL. A table of them
 * ends with one that has no name. */
typedef struct {
  const char *name;
  long *number;
  const char **text;
  double *real;
} option;

/* 0: the argument is none of the options. */
static inline int take_option (const option *options, const char *argument) {
  const char *value = strchr (argument, '=');
  for (const option *o = options; value && o->name; o++)
    if (strlen (o->name) == (size_t) (value - argument)
        && strncmp (argument, o->name, strlen (o->name)) == 0) {
      if (o->number)
        *o->number = strtol (value + 1, NULL, 0);
      else if (o->text)
        *o->text = value + 1;
      else
        *o->real = strtod (value + 1, NULL);
      return 1;
    }
  return 0;
}

/* ---- elements of types s, d, c and z, unless operands.h has them for all types ------------ */

#ifndef GPUMM_TESTS_OPERANDS_H

static const double epsilons[] = {FLT_EPSILON, DBL_EPSILON, FLT_EPSILON, DBL_EPSILON};
static const size_t sizes[] = {4, 8, 8, 16};

/* By its BLAS letter; another one ends the program. */
static inline gpumm_type type_of (char letter) {
  static const char letters[] = "sdcz";
  const char *at = strchr (letters, letter);
  if (!letter || !at) {
    printf ("no element type %c\n", letter);
    exit (2);
  }
  return (gpumm_type) (at - letters);
}

static inline int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static inline int is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

/* Element i, its real part (0) or its imaginary (1), which a real type reads as 0. */
static inline double get (gpumm_type type, const void *p, int64_t i, int part) {
  if (part && !is_complex (type))
    return 0;
  i = is_complex (type) ? 2 * i + part : i;
  return is_single (type) ? (double) ((const float *) p)[i] : ((const double *) p)[i];
}

static inline void put (gpumm_type type, void *p, int64_t i, int part, double x) {
  if (part && !is_complex (type))
    return;
  i = is_complex (type) ? 2 * i + part : i;
  if (is_single (type))
    ((float *) p)[i] = (float) x;
  else
    ((double *) p)[i] = x;
}

#endif
#endif
