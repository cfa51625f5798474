/* gpumm-blocks-check.c - is OUTPUT the product of INPUT1 and INPUT2? Independent of the engine.
 *
 *   gpumm-blocks-check INPUT1 INPUT2 OUTPUT [SAMPLES [SEED]]
 *
 * Three checks:
 * - form: the header, sizes, records sorted by i then j, none with zeros alone;
 * - blocks, exactly: SAMPLES (10000) of all places and as many of the blocks that are there, or all
 *   places where there are no more than SAMPLES. An element is the dot product of a row of A and a
 *   column of B, from lists of A by rows and of B by columns, summed in 64 bits, then the smaller of
 *   the sum and 2^32 - 1;
 * - all elements, modulo 2^64 (R. Freivalds, 1977): C x = A (B x) for a random x of odd numbers, on
 *   those rows of C in which nothing is saturated. One wrong element in a row is always found: an
 *   odd number times what is not 0 is not 0 modulo 2^64.
 *
 * The last line counts what was compared; the exit status is 0 when all is right.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _FILE_OFFSET_BITS 64
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  FILE *file;
  int64_t n, m, count, grid;
  size_t record; /* bytes */
} source;

/* Blocks of an input, listed by rows or by columns: line l has those from first[l] to first[l + 1]. */
typedef struct {
  int64_t *first;
  int32_t *other;   /* the block column, or row */
  uint16_t *values; /* by rows */
} list;

static uint64_t state = 1;

