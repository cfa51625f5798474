/* test_spread.c - products spread over several devices: as many host devices as the test wants.
 * Elements are whole numbers; each result is compared, bit for bit, with that of a single device.
 * Rows of products.h are spread by "test_products devices".
 *
 *   test_spread [SEED]       host devices
 *   test_spread gpu [SEED]   the GPUs of this machine, at least two: products and copies
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "devices.h"
#include "error.h"
#include "faults.h"
#include "host_device.h"
#include "links.h"
#include "matrix.h"
#include "operands.h"
#include "spread.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <time.h>

static void (*set_devices) (int n);
static void (*set_memory_of) (int device, int64_t bytes);
static int64_t (*fault_of) (int device, int64_t n);

static int on_gpus;       /* not on host devices */
static int devices_there; /* how many GPUs, at most four of which are used */

/* ---- products ----------------------------------------------------------------------------- */

static gpumm_share shares[64];

/* *r says what ran; its shares are copied. */
static gpumm_status run (const gpumm_problem *p, const gpumm_options *o, gpumm_matrix *c,
                         gpumm_report *r) {
  gpumm_job *job;
  *c = (gpumm_matrix){0};
  gpumm_status status = gpumm_open (p, o, &job);
  if (status)
    return status;
  gpumm_result (job, c);
  provide (c, 0);
  status = gpumm_run (job, c);
  *r = *gpumm_job_report (job);
  if (r->share_count > 0)
    memcpy (shares, r->shares, (size_t) r->share_count * sizeof *shares);
  r->shares = shares;
  gpumm_close (job);
  if (status)
    release (c);
  return status;
}

/* types: of A and B; ops: n, t or c of each. */
typedef struct {
  const char *algorithm, *types, *ops;
  int64_t m, n, k;
  gpumm_scalar alpha, beta;
  int by_one; /* it cannot be split */
} row;

