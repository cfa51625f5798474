/* bsr.c - products of two matrices that are sparse by blocks, on a device.
 *
 * gpumm_open uploads the structure of A and B, and a kernel counts the blocks of each row of C
 * while B's values go up. gpumm_run uploads A's and computes C in pieces of block rows: while one
 * is computed, the one before is downloaded. The device holds all of A and B, and all of C or two
 * pieces of C. A floating-point operand with an op goes up as it is: the kernels transpose it in
 * their workspace.
 *
 * Products of blocks are counted exactly. Rates were measured (bench/results/h200/blocks.csv,
 * bsr.csv) and are per multiprocessor.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/types.h"
#include "resident.h"
#include "rows.h"

#include <math.h>

/* The pieces of a C that fits the device: it is downloaded while it is computed. */
static const int64_t PIECES = 8;

/* Floating-point pieces are not smaller, as chunks of sparse products are not. */
static const int64_t LEAST_BYTES = 4 << 20;

/* ---- what it takes, and how long ---------------------------------------------------------- */

static int takes_bsr (const gpumm_problem *p) {
  return p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS && !p->full
         && gpumm_is_integer (p->a.type) && p->a.type == p->b.type && gpumm_is_integer (p->output)
         && (gpumm_is_bound (p) || (p->a.op == GPUMM_NONE && p->b.op == GPUMM_NONE));
}

static int takes_floats (const gpumm_problem *p) {
  return p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS && !p->full
         && gpumm_is_float (p->a.type) && gpumm_is_float (p->b.type)
         && gpumm_entries (&p->a) <= INT32_MAX && gpumm_entries (&p->b) <= INT32_MAX;
}

/* uint16 in square blocks of 4 or 8, sums in uint32. */
static int takes_classic (const gpumm_problem *p) {
  const int64_t m = p->a.block_rows;
  return takes_bsr (p) && p->a.type == GPUMM_U16 && p->output == GPUMM_U32 && (m == 4 || m == 8)
         && p->a.block_cols == m && p->b.block_cols == m;
}

/* ---- how long ----------------------------------------------------------------------------- */

/* Blocks of floating point, on an H200 (bench/results/h200/bsr.csv): products of blocks, and bytes
 * of B's and C's blocks, a second and multiprocessor; and the part of the library's rate for full
 * matrices that products of the largest blocks reach. From 8 x 8 on the estimate is 0.7 to 2.4
 * times what bsr-patterns.csv has. */
static const double PAIR_RATE = 1.2e10 / 132, BYTE_RATE = 2e12 / 132, LIBRARY_PART = 0.4;

/* Seconds on a device of `pairs` products of blocks that give `blocks` blocks of C. */
static double float_seconds (const gpumm_problem *p, const gpumm_candidate *candidate, double pairs,
                             double blocks) {
  const double m = (double) gpumm_op_block_rows (&p->a), k = (double) gpumm_op_block_cols (&p->a),
               n = (double) gpumm_op_block_cols (&p->b);
  const double element = (double) gpumm_type_bytes (p->output);
  const double flops = (gpumm_is_complex (p->output) ? 8 : 2) * pairs * m * k * n;
  const double moving = pairs / PAIR_RATE + element * (pairs * k * n + blocks * m * n) / BYTE_RATE;
  return fmax (moving / candidate->properties.multiprocessors,
               flops / (LIBRARY_PART * candidate->flops[p->output]));
}

/* Seconds besides a call, transfers and kernels: checks, memory, small copies, launches. As long as
 * 6400 pairs of blocks take on an H200 (bench/results/h200/blocksparse.csv). */
static const double SETUP = 1e-3;

