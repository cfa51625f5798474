/* error.h - statuses with a text.
 *
 * A function that fails keeps the text for its thread and returns the status. Its callers return
 * the status and leave the text, or keep a new one, which may quote the old one. Drivers know
 * nothing of this: their texts come from error_text () (device/device.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ERROR_H
#define GPUMM_ERROR_H

#include "gpumm.h"

/* Keeps the text (printf's rules) for gpumm_last_error () and returns status, so a function fails
 * in one line: return gpumm_fail (GPUMM_INVALID, "...", ...). */
gpumm_status gpumm_fail (gpumm_status status, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Fails because bytes of host memory cannot be allocated. */
gpumm_status gpumm_fail_memory (size_t bytes);

/* Sets a text of GPUMM_REASON_BYTES to why something is refused; returns status. */
gpumm_status gpumm_refuse (char *reason, gpumm_status status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Appends to a text of GPUMM_REASON_BYTES, the reason in a plan or a report. */
void gpumm_add_reason (char *reason, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* The two arguments of "%.*g" for a time, rate or size x: three digits, or all before the point.
 * "%.3g" alone would print 1721 ms as 1.72e+03 ms. */
#define GPUMM_DIGITS(x) gpumm_digits (x), (x)
int gpumm_digits (double x);

#endif
