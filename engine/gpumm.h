/* gpumm.h - the whole public face of the engine.
 *
 * C = alpha op(A) op(B) + beta C0 for matrices that live in the caller's memory: dense (column
 * major, as BLAS has them), sparse (compressed columns, as Octave has them) or sparse by blocks
 * (compressed block rows). A product is a job in steps. The engine's only callback reports progress
 * (gpumm_tell):
 *
 *   gpumm_open    plans, and for sparse operands counts (the symbolic phase)
 *   gpumm_result  says what the result is: format, type, sizes, most nonzeros
 *   ...           the caller provides the memory
 *   gpumm_run     computes into it
 *   gpumm_job_report  says what ran
 *   gpumm_close   always, even after a failure
 *
 * Every step returns a status, 0 for success; gpumm_last_error () is the text of a thread's last
 * failure. Sizes count elements unless a name says bytes. All functions are thread-safe, but only
 * one thread at a time may use a job.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_H
#define GPUMM_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUMM_API __attribute__ ((visibility ("default")))

/* ---- status ------------------------------------------------------------------------------- */

typedef enum gpumm_status {
  GPUMM_OK = 0,
  GPUMM_INVALID = -1,       /* an argument is out of range or meaningless */
  GPUMM_NONCONFORMANT = -2, /* inner sizes differ */
  GPUMM_UNSUPPORTED = -3,   /* no algorithm, or not the named one, multiplies these operands */
  GPUMM_NO_DEVICE = -4,     /* the GPU was asked for, but none can be used */
  GPUMM_HOST_MEMORY = -5,   /* out of host memory */
  GPUMM_DEVICE_MEMORY = -6, /* out of device memory, or over the given limit */
  GPUMM_DEVICE_FAILED = -7, /* a launch, a copy or the device itself failed */
  GPUMM_INTERNAL = -8,      /* a bug in this library */
  GPUMM_TOO_LARGE = -9,     /* too large for gpumm_run_traced to count */
  GPUMM_CANCELLED = -10     /* stopped by gpumm_cancel or a watched flag */
} gpumm_status;

/* The status as a word, "device-memory": the part after "gpumm:" in an Octave error identifier. */
GPUMM_API const char *gpumm_status_name (gpumm_status status);

/* The text of the calling thread's last failure; "" before any failure. */
GPUMM_API const char *gpumm_last_error (void);

/* ---- operands and problems ---------------------------------------------------------------- */

/* Element types, named as in BLAS; B is a logical byte, 0 or 1, that counts as double. */
typedef enum gpumm_type {
  GPUMM_S, /* float */
  GPUMM_D, /* double */
  GPUMM_C, /* float complex, interleaved */
  GPUMM_Z, /* double complex, interleaved */
  GPUMM_I8,
  GPUMM_I16,
  GPUMM_I32,
  GPUMM_I64,
  GPUMM_U8,
  GPUMM_U16,
  GPUMM_U32,
  GPUMM_U64,
  GPUMM_B,
  GPUMM_TYPES /* the number of types */
} gpumm_type;

/* Bytes of one element; the type's name ("double", "uint16"). */
GPUMM_API size_t gpumm_type_bytes (gpumm_type type);
GPUMM_API const char *gpumm_type_name (gpumm_type type);

typedef enum gpumm_format {
  GPUMM_DENSE,  /* by columns, as BLAS has them */
  GPUMM_SPARSE, /* compressed columns, as Octave has them */
  GPUMM_BLOCKS  /* compressed rows of blocks */
} gpumm_format;

typedef enum gpumm_op { GPUMM_NONE, GPUMM_TRANSPOSE, GPUMM_CTRANSPOSE } gpumm_op;

/* As the index of a device: the CPU's host device. Where it is several (GPUMM_HOST_DEVICES in the
 * environment, for tests), GPUMM_HOST - k is the one of index k. */
#define GPUMM_HOST (-1)

typedef struct gpumm_buffer gpumm_buffer; /* memory of a device, below */

/* A matrix as stored, in memory that belongs to the caller. In a product it stands for op (X). The
 * engine reads operands and never writes them. Sizes, and the bytes of each array, are at most
 * 2^62, and sides of blocks below 2^31: what is larger is GPUMM_HOST_MEMORY. */
typedef struct gpumm_matrix {
  gpumm_format format;
  gpumm_type type;
  gpumm_op op;        /* of an operand; GPUMM_NONE in a result */
  int64_t rows, cols; /* as stored, in elements */
  int64_t ld;         /* dense: elements from one column to the next, >= rows */
  int64_t nzmax;      /* sparse, blocks: room for this many elements or blocks */
  /* sparse: of each column; blocks: of each block row; where it begins and, at last, where all end:
   * one offset more than there are columns or block rows, the first 0 */
  int64_t *start;
  union {
    void *index;
    int64_t *row;          /* sparse: row of each stored element, ascending in a column */
    int32_t *block_column; /* blocks: block column of each block, from 0, ascending in a row */
  };
  void *values; /* the elements */
  /* blocks: all of one size, which divides the matrix size; values has them contiguous, sorted by
   * block rows, because threads and GPUs make a row of C from rows of B. The elements of a block
   * are column-major, as in BLAS and Octave; files by rows are transposed when read. */
  int64_t block_rows, block_cols;
  gpumm_buffer *buffer; /* NULL: host memory; else values lies in it (full matrices only) */
} gpumm_matrix;

