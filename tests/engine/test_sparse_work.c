/* test_sparse_work.c - operations on sparse matrices that lie on a device, against the same ones
 * on full matrices. Products are in test_resident.c.
 *
 *   test_sparse_work [gpu] [cases=N]   the host device, or GPU 0; N random cases
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_folds.h"
#include "gpumm_tools.h"
#include "resident.h"

enum { MOST = 300 };
static int cases = 60;

/* ---- operands ----------------------------------------------------------------------------- */

/* A sparse matrix of whole numbers, which are not 0, on both sides; and as a full one. */
typedef struct {
  int64_t rows, cols;
  double full[MOST * MOST];
  gpumm_matrix there;
} matrix;

static matrix a, b;
static double full[MOST * MOST]; /* what comes back */
static int64_t which[MOST];      /* columns of A that are taken */
static int64_t shift;            /* of the diagonal that is taken */

static void draw_matrix (matrix *x, int64_t rows, int64_t cols) {
  const int percent = check_between (0, 9) ? (int) check_between (0, 60) : 100;
  gpumm_matrix here = make_in_blocks (GPUMM_SPARSE, GPUMM_D, rows, cols, 1, 1, percent, WHOLE);
  x->rows = rows;
  x->cols = cols;
  x->there = send_compressed (&here);
  memset (x->full, 0, sizeof x->full);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t t = here.start[j]; t < here.start[j + 1]; t++)
      x->full[here.row[t] + j * rows] = ((double *) here.values)[t];
  release (&here);
}

static gpumm_matrix new_matrix (int64_t rows, int64_t cols, int64_t stored) {
  return compressed_at (&(gpumm_matrix){
      .format = GPUMM_SPARSE, .type = GPUMM_D, .rows = rows, .cols = cols, .nzmax = stored});
}

static gpumm_view offsets_of (const gpumm_matrix *x) {
  return (gpumm_view){.type = GPUMM_I64, .buffer = x->start_buffer, .values = x->start};
}

static void run (gpumm_sparse_work *w, gpumm_sparse_op op) {
  w->op = op;
  CHECK (!gpumm_sparse_run (w), "operation %d: %s", (int) op, gpumm_last_error ());
}

/* Runs what marks entries; gives how many. */
static int64_t mark (gpumm_sparse_work *w, gpumm_sparse_op op) {
  const int64_t words = GPUMM_MARK_WORDS (w->a.nzmax);
  w->marks = take (GPUMM_U64, words);
  w->before = take (GPUMM_I64, words + 1);
  run (w, op);
  return look (&w->before, words);
}

/* Packs the entries that op marks into C. */
static void pack (gpumm_sparse_work *w, gpumm_sparse_op op) {
  w->c = new_matrix (w->a.rows, w->a.cols, mark (w, op));
  run (w, GPUMM_SPARSE_PACK);
}

/* ---- what is expected --------------------------------------------------------------------- */

typedef double element_of (int64_t i, int64_t j);

static double of_a (int64_t i, int64_t j) {
  return a.full[i + j * a.rows];
}

static double transposed (int64_t i, int64_t j) {
  return of_a (j, i);
}

static double on_diagonal (int64_t i, int64_t j) {
  return j - i == shift ? of_a (i, j) : 0;
}

static double of_columns (int64_t i, int64_t j) {
  return of_a (i, which[j]);
}

static double at_even_rows (int64_t i, int64_t j) {
  return i % 2 ? 0 : of_a (i, j);
}

static double squared (int64_t i, int64_t j) {
  return of_a (i, j) * of_a (i, j);
}

static double divided (int64_t i, int64_t j) {
  return of_a (i, j) != 0;
}

static double in_both (int64_t i, int64_t j) {
  return of_a (i, j) != 0 && b.full[i + j * a.rows] != 0;
}

static double in_either (int64_t i, int64_t j) {
  return of_a (i, j) != 0 || b.full[i + j * a.rows] != 0;
}

/* Is x this matrix, sorted and without zeros? Of a pattern, f gives 1 where it has an entry; its
 * values are not written. */
