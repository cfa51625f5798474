/* gpumm.h - the whole public face of the engine.
 *
 * C = alpha op(A) op(B) + beta C0 for matrices that live in the caller's memory: dense (column
 * major, as BLAS has them), sparse (compressed columns, as Octave has them) or sparse by blocks
 * (compressed block rows). A product is a job in steps, and the engine calls nobody back, but to tell
 * how much is done (gpumm_tell):
 *
 *   gpumm_open    plans, and for sparse operands counts (the symbolic phase)
 *   gpumm_result  says what the result is: kind, type, sizes, most nonzeros
 *   ...           the caller provides the memory
 *   gpumm_run     computes into it
 *   gpumm_job_report  says what ran
 *   gpumm_close   always, whatever failed before
 *
 * Every step returns a status, 0 for success; the text of a thread's last failure is
 * gpumm_last_error (). Sizes are counted in elements unless a name says bytes. All functions may
 * be called from several threads, a job from one at a time.
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
  GPUMM_INVALID = -1,       /* an argument out of range or of no meaning */
  GPUMM_NONCONFORMANT = -2, /* inner sizes differ */
  GPUMM_UNSUPPORTED = -3,   /* no algorithm, or not the one asked for, multiplies these */
  GPUMM_NO_DEVICE = -4,     /* a GPU was asked for and none can be used */
  GPUMM_HOST_MEMORY = -5,   /* out of host memory */
  GPUMM_DEVICE_MEMORY = -6, /* out of device memory, or over the given limit */
  GPUMM_DEVICE_FAILED = -7, /* a launch, a copy or the device itself failed */
  GPUMM_INTERNAL = -8,      /* a mistake of this library */
  GPUMM_TOO_LARGE = -9,     /* more than gpumm_run_traced counts */
  GPUMM_CANCELLED = -10     /* stopped by gpumm_cancel or a watched flag */
} gpumm_status;

/* The status in a word ("device-memory"): what follows "gpumm:" in an Octave error identifier. */
GPUMM_API const char *gpumm_status_name (gpumm_status status);

/* What the calling thread's last failed call said; "" before any failure. */
GPUMM_API const char *gpumm_last_error (void);

/* ---- operands and problems ---------------------------------------------------------------- */

/* Element types, named as BLAS names them; B is a logical byte, 0 or 1, that counts as double. */
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
  GPUMM_TYPES /* how many there are */
} gpumm_type;

/* Bytes of one element; the type's name ("double", "uint16"). */
GPUMM_API size_t gpumm_type_bytes (gpumm_type type);
GPUMM_API const char *gpumm_type_name (gpumm_type type);

typedef enum gpumm_kind { GPUMM_DENSE, GPUMM_SPARSE, GPUMM_BLOCKS } gpumm_kind;

typedef enum gpumm_op { GPUMM_NONE, GPUMM_TRANSPOSE, GPUMM_CTRANSPOSE } gpumm_op;

#define GPUMM_HOST (-1) /* gpumm_operand.place: host memory; else the index of a device */

/* A matrix as stored, before op () is applied. The engine reads a, b and c and never writes them. */
typedef struct gpumm_operand {
  gpumm_kind kind;
  gpumm_type type;
  int64_t rows, cols;
  int64_t ld;      /* dense: elements from one column to the next, >= rows */
  int64_t nzmax;   /* sparse: room in row and values; blocks: room in block_column, in blocks */
  int64_t *column; /* sparse: cols + 1 offsets, the first 0, the last the number of nonzeros */
  int64_t *row;    /* sparse: row of each stored element, ascending in a column */
  void *values;    /* the elements */
  int place;       /* GPUMM_HOST, or the device where all of it lives */
  /* blocks: all of one size, which divides the matrix's; values has them one after the other. By
   * block rows, so that a row of C is made from rows of B, by threads and by GPUs; the elements of
   * a block column by column, as BLAS and Octave have them: files by rows are turned on the way. */
  int64_t block_rows, block_cols;
  int64_t
      *block_start; /* rows / block_rows + 1 offsets, the first 0, the last the number of blocks */
  int32_t *block_column; /* block column of each, from 0, ascending in a block row */
} gpumm_operand;

