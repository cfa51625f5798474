/* example.c - multiplies two matrices with gpumm. With the engine installed:
 *   cc example.c -o example $(pkg-config --cflags --libs gpumm)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <gpumm.h>
#include <stdio.h>
#include <stdlib.h>

int main (void) {
  double a[] = {1, 4, 2, 5, 3, 6};    /* 1 2 3; 4 5 6: column after column */
  double b[] = {7, 9, 11, 8, 10, 12}; /* 7 8; 9 10; 11 12 */
  gpumm_matrix A = {.type = GPUMM_D, .rows = 2, .cols = 3, .ld = 2, .values = a};
  gpumm_matrix B = {.type = GPUMM_D, .rows = 3, .cols = 2, .ld = 3, .values = b};
  gpumm_matrix C;

  if (gpumm_multiply (&A, &B, &C)) {
    fprintf (stderr, "%s\n", gpumm_last_error ());
    return 1;
  }
  double *c = C.values;
  printf ("%g %g\n%g %g\n", c[0], c[2], c[1], c[3]);
  free (c);
  return 0;
}
