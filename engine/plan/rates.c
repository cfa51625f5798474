/* rates.c - how fast the devices and the CPU are: measured once a process, at the first product
 * that asks. What is measured of an alternative to the library, its row says (alternatives.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rates.h"
#include "base/clock.h"
#include "base/threads.h"
#include "base/types.h"
#include "device/devices.h"
#include "memory/host.h"
#include "memory/pool.h"
#include "multiply/blas.h"
#include "timed_product.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { FLOAT_TYPES = 4 };

/* The rates of the library and of the alternatives for one type; tried is 0 before they are
 * measured. */
typedef struct {
  int library_tried, alternative_tried[GPUMM_MOST_ALTERNATIVES];
  gpumm_kernel_rates rates;
} alternatives_of_type;

typedef struct gpumm_rates {
  gpumm_candidate measured;            /* with the rates of every candidate of the device */
  double large_upload, large_download; /* not known: 0 */
  int large_tried;
  double link;
  int link_tried;
  alternatives_of_type alternatives[FLOAT_TYPES];
} rates;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double cpu_flops[FLOAT_TYPES];

/* Products of these sizes take a GPU and a CPU about a millisecond: long enough to time, and near
 * the sizes where both are equally fast. */
enum { LARGE = 1024, NEAR = 384, SMALL = 16, CPU_SIZE = 384, ROUNDS = 5 };

/* A product that moves so many bytes is estimated by the rates of large transfers: half of what
 * 8 MB take is waiting for the first to arrive. FLAT x LARGE doubles go up, 64 MiB; TALL x LARGE
 * come down, 256 MiB, as the first touch of fresh memory takes longer to come to its speed. */
static const double MUCH = 1 << 28;
enum { FLAT = 8 * LARGE, TALL = 32 * LARGE };

static double flops_of (gpumm_type type, double n) {
  return (gpumm_is_complex (type) ? 8 : 2) * n * n * n;
}

/* Times an m x k by k x n product of elements at x, into y (NULL: into new memory each time),
 * several times: the first runs load kernels and fill pools. */
static gpumm_status time_product (const gpumm_candidate *candidate, gpumm_type type, char *x,
                                  void *y, int64_t m, int64_t n, int64_t k,
                                  gpumm_product_times *least) {
  const void *b = x + (size_t) (m * k) * gpumm_type_bytes (type);
  gpumm_status status = GPUMM_OK;
  *least = (gpumm_product_times){INFINITY, INFINITY};
  for (int round = 0; round < ROUNDS && !status; round++) {
    gpumm_product p = {.type = type, .m = m, .n = n, .k = k, .a = x, .b = b, .c = y};
    status = gpumm_time_product (candidate, 1, &p, least);
    if (!y)
      gpumm_release (p.c);
  }
  return status;
}

/* Each rate comes from a product that does little else: call, upload, download or compute. */
static gpumm_status measure_gpu (const gpumm_candidate *candidate, gpumm_type type, rates *r) {
  double bytes = (double) LARGE * LARGE * (double) gpumm_type_bytes (type);
  gpumm_product_times call, near, up, down, all;
  void *operands = gpumm_random_matrix (2 * LARGE * LARGE, type);
  void *y = gpumm_allocate (LARGE * LARGE, gpumm_type_bytes (type));
  gpumm_status status = operands && y ? GPUMM_OK : GPUMM_HOST_MEMORY;
  if (!status)
    status = time_product (candidate, type, operands, y, SMALL, SMALL, SMALL, &call);
  if (!status)
    status = time_product (candidate, type, operands, y, NEAR, NEAR, NEAR, &near);
  if (!status)
    status = time_product (candidate, type, operands, y, LARGE, SMALL, LARGE, &up);
  if (!status)
    status = time_product (candidate, type, operands, y, LARGE, LARGE, SMALL, &down);
  if (!status)
    status = time_product (candidate, type, operands, y, LARGE, LARGE, LARGE, &all);
  if (!status) {
    /* a clock with coarse ticks must not make a rate infinite or negative */
    const double shortest = 1e-7;
    gpumm_candidate *x = &r->measured;
    x->call = call.total;
    x->near_bytes = 3.0 * NEAR * NEAR * (double) gpumm_type_bytes (type);
    x->near_seconds = near.total;
    x->upload = bytes / fmax (up.total - call.total, shortest);
    x->download = bytes / fmax (down.total - call.total, shortest);
    x->flops[type] = flops_of (type, LARGE) / fmax (all.compute, shortest);
  }
  gpumm_release (operands);
  gpumm_release (y);
  return status;
}

