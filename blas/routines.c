/* routines.c - the routines of one element type, by the names of Fortran and of C: large calls go
 * to the engine, all others on to the BLAS below.
 *
 * It is compiled for each type, with LETTER, TYPE, REAL (float or double), IS_SINGLE and
 * IS_COMPLEX.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blas.h"

#include <stdatomic.h>

/* CBLAS's numbers, and the letters for them. */
enum { BY_ROWS = 101, BY_COLUMNS = 102, LEFT = 141 };
#define OP(x)   letter_of (x, 111, "NTC", 3)
#define UPLO(x) letter_of (x, 121, "UL", 2)
#define DIAG(x) letter_of (x, 131, "NU", 2)
#define SIDE(x) letter_of (x, LEFT, "LR", 2)

static char letter_of (int number, int first, const char *letters, int count) {
  return (char) (number >= first && number < first + count ? letters[number - first] : '?');
}

#define JOIN(a, b, c)               a##b##c
#define NAME(before, letter, after) JOIN (before, letter, after)
#define TEXT(x)                     #x
#define AS_TEXT(x)                  TEXT (x)
#define SCALAR(x)                   gpumm_blas_scalar (x, IS_SINGLE, IS_COMPLEX)
#define REAL_SCALAR(x)              gpumm_blas_scalar (x, IS_SINGLE, 0)
#define LETTER_OF(x)                gpumm_blas_capital (x)

#if IS_COMPLEX /* by address, also in C */
#define C_SCALAR   const void *
#define C_VALUE(x) gpumm_blas_scalar (x, IS_SINGLE, 1)
#else
#define C_SCALAR   REAL
#define C_VALUE(x) ((gpumm_scalar){(double) (x), 0})
#endif

/* A routine: a large call is for the engine if it takes it (`fill` sets x and asks). All else is
 * for the BLAS below, called last, so that an error may be thrown through here. Small calls are not
 * counted: threads that multiply small matrices would wait for each other there. */
#define ROUTINE(which, name, parameters, arguments, work, fill)                                    \
  GPUMM_API void name parameters {                                                                 \
    static void (*_Atomic found) parameters;                                                       \
    void (*below) parameters = atomic_load_explicit (&found, memory_order_acquire);                \
    if (!below) {                                                                                  \
      below = (void (*) parameters) gpumm_blas_find (AS_TEXT (name));                              \
      atomic_store_explicit (&found, below, memory_order_release);                                 \
    }                                                                                              \
    if ((work) < gpumm_blas_least) {                                                               \
      below arguments;                                                                             \
      return;                                                                                      \
    }                                                                                              \
    gpumm_call x = {.routine = which, .type = TYPE};                                               \
    if (fill)                                                                                      \
      return;                                                                                      \
    const double begun = gpumm_blas_seconds ();                                                    \
    below arguments;                                                                               \
    gpumm_blas_passed (which, TYPE, gpumm_blas_seconds () - begun);                                \
  }
#define FORTRAN(after) NAME (, LETTER, after)
#define CBLAS(after)   NAME (cblas_, LETTER, after)

/* By columns or by rows. */
static int take_ordered (gpumm_call *x, int order) {
  if (order == BY_ROWS)
    gpumm_blas_by_columns (x);
  return (order == BY_ROWS || order == BY_COLUMNS) && gpumm_blas_take (x);
}
#define TAKE_ORDERED take_ordered (&x, order)

/* clang-format off */
#define MATRIX_A x.a = (void *) a, x.lda = LD (lda)
#define MATRIX_B x.b = (void *) b, x.ldb = LD (ldb)
#define MATRIX_C x.c = (void *) c, x.ldc = LD (ldc)

/* ---- Fortran: level 3 --------------------------------------------------------------------- */

#define LD(x) *x
#define SIDED (*side == 'L' || *side == 'l' ? *m : *n)

