/* test_sparse_arrays.c - operations and products of sparse matrices on a device, against loops over full
 * ones.
 *
 *   test_sparse_arrays [gpu] [cases=N]   the host device, or GPU 0; N random cases
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

enum { MOST = 300 };
static int cases = 60;

typedef struct {
  int64_t rows, cols;
  double x[MOST * MOST];
} full;

/* ---- matrices ------------------------------------------------------------------------------- */

static gpumm_csc new_csc (int64_t rows, int64_t cols, int64_t stored) {
  return (gpumm_csc){.rows = rows,
                     .cols = cols,
                     .stored = stored,
                     .start = take (GPUMM_I64, cols + 1),
                     .index = take (GPUMM_I32, stored),
                     .values = take (GPUMM_D, stored)};
}

static int64_t start[MOST + 1];
static int32_t row[MOST * MOST];
static double value[MOST * MOST];

static gpumm_csc csc_of (const full *f) {
  gpumm_csc x = {.rows = f->rows, .cols = f->cols};
  for (int64_t j = 0; j < f->cols; j++) {
    start[j] = x.stored;
    for (int64_t i = 0; i < f->rows; i++)
      if (f->x[i + j * f->rows] != 0) {
        row[x.stored] = (int32_t) i;
        value[x.stored++] = f->x[i + j * f->rows];
      }
  }
  start[f->cols] = x.stored;
  x.start = put (GPUMM_I64, start, x.cols + 1);
  x.index = put (GPUMM_I32, row, x.stored);
  x.values = put (GPUMM_D, value, x.stored);
  return x;
}

/* Is x this matrix, sorted and without zeros? The values are not read if they are not there. */
static void check_is (const gpumm_csc *x, const full *f, int with_values, const char *what) {
  int64_t at = 0, wrong = 0;
  get (&x->start, x->cols + 1, start);
  get (&x->index, x->stored, row);
  if (with_values)
    get (&x->values, x->stored, value);
  for (int64_t j = 0; j < f->cols; j++) {
    wrong += start[j] != at;
    for (int64_t i = 0; i < f->rows; i++)
      if (f->x[i + j * f->rows] != 0 && at < x->stored) {
        wrong += row[at] != i || (with_values && value[at] != f->x[i + j * f->rows]);
        at++;
      } else
        wrong += f->x[i + j * f->rows] != 0;
  }
  CHECK (!wrong && start[f->cols] == at && at == x->stored, "%s: %lld of %lld x %lld wrong", what,
         (long long) wrong, (long long) f->rows, (long long) f->cols);
}

/* Whole numbers; some columns full, some empty. */
static void fill (full *f, int64_t rows, int64_t cols, int64_t most) {
  f->rows = rows;
  f->cols = cols;
  for (int64_t j = 0; j < cols; j++) {
    const int64_t each = check_between (0, 9) ? check_between (0, most) : 100;
    for (int64_t i = 0; i < rows; i++)
      f->x[i + j * rows] = check_between (0, 99) < each ? (double) check_between (-3, 3) : 0;
  }
}

static void run (gpumm_sparse_work *w, gpumm_sparse_op op) {
  w->op = op;
  CHECK (!gpumm_sparse_run (w), "operation %d: %s", (int) op, gpumm_last_error ());
}

/* Runs what marks entries; gives how many. */
static int64_t mark (gpumm_sparse_work *w, gpumm_sparse_op op) {
  const int64_t words = GPUMM_MARK_WORDS (w->a.stored);
  w->marks = take (GPUMM_U64, words);
  w->before = take (GPUMM_I64, words + 1);
  run (w, op);
  return look (&w->before, words);
}

/* ---- cases ---------------------------------------------------------------------------------- */

static full a, b, c;

/* The union and what both have: of ones, where a, b or both are stored. */
static void test_join (const gpumm_csc *x, const gpumm_csc *y, int unites) {
  gpumm_sparse_work w = {.a = *x, .b = *y};
  const int64_t both = mark (&w, GPUMM_SPARSE_MATCH);
  const int64_t stored = unites ? x->stored + y->stored - both : both;
  w.c = new_csc (x->rows, x->cols, stored);
  w.from_a = take (GPUMM_I64, unites ? x->stored : stored);
  w.from_b = take (GPUMM_I64, unites ? y->stored : stored);
  run (&w, unites ? GPUMM_SPARSE_UNITE : GPUMM_SPARSE_MEET);
  c.rows = a.rows;
  c.cols = a.cols;
  for (int64_t e = 0; e < a.rows * a.cols; e++)
    c.x[e] = unites ? a.x[e] != 0 || b.x[e] != 0 : a.x[e] != 0 && b.x[e] != 0;
  check_is (&w.c, &c, 0, unites ? "union" : "intersection");
  static int64_t from[MOST * MOST], other[MOST * MOST];
  get (&w.from_a, unites ? x->stored : stored, from);
  get (&w.from_b, unites ? y->stored : stored, other);
  int64_t wrong = 0;
  for (int64_t e = 0, p = 0, q = 0, r = 0; e < a.rows * a.cols; e++) {
    if (unites ? a.x[e] != 0 : c.x[e] != 0)
      wrong += unites ? from[p] != r : from[r] != p;
    if (unites ? b.x[e] != 0 : c.x[e] != 0)
      wrong += unites ? other[q] != r : other[r] != q;
    p += a.x[e] != 0;
    q += b.x[e] != 0;
    r += c.x[e] != 0;
  }
  CHECK (!wrong, "places of %s", unites ? "a union" : "an intersection");
}

