/* test_blocks.c - products of matrices that are sparse by blocks.
 *
 * The oracle works on full copies: integers of up to 32 bits are summed in 128 bits, floating point
 * in long double with the bound k eps |A||B|; integers of all types are compared bit for bit with
 * the full product, which has an oracle of its own (test_integers.c).
 *
 *   test_blocks [gpu [CASES]]
 *
 * gpu: floating point alone, on a GPU in place of the host device, so many random cases.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "host_device.h"
#include "multiply/compressed.h"
#include "types.h"

#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const gpumm_type types[] = {GPUMM_S,   GPUMM_D,   GPUMM_C,  GPUMM_Z,   GPUMM_I8,  GPUMM_I16,
                                   GPUMM_I32, GPUMM_I64, GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
enum { ALL_TYPES = 12 };

/* ---- elements ----------------------------------------------------------------------------- */

static double complex get (gpumm_type type, const void *values, int64_t at) {
  switch (type) {
  case GPUMM_S:
    return ((const float *) values)[at];
  case GPUMM_D:
    return ((const double *) values)[at];
  case GPUMM_C:
    return ((const float complex *) values)[at];
  default:
    return ((const double complex *) values)[at];
  }
}

static __int128 get_integer (gpumm_type type, const void *values, int64_t at) {
  const size_t bytes = gpumm_type_bytes (type);
  uint64_t raw = 0;
  memcpy (&raw, (const char *) values + (size_t) at * bytes, bytes);
  if (gpumm_is_signed (type) && raw >> (8 * bytes - 1))
    return (__int128) raw - ((__int128) 1 << 8 * bytes);
  return raw;
}

/* Elements up to about most in size; most = 0: of all the type has. */
static void set_random (gpumm_type type, void *values, int64_t at, int64_t most) {
  if (gpumm_is_integer (type)) {
    const size_t bytes = gpumm_type_bytes (type);
    uint64_t raw = check_random ();
    if (most > 0)
      raw = (uint64_t) check_between (gpumm_is_signed (type) ? -most : 0, most);
    memcpy ((char *) values + (size_t) at * bytes, &raw, bytes);
    return;
  }
  const double re = check_uniform (), im = check_uniform ();
  if (type == GPUMM_S)
    ((float *) values)[at] = (float) re;
  else if (type == GPUMM_D)
    ((double *) values)[at] = re;
  else if (type == GPUMM_C)
    ((float complex *) values)[at] = CMPLXF ((float) re, (float) im);
  else
    ((double complex *) values)[at] = CMPLX (re, im);
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* rows x cols blocks of block_rows x block_cols, about percent of 100 of them there; block rows and
 * columns are empty now and then. */
static gpumm_matrix make_blocks (gpumm_type type, int64_t rows, int64_t cols, int64_t block_rows,
                                 int64_t block_cols, int percent, int64_t most) {
  const int64_t each = block_rows * block_cols;
  const int64_t empty_row = check_between (-2, rows), empty_col = check_between (-2, cols);
  gpumm_matrix x = {.format = GPUMM_BLOCKS,
                    .type = type,
                    .rows = rows * block_rows,
                    .cols = cols * block_cols,
                    .block_rows = block_rows,
                    .block_cols = block_cols,
                    .nzmax = rows * cols};
  x.start = check_allocate (rows + 1, sizeof *x.start);
  x.block_column = check_allocate (rows * cols, sizeof *x.block_column);
  x.values = check_allocate (rows * cols * each, gpumm_type_bytes (type));
  int64_t count = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < cols; j++)
      if (i != empty_row && j != empty_col && check_between (0, 99) < percent) {
        x.block_column[count] = (int32_t) j;
        for (int64_t e = 0; e < each; e++)
          set_random (type, x.values, count * each + e, most);
        count++;
      }
    x.start[i + 1] = count;
  }
  return x;
}

static gpumm_matrix make_full (gpumm_type type, int64_t rows, int64_t cols, int64_t most) {
  gpumm_matrix x = {.format = GPUMM_DENSE,
                    .type = type,
                    .rows = rows,
                    .cols = cols,
                    .ld = rows + check_between (0, 3)};
  x.values = check_allocate (x.ld * cols, gpumm_type_bytes (type));
  for (int64_t e = 0; e < x.ld * cols; e++)
    set_random (type, x.values, e, most);
  return x;
}

/* A full copy, without anything of the engine's. */
static gpumm_matrix full_copy (const gpumm_matrix *x) {
  const size_t bytes = gpumm_type_bytes (x->type);
  gpumm_matrix y = {.format = GPUMM_DENSE,
                    .type = x->type,
                    .op = x->op,
                    .rows = x->rows,
                    .cols = x->cols,
                    .ld = x->rows};
  y.values = check_allocate (y.ld * y.cols, bytes);
  if (x->format == GPUMM_DENSE) {
    for (int64_t j = 0; j < x->cols; j++)
      memcpy ((char *) y.values + (size_t) (j * y.ld) * bytes,
              (char *) x->values + (size_t) (j * x->ld) * bytes, (size_t) x->rows * bytes);
    return y;
  }
  const int64_t m = x->block_rows, n = x->block_cols;
  for (int64_t i = 0; i < x->rows / m; i++)
    for (int64_t t = x->start[i]; t < x->start[i + 1]; t++)
      for (int64_t q = 0; q < n; q++)
        memcpy ((char *) y.values + (size_t) (i * m + (x->block_column[t] * n + q) * y.ld) * bytes,
                (char *) x->values + (size_t) (t * m * n + q * m) * bytes, (size_t) m * bytes);
  return y;
}

static void release (gpumm_matrix *x) {
  free (x->values);
  free (x->start);
  free (x->block_column);
  *x = (gpumm_matrix){0};
}

/* ---- products ----------------------------------------------------------------------------- */

/* Memory that holds no zeros, so that what is not written shows. */
static void provide (gpumm_matrix *c) {
  const int64_t elements =
      c->format == GPUMM_DENSE ? c->ld * c->cols : c->nzmax * c->block_rows * c->block_cols;
  const size_t bytes = gpumm_type_bytes (c->type);
  c->values = check_allocate (elements, bytes);
  memset (c->values, 0x5a, (size_t) elements * bytes);
  if (c->format == GPUMM_BLOCKS) {
    c->start = check_allocate (c->rows / c->block_rows + 1, sizeof *c->start);
    c->block_column = check_allocate (c->nzmax, sizeof *c->block_column);
    memset (c->start, 0x5a, (size_t) (c->rows / c->block_rows + 1) * sizeof *c->start);
  }
}

/* What multiplies blocks, and on the host device in how much memory; NULL, 0: auto. */
static const char *algorithm;
static int64_t most_memory;
static gpumm_backend device_backend = GPUMM_CPU; /* whose device runs what is asked for by name */

static gpumm_status multiply (const gpumm_problem *p, gpumm_matrix *c, gpumm_report *report) {
  gpumm_job *job = NULL;
  gpumm_options o = {.backend = GPUMM_CPU, .device = -1};
  if (p->a.format == GPUMM_BLOCKS || p->b.format == GPUMM_BLOCKS) {
    o.algorithm = algorithm;
    o.max_device_memory = most_memory;
    o.backend = algorithm ? device_backend : GPUMM_CPU;
  }
  gpumm_status status = gpumm_open (p, &o, &job);
  *c = (gpumm_matrix){0};
  if (!status) {
    gpumm_result (job, c);
    if (c->format == GPUMM_DENSE)
      c->ld += 2;
    provide (c);
    status = gpumm_run (job, c);
    if (report)
      *report = *gpumm_job_report (job);
  }
  gpumm_close (job);
  return status;
}

