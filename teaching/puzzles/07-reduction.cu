/* Puzzle 7: The sum of a block
 *
 * Each block adds its 128 elements of x: sums[b] = x[128 b] + ... + x[128 b + 127]. Add in a tree: in
 * each step half of the threads add two numbers in shared memory.
 *
 * Launch: 3 blocks of 128 threads.
 * Scored: sectors, bank conflicts, barriers, operations.
 */
//// given
__global__ void block_sums (const float *x, float *sums) {
  /* Write this body. */
}
//// reference
__global__ void block_sums (const float *x, float *sums) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads ();
    if (t < half)
      s[t] += s[t + half];
  }
  if (t == 0)
    sums[blockIdx.x] = s[0];
}
//// judge
static void judge () {
  array<real> x = given ("x", 384), sums ("sums", 3);
  launch (dim3 (3), dim3 (128), [&] { block_sums (x, sums); });
  check (sums, [&] (int b, int) {
    double sum = 0;
    for (int i = 0; i < 128; i++)
      sum += (double) x.at (128 * b + i);
    return sum;
  });
}
//// score sectors 51, conflicts 0, barriers 21, operations 381
//// hint
// 128 numbers become 64, then 32, and after seven steps one. A loop halves the number of threads that
// work.
//// hint
// In the step with `half` threads, thread t < half adds s[t + half] to s[t]. Neighbours then use
// neighbours: no bank conflicts.
//// hint
// Each step reads what the step before wrote, so each needs one barrier, which all threads reach: put
// it before the if. Thread 0 writes s[0] at the end.
