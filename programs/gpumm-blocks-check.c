/* gpumm-blocks-check.c - is OUTPUT the product of INPUT1 and INPUT2? Independent of the engine.
 *
 *   gpumm-blocks-check INPUT1 INPUT2 OUTPUT [SAMPLES [SEED]]
 *
 * Three checks:
 * - form: the header is valid, records are sorted by i then j, and no block is all zero;
 * - exact blocks: SAMPLES (10000) random places and SAMPLES random stored blocks, or all places if
 *   there are at most SAMPLES. An element is the dot product of a row of A and a column of B,
 *   summed in 64 bits, or 2^32 - 1 if the sum is larger;
 * - all elements modulo 2^64 (R. Freivalds, 1977): C x = A (B x) for a random x of odd numbers, in
 *   the rows of C without a saturated element. A single wrong element in a row is always found,
 *   because an odd number times a nonzero number is nonzero modulo 2^64.
 *
 * Memory and time depend on the sizes of the files and on SAMPLES. The matrix may have any size,
 * because rows without blocks cost nothing.
 *
 * The last line counts the comparisons. The exit status is 0 if all are right.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _FILE_OFFSET_BITS 64
#include "help.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: gpumm-blocks-check INPUT1 INPUT2 OUTPUT [SAMPLES [SEED]]\n"
    "\n"
    "Is OUTPUT the product of the blocks in INPUT1 and INPUT2, as gpumm-blocks writes it?\n"
    "The checker shares no code with gpumm's engine.\n"
    "\n"
    "SAMPLES  check the blocks at this number of random places exactly, and as many random\n"
    "         stored blocks; 10000 by default. SAMPLES places or fewer are all checked\n"
    "SEED     for the places and the random vector; 1 by default\n"
    "\n"
    "If all is right, the program prints, in this order:\n"
    "  the blocks in OUTPUT;\n"
    "  the rows that were checked by a random vector, of all rows: a row with an element of\n"
    "  2^32 - 1 cannot be checked so;\n"
    "  the elements that were checked exactly: with sums below 2^32 - 1, equal to it, and above.\n"
    "\n"
    "The exit status is 0 if all is right. Otherwise it is 1, and a message says what is wrong.\n";

typedef struct {
  const char *name;
  FILE *file;
  int64_t n, m, count, grid;
  size_t record; /* bytes */
} source;

/* The blocks of an input, sorted by block rows, then columns, or by columns, then rows. A line is a
 * block row (or column) with blocks: line l is number[l] and has blocks first[l] to first[l + 1] -
 * 1. */
