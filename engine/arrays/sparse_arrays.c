/* sparse_arrays.c - sparse matrices on a device: checks, and work queued on the array stream.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include "devices.h"
#include "error.h"
#include "memory/pool.h"
#include "memory/queue.h"
#include "multiply/pass.h"
#include "types.h"

#include <stdio.h>
#include <string.h>

typedef gpumm_array_call call;

/* ---- checks ------------------------------------------------------------------------------- */

enum { START = 1, INDEX = 2, VALUES = 4, ALL = 7 };

/* A vector of this type, or of any. */
static gpumm_status check_vector (call *c, const gpumm_view *x, gpumm_type type, int64_t entries,
                                  const char *what) {
  if (type != GPUMM_TYPES && x->type != type)
    return gpumm_fail (GPUMM_INVALID, "%s: %s has elements of type %d and not %d", c->name, what,
                       (int) x->type, (int) type);
  return gpumm_check_vector (c, x, entries, what);
}

/* Sizes, and those of its arrays that are asked for. */
static gpumm_status check_csc (call *c, const gpumm_csc *x, int parts, const char *what) {
  if (x->rows < 0 || x->cols < 0 || x->stored < 0 || x->rows >= INT32_MAX || x->cols >= INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "%s: %s has %lld x %lld elements; a device takes sizes below 2^31", c->name,
                       what, (long long) x->rows, (long long) x->cols);
  gpumm_status status = GPUMM_OK;
  if (parts & START)
    status = check_vector (c, &x->start, GPUMM_I64, x->cols + 1, what);
  if (!status && parts & INDEX)
    status = check_vector (c, &x->index, GPUMM_I32, x->stored, what);
  if (!status && parts & VALUES)
    status = check_vector (c, &x->values, GPUMM_TYPES, x->stored, what);
  return status;
}

/* Which arrays of a, b and c an operation reads and writes. */
static const struct {
  const char *name;
  unsigned char a, b, c;
} needs[GPUMM_SPARSE_OPS] = {
    [GPUMM_SPARSE_KEEP] = {"sparse marks", VALUES, 0, 0},
    [GPUMM_SPARSE_DIAGONAL] = {"sparse marks", START | INDEX, 0, 0},
    [GPUMM_SPARSE_MATCH] = {"sparse marks", START | INDEX, START | INDEX, 0},
    [GPUMM_SPARSE_PACK] = {"sparse pack", VALUES, 0, ALL},
    [GPUMM_SPARSE_UNITE] = {"sparse union", START | INDEX, START | INDEX, START | INDEX},
    [GPUMM_SPARSE_MEET] = {"sparse intersection", START | INDEX, START | INDEX, START | INDEX},
    [GPUMM_SPARSE_LENGTHS] = {"sparse columns", START, 0, START},
    [GPUMM_SPARSE_TAKE] = {"sparse columns", ALL, 0, ALL},
    [GPUMM_SPARSE_TRANSPOSE] = {"sparse transpose", ALL, 0, ALL},
    [GPUMM_SPARSE_SCALE] = {"sparse scaling", ALL, 0, VALUES},
    [GPUMM_SPARSE_SCATTER] = {"sparse scatter", ALL, 0, 0},
    [GPUMM_SPARSE_FOLD] = {"sparse fold", START | VALUES, 0, 0}};

/* The vectors and the full array beside a, b and c. */
static gpumm_status check_rest (call *c, const gpumm_sparse_work *w) {
  const int op = (int) w->op, unites = op == GPUMM_SPARSE_UNITE;
  gpumm_status status = GPUMM_OK;
  const int64_t words = GPUMM_MARK_WORDS (w->a.stored);
  if (op <= GPUMM_SPARSE_MEET)
    status = check_vector (c, &w->marks, GPUMM_U64, words, "the marks");
  if (!status && op <= GPUMM_SPARSE_MEET)
    status = check_vector (c, &w->before, GPUMM_I64, words + 1, "the counts of marks");
  if (!status && (unites || op == GPUMM_SPARSE_MEET)) {
    status = check_vector (c, &w->from_a, GPUMM_I64, unites ? w->a.stored : w->c.stored,
                           "a vector of places");
    if (!status)
      status = check_vector (c, &w->from_b, GPUMM_I64, unites ? w->b.stored : w->c.stored,
                             "a vector of places");
  }
  if (!status && (op == GPUMM_SPARSE_LENGTHS || op == GPUMM_SPARSE_TAKE))
    status = check_vector (c, &w->which, GPUMM_I64, w->c.cols, "a vector of columns");
  if (!status && (op == GPUMM_SPARSE_SCALE || op == GPUMM_SPARSE_SCATTER)) {
    status = gpumm_check_view (c, &w->full, w->full_size, op == GPUMM_SPARSE_SCATTER, "an array");
    if (!status && w->a.values.type != w->full.type)
      status = gpumm_fail (GPUMM_INVALID, "%s: values and array are of different types", c->name);
  }
  if (!status && op == GPUMM_SPARSE_SCALE && w->c.values.type != w->full.type)
    status = gpumm_fail (GPUMM_INVALID, "%s: values of different types", c->name);
  if (!status && op == GPUMM_SPARSE_FOLD)
    status = check_vector (c, &w->c.values, w->a.values.type == GPUMM_Z ? GPUMM_Z : GPUMM_D,
                           w->a.cols, "the result");
  return status;
}

