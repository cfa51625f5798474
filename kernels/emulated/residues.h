/* residues.h - integers by their residues: the arithmetic of Ozaki scheme II.
 *
 * An integer x, |x| < P/2, is determined by its residues modulo N pairwise coprime p with product P
 * (Chinese remainder theorem). With M = P/p and y = M^-1 mod p,
 *
 *   x = sum over p of M ((x y) mod p)  -  q P,   q = rint (the sum / P),
 *
 * because each term is x modulo its own p and 0 modulo the others (Ozaki, Uchino and Imamura, arXiv
 * 2504.08009). Here y is part of A's residues, so that a product of residues reduced
 * modulo p is the factor of M; and the sum is computed in integers of several limbs, so x is
 * exact and is rounded once.
 *
 * Everything is for the host's compiler, too: tests/kernels/test_residues.cc tests it there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_RESIDUES_H
#define GPUMM_EMULATED_RESIDUES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  MOST_MODULI = 20,
  MOST_WORDS = 3, /* of 32 bits, of the magnitude of an element of A' or B' */
  LIMB_BITS = 28, /* of an integer modulo P */
  MOST_LIMBS = 6
};

/* Pairwise coprime and at most 256, so that symmetric residues are int8. */
static const int moduli[MOST_MODULI] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                        223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

/* ---- tables ------------------------------------------------------------------------------- */

/* The tables for the residues of one operand, passed to kernels by value. */
struct residue_table {
  int count, words;
  /* byte t of word w: (256^(4 w + t) factor) mod p, symmetric; factor is y for A and 1 for B */
  uint32_t weight[MOST_MODULI][MOST_WORDS];
  float p[MOST_MODULI], inverse[MOST_MODULI];
};

/* The tables for an integer from its residues. */
struct crt_table {
  int count, limbs;
  int32_t p[MOST_MODULI], reciprocal[MOST_MODULI]; /* rint (2^38 / p) */
  int32_t m[MOST_MODULI][MOST_LIMBS];              /* P/p */
  int32_t product[MOST_LIMBS];                     /* P */
  float inverse;                                   /* 2^(LIMB_BITS (limbs - 2)) / P */
};

/* Limbs that hold P. */
static inline int limbs_for (int count) {
  double bits = 0;
  for (int i = 0; i < count; i++)
    bits += log2 (moduli[i]);
  int limbs = (int) ceil (bits / LIMB_BITS);
  return limbs < 2 ? 2 : limbs;
}

/* x = the product of the first count moduli without the one at index without. */
static inline void multiply_out (int count, int without, int32_t x[MOST_LIMBS]) {
  memset (x, 0, MOST_LIMBS * sizeof *x);
  x[0] = 1;
  for (int i = 0; i < count; i++) {
    int64_t carry = 0;
    for (int l = 0; l < MOST_LIMBS && i != without; l++) {
      carry += (int64_t) x[l] * moduli[i];
      x[l] = (int32_t) (carry & ((1 << LIMB_BITS) - 1));
      carry >>= LIMB_BITS;
    }
  }
}

static inline int limbs_modulo (const int32_t x[MOST_LIMBS], int p) {
  int64_t rest = 0;
  for (int l = MOST_LIMBS - 1; l >= 0; l--)
    rest = ((rest << LIMB_BITS) + x[l]) % p;
  return (int) rest;
}

static inline crt_table make_crt_table (int count) {
  crt_table t = {};
  t.count = count;
  t.limbs = limbs_for (count);
  multiply_out (count, -1, t.product);
  double product = 0;
  for (int l = t.limbs - 1; l >= 0; l--)
    product = ldexp (product, LIMB_BITS) + t.product[l];
  t.inverse = (float) (ldexp (1, LIMB_BITS * (t.limbs - 2)) / product);
  for (int i = 0; i < count; i++) {
    t.p[i] = moduli[i];
    t.reciprocal[i] = (int32_t) rint (ldexp (1, 38) / moduli[i]);
    multiply_out (count, i, t.m[i]);
  }
  return t;
}

static inline residue_table make_residue_table (int count, int words, int is_a) {
  residue_table t = {};
  t.count = count;
  t.words = words;
  for (int i = 0; i < count; i++) {
    int p = moduli[i], factor = 1;
    int32_t cofactor[MOST_LIMBS];
    multiply_out (count, i, cofactor);
    int m = limbs_modulo (cofactor, p);
    while (is_a && m * factor % p != 1)
      factor++;
    t.p[i] = (float) p;
    t.inverse[i] = 1 / (float) p;
    for (int byte = 0; byte < 4 * words; byte++) {
      int symmetric = factor >= (p + 1) / 2 ? factor - p : factor;
      t.weight[i][byte / 4] |= (uint32_t) (uint8_t) symmetric << 8 * (byte % 4);
      factor = factor * 256 % p;
    }
  }
  return t;
}