static const row table[] = {
    {"tiled", "dd", "nn", 40, 90, 30, {1, 0}, {0, 0}, 0},
    {"tiled", "dd", "tt", 40, 90, 30, {2, 0}, {3, 0}, 0},
    {"register", "ss", "nt", 70, 300, 20, {1, 0}, {-1, 0}, 0},
    {"tiled", "cc", "cn", 40, 50, 30, {1, 2}, {0, 1}, 0},
    {"register", "zz", "nc", 33, 65, 17, {1, 0}, {0, 0}, 0},
    {"tiled", "dz", "nn", 33, 65, 17, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nn", 4200, 30, 12, {1, 0}, {0, 0}, 0}, /* panels */
    {"naive", "cc", "tn", 2100, 21, 7, {1, 0}, {1, 0}, 0},
    {"naive", "dd", "nn", 20, 4, 30, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nn", 20, 3, 30, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nn", 20, 2, 30, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nn", 20, 1, 30, {1, 0}, {0, 0}, 1},
    {"naive", "dd", "nn", 20, 0, 30, {1, 0}, {0, 0}, 1},
    {"naive", "dd", "nn", 0, 20, 30, {1, 0}, {0, 0}, 1},
    {"naive", "dd", "nn", 20, 20, 0, {1, 0}, {2, 0}, 1},
    {"naive", "dd", "nn", 20, 20, 5, {0, 0}, {2, 0}, 1},
    {"tiled", "zd", "nt", 33, 65, 17, {1, 2}, {0, 1}, 0},
    /* panels of more than 4 MiB, of which each device brings a share; the last two go up narrow */
    {"naive", "dd", "nn", 70, 4, 8000, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nt", 1600, 4, 700, {1, 0}, {2, 0}, 0},
    {"tiled", "zz", "cn", 300, 4, 1500, {1, 0}, {0, 0}, 0},
};

enum { ROWS = sizeof table / sizeof *table, SHARES = ROWS - 3 };

typedef struct {
  gpumm_matrix c0;
  gpumm_problem p;
} product;

static gpumm_op op_of (char letter) {
  return letter == 'n' ? GPUMM_NONE : letter == 't' ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE;
}

static void make_product (const row *t, product *x) {
  const gpumm_type a = type_of (t->types[0]), b = type_of (t->types[1]);
  *x = (product){.p = {.alpha = t->alpha, .beta = t->beta}};
  x->p.a = make (
      &(operand){.type = a, .op = op_of (t->ops[0]), .rows = t->m, .cols = t->k, .values = WHOLE});
  x->p.b = make (
      &(operand){.type = b, .op = op_of (t->ops[1]), .rows = t->k, .cols = t->n, .values = WHOLE});
  x->c0 = make_full (is_complex (b) ? b : a, t->m, t->n, WHOLE);
  if (!is_zero (t->beta))
    x->p.c0 = &x->c0;
}

static void release_product (product *x) {
  release (&x->p.a);
  release (&x->p.b);
  release (&x->c0);
}

static gpumm_options options_for (const row *t, uint64_t devices) {
  return (gpumm_options){.backend = on_gpus ? GPUMM_GPU : GPUMM_CPU,
                         .algorithm = t->algorithm,
                         .device = -1,
                         .devices = devices};
}

static double sum_of (const gpumm_report *r, int flops) {
  double sum = 0;
  for (int i = 0; i < r->share_count; i++)
    sum += flops ? r->shares[i].flops : (double) r->shares[i].bytes_up;
  return sum;
}

/* Every row, on every choice of four devices, or of the GPUs there are. */
static void test_products (void) {
  const uint64_t choices = UINT64_C (1) << (on_gpus ? devices_there : 4);
  if (!on_gpus)
    set_devices (4);
  for (const row *t = table; t < table + ROWS; t++) {
    product x;
    gpumm_matrix c, spread;
    gpumm_report r, one;
    make_product (t, &x);
    gpumm_options o = options_for (t, 1);
    CHECK (run (&x.p, &o, &c, &one) == GPUMM_OK, "row %d: %s", (int) (t - table),
           gpumm_last_error ());
    CHECK (one.share_count == 0, "row %d: on one device", (int) (t - table));
    for (uint64_t devices = 2; devices < choices; devices += 1 + SANITIZED_STEP / 2) {
      const int count = __builtin_popcountll (devices);
      const int units = (int) (t->by_one ? 1 : t->n);
      o.devices = devices;
      const gpumm_status status = run (&x.p, &o, &spread, &r);
      CHECK (status == GPUMM_OK, "row %d: %s", (int) (t - table), gpumm_last_error ());
      if (status)
        continue;
      CHECK (is_same (&c, &spread), "row %d: not as on one device", (int) (t - table));
      const int expected = count < units ? count : units;
      CHECK (r.share_count == (t->by_one || expected < 2 ? 0 : expected),
             "row %d, devices %x: %d took part", (int) (t - table), (unsigned) devices,
             r.share_count);
      for (int i = 0; i < r.share_count; i++)
        CHECK (devices & UINT64_C (1) << r.shares[i].device && r.shares[i].total > 0,
               "row %d: device %d", (int) (t - table), r.shares[i].device);
      if (r.share_count > 0) {
        CHECK (sum_of (&r, 0) == (double) r.bytes_up && r.bytes_up <= one.bytes_up,
               "row %d: %" PRId64 " bytes up, %" PRId64 " on one device", (int) (t - table),
               r.bytes_up, one.bytes_up);
        CHECK (sum_of (&r, 1) == r.flops && r.flops == one.flops, "row %d: %g and %g operations",
               (int) (t - table), r.flops, one.flops);
      }
      release (&spread);
    }
    release (&c);
    release_product (&x);
  }
  gpumm_reset ();
}

/* As many as a large host has; some get nothing where C has fewer columns. */
static void test_eight (void) {
  enum { EIGHT = 8 };
  for (const row *t = table; t < table + ROWS; t += 1 + SANITIZED_STEP / 2) {
    product x;
    gpumm_matrix c, spread;
    gpumm_report r;
    make_product (t, &x);
    gpumm_reset ();
    set_devices (EIGHT);
    gpumm_options o = options_for (t, 1);
    CHECK (run (&x.p, &o, &c, &r) == GPUMM_OK, "%s", gpumm_last_error ());
    const int64_t bytes = r.bytes_up;
    o.devices = (1 << EIGHT) - 1;
    CHECK (run (&x.p, &o, &spread, &r) == GPUMM_OK, "row %d: %s", (int) (t - table),
           gpumm_last_error ());
    CHECK (is_same (&c, &spread), "row %d: not as on one device", (int) (t - table));
    if (!t->by_one && t->types[0] == t->types[1])
      CHECK (r.share_count == (t->n < EIGHT ? t->n : EIGHT) && r.bytes_up == bytes,
             "row %d: %d took part, %" PRId64 " and %" PRId64 " bytes up", (int) (t - table),
             r.share_count, bytes, r.bytes_up);
    release (&spread);
    release (&c);
    release_product (&x);
  }
  gpumm_reset ();
}

/* Tiles of 1024 columns: whole ones where they come out even, else equal parts of C. */
static void test_evenness (void) {
  static const struct {
    int64_t tiles, devices, rest; /* columns: of `tiles` tiles, less `rest` */
    int whole;
  } cases[] = {{4, 2, 0, 1}, {3, 2, 0, 0},  {4, 3, 0, 0}, {7, 2, 100, 1},
               {5, 4, 0, 0}, {8, 4, 17, 1}, {2, 4, 0, 0}};
  set_devices (4);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i += 1 + SANITIZED_STEP / 2) {
    const int64_t devices = cases[i].devices, n = 1024 * cases[i].tiles - cases[i].rest;
    const row t = {"tiled", "dd", "nn", 40, n, 8, {1, 0}, {0, 0}, 0};
    product x;
    gpumm_matrix c;
    gpumm_report r;
    make_product (&t, &x);
    gpumm_options o = options_for (&t, (UINT64_C (1) << devices) - 1);
    CHECK (run (&x.p, &o, &c, &r) == GPUMM_OK && r.share_count == devices, "%d devices: %s",
           r.share_count, gpumm_last_error ());
    for (int d = 0; d < r.share_count; d++) {
      const double columns = r.shares[d].flops / (2.0 * 40 * 8);
      const double share = (double) n / (double) devices;
      CHECK (cases[i].whole ? fmod (columns, 1024) == 0 || d == r.share_count - 1
                            : fabs (columns - share) <= 64,
             "case %d, device %d: %g columns of %g", (int) i, d, columns, (double) n);
      CHECK (columns < 1.15 * share, "case %d, device %d: %g columns of %g", (int) i, d, columns,
             (double) n);
    }
    release (&c);
    release_product (&x);
  }
  gpumm_reset ();
}

/* The devices bring the same bytes of a large A, also if it is one panel. */
static void test_shares (void) {
  set_devices (4);
  for (int i = SHARES; i < ROWS; i++) {
    product x;
    make_product (&table[i], &x);
    for (int devices = 4; devices > 1; devices -= SANITIZED_STEP) {
      gpumm_matrix c;
      gpumm_report r;
      const gpumm_options o = options_for (&table[i], (UINT64_C (1) << devices) - 1);
      CHECK (run (&x.p, &o, &c, &r) == GPUMM_OK && r.share_count == devices, "row %d: %s", i,
             gpumm_last_error ());
      for (int d = 0; d < r.share_count; d++)
        CHECK ((double) r.shares[d].bytes_up < 1.1 * (double) r.bytes_up / devices,
               "row %d, device %d of %d: %" PRId64 " bytes of %" PRId64, i, d, devices,
               r.shares[d].bytes_up, r.bytes_up);
      release (&c);
    }
    release_product (&x);
  }
  gpumm_reset ();
}

/* One device with far less memory than the others, and all with little: out of core, and the
 * same. */
static void test_memory (void) {
  const row t = {"naive", "dd", "nn", 200, 260, 150, {1, 0}, {1, 0}, 0};
  product x;
  gpumm_matrix c, spread;
  gpumm_report r;
  make_product (&t, &x);
  set_devices (3);
  gpumm_options o = options_for (&t, 1);
  CHECK (run (&x.p, &o, &c, &r) == GPUMM_OK, "%s", gpumm_last_error ());
  o.devices = 7;
  for (int small = 0; small < 8; small++) {
    gpumm_reset ();
    set_devices (3);
    for (int d = 0; d < 3; d++)
      if (small & 1 << d)
        set_memory_of (d, 200 << 10);
    const gpumm_status status = run (&x.p, &o, &spread, &r);
    CHECK (status == GPUMM_OK, "small %d: %s", small, gpumm_last_error ());
    if (status)
      continue;
    CHECK (is_same (&c, &spread) && r.share_count == 3, "small %d: %d devices", small,
           r.share_count);
    release (&spread);
  }
  release (&c);
  release_product (&x);
  gpumm_reset ();
}

/* Each takes 10 ms, so not every call of each device is tried in each row, and fewer of long
 * products. */
enum { STEP = 29 * SANITIZED_STEP, STEP_OF_LONG = 3 * STEP };

/* The n-th call of each device fails, alone or with all that follow: the others do its part, and
 * the report says so. Only where device 0 fails before there is a plan, the product does. */
static void test_faults (void) {
  static const int rows[] = {0, 6, 3, 16, SHARES, SHARES + 1};
  int told = 0, failures = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *t = &table[rows[i]];
    const int64_t step = rows[i] < SHARES ? STEP : STEP_OF_LONG;
    product x;
    gpumm_matrix c, spread;
    gpumm_report r;
    make_product (t, &x);
    gpumm_reset ();
    set_devices (3);
    gpumm_options o = options_for (t, 1);
    CHECK (run (&x.p, &o, &c, &r) == GPUMM_OK, "%s", gpumm_last_error ());
    o.devices = 7;
    /* where each part takes all of A up itself: of row 6 in bytes */
    const int64_t all_bytes = r.bytes_up + 2 * t->m * t->k * (i == 0 ? 8 : 1);
    int64_t calls[3];
    set_devices (3);
    CHECK (run (&x.p, &o, &spread, &r) == GPUMM_OK, "%s", gpumm_last_error ());
    release (&spread);
    for (int d = 0; d < 3; d++)
      calls[d] = fault_of (d, 0);
    for (int d = 0; d < 3; d++)
      for (int lasting = 0; lasting < 2; lasting++)
        for (int64_t n = check_between (1, step); n <= calls[d]; n += check_between (1, step)) {
          gpumm_reset ();
          set_devices (3);
          fault_of (d, lasting ? -n : n);
          const gpumm_status status = run (&x.p, &o, &spread, &r);
          if (status) {
            failures++;
            CHECK (d == 0 && n < 4, "row %d: call %" PRId64 " of device %d: %s", rows[i], n, d,
                   gpumm_last_error ());
            continue;
          }
          CHECK (is_same (&c, &spread), "row %d: call %" PRId64 " of device %d", rows[i], n, d);
          if (r.share_count < 3) {
            CHECK (strstr (r.reason, "made to fail by a test"), "%s", r.reason);
            told++;
          }
          /* the others take nothing that a device gave before it failed, nor fail because of it */
          CHECK (!strstr (r.reason, "copy_peer"), "%s", r.reason);
          if (i < 2 && r.share_count < 3)
            CHECK (r.bytes_up == all_bytes,
                   "row %d: call %" PRId64 " of device %d: %" PRId64 ", %s", rows[i], n, d,
                   r.bytes_up, r.reason);
          release (&spread);
        }
    release (&c);
    release_product (&x);
  }
  CHECK (told > 20 / SANITIZED_STEP && failures <= told / 4 + 3, "%d parts handed on, %d failures",
         told, failures);
  gpumm_reset ();
}

/* All devices fail: an error, and nothing is lost. */
static void test_all_fail (void) {
  product x;
  gpumm_matrix c;
  gpumm_report r;
  make_product (&table[0], &x);
  gpumm_reset ();
  const int64_t before = gpumm_live_allocations ();
  for (int n = 5; n < 60; n += 5) {
    set_devices (3);
    for (int d = 0; d < 3; d++)
      fault_of (d, -n);
    const gpumm_options o = options_for (&table[0], 7);
    const gpumm_status status = run (&x.p, &o, &c, &r);
    CHECK (status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY
               || status == GPUMM_HOST_MEMORY || !status,
           "call %d: %s, %s", n, gpumm_status_name (status), gpumm_last_error ());
    CHECK (!status || strstr (gpumm_last_error (), "made to fail"), "%s", gpumm_last_error ());
    if (!status)
      release (&c);
    set_devices (3);
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == before, "call %d: %" PRId64 " allocations", n,
           gpumm_live_allocations () - before);
  }
  release_product (&x);
}

