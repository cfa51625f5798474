/* test_spread.c - products spread over several devices: as many host devices as the test wants.
 * Elements are whole numbers; each result is compared, bit for bit, with that of a single device.
 * Rows of products.h are spread by "test_products devices".
 *
 *   test_spread [SEED]       host devices
 *   test_spread gpu [SEED]   the GPUs of this machine, at least two: products and copies
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "device/devices.h"
#include "base/error.h"
#include "faults.h"
#include "host_device.h"
#include "made_up_gpu.h"
#include "base/matrix.h"
#include "memory/pool.h"
#include "operands.h"
#include "plan/rates.h"
#include "job/spread.h"
#include "plan/transfer_rates.h"

#include <dlfcn.h>
#include <inttypes.h>

static void (*set_devices) (int n);
static void (*set_memory_of) (int device, int64_t bytes);
static int64_t (*fault_of) (int device, int64_t n);

static int on_gpus;       /* not on host devices */
static int devices_there; /* how many GPUs, at most four of which are used */

/* ---- products ----------------------------------------------------------------------------- */

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
    /* panels of more than 4 MiB, of which each device brings a slice; the last two go up narrow */
    {"naive", "dd", "nn", 70, 4, 8000, {1, 0}, {0, 0}, 0},
    {"naive", "dd", "nt", 1600, 4, 700, {1, 0}, {2, 0}, 0},
    {"tiled", "zz", "cn", 300, 4, 1500, {1, 0}, {0, 0}, 0},
};

enum { ROWS = sizeof table / sizeof *table, SLICED = ROWS - 3 };

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

/* A row, and what one of so many devices gives. */
typedef struct {
  product x;
  gpumm_options o; /* for all of them */
  gpumm_matrix right;
  gpumm_report one;
} spread_row;

static void begin (const row *t, int devices, spread_row *s) {
  const gpumm_options o = options_for (t, 1);
  if (!on_gpus) {
    gpumm_reset ();
    set_devices (devices);
  }
  make_product (t, &s->x);
  CHECK (!multiply (&s->x.p, &o, 0, &s->right, &s->one) && s->one.device_count == 0, "row %d: %s",
         (int) (t - table), gpumm_last_error ());
  s->o = options_for (t, (UINT64_C (1) << devices) - 1);
}

static void end (spread_row *s) {
  release (&s->right);
  release_product (&s->x);
  if (!on_gpus)
    gpumm_reset ();
}

static double sum_of (const gpumm_report *r, int flops) {
  double sum = 0;
  for (int i = 0; i < r->device_count; i++)
    sum += flops ? r->devices[i].flops : (double) r->devices[i].bytes_up;
  return sum;
}

/* Row t on these devices: the result and the operations of one device. The devices bring the same
 * bytes of a large A, also if it is one panel. */
static void check_spread (const row *t, spread_row *s, uint64_t devices) {
  const int number = (int) (t - table), count = __builtin_popcountll (devices);
  const int parts = count < t->n ? count : (int) t->n,
            expected = t->by_one || parts < 2 ? 0 : parts;
  const gpumm_report *one = &s->one;
  gpumm_matrix spread;
  gpumm_report r = {0};
  s->o.devices = devices;
  const gpumm_status status = multiply (&s->x.p, &s->o, 0, &spread, &r);
  CHECK (!status && is_same (&s->right, &spread), "row %d, devices %" PRIx64 ": %s", number,
         devices, status ? gpumm_last_error () : "not as on one device");
  release (&spread);
  CHECK (r.device_count == expected, "row %d, devices %" PRIx64 ": %d took part", number, devices,
         r.device_count);
  for (int i = 0; i < r.device_count; i++)
    CHECK (devices & UINT64_C (1) << r.devices[i].device && r.devices[i].total > 0
               && (number < SLICED || on_gpus
                   || (double) r.devices[i].bytes_up < 1.1 * (double) r.bytes_up / parts),
           "row %d, device %d: %" PRId64 " bytes of %" PRId64, number, r.devices[i].device,
           r.devices[i].bytes_up, r.bytes_up);
  if (r.device_count == 0)
    return;
  CHECK (sum_of (&r, 0) == (double) r.bytes_up && r.bytes_up <= one->bytes_up
             && (on_gpus || t->types[0] != t->types[1] || r.bytes_up == one->bytes_up),
         "row %d: %" PRId64 " bytes up, %" PRId64 " on one device", number, r.bytes_up,
         one->bytes_up);
  CHECK (sum_of (&r, 1) == r.flops && r.flops == one->flops, "row %d: %g and %g operations", number,
         r.flops, one->flops);
}

