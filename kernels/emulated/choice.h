/* choice.h - how many moduli a product needs, from what is known of its operands.
 *
 * Vectors are the rows of op(A) and the columns of op(B), k elements each. Of a vector v with
 * all |v_l| < 2^top, levels s_l = floor (128 |v_l| / 2^top) in 0 .. 127 are known, and w^2 = sum
 * over v_l != 0 of (s_l + 1)^2, so that 128 ||v||_2 / 2^top <= w. norm is log2 (w / 128). Elements
 * are multiples of 2^low, so that v 2^-low is a vector of integers, and exact = top - low + norm
 * bounds log2 of its 2-norm.
 *
 * A' is diag (2^e) A rounded to integers, e = bits_a + floor (largest norm - norm) - top: its rows'
 * 2-norms are at most 2^(bits_a + largest norm), and by Cauchy and Schwarz |A'||B'| <= 2^(bits_a +
 * largest norm of A + bits_b + largest norm of B), which must not exceed 2^moduli_bits (N).
 *
 * Rounding up or down by less than 1 gives an error of C_ij of less than
 *
 *   2^-e_i ||b_j||_1 + 2^-f_j ||a_i||_1 + k 2^(-e_i - f_j),                                   (1)
 *
 * Dithering makes the errors independent of each other, with mean 0 and an average variance of 1/6,
 * so their root mean square is
 *
 *   sqrt ((2^(-2 e_i) ||b_j||_2^2 + 2^(-2 f_j) ||a_i||_2^2) / 6).                             (2)
 *
 * Both are to be compared with (|A||B|)_ij >= t_ij 2^(top_i + top_j - 14), t = the product of the
 * levels: kappa_a = max over i, j of 2^-floor (largest norm - norm_i) w_j / t_ij; kappa_b is the
 * same with A and B swapped. docs/accuracy.md has the proofs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_CHOICE_H
#define GPUMM_EMULATED_CHOICE_H

#include "residues.h"

enum {
  LEVEL_BINS = 32, /* of the histogram of levels, LEVELS_A_BIN in each */
  LEVELS_A_BIN = 4,
  MOST_BITS = 90 /* of an element of A': the words hold 96 */
};

/* Facts about all vectors of an operand. */
struct operand_facts {
  int bad;       /* NaN or Inf among the elements */
  int zeros;     /* 0 among them */
  int fractions; /* not all are integers below the type's 2^53 or 2^24 */
  float norm, exact;
  uint32_t below[LEVEL_BINS]; /* the most elements of any vector, not 0, in bins before this */
};

/* What the sample of native dot products says: docs/accuracy.md. */
struct native_facts {
  double squares; /* of the errors over |a||b|, summed */
  int count;      /* of samples whose error is not 0 */
};

struct product_facts {
  operand_facts a, b;
  native_facts native;
};

/* The parameters of an operand's residues; count 0: there are none. */
struct scaling {
  int count, words, bits; /* of choice, bits_a or bits_b */
};

/* The facts about an operand, found once for all products that read it. */
struct operand_record {
  operand_facts facts;
  scaling kept;
};

static inline bool is_same (const scaling &x, const scaling &y) {
  return x.count == y.count && x.words == y.words && x.bits == y.bits;
}

struct choice {
  int count; /* of moduli; 0: none will do */
  int words;
  int bits_a, bits_b; /* EXACT: the operand is scaled to integers as it is */
  double error;       /* (2) over |A||B|, predicted at its worst; 0: none */
};

enum { EXACT = 10000 };

/* Errors up to this multiple of native arithmetic's own are accepted: (2) with the worst kappa
 * overestimates. By a product of levels kappa is 1.3 times too large for uniform data, by
 * rearranged histograms 1.7 times. gpumm promises a factor of two. */
static const double MEASURED = 1.7, BOUNDED = 2;

/* Native errors, in units of eps/2 |A||B|, count up to this: the error of terms of random signs for
 * any k. Sums of terms of one sign have more, but not in every order of summation. */
static const double MOST_NATIVE_ERROR = 0.42;

/* A lower bound of t_ij from the vectors' histograms alone: by the rearrangement inequality a sum
 * of products is smallest if the largest of one factor meet the smallest of the other. Counts are
 * the worst of all vectors, levels the least of their bins. */
static inline double least_product (const operand_facts &a, const operand_facts &b, int64_t k) {
  double sum = 0;
  int64_t at = 0;
  int i = 0, j = LEVEL_BINS - 1; /* bins of a ascending and of b descending */
  while (at < k) {
    int64_t end_a = i + 1 < LEVEL_BINS ? (int64_t) a.below[i + 1] : k;
    int64_t end_b = k - (int64_t) b.below[j];
    int64_t end = end_a < end_b ? end_a : end_b;
    if (end > at) {
      sum += (double) (end - at) * LEVELS_A_BIN * i * LEVELS_A_BIN * j;
      at = end;
    }
    if (end_a <= at && i + 1 < LEVEL_BINS)
      i++;
    if (end_b <= at && j > 0)
      j--;
  }
  return sum;
}