ROUTINE (GPUMM_GEMM, FORTRAN (gemm_),
  (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,
   const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,
   const void *beta, void *c, const integer *ldc, size_t l1, size_t l2),
  (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, l1, l2),
  (double) *m * (double) *n * (double) *k,
  (x.trans = LETTER_OF (transa), x.trans_b = LETTER_OF (transb), x.m = *m, x.n = *n, x.k = *k,
   x.alpha = SCALAR (alpha), x.beta = SCALAR (beta), MATRIX_A, MATRIX_B, MATRIX_C,
   gpumm_blas_take (&x)))

#define SYMM(routine, name)                                                                        \
ROUTINE (routine, name,                                                                            \
  (const char *side, const char *uplo, const integer *m, const integer *n, const void *alpha,     \
   const void *a, const integer *lda, const void *b, const integer *ldb, const void *beta, void *c,\
   const integer *ldc, size_t l1, size_t l2),                                                      \
  (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, l1, l2),                                 \
  (double) *m * (double) *n * (double) SIDED,                                                      \
  (x.side = LETTER_OF (side), x.uplo = LETTER_OF (uplo), x.m = *m, x.n = *n,                       \
   x.alpha = SCALAR (alpha), x.beta = SCALAR (beta), MATRIX_A, MATRIX_B, MATRIX_C,                 \
   gpumm_blas_take (&x)))

#define SYRK(routine, name, SCALAR_OF)                                                             \
ROUTINE (routine, name,                                                                            \
  (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,    \
   const void *a, const integer *lda, const void *beta, void *c, const integer *ldc, size_t l1,   \
   size_t l2),                                                                                     \
  (uplo, trans, n, k, alpha, a, lda, beta, c, ldc, l1, l2),                                        \
  (double) *n * (double) *n * (double) *k,                                                         \
  (x.uplo = LETTER_OF (uplo), x.trans = LETTER_OF (trans), x.n = *n, x.k = *k,                     \
   x.alpha = SCALAR_OF (alpha), x.beta = SCALAR_OF (beta), MATRIX_A, MATRIX_C,                     \
   gpumm_blas_take (&x)))

#define SYR2K(routine, name, BETA_OF)                                                              \
ROUTINE (routine, name,                                                                            \
  (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,    \
   const void *a, const integer *lda, const void *b, const integer *ldb, const void *beta, void *c,\
   const integer *ldc, size_t l1, size_t l2),                                                      \
  (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, l1, l2),                                \
  (double) *n * (double) *n * (double) *k,                                                         \
  (x.uplo = LETTER_OF (uplo), x.trans = LETTER_OF (trans), x.n = *n, x.k = *k,                     \
   x.alpha = SCALAR (alpha), x.beta = BETA_OF (beta), MATRIX_A, MATRIX_B, MATRIX_C,                \
   gpumm_blas_take (&x)))

#define TRMM(routine, name)                                                                        \
ROUTINE (routine, name,                                                                            \
  (const char *side, const char *uplo, const char *transa, const char *diag, const integer *m,    \
   const integer *n, const void *alpha, const void *a, const integer *lda, void *b,                \
   const integer *ldb, size_t l1, size_t l2, size_t l3, size_t l4),                                \
  (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, l1, l2, l3, l4),                         \
  (double) *m * (double) *n * (double) SIDED,                                                      \
  (x.side = LETTER_OF (side), x.uplo = LETTER_OF (uplo), x.trans = LETTER_OF (transa),             \
   x.diag = LETTER_OF (diag), x.m = *m, x.n = *n, x.alpha = SCALAR (alpha), MATRIX_A, MATRIX_B,    \
   gpumm_blas_take (&x)))

SYMM (GPUMM_SYMM, FORTRAN (symm_))
SYRK (GPUMM_SYRK, FORTRAN (syrk_), SCALAR)
SYR2K (GPUMM_SYR2K, FORTRAN (syr2k_), SCALAR)
TRMM (GPUMM_TRMM, FORTRAN (trmm_))
TRMM (GPUMM_TRSM, FORTRAN (trsm_))
#if IS_COMPLEX
SYMM (GPUMM_HEMM, FORTRAN (hemm_))
SYRK (GPUMM_HERK, FORTRAN (herk_), REAL_SCALAR)
SYR2K (GPUMM_HER2K, FORTRAN (her2k_), REAL_SCALAR)
#endif

