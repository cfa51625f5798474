/* error.c - the status table and the text of a thread's last failure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[1024];

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
  return last_error;
}

gpumm_status gpumm_fail (gpumm_status status, const char *format, ...) {
  /* the new text may quote the old one: format aside, then copy */
  char text[sizeof last_error];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  snprintf (last_error, sizeof last_error, "%s", text);
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
