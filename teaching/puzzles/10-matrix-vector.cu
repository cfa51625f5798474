/* Puzzle 10: Matrix times vector
 *
 * Compute y = A x: y[i] is the sum of A(i, j) * x[j] over j from 0 to n - 1. A is m x n and stored by
 * columns: A(i, j) is A[i + j * m].
 *
 * Launch: 2 blocks of 64 threads, m = 100, n = 30. A thread computes one element of y.
 * Scored: sectors, operations.
 */
//// given
__global__ void times_vector (const float *A, const float *x, float *y, int m, int n) {
  /* Write this body. */
}
//// reference
__global__ void times_vector (const float *A, const float *x, float *y, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += A[i + j * m] * x[j];
  y[i] = sum;
}
//// judge
static void judge () {
  const int m = 100, n = 30;
  array<real> A = given ("A", m, n), x = given ("x", n), y ("y", m);
  launch (dim3 (2), dim3 (64), [&] { times_vector (A, x, y, m, n); });
  check (y, [&] (int i, int) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += (double) A.at (i, j) * (double) x.at (j);
    return sum;
  });
}
//// score sectors 568, operations 6000
//// hint
// A thread has one row i, and a loop over the columns j.
//// hint
// Add into a variable, float sum = 0, and write y[i] once, after the loop. y[i] += in the loop would
// load and store y in each turn.
//// hint
// Neighbouring threads have neighbouring rows, which lie together in a column: A[i + j * m] is
// coalesced.
