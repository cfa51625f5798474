// arrays.cc - the largest eigenvalue of a matrix on a device, by power iteration with the arrays of
// engine/arrays; on the first GPU, or, without one, on the host device.
//
//   programs/gpumm-arrays N
//
// SPDX-License-Identifier: BSD-3-Clause
#include "arrays/array.h"
#include "gpumm_folds.h"

#include <cstdio>
#include <cstdlib>

int main (int argc, char **argv) {
  using namespace gpumm;
  const int64_t n = argc > 1 ? std::atoll (argv[1]) : 500;
  const int device = gpumm_device_count (nullptr) > 0 ? 0 : HOST_DEVICE;
  try {
    std::vector<double> ones (std::size_t (n * n), 1.0); // their eigenvalues are n and 0
    array A = new_array (device, GPUMM_D, shape (n, n)),
          x = new_array (device, GPUMM_D, shape (n, 1));
    from_host (ones.data (), A);
    from_host (ones.data (), x);
    array norm;
    for (int k = 0; k < 20; k++) {
      x = multiplied (A, x, GPUMM_D, product_options ());
      norm = fold (GPUMM_FOLD_NORM, x, 0, GPUMM_D);
      x = combined (GPUMM_MAP_DIV, operand (x), operand (norm));
    }
    double largest = 0;
    to_host (norm, &largest); // the first wait
    std::printf ("the largest eigenvalue is %g\n", largest);
  } catch (const std::exception &e) {
    std::fprintf (stderr, "%s\n", e.what ());
    return 1;
  }
  return 0;
}
