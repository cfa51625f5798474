/* test_streaming.c - panels.c on a device whose streams run late and in any order.
 *
 * The host device runs every call at once, so a missing wait between streams would never show
 * there. This one keeps what is queued and runs it bit by bit, at random among the streams, when it
 * is asked whether an event has passed: a copy that does not wait for what it needs meets memory
 * that is not written yet, or is overwritten too early. Values are whole numbers: results are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "algorithms/algorithm.h"
#include "check.h"
#include "memory/handles.h"
#include "memory/host.h"
#include "memory/panels.h"
#include "memory/pool.h"

#include <pthread.h>
#include <string.h>

/* ---- the late device ---------------------------------------------------------------------- */

struct gpumm_event {
  int64_t queued, passed; /* how often it was recorded, and how many of those have run */
};

typedef struct op {
  enum { COPY, RECORD, WAIT, PRODUCT } kind;
  void *to;
  const void *from;
  size_t to_pitch, from_pitch, width, height;
  gpumm_event *event;
  int64_t count; /* WAIT: for so many passings */
  gpumm_product product;
  struct op *next;
} op;

struct gpumm_stream {
  op *first, **last;
  struct gpumm_stream *next;
};

static gpumm_stream *streams;
static uint64_t luck = 1; /* its own, as copiers of panels.c call from threads of theirs */
static int64_t calls, fail_at, blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t draw (void) {
  luck ^= luck >> 12;
  luck ^= luck << 25;
  luck ^= luck >> 27;
  return luck * 2685821657736338717u >> 33;
}

static double at (const void *x, int64_t ld, gpumm_op op, int64_t i, int64_t j) {
  return ((const double *) x)[op == GPUMM_NONE ? i + j * ld : j + i * ld];
}

static void multiply (const gpumm_product *p) {
  double *c = p->c;
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->m; i++) {
      double sum = 0, *to = &c[i + j * p->ldc];
      for (int64_t l = 0; l < p->k && p->alpha.re != 0; l++)
        sum += at (p->a, p->lda, p->op_a, i, l) * at (p->b, p->ldb, p->op_b, l, j);
      *to = p->alpha.re * sum + (p->beta.re != 0 ? p->beta.re * *to : 0);
    }
}

/* Runs the first operation of a stream; 0 if it waits for another. */
static int run_first (gpumm_stream *s) {
  op *o = s->first;
  if (o->kind == WAIT && o->event->passed < o->count)
    return 0;
  if (o->kind == COPY)
    for (size_t j = 0; j < o->height; j++)
      memcpy ((char *) o->to + j * o->to_pitch, (const char *) o->from + j * o->from_pitch,
              o->width);
  else if (o->kind == RECORD)
    o->event->passed++;
  else if (o->kind == PRODUCT)
    multiply (&o->product);
  s->first = o->next;
  if (!s->first)
    s->last = &s->first;
  free (o);
  return 1;
}

/* Some streams, some steps; now and then one of them stands still for a while. */
static void run_some (void) {
  static uint64_t still;
  uint64_t number = 0;
  if (draw () % 16 == 0)
    still = draw () % 5;
  for (gpumm_stream *s = streams; s; s = s->next)
    for (uint64_t steps = number++ == still ? 0 : draw () % 3;
         steps > 0 && s->first && run_first (s); steps--)
      ;
}

/* With the lock held from here to leave (); fails at the call that was asked for. */
static gpumm_status enter (void) {
  pthread_mutex_lock (&lock);
  return ++calls == fail_at ? GPUMM_DEVICE_FAILED : GPUMM_OK;
}

static gpumm_status leave (gpumm_status status) {
  pthread_mutex_unlock (&lock);
  return status;
}

static gpumm_status queue (gpumm_stream *s, op o) {
  gpumm_status status = enter ();
  if (!status) {
    op *copy = malloc (sizeof *copy);
    *copy = o;
    copy->next = NULL;
    *s->last = copy;
    s->last = &copy->next;
    if (o.kind == RECORD)
      o.event->queued++;
    else if (o.kind == WAIT)
      copy->count = o.event->queued;
  }
  return leave (status);
}

