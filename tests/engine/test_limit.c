/* test_limit.c - what memory can hold: control groups of both versions from made-up files, the
 * environment variable, and results of every format that are refused before they are begun.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "host_device.h"
#include "gpumm.h"
#include "memory/host.h"
#include "memory/limit.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- control groups ----------------------------------------------------------------------- */

static char folder[64] = "/tmp/gpumm-limit-XXXXXX";

/* The file of that name under the folder, its folders too. */
__attribute__ ((format (printf, 2, 3))) static void put (const char *name, const char *format,
                                                         ...) {
  char path[512];
  snprintf (path, sizeof path, "%s/%s", folder, name);
  for (char *p = path + strlen (folder) + 1; (p = strchr (p, '/')) != NULL; *p++ = '/') {
    *p = '\0';
    mkdir (path, 0700);
  }
  FILE *f = fopen (path, "w");
  if (!f) {
    printf ("cannot write %s\n", path);
    exit (EXIT_FAILURE);
  }
  va_list arguments;
  va_start (arguments, format);
  vfprintf (f, format, arguments);
  va_end (arguments);
  fclose (f);
}

static double limit (double swap) {
  char cgroup[128], mountinfo[128];
  snprintf (cgroup, sizeof cgroup, "%s/cgroup", folder);
  snprintf (mountinfo, sizeof mountinfo, "%s/mountinfo", folder);
  return gpumm_group_limit (cgroup, mountinfo, swap);
}

static void empty_folder (void) {
  char command[128];
  snprintf (command, sizeof command, "rm -r %s/*", folder);
  CHECK (system (command) == 0, "%s", command);
}

static void test_version_2 (void) {
  put ("cgroup", "0::/user/session/job\n");
  put ("mountinfo",
       "22 1 0:20 / / rw - ext4 /dev/root rw\n"
       "31 22 0:28 / %s/v2 rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
       folder);
  put ("v2/memory.stat", "there is no limit at the root\n");
  CHECK (isinf (limit (0)), "%g", limit (0));
  put ("v2/user/session/job/memory.max", "max\n");
  put ("v2/user/session/memory.max", "max\n");
  put ("v2/user/memory.max", "max\n");
  CHECK (isinf (limit (1e9)), "%g", limit (1e9));
  put ("v2/user/memory.max", "5000000000\n"); /* of a parent */
  CHECK (limit (0) == 5e9, "%g", limit (0));
  CHECK (limit (1e9) == 6e9, "with swap: %g", limit (1e9));
  put ("v2/user/memory.swap.max", "250000000\n");
  CHECK (limit (1e9) == 5.25e9, "with less swap: %g", limit (1e9));
  put ("v2/user/session/job/memory.max", "4000000000\n"); /* its own is less */
  put ("v2/user/session/job/memory.swap.max", "0\n");
  CHECK (limit (1e9) == 4e9, "%g", limit (1e9));
  put ("v2/user/session/memory.max", "0\n");
  CHECK (limit (0) == 0, "%g", limit (0));
  empty_folder ();
  /* in a namespace of its own a container sees its group as the root, or one outside of it */
  for (int outside = 0; outside < 2; outside++) {
    put ("cgroup", outside ? "0::/../other\n" : "0::/\n");
    put ("mountinfo", "31 22 0:28 / %s/v2 rw - cgroup2 cgroup rw\n", folder);
    put ("v2/memory.max", "123456789\n");
    CHECK (limit (0) == 123456789, "%g", limit (0));
  }
  /* in the host's namespace the mount's root is the container's group */
  put ("cgroup", "0::/docker/abc/inner\n");
  put ("mountinfo", "31 22 0:28 /docker/abc %s/v2 rw - cgroup2 cgroup rw\n", folder);
  put ("v2/inner/memory.max", "1000\n");
  CHECK (limit (0) == 1000, "%g", limit (0));
  empty_folder ();
}

