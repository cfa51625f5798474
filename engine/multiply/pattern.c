/* pattern.c - counts the pattern of C = x y of compressed lines, and shares its lines among
 * threads.
 *
 * Gustavson's product by lines of C (ACM TOMS 4 (1978) 250) in two phases: this one counts exactly,
 * and the other computes. If the lines of y are rich, a line of C's pattern is an OR of bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECES_PER_THREAD = 4 };                           /* so that uneven pieces balance */
static const int64_t WORKSPACE_BYTES = (int64_t) 1 << 30; /* of all threads together */
static const int64_t LEAST_STORES = 200000;               /* of bits, for a thread */
static const double LEAST_ENTRIES = 2e5;                  /* compared, for a thread */

/* ---- a thread's memory -------------------------------------------------------------------- */

static int create_marks (const gpumm_pattern *p, gpumm_line *w) {
  if (!p->bits)
    return rowset_create (&w->set, gpumm_line_length (&p->y)) == GPUMM_OK;
  w->bits = gpumm_allocate (p->words, sizeof *w->bits);
  return w->bits != NULL;
}

static void destroy_line (gpumm_line *w) {
  rowset_destroy (&w->set);
  gpumm_release (w->bits);
  gpumm_release (w->list);
  gpumm_release (w->sums);
}

/* ---- a line ------------------------------------------------------------------------------- */

static int64_t collect_short (const gpumm_pattern *p, int64_t *list, int64_t i) {
  const gpumm_matrix *x = &p->x, *y = &p->y;
  const int64_t begin = x->start[i], end = x->start[i + 1], last = x->start[p->lines];
  int64_t rows[SHORT_LINE], count = 0;
  if (!list && end - begin == 1) /* one line of y */
    return y->start[x->row[begin] + 1] - y->start[x->row[begin]];
  int64_t *const to = list ? list : rows;
  for (int64_t t = begin; t < end && !gpumm_is_cancelled_at (t); t++) {
    __builtin_prefetch (y->row + gpumm_soon (p, t, last));
    for (int64_t u = y->start[x->row[t]]; u < y->start[x->row[t] + 1]; u++) {
      int is_new;
      const int64_t place = gpumm_place_in (to, count, y->row[u], &is_new);
      for (int64_t q = count; is_new && q > place; q--)
        to[q] = to[q - 1];
      to[place] = y->row[u];
      count += is_new;
    }
  }
  return count;
}

static int64_t collect_bits (const gpumm_pattern *p, gpumm_line *w, int64_t i) {
  int64_t count = 0, *out = w->list;
  memset (w->bits, 0, (size_t) p->words * sizeof *w->bits);
  for (int64_t t = p->x.start[i]; t < p->x.start[i + 1]; t++) {
    const uint64_t *bits = p->bits + gpumm_index_at (&p->x, t) * p->words;
    for (int64_t q = 0; q < p->words; q++)
      w->bits[q] |= bits[q];
  }
  for (int64_t q = 0; q < p->words; q++) {
    if (out)
      for (uint64_t bits = w->bits[q]; bits; bits &= bits - 1)
        *out++ = q * 64 + __builtin_ctzll (bits);
    count += __builtin_popcountll (w->bits[q]);
  }
  return count;
}

static inline __attribute__ ((always_inline)) int64_t collect_set (const gpumm_pattern *p,
                                                                   gpumm_line *w, int64_t i,
                                                                   const int narrow) {
  const gpumm_matrix *x = &p->x, *y = &p->y;
  const int64_t end = x->start[i + 1], last = x->start[p->lines];
  int64_t count = 0;
  for (int64_t t = x->start[i], next; t < end && !gpumm_is_cancelled_at (t); t = next) {
    const int64_t k = narrow ? x->block_column[t] : x->row[t];
    const int64_t begin = y->start[k], length = y->start[k + 1] - begin;
    next = narrow ? t + 1 : gpumm_group_end (p, t, end);
    if (!narrow)
      __builtin_prefetch (y->row + gpumm_soon (p, t, last));
    const void *from = narrow ? (const void *) (y->block_column + begin) : y->row + begin;
    count += rowset_add_all (&w->set, from, narrow, length);
  }
  if (w->list)
    rowset_drain (&w->set, w->list);
  else
    rowset_drain (&w->set, NULL);
  return count;
}

