/* strassen.cu - seven products of half the size instead of eight.
 *
 * What it does: op(A), op(B) and C are cut into 2 x 2 blocks. C is computed from seven products of
 * sums of blocks (Strassen 1969), here in Winograd's form, with the names of Boyer, Dumas, Pernet
 * and Zhou, Memory efficient scheduling of Strassen-Winograd's matrix multiplication algorithm,
 * ISSAC 2009:
 *
 *   S1 = A21 + A22    T1 = B12 - B11    P1 = A11 B11    U2 = P1 + P6
 *   S2 = S1 - A11     T2 = B22 - T1     P2 = A12 B21    U3 = U2 + P7
 *   S3 = A11 - A21    T3 = B22 - B12    P3 = S4 B22     U4 = U2 + P5
 *   S4 = A12 - S2     T4 = T2 - B21     P4 = A22 T4     C11 = P1 + P2
 *                                       P5 = S1 T1      C12 = U4 + P3
 *                                       P6 = S2 T2      C21 = U3 - P4
 *                                       P7 = S3 T3      C22 = U3 + P5
 *
 * Each of the seven products is computed in the same way from its own blocks, `depth` times. Then a
 * kernel of another family, the base, multiplies: (7/8)^depth of the operations of the definition.
 *
 * What limits it: the memory. A sum of blocks moves three blocks and computes very little, so a
 * level pays only if an eighth of the products takes longer than all its sums: for blocks of
 * several thousand rows and columns. The bytes of the sums decide, and the temporaries:
 *
 *   Strassen's form has 18 sums, Winograd's 15: 45 blocks moved. Of these 15 the last sum into
 *   each of C11, C12 and C21 costs nothing, because the base adds its product to C as it stores it.
 *   U2, U3, U4 and C22 are one pass, which reads four products and writes three sums. That leaves
 *   8 sums of 3 and a pass of 7: 31. The same for Strassen's form leaves 39. (All S in one pass and
 *   all T in another would leave 23, but need four times the temporaries.)
 *
 *   The order of the products is such that a level needs one temporary X for all S and one Y for
 *   all T, as in Douglas, Heroux, Slishman and Smith, GEMMW, J. Comput. Phys. 110 (1994), and
 *   table 1 of Boyer et al.: P1, P5, P6 and P7 wait in the four blocks of C. If C must be kept
 *   (beta is not 0), they wait in a copy of its size. All levels together need n^2 elements for a
 *   square of n, with beta 2 n^2, at any depth.
 *
 *   What it costs in accuracy: the bound is normwise, and a level multiplies its constant by 4.5
 *   (Strassen's own form: by 3). docs/strassen.md has the bound, and what happens to NaN and Inf.
 *   Therefore "auto" never takes this family.
 *
 * Sizes that cannot be halved are peeled: the recursion takes the largest part of C, and of k,
 * whose blocks are whole vectors at every depth, and three thin products of the base add the rest
 * along k, to the right and below (Huss-Lederman, Jacobson, Johnson, Tsao and Turnbull,
 * Implementation of Strassen's algorithm for matrix multiplication, SC 1996, peel one row or column
 * a level). Imagined zeros at the edges would avoid the thin products, but then the blocks differ
 * in size, and P6, as large as the largest, fits into no free block of C.
 *
 * Transposes cost nothing: a block of op(A) is a block of A as stored, so the sums use A as stored,
 * and the base applies the op.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- when to recurse ---------------------------------------------------------------------- */

enum { REGISTER, CUBLAS }; /* the bases */
enum { BY_SIZE = -1, DEEPEST = 4 };

/* The smallest m, n or k of a base product, by type S, D, C, Z: a level is added while its blocks
 * are at least this large. Measured on an H200 (bench/results/h200/strassen.csv). Blocks that fill
 * its multiprocessors badly may still be slower: 3 % at n = 6144 in single over cuBLAS, 13 % at
 * 3072 in single complex over register. */
static const struct {
  const char *family;
  int64_t smallest[4];
} bases[] = {
    {"register", {2048, 2048, 1024, 1024}},
    {"cublas", {2048, 4096, 1024, 1536}},
};

/* ---- kernels: sums of blocks -------------------------------------------------------------- */

/* Bytes that a thread moves at once; threads of a block: vectors of a column, columns. On an H200
 * this reaches 4.2 TB/s, as fast as a copy; blocks of 64 x 4 or 256 x 1, or more vectors per
 * thread, are no faster. */