static gpumm_status late_properties (int device, gpumm_device_properties *p) {
  (void) device;
  *p = (gpumm_device_properties){
      .name = "late", .capability = 999, .memory_total = 1 << 30, .memory_free = 1 << 30};
  return GPUMM_OK;
}

/* Memory is all NaN at first, so that what nothing wrote shows. */
static gpumm_status late_allocate (int device, size_t bytes, void **p) {
  (void) device;
  gpumm_status status = enter ();
  *p = status ? NULL : aligned_alloc (256, (bytes + 255) / 256 * 256);
  if (*p) {
    memset (*p, 0xff, bytes);
    blocks++;
  }
  return leave (status);
}

static gpumm_status late_release (int device, void *p) {
  (void) device;
  pthread_mutex_lock (&lock);
  blocks -= p != NULL;
  free (p);
  return leave (GPUMM_OK);
}

static gpumm_status late_stream_create (int device, gpumm_stream **s) {
  (void) device;
  gpumm_status status = enter ();
  *s = status ? NULL : calloc (1, sizeof **s);
  if (*s) {
    (*s)->last = &(*s)->first;
    (*s)->next = streams;
    streams = *s;
    blocks++;
  }
  return leave (status);
}

static gpumm_status late_stream_destroy (int device, gpumm_stream *s) {
  (void) device;
  pthread_mutex_lock (&lock);
  for (gpumm_stream **x = &streams; *x; x = &(*x)->next)
    if (*x == s) {
      *x = s->next;
      break;
    }
  blocks -= s != NULL;
  free (s);
  return leave (GPUMM_OK);
}

static gpumm_status late_stream_synchronize (int device, gpumm_stream *s) {
  (void) device;
  gpumm_status status = enter ();
  /* what this one waits for runs on the others */
  for (int rounds = 0; s->first && rounds < 10000000; rounds++)
    run_some ();
  if (s->first) {
    printf ("a stream never ends: it waits for what never comes\n");
    exit (1);
  }
  return leave (status);
}

static gpumm_status late_event_create (int device, gpumm_event **e) {
  (void) device;
  gpumm_status status = enter ();
  *e = status ? NULL : calloc (1, sizeof **e);
  blocks += *e != NULL;
  return leave (status);
}

static gpumm_status late_event_destroy (int device, gpumm_event *e) {
  (void) device;
  pthread_mutex_lock (&lock);
  blocks -= e != NULL;
  free (e);
  return leave (GPUMM_OK);
}

static gpumm_status late_event_record (int device, gpumm_event *e, gpumm_stream *s) {
  (void) device;
  return queue (s, (op){.kind = RECORD, .event = e});
}

static gpumm_status late_event_done (int device, gpumm_event *e, int *done) {
  (void) device;
  gpumm_status status = enter ();
  run_some ();
  *done = e->passed == e->queued;
  return leave (status);
}

static gpumm_status late_event_synchronize (int device, gpumm_event *e) {
  gpumm_status status = GPUMM_OK;
  for (int done = 0; !status && !done;)
    status = late_event_done (device, e, &done);
  return status;
}

static gpumm_status late_event_seconds (int device, gpumm_event *from, gpumm_event *to,
                                        double *seconds) {
  (void) device;
  gpumm_status status = enter ();
  *seconds = 1e-6;
  if (!status && (from->passed == 0 || to->passed == 0))
    status = GPUMM_DEVICE_FAILED;
  return leave (status);
}

static gpumm_status late_stream_wait (int device, gpumm_stream *s, gpumm_event *e) {
  (void) device;
  return queue (s, (op){.kind = WAIT, .event = e});
}

static gpumm_status late_copy (int device, gpumm_stream *s, void *to, size_t to_pitch,
                               const void *from, size_t from_pitch, size_t width, size_t height) {
  (void) device;
  return queue (s, (op){.kind = COPY,
                        .to = to,
                        .from = from,
                        .to_pitch = to_pitch,
                        .from_pitch = from_pitch,
                        .width = width,
                        .height = height});
}

static const char *late_error_text (void) {
  return "made to fail";
}

static gpumm_status late_launch (int device, gpumm_stream *s, const gpumm_product *p) {
  (void) device;
  return queue (s, (op){.kind = PRODUCT, .product = *p});
}

