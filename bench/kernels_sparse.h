/* kernels_sparse.h - the tables of sparse products of kernels.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BENCH_KERNELS_SPARSE_H
#define GPUMM_BENCH_KERNELS_SPARSE_H

#include "kernels_data.h"

/* ---- sparse matrices and matrices in blocks ----------------------------------------------- */

/* Where the entries of a row are. RANDOM. NEAR the diagonal, among `near` columns. GRID: neighbours
 * of a cell of a cube, 27, 7, or 15 of tetrahedra (H. Freudenthal, 1942), with `each` unknowns of a
 * cell. EXACT: random and different, as many in each row. RMAT: each edge chooses a quarter of the
 * matrix, then a quarter of that, and so on, with Graph500's chances 0.57, 0.19, 0.19, 0.05
 * (D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM 2004). */
typedef struct {
  const char *table, *name;
  enum { RANDOM, NEAR, GRID, EXACT, RMAT } kind;
  int64_t rows; /* GRID: cells of an edge; RMAT: log2; 0: as many as options.rows and room allow */
  int64_t each; /* entries of a row */
  int64_t near;
} pattern;

/* bsr: nearly every product of "random" has a block of C of its own, near4 has about 4 for a block,
 * and so on. "cached": A has 40 MB and stays in the cache. */
static const pattern patterns[] = {
    {"spgemm", "random16", RANDOM, 200000, 16, 0},
    {"spgemm", "random8", RANDOM, 1000000, 8, 0},
    {"spgemm", "random40", RANDOM, 200000, 40, 0},
    {"spgemm", "fem3_small", GRID, 30, 3, 27},
    {"spgemm", "fem3", GRID, 70, 3, 27},
    {"spgemm", "fem1", GRID, 100, 1, 27},
    {"spgemm", "difference", GRID, 100, 1, 7},
    {"spgemm", "rmat", RMAT, 18, 8, 0},
    {"spgemm", "fem3_tets", GRID, 70, 3, 15},
    {"bsr", "random", RANDOM, 0, 40, 0},
    {"bsr", "near4", NEAR, 0, 40, 190},
    {"bsr", "near16", NEAR, 0, 80, 70},
    {"bsr", "band10", NEAR, 0, 10, 10},
    {"bsr", "band40", NEAR, 0, 40, 40},
    {"bsr", "mesh", GRID, 0, 1, 27},
    {"bsr", "cached", RANDOM, 0, 40, 0},
    {"spmm", "random", RANDOM, 200000, 16, 0},
};
static const int64_t sides[] = {2, 4, 6, 8, 9, 12, 13, 16, 20, 23, 25, 32, 40, 45, 48, 64};

typedef struct {
  gpumm_type type;
  int which; /* its elements: operand 0 or 1 */
  int64_t rows, b, stored;
  int64_t *start;
  int32_t *column;
  gpumm_device_matrix on; /* on the device */
} matrix;

static int ascending (const void *x, const void *y) {
  return (*(const int32_t *) x > *(const int32_t *) y)
         - (*(const int32_t *) x < *(const int32_t *) y);
}

static int64_t most_in_row (const pattern *p) {
  return p->kind == GRID ? 27 * p->each : p->each;
}

/* Coupled with which of the 27 neighbours. */
static int64_t fill_grid (const pattern *p, int64_t side, int64_t i, int64_t n, int32_t *row) {
  const int64_t point = i / p->each, x = point % side, y = point / side % side,
                z = point / side / side;
  int64_t count = 0;
  for (int q = 0; q < 27; q++) {
    const int dx = q % 3 - 1, dy = q / 3 % 3 - 1, dz = q / 9 - 1;
    const int ahead = (dx > 0) + (dy > 0) + (dz > 0), behind = (dx < 0) + (dy < 0) + (dz < 0);
    const int64_t first = ((z + dz) * side + y + dy) * side + x + dx;
    if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side || z + dz < 0
        || (first + 1) * p->each > n || (p->near == 7 && ahead + behind > 1)
        || (p->near == 15 && ahead && behind))
      continue;
    for (int64_t u = 0; u < p->each; u++)
      row[count++] = (int32_t) (first * p->each + u);
  }
  return count;
}

