/* Puzzle 14: Prefix sum
 *
 * y[i] = x[0] + ... + x[i] for i from 0 to n - 1. In step d = 1, 2, 4, 8 ... each thread t >= d adds the value
 * of thread t - d to its own. After seven steps each of 128 threads has its sum.
 *
 * Launch: one block of 128 threads, n = 100.
 * Scored: sectors, bank conflicts, barriers.
 */
//// given
__global__ void prefix_sum (const float *x, float *y, int n) {
  /* Write this body. */
}
//// reference
__global__ void prefix_sum (const float *x, float *y, int n) {
  __shared__ float s[2][128];
  int t = threadIdx.x, from = 0;
  float sum = t < n ? x[t] : 0;
  for (int d = 1; d < n; d *= 2) {
    s[from][t] = sum;
    __syncthreads ();
    if (t >= d)
      sum += s[from][t - d];
    from = 1 - from;
  }
  if (t < n)
    y[t] = sum;
}
//// judge
static void judge () {
  const int n = 100;
  array<real> x = given ("x", n), y ("y", n);
  launch (dim3 (1), dim3 (128), [&] { prefix_sum (x, y, n); });
  check (y, [&] (int i, int) {
    double sum = 0;
    for (int l = 0; l <= i; l++)
      sum += (double) x.at (l);
    return sum;
  });
}
//// score sectors 26, conflicts 0, barriers 7
//// hint
// All threads must read the old values before one writes a new one. How many barriers does a step
// then need?
//// hint
// With one array a step needs two barriers: after the writes and after the reads. With two arrays
// that take turns one barrier is enough.
//// hint
// Keep the own sum in a variable. Step: s[from][t] = sum; barrier; if (t >= d) sum += s[from][t - d];
// from = 1 - from.
