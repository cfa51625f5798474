/* test_limits.c - sizes, counts and strides up to the ends of int64_t, for each public function
 * that takes some: a result of the right size, or a failure that says why, and no overflow on the
 * way, which UndefinedBehaviorSanitizer would tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "gpumm_arrays.h"
#include "gpumm_tools.h"

#include <inttypes.h>
#include <string.h>

enum { ROOM = 4096 }; /* entries of each array that the matrices share */
enum { MOST_LINES = ROOM - 1 };

static int64_t zeros[2 * ROOM]; /* offsets, indices or values */

static const int64_t sizes[] = {0,
                                1,
                                2,
                                3,
                                64,
                                INT32_MAX,
                                (int64_t) INT32_MAX + 1,
                                (int64_t) 1 << 32,
                                ((int64_t) 1 << 53) + 1,
                                ((int64_t) 1 << 59),
                                ((int64_t) 1 << 61) - 3,
                                ((int64_t) 1 << 62),
                                ((int64_t) 1 << 62) + 2,
                                INT64_MAX - 1,
                                INT64_MAX,
                                -1,
                                INT64_MIN};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Small sizes come more often: products of two large ones are mostly refused. */
static int64_t any_size (void) {
  const int64_t i = check_between (0, 2 * SIZES);
  return sizes[i < SIZES ? i : i % 4];
}

static int is_small (double count) {
  return count <= ROOM / 4;
}

/* Can the engine follow x in the memory that there is, or must it refuse x before it reads any? The
 * largest memory that may be asked for is 2^62 bytes. */
static int is_fair (const gpumm_matrix *x) {
  const double rows = (double) x->rows, cols = (double) x->cols, refused = 0x1p62;
  if (x->rows < 0 || x->cols < 0)
    return 1;
  if (x->format == GPUMM_FULL) {
    const double reach = (double) x->ld * cols;
    return is_small (reach) || rows == 0 || cols == 0 || reach > refused;
  }
  const double lines = x->format == GPUMM_SPARSE ? cols
                       : x->block_rows > 0       ? rows / (double) x->block_rows
                                                 : 0;
  const double length = x->format == GPUMM_SPARSE ? rows
                        : x->block_cols > 0       ? cols / (double) x->block_cols
                                                  : 0;
  /* a transpose has an offset for each place of a line: few, or more than any memory holds */
  return (lines <= MOST_LINES || lines > refused) && (length <= MOST_LINES || length > 0x1p45);
}

static gpumm_matrix any_matrix (gpumm_format format, int64_t rows) {
  static const gpumm_type types[] = {GPUMM_D, GPUMM_Z, GPUMM_U16, GPUMM_S};
  gpumm_matrix x;
  do {
    x = (gpumm_matrix){.format = format,
                       .type = types[check_between (0, format == GPUMM_SPARSE ? 1 : 3)],
                       .op = (gpumm_op) check_between (0, 2),
                       .rows = check_between (0, 2) ? any_size () : rows,
                       .cols = any_size (),
                       .start = zeros,
                       .index = zeros,
                       .values = zeros};
    x.ld = check_between (0, 3) ? x.rows : any_size ();
    x.nzmax = check_between (0, 3) ? 0 : any_size ();
    x.block_rows = check_between (0, 2) && x.rows > 0 ? x.rows : any_size ();
    x.block_cols = check_between (0, 2) && x.cols > 0 ? x.cols : any_size ();
  } while (!is_fair (&x));
  return x;
}

static int is_said (gpumm_status status) {
  return status == GPUMM_OK || status == GPUMM_INVALID || status == GPUMM_NONCONFORMANT
         || status == GPUMM_UNSUPPORTED || status == GPUMM_HOST_MEMORY;
}

/* Gives the result memory and runs the job, if it is small. */
static gpumm_status run_small (gpumm_job *job, gpumm_matrix *shape) {
  static int64_t start[ROOM], index[ROOM];
  static double values[2 * ROOM];
  const double each =
      shape->format == GPUMM_BLOCKS ? (double) shape->block_rows * (double) shape->block_cols : 1;
  const double elements = shape->format == GPUMM_FULL ? (double) shape->rows * (double) shape->cols
                                                      : (double) shape->nzmax * each;
  const double lines = shape->format == GPUMM_SPARSE ? (double) shape->cols
                       : shape->format == GPUMM_BLOCKS
                           ? (double) shape->rows / (double) shape->block_rows
                           : 0;
  if (!is_small (elements) || !is_small (lines))
    return GPUMM_OK;
  shape->ld = shape->rows;
  shape->start = start;
  shape->index = index;
  shape->values = values;
  return gpumm_run (job, shape);
}

