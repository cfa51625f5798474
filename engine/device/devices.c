/* devices.c - the drivers: opened at first use, and refused in a child of fork (); and their
 * devices.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "devices.h"
#include "base/cancel.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/library.h"
#include "base/progress.h"
#include "base/types.h"
#include "gpumm_elementwise.h"
#include "memory/pool.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is here belongs to a device or to none: one thread at a time, under the loader's lock, for
 * which fork () waits. CUDA calls the loader itself while it begins. */

/* One driver library and the outcome of opening it. */
typedef struct {
  const char *file, *name;
  const gpumm_driver *driver; /* NULL: it cannot be used */
  pid_t opened_by;            /* 0: nobody tried. A CUDA context does not survive fork () */
  char why[512];
} library;

static library cuda = {.file = "libgpumm_cuda.so", .name = "CUDA"};
static library host = {.file = "libgpumm_host.so", .name = "the host device"};

/* ---- libraries ---------------------------------------------------------------------------- */

enum { LONGEST_PATH = 4096 };

/* The path of a file beside this library; 0 if there is none. If this library was opened by a
 * relative path, a later chdir has made that path useless, so no file is searched beside it. */
static int find_beside (const char *file, char path[LONGEST_PATH]) {
  Dl_info self;
  if (!dladdr ((void *) (uintptr_t) &gpumm_cuda, &self) || !self.dli_fname
      || self.dli_fname[0] != '/')
    return 0;
  const int length = (int) (strrchr (self.dli_fname, '/') - self.dli_fname) + 1;
  return snprintf (path, LONGEST_PATH, "%.*s%s", length, self.dli_fname, file) < LONGEST_PATH
         && access (path, F_OK) == 0;
}

/* The driver makes these files, on Linux and on WSL; a program needs permission to use them. */
static int has_gpu (void) {
  return access ("/dev/nvidiactl", R_OK | W_OK) == 0 || access ("/dev/dxg", R_OK | W_OK) == 0;
}

/* The number of devices; 0 if there are none that can be used, or no driver. */
static int count_devices (const gpumm_driver *driver) {
  int count = 0;
  return driver && !driver->count (&count) && count > 0 ? count : 0;
}

static void open_library (library *l) {
  char path[LONGEST_PATH]; /* else the library may be on the loader's path */
  const int beside = find_beside (l->file, path);
  void *handle = dlopen (beside ? path : l->file, RTLD_NOW | RTLD_LOCAL);
  const char *said = handle ? NULL : dlerror ();
  const gpumm_driver *(*table) (void) =
      handle ? (const gpumm_driver *(*) (void) ) dlsym (handle, "gpumm_driver_table") : NULL;
  l->opened_by = getpid ();
  if (!handle) {
    const int is_missing =
        said && strstr (said, "No such file") && strncmp (said, l->file, strlen (l->file)) == 0;
    if (is_missing && l == &cuda && !has_gpu ()) /* not a fault of the build */
      snprintf (l->why, sizeof l->why, "no NVIDIA driver was found on this machine");
    else if (is_missing)
      snprintf (l->why, sizeof l->why, "gpumm was built without %s (there is no %s)", l->name,
                l->file);
    else
      snprintf (l->why, sizeof l->why, "%s cannot be opened (%s)", l->file,
                said ? said : "no reason given");
    return;
  }
  const gpumm_driver *driver = table ? table () : NULL;
  if (!driver || driver->version != GPUMM_DRIVER_VERSION
      || (driver->map_rows && driver->map_rows () != GPUMM_MAP_ROWS))
    snprintf (l->why, sizeof l->why, "%s is of another version", l->file);
  else if (count_devices (driver) == 0)
    snprintf (l->why, sizeof l->why, "%s", driver->error_text ());
  else {
    l->driver = driver;
    if (driver->watch)
      driver->watch (gpumm_cancelled, gpumm_progress_launched);
  }
}

