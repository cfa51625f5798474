/* blocks.c - products with a block-sparse matrix, on the CPU.
 *
 * blocks x blocks   Gustavson's product by block rows of C, in two phases: gpumm_open counts the
 *                   blocks of C exactly, gpumm_run computes them (a full C it computes alone).
 *                   If the block rows of B are rich, a row of C's pattern is an OR of bits.
 * blocks x full     the same loop; the full matrix is cut in tiles that stand for blocks, all of
 * full x blocks     which are there. Floating point by WIDTH columns of the full matrix at a time,
 *                   which lie side by side in a panel that is copied before; full x blocks is the
 *                   transpose of blocks x full.
 *
 * If op transposes, only the structure is transposed, O(blocks); a block's values are transposed
 * when it is loaded. A thread also needs the sums of one block row of C. Zero blocks of C are
 * removed at the end.
 *
 * Sums. Floating point is summed in its own precision: an element of C with k products is within k
 * eps |A||B| of the exact value. Integers are summed exactly and then saturated or rounded once, as
 * in integers.c: 8 and 16 bits in small blocks as doubles, as long as k 2^(2 bits) <= 2^53, else as
 * int64; 32 bits as 128-bit integers; 64 bits in two halves of 128 bits.
 *
 * Only stored blocks multiply, as in a sparse product: Inf or NaN times a block that is not stored
 * gives nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/processors.h"
#include "base/progress.h"
#include "base/threads.h"
#include "compressed.h"
#include "elements.h"
#include "integer_end.h"
#include "memory/host.h"
#include "pattern.h"
#include "sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of a tile of a full A, columns of one of a full B: a cache line of doubles. */
enum { TILE = 8 };

/* Columns at a time: of doubles a line of cache. Measured on two cores with AVX-512, a matrix of a
 * mesh in blocks of 2x2 / 4x4 / 8x8 with 1.0 to 1.6 million elements by 128 columns: 65 / 33 / 17
 * ms, where tiles that each block row of C took from where they lie made it 534 / 136 / 64. */
enum { WIDTH = 8 };

/* Small integers are summed as doubles in blocks with up to this many products. With uint16, n =
 * 8192, 5 % of the blocks, on two cores with AVX-512, blocks of 4x4 take 0.33 s with doubles and
 * 0.61 s with int64, blocks of 8x8 0.39 s and 0.26 s. */
static const int64_t MOST_DOUBLE_PRODUCTS = 64;

/* The least work for a thread, in operations; for less it costs more than it saves. */
static const double LEAST_FLOPS = 2e5;

/* The same in products of blocks: each costs about 25 ns besides its operations, in both phases. */
static const double LEAST_PAIRS = 1 << 13;

/* ---- operands ----------------------------------------------------------------------------- */

/* op (X) in blocks, for the numeric phase. */
typedef struct {
  gpumm_matrix op;    /* sizes, offsets and block columns; a full matrix in tiles has no offsets */
  int64_t rows, cols; /* in blocks */
  const int64_t *source; /* the storage place of each block; NULL: in this order */
  int64_t down, across;  /* distances between elements in a block, or in a full matrix */
  int64_t elements;      /* of a block */
  int conjugate;
  int plain; /* the elements of a block lie as the product wants them */
  int ready; /* and are of the type that is multiplied */
  size_t bytes;
} view;

/* The last tiles of a full matrix may have fewer rows or columns. */
static inline int64_t rows_at (const view *x, int64_t i) {
  return gpumm_least (x->op.rows - i * x->op.block_rows, x->op.block_rows);
}

static inline int64_t cols_at (const view *x, int64_t j) {
  return gpumm_least (x->op.cols - j * x->op.block_cols, x->op.block_cols);
}

/* The first element of block (i,j), the t-th block. */
static inline const void *element_at (const view *x, int64_t i, int64_t j, int64_t t) {
  const gpumm_matrix *op = &x->op;
  const int64_t at = !op->start  ? i * op->block_rows * x->down + j * op->block_cols * x->across
                     : x->source ? x->source[t] * x->elements
                                 : t * x->elements;
  return (const char *) op->values + (size_t) at * x->bytes;
}