typedef struct gpumm_scalar {
  double re, im;
} gpumm_scalar;

/* C = alpha op(A) op(B) + beta C0. As in BLAS, beta = 0 means that C0 is not read, and alpha = 0
 * that A and B are not. */
typedef struct gpumm_problem {
  gpumm_operand a, b;
  gpumm_op op_a, op_b;
  gpumm_scalar alpha, beta;
  const gpumm_operand *c0; /* dense, of the result's type and size; NULL where beta is 0 */
  gpumm_type output;       /* integer operands: type of the result. Others: set by gpumm_open */
  int full;                /* blocks by blocks: 1 for a full result, 0 for one in blocks */
} gpumm_problem;

/* ---- options ------------------------------------------------------------------------------ */

typedef enum gpumm_backend { GPUMM_AUTO, GPUMM_CPU, GPUMM_GPU } gpumm_backend;

typedef struct gpumm_options {
  gpumm_backend backend;
  const char *algorithm;     /* name of an algorithm or of one of its kernels; NULL or "auto" */
  int device;                /* index of the GPU to use; -1: the first that can be used */
  int64_t max_device_memory; /* bytes; 0: what is free */
  int max_capability;        /* hide kernels that need a newer GPU than this (75: 7.5); 0: none */
} gpumm_options;

/* ---- jobs --------------------------------------------------------------------------------- */

/* What ran, filled by gpumm_run (algorithm, kernel, device and reason already by gpumm_open). */
typedef struct gpumm_report {
  gpumm_backend backend; /* never GPUMM_AUTO */
  int device;            /* index, or -1 for the CPU */
  char device_name[128];
  char algorithm[32];
  char kernel[128];                 /* its name, and what it decided: "emulated (14 moduli)" */
  double total;                     /* seconds on the host clock, gpumm_open to gpumm_run's end */
  double upload, compute, download; /* seconds, on a device by its own events */
  double overhead;                  /* total less what the stages did not overlap */
  int64_t bytes_up, bytes_down;
  double flops; /* operations asked for: 2 m n k, 8 m n k for complex; sparse: those needed */
  char reason[512];
} gpumm_report;

typedef struct gpumm_job gpumm_job;

/* Checks, plans and, for a sparse result, counts. *job is NULL on failure. The operands' memory
 * must stay until gpumm_close. options may be NULL. */
GPUMM_API gpumm_status gpumm_open (const gpumm_problem *problem, const gpumm_options *options,
                                   gpumm_job **job);

/* The result without its memory: values (and column and row) NULL, ld = rows, nzmax as large as
 * the result can need. */
GPUMM_API gpumm_status gpumm_result (const gpumm_job *job, gpumm_operand *shape);

/* Computes into result, whose kind, type and sizes are those of gpumm_result and whose memory is
 * the caller's, apart from the operands' (need not be initialised). A job runs once. After a
 * failure the result's values are undefined. */
GPUMM_API gpumm_status gpumm_run (gpumm_job *job, gpumm_operand *result);

GPUMM_API const gpumm_report *gpumm_job_report (const gpumm_job *job);

GPUMM_API void gpumm_close (gpumm_job *job); /* NULL is allowed */

/* ---- cancelling --------------------------------------------------------------------------- */

/* Stops all jobs that are open now: their gpumm_open or gpumm_run returns GPUMM_CANCELLED, within
 * 0.3 s on ordinary hardware, with nothing under way and all memory of theirs given back or back in
 * the pools; gpumm_close remains to be called. Jobs opened later are not stopped, unless they are
 * opened while one that is stopped has not been closed. Files of blocks and conversions count as
 * jobs while they are read, written or made. Safe in a signal handler and from any thread; does
 * nothing where no job is open. */
GPUMM_API void gpumm_cancel (void);

