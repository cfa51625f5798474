/* test_block_arrays.c - products of matrices in blocks on a device, with each other and with full ones,
 * against loops over full ones.
 *
 *   test_block_arrays [gpu] [cases=N]   the host device, or GPU 0; N random cases
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vectors.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { MOST = 72 }; /* rows and columns, in elements */
static int cases = 120;

/* A full matrix, and the size of the blocks in which it is stored. */
typedef struct {
  gpumm_type type;
  int64_t rows, cols, block_rows, block_cols;
  double complex x[MOST * MOST];
} full;

static full a, b, c;

/* ---- elements of any type ------------------------------------------------------------------- */

#define INTEGER_TYPES(F)                                                                           \
  F (GPUMM_I8, int8_t)                                                                             \
  F (GPUMM_I16, int16_t)                                                                           \
  F (GPUMM_I32, int32_t)                                                                           \
  F (GPUMM_I64, int64_t)                                                                           \
  F (GPUMM_U8, uint8_t)                                                                            \
  F (GPUMM_U16, uint16_t)                                                                          \
  F (GPUMM_U32, uint32_t)                                                                          \
  F (GPUMM_U64, uint64_t)

static int is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

static int is_unsigned (gpumm_type type) {
  return type >= GPUMM_U8 && type <= GPUMM_U64;
}

static void set (gpumm_type type, void *to, int64_t i, double complex x) {
  switch (type) {
#define SET(name, number)                                                                          \
  case name:                                                                                       \
    ((number *) to)[i] = (number) creal (x);                                                       \
    break;
    INTEGER_TYPES (SET)
  case GPUMM_S:
    ((float *) to)[i] = (float) creal (x);
    break;
  case GPUMM_D:
    ((double *) to)[i] = creal (x);
    break;
  case GPUMM_C:
    ((float complex *) to)[i] = (float complex) x;
    break;
  default:
    ((double complex *) to)[i] = x;
  }
}

static double complex element (gpumm_type type, const void *from, int64_t i) {
  switch (type) {
#define GET(name, number)                                                                          \
  case name:                                                                                       \
    return (double) ((const number *) from)[i];
    INTEGER_TYPES (GET)
  case GPUMM_S:
    return ((const float *) from)[i];
  case GPUMM_D:
    return ((const double *) from)[i];
  case GPUMM_C:
    return ((const float complex *) from)[i];
  default:
    return ((const double complex *) from)[i];
  }
}

/* ---- matrices ------------------------------------------------------------------------------- */

static int64_t start[MOST + 1];
static int32_t column[MOST * MOST];
static double complex value[MOST * MOST];

/* Whole numbers, so that sums are exact; block rows are empty, full, or something between. */
static void fill (full *f, gpumm_type type, int is_real) {
  f->type = type;
  memset (f->x, 0, sizeof f->x);
  for (int64_t i = 0; i < f->rows; i += f->block_rows) {
    const int64_t each = check_between (0, 5) ? check_between (0, 60) : 100;
    for (int64_t j = 0; j < f->cols; j += f->block_cols)
      for (int64_t e = 0, is_there = check_between (0, 99) < each;
           is_there && e < f->block_rows * f->block_cols; e++) {
        const double re = (double) check_between (is_unsigned (type) ? 0 : -3, 3),
                     im = (double) check_between (-3, 3);
        const int has_imaginary = !is_real && (type == GPUMM_C || type == GPUMM_Z);
        f->x[i + e % f->block_rows + (j + e / f->block_rows) * f->rows] =
            re + (has_imaginary ? im * I : 0);
      }
  }
}

static int is_stored (const full *f, int64_t i, int64_t j) {
  for (int64_t q = 0; q < f->block_cols; q++)
    for (int64_t p = 0; p < f->block_rows; p++)
      if (f->x[i * f->block_rows + p + (j * f->block_cols + q) * f->rows] != 0)
        return 1;
  return 0;
}

static gpumm_bsr bsr_of (const full *f) {
  gpumm_bsr x = {.rows = f->rows / f->block_rows,
                 .cols = f->cols / f->block_cols,
                 .block_rows = f->block_rows,
                 .block_cols = f->block_cols};
  int64_t at = 0;
  for (int64_t i = 0; i < x.rows; i++) {
    start[i] = x.stored;
    for (int64_t j = 0; j < x.cols; j++) {
      if (!is_stored (f, i, j))
        continue;
      column[x.stored++] = (int32_t) j;
      for (int64_t q = 0; q < f->block_cols; q++)
        for (int64_t p = 0; p < f->block_rows; p++)
          set (f->type, value, at++,
               f->x[i * f->block_rows + p + (j * f->block_cols + q) * f->rows]);
    }
  }
  start[x.rows] = x.stored;
  x.start = put (GPUMM_I64, start, x.rows + 1);
  x.column = put (GPUMM_I32, column, x.stored);
  x.values = put (f->type, value, at);
  return x;
}