/* From host to host. */
static double seconds (const gpumm_problem *p, const gpumm_candidate *candidate,
                       const struct gpumm_sparse_estimate *estimate) {
  (void) estimate;
  const double rows = (double) (gpumm_m (p) / gpumm_op_block_rows (&p->a)),
               cols = (double) (gpumm_n (p) / gpumm_op_block_cols (&p->b));
  if (rows == 0 || cols == 0)
    return 0;
  const double pairs = gpumm_estimate_products (&p->a, &p->b);
  const double blocks = rows * cols * -expm1 (-pairs / (rows * cols)); /* if spread evenly */
  const double size = (double) (gpumm_op_block_rows (&p->a) * gpumm_op_block_cols (&p->b));
  const double down = blocks * ((double) gpumm_type_bytes (p->output) * size + 4);
  const double ends = SETUP + candidate->call + gpumm_compressed_bytes (p) / candidate->upload
                      + down / candidate->download;
  if (gpumm_is_float (p->output))
    return ends + float_seconds (p, candidate, pairs, blocks);
  gpumm_sparse_product product = {.a = gpumm_device_matrix_of (&p->a, 1),
                                  .b = gpumm_device_matrix_of (&p->b, 1),
                                  .pairs = (int64_t) fmin (pairs, 0x1p62)};
  gpumm_set_types (&product, &p->a, &p->b, p->output);
  double best = INFINITY;
  const gpumm_sparse_kernel *k = NULL;
  while (
      (k = gpumm_next_sparse_kernel (candidate->context->driver, gpumm_algorithm_bsr_integer.name,
                                     candidate->properties.capability, k)))
    if (k->seconds)
      best = fmin (best, k->seconds (&product, &candidate->properties));
  return ends + best;
}

/* Operations per second and multiprocessor on large blocks: less than the kernels that are taken
 * reach in bsr.csv and bsr-patterns.csv from 16 x 16 on. */
static const double BLOCK_FLOPS = 5e12 / 132;

static double launch_seconds (const gpumm_rows_product *s, const gpumm_sparse_kernel *kernel) {
  const gpumm_device_properties *device = &s->pass.device;
  const double known = kernel->seconds ? kernel->seconds (&s->pass.product, device) : INFINITY;
  return isfinite (known) ? known
                          : fmax (s->pairs / PAIR_RATE,
                                  gpumm_compressed_flops (&s->pass, s->pairs) / BLOCK_FLOPS)
                                / device->multiprocessors;
}

/* C is cut into PIECES pieces of block rows, or more if these took too long, but not into smaller
 * ones than the kernel likes. */
static void describe (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                      gpumm_sparse_product *launch) {
  const gpumm_rows_product *s = pass->job->state;
  const gpumm_device_matrix *c = &pass->product.c;
  const int64_t least = gpumm_pieces (kernel->smallest_piece, c->block_rows);
  const int64_t launches = gpumm_launch_count (launch_seconds (s, kernel));
  const int64_t piece = gpumm_pieces (c->rows, launches > PIECES ? launches : PIECES);
  launch->count = piece < least ? gpumm_least (least, c->rows) : piece;
}

/* ---- open --------------------------------------------------------------------------------- */

static void add_reason (struct gpumm_job *job, const gpumm_rows_product *s) {
  const gpumm_problem *p = &job->problem;
  const gpumm_pass *pass = &s->pass;
  const gpumm_device_matrix *c = &pass->product.c;
  const int64_t inner = gpumm_k (p) / gpumm_op_block_cols (&p->a);
  gpumm_blocks_reason (job, s->pairs, (double) c->rows * (double) inner * (double) c->cols);
  const gpumm_sparse_kernel *k = NULL;
  while ((k = gpumm_next_sparse_kernel (job->plan.context->driver, job->plan.algorithm->name,
                                        pass->device.capability, k))) {
    const double seconds = k->seconds ? k->seconds (&pass->product, &pass->device) : INFINITY;
    if (isfinite (seconds))
      gpumm_add_reason (job->report.reason, "; %s takes about %.*g ms", k->name,
                        GPUMM_DIGITS (1e3 * seconds));
  }
}

/* Products of blocks, or words of 32 bits, counted per second and multiprocessor, on an H200 (132
 * of them). */
static const double COUNT_RATE = 1e11 / 132;

