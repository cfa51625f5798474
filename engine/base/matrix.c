/* matrix.c - is a matrix sound?
 *
 * An array is read only where earlier checks have shown that it may be: first the fields, then the
 * offsets, then the indices. Values are read only to count blocks of zeros. Arrays on a device are
 * not read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "matrix.h"
#include "cancel.h"
#include "error.h"
#include "gpumm_tools.h"
#include "memory/buffer.h"
#include "multiply/compressed.h"
#include "processors.h"
#include "threads.h"
#include "types.h"

#include <stdatomic.h>

/* No memory holds more bytes, and sizes up to this one can be added and rounded up. Of a block a
 * side is an int32, so that the engine may multiply two of them. */
static const double MOST = 0x1p62;

/* Are all sizes, and the bytes of each array of x, at most MOST? In double, against overflow. */
static int is_countable (const gpumm_matrix *x) {
  const int in_blocks = x->format == GPUMM_BLOCKS;
  const double rows = (double) x->rows, cols = (double) x->cols, stored = (double) x->nzmax;
  const double each = in_blocks ? (double) x->block_rows * (double) x->block_cols : 1;
  const double lines = in_blocks ? rows / (double) x->block_rows : cols;
  const double bytes = (double) gpumm_type_bytes (x->type);
  if (rows > MOST || cols > MOST
      || (in_blocks && (x->block_rows > INT32_MAX || x->block_cols > INT32_MAX)))
    return 0;
  return x->format == GPUMM_FULL
             ? (double) x->ld <= MOST && (double) x->ld * cols * bytes <= MOST
             : each * bytes <= MOST && stored * each * bytes <= MOST
                   && stored * sizeof *x->row <= MOST && lines * sizeof *x->start <= MOST / 2;
}

gpumm_status gpumm_check_matrix (const gpumm_matrix *x, const char *name) {
  if ((unsigned) x->format > GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_INVALID, "%s has an unknown kind", name);
  if ((unsigned) x->type >= GPUMM_TYPES)
    return gpumm_fail (GPUMM_INVALID, "%s has an unknown element type", name);
  if (x->rows < 0 || x->cols < 0 || x->nzmax < 0)
    return gpumm_fail (GPUMM_INVALID, "%s has negative sizes", name);
  if (x->format == GPUMM_BLOCKS && (x->block_rows < 1 || x->block_cols < 1))
    return gpumm_fail (GPUMM_INVALID, "%s has blocks of %lldx%lld", name, (long long) x->block_rows,
                       (long long) x->block_cols);
  if (!is_countable (x))
    return gpumm_fail (GPUMM_HOST_MEMORY, "%s of %lldx%lld is larger than any memory", name,
                       (long long) x->rows, (long long) x->cols);
  if (x->format == GPUMM_FULL) {
    if (x->ld < x->rows)
      return gpumm_fail (GPUMM_INVALID, "%s has a leading dimension below its rows", name);
    if (x->rows > 0 && x->cols > 0 && !x->values)
      return gpumm_fail (GPUMM_INVALID, "%s has no values", name);
  } else if (x->format == GPUMM_BLOCKS) {
    if (x->rows % x->block_rows != 0 || x->cols % x->block_cols != 0)
      return gpumm_fail (GPUMM_INVALID, "%s of %lldx%lld does not divide into blocks of %lldx%lld",
                         name, (long long) x->rows, (long long) x->cols, (long long) x->block_rows,
                         (long long) x->block_cols);
    if (!x->start || (x->nzmax > 0 && (!x->block_column || !x->values)))
      return gpumm_fail (GPUMM_INVALID, "%s in blocks has no index arrays", name);
  } else if (!x->start || (x->nzmax > 0 && (!x->row || !x->values)))
    return gpumm_fail (GPUMM_INVALID, "sparse %s has no index arrays", name);
  return x->buffer ? gpumm_check_buffers (x, name) : GPUMM_OK;
}

/* ---- indices ------------------------------------------------------------------------------ */

typedef struct {
  const gpumm_matrix *x;
  int64_t range; /* indices are 0 to range - 1 */
  atomic_llong found;
} search;

/* All lines of a piece are checked as one sequence by vectors, because most lines are shorter than
 * a vector. An index that does not ascend is a fault unless it begins a line. Bit 63 of (x -
 * previous - 1) tells that if both are in range; bit 63 of x or of most - x tells an index out of
 * range.
 *
 * Counts the indices, of at least one, that are not above the one before. */
#define DEFINE_DESCENTS(NAME, INTEGER)                                                             \
  FOR_EACH_PROCESSOR static uint64_t NAME (const INTEGER *index, int64_t count, uint64_t most,     \
                                           uint64_t *outside) {                                    \
    uint64_t descents = 0, out = (uint64_t) index[0] | (most - (uint64_t) index[0]);               \
    for (int64_t t = 1; t < count; t++) {                                                          \
      const uint64_t before = (uint64_t) index[t - 1], here = (uint64_t) index[t];                 \
      out |= here | (most - here);                                                                 \
      descents += (here - before - 1) >> 63;                                                       \
    }                                                                                              \
    *outside = out >> 63;                                                                          \
    return descents;                                                                               \
  }