/* Marks, packs, transposes, takes columns, and goes to a full array and back. */
static void test_one (const gpumm_csc *x) {
  gpumm_sparse_work w = {.a = *x, .c = new_csc (a.cols, a.rows, x->stored)};
  run (&w, GPUMM_SPARSE_TRANSPOSE);
  c.rows = a.cols;
  c.cols = a.rows;
  for (int64_t i = 0; i < a.rows; i++)
    for (int64_t j = 0; j < a.cols; j++)
      c.x[j + i * a.cols] = a.x[i + j * a.rows];
  check_is (&w.c, &c, 1, "transpose");

  w = (gpumm_sparse_work){.a = *x, .shift = check_between (-3, 3)};
  const int64_t on_diagonal = mark (&w, GPUMM_SPARSE_DIAGONAL);
  w.c = new_csc (a.rows, a.cols, on_diagonal);
  run (&w, GPUMM_SPARSE_PACK);
  c = a;
  for (int64_t e = 0; e < a.rows * a.cols; e++)
    c.x[e] = e / a.rows - e % a.rows == w.shift ? a.x[e] : 0;
  check_is (&w.c, &c, 1, "diagonal");

  static int64_t which[MOST];
  c.rows = a.rows;
  c.cols = a.cols > 0 ? check_between (0, MOST) : 0;
  for (int64_t j = 0; j < c.cols; j++) {
    which[j] = check_between (0, a.cols - 1);
    memcpy (c.x + j * a.rows, a.x + which[j] * a.rows, (size_t) a.rows * sizeof *a.x);
  }
  w = (gpumm_sparse_work){.a = *x, .which = put (GPUMM_I64, which, c.cols)};
  w.c = new_csc (a.rows, c.cols, 0);
  run (&w, GPUMM_SPARSE_LENGTHS);
  const gpumm_view offsets = w.c.start;
  w.c = new_csc (a.rows, c.cols, look (&offsets, c.cols));
  w.c.start = offsets;
  run (&w, GPUMM_SPARSE_TAKE);
  check_is (&w.c, &c, 1, "columns");

  get (&x->start, a.cols + 1, start);
  for (int64_t j = a.cols; j > 0; j--)
    start[j] -= start[j - 1];
  w = (gpumm_sparse_work){.c = {.cols = a.cols, .start = put (GPUMM_I64, start, a.cols + 1)}};
  run (&w, GPUMM_SPARSE_OFFSETS);
  CHECK (look (&w.c.start, a.cols) == x->stored, "offsets of lengths");

  const int64_t count = a.rows * a.cols;
  w = (gpumm_sparse_work){
      .a = {.rows = a.rows, .cols = a.cols, .stored = count, .values = put (GPUMM_D, a.x, count)}};
  const int64_t nonzeros = mark (&w, GPUMM_SPARSE_KEEP);
  w.c = new_csc (a.rows, a.cols, nonzeros);
  run (&w, GPUMM_SPARSE_PACK);
  check_is (&w.c, &a, 1, "from a full array");

  memset (c.x, 0, sizeof c.x);
  w = (gpumm_sparse_work){
      .a = *x, .full = put (GPUMM_D, c.x, count), .full_size = {a.rows, a.cols, 1, 1}};
  w.full.stride[0] = 1;
  w.full.stride[1] = a.rows;
  run (&w, GPUMM_SPARSE_SCATTER);
  get (&w.full, count, c.x);
  CHECK (!memcmp (c.x, a.x, (size_t) count * sizeof *a.x), "to a full array");
  c.cols = a.cols;
  for (w.divides = 0; w.divides < 2; w.divides++) {
    w.c = new_csc (a.rows, a.cols, x->stored);
    run (&w, GPUMM_SPARSE_SCALE);
    w.c.start = x->start;
    w.c.index = x->index;
    for (int64_t e = 0; e < count; e++)
      c.x[e] = !w.divides ? a.x[e] * a.x[e] : a.x[e] != 0;
    check_is (&w.c, &c, 1, w.divides ? "divided" : "multiplied");
  }
}

