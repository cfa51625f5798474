/* brought.c - routines of BLAS and LAPACK on a device, from host memory to host memory.
 *
 * gemm is a job like any product. The other routines get their operands whole on the device, and
 * what they write comes back: of a triangle the triangle alone. Operands that are read and written
 * are copied in host memory while the device computes, so that a device that fails at last destroys
 * nothing. How a call runs on the device is queued.c's; what is left to the CPU, routine_rows.c's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/magnitude.h"
#include "base/threads.h"
#include "base/types.h"
#include "device/devices.h"
#include "gpumm_folds.h"
#include "memory/host.h"
#include "memory/queue.h"
#include "move/copy.h"
#include "multiply/algorithm.h"
#include "plan/gather.h"
#include "queued.h"
#include "routine_rows.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
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

/* The same in this thread, whatever is cancelled. */
static void restore (const gpumm_matrix *from, const gpumm_matrix *to) {
  copy_columns ((gpumm_matrix[]){*from, *to}, 0, from->cols);
}

/* Memory for a copy without gaps. */
static gpumm_status make_space (const gpumm_matrix *x, gpumm_matrix *saved) {
  *saved = *x;
  saved->ld = x->rows;
  saved->values = gpumm_allocate (x->rows * x->cols, gpumm_type_bytes (x->type));
  return saved->values ? GPUMM_OK : GPUMM_HOST_MEMORY;
}

/* ---- a call under way ---------------------------------------------------------------------- */

static const gpumm_routine_row *row_of (const gpumm_call *x) {
  return &gpumm_routine_rows[x->routine];
}

/* The work of a product with about as many operations and bytes. LAPACK's routines have narrow
 * panels between their products: they count with LAPACK_PART of their operations. */
static gpumm_work work_of (const gpumm_call *x) {
  static const double LAPACK_PART = 0.25;
  const double m = (double) x->m, n = (double) x->n, k = (double) x->k;
  const double side = x->side == 'L' ? m : n, least = m < n ? m : n;
  double size[3] = {1, 1, 1};
  switch (x->routine) {
#define SIZES(m, n, k) size[0] = m, size[1] = n, size[2] = k
#define ROUTINE(NAME, names, library, letters, work, ...)                                          \
  case GPUMM_##NAME:                                                                               \
    SIZES work;                                                                                    \
    break;
    GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  default:
    break;
  }
  if (row_of (x)->library == CUSOLVER)
    size[2] *= LAPACK_PART;
  size[2] = fmax (floor (size[2]), 1);
  const double element = (double) gpumm_type_bytes (x->type);
  const double flops = (gpumm_is_complex (x->type) ? 8 : 2) * size[0] * size[1] * size[2];
  return (gpumm_work){.type = x->type,
                      .flops = flops,
                      .device_flops = flops,
                      .up = (size[0] * size[2] + size[2] * size[1]) * element,
                      .down = size[0] * size[1] * element,
                      .packed = size[2] * size[1] * element};
}

