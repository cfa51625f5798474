/* sparse.c - products with a sparse operand, on the CPU.
 *
 * sparse x sparse   Gustavson's product by columns of C, in two phases: gpumm_open counts the
 *                   pattern of C exactly, gpumm_run computes. If op transposes, a bucket transpose,
 *                   O(nnz + rows + columns), gives the columns of op (X). Adjacent columns with the
 *                   same rows (3 x 3 blocks of elasticity) are treated as one. If both operands
 *                   consist of full square blocks (natural.h), blocks take the place of elements.
 * sparse x full    C in panels of a few columns. A panel of op (B) is packed by rows, so each
 *                   element of A, read once per panel, meets contiguous values. An A in natural
 *                   blocks is read by blocks.
 * full x sparse    the same code, as C' = op (B)' op (A)': panels are rows of op (A) and C. Full
 *                   operands are transposed only panel by panel. If op (B) is B, an element of C is
 *                   one sum, and with few rows nothing is packed: the rows are contiguous in a
 *                   column of A, and their sums go straight to a column of C.
 *
 * Only stored elements multiply, as in Octave: Inf or NaN times an element that is not stored gives
 * nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse.h"
#include "algorithm.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/processors.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/types.h"
#include "compressed.h"
#include "elements.h"
#include "memory/host.h"
#include "natural.h"
#include "pattern.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Columns of a panel: a power of two. Eight doubles are a cache line. */
enum { WIDEST = 8 };

/* The fewest columns of a full operand for which natural blocks of the sparse one pay for finding
 * them, and of a panel, which needs whole vectors. For a mesh in blocks of 2 to 8, 0.4 to 2.4
 * million elements, on two cores with AVX-512, 16 columns then take 0.60 to 0.83 of the time, 64
 * columns 0.37 to 0.64. */
enum { LEAST_NATURAL_COLUMNS = 16, LEAST_NATURAL_WIDTH = 4 };

/* For Y = S.' X with contiguous columns, as in full times sparse: sum MOST_BESIDE columns at once
 * (FEW_BESIDE without vectors), ROWS_AT_ONCE rows per group of columns, so that they stay in the
 * cache. With more than MOST_UNPACKED columns and LEAST_REUSE elements per row of X, X is packed:
 * measured on two cores with AVX-512, packing takes 1.0 to 1.2 times as long at 24 to 64 columns,
 * 0.9 at 200, half at 1000. */
enum { MOST_BESIDE = 16, FEW_BESIDE = 4, ROWS_AT_ONCE = 32, MOST_UNPACKED = 64, LEAST_REUSE = 4 };

/* For Y = S X a row of a panel of Y is fetched PREFETCHED elements ahead, if it has
 * LEAST_PREFETCHED bytes: with 200,000 random rows a panel of 8 columns takes 17 ms instead of 47
 * (EPYC, one thread), one of 4 columns 10 instead of 12. */
enum { PREFETCHED = 16, LEAST_PREFETCHED = 32 };

/* Short lines after which a thread adds to the progress. */
enum { SHORT_LINES = 256 };

/* How work is cut for threads. */
static const struct {
  double least_flops;        /* of a piece; for fewer a thread costs more than it saves */
  int64_t least_products;    /* the same, sparse by sparse: each takes about 20 ns in both phases */
  int64_t pieces_per_thread; /* so that uneven pieces balance */
  int64_t full_column;       /* a column with up to this many rows per nonzero is scanned whole */
} cutting = {2e5, 1 << 14, 4, 8};

/* ---- operands ----------------------------------------------------------------------------- */

/* What lives from gpumm_open to gpumm_close. In natural blocks of b x b, rows, columns and what is
 * stored of a matrix are counted in blocks, whose elements lie where plain columns have them:
 * element (r,k) of the u-th block of column j, which has count blocks, at start[j] b^2 + (k count +
 * u) b + r. */
