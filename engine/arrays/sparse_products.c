/* sparse_products.c - products of sparse matrices and of matrices in blocks on a device: checks,
 * and kernels of the table queued on the array stream.
 *
 * A matrix by compressed columns is the transpose of a matrix by rows in blocks of 1 x 1. So the
 * product C' = B' A' by rows is computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include "devices.h"
#include "error.h"
#include "multiply/pass.h"
#include "types.h"

typedef gpumm_array_call call;

/* ---- checks ------------------------------------------------------------------------------- */

/* If is_counted is 0, the matrix is a C whose blocks are still to be counted. */
static gpumm_status check_bsr (call *c, const gpumm_bsr *x, int is_counted, const char *what) {
  if (x->rows < 0 || x->cols < 0 || x->stored < 0 || x->rows >= INT32_MAX || x->cols >= INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "%s: %s has %lld x %lld elements or blocks; a device takes sizes below 2^31",
                       c->name, what, (long long) x->rows, (long long) x->cols);
  if (x->block_rows < 1 || x->block_cols < 1 || x->block_rows >= INT32_MAX / x->block_cols)
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s: %s has blocks of %lld x %lld", c->name, what,
                       (long long) x->block_rows, (long long) x->block_cols);
  const int64_t each = x->block_rows * x->block_cols;
  gpumm_status status = gpumm_check_typed (c, &x->start, GPUMM_I64, x->rows + 1, what);
  if (!status && is_counted && x->stored > INT64_MAX / each)
    status = gpumm_fail (GPUMM_INVALID, "%s: %s has too many blocks", c->name, what);
  if (!status && is_counted)
    status = gpumm_check_typed (c, &x->column, GPUMM_I32, x->stored, what);
  if (!status && is_counted)
    status = gpumm_check_typed (c, &x->values, GPUMM_TYPES, x->stored * each, what);
  return status;
}

/* integers: integer types are allowed, too. */
static gpumm_status check_types (const call *c, int fits, int integers, gpumm_type s, gpumm_type t,
                                 gpumm_type u) {
  if (!fits)
    return gpumm_fail (GPUMM_NONCONFORMANT, "%s: the sizes do not fit", c->name);
  return s == t && s == u && (gpumm_is_float (s) || (integers && gpumm_is_integer (s)))
             ? GPUMM_OK
             : gpumm_fail (GPUMM_INVALID, "%s: not of one type of floating point%s", c->name,
                           integers ? " or integers" : "");
}

/* ---- the queue ---------------------------------------------------------------------------- */

typedef struct {
  const gpumm_sparse_kernel *kernel;
  gpumm_sparse_product p;
  gpumm_symmetry symmetry;
  int counts;
} task;

static gpumm_device_matrix rows_of (const gpumm_bsr *x) {
  return (gpumm_device_matrix){.rows = x->rows,
                               .cols = x->cols,
                               .block_rows = x->block_rows,
                               .block_cols = x->block_cols,
                               .start = x->start.values,
                               .column = x->column.values,
                               .values = x->values.values,
                               .stored = x->stored};
}

/* The work that turns the counts of C's rows into offsets, if the kernel does not. */
static gpumm_sparse_work offsets_of (const task *t) {
  return (gpumm_sparse_work){.op = GPUMM_SPARSE_OFFSETS,
                             .c = {.cols = t->p.c.rows, .start.values = t->p.c.start}};
}

static gpumm_status launch (const call *c, task *t) {
  const gpumm_driver *driver = c->context->driver;
  const int device = c->context->device;
  gpumm_stream *stream = c->stream;
  gpumm_sparse_product *p = &t->p;
  p->workspace = c->workspace;
  const gpumm_mirroring m = {.type = p->type_c, .symmetry = t->symmetry, .c = p->c};
  gpumm_status status = GPUMM_OK;
  if (!t->counts) {
    status = t->kernel->launch (device, stream, p);
    return status || t->symmetry == GPUMM_GENERAL ? status : driver->mirror (device, stream, &m);
  }
  status = driver->fill (device, stream, p->c.start, 0, sizeof *p->c.start);
  if (!status)
    status = driver->fill (device, stream, p->zero, 0, sizeof *p->zero);
  if (!status)
    status = t->kernel->symbolic (device, stream, p);
  if (status || t->kernel->offsets)
    return status ? status : t->kernel->offsets (device, stream, p);
  const gpumm_sparse_work offsets = offsets_of (t);
  return driver->sparse (device, stream, &offsets, c->workspace);
}

