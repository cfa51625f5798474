/* tuned.h - the kernels that gpumm_tune found fastest on a device, read from the user's folder.
 *
 * A table is a text file, one a GPU, driver, runtime and version of gpumm, whose first lines say
 * whose it is. It then has a line for each type, size class and family, with the fastest row of the
 * family there, and of the lines of a class the fastest row's first:
 *
 *   type,from,algorithm,kernel,gflops
 *   d,887,tiled,tiled_32,4413.210
 *
 * A class holds the products whose min (m, n) is at least from and below that of the next class:
 * the measure of gpumm_kernel.from, as the number of C's tiles decides how much of a device a row
 * keeps busy, and the edge of C how much of a tile is waste. How far a class reaches beyond the
 * squares it was measured with is the plan's to say.
 *
 * Anyone may write to the file, so nothing of it is believed: a line that is garbage, or names no
 * row that this device runs for that type, counts as ignored.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TUNED_H
#define GPUMM_TUNED_H

#include "device.h"

typedef struct gpumm_tuned_row {
  int64_t from;
  const gpumm_kernel *kernel;
} gpumm_tuned_row;

/* Of a type: 17 sizes of 5 families, with room. */
enum { GPUMM_TUNED_TYPES = 4, GPUMM_TUNED_ROWS = 192 };

typedef struct gpumm_tuned {
  gpumm_tuned_row rows[GPUMM_TUNED_TYPES][GPUMM_TUNED_ROWS]; /* of type S, D, C, Z, as filed */
  int count[GPUMM_TUNED_TYPES];
  int ignored;     /* lines */
  char file[4096]; /* where it is looked for; "" where the environment names no folder */
  char why[256];   /* it is not in use, in a sentence; "" if it is */
} gpumm_tuned;

enum { GPUMM_TUNED_HEADER = 512 };

/* The lines that a table of this device begins with. */
void gpumm_tuned_header (const gpumm_device_properties *device, char text[GPUMM_TUNED_HEADER]);

/* The rows of a table's text; those of another device's are none. Leaves table->file alone. */
void gpumm_tuned_parse (const char *text, size_t bytes, const gpumm_kernel *const *kernels,
                        const gpumm_device_properties *device, gpumm_tuned *table);

/* Looks for the device's file in $XDG_CONFIG_HOME/gpumm, else in ~/.config/gpumm, and parses it. */
void gpumm_tuned_read (const gpumm_kernel *const *kernels, const gpumm_device_properties *device,
                       gpumm_tuned *table);

/* Does the environment say GPUMM_TUNED=0? Asked each time, since Octave's setenv can change it. */
int gpumm_tuned_refused (void);

#endif
