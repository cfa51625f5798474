/* made_up_gpu.c - a driver that stands for CUDA's in test_fallbacks: a GPU that never was, over the host
 * device, whose calls fail when the test says so.
 *
 * Its one kernel, "cublas", does not multiply: all operands of the test are ones, so that an element of
 * A B is k. That makes it fast, and every later launch on the same C shows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "made_up_gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPUMM_API made_up made_up_gpu = {.devices = 1};

static const gpumm_driver *host;
static gpumm_driver table;

static const char *error_text (void) {
  return "it was made up";
}

static gpumm_status count (int *devices) {
  *devices = made_up_gpu.devices;
  return GPUMM_OK;
}

static gpumm_status properties (int device, gpumm_device_properties *p) {
  (void) device;
  if (made_up_gpu.is_lost)
    return GPUMM_DEVICE_FAILED;
  *p = (gpumm_device_properties){.name = "made-up GPU",
                                 .capability = 90,
                                 .multiprocessors = 132,
                                 .memory_total = (int64_t) 1 << 37,
                                 .memory_free = (int64_t) 1 << 36};
  return GPUMM_OK;
}

static gpumm_status allocate (int device, size_t bytes, void **p) {
  (void) device;
  made_up_gpu.allocations++;
  *p = malloc (bytes);
  return *p ? GPUMM_OK : GPUMM_DEVICE_MEMORY;
}

static gpumm_status release (int device, void *p) {
  (void) device;
  free (p);
  return GPUMM_OK;
}

static gpumm_status copy (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                          const void *from, size_t from_pitch, size_t width, size_t height) {
  (void) device;
  (void) stream;
  for (size_t j = 0; j < height; j++)
    memcpy ((char *) to + j * to_pitch, (const char *) from + j * from_pitch, width);
  return GPUMM_OK;
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  (void) device;
  (void) stream;
  if (++made_up_gpu.launches == made_up_gpu.failing_launch)
    return GPUMM_DEVICE_MEMORY;
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->m; i++) {
      double *c = (double *) p->c + i + j * p->ldc;
      *c = p->alpha.re * (double) p->k + (p->beta.re == 0 ? 0 : p->beta.re * *c);
    }
  return GPUMM_OK;
}

static const gpumm_kernel cublas = {.algorithm = "cublas",
                                    .name = "cublas",
                                    .types = 1 << GPUMM_D,
                                    .capability = 50,
                                    .launch = launch};
static const gpumm_kernel *const kernels[] = {&cublas, NULL};

const gpumm_driver *gpumm_driver_table (void) {
  void *library = dlopen ("libgpumm_host.so", RTLD_NOW);
  const gpumm_driver *(*of_host) (void) =
      library ? (const gpumm_driver *(*) (void) ) dlsym (library, "gpumm_driver_table") : NULL;
  if (!of_host) {
    fprintf (stderr, "%s\n", dlerror ());
    return NULL;
  }
  host = of_host ();
  table = *host;
  table.name = "cuda";
  table.count = count;
  table.properties = properties;
  table.allocate = allocate;
  table.release = release;
  table.copy_up = table.copy_down = copy;
  table.error_text = error_text;
  table.kernels = kernels;
  table.widen = NULL;
  table.fault = NULL;
  table.launched = NULL;
  table.count_accesses = NULL;
  table.counts = NULL;
  return &table;
}
