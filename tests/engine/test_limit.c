/* test_limit.c - what memory can hold: control groups of both versions from made-up files, the
 * environment variable, and results of every format that are refused before they are begun.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host_device.h"
#include "memory/host.h"
#include "memory/limit.h"
#include "operands.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- control groups ----------------------------------------------------------------------- */

static char folder[64] = "/tmp/gpumm-limit-XXXXXX";

/* The file of that name under the folder, its folders too. */
__attribute__ ((format (printf, 2, 3))) static void write_file (const char *name,
                                                                const char *format, ...) {
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

/* What the limit is once this file has this text; with so much swap of the machine. */
static const struct {
  const char *name, *text;
  double swap, expected;
} version_2[] = {{"v2/memory.stat", "there is no limit at the root\n", 0, INFINITY},
                 {"v2/user/session/job/memory.max", "max\n", 0, INFINITY},
                 {"v2/user/session/memory.max", "max\n", 0, INFINITY},
                 {"v2/user/memory.max", "max\n", 1e9, INFINITY},
                 {"v2/user/memory.max", "5000000000\n", 0, 5e9}, /* of a parent */
                 {"v2/user/memory.max", "5000000000\n", 1e9, 6e9},
                 {"v2/user/memory.swap.max", "250000000\n", 1e9, 5.25e9},
                 {"v2/user/session/job/memory.max", "4000000000\n", 0, 4e9}, /* its own is less */
                 {"v2/user/session/job/memory.swap.max", "0\n", 1e9, 4e9},
                 {"v2/user/session/memory.max", "0\n", 0, 0}},
  version_1[] = {{"memory/memory.limit_in_bytes", "9223372036854771712\n", 0,
                  9223372036854771712.0},
                 {"memory/memory.limit_in_bytes", "7000000000\n", 0, 7e9},
                 {"memory/memory.limit_in_bytes", "7000000000\n", 1e9, 8e9},
                 {"memory/memory.memsw.limit_in_bytes", "7100000000\n", 1e9, 7.1e9},
                 {"unified/memory.max", "3000000000\n", 0,
                  3e9}}, /* the least of both hierarchies */
    no_groups[] = {{"nothing", "no files at all\n", 0, INFINITY},
                   {"cgroup", "nonsense\n::\n0:/\n", 0, INFINITY},
                   {"mountinfo", "nonsense - cgroup2\n\n", 0, INFINITY}};

#define CHECK_LIMITS(table)                                                                        \
  for (size_t i = 0; i < sizeof (table) / sizeof *(table); i++) {                                  \
    write_file ((table)[i].name, "%s", (table)[i].text);                                           \
    CHECK (limit ((table)[i].swap) == (table)[i].expected, "%s, row %zu: %g", #table, i,           \
           limit ((table)[i].swap));                                                               \
  }

static void test_groups (void) {
  CHECK_LIMITS (no_groups);
  empty_folder ();
  write_file ("cgroup", "0::/user/session/job\n");
  write_file ("mountinfo",
              "22 1 0:20 / / rw - ext4 /dev/root rw\n"
              "31 22 0:28 / %s/v2 rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
              folder);
  CHECK_LIMITS (version_2);
  empty_folder ();
  write_file ("cgroup", "9:name=systemd:/\n5:cpu,memory:/docker/abc\n4:memory_other:/x\n0::/\n");
  write_file ("mountinfo",
              "30 22 0:27 /docker/abc %s/cpu rw - cgroup cgroup rw,cpu\n"
              "31 22 0:28 /docker/abc %s/memory rw - cgroup cgroup rw,cpu,memory\n"
              "32 22 0:29 / %s/unified rw - cgroup2 cgroup2 rw\n",
              folder, folder, folder);
  CHECK_LIMITS (version_1);
  empty_folder ();
}

/* In a namespace of its own a container sees its group as the root, or one outside of it; in the
 * host's namespace the mount's root is the container's group. */
static void test_containers (void) {
  static const char *const groups[] = {"0::/\n", "0::/../other\n"};
  for (int outside = 0; outside < 2; outside++) {
    write_file ("cgroup", "%s", groups[outside]);
    write_file ("mountinfo", "31 22 0:28 / %s/v2 rw - cgroup2 cgroup rw\n", folder);
    write_file ("v2/memory.max", "123456789\n");
    CHECK (limit (0) == 123456789, "%g", limit (0));
  }
  write_file ("cgroup", "0::/docker/abc/inner\n");
  write_file ("mountinfo", "31 22 0:28 /docker/abc %s/v2 rw - cgroup2 cgroup rw\n", folder);
  write_file ("v2/inner/memory.max", "1000\n");
  CHECK (limit (0) == 1000, "%g", limit (0));
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

/* A column by its transpose: is it refused under a limit that is just too small for C's arrays, and
 * done under one that is not? */
static void test_result (gpumm_format format, int64_t n, int64_t block, const char *algorithm,
                         int full) {
  gpumm_matrix x = make_in_blocks (format, GPUMM_D, n / block, 1, block, block, 100, WHOLE);
  gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .full = full};
  p.b.op = GPUMM_TRANSPOSE;
  const gpumm_options options = {.algorithm = algorithm, .device = -1};
  const double elements = (double) n * (double) n, lines = (double) (n / block) + 1;
  const double blocks = elements / (double) (block * block);
  const double bytes = 8 * elements
                       + (format == GPUMM_FULL || full ? 0
                          : format == GPUMM_SPARSE     ? 8 * elements + 8 * lines
                                                       : 4 * blocks + 8 * lines);
  for (int enough = 0; enough < 2; enough++) {
    char text[64];
    gpumm_job *job = NULL;
    snprintf (text, sizeof text, "%.0f", bytes - !enough);
    setenv ("GPUMM_MAX_HOST_MEMORY", text, 1);
    gpumm_status status = gpumm_open (&p, &options, &job);
    CHECK (status == (enough ? GPUMM_OK : GPUMM_HOST_MEMORY), "%d %s, enough %d: %d, %s", format,
           algorithm, enough, status, gpumm_last_error ());
    CHECK (enough || strstr (gpumm_last_error (), " result "), "%s", gpumm_last_error ());
    gpumm_close (job);
  }
  unsetenv ("GPUMM_MAX_HOST_MEMORY");
  release (&x);
}

static void test_results (void) {
  static const char *const full[] = {"auto", "loops", "tiled"},
                           *const sparse[] = {"auto", "sparse", "spgemm", "sparse_as_full"},
                           *const blocks[] = {"auto", "blocks", "bsr"};
  for (int i = 0; i < 3; i++) {
    test_result (GPUMM_FULL, 2000, 1, full[i], 0);
    test_result (GPUMM_BLOCKS, 2000, 4, blocks[i], 0);
  }
  for (int i = 0; i < 4; i++)
    test_result (GPUMM_SPARSE, 1500, 1, sparse[i], 0);
  test_result (GPUMM_BLOCKS, 2000, 4, "blocks", 1);
  CHECK (gpumm_reset () == GPUMM_OK, "reset");
  CHECK (gpumm_live_allocations () == 0, "%lld left", (long long) gpumm_live_allocations ());
}

int main (void) {
  need_host_device ();
  if (!mkdtemp (folder)) {
    printf ("cannot make %s\n", folder);
    return EXIT_FAILURE;
  }
  test_groups ();
  test_containers ();
  rmdir (folder);
  test_variable ();
  test_allocation ();
  test_results ();
  return check_done ();
}
