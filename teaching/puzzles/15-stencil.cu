/* Puzzle 15: Window of nine
 *
 * y[i] = x[i - 4] + ... + x[i + 4] for i from 0 to n - 1. Elements outside of x count as 0. Load each element
 * into shared memory once a block: 64 elements, 4 before them and 4 after them.
 *
 * Launch: 4 blocks of 64 threads, n = 240.
 * Scored: sectors, bank conflicts, barriers.
 */
//// given
__global__ void window (const float *x, float *y, int n) {
  /* Write this body. */
}
//// reference
__global__ void window (const float *x, float *y, int n) {
  __shared__ float s[72];
  int t = threadIdx.x, first = blockIdx.x * 64 - 4;
  for (int l = t; l < 72; l += 64)
    s[l] = first + l >= 0 && first + l < n ? x[first + l] : 0;
  __syncthreads ();
  float sum = 0;
  for (int l = 0; l < 9; l++)
    sum += s[t + l];
  if (first + 4 + t < n)
    y[first + 4 + t] = sum;
}
//// judge
static void judge () {
  const int n = 240;
  array<real> x = given ("x", n), y ("y", n);
  launch (dim3 (4), dim3 (64), [&] { window (x, y, n); });
  check (y, [&] (int i, int) {
    double sum = 0;
    for (int l = i - 4; l <= i + 4; l++)
      sum += l >= 0 && l < n ? (double) x.at (l) : 0;
    return sum;
  });
}
//// score sectors 73, conflicts 0, barriers 4
//// hint
// s has 72 elements and the block 64 threads: some threads load two elements.
//// hint
// Let first = blockIdx.x * 64 - 4. s[l] is x[first + l], or 0 outside of x, for l from 0 to 71.
//// hint
// for (int l = t; l < 72; l += 64) loads the tile. After one barrier y[first + 4 + t] is the sum of
// s[t] to s[t + 8].