static gpumm_status even_launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  CHECK ((p->m < 512 || p->m % 16 == 0) && (p->n < 512 || p->n % 16 == 0)
             && (p->k < 512 || p->k % 16 == 0),
         "%lld x %lld x %lld is not padded", (long long) p->m, (long long) p->n, (long long) p->k);
  return late_launch (device, stream, p);
}

static const gpumm_driver *late;

/* As a kernel does that decides by what it finds on the device. */
static gpumm_status wait_and_launch (int device, gpumm_stream *s, const gpumm_product *p) {
  gpumm_status status = late->stream_synchronize (device, s);
  if (!status && p->workspace_bytes > 0)
    memset (p->workspace, 0x77, p->workspace_bytes);
  return status ? status : late_launch (device, s, p);
}

static size_t some_workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return (size_t) (p->m + p->n);
}

static const gpumm_kernel quick = {
    .algorithm = "naive", .name = "quick", .types = 1 << GPUMM_D, .launch = late_launch};
/* of even sizes only, as far as they are padded */
static const gpumm_kernel even = {.algorithm = "naive",
                                  .name = "even",
                                  .types = 1 << GPUMM_D,
                                  .launch = even_launch,
                                  .padded_types = 1 << GPUMM_D,
                                  .multiple = 16};
static const gpumm_kernel waiting = {.algorithm = "naive",
                                     .name = "waiting",
                                     .types = 1 << GPUMM_D,
                                     .launch = wait_and_launch,
                                     .workspace = some_workspace,
                                     .waits = 1};
static const gpumm_kernel *const kernels[] = {&quick, &even, &waiting, NULL};

static const gpumm_driver late_driver = {.version = GPUMM_DRIVER_VERSION,
                                         .name = "late",
                                         .properties = late_properties,
                                         .allocate = late_allocate,
                                         .release = late_release,
                                         .pin = late_allocate,
                                         .unpin = late_release,
                                         .stream_create = late_stream_create,
                                         .stream_destroy = late_stream_destroy,
                                         .stream_synchronize = late_stream_synchronize,
                                         .event_create = late_event_create,
                                         .event_destroy = late_event_destroy,
                                         .event_record = late_event_record,
                                         .event_synchronize = late_event_synchronize,
                                         .event_done = late_event_done,
                                         .event_seconds = late_event_seconds,
                                         .stream_wait = late_stream_wait,
                                         .copy_up = late_copy,
                                         .copy_down = late_copy,
                                         .error_text = late_error_text,
                                         .kernels = kernels};

/* ---- products ----------------------------------------------------------------------------- */

typedef struct {
  int64_t m, n, k;
  int ops, with_c0, gram; /* gram: A and B are one array */
  const char *kernel;
  int64_t limit, smallest_tile;
} test_case;

static gpumm_operand whole_numbers (int64_t rows, int64_t cols) {
  gpumm_operand x = {
      .type = GPUMM_D, .rows = rows, .cols = cols, .ld = rows + check_between (0, 3)};
  double *values = check_allocate (x.ld * cols + 1, sizeof *values);
  for (int64_t e = 0; e < x.ld * cols; e++)
    values[e] = (double) check_between (-9, 9);
  x.values = values;
  return x;
}