/* Sorted, inside, and without blocks of zeros. */
static int is_sound (const gpumm_matrix *c) {
  const size_t each = (size_t) (c->block_rows * c->block_cols) * gpumm_type_bytes (c->type);
  int sound = c->start[0] == 0;
  for (int64_t i = 0; i < c->rows / c->block_rows; i++) {
    sound &= c->start[i + 1] >= c->start[i];
    for (int64_t t = c->start[i]; t < c->start[i + 1]; t++) {
      sound &= c->block_column[t] >= 0 && c->block_column[t] < c->cols / c->block_cols;
      sound &= t == c->start[i] || c->block_column[t - 1] < c->block_column[t];
      int zero = 1;
      for (size_t b = 0; b < each; b++)
        zero &= ((char *) c->values)[(size_t) t * each + b] == 0;
      sound &= !zero;
    }
  }
  return sound && c->start[c->rows / c->block_rows] <= c->nzmax;
}

static int64_t at_op (const gpumm_matrix *x, gpumm_op op, int64_t i, int64_t j) {
  return op == GPUMM_NONE ? i + j * x->ld : j + i * x->ld;
}

/* How sums of integers lie: counted, so that a test can ask that each happened. */
static int64_t below, at_end, above;

/* The sum, saturated, for types of up to 32 bits and integer results. */
static int same_integers (const gpumm_problem *p, const gpumm_matrix *c) {
  const int bits = 8 * (int) gpumm_type_bytes (c->type);
  const __int128 high = ((__int128) 1 << (bits - gpumm_is_signed (c->type))) - 1;
  const __int128 low = gpumm_is_signed (c->type) ? -high - 1 : 0;
  for (int64_t j = 0; j < c->cols; j++)
    for (int64_t i = 0; i < c->rows; i++) {
      __int128 sum = 0;
      for (int64_t l = 0; l < gpumm_k (p); l++)
        sum += get_integer (p->a.type, p->a.values, at_op (&p->a, p->a.op, i, l))
               * get_integer (p->b.type, p->b.values, at_op (&p->b, p->b.op, l, j));
      below += sum < high;
      at_end += sum == high;
      above += sum > high;
      sum = sum < low ? low : sum > high ? high : sum;
      if (sum != get_integer (c->type, c->values, i + j * c->ld))
        return 0;
    }
  return 1;
}

/* |x| of every element of a full matrix. */
static double *magnitudes (const gpumm_matrix *x) {
  double *size = check_allocate (x->ld * x->cols, sizeof *size);
  for (int64_t e = 0; e < x->ld * x->cols; e++)
    size[e] = cabs (get (x->type, x->values, e));
  return size;
}

/* Largest error over its bound; NaN counts as infinite. */
static double worst (const gpumm_problem *p, const gpumm_matrix *c) {
  const int64_t k = gpumm_k (p);
  double *size_a = magnitudes (&p->a), *size_b = magnitudes (&p->b);
  const double eps = c->type == GPUMM_S || c->type == GPUMM_C ? FLT_EPSILON : DBL_EPSILON;
  double largest = 0;
  for (int64_t j = 0; j < c->cols; j++)
    for (int64_t i = 0; i < c->rows; i++) {
      long double complex sum = 0;
      long double bound = 0;
      for (int64_t l = 0; l < k; l++) {
        const int64_t at_a = at_op (&p->a, p->a.op, i, l), at_b = at_op (&p->b, p->b.op, l, j);
        double complex x = get (p->a.type, p->a.values, at_a);
        double complex y = get (p->b.type, p->b.values, at_b);
        x = p->a.op == GPUMM_CTRANSPOSE ? conj (x) : x;
        y = p->b.op == GPUMM_CTRANSPOSE ? conj (y) : y;
        sum += (long double complex) x * y;
        bound += (long double) size_a[at_a] * size_b[at_b];
      }
      bound *= (long double) (k + 4);
      const double error = (double) cabsl (sum - get (c->type, c->values, i + j * c->ld));
      if (error > 0 || isnan (error)) {
        const double ratio = error / (2 * eps * (double) bound + DBL_MIN);
        largest = isnan (ratio) ? INFINITY : ratio > largest ? ratio : largest;
      }
    }
  free (size_a);
  free (size_b);
  return largest;
}

/* One product and its check; the text says which. */
static void check_product (gpumm_problem *p, const char *text) {
  gpumm_matrix c, copy, c_full, full = {0};
  gpumm_status status = multiply (p, &c, NULL);
  if (status) {
    CHECK (0, "%s: %s: %s", text, gpumm_status_name (status), gpumm_last_error ());
    return;
  }
  if (c.format == GPUMM_BLOCKS)
    CHECK (is_sound (&c), "%s", text);
  gpumm_problem q = *p;
  q.a = full_copy (&p->a);
  q.b = full_copy (&p->b);
  copy = full_copy (&c);
  if (gpumm_is_integer (q.a.type)) {
    status = multiply (&q, &full, NULL);
    CHECK (!status, "%s: %s", text, gpumm_last_error ());
    c_full = full_copy (&full);
    CHECK (memcmp (c_full.values, copy.values,
                   (size_t) (copy.rows * copy.cols) * gpumm_type_bytes (copy.type))
               == 0,
           "%s", text);
    release (&c_full);
    if (gpumm_type_bytes (q.a.type) <= 4 && gpumm_is_integer (c.type))
      CHECK (same_integers (&q, &copy), "%s", text);
  } else {
    const double ratio = worst (&q, &copy);
    CHECK (ratio <= 1, "%s: %.3g of the bound", text, ratio);
  }
  release (&q.a);
  release (&q.b);
  release (&copy);
  release (&full);
  release (&c);
}

/* Types of the second operand and the result that go with the first's. */
static void choose_types (gpumm_type a, gpumm_type *b, gpumm_type *output) {
  static const gpumm_type outputs[] = {GPUMM_I8,  GPUMM_I16, GPUMM_I32, GPUMM_I64, GPUMM_U8,
                                       GPUMM_U16, GPUMM_U32, GPUMM_U64, GPUMM_S,   GPUMM_D};
  *b = a;
  if (gpumm_is_integer (a))
    *output = check_between (0, 1) ? a : outputs[check_between (0, 9)];
  else {
    const int single = a == GPUMM_S || a == GPUMM_C, real = check_between (0, 2) == 0;
    *b = single ? real ? GPUMM_S : GPUMM_C : real ? GPUMM_D : GPUMM_Z;
    if (!gpumm_is_complex (a) && check_between (0, 1))
      *b = a;
    *output = gpumm_is_complex (a) ? a : *b;
  }
}

enum { BLOCKS_BLOCKS, BLOCKS_BLOCKS_FULL, BLOCKS_FULL, FULL_BLOCKS, KINDS };