/* Queues the last kernel of the algorithm that runs the product. */
static gpumm_status queue_product (call *c, const char *algorithm, task *t) {
  gpumm_device_properties device;
  const gpumm_driver *driver = c->context->driver;
  const gpumm_sparse_kernel *k = NULL;
  gpumm_status status = gpumm_context_seen (c->context, &device);
  while (!status && (k = gpumm_next_sparse_kernel (driver, algorithm, device.capability, k)))
    if (!k->runs || k->runs (&t->p, &device))
      t->kernel = k;
  if (!status && !t->kernel)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: no kernel runs on %s", c->name, device.name);
  if (status)
    return status;
  t->p.workspace_bytes = t->kernel->workspace ? t->kernel->workspace (&t->p, &device) : 0;
  size_t bytes = t->p.workspace_bytes;
  if (t->counts && !t->kernel->offsets) {
    const gpumm_sparse_work offsets = offsets_of (t);
    const size_t least = driver->sparse_bytes (&offsets);
    bytes = bytes < least ? least : bytes;
  }
  status = gpumm_array_begin (c, bytes);
  return status ? status : gpumm_array_end (c, launch (c, t));
}

/* ---- sparse by sparse --------------------------------------------------------------------- */

/* a and b: names of the factors, for errors. */
static gpumm_status multiply (call *c, const char *algorithm, const gpumm_bsr_product *p,
                              const char *a, const char *b, int integers, int counts) {
  gpumm_status status = check_bsr (c, &p->a, 1, a);
  if (!status)
    status = check_bsr (c, &p->b, 1, b);
  if (!status)
    status = check_bsr (c, &p->c, !counts, "C");
  if (!status)
    status = gpumm_check_typed (c, &p->zero, GPUMM_I32, 1, "the flag");
  const gpumm_type type = p->a.values.type;
  if (!status)
    status =
        check_types (c,
                     p->a.cols == p->b.rows && p->c.rows == p->a.rows && p->c.cols == p->b.cols
                         && p->a.block_cols == p->b.block_rows && p->c.block_rows == p->a.block_rows
                         && p->c.block_cols == p->b.block_cols,
                     integers, type, p->b.values.type, counts ? type : p->c.values.type);
  if (!status && p->symmetry != GPUMM_GENERAL
      && (p->c.rows != p->c.cols || p->c.block_rows != p->c.block_cols))
    status = gpumm_fail (GPUMM_INVALID, "%s: a C that is not square has no symmetry", c->name);
  if (status || (!counts && p->c.stored == 0))
    return status;
  task t = {.counts = counts, .symmetry = gpumm_is_float (type) ? p->symmetry : GPUMM_GENERAL};
  t.p = (gpumm_sparse_product){.type_a = type,
                               .type_b = type,
                               .type_c = type,
                               .a = rows_of (&p->a),
                               .b = rows_of (&p->b),
                               .c = rows_of (&p->c),
                               .count = p->c.rows,
                               .alpha = {1, 0},
                               .real_a = p->real_a,
                               .real_b = p->real_b,
                               .zero = p->zero.values};
  return queue_product (c, algorithm, &t);
}

/* The transpose, as blocks of 1 x 1. */
static gpumm_bsr turned (const gpumm_csc *x) {
  return (gpumm_bsr){.rows = x->cols,
                     .cols = x->rows,
                     .stored = x->stored,
                     .block_rows = 1,
                     .block_cols = 1,
                     .start = x->start,
                     .column = x->index,
                     .values = x->values};
}

static gpumm_status multiply_csc (const gpumm_csc_product *p, int counts) {
  call c = {.name = counts ? "sparse product, counting" : "sparse product"};
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
  const gpumm_bsr_product q = {.a = turned (&p->b),
                               .b = turned (&p->a),
                               .c = turned (&p->c),
                               .real_a = p->real_b,
                               .real_b = p->real_a,
                               .zero = p->zero};
  return multiply (&c, "spgemm", &q, "B", "A", 0, counts);
}

gpumm_status gpumm_csc_count (const gpumm_csc_product *p) {
  return multiply_csc (p, 1);
}

gpumm_status gpumm_csc_multiply (const gpumm_csc_product *p) {
  return multiply_csc (p, 0);
}

