/* sparse_arrays.c - sparse matrices on a device: checks, and work queued on the array stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include "error.h"
#include "memory/pool.h"
#include "memory/queue.h"
#include "types.h"

#include <string.h>

typedef gpumm_array_call call;

/* ---- checks ------------------------------------------------------------------------------- */

enum { START = 1, INDEX = 2, VALUES = 4, ALL = 7 };

static gpumm_view view_of (gpumm_type type, gpumm_buffer *buffer, void *values) {
  return (gpumm_view){.type = type, .buffer = buffer, .values = values};
}

/* Also checks the type of the vector. */
static gpumm_status check_typed (call *c, const gpumm_view *x, gpumm_type type, int64_t entries,
                                 const char *what) {
  if (x->type != type)
    return gpumm_fail (GPUMM_INVALID, "%s: %s has elements of type %d and not %d", c->name, what,
                       (int) x->type, (int) type);
  return gpumm_check_vector (c, x, entries, what);
}

/* Checks the sizes, and the arrays named by parts. */
static gpumm_status check_matrix (call *c, const gpumm_matrix *x, int parts, const char *what) {
  if (x->rows < 0 || x->cols < 0 || x->nzmax < 0 || x->rows >= INT32_MAX || x->cols >= INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "%s: %s has %lld x %lld elements; a device takes sizes below 2^31", c->name,
                       what, (long long) x->rows, (long long) x->cols);
  const gpumm_view start = view_of (GPUMM_I64, x->start_buffer, x->start),
                   index = view_of (GPUMM_I32, x->index_buffer, x->index),
                   values = view_of (x->type, x->buffer, x->values);
  gpumm_status status = GPUMM_OK;
  if (parts & START)
    status = gpumm_check_vector (c, &start, x->cols + 1, what);
  if (!status && parts & INDEX)
    status = gpumm_check_vector (c, &index, x->nzmax, what);
  if (!status && parts & VALUES)
    status = gpumm_check_vector (c, &values, x->nzmax, what);
  return status;
}

/* The arrays of a, b and c that each operation reads and writes. */
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
    [GPUMM_SPARSE_OFFSETS] = {"sparse offsets", 0, 0, START},
    [GPUMM_SPARSE_LENGTHS] = {"sparse columns", START, 0, START},
    [GPUMM_SPARSE_TAKE] = {"sparse columns", ALL, 0, ALL},
    [GPUMM_SPARSE_TRANSPOSE] = {"sparse transpose", ALL, 0, ALL},
    [GPUMM_SPARSE_SCALE] = {"sparse scaling", ALL, 0, VALUES},
    [GPUMM_SPARSE_SCATTER] = {"sparse scatter", ALL, 0, 0},
    [GPUMM_SPARSE_FOLD] = {"sparse fold", START | VALUES, 0, ALL}};

/* Checks the vectors and the full array of the work. */
static gpumm_status check_rest (call *c, const gpumm_sparse_work *w) {
  const int op = (int) w->op, unites = op == GPUMM_SPARSE_UNITE;
  gpumm_status status = GPUMM_OK;
  const int64_t words = GPUMM_MARK_WORDS (w->a.nzmax);
  if (op <= GPUMM_SPARSE_MEET)
    status = check_typed (c, &w->marks, GPUMM_U64, words, "the marks");
  if (!status && op <= GPUMM_SPARSE_MEET)
    status = check_typed (c, &w->before, GPUMM_I64, words + 1, "the counts of marks");
  if (!status && (unites || op == GPUMM_SPARSE_MEET)) {
    status = check_typed (c, &w->from_a, GPUMM_I64, unites ? w->a.nzmax : w->c.nzmax,
                          "a vector of places");
    if (!status)
      status = check_typed (c, &w->from_b, GPUMM_I64, unites ? w->b.nzmax : w->c.nzmax,
                            "a vector of places");
  }
  if (!status && (op == GPUMM_SPARSE_LENGTHS || op == GPUMM_SPARSE_TAKE))
    status = check_typed (c, &w->which, GPUMM_I64, w->c.cols, "a vector of columns");
  if (!status && (op == GPUMM_SPARSE_SCALE || op == GPUMM_SPARSE_SCATTER)) {
    status = gpumm_check_view (c, &w->full, w->full_size, op == GPUMM_SPARSE_SCATTER, "an array");
    if (!status && w->a.type != w->full.type)
      status = gpumm_fail (GPUMM_INVALID, "%s: values and array are of different types", c->name);
  }
  if (!status && op == GPUMM_SPARSE_SCALE && w->c.type != w->full.type)
    status = gpumm_fail (GPUMM_INVALID, "%s: values of different types", c->name);
  if (!status && op == GPUMM_SPARSE_FOLD) {
    const gpumm_view folds = view_of (w->c.type, w->c.buffer, w->c.values);
    status = check_typed (c, &folds, gpumm_is_complex (w->a.type) ? GPUMM_Z : GPUMM_D, w->a.cols,
                          "the result");
    if (!status
        && ((w->c.rows != 1 && w->c.cols != 1) || w->c.nzmax != w->a.cols
            || w->c.rows * w->c.cols != w->a.cols))
      status = gpumm_fail (GPUMM_INVALID, "%s: the result is not a vector of %lld stored entries",
                           c->name, (long long) w->a.cols);
  }
  return status;
}