typedef struct {
  gpumm_pattern pattern; /* both sparse: x is op (B), y is op (A), in natural blocks if both are */
  gpumm_matrix sparse;   /* else the sparse one, as it is stored */
  gpumm_matrix blocks;   /* and in natural blocks, if the size of these is not 1 */
  int64_t natural;       /* this size */
  char suffix[8];        /* "_3x3", of the kernel's name, or "" */
  gpumm_owner *memory;   /* the job's */
} state;

/* x as stored; logical elements become doubles. */
static gpumm_status as_stored (gpumm_owner *memory, const gpumm_matrix *x, gpumm_matrix *out) {
  *out = *x;
  out->nzmax = x->start[x->cols];
  if (x->type != GPUMM_B)
    return GPUMM_OK;
  const unsigned char *from = x->values;
  double *to = out->values = gpumm_own (memory, out->nzmax, sizeof *to);
  if (!to)
    return GPUMM_HOST_MEMORY;
  for (int64_t t = 0; t < out->nzmax && !gpumm_is_cancelled_at (t); t++)
    to[t] = from[t];
  out->type = GPUMM_D;
  return gpumm_check_cancelled ();
}

gpumm_status gpumm_sparse_by_columns (gpumm_owner *memory, const gpumm_matrix *x,
                                      gpumm_matrix *out) {
  const gpumm_op op = x->op;
  gpumm_status status = as_stored (memory, x, out);
  if (status || op == GPUMM_NONE)
    return status;
  status = gpumm_transpose_lines (memory, out, 1, out);
  if (status)
    return status;
  double *parts = out->values;
  if (op == GPUMM_CTRANSPOSE && out->type == GPUMM_Z)
    for (int64_t t = 0; t < out->nzmax && !gpumm_is_cancelled_at (t); t++)
      parts[2 * t + 1] = -parts[2 * t + 1];
  return gpumm_check_cancelled ();
}

/* Uses blocks instead of elements if both operands consist of blocks. */
static gpumm_status find_natural (state *s, const gpumm_problem *p) {
  const int64_t b = gpumm_natural_size (p);
  gpumm_matrix *x = &s->pattern.x, *y = &s->pattern.y, left, right;
  if (b == 0)
    return GPUMM_OK;
  gpumm_status status = gpumm_as_natural (s->memory, y, b, &left);
  if (status || !left.start)
    return status;
  right = left;
  right.values = x->values;
  right.type = x->type;
  if (!gpumm_is_same_pattern (x, y))
    status = gpumm_as_natural (s->memory, x, b, &right);
  if (status || !right.start)
    return status;
  s->natural = b;
  *x = right;
  *y = left;
  return GPUMM_OK;
}

/* Panels of a full operand: the number of its columns (rows if it is on the left), the threads
 * worth using for them, and the largest panel width that still gives each thread a panel. */
typedef struct {
  int64_t count, width, threads;
} panel_shape;

static panel_shape choose_panels (const gpumm_problem *p, int threads) {
  const int left = p->a.format == GPUMM_SPARSE;
  const gpumm_matrix *sparse = left ? &p->a : &p->b;
  const int64_t count = left ? gpumm_n (p) : gpumm_m (p);
  const double work = (double) sparse->start[sparse->cols] + (double) gpumm_k (p)
                      + (double) (left ? gpumm_m (p) : gpumm_n (p));
  const double worth = (double) count * work / cutting.least_flops;
  panel_shape c = {count, 1, worth < 2 ? 1 : (int64_t) fmin (worth, threads)};
  while (c.width < WIDEST && c.width * c.threads < count)
    c.width *= 2;
  return c;
}

/* Makes s->blocks of s->sparse, if that consists of blocks and the full operand has enough columns
 * of double to use vectors. Not if elements of the product are single sums, which gain little. */
