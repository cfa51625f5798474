/* Puzzle 5: Fewer threads than elements
 *
 * Compute y[i] = a x[i] + y[i] for i from 0 to n - 1.
 *
 * Launch: 2 blocks of 64 threads, and n = 1000. Each thread computes several elements. At each time
 * the threads of a warp should use neighbours in memory.
 * Scored: sectors, operations.
 */
//// given
__global__ void axpy (float a, const float *x, float *y, int n) {
  /* Write this body. */
}
//// reference
__global__ void axpy (float a, const float *x, float *y, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    y[i] = a * x[i] + y[i];
}
//// judge
static void judge () {
  const int n = 1000;
  array<real> x = given ("x", n), y = given ("y", n), was = given ("y", n);
  launch (dim3 (2), dim3 (64), [&] { axpy (3, x, y, n); });
  check (y, [&] (int i, int) { return 3 * x.at (i) + was.at (i); });
}
//// score sectors 375, operations 2000
//// hint
// There are 128 threads for 1000 elements. A loop in each thread is needed. Where does it begin, and
// by how much does i grow?
//// hint
// If a thread takes 8 elements in a row, the threads of a warp touch 32 sectors at once. If
// neighbours take neighbours, 4 sectors.
//// hint
// for (int i = number of the thread; i < n; i += number of all threads). The last is
// gridDim.x * blockDim.x.
