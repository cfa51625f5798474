/* routine.c - routines of BLAS and LAPACK on a device, from host memory to host memory.
 *
 * gemm is a job like any product. The other routines get their operands whole on the device, and what
 * they write comes back: of a triangle the triangle alone. Operands that are read and written are copied
 * in host memory while the device computes, so that a device that fails at last destroys nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "devices.h"
#include "error.h"
#include "memory/host.h"
#include "memory/pool.h"
#include "memory/queue.h"
#include "move/copy.h"
#include "routine_on_host.h"
#include "threads.h"
#include "types.h"

#include <pthread.h>
#include <string.h>

/* ---- host memory -------------------------------------------------------------------------- */

/* Copies columns of a matrix in host memory. The context is an array of two: from and to. */
static void copy_columns (void *context, int64_t begin, int64_t end) {
  const gpumm_matrix *from = context, *to = from + 1;
  const size_t element = gpumm_type_bytes (from->type);
  const size_t step_to = (size_t) to->ld * element, step_from = (size_t) from->ld * element;
  gpumm_copy_columns ((char *) to->values + (size_t) begin * step_to, step_to,
                      (const char *) from->values + (size_t) begin * step_from, step_from,
                      (size_t) from->rows * element, end - begin, 0);
}

/* Copies a matrix in host memory. A thread gets at least LEAST_BYTES. */
static gpumm_status copy (const gpumm_matrix *from, const gpumm_matrix *to) {
  enum { LEAST_BYTES = 1 << 20 };
  const size_t bytes = (size_t) from->rows * gpumm_type_bytes (from->type);
  return gpumm_parallel (from->cols, (int64_t) (LEAST_BYTES / (bytes + 1)) + 1, copy_columns,
                         (gpumm_matrix[]){*from, *to});
}

/* The same in this thread, whatever is cancelled. */
static void restore (const gpumm_matrix *from, const gpumm_matrix *to) {
  copy_columns ((gpumm_matrix[]){*from, *to}, 0, from->cols);
}

/* A copy without gaps. */
static gpumm_status save (const gpumm_matrix *x, gpumm_matrix *saved) {
  *saved = *x;
  saved->ld = x->rows;
  saved->values = gpumm_allocate (x->rows * x->cols, gpumm_type_bytes (x->type));
  return saved->values ? copy (x, saved) : GPUMM_HOST_MEMORY;
}

/* ---- gemm --------------------------------------------------------------------------------- */

static gpumm_op op_of (char letter) {
  return letter == 'N' ? GPUMM_NONE : letter == 'T' ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE;
}

/* Opens a product where the plan has it; GPUMM_UNSUPPORTED if that is the CPU. device: as in the options. */
static gpumm_status open_product (const gpumm_problem *problem, gpumm_backend where, int device,
                                  gpumm_job **job) {
  gpumm_options options = {.backend = where, .device = device};
  if (where == GPUMM_CPU)
    options.algorithm = "register"; /* of the host device's kernels the fastest */
  gpumm_status status = gpumm_open (problem, &options, job);
  if (!status && where == GPUMM_AUTO && gpumm_job_report (*job)->backend != GPUMM_GPU) {
    gpumm_close (*job);
    *job = NULL;
    status = gpumm_fail (GPUMM_UNSUPPORTED, "the CPU is as fast");
  }
  if (!status)
    (*job)->options.backend = where == GPUMM_AUTO ? GPUMM_GPU : where; /* the caller has the CPU */
  return status;
}

static gpumm_status multiply (const gpumm_call *x, gpumm_backend where) {
  const int is_plain = x->trans == 'N', is_plain_b = x->trans_b == 'N';
  gpumm_matrix c = {.type = x->type, .rows = x->m, .cols = x->n, .ld = x->ldc, .values = x->c};
  gpumm_matrix saved = {.values = NULL};
  gpumm_problem p = {.a = {.type = x->type,
                           .op = op_of (x->trans),
                           .rows = is_plain ? x->m : x->k,
                           .cols = is_plain ? x->k : x->m,
                           .ld = x->lda,
                           .values = x->a},
                     .b = {.type = x->type,
                           .op = op_of (x->trans_b),
                           .rows = is_plain_b ? x->k : x->n,
                           .cols = is_plain_b ? x->n : x->k,
                           .ld = x->ldb,
                           .values = x->b},
                     .alpha = x->alpha,
                     .beta = x->beta};
  const int reads = x->beta.re != 0 || x->beta.im != 0;
  gpumm_job *job = NULL;
  if (reads)
    p.c0 = &c; /* the plan looks at its sizes */
  gpumm_status status = open_product (&p, where, -1, &job);
  if (!status && reads) {
    status = save (&c, &saved);
    job->c0 = saved;
  }
  if (!status) {
    status = gpumm_run (job, &c);
    if (status && reads)
      restore (&saved, &c);
  }
  gpumm_release (saved.values);
  gpumm_close (job);
  return status;
}