enum { VECTOR = 16, DOWN = 32, ACROSS = 8 };

template <class T, int WIDTH> struct alignas (WIDTH * sizeof (T)) vector {
  T x[WIDTH];
};

template <class T, int WIDTH> DEVICE vector<T, WIDTH> add (vector<T, WIDTH> x, vector<T, WIDTH> y) {
#pragma unroll
  for (int e = 0; e < WIDTH; e++)
    x.x[e] = add (x.x[e], y.x[e]);
  return x;
}

template <class T, int WIDTH> DEVICE vector<T, WIDTH> scale (T s, vector<T, WIDTH> x) {
#pragma unroll
  for (int e = 0; e < WIDTH; e++)
    x.x[e] = scale (s, x.x[e]);
  return x;
}

/* Row and column of this thread's vector. */
#define FIND_VECTOR(i, j, rows)                                                                    \
  unsigned pieces = (unsigned) (((rows) + DOWN - 1) / DOWN);                                       \
  int64_t i = (int64_t) (blockIdx.x % pieces) * DOWN + threadIdx.x;                                \
  int64_t j = (int64_t) (blockIdx.x / pieces) * ACROSS + threadIdx.y

/* X = x X + p P + q Q in vectors V of T; rows and leading dimensions count vectors. A term with the
 * coefficient 0 is not read. */
template <class T, class V>
__global__ void __launch_bounds__ (DOWN *ACROSS)
    sum_blocks (int64_t rows, int64_t cols, T x, global<V> X, int64_t ldx, T p, global<const V> P,
                int64_t ldp, T q, global<const V> Q, int64_t ldq) {
  FIND_VECTOR (i, j, rows);
  if (i >= rows || j >= cols)
    return;
  V sum = {};
  if (!is_zero (x)) {
    V of_x = X[i + j * ldx];
    sum = add (sum, scale (x, of_x));
  }
  if (!is_zero (p)) {
    V of_p = P[i + j * ldp];
    sum = add (sum, scale (p, of_p));
  }
  if (!is_zero (q)) {
    V of_q = Q[i + j * ldq];
    sum = add (sum, scale (q, of_q));
  }
  X[i + j * ldx] = sum;
}

/* D holds P1, P6 / P7, P5 in blocks of rows x cols. Computes P1, U4 / U3, C22 from them: in D
 * itself, or, if C must be kept, C = beta C + these. */
template <class T, class V>
__global__ void __launch_bounds__ (DOWN *ACROSS)
    sum_products (int64_t rows, int64_t cols, global<V> D, int64_t ldd, bool keep, T beta,
                  global<V> C, int64_t ldc) {
  FIND_VECTOR (i, j, rows);
  if (i >= rows || j >= cols)
    return;
  int64_t d = i + j * ldd, right = cols * ldd;
  V p1 = D[d], p6 = D[d + right], p7 = D[d + rows], p5 = D[d + rows + right];
  V u2 = add (p1, p6), u3 = add (u2, p7), u4 = add (u2, p5), c22 = add (u3, p5);
  if (!keep) {
    D[d + right] = u4;
    D[d + rows] = u3;
    D[d + rows + right] = c22;
    return;
  }
  int64_t c = i + j * ldc;
  right = cols * ldc;
  V old11 = C[c], old12 = C[c + right], old21 = C[c + rows], old22 = C[c + rows + right];
  C[c] = add (p1, scale (beta, old11));
  C[c + right] = add (u4, scale (beta, old12));
  C[c + rows] = add (u3, scale (beta, old21));
  C[c + rows + right] = add (c22, scale (beta, old22));
}

/* ---- matrices and their blocks ------------------------------------------------------------ */

/* op (x), which is rows x cols. */
template <class T> struct matrix {
  T *x;
  int64_t ld;
  gpumm_op op;
  int64_t rows, cols;

  int64_t stored_rows () const {
    return op == GPUMM_NONE ? rows : cols;
  }

  int64_t stored_cols () const {
    return op == GPUMM_NONE ? cols : rows;
  }
};

/* Its part from row `row` and column `col` on; rows and columns swap as stored if op transposes. */
template <class T>
static matrix<T> part (const matrix<T> &a, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  int64_t offset = a.op == GPUMM_NONE ? row + col * a.ld : col + row * a.ld;
  return {a.x + offset, a.ld, a.op, rows, cols};
}