static void test_products (void) {
  int done = 0;
  for (int round = 0; round < 60000 / SANITIZED_STEP; round++) {
    gpumm_problem p = {.alpha = {(double) check_between (0, 1), 0},
                       .full = (int) check_between (0, 1)};
    p.a = any_matrix ((gpumm_format) check_between (0, 2), any_size ());
    const int64_t k = p.a.op == GPUMM_NONE ? p.a.cols : p.a.rows;
    p.b = any_matrix (check_between (0, 1) ? p.a.format : (gpumm_format) check_between (0, 2), k);
    p.b.type = check_between (0, 3) ? p.a.type : p.b.type;
    if (check_between (0, 1))
      p.b.block_rows = p.a.op == GPUMM_NONE ? p.a.block_cols : p.a.block_rows;
    p.output = p.a.type;
    if (!is_fair (&p.a) || !is_fair (&p.b))
      continue;
    gpumm_job *job = NULL;
    gpumm_matrix shape = {0};
    gpumm_status status = gpumm_open (&p, NULL, &job);
    if (!status)
      status = gpumm_result (job, &shape);
    if (!status) {
      status = run_small (job, &shape);
      CHECK (shape.rows == (p.a.op == GPUMM_NONE ? p.a.rows : p.a.cols), "%" PRId64, shape.rows);
      done++;
    }
    CHECK (is_said (status), "status %d: %s", status, gpumm_last_error ());
    gpumm_close (job);
  }
  CHECK (done > 500, "only %d products are possible", done);
}

static void test_pages (void) {
  int done = 0;
  for (int round = 0; round < 20000 / SANITIZED_STEP; round++) {
    const int64_t pages[] = {any_size (), any_size ()}, steps_a[] = {any_size (), any_size ()},
                  steps_b[] = {any_size (), any_size ()};
    gpumm_pages p = {.dims = (int) check_between (-1, 2),
                     .sizes = pages,
                     .steps_a = steps_a,
                     .steps_b = steps_b};
    gpumm_matrix shape = {0};
    p.a = any_matrix (GPUMM_FULL, any_size ());
    p.b = any_matrix (GPUMM_FULL, p.a.cols);
    p.a.op = p.b.op = GPUMM_NONE;
    p.b.type = p.a.type;
    const gpumm_status status = gpumm_pages_result (&p, &shape);
    CHECK (is_said (status), "status %d: %s", status, gpumm_last_error ());
    done += !status;
  }
  CHECK (done > 50, "only %d products of pages are possible", done);
}

/* ---- on a device -------------------------------------------------------------------------- */

static gpumm_buffer *buffer;

static gpumm_view any_view (void) {
  return (gpumm_view){.type = GPUMM_D,
                      .buffer = buffer,
                      .values = gpumm_buffer_address (buffer),
                      .stride = {any_size (), any_size (), any_size (), any_size ()}};
}

static void fill (int64_t *to, int count) {
  for (int i = 0; i < count; i++)
    to[i] = any_size ();
}

static void test_arrays (void) {
  for (int round = 0; round < 20000 / SANITIZED_STEP; round++) {
    gpumm_map m = {.domain = GPUMM_D, .inputs = 1, .input = {any_view ()}, .output = any_view ()};
    fill (m.size, GPUMM_MAP_DIMS);
    CHECK (is_said (gpumm_map_entries (&m)), "map: %s", gpumm_last_error ());
    gpumm_operation o = {.name = "fold",
                         .map = m,
                         .inner = any_size (),
                         .count = any_size (),
                         .outer = any_size (),
                         .result = {any_view ()}};
    CHECK (is_said (gpumm_operation_run (&o)), "fold: %s", gpumm_last_error ());
    o.name = "scan";
    CHECK (is_said (gpumm_operation_run (&o)), "scan: %s", gpumm_last_error ());
    o.name = check_between (0, 1) ? "pick" : "put";
    fill (o.size, GPUMM_MAP_DIMS);
    for (int d = 0; d < GPUMM_MAP_DIMS; d++)
      o.places[d] = (gpumm_places){.first = any_size (), .step = any_size ()};
    CHECK (is_said (gpumm_operation_run (&o)), "%s: %s", o.name, gpumm_last_error ());
  }
}

static void test_looks (void) {
  static double to[ROOM];
  for (int i = 0; i < SIZES; i++) {
    const gpumm_read g = {
        .at = {.type = GPUMM_D, .buffer = buffer, .values = gpumm_buffer_address (buffer)},
        .count = sizes[i],
        .to = to};
    const gpumm_status status = gpumm_read_back (&g, 1);
    CHECK ((status == GPUMM_OK) == (sizes[i] >= 0 && sizes[i] <= ROOM), "%" PRId64 ": %s", sizes[i],
           gpumm_last_error ());
  }
}

