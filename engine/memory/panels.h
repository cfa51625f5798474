/* panels.h - a product as a sequence of steps, streamed through a device.
 *
 * A step takes panels up, multiplies, and may take a tile of C down. Steps run in order on the
 * device, while host threads copy for the steps ahead and behind: uploads, products and downloads
 * overlap wherever the steps leave them free to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_PANELS_H
#define GPUMM_MEMORY_PANELS_H

#include "../device.h"

/* A matrix on its way, columns ld elements apart. */
typedef struct gpumm_panel {
  const void *from;
  void *to;
  int64_t rows, cols, ld_from, ld_to;
} gpumm_panel;

enum { GPUMM_MOST_UPLOADS = 3 }; /* of op (A), of op (B), of C0 */

typedef struct gpumm_step {
  gpumm_panel up[GPUMM_MOST_UPLOADS]; /* what the product needs and no step before brought */
  int ups;
  int64_t after_product;  /* the uploads overwrite what this earlier step's product read; -1 */
  int64_t after_download; /* uploads and product overwrite what this earlier step takes down; -1 */
  gpumm_product product;
  gpumm_panel down; /* the finished tile; rows = 0: none with this step */
} gpumm_step;

typedef struct gpumm_stream_job {
  const gpumm_driver *driver;
  int device;
  const gpumm_kernel *kernel;
  size_t element; /* bytes of one */
  const gpumm_step *steps;
  int64_t count;
  void *result; /* the caller's memory that the tiles go to, provided with pages meanwhile */
  size_t result_bytes;
} gpumm_stream_job;

/* Runs the steps and adds seconds and bytes to the report. Seconds are the device's own: of
 * uploads and downloads from the first copy to the last, of products their sum. When it returns,
 * nothing is under way, whatever failed. */
gpumm_status gpumm_run_steps (const gpumm_stream_job *job, gpumm_report *report);

#endif
