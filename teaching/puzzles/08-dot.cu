/* Puzzle 8: Dot product
 *
 * Add x[i] * y[i] for i from 0 to n - 1 into result[0], which is 0 at first. Each block adds its part in
 * shared memory. Blocks cannot wait for each other, so one thread of each block adds the sum of its
 * block by atomicAdd (&result[0], sum).
 *
 * Launch: 3 blocks of 64 threads, and n = 150.
 * Scored: sectors, bank conflicts, barriers, operations.
 */
//// given
__global__ void dot (const float *x, const float *y, float *result, int n) {
  /* Write this body. */
}
//// reference
__global__ void dot (const float *x, const float *y, float *result, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? x[i] * y[i] : 0;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads ();
    if (t < half)
      s[t] += s[t + half];
  }
  if (t == 0)
    atomicAdd (&result[0], s[0]);
}
//// judge
static void judge () {
  const int n = 150;
  array<real> x = given ("x", n), y = given ("y", n), result ("result", 1);
  result.at (0) = 0;
  launch (dim3 (3), dim3 (64), [&] { dot (x, y, result, n); });
  check (result, [&] (int, int) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += (double) x.at (i) * (double) y.at (i);
    return sum;
  });
}
//// score sectors 44, conflicts 0, barriers 18, operations 342
//// hint
// Begin with the tree of puzzle 7. Only what is written into s at first is different.
//// hint
// A thread beyond the end must write 0 into its s[t], because the tree adds all 64.
//// hint
// At the end: if (t == 0) atomicAdd (&result[0], s[0]); one thread a block, not all.
