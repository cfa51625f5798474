/* compressed.c - are the indices of compressed columns, or of rows of blocks, sound, how many products
 * do they make, and what is their transpose?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compressed.h"
#include "processors.h"
#include "cancel.h"
#include "error.h"
#include "threads.h"

#include <complex.h>
#include <stdatomic.h>

typedef struct {
  const int64_t *start;
  const void *index;
  size_t index_bytes;
  int64_t range;
  atomic_llong found;
} search;

/* All lines of a piece are looked at as one, by vectors, as most lines are shorter than these: an
 * index that is not above the one before it is a fault unless a line begins with it. Bit 63 of their
 * difference less 1 tells that, where both are in range; else bit 63 of x or most - x is set.
 *
 * Of count indices, one at least, in any lines: how many are not above the one before. */
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

/* Of lines begin to end - 1, how many begin with an index that is not above the one before. */
#define DEFINE_BREAKS(NAME, INTEGER)                                                               \
  static uint64_t NAME (const INTEGER *index, const int64_t *start, int64_t begin, int64_t end) {  \
    uint64_t breaks = 0;                                                                           \
    for (int64_t i = begin; i < end; i++)                                                          \
      if (start[i] > start[begin] && start[i] < start[i + 1])                                      \
        breaks += index[start[i] - 1] >= index[start[i]];                                          \
    return breaks;                                                                                 \
  }

/* Of one line of count indices, at least one. */
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

/* Is there no fault in lines begin to end - 1, which hold an index at least? */
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
  if (gpumm_parallel (lines, grain, search_lines, &s)) /* cancelled: for the caller to say */
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

/* Count each index, then hand the elements out line by line, so that they arrive in order. Counts go
 * two places up: handing out then leaves next[1] .. as the offsets. */
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

gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_lines *x, size_t index_bytes,
                                    size_t value_bytes, gpumm_lines *out) {
  const int64_t all = x->start[x->count];
  if (x->range >= INT64_MAX - 1)
    return gpumm_fail (GPUMM_HOST_MEMORY, "a sparse matrix of %lld columns is too large",
                       (long long) x->range);
  int64_t *next = gpumm_own (memory, x->range + 2, sizeof *next);
  void *index = gpumm_own (memory, all, index_bytes);
  void *values = gpumm_own (memory, all, value_bytes ? value_bytes : sizeof (int64_t));
  if (!next || !index || !values)
    return GPUMM_HOST_MEMORY;
  if (index_bytes == 4)
    COUNT (int32_t)
  else
    COUNT (int64_t)
  for (int64_t i = 0; i < x->range; i++)
    next[i + 2] += next[i + 1];
  gpumm_status status = gpumm_check_cancelled ();
  if (status) /* not all are counted */
    return status;
  if (index_bytes == 4)
    HAND_OUT (int32_t, int64_t, t)
  else if (value_bytes == sizeof (double))
    HAND_OUT (int64_t, double, ((const double *) x->values)[t])
  else
    HAND_OUT (int64_t, double complex, ((const double complex *) x->values)[t])
  *out = (gpumm_lines){x->range, x->count, next, index, values};
  return gpumm_check_cancelled ();
}