static gpumm_status find_natural_beside (state *s, const gpumm_problem *p) {
  const int left = p->a.format == GPUMM_SPARSE;
  const int gather = left == ((left ? p->a.op : p->b.op) != GPUMM_NONE);
  const panel_shape shape = choose_panels (p, gpumm_threads ());
  if (gather || p->output != GPUMM_D || shape.count < LEAST_NATURAL_COLUMNS
      || shape.width < LEAST_NATURAL_WIDTH)
    return GPUMM_OK;
  const int64_t b = gpumm_largest_size (gpumm_natural_sizes (left ? &p->a : &p->b));
  if (b == 0)
    return GPUMM_OK;
  gpumm_status status = gpumm_as_natural (s->memory, &s->sparse, b, &s->blocks);
  if (!status && s->blocks.start)
    s->natural = b;
  return status;
}

/* C = alpha A B of two sparse operands. */
typedef struct {
  const gpumm_pattern *pattern;
  gpumm_matrix *c;
  gpumm_scalar alpha;
} gustavson;

/* ---- one full operand: Y = S X or S.' X by panels of columns ------------------------------ */

typedef struct {
  gpumm_matrix s;
  gpumm_matrix blocks; /* s in natural blocks of natural x natural; natural = 0: unused */
  int64_t natural;
  int gather; /* Y = S.' X, sums go straight to C; else Y = S X */
  int conj_s, conj_x;
  int64_t inner, outer, count; /* X is inner x count, Y and C are outer x count */
  int64_t width;               /* columns of a panel */
  int64_t parts;               /* of the rows of a panel of Y, each for a thread */
  int direct;   /* a panel of X lies in the operand as it is needed, and is not packed */
  int in_place; /* and one of Y in C: a column without factors */
  /* the rows of X that meet an element of S; NULL: all */
  const int64_t *used;
  int64_t used_count;
  /* elements from one to the next, down and across the columns of X, C and C0 */
  gpumm_type x_type, c_type;
  const void *x;
  int64_t x_down, x_across;
  void *c;
  int64_t c_down, c_across;
  const void *c0; /* NULL if beta is 0 */
  int64_t c0_down, c0_across;
  gpumm_scalar alpha, beta;
  atomic_int failed; /* a thread had no memory */
} panels;

/* ---- the loops, for each pair of element types -------------------------------------------- */

/* Explicit vectors: compilers find none in blocks, and poor ones in columns. */
typedef double four __attribute__ ((vector_size (32), may_alias));
typedef double four_anywhere __attribute__ ((vector_size (32), may_alias, aligned (8)));

#define A d
#define B d
#define VECTORS
#include "sparse_kernels.h"
#define A d
#define B z
#include "sparse_kernels.h"
#define A z
#define B d
#include "sparse_kernels.h"
#define A z
#define B z
#include "sparse_kernels.h"