/* The columns of row i of n; cell: of RMAT. */
static int64_t fill_row (const pattern *p, int64_t i, int64_t n, int64_t each, int seed,
                         int32_t *row) {
  int64_t count = 0;
  if (p->kind == GRID)
    return fill_grid (p, p->rows ? p->rows : (int64_t) ceil (cbrt ((double) n)), i, n, row);
  uint64_t state = splitmix64 ((uint64_t) i) + (uint64_t) seed;
  for (int64_t j = 0; p->kind == EXACT && count < each; j++) /* selection sampling */
    if ((int64_t) (splitmix64 (state + (uint64_t) j) % (uint64_t) (n - j)) < each - count)
      row[count++] = (int32_t) j;
  for (int64_t q = 0; p->kind != EXACT && q < each; q++) {
    const uint64_t number = splitmix64 ((uint64_t) (i * each + q));
    int64_t j = (int64_t) (number % (uint64_t) n);
    if (p->kind == NEAR) /* as many as differ, or side by side */
      j = i - p->near / 2 + (p->near == each ? q : (int64_t) (number % (uint64_t) p->near));
    if (j >= 0 && j < n)
      row[count++] = (int32_t) j;
  }
  return count;
}

/* Edge e of R-MAT. */
static void edge_of (int64_t e, int scale, int64_t *i, int32_t *j) {
  uint64_t row = 0, column = 0;
  for (int b = 0; b < scale; b++) {
    const double u = (double) (splitmix64 ((uint64_t) (e * scale + b)) >> 11) * 0x1p-53;
    row = 2 * row + (u >= 0.76);
    column = 2 * column + ((u >= 0.57 && u < 0.76) || u >= 0.95);
  }
  *i = (int64_t) row;
  *j = (int32_t) column;
}

/* Sorts the columns of each row, from first[i] to end[i], and drops those that occur twice. */
static void compress (matrix *x, const int64_t *first, const int64_t *end) {
  int64_t out = 0;
  for (int64_t i = 0; i < x->rows; i++) {
    qsort (x->column + first[i], (size_t) (end[i] - first[i]), sizeof *x->column, ascending);
    x->start[i] = out;
    for (int64_t q = first[i]; q < end[i]; q++)
      if (out == x->start[i] || x->column[q] != x->column[out - 1])
        x->column[out++] = x->column[q];
  }
  x->start[x->rows] = x->stored = out;
}

/* count: entries of EXACT. */
static matrix make_matrix (const pattern *p, gpumm_type type, int64_t rows, int64_t b, int which,
                           int64_t count) {
  matrix x = {.type = type, .which = which, .rows = rows, .b = b};
  int64_t *first = check_allocate (rows + 1, sizeof *first);
  int64_t *end = check_allocate (rows + 1, sizeof *end),
          edges = p->kind == RMAT ? rows * p->each : 0;
  int32_t column;
  for (int64_t e = 0, i; e < edges; e++) {
    edge_of (e, (int) p->rows, &i, &column);
    end[i]++;
  }
  for (int64_t i = 0; i < rows; i++)
    first[i + 1] = p->kind == RMAT    ? first[i] + end[i]
                   : p->kind == EXACT ? (int64_t) ((__int128) count * (i + 1) / rows)
                                      : first[i] + most_in_row (p);
  x.column = check_allocate (first[rows] + 1, sizeof *x.column);
  x.start = check_allocate (rows + 1, sizeof *x.start);
  memcpy (end, first, (size_t) rows * sizeof *end);
  for (int64_t e = 0, i; e < edges; e++) {
    edge_of (e, (int) p->rows, &i, &column);
    x.column[end[i]++] = column;
  }
  for (int64_t i = 0; i < rows && p->kind != RMAT; i++)
    end[i] += fill_row (p, i, rows, p->kind == EXACT ? first[i + 1] - first[i] : p->each, which,
                        x.column + first[i]);
  compress (&x, first, end);
  free (first);
  free (end);
  x.on = (gpumm_device_matrix){.rows = rows,
                               .cols = rows,
                               .block_rows = b,
                               .block_cols = b,
                               .start = take (rows + 1, sizeof *x.start),
                               .column = take (x.stored, sizeof *x.column),
                               .values = make_operand (type, which, x.stored * b * b),
                               .stored = x.stored};
  copy (x.on.start, x.start, (size_t) (rows + 1) * sizeof *x.start, 1);
  copy (x.on.column, x.column, (size_t) x.stored * sizeof *x.column, 1);
  return x;
}