/* Are the blocks of x those of f, with zero blocks between them perhaps? Gives how many these are. */
static int64_t check_is (const gpumm_bsr *x, const full *f) {
  int64_t wrong = 0, zeros = 0, at = 0;
  const int64_t each = x->block_rows * x->block_cols;
  get (&x->start, x->rows + 1, start);
  get (&x->column, x->stored, column);
  get (&x->values, x->stored * each, value);
  for (int64_t i = 0; i < x->rows; i++) {
    wrong += start[i] != at;
    for (int64_t j = 0; j < x->cols; j++) {
      const int is_there = at < x->stored && at < start[i + 1] && column[at] == j;
      wrong += !is_there && is_stored (f, i, j);
      zeros += is_there && !is_stored (f, i, j);
      for (int64_t e = 0; is_there && e < each; e++)
        wrong += element (f->type, value, at * each + e)
                 != f->x[i * f->block_rows + e % f->block_rows
                         + (j * f->block_cols + e / f->block_rows) * f->rows];
      at += is_there;
    }
  }
  CHECK (!wrong && at == x->stored && start[x->rows] == at,
         "%lld wrong of %lld x %lld in blocks of %lld x %lld", (long long) wrong,
         (long long) f->rows, (long long) f->cols, (long long) f->block_rows,
         (long long) f->block_cols);
  return zeros;
}

/* c = a b */
static void multiply (void) {
  c.type = a.type;
  c.rows = a.rows;
  c.cols = b.cols;
  memset (c.x, 0, sizeof c.x);
  for (int64_t j = 0; j < b.cols; j++)
    for (int64_t k = 0; k < a.cols; k++)
      for (int64_t i = 0; i < a.rows; i++)
        c.x[i + j * a.rows] += a.x[i + k * a.rows] * b.x[k + j * b.rows];
  for (int64_t e = 0; e < c.rows * c.cols && is_integer (c.type); e++) {
    const int bits = 8 * (int) gpumm_type_bytes (c.type) - !is_unsigned (c.type);
    const double most = ldexp (1, bits) - 1, least = is_unsigned (c.type) ? 0 : -most - 1;
    c.x[e] = fmin (fmax (creal (c.x[e]), least), most);
  }
}

/* ---- products ------------------------------------------------------------------------------- */

static gpumm_bsr_product product_of (const gpumm_bsr *x, const gpumm_bsr *y) {
  gpumm_bsr_product p = {.a = *x, .b = *y, .zero = take (GPUMM_I32, 1)};
  p.c = (gpumm_bsr){
      .rows = x->rows, .cols = y->cols, .block_rows = x->block_rows, .block_cols = y->block_cols};
  p.c.start = take (GPUMM_I64, p.c.rows + 1);
  return p;
}

/* Both phases; C's memory is taken between them. */
static gpumm_status run (gpumm_bsr_product *p) {
  const gpumm_status status = gpumm_bsr_count (p);
  if (status)
    return status;
  p->c.stored = look (&p->c.start, p->c.rows);
  p->c.column = take (GPUMM_I32, p->c.stored);
  p->c.values = take (p->a.values.type, p->c.stored * p->c.block_rows * p->c.block_cols);
  return gpumm_bsr_multiply (p);
}

static void test_blocks (int real_a, int real_b) {
  const gpumm_bsr x = bsr_of (&a), y = bsr_of (&b);
  gpumm_bsr_product p = product_of (&x, &y);
  p.real_a = real_a;
  p.real_b = real_b;
  CHECK (!run (&p), "%s", gpumm_last_error ());
  c.block_rows = a.block_rows;
  c.block_cols = b.block_cols;
  const int64_t zeros = check_is (&p.c, &c);
  int32_t flag = -1;
  const gpumm_glance glance = {.at = p.zero, .count = 1, .to = &flag};
  CHECK (!gpumm_look (&glance, 1) && flag == (zeros > 0), "the flag %d for %lld zeros", (int) flag,
         (long long) zeros);
  give_all ();
}

