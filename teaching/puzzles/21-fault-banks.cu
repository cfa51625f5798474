/* Puzzle 21: Find the fault: one bank for all
 *
 * The kernel transposes A (32 x 32) through shared memory. The result is right, and global memory is read
 * and written in its order, but a warp waits for shared memory 32 times as long as it must. Mend it.
 *
 * Launch: one block of 32 x 32 threads. Matrices are stored by columns.
 * Scored: sectors, bank conflicts, barriers.
 */
//// given
__global__ void transpose (const float *A, float *B) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = A[x + y * 32];
  __syncthreads ();
  B[x + y * 32] = s[x][y];
}
//// reference
__global__ void transpose (const float *A, float *B) {
  __shared__ float s[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = A[x + y * 32];
  __syncthreads ();
  B[x + y * 32] = s[x][y];
}
//// judge
static void judge () {
  array<real> A = given ("A", 32, 32), B ("B", 32, 32);
  launch (dim3 (1), dim3 (32, 32), [&] { transpose (A, B); });
  check (B, [&] (int i, int j) { return A.at (j, i); });
}
//// score sectors 256, conflicts 0, barriers 1
//// hint
// Shared memory has 32 banks. Word w lies in bank w % 32, and a bank delivers one word at a time.
//// hint
// s[x][y] is word 32 x + y. For one y and all x that is one bank.
//// hint
// Give each row of s one more element, which is not used: float s[32][33].
