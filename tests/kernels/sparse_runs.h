/* sparse_runs.h - the kernels of a driver for matrices by compressed rows multiply the operands of
 * a case, each three times.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_SPARSE_RUNS_H
#define GPUMM_TESTS_SPARSE_RUNS_H

#include "host/host.h"
#include "definition.h"

static enum { SPGEMM, BLOCKS, INTEGERS, SETS } set;

static void (*set_order) (gpumm_host_order order, uint64_t seed); /* host device only */
static const char *chosen_kernel = "";                            /* the beginning of its name */

/* ---- operands ----------------------------------------------------------------------------- */

static gpumm_device_matrix upload_operand (const gpumm_matrix *x) {
  const size_t bytes = gpumm_type_bytes (x->type);
  if (x->format == GPUMM_FULL)
    return (gpumm_device_matrix){
        .rows = x->rows,
        .cols = x->cols,
        .block_rows = 1,
        .block_cols = 1,
        .ld = x->ld,
        .values = upload (x->values, (size_t) length_of (x->rows, x->cols, x->ld) * bytes)};
  const size_t elements = (size_t) (x->nzmax * entry_elements (x));
  return (gpumm_device_matrix){
      .rows = lines_of (x),
      .cols = x->cols / x->block_cols,
      .block_rows = x->block_rows,
      .block_cols = x->block_cols,
      .stored = x->nzmax,
      .start = upload (x->start, (size_t) (lines_of (x) + 1) * sizeof *x->start),
      .column = upload (x->block_column, (size_t) x->nzmax * sizeof *x->block_column),
      .values = upload (x->values, elements * bytes)};
}

static void drop_operand (gpumm_device_matrix *x) {
  drop (x->start);
  drop (x->column);
  drop (x->values);
}

/* ---- a run -------------------------------------------------------------------------------- */

enum { RUNS = 3 };

/* Rows of C, in so many pieces; prepared: the workspace stays from one to the next. */
typedef struct {
  int64_t row, count, pieces;
  int prepared;
} range;

/* A full operand on the left: how a row is summed depends on the rows of a piece. */
static range range_of (const test *t, int run) {
  const int64_t rows = t->m;
  range r = {0, rows, run == 0 ? 1 : 2 + below (4), run == 2};
  if (t->full == 'A')
    r.pieces = 1 + rows % 2;
  else if (run == 2) {
    r.row = below (rows + 1);
    r.count = below (rows - r.row + 1);
  }
  return r;
}

static void begin_run (int run) {
  static const gpumm_host_order orders[] = {GPUMM_FORWARDS, GPUMM_BACKWARDS, GPUMM_SHUFFLED};
  if (set_order)
    set_order (orders[run], check_random ());
}

/* A phase of a kernel for the pieces of a range. Operands that are turned lie in the workspace. */
static gpumm_status in_pieces (gpumm_sparse_product *p, const range *r, int is_numeric,
                               const gpumm_sparse_kernel *kernel) {
  gpumm_status status = GPUMM_OK;
  p->prepared = 0;
  for (int64_t piece = 0; piece < r->pieces && !status; piece++) {
    p->row = r->row + r->count * piece / r->pieces;
    p->count = r->row + r->count * (piece + 1) / r->pieces - p->row;
    if (r->prepared && p->count == 0)
      continue;
    if (!p->prepared && p->op_a == GPUMM_NONE && p->op_b == GPUMM_NONE)
      need (driver->fill (0, stream, p->workspace, 0x5a, p->workspace_bytes), "fill");
    status = (is_numeric ? kernel->launch : kernel->symbolic) (0, stream, p);
    if (!status && !is_numeric && kernel->offsets)
      status = kernel->offsets (0, stream, p);
    p->prepared = r->prepared;
  }
  return status ? status : driver->stream_synchronize (0, stream);
}

/* The symbolic phase: counts of the rows, or offsets; other elements of start stay. */
static const char *count_rows (gpumm_sparse_product *p, const range *r, const expected *y,
                               const gpumm_sparse_kernel *kernel) {
  const size_t bytes = (size_t) (y->rows + 1) * sizeof *y->start;
  int64_t *start = check_allocate (y->rows + 1, sizeof *start), untouched;
  memset (start, POISON, bytes);
  memset (&untouched, POISON, sizeof untouched);
  start[r->row] = y->start[r->row]; /* offsets continue from there */
  copy (p->c.start, start, bytes, 1);
  const char *wrong = in_pieces (p, r, 0, kernel) ? driver->error_text () : NULL;
  copy (start, p->c.start, bytes, 0);
  for (int64_t i = 0; i < y->rows && !wrong; i++) {
    const int is_inside = i >= r->row && i < r->row + r->count;
    const int64_t before = kernel->offsets ? 0 : y->start[i];
    if (i + 1 != r->row && start[i + 1] != (is_inside ? y->start[i + 1] - before : untouched))
      wrong = is_inside ? "the length of a row" : "lengths of other rows";
  }
  copy (p->c.start, y->start, bytes, 1);
  free (start);
  return wrong;
}

