/* natural.c - is a sparse matrix made of full square blocks?
 *
 * It reads patterns, never values: a block may hold zeros. Samples say only whether blocks are
 * likely; gpumm_as_natural looks at all columns before anyone relies on blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "natural.h"
#include "base/cancel.h"
#include "base/threads.h"
#include "base/types.h"
#include "rowset.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Sample SAMPLES columns, fewer if they are long: about MOST_ELEMENTS entries in all, in at most 30
 * us (0.1 us without blocks). Sample SAMPLES_OF_C columns of C with about MOST_PAIRS products of
 * blocks, at most one product in WORTH, so that sampling is cheap. */
enum {
  SAMPLES = 100,
  MOST_ELEMENTS = 1 << 13,
  FEWEST_SAMPLES = 4,
  SAMPLES_OF_C = 30,
  MOST_PAIRS = 1 << 12,
  WORTH = 64
};

/* The fewest elements for a thread to check. */
enum { LEAST = 1 << 16 };

static const int sizes[] = {8, 6, 4, 3, 2};

enum { SIZES = sizeof sizes / sizeof *sizes };

/* Do columns j b to j b + b - 1 hold only full blocks? Ascending rows are consecutive if the last
 * of b rows is b - 1 above the first. */
static int in_blocks (const gpumm_matrix *x, int64_t b, int64_t j) {
  const int64_t begin = x->start[j * b], end = x->start[j * b + b];
  if ((end - begin) % (b * b) != 0)
    return 0;
  const int64_t count = (end - begin) / b, *row = x->row + begin;
  for (int64_t w = 1; w < b; w++)
    if (x->start[j * b + w] != begin + w * count
        || memcmp (row, row + w * count, (size_t) count * sizeof *row) != 0)
      return 0;
  for (int64_t t = 0; t < count; t += b)
    if (row[t] % b != 0 || row[t + b - 1] != row[t] + b - 1)
      return 0;
  return 1;
}

unsigned gpumm_natural_sizes (const gpumm_matrix *x) {
  unsigned possible = 0;
  if (x->format != GPUMM_SPARSE || x->start[x->cols] <= 0)
    return 0;
  for (int s = 0; s < SIZES; s++)
    if (x->rows % sizes[s] == 0 && x->cols % sizes[s] == 0)
      possible |= 1u << sizes[s];
  const double columns = MOST_ELEMENTS / (double) x->start[x->cols] * (double) x->cols;
  const int64_t samples = columns < SAMPLES ? (int64_t) columns + FEWEST_SAMPLES : SAMPLES;
  const int64_t apart = x->cols / samples + 1;
  int any = 0;
  for (int64_t j = 0; j < x->cols && possible; j += apart) {
    any |= x->start[j + 1] > x->start[j];
    for (int s = 0; s < SIZES; s++)
      if (possible & 1u << sizes[s] && !in_blocks (x, sizes[s], j / sizes[s]))
        possible &= ~(1u << sizes[s]);
  }
  return any ? possible : 0;
}

int64_t gpumm_natural_size (const gpumm_problem *p) {
  const gpumm_matrix *a = &p->a, *b = &p->b;
  unsigned both = gpumm_natural_sizes (a);
  if (both && !gpumm_is_same_pattern (a, b))
    both &= gpumm_natural_sizes (b);
  return gpumm_largest_size (both);
}

/* Estimates the elements of a column after all its products from the elements that the sampled
 * products gave: products fall into equally likely places, whose number explains the sample. */
static double extrapolate (double elements, double seen, double products) {
  double low = 1e-9, high = 50; /* sampled products per place: elements = places (1 - exp (-x)) */
  if (seen >= products || elements <= 0)
    return elements;
  for (int step = 0; step < 40; step++) {
    const double x = sqrt (low * high);
    if (-expm1 (-x) / x > elements / seen)
      low = x;
    else
      high = x;
  }
  const double places = seen / low;
  return places * -expm1 (-products / places);
}

double gpumm_natural_yield (const gpumm_problem *p, int64_t b, double products) {
  const gpumm_matrix *x = &p->a, *y = &p->b;
  const double most = fmin (products / (double) (b * b * b) / WORTH, MOST_PAIRS);
  double pairs = 0, blocks = 0;
  rowset rows;
  if (x->cols != y->rows || rowset_create (&rows, x->rows / b))
    return 0;
  const int64_t apart = (y->cols / b / 2 / SAMPLES_OF_C + 1) * b;
  /* sample from the middle on: few columns belong to an edge */
  for (int64_t j = y->cols / b / 2 * b; j < y->cols && pairs < most; j += apart) {
    int64_t all = 0, seen = 0, found = 0; /* products and elements of this column of C */
    for (int64_t t = y->start[j]; t < y->start[j + 1]; t += b) {
      const int64_t k = y->row[t] / b * b;
      all += (x->start[k + 1] - x->start[k] + b - 1) / b;
    }
    const int64_t stride = (all / MOST_PAIRS + 1) * b; /* skip elements of a full column */
    for (int64_t t = y->start[j]; t < y->start[j + 1]; t += stride) {
      const int64_t k = y->row[t] / b * b;
      for (int64_t u = x->start[k]; u < x->start[k + 1]; u += b, seen++) {
        const int64_t i = x->row[u] / b;
        found += rowset_add_all (&rows, &i, 0, 1);
      }
    }
    rowset_drain (&rows, NULL);
    pairs += (double) all;
    blocks += extrapolate ((double) found, (double) seen, (double) all);
  }
  rowset_destroy (&rows);
  return pairs > 0 ? blocks / (pairs * (double) b) : 0;
}

typedef struct {
  const gpumm_matrix *x, *blocks;
  int64_t b;
  atomic_int wrong;
} search;

static void search_columns (void *context, int64_t begin, int64_t end) {
  search *s = context;
  const gpumm_matrix *x = s->x, *out = s->blocks;
  for (int64_t j = begin; j < end && !atomic_load_explicit (&s->wrong, memory_order_relaxed)
                          && !gpumm_is_cancelled_at (j);
       j++) {
    if (!in_blocks (x, s->b, j)) {
      atomic_store (&s->wrong, 1);
      return;
    }
    const int64_t first = x->start[j * s->b], last = x->start[j * s->b + 1]; /* its offsets */
    int64_t *row = out->row + first / (s->b * s->b);
    out->start[j + 1] = x->start[(j + 1) * s->b] / (s->b * s->b);
    for (int64_t t = first; t < last; t += s->b)
      *row++ = x->row[t] / s->b;
  }
}

gpumm_status gpumm_as_natural (gpumm_owner *memory, const gpumm_matrix *x, int64_t b,
                               gpumm_matrix *out) {
  const int64_t cols = x->cols / b;
  search s = {x, out, b, 0};
  *out = *x;
  out->rows = x->rows / b;
  out->cols = cols;
  out->start = gpumm_own (memory, cols + 1 + x->nzmax / (b * b), sizeof *out->start);
  if (!out->start)
    return GPUMM_HOST_MEMORY;
  out->row = out->start + cols + 1;
  const double each = ((double) x->start[x->cols] + 1) / ((double) cols + 1);
  const gpumm_status status =
      gpumm_parallel (cols, (int64_t) (LEAST / each) + 1, search_columns, &s);
  if (atomic_load (&s.wrong))
    out->start = NULL;
  return status;
}
