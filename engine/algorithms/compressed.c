/* compressed.c - are the indices of compressed columns, or of rows of blocks, sound, and how many
 * products do they make?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compressed.h"

#include "../threads.h"

#include <stdatomic.h>

typedef struct {
  const int64_t *start;
  const void *index;
  size_t index_bytes;
  int64_t range;
  atomic_llong found;
} search;

/* Of count indices, at least one. */
#define DEFINE_ASCENDS(NAME, INTEGER)                                                              \
  static int NAME (const INTEGER *index, int64_t count, int64_t range) {                           \
    int wrong = index[0] < 0 || index[count - 1] >= range;                                         \
    for (int64_t t = 1; t < count; t++)                                                            \
      wrong |= index[t - 1] >= index[t];                                                           \
    return !wrong;                                                                                 \
  }

DEFINE_ASCENDS (ascends_4, int32_t)
DEFINE_ASCENDS (ascends_8, int64_t)

static void search_lines (void *context, int64_t begin, int64_t end) {
  search *s = context;
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
  gpumm_parallel (lines, grain, search_lines, &s);
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
  gpumm_parallel (count, 1 << 16, count_products, &products);
  return atomic_load (&products.products);
}
