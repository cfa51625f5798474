/* rows.h - a product on a device whose C is by compressed rows, of elements or of blocks.
 *
 * When it is opened a kernel counts what each row of C has, in launches that a cancellation can wait
 * for. When it runs, C is made in pieces of rows: while one is made, those before come down. What
 * turns out to be zero, which is little as a rule, is dropped on the host.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROWS_H
#define GPUMM_ROWS_H

#include "pass.h"

/* The state of such an algorithm, from gpumm_open to gpumm_close. */
typedef struct gpumm_rows_product {
  gpumm_pass pass;
  gpumm_lines a, b;            /* of the host: their lines are the rows of the product's A and B */
  int is_same;                 /* they are one matrix, which goes up once */
  double pairs, flops;         /* products of entries */
  const int64_t *pairs_before; /* those before each row of C; NULL: not known by rows */
  const int64_t *work;         /* alike, of about what counting takes */
  int64_t *start;              /* where each row of C begins if nothing is zero */
  gpumm_report spent;          /* by opening */
} gpumm_rows_product;

/* Makes the job's state, of a C without entries; NULL: there is no host memory. */
gpumm_rows_product *gpumm_rows_new (struct gpumm_job *job);

/* With a, b, is_same, pairs and what the product has but for memory: takes memory for A and B,
 * chooses the kernel, and takes its workspace. */
gpumm_status gpumm_rows_open (gpumm_rows_product *s, const char *what, gpumm_describe *describe);

/* Counts what the rows of C have, at most, in about so many launches and an estimated number of seconds. */
gpumm_status gpumm_rows_count (gpumm_rows_product *s, int64_t launches, double seconds);

/* Says in *product how many products its number of rows has at most, of the rows from begin to end; 0:
 * not known. */
void gpumm_rows_tell (const gpumm_rows_product *s, gpumm_sparse_product *product, int64_t begin,
                      int64_t end);

/* Begins the report of a run. Is there anything to multiply? If not, C is made. */
int gpumm_rows_begin (gpumm_rows_product *s, gpumm_operand *c);

/* Bytes of an entry of C and its index; entries that the memory of the device has room for. */
int64_t gpumm_rows_bytes (const gpumm_rows_product *s);
int64_t gpumm_rows_room (const gpumm_rows_product *s);

/* Makes C in pieces of so many rows and entries, in so many buffers that take turns, in an estimated
 * number of seconds. */
gpumm_status gpumm_rows_multiply (gpumm_rows_product *s, gpumm_operand *c, int64_t most_rows,
                                  int64_t most_entries, int64_t buffers, double seconds);

/* gpumm_algorithm.close */
void gpumm_rows_close (struct gpumm_job *job);

#endif