/* ---- operations --------------------------------------------------------------------------- */

static gpumm_status launch_work (gpumm_context *context, gpumm_stream *stream, const void *what,
                                 void *workspace) {
  return context->driver->sparse (context->device, stream, what, workspace);
}

gpumm_status gpumm_sparse_run (const gpumm_sparse_work *w) {
  call c = {.name = "sparse"};
  if (!w || (int) w->op < 0 || w->op >= GPUMM_SPARSE_OPS)
    return gpumm_fail (GPUMM_INVALID, "%s: there is no such operation", c.name);
  c.name = needs[w->op].name;
  const int is_full = w->op == GPUMM_SPARSE_PACK && !w->a.start.values;
  gpumm_status status = check_csc (
      &c, &w->a, needs[w->op].a | (w->op == GPUMM_SPARSE_PACK && !is_full ? ALL : 0), "A");
  if (!status)
    status = check_csc (&c, &w->b, needs[w->op].b, "B");
  if (!status)
    status = check_csc (&c, &w->c, needs[w->op].c, "C");
  if (!status)
    status = check_rest (&c, w);
  if (!status && w->op == GPUMM_SPARSE_TRANSPOSE && w->a.stored > INT32_MAX)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: more than 2^31 elements", c.name);
  if (status || !c.context->driver->sparse)
    return status ? status : gpumm_fail (GPUMM_UNSUPPORTED, "%s: not on this device", c.name);
  return gpumm_queue_launch (&c, launch_work, w, c.context->driver->sparse_bytes (w));
}

gpumm_status gpumm_look (const gpumm_view *x, int64_t count, void *to) {
  call c = {.name = "look"};
  gpumm_status status = gpumm_check_vector (&c, x, count, "a vector");
  const size_t bytes = (size_t) count * gpumm_type_bytes (x->type);
  gpumm_stream *stream = NULL;
  void *pinned = NULL;
  if (!status)
    status = gpumm_queue_failure (c.context);
  if (!status)
    status = gpumm_pool_take (c.context, GPUMM_POOL_PINNED, bytes, &pinned);
  if (!status)
    status = gpumm_queue_begin (c.context, &stream);
  if (!status) {
    status = c.context->driver->copy_down (c.context->device, stream, pinned, bytes, x->values,
                                           bytes, bytes, 1);
    if (status)
      gpumm_fail (status, "%s: %s", c.name, c.context->driver->error_text ());
    gpumm_queue_end (c.context, c.name);
  }
  const gpumm_status waited = c.context ? gpumm_queue_wait (c.context) : GPUMM_OK;
  if (!status)
    status = waited;
  if (!status)
    memcpy (to, pinned, bytes);
  if (c.context)
    gpumm_pool_give (c.context, GPUMM_POOL_PINNED, pinned);
  return status;
}

/* ---- products ----------------------------------------------------------------------------- */

typedef struct {
  const gpumm_sparse_kernel *kernel;
  gpumm_sparse_product p;
  int counts;
} task;

/* The columns of x as rows, of its transpose. */
static gpumm_rows rows_of (const gpumm_csc *x) {
  return (gpumm_rows){.rows = x->cols,
                      .cols = x->rows,
                      .block_rows = 1,
                      .block_cols = 1,
                      .start = x->start.values,
                      .column = x->index.values,
                      .values = x->values.values,
                      .stored = x->stored};
}

static gpumm_status launch_product (gpumm_context *context, gpumm_stream *stream, const void *what,
                                    void *workspace) {
  const task *t = what;
  const gpumm_driver *driver = context->driver;
  const int device = context->device;
  gpumm_sparse_product p = t->p;
  p.workspace = workspace;
  if (!t->counts)
    return t->kernel->launch (device, stream, &p);
  gpumm_status status = driver->fill (device, stream, p.c.start, 0, sizeof *p.c.start);
  if (!status)
    status = driver->fill (device, stream, p.zero, 0, sizeof *p.zero);
  if (!status)
    status = t->kernel->symbolic (device, stream, &p);
  return status || !t->kernel->offsets ? status : t->kernel->offsets (device, stream, &p);
}

/* Takes the last kernel of the algorithm that runs the product, and queues it. */
static gpumm_status queue_product (const call *c, const char *algorithm, task *t) {
  gpumm_device_properties device;
  const gpumm_sparse_kernel *k = NULL;
  gpumm_status status = gpumm_context_seen (c->context, &device);
  while (!status
         && (k = gpumm_next_sparse_kernel (c->context->driver, algorithm, device.capability, k)))
    if (!k->runs || k->runs (&t->p, &device))
      t->kernel = k;
  if (!status && !t->kernel)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: no kernel runs on %s", c->name, device.name);
  if (status)
    return status;
  t->p.workspace_bytes = t->kernel->workspace ? t->kernel->workspace (&t->p, &device) : 0;
  return gpumm_queue_launch (c, launch_product, t, t->p.workspace_bytes);
}

