/* wide.h - integers of 512 bits, for the exact end of an integer product.
 *
 * A sum of products of 64-bit integers, times a scalar, plus a scalar times an element of C0, is
 * formed without rounding or overflow, and rounded or saturated once. Two's complement, lowest limb
 * first. Nothing here needs to be fast: it runs once per element of C, and only if 128 bits may be
 * too few.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_WIDE_H
#define GPUMM_WIDE_H

#include <math.h>
#include <stdint.h>

enum { WIDE_LIMBS = 8 };

typedef struct {
  uint64_t limb[WIDE_LIMBS];
} wide;

static inline int wide_is_negative (const wide *x) {
  return (int) (x->limb[WIDE_LIMBS - 1] >> 63);
}

static inline int wide_is_zero (const wide *x) {
  uint64_t any = 0;
  for (int i = 0; i < WIDE_LIMBS; i++)
    any |= x->limb[i];
  return any == 0;
}

static inline void wide_negate (wide *x) {
  unsigned carry = 1;
  for (int i = 0; i < WIDE_LIMBS; i++) {
    x->limb[i] = ~x->limb[i] + carry;
    carry = carry && x->limb[i] == 0;
  }
}

static inline void wide_add (wide *x, const wide *y) {
  unsigned __int128 sum = 0;
  for (int i = 0; i < WIDE_LIMBS; i++) {
    sum += (unsigned __int128) x->limb[i] + y->limb[i];
    x->limb[i] = (uint64_t) sum;
    sum >>= 64;
  }
}

static inline wide wide_from (__int128 value) {
  wide x;
  for (int i = 0; i < WIDE_LIMBS; i++)
    x.limb[i] = value < 0 ? UINT64_MAX : 0;
  x.limb[0] = (uint64_t) value;
  x.limb[1] = (uint64_t) ((unsigned __int128) value >> 64);
  return x;
}

static inline void wide_multiply (wide *x, int64_t factor) {
  const uint64_t size = factor < 0 ? -(uint64_t) factor : (uint64_t) factor;
  unsigned __int128 product = 0;
  for (int i = 0; i < WIDE_LIMBS; i++) {
    product += (unsigned __int128) x->limb[i] * size;
    x->limb[i] = (uint64_t) product;
    product >>= 64;
  }
  if (factor < 0)
    wide_negate (x);
}

/* x 2^shift; shift < 0 rounds down. Returns 1 if bits were lost. */
static inline int wide_shift (wide *x, int shift) {
  const wide from = *x;
  const uint64_t sign = wide_is_negative (x) ? UINT64_MAX : 0;
  const int left = shift >= 0, size = left ? shift : -shift, limbs = size / 64, bits = size % 64;
  int lost = 0;
  for (int i = 0; i < WIDE_LIMBS; i++) {
    /* the two limbs that land on limb i */
    const int near = left ? i - limbs : i + limbs, far = left ? near - 1 : near + 1;
    const uint64_t a = near < 0 ? 0 : near < WIDE_LIMBS ? from.limb[near] : sign;
    const uint64_t b = far < 0 ? 0 : far < WIDE_LIMBS ? from.limb[far] : sign;
    x->limb[i] = bits == 0 ? a : left ? a << bits | b >> (64 - bits) : a >> bits | b << (64 - bits);
    if (!left && i < limbs)
      lost |= from.limb[i] != 0;
  }
  if (!left && limbs < WIDE_LIMBS)
    lost |= (from.limb[limbs] & (((uint64_t) 1 << bits) - 1)) != 0;
  return lost;
}

/* high 2^shift + low */
static inline wide wide_of (__int128 high, int shift, __int128 low) {
  const wide below = wide_from (low);
  wide x = wide_from (high);
  wide_shift (&x, shift);
  wide_add (&x, &below);
  return x;
}

/* x, clamped to the range +-2^126 */
static inline __int128 wide_clamp (const wide *x) {
  const __int128 end = (__int128) 1 << 126;
  const uint64_t sign = wide_is_negative (x) ? UINT64_MAX : 0;
  int fits = x->limb[1] >> 62 == sign >> 62;
  for (int i = 2; i < WIDE_LIMBS; i++)
    fits &= x->limb[i] == sign;
  if (!fits)
    return sign ? -end : end;
  return (__int128) ((unsigned __int128) x->limb[1] << 64 | x->limb[0]);
}

/* |x| as top 2^*exponent: top has the highest 64 bits, and its last bit is set if any lower bit is.
 * This is enough to round once to any format of at most 62 bits. */
static inline uint64_t wide_top (const wide *x, int *exponent) {
  wide size = *x;
  if (wide_is_negative (x))
    wide_negate (&size);
  int bits = 0;
  for (int i = 0; i < WIDE_LIMBS; i++)
    if (size.limb[i])
      bits = 64 * (i + 1) - __builtin_clzll (size.limb[i]);
  *exponent = bits > 64 ? bits - 64 : 0;
  const int lost = wide_shift (&size, -*exponent);
  return size.limb[0] | (uint64_t) lost;
}

/* x 2^exponent, rounded once to nearest, ties to even; overflow gives Inf */
static inline double wide_to_double (const wide *x, int exponent) {
  int up;
  const uint64_t top = wide_top (x, &up);
  const double value = ldexp ((double) top, up + exponent);
  return wide_is_negative (x) ? -value : value;
}

static inline float wide_to_float (const wide *x, int exponent) {
  int up;
  const uint64_t top = wide_top (x, &up);
  const float value = ldexpf ((float) top, up + exponent);
  return wide_is_negative (x) ? -value : value;
}

#endif