/* ---- operations --------------------------------------------------------------------------- */

gpumm_status gpumm_sparse_run (const gpumm_sparse_work *w) {
  call c = {.name = "sparse"};
  if (!w || (int) w->op < 0 || w->op >= GPUMM_SPARSE_OPS)
    return gpumm_fail (GPUMM_INVALID, "%s: there is no such operation", c.name);
  c.name = needs[w->op].name;
  const int is_full = w->op == GPUMM_SPARSE_PACK && !w->a.start;
  gpumm_status status = check_matrix (
      &c, &w->a, needs[w->op].a | (w->op == GPUMM_SPARSE_PACK && !is_full ? ALL : 0), "A");
  if (!status)
    status = check_matrix (&c, &w->b, needs[w->op].b, "B");
  if (!status)
    status = check_matrix (&c, &w->c, needs[w->op].c, "C");
  if (!status)
    status = check_rest (&c, w);
  if (!status && w->op == GPUMM_SPARSE_TRANSPOSE && w->a.nzmax > INT32_MAX)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: more than 2^31 elements", c.name);
  if (status)
    return status;
  const gpumm_driver *driver = c.context->driver;
  status = gpumm_array_begin (&c, driver->sparse_bytes (w));
  return status
             ? status
             : gpumm_array_end (&c, driver->sparse (c.context->device, c.stream, w, c.workspace));
}

/* Queues the copies of the reads to pinned memory, each at a multiple of 16 bytes. */
static gpumm_status queue_copies (call *c, const gpumm_read *read, int count, char *pinned) {
  gpumm_status status = gpumm_array_begin (c, 0);
  if (status)
    return status;
  for (int i = 0; !status && i < count; i++) {
    const gpumm_view *at = &read[i].at;
    const size_t bytes = (size_t) read[i].count * gpumm_type_bytes (at->type);
    if (bytes > 0)
      status = c->context->driver->copy_down (c->context->device, c->stream, pinned, bytes,
                                              at->values, bytes, bytes, 1);
    pinned += (bytes + 15) / 16 * 16;
  }
  return gpumm_array_end (c, status);
}

gpumm_status gpumm_read_back (const gpumm_read *read, int count) {
  call c = {.name = "read back"};
  gpumm_status status = GPUMM_OK;
  size_t bytes = 0;
  char *pinned = NULL;
  if (!read && count > 0)
    return gpumm_fail (GPUMM_INVALID, "%s: nothing to read is given", c.name);
  for (int i = 0; !status && i < count; i++) {
    status = gpumm_check_vector (&c, &read[i].at, read[i].count, "a vector");
    if (!status && read[i].count > 0 && !read[i].to)
      status = gpumm_fail (GPUMM_INVALID, "%s: no memory on the host for a vector", c.name);
    bytes += ((size_t) read[i].count * gpumm_type_bytes (read[i].at.type) + 15) / 16 * 16;
  }
  if (!c.context) /* no read, or an error */
    return status;
  if (!status)
    status = gpumm_pool_take (c.context, GPUMM_POOL_PINNED, bytes, (void **) &pinned);
  if (!status)
    status = queue_copies (&c, read, count, pinned);
  const gpumm_status waited = gpumm_queue_wait (c.context);
  if (!status)
    status = waited;
  const char *from = pinned;
  for (int i = 0; !status && i < count; i++) {
    const size_t part = (size_t) read[i].count * gpumm_type_bytes (read[i].at.type);
    if (part > 0)
      memcpy (read[i].to, from, part);
    from += (part + 15) / 16 * 16;
  }
  gpumm_pool_give (c.context, GPUMM_POOL_PINNED, pinned);
  return status;
}
