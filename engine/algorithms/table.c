/* table.c - the algorithms, in the order in which people read them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"

#include <string.h>

const gpumm_algorithm *const gpumm_algorithms[] = {
    &gpumm_algorithm_blas,
    &gpumm_algorithm_loops,
    &gpumm_algorithm_naive,
    &gpumm_algorithm_tiled,
    &gpumm_algorithm_register,
    &gpumm_algorithm_cublas,
    &gpumm_algorithm_emulated,
    &gpumm_algorithm_strassen,
    &gpumm_algorithm_integers,
    &gpumm_algorithm_sparse,
    &gpumm_algorithm_spgemm,
    &gpumm_algorithm_spmm,
    &gpumm_algorithm_sparse_as_dense,
    &gpumm_algorithm_blocks,
    &gpumm_algorithm_blocks_integer,
    &gpumm_algorithm_classic,
    &gpumm_algorithm_bsr,
    NULL,
};

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
