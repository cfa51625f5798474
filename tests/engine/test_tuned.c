/* test_tuned.c - the reader of tuned tables: good, foreign, damaged and hostile files.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "tuned.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL (1u << GPUMM_S | 1u << GPUMM_D)

static const gpumm_kernel tiled_8 = {.algorithm = "tiled", .name = "tiled_8", .types = REAL},
                          tiled_16 = {.algorithm = "tiled",
                                      .name = "tiled_16",
                                      .types = REAL | 1u << GPUMM_Z},
                          newer = {.algorithm = "newer",
                                   .name = "newer",
                                   .types = REAL,
                                   .capability = 100};
static const gpumm_kernel *const kernels[] = {&tiled_8, &tiled_16, &newer, NULL};
static const gpumm_device_properties device = {
    .name = "Made-up 9.0 (a, b)", .capability = 90, .driver = 13000, .runtime = 12080};

static gpumm_tuned table; /* too large for some stacks */

static int total (void) {
  return table.count[0] + table.count[1] + table.count[2] + table.count[3];
}

/* The device's header and these bytes. */
static void parse (const char *lines, size_t bytes) {
  char header[GPUMM_TUNED_HEADER];
  gpumm_tuned_header (&device, header);
  size_t begin = strlen (header);
  char *text = check_allocate ((int64_t) (begin + bytes), 1);
  memcpy (text, header, begin);
  memcpy (text + begin, lines, bytes);
  gpumm_tuned_parse (text, begin + bytes, kernels, &device, &table);
  free (text);
}

