/* test_streaming.c - streaming.c on a device whose streams run late and in any order.
 *
 * The host device runs every call at once, so a missing wait between streams would never show
 * there. This one keeps what is queued and runs it bit by bit, at random among the streams, when it
 * is asked whether an event has passed: a copy that does not wait for what it needs meets memory
 * that is not written yet, or is overwritten too early. Values are whole numbers: results are
 * exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "multiply/algorithm.h"
#include "faults.h"
#include "memory/host.h"
#include "move/copy.h"
#include "move/streaming.h"
#include "memory/pool.h"
#include "base/threads.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- the late device ---------------------------------------------------------------------- */

struct gpumm_event {
  int64_t queued, passed; /* how often it was recorded, and how many of those have run */
};

typedef struct op {
  enum { COPY, RECORD, WAIT, WIDEN, PRODUCT } kind;
  void *to;
  const void *from;
  size_t to_pitch, from_pitch, width, height;
  gpumm_event *event;
  int64_t count; /* WAIT: for so many passings */
  gpumm_product product;
  gpumm_widening widening;
  struct op *next;
} op;

struct gpumm_stream {
  op *first, **last;
  struct gpumm_stream *next;
};

static gpumm_stream *streams;
static uint64_t luck = 1; /* its own, as copiers of streaming.c call from threads of theirs */
static int64_t calls, fail_at, blocks;
static int64_t widened[GPUMM_U64 + 1]; /* pieces of each type */
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

/* Column j of op (A) op (B), of m elements: sums of whole numbers, so that the order is all one.
 * The sanitizers skip it: checking the oracle takes them a third of the time. */
__attribute__ ((no_sanitize ("address", "thread", "undefined"))) static void column_of (
    const void *a, int64_t lda, gpumm_op op_a, const void *b, int64_t ldb, gpumm_op op_b, int64_t j,
    int64_t m, int64_t k, double *sum) {
  const double *x = a;
  const int64_t step_b = op_b == GPUMM_NONE ? 1 : ldb;
  const double *y = (const double *) b + (op_b == GPUMM_NONE ? j * ldb : j);
  memset (sum, 0, (size_t) m * sizeof *sum);
  if (op_a == GPUMM_NONE)
    for (int64_t l = 0; l < k; l++)
      for (int64_t i = 0; i < m; i++)
        sum[i] += x[i + l * lda] * y[l * step_b];
  else
    for (int64_t i = 0; i < m; i++) {
      double one = 0;
      for (int64_t l = 0; l < k; l++)
        one += x[l + i * lda] * y[l * step_b];
      sum[i] = one;
    }
}

/* Products in the queue, and the most that there were; what a launch is said to take; at which
 * launch from now the product is cancelled, 0: at none. */
static int64_t products_queued, most_queued, cancel_at;
static int64_t copies_up, up_before_down; /* the latter: -1 until the first copy down */
static double launch_seconds = 1e-6;
static volatile sig_atomic_t cancelled;

static void multiply (const gpumm_product *p) {
  double *sum = calloc ((size_t) p->m + 1, sizeof *sum);
  for (int64_t j = 0; j < p->n; j++) {
    double *c = (double *) p->c + j * p->ldc;
    column_of (p->a, p->lda, p->op_a, p->b, p->ldb, p->op_b, j, p->m, p->alpha.re != 0 ? p->k : 0,
               sum);
    for (int64_t i = 0; i < p->m; i++)
      c[i] = p->alpha.re * sum[i] + (p->beta.re != 0 ? p->beta.re * c[i] : 0);
  }
  free (sum);
}

static double narrow_at (gpumm_type narrow, const char *p, int64_t i) {
  float real;
  int16_t integer;
  if (narrow == GPUMM_I8)
    return (double) ((const signed char *) p)[i];
  if (narrow == GPUMM_I16) {
    memcpy (&integer, p + 2 * i, sizeof integer);
    return (double) integer;
  }
  memcpy (&real, p + 4 * i, sizeof real);
  return (double) real;
}

static void widen (const gpumm_widening *w) {
  int64_t down = (w->rows + w->piece - 1) / w->piece;
  for (int64_t piece = w->first; piece < w->first + w->count; piece++) {
    int64_t row = piece % down * w->piece;
    size_t element = w->wide == GPUMM_D ? sizeof (double) : sizeof (float);
    char *p = (char *) w->p + (size_t) (row + piece / down * w->ld) * element;
    for (int64_t i = (w->piece < w->rows - row ? w->piece : w->rows - row) - 1; i >= 0; i--) {
      double x = narrow_at (w->narrow, p, i);
      float single = (float) x;
      memcpy (p + element * (size_t) i, w->wide == GPUMM_D ? (void *) &x : (void *) &single,
              element);
    }
  }
  widened[w->narrow] += w->count;
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
  else if (o->kind == WIDEN)
    widen (&o->widening);
  else if (o->kind == PRODUCT) {
    multiply (&o->product);
    products_queued--;
  }
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
    else if (o.kind == PRODUCT && ++products_queued > most_queued)
      most_queued = products_queued;
  }
  return leave (status);
}

