/* test_sparse_kernels.c - every kernel of a driver for matrices by compressed rows, plain or in
 * blocks, with each other and with full ones, against the definition.
 *
 *   test_sparse_kernels LIBRARY spgemm|blocks|integers [edges=1] [random=200] [special=60]
 *                       [exact=100] [cancel=1] [large=1] [types=sdcz] [kernel=] [seed=1]
 *
 * spgemm    sparse by sparse: pattern and bits must be those of a sum in order, each operation
 *           rounded by itself, so that what cancels in Octave's * cancels in a kernel
 * blocks    floating-point blocks with each other, and products with a full operand
 * integers  blocks of integers, saturated once
 * edges     of the cases in tables run one in so many (0: none); types: of these, by BLAS letter
 * random    so many random cases; of blocks also `special` with NaN and Inf, whose places are
 *           compared, and `exact` of small integers, without rounding in any kernel
 * cancel    0: no edges of spgemm whose products all cancel, but not in fused multiply-adds
 * large     0: no cases that take the host device long
 * kernel    only rows whose name begins so
 *
 * Each product runs three times, on the host device with threads forwards, backwards and shuffled:
 * whole; in pieces; and rows in its middle in pieces for which the workspace was prepared once. The
 * bits must be the same, and memory that was not asked for stays as it was. Exits with 77 when the
 * driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sparse_runs.h"

static struct {
  long edges, random, special, exact, cancel, large, seed;
  const char *types;
} options = {1, 200, 60, 100, 1, 1, 1, "sdcz"};

/* Of the tables. */
static void run_edge (const test *t) {
  if (options.edges > 0 && below (options.edges) == 0)
    run_test (t);
}

/* ---- sparse by sparse --------------------------------------------------------------------- */

static test sparse_test (gpumm_type type, int64_t m, int64_t k, int64_t n, int cancels) {
  test t = block_test (type, m, k * (cancels ? 2 : 1), n, 1, 1, 1);
  t.ordered = 1;
  t.cancels = cancels;
  return t;
}

/* Rows of A that make so many products, around the limits of bins. B's rows have one element each,
 * or 8, and some of the columns are the same. */
static void run_limits (gpumm_type type, int64_t length_b, int64_t n, int cancels) {
  static const int64_t products[] = {
      0,   1,   2,   7,   8,   9,   31,   32,   33,   63,   64,   65,   127,   128,   129,   255,
      256, 257, 511, 512, 513, 520, 1023, 1200, 2047, 3071, 3073, 4096, 16383, 16384, 16385, 20000};
  enum { ROWS = sizeof products / sizeof *products };
  int64_t lengths[ROWS] = {0};
  for (int64_t i = 0; i < ROWS; i++)
    if (!set_order || products[i] <= 1200) /* the host device's kernel has no bins */
      lengths[i] = products[i] / length_b / (cancels ? 2 : 1);
  test t = sparse_test (type, ROWS, 20008, n, cancels);
  t.alpha.re = -2;
  t.values = length_b == 1 ? WHOLE : ANY;
  t.a = (shape){EXACTLY, 1, 1, lengths};
  t.b = (shape){EXACTLY, length_b, 1, NULL};
  run_edge (&t);
}

