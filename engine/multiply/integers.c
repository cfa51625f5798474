/* integers.c - exact products of integer matrices, saturated once at the end.
 *
 * All eight types use one method: an element is written in digits to base 2^11,
 *
 *   a = sum over u of a_u 2^(11 u),   |a_u| <= 2^10,
 *
 * one digit for 8 bits, two for 16, three for 32 and six for 64, so that
 *
 *   sum over p of a_p b_p = sum over d of 2^(11 d) D_d,
 *   D_d = sum over u + v = d, and over p, of a_(u,p) b_(v,p).
 *
 * Digits are stored as int16. A dot product of two rows of digits over at most 1024 steps is at
 * most 2^30 in size and exact in int32, and every processor has vector instructions for this loop.
 * The D_d accumulate these in int64 and stay below 6 k 2^20 < 2^63 for k <= 2^40. The sum over d is
 * formed once per element of C, in 64, 128 or more bits as |a|, |b| and k require. If the upper
 * digits of a block are all zero (small numbers in a wide type), their products are skipped.
 *
 * An integer C saturates; a double or single one is rounded once, to nearest.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/processors.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/types.h"
#include "integer_end.h"
#include "memory/host.h"
#include "plan/work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef int16_t digit;

enum {
  DIGIT_BITS = 11,
  MOST_DIGITS = 6,
  CHUNK = 1024,        /* steps along k in one dot product */
  STRIDE = CHUNK + 32, /* of packed rows; a power of two would share cache sets */
  TILE = 4             /* rows and columns of C at once; the sums fill the registers */
};

static const int64_t LONGEST_K = (int64_t) 1 << 40;

/* Rows and columns of C in a block, by number of digits. Measured at 1000 x 1000 x 1000 on one core
 * of a Xeon with AVX-512 and 2 MB of second-level cache: 0.5 or 1.5 times these sizes are up to 20
 * % slower for some types and at most 5 % faster for any. */
static const int64_t block_size[MOST_DIGITS + 1] = {[1] = 256, [2] = 192, [3] = 128, [6] = 96};

/* Blocks are cut smaller if there are too few for all threads, but not below this. A thread gets at
 * least this many multiplications of digits, 50 us of work. */
static const int64_t SMALLEST_BLOCK = 32;
static const double LEAST_PRODUCTS = 1e6;

static int digits_of (gpumm_type type) {
  const size_t bytes = gpumm_type_bytes (type);
  return bytes == 1 ? 1 : bytes == 2 ? 2 : bytes == 4 ? 3 : MOST_DIGITS;
}

/* ---- digits ------------------------------------------------------------------------------- */

/* op (A) or op (B): elements from one row (column) to the next, and along k. */
typedef struct {
  const void *from;
  int64_t across, along;
} operand;

static operand operand_of (const gpumm_matrix *x, int by_columns) {
  return (operand){x->values, by_columns ? 1 : x->ld, by_columns ? x->ld : 1};
}

/* count rows of op (A), or columns of op (B), over length steps along k. */
typedef struct {
  operand x;
  int64_t count, length;
  digit *to; /* digit u of element p of row r: to[u * plane + r * STRIDE + p] */
  int64_t plane;
} strip;

/* pack_<type> writes a strip as digits and returns the number of digits up to the highest nonzero
 * one. The lower digits are -1024 .. 1023, with a carry to the next digit; the last digit is the
 * rest, at most 2^10 in size for every type. */
#define DEFINE_PACK(letter, type)                                                                  \
  static int pack_##letter (const strip *s) {                                                      \
    enum { COUNT = sizeof (type) == 1 ? 1 : sizeof (type) == 2 ? 2 : sizeof (type) == 4 ? 3 : 6 }; \
    const type *from = s->x.from;                                                                  \
    const int by_row = s->x.along == 1; /* read neighbours one after the other */                  \
    const int64_t outer = by_row ? s->count : s->length, inner = by_row ? s->length : s->count;    \
    int any[COUNT] = {0}, used = 1;                                                                \
    for (int64_t o = 0; o < outer; o++)                                                            \
      for (int64_t q = 0; q < inner; q++) {                                                        \
        const int64_t r = by_row ? o : q, p = by_row ? q : o;                                      \
        type rest = from[r * s->x.across + p * s->x.along];                                        \
        digit *to = s->to + r * STRIDE + p;                                                        \
        for (int u = 0; u < COUNT - 1; u++) {                                                      \
          const int low = (int) (rest & 2047), d = low < 1024 ? low : low - 2048;                  \
          rest = (type) ((rest >> DIGIT_BITS) + (low >= 1024));                                    \
          to[u * s->plane] = (digit) d;                                                            \
          any[u] |= d;                                                                             \
        }                                                                                          \
        to[(COUNT - 1) * s->plane] = (digit) rest;                                                 \
        any[COUNT - 1] |= (int) rest;                                                              \
      }                                                                                            \
    for (int u = 1; u < COUNT; u++)                                                                \
      if (any[u])                                                                                  \
        used = u + 1;                                                                              \
    return used;                                                                                   \
  }