/* Do sizes and types fit? */
static gpumm_status check_types (const call *c, int fits, gpumm_type s, gpumm_type t,
                                 gpumm_type u) {
  if (!fits)
    return gpumm_fail (GPUMM_NONCONFORMANT, "%s: the sizes do not fit", c->name);
  return s == t && s == u && (s == GPUMM_D || s == GPUMM_Z)
             ? GPUMM_OK
             : gpumm_fail (GPUMM_INVALID, "%s: not of one type, double or complex", c->name);
}

/* C' = B' A' by rows. */
static gpumm_status multiply (const gpumm_csc_product *p, int counts) {
  call c = {.name = counts ? "sparse product, counting" : "sparse product"};
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
  gpumm_status status = check_csc (&c, &p->a, ALL, "A");
  if (!status)
    status = check_csc (&c, &p->b, ALL, "B");
  if (!status)
    status = check_csc (&c, &p->c, counts ? START : ALL, "C");
  if (!status)
    status = check_vector (&c, &p->zero, GPUMM_I32, 1, "the flag");
  if (!status)
    status = check_types (
        &c, p->a.cols == p->b.rows && p->c.rows == p->a.rows && p->c.cols == p->b.cols,
        p->a.values.type, p->b.values.type, counts ? p->a.values.type : p->c.values.type);
  if (status)
    return status;
  task t = {.counts = counts};
  t.p = (gpumm_sparse_product){.type_a = p->b.values.type,
                               .type_b = p->b.values.type,
                               .type_c = p->b.values.type,
                               .a = rows_of (&p->b),
                               .b = rows_of (&p->a),
                               .c = rows_of (&p->c),
                               .count = p->c.cols,
                               .alpha = {1, 0},
                               .real_a = p->real_b,
                               .real_b = p->real_a,
                               .zero = p->zero.values};
  return queue_product (&c, "spgemm", &t);
}

gpumm_status gpumm_csc_count (const gpumm_csc_product *p) {
  return multiply (p, 1);
}

gpumm_status gpumm_csc_multiply (const gpumm_csc_product *p) {
  return multiply (p, 0);
}

/* A full matrix, as the kernels take it. */
static gpumm_status full_rows (call *c, const gpumm_matrix *x, gpumm_rows *rows) {
  const int64_t size[GPUMM_MAP_DIMS] = {x->rows, x->cols, 1, 1};
  const gpumm_view view = {
      .type = x->type, .buffer = x->buffer, .values = x->values, .stride = {1, x->ld}};
  *rows = (gpumm_rows){.rows = x->rows,
                       .cols = x->cols,
                       .block_rows = 1,
                       .block_cols = 1,
                       .values = x->values,
                       .ld = x->ld};
  return gpumm_check_view (c, &view, size, 0, "a full matrix");
}

gpumm_status gpumm_csc_multiply_full (const gpumm_csc_full *p) {
  call c = {.name = "sparse by full"};
  task t = {.counts = 0};
  gpumm_rows d, r;
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
  gpumm_status status = check_csc (&c, &p->s, ALL, "S");
  if (!status)
    status = full_rows (&c, &p->d, &d);
  if (!status)
    status = full_rows (&c, &p->c, &r);
  const int turned = p->op != GPUMM_NONE, other = p->d.op != GPUMM_NONE;
  const int64_t rows = turned ? p->s.cols : p->s.rows, cols = turned ? p->s.rows : p->s.cols;
  const int64_t d_rows = other ? p->d.cols : p->d.rows, d_cols = other ? p->d.rows : p->d.cols;
  const int fits = p->left ? cols == d_rows && r.rows == rows && r.cols == d_cols
                           : d_cols == rows && r.rows == d_rows && r.cols == cols;
  if (!status)
    status = check_types (&c, fits, p->s.values.type, p->d.type, p->c.type);
  if (status || r.rows == 0 || r.cols == 0)
    return status;
  /* the rows are those of the transpose of S */
  const gpumm_op op = turned ? GPUMM_NONE : GPUMM_TRANSPOSE;
  t.p = (gpumm_sparse_product){.type_a = p->c.type,
                               .type_b = p->c.type,
                               .type_c = p->c.type,
                               .a = p->left ? rows_of (&p->s) : d,
                               .b = p->left ? d : rows_of (&p->s),
                               .c = r,
                               .op_a = p->left ? op : p->d.op,
                               .op_b = p->left ? p->d.op : op,
                               .count = r.rows,
                               .alpha = {1, 0},
                               .real_a = p->left ? p->real_s : p->real_d,
                               .real_b = p->left ? p->real_d : p->real_s,
                               .conjugated = p->op == GPUMM_CTRANSPOSE};
  return queue_product (&c, "spmm", &t);
}
