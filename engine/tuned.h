/* tuned.h - the kernels that gpumm_tune found fastest on a device, read from the user's folder.
 *
 * A table is a text file for one GPU, driver, runtime and version of gpumm, which its first lines
 * name. Then follows a line for each type, size class and family with the family's fastest row. In
 * each class the fastest family comes first:
 *
 *   type,from,algorithm,kernel,gflops
 *   d,887,tiled,tiled_32,4413.210
 *
 * A class holds the products with min (m, n) from `from` to below the next class, like
 * gpumm_kernel.from: the number of C's tiles decides how much of a device is busy, and the edge of
 * C how much of a tile is wasted. The plan decides how far a class applies to products that are not
 * square.
 *
 * Anyone may write to the file, so every line is checked: a damaged line, or one whose row this
 * device does not run for that type, is ignored and counted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TUNED_H
#define GPUMM_TUNED_H

#include "context.h"

typedef struct gpumm_tuned_row {
  int64_t from;
  const gpumm_kernel *kernel;
} gpumm_tuned_row;

/* The most rows of a type: 17 sizes of 5 families, with room. */
enum { GPUMM_TUNED_TYPES = 4, GPUMM_TUNED_ROWS = 192 };

typedef struct gpumm_tuned {
  gpumm_tuned_row rows[GPUMM_TUNED_TYPES][GPUMM_TUNED_ROWS]; /* by type S, D, C, Z */
  int count[GPUMM_TUNED_TYPES];
  gpumm_tuned_info info;
} gpumm_tuned;

enum { GPUMM_TUNED_HEADER = 512 };

/* The first lines of a table of this device. */
void gpumm_tuned_header (const gpumm_device_properties *device, char text[GPUMM_TUNED_HEADER]);

/* Parses a table's text; a table of another device has no rows. Does not change table->info.file. */
void gpumm_tuned_parse (const char *text, size_t bytes, const gpumm_kernel *const *kernels,
                        const gpumm_device_properties *device, gpumm_tuned *table);

/* Looks for the device's file in $XDG_CONFIG_HOME/gpumm, else in ~/.config/gpumm, and parses it. */
void gpumm_tuned_read (const gpumm_kernel *const *kernels, const gpumm_device_properties *device,
                       gpumm_tuned *table);

/* The rows for a type of the device's table, which is read at first use and then remembered; returns how
 * many there are. 0 where there is no table, or the environment refuses it. */
int gpumm_tuned_rows (gpumm_context *context, const gpumm_device_properties *properties,
                      gpumm_type type, gpumm_tuned_row rows[GPUMM_TUNED_ROWS]);

void gpumm_tuned_forget (gpumm_context *context); /* the table is read again */

/* Is GPUMM_TUNED=0 in the environment? Looks each time, because Octave's setenv can change it. */
int gpumm_tuned_refused (void);
gpumm_status gpumm_check_tuned (void); /* GPUMM_INVALID if the variable is neither 0 nor 1 */

#endif