typedef struct gpumm_scalar {
  double re, im;
} gpumm_scalar;

/* C = alpha op(A) op(B) + beta C0. As in BLAS, C0 is not read if beta = 0, and A and B are not read
 * if alpha = 0. With integers or blocks alpha must be 1 and beta 0. */
typedef struct gpumm_problem {
  gpumm_matrix a, b; /* with their ops */
  gpumm_scalar alpha, beta;
  const gpumm_matrix *c0; /* dense, of the result's type and size; NULL if beta is 0 */
  gpumm_type output;      /* integer operands: type of the result. Others: set by gpumm_open */
  int full;               /* blocks by blocks: 1 for a full result, 0 for blocks */
  int stays;              /* 1: the result goes to a buffer of the device that computes it */
  int queues; /* 1: gpumm_run may return when the product is queued (below), with no stages timed */
} gpumm_problem;

/* The type of the product, for integer operands p->output. GPUMM_UNSUPPORTED if the formats and
 * types of A and B, or p->output, have no product. Reads nothing else of the problem. */
GPUMM_API gpumm_status gpumm_result_type (const gpumm_problem *p, gpumm_type *type);

/* ---- options ------------------------------------------------------------------------------ */

typedef enum gpumm_backend { GPUMM_AUTO, GPUMM_CPU, GPUMM_GPU } gpumm_backend;

typedef struct gpumm_options {
  gpumm_backend backend;
  const char *algorithm; /* name of an algorithm or of one of its kernels; NULL or "auto" */
  int device;            /* index of the GPU to use; -1: those that GPUMM_DEVICES names, or GPU 0 */
  int64_t max_device_memory; /* bytes; 0: the free memory */
  int max_capability;        /* hide kernels that need a newer GPU (75: 7.5); 0: no limit */
  /* Several GPUs: bit 1 << index for each that may take part; all bits: all GPUs. 0: see device. A
   * product of full matrices in host memory is spread over those with which measured rates say that
   * it is faster; another runs on the first. */
  uint64_t devices;
} gpumm_options;

/* ---- jobs --------------------------------------------------------------------------------- */

/* The share of one device in a product that was spread over several. */
typedef struct gpumm_share {
  int device; /* index, or -1 for the CPU */
  char device_name[128];
  double total, upload, compute, download; /* seconds */
  int64_t bytes_up, bytes_down;
  double flops;
} gpumm_share;

enum { GPUMM_REASON_BYTES = 512 };

/* What ran, filled by gpumm_run (algorithm, kernel, device and reason already by gpumm_open). */
typedef struct gpumm_report {
  gpumm_backend backend; /* never GPUMM_AUTO */
  int device;            /* index, or -1 for the CPU */
  char device_name[128];
  char algorithm[32];
  char kernel[128];                 /* its name and what it decided: "emulated (14 moduli)" */
  double total;                     /* host seconds from gpumm_open to the end of gpumm_run */
  double upload, compute, download; /* seconds, on a device by its own events */
  double overhead;                  /* total minus the stages; 0 if they overlap more */
  int64_t bytes_up, bytes_down;
  double flops; /* operations of the product: 2 m n k, complex 8 m n k; sparse: only those needed */
  char reason[GPUMM_REASON_BYTES];
  /* Of each device that took part, in memory of the job; 0 and NULL if the product was not spread.
   * If it was, the stages above are those of the slowest device, and the bytes and operations are
   * of all. */
  int share_count;
  const gpumm_share *shares;
} gpumm_report;

typedef struct gpumm_job gpumm_job;

/* Checks, plans and, for a sparse result, counts. On failure *job is NULL. The operands' memory
 * must stay until gpumm_close. options may be NULL. */
GPUMM_API gpumm_status gpumm_open (const gpumm_problem *problem, const gpumm_options *options,
                                   gpumm_job **job);

/* GPUMM_INVALID if one of gpumm's variables in the environment has a value that gpumm does not
 * know; the text names it. gpumm_open checks this, too. */
GPUMM_API gpumm_status gpumm_check_environment (void);

/* The result without its memory: its arrays are NULL, ld = rows, nzmax is the most
 * that the result can need. */
GPUMM_API gpumm_status gpumm_result (const gpumm_job *job, gpumm_matrix *shape);

/* Computes into result, which has the format, type and sizes of gpumm_result. The caller provides
 * its memory, which must not overlap the operands and need not be initialised. A job runs once.
 * After a failure the result's values are undefined. */
GPUMM_API gpumm_status gpumm_run (gpumm_job *job, gpumm_matrix *result);

GPUMM_API const gpumm_report *gpumm_job_report (const gpumm_job *job);