static void expect (const gpumm_matrix *x, element_of *f, int is_pattern, const char *what) {
  gpumm_matrix there = *x;
  if (is_pattern)
    there.buffer = NULL;
  gpumm_matrix here = fetch_compressed (&there);
  int64_t at = 0, wrong = 0;
  for (int64_t j = 0; j < x->cols; j++) {
    wrong += here.start[j] != at;
    for (int64_t i = 0; i < x->rows; i++) {
      const double value = f (i, j);
      if (value != 0 && at < x->nzmax) {
        wrong += here.row[at] != i || (!is_pattern && ((double *) here.values)[at] != value);
        at++;
      } else
        wrong += value != 0;
    }
  }
  CHECK (!wrong && here.start[x->cols] == at && at == x->nzmax, "%s: %lld of %lld x %lld wrong",
         what, (long long) wrong, (long long) x->rows, (long long) x->cols);
  release (&here);
}

/* ---- operations --------------------------------------------------------------------------- */

/* The union of both patterns, or what both have; and where in C each entry goes, or comes from. */
static void test_join (int unites) {
  element_of *const f = unites ? in_either : in_both;
  const gpumm_matrix *x = &a.there, *y = &b.there;
  gpumm_sparse_work w = {.a = *x, .b = *y};
  const int64_t both = mark (&w, GPUMM_SPARSE_MATCH);
  const int64_t stored = unites ? x->nzmax + y->nzmax - both : both;
  w.c = new_matrix (a.rows, a.cols, stored);
  w.from_a = take (GPUMM_I64, unites ? x->nzmax : stored);
  w.from_b = take (GPUMM_I64, unites ? y->nzmax : stored);
  run (&w, unites ? GPUMM_SPARSE_UNITE : GPUMM_SPARSE_MEET);
  expect (&w.c, f, 1, unites ? "union" : "intersection");
  static int64_t from[MOST * MOST], other[MOST * MOST];
  fetch (&w.from_a, unites ? x->nzmax : stored, from);
  fetch (&w.from_b, unites ? y->nzmax : stored, other);
  int64_t wrong = 0;
  for (int64_t e = 0, p = 0, q = 0, r = 0; e < a.rows * a.cols; e++) {
    const int is_in_c = f (e % a.rows, e / a.rows) != 0;
    if (unites ? a.full[e] != 0 : is_in_c)
      wrong += unites ? from[p] != r : from[r] != p;
    if (unites ? b.full[e] != 0 : is_in_c)
      wrong += unites ? other[q] != r : other[r] != q;
    p += a.full[e] != 0;
    q += b.full[e] != 0;
    r += is_in_c;
  }
  CHECK (!wrong, "places of %s", unites ? "a union" : "an intersection");
}

static void test_transpose (void) {
  gpumm_sparse_work w = {.a = a.there, .c = new_matrix (a.cols, a.rows, a.there.nzmax)};
  run (&w, GPUMM_SPARSE_TRANSPOSE);
  expect (&w.c, transposed, 0, "transpose");
}

/* Packs what is on a diagonal; what is not zero, of a sparse and of a full matrix. */
static void test_marks (void) {
  shift = check_between (-3, 3);
  gpumm_sparse_work w = {.a = a.there, .shift = shift};
  pack (&w, GPUMM_SPARSE_DIAGONAL);
  expect (&w.c, on_diagonal, 0, "diagonal");
  gpumm_matrix here = fetch_compressed (&a.there);
  for (int64_t t = 0; t < here.nzmax; t++)
    if (here.row[t] % 2)
      ((double *) here.values)[t] = 0;
  w = (gpumm_sparse_work){.a = send_compressed (&here)};
  pack (&w, GPUMM_SPARSE_KEEP);
  expect (&w.c, at_even_rows, 0, "without zeros");
  release (&here);
  const int64_t count = a.rows * a.cols;
  const gpumm_view values = send (GPUMM_D, a.full, count);
  w = (gpumm_sparse_work){.a = full_at (&values, a.rows, a.cols, 0)};
  w.a.nzmax = count;
  pack (&w, GPUMM_SPARSE_KEEP);
  expect (&w.c, of_a, 0, "from a full matrix");
  static double places[MOST * MOST];
  int64_t wrong = 0, at = 0;
  w.places = take (GPUMM_D, w.c.nzmax);
  run (&w, GPUMM_SPARSE_PLACES);
  fetch (&w.places, w.c.nzmax, places);
  for (int64_t e = 0; e < count; e++)
    if (a.full[e] != 0)
      wrong += places[at++] != (double) e + 1;
  CHECK (!wrong, "%lld of %lld places are wrong", (long long) wrong, (long long) at);
}

