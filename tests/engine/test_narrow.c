/* test_narrow.c - numbers in the narrowest type that holds them exactly.
 *
 * Whether a type holds a number is found out of its exponent and its last bit, not by converting
 * it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "move/narrow.h"
#include "operands.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Whether this thread takes subnormals for zeros, as results and as operands: bits 15 and 6 of
 * MXCSR (Intel 64 manual, volume 1, 10.2.3). */
static void flush_subnormals (int on) {
  enum { FLUSH = 1 << 15 | 1 << 6 };
  _mm_setcsr (on ? _mm_getcsr () | FLUSH : _mm_getcsr () & ~(unsigned) FLUSH);
}
#else
static void flush_subnormals (int on) {
  (void) on;
}
#endif

static int flushes; /* while the numbers are copied */

/* From narrow to wide: each holds what those before it hold. */
static const gpumm_type types[] = {GPUMM_I8, GPUMM_I16, GPUMM_S, GPUMM_D};
enum { TYPES = sizeof types / sizeof *types };

/* A multiple of 2^step below 2^exponent? */
static int is_multiple (double x, int step, int exponent) {
  double part = ldexp (x, -step); /* exact, as the exponent has room */
  return part == trunc (part) && fabs (x) < ldexp (1, exponent);
}

static int holds (gpumm_type type, double x) {
  int exponent;
  if (type == GPUMM_D)
    return 1;
  if (isnan (x))
    return 0;
  if (type == GPUMM_S) {
    if (isinf (x) || x == 0)
      return 1;
    frexp (x, &exponent);
    return is_multiple (x, exponent - FLT_MANT_DIG > -149 ? exponent - FLT_MANT_DIG : -149,
                        FLT_MAX_EXP);
  }
  if (isinf (x) || (x == 0 && signbit (x)))
    return 0;
  return x == (type == GPUMM_I8 ? -128 : -32768) || is_multiple (x, 0, type == GPUMM_I8 ? 7 : 15);
}

static double real_at (gpumm_type type, const void *p, int64_t i) {
  return (double) creall (get (type, p, i));
}

/* Any that the type holds and no narrower one does. */
static double number_of (gpumm_type type) {
  switch (type) {
  case GPUMM_I8:
    return (double) check_between (-128, 127);
  case GPUMM_I16:
    return (double) (check_between (0, 1) ? check_between (128, 32767)
                                          : check_between (-32768, -129));
  case GPUMM_S:
    return (double) check_between (1, 1 << 23) + 0.5;
  default:
    return 1 + (double) check_between (0, 1 << 28) * 0x1p-30 + 0x1p-40;
  }
}

/* Around the ends of each type, of its bits and of its exponents. */
static const double edges[][11] = {
    {0.0, -0.0, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 65535},
    {0x1p24, 16777217, -16777217, 0x1p31, -0x1p31, 0x1p32, -4294967295, 0x1p63, 0.5, -126.5, NAN},
    {0x1.fbffffffffffp6, 0x1.000002p0, 0x1.000001p0, 0x1.0000000000001p0, FLT_MAX, 0x1.fffffe4p127,
     0x1p128, 1e300, DBL_MAX, FLT_MIN, -NAN},
    {0x1p-149, -0x1p-149, 0x1.8p-149, 0x1p-150, 0x1.000002p-127, DBL_MIN, 0x1p-1074, -0x1p-1074,
     INFINITY, -INFINITY, 126.5}};
enum { EDGES = sizeof edges / sizeof **edges };

