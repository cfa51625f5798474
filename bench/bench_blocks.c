/* bench_blocks.c - times each kernel for blocks of uint16, on the device alone.
 *
 *   cc -O2 bench/bench_blocks.c -o build/bench_blocks -ldl -lm -lpthread
 *   build/bench_blocks build/package/libgpumm_cuda.so FILE.csv N,M,COUNT[,HIGH] ...
 *                      [kernels=classic,blocks_strips] [repeats=3] [most=10]
 *                      [engine=build/package/libgpumm.so]
 *
 * N,M,COUNT   A and B are N x N with COUNT random blocks of M x M each, and equally many blocks in
 *             each row; elements are uniform in 0 .. HIGH (65535)
 * kernels=    only the kernels with these names; otherwise all kernels that can run the case
 * most=       seconds: a kernel is left out if it would take longer, estimated from its last case
 *             and the number of products of blocks
 * engine=     also times the engine, from host blocks to host blocks: the row "engine"
 *
 * Each kernel counts the blocks of C, then computes them. Both times are by the device's events, of
 * the fastest repeat. (For the engine: the upload, the sum of the launches, and the whole call.)
 * 2000 random blocks of C are compared with the definition. A sum over the bytes of C is compared
 * with the sum of the first kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

static gpumm_event *event[3];

static struct {
  const char *kernels, *engine;
  long repeats;
  double most;
} options = {"", NULL, 3, 10};

/* ---- data --------------------------------------------------------------------------------- */

typedef struct {
  int64_t rows, m, stored; /* rows: of blocks, and also the columns of blocks */
  uint32_t high;
  uint64_t seed;
  int64_t *start;
  int32_t *column;
  uint16_t *values;
  gpumm_rows on;
} matrix;

