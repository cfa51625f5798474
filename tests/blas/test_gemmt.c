/* test_gemmt.c - gemmt of the drop-in, Fortran's and C's, against a plain loop: what is not in the triangle
 * must stay bit for bit, and what must not be read is NaN. GPUMM_BLAS_SMALLEST=0 in the environment: every
 * call is taken; without it they are small, and products of the BLAS below compute them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../../blas/blas.h"
#include "check.h"
#include "elements.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void routine ();

/* The arguments by columns; letters are capitals. */
typedef struct {
  gpumm_type type;
  char uplo, transa, transb;
  integer n, k, lda, ldb, ldc;
  double alpha[2], beta[2]; /* as the type has them */
  double complex alpha_value, beta_value;
  void *a, *b, *c;
  int64_t reals_c;
} test_case;

static int takes_all;

static void *make_array (gpumm_type type, int64_t rows, int64_t cols, int64_t ld, int is_hidden) {
  const int p = parts (type);
  void *x = check_allocate (ld * cols * p, is_single (type) ? 4 : 8);
  for (int64_t i = 0; i < ld * cols * p; i++)
    if (is_hidden || i / p % ld >= rows)
      hide (x, type, i);
    else
      put (x, type, i, check_uniform ());
  return x;
}

static double complex element (const void *x, gpumm_type type, int64_t i) {
  const int p = parts (type);
  return CMPLX (get (x, type, p * i), p == 2 ? get (x, type, p * i + 1) : 0);
}

static void put_scalar (double scalar[2], gpumm_type type, double complex value) {
  put (scalar, type, 0, creal (value));
  put (scalar, type, 1, cimag (value));
}

static void make (test_case *t, gpumm_type type, int64_t n, int64_t k, int beta) {
  const int64_t gap = check_between (0, 5);
  *t = (test_case){.type = type,
                   .uplo = "UL"[check_between (0, 1)],
                   .transa = "NTC"[check_between (0, 2)],
                   .transb = "NTC"[check_between (0, 2)],
                   .n = (integer) n,
                   .k = (integer) k};
  const int64_t rows_a = t->transa == 'N' ? n : k, rows_b = t->transb == 'N' ? k : n;
  t->lda = (integer) (rows_a + gap);
  t->ldb = (integer) (rows_b + gap);
  t->ldc = (integer) (n + gap);
  t->a = make_array (type, rows_a, n + k - rows_a, t->lda, 0);
  t->b = make_array (type, rows_b, n + k - rows_b, t->ldb, 0);
  t->c = make_array (type, n, n, t->ldc, beta == 0);
  t->reals_c = t->ldc * n * parts (type);
  for (int64_t j = 0; j < n; j++) /* the other triangle */
    for (int64_t i = 0; i < n; i++)
      for (int l = 0; l < parts (type) && (t->uplo == 'U' ? i > j : i < j); l++)
        hide (t->c, type, parts (type) * (i + j * t->ldc) + l);
  const double im = parts (type) == 2;
  t->alpha_value = CMPLX (0.75, -0.5 * im);
  t->beta_value = beta == 0 ? 0 : beta == 1 ? 1 : CMPLX (0.5, 1.5 * im);
  put_scalar (t->alpha, type, t->alpha_value);
  put_scalar (t->beta, type, t->beta_value);
}

static void release (test_case *t) {
  free (t->a);
  free (t->b);
  free (t->c);
}

static void call_fortran (const test_case *t, void *c) {
  char name[16];
  const size_t one = 1;
  snprintf (name, sizeof name, "%cgemmt_", "sdcz"[t->type]);
  ((routine *) dlsym (RTLD_DEFAULT, name)) (&t->uplo, &t->transa, &t->transb, &t->n, &t->k,
                                            t->alpha, t->a, &t->lda, t->b, &t->ldb, t->beta, c,
                                            &t->ldc, one, one, one);
}

static int number_of (char letter, int first, const char *letters) {
  return first + (int) (strchr (letters, letter) - letters);
}

/* A case by columns is the case of C.' = op (B).' op (A).' by rows. */
#define CALL_C(name, scalar, value)                                                                \
  ((void (*) (int, int, int, int, integer, integer, scalar, const void *, integer, const void *,   \
              integer, scalar, void *, integer)) dlsym (RTLD_DEFAULT, name)) (                     \
      by_rows ? 101 : 102, number_of (t->uplo, 121, by_rows ? "LU" : "UL"),                        \
      by_rows ? transb : transa, by_rows ? transa : transb, t->n, t->k, value (t->alpha),          \
      by_rows ? t->b : t->a, by_rows ? t->ldb : t->lda, by_rows ? t->a : t->b,                     \
      by_rows ? t->lda : t->ldb, value (t->beta), c, t->ldc)
