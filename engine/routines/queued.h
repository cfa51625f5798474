/* queued.h - a call of a routine whose operands lie in memory of a device.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROUTINES_QUEUED_H
#define GPUMM_ROUTINES_QUEUED_H

#include "gpumm_blas.h"
#include "device/context.h"

/* Sets the bytes of workspace that gpumm_queue_call takes. Fails where a library is missing. */
gpumm_status gpumm_call_space (gpumm_context *context, const gpumm_call *call, size_t *bytes);

/* Queues a call on the array stream; all addresses are the device's, also of info, which LAPACK
 * sets. The operands are not checked. */
gpumm_status gpumm_queue_call (gpumm_context *context, const gpumm_call *call, size_t bytes,
                               int32_t *info);

/* As gpumm_driver.call, by the CPU's library, which reaches the memory of the host device. */
gpumm_status gpumm_call_on_host (const gpumm_call *call, int32_t *info);

/* Queues to = the sum of the real and imaginary parts of x, which is finite only if all are
 * (GPUMM_FOLD_SUM), or the largest of them without their signs, as gpumm_largest has it
 * (GPUMM_FOLD_LARGEST): of all ('A') or of a triangle ('U', 'L'). x is full, of type S, D, C or Z,
 * and to is a number of type D; both lie in buffers. */
gpumm_status gpumm_queue_fold (gpumm_fold_op op, const gpumm_matrix *x, char part,
                               const gpumm_matrix *to);

#endif