static void run_sparse_edges (gpumm_type type, int cancels) {
  static const struct {
    int64_t m, k, n, each_a, together_a, each_b, together_b;
    int large;
  } edges[] = {
      {0, 0, 0, 0, 1, 0, 1, 0},
      {3, 0, 5, 0, 1, 0, 1, 0},
      {1, 1, 1, 1, 1, 1, 1, 0},
      {70, 40, 50, 0, 1, 0, 1, 0}, /* no elements in A, in B, in both */
      {70, 40, 50, 0, 1, 3, 1, 0},
      {70, 40, 50, 3, 1, 0, 1, 0},
      {1, 300, 500, 300, 1, 5, 1, 0},
      {500, 300, 1, 7, 1, 1, 1, 0},
      {80, 1, 90, 1, 1, 90, 1, 0},   /* an outer product */
      {40, 37, 41, 37, 1, 41, 1, 0}, /* full */
      {9, 130, 140, 130, 1, 140, 1, 0},
      {90, 90, 120, 27, 3, 30, 3, 0}, /* rows alike in threes and twos */
      {90, 90, 300, 36, 2, 40, 2, 0},
      {50, 200, 300, 66, 3, 40, 2, 0},
      {14, 7, 73, 7, 1, 73, 1, 0},   /* 511 products, as short rows */
      {14, 16, 32, 16, 1, 32, 1, 0}, /* 512, as long ones */
      {15, 40, 60, 20, 2, 30, 2, 0},
      {25, 40, 60, 20, 3, 30, 3, 0},
      {60, 400, 60000, 30, 3, 40, 1, 0},
      {50, 64, 300, 30, 50, 40, 64, 0}, /* all rows alike */
      {60, 400, 1 << 20, 50, 1, 40, 1, 1},
      {60, 400, 1 << 20, 60, 3, 50, 3, 1},
      {60, 400, 1 << 20, 30, 3, 20, 3, 1},
      {12, 2000, 40000, 300, 1, 400, 1, 1}, /* rows of 10^5 products */
      {6, 300, 300000, 100, 3, 3000, 3, 1},
  };
  for (size_t x = 0; x < sizeof edges / sizeof *edges; x++) {
    test t = sparse_test (type, edges[x].m, edges[x].k, edges[x].n, cancels);
    t.a = (shape){EXACTLY, edges[x].each_a, edges[x].together_a, NULL};
    t.b = (shape){EXACTLY, edges[x].each_b, edges[x].together_b, NULL};
    if (options.large || !edges[x].large)
      run_edge (&t);
  }
  run_limits (type, 1, 5000, cancels);
  run_limits (type, 8, 5000, cancels);
  if (options.large)
    run_limits (type, 8, 1 << 28, cancels); /* keys of 64 bits, many windows */
}

/* Rows of very different lengths: many empty, most short, a few long. */
static void run_random_sparse (void) {
  const int64_t m = below (120), k = 1 + below (150), n = 1 + below (below (4) ? 200 : 200000);
  const int64_t hubs = below (4);
  test t = sparse_test (below (2) ? GPUMM_D : GPUMM_Z, m, k, n, below (4) == 0);
  int64_t *la = check_allocate (m, sizeof *la), *lb = check_allocate (t.k, sizeof *lb);
  t.alpha.re = below (3) ? 1 : -0.75;
  t.values = below (2) ? WHOLE : ANY;
  if (t.type == GPUMM_Z) {
    t.alpha.im = below (3) ? 0 : 0.5;
    t.real = (int) below (4);
  }
  for (int64_t i = 0; i < m; i++)
    la[i] = below (20) < hubs ? below (k + 1) : below (3) ? below (9) : 0;
  for (int64_t i = 0; i < t.k; i++)
    lb[i] = below (20) < hubs ? below (n < 600 ? n + 1 : 600) : below (3) ? below (17) : 0;
  t.a = (shape){EXACTLY, 0, below (2), la};
  t.b = (shape){EXACTLY, 0, below (2), lb};
  run_test (&t);
  free (la);
  free (lb);
}

static void run_spgemm (void) {
  for (int type = GPUMM_D; type <= GPUMM_Z; type += GPUMM_Z - GPUMM_D)
    for (int cancels = 0; cancels <= options.cancel; cancels++)
      if (strchr (options.types, type_letters[type]))
        run_sparse_edges ((gpumm_type) type, cancels);
  for (long i = 0; i < options.random; i++)
    run_random_sparse ();
}

/* ---- floating-point blocks ---------------------------------------------------------------- */

/* Patterns and sizes at the limits of bitmaps, lists, masks, groups, tiles and panels. blocks: one
 * after another, 8 (of 8 x 8, all three) or 28:20:26 (28 x 20 by 20 x 26). */
