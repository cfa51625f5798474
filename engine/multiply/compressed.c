/* compressed.c - are the indices of compressed columns, or of rows of blocks, sound, how many products
 * do they make, and what is their transpose?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compressed.h"
#include "processors.h"
#include "cancel.h"
#include "error.h"
#include "memory/host.h"
#include "memory/limit.h"
#include "threads.h"
#include "types.h"

#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

gpumm_lines gpumm_lines_of (const gpumm_operand *x) {
  if (x->kind == GPUMM_BLOCKS)
    return (gpumm_lines){.count = x->rows / x->block_rows,
                         .across = x->cols / x->block_cols,
                         .block_rows = x->block_rows,
                         .block_cols = x->block_cols,
                         .start = x->block_start,
                         .index = x->block_column,
                         .index_bytes = sizeof *x->block_column,
                         .values = x->values,
                         .type = x->type};
  return (gpumm_lines){.count = x->cols,
                       .across = x->rows,
                       .block_rows = 1,
                       .block_cols = 1,
                       .start = x->column,
                       .index = x->row,
                       .index_bytes = sizeof *x->row,
                       .values = x->values,
                       .type = x->type};
}

/* ---- pieces ------------------------------------------------------------------------------- */

int64_t gpumm_cut_end (const gpumm_cut *cut, int64_t line) {
  const int64_t *start = cut->start;
  int64_t low = line + 1, high = gpumm_least (cut->lines, line + cut->most_lines);
  if (!start)
    return high;
  while (low < high) {
    const int64_t middle = high - (high - low) / 2;
    if (start[middle] - start[line] <= cut->most)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

int64_t gpumm_cut_count (const gpumm_cut *cut, int64_t *largest) {
  int64_t count = 0;
  *largest = 0;
  for (int64_t line = 0, end; line < cut->lines; line = end, count++) {
    end = gpumm_cut_end (cut, line);
    if (cut->start && cut->start[end] - cut->start[line] > *largest)
      *largest = cut->start[end] - cut->start[line];
  }
  return count;
}

/* ---- indices ------------------------------------------------------------------------------ */

typedef struct {
  const int64_t *start;
  const void *index;
  size_t index_bytes;
  int64_t range;
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

/* Checks one line of count indices, at least one. */
#define DEFINE_ASCENDS(NAME, INTEGER)                                                              \
  static int NAME (const INTEGER *index, int64_t count, int64_t range) {                           \
    int wrong = index[0] < 0 || index[count - 1] >= range;                                         \
    for (int64_t t = 1; t < count; t++)                                                            \
      wrong |= index[t - 1] >= index[t];                                                           \
    return !wrong;                                                                                 \
  }

DEFINE_DESCENTS (descents_4, int32_t)
DEFINE_DESCENTS (descents_8, int64_t)
DEFINE_BREAKS (breaks_4, int32_t)
DEFINE_BREAKS (breaks_8, int64_t)
DEFINE_ASCENDS (ascends_4, int32_t)
DEFINE_ASCENDS (ascends_8, int64_t)

/* Are lines begin .. end - 1, which hold at least one index, without fault? */
static int is_sound (const search *s, int64_t begin, int64_t end) {
  const int64_t first = s->start[begin], count = s->start[end] - first;
  const uint64_t most = (uint64_t) s->range - 1;
  uint64_t outside;
  if (s->index_bytes == 4) {
    const int32_t *index = s->index;
    return descents_4 (index + first, count, most, &outside)
               == breaks_4 (index, s->start, begin, end)
           && !outside;
  }
  const int64_t *index = s->index;
  return descents_8 (index + first, count, most, &outside) == breaks_8 (index, s->start, begin, end)
         && !outside;
}

static void search_lines (void *context, int64_t begin, int64_t end) {
  search *s = context;
  if (s->start[begin] == s->start[end] || is_sound (s, begin, end))
    return;
  for (int64_t i = begin; i < end; i++) {
    const int64_t at = s->start[i], count = s->start[i + 1] - at;
    if (count > 0
        && !(s->index_bytes == 4 ? ascends_4 ((const int32_t *) s->index + at, count, s->range)
                                 : ascends_8 ((const int64_t *) s->index + at, count, s->range)))
      atomic_store (&s->found, i);
  }
}

int64_t gpumm_find_unsorted (int64_t lines, const int64_t *start, const void *index,
                             size_t index_bytes, int64_t range, int64_t grain) {
  search s = {start, index, index_bytes, range, -1};
  if (gpumm_parallel (lines, grain, search_lines, &s)) /* cancelled; the caller reports it */
    return -1;
  return atomic_load (&s.found);
}

/* ---- products ----------------------------------------------------------------------------- */

static int64_t index_at (const gpumm_lines *x, int64_t t) {
  return x->index_bytes == 4 ? ((const int32_t *) x->index)[t] : ((const int64_t *) x->index)[t];
}

const int64_t *gpumm_line_starts (const gpumm_lines *x, int turned, int64_t **made) {
  *made = NULL;
  if (!turned)
    return x->start;
  int64_t *start = *made = gpumm_allocate (x->across + 1, sizeof *start);
  for (int64_t t = 0; start && t < x->start[x->count]; t++)
    start[index_at (x, t) + 1]++;
  for (int64_t i = 0; start && i < x->across; i++)
    start[i + 1] += start[i];
  return start;
}

typedef struct {
  const gpumm_lines *x;
  const int64_t *start;
  atomic_llong products;
} product_count;

static void count_products (void *context, int64_t begin, int64_t end) {
  product_count *count = context;
  const int64_t *start = count->start;
  int64_t products = 0;
  for (int64_t t = begin; t < end; t++) {
    const int64_t k = index_at (count->x, t);
    products += start[k + 1] - start[k];
  }
  atomic_fetch_add (&count->products, products);
}

gpumm_status gpumm_count_products (const gpumm_lines *x, int turned_x, const gpumm_lines *y,
                                   int turned_y, double *products) {
  int64_t *made = NULL;
  *products = 0;
  if (turned_x && !turned_y) {
    for (int64_t k = 0; k < x->count; k++)
      *products +=
          (double) (x->start[k + 1] - x->start[k]) * (double) (y->start[k + 1] - y->start[k]);
    return GPUMM_OK;
  }
  /* of one matrix each entry is visited, of the other only the starts are needed */
  product_count count = {.x = turned_x ? y : x,
                         .start = turned_x ? x->start : gpumm_line_starts (y, turned_y, &made)};
  gpumm_status status = count.start ? GPUMM_OK : GPUMM_HOST_MEMORY;
  if (!status)
    status = gpumm_parallel (count.x->start[count.x->count], 1 << 16, count_products, &count);
  *products = (double) atomic_load (&count.products);
  gpumm_release (made);
  return status;
}

/* ---- a lower bound of C ------------------------------------------------------------------- */

gpumm_status gpumm_check_least (const gpumm_operand *c, double products, const gpumm_lines *x,
                                int turned_x, const gpumm_lines *y, int turned_y) {
  const int64_t lines = turned_x ? x->across : x->count;
  gpumm_operand least = *c;
  least.nzmax = (int64_t) fmin (products, 0x1p62);
  if (!gpumm_check_room (&least))
    return GPUMM_OK; /* it fits even if each product is an entry of its own */
  int64_t *longest = gpumm_allocate (lines, sizeof *longest), *made;
  const int64_t *start = gpumm_line_starts (y, turned_y, &made);
  for (int64_t line = 0; longest && start && line < x->count; line++)
    for (int64_t t = x->start[line]; t < x->start[line + 1]; t++) {
      const int64_t i = turned_x ? index_at (x, t) : line, k = turned_x ? line : index_at (x, t);
      if (start[k + 1] - start[k] > longest[i])
        longest[i] = start[k + 1] - start[k];
    }
  least.nzmax = 0;
  for (int64_t i = 0; longest && i < lines; i++)
    least.nzmax += longest[i];
  const gpumm_status status = longest && start ? gpumm_check_room (&least) : GPUMM_HOST_MEMORY;
  gpumm_release (longest);
  gpumm_release (made);
  return status;
}

/* ---- zeros -------------------------------------------------------------------------------- */

int gpumm_blocks_any (gpumm_type type, const void *values, int64_t count) {
  int any = 0;
  if (type == GPUMM_S || type == GPUMM_C) {
    const float *v = values;
    for (int64_t e = 0; e < (type == GPUMM_C ? 2 : 1) * count; e++)
      any |= v[e] != 0;
  } else if (type == GPUMM_D || type == GPUMM_Z) {
    const double *v = values;
    for (int64_t e = 0; e < (type == GPUMM_Z ? 2 : 1) * count; e++)
      any |= v[e] != 0;
  } else {
    const unsigned char *v = values;
    const int64_t bytes = count * (int64_t) gpumm_type_bytes (type);
    for (int64_t e = 0; e < bytes; e++)
      any |= v[e];
  }
  return any != 0;
}

static size_t entry_bytes (const gpumm_lines *x) {
  return (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (x->type);
}

static void move_entries (const gpumm_lines *x, int64_t to, int64_t from, int64_t count) {
  const size_t bytes = entry_bytes (x), index_bytes = x->index_bytes;
  if (to == from || count == 0)
    return;
  memmove ((char *) x->index + (size_t) to * index_bytes,
           (char *) x->index + (size_t) from * index_bytes, (size_t) count * index_bytes);
  memmove ((char *) x->values + (size_t) to * bytes, (char *) x->values + (size_t) from * bytes,
           (size_t) count * bytes);
}

void gpumm_close_gaps (const gpumm_lines *x, const int64_t *start, const int64_t *cut,
                       int64_t pieces, const int64_t *end) {
  int64_t out = 0;
  for (int64_t piece = 0; piece < pieces; piece++) {
    const int64_t begin = start[cut[piece]], length = end[piece] - begin;
    move_entries (x, out, begin, length);
    for (int64_t line = cut[piece]; line < cut[piece + 1] && begin != out; line++)
      x->start[line] -= begin - out;
    out += length;
  }
  x->start[x->count] = out;
}

enum { PIECES = 256 };

typedef struct {
  const gpumm_lines *x;
  const int64_t *start;
  int64_t cut[PIECES + 1], end[PIECES];
} compaction;

/* Moves the entries from t to before end that are not zero to `out` and on; returns where they end. All
 * elements are moved, which is faster than to decide; a zero is then overwritten. */
#define DEFINE_KEEP(NAME, TYPE)                                                                    \
  static int64_t NAME (const gpumm_lines *x, int64_t t, int64_t end, int64_t out) {                \
    int64_t *index = x->index;                                                                     \
    TYPE *values = x->values;                                                                      \
    for (; t < end; t++) {                                                                         \
      const TYPE value = values[t];                                                                \
      index[out] = index[t];                                                                       \
      values[out] = value;                                                                         \
      out += value != 0;                                                                           \
    }                                                                                              \
    return out;                                                                                    \
  }

DEFINE_KEEP (keep_reals, double)
DEFINE_KEEP (keep_complex, double complex)

static int64_t keep_blocks (const gpumm_lines *x, int64_t t, int64_t end, int64_t out) {
  const size_t bytes = entry_bytes (x);
  for (; t < end; t++)
    if (gpumm_blocks_any (x->type, (char *) x->values + (size_t) t * bytes,
                          x->block_rows * x->block_cols))
      move_entries (x, out++, t, 1);
  return out;
}

/* Drops the zeros of several pieces; each piece closes up at its beginning. */
static void compact (void *context, int64_t begin, int64_t end) {
  compaction *c = context;
  const gpumm_lines *x = c->x;
  int64_t (*const keep) (const gpumm_lines *, int64_t, int64_t, int64_t) =
      x->index_bytes != sizeof (int64_t) ? keep_blocks
      : x->type == GPUMM_Z               ? keep_complex
                                         : keep_reals;
  for (int64_t piece = begin; piece < end; piece++) {
    int64_t out = c->start[c->cut[piece]];
    for (int64_t i = c->cut[piece]; i < c->cut[piece + 1] && !gpumm_is_cancelled (); i++) {
      x->start[i] = out;
      out = keep (x, c->start[i], c->start[i + 1], out);
    }
    c->end[piece] = out;
  }
}

gpumm_status gpumm_drop_zeros (const gpumm_lines *x, const int64_t *start) {
  const gpumm_cut cut = {start, x->count, x->count, start[x->count] / (PIECES / 2) + 1};
  compaction c = {.x = x, .start = start};
  int64_t pieces = 0;
  while (c.cut[pieces] < x->count) {
    c.cut[pieces + 1] = pieces + 1 < PIECES ? gpumm_cut_end (&cut, c.cut[pieces]) : x->count;
    pieces++;
  }
  gpumm_status status = gpumm_parallel (pieces, 1, compact, &c);
  if (!status)
    gpumm_close_gaps (x, start, c.cut, pieces, c.end);
  return status;
}

/* Counts the indices, then moves the entries line by line, so that they arrive in order. Counts stand
 * two places higher, so that moving leaves the offsets in next. */
#define COUNT(INDEX)                                                                               \
  for (int64_t t = 0; t < all && !gpumm_is_cancelled_at (t); t++)                                  \
    next[((const INDEX *) x->index)[t] + 2]++;
#define HAND_OUT(INDEX, VALUE, value)                                                              \
  for (int64_t i = 0; i < x->count && !gpumm_is_cancelled (); i++)                                 \
    for (int64_t t = x->start[i]; t < x->start[i + 1] && !gpumm_is_cancelled_at (t); t++) {        \
      const int64_t to = next[((const INDEX *) x->index)[t] + 1]++;                                \
      ((INDEX *) index)[to] = (INDEX) i;                                                           \
      ((VALUE *) values)[to] = value;                                                              \
    }

gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_lines *x, int moves,
                                    gpumm_lines *out) {
  const int64_t all = x->start[x->count];
  if (x->across >= INT64_MAX - 1)
    return gpumm_fail (GPUMM_HOST_MEMORY, "a sparse matrix of %lld columns is too large",
                       (long long) x->across);
  const size_t value_bytes = moves ? gpumm_type_bytes (x->type) : sizeof (int64_t);
  int64_t *next = gpumm_own (memory, x->across + 2, sizeof *next);
  void *index = gpumm_own (memory, all, x->index_bytes);
  void *values = gpumm_own (memory, all, value_bytes);
  if (!next || !index || !values)
    return GPUMM_HOST_MEMORY;
  if (x->index_bytes == 4)
    COUNT (int32_t)
  else
    COUNT (int64_t)
  for (int64_t i = 0; i < x->across; i++)
    next[i + 2] += next[i + 1];
  gpumm_status status = gpumm_check_cancelled ();
  if (status) /* some are not counted */
    return status;
  if (x->index_bytes == 4)
    HAND_OUT (int32_t, int64_t, t)
  else if (value_bytes == sizeof (double))
    HAND_OUT (int64_t, double, ((const double *) x->values)[t])
  else
    HAND_OUT (int64_t, double complex, ((const double complex *) x->values)[t])
  gpumm_lines turned = *x;
  turned.count = x->across;
  turned.across = x->count;
  turned.start = next;
  turned.index = index;
  turned.values = values;
  *out = turned;
  return gpumm_check_cancelled ();
}
