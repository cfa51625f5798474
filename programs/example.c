/* example.c - multiplies two matrices with gpumm. With the engine installed:
 *   cc example.c -o example $(pkg-config --cflags --libs gpumm)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <gpumm.h>
#include <stdio.h>

static gpumm_matrix matrix (int64_t rows, int64_t cols, double *values) {
  return (gpumm_matrix){.format = GPUMM_DENSE,
                        .type = GPUMM_D,
                        .rows = rows,
                        .cols = cols,
                        .ld = rows,
                        .values = values};
}

int main (void) {
  double a[] = {1, 4, 2, 5, 3, 6};    /* 1 2 3; 4 5 6: column after column */
  double b[] = {7, 9, 11, 8, 10, 12}; /* 7 8; 9 10; 11 12 */
  double c[4];
  gpumm_problem problem = {.a = matrix (2, 3, a), .b = matrix (3, 2, b), .alpha = {1, 0}};
  gpumm_matrix result;
  gpumm_job *job;

  gpumm_status status = gpumm_open (&problem, NULL, &job); /* checks the problem, plans */
  if (!status)
    status = gpumm_result (job, &result); /* format, type and size of C; its memory is ours */
  result.values = c;
  if (!status)
    status = gpumm_run (job, &result);
  if (status)
    fprintf (stderr, "%s: %s\n", gpumm_status_name (status), gpumm_last_error ());
  else
    printf ("%g %g\n%g %g\n", c[0], c[2], c[1], c[3]);
  gpumm_close (job);
  return status != 0;
}
