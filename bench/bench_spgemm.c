/* bench_spgemm.c - times sparse times sparse on the device alone: A A by a kernel of the table.
 *
 *   cc -O2 bench/bench_spgemm.c -o build/bench_spgemm -ldl -lm
 *   build/bench_spgemm build/package/libgpumm_cuda.so FILE.csv [cases=random16,fem3] [kernel=]
 *                      [repeats=7] [types=d] [save=DIRECTORY]
 *
 * types    element types by BLAS letter: d, z or both; complex cases are called NAME_z
 * cases    only these cases of the table below
 * save     writes the operand of each case to the directory as CASE.start (int64), CASE.column
 *          (int32) and CASE.values (double), which peers_spgemm.py multiplies with cuSPARSE
 *
 * The time is the median of the three phases together: counting, offsets and multiplying. Operand
 * and result are on the device, in memory that is already allocated. 100 rows of each result are
 * compared with the definition.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench.h"

static gpumm_event *events[4];

enum { MOST_REPEATS = 64 };

static struct {
  const char *cases, *kernel, *types, *save;
  long repeats;
} options = {"", "spgemm", "d", NULL, 7};

static size_t parts = 1; /* doubles of an element */

/* ---- matrices ----------------------------------------------------------------------------- */

typedef struct {
  int64_t n, nnz;
  int64_t *start;
  int32_t *column;
  double *values;
} matrix;

static matrix take_matrix (int64_t n, int64_t nnz) {
  matrix x = {n, nnz, NULL, NULL, NULL};
  void *p[3];
  need (driver->pin (0, (size_t) (n + 1) * 8, &p[0]), "pin");
  need (driver->pin (0, (size_t) nnz * 4, &p[1]), "pin");
  need (driver->pin (0, (size_t) nnz * 8 * parts, &p[2]), "pin");
  x.start = p[0];
  x.column = p[1];
  x.values = p[2];
  x.start[0] = 0;
  return x;
}

static void give_matrix (matrix *x) {
  need (driver->unpin (0, x->start), "unpin");
  need (driver->unpin (0, x->column), "unpin");
  need (driver->unpin (0, x->values), "unpin");
}

static void draw_values (matrix *x) {
  x->nnz = x->start[x->n];
  for (int64_t q = 0; q < x->nnz * (int64_t) parts; q++)
    x->values[q] = check_uniform ();
}

/* Sorts a short row and removes duplicate columns. */
static int64_t sort_row (int32_t *column, int64_t count) {
  int64_t out = 0;
  for (int64_t q = 1; q < count; q++) {
    const int32_t x = column[q];
    int64_t p = q;
    for (; p > 0 && column[p - 1] > x; p--)
      column[p] = column[p - 1];
    column[p] = x;
  }
  for (int64_t q = 0; q < count; q++)
    if (q == 0 || column[q] != column[out - 1])
      column[out++] = column[q];
  return out;
}

/* A matrix with `each` random columns per row. */
static matrix make_random (int64_t n, int64_t each) {
  matrix x = take_matrix (n, n * each);
  for (int64_t i = 0; i < n; i++) {
    int32_t *row = x.column + x.start[i];
    for (int64_t q = 0; q < each; q++)
      row[q] = (int32_t) ((check_random () >> 11) % (uint64_t) n);
    x.start[i + 1] = x.start[i] + sort_row (row, each);
  }
  draw_values (&x);
  return x;
}

/* Linear elements on a cube of g x g x g points, with `unknowns` values per point. A point is
 * coupled with 27 points (bricks), 7 (finite differences) or 15: each small cube is cut along the
 * same diagonal into six tetrahedra, whose edges never go forward in one direction and back in
 * another (H. Freudenthal, Annals of Mathematics 43, 1942). */
