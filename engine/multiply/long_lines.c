/* long_lines.c - products of sparse matrices, or of matrices in blocks, whose lines have many
 * places and few entries.
 *
 * Transposes, Gustavson's product and the kernels take memory for each place of a line. For 3e9
 * rows with 4 entries that is 24 GB. Here the places in use are numbered in their order, the small
 * matrices are multiplied, and the entries of C get the places back. Lines stay as they are: the
 * caller holds an offset for each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "base/cancel.h"
#include "compressed.h"
#include "memory/host.h"

#include <string.h>

typedef struct {
  gpumm_problem inner;
  int64_t *places; /* of C's lines: the place of each number; NULL: C's lines are not renumbered */
} long_lines;

/* Lines are long if they have more places than LEAST_LENGTH, and LEAST_SHARE for each entry of the
 * operands: memory for a number for each place would be larger than what is made here. */
enum { LEAST_LENGTH = 1 << 20, LEAST_SHARE = 16 };

/* ---- when --------------------------------------------------------------------------------- */

/* C = x y by lines (compressed.h): x is B and y is A of sparse matrices, of blocks the other way
 * round. A line of C has the places of y's lines. If y is turned, its places are the inner
 * dimension, and so are those of x; if x is turned, too, they are x's lines. */
int gpumm_has_long_lines (const gpumm_problem *p) {
  const int is_blocks = p->a.format == GPUMM_BLOCKS;
  const gpumm_matrix *x = is_blocks ? &p->a : &p->b, *y = is_blocks ? &p->b : &p->a;
  if (p->a.format == GPUMM_FULL || gpumm_is_bound (p) || gpumm_result_format (p) != p->a.format
      || gpumm_is_zero (p->alpha) || (gpumm_is_turned (y) && gpumm_is_turned (x)))
    return 0;
  const int64_t length = gpumm_line_length (y);
  const int64_t entries = gpumm_entries (y) + (gpumm_is_turned (y) ? gpumm_entries (x) : 0);
  return length > LEAST_LENGTH && length / LEAST_SHARE > entries;
}

/* ---- lines in use --------------------------------------------------------------------------- */

/* y, which is not turned, with only the lines that x meets: numbering must not take longer than the
 * product. */
static gpumm_status keep_used (struct gpumm_job *job, const gpumm_matrix *x, gpumm_matrix *y) {
  const int64_t lines = gpumm_line_count (y), entries = gpumm_entries (x);
  const size_t bytes[] = {gpumm_index_bytes (y), gpumm_entry_bytes (y)};
  const void *const from[] = {y->index, y->values};
  void *to[2];
  int64_t *start = gpumm_own (&job->memory, lines + 1, sizeof *start);
  if (!start)
    return GPUMM_HOST_MEMORY;
  for (int64_t t = 0; !gpumm_is_turned (x) && t < entries; t++)
    start[gpumm_index_at (x, t) + 1] = 1;
  for (int64_t k = 0; k < lines; k++) {
    const int is_used = gpumm_is_turned (x) ? x->start[k + 1] > x->start[k] : start[k + 1] != 0;
    start[k + 1] = start[k] + (is_used ? y->start[k + 1] - y->start[k] : 0);
  }
  for (int i = 0; i < 2; i++) {
    to[i] = gpumm_own (&job->memory, start[lines], bytes[i]);
    if (!to[i])
      return GPUMM_HOST_MEMORY;
    for (int64_t k = 0; k < lines && !gpumm_is_cancelled_at (k); k++)
      if (start[k + 1] > start[k])
        memcpy ((char *) to[i] + (size_t) start[k] * bytes[i],
                (const char *) from[i] + (size_t) y->start[k] * bytes[i],
                (size_t) (start[k + 1] - start[k]) * bytes[i]);
  }
  y->start = start;
  y->index = to[0];
  y->values = to[1];
  y->nzmax = start[lines];
  return gpumm_check_cancelled ();
}

/* ---- numbers for places ------------------------------------------------------------------- */

/* A place, and which entry has it. */
typedef struct {
  int64_t place, entry;
} placed;

static void collect (const gpumm_matrix *x, placed *list, int64_t first) {
  const int64_t entries = gpumm_entries (x);
  for (int64_t t = 0; t < entries; t++)
    list[t] = (placed){gpumm_index_at (x, t), first + t};
}

