/* Puzzle 20: Find the fault: right but slow
 *
 * The kernel scales the columns of A: B(i, j) = A(i, j) * d[j]. The result is right, but the kernel loads and
 * stores eight times as many sectors as it must. Mend it; the launch stays.
 *
 * Launch: blocks of 32 x 32 threads, 2 x 2 blocks, m = n = 64. Matrices are stored by columns.
 * Scored: sectors, operations.
 */
//// given
__global__ void scale (const float *A, const float *d, float *B, int m, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m && j < n)
    B[i + j * m] = A[i + j * m] * d[j];
}
//// reference
__global__ void scale (const float *A, const float *d, float *B, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    B[i + j * m] = A[i + j * m] * d[j];
}
//// judge
static void judge () {
  const int m = 64, n = 64;
  array<real> A = given ("A", m, n), d = given ("d", n), B ("B", m, n);
  launch (dim3 (2, 2), dim3 (32, 32), [&] { scale (A, d, B, m, n); });
  check (B, [&] (int i, int j) { return A.at (i, j) * d.at (j); });
}
//// score sectors 1152, operations 4096
//// hint
// The 32 threads of a warp have one threadIdx.y, and threadIdx.x from 0 to 31. Which elements of A do
// they load?
//// hint
// They load a part of a row, and neighbours in a row lie m elements apart: 32 sectors instead of 4.
//// hint
// Exchange x and y in the first two lines, so that threadIdx.x goes down a column.