typedef struct {
  product x;
  gpumm_options o;
  gpumm_matrix right;
} spread_product;

static gpumm_status try_again (void *context) {
  const spread_product *t = context;
  gpumm_matrix c;
  gpumm_report r;
  const gpumm_status status = run (&t->x.p, &t->o, &c, &r);
  if (!status) {
    CHECK (is_same (&c, &t->right), "another result");
    release (&c);
  }
  return status;
}

/* Every allocation of the engine fails in turn. */
static void test_allocations (void) {
  static const int rows[] = {6, 2};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    spread_product t;
    gpumm_report r;
    make_product (&table[rows[i]], &t.x);
    set_devices (2);
    t.o = options_for (&table[rows[i]], 1);
    CHECK (run (&t.x.p, &t.o, &t.right, &r) == GPUMM_OK, "%s", gpumm_last_error ());
    t.o.devices = 3;
    fail_in_turn (&(faults){.name = "spread",
                            .inject = gpumm_fault_memory,
                            .run = try_again,
                            .context = &t,
                            .least = 1});
    release (&t.right);
    release_product (&t.x);
  }
}

/* What may be used: by the options, or by the environment. */
static void test_choice (void) {
  static const struct {
    const char *environment;
    int device;
    uint64_t devices;
    gpumm_status status;
    uint64_t allowed;
    const char *error;
  } choices[] = {
      {NULL, -1, 0, GPUMM_OK, 1, ""},
      {NULL, 2, 0, GPUMM_OK, 4, ""},
      {NULL, 3, 0, GPUMM_INVALID, 0, "device 3 does not exist: there are 3 (0 to 2)"},
      {NULL, 1000, 0, GPUMM_INVALID, 0, "does not exist"},
      {NULL, -1, 6, GPUMM_OK, 6, ""},
      {NULL, -1, 12, GPUMM_INVALID, 0, "device 3 does not exist"},
      {NULL, -1, UINT64_MAX, GPUMM_OK, 7, ""},
      {"all", -1, 0, GPUMM_OK, 7, ""},
      {"all", 1, 0, GPUMM_OK, 2, ""},
      {"0", -1, 0, GPUMM_OK, 1, ""},
      {"2,0", -1, 0, GPUMM_OK, 5, ""},
      {"1,2", -1, 1, GPUMM_OK, 1, ""},
      {"0,3", -1, 0, GPUMM_INVALID, 0, "device 3 does not exist"},
      {"", -1, 0, GPUMM_INVALID, 0, "GPUMM_DEVICES is \"\""},
      {"1,1", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {"0,", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {",0", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {"0 1", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {"-1", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {"1.5", -1, 0, GPUMM_INVALID, 0, "different devices"},
      {"99999999999999999999", -1, 0, GPUMM_INVALID, 0, "different devices"},
  };
  set_devices (3);
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    const gpumm_options o = {.device = choices[i].device, .devices = choices[i].devices};
    uint64_t devices = 0;
    if (choices[i].environment)
      setenv ("GPUMM_DEVICES", choices[i].environment, 1);
    else
      unsetenv ("GPUMM_DEVICES");
    const gpumm_status status = gpumm_allowed_devices (&o, 1, &devices);
    CHECK (status == choices[i].status, "choice %zu: %s", i, gpumm_status_name (status));
    CHECK (status || devices == choices[i].allowed, "choice %zu: %" PRIx64, i, devices);
    CHECK (!status || strstr (gpumm_last_error (), choices[i].error), "choice %zu: %s", i,
           gpumm_last_error ());
  }
  unsetenv ("GPUMM_DEVICES");
}

/* Contexts share nothing. */
static void test_contexts (void) {
  gpumm_context *one, *two, *none;
  set_devices (2);
  CHECK (!gpumm_context_of (GPUMM_HOST, &one) && !gpumm_context_of (GPUMM_HOST - 1, &two)
             && one != two && one->device == 0 && two->device == 1,
         "two contexts");
  CHECK (gpumm_context_of (GPUMM_HOST - 2, &none) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "host device 2 does not exist"),
         "%s", gpumm_last_error ());
  const gpumm_driver *driver = one->driver;
  gpumm_device_properties p, q;
  gpumm_stream *stream;
  gpumm_event *event;
  void *memory, *pinned;
  CHECK (!driver->allocate (1, 1 << 20, &memory) && !driver->pin (0, 1 << 20, &pinned)
             && !driver->stream_create (1, &stream)
             && !driver->event_create (1, GPUMM_TIMED, &event),
         "%s", driver->error_text ());
  CHECK (!driver->properties (0, &p) && !driver->properties (1, &q)
             && p.memory_free - q.memory_free == 1 << 20,
         "each has its memory");
  CHECK (driver->fill (0, NULL, memory, 0, 8) && !driver->fill (1, stream, memory, 0, 8), "memory");
  CHECK (driver->copy_up (0, NULL, memory, 8, pinned, 8, 8, 1), "memory of another device");
  CHECK (!driver->copy_up (1, stream, memory, 8, pinned, 8, 8, 1), "pinned memory is for all");
  CHECK (driver->fill (0, stream, memory, 0, 8) && driver->stream_synchronize (0, stream)
             && driver->event_record (0, event, NULL) && driver->event_synchronize (0, event),
         "streams and events of another device");
  CHECK (driver->release (0, memory) && !driver->release (1, memory) && !driver->unpin (0, pinned),
         "%s", driver->error_text ());
  driver->stream_destroy (1, stream);
  driver->event_destroy (1, event);
}

/* How many devices are worth their while: a link carries 50 GB/s up, 45 down and 25 both ways at
 * once, several together so many times as much. */
static void test_counts (void) {
  static const double alike[] = {1, 1, 1, 1}, slow[] = {1, 0.01, 0.01, 0.01};
  static const struct {
    double compute, common, split, result, up, down, both;
    int gives;
    const double *rates;
    int most, count;
    double extra, further;
  } cases[] = {
      {1, 0, 0, 0, 1, 1, 1, 1, alike, 4, 4, 0, 0},               /* nothing moves */
      {1, 0, 0, 0, 1, 1, 1, 1, alike, 3, 3, 0, 0},               /* three there are */
      {1, 0, 0, 0, 1, 1, 1, 1, slow, 4, 1, 0, 0},                /* the others hardly help */
      {0.16, 2e9, 2e9, 2e9, 2.6, 1, 1, 1, alike, 4, 4, 0, 0},    /* 16384 x 16384, double */
      {0.16, 2e9, 2e9, 2e9, 1.4, 1, 1, 1, alike, 2, 2, 0, 0},    /* on two */
      {0.024, 6e8, 6e8, 6e8, 1.4, 1, 0.9, 1, alike, 2, 1, 0, 0}, /* 12000, single, by the host */
      {0.024, 6e8, 6e8, 6e8, 1.9, 1, 1.8, 1, alike, 2, 2, 0, 0}, /* or not */
      {0.01, 4.9e9, 5e7, 5e7, 4, 1, 1, 0, alike, 4, 1, 0, 0},   /* nearly all goes to each device */
      {0.01, 4.9e9, 5e7, 5e7, 2.6, 1, 1, 1, alike, 4, 4, 0, 0}, /* or up once, by all links */
      {0.01, 4.9e9, 5e7, 5e7, 0.9, 1, 1, 1, alike, 4, 1, 0, 0}, /* several carry less */
      {0.1, 3e8, 3e8, 12e9, 1.9, 1, 1, 1, alike, 4, 1, 0, 0},   /* the host limits a large result */
      {0.1, 3e8, 3e8, 12e9, 1.9, 1.9, 1, 1, alike, 2, 2, 0, 0}, /* but not on this host */
      {0.5, 2e9, 2e9, 9e9, 1.9, 1, 1, 1, alike, 2, 2, 0, 0},    /* more to compute than to move */
      {0.1, 0, 8e9, 0, 1, 1, 1, 1, alike, 2, 1, 0, 0}, /* all goes up, as fast as one link can */
      {0.001, 0, 4e9, 4e9, 1.9, 1.9, 1, 1, alike, 2, 1, 0, 0}, /* both ways at once are no faster */
      {0.023, 5.4e8, 5.4e8, 5.4e8, 1.4, 1, 1, 1, alike, 2, 2, 0, 0},    /* 8192: 36 and 31 ms */
      {0.023, 5.4e8, 5.4e8, 5.4e8, 1.4, 1, 1, 1, alike, 2, 1, 5e-3, 0}, /* and 5 ms besides */
      {0.1, 2.1e9, 2.1e9, 2.1e9, 1.3, 0.9, 1, 1, alike, 4, 4, 5e-3, 0}, /* 16384: 143 and 125 ms */
      {0.1, 2.1e9, 2.1e9, 2.1e9, 1.3, 0.9, 1, 1, alike, 4, 4, 5e-3, 1e-3}, /* two: 130, four: 127 */
      {0.012, 5.4e8, 5.4e8, 5.4e8, 1.9, 1, 1.8, 1, alike, 4, 2, 2e-3, 1e-3},   /* two are fastest */
      {0.02, 1.2e9, 1.2e9, 4.6e9, 1.9, 1.2, 1.2, 1, alike, 4, 2, 10e-3, 7e-3}, /* blocks, too */
      {0.4, 1.2e9, 1.2e9, 4.6e9, 1.9, 1.2, 1.2, 1, alike, 4, 4, 10e-3, 7e-3},  /* computed longer */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpumm_spread_costs x = {
        .compute = cases[i].compute,
        .common = cases[i].common,
        .split = cases[i].split,
        .result = cases[i].result,
        .extra = cases[i].extra,
        .further = cases[i].further,
        .links = {{50e9, 45e9, 25e9},
                  {cases[i].up * 50e9, cases[i].down * 45e9, cases[i].both * 25e9}},
        .gives = cases[i].gives};
    const int count = gpumm_spread_count (&x, cases[i].rates, cases[i].most);
    const double one = gpumm_spread_seconds (&x, cases[i].rates, 1);
    CHECK (count == cases[i].count, "case %zu: %d devices", i, count);
    CHECK (count == 1 || gpumm_spread_seconds (&x, cases[i].rates, count) < 0.9 * one,
           "case %zu: %g s", i, one);
    CHECK (one >= x.compute && one >= (x.common + x.split) / 50e9 && one >= x.result / 45e9,
           "case %zu: %g s", i, one);
  }
}

/* The links are measured by large products on one and on all. */
static struct {
  int opened, ran, closed, fail_at, is_large;
  double one, all; /* seconds of a large product */
  gpumm_status failure;
  uint64_t devices;
} trial;

static gpumm_status open_trial (const gpumm_problem *problem, const gpumm_options *options,
                                const gpumm_job *whole, struct gpumm_exchange *exchange, int member,
                                gpumm_job **part) {
  static char job;
  const double bytes =
      8.0
      * (double) (gpumm_m (problem) * gpumm_n (problem) + gpumm_m (problem) * gpumm_k (problem)
                  + gpumm_k (problem) * gpumm_n (problem));
  CHECK (gpumm_links_measuring () && !whole && !exchange && !member && options->backend == GPUMM_GPU
             && !gpumm_check_matrix (&problem->a, "A") && !gpumm_check_matrix (&problem->b, "B")
             && gpumm_k (problem) == problem->b.rows,
         "product %d", trial.opened);
  trial.devices = options->devices;
  trial.is_large = bytes > 2.5e8;
  *part = (gpumm_job *) &job;
  return ++trial.opened == trial.fail_at ? gpumm_fail (trial.failure, "stopped") : GPUMM_OK;
}

static gpumm_status run_trial (gpumm_job *part, gpumm_matrix *result) {
  const double seconds = trial.devices == 4 ? trial.one : trial.all;
  const struct timespec time = {.tv_nsec = (long) (1e9 * seconds)};
  CHECK (part && !gpumm_check_matrix (result, "C"), "result %d", trial.ran);
  if (trial.is_large)
    nanosleep (&time, NULL);
  trial.ran++;
  return GPUMM_OK;
}

static void close_trial (gpumm_job *part) {
  trial.closed += part != NULL;
}

enum { LONG = 1000 }; /* seconds that no test takes */

static void test_links (void) {
  static const gpumm_part_calls calls = {open_trial, run_trial, close_trial};
  gpumm_links links;
  gpumm_links_forget ();
  trial.one = trial.all = 40e-3; /* long beside what a busy machine adds */
  trial.fail_at = 3;
  trial.failure = GPUMM_CANCELLED;
  CHECK (gpumm_links_of (12, &calls, &links) == GPUMM_CANCELLED && trial.opened == 3
             && trial.ran == 2 && trial.closed == 2 && !gpumm_links_measuring (),
         "%d opened, %d closed", trial.opened, trial.closed);
  trial.fail_at = 0;
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.devices == 12, "%s", gpumm_last_error ());
  const double bytes = 256 << 20;
  const double *rates[] = {&links.one.up, &links.one.down, &links.one.both,
                           &links.all.up, &links.all.down, &links.all.both};
  for (int i = 0; i < 6; i++) /* but for the time of little products */
    CHECK (*rates[i] > 0 && *rates[i] < bytes / 36e-3, "rate %d: %g", i, *rates[i]);
  CHECK (trial.ran == trial.closed && trial.opened == trial.ran + 1, "%d ran", trial.ran);
  const int ran = trial.ran;
  gpumm_links_age (-LONG);
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.ran == ran, "known");
  CHECK (!gpumm_links_of (6, &calls, &links) && trial.ran > ran, "of others");
  const int both = trial.ran;
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.ran == both, "both are known");
  gpumm_links_forget ();
  trial.fail_at = trial.opened + 2;
  trial.failure = GPUMM_DEVICE_MEMORY;
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.opened == trial.fail_at, "%d", trial.opened);
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.opened == trial.fail_at && !links.one.up,
         "what has failed is remembered: %d", trial.opened);
  gpumm_links_forget ();
}