/* What lives from gpumm_open to gpumm_close. */
typedef struct {
  view a, b;
  view x; /* if one operand is full and multiplied by panels: the other, or its transpose */
  int by_panels;
  gpumm_pattern pattern; /* result in blocks: of C */
  double pairs;          /* products of blocks */
  double flops;          /* of the product */
  gpumm_owner *memory;   /* the job's */
} state;

static int64_t tile_of (int64_t size) {
  return size < 1 ? 1 : gpumm_least (TILE, size);
}

/* op (X); a full matrix in tiles of block_rows x block_cols. structure = 0: it is not read. */
static gpumm_status make_view (state *s, const gpumm_matrix *x, int64_t block_rows,
                               int64_t block_cols, int structure, view *out) {
  const int turned = gpumm_is_turned (x), full = x->format == GPUMM_FULL;
  const int64_t ld = full ? x->ld : x->block_rows;
  gpumm_matrix op = *x;
  *out = (view){.down = turned ? ld : 1,
                .across = turned ? 1 : ld,
                .conjugate = x->op == GPUMM_CTRANSPOSE && gpumm_is_complex (x->type),
                .plain = !full && !turned,
                .bytes = gpumm_type_bytes (x->type)};
  if (turned && !full && structure) {
    if (gpumm_line_count (x) > INT32_MAX)
      return gpumm_fail (GPUMM_UNSUPPORTED, "more than 2^31 block columns");
    gpumm_status status = gpumm_transpose_lines (s->memory, x, 0, &op);
    if (status)
      return status;
    out->source = op.values;
  }
  op.op = GPUMM_NONE;
  op.rows = gpumm_op_rows (x);
  op.cols = gpumm_op_cols (x);
  op.block_rows = full ? block_rows : gpumm_op_block_rows (x);
  op.block_cols = full ? block_cols : gpumm_op_block_cols (x);
  op.start = full ? NULL : op.start;
  op.values = x->values;
  out->op = op;
  out->rows = gpumm_pieces (op.rows, op.block_rows);
  out->cols = gpumm_pieces (op.cols, op.block_cols);
  out->elements = op.block_rows * op.block_cols;
  return GPUMM_OK;
}

/* ---- numeric phase ------------------------------------------------------------------------ */

/* The type of sums: SUM_DOUBLE and later for integers; others are their own. */
typedef enum {
  SUM_S = GPUMM_S,
  SUM_D,
  SUM_C,
  SUM_Z,
  SUM_DOUBLE,
  SUM_64,
  SUM_128,
  SUM_HALVES
} sum_kind;

/* Where the elements of C go: the distances downward and across, in elements. */
typedef struct {
  gpumm_matrix *c;
  int64_t down, across;
} target;

typedef struct numeric {
  view a, b;
  const gpumm_pattern *pattern;
  target to;
  sum_kind kind;
  size_t sum_bytes;       /* of a sum */
  int64_t elements;       /* of a block of sums */
  int64_t room_a, room_b; /* bytes behind w->sums where a block of op (A), of op (B) is loaded */
  void (*add_row) (const struct numeric *d, const gpumm_line *w, int64_t i);
} numeric;

static inline void add_signed (halves *sum, int64_t a, int64_t b) {
  const int128 product = (int128) a * b;
  sum->low += (uint64_t) product;
  sum->high += product >> 64;
}

static inline void add_unsigned (halves *sum, uint64_t a, uint64_t b) {
  const unsigned __int128 product = (unsigned __int128) a * b;
  sum->low += (uint64_t) product;
  sum->high += (uint64_t) (product >> 64);
}

#define TYPE_i int64_t /* as which integers are multiplied */
#define CONJ_i

/* load_t copies a block of rows x cols elements to `to`, as type t is multiplied. */
#define LOAD_AS(type, CONJ, x, from, rows, cols, to)                                               \
  do {                                                                                             \
    const type *in = (from);                                                                       \
    if ((x)->plain)                                                                                \
      for (int64_t e = 0; e < (rows) * (cols); e++)                                                \
        (to)[e] = in[e];                                                                           \
    else                                                                                           \
      for (int64_t j = 0; j < (cols); j++)                                                         \
        for (int64_t i = 0; i < (rows); i++) {                                                     \
          const type value = in[i * (x)->down + j * (x)->across];                                  \
          (to)[i + j * (rows)] = (x)->conjugate ? CONJ (value) : value;                            \
        }                                                                                          \
  } while (0)