static void test_folds (const gpumm_csc *x) {
  static const gpumm_fold_op ops[] = {GPUMM_FOLD_SUM, GPUMM_FOLD_MAX, GPUMM_FOLD_MIN,
                                      GPUMM_FOLD_ANY};
  for (int o = 0; o < 4 && a.rows > 0; o++) {
    gpumm_sparse_work w = {.a = *x, .c.values = take (GPUMM_D, a.cols), .fold = ops[o]};
    run (&w, GPUMM_SPARSE_FOLD);
    get (&w.c.values, a.cols, value);
    int64_t wrong = 0;
    for (int64_t j = 0; j < a.cols; j++) {
      double sum = 0, most = -INFINITY, least = INFINITY, any = 0;
      for (int64_t i = 0; i < a.rows; i++) {
        const double y = a.x[i + j * a.rows];
        sum += y;
        most = fmax (most, y);
        least = fmin (least, y);
        any += y != 0;
      }
      const double wanted[] = {sum, most, least, any};
      wrong += value[j] != wanted[o];
    }
    CHECK (!wrong, "fold %d: %lld columns of %lld x %lld", o, (long long) wrong, (long long) a.rows,
           (long long) a.cols);
  }
}

/* A B with B sparse and full, and B A' of a full B. */
static void test_products (const gpumm_csc *x) {
  fill (&b, a.cols, check_between (0, 40), 20);
  const gpumm_csc y = csc_of (&b);
  gpumm_csc_product p = {
      .a = *x, .b = y, .c = new_csc (a.rows, b.cols, 0), .zero = take (GPUMM_I32, 1)};
  CHECK (!gpumm_csc_count (&p), "%s", gpumm_last_error ());
  const gpumm_view offsets = p.c.start;
  p.c = new_csc (a.rows, b.cols, look (&offsets, b.cols));
  p.c.start = offsets;
  CHECK (!gpumm_csc_multiply (&p), "%s", gpumm_last_error ());
  c.rows = a.rows;
  c.cols = b.cols;
  memset (c.x, 0, sizeof c.x);
  for (int64_t j = 0; j < b.cols; j++)
    for (int64_t k = 0; k < a.cols; k++)
      for (int64_t i = 0; i < a.rows; i++)
        c.x[i + j * a.rows] += a.x[i + k * a.rows] * b.x[k + j * a.cols];
  gpumm_sparse_work w = {.a = p.c};
  const int64_t kept = mark (&w, GPUMM_SPARSE_KEEP);
  int32_t zero = -1;
  const gpumm_glance glance = {.at = p.zero, .count = 1, .to = &zero};
  CHECK (!gpumm_look (&glance, 1) && zero == (kept < p.c.stored), "the flag for zeros");
  w.c = new_csc (a.rows, b.cols, kept);
  run (&w, GPUMM_SPARSE_PACK);
  check_is (&w.c, &c, 1, "product");

  const int64_t count = c.rows * c.cols;
  for (int left = 0; left < 2; left++) { /* A B, and B' A' */
    const gpumm_view d = put (GPUMM_D, b.x, b.rows * b.cols), r = take (GPUMM_D, count);
    gpumm_csc_full q = {.s = *x, .left = left, .op = left ? GPUMM_NONE : GPUMM_TRANSPOSE};
    q.d = (gpumm_matrix){.type = GPUMM_D,
                         .rows = b.rows,
                         .cols = b.cols,
                         .ld = b.rows > 0 ? b.rows : 1,
                         .op = left ? GPUMM_NONE : GPUMM_TRANSPOSE,
                         .values = d.values,
                         .buffer = d.buffer};
    const int64_t rows = left ? c.rows : c.cols;
    q.c = (gpumm_matrix){.type = GPUMM_D,
                         .rows = rows,
                         .cols = left ? c.cols : c.rows,
                         .ld = rows > 0 ? rows : 1,
                         .values = r.values,
                         .buffer = r.buffer};
    CHECK (!gpumm_csc_multiply_full (&q), "%s", gpumm_last_error ());
    get (&r, count, value);
    int64_t wrong = 0;
    for (int64_t e = 0; e < count; e++)
      wrong += value[left ? e : e / c.rows + e % c.rows * c.cols] != c.x[e];
    CHECK (!wrong, "%s full: %lld wrong", left ? "by" : "with", (long long) wrong);
  }
}

