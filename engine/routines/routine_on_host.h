/* routine_on_host.h - routines of BLAS and LAPACK by the CPU's library, with the host device's
 * memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROUTINE_ON_HOST_H
#define GPUMM_ROUTINE_ON_HOST_H

#include "gpumm_blas.h"

/* As gpumm_driver.call. */
gpumm_status gpumm_call_on_host (const gpumm_call *call, int32_t *info);

#endif