/* Block (i, j) of the 2 x 2, counted from 1 as in the formulas. */
template <class T> static matrix<T> block (const matrix<T> &a, int i, int j) {
  int64_t rows = a.rows / 2, cols = a.cols / 2;
  return part (a, (i - 1) * rows, rows, (j - 1) * cols, cols);
}

template <class T> static bool in_vectors (const matrix<T> &a) {
  int64_t width = VECTOR / (int64_t) sizeof (T);
  return (uintptr_t) a.x % VECTOR == 0 && a.ld % width == 0 && a.stored_rows () % width == 0;
}

/* ---- workspace ---------------------------------------------------------------------------- */

static size_t temporary_bytes (size_t element, int64_t rows, int64_t cols) {
  size_t bytes = element * (size_t) rows * (size_t) cols, line = 256;
  return (bytes + line - 1) / line * line;
}

/* Workspace of all levels together: X, Y and, if C is kept, D. Some products of a level add to C,
 * so from the second level on C is always kept. */
static size_t levels_bytes (size_t element, int64_t m, int64_t n, int64_t k, int depth, bool keep) {
  size_t bytes = 0;
  for (; depth > 0; depth--, keep = true) {
    if (keep)
      bytes += temporary_bytes (element, m, n);
    m /= 2;
    n /= 2;
    k /= 2;
    bytes += temporary_bytes (element, m, k) + temporary_bytes (element, k, n);
  }
  return bytes;
}

template <class T>
static matrix<T> take (char **workspace, gpumm_op op, int64_t rows, int64_t cols) {
  matrix<T> a = {(T *) *workspace, op == GPUMM_NONE ? rows : cols, op, rows, cols};
  *workspace += temporary_bytes (sizeof (T), rows, cols);
  return a;
}

/* ---- the base ----------------------------------------------------------------------------- */

/* The row of that family that the plan would choose for the product, without rows that need
 * workspace. NULL: there is no such row. */
static const gpumm_kernel *choose_base (const char *family, const gpumm_product *p,
                                        const gpumm_device_properties *device) {
  const gpumm_kernel *best = NULL;
  int64_t least = p->m < p->n ? p->m : p->n;
  for (const gpumm_kernel *const *row = gpumm_driver_kernels; *row; row++) {
    const gpumm_kernel *k = *row;
    if (strcmp (k->algorithm, family) == 0 && k->types & 1u << p->type && k->from != BY_NAME_ONLY
        && k->capability <= device->capability && !k->workspace && (!k->runs || k->runs (p, device))
        && (!best || least >= k->from))
      best = k;
  }
  return best;
}

/* ---- the recursion ------------------------------------------------------------------------ */

struct recursion {
  int device;
  gpumm_stream *stream;
  gpumm_device_properties properties;
  const char *family; /* of the base */
  gpumm_type type;
  gpumm_status status; /* after the first failure nothing more is done */
  double queued;       /* operations */
  double all;          /* multiply-adds of all products of the base */
};

/* Most operations in the queue: 5 ms of cuBLAS in double on an H200. A larger product of the base
 * is cut by columns. */
static const double MOST_QUEUED = 2.5e11;

/* C = alpha A B + beta C by the base, in one call */
template <class T>
static void multiply_at_once (recursion *r, gpumm_scalar alpha, const matrix<T> &A,
                              const matrix<T> &B, gpumm_scalar beta, const matrix<T> &C) {
  gpumm_product p = {};
  p.type = r->type;
  p.op_a = A.op;
  p.op_b = B.op;
  p.m = C.rows;
  p.n = C.cols;
  p.k = A.cols;
  p.a = A.x;
  p.lda = A.ld;
  p.b = B.x;
  p.ldb = B.ld;
  p.c = C.x;
  p.ldc = C.ld;
  p.alpha = alpha;
  p.beta = beta;
  if (r->status)
    return;
  const gpumm_kernel *base = choose_base (r->family, &p, &r->properties);
  const double work = (double) p.m * (double) p.n * (double) p.k;
  gpumm_driver_share (r->all > 0 ? work / r->all : 0);
  r->status = base ? base->launch (r->device, r->stream, &p)
                   : gpumm_driver_fail (GPUMM_UNSUPPORTED, "no kernel of \"%s\" multiplies here",
                                        r->family);
  gpumm_driver_share (0); /* sums take next to no time */
}

