/* Puzzle 4: A column plus a row
 *
 * Compute C(i, j) = u[i] + v[j]. C is m x n and stored by columns: C(i, j) is C[i + j * m].
 *
 * Launch: blocks of 32 x 8 threads, 2 x 4 blocks, m = 50, n = 30.
 * Scored: sectors, operations.
 */
//// given
__global__ void outer_sum (const float *u, const float *v, float *C, int m, int n) {
  /* Write this body. */
}
//// reference
__global__ void outer_sum (const float *u, const float *v, float *C, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    C[i + j * m] = u[i] + v[j];
}
//// judge
static void judge () {
  const int m = 50, n = 30;
  array<real> u = given ("u", m), v = given ("v", n), C ("C", m, n);
  launch (dim3 (2, 4), dim3 (32, 8), [&] { outer_sum (u, v, C, m, n); });
  check (C, [&] (int i, int j) { return u.at (i) + v.at (j); });
}
//// score sectors 502, operations 1500
//// hint
// As in puzzle 3 a thread has a row i and a column j.
//// hint
// u has one element for each row, v one for each column.
//// hint
// All 32 threads of a warp have one j, so they read one element v[j]: the GPU loads its sector once.
// Only let i come from threadIdx.x.
