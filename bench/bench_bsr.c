/* bench_bsr.c - times kernels for floating-point blocks, and for a sparse matrix times a dense
 * matrix, on the device alone.
 *
 *   cc -O2 bench/bench_bsr.c -o build/bench_bsr -ldl -lm
 *   build/bench_bsr build/package/libgpumm_cuda.so FILE.csv [only=bsr,spmm] [types=d]
 *                   [blocks=4,9,64] [patterns=random] [room=16] [runs=3] [rows=100000]
 *
 * bsr: A*A for a matrix with `rows` block rows, of each of the patterns:
 *   random            40 random blocks per block row; nearly every product has a block of C of its own
 *   near4, near16     40 (80, of which 48 differ) near the diagonal: about 4 (16) products for a block of C
 *   band10, band40    10 (40) blocks side by side: about 5 (20)
 *   mesh              27: a cell of a cube and its neighbours, as in finite elements: about 6
 *   cached            as random, but A has about 40 MB and stays in the cache, as in other
 *                     benchmarks of such kernels
 * The kernel makes the first rows of C, as many as fit into `room` GB. The symbolic phase, which
 * counts the blocks of C, is timed separately. If A is larger than `room`, it has fewer rows.
 *
 * spmm: random matrices with a fixed number of nonzeros (blocks) per row, times a dense matrix, and
 * a dense matrix times them.
 *
 * A random column of block q of row i is splitmix64 (i per_row + q) modulo the number of columns,
 * without duplicates (bench_bsr.py makes the same matrices for its peers); near the diagonal, modulo
 * the columns that are near. Elements are random in
 * (-0.5, 0.5). Some elements of the result are compared with sums on the host before the kernel is
 * timed; the median of the runs is printed. useful: 2 (complex 8) operations for each multiply-add
 * of elements of stored blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench.h"

static gpumm_event *begin, *end;
static FILE *file;
static int wrong;

enum { MOST_RUNS = 64 };

static struct {
  const char *only, *types, *blocks, *patterns;
  double room;
  long runs, rows;
} options = {"bsr,spmm", "d", "", "random,cached", 16, 3, 100000};

/* ---- data --------------------------------------------------------------------------------- */

