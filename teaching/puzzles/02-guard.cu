/* Puzzle 2: More threads than elements
 *
 * Compute y[i] = x[i] * x[i] for i from 0 to n - 1.
 *
 * Launch: 4 blocks of 32 threads, and n = 100. Threads beyond the end must not touch the arrays.
 * Each x[i] of your text counts as a load: keep it in a variable if you need it twice.
 * Scored: sectors, operations.
 */
//// given
__global__ void square (const float *x, float *y, int n) {
  /* Write this body. */
}
//// reference
__global__ void square (const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float value = x[i];
    y[i] = value * value;
  }
}
//// judge
static void judge () {
  const int n = 100;
  array<real> x = given ("x", n), y ("y", n);
  launch (dim3 (4), dim3 (32), [&] { square (x, y, n); });
  check (y, [&] (int i, int) { return x.at (i) * x.at (i); });
}
//// score sectors 26, operations 100
//// hint
// Which elements belong to block 1? It has the threads 0 to 31, too.
//// hint
// The number of a thread in the whole grid is blockIdx.x * blockDim.x + threadIdx.x. There are 128
// of these numbers.
//// hint
// Put all that touches x or y into if (i < n) { ... }. Read x[i] once, into a variable.