static uint64_t draw (uint64_t *state) { /* splitmix64: S. Vigna, 2015, public domain */
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

enum { THREADS = 16 };

typedef struct {
  matrix *x;
  int64_t begin, end;
} part;

/* Fills rows begin .. end - 1. Each row has its own seed; selection sampling draws the columns. */
static void *fill_rows (void *context) {
  const part *p = context;
  matrix *x = p->x;
  const int64_t elements = x->m * x->m;
  for (int64_t i = p->begin; i < p->end; i++) {
    uint64_t state = x->seed + (uint64_t) i * 0x632be59bd9b4e019u;
    int64_t t = x->start[i];
    for (int64_t j = 0; t < x->start[i + 1]; j++)
      if ((int64_t) (draw (&state) % (uint64_t) (x->rows - j)) < x->start[i + 1] - t)
        x->column[t++] = (int32_t) j;
    for (int64_t e = x->start[i] * elements; e < x->start[i + 1] * elements; e += 4) {
      const uint64_t z = draw (&state);
      for (int q = 0; q < 4; q++)
        x->values[e + q] = (uint16_t) ((z >> 16 * q & 0xffff) * (x->high + 1) >> 16);
    }
  }
  return NULL;
}

static void *take (size_t bytes) {
  void *p;
  need (driver->pin (0, bytes, &p), "pin");
  return p;
}

static void *up (const void *from, size_t bytes) {
  void *p;
  need (driver->allocate (0, bytes, &p), "allocate");
  need (driver->copy_up (0, stream, p, bytes, from, bytes, bytes, 1), "copy_up");
  return p;
}

static matrix make_matrix (int64_t n, int64_t m, int64_t count, uint32_t high, uint64_t seed) {
  matrix x = {.rows = n / m, .m = m, .stored = count, .high = high, .seed = seed};
  const size_t bytes = (size_t) (count * m * m) * sizeof (uint16_t);
  pthread_t threads[THREADS];
  part parts[THREADS];
  x.start = take ((size_t) (x.rows + 1) * sizeof *x.start);
  x.column = take ((size_t) count * sizeof *x.column);
  x.values = take (bytes);
  for (int64_t i = 0; i <= x.rows; i++)
    x.start[i] = (int64_t) ((__int128) count * i / x.rows);
  for (int t = 0; t < THREADS; t++) {
    parts[t] = (part){&x, x.rows * t / THREADS, x.rows * (t + 1) / THREADS};
    if (pthread_create (&threads[t], NULL, fill_rows, &parts[t]))
      exit (1);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join (threads[t], NULL);
  x.on = (gpumm_rows){.rows = x.rows,
                      .cols = x.rows,
                      .block_rows = m,
                      .block_cols = m,
                      .start = up (x.start, (size_t) (x.rows + 1) * sizeof *x.start),
                      .column = up (x.column, (size_t) count * sizeof *x.column),
                      .values = up (x.values, bytes),
                      .stored = count};
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  return x;
}

static void drop_matrix (matrix *x) {
  need (driver->unpin (0, x->start), "unpin");
  need (driver->unpin (0, x->column), "unpin");
  need (driver->unpin (0, x->values), "unpin");
  need (driver->release (0, x->on.start), "release");
  need (driver->release (0, x->on.column), "release");
  need (driver->release (0, x->on.values), "release");
}

static double count_pairs (const matrix *a, const matrix *b) {
  double pairs = 0;
  for (int64_t t = 0; t < a->stored; t++)
    pairs += (double) (b->start[a->column[t] + 1] - b->start[a->column[t]]);
  return pairs;
}

/* ---- checks ------------------------------------------------------------------------------- */

/* The index of the block in row i, column j, or -1. */
static int64_t find (const int64_t *start, const int32_t *column, int64_t i, int64_t j) {
  int64_t begin = start[i], end = start[i + 1];
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (column[middle] < j)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < start[i + 1] && column[begin] == j ? begin : -1;
}

/* Of 2000 random blocks, the number that differ from the definition. */
static int count_wrong (const matrix *a, const matrix *b, const int64_t *start,
                        const int32_t *column, const uint32_t *values) {
  uint64_t state = 1;
  const int64_t m = a->m;
  int wrong = 0;
  for (int sample = 0; sample < 2000; sample++) {
    const int64_t i = (int64_t) (draw (&state) % (uint64_t) a->rows);
    const int64_t j = (int64_t) (draw (&state) % (uint64_t) b->rows);
    const int64_t at = find (start, column, i, j);
    uint64_t sums[64] = {0};
    int met = 0;
    for (int64_t t = a->start[i]; t < a->start[i + 1]; t++) {
      const int64_t u = find (b->start, b->column, a->column[t], j);
      met = met || u >= 0;
      for (int64_t e = 0; u >= 0 && e < m * m; e++)
        for (int64_t p = 0; p < m; p++)
          sums[e] += (uint64_t) a->values[t * m * m + e % m + p * m]
                     * (uint64_t) b->values[u * m * m + p + e / m * m];
    }
    int right = met == (at >= 0);
    for (int64_t e = 0; right && met && e < m * m; e++)
      right = values[at * m * m + e] == (sums[e] < UINT32_MAX ? sums[e] : UINT32_MAX);
    wrong += !right;
  }
  return wrong;
}

static uint64_t sum_of (const void *p, size_t bytes) {
  const uint64_t *x = p;
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes / 8; i++)
    sum = (sum ^ x[i]) * 0x9e3779b97f4a7c15u;
  return sum;
}

/* ---- a kernel ----------------------------------------------------------------------------- */

static uint64_t first_sum;
static int have_sum;

static int measure (FILE *file, const gpumm_sparse_kernel *kernel, const matrix *a, const matrix *b,
                    double pairs, double *rate) {
  char note[GPUMM_NOTE_BYTES] = "";
  const int64_t rows = a->rows, m = a->m;
  int64_t *start = take ((size_t) (rows + 1) * sizeof *start);
  gpumm_sparse_product p = {.type_a = GPUMM_U16,
                            .type_b = GPUMM_U16,
                            .type_c = GPUMM_U32,
                            .a = a->on,
                            .b = b->on,
                            .c = {.rows = rows, .cols = rows, .block_rows = m, .block_cols = m},
                            .count = rows,
                            .alpha = {1, 0},
                            .note = note};
  memset (start, 0, (size_t) (rows + 1) * sizeof *start);
  p.c.start = up (start, (size_t) (rows + 1) * sizeof *start);
  p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &device) : 0;
  need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
  need (driver->allocate (0, sizeof (int32_t), (void **) &p.zero), "allocate");
  need (driver->fill (0, stream, p.zero, 0, sizeof (int32_t)), "fill");
  double best[2] = {1e9, 1e9};
  int64_t blocks = 0;
  for (int repeat = 0; repeat < options.repeats; repeat++) {
    record (event[0]);
    need (kernel->symbolic (0, stream, &p), kernel->name);
    record (event[1]);
    const double seconds = seconds_between (event[0], event[1]);
    best[0] = seconds < best[0] ? seconds : best[0];
  }
  const size_t bytes = (size_t) (rows + 1) * sizeof *start;
  need (driver->copy_down (0, stream, start, bytes, p.c.start, bytes, bytes, 1), "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  start[0] = 0;
  for (int64_t i = 0; i < rows; i++)
    start[i + 1] += start[i];
  blocks = start[rows];
  need (driver->copy_up (0, stream, p.c.start, bytes, start, bytes, bytes, 1), "copy_up");
  const size_t of_columns = (size_t) blocks * sizeof (int32_t);
  const size_t of_values = (size_t) (blocks * m * m) * sizeof (uint32_t);
  need (driver->allocate (0, of_columns, (void **) &p.c.column), "allocate");
  need (driver->allocate (0, of_values, &p.c.values), "allocate");
  need (driver->fill (0, stream, p.c.values, 0x5a, of_values), "fill");
  p.c.stored = blocks;
  for (int repeat = 0; repeat < options.repeats; repeat++) {
    record (event[1]);
    need (kernel->launch (0, stream, &p), kernel->name);
    record (event[2]);
    const double seconds = seconds_between (event[1], event[2]);
    best[1] = seconds < best[1] ? seconds : best[1];
    if (seconds > 1)
      break;
  }
  int32_t *column = take (of_columns);
  uint32_t *values = take (of_values);
  need (driver->copy_down (0, stream, column, of_columns, p.c.column, of_columns, of_columns, 1),
        "copy_down");
  need (driver->copy_down (0, stream, values, of_values, p.c.values, of_values, of_values, 1),
        "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  const int wrong = count_wrong (a, b, start, column, values);
  const uint64_t sum = sum_of (values, of_values) ^ sum_of (column, of_columns);
  const int differs = have_sum && sum != first_sum;
  first_sum = sum;
  have_sum = 1;
  *rate = (best[0] + best[1]) / (pairs + 1);
  const double seconds_both = best[0] + best[1], operations = 2 * (double) (m * m * m) * pairs;
  fprintf (file, "%lld,%lld,%lld,%u,%.6g,%lld,%s,%s,%.4f,%.4f,%.4f,%.4g,%d\n",
           (long long) (rows * m), (long long) m, (long long) a->stored, a->high, pairs,
           (long long) blocks, kernel->name, note, 1e3 * best[0], 1e3 * best[1], 1e3 * seconds_both,
           1e-9 * operations / seconds_both, wrong || differs);
  fflush (file);
  printf ("%-15s n %lld, m %lld, %lld blocks: %.3f + %.3f ms %s%s\n", kernel->name,
          (long long) (rows * m), (long long) m, (long long) a->stored, 1e3 * best[0],
          1e3 * best[1], note,
          wrong     ? " WRONG"
          : differs ? " DIFFERS"
                    : "");
  fflush (stdout);
  need (driver->unpin (0, start), "unpin");
  need (driver->unpin (0, column), "unpin");
  need (driver->unpin (0, values), "unpin");
  need (driver->release (0, p.c.start), "release");
  need (driver->release (0, p.c.column), "release");
  need (driver->release (0, p.c.values), "release");
  need (driver->release (0, p.workspace), "release");
  need (driver->release (0, p.zero), "release");
  return wrong || differs;
}

/* ---- the engine --------------------------------------------------------------------------- */

static struct {
  gpumm_status (*open) (const gpumm_problem *problem, const gpumm_options *options,
                        gpumm_job **job);
  gpumm_status (*result) (const gpumm_job *job, gpumm_matrix *shape);
  gpumm_status (*run) (gpumm_job *job, gpumm_matrix *result);
  const gpumm_report *(*report) (const gpumm_job *job);
  void (*close) (gpumm_job *job);
  const char *(*last_error) (void);
} engine;

static void find_engine_function (void *library, const char *name, void *function) {
  if (!find_function (library, name, function)) {
    printf ("%s\n", dlerror ());
    exit (1);
  }
}

static void open_engine (const char *name) {
  void *library = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf ("%s\n", dlerror ());
    exit (1);
  }
  find_engine_function (library, "gpumm_open", &engine.open);
  find_engine_function (library, "gpumm_result", &engine.result);
  find_engine_function (library, "gpumm_run", &engine.run);
  find_engine_function (library, "gpumm_job_report", &engine.report);
  find_engine_function (library, "gpumm_close", &engine.close);
  find_engine_function (library, "gpumm_last_error", &engine.last_error);
}

/* Untouched pages, of 2 MB if the system grants them, as in gpumm-blocks. */
static void *take_pages (size_t bytes) {
  const size_t page = (size_t) 2 << 20;
  void *p = NULL;
  if (posix_memalign (&p, page, bytes + page))
    exit (1);
  (void) madvise (p, bytes, MADV_HUGEPAGE);
  return p;
}

static gpumm_matrix copy_to_host (const matrix *x) {
  const size_t columns = (size_t) x->stored * sizeof *x->column;
  const size_t values = (size_t) (x->stored * x->m * x->m) * sizeof *x->values;
  gpumm_matrix y = {.format = GPUMM_BLOCKS,
                    .type = GPUMM_U16,
                    .rows = x->rows * x->m,
                    .cols = x->rows * x->m,
                    .block_rows = x->m,
                    .block_cols = x->m,
                    .nzmax = x->stored,
                    .start = x->start};
  y.block_column = take_pages (columns);
  y.values = take_pages (values);
  memcpy (y.block_column, x->column, columns);
  memcpy (y.values, x->values, values);
  return y;
}

static double now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void need_engine (gpumm_status status) {
  if (status) {
    printf ("engine: %s\n", engine.last_error ());
    exit (1);
  }
}

/* Times gpumm_open to the end of gpumm_run. Each repeat takes new memory for the result. */
static int measure_engine (FILE *file, const matrix *a, const matrix *b, double pairs) {
  const gpumm_problem problem = {
      .a = copy_to_host (a), .b = copy_to_host (b), .alpha = {1, 0}, .output = GPUMM_U32};
  const gpumm_options with = {.backend = GPUMM_GPU, .device = -1};
  int wrong = 0;
  gpumm_report best = {.total = 1e9};
  int64_t blocks = 0;
  for (int repeat = 0; repeat <= options.repeats; repeat++) { /* the first is not measured */
    gpumm_job *job = NULL;
    gpumm_matrix c;
    const double begun = now ();
    need_engine (engine.open (&problem, &with, &job));
    need_engine (engine.result (job, &c));
    const size_t bytes = (size_t) (c.nzmax * a->m * a->m) * sizeof (uint32_t);
    c.start = take_pages ((size_t) (a->rows + 1) * sizeof *c.start);
    c.block_column = take_pages ((size_t) c.nzmax * sizeof *c.block_column);
    c.values = take_pages (bytes);
    need_engine (engine.run (job, &c));
    const double taken = now () - begun;
    blocks = c.start[a->rows];
    if (repeat > 0 && taken < best.total) {
      best = *engine.report (job);
      best.total = taken;
    }
    if (repeat == options.repeats)
      wrong = count_wrong (a, b, c.start, c.block_column, c.values) > 0
              || (have_sum
                  && (sum_of (c.values, bytes)
                      ^ sum_of (c.block_column, (size_t) blocks * sizeof *c.block_column))
                         != first_sum);
    engine.close (job);
    free (c.start);
    free (c.block_column);
    free (c.values);
  }
  const double operations = 2 * (double) (a->m * a->m * a->m) * pairs;
  fprintf (file, "%lld,%lld,%lld,%u,%.6g,%lld,engine,%s,%.4f,%.4f,%.4f,%.4g,%d\n",
           (long long) (a->rows * a->m), (long long) a->m, (long long) a->stored, a->high, pairs,
           (long long) blocks, best.kernel, 1e3 * best.upload, 1e3 * best.compute, 1e3 * best.total,
           1e-9 * operations / best.total, wrong);
  printf ("%-15s n %lld, m %lld, %lld blocks: %.3f ms (up %.3f, compute %.3f, down %.3f) %s%s\n"
          "                %s\n",
          "engine", (long long) (a->rows * a->m), (long long) a->m, (long long) a->stored,
          1e3 * best.total, 1e3 * best.upload, 1e3 * best.compute, 1e3 * best.download, best.kernel,
          wrong ? " WRONG" : "", best.reason);
  fflush (stdout);
  free (problem.a.block_column);
  free (problem.a.values);
  free (problem.b.block_column);
  free (problem.b.values);
  return wrong;
}

/* ---- main --------------------------------------------------------------------------------- */

enum { MOST_ROWS = 256 };

/* For each kernel of the table: seconds per product of blocks in its last case. */
static double rates[MOST_ROWS];

static int run_case (FILE *file, const char *text) {
  long long n, m, count;
  unsigned high = 65535;
  if (sscanf (text, "%lld,%lld,%lld,%u", &n, &m, &count, &high) < 3 || n % m != 0
      || (double) count > (double) (n / m) * (double) (n / m) || high > 65535) {
    printf ("not a case: %s\n", text);
    return 1;
  }
  matrix a = make_matrix (n, m, count, high, 1), b = make_matrix (n, m, count, high, 2);
  const double pairs = count_pairs (&a, &b);
  int wrong = 0, r = 0;
  have_sum = 0;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++, r++) {
    gpumm_sparse_product p = {.type_a = GPUMM_U16,
                              .type_b = GPUMM_U16,
                              .type_c = GPUMM_U32,
                              .a = a.on,
                              .b = b.on,
                              .c = a.on,
                              .count = a.rows,
                              .alpha = {1, 0}};
    if (!listed (options.kernels, (*row)->name, 0) || !(*row)->runs || !(*row)->runs (&p, &device)
        || r >= MOST_ROWS || rates[r] * pairs > options.most)
      continue;
    wrong += measure (file, *row, &a, &b, pairs, &rates[r]);
  }
  if (options.engine)
    wrong += measure_engine (file, &a, &b, pairs);
  drop_matrix (&a);
  drop_matrix (&b);
  return wrong;
}