/* ---- the other routines ------------------------------------------------------------------- */

/* Would a product with about as many operations and bytes go to the GPU? LAPACK's routines have narrow
 * panels between their products: they count with LAPACK_PART of their operations. */
static gpumm_status ask_plan (const gpumm_call *x, int device) {
  static const double LAPACK_PART = 0.25;
  const double side = (double) (x->side == 'L' ? x->m : x->n);
  double m = (double) x->m, n = (double) x->n, k = (double) x->k;
  switch (x->routine) {
  case GPUMM_SYRK:
  case GPUMM_HERK:
    m = n, k = k / 2;
    break;
  case GPUMM_SYR2K:
  case GPUMM_HER2K:
    m = n;
    break;
  case GPUMM_GETRF:
    k = (m < n ? m : n) / 3;
    break;
  case GPUMM_GEQRF:
    k = (m < n ? m : n) * 2 / 3;
    break;
  case GPUMM_GETRS:
  case GPUMM_POTRS:
    m = n, n = k, k = m;
    break;
  case GPUMM_GETRI:
    m = n, k = n * 2 / 3;
    break;
  case GPUMM_POTRF:
    m = n, k = n / 6;
    break;
  case GPUMM_ORGQR:
  case GPUMM_ORMQR:
    k = k * (x->routine == GPUMM_ORGQR ? 1 : 2);
    break;
  default: /* symm, hemm; trmm and trsm, with half of them */
    k = x->routine >= GPUMM_TRMM ? side / 2 : side;
  }
  if (x->routine >= GPUMM_GETRF)
    k *= LAPACK_PART;
  if (k < 1)
    k = 1;
  gpumm_problem p = {
      .a = {.type = x->type, .rows = (int64_t) m, .cols = (int64_t) k, .ld = (int64_t) m},
      .b = {.type = x->type, .rows = (int64_t) k, .cols = (int64_t) n, .ld = (int64_t) k},
      .alpha = {1, 0}};
  /* Nothing is read, as the product is not run. Two addresses: both operands are uploaded. */
  p.a.values = x->a;
  p.b.values = &p;
  gpumm_job *job = NULL;
  const gpumm_status status = open_product (&p, GPUMM_AUTO, device, &job);
  gpumm_close (job);
  return status;
}

typedef struct {
  gpumm_matrix host, device; /* device.values is NULL if there is none */
  int reads, writes;
  char part; /* what it writes: 'U', 'L': a triangle; 'A': all */
  gpumm_matrix saved;
} operand;

enum { A, B, C, TAU, PIVOTS, INFO, OPERANDS };
enum { ALIGNED = 32 }; /* elements */

/* A call under way. */
typedef struct {
  gpumm_call call; /* with addresses of the device */
  int device;      /* as gpumm_context_of has it */
  gpumm_context *context;
  operand x[OPERANDS];
  int32_t info;
} work;

static void set (work *w, int i, void *values, int64_t rows, int64_t cols, int64_t ld, int reads,
                 int writes) {
  const gpumm_type type = i == PIVOTS || i == INFO ? GPUMM_I32 : w->call.type;
  w->x[i].host =
      (gpumm_matrix){.type = type, .rows = rows, .cols = cols, .ld = ld, .values = values};
  w->x[i].device = w->x[i].host; /* its columns aligned */
  w->x[i].device.ld = gpumm_pieces (rows, ALIGNED) * ALIGNED;
  w->x[i].device.values = NULL;
  w->x[i].reads = reads;
  w->x[i].writes = writes;
  w->x[i].part = 'A';
}

static void set_level3 (work *w) {
  const gpumm_call *x = &w->call;
  const int64_t m = x->m, n = x->n, k = x->k, side = x->side == 'L' ? m : n;
  const int64_t rows = x->trans == 'N' ? n : k, cols = x->trans == 'N' ? k : n;
  const int adds = x->beta.re != 0 || x->beta.im != 0;
  if (x->routine == GPUMM_TRMM || x->routine == GPUMM_TRSM) {
    set (w, A, x->a, side, side, x->lda, 1, 0);
    set (w, B, x->b, m, n, x->ldb, 1, 1);
  } else if (x->routine == GPUMM_SYMM || x->routine == GPUMM_HEMM) {
    set (w, A, x->a, side, side, x->lda, 1, 0);
    set (w, B, x->b, m, n, x->ldb, 1, 0);
    set (w, C, x->c, m, n, x->ldc, adds, 1);
  } else {
    set (w, A, x->a, rows, cols, x->lda, 1, 0);
    if (x->routine == GPUMM_SYR2K || x->routine == GPUMM_HER2K)
      set (w, B, x->b, rows, cols, x->ldb, 1, 0);
    set (w, C, x->c, n, n, x->ldc, adds, 1);
    w->x[C].part = x->uplo;
  }
}

