/* compressed.c - checks the indices of compressed columns, or of rows of blocks, and counts their
 * products. SPDX-License-Identifier: BSD-3-Clause */
#include "compressed.h"
#include "processors.h"
#include "cancel.h"
#include "threads.h"

#include <stdatomic.h>

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

typedef struct {
  const int64_t *start, *row;
  atomic_llong products;
} product_count;

static void count_products (void *context, int64_t begin, int64_t end) {
  product_count *count = context;
  int64_t products = 0;
  for (int64_t t = begin; t < end; t++)
    products += count->start[count->row[t] + 1] - count->start[count->row[t]];
  atomic_fetch_add (&count->products, products);
}

int64_t gpumm_count_products (const int64_t *start, const int64_t *row, int64_t count) {
  product_count products = {start, row, 0};
  if (gpumm_parallel (count, 1 << 16, count_products, &products)) /* for the caller to say */
    return 0;
  return atomic_load (&products.products);
}