/* Has all jobs look at a flag of the caller's too: while it is positive they stop, as after
 * gpumm_cancel. An interpreter's own interrupt counter serves as it is. The flag must outlive the
 * jobs; NULL: none. */
GPUMM_API void gpumm_watch (const volatile sig_atomic_t *flag);

/* ---- progress ----------------------------------------------------------------------------- */

/* Told while a run takes longer than GPUMM_TELL_AFTER seconds: the part that is done, 0 to 1, and the
 * seconds that are left by that; again some four times a second, and -1 at the end. Any thread of the
 * run may call it, one at a time. Runs that do not know their part, and runs of several threads at
 * once, say nothing. */
typedef void gpumm_teller (double part, double seconds_left);

#define GPUMM_TELL_AFTER 2.0

GPUMM_API void gpumm_tell (gpumm_teller *tell); /* NULL: nobody is told */

/* Whether it is called at all: 1 or 0 sets it, -1 leaves it as it is. Returns what it was: 1 at
 * first. */
GPUMM_API int gpumm_tells (int on);

/* The same for work of the caller's own, in which there may be runs: these are not told then. all = 0
 * ends it, and must not be forgotten. */
GPUMM_API void gpumm_tell_work (double done, double all);

/* ---- a kernel under the microscope -------------------------------------------------------- */

/* What the threads of a kernel did to one kind of memory. A request is what the 32 threads of a
 * warp ask for together, in one step. */
typedef struct gpumm_access {
  int64_t elements; /* read or written by threads */
  int64_t requests; /* by warps */
  /* Global memory: different sectors of 32 bytes, summed over the requests. Shared memory: passes
   * over the 32 banks of 4 bytes, each of which gives one word, to all that ask for it, a pass. */
  int64_t transfers;
  int64_t conflicts; /* shared memory: passes beyond what the bytes alone need */
} gpumm_access;

typedef struct gpumm_counts {
  gpumm_access load, store;               /* global memory */
  gpumm_access shared_load, shared_store; /* shared memory of all blocks */
  int64_t operations; /* of multiply-adds and sums, in reals: 2 and 1, complex 8 and 2 */
  int64_t barriers;   /* that a block came to, summed over the blocks */
} gpumm_counts;

/* What was launched; fields are -1 where the driver cannot tell, or launches differ in them. */
typedef struct gpumm_launches {
  int64_t launches;     /* of kernels of the table, 0 for a library's */
  int64_t blocks;       /* of all of them */
  int64_t threads[2];   /* of a block, along x and y */
  int64_t shared_bytes; /* of a block */
  int registers;        /* of a thread */
  double occupancy;     /* warps that a multiprocessor has room for, beside the most it can have */
} gpumm_launches;

typedef struct gpumm_trace {
  double seconds; /* of the kernel, by the device's events, without counting */
  gpumm_launches launched;
  int counted;            /* 0: the counts below are not set */
  gpumm_counts a, b, c;   /* global memory, of each operand */
  gpumm_counts workspace; /* and of the temporaries, for kernels that have some */
  gpumm_counts all;
} gpumm_trace;

/* As gpumm_run, but a kernel of the table runs in one piece, A, B and C all on the device, so that
 * what it does is what its source says. count: then it runs once more and is counted, which only
 * the host device can (GPUMM_UNSUPPORTED elsewhere) and which takes 0.2 microseconds or so for each
 * access: GPUMM_TOO_LARGE where m n k or k is above its most. beta must be 0. */
enum { GPUMM_COUNT_MOST = 1 << 24, GPUMM_COUNT_MOST_K = 1 << 13 };
GPUMM_API gpumm_status gpumm_run_traced (gpumm_job *job, gpumm_operand *result, int count,
                                         gpumm_trace *trace);

/* ---- files of blocks ---------------------------------------------------------------------- */

/* int32 n, m, k; then k records of int32 i, int32 j and m x m elements by rows, uint16 or uint32,
 * all little-endian: an n x n matrix in blocks of m x m, i and j from 0, records in any order. What
 * is wrong with a file is GPUMM_INVALID, and the text says where it is. */