#define FLOAT(x)   ((float) get (x, GPUMM_S, 0))
#define DOUBLE(x)  (*(x))
#define ADDRESS(x) (x)

static void call_c (const test_case *t, void *c, int by_rows) {
  const int transa = number_of (t->transa, 111, "NTC"), transb = number_of (t->transb, 111, "NTC");
  if (t->type == GPUMM_S)
    CALL_C ("cblas_sgemmt", float, FLOAT);
  else if (t->type == GPUMM_D)
    CALL_C ("cblas_dgemmt", double, DOUBLE);
  else
    CALL_C (t->type == GPUMM_C ? "cblas_cgemmt" : "cblas_zgemmt", const void *, ADDRESS);
}

static double complex op_element (const void *x, const test_case *t, char trans, int64_t ld,
                                  int64_t i, int64_t j) {
  const double complex value = element (x, t->type, trans == 'N' ? i + j * ld : j + i * ld);
  return trans == 'C' ? conj (value) : value;
}

/* Is c the result, and is what is not in the triangle as it was? */
static int is_right (const test_case *t, const void *c) {
  const int p = parts (t->type);
  const size_t bytes = is_single (t->type) ? 4 : 8;
  const double bound = 10 * (double) (t->k + 4) * epsilon (t->type);
  for (int64_t at = 0; at < t->reals_c; at += p) {
    const int64_t i = at / p % t->ldc, j = at / p / t->ldc;
    if (i >= t->n || (t->uplo == 'U' ? i > j : i < j)) {
      if (memcmp ((const char *) c + (size_t) at * bytes, (char *) t->c + (size_t) at * bytes,
                  bytes * (size_t) p)
          != 0)
        return 0;
      continue;
    }
    double complex sum = t->beta_value == 0 ? 0 : t->beta_value * element (t->c, t->type, at / p);
    for (int64_t l = 0; l < t->k; l++)
      sum += t->alpha_value * op_element (t->a, t, t->transa, t->lda, i, l)
             * op_element (t->b, t, t->transb, t->ldb, l, j);
    if (!(cabs (element (c, t->type, at / p) - sum) <= bound * (1 + cabs (sum))))
      return 0;
  }
  return 1;
}

static int64_t taken (gpumm_routine which, gpumm_type type) {
  char name[16];
  int64_t gpu, cpu;
  double gpu_seconds, cpu_seconds;
  gpumm_blas_calls (4 * (int) which + (int) type, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds);
  return gpu;
}

/* Fortran's names, C's by columns and by rows. */
static void check_case (gpumm_type type, int64_t n, int64_t k, int beta) {
  static const char *const names[] = {"Fortran", "C by columns", "C by rows"};
  test_case t;
  for (int way = 0; way < 3; way++) {
    make (&t, type, n, k, beta);
    const size_t bytes = (size_t) t.reals_c * (is_single (type) ? 4 : 8);
    const int64_t before = taken (GPUMM_GEMMT, type), products = taken (GPUMM_GEMM, type);
    void *c = check_allocate ((int64_t) bytes, 1);
    memcpy (c, t.c, bytes);
    if (way == 0)
      call_fortran (&t, c);
    else
      call_c (&t, c, way == 2);
    CHECK (is_right (&t, c), "%s %c, %c%c%c, n %d, k %d, beta %d", names[way], "sdcz"[type], t.uplo,
           t.transa, t.transb, (int) n, (int) k, beta);
    CHECK (taken (GPUMM_GEMMT, type) == before + takes_all && taken (GPUMM_GEMM, type) == products,
           "%s %c: %d taken", names[way], "sdcz"[type], (int) (taken (GPUMM_GEMMT, type) - before));
    free (c);
    release (&t);
  }
}

static void test_sizes (void) {
  static const int sizes[] = {1, 2, 5, 63, 64, 65, 100, 131, 200};
  for (int type = GPUMM_S; type <= GPUMM_Z; type++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int beta = 0; beta < 3; beta++)
        for (int i = 0; i < 3; i++)
          check_case ((gpumm_type) type, sizes[s], check_between (1, 20), beta);
    check_case ((gpumm_type) type, 2050 + type, 2, type % 3); /* two steps, also on a device */
  }
}