static void test_version_1 (void) {
  put ("cgroup", "9:name=systemd:/\n5:cpu,memory:/docker/abc\n4:memory_other:/x\n0::/\n");
  put ("mountinfo",
       "30 22 0:27 /docker/abc %s/cpu rw - cgroup cgroup rw,cpu\n"
       "31 22 0:28 /docker/abc %s/memory rw - cgroup cgroup rw,cpu,memory\n"
       "32 22 0:29 / %s/unified rw - cgroup2 cgroup2 rw\n",
       folder, folder, folder);
  put ("memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK (limit (0) > 9e18, "%g", limit (0));
  put ("memory/memory.limit_in_bytes", "7000000000\n");
  CHECK (limit (0) == 7e9, "%g", limit (0));
  CHECK (limit (1e9) == 8e9, "with swap: %g", limit (1e9));
  put ("memory/memory.memsw.limit_in_bytes", "7100000000\n");
  CHECK (limit (1e9) == 7.1e9, "with less swap: %g", limit (1e9));
  put ("unified/memory.max", "3000000000\n"); /* the least of both hierarchies */
  CHECK (limit (0) == 3e9, "%g", limit (0));
  empty_folder ();
}

static void test_no_groups (void) {
  CHECK (isinf (limit (0)), "no files at all: %g", limit (0));
  put ("cgroup", "nonsense\n::\n0:/\n");
  put ("mountinfo", "nonsense - cgroup2\n\n");
  CHECK (isinf (limit (0)), "%g", limit (0));
  empty_folder ();
}

/* ---- the variable ------------------------------------------------------------------------- */

static void test_variable (void) {
  static const struct {
    const char *text;
    double bytes;
  } good[] = {{"100000000", 1e8},    {"1e8", 1e8},           {"97656.25K", 1e8},
              {"64M", 64 * 1048576}, {"64m", 64 * 1048576},  {"0.5G", 536870912},
              {"1T", 0x1p40},        {"2000000000000", 2e12}};
  static const char *const bad[] = {"abc", "-1", "5 G", "5GB", "nan", "inf",     "1e400",
                                    "5P",  "M",  "5 ",  "10X", "1K",  "16777215"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    setenv ("GPUMM_MAX_HOST_MEMORY", good[i].text, 1);
    CHECK (gpumm_check_memory (good[i].bytes, "it") == GPUMM_OK, "%s", good[i].text);
    CHECK (gpumm_check_memory (good[i].bytes + 1, "it") == GPUMM_HOST_MEMORY, "%s", good[i].text);
    CHECK (strstr (gpumm_last_error (), "GPUMM_MAX_HOST_MEMORY"), "%s", gpumm_last_error ());
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    setenv ("GPUMM_MAX_HOST_MEMORY", bad[i], 1);
    CHECK (gpumm_check_memory (1e9, "it") == GPUMM_INVALID, "%s", bad[i]);
    CHECK (gpumm_check_environment () == GPUMM_INVALID, "%s", bad[i]);
    CHECK (strstr (gpumm_last_error (), bad[i]), "%s", gpumm_last_error ());
  }
  static const char *const none[] = {"0", "none", "None", "0G"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    setenv ("GPUMM_MAX_HOST_MEMORY", none[i], 1);
    CHECK (gpumm_check_memory (1e30, "it") == GPUMM_OK, "%s", none[i]);
  }
  for (int set = 0; set < 2; set++) { /* left out, or empty: the machine's own */
    if (set)
      setenv ("GPUMM_MAX_HOST_MEMORY", "", 1);
    else
      unsetenv ("GPUMM_MAX_HOST_MEMORY");
    CHECK (gpumm_check_memory (1e18, "it of %d", 7) == GPUMM_HOST_MEMORY, "an exabyte");
    CHECK (strncmp (gpumm_last_error (), "it of 7 is too large", 20) == 0, "%s",
           gpumm_last_error ());
    CHECK (gpumm_check_memory (3e7, "it") == GPUMM_OK, "30 MB: %s", gpumm_last_error ());
  }
}

static void test_allocation (void) {
  int64_t alive = gpumm_live_allocations ();
  setenv ("GPUMM_MAX_HOST_MEMORY", "32M", 1);
  CHECK (!gpumm_allocate (40000000, 1), "40 MB of 32 MiB");
  CHECK (strstr (gpumm_last_error (), "too large"), "%s", gpumm_last_error ());
  void *p = gpumm_allocate (30000000, 1);
  CHECK (p, "%s", gpumm_last_error ());
  gpumm_release (p);
  setenv ("GPUMM_MAX_HOST_MEMORY", "none", 1);
  CHECK (!gpumm_allocate (INT64_MAX, 1) && !gpumm_allocate (INT64_MAX / 4, 8)
             && !gpumm_allocate (INT64_MAX / 2, 2) && !gpumm_allocate (-1, 8),
         "more than there are addresses");
  CHECK (gpumm_live_allocations () == alive, "left");
  unsetenv ("GPUMM_MAX_HOST_MEMORY");
}

/* ---- results ------------------------------------------------------------------------------ */

/* A column of n ones by its transpose, by that algorithm: is it refused under a limit that is just
 * too small for C's arrays, and done under one that is not? */
static void outer (int64_t n, gpumm_format kind, int64_t block, const char *algorithm, int full) {
  int64_t column[2] = {0, n}, *row = check_allocate (n, sizeof *row);
  int64_t *start = check_allocate (n / block + 1, sizeof *start);
  int32_t *zeros = check_allocate (n, sizeof *zeros);
  double *values = check_allocate (n * block, sizeof *values);
  for (int64_t i = 0; i < n; i++)
    row[i] = i;
  for (int64_t i = 0; i < n * block; i++)
    values[i] = 1;
  for (int64_t i = 0; i <= n / block; i++)
    start[i] = i;
  gpumm_problem p = {.a = {.format = kind,
                           .type = GPUMM_D,
                           .rows = n,
                           .cols = kind == GPUMM_BLOCKS ? block : 1,
                           .ld = n,
                           .nzmax = kind == GPUMM_BLOCKS ? n / block : n,
                           .start = kind == GPUMM_BLOCKS ? start : column,
                           .values = values,
                           .block_rows = block,
                           .block_cols = block},
                     .alpha = {1, 0},
                     .full = full};
  if (kind == GPUMM_BLOCKS)
    p.a.block_column = zeros;
  else
    p.a.row = row;
  p.b = p.a;
  p.b.op = GPUMM_TRANSPOSE;
  const gpumm_options options = {.algorithm = algorithm, .device = -1};
  const double elements = (double) n * (double) n;
  const double blocks = elements / (double) (block * block);
  const double bytes = kind == GPUMM_DENSE || full ? elements * 8
                       : kind == GPUMM_SPARSE
                           ? elements * 16 + ((double) n + 1) * 8
                           : elements * 8 + blocks * 4 + ((double) (n / block) + 1) * 8;
  for (int enough = 0; enough < 2; enough++) {
    char text[64];
    gpumm_job *job = NULL;
    snprintf (text, sizeof text, "%.0f", bytes - !enough);
    setenv ("GPUMM_MAX_HOST_MEMORY", text, 1);
    gpumm_status status = gpumm_open (&p, &options, &job);
    CHECK (status == (enough ? GPUMM_OK : GPUMM_HOST_MEMORY), "%d %s, enough %d: %d, %s", kind,
           algorithm, enough, status, gpumm_last_error ());
    CHECK (enough || strstr (gpumm_last_error (), " result "), "%s", gpumm_last_error ());
    gpumm_close (job);
  }
  unsetenv ("GPUMM_MAX_HOST_MEMORY");
  free (row);
  free (start);
  free (zeros);
  free (values);
}

static void test_results (void) {
  outer (2000, GPUMM_DENSE, 1, "auto", 0);
  outer (2000, GPUMM_DENSE, 1, "loops", 0);
  outer (2000, GPUMM_DENSE, 1, "tiled", 0);
  outer (1500, GPUMM_SPARSE, 1, "auto", 0);
  outer (1500, GPUMM_SPARSE, 1, "sparse", 0);
  outer (1500, GPUMM_SPARSE, 1, "spgemm", 0);
  outer (1500, GPUMM_SPARSE, 1, "sparse_as_dense", 0);
  outer (2000, GPUMM_BLOCKS, 4, "auto", 0);
  outer (2000, GPUMM_BLOCKS, 4, "blocks", 0);
  outer (2000, GPUMM_BLOCKS, 4, "bsr", 0);
  outer (2000, GPUMM_BLOCKS, 4, "blocks", 1);
  CHECK (gpumm_reset () == GPUMM_OK, "reset");
  CHECK (gpumm_live_allocations () == 0, "%lld left", (long long) gpumm_live_allocations ());
}

int main (void) {
  need_host_device ();
  if (!mkdtemp (folder)) {
    printf ("cannot make %s\n", folder);
    return EXIT_FAILURE;
  }
  test_version_2 ();
  test_version_1 ();
  test_no_groups ();
  rmdir (folder);
  test_variable ();
  test_allocation ();
  test_results ();
  return check_done ();
}