static gpumm_status late_properties (int device, gpumm_device_properties *p) {
  (void) device;
  *p = (gpumm_device_properties){
      .name = "late", .capability = 999, .memory_total = 1 << 30, .memory_free = 1 << 30};
  return GPUMM_OK;
}

/* Memory of the device, its streams and events; NULL where the call fails. */
static void *new_block (size_t bytes, int fill) {
  void *p = enter () ? NULL : aligned_alloc (256, (bytes + 255) / 256 * 256);
  if (p) {
    memset (p, fill, bytes);
    blocks++;
  }
  leave (GPUMM_OK);
  return p;
}

static gpumm_status free_block (void *p) {
  pthread_mutex_lock (&lock);
  blocks -= p != NULL;
  free (p);
  return leave (GPUMM_OK);
}

/* Memory is all NaN at first, so that what nothing wrote shows. */
static gpumm_status late_allocate (int device, size_t bytes, void **p) {
  (void) device;
  *p = new_block (bytes, 0xff);
  return *p ? GPUMM_OK : GPUMM_DEVICE_FAILED;
}

static gpumm_status late_release (int device, void *p) {
  (void) device;
  return free_block (p);
}

static gpumm_status late_stream_create (int device, gpumm_stream **s) {
  (void) device;
  *s = new_block (sizeof **s, 0);
  if (!*s)
    return GPUMM_DEVICE_FAILED;
  pthread_mutex_lock (&lock);
  (*s)->last = &(*s)->first;
  (*s)->next = streams;
  streams = *s;
  return leave (GPUMM_OK);
}

static gpumm_status late_stream_destroy (int device, gpumm_stream *s) {
  (void) device;
  pthread_mutex_lock (&lock);
  for (gpumm_stream **x = &streams; *x; x = &(*x)->next)
    if (*x == s) {
      *x = s->next;
      break;
    }
  leave (GPUMM_OK);
  return free_block (s);
}

static gpumm_status late_event_create (int device, gpumm_event_kind kind, gpumm_event **e) {
  (void) device;
  (void) kind;
  *e = new_block (sizeof **e, 0);
  return *e ? GPUMM_OK : GPUMM_DEVICE_FAILED;
}

static gpumm_status late_event_destroy (int device, gpumm_event *e) {
  (void) device;
  return free_block (e);
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
  *seconds = launch_seconds;
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

static gpumm_status late_copy_up (int device, gpumm_stream *s, void *to, size_t to_pitch,
                                  const void *from, size_t from_pitch, size_t width,
                                  size_t height) {
  copies_up++;
  return late_copy (device, s, to, to_pitch, from, from_pitch, width, height);
}

static gpumm_status late_copy_down (int device, gpumm_stream *s, void *to, size_t to_pitch,
                                    const void *from, size_t from_pitch, size_t width,
                                    size_t height) {
  if (up_before_down < 0)
    up_before_down = copies_up;
  return late_copy (device, s, to, to_pitch, from, from_pitch, width, height);
}

static gpumm_status late_widen (int device, gpumm_stream *s, const gpumm_widening *w) {
  (void) device;
  return queue (s, (op){.kind = WIDEN, .widening = *w});
}

static const char *late_error_text (void) {
  return "made to fail";
}

static gpumm_status late_launch (int device, gpumm_stream *s, const gpumm_product *p) {
  (void) device;
  if (cancel_at > 0 && --cancel_at == 0)
    cancelled = 1;
  return queue (s, (op){.kind = PRODUCT, .product = *p});
}

static gpumm_status even_launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  CHECK ((p->m < 512 || p->m % 16 == 0) && (p->n < 512 || p->n % 16 == 0)
             && (p->k < 512 || p->k % 16 == 0),
         "%lld x %lld x %lld is not padded", (long long) p->m, (long long) p->n, (long long) p->k);
  return late_launch (device, stream, p);
}

static const gpumm_driver *late;
static gpumm_context late_context;

static size_t some_workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return (size_t) (p->m * p->n + 1);
}

/* Launches with workspace in one product, and the most bytes of it that one had. */
static int64_t waited, most_workspace;

