/* gpumm_arrays.h - arrays that stay on a device: products of pages, and operations entry by
 * entry, for full arrays and for sparse matrices.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_ARRAYS_H
#define GPUMM_GPUMM_ARRAYS_H

#include "gpumm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pages -------------------------------------------------------------------------------- */

/* Many products of full matrices of one size, all in host memory, or all in buffers of one device
 * and of one type; there they are queued on the array stream (below) where the kernel lets them. A
 * page is a matrix without gaps between its columns; the pages of an array follow each other. */
typedef struct gpumm_pages {
  gpumm_matrix a, b;    /* the first page of each array, with its op */
  int dims;             /* page dimensions of the result, may be 0 */
  const int64_t *sizes; /* of the result, by page dimension; 0: no pages */
  const int64_t *steps_a,
      *steps_b; /* pages of A and B from one to the next along each; 0: the same */
} gpumm_pages;

/* The result without its memory, as one matrix: its pages beside each other. Checks the problem. */
GPUMM_API gpumm_status gpumm_pages_result (const gpumm_pages *pages, gpumm_matrix *shape);

/* Computes into result, which has this shape and memory of the caller's outside the bytes from the
 * first to the last page of A and of B: each page is the product of a page of A and a page of B.
 * options may be NULL. Runs as a job does: it can be cancelled, and after a failure the values are
 * undefined. */
GPUMM_API gpumm_status gpumm_pages_run (const gpumm_pages *pages, const gpumm_options *options,
                                        gpumm_matrix *result);

/* ---- arrays on a device, entry by entry ------------------------------------------------------ */

/* Full arrays in buffers of one device. The functions below check their arguments, queue the work
 * on the device's array stream and return. Work queued there runs in order. What reads or writes
 * memory of the device in another way (gpumm_copy, products) waits for it first. A failure of
 * queued work is reported by the next of these functions, or by whatever waits. GPUMM_INVALID: an
 * array does not lie in its buffer, an argument is out of range, or what is written overlaps what
 * is read. This is checked of arrays without gaps, and of arrays with the same strides; of others
 * the caller guarantees it. GPUMM_UNSUPPORTED: int64 or uint64 in arithmetic. */
enum { GPUMM_MAP_DIMS = 4, GPUMM_MAP_INPUTS = 6, GPUMM_MAP_STEPS = 16 };

/* An array as it is read or written: entry (i, j, k, l) is values[i stride[0] + j stride[1] + ...].
 * Stride 0 repeats an entry, so strides also broadcast and transpose. Without a buffer an input of
 * type I64 is a ramp: entry (i, j, k, l) is the number i stride[0] + j stride[1] + ... */
typedef struct gpumm_view {
  gpumm_type type;
  gpumm_buffer *buffer;
  void *values; /* entry (0, 0, 0, 0), on the device */
  int64_t stride[GPUMM_MAP_DIMS];
  int conjugated; /* of an input: read conjugated */
} gpumm_view;

/* What a step of a map does with the accumulator x and its operand y. The functions of one number
 * and of two have numbers from OF_ONE and OF_TWO on, by their rows in gpumm_elementwise.h: a new
 * row changes none of these. */
typedef int gpumm_map_op;

enum {
  GPUMM_MAP_LOAD,       /* x = y */
  GPUMM_MAP_PUSH,       /* saves x on the stack, which holds two values; then x = y */
  GPUMM_MAP_NEG,        /* from here on without an operand: x = -x */
  GPUMM_MAP_NOT,        /* x == 0 */
  GPUMM_MAP_OF_ONE,     /* x = f (x) */
  GPUMM_MAP_ADD = 0x40, /* from here on with an operand: x = x + y */
  GPUMM_MAP_SUB,
  GPUMM_MAP_MUL,
  GPUMM_MAP_DIV,
  GPUMM_MAP_POW, /* real domain: the result must be real */
  GPUMM_MAP_LT,  /* complex numbers are ordered by abs, then arg */
  GPUMM_MAP_LE,
  GPUMM_MAP_EQ,
  GPUMM_MAP_NE,
  GPUMM_MAP_GE,
  GPUMM_MAP_GT,
  GPUMM_MAP_AND,
  GPUMM_MAP_OR,
  GPUMM_MAP_MAX, /* of reals: the other one if one is NaN */
  GPUMM_MAP_MIN,
  GPUMM_MAP_MASK,  /* 0 where y is 0 */
  GPUMM_MAP_OF_TWO /* x = f (x, y) of real numbers */
};