/* A product of mb x kb by kb x nb blocks of m x k and k x n. */
static void one (gpumm_type type, int kind, gpumm_op op_a, gpumm_op op_b, int64_t mb, int64_t kb,
                 int64_t nb, int64_t m, int64_t k, int64_t n, int percent, int64_t most) {
  gpumm_type type_b, output;
  choose_types (type, &type_b, &output);
  gpumm_problem p = {.alpha = {1, 0}, .output = output};
  const int turned_a = op_a != GPUMM_NONE, turned_b = op_b != GPUMM_NONE;
  if (kind == FULL_BLOCKS)
    p.a =
        turned_a ? make_full (type, kb * k, mb * m, most) : make_full (type, mb * m, kb * k, most);
  else
    p.a = turned_a ? make_blocks (type, kb, mb, k, m, percent, most)
                   : make_blocks (type, mb, kb, m, k, percent, most);
  if (kind == BLOCKS_FULL)
    p.b = turned_b ? make_full (type_b, nb * n, kb * k, most)
                   : make_full (type_b, kb * k, nb * n, most);
  else
    p.b = turned_b ? make_blocks (type_b, nb, kb, n, k, percent, most)
                   : make_blocks (type_b, kb, nb, k, n, percent, most);
  p.a.op = op_a;
  p.b.op = op_b;
  p.full = kind == BLOCKS_BLOCKS_FULL;
  char text[200];
  snprintf (text, sizeof text,
            "%s by %s to %s, kind %d, ops %d %d, %" PRId64 "x%" PRId64 "x%" PRId64
            " blocks of %" PRId64 "x%" PRId64 "x%" PRId64 ", %d %%",
            gpumm_type_name (type), gpumm_type_name (type_b), gpumm_type_name (output), kind, op_a,
            op_b, mb, kb, nb, m, k, n, percent);
  check_product (&p, text);
  release (&p.a);
  release (&p.b);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void test_tables (void) {
  static const int64_t shapes[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5},
                                      {6, 6, 6}, {7, 7, 7}, {8, 8, 8}, {9, 9, 9}, {4, 8, 4},
                                      {8, 4, 2}, {1, 4, 9}, {3, 1, 5}, {2, 7, 1}};
  for (int t = 0; t < ALL_TYPES; t++)
    for (int s = 0; s < (int) (sizeof shapes / sizeof *shapes); s++)
      for (int kind = 0; kind < KINDS; kind++)
        for (int ops = 0; ops < 9; ops += kind == BLOCKS_BLOCKS ? 1 : 4)
          one (types[t], kind, (gpumm_op) (ops / 3), (gpumm_op) (ops % 3), 3, 4, 5, shapes[s][0],
               shapes[s][1], shapes[s][2], 40, (s + ops) % 2 ? 0 : 50);
}

static void test_edges (void) {
  static const int64_t sizes[][3] = {{0, 3, 2}, {2, 0, 3}, {3, 2, 0}, {0, 0, 0},
                                     {1, 1, 1}, {1, 9, 1}, {9, 1, 9}};
  for (int t = 0; t < ALL_TYPES; t++)
    for (int s = 0; s < (int) (sizeof sizes / sizeof *sizes); s++)
      for (int kind = 0; kind < KINDS; kind++)
        for (int percent = 0; percent <= 100; percent += 50)
          one (types[t], kind, GPUMM_NONE, s % 2 ? GPUMM_TRANSPOSE : GPUMM_NONE, sizes[s][0],
               sizes[s][1], sizes[s][2], 2, 3, 4, percent, 9);
}

static void test_random (uint64_t seed, int cases) {
  check_seed (seed);
  for (int c = 0; c < cases / SANITIZED_STEP; c++) {
    const int64_t m = check_between (1, 9), k = check_between (1, 9), n = check_between (1, 9);
    const gpumm_type type = types[check_between (0, ALL_TYPES - 1)];
    const int64_t wide = check_between (0, 9) == 0 ? 150 : 12;
    one (type, (int) check_between (0, KINDS - 1), (gpumm_op) check_between (0, 2),
         (gpumm_op) check_between (0, 2), check_between (0, 12), check_between (0, 12),
         check_between (0, wide), m, k, n, (int) check_between (0, 100),
         check_between (0, 1) ? 0 : check_between (1, 100));
  }
}

/* uint16 x uint16 -> uint32 with sums below, at and above the end of the range. */
static void test_saturation (void) {
  static const struct {
    int64_t most;
    int percent;
  } ranges[] = {{2047, 50}, {65535, 5}, {0, 100}, {30000, 30}};
  for (int size = 1; size <= 8; size++)
    for (int r = 0; r < 4; r++) {
      const int64_t seen = below + at_end + above;
      gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
      p.a = make_blocks (GPUMM_U16, 6, 9, size, size, ranges[r].percent, ranges[r].most);
      p.b = make_blocks (GPUMM_U16, 9, 7, size, size, ranges[r].percent, ranges[r].most);
      check_product (&p, "saturation");
      CHECK (below + at_end + above == seen + 42 * size * size, "nothing was compared");
      release (&p.a);
      release (&p.b);
    }
  /* 65535 65535 + 65535 2 = 2^32 - 1: one less, just that, one more */
  below = at_end = above = 0;
  for (int d = -1; d <= 1; d++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
    p.a = make_blocks (GPUMM_U16, 1, 2, 1, 2, 100, 1);
    p.b = make_blocks (GPUMM_U16, 2, 1, 2, 1, 100, 1);
    for (int i = 0; i < 2; i++) { /* make_blocks may have left a block out */
      p.a.start[1] = 2;
      p.a.block_column[i] = i;
      p.b.start[i + 1] = i + 1;
      p.b.block_column[i] = 0;
    }
    const uint16_t row[] = {65535, 1, 1, (uint16_t) (d == 1)};
    const uint16_t col[] = {65535, 65535, (uint16_t) (65535 - (d == -1)), 1};
    memcpy (p.a.values, row, sizeof row);
    memcpy (p.b.values, col, sizeof col);
    gpumm_matrix c;
    CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
    const uint32_t expected = d < 0 ? UINT32_MAX - 1 : UINT32_MAX;
    CHECK (*(uint32_t *) c.values == expected, "%" PRIu32 ", not %" PRIu32, *(uint32_t *) c.values,
           expected);
    release (&c);
    check_product (&p, "at the end of the range");
    release (&p.a);
    release (&p.b);
  }
  CHECK (below == 1 && at_end == 1 && above == 1,
         "%" PRId64 " below, %" PRId64 " at, %" PRId64 " above", below, at_end, above);
}

/* A sum above 2^53, and odd: no double holds it. */
static void test_long (void) {
  const int64_t k = ((int64_t) 1 << 22) + 1;
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U64};
  p.a = make_blocks (GPUMM_U16, 1, k, 1, 1, 0, 1);
  p.b = make_blocks (GPUMM_U16, k, 1, 1, 1, 0, 1);
  p.a.start[1] = k;
  for (int64_t t = 0; t < k; t++) {
    p.a.block_column[t] = (int32_t) t;
    p.b.start[t + 1] = t + 1;
  }
  memset (p.a.values, 0xff, (size_t) k * 2);
  memset (p.b.values, 0xff, (size_t) k * 2);
  gpumm_matrix c;
  gpumm_report report = {0};
  CHECK (!multiply (&p, &c, &report), "%s", gpumm_last_error ());
  CHECK (*(uint64_t *) c.values == (uint64_t) k * 65535 * 65535, "%" PRIu64,
         *(uint64_t *) c.values);
  CHECK (strstr (report.kernel, "int64"), "%s", report.kernel);
  release (&c);
  release (&p.a);
  release (&p.b);
}

/* Complex infinities as C has them, in each block of a row of C: (Inf + Inf i) i, whose parts alone are
 * NaN. */