/* As a kernel does that decides by what it finds on the device, and says what it did. */
static gpumm_status wait_and_launch (int device, gpumm_stream *s, const gpumm_product *p) {
  const gpumm_status status = late->stream_synchronize (device, s);
  if (status)
    return status;
  CHECK (p->workspace && (uintptr_t) p->workspace % 256 == 0
             && p->workspace_bytes >= some_workspace (p, NULL),
         "workspace %p of %zu bytes", p->workspace, p->workspace_bytes);
  memset (p->workspace, 0x77, p->workspace_bytes);
  if ((int64_t) p->workspace_bytes > most_workspace)
    most_workspace = (int64_t) p->workspace_bytes;
  snprintf (p->note, GPUMM_NOTE_BYTES, waited++ % 2 ? "odd" : "even");
  return late_launch (device, s, p);
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
                                         .copy_up = late_copy_up,
                                         .copy_down = late_copy_down,
                                         .widen = late_widen,
                                         .error_text = late_error_text,
                                         .kernels = kernels};

/* ---- products ----------------------------------------------------------------------------- */

typedef struct {
  int64_t m, n, k;
  int ops, with_c0, gram; /* gram: A and B are one array */
  const char *kernel;
  int64_t limit, smallest_tile;
  int kind_a, kind_b;
  double rate; /* of the device, operations a second; 0: not known */
} test_case;

/* What the numbers of an operand are: chunks of them go up as int8, int16, float or double, all of
 * one kind, or each column of another, or all int8 but for the last. Sums of their products are
 * exact if just one operand is of doubles. */
enum { NINES, THOUSANDS, QUARTERS, FINEST, BY_COLUMNS, ALL_BUT_ONE, KINDS };

static double number (int kind) {
  switch (kind) {
  case THOUSANDS:
    return (double) check_between (-9999, 9999);
  case QUARTERS:
    return (double) check_between (-9999, 9999) / 4;
  case FINEST:
    return (double) check_between (-9, 9) + 0x1p-22;
  default:
    return (double) check_between (-9, 9);
  }
}

static gpumm_matrix numbers (int64_t rows, int64_t cols, int kind) {
  gpumm_matrix x = {.type = GPUMM_D, .rows = rows, .cols = cols, .ld = rows + check_between (0, 3)};
  double *values = check_allocate (x.ld * cols + 1, sizeof *values);
  for (int64_t j = 0; j < cols; j++) {
    int of_column = kind == BY_COLUMNS ? (int) check_between (NINES, QUARTERS) : kind;
    for (int64_t i = 0; i < x.ld; i++)
      values[i + j * x.ld] = number (of_column);
  }
  if (kind == ALL_BUT_ONE && rows * cols > 0)
    values[rows - 1 + (cols - 1) * x.ld] = check_between (0, 1) ? 0.25 : 300;
  x.values = values;
  return x;
}

/* C comes down once. An array goes up once, in tiles perhaps more than once, and perhaps narrow.
 * The pool keeps no more than the limit. */
static void check_report (const test_case *t, const struct gpumm_job *job) {
  const gpumm_report *r = &job->report;
  const int64_t once = 8 * (t->m * t->k + (t->gram ? 0 : t->k * t->n) + t->with_c0 * t->m * t->n);
  const int64_t least = 8
                        * ((t->kind_a == FINEST ? t->m * t->k : 0)
                           + (t->kind_b == FINEST && !t->gram ? t->k * t->n : 0));
  const size_t held = gpumm_pool_bytes (&late_context, GPUMM_POOL_DEVICE, NULL);
  CHECK (r->bytes_down == 8 * t->m * t->n, "%lld bytes down", (long long) r->bytes_down);
  if (t->m * t->n * t->k == 0)
    return;
  CHECK (r->bytes_up >= least && (!job->plan.fits_device || r->bytes_up <= once),
         "%lld bytes up, not %lld to %lld", (long long) r->bytes_up, (long long) least,
         (long long) once);
  CHECK (t->limit == 0 || (int64_t) held <= t->limit, "%zu bytes held over %lld", held,
         (long long) t->limit);
  if (strcmp (t->kernel, "waiting") == 0)
    CHECK (most_workspace == job->plan.workspace_bytes
               && strcmp (r->kernel, waited > 1 ? "waiting (even, odd)" : "waiting (even)") == 0,
           "%lld bytes of workspace, %lld planned, by %s", (long long) most_workspace,
           (long long) job->plan.workspace_bytes, r->kernel);
}

