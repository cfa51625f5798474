/* solve.c - triangular systems and Cholesky's factor of full matrices in buffers.
 *
 * The work is queued on the array stream; what decides whether the caller's own LAPACK has to
 * compute instead is read back, because it may warn, or set info, where NVIDIA's libraries do not.
 * Where it solves a triangular system it estimates the condition number first, as Octave does: the
 * steps of inverse_norm.c, with solutions made on the device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_arrays.h"
#include "base/error.h"
#include "base/overlap.h"
#include "base/types.h"
#include "device/devices.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"
#include "inverse_norm.h"
#include "memory/buffer.h"
#include "queued.h"
#include "routine_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Numbers that decide, in the order of the scratch memory; behind them info, and a diagonal or a
 * vector of n elements. */
enum { SUM, LARGEST_A, LARGEST_B, NORM_A, NUMBERS };
enum { INFO_AT = NUMBERS * sizeof (double), VECTOR_AT = 256 };

typedef struct {
  gpumm_call call;
  gpumm_context *context;
  int64_t n;
  gpumm_buffer *scratch;
  double numbers[NUMBERS];
  int32_t info;
  void *vector; /* in host memory */
} solution;

static gpumm_matrix in_scratch (const solution *s, gpumm_type type, int64_t rows, int64_t at) {
  return (gpumm_matrix){.type = type,
                        .rows = rows,
                        .cols = 1,
                        .ld = rows,
                        .values = (char *) gpumm_buffer_address (s->scratch) + at,
                        .buffer = s->scratch};
}

static gpumm_matrix number (const solution *s, int i) {
  return in_scratch (s, GPUMM_D, 1, i * (int64_t) sizeof (double));
}

static gpumm_view view_of (const gpumm_matrix *x, int64_t down, int64_t across) {
  return (gpumm_view){
      .type = x->type, .buffer = x->buffer, .values = x->values, .stride = {down, across}};
}

/* ---- checks --------------------------------------------------------------------------------- */

/* Is x a full matrix in a buffer of A's device, of A's type? */
static gpumm_status check_place (const gpumm_matrix *x, const gpumm_matrix *a, const char *name) {
  if (!x || x->format != GPUMM_FULL || (unsigned) x->type > GPUMM_Z || !x->buffer
      || (unsigned) x->op > GPUMM_CTRANSPOSE)
    return gpumm_fail (GPUMM_INVALID, "%s is not a full matrix in a buffer", name);
  const gpumm_status status = gpumm_check_buffers (x, name);
  if (!status && (x->type != a->type || x->buffer->context != a->buffer->context))
    return gpumm_fail (GPUMM_INVALID, "%s has another type or device", name);
  return status;
}

/* Memory of the device for what decides. */
static gpumm_status begin (solution *s, const gpumm_matrix *a) {
  gpumm_operand operands[GPUMM_OPERANDS];
  const size_t element = gpumm_type_bytes (a->type);
  s->context = a->buffer->context;
  s->call.type = a->type;
  s->n = a->rows;
  const gpumm_status status = gpumm_call_operands (&s->call, operands);
  if (status)
    return status;
  const int is_host = s->context->driver == gpumm_host_device (NULL);
  s->vector = gpumm_allocate (s->n, element > sizeof (double) ? element : sizeof (double));
  return s->vector
             ? gpumm_buffer_new (is_host ? GPUMM_HOST - s->context->device : s->context->device,
                                 VECTOR_AT + (size_t) s->n * 16, &s->scratch)
             : GPUMM_HOST_MEMORY;
}

static void end (solution *s) {
  gpumm_buffer_release (s->scratch);
  gpumm_release (s->vector);
}

/* Reads back the numbers from first to last and, where x is a triangle, its diagonal; of LAPACK
 * info. */
static gpumm_status read_numbers (solution *s, int first, int last, const gpumm_matrix *x) {
  const gpumm_matrix from = number (s, first), info = in_scratch (s, GPUMM_I32, 1, INFO_AT),
                     to = in_scratch (s, s->call.type, s->n, VECTOR_AT);
  gpumm_read reads[3] = {
      {.at = view_of (&from, 1, 0), .count = last - first + 1, .to = &s->numbers[first]}};
  int count = 1;
  gpumm_status status = GPUMM_OK;
  if (gpumm_routine_rows[s->call.routine].library == CUSOLVER) {
    reads[count] = (gpumm_read){.at = view_of (&info, 1, 0), .count = 1, .to = &s->info};
    count++;
  }
  if (x) {
    status = gpumm_map_entries (&(gpumm_map){.domain = x->type,
                                             .size = {s->n, 1, 1, 1},
                                             .inputs = 1,
                                             .input = {view_of (x, x->ld + 1, 0)},
                                             .output = view_of (&to, 1, 0)});
    reads[count] = (gpumm_read){.at = view_of (&to, 1, 0), .count = s->n, .to = s->vector};
    count++;
  }
  return status ? status : gpumm_read_back (reads, count);
}