static gpumm_status measure_large (const gpumm_candidate *candidate, rates *r) {
  const double bytes_each = (double) LARGE * (double) gpumm_type_bytes (GPUMM_D);
  gpumm_product_times up, down;
  void *x = gpumm_random_matrix ((FLAT + SMALL) * LARGE, GPUMM_D);
  gpumm_status status = x ? GPUMM_OK : GPUMM_HOST_MEMORY;
  if (!status)
    status = time_product (candidate, GPUMM_D, x, NULL, FLAT, SMALL, LARGE, &up);
  if (!status)
    status = time_product (candidate, GPUMM_D, x, NULL, TALL, LARGE, SMALL, &down);
  gpumm_release (x);
  if (!status) {
    r->large_upload = FLAT * bytes_each / up.total;
    r->large_download = TALL * bytes_each / down.total;
  }
  return status;
}

/* The host device is never chosen for speed. */
static int is_host_device (const gpumm_context *context) {
  return context->driver == gpumm_host_device (NULL);
}

/* The device's rates, all 0 at first; NULL without memory for them. Call with the lock held. */
static rates *rates_of (gpumm_context *context) {
  if (!context->rates)
    context->rates = gpumm_allocate (1, sizeof *context->rates);
  return context->rates;
}

gpumm_status gpumm_candidate_device (gpumm_context *context, gpumm_type type, int now,
                                     gpumm_candidate *candidate) {
  *candidate = (gpumm_candidate){.context = context};
  gpumm_status status =
      (now ? gpumm_context_properties : gpumm_context_seen) (context, &candidate->properties);
  if (status)
    return status;
  /* count the pool's unused memory as free */
  size_t unused;
  gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused);
  candidate->properties.memory_free += (int64_t) unused;
  if ((unsigned) type >= FLOAT_TYPES || is_host_device (context))
    return GPUMM_OK;
  pthread_mutex_lock (&lock);
  rates *r = rates_of (context);
  if (!r)
    status = GPUMM_HOST_MEMORY;
  else if (!r->measured.flops[type])
    status = measure_gpu (candidate, type, r);
  if (r) {
    r->measured.context = context;
    r->measured.properties = candidate->properties;
    *candidate = r->measured;
  }
  pthread_mutex_unlock (&lock);
  return status;
}

void gpumm_candidate_large (double bytes, int64_t limit, gpumm_candidate *candidate) {
  if (bytes < MUCH || is_host_device (candidate->context) || (limit > 0 && limit < (int64_t) MUCH))
    return;
  pthread_mutex_lock (&lock);
  rates *r = rates_of (candidate->context);
  if (r && !r->large_tried)
    r->large_tried = measure_large (candidate, r) != GPUMM_CANCELLED;
  if (r) { /* they are no slower */
    candidate->upload = fmax (candidate->upload, r->large_upload);
    candidate->download = fmax (candidate->download, r->large_download);
  }
  pthread_mutex_unlock (&lock);
}

/* ---- the library and the alternatives to it ------------------------------------------------- */

/* A consists of copies of one random block; the first LINK_COPIES copies time the link. B is A. The
 * library computes at most LIBRARY_ROWS x LIBRARY_COLS of C, the alternative all of it. */
enum { LIBRARY_ROWS = 4096, LIBRARY_COLS = 2048, BLOCK_BYTES = 2 << 20, LINK_COPIES = 16 };

/* The measured launches and their device memory. */
typedef struct {
  gpumm_context *context;
  const gpumm_driver *driver; /* the context's */
  int device;
  gpumm_type type;
  int64_t m, n, edge;              /* of C; of A, and of the sums */
  void *block, *a, *c, *workspace; /* block: on the host, page-locked */
  size_t a_bytes, c_bytes, workspace_bytes;
  const gpumm_kernel *kernel;
  gpumm_stream *stream;
  gpumm_event *from, *to;
} trial;

static void end_trial (trial *t) {
  if (t->stream)
    t->driver->stream_synchronize (t->device, t->stream);
  gpumm_stream_give (t->context, t->stream);
  gpumm_event_give (t->context, GPUMM_TIMED, t->from);
  gpumm_event_give (t->context, GPUMM_TIMED, t->to);
  gpumm_pool_give (t->context, GPUMM_POOL_PINNED, t->block);
  gpumm_pool_give (t->context, GPUMM_POOL_DEVICE, t->a);
  gpumm_pool_give (t->context, GPUMM_POOL_DEVICE, t->c);
  gpumm_pool_give (t->context, GPUMM_POOL_DEVICE, t->workspace);
}

