/* products.h - what is promised of products on the CPU and on the host device: one table.
 *
 * A row stands for products of these formats and types with every pair of ops, at its sizes and at
 * drawn ones. It says which algorithm and kernel run, the type of C, and how near to the oracle its
 * elements are. check_cell () checks what holds of all rows: sizes and format of C; of a compressed
 * C the number of entries that gpumm_result foretells, and that none is zero; the operations
 * counted; that nothing is written between columns, and nothing read where alpha or beta is 0.
 *
 * The row "*" has every algorithm for full matrices. Other algorithms need a row of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_PRODUCTS_H
#define GPUMM_TESTS_PRODUCTS_H

#include "operands.h"

/* ---- sizes -------------------------------------------------------------------------------- */

/* C is m x n blocks of block_m x block_n, with k blocks of block_k between; 0: no blocks. -x:
 * drawn, up to x. percent: of the entries of A and B that are stored; 0: drawn. */
typedef struct {
  int64_t m, n, k, block_m, block_n, block_k;
  int percent_a, percent_b;
} shape;

#define FULL(m, n, k)                                                                              \
  { m, n, k, 0, 0, 0, 0, 0 }
#define BLOCKS(m, n, k, block_m, block_n, block_k)                                                 \
  { m, n, k, block_m, block_n, block_k, 0, 0 }

static const shape full_shapes[] = {
    FULL (0, 0, 0),    FULL (0, 3, 2),   FULL (3, 0, 2),   FULL (3, 2, 0),   FULL (1, 1, 1),
    FULL (1, 1, 9),    FULL (1, 7, 5),   FULL (7, 1, 5),   FULL (2, 3, 4),   FULL (17, 16, 15),
    FULL (33, 31, 40), FULL (30, 30, 2), FULL (30, 30, 3), FULL (64, 65, 5), FULL (-40, -40, -60)};

static const shape drawn_shapes[] = {FULL (-65, -65, -65)};

/* k around the steps in which 32-bit sums are widened; several tiles and threads. */
static const shape long_sums[] = {FULL (-5, -5, 1023), FULL (-5, -5, 1024), FULL (-5, -5, 1025),
                                  FULL (-5, -5, 2048), FULL (-5, -5, 2049), FULL (-5, -5, 5000)};
static const shape many_tiles[] = {FULL (270, 65, 40), FULL (65, 270, 40), FULL (130, 131, 33),
                                   FULL (1, 600, 70)};

/* A complex by a real matrix in panels of the BLAS: 256 columns of A or B, and the rest. */
static const shape panels_of_blas[] = {FULL (260, 2, 1100), FULL (2, 260, 1100),
                                       FULL (1100, 260, 2)};

/* On a device: the real matrix far larger than the complex one, and not. */
static const shape few_complex[] = {FULL (40, 2, 60), FULL (2, 40, 60), FULL (70, 1, 30),
                                    FULL (1, 70, 30), FULL (20, 20, 30)};

static const shape sparse_shapes[] = {FULL (-130, -130, -130)};

/* Work for several threads and pieces: thin and full columns, tall and wide, a vector by a
 * matrix. */
static const shape large_sparse[] = {
    {2000, 1500, 2000, 0, 0, 0, 1, 1}, {200, 150, 180, 0, 0, 0, 40, 30},
    {20000, 20, 30, 0, 0, 0, 2, 20},   {4000, 400, 30, 0, 0, 0, 1, 10},
    {40000, 1, 30, 0, 0, 0, 50, 100},  {1, 40000, 30, 0, 0, 0, 100, 50},
    {400, 4000, 100, 0, 0, 0, 8, 20}};
static const shape large_mixed[] = {
    {300, 300, 2000, 0, 0, 0, 1, 1},  {200, 150, 180, 0, 0, 0, 40, 30},
    {20000, 20, 30, 0, 0, 0, 2, 20},  {4000, 400, 30, 0, 0, 0, 1, 10},
    {40000, 1, 30, 0, 0, 0, 50, 100}, {1, 40000, 30, 0, 0, 0, 100, 50},
    {300, 300, 100, 0, 0, 0, 8, 20}};
static const shape sparse_pieces[] = {{900, 900, 900, 0, 0, 0, 3, 4}};

