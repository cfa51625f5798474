/* driver.c - what the CUDA driver and the host device share.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of each thread, allocated as in engine/base/error.c. gpumm_driver_table () makes the
 * key. */
enum { TEXT_BYTES = 512 };
static pthread_key_t texts;
static int has_texts;

gpumm_status gpumm_driver_fail (gpumm_status status, const char *format, ...) {
  char *text = has_texts ? pthread_getspecific (texts) : NULL;
  va_list arguments;
  if (!text && has_texts && (text = malloc (TEXT_BYTES)) && pthread_setspecific (texts, text)) {
    free (text);
    text = NULL;
  }
  va_start (arguments, format);
  if (text)
    vsnprintf (text, TEXT_BYTES, format, arguments);
  va_end (arguments);
  return status;
}

const char *gpumm_driver_text (void) {
  const char *text = has_texts ? pthread_getspecific (texts) : NULL;
  return text ? text : "no reason given";
}

/* ---- cancelling --------------------------------------------------------------------------- */

static int (*_Atomic watched) (void);
static void (*_Atomic added) (double fraction);
static _Thread_local double weight = 1;

void gpumm_driver_watch (int (*is_cancelled) (void), void (*add) (double fraction)) {
  atomic_store (&watched, is_cancelled);
  atomic_store (&added, add);
}

void gpumm_driver_set_weight (double fraction) {
  weight = fraction;
}

void gpumm_driver_add_progress (double fraction) {
  void (*add) (double fraction) = atomic_load_explicit (&added, memory_order_relaxed);
  if (add)
    add (fraction * weight);
}

int gpumm_driver_is_cancelled (void) {
  int (*is_cancelled) (void) = atomic_load_explicit (&watched, memory_order_relaxed);
  return is_cancelled && is_cancelled ();
}

gpumm_status gpumm_driver_check_cancelled (void) {
  return gpumm_driver_is_cancelled () ? gpumm_driver_fail (GPUMM_CANCELLED, "cancelled") : GPUMM_OK;
}

/* ---- the kernel table --------------------------------------------------------------------- */

#ifdef GPUMM_DRIVER_CUDA
#define CUDA_FAMILY(name)        FAMILY (name)
#define SPARSE_CUDA_FAMILY(name) SPARSE_FAMILY (name)
#else
#define CUDA_FAMILY(name)
#define SPARSE_CUDA_FAMILY(name)
#endif

#define FAMILY(name)        extern const gpumm_kernel gpumm_family_##name[];
#define SPARSE_FAMILY(name) extern const gpumm_sparse_kernel gpumm_family_##name[];
#define ARRAY_FAMILY(name)  extern const gpumm_array_kernel gpumm_arrays_##name[];
#include "array_families.h"
#include "families.h"
#undef FAMILY
#undef SPARSE_FAMILY
#undef ARRAY_FAMILY

enum { MOST_ROWS = 256 };
const gpumm_kernel *gpumm_driver_kernels[MOST_ROWS + 1];
const gpumm_sparse_kernel *gpumm_driver_sparse_kernels[MOST_ROWS + 1];
const gpumm_array_kernel *gpumm_driver_array_kernels[MOST_ROWS + 1];

static void make_tables (void) {
  int full = 0, sparse = 0, arrays = 0;
  has_texts = pthread_key_create (&texts, free) == 0;
#define COLLECT(family, rows, count)                                                               \
  for (int i = 0; family[i].name && count < MOST_ROWS; i++)                                        \
    rows[count++] = &family[i];
#define FAMILY(family)        COLLECT (gpumm_family_##family, gpumm_driver_kernels, full)
#define SPARSE_FAMILY(family) COLLECT (gpumm_family_##family, gpumm_driver_sparse_kernels, sparse)
#define ARRAY_FAMILY(family)  COLLECT (gpumm_arrays_##family, gpumm_driver_array_kernels, arrays)
#include "array_families.h"
#include "families.h"
}

const gpumm_driver *gpumm_driver_table (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, make_tables);
  return &gpumm_driver_here;
}