#define LOAD_BLOCK(letter, type)                                                                   \
  case GPUMM_##letter:                                                                             \
    LOAD_AS (type, CONJ_i, x, from, rows, cols, to);                                               \
    break;

/* Small integers too are multiplied as doubles. */
#define DEFINE_LOAD(t, INTEGERS)                                                                   \
  FOR_EACH_PROCESSOR static const void *load_##t (const view *x, const void *from, int64_t rows,   \
                                                  int64_t cols, TYPE_##t *to) {                    \
    switch (x->op.type) {                                                                          \
      INTEGERS                                                                                     \
    default:                                                                                       \
      LOAD_AS (TYPE_##t, CONJ_##t, x, from, rows, cols, to);                                       \
    }                                                                                              \
    return to;                                                                                     \
  }
DEFINE_LOAD (s, )
DEFINE_LOAD (d, INTEGER_TYPES (LOAD_BLOCK))
DEFINE_LOAD (c, )
DEFINE_LOAD (z, )
DEFINE_LOAD (i, INTEGER_TYPES (LOAD_BLOCK))

/* Complex products are computed part by part, which may give NaN where C's rules give an infinity.
 * Where a sum is NaN they are computed again by C's rules. */
static inline float complex add_product_c (float complex sum, float complex a, float complex b) {
  return CMPLXF (crealf (sum) + (crealf (a) * crealf (b) - cimagf (a) * cimagf (b)),
                 cimagf (sum) + (cimagf (a) * crealf (b) + crealf (a) * cimagf (b)));
}

static inline double complex add_product_z (double complex sum, double complex a,
                                            double complex b) {
  return CMPLX (creal (sum) + (creal (a) * creal (b) - cimag (a) * cimag (b)),
                cimag (sum) + (cimag (a) * creal (b) + creal (a) * cimag (b)));
}

#define A s
#define B s
#include "blocks_kernels.h"
#define A s
#define B c
#include "blocks_kernels.h"
#define A c
#define B s
#include "blocks_kernels.h"
#define A            c
#define B            c
#define ADD(c, a, b) ((c) = add_product_c (c, a, b))
#include "blocks_kernels.h"
#define A d
#define B d
#include "blocks_kernels.h"
#define A d
#define B z
#include "blocks_kernels.h"
#define A z
#define B d
#include "blocks_kernels.h"
#define A            z
#define B            z
#define ADD(c, a, b) ((c) = add_product_z (c, a, b))
#include "blocks_kernels.h"
#define A       c
#define B       c
#define NAME(f) f##_again_c
#include "blocks_kernels.h"
#define A       z
#define B       z
#define NAME(f) f##_again_z
#include "blocks_kernels.h"
#define TC      int64_t
#define NAME(f) f##_64
#include "blocks_kernels.h"
#define TC           int128
#define ADD(c, a, b) ((c) += (int128) (a) * (b))
#define NAME(f)      f##_128
#include "blocks_kernels.h"
#define TC           halves
#define ADD(c, a, b) add_signed (&(c), a, b)
#define NAME(f)      f##_signed
#include "blocks_kernels.h"
#define TC           halves
#define ADD(c, a, b) add_unsigned (&(c), (uint64_t) (a), (uint64_t) (b))
#define NAME(f)      f##_unsigned
#include "blocks_kernels.h"

typedef void (*row_function) (const numeric *d, const gpumm_line *w, int64_t i);

static row_function choose_row (gpumm_type a, gpumm_type b, sum_kind kind) {
  static const row_function by_pair[2][2][2] = BY_PAIR (add_row);
  switch (kind) {
  case SUM_DOUBLE:
    return add_row_dd;
  case SUM_64:
    return add_row_64;
  case SUM_128:
    return add_row_128;
  case SUM_HALVES:
    return gpumm_is_signed (a) ? add_row_signed : add_row_unsigned;
  default:
    return by_pair[a == GPUMM_D || a == GPUMM_Z][gpumm_is_complex (a)][gpumm_is_complex (b)];
  }
}

/* ---- the end of a row --------------------------------------------------------------------- */

