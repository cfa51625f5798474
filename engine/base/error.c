/* error.c - the status table and the text of a thread's last failure.
 *
 * The whole engine reports failures through this file, so it calls no other file of the engine. It
 * uses malloc, because gpumm_allocate reports its own failures here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of each thread. It is allocated: where there is no memory for thread-local data, the
 * system ends the process. */
enum { TEXT_BYTES = 1024 };
static char no_text[] = "out of host memory"; /* a thread's text where none could be allocated */
static pthread_key_t texts;

static void release_text (void *text) {
  if (text != no_text)
    free (text);
}

static int has_texts; /* a process may have 1024 keys */
static void make_texts (void) {
  has_texts = pthread_key_create (&texts, release_text) == 0;
}

/* NULL if the thread has none yet. */
static char *text_here (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, make_texts);
  return has_texts ? pthread_getspecific (texts) : no_text;
}

static char *make_text (void) {
  char *text = has_texts ? malloc (TEXT_BYTES) : NULL;
  if (text && pthread_setspecific (texts, text) == 0)
    return text;
  free (text);
  if (has_texts)
    (void) pthread_setspecific (texts, no_text);
  return no_text;
}

const char *gpumm_status_name (gpumm_status status) {
  static const char *const names[] = {
      [-GPUMM_OK] = "ok",
      [-GPUMM_INVALID] = "invalid",
      [-GPUMM_NONCONFORMANT] = "nonconformant",
      [-GPUMM_UNSUPPORTED] = "unsupported",
      [-GPUMM_NO_DEVICE] = "no-device",
      [-GPUMM_HOST_MEMORY] = "host-memory",
      [-GPUMM_DEVICE_MEMORY] = "device-memory",
      [-GPUMM_DEVICE_FAILED] = "device-failed",
      [-GPUMM_INTERNAL] = "internal",
      [-GPUMM_TOO_LARGE] = "too-large",
      [-GPUMM_CANCELLED] = "cancelled",
  };
  const int count = sizeof names / sizeof *names;
  return status <= 0 && status > -count ? names[-status] : "unknown";
}

const char *gpumm_last_error (void) {
  const char *text = text_here ();
  return text ? text : "";
}

gpumm_status gpumm_fail (gpumm_status status, const char *format, ...) {
  /* the new text may quote the old one: format aside, then copy */
  char text[TEXT_BYTES], *kept = text_here ();
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  if (!kept || kept == no_text)
    kept = make_text ();
  if (kept != no_text)
    snprintf (kept, TEXT_BYTES, "%s", text);
  return status;
}

gpumm_status gpumm_refuse (char *reason, gpumm_status status, const char *format, ...) {
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (reason, GPUMM_REASON_BYTES, format, arguments);
  va_end (arguments);
  return status;
}

void gpumm_add_reason (char *reason, const char *format, ...) {
  const size_t length = strlen (reason);
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (reason + length, GPUMM_REASON_BYTES - length, format, arguments);
  va_end (arguments);
}

gpumm_status gpumm_fail_memory (size_t bytes) {
  return gpumm_fail (GPUMM_HOST_MEMORY, "out of host memory: cannot allocate %zu bytes", bytes);
}

int gpumm_digits (double x) {
  return x >= 999.5 && x < 1e15 ? (int) log10 (x + 0.5) + 1 : 3;
}
