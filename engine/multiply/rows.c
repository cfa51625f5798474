/* rows.c - a product on a device whose C is by compressed rows.
 *
 * spgemm.c and bsr.c say what the operands are and how long a launch takes; this file counts the
 * entries of C, cuts C into pieces and fetches them. The host computes nothing but offsets, and
 * drops zeros.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"
#include "base/progress.h"
#include "base/types.h"

#include <stdio.h>
#include <string.h>

gpumm_rows_product *gpumm_rows_new (struct gpumm_job *job) {
  gpumm_rows_product *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return NULL;
  s->pass.job = job;
  s->pass.product = (gpumm_sparse_product){.c = gpumm_device_matrix_of (&job->shape, 0),
                                           .alpha = job->problem.alpha};
  s->pass.product.count = s->pass.product.c.rows;
  s->start = gpumm_own (&job->memory, s->pass.product.count + 1, sizeof *s->start);
  job->shape.nzmax = 0;
  return s->start ? s : NULL;
}

void gpumm_rows_close (struct gpumm_job *job) {
  if (job->state)
    gpumm_pass_close (job->state);
}

/* ---- memory ------------------------------------------------------------------------------- */

static size_t value_bytes (const gpumm_device_matrix *x, gpumm_type type) {
  return (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (type);
}

static void *place (char *base, size_t *used, int64_t count, size_t element) {
  void *p = base ? base + *used : NULL;
  *used += ((size_t) count * element + 255) / 256 * 256;
  return p;
}

/* Places the structures and the flag for zeros from base on; returns their bytes. */
static size_t lay_out (gpumm_rows_product *s, char *base) {
  gpumm_sparse_product *p = &s->pass.product;
  size_t used = 0;
  for (int i = 0, operands = s->is_same ? 1 : 2; i < operands; i++) {
    gpumm_device_matrix *x = i ? &p->b : &p->a;
    x->start = place (base, &used, x->rows + 1, sizeof *x->start);
    x->column = place (base, &used, x->stored, sizeof *x->column);
  }
  p->c.start = place (base, &used, p->c.rows + 1, sizeof *p->c.start);
  p->zero = place (base, &used, 1, sizeof *p->zero);
  return used;
}

gpumm_status gpumm_rows_open (gpumm_rows_product *s, const char *what, gpumm_describe *describe) {
  gpumm_pass *pass = &s->pass;
  gpumm_sparse_product *p = &pass->product;
  gpumm_status status = gpumm_count_products (&s->a, &s->b, &s->pairs);
  if (!status)
    status = gpumm_check_least (&pass->job->shape, s->pairs, &s->a, &s->b);
  if (status)
    return status;
  gpumm_pass_open (pass, pass->job, what);
  p->a = gpumm_device_matrix_of (&s->a, 1);
  p->b = gpumm_device_matrix_of (&s->b, 1);
  p->pairs = (int64_t) s->pairs;
  char *const memory = gpumm_pass_take (pass, (int64_t) lay_out (s, NULL), 1);
  lay_out (s, memory);
  p->a.values = gpumm_pass_take (pass, p->a.stored, value_bytes (&p->a, p->type_a));
  if (s->is_same)
    p->b = p->a;
  else
    p->b.values = gpumm_pass_take (pass, p->b.stored, value_bytes (&p->b, p->type_b));
  return gpumm_pass_choose (pass, describe);
}

/* On the host device each step of a product of elements is one launch (spgemm_merge). */
static void tell_launches (const struct gpumm_job *job, int64_t count) {
  if (job->plan.backend == GPUMM_CPU && job->shape.format == GPUMM_SPARSE)
    gpumm_progress_of_launches ((double) count);
}

/* ---- open --------------------------------------------------------------------------------- */

/* Launches of half the usual length: even a tenfold slower kernel is then cancelled within 0.1 s. A
 * row of C is taken to need time in proportion to the entries of A in this row. */
gpumm_status gpumm_rows_count (gpumm_rows_product *s, double seconds) {
  gpumm_pass *pass = &s->pass;
  gpumm_sparse_product *c = &pass->product;
  const int64_t rows = c->c.rows;
  if (rows == 0 || c->c.cols == 0)
    return GPUMM_OK;
  const int64_t launches = gpumm_launch_count (2 * seconds);
  const int64_t *before = gpumm_is_turned (&s->a) ? NULL : s->a.start;
  const gpumm_cut cut = {.start = before,
                         .lines = rows,
                         .most_lines = before ? rows : gpumm_pieces (rows, launches),
                         .most = before ? before[rows] / launches + 1 : 0};
  int64_t largest;
  const int64_t count = gpumm_cut_count (&cut, &largest);
  gpumm_steps steps = gpumm_make_steps (pass, count + 1);
  for (int64_t i = 0, row = 0; i < count && !pass->status; i++) {
    gpumm_task *t = &steps.task[i];
    t->counts = 1;
    t->p.row = row;
    row = gpumm_cut_end (&cut, row);
    t->p.count = row - t->p.row;
    steps.step[i].seconds = seconds / (double) count;
  }
  if (!pass->status) {
    gpumm_bring_structure (&steps.step[0], &s->a, &c->a);
    if (!s->is_same)
      gpumm_bring_structure (&steps.step[0], &s->b, &c->b);
    /* what the run needs of B, or of both if they are one matrix, while the entries are counted */
    steps.step[count].task = NULL;
    gpumm_bring_values (&steps.step[count], &s->b, &c->b, c->type_b);
    gpumm_fetch (&steps.step[count - 1], c->c.start, s->start, rows + 1, sizeof *s->start,
                 GPUMM_AS_IT_IS);
  }
  tell_launches (pass->job, count);
  gpumm_pass_run (pass, &steps, NULL, 0);
  gpumm_release_steps (&steps);
  for (int64_t i = 0; i < rows && !pass->status && !pass->kernel->offsets; i++)
    s->start[i + 1] += s->start[i];
  if (!pass->status)
    pass->job->shape.nzmax = s->start[rows];
  return pass->status;
}

/* ---- run ---------------------------------------------------------------------------------- */

int gpumm_rows_begin (gpumm_rows_product *s, gpumm_matrix *c) {
  struct gpumm_job *job = s->pass.job;
  gpumm_report *r = &job->report;
  const int64_t rows = s->pass.product.c.rows;
  if (s->pass.kernel)
    snprintf (r->kernel, sizeof r->kernel, "%s", s->pass.kernel->name);
  r->flops = gpumm_compressed_flops (&s->pass, s->pairs);
  if (s->start[rows] > 0)
    return 1;
  memset (c->start, 0, (size_t) (rows + 1) * sizeof *s->start);
  return 0;
}

int64_t gpumm_rows_bytes (const gpumm_rows_product *s) {
  const gpumm_sparse_product *p = &s->pass.product;
  return (int64_t) (value_bytes (&p->c, p->type_c) + sizeof *p->c.column);
}

int64_t gpumm_rows_room (const gpumm_rows_product *s) {
  enum { ROUNDED = 2 << 20 }; /* the pool rounds up by less than this, values and indices */
  const int64_t room = s->pass.device.memory_free - 2 * ROUNDED;
  return room > 0 ? room / gpumm_rows_bytes (s) : 0;
}

/* A's values go up in pieces of at least this size, as a copy of fewer bytes takes as long. */
static const double LEAST_UPLOAD = 256 << 10;

/* Uploads what the launches need of A's values: if each needs no more than its rows, only
 * these, so that the first piece of C need not wait for all. */
static void bring_a (const gpumm_rows_product *s, const gpumm_steps *steps, int64_t pieces) {
  const gpumm_sparse_product *p = &s->pass.product;
  const size_t bytes = gpumm_entry_bytes (&s->a), there = value_bytes (&p->a, p->type_a);
  const int is_whole = p->op_a != GPUMM_NONE
                       || (double) p->a.stored * (double) bytes < LEAST_UPLOAD * (double) pieces;
  for (int64_t i = 0; i < (is_whole ? 1 : pieces); i++) {
    const gpumm_sparse_product *piece = &steps->task[i].p;
    const int64_t first = is_whole ? 0 : s->a.start[piece->row];
    gpumm_matrix from = s->a;
    gpumm_device_matrix to = p->a;
    from.values = (char *) from.values + (size_t) first * bytes;
    to.values = (char *) to.values + (size_t) first * there;
    to.stored = (is_whole ? p->a.stored : s->a.start[piece->row + piece->count]) - first;
    gpumm_bring_values (&steps->step[i], &from, &to, p->type_a);
  }
}

/* Makes *p the launch of rows row to before end of C, with entries from `at` on in the buffers, and
 * adds their downloads. */
static void add_piece (const gpumm_rows_product *s, gpumm_step *step, gpumm_sparse_product *p,
                       int64_t row, int64_t end, int64_t at, const gpumm_matrix *c) {
  const int64_t first = s->start[row], entries = s->start[end] - first;
  const size_t element = gpumm_type_bytes (c->type), bytes = value_bytes (&p->c, c->type);
  gpumm_fetch (step, (char *) p->c.values + (size_t) at * bytes,
               (char *) c->values + (size_t) first * bytes, entries * (int64_t) (bytes / element),
               element, GPUMM_AS_IT_IS);
  gpumm_fetch (step, p->c.column + at, (char *) c->index + (size_t) first * gpumm_index_bytes (c),
               entries, gpumm_index_bytes (c), gpumm_index_form (c));
  p->row = row;
  p->count = end - row;
  /* the kernel adds C's offsets, which count from the beginning of C */
  p->c.values = (void *) ((uintptr_t) p->c.values + (uintptr_t) (at - first) * bytes);
  p->c.column = (int32_t *) ((uintptr_t) p->c.column + (uintptr_t) (at - first) * sizeof (int32_t));
  p->c.stored = entries;
}

gpumm_status gpumm_rows_multiply (gpumm_rows_product *s, gpumm_matrix *c, int64_t most_rows,
                                  int64_t most_entries, int64_t buffers, double seconds) {
  gpumm_pass *pass = &s->pass;
  gpumm_sparse_product *p = &pass->product;
  const int64_t rows = p->c.rows, stored = s->start[rows];
  const gpumm_cut cut = {s->start, rows, most_rows, most_entries};
  int64_t largest;
  int32_t zero = 0;
  const int64_t count = gpumm_cut_count (&cut, &largest);
  const int64_t room = buffers < count ? buffers * largest : stored;
  if (s->is_same && pass->job->trace) /* a trace counts A and B apart */
    p->a.values = gpumm_pass_take (pass, p->a.stored, value_bytes (&p->a, p->type_a));
  p->c.values = gpumm_pass_take (pass, room, value_bytes (&p->c, c->type));
  p->c.column = gpumm_pass_take (pass, room, sizeof *p->c.column);
  gpumm_steps steps = gpumm_make_steps (pass, count + 1);
  for (int64_t i = 0, row = 0, end; i < count && !pass->status; i++, row = end) {
    end = gpumm_cut_end (&cut, row);
    const int64_t at = buffers < count ? i % buffers * largest : s->start[row];
    add_piece (s, &steps.step[i], &steps.task[i].p, row, end, at, c);
    steps.step[i].after_download = i >= buffers ? i - buffers : -1;
    steps.step[i].seconds = seconds * (double) (s->start[end] - s->start[row]) / (double) stored;
  }
  if (!pass->status) {
    if (!pass->kernel->offsets) /* else it has computed them on the device */
      gpumm_send (&steps.step[0], s->start, p->c.start, rows + 1, sizeof *s->start, GPUMM_AS_IT_IS);
    if (p->a.values != p->b.values)
      bring_a (s, &steps, count);
    steps.step[count].task = NULL;
    gpumm_fetch (&steps.step[count], p->zero, &zero, 1, sizeof zero, GPUMM_AS_IT_IS);
  }
  tell_launches (pass->job, count);
  void *const traced[] = {p->a.values, p->b.values, p->c.values, p->workspace};
  memcpy (pass->traced, traced, sizeof traced);
  gpumm_pass_run (pass, &steps, c, stored);
  gpumm_release_steps (&steps);
  memcpy (c->start, s->start, (size_t) (rows + 1) * sizeof *s->start);
  if (!pass->status && zero)
    pass->status = gpumm_drop_zeros (c);
  return pass->status;
}