struct kappas {
  float a, b;
};

static inline kappas kappas_of_histograms (const operand_facts &a, const operand_facts &b,
                                           int64_t k) {
  double least = least_product (a, b, k);
  return {(float) (exp2 (b.norm + 7.0) / least), (float) (exp2 (a.norm + 7.0) / least)};
}

/* The smallest possible kappas: those of parallel vectors. */
static inline kappas least_kappas (const operand_facts &a, const operand_facts &b) {
  return {(float) exp2 (-a.norm - 7.0), (float) exp2 (-b.norm - 7.0)};
}

/* Ordinary data, uniform or normal, need this many moduli, or one more. */
static inline int usual_moduli (bool is_single) {
  return is_single ? 7 : 14;
}

/* The share of examining the data in the time of a product with the usual moduli: it is spent
 * before the choice. 0.02 to 0.1 from 8192 on (look_ms in bench/results/h200/emulated.csv). */
static const double LOOK = 0.05;

/* The most moduli with which a product is still faster than the library's, which takes gain times
 * as long as one with the usual moduli. All but examining the data grows with the moduli, and that
 * time is spent either way. gain 0: any number. */
static inline int worthwhile_moduli (double gain, bool is_single) {
  double most = usual_moduli (is_single) * gain / (1 - LOOK);
  return gain <= 0 || most > MOST_MODULI ? MOST_MODULI : (int) most;
}

/* The fewest moduli that suffice; for integers, the fewest that make the result exact, if there are
 * enough. times: MEASURED or BOUNDED, by the origin of the kappas; eps: the type's. */
static inline choice choose_moduli (const operand_facts &a, const operand_facts &b, kappas kappa,
                                    const native_facts &native, double times, int64_t k,
                                    bool is_complex, double eps) {
  double own = native.count ? sqrt (native.squares / native.count) : 0;
  double allowed = times * fmin (own, MOST_NATIVE_ERROR * eps / 2);
  bool integers = !a.fractions && !b.fractions && a.exact + b.exact <= moduli_bits (MOST_MODULI);
  double root = is_complex ? sqrt (2.0) : 1; /* |re| + |im| <= root |z| */
  for (int count = 2; count <= MOST_MODULI; count++) {
    choice x = {};
    x.count = count;
    double bits = moduli_bits (count);
    double log_a = a.norm, log_b = b.norm; /* log2 of the norms of A' and B' to be */
    if (a.exact + b.exact <= bits && a.exact <= MOST_BITS && b.exact <= MOST_BITS) {
      x.bits_a = x.bits_b = EXACT;
      log_a = a.exact;
      log_b = b.exact;
    } else if (a.exact <= bits / 2) {
      x.bits_a = EXACT;
      x.bits_b = (int) floor (bits - a.exact - b.norm);
      log_a = a.exact;
    } else if (b.exact <= bits / 2) {
      x.bits_a = (int) floor (bits - b.exact - a.norm);
      x.bits_b = EXACT;
      log_b = b.exact;
    } else {
      int both = (int) floor (bits - a.norm - b.norm);
      x.bits_b = both / 2;
      x.bits_a = both - x.bits_b;
    }
    double part_a = 0, part_b = 0; /* of the error: what rounding A does, and B */
    if (x.bits_a != EXACT) {
      x.bits_a = x.bits_a + a.norm > MOST_BITS ? (int) floor (MOST_BITS - a.norm) : x.bits_a;
      log_a = x.bits_a + a.norm;
      part_a = ldexp (128.0 * kappa.a, -x.bits_a);
    }
    if (x.bits_b != EXACT) {
      x.bits_b = x.bits_b + b.norm > MOST_BITS ? (int) floor (MOST_BITS - b.norm) : x.bits_b;
      log_b = x.bits_b + b.norm;
      part_b = ldexp (128.0 * kappa.b, -x.bits_b);
    }
    /* rounding adds up to 1 to each element: sqrt (k) to a norm, within the margin of P/2 */
    double grows = sqrt (root * root * (double) k);
    if ((x.bits_a != EXACT && log2 (grows) > log_a - 17)
        || (x.bits_b != EXACT && log2 (grows) > log_b - 17))
      continue;
    /* (1); ||b||_1 <= sqrt (k) ||b||_2, and the third term's kappa is less than kappa_a / 64 */
    double most = sqrt ((double) k) * root * (part_a + part_b);
    if (x.bits_a != EXACT && x.bits_b != EXACT)
      most += (double) k * root * root * part_a * ldexp (2, -x.bits_b);
    x.error = sqrt ((part_a * part_a + part_b * part_b) / 6);
    if (x.bits_a != EXACT || x.bits_b != EXACT)
      if (integers || !(x.error <= allowed && most + eps / 2 <= (double) k * eps))
        continue;
    double largest = log_a > log_b ? log_a : log_b; /* of an element: at most the norm */
    x.words = largest < 31.5 ? 1 : largest < 63.5 ? 2 : 3;
    return x;
  }
  return {};
}

#endif
