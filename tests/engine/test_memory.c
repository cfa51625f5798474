/* test_memory.c - pool, transfers and out of core, on the host device.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "multiply/algorithm.h"
#include "multiply/pass.h"
#include "host_device.h"
#include "memory/pool.h"
#include "operands.h"
#include "rates.h"

#include <dlfcn.h>

static gpumm_context *context; /* of the host device */
static const gpumm_driver *driver;
static int step = SANITIZED_STEP; /* of many like cases every step-th is tried */

/* ---- pool --------------------------------------------------------------------------------- */

static void test_pool (void) {
  void *a, *b, *c;
  size_t unused;
  for (int kind = GPUMM_POOL_DEVICE; kind <= GPUMM_POOL_PINNED; kind++) {
    gpumm_pool_kind pool = (gpumm_pool_kind) kind;
    gpumm_pool_reset (context);
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 0 && unused == 0, "not empty at first");
    CHECK (!gpumm_pool_take (context, pool, 20000, &a), "%s", gpumm_last_error ());
    CHECK (!gpumm_pool_take (context, pool, 20000, &b), "%s", gpumm_last_error ());
    CHECK (a && b && a != b, "two blocks in use are one");
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 2 * gpumm_pool_rounded (20000)
               && unused == 0,
           "bytes");
    gpumm_pool_give (context, pool, a);
    CHECK (!gpumm_pool_take (context, pool, 15000, &c) && c == a, "a block is used again");
    gpumm_pool_give (context, pool, c);
    CHECK (!gpumm_pool_take (context, pool, 1, &c) && c != a,
           "a small request does not sit in a block over twice its size");
    gpumm_pool_give (context, pool, c);
    gpumm_pool_give (context, pool, b);
    gpumm_pool_give (context, pool, NULL);
    gpumm_pool_trim (context, pool, gpumm_pool_rounded (20000));
    CHECK (gpumm_pool_bytes (context, pool, &unused) <= gpumm_pool_rounded (20000), "trimmed");
    gpumm_pool_reset (context);
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 0, "reset leaves nothing");
  }
  /* a full device gives up what the pool keeps before it refuses */
  gpumm_device_properties p;
  driver->properties (0, &p);
  size_t most = (size_t) p.memory_total / 2 - (4 << 20);
  CHECK (!gpumm_pool_take (context, GPUMM_POOL_DEVICE, most, &a), "%s", gpumm_last_error ());
  gpumm_pool_give (context, GPUMM_POOL_DEVICE, a);
  CHECK (!gpumm_pool_take (context, GPUMM_POOL_DEVICE, 2 * most, &b), "%s", gpumm_last_error ());
  CHECK (gpumm_pool_take (context, GPUMM_POOL_DEVICE, most, &a) == GPUMM_DEVICE_MEMORY && !a,
         "more than there is");
  CHECK (strstr (gpumm_last_error (), "bytes"), "text: %s", gpumm_last_error ());
  gpumm_pool_give (context, GPUMM_POOL_DEVICE, b);
  gpumm_pool_reset (context);
}

/* ---- products ----------------------------------------------------------------------------- */

/* Whole numbers times a power of 2, which no narrow type holds: C has the same bits however it is
 * computed. BLAS computes `right`; test_products compares BLAS with its oracle. */
typedef struct {
  gpumm_problem problem;
  gpumm_matrix c0, c, right;
} sample;

static gpumm_matrix full (int64_t rows, int64_t cols, int op, double scale) {
  gpumm_matrix x = make (&(operand){
      .type = GPUMM_D, .op = (gpumm_op) op, .rows = rows, .cols = cols, .values = WHOLE});
  for (int64_t e = 0; e < x.ld * x.cols; e++)
    ((double *) x.values)[e] *= scale;
  return x;
}

