/* spgemm.c - sparse times sparse by a kernel of the table of sparse kernels.
 *
 * Octave stores columns and the kernels take rows. The columns of a matrix are the rows of its
 * transpose, so C' = op (B)' op (A)' needs no conversion. A row on the device is a column here.
 *
 * gpumm_open uploads the structure of both operands and counts the elements that C can have, and
 * where each column begins; meanwhile the values of op (A) go up. gpumm_run multiplies in chunks of
 * columns; each chunk is downloaded while the next is computed, so the device holds only a few
 * chunks of C.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/threads.h"
#include "base/types.h"
#include "resident.h"
#include "rows.h"
#include "sparse.h"

#include <math.h>

/* Chunk buffers: one is computed, one waits, two are downloaded. C is cut into about 32 chunks,
 * because the first and the last overlap with nothing. */
static const struct {
  int64_t buffers, parts, smallest, largest; /* the latter two in bytes of a chunk */
} chunks = {4, 32, 4 << 20, 128 << 20};

/* Products per second and multiprocessor, counted and computed, on an H200 (132 of them): a half to
 * a fifth of what most matrices reach (bench/results/h200/spgemm.csv). */
static const double COUNT_RATE = 1e11 / 132, MAKE_RATE = 5e10 / 132;

static double seconds_at (const gpumm_rows_product *s, double rate) {
  return s->pairs / (rate * s->pass.device.multiprocessors);
}

/* op (X) by columns. A logical matrix stays logical if it goes up as doubles. */
static gpumm_status by_columns (gpumm_rows_product *s, const gpumm_matrix *x, gpumm_type output,
                                gpumm_matrix *out) {
  if (gpumm_is_turned (x) || (x->type == GPUMM_B && output == GPUMM_Z))
    return gpumm_sparse_by_columns (&s->pass.job->memory, x, out);
  *out = *x;
  return GPUMM_OK;
}

static gpumm_status open_spgemm (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  if (gpumm_is_bound (p))
    return gpumm_resident_open (job);
  gpumm_matrix a = {0}, b = {0};
  gpumm_rows_product *s = gpumm_rows_new (job);
  if (!s)
    return GPUMM_HOST_MEMORY;
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read */
  gpumm_status status = by_columns (s, &p->a, p->output, &a);
  if (!status && gpumm_is_one_array (p) && p->a.op == p->b.op)
    b = a;
  else if (!status)
    status = by_columns (s, &p->b, p->output, &b);
  if (status)
    return status;
  s->a = b; /* exchanged: C' = op (B)' op (A)' */
  s->b = a;
  s->is_same = gpumm_is_same (&a, &b);
  gpumm_set_types (&s->pass.product, &b, &a, job->shape.type);
  status = gpumm_rows_open (s, "sparse product", NULL);
  return status ? status : gpumm_rows_count (s, seconds_at (s, COUNT_RATE));
}

/* Elements of a chunk: limited by `chunks`, by room and by half the usual time of a launch, as in
 * counting, but at least the longest column. */
static int64_t chunk_size (const gpumm_rows_product *s) {
  const int64_t stored = s->start[s->a.cols], each = gpumm_rows_bytes (s);
  const int64_t fair = stored * each / chunks.parts;
  int64_t bytes = gpumm_least (fair > chunks.smallest ? fair : chunks.smallest, chunks.largest);
  bytes = gpumm_least (bytes, stored / gpumm_launch_count (2 * seconds_at (s, MAKE_RATE)) * each);
  return gpumm_least (bytes / each, gpumm_rows_room (s) / chunks.buffers);
}

static gpumm_status run_spgemm (struct gpumm_job *job, gpumm_matrix *result) {
  gpumm_rows_product *s = job->state;
  if (gpumm_is_bound (&job->problem))
    return gpumm_resident_run (job, result);
  if (!gpumm_rows_begin (s, result))
    return GPUMM_OK;
  return gpumm_rows_multiply (s, result, result->cols, chunk_size (s), chunks.buffers,
                              seconds_at (s, MAKE_RATE));
}

/* ---- the row of the table ----------------------------------------------------------------- */

/* Multiplications, and elements of C, per second and multiprocessor in both phases: on an H200 (132
 * of them) 51 million of both take 2.8 ms (bench/results/h200/sparse.csv); 6.5e9 multiplications
 * with 0.4e9 elements take 36 ms (spgemm.csv). */
static const double PRODUCT_RATE = 2e11 / 132, ELEMENT_RATE = 1.8e10 / 132;

/* Seconds besides calls, transfers and the kernels: checks, memory, small copies. */
static const double SETUP = 0.3e-3;

/* The host widens each element of C to 16 bytes in fresh memory: seconds of a thread. Each of the
 * first FEW elements takes longer, because fewer threads work and less overlaps. */
static const double ELEMENT_SECONDS = 9.6e-9, FEW = 5e6, FEW_SECONDS = 0.5e-9;
enum { MEASURED_FROM = 70 }; /* compute capability of the kernel with this rate */

/* Two calls: one counts, one computes. */
static double seconds (const gpumm_problem *p, const gpumm_candidate *candidate,
                       const gpumm_sparse_estimate *x) {
  if (candidate->properties.capability < MEASURED_FROM)
    return INFINITY;
  const double products = x->products, nonzeros = x->nonzeros;
  return SETUP + 2 * candidate->call + gpumm_compressed_bytes (p) / candidate->upload
         + nonzeros
               * fmax ((4 + (double) gpumm_type_bytes (p->output)) / candidate->download,
                       ELEMENT_SECONDS / x->threads)
         + fmin (nonzeros, FEW) * FEW_SECONDS
         + (products / PRODUCT_RATE + nonzeros / ELEMENT_RATE)
               / candidate->properties.multiprocessors;
}

/* Kernels have row indices of 32 bits. */
static int takes_spgemm (const gpumm_problem *p) {
  return p->a.format == GPUMM_SPARSE && p->b.format == GPUMM_SPARSE
         && gpumm_is_sparse_element (p->a.type) && gpumm_is_sparse_element (p->b.type)
         && gpumm_is_zero (p->beta) && p->a.rows < INT32_MAX && p->a.cols < INT32_MAX
         && p->b.rows < INT32_MAX && p->b.cols < INT32_MAX;
}

const gpumm_algorithm gpumm_algorithm_spgemm = {
    .name = "spgemm",
    .summary = "sparse by sparse on a device, rows in bins by their number of products",
    .on_device = 1,
    .takes = takes_spgemm,
    .seconds = seconds,
    .open = open_spgemm,
    .run = run_spgemm,
    .mirrors = 1,
    .close = gpumm_rows_close,
};
