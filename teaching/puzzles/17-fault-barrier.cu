/* Puzzle 17: Find the fault: a result by luck
 *
 * The kernel reverses each block's 64 elements: y[64 b + t] = x[64 b + 63 - t]. On some GPUs the result is
 * right, on others it is not. Mend it.
 *
 * Launch: 3 blocks of 64 threads.
 * Scored: sectors, barriers.
 */
//// given
__global__ void reverse (const float *x, float *y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  y[blockIdx.x * 64 + t] = s[63 - t];
}
//// reference
__global__ void reverse (const float *x, float *y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads ();
  y[blockIdx.x * 64 + t] = s[63 - t];
}
//// judge
static void judge () {
  array<real> x = given ("x", 192), y ("y", 192);
  launch (dim3 (3), dim3 (64), [&] { reverse (x, y); });
  check (y, [&] (int i, int) { return x.at (i / 64 * 64 + 63 - i % 64); });
}
//// score sectors 48, barriers 3
//// hint
// Thread 0 reads s[63]. Who writes it, and when?
//// hint
// The threads of a block do not run at the same time. Thread 0 can read before thread 63 has
// written.
//// hint
// Put __syncthreads (); between writing and reading s.
