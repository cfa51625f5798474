/* bench_arrays.c - arrays entry by entry on a device: G + 2*H.*K as one map, sums, and a pick of
 * columns, beside a copy that moves as many bytes.
 *
 *   bench_arrays LIBRARY FILE.csv [n=8192] [repeats=20]
 *
 * Matrices are n x n doubles. gb_per_s counts every entry once that must be read or written;
 * of_copy is that rate divided by the copy's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

enum { MOST_REPEATS = 1000 };

static long n = 8192, repeats = 20;
static gpumm_event *from, *to;
static gpumm_map copying, mapping;
static gpumm_fold all, columns, rows;
static gpumm_pick picking;
static void *workspace;

static gpumm_view matrix (void *p) {
  return (gpumm_view){.type = GPUMM_D, .values = p, .stride = {1, n, n * n, n * n}};
}

static void *take (size_t bytes) {
  void *p;
  need (driver->allocate (0, bytes, &p), "allocate");
  need (driver->fill (0, stream, p, 0, bytes), "fill"); /* zeros in every type */
  return p;
}

static gpumm_status copy (void) {
  return driver->map (0, stream, &copying);
}

static gpumm_status map (void) {
  return driver->map (0, stream, &mapping);
}

static gpumm_status fold_all (void) {
  return driver->fold (0, stream, &all, workspace);
}

static gpumm_status fold_columns (void) {
  return driver->fold (0, stream, &columns, workspace);
}

static gpumm_status fold_rows (void) {
  return driver->fold (0, stream, &rows, workspace);
}

static gpumm_status pick (void) {
  return driver->pick (0, stream, &picking);
}

static const struct {
  const char *name;
  gpumm_status (*run) (void);
  int matrices; /* that must be read or written */
} benchmarks[] = {{"copy", copy, 2},
                  {"G + 2*H.*K", map, 4},
                  {"sum of all", fold_all, 1},
                  {"sum of columns", fold_columns, 1},
                  {"sum of rows", fold_rows, 1},
                  {"permuted columns", pick, 2}};

/* G + 2*H.*K: the accumulator begins with H. */
static void prepare (void *a[4]) {
  const size_t bytes = (size_t) n * (size_t) n * sizeof (double);
  int64_t *order;
  for (int i = 0; i < 4; i++)
    a[i] = take (bytes);
  copying =
      (gpumm_map){.domain = GPUMM_D, .size = {n, n, 1, 1}, .inputs = 1, .output = matrix (a[3])};
  copying.input[0] = matrix (a[0]);
  mapping = copying;
  mapping.inputs = mapping.steps = 3;
  for (int i = 0; i < 3; i++)
    mapping.input[i] = matrix (a[i]);
  mapping.step[0] =
      (gpumm_map_step){.op = GPUMM_MAP_MUL, .source = GPUMM_MAP_CONSTANT, .constant = {2, 0}};
  mapping.step[1] = (gpumm_map_step){.op = GPUMM_MAP_MUL, .source = 1};
  mapping.step[2] = (gpumm_map_step){.op = GPUMM_MAP_ADD, .source = 2};
  all = (gpumm_fold){.op = GPUMM_FOLD_SUM, .map = copying, .inner = 1, .outer = 1};
  all.count = n * n;
  all.output = matrix (a[3]);
  columns = rows = all;
  columns.count = columns.outer = n;
  rows.inner = rows.count = n;
  const gpumm_fold *folds[] = {&all, &columns, &rows};
  size_t most = 0;
  for (int i = 0; i < 3; i++)
    most = driver->fold_bytes (folds[i]) > most ? driver->fold_bytes (folds[i]) : most;
  workspace = take (most);
  picking = (gpumm_pick){.size = {n, n, 1, 1},
                         .whole_size = {n, n, 1, 1},
                         .part = matrix (a[3]),
                         .whole = matrix (a[0])};
  need (driver->pin (0, (size_t) n * sizeof *order, (void **) &order), "pin");
  for (int64_t i = 0; i < n; i++) { /* shuffled (Fisher and Yates) */
    const int64_t j = (int64_t) (check_random () % (uint64_t) (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  void *vector = take ((size_t) n * sizeof *order);
  const size_t width = (size_t) n * sizeof *order;
  need (driver->copy_up (0, stream, vector, width, order, width, width, 1), "copy_up");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  need (driver->unpin (0, order), "unpin");
  picking.places[0].step = 1;
  picking.places[1].vector = vector;
}

int main (int count, char **arguments) {
  const option known[] = {
      {.name = "n", .number = &n}, {.name = "repeats", .number = &repeats}, {.name = NULL}};
  int usage = count < 3;
  for (int i = 3; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage || n < 1 || repeats < 1 || repeats > MOST_REPEATS) {
    printf ("usage: bench_arrays LIBRARY FILE.csv [n=] [repeats=]\n");
    return 2;
  }
  FILE *file;
  const int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  void *a[4];
  double copied = 0;
  from = make_event ();
  to = make_event ();
  prepare (a);
  fprintf (file, "case,n,ms,gb_per_s,of_copy\n");
  for (size_t b = 0; b < sizeof benchmarks / sizeof *benchmarks; b++) {
    double times[MOST_REPEATS];
    for (long i = -2; i < repeats; i++) { /* two to warm up */
      record (from);
      need (benchmarks[b].run (), benchmarks[b].name);
      record (to);
      times[i < 0 ? 0 : i] = seconds_between (from, to);
    }
    const double seconds = median (times, (int) repeats);
    const double rate = 1e-9 * benchmarks[b].matrices * 8.0 * (double) n * (double) n / seconds;
    copied = b == 0 ? rate : copied;
    char line[200];
    snprintf (line, sizeof line, "%s,%ld,%.4f,%.1f,%.3f\n", benchmarks[b].name, n, 1e3 * seconds,
              rate, rate / copied);
    fputs (line, file);
    fputs (line, stdout);
  }
  fclose (file);
  for (int i = 0; i < 4; i++)
    need (driver->release (0, a[i]), "release");
  need (driver->release (0, workspace), "release");
  need (driver->release (0, (void *) (uintptr_t) picking.places[1].vector), "release");
  need (driver->event_destroy (0, from), "event_destroy");
  need (driver->event_destroy (0, to), "event_destroy");
  close_driver ();
  return 0;
}