/* Fills this many bytes of A with copies of the block. */
static gpumm_status fill_a (trial *t, size_t bytes) {
  gpumm_status status = GPUMM_OK;
  for (size_t done = 0; done < bytes && !status; done += BLOCK_BYTES)
    status = t->driver->copy_up (t->device, t->stream, (char *) t->a + done, BLOCK_BYTES, t->block,
                                 BLOCK_BYTES, BLOCK_BYTES, 1);
  return status;
}

static gpumm_status begin_trial (trial *t, gpumm_context *context) {
  t->context = context;
  t->driver = context->driver;
  t->device = context->device;
  gpumm_status status = gpumm_pool_take (context, GPUMM_POOL_PINNED, BLOCK_BYTES, &t->block);
  void *random = NULL;
  if (!status) {
    random = gpumm_random_matrix ((int64_t) (BLOCK_BYTES / gpumm_type_bytes (t->type)), t->type);
    status = random ? GPUMM_OK : GPUMM_HOST_MEMORY;
  }
  if (!status)
    memcpy (t->block, random, BLOCK_BYTES);
  gpumm_release (random);
  if (!status)
    status = gpumm_pool_take (t->context, GPUMM_POOL_DEVICE, t->a_bytes, &t->a);
  if (!status)
    status = gpumm_stream_take (t->context, &t->stream);
  if (!status)
    status = gpumm_event_take (t->context, GPUMM_TIMED, &t->from);
  if (!status)
    status = gpumm_event_take (t->context, GPUMM_TIMED, &t->to);
  return status;
}

/* Seconds of the work that run queues on the trial's stream: the better of two runs after a
 * warm-up. */
static gpumm_status time_on_device (trial *t, gpumm_status (*run) (trial *t), double *seconds) {
  gpumm_status status = GPUMM_OK;
  for (int round = -1; round < 2 && !status; round++) {
    double elapsed = 0;
    status = t->driver->event_record (t->device, t->from, t->stream);
    if (!status)
      status = run (t);
    if (!status)
      status = t->driver->event_record (t->device, t->to, t->stream);
    if (!status)
      status = t->driver->event_synchronize (t->device, t->to);
    if (!status)
      status = t->driver->event_seconds (t->device, t->from, t->to, &elapsed);
    if (!status && round >= 0 && (round == 0 || elapsed < *seconds))
      *seconds = elapsed;
  }
  return status;
}

static gpumm_status run_copies (trial *t) {
  return fill_a (t, (size_t) LINK_COPIES * BLOCK_BYTES);
}

static gpumm_product product_of (const trial *t) {
  return (gpumm_product){.type = t->type,
                         .m = t->m,
                         .n = t->n,
                         .k = t->edge,
                         .a = t->a,
                         .lda = t->edge,
                         .b = t->a,
                         .ldb = t->edge,
                         .c = t->c,
                         .ldc = t->m,
                         .alpha = {1, 0},
                         .workspace = t->workspace,
                         .workspace_bytes = t->workspace_bytes};
}

static gpumm_status run_product (trial *t) {
  gpumm_product p = product_of (t);
  return t->kernel->launch (t->device, t->stream, &p);
}

static gpumm_status measure_link (const gpumm_candidate *candidate, gpumm_type type, double *link) {
  size_t bytes = (size_t) LINK_COPIES * BLOCK_BYTES;
  trial t = {.type = type, .a_bytes = bytes};
  double seconds = 0;
  gpumm_status status = begin_trial (&t, candidate->context);
  if (!status)
    status = time_on_device (&t, run_copies, &seconds);
  end_trial (&t);
  if (!status && seconds > 0)
    *link = (double) bytes / seconds;
  return status;
}

/* A trial of a kernel with m x n elements of C, and its device memory. */
static trial make_trial (const gpumm_candidate *candidate, gpumm_type type,
                         const gpumm_kernel *kernel, int64_t edge, int64_t m, int64_t n) {
  const size_t element = gpumm_type_bytes (type);
  trial t = {.type = type,
             .kernel = kernel,
             .m = gpumm_least (m, edge),
             .n = gpumm_least (n, edge),
             .edge = edge};
  t.a_bytes = (size_t) (edge * edge) * element;
  t.c_bytes = (size_t) (t.m * t.n) * element;
  gpumm_product p = product_of (&t);
  t.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &candidate->properties) : 0;
  return t;
}