static void drop_matrix (matrix *x) {
  give (x->on.start);
  give (x->on.column);
  give (x->on.values);
  free (x->start);
  free (x->column);
}

/* Products of blocks in the first rows. */
static double count_pairs (const matrix *a, const matrix *b, int64_t rows) {
  double pairs = 0;
  for (int64_t t = 0; t < a->start[rows]; t++)
    pairs += (double) (b->start[a->column[t] + 1] - b->start[a->column[t]]);
  return pairs;
}

static double bound_of_sum (gpumm_type type, const sum *s) {
  return type == GPUMM_U16 ? 0 : 100 * epsilons[type] * (double) s->size;
}

/* Is row i of C, with these columns, right: its pattern, and an element of up to ten blocks? */
static int row_is_right (const gpumm_sparse_product *p, const matrix *a, const matrix *b, int64_t i,
                         const int64_t *start, const int32_t *column) {
  const int64_t side = a->b, block = side * side, length = start[i + 1] - start[i];
  const size_t element = a->type == GPUMM_U16 ? sizeof (uint32_t) : sizes[a->type];
  int64_t count = 0, kept = 0;
  for (int64_t t = a->start[i]; t < a->start[i + 1]; t++)
    count += b->start[a->column[t] + 1] - b->start[a->column[t]];
  int32_t *met = check_allocate (count + 1, sizeof *met);
  for (int64_t t = a->start[i], at = 0; t < a->start[i + 1]; t++)
    for (int64_t u = b->start[a->column[t]]; u < b->start[a->column[t] + 1]; u++)
      met[at++] = b->column[u];
  qsort (met, (size_t) count, sizeof *met, ascending);
  for (int64_t q = 0; q < count; q++)
    if (q == 0 || met[q] != met[kept - 1])
      met[kept++] = met[q];
  int right = kept == length && memcmp (met, column, (size_t) length * sizeof *met) == 0;
  free (met);
  for (int q = 0; q < 10 && right && length > 0; q++) {
    const int64_t at = check_between (0, length - 1), e = check_between (0, block - 1);
    sum s = {0, 0, 0};
    for (int64_t t = a->start[i]; t < a->start[i + 1]; t++)
      for (int64_t u = b->start[a->column[t]]; u < b->start[a->column[t] + 1]; u++)
        for (int64_t l = 0; b->column[u] == column[at] && l < side; l++)
          add_product (a->type, t * block + e % side + l * side, b->which,
                       u * block + l + e / side * side, &s);
    const char *value = (char *) p->c.values + (size_t) ((start[i] + at) * block + e) * element;
    right = error_at (a->type, value, &s) <= bound_of_sum (a->type, &s);
  }
  return right;
}

static int is_right (const gpumm_sparse_product *p, const matrix *a, const matrix *b,
                     const int64_t *start) {
  int right = 1;
  for (int q = 0; q < 50 && right; q++) {
    const int64_t i = q == 0 ? 0 : check_between (0, p->count - 1);
    const int64_t length = start[i + 1] - start[i];
    int32_t *column = check_allocate (length + 1, sizeof *column);
    copy (column, p->c.column + start[i], (size_t) length * sizeof *column, 0);
    right = row_is_right (p, a, b, i, start, column);
    free (column);
  }
  return right;
}