/* Stores m x n sums as elements of C from this place on; a step down is `apart` sums. */
#define DEFINE_STORE(t)                                                                            \
  static inline __attribute__ ((always_inline)) void store_##t (                                   \
      const target *to, const TYPE_##t *sums, int64_t apart, int64_t m, int64_t n, int64_t at) {   \
    TYPE_##t *c = (TYPE_##t *) to->c->values + at;                                                 \
    const int64_t down = to->down, across = to->across;                                            \
    for (int64_t s = 0; s < n; s++)                                                                \
      for (int64_t r = 0; r < m; r++)                                                              \
        c[r * down + s * across] = sums[r * apart + s];                                            \
  }                                                                                                \
  static void store_sums_##t (const numeric *d, const void *sums, int64_t count, int64_t at) {     \
    store_##t (&d->to, sums, 1, count, 1, at);                                                     \
  }
DEFINE_STORE (s)
DEFINE_STORE (d)
DEFINE_STORE (c)
DEFINE_STORE (z)

/* The same for integers. */
#define STORE_SATURATED(letter, type)                                                              \
  case GPUMM_##letter: {                                                                           \
    const int64_t top = (int64_t) (UINT64_MAX >> 1 >> (64 - 8 * sizeof (type)));                   \
    const int is_signed = gpumm_is_signed (GPUMM_##letter);                                        \
    const int64_t low = is_signed ? -top - 1 : 0;                                                  \
    const int64_t high = is_signed || sizeof (type) == 8 ? top : 2 * top + 1;                      \
    for (int64_t e = 0; e < count; e++)                                                            \
      ((type *) c)[at + e] = (type) (sums[e] < low ? low : sums[e] > high ? high : sums[e]);       \
    break;                                                                                         \
  }

FOR_EACH_PROCESSOR static void store_saturated (gpumm_type type, const int64_t *restrict sums,
                                                int64_t count, void *restrict c, int64_t at) {
  switch (type) {
    INTEGER_TYPES (STORE_SATURATED)
  case GPUMM_D:
    for (int64_t e = 0; e < count; e++)
      ((double *) c)[at + e] = (double) sums[e];
    break;
  default:
    for (int64_t e = 0; e < count; e++)
      ((float *) c)[at + e] = (float) sums[e];
    break;
  }
}

static void store_narrow (const numeric *d, const void *sums, int64_t count, int64_t at) {
  store_saturated (d->to.c->type, sums, count, d->to.c->values, at);
}

/* Sums in double are integers below 2^53. */
static void store_doubles (const numeric *d, const void *all, int64_t count, int64_t at) {
  const double *sums = all;
  enum { CHUNK = 64 };
  int64_t whole[CHUNK];
  for (int64_t begin = 0; begin < count; begin += CHUNK) {
    const int64_t length = gpumm_least (count - begin, CHUNK);
    for (int64_t e = 0; e < length; e++)
      whole[e] = (int64_t) sums[begin + e];
    store_narrow (d, whole, length, at + begin);
  }
}

static void store_128 (const numeric *d, const void *all, int64_t count, int64_t at) {
  const int128 *sums = all;
  for (int64_t e = 0; e < count; e++)
    store_sum (d->to.c->type, d->to.c->values, at + e, sums[e]);
}

static void store_192 (const numeric *d, const void *all, int64_t count, int64_t at) {
  const halves *sums = all;
  for (int64_t e = 0; e < count; e++)
    store_halves (d->to.c->type, d->to.c->values, at + e, sums[e], 64);
}

typedef void (*store_function) (const numeric *d, const void *sums, int64_t count, int64_t at);

static const struct {
  store_function store;
  size_t bytes;
  const char *name;
} sum_kinds[] = {[SUM_S] = {store_sums_s, sizeof (float), ""},
                 [SUM_D] = {store_sums_d, sizeof (double), ""},
                 [SUM_C] = {store_sums_c, sizeof (float complex), ""},
                 [SUM_Z] = {store_sums_z, sizeof (double complex), ""},
                 [SUM_DOUBLE] = {store_doubles, sizeof (double), ", sums in double"},
                 [SUM_64] = {store_narrow, sizeof (int64_t), ", sums in int64"},
                 [SUM_128] = {store_128, sizeof (int128), ", sums in int128"},
                 [SUM_HALVES] = {store_192, sizeof (halves), ", sums in int192"}};