static gpumm_status run_case (const test_case *t, int *right) {
  gpumm_candidate place = {.context = &late_context, .flops = {[GPUMM_D] = t->rate}};
  late->properties (0, &place.properties);
  gpumm_options o = {.backend = GPUMM_CPU, .algorithm = t->kernel, .max_device_memory = t->limit};
  gpumm_candidates choices = {.host = &place, .why_no_gpu = "", .smallest_tile = t->smallest_tile};
  struct gpumm_job job = {.options = o};
  snprintf (job.report.kernel, sizeof job.report.kernel, "%s", t->kernel);
  gpumm_problem *p = &job.problem;
  p->alpha.re = 2;
  p->output = GPUMM_D;
  p->a = t->ops % 3 == 0 ? numbers (t->m, t->k, t->kind_a) : numbers (t->k, t->m, t->kind_a);
  p->b = t->gram           ? p->a
         : t->ops / 3 == 0 ? numbers (t->k, t->n, t->kind_b)
                           : numbers (t->n, t->k, t->kind_b);
  p->a.op = (gpumm_op) (t->ops % 3);
  p->b.op = (gpumm_op) (t->ops / 3);
  gpumm_matrix c0 = numbers (t->m, t->n, NINES), c = numbers (t->m, t->n, NINES);
  if (t->with_c0) {
    p->c0 = &c0;
    p->beta.re = -3;
  }
  memset (c.values, 0xff, (size_t) (c.ld * c.cols) * sizeof (double));
  waited = most_workspace = 0;
  gpumm_status status = gpumm_make_plan (p, &o, &choices, &job.plan);
  if (!status)
    status = job.plan.algorithm->run (&job, &c);
  if (!status)
    check_report (t, &job);
  *right = 1;
  double *product = calloc ((size_t) t->m + 1, sizeof *product);
  for (int64_t j = 0; !status && j < t->n; j++) {
    column_of (p->a.values, p->a.ld, p->a.op, p->b.values, p->b.ld, p->b.op, j, t->m, t->k,
               product);
    for (int64_t i = 0; i < t->m; i++) {
      double sum = 2 * product[i];
      sum -= t->with_c0 ? 3 * at (c0.values, c0.ld, GPUMM_NONE, i, j) : 0;
      *right &= at (c.values, c.ld, GPUMM_NONE, i, j) == sum;
    }
  }
  free (product);
  if (!t->gram)
    free (p->b.values);
  free (p->a.values);
  free (c0.values);
  free (c.values);
  return status;
}

/* 0 now and then. */
static int64_t draw_size (int64_t most) {
  return check_between (0, 40) ? check_between (1, most) : 0;
}

static test_case random_case (void) {
  static const struct {
    int64_t m, n, k;
  } most[] = {{60, 60, 60},    {300, 200, 20}, {900, 700, 4}, {1000, 12, 700},
              {12, 1000, 700}, {70000, 3, 2},  {3, 2, 70000}};
  static const char *const names[] = {"quick", "even", "waiting"};
  int shape = (int) check_between (0, 6);
  test_case t = {.m = draw_size (most[shape].m),
                 .n = draw_size (most[shape].n),
                 .k = draw_size (most[shape].k),
                 .ops = (int) check_between (0, 8),
                 .with_c0 = (int) check_between (0, 1),
                 .gram = check_between (0, 3) == 0,
                 .kernel = names[check_between (0, 2)],
                 .smallest_tile = check_between (0, 3) ? check_between (16, 200) : 600,
                 .kind_a = (int) check_between (0, KINDS - 1),
                 .kind_b = (int) check_between (0, KINDS - 1),
                 .rate = check_between (0, 1) ? pow (10, (double) check_between (3, 12)) : 0};
  launch_seconds = pow (10, -(double) check_between (2, 7)); /* the conductor waits so long */
  if (t.kind_a == FINEST && (t.kind_b == FINEST || t.gram))
    t.kind_a = NINES;
  if (t.gram) { /* sizes that let one array be both */
    t.n = t.m = check_between (1, 300);
    t.k = (t.ops % 3 == 0) == (t.ops / 3 == 0) ? t.m : check_between (1, 700);
  }
  if (check_between (0, 1)) { /* out of core: what a few of the pool's blocks take, up to all */
    double all = 8.0 * (double) (t.m * t.k + t.k * t.n + t.m * t.n);
    t.limit = (int64_t) (all * (check_uniform () + 0.5) * (check_uniform () + 0.5)) + (128 << 10);
  }
  return t;
}

