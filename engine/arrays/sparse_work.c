/* sparse_work.c - sparse matrices on a device: checks, and work queued on the array stream.
 *
 * The checks use types, sizes and addresses, which the host knows, and read no entry: only the
 * device knows how many entries are marked. Only gpumm_read_back waits for the device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/types.h"
#include "calls.h"
#include "gpumm_folds.h"
#include "memory/pool.h"
#include "memory/queue.h"

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
  if (x->rows < 0 || x->cols < 0 || x->nzmax < 0)
    return gpumm_fail (GPUMM_INVALID, "%s: %s has negative sizes", c->name, what);
  if (x->rows >= INT32_MAX || x->cols >= INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "%s: %s has %lld x %lld elements; a device takes sizes below 2^31", c->name,
                       what, (long long) x->rows, (long long) x->cols);
  if (parts & INDEX && x->nzmax > x->rows * x->cols)
    return gpumm_fail (GPUMM_INVALID, "%s: %s stores %lld of %lld x %lld elements", c->name, what,
                       (long long) x->nzmax, (long long) x->rows, (long long) x->cols);
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

/* The arrays of a, b and c that each operation reads and writes, and which sizes of C are those of
 * A; SAME_TYPE: also the type of its values. */
enum { ROWS = 1, COLS = 2, TURNED = 4, SAME_TYPE = 8 };
static const struct {
  const char *name;
  unsigned char a, b, c, like_a;
} needs[GPUMM_SPARSE_OPS] = {
    [GPUMM_SPARSE_KEEP] = {"sparse marks", VALUES, 0, 0, 0},
    [GPUMM_SPARSE_DIAGONAL] = {"sparse marks", START | INDEX, 0, 0, 0},
    [GPUMM_SPARSE_MATCH] = {"sparse marks", START | INDEX, START | INDEX, 0, 0},
    [GPUMM_SPARSE_PACK] = {"sparse pack", VALUES, 0, ALL, ROWS | COLS | SAME_TYPE},
    [GPUMM_SPARSE_PLACES] = {"sparse places", 0, 0, 0, 0},
    [GPUMM_SPARSE_UNITE] = {"sparse union", START | INDEX, START | INDEX, START | INDEX,
                            ROWS | COLS},
    [GPUMM_SPARSE_MEET] = {"sparse intersection", START | INDEX, START | INDEX, START | INDEX,
                           ROWS | COLS},
    [GPUMM_SPARSE_OFFSETS] = {"sparse offsets", 0, 0, START, 0},
    [GPUMM_SPARSE_LENGTHS] = {"sparse columns", START, 0, START, ROWS},
    [GPUMM_SPARSE_TAKE] = {"sparse columns", ALL, 0, ALL, ROWS | SAME_TYPE},
    [GPUMM_SPARSE_TRANSPOSE] = {"sparse transpose", ALL, 0, ALL, TURNED | SAME_TYPE},
    [GPUMM_SPARSE_SCALE] = {"sparse scaling", ALL, 0, VALUES, SAME_TYPE},
    [GPUMM_SPARSE_SCATTER] = {"sparse scatter", ALL, 0, 0, 0},
    [GPUMM_SPARSE_FOLD] = {"sparse fold", START | VALUES, 0, ALL, 0}};

static gpumm_status fail_size (const call *c, const char *what, const gpumm_matrix *x,
                               const gpumm_matrix *a) {
  return gpumm_fail (GPUMM_INVALID, "%s: %s of %lld x %lld elements does not fit A of %lld x %lld",
                     c->name, what, (long long) x->rows, (long long) x->cols, (long long) a->rows,
                     (long long) a->cols);
}

/* Checks that C has room for what comes of A and B, as far as their sizes tell: only the device
 * knows how many entries are marked. */
static gpumm_status check_room (const call *c, const gpumm_sparse_work *w) {
  const int64_t a = w->a.nzmax, b = w->b.nzmax, least_of_both = gpumm_least (a, b);
  int64_t least = 0, most = INT64_MAX;
  switch (w->op) {
  case GPUMM_SPARSE_PACK:
  case GPUMM_SPARSE_PLACES:
    most = a;
    break;
  case GPUMM_SPARSE_MEET:
    most = least_of_both;
    break;
  case GPUMM_SPARSE_UNITE:
    least = a + b - least_of_both;
    most = a + b;
    break;
  case GPUMM_SPARSE_TRANSPOSE:
  case GPUMM_SPARSE_SCALE:
    least = most = a;
    break;
  case GPUMM_SPARSE_FOLD:
    least = most = w->a.cols;
    break;
  default:
    break;
  }
  return w->c.nzmax >= least && w->c.nzmax <= most
             ? GPUMM_OK
             : gpumm_fail (GPUMM_INVALID,
                           "%s: C stores %lld entries, which do not fit the %lld of A%s", c->name,
                           (long long) w->c.nzmax, (long long) a, needs[w->op].b ? " and B" : "");
}