static double count_seconds (const gpumm_rows_product *s) {
  const gpumm_sparse_product *p = &s->pass.product;
  const double words = p->b.cols <= GPUMM_MOST_BITS && gpumm_is_integer (p->type_a)
                           ? (double) p->a.stored * (double) gpumm_pieces (p->b.cols, 32)
                           : INFINITY;
  return fmin (s->pairs, words) / (COUNT_RATE * s->pass.device.multiprocessors);
}

static gpumm_status open_bsr (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  if (gpumm_is_bound (p))
    return gpumm_resident_open (job);
  gpumm_status status = gpumm_blocks_check (p);
  if (status)
    return status;
  gpumm_rows_product *s = gpumm_rows_new (job);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->a = p->a;
  s->b = p->b;
  s->is_same = gpumm_is_one_array (p);
  s->pass.product.op_a = p->a.op;
  s->pass.product.op_b = p->b.op;
  gpumm_set_types (&s->pass.product, &p->a, &p->b, p->output);
  status = gpumm_rows_open (s, "product of blocks", describe);
  if (status)
    return status;
  add_reason (job, s);
  return gpumm_rows_count (s, count_seconds (s));
}

/* ---- run ---------------------------------------------------------------------------------- */

/* Can the chosen kernel compute all of C in one launch? */
static int runs_whole (const gpumm_rows_product *s) {
  const gpumm_sparse_kernel *kernel = s->pass.kernel;
  const gpumm_sparse_product *whole = &s->pass.product;
  return kernel->runs (whole, &s->pass.device)
         && (!kernel->workspace
             || kernel->workspace (whole, &s->pass.device) <= whole->workspace_bytes);
}

static gpumm_status run_bsr (struct gpumm_job *job, gpumm_matrix *result) {
  gpumm_rows_product *s = job->state;
  if (gpumm_is_bound (&job->problem))
    return gpumm_resident_run (job, result);
  const int64_t rows = s->pass.product.c.rows, stored_c = s->start[rows];
  if (!gpumm_rows_begin (s, result))
    return GPUMM_OK;
  /* all of C if there is room, else two pieces of C */
  const int64_t room = gpumm_rows_room (s), buffers = stored_c <= room ? INT64_MAX : 2;
  int64_t piece = s->pass.launch.count;
  if (job->trace && (buffers == 2 || !runs_whole (s)))
    return gpumm_fail (GPUMM_TOO_LARGE, "a product with this number of blocks runs in pieces; a "
                                        "traced product must run in one piece");
  if (job->trace)
    piece = rows;
  else if (gpumm_is_float (job->problem.output)) {
    const int64_t least = gpumm_pieces (rows, stored_c * gpumm_rows_bytes (s) / LEAST_BYTES + 1);
    piece = piece < least ? least : piece;
  }
  return gpumm_rows_multiply (s, result, piece, buffers == 2 ? room / 2 : stored_c, buffers,
                              launch_seconds (s, s->pass.kernel));
}

const gpumm_algorithm gpumm_algorithm_bsr_integer = {
    .name = "bsr_integer",
    .summary =
        "integers sparse by blocks: pair by pair if few blocks meet, else as full 8-bit digits",
    .on_device = 1,
    .takes = takes_bsr,
    .seconds = seconds,
    .open = open_bsr,
    .run = run_bsr,
    .close = gpumm_rows_close,
};

const gpumm_algorithm gpumm_algorithm_bsr = {
    .name = "bsr",
    .summary = "floating-point matrices sparse by blocks, on a device",
    .on_device = 1,
    .takes = takes_floats,
    .seconds = seconds,
    .open = open_bsr,
    .run = run_bsr,
    .close = gpumm_rows_close,
};

const gpumm_algorithm gpumm_algorithm_classic = {
    .name = "classic",
    .summary = "blocks of uint16, sums in uint32: one block of threads for each block of C",
    .on_device = 1,
    .takes = takes_classic,
    .open = open_bsr,
    .run = run_bsr,
    .close = gpumm_rows_close,
};
