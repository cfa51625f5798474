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
 * What limits it: the memory. A sum moves three blocks and computes very little, so a level pays
 * only if an eighth of the products takes longer than its 15 sums: for blocks of several thousand
 * rows and columns.
 *
 * The order of the products is table 1 of Boyer et al.: besides the four blocks of C a level needs
 * one temporary X for S and P1, and one Y for T. A square of n needs 2/3 n^2 elements at any depth,
 * and n^2 more if C is kept (beta is not 0): then the product is added to C at the end.
 *
 * What it costs in accuracy: the bound is normwise, and a level multiplies its constant by 4.5
 * (docs/strassen.md, also about NaN and Inf). Therefore "auto" never takes this family.
 *
 * Sizes that cannot be halved are peeled: the recursion takes the largest part of C, and of k, that
 * can be, and three thin products of the base add the rest along k, to the right and below.
 * Transposes cost nothing: a block of op(A) is a block of A as stored, so the sums use A as stored,
 * and the base applies the op.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include <stdio.h>
#include <string.h>

enum { REGISTER, CUBLAS, BY_SIZE = -1, DEEPEST = 4 };

/* The bases, and the smallest m, n or k of their products, by type S, D, C, Z: a level is added
 * while its blocks are at least this large. Measured on an H200 (bench/results/h200/strassen.csv).
 */
static const struct {
  const char *family;
  int64_t smallest[4];
} bases[] = {
    {"register", {2048, 2048, 1024, 1024}},
    {"cublas", {2048, 4096, 1024, 1536}},
};

/* Threads of a block, in a column; columns that each thread adds, to keep the memory busy. */
enum { DOWN = 128, ACROSS = 4 };

/* sum += s X, from X[i] on along a row; columns past the end repeat the last one. A term with the
 * coefficient 0 is not read. */
template <class T, class Memory>
DEVICE void add_term (T *sum, T s, Memory X, int64_t i, int64_t ldx, int64_t j, int64_t cols) {
  if (is_zero (s))
    return;
#pragma unroll
  for (int e = 0; e < ACROSS; e++) {
    T x = X[i + (j + e < cols ? j + e : cols - 1) * ldx];
    sum[e] = add (sum[e], scale (s, x));
  }
}

/* X = x X + p P + q Q */
template <class T>
__global__ void __launch_bounds__ (DOWN)
    sum_blocks (int64_t rows, int64_t cols, T x, global<T> X, int64_t ldx, T p, global<const T> P,
                int64_t ldp, T q, global<const T> Q, int64_t ldq) {
  const unsigned pieces = (unsigned) ((rows + DOWN - 1) / DOWN);
  const int64_t i = (int64_t) (blockIdx.x % pieces) * DOWN + threadIdx.x;
  const int64_t j = (int64_t) (blockIdx.x / pieces) * ACROSS;
  if (i >= rows)
    return;
  T sum[ACROSS] = {};
  add_term (sum, x, X, i, ldx, j, cols);
  add_term (sum, p, P, i, ldp, j, cols);
  add_term (sum, q, Q, i, ldq, j, cols);
#pragma unroll
  for (int e = 0; e < ACROSS; e++)
    if (j + e < cols)
      X[i + (j + e) * ldx] = sum[e];
}