static const gpumm_part_calls trial_calls = {open_trial, run_trial, close_trial};

/* Measures, and a second later again, when all are faster and one is slower. Do the least times
 * count? */
static int count_least (gpumm_links *before) {
  gpumm_links links;
  gpumm_links_forget ();
  trial.fail_at = 0;
  trial.one = trial.all = 40e-3;
  CHECK (!gpumm_links_of (12, &trial_calls, before), "%s", gpumm_last_error ());
  gpumm_links_age (-LONG);
  const int ran = trial.ran;
  CHECK (!gpumm_links_of (12, &trial_calls, &links) && trial.ran == ran, "not at once");
  gpumm_links_age (LONG + 1);
  trial.one = 50e-3; /* what is slower does not count */
  trial.all = 1e-3;
  CHECK (!gpumm_links_of (12, &trial_calls, &links) && trial.ran > ran, "a second later");
  return links.all.up > before->all.up && links.all.down > before->all.down
         && links.all.both > before->all.both && links.one.up > 0.8 * before->one.up
         && links.one.down > 0.8 * before->one.down && links.one.both > 0.8 * before->one.both;
}

/* Other programs may have the processor when a trial of 1 ms ends: then it is tried again. */
static void test_links_again (void) {
  enum { TRIES = 20 };
  const gpumm_part_calls calls = trial_calls;
  gpumm_links links, before;
  int tries = 0;
  while (tries < TRIES && !count_least (&before))
    tries++;
  CHECK (tries < TRIES, "the least times do not count, %d times", tries);
  const int again = trial.ran;
  gpumm_links_age (-LONG);
  CHECK (!gpumm_links_of (12, &calls, &links) && trial.ran == again, "not at each product");
  gpumm_links_age (LONG + 4);
  trial.fail_at = trial.opened + 1;
  trial.failure = GPUMM_CANCELLED;
  CHECK (gpumm_links_of (12, &calls, &links) == GPUMM_CANCELLED && trial.opened == trial.fail_at,
         "stopped while it is measured again");
  gpumm_links_age (-LONG);
  CHECK (!gpumm_links_of (12, &calls, &links) && links.all.up > before.all.up
             && trial.opened == trial.fail_at,
         "what was known is kept");
  gpumm_links_forget ();
}