/* Sparse or in blocks, of few or no entries: a pattern of more would have to be one. */
static gpumm_matrix any_resident (void) {
  gpumm_matrix x = any_matrix (check_between (0, 1) ? GPUMM_SPARSE : GPUMM_BLOCKS, any_size ());
  x.nzmax = check_between (0, 3) ? 0 : ROOM + check_between (1, 9);
  x.start = gpumm_buffer_address (buffer);
  x.index = x.values = x.start;
  x.start_buffer = x.index_buffer = x.buffer = buffer;
  return x;
}

/* For an operation, which looks at the sizes before it takes memory. */
static gpumm_matrix any_compressed (void) {
  gpumm_matrix x = any_resident ();
  x.type = GPUMM_D;
  x.rows = any_size ();
  x.cols = any_size ();
  return x;
}

/* The buffer holds zeros, so every pattern that fits in it is one without entries. */
static void test_sparse_work (void) {
  for (int round = 0; round < 20000 / SANITIZED_STEP; round++) {
    gpumm_sparse_work w = {.op = (gpumm_sparse_op) check_between (-1, GPUMM_SPARSE_OPS),
                           .a = any_compressed (),
                           .b = any_compressed (),
                           .c = any_compressed (),
                           .marks = any_view (),
                           .before = any_view (),
                           .from_a = any_view (),
                           .from_b = any_view (),
                           .which = any_view (),
                           .full = any_view (),
                           .shift = any_size ()};
    fill (w.full_size, GPUMM_MAP_DIMS);
    w.a.nzmax = w.b.nzmax = w.c.nzmax = check_between (0, 1) ? 0 : any_size ();
    w.marks.type = GPUMM_U64;
    w.before.type = w.from_a.type = w.from_b.type = w.which.type = GPUMM_I64;
    if (w.a.nzmax <= 0 || w.a.nzmax > ROOM) /* entries would need indices in order */
      CHECK (is_said (gpumm_sparse_run (&w)), "sparse: %s", gpumm_last_error ());
    gpumm_problem p = {.a = any_resident (), .b = any_resident (), .alpha = {1, 0}, .stays = 1};
    gpumm_job *job;
    p.output = p.a.type;
    const gpumm_status status = gpumm_open (&p, NULL, &job);
    CHECK (is_said (status), "a product: %s", gpumm_last_error ());
    gpumm_close (job);
  }
}

static void test_buffers (void) {
  for (int i = 0; i < SIZES; i++) {
    gpumm_buffer *b = NULL;
    if (sizes[i] < 0 || sizes[i] >= (int64_t) 1 << 53) { /* others may exist */
      const gpumm_status status = gpumm_buffer_new (GPUMM_HOST, (size_t) sizes[i], &b);
      CHECK (status && !b, "%" PRId64 " bytes", sizes[i]);
    }
    int64_t used, kept;
    const int device = (int) sizes[i];
    if (device < -64 || device > 64)
      CHECK (gpumm_memory (device, &used, &kept) && gpumm_wait (device)
                 && gpumm_buffer_new (device, 1, &b),
             "device %d", device);
  }
}

static void test_verify (void) {
  for (int round = 0; round < 20000 / SANITIZED_STEP; round++) {
    const gpumm_matrix x = any_matrix (GPUMM_BLOCKS, any_size ());
    gpumm_matrix shape = {0};
    gpumm_blocks_sparse *s = NULL;
    int64_t none;
    CHECK (is_said (gpumm_blocks_verify (&x, &none)), "verify: %s", gpumm_last_error ());
    if (x.cols < ROOM || x.cols > (int64_t) 1 << 53)
      CHECK (is_said (gpumm_blocks_sparse_open (&x, &s, &shape)), "sparse: %s",
             gpumm_last_error ());
    gpumm_blocks_sparse_close (s);
  }
}

int main (void) {
  check_seed (20261127);
  test_products ();
  test_pages ();
  test_verify ();
  if (gpumm_buffer_new (GPUMM_HOST, ROOM * sizeof (double), &buffer) == GPUMM_OK) {
    gpumm_matrix device = {.type = GPUMM_D, .rows = ROOM, .ld = ROOM, .cols = 1, .buffer = buffer};
    gpumm_matrix host = device;
    host.buffer = NULL;
    host.values = zeros;
    device.values = gpumm_buffer_address (buffer);
    OK (gpumm_copy (&host, &device));
    test_looks ();
    test_arrays ();
    test_sparse_work ();
    test_buffers ();
    gpumm_buffer_release (buffer);
  }
  return check_done ();
}