static const struct block_edge {
  pattern a, b;
  int64_t m, k, n, each_a, each_b;
  const char *blocks;
  int large; /* 2: in double and on a GPU only */
} block_edges[] = {
    {EMPTY, FULL, 5, 4, 6, 1, 1, "3", 0}, /* nothing in C */
    {FULL, EMPTY, 5, 4, 6, 1, 1, "3", 0},
    {FULL, FULL, 0, 4, 3, 1, 1, "2", 0}, /* no rows, no inner size, no columns */
    {FULL, FULL, 3, 0, 4, 1, 1, "2", 0},
    {FULL, FULL, 3, 4, 0, 1, 1, "2", 0},
    {FULL, FULL, 1, 1, 1, 1, 1, "1 64", 0},
    {FULL, FULL, 2, 2, 2, 1, 1, "64", 0},
    {FULL, FULL, 1, 2, 2, 1, 1, "65:66:67", 0}, /* beyond a tile */
    {FULL, FULL, 2, 3, 2, 1, 1, "48 45 33:7:47 8:64:8 64:8:24 100:16:20", 0},
    {FULL, FULL, 1, 3, 300, 1, 1, "1:2:1", 0}, /* one row, one column */
    {FULL, FULL, 300, 3, 1, 1, 1, "1:2:1", 0},
    {BANDED, BANDED, 40, 40, 40, 6, 6, "3", 0}, /* as of finite elements */
    {HUBS, HUBS, 60, 60, 60, 4, 4, "2", 0},
    {FULL, FULL, 2, 31, 33, 1, 1, "2", 0}, /* words of masks */
    {FULL, FULL, 2, 32, 33, 1, 1, "2", 0},
    {FULL, FULL, 2, 33, 31, 1, 1, "2 9", 0},
    {FULL, SCATTERED, 2, 256, 300, 1, 5, "1", 1}, /* entries of a row at one time */
    {FULL, SCATTERED, 2, 257, 300, 1, 5, "1", 1},
    {FULL, SCATTERED, 2, 600, 40, 1, 2, "8", 1},
    {FULL, FULL, 2, 2, 511, 1, 1, "2", 1}, /* blocks and products of a run */
    {FULL, FULL, 2, 2, 513, 1, 1, "2", 1},
    {FULL, FULL, 2, 3, 512, 1, 1, "2", 1},
    {FULL, FULL, 2, 3, 1500, 1, 1, "8", 1},
    /* for most blocks of C one product: lists that are longer than rings, rows of A in parts, and
     * the tiles of larger blocks */
    {SCATTERED, SCATTERED, 3, 100, 700, 8, 9, "7 12 28:20:26 46:48:34 63:49:61 64", 2},
    {SCATTERED, SCATTERED, 3, 400, 3000, 30, 20, "9", 2},
    {SCATTERED, SCATTERED, 57, 150, 1500, 8, 9, "26 31 36 45 50 51", 2},
    /* each side that has a kernel of its own; rows of few blocks, and rows longer than lists */
    {SCATTERED, SCATTERED, 120, 40, 4000, 3, 9, "7 8 9 10 11 12", 2},
    {SCATTERED, SCATTERED, 200, 30, 40, 1, 1, "9", 2},
    {SCATTERED, SCATTERED, 3000, 400, 60000, 2, 2, "8", 2},
    {SCATTERED, SCATTERED, 32, 150, 100000, 30, 100, "9", 2},
    {HUBS, SCATTERED, 90, 40, 20000, 6, 50, "9", 2},
    /* many products for each block of C, with A's row in parts */
    {FULL, SCATTERED, 1, 300, 12, 1, 5, "26", 2},
    {FULL, SCATTERED, 2, 600, 12, 1, 3, "35", 2},
    {FULL, SCATTERED, 1, 300, 12, 1, 3, "64", 2},
    {SCATTERED, SCATTERED, 3, 300, 400000, 20, 40, "2", 1}, /* windows of the bitmap */
    {SCATTERED, SCATTERED, 2, 50, 131072, 20, 40, "1", 1},
    {SCATTERED, SCATTERED, 2, 50, 131073, 20, 40, "1", 1},
};
static const struct full_edge { /* op (A) is by rows: m x k in blocks */
  pattern pattern;
  int64_t m, k, n, bm, bk, each;
  int large;
} full_edges[] = {
    {EMPTY, 5, 4, 6, 1, 1, 1, 0},         {FULL, 0, 4, 6, 1, 1, 1, 0},
    {FULL, 4, 0, 6, 1, 1, 1, 0},          {FULL, 4, 6, 0, 1, 1, 1, 0},
    {FULL, 1, 1, 1, 1, 1, 1, 0},          {SCATTERED, 33, 40, 1, 1, 1, 9, 0},
    {SCATTERED, 31, 40, 2, 1, 1, 9, 0},   {SCATTERED, 32, 40, 3, 1, 1, 9, 0},
    {SCATTERED, 65, 40, 8, 1, 1, 9, 0},   {SCATTERED, 33, 40, 9, 1, 1, 9, 0},
    {SCATTERED, 33, 40, 16, 1, 1, 9, 0},  {SCATTERED, 33, 40, 17, 1, 1, 9, 0},
    {HUBS, 50, 50, 40, 1, 1, 4, 0},       {FULL, 3, 700, 5, 1, 1, 1, 0},
    {FULL, 700, 3, 5, 1, 1, 1, 0},        {FULL, 3, 513, 5, 1, 1, 1, 0},
    {SCATTERED, 5000, 40, 3, 1, 1, 2, 1}, {SCATTERED, 40, 4097, 3, 1, 1, 30, 1},
    {FULL, 2, 140000, 1, 1, 1, 1000, 1},  {SCATTERED, 9, 9, 17, 2, 3, 4, 0},
    {FULL, 1, 2048, 1, 1, 1, 1, 0},       {FULL, 3, 6000, 1, 1, 1, 1, 0}, /* tiles of 2048 */
    {FULL, 20, 300, 2, 1, 1, 1, 0},       {FULL, 2100, 2, 1, 1, 1, 1, 0},
    {HUBS, 600, 600, 1, 1, 1, 4, 0},      {HUBS, 400, 300, 2, 1, 1, 9, 0},
    {SCATTERED, 2500, 40, 1, 1, 1, 3, 0}, {SCATTERED, 60, 400, 2, 1, 1, 65, 0},
    {SCATTERED, 17, 9, 17, 3, 3, 4, 0},   {SCATTERED, 16, 9, 33, 4, 4, 4, 0},
    {SCATTERED, 9, 9, 17, 5, 2, 4, 0},    {SCATTERED, 9, 9, 17, 8, 8, 4, 0},
    {SCATTERED, 9, 9, 17, 9, 13, 4, 0},   {SCATTERED, 4, 5, 17, 16, 16, 4, 0},
    {SCATTERED, 3, 3, 31, 64, 64, 2, 0},  {FULL, 2, 2, 9, 65, 3, 1, 0},
    {FULL, 2, 2, 9, 1, 7, 1, 0},          {FULL, 2, 520, 9, 2, 2, 1, 1},
};

