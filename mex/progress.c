/* progress.c - the line on the terminal that shows the progress of long work.
 *
 * The engine decides when to write it (gpumm_tell). Any thread of a product may call this code, so
 * it calls no function of Octave and writes to the terminal itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "marshal.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line stands below the cursor's, so that what was printed there stays as it is. The terminal
 * makes room below the cursor (index, reverse index), keeps its place, and returns to it. */
#define BELOW "\033D\033M\0337\033[B\r"
#define BACK  "\033[K\0338" /* without the rest of a longer line */

static pid_t octave; /* only this process writes: a child of fork () shares its terminal */
static int stands;   /* the line is on the terminal */

/* Can a user see a line that is written over? Nobody sees the terminal of a notebook, and a job in
 * the background must not write to its terminal. */
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
  int length;
  if (getpid () != octave || (part >= 0 && !has_terminal ()))
    return;
  if (part < 0) {
    length = snprintf (text, sizeof text, BELOW BACK);
    if (stands)
      put (text, length);
    stands = 0;
    return;
  }
  if (left >= 120)
    snprintf (time, sizeof time, "%.0f min", left / 60);
  else
    snprintf (time, sizeof time, "%.0f s", left < 1 ? 1 : left);
  length =
      snprintf (text, sizeof text, BELOW "gpumm: %.0f %%, about %s left" BACK, 100 * part, time);
  if (put (text, length))
    stands = 1;
}

void watch_progress (void) {
  octave = getpid ();
  gpumm_tell (tell);
}