/* C = alpha A B + beta C by the base */
template <class T>
static void multiply_plainly (recursion *r, gpumm_scalar alpha, const matrix<T> &A,
                              const matrix<T> &B, gpumm_scalar beta, const matrix<T> &C) {
  const int64_t narrow = 1024;
  const double column =
      (r->type == GPUMM_C || r->type == GPUMM_Z ? 8.0 : 2.0) * (double) C.rows * (double) A.cols;
  int64_t width = C.cols;
  if ((double) width * column > MOST_QUEUED) {
    width = (int64_t) (MOST_QUEUED / column) / narrow * narrow;
    width = width < narrow ? narrow : width;
  }
  for (int64_t j = 0; j < C.cols && !r->status; j += width) {
    const int64_t cols = C.cols - j < width ? C.cols - j : width;
    multiply_at_once (r, alpha, A, part (B, 0, B.rows, j, cols), beta,
                      part (C, 0, C.rows, j, cols));
    if (!r->status)
      r->status = pace (r->device, r->stream, (double) cols * column, MOST_QUEUED, &r->queued);
  }
}

template <class T, int WIDTH>
static gpumm_status launch_sum (const recursion *r, const matrix<T> &X, T x, T p,
                                const matrix<T> &P, T q, const matrix<T> &Q) {
  typedef vector<T, WIDTH> V;
  int64_t rows = X.stored_rows () / WIDTH, cols = X.stored_cols ();
  int64_t blocks = ceil_div (rows, DOWN) * ceil_div (cols, ACROSS);
  return LAUNCH ("sum_blocks", (sum_blocks<T, V>), blocks, dim3 (DOWN, ACROSS), r->device,
                 r->stream, rows, cols, x, (V *) X.x, X.ld / WIDTH, p, (const V *) P.x,
                 P.ld / WIDTH, q, (const V *) Q.x, Q.ld / WIDTH);
}

/* X = x X + p P + q Q; all three have the same op, so they are added as stored */
template <class T>
static void sum (recursion *r, const matrix<T> &X, double x, double p, const matrix<T> &P, double q,
                 const matrix<T> &Q) {
  T of_x, of_p, of_q;
  convert ({x, 0}, &of_x);
  convert ({p, 0}, &of_p);
  convert ({q, 0}, &of_q);
  if (!r->status)
    r->status = in_vectors (X) && in_vectors (P) && in_vectors (Q)
                    ? launch_sum<T, VECTOR / sizeof (T)> (r, X, of_x, of_p, P, of_q, Q)
                    : launch_sum<T, 1> (r, X, of_x, of_p, P, of_q, Q);
}

template <class T, int WIDTH>
static gpumm_status launch_sum_products (const recursion *r, const matrix<T> &D, gpumm_scalar beta,
                                         const matrix<T> &C) {
  typedef vector<T, WIDTH> V;
  int64_t rows = D.rows / 2 / WIDTH, cols = D.cols / 2;
  int64_t blocks = ceil_div (rows, DOWN) * ceil_div (cols, ACROSS);
  bool keep = D.x != C.x;
  T of_c;
  convert (beta, &of_c);
  return LAUNCH ("sum_products", (sum_products<T, V>), blocks, dim3 (DOWN, ACROSS), r->device,
                 r->stream, rows, cols, (V *) D.x, D.ld / WIDTH, keep, of_c,
                 keep ? (V *) C.x : (V *) NULL, C.ld / WIDTH);
}

/* C = beta C + (P1, U4 / U3, C22) of D's products; where D is C, in place */
template <class T>
static void sum_products_to (recursion *r, const matrix<T> &D, gpumm_scalar beta,
                             const matrix<T> &C) {
  if (!r->status)
    r->status = in_vectors (block (D, 1, 1)) && in_vectors (block (C, 1, 1))
                    ? launch_sum_products<T, VECTOR / sizeof (T)> (r, D, beta, C)
                    : launch_sum_products<T, 1> (r, D, beta, C);
}