/* Checks that a, b and c fit each other: sizes, types and nzmax. */
static gpumm_status check_fit (const call *c, const gpumm_sparse_work *w) {
  const int like_a = needs[w->op].like_a;
  const gpumm_matrix *x = &w->c, *a = &w->a;
  if (needs[w->op].b && (w->b.rows != a->rows || w->b.cols != a->cols))
    return fail_size (c, "B", &w->b, a);
  if ((like_a & ROWS && x->rows != a->rows) || (like_a & COLS && x->cols != a->cols)
      || (like_a & TURNED && (x->rows != a->cols || x->cols != a->rows)))
    return fail_size (c, "C", x, a);
  if (w->op == GPUMM_SPARSE_FOLD
      && ((x->rows != 1 && x->cols != 1) || x->rows * x->cols != a->cols || x->nzmax != a->cols))
    return gpumm_fail (GPUMM_INVALID, "%s: the result is not a vector of %lld stored entries",
                       c->name, (long long) a->cols);
  if (like_a & SAME_TYPE && x->type != a->type)
    return gpumm_fail (GPUMM_INVALID, "%s: C is %s and A %s: both must be of one type", c->name,
                       gpumm_type_name (x->type), gpumm_type_name (a->type));
  return check_room (c, w);
}

/* Checks the full array of SCALE and SCATTER, at (row, column) of the entries of A. A scale with a
 * stride of 0 needs one entry along that dimension. */
static gpumm_status check_full (call *c, const gpumm_sparse_work *w) {
  const int scales = w->op == GPUMM_SPARSE_SCALE;
  const int64_t wanted[] = {w->a.rows, w->a.cols, 1, 1}, *size = w->full_size;
  gpumm_status status = gpumm_check_view (c, &w->full, size, !scales, "an array");
  if (!status && w->a.type != w->full.type)
    status = gpumm_fail (GPUMM_INVALID, "%s: values and array are of different types", c->name);
  if (!status && scales && w->full.type != GPUMM_D && w->full.type != GPUMM_Z)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: values are %s, not double or double complex",
                         c->name, gpumm_type_name (w->full.type));
  for (int d = 0; d < GPUMM_MAP_DIMS && !status; d++)
    if (size[d] != wanted[d] && !(scales && size[d] == 1 && w->full.stride[d] == 0))
      status = gpumm_fail (
          GPUMM_INVALID, "%s: an array of %lld x %lld does not fit A of %lld x %lld", c->name,
          (long long) size[0], (long long) size[1], (long long) w->a.rows, (long long) w->a.cols);
  return status;
}

static int is_of_sparse (int fold) {
  enum { NONE, SUMS, EXTREMES };
#define ROW(NAME, name, result, state, begin, enter, combine, sparse)                              \
  || (fold == GPUMM_FOLD_##NAME && sparse)
  return 0 GPUMM_FOLDS (ROW);
#undef ROW
}

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
  if (!status && op == GPUMM_SPARSE_PLACES)
    status = check_typed (c, &w->places, GPUMM_D, w->c.nzmax, "a vector of places");
  if (!status && (op == GPUMM_SPARSE_SCALE || op == GPUMM_SPARSE_SCATTER))
    status = check_full (c, w);
  if (!status && op == GPUMM_SPARSE_FOLD) {
    const gpumm_view folds = view_of (w->c.type, w->c.buffer, w->c.values);
    status = check_typed (c, &folds, gpumm_is_complex (w->a.type) ? GPUMM_Z : GPUMM_D, w->a.cols,
                          "the result");
    if (!status && !is_of_sparse (w->fold))
      status = gpumm_fail (GPUMM_INVALID, "%s: there is no fold %d of sparse matrices", c->name,
                           (int) w->fold);
  }
  return status;
}

/* ---- memory that is written ----------------------------------------------------------------- */

typedef struct {
  gpumm_view view;
  int64_t count;
  int writes;
  const char *what;
} vector;

