/* table.c - the tables of algorithms and kernels, to be looked up and listed.
 *
 * It knows no algorithm and no kernel by its name: list.h has the algorithms, and the driver has
 * its kernels: the GPU's or, without a GPU, the host device's. Nothing is chosen here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "device/devices.h"

#include <string.h>

#define ALGORITHM(name)        &gpumm_algorithm_##name,
#define KERNELS(name, summary) ALGORITHM (name)
const gpumm_algorithm *const gpumm_algorithms[] = {
#include "list.h"
    NULL};

const gpumm_algorithm *gpumm_algorithm_find (const char *name) {
  for (const gpumm_algorithm *const *a = gpumm_algorithms; *a; a++)
    if (strcmp ((*a)->name, name) == 0)
      return *a;
  return NULL;
}

gpumm_status gpumm_algorithm_at (int i, gpumm_algorithm_info *info) {
  int count = sizeof gpumm_algorithms / sizeof *gpumm_algorithms - 1;
  if (i < 0 || i >= count || !info)
    return GPUMM_INVALID;
  *info = (gpumm_algorithm_info){.name = gpumm_algorithms[i]->name,
                                 .summary = gpumm_algorithms[i]->summary,
                                 .on_device = gpumm_algorithms[i]->on_device};
  return GPUMM_OK;
}

const char *gpumm_missing_library (const char *algorithm) {
  const gpumm_driver *driver = gpumm_cuda (NULL);
  return driver && driver->missing ? driver->missing (algorithm) : NULL;
}

gpumm_status gpumm_kernel_at (int i, gpumm_kernel_info *info) {
  const gpumm_driver *driver = gpumm_cuda (NULL);
  if (!driver) /* without a GPU, those of the host device */
    driver = gpumm_host_device (NULL);
  if (!driver || !info || i < 0)
    return GPUMM_INVALID;
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (i-- == 0) {
      const gpumm_kernel *k = *row;
      *info = (gpumm_kernel_info){.algorithm = k->algorithm,
                                  .name = k->name,
                                  .types = k->types,
                                  .tile_m = k->tile_m,
                                  .tile_n = k->tile_n,
                                  .tile_k = k->tile_k,
                                  .thread_m = k->thread_m,
                                  .thread_n = k->thread_n,
                                  .capability = k->capability};
      return GPUMM_OK;
    }
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; row && *row; row++)
    if (i-- == 0) {
      *info = (gpumm_kernel_info){
          .algorithm = (*row)->algorithm, .name = (*row)->name, .capability = (*row)->capability};
      return GPUMM_OK;
    }
  return GPUMM_INVALID;
}