static uint64_t splitmix64 (uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* A piece of random elements. Each operand consists of copies of the piece: element e of an operand
 * is element e modulo PIECE of the piece. */
enum { PIECE = 1 << 21 };
static void *piece;

static void make_piece (gpumm_type type) {
  const int64_t parts = is_complex (type) ? 2 : 1;
  for (int64_t i = 0; i < parts * PIECE; i++)
    put (type, piece, i / parts, (int) (i % parts),
         (double) (splitmix64 ((uint64_t) i) >> 11) * 0x1p-53 - 0.5);
}

static double part_of (gpumm_type type, int64_t e, int part) {
  return get (type, piece, e % PIECE, part);
}

static void *take (int64_t elements, size_t size) {
  void *p;
  need (driver->allocate (0, (size_t) elements * size, &p), "allocate");
  return p;
}

static void fill (gpumm_type type, void *p, int64_t elements) {
  size_t bytes = (size_t) elements * sizes[type], all = PIECE * sizes[type];
  for (size_t at = 0; at < bytes; at += all) {
    size_t now = bytes - at < all ? bytes - at : all;
    need (driver->copy_up (0, stream, (char *) p + at, now, piece, now, now, 1), "copy_up");
  }
}

static void up (void *to, const void *from, size_t bytes) {
  void *pinned;
  need (driver->pin (0, bytes, &pinned), "pin");
  memcpy (pinned, from, bytes);
  need (driver->copy_up (0, stream, to, bytes, pinned, bytes, bytes, 1), "copy_up");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  need (driver->unpin (0, pinned), "unpin");
}

static void down (void *to, const void *from, size_t bytes) {
  void *pinned;
  need (driver->pin (0, bytes, &pinned), "pin");
  need (driver->copy_down (0, stream, pinned, bytes, from, bytes, bytes, 1), "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  memcpy (to, pinned, bytes);
  need (driver->unpin (0, pinned), "unpin");
}

struct matrix {
  gpumm_rows host, device; /* values only on the device */
};

static int by_column (const void *x, const void *y) {
  return *(const int32_t *) x < *(const int32_t *) y ? -1 : 1;
}

/* Where the blocks of a row are. */
struct pattern {
  const char *name;
  int64_t per_row, near; /* near: how many columns about the diagonal they are among; 0: all */
  int mesh;              /* neighbours in a cube */
};

enum { PER_ROW = 40 };

/* near: m blocks of a row, which is how many differ, make about m^2 / (2 near) products for a block of C. */
static const struct pattern patterns[] = {
    {"random", PER_ROW, 0, 0}, {"near4", PER_ROW, 190, 0}, {"near16", 80, 70, 0},
    {"band10", 10, 10, 0},     {"band40", 40, 40, 0},      {"mesh", 27, 0, 1},
    {"cached", PER_ROW, 0, 0},
};

/* The column of block q of row i, or -1 outside. */
static int64_t column_of (const struct pattern *pattern, int64_t i, int64_t q, int64_t cols) {
  const uint64_t number = splitmix64 ((uint64_t) (i * pattern->per_row + q));
  if (pattern->mesh) {
    const int64_t side = (int64_t) cbrt ((double) cols) + 1;
    const int64_t x = i % side + q % 3 - 1, y = i / side % side + q / 3 % 3 - 1,
                  z = i / side / side + q / 9 - 1, j = x + side * (y + side * z);
    return x < 0 || x >= side || y < 0 || y >= side || z < 0 || j >= cols ? -1 : j;
  }
  if (pattern->near == 0)
    return (int64_t) (number % (uint64_t) cols);
  const int64_t step =
      pattern->near == pattern->per_row ? q : (int64_t) (number % (uint64_t) pattern->near);
  const int64_t j = i - pattern->near / 2 + step;
  return j < cols ? j : -1;
}

static struct matrix make_matrix (gpumm_type type, int64_t rows, int64_t cols,
                                  const struct pattern *pattern, int64_t block_rows,
                                  int64_t block_cols) {
  const int64_t per_row = pattern->per_row;
  struct matrix x = {
      .host = {.rows = rows, .cols = cols, .block_rows = block_rows, .block_cols = block_cols}};
  int64_t *start = malloc ((size_t) (rows + 1) * sizeof *start), count = 0;
  int32_t *column = malloc ((size_t) (rows * per_row) * sizeof *column);
  for (int64_t i = 0; i < rows; i++) {
    int32_t *row = column + count;
    start[i] = count;
    int64_t inside = 0;
    for (int64_t q = 0; q < per_row; q++) {
      const int64_t j = column_of (pattern, i, q, cols);
      if (j >= 0)
        row[inside++] = (int32_t) j;
    }
    qsort (row, (size_t) inside, sizeof *row, by_column);
    int64_t kept = 0;
    for (int64_t q = 0; q < inside; q++)
      if (kept == 0 || row[q] != row[kept - 1])
        row[kept++] = row[q];
    count += kept;
  }
  start[rows] = count;
  x.host.start = start;
  x.host.column = column;
  x.host.stored = count;
  x.device = x.host;
  x.device.start = take (rows + 1, sizeof *start);
  x.device.column = take (count, sizeof *column);
  x.device.values = take (count * block_rows * block_cols, sizes[type]);
  up (x.device.start, start, (size_t) (rows + 1) * sizeof *start);
  up (x.device.column, column, (size_t) count * sizeof *column);
  fill (type, x.device.values, count * block_rows * block_cols);
  return x;
}

static void drop_matrix (struct matrix *x) {
  need (driver->release (0, x->device.start), "release");
  need (driver->release (0, x->device.column), "release");
  need (driver->release (0, x->device.values), "release");
  free (x->host.start);
  free (x->host.column);
}

/* ---- time --------------------------------------------------------------------------------- */

typedef gpumm_status step (int device, gpumm_stream *stream, const gpumm_sparse_product *p);

static double seconds (step *make, const gpumm_sparse_product *p, const char *name) {
  double times[MOST_RUNS];
  for (int i = 0; i < options.runs; i++) {
    record (begin);
    need (make (0, stream, p), name);
    record (end);
    times[i] = seconds_between (begin, end);
  }
  return median (times, (int) options.runs);
}

static const gpumm_sparse_kernel *next_row (const char *algorithm, const gpumm_sparse_product *p,
                                            const gpumm_sparse_kernel *last) {
  int past = last == NULL;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    if (past && strcmp ((*row)->algorithm, algorithm) == 0
        && (*row)->capability <= device.capability && (!(*row)->runs || (*row)->runs (p, &device)))
      return *row;
    past = past || *row == last;
  }
  return NULL;
}

/* Adds the product of elements number a and b to *sum, and its absolute value to *size. */
static void add_product (gpumm_type type, int64_t a, int64_t b, double *sum, double *size) {
  double ar = part_of (type, a, 0), ai = part_of (type, a, 1);
  double br = part_of (type, b, 0), bi = part_of (type, b, 1);
  sum[0] += ar * br - ai * bi;
  sum[1] += ar * bi + ai * br;
  *size += hypot (ar, ai) * hypot (br, bi);
}

/* Is x, an element of C, equal to the sum up to rounding? */
static int agrees (gpumm_type type, const void *x, const double *sum, double size) {
  return hypot (get (type, x, 0, 0) - sum[0], get (type, x, 0, 1) - sum[1])
         <= 100 * epsilons[type] * size;
}

/* ---- blocks by blocks --------------------------------------------------------------------- */

enum { SAMPLES = 20 };

/* Checks one element of some blocks of C. */
static int check_blocks (gpumm_type type, int64_t b, const struct matrix *a,
                         const gpumm_sparse_product *p, const int64_t *start) {
  for (int s = 0; s < SAMPLES; s++) {
    int64_t i = (int64_t) (splitmix64 ((uint64_t) s) % (uint64_t) p->count);
    int64_t length = start[i + 1] - start[i];
    if (length == 0)
      continue;
    int64_t x = start[i] + (int64_t) (splitmix64 ((uint64_t) s + 999) % (uint64_t) length);
    int64_t e = (int64_t) (splitmix64 ((uint64_t) s + 99) % (uint64_t) (b * b)), r = e % b,
            c = e / b;
    int32_t j;
    char value[16];
    down (&j, p->c.column + x, sizeof j);
    down (value, (char *) p->c.values + (size_t) (x * b * b + e) * sizes[type], sizes[type]);
    double sum[2] = {0, 0}, size = 0;
    for (int64_t y = a->host.start[i]; y < a->host.start[i + 1]; y++)
      for (int64_t z = a->host.start[a->host.column[y]]; z < a->host.start[a->host.column[y] + 1];
           z++)
        for (int64_t l = 0; a->host.column[z] == j && l < b; l++)
          add_product (type, y * b * b + r + l * b, z * b * b + l + c * b, sum, &size);
    if (size == 0 || !agrees (type, value, sum, size))
      return 0;
  }
  return 1;
}

/* An upper bound of the expected blocks in a row of C. */
static double row_of_c (const struct pattern *pattern, double n) {
  const double products = (double) (pattern->per_row * pattern->per_row);
  if (pattern->mesh)
    return 125;
  if (pattern->near > 0)
    return 2 * (double) pattern->near - 1;
  return n * (1 - exp (-products / n)); /* products at random columns */
}

static void measure_blocks (gpumm_type type, int64_t b, const struct pattern *pattern) {
  const int64_t per_row = pattern->per_row;
  double block = (double) (b * b) * (double) sizes[type], room = 1e9 * options.room;
  double most = (strcmp (pattern->name, "cached") == 0 ? 4e7 : room) / ((double) per_row * block);
  int64_t n = most < (double) options.rows ? (int64_t) most : options.rows;
  n = n < 200 ? 200 : n;
  struct matrix a = make_matrix (type, n, n, pattern, b, b);
  int64_t count = (int64_t) (room / (row_of_c (pattern, (double) n) * block));
  count = count < n ? count : n;
  double pairs = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t y = a.host.start[i]; y < a.host.start[i + 1]; y++)
      pairs += (double) (a.host.start[a.host.column[y] + 1] - a.host.start[a.host.column[y]]);
  double flops = pairs * operations_of (type) * (double) (b * b * b);
  gpumm_sparse_product p = {.type_a = type,
                            .type_b = type,
                            .type_c = type,
                            .a = a.device,
                            .b = a.device,
                            .c = {.rows = n, .cols = n, .block_rows = b, .block_cols = b},
                            .count = count,
                            .alpha = {1, 0}};
  int64_t *start = calloc ((size_t) n + 1, sizeof *start);
  p.c.start = take (n + 1, sizeof *start);
  const gpumm_sparse_kernel *row = next_row ("bsr", &p, NULL);
  up (p.c.start, start, ((size_t) n + 1) * sizeof *start);
  need (row->symbolic (0, stream, &p), "symbolic");
  double symbolic = seconds (row->symbolic, &p, "symbolic");
  down (start, p.c.start, ((size_t) n + 1) * sizeof *start);
  for (int64_t i = 0; i < count; i++)
    start[i + 1] += start[i];
  up (p.c.start, start, ((size_t) n + 1) * sizeof *start);
  p.c.stored = start[count];
  p.c.column = take (p.c.stored, sizeof (int32_t));
  size_t bytes = (size_t) (p.c.stored * b * b) * sizes[type];
  p.c.values = take (p.c.stored * b * b, sizes[type]);
  for (; row; row = next_row ("bsr", &p, row)) {
    p.workspace_bytes = row->workspace ? row->workspace (&p, &device) : 0;
    p.workspace = take ((int64_t) p.workspace_bytes + 1, 1);
    need (driver->fill (0, stream, p.c.values, 0xff, bytes), "fill");
    need (row->launch (0, stream, &p), row->name);
    const int ok = check_blocks (type, b, &a, &p, start);
    const double taken = ok ? seconds (row->launch, &p, row->name) : 0;
    need (driver->release (0, p.workspace), "release");
    if (!ok) {
      printf ("WRONG: %s %c %lld\n", row->name, "sdcz"[type], (long long) b);
      wrong++;
      continue;
    }
    fprintf (file, "bsr,%s,%c,%lld,%lld,%lld,%lld,%.0f,%lld,%.4f,%.4f,%.1f,%.1f,%s\n", row->name,
             "sdcz"[type], (long long) b, (long long) n, (long long) count, (long long) per_row,
             pairs, (long long) p.c.stored, 1e3 * symbolic, 1e3 * taken, 1e-9 * flops / taken,
             1e-9 * ((double) bytes + pairs * block) / taken, pattern->name);
    fflush (file);
  }
  need (driver->release (0, p.c.start), "release");
  need (driver->release (0, p.c.column), "release");
  need (driver->release (0, p.c.values), "release");
  free (start);
  drop_matrix (&a);
}

