/* test_residues.cc - the emulated products on the host: residues, the Chinese remainder theorem,
 * rounding, products in parts, and the choice of moduli.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"
#include "emulated/choice.h"
#include "emulated/parts.h"
#include "../check.h"

#include <float.h>
#include <limits.h>

typedef __int128 int128;

/* Of a biased float: the residue as a byte. */
static int low_byte (float biased) {
  int bits;
  memcpy (&bits, &biased, sizeof bits);
  return (int8_t) (bits & 255);
}

static int128 magnitude_of (const whole<3> &x) {
  return (int128) x.word[2] << 64 | (int128) x.word[1] << 32 | x.word[0];
}

static int modulo (int128 x, int p) {
  int r = (int) (x % p);
  return r < 0 ? r + p : r;
}

/* Uniform below 2^bits, with a sign. */
static int128 random_integer (int bits) {
  unsigned __int128 x = (unsigned __int128) check_random () << 64 | check_random ();
  int128 y = bits ? (int128) (x >> (128 - bits)) : 0;
  return check_random () & 1 ? -y : y;
}

/* The nearest double of x 2^e, ties to even, by halves of the integer alone. */
static double nearest (int128 x) {
  unsigned __int128 y = x < 0 ? -(unsigned __int128) x : (unsigned __int128) x;
  int shift = 0;
  while (y >> shift >> 53)
    shift++;
  unsigned __int128 kept = y >> shift, rest = y - (kept << shift);
  unsigned __int128 half = shift ? (unsigned __int128) 1 << (shift - 1) : 1;
  if (shift && (rest > half || (rest == half && kept & 1)))
    kept++;
  double d = ldexp ((double) (uint64_t) kept, shift);
  return x < 0 ? -d : d;
}

/* ---- tables ------------------------------------------------------------------------------- */

static int gcd (int a, int b) {
  return b ? gcd (b, a % b) : a;
}

static void test_moduli (void) {
  for (int i = 0; i < MOST_MODULI; i++) {
    CHECK (moduli[i] <= 256 && moduli[i] > 128, "%d", moduli[i]);
    for (int j = 0; j < i; j++)
      CHECK (gcd (moduli[i], moduli[j]) == 1, "%d and %d", moduli[i], moduli[j]);
  }
  for (int n = 2; n <= MOST_MODULI; n++) {
    crt_table t = make_crt_table (n);
    double bits = 0;
    for (int i = 0; i < n; i++)
      bits += log2 (moduli[i]);
    CHECK (t.limbs * LIMB_BITS >= bits && t.limbs <= MOST_LIMBS, "%d moduli in %d limbs", n,
           t.limbs);
    CHECK (fabs (moduli_bits (n) - (bits - 1)) < 1e-3 && moduli_bits (n) < bits - 1, "%d", n);
    for (int l = t.limbs; l < MOST_LIMBS; l++)
      CHECK (t.product[l] == 0, "%d moduli: limb %d", n, l);
    for (int i = 0; i < n; i++) /* P is 0, P/p is not 0 modulo p, and 0 modulo the others */
      for (int j = 0; j < n; j++) {
        CHECK (limbs_modulo (t.product, moduli[j]) == 0, "P modulo %d", moduli[j]);
        CHECK ((limbs_modulo (t.m[i], moduli[j]) == 0) == (i != j), "P/%d modulo %d", moduli[i],
               moduli[j]);
      }
  }
}

/* ---- numbers to integers ------------------------------------------------------------------ */

template <typename T> static void check_parts (T x) {
  number_parts p = take_apart (x);
  double back = ldexp ((double) p.significand, p.exponent);
  CHECK ((p.negative ? -back : back) == x, "%a", (double) x);
}

static void test_parts (void) {
  static const double edges[] = {0,        1,       -1,       0x1p-1074,           -0x1.8p-1073,
                                 0x1p1023, DBL_MAX, -DBL_MIN, DBL_MIN - 0x1p-1074, 0.1};
  for (int i = 0; i < 2000; i++) {
    double x = i < 10 ? edges[i] : ldexp (check_uniform (), (int) check_between (-1070, 1020));
    check_parts (x);
    if (isfinite ((float) x))
      check_parts ((float) x);
  }
}

