/* Puzzle 11: Matrix product
 *
 * Compute C = A B. A is m x k, B is k x n and C is m x n, all stored by columns: A(i, l) is A[i + l * m],
 * B(l, j) is B[l + j * k] and C(i, j) is C[i + j * m].
 *
 * Launch: blocks of 32 x 4 threads, 2 x 5 blocks, m = 40, n = 18, k = 25. A thread computes one element.
 * Scored: sectors, operations.
 */
//// given
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  /* Write this body. */
}
//// reference
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float sum = 0;
    for (int l = 0; l < k; l++)
      sum += A[i + l * m] * B[l + j * k];
    C[i + j * m] = sum;
  }
}
//// judge
static void judge () {
  const int m = 40, n = 18, k = 25;
  array<real> A = given ("A", m, k), B = given ("B", k, n), C ("C", m, n);
  launch (dim3 (2, 5), dim3 (32, 4), [&] { product (A, B, C, m, n, k); });
  check (C, [&] (int i, int j) { return element_of_product (A, B, i, j); });
}
//// score sectors 3240, operations 36000
//// hint
// C(i, j) is the sum of A(i, l) * B(l, j) over l from 0 to k - 1. A thread has one i and one j.
//// hint
// Each matrix has its own column length in the index: m for A and C, k for B.
//// hint
// Let i come from x, so that a warp reads a part of a column of A, and one element of B. Add into a
// variable.