int64_t gpumm_collect (const gpumm_pattern *p, gpumm_line *w, int64_t i) {
  const int64_t count = gpumm_is_short (p, i)         ? collect_short (p, w->list, i)
                        : p->bits                     ? collect_bits (p, w, i)
                        : p->x.format == GPUMM_BLOCKS ? collect_set (p, w, i, 1)
                                                      : collect_set (p, w, i, 0);
  for (int64_t q = 0; w->place && q < count; q++)
    w->place[w->list[q]] = q;
  return count;
}

/* ---- threads ------------------------------------------------------------------------------ */

typedef struct {
  const gpumm_pattern *p;
  gpumm_lines_function *compute;
  const void *context;
  int64_t sums;
  size_t sum_bytes;
  enum { COUNTS, LISTS, FULL } kind; /* of lines: without a list, with one, without a pattern */
  atomic_int failed;                 /* a thread had no memory */
} computing;

static int create_line (const computing *r, gpumm_line *w) {
  const gpumm_pattern *p = r->p;
  const int64_t length = gpumm_line_length (&p->y);
  if (r->kind != FULL && p->most <= SHORT_LINE)
    return 1;
  w->sums = gpumm_allocate (r->sums, r->sum_bytes);
  if (!w->sums || r->kind == FULL)
    return w->sums != NULL;
  if (r->kind == COUNTS)
    return create_marks (p, w);
  const int places = p->size > 1 || p->y.format == GPUMM_BLOCKS;
  w->list = gpumm_allocate (places ? 2 * length + 1 : length + 1, sizeof *w->list);
  w->place = w->list && places ? w->list + length + 1 : NULL;
  return w->list && create_marks (p, w);
}

static void compute_pieces (void *context, int64_t begin, int64_t end) {
  computing *r = context;
  const int64_t *cut = r->p->cut;
  gpumm_line w = {.progress = 1};
  if (!create_line (r, &w))
    atomic_store (&r->failed, 1);
  else if (r->kind == FULL)
    r->compute (r->context, &w, begin, end);
  else
    for (int64_t piece = begin; piece < end; piece++) {
      w.progress = 1 / (double) (cut[piece + 1] - cut[piece]);
      r->p->end[piece] = r->compute (r->context, &w, cut[piece], cut[piece + 1]);
    }
  destroy_line (&w);
}

/* Fails without a text if a thread had no memory. */
static gpumm_status run_pieces (computing *r, int64_t count, int64_t grain) {
  gpumm_progress_of ((double) count);
  const gpumm_status status = gpumm_parallel (count, grain, compute_pieces, r);
  return status ? status : atomic_load (&r->failed) ? GPUMM_HOST_MEMORY : GPUMM_OK;
}

/* ---- all lines ---------------------------------------------------------------------------- */

/* Several unknowns per point, as in a stiffness matrix, give adjacent columns with the same rows.
 * Find them once, so that they share one set of rows. */
typedef struct {
  const gpumm_matrix *x;
  unsigned char *repeats;
} repeat_search;

static void search_repeats (void *context, int64_t begin, int64_t end) {
  const repeat_search *search = context;
  const int64_t *column = search->x->start, *row = search->x->row;
  for (int64_t j = begin > 0 ? begin : 1; j < end && !gpumm_is_cancelled_at (j); j++) {
    const int64_t count = column[j + 1] - column[j];
    if (count > 0 && count == column[j] - column[j - 1] && row[column[j - 1]] == row[column[j]]
        && memcmp (row + column[j - 1], row + column[j], (size_t) count * sizeof *row) == 0)
      search->repeats[j] = 1;
  }
}