static uint64_t draw (void) { /* xorshift64*: S. Vigna, 2016 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 2685821657736338717u;
}

static void stop (const char *format, ...) __attribute__ ((format (printf, 1, 2), noreturn));

static void stop (const char *format, ...) {
  va_list arguments;
  va_start (arguments, format);
  fprintf (stderr, "gpumm-blocks-check: ");
  vfprintf (stderr, format, arguments);
  fprintf (stderr, "\n");
  va_end (arguments);
  exit (EXIT_FAILURE);
}

static void *take (int64_t count, size_t size) {
  void *p = calloc ((size_t) count + 1, size);
  if (!p)
    stop ("no memory for %" PRId64 " elements of %zu bytes", count, size);
  return p;
}

static void get (source *s, void *to, size_t bytes) {
  if (fread (to, 1, bytes, s->file) != bytes)
    stop ("%s is too short", s->name);
}

static source open_source (const char *name, size_t width) {
  source s = {.name = name, .file = fopen (name, "rb")};
  int32_t header[3];
  if (!s.file)
    stop ("cannot open %s", name);
  get (&s, header, sizeof header);
  s.n = header[0];
  s.m = header[1];
  s.count = header[2];
  if (s.n < 0 || s.m < 1 || s.count < 0 || s.n % s.m != 0)
    stop ("%s: n %" PRId64 ", m %" PRId64 ", k %" PRId64, name, s.n, s.m, s.count);
  s.grid = s.n / s.m;
  s.record = 8 + (size_t) (s.m * s.m) * width;
  if (fseeko (s.file, 0, SEEK_END) != 0
      || ftello (s.file) != (off_t) (sizeof header + (size_t) s.count * s.record))
    stop ("%s does not have the size that its header says", name);
  return s;
}

static void go_to (source *s, int64_t record) {
  if (fseeko (s->file, (off_t) (12 + (size_t) record * s->record), SEEK_SET) != 0)
    stop ("cannot read %s", s->name);
}

/* ---- inputs ------------------------------------------------------------------------------- */

/* by = 0: by block rows; 1: by block columns. Read twice: to count, and to put in place. */
static list read_list (source *s, int by) {
  const int64_t elements = s->m * s->m;
  list x = {.first = take (s->grid + 2, sizeof *x.first),
            .other = take (s->count, sizeof *x.other),
            .values = take (s->count * elements, sizeof *x.values)};
  unsigned char *record = take ((int64_t) s->record, 1);
  int32_t index[2];
  go_to (s, 0);
  for (int64_t t = 0; t < s->count; t++) {
    get (s, record, s->record);
    memcpy (index, record, sizeof index);
    if (index[0] < 0 || index[0] >= s->grid || index[1] < 0 || index[1] >= s->grid)
      stop ("%s: record %" PRId64 " is out of range", s->name, t);
    x.first[index[by] + 2]++;
  }
  for (int64_t l = 0; l < s->grid; l++)
    x.first[l + 2] += x.first[l + 1];
  go_to (s, 0);
  for (int64_t t = 0; t < s->count; t++) {
    get (s, record, s->record);
    memcpy (index, record, sizeof index);
    const int64_t to = x.first[index[by] + 1]++;
    x.other[to] = index[1 - by];
    memcpy (x.values + to * elements, record + 8, (size_t) elements * sizeof *x.values);
  }
  free (record);
  return x;
}

/* ---- exact blocks ------------------------------------------------------------------------- */

/* The record of block (i,j), sorted as they are, or -1; its elements go to values. */
static int64_t find (source *c, int64_t i, int64_t j, uint32_t *values) {
  int64_t low = 0, high = c->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    int32_t index[2];
    go_to (c, middle);
    get (c, index, sizeof index);
    if (index[0] == i && index[1] == j) {
      get (c, values, c->record - 8);
      return middle;
    }
    if (index[0] < i || (index[0] == i && index[1] < j))
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

typedef struct {
  const list *a, *b; /* A by rows, B by columns */
  source *c;
  int64_t *where; /* of each block of a row of A: its place in the list, from 1; else 0 */
  uint64_t *sum;
  uint32_t *found;
  int64_t compared, below, at, above; /* elements, by where their sums lie */
} exact;

static void check_block (exact *x, int64_t i, int64_t j) {
  const int64_t m = x->c->m;
  memset (x->sum, 0, (size_t) (m * m) * sizeof *x->sum);
  for (int64_t t = x->a->first[i]; t < x->a->first[i + 1]; t++)
    x->where[x->a->other[t]] = t + 1;
  for (int64_t u = x->b->first[j]; u < x->b->first[j + 1]; u++) {
    const int64_t t = x->where[x->b->other[u]] - 1;
    for (int64_t r = 0; t >= 0 && r < m; r++)
      for (int64_t q = 0; q < m; q++)
        for (int64_t p = 0; p < m; p++)
          x->sum[r * m + q] +=
              (uint64_t) x->a->values[(t * m + r) * m + p] * x->b->values[(u * m + p) * m + q];
  }
  for (int64_t t = x->a->first[i]; t < x->a->first[i + 1]; t++)
    x->where[x->a->other[t]] = 0;
  const int there = find (x->c, i, j, x->found) >= 0;
  for (int64_t e = 0; e < m * m; e++) {
    const uint64_t sum = x->sum[e], value = sum < UINT32_MAX ? sum : UINT32_MAX;
    if (value != (there ? x->found[e] : 0))
      stop ("%s: block (%" PRId64 ", %" PRId64 "), element (%" PRId64 ", %" PRId64 ") is %" PRIu32
            " and must be %" PRIu64,
            x->c->name, i, j, e / m, e % m, there ? x->found[e] : 0, value);
    x->compared++;
    x->below += sum < UINT32_MAX;
    x->at += sum == UINT32_MAX;
    x->above += sum > UINT32_MAX;
  }
}

static void check_blocks (exact *x, int64_t samples) {
  const int64_t grid = x->c->grid;
  if ((double) grid * (double) grid <= (double) samples) {
    for (int64_t i = 0; i < grid; i++)
      for (int64_t j = 0; j < grid; j++)
        check_block (x, i, j);
    return;
  }
  for (int64_t s = 0; s < samples; s++) {
    const int64_t i = (int64_t) (draw () % (uint64_t) grid);
    const int64_t j = (int64_t) (draw () % (uint64_t) grid);
    check_block (x, i, j);
    if (x->c->count > 0) {
      int32_t index[2];
      go_to (x->c, (int64_t) (draw () % (uint64_t) x->c->count));
      get (x->c, index, sizeof index);
      check_block (x, index[0], index[1]);
    }
  }
}

/* ---- form, and all elements modulo 2^64 --------------------------------------------------- */

/* y += X x for blocks listed by rows, y += X x again for blocks by columns. */
static void multiply (const list *x, int by, int64_t grid, int64_t m, const uint64_t *v,
                      uint64_t *y) {
  for (int64_t l = 0; l < grid; l++)
    for (int64_t t = x->first[l]; t < x->first[l + 1]; t++) {
      const int64_t row = by ? x->other[t] : l, col = by ? l : x->other[t];
      for (int64_t r = 0; r < m; r++)
        for (int64_t q = 0; q < m; q++)
          y[row * m + r] += x->values[(t * m + r) * m + q] * v[col * m + q];
    }
}

/* y = C v; saturated[r] is 1 for a row with an element of 2^32 - 1. Checks the form on the way. */
static void go_through (source *c, const uint64_t *v, uint64_t *y, unsigned char *saturated) {
  const int64_t m = c->m;
  uint32_t *values = take (m * m, sizeof *values);
  int32_t index[2], before[2] = {-1, -1};
  go_to (c, 0);
  for (int64_t t = 0; t < c->count; t++) {
    int any = 0;
    get (c, index, sizeof index);
    get (c, values, c->record - 8);
    if (index[0] < 0 || index[0] >= c->grid || index[1] < 0 || index[1] >= c->grid)
      stop ("%s: record %" PRId64 " is out of range", c->name, t);
    if (index[0] < before[0] || (index[0] == before[0] && index[1] <= before[1]))
      stop ("%s: record %" PRId64 " is not after the one before it", c->name, t);
    memcpy (before, index, sizeof before);
    for (int64_t r = 0; r < m; r++)
      for (int64_t q = 0; q < m; q++) {
        const uint32_t value = values[r * m + q];
        any |= value != 0;
        y[index[0] * m + r] += value * v[index[1] * m + q];
        saturated[index[0] * m + r] |= value == UINT32_MAX;
      }
    if (!any)
      stop ("%s: record %" PRId64 " has zeros alone", c->name, t);
  }
  free (values);
}

int main (int count, char **arguments) {
  if (count < 4 || count > 6) {
    fprintf (stderr, "usage: gpumm-blocks-check INPUT1 INPUT2 OUTPUT [SAMPLES [SEED]]\n");
    return EXIT_FAILURE;
  }
  source file_a = open_source (arguments[1], 2), file_b = open_source (arguments[2], 2);
  source c = open_source (arguments[3], 4);
  const int64_t samples = count > 4 ? strtoll (arguments[4], NULL, 10) : 10000;
  state = (count > 5 ? strtoull (arguments[5], NULL, 10) : 1) * 2862933555777941757u + 3037000493u;
  if (file_a.n != file_b.n || file_a.m != file_b.m || c.n != file_a.n || c.m != file_a.m)
    stop ("the files do not have one size");
  const int64_t n = c.n, m = c.m;
  const list a = read_list (&file_a, 0), b = read_list (&file_b, 1);

  uint64_t *v = take (n, sizeof *v), *y = take (n, sizeof *y);
  uint64_t *bv = take (n, sizeof *bv), *abv = take (n, sizeof *abv);
  unsigned char *saturated = take (n, 1);
  int64_t rows = 0;
  for (int64_t i = 0; i < n; i++)
    v[i] = draw () | 1;
  go_through (&c, v, y, saturated);
  multiply (&b, 1, c.grid, m, v, bv);
  multiply (&a, 0, c.grid, m, bv, abv);
  for (int64_t i = 0; i < n; i++)
    if (!saturated[i]) {
      if (y[i] != abv[i])
        stop ("%s: row %" PRId64 " is wrong", c.name, i);
      rows++;
    }

  exact x = {.a = &a,
             .b = &b,
             .c = &c,
             .where = take (c.grid, sizeof *x.where),
             .sum = take (m * m, sizeof *x.sum),
             .found = take (m * m, sizeof *x.found)};
  check_blocks (&x, samples);
  printf ("right: %" PRId64 " records; %" PRId64 " of %" PRId64 " rows by a random vector; %" PRId64
          " elements exactly, of which %" PRId64 " below 2^32 - 1, %" PRId64 " at it, %" PRId64
          " above\n",
          c.count, rows, n, x.compared, x.below, x.at, x.above);
  void *const taken[] = {a.first, a.other, a.values, b.first,   b.other, b.values, v,
                         y,       bv,      abv,      saturated, x.where, x.sum,    x.found};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    free (taken[i]);
  fclose (file_a.file);
  fclose (file_b.file);
  fclose (c.file);
  return EXIT_SUCCESS;
}
