/* Puzzle 12: Matrix product by tiles
 *
 * Compute C = A B as in puzzle 11, but load fewer sectors. A block computes 16 x 16 elements of C. It
 * walks along k in steps of 16: its threads load a tile of A and a tile of B into shared memory, one
 * element of each a thread, and multiply from there. Put 0 where a tile goes beyond the matrix.
 *
 * Launch: blocks of 16 x 16 threads, 3 x 2 blocks, m = 40, n = 24, k = 35. All matrices are stored by
 * columns.
 * Scored: sectors, bank conflicts, barriers.
 */
//// given
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  /* Write this body. */
}
//// reference
__global__ void product (const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[16][16]; /* a[l][i] */
  __shared__ float b[16][16]; /* b[j][l] */
  int x = threadIdx.x, y = threadIdx.y;
  int i = blockIdx.x * 16 + x, j = blockIdx.y * 16 + y;
  float sum = 0;
  for (int l0 = 0; l0 < k; l0 += 16) {
    a[y][x] = i < m && l0 + y < k ? A[i + (l0 + y) * m] : 0;
    b[y][x] = l0 + x < k && j < n ? B[l0 + x + j * k] : 0;
    __syncthreads ();
    for (int l = 0; l < 16; l++)
      sum += a[l][x] * b[y][l];
    __syncthreads ();
  }
  if (i < m && j < n)
    C[i + j * m] = sum;
}
//// judge
static void judge () {
  const int m = 40, n = 24, k = 35;
  array<real> A = given ("A", m, k), B = given ("B", k, n), C ("C", m, n);
  launch (dim3 (3, 2), dim3 (16, 16), [&] { product (A, B, C, m, n, k); });
  check (C, [&] (int i, int j) { return element_of_product (A, B, i, j); });
}
//// score sectors 974, conflicts 0, barriers 36
//// hint
// Four parts: load two tiles, wait, add 16 products, wait. A loop over l0 = 0, 16, 32 ... holds them.
//// hint
// Thread (x, y) loads A(i0 + x, l0 + y) and B(l0 + x, j0 + y): threadIdx.x goes along the columns in
// memory both times.
//// hint
// Two barriers in the loop: one before the tiles are read, and one before the next tiles overwrite
// them. No thread may leave before the end of the loop.