/* Columns of A in any order, one perhaps several times; and offsets from lengths. */
static void test_columns (void) {
  const int64_t cols = a.cols > 0 ? check_between (0, MOST) : 0;
  for (int64_t j = 0; j < cols; j++)
    which[j] = check_between (0, a.cols - 1);
  gpumm_sparse_work w = {.a = a.there, .which = send (GPUMM_I64, which, cols)};
  w.c = new_matrix (a.rows, cols, 0);
  run (&w, GPUMM_SPARSE_LENGTHS);
  const gpumm_view offsets = offsets_of (&w.c), offsets_of_a = offsets_of (&a.there);
  w.c = new_matrix (a.rows, cols, look (&offsets, cols));
  w.c.start = offsets.values;
  w.c.start_buffer = offsets.buffer;
  run (&w, GPUMM_SPARSE_TAKE);
  expect (&w.c, of_columns, 0, "columns");
  static int64_t start[MOST + 1];
  fetch (&offsets_of_a, a.cols + 1, start);
  for (int64_t j = a.cols; j > 0; j--)
    start[j] -= start[j - 1];
  const gpumm_view lengths = send (GPUMM_I64, start, a.cols + 1);
  w = (gpumm_sparse_work){
      .c = {.cols = a.cols, .start = lengths.values, .start_buffer = lengths.buffer}};
  run (&w, GPUMM_SPARSE_OFFSETS);
  CHECK (look (&lengths, a.cols) == a.there.nzmax, "offsets of lengths");
}

/* To a full matrix, and by its elements: A .* A, A ./ A. */
static void test_full (void) {
  const int64_t count = a.rows * a.cols;
  memset (full, 0, sizeof full);
  gpumm_sparse_work w = {
      .a = a.there, .full = send (GPUMM_D, full, count), .full_size = {a.rows, a.cols, 1, 1}};
  w.full.stride[0] = 1;
  w.full.stride[1] = a.rows;
  run (&w, GPUMM_SPARSE_SCATTER);
  fetch (&w.full, count, full);
  CHECK (!memcmp (full, a.full, (size_t) count * sizeof *full), "to a full matrix");
  for (w.divides = 0; w.divides < 2; w.divides++) {
    const gpumm_view values = take (GPUMM_D, a.there.nzmax);
    w.c = a.there;
    w.c.values = values.values;
    w.c.buffer = values.buffer;
    run (&w, GPUMM_SPARSE_SCALE);
    expect (&w.c, w.divides ? divided : squared, 0, w.divides ? "divided" : "multiplied");
  }
}

/* The folds of columns, as a row or a column that stores all of them. */
static void test_folds (void) {
  static const gpumm_fold_op ops[] = {GPUMM_FOLD_SUM, GPUMM_FOLD_MAX, GPUMM_FOLD_MIN,
                                      GPUMM_FOLD_ANY};
  for (int k = 0; k < 8 && a.rows > 0; k++) {
    const int o = k % 4, is_row = k < 4;
    gpumm_sparse_work w = {.a = a.there,
                           .c = is_row ? new_matrix (1, a.cols, a.cols)
                                       : new_matrix (a.cols, 1, a.cols),
                           .fold = ops[o]};
    run (&w, GPUMM_SPARSE_FOLD);
    gpumm_matrix here = fetch_compressed (&w.c);
    int64_t wrong = here.start[0] != 0 || here.start[here.cols] != a.cols;
    for (int64_t j = 0; j < a.cols; j++) {
      double sum = 0, most = -INFINITY, least = INFINITY, any = 0;
      for (int64_t i = 0; i < a.rows; i++) {
        sum += of_a (i, j);
        most = fmax (most, of_a (i, j));
        least = fmin (least, of_a (i, j));
        any += of_a (i, j) != 0;
      }
      const double wanted[] = {sum, most, least, any}; /* ANY counts */
      wrong += ((double *) here.values)[j] != wanted[o] || here.row[j] != (is_row ? 0 : j);
      wrong += is_row && here.start[j] != j;
    }
    CHECK (!wrong, "fold %d: %lld columns of %lld x %lld", o, (long long) wrong, (long long) a.rows,
           (long long) a.cols);
    release (&here);
  }
}

