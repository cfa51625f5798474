/* Puzzle 6: Through shared memory
 *
 * Split pairs: a[i] = x[2 i] and b[i] = x[2 i + 1] for i from 0 to n - 1. Read x in its order, so
 * that each sector is loaded once. Pass the elements through shared memory, because a thread does
 * not read the elements that it writes.
 *
 * Launch: 4 blocks of 64 threads, and n = 256: a block reads 128 elements of x and writes 64 of a
 * and 64 of b.
 * Words: __shared__ float s[128]; is an array that the threads of a block share. __syncthreads ();
 * waits until all threads of the block are there.
 * Scored: sectors, barriers.
 */
//// given
__global__ void split (const float *x, float *a, float *b, int n) {
  /* Write this body. */
}
//// reference
__global__ void split (const float *x, float *a, float *b, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  s[t + 64] = x[blockIdx.x * 128 + t + 64];
  __syncthreads ();
  a[blockIdx.x * 64 + t] = s[2 * t];
  b[blockIdx.x * 64 + t] = s[2 * t + 1];
}
//// judge
static void judge () {
  const int n = 256;
  array<real> x = given ("x", 2 * n), a ("a", n), b ("b", n);
  launch (dim3 (4), dim3 (64), [&] { split (x, a, b, n); });
  check (a, [&] (int i, int) { return x.at (2 * i); });
  check (b, [&] (int i, int) { return x.at (2 * i + 1); });
}
//// score sectors 128, barriers 4
//// hint
// a[i] = x[2 * i] alone is right, but the threads of a warp then read every other element: twice
// the sectors.
//// hint
// First let thread t copy two elements of x into s: t and t + 64 of its block. Then it takes s[2 * t]
// and s[2 * t + 1].
//// hint
// Thread t reads what threads 2 t and 2 t + 1 wrote. One __syncthreads () between writing and
// reading s is needed, and one is enough.