static gpumm_status find_repeats (gpumm_owner *memory, const gpumm_matrix *x,
                                  const unsigned char **repeats) {
  repeat_search search = {x, gpumm_own (memory, x->cols, 1)};
  if (!search.repeats)
    return GPUMM_HOST_MEMORY;
  const double each = ((double) x->start[x->cols] + 1) / ((double) x->cols + 1);
  *repeats = search.repeats;
  return gpumm_parallel (x->cols, (int64_t) (LEAST_ENTRIES / each) + 1, search_repeats, &search);
}

/* The length of each line, for its offset. */
static int64_t count_lines (const void *context, gpumm_line *w, int64_t begin, int64_t end) {
  const gpumm_pattern *p = context;
  for (int64_t i = begin; i < end && !gpumm_is_cancelled (); i++)
    if (p->x.start[i] == p->x.start[i + 1])
      p->start[i + 1] = 0;
    else
      p->start[i + 1] =
          i > begin && p->repeats_x && p->repeats_x[i] ? p->start[i] : gpumm_collect (p, w, i);
  gpumm_progress_add (1);
  return 0;
}

static void set_bits (void *context, int64_t begin, int64_t end) {
  const gpumm_pattern *p = context;
  for (int64_t k = begin; k < end; k++)
    for (int64_t u = p->y.start[k]; u < p->y.start[k + 1]; u++) {
      const int64_t j = gpumm_index_at (&p->y, u);
      p->bits[k * p->words + (j >> 6)] |= (uint64_t) 1 << (j & 63);
    }
}

/* Makes bits of y if that takes fewer steps than to follow each product. */
static gpumm_status make_bits (gpumm_owner *memory, gpumm_pattern *p) {
  const int64_t lines = gpumm_line_count (&p->y), entries = gpumm_entries (&p->y);
  p->words = rowset_words (gpumm_line_length (&p->y));
  const double steps = (double) gpumm_entries (&p->x) * (double) p->words + (double) entries;
  if (p->words == 0 || lines > entries / p->words || steps > p->products)
    return GPUMM_OK;
  p->bits = gpumm_own (memory, lines * p->words, sizeof *p->bits);
  return p->bits ? gpumm_parallel (lines, LEAST_STORES / p->words + 1, set_bits, p)
                 : GPUMM_HOST_MEMORY;
}

/* Cuts the lines of C into pieces of about equal work; before[i] is the work before line i. */
static gpumm_status cut_lines (gpumm_owner *memory, gpumm_pattern *p, const int64_t *before,
                               gpumm_type type) {
  const int64_t lines = p->lines, total = before[lines];
  const double each = (double) (gpumm_line_length (&p->y) * p->size)
                      * (double) (gpumm_type_bytes (type) + sizeof (int64_t));
  int64_t most = gpumm_least ((int64_t) gpumm_threads () * PIECES_PER_THREAD, total / p->least);
  if ((double) most * each > (double) WORKSPACE_BYTES)
    most = (int64_t) ((double) WORKSPACE_BYTES / each);
  p->pieces = most < 1 ? 1 : most;
  p->cut = gpumm_own (memory, 2 * p->pieces + 1, sizeof *p->cut);
  if (!p->cut)
    return GPUMM_HOST_MEMORY;
  p->end = p->cut + p->pieces + 1;
  for (int64_t piece = 1; piece < p->pieces; piece++) {
    const int64_t wanted = (int64_t) ((double) total / (double) p->pieces * (double) piece);
    p->cut[piece] = gpumm_find_from (before, p->cut[piece - 1], lines, wanted);
  }
  p->cut[p->pieces] = lines;
  return GPUMM_OK;
}

/* Turns lengths into offsets; then lines of blocks into those of elements, backwards, because it
 * works in place. */