/* Sets *rate to the seconds of an operation, unless the trial fails. */
static void measure_kernel (const gpumm_candidate *candidate, trial t, double *rate) {
  double seconds = 0;
  gpumm_status status = begin_trial (&t, candidate->context);
  if (!status)
    status = fill_a (&t, t.a_bytes);
  if (!status)
    status = gpumm_pool_take (t.context, GPUMM_POOL_DEVICE, t.c_bytes, &t.c);
  if (!status && t.workspace_bytes > 0)
    status = gpumm_pool_take (t.context, GPUMM_POOL_DEVICE, t.workspace_bytes, &t.workspace);
  if (!status)
    status = time_on_device (&t, run_product, &seconds);
  end_trial (&t);
  if (!status)
    *rate = seconds / (flops_of (t.type, 1) * (double) t.m * (double) t.n * (double) t.edge);
}

/* The rates of row i: first the link and the library, whose trials are the row's. */
static void measure_alternative (const gpumm_problem *problem, const gpumm_alternative *row, int i,
                                 const gpumm_alternative_kernels *kernels, const trial *whole,
                                 rates *r, gpumm_candidate *candidate) {
  const gpumm_type type = problem->output;
  alternatives_of_type *x = &r->alternatives[type];
  if (!r->link_tried) {
    r->link_tried = 1;
    measure_link (candidate, type, &r->link);
  }
  candidate->link = r->link;
  if (r->link > 0 && !x->library_tried) {
    x->library_tried = 1;
    measure_kernel (
        candidate,
        make_trial (candidate, type, kernels->library, row->edge[type], LIBRARY_ROWS, LIBRARY_COLS),
        &x->rates.library);
  }
  if (x->rates.library > 0 && !x->alternative_tried[i]
      && gpumm_bound_by_computing (problem, candidate, row, 1 / x->rates.library)) {
    x->alternative_tried[i] = 1;
    measure_kernel (candidate, *whole, &x->rates.alternative[i]);
  }
  candidate->kernel_rates = x->rates;
}

void gpumm_candidate_alternatives (const gpumm_problem *problem, const gpumm_options *options,
                                   const gpumm_alternative *rows, gpumm_candidate *candidate) {
  const gpumm_type type = problem->output;
  gpumm_alternative_kernels kernels;
  for (int i = 0; rows[i].family; i++) {
    if (!gpumm_has_alternative (problem, options, candidate, &rows[i], &kernels)
        || is_host_device (candidate->context))
      continue;
    const trial whole =
        make_trial (candidate, type, kernels.kernel, rows[i].edge[type], INT64_MAX, INT64_MAX);
    if (options->max_device_memory > 0
        && whole.a_bytes + whole.c_bytes + whole.workspace_bytes
               > (size_t) options->max_device_memory)
      continue;
    pthread_mutex_lock (&lock);
    rates *r = rates_of (candidate->context);
    if (r)
      measure_alternative (problem, &rows[i], i, &kernels, &whole, r, candidate);
    pthread_mutex_unlock (&lock);
  }
}

gpumm_status gpumm_candidate_cpu (gpumm_type type, gpumm_candidate *candidate) {
  gpumm_status status = GPUMM_OK;
  *candidate = (gpumm_candidate){.call = 1e-6, .threads = gpumm_threads ()};
  pthread_mutex_lock (&lock);
  if (!cpu_flops[type]) {
    size_t element = gpumm_type_bytes (type);
    int64_t square = (int64_t) CPU_SIZE * CPU_SIZE;
    char *x = gpumm_random_matrix (3 * square, type);
    if (!x) {
      pthread_mutex_unlock (&lock);
      return GPUMM_HOST_MEMORY;
    }
    gpumm_product product = {.type = type,
                             .m = CPU_SIZE,
                             .n = CPU_SIZE,
                             .k = CPU_SIZE,
                             .a = x,
                             .lda = CPU_SIZE,
                             .b = x + (size_t) square * element,
                             .ldb = CPU_SIZE,
                             .c = x + 2 * (size_t) square * element,
                             .ldc = CPU_SIZE,
                             .alpha = {1, 0}};
    double best = 0;
    for (int round = 0; round < 3 && !status; round++) {
      double begun = gpumm_seconds ();
      status = gpumm_blas_product (&product, 0, NULL);
      double rate = flops_of (type, CPU_SIZE) / (gpumm_seconds () - begun);
      best = rate > best ? rate : best;
    }
    if (!status)
      cpu_flops[type] = best;
    gpumm_release (x);
  }
  memcpy (candidate->flops, cpu_flops, sizeof candidate->flops);
  pthread_mutex_unlock (&lock);
  return status;
}

void gpumm_rates_forget (gpumm_context *context) {
  pthread_mutex_lock (&lock);
  if (context) {
    gpumm_release (context->rates);
    context->rates = NULL;
  } else
    memset (cpu_flops, 0, sizeof cpu_flops);
  pthread_mutex_unlock (&lock);
}