static void test_integers (void) {
  for (int i = 0; i < 20000; i++) {
    double x = ldexp (check_uniform (), (int) check_between (-60, 60));
    int e = (int) check_between (-110, 94 - ilogb (x ? x : 1) - 1);
    uint64_t dither = i % 3 == 0 ? 0 : i % 3 == 1 ? UINT64_MAX : check_random ();
    whole<3> y = to_whole<3> (take_apart (x), e, dither);
    long double exact = ldexpl ((long double) x, e), size = fabsl (exact);
    long double part = size - floorl (size), add = ldexpl ((long double) dither, -64);
    long double want = copysignl (floorl (size) + (part + add >= 1), exact);
    if (part > 0 && fabsl (part + add - 1) < 0x1p-50L)
      continue; /* the one or the other */
    long double have = ldexpl ((long double) (uint64_t) (magnitude_of (y) >> 64), 64)
                       + (long double) (uint64_t) magnitude_of (y);
    CHECK ((y.sign < 0 ? -have : have) == want, "%a 2^%d: %Lg, not %Lg", x, e, have, want);
    if (fabsl (want) < 0x1p63L) {
      whole<2> z = to_whole<2> (take_apart (x), e, dither);
      CHECK (z.word[0] == y.word[0] && z.word[1] == y.word[1], "%a 2^%d in two words", x, e);
    }
    if (fabsl (want) < 0x1p31L) {
      whole<1> z = to_whole<1> (take_apart (x), e, dither);
      CHECK (z.word[0] == y.word[0], "%a 2^%d in one word", x, e);
    }
  }
}

/* Rounding is right on average: the mean error of equal numbers is a hundredth of what each may
 * have. */
static void test_dither (void) {
  enum { K = 4096 };
  for (int i = 0; i < 200; i++) {
    double x = 1 + check_uniform (), sum = 0;
    int bits = (int) check_between (0, 30);
    uint64_t seed = scramble ((uint64_t) i);
    for (int l = 0; l < K; l++) {
      whole<1> y = to_whole<1> (take_apart (x), bits, dither_at (seed, l));
      sum += (double) y.word[0] - ldexp (x, bits);
    }
    CHECK (fabs (sum) / K < 0.01, "%a to %d bits: %g", x, bits, sum / K);
  }
}

/* ---- residues and back -------------------------------------------------------------------- */

static void test_residues (void) {
  for (int i = 0; i < 4000; i++) {
    int n = (int) check_between (2, MOST_MODULI), words = (int) check_between (1, MOST_WORDS);
    residue_table a = make_residue_table (n, words, 1), b = make_residue_table (n, words, 0);
    crt_table t = make_crt_table (n);
    int128 v = random_integer ((int) check_between (0, 32 * words));
    int128 size = v < 0 ? -v : v;
    whole<3> x = {{(uint32_t) size, (uint32_t) (size >> 32), (uint32_t) (size >> 64)},
                  v < 0 ? -1 : 1};
    for (int j = 0; j < n; j++) {
      int p = moduli[j];
      float r = residue (x, b, j) - ROUNDER, s = residue (x, a, j) - ROUNDER;
      CHECK (fabsf (r) <= (float) p / 2 && modulo ((int) r, p) == modulo (v, p),
             "residue %g modulo %d", (double) r, p);
      CHECK (fabsf (s) <= (float) p / 2
                 && (int64_t) modulo ((int) s, p) * limbs_modulo (t.m[j], p) % p == modulo (v, p),
             "factor %g modulo %d", (double) s, p);
      CHECK (low_byte (r + ROUNDER) == (int) r || (p == 256 && r == 128), "byte of %g", (double) r);
      int d = (int) random_integer (31);
      if (i % 50 == 0)
        d = i % 100 ? INT32_MAX : INT32_MIN;
      CHECK (abs (reduce (d, t, j)) <= p / 2 + 3 && modulo (reduce (d, t, j), p) == modulo (d, p),
             "%d modulo %d is %d", d, p, reduce (d, t, j));
    }
  }
}