static void describe (const test_case *t, char *text, size_t size) {
  snprintf (text, size,
            "%lld x %lld x %lld, ops %d, C0 %d, one array %d, %s, limit %lld, tile %lld, kinds %d "
            "%d, rate "
            "%g, launches of %g s",
            (long long) t->m, (long long) t->n, (long long) t->k, t->ops, t->with_c0, t->gram,
            t->kernel, (long long) t->limit, (long long) t->smallest_tile, t->kind_a, t->kind_b,
            t->rate, launch_seconds);
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

/* One array as both operands goes up once and narrow, and is widened once: A*A, A'*A, A*A'. */
static void test_shared (void) {
  static const test_case cases[] = {
      {.m = 520, .n = 520, .k = 520, .gram = 1, .kernel = "even", .kind_a = BY_COLUMNS},
      {.m = 40, .n = 40, .k = 2000, .ops = 1, .gram = 1, .kernel = "quick", .kind_a = BY_COLUMNS},
      {.m = 900, .n = 900, .k = 9, .ops = 3, .gram = 1, .kernel = "waiting", .kind_a = QUARTERS}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    int right;
    const int64_t before = widened[GPUMM_S];
    describe (&cases[i], text, sizeof text);
    CHECK (!run_case (&cases[i], &right) && right, "%s: %s", text, gpumm_last_error ());
    CHECK (widened[GPUMM_S] > before, "%s: nothing widened", text);
  }
}

/* Work is queued 0.1 s at a time where it is known how long it takes, and a tile that takes longer
 * is launched in parts: 100 tiles of 64 x 64 x 20, of 0.05 s each or of unknown time; a tile of 5
 * s. */
static void test_queue (void) {
  static const struct {
    int64_t smallest_tile;
    double rate, seconds;
    int64_t least, most;
  } table[] = {{64, 0, 1e-7, 9, INT64_MAX},
               {64, 2.0 * 64 * 64 * 20 / 0.05, 0.05, 1, 3},
               {0, 2.0 * 640 * 640 * 20 / 5, 0.05, 1, 3}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    test_case t = {.m = 640, .n = 640, .k = 20, .kernel = "quick", .rate = table[i].rate};
    int right;
    t.smallest_tile = table[i].smallest_tile;
    launch_seconds = table[i].seconds;
    most_queued = 0;
    CHECK (!run_case (&t, &right) && right, "%s", gpumm_last_error ());
    CHECK (most_queued >= table[i].least && most_queued <= table[i].most,
           "row %zu: %lld products are queued", i, (long long) most_queued);
  }
}

/* A product that is cancelled at any launch ends and leaves nothing behind; the next is right. */
static void test_cancelled (const char *kernel) {
  test_case t = {.m = 640, .n = 640, .k = 20, .kernel = kernel, .smallest_tile = 64, .rate = 1e6};
  int right, stopped = 0;
  launch_seconds = 1e-3;
  gpumm_watch (&cancelled);
  for (int64_t launch = 1; launch <= 60; launch += check_between (1, 9)) {
    cancel_at = launch;
    gpumm_status status = run_case (&t, &right);
    CHECK (status == GPUMM_CANCELLED || (!status && right && !cancelled), "launch %lld: %s",
           (long long) launch, gpumm_status_name (status));
    CHECK (products_queued == 0, "%lld products are left", (long long) products_queued);
    stopped += status == GPUMM_CANCELLED;
    cancel_at = cancelled = 0;
    CHECK (!run_case (&t, &right) && right, "after launch %lld: %s", (long long) launch,
           gpumm_last_error ());
  }
  CHECK (stopped > 5, "%d products were stopped", stopped);
  gpumm_watch (NULL);
}

static int64_t fault_late_device (int64_t n) {
  const int64_t before = calls;
  calls = 0;
  fail_at = n;
  return before;
}

/* The pools keep nothing, so that an allocation that fails is not tried again. */
static gpumm_status run_right (void *of) {
  int right;
  const gpumm_status status = run_case (of, &right);
  CHECK (status || right, "wrong");
  gpumm_pool_reset (&late_context);
  return status;
}

/* A failure at any call is reported, nothing hangs, and the next product is right. Tiles of a tall
 * C go up narrow. */
static void test_failures (const char *kernel, int64_t m, int64_t n, int narrow) {
  test_case t = {.m = m,
                 .n = n,
                 .k = 20,
                 .with_c0 = 1,
                 .kernel = kernel,
                 .limit = 1 << 20,
                 .smallest_tile = 64};
  const int64_t before = widened[GPUMM_I8];
  gpumm_pool_reset (&late_context);
  fail_in_turn (&(faults){.name = kernel,
                          .inject = fault_late_device,
                          .run = run_right,
                          .context = &t,
                          .least = 10,
                          .step = 5});
  CHECK ((widened[GPUMM_I8] > before) == narrow, "%lld pieces widened",
         (long long) (widened[GPUMM_I8] - before));
}

/* ---- steps without products --------------------------------------------------------------- */

static void *device_memory (gpumm_context *context, int64_t bytes) {
  void *p = NULL;
  OK (gpumm_pool_take (context, GPUMM_POOL_DEVICE, (size_t) bytes, &p));
  return p;
}

/* Steps that wait for no other. */
static gpumm_report run_steps (gpumm_context *context, gpumm_step *steps, int64_t count,
                               const gpumm_region *fresh) {
  gpumm_report report = {0};
  gpumm_stream_job job = {.context = context, .steps = steps, .count = count};
  for (int64_t i = 0; i < count; i++)
    steps[i].after_launch = steps[i].after_download = -1;
  for (int i = 0; fresh && i < GPUMM_MOST_REGIONS; i++)
    job.fresh[i] = fresh[i];
  OK (gpumm_run_steps (&job, &report));
  return report;
}

/* Vectors that change on their way: up in one step, nothing launched, and what is on the device
 * down in the next: indices as indices, the rest as the doubles that they are there. */
static void test_forms (int64_t n) {
  int64_t *index = check_allocate (n, sizeof *index), *index_back = check_allocate (n, 8);
  unsigned char *logical = check_allocate (n, 1);
  double *real = check_allocate (n, sizeof *real), *back = check_allocate (3 * n, sizeof *back);
  void *there[3] = {device_memory (&late_context, 4 * n), device_memory (&late_context, 8 * n),
                    device_memory (&late_context, 16 * n)};
  for (int64_t i = 0; i < n; i++) {
    index[i] = check_between (0, INT32_MAX);
    logical[i] = (unsigned char) check_between (0, 1);
    real[i] = check_uniform ();
  }
  gpumm_step steps[] = {
      {.up = {{index, there[0], n, 1, n, n, 8, GPUMM_INDEX},
              {logical, there[1], n, 1, n, n, 1, GPUMM_LOGICAL},
              {real, there[2], n, 1, n, n, 8, GPUMM_REAL}},
       .ups = 3},
      {.down = {{there[0], index_back, n, 1, n, n, 8, GPUMM_INDEX},
                {there[1], back, n, 1, n, n, 8, GPUMM_AS_IT_IS}},
       .downs = 2},
      {.down = {{there[2], back + n, n, 1, n, n, 16, GPUMM_AS_IT_IS}}, .downs = 1}};
  const gpumm_region fresh[] = {{index_back, (size_t) n * 8}, {back, (size_t) n * 24}};
  const gpumm_report report = run_steps (&late_context, steps, 3, fresh);
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; i++)
    wrong += index_back[i] != index[i] || back[i] != logical[i] || back[n + 2 * i] != real[i]
             || back[n + 2 * i + 1] != 0;
  CHECK (wrong == 0, "%lld of %lld elements changed otherwise", (long long) wrong, (long long) n);
  CHECK (report.bytes_up == n * 28 && report.bytes_down == n * 28, "%lld bytes up, %lld down",
         (long long) report.bytes_up, (long long) report.bytes_down);
  for (int x = 0; x < 3; x++)
    gpumm_pool_give (&late_context, GPUMM_POOL_DEVICE, there[x]);
  free (index);
  free (index_back);
  free (logical);
  free (real);
  free (back);
}

