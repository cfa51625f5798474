/* compressed.c - compressed columns and compressed rows of blocks: how many products do they make,
 * what is their transpose, which of their entries are zero?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compressed.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/types.h"
#include "memory/host.h"
#include "memory/limit.h"

#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- pieces ------------------------------------------------------------------------------- */

int64_t gpumm_cut_end (const gpumm_cut *cut, int64_t line) {
  const int64_t *start = cut->start, end = gpumm_least (cut->lines, line + cut->most_lines);
  return start ? gpumm_find_from (start, line + 2, end + 1, start[line] + cut->most + 1) - 1 : end;
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

/* ---- products ----------------------------------------------------------------------------- */

/* Where the lines of op (X) begin; NULL: out of host memory. Release *made. */
static const int64_t *line_starts (const gpumm_matrix *x, int64_t **made) {
  const int64_t lines = gpumm_line_length (x), entries = gpumm_entries (x);
  *made = NULL;
  if (!gpumm_is_turned (x))
    return x->start;
  int64_t *start = *made = gpumm_allocate (lines + 1, sizeof *start);
  for (int64_t t = 0; start && t < entries && !gpumm_is_cancelled_at (t); t++)
    start[gpumm_index_at (x, t) + 1]++;
  for (int64_t i = 0; start && i < lines; i++)
    start[i + 1] += start[i];
  return start;
}

typedef struct {
  const gpumm_matrix *x;
  const int64_t *start;
  atomic_llong products;
} product_count;

static void count_products (void *context, int64_t begin, int64_t end) {
  product_count *count = context;
  const int64_t *start = count->start;
  int64_t products = 0;
  for (int64_t t = begin; t < end; t++) {
    const int64_t k = gpumm_index_at (count->x, t);
    products += start[k + 1] - start[k];
  }
  atomic_fetch_add (&count->products, products);
}

gpumm_status gpumm_count_products (const gpumm_matrix *x, const gpumm_matrix *y, double *products) {
  const int turned_x = gpumm_is_turned (x);
  int64_t *made = NULL;
  *products = 0;
  if (turned_x && !gpumm_is_turned (y)) {
    for (int64_t k = 0, lines = gpumm_line_count (x); k < lines; k++)
      *products +=
          (double) (x->start[k + 1] - x->start[k]) * (double) (y->start[k + 1] - y->start[k]);
    return GPUMM_OK;
  }
  /* of one matrix each entry is visited, of the other only the starts are needed */
  product_count count = {.x = turned_x ? y : x,
                         .start = turned_x ? x->start : line_starts (y, &made)};
  gpumm_status status = count.start ? gpumm_check_cancelled () : GPUMM_HOST_MEMORY;
  if (!status)
    status = gpumm_parallel (gpumm_entries (count.x), 1 << 16, count_products, &count);
  *products = (double) atomic_load (&count.products);
  gpumm_release (made);
  return status;
}

enum { SAMPLES = 1 << 15 }; /* entries, or lines: 0.1 ms or less */

double gpumm_estimate_products (const gpumm_matrix *x, const gpumm_matrix *y) {
  const int64_t stored_x = gpumm_entries (x), stored_y = gpumm_entries (y);
  const int turned = gpumm_is_turned (x);
  const int64_t all = turned ? gpumm_line_count (x) : stored_x, apart = all / SAMPLES + 1;
  double products = 0;
  int64_t seen = 0;
  if (stored_x == 0 || stored_y == 0)
    return 0;
  if (gpumm_is_turned (y)) /* evenly spread entries */
    return (double) stored_x * (double) stored_y / (double) gpumm_line_length (y);
  for (int64_t t = 0; t < all; t += apart, seen++) {
    const int64_t k = turned ? t : gpumm_index_at (x, t);
    const double entries = turned ? (double) (x->start[k + 1] - x->start[k]) : 1;
    products += entries * (double) (y->start[k + 1] - y->start[k]);
  }
  return products * ((double) all / (double) seen);
}

/* ---- a lower bound of C ------------------------------------------------------------------- */

gpumm_status gpumm_check_least (const gpumm_matrix *c, double products, const gpumm_matrix *x,
                                const gpumm_matrix *y) {
  const int turned_x = gpumm_is_turned (x);
  const int64_t lines_x = gpumm_line_count (x), lines = turned_x ? gpumm_line_length (x) : lines_x;
  gpumm_matrix least = *c;
  const double places = (double) gpumm_line_count (c) * (double) gpumm_line_length (c);
  least.nzmax = (int64_t) fmin (fmin (products, places), 0x1p62);
  if (!gpumm_check_room (&least))
    return GPUMM_OK; /* it fits even if each product, or each place, is an entry of its own */
  int64_t *longest = gpumm_allocate (lines, sizeof *longest), *made;
  const int64_t *start = line_starts (y, &made);
  for (int64_t line = 0; longest && start && line < lines_x && !gpumm_is_cancelled (); line++)
    for (int64_t t = x->start[line]; t < x->start[line + 1]; t++) {
      const int64_t i = turned_x ? gpumm_index_at (x, t) : line,
                    k = turned_x ? line : gpumm_index_at (x, t);
      if (start[k + 1] - start[k] > longest[i])
        longest[i] = start[k + 1] - start[k];
    }
  least.nzmax = 0;
  for (int64_t i = 0; longest && i < lines; i++)
    least.nzmax += longest[i];
  gpumm_status status = longest && start ? gpumm_check_cancelled () : GPUMM_HOST_MEMORY;
  if (!status)
    status = gpumm_check_room (&least);
  gpumm_release (longest);
  gpumm_release (made);
  return status;
}

/* ---- zeros -------------------------------------------------------------------------------- */

static int is_any (gpumm_type type, const void *values, int64_t count) {
  int any = 0;
  if (gpumm_is_single (type)) {
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

int gpumm_any_nonzero (gpumm_type type, const void *values, int64_t count) {
  const int64_t first = gpumm_least (count, 16); /* most blocks begin with a nonzero element */
  return is_any (type, values, first)
         || (count > first
             && is_any (type, (const char *) values + (size_t) first * gpumm_type_bytes (type),
                        count - first));
}

static void move_entries (const gpumm_matrix *x, int64_t to, int64_t from, int64_t count) {
  const size_t bytes = gpumm_entry_bytes (x), index_bytes = gpumm_index_bytes (x);
  if (to == from || count == 0)
    return;
  memmove ((char *) x->index + (size_t) to * index_bytes,
           (char *) x->index + (size_t) from * index_bytes, (size_t) count * index_bytes);
  memmove ((char *) x->values + (size_t) to * bytes, (char *) x->values + (size_t) from * bytes,
           (size_t) count * bytes);
}

void gpumm_close_gaps (const gpumm_matrix *x, const int64_t *start, const int64_t *cut,
                       int64_t pieces, const int64_t *end) {
  int64_t out = 0;
  for (int64_t piece = 0; piece < pieces; piece++) {
    const int64_t begin = start[cut[piece]], length = end[piece] - begin;
    move_entries (x, out, begin, length);
    for (int64_t line = cut[piece]; line < cut[piece + 1] && begin != out; line++)
      x->start[line] -= begin - out;
    out += length;
  }
  x->start[gpumm_line_count (x)] = out;
}

enum { PIECES = 256 };

typedef struct {
  const gpumm_matrix *x;
  int64_t cut[PIECES + 1], end[PIECES];
} compaction;

/* Moves the entries from t to before end that are not zero to `out` and on; returns where they end.
 * All elements are moved, which is faster than to decide; a zero is then overwritten. */
#define DEFINE_KEEP(NAME, TYPE)                                                                    \
  static int64_t NAME (const gpumm_matrix *x, int64_t t, int64_t end, int64_t out) {               \
    int64_t *index = x->row;                                                                       \
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

static int64_t keep_blocks (const gpumm_matrix *x, int64_t t, int64_t end, int64_t out) {
  const size_t bytes = gpumm_entry_bytes (x);
  for (; t < end; t++)
    if (gpumm_any_nonzero (x->type, (char *) x->values + (size_t) t * bytes,
                           gpumm_entry_elements (x)))
      move_entries (x, out++, t, 1);
  return out;
}

/* Drops the zeros of several pieces; each piece closes up at its beginning. */
static void compact (void *context, int64_t begin, int64_t end) {
  compaction *c = context;
  const gpumm_matrix *x = c->x;
  int64_t (*const keep) (const gpumm_matrix *, int64_t, int64_t, int64_t) =
      x->format == GPUMM_BLOCKS ? keep_blocks
      : x->type == GPUMM_Z      ? keep_complex
                                : keep_reals;
  for (int64_t piece = begin; piece < end; piece++) {
    int64_t from = x->start[c->cut[piece]], out = from;
    for (int64_t i = c->cut[piece]; i < c->cut[piece + 1] && !gpumm_is_cancelled (); i++) {
      const int64_t next = x->start[i + 1];
      if (i > c->cut[piece]) /* the piece before reads where this one begins */
        x->start[i] = out;
      out = keep (x, from, next, out);
      from = next;
    }
    c->end[piece] = out;
  }
}

gpumm_status gpumm_drop_zeros (const gpumm_matrix *x) {
  const int64_t lines = gpumm_line_count (x);
  const gpumm_cut cut = {x->start, lines, lines, x->start[lines] / (PIECES / 2) + 1};
  compaction c = {.x = x};
  int64_t pieces = 0;
  while (c.cut[pieces] < lines) {
    c.cut[pieces + 1] = pieces + 1 < PIECES ? gpumm_cut_end (&cut, c.cut[pieces]) : lines;
    pieces++;
  }
  gpumm_status status = gpumm_parallel (pieces, 1, compact, &c);
  if (!status)
    gpumm_close_gaps (x, x->start, c.cut, pieces, c.end);
  return status;
}

/* Counts the indices, then moves the entries line by line, so that they arrive in order. Counts
 * stand two places higher, so that moving leaves the offsets in next. */
gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_matrix *x, int moves,
                                    gpumm_matrix *out) {
  const int64_t lines = gpumm_line_count (x), length = gpumm_line_length (x);
  const int64_t all = x->start[lines];
  if (length >= INT64_MAX - 1)
    return gpumm_fail (GPUMM_HOST_MEMORY, "a sparse matrix of %lld columns is too large",
                       (long long) length);
  const size_t value_bytes = moves ? gpumm_type_bytes (x->type) : sizeof (int64_t);
  int64_t *next = gpumm_own (memory, length + 2, sizeof *next);
  gpumm_matrix turned = *x;
  turned.op = GPUMM_NONE;
  turned.rows = x->cols;
  turned.cols = x->rows;
  turned.block_rows = x->block_cols;
  turned.block_cols = x->block_rows;
  turned.start = next;
  turned.index = gpumm_own (memory, all, gpumm_index_bytes (x));
  void *const values = turned.values = gpumm_own (memory, all, value_bytes);
  if (!next || !turned.index || !values)
    return GPUMM_HOST_MEMORY;
  for (int64_t t = 0; t < all && !gpumm_is_cancelled_at (t); t++)
    next[gpumm_index_at (x, t) + 2]++;
  for (int64_t i = 0; i < length; i++)
    next[i + 2] += next[i + 1];
  gpumm_status status = gpumm_check_cancelled ();
  if (status) /* some are not counted */
    return status;
  for (int64_t i = 0; i < lines && !gpumm_is_cancelled (); i++)
    for (int64_t t = x->start[i]; t < x->start[i + 1] && !gpumm_is_cancelled_at (t); t++) {
      const int64_t to = next[gpumm_index_at (x, t) + 1]++;
      gpumm_set_index (&turned, to, i);
      if (!moves)
        ((int64_t *) values)[to] = t;
      else if (value_bytes == sizeof (double))
        ((double *) values)[to] = ((const double *) x->values)[t];
      else
        ((double complex *) values)[to] = ((const double complex *) x->values)[t];
    }
  *out = turned;
  return gpumm_check_cancelled ();
}