/* C = alpha A B + beta C */
template <class T>
static void multiply (recursion *r, int depth, char *workspace, gpumm_scalar alpha,
                      const matrix<T> &A, const matrix<T> &B, gpumm_scalar beta,
                      const matrix<T> &C) {
  if (depth == 0) {
    multiply_plainly (r, alpha, A, B, beta, C);
    return;
  }
  const gpumm_scalar zero = {0, 0}, one = {1, 0}, minus_alpha = {-alpha.re, -alpha.im};
  bool keep = beta.re != 0 || beta.im != 0;
  matrix<T> D = keep ? take<T> (&workspace, GPUMM_NONE, C.rows, C.cols) : C;
  matrix<T> X = take<T> (&workspace, A.op, A.rows / 2, A.cols / 2);
  matrix<T> Y = take<T> (&workspace, B.op, B.rows / 2, B.cols / 2);
  matrix<T> A11 = block (A, 1, 1), A12 = block (A, 1, 2);
  matrix<T> A21 = block (A, 2, 1), A22 = block (A, 2, 2);
  matrix<T> B11 = block (B, 1, 1), B12 = block (B, 1, 2);
  matrix<T> B21 = block (B, 2, 1), B22 = block (B, 2, 2);
  depth--;

  sum (r, X, 0, 1, A11, -1, A21);                                            /* S3 = A11 - A21 */
  sum (r, Y, 0, 1, B22, -1, B12);                                            /* T3 = B22 - B12 */
  multiply (r, depth, workspace, alpha, X, Y, zero, block (D, 2, 1));        /* P7 = S3 T3 */
  sum (r, X, 0, 1, A21, 1, A22);                                             /* S1 = A21 + A22 */
  sum (r, Y, 0, 1, B12, -1, B11);                                            /* T1 = B12 - B11 */
  multiply (r, depth, workspace, alpha, X, Y, zero, block (D, 2, 2));        /* P5 = S1 T1 */
  sum (r, X, 1, -1, A11, 0, A11);                                            /* S2 = S1 - A11 */
  sum (r, Y, -1, 1, B22, 0, B22);                                            /* T2 = B22 - T1 */
  multiply (r, depth, workspace, alpha, X, Y, zero, block (D, 1, 2));        /* P6 = S2 T2 */
  multiply (r, depth, workspace, alpha, A11, B11, zero, block (D, 1, 1));    /* P1 = A11 B11 */
  sum_products_to (r, D, beta, C);                                           /* P1, U4, U3, C22 */
  multiply (r, depth, workspace, alpha, A12, B21, one, block (C, 1, 1));     /* C11 = P1 + P2 */
  sum (r, X, -1, 1, A12, 0, A12);                                            /* S4 = A12 - S2 */
  multiply (r, depth, workspace, alpha, X, B22, one, block (C, 1, 2));       /* C12 = U4 + P3 */
  sum (r, Y, 1, -1, B21, 0, B21);                                            /* T4 = T2 - B21 */
  multiply (r, depth, workspace, minus_alpha, A22, Y, one, block (C, 2, 1)); /* C21 = U3 - P4 */
}

/* ---- the product -------------------------------------------------------------------------- */

/* How a product is cut: the recursion takes the corner of m x n and the first k of the inner
 * size. */
struct cut {
  int depth;
  int64_t m, n, k;
  size_t bytes; /* of workspace */
};

static cut cut_at (const gpumm_product *p, int depth) {
  size_t element = p->type == GPUMM_S ? 4 : p->type == GPUMM_Z ? 16 : 8;
  /* blocks of whole vectors at every depth, with which cuBLAS is faster, too */
  int64_t unit = depth ? (int64_t) (VECTOR / element) << depth : 1;
  cut x = {depth, p->m / unit * unit, p->n / unit * unit, p->k / unit * unit, 0};
  bool keep = p->beta.re != 0 || p->beta.im != 0;
  x.bytes = levels_bytes (element, x.m, x.n, x.k, depth, keep);
  return x;
}

/* The depth that the row names or that pays at these sizes, limited by the vectors of a block and
 * by the room for the temporaries. */
static cut choose_cut (const gpumm_product *p, int base, int depth, size_t room) {
  int64_t least = p->m < p->n ? p->m : p->n;
  least = least < p->k ? least : p->k;
  if (depth == BY_SIZE)
    for (depth = 0; depth < DEEPEST && least >> (depth + 1) >= bases[base].smallest[p->type];)
      depth++;
  if (p->alpha.re == 0 && p->alpha.im == 0)
    depth = 0; /* A and B are not read */
  cut x = cut_at (p, depth);
  while (x.depth > 0 && (x.m == 0 || x.n == 0 || x.k == 0 || x.bytes > room))
    x = cut_at (p, x.depth - 1);
  return x;
}