/* Indices of every length and at every place of a cache line, negative ones too; and nothing beside
 * them. */
static void test_widen_indices (void) {
  enum { MOST = 100, MARGIN = 16 };
  int32_t from[MARGIN + MOST];
  for (int i = 0; i < MARGIN + MOST; i++)
    from[i] = (int32_t) check_between (INT32_MIN, INT32_MAX);
  int64_t wrong = 0;
  for (int64_t count = 0; count <= MOST; count++)
    for (int at = 0; at < MARGIN; at++) {
      _Alignas(64) int64_t to[MARGIN + MOST + 1];
      for (int i = 0; i <= MARGIN + MOST; i++)
        to[i] = INT64_MAX;
      gpumm_widen_indices (to + at, from + MARGIN - at, count);
      for (int i = 0; i <= MARGIN + MOST; i++)
        wrong += to[i] != (i < at || i >= at + count ? INT64_MAX : from[MARGIN - at + i - at]);
    }
  CHECK (wrong == 0, "%lld indices are wrong", (long long) wrong);
}

/* Steps that each bring a chunk up and the same one down: no download begins before all chunks up
 * are handed out, of which there is one for each slot at most that may not have gone yet. */
static void test_order (void) {
  enum { STEPS = 100, ROWS = 1 << 16, SLOTS_UP = 24 };
  double *values = check_allocate (STEPS * ROWS, sizeof *values),
         *back = check_allocate (STEPS * ROWS, sizeof *back);
  double *there = device_memory (&late_context, STEPS * ROWS * sizeof *values);
  gpumm_step *steps = check_allocate (STEPS, sizeof *steps);
  for (int64_t i = 0; i < (int64_t) STEPS * ROWS; i++)
    values[i] = (double) i;
  for (int i = 0, at = 0; i < STEPS; i++, at += ROWS)
    steps[i] =
        (gpumm_step){.up = {{values + at, there + at, ROWS, 1, ROWS, ROWS, 8, GPUMM_AS_IT_IS}},
                     .ups = 1,
                     .down = {{there + at, back + at, ROWS, 1, ROWS, ROWS, 8, GPUMM_AS_IT_IS}},
                     .downs = 1};
  copies_up = 0;
  up_before_down = -1;
  gpumm_team_choose (0, gpumm_threads () < 32 ? 1 : 16); /* with more cores, both ways at once */
  run_steps (&late_context, steps, STEPS, NULL);
  gpumm_team_choose (0, 1);
  CHECK (copies_up >= STEPS && up_before_down >= copies_up - SLOTS_UP,
         "the first of the downloads after %lld of %lld uploads", (long long) up_before_down,
         (long long) copies_up);
  CHECK (!memcmp (values, back, STEPS * ROWS * sizeof *values), "other values came back");
  gpumm_pool_give (&late_context, GPUMM_POOL_DEVICE, there);
  free (steps);
  free (values);
  free (back);
}

