/* test_integers.c - exact integer products against numbers of 256 bits.
 *
 * The oracle adds positive and negative products apart, and rounds or saturates their difference bit
 * by bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "gpumm.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const gpumm_type types[] = {GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64,
                                   GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
static const gpumm_type outputs[] = {GPUMM_I8,  GPUMM_I16, GPUMM_I32, GPUMM_I64, GPUMM_U8,
                                     GPUMM_U16, GPUMM_U32, GPUMM_U64, GPUMM_S,   GPUMM_D};
enum { TYPES = 8, OUTPUTS = 10 };

static int is_signed (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_I64;
}

/* ---- the oracle's numbers ----------------------------------------------------------------- */

/* sum of limb[i] 2^(32 i) */
enum { LIMBS = 8 };

typedef struct {
  uint32_t limb[LIMBS];
} whole;

static void add_bits (whole *x, uint64_t value, int bit) {
  uint32_t part[3] = {(uint32_t) (value << bit % 32),
                      (uint32_t) (value >> 32 << bit % 32 | (value << bit % 32) >> 32),
                      bit % 32 ? (uint32_t) (value >> (64 - bit % 32)) : 0};
  uint64_t carry = 0;
  for (int i = 0; bit / 32 + i < LIMBS && (i < 3 || carry); i++) {
    carry += (uint64_t) x->limb[bit / 32 + i] + (i < 3 ? part[i] : 0);
    x->limb[bit / 32 + i] = (uint32_t) carry;
    carry >>= 32;
  }
}

static void add_product (whole *x, uint64_t a, uint64_t b, int bit) {
  add_bits (x, (a & UINT32_MAX) * (b & UINT32_MAX), bit);
  add_bits (x, (a >> 32) * (b & UINT32_MAX), bit + 32);
  add_bits (x, (a & UINT32_MAX) * (b >> 32), bit + 32);
  add_bits (x, (a >> 32) * (b >> 32), bit + 64);
}

static int compare (const whole *x, const whole *y) {
  for (int i = LIMBS - 1; i >= 0; i--)
    if (x->limb[i] != y->limb[i])
      return x->limb[i] < y->limb[i] ? -1 : 1;
  return 0;
}

static whole difference (const whole *x, const whole *y) { /* x >= y */
  whole z;
  int64_t borrow = 0;
  for (int i = 0; i < LIMBS; i++) {
    borrow += (int64_t) x->limb[i] - y->limb[i];
    z.limb[i] = (uint32_t) borrow;
    borrow = borrow < 0 ? -1 : 0;
  }
  return z;
}

static int bit_of (const whole *x, int bit) {
  return bit >= 0 && (x->limb[bit / 32] >> bit % 32 & 1);
}

/* the highest bit that is set, or -1 */
static int top_bit (const whole *x) {
  int limb = LIMBS - 1;
  while (limb >= 0 && x->limb[limb] == 0)
    limb--;
  int bit = 32 * limb + 31;
  while (limb >= 0 && !bit_of (x, bit))
    bit--;
  return limb < 0 ? -1 : bit;
}

/* x to precision bits, ties to even */
static double rounded (const whole *x, int precision) {
  const int top = top_bit (x), last = top - precision + 1;
  uint64_t kept = 0;
  for (int bit = top; bit >= last; bit--)
    kept = kept << 1 | (uint64_t) bit_of (x, bit);
  int below = 0;
  for (int bit = last - 2; bit >= 0; bit--)
    below |= bit_of (x, bit);
  if (bit_of (x, last - 1) && (below || (kept & 1)))
    kept++;
  return top < 0 ? 0 : ldexp ((double) kept, last);
}

/* ---- matrices ----------------------------------------------------------------------------- */

static void store (gpumm_type type, void *values, int64_t at, uint64_t bits) {
  const size_t bytes = gpumm_type_bytes (type);
  memcpy ((char *) values + (size_t) at * bytes, &bits, bytes); /* the low bytes */
}