static void run_block_edge (const struct block_edge *e, int64_t bm, int64_t bk, int64_t bn,
                            int real) {
  for (int type = 0; type < 4; type++) {
    test t = block_test (type, e->m, e->k, e->n, bm, bk, bn);
    t.a = (shape){e->a, e->each_a, 1, NULL};
    t.b = (shape){e->b, e->each_b, 1, NULL};
    t.real = real;
    t.alpha.re = type % 2 ? 1 : -0.5;
    if ((options.large || !e->large) && !(e->large == 2 && (set_order || type != GPUMM_D)))
      run_edge (&t);
  }
}

static void run_block_edges (void) {
  int number_of = 0;
  for (size_t x = 0; x < sizeof block_edges / sizeof *block_edges; x++)
    for (const char *at = block_edges[x].blocks; at; at = strchr (at + 1, ' ')) {
      long long m = 0, k = 0, n = 0;
      if (sscanf (at, "%lld:%lld:%lld", &m, &k, &n) == 1)
        k = n = m;
      run_block_edge (&block_edges[x], m, k, n, number_of++ % 3);
    }
}

/* The same product with op (A) by rows, and with op (B).' */
static void run_full (test t, void (*run) (const test *)) {
  t.full = 'B';
  t.bn = 1;
  run (&t);
  const test of_b = t;
  t.full = 'A';
  t.m = of_b.n;
  t.n = of_b.m;
  t.bn = of_b.bm;
  t.bm = 1;
  t.b = of_b.a;
  run (&t);
}

static void run_full_edges (void) {
  for (size_t x = 0; x < sizeof full_edges / sizeof *full_edges; x++)
    for (int ops = 0; ops < 9; ops++) {
      const struct full_edge *e = &full_edges[x];
      test t = block_test ((int) (x + (size_t) ops) % 4, e->m, e->k, e->n, e->bm, e->bk, 1);
      t.op_a = (gpumm_op) (ops % 3);
      t.op_b = (gpumm_op) (ops / 3);
      t.a = (shape){e->pattern, e->each, 1, NULL};
      t.real = (int) (x % 3);
      t.pad_a = t.pad_b = t.pad_c = ops % 2 ? 3 : 0;
      choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
      if (!e->large || (options.large && (!set_order || ops % 4 == 0)))
        run_full (t, run_edge);
    }
}