static void test_infinities (gpumm_type type) {
  const double complex a[] = {1, CMPLX (INFINITY, INFINITY)}, b[] = {1, 1, 1, 1, CMPLX (0, 1)};
  float complex single_a[2], single_b[5];
  for (int e = 0; e < 5; e++) {
    single_a[e % 2] = (float complex) a[e % 2];
    single_b[e] = (float complex) b[e];
  }
  for (int32_t at = 0; at < 4; at++) {
    int64_t start_a[] = {0, 2}, start_b[] = {0, 4, 5};
    int32_t column_a[] = {0, 1}, column_b[] = {0, 1, 2, 3, at};
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_matrix c;
    p.a = (gpumm_matrix){.format = GPUMM_BLOCKS,
                         .type = type,
                         .rows = 1,
                         .cols = 2,
                         .nzmax = 2,
                         .block_rows = 1,
                         .block_cols = 1,
                         .start = start_a,
                         .block_column = column_a,
                         .values = type == GPUMM_Z ? (void *) a : single_a};
    p.b = p.a;
    p.b.rows = 2;
    p.b.cols = 4;
    p.b.nzmax = 5;
    p.b.start = start_b;
    p.b.block_column = column_b;
    p.b.values = type == GPUMM_Z ? (void *) b : single_b;
    CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
    const double complex made =
        type == GPUMM_Z ? ((double complex *) c.values)[at] : ((float complex *) c.values)[at];
    CHECK (c.start[1] == 4 && creal (made) == -INFINITY && cimag (made) == INFINITY,
           "%s, block %d: %g + %gi", gpumm_type_name (type), at, creal (made), cimag (made));
    release (&c);
  }
}

/* Blocks that cancel are left out; a NaN is not zero; -0 is. By "blocks" or a device's algorithm. */
static void test_zeros_with (const char *name) {
  double a[] = {1, 2, 3, 4, -1, -2, -3, -4, 5, 6, 7, 8}, b[] = {1, 0, 0, 1, 1, 0, 0, 1};
  int64_t start_a[] = {0, 2, 3}, start_b[] = {0, 1, 2};
  int32_t column_a[] = {0, 1, 0}, column_b[] = {0, 0};
  gpumm_matrix x = {.format = GPUMM_BLOCKS,
                    .type = GPUMM_D,
                    .rows = 4,
                    .cols = 4,
                    .nzmax = 3,
                    .block_rows = 2,
                    .block_cols = 2,
                    .start = start_a,
                    .block_column = column_a,
                    .values = a};
  gpumm_matrix y = x, c;
  y.cols = 2;
  y.start = start_b;
  y.block_column = column_b;
  y.values = b;
  gpumm_problem p = {.a = x, .b = y, .alpha = {1, 0}};
  gpumm_report report;
  CHECK (!multiply (&p, &c, &report), "%s", gpumm_last_error ());
  CHECK (c.nzmax == 2 && c.start[1] == 0 && c.start[2] == 1, "the zero block is there");
  CHECK (((double *) c.values)[1] == 6, "the other block has moved wrongly");
  CHECK (report.flops == 3 * 2 * 8, "%g operations", report.flops);
  CHECK (strcmp (report.algorithm, name) == 0, "%s", report.algorithm);
  CHECK (strstr (report.reason, "3 products of blocks, 75 %"), "%s", report.reason);
  release (&c);
  a[0] = NAN;
  CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
  CHECK (c.start[1] == 1 && isnan (((double *) c.values)[0]), "NaN is zero");
  release (&c);
}

static void test_errors (void) {
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_I8};
  gpumm_matrix c;
  p.a = make_blocks (GPUMM_I8, 4, 4, 2, 3, 100, 0);
  p.b = make_blocks (GPUMM_I8, 6, 4, 2, 3, 100, 0);
  CHECK (multiply (&p, &c, NULL) == GPUMM_NONCONFORMANT, "%s", gpumm_last_error ());
  CHECK (strstr (gpumm_last_error (), "blocks of 2x3, op2 of 2x3"), "%s", gpumm_last_error ());
  release (&p.b);
  p.b = make_blocks (GPUMM_I8, 4, 4, 3, 2, 100, 0);
  for (int64_t i = 1; i <= 4; i++) { /* all blocks, whatever was drawn */
    p.a.start[i] = p.b.start[i] = 4 * i;
    for (int32_t j = 0; j < 4; j++)
      p.a.block_column[4 * i - 4 + j] = p.b.block_column[4 * i - 4 + j] = j;
  }
  CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
  release (&c);
  const struct {
    const char *what;
    int64_t *offset, offset_value;
    int32_t *column, column_value;
  } wrong[] = {{"begins at 1", &p.a.start[0], 1, NULL, 0},
               {"descend", &p.a.start[2], 3, NULL, 0},
               {"descend", &p.b.start[3], -1, NULL, 0},
               {"the arrays hold", &p.b.start[4], 17, NULL, 0},
               {"block row 1 do not ascend", NULL, 0, &p.a.block_column[0], -1},
               {"block row 4 do not ascend", NULL, 0, &p.b.block_column[15], 4},
               {"block row 2 do not ascend", NULL, 0, &p.a.block_column[5], 0},
               {"block row 2 do not ascend", NULL, 0, &p.a.block_column[5], 2}};
  for (int w = 0; w < (int) (sizeof wrong / sizeof *wrong); w++) {
    const int64_t offset = wrong[w].offset ? *wrong[w].offset : 0;
    const int32_t column = wrong[w].column ? *wrong[w].column : 0;
    if (wrong[w].offset)
      *wrong[w].offset = wrong[w].offset_value;
    else
      *wrong[w].column = wrong[w].column_value;
    CHECK (multiply (&p, &c, NULL) == GPUMM_INVALID, "%s was taken", wrong[w].what);
    CHECK (strstr (gpumm_last_error (), wrong[w].what), "%s", gpumm_last_error ());
    if (wrong[w].offset)
      *wrong[w].offset = offset;
    else
      *wrong[w].column = column;
  }
  gpumm_problem q = p;
  q.a.block_rows = 3;
  CHECK (multiply (&q, &c, NULL) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "does not divide"),
         "%s", gpumm_last_error ());
  q = p;
  for (int d = 0; d < 6; d++) { /* int8, then double; a factor of the product, then a C0 */
    q = p;
    q.a.type = q.b.type = d < 3 ? GPUMM_I8 : GPUMM_D;
    q.alpha.re = d % 3 == 0 ? 0 : d % 3 == 1 ? 2 : 1;
    q.beta.re = d % 3 == 2;
    q.c0 = &q.a;
    CHECK (multiply (&q, &c, NULL) == GPUMM_UNSUPPORTED
               && strstr (gpumm_last_error (), "scale the result"),
           "case %d: %s", d, gpumm_last_error ());
  }
  q = p;
  q.a.type = GPUMM_D;
  CHECK (multiply (&q, &c, NULL) == GPUMM_UNSUPPORTED, "double by int8");
  CHECK (strstr (gpumm_last_error (), "block-sparse double by block-sparse int8"), "%s",
         gpumm_last_error ());
  release (&p.a);
  release (&p.b);
}

/* Every allocation fails in turn: an error, and nothing is left behind. */
static void test_memory (gpumm_type type) {
  for (int kind = 0; kind < KINDS; kind++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32, .full = kind == BLOCKS_BLOCKS_FULL};
    p.a = kind == FULL_BLOCKS ? make_full (type, 12, 8, 0) : make_blocks (type, 3, 2, 4, 4, 60, 0);
    p.a.op = GPUMM_TRANSPOSE;
    p.b = kind == BLOCKS_FULL ? make_full (type, 12, 5, 0) : make_blocks (type, 3, 70, 4, 4, 60, 0);
    const int64_t live = gpumm_live_allocations ();
    int failures = 0;
    for (int64_t n = 1; n < 100; n++) {
      gpumm_matrix c;
      gpumm_fault_memory (n);
      const gpumm_status status = multiply (&p, &c, NULL);
      const int64_t counted = gpumm_fault_memory (0);
      CHECK (!status || status == GPUMM_HOST_MEMORY, "%s", gpumm_last_error ());
      CHECK (gpumm_live_allocations () == live, "allocation %" PRId64 " leaves memory behind", n);
      failures += status != GPUMM_OK;
      release (&c);
      if (counted < n)
        break;
    }
    CHECK (failures > 1, "only %d allocations", failures);
    release (&p.a);
    release (&p.b);
  }
}

