/* test_random.c - random numbers on a device: published vectors of Philox 4x32-10, what is made of
 * its words against C's own functions, and how the numbers are distributed.
 *
 *   test_random [gpu] [cases=N]   the host device, or GPU 0; N random cases of each distribution
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "resident.h"

#include <inttypes.h>

static int cases = 12;

/* The known answers of Random123 (Salmon et al., SC11) for philox4x32_10: counter, key, words. */
static const uint32_t known[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x408f276d, 0x41c83b0e,
     0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb,
     0x5001e420, 0x24126ea1}};

static uint64_t long_word (const uint32_t *x) {
  return x[0] | (uint64_t) x[1] << 32;
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* Draws count entries into `to`; the draw may begin at any entry of its buffer. */
static void draw_random (const gpumm_random *r, gpumm_type type, int64_t count, int64_t first,
                         void *to) {
  const gpumm_view all = take (type, first + count);
  gpumm_view part = all;
  part.values = (char *) all.values + (size_t) first * gpumm_type_bytes (type);
  const gpumm_operation o = {
      .name = "random", .inner = 1, .count = count, .outer = 1, .result = {part}, .random = *r};
  OK (gpumm_operation_run (&o));
  fetch (&part, count, to);
  give_all ();
}

/* The oracle: Philox as the paper writes it, one block at a time. */
static void philox (const gpumm_random *r, uint64_t block, uint32_t *x) {
  const uint64_t low = r->counter[0] + block, high = r->counter[1];
  uint32_t k[] = {(uint32_t) r->key, (uint32_t) (r->key >> 32)};
  for (int i = 0; i < 4; i++)
    x[i] = (uint32_t) ((i < 2 ? low : high) >> 32 * (i % 2));
  for (int round = 0; round < 10; round++) {
    const uint64_t p = UINT64_C (0xD2511F53) * x[0], q = UINT64_C (0xCD9E8D57) * x[2];
    const uint32_t y[] = {(uint32_t) (q >> 32) ^ x[1] ^ k[0], (uint32_t) q,
                          (uint32_t) (p >> 32) ^ x[3] ^ k[1], (uint32_t) p};
    memcpy (x, y, sizeof y);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
}

static void test_known (void) {
  for (int n = 0; n < 3; n++) {
    const uint32_t *c = known[n];
    const gpumm_random r = {.key = long_word (c + 4),
                            .counter = {long_word (c), long_word (c + 2)}};
    uint32_t words[4], oracle[4];
    draw_random (&r, GPUMM_U32, 4, 0, words);
    philox (&r, 0, oracle);
    CHECK (!memcmp (words, c + 6, sizeof words), "known answer %d: %08x %08x %08x %08x", n + 1,
           words[0], words[1], words[2], words[3]);
    CHECK (!memcmp (oracle, c + 6, sizeof oracle), "known answer %d of the oracle", n + 1);
  }
}

/* ---- what is made of the words -------------------------------------------------------------- */

/* Word i of 32 or 64 bits of a draw, as a fraction in (0, 1) in long double. */
static uint64_t word_at (const gpumm_random *r, int64_t i, int bytes) {
  uint32_t x[4];
  const int each = 16 / bytes;
  philox (r, (uint64_t) (i / each), x);
  return bytes == 4 ? x[i % 4] : long_word (x + 2 * (i % 2));
}

/* The fraction of -log: rounded to the type, and below 1. */
static long double fine (uint64_t word, int bytes) {
  if (bytes == 4)
    return fminf (((float) (uint32_t) word + 0.5F) * 0x1p-32F, 1 - 0x1p-24F);
  return fmin (((double) word + 0.5) * 0x1p-64, 1 - 0x1p-53);
}

static long double normal (const gpumm_random *r, int64_t i, int bytes) {
  const uint64_t u = word_at (r, i - i % 2, bytes), v = word_at (r, i - i % 2 + 1, bytes);
  const int bits = 8 * bytes - 3, octant = (int) (v >> bits);
  const long double angle = ((long double) (v & ((UINT64_C (1) << bits) - 1)) + 0.5L)
                            * ldexpl (0.25L * 3.14159265358979323846264338327950288L, -bits);
  const long double size = sqrtl (-2 * logl (fine (u, bytes)));
  const int sine = (octant & 1) == (i % 2 == 0);
  const long double x = size * (sine ? sinl (angle) : cosl (angle));
  return octant & (i % 2 ? 4 : 2) ? -x : x;
}

/* low + floor (range u), with u of 64 or 128 bits. */
static int64_t integer (const gpumm_random *r, int64_t i) {
  __extension__ typedef unsigned __int128 wide;
  if (r->range <= UINT32_MAX)
    return r->low + (int64_t) ((wide) word_at (r, i, 8) * r->range >> 64);
  const uint64_t low = word_at (r, 2 * i, 8), high = word_at (r, 2 * i + 1, 8);
  return r->low + (int64_t) (((wide) high * r->range + ((wide) low * r->range >> 64)) >> 64);
}

static long double uniform (uint64_t word, int bytes) {
  const uint64_t k = word >> 11;
  return bytes == 4 ? (long double) (1 + ((word * 0xFFFFFF) >> 32)) * 0x1p-24L
                    : (long double) (k ? k : 1) * 0x1p-53L;
}

/* Entries that are not those of the oracle: of normal numbers more than 4 units in the last place
 * beside them, of exponential ones more than 2. */
static int64_t wrong_reals (const gpumm_random *r, gpumm_type type, int64_t count, const void *x) {
  const int bytes = (int) gpumm_type_bytes (type);
  const double units = r->distribution == GPUMM_UNIFORM  ? 0
                       : r->distribution == GPUMM_NORMAL ? 4
                                                         : 2;
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t word = word_at (r, i, bytes);
    const long double y = r->distribution == GPUMM_UNIFORM  ? uniform (word, bytes)
                          : r->distribution == GPUMM_NORMAL ? normal (r, i, bytes)
                                                            : -logl (fine (word, bytes));
    const double got = type == GPUMM_S ? ((const float *) x)[i] : ((const double *) x)[i];
    int exponent;
    frexpl (y, &exponent);
    const long double unit = ldexpl (1, exponent - (type == GPUMM_S ? 24 : 53));
    wrong += !(fabsl ((long double) got - y) <= units * unit);
  }
  return wrong;
}

static int64_t wrong_integers (const gpumm_random *r, gpumm_type type, int64_t count,
                               const void *x) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t y = integer (r, i);
    if (type == GPUMM_I64 || type == GPUMM_U64) {
      wrong += ((const int64_t *) x)[i] != (type == GPUMM_U64 && y < 0 ? 0 : y);
      continue;
    }
    const double least = is_integer (type) ? (double) lowest (type) : -INFINITY;
    const double most = is_integer (type) ? (double) highest (type) : INFINITY;
    const double z = fmin (fmax ((double) y, least), most);
    wrong += creal ((double complex) get (type, x, i)) != (type == GPUMM_S ? (float) z : z);
  }
  return wrong;
}