/* Sparse matrices in natural blocks. */
static const shape natural_shapes[] = {
    BLOCKS (-12, -12, -12, 2, 2, 2), BLOCKS (-12, -12, -12, 3, 3, 3),
    BLOCKS (-12, -12, -12, 4, 4, 4), BLOCKS (-12, -12, -12, 6, 6, 6),
    BLOCKS (-12, -12, -12, 8, 8, 8)};
static const shape natural_by_full[] = {
    BLOCKS (-9, 5, -40, 2, 1, 2),   BLOCKS (-9, -80, -40, 2, 1, 2), BLOCKS (-9, -80, -40, 3, 1, 3),
    BLOCKS (-9, -80, -40, 4, 1, 4), BLOCKS (-9, -80, -40, 6, 1, 6), BLOCKS (-9, -80, -40, 8, 1, 8)};
static const shape full_by_natural[] = {
    BLOCKS (5, -9, -40, 1, 2, 2),   BLOCKS (-80, -9, -40, 1, 2, 2), BLOCKS (-80, -9, -40, 1, 3, 3),
    BLOCKS (-80, -9, -40, 1, 4, 4), BLOCKS (-80, -9, -40, 1, 6, 6), BLOCKS (-80, -9, -40, 1, 8, 8)};
static const shape large_natural[] = {{70, 70, 70, 2, 2, 2, 40, 40},
                                      {70, 70, 70, 3, 3, 3, 40, 40},
                                      {70, 70, 70, 4, 4, 4, 40, 40},
                                      {70, 70, 70, 6, 6, 6, 40, 40},
                                      {70, 70, 70, 8, 8, 8, 40, 40}};

static const shape block_shapes[] = {
    BLOCKS (3, 5, 4, 1, 1, 1),         BLOCKS (3, 5, 4, 2, 2, 2),
    BLOCKS (3, 5, 4, 3, 3, 3),         BLOCKS (3, 5, 4, 4, 4, 4),
    BLOCKS (3, 5, 4, 5, 5, 5),         BLOCKS (3, 5, 4, 6, 6, 6),
    BLOCKS (3, 5, 4, 7, 7, 7),         BLOCKS (3, 5, 4, 8, 8, 8),
    BLOCKS (3, 5, 4, 9, 9, 9),         BLOCKS (3, 5, 4, 4, 4, 8),
    BLOCKS (3, 5, 4, 8, 2, 4),         BLOCKS (3, 5, 4, 1, 9, 4),
    BLOCKS (3, 5, 4, 3, 5, 1),         BLOCKS (3, 5, 4, 2, 1, 7),
    BLOCKS (0, 2, 3, 2, 4, 3),         BLOCKS (2, 3, 0, 2, 4, 3),
    BLOCKS (3, 0, 2, 2, 4, 3),         BLOCKS (0, 0, 0, 2, 4, 3),
    BLOCKS (1, 1, 1, 2, 4, 3),         BLOCKS (1, 1, 9, 2, 4, 3),
    BLOCKS (9, 9, 1, 2, 4, 3),         BLOCKS (-12, -12, -12, -9, -9, -9),
    BLOCKS (-12, 150, -12, -9, -9, -9)};
static const shape large_blocks[] = {
    BLOCKS (-3, -3, -3, -16, -16, -16), BLOCKS (-2, -2, -2, -64, -64, -64),
    BLOCKS (-6, -6, -6, -9, -9, -9),    BLOCKS (-3, -3, -3, 16, 16, 16),
    BLOCKS (-6, -6, -6, 8, 8, 8),       BLOCKS (-2, -2, -2, 32, 32, 32),
    BLOCKS (-12, -12, -12, 2, 1, 1),    BLOCKS (-12, -12, -12, 1, 1, 1)};
static const shape many_blocks[] = {BLOCKS (-40, -60, -9, -6, -6, -6)};
static const shape classic_shapes[] = {BLOCKS (-40, -60, -9, 4, 4, 4),
                                       BLOCKS (-40, -60, -9, 8, 8, 8)};

/* C, or the full matrix, larger than the memory of the row; A that comes in pieces. */
static const shape integer_pieces[] = {{700, 700, 2, 2, 2, 1, 100, 100}};
static const shape float_pieces[] = {{350, 350, 2, 3, 3, 1, 100, 100}};
static const shape pieces_of_a[] = {{1024, 3, 160, 4, 4, 4, 60, 60}};
static const shape float_pieces_of_a[] = {{700, 100, 20, 4, 4, 4, 60, 60}};
static const shape full_pieces[] = {{12, 10000, 12, 5, 1, 5, 40, 40}};
static const shape turned_full_pieces[] = {{10000, 12, 12, 1, 5, 5, 40, 40}};

