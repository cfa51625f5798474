/* bsr.c - products of two matrices that are sparse by blocks, on a device.
 *
 * gpumm_open takes the structure of A and B up, where a kernel counts the blocks of each row of C.
 * gpumm_run takes the values up and has C made in pieces of block rows: while one is made, the one
 * before comes down. All of A and B, and of C as much as there is room for, but two pieces at least,
 * are on the device. An operand of floating point that has an op goes up as it is: the kernels
 * transpose it in their workspace.
 *
 * Of the kernels for integers the one with the least estimated seconds is taken, of those for
 * floating point the last that runs and has room. Products of blocks are counted exactly; the rates
 * were measured (bench/results/h200/blocks.csv, bsr.csv) and go by multiprocessors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks.h"
#include "algorithm.h"
#include "integer_end.h"
#include "cancel.h"
#include "error.h"
#include "memory/host.h"
#include "memory/limit.h"
#include "move/streaming.h"
#include "memory/pool.h"
#include "threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* C is cut in so many pieces where it all fits, so that it comes down while it is made. */
static const int64_t PIECES = 8;

/* A launch cannot be called back, so none takes longer than this by the rates below. */
static const double LAUNCH_SECONDS = 0.02;

/* But pieces of floating point are not smaller, as chunks of sparse products are not. */
static const int64_t LEAST_BYTES = 4 << 20;

/* Of what a device has free, for what the driver and libraries take beside. */
static const double USABLE = 0.95;

/* Bytes that the pool may add to a block of memory. */
static const int64_t POOL_ROUNDS = 2 << 20;

/* Work for a thread of the host, in blocks. */
static const int64_t LEAST_BLOCKS = 1 << 15;

/* What lives from gpumm_open to gpumm_close. */
enum { MOST_TAKEN = 12 };

typedef struct {
  const gpumm_driver *driver;
  int device;
  const gpumm_sparse_kernel *kernel;
  void *taken[MOST_TAKEN];
  int count;
  size_t bytes, limit; /* taken, and that may be */
  gpumm_device_properties properties;
  gpumm_sparse_product product;
  int64_t *start; /* of C, on the host */
  int64_t *pairs; /* products of blocks in the rows before each of C's; NULL: not known by rows */
  gpumm_owner memory;
  gpumm_report spent;     /* by gpumm_open's step */
  double flops, products; /* of blocks */
} state;

/* ---- what it takes, and how long ---------------------------------------------------------- */

/* One matrix, not only one memory: of that each operand may have other sizes. */
static int same_blocks (const gpumm_operand *x, const gpumm_operand *y) {
  return x->values == y->values && x->block_start == y->block_start
         && x->block_column == y->block_column && x->rows == y->rows && x->cols == y->cols
         && x->block_rows == y->block_rows && x->block_cols == y->block_cols
         && x->nzmax == y->nzmax;
}

static int64_t stored (const gpumm_operand *x) {
  return x->block_start[x->rows / x->block_rows];
}

