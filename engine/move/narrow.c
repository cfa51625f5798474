/* narrow.c - copies of real numbers in the narrowest type that holds them exactly.
 *
 * A run of numbers is converted, and converted back to see whether a bit changed. If a type does
 * not hold a run, wider types are tried; if one holds it, the copy begins again in that type.
 * Ordinary data fit no narrow type and cost only the first, short run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "narrow.h"
#include "base/types.h"

#include <math.h>
#include <string.h>

/* Numbers converted between two checks. One thread of a Xeon (AVX2, gcc 12) takes 0.15 ms for 2 MiB
 * of doubles to int8 in runs of 256, 0.12 ms in runs of 1024. The first run is short because
 * ordinary data fit no type: trying 16 numbers in all types takes 0.02 us, 1024 take 0.9 us. */
enum { FIRST_RUN = 16, RUN = 1024 };

/* Converts count numbers, at most RUN. Returns 0 if a value changed in conversion. next: the
 * numbers to prefetch, anywhere in memory. */
typedef int converter (void *to, const void *from, int64_t count, const void *next);

/* ---- one by one --------------------------------------------------------------------------- */

/* Compares bits, because -0 == 0, and a subnormal == 0 too in a process with a library linked with
 * -ffast-math. NaN fails every range check. */
#define TO_INTEGERS(name, wide, narrow, least, most)                                               \
  static int name (void *to, const void *from, int64_t count, const void *next) {                  \
    (void) next;                                                                                   \
    for (int64_t i = 0; i < count; i++) {                                                          \
      const wide x = ((const wide *) from)[i];                                                     \
      if (!(x >= (least) && x <= (most)))                                                          \
        return 0;                                                                                  \
      const wide back = (narrow) x;                                                                \
      if (memcmp (&back, &x, sizeof x) != 0)                                                       \
        return 0;                                                                                  \
      ((narrow *) to)[i] = (narrow) x;                                                             \
    }                                                                                              \
    return 1;                                                                                      \
  }

TO_INTEGERS (floats_to_i8, float, int8_t, INT8_MIN, INT8_MAX)
TO_INTEGERS (floats_to_i16, float, int16_t, INT16_MIN, INT16_MAX)
TO_INTEGERS (doubles_to_i8, double, int8_t, INT8_MIN, INT8_MAX)
TO_INTEGERS (doubles_to_i16, double, int16_t, INT16_MIN, INT16_MAX)

static int doubles_to_floats (void *to, const void *from, int64_t count, const void *next) {
  (void) next;
  for (int64_t i = 0; i < count; i++) {
    double x = ((const double *) from)[i], back;
    float value = (float) x;
    back = (double) value;
    if (isnan (x) || memcmp (&back, &x, sizeof x) != 0)
      return 0;
    ((float *) to)[i] = value;
  }
  return 1;
}

/* ---- many at once ------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { LINE = 64 }; /* bytes of a cache line */

#define AVX2   __attribute__ ((target ("avx2")))
#define INLINE AVX2 static inline __attribute__ ((always_inline))

/* Prefetch explicitly: the processor's own prefetch does not reach far enough, nor to the next
 * column. */
INLINE void fetch (const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += LINE)
    _mm_prefetch ((const char *) from + at, _MM_HINT_T0);
}

/* Converts four numbers to int32. If a number changes (too large: INT32_MIN), a bit of differ is
 * set; large collects all bits but the sign. */
INLINE __m128i four_ints (const void *from, int64_t i, int from_doubles, __m256i *differ,
                          __m128i *large) {
  __m256i changed;
  __m128i value;
  if (from_doubles) {
    __m256d x = _mm256_loadu_pd ((const double *) from + i);
    value = _mm256_cvttpd_epi32 (x);
    changed = _mm256_castpd_si256 (_mm256_xor_pd (x, _mm256_cvtepi32_pd (value)));
  } else {
    __m128 x = _mm_loadu_ps ((const float *) from + i);
    value = _mm_cvttps_epi32 (x);
    changed = _mm256_zextsi128_si256 (_mm_castps_si128 (_mm_xor_ps (x, _mm_cvtepi32_ps (value))));
  }
  *differ = _mm256_or_si256 (*differ, changed);
  *large = _mm_or_si128 (*large, _mm_xor_si128 (value, _mm_srai_epi32 (value, 31)));
  return value;
}

/* Converts the first of count numbers, sixteen at a time, and returns how many. *fit: were they all
 * integers of `bits` bits? */