static gpumm_matrix full_matrix (const full *f, gpumm_op op, const gpumm_view *at) {
  return (gpumm_matrix){.type = f->type,
                        .rows = f->rows,
                        .cols = f->cols,
                        .ld = f->rows > 0 ? f->rows : 1,
                        .op = op,
                        .values = at->values,
                        .buffer = at->buffer};
}

static gpumm_view full_vector (const full *f) {
  for (int64_t e = 0; e < f->rows * f->cols; e++)
    set (f->type, value, e, f->x[e]);
  return put (f->type, value, f->rows * f->cols);
}

static void exchange (int64_t *x, int64_t *y) {
  const int64_t z = *x;
  *x = *y;
  *y = z;
}

/* Makes op (f) = what f was. */
static void turn (full *f, gpumm_op op) {
  static full t;
  if (op == GPUMM_NONE)
    return;
  t = *f;
  for (int64_t e = 0; e < f->rows * f->cols; e++) {
    const double complex x = f->x[e];
    t.x[e / f->rows + e % f->rows * f->cols] = op == GPUMM_CTRANSPOSE ? conj (x) : x;
  }
  exchange (&t.rows, &t.cols);
  exchange (&t.block_rows, &t.block_cols);
  *f = t;
}

/* A by blocks and B full (left), or the other way round; each stored with an op. */
static void test_full (int left, int real_s, int real_d) {
  static full s, d;
  const gpumm_op op_s = (gpumm_op) check_between (0, 2), op_d = (gpumm_op) check_between (0, 2);
  s = left ? a : b;
  d = left ? b : a;
  turn (&s, op_s);
  turn (&d, op_d);
  const gpumm_view there = full_vector (&d), result = take (c.type, c.rows * c.cols);
  gpumm_bsr_full p = {
      .s = bsr_of (&s), .op = op_s, .left = left, .real_s = real_s, .real_d = real_d};
  p.d = full_matrix (&d, op_d, &there);
  p.c = full_matrix (&c, GPUMM_NONE, &result);
  CHECK (!gpumm_bsr_multiply_full (&p), "%s", gpumm_last_error ());
  get (&result, c.rows * c.cols, value);
  int64_t wrong = 0;
  for (int64_t e = 0; e < c.rows * c.cols; e++)
    wrong += element (c.type, value, e) != c.x[e];
  CHECK (!wrong, "blocks %s full, ops %d and %d: %lld wrong", left ? "by" : "after", (int) op_s,
         (int) op_d, (long long) wrong);
  give_all ();
}

/* Sizes of a and b that fit, in blocks of random sizes: small ones, one of all, 1 x 1, a hub. */
static void draw (int n) {
  const int64_t size = n % 5 ? 4 : 23;
  int64_t block[] = {check_between (1, size), check_between (1, size), check_between (1, size)};
  if (n % 3 == 0) /* square ones, which have kernels of their own */
    block[0] = block[1] = block[2] = check_between (1, 24);
  int64_t count[3];
  for (int d = 0; d < 3; d++)
    count[d] = check_between (n < 10 ? 0 : 1, n % 7 ? MOST / block[d] : 1);
  a.rows = count[0] * block[0];
  a.cols = b.rows = count[1] * block[1];
  b.cols = count[2] * block[2];
  a.block_rows = block[0];
  a.block_cols = b.block_rows = block[1];
  b.block_cols = block[2];
}

/* ---- failures ------------------------------------------------------------------------------- */

static void test_errors (void) {
  a.rows = a.cols = 6;
  a.block_rows = a.block_cols = 2;
  fill (&a, GPUMM_D, 1);
  const gpumm_bsr x = bsr_of (&a);
  gpumm_bsr_product p = product_of (&x, &x);
  CHECK (gpumm_bsr_count (NULL) == GPUMM_INVALID && gpumm_bsr_multiply (NULL) == GPUMM_INVALID
             && gpumm_bsr_multiply_full (NULL) == GPUMM_INVALID,
         "no product");
  gpumm_bsr_product q = p;
  q.b.block_rows = 1;
  CHECK (gpumm_bsr_count (&q) == GPUMM_NONCONFORMANT, "blocks that do not fit");
  q = p;
  q.c.cols = 4;
  CHECK (gpumm_bsr_count (&q) == GPUMM_NONCONFORMANT, "sizes that do not fit");
  q = p;
  q.a.stored = 1 << 20;
  CHECK (gpumm_bsr_count (&q) == GPUMM_INVALID, "more blocks than the buffer has");
  q = p;
  q.a.block_rows = 0;
  CHECK (gpumm_bsr_count (&q) == GPUMM_UNSUPPORTED, "empty blocks");
  q = p;
  q.a.values.type = GPUMM_I64;
  CHECK (gpumm_bsr_count (&q) == GPUMM_INVALID, "integers by floating point");
  q = p;
  q.c.start = x.values;
  CHECK (gpumm_bsr_count (&q) == GPUMM_INVALID, "offsets are I64");
  gpumm_bsr_full f = {.s = x, .left = 1};
  const gpumm_view d = take (GPUMM_D, 36);
  f.d = f.c = full_matrix (&a, GPUMM_NONE, &d);
  f.d.rows = 5;
  CHECK (gpumm_bsr_multiply_full (&f) == GPUMM_NONCONFORMANT, "a full one that does not fit");
  f.d.rows = 6;
  f.c.ld = 5;
  CHECK (gpumm_bsr_multiply_full (&f) == GPUMM_INVALID, "columns of C that overlap");
  f.c.ld = 6;
  f.d.ld = 0;
  CHECK (gpumm_bsr_multiply_full (&f) == GPUMM_INVALID, "columns of D that overlap");
  f.d.ld = 6;
  f.s.values.type = f.d.type = f.c.type = GPUMM_I64;
  CHECK (gpumm_bsr_multiply_full (&f) == GPUMM_INVALID, "no kernel for integers by full ones");
  give_all ();
}