static gpumm_status run (const solution *s, const gpumm_call *call) {
  size_t bytes = 0;
  const gpumm_matrix info = in_scratch (s, GPUMM_I32, 1, INFO_AT);
  const gpumm_status status = gpumm_call_space (s->context, call, &bytes);
  return status ? status : gpumm_queue_call (s->context, call, bytes, info.values);
}

/* to = from, or its upper or lower triangle with zeros beside it. */
static gpumm_status copy (const gpumm_matrix *from, const gpumm_matrix *to, char part) {
  const gpumm_view row = {.type = GPUMM_I64, .stride = {1, 0}},
                   column = {.type = GPUMM_I64, .stride = {0, 1}};
  return gpumm_map_entries (
      &(gpumm_map){.domain = from->type,
                   .size = {from->rows, from->cols, 1, 1},
                   .inputs = 3,
                   .input = {view_of (from, 1, from->ld), row, column},
                   .steps = part == 'A' ? 0 : 3,
                   .step = {{.op = GPUMM_MAP_PUSH, .source = 1},
                            {.op = part == 'U' ? GPUMM_MAP_LE : GPUMM_MAP_GE, .source = 2},
                            {.op = GPUMM_MAP_MASK, .source = GPUMM_MAP_POP, .swapped = 1}},
                   .output = view_of (to, 1, to->ld)});
}

static gpumm_status queue_largest (const solution *s, int i, const gpumm_matrix *x) {
  const gpumm_matrix to = number (s, i);
  return gpumm_queue_fold (GPUMM_FOLD_LARGEST, x, 'A', &to);
}

/* Reads back whether x is finite, with what decides about a factor. */
static gpumm_status check_result (solution *s, const gpumm_matrix *x) {
  const int is_factor = s->call.routine == GPUMM_POTRF;
  const gpumm_matrix sum = number (s, SUM);
  gpumm_status status = gpumm_queue_fold (GPUMM_FOLD_SUM, x, 'A', &sum);
  if (!status)
    status = read_numbers (s, SUM, is_factor ? LARGEST_A : SUM, is_factor ? x : NULL);
  if (!status && s->info != 0)
    status = gpumm_leave_to_cpu (&s->call, "info is not 0");
  if (!status && !isfinite (s->numbers[SUM]))
    status = gpumm_leave_to_cpu (&s->call, "the result is not finite");
  return status;
}

/* ---- triangular systems --------------------------------------------------------------------- */

/* Queues norm 1 of A, or of its transpose: the largest sum of a column, or row. */
static gpumm_status queue_norm (const solution *s, const gpumm_matrix *a, int is_turned) {
  const gpumm_matrix sums = in_scratch (s, GPUMM_D, s->n, VECTOR_AT), norm = number (s, NORM_A);
  const gpumm_operation fold = {
      .name = "fold",
      .fold = GPUMM_FOLD_SUM,
      .map = {.domain = a->type,
              .size = {s->n, s->n, 1, 1},
              .inputs = 1,
              .input = {is_turned ? view_of (a, a->ld, 1) : view_of (a, 1, a->ld)},
              .steps = 1,
              .step = {{.op = GPUMM_MAP_ABS}}},
      .inner = 1,
      .count = s->n,
      .outer = s->n,
      .result = {view_of (&sums, 1, 0)}};
  const gpumm_status status = gpumm_operation_run (&fold);
  return status ? status : gpumm_queue_fold (GPUMM_FOLD_LARGEST, &sums, 'A', &norm);
}