static gpumm_status run_case (const test_case *t, int *right) {
  gpumm_place place = {.driver = late};
  late->properties (0, &place.properties);
  gpumm_options o = {.backend = GPUMM_CPU, .algorithm = t->kernel, .max_device_memory = t->limit};
  gpumm_choices choices = {.host = &place, .why_no_gpu = "", .smallest_tile = t->smallest_tile};
  struct gpumm_job job = {.options = o};
  gpumm_problem *p = &job.problem;
  p->op_a = (gpumm_op) (t->ops % 3);
  p->op_b = (gpumm_op) (t->ops / 3);
  p->alpha.re = 2;
  p->output = GPUMM_D;
  p->a = p->op_a == GPUMM_NONE ? whole_numbers (t->m, t->k) : whole_numbers (t->k, t->m);
  p->b = t->gram                 ? p->a
         : p->op_b == GPUMM_NONE ? whole_numbers (t->k, t->n)
                                 : whole_numbers (t->n, t->k);
  gpumm_operand c0 = whole_numbers (t->m, t->n), c = whole_numbers (t->m, t->n);
  if (t->with_c0) {
    p->c0 = &c0;
    p->beta.re = -3;
  }
  memset (c.values, 0xff, (size_t) (c.ld * c.cols) * sizeof (double));
  gpumm_status status = gpumm_make_plan (p, &o, &choices, &job.plan);
  if (!status)
    status = job.plan.algorithm->run (&job, &c);
  *right = 1;
  for (int64_t j = 0; !status && j < t->n; j++)
    for (int64_t i = 0; i < t->m; i++) {
      double sum = 0;
      for (int64_t l = 0; l < t->k; l++)
        sum += at (p->a.values, p->a.ld, p->op_a, i, l) * at (p->b.values, p->b.ld, p->op_b, l, j);
      sum = 2 * sum - (t->with_c0 ? 3 * at (c0.values, c0.ld, GPUMM_NONE, i, j) : 0);
      *right &= at (c.values, c.ld, GPUMM_NONE, i, j) == sum;
    }
  if (!t->gram)
    free (p->b.values);
  free (p->a.values);
  free (c0.values);
  free (c.values);
  return status;
}

static test_case random_case (void) {
  static const struct {
    int64_t m, n, k;
  } most[] = {{60, 60, 60}, {300, 200, 20}, {900, 700, 4}, {1000, 12, 700}, {12, 1000, 700}};
  static const char *const names[] = {"quick", "even", "waiting"};
  int shape = (int) check_between (0, 4);
  test_case t = {.m = check_between (1, most[shape].m),
                 .n = check_between (1, most[shape].n),
                 .k = check_between (1, most[shape].k),
                 .ops = (int) check_between (0, 8),
                 .with_c0 = (int) check_between (0, 1),
                 .gram = check_between (0, 3) == 0,
                 .kernel = names[check_between (0, 2)],
                 .smallest_tile = check_between (0, 3) ? check_between (16, 200) : 600};
  if (t.gram) { /* sizes that let one array be both */
    t.n = t.m = check_between (1, 300);
    if ((t.ops % 3 == 0) == (t.ops / 3 == 0))
      t.k = t.m;
  }
  if (check_between (0, 1)) { /* out of core: what a few of the pool's blocks take, up to all */
    double all = 8.0 * (double) (t.m * t.k + t.k * t.n + t.m * t.n);
    t.limit = (int64_t) (all * check_uniform () * check_uniform ()) + (128 << 10);
  }
  return t;
}

static void describe (const test_case *t, char *text, size_t size) {
  snprintf (text, size,
            "%lld x %lld x %lld, ops %d, C0 %d, one array %d, %s, limit %lld, tile %lld",
            (long long) t->m, (long long) t->n, (long long) t->k, t->ops, t->with_c0, t->gram,
            t->kernel, (long long) t->limit, (long long) t->smallest_tile);
}

static void test_random (int cases) {
  char text[256];
  for (int i = 0; i < cases; i++) {
    test_case t = random_case ();
    int right;
    describe (&t, text, sizeof text);
    gpumm_status status = run_case (&t, &right);
    /* the smallest limits are too small for the smallest tiles, which is said */
    CHECK ((!status && right) || (status == GPUMM_DEVICE_MEMORY && t.limit > 0), "%s: %s", text,
           status ? gpumm_last_error () : "wrong");
  }
}

/* Two by two tiles in two buffers, k in one step: the last one's panels are there already, so that
 * only its product waits for the buffer to be free. */
static void test_reused_tile (int times) {
  test_case t = {.m = 256, .n = 256, .k = 20, .kernel = "quick", .limit = 450 << 10};
  for (int i = 0; i < times; i++) {
    int right;
    CHECK (!run_case (&t, &right) && right, "%s", gpumm_last_error ());
  }
}