static int64_t wrong_bits (const gpumm_random *r, gpumm_type type, int64_t count, const void *x) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++)
    wrong += type == GPUMM_U32 ? ((const uint32_t *) x)[i] != word_at (r, i, 4)
                               : ((const uint64_t *) x)[i] != word_at (r, i, 8);
  return wrong;
}

static gpumm_random any_random (gpumm_distribution distribution) {
  static const uint64_t ranges[] = {1,
                                    2,
                                    3,
                                    10,
                                    1000,
                                    1 << 16,
                                    UINT32_MAX,
                                    UINT64_C (1) << 32,
                                    UINT64_C (6) << 50,
                                    UINT64_C (1) << 53};
  gpumm_random r = {
      .distribution = distribution,
      .key = check_random (),
      .counter = {check_between (0, 4) ? check_random () : -UINT64_C (3), check_random ()},
      .low = check_between (-300, 300),
      .range = ranges[check_between (0, 9)]};
  return r;
}

static void test_entries (gpumm_distribution distribution, gpumm_type type, int64_t count) {
  const gpumm_random r = any_random (distribution);
  void *x = check_allocate (count + 1, 8);
  draw_random (&r, type, count, check_between (0, 3), x);
  const int64_t wrong = distribution == GPUMM_RANDOM_BITS ? wrong_bits (&r, type, count, x)
                        : distribution == GPUMM_INTEGERS  ? wrong_integers (&r, type, count, x)
                                                          : wrong_reals (&r, type, count, x);
  CHECK (wrong == 0, "distribution %d of %s: %" PRId64 " of %" PRId64 " wrong, range %" PRIu64,
         (int) distribution, gpumm_type_name (type), wrong, count, r.range);
  free (x);
}

static const gpumm_type types_of[GPUMM_DISTRIBUTIONS][11] = {
    {GPUMM_U32, GPUMM_U64, GPUMM_TYPES},
    {GPUMM_S, GPUMM_D, GPUMM_TYPES},
    {GPUMM_S, GPUMM_D, GPUMM_TYPES},
    {GPUMM_S, GPUMM_D, GPUMM_TYPES},
    {GPUMM_S, GPUMM_D, GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64, GPUMM_U8, GPUMM_U16, GPUMM_U32,
     GPUMM_U64, GPUMM_TYPES}};

static void test_all (void) {
  static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 255, 256, 257, 1023, 1024, 1025, 4097, 20001};
  enum { COUNTS = sizeof counts / sizeof *counts };
  for (int d = 0; d < GPUMM_DISTRIBUTIONS; d++)
    for (const gpumm_type *type = types_of[d]; *type != GPUMM_TYPES; type++)
      for (int n = 0; n < COUNTS + cases; n++)
        test_entries ((gpumm_distribution) d, *type,
                      n < COUNTS ? counts[n] : check_between (1, 3000));
}

/* A draw of n + m entries is one of n, where these fill their blocks, and then one of m. */
static void test_continued (void) {
  gpumm_random r = any_random (GPUMM_UNIFORM);
  double whole[1000], parts[1000];
  draw_random (&r, GPUMM_D, 1000, 0, whole);
  draw_random (&r, GPUMM_D, 300, 1, parts);
  r.counter[0] += 150;
  draw_random (&r, GPUMM_D, 700, 0, parts + 300);
  CHECK (!memcmp (whole, parts, sizeof whole), "two draws are not one");
}