/* magnitude and sign of an integer element */
static uint64_t load (gpumm_type type, const void *values, int64_t at, int *negative) {
  const size_t bytes = gpumm_type_bytes (type);
  const int bits = 8 * (int) bytes;
  uint64_t raw = 0;
  memcpy (&raw, (const char *) values + (size_t) at * bytes, bytes);
  *negative = is_signed (type) && (raw >> (bits - 1) & 1);
  if (!*negative)
    return raw;
  return (~raw + 1) & (bits == 64 ? UINT64_MAX : ((uint64_t) 1 << bits) - 1);
}

enum { ANY, SMALL, EXTREME, ALTERNATING, HALF_RANGE, DIGIT_EDGES, POWERS, MODES };

static uint64_t element (gpumm_type type, int mode, int64_t i, int64_t j) {
  const int bits = 8 * (int) gpumm_type_bytes (type);
  const uint64_t high =
      is_signed (type) ? ((uint64_t) 1 << (bits - 1)) - 1 : ~(uint64_t) 0 >> (64 - bits);
  const uint64_t sign = is_signed (type) && check_random () % 2 ? ~(uint64_t) 0 : 0;
  switch (mode) {
  case SMALL:
    return check_random () % 4 * (sign | 1);
  case EXTREME: { /* -high - 1 is the least of a signed type, and 0 of an unsigned */
    const uint64_t edges[] = {high, high + 1, high, high - 1, high + 2, 1};
    return edges[check_random () % 6];
  }
  case ALTERNATING:
    return (i + j) % 2 && is_signed (type) ? ~high + 1 : high;
  case HALF_RANGE:
    return (check_random () & (high >> bits / 2)) ^ sign;
  case DIGIT_EDGES:
    return ((check_random () % 5 + 1022) << check_random () % 54) * (sign | 1)
           + check_random () % 3;
  case POWERS:
    return ((uint64_t) 1 << check_random () % (uint64_t) bits) * (sign | 1) + check_random () % 3
           - 1;
  default:
    return check_random ();
  }
}

static gpumm_matrix make (gpumm_type type, int64_t rows, int64_t cols, int mode) {
  gpumm_matrix x = {.format = GPUMM_DENSE,
                    .type = type,
                    .rows = rows,
                    .cols = cols,
                    .ld = rows + check_between (0, 2)};
  x.values = check_allocate (x.ld * cols, gpumm_type_bytes (type));
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < x.ld; i++)
      store (type, x.values, i + j * x.ld, element (type, mode, i, j));
  return x;
}

/* ---- one product -------------------------------------------------------------------------- */

/* Is element at of c the right one, given the positive and the negative part of the exact value? */
static int is_right (const gpumm_matrix *c, int64_t at, const whole sum[2]) {
  const int negative = compare (&sum[0], &sum[1]) < 0;
  const whole size = negative ? difference (&sum[1], &sum[0]) : difference (&sum[0], &sum[1]);
  if (c->type == GPUMM_D) {
    const double expected = rounded (&size, 53);
    return ((double *) c->values)[at] == (negative ? -expected : expected);
  }
  if (c->type == GPUMM_S) {
    const float expected = (float) rounded (&size, 24);
    return ((float *) c->values)[at] == (negative ? -expected : expected);
  }
  const int bits = 8 * (int) gpumm_type_bytes (c->type);
  int over = 0;
  uint64_t expected = 0;
  for (int bit = top_bit (&size); bit >= 0; bit--)
    if (bit_of (&size, bit)) {
      over |= bit >= 64;
      if (bit < 64)
        expected |= (uint64_t) 1 << bit;
    }
  const uint64_t high =
      is_signed (c->type) ? ((uint64_t) 1 << (bits - 1)) - 1 : ~(uint64_t) 0 >> (64 - bits);
  const uint64_t most = negative ? (is_signed (c->type) ? high + 1 : 0) : high;
  if (over || expected > most)
    expected = most;
  int got_negative;
  const uint64_t got = load (c->type, c->values, at, &got_negative);
  return got == expected && (expected == 0 || got_negative == negative);
}

