/* Puzzle 13: Four elements for each thread
 *
 * Compute C = A B by tiles of 32 x 32 elements of C, in steps of 8 along k. A block has 32 x 8 threads,
 * and a thread computes four elements: C(i, j), C(i, j + 8), C(i, j + 16) and C(i, j + 24). An element of
 * A that a thread has read from shared memory is used four times. Passes count the accesses of the
 * warps to shared memory.
 *
 * Launch: blocks of 32 x 8 threads, 2 x 2 blocks, m = 50, n = 40, k = 20. All matrices are stored by
 * columns.
 * Scored: sectors, passes, bank conflicts, barriers.
 */
//// given
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  /* Write this body. */
}
//// reference
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[8][32]; /* a[l][i] */
  __shared__ float b[32][8]; /* b[j][l] */
  int x = threadIdx.x, y = threadIdx.y, t = x + 32 * y;
  int i = blockIdx.x * 32 + x, j0 = blockIdx.y * 32;
  float sum[4] = {0, 0, 0, 0};
  for (int l0 = 0; l0 < k; l0 += 8) {
    int l = t % 8, j = t / 8;
    a[y][x] = i < m && l0 + y < k ? A[i + (l0 + y) * m] : 0;
    b[j][l] = l0 + l < k && j0 + j < n ? B[l0 + l + (j0 + j) * k] : 0;
    __syncthreads ();
    for (l = 0; l < 8; l++) {
      float value = a[l][x];
      for (int r = 0; r < 4; r++)
        sum[r] += value * b[y + 8 * r][l];
    }
    __syncthreads ();
  }
  for (int r = 0; r < 4; r++)
    if (i < m && j0 + y + 8 * r < n)
      C[i + (j0 + y + 8 * r) * m] = sum[r];
}
//// judge
static void judge () {
  const int m = 50, n = 40, k = 20;
  array<real> A = given ("A", m, k), B = given ("B", k, n), C ("C", m, n);
  launch (dim3 (2, 2), dim3 (32, 8), [&] { product (A, B, C, m, n, k); });
  check (C, [&] (int i, int j) { return element_of_product (A, B, i, j); });
}
//// score sectors 940, passes 4032, conflicts 0, barriers 24
//// hint
// The block has 256 threads, and each tile, 32 x 8 of A and 8 x 32 of B, has 256 elements: one
// element of each tile a thread.
//// hint
// For B let t = threadIdx.x + 32 * threadIdx.y, and load B(l0 + t % 8, j0 + t / 8): 8 neighbours in a
// column are one sector.
//// hint
// float sum[4] = {0, 0, 0, 0}; holds the results. For each l read the element of A once into a
// variable, and multiply it by four elements of B.