/* A panel of numbers up and down again: returns the bytes that went up. *wrong counts the reals
 * that came back otherwise, and those of the padding that are not 0. */
static int64_t up_and_down (gpumm_context *context, gpumm_panel up, int64_t *wrong) {
  const int64_t rows = up.rows + up.pad_rows, cols = up.cols + up.pad_cols;
  const size_t real = up.form == GPUMM_FLOATS ? sizeof (float) : sizeof (double);
  const size_t reals = up.element / real, ld = (size_t) up.ld_from;
  char *back = check_allocate (rows * cols, up.element);
  up.to = device_memory (context, up.ld_to * cols * (int64_t) up.element);
  gpumm_step step = {
      .up = {up},
      .ups = 1,
      .down = {{up.to, back, rows, cols, up.ld_to, rows, up.element, GPUMM_AS_IT_IS}},
      .downs = 1};
  const gpumm_report report = run_steps (context, &step, 1, NULL);
  *wrong = 0;
  for (size_t j = 0; j < (size_t) cols; j++)
    for (size_t i = 0; i < (size_t) rows * reals; i++) {
      const char *is = back + (i + j * (size_t) rows * reals) * real;
      const char *was = (const char *) up.from + (i + j * ld * reals) * real;
      const int own = i < (size_t) up.rows * reals && j < (size_t) up.cols;
      *wrong += memcmp (is, own ? was : (const char *) &(double){0}, real) != 0;
    }
  gpumm_pool_give (context, GPUMM_POOL_DEVICE, up.to);
  free (back);
  return report.bytes_up;
}

/* Padded doubles: so many bytes for each on the way up, but for those of the last chunk, whose last
 * number needs width_last. */
static void test_width (int kind, int64_t width, int64_t width_last) {
  enum { ROWS = 1000, COLS = 100, PAD = 24, LD = ROWS + PAD, CHUNK_COLS = 64 /* of 512 KiB */ };
  const int64_t all = (int64_t) ROWS * COLS;
  double *from = check_allocate (all, sizeof *from);
  int64_t wrong;
  for (int64_t i = 0; i < all; i++)
    from[i] = number (kind);
  if (width_last > width)
    from[all - 1] = 0x1p-30 + 1;
  int64_t bytes_up = up_and_down (
      &late_context,
      (gpumm_panel){from, NULL, ROWS, COLS, ROWS, LD, 8, GPUMM_DOUBLES, PAD, PAD, NULL, 0}, &wrong);
  int64_t last = width_last > width ? (COLS - CHUNK_COLS) * ROWS : 0;
  CHECK (wrong == 0, "%lld numbers are wrong", (long long) wrong);
  CHECK (bytes_up == width * (all - last) + width_last * last, "%lld bytes up",
         (long long) bytes_up);
  free (from);
}

