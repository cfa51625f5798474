/* natural.c - is a sparse matrix made of full square blocks?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "natural.h"
#include "rowset.h"
#include "cancel.h"
#include "threads.h"
#include "types.h"

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
static int in_blocks (const gpumm_operand *x, int64_t b, int64_t j) {
  const int64_t begin = x->column[j * b], end = x->column[j * b + b];
  if (begin < 0 || end < begin || end > x->nzmax || (end - begin) % (b * b) != 0)
    return 0;
  const int64_t count = (end - begin) / b, *row = x->row + begin;
  for (int64_t w = 1; w < b; w++)
    if (x->column[j * b + w] != begin + w * count
        || memcmp (row, row + w * count, (size_t) count * sizeof *row) != 0)
      return 0;
  for (int64_t t = 0; t < count; t += b)
    if (row[t] % b != 0 || row[t + b - 1] != row[t] + b - 1)
      return 0;
  return 1;
}

unsigned gpumm_natural_sizes (const gpumm_operand *x) {
  unsigned possible = 0;
  if (x->kind != GPUMM_SPARSE || x->column[x->cols] <= 0)
    return 0;
  for (int s = 0; s < SIZES; s++)
    if (x->rows % sizes[s] == 0 && x->cols % sizes[s] == 0)
      possible |= 1u << sizes[s];
  const double columns = MOST_ELEMENTS / (double) x->column[x->cols] * (double) x->cols;
  const int64_t samples = columns < SAMPLES ? (int64_t) columns + FEWEST_SAMPLES : SAMPLES;
  const int64_t apart = x->cols / samples + 1;
  int any = 0;
  for (int64_t j = 0; j < x->cols && possible; j += apart) {
    any |= x->column[j + 1] > x->column[j];
    for (int s = 0; s < SIZES; s++)
      if (possible & 1u << sizes[s] && !in_blocks (x, sizes[s], j / sizes[s]))
        possible &= ~(1u << sizes[s]);
  }
  return any ? possible : 0;
}

int64_t gpumm_natural_size (const gpumm_problem *p) {
  const gpumm_operand *a = &p->a, *b = &p->b;
  unsigned both = gpumm_natural_sizes (a);
  if (both && !gpumm_is_same_pattern (a, b))
    both &= gpumm_natural_sizes (b);
  for (int s = 0; s < SIZES; s++)
    if (both & 1u << sizes[s])
      return sizes[s];
  return 0;
}

/* The range of the elements of column j of x; empty if its offsets are invalid. */
static int64_t begin_of (const gpumm_operand *x, int64_t j, int64_t *end) {
  const int64_t begin = x->column[j];
  *end = x->column[j + 1];
  if (begin < 0 || *end < begin || *end > x->nzmax)
    *end = begin;
  return begin;
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
  const gpumm_operand *x = &p->a, *y = &p->b;
  const double most = fmin (products / (double) (b * b * b) / WORTH, MOST_PAIRS);
  double pairs = 0, blocks = 0;
  int64_t end_x, end_y;
  rowset rows;
  if (x->cols != y->rows || rowset_create (&rows, x->rows / b))
    return 0;
  const int64_t apart = (y->cols / b / 2 / SAMPLES_OF_C + 1) * b;
  /* sample from the middle on: few columns belong to an edge */
  for (int64_t j = y->cols / b / 2 * b; j < y->cols && pairs < most; j += apart) {
    int64_t all = 0, seen = 0, found = 0; /* products and elements of this column of C */
    const int64_t begin_y = begin_of (y, j, &end_y);
    for (int64_t t = begin_y; t < end_y; t += b)
      if (y->row[t] >= 0 && y->row[t] < x->cols) {
        const int64_t begin_x = begin_of (x, y->row[t] / b * b, &end_x);
        all += (end_x - begin_x + b - 1) / b;
      }
    const int64_t stride = (all / MOST_PAIRS + 1) * b; /* skip elements of a full column */
    for (int64_t t = begin_y; t < end_y; t += stride) {
      const int64_t k = y->row[t];
      if (k < 0 || k >= x->cols)
        continue;
      for (int64_t u = begin_of (x, k / b * b, &end_x); u < end_x; u += b) {
        const int64_t i = x->row[u] / b;
        if (x->row[u] < 0 || i >= x->rows / b)
          continue;
        seen++;
        found += rowset_add_all (&rows, &i, 1);
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
  const gpumm_operand *x;
  int64_t b, *start, *row;
  atomic_int wrong;
} search;

static void search_columns (void *context, int64_t begin, int64_t end) {
  search *s = context;
  const gpumm_operand *x = s->x;
  for (int64_t j = begin; j < end && !atomic_load_explicit (&s->wrong, memory_order_relaxed)
                          && !gpumm_is_cancelled_at (j);
       j++) {
    if (!in_blocks (x, s->b, j)) {
      atomic_store (&s->wrong, 1);
      return;
    }
    const int64_t first = x->column[j * s->b], last = x->column[j * s->b + 1]; /* its offsets */
    int64_t *row = s->row + first / (s->b * s->b);
    s->start[j + 1] = x->column[(j + 1) * s->b] / (s->b * s->b);
    for (int64_t t = first; t < last; t += s->b)
      *row++ = x->row[t] / s->b;
  }
}

int gpumm_find_natural (const gpumm_operand *x, int64_t b, int64_t *start, int64_t *row) {
  search s = {x, b, start, row, 0};
  if (x->rows % b != 0 || x->cols % b != 0)
    return 0;
  const double each = ((double) x->column[x->cols] + 1) / ((double) (x->cols / b) + 1);
  start[0] = 0;
  return gpumm_parallel (x->cols / b, (int64_t) (LEAST / each) + 1, search_columns, &s) == GPUMM_OK
         && !atomic_load (&s.wrong);
}