typedef struct {
  double symbolic, offsets, numeric, all; /* seconds */
  int64_t stored;                         /* blocks of C */
  size_t workspace;
  char note[GPUMM_NOTE_BYTES];
  int right;
} sparse_result;

/* The three phases, one after the other; of kernels without offsets the caller adds up, once. */
static void run_phases (const gpumm_sparse_kernel *kernel, gpumm_sparse_product *p, int64_t *start,
                        size_t element) {
  const size_t bytes = (size_t) (p->c.rows + 1) * sizeof *start;
  const int is_first = !p->c.column;
  need (driver->fill (0, stream, p->c.start, 0, sizeof *start), "fill");
  record (0);
  need (kernel->symbolic (0, stream, p), kernel->name);
  record (1);
  if (is_first) {
    copy (start, p->c.start, bytes, 0);
    for (int64_t i = 0; i < p->count; i++)
      start[i + 1] += start[i];
    p->c.stored = start[p->count];
    p->c.column = take (p->c.stored, sizeof (int32_t));
    p->c.values = take (p->c.stored * p->c.block_rows * p->c.block_cols, element);
  }
  if (kernel->offsets)
    need (kernel->offsets (0, stream, p), "offsets");
  else
    copy (p->c.start, start, bytes, 1);
  record (2);
  need (kernel->launch (0, stream, p), kernel->name);
  record (3);
}

static sparse_result measure_sparse (const gpumm_sparse_kernel *kernel, gpumm_sparse_product p,
                                     const matrix *a, const matrix *b) {
  sparse_result r = {.right = 0};
  double times[4][MOST_REPEATS];
  const size_t bytes = (size_t) (p.c.rows + 1) * sizeof (int64_t);
  const size_t element = p.type_c == GPUMM_U32 ? sizeof (uint32_t) : sizes[p.type_c];
  int64_t *start = check_allocate (p.c.rows + 1, sizeof *start);
  p.note = r.note;
  p.c.start = take (p.c.rows + 1, sizeof *start);
  p.c.column = NULL;
  p.zero = take (1, 8);
  r.workspace = p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &device) : 0;
  p.workspace = take ((int64_t) p.workspace_bytes, 1);
  need (driver->fill (0, stream, p.zero, 0, 8), "fill");
  need (driver->fill (0, stream, p.c.start, 0, bytes), "fill");
  for (int i = -1; i < options.repeats; i++) {
    run_phases (kernel, &p, start, element);
    for (int e = 0; e < 4; e++)
      times[e][i < 0 ? 0 : i] = seconds_between (e < 3 ? e : 0, e < 3 ? e + 1 : 3);
  }
  r.symbolic = median (times[0]);
  r.offsets = kernel->offsets ? median (times[1]) : 0;
  r.numeric = median (times[2]);
  r.all = kernel->offsets ? median (times[3]) : r.symbolic + r.numeric;
  r.stored = p.c.stored;
  r.right = is_right (&p, a, b, start);
  if (!r.right) {
    printf ("WRONG: %s %c %lld rows in blocks of %lld\n", kernel->name, letter_of (a->type),
            (long long) a->rows, (long long) a->b);
    wrong++;
  }
  void *all[] = {p.c.start, p.c.column, p.c.values, p.zero, p.workspace};
  for (size_t q = 0; q < sizeof all / sizeof *all; q++)
    give (all[q]);
  free (start);
  return r;
}

/* ---- the tables of sparse products -------------------------------------------------------- */

static int takes_sparse (const gpumm_sparse_kernel *k, const char *algorithm,
                         const gpumm_sparse_product *p) {
  return (!algorithm || strcmp (k->algorithm, algorithm) == 0) && k->capability <= device.capability
         && listed (options.kernels, k->name, 0) && k->runs && k->runs (p, &device);
}

