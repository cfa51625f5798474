/* resident.h - products of sparse matrices, and of matrices in blocks, that lie in buffers of a
 * device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_RESIDENT_H
#define GPUMM_RESIDENT_H

#include "pass.h"

/* gpumm_algorithm.open and run where C is sparse or in blocks. open queues the count of C's
 * entries; job->counted says where it arrives. */
gpumm_status gpumm_resident_open (struct gpumm_job *job);
gpumm_status gpumm_resident_run (struct gpumm_job *job, gpumm_matrix *result);

/* gpumm_algorithm.run where C is full. */
gpumm_status gpumm_resident_run_full (struct gpumm_job *job, gpumm_matrix *result);

#endif
