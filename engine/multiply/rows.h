/* rows.h - a product on a device whose C is by compressed rows, of elements or of blocks.
 *
 * When the product is opened, a kernel counts the entries of each row of C, in launches short
 * enough for a cancellation, while B's values go up. When it runs, C is computed in pieces of rows:
 * while one piece is computed, the pieces before are downloaded. The host drops entries that turn
 * out to be zero, usually few.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROWS_H
#define GPUMM_ROWS_H

#include "pass.h"

/* The state of the algorithm from gpumm_open to gpumm_close. */
typedef struct gpumm_rows_product {
  gpumm_pass pass;
  gpumm_matrix a, b; /* on the host; their lines are the rows of the product's A and B */
  int is_same;       /* A and B are one matrix, which goes up once */
  double pairs;      /* products of entries */
  int64_t *start;    /* where each row of C begins if nothing is zero */
} gpumm_rows_product;

/* Makes the job's state, with a C without entries; NULL: out of host memory. */
gpumm_rows_product *gpumm_rows_new (struct gpumm_job *job);

/* Counts the products, refuses a C that no memory holds, takes memory for A and B, and chooses the
 * kernel. Needs a, b, is_same, and the product's types and ops. */
gpumm_status gpumm_rows_open (gpumm_rows_product *s, const char *what, gpumm_describe *describe);

/* Counts the entries that the rows of C can have, in this many estimated seconds, and brings B's
 * values meanwhile. */
gpumm_status gpumm_rows_count (gpumm_rows_product *s, double seconds);

/* Begins the report of a run. Returns 0, with C complete, if there is nothing to multiply. */
int gpumm_rows_begin (gpumm_rows_product *s, gpumm_matrix *c);

/* Bytes of an entry of C with its index; and the entries that fit the device. */
int64_t gpumm_rows_bytes (const gpumm_rows_product *s);
int64_t gpumm_rows_room (const gpumm_rows_product *s);

/* Computes C in pieces of at most this many rows and entries, in buffers that take turns; seconds
 * is an estimate. */
gpumm_status gpumm_rows_multiply (gpumm_rows_product *s, gpumm_matrix *c, int64_t most_rows,
                                  int64_t most_entries, int64_t buffers, double seconds);

/* gpumm_algorithm.close, where the state begins with a pass */
void gpumm_rows_close (struct gpumm_job *job);

#endif