/* Every allocation, then every call of the device, fails in turn. */
static void test_faults (void) {
  a.rows = a.cols = b.rows = b.cols = 60;
  a.block_rows = a.block_cols = b.block_rows = b.block_cols = 3;
  fill (&a, GPUMM_D, 1);
  fill (&b, GPUMM_D, 1);
  multiply ();
  c.block_rows = c.block_cols = 3;
  for (int which = 0; which < 2; which++)
    for (int n = 1, is_done = 0; !is_done; n++) {
      gpumm_reset ();
      const gpumm_bsr x = bsr_of (&a), y = bsr_of (&b);
      gpumm_bsr_product p = product_of (&x, &y);
      const gpumm_view d = full_vector (&b), r = take (GPUMM_D, c.rows * c.cols);
      const gpumm_bsr_full f = {.s = x,
                                .op = GPUMM_NONE,
                                .left = 1,
                                .d = full_matrix (&b, GPUMM_NONE, &d),
                                .c = full_matrix (&c, GPUMM_NONE, &r)};
      CHECK (!run (&p), "%s", gpumm_last_error ());
      const int64_t stored = p.c.stored;
      (which ? gpumm_fault_device : gpumm_fault_memory) (n);
      gpumm_status status = gpumm_bsr_count (&p);
      status = status ? status : gpumm_bsr_multiply (&p);
      status = status ? status : gpumm_bsr_multiply_full (&f);
      status = status ? status : gpumm_wait (device);
      const int64_t calls = (which ? gpumm_fault_device : gpumm_fault_memory) (0);
      CHECK (!status || *gpumm_last_error (), "a failure without a text");
      CHECK (!gpumm_bsr_count (&p) && p.c.stored == stored && !gpumm_bsr_multiply (&p),
             "after a failure: %s", gpumm_last_error ());
      check_is (&p.c, &c);
      is_done = !status && calls < n;
      if (is_done)
        CHECK (n > (which ? 5 : 1), "only %d calls", n);
      give_all ();
    }
}

int main (int argc, char **argv) {
  static const gpumm_type types[] = {GPUMM_D, GPUMM_S, GPUMM_Z, GPUMM_C};
  static const gpumm_type integers[] = {GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64,
                                        GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
  check_seed (20261124);
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "gpu") == 0)
      device = 0;
    else if (strncmp (argv[i], "cases=", 6) == 0)
      cases = atoi (argv[i] + 6);
  if (gpumm_wait (device)) { /* there is none */
    CHECK (0, "%s", gpumm_last_error ());
    return check_done ();
  }
  for (int n = 0; n < cases; n += SANITIZED_STEP) {
    const gpumm_type type = types[n % 4];
    const int real_a = check_between (0, 3) == 0, real_b = check_between (0, 3) == 0;
    draw (n);
    fill (&a, type, real_a);
    fill (&b, type, real_b);
    multiply ();
    test_blocks (real_a, real_b);
    test_full (1, real_a, real_b);
    test_full (0, real_b, real_a);
    fill (&a, integers[n % 8], 1);
    fill (&b, integers[n % 8], 1);
    multiply ();
    test_blocks (0, 0);
  }
  test_errors ();
  if (device == GPUMM_HOST) /* a driver that can fail on demand */
    test_faults ();
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "allocations are left");
  return check_done ();
}