static matrix make_grid (int64_t g, int64_t unknowns, int points) {
  const int64_t n = g * g * g * unknowns;
  matrix x = take_matrix (n, n * points * unknowns);
  for (int64_t i = 0; i < n; i++) {
    const int64_t point = i / unknowns, px = point % g, py = point / g % g, pz = point / g / g;
    int64_t at = x.start[i];
    for (int64_t qz = pz - 1; qz <= pz + 1; qz++)
      for (int64_t qy = py - 1; qy <= py + 1; qy++)
        for (int64_t qx = px - 1; qx <= px + 1; qx++) {
          const int ahead = (qx > px) + (qy > py) + (qz > pz),
                    behind = (qx < px) + (qy < py) + (qz < pz);
          if (qx < 0 || qx >= g || qy < 0 || qy >= g || qz < 0 || qz >= g
              || (points == 7 && ahead + behind > 1) || (points == 15 && ahead && behind))
            continue;
          for (int64_t u = 0; u < unknowns; u++)
            x.column[at++] = (int32_t) (((qz * g + qy) * g + qx) * unknowns + u);
        }
    x.start[i + 1] = at;
  }
  draw_values (&x);
  return x;
}

static int by_cell (const void *x, const void *y) {
  return (*(const uint64_t *) x > *(const uint64_t *) y)
         - (*(const uint64_t *) x < *(const uint64_t *) y);
}

/* R-MAT: each edge chooses a quarter of the matrix, then a quarter of this quarter, and so on, with
 * Graph500's probabilities 0.57, 0.19, 0.19, 0.05 (D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM
 * 2004). A few rows are very long. */