typedef struct gpumm_blocks_file gpumm_blocks_file;

/* Opens a file and checks its header. type is that of its elements, GPUMM_TYPES for what its size says (uint16
 * where there are no blocks). shape is the matrix without its memory, nzmax as many blocks as the
 * file has. */
GPUMM_API gpumm_status gpumm_blocks_file_open (const char *name, gpumm_type type,
                                               gpumm_blocks_file **file, gpumm_operand *shape);

/* Reads into x, of that shape and with the caller's memory, and checks what it reads. Blocks of
 * zeros are left out. Another process may change or cut off the file meanwhile: x is then of no
 * use, or this fails. */
GPUMM_API gpumm_status gpumm_blocks_file_read (gpumm_blocks_file *file, gpumm_operand *x);

GPUMM_API void gpumm_blocks_file_close (gpumm_blocks_file *file); /* NULL is allowed */

/* Writes x, square and in square blocks of uint16 or uint32, sorted by i, then j, as a
 * gpumm_output. */
GPUMM_API gpumm_status gpumm_blocks_file_write (const char *name, const gpumm_operand *x);

/* ---- files that are written --------------------------------------------------------------- */

/* A file that comes into being, or is replaced, in one step and whole, when it is committed. Until
 * then an older file of the name stays as it is, whatever fails and however the process ends. The
 * new one has the permissions, owner and links of the old one (docs/files.md). A pipe or a device
 * is written to at once. */
typedef struct gpumm_output gpumm_output;

/* Opens the output for a name that may be new; what has no sense fails here, as GPUMM_INVALID. */
GPUMM_API gpumm_status gpumm_output_open (const char *name, gpumm_output **output);

/* Is it a pipe or a device? It takes appended bytes alone. */
GPUMM_API int gpumm_output_is_stream (const gpumm_output *output);

/* Takes the disk's room for that many bytes, so that a full disk is seen before any work. */
GPUMM_API gpumm_status gpumm_output_reserve (gpumm_output *output, size_t bytes);

/* Writes after what was appended before; or at an offset, from any thread. */
GPUMM_API gpumm_status gpumm_output_append (gpumm_output *output, const void *data, size_t bytes);
GPUMM_API gpumm_status gpumm_output_put (gpumm_output *output, size_t offset, const void *data,
                                         size_t bytes);

/* Gives the file its name, or forgets it; both release the output, and NULL is allowed. A commit
 * after a failed write fails too. */
GPUMM_API gpumm_status gpumm_output_commit (gpumm_output *output);
GPUMM_API void gpumm_output_abort (gpumm_output *output);

/* ---- blocks from outside ------------------------------------------------------------------ */

/* Is x, in blocks and in host memory, one that may be multiplied? Its arrays have the lengths that
 * its sizes and nzmax say; the sizes, the offsets and the columns are checked, and that there are
 * exactly nzmax blocks. GPUMM_INVALID says what is wrong. *zeros becomes the number of blocks whose
 * elements are all zero. */
GPUMM_API gpumm_status gpumm_blocks_verify (const gpumm_operand *x, int64_t *zeros);

/* Copies the blocks of x, verified, that are not all zero: y has the same sizes and its own arrays,
 * with room for them. */
GPUMM_API void gpumm_blocks_drop_zeros (const gpumm_operand *x, gpumm_operand *y);

/* ---- blocks as a sparse matrix ------------------------------------------------------------ */

typedef struct gpumm_blocks_sparse gpumm_blocks_sparse;

/* Checks x, in blocks of double or complex double, and counts its nonzeros. shape is the sparse
 * matrix without its memory, nzmax the room it needs. x must live until it is closed. */
GPUMM_API gpumm_status gpumm_blocks_sparse_open (const gpumm_operand *x,
                                                 gpumm_blocks_sparse **sparse,
                                                 gpumm_operand *shape);

