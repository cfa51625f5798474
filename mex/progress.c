/* progress.c - the line on the terminal that shows the progress of long work.
 *
 * The engine decides when to write it (gpumm_tell). Any thread of a product may call this code, so it
 * calls no function of Octave and writes to the terminal itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "marshal.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t octave; /* only this process writes: a child of fork () shares its terminal */
static int written;  /* characters of the line that is on the terminal */

/* Can a user see a line that is written over? Nobody sees the terminal of a notebook, and a job in the
 * background must not write to its terminal. */
static int has_terminal (void) {
  const char *kind = getenv ("TERM");
  return isatty (STDOUT_FILENO) && isatty (STDERR_FILENO) && kind && strcmp (kind, "dumb") != 0
         && !getenv ("JPY_PARENT_PID") && tcgetpgrp (STDERR_FILENO) == getpgrp ();
}

/* A terminal that was stopped by Ctrl-S must not stop the product. */
static int put (const char *text, int length) {
  struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
  return poll (&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT)
         && write (STDERR_FILENO, text, (size_t) length) == length;
}

static void tell (double part, double left) {
  char text[96], time[40] = "";
  if (getpid () != octave || (part >= 0 && !has_terminal ()))
    return;
  if (part < 0) { /* with room for the ^C of the terminal */
    const int length = snprintf (text, sizeof text, "\r%*s\r", written + 4, "");
    if (written > 0)
      put (text, length);
    written = 0;
    return;
  }
  if (left >= 120)
    snprintf (time, sizeof time, "%.0f min", left / 60);
  else
    snprintf (time, sizeof time, "%.0f s", left < 1 ? 1 : left);
  const int length =
      snprintf (text, sizeof text, "gpumm: %.0f %%, about %s left", 100 * part, time);
  const int shorter = written > length ? written - length : 0;
  const int all = snprintf (text, sizeof text, "\rgpumm: %.0f %%, about %s left%*s", 100 * part,
                            time, shorter, "");
  if (put (text, all))
    written = all - 1;
}

void watch_progress (void) {
  octave = getpid ();
  gpumm_tell (tell);
}