static sample *make_sample (int64_t m, int64_t n, int64_t k, int ops, int with_c0, int gram) {
  static const gpumm_options blas = {.backend = GPUMM_CPU, .algorithm = "blas", .device = -1};
  sample *s = check_allocate (1, sizeof *s);
  gpumm_problem *p = &s->problem;
  *p = (gpumm_problem){.alpha = {1.25, 0}, .output = GPUMM_D};
  p->a = full (m, k, ops % 3, 0x1p-200);
  p->b = gram ? p->a : full (k, n, ops / 3, 0x1p-200);
  p->b.op = (gpumm_op) (ops / 3);
  s->c0 = full (m, n, GPUMM_NONE, 0x1p-400);
  s->c = (gpumm_matrix){.type = GPUMM_D, .rows = m, .cols = n, .ld = m};
  provide (&s->c, 0);
  if (with_c0) {
    p->c0 = &s->c0;
    p->beta.re = -0.5;
  }
  CHECK (!multiply (p, &blas, 0, &s->right, NULL), "%s", gpumm_last_error ());
  return s;
}

static void free_sample (sample *s) {
  if (s->problem.b.values != s->problem.a.values)
    release (&s->problem.b);
  release (&s->problem.a);
  release (&s->c0);
  release (&s->c);
  release (&s->right);
  free (s);
}

static void forget (sample *s) {
  memset (s->c.values, UNWRITTEN, (size_t) (s->c.rows * s->c.cols) * sizeof (double));
}

/* Counted honestly: C comes down once, and operands go up, in tiles perhaps more than once. */
static void check_sample (const sample *s, gpumm_status status, const gpumm_report *report,
                          int64_t limit) {
  const gpumm_matrix *a = &s->problem.a, *b = &s->problem.b, *c = &s->c;
  const int64_t operands = a->rows * a->cols + (a->values == b->values ? 0 : b->rows * b->cols);
  const int64_t least = 8 * (operands + (s->problem.c0 ? c->rows * c->cols : 0));
  CHECK (!status && is_same (c, &s->right),
         "%lld x %lld, ops %d %d, C0 %d, one array %d, under %lld bytes: %s", (long long) c->rows,
         (long long) c->cols, a->op, b->op, s->problem.c0 != NULL, a->values == b->values,
         (long long) limit, status ? gpumm_last_error () : "wrong");
  CHECK (report->bytes_down == 8 * c->rows * c->cols, "%lld bytes down",
         (long long) report->bytes_down);
  CHECK (c->rows * c->cols == 0
             || (limit > 0 ? report->bytes_up >= least : report->bytes_up == least),
         "%lld bytes up, %lld needed, ops %d %d", (long long) report->bytes_up, (long long) least,
         a->op, b->op);
}

static void run_within (sample *s, int64_t limit) {
  const gpumm_options o = {
      .backend = GPUMM_CPU, .algorithm = "naive", .device = -1, .max_device_memory = limit};
  gpumm_job *job = NULL;
  forget (s);
  gpumm_status status = gpumm_open (&s->problem, &o, &job);
  status = status ? status : gpumm_run (job, &s->c);
  check_sample (s, status, gpumm_job_report (job), limit);
  gpumm_close (job);
  const size_t held = gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, NULL);
  CHECK (limit == 0 || held <= (size_t) limit, "%zu bytes held over %lld", held, (long long) limit);
}

/* The same product in ever smaller tiles: right, and within the limit. The last size is large
 * enough for several threads. Then A A', for which A goes up once. */
static void test_out_of_core (void) {
  static const int64_t sizes[][4] = {{0, 4, 4},     {4, 4, 0},      {1, 1, 1},
                                     {129, 1, 65},  {1, 129, 300},  {130, 127, 129},
                                     {40, 300, 20}, {300, 40, 700}, {900, 800, 6, 3 << 20}};
  static const int64_t limits[] = {0,         8 << 20,   3 << 20,  1 << 20,
                                   300 << 10, 100 << 10, 40 << 10, 12 << 10};
  gpumm_reset ();
  for (int i = 0; i < 9 * 3 * 2; i += step) {
    const int64_t *size = sizes[i / 6];
    sample *s = make_sample (size[0], size[1], size[2], i % 3 * 4, i / 3 % 2, 0);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
      if (limits[l] == 0 || limits[l] >= size[3])
        run_within (s, limits[l]);
    free_sample (s);
  }
  sample *s = make_sample (70, 70, 90, 3, 0, 1);
  run_within (s, 0);
  free_sample (s);
  gpumm_reset ();
}

