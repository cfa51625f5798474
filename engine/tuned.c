/* tuned.c - the kernels that gpumm_tune found fastest on a device, read from the user's folder.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tuned.h"
#include "devices.h"
#include "environment.h"
#include "error.h"
#include "memory/host.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A full table takes about half of this. (gpumm_tuned_read names the number in a text.) */
enum { MOST_BYTES = 65536 };

#define DIGITS "0123456789"

/* ---- whose it is -------------------------------------------------------------------------- */

/* Another version may have other kernels, and another driver or runtime other libraries. */
void gpumm_tuned_header (const gpumm_device_properties *device, char text[GPUMM_TUNED_HEADER]) {
  snprintf (text, GPUMM_TUNED_HEADER,
            "# gpumm " GPUMM_VERSION
            ": the fastest kernels by type and size, measured by gpumm_tune\n"
            "# device: %s\n"
            "# driver: %d\n"
            "# runtime: %d\n"
            "type,from,algorithm,kernel,gflops\n",
            device->name, device->driver, device->runtime);
}

/* The device's name for a file name: letters and digits stay, other characters become hyphens. */
static void plain_name (const char *name, char *plain, size_t size) {
  static const char usual[] = DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  size_t used = 0;
  for (; *name && used + 1 < size; name++) {
    if (strchr (usual, *name))
      plain[used++] = *name;
    else if (used > 0 && plain[used - 1] != '-')
      plain[used++] = '-';
  }
  while (used > 0 && plain[used - 1] == '-')
    used--;
  plain[used] = '\0';
}