GPUMM_API void gpumm_close (gpumm_job *job); /* NULL is allowed */

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

/* Computes into result, which has this shape and memory of the caller's that does not overlap the
 * arrays: each page is the product of a page of A and a page of B. options may be NULL. Runs as a
 * job does: it can be cancelled, and after a failure the values are undefined. */
GPUMM_API gpumm_status gpumm_pages_run (const gpumm_pages *pages, const gpumm_options *options,
                                        gpumm_matrix *result);

/* ---- matrices that stay on a device --------------------------------------------------------- */

/* A product with an operand in a buffer runs on the buffer's device: full matrices of floating
 * point of one type. The other operand may be in host memory, but not on another device. A c0 in a
 * buffer must be the result itself. A buffer for the result is made before gpumm_open, which plans
 * with the memory that is free. Options that ask for another place are refused.
 *
 * A product that queues, of operands and result that all lie on the device, is one more operation
 * of the array stream (below), unless its kernel looks at the data or it is computed in parts. */

/* Makes a buffer on a device, GPUMM_HOST for the host device, with undefined contents. It outlives
 * gpumm_reset, but not fork. */
GPUMM_API gpumm_status gpumm_buffer_new (int device, size_t bytes, gpumm_buffer **buffer);

/* Its first byte, an address of the device. */
GPUMM_API void *gpumm_buffer_address (const gpumm_buffer *buffer);

/* Gives the memory back. NULL is allowed. */
GPUMM_API void gpumm_buffer_release (gpumm_buffer *buffer);

/* Copies a full matrix to one of the same type and size, one of them in a buffer, or each in one of
 * another device. */
GPUMM_API gpumm_status gpumm_copy (const gpumm_matrix *from, const gpumm_matrix *to);

/* ---- arrays on a device, entry by entry ------------------------------------------------------ */

/* Full arrays in buffers of one device. The functions below check their arguments, queue the work
 * on the device's array stream and return. Work queued there runs in order. What reads or writes
 * memory of the device in another way (gpumm_copy, products) waits for it first. A failure of
 * queued work is reported by the next of these functions, or by whatever waits. GPUMM_INVALID: an
 * array does not lie in its buffer, or an argument is out of range. GPUMM_UNSUPPORTED: int64 or
 * uint64 in arithmetic. */
enum { GPUMM_MAP_DIMS = 4, GPUMM_MAP_INPUTS = 6, GPUMM_MAP_STEPS = 16 };

/* An array as it is read or written: entry (i, j, k, l) is values[i stride[0] + j stride[1] + ...].
 * Stride 0 repeats an entry, so strides also broadcast and transpose. */
typedef struct gpumm_view {
  gpumm_type type;
  gpumm_buffer *buffer;
  void *values; /* entry (0, 0, 0, 0), on the device */
  int64_t stride[GPUMM_MAP_DIMS];
  int conjugated; /* of an input: read conjugated */
} gpumm_view;

/* What a step of a map does with the accumulator x and its operand y. */
typedef enum gpumm_map_op {
  GPUMM_MAP_LOAD, /* x = y */
  GPUMM_MAP_PUSH, /* saves x on the stack, which holds two values; then x = y */
  GPUMM_MAP_NEG,  /* from here on without an operand: x = -x */
  GPUMM_MAP_ABS,
  GPUMM_MAP_SQRT,
  GPUMM_MAP_EXP,
  GPUMM_MAP_LOG,
  GPUMM_MAP_TANH,
  GPUMM_MAP_SIN,
  GPUMM_MAP_COS,
  GPUMM_MAP_SIGN,
  GPUMM_MAP_ROUND,
  GPUMM_MAP_FLOOR,
  GPUMM_MAP_CEIL,
  GPUMM_MAP_FIX,
  GPUMM_MAP_REAL,
  GPUMM_MAP_IMAG,
  GPUMM_MAP_CONJ,
  GPUMM_MAP_ISNAN,
  GPUMM_MAP_ISINF,
  GPUMM_MAP_NOT,
  GPUMM_MAP_ADD, /* from here on with an operand: x = x + y */
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
  GPUMM_MAP_MASK, /* 0 where y is 0 */
  GPUMM_MAP_OPS   /* the number of operations */
} gpumm_map_op;

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
 * lie; otherwise they must not overlap any input, or each other. */
typedef struct gpumm_map {
  gpumm_type domain;
  int64_t size[GPUMM_MAP_DIMS];
  int inputs, steps;
  gpumm_view input[GPUMM_MAP_INPUTS];
  gpumm_map_step step[GPUMM_MAP_STEPS];
  gpumm_view output;
} gpumm_map;

GPUMM_API gpumm_status gpumm_map_entries (const gpumm_map *map);

