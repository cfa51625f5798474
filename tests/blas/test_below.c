/* test_below.c - gemmt over a BLAS that has it (below.c): test_below BELOW. Small and invalid calls are for
 * that BLAS. GPUMM_BLAS_SMALLEST=0 in the environment: no valid call is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <dlfcn.h>
#include <string.h>

enum { N = 9 };

int main (int argc, char **argv) {
  void *below = argc > 1 ? dlopen (argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  const int *calls = below ? dlsym (below, "below_calls") : NULL;
  void (*gemmt) () = (void (*) ()) dlsym (RTLD_DEFAULT, "dgemmt_");
  const char *smallest = getenv ("GPUMM_BLAS_SMALLEST");
  const int takes_all = smallest && strcmp (smallest, "0") == 0;
  const int64_t n = N, k = 1; /* fit integers of 32 bits, too */
  const double one = 1, zero = 0;
  double a[N], c[N * N] = {0};
  const size_t l = 1;
  if (!calls || !gemmt) {
    printf ("FAILED: %s\n0 passed, 1 failed\n", dlerror ());
    return 1;
  }
  for (int i = 0; i < N; i++)
    a[i] = i;
  gemmt ("L", "N", "T", &n, &k, &one, a, &n, a, &n, &zero, c, &n, l, l, l);
  CHECK (*calls == !takes_all && c[2 * N + 3] == 6 * takes_all && c[3 * N + 2] == 0, "%d calls, %g",
         *calls, c[2 * N + 3]);
  gemmt ("?", "N", "T", &n, &k, &one, a, &n, a, &n, &zero, c, &n, l, l, l);
  CHECK (*calls == !takes_all + 1, "an invalid call: %d calls", *calls);
  return check_done ();
}