/* Where a step's operand comes from: the input of this index, or one of these. */
enum { GPUMM_MAP_CONSTANT = -1, GPUMM_MAP_POP = -2 };

typedef struct gpumm_map_step {
  gpumm_map_op op;
  int source;
  int swapped;           /* y op x instead of x op y */
  gpumm_scalar constant; /* real if im is 0 */
} gpumm_map_step;

/* output = f (inputs), entry by entry. The accumulator begins with the first input (0 if there is
 * none), the steps run in order, and the accumulator is stored. The arithmetic is Octave's in the
 * domain, of type S, D, C or Z: entries of any type are converted to it; a complex input of a real
 * domain gives its real part. In a complex domain a real input, constant or result of real operands
 * counts as real: real * complex multiplies both parts. SQRT, LOG and POW give complex values
 * there. Results become integers by rounding half away from zero and saturating, NaN becomes 0;
 * logical: is it not 0; real: the real part. Without steps and with one type, entries are copied as
 * they are, of any type. The output's entries may lie where those of an input of the same strides
 * and as many bytes lie; otherwise they must not overlap any input, or each other: each stride of
 * the output is longer than what the shorter ones reach. */
typedef struct gpumm_map {
  gpumm_type domain;
  int64_t size[GPUMM_MAP_DIMS];
  int inputs, steps;
  gpumm_view input[GPUMM_MAP_INPUTS];
  gpumm_map_step step[GPUMM_MAP_STEPS];
  gpumm_view output;
} gpumm_map;

GPUMM_API gpumm_status gpumm_map_entries (const gpumm_map *map);

typedef int gpumm_fold_op; /* GPUMM_FOLD_SUM and the others of gpumm_folds.h */

/* The places along a dimension: first, first + step, ...; or those of a vector in a buffer, of type
 * I64 from 0 or of type D from 1. The caller guarantees that a vector's places exist. */
typedef struct gpumm_places {
  gpumm_buffer *buffer;
  const void *vector; /* NULL: first and step */
  int from_1;         /* the vector is of type D */
  int64_t first, step;
} gpumm_places;

/* What "random" draws. */
typedef enum gpumm_distribution {
  GPUMM_RANDOM_BITS, /* the words of the generator: U32 or U64 */
  GPUMM_UNIFORM,     /* multiples of 2^-53 (S: 2^-24) in (0, 1). From here on S or D */
  GPUMM_NORMAL,      /* mean 0, variance 1 */
  GPUMM_EXPONENTIAL, /* mean 1; above 0 */
  GPUMM_INTEGERS,    /* low, low + 1, ..., low + range - 1, of any real type, which saturates */
  GPUMM_DISTRIBUTIONS
} gpumm_distribution;

/* A draw from the generator Philox 4x32-10. It gives blocks of 16 bytes: block b is that of this
 * key and the counter {counter[0] + b, counter[1]}. An entry takes as many bytes of a block as it
 * has itself, one of INTEGERS half a block, or a block if range is 2^32 or more. So the entries
 * depend on the key, the counter and their place alone. */
typedef struct gpumm_random {
  gpumm_distribution distribution;
  uint64_t key, counter[2];
  int64_t low;
  uint64_t range; /* 1 to 2^53 */
} gpumm_random;

enum { GPUMM_RESULTS = 2 };