/* Are these rows of y as in `first`, and is everything else as it was? */
static int is_as_first (const gpumm_sparse_product *p, const written *w, const range *r,
                        const expected *y, size_t block_bytes) {
  char *want = check_allocate (1, w->bytes);
  memcpy (want, w->before, w->bytes);
  for (int64_t j = 0; j < (p->c.start ? 1 : p->c.cols); j++) {
    const int64_t from = p->c.start ? y->start[r->row] : r->row + j * p->c.ld;
    const int64_t count = p->c.start ? y->start[r->row + r->count] - from : r->count;
    const size_t at = GUARD + (size_t) from * block_bytes;
    memcpy (want + at, w->first + at, (size_t) count * block_bytes);
  }
  const int same = memcmp (want, w->now, w->bytes) == 0;
  free (want);
  return same;
}

/* After the first run: each element. */
static const char *check_elements (const test *t, const gpumm_sparse_product *p, const expected *y,
                                   const written *w, const written *column) {
  const int64_t each = y->block_rows * y->block_cols;
  const int32_t *j = (const int32_t *) (column->now + GUARD);
  for (int64_t i = 0; i < y->rows; i++)
    for (int64_t q = y->start[i]; q < y->start[i + 1]; q++) {
      if (!t->full && j[q] != y->column[q])
        return "a column";
      for (int64_t e = q * each; e < (q + 1) * each; e++)
        if (!is_right (t, &y->sums[e], w->now + GUARD, w->before + GUARD,
                       t->full ? i + y->column[q] * p->c.ld : e))
          return "an element";
    }
  return NULL;
}

/* Is a block of these rows all zero? */
static int has_zeros (const test *t, const expected *y, const range *r, const written *w) {
  const int64_t each = y->block_rows * y->block_cols;
  for (int64_t q = y->start[r->row]; q < y->start[r->row + r->count]; q++) {
    int64_t e = 0;
    while (e < each && get (t->output, w->now + GUARD, q * each + e) == 0)
      e++;
    if (e == each)
      return 1;
  }
  return 0;
}

/* The numeric phase. What is wrong, or NULL. */
static const char *multiply_rows (const test *t, gpumm_sparse_product *p, const range *r,
                                  const expected *y, const gpumm_sparse_kernel *kernel,
                                  written *column, written *w, int run) {
  const size_t block = gpumm_type_bytes (t->output) * (size_t) (y->block_rows * y->block_cols);
  int32_t zero = 0;
  copy (column->device, column->before, column->bytes, 1);
  copy (w->device, w->before, w->bytes, 1);
  if (p->zero)
    copy (p->zero, &zero, sizeof zero, 1);
  if (in_pieces (p, r, 1, kernel))
    return driver->error_text ();
  copy (column->now, column->device, column->bytes, 0);
  copy (w->now, w->device, w->bytes, 0);
  if (p->zero)
    copy (&zero, p->zero, sizeof zero, 0);
  if (run == 0) {
    memcpy (column->first, column->now, column->bytes);
    memcpy (w->first, w->now, w->bytes);
  }
  const int64_t each = t->full == 'B' ? t->bm : 1; /* rows of elements of one of blocks */
  const range lines = {r->row * each, r->count * each, 0, 0};
  if (!is_as_first (p, w, &lines, y, block)
      || (!t->full && !is_as_first (p, column, r, y, sizeof (int32_t))))
    return run == 0 ? "wrote outside of C" : "other bits than in the first run";
  const char *wrong = run == 0 ? check_elements (t, p, y, w, column) : NULL;
  if (!wrong && p->zero && zero != has_zeros (t, y, r, w))
    wrong = "blocks of zeros, or none, were not noted";
  return wrong;
}