template <class T>
static gpumm_status launch_as (int device, gpumm_stream *stream, const gpumm_product *p, int base,
                               int depth) {
  recursion r = {};
  r.device = device;
  r.stream = stream;
  r.family = bases[base].family;
  r.type = p->type;
  r.status = gpumm_driver_table ()->properties (device, &r.properties);
  if (r.status)
    return r.status;
  cut x = choose_cut (p, base, depth, p->workspace_bytes);
  char *workspace = (char *) p->workspace;
  if (p->note)
    snprintf (p->note, GPUMM_NOTE_BYTES, "depth %d", x.depth);

  const gpumm_scalar one = {1, 0};
  matrix<T> A = {(T *) p->a, p->lda, p->op_a, p->m, p->k};
  matrix<T> B = {(T *) p->b, p->ldb, p->op_b, p->k, p->n};
  matrix<T> C = {(T *) p->c, p->ldc, GPUMM_NONE, p->m, p->n};
  int64_t right = p->n - x.n, below = p->m - x.m, deep = p->k - x.k;
  matrix<T> corner = part (C, 0, x.m, 0, x.n);
  r.all = (double) x.m * (double) x.n * ((double) x.k * pow (0.875, x.depth) + (double) deep)
          + ((double) x.m * (double) right + (double) below * (double) p->n) * (double) p->k;
  gpumm_driver_share (0);
  multiply (&r, x.depth, workspace, p->alpha, part (A, 0, x.m, 0, x.k), part (B, 0, x.k, 0, x.n),
            p->beta, corner);
  if (deep > 0)
    multiply_plainly (&r, p->alpha, part (A, 0, x.m, x.k, deep), part (B, x.k, deep, 0, x.n), one,
                      corner);
  if (right > 0)
    multiply_plainly (&r, p->alpha, part (A, 0, x.m, 0, p->k), part (B, 0, p->k, x.n, right),
                      p->beta, part (C, 0, x.m, x.n, right));
  if (below > 0)
    multiply_plainly (&r, p->alpha, part (A, x.m, below, 0, p->k), B, p->beta,
                      part (C, x.m, below, 0, p->n));
  gpumm_driver_share (1);
  return r.status;
}

template <int BASE, int DEPTH>
static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return launch_as<T> (device, stream, p, BASE, DEPTH));
}

template <int BASE, int DEPTH>
static size_t workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return choose_cut (p, BASE, DEPTH, SIZE_MAX).bytes;
}

template <int BASE>
static int runs (const gpumm_product *p, const gpumm_device_properties *device) {
  return choose_base (bases[BASE].family, p, device) != NULL;
}

/* Rows with a number recurse that many times if the sizes allow it, for all of C: for study, tests
 * and measurements. */
#define ROW(name, base, depth, from, tile)                                                         \
  {                                                                                                \
    "strassen", name, ALL_TYPES, 1, 1, 1, 1, 1, ANY_CAPABILITY, from, runs<base>,                  \
        launch<base, depth>, workspace<base, depth>, 1, tile                                       \
  }
#define ROW_OF_DEPTH(name, base, depth) ROW (name, base, depth, BY_NAME_ONLY, INT64_MAX)

FAMILY_ROWS (strassen) = {
    ROW ("strassen_register", REGISTER, BY_SIZE, 0, 4096),
    ROW_OF_DEPTH ("strassen_register_1", REGISTER, 1),
    ROW_OF_DEPTH ("strassen_register_2", REGISTER, 2),
    ROW_OF_DEPTH ("strassen_register_3", REGISTER, 3),
#ifdef __CUDACC__
    ROW_OF_DEPTH ("strassen_register_4", REGISTER, 4),
    ROW ("strassen_cublas", CUBLAS, BY_SIZE, 0, 8192),
    ROW_OF_DEPTH ("strassen_cublas_1", CUBLAS, 1),
    ROW_OF_DEPTH ("strassen_cublas_2", CUBLAS, 2),
    ROW_OF_DEPTH ("strassen_cublas_3", CUBLAS, 3),
    ROW_OF_DEPTH ("strassen_cublas_4", CUBLAS, 4),
#endif
    {},
};
