/* Puzzle 16: Sparse matrix times vector
 *
 * Compute y = S x, where S is sparse and stored by rows. Row i has the elements from start[i] to
 * start[i + 1] - 1 of two arrays: element p has the column column[p] and the value value[p].
 *
 * Launch: 2 blocks of 32 threads, m = 50 rows. A thread computes one row. A row can be empty.
 * Scored: sectors, operations.
 */
//// given
__global__ void times_vector (const int *start, const int *column, const float *value,
                              const float *x, float *y, int m) {
  /* Write this body. */
}
//// reference
__global__ void times_vector (const int *start, const int *column, const float *value,
                              const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    float sum = 0;
    int end = start[i + 1];
    for (int p = start[i]; p < end; p++)
      sum += value[p] * x[column[p]];
    y[i] = sum;
  }
}
//// judge
static void judge () {
  const int m = 50, n = 70;
  array<int> start ("start", m + 1), column ("column", 4 * m);
  array<real> value = given ("value", 4 * m), x = given ("x", n), y ("y", m);
  int entries = 0;
  for (int i = 0; i < m; i++) {
    start.at (i) = entries;
    for (int l = 0; l < i * 7 % 5; l++)
      column.at (entries++) = (i * 13 + l * 17) % n;
  }
  start.at (m) = entries;
  launch (dim3 (2), dim3 (32), [&] { times_vector (start, column, value, x, y, m); });
  check (y, [&] (int i, int) {
    double sum = 0;
    for (int p = start.at (i); p < start.at (i + 1); p++)
      sum += (double) value.at (p) * (double) x.at (column.at (p));
    return sum;
  });
}
//// score sectors 177, operations 200
//// hint
// A thread has one row i < m. How many elements does the row have?
//// hint
// The loop goes over p from start[i] to start[i + 1] - 1. The element's column says which x it meets.
//// hint
// Read start[i + 1] once, before the loop. Add value[p] * x[column[p]] into a variable that begins
// with 0: an empty row gives 0.
