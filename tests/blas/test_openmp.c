/* test_openmp.c - calls inside a parallel region of OpenMP: results are right, nothing is taken,
 * and the engine makes no threads; after the region it does. Every call is taken elsewhere; the
 * BLAS below has one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "elements.h"

#include <dirent.h>
#include <math.h>
#include <omp.h>

enum { N = 1100, THREADS = 4 };

static const integer n = N;
static double factors[N * N];

static int threads_here (void) {
  DIR *folder = opendir ("/proc/self/task");
  int count = 0;
  for (const struct dirent *entry; folder && (entry = readdir (folder));)
    count += entry->d_name[0] != '.';
  if (folder)
    closedir (folder);
  return count;
}

static double condition (routine *gecon) {
  const double anorm = N;
  double rcond = -1, *work = check_allocate (4 * N, sizeof *work);
  integer *integers = check_allocate (N, sizeof *integers), info = 0;
  gecon ("1", &n, factors, &n, &anorm, &rcond, work, integers, &info, (size_t) 1);
  free (work);
  free (integers);
  return rcond;
}

/* The last element of x x', where all of x is `value`. */
static double product (double value) {
  const integer k = 1;
  const double one = 1, zero = 0;
  const size_t l = 1;
  double *x = check_allocate (N, sizeof *x), *c = check_allocate (N * N, sizeof *c);
  for (int i = 0; i < N; i++)
    x[i] = value;
  find_routine (OURS, GPUMM_D, "gemm") ("N", "T", &n, &n, &k, &one, x, &n, x, &n, &zero, c, &n, l,
                                        l);
  const double last = c[N * N - 1];
  free (x);
  free (c);
  return last;
}

int main (void) {
  int wrong = 0;
  if (begin_blas ())
    return 77;
  routine *gecon = find_routine (OURS, GPUMM_D, "gecon");
  for (int i = 0; i < N * N; i++)
    factors[i] = i % (N + 1) == 0 ? 2 : check_uniform () / N;
  const double expected = condition (find_routine (THEIRS, GPUMM_D, "gecon"));
  omp_set_dynamic (0);
#pragma omp parallel num_threads(THREADS)
  { (void) omp_get_thread_num (); }
  const int before = threads_here ();
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
  for (int i = 0; i < 3; i++) {
    const double x = 1 + i + 10 * omp_get_thread_num ();
    wrong += product (x) != x * x;
    wrong += fabs (condition (gecon) - expected) > 1e-12;
  }
  CHECK (wrong == 0, "%d wrong results", wrong);
  CHECK (count_calls (GPUMM_GEMM, GPUMM_D, 1) == 0, "calls of a region were taken");
  CHECK (threads_here () == before, "%d threads, not %d", threads_here (), before);
  CHECK (product (3) == 9, "after the region");
  CHECK (fabs (condition (gecon) - expected) < 1e-12, "after the region");
  CHECK (count_calls (GPUMM_GEMM, GPUMM_D, 1) == 1, "not taken after the region");
  CHECK (omp_get_num_procs () == 1 || threads_here () > before, "no threads after the region");
  return check_done ();
}