/* Refuses A if its condition number is near the limit at which Octave warns, which is 2 / eps. */
static gpumm_status check_condition (const solution *s, int is_turned) {
  const double eps = gpumm_is_single (s->call.type) ? FLT_EPSILON : DBL_EPSILON;
  const gpumm_matrix there = in_scratch (s, s->call.type, s->n, VECTOR_AT);
  double rcond = 0;
  gpumm_inverse_norm e;
  gpumm_status status = gpumm_inverse_norm_open (&e, s->call.type, s->n);
  gpumm_matrix here = there;
  here.buffer = NULL;
  here.values = e.x;
  gpumm_call step = s->call;
  step.side = 'L';
  step.m = s->n;
  step.n = 1;
  step.b = there.values;
  step.ldb = s->n;
  while (!status && gpumm_inverse_norm_next (&e)) {
    step.trans = (char) (e.is_transposed ^ is_turned ? 'C' : 'N');
    status = gpumm_copy (&here, &there);
    if (!status)
      status = run (s, &step);
    if (!status)
      status = gpumm_copy (&there, &here);
  }
  if (!status)
    status = gpumm_inverse_norm_rcond (&e, s->numbers[NORM_A], &rcond);
  gpumm_inverse_norm_close (&e);
  return status || rcond > 16 * sqrt ((double) s->n) * eps
             ? status
             : gpumm_leave_to_cpu (&s->call, "the matrix is nearly singular");
}

/* Looks at the numbers of A and B, at the diagonal and the condition number of A. */
static gpumm_status judge (solution *s, const gpumm_matrix *a, const gpumm_matrix *b) {
  const int is_turned = s->call.side == 'R'; /* Octave solves with the transpose */
  gpumm_status status = queue_largest (s, LARGEST_A, a);
  if (!status)
    status = queue_largest (s, LARGEST_B, b);
  if (!status)
    status = queue_norm (s, a, is_turned);
  if (!status)
    status = read_numbers (s, LARGEST_A, NORM_A, a);
  if (!status)
    status = gpumm_check_largest (&s->call, s->numbers[LARGEST_A]);
  if (!status)
    status = gpumm_check_largest (&s->call, s->numbers[LARGEST_B]);
  if (!status)
    status = gpumm_check_diagonal (&s->call, s->vector, s->n, 0);
  return status ? status : check_condition (s, is_turned);
}

gpumm_status gpumm_solve_triangular (char side, char uplo, const gpumm_matrix *a,
                                     const gpumm_matrix *b, const gpumm_matrix *x) {
  gpumm_status status = check_place (a, a, "A");
  if (!status)
    status = check_place (b, a, "B");
  if (!status)
    status = check_place (x, a, "X");
  if (status)
    return status;
  if (a->rows != a->cols || b->rows != x->rows || b->cols != x->cols
      || a->rows != (side == 'L' ? b->rows : b->cols) || gpumm_matrices_overlap (b, x))
    return gpumm_fail (GPUMM_INVALID, "the sizes of A, B and X do not fit, or X lies in B");
  static const char letters[] = {
      [GPUMM_NONE] = 'N', [GPUMM_TRANSPOSE] = 'T', [GPUMM_CTRANSPOSE] = 'C'};
  solution s = {.call = {.routine = GPUMM_TRSM,
                         .side = side,
                         .uplo = uplo,
                         .trans = letters[a->op],
                         .diag = 'N',
                         .m = b->rows,
                         .n = b->cols,
                         .alpha = {1, 0},
                         .a = a->values,
                         .b = x->values,
                         .lda = a->ld,
                         .ldb = x->ld}};
  status = begin (&s, a);
  if (!status)
    status = judge (&s, a, b);
  if (!status)
    status = copy (b, x, 'A');
  if (!status)
    status = run (&s, &s.call);
  if (!status)
    status = check_result (&s, x);
  end (&s);
  return status;
}

/* ---- Cholesky's factor ---------------------------------------------------------------------- */

gpumm_status gpumm_factor_cholesky (char uplo, const gpumm_matrix *a, const gpumm_matrix *r) {
  gpumm_status status = check_place (a, a, "A");
  if (!status)
    status = check_place (r, a, "R");
  if (status)
    return status;
  if (a->rows != a->cols || r->rows != a->rows || r->cols != a->cols
      || gpumm_matrices_overlap (a, r))
    return gpumm_fail (GPUMM_INVALID, "A is not square, R has another size, or R lies in A");
  solution s = {
      .call = {.routine = GPUMM_POTRF, .uplo = uplo, .n = a->rows, .a = r->values, .lda = r->ld}};
  status = begin (&s, a);
  if (!status)
    status = queue_largest (&s, LARGEST_A, a);
  if (!status)
    status = copy (a, r, uplo);
  if (!status)
    status = run (&s, &s.call);
  if (!status)
    status = copy (r, r, uplo); /* what lies beside the triangle is the library's */
  if (!status)
    status = check_result (&s, r);
  if (!status)
    status = gpumm_check_diagonal (&s.call, s.vector, s.n, 0);
  if (!status)
    status = gpumm_check_largest (&s.call, s.numbers[LARGEST_A]);
  end (&s);
  return status;
}