typedef struct {
  gpumm_operand role;     /* in host memory */
  gpumm_matrix device;    /* its columns aligned; values is NULL if there is none */
  int is_checked;         /* are the numbers of the part that is read looked at? */
  _Atomic double largest; /* the largest of them, as gpumm_largest has it */
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

static gpumm_status set_operands (work *w) {
  gpumm_operand all[GPUMM_OPERANDS + 1];
  const gpumm_status status = gpumm_call_operands (&w->call, all);
  if (status)
    return status;
  void *info = row_of (&w->call)->library == CUSOLVER ? &w->info : NULL;
  all[INFO] =
      (gpumm_operand){.x = {.type = GPUMM_I32, .rows = 1, .cols = 1, .ld = 1, .values = info}};
  for (int i = 0; i < OPERANDS; i++) {
    w->x[i].role = all[i];
    w->x[i].device = all[i].x;
    w->x[i].device.ld = gpumm_pieces (all[i].x.rows, ALIGNED) * ALIGNED;
    w->x[i].device.values = NULL;
    w->x[i].is_checked =
        all[i].reads && gpumm_is_float (all[i].x.type) && row_of (&w->call)->numbers != ANY;
  }
  return GPUMM_OK;
}

/* ---- gemm --------------------------------------------------------------------------------- */

static gpumm_op op_of (char letter) {
  return letter == 'N' ? GPUMM_NONE : letter == 'T' ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE;
}

/* Refuses what the CPU does as fast as this GPU. */
static gpumm_status check_worth (const gpumm_work *x, int device) {
  gpumm_estimate seconds;
  const gpumm_status status = gpumm_measured_costs (x, device, &seconds);
  if (status || seconds.gpu_wins)
    return status;
  return gpumm_fail (GPUMM_UNSUPPORTED, "the CPU is as fast");
}

static gpumm_status multiply (const work *w, gpumm_backend where, int device) {
  const gpumm_call *x = &w->call;
  gpumm_matrix c = w->x[C].role.x, saved = {.values = NULL};
  gpumm_problem p = {.a = w->x[A].role.x,
                     .b = w->x[B].role.x,
                     .alpha = x->alpha,
                     .beta = x->beta,
                     .output = x->type};
  p.a.op = op_of (x->trans);
  p.b.op = op_of (x->trans_b);
  const gpumm_options on_gpu = {.backend = GPUMM_GPU, .device = -1},
                      on_host_device = {.backend = GPUMM_CPU,
                                        .algorithm =
                                            "register", /* the fastest on the host device */
                                        .device = -1};
  const int reads = w->x[C].role.reads;
  gpumm_job *job = NULL;
  if (reads)
    p.c0 = &c;
  const gpumm_work work = gpumm_work_of (&p);
  gpumm_status status = where == GPUMM_AUTO ? check_worth (&work, device) : GPUMM_OK;
  if (!status && reads) {
    p.c0 = &saved;
    status = make_space (&c, &saved);
    if (!status)
      status = gpumm_parallel (c.cols, gpumm_column_grain (c.rows), copy_columns,
                               (gpumm_matrix[]){c, saved});
  }
  if (!status)
    status = gpumm_open (&p, where == GPUMM_CPU ? &on_host_device : &on_gpu, &job);
  if (!status) {
    status = gpumm_run (job, &c);
    if (status && reads)
      restore (&saved, &c);
  }
  gpumm_release (saved.values);
  gpumm_close (job);
  return status;
}

/* ---- operands on the device --------------------------------------------------------------- */

/* Takes memory for an operand on the device, and copies there what is read. */
static gpumm_status bring (work *w, operand *x) {
  if (!x->role.x.values)
    return GPUMM_OK;
  gpumm_status status = gpumm_buffer_new (
      w->device, (size_t) (x->device.ld * x->device.cols) * gpumm_type_bytes (x->role.x.type),
      &x->device.buffer);
  if (status)
    return status;
  x->device.values = gpumm_buffer_address (x->device.buffer);
  return x->role.reads ? gpumm_copy (&x->role.x, &x->device) : GPUMM_OK;
}

/* Copies a triangle back, in panels: what is beside the diagonal at once, its blocks by way of
 * `block`. */
static gpumm_status fetch_triangle (const operand *x) {
  enum { PANEL = 512 };
  const size_t element = gpumm_type_bytes (x->role.x.type);
  const int64_t n = x->role.x.rows;
  const int is_upper = x->role.written == 'U';
  char *block = gpumm_allocate (PANEL * PANEL, element);
  gpumm_status status = block ? GPUMM_OK : GPUMM_HOST_MEMORY;
  for (int64_t j = 0; j < n && !status; j += PANEL) {
    const int64_t cols = gpumm_least (PANEL, n - j), row = is_upper ? 0 : j + cols;
    gpumm_matrix from = x->device, to = x->role.x;
    from.rows = to.rows = is_upper ? j : n - row;
    from.cols = to.cols = cols;
    from.values = (char *) x->device.values + (size_t) (row + j * from.ld) * element;
    to.values = (char *) x->role.x.values + (size_t) (row + j * to.ld) * element;
    if (to.rows > 0)
      status = gpumm_copy (&from, &to);
    from.rows = to.rows = to.ld = cols;
    from.values = (char *) x->device.values + (size_t) (j + j * from.ld) * element;
    to.values = block;
    if (!status)
      status = gpumm_copy (&from, &to);
    for (int64_t l = 0; l < cols && !status; l++) {
      const int64_t first = is_upper ? 0 : l, count = is_upper ? l + 1 : cols - l;
      memcpy ((char *) x->role.x.values + (size_t) (j + first + (j + l) * x->role.x.ld) * element,
              block + (size_t) (first + l * cols) * element, (size_t) count * element);
    }
  }
  gpumm_release (block);
  return status;
}

/* ---- numbers that are the CPU's -------------------------------------------------------------- */

/* The largest number in the part of a column that is looked at. */
static double largest_of_column (const gpumm_operand *x, int64_t j) {
  const gpumm_matrix *h = &x->x;
  const int64_t first = x->part == 'L' ? gpumm_least (j + x->apart, h->rows) : 0;
  const int64_t end = x->part == 'U' ? gpumm_least (j + 1 - x->apart, h->rows) : h->rows;
  const size_t at = (size_t) (first + j * h->ld) * gpumm_type_bytes (h->type);
  return gpumm_largest (h->type, (const char *) h->values + at, end - first);
}

/* Looks at columns of an operand, and copies each if the call changes it: memory is read once. */
static void look_and_save (void *context, int64_t begin, int64_t end) {
  operand *x = context;
  double found = 0;
  for (int64_t j = begin; j < end; j++) {
    if (x->is_checked)
      found = gpumm_larger (largest_of_column (&x->role, j), found);
    if (x->saved.values)
      copy_columns ((gpumm_matrix[]){x->role.x, x->saved}, j, j + 1);
  }
  double known = x->largest;
  while (!isnan (known) && !(found <= known)
         && !atomic_compare_exchange_weak (&x->largest, &known, found))
    continue;
}

/* Copies what the call changes, before anything of it comes back, and refuses numbers that are the
 * CPU's. Called while the device computes: then it costs no time. */
static gpumm_status look_at_operands (work *w) {
  gpumm_status status = GPUMM_OK;
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++) {
    const gpumm_matrix *host = &x->role.x;
    const int saves = x->role.writes && (x->role.reads || x->role.over_a);
    if (saves)
      status = make_space (host, &x->saved);
    if (!status && (saves || x->is_checked))
      status = gpumm_parallel (host->cols, gpumm_column_grain (host->rows), look_and_save, x);
    if (!status)
      status = gpumm_check_largest (&w->call, x->largest);
  }
  return status;
}