INTEGER_TYPES (DEFINE_PACK)

static int pack (gpumm_type type, const strip *s) {
  switch (type) {
#define PACK_CASE(letter, type)                                                                    \
  case GPUMM_##letter:                                                                             \
    return pack_##letter (s);
    INTEGER_TYPES (PACK_CASE)
  default:
    return 0;
  }
}

/* tile (i,j) = dot product of row i of a and row j of b, length <= CHUNK */
FOR_EACH_PROCESSOR static void multiply_tile (int64_t length, const digit *restrict a,
                                              const digit *restrict b,
                                              int32_t tile[restrict TILE][TILE]) {
  int32_t sum[TILE][TILE] = {{0}};
  for (int64_t p = 0; p < length; p++)
    for (int i = 0; i < TILE; i++)
      for (int j = 0; j < TILE; j++)
        sum[i][j] += (int32_t) a[i * STRIDE + p] * b[j * STRIDE + p];
  memcpy (tile, sum, sizeof sum);
}

/* ---- the end: one element of C ------------------------------------------------------------ */

/* Shared by all blocks of a product. */
typedef struct {
  gpumm_type type;
  int64_t m, n, k;
  operand a, b;
  int digits;
  int64_t block_m, block_n, blocks_m; /* sizes of a block, blocks in a column of them */
  int sum_bits;                       /* 64, 128 or 192: the full sum fits */
  gpumm_matrix c;
  atomic_int failed; /* a thread had no memory */
} product;

/* The exact sum of 2^(11 u) D_u is high 2^66 + low: |D_u| < 2^63, so each half fits 128 bits. */
enum { HALF = 6 };

static halves add_diagonals (const int64_t *diagonal, int64_t plane, int last) {
  halves sum = {0, 0};
  for (int u = last; u >= HALF; u--)
    sum.high = sum.high * (1 << DIGIT_BITS) + diagonal[u * plane];
  for (int u = last < HALF ? last : HALF - 1; u >= 0; u--)
    sum.low = sum.low * (1 << DIGIT_BITS) + diagonal[u * plane];
  return sum;
}

/* C(i,j) from D_0 .. D_last, plane elements apart. */
static void finish (const product *d, int64_t i, int64_t j, const int64_t *diagonal, int64_t plane,
                    int last) {
  const int64_t at = i + j * d->c.ld;
  const halves sum = add_diagonals (diagonal, plane, last);
  if (d->sum_bits == 64)
    store_sum (d->c.type, d->c.values, at, sum.low);
  else
    store_halves (d->c.type, d->c.values, at, sum, HALF * DIGIT_BITS);
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* One thread's memory: digits of a block of op (A) and of op (B), and the sums D_d of the block of
 * C by columns. */
typedef struct {
  digit *a, *b;
  int64_t *diagonal;
} workspace;

/* Adds the dot products of digits u of op (A) and v of op (B) to D_(u+v). */
static void multiply_digits (const product *d, const workspace *w, int u, int v, int64_t rows,
                             int64_t cols, int64_t length) {
  const digit *a = w->a + u * d->block_m * STRIDE, *b = w->b + v * d->block_n * STRIDE;
  int64_t *diagonal = w->diagonal + (u + v) * d->block_m * d->block_n;
  for (int64_t j = 0; j < cols; j += TILE)
    for (int64_t i = 0; i < rows; i += TILE) {
      int32_t tile[TILE][TILE];
      multiply_tile (length, a + i * STRIDE, b + j * STRIDE, tile);
      for (int jj = 0; jj < TILE; jj++)
        for (int ii = 0; ii < TILE; ii++)
          diagonal[i + ii + (j + jj) * d->block_m] += tile[ii][jj];
    }
}

static void multiply_block (const product *d, const workspace *w, int64_t block) {
  const int64_t i0 = block % d->blocks_m * d->block_m, j0 = block / d->blocks_m * d->block_n;
  const int64_t rows = gpumm_least (d->m - i0, d->block_m);
  const int64_t cols = gpumm_least (d->n - j0, d->block_n);
  const int64_t plane = d->block_m * d->block_n, bytes = (int64_t) gpumm_type_bytes (d->type);
  const int last = 2 * d->digits - 2;
  memset (w->diagonal, 0, (size_t) ((last + 1) * plane) * sizeof *w->diagonal);
  for (int64_t p = 0; p < d->k && !gpumm_is_cancelled (); p += CHUNK) {
    const int64_t length = gpumm_least (d->k - p, CHUNK);
    strip a = {d->a, rows, length, w->a, d->block_m * STRIDE};
    strip b = {d->b, cols, length, w->b, d->block_n * STRIDE};
    a.x.from = (const char *) d->a.from + (i0 * d->a.across + p * d->a.along) * bytes;
    b.x.from = (const char *) d->b.from + (j0 * d->b.across + p * d->b.along) * bytes;
    const int used_a = pack (d->type, &a), used_b = pack (d->type, &b);
    for (int u = 0; u < used_a; u++)
      for (int v = 0; v < used_b; v++)
        multiply_digits (d, w, u, v, rows, cols, length);
    gpumm_progress_add ((double) (rows * cols) * (double) length);
  }
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++)
      finish (d, i0 + i, j0 + j, w->diagonal + i + j * d->block_m, plane, last);
}

