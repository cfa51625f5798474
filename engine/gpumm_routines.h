/* gpumm_routines.h - the table of the routines of BLAS and LAPACK that run on a device.
 *
 * A row says all that the engine, the drivers and the tests know of a routine:
 *
 *   ROUTINE (NAME, its name for real and for complex types,
 *            the library that computes it on a GPU, which numbers it takes (gpumm_numbers), whose
 *            diagonal is looked at (gpumm_diagonal),
 *            the letters of trans for real and for complex types,
 *            m, n and k of a product with about as many operations, 2 m n k,
 *            its arguments in Fortran, which say if it has side, uplo, trans_b, diag, alpha,
 *            its name at NVIDIA (NULL: the same), its arguments there, those of its workspace (the
 *            function that sizes it, SPACE, gives `length`; `space` is the memory; or NO_SPACE),
 *            its operands)
 *
 * OPERAND (which, rows, columns, access, part) has the sizes in m, n, k, side (m or n, by side),
 * least (of m and n), plain and plain_b (is trans, trans_b 'N'?). NEEDS: what else must hold.
 *
 *   access  READ; WRITTEN; UPDATED: both; SUMMED: written, and read unless beta is 0; OVER_A:
 *           written, where Fortran has A: at NVIDIA it begins as the identity
 *   part    ALL; TRIANGLE: of uplo, without the diagonal if diag is 'U'; BELOW: read below the
 *           diagonal, written whole
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_ROUTINES_H
#define GPUMM_GPUMM_ROUTINES_H

/* clang-format off */
#define GPUMM_ROUTINE_ROWS(ROUTINE)                                                                \
  ROUTINE (GEMM, ("gemm", "gemm"), (CUBLAS, ANY, NO_DIAGONAL),                                     \
    ("NTC", "NTC"), (m, n, k),                                                                     \
    (trans, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                                \
    (NULL, (trans, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), NO_SPACE),              \
    OPERAND (A, plain ? m : k, plain ? k : m, READ, ALL)                                           \
    OPERAND (B, plain_b ? k : n, plain_b ? n : k, READ, ALL) OPERAND (C, m, n, SUMMED, ALL))       \
  GPUMM_SYMM_ROW (ROUTINE, SYMM, "symm")                                                           \
  GPUMM_SYMM_ROW (ROUTINE, HEMM, "hemm")                                                           \
  GPUMM_SYRK_ROW (ROUTINE, SYRK, "syrk", "NTC", "NT")                                              \
  GPUMM_SYRK_ROW (ROUTINE, HERK, "herk", "NC", "NC")                                               \
  GPUMM_SYR2K_ROW (ROUTINE, SYR2K, "syr2k", "NTC", "NT")                                           \
  GPUMM_SYR2K_ROW (ROUTINE, HER2K, "her2k", "NC", "NC")                                            \
  ROUTINE (TRMM, ("trmm", "trmm"), (CUBLAS, FINITE, NO_DIAGONAL),                                  \
    ("NTC", "NTC"), (m, n, side / 2),                                                              \
    (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb),                                        \
    (NULL, (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, b, ldb), NO_SPACE),              \
    OPERAND (A, side, side, READ, TRIANGLE) OPERAND (B, m, n, UPDATED, ALL))                       \
  ROUTINE (TRSM, ("trsm", "trsm"), (CUBLAS, FINITE, READ_DIAGONAL),                                \
    ("NTC", "NTC"), (m, n, side / 2),                                                              \
    (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb),                                        \
    (NULL, (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb), NO_SPACE),                      \
    OPERAND (A, side, side, READ, TRIANGLE) OPERAND (B, m, n, UPDATED, ALL))                       \
  ROUTINE (GETRF, ("getrf", "getrf"), (CUSOLVER, SAFE, WRITTEN_PIVOTS),                            \
    ("", ""), (m, n, least / 3),                                                                   \
    (m, n, a, lda, pivots, info),                                                                  \
    (NULL, (m, n, a, lda, space, pivots, info), SPACE (m, n, a, lda, length)),                     \
    OPERAND (A, m, n, UPDATED, ALL) OPERAND (PIVOTS, least, 1, WRITTEN, ALL))                      \
  ROUTINE (GETRS, ("getrs", "getrs"), (CUSOLVER, SAFE, READ_PIVOTS),                               \
    ("NTC", "NTC"), (n, k, n),                                                                     \
    (trans, n, k, a, lda, pivots, b, ldb, info),                                                   \
    (NULL, (trans, n, k, a, lda, pivots, b, ldb, info), NO_SPACE),                                 \
    OPERAND (A, n, n, READ, ALL) OPERAND (B, n, k, UPDATED, ALL)                                   \
    OPERAND (PIVOTS, n, 1, READ, ALL))                                                             \
  ROUTINE (GETRI, ("getri", "getri"), (CUSOLVER, SAFE, READ_PIVOTS),                               \
    ("", ""), (n, n, n * 2 / 3),                                                                   \
    (n, a, lda, pivots, space, length, info),                                                      \
    ("getrs", (op_n, n, n, a, lda, pivots, b, ldb, info), NO_SPACE), /* for the identity */        \
    OPERAND (A, n, n, READ, ALL) OPERAND (B, n, n, OVER_A, ALL)                                    \
    OPERAND (PIVOTS, n, 1, READ, ALL))                                                             \
  ROUTINE (POTRF, ("potrf", "potrf"), (CUSOLVER, SAFE, WRITTEN_SQUARES),                           \
    ("", ""), (n, n, n / 6),                                                                       \
    (uplo, n, a, lda, info),                                                                       \
    (NULL, (uplo, n, a, lda, space, length, info), SPACE (uplo, n, a, lda, length)),               \
    OPERAND (A, n, n, UPDATED, TRIANGLE))                                                          \
  ROUTINE (POTRS, ("potrs", "potrs"), (CUSOLVER, SAFE, READ_SQUARES),                              \
    ("", ""), (n, k, n),                                                                           \
    (uplo, n, k, a, lda, b, ldb, info),                                                            \
    (NULL, (uplo, n, k, a, lda, b, ldb, info), NO_SPACE),                                          \
    OPERAND (A, n, n, READ, TRIANGLE) OPERAND (B, n, k, UPDATED, ALL))                             \
  ROUTINE (POTRI, ("potri", "potri"), (CUSOLVER, SAFE, READ_SQUARES),                              \
    ("", ""), (n, n, n / 3),                                                                       \
    (uplo, n, a, lda, info),                                                                       \
    (NULL, (uplo, n, a, lda, space, length, info), SPACE (uplo, n, a, lda, length)),               \
    OPERAND (A, n, n, UPDATED, TRIANGLE))                                                          \
  ROUTINE (GEQRF, ("geqrf", "geqrf"), (CUSOLVER, SQUARED, WRITTEN_DIAGONAL),                       \
    ("", ""), (m, n, least * 2 / 3),                                                               \
    (m, n, a, lda, tau, space, length, info),                                                      \
    (NULL, (m, n, a, lda, tau, space, length, info), SPACE (m, n, a, lda, length)),                \
    OPERAND (A, m, n, UPDATED, ALL) OPERAND (TAU, least, 1, WRITTEN, ALL))                         \
  ROUTINE (ORGQR, ("orgqr", "ungqr"), (CUSOLVER, SQUARED, NO_DIAGONAL),                            \
    ("", ""), (m, n, k),                                                                           \
    (m, n, k, a, lda, tau, space, length, info),                                                   \
    (NULL, (m, n, k, a, lda, tau, space, length, info), SPACE (m, n, k, a, lda, tau, length)),     \
    OPERAND (A, m, n, UPDATED, BELOW) OPERAND (TAU, k, 1, READ, ALL) NEEDS (m >= n && n >= k))     \
  ROUTINE (ORMQR, ("ormqr", "unmqr"), (CUSOLVER, SQUARED, NO_DIAGONAL),                            \
    ("NT", "NC"), (m, n, k * 2),                                                                   \
    (side, trans, m, n, k, a, lda, tau, c, ldc, space, length, info),                              \
    (NULL, (side, trans, m, n, k, a, lda, tau, c, ldc, space, length, info),                       \
      SPACE (side, trans, m, n, k, a, lda, tau, c, ldc, length)),                                  \
    OPERAND (A, side, k, READ, BELOW) OPERAND (C, m, n, UPDATED, ALL)                              \
    OPERAND (TAU, k, 1, READ, ALL) NEEDS (side >= k))

#define GPUMM_SYMM_ROW(ROUTINE, NAME, name)                                                        \
  ROUTINE (NAME, (name, name), (CUBLAS, ANY, NO_DIAGONAL),                                         \
    ("", ""), (m, n, side),                                                                        \
    (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc),                                       \
    (NULL, (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc), NO_SPACE),                     \
    OPERAND (A, side, side, READ, TRIANGLE) OPERAND (B, m, n, READ, ALL)                           \
    OPERAND (C, m, n, SUMMED, ALL))

#define GPUMM_SYRK_ROW(ROUTINE, NAME, name, real_trans, complex_trans)                             \
  ROUTINE (NAME, (name, name), (CUBLAS, ANY, NO_DIAGONAL),                                         \
    (real_trans, complex_trans), (n, n, k / 2),                                                    \
    (uplo, trans, n, k, alpha, a, lda, beta, c, ldc),                                              \
    (NULL, (uplo, trans, n, k, alpha, a, lda, beta, c, ldc), NO_SPACE),                            \
    OPERAND (A, plain ? n : k, plain ? k : n, READ, ALL) OPERAND (C, n, n, SUMMED, TRIANGLE))

#define GPUMM_SYR2K_ROW(ROUTINE, NAME, name, real_trans, complex_trans)                            \
  ROUTINE (NAME, (name, name), (CUBLAS, ANY, NO_DIAGONAL),                                         \
    (real_trans, complex_trans), (n, n, k),                                                        \
    (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                                      \
    (NULL, (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc), NO_SPACE),                    \
    OPERAND (A, plain ? n : k, plain ? k : n, READ, ALL)                                           \
    OPERAND (B, plain ? n : k, plain ? k : n, READ, ALL) OPERAND (C, n, n, SUMMED, TRIANGLE))

/* Those that the CPU alone computes: gpumm_estimate_condition. */
#define GPUMM_ESTIMATE_ROWS(ROUTINE)                                                               \
  ROUTINE (GECON, ("gecon", "gecon"))                                                              \
  ROUTINE (POCON, ("pocon", "pocon"))
/* clang-format on */

#endif
