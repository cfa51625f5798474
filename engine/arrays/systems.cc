// systems.cc - triangular systems and Cholesky's factor of matrices on a device: see array.h.
//
// The engine computes in buffers without a waiting conjugation. Of the divisor it reads the
// transpose, too.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"

namespace gpumm {

// x, if the device has computed it.
static std::optional<array> unless_left (gpumm_status status, const array &x) {
  if (status == GPUMM_UNSUPPORTED)
    return std::nullopt;
  need (status);
  return x;
}

std::optional<array> solved (char side, const array &given_a, bool is_upper, const array &given_b,
                             gpumm_type type) {
  const array a = as_factor (converted (given_a, type)), b = plain (converted (given_b, type)),
              x = new_array (b.device, type, b.size);
  const gpumm_matrix triangle = matrix_of (a), right = matrix_of (b), to = matrix_of (x);
  const char uplo = is_upper != a.turned ? 'U' : 'L'; // as it lies
  return unless_left (gpumm_solve_triangular (side, uplo, &triangle, &right, &to), x);
}

std::optional<array> factored (const array &given, bool is_upper) {
  const array a = plain (given), r = new_array (a.device, a.type, a.size);
  const gpumm_matrix from = matrix_of (a), to = matrix_of (r);
  return unless_left (gpumm_factor_cholesky (is_upper ? 'U' : 'L', &from, &to), r);
}

} // namespace gpumm