/* Several looks wait once; their entries are of any type, and may be none. */
static void test_looks (void) {
  const int32_t small[] = {7, -8, 9};
  const double large[] = {0.5, 1.5};
  const gpumm_view x = put (GPUMM_I32, small, 3), y = put (GPUMM_D, large, 2),
                   z = take (GPUMM_Z, 0);
  int32_t of_x[3] = {0};
  double of_y[2] = {0};
  const gpumm_glance all[] = {{x, 3, of_x}, {z, 0, NULL}, {y, 2, of_y}};
  const int64_t before = gpumm_waits ();
  CHECK (!gpumm_look (all, 3), "%s", gpumm_last_error ());
  CHECK (gpumm_waits () == before + 1, "%lld waits", (long long) (gpumm_waits () - before));
  CHECK (!memcmp (of_x, small, sizeof small) && !memcmp (of_y, large, sizeof large),
         "other entries");
  CHECK (!gpumm_look (all, 0) && gpumm_waits () == before + 1, "nothing to look at");
  gpumm_glance beyond[] = {all[0], all[2]};
  beyond[1].count = 1 << 20;
  CHECK (gpumm_look (beyond, 2) == GPUMM_INVALID, "more entries than the buffer has");
  const gpumm_glance nowhere = {x, 3, NULL};
  CHECK (gpumm_look (NULL, 1) == GPUMM_INVALID && gpumm_look (&nowhere, 1) == GPUMM_INVALID,
         "looks to nowhere");
  give_all ();
}

static void test_errors (void) {
  fill (&a, 3, 4, 50);
  const gpumm_csc x = csc_of (&a);
  gpumm_sparse_work w = {.op = GPUMM_SPARSE_OPS, .a = x};
  CHECK (gpumm_sparse_run (NULL) == GPUMM_INVALID && gpumm_sparse_run (&w) == GPUMM_INVALID,
         "no operation");
  w.op = GPUMM_SPARSE_KEEP;
  w.marks = take (GPUMM_U64, 1);
  w.before = take (GPUMM_I64, 2);
  w.a.stored = 1 << 20;
  CHECK (gpumm_sparse_run (&w) == GPUMM_INVALID, "more entries than the buffer has");
  w.a = x;
  w.before = x.values;
  CHECK (gpumm_sparse_run (&w) == GPUMM_INVALID, "counts are I64");
  gpumm_csc_product p = {.a = x, .b = x, .c = new_csc (3, 4, 0), .zero = take (GPUMM_I32, 1)};
  CHECK (gpumm_csc_count (&p) == GPUMM_NONCONFORMANT, "sizes do not fit");
  gpumm_csc_product wrong = p;
  wrong.a.stored = 1 << 20;
  CHECK (gpumm_csc_count (&wrong) == GPUMM_INVALID
             && strstr (gpumm_last_error (), ": A does not lie"),
         "%s", gpumm_last_error ());
  wrong = p;
  wrong.b.stored = 1 << 20;
  CHECK (gpumm_csc_count (&wrong) == GPUMM_INVALID
             && strstr (gpumm_last_error (), ": B does not lie"),
         "%s", gpumm_last_error ());
  const gpumm_view y = take (GPUMM_D, 12);
  gpumm_csc_full f = {.s = x, .left = 1};
  f.d = (gpumm_matrix){
      .type = GPUMM_D, .rows = 4, .cols = 2, .ld = 4, .values = y.values, .buffer = y.buffer};
  f.c = f.d;
  f.c.rows = 3;
  f.c.ld = 2;
  CHECK (gpumm_csc_multiply_full (&f) == GPUMM_INVALID, "columns of C that overlap");
  f.c.ld = 3;
  f.d.ld = 3;
  CHECK (gpumm_csc_multiply_full (&f) == GPUMM_INVALID, "columns of D that overlap");
  give_all ();
}

int main (int argc, char **argv) {
  check_seed (20261123);
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "gpu") == 0)
      device = 0;
    else if (strncmp (argv[i], "cases=", 6) == 0)
      cases = atoi (argv[i] + 6);
  if (gpumm_wait (device)) { /* there is none */
    CHECK (0, "%s", gpumm_last_error ());
    return check_done ();
  }
  for (int n = 0; n < cases; n++) {
    const int64_t most = n % 4 ? 24 : MOST;
    fill (&a, check_between (n < 4 ? 0 : 1, most), check_between (n < 4 ? 0 : 1, most),
          check_between (0, 60));
    fill (&b, a.rows, a.cols, check_between (0, 60));
    const gpumm_csc x = csc_of (&a), y = csc_of (&b);
    test_join (&x, &y, 1);
    test_join (&x, &y, 0);
    give_all ();
    const gpumm_csc z = csc_of (&a);
    test_one (&z);
    give_all ();
    const gpumm_csc u = csc_of (&a);
    test_folds (&u);
    test_products (&u);
    give_all ();
  }
  test_looks ();
  test_errors ();
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "allocations are left");
  return check_done ();
}