/* Columns of numbers that base holds, but for one, which is x. */
static void test_matrix (gpumm_type wide, gpumm_type base, int64_t rows, int64_t cols, int64_t at,
                         double x) {
  const int64_t ld_from = rows + check_between (0, 3), ld_to = rows + check_between (0, 3);
  const size_t element = gpumm_type_bytes (wide);
  void *from = check_allocate (ld_from * cols, element);
  unsigned char *to = check_allocate (ld_to * cols, element);
  int64_t vain = 0, wrong = 0;
  int least = 0;
  memset (from, 0xff, (size_t) (ld_from * cols) * element); /* NaN between the columns */
  for (int64_t i = 0; i < rows * cols; i++)
    put (wide, from, i % rows + i / rows * ld_from, i == at ? x : number_of (base));
  for (int64_t i = 0; i < rows * cols; i++)
    while (types[least] != wide
           && !holds (types[least], real_at (wide, from, i % rows + i / rows * ld_from)))
      least++;
  flush_subnormals (flushes);
  gpumm_type narrow = gpumm_narrow_columns (wide, to, ld_to, from, ld_from, rows, cols, &vain);
  flush_subnormals (0);
  CHECK (flushes || narrow == types[least], "%lld x %lld of %s, of which %lld is %a: %s, not %s",
         (long long) rows, (long long) cols, gpumm_type_name (wide), (long long) at, x,
         gpumm_type_name (narrow), gpumm_type_name (types[least]));
  CHECK (vain >= 0 && vain <= (TYPES - 1) * rows * cols && (types[least] != GPUMM_I8 || vain == 0),
         "%lld in vain", (long long) vain);
  for (int64_t i = 0; i < rows * cols && narrow != wide; i++) {
    double was = real_at (wide, from, i % rows + i / rows * ld_from);
    double is = real_at (narrow, to, i % rows + i / rows * ld_to);
    wrong += memcmp (&was, &is, sizeof was) != 0;
  }
  CHECK (wrong == 0, "%lld of %lld x %lld are wrong in %s", (long long) wrong, (long long) rows,
         (long long) cols, gpumm_type_name (narrow));
  free (from);
  free (to);
}

/* Each edge among numbers of each type, at the ends of the runs that are converted at once. */
static void test_edges (gpumm_type wide) {
  enum { ROWS = 300, COLS = 2 };
  static const int64_t places[] = {0,   1,   3,   4,   7,    8,    15,   16,   17,   255,
                                   256, 270, 598, 599, 1023, 1039, 1040, 1041, 2063, 2064};
  for (int base = 0; types[base] != wide; base++)
    for (int e = 0; e < EDGES; e++)
      for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        if (places[p] < ROWS * COLS)
          test_matrix (wide, types[base], ROWS, COLS, places[p], edges[e / 11][e % 11]);
        test_matrix (wide, types[base], 1 + places[p], 1, places[p], edges[e / 11][e % 11]);
      }
}

static void test_random (gpumm_type wide, int cases) {
  for (int i = 0; i < cases; i++) {
    int64_t rows = check_between (1, i % 4 ? 40 : 2000), cols = check_between (1, 5);
    gpumm_type base = types[check_between (0, wide == GPUMM_D ? 3 : 2)];
    gpumm_type odd = types[check_between (0, wide == GPUMM_D ? 3 : 2)];
    test_matrix (wide, base, rows, cols, check_between (0, rows * cols - 1), number_of (odd));
  }
}

/* What no narrow type holds is given up with the first numbers. */
static void test_given_up (gpumm_type wide) {
  enum { COUNT = 100000 };
  double *from = check_allocate (COUNT, 8), *to = check_allocate (COUNT, 8);
  int64_t vain = 0;
  for (int64_t i = 0; i < COUNT; i++)
    put (wide, from, i, check_uniform ());
  to[COUNT / 100] = 77;
  CHECK (gpumm_narrow_columns (wide, to, COUNT, from, COUNT, COUNT, 1, &vain) == wide && vain == 0
             && to[COUNT / 100] == 77,
         "%lld in vain", (long long) vain);
  put (wide, from, 0, 1);
  CHECK (gpumm_narrow_columns (wide, to, COUNT, from, COUNT, 0, 5, &vain) != wide, "no numbers");
  free (from);
  free (to);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261121);
  for (int i = 0; i < 2; i++) {
    gpumm_type wide = i ? GPUMM_S : GPUMM_D;
    test_edges (wide);
    flushes = 1; /* a wider type than need be is right, too */
    test_edges (wide);
    flushes = 0;
    test_random (wide, argc > 2 ? atoi (argv[2]) : 3000);
    test_given_up (wide);
  }
  return check_done ();
}
