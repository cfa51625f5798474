/* bench_strassen.c - times Strassen's algorithm and its base kernel by size and depth, on the
 * device alone.
 *
 *   cc -O2 -o bench_strassen bench/bench_strassen.c -ldl -lm
 *   ./bench_strassen LIBRARY FILE.csv [types=sd] [repeats=5] [N ...]
 *
 * LIBRARY is the driver, build/package/libgpumm_cuda.so. For each type, n and base it runs the
 * base's kernel that the plan would take (depth 0), then strassen_BASE_1 .. 4. Data are random in
 * (-0.5, 0.5). Each kernel runs once untimed, then `repeats` times (slow ones fewer) in one queue
 * with events between the runs. seconds is the median; spread is the longest minus the shortest.
 * gflops counts the operations of the definition, 2 n^3 (complex 8 n^3), so it may exceed the
 * hardware's peak.
 *
 * error is the largest error of some hundred elements, compared with sums in long double. bound is
 * the bound of docs/strassen.md. Both are divided by max |A| max |B|. An error above its bound ends
 * the benchmark.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench.h"

enum { MOST_DEPTH = 4, MOST_REPEATS = 32, MOST_SIZES = 64 };
enum { SAMPLED_COLUMNS = 16, SAMPLED_ROWS = 32 };
static const double LONG_ENOUGH = 0.4; /* seconds of timed runs; slow kernels run less often */

static gpumm_event *events[MOST_REPEATS + 1];

/* ---- random matrices ---------------------------------------------------------------------- */

/* Columns are copied from random places of a pool of random reals: drawing 16384^2 reals would take
 * longer than multiplying them. */
enum { POOL = 1 << 23 };
static void *pool; /* pinned */

static void fill_pool (gpumm_type type) {
  for (int64_t i = 0; i < POOL; i++) {
    if (is_single (type))
      ((float *) pool)[i] = (float) check_uniform ();
    else
      ((double *) pool)[i] = check_uniform ();
  }
}

struct matrix {
  gpumm_type type;
  size_t element;
  int64_t n, ld;
  void *device;
  int64_t *begin; /* where each column begins in the pool, in reals */
};

/* Columns begin at multiples of 128 bytes, as in the engine's panels on the device. */
static size_t column_bytes (const struct matrix *a) {
  return a->element * (size_t) a->ld;
}

static struct matrix make_matrix (gpumm_type type, int64_t n) {
  struct matrix a = {
      .type = type, .element = sizes[type], .n = n, .begin = malloc ((size_t) n * sizeof *a.begin)};
  int64_t parts = is_complex (type) ? 2 : 1;
  need (a.begin ? GPUMM_OK : GPUMM_HOST_MEMORY, "memory");
  a.ld = (n * (int64_t) a.element + 127) / 128 * 128 / (int64_t) a.element;
  need (driver->allocate (0, column_bytes (&a) * (size_t) n, &a.device), "allocate");
  for (int64_t j = 0; j < n; j++) {
    a.begin[j] = (int64_t) (check_random () % (uint64_t) (POOL - parts * n));
    size_t bytes = a.element * (size_t) n, real = a.element / (size_t) parts;
    need (driver->copy_up (0, stream, (char *) a.device + (size_t) j * column_bytes (&a), bytes,
                           (char *) pool + (size_t) a.begin[j] * real, bytes, bytes, 1),
          "copy_up");
  }
  need (driver->stream_synchronize (0, stream), "copy_up");
  return a;
}

static void drop_matrix (struct matrix *a) {
  need (driver->release (0, a->device), "release");
  free (a->begin);
}

static double part_of (const struct matrix *a, int64_t i, int64_t j, int part) {
  if (part && !is_complex (a->type))
    return 0;
  const size_t real = a->element / (is_complex (a->type) ? 2 : 1);
  return get (a->type, (const char *) pool + (size_t) a->begin[j] * real, i, part);
}

/* ---- the error ---------------------------------------------------------------------------- */

static struct {
  int64_t row[SAMPLED_ROWS], col[SAMPLED_COLUMNS];
  long double re[SAMPLED_ROWS][SAMPLED_COLUMNS], im[SAMPLED_ROWS][SAMPLED_COLUMNS];
  void *column; /* pinned */
} sample;