typedef struct {
  int64_t lines;
  int32_t *number;
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

/* The number of bytes from here to the end, or -1. */
static int64_t size_of (FILE *file) {
  return fseeko (file, 0, SEEK_END) == 0 ? (int64_t) ftello (file) : -1;
}

/* No header is text: it would name more blocks than the matrix has places. */
static int is_text (const int32_t header[3]) {
  const unsigned char *bytes = (const unsigned char *) header;
  for (size_t i = 0; i < 12; i++)
    if ((bytes[i] < ' ' || bytes[i] > '~') && !memchr ("\t\n\r", bytes[i], 3))
      return 0;
  return 1;
}

static source open_source (const char *name, size_t width) {
  struct stat info; /* opening a pipe would wait, and a device may have no end */
  const int regular = stat (name, &info) == 0 && S_ISREG (info.st_mode);
  source s = {.name = name, .file = regular ? fopen (name, "rb") : NULL};
  int32_t header[3];
  if (!s.file)
    stop ("cannot open %s", name);
  get (&s, header, sizeof header);
  if (is_text (header))
    stop ("%s is not a file of blocks: it is text", name);
  s.n = header[0];
  s.m = header[1];
  s.count = header[2];
  if (s.n < 0 || s.m < 1 || s.count < 0 || s.n % s.m != 0)
    stop ("%s is not a file of blocks: its header says N %" PRId64 ", M %" PRId64 " and %" PRId64
          " blocks",
          name, s.n, s.m, s.count);
  s.grid = s.n / s.m;
  /* m^2 count has up to 94 bits: refuse large sizes in double before computing in integers */
  const int64_t bytes = size_of (s.file);
  const double said = 12 + (double) s.count * (8 + (double) s.m * (double) s.m * (double) width);
  s.record = s.count > 0 && said < 1e15 ? 8 + (size_t) (s.m * s.m) * width : 8;
  if (said > 1e15 || bytes != (int64_t) (sizeof header + (size_t) s.count * s.record))
    stop ("%s does not have the size that its header says", name);
  return s;
}

static void go_to (source *s, int64_t record) {
  if (fseeko (s->file, (off_t) (12 + (size_t) record * s->record), SEEK_SET) != 0)
    stop ("cannot read %s", s->name);
}

/* ---- inputs ------------------------------------------------------------------------------- */

/* A block to be sorted. */
typedef struct {
  int32_t line, other;
  int64_t record;
} entry;

static int compare (const void *x, const void *y) {
  const entry *a = x, *b = y;
  return a->line != b->line ? (a->line < b->line ? -1 : 1)
                            : (a->other > b->other) - (a->other < b->other);
}

/* by = 0: by block rows; 1: by block columns. Reads the file twice: for the order, for values. */
static list read_list (source *s, int by) {
  const int64_t elements = s->m * s->m;
  unsigned char *record = take ((int64_t) s->record, 1);
  entry *entries = take (s->count, sizeof *entries);
  int64_t *place = take (s->count, sizeof *place);
  int32_t index[2];
  go_to (s, 0);
  for (int64_t t = 0; t < s->count; t++) {
    get (s, record, s->record);
    memcpy (index, record, sizeof index);
    if (index[0] < 0 || index[0] >= s->grid || index[1] < 0 || index[1] >= s->grid)
      stop ("%s: record %" PRId64 " is out of range", s->name, t);
    entries[t] = (entry){index[by], index[1 - by], t};
  }
  qsort (entries, (size_t) s->count, sizeof *entries, compare);
  list x = {.number = take (s->count, sizeof *x.number),
            .first = take (s->count + 1, sizeof *x.first),
            .other = take (s->count, sizeof *x.other),
            .values = take (s->count * (s->count > 0 ? elements : 1), sizeof *x.values)};
  for (int64_t t = 0; t < s->count; t++) {
    if (t == 0 || entries[t - 1].line != entries[t].line) {
      x.number[x.lines] = entries[t].line;
      x.first[x.lines++] = t;
    } else if (entries[t - 1].other == entries[t].other)
      stop ("%s: records %" PRId64 " and %" PRId64 " have the same block row and column", s->name,
            entries[t - 1].record, entries[t].record);
    x.other[t] = entries[t].other;
    place[entries[t].record] = t;
  }
  x.first[x.lines] = s->count;
  free (entries);
  go_to (s, 0);
  for (int64_t t = 0; t < s->count; t++) {
    get (s, record, s->record);
    memcpy (x.values + place[t] * elements, record + 8, (size_t) elements * sizeof *x.values);
  }
  free (place);
  free (record);
  return x;
}

/* The index of the line with this number, or -1. */
static int64_t find_line (const list *x, int64_t number) {
  int64_t low = 0, high = x->lines;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (x->number[middle] == number)
      return middle;
    if (x->number[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

/* ---- exact blocks ------------------------------------------------------------------------- */

/* Finds the record of block (i, j) by bisection and reads its elements; -1 if there is none. */
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
  uint64_t *sum;
  uint32_t *found;
  int64_t compared, below, at, above; /* elements: all, and by their sum beside 2^32 - 1 */
} exact;

static void check_block (exact *x, int64_t i, int64_t j) {
  const int64_t m = x->c->m, row = find_line (x->a, i), column = find_line (x->b, j);
  memset (x->sum, 0, (size_t) (m * m) * sizeof *x->sum);
  int64_t t = row < 0 ? 0 : x->a->first[row], u = column < 0 ? 0 : x->b->first[column];
  const int64_t last_t = row < 0 ? 0 : x->a->first[row + 1];
  const int64_t last_u = column < 0 ? 0 : x->b->first[column + 1];
  while (t < last_t && u < last_u) {
    const int32_t of_a = x->a->other[t], of_b = x->b->other[u];
    for (int64_t r = 0; of_a == of_b && r < m; r++)
      for (int64_t q = 0; q < m; q++)
        for (int64_t p = 0; p < m; p++)
          x->sum[r * m + q] +=
              (uint64_t) x->a->values[(t * m + r) * m + p] * x->b->values[(u * m + p) * m + q];
    t += of_a <= of_b;
    u += of_b <= of_a;
  }
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

/* Element i of the random vector: odd, and the same at each call (splitmix64: S. Vigna, 2015). */
static uint64_t vector (int64_t i) {
  uint64_t z = state + (uint64_t) i * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) | 1;
}

/* A matrix times the vector. Only the block rows in lines are stored; all others are zero. */
typedef struct {
  list lines; /* only lines and number are used */
  uint64_t *y;
} product;

static int compare_numbers (const void *x, const void *y) {
  const int32_t a = *(const int32_t *) x, b = *(const int32_t *) y;
  return (a > b) - (a < b);
}

/* B times the vector; B is sorted by columns. */
static product multiply_vector (const list *b, int64_t count, int64_t m) {
  product p = {.lines.number = take (count, sizeof *p.lines.number), .y = NULL};
  memcpy (p.lines.number, b->other, (size_t) count * sizeof *b->other);
  qsort (p.lines.number, (size_t) count, sizeof *p.lines.number, compare_numbers);
  for (int64_t t = 0; t < count; t++)
    if (t == 0 || p.lines.number[t] != p.lines.number[p.lines.lines - 1])
      p.lines.number[p.lines.lines++] = p.lines.number[t];
  p.y = take (p.lines.lines * m, sizeof *p.y);
  for (int64_t l = 0; l < b->lines; l++)
    for (int64_t t = b->first[l]; t < b->first[l + 1]; t++) {
      uint64_t *y = p.y + find_line (&p.lines, b->other[t]) * m;
      for (int64_t q = 0; q < m; q++) {
        const uint64_t v = vector (b->number[l] * m + q);
        for (int64_t r = 0; r < m; r++)
          y[r] += b->values[(t * m + r) * m + q] * v;
      }
    }
  return p;
}

/* A times (B times the vector); A is sorted by rows. */
static uint64_t *multiply_product (const list *a, const product *p, int64_t m) {
  uint64_t *result = take (a->lines * m, sizeof *result);
  for (int64_t l = 0; l < a->lines; l++)
    for (int64_t t = a->first[l]; t < a->first[l + 1]; t++) {
      const int64_t from = find_line (&p->lines, a->other[t]);
      for (int64_t r = 0; from >= 0 && r < m; r++)
        for (int64_t q = 0; q < m; q++)
          result[l * m + r] += a->values[(t * m + r) * m + q] * p->y[from * m + q];
    }
  return result;
}

/* One block row of C times the vector; saturated[r]: does row r have an element 2^32 - 1? */
typedef struct {
  int64_t row;   /* -1: none yet */
  int64_t wrong; /* the first row of elements that differs, or -1 */
  uint64_t *y;
  unsigned char *saturated;
} row_sum;

/* Keeps the first wrong row. It is reported at the end, because faults of form come first. */
static void note_wrong (row_sum *s, int64_t row) {
  if (s->wrong < 0)
    s->wrong = row;
}

/* Compares a block row of C, then the lines of A before block row `next`, where C has no blocks.
 * Moves *line to the next line of A. Returns the number of saturated rows, which it skips. */
static int64_t compare_rows (const source *c, const list *a, const uint64_t *expected, row_sum *s,
                             int64_t next, int64_t *line) {
  const int64_t m = c->m;
  const int here = *line < a->lines && a->number[*line] == s->row;
  int64_t saturated = 0;
  for (int64_t r = 0; s->row >= 0 && r < m; r++)
    if (s->saturated[r])
      saturated++;
    else if (s->y[r] != (here ? expected[*line * m + r] : 0))
      note_wrong (s, s->row * m + r);
  *line += here;
  for (; *line < a->lines && a->number[*line] < next; ++*line)
    for (int64_t r = 0; r < m; r++)
      if (expected[*line * m + r] != 0)
        note_wrong (s, a->number[*line] * m + r);
  return saturated;
}

/* Checks the form of C, and C v = A (B v). Returns the number of rows of elements compared. */
static int64_t go_through (source *c, const list *a, const uint64_t *expected) {
  const int64_t m = c->m;
  uint32_t *values = take (c->count > 0 ? m * m : 1, sizeof *values);
  row_sum s = {-1, -1, take (m, sizeof *s.y), take (m, 1)};
  int32_t index[2], before[2] = {-1, -1};
  int64_t line = 0, rows = c->n;
  go_to (c, 0);
  for (int64_t t = 0; t < c->count; t++) {
    int any = 0;
    get (c, index, sizeof index);
    get (c, values, c->record - 8);
    if (index[0] < 0 || index[0] >= c->grid || index[1] < 0 || index[1] >= c->grid)
      stop ("%s: record %" PRId64 " is out of range", c->name, t);
    if (index[0] < before[0] || (index[0] == before[0] && index[1] <= before[1]))
      stop ("%s: record %" PRId64 " is not after the previous record", c->name, t);
    memcpy (before, index, sizeof before);
    if (index[0] != s.row) {
      rows -= compare_rows (c, a, expected, &s, index[0], &line);
      s.row = index[0];
      memset (s.y, 0, (size_t) m * sizeof *s.y);
      memset (s.saturated, 0, (size_t) m);
    }
    for (int64_t q = 0; q < m; q++) {
      const uint64_t v = vector (index[1] * m + q);
      for (int64_t r = 0; r < m; r++) {
        const uint32_t value = values[r * m + q];
        any |= value != 0;
        s.y[r] += value * v;
        s.saturated[r] |= value == UINT32_MAX;
      }
    }
    if (!any)
      stop ("%s: record %" PRId64 " has only zeros", c->name, t);
  }
  rows -= compare_rows (c, a, expected, &s, c->grid, &line);
  if (s.wrong >= 0)
    stop ("%s: row %" PRId64 " is wrong", c->name, s.wrong);
  free (values);
  free (s.y);
  free (s.saturated);
  return rows;
}

/* A whole number from 0. */
static int64_t number (const char *text, const char *what) {
  char *end;
  errno = 0;
  const long long x = strtoll (text, &end, 10);
  if (errno || *end || end == text || x < 0)
    stop ("%s must be a whole number from 0, not \"%s\"", what, text);
  return x;
}

int main (int count, char **arguments) {
  answer_help (count, arguments, help);
  if (count < 4 || count > 6)
    return fail_usage (help);
  const int64_t samples = count > 4 ? number (arguments[4], "SAMPLES") : 10000;
  const int64_t seed = count > 5 ? number (arguments[5], "SEED") : 1;
  source file_a = open_source (arguments[1], 2), file_b = open_source (arguments[2], 2);
  source c = open_source (arguments[3], 4);
  state = (uint64_t) seed * 2862933555777941757u + 3037000493u;
  if (file_a.n != file_b.n || file_a.m != file_b.m || c.n != file_a.n || c.m != file_a.m)
    stop ("the sizes in the headers of the files differ");
  const int64_t n = c.n, m = c.m;
  if (file_a.count == 0 && file_b.count == 0 && c.count == 0) {
    printf ("right: 0 records; %" PRId64 " of %" PRId64 " rows\n", n, n);
    return EXIT_SUCCESS;
  }
  const list a = read_list (&file_a, 0), b = read_list (&file_b, 1);
  product bv = multiply_vector (&b, file_b.count, m);
  uint64_t *abv = multiply_product (&a, &bv, m);
  const int64_t rows = go_through (&c, &a, abv);

  exact x = {.a = &a,
             .b = &b,
             .c = &c,
             .sum = take (m * m, sizeof *x.sum),
             .found = take (m * m, sizeof *x.found)};
  check_blocks (&x, samples);
  printf ("right: %" PRId64 " records; %" PRId64 " of %" PRId64
          " rows checked by a random vector; %" PRId64 " elements checked exactly: %" PRId64
          " sums below 2^32 - 1, %" PRId64 " equal, %" PRId64 " above\n",
          c.count, rows, n, x.compared, x.below, x.at, x.above);
  void *const taken[] = {a.number, a.first, a.other,         a.values, b.number, b.first, b.other,
                         b.values, bv.y,    bv.lines.number, abv,      x.sum,    x.found};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    free (taken[i]);
  fclose (file_a.file);
  fclose (file_b.file);
  fclose (c.file);
  return EXIT_SUCCESS;
}
