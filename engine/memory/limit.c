/* limit.c - the limit of this machine's memory.
 *
 * It asks how much memory there is, with swap and within the limits of control groups, not how much
 * is free: that changes while a product runs. It takes no memory for anyone (host.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "limit.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/types.h"

#include <ctype.h>
#include <math.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysinfo.h>

enum { PATH_BYTES = 4096 };

/* ---- control groups ----------------------------------------------------------------------- */

/* The number in a file of a group; infinite if it is "max" or there is no such file. */
static double read_limit (const char *folder, const char *name) {
  char path[2 * PATH_BYTES + 64];
  double limit;
  snprintf (path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen (path, "re");
  if (!f)
    return INFINITY;
  int found = fscanf (f, "%lf", &limit);
  fclose (f);
  return found == 1 && limit >= 0 ? limit : INFINITY;
}

/* A group's limit of memory and swap together. Version 2 limits memory and swap, version 1 limits
 * memory and their sum. */
static double one_group (const char *folder, int version, double swap) {
  if (version == 2)
    return read_limit (folder, "memory.max") + fmin (read_limit (folder, "memory.swap.max"), swap);
  return fmin (read_limit (folder, "memory.limit_in_bytes") + swap,
               read_limit (folder, "memory.memsw.limit_in_bytes"));
}

/* Is the memory controller in the list, "cpu,memory"? */
static int has_memory (char *list) {
  return hasmntopt (&(struct mntent){.mnt_opts = list}, "memory") != NULL;
}

/* Finds the process's group in the hierarchy of this version; returns 0 if there is none. */
static int find_group (const char *cgroup, int version, char group[PATH_BYTES]) {
  char line[PATH_BYTES + 256];
  FILE *f = fopen (cgroup, "re");
  int found = 0;
  while (f && !found && fgets (line, sizeof line, f)) { /* "4:memory:/path", "0::/path" */
    line[strcspn (line, "\n")] = '\0';
    char *path = line;
    strsep (&path, ":");
    char *controllers = strsep (&path, ":");
    found = path && (version == 2 ? !*controllers : has_memory (controllers));
    if (found)
      snprintf (group, PATH_BYTES, "%.4000s", path);
  }
  if (f)
    fclose (f);
  return found;
}

/* Finds the hierarchy's mount point and the group at its root; returns 0 if it is not mounted. */
static int find_mount (const char *mountinfo, int version, char mount[PATH_BYTES],
                       char root[PATH_BYTES]) {
  char line[4 * PATH_BYTES], type[64], options[PATH_BYTES];
  FILE *f = fopen (mountinfo, "re");
  int found = 0;
  while (f && !found && fgets (line, sizeof line, f)) {
    const char *end = strstr (line, " - ");
    found = end && sscanf (line, "%*s %*s %*s %4000s %4000s", root, mount) == 2
            && sscanf (end, " - %63s %*s %4000s", type, options) == 2
            && (version == 2 ? strcmp (type, "cgroup2") == 0
                             : strcmp (type, "cgroup") == 0 && has_memory (options));
  }
  if (f)
    fclose (f);
  return found;
}

double gpumm_group_limit (const char *cgroup, const char *mountinfo, double swap) {
  char group[PATH_BYTES], mount[PATH_BYTES], root[PATH_BYTES], folder[2 * PATH_BYTES];
  double least = INFINITY;
  for (int version = 1; version <= 2; version++) {
    if (!find_group (cgroup, version, group) || !find_mount (mountinfo, version, mount, root))
      continue;
    /* in a container the mount's root may be the process's own group */
    const size_t above = strcmp (root, "/") == 0 ? 0 : strlen (root);
    const char *below = strncmp (group, root, above) == 0 ? group + above : "";
    snprintf (folder, sizeof folder, "%s%s", mount, strstr (below, "/..") ? "" : below);
    for (;;) {
      least = fmin (least, one_group (folder, version, swap));
      char *last = strrchr (folder, '/');
      if (!last || (size_t) (last - folder) < strlen (mount))
        break;
      *last = '\0';
    }
  }
  return least;
}

/* ---- the limit ---------------------------------------------------------------------------- */

/* The system's last answer. It is asked again only for larger requests: asking in each call cost a
 * 2048 x 2048 product 0.5 ms on a virtual machine. */
static _Atomic double known_limit;

/* GPUMM_MAX_HOST_MEMORY as bytes; NaN if it is not valid: nothing checks less than
 * GPUMM_LARGE_BYTES. */
static double read_variable (const char *text) {
  static const char suffixes[] = "KMGT";
  char *end;
  if (strcasecmp (text, "none") == 0)
    return INFINITY;
  double number = strtod (text, &end);
  if (end == text || !(number >= 0) || isinf (number))
    return NAN;
  const char *suffix = *end ? strchr (suffixes, toupper ((unsigned char) *end)) : NULL;
  if (suffix) {
    number = ldexp (number, 10 * (int) (suffix - suffixes + 1));
    end++;
  }
  return *end ? NAN : number == 0 ? INFINITY : number < GPUMM_LARGE_BYTES ? NAN : number;
}

/* *limit: infinite if the variable is not set. */
static gpumm_status get_limit (double *limit) {
  const char *text = gpumm_variable ("GPUMM_MAX_HOST_MEMORY");
  *limit = text ? read_variable (text) : INFINITY;
  return isnan (*limit)
             ? gpumm_refuse_variable ("GPUMM_MAX_HOST_MEMORY",
                                      "a number of bytes from 16M on, which K, M, G or T may "
                                      "follow, or \"none\"")
             : GPUMM_OK;
}

gpumm_status gpumm_check_limit (void) {
  double limit;
  return get_limit (&limit);
}

gpumm_status gpumm_check_memory (double bytes, const char *what, ...) {
  const char *whose = "this machine has, with swap,";
  double limit = INFINITY, swap = 0;
  struct sysinfo s;
  if (bytes < GPUMM_LARGE_BYTES)
    return GPUMM_OK;
  if (gpumm_variable ("GPUMM_MAX_HOST_MEMORY")) {
    const gpumm_status status = get_limit (&limit);
    if (status)
      return status;
    whose = "GPUMM_MAX_HOST_MEMORY is";
  } else if (bytes <= atomic_load_explicit (&known_limit, memory_order_relaxed)) {
    return GPUMM_OK;
  } else {
    if (sysinfo (&s) == 0) {
      swap = (double) s.totalswap * (double) s.mem_unit;
      limit = (double) s.totalram * (double) s.mem_unit + swap;
    }
    const double own = gpumm_group_limit ("/proc/self/cgroup", "/proc/self/mountinfo", swap);
    if (own < limit) {
      limit = own;
      whose = "the limit of the process's control group is";
    }
    if (isfinite (limit))
      atomic_store_explicit (&known_limit, limit, memory_order_relaxed);
  }
  if (bytes <= limit)
    return GPUMM_OK;
  char subject[256];
  va_list arguments;
  va_start (arguments, what);
  vsnprintf (subject, sizeof subject, what, arguments);
  va_end (arguments);
  return gpumm_fail (GPUMM_HOST_MEMORY, "%s is too large: it takes %.*g GB, and %s %.*g GB",
                     subject, GPUMM_DIGITS (1e-9 * bytes), whose, GPUMM_DIGITS (1e-9 * limit));
}

gpumm_status gpumm_check_room (const gpumm_matrix *x) {
  const double element = (double) gpumm_type_bytes (x->type), stored = (double) x->nzmax;
  const double in_entry =
      x->format == GPUMM_BLOCKS ? (double) x->block_rows * (double) x->block_cols : 1;
  double bytes = (double) x->rows * (double) x->cols * element;
  if (x->format != GPUMM_FULL)
    bytes = stored * (in_entry * element + (double) gpumm_index_bytes (x))
            + ((double) gpumm_line_count (x) + 1) * sizeof *x->start;
  if (x->nzmax == 0)
    return gpumm_check_memory (bytes, "a %lldx%lld result", (long long) x->rows,
                               (long long) x->cols);
  return gpumm_check_memory (bytes, "a %lldx%lld result of %lld %s", (long long) x->rows,
                             (long long) x->cols, (long long) x->nzmax,
                             x->format == GPUMM_SPARSE ? "nonzeros" : "blocks");
}
