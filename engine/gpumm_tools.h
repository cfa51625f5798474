/* gpumm_tools.h - what the programs, the lessons and the tests need beside products: progress,
 * kernels under the microscope, files of blocks, the tables, faults.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_TOOLS_H
#define GPUMM_GPUMM_TOOLS_H

#include "gpumm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- progress ----------------------------------------------------------------------------- */

/* Called while a run takes longer than GPUMM_TELL_AFTER seconds, about four times a second: with
 * the fraction that is done, 0 to 1, and the estimated seconds left; at the end with fraction -1.
 * Any thread of the run may call it, one at a time. It is not called for runs that do not know
 * their fraction, or while several runs are under way. */
typedef void gpumm_teller (double fraction, double seconds_left);

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

/* One access by one thread, as the host device records it. */
typedef struct gpumm_record {
  const void *p;      /* its first byte */
  unsigned bytes;     /* several elements if the access is a vector's */
  int is_store, line; /* line: of the kernel's source */
  int block, thread;  /* numbers from 0; 32 threads in a row are a warp */
  /* Accesses with one number are one request of a warp. Requests are numbered from 0 in the order
   * of the source: the first ones of all warps of a block, then the second ones, up to the barrier.
   */
  int64_t request;
  int64_t barriers;  /* of all blocks, so far */
  int64_t transfers; /* of the request, as in gpumm_access */
  int64_t conflicts; /* likewise */
  const char *array; /* in shared memory: its name; NULL: global memory */
  const void *first; /* the first byte of the array, or of the allocation */
  int columns;       /* of the array */
} gpumm_record;

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
  /* What was recorded, if it was; valid until the next run that counts. first is where A, B and C
   * begin, and ld the distance of their columns in elements. */
  const gpumm_record *records;
  int64_t recorded;
  const void *first[3];
  int64_t ld[3];
} gpumm_trace;

/* As gpumm_run, but a kernel of the table runs in one piece with A, B and C on the device, exactly
 * as its source says. count: the kernel runs again and its accesses are counted. Only the host
 * device can count (elsewhere GPUMM_UNSUPPORTED); an access takes about 0.2 us, so m n k and k are
 * limited (GPUMM_TOO_LARGE). beta must be 0. Sparse matrices, and a real by a complex matrix, are
 * not traced (GPUMM_UNSUPPORTED). With GPUMM_RECORD accesses are recorded, too, GPUMM_RECORD_MOST
 * at most (else GPUMM_TOO_LARGE). */
enum { GPUMM_COUNT = 1, GPUMM_RECORD, GPUMM_RECORD_MOST = 1 << 17 };
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

/* ---- the tables ----------------------------------------------------------------------------- */

/* A row of a kernel table, for display. */
typedef struct gpumm_kernel_info {
  const char *algorithm, *name;
  int capability;
  /* of kernels for full matrices: bit 1 << gpumm_type for each type that it multiplies. Kernels
   * with sparse or block-sparse operands have 0 in what follows. */
  unsigned types;
  int tile_m, tile_n, tile_k, thread_m, thread_n;
} gpumm_kernel_info;

typedef struct gpumm_algorithm_info {
  const char *name;    /* for gpumm_options.algorithm */
  const char *summary; /* one line */
  int on_device;       /* runs kernels of the tables, on a GPU or on the CPU's host device */
} gpumm_algorithm_info;

/* Entry i of the kernels, those for full matrices first, and of the algorithms; GPUMM_INVALID past
 * the last entry. */
GPUMM_API gpumm_status gpumm_kernel_at (int i, gpumm_kernel_info *info);
GPUMM_API gpumm_status gpumm_algorithm_at (int i, gpumm_algorithm_info *info);

/* Why the library behind this algorithm's kernels cannot be used on the GPU here; NULL if it can,
 * if there is none, or without a GPU. Opens the library. */
GPUMM_API const char *gpumm_missing_library (const char *algorithm);

/* The number of host devices, which is 1 unless a test wants more. */
GPUMM_API int gpumm_host_device_count (void);

/* At the first call, if this machine has a GPU but this installation has no CUDA backend: a
 * sentence that says so. Else NULL. */
GPUMM_API const char *gpumm_unused_gpu (void);
/* GPUMM_INVALID if one of gpumm's variables in the environment has a value that gpumm does not
 * know; the text names it. gpumm_open checks this, too. */
GPUMM_API gpumm_status gpumm_check_environment (void);

/* ---- fault injection and counts, for tests ------------------------------------------------ */

/* Makes the n-th allocation of the engine, or call of the host device, counted from now, fail (0:
 * none). Returns the number of calls since the last setting. */
GPUMM_API int64_t gpumm_fault_memory (int64_t n);
GPUMM_API int64_t gpumm_fault_device (int64_t n);

/* From now on all devices that are allowed take part in a product, however short it is; or, with 0,
 * only where they are estimated to be faster. */
GPUMM_API void gpumm_spread_always (int yes);

/* The engine's live host allocations; blocks in the pools count until gpumm_reset. */
GPUMM_API int64_t gpumm_live_allocations (void);

#ifdef __cplusplus
}
#endif
#endif