static void test_lines (void) {
  static const struct {
    const char *line;
    int used; /* else ignored */
  } cases[] = {
      {"d,16,tiled,tiled_8,1.5", 1},
      {"s,1,tiled,tiled_16,60000", 1},
      {"z,4096,tiled,tiled_16,0.001", 1},
      {"d,0,tiled,tiled_8,1", 1},
      {"z,16,tiled,tiled_8,1.5", 0},               /* a type that the kernel has not */
      {"c,16,tiled,tiled_16,1.5", 0},              /* nor this */
      {"d,16,newer,newer,1.5", 0},                 /* a GPU too old */
      {"d,16,tiled,tiled_99,1.5", 0},              /* no such row */
      {"d,16,tensor,tensor_64x64x16,1.5", 0},      /* of a family that is gone */
      {"s,512,register,register_64x64x16,1.5", 0}, /* of a row that is gone */
      {"d,16,newer,tiled_8,1.5", 0},               /* in another family */
      {"d,16,tiled,tiled_8", 0},                   /* too short */
      {"d,16,tiled,tiled_8,1.5,2", 0},             /* too long */
      {"d,16,tiled,tiled_8,", 0},
      {"d,,tiled,tiled_8,1.5", 0},
      {",16,tiled,tiled_8,1.5", 0},
      {"dd,16,tiled,tiled_8,1.5", 0},
      {"x,16,tiled,tiled_8,1.5", 0},
      {"d,-16,tiled,tiled_8,1.5", 0},
      {"d,16.5,tiled,tiled_8,1.5", 0},
      {"d,1e3,tiled,tiled_8,1.5", 0},
      {"d,99999999999999999999,tiled,tiled_8,1.5", 0}, /* beyond int64 */
      {"d,16,tiled,tiled_8,0", 0},
      {"d,16,tiled,tiled_8,-1", 0},
      {"d,16,tiled,tiled_8,nan", 0},
      {"d,16,tiled,tiled_8,inf", 0},
      {"d,16,tiled,tiled_8,1.5.2", 0},
      {"d,16,tiled,tiled_8,.", 0},
      {"d,16,tiled,tiled_8,1.5\r", 0},
      {" d,16,tiled,tiled_8,1.5", 0},
      {"", 0},
      {",,,,", 0},
      {",,,,,,,,,,,,,,,,,,,", 0},
      {"# a remark", 0},
      {"%s%n%s%n,16,tiled,tiled_8,1", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char lines[300];
    snprintf (lines, sizeof lines, "%s\n", cases[i].line);
    parse (lines, strlen (lines));
    CHECK (total () == cases[i].used && table.info.ignored == !cases[i].used, "\"%s\": %d and %d",
           cases[i].line, total (), table.info.ignored);
    CHECK ((table.info.why[0] == 0) == cases[i].used, "\"%s\": why \"%s\"", cases[i].line,
           table.info.why);
    /* the same in the midst of good ones, and without an end of line */
    int length = snprintf (lines, sizeof lines, "d,16,tiled,tiled_8,1.5\n%s\nd,24,tiled,tiled_16,2",
                           cases[i].line);
    parse (lines, (size_t) length);
    CHECK (total () == 2 + cases[i].used && table.info.ignored == !cases[i].used,
           "\"%s\": %d and %d", cases[i].line, total (), table.info.ignored);
    CHECK (table.info.why[0] == '\0', "\"%s\": why \"%s\"", cases[i].line, table.info.why);
  }
  parse ("d,16,tiled,tiled_8,1.5\0 and more\n", 33);
  CHECK (total () == 0 && table.info.ignored == 1, "a line with a zero byte: %d", total ());
  parse ("d,16,tiled,tiled_8,1.25\nz,300,tiled,tiled_16,12345.5\n", 52);
  CHECK (table.count[GPUMM_D] == 1 && table.count[GPUMM_Z] == 1, "rows of each type");
  const gpumm_tuned_row *d = table.rows[GPUMM_D], *z = table.rows[GPUMM_Z];
  CHECK (d->from == 16 && d->kernel == &tiled_8, "%lld, %s", (long long) d->from, d->kernel->name);
  CHECK (z->from == 300 && z->kernel == &tiled_16, "%lld, %s", (long long) z->from,
         z->kernel->name);
}

static void test_headers (void) {
  gpumm_device_properties other = device;
  char header[GPUMM_TUNED_HEADER];
  const char *row = "d,16,tiled,tiled_8,1.5\n";
  for (int change = 0; change < 5; change++) {
    char text[GPUMM_TUNED_HEADER + 64];
    other = device;
    if (change == 1)
      other.driver++;
    else if (change == 2)
      other.runtime++;
    else if (change == 3)
      other.name[0]++;
    gpumm_tuned_header (&other, header);
    if (change == 4) /* another gpumm */
      header[strlen ("# gpumm ")]++;
    snprintf (text, sizeof text, "%s%s", header, row);
    gpumm_tuned_parse (text, strlen (text), kernels, &device, &table);
    CHECK (total () == (change == 0) && (table.info.why[0] == 0) == (change == 0),
           "change %d: %d rows, %s", change, total (), table.info.why);
  }
  /* every beginning of a file */
  gpumm_tuned_header (&device, header);
  for (size_t bytes = 0; bytes <= strlen (header); bytes++) {
    gpumm_tuned_parse (header, bytes, kernels, &device, &table);
    CHECK (total () == 0 && table.info.ignored == 0 && table.info.why[0], "%zu bytes: %s", bytes,
           table.info.why);
  }
  CHECK (strstr (table.info.why, "no line"), "an empty table: %s", table.info.why);
}

/* Bytes at random, some of them in good lines: what is used is valid, and all lines are counted. */
static void test_noise (void) {
  enum { MOST = 4000 };
  static char lines[MOST];
  check_seed (20);
  for (int round = 0; round < 3000; round++) {
    size_t bytes = (size_t) check_between (0, MOST);
    int64_t expected = 0;
    for (size_t i = 0; i < bytes; i++)
      lines[i] = (char) check_random ();
    for (size_t i = 0; i + 30 < bytes; i += (size_t) check_between (1, 200)) {
      char good[] = "\nd,16,tiled,tiled_8,1.5\n";
      if (round % 3 == 0)
        good[check_between (1, 22)] = (char) check_random ();
      memcpy (lines + i, good, sizeof good - 1);
    }
    for (size_t i = 0; i < bytes; i++)
      expected += lines[i] == '\n';
    expected += bytes > 0 && lines[bytes - 1] != '\n';
    parse (lines, bytes);
    CHECK (total () + table.info.ignored == expected, "%d used, %d ignored, %lld lines", total (),
           table.info.ignored, (long long) expected);
    for (int t = 0; t < GPUMM_TUNED_TYPES; t++)
      for (int i = 0; i < table.count[t]; i++) {
        const gpumm_tuned_row *row = &table.rows[t][i];
        CHECK (row->kernel && row->kernel->types & 1u << t && row->from >= 0,
               "a row that is not valid");
      }
  }
  /* more lines than a table has */
  static char many[4 * GPUMM_TUNED_ROWS * 30];
  size_t bytes = 0;
  for (int i = 0; i < 3 * GPUMM_TUNED_ROWS; i++)
    bytes += (size_t) snprintf (many + bytes, sizeof many - bytes, "d,%d,tiled,tiled_8,1\n", i);
  parse (many, bytes);
  CHECK (total () == GPUMM_TUNED_ROWS && table.info.ignored == 2 * GPUMM_TUNED_ROWS, "%d and %d",
         total (), table.info.ignored);
}

/* ---- files -------------------------------------------------------------------------------- */

static void write_file (const char *name, const char *text, size_t bytes) {
  FILE *file = fopen (name, "wb");
  CHECK (file && fwrite (text, 1, bytes, file) == bytes, "%s cannot be written", name);
  if (file)
    fclose (file);
}

static void expect (int rows, const char *why) {
  gpumm_tuned_read (kernels, &device, &table);
  CHECK (total () == rows, "%d rows, expected %d: %s", total (), rows, table.info.why);
  CHECK (why ? strstr (table.info.why, why) != NULL : !table.info.why[0],
         "why: \"%s\", expected \"%s\"", table.info.why, why ? why : "");
}

static void test_files (void) {
  char folder[] = "/tmp/test_tuned_XXXXXX", at[300], text[GPUMM_TUNED_HEADER + 64];
  CHECK (mkdtemp (folder), "no temporary folder");
  setenv ("XDG_CONFIG_HOME", folder, 1);
  setenv ("HOME", folder, 1);
  expect (0, "not been tuned");
  snprintf (at, sizeof at, "%s/gpumm/tuned-Made-up-9-0-a-b-driver-13000-runtime-12080.csv", folder);
  CHECK (strcmp (table.info.file, at) == 0, "%s, expected %s", table.info.file, at);
  snprintf (at, sizeof at, "%s/gpumm", folder);
  CHECK (mkdir (at, 0700) == 0, "no folder");

  gpumm_tuned_header (&device, text);
  strcat (text, "d,16,tiled,tiled_8,1.5\n");
  write_file (table.info.file, text, strlen (text));
  expect (1, NULL);
  CHECK (table.info.ignored == 0, "%d ignored", table.info.ignored);
  text[30]++;
  write_file (table.info.file, text, strlen (text));
  expect (0, "another gpumm, GPU, driver or runtime");
  write_file (table.info.file, "", 0);
  expect (0, "another gpumm, GPU, driver or runtime");

  /* 1 MiB; then a pipe, a folder and a link to itself, none of which may hold us up */
  char *large = check_allocate (1 << 20, 1);
  gpumm_tuned_header (&device, large);
  size_t begin = strlen (large);
  memset (large + begin, '\n', (1 << 20) - begin);
  write_file (table.info.file, large, 1 << 20);
  expect (0, "cannot be read");
  free (large);
  CHECK (unlink (table.info.file) == 0 && mkfifo (table.info.file, 0600) == 0, "no pipe");
  expect (0, "cannot be read");
  CHECK (unlink (table.info.file) == 0 && mkdir (table.info.file, 0700) == 0, "no folder");
  expect (0, "cannot be read");
  CHECK (rmdir (table.info.file) == 0 && symlink (table.info.file, table.info.file) == 0,
         "no link");
  expect (0, "not been tuned");
  unlink (table.info.file);
  rmdir (at);

  /* where the folder is: by HOME where XDG_CONFIG_HOME is not absolute, else nowhere */
  setenv ("XDG_CONFIG_HOME", "here", 1);
  expect (0, "not been tuned");
  snprintf (at, sizeof at, "%s/.config/gpumm/tuned-", folder);
  CHECK (strncmp (table.info.file, at, strlen (at)) == 0, "%s, expected %s", table.info.file, at);
  unsetenv ("HOME");
  expect (0, "neither XDG_CONFIG_HOME nor HOME");
  CHECK (!table.info.file[0], "%s", table.info.file);
  char *long_name = check_allocate (9000, 1);
  memset (long_name, '/', 8999);
  setenv ("XDG_CONFIG_HOME", long_name, 1);
  expect (0, "neither XDG_CONFIG_HOME nor HOME");
  free (long_name);
  rmdir (folder);

  setenv ("GPUMM_TUNED", "0", 1);
  CHECK (gpumm_tuned_refused (), "GPUMM_TUNED=0");
  setenv ("GPUMM_TUNED", "1", 1);
  CHECK (!gpumm_tuned_refused (), "GPUMM_TUNED=1");
  unsetenv ("GPUMM_TUNED");
  CHECK (!gpumm_tuned_refused (), "no GPUMM_TUNED");
}

int main (void) {
  test_lines ();
  test_headers ();
  test_noise ();
  test_files ();
  return check_done ();
}
