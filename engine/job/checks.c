/* checks.c - what a caller gives for a product is checked here, before anything reads it: options,
 * problem, entries of compressed operands, and the result's memory. Opens no device and reads no
 * element of a full matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include "base/error.h"
#include "base/library.h"
#include "base/matrix.h"
#include "base/overlap.h"
#include "base/types.h"
#include "device/devices.h"
#include "memory/buffer.h"
#include "memory/limit.h"
#include "multiply/real_by_complex.h"

#include <unistd.h>

gpumm_status gpumm_check_environment (void) {
  gpumm_status status = gpumm_check_limit ();
  if (!status)
    status = gpumm_check_devices ();
  return status ? status : gpumm_check_blas ();
}

/* ---- the problem -------------------------------------------------------------------------- */

/* The only place that says which pairs are multiplied; callers convert others. */
gpumm_status gpumm_result_type (const gpumm_problem *p, gpumm_type *type) {
  if (!p || !type)
    return gpumm_fail (GPUMM_INVALID, "no problem, or no pointer for its type");
  gpumm_type a = p->a.type, b = p->b.type;
  gpumm_format kind_a = p->a.format, kind_b = p->b.format;
  int known;
  *type = p->output;
  const int is_single = gpumm_is_single (a) && gpumm_is_single (b);
  if (is_single && p->a.buffer && p->b.buffer && kind_a + kind_b == GPUMM_SPARSE) {
    known = 1; /* one is full: of single precision sparse matrices only lie on devices */
    *type = gpumm_is_complex (a) ? a : b;
  } else if (kind_a == GPUMM_SPARSE || kind_b == GPUMM_SPARSE) {
    known = kind_a != GPUMM_BLOCKS && kind_b != GPUMM_BLOCKS
            && (a == GPUMM_D || a == GPUMM_Z || (a == GPUMM_B && kind_a == GPUMM_SPARSE))
            && (b == GPUMM_D || b == GPUMM_Z || (b == GPUMM_B && kind_b == GPUMM_SPARSE));
    *type = a == GPUMM_Z || b == GPUMM_Z ? GPUMM_Z : GPUMM_D;
  } else if (gpumm_is_integer (a)) {
    known = a == b && (gpumm_is_integer (*type) || *type == GPUMM_S || *type == GPUMM_D);
  } else {
    known = gpumm_is_float (a) && gpumm_is_float (b) && gpumm_is_single (a) == gpumm_is_single (b);
    *type = gpumm_is_complex (a) ? a : b;
  }
  if (!known || (unsigned) kind_a > GPUMM_BLOCKS || (unsigned) kind_b > GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s%s by %s%s has no product%s",
                       gpumm_format_word (kind_a), gpumm_type_name (a), gpumm_format_word (kind_b),
                       gpumm_type_name (b),
                       a == b ? "" : ": convert one of them to the type of the other");
  return GPUMM_OK;
}

static gpumm_status check_scalars (gpumm_problem *p) {
  int64_t m = gpumm_m (p), n = gpumm_n (p);
  const int is_plain = gpumm_is_one (p->alpha) && gpumm_is_zero (p->beta);
  if (!is_plain
      && (gpumm_is_integer (p->a.type) || p->a.format == GPUMM_BLOCKS
          || p->b.format == GPUMM_BLOCKS))
    return gpumm_fail (GPUMM_UNSUPPORTED, "products of integers or in blocks have no alpha and no "
                                          "beta: scale the result");
  if (!gpumm_is_complex (p->output) && (p->alpha.im != 0 || p->beta.im != 0))
    return gpumm_fail (GPUMM_INVALID, "complex alpha or beta with a real product");
  if (gpumm_is_zero (p->beta)) {
    p->c0 = NULL;
    return GPUMM_OK;
  }
  if (!p->c0)
    return gpumm_fail (GPUMM_INVALID, "beta is not zero and C0 is missing");
  if (gpumm_result_format (p) != GPUMM_FULL)
    return gpumm_fail (GPUMM_UNSUPPORTED, "beta with a sparse product");
  gpumm_status status = gpumm_check_matrix (p->c0, "C0");
  if (status)
    return status;
  if (p->c0->format != GPUMM_FULL || p->c0->type != p->output)
    return gpumm_fail (GPUMM_INVALID, "C0 is not a full %s matrix", gpumm_type_name (p->output));
  if (p->c0->rows != m || p->c0->cols != n)
    return gpumm_fail (
        GPUMM_NONCONFORMANT, "C is %lldx%lld and must have the size of the product, %lldx%lld",
        (long long) p->c0->rows, (long long) p->c0->cols, (long long) m, (long long) n);
  return GPUMM_OK;
}