/* On the CPU, so many rows that the full matrix needs more than one panel: what each panel makes is what
 * its columns alone make. */
static void test_panels (void) {
  enum { ROWS = 140000, COLUMNS = 45, PART = 20 };
  gpumm_problem p = {.alpha = {1, 0}};
  gpumm_matrix c, d;
  p.a = make_blocks (GPUMM_D, 3, ROWS / 5, 4, 5, 50, 0);
  p.b = make_full (GPUMM_D, ROWS, COLUMNS, 0);
  CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
  for (int64_t first = 0; first < COLUMNS; first += PART) {
    gpumm_problem q = p;
    q.b.cols = first + PART < COLUMNS ? PART : COLUMNS - first;
    q.b.values = (double *) p.b.values + first * p.b.ld;
    CHECK (!multiply (&q, &d, NULL), "%s", gpumm_last_error ());
    for (int64_t j = 0; j < q.b.cols; j++)
      CHECK (memcmp ((double *) c.values + (first + j) * c.ld, (double *) d.values + j * d.ld,
                     12 * sizeof (double))
                 == 0,
             "column %" PRId64, first + j);
    release (&d);
  }
  release (&c);
  release (&p.a);
  release (&p.b);
}

/* Integers on the host device: in one piece of memory, and in two that take turns. */
static void test_device (void) {
  static const gpumm_type integers[] = {GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64,
                                        GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
  check_seed (7);
  for (int c = 0; c < 60 / SANITIZED_STEP; c++) {
    const int classic = c % 3 == 0;
    const gpumm_type type = classic ? GPUMM_U16 : integers[check_between (0, 7)];
    const int64_t m = classic ? 4 * check_between (1, 2) : check_between (1, 6);
    const int64_t k = classic ? m : check_between (1, 6), n = classic ? m : check_between (1, 6);
    const int64_t rows = check_between (0, 40), inner = check_between (0, 9),
                  cols = check_between (0, 60), most = check_between (0, 1) ? 0 : 3;
    const int percent = (int) check_between (0, 100);
    algorithm = classic && check_between (0, 1) ? "classic" : "blocks_integer";
    /* the pool gives memory in pieces of 2 MiB; C of 40 x 60 blocks needs less than one of them */
    most_memory = check_between (0, 1) ? (int64_t) 64 << 20 : 0;
    gpumm_problem p = {.alpha = {1, 0},
                       .output = classic ? GPUMM_U32 : integers[check_between (0, 7)]};
    p.a = make_blocks (type, rows, inner, m, k, percent, most);
    p.b = make_blocks (type, inner, cols, k, n, percent, most);
    char text[100];
    snprintf (text, sizeof text, "%s, %s to %s, case %d", algorithm, gpumm_type_name (type),
              gpumm_type_name (p.output), c);
    check_product (&p, text);
    release (&p.a);
    release (&p.b);
  }
  algorithm = "blocks_integer";
  most_memory = 0;
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
  gpumm_report report = {0};
  gpumm_matrix c;
  p.a = make_blocks (GPUMM_U16, 30, 30, 4, 4, 30, 0);
  p.b = p.a; /* goes up once */
  check_product (&p, "A*A");
  CHECK (!multiply (&p, &c, &report), "%s", gpumm_last_error ());
  const int64_t blocks = p.a.start[30];
  CHECK (report.bytes_up == 31 * 8 * 2 + blocks * (4 + 32), "%" PRId64 " bytes up",
         report.bytes_up);
  CHECK (strcmp (report.algorithm, "blocks_integer") == 0 && strstr (report.reason, "products of"),
         "%s: %s", report.algorithm, report.reason);
  release (&c);
  /* every call of the device fails in turn: an error, and nothing is left behind */
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  int failures = 0;
  for (int64_t i = 1; i < 400; i += SANITIZED_STEP) {
    gpumm_fault_device (i);
    const gpumm_status status = multiply (&p, &c, NULL);
    const int64_t counted = gpumm_fault_device (0);
    CHECK (!status || status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY, "%s",
           gpumm_last_error ());
    failures += status != GPUMM_OK;
    release (&c);
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == live, "call %" PRId64 " leaves memory behind", i);
    if (counted < i)
      break;
  }
  CHECK (failures > 20 / SANITIZED_STEP, "only %d calls", failures);
  release (&p.a);
  algorithm = NULL;
}

/* Floating point on a device, with ops. */
static void test_device_floats (int cases) {
  static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 6, 8, 9, 13, 16, 23, 32, 64};
  static const int kinds[] = {BLOCKS_BLOCKS, BLOCKS_FULL, FULL_BLOCKS};
  check_seed (9);
  for (int c = 0; c < cases; c++) {
    const int kind = kinds[c % 3], square = check_between (0, 1) == 0;
    const int64_t m = sizes[check_between (0, 13)], k = square ? m : sizes[check_between (0, 13)],
                  n = square ? m : sizes[check_between (0, 13)], most = 1 + 60 / (m + k + n);
    algorithm = kind == BLOCKS_BLOCKS ? "bsr" : "spmm";
    most_memory = check_between (0, 1) ? (int64_t) 64 << 20 : 0;
    one (types[check_between (0, 3)], kind, (gpumm_op) check_between (0, 2),
         (gpumm_op) check_between (0, 2), check_between (0, most), check_between (0, most),
         check_between (0, most), m, k, n, (int) check_between (0, 100), 0);
  }
  most_memory = 0;
  algorithm = NULL;
}