int main (int count, char **arguments) {
  const option known[] = {{.name = "kernels", .text = &options.kernels},
                          {.name = "repeats", .number = &options.repeats},
                          {.name = "engine", .text = &options.engine},
                          {.name = "most", .real = &options.most},
                          {.name = NULL}};
  int wrong = 0, cases = 0, usage = 0;
  for (int i = 3; i < count; i++) {
    cases += !strchr (arguments[i], '=');
    usage = usage || (strchr (arguments[i], '=') && !take_option (known, arguments[i]));
  }
  if (usage || cases == 0 || options.repeats < 1) {
    printf ("usage: bench_blocks LIBRARY FILE.csv N,M,COUNT[,HIGH] ... [kernels=] [repeats=] "
            "[most=] [engine=]\n");
    return 2;
  }
  FILE *file;
  int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  for (int i = 0; i < 3; i++)
    event[i] = make_event ();
  if (options.engine)
    open_engine (options.engine);
  fprintf (file, "n,m,blocks,high,products,blocks_c,kernel,note,ms_symbolic,ms_numeric,ms,gops,"
                 "wrong\n");
  for (int i = 3; i < count; i++)
    if (!strchr (arguments[i], '='))
      wrong += run_case (file, arguments[i]);
  fclose (file);
  return wrong > 0;
}
