/* pattern.h - the pattern of C = x y of compressed lines, counted before C is computed by threads.
 *
 * Both are matrices of one format. A line of C is the sum of lines of y: line k for each entry k of
 * the line of x. Of blocks x y is A B; of sparse matrices, whose lines are columns, x is B and y is
 * A.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PATTERN_H
#define GPUMM_PATTERN_H

#include "compressed.h"
#include "rowset.h"

typedef struct gpumm_pattern {
  gpumm_matrix x, y; /* op is GPUMM_NONE */
  int64_t size;      /* an entry stands for size x size elements of a natural block */
  int64_t least;     /* the fewest products for a thread; for fewer it costs more than it saves */
  /* sparse: 1 for a line with the indices of the one before */
  const unsigned char *repeats_x, *repeats_y;
  /* found by gpumm_count_pattern; start and cut count the elements' lines, not the blocks' */
  int64_t lines;   /* of x */
  double products; /* of entries */
  int64_t most;    /* of sparse matrices: the most products of a line of C */
  int64_t longest; /* the most entries in a line of C */
  int64_t *start;  /* where each line of C begins if no entry is zero */
  int64_t *cut;    /* pieces + 1: lines of C in pieces of about equal work */
  int64_t pieces;
  int64_t *end;   /* of pieces: where each ends in C once it is computed */
  uint64_t *bits; /* the indices of each line of y in `words` words, or NULL */
  int64_t words;
} gpumm_pattern;

/* A thread's memory for a line of C: the set of its indices, the list of them, of blocks the place
 * of each in the list, and sums. */
typedef struct gpumm_line {
  rowset set;
  uint64_t *bits;
  int64_t *list, *place;
  void *sums;
  double progress; /* of a line, as a part of its piece */
} gpumm_line;

/* Of sparse matrices: the end of the group of entries of x, from t on and before end, that meet
 * lines of y with the same indices: several unknowns per point, as in a stiffness matrix, give such
 * neighbours. */
static inline int64_t gpumm_group_end (const gpumm_pattern *p, int64_t t, int64_t end) {
  const int64_t *row = p->x.row;
  do
    t++;
  while (t < end && row[t] == row[t - 1] + 1 && p->repeats_y[row[t]]);
  return t;
}

/* Of sparse matrices: the beginning of the line of y for an entry of x soon after t, to prefetch
 * it: these lines lie anywhere. With 8, A A is a quarter faster for A of 200000 x 200000 with 16
 * random elements per row. */
static inline int64_t gpumm_soon (const gpumm_pattern *p, int64_t t, int64_t last) {
  enum { AHEAD = 8 };
  return p->y.start[p->x.row[t + AHEAD < last ? t + AHEAD : t]];
}

/* Lines of C with so few products are summed in a short sorted list: this takes no memory for all
 * places of a line, and for diagonal to pentadiagonal matrices half of the time. */
enum { SHORT_LINE = 32 };

/* Of sparse matrices: has line i of C so few products? */
static inline int gpumm_is_short (const gpumm_pattern *p, int64_t i) {
  const int64_t *const start = p->y.start, *const row = p->x.row, end = p->x.start[i + 1];
  int64_t products = 0;
  if (p->most <= SHORT_LINE)
    return 1;
  if (p->size > 1 || p->x.format != GPUMM_SPARSE)
    return 0;
  for (int64_t t = p->x.start[i]; t < end && products <= SHORT_LINE; t++)
    products += start[row[t] + 1] - start[row[t]];
  return products <= SHORT_LINE;
}

/* The place of row in an ascending list, from the end, because most rows come in order; *is_new: it
 * is not there yet. */
static inline int64_t gpumm_place_in (const int64_t *list, int64_t count, int64_t row,
                                      int *is_new) {
  while (count > 0 && list[count - 1] > row)
    count--;
  *is_new = count == 0 || list[count - 1] != row;
  return *is_new ? count : count - 1;
}

/* Counts C, which has this shape, and cuts it into pieces; sets shape->nzmax. Fails early if C
 * cannot fit. */
gpumm_status gpumm_count_pattern (gpumm_owner *memory, gpumm_pattern *p, gpumm_matrix *shape);

/* Lists the indices of line i of C, ascending, and their places; returns how many there are. */
int64_t gpumm_collect (const gpumm_pattern *p, gpumm_line *w, int64_t i);

/* Computes lines begin to end - 1 of C, from where the first one begins, and returns where they
 * end; adds w->progress to the progress after each. */
typedef int64_t gpumm_lines_function (const void *context, gpumm_line *w, int64_t begin,
                                      int64_t end);

/* Computes C in threads that have room for this many sums, and closes the gaps. A full C has no
 * pattern: p->lines and p->pieces alone are used. */
gpumm_status gpumm_compute_lines (const gpumm_pattern *p, gpumm_lines_function *compute,
                                  const void *context, int64_t sums, size_t sum_bytes,
                                  gpumm_matrix *c);

#endif