static void set_lapack (work *w) {
  const gpumm_call *x = &w->call;
  const int64_t m = x->m, n = x->n, k = x->k, least = gpumm_least (m, n);
  set (w, INFO, &w->info, 1, 1, 1, 0, 0);
  switch (x->routine) {
  case GPUMM_GETRF:
    set (w, A, x->a, m, n, x->lda, 1, 1);
    set (w, PIVOTS, x->pivots, least, 1, least, 0, 1);
    break;
  case GPUMM_GETRS:
  case GPUMM_POTRS:
    set (w, A, x->a, n, n, x->lda, 1, 0);
    set (w, B, x->b, n, k, x->ldb, 1, 1);
    if (x->routine == GPUMM_GETRS)
      set (w, PIVOTS, x->pivots, n, 1, n, 1, 0);
    break;
  case GPUMM_GETRI:
    set (w, A, x->a, n, n, x->lda, 1, 0);
    set (w, B, x->a, n, n, x->lda, 0, 1);
    set (w, PIVOTS, x->pivots, n, 1, n, 1, 0);
    break;
  case GPUMM_POTRF:
    set (w, A, x->a, n, n, x->lda, 1, 1);
    w->x[A].part = x->uplo;
    break;
  case GPUMM_ORMQR:
    set (w, A, x->a, x->side == 'L' ? m : n, k, x->lda, 1, 0);
    set (w, C, x->c, m, n, x->ldc, 1, 1);
    set (w, TAU, x->tau, k, 1, k, 1, 0);
    break;
  default: /* geqrf, orgqr */
    set (w, A, x->a, m, n, x->lda, 1, 1);
    if (x->routine == GPUMM_GEQRF)
      set (w, TAU, x->tau, least, 1, least, 0, 1);
    else
      set (w, TAU, x->tau, k, 1, k, 1, 0);
  }
}

/* Takes memory for an operand on the device, and copies there what is read. */
static gpumm_status bring (work *w, operand *x) {
  if (!x->host.values)
    return GPUMM_OK;
  gpumm_status status = gpumm_buffer_new (
      w->device, (size_t) (x->device.ld * x->device.cols) * gpumm_type_bytes (x->host.type),
      &x->device.buffer);
  if (status)
    return status;
  x->device.values = gpumm_buffer_address (x->device.buffer);
  return x->reads ? gpumm_copy (&x->host, &x->device) : GPUMM_OK;
}

/* Copies a triangle back, in panels: what is beside the diagonal at once, its blocks by way of `block`. */
static gpumm_status fetch_triangle (const operand *x) {
  enum { PANEL = 512 };
  const size_t element = gpumm_type_bytes (x->host.type);
  const int64_t n = x->host.rows;
  const int is_upper = x->part == 'U';
  char *block = gpumm_allocate (PANEL * PANEL, element);
  gpumm_status status = block ? GPUMM_OK : GPUMM_HOST_MEMORY;
  for (int64_t j = 0; j < n && !status; j += PANEL) {
    const int64_t cols = gpumm_least (PANEL, n - j), row = is_upper ? 0 : j + cols;
    gpumm_matrix from = x->device, to = x->host;
    from.rows = to.rows = is_upper ? j : n - row;
    from.cols = to.cols = cols;
    from.values = (char *) x->device.values + (size_t) (row + j * from.ld) * element;
    to.values = (char *) x->host.values + (size_t) (row + j * to.ld) * element;
    if (to.rows > 0)
      status = gpumm_copy (&from, &to);
    from.rows = to.rows = to.ld = cols;
    from.values = (char *) x->device.values + (size_t) (j + j * from.ld) * element;
    to.values = block;
    if (!status)
      status = gpumm_copy (&from, &to);
    for (int64_t l = 0; l < cols && !status; l++) {
      const int64_t first = is_upper ? 0 : l, count = is_upper ? l + 1 : cols - l;
      memcpy ((char *) x->host.values + (size_t) (j + first + (j + l) * x->host.ld) * element,
              block + (size_t) (first + l * cols) * element, (size_t) count * element);
    }
  }
  gpumm_release (block);
  return status;
}

/* Copies what the call changes, before anything of it comes back. */
static gpumm_status save_operands (work *w) {
  gpumm_status status = GPUMM_OK;
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    if (x->writes && (x->reads || w->call.routine == GPUMM_GETRI))
      status = save (&x->host, &x->saved);
  return status;
}

