/* elements.h - arrays of the four types of BLAS in the tests of the drop-in, as reals, and
 * routines by name.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_ELEMENTS_H
#define GPUMM_TESTS_ELEMENTS_H

#include "../../blas/blas.h"
#include "check.h"

#include <dlfcn.h>
#include <string.h>

static inline int is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static inline int parts (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z ? 2 : 1;
}

static inline double epsilon (gpumm_type type) {
  return is_single (type) ? 0x1p-23 : 0x1p-52;
}

static inline void put (void *array, gpumm_type type, int64_t i, double value) {
  if (is_single (type))
    ((float *) array)[i] = (float) value;
  else
    ((double *) array)[i] = value;
}

static inline double get (const void *array, gpumm_type type, int64_t i) {
  return is_single (type) ? (double) ((const float *) array)[i] : ((const double *) array)[i];
}

/* What must not be read: a NaN that no routine makes, unlike one that it writes. */
static inline void hide (void *array, gpumm_type type, int64_t i) {
  static const uint64_t wide = 0x7ff8123456789abc;
  static const uint32_t narrow = 0x7fc12345;
  if (is_single (type))
    memcpy ((float *) array + i, &narrow, sizeof narrow);
  else
    memcpy ((double *) array + i, &wide, sizeof wide);
}

/* ---- routines ----------------------------------------------------------------------------- */

typedef void routine ();

enum { OURS, THEIRS };

/* "gemm": the drop-in's, or that of the BLAS below. */
static inline routine *find_routine (int whose, gpumm_type type, const char *name) {
  char full[16];
  snprintf (full, sizeof full, "%c%s_", "sdcz"[type], name);
  return (routine *) (whose == OURS ? dlsym (RTLD_DEFAULT, full) : gpumm_blas_symbol (full));
}

/* How often the device (else the CPU) has computed it. */
static inline int64_t count_calls (gpumm_routine which, gpumm_type type, int on_device) {
  char name[16];
  int64_t gpu, cpu;
  double gpu_seconds, cpu_seconds;
  gpumm_blas_calls (4 * (int) which + (int) type, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds);
  return on_device ? gpu : cpu;
}

/* The program's xerbla_, which the BLAS finds, keeps what it was told. */
static char said_name[8];
static integer said_info;

GPUMM_API void xerbla_ (const char *name, const integer *info, size_t length) {
  memset (said_name, 0, sizeof said_name);
  memcpy (said_name, name, length < 6 ? length : 6);
  said_info = *info;
}

/* 77: there is no BLAS with the program's integers, and nothing to test. */
static inline int begin_blas (void) {
  if (gpumm_blas_bits () == 8 * (int) sizeof (integer))
    return 0;
  printf ("SKIP: there is no BLAS with integers of %d bits\n0 passed, 0 failed, 1 skipped\n",
          8 * (int) sizeof (integer));
  return 77;
}

#endif