/* From device to device, with gaps between columns and without. */
static void test_copies (void) {
  if (!on_gpus)
    set_devices (2);
  for (int gaps = 0; gaps < 4; gaps++) {
    gpumm_matrix x = make_full (GPUMM_Z, 33, 21, WHOLE), there[2], back = x;
    back.values = check_allocate (x.ld * x.cols, 16);
    for (int d = 0; d < 2; d++) {
      there[d] = x;
      there[d].ld = gaps & 1 << d ? 40 : 33;
      CHECK (
          gpumm_buffer_new (on_gpus ? d : GPUMM_HOST - d, (size_t) (40 * 21 * 16), &there[d].buffer)
              == GPUMM_OK,
          "%s", gpumm_last_error ());
      there[d].values = gpumm_buffer_address (there[d].buffer);
    }
    CHECK (!gpumm_copy (&x, &there[0]) && !gpumm_copy (&there[0], &there[1])
               && !gpumm_copy (&there[1], &back),
           "%s", gpumm_last_error ());
    for (int64_t j = 0; j < x.cols; j++)
      CHECK (!memcmp ((char *) x.values + j * x.ld * 16, (char *) back.values + j * x.ld * 16,
                      (size_t) x.rows * 16),
             "gaps %d: column %d", gaps, (int) j);
    CHECK (gpumm_copy (&there[0], &there[0]) == GPUMM_UNSUPPORTED, "%s", gpumm_last_error ());
    for (int n = 1; n < 4 && !on_gpus; n++) {
      fault_of (1, n);
      CHECK (gpumm_copy (&there[0], &there[1]) == GPUMM_DEVICE_FAILED || n > 2, "call %d", n);
      fault_of (1, 0);
    }
    gpumm_buffer_release (there[0].buffer);
    gpumm_buffer_release (there[1].buffer);
    release (&x);
    free (back.values);
  }
  gpumm_reset ();
}