typedef enum gpumm_fold_op {
  GPUMM_FOLD_SUM, /* in double precision */
  GPUMM_FOLD_PROD,
  GPUMM_FOLD_MAX, /* NaN only if all are NaN; complex: by abs, then arg; NaN + Inf i is the most */
  GPUMM_FOLD_MIN,
  GPUMM_FOLD_SUMSQ, /* the sum of abs (x)^2, real, in double precision */
  GPUMM_FOLD_NORM,  /* the root of the sum of abs (x)^2, real, in double; no square overflows */
  GPUMM_FOLD_ANY,   /* NaN counts as Octave counts it: not for any, but for all */
  GPUMM_FOLD_ALL,
  GPUMM_FOLD_OPS
} gpumm_fold_op;

/* output(i, j) = what the map's values (i, :, j) give, the map's entries, counted down its columns,
 * taken as inner x count x outer. The map's own output is not used. The output is inner x outer
 * without gaps, and its strides are not used. The same shapes give the same bits every time. */
typedef struct gpumm_fold {
  gpumm_fold_op op;
  gpumm_map map;
  int64_t inner, count, outer;
  gpumm_view output;
  gpumm_view index; /* MAX, MIN: also where, from 1, the first of equals; D. values NULL: not */
} gpumm_fold;

GPUMM_API gpumm_status gpumm_fold_entries (const gpumm_fold *fold);

/* output(i, k, j) = input(i, 1, j) + ... + input(i, k, j), or their product, in double precision.
 * Both arrays are inner x count x outer without gaps; strides are not used. */
typedef struct gpumm_scan {
  gpumm_fold_op op; /* SUM or PROD */
  int64_t inner, count, outer;
  gpumm_view input, output; /* may be the same memory if the types are */
} gpumm_scan;

GPUMM_API gpumm_status gpumm_scan_entries (const gpumm_scan *scan);

/* The places along a dimension: first, first + step, ...; or those of a vector in a buffer, from 0.
 * The caller guarantees that a vector's places exist. */
typedef struct gpumm_places {
  gpumm_buffer *buffer;
  const int64_t *vector; /* NULL: first and step */
  int64_t first, step;
} gpumm_places;

/* part(i, j, k, l) = whole(I(i), J(j), K(k), L(l)); put: the other way round. Both of one type. If
 * a put writes a place twice, either value may stay. */
typedef struct gpumm_pick {
  int put;
  int64_t size[GPUMM_MAP_DIMS]; /* of the part */
  gpumm_places places[GPUMM_MAP_DIMS];
  int64_t whole_size[GPUMM_MAP_DIMS];
  gpumm_view part, whole;
} gpumm_pick;

GPUMM_API gpumm_status gpumm_pick_entries (const gpumm_pick *pick);

/* ---- sparse matrices on a device ------------------------------------------------------------ */

/* Compressed columns in buffers of one device, rows ascending in a column. What the functions below
 * need beside arrays entry by entry; they are queued in the same way, and trust offsets and
 * indices. */
typedef struct gpumm_csc {
  int64_t rows, cols, stored;
  gpumm_view start;  /* I64: cols + 1 offsets, the first 0 */
  gpumm_view index;  /* I32: the row of each entry */
  gpumm_view values; /* of any type */
} gpumm_csc;

/* 64-bit words that have a bit for each of so many entries, and one more. */
#define GPUMM_MARK_WORDS(stored) ((int64_t) (stored) / 64 + 1)

/* Offsets and indices count from 0. Bit t % 64 of marks[t / 64] says whether entry t of a is
 * marked, in words = GPUMM_MARK_WORDS (a.stored) words, and before[g], g = 0 .. words, how many
 * entries the first g words mark. In KEEP and PACK a matrix without start and index is a full one
 * without gaps, of rows * cols = stored. */
typedef enum gpumm_sparse_op {
  GPUMM_SPARSE_KEEP,     /* marks, before: entries of a that are not zero */
  GPUMM_SPARSE_DIAGONAL, /* marks, before: entries (i, i + shift) of a */
  GPUMM_SPARSE_MATCH,    /* marks, before: entries of a where b has one, too */
  GPUMM_SPARSE_PACK,     /* c = the marked entries of a */
  GPUMM_SPARSE_UNITE,   /* c's pattern: a's and b's, after MATCH; from_a, from_b: where in c each of
                             theirs goes */
  GPUMM_SPARSE_MEET,    /* c's pattern: what MATCH marked; from_a, from_b: where each comes from */
  GPUMM_SPARSE_OFFSETS, /* c.start[j + 1]: a length becomes an offset; c.start[0] is 0 */
  GPUMM_SPARSE_LENGTHS, /* c.start, of columns which[0], which[1], ... of a */
  GPUMM_SPARSE_TAKE,    /* c = these columns of a, after LENGTHS */
  GPUMM_SPARSE_TRANSPOSE, /* c = a.' */
  GPUMM_SPARSE_SCALE,     /* c.values = those of a times, or divided by, the entry of full at their
                         (row, column); 0, as if not stored, stays 0 */
  GPUMM_SPARSE_SCATTER,   /* full at (row, column) of each entry of a = its value */
  GPUMM_SPARSE_FOLD, /* c.values[j] = SUM, MAX, MIN or ANY of column j of a with its zeros; of type
                             Z for complex a, else D */
  GPUMM_SPARSE_OPS
} gpumm_sparse_op;