/* op (x), which is rows x cols. */
template <class T> struct matrix {
  T *x;
  int64_t ld;
  gpumm_op op;
  int64_t rows, cols;
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

/* Memory x as a matrix without gaps. */
template <class T> static matrix<T> matrix_in (T *x, gpumm_op op, int64_t rows, int64_t cols) {
  return {x, op == GPUMM_NONE ? rows : cols, op, rows, cols};
}

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

/* Multiply-adds in the queue: 5 ms of cuBLAS in double on an H200. A larger product of the base is
 * cut by columns, at multiples of NARROW, so that a cancellation need not wait long. */
static const double MOST_QUEUED = 1.25e11;
static const int64_t NARROW = 1024;

static double multiply_adds (gpumm_type type, int64_t m, int64_t n, int64_t k) {
  const bool is_complex = type == GPUMM_C || type == GPUMM_Z;
  return (is_complex ? 4.0 : 1.0) * (double) m * (double) n * (double) k;
}

struct recursion {
  int device;
  gpumm_stream *stream;
  gpumm_device_properties properties;
  const char *family; /* of the base */
  gpumm_type type;
  gpumm_scalar alpha;
  double queued, all;  /* multiply-adds: not waited for; of all products of the base */
  gpumm_status status; /* after the first failure nothing more is done */
};

/* C = alpha A B + beta C by the base */
template <class T>
static void multiply_plainly (recursion *r, const matrix<T> &A, const matrix<T> &B,
                              gpumm_scalar beta, const matrix<T> &C) {
  const double column = multiply_adds (r->type, C.rows, 1, A.cols);
  int64_t width = C.cols;
  if ((double) width * column > MOST_QUEUED) {
    width = (int64_t) (MOST_QUEUED / column) / NARROW * NARROW;
    width = width < NARROW ? NARROW : width;
  }
  for (int64_t j = 0; j < C.cols && !r->status; j += width) {
    gpumm_product p = {};
    p.type = r->type;
    p.op_a = A.op, p.op_b = B.op;
    p.m = C.rows, p.n = C.cols - j < width ? C.cols - j : width, p.k = A.cols;
    p.a = A.x, p.b = part (B, 0, B.rows, j, p.n).x, p.c = part (C, 0, C.rows, j, p.n).x;
    p.lda = A.ld, p.ldb = B.ld, p.ldc = C.ld;
    p.alpha = r->alpha, p.beta = beta;
    const gpumm_kernel *base = choose_base (r->family, &p, &r->properties);
    const double work = (double) p.n * column;
    gpumm_driver_set_weight (r->all > 0 ? work / r->all : 0);
    r->status = base ? base->launch (r->device, r->stream, &p)
                     : gpumm_driver_fail (GPUMM_UNSUPPORTED, "no kernel of \"%s\" multiplies here",
                                          r->family);
    gpumm_driver_set_weight (0); /* sums take next to no time */
    if (!r->status)
      r->status = pace (r->device, r->stream, work, MOST_QUEUED, &r->queued);
  }
}

/* X = x X + p P + q Q; all three have the same op, so they are added as stored */
template <class T>
static void sum (recursion *r, const matrix<T> &X, gpumm_scalar x, double p, const matrix<T> &P,
                 double q, const matrix<T> &Q) {
  const int64_t rows = X.op == GPUMM_NONE ? X.rows : X.cols, cols = X.rows * X.cols / rows;
  T of_x, of_p, of_q;
  convert (x, &of_x);
  convert ({p, 0}, &of_p);
  convert ({q, 0}, &of_q);
  if (!r->status)
    r->status = LAUNCH ("sum_blocks", sum_blocks<T>,
                        ceil_div (rows, DOWN) * ceil_div (cols, ACROSS), dim3 (DOWN), r->device,
                        r->stream, rows, cols, of_x, X.x, X.ld, of_p, P.x, P.ld, of_q, Q.x, Q.ld);
}

/* C = alpha A B. memory holds the temporaries of this level and of the deeper ones. */
template <class T>
static void multiply (recursion *r, int depth, parts memory, const matrix<T> &A, const matrix<T> &B,
                      const matrix<T> &C) {
  const gpumm_scalar zero = {0, 0}, one = {1, 0}, minus = {-1, 0};
  if (depth == 0) {
    multiply_plainly (r, A, B, zero, C);
    return;
  }
  const int64_t m = C.rows / 2, n = C.cols / 2, k = A.cols / 2;
  T *x, *y;
  memory.take (x, m * (k > n ? k : n));
  memory.take (y, k * n);
  matrix<T> X = matrix_in (x, A.op, m, k), Y = matrix_in (y, B.op, k, n);
  matrix<T> XP = matrix_in (x, GPUMM_NONE, m, n); /* X when it holds P1 */
  matrix<T> A11 = block (A, 1, 1), A12 = block (A, 1, 2);
  matrix<T> A21 = block (A, 2, 1), A22 = block (A, 2, 2);
  matrix<T> B11 = block (B, 1, 1), B12 = block (B, 1, 2);
  matrix<T> B21 = block (B, 2, 1), B22 = block (B, 2, 2);
  matrix<T> C11 = block (C, 1, 1), C12 = block (C, 1, 2);
  matrix<T> C21 = block (C, 2, 1), C22 = block (C, 2, 2);
  depth--;

  sum (r, X, zero, 1, A11, -1, A21);          /* S3 = A11 - A21 */
  sum (r, Y, zero, 1, B22, -1, B12);          /* T3 = B22 - B12 */
  multiply (r, depth, memory, X, Y, C21);     /* P7 = S3 T3 */
  sum (r, X, zero, 1, A21, 1, A22);           /* S1 = A21 + A22 */
  sum (r, Y, zero, 1, B12, -1, B11);          /* T1 = B12 - B11 */
  multiply (r, depth, memory, X, Y, C22);     /* P5 = S1 T1 */
  sum (r, X, one, -1, A11, 0, A11);           /* S2 = S1 - A11 */
  sum (r, Y, minus, 1, B22, 0, B22);          /* T2 = B22 - T1 */
  multiply (r, depth, memory, X, Y, C12);     /* P6 = S2 T2 */
  sum (r, X, minus, 1, A12, 0, A12);          /* S4 = A12 - S2 */
  multiply (r, depth, memory, X, B22, C11);   /* P3 = S4 B22 */
  multiply (r, depth, memory, A11, B11, XP);  /* P1 = A11 B11 */
  sum (r, C12, one, 1, XP, 0, XP);            /* U2 = P1 + P6 */
  sum (r, C21, one, 1, C12, 0, C12);          /* U3 = U2 + P7 */
  sum (r, C12, one, 1, C22, 0, C22);          /* U4 = U2 + P5 */
  sum (r, C22, one, 1, C21, 0, C21);          /* C22 = U3 + P5 */
  sum (r, C12, one, 1, C11, 0, C11);          /* C12 = U4 + P3 */
  sum (r, Y, one, -1, B21, 0, B21);           /* T4 = T2 - B21 */
  multiply (r, depth, memory, A22, Y, C11);   /* P4 = A22 T4 */
  sum (r, C21, one, -1, C11, 0, C11);         /* C21 = U3 - P4 */
  multiply (r, depth, memory, A12, B21, C11); /* P2 = A12 B21 */
  sum (r, C11, one, 1, XP, 0, XP);            /* C11 = P1 + P2 */
}

/* How a product is cut: the recursion takes m x n of C, and the first k of the inner size. */
struct cut {
  int depth;
  int64_t m, n, k;
  size_t bytes; /* of workspace */
};

static bool is_kept (const gpumm_product *p) {
  return p->beta.re != 0 || p->beta.im != 0;
}

static cut cut_at (const gpumm_product *p, int depth) {
  const int64_t element = p->type == GPUMM_S ? 4 : p->type == GPUMM_Z ? 16 : 8;
  /* columns of whole 16 bytes at every depth, with which cuBLAS is faster */
  const int64_t unit = depth ? 16 / element << depth : 1;
  cut x = {depth, p->m / unit * unit, p->n / unit * unit, p->k / unit * unit, 0};
  if (depth > 0 && is_kept (p))
    x.bytes += aligned ((size_t) (element * x.m * x.n));
  for (int level = 1; level <= depth; level++) {
    const int64_t m = x.m >> level, n = x.n >> level, k = x.k >> level;
    x.bytes += aligned ((size_t) (element * m * (k > n ? k : n)));
    x.bytes += aligned ((size_t) (element * k * n));
  }
  return x;
}

/* The depth that the row names or that pays at these sizes, limited by the sizes and by the room
 * for the temporaries. */
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
static gpumm_status launch_strassen_as (int device, gpumm_stream *stream, const gpumm_product *p,
                                        int base, int depth) {
  recursion r = {device, stream, {}, bases[base].family, p->type, p->alpha, 0, 0, GPUMM_OK};
  r.status = gpumm_driver_table ()->properties (device, &r.properties);
  const cut x = choose_cut (p, base, depth, p->workspace_bytes);
  const int64_t right = p->n - x.n, below = p->m - x.m, deep = p->k - x.k;
  if (p->note)
    snprintf (p->note, GPUMM_NOTE_BYTES, "depth %d", x.depth);
  r.all = multiply_adds (p->type, x.m, x.n, x.k) * pow (0.875, x.depth)
          + multiply_adds (p->type, x.m, x.n, deep) + multiply_adds (p->type, x.m, right, p->k)
          + multiply_adds (p->type, below, p->n, p->k);

  const gpumm_scalar one = {1, 0};
  matrix<T> A = {(T *) p->a, p->lda, p->op_a, p->m, p->k};
  matrix<T> B = {(T *) p->b, p->ldb, p->op_b, p->k, p->n};
  matrix<T> C = {(T *) p->c, p->ldc, GPUMM_NONE, p->m, p->n};
  matrix<T> corner = part (C, 0, x.m, 0, x.n), D = corner;
  parts memory (p->workspace);
  if (x.depth == 0)
    multiply_plainly (&r, A, B, p->beta, C);
  else {
    if (is_kept (p)) {
      memory.take (D.x, x.m * x.n);
      D.ld = x.m;
    }
    multiply (&r, x.depth, memory, part (A, 0, x.m, 0, x.k), part (B, 0, x.k, 0, x.n), D);
    if (is_kept (p))
      sum (&r, corner, p->beta, 1, D, 0, D);
  }
  if (deep > 0)
    multiply_plainly (&r, part (A, 0, x.m, x.k, deep), part (B, x.k, deep, 0, x.n), one, corner);
  if (right > 0)
    multiply_plainly (&r, part (A, 0, x.m, 0, p->k), part (B, 0, p->k, x.n, right), p->beta,
                      part (C, 0, x.m, x.n, right));
  if (below > 0)
    multiply_plainly (&r, part (A, x.m, below, 0, p->k), B, p->beta, part (C, x.m, below, 0, p->n));
  gpumm_driver_set_weight (1);
  return r.status;
}

template <int BASE, int DEPTH>
static gpumm_status launch_strassen (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return launch_strassen_as<T> (device, stream, p, BASE, DEPTH));
}

template <int BASE, int DEPTH>
static size_t workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return choose_cut (p, BASE, DEPTH, SIZE_MAX).bytes;
}

template <int BASE>
static int runs_strassen (const gpumm_product *p, const gpumm_device_properties *device) {
  return choose_base (bases[BASE].family, p, device) != NULL;
}

/* Rows with a number recurse that many times if the sizes allow it, for all of C: for study, tests
 * and measurements. */
#define ROW(name, base, depth, from, tile)                                                         \
  {                                                                                                \
    "strassen", name, ALL_TYPES, 1, 1, 1, 1, 1, ANY_CAPABILITY, from, runs_strassen<base>,         \
        launch_strassen<base, depth>, workspace<base, depth>, 1, tile                              \
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