static gpumm_status launch (work *w, void *workspace, size_t bytes) {
  const gpumm_driver *driver = w->context->driver;
  const int device = w->context->device;
  gpumm_stream *stream = NULL;
  int32_t *info = w->x[INFO].device.values;
  if (!driver->call) {
    const gpumm_status saved = save_operands (w);
    return saved ? saved : gpumm_call_on_host (&w->call, info);
  }
  gpumm_status status = gpumm_stream_take (w->context, &stream);
  if (status)
    return status;
  gpumm_queue_drain (w->context); /* which may still use the buffers' memory */
  status = driver->call (device, stream, &w->call, workspace, bytes, info);
  const gpumm_status saved = status ? status : save_operands (w);
  const gpumm_status waited = driver->stream_synchronize (device, stream);
  if (status || waited)
    status = gpumm_fail (status ? status : waited, "%s", driver->error_text ());
  else
    status = saved;
  gpumm_stream_give (w->context, stream);
  return status;
}

/* The workspace is asked for first: where a library is missing, nothing is copied in vain. */
static gpumm_status run (work *w) {
  const gpumm_driver *driver = w->context->driver;
  gpumm_call *call = &w->call;
  void *workspace = NULL;
  size_t bytes = 0;
  gpumm_status status =
      driver->call_bytes ? driver->call_bytes (w->context->device, call, &bytes) : GPUMM_OK;
  if (status)
    return gpumm_fail (status, "%s", driver->error_text ());
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    status = bring (w, x);
  if (!status && bytes > 0)
    status = gpumm_pool_take (w->context, GPUMM_POOL_DEVICE, bytes, &workspace);
  if (!status) {
    call->a = w->x[A].device.values;
    call->b = w->x[B].device.values;
    call->c = w->x[C].device.values;
    call->tau = w->x[TAU].device.values;
    call->pivots = w->x[PIVOTS].device.values;
    status = launch (w, workspace, bytes);
  }
  gpumm_pool_give (w->context, GPUMM_POOL_DEVICE, workspace);
  return status;
}

static gpumm_status fetch (work *w) {
  gpumm_status status = GPUMM_OK;
  if (w->x[INFO].host.values)
    status = gpumm_copy (&w->x[INFO].device, &w->x[INFO].host);
  if (!status && w->info != 0)
    return gpumm_fail (GPUMM_UNSUPPORTED, "info is %d", (int) w->info);
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    if (x->writes)
      status = x->part == 'A' ? gpumm_copy (&x->device, &x->host) : fetch_triangle (x);
  for (operand *x = w->x; x < w->x + OPERANDS && status; x++)
    if (x->saved.values)
      restore (&x->saved, &x->host);
  return status;
}

/* cuSOLVER does not look for a zero on the diagonal of U when it solves. */
static int is_singular (const gpumm_call *x) {
  const int parts = gpumm_is_complex (x->type) ? 2 : 1;
  const int is_single = gpumm_is_single (x->type);
  for (int64_t j = 0; j < x->n; j++) {
    const int64_t at = parts * (j + j * x->lda), last = at + parts - 1;
    const float *s = x->a;
    const double *d = x->a;
    if (is_single ? s[at] == 0 && s[last] == 0 : d[at] == 0 && d[last] == 0)
      return 1;
  }
  return 0;
}

gpumm_status gpumm_run_call (const gpumm_call *call, gpumm_backend where) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one at a time: they share the way */
  if (!call || (unsigned) call->routine >= GPUMM_GECON || (unsigned) call->type > GPUMM_Z)
    return gpumm_fail (GPUMM_INVALID, "no call of a routine");
  if (call->routine == GPUMM_GEMM)
    return multiply (call, where);
  uint64_t devices = 1;
  gpumm_status status =
      gpumm_allowed_devices (&(gpumm_options){.device = -1}, where == GPUMM_CPU, &devices);
  const int first = status ? 0 : __builtin_ctzll (devices);
  work w = {.call = *call, .device = where == GPUMM_CPU ? GPUMM_HOST - first : first};
  if (!status && where == GPUMM_AUTO)
    status = ask_plan (call, first);
  if (!status && call->routine == GPUMM_GETRI && is_singular (call))
    status = gpumm_fail (GPUMM_UNSUPPORTED, "the matrix is singular");
  if (!status)
    status = gpumm_context_of (w.device, &w.context);
  if (!status && w.context->driver != gpumm_host_device (NULL) && !w.context->driver->call)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "device %d computes products alone", w.context->device);
  if (status)
    return status;
  (call->routine < GPUMM_GETRF ? set_level3 : set_lapack) (&w);
  w.call.lda = w.x[A].device.ld;
  w.call.ldb = w.x[B].device.ld;
  w.call.ldc = w.x[C].device.ld;
  pthread_mutex_lock (&lock);
  status = run (&w);
  if (!status)
    status = fetch (&w);
  for (operand *x = w.x; x < w.x + OPERANDS; x++) {
    gpumm_buffer_release (x->device.buffer);
    gpumm_release (x->saved.values);
  }
  pthread_mutex_unlock (&lock);
  return status;
}