static size_t block_bytes (const gpumm_operand *x) {
  return (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (x->type);
}

static int takes (const gpumm_problem *p) {
  return p->a.kind == GPUMM_BLOCKS && p->b.kind == GPUMM_BLOCKS && !p->full
         && gpumm_is_integer (p->a.type) && p->a.type == p->b.type && gpumm_is_integer (p->output)
         && p->op_a == GPUMM_NONE && p->op_b == GPUMM_NONE && p->alpha.re == 1 && p->alpha.im == 0
         && !p->c0;
}

static int takes_floats (const gpumm_problem *p) {
  return p->a.kind == GPUMM_BLOCKS && p->b.kind == GPUMM_BLOCKS && !p->full
         && gpumm_is_float (p->a.type) && gpumm_is_float (p->b.type) && stored (&p->a) <= INT32_MAX
         && stored (&p->b) <= INT32_MAX;
}

/* uint16 in square blocks of 4 or 8, sums in uint32. */
static int is_classic (const gpumm_problem *p) {
  const int64_t m = p->a.block_rows;
  return p->a.type == GPUMM_U16 && p->output == GPUMM_U32 && (m == 4 || m == 8)
         && p->a.block_cols == m && p->b.block_cols == m;
}

static int takes_classic (const gpumm_problem *p) {
  return takes (p) && is_classic (p);
}

/* Over some block columns, the blocks in the row of another matrix. */
typedef struct {
  const int32_t *column;
  const int64_t *start;
  atomic_llong pairs;
} pair_count;

static void count_part (void *context, int64_t begin, int64_t end) {
  pair_count *c = context;
  int64_t pairs = 0;
  for (int64_t t = begin; t < end; t++)
    pairs += c->start[c->column[t] + 1] - c->start[c->column[t]];
  atomic_fetch_add (&c->pairs, pairs);
}

/* Where the block rows of the transpose begin. */
static int64_t *column_starts (const gpumm_operand *x) {
  const int64_t cols = x->cols / x->block_cols;
  int64_t *start = gpumm_allocate (cols + 1, sizeof *start);
  if (!start)
    return NULL;
  for (int64_t t = 0; t < stored (x); t++)
    start[x->block_column[t] + 1]++;
  for (int64_t j = 0; j < cols; j++)
    start[j + 1] += start[j];
  return start;
}

/* Products of blocks: over the inner index, the blocks of that column of op (A) times those of that
 * row of op (B). Of one of them the blocks are gone over; of the other where rows begin will do. */
static gpumm_status count_pairs (const gpumm_problem *p, double *pairs) {
  const int turned_a = p->op_a != GPUMM_NONE, turned_b = p->op_b != GPUMM_NONE;
  const gpumm_operand *over = turned_a ? &p->b : &p->a, *in = turned_a ? &p->a : &p->b;
  int64_t *made = NULL;
  *pairs = 0;
  if (turned_a && !turned_b) {
    for (int64_t k = 0; k < p->a.rows / p->a.block_rows; k++)
      *pairs += (double) (p->a.block_start[k + 1] - p->a.block_start[k])
                * (double) (p->b.block_start[k + 1] - p->b.block_start[k]);
    return GPUMM_OK;
  }
  if (turned_b && !turned_a) {
    made = column_starts (in);
    if (!made)
      return GPUMM_HOST_MEMORY;
  }
  pair_count c = {.column = over->block_column, .start = made ? made : in->block_start};
  gpumm_status status = gpumm_parallel (stored (over), LEAST_BLOCKS, count_part, &c);
  *pairs = (double) atomic_load (&c.pairs);
  gpumm_release (made);
  return status;
}

/* A block row of C has at least as many blocks as the longest of the block rows of op (B) that it sums. */
gpumm_status gpumm_blocks_check_room (const gpumm_problem *p, const gpumm_operand *c,
                                      double pairs) {
  const gpumm_operand *a = &p->a;
  gpumm_operand least = *c;
  least.nzmax = (int64_t) fmin (pairs, 0x1p62);
  if (!gpumm_check_room (&least))
    return GPUMM_OK; /* even if no two products meet in a block */
  int64_t *made = p->op_b != GPUMM_NONE ? column_starts (&p->b) : NULL;
  int64_t *longest = gpumm_allocate (c->rows / c->block_rows, sizeof *longest);
  const int64_t *start = made ? made : p->b.block_start;
  gpumm_status status = GPUMM_HOST_MEMORY;
  if (longest && (made || p->op_b == GPUMM_NONE)) {
    for (int64_t r = 0; r < a->rows / a->block_rows; r++)
      for (int64_t t = a->block_start[r]; t < a->block_start[r + 1]; t++) {
        const int64_t i = p->op_a == GPUMM_NONE ? r : a->block_column[t];
        const int64_t k = p->op_a == GPUMM_NONE ? a->block_column[t] : r;
        if (start[k + 1] - start[k] > longest[i])
          longest[i] = start[k + 1] - start[k];
      }
    least.nzmax = 0;
    for (int64_t i = 0; i < c->rows / c->block_rows; i++)
      least.nzmax += longest[i];
    status = gpumm_check_room (&least);
  }
  gpumm_release (longest);
  gpumm_release (made);
  return status;
}

/* Over some block rows of A, the blocks in B's rows that they meet. */
typedef struct {
  const gpumm_operand *a, *b;
  int64_t *pairs; /* becomes them, of row i in pairs[i + 1] */
} row_count;

static void count_rows (void *context, int64_t begin, int64_t end) {
  const row_count *c = context;
  for (int64_t i = begin; i < end && !gpumm_is_cancelled (); i++)
    for (int64_t t = c->a->block_start[i]; t < c->a->block_start[i + 1]; t++) {
      const int64_t k = c->a->block_column[t];
      c->pairs[i + 1] += c->b->block_start[k + 1] - c->b->block_start[k];
    }
}

/* s->pairs, and their sum: of floating point, where neither operand has an op. */
static gpumm_status count_by_rows (const gpumm_problem *p, state *s, double *pairs) {
  const int64_t rows = s->product.c.rows;
  if (!takes_floats (p) || p->op_a != GPUMM_NONE || p->op_b != GPUMM_NONE)
    return count_pairs (p, pairs);
  s->pairs = gpumm_own (&s->memory, rows + 1, sizeof *s->pairs);
  if (!s->pairs)
    return GPUMM_HOST_MEMORY;
  row_count c = {.a = &p->a, .b = &p->b, .pairs = s->pairs};
  gpumm_status status =
      gpumm_parallel (rows, LEAST_BLOCKS * rows / (stored (&p->a) + 1) + 1, count_rows, &c);
  if (status)
    return status;
  for (int64_t i = 0; i < rows; i++)
    s->pairs[i + 1] += s->pairs[i];
  *pairs = (double) s->pairs[rows];
  return GPUMM_OK;
}

/* The most products that so many block rows of C which follow each other have, of those from begin to
 * end; 0: not known. */
static int64_t most_pairs (const state *s, int64_t begin, int64_t end, int64_t count) {
  int64_t most = 0;
  for (int64_t i = begin; s->pairs && i < end; i++) {
    const int64_t pairs = s->pairs[gpumm_least (i + count, end)] - s->pairs[i];
    most = pairs > most ? pairs : most;
  }
  return most;
}

/* Says in *product how many products its number of rows has at most, of those from begin to end. */
static void tell_pairs (const state *s, gpumm_sparse_product *product, int64_t begin, int64_t end) {
  product->pairs = most_pairs (s, begin, end, product->count);
  product->row_pairs = most_pairs (s, begin, end, 1);
}

/* Multiply-adds a second and multiprocessor. On an H200 (132 of them), at 1.5 % of the blocks of
 * 32768 x 32768 and of 8192 x 8192; slices: full products, three of digits on average. */
static const double STRIPS_RATE = 1.1e12 / 132, SLICES_RATE = 2.2e14 / 132;

/* Seconds that a kernel needs on so many multiprocessors; INFINITY: not known, or it cannot. */
static double kernel_seconds (const char *name, const gpumm_problem *p, double pairs,
                              int multiprocessors) {
  const double element = (double) p->a.block_rows * (double) p->a.block_cols;
  if (!is_classic (p))
    return INFINITY;
  if (strcmp (name, "blocks_strips") == 0)
    return pairs * element * (double) p->b.block_cols / (STRIPS_RATE * multiprocessors);
  if (strcmp (name, "blocks_slices") == 0)
    return (double) p->a.rows * (double) p->a.cols * (double) p->b.cols
           / (SLICES_RATE * multiprocessors);
  return INFINITY;
}

/* Blocks of floating point, on an H200 (bench/results/h200/bsr.csv): products of blocks, and bytes of
 * B's and C's blocks, a second and multiprocessor; and the part of the library's rate for full
 * matrices that products of the largest blocks reach. */
static const double PAIR_RATE = 1.2e10 / 132, BYTE_RATE = 2e12 / 132, LIBRARY_PART = 0.4;

/* Seconds on a device of pairs products that make so many blocks. */
static double float_seconds (const gpumm_problem *p, const gpumm_place *place, double pairs,
                             double blocks) {
  const double m = (double) gpumm_op_block_rows (&p->a, p->op_a),
               k = (double) gpumm_op_block_cols (&p->a, p->op_a),
               n = (double) gpumm_op_block_cols (&p->b, p->op_b);
  const double element = (double) gpumm_type_bytes (p->output);
  const double flops = (gpumm_is_complex (p->output) ? 8 : 2) * pairs * m * k * n;
  const double moving = pairs / PAIR_RATE + element * (pairs * k * n + blocks * m * n) / BYTE_RATE;
  return fmax (moving / place->properties.multiprocessors,
               flops / (LIBRARY_PART * place->flops[p->output]));
}

/* Seconds besides a call, transfers and kernels: checks, memory, small copies, launches. As long as
 * 6400 pairs of blocks take on an H200 (bench/results/h200/blocksparse.csv). */
static const double SETUP = 1e-3;

/* From host to host. */
static double seconds (const gpumm_problem *p, const gpumm_place *place,
                       const struct gpumm_sparse_estimate *estimate) {
  (void) estimate;
  const double rows = (double) (gpumm_m (p) / gpumm_op_block_rows (&p->a, p->op_a)),
               cols = (double) (gpumm_n (p) / gpumm_op_block_cols (&p->b, p->op_b));
  if (rows == 0 || cols == 0)
    return 0;
  const double pairs = gpumm_blocks_pairs (p);
  const double blocks = rows * cols * -expm1 (-pairs / (rows * cols)); /* if spread evenly */
  const double up =
      (double) stored (&p->a) * ((double) block_bytes (&p->a) + 4)
      + (same_blocks (&p->a, &p->b) ? 0
                                    : (double) stored (&p->b) * ((double) block_bytes (&p->b) + 4));
  const double size =
      (double) (gpumm_op_block_rows (&p->a, p->op_a) * gpumm_op_block_cols (&p->b, p->op_b));
  const double down = blocks * ((double) gpumm_type_bytes (p->output) * size + 4);
  const double ends = SETUP + place->call + up / place->upload + down / place->download;
  if (gpumm_is_float (p->output))
    return ends + float_seconds (p, place, pairs, blocks);
  double best = INFINITY;
  for (const gpumm_sparse_kernel *const *row = place->driver->sparse_kernels; *row; row++)
    if ((*row)->capability <= place->properties.capability)
      best =
          fmin (best, kernel_seconds ((*row)->name, p, pairs, place->properties.multiprocessors));
  return ends + best;
}

/* ---- memory ------------------------------------------------------------------------------- */

static gpumm_status take (state *s, size_t bytes, void **p) {
  const size_t rounded = gpumm_pool_rounded (bytes);
  *p = NULL;
  if (s->bytes + rounded > s->limit)
    return gpumm_fail (GPUMM_DEVICE_MEMORY,
                       "a product of blocks needs more than the %zu bytes that it may take",
                       s->limit);
  gpumm_status status = gpumm_pool_take (s->driver, s->device, GPUMM_POOL_DEVICE, bytes, p);
  if (!status) {
    s->taken[s->count++] = *p;
    s->bytes += rounded;
  }
  return status;
}

static gpumm_status find_limit (state *s, const struct gpumm_job *job) {
  size_t unused = 0;
  gpumm_status status = s->driver->properties (s->device, &s->properties);
  if (status)
    return gpumm_fail (status, "%s", s->driver->error_text ());
  const size_t held = gpumm_pool_bytes (s->driver, s->device, GPUMM_POOL_DEVICE, &unused);
  const size_t limit = (size_t) job->options.max_device_memory;
  s->limit = (size_t) (USABLE * (double) s->properties.memory_free) + unused;
  if (limit > 0) {
    if (held > limit)
      gpumm_pool_trim (s->driver, s->device, GPUMM_POOL_DEVICE, 0);
    s->limit = gpumm_least ((int64_t) s->limit, (int64_t) limit);
  }
  return GPUMM_OK;
}

static gpumm_status take_structure (state *s, const gpumm_operand *x, gpumm_rows *on) {
  *on = (gpumm_rows){.rows = x->rows / x->block_rows,
                     .cols = x->cols / x->block_cols,
                     .block_rows = x->block_rows,
                     .block_cols = x->block_cols,
                     .stored = stored (x)};
  void *start, *column;
  gpumm_status status = take (s, (size_t) (on->rows + 1) * sizeof *on->start, &start);
  if (!status)
    status = take (s, (size_t) on->stored * sizeof *on->column, &column);
  if (!status) {
    on->start = start;
    on->column = column;
  }
  return status;
}

/* On the device, where real operands that meet complex ones are complex too. */
static gpumm_type type_there (const gpumm_problem *p, const gpumm_operand *x) {
  return gpumm_is_float (p->output) ? p->output : x->type;
}

static size_t values_there (const gpumm_problem *p, const gpumm_operand *x) {
  return (size_t) (stored (x) * x->block_rows * x->block_cols)
         * gpumm_type_bytes (type_there (p, x));
}

/* ---- steps -------------------------------------------------------------------------------- */

/* A task: the symbolic phase, or a piece of the numeric one. */
typedef struct {
  gpumm_sparse_product product;
  int symbolic;
} task;

static gpumm_status launch (const gpumm_stream_job *job, const void *context, gpumm_part whole,
                            gpumm_stream *stream, char *note) {
  (void) whole;
  const task *t = context;
  const gpumm_sparse_kernel *kernel = job->context;
  gpumm_sparse_product p = t->product;
  p.note = note;
  gpumm_status status = (t->symbolic ? kernel->symbolic : kernel->launch) (job->device, stream, &p);
  return status ? gpumm_fail (status, "kernel %s failed on block rows %lld to %lld: %s",
                              kernel->name, (long long) p.row, (long long) (p.row + p.count),
                              job->driver->error_text ())
                : GPUMM_OK;
}

static gpumm_panel vector (const void *from, void *to, int64_t count, size_t element) {
  return (gpumm_panel){.from = from,
                       .to = to,
                       .rows = count,
                       .cols = 1,
                       .ld_from = count,
                       .ld_to = count,
                       .element = element};
}

static void bring (gpumm_step *step, const void *from, void *to, int64_t count, size_t element) {
  if (count > 0)
    step->up[step->ups++] = vector (from, to, count, element);
}

/* The values of x, element by element where they become complex on the way. */
static void bring_values (gpumm_step *step, const gpumm_problem *p, const gpumm_operand *x,
                          void *to) {
  const int same = type_there (p, x) == x->type;
  const int64_t elements = x->block_rows * x->block_cols;
  bring (step, x->values, to, same ? stored (x) : stored (x) * elements,
         same ? block_bytes (x) : gpumm_type_bytes (x->type));
  if (!same && stored (x) > 0)
    step->up[step->ups - 1].form = GPUMM_REAL;
}

/* ---- kernels ------------------------------------------------------------------------------ */

/* The product with its operands as they lie on the device, count rows of C a launch. */
static gpumm_sparse_product describe (const gpumm_problem *p, const state *s, int64_t count) {
  gpumm_sparse_product product = s->product;
  product.type_a = type_there (p, &p->a);
  product.type_b = type_there (p, &p->b);
  product.type_c = p->output;
  product.op_a = p->op_a;
  product.op_b = p->op_b;
  product.real_a = !gpumm_is_complex (p->a.type);
  product.real_b = !gpumm_is_complex (p->b.type);
  product.alpha = p->alpha;
  product.count = count;
  return product;
}

/* Operations a second and multiprocessor of products of large blocks: less than bsr.csv has. */
static const double BLOCK_FLOPS = 5e12 / 132;

static double launch_seconds (const gpumm_problem *p, const gpumm_sparse_kernel *kernel,
                              const state *s) {
  const int multiprocessors = s->properties.multiprocessors;
  const double known = kernel_seconds (kernel->name, p, s->products, multiprocessors);
  return isfinite (known)
             ? known
             : fmax (s->products / PAIR_RATE, s->flops / BLOCK_FLOPS) / multiprocessors;
}

/* Block rows of C a launch, for a kernel: PIECES of them, more where they would take too long, but
 * none smaller than the kernel likes. */
static int64_t rows_a_piece (const gpumm_problem *p, const gpumm_sparse_kernel *kernel,
                             const state *s, int64_t rows) {
  const int64_t least = gpumm_pieces (kernel->smallest_piece, s->product.c.block_rows);
  const double launches = launch_seconds (p, kernel, s) / LAUNCH_SECONDS;
  const int64_t pieces =
      launches <= (double) PIECES ? PIECES : (int64_t) fmin (launches, (double) rows) + 1;
  const int64_t piece = gpumm_pieces (rows, pieces);
  return piece < least ? gpumm_least (least, rows) : piece;
}

/* Of the algorithm's rows the fastest that runs this and has room: of integers by its seconds, and
 * the first where none's are known; of floating point the last. */
static gpumm_status choose_kernel (struct gpumm_job *job, state *s, double pairs) {
  const gpumm_problem *p = &job->problem;
  gpumm_device_properties left = s->properties, *device = &left;
  const int classic = strcmp (job->plan.algorithm->name, "classic") == 0;
  const int64_t rows = s->product.c.rows;
  const int most = job->options.max_capability;
  size_t values = values_there (p, &p->a);
  if (!same_blocks (&p->a, &p->b))
    values += values_there (p, &p->b);
  left.memory_free = s->bytes + values < s->limit ? (int64_t) (s->limit - s->bytes - values) : 0;
  double best = INFINITY;
  size_t needed = 0;
  /* as for the kernel before, which most often has the same pieces */
  gpumm_sparse_product product = {.count = -1};
  for (const gpumm_sparse_kernel *const *row = s->driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *k = *row;
    if (job->plan.sparse_kernel ? k != job->plan.sparse_kernel
                                : strcmp (k->algorithm, job->plan.algorithm->name) != 0)
      continue;
    if (classic && !job->plan.sparse_kernel && strcmp (k->name, "classic") != 0)
      continue;
    const int64_t count = job->trace ? rows : rows_a_piece (p, k, s, rows);
    if (product.count != count) {
      product = describe (p, s, count);
      tell_pairs (s, &product, 0, rows);
    }
    if (k->capability > device->capability || (most && k->capability > most)
        || !k->runs (&product, device))
      continue;
    const size_t workspace = k->workspace ? k->workspace (&product, device) : 0;
    needed = s->bytes + values + workspace;
    const double expected = kernel_seconds (k->name, p, pairs, device->multiprocessors);
    if (needed <= s->limit && (!s->kernel || expected < best || gpumm_is_float (p->output))) {
      s->kernel = k;
      s->product.workspace_bytes = workspace;
      best = expected;
    }
  }
  if (s->kernel)
    return GPUMM_OK;
  if (needed > 0)
    return gpumm_fail (GPUMM_DEVICE_MEMORY,
                       "a product of blocks needs %zu bytes on the device and may take %zu", needed,
                       s->limit);
  return gpumm_fail (
      GPUMM_UNSUPPORTED, "no kernel of \"%s\" on %s multiplies blocks of these sizes%s",
      job->plan.algorithm->name, device->name, most ? " under the given MaxCapability" : "");
}

static void add_reason (struct gpumm_job *job, const state *s, double pairs) {
  const gpumm_problem *p = &job->problem;
  char *reason = job->report.reason;
  const size_t used = strlen (reason);
  const int64_t inner = gpumm_k (p) / gpumm_op_block_cols (&p->a, p->op_a);
  const double all = (double) s->product.c.rows * (double) inner * (double) s->product.c.cols;
  snprintf (reason + used, sizeof job->report.reason - used,
            "; %.0f products of blocks, %.3g %% of those of full matrices", pairs,
            all > 0 ? 100 * pairs / all : 0.0);
  const size_t now = strlen (reason);
  const int multiprocessors = s->properties.multiprocessors;
  if (is_classic (p) && strcmp (s->kernel->algorithm, "classic") != 0)
    snprintf (reason + now, sizeof job->report.reason - now,
              ": some %.3g ms by those alone, %.3g as full ones",
              1e3 * kernel_seconds ("blocks_strips", p, pairs, multiprocessors),
              1e3 * kernel_seconds ("blocks_slices", p, pairs, multiprocessors));
}

/* ---- open --------------------------------------------------------------------------------- */

/* Products of blocks a second and multiprocessor that are counted, on an H200 (132 of them). */
static const double COUNT_RATE = 1e11 / 132;

/* The symbolic phase: the structures go up, and a kernel counts the blocks of C's rows, in launches
 * that a cancellation can wait for. */
static gpumm_status count_rows_there (struct gpumm_job *job, state *s, int64_t rows) {
  const gpumm_problem *p = &job->problem;
  const gpumm_rows *a = &s->product.a, *b = &s->product.b;
  const double seconds = s->products / (COUNT_RATE * s->properties.multiprocessors);
  const int64_t pieces = (int64_t) fmin (seconds / LAUNCH_SECONDS, (double) rows - 1) + 1;
  const int64_t piece = gpumm_pieces (rows, pieces), count = gpumm_pieces (rows, piece);
  gpumm_step *steps = gpumm_allocate (count, sizeof *steps);
  task *tasks = steps ? gpumm_allocate (count, sizeof *tasks) : NULL;
  if (!tasks) {
    gpumm_release (steps);
    return GPUMM_HOST_MEMORY;
  }
  for (int64_t i = 0; i < count; i++) {
    tasks[i] = (task){describe (p, s, gpumm_least (piece, rows - i * piece)), 1};
    tasks[i].product.row = i * piece;
    tasks[i].product.prepared = i > 0;
    steps[i] = (gpumm_step){.after_launch = -1,
                            .after_download = -1,
                            .task = &tasks[i],
                            .seconds = seconds / (double) count};
  }
  bring (&steps[0], p->a.block_start, a->start, a->rows + 1, sizeof *a->start);
  bring (&steps[0], p->a.block_column, a->column, a->stored, sizeof *a->column);
  if (b->start != a->start) {
    bring (&steps[0], p->b.block_start, b->start, b->rows + 1, sizeof *b->start);
    bring (&steps[0], p->b.block_column, b->column, b->stored, sizeof *b->column);
  }
  steps[count - 1].downs = 1;
  steps[count - 1].down[0] = vector (s->product.c.start + 1, s->start + 1, rows, sizeof *s->start);
  const gpumm_stream_job stream = {.driver = s->driver,
                                   .device = s->device,
                                   .steps = steps,
                                   .count = count,
                                   .launch = launch,
                                   .context = s->kernel};
  gpumm_status status = gpumm_run_steps (&stream, &s->spent);
  gpumm_release (steps);
  gpumm_release (tasks);
  return status;
}

static gpumm_status open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const gpumm_plan *plan = &job->plan;
  void *zero, *start;
  gpumm_status status = gpumm_blocks_check (p);
  if (status)
    return status;
  state *s = job->state = gpumm_allocate (1, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->driver = plan->driver;
  s->device = plan->device;
  const int64_t rows = gpumm_m (p) / job->shape.block_rows,
                cols = gpumm_n (p) / job->shape.block_cols;
  double pairs = 0;
  s->start = gpumm_own (&s->memory, rows + 1, sizeof *s->start);
  if (!s->start)
    return GPUMM_HOST_MEMORY;
  s->product.c = (gpumm_rows){.rows = rows,
                              .cols = cols,
                              .block_rows = job->shape.block_rows,
                              .block_cols = job->shape.block_cols};
  job->shape.nzmax = 0;
  if (gpumm_is_zero (p->alpha)) /* A and B are not read */
    return GPUMM_OK;
  status = count_by_rows (p, s, &pairs);
  if (!status)
    status = gpumm_blocks_check_room (p, &job->shape, pairs);
  if (!status)
    status = find_limit (s, job);
  if (!status)
    status = take_structure (s, &p->a, &s->product.a);
  if (!status && same_blocks (&p->a, &p->b))
    s->product.b = s->product.a;
  else if (!status)
    status = take_structure (s, &p->b, &s->product.b);
  if (!status)
    status = take (s, (size_t) (rows + 1) * sizeof *s->start, &start);
  if (!status)
    status = take (s, sizeof *s->product.zero, &zero);
  if (status)
    return status;
  s->product.c.start = start;
  s->product.zero = zero;
  s->products = pairs;
  s->flops = 2.0 * (gpumm_is_complex (p->a.type) ? 2 : 1) * (gpumm_is_complex (p->b.type) ? 2 : 1)
             * pairs * (double) (p->a.block_rows * p->a.block_cols)
             * (double) job->shape.block_cols;
  status = choose_kernel (job, s, pairs);
  if (!status && s->product.workspace_bytes > 0)
    status = take (s, s->product.workspace_bytes, &s->product.workspace);
  if (status)
    return status;
  add_reason (job, s, pairs);
  if (rows == 0 || cols == 0)
    return GPUMM_OK;
  status = count_rows_there (job, s, rows);
  for (int64_t i = 0; i < rows && !status; i++)
    s->start[i + 1] += s->start[i];
  if (!status)
    job->shape.nzmax = s->start[rows];
  return status;
}

/* ---- run ---------------------------------------------------------------------------------- */

/* Block rows of C that are made at a time, the last of a buffer's, and where they are. */
typedef struct {
  int64_t *end;  /* of each piece, in block rows */
  int64_t count; /* of pieces */
  int64_t most;  /* blocks in one */
} pieces;

/* Cuts C so that a piece has at most so many block rows and, but for single rows, blocks. */
static gpumm_status cut (const state *s, int64_t rows, int64_t most_rows, int64_t most_blocks,
                         pieces *p) {
  p->end = gpumm_allocate (rows, sizeof *p->end);
  if (!p->end)
    return GPUMM_HOST_MEMORY;
  int64_t row = 0;
  while (row < rows) {
    int64_t end = row + 1;
    while (end < rows && end - row < most_rows && s->start[end + 1] - s->start[row] <= most_blocks)
      end++;
    if (s->start[end] - s->start[row] > p->most)
      p->most = s->start[end] - s->start[row];
    p->end[p->count++] = end;
    row = end;
  }
  return GPUMM_OK;
}

/* Leaves out what is all zero, row by row. */
typedef struct {
  const state *s;
  gpumm_operand *c;
} zero_drop;

static void drop_zeros (void *context, int64_t begin, int64_t end) {
  const zero_drop *d = context;
  const gpumm_operand *c = d->c;
  const int64_t elements = c->block_rows * c->block_cols;
  const size_t bytes = block_bytes (c);
  for (int64_t i = begin; i < end && !gpumm_is_cancelled (); i++) {
    int64_t out = d->s->start[i];
    for (int64_t t = d->s->start[i]; t < d->s->start[i + 1]; t++) {
      const char *from = (const char *) c->values + (size_t) t * bytes;
      if (!gpumm_blocks_any (c->type, from, elements))
        continue;
      if (out < t) {
        memmove ((char *) c->values + (size_t) out * bytes, from, bytes);
        c->block_column[out] = c->block_column[t];
      }
      out++;
    }
    c->block_start[i + 1] = out - d->s->start[i];
  }
}

/* The whole product once more, which a trace counts. */
static gpumm_status launch_again (const struct gpumm_job *job, const void *product,
                                  gpumm_stream *stream) {
  const state *s = job->state;
  char note[sizeof job->report.kernel] = "";
  gpumm_sparse_product p = *(const gpumm_sparse_product *) product;
  p.note = note;
  return s->kernel->launch (s->device, stream, &p);
}

static gpumm_status run_pieces (struct gpumm_job *job, state *s, gpumm_operand *result,
                                const pieces *cuts, int64_t buffers, void *values, void *columns,
                                int32_t *zero) {
  const gpumm_problem *p = &job->problem;
  const size_t bytes = block_bytes (result);
  const int64_t stored_c = s->start[s->product.c.rows];
  gpumm_status status = GPUMM_OK;
  gpumm_step *steps = gpumm_allocate (cuts->count + 1, sizeof *steps);
  task *tasks = steps ? gpumm_allocate (cuts->count, sizeof *tasks) : NULL;
  if (!tasks)
    status = GPUMM_HOST_MEMORY;
  static const int32_t none = 0;
  int64_t row = 0;
  for (int64_t i = 0; i < cuts->count && !status; i++) {
    gpumm_step *step = &steps[i];
    *step = (gpumm_step){.after_launch = -1,
                         .after_download = i >= buffers ? i - buffers : -1,
                         .task = &tasks[i],
                         .downs = 2};
    step->seconds = launch_seconds (p, s->kernel, s) * (double) (cuts->end[i] - row)
                    / (double) s->product.c.rows;
    if (i == 0) {
      bring_values (step, p, &p->a, s->product.a.values);
      if (s->product.b.values != s->product.a.values)
        bring_values (step, p, &p->b, s->product.b.values);
      bring (step, s->start, s->product.c.start, s->product.c.rows + 1, sizeof *s->start);
      bring (step, &none, s->product.zero, 1, sizeof none);
    }
    /* with two buffers, where C's block 0 would be: only those of the piece are written */
    const int64_t first = s->start[row], count = s->start[cuts->end[i]] - first;
    const int64_t at = buffers < cuts->count ? i % buffers * cuts->most : first;
    task *t = &tasks[i];
    t->symbolic = 0;
    t->product = describe (p, s, cuts->end[i] - row);
    t->product.row = row;
    tell_pairs (s, &t->product, row, cuts->end[i]);
    t->product.prepared = i > 0;
    t->product.c.values =
        (void *) ((uintptr_t) values + (uintptr_t) at * bytes - (uintptr_t) first * bytes);
    t->product.c.column = (int32_t *) ((uintptr_t) columns + (uintptr_t) at * sizeof (int32_t)
                                       - (uintptr_t) first * sizeof (int32_t));
    t->product.c.stored = count;
    step->down[0] = vector ((char *) values + (size_t) at * bytes,
                            (char *) result->values + (size_t) first * bytes, count, bytes);
    step->down[1] =
        vector ((int32_t *) columns + at, result->block_column + first, count, sizeof (int32_t));
    row = cuts->end[i];
  }
  if (!status) {
    steps[cuts->count] = (gpumm_step){.after_launch = -1, .after_download = -1, .downs = 1};
    steps[cuts->count].down[0] = vector (s->product.zero, zero, 1, sizeof *zero);
    const gpumm_stream_job stream = {
        .driver = s->driver,
        .device = s->device,
        .steps = steps,
        .count = cuts->count + 1,
        .launch = launch,
        .context = s->kernel,
        .waits = s->kernel->waits,
        .fresh = {{result->values, (size_t) stored_c * bytes},
                  {result->block_column, (size_t) stored_c * sizeof (int32_t)}}};
    gpumm_launches before;
    if (job->trace)
      status = gpumm_trace_launches (job, &before);
    if (!status)
      status = gpumm_run_steps (&stream, &job->report);
    if (!status && job->trace)
      status = gpumm_trace_launches (job, &job->trace->launched);
  }
  if (!status && job->trace && job->count) {
    void *const memory[] = {s->product.a.values, s->product.b.values, values, s->product.workspace};
    status = gpumm_trace_count (job, launch_again, &tasks[0].product, memory);
  }
  gpumm_release (steps);
  gpumm_release (tasks);
  return status;
}

static gpumm_status run (struct gpumm_job *job, gpumm_operand *result) {
  const gpumm_problem *p = &job->problem;
  state *s = job->state;
  gpumm_report *report = &job->report;
  const int64_t rows = s->product.c.rows, stored_c = s->start[rows];
  const size_t bytes = block_bytes (result);
  pieces cuts = {0};
  void *values = NULL, *columns = NULL;
  int32_t zero = 0;
  gpumm_status status;
  if (s->kernel)
    snprintf (report->kernel, sizeof report->kernel, "%s", s->kernel->name);
  report->flops = s->flops;
  report->upload += s->spent.upload;
  report->compute += s->spent.compute;
  report->download += s->spent.download;
  report->bytes_up += s->spent.bytes_up;
  report->bytes_down += s->spent.bytes_down;
  if (stored_c == 0) {
    memset (result->block_start, 0, (size_t) (rows + 1) * sizeof *result->block_start);
    if (job->trace) /* nothing is launched, which counts 0 where there is counting at all */
      job->trace->counted = job->count && s->driver->counts;
    return GPUMM_OK;
  }
  status = take (s, values_there (p, &p->a), &s->product.a.values);
  if (!status && same_blocks (&p->a, &p->b) && !job->trace) /* which counts A and B apart */
    s->product.b.values = s->product.a.values;
  else if (!status)
    status = take (s, values_there (p, &p->b), &s->product.b.values);
  if (status)
    return status;
  /* all of C where there is room, else two pieces of it; the pool rounds up what it gives */
  const int64_t each = (int64_t) (bytes + sizeof (int32_t));
  const int64_t room = ((int64_t) (s->limit - s->bytes) - 2 * POOL_ROUNDS) / each;
  const int64_t buffers = stored_c <= room ? INT64_MAX : 2;
  int64_t piece = rows_a_piece (p, s->kernel, s, rows);
  if (job->trace) {
    gpumm_sparse_product whole = describe (p, s, rows);
    tell_pairs (s, &whole, 0, rows);
    if (buffers == 2 || !s->kernel->runs (&whole, &s->properties)
        || (s->kernel->workspace
            && s->kernel->workspace (&whole, &s->properties) > s->product.workspace_bytes))
      return gpumm_fail (GPUMM_TOO_LARGE, "a product with this number of blocks runs in pieces; a "
                                          "traced product must run in one piece");
    piece = rows;
  } else if (gpumm_is_float (p->output)) {
    const int64_t least = gpumm_pieces (rows, stored_c * each / LEAST_BYTES + 1);
    piece = piece < least ? least : piece;
  }
  status = cut (s, rows, piece, buffers == 2 ? room / 2 : stored_c, &cuts);
  const int64_t blocks = buffers == 2 && cuts.count > 2 ? 2 * cuts.most : stored_c;
  if (!status)
    status = take (s, (size_t) blocks * bytes, &values);
  if (!status)
    status = take (s, (size_t) blocks * sizeof (int32_t), &columns);
  if (!status)
    status = run_pieces (job, s, result, &cuts, buffers, values, columns, &zero);
  gpumm_release (cuts.end);
  if (status)
    return status;
  memcpy (result->block_start, s->start, (size_t) (rows + 1) * sizeof *s->start);
  if (zero) {
    zero_drop d = {.s = s, .c = result};
    status = gpumm_parallel (rows, LEAST_BLOCKS * rows / (stored_c + 1) + 1, drop_zeros, &d);
    if (status)
      return status;
    gpumm_blocks_close_gaps (result, s->start);
  }
  return GPUMM_OK;
}

static void close_state (struct gpumm_job *job) {
  state *s = job->state;
  if (!s)
    return;
  for (int i = 0; i < s->count; i++)
    gpumm_pool_give (s->driver, s->device, GPUMM_POOL_DEVICE, s->taken[i]);
  gpumm_pool_trim (s->driver, s->device, GPUMM_POOL_DEVICE, (size_t) job->plan.keep_bytes);
  gpumm_release_owned (&s->memory);
  gpumm_release (s);
  job->state = NULL;
}

const gpumm_algorithm gpumm_algorithm_blocks_integer = {
    .name = "blocks_integer",
    .summary = "integer matrices sparse by blocks: few by what meets, many as full ones in 8 bits",
    .on_device = 1,
    .takes = takes,
    .seconds = seconds,
    .open = open,
    .run = run,
    .close = close_state,
};

const gpumm_algorithm gpumm_algorithm_bsr = {
    .name = "bsr",
    .summary = "matrices of floating point sparse by blocks, on a device",
    .on_device = 1,
    .takes = takes_floats,
    .seconds = seconds,
    .open = open,
    .run = run,
    .close = close_state,
};

const gpumm_algorithm gpumm_algorithm_classic = {
    .name = "classic",
    .summary = "blocks of uint16 by uint16 in uint32, a thread block a block of C",
    .on_device = 1,
    .takes = takes_classic,
    .open = open,
    .run = run,
    .close = close_state,
};