/* Stores the sums of the count blocks of block row i in C, in blocks from `out` on; returns where
 * the nonzero blocks end. */
static int64_t store_row (const numeric *d, const gpumm_line *w, int64_t i, int64_t count,
                          int64_t out) {
  const store_function store = sum_kinds[d->kind].store;
  const char *sums = w->sums;
  gpumm_matrix *c = d->to.c;
  if (c->format == GPUMM_BLOCKS) {
    for (int64_t q = 0; q < count; q++) {
      const int64_t at = out * d->elements;
      store (d, sums + (size_t) (q * d->elements) * d->sum_bytes, d->elements, at);
      c->block_column[out] = (int32_t) w->list[q];
      out += gpumm_any_nonzero (
          c->type, (char *) c->values + (size_t) at * gpumm_type_bytes (c->type), d->elements);
    }
    return out;
  }
  const int64_t m = rows_at (&d->a, i), row = i * d->a.op.block_rows;
  for (int64_t j = 0; j < d->b.cols; j++)
    for (int64_t q = 0; q < cols_at (&d->b, j); q++) {
      const int64_t col = j * d->b.op.block_cols + q;
      store (d, sums + (size_t) (j * d->elements + q * m) * d->sum_bytes, m, row + col * c->ld);
    }
  return out;
}

/* ---- by a full matrix, in floating point -------------------------------------------------- */

/* Bytes of a panel, part of the memory that a product may take beside its operands. */
static const int64_t PANEL_BYTES = 32 << 20;

/* Rows of a block that are multiplied at once; half as many of complex numbers. */
enum { MOST_ROWS = 8 };

/* C = X Y with X in blocks; the panel has stride columns of Y side by side, those
 * from `column` on, and zeros where Y has fewer. */
typedef struct full_product {
  view x, y;
  int complex_x, complex_y;
  void *panel;
  int64_t column, columns, stride;
  target to;
} full_product;

#define R s
#define Z c
#include "blocks_full_kernels.h"
#define R d
#define Z z
#include "blocks_full_kernels.h"

static void pack_rows (void *context, int64_t begin, int64_t end) {
  const full_product *d = context;
  (gpumm_is_single (d->x.op.type) ? pack_s : pack_d) (d, begin, end);
}

static void multiply_by_full (void *context, int64_t begin, int64_t end) {
  const full_product *d = context;
  for (int64_t i = begin; i < end && !gpumm_is_cancelled (); i++) {
    (gpumm_is_single (d->x.op.type) ? multiply_full_s : multiply_full_d) (d, i);
    gpumm_progress_add ((double) (d->x.op.start[i + 1] - d->x.op.start[i]) * (double) d->columns);
  }
}

/* C, whose rows or columns are `down` in the product. */
static target target_of (gpumm_matrix *c, int by_rows) {
  return (target){.c = c, .down = by_rows ? c->ld : 1, .across = by_rows ? 1 : c->ld};
}

static gpumm_status run_full (const gpumm_problem *p, const state *s, gpumm_matrix *c) {
  const int left = p->a.format == GPUMM_BLOCKS;
  const gpumm_matrix *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  const int64_t other = left ? c->cols : c->rows, inner = gpumm_k (p);
  if (c->rows == 0 || c->cols == 0) /* the other size may be as large as it likes */
    return GPUMM_OK;
  full_product d = {.x = s->x,
                    .y = left ? s->b : s->a,
                    .complex_x = gpumm_is_complex (x->type),
                    .complex_y = gpumm_is_complex (y->type),
                    .to = target_of (c, !left)};
  if (!left) { /* Y' */
    d.y.down = s->a.across;
    d.y.across = s->a.down;
  }
  const int64_t bytes = (int64_t) gpumm_type_bytes (y->type), least = gpumm_pieces (other, WIDTH);
  int64_t tiles = PANEL_BYTES / (WIDTH * bytes * (inner > 0 ? inner : 1));
  tiles = tiles < 1 ? 1 : gpumm_least (tiles, least);
  d.stride = tiles * WIDTH;
  d.panel = gpumm_allocate (inner * d.stride, (size_t) bytes);
  if (!d.panel)
    return GPUMM_HOST_MEMORY;
  const double stored = (double) d.x.op.start[d.x.rows];
  const double flops = 2.0 * (double) d.x.elements * stored;
  gpumm_status status = GPUMM_OK;
  gpumm_progress_of (stored * (double) other);
  for (d.column = 0; d.column < other && !status; d.column += d.stride) {
    d.columns = gpumm_least (d.stride, other - d.column);
    const double work = (flops + (double) gpumm_op_rows (&p->a)) * (double) d.columns;
    status = gpumm_parallel (inner, (int64_t) (LEAST_FLOPS / (4.0 * (double) d.stride)) + 1,
                             pack_rows, &d);
    if (!status)
      status =
          gpumm_parallel (d.x.rows, (int64_t) (LEAST_FLOPS * (double) d.x.rows / (work + 1)) + 1,
                          multiply_by_full, &d);
  }
  gpumm_release (d.panel);
  return status;
}