/* ---- how they are distributed ---------------------------------------------------------------- */

static double *drawn (gpumm_distribution distribution, int64_t count) {
  const gpumm_random r = {.distribution = distribution, .key = 20261201, .low = -5, .range = 100};
  double *x = check_allocate (count, sizeof *x);
  draw_random (&r, GPUMM_D, count, 0, x);
  return x;
}

/* The share of numbers below x. */
static double below (gpumm_distribution distribution, double x) {
  switch (distribution) {
  case GPUMM_NORMAL:
    return 0.5 * erfc (-x / sqrt (2));
  case GPUMM_EXPONENTIAL:
    return -expm1 (-x);
  case GPUMM_INTEGERS: /* each is seen as the middle of a bin */
    return (x + 5.5) / 100;
  default:
    return x;
  }
}

/* Moments within 5 standard errors, and chi-squared in 100 bins of one share each: 99 degrees of
 * freedom, deviation sqrt (198). The seed is fixed: the numbers are the same in every run. */
static void test_distribution (gpumm_distribution distribution) {
  enum { COUNT = 1 << 18, BINS = 100 };
  static const double means[] = {0, 0.5, 0, 1, 44.5}, variances[] = {0, 1. / 12, 1, 1, 9999. / 12},
                      fourths[] = {0, 1.8, 3, 9, 1.8};
  double *x = drawn (distribution, COUNT), mean = 0, variance = 0, chi = 0, pairs = 0;
  int64_t bins[BINS] = {0};
  for (int i = 0; i < COUNT; i++) {
    const double d = x[i] - means[distribution];
    mean += d / COUNT;
    variance += d * d / COUNT;
    pairs += i > 0 ? d * (x[i - 1] - means[distribution]) / COUNT : 0;
    bins[(int) (BINS * below (distribution, x[i]))]++;
  }
  for (int b = 0; b < BINS; b++)
    chi += pow ((double) bins[b] - (double) COUNT / BINS, 2) / ((double) COUNT / BINS);
  const double v = variances[distribution], error = 5 / sqrt (COUNT);
  CHECK (fabs (mean) < error * sqrt (v), "distribution %d: mean is %g off", (int) distribution,
         mean);
  CHECK (fabs (variance / v - 1) < error * sqrt (fourths[distribution] - 1),
         "distribution %d: variance %g, not %g", (int) distribution, variance, v);
  CHECK (fabs (pairs) < error * v, "distribution %d: neighbours correlate by %g",
         (int) distribution, pairs / v);
  CHECK (fabs (chi - 99) < 4 * sqrt (198), "distribution %d: chi-squared of 100 bins is %g",
         (int) distribution, chi);
  free (x);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_refused (void) {
  const gpumm_view d = take (GPUMM_D, 4), i64 = take (GPUMM_I64, 4);
  const gpumm_operation right = {.name = "random",
                                 .inner = 1,
                                 .count = 4,
                                 .outer = 1,
                                 .result = {d},
                                 .random = {.distribution = GPUMM_UNIFORM, .range = 1}};
#define DRAW(change, status, text)                                                                 \
  REFUSED (gpumm_operation, right, change, gpumm_operation_run, status, text)
  DRAW (x.count = 5, GPUMM_INVALID, "does not lie in its buffer");
  DRAW (x.count = -1, GPUMM_INVALID, "negative");
  DRAW (x.map.inputs = 1, GPUMM_INVALID, "reads no array");
  DRAW (x.result[0].type = GPUMM_TYPES, GPUMM_INVALID, "no element type");
  DRAW (x.result[0] = i64, GPUMM_UNSUPPORTED, "element type");
  DRAW (x.result[0].type = GPUMM_Z, GPUMM_UNSUPPORTED, "element type");
  DRAW (x.result[0].buffer = NULL, GPUMM_INVALID, "has no buffer");
  DRAW (x.result[1] = i64, GPUMM_INVALID, "no 2 results");
  DRAW (x.random.distribution = GPUMM_DISTRIBUTIONS, GPUMM_INVALID, "no distribution");
  DRAW (x.random.distribution = GPUMM_RANDOM_BITS, GPUMM_UNSUPPORTED, "element type");
  DRAW ((x.random.distribution = GPUMM_INTEGERS, x.random.range = 0), GPUMM_INVALID, "2^53");
  DRAW ((x.random.distribution = GPUMM_INTEGERS, x.random.low = INT64_MAX), GPUMM_INVALID, "2^53");
  OK (gpumm_operation_run (&right));
  give_all ();
}

int main (int argc, char **argv) {
  check_seed (20261201);
  take_arguments (argc, argv, &cases);
  test_known ();
  test_all ();
  test_continued ();
  for (int d = GPUMM_UNIFORM; d < GPUMM_DISTRIBUTIONS; d++)
    test_distribution ((gpumm_distribution) d);
  test_refused ();
  return released_and_done ();
}