/* The first `count` rows of A B; C's memory comes later, but kernels look whether it has a start.
 * */
static gpumm_sparse_product product_of (const matrix *a, const matrix *b, int64_t count) {
  const gpumm_type type_c = a->type == GPUMM_U16 ? GPUMM_U32 : a->type;
  return (gpumm_sparse_product){.type_a = a->type,
                                .type_b = b->type,
                                .type_c = type_c,
                                .a = a->on,
                                .b = b->on,
                                .c = {.rows = a->rows,
                                      .cols = b->rows,
                                      .block_rows = a->b,
                                      .block_cols = b->b,
                                      .start = a->on.start},
                                .count = count,
                                .alpha = {1, 0}};
}

static void save (const char *name, const char *what, const void *p, size_t bytes) {
  char path[4096];
  snprintf (path, sizeof path, "%s/%s.%s", options.save, name, what);
  FILE *to = fopen (path, "wb");
  if (!to || fwrite (p, 1, bytes, to) != bytes || fclose (to))
    printf ("%s was not written\n", path);
}

static void save_matrix (const char *name, const matrix *a) {
  const size_t bytes = (size_t) a->stored * sizes[a->type];
  void *values = check_allocate ((int64_t) bytes + 1, 1);
  copy (values, a->on.values, bytes, 0);
  save (name, "start", a->start, (size_t) (a->rows + 1) * sizeof *a->start);
  save (name, "column", a->column, (size_t) a->stored * sizeof *a->column);
  save (name, "values", values, bytes);
  free (values);
}

static void run_spgemm (const pattern *pattern, gpumm_type type) {
  const int64_t g = pattern->rows, n = pattern->kind == GRID   ? g * g * g * pattern->each
                                       : pattern->kind == RMAT ? (int64_t) 1 << g
                                                               : g;
  matrix a = make_matrix (pattern, type, n, 1, 0, 0);
  const gpumm_sparse_product p = product_of (&a, &a, n);
  const double pairs = count_pairs (&a, &a, n), element = 4 + (double) sizes[type];
  char name[64];
  snprintf (name, sizeof name, "%s%s", pattern->name, type == GPUMM_Z ? "_z" : "");
  if (options.save)
    save_matrix (name, &a);
  for (int r = 0; driver->sparse_kernels[r]; r++) {
    const gpumm_sparse_kernel *k = driver->sparse_kernels[r];
    if (!takes_sparse (k, "spgemm", &p) || rates[r] * pairs > options.most)
      continue;
    const sparse_result s = measure_sparse (k, p, &a, &a);
    const double both = 16 * (double) (n + 1) + element * (double) (a.stored + s.stored);
    rates[r] = s.all / (pairs + 1);
    fprintf (file, "%s,%s,%lld,%lld,%.0f,%lld,%.4f,%.4f,%.4f,%.4f,%.2f,%.4f\n", name, k->name,
             (long long) n, (long long) a.stored, pairs, (long long) s.stored, 1e3 * s.symbolic,
             1e3 * s.offsets, 1e3 * s.numeric, 1e3 * s.all,
             1e-9 * operations_of (type) * pairs / s.all, (both + (double) s.workspace) / both);
    fflush (file);
  }
  drop_matrix (&a);
}

/* An upper bound of the expected blocks in a row of C. */
static double row_of_c (const pattern *p, double n) {
  return p->kind == GRID   ? 125
         : p->kind == NEAR ? 2 * (double) p->near - 1
                           : n * (1 - exp (-(double) (p->each * p->each) / n));
}