static matrix make_rmat (int scale, int64_t each) {
  const int64_t n = (int64_t) 1 << scale, edges = n * each;
  uint64_t *cell = malloc ((size_t) edges * sizeof *cell);
  matrix x = take_matrix (n, edges);
  for (int64_t e = 0; cell && e < edges; e++) {
    uint64_t i = 0, j = 0;
    for (int b = 0; b < scale; b++) {
      const double u = (double) (check_random () >> 11) * 0x1p-53;
      i = 2 * i + (u >= 0.76);
      j = 2 * j + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    cell[e] = i << 32 | j;
  }
  if (!cell)
    exit (1);
  qsort (cell, (size_t) edges, sizeof *cell, by_cell);
  int64_t at = 0, e = 0;
  for (int64_t i = 0; i < n; i++) {
    for (; e < edges && (int64_t) (cell[e] >> 32) == i; e++)
      if (e == 0 || cell[e] != cell[e - 1])
        x.column[at++] = (int32_t) cell[e];
    x.start[i + 1] = at;
  }
  free (cell);
  draw_values (&x);
  return x;
}

static const struct benchmark {
  const char *name;
  enum { RANDOM, GRID, RMAT } kind;
  int64_t size, each; /* rows or points along an edge or scale; elements of a row or unknowns */
  int points;
} benchmarks[] = {
    {"random16", RANDOM, 200000, 16, 0}, {"random8", RANDOM, 1000000, 8, 0},
    {"random40", RANDOM, 200000, 40, 0}, {"fem3_small", GRID, 30, 3, 27},
    {"fem3", GRID, 70, 3, 27},           {"fem1", GRID, 100, 1, 27},
    {"difference", GRID, 100, 1, 7},     {"rmat", RMAT, 18, 8, 0},
    {"full", RANDOM, 32768, 200, 0},     {"fem3_tets", GRID, 70, 3, 15},
};

/* ---- one product -------------------------------------------------------------------------- */

static void copy (void *to, const void *from, size_t bytes, int is_up) {
  if (bytes == 0)
    return;
  need (is_up ? driver->copy_up (0, stream, to, bytes, from, bytes, bytes, 1)
              : driver->copy_down (0, stream, to, bytes, from, bytes, bytes, 1),
        "copy");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
}

static void *take (size_t bytes) {
  void *p;
  need (driver->allocate (0, bytes ? bytes : 1, &p), "allocate");
  return p;
}

static gpumm_rows up (const matrix *x) {
  gpumm_rows r = {.rows = x->n, .cols = x->n, .block_rows = 1, .block_cols = 1};
  r.start = take ((size_t) (x->n + 1) * 8);
  r.column = take ((size_t) x->nnz * 4);
  r.values = take ((size_t) x->nnz * 8 * parts);
  copy (r.start, x->start, (size_t) (x->n + 1) * 8, 1);
  copy (r.column, x->column, (size_t) x->nnz * 4, 1);
  copy (r.values, x->values, (size_t) x->nnz * 8 * parts, 1);
  return r;
}

typedef struct {
  int32_t column;
  double re, im;
} term;

static int by_column (const void *x, const void *y) {
  const term *a = x, *b = y;
  return (a->column > b->column) - (a->column < b->column);
}

/* Does row i of C agree with the definition up to rounding? */
static int row_is_right (const matrix *x, const gpumm_rows *c, int64_t i) {
  int64_t *start, count = 0, found = 0;
  void *p[3];
  for (int64_t t = x->start[i]; t < x->start[i + 1]; t++)
    count += x->start[x->column[t] + 1] - x->start[x->column[t]];
  term *terms = malloc ((size_t) (count + 1) * sizeof *terms);
  if (!terms)
    exit (1);
  count = 0;
  for (int64_t t = x->start[i]; t < x->start[i + 1]; t++)
    for (int64_t u = x->start[x->column[t]]; u < x->start[x->column[t] + 1]; u++) {
      const double *a = x->values + t * (int64_t) parts, *b = x->values + u * (int64_t) parts;
      const double ai = parts == 2 ? a[1] : 0, bi = parts == 2 ? b[1] : 0;
      terms[count++] = (term){x->column[u], a[0] * b[0] - ai * bi, a[0] * bi + ai * b[0]};
    }
  qsort (terms, (size_t) count, sizeof *terms, by_column);
  need (driver->pin (0, 16, &p[0]), "pin");
  start = p[0];
  copy (start, c->start + i, 16, 0);
  const int64_t length = start[1] - start[0];
  need (driver->pin (0, (size_t) length * 4 + 1, &p[1]), "pin");
  need (driver->pin (0, (size_t) length * 8 * parts + 1, &p[2]), "pin");
  const int32_t *column = p[1];
  const double *values = p[2];
  copy (p[1], c->column + start[0], (size_t) length * 4, 0);
  copy (p[2], (const double *) c->values + start[0] * (int64_t) parts, (size_t) length * 8 * parts,
        0);
  int right = 1;
  for (int64_t q = 0, end; q < count && right; q = end, found++) {
    double re = 0, im = 0;
    for (end = q; end < count && terms[end].column == terms[q].column; end++) {
      re += terms[end].re;
      im += terms[end].im;
    }
    const double bound = (double) (end - q + 8) * DBL_EPSILON * (double) (end - q);
    right = found < length && column[found] == terms[q].column
            && fabs (values[found * (int64_t) parts] - re) <= bound
            && (parts == 1 || fabs (values[found * 2 + 1] - im) <= bound);
  }
  right = right && found == length;
  for (int v = 0; v < 3; v++)
    need (driver->unpin (0, p[v]), "unpin");
  free (terms);
  return right;
}

static void save (const char *name, const char *what, const void *p, size_t bytes) {
  char path[4096];
  snprintf (path, sizeof path, "%s/%s.%s", options.save, name, what);
  FILE *file = fopen (path, "wb");
  if (!file || fwrite (p, 1, bytes, file) != bytes || fclose (file))
    printf ("%s was not written\n", path);
}

static int measure (FILE *file, const struct benchmark *s, const gpumm_sparse_kernel *kernel,
                    gpumm_type type) {
  parts = type == GPUMM_Z ? 2 : 1;
  char name[64];
  snprintf (name, sizeof name, "%s%s", s->name, type == GPUMM_Z ? "_z" : "");
  matrix x = s->kind == RANDOM ? make_random (s->size, s->each)
             : s->kind == GRID ? make_grid (s->size, s->each, s->points)
                               : make_rmat ((int) s->size, s->each);
  gpumm_sparse_product p = {
      .type_a = type, .type_b = type, .type_c = type, .count = x.n, .alpha = {1, 0}};
  double products = 0, times[4][MOST_REPEATS];
  void *nnz;
  int wrong = 0;
  for (int64_t q = 0; q < x.nnz; q++)
    products += (double) (x.start[x.column[q] + 1] - x.start[x.column[q]]);
  if (options.save) {
    save (name, "start", x.start, (size_t) (x.n + 1) * 8);
    save (name, "column", x.column, (size_t) x.nnz * 4);
    save (name, "values", x.values, (size_t) x.nnz * 8 * parts);
  }
  p.a = p.b = p.c = up (&x);
  p.c.start = take ((size_t) (x.n + 1) * 8);
  p.c.column = NULL;
  p.c.values = NULL;
  p.zero = take (8);
  need (driver->fill (0, stream, p.zero, 0, 8), "fill");
  need (driver->pin (0, 8, &nnz), "pin");
  p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &device) : 0;
  p.workspace = take (p.workspace_bytes);
  for (int i = -1; i < options.repeats; i++) {
    need (driver->fill (0, stream, p.c.start, 0, 8), "fill");
    record (events[0]);
    need (kernel->symbolic (0, stream, &p), "symbolic");
    record (events[1]);
    need (kernel->offsets (0, stream, &p), "offsets");
    record (events[2]);
    if (i < 0) {
      copy (nnz, p.c.start + x.n, 8, 0);
      p.c.column = take ((size_t) * (int64_t *) nnz * 4);
      p.c.values = take ((size_t) * (int64_t *) nnz * 8 * parts);
      need (driver->fill (0, stream, p.c.values, 0xff, (size_t) * (int64_t *) nnz * 8 * parts),
            "fill");
    }
    need (kernel->launch (0, stream, &p), kernel->name);
    record (events[3]);
    for (int e = 0; e < 4; e++)
      times[e][i < 0 ? 0 : i] = seconds_between (events[e < 3 ? e : 0], events[e < 3 ? e + 1 : 3]);
  }
  for (int q = 0; q < 100 && !wrong; q++) {
    const int64_t i = q == 0 ? 0 : (int64_t) ((check_random () >> 11) % (uint64_t) x.n);
    if (!row_is_right (&x, &p.c, i)) {
      printf ("WRONG: %s, row %lld\n", name, (long long) i);
      wrong = 1;
    }
  }
  double ms[4];
  for (int e = 0; e < 4; e++)
    ms[e] = 1e3 * median (times[e], (int) options.repeats);
  const double operand = 8.0 * (double) (x.n + 1) + (4 + 8.0 * (double) parts) * (double) x.nnz,
               result = 8.0 * (double) (x.n + 1)
                        + (4 + 8.0 * (double) parts) * (double) *(int64_t *) nnz;
  char line[400];
  snprintf (line, sizeof line, "%s,%s,%lld,%lld,%.0f,%lld,%.4f,%.4f,%.4f,%.4f,%.2f,%.4f\n", name,
            kernel->name, (long long) x.n, (long long) x.nnz, products,
            (long long) *(int64_t *) nnz, ms[0], ms[1], ms[2], ms[3],
            1e-6 * operations_of (type) * products / ms[3],
            (operand + result + (double) p.workspace_bytes) / (operand + result));
  fputs (line, file);
  fputs (line, stdout);
  fflush (file);
  fflush (stdout);
  void *parts[] = {p.a.start,  p.a.column, p.a.values, p.c.start,
                   p.c.column, p.c.values, p.zero,     p.workspace};
  for (size_t q = 0; q < sizeof parts / sizeof *parts; q++)
    need (driver->release (0, parts[q]), "release");
  need (driver->unpin (0, nnz), "unpin");
  give_matrix (&x);
  return wrong;
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  const option known[] = {
      {.name = "cases", .text = &options.cases},       {.name = "kernel", .text = &options.kernel},
      {.name = "types", .text = &options.types},       {.name = "save", .text = &options.save},
      {.name = "repeats", .number = &options.repeats}, {.name = NULL}};
  int usage = count < 3, wrong = 0;
  for (int i = 3; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage || options.repeats < 1 || options.repeats > MOST_REPEATS) {
    printf (
        "usage: bench_spgemm LIBRARY FILE.csv [cases=] [kernel=] [repeats=] [types=] [save=]\n");
    return 2;
  }
  FILE *file;
  int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  for (int e = 0; e < 4; e++)
    events[e] = make_event ();
  const gpumm_sparse_kernel *kernel = NULL;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row && !kernel; row++)
    kernel = strcmp ((*row)->name, options.kernel) == 0 ? *row : NULL;
  if (!kernel || !kernel->offsets) {
    printf ("no kernel %s that makes offsets\n", options.kernel);
    return 2;
  }
  fprintf (file, "case,kernel,n,nnz,products,nnz_c,counting_ms,offsets_ms,multiplying_ms,ms,gflops,"
                 "memory_to_operands_and_result\n");
  for (const char *letter = options.types; *letter; letter++)
    for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; i++)
      if (listed (options.cases, benchmarks[i].name, 0))
        wrong += measure (file, &benchmarks[i], kernel, type_of (*letter));
  fclose (file);
  printf ("%d wrong\n", wrong);
  return wrong > 0;
}