static void run_kernel (const test *t, gpumm_sparse_product p, const expected *y,
                        const gpumm_sparse_kernel *kernel) {
  const int64_t blocks = y->start[y->rows];
  written column = provide_written ((size_t) (t->full ? 0 : blocks) * sizeof (int32_t));
  const int64_t elements =
      t->full ? length_of (p.c.rows, p.c.cols, p.c.ld) : blocks * t->bm * t->bn;
  written w = provide_written ((size_t) elements * gpumm_type_bytes (t->output));
  const char *wrong = NULL;
  if (t->full)
    draw_before (t, w.before + GUARD, p.c.rows, p.c.cols, p.c.ld);
  p.c.column = t->full ? NULL : inside (&column);
  p.c.values = inside (&w);
  p.c.stored = blocks;
  for (int run = 0; run < RUNS && !wrong; run++) {
    char note[GPUMM_NOTE_BYTES] = "";
    const range r = range_of (t, run);
    gpumm_device_properties left = device; /* little memory makes smaller tiles */
    if (run == 2)
      left.memory_free = below ((int64_t) 200 << 20);
    p.note = note;
    p.row = r.row;
    p.count = r.count;
    p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &left) : 0;
    need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
    need (driver->fill (0, stream, p.workspace, POISON, p.workspace_bytes), "fill");
    begin_run (run);
    if (!t->full)
      wrong = count_rows (&p, &r, y, kernel);
    if (!wrong)
      wrong = multiply_rows (t, &p, &r, y, kernel, &column, &w, run);
    if (wrong)
      printf ("run %d, note %s:\n", run, note);
    drop (p.workspace);
  }
  report (!wrong, "%s", describe (t, kernel->name, wrong ? wrong : ""));
  drop_written (&column);
  drop_written (&w);
}

/* ---- a case ------------------------------------------------------------------------------- */

/* Kernels that make a row of C by one thread, or a block by one launch: not what takes seconds. */
static int is_slow (const test *t, const expected *y, const gpumm_matrix *a, const char *name) {
  const int64_t limit = set_order ? 20000000 : 200000;
  if (strcmp (name, "classic_one") == 0)
    return t->m * t->n > 2000;
  for (int64_t i = 0; i < t->m && strcmp (name, "spgemm_merge") == 0; i++)
    if ((a->start[i + 1] - a->start[i]) * (y->start[i + 1] - y->start[i]) > limit)
      return 1;
  return 0;
}

static int is_of_set (const char *algorithm) {
  static const char *const names[SETS][2] = {
      {"spgemm", "spgemm"}, {"bsr", "spmm"}, {"bsr_integer", "classic"}};
  return strcmp (algorithm, names[set][0]) == 0 || strcmp (algorithm, names[set][1]) == 0;
}

static void run_test (const test *t) {
  gpumm_matrix a = make_operand (t, 1), b = make_operand (t, 0);
  if (t->cancels)
    make_cancel (t, &a, &b);
  expected y = expect (t, &a, &b);
  for (int64_t q = 0; q < y.start[y.rows] && t->cancels; q++)
    if (y.sums[q].ordered_re != 0 || y.sums[q].ordered_im != 0) {
      report (0, "an element that is not 0 is expected");
      break;
    }
  gpumm_sparse_product p = {
      .type_a = t->type,
      .type_b = t->type,
      .type_c = t->output,
      .op_a = t->op_a,
      .op_b = t->op_b,
      .a = upload_operand (&a),
      .b = upload_operand (&b),
      .c = {.rows = t->m, .cols = t->n, .block_rows = t->bm, .block_cols = t->bn},
      .count = t->m,
      .alpha = t->alpha,
      .beta = t->beta,
      .real_a = (t->real & REAL_A) != 0,
      .real_b = (t->real & REAL_B) != 0};
  int32_t *zero = upload (&(int32_t){0}, sizeof *zero);
  int64_t *start = upload (y.start, (size_t) (y.rows + 1) * sizeof *start);
  if (t->full)
    p.c = (gpumm_device_matrix){.rows = y.rows,
                                .cols = t->n * t->bn,
                                .block_rows = 1,
                                .block_cols = 1,
                                .ld = y.rows + t->pad_c};
  else {
    p.c.start = start;
    p.zero = zero;
  }
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *k = *row;
    if (is_of_set (k->algorithm) && strncmp (k->name, chosen_kernel, strlen (chosen_kernel)) == 0
        && k->capability <= device.capability && k->runs (&p, &device)
        && !is_slow (t, &y, &a, k->name))
      run_kernel (t, p, &y, k);
  }
  if (set_order)
    set_order (GPUMM_FORWARDS, 0);
  drop_operand (&p.a);
  drop_operand (&p.b);
  drop (zero);
  drop (start);
  drop_expected (&y);
  release (&a);
  release (&b);
}

#endif