/* A kernel that asks for workspace, waits for its stream, and says what it did. */
static const gpumm_kernel *naive;
static int64_t launches, largest_workspace;

static size_t a_byte_an_element (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return (size_t) (p->m * p->n + 1);
}

static gpumm_status launch_with_workspace (int device, gpumm_stream *stream,
                                           const gpumm_product *p) {
  size_t bytes = (size_t) (p->m * p->n + 1);
  CHECK (p->workspace && (uintptr_t) p->workspace % 256 == 0 && p->workspace_bytes >= bytes,
         "workspace %p of %zu bytes, asked for %zu", p->workspace, p->workspace_bytes, bytes);
  CHECK (!driver->fill (device, stream, p->workspace, 0xff, p->workspace_bytes), "%s",
         driver->error_text ());
  CHECK (!driver->stream_synchronize (device, stream), "%s", driver->error_text ());
  snprintf (p->note, GPUMM_NOTE_BYTES, launches++ % 2 ? "odd" : "even");
  if ((int64_t) p->workspace_bytes > largest_workspace)
    largest_workspace = (int64_t) p->workspace_bytes;
  return naive->launch (device, stream, p);
}

static void test_workspace (void) {
  static const int64_t limits[] = {0, 1 << 20, 400 << 10};
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (strcmp ((*row)->name, "naive") == 0)
      naive = *row;
  gpumm_kernel demanding = *naive;
  demanding.launch = launch_with_workspace;
  demanding.workspace = a_byte_an_element;
  demanding.waits = 1;
  const gpumm_kernel *const rows[] = {&demanding, NULL};
  gpumm_driver with_it = *driver;
  with_it.kernels = rows;
  gpumm_place place;
  CHECK (!gpumm_place_device (context, GPUMM_D, 1, &place), "%s", gpumm_last_error ());
  gpumm_context other = {.driver = &with_it};
  place.context = &other;
  for (int l = 0; l < 3; l++) {
    sample *s = make_sample (700, 800, 6, 4, 1, 0);
    const gpumm_options o = {
        .backend = GPUMM_CPU, .algorithm = "naive", .max_device_memory = limits[l]};
    gpumm_choices choices = {.host = &place, .why_no_gpu = "", .smallest_tile = 256};
    struct gpumm_job job = {.problem = s->problem, .options = o, .report.kernel = "naive"};
    launches = largest_workspace = 0;
    gpumm_status status = gpumm_make_plan (&job.problem, &o, &choices, &job.plan);
    status = status ? status : job.plan.algorithm->run (&job, &s->c);
    check_sample (s, status, &job.report, limits[l]);
    CHECK (job.plan.kernel == &demanding && (limits[l] == 0 || job.plan.device_bytes <= limits[l]),
           "%lld bytes under %lld", (long long) job.plan.device_bytes, (long long) limits[l]);
    CHECK (launches > 1 && largest_workspace == job.plan.workspace_bytes, "%lld launches",
           (long long) launches);
    CHECK (strcmp (job.report.kernel, "naive (even, odd)") == 0, "notes: %s", job.report.kernel);
    free_sample (s);
  }
  gpumm_pool_reset (&other);
  gpumm_reset ();
}

/* Between the plan and the run others take the device's memory: the same in smaller tiles. */
static void test_refused (void) {
  sample *s = make_sample (500, 600, 6, 4, 1, 0);
  gpumm_options o = {.backend = GPUMM_CPU, .algorithm = "naive", .device = -1};
  gpumm_device_properties properties;
  gpumm_job *job = NULL;
  void *others = NULL;
  forget (s);
  CHECK (!gpumm_open (&s->problem, &o, &job), "%s", gpumm_last_error ());
  CHECK (!driver->properties (0, &properties)
             && !driver->allocate (0, (size_t) properties.memory_free - (2 << 20), &others),
         "%s", driver->error_text ());
  gpumm_status status = gpumm_run (job, &s->c);
  check_sample (s, status, gpumm_job_report (job), 1);
  CHECK (strstr (gpumm_job_report (job)->reason, "smaller tiles"), "reason: %s",
         gpumm_job_report (job)->reason);
  gpumm_close (job);
  gpumm_reset ();
  CHECK (!driver->release (0, others), "%s", driver->error_text ());
  free_sample (s);
}