INLINE int64_t sixteens (void *to, const void *from, int64_t count, const void *next,
                         int from_doubles, int bits, int *fit) {
  __m256i differ = _mm256_setzero_si256 ();
  __m128i large = _mm_setzero_si128 ();
  const size_t element = from_doubles ? sizeof (double) : sizeof (float);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    fetch ((const char *) next + (size_t) i * element, 16 * element);
    __m128i a = four_ints (from, i, from_doubles, &differ, &large);
    __m128i b = four_ints (from, i + 4, from_doubles, &differ, &large);
    __m128i c = four_ints (from, i + 8, from_doubles, &differ, &large);
    __m128i d = four_ints (from, i + 12, from_doubles, &differ, &large);
    __m128i first = _mm_packs_epi32 (a, b), second = _mm_packs_epi32 (c, d);
    if (bits == 8)
      _mm_storeu_si128 ((__m128i *) ((int8_t *) to + i), _mm_packs_epi16 (first, second));
    else {
      _mm_storeu_si128 ((__m128i *) ((int16_t *) to + i), first);
      _mm_storeu_si128 ((__m128i *) ((int16_t *) to + i + 8), second);
    }
  }
  large = _mm_srli_epi32 (large, bits - 1);
  *fit = _mm256_testz_si256 (differ, differ) && _mm_testz_si128 (large, large);
  return i;
}

#define TO_INTEGERS_AVX2(name, wide, narrow, from_doubles)                                         \
  AVX2 static int name##_avx2 (void *to, const void *from, int64_t count, const void *next) {      \
    int fit;                                                                                       \
    int64_t i = sixteens (to, from, count, next, from_doubles, 8 * (int) sizeof (narrow), &fit);   \
    return fit && name ((narrow *) to + i, (const wide *) from + i, count - i, next);              \
  }

TO_INTEGERS_AVX2 (floats_to_i8, float, int8_t, 0)
TO_INTEGERS_AVX2 (floats_to_i16, float, int16_t, 0)
TO_INTEGERS_AVX2 (doubles_to_i8, double, int8_t, 1)
TO_INTEGERS_AVX2 (doubles_to_i16, double, int16_t, 1)

/* Compares bits, as above, and values, because NaN differs from itself. */
AVX2 static int doubles_to_floats_avx2 (void *to, const void *from, int64_t count,
                                        const void *next) {
  __m256i differ = _mm256_setzero_si256 ();
  __m256d nan = _mm256_setzero_pd ();
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    fetch ((const double *) next + i, 8 * sizeof (double));
    for (int64_t half = i; half < i + 8; half += 4) {
      __m256d x = _mm256_loadu_pd ((const double *) from + half);
      __m128 value = _mm256_cvtpd_ps (x);
      __m256d back = _mm256_cvtps_pd (value);
      differ = _mm256_or_si256 (differ, _mm256_castpd_si256 (_mm256_xor_pd (x, back)));
      nan = _mm256_or_pd (nan, _mm256_cmp_pd (x, x, _CMP_UNORD_Q));
      _mm_storeu_ps ((float *) to + half, value);
    }
  }
  return _mm256_testz_si256 (differ, differ) && !_mm256_movemask_pd (nan)
         && doubles_to_floats ((float *) to + i, (const double *) from + i, count - i, next);
}

#define BEST(name) (__builtin_cpu_supports ("avx2") ? name##_avx2 : (name))

#else

#define BEST(name) (name)

#endif

/* ---- columns ------------------------------------------------------------------------------ */

gpumm_type gpumm_narrow_columns (gpumm_type wide, void *to, int64_t ld_to, const void *from,
                                 int64_t ld_from, int64_t rows, int64_t cols, int64_t *vain) {
  const int doubles = wide == GPUMM_D;
  const struct {
    gpumm_type type;
    converter *convert;
  } forms[] = {{GPUMM_I8, doubles ? BEST (doubles_to_i8) : BEST (floats_to_i8)},
               {GPUMM_I16, doubles ? BEST (doubles_to_i16) : BEST (floats_to_i16)},
               {GPUMM_S, BEST (doubles_to_floats)}};
  const int count = doubles ? 3 : 2;
  const size_t element = gpumm_type_bytes (wide);
  int form = 0;
  if (ld_to == rows && ld_from == rows) { /* one long column */
    rows *= cols;
    cols = 1;
  }
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0, run; i < rows; i += run) {
      run = gpumm_least (i + j > 0 ? RUN : FIRST_RUN, rows - i);
      const char *here = (const char *) from + (size_t) (i + j * ld_from) * element;
      const size_t on = (size_t) (i + run < rows ? run : ld_from - i) * element;
      const void *next = (const void *) ((uintptr_t) here + on); /* not valid past the last run */
      const int before = form;
      for (;; form++) {
        if (form == count) {
          *vain += i + j * rows;
          return wide;
        }
        char *there = (char *) to + (size_t) (i + j * ld_to) * gpumm_type_bytes (forms[form].type);
        if (forms[form].convert (there, here, run, next))
          break;
      }
      if (form > before && i + j > 0) { /* the earlier runs are in a narrower type */
        *vain += i + j * rows;
        i = j = run = 0;
      }
    }
  return forms[form].type;
}