typedef struct gpumm_sparse_work {
  gpumm_sparse_op op;
  gpumm_csc a, b, c;
  gpumm_view marks;                         /* U64 */
  gpumm_view before, from_a, from_b, which; /* I64 */
  gpumm_view full; /* of the type of a's values, D or Z in SCALE, with strides */
  int64_t full_size[GPUMM_MAP_DIMS];
  int64_t shift;
  gpumm_fold_op fold;
  int divides, real_a, real_full; /* SCALE; complex as stored, but real: multiplies both parts */
} gpumm_sparse_work;

GPUMM_API gpumm_status gpumm_sparse_run (const gpumm_sparse_work *work);

/* C = A B, all of type D, or all of type Z; real_a, real_b: complex as stored, but every element is
 * real and multiplies both parts of the other factor. COUNT sets c.start for what C can have; once
 * the caller has looked, MULTIPLY sets index and values, in the order and with the rounding of
 * "sparse", and `zero` (one I32, which COUNT clears) to 1 if an element is zero. */
typedef struct gpumm_csc_product {
  gpumm_csc a, b, c;
  int real_a, real_b;
  gpumm_view zero;
} gpumm_csc_product;

GPUMM_API gpumm_status gpumm_csc_count (const gpumm_csc_product *p);
GPUMM_API gpumm_status gpumm_csc_multiply (const gpumm_csc_product *p);

/* C = op (S) op (D) if left, else C = op (D) op (S), with full D and C in buffers; types as
 * above. */
typedef struct gpumm_csc_full {
  gpumm_csc s;
  gpumm_op op;
  int left, real_s, real_d;
  gpumm_matrix d, c;
} gpumm_csc_full;

GPUMM_API gpumm_status gpumm_csc_multiply_full (const gpumm_csc_full *p);

/* What a product is by its operands: symmetric if op (B) is the transpose of op (A), Hermitian if
 * op (B) is the conjugate transpose. */
typedef enum { GPUMM_GENERAL, GPUMM_SYMMETRIC, GPUMM_HERMITIAN } gpumm_symmetry;

/* A matrix in blocks, in buffers of one device: compressed block rows, columns ascending in a row.
 * Its pattern of blocks is a gpumm_csc with rows and cols exchanged. */
typedef struct gpumm_bsr {
  int64_t rows, cols, stored;     /* in blocks */
  int64_t block_rows, block_cols; /* of a block */
  gpumm_view start;               /* I64: rows + 1 offsets, counted in blocks, the first 0 */
  gpumm_view column;              /* I32: the block column of each block */
  gpumm_view values;              /* the blocks, each by columns */
} gpumm_bsr;

/* C = A B as gpumm_csc_product, all of one type: S, D, C or Z by the kernels of "bsr", integers,
 * exactly, by those of "blocks_integer"; `zero` becomes 1 if a block of C is all zero. */
typedef struct gpumm_bsr_product {
  gpumm_bsr a, b, c;
  gpumm_symmetry symmetry; /* C is made so bit by bit */
  int real_a, real_b;
  gpumm_view zero;
} gpumm_bsr_product;

GPUMM_API gpumm_status gpumm_bsr_count (const gpumm_bsr_product *p);
GPUMM_API gpumm_status gpumm_bsr_multiply (const gpumm_bsr_product *p);

/* As gpumm_csc_full, with S in blocks. */
typedef struct gpumm_bsr_full {
  gpumm_bsr s;
  gpumm_op op;
  int left, real_s, real_d;
  gpumm_matrix d, c;
} gpumm_bsr_full;

GPUMM_API gpumm_status gpumm_bsr_multiply_full (const gpumm_bsr_full *p);

/* A few entries without gaps, and where on the host they are copied to. */
typedef struct gpumm_glance {
  gpumm_view at;
  int64_t count;
  void *to;
} gpumm_glance;

/* Waits once for all array work before it, and copies entries of one device to the host. */
GPUMM_API gpumm_status gpumm_look (const gpumm_glance *glance, int count);

/* Waits for all array work on a device, GPUMM_HOST for the host device, and reports its failure. */
GPUMM_API gpumm_status gpumm_wait (int device);

/* ---- cancelling --------------------------------------------------------------------------- */

/* Stops all open jobs: their gpumm_open or gpumm_run returns GPUMM_CANCELLED within 0.3 s on
 * ordinary hardware. After that nothing runs, and the memory is released or back in the pools; the
 * caller must still call gpumm_close. A job opened later is stopped only if it opens before all
 * stopped jobs are closed. Reading and writing files of blocks and conversions count as jobs. Safe
 * in a signal handler and from any thread; does nothing if no job is open. */
GPUMM_API void gpumm_cancel (void);

/* Makes all jobs check the caller's flag too: while it is positive they stop, as after
 * gpumm_cancel. An interpreter's interrupt counter can serve as the flag. It must outlive the jobs;
 * NULL: no flag. */
GPUMM_API void gpumm_watch (const volatile sig_atomic_t *flag);