static const gpumm_driver *use (library *l, const char **why) {
  gpumm_loader_hold ();
  if (!l->opened_by)
    open_library (l);
  const gpumm_driver *driver = l->driver;
  if (driver && l == &cuda && l->opened_by != getpid ()) {
    driver = NULL;
    snprintf (l->why, sizeof l->why,
              "this process was forked from one that had opened the GPU, and a CUDA context does "
              "not survive fork ()");
  }
  gpumm_loader_let_go ();
  if (why)
    *why = driver ? "" : l->why;
  return driver;
}

const gpumm_driver *gpumm_cuda (const char **why) {
  return use (&cuda, why);
}

const gpumm_driver *gpumm_host_device (const char **why) {
  return use (&host, why);
}

/* ---- contexts ----------------------------------------------------------------------------- */

enum { MOST_GPUS = GPUMM_MOST_GPUS, MOST_HOSTS = GPUMM_MOST_CONTEXTS - MOST_GPUS };

static gpumm_context contexts[GPUMM_MOST_CONTEXTS];
static gpumm_context *const gpus = contexts, *const hosts = contexts + MOST_GPUS;

static gpumm_status no_such_device (const char *kind, int index, int count) {
  if (count == 1)
    return gpumm_fail (GPUMM_INVALID, "%sdevice %d does not exist: there is only 0", kind, index);
  return gpumm_fail (GPUMM_INVALID, "%sdevice %d does not exist: there are %d (0 to %d)", kind,
                     index, count, count - 1);
}

gpumm_status gpumm_context_of (int device, gpumm_context **context) {
  const char *why;
  const int is_host = device <= GPUMM_HOST, index = is_host ? GPUMM_HOST - device : device;
  const int most = is_host ? MOST_HOSTS : MOST_GPUS;
  const gpumm_driver *driver = is_host ? gpumm_host_device (&why) : gpumm_cuda (&why);
  const int count = (int) gpumm_least (count_devices (driver), most);
  *context = NULL;
  if (count == 0)
    return gpumm_fail (GPUMM_NO_DEVICE, "%s", driver ? driver->error_text () : why);
  if (index >= count)
    return no_such_device (is_host ? "host " : "", index, count);
  *context = is_host ? &hosts[index] : &gpus[index];
  gpumm_loader_hold ();
  if (!(*context)->driver) { /* others may read it already */
    (*context)->driver = driver;
    (*context)->device = index;
  }
  gpumm_loader_let_go ();
  return GPUMM_OK;
}

/* Reads a list of indices, or "all". */
static gpumm_status read_environment (const char *text, uint64_t *devices) {
  uint64_t found = 0;
  const char *p = text;
  if (strcmp (text, "all") == 0) {
    *devices = UINT64_MAX;
    return GPUMM_OK;
  }
  for (char *end; *p; p = end + (*end == ',')) {
    const unsigned long i = *p >= '0' && *p <= '9' ? strtoul (p, &end, 10) : MOST_GPUS;
    if (i >= MOST_GPUS || found & UINT64_C (1) << i || (*end && *end != ',') || (*end && !end[1]))
      break;
    found |= UINT64_C (1) << i;
  }
  *devices = found;
  return !*p && found
             ? GPUMM_OK
             : gpumm_refuse_variable ("GPUMM_DEVICES",
                                      "\"all\" or a list of different devices, for example 0,1");
}

gpumm_status gpumm_check_devices (void) {
  const char *text = getenv ("GPUMM_DEVICES");
  uint64_t devices;
  return text ? read_environment (text, &devices) : GPUMM_OK;
}