/* The arrays of x that parts names. */
static int add_matrix (vector *list, int count, const gpumm_matrix *x, int parts, int writes,
                       const char *what) {
  if (parts & START)
    list[count++] =
        (vector){view_of (GPUMM_I64, x->start_buffer, x->start), x->cols + 1, writes, what};
  if (parts & INDEX)
    list[count++] =
        (vector){view_of (GPUMM_I32, x->index_buffer, x->index), x->nzmax, writes, what};
  if (parts & VALUES)
    list[count++] = (vector){view_of (x->type, x->buffer, x->values), x->nzmax, writes, what};
  return count;
}

/* Checks that what is written lies apart from all else. SCALE may write over the values of A. */
static gpumm_status check_written (const call *c, const gpumm_sparse_work *w, int parts_of_a) {
  const int op = (int) w->op, marks = op <= GPUMM_SPARSE_MATCH;
  const int joins = op == GPUMM_SPARSE_UNITE || op == GPUMM_SPARSE_MEET;
  const int64_t words = GPUMM_MARK_WORDS (w->a.nzmax);
  vector list[14];
  gpumm_status status = GPUMM_OK;
  int count = add_matrix (list, 0, &w->a, parts_of_a, 0, "A");
  count = add_matrix (list, count, &w->b, needs[op].b, 0, "B");
  count = add_matrix (list, count, &w->c, needs[op].c, 1, "C");
  if (op <= GPUMM_SPARSE_MEET) {
    list[count++] = (vector){w->marks, words, marks, "the marks"};
    list[count++] = (vector){w->before, words + 1, marks, "the counts of marks"};
  }
  if (joins) {
    const int unites = op == GPUMM_SPARSE_UNITE;
    list[count++] = (vector){w->from_a, unites ? w->a.nzmax : w->c.nzmax, 1, "a vector of places"};
    list[count++] = (vector){w->from_b, unites ? w->b.nzmax : w->c.nzmax, 1, "a vector of places"};
  }
  if (op == GPUMM_SPARSE_LENGTHS || op == GPUMM_SPARSE_TAKE)
    list[count++] = (vector){w->which, w->c.cols, 0, "a vector of columns"};
  if (op == GPUMM_SPARSE_PLACES)
    list[count++] = (vector){w->places, w->c.nzmax, 1, "a vector of places"};
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i && !status; j++) {
      const vector *x = &list[list[i].writes ? i : j], *y = &list[list[i].writes ? j : i];
      const int in_place = op == GPUMM_SPARSE_SCALE && x->view.values == w->a.values;
      if (x->writes && !in_place)
        status =
            gpumm_check_vectors_apart (c, &x->view, x->count, &y->view, y->count, x->what, y->what);
    }
  for (int i = 0; i < count && !status; i++)
    if (op == GPUMM_SPARSE_SCATTER || (op == GPUMM_SPARSE_SCALE && list[i].writes)) {
      const int64_t size[] = {list[i].count, 1, 1, 1};
      list[i].view.stride[0] = 1;
      status = gpumm_check_apart (c, &w->full, w->full_size, &list[i].view, size, "an array",
                                  list[i].what);
    }
  return status;
}

/* ---- operations --------------------------------------------------------------------------- */

gpumm_status gpumm_sparse_run (const gpumm_sparse_work *w) {
  call c = {.name = "sparse"};
  if (!w || (int) w->op < 0 || w->op >= GPUMM_SPARSE_OPS)
    return gpumm_fail (GPUMM_INVALID, "%s: there is no such operation", c.name);
  c.name = needs[w->op].name;
  const int is_full = w->op == GPUMM_SPARSE_PACK && !w->a.start && !w->a.index;
  const int parts = w->op == GPUMM_SPARSE_PACK && !is_full ? ALL : needs[w->op].a;
  gpumm_status status = check_matrix (&c, &w->a, parts, "A");
  if (!status && is_full && w->a.nzmax != w->a.rows * w->a.cols)
    status =
        gpumm_fail (GPUMM_INVALID, "%s: A is full, and stores %lld of %lld x %lld elements", c.name,
                    (long long) w->a.nzmax, (long long) w->a.rows, (long long) w->a.cols);
  if (!status)
    status = check_matrix (&c, &w->b, needs[w->op].b, "B");
  if (!status)
    status = check_matrix (&c, &w->c, needs[w->op].c, "C");
  if (!status)
    status = check_fit (&c, w);
  if (!status)
    status = check_rest (&c, w);
  if (!status)
    status = check_written (&c, w, parts);
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
  if (count < 0 || (!read && count > 0))
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