/* Computes the sampled elements of A*B by the definition. */
static void make_sample (const struct matrix *a, const struct matrix *b) {
  for (int r = 0; r < SAMPLED_ROWS; r++)
    sample.row[r] = (int64_t) (check_random () % (uint64_t) a->n);
  for (int c = 0; c < SAMPLED_COLUMNS; c++)
    sample.col[c] = (int64_t) (check_random () % (uint64_t) a->n);
  memset (sample.re, 0, sizeof sample.re);
  memset (sample.im, 0, sizeof sample.im);
  for (int64_t l = 0; l < a->n; l++)
    for (int c = 0; c < SAMPLED_COLUMNS; c++) {
      long double yr = part_of (b, l, sample.col[c], 0), yi = part_of (b, l, sample.col[c], 1);
      for (int r = 0; r < SAMPLED_ROWS; r++) {
        long double xr = part_of (a, sample.row[r], l, 0), xi = part_of (a, sample.row[r], l, 1);
        sample.re[r][c] += xr * yr - xi * yi;
        sample.im[r][c] += xr * yi + xi * yr;
      }
    }
}

/* The largest error of the sampled elements of C, divided by max |A| max |B|. */
static double error_of (const struct matrix *c, double largest) {
  long double most = 0;
  size_t bytes = c->element * (size_t) c->n;
  for (int j = 0; j < SAMPLED_COLUMNS; j++) {
    need (driver->copy_down (0, stream, sample.column, bytes,
                             (char *) c->device + (size_t) sample.col[j] * column_bytes (c), bytes,
                             bytes, 1),
          "copy_down");
    need (driver->stream_synchronize (0, stream), "copy_down");
    for (int r = 0; r < SAMPLED_ROWS; r++) {
      long double re = get (c->type, sample.column, sample.row[r], 0) - sample.re[r][j];
      long double im = get (c->type, sample.column, sample.row[r], 1) - sample.im[r][j];
      most = fmaxl (most, isnan (re) || isnan (im) ? INFINITY : hypotl (re, im));
    }
  }
  return (double) most / (largest * largest);
}

/* The bound of docs/strassen.md with eps = 2 u, which leaves room for complex products. */
static double bound_of (gpumm_type type, int64_t k, int depth) {
  double k0 = ldexp ((double) k, -depth);
  return pow (18, depth) * (k0 * k0 + 6 * k0) * epsilons[type];
}

/* ---- measuring ---------------------------------------------------------------------------- */

/* The kernel of that name; for a family, the kernel that the plan takes at this size. */
static const gpumm_kernel *find_row (const char *name, const gpumm_product *p) {
  const gpumm_kernel *found = NULL;
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++) {
    const gpumm_kernel *k = *row;
    int exact = strcmp (k->name, name) == 0 && strcmp (k->algorithm, name) != 0;
    if ((exact || strcmp (k->algorithm, name) == 0) && k->types & 1u << p->type
        && k->capability <= device.capability && (!k->runs || k->runs (p, &device))
        && (exact || (k->from != INT64_MAX && (!found || p->n >= k->from))))
      found = k;
  }
  return found;
}

struct timing {
  double median, spread;
};

static struct timing measure (const gpumm_kernel *row, gpumm_product *p, int repeats) {
  double seconds[MOST_REPEATS] = {0}, first;
  p->workspace = NULL;
  p->workspace_bytes = row->workspace ? row->workspace (p, &device) : 0;
  if (p->workspace_bytes > 0)
    need (driver->allocate (0, p->workspace_bytes, &p->workspace), "workspace");
  record (events[0]);
  need (row->launch (0, stream, p), row->name);
  record (events[1]);
  first = seconds_between (events[0], events[1]);
  if (first * repeats > LONG_ENOUGH)
    repeats = LONG_ENOUGH > first ? (int) (LONG_ENOUGH / first) : 1;
  /* launch again, so that the queue is not empty when the first event is recorded */
  if (first < 0.01)
    need (row->launch (0, stream, p), row->name);
  record (events[0]);
  for (int i = 0; i < repeats; i++) {
    need (row->launch (0, stream, p), row->name);
    record (events[i + 1]);
  }
  for (int i = 0; i < repeats; i++)
    seconds[i] = seconds_between (events[i], events[i + 1]);
  need (driver->release (0, p->workspace), "workspace");
  const double middle = median (seconds, repeats);
  return (struct timing){middle, seconds[repeats - 1] - seconds[0]};
}

