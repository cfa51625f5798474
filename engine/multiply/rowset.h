/* rowset.h - sets of row numbers (or of columns), for the patterns of sparse products.
 *
 * A set belongs to one thread: nothing is atomic. Rows are not checked: each must be below the
 * number that the set was made for. The functions are inline because loops call them for each
 * entry.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ROWSET_H
#define GPUMM_ROWSET_H

#include "gpumm.h"
#include "memory/host.h"

/* A set of row numbers that returns them in ascending order without sorting: one bit per row, and
 * above, one bit per nonzero word of the level below. Adding nearly always costs one step; draining
 * m numbers costs O(m), independent of the number of rows. */
enum { MOST_LEVELS = 11 };

typedef struct {
  int levels;
  uint64_t *level[MOST_LEVELS]; /* level[0]: one bit per row; the last level is one word */
} rowset;

static inline int64_t rowset_words (int64_t bits) {
  return bits / 64 + (bits % 64 != 0);
}

static inline gpumm_status rowset_create (rowset *s, int64_t rows) {
  int64_t total = 0, bits = rows;
  *s = (rowset){0};
  do {
    bits = rowset_words (bits);
    total += bits;
    s->levels++;
  } while (bits > 1);
  uint64_t *memory = gpumm_allocate (total, sizeof *memory);
  if (!memory)
    return GPUMM_HOST_MEMORY;
  bits = rows;
  for (int l = 0; l < s->levels; l++) {
    s->level[l] = memory;
    bits = rowset_words (bits);
    memory += bits;
  }
  return GPUMM_OK;
}

static inline void rowset_destroy (rowset *s) {
  gpumm_release (s->level[0]);
}

/* Sets the bit in all levels: a branch on whether a word was zero is unpredictable and costs more
 * than the stores. */
static inline void rowset_add (rowset *s, int64_t i) {
  for (int l = 0; l < s->levels; l++) {
    s->level[l][i >> 6] |= (uint64_t) 1 << (i & 63);
    i >>= 6;
  }
}

/* Adds a list of rows, int32_t if narrow, else int64_t; returns the number of new ones. Rows
 * already in the set cause no store: the next row, often in the same word, would wait for it. */
static inline int64_t rowset_add_all (rowset *s, const void *rows, int narrow, int64_t count) {
  const uint64_t *bottom = s->level[0];
  int64_t added = 0;
  for (int64_t q = 0; q < count; q++) {
    const int64_t i = narrow ? ((const int32_t *) rows)[q] : ((const int64_t *) rows)[q];
    if (!(bottom[i >> 6] >> (i & 63) & 1)) {
      rowset_add (s, i);
      added++;
    }
  }
  return added;
}

/* Empties the part of the set under one word; writes its rows to out unless that is NULL. */
static inline int64_t *rowset_drain_word (rowset *s, int level, int64_t word, int64_t *out) {
  uint64_t bits = s->level[level][word];
  s->level[level][word] = 0;
  if (level == 0) {
    if (out)
      for (; bits; bits &= bits - 1)
        *out++ = word * 64 + __builtin_ctzll (bits);
  } else
    for (; bits; bits &= bits - 1)
      out = rowset_drain_word (s, level - 1, word * 64 + __builtin_ctzll (bits), out);
  return out;
}

/* Empties the set; writes its rows to out unless that is NULL. Returns the end of what it wrote. */
static inline int64_t *rowset_drain (rowset *s, int64_t *out) {
  return rowset_drain_word (s, s->levels - 1, 0, out);
}

#endif
