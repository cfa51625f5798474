/* test_magnitude.c - the largest number of an array and the range of a diagonal, against a loop
 * over the elements: all types, lengths around vectors, NaN and Inf in every place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/magnitude.h"
#include "operands.h"

enum { LONGEST = 70, STRIDE = 3 };

/* Part i of complex numbers, number i of real ones. */
static gpumm_type real_type (gpumm_type type) {
  return is_single (type) ? GPUMM_S : GPUMM_D;
}

static void put_real (gpumm_type type, void *values, int64_t i, double x) {
  put (real_type (type), values, i, x);
}

/* Bit for bit; all NaN are one. */
static int is_one (double x, double y) {
  return x == y || (isnan (x) && isnan (y));
}

static double largest_of (gpumm_type type, const void *values, int64_t first, int64_t count) {
  const int64_t parts = is_complex (type) ? 2 : 1;
  double most = 0;
  for (int64_t i = first * parts; i < (first + count) * parts; i++) {
    const double x = fabs ((double) creall (get (real_type (type), values, i)));
    most = isnan (most) || isnan (x) ? NAN : x > most ? x : most;
  }
  return most;
}

static void test_array (gpumm_type type, int64_t count) {
  const int64_t parts = is_complex (type) ? 2 : 1;
  double values[2 * LONGEST + 2];
  for (int64_t bad = -1; bad < parts * count; bad++)
    for (int what = 0; what < 4; what++) {
      static const double bads[] = {NAN, -NAN, INFINITY, -INFINITY};
      for (int64_t i = 0; i < 2 * LONGEST + 2; i++)
        put_real (type, values, i,
                  i < parts * count ? ldexp (check_uniform (), (int) check_between (-90, 90))
                                    : NAN);
      if (bad >= 0)
        put_real (type, values, bad, bads[what]);
      const double found = gpumm_largest (type, values, count);
      CHECK (is_one (found, largest_of (type, values, 0, count)),
             "type %d, %d elements, bad %d: %g", (int) type, (int) count, (int) bad, found);
    }
}

static void test_diagonal (gpumm_type type, int64_t n) {
  const int64_t ld = STRIDE + n, parts = is_complex (type) ? 2 : 1;
  void *values = check_allocate (ld * n * parts, sizeof (double));
  for (int64_t bad = -1; bad < n; bad++) {
    for (int64_t i = 0; i < ld * n * parts; i++)
      put_real (type, values, i, i / parts % (ld + 1) == 0 ? check_uniform () : NAN);
    if (bad >= 0)
      put_real (type, values, bad * (ld + 1) * parts, bad % 2 ? NAN : 0);
    gpumm_range right = {INFINITY, 0};
    for (int64_t j = 0; j < n; j++) {
      const double size = largest_of (type, values, j * (ld + 1), 1);
      right.least = size < right.least ? size : right.least;
      right.most = isnan (right.most) || isnan (size) ? NAN : fmax (size, right.most);
    }
    const gpumm_range found = gpumm_diagonal_range (type, values, n, ld);
    CHECK (found.least == right.least && is_one (found.most, right.most), "type %d, n %d: %g to %g",
           (int) type, (int) n, found.least, found.most);
  }
  free (values);
}

int main (void) {
  check_seed (20261127);
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int64_t n = 0; n <= LONGEST; n += n < 36 ? 1 : 17) {
      test_array ((gpumm_type) type, n);
      if (n > 0 && n < 20)
        test_diagonal ((gpumm_type) type, n);
    }
  return check_done ();
}
