/* plain_loops.c - C = plain_loops (A, B): what a few lines of C on one thread do, for "walk" of
 * products.m. Real doubles; at least one of A and B is sparse.
 *
 * Sparse by sparse is Gustavson's algorithm: F. G. Gustavson, Two fast algorithms for sparse
 * matrices, ACM Transactions on Mathematical Software 4 (1978).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mex.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  mwIndex *start, *row;
  double *values;
  mwSize rows, columns;
} matrix;

static matrix matrix_of (const mxArray *x) {
  matrix m = {NULL, NULL, mxGetPr (x), mxGetM (x), mxGetN (x)};
  if (mxIsSparse (x)) {
    m.start = mxGetJc (x);
    m.row = mxGetIr (x);
  }
  return m;
}

static void sparse_by_full (const matrix *a, const matrix *b, double *c) {
  for (mwIndex j = 0; j < b->columns; j++)
    for (mwIndex k = 0; k < a->columns; k++)
      for (mwIndex p = a->start[k]; p < a->start[k + 1]; p++)
        c[j * a->rows + a->row[p]] += a->values[p] * b->values[j * b->rows + k];
}

static void full_by_sparse (const matrix *a, const matrix *b, double *c) {
  for (mwIndex j = 0; j < b->columns; j++)
    for (mwIndex p = b->start[j]; p < b->start[j + 1]; p++)
      for (mwIndex i = 0; i < a->rows; i++)
        c[j * a->rows + i] += a->values[b->row[p] * a->rows + i] * b->values[p];
}

static int compare (const void *x, const void *y) {
  const mwIndex i = *(const mwIndex *) x, j = *(const mwIndex *) y;
  return i < j ? -1 : i > j;
}

static mxArray *sparse_by_sparse (const matrix *a, const matrix *b) {
  mwSize most = 0;
  for (mwIndex q = 0; q < b->start[b->columns]; q++)
    most += a->start[b->row[q] + 1] - a->start[b->row[q]];
  mxArray *result = mxCreateSparse (a->rows, b->columns, most ? most : 1, mxREAL);
  const matrix c = matrix_of (result);
  double *sums = mxMalloc ((a->rows + 1) * sizeof *sums);
  mwIndex *seen = mxCalloc (a->rows + 1, sizeof *seen), count = 0; /* the last column, from 1 */
  for (mwIndex j = 0; j < b->columns; j++) {
    for (mwIndex q = b->start[j]; q < b->start[j + 1]; q++)
      for (mwIndex p = a->start[b->row[q]]; p < a->start[b->row[q] + 1]; p++) {
        const mwIndex i = a->row[p];
        if (seen[i] != j + 1) {
          seen[i] = j + 1;
          sums[i] = 0;
          c.row[count++] = i;
        }
        sums[i] += a->values[p] * b->values[q];
      }
    qsort (c.row + c.start[j], count - c.start[j], sizeof *c.row, compare);
    for (mwIndex p = c.start[j]; p < count; p++)
      c.values[p] = sums[c.row[p]];
    c.start[j + 1] = count;
  }
  mxFree (sums);
  mxFree (seen);
  return result;
}

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void) nlhs;
  if (nrhs != 2)
    mexErrMsgTxt ("plain_loops: two matrices are needed");
  const matrix a = matrix_of (prhs[0]), b = matrix_of (prhs[1]);
  if (a.start && b.start) {
    plhs[0] = sparse_by_sparse (&a, &b);
    return;
  }
  plhs[0] = mxCreateDoubleMatrix (a.rows, b.columns, mxREAL);
  (a.start ? sparse_by_full : full_by_sparse) (&a, &b, mxGetPr (plhs[0]));
}
