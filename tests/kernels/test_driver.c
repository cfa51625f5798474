/* test_driver.c - a driver's own functions: memory, copies, streams and events, each call made to
 * fail, the table of kernels, Strassen's workspace, and reals that came in a narrower type.
 *
 *   test_driver LIBRARY [errors=1] [widen=200] [seed=1]
 *
 * errors  0: no calls that must fail
 * widen   so many random cases of widening
 *
 * Exits with 77 when the driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "definition.h"

static void (*set_memory_of) (int device, int64_t bytes); /* host device only */

/* ---- calls -------------------------------------------------------------------------------- */

static void check_memory (void) {
  void *p = NULL, *q = NULL;
  gpumm_device_properties before, after;
  CHECK_DRIVER (driver->properties (0, &before) == GPUMM_OK);
  CHECK_DRIVER (before.memory_free <= before.memory_total && before.memory_total > 0);
  CHECK_DRIVER (driver->allocate (0, (size_t) before.memory_total * 2, &p) == GPUMM_DEVICE_MEMORY);
  CHECK_DRIVER (p == NULL);
  CHECK_DRIVER (strlen (driver->error_text ()) > 0);
  CHECK_DRIVER (driver->allocate (0, 0, &p) == GPUMM_OK && p);
  CHECK_DRIVER (driver->release (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->release (0, NULL) == GPUMM_OK && driver->unpin (0, NULL) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (0, 64 << 20, &p) == GPUMM_OK);
  CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
  CHECK_DRIVER (after.memory_free
                <= before.memory_free - (32 << 20)); /* others may use the GPU too */
  CHECK_DRIVER (driver->release (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (99, 1, &p) != GPUMM_OK);
  CHECK_DRIVER (driver->properties (99, &after) != GPUMM_OK);
  CHECK_DRIVER (driver->pin (0, 100, &q) == GPUMM_OK && q);
  CHECK_DRIVER (driver->unpin (0, q) == GPUMM_OK);
  if (set_memory_of) {
    set_memory_of (0, 1000);
    CHECK_DRIVER (driver->allocate (0, 600, &p) == GPUMM_OK);
    CHECK_DRIVER (driver->allocate (0, 600, &q) == GPUMM_DEVICE_MEMORY);
    CHECK_DRIVER (driver->allocate (0, 400, &q) == GPUMM_OK);
    CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
    CHECK_DRIVER (after.memory_total == 1000 && after.memory_free == 0);
    CHECK_DRIVER (driver->release (0, p) == GPUMM_OK && driver->release (0, q) == GPUMM_OK);
    CHECK_DRIVER (driver->release (0, q) == GPUMM_INVALID);
    set_memory_of (0, 0);
  }
}

/* Columns with gaps, up and down; a fill; streams that wait. */
static void check_copies (void) {
  enum { ROWS = 5, COLUMNS = 7, UP = 9, THERE = 6, DOWN = 11 };
  pair from = make_pair (UP * COLUMNS), to = make_pair (DOWN * COLUMNS);
  char *p = from.host, *q = to.host;
  gpumm_stream *second = NULL;
  gpumm_event *event[2] = {NULL, NULL};
  double seconds = -1;
  int done = 0;
  for (int i = 0; i < UP * COLUMNS; i++)
    p[i] = (char) i;
  memset (q, 77, DOWN * COLUMNS);
  CHECK_DRIVER (driver->stream_create (0, &second) == GPUMM_OK);
  CHECK_DRIVER (driver->event_create (0, GPUMM_TIMED, &event[0]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_create (0, GPUMM_TIMED, &event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_record (0, event[0], stream) == GPUMM_OK);
  CHECK_DRIVER (driver->fill (0, stream, from.device, 3, from.bytes) == GPUMM_OK);
  CHECK_DRIVER (driver->fill (0, stream, from.device, 3, 0) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_up (0, stream, from.device, THERE, p, UP, ROWS, COLUMNS) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_up (0, stream, from.device, 0, p, 0, 0, 5) == GPUMM_OK);
  CHECK_DRIVER (driver->event_record (0, event[1], stream) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_wait (0, second, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_down (0, second, q, DOWN, from.device, THERE, THERE, COLUMNS)
                == GPUMM_OK);
  CHECK_DRIVER (driver->stream_synchronize (0, second) == GPUMM_OK);
  CHECK_DRIVER (driver->event_synchronize (0, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_done (0, event[1], &done) == GPUMM_OK && done);
  CHECK_DRIVER (driver->event_seconds (0, event[0], event[1], &seconds) == GPUMM_OK);
  CHECK_DRIVER (seconds >= 0 && isfinite (seconds));
  int right = 1;
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < DOWN; i++)
      right = right && q[i + j * DOWN] == (i < ROWS ? p[i + j * UP] : i < THERE ? 3 : 77);
  CHECK_DRIVER (right);
  CHECK_DRIVER (driver->event_destroy (0, event[0]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, second) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, NULL) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, NULL) == GPUMM_OK);
  drop_pair (&from);
  drop_pair (&to);
}

static void check_table (void) {
  int rows = 0;
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++, rows++) {
    const gpumm_kernel *k = *row;
    gpumm_product integers = {
        .type = GPUMM_I8, .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
    CHECK_DRIVER (k->algorithm && k->name && k->launch && k->types);
    CHECK_DRIVER (k->tile_m > 0 && k->tile_n > 0 && k->tile_k > 0 && k->thread_m > 0
                  && k->thread_n > 0);
    CHECK_DRIVER (strncmp (k->name, k->algorithm, strlen (k->algorithm)) == 0);
    CHECK_DRIVER (k->launch (0, stream, &integers) == GPUMM_UNSUPPORTED);
    for (const gpumm_kernel *const *other = driver->kernels; other != row; other++)
      CHECK_DRIVER (strcmp ((*other)->name, k->name) != 0);
  }
  CHECK_DRIVER (rows >= 8);
}

/* A whole small product; gives the first failure, and back all that it took. */
static gpumm_status small_product (const gpumm_kernel *kernel) {
  void *p = NULL, *d = NULL;
  gpumm_stream *s = NULL;
  gpumm_event *e = NULL;
  double seconds;
  gpumm_device_properties properties;
  enum { N = 20, BYTES = N * N * 8 };
  gpumm_product x = {
      .type = GPUMM_D, .m = N, .n = N, .k = N, .lda = N, .ldb = N, .ldc = N, .alpha = {1, 0}};
  gpumm_status status = driver->properties (0, &properties);
#define NEXT(call) status = status ? status : (call)
  NEXT (driver->stream_create (0, &s));
  NEXT (driver->event_create (0, GPUMM_TIMED, &e));
  NEXT (driver->allocate (0, 3 * BYTES, &d));
  NEXT (driver->pin (0, BYTES, &p));
  NEXT (driver->fill (0, s, d, 0, BYTES));
  x.a = d;
  x.b = (char *) d + BYTES;
  x.c = (char *) d + 2 * BYTES;
  NEXT (driver->copy_up (0, s, (char *) d + BYTES, BYTES, p, BYTES, BYTES, 1));
  NEXT (kernel->launch (0, s, &x));
  NEXT (driver->event_record (0, e, s));
  NEXT (driver->stream_wait (0, s, e));
  NEXT (driver->copy_down (0, s, p, BYTES, x.c, BYTES, BYTES, 1));
  NEXT (driver->event_synchronize (0, e));
  NEXT (driver->event_seconds (0, e, e, &seconds));
  NEXT (driver->stream_synchronize (0, s));
#undef NEXT
  CHECK_DRIVER (driver->unpin (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->release (0, d) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, e) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, s) == GPUMM_OK);
  return status;
}

/* Each call in turn is made to fail. */
static void check_faults (void) {
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++) {
    gpumm_device_properties before, after;
    driver->fault (0);
    CHECK_DRIVER (small_product (*row) == GPUMM_OK);
    int64_t calls = driver->fault (0);
    CHECK_DRIVER (calls >= 14); /* a row may launch more than one kernel */
    CHECK_DRIVER (driver->properties (0, &before) == GPUMM_OK);
    for (int64_t n = 1; n <= calls; n++) {
      driver->fault (n);
      gpumm_status status = small_product (*row);
      CHECK_DRIVER (driver->fault (0) == n);
      CHECK_DRIVER (status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY);
      CHECK_DRIVER (strstr (driver->error_text (), "made to fail"));
    }
    CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
    CHECK_DRIVER (before.memory_free == after.memory_free);
  }
}

/* Strassen's algorithm recurses only as deep as its workspace allows. A row of fixed depth tells
 * what that depth needs; with a byte less there is one level less. */
static void check_strassen_workspace (void) {
  enum { N = 64, DEPTH = 3 };
  static const char *const names[] = {"strassen_register_1", "strassen_register_2",
                                      "strassen_register_3"};
  const gpumm_kernel *deepest = find_kernel (names[DEPTH - 1]);
  CHECK_DRIVER (deepest != NULL);
  test t = full_test (GPUMM_D, 0, N, N, N);
  t.values = WHOLE;
  gpumm_matrix a = make_operand (&t, 1);
  expected right = expect (&t, &a, &a);
  written c = provide_written (N * N * 8);
  void *on_device = upload (a.values, N * N * 8);
  gpumm_product p = product_of (&t, &a, on_device, &a, on_device, inside (&c));
  for (int less = 0; less < 2; less++)
    for (int depth = less; depth <= DEPTH; depth++) {
      const gpumm_kernel *row = depth > 0 ? find_kernel (names[depth - 1]) : NULL;
      char note[GPUMM_NOTE_BYTES] = "", wanted[GPUMM_NOTE_BYTES];
      snprintf (wanted, sizeof wanted, "depth %d", depth - less);
      p.note = note;
      p.workspace_bytes = row ? row->workspace (&p, &device) - (size_t) less : 0;
      need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
      copy (c.device, c.before, c.bytes, 1);
      CHECK_DRIVER (deepest->launch (0, stream, &p) == GPUMM_OK);
      copy (c.now, c.device, c.bytes, 0);
      CHECK_DRIVER (strcmp (note, wanted) == 0);
      int wrong = 0;
      for (int64_t e = 0; e < N * N; e++)
        wrong += !is_right (&t, &right.sums[e], c.now + GUARD, c.before + GUARD, e / N + e % N * N);
      CHECK_DRIVER (wrong == 0);
      drop (p.workspace);
    }
  drop (on_device);
  drop_written (&c);
  drop_expected (&right);
  release (&a);
}

/* ---- widening ----------------------------------------------------------------------------- */

/* Number i of a narrow type, the ends of its range among them. */
static double narrow_number (gpumm_type narrow, int64_t i) {
  static const double reals[] = {0.0,     -0.0,      0x1p-149,   -0x1p-126,
                                 FLT_MAX, -INFINITY, 0x1p24 - 1, 1 + 0x1p-23};
  const int64_t most = (int64_t) (narrow == GPUMM_S ? 0 : highest (narrow));
  if (narrow == GPUMM_S)
    return i % 3 ? (double) (float) any_number () : reals[i / 3 % 8];
  return i % 3 ? (double) (below (2 * most + 2) - most - 1)
               : (double) (i % 2   ? most
                           : i % 4 ? -most - 1
                                   : 0);
}

/* Columns cut in pieces of a length, some of which are widened; all other memory stays. */
static void check_widening (gpumm_type narrow, gpumm_type to, int64_t longest) {
  const size_t element = gpumm_type_bytes (to);
  gpumm_widening w = {.narrow = narrow, .wide = to, .rows = 1 + below (longest)};
  const int64_t cols = 1 + below (9);
  w.ld = w.rows + below (40);
  w.piece = below (2) ? w.rows : 1 + below (w.rows);
  const int64_t pieces = (w.rows + w.piece - 1) / w.piece;
  w.first = below (pieces * cols);
  w.count = 1 + below (pieces * cols - w.first);
  pair x = make_pair ((size_t) (w.ld * cols) * element);
  char *wanted = check_allocate (w.ld * cols, element), *values = x.host;
  w.p = x.device;
  for (size_t b = 0; b < x.bytes; b++)
    values[b] = (char) below (256);
  memcpy (wanted, values, x.bytes);
  for (int64_t piece = w.first; piece < w.first + w.count; piece++) {
    const int64_t row = piece % pieces * w.piece;
    const size_t at = (size_t) (row + piece / pieces * w.ld) * element;
    for (int64_t i = 0; i < w.piece && row + i < w.rows; i++) {
      double value = narrow_number (narrow, i);
      put (narrow, values + at, i, value);
      put (to, wanted + at, i, value);
    }
  }
  up (&x);
  need (driver->widen (0, stream, &w), "widen");
  down (&x);
  report (memcmp (values, wanted, x.bytes) == 0,
          "type %d to %d, columns of %lld, %lld apart, pieces of %lld, %lld from %lld on",
          (int) narrow, (int) to, (long long) w.rows, (long long) w.ld, (long long) w.piece,
          (long long) w.count, (long long) w.first);
  free (wanted);
  drop_pair (&x);
}

static void run_widening (long cases) {
  for (long i = 0; i < cases; i++) {
    static const int64_t longest[] = {3, 300, 5000, 50000};
    static const gpumm_type types[][2] = {{GPUMM_I8, GPUMM_D},
                                          {GPUMM_I16, GPUMM_D},
                                          {GPUMM_S, GPUMM_D},
                                          {GPUMM_I8, GPUMM_S},
                                          {GPUMM_I16, GPUMM_S}};
    check_widening (types[i % 5][0], types[i % 5][1], longest[i / 5 % 4]);
  }
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  long errors = 1, widen = 200, seed = 1;
  const option known[] = {{.name = "errors", .number = &errors},
                          {.name = "widen", .number = &widen},
                          {.name = "seed", .number = &seed},
                          {.name = NULL}};
  const int status = open_tests (count, arguments, 2, known,
                                 "test_driver LIBRARY [errors=1] [widen=200] [seed=1]");
  if (status)
    return status;
  find_function (driver_library, "gpumm_host_set_memory_of", &set_memory_of);
  begin_tests (seed);
  if (errors) {
    check_memory ();
    check_table ();
    if (driver->fault)
      check_faults ();
    driver->reset ();
    driver->reset ();
    CHECK_DRIVER (small_product (driver->kernels[0]) == GPUMM_OK); /* and goes on after it */
    const gpumm_widening none = {
        .narrow = GPUMM_U8, .wide = GPUMM_D, .rows = 1, .ld = 1, .piece = 1};
    CHECK_DRIVER (driver->widen (0, stream, &none) == GPUMM_UNSUPPORTED);
  }
  check_copies ();
  check_strassen_workspace ();
  run_widening (widen);
  close_driver ();
  return check_done ();
}
