/* Puzzle 22: Find the fault: lost counts
 *
 * The kernel counts how often each value from 0 to 7 is in x: counts[v] is the number of all i with
 * x[i] = v. Some counts are too small on a GPU. Mend it.
 *
 * Launch: 4 blocks of 64 threads, n = 250. counts is 0 at first.
 * Scored: sectors.
 */
//// given
__global__ void histogram (const int *x, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    counts[x[i]] += 1;
}
//// reference
__global__ void histogram (const int *x, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd (&counts[x[i]], 1);
}
//// judge
static void judge () {
  const int n = 250;
  array<int> x ("x", n), counts ("counts", 8);
  int wanted[8] = {};
  for (int v = 0; v < 8; v++)
    counts.at (v) = 0;
  for (int i = 0; i < n; i++)
    wanted[x.at (i) = i * i % 8 + (i % 3 == 1)]++;
  launch (dim3 (4), dim3 (64), [&] { histogram (x, counts, n); });
  check (counts, [&] (int v, int) { return wanted[v]; });
}
//// score sectors 48
//// hint
// What does += do? It reads, adds, and writes. What if two threads do so at the same time?
//// hint
// Both read 5, both write 6, and one count is lost. A barrier does not help, because blocks do not wait
// for each other.
//// hint
// atomicAdd (&counts[x[i]], 1) reads, adds and writes in one step.