/* ---- progress ----------------------------------------------------------------------------- */

/* Called while a run takes longer than GPUMM_TELL_AFTER seconds, about four times a second: with
 * the part that is done, 0 to 1, and the estimated seconds left; at the end with part -1. Any
 * thread of the run may call it, one at a time. It is not called for runs that do not know their
 * part, or while several runs are under way. */
typedef void gpumm_teller (double part, double seconds_left);

#define GPUMM_TELL_AFTER 2.0

GPUMM_API void gpumm_tell (gpumm_teller *tell); /* NULL: no calls */

/* Switches the calls on (1) or off (0); -1 changes nothing. Returns the previous setting, at first
 * 1. */
GPUMM_API int gpumm_tells (int on);

/* Reports progress of the caller's own work; runs within that work are not reported. Always end
 * the work with all = 0. */
GPUMM_API void gpumm_tell_work (double done, double all);

/* ---- a kernel under the microscope -------------------------------------------------------- */

/* The accesses of a kernel's threads to one kind of memory. A request is one access by the 32
 * threads of a warp together. */
typedef struct gpumm_access {
  int64_t elements; /* read or written by threads */
  int64_t requests; /* by warps */
  /* Global memory: different sectors of 32 bytes, summed over the requests. Shared memory: passes
   * over the 32 banks of 4 bytes; in a pass each bank serves one word, to all threads that ask for
   * it. */
  int64_t transfers;
  int64_t conflicts; /* shared memory: passes beyond those that the bytes need */
} gpumm_access;

typedef struct gpumm_counts {
  gpumm_access load, store;               /* global memory */
  gpumm_access shared_load, shared_store; /* shared memory of all blocks */
  int64_t operations; /* of multiply-adds and sums: real 2 and 1, complex 8 and 2 */
  int64_t barriers;   /* summed over the blocks */
} gpumm_counts;

/* What was launched; a field is -1 if the driver cannot tell, or if launches differ. */
typedef struct gpumm_launches {
  int64_t launches;     /* of kernels of the table, not of libraries */
  int64_t blocks;       /* of all of them */
  int64_t threads[2];   /* of a block, along x and y */
  int64_t shared_bytes; /* of a block */
  int registers;        /* of a thread */
  double occupancy;     /* resident warps of a multiprocessor divided by its maximum */
} gpumm_launches;

typedef struct gpumm_trace {
  double seconds; /* of the kernel, by the device's events, without counting */
  gpumm_launches launched;
  int counted;            /* 0: the counts below are not set */
  gpumm_counts a, b, c;   /* global memory of each operand */
  gpumm_counts workspace; /* and of temporaries, if the kernel has any */
  gpumm_counts all;
} gpumm_trace;

/* As gpumm_run, but a kernel of the table runs in one piece with A, B and C on the device, exactly
 * as its source says. count: the kernel runs again and its accesses are counted. Only the host
 * device can count (elsewhere GPUMM_UNSUPPORTED); an access takes about 0.2 us, so m n k and k are
 * limited (GPUMM_TOO_LARGE). beta must be 0. Sparse matrices, and a real by a complex matrix, are
 * not traced (GPUMM_UNSUPPORTED). */
enum { GPUMM_COUNT_MOST = 1 << 24, GPUMM_COUNT_MOST_K = 1 << 13 };
GPUMM_API gpumm_status gpumm_run_traced (gpumm_job *job, gpumm_matrix *result, int count,
                                         gpumm_trace *trace);

/* ---- files of blocks ---------------------------------------------------------------------- */

/* A file of blocks holds int32 n, m, k; then k records of int32 i, int32 j and m x m elements by
 * rows, uint16 or uint32, all little-endian: an n x n matrix in blocks of m x m, i and j from 0,
 * records in any order. A faulty file is GPUMM_INVALID, and the text says where the fault is. */
typedef struct gpumm_blocks_file gpumm_blocks_file;

/* Opens a file and checks its header. type is the type of the elements, or GPUMM_TYPES to tell it
 * from the file's size (uint16 if there are no blocks). shape is the matrix without its memory;
 * nzmax is the file's number of blocks. */
GPUMM_API gpumm_status gpumm_blocks_file_open (const char *name, gpumm_type type,
                                               gpumm_blocks_file **file, gpumm_matrix *shape);

/* Reads into x, which has this shape and the caller's memory, and checks the data. Zero blocks are
 * removed. If another process changes or truncates the file meanwhile, this fails or x is
 * undefined. */
GPUMM_API gpumm_status gpumm_blocks_file_read (gpumm_blocks_file *file, gpumm_matrix *x);

GPUMM_API void gpumm_blocks_file_close (gpumm_blocks_file *file); /* NULL is allowed */

/* Writes x, a square matrix in square blocks of uint16 or uint32, sorted by i, then j, through a
 * gpumm_output. */
GPUMM_API gpumm_status gpumm_blocks_file_write (const char *name, const gpumm_matrix *x);

/* ---- output files ------------------------------------------------------------------------- */