/* A failure at any call is reported, nothing hangs, and the next product is right. */
static void test_failures (const char *kernel) {
  test_case t = {.m = 300,
                 .n = 300,
                 .k = 20,
                 .with_c0 = 1,
                 .kernel = kernel,
                 .limit = 1 << 20,
                 .smallest_tile = 64};
  int right, failures = 0;
  for (int64_t n = 1; n < 2000; n += check_between (1, 9)) {
    calls = 0;
    fail_at = n;
    gpumm_status status = run_case (&t, &right);
    int reached = calls >= n;
    fail_at = 0;
    failures += status != GPUMM_OK;
    /* an allocation is tried again after the pools have given back what they keep */
    CHECK (status ? status == GPUMM_DEVICE_FAILED || status == GPUMM_HOST_MEMORY
                        || status == GPUMM_DEVICE_MEMORY
                  : right,
           "call %lld: %s", (long long) n, gpumm_status_name (status));
    status = run_case (&t, &right);
    CHECK (!status && right, "after a failure at call %lld: %s", (long long) n,
           gpumm_last_error ());
    if (!reached)
      break;
  }
  CHECK (failures > 20, "%d failures", failures);
}

/* Vectors that change on their way: up in one step, nothing launched, and what is on the device
 * down in the next: indices as indices, the rest as the doubles that they are there. */
static void test_forms (int64_t n) {
  int64_t *index = check_allocate (n, sizeof *index), *index_back = check_allocate (n, 8);
  unsigned char *logical = check_allocate (n, 1);
  double *real = check_allocate (n, sizeof *real), *back = check_allocate (3 * n, sizeof *back);
  void *there[3] = {NULL, NULL, NULL};
  const size_t bytes[3] = {4, 8, 16};
  gpumm_report report = {0};
  for (int64_t i = 0; i < n; i++) {
    index[i] = check_between (0, INT32_MAX);
    logical[i] = (unsigned char) check_between (0, 1);
    real[i] = check_uniform ();
  }
  for (int x = 0; x < 3; x++)
    CHECK (!gpumm_pool_take (late, 0, GPUMM_POOL_DEVICE, (size_t) n * bytes[x], &there[x]), "%s",
           gpumm_last_error ());
  gpumm_step steps[3] = {
      {.up = {{index, there[0], n, 1, n, n, 8, GPUMM_INDEX},
              {logical, there[1], n, 1, n, n, 1, GPUMM_LOGICAL},
              {real, there[2], n, 1, n, n, 8, GPUMM_REAL}},
       .ups = 3,
       .after_launch = -1,
       .after_download = -1},
      {.down = {{there[0], index_back, n, 1, n, n, 8, GPUMM_INDEX},
                {there[1], back, n, 1, n, n, 8, GPUMM_AS_IT_IS}},
       .downs = 2,
       .after_launch = -1,
       .after_download = -1},
      {.down = {{there[2], back + n, n, 1, n, n, 16, GPUMM_AS_IT_IS}},
       .downs = 1,
       .after_launch = -1,
       .after_download = -1},
  };
  gpumm_stream_job job = {.driver = late,
                          .steps = steps,
                          .count = 3,
                          .fresh = {{index_back, (size_t) n * 8}, {back, (size_t) n * 24}}};
  CHECK (!gpumm_run_steps (&job, &report), "%s", gpumm_last_error ());
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; i++)
    wrong += index_back[i] != index[i] || back[i] != logical[i] || back[n + 2 * i] != real[i]
             || back[n + 2 * i + 1] != 0;
  CHECK (wrong == 0, "%lld of %lld elements changed otherwise", (long long) wrong, (long long) n);
  CHECK (report.bytes_up == n * 28 && report.bytes_down == n * 28, "%lld bytes up, %lld down",
         (long long) report.bytes_up, (long long) report.bytes_down);
  for (int x = 0; x < 3; x++)
    gpumm_pool_give (late, 0, GPUMM_POOL_DEVICE, there[x]);
  free (index);
  free (index_back);
  free (logical);
  free (real);
  free (back);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261121);
  luck = check_random () | 1;
  late = &late_driver;
  int64_t live = gpumm_live_allocations ();
  test_random (argc > 2 ? atoi (argv[2]) : 300);
  test_reused_tile (200);
  test_forms (1);
  test_forms (1000003);
  test_failures ("quick");
  test_failures ("waiting");
  gpumm_pools_reset ();
  gpumm_handles_reset ();
  CHECK (blocks == 0, "%lld blocks, streams and events of the device are left", (long long) blocks);
  CHECK (gpumm_live_allocations () == live, "%lld allocations leaked",
         (long long) (gpumm_live_allocations () - live));
  return check_done ();
}