/* ---- the other products ------------------------------------------------------------------- */

/* Is one of count complex sums NaN? */
FOR_EACH_PROCESSOR static int any_nan (const numeric *d, const void *sums, int64_t count) {
  int any = 0;
  if (d->kind == SUM_C) {
    const float *parts = sums;
    for (int64_t e = 0; e < 2 * count; e++)
      any |= parts[e] != parts[e];
  } else {
    const double *parts = sums;
    for (int64_t e = 0; e < 2 * count; e++)
      any |= parts[e] != parts[e];
  }
  return any;
}

static int64_t compute_rows (const void *context, gpumm_line *w, int64_t begin, int64_t end) {
  const numeric *d = context;
  const int in_blocks = d->to.c->format == GPUMM_BLOCKS;
  const int parts = gpumm_is_complex (d->a.op.type) && gpumm_is_complex (d->b.op.type);
  int64_t out = in_blocks ? d->pattern->start[begin] : 0;
  for (int64_t i = begin; i < end && !gpumm_is_cancelled (); i++) {
    const int64_t count = in_blocks ? gpumm_collect (d->pattern, w, i) : d->b.cols;
    const size_t bytes = (size_t) (count * d->elements) * d->sum_bytes;
    memset (w->sums, 0, bytes);
    d->add_row (d, w, i);
    if (parts && any_nan (d, w->sums, count * d->elements)) {
      memset (w->sums, 0, bytes);
      (d->kind == SUM_C ? add_row_again_c : add_row_again_z) (d, w, i);
    }
    if (in_blocks)
      d->to.c->start[i] = out;
    out = store_row (d, w, i, count, out);
    gpumm_progress_add (w->progress);
  }
  return out;
}

/* The sums of a line of C are followed by room to load blocks of op (A) and op (B). */
static gpumm_status run_rows (state *s, numeric *d) {
  const size_t block = (size_t) d->elements * d->sum_bytes; /* at least as large as they are */
  const int in_blocks = d->to.c->format == GPUMM_BLOCKS;
  const int64_t blocks = in_blocks ? s->pattern.longest : s->b.cols;
  const int64_t loaded_a = gpumm_pieces (s->a.elements, d->elements);
  const int64_t loaded_b = gpumm_pieces (s->b.elements, d->elements);
  d->pattern = &s->pattern;
  d->room_a = blocks * (int64_t) block;
  d->room_b = d->room_a + loaded_a * (int64_t) block;
  if (!in_blocks) {
    s->pattern.lines = s->a.rows;
    s->pattern.pieces =
        1
        + (int64_t) (s->pairs / LEAST_PAIRS
                     + (s->flops + (double) d->to.c->rows * (double) s->b.op.block_cols)
                           / LEAST_FLOPS);
  }
  return gpumm_compute_lines (&s->pattern, compute_rows, d, blocks + loaded_a + loaded_b, block,
                              d->to.c);
}

/* ---- the row of the table ----------------------------------------------------------------- */

static int takes_blocks (const gpumm_problem *p) {
  const int blocks_a = p->a.format == GPUMM_BLOCKS, blocks_b = p->b.format == GPUMM_BLOCKS;
  return (blocks_a || blocks_b) && (blocks_a || p->a.format == GPUMM_FULL)
         && (blocks_b || p->b.format == GPUMM_FULL) && p->a.type != GPUMM_B && p->b.type != GPUMM_B;
}