/* Fills y, of that shape and with the caller's memory. */
GPUMM_API gpumm_status gpumm_blocks_sparse_fill (gpumm_blocks_sparse *sparse, gpumm_operand *y);

GPUMM_API void gpumm_blocks_sparse_close (gpumm_blocks_sparse *sparse); /* NULL is allowed */

/* ---- what there is ------------------------------------------------------------------------ */

typedef struct gpumm_device_properties {
  char name[128];
  int capability; /* 90 for compute capability 9.0 */
  int multiprocessors;
  int driver, runtime;  /* CUDA versions, 13000 for 13.0; 0 on the host device */
  int64_t memory_total; /* bytes */
  int64_t memory_free;  /* bytes, now */
  int64_t shared_bytes; /* shared memory a block can have */
} gpumm_device_properties;

/* A row of the kernel table, for people to read. */
typedef struct gpumm_kernel_info {
  const char *algorithm, *name;
  unsigned types; /* bit 1 << gpumm_type for each it multiplies */
  int tile_m, tile_n, tile_k, thread_m, thread_n;
  int capability;
  int automatic; /* "auto" may take it, as its error bound is not above plain arithmetic's */
} gpumm_kernel_info;

/* A row of the table of kernels with sparse operands, plain or by blocks. */
typedef struct gpumm_sparse_kernel_info {
  const char *algorithm, *name;
  int capability;
} gpumm_sparse_kernel_info;

typedef struct gpumm_algorithm_info {
  const char *name;    /* what gpumm_options.algorithm takes */
  const char *summary; /* one line */
  int on_device;       /* runs kernels of the tables, on a GPU or on the CPU's host device */
} gpumm_algorithm_info;

/* What gpumm_tune has stored for a device, in the user's configuration folder. */
typedef struct gpumm_tuned_info {
  char device[128]; /* its name */
  char file[4096];  /* where its table is looked for; "" where the environment names no folder */
  char header[512]; /* the lines that the file must begin with */
  int lines;        /* of the file that are in use; 0: none is */
  int ignored;      /* lines that say nothing of use on this device */
  char why[256];    /* the table is not in use, in a sentence; "" if it is */
} gpumm_tuned_info;

GPUMM_API const char *gpumm_version (void); /* "0.1.0" */

/* GPUs that can be used here and now; why is "" or, for none, a readable sentence. */
GPUMM_API int gpumm_device_count (const char **why);
/* At its first call, where a GPU is here and this installation has no CUDA backend: a sentence that
 * says so. Else NULL. */
GPUMM_API const char *gpumm_unused_gpu (void);
GPUMM_API gpumm_status gpumm_device (int device, gpumm_device_properties *properties);

/* Entry i, or GPUMM_INVALID past the last: of the kernels of full matrices, of those with sparse
 * operands, of the algorithms. */
GPUMM_API gpumm_status gpumm_kernel_at (int i, gpumm_kernel_info *info);
GPUMM_API gpumm_status gpumm_sparse_kernel_at (int i, gpumm_sparse_kernel_info *info);
GPUMM_API gpumm_status gpumm_algorithm_at (int i, gpumm_algorithm_info *info);

/* device is the index of a GPU, or GPUMM_HOST for the CPU's host device. */
GPUMM_API gpumm_status gpumm_tuned_table (int device, gpumm_tuned_info *info);

/* Gives back all memory held between calls, on host and devices; the next call starts afresh,
 * and reads tuned tables again. */
GPUMM_API gpumm_status gpumm_reset (void);

/* ---- fault injection, for tests ----------------------------------------------------------- */

/* Let the n-th (from 1) allocation of the engine, or call of the host device, from now fail;
 * 0: none does. Returns how many calls were counted since the last setting. */
GPUMM_API int64_t gpumm_fault_memory (int64_t n);
GPUMM_API int64_t gpumm_fault_device (int64_t n);

/* Host allocations of the engine alive now; what the pools keep counts until gpumm_reset. */
GPUMM_API int64_t gpumm_live_allocations (void);

#ifdef __cplusplus
}
#endif
#endif