/* The XDG Base Directory Specification: a relative XDG_CONFIG_HOME is ignored. */
static int find_file (const gpumm_device_properties *device, char *file, size_t size) {
  const char *folder = getenv ("XDG_CONFIG_HOME"), *within = "";
  char name[sizeof device->name];
  if (!folder || folder[0] != '/') {
    folder = getenv ("HOME");
    within = "/.config";
  }
  plain_name (device->name, name, sizeof name);
  const int length = folder && folder[0] == '/'
                         ? snprintf (file, size, "%s%s/gpumm/tuned-%s-driver-%d-runtime-%d.csv",
                                     folder, within, name, device->driver, device->runtime)
                         : -1;
  if (length < 0 || (size_t) length >= size)
    file[0] = '\0';
  return file[0] != '\0';
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Is it a number above 0 without sign or exponent? (What strtod takes depends on the locale.) */
static int is_positive (const char *text) {
  const char *end = text + strspn (text, DIGITS);
  if (end > text && *end == '.')
    end += 1 + strspn (end + 1, DIGITS);
  return end > text && *end == '\0' && strpbrk (text, "123456789");
}

/* Returns 0 if the line is of no use here. */
static int take_line (char *line, const gpumm_kernel *const *kernels,
                      const gpumm_device_properties *device, gpumm_tuned *table) {
  static const char letters[] = "sdcz"; /* in the order of gpumm_type */
  char *field[5];
  for (int i = 0; i < 5; i++)
    if (!(field[i] = strsep (&line, ",")))
      return 0;
  const size_t digits = strspn (field[1], DIGITS);
  if (line || strlen (field[0]) != 1 || !strchr (letters, field[0][0]) || digits < 1 || digits > 18
      || field[1][digits] || !is_positive (field[4]))
    return 0;
  int type = (int) (strchr (letters, field[0][0]) - letters);
  while (*kernels
         && (strcmp ((*kernels)->algorithm, field[2]) || strcmp ((*kernels)->name, field[3])))
    kernels++;
  const gpumm_kernel *kernel = *kernels;
  if (!kernel || !(kernel->types & 1u << type) || kernel->capability > device->capability
      || table->count[type] == GPUMM_TUNED_ROWS)
    return 0;
  table->rows[type][table->count[type]++] =
      (gpumm_tuned_row){.from = strtoll (field[1], NULL, 10), .kernel = kernel};
  return 1;
}

/* The info of a table without lines. */
static void clear (const gpumm_device_properties *device, gpumm_tuned_info *info) {
  info->lines = info->ignored = 0;
  info->why[0] = '\0';
  snprintf (info->device, sizeof info->device, "%s", device->name);
  gpumm_tuned_header (device, info->header);
}

void gpumm_tuned_parse (const char *text, size_t bytes, const gpumm_kernel *const *kernels,
                        const gpumm_device_properties *device, gpumm_tuned *table) {
  gpumm_tuned_info *info = &table->info;
  memset (table->count, 0, sizeof table->count);
  clear (device, info);
  size_t at = strlen (info->header);
  if (bytes < at || memcmp (text, info->header, at) != 0) {
    snprintf (info->why, sizeof info->why,
              "its table was measured with another gpumm, GPU, driver or runtime");
    return;
  }
  while (at < bytes) {
    char line[256];
    const char *end = memchr (text + at, '\n', bytes - at);
    size_t length = end ? (size_t) (end - (text + at)) : bytes - at;
    snprintf (line, sizeof line, "%.*s", (int) length, text + at);
    const int whole = strlen (line) == length; /* not too long, no zero byte */
    if (whole && take_line (line, kernels, device, table))
      info->lines++;
    else
      info->ignored++;
    at += length + 1;
  }
  if (!info->lines)
    snprintf (info->why, sizeof info->why, "its table has no line of use here");
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Reads a file and returns its bytes; -1 unless it is a regular file of at most size bytes: a pipe
 * may block, and a device may never end. */
static ptrdiff_t read_file (const char *name, char *text, size_t size) {
  struct stat about;
  size_t bytes = 0;
  ssize_t got = -1;
  const int file = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 && fstat (file, &about) == 0 && S_ISREG (about.st_mode))
    while (bytes < size && (got = read (file, text + bytes, size - bytes)) > 0)
      bytes += (size_t) got;
  if (file >= 0)
    close (file);
  return got == 0 ? (ptrdiff_t) bytes : -1;
}

void gpumm_tuned_read (const gpumm_kernel *const *kernels, const gpumm_device_properties *device,
                       gpumm_tuned *table) {
  char text[MOST_BYTES], *file = table->info.file;
  const char *why = "";
  ptrdiff_t bytes = 0;
  memset (table->count, 0, sizeof table->count);
  clear (device, &table->info);
  if (!find_file (device, file, sizeof table->info.file))
    why = "neither XDG_CONFIG_HOME nor HOME names a folder";
  else if (access (file, F_OK) != 0)
    why = "it has not been tuned: see gpumm_tune";
  else if ((bytes = read_file (file, text, sizeof text)) < 0)
    why = "its table cannot be read, or is no file of less than 65536 bytes";
  snprintf (table->info.why, sizeof table->info.why, "%s", why);
  if (!*why)
    gpumm_tuned_parse (text, (size_t) bytes, kernels, device, table);
}

int gpumm_tuned_refused (void) {
  const char *value = gpumm_variable ("GPUMM_TUNED");
  return value && strcmp (value, "0") == 0;
}

gpumm_status gpumm_check_tuned (void) {
  const char *value = gpumm_variable ("GPUMM_TUNED");
  return !value || strcmp (value, "0") == 0 || strcmp (value, "1") == 0
             ? GPUMM_OK
             : gpumm_refuse_variable ("GPUMM_TUNED", "0 or 1");
}

/* ---- tables in memory --------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The device's table, read at first use; NULL without memory for it. Call with the lock held. */
static const gpumm_tuned *table_of (gpumm_context *context,
                                    const gpumm_device_properties *properties) {
  if (!context->tuned && (context->tuned = gpumm_allocate (1, sizeof *context->tuned)))
    gpumm_tuned_read (context->driver->kernels, properties, context->tuned);
  return context->tuned;
}

int gpumm_tuned_rows (gpumm_context *context, const gpumm_device_properties *properties,
                      gpumm_type type, gpumm_tuned_row rows[GPUMM_TUNED_ROWS]) {
  int count = 0;
  if (gpumm_tuned_refused ())
    return 0;
  pthread_mutex_lock (&lock);
  const gpumm_tuned *table = table_of (context, properties);
  if (table) {
    count = table->count[type];
    memcpy (rows, table->rows[type], (size_t) count * sizeof *rows);
  }
  pthread_mutex_unlock (&lock);
  return count;
}

gpumm_status gpumm_tuned_table (int device, gpumm_tuned_info *info) {
  gpumm_device_properties properties;
  gpumm_context *context;
  if (!info)
    return gpumm_fail (GPUMM_INVALID, "no pointer for the tuned rows");
  *info = (gpumm_tuned_info){0};
  gpumm_status status = gpumm_context_of (device, &context);
  if (!status)
    status = gpumm_context_properties (context, &properties);
  if (status)
    return status;
  clear (&properties, info);
  pthread_mutex_lock (&lock);
  const gpumm_tuned *table = table_of (context, &properties);
  if (table)
    *info = table->info;
  pthread_mutex_unlock (&lock);
  if (!table)
    return GPUMM_HOST_MEMORY;
  if (gpumm_tuned_refused ()) {
    info->lines = 0;
    snprintf (info->why, sizeof info->why, "GPUMM_TUNED is 0 in the environment");
  }
  return GPUMM_OK;
}

void gpumm_tuned_forget (gpumm_context *context) {
  pthread_mutex_lock (&lock);
  gpumm_release (context->tuned);
  context->tuned = NULL;
  pthread_mutex_unlock (&lock);
}