/* Every row, on every choice of four devices, or of the GPUs there are; long rows on the first two,
 * three and four. And on as many as a large host has, some of which get nothing where C has fewer
 * columns. */
static void test_products (void) {
  enum { EIGHT = 8 };
  const uint64_t choices = UINT64_C (1) << (on_gpus ? devices_there : 4);
  for (const row *t = table; t < table + ROWS; t++) {
    const int is_long = t - table >= SLICED;
    spread_row s;
    begin (t, EIGHT, &s);
    for (uint64_t devices = is_long ? 3 : 2; devices < choices;
         devices = is_long ? 2 * devices + 1 : devices + 1 + SANITIZED_STEP / 2)
      check_spread (t, &s, devices);
    if (!on_gpus)
      check_spread (t, &s, (1 << EIGHT) - 1);
    end (&s);
  }
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
    gpumm_report r = {0};
    make_product (&t, &x);
    gpumm_options o = options_for (&t, (UINT64_C (1) << devices) - 1);
    CHECK (multiply (&x.p, &o, 0, &c, &r) == GPUMM_OK && r.device_count == devices,
           "%d devices: %s", r.device_count, gpumm_last_error ());
    for (int d = 0; d < r.device_count; d++) {
      const double columns = r.devices[d].flops / (2.0 * 40 * 8);
      const double share = (double) n / (double) devices;
      CHECK (cases[i].whole ? fmod (columns, 1024) == 0 || d == r.device_count - 1
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

/* One device with far less memory than the others, and all with little: out of core, and the
 * same. */
static void test_memory (void) {
  const row t = {"naive", "dd", "nn", 200, 260, 150, {1, 0}, {1, 0}, 0};
  spread_row s;
  begin (&t, 3, &s);
  for (int small = 0; small < 8; small++) {
    gpumm_matrix c;
    gpumm_report r = {0};
    gpumm_reset ();
    set_devices (3);
    for (int d = 0; d < 3; d++)
      if (small & 1 << d)
        set_memory_of (d, 200 << 10);
    CHECK (!multiply (&s.x.p, &s.o, 0, &c, &r) && is_same (&s.right, &c) && r.device_count == 3,
           "small %d: %d devices, %s", small, r.device_count, gpumm_last_error ());
    release (&c);
  }
  end (&s);
}

/* Each takes 10 ms, so not every call of each device is tried in each row, and fewer of long
 * products. */
enum { STEP = 29 * SANITIZED_STEP, STEP_OF_LONG = 3 * STEP };

/* Sparse matrices and blocks: one device, and the reason says so. */
static void test_one_device (void) {
  static const gpumm_format formats[][2] = {
      {GPUMM_SPARSE, GPUMM_SPARSE}, {GPUMM_SPARSE, GPUMM_FULL}, {GPUMM_FULL, GPUMM_SPARSE},
      {GPUMM_BLOCKS, GPUMM_FULL},   {GPUMM_FULL, GPUMM_BLOCKS}, {GPUMM_BLOCKS, GPUMM_BLOCKS}};
  set_devices (4);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    gpumm_matrix c;
    gpumm_report r = {0};
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_options o = {.backend = GPUMM_CPU, .device = -1, .devices = 3};
    p.a = make_in_blocks (formats[i][0], GPUMM_D, 10, 10, 4, 4, 30, WHOLE);
    p.b = make_in_blocks (formats[i][1], GPUMM_D, 10, 10, 4, 4, 30, WHOLE);
    o.algorithm = p.a.format == GPUMM_FULL || p.b.format == GPUMM_FULL ? "spmm"
                  : p.a.format == GPUMM_SPARSE                         ? "spgemm"
                                                                       : "bsr";
    CHECK (multiply (&p, &o, 0, &c, &r) == GPUMM_OK && r.device_count == 0
               && strstr (r.reason, "only products of full matrices are spread"),
           "formats %d: %s, %s", (int) i, gpumm_last_error (), r.reason);
    release (&c);
    release (&p.a);
    release (&p.b);
  }
}

/* The n-th call of each device fails, alone or with all that follow: the others do its part, and
 * the report says so. Only where device 0 fails before there is a plan, the product does. */
static void test_faults (void) {
  static const int rows[] = {0, 6, 16, SLICED};
  int told = 0, failures = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *t = &table[rows[i]];
    const int64_t step = rows[i] < SLICED ? STEP : STEP_OF_LONG;
    spread_row s;
    gpumm_matrix c;
    gpumm_report r = {0};
    begin (t, 3, &s);
    /* where each part takes all of A up itself: of row 6 in bytes */
    const int64_t all_bytes = s.one.bytes_up + 2 * t->m * t->k * (i == 0 ? 8 : 1);
    int64_t calls[3];
    set_devices (3);
    CHECK (!multiply (&s.x.p, &s.o, 0, &c, &r), "%s", gpumm_last_error ());
    release (&c);
    for (int d = 0; d < 3; d++)
      calls[d] = fault_of (d, 0);
    for (int d = 0; d < 3; d++)
      for (int lasting = 0; lasting < 2; lasting++)
        for (int64_t n = check_between (1, step); n <= calls[d]; n += check_between (1, step)) {
          gpumm_reset ();
          set_devices (3);
          fault_of (d, lasting ? -n : n);
          const gpumm_status status = multiply (&s.x.p, &s.o, 0, &c, &r);
          if (status) {
            failures++;
            CHECK (d == 0 && n < 4, "row %d: call %" PRId64 " of device %d: %s", rows[i], n, d,
                   gpumm_last_error ());
            continue;
          }
          CHECK (is_same (&s.right, &c), "row %d: call %" PRId64 " of device %d", rows[i], n, d);
          if (r.device_count < 3) {
            CHECK (strstr (r.reason, "made to fail by a test"), "%s", r.reason);
            told++;
          }
          /* the others take nothing that a device gave before it failed, nor fail because of it */
          CHECK (!strstr (r.reason, "copy_peer"), "%s", r.reason);
          if (i < 2 && r.device_count < 3)
            CHECK (r.bytes_up == all_bytes,
                   "row %d: call %" PRId64 " of device %d: %" PRId64 ", %s", rows[i], n, d,
                   r.bytes_up, r.reason);
          release (&c);
        }
    end (&s);
  }
  CHECK (told > 20 / SANITIZED_STEP && failures <= told / 4 + 3, "%d parts handed on, %d failures",
         told, failures);
  gpumm_reset ();
}

static gpumm_status try_again (void *context) {
  const spread_row *s = context;
  gpumm_matrix c;
  gpumm_report r = {0};
  const gpumm_status status = multiply (&s->x.p, &s->o, 0, &c, &r);
  CHECK (status || is_same (&c, &s->right), "another result");
  release (&c);
  return status;
}

/* All devices fail from their n-th call on. */
static int64_t fault_all (int64_t n) {
  int64_t most = 0;
  for (int d = 0; d < 3; d++) {
    const int64_t calls = fault_of (d, -n);
    most = calls > most ? calls : most;
  }
  return most;
}

static void test_all_fail (void) {
  spread_row s;
  begin (&table[0], 3, &s);
  fail_in_turn (&(faults){.name = "all devices",
                          .inject = fault_all,
                          .run = try_again,
                          .context = &s,
                          .least = 10,
                          .step = 5});
  end (&s);
}

/* Every allocation of the engine fails in turn. */
static void test_allocations (void) {
  static const int rows[] = {6, 2};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    spread_row s;
    begin (&table[rows[i]], 2, &s);
    fail_in_turn (&(faults){.name = "spread",
                            .inject = gpumm_fault_memory,
                            .run = try_again,
                            .context = &s,
                            .least = 1});
    end (&s);
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

/* Are several devices worth their while? Links are those of six hosts, in GB/s, as the estimates of
 * bench/results/.../devices.csv tell; the products are rows of these files, full, m x k x n. */
static void test_seconds (void) {
  static const struct {
    int count;
    gpumm_transfer_rates transfer;
  } hosts[] = {
      {2, {{39.7e9, 21.0e9}, {30.3e9, 23.4e9}}}, /* H100, while the host was busy */
      {4, {{44.3e9, 42.4e9}, {79.7e9, 50.0e9}}}, /* H100 */
      {2, {{44.7e9, 42.4e9}, {76.3e9, 49.9e9}}}, /* H200 */
      {4, {{44.1e9, 38.3e9}, {74.6e9, 44.2e9}}}, /* H200 */
      {4, {{45.7e9, 44.9e9}, {95.6e9, 58.6e9}}}, /* H200 */
      {2, {{45.0e9, 44.3e9}, {67.7e9, 58.9e9}}}, /* H200 */
  };
  enum { ALL = 63, HOSTS = sizeof hosts / sizeof *hosts };
  static const struct {
    int64_t m, k, n;
    int bytes; /* of an element */
    double compute;
    int spread; /* bit 1 << host */
  } rows[] = {
      {5000, 5000, 5000, 16, 18.0e-3, 2 | 4 | 8 | 16}, /* gained 3 to 21 % */
      {8192, 8192, 8192, 8, 22.8e-3, ALL - 1},         /* up to 14 % */
      {8192, 8192, 8192, 16, 55e-3, ALL - 1},          /* up to 39 % */
      {12000, 12000, 12000, 8, 45.5e-3, ALL - 1},      /* up to 35 % */
      {16384, 16384, 16384, 8, 185e-3, ALL},           /* up to 45 % */
      {2000, 200000, 2000, 8, 33e-3, ALL - 1},         /* up to 52 % */
      {64, 20000, 20000, 8, 1.1e-3, ALL - 1},          /* up to 51 % */
      {20000, 20000, 64, 8, 1.1e-3, ALL - 1},          /* up to 39 % */
      {20000, 20, 20000, 8, 0.4e-3, 16 | 32},          /* up to 11 % */
      {100000, 500, 500, 8, 1.1e-3, 0},                /* were not spread */
      {6000, 6000, 6000, 8, 8.9e-3, 16},
      {8192, 8192, 8192, 4, 7.8e-3, 0},
      {4096, 4096, 4096, 16, 10.5e-3, 0},
  };
  const double alike[] = {1, 1, 1, 1}, slow[] = {1, 0.01, 0.01, 0.01};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int h = 0; h < HOSTS; h++) {
      const double element = rows[i].bytes;
      gpumm_spread_costs x = {.compute = rows[i].compute,
                              .common = element * (double) (rows[i].m * rows[i].k),
                              .split = element * (double) (rows[i].k * rows[i].n),
                              .result = element * (double) (rows[i].m * rows[i].n),
                              .transfer = hosts[h].transfer,
                              .gives = 1};
      const double one = gpumm_spread_seconds (&x, alike, 1);
      const double all = gpumm_spread_seconds (&x, alike, hosts[h].count);
      CHECK ((all <= 0.9 * one) == (rows[i].spread >> h & 1), "row %zu, host %d: %g and %g s", i, h,
             one, all);
      CHECK (one >= x.compute && one >= (x.common + x.split) / x.transfer.one.up
                 && one >= x.result / x.transfer.one.down,
             "row %zu, host %d: %g s", i, h, one);
      CHECK (gpumm_spread_seconds (&x, slow, hosts[h].count) >= x.compute / 1.031 + 5e-3,
             "row %zu, host %d: slow devices hardly help", i, h);
      x.gives = 0; /* the common operand goes up to each device */
      CHECK (gpumm_spread_seconds (&x, alike, hosts[h].count)
                 >= (hosts[h].count * x.common + x.split) / x.transfer.all.up,
             "row %zu, host %d: %g s", i, h, all);
    }
}

/* ---- how fast several devices move data --------------------------------------------------- */

/* Made-up GPUs. A clock would say what else runs on this machine: counted is what goes up. */
enum { MADE_UP = 3 };
static gpumm_driver made_up_driver;
static gpumm_context made_up_gpus[MADE_UP];
static _Atomic int64_t bytes_up[MADE_UP];
static int launches, failing = -1; /* the device whose launches fail; -1: none */
static gpumm_status failure;

static gpumm_status copy_and_count (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                                    const void *from, size_t from_pitch, size_t width,
                                    size_t height) {
  bytes_up[device] += (int64_t) (width * height);
  return made_up_driver.copy_down (device, stream, to, to_pitch, from, from_pitch, width, height);
}

static gpumm_status launch_nothing (int device, gpumm_stream *stream, const gpumm_product *p) {
  (void) stream;
  (void) p;
  __atomic_add_fetch (&launches, 1, __ATOMIC_RELAXED);
  return device == failing ? failure : GPUMM_OK;
}

/* Rates of the first alone, and of both at once. What fails is remembered, what
 * is stopped is not. */
static void test_transfer_rates (void) {
  static const gpumm_kernel kernel = {
      .algorithm = "cublas", .name = "cublas", .types = 1 << GPUMM_D, .launch = launch_nothing};
  static const gpumm_kernel *const kernels[] = {&kernel, NULL};
  gpumm_context *both[] = {&made_up_gpus[0], &made_up_gpus[1]}, *others[] = {both[1], both[1] + 1};
  gpumm_transfer_rates x, again;
  made_up_driver = *gpumm_driver_table ();
  made_up_driver.kernels = kernels;
  made_up_driver.copy_up = copy_and_count;
  for (int d = 0; d < MADE_UP; d++) {
    gpumm_candidate candidate;
    made_up_gpus[d] = (gpumm_context){.driver = &made_up_driver, .device = d};
    CHECK (!gpumm_candidate_device (&made_up_gpus[d], GPUMM_D, 1, &candidate), "%s",
           gpumm_last_error ());
  }
  failing = 1;
  failure = GPUMM_CANCELLED;
  CHECK (gpumm_transfer_rates_of (both, 2, &x) == GPUMM_CANCELLED, "stopped: %g", x.all.up);
  failing = -1;
  memset ((void *) bytes_up, 0, sizeof bytes_up);
  CHECK (!gpumm_transfer_rates_of (both, 2, &x) && x.one.up > 0 && x.one.down > 0 && x.all.down > 0,
         "%s", gpumm_last_error ());
  /* in each round the whole to the first, and then a half to both, and little besides */
  const double first = (double) bytes_up[0] / (double) bytes_up[1];
  CHECK (first > 2.8 && first < 3.2 && bytes_up[2] == 0, "the first got %g times the bytes", first);
  const int before = launches;
  CHECK (!gpumm_transfer_rates_of (both, 2, &again) && launches == before
             && memcmp (&x, &again, sizeof x) == 0,
         "known");
  failing = 2;
  failure = GPUMM_DEVICE_MEMORY;
  CHECK (!gpumm_transfer_rates_of (others, 2, &again) && again.one.up == 0 && again.all.up == 0,
         "failed: %g", again.all.up);
  const int failed = launches;
  CHECK (failed > before && !gpumm_transfer_rates_of (others, 2, &again) && launches == failed,
         "what has failed is remembered");
  CHECK (!gpumm_transfer_rates_of (both, 2, &again) && launches == failed
             && memcmp (&x, &again, sizeof x) == 0,
         "both sets are known");
  gpumm_transfer_rates_forget ();
  failing = 0;
  failure = GPUMM_CANCELLED;
  CHECK (gpumm_transfer_rates_of (both, 2, &again) == GPUMM_CANCELLED && launches > failed,
         "forgotten");
  for (int d = 0; d < MADE_UP; d++) {
    gpumm_pool_reset (&made_up_gpus[d]);
    gpumm_rates_forget (&made_up_gpus[d]);
  }
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
    gpumm_reset ();
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
  test_seconds ();
  if (SANITIZED_STEP == 1) /* it fills much memory */
    test_transfer_rates ();
  test_copies ();
  test_choice ();
  test_evenness ();
  test_products ();
  test_memory ();
  test_one_device ();
  test_faults ();
  test_all_fail ();
  test_allocations ();
  set_devices (1);
  return released_and_done ();
}