/* ---- Fortran: LAPACK. A call that is taken has info 0 ------------------------------------- */

#define LEAST(m, n) ((m) < (n) ? (m) : (n))
/* Enough workspace for reference LAPACK; else, or asked for the best length (-1), the one below
 * answers. */
#define HAS_SPACE(length) (*lwork >= (length) && *lwork > 0)
#define DONE (*info = 0, 1)
#define DONE_WITH_SPACE                                                                            \
  (*info = 0, ((REAL *) work)[IS_COMPLEX] = 0, ((REAL *) work)[0] = (REAL) *lwork, 1)

ROUTINE (GPUMM_GETRF, FORTRAN (getrf_),
  (const integer *m, const integer *n, void *a, const integer *lda, integer *ipiv, integer *info),
  (m, n, a, lda, ipiv, info),
  (double) *m * (double) *n * (double) LEAST (*m, *n),
  (x.m = *m, x.n = *n, MATRIX_A, gpumm_blas_take_pivots (&x, ipiv, LEAST (*m, *n), 1))
   && DONE)

ROUTINE (GPUMM_GETRS, FORTRAN (getrs_),
  (const char *trans, const integer *n, const integer *nrhs, const void *a, const integer *lda,
   const integer *ipiv, void *b, const integer *ldb, integer *info, size_t l1),
  (trans, n, nrhs, a, lda, ipiv, b, ldb, info, l1),
  (double) *n * (double) *n * (double) *nrhs,
  (x.trans = LETTER_OF (trans), x.n = *n, x.k = *nrhs, MATRIX_A, MATRIX_B,
   gpumm_blas_take_pivots (&x, (integer *) ipiv, *n, 0)) && DONE)

/* NumPy and R solve by it: getrf, then getrs wherever that runs. */
ROUTINE (GPUMM_GETRF, FORTRAN (gesv_),
  (const integer *n, const integer *nrhs, void *a, const integer *lda, integer *ipiv, void *b,
   const integer *ldb, integer *info),
  (n, nrhs, a, lda, ipiv, b, ldb, info),
  (double) *n * (double) *n * (double) *n,
  *nrhs >= 0 && *ldb >= *n
   && (x.m = *n, x.n = *n, MATRIX_A, gpumm_blas_take_pivots (&x, ipiv, *n, 1))
   && (FORTRAN (getrs_) ("N", n, nrhs, a, lda, ipiv, b, ldb, info, 1), 1))

ROUTINE (GPUMM_GETRI, FORTRAN (getri_),
  (const integer *n, void *a, const integer *lda, const integer *ipiv, void *work,
   const integer *lwork, integer *info),
  (n, a, lda, ipiv, work, lwork, info),
  (double) *n * (double) *n * (double) *n,
  HAS_SPACE (*n) && (x.n = *n, MATRIX_A, gpumm_blas_take_pivots (&x, (integer *) ipiv, *n, 0))
   && DONE_WITH_SPACE)

ROUTINE (GPUMM_POTRF, FORTRAN (potrf_),
  (const char *uplo, const integer *n, void *a, const integer *lda, integer *info, size_t l1),
  (uplo, n, a, lda, info, l1),
  (double) *n * (double) *n * (double) *n,
  (x.uplo = LETTER_OF (uplo), x.n = *n, MATRIX_A, gpumm_blas_take (&x)) && DONE)

ROUTINE (GPUMM_POTRS, FORTRAN (potrs_),
  (const char *uplo, const integer *n, const integer *nrhs, const void *a, const integer *lda,
   void *b, const integer *ldb, integer *info, size_t l1),
  (uplo, n, nrhs, a, lda, b, ldb, info, l1),
  (double) *n * (double) *n * (double) *nrhs,
  (x.uplo = LETTER_OF (uplo), x.n = *n, x.k = *nrhs, MATRIX_A, MATRIX_B, gpumm_blas_take (&x))
   && DONE)