/* An operation on arrays, by the name of its row (kernels/arrays); lanes are taken along a
 * dimension. "fold" reads what a map computes, "random" nothing, the others the one input of a map
 * without steps. The same shapes give the same bits every time.
 *
 * fold   result(i, j) = what the fold makes of (i, :, j). MAX, MIN: the second result has where,
 *        from 1, the first of equals; D
 * scan   result(i, k, j) = input(i, 1, j) + ... + input(i, k, j), or their product, in double
 *        precision; or what MAX or MIN make of them, and where, as a fold does. It may be the
 *        memory of the input if the types are the same
 * sort   result(i, :, j) = input(i, :, j), of one type, in ascending order, or it descends. Equal
 *        entries keep their order; NaN is the largest; complex numbers are compared by abs, then by
 *        arg. The second result has where, from 1; D. Of at most 2^32 - 1 entries
 * diff   result(i, k, j) = input(i, k + 1, j) - input(i, k, j), in double precision. Its length is
 *        at most count - 1
 * pick   result(i, j, k, l) = input(I(i), J(j), K(k), L(l)), of one type
 * put    result(I(i), J(j), K(k), L(l)) = input(i, j, k, l), of one type. If a place is written
 *        twice, either value may stay
 * random result(i, k, j) = what is drawn: the same bits on every device
 *
 * triangle   result(i, j) = input(i, j) where low <= j - i <= high, else 0; matrices of one type
 *
 * pick, put and triangle have sizes and strides of the input (of map) and of the result (size). Of
 * the others results, and the input of a scan, have no gaps: their strides are not used. */
typedef struct gpumm_operation {
  const char *name;
  gpumm_fold_op fold;               /* SUM, PROD, MAX or MIN for a scan */
  int descends;                     /* of a sort */
  gpumm_map map;                    /* its output is not used */
  int64_t inner, count, outer;      /* the entries that are read, counted down the columns */
  int64_t low, high;                /* the diagonals that a triangle keeps */
  int64_t length;                   /* of the result's lanes, of diff; of the others theirs or 0 */
  gpumm_view result[GPUMM_RESULTS]; /* values of the second NULL: not wanted */
  int64_t size[GPUMM_MAP_DIMS];
  gpumm_places places[GPUMM_MAP_DIMS];
  gpumm_random random;
} gpumm_operation;

GPUMM_API gpumm_status gpumm_operation_run (const gpumm_operation *operation);

/* ---- solving on a device -------------------------------------------------------------------- */

/* X = op (A) \ B (side 'L') or B / op (A) ('R') with a triangular A, upper ('U') or lower ('L'),
 * that is zero beside its triangle; and R from that triangle of A, zero beside its own: R' R = A
 * ('U') or R R' = A ('L'). Full matrices of one type, S, D, C or Z, in buffers of one device, with
 * sizes above 0; X and R lie apart from the others. GPUMM_UNSUPPORTED: the CPU's LAPACK shall
 * compute, which may warn or set info: numbers are not finite or are extreme, A is singular or
 * nearly so, or not positive definite, or the result is not finite. Then, and after a failure, X
 * and R are undefined. What decides is waited for. */
GPUMM_API gpumm_status gpumm_solve_triangular (char side, char uplo, const gpumm_matrix *a,
                                               const gpumm_matrix *b, const gpumm_matrix *x);
GPUMM_API gpumm_status gpumm_factor_cholesky (char uplo, const gpumm_matrix *a,
                                              const gpumm_matrix *r);

/* ---- sparse matrices on a device ------------------------------------------------------------ */

/* 64-bit words that have a bit for each of so many entries, and one more. */
#define GPUMM_MARK_WORDS(stored) ((int64_t) (stored) / 64 + 1)