gpumm_status gpumm_allowed_devices (const gpumm_options *options, int of_host, uint64_t *devices) {
  const char *wanted = options->devices || options->device >= 0 ? NULL : getenv ("GPUMM_DEVICES");
  const gpumm_driver *driver = of_host ? gpumm_host_device (NULL) : gpumm_cuda (NULL);
  gpumm_status status = GPUMM_OK;
  const int last = MOST_GPUS - 1; /* an index beyond it does not exist either */
  const int is_one = !options->devices && options->device >= 0;
  *devices = options->devices ? options->devices
             : is_one         ? UINT64_C (1) << gpumm_least (options->device, last)
                              : 1;
  if (wanted)
    status = read_environment (wanted, devices);
  /* the first exists if any does; who asks for its context hears why there is none */
  if (status || *devices == 1)
    return status;
  const int count = count_devices (driver);
  if (count == 0)
    return GPUMM_OK;
  const uint64_t there = count < MOST_GPUS ? (UINT64_C (1) << count) - 1 : UINT64_MAX;
  if (*devices == UINT64_MAX)
    *devices = there;
  if (*devices & ~there)
    return no_such_device ("", is_one ? options->device : __builtin_ctzll (*devices & ~there),
                           count);
  return GPUMM_OK;
}

int gpumm_host_device_count (void) {
  return count_devices (gpumm_host_device (NULL));
}

gpumm_status gpumm_context_properties (gpumm_context *context,
                                       gpumm_device_properties *properties) {
  gpumm_status status = context->driver->properties (context->device, properties);
  if (status)
    return gpumm_fail (status, "device %d: %s", context->device, context->driver->error_text ());
  gpumm_loader_hold ();
  context->seen = *properties;
  gpumm_loader_let_go ();
  return GPUMM_OK;
}

gpumm_status gpumm_context_seen (gpumm_context *context, gpumm_device_properties *properties) {
  gpumm_loader_hold ();
  *properties = context->seen;
  gpumm_loader_let_go ();
  return properties->name[0] ? GPUMM_OK : gpumm_context_properties (context, properties);
}

const char *gpumm_unused_gpu (void) {
  static atomic_flag asked = ATOMIC_FLAG_INIT;
  char path[LONGEST_PATH];
  if (atomic_flag_test_and_set (&asked) || !has_gpu () || find_beside (cuda.file, path)
      || gpumm_cuda (NULL))
    return NULL;
  return "there is an NVIDIA GPU here, but gpumm was built without CUDA and computes on the CPU";
}

int gpumm_device_count (const char **why) {
  return count_devices (gpumm_cuda (why));
}

gpumm_status gpumm_device (int device, gpumm_device_properties *properties) {
  gpumm_context *context;
  if (!properties)
    return gpumm_fail (GPUMM_INVALID, "no pointer for the properties");
  if (device < 0)
    return gpumm_fail (GPUMM_INVALID, "device %d: devices count from 0", device);
  gpumm_status status = gpumm_context_of (device, &context);
  if (status == GPUMM_NO_DEVICE)
    return gpumm_fail (status, "no GPU can be used: %s", gpumm_last_error ());
  return status ? status : gpumm_context_properties (context, properties);
}

/* ---- reset -------------------------------------------------------------------------------- */

int64_t gpumm_fault_device (int64_t n) {
  const gpumm_driver *driver = gpumm_host_device (NULL);
  return driver && driver->fault ? driver->fault (n) : 0;
}

int gpumm_devices_reset (gpumm_context *used[GPUMM_MOST_CONTEXTS]) {
  int count = 0;
  gpumm_loader_hold ();
  const int is_forked = cuda.opened_by && cuda.opened_by != getpid ();
  for (gpumm_context *c = contexts; c < contexts + GPUMM_MOST_CONTEXTS; c++)
    if (c->driver) {
      (is_forked && c->driver == cuda.driver ? gpumm_pool_forget : gpumm_pool_reset) (c);
      used[count++] = c;
    }
  if (cuda.driver && !is_forked)
    cuda.driver->reset ();
  if (host.driver)
    host.driver->reset ();
  gpumm_loader_let_go ();
  return count;
}