/* A file that appears, or replaces an older file, complete and in one step when it is committed.
 * Until then the older file stays unchanged, even if a step fails or the process dies. The new file
 * has the permissions of the older one (docs/files.md). A pipe or a device is written to at
 * once. */
typedef struct gpumm_output gpumm_output;

/* Opens the output for a new or an existing name. A name that cannot be written fails here, as
 * GPUMM_INVALID. */
GPUMM_API gpumm_status gpumm_output_open (const char *name, gpumm_output **output);

/* Is it a pipe or a device? These take appended bytes only. */
GPUMM_API int gpumm_output_is_stream (const gpumm_output *output);

/* Reserves disk space for this many bytes, so a full disk fails before any work. */
GPUMM_API gpumm_status gpumm_output_reserve (gpumm_output *output, size_t bytes);

/* Writes after the bytes appended before; or at an offset, from any thread. */
GPUMM_API gpumm_status gpumm_output_append (gpumm_output *output, const void *data, size_t bytes);
GPUMM_API gpumm_status gpumm_output_put (gpumm_output *output, size_t offset, const void *data,
                                         size_t bytes);

/* Gives the file its name, or discards it. Both release the output; NULL is allowed. A commit after
 * a failed write fails too. */
GPUMM_API gpumm_status gpumm_output_commit (gpumm_output *output);
GPUMM_API void gpumm_output_abort (gpumm_output *output);

/* ---- blocks from outside ------------------------------------------------------------------ */

/* Is x, in blocks and in host memory, a valid operand? The caller guarantees the lengths of its
 * arrays. Checks the sizes, the offsets, the columns and that there are exactly nzmax blocks; fails
 * with GPUMM_INVALID. Sets *zeros to the number of blocks whose elements are all zero (NULL: does
 * not look at the elements). */
GPUMM_API gpumm_status gpumm_blocks_verify (const gpumm_matrix *x, int64_t *zeros);

/* ---- blocks as a sparse matrix ------------------------------------------------------------ */

typedef struct gpumm_blocks_sparse gpumm_blocks_sparse;

/* Checks x, in blocks of double or complex double, and counts its nonzeros. shape is the sparse
 * matrix without its memory; nzmax is the room it needs. x must live until
 * gpumm_blocks_sparse_close. */
GPUMM_API gpumm_status gpumm_blocks_sparse_open (const gpumm_matrix *x,
                                                 gpumm_blocks_sparse **sparse, gpumm_matrix *shape);

/* Fills y, which has this shape and the caller's memory. */
GPUMM_API gpumm_status gpumm_blocks_sparse_fill (gpumm_blocks_sparse *sparse, gpumm_matrix *y);

GPUMM_API void gpumm_blocks_sparse_close (gpumm_blocks_sparse *sparse); /* NULL is allowed */

/* ---- routines of BLAS and LAPACK ------------------------------------------------------------- */

typedef enum gpumm_routine {
  GPUMM_GEMM,
  GPUMM_SYMM, /* from here on level 3 of BLAS, computed by cuBLAS */
  GPUMM_HEMM,
  GPUMM_SYRK,
  GPUMM_HERK,
  GPUMM_SYR2K,
  GPUMM_HER2K,
  GPUMM_TRMM,
  GPUMM_TRSM,
  GPUMM_GETRF, /* from here on LAPACK, computed by cuSOLVER */
  GPUMM_GETRS,
  GPUMM_GETRI,
  GPUMM_POTRF,
  GPUMM_POTRS,
  GPUMM_GEQRF,
  GPUMM_ORGQR, /* complex: ungqr */
  GPUMM_ORMQR, /* complex: unmqr */
  GPUMM_GECON, /* from here on not for gpumm_run_call: the CPU estimates condition numbers */
  GPUMM_POCON,
  GPUMM_ROUTINES
} gpumm_routine;

/* A call of a routine for matrices by columns in host memory. The arguments have the names and the
 * values that they have in BLAS and LAPACK, letters are capitals, and what a routine does not have
 * is not looked at; k is nrhs of getrs and potrs. trmm, trsm: the matrices are a and b. The caller
 * guarantees that the arguments are valid, and no size is 0. */
typedef struct gpumm_call {
  gpumm_routine routine;
  gpumm_type type; /* S, D, C, Z */
  char side, uplo, trans, trans_b, diag;
  int64_t m, n, k;
  gpumm_scalar alpha, beta;
  void *a, *b, *c;
  int64_t lda, ldb, ldc;
  void *tau;
  int32_t *pivots;
} gpumm_call;

/* A routine's name without the letter of its type: "gemm". */
GPUMM_API const char *gpumm_routine_name (gpumm_routine routine, gpumm_type type);

/* Runs it on a GPU; where is GPUMM_AUTO: if the plan would send a product of this size there;
 * GPUMM_GPU: in any case; GPUMM_CPU: on the host device, for tests. GPUMM_UNSUPPORTED: the CPU
 * shall do it, because of its size, or because NVIDIA's library and the CPU's might differ: alpha
 * is 0, info is not, numbers are not finite or close to overflow, a matrix is singular to working
 * precision (routine.c). On failure the arguments are unchanged, except outputs that are not
 * read. */
