/* driver.h - what the CUDA driver and the host device share: the text of the last failure, and the
 * kernel table put together from the families.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_KERNELS_DRIVER_H
#define GPUMM_KERNELS_DRIVER_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the text (printf's rules) for gpumm_driver_text () of this thread and returns status. */
gpumm_status gpumm_driver_fail (gpumm_status status, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

const char *gpumm_driver_text (void);

/* Was the running work cancelled? gpumm_driver.watch of both drivers sets it; the function then
 * fails with a text. */
int gpumm_driver_is_cancelled (void);
gpumm_status gpumm_driver_check_cancelled (void);
void gpumm_driver_watch (int (*is_cancelled) (void), void (*add) (double fraction));

/* Reports that a fraction of a launch is done. The weight is the fraction of the product that the
 * next launches of this thread are, each; 1 at first, and again when the product ends. */
void gpumm_driver_add_progress (double fraction);
void gpumm_driver_set_weight (double fraction);

/* All rows of all families in the order of families.h, then NULL. Filled by the first call of
 * gpumm_driver_table (). */
extern const gpumm_kernel *gpumm_driver_kernels[];
extern const gpumm_sparse_kernel *gpumm_driver_sparse_kernels[];

/* All rows of the files in arrays/, then NULL. */
extern const gpumm_array_kernel *gpumm_driver_array_kernels[];

/* gpumm_driver.widen of both drivers. */
gpumm_status gpumm_driver_widen (int device, gpumm_stream *stream, const gpumm_widening *widening);

/* gpumm_driver.mirror of both drivers. */
gpumm_status gpumm_driver_mirror (int device, gpumm_stream *stream,
                                  const gpumm_mirroring *mirroring);

/* gpumm_driver.map, map_rows, sparse and sparse_bytes of a driver that has them. */
gpumm_status gpumm_driver_map (int device, gpumm_stream *stream, const gpumm_map *map);
int gpumm_driver_map_rows (void);
gpumm_status gpumm_driver_sparse (int device, gpumm_stream *stream, const gpumm_sparse_work *work,
                                  void *workspace);
size_t gpumm_driver_sparse_bytes (const gpumm_sparse_work *work);

/* What gpumm_driver_table () returns. Each driver defines it; the functions that both have are
 * static and have the same names. */
extern const gpumm_driver gpumm_driver_here;
#define GPUMM_DRIVER_FUNCTIONS                                                                     \
  .version = GPUMM_DRIVER_VERSION, .count = count, .properties = properties, .allocate = allocate, \
  .release = release, .pin = pin, .unpin = unpin, .stream_create = stream_create,                  \
  .stream_destroy = stream_destroy, .stream_synchronize = stream_synchronize,                      \
  .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,      \
  .event_synchronize = event_synchronize, .event_done = event_done,                                \
  .event_seconds = event_seconds, .stream_wait = stream_wait, .copy_up = copy_up,                  \
  .copy_down = copy_down, .copy_peer = copy_peer, .fill = fill, .widen = gpumm_driver_widen,       \
  .mirror = gpumm_driver_mirror, .error_text = gpumm_driver_text, .reset = reset,                  \
  .launched = launched, .watch = gpumm_driver_watch, .kernels = gpumm_driver_kernels,              \
  .sparse_kernels = gpumm_driver_sparse_kernels
#define GPUMM_DRIVER_ARRAYS                                                                        \
  .map = gpumm_driver_map, .map_rows = gpumm_driver_map_rows, .sparse = gpumm_driver_sparse,       \
  .sparse_bytes = gpumm_driver_sparse_bytes, .array_kernels = gpumm_driver_array_kernels

#ifdef __cplusplus
}
#endif
#endif
