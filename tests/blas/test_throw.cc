// test_throw.cc - a program whose xerbla_ throws, as Octave's does: what it throws reaches the
// program through the drop-in, by every kind of routine, and later calls are taken as before. Every
// call is taken.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"
#include "gpumm_blas.h"

#include <cmath>
#include <string>

struct invalid {
  std::string routine;
  int argument;
};

extern "C" {
GPUMM_API void xerbla_ (const char *name, const int *info, size_t length) {
  throw invalid{std::string (name, length < 6 ? length : 6), *info};
}
void dgemm_ (const char *, const char *, const int *, const int *, const int *, const double *,
             const double *, const int *, const double *, const int *, const double *, double *,
             const int *, size_t, size_t);
void dtrsm_ (const char *, const char *, const char *, const char *, const int *, const int *,
             const double *, const double *, const int *, double *, const int *, size_t, size_t,
             size_t, size_t);
void dgetrf_ (const int *, const int *, double *, const int *, int *, int *);
void dgecon_ (const char *, const int *, const double *, const int *, const double *, double *,
              double *, int *, int *, size_t);
int gpumm_blas_calls (int, char *, int64_t *, int64_t *, double *, double *);
}

static const int N = 40, small = 1;
static const double one = 1, zero = 0;

struct arrays {
  double a[N * N], b[N * N], c[N * N];
  arrays () {
    for (int i = 0; i < N * N; i++) {
      a[i] = check_uniform () + (i % (N + 1) == 0 ? N : 0);
      b[i] = check_uniform ();
      c[i] = 0;
    }
  }
};

static int64_t taken (gpumm_routine which) {
  char name[16];
  int64_t gpu, cpu;
  double gpu_seconds, cpu_seconds;
  gpumm_blas_calls (4 * which + GPUMM_D, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds);
  return gpu;
}

// A destructor on the way is run, too.
static int left;
struct on_the_way {
  ~on_the_way () {
    left++;
  }
};

template <typename body> static void expect (const char *routine, int argument, body call) {
  try {
    on_the_way here;
    call ();
    CHECK (false, "%s: nothing was thrown", routine);
  } catch (const invalid &error) {
    CHECK (error.routine.substr (0, std::string (routine).size ()) == routine
               && error.argument == argument,
           "%s %d, not %s %d", error.routine.c_str (), error.argument, routine, argument);
  }
}

static void multiply (arrays &x, const int &lda) {
  dgemm_ ("N", "N", &N, &N, &N, &one, x.a, &lda, x.b, &N, &zero, x.c, &N, 1, 1);
}

int main () {
  arrays x;
  int pivots[N], info = 0, integers[N];
  double anorm = -1, rcond = 0, work[4 * N];
  if (gpumm_blas_bits () != 32) {
    printf ("SKIP: there is no BLAS with integers of 32 bits\n0 passed, 0 failed, 1 skipped\n");
    return 77;
  }
  for (int i = 0; i < 3; i++) { // a first call, and later ones
    expect ("DGEMM", 8, [&] { multiply (x, small); });
    expect ("DTRSM", 9,
            [&] { dtrsm_ ("L", "U", "N", "N", &N, &N, &one, x.a, &small, x.b, &N, 1, 1, 1, 1); });
    expect ("DGETRF", 4, [&] { dgetrf_ (&N, &N, x.a, &small, pivots, &info); });
    expect ("DGECON", 5,
            [&] { dgecon_ ("1", &N, x.a, &N, &anorm, &rcond, work, integers, &info, 1); });
    const int64_t before = taken (GPUMM_GEMM);
    multiply (x, N);
    CHECK (taken (GPUMM_GEMM) == before + 1, "a call after an error was not taken");
    double sum = 0;
    for (int l = 0; l < N; l++)
      sum += x.a[3 + l * N] * x.b[l + 5 * N];
    CHECK (std::fabs (x.c[3 + 5 * N] - sum) < 1e-10, "%g, not %g", x.c[3 + 5 * N], sum);
  }
  CHECK (left == 12, "%d of 12 objects were left", left);
  return check_done ();
}