/* Counts the lines begin .. end - 1 whose first index is not above the one before. */
#define DEFINE_BREAKS(NAME, INTEGER)                                                               \
  static uint64_t NAME (const INTEGER *index, const int64_t *start, int64_t begin, int64_t end) {  \
    uint64_t breaks = 0;                                                                           \
    for (int64_t i = begin; i < end; i++)                                                          \
      if (start[i] > start[begin] && start[i] < start[i + 1])                                      \
        breaks += index[start[i] - 1] >= index[start[i]];                                          \
    return breaks;                                                                                 \
  }

DEFINE_DESCENTS (descents_4, int32_t)
DEFINE_DESCENTS (descents_8, int64_t)
DEFINE_BREAKS (breaks_4, int32_t)
DEFINE_BREAKS (breaks_8, int64_t)

/* Are lines begin .. end - 1 without fault? */
static int is_sound (const search *s, int64_t begin, int64_t end) {
  const gpumm_matrix *x = s->x;
  const int64_t first = x->start[begin], count = x->start[end] - first;
  const uint64_t most = (uint64_t) s->range - 1;
  uint64_t outside;
  if (count == 0)
    return 1;
  return (x->format == GPUMM_BLOCKS ? descents_4 (x->block_column + first, count, most, &outside)
                                          == breaks_4 (x->block_column, x->start, begin, end)
                                    : descents_8 (x->row + first, count, most, &outside)
                                          == breaks_8 (x->row, x->start, begin, end))
         && !outside;
}

static void search_lines (void *context, int64_t begin, int64_t end) {
  search *s = context;
  if (is_sound (s, begin, end))
    return;
  for (int64_t i = begin; i < end; i++)
    if (!is_sound (s, i, i + 1))
      atomic_store (&s->found, i);
}

/* The fewest entries for a thread. */
static const double LEAST_ENTRIES = 2e5;

gpumm_status gpumm_check_entries (const gpumm_matrix *x, const char *name) {
  const int in_blocks = x->format == GPUMM_BLOCKS;
  const char *line = in_blocks ? "block row" : "column";
  const int64_t lines = gpumm_line_count (x), *start = x->start;
  if (x->format == GPUMM_FULL || x->buffer)
    return GPUMM_OK;
  if (in_blocks && gpumm_line_length (x) > INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s has more than 2^31 block columns", name);
  if (start[0] != 0)
    return gpumm_fail (GPUMM_INVALID, "%s: the first %s begins at %lld and not 0", name, line,
                       (long long) start[0]);
  for (int64_t i = 0; i < lines; i++)
    if (start[i + 1] < start[i])
      return gpumm_fail (GPUMM_INVALID, "%s: offsets descend from %lld to %lld after %s %lld", name,
                         (long long) start[i], (long long) start[i + 1], line, (long long) i + 1);
  if (start[lines] > x->nzmax)
    return gpumm_fail (GPUMM_INVALID, "%s: %lld %s, but the arrays hold %lld", name,
                       (long long) start[lines], in_blocks ? "blocks" : "nonzeros",
                       (long long) x->nzmax);
  const double each = ((double) start[lines] + 1) / ((double) lines + 1);
  search s = {x, gpumm_line_length (x), -1};
  gpumm_status status =
      gpumm_parallel (lines, (int64_t) (LEAST_ENTRIES / each) + 1, search_lines, &s);
  const int64_t bad = atomic_load (&s.found);
  if (!status && bad >= 0)
    return gpumm_fail (GPUMM_INVALID,
                       "%s: the %s of %s %lld do not ascend from 0 to at most %lld (%ss count from "
                       "1)",
                       name, in_blocks ? "block columns" : "rows", line, (long long) bad + 1,
                       (long long) s.range - 1, line);
  return status ? status : gpumm_check_cancelled ();
}

/* ---- blocks from outside ------------------------------------------------------------------- */

gpumm_status gpumm_blocks_verify (const gpumm_matrix *x, int64_t *zeros) {
  if (zeros)
    *zeros = 0;
  if (!x || x->format != GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_INVALID, "not a matrix by blocks");
  gpumm_status status = gpumm_check_matrix (x, "the matrix");
  if (!status)
    status = gpumm_check_entries (x, "the matrix");
  if (status)
    return status;
  const int64_t count = gpumm_entries (x);
  if (count != x->nzmax)
    return gpumm_fail (GPUMM_INVALID, "the offsets end at %lld, and there are %lld blocks",
                       (long long) count, (long long) x->nzmax);
  const size_t bytes = gpumm_entry_bytes (x);
  for (int64_t t = 0; zeros && t < count && !gpumm_is_cancelled_at (t); t++)
    *zeros += !gpumm_any_nonzero (x->type, (const char *) x->values + (size_t) t * bytes,
                                  gpumm_entry_elements (x));
  return gpumm_check_cancelled ();
}