/* The full matrix in two panels, of 32 MiB and the rest. */
static const shape full_panels[] = {{3, 110, 4000, 4, 1, 5, 20, 0}};
static const shape turned_full_panels[] = {{110, 3, 4000, 1, 4, 5, 0, 20}};

/* ---- rows --------------------------------------------------------------------------------- */

enum { ALL_OPS, NO_OPS, DRAWN_OPS }; /* nine pairs; none; one pair a product */
enum { ALPHA = 1, BETA = 2 };        /* are drawn, often 0 or 1 */

typedef struct {
  const char *algorithm; /* NULL: "auto", on the CPU; "*": every one that takes the operands */
  const char *formats;   /* of A, B and C: f full, s sparse, b in blocks */
  const char *types;     /* of A, B and C; *: each that integers may become; +: each of integers */
  const char *kernel;    /* begins with this; NULL: see test_job.c and test_plan.c */
  const shape *shapes;
  int shape_count;
  int ops, scalars;
  const char *values; /* a any, w whole, s special; e c h d p: of integers, values_of () */
  bound within;
  int cells;      /* products of each three types and pair of ops */
  int64_t memory; /* MaxDeviceMemory */
  int relates;    /* B lies in every way beside A or in it (relations) */
} row;

#define SHAPES(list)   list, sizeof (list) / sizeof *(list)
#define FLOATS         "sss ddd ccc zzz "
#define MIXED_FLOATS   "scc csc dzz zdz "
#define INTEGERS_TO(c) "ii" c " jj" c " kk" c " ll" c " pp" c " qq" c " rr" c " uu" c " "
#define INTEGERS       INTEGERS_TO ("*")
#define SPARSE_BY_FULL "ddd dzz zzz zdz bdd bzz "
#define FULL_BY_SPARSE "ddd dzz zzz zdz dbd zbz "
#define SPARSE_TYPES   "ddd dzz zzz zdz bdd bzz dbd zbz bbd "