/* What sparse matrices in buffers of one device need beside arrays entry by entry. The operations
 * are queued in the same way. Sizes, nzmax and types of a, b and c must fit each other, or it is
 * GPUMM_INVALID; offsets, indices, marks and columns to take are trusted. Of a, b and c each reads
 * the sizes, nzmax, and those arrays that it needs, with their buffers and the type of the values,
 * which is any; op, transpose and zero are not used. A pattern has no values: its buffer is NULL.
 * That of a matrix in blocks is a sparse matrix with rows and cols exchanged.
 *
 * Bit t % 64 of marks[t / 64] says whether entry t of a is marked, in words = GPUMM_MARK_WORDS
 * (a.nzmax) words, and before[g], g = 0 .. words, how many entries the first g words mark. c.nzmax
 * is the number that comes of them; entries past it are left out. In KEEP and PACK a matrix without
 * start and index is a full one without gaps, of rows * cols = nzmax. */
typedef enum gpumm_sparse_op {
  GPUMM_SPARSE_KEEP,     /* marks, before: entries of a that are not zero */
  GPUMM_SPARSE_DIAGONAL, /* marks, before: entries (i, i + shift) of a */
  GPUMM_SPARSE_MATCH,    /* marks, before: entries of a where b has one, too */
  GPUMM_SPARSE_PACK,     /* c = the marked entries of a */
  GPUMM_SPARSE_PLACES,   /* places = where the marked entries lie in a, from 1; c.nzmax of them */
  GPUMM_SPARSE_UNITE,   /* c's pattern: a's and b's, after MATCH; from_a, from_b: where in c each of
                             theirs goes */
  GPUMM_SPARSE_MEET,    /* c's pattern: what MATCH marked; from_a, from_b: where each comes from */
  GPUMM_SPARSE_OFFSETS, /* c.start[j + 1]: a length becomes an offset; c.start[0] is 0 */
  GPUMM_SPARSE_LENGTHS, /* c.start, of columns which[0], which[1], ... of a */
  GPUMM_SPARSE_TAKE,    /* c = these columns of a, after LENGTHS */
  GPUMM_SPARSE_TRANSPOSE, /* c = a.' */
  GPUMM_SPARSE_SCALE,     /* c.values = those of a times, or divided by, the entry of full at their
                         (row, column); 0, as if not stored, stays 0. c may have a's values */
  GPUMM_SPARSE_SCATTER,   /* full at (row, column) of each entry of a = its value */
  GPUMM_SPARSE_FOLD, /* c, a row or a column that stores all: a fold that sparse matrices have, of
                             each column of a with its zeros; of type Z for complex a, else D */
  GPUMM_SPARSE_OPS
} gpumm_sparse_op;

typedef struct gpumm_sparse_work {
  gpumm_sparse_op op;
  gpumm_matrix a, b, c;
  gpumm_view marks;                         /* U64 */
  gpumm_view before, from_a, from_b, which; /* I64 */
  gpumm_view places;                        /* D */
  gpumm_view full; /* as large as a and of the type of its values, D or Z in SCALE, which needs only
                      one entry along a stride of 0 */
  int64_t full_size[GPUMM_MAP_DIMS];
  int64_t shift;
  gpumm_fold_op fold;
  int divides, real_a, real_full; /* SCALE; complex as stored, but real: multiplies both parts */
} gpumm_sparse_work;

GPUMM_API gpumm_status gpumm_sparse_run (const gpumm_sparse_work *work);

/* A few entries without gaps, and where on the host they are copied to. */
typedef struct gpumm_read {
  gpumm_view at;
  int64_t count;
  void *to;
} gpumm_read;

/* Waits once for all array work before it, and copies entries of one device to the host. */
GPUMM_API gpumm_status gpumm_read_back (const gpumm_read *read, int count);

/* Waits for all array work on a device, GPUMM_HOST for the host device, and reports its failure. */
GPUMM_API gpumm_status gpumm_wait (int device);

/* How often a call has waited for array work, on all devices. */
GPUMM_API int64_t gpumm_waits (void);

#ifdef __cplusplus
}
#endif
#endif
