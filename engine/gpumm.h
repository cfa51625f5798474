/* gpumm.h - products of matrices: the public face of the engine.
 *
 * C = alpha op(A) op(B) + beta C0 for matrices that live in the caller's memory: full (column
 * major, as BLAS has them), sparse (compressed columns, as Octave has them) or sparse by blocks
 * (compressed block rows). gpumm_multiply makes C = op(A) op(B) in one call. With more to say, a
 * product is a job in steps:
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
 * gpumm_arrays.h has arrays that stay on a device, gpumm_blas.h the routines of BLAS and LAPACK,
 * gpumm_tools.h what programs and lessons need beside products.
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
  GPUMM_FULL,   /* by columns, as BLAS has them */
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
  int64_t ld;         /* full: elements from one column to the next, >= rows */
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
  gpumm_buffer *buffer; /* NULL: host memory; else values lies in it */
  /* The rest is for sparse matrices and blocks in buffers. start and index lie in buffers of the
   * same device, an index has 32 bits in both formats, and nzmax entries are stored. */
  gpumm_buffer *start_buffer, *index_buffer;
  const struct gpumm_matrix *transpose; /* of an operand, until gpumm_close; or NULL */
  gpumm_buffer *zero; /* of a result: an int32, 1 if an element or a block is all zero; or NULL */
} gpumm_matrix;

typedef struct gpumm_scalar {
  double re, im;
} gpumm_scalar;

/* C = alpha op(A) op(B) + beta C0. As in BLAS, C0 is not read if beta = 0, and A and B are not read
 * if alpha = 0. With integers or blocks alpha must be 1 and beta 0. */
typedef struct gpumm_problem {
  gpumm_matrix a, b; /* with their ops */
  gpumm_scalar alpha, beta;
  const gpumm_matrix *c0; /* full, of the result's type and size; NULL if beta is 0 */
  gpumm_type output;      /* integer operands: type of the result. Others: set by gpumm_open */
  int full;               /* blocks by blocks: 1 for a full result, 0 for blocks */
  int stays;              /* 1: the result goes to a buffer of the device that computes it */
  gpumm_buffer *start;    /* of a C sparse or in blocks that stays: for its start; or NULL */
  int queues; /* 1: gpumm_run may return once the product is queued, with no stages timed */
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

/* What one of several devices did of a product that was spread over them. */
typedef struct gpumm_device_report {
  int device; /* index, or -1 for the CPU */
  char device_name[128];
  double total, upload, compute, download; /* seconds */
  int64_t bytes_up, bytes_down;
  double flops;
} gpumm_device_report;

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
  int device_count;
  const gpumm_device_report *devices;
} gpumm_report;

typedef struct gpumm_job gpumm_job;

/* Checks, plans and, for a sparse result, counts. On failure *job is NULL. The operands' memory
 * must stay until gpumm_close. options may be NULL. */
GPUMM_API gpumm_status gpumm_open (const gpumm_problem *problem, const gpumm_options *options,
                                   gpumm_job **job);

/* The result without its memory: its arrays are NULL, ld = rows, nzmax is the most that the result
 * can need. In buffers that is counted on the array stream, for which this waits. */
GPUMM_API gpumm_status gpumm_result (gpumm_job *job, gpumm_matrix *shape);

/* Computes into result, which has the format, type and sizes of gpumm_result. The caller provides
 * its memory, which must not overlap the operands and need not be initialised. A job runs once.
 * After a failure the result's values are undefined. */
GPUMM_API gpumm_status gpumm_run (gpumm_job *job, gpumm_matrix *result);

GPUMM_API const gpumm_report *gpumm_job_report (const gpumm_job *job);

GPUMM_API void gpumm_close (gpumm_job *job); /* NULL is allowed */

/* C = op (A) op (B), planned and run as without options; of integers of one type in that type. Sets
 * *c, whose arrays are the caller's to release with free: values, and of a sparse C or one in
 * blocks start and index. After a failure they are NULL. */
GPUMM_API gpumm_status gpumm_multiply (const gpumm_matrix *a, const gpumm_matrix *b,
                                       gpumm_matrix *c);

/* ---- matrices that stay on a device --------------------------------------------------------- */

/* A product with an operand in a buffer runs on the buffer's device. Of full matrices, which are of
 * floating point of one type, the other operand may be in host memory, but not on another device.
 * If one is sparse or in blocks, both operands and the result lie there, offsets and indices are
 * trusted, zeros are kept, and with a C that is sparse or in blocks an op needs the transpose. A c0
 * in a buffer must be the result itself. A buffer for a full result is made before gpumm_open, as
 * that plans with the memory that is free. Options that ask for another place are refused.
 *
 * A product that queues, of operands and result that all lie on the device, is one more operation
 * of the array stream (gpumm_arrays.h), unless its kernel looks at the data or it is computed in
 * parts. */

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

/* ---- devices -------------------------------------------------------------------------------- */

typedef struct gpumm_device_properties {
  char name[128];
  int capability; /* 90 for compute capability 9.0 */
  int multiprocessors;
  int driver, runtime;  /* CUDA versions, 13000 for 13.0; 0 on the host device */
  int64_t memory_total; /* bytes */
  int64_t memory_free;  /* bytes, now */
  int64_t shared_bytes; /* most shared memory of a block */
  int clock_khz;
  int compute_mode; /* CUDA's: 0 for all processes, 2 for none, 3 for one at a time */
  int has_timeout;  /* does the system stop kernels that run for seconds? */
} gpumm_device_properties;

GPUMM_API const char *gpumm_version (void); /* "0.1.0" */

/* The number of GPUs that can be used now; if it is 0, *why says why, else it is "". */
GPUMM_API int gpumm_device_count (const char **why);
GPUMM_API gpumm_status gpumm_device (int device, gpumm_device_properties *properties);

/* Bytes of a device (GPUMM_HOST: the host device) that this process holds: in use by buffers and
 * products, and kept for those to come, which gpumm_reset releases. Block sizes are rounded up. */
GPUMM_API gpumm_status gpumm_memory (int device, int64_t *used, int64_t *kept);

/* Releases all memory kept between calls, on host and devices. The next call starts
 * afresh. */
GPUMM_API gpumm_status gpumm_reset (void);

#ifdef __cplusplus
}
#endif
#endif