static const row products[] = {
    /* full matrices: BLAS, plain loops, then every algorithm with operands that share memory */
    {NULL, "fff", FLOATS MIXED_FLOATS, NULL, SHAPES (full_shapes), ALL_OPS, ALPHA | BETA, "aas",
     ROUNDED, 60, 0, 0},
    {NULL, "fff", "dzz zdz", NULL, SHAPES (panels_of_blas), ALL_OPS, ALPHA | BETA, "a", ROUNDED, 3,
     0, 0},
    {"loops", "fff", FLOATS MIXED_FLOATS, NULL, SHAPES (full_shapes), ALL_OPS, ALPHA | BETA, "a",
     ROUNDED, 60, 0, 0},
    {"tiled", "fff", MIXED_FLOATS, "tiled", SHAPES (few_complex), ALL_OPS, ALPHA | BETA, "a",
     ROUNDED, 10, 0, 0},
    {"*", "fff", FLOATS "kkk ", NULL, SHAPES (drawn_shapes), ALL_OPS, ALPHA | BETA, "w", EXACT, 16,
     0, 1},
    {"tiled_8", "fff", FLOATS, "tiled_8", SHAPES (drawn_shapes), ALL_OPS, ALPHA | BETA, "w", EXACT,
     16, 40000, 1},

    /* integers: exact, then saturated or rounded once */
    {"integers", "fff", INTEGERS, "int", SHAPES (drawn_shapes), ALL_OPS, 0, "awehdpc", EXACT, 70, 0,
     0},
    {"integers", "fff", INTEGERS, "int", SHAPES (long_sums), DRAWN_OPS, 0, "awehdpc", EXACT, 42, 0,
     0},
    {"integers", "fff", "iii jjj ppp qqq", "int64", SHAPES (many_tiles), DRAWN_OPS, 0, "ah", EXACT,
     4, 0, 0},
    {"integers", "fff", "kkk rrr", "int128", SHAPES (many_tiles), DRAWN_OPS, 0, "ah", EXACT, 4, 0,
     0},
    {"integers", "fff", "lll uuu", "int192", SHAPES (many_tiles), DRAWN_OPS, 0, "ah", EXACT, 4, 0,
     0},

    /* sparse matrices: the pattern of C is that of the sums that are not zero */
    {"sparse", "sss", SPARSE_TYPES, "gustavson", SHAPES (sparse_shapes), ALL_OPS, ALPHA, "aws",
     EXACT, 9, 0, 0},
    {"spgemm", "sss", SPARSE_TYPES, "spgemm_merge", SHAPES (sparse_shapes), ALL_OPS, ALPHA, "aws",
     ROUNDED, 9, 0, 0},
    {"sparse_as_full", "sss", SPARSE_TYPES, NULL, SHAPES (sparse_shapes), ALL_OPS, ALPHA, "aw",
     EXACT, 6, 0, 0},
    {"sparse", "sff", SPARSE_BY_FULL, "sparse_full", SHAPES (sparse_shapes), ALL_OPS, ALPHA | BETA,
     "aws", EXACT, 9, 0, 0},
    {"sparse", "fsf", FULL_BY_SPARSE, "full_sparse", SHAPES (sparse_shapes), ALL_OPS, ALPHA | BETA,
     "aws", EXACT, 9, 0, 0},
    {"spmm", "sff", SPARSE_BY_FULL, "spmm", SHAPES (sparse_shapes), ALL_OPS, ALPHA | BETA, "aws",
     ROUNDED, 9, 0, 0},
    {"spmm", "fsf", FULL_BY_SPARSE, "spmm", SHAPES (sparse_shapes), ALL_OPS, ALPHA | BETA, "aws",
     ROUNDED, 9, 0, 0},
    /* two operands of one set of arrays, whole or the first columns of one */
    {"sparse", "sss", "zzz", "gustavson", SHAPES (drawn_shapes), ALL_OPS, 0, "w", EXACT, 6, 0, 1},
    {"spgemm", "sss", "zzz", "spgemm", SHAPES (drawn_shapes), ALL_OPS, 0, "w", EXACT, 6, 0, 1},
    {"sparse_as_full", "sss", "zzz", NULL, SHAPES (drawn_shapes), ALL_OPS, 0, "w", EXACT, 6, 0, 1},
    /* several threads and pieces; limits leave room for three buffers, two, one */
    {"sparse", "sss", "ddd zdz", "gustavson", SHAPES (large_sparse), DRAWN_OPS, 0, "aw", EXACT, 7,
     0, 0},
    {"sparse", "sff", "ddd zdz", "sparse_full", SHAPES (large_mixed), DRAWN_OPS, 0, "aw", EXACT, 7,
     0, 0},
    {"sparse", "fsf", "ddd zdz", "full_sparse", SHAPES (large_mixed), DRAWN_OPS, 0, "aw", EXACT, 7,
     0, 0},
    {"spmm", "sff", "ddd zdz", "spmm", SHAPES (large_mixed), DRAWN_OPS, 0, "aw", ROUNDED, 7,
     64 << 20, 0},
    {"spmm", "fsf", "ddd zdz", "spmm", SHAPES (large_mixed), DRAWN_OPS, 0, "aw", ROUNDED, 7,
     64 << 20, 0},
    {"spgemm", "sss", "zdz", "spgemm", SHAPES (sparse_pieces), NO_OPS, ALPHA, "w", EXACT, 1, 0, 0},
    {"spgemm", "sss", "zdz", "spgemm", SHAPES (sparse_pieces), NO_OPS, 0, "w", EXACT, 1, 16 << 20,
     0},
    {"spgemm", "sss", "zdz", "spgemm", SHAPES (sparse_pieces), NO_OPS, 0, "w", EXACT, 1, 9 << 20,
     0},
    {"spgemm", "sss", "zdz", "spgemm", SHAPES (sparse_pieces), NO_OPS, 0, "w", EXACT, 1, 5 << 20,
     0},
    /* natural blocks: the bits of plain sums in ascending order */
    {"sparse", "sss", SPARSE_TYPES, "gustavson", SHAPES (natural_shapes), ALL_OPS, 0, "aw", ORDERED,
     10, 0, 0},
    {"sparse", "sss", "ddd", "gustavson_", SHAPES (large_natural), NO_OPS, 0, "w", ORDERED, 5, 0,
     0},
    {"sparse", "sff", "ddd bdd zzz", "sparse_full", SHAPES (natural_by_full), ALL_OPS, 0, "aw",
     ORDERED, 6, 0, 0},
    {"sparse", "fsf", "ddd dbd zzz", "full_sparse", SHAPES (full_by_natural), ALL_OPS, 0, "aw",
     ORDERED, 6, 0, 0},

    /* matrices in blocks: no block of C is zero */
    {"blocks", "bbb", FLOATS MIXED_FLOATS, "blocks_blocks", SHAPES (block_shapes), ALL_OPS, 0,
     "aws", EXACT, 69, 0, 0},
    {"blocks", "bbb", INTEGERS, "blocks_blocks", SHAPES (block_shapes), ALL_OPS, 0, "awe", EXACT,
     23, 0, 0},
    {"blocks", "bbf", FLOATS MIXED_FLOATS INTEGERS, "blocks_blocks", SHAPES (block_shapes),
     DRAWN_OPS, 0, "aw", ROUNDED, 46, 0, 0},
    {"blocks", "bbb", "zzz qqr", "blocks_blocks", SHAPES (drawn_shapes), ALL_OPS, 0, "w", EXACT, 4,
     0, 1},
    {"blocks", "bff", FLOATS MIXED_FLOATS INTEGERS, "blocks_full", SHAPES (block_shapes), DRAWN_OPS,
     0, "aw", ROUNDED, 69, 0, 0},
    {"blocks", "fbf", FLOATS MIXED_FLOATS INTEGERS, "full_blocks", SHAPES (block_shapes), DRAWN_OPS,
     0, "aw", ROUNDED, 69, 0, 0},
    {"blocks", "bff", "zzz", "blocks_full", SHAPES (full_panels), DRAWN_OPS, 0, "w", EXACT, 1, 0,
     0},
    {"blocks", "fbf", "zzz", "full_blocks", SHAPES (turned_full_panels), DRAWN_OPS, 0, "w", EXACT,
     1, 0, 0},
    {"bsr", "bbb", FLOATS MIXED_FLOATS, "bsr", SHAPES (large_blocks), ALL_OPS, 0, "aws", ROUNDED, 8,
     0, 0},
    {"bsr", "bbb", FLOATS MIXED_FLOATS, "bsr", SHAPES (large_blocks), DRAWN_OPS, 0, "aw", ROUNDED,
     8, 64 << 20, 0},
    {"spmm", "bff", FLOATS MIXED_FLOATS, "spmm", SHAPES (large_blocks), ALL_OPS, 0, "aws", ROUNDED,
     8, 0, 0},
    {"spmm", "fbf", FLOATS MIXED_FLOATS, "spmm", SHAPES (large_blocks), ALL_OPS, 0, "aw", ROUNDED,
     8, 64 << 20, 0},
    {"bsr_integer", "bbb", INTEGERS_TO ("+"), "blocks_", SHAPES (many_blocks), NO_OPS, 0, "awe",
     EXACT, 8, 64 << 20, 0},
    {"classic", "bbb", "qqr", "classic", SHAPES (classic_shapes), NO_OPS, 0, "aw", EXACT, 16, 0, 0},
    {"bsr", "bbb", "ddd", "bsr", SHAPES (drawn_shapes), ALL_OPS, 0, "w", EXACT, 4, 0, 1},
    {"bsr_integer", "bbb", "qqr", "blocks_", SHAPES (drawn_shapes), NO_OPS, 0, "w", EXACT, 4, 0, 1},
    {"bsr_integer", "bbb", "ppu", "blocks_", SHAPES (integer_pieces), NO_OPS, 0, "a", EXACT, 1,
     12 << 20, 0},
    {"bsr", "bbb", "ddd", "bsr", SHAPES (float_pieces), DRAWN_OPS, 0, "a", ROUNDED, 3, 14 << 20, 0},
    {"bsr_integer", "bbb", "qqr", "blocks_", SHAPES (pieces_of_a), NO_OPS, 0, "w", EXACT, 1, 0, 0},
    {"bsr", "bbb", "ddd", "bsr", SHAPES (float_pieces_of_a), NO_OPS, 0, "a", ROUNDED, 1, 0, 0},
    {"spmm", "bff", "ddd", "spmm", SHAPES (full_pieces), DRAWN_OPS, 0, "a", ROUNDED, 4, 8 << 20, 0},
    {"spmm", "fbf", "ddd", "spmm", SHAPES (turned_full_pieces), DRAWN_OPS, 0, "a", ROUNDED, 4,
     8 << 20, 0},
};

enum { PRODUCTS = sizeof products / sizeof *products };

#endif