static gpumm_status multiply (const gpumm_problem *p, gpumm_matrix *c, const char *kernel) {
  gpumm_job *job = NULL;
  gpumm_matrix shape;
  gpumm_status status = gpumm_open (p, NULL, &job);
  if (!status) {
    gpumm_result (job, &shape);
    CHECK (shape.type == p->output && shape.rows == c->rows && shape.cols == c->cols, "shape");
    status = gpumm_run (job, c);
  }
  if (!status) {
    const gpumm_report *r = gpumm_job_report (job);
    CHECK (strcmp (r->algorithm, "integers") == 0, "%s", r->algorithm);
    CHECK (!kernel || strcmp (r->kernel, kernel) == 0, "%s, not %s", r->kernel, kernel);
  }
  gpumm_close (job);
  return status;
}

typedef struct {
  gpumm_type type, output;
  int64_t m, n, k;
  gpumm_op op_a, op_b;
  int mode;
} test_case;

static void one (const test_case *t) {
  gpumm_problem p = {.alpha = {1, 0}, .output = t->output};
  const int plain_a = t->op_a == GPUMM_NONE, plain_b = t->op_b == GPUMM_NONE;
  p.a = make (t->type, plain_a ? t->m : t->k, plain_a ? t->k : t->m, t->mode);
  p.b = make (t->type, plain_b ? t->k : t->n, plain_b ? t->n : t->k, t->mode);
  p.a.op = t->op_a;
  p.b.op = t->op_b;
  gpumm_matrix c = make (t->output, t->m, t->n, ANY);
  const size_t bytes = gpumm_type_bytes (c.type);
  char *before = check_allocate (c.ld * c.cols, bytes);
  memcpy (before, c.values, (size_t) (c.ld * c.cols) * bytes);
  const gpumm_status status = multiply (&p, &c, NULL);
  CHECK (status == GPUMM_OK, "%s", gpumm_last_error ());
  int wrong = 0;
  for (int64_t j = 0; j < t->n && !status; j++) {
    for (int64_t i = 0; i < t->m; i++) {
      whole sum[2] = {{{0}}, {{0}}};
      for (int64_t q = 0; q < t->k; q++) {
        int negative_a, negative_b;
        const uint64_t a =
            load (t->type, p.a.values, plain_a ? i + q * p.a.ld : q + i * p.a.ld, &negative_a);
        const uint64_t b =
            load (t->type, p.b.values, plain_b ? q + j * p.b.ld : j + q * p.b.ld, &negative_b);
        add_product (&sum[negative_a ^ negative_b], a, b, 0);
      }
      wrong += !is_right (&c, i + j * c.ld, sum);
    }
    for (int64_t i = t->m; i < c.ld; i++) /* between the columns nothing is written */
      wrong += memcmp ((char *) c.values + (size_t) (i + j * c.ld) * bytes,
                       before + (size_t) (i + j * c.ld) * bytes, bytes)
               != 0;
  }
  CHECK (wrong == 0,
         "%s to %s, %" PRId64 " x %" PRId64 " x %" PRId64 ", ops %d %d, mode %d: %d wrong",
         gpumm_type_name (t->type), gpumm_type_name (t->output), t->m, t->n, t->k, t->op_a, t->op_b,
         t->mode, wrong);
  free (p.a.values);
  free (p.b.values);
  free (c.values);
  free (before);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void test_pairs (void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 33};
  static const int64_t depths[] = {0, 1, 2, 3, 4, 7, 16, 31, 33, 65};
  for (int type = 0; type < TYPES; type++)
    for (int output = 0; output < OUTPUTS; output++)
      for (int ops = 0; ops < 9; ops++)
        for (int mode = 0; mode < MODES; mode++) {
          test_case t = {.type = types[type],
                         .output = outputs[output],
                         .m = sizes[check_between (0, 11)],
                         .n = sizes[check_between (0, 11)],
                         .k = depths[check_between (0, 9)],
                         .op_a = ops / 3,
                         .op_b = ops % 3,
                         .mode = mode};
          one (&t);
        }
}