static void run_size (FILE *file, gpumm_type type, int64_t n, int repeats) {
  static const char *const bases[] = {"register", "cublas"};
  struct matrix a = make_matrix (type, n), b = make_matrix (type, n), c = make_matrix (type, n);
  make_sample (&a, &b);
  double largest = is_complex (type) ? sqrt (0.5) : 0.5;
  double operations = operations_of (type) * pow ((double) n, 3);
  gpumm_product p = {.type = type,
                     .m = n,
                     .n = n,
                     .k = n,
                     .a = a.device,
                     .lda = a.ld,
                     .b = b.device,
                     .ldb = b.ld,
                     .c = c.device,
                     .ldc = c.ld,
                     .alpha = {1, 0}};
  for (size_t base = 0; base < sizeof bases / sizeof *bases; base++) {
    double plain = 0;
    for (int depth = 0; depth <= MOST_DEPTH; depth++) {
      char name[64], note[GPUMM_NOTE_BYTES] = "";
      snprintf (name, sizeof name, depth ? "strassen_%s_%d" : "%s", bases[base], depth);
      const gpumm_kernel *row = find_row (name, &p);
      if (!row)
        continue;
      p.note = note;
      need (driver->fill (0, stream, c.device, 0xff, column_bytes (&c) * (size_t) n), "fill");
      struct timing t = measure (row, &p, repeats);
      int ran = 0;
      if (depth > 0 && (sscanf (note, "depth %d", &ran) != 1 || ran != depth))
        continue; /* too small for so many levels */
      double error = error_of (&c, largest), bound = bound_of (type, n, depth);
      plain = depth ? plain : t.median;
      fprintf (file, "%c,%lld,%s,%d,%s,%.5g,%.2g,%.5g,%.3g,%.3g\n", "sdcz"[type], (long long) n,
               bases[base], depth, row -> name, t.median, t.spread, 1e-9 * operations / t.median,
               error, bound);
      printf ("%c n = %5lld %-8s depth %d %10.4f ms %9.1f GFLOPS, speedup %.3f, error %.2g\n",
              "sdcz"[type], (long long) n, bases[base], depth, 1e3 * t.median,
              1e-9 * operations / t.median, plain / t.median, error);
      if (!(error <= bound)) {
        printf ("bench_strassen: %s is wrong\n", row->name);
        exit (1);
      }
    }
  }
  drop_matrix (&a);
  drop_matrix (&b);
  drop_matrix (&c);
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  static const int64_t ladder[] = {512,  768,  1024, 1536,  2048, 3072,
                                   4096, 6144, 8192, 12288, 16384};
  const char *types = "sd";
  int64_t asked[MOST_SIZES];
  int size_count = 0;
  long repeats = 5;
  const option known[] = {
      {.name = "types", .text = &types}, {.name = "repeats", .number = &repeats}, {.name = NULL}};
  if (count < 3) {
    printf ("usage: bench_strassen LIBRARY FILE.csv [types=sd] [repeats=5] [N ...]\n");
    return 2;
  }
  for (int i = 3; i < count; i++)
    if (!take_option (known, arguments[i]) && size_count < MOST_SIZES)
      asked[size_count++] = atoll (arguments[i]);
  if (size_count == 0) {
    size_count = sizeof ladder / sizeof *ladder;
    memcpy (asked, ladder, sizeof ladder);
  }
  repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;

  FILE *file;
  int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  for (int i = 0; i <= repeats; i++)
    events[i] = make_event ();
  need (driver->pin (0, POOL * sizeof (double), &pool), "pin");
  need (driver->pin (0, (size_t) 1 << 20, &sample.column), "pin");

  fprintf (file, "type,n,base,depth,kernel,seconds,spread,gflops,error,bound\n");
  for (const char *type = types; *type; type++) {
    fill_pool (type_of (*type));
    for (int i = 0; i < size_count; i++)
      run_size (file, type_of (*type), asked[i], (int) repeats);
  }
  fclose (file);
  need (driver->unpin (0, pool), "unpin");
  need (driver->unpin (0, sample.column), "unpin");
  for (int i = 0; i <= repeats; i++)
    need (driver->event_destroy (0, events[i]), "event_destroy");
  close_driver ();
  return 0;
}