static gpumm_status multiply_bsr (const gpumm_bsr_product *p, int counts) {
  call c = {.name = counts ? "product of blocks, counting" : "product of blocks"};
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
  const int integers = gpumm_is_integer (p->a.values.type);
  return multiply (&c, integers ? "blocks_integer" : "bsr", p, "A", "B", 1, counts);
}

gpumm_status gpumm_bsr_count (const gpumm_bsr_product *p) {
  return multiply_bsr (p, 1);
}

gpumm_status gpumm_bsr_multiply (const gpumm_bsr_product *p) {
  return multiply_bsr (p, 0);
}

/* ---- by full matrices --------------------------------------------------------------------- */

/* A full matrix as an operand of the kernels. */
static gpumm_status full_rows (call *c, const gpumm_matrix *x, gpumm_device_matrix *rows) {
  const int64_t size[GPUMM_MAP_DIMS] = {x->rows, x->cols, 1, 1};
  const gpumm_view view = {
      .type = x->type, .buffer = x->buffer, .values = x->values, .stride = {1, x->ld}};
  *rows = (gpumm_device_matrix){.rows = x->rows,
                                .cols = x->cols,
                                .block_rows = 1,
                                .block_cols = 1,
                                .values = x->values,
                                .ld = x->ld};
  if (x->ld < x->rows)
    return gpumm_fail (GPUMM_INVALID, "%s: a full matrix has a leading dimension below its rows",
                       c->name);
  return gpumm_check_view (c, &view, size, 0, "a full matrix");
}

/* conjugated: the elements of S are conjugated, for any op. */
static gpumm_status multiply_full (call *c, const gpumm_bsr_full *p, int conjugated) {
  gpumm_device_matrix d = {.start = NULL}, r = d;
  gpumm_status status = check_bsr (c, &p->s, 1, "S");
  if (!status)
    status = full_rows (c, &p->d, &d);
  if (!status)
    status = full_rows (c, &p->c, &r);
  if (status)
    return status;
  const int is_turned = p->op != GPUMM_NONE, other = p->d.op != GPUMM_NONE;
  const int64_t blocks = is_turned ? p->s.cols : p->s.rows;
  const int64_t s_rows = p->s.rows * p->s.block_rows, s_cols = p->s.cols * p->s.block_cols;
  const int64_t rows = is_turned ? s_cols : s_rows, cols = is_turned ? s_rows : s_cols;
  const int64_t d_rows = other ? p->d.cols : p->d.rows, d_cols = other ? p->d.rows : p->d.cols;
  const int fits = p->left ? cols == d_rows && r.rows == rows && r.cols == d_cols
                           : d_cols == rows && r.rows == d_rows && r.cols == cols;
  status = check_types (c, fits, 0, p->s.values.type, p->d.type, p->c.type);
  if (status || r.rows == 0 || r.cols == 0)
    return status;
  task t = {.counts = 0};
  t.p = (gpumm_sparse_product){.type_a = p->c.type,
                               .type_b = p->c.type,
                               .type_c = p->c.type,
                               .a = p->left ? rows_of (&p->s) : d,
                               .b = p->left ? d : rows_of (&p->s),
                               .c = r,
                               .op_a = p->left ? p->op : p->d.op,
                               .op_b = p->left ? p->d.op : p->op,
                               .count = p->left ? blocks : r.rows,
                               .alpha = {1, 0},
                               .real_a = p->left ? p->real_s : p->real_d,
                               .real_b = p->left ? p->real_d : p->real_s,
                               .conjugated = conjugated};
  return queue_product (c, "spmm", &t);
}

gpumm_status gpumm_csc_multiply_full (const gpumm_csc_full *p) {
  call c = {.name = "sparse by full"};
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
  const gpumm_bsr_full q = {.s = turned (&p->s),
                            .op = p->op == GPUMM_NONE ? GPUMM_TRANSPOSE : GPUMM_NONE,
                            .left = p->left,
                            .real_s = p->real_s,
                            .real_d = p->real_d,
                            .d = p->d,
                            .c = p->c};
  return multiply_full (&c, &q, p->op == GPUMM_CTRANSPOSE);
}

gpumm_status gpumm_bsr_multiply_full (const gpumm_bsr_full *p) {
  call c = {.name = "blocks by full"};
  return p ? multiply_full (&c, p, 0) : gpumm_fail (GPUMM_INVALID, "%s: no product", c.name);
}
