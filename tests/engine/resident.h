/* resident.h - vectors and matrices in buffers of a device, for tests: sent, fetched, and given
 * back together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_RESIDENT_H
#define GPUMM_TESTS_RESIDENT_H

#include "gpumm_arrays.h"
#include "operands.h"

static int device = GPUMM_HOST;

static gpumm_buffer *buffers[128];
static int taken;

/* "gpu": GPU 0 in place of the host device; "second": the second host device; "cases=N". Ends the
 * test where there is no device. */
static inline void take_arguments (int argc, char **argv, int *cases) {
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "gpu") == 0)
      device = 0;
    else if (strcmp (argv[i], "second") == 0)
      device = GPUMM_HOST - 1;
    else if (strncmp (argv[i], "cases=", 6) == 0)
      *cases = atoi (argv[i] + 6);
  if (!gpumm_wait (device))
    return;
  CHECK (0, "%s", gpumm_last_error ());
  exit (check_done ());
}

/* ---- vectors ------------------------------------------------------------------------------ */

static inline gpumm_view take (gpumm_type type, int64_t count) {
  gpumm_view v = {.type = type};
  const size_t bytes = (size_t) (count > 0 ? count : 1) * gpumm_type_bytes (type);
  OK (gpumm_buffer_new (device, bytes, &v.buffer));
  v.values = gpumm_buffer_address (v.buffer);
  buffers[taken++] = v.buffer;
  return v;
}

static inline void give_all (void) {
  while (taken > 0)
    gpumm_buffer_release (buffers[--taken]);
}

/* As a column, on the device, or on the host at this address. */
static inline gpumm_matrix column_of (const gpumm_view *v, int64_t count, const void *at) {
  return (gpumm_matrix){.type = v->type,
                        .rows = count,
                        .cols = 1,
                        .ld = count,
                        .values = at ? (void *) (uintptr_t) at : v->values,
                        .buffer = at ? NULL : v->buffer};
}

static inline gpumm_view send (gpumm_type type, const void *from, int64_t count) {
  const gpumm_view v = take (type, count);
  const gpumm_matrix here = column_of (&v, count, from), there = column_of (&v, count, NULL);
  CHECK (count == 0 || !gpumm_copy (&here, &there), "%s", gpumm_last_error ());
  return v;
}

static inline void fetch (const gpumm_view *v, int64_t count, void *to) {
  const gpumm_matrix there = column_of (v, count, NULL), here = column_of (v, count, to);
  CHECK (count == 0 || !gpumm_copy (&there, &here), "%s", gpumm_last_error ());
}

/* An entry of 64-bit integers. */
static inline int64_t look (const gpumm_view *v, int64_t place) {
  int64_t count = -1;
  gpumm_read read = {.at = *v, .count = 1, .to = &count};
  read.at.values = (char *) v->values + place * 8;
  OK (gpumm_read_back (&read, 1));
  return count;
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* On the device, with gaps of so many elements between its columns, in memory that is `values`. */
static inline gpumm_matrix full_at (const gpumm_view *values, int64_t rows, int64_t cols,
                                    int64_t gap) {
  return (gpumm_matrix){.type = values->type,
                        .rows = rows,
                        .cols = cols,
                        .ld = rows + gap > 0 ? rows + gap : 1,
                        .values = values->values,
                        .buffer = values->buffer};
}

/* Not at the beginning of its buffer. */
static inline gpumm_matrix send_full (const gpumm_matrix *x, int64_t gap) {
  enum { BEFORE = 256 };
  const int64_t before = BEFORE / (int64_t) gpumm_type_bytes (x->type);
  gpumm_view values = take (x->type, before + (x->rows + gap) * x->cols);
  values.values = (char *) values.values + BEFORE;
  gpumm_matrix y = full_at (&values, x->rows, x->cols, gap);
  y.op = x->op;
  CHECK (x->rows * x->cols == 0 || !gpumm_copy (x, &y), "%s", gpumm_last_error ());
  return y;
}

/* Memory for a sparse matrix or one in blocks, of these sizes and with this nzmax. */
static inline gpumm_matrix compressed_at (const gpumm_matrix *shape) {
  const gpumm_view start = take (GPUMM_I64, lines_of (shape) + 1),
                   index = take (GPUMM_I32, shape->nzmax),
                   values = take (shape->type, shape->nzmax * entry_elements (shape));
  gpumm_matrix y = *shape;
  y.start = start.values;
  y.index = index.values;
  y.values = values.values;
  y.start_buffer = start.buffer;
  y.index_buffer = index.buffer;
  y.buffer = values.buffer;
  return y;
}

/* Copies between this matrix and one that compressed_at () has made, or a pattern of it. */
static inline void copy_compressed (const gpumm_matrix *here, const gpumm_matrix *there, int up) {
  const int64_t stored = there->nzmax;
  const gpumm_view views[] = {
      {.type = GPUMM_I64, .buffer = there->start_buffer, .values = there->start},
      {.type = GPUMM_I32, .buffer = there->index_buffer, .values = there->index},
      {.type = there->type, .buffer = there->buffer, .values = there->values}};
  const int64_t counts[] = {lines_of (there) + 1, stored,
                            there->buffer ? stored * entry_elements (there) : 0};
  int32_t *index = check_allocate (stored, sizeof *index);
  void *const memory[] = {here->start, index, here->values};
  for (int64_t t = 0; up && t < stored; t++)
    index[t] = here->format == GPUMM_SPARSE ? (int32_t) here->row[t] : here->block_column[t];
  for (int i = 0; i < 3; i++) {
    const gpumm_matrix x = column_of (&views[i], counts[i], memory[i]),
                       y = column_of (&views[i], counts[i], NULL);
    CHECK (counts[i] == 0 || !gpumm_copy (up ? &x : &y, up ? &y : &x), "%s", gpumm_last_error ());
  }
  for (int64_t t = 0; !up && t < stored; t++)
    if (here->format == GPUMM_SPARSE)
      here->row[t] = index[t];
    else
      here->block_column[t] = index[t];
  free (index);
}

static inline gpumm_matrix send_compressed (const gpumm_matrix *x) {
  const gpumm_matrix y = compressed_at (x);
  copy_compressed (x, &y, 1);
  return y;
}

static inline gpumm_matrix fetch_compressed (const gpumm_matrix *x) {
  gpumm_matrix y = {.format = x->format,
                    .type = x->type,
                    .rows = x->rows,
                    .cols = x->cols,
                    .nzmax = x->nzmax,
                    .block_rows = x->block_rows,
                    .block_cols = x->block_cols};
  provide (&y, 0);
  copy_compressed (&y, x, 0);
  return y;
}

static inline gpumm_matrix fetch_full (const gpumm_matrix *x, int64_t gap) {
  gpumm_matrix y = {.type = x->type, .rows = x->rows, .cols = x->cols, .ld = x->rows};
  provide (&y, gap);
  CHECK (x->rows * x->cols == 0 || !gpumm_copy (x, &y), "%s", gpumm_last_error ());
  return y;
}

#endif