/* k around the length of a chunk, where 32-bit sums are widened; largest digits throughout. */
static void test_long_sums (void) {
  static const int64_t depths[] = {1023, 1024, 1025, 2048, 2049, 5000};
  for (int type = 0; type < TYPES; type++)
    for (int depth = 0; depth < 6; depth++)
      for (int mode = 0; mode < MODES; mode++) {
        test_case t = {.type = types[type],
                       .output = outputs[check_between (0, OUTPUTS - 1)],
                       .m = check_between (1, 5),
                       .n = check_between (1, 5),
                       .k = depths[depth],
                       .op_a = check_between (0, 2),
                       .op_b = check_between (0, 2),
                       .mode = mode};
        one (&t);
      }
}

/* More than one block each way, and enough work for several threads. */
static void test_blocks (void) {
  static const int64_t shapes[][3] = {{270, 65, 40}, {65, 270, 40}, {130, 131, 33}, {1, 600, 70}};
  for (int type = 0; type < TYPES; type++)
    for (int shape = 0; shape < 4; shape++) {
      test_case t = {.type = types[type],
                     .output = types[type],
                     .m = shapes[shape][0],
                     .n = shapes[shape][1],
                     .k = shapes[shape][2],
                     .op_a = shape % 2 ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .op_b = shape / 2 ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .mode = shape % 2 ? ANY : HALF_RANGE};
      one (&t);
    }
}

/* Sets the elements of a row of A and a column of B whose product is value: 2^(bits - 2) times numbers
 * of at most that size, and the rest times 1. */
static void set_terms (gpumm_type type, gpumm_matrix *a, gpumm_matrix *b, int64_t row, int64_t col,
                       __int128 value) {
  const uint64_t base = (uint64_t) 1 << (8 * gpumm_type_bytes (type) - 2);
  const int negative = value < 0;
  unsigned __int128 size = negative ? -(unsigned __int128) value : (unsigned __int128) value;
  const uint64_t rest = (uint64_t) (size % base);
  size /= base;
  for (int64_t q = 0; q < a->cols - 1; q++) {
    const uint64_t last = q == a->cols - 2; /* the rest */
    const uint64_t part = last ? rest : size < base ? (uint64_t) size : base;
    size -= last ? 0 : part;
    store (type, a->values, row + q * a->ld, last ? 1 : base);
    store (type, b->values, q + col * b->ld, negative ? -part : part);
  }
  CHECK (size == 0, "%s has not enough terms", gpumm_type_name (type));
}

