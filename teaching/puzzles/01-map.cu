/* Puzzle 1: One thread for each element
 *
 * Compute y[i] = 2 x[i] + 1 for i from 0 to n - 1.
 *
 * Launch: one block of n = 64 threads. threadIdx.x is the number of a thread in its block.
 * Scored: sectors, operations.
 */
//// given
__global__ void map (const float *x, float *y, int n) {
  /* Write this body. */
}
//// reference
__global__ void map (const float *x, float *y, int n) {
  int i = threadIdx.x;
  y[i] = 2 * x[i] + 1;
}
//// judge
static void judge () {
  const int n = 64;
  array<real> x = given ("x", n), y ("y", n);
  launch (dim3 (1), dim3 (n), [&] { map (x, y, n); });
  check (y, [&] (int i, int) { return 2 * x.at (i) + 1; });
}
//// score sectors 16, operations 128
//// hint
// There is no loop: the launch runs the body once for each thread.
//// hint
// Let int i = threadIdx.x, and compute element i.
//// hint
// The whole body is: int i = threadIdx.x; y[i] = 2 * x[i] + 1;