/* log2 of what sum |a'| |b'| may reach: P/2, less a margin of 2^-13 bits. The rounding q of above
 * is estimated in single precision, wrong by less than 2^-17; the margin keeps x that far, and
 * farther, from the boundary, where a wrong q would be a wrong result. */
static inline double moduli_bits (int count) {
  double bits = -1 - ldexp (1, -13);
  for (int i = 0; i < count; i++)
    bits += log2 (moduli[i]);
  return bits;
}

/* ---- integers of numbers ------------------------------------------------------------------ */

/* A finite number: +-significand 2^exponent. */
struct number_parts {
  uint64_t significand;
  int exponent;
  bool negative;
};

DEVICE number_parts take_apart (double x) {
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  int field = (int) (bits >> 52) & 0x7ff;
  uint64_t fraction = bits & ((UINT64_C (1) << 52) - 1);
  return {field ? fraction | UINT64_C (1) << 52 : fraction, (field ? field : 1) - 1075,
          bits >> 63 != 0};
}

DEVICE number_parts take_apart (float x) {
  uint32_t bits;
  memcpy (&bits, &x, sizeof bits);
  int field = (int) (bits >> 23) & 0xff;
  uint32_t fraction = bits & ((1u << 23) - 1);
  return {field ? fraction | 1u << 23 : fraction, (field ? field : 1) - 150, bits >> 31 != 0};
}

template <int WORDS> struct whole {
  uint32_t word[WORDS]; /* of the magnitude */
  int sign;             /* 1 or -1 */
};

/* x 2^e rounded to one of the two integers next to it: up in magnitude if the fraction plus the
 * dither, uniform in 0 .. 2^64 - 1 as a fraction of 2^64, reaches 1. Integers stay. The magnitude
 * must fit the words. */
template <int WORDS> DEVICE whole<WORDS> to_whole (number_parts x, int e, uint64_t dither) {
  int shift = x.exponent + e;
  uint64_t low = x.significand, high = 0;
  if (shift < -63) { /* bits below 2^-63 */
    low = shift < -126 ? 0 : low >> (-63 - shift);
    shift = -63;
  }
  if (shift < 0)
    low = (low + (dither >> (64 + shift))) >> -shift;
  else {
    if (WORDS > 2)
      high = shift >= 64 ? (shift < 128 ? low << (shift - 64) : 0)
                         : (shift > 0 ? low >> (64 - shift) : 0);
    low = shift < 64 ? low << shift : 0;
  }
  whole<WORDS> y;
  y.word[0] = (uint32_t) low;
  if (WORDS > 1)
    y.word[1 % WORDS] = (uint32_t) (low >> 32);
  if (WORDS > 2)
    y.word[2 % WORDS] = (uint32_t) high;
  y.sign = x.negative ? -1 : 1;
  return y;
}

/* splitmix64, Steele, Lea and Flood 2014 */
DEVICE uint64_t scramble (uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* The dither of element l of a vector with this seed: Weyl's sequence of the golden ratio, whose
 * neighbours lie far apart, so that the errors of equal elements cancel. */
DEVICE uint64_t dither_at (uint64_t seed, int64_t l) {
  return seed + (uint64_t) l * 0x9e3779b97f4a7c15u;
}

/* ---- residues ----------------------------------------------------------------------------- */

/* sum + the four products of the unsigned bytes of x and the signed bytes of y. */
DEVICE int dot_bytes (uint32_t x, uint32_t y, int sum) {
#ifdef __CUDA_ARCH__
  int d;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(sum));
  return d;
#else
  for (int t = 0; t < 4; t++)
    sum += (int) (x >> 8 * t & 255) * (int8_t) (y >> 8 * t & 255);
  return sum;
#endif
}

/* 1.5 2^23: the low bits of the float x + ROUNDER are the integer x, |x| < 2^22, so no conversion
 * is needed, and adding ROUNDER rounds to an integer. Below such floats are called biased. */
#define ROUNDER 12582912.0f

DEVICE float biased (int x) {
  int bits = 0x4b400000 + x;
  float f;
  memcpy (&f, &bits, sizeof f);
  return f;
}

/* x modulo p, symmetric, both biased; |x| < 2^20, so that x/p is off by less than 2^-12, and what
 * remains is an integer within p/2 + 1/16. Modulo 256 the result may be 128, which as a byte equals
 * -128. */
DEVICE float reduce (float x, const residue_table &t, int which) {
  float q = fmaf (x - ROUNDER, t.inverse[which], ROUNDER) - ROUNDER;
  return fmaf (-t.p[which], q, x);
}