ROUTINE (GPUMM_POTRI, FORTRAN (potri_),
  (const char *uplo, const integer *n, void *a, const integer *lda, integer *info, size_t l1),
  (uplo, n, a, lda, info, l1),
  (double) *n * (double) *n * (double) *n,
  (x.uplo = LETTER_OF (uplo), x.n = *n, MATRIX_A, gpumm_blas_take (&x)) && DONE)

ROUTINE (GPUMM_GEQRF, FORTRAN (geqrf_),
  (const integer *m, const integer *n, void *a, const integer *lda, void *tau, void *work,
   const integer *lwork, integer *info),
  (m, n, a, lda, tau, work, lwork, info),
  (double) *m * (double) *n * (double) LEAST (*m, *n),
  HAS_SPACE (*n) && (x.m = *m, x.n = *n, MATRIX_A, x.tau = tau, gpumm_blas_take (&x))
   && DONE_WITH_SPACE)

#if IS_COMPLEX
#define ORGQR FORTRAN (ungqr_)
#define ORMQR FORTRAN (unmqr_)
#else
#define ORGQR FORTRAN (orgqr_)
#define ORMQR FORTRAN (ormqr_)
#endif

ROUTINE (GPUMM_ORGQR, ORGQR,
  (const integer *m, const integer *n, const integer *k, void *a, const integer *lda,
   const void *tau, void *work, const integer *lwork, integer *info),
  (m, n, k, a, lda, tau, work, lwork, info),
  (double) *m * (double) *n * (double) *k,
  HAS_SPACE (*n) && (x.m = *m, x.n = *n, x.k = *k, MATRIX_A, x.tau = (void *) tau,
   gpumm_blas_take (&x)) && DONE_WITH_SPACE)

ROUTINE (GPUMM_ORMQR, ORMQR,
  (const char *side, const char *trans, const integer *m, const integer *n, const integer *k,
   const void *a, const integer *lda, const void *tau, void *c, const integer *ldc, void *work,
   const integer *lwork, integer *info, size_t l1, size_t l2),
  (side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, l1, l2),
  (double) *m * (double) *n * (double) *k,
  HAS_SPACE (SIDED == *m ? *n : *m)
   && (x.side = LETTER_OF (side), x.trans = LETTER_OF (trans), x.m = *m, x.n = *n, x.k = *k,
       MATRIX_A, x.tau = (void *) tau, MATRIX_C, gpumm_blas_take (&x))
   && DONE_WITH_SPACE)

/* Condition numbers, on the CPU: anorm is the norm of A, rcond the result. */
ROUTINE (GPUMM_GECON, FORTRAN (gecon_),
  (const char *norm, const integer *n, const void *a, const integer *lda, const REAL *anorm,
   REAL *rcond, void *work, void *more_work, integer *info, size_t l1),
  (norm, n, a, lda, anorm, rcond, work, more_work, info, l1),
  (double) *n * (double) *n * (double) *n,
  (x.n = *n, MATRIX_A, gpumm_blas_estimate (&x, LETTER_OF (norm), (double) *anorm, rcond)) && DONE)

ROUTINE (GPUMM_POCON, FORTRAN (pocon_),
  (const char *uplo, const integer *n, const void *a, const integer *lda, const REAL *anorm,
   REAL *rcond, void *work, void *more_work, integer *info, size_t l1),
  (uplo, n, a, lda, anorm, rcond, work, more_work, info, l1),
  (double) *n * (double) *n * (double) *n,
  (x.uplo = LETTER_OF (uplo), x.n = *n, MATRIX_A,
   gpumm_blas_estimate (&x, 'O', (double) *anorm, rcond)) && DONE)

/* ---- C: level 3 --------------------------------------------------------------------------- */

#undef LD
#undef SIDED
#define LD(x) x
#define SIDED (side == LEFT ? m : n)