static void test_widths (void) {
  static const int64_t table[][3] = {{NINES, 1, 1},     {NINES, 1, 8},    {THOUSANDS, 2, 2},
                                     {THOUSANDS, 2, 8}, {QUARTERS, 4, 4}, {FINEST, 8, 8}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    test_width ((int) table[i][0], table[i][1], table[i][2]);
}

/* Real and complex, single and double, columns shorter than a block widens and longer than a chunk,
 * with padding and with gaps on both sides; and the same to a device that cannot widen. */
static void test_panels (int cases) {
  static const int64_t most[][2] = {{3000, 60}, {300, 300}, {180000, 2}};
  gpumm_driver narrow_less = late_driver;
  gpumm_context plain = {.driver = &narrow_less};
  narrow_less.widen = NULL;
  for (int n = 0; n < cases; n++) {
    const int64_t *size = most[check_between (0, 2)], reals = check_between (1, 2);
    const int floats = (int) check_between (0, 1), kind = (int) check_between (0, KINDS - 1);
    gpumm_panel p = {.rows = check_between (1, size[0]),
                     .cols = check_between (1, size[1]),
                     .element = (size_t) reals * (floats ? sizeof (float) : sizeof (double)),
                     .form = floats ? GPUMM_FLOATS : GPUMM_DOUBLES,
                     .pad_rows = check_between (0, 1) * check_between (0, 40),
                     .pad_cols = check_between (0, 1) * check_between (0, 40)};
    p.ld_from = p.rows + check_between (0, 3);
    p.ld_to = p.rows + p.pad_rows + check_between (0, 3);
    gpumm_matrix x = numbers (reals * p.ld_from, p.cols, kind);
    float *single = check_allocate (reals * p.ld_from * p.cols, sizeof *single);
    double *real = x.values; /* without the gaps between its columns */
    for (int64_t i = 0; i < reals * p.ld_from * p.cols; i++) {
      real[i] = real[i % (reals * p.ld_from) + i / (reals * p.ld_from) * x.ld];
      single[i] = (float) real[i];
    }
    p.from = floats ? (void *) single : x.values;
    const int64_t all = p.rows * p.cols * (int64_t) p.element;
    int64_t wrong, up = up_and_down (&late_context, p, &wrong);
    CHECK (wrong == 0 && up <= all, "%lld x %lld, %lld reals of type %d, kind %d: %lld are wrong",
           (long long) p.rows, (long long) p.cols, (long long) reals, floats, kind,
           (long long) wrong);
    up = up_and_down (&plain, p, &wrong);
    CHECK (wrong == 0 && up == all, "%lld of %lld bytes up, %lld wrong", (long long) up,
           (long long) all, (long long) wrong);
    free (single);
    free (x.values);
  }
  gpumm_pool_reset (&plain);
}

/* Chunks that no narrow type holds because of their last number: after some of them no more are
 * tried, not even those that one would hold. */
static void test_trials_end (void) {
  enum { COUNT = 8 << 20, CHUNK = 256 << 10 /* of 2 MiB */, NARROW = 2 << 20 };
  double *from = check_allocate (COUNT, sizeof *from);
  int64_t wrong;
  for (int64_t i = CHUNK; i <= COUNT - NARROW; i += CHUNK)
    from[i - 1] = 1 + 0x1p-30;
  const gpumm_panel p = {from, NULL, COUNT, 1, COUNT, COUNT, 8, GPUMM_DOUBLES, 0, 0, NULL, 0};
  int64_t bytes_up = up_and_down (&late_context, p, &wrong);
  CHECK (wrong == 0 && bytes_up == 8 * (int64_t) COUNT, "%lld bytes up, %lld numbers are wrong",
         (long long) bytes_up, (long long) wrong);
  free (from);
}

int main (int argc, char **argv) {
  /* memory of the device is taken and released again and again: without page faults */
  mallopt (M_MMAP_THRESHOLD, 32 << 20);
  mallopt (M_TRIM_THRESHOLD, 1 << 30);
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261121);
  luck = check_random () | 1;
  late = late_context.driver = &late_driver;
  int64_t live = gpumm_live_allocations ();
  test_random (argc > 2 ? atoi (argv[2]) : 300);
  test_reused_tile (200);
  test_shared ();
  test_order ();
  test_widen_indices ();
  test_forms (1);
  test_forms (1000003);
  test_widths ();
  test_panels (40 / SANITIZED_STEP);
  test_trials_end ();
  test_queue ();
  for (int waits = 0; waits < 2; waits++) {
    const char *kernel = waits ? "waiting" : "quick";
    test_cancelled (kernel);
    test_failures (kernel, 300, 300, 0);
    test_failures (kernel, 2000, 60, 1);
  }
  CHECK (widened[GPUMM_I8] > 0 && widened[GPUMM_I16] > 0 && widened[GPUMM_S] > 0,
         "pieces widened: %lld, %lld, %lld", (long long) widened[GPUMM_I8],
         (long long) widened[GPUMM_I16], (long long) widened[GPUMM_S]);
  gpumm_pool_reset (&late_context);
  CHECK (blocks == 0, "%lld blocks, streams and events of the device are left", (long long) blocks);
  CHECK (gpumm_live_allocations () == live, "%lld allocations leaked",
         (long long) (gpumm_live_allocations () - live));
  return check_done ();
}