/* The kind of sums over k products of elements of a type, for blocks with this many products. */
static sum_kind choose_sum (gpumm_type type, gpumm_type output, int64_t k, double products) {
  const int bits = 8 * (int) gpumm_type_bytes (type);
  if (!gpumm_is_integer (type))
    return (sum_kind) output;
  if (bits > 16)
    return bits == 32 ? SUM_128 : SUM_HALVES;
  return products <= MOST_DOUBLE_PRODUCTS && k <= (int64_t) 1 << (53 - 2 * bits) ? SUM_DOUBLE
                                                                                 : SUM_64;
}

void gpumm_blocks_reason (struct gpumm_job *job, double products, double all) {
  gpumm_add_reason (job->report.reason,
                    "; %.0f products of blocks, %.3g %% of those of full matrices", products,
                    all > 0 ? 100 * products / all : 0.0);
}

gpumm_status gpumm_blocks_check (const gpumm_problem *p) {
  /* an int64 holds at least the sum of 2^30 products of 16-bit integers */
  if (gpumm_is_integer (p->a.type) && gpumm_k (p) > (int64_t) 1 << 30)
    return gpumm_fail (GPUMM_UNSUPPORTED, "integer sums of more than 2^30 products by blocks");
  return GPUMM_OK;
}

/* Counts the products of blocks, and the blocks of C if it is in blocks; x is the operand in
 * blocks, and other the rows or columns of the other one. */
static gpumm_status count_pairs (struct gpumm_job *job, state *s, const gpumm_matrix *x,
                                 int64_t other) {
  const gpumm_problem *p = &job->problem;
  const double each = gpumm_flops_each (p);
  const double block = each * (double) s->a.elements * (double) s->b.op.block_cols;
  gpumm_status status = GPUMM_OK;
  if (job->shape.format == GPUMM_BLOCKS) {
    s->pattern = (gpumm_pattern){.x = s->a.op, .y = s->b.op, .size = 1};
    s->pattern.least = 1 + (int64_t) (1 / (block / LEAST_FLOPS + 1 / LEAST_PAIRS));
    status = gpumm_count_pattern (s->memory, &s->pattern, &job->shape);
    s->pairs = s->pattern.products;
  } else if (p->a.format == p->b.format)
    status = gpumm_count_products (&s->a.op, &s->b.op, &s->pairs);
  else
    s->pairs = (double) gpumm_entries (x) * (double) (x == &p->a ? s->b.cols : s->a.rows);
  s->flops = block * s->pairs;
  if (s->by_panels)
    s->flops = each * (double) (gpumm_entries (x) * gpumm_entry_elements (x)) * (double) other;
  gpumm_blocks_reason (job, s->pairs, (double) s->a.rows * (double) s->b.rows * (double) s->b.cols);
  return status;
}

static gpumm_status open_blocks (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const int blocks_a = p->a.format == GPUMM_BLOCKS;
  gpumm_status status = gpumm_blocks_check (p);
  if (status)
    return status;
  const int64_t middle = blocks_a ? gpumm_op_block_cols (&p->a) : gpumm_op_block_rows (&p->b);
  state *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  s->memory = &job->memory;
  const gpumm_matrix *x = blocks_a ? &p->a : &p->b;
  const int64_t other = blocks_a ? gpumm_n (p) : gpumm_m (p);
  s->by_panels = p->a.format != p->b.format && gpumm_is_float (p->a.type) && other >= WIDTH / 2;
  status = make_view (s, &p->a, tile_of (gpumm_m (p)), middle, 1, &s->a);
  if (!status)
    status = make_view (s, &p->b, middle, tile_of (gpumm_n (p)), !s->by_panels, &s->b);
  s->x = s->a;
  if (!status && s->by_panels && !blocks_a) {
    gpumm_matrix turned = *x;
    turned.op = gpumm_is_turned (x) ? GPUMM_NONE : GPUMM_TRANSPOSE;
    status = make_view (s, &turned, 1, 1, 1, &s->x);
    s->x.conjugate = s->b.conjugate;
  }
  if (!status)
    status = count_pairs (job, s, x, other);
  return status;
}