static void run_bsr (const pattern *pattern, gpumm_type type, int64_t b) {
  const double block = (double) (b * b) * (double) sizes[type], room = 1e9 * options.room;
  const double most = (strcmp (pattern->name, "cached") == 0 ? 4e7 : room)
                      / ((double) most_in_row (pattern) * block);
  const int64_t n = most > (double) options.rows ? options.rows : most < 200 ? 200 : (int64_t) most;
  const double rows = room / (row_of_c (pattern, (double) n) * block);
  matrix a = make_matrix (pattern, type, n, b, 0, 0);
  const gpumm_sparse_product p = product_of (&a, &a, rows < (double) n ? (int64_t) rows : n);
  const double pairs = count_pairs (&a, &a, p.count);
  const double flops = operations_of (type) * (double) (b * b * b) * pairs;
  for (int r = 0; driver->sparse_kernels[r]; r++) {
    const gpumm_sparse_kernel *k = driver->sparse_kernels[r];
    if (!takes_sparse (k, "bsr", &p) || rates[r] * flops > options.most)
      continue;
    const sparse_result s = measure_sparse (k, p, &a, &a);
    rates[r] = s.all / (flops + 1);
    fprintf (file, "bsr,%s,%c,%lld,%lld,%lld,%lld,%.0f,%lld,%.4f,%.4f,%.1f,%.1f,%s\n", k->name,
             letter_of (type), (long long) b, (long long) n, (long long) p.count,
             (long long) most_in_row (pattern), pairs, (long long) s.stored, 1e3 * s.symbolic,
             1e3 * s.numeric, 1e-9 * flops / s.numeric,
             1e-9 * ((double) s.stored + pairs) * block / s.numeric, pattern->name);
    fflush (file);
  }
  drop_matrix (&a);
}

/* left: S times a full matrix, otherwise a full matrix times S. S is by compressed rows or by
 * columns. */
static int full_is_right (const gpumm_sparse_product *p, const matrix *s, int left, int by_columns,
                          int64_t columns) {
  const int64_t b = s->b, rows = s->rows * b;
  const int along = left != by_columns; /* row i of op (S), or its column i, is a stored row */
  for (int q = 0; q < 20; q++) {
    const int64_t i = check_between (0, rows - 1), j = check_between (0, columns - 1);
    sum c = {0, 0, 0};
    for (int64_t u = along ? i / b : 0; u < (along ? i / b + 1 : s->rows); u++)
      for (int64_t t = s->start[u]; t < s->start[u + 1]; t++)
        for (int64_t l = 0; (along || s->column[t] == i / b) && l < b; l++) {
          const int64_t at = t * b * b + (along ? i % b + l * b : l + i % b * b);
          const int64_t k = (along ? s->column[t] : u) * b + l;
          add_product (s->type, at, 1, left ? k + j * rows : j + k * columns, &c);
        }
    const char *value =
        (char *) p->c.values + (size_t) (left ? i + j * rows : j + i * columns) * sizes[s->type];
    if (!(error_at (s->type, value, &c) <= bound_of_sum (s->type, &c)))
      return 0;
  }
  return 1;
}

