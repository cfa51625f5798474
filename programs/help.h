/* help.h - --help and --version of the programs.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_HELP_H
#define GPUMM_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers --help and --version, if one of them is the only argument, and ends the program. The
 * first line of the help is the usage. */
static inline void answer_help (int count, char **arguments, const char *help) {
  const int is_version = count == 2 && strcmp (arguments[1], "--version") == 0;
  if (!is_version && !(count == 2 && strcmp (arguments[1], "--help") == 0))
    return;
  const char *name = strrchr (arguments[0], '/');
  if (is_version)
    printf ("%s %s\n", name ? name + 1 : arguments[0], GPUMM_VERSION);
  else
    fputs (help, stdout);
  exit (fflush (stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* For wrong arguments: the usage on standard error. */
static inline int fail_usage (const char *help) {
  fprintf (stderr, "%.*s; --help says more\n", (int) strcspn (help, "\n"), help);
  return EXIT_FAILURE;
}

#endif