/* Sums near the ends of the result's range, up to 5 beyond them. */
static void test_thresholds (void) {
  enum { TERMS = 20 };
  for (int type = 0; type < TYPES; type++)
    for (int output = 0; output < 8; output++)
      for (int at_high = is_signed (types[type]) ? 0 : 1; at_high < 2; at_high++) {
        const gpumm_type out = outputs[output];
        const int bits = 8 * (int) gpumm_type_bytes (out);
        const __int128 top = (__int128) 1 << (is_signed (out) ? bits - 1 : bits);
        const __int128 end = at_high ? top - 1 : is_signed (out) ? -top : 0;
        gpumm_problem p = {.alpha = {1, 0}, .output = out};
        if (gpumm_type_bytes (out) > 2 * gpumm_type_bytes (types[type]))
          continue; /* out of reach of this many terms */
        gpumm_matrix c = make (out, 4, 4, ANY);
        p.a = make (types[type], 4, TERMS, ANY);
        p.b = make (types[type], TERMS, 4, ANY);
        for (int64_t i = 0; i < 4; i++) {
          set_terms (types[type], &p.a, &p.b, i, i, at_high ? end - 4 : end + 4);
          store (types[type], p.a.values, i + (TERMS - 1) * p.a.ld, (uint64_t) i);
          store (types[type], p.b.values, TERMS - 1 + i * p.b.ld, (uint64_t) (at_high ? i : -i));
        }
        CHECK (multiply (&p, &c, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
        for (int64_t i = 0; i < 4; i++)
          for (int64_t j = 0; j < 4; j++) {
            const int step = (int) (i * j < 4 ? i * j : 4);
            uint64_t expected = (uint64_t) (at_high ? end - 4 + step : end + 4 - step), got = 0;
            expected &= ~(uint64_t) 0 >> (64 - bits);
            memcpy (&got, (char *) c.values + (i + j * c.ld) * bits / 8, (size_t) bits / 8);
            CHECK (got == expected, "%s to %s, step %d: %" PRIu64 ", not %" PRIu64,
                   gpumm_type_name (types[type]), gpumm_type_name (out), (int) (i * j), got,
                   expected);
          }
        free (p.a.values);
        free (p.b.values);
        free (c.values);
      }
}

/* Values worked out by hand. */
static void test_by_hand (void) {
  static const struct {
    gpumm_type type;
    uint64_t a[3], b[3];
    gpumm_type output;
    uint64_t integer;
    double number;
  } rows[] = {
      /* 2^127 saturates; -2^63 (2^63 - 1) + (2^63 - 1)^2 = -(2^63 - 1) */
      {GPUMM_I64,
       {1ull << 63, 1ull << 63, 0},
       {1ull << 63, 1ull << 63, 0},
       GPUMM_I64,
       INT64_MAX,
       0},
      {GPUMM_I64,
       {1ull << 63, INT64_MAX, 0},
       {INT64_MAX, INT64_MAX, 0},
       GPUMM_I64,
       (1ull << 63) + 1,
       0},
      /* 2^126 - (2^63 - 1) 2^63 - 2^63 = 0 */
      {GPUMM_I64,
       {1ull << 63, INT64_MAX, 1ull << 63},
       {1ull << 63, 1ull << 63, 1},
       GPUMM_I64,
       0,
       0},
      /* 3 (2^64 - 1)^2 = 3 2^128 - 6 2^64 + 3: in double 3 2^128 */
      {GPUMM_U64, {~0ull, ~0ull, ~0ull}, {~0ull, ~0ull, ~0ull}, GPUMM_U64, ~0ull, 0},
      {GPUMM_U64, {~0ull, ~0ull, ~0ull}, {~0ull, ~0ull, ~0ull}, GPUMM_D, 0, 0x3p128},
      /* 2^126 + 2^73 is a tie, which the last bit of the sum, 2^73 + 1, decides */
      {GPUMM_I64, {1ull << 63, 1ull << 36, 0}, {1ull << 63, 1ull << 37, 0}, GPUMM_D, 0, 0x1p126},
      {GPUMM_I64,
       {1ull << 63, 1ull << 36, 1},
       {1ull << 63, 1ull << 37, 1},
       GPUMM_D,
       0,
       0x1.0000000000001p126},
      /* 2^128 - 2^65 + 1 rounds to 2^128, which is Inf in single */
      {GPUMM_U64, {~0ull, 0, 0}, {~0ull, 0, 0}, GPUMM_S, 0, INFINITY},
      /* 2^53 + 1 is a tie, 2^53 + 3 the next; both go to the even one */
      {GPUMM_I32, {1 << 30, 1, 0}, {1 << 23, 1, 0}, GPUMM_D, 0, 0x1p53},
      {GPUMM_I32, {1 << 30, 3, 0}, {1 << 23, 1, 0}, GPUMM_D, 0, 0x1p53 + 4},
      {GPUMM_U8, {255, 1, 0}, {255, 0, 0}, GPUMM_U16, 65025, 0},
      {GPUMM_U8, {255, 255, 1}, {255, 2, 0}, GPUMM_U16, 65535, 0},
      {GPUMM_U8, {255, 255, 1}, {255, 2, 1}, GPUMM_U16, 65535, 0},
      {GPUMM_I8, {128, 127, 0}, {128, 127, 0}, GPUMM_I16, 32513, 0},
      /* 2^24 + 1 is a tie in single */
      {GPUMM_I16, {4096, 1, 0}, {4096, 1, 0}, GPUMM_S, 0, 0x1p24},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = rows[r].output};
    p.a = make (rows[r].type, 1, 3, ANY);
    p.b = make (rows[r].type, 3, 1, ANY);
    for (int64_t q = 0; q < 3; q++) {
      store (rows[r].type, p.a.values, q * p.a.ld, rows[r].a[q]);
      store (rows[r].type, p.b.values, q, rows[r].b[q]);
    }
    uint64_t integer = 0;
    double number = 0;
    float single = 0;
    const int is_double = rows[r].output == GPUMM_D, is_single = rows[r].output == GPUMM_S;
    gpumm_matrix c = {.format = GPUMM_DENSE,
                      .type = rows[r].output,
                      .rows = 1,
                      .cols = 1,
                      .ld = 1,
                      .values = is_double   ? (void *) &number
                                : is_single ? (void *) &single
                                            : (void *) &integer};
    CHECK (multiply (&p, &c, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
    if (is_single)
      number = single;
    CHECK (integer == rows[r].integer && number == rows[r].number, "row %zu: %" PRIu64 ", %.17g", r,
           integer, number);
    free (p.a.values);
    free (p.b.values);
  }
}

static void test_kernel_names (void) {
  static const char *const names[] = {"int64", "int64", "int128", "int192",
                                      "int64", "int64", "int128", "int192"};
  for (int type = 0; type < TYPES; type++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = types[type]};
    p.a = make (types[type], 2, 2, ANY);
    p.b = make (types[type], 2, 2, ANY);
    gpumm_matrix c = make (types[type], 2, 2, ANY);
    CHECK (multiply (&p, &c, names[type]) == GPUMM_OK, "%s", gpumm_last_error ());
    free (p.a.values);
    free (p.b.values);
    free (c.values);
  }
}

static void test_errors (void) {
  static const struct {
    double alpha, beta;
  } scaled[] = {{0, 0}, {2, 0}, {-1, 0}, {0.5, 0}, {NAN, 0}, {1, 1}, {1, NAN}};
  int8_t a[1] = {1};
  gpumm_matrix x = {.type = GPUMM_I8, .rows = 1, .cols = 1, .ld = 1, .values = a};
  gpumm_job *job = NULL;
  for (int i = 0; i < 7; i++) {
    gpumm_problem p = {.a = x,
                       .b = x,
                       .alpha = {scaled[i].alpha, 0},
                       .beta = {scaled[i].beta, 0},
                       .c0 = &x,
                       .output = GPUMM_I8};
    CHECK (gpumm_open (&p, NULL, &job) == GPUMM_UNSUPPORTED && !job, "alpha %g, beta %g",
           scaled[i].alpha, scaled[i].beta);
    CHECK (strstr (gpumm_last_error (), "scale the result"), "%s", gpumm_last_error ());
  }
  gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = GPUMM_Z};
  CHECK (gpumm_open (&p, NULL, &job) == GPUMM_UNSUPPORTED && !job, "to complex");
}

static void test_out_of_memory (void) {
  enum { N = 150 };
  const int64_t alive = gpumm_live_allocations ();
  gpumm_matrix a = make (GPUMM_I64, N, N, ANY), c = make (GPUMM_I64, N, N, ANY);
  gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}, .output = GPUMM_I64};
  int failures = 0;
  for (int n = 1;; n++) {
    gpumm_fault_memory (n);
    const gpumm_status status = multiply (&p, &c, NULL);
    gpumm_fault_memory (0);
    CHECK (gpumm_live_allocations () == alive, "allocation %d leaked", n);
    if (status == GPUMM_OK)
      break;
    CHECK (status == GPUMM_HOST_MEMORY && strstr (gpumm_last_error (), "memory"),
           "allocation %d: %s", n, gpumm_last_error ());
    failures++;
  }
  CHECK (failures >= 4, "%d allocations failed", failures);
  free (a.values);
  free (c.values);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  test_by_hand ();
  test_pairs ();
  test_long_sums ();
  test_blocks ();
  test_thresholds ();
  test_kernel_names ();
  test_errors ();
  test_out_of_memory ();
  return check_done ();
}