static void make_offsets (gpumm_pattern *p) {
  const int64_t size = p->size, lines = p->lines;
  p->start[0] = 0;
  for (int64_t i = 0; i < lines; i++) {
    if (p->start[i + 1] > p->longest)
      p->longest = p->start[i + 1];
    p->start[i + 1] += p->start[i];
  }
  if (size == 1)
    return;
  p->start[lines * size] = p->start[lines] * size * size;
  for (int64_t i = lines - 1; i >= 0; i--) {
    const int64_t begin = p->start[i] * size * size, count = (p->start[i + 1] - p->start[i]) * size;
    for (int64_t w = 0; w < size; w++)
      p->start[i * size + w] = begin + w * count;
  }
  for (int64_t piece = 0; piece <= p->pieces; piece++)
    p->cut[piece] *= size;
}

/* What only lines use that are not short. */
static gpumm_status prepare_long_lines (gpumm_owner *memory, gpumm_pattern *p) {
  gpumm_status status = make_bits (memory, p);
  if (status || p->x.format != GPUMM_SPARSE)
    return status;
  status = find_repeats (memory, &p->x, &p->repeats_x);
  return status ? status : find_repeats (memory, &p->y, &p->repeats_y);
}

gpumm_status gpumm_count_pattern (gpumm_owner *memory, gpumm_pattern *p, gpumm_matrix *shape) {
  const gpumm_matrix *x = &p->x, *y = &p->y;
  const int64_t lines = p->lines = gpumm_line_count (x);
  p->start = gpumm_own (memory, lines * p->size + 1, sizeof *p->start);
  if (!p->start)
    return GPUMM_HOST_MEMORY;
  int64_t *before = p->start; /* the same memory, until the pieces are cut */
  const int has_short = p->size == 1 && x->format == GPUMM_SPARSE;
  p->most = has_short ? 0 : INT64_MAX;
  for (int64_t i = 0; i < lines && !gpumm_is_cancelled (); i++) {
    int64_t work = 0;
    for (int64_t t = x->start[i]; t < x->start[i + 1] && !gpumm_is_cancelled_at (t); t++) {
      const int64_t k = gpumm_index_at (x, t);
      work += y->start[k + 1] - y->start[k];
    }
    p->products += (double) work;
    if (has_short && work > p->most)
      p->most = work;
    before[i + 1] = before[i] + work + x->start[i + 1] - x->start[i] + 1;
  }
  gpumm_status status = gpumm_check_cancelled ();
  if (!status && p->size == 1)
    status = gpumm_check_least (shape, p->products, x, y);
  if (!status)
    status = cut_lines (memory, p, before, shape->type);
  if (!status && p->most > SHORT_LINE)
    status = prepare_long_lines (memory, p);
  if (status)
    return status;
  computing r = {.p = p, .compute = count_lines, .context = p, .kind = COUNTS};
  status = run_pieces (&r, p->pieces, 1);
  if (status == GPUMM_HOST_MEMORY)
    gpumm_fail (status, "out of host memory: cannot allocate marks for %lld indices",
                (long long) gpumm_line_length (y));
  if (!status) {
    make_offsets (p);
    shape->nzmax = p->start[lines * p->size];
  }
  return status;
}

gpumm_status gpumm_compute_lines (const gpumm_pattern *p, gpumm_lines_function *compute,
                                  const void *context, int64_t sums, size_t sum_bytes,
                                  gpumm_matrix *c) {
  const int full = c->format == GPUMM_FULL;
  const int64_t count = full ? p->lines : p->pieces;
  computing r = {p, compute, context, sums, sum_bytes, full ? FULL : LISTS, 0};
  const gpumm_status status = run_pieces (&r, count, full ? count / p->pieces + 1 : 1);
  if (status == GPUMM_HOST_MEMORY)
    gpumm_fail (status, "out of host memory: cannot allocate %lld sums of %zu bytes for a thread",
                (long long) sums, sum_bytes);
  else if (!status && !full)
    gpumm_close_gaps (c, p->start, p->cut, p->pieces, p->end);
  return status;
}