/* ---- arguments ---------------------------------------------------------------------------- */

static char said_name[8];
static integer said_info;

GPUMM_API void xerbla_ (const char *name, const integer *info, size_t length) {
  memset (said_name, 0, sizeof said_name);
  memcpy (said_name, name, length < 6 ? length : 6);
  said_info = *info;
}

/* Nothing is written, and xerbla has the number of the argument. */
static void test_arguments (void) {
  static const integer numbers[] = {1, 2, 3, 4, 5, 8, 10, 13};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    test_case t, wrong;
    make (&t, GPUMM_D, 9, 4, 2);
    wrong = t;
    switch (numbers[i]) {
    case 1:
      wrong.uplo = '?';
      break;
    case 2:
      wrong.transa = '?';
      break;
    case 3:
      wrong.transb = '?';
      break;
    case 4:
      wrong.n = -1;
      break;
    case 5:
      wrong.k = -1;
      break;
    case 8:
      wrong.lda = 2;
      break;
    case 10:
      wrong.ldb = 2;
      break;
    default:
      wrong.ldc = 2;
    }
    void *c = check_allocate (t.reals_c, sizeof (double));
    memcpy (c, t.c, (size_t) t.reals_c * sizeof (double));
    said_info = 0;
    call_fortran (&wrong, c);
    CHECK (said_info == numbers[i] && strncmp (said_name, "DGEMMT", 6) == 0, "%s: %d, not %d",
           said_name, (int) said_info, (int) numbers[i]);
    CHECK (memcmp (c, t.c, (size_t) t.reals_c * sizeof (double)) == 0, "argument %d: C changed",
           (int) numbers[i]);
    free (c);
    release (&t);
  }
}

/* n = 0, k = 0, alpha = 0: C = beta C, and A and B are not read. */
static void test_nothing (void) {
  for (int i = 0; i < 6; i++) {
    test_case t;
    make (&t, GPUMM_Z, i / 2 == 0 ? 1 : 70, 3, i % 2 + 1);
    put (t.c, t.type, 0, -0.0);
    if (i / 2 == 0)
      t.n = 0;
    if (i / 2 == 1)
      t.k = 0;
    if (i / 2 == 2) {
      put_scalar (t.alpha, t.type, 0);
      memset (t.a, 0xff, sizeof (double)); /* NaN */
    }
    const size_t bytes = (size_t) t.reals_c * sizeof (double);
    void *c = check_allocate ((int64_t) bytes, 1);
    memcpy (c, t.c, bytes);
    said_info = 0;
    call_fortran (&t, c);
    t.k = 0; /* for the loop */
    CHECK (said_info == 0 && is_right (&t, c), "case %d", i);
    CHECK (i % 2 || memcmp (c, t.c, bytes) == 0, "case %d: beta = 1", i);
    free (c);
    release (&t);
  }
}

/* Calls of the device fail, the first or a later one: the CPU computes the rest. */
static void test_failures (void) {
  test_case t;
  make (&t, GPUMM_D, 2100, 2, 2);
  void *c = check_allocate (t.reals_c, sizeof (double));
  int good = 0;
  for (int n = 1; n <= 40; n += 3) {
    memcpy (c, t.c, (size_t) t.reals_c * sizeof (double));
    gpumm_fault_device (n);
    call_fortran (&t, c);
    gpumm_fault_device (0);
    good += is_right (&t, c);
  }
  CHECK (good == 14, "%d of 14", good);
  free (c);
  release (&t);
}

/* A child has the CPU alone. */
static void test_fork (void) {
  const pid_t child = fork ();
  if (child == 0) {
    alarm (60);
    takes_all = check_failed = 0;
    check_case (GPUMM_Z, 90, 5, 2);
    _exit (check_failed);
  }
  int status = -1;
  CHECK (child > 0 && waitpid (child, &status, 0) == child && status == 0, "status %d", status);
}

int main (void) {
  const char *smallest = getenv ("GPUMM_BLAS_SMALLEST");
  check_seed (20261124);
  takes_all = smallest && strcmp (smallest, "0") == 0;
  if (gpumm_blas_bits () != 8 * (int) sizeof (integer)) {
    printf ("SKIP: there is no BLAS with integers of %d bits\n0 passed, 0 failed, 1 skipped\n",
            8 * (int) sizeof (integer));
    return 77;
  }
  test_sizes ();
  test_arguments ();
  test_nothing ();
  if (takes_all)
    test_failures ();
  test_fork ();
  return check_done ();
}