int main (int argc, char **argv) {
  on_gpus = argc > 1 && strcmp (argv[1], "gpu") == 0;
  argc -= on_gpus;
  argv += on_gpus;
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261128);
  if (on_gpus) {
    devices_there = gpumm_device_count (NULL) < 4 ? gpumm_device_count (NULL) : 4;
    CHECK (devices_there > 1, "%d GPUs", devices_there);
    if (check_failed)
      return check_done ();
    gpumm_spread_always (1);
    test_copies ();
    test_products ();
    return check_done ();
  }
  need_host_device ();
  void *host = dlopen ("libgpumm_host.so", RTLD_NOW);
  *(void **) &set_devices = host ? dlsym (host, "gpumm_host_set_devices") : NULL;
  *(void **) &set_memory_of = host ? dlsym (host, "gpumm_host_set_memory_of") : NULL;
  *(void **) &fault_of = host ? dlsym (host, "gpumm_host_fault_of") : NULL;
  CHECK (set_devices && set_memory_of && fault_of, "%s", host ? "no such functions" : dlerror ());
  if (check_failed)
    return check_done ();
  test_contexts ();
  test_counts ();
  if (SANITIZED_STEP == 1) { /* they run in one thread, and fill much memory */
    test_links ();
    test_links_again ();
  }
  test_copies ();
  test_choice ();
  test_evenness ();
  test_shares ();
  test_products ();
  test_eight ();
  test_memory ();
  test_faults ();
  test_all_fail ();
  test_allocations ();
  set_devices (1);
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "%" PRId64 " allocations are left",
         gpumm_live_allocations ());
  return check_done ();
}