GPUMM_API gpumm_status gpumm_run_call (const gpumm_call *call, gpumm_backend where);

/* gecon and pocon by all cores of the CPU: sets *rcond to an estimate of the reciprocal condition
 * number of the matrix whose factors of getrf or potrf are a, and whose norm is anorm, above 0. It
 * takes LAPACK's steps with LAPACK's bound. norm: '1', 'O' or 'I', of gecon. GPUMM_UNSUPPORTED:
 * LAPACK shall do it, because numbers are close to overflow. No argument but *rcond changes. */
GPUMM_API gpumm_status gpumm_estimate_condition (const gpumm_call *call, char norm, double anorm,
                                                 double *rcond);

/* ---- the BLAS of this process -------------------------------------------------------------- */

/* A function of the BLAS or LAPACK that computes on the CPU, by its name ("dgemm_"): of the library
 * that GPUMM_BLAS names, else of the one that the process uses, else of the system's; never of
 * gpumm's own libgpumm_blas.so. NULL: none has it. And the file of that BLAS, "" if there is none,
 * and the bits of its integers, 32 or 64. */
GPUMM_API void *gpumm_blas_symbol (const char *name);
GPUMM_API const char *gpumm_blas_file (void);
GPUMM_API int gpumm_blas_bits (void);

/* ---- devices, kernels, algorithms --------------------------------------------------------- */

typedef struct gpumm_device_properties {
  char name[128];
  int capability; /* 90 for compute capability 9.0 */
  int multiprocessors;
  int driver, runtime;  /* CUDA versions, 13000 for 13.0; 0 on the host device */
  int64_t memory_total; /* bytes */
  int64_t memory_free;  /* bytes, now */
  int64_t shared_bytes; /* most shared memory of a block */
} gpumm_device_properties;

/* A row of the kernel table, for display. */
typedef struct gpumm_kernel_info {
  const char *algorithm, *name;
  unsigned types; /* bit 1 << gpumm_type for each type that it multiplies */
  int tile_m, tile_n, tile_k, thread_m, thread_n;
  int capability;
} gpumm_kernel_info;

/* A row of the table of kernels with sparse or block-sparse operands. */
typedef struct gpumm_sparse_kernel_info {
  const char *algorithm, *name;
  int capability;
} gpumm_sparse_kernel_info;

typedef struct gpumm_algorithm_info {
  const char *name;    /* for gpumm_options.algorithm */
  const char *summary; /* one line */
  int on_device;       /* runs kernels of the tables, on a GPU or on the CPU's host device */
} gpumm_algorithm_info;

GPUMM_API const char *gpumm_version (void); /* "0.1.0" */

/* The number of GPUs that can be used now; if it is 0, *why says why, else it is "". */
GPUMM_API int gpumm_device_count (const char **why);
/* At the first call, if this machine has a GPU but this installation has no CUDA backend: a
 * sentence that says so. Else NULL. */
GPUMM_API const char *gpumm_unused_gpu (void);
GPUMM_API gpumm_status gpumm_device (int device, gpumm_device_properties *properties);
/* The number of host devices, which is 1 unless a test wants more. */
GPUMM_API int gpumm_host_device_count (void);

/* Bytes of a device (GPUMM_HOST: the host device) that this process holds: in use by buffers and
 * products, and kept for those to come, which gpumm_reset releases. Block sizes are rounded up. */
GPUMM_API gpumm_status gpumm_memory (int device, int64_t *used, int64_t *kept);

/* Entry i of the kernels for full matrices, of the kernels for sparse operands, of the algorithms;
 * GPUMM_INVALID past the last entry. */
GPUMM_API gpumm_status gpumm_kernel_at (int i, gpumm_kernel_info *info);
GPUMM_API gpumm_status gpumm_sparse_kernel_at (int i, gpumm_sparse_kernel_info *info);
GPUMM_API gpumm_status gpumm_algorithm_at (int i, gpumm_algorithm_info *info);

/* Releases all memory kept between calls, on host and devices. The next call starts
 * afresh. */
GPUMM_API gpumm_status gpumm_reset (void);

/* ---- fault injection and counts, for tests ------------------------------------------------ */

/* Makes the n-th allocation of the engine, or call of the host device, counted from now, fail (0:
 * none). Returns the number of calls since the last setting. */
GPUMM_API int64_t gpumm_fault_memory (int64_t n);
GPUMM_API int64_t gpumm_fault_device (int64_t n);

/* From now on all devices that are allowed take part in a product, however short it is; or, with 0,
 * only where they are estimated to be faster. */
GPUMM_API void gpumm_spread_always (int yes);

/* How often a call has waited for array work, on all devices. */
GPUMM_API int64_t gpumm_waits (void);

/* The engine's live host allocations; blocks in the pools count until gpumm_reset. */
GPUMM_API int64_t gpumm_live_allocations (void);

#ifdef __cplusplus
}
#endif
#endif