static void run_spmm (const pattern *pattern, gpumm_type type, int64_t b, int64_t columns, int left,
                      int by_columns) {
  matrix s = make_matrix (pattern, type, pattern->rows / b, b, 0, 0);
  const int64_t rows = s.rows * b;
  gpumm_device_matrix full = {.rows = left ? rows : columns,
                              .cols = left ? columns : rows,
                              .block_rows = 1,
                              .block_cols = 1,
                              .values = make_operand (type, 1, rows * columns),
                              .ld = left ? rows : columns};
  gpumm_sparse_product p = {.type_a = type,
                            .type_b = type,
                            .type_c = type,
                            .op_a = left && by_columns ? GPUMM_TRANSPOSE : GPUMM_NONE,
                            .op_b = !left && by_columns ? GPUMM_TRANSPOSE : GPUMM_NONE,
                            .a = left ? s.on : full,
                            .b = left ? full : s.on,
                            .c = full,
                            .count = left ? s.rows : columns,
                            .alpha = {1, 0}};
  p.c.values = take (rows * columns, sizes[type]);
  for (int r = 0; driver->sparse_kernels[r]; r++) {
    const gpumm_sparse_kernel *k = driver->sparse_kernels[r];
    double times[MOST_REPEATS];
    if (!takes_sparse (k, "spmm", &p))
      continue;
    p.workspace_bytes = k->workspace (&p, &device);
    p.workspace = take ((int64_t) p.workspace_bytes, 1);
    for (int i = -1; i < options.repeats; i++) {
      record (0);
      need (k->launch (0, stream, &p), k->name);
      record (1);
      times[i < 0 ? 0 : i] = seconds_between (0, 1);
    }
    const double seconds = median (times);
    const int right = full_is_right (&p, &s, left, by_columns, columns);
    wrong += !right;
    fprintf (file, "spmm,%s %s,%c,%lld,%lld,%lld,%lld,%lld,,,%.4f,%.1f,,%s\n", k->name,
             left         ? by_columns ? "columns x full" : "rows x full"
             : by_columns ? "full x columns"
                          : "full x rows",
             letter_of (type), (long long) b, (long long) s.rows, (long long) columns,
             (long long) pattern->each, (long long) s.stored, 1e3 * seconds,
             1e-9 * operations_of (type) * (double) (s.stored * b * b * columns) / seconds,
             right ? pattern->name : "WRONG");
    fflush (file);
    give (p.workspace);
  }
  give (full.values);
  give (p.c.values);
  drop_matrix (&s);
}

/* N:M:COUNT[:HIGH]; a kernel's time is that of counting and computing. */
static void run_blocks (const char *text) {
  static const pattern exact = {"blocks", "exact", EXACT, 0, 0, 0};
  long long n, m, count;
  highest = 65535;
  if (sscanf (text, "%lld:%lld:%lld:%u", &n, &m, &count, &highest) < 3 || n % m != 0
      || (double) count > (double) (n / m) * (double) (n / m) || highest > 65535) {
    printf ("not a case: %s\n", text);
    exit (2);
  }
  make_piece (GPUMM_U16);
  matrix a = make_matrix (&exact, GPUMM_U16, n / m, m, 0, count);
  matrix b = make_matrix (&exact, GPUMM_U16, n / m, m, 1, count);
  const gpumm_sparse_product p = product_of (&a, &b, a.rows);
  const double pairs = count_pairs (&a, &b, a.rows);
  for (int r = 0; driver->sparse_kernels[r]; r++) {
    const gpumm_sparse_kernel *k = driver->sparse_kernels[r];
    if (!takes_sparse (k, NULL, &p) || rates[r] * pairs > options.most)
      continue;
    const sparse_result s = measure_sparse (k, p, &a, &b);
    rates[r] = s.all / (pairs + 1);
    fprintf (file, "%lld,%lld,%lld,%u,%.6g,%lld,%s,%s,%.4f,%.4f,%.4f,%.4g,%d\n", n, m, count,
             highest, pairs, (long long) s.stored, k->name, s.note, 1e3 * s.symbolic,
             1e3 * s.numeric, 1e3 * s.all, 2e-9 * (double) (m * m * m) * pairs / s.all, !s.right);
    fflush (file);
  }
  drop_matrix (&a);
  drop_matrix (&b);
}

static void run_sparse (const char *table, gpumm_type type) {
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    const pattern *p = &patterns[i];
    if (strcmp (p->table, table) != 0 || !listed (options.cases, p->name, 0))
      continue;
    if (strcmp (table, "spgemm") == 0)
      run_spgemm (p, type);
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
      if (strcmp (table, "bsr") == 0 && listed_number (options.blocks, sides[s]))
        run_bsr (p, type, sides[s]);
    for (int form = 0; form < 4 && strcmp (table, "spmm") == 0; form++) {
      for (int64_t columns = 256; columns >= 64 && listed_number (options.blocks, 1); columns /= 4)
        run_spmm (p, type, 1, columns, form < 2, form % 2);
      for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        if (listed_number (options.blocks, sides[s]))
          run_spmm (p, type, sides[s], 256, form < 2, form % 2);
    }
  }
}

#endif