ROUTINE (GPUMM_GEMM, CBLAS (gemm),
  (int order, int transa, int transb, integer m, integer n, integer k, C_SCALAR alpha,
   const void *a, integer lda, const void *b, integer ldb, C_SCALAR beta, void *c, integer ldc),
  (order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),
  (double) m * (double) n * (double) k,
  (x.trans = OP (transa), x.trans_b = OP (transb), x.m = m, x.n = n, x.k = k,
   x.alpha = C_VALUE (alpha), x.beta = C_VALUE (beta), MATRIX_A, MATRIX_B, MATRIX_C, TAKE_ORDERED))

#define C_SYMM(routine, name)                                                                      \
ROUTINE (routine, name,                                                                            \
  (int order, int side, int uplo, integer m, integer n, C_SCALAR alpha, const void *a,            \
   integer lda, const void *b, integer ldb, C_SCALAR beta, void *c, integer ldc),                  \
  (order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc),                                  \
  (double) m * (double) n * (double) SIDED,                                                        \
  (x.side = SIDE (side), x.uplo = UPLO (uplo), x.m = m, x.n = n,                         \
   x.alpha = C_VALUE (alpha), x.beta = C_VALUE (beta), MATRIX_A, MATRIX_B, MATRIX_C, TAKE_ORDERED))

#define C_SYRK(routine, name, scalar, VALUE)                                                       \
ROUTINE (routine, name,                                                                            \
  (int order, int uplo, int trans, integer n, integer k, scalar alpha, const void *a,             \
   integer lda, scalar beta, void *c, integer ldc),                                                \
  (order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc),                                         \
  (double) n * (double) n * (double) k,                                                            \
  (x.uplo = UPLO (uplo), x.trans = OP (trans), x.n = n, x.k = k,                       \
   x.alpha = VALUE (alpha), x.beta = VALUE (beta), MATRIX_A, MATRIX_C, TAKE_ORDERED))

#define C_SYR2K(routine, name, scalar, VALUE)                                                      \
ROUTINE (routine, name,                                                                            \
  (int order, int uplo, int trans, integer n, integer k, C_SCALAR alpha, const void *a,           \
   integer lda, const void *b, integer ldb, scalar beta, void *c, integer ldc),                    \
  (order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                                 \
  (double) n * (double) n * (double) k,                                                            \
  (x.uplo = UPLO (uplo), x.trans = OP (trans), x.n = n, x.k = k,                       \
   x.alpha = C_VALUE (alpha), x.beta = VALUE (beta), MATRIX_A, MATRIX_B, MATRIX_C, TAKE_ORDERED))

#define C_TRMM(routine, name)                                                                      \
ROUTINE (routine, name,                                                                            \
  (int order, int side, int uplo, int transa, int diag, integer m, integer n, C_SCALAR alpha,    \
   const void *a, integer lda, void *b, integer ldb),                                              \
  (order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb),                                  \
  (double) m * (double) n * (double) SIDED,                                                        \
  (x.side = SIDE (side), x.uplo = UPLO (uplo), x.trans = OP (transa),             \
   x.diag = DIAG (diag), x.m = m, x.n = n, x.alpha = C_VALUE (alpha), MATRIX_A, MATRIX_B,     \
   TAKE_ORDERED))

#define REAL_VALUE(x) ((gpumm_scalar){(double) (x), 0})
C_SYMM (GPUMM_SYMM, CBLAS (symm))
C_SYRK (GPUMM_SYRK, CBLAS (syrk), C_SCALAR, C_VALUE)
C_SYR2K (GPUMM_SYR2K, CBLAS (syr2k), C_SCALAR, C_VALUE)
C_TRMM (GPUMM_TRMM, CBLAS (trmm))
C_TRMM (GPUMM_TRSM, CBLAS (trsm))
#if IS_COMPLEX
C_SYMM (GPUMM_HEMM, CBLAS (hemm))
C_SYRK (GPUMM_HERK, CBLAS (herk), REAL, REAL_VALUE)
C_SYR2K (GPUMM_HER2K, CBLAS (her2k), REAL, REAL_VALUE)
#endif
/* clang-format on */