/* Indexed by: is the first operand complex? and the second? */
#define LOOPS(pair)                                                                                \
  { gustavson_##pair, natural_##pair, panels_##pair }
static const struct {
  gpumm_lines_function *gustavson, *natural;
  void (*panels) (const panels *d, int64_t begin, int64_t end, void *x, void *y);
} loops[2][2] = {{LOOPS (dd), LOOPS (dz)}, {LOOPS (zd), LOOPS (zz)}};

/* ---- sparse x sparse ---------------------------------------------------------------------- */

static gpumm_status count (struct gpumm_job *job, state *s) {
  const gpumm_problem *p = &job->problem;
  gpumm_pattern *pattern = &s->pattern;
  gpumm_status status = gpumm_sparse_by_columns (s->memory, &p->a, &pattern->y);
  if (!status)
    status = gpumm_sparse_by_columns (s->memory, &p->b, &pattern->x);
  if (!status)
    status = find_natural (s, p);
  pattern->size = s->natural;
  pattern->least = cutting.least_products;
  return status ? status : gpumm_count_pattern (s->memory, pattern, &job->shape);
}

static gpumm_status run_sparse_sparse (struct gpumm_job *job, state *s, gpumm_matrix *c) {
  snprintf (job->report.kernel, sizeof job->report.kernel, "gustavson%s", s->suffix);
  if (gpumm_is_zero (job->problem.alpha)) {
    memset (c->start, 0, (size_t) (c->cols + 1) * sizeof *c->start);
    return GPUMM_OK;
  }
  const gpumm_pattern *p = &s->pattern;
  const int64_t size = s->natural; /* sums are those of all rows, or of the blocks of a column */
  const int64_t sums = size > 1 ? p->longest * size * ((size + 3) / 4 * 4) : c->rows;
  const gustavson g = {p, c, job->problem.alpha};
  const int complex_a = p->y.type == GPUMM_Z, complex_b = p->x.type == GPUMM_Z;
  job->report.flops =
      p->products * (double) (size * size * size) * gpumm_flops_each (&job->problem);
  return gpumm_compute_lines (
      p, size > 1 ? loops[complex_a][complex_b].natural : loops[complex_a][complex_b].gustavson, &g,
      sums, gpumm_type_bytes (c->type), c);
}

/* ---- one full operand, continued --------------------------------------------------------- */

static void multiply_panels (void *context, int64_t begin, int64_t end) {
  panels *d = context;
  const int64_t inner = d->direct ? 0 : d->inner;
  void *x = gpumm_allocate (inner, (size_t) d->width * gpumm_type_bytes (d->x_type));
  void *y = gpumm_allocate (d->gather || d->in_place ? 0 : d->outer,
                            (size_t) d->width * gpumm_type_bytes (d->c_type));
  if (x && y)
    loops[d->s.type == GPUMM_Z][d->x_type == GPUMM_Z].panels (d, begin, end, x, y);
  else
    atomic_store (&d->failed, 1);
  gpumm_release (x);
  gpumm_release (y);
}

/* If S has fewer elements than X has rows: collect the rows that matter and skip the others. */
static gpumm_status list_used (state *s, panels *d) {
  const int64_t nnz = d->s.start[d->s.cols];
  if (nnz >= d->inner)
    return GPUMM_OK;
  rowset rows;
  int64_t *used = gpumm_own (s->memory, nnz, sizeof *used);
  if (!used || rowset_create (&rows, d->inner))
    return GPUMM_HOST_MEMORY;
  for (int64_t j = 0; j < d->s.cols; j++)
    for (int64_t t = d->s.start[j]; t < d->s.start[j + 1]; t++)
      rowset_add (&rows, d->gather ? d->s.row[t] : j);
  d->used = used;
  d->used_count = rowset_drain (&rows, used) - used;
  rowset_destroy (&rows);
  return GPUMM_OK;
}

static int64_t most_pieces (void) {
  return gpumm_threads () * cutting.pieces_per_thread;
}

/* For a real S, a complex X is the same as twice as many real columns. */
static void parts_as_columns (panels *d) {
  d->x_type = d->c_type = GPUMM_D;
  d->count *= 2;
  d->x_down *= 2;
  d->c_down *= 2;
  d->c0_down *= 2;
}

/* Chooses how wide panels are, and whether and of which rows they are packed; adds to *work, that
 * of a column. */
static gpumm_status shape_panels (state *s, panels *d, double *work) {
  const double nnz = (double) d->s.start[d->s.cols];
  const int conjugates = d->conj_x && d->x_type == GPUMM_Z;
  const int beside = d->gather && d->c_across == 1 && d->c0_across == 1;
  const int as_they_lie = beside && d->x_across == 1 && !conjugates;
  if (as_they_lie && d->s.type == GPUMM_D && d->x_type == GPUMM_Z && d->alpha.im == 0
      && d->beta.im == 0)
    parts_as_columns (d);
  *work += nnz;
  if (as_they_lie && (d->count <= MOST_UNPACKED || nnz < LEAST_REUSE * (double) d->inner)) {
    const int64_t groups = gpumm_pieces (most_pieces (), d->outer); /* of columns */
    d->width = gpumm_pieces (gpumm_pieces (d->count, groups), MOST_BESIDE) * MOST_BESIDE;
    d->direct = 1;
    return GPUMM_OK;
  }
  if (beside && d->width == WIDEST && MOST_BESIDE * gpumm_threads () <= d->count)
    d->width = MOST_BESIDE;
  d->direct = d->width == 1 && d->x_down == 1 && !conjugates;
  const gpumm_status status = list_used (s, d);
  *work += (double) (d->used ? d->used_count : d->inner);
  return status;
}

static gpumm_status run_one_full (struct gpumm_job *job, state *s, gpumm_matrix *c) {
  const gpumm_problem *p = &job->problem;
  const int first = p->a.format == GPUMM_SPARSE; /* else C.' = op (B).' op (A).' */
  const gpumm_matrix *full = first ? &p->b : &p->a;
  const gpumm_op op_s = first ? p->a.op : p->b.op, op_x = first ? p->b.op : p->a.op;
  const int by_columns = (op_x == GPUMM_NONE) == first; /* as the operand has */
  const gpumm_matrix *c0 = p->c0;
  panels d = {.s = s->sparse,
              .gather = (op_s != GPUMM_NONE) == first,
              .conj_s = op_s == GPUMM_CTRANSPOSE,
              .conj_x = op_x == GPUMM_CTRANSPOSE,
              .inner = gpumm_k (p),
              .outer = first ? c->rows : c->cols,
              .count = first ? c->cols : c->rows,
              .x_type = full->type,
              .c_type = c->type,
              .x = full->values,
              .x_down = by_columns ? 1 : full->ld,
              .x_across = by_columns ? full->ld : 1,
              .c = c->values,
              .c_down = first ? 1 : c->ld,
              .c_across = first ? c->ld : 1,
              .c0 = c0 ? c0->values : NULL,
              .c0_down = !c0 || first ? 1 : c0->ld,
              .c0_across = c0 && first ? c0->ld : 1,
              .alpha = p->alpha,
              .beta = p->beta};
  snprintf (job->report.kernel, sizeof job->report.kernel, "%s%s",
            first ? "sparse_full" : "full_sparse", s->suffix);
  if (d.outer == 0 || d.count == 0)
    return GPUMM_OK;
  if (d.count == 1)
    d.x_across = d.c_across = d.c0_across = 1; /* any value will do */
  d.width = choose_panels (p, gpumm_threads ()).width;
  double work = (double) d.outer; /* of a column */
  if (gpumm_is_zero (p->alpha))
    d.inner = d.gather = 0; /* S and X are not read; C = beta C0 */
  else {
    job->report.flops = (double) d.s.start[d.s.cols] * (double) d.count * gpumm_flops_each (p);
    const gpumm_status status = shape_panels (s, &d, &work);
    if (status)
      return status;
  }
  d.in_place =
      !d.gather && d.width == 1 && d.c_down == 1 && !d.c0 && p->alpha.re == 1 && p->alpha.im == 0;
  if (s->natural > 1) {
    d.natural = s->natural;
    d.blocks = s->blocks;
  }
  const int64_t count =
      gpumm_pieces (d.count, d.width); /* with few panels threads also share rows */
  d.parts = d.direct && d.gather ? gpumm_least (gpumm_pieces (most_pieces (), count), d.outer) : 1;
  const double task = work * (double) gpumm_least (d.width, d.count) / (double) d.parts;
  gpumm_progress_of ((double) d.count * (double) d.outer);
  gpumm_status status = gpumm_parallel (count * d.parts, (int64_t) (cutting.least_flops / task) + 1,
                                        multiply_panels, &d);
  if (status)
    return status;
  if (atomic_load (&d.failed))
    return gpumm_fail (GPUMM_HOST_MEMORY,
                       "out of host memory: cannot allocate panels of %lld and %lld rows by %lld",
                       (long long) d.inner, (long long) d.outer, (long long) d.width);
  return GPUMM_OK;
}

/* ---- estimates ---------------------------------------------------------------------------- */

/* Seconds measured on the 16 cores of an H200 host: random matrices, n = 1000 to 1,000,000 with 8
 * to 64 elements per column, full operands of 1 to 256 columns (bench/results/h200/sparse.csv), and
 * meshes of 375 to 100,000 rows (natural.csv). Sparse by sparse, per thread: PRODUCT per
 * multiplication, ELEMENT per element of C (first touch, cache misses); SHARING to share work. By
 * panels: READ per element of the sparse operand, COLUMN for each column of the panel; SUM per
 * element if a row of C is one sum. Rows side by side: BESIDE per element, ROW for each row, twice
 * that beyond the third-level cache; TOUCH per byte of C. PARTNERS + 1 threads on panels take twice
 * as long as one, because they share the memory.
 *
 * If C fills up, multiplications dominate: 1.6 to 3.2 ns each, twice that in complex, at n = 200 to
 * 2000, 20 to 70 % full, on two cores of a Xeon (xeon/filled.csv). */
static const double PRODUCT_SECONDS = 2e-9, ELEMENT_SECONDS = 35e-9, SHARING_SECONDS = 0.15e-3,
                    READ_SECONDS = 1e-9, COLUMN_SECONDS = 0.4e-9, SUM_SECONDS = 10e-9,
                    BESIDE_SECONDS = 5e-9, ROW_SECONDS = 0.7e-9, TOUCH_SECONDS = 0.044e-9,
                    CACHE_BYTES = 128e6, PARTNERS = 4;

/* The same in natural blocks of 2 to 8: per product of two blocks, per multiplication in it, and
 * per element of C. */
static const double PAIR_SECONDS = 12e-9, MULTIPLY_SECONDS = 0.05e-9, NATURAL_SECONDS = 10e-9;

static double seconds_one_full (const gpumm_problem *p, int threads_here) {
  const int left = p->a.format == GPUMM_SPARSE;
  const gpumm_matrix *s = left ? &p->a : &p->b;
  const double stored = (double) s->start[s->cols];
  const int gather = left == ((left ? p->a.op : p->b.op) != GPUMM_NONE);
  const panel_shape shape = choose_panels (p, threads_here);
  if (shape.count == 0)
    return 0;
  if (!left && p->a.op == GPUMM_NONE && p->b.op == GPUMM_NONE
      && (shape.count <= MOST_UNPACKED || stored < LEAST_REUSE * (double) gpumm_k (p))) {
    const double rows = (double) shape.count * (p->a.type == GPUMM_Z ? 2 : 1);
    const double beyond = fmax (0, 1 - CACHE_BYTES / (8 * rows * (double) gpumm_k (p)));
    const double c =
        (double) shape.count * (double) gpumm_n (p) * (double) gpumm_type_bytes (p->output);
    return SHARING_SECONDS + c * TOUCH_SECONDS
           + stored * (BESIDE_SECONDS + rows * ROW_SECONDS * (1 + beyond))
                 / fmin (threads_here, 1 + stored * rows / cutting.least_flops);
  }
  if (shape.count == 1 && gather)
    return stored * SUM_SECONDS / fmin (threads_here, 1 + 2 * stored / cutting.least_flops);
  const int64_t count = gpumm_pieces (shape.count, shape.width);
  const int64_t threads = gpumm_least (shape.threads, count);
  const double each = READ_SECONDS + (double) shape.width * COLUMN_SECONDS;
  return (double) gpumm_pieces (count, threads) * stored * each
         * (1 + (double) (threads - 1) / PARTNERS);
}

static double seconds (const gpumm_problem *p, const gpumm_candidate *candidate,
                       const gpumm_sparse_estimate *x) {
  (void) candidate;
  if (p->a.format != GPUMM_SPARSE || p->b.format != GPUMM_SPARSE)
    return seconds_one_full (p, x->threads);
  const double products = x->products, nonzeros = x->nonzeros, size = (double) x->natural;
  const double pairs = size > 0 ? products / (size * size * size) : products;
  const double threads = fmin (x->threads, 1 + pairs / (double) cutting.least_products);
  const double product = PRODUCT_SECONDS * (gpumm_is_complex (p->output) ? 2 : 1);
  const double work =
      size > 0 ? pairs * PAIR_SECONDS + products * MULTIPLY_SECONDS + nonzeros * NATURAL_SECONDS
               : products * product + nonzeros * ELEMENT_SECONDS;
  return work / threads + fmin (threads - 1, 1) * SHARING_SECONDS;
}

static double estimate_nonzeros (const gpumm_problem *p, int64_t natural, double products) {
  const double cells = (double) gpumm_m (p) * (double) gpumm_n (p);
  const double yield = gpumm_natural_yield (p, natural ? natural : 1, products);
  return yield > 0   ? fmin (products * yield, cells)
         : cells > 0 ? cells * -expm1 (-products / cells)
                     : 0;
}

gpumm_sparse_estimate gpumm_estimate_sparse (const gpumm_problem *p) {
  gpumm_sparse_estimate x = {.threads = gpumm_threads ()};
  if (p->a.format != GPUMM_SPARSE || p->b.format != GPUMM_SPARSE || gpumm_is_zero (p->alpha))
    return x;
  x.products = gpumm_estimate_products (&p->b, &p->a);
  x.natural = gpumm_natural_size (p);
  x.nonzeros = estimate_nonzeros (p, x.natural, x.products);
  return x;
}

/* ---- the row of the table ----------------------------------------------------------------- */

static int takes_sparse (const gpumm_problem *p) {
  const int a = p->a.format == GPUMM_SPARSE, b = p->b.format == GPUMM_SPARSE;
  return (a || b) && gpumm_is_sparse_element (p->a.type) && gpumm_is_sparse_element (p->b.type)
         && (a || p->a.type != GPUMM_B) && (b || p->b.type != GPUMM_B)
         && !(a && b && !gpumm_is_zero (p->beta));
}

/* The report's sentence about natural blocks. */
static void announce_natural (struct gpumm_job *job, state *s) {
  const int b = (int) s->natural;
  if (b == 1)
    return;
  snprintf (s->suffix, sizeof s->suffix, "_%dx%d", b % 10, b % 10);
  gpumm_add_reason (
      job->report.reason, "; %s of natural blocks of %d x %d, and these are multiplied",
      job->shape.format == GPUMM_SPARSE ? "both matrices are made" : "the sparse matrix is made", b,
      b);
}

static gpumm_status open_sparse (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const int sparse_a = p->a.format == GPUMM_SPARSE, sparse_b = p->b.format == GPUMM_SPARSE;
  gpumm_status status = GPUMM_OK;
  state *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->memory = &job->memory;
  s->natural = 1;
  s->sparse.type = sparse_a ? p->a.type : p->b.type;
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read; nzmax stays 0 */
  if (sparse_a && sparse_b)
    status = count (job, s);
  else {
    status = as_stored (s->memory, sparse_a ? &p->a : &p->b, &s->sparse);
    if (!status)
      status = find_natural_beside (s, p);
  }
  announce_natural (job, s);
  return status;
}

static gpumm_status run_sparse (struct gpumm_job *job, gpumm_matrix *result) {
  state *s = job->state;
  return job->shape.format == GPUMM_SPARSE ? run_sparse_sparse (job, s, result)
                                           : run_one_full (job, s, result);
}

const gpumm_algorithm gpumm_algorithm_sparse = {
    .name = "sparse",
    .summary = "sparse by sparse (Gustavson), sparse by full and full by sparse on the CPU",
    .takes = takes_sparse,
    .seconds = seconds,
    .open = open_sparse,
    .run = run_sparse,
    .mirrors = 1,
};