static void multiply_blocks (void *context, int64_t begin, int64_t end) {
  product *d = context;
  const int64_t diagonals = 2 * d->digits - 1;
  /* zeroed: padding rows of a tile are multiplied too; their results are discarded */
  workspace w = {.a = gpumm_allocate (d->digits * d->block_m * STRIDE, sizeof *w.a),
                 .b = gpumm_allocate (d->digits * d->block_n * STRIDE, sizeof *w.b),
                 .diagonal =
                     gpumm_allocate (diagonals * d->block_m * d->block_n, sizeof *w.diagonal)};
  if (w.a && w.b && w.diagonal)
    for (int64_t block = begin; block < end && !gpumm_is_cancelled (); block++)
      multiply_block (d, &w, block);
  else
    atomic_store (&d->failed, 1);
  gpumm_release (w.a);
  gpumm_release (w.b);
  gpumm_release (w.diagonal);
}

/* ---- the row of the table ----------------------------------------------------------------- */

static int takes_integers (const gpumm_problem *p) {
  return gpumm_is_full (p) && gpumm_is_integer (p->a.type) && p->a.type == p->b.type
         && (gpumm_is_integer (p->output) || p->output == GPUMM_S || p->output == GPUMM_D);
}

static gpumm_status open_integers (struct gpumm_job *job) {
  if (gpumm_k (&job->problem) > LONGEST_K)
    return gpumm_fail (GPUMM_UNSUPPORTED, "integer sums of more than 2^40 products");
  return GPUMM_OK;
}

/* Bits for the sum of k products of elements of size at most 2^bits. */
static int choose_sum_bits (gpumm_type type, int64_t k) {
  const int bits = 8 * (int) gpumm_type_bytes (type) - gpumm_is_signed (type);
  const int128 most = (int128) (UINT64_MAX >> 1) << 64; /* a little below 2^127 */
  if (2 * bits < 63 && k <= INT64_MAX >> 2 * bits)
    return 64;
  return 2 * bits < 127 && k <= most >> 2 * bits ? 128 : 192;
}

gpumm_status gpumm_integers_product (const gpumm_problem *p, gpumm_matrix *result) {
  product d = {.type = p->a.type,
               .m = gpumm_m (p),
               .n = gpumm_n (p),
               .k = gpumm_k (p),
               .a = operand_of (&p->a, p->a.op == GPUMM_NONE),
               .b = operand_of (&p->b, p->b.op != GPUMM_NONE),
               .digits = digits_of (p->a.type),
               .sum_bits = choose_sum_bits (p->a.type, gpumm_k (p)),
               .c = *result};
  if (d.m == 0 || d.n == 0)
    return GPUMM_OK;
  int64_t block = block_size[d.digits];
  while (block > SMALLEST_BLOCK
         && gpumm_pieces (d.m, block) * gpumm_pieces (d.n, block) < (int64_t) 2 * gpumm_threads ())
    block /= 2;
  d.block_m = gpumm_least (block, gpumm_pieces (d.m, TILE) * TILE);
  d.block_n = gpumm_least (block, gpumm_pieces (d.n, TILE) * TILE);
  d.blocks_m = gpumm_pieces (d.m, d.block_m);
  gpumm_progress_of ((double) d.m * (double) d.n * (double) d.k);
  const double products =
      (double) (d.block_m * d.block_n) * (double) (d.k + 1) * d.digits * d.digits;
  gpumm_status status =
      gpumm_parallel (d.blocks_m * gpumm_pieces (d.n, d.block_n),
                      (int64_t) (LEAST_PRODUCTS / products) + 1, multiply_blocks, &d);
  if (status)
    return status;
  if (atomic_load (&d.failed))
    return gpumm_fail (
        GPUMM_HOST_MEMORY,
        "out of host memory: cannot allocate the digits of blocks of %lld x %lld %s elements",
        (long long) d.block_m, (long long) d.block_n, gpumm_type_name (d.type));
  return GPUMM_OK;
}

static gpumm_status run_integers (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  gpumm_report *report = &job->report;
  snprintf (report->kernel, sizeof report->kernel, "int%d",
            choose_sum_bits (p->a.type, gpumm_k (p)));
  report->flops = gpumm_full_flops (p);
  return gpumm_integers_product (p, result);
}

const gpumm_algorithm gpumm_algorithm_integers = {
    .name = "integers",
    .summary = "exact integer products on the CPU, saturated once at the end",
    .takes = takes_integers,
    .open = open_integers,
    .run = run_integers,
};