/* An op is read from the transpose. A product whose C is full may do without it. */
static gpumm_status check_transpose (const gpumm_problem *p, const gpumm_matrix *x) {
  const gpumm_matrix *t = x->transpose;
  if (x->format == GPUMM_FULL
      || (!t && (!gpumm_is_turned (x) || gpumm_result_format (p) == GPUMM_FULL)))
    return GPUMM_OK;
  if (!t)
    return gpumm_fail (GPUMM_UNSUPPORTED, "on a device an op of a matrix needs its transpose, "
                                          "if the result is sparse or in blocks");
  if (t->format != x->format || t->type != x->type || t->rows != x->cols || t->cols != x->rows
      || t->nzmax != x->nzmax || !t->buffer || t->buffer->context != x->buffer->context
      || (x->format == GPUMM_BLOCKS
          && (t->block_rows != x->block_cols || t->block_cols != x->block_rows)))
    return gpumm_fail (GPUMM_INVALID, "a transpose does not fit its operand, or is elsewhere");
  return gpumm_check_matrix (t, "a transpose");
}

/* Bytes of the offsets of a compressed C. */
static size_t start_bytes (const gpumm_problem *p) {
  const int64_t lines =
      p->a.format == GPUMM_BLOCKS ? gpumm_m (p) / gpumm_op_block_rows (&p->a) : gpumm_n (p);
  return (size_t) (lines + 1) * sizeof (int64_t);
}

/* Does a matrix lie in the memory of an operand, or of its transpose? */
static int overlaps (const gpumm_matrix *y, const gpumm_matrix *x) {
  return gpumm_matrices_overlap (y, x)
         || (x->transpose && gpumm_matrices_overlap (y, x->transpose));
}

/* Does an operand or its transpose lie where the result's offsets go? */
static int holds_start (const gpumm_matrix *x, const gpumm_problem *p) {
  const gpumm_matrix start = {.type = GPUMM_I64,
                              .rows = (int64_t) (start_bytes (p) / sizeof (int64_t)),
                              .cols = 1,
                              .ld = (int64_t) (start_bytes (p) / sizeof (int64_t)),
                              .values = gpumm_buffer_address (p->start)};
  return overlaps (&start, x);
}

/* The buffers of a product lie on one device; what cannot be multiplied there is refused. */
static gpumm_status check_buffers (const gpumm_problem *p) {
  const gpumm_buffer *home = gpumm_home (p);
  const gpumm_buffer *all[] = {p->a.buffer, p->b.buffer, p->c0 ? p->c0->buffer : NULL};
  if (!gpumm_is_bound (p))
    return GPUMM_OK;
  if (gpumm_is_full (p) && (!gpumm_is_full_float (p) || p->a.type != p->b.type))
    return gpumm_fail (
        GPUMM_UNSUPPORTED,
        "on a device full matrices are multiplied if they are of one type of floating point, "
        "and not %s by %s",
        gpumm_type_name (p->a.type), gpumm_type_name (p->b.type));
  if (!gpumm_is_full (p) && (!all[0] || !all[1] || !p->stays))
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "a product of %s%s by %s%s on a device needs both operands there, and its "
                       "result stays there",
                       gpumm_format_word (p->a.format), gpumm_type_name (p->a.type),
                       gpumm_format_word (p->b.format), gpumm_type_name (p->b.type));
  if (p->start
      && (!home || p->start->context != home->context || p->start->process != getpid ()
          || p->start->bytes < start_bytes (p)))
    return gpumm_fail (GPUMM_INVALID, "the memory for the result's offsets is too small, on "
                                      "another device or of another process");
  if (p->start && (holds_start (&p->a, p) || holds_start (&p->b, p)))
    return gpumm_fail (GPUMM_INVALID,
                       "the memory for the result's offsets lies in the memory of an operand");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] && all[i]->context != home->context)
      return gpumm_fail (GPUMM_UNSUPPORTED, "the matrices lie on different devices");
  if (all[2] && !p->stays)
    return gpumm_fail (GPUMM_UNSUPPORTED, "C0 lies on a device, so the result must stay there");
  const gpumm_status status = check_transpose (p, &p->a);
  return status ? status : check_transpose (p, &p->b);
}

/* Elements of a block of the result, whose bytes are counted. */
static const double MOST_IN_BLOCK = 0x1p56;

gpumm_status gpumm_check_problem (gpumm_problem *p) {
  gpumm_status status = gpumm_check_matrix (&p->a, "A");
  if (!status)
    status = gpumm_check_matrix (&p->b, "B");
  if (status)
    return status;
  if ((unsigned) p->a.op > GPUMM_CTRANSPOSE || (unsigned) p->b.op > GPUMM_CTRANSPOSE)
    return gpumm_fail (GPUMM_INVALID, "unknown op");
  if (gpumm_k (p) != gpumm_op_rows (&p->b))
    return gpumm_fail (GPUMM_NONCONFORMANT,
                       "operator *: nonconformant arguments (op1 is %lldx%lld, op2 is %lldx%lld)",
                       (long long) gpumm_m (p), (long long) gpumm_k (p),
                       (long long) gpumm_op_rows (&p->b), (long long) gpumm_n (p));
  if (p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS
      && gpumm_op_block_cols (&p->a) != gpumm_op_block_rows (&p->b))
    return gpumm_fail (
        GPUMM_NONCONFORMANT,
        "operator *: nonconformant blocks (op1 has blocks of %lldx%lld, op2 of %lldx%lld)",
        (long long) gpumm_op_block_rows (&p->a), (long long) gpumm_op_block_cols (&p->a),
        (long long) gpumm_op_block_rows (&p->b), (long long) gpumm_op_block_cols (&p->b));
  if (p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS
      && (double) gpumm_op_block_rows (&p->a) * (double) gpumm_op_block_cols (&p->b)
             > MOST_IN_BLOCK)
    return gpumm_fail (GPUMM_UNSUPPORTED, "the result has blocks of %lldx%lld, which are too large",
                       (long long) gpumm_op_block_rows (&p->a),
                       (long long) gpumm_op_block_cols (&p->b));
  status = gpumm_result_type (p, &p->output);
  if (!status)
    status = check_scalars (p);
  return status ? status : check_buffers (p);
}