/* ---- with a dense matrix ------------------------------------------------------------------ */

/* left: S x dense, otherwise dense x S. S is stored by compressed rows or by compressed columns. */
static void measure_dense (gpumm_type type, int64_t n, int64_t b, int64_t per_row, int64_t columns,
                           int left, int by_columns) {
  int64_t blocks = n / b, rows = blocks * b;
  struct matrix s = make_matrix (type, blocks, blocks, &(struct pattern){.per_row = per_row}, b, b);
  void *x = take (rows * columns, sizes[type]), *y = take (rows * columns, sizes[type]);
  fill (type, x, rows * columns);
  gpumm_rows dense = {.rows = left ? rows : columns,
                      .cols = left ? columns : rows,
                      .block_rows = 1,
                      .block_cols = 1,
                      .values = x,
                      .ld = left ? rows : columns};
  gpumm_rows c = dense;
  c.values = y;
  gpumm_sparse_product p = {.type_a = type,
                            .type_b = type,
                            .type_c = type,
                            .op_a = left && by_columns ? GPUMM_TRANSPOSE : GPUMM_NONE,
                            .op_b = !left && by_columns ? GPUMM_TRANSPOSE : GPUMM_NONE,
                            .a = left ? s.device : dense,
                            .b = left ? dense : s.device,
                            .c = c,
                            .count = left ? blocks : columns,
                            .alpha = {1, 0}};
  const gpumm_sparse_kernel *row = next_row ("spmm", &p, NULL);
  p.workspace_bytes = row->workspace (&p, &device);
  p.workspace = take ((int64_t) p.workspace_bytes, 1);
  need (driver->fill (0, stream, y, 0xff, (size_t) (rows * columns) * sizes[type]), "fill");
  need (row->launch (0, stream, &p), row->name);
  int ok = 1;
  for (int t = 0; t < SAMPLES && ok; t++) {
    int64_t i = (int64_t) (splitmix64 ((uint64_t) t) % (uint64_t) rows);
    int64_t j = (int64_t) (splitmix64 ((uint64_t) t + 99) % (uint64_t) columns);
    char value[16];
    double sum[2] = {0, 0}, size = 0;
    down (value, (char *) y + (size_t) (left ? i + j * rows : j + i * columns) * sizes[type],
          sizes[type]);
    /* row i of op (S), or column i: is it a stored row, or across the stored rows? */
    int along = left != by_columns;
    for (int64_t u = along ? i / b : 0; u < (along ? i / b + 1 : blocks); u++)
      for (int64_t q = s.host.start[u]; q < s.host.start[u + 1]; q++)
        for (int64_t l = 0; (along || s.host.column[q] == i / b) && l < b; l++) {
          int64_t at = q * b * b + (along ? i % b + l * b : l + i % b * b);
          int64_t k = (along ? s.host.column[q] : u) * b + l;
          add_product (type, at, left ? k + j * rows : j + k * columns, sum, &size);
        }
    ok = agrees (type, value, sum, size);
  }
  if (!ok) {
    printf ("WRONG: %s %c n=%lld b=%lld %lld columns, left %d, by columns %d\n", row->name,
            "sdcz"[type], (long long) n, (long long) b, (long long) columns, left, by_columns);
    wrong++;
  } else {
    double taken = seconds (row->launch, &p, row->name);
    double flops = (double) (s.host.stored * b * b * columns) * operations_of (type);
    fprintf (file, "spmm,%s %s,%c,%lld,%lld,%lld,%lld,%lld,,,%.4f,%.1f,,random\n", row->name,
             left         ? by_columns ? "columns x dense" : "rows x dense"
             : by_columns ? "dense x columns"
                          : "dense x rows",
             "sdcz"[type], (long long) b, (long long) blocks, (long long) columns,
             (long long) per_row, (long long) s.host.stored, 1e3 * taken, 1e-9 * flops / taken);
    fflush (file);
  }
  need (driver->release (0, p.workspace), "release");
  need (driver->release (0, x), "release");
  need (driver->release (0, y), "release");
  drop_matrix (&s);
}

