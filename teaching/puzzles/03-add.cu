/* Puzzle 3: A matrix by a grid of blocks
 *
 * Compute C = A + B. The matrices are m x n and stored by columns: A(i, j) is A[i + j * m].
 *
 * Launch: blocks of 32 x 8 threads, 2 x 4 blocks, m = 50, n = 30. Threads have threadIdx.x and
 * threadIdx.y, blocks blockIdx.x and blockIdx.y.
 * Scored: sectors, operations.
 */
//// given
__global__ void add (const float *A, const float *B, float *C, int m, int n) {
  /* Write this body. */
}
//// reference
__global__ void add (const float *A, const float *B, float *C, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    C[i + j * m] = A[i + j * m] + B[i + j * m];
}
//// judge
static void judge () {
  const int m = 50, n = 30;
  array<real> A = given ("A", m, n), B = given ("B", m, n), C ("C", m, n);
  launch (dim3 (2, 4), dim3 (32, 8), [&] { add (A, B, C, m, n); });
  check (C, [&] (int i, int j) { return A.at (i, j) + B.at (i, j); });
}
//// score sectors 696, operations 1500
//// hint
// Each thread computes one element of C. Find its row i and its column j.
//// hint
// i comes from blockIdx.x and threadIdx.x, j from blockIdx.y and threadIdx.y.
//// hint
// Two conditions are needed, i < m and j < n. With i alone a thread would write into the next
// column.