static gpumm_status check_diagonal (const work *w) {
  const gpumm_matrix *a = &w->x[A].role.x;
  return gpumm_check_diagonal (&w->call, a->values, gpumm_least (a->rows, a->cols), a->ld);
}

/* Looks at what the device has written. */
static gpumm_status check_result (const work *w, const operand *x) {
  double sum = 0;
  gpumm_matrix to = {.type = GPUMM_D, .rows = 1, .cols = 1, .ld = 1, .values = &sum}, from = to;
  gpumm_status status = gpumm_buffer_new (w->device, sizeof sum, &from.buffer);
  if (status)
    return status;
  from.values = gpumm_buffer_address (from.buffer);
  status = gpumm_queue_fold (GPUMM_FOLD_SUM, &x->device, x->role.written, &from);
  if (!status)
    status = gpumm_copy (&from, &to);
  gpumm_buffer_release (from.buffer);
  return status || isfinite (sum) ? status
                                  : gpumm_leave_to_cpu (&w->call, "the result is not finite");
}

/* ---- a call --------------------------------------------------------------------------------- */

/* The workspace is asked for first: where a library is missing, nothing is copied in vain. While a
 * GPU computes, the operands are looked at; the host device computes at once, and so later. */
static gpumm_status run_routine (work *w) {
  gpumm_call *call = &w->call;
  size_t bytes = 0;
  const int is_gpu = w->context->driver->call != NULL;
  gpumm_status status = gpumm_call_space (w->context, call, &bytes);
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    status = bring (w, x);
  call->a = w->x[A].device.values;
  call->b = w->x[B].device.values;
  call->c = w->x[C].device.values;
  call->tau = w->x[TAU].device.values;
  call->pivots = w->x[PIVOTS].device.values;
  if (!status && !is_gpu)
    status = look_at_operands (w);
  if (!status)
    status = gpumm_queue_call (w->context, call, bytes, w->x[INFO].device.values);
  if (status || !is_gpu)
    return status;
  const gpumm_status looked = look_at_operands (w), waited = gpumm_queue_wait (w->context);
  return waited ? waited : looked;
}