/* ---- main --------------------------------------------------------------------------------- */

static int chosen (int64_t b) {
  char name[30];
  snprintf (name, sizeof name, "%lld", (long long) b);
  return listed (options.blocks, name, 0);
}

int main (int count, char **arguments) {
  static const int64_t widths[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 16, 20,
                                   23, 24, 25, 31, 32, 33, 40, 45, 48, 49, 56, 63, 64};
  const option known[] = {
      {.name = "only", .text = &options.only},     {.name = "types", .text = &options.types},
      {.name = "blocks", .text = &options.blocks}, {.name = "patterns", .text = &options.patterns},
      {.name = "room", .real = &options.room},     {.name = "runs", .number = &options.runs},
      {.name = "rows", .number = &options.rows},   {.name = NULL}};
  int usage = count < 3;
  for (int i = 3; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage || options.runs < 1 || options.runs > MOST_RUNS || options.rows < 1
      || !(options.room > 0)) {
    printf ("usage: bench_bsr LIBRARY FILE.csv [only=] [types=] [blocks=] [patterns=] [room=] "
            "[runs=] [rows=]\n");
    return 2;
  }
  int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  begin = make_event ();
  end = make_event ();
  need (driver->pin (0, PIECE * 16, &piece), "pin");
  fprintf (file,
           "family,kernel,type,b,block_rows,rows_or_columns,per_row,pairs_or_blocks,blocks_of_c,"
           "symbolic_ms,ms,gflops,gb_s,pattern\n");
  for (const char *t = options.types; *t; t++) {
    gpumm_type type = type_of (*t);
    make_piece (type);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
      for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
        if (strstr (options.only, "bsr") && chosen (widths[i])
            && listed (options.patterns, patterns[k].name, 0))
          measure_blocks (type, widths[i], &patterns[k]);
    for (int columns = 256; columns >= 64 && strstr (options.only, "spmm"); columns /= 4)
      for (int form = 0; form < 4; form++) {
        if (chosen (1))
          measure_dense (type, 200000, 1, 16, columns, form < 2, form % 2);
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
          if (chosen (widths[i]) && columns == 256)
            measure_dense (type, 200000, widths[i], 16, columns, form < 2, form % 2);
      }
  }
  fclose (file);
  printf ("%d wrong\n", wrong);
  return wrong > 0;
}
