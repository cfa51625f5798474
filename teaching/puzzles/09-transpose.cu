/* Puzzle 9: Transpose
 *
 * Store the transpose of A (m x n) in B (n x m): B(j, i) = A(i, j). Both are stored by columns, so A(i, j)
 * is A[i + j * m] and B(j, i) is B[j + i * n]. Read and write global memory along its columns: turn a
 * tile of 32 x 32 elements in shared memory.
 *
 * Launch: blocks of 32 x 32 threads, 2 x 2 blocks, m = 50, n = 40.
 * Scored: sectors, bank conflicts, barriers.
 */
//// given
__global__ void transpose (const float *A, float *B, int m, int n) {
  /* Write this body. */
}
//// reference
__global__ void transpose (const float *A, float *B, int m, int n) {
  __shared__ float s[32][33];
  int x = threadIdx.x, y = threadIdx.y, i0 = blockIdx.x * 32, j0 = blockIdx.y * 32;
  if (i0 + x < m && j0 + y < n)
    s[y][x] = A[i0 + x + (j0 + y) * m];
  __syncthreads ();
  if (j0 + x < n && i0 + y < m)
    B[j0 + x + (i0 + y) * n] = s[x][y];
}
//// judge
static void judge () {
  const int m = 50, n = 40;
  array<real> A = given ("A", m, n), B ("B", n, m);
  launch (dim3 (2, 2), dim3 (32, 32), [&] { transpose (A, B, m, n); });
  check (B, [&] (int j, int i) { return A.at (i, j); });
}
//// score sectors 560, conflicts 0, barriers 4
//// hint
// B[j + i * n] = A[i + j * m] alone is right, but either the loads or the stores jump by a column
// from thread to thread.
//// hint
// Let threadIdx.x go along i for the load and along j for the store. The thread stores another
// element than it loaded: it takes it from the tile, after a barrier.
//// hint
// A warp reads a column of the tile. With rows of 32 floats all 32 elements lie in one bank. Make the
// rows one element longer: s[32][33].
