# Products, factors and solutions of linear systems by R, against sums of products without BLAS.
# SPDX-License-Identifier: BSD-3-Clause
set.seed (20261124)
options (matprod = "blas") # otherwise R multiplies itself where there is a NaN

product <- function (a, b) {
  sums <- matrix (0 * a[1] * b[1], nrow (a), ncol (b))
  for (l in seq_len (ncol (a)))
    sums <- sums + outer (a[, l], b[l, ])
  sums
}
agree <- function (x, y)
  stopifnot (identical (dim (x), dim (y)), max (abs (x - y)) <= 1e-9)

for (is_complex in c (FALSE, TRUE)) {
  a <- matrix (rnorm (70 * 50), 70)
  b <- matrix (rnorm (50 * 60), 50)
  if (is_complex)
    a <- a + 1i * matrix (rnorm (70 * 50), 70)
  agree (a %*% b, product (a, b))
  agree (crossprod (a), product (t (a), a))
  agree (tcrossprod (a), product (a, t (a)))
  agree (crossprod (a, a[, 1:7]), product (t (a), a[, 1:7]))
  square <- a[1:50, ] + 50 * diag (50)
  agree (product (square, solve (square, b)), b + 0 * square[1:50, 1] %o% rep (1, 60))
  agree (product (square, solve (square)), diag (50) + 0 * square)
}

a <- matrix (rnorm (70 * 50), 70)
r <- chol (crossprod (a))
agree (product (t (r), r), product (t (a), a))
agree (chol2inv (r), solve (crossprod (a)))
agree (product (qr.Q (qr (a, LAPACK = TRUE)), qr.R (qr (a, LAPACK = TRUE))), a[, qr (a, LAPACK = TRUE)$pivot])
agree (as.matrix (backsolve (r, t (a))), solve (r, t (a)))
agree (t (as.matrix (determinant (r)$modulus)), as.matrix (sum (log (diag (r)))))
stopifnot (inherits (try (solve (matrix (0, 5, 5)), silent = TRUE), "try-error")) # R's own error for a singular matrix