/* What blocks on a device are asked besides: zeros, NaN, one operand twice, reports, failures. */
static void test_device_special (void) {
  algorithm = "bsr";
  test_zeros_with ("bsr");
  gpumm_problem p = {.alpha = {1, 0}};
  gpumm_report report = {0};
  gpumm_matrix c, d;
  p.a = make_blocks (GPUMM_D, 20, 20, 3, 3, 30, 0);
  p.b = p.a; /* goes up once, also where it is transposed */
  const int64_t blocks = p.a.start[20];
  for (int op = GPUMM_NONE; op <= GPUMM_TRANSPOSE; op++) {
    p.a.op = (gpumm_op) op;
    check_product (&p, "A*A, A'*A");
    CHECK (!multiply (&p, &c, &report), "%s", gpumm_last_error ());
    CHECK (report.bytes_up == 21 * 8 * 2 + blocks * (4 + 72), "%" PRId64 " bytes up",
           report.bytes_up);
    CHECK (strcmp (report.algorithm, "bsr") == 0 && strcmp (report.kernel, "bsr_register") == 0
               && strstr (report.reason, "products of blocks"),
           "%s, %s: %s", report.algorithm, report.kernel, report.reason);
    release (&c);
  }
  p.a.op = GPUMM_NONE;
  /* only blocks that are there multiply, and what they make is as the CPU makes it */
  for (int64_t e = 0; e < blocks; e++) {
    ((double *) p.a.values)[9 * e + 2] = NAN;
    ((double *) p.a.values)[9 * e + 7] = -INFINITY;
  }
  for (int full = 0; full <= 1; full++) {
    gpumm_matrix x = make_full (GPUMM_D, 60, 7, 0);
    gpumm_problem q = p;
    q.b = full ? x : p.b;
    algorithm = full ? "spmm" : "bsr";
    CHECK (!multiply (&q, &c, NULL), "%s", gpumm_last_error ());
    algorithm = NULL;
    CHECK (!multiply (&q, &d, NULL), "%s", gpumm_last_error ());
    const int64_t elements = full ? 60 * 7 : c.start[20] * 9;
    CHECK (full || c.start[20] == d.start[20], "not as many blocks");
    int64_t wrong = 0, special = 0;
    for (int64_t e = 0; e < elements; e++) {
      const int64_t at = full ? e % 60 + e / 60 * c.ld : e;
      const double u = ((double *) c.values)[at], v = ((double *) d.values)[at];
      special += !isfinite (v);
      wrong += isnan (v) ? !isnan (u) : isinf (v) ? u != v : !(fabs (u - v) < 1e-12);
    }
    CHECK (wrong == 0 && special > 0, "%" PRId64 " elements differ, %" PRId64 " are special", wrong,
           special);
    release (&c);
    release (&d);
    release (&x);
  }
  /* every call of the device fails in turn */
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  int failures = 0;
  gpumm_matrix x = make_full (GPUMM_D, 60, 7, 0);
  for (int full = 0; full <= 1 && device_backend == GPUMM_CPU; full++)
    for (int64_t i = 1; i < 400; i += SANITIZED_STEP) {
      gpumm_problem q = p;
      q.a.op = GPUMM_TRANSPOSE;
      q.b = full ? x : p.b;
      algorithm = full ? "spmm" : "bsr";
      gpumm_fault_device (i);
      const gpumm_status status = multiply (&q, &c, NULL);
      const int64_t counted = gpumm_fault_device (0);
      CHECK (!status || status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY, "%s",
             gpumm_last_error ());
      failures += status != GPUMM_OK;
      release (&c);
      gpumm_reset ();
      CHECK (gpumm_live_allocations () == live, "call %" PRId64 " leaves memory behind", i);
      if (counted < i)
        break;
    }
  CHECK (failures > 40 / SANITIZED_STEP || device_backend == GPUMM_GPU, "only %d calls", failures);
  release (&x);
  release (&p.a);
  algorithm = NULL;
}

/* The product in device memory that is too small for a piece; then as before. */
static void refuse_few_bytes (const gpumm_problem *p) {
  gpumm_matrix d;
  most_memory = 20000;
  gpumm_reset ();
  CHECK (multiply (p, &d, NULL) == GPUMM_DEVICE_MEMORY, "20 kB are enough");
  algorithm = NULL;
  most_memory = 0;
}

/* The same of floating point: two pieces, each of which finds transposes made. */
static void test_float_pieces (void) {
  enum { BLOCKS = 500 };
  check_seed (12); /* with some seeds, the inner blocks do not meet */
  for (int ops = 0; ops < 4; ops += SANITIZED_STEP) {
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_matrix c, d;
    p.a = ops & 1 ? make_blocks (GPUMM_D, 2, BLOCKS, 1, 3, 100, 0)
                  : make_blocks (GPUMM_D, BLOCKS, 2, 3, 1, 100, 0);
    p.b = ops & 2 ? make_blocks (GPUMM_D, BLOCKS, 2, 3, 1, 100, 0)
                  : make_blocks (GPUMM_D, 2, BLOCKS, 1, 3, 100, 0);
    p.a.op = ops & 1 ? GPUMM_TRANSPOSE : GPUMM_NONE;
    p.b.op = ops & 2 ? GPUMM_TRANSPOSE : GPUMM_NONE;
    algorithm = NULL;
    CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
    algorithm = "bsr";
    most_memory = (int64_t) 28 << 20; /* of 19 MiB that C takes, 2 MiB each that the rest does */
    gpumm_reset ();
    CHECK (!multiply (&p, &d, NULL), "%s", gpumm_last_error ());
    const int64_t blocks = c.start[BLOCKS];
    CHECK (blocks > 200000 && d.start[BLOCKS] == blocks, "%" PRId64 " blocks", blocks);
    int64_t wrong = 0;
    for (int64_t e = 0; e < 9 * blocks; e++)
      wrong += !(fabs (((double *) c.values)[e] - ((double *) d.values)[e]) <= 1e-15);
    CHECK (memcmp (c.block_column, d.block_column, (size_t) blocks * sizeof (int32_t)) == 0
               && wrong == 0,
           "pieces differ, in %" PRId64 " elements", wrong);
    release (&d);
    refuse_few_bytes (&p);
    release (&c);
    release (&p.a);
    release (&p.b);
  }
}

/* With a full matrix larger than the memory: panels that find the transpose made. */
static void test_full_pieces (void) {
  enum { LONG = 20000 };
  for (int c = 0; c < 8; c++) {
    const int left = c % 2, ops = c / 2;
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_matrix u, v;
    gpumm_matrix x = make_blocks (GPUMM_D, 12, 12, 5, 5, 40, 0);
    const int turned = ops & 2;
    gpumm_matrix y =
        left != turned / 2 ? make_full (GPUMM_D, 60, LONG, 0) : make_full (GPUMM_D, LONG, 60, 0);
    p.a = left ? x : y;
    p.b = left ? y : x;
    *(left ? &p.a.op : &p.b.op) = ops & 1 ? GPUMM_TRANSPOSE : GPUMM_NONE;
    *(left ? &p.b.op : &p.a.op) = turned ? GPUMM_TRANSPOSE : GPUMM_NONE;
    algorithm = NULL;
    CHECK (!multiply (&p, &u, NULL), "%s", gpumm_last_error ());
    algorithm = "spmm";
    most_memory = (int64_t) 16 << 20; /* of 19 MB that the full matrices take */
    gpumm_reset ();
    CHECK (!multiply (&p, &v, NULL), "%s", gpumm_last_error ());
    int64_t wrong = 0;
    for (int64_t j = 0; j < u.cols; j++)
      for (int64_t i = 0; i < u.rows; i++)
        wrong += !(fabs (((double *) u.values)[i + j * u.ld] - ((double *) v.values)[i + j * v.ld])
                   <= 1e-13);
    CHECK (wrong == 0, "case %d: %" PRId64 " elements differ", c, wrong);
    release (&u);
    release (&v);
    release (&x);
    release (&y);
  }
  algorithm = NULL;
  most_memory = 0;
}

/* C larger than the memory: two pieces that take turns. */
static void test_device_pieces (void) {
  enum { BLOCKS = 700 };
  check_seed (11); /* some seeds give A an empty column, or B an empty row */
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U64};
  gpumm_matrix c, d;
  p.a = make_blocks (GPUMM_U8, BLOCKS, 2, 2, 1, 100, 0);
  p.b = make_blocks (GPUMM_U8, 2, BLOCKS, 1, 2, 100, 0);
  algorithm = NULL;
  CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
  algorithm = "blocks_integer";
  most_memory = (int64_t) 12 << 20; /* of 16 MiB and more that C takes */
  gpumm_reset ();
  CHECK (!multiply (&p, &d, NULL), "%s", gpumm_last_error ());
  const int64_t blocks = c.start[BLOCKS];
  CHECK (blocks > 400000 && d.start[BLOCKS] == blocks, "%" PRId64 " blocks", blocks);
  CHECK (memcmp (c.block_column, d.block_column, (size_t) blocks * sizeof (int32_t)) == 0
             && memcmp (c.values, d.values, (size_t) blocks * 4 * sizeof (uint64_t)) == 0,
         "pieces differ");
  release (&d);
  refuse_few_bytes (&p);
  release (&c);
  release (&p.a);
  release (&p.b);
}