/* ---- the choice of a sparse kernel -------------------------------------------------------- */

static void whole (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                   gpumm_sparse_product *launch) {
  (void) kernel;
  *launch = pass->product;
}

static int never (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 || !device;
}

static size_t half (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 ? 0 : (size_t) device->memory_free / 2;
}

static size_t twice (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 ? 0 : (size_t) device->memory_free * 2;
}

static double one (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 || !device ? 0 : 1;
}

static double two (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return 2 * one (p, device);
}

static double unknown (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return INFINITY * one (p, device);
}

/* The least estimate wins, else the last row; what does not run or has no room is passed over. */
static void test_choice (void) {
  static const gpumm_sparse_kernel a = {.algorithm = "f", .name = "a"},
                                   b = {.algorithm = "f", .name = "b", .workspace = half},
                                   late = {.algorithm = "f", .name = "late", .capability = 80},
                                   no = {.algorithm = "f", .name = "no", .runs = never},
                                   large = {.algorithm = "f",
                                            .name = "large",
                                            .workspace = twice,
                                            .seconds = one},
                                   first = {.algorithm = "f", .name = "first", .seconds = one},
                                   second = {.algorithm = "f", .name = "second", .seconds = two},
                                   other = {.algorithm = "f", .name = "other", .seconds = unknown},
                                   stranger = {
                                       .algorithm = "g", .name = "stranger", .seconds = one};
  static const struct {
    const gpumm_sparse_kernel *rows[6];
    int most;
    const char *expected; /* NULL: no memory; "": none */
  } table[] = {
      {{&a, &b, &stranger}, 0, "b"},
      {{&a, &late, &no, &large, &b}, 70, "b"},
      {{&a, &b, &late}, 0, "late"},
      {{&second, &first, &other, &a}, 0, "first"},
      {{&first, &second, &a}, 0, "first"},
      {{&large, &a, &other}, 0, "other"},
      {{&large, &no}, 0, NULL},
      {{&no, &stranger, &late}, 70, ""},
  };
  const gpumm_algorithm family = {.name = "f"};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_driver made_up = *driver;
    made_up.sparse_kernels = table[i].rows;
    gpumm_context other = {.driver = &made_up};
    struct gpumm_job job = {
        .options = {.max_device_memory = 8 << 20, .max_capability = table[i].most},
        .plan = {.context = &other, .algorithm = &family}};
    gpumm_pass pass = {.product = {.count = 1}};
    made_up.properties (0, &job.plan.properties);
    gpumm_pass_open (&pass, &job, "test");
    gpumm_status status = gpumm_pass_choose (&pass, whole);
    if (!table[i].expected)
      CHECK (status == GPUMM_DEVICE_MEMORY && strstr (gpumm_last_error (), "MaxDeviceMemory"),
             "row %zu: %s", i, gpumm_last_error ());
    else if (!*table[i].expected)
      CHECK (status == GPUMM_UNSUPPORTED && strstr (gpumm_last_error (), "no kernel of \"f\""),
             "row %zu: %s", i, gpumm_last_error ());
    else
      CHECK (!status && strcmp (pass.kernel->name, table[i].expected) == 0
                 && !pass.product.workspace == !pass.kernel->workspace,
             "row %zu: %s", i, status ? gpumm_last_error () : pass.kernel->name);
    gpumm_pass_close (&pass);
    gpumm_pool_reset (&other);
  }
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261120);
  if (argc > 2)
    step = atoi (argv[2]);
  context = need_host_device ();
  driver = context->driver;
  int64_t live = gpumm_live_allocations ();
  test_pool ();
  test_out_of_core ();
  test_workspace ();
  test_refused ();
  test_choice ();
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "%lld allocations leaked",
         (long long) (gpumm_live_allocations () - live));
  return check_done ();
}