/* Several looks wait once; their entries are of any type, and may be none. */
static void test_looks (void) {
  const int32_t small[] = {7, -8, 9};
  const double large[] = {0.5, 1.5};
  const gpumm_view x = send (GPUMM_I32, small, 3), y = send (GPUMM_D, large, 2),
                   z = take (GPUMM_Z, 0);
  int32_t of_x[3] = {0};
  double of_y[2] = {0};
  const gpumm_read all[] = {{x, 3, of_x}, {z, 0, NULL}, {y, 2, of_y}};
  const int64_t before = gpumm_waits ();
  OK (gpumm_read_back (all, 3));
  CHECK (gpumm_waits () == before + 1, "%lld waits", (long long) (gpumm_waits () - before));
  CHECK (!memcmp (of_x, small, sizeof small) && !memcmp (of_y, large, sizeof large),
         "other entries");
  CHECK (!gpumm_read_back (all, 0) && gpumm_waits () == before + 1, "nothing to look at");
  gpumm_read beyond[] = {all[0], all[2]};
  beyond[1].count = 1 << 20;
  CHECK (gpumm_read_back (beyond, 2) == GPUMM_INVALID, "more entries than the buffer has");
  const gpumm_read nowhere = {x, 3, NULL};
  CHECK (gpumm_read_back (NULL, 1) == GPUMM_INVALID
             && gpumm_read_back (&nowhere, 1) == GPUMM_INVALID,
         "looks to nowhere");
  give_all ();
}

static void test_errors (void) {
  draw_matrix (&a, 3, 4);
  gpumm_sparse_work w = {.op = GPUMM_SPARSE_OPS, .a = a.there};
  CHECK (gpumm_sparse_run (NULL) == GPUMM_INVALID && gpumm_sparse_run (&w) == GPUMM_INVALID,
         "no operation");
  w.op = GPUMM_SPARSE_KEEP;
  w.marks = take (GPUMM_U64, 1);
  w.before = take (GPUMM_I64, 2);
  w.a.nzmax = 1 << 20;
  CHECK (gpumm_sparse_run (&w) == GPUMM_INVALID, "more entries than the buffer has");
  w.a = a.there;
  w.before = take (GPUMM_D, 2);
  CHECK (gpumm_sparse_run (&w) == GPUMM_INVALID, "counts are I64");
  w.op = GPUMM_SPARSE_FOLD;
  for (int shape = 0; shape < 3; shape++) {
    w.c = new_matrix (shape == 2 ? 2 : 1, shape ? 2 : 4, shape ? 4 : 5);
    CHECK (gpumm_sparse_run (&w) == GPUMM_INVALID, "folds in shape %d", shape);
  }
  give_all ();
}

int main (int argc, char **argv) {
  check_seed (20261123);
  take_arguments (argc, argv, &cases);
  for (int n = 0; n < cases; n++) {
    const int64_t least = n < 4 ? 0 : 1, most = n % 4 ? 24 : MOST;
    draw_matrix (&a, check_between (least, most), check_between (least, most));
    draw_matrix (&b, a.rows, a.cols);
    test_join (1);
    test_join (0);
    test_transpose ();
    test_marks ();
    test_columns ();
    test_full ();
    test_folds ();
    give_all ();
  }
  test_looks ();
  test_errors ();
  return released_and_done ();
}