/* Each piece of C brings its own rows of A, where A is not small. */
static void test_pieces_of_a (void) {
  enum { MOST = 100 }; /* sums of larger integers would all be 2^32 - 1 */
  static const struct {
    gpumm_type type, output;
    const char *algorithm;
    int64_t rows, inner, cols;
  } cases[] = {{GPUMM_U16, GPUMM_U32, "blocks_integer", 1024, 160, 3},
               {GPUMM_D, GPUMM_D, "bsr", 700, 20, 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = cases[i].output};
    gpumm_matrix c, d;
    p.a = make_blocks (cases[i].type, cases[i].rows, cases[i].inner, 4, 4, 60, MOST);
    p.b = make_blocks (cases[i].type, cases[i].inner, cases[i].cols, 4, 4, 60, MOST);
    algorithm = NULL;
    CHECK (!multiply (&p, &c, NULL), "%s", gpumm_last_error ());
    algorithm = cases[i].algorithm;
    gpumm_reset (); /* what lies in new memory is not A */
    CHECK (!multiply (&p, &d, NULL), "%s", gpumm_last_error ());
    const int64_t blocks = c.start[cases[i].rows];
    CHECK (d.start[cases[i].rows] == blocks
               && memcmp (c.block_column, d.block_column, (size_t) blocks * sizeof (int32_t)) == 0,
           "%s: other blocks", algorithm);
    int64_t wrong = 0;
    for (int64_t e = 0; e < 16 * blocks; e++)
      wrong += i == 0 ? ((uint32_t *) c.values)[e] != ((uint32_t *) d.values)[e]
                      : !(fabs (((double *) c.values)[e] - ((double *) d.values)[e]) <= 1e-13);
    CHECK (wrong == 0, "%s: %" PRId64 " of %" PRId64 " elements differ", algorithm, wrong,
           16 * blocks);
    release (&c);
    release (&d);
    release (&p.a);
    release (&p.b);
  }
  algorithm = NULL;
}

/* A and B in one memory, cut into blocks of other sizes: 2 x 3 by 3 x 2. */
static void test_shared_memory (void) {
  int32_t values[] = {1, 2, 3, 4, 5, 6}, column[] = {0};
  int64_t start[] = {0, 1};
  gpumm_matrix a = {.format = GPUMM_BLOCKS,
                    .type = GPUMM_I32,
                    .rows = 2,
                    .cols = 3,
                    .block_rows = 2,
                    .block_cols = 3,
                    .nzmax = 1,
                    .start = start,
                    .block_column = column,
                    .values = values},
               b = a, c;
  b.rows = b.block_rows = 3;
  b.cols = b.block_cols = 2;
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}, .output = GPUMM_I32};
  const int32_t right[] = {22, 28, 49, 64};
  for (int on = 0; on < 2; on++) {
    algorithm = on ? "blocks_integer" : NULL;
    CHECK (multiply (&p, &c, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
    CHECK (memcmp (c.values, right, sizeof right) == 0, "%d: wrong", on);
    release (&c);
  }
  algorithm = NULL;
}

static gpumm_status trace (const gpumm_problem *p, const char *kernel, int count, gpumm_matrix *c,
                           gpumm_trace *t) {
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = kernel, .device = -1};
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (p, &o, &job);
  *c = (gpumm_matrix){0};
  if (!status) {
    gpumm_result (job, c);
    provide (c);
    status = gpumm_run_traced (job, c, count, t);
  }
  gpumm_close (job);
  return status;
}

/* On the host device: the product is right, each pair of blocks reads m m m numbers of A and of B,
 * and what fails is an error that leaves nothing behind. */
static void test_trace (void) {
  static const char *kernels[] = {"classic_one", "classic_search", "classic", "blocks_exact",
                                  "bsr_register"};
  check_seed (11);
  for (int c = 0; c < 60 / SANITIZED_STEP; c++) {
    const int which = c % 5, whole = which < 4;
    const int64_t m = 4 * check_between (1, 2), rows = check_between (0, 6),
                  inner = check_between (0, 6), cols = check_between (0, 6);
    const int percent = (int) check_between (0, 100);
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
    p.a = make_blocks (whole ? GPUMM_U16 : GPUMM_D, rows, inner, m, m, percent, 0);
    p.b = make_blocks (p.a.type, inner, cols, m, m, percent, 0);
    int64_t pairs = 0;
    for (int64_t t = 0; t < p.a.start[rows]; t++)
      pairs += p.b.start[p.a.block_column[t] + 1] - p.b.start[p.a.block_column[t]];
    gpumm_matrix x;
    gpumm_trace t;
    CHECK (!trace (&p, kernels[which], 1, &x, &t), "%s", gpumm_last_error ());
    gpumm_matrix full = full_copy (&x);
    gpumm_problem q = p;
    q.a = full_copy (&p.a);
    q.b = full_copy (&p.b);
    CHECK (is_sound (&x), "%s: a result that is not sound", kernels[which]);
    CHECK (whole ? same_integers (&q, &full) : worst (&q, &full) <= 1, "%s is wrong",
           kernels[which]);
    release (&q.a);
    release (&q.b);
    release (&full);
    CHECK (t.counted && (t.launched.launches > 0) == (pairs > 0), "%" PRId64 " launches",
           t.launched.launches);
    CHECK (
        which > 2
            || (t.a.load.elements == pairs * m * m * m && t.b.load.elements == t.a.load.elements),
        "%" PRId64 " loads of %" PRId64 " pairs", t.a.load.elements, pairs);
    CHECK (which > 2 || t.all.operations == 2 * pairs * m * m * m, "%" PRId64 " operations",
           t.all.operations);
    release (&x);
    release (&p.a);
    release (&p.b);
  }
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
  gpumm_matrix x;
  gpumm_trace t;
  p.a = p.b = make_blocks (GPUMM_U16, 5, 5, 4, 4, 50, 0);
  CHECK (!trace (&p, "classic", 0, &x, &t) && !t.counted, "%s", gpumm_last_error ());
  release (&x);
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  int failures = 0;
  for (int64_t i = 1; i < 400; i += SANITIZED_STEP) {
    gpumm_fault_device (i);
    const gpumm_status status = trace (&p, "classic", 1, &x, &t);
    const int64_t counted = gpumm_fault_device (0);
    CHECK (!status || status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY, "%s",
           gpumm_last_error ());
    failures += status != GPUMM_OK;
    release (&x);
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == live, "call %" PRId64 " leaves memory behind", i);
    if (counted < i)
      break;
  }
  CHECK (failures > 20 / SANITIZED_STEP, "only %d calls", failures);
  release (&p.a);
}

/* As a sparse matrix: every element against the full copy, columns that ascend, no zeros; then what
 * is refused, and memory that is. */