/* Sorts by places below `length`, digit by digit; returns list or other, where the result is. */
static placed *sort (placed *list, placed *other, int64_t count, int64_t length) {
  enum { BITS = 11, DIGITS = 1 << BITS };
  for (int shift = 0; shift < 63 && (length - 1) >> shift > 0; shift += BITS) {
    int64_t next[DIGITS + 1] = {0};
    for (int64_t t = 0; t < count && !gpumm_is_cancelled_at (t); t++)
      next[(list[t].place >> shift & (DIGITS - 1)) + 1]++;
    for (int digit = 0; digit < DIGITS; digit++)
      next[digit + 1] += next[digit];
    if (gpumm_is_cancelled ()) /* some are not counted */
      return list;
    for (int64_t t = 0; t < count; t++)
      other[next[list[t].place >> shift & (DIGITS - 1)]++] = list[t];
    placed *const swap = list;
    list = other;
    other = swap;
  }
  return list;
}

/* x with those numbers as indices and this many places in a line. */
static gpumm_status renumber (struct gpumm_job *job, gpumm_matrix *x, const int64_t *number,
                              int64_t length) {
  const int64_t entries = gpumm_entries (x);
  const int is_blocks = x->format == GPUMM_BLOCKS;
  x->index = gpumm_own (&job->memory, entries, gpumm_index_bytes (x));
  if (!x->index)
    return GPUMM_HOST_MEMORY;
  for (int64_t t = 0; t < entries; t++)
    gpumm_set_index (x, t, number[t]);
  x->nzmax = entries;
  *(is_blocks ? &x->cols : &x->rows) = length * (is_blocks ? x->block_cols : 1);
  return GPUMM_OK;
}

/* Numbers the places of the sorted entries: *number for each entry, *places for each number. */
static gpumm_status number_entries (struct gpumm_job *job, const placed *sorted, int64_t count,
                                    int64_t **number, int64_t **places, int64_t *length) {
  *number = gpumm_own (&job->memory, count, sizeof **number);
  *places = gpumm_own (&job->memory, count, sizeof **places);
  if (!*number || !*places)
    return GPUMM_HOST_MEMORY;
  *length = 0;
  for (int64_t t = 0; t < count; t++) {
    if (t == 0 || sorted[t].place != sorted[t - 1].place)
      (*places)[(*length)++] = sorted[t].place;
    (*number)[sorted[t].entry] = *length - 1;
  }
  return GPUMM_OK;
}

/* ---- the algorithm ------------------------------------------------------------------------ */

static gpumm_status open_long_lines (struct gpumm_job *job) {
  long_lines *state = gpumm_new_state (job, sizeof *state);
  if (!state)
    return GPUMM_HOST_MEMORY;
  gpumm_problem *inner = &state->inner;
  *inner = job->problem;
  job->by = inner;
  const int is_blocks = inner->a.format == GPUMM_BLOCKS;
  gpumm_matrix *x = is_blocks ? &inner->a : &inner->b, *y = is_blocks ? &inner->b : &inner->a;
  const int is_inner = gpumm_is_turned (y), is_same = gpumm_is_same_pattern (x, y);
  gpumm_status status = is_inner ? GPUMM_OK : keep_used (job, x, y);
  if (status)
    return status;
  const int64_t first = gpumm_entries (y);
  const int64_t count = first + (is_inner && !is_same ? gpumm_entries (x) : 0);
  placed *list = gpumm_allocate (2 * count, sizeof *list);
  if (!list)
    return GPUMM_HOST_MEMORY;
  collect (y, list, 0);
  if (count > first)
    collect (x, list + first, first);
  int64_t *number, *places, length;
  const placed *sorted = sort (list, list + count, count, gpumm_line_length (y));
  status = number_entries (job, sorted, count, &number, &places, &length);
  gpumm_release (list);
  if (!status)
    status = gpumm_check_cancelled ();
  if (!status)
    status = renumber (job, y, number, length);
  if (!status && is_inner && is_same) { /* they stay one pattern */
    x->index = y->index;
    x->nzmax = y->nzmax;
    x->rows = y->rows;
    x->cols = y->cols;
  } else if (!status && is_inner)
    status = renumber (job, x, number + first, length);
  state->places = is_inner ? NULL : places;
  return status;
}

static gpumm_matrix into (const struct gpumm_job *job, const gpumm_matrix *result) {
  gpumm_matrix c = *result;
  c.rows = job->inner->shape.rows;
  c.cols = job->inner->shape.cols;
  return c;
}

static gpumm_status finish (struct gpumm_job *job, const gpumm_matrix *c, gpumm_matrix *result) {
  const long_lines *state = job->state;
  const int64_t entries = gpumm_entries (c);
  for (int64_t t = 0; state->places && t < entries; t++)
    gpumm_set_index (result, t, state->places[gpumm_index_at (c, t)]);
  return GPUMM_OK;
}

const gpumm_algorithm gpumm_algorithm_long_lines = {
    .name = "long lines",
    .summary = "sparse by sparse, with only the rows in use",
    .open = open_long_lines,
    .into = into,
    .finish = finish,
    .hides = 1,
};