/* The residue of x, symmetric, biased: computed from a sum over the bytes of x times the residues
 * of 256^t, which is below 2^19. */
template <int WORDS>
DEVICE float residue (const whole<WORDS> &x, const residue_table &t, int which) {
  int sum = 0;
  for (int w = 0; w < WORDS; w++)
    sum = dot_bytes (x.word[w], t.weight[which][w], sum);
  return reduce (biased (sum * x.sign), t, which);
}

/* x modulo p for any int x: nearly symmetric, at most p/2 + 3 in magnitude. */
DEVICE int reduce (int x, const crt_table &t, int which) {
#ifdef __CUDA_ARCH__
  int q = __mulhi (x, t.reciprocal[which]);
#else
  int q = (int) ((int64_t) x * t.reciprocal[which] >> 32);
#endif
  return (int) ((uint32_t) x - (uint32_t) ((q + 32) >> 6) * (uint32_t) t.p[which]);
}

/* ---- an integer from its residues --------------------------------------------------------- */

template <int LIMBS> struct wide { int64_t limb[LIMBS]; };

/* x += r P/p; |r| < 400, so that 20 of them stay below 2^42. */
template <int LIMBS>
DEVICE void add_residue (wide<LIMBS> &x, int r, const crt_table &t, int which) {
#ifdef __CUDACC__
#pragma unroll
#endif
  for (int l = 0; l < LIMBS; l++)
    x.limb[l] += (int64_t) r * t.m[which][l];
}

template <int LIMBS> DEVICE void carry (wide<LIMBS> &x) {
  for (int l = 0; l < LIMBS - 1; l++) {
    x.limb[l + 1] += x.limb[l] >> LIMB_BITS;
    x.limb[l] &= (1 << LIMB_BITS) - 1;
  }
}

/* x minus the nearest multiple of P, rounded to double: value 2^*exponent, exact or the nearest. */
template <int LIMBS> DEVICE double to_double (wide<LIMBS> x, const crt_table &t, int *exponent) {
  float top = (float) x.limb[LIMBS - 1] * (float) (1 << LIMB_BITS) + (float) x.limb[LIMBS - 2];
  int q = (int) rintf (top * t.inverse);
  for (int l = 0; l < LIMBS; l++)
    x.limb[l] -= (int64_t) q * t.product[l];
  carry (x);
  bool negative = x.limb[LIMBS - 1] < 0;
  for (int l = 0; l < LIMBS; l++)
    x.limb[l] = negative ? -x.limb[l] : x.limb[l];
  carry (x);

  /* the highest limb that is not 0, the two below it, and whether anything is below those */
  int at = LIMBS > 2 ? LIMB_BITS * (LIMBS - 3) : 0;
  uint64_t a = LIMBS > 2 ? (uint64_t) x.limb[LIMBS - 1] : 0;
  uint64_t b = (uint64_t) x.limb[LIMBS > 2 ? LIMBS - 2 : 1];
  uint64_t c = (uint64_t) x.limb[LIMBS > 2 ? LIMBS - 3 : 0];
  int64_t below[LIMBS] = {};
  for (int l = 1; l < LIMBS; l++)
    below[l] = below[l - 1] | x.limb[l - 1];
  int64_t rest = LIMBS > 2 ? below[LIMBS > 2 ? LIMBS - 3 : 0] : 0;
  for (int l = LIMBS - 4; l >= 0; l--)
    if (a == 0) {
      a = b;
      b = c;
      c = (uint64_t) x.limb[l];
      rest = below[l];
      at -= LIMB_BITS;
    }

    /* their 64 highest bits. The last bit says whether a 1 was dropped; then there are at least 57
   * bits, so it only breaks ties */
#ifdef __CUDA_ARCH__
  int bits = 32 - __clz ((int) a);
#else
  int bits = a ? 32 - __builtin_clz ((unsigned) a) : 0;
#endif
  int drop = bits > 8 ? bits - 8 : 0;
  uint64_t kept = (a << LIMB_BITS | b) << (LIMB_BITS - drop) | c >> drop;
  if (rest || c & ((UINT64_C (1) << drop) - 1))
    kept |= 1;
  *exponent = at + drop;
  return negative ? -(double) kept : (double) kept;
}

/* x 2^s, rounded once; 1 <= |x| < 2^64 or 0. */
DEVICE double scale_by_power (double x, int s) {
  if (s < -1022 || s > 1023 - 64)
    return scalbn (x, s);
  uint64_t bits = (uint64_t) (s + 1023) << 52;
  double power;
  memcpy (&power, &bits, sizeof power);
  return x * power;
}

#endif