static void run_random_blocks (long count, values v) {
  static const int64_t widths[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 23, 24, 25, 32};
  enum { WIDTHS = sizeof widths / sizeof *widths };
  for (long x = 0; x < count; x++) {
    const int64_t bm = widths[below (WIDTHS)], is_square = below (2);
    const int64_t bk = is_square ? bm : widths[below (WIDTHS)];
    const int64_t bn = is_square ? bm : widths[below (WIDTHS)];
    const int64_t most = 2 + 60 / (bm + bk + bn) + below (6);
    test t = block_test ((int) below (4), below (most), below (most), below (most), bm, bk, bn);
    t.values = v;
    t.a = (shape){below (2) ? SCATTERED : (pattern) below (PATTERNS), 1 + below (4), 1, NULL};
    t.b = (shape){below (2) ? SCATTERED : (pattern) below (PATTERNS), 1 + below (4), 1, NULL};
    t.op_a = (gpumm_op) below (3);
    t.op_b = (gpumm_op) below (3);
    t.pad_a = below (3) * below (5);
    t.pad_b = below (3) * below (5);
    t.pad_c = below (3) * below (5);
    t.real = (int) below (3);
    choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
    test blocks = t;
    if (is_zero (t.alpha))
      blocks.alpha.re = 1; /* such a C has no blocks: not a kernel's business */
    blocks.beta = (gpumm_scalar){0, 0};
    run_test (&blocks);
    t.n = t.n * 2 + below (40);
    run_full (t, run_test);
  }
}

static void run_blocks (void) {
  run_block_edges ();
  run_full_edges ();
  run_random_blocks (options.random, ANY);
  run_random_blocks (options.special, SPECIAL);
  run_random_blocks (options.exact, WHOLE);
}

/* ---- blocks of integers ------------------------------------------------------------------- */

/* Square blocks of uint16 with sums in uint32, elements up to high; densities of blocks. */
static test integer_test (int64_t m, int64_t k, int64_t n, int64_t side, double a, double b,
                          wide high) {
  test t = block_test (GPUMM_U16, m, k, n, side, side, side);
  t.output = GPUMM_U32;
  t.a = (shape){a < 1 ? SCATTERED : FULL, (int64_t) (a * (double) k + 0.5), 1, NULL};
  t.b = (shape){b < 1 ? SCATTERED : FULL, (int64_t) (b * (double) n + 0.5), 1, NULL};
  t.high = high;
  return t;
}

/* Sums of about so many products lie about 2^32 with elements up to this. */
static wide threshold (double products) {
  const double high = sqrt (4 * 0x1p32 / (products > 1 ? products : 1));
  return high > 65535 ? 65535 : (wide) high;
}

static void run_integer_edges (void) {
  static const int64_t sizes[][3] = {{1, 1, 1},  {1, 5, 40}, {7, 1, 3},   {40, 33, 1},
                                     {3, 70, 9}, {5, 8, 33}, {9, 100, 20}};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  static const wide highs[] = {1, 255, 256, (1 << 14) - 1, 1 << 14, 65535};
  for (int s = 0; s < SIZES; s++)
    for (int64_t side = 4; side <= 8; side += 4) {
      const int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
      for (int h = 0; h < 6; h++) {
        test t = integer_test (m, k, n, side, 0.5, 0.5, highs[h]);
        t.zeros = h % 3;
        run_edge (&t);
        t.later = highs[(h + s) % 6];
        run_edge (&t);
      }
      for (int full = 0; full < 4; full++) {
        const wide high = threshold ((double) (k * side));
        const test t = integer_test (m, k, n, side, full % 2, full / 2, high);
        run_edge (&t);
      }
      for (int x = SCATTERED; x < PATTERNS; x++) {
        test t = integer_test (m, k, n, side, 0.1, 0.1, 65535);
        t.a.pattern = (pattern) x;
        t.b.pattern = (pattern) ((x + s) % PATTERNS);
        run_edge (&t);
      }
    }
  const test zeros = integer_test (9, 9, 9, 4, 0.5, 0.5, 0);
  run_edge (&zeros);
}

static void run_types (void) {
  for (gpumm_type type = GPUMM_I8; type <= GPUMM_U64; type++)
    for (gpumm_type output = GPUMM_I8; output <= GPUMM_U64; output++)
      for (int small = 0; small < 2; small++) {
        test t = block_test (type, check_between (1, 6), check_between (1, 9), check_between (1, 6),
                             check_between (1, 5), check_between (1, 5), check_between (1, 5));
        t.output = output;
        t.a = (shape){SCATTERED, 4, 1, NULL};
        t.b = (shape){SCATTERED, 3, 1, NULL};
        t.low = small ? -is_signed (type) * 3 : lowest (type);
        t.high = small ? 3 : highest (type);
        t.zeros = small;
        run_test (&t);
      }
}

