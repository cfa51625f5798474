/* late.c - a program that opens the drop-in late, and no BLAS before it: late LIBRARY.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main (int argc, char **argv) {
  void *library = argc > 1 ? dlopen (argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void (*gemm) () = library ? (void (*) ()) dlsym (library, "dgemm_") : NULL;
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, one = 1, zero = 0;
  const int64_t n = 2; /* fits integers of 32 bits, too */
  double c[4] = {0};
  if (!gemm) {
    printf ("FAILED: %s\n0 passed, 1 failed\n", dlerror ());
    return 1;
  }
  gemm ("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, (size_t) 1, (size_t) 1);
  const int good = c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46;
  printf ("%d passed, %d failed\n", good, !good);
  return !good;
}
