/* driver.h - what the CUDA driver and the host device share: the text of the last failure, and the
 * kernel table put together from the families.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_KERNELS_DRIVER_H
#define GPUMM_KERNELS_DRIVER_H

#include "../engine/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the text (printf's rules) for gpumm_driver_text () of this thread and returns status. */
gpumm_status gpumm_driver_fail (gpumm_status status, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

const char *gpumm_driver_text (void);

/* All rows of all families in the order of families.h, ended by NULL. */
const gpumm_kernel *const *gpumm_driver_kernels (void);
const gpumm_sparse_kernel *const *gpumm_driver_sparse_kernels (void);

#ifdef __cplusplus
}
#endif
#endif