gpumm_status gpumm_check_operands (const gpumm_problem *p) {
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK;
  const gpumm_status status = gpumm_check_entries (&p->a, "A");
  return status || gpumm_is_one_array (p) ? status : gpumm_check_entries (&p->b, "B");
}

gpumm_status gpumm_check_options (const gpumm_options *o) {
  if ((unsigned) o->backend > GPUMM_GPU)
    return gpumm_fail (GPUMM_INVALID, "unknown backend");
  if (o->device < -1)
    return gpumm_fail (GPUMM_INVALID, "device %d: devices count from 0, and -1 is the first",
                       o->device);
  if (o->max_device_memory < 0 || o->max_capability < 0)
    return gpumm_fail (GPUMM_INVALID, "a limit of device memory or capability below 0");
  return GPUMM_OK;
}

/* ---- the result --------------------------------------------------------------------------- */

/* Does the flag for zeros lie in memory of x? */
static int holds_flag (const gpumm_matrix *x, const gpumm_buffer *zero) {
  const gpumm_matrix flag = {
      .type = GPUMM_I32, .rows = 1, .cols = 1, .ld = 1, .values = gpumm_buffer_address (zero)};
  return zero && overlaps (&flag, x);
}

gpumm_status gpumm_check_result (const gpumm_job *job, const gpumm_matrix *result) {
  const gpumm_matrix *s = &job->shape;
  const gpumm_problem *p = &job->problem;
  gpumm_status status = gpumm_check_matrix (result, "the result");
  if (status)
    return status;
  if (result->format != s->format || result->type != s->type || result->rows != s->rows
      || result->cols != s->cols || (s->format != GPUMM_FULL && result->nzmax < s->nzmax)
      || result->block_rows != s->block_rows || result->block_cols != s->block_cols)
    return gpumm_fail (GPUMM_INVALID, "the result is not of the shape that gpumm_result gave");
  if (!result->buffer == !!p->stays)
    return gpumm_fail (GPUMM_INVALID, p->stays ? "the result has no buffer on the device"
                                               : "the result has a buffer, but was not to stay");
  if (result->buffer && result->buffer->context != job->plan.context)
    return gpumm_fail (GPUMM_INVALID, "the result's buffer is on another device");
  if (p->c0 && p->c0->buffer && (p->c0->values != result->values || p->c0->ld != result->ld))
    return gpumm_fail (GPUMM_UNSUPPORTED, "C0 on a device is not the result itself");
  /* some algorithms would read their own results as operands */
  const int reads = !gpumm_is_zero (p->alpha);
  if ((reads && (overlaps (result, &p->a) || overlaps (result, &p->b)))
      || (p->c0 && !p->c0->buffer && overlaps (result, p->c0)))
    return gpumm_fail (GPUMM_INVALID, "the result lies in the memory of an operand");
  if (holds_flag (&p->a, result->zero) || holds_flag (&p->b, result->zero)
      || holds_flag (result, result->zero))
    return gpumm_fail (GPUMM_INVALID, "the flag for zeros lies in the memory of a matrix");
  return GPUMM_OK;
}

gpumm_status gpumm_check_traced (const gpumm_job *job, int count) {
  const gpumm_problem *p = &job->problem;
  int64_t m = gpumm_m (p), n = gpumm_n (p), k = gpumm_k (p);
  if (p->c0)
    return gpumm_fail (GPUMM_UNSUPPORTED, "a product that adds to a C is not traced");
  if (gpumm_is_bound (p))
    return gpumm_fail (GPUMM_UNSUPPORTED, "a product of matrices on a device is not traced");
  if (p->a.format != p->b.format || p->a.format == GPUMM_SPARSE || job->plan.algorithm->finish
      || job->widened || gpumm_is_in_pairs (p))
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "products of sparse matrices, of a real by a complex one, "
                       "or made of other products are not traced");
  if (count && (k > GPUMM_COUNT_MOST_K || (double) m * (double) n * (double) k > GPUMM_COUNT_MOST))
    return gpumm_fail (GPUMM_TOO_LARGE,
                       "a product of %lld x %lld by %lld x %lld is too large to be counted: m n k "
                       "may be %d (256 x 256 x 256), k %d",
                       (long long) m, (long long) k, (long long) k, (long long) n, GPUMM_COUNT_MOST,
                       GPUMM_COUNT_MOST_K);
  return GPUMM_OK;
}