static gpumm_status run_blocks (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  state *s = job->state;
  gpumm_report *report = &job->report;
  const sum_kind kind = choose_sum (p->a.type, p->output, gpumm_k (p),
                                    (double) s->a.elements * (double) s->b.op.block_cols);
  numeric d = {.a = s->a,
               .b = s->b,
               .to = target_of (result, 0),
               .kind = kind,
               .sum_bytes = sum_kinds[kind].bytes,
               .elements = s->a.op.block_rows * s->b.op.block_cols,
               .add_row = choose_row (p->a.type, p->b.type, kind)};
  d.a.ready = d.a.plain && (kind < SUM_DOUBLE || kind == SUM_HALVES);
  d.b.ready = d.b.plain && (kind < SUM_DOUBLE || kind == SUM_HALVES);
  snprintf (report->kernel, sizeof report->kernel, "%s_%s%s",
            p->a.format == GPUMM_BLOCKS ? "blocks" : "full",
            p->b.format == GPUMM_BLOCKS ? "blocks" : "full", sum_kinds[kind].name);
  report->flops = s->flops;
  gpumm_status status = GPUMM_OK;
  if (s->by_panels)
    status = run_full (p, s, result);
  else if (result->format == GPUMM_BLOCKS && result->nzmax == 0)
    memset (result->start, 0, (size_t) (s->a.rows + 1) * sizeof *result->start);
  else if (s->b.cols > 0)
    status = run_rows (s, &d);
  return status;
}

/* ---- estimates ---------------------------------------------------------------------------- */

/* Multiply-adds per second and thread for integers of 8 and 16 bits, measured with uint16, n =
 * 8192, 5 % of the blocks of 4x4 or 8x8, on two cores with AVX-512. */
static const double SMALL_INTEGER_RATE = 2e9;

/* Floating point: operations, and products of two blocks or of a block and WIDTH columns, per
 * second and thread, and bytes of C per second. Fitted to products of 10^4 to 7 10^7 pairs of
 * blocks of 1x1 to 64x64 on 16 cores of a Xeon with AVX-512 (bench/results/h200/blocksparse.csv),
 * and of blocks of 2x2 to 8x8 by 16 and 128 columns on two cores. */
static const double FLOAT_RATE = 1.2e10, PAIR_RATE = 4e7, WRITE_RATE = 2e10;

/* Seconds on the CPU, for classes with a known device rate. */
static double seconds (const gpumm_problem *p, const gpumm_candidate *candidate,
                       const gpumm_sparse_estimate *estimate) {
  (void) candidate;
  const int in_blocks = p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS;
  const gpumm_matrix *x = p->a.format == GPUMM_BLOCKS ? &p->a : &p->b;
  const double threads = estimate->threads;
  const double each = gpumm_flops_each (p);
  double pairs, flops, c = (double) gpumm_m (p) * (double) gpumm_n (p);
  if (in_blocks) {
    const double size = (double) (gpumm_op_block_rows (&p->a) * gpumm_op_block_cols (&p->b));
    pairs = gpumm_estimate_products (&p->a, &p->b);
    flops = each * pairs * size * (double) gpumm_op_block_cols (&p->a);
    if (!p->full && c > 0)
      c *= -expm1 (-pairs * size / c);
  } else {
    const int64_t other = p->a.format == GPUMM_BLOCKS ? gpumm_n (p) : gpumm_m (p);
    const double stored = (double) x->start[x->rows / x->block_rows];
    pairs = stored * (double) gpumm_pieces (other, TILE);
    flops = each * stored * (double) (x->block_rows * x->block_cols) * (double) other;
  }
  const double work = gpumm_is_integer (p->a.type) ? flops / (2 * SMALL_INTEGER_RATE)
                                                   : flops / FLOAT_RATE + pairs / PAIR_RATE;
  return work / threads + c * (double) gpumm_type_bytes (p->output) / WRITE_RATE;
}

const gpumm_algorithm gpumm_algorithm_blocks = {
    .name = "blocks",
    .summary = "block-sparse matrices by each other or by full matrices, on the CPU",
    .takes = takes_blocks,
    .seconds = seconds,
    .open = open_blocks,
    .run = run_blocks,
};
