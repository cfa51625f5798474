/* Puzzle 19: Find the fault: the wrong way round
 *
 * The kernel computes C = A B. The author of the index of B came from a language that stores matrices by
 * rows. Here all matrices are stored by columns. A is m x k, B is k x n. Mend it.
 *
 * Launch: blocks of 32 x 4 threads, 2 x 5 blocks, m = 40, n = 18, k = 25.
 * Scored: sectors, operations.
 */
//// given
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float sum = 0;
    for (int l = 0; l < k; l++)
      sum += A[i + l * m] * B[l * n + j];
    C[i + j * m] = sum;
  }
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
// No index is out of bounds, because l * n + j is below k * n. Is it the element B(l, j)?
//// hint
// Stored by columns, one step down a column is + 1, and one step to the next column is + the length
// of a column.
//// hint
// A column of B has k elements: B(l, j) is B[l + j * k].
