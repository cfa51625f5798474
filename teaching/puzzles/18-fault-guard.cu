/* Puzzle 18: Find the fault: one too many
 *
 * The kernel computes y[i] = x[i + 1] - x[i] for i from 0 to n - 2. x has n elements, y has n - 1. Mend it.
 *
 * Launch: 4 blocks of 32 threads, n = 100.
 * Scored: sectors, operations.
 */
//// given
__global__ void differences (const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n - 1)
    y[i] = x[i + 1] - x[i];
}
//// reference
__global__ void differences (const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    y[i] = x[i + 1] - x[i];
}
//// judge
static void judge () {
  const int n = 100;
  array<real> x = given ("x", n), y ("y", n - 1);
  launch (dim3 (4), dim3 (32), [&] { differences (x, y, n); });
  check (y, [&] (int i, int) { return x.at (i + 1) - x.at (i); });
}
//// score sectors 42, operations 99
//// hint
// Which is the largest i that passes the if? Which element of x does it read?
//// hint
// i = n - 1 reads x[n], which is not there.
//// hint
// The last i is n - 2: write i < n - 1.