/* Strips are 512 and 128 blocks wide, tiles 8192 elements, windows 65536 blocks; rows of A beyond
 * 96 blocks; few blocks in each strip, and many. */
static void run_large_integers (void) {
  static const struct {
    int64_t m, k, n, side;
    double density;
  } large[] = {{6, 150, 1100, 4, 0.3},   {6, 300, 600, 8, 0.02},   {3, 40, 2100, 4, 0.5},
               {2100, 9, 5, 4, 0.5},     {1050, 3, 30, 8, 0.7},    {30, 3, 1050, 8, 0.7},
               {2, 30, 70000, 4, 0.001}, {3, 500, 2000, 4, 0.005}, {4, 700, 70, 8, 0.9},
               {9, 100, 17000, 4, 0.01}};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    const double d = large[i].density, met = (double) (large[i].k * large[i].side) * d * d;
    for (int full = 0; full < 2; full++) {
      const test t = integer_test (large[i].m, large[i].k, large[i].n, large[i].side, d, d,
                                   full ? 65535 : threshold (met));
      run_test (&t);
    }
  }
}

static void run_random_integers (void) {
  const int64_t m = check_between (1, 40), k = check_between (1, 60), n = check_between (1, 150);
  const int64_t side = below (2) ? 4 : 8;
  const double a = check_uniform () + 0.5, b = check_uniform () + 0.5;
  const wide high = below (2) ? threshold ((double) (k * side) * a * b) : (wide) 1 << below (16);
  test t = integer_test (m, k, n, side, a, b, high);
  if (below (2))
    t.a.pattern = (pattern) below (PATTERNS);
  if (below (2))
    t.b.pattern = (pattern) below (PATTERNS);
  t.zeros = (int) below (4);
  t.later = below (2) ? (wide) 1 << below (16) : 0;
  run_test (&t);
}

static void run_integers (void) {
  run_integer_edges ();
  run_types ();
  if (options.large)
    run_large_integers ();
  for (long i = 0; i < options.random; i++)
    run_random_integers ();
}

/* ---- main --------------------------------------------------------------------------------- */

static void check_table (void) {
  int bsr = 0, rows = 0;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *k = *row;
    report (k->algorithm && k->name && k->launch && k->runs, "a row lacks what all have");
    for (const gpumm_sparse_kernel *const *other = driver->sparse_kernels; other != row; other++)
      report (strcmp ((*other)->name, k->name) != 0, "two rows of the name %s", k->name);
    rows += is_of_set (k->algorithm);
    bsr += strcmp (k->algorithm, "bsr") == 0;
  }
  report (rows > (set == BLOCKS ? bsr : 0) && bsr > 0, "an algorithm has no kernel");
}

int main (int count, char **arguments) {
  static const char *const names[SETS] = {"spgemm", "blocks", "integers"};
  const option known[] = {{.name = "edges", .number = &options.edges},
                          {.name = "random", .number = &options.random},
                          {.name = "special", .number = &options.special},
                          {.name = "exact", .number = &options.exact},
                          {.name = "cancel", .number = &options.cancel},
                          {.name = "large", .number = &options.large},
                          {.name = "types", .text = &options.types},
                          {.name = "kernel", .text = &chosen_kernel},
                          {.name = "seed", .number = &options.seed},
                          {.name = NULL}};
  for (set = SPGEMM; count > 2 && set < SETS && strcmp (names[set], arguments[2]) != 0;)
    set++;
  const int status = open_tests (
      set < SETS ? count : 0, arguments, 3, known,
      "test_sparse_kernels LIBRARY spgemm|blocks|integers [edges=1] [random=200] [special=60] "
      "[exact=100] [cancel=1] [large=1] [types=sdcz] [kernel=] [seed=1]");
  if (status)
    return status;
  find_function (driver_library, "gpumm_host_set_order", &set_order);
  begin_tests (options.seed);
  check_table ();
  if (set == SPGEMM)
    run_spgemm ();
  else if (set == BLOCKS)
    run_blocks ();
  else
    run_integers ();
  close_driver ();
  return check_done ();
}