/* call: with addresses of the host. */
static gpumm_status fetch (work *w, const gpumm_call *call) {
  gpumm_status status = GPUMM_OK;
  if (w->x[INFO].role.x.values)
    status = gpumm_copy (&w->x[INFO].device, &w->x[INFO].role.x);
  if (!status && w->info != 0)
    return gpumm_leave_to_cpu (call, "info is not 0");
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    if (x->role.writes && gpumm_is_float (x->role.x.type) && row_of (call)->numbers != ANY)
      status = check_result (w, x);
  for (operand *x = w->x; x < w->x + OPERANDS && !status; x++)
    if (x->role.writes)
      status = x->role.written == 'A' ? gpumm_copy (&x->device, &x->role.x) : fetch_triangle (x);
  if (!status && row_of (call)->diagonal >= WRITTEN_DIAGONAL)
    status = check_diagonal (w);
  for (operand *x = w->x; x < w->x + OPERANDS && status; x++)
    if (x->saved.values)
      restore (&x->saved, &x->role.x);
  return status;
}

gpumm_status gpumm_run_call (const gpumm_call *call, gpumm_backend where) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one at a time: they share the way */
  uint64_t devices = 1;
  work w = {.device = 0};
  if (!call || (unsigned) where > GPUMM_GPU)
    return gpumm_fail (GPUMM_INVALID, "no call of a routine");
  w.call = *call;
  gpumm_status status = set_operands (&w);
  if (status)
    return status;
  const gpumm_routine_row *row = row_of (call);
  if (row->library == CUBLAS && gpumm_is_zero (call->alpha))
    return gpumm_leave_to_cpu (call, "alpha is 0");
  status = gpumm_allowed_devices (&(gpumm_options){.device = -1}, where == GPUMM_CPU, &devices);
  const int first = status ? 0 : __builtin_ctzll (devices);
  w.device = where == GPUMM_CPU ? GPUMM_HOST - first : first;
  if (!status && call->routine == GPUMM_GEMM)
    return multiply (&w, where, first);
  if (!status && where == GPUMM_AUTO) {
    const gpumm_work estimated = work_of (call);
    status = check_worth (&estimated, first);
  }
  if (!status && row->diagonal > NO_DIAGONAL && row->diagonal < WRITTEN_DIAGONAL
      && !(row->diagonal == READ_DIAGONAL && call->diag == 'U'))
    status = check_diagonal (&w);
  if (!status)
    status = gpumm_context_of (w.device, &w.context);
  if (!status && w.context->driver != gpumm_host_device (NULL) && !w.context->driver->call)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "device %d computes products alone", w.context->device);
  if (status)
    return status;
  w.call.lda = w.x[A].device.ld;
  w.call.ldb = w.x[B].device.ld;
  w.call.ldc = w.x[C].device.ld;
  pthread_mutex_lock (&lock);
  status = run_routine (&w);
  if (!status)
    status = fetch (&w, call);
  for (operand *x = w.x; x < w.x + OPERANDS; x++) {
    gpumm_buffer_release (x->device.buffer);
    gpumm_release (x->saved.values);
  }
  pthread_mutex_unlock (&lock);
  return status;
}
