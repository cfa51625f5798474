/* example.c - multiplies two matrices with gpumm. With the engine installed:
 *   cc example.c -o example $(pkg-config --cflags --libs gpumm)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <gpumm.h>
#include <stdio.h>
#include <stdlib.h>

static gpumm_matrix matrix (int64_t rows, int64_t cols, double *values) {
  return (gpumm_matrix){.format = GPUMM_FULL,
                        .type = GPUMM_D,
                        .rows = rows,
                        .cols = cols,
                        .ld = rows,
                        .values = values};
}

int main (void) {
  double a[] = {1, 4, 2, 5, 3, 6};    /* 1 2 3; 4 5 6: column after column */
  double b[] = {7, 9, 11, 8, 10, 12}; /* 7 8; 9 10; 11 12 */
  const gpumm_matrix A = matrix (2, 3, a), B = matrix (3, 2, b);
  gpumm_matrix C;

  const gpumm_status status = gpumm_multiply (&A, &B, &C);
  if (status)
    fprintf (stderr, "%s: %s\n", gpumm_status_name (status), gpumm_last_error ());
  else {
    const double *c = C.values;
    printf ("%g %g\n%g %g\n", c[0], c[2], c[1], c[3]);
  }
  free (C.values);
  return status != 0;
}
