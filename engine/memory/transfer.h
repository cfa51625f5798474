/* transfer.h - matrices between the caller's memory and a device.
 *
 * The caller's memory is pageable, and the copy engines want page-locked memory: several threads
 * copy through page-locked slots while the engine moves the slots before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_TRANSFER_H
#define GPUMM_MEMORY_TRANSFER_H

#include "../device.h"

typedef struct gpumm_transfer {
  const gpumm_driver *driver;
  int device;
  gpumm_stream *stream;
  const void *from; /* column major, ld elements apart */
  void *to;
  int64_t rows, cols, ld_from, ld_to;
  size_t element; /* bytes */
} gpumm_transfer;

/* from in host memory, to on the device. Returns when from has been read; the copies themselves
 * are queued on the stream. */
gpumm_status gpumm_upload (const gpumm_transfer *t);

/* from on the device, to in host memory. Waits until to has been written. */
gpumm_status gpumm_download (const gpumm_transfer *t);

#endif