template <int LIMBS> static double combine_limbs (const int *r, const crt_table &t, int *exponent) {
  wide<LIMBS> x = {};
  for (int i = 0; i < t.count; i++)
    add_residue (x, r[i], t, i);
  return to_double (x, t, exponent);
}

static double combine (const int *r, const crt_table &t, int *exponent) {
  return t.limbs == 2   ? combine_limbs<2> (r, t, exponent)
         : t.limbs == 3 ? combine_limbs<3> (r, t, exponent)
         : t.limbs == 4 ? combine_limbs<4> (r, t, exponent)
         : t.limbs == 5 ? combine_limbs<5> (r, t, exponent)
                        : combine_limbs<6> (r, t, exponent);
}

/* An integer up to the very margin of P/2 comes back from its residues, to the nearest double. */
static void test_reconstruction (void) {
  for (int i = 0; i < 40000; i++) {
    int n = (int) check_between (2, MOST_MODULI);
    crt_table t = make_crt_table (n);
    double bits = moduli_bits (n);
    int128 x;
    if (bits < 126 && i % 3 == 0) { /* next to the margin */
      x = (int128) floor (exp2 (bits - (double) check_between (0, 3) * 1e-4));
      x = bits > 60 ? x - random_integer ((int) bits - 20) * (check_random () % 2) : x;
      x = check_random () & 1 ? -x : x;
    } else
      x = random_integer ((int) check_between (0, bits < 126 ? (int) bits : 126));
    if (i % 5 == 0 && x) /* ties and their neighbours */
      x = (x >> 60) * ((int128) 1 << 60) + ((int128) 1 << check_between (0, 59))
          + check_between (-1, 1);
    double size = fabs (nearest (x));
    if (log2 (size) > bits)
      continue;
    int r[MOST_MODULI];
    for (int j = 0; j < n; j++) {
      int p = moduli[j], factor = 1;
      while (limbs_modulo (t.m[j], p) * factor % p != 1)
        factor++;
      r[j] = modulo (x, p) * factor % p;
      r[j] -= check_random () & 1 ? p : 0;
    }
    int exponent;
    double y = combine (r, t, &exponent);
    CHECK (scale_by_power (y, exponent) == nearest (x), "%d moduli: %a, not %a", n,
           ldexp (y, exponent), nearest (x));
    CHECK (y == 0 || (fabs (y) >= 1 && fabs (y) <= 0x1p64), "%a", y);
  }
  for (int s = -1200; s < 1000; s++)
    CHECK (scale_by_power (0x1.23456789abcdep57, s) == ldexp (0x1.23456789abcdep57, s), "%d", s);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* What kernels/driver.c has for drivers. */
gpumm_status gpumm_driver_fail (gpumm_status status, const char *, ...) {
  return status;
}

/* The planes' product as cuBLASLt makes it. */
static gpumm_status multiply_on_host (const residue_planes &a, const residue_planes &b,
                                      const product_planes &d, int64_t k, int count, bool add) {
  for (int p = 0; p < count; p++)
    for (int64_t j = 0; j < b.vectors; j++)
      for (int64_t i = 0; i < a.vectors; i++) {
        int32_t sum = 0;
        for (int64_t l = 0; l < k; l++)
          sum += a.to[p * a.plane + i * a.ld + l] * b.to[p * b.plane + j * b.ld + l];
        int32_t *to = &d.d[p * d.plane + j * d.ld + i];
        *to = add ? *to + sum : sum;
      }
  return GPUMM_OK;
}

/* A whole product of integers, in so much workspace, which must come out as it is; the number of
 * int8 products that it took, or -1 where workspace is too short. With ready, residues are kept
 * elsewhere: ready[0] of A and ready[1] of B are there, the others are made. */
static int product_in_parts (int64_t m, int64_t n, int64_t k, bool along, double room,
                             const bool *ready = NULL) {
  enum { MODULI = 6, MOST = 100 };
  int products = 0, wrong = 0, outside = 0, quantised[2] = {0, 0};
  size_t bytes = (size_t) room;
  double *x = (double *) check_allocate (m * k, sizeof *x);
  double *y = (double *) check_allocate (k * n, sizeof *y);
  char *made = (char *) check_allocate (m * n, 1);
  char *memory = (char *) check_allocate ((int64_t) bytes + 256, 1);
  memset (memory, 0x55, bytes + 256);
  for (int64_t e = 0; e < m * k; e++)
    x[e] = (double) check_between (-MOST, MOST);
  for (int64_t e = 0; e < k * n; e++)
    y[e] = (double) check_between (-MOST, MOST);
  operand_view<double> a = {x, along ? k : m, m, k, along, false, 0, 0, 0};
  operand_view<double> b = {y, along ? n : k, n, k, !along, false, 0, 0, 1};
  residue_table tables[2] = {make_residue_table (MODULI, 1, 1), make_residue_table (MODULI, 1, 0)};
  crt_table crt = make_crt_table (MODULI);
  auto quantise = [&] (int which, const operand_view<double> &part, const residue_planes &to) {
    quantised[which]++;
    for (int p = 0; p < MODULI; p++)
      for (int64_t v = 0; v < to.vectors; v++)
        for (int64_t l = 0; l < to.ld; l++) {
          double value = v < part.count && l < part.k ? part.at (v, l) : 0;
          whole<1> integer = to_whole<1> (take_apart (value), 0, part.seed (v));
          to.to[p * to.plane + v * to.ld + l] =
              (int8_t) low_byte (residue (integer, tables[which], p));
        }
    return GPUMM_OK;
  };
  kept_residues kept[2] = {};
  for (int which = 0; ready && which < 2; which++) {
    const operand_view<double> &x = which ? b : a;
    residue_planes planes = {NULL, round_up (k, DEPTH_UNIT), round_up (x.count, VECTOR_UNIT), 0};
    planes.plane = planes.ld * planes.vectors;
    planes.to = (int8_t *) check_allocate (MODULI * planes.plane, 1);
    kept[which] = {planes.to, ready[which]};
    if (ready[which])
      quantise (which, x, planes);
    quantised[which] = 0;
  }
  gpumm_status status = for_parts (
      memory, room, MODULI, a, b, kept, quantise,
      [&] (const residue_planes &rows, const residue_planes &cols, const product_planes &d,
           int64_t depth, bool add) {
        for (int64_t e = 0; add && e < d.plane * MODULI; e++)
          d.d[e] = reduce (d.d[e], crt, (int) (e / d.plane));
        products++;
        return multiply_on_host (rows, cols, d, depth, MODULI, add);
      },
      [&] (int64_t i0, int64_t j0, const product_planes &d) {
        for (int64_t j = j0; j < j0 + d.cols; j++)
          for (int64_t i = i0; i < i0 + d.rows; i++) {
            wide<2> sum = {};
            for (int p = 0; p < MODULI; p++)
              add_residue (sum, reduce (d.d[p * d.plane + (j - j0) * d.ld + i - i0], crt, p), crt,
                           p);
            int exponent;
            double value = to_double (sum, crt, &exponent), right = 0;
            for (int64_t l = 0; l < k; l++)
              right += a.at (i, l) * b.at (j, l);
            wrong += ldexp (value, exponent) != right;
            made[i + j * m]++;
          }
        return GPUMM_OK;
      });
  for (int i = 0; i < 256; i++)
    outside += memory[bytes + (size_t) i] != 0x55;
  for (int64_t e = 0; e < m * n && !status; e++)
    wrong += made[e] != 1;
  CHECK (wrong == 0 && outside == 0, "%lld x %lld x %lld in %.0f bytes: %d wrong, %d outside",
         (long long) m, (long long) n, (long long) k, room, wrong, outside);
  for (int which = 0; ready && which < 2; which++) {
    CHECK (status || quantised[which] == !ready[which], "residues of %d made %d times", which,
           quantised[which]);
    free (kept[which].to);
  }
  free (x);
  free (y);
  free (made);
  free (memory);
  return status ? -1 : products;
}

static void test_parts_of_products (void) {
  enum { ROWS = PRODUCT_ROWS, COLS = PRODUCT_COLS };
  static const struct {
    const char *what;
    int64_t m, n, k;
    bool along;
    double room;
    int least, most; /* products; -1: too little room */
  } cases[] = {{"one part", 33, 20, 300, true, 1e6, 1, 1},
               {"two parts of rows", ROWS + 5, 2, 3, false, 1e7, 2, 2},
               {"two parts of columns", 2, COLS + 1, 3, true, 1e7, 2, 2},
               {"panels of rows", 2 * ROWS + 5, 2, 3, true, 5e6, 3, INT_MAX},
               {"panels of columns", 2, 2 * COLS + 1, 3, false, 2.5e6, 3, INT_MAX},
               {"steps along a long k", 2, 3, MOST_DEPTH + 1, false, 1e8, 3, 3},
               {"steps along k", 60, 60, 2500, true, 1e6, 2, INT_MAX},
               {"no room", 60, 60, 2500, true, 1e5, -1, -1}};
  for (const auto &c : cases) {
    int products = product_in_parts (c.m, c.n, c.k, c.along, c.room);
    CHECK (products >= c.least && products <= c.most, "%s: %d products", c.what, products);
  }
  /* residues that are kept: the room is for products alone */
  const bool states[4][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
  for (const bool (&ready)[2] : states) {
    double room = whole_panels (33, COLS + 1, 30, 6).product_bytes ();
    CHECK (product_in_parts (33, COLS + 1, 30, true, room, ready) == 2, "kept residues");
    CHECK (product_in_parts (33, COLS + 1, 30, false, room - 1, ready) == -1, "no room");
  }
  for (int i = 0; i < 12; i++) {
    int64_t m = check_between (1, 150), n = check_between (1, 150), k = check_between (1, 2500);
    double all = choose_panels (m, n, k, 6, 1e18).bytes ();
    product_in_parts (m, n, k, i % 2, floor (all * (double) check_between (5, 110) / 100));
  }
}

/* ---- the choice --------------------------------------------------------------------------- */

/* The rearrangement's bound, against all orders there are of few elements: sorting both ways. */
static void test_least_product (void) {
  for (int i = 0; i < 3000; i++) {
    enum { K = 12 };
    int level[2][K], k = (int) check_between (1, K);
    operand_facts x[2] = {};
    for (int s = 0; s < 2; s++) {
      int high = (int) check_between (0, 127);
      for (int l = 0; l < k; l++) {
        level[s][l] = (int) check_between (0, high);
        for (int b = level[s][l] / LEVELS_A_BIN + 1; b < LEVEL_BINS; b++)
          x[s].below[b]++;
      }
      for (int l = 1; l < k; l++) /* ascending, and descending */
        for (int e = l; e > 0 && (level[s][e] < level[s][e - 1]) != s; e--) {
          int swap = level[s][e];
          level[s][e] = level[s][e - 1];
          level[s][e - 1] = swap;
        }
    }
    double least = 0, binned = 0;
    for (int l = 0; l < k; l++) {
      least += level[0][l] * level[1][l];
      binned +=
          level[0][l] / LEVELS_A_BIN * LEVELS_A_BIN * (level[1][l] / LEVELS_A_BIN * LEVELS_A_BIN);
    }
    double bound = least_product (x[0], x[1], k);
    CHECK (bound <= least && bound == binned, "%g, least %g, binned %g", bound, least, binned);
  }
}

/* Facts of vectors like k elements uniform in (-1/2, 1/2). */
static operand_facts uniform_facts (int64_t k, double exact) {
  operand_facts x = {};
  x.norm = (float) (0.5 * log2 ((double) k / 3));
  x.exact = (float) exact + x.norm;
  x.fractions = 1;
  for (int b = 0; b < LEVEL_BINS; b++)
    x.below[b] = (uint32_t) (k * b / LEVEL_BINS);
  return x;
}

static void test_choice (void) {
  for (int64_t k = 64; k <= 1 << 20; k *= 2) {
    native_facts native = {0.18 * 0x1p-106, 1}; /* 0.42 2^-53, what uniform data give */
    operand_facts x = uniform_facts (k, 56), counts = uniform_facts (k, 1);
    kappas kappa = kappas_of_histograms (x, x, k);
    auto choose = [&] (const operand_facts &a, const operand_facts &b, const kappas &of,
                       const native_facts &beside) {
      return choose_moduli (a, b, of, beside, MEASURED, k, false, 0x1p-52);
    };
    choice c = choose (x, x, kappa, native);
    CHECK (c.count >= 14 && c.count <= 15, "k = %lld: %d moduli", (long long) k, c.count);
    CHECK (c.error <= MEASURED * 0.425 * 0x1p-53, "k = %lld: %g", (long long) k, c.error);
    CHECK (c.bits_a + c.bits_b + 2 * (double) x.norm <= moduli_bits (c.count), "%d and %d bits",
           c.bits_a, c.bits_b);
    c = choose (counts, counts, kappa, native);
    CHECK (
        c.count == 2 + (2 * counts.exact > moduli_bits (2)) + (2 * counts.exact > moduli_bits (3))
            && c.bits_a == EXACT && c.bits_b == EXACT && c.error == 0,
        "k = %lld, counts: %d moduli", (long long) k, c.count);
    operand_facts integers = x;
    integers.fractions = counts.fractions = 0;
    c = choose (integers, integers, kappa, native);
    CHECK (c.bits_a == EXACT && c.bits_b == EXACT, "k = %lld, integers: %d moduli", (long long) k,
           c.count);
    c = choose (counts, x, kappa, native);
    CHECK (c.count <= 12 && c.bits_a == EXACT, "k = %lld, counts times x: %d", (long long) k,
           c.count);
    /* native arithmetic is exact: only what is exact will do */
    native_facts none = {0, 0};
    c = choose (x, x, kappa, none);
    CHECK (c.count == 0 || (c.bits_a == EXACT && c.bits_b == EXACT), "%d moduli", c.count);
    /* nothing is known of t: infinite kappas */
    kappas infinite = {INFINITY, INFINITY};
    operand_facts wide = uniform_facts (k, 100);
    c = choose (wide, wide, infinite, native);
    CHECK (c.count == 0, "%d moduli", c.count);
    /* more moduli where vectors are closer to orthogonal */
    int before = 0;
    for (int bits = 0; bits < 20; bits++) {
      kappas larger = {ldexpf (kappa.a, bits), ldexpf (kappa.b, bits)};
      c = choose (wide, wide, larger, native);
      CHECK (c.count >= before && c.count > 0, "k = %lld, 2^%d: %d moduli", (long long) k, bits,
             c.count);
      before = c.count;
    }
  }
}

/* The library takes over where the moduli that data need eat up the gain. */
static void test_worthwhile (void) {
  for (int is_single = 0; is_single < 2; is_single++) {
    int usual = is_single ? 7 : 14;
    CHECK (usual_moduli (is_single) == usual, "usual");
    CHECK (worthwhile_moduli (0, is_single) == MOST_MODULI, "asked for");
    CHECK (worthwhile_moduli (1, is_single) == usual, "no gain");
    CHECK (worthwhile_moduli (100, is_single) == MOST_MODULI, "all there are");
    for (double gain = 1; gain < 2; gain += 0.01) {
      int most = worthwhile_moduli (gain, is_single);
      double seconds = LOOK + (1 - LOOK) * most / usual, more = seconds + (1 - LOOK) / usual;
      CHECK (most == MOST_MODULI || (seconds <= gain + LOOK && more > gain + LOOK),
             "gain %g: %d moduli", gain, most);
    }
  }
}

int main (void) {
  check_seed (1);
  test_moduli ();
  test_parts ();
  test_integers ();
  test_dither ();
  test_residues ();
  test_reconstruction ();
  test_parts_of_products ();
  test_least_product ();
  test_choice ();
  test_worthwhile ();
  return check_done ();
}