static void test_sparse (int cases) {
  for (int n = 0; n < cases; n++) {
    const gpumm_type type = n % 2 ? GPUMM_D : GPUMM_Z;
    const int large = n == cases - 1; /* for several threads */
    gpumm_matrix y = {0};
    gpumm_blocks_sparse *sparse = NULL;
    gpumm_matrix x =
        make_blocks (type, check_between (0, 6) + 300 * large, check_between (0, 6) + 100 * large,
                     check_between (1, 5), check_between (1, 5), (int) check_between (0, 100), 0);
    const int64_t blocks = x.start[x.rows / x.block_rows];
    for (int64_t e = 0; e < blocks * x.block_rows * x.block_cols; e++)
      if (check_between (0, 2) == 0)
        memset ((char *) x.values + (size_t) e * gpumm_type_bytes (type), 0,
                gpumm_type_bytes (type));
    gpumm_matrix full = full_copy (&x);
    int64_t wrong = 0, stored = 0;
    CHECK (!gpumm_blocks_sparse_open (&x, &sparse, &y), "%s", gpumm_last_error ());
    y.start = check_allocate (y.cols + 1, sizeof *y.start);
    y.row = check_allocate (y.nzmax, sizeof *y.row);
    y.values = check_allocate (y.nzmax, gpumm_type_bytes (type));
    CHECK (!gpumm_blocks_sparse_fill (sparse, &y), "%s", gpumm_last_error ());
    for (int64_t j = 0; j < x.cols; j++) {
      for (int64_t i = 0; i < x.rows; i++) {
        const double complex element = get (type, full.values, i + j * full.ld);
        if (element != 0) {
          wrong += stored >= y.start[j + 1] || y.row[stored] != i
                   || get (type, y.values, stored) != element;
          stored++;
        }
      }
      wrong += y.start[j + 1] != stored;
    }
    CHECK (wrong == 0 && stored == y.nzmax, "%" PRId64 " of %" PRId64 " elements are wrong", wrong,
           stored);
    y.nzmax--;
    CHECK (gpumm_blocks_sparse_fill (sparse, &y) == GPUMM_INVALID, "too little room was taken");
    gpumm_blocks_sparse_close (sparse);

    if (blocks > 0) {
      x.block_column[0] = (int32_t) (x.cols / x.block_cols);
      CHECK (gpumm_blocks_sparse_open (&x, &sparse, &y) == GPUMM_INVALID && !sparse
                 && strstr (gpumm_last_error (), "the block columns of block row"),
             "a block column out of range was taken");
    }
    free (y.start);
    free (y.row);
    free (y.values);
    release (&full);
    release (&x);
  }

  gpumm_matrix y, x = make_blocks (GPUMM_S, 3, 3, 2, 2, 100, 0);
  gpumm_blocks_sparse *sparse = NULL;
  CHECK (gpumm_blocks_sparse_open (&x, &sparse, &y) == GPUMM_UNSUPPORTED, "single was taken");
  release (&x);
  x = make_blocks (GPUMM_D, 3, 3, 2, 2, 100, 0);
  const int64_t live = gpumm_live_allocations ();
  int failures = 0;
  for (int64_t n = 1; n < 100; n++) {
    gpumm_fault_memory (n);
    const gpumm_status status = gpumm_blocks_sparse_open (&x, &sparse, &y);
    const int64_t counted = gpumm_fault_memory (0);
    CHECK (!status || status == GPUMM_HOST_MEMORY, "%s", gpumm_last_error ());
    gpumm_blocks_sparse_close (sparse);
    CHECK (gpumm_live_allocations () == live, "allocation %" PRId64 " leaves memory behind", n);
    failures += status != GPUMM_OK;
    if (counted < n)
      break;
  }
  CHECK (failures == 5, "%d allocations", failures);
  release (&x);
}

/* Is x sound? By its definition, element by element. */
static int is_intact (const gpumm_matrix *x) {
  const int64_t rows = x->rows / x->block_rows, cols = x->cols / x->block_cols;
  if (x->start[0] != 0 || x->start[rows] != x->nzmax)
    return 0;
  for (int64_t i = 0; i < rows; i++)
    if (x->start[i + 1] < x->start[i] || x->start[i + 1] > x->nzmax)
      return 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t t = x->start[i]; t < x->start[i + 1]; t++)
      if (x->block_column[t] < 0 || x->block_column[t] >= cols
          || (t > x->start[i] && x->block_column[t] <= x->block_column[t - 1]))
        return 0;
  return 1;
}

/* Matrices from outside: sound ones without their zeros, and damaged ones, which are told. */
static void test_verify (int cases) {
  int told = 0;
  for (int k = 0; k < cases; k++) {
    const int64_t rows = check_between (0, 6), cols = check_between (0, 6);
    gpumm_matrix x =
        make_blocks (GPUMM_U8, rows, cols, check_between (1, 6), check_between (1, 6), 60, 3);
    const int64_t each = x.block_rows * x.block_cols;
    x.nzmax = x.start[rows];
    int64_t zeros, expected = 0;
    for (int64_t t = 0; t < x.nzmax; t++) {
      unsigned char *block = (unsigned char *) x.values + t * each;
      memset (block, 0, (size_t) each);
      if (check_between (0, 2))
        block[check_between (0, each - 1)] = 7;
      else
        expected++;
    }
    CHECK (gpumm_blocks_verify (&x, &zeros) == GPUMM_OK && zeros == expected,
           "%" PRId64 " of %" PRId64 " zeros: %s", zeros, expected, gpumm_last_error ());
    gpumm_matrix y = make_blocks (GPUMM_U8, rows, cols, x.block_rows, x.block_cols, 100, 1);
    memcpy (y.start, x.start, (size_t) (rows + 1) * sizeof *x.start);
    memcpy (y.block_column, x.block_column, (size_t) x.nzmax * sizeof *x.block_column);
    memcpy (y.values, x.values, (size_t) (x.nzmax * each));
    CHECK (gpumm_drop_zeros (&y) == GPUMM_OK, "%s", gpumm_last_error ());
    y.nzmax = x.nzmax - expected;
    int64_t after = -1;
    CHECK (gpumm_blocks_verify (&y, &after) == GPUMM_OK && after == 0, "%" PRId64, after);
    for (int64_t i = 0; i < rows; i++)
      for (int64_t t = x.start[i], u = y.start[i]; t < x.start[i + 1]; t++) {
        const unsigned char *block = (unsigned char *) x.values + t * each;
        if (!memchr (block, 7, (size_t) each))
          continue;
        CHECK (y.block_column[u] == x.block_column[t]
                   && !memcmp ((unsigned char *) y.values + u * each, block, (size_t) each),
               "block %" PRId64, t);
        u++;
      }
    const int64_t wrong[] = {-1, 0, 1, 5, 100000000, INT64_MAX, INT64_MIN};
    if (check_between (0, 1) || x.nzmax == 0)
      x.start[check_between (0, rows)] = wrong[check_between (0, 6)];
    else
      x.block_column[check_between (0, x.nzmax - 1)] = (int32_t) wrong[check_between (0, 4)];
    const int sound = is_intact (&x);
    CHECK ((gpumm_blocks_verify (&x, &zeros) == GPUMM_OK) == sound, "%d: %s", sound,
           gpumm_last_error ());
    told += !sound;
    release (&x);
    release (&y);
  }
  CHECK (told > cases / 4 && told < cases, "%d of %d", told, cases);
}

int main (int argc, char **argv) {
  if (argc > 1 && strcmp (argv[1], "gpu") == 0) {
    device_backend = GPUMM_GPU;
    test_device_floats (argc > 2 ? atoi (argv[2]) : 400);
    test_device_special ();
    test_float_pieces ();
    test_full_pieces ();
    return check_done ();
  }
  check_seed (4);
  need_host_device ();
  test_tables ();
  test_edges ();
  test_saturation ();
  test_long ();
  test_zeros_with ("blocks");
  test_infinities (GPUMM_C);
  test_infinities (GPUMM_Z);
  test_errors ();
  test_memory (GPUMM_U16);
  test_memory (GPUMM_Z);
  test_panels ();
  test_sparse (300);
  test_verify (2000);
  test_device ();
  test_device_pieces ();
  test_pieces_of_a ();
  test_shared_memory ();
  test_device_floats (200);
  test_device_special ();
  test_float_pieces ();
  test_full_pieces ();
  test_trace ();
  test_random (1, 1500);
  return check_done ();
}
