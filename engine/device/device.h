/* device.h - the seam between the engine and a device runtime.
 *
 * A driver is one table of functions and one table of kernels. There are two drivers: kernels/cuda
 * (the CUDA runtime) and kernels/host (the same kernels compiled for the host; memory is malloc, a
 * stream runs at once). Each is a library, opened at first use, that exports gpumm_driver_table ().
 * All functions return 0, or a negative gpumm_status with a text for error_text (). All are
 * asynchronous on their stream unless stated otherwise.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_DEVICE_H
#define GPUMM_DEVICE_H

#include "gpumm_arrays.h"
#include "gpumm_tools.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpumm_call gpumm_call;     /* gpumm_blas.h, which a new row of routines changes */
typedef struct gpumm_stream gpumm_stream; /* owned by the driver, opaque to the engine */
typedef struct gpumm_event gpumm_event;

/* An event that takes the time can be given to event_seconds. One that does not costs less on the
 * device. */
typedef enum { GPUMM_TIMED, GPUMM_UNTIMED, GPUMM_EVENT_KINDS } gpumm_event_kind;

enum { GPUMM_NOTE_BYTES = 32 };

/* A product that is tile (row, col) of a larger product whose operands stay on the device. C has
 * down x across tiles of m x n (the last ones smaller), launched one after the other with a common
 * workspace that nothing else writes. known_a, known_b: did an earlier launch read the same rows of
 * op(A), or columns of op(B)? Then its results about them may still be in the workspace. down = 0:
 * no tiling. */
typedef struct gpumm_tiling {
  int64_t down, across, m, n;
  int64_t row, col;
  int known_a, known_b;
} gpumm_tiling;

/* What a product is by its operands: symmetric if op (B) is the transpose of op (A), Hermitian if
 * op (B) is the conjugate transpose. */
typedef enum { GPUMM_GENERAL, GPUMM_SYMMETRIC, GPUMM_HERMITIAN } gpumm_symmetry;

/* One full product with all operands on one device, all of type S, D, C or Z: C = alpha op(A)
 * op(B) + beta C, with sizes m x k, k x n, m x n after op (), each >= 0. */
typedef struct gpumm_product {
  gpumm_type type;
  gpumm_op op_a, op_b;
  int64_t m, n, k;
  const void *a;
  int64_t lda;
  const void *b;
  int64_t ldb;
  void *c;
  int64_t ldc;
  gpumm_scalar alpha, beta;
  void *workspace; /* on the device, 256-byte aligned, at least what the kernel's row asked for */
  size_t workspace_bytes;
  gpumm_tiling tiling;
  /* For kernels whose speed depends on the data: their measured speed on ordinary data divided by
   * the library's. If the data make the kernel slower than the library, it calls the library. 0:
   * the caller named the kernel, so it must not call the library. */
  double gain;
  gpumm_symmetry symmetry; /* if C has one, the kernel need compute its upper triangle only */
  char *note;              /* NULL, or GPUMM_NOTE_BYTES for what the launch decided: "14 moduli" */
} gpumm_product;

/* A row of the kernel table. */
typedef struct gpumm_kernel {
  const char *algorithm;  /* family: "tiled" */
  const char *name;       /* row: "tiled_16" */
  unsigned types;         /* bit 1 << gpumm_type for each type that it multiplies */
  int tile_m, tile_n;     /* of C, per block */
  int tile_k;             /* step along k */
  int thread_m, thread_n; /* of C, per thread */
  int capability;         /* lowest compute capability it runs on */
  int64_t from;           /* preferred over its family's earlier rows when min (m, n) >= from */
  /* may it run this product on that device? NULL: always */
  int (*runs) (const gpumm_product *product, const gpumm_device_properties *device);
  gpumm_status (*launch) (int device, gpumm_stream *stream, const gpumm_product *product);
  /* bytes of workspace for a product of this type, ops, sizes, alpha and beta (its pointers are not
   * set yet); NULL: none */
  size_t (*workspace) (const gpumm_product *product, const gpumm_device_properties *device);
  int waits; /* launch reads the device and waits for the stream before it decides */
  /* the plan does not cut smaller tiles of C just to overlap transfers; 0: no such limit */
  int64_t smallest_tile;
  /* products of these types are faster if m, n and k are multiples of `multiple`: the engine pads
   * with zeros; 0: no type */
  unsigned padded_types;
  int64_t multiple;
  /* many products of these sizes at once: steps are the elements from one A, B and C to the next, 0
   * for an operand of all. NULL: one by one */
  gpumm_status (*launch_pages) (int device, gpumm_stream *stream, const gpumm_product *first,
                                int64_t count, const int64_t steps[3]);
} gpumm_kernel;

/* A matrix on a device: compressed rows of blocks of one size (1 x 1 if plain sparse) with
 * ascending block columns; or, if start is NULL, a full matrix by columns. */
typedef struct gpumm_device_matrix {
  int64_t rows, cols;             /* in blocks; full: in elements */
  int64_t block_rows, block_cols; /* of a block, its elements column by column */
  int64_t *start;                 /* rows + 1 offsets, counted in blocks from 0 */
  int32_t *column;                /* block column of each block */
  void *values;                   /* the blocks, contiguous */
  int64_t ld;                     /* full: elements from one column to the next */
  int64_t stored;                 /* number of blocks; in C: room for this many */
} gpumm_device_matrix;

/* C = alpha A B + beta C for block rows row .. row + count - 1 of A and C (of a full C: their rows
 * of elements), all on one device, with A or B or both by compressed rows. If C is sparse, beta is
 * 0. With a full C any operand may have an op; a matrix by compressed columns is passed as the
 * rows of its transpose with GPUMM_TRANSPOSE. With a sparse C there are no ops, except in kernels
 * for floating-point blocks: they transpose in their workspace, the structure in the symbolic phase
 * and the elements in a launch, unless prepared is set. */
typedef struct gpumm_sparse_product {
  gpumm_type type_a, type_b, type_c;
  gpumm_op op_a, op_b;
  gpumm_device_matrix a, b, c;
  int64_t row, count;
  int64_t pairs; /* products of blocks of the whole product; 0: not known, or none */
  gpumm_scalar alpha, beta;
  /* type C or Z, but all elements of A (of B) are real and multiply both parts of the other
   * operand */
  int real_a, real_b;
  int32_t *zero;   /* NULL, or on the device: set to 1 if a block of C is all zero */
  int conjugated;  /* also conjugate the elements of the operand by rows */
  int prepared;    /* this phase has already prepared the workspace for these operands */
  void *workspace; /* as for gpumm_product */
  size_t workspace_bytes;
  char *note;
} gpumm_sparse_product;

/* The symbolic phase of integer blocks turns rows of B of up to so many columns into bits, and
 * counts a row of C by words of them. */
enum { GPUMM_MOST_BITS = 1 << 14 };

/* A row of the table of kernels with an operand by compressed rows. Of an algorithm's rows that
 * run, the one with the least estimated seconds is taken, or without estimates the last. */
typedef struct gpumm_sparse_kernel {
  const char *algorithm; /* family: "spgemm" */
  const char *name;      /* row */
  int capability;
  int (*runs) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
  /* device->memory_free: what workspace and C may take together */
  size_t (*workspace) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
  /* The symbolic phase: sets c.start[i + 1] to the number of blocks in row i of C, for each row of
   * the product, including zeros by cancellation. NULL: C is full. */
  gpumm_status (*symbolic) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  /* The numeric phase; c.start holds the final offsets. */
  gpumm_status (*launch) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  int waits; /* launch reads the device and waits for the stream before it decides */
  /* the engine does not cut C into pieces of fewer rows just to overlap transfers; 0: no such
   * limit */
  int64_t smallest_piece;
  /* Between the phases: turns the counts c.start[i + 1] of the product's rows into offsets that
   * continue from c.start[row]. NULL: the caller does it. */
  gpumm_status (*offsets) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  /* Estimates the seconds on the device from sizes and pairs; the product may have no memory yet.
   * INFINITY: the kernel does not multiply these. NULL: no estimate. */
  double (*seconds) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
} gpumm_sparse_kernel;

/* The length of a result along the dimension of the lanes: theirs, 1, or gpumm_operation.length; or
 * there are no lanes, and sizes and strides are given. */
typedef enum {
  GPUMM_SAME_LENGTH,
  GPUMM_LENGTH_ONE,
  GPUMM_LENGTH_GIVEN,
  GPUMM_SIZES_GIVEN
} gpumm_length;

/* Where the places of an operation lie. */
typedef enum { GPUMM_NO_PLACES, GPUMM_PLACES_READ, GPUMM_PLACES_WRITTEN } gpumm_placing;

/* What an operation reads: the one input, what a map computes, or nothing. */
typedef enum { GPUMM_READS_INPUT, GPUMM_READS_MAP, GPUMM_READS_NOTHING } gpumm_reading;

/* A row of the table of operations on arrays. What can be read off the row, the caller checks. */
typedef struct gpumm_array_kernel {
  const char *name; /* gpumm_operation.name */
  unsigned types;   /* bit 1 << gpumm_type for each type that it reads; with 64-bit integers, which
                       have no arithmetic, the result is of the input's type. If it reads nothing,
                       the types that it gives */
  int results;      /* how many it can give */
  gpumm_length length;
  gpumm_placing places;
  gpumm_reading reads;
  int in_place; /* the first result may be the memory of an input of its type */
  /* Refuses what the row cannot say, with a text for error_text (). NULL: nothing. */
  gpumm_status (*check) (const gpumm_operation *operation);
  /* bytes of workspace on the device, by shape, types and fold; NULL: none */
  size_t (*workspace) (const gpumm_operation *operation);
  gpumm_status (*launch) (int device, gpumm_stream *stream, const gpumm_operation *operation,
                          void *workspace);
} gpumm_array_kernel;

/* The lower triangle of C becomes the transpose of the upper one; if C is Hermitian, its conjugate,
 * and the diagonal becomes real. C is full, `pages` matrices that begin step elements apart, or in
 * square blocks. With `from` C is a tile below the diagonal, which becomes the mirror image of that
 * tile above it. */
typedef struct gpumm_mirroring {
  gpumm_type type; /* S, D, C or Z */
  gpumm_symmetry symmetry;
  gpumm_device_matrix c;
  int64_t pages, step;
  const void *from; /* NULL, or cols x rows elements */
  int64_t ld_from;
} gpumm_mirroring;

/* Widens reals that came to a device in a narrower type. Columns of `rows` reals, ld apart, are cut
 * into pieces of `piece` rows (the last of a column may be shorter). The narrow reals of a piece
 * lie contiguous at its beginning. `count` pieces from `first` on, counted down the columns, become
 * wide reals in place. */
typedef struct gpumm_widening {
  gpumm_type narrow, wide; /* I8, I16 or S; S or D */
  void *p;
  int64_t rows, ld, piece;
  int64_t first, count;
} gpumm_widening;

enum { GPUMM_DRIVER_VERSION = 23 };

typedef struct gpumm_driver {
  int version;      /* GPUMM_DRIVER_VERSION */
  const char *name; /* "cuda" or "host" */

  /* Devices. count returns 0 and a text if there is no device or the runtime cannot start. */
  gpumm_status (*count) (int *count);
  gpumm_status (*properties) (int device, gpumm_device_properties *properties);

  /* Memory of the device, and page-locked memory of the host. Synchronous. */
  gpumm_status (*allocate) (int device, size_t bytes, void **p);
  gpumm_status (*release) (int device, void *p);
  gpumm_status (*pin) (int device, size_t bytes, void **p);
  gpumm_status (*unpin) (int device, void *p);

  gpumm_status (*stream_create) (int device, gpumm_stream **stream);
  gpumm_status (*stream_destroy) (int device, gpumm_stream *stream);
  gpumm_status (*stream_synchronize) (int device, gpumm_stream *stream); /* waits */
  gpumm_status (*event_create) (int device, gpumm_event_kind kind, gpumm_event **event);
  gpumm_status (*event_destroy) (int device, gpumm_event *event);
  gpumm_status (*event_record) (int device, gpumm_event *event, gpumm_stream *stream);
  gpumm_status (*event_synchronize) (int device, gpumm_event *event);     /* waits */
  gpumm_status (*event_done) (int device, gpumm_event *event, int *done); /* looks */
  gpumm_status (*event_seconds) (int device, gpumm_event *from, gpumm_event *to, double *seconds);
  /* work queued on stream later waits for event, which may be another device's */
  gpumm_status (*stream_wait) (int device, gpumm_stream *stream, gpumm_event *event);

  /* height columns of width bytes each, pitch bytes apart. Host memory must be pinned. */
  gpumm_status (*copy_up) (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                           const void *from, size_t from_pitch, size_t width, size_t height);
  gpumm_status (*copy_down) (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height);
  /* From memory of another device to memory of this one, on a stream of this one. NULL if the
   * driver cannot. */
  gpumm_status (*copy_peer) (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             int from_device, const void *from, size_t from_pitch, size_t width,
                             size_t height);
  gpumm_status (*fill) (int device, gpumm_stream *stream, void *p, int byte, size_t bytes);

  /* NULL if the driver cannot; then no data are sent in a narrow type. */
  gpumm_status (*widen) (int device, gpumm_stream *stream, const gpumm_widening *widening);

  gpumm_status (*mirror) (int device, gpumm_stream *stream, const gpumm_mirroring *mirroring);

  /* The runtime's own text of the last failure in this thread. */
  const char *(*error_text) (void);

  /* Releases what the driver itself keeps (library handles); streams stay valid. */
  void (*reset) (void);

  /* For tests: makes the n-th call, counted from now, fail (0: none). Returns the calls since the
   * last setting. NULL if the driver cannot (cuda). */
  int64_t (*fault) (int64_t n);

  /* To study kernels. launched describes the launches since its last call; NULL if the driver
   * cannot. count_accesses starts (on != 0) or stops counting, and with GPUMM_RECORD records, too;
   * counts returns the counts since then, for the allocation that p points into or (p NULL) for all
   * memory; records what was recorded, which stays until counting starts again. All NULL if the
   * driver cannot (cuda). */
  gpumm_status (*launched) (int device, gpumm_launches *launches);
  void (*count_accesses) (int on);
  gpumm_status (*counts) (const void *p, gpumm_counts *counts);
  gpumm_status (*records) (const gpumm_record **records, int64_t *count);

  /* Called once, when the driver is opened; NULL if no call takes long. Cancelling: long launches
   * check is_cancelled () and return GPUMM_CANCELLED once it is not 0. Progress: a synchronous
   * launch reports each part it has done by add (part); the parts add up to 1. */
  void (*watch) (int (*is_cancelled) (void), void (*add) (double fraction));

  const gpumm_kernel *const *kernels;               /* ends with NULL */
  const gpumm_sparse_kernel *const *sparse_kernels; /* ends with NULL */

  const gpumm_array_kernel *const *array_kernels; /* ends with NULL; NULL without map */

  /* Arrays entry by entry, as gpumm_arrays.h describes them; what it says is refused, the caller
   * has refused. Buffers are not looked at. All NULL if the driver cannot. */
  gpumm_status (*map) (int device, gpumm_stream *stream, const gpumm_map *map);
  int (*map_rows) (void); /* GPUMM_MAP_ROWS: those of gpumm_elementwise.h number the operations */
  /* The same for sparse matrices, with as many bytes of workspace as sparse_bytes says for the same
   * shape, type and op; it may be 0. */
  gpumm_status (*sparse) (int device, gpumm_stream *stream, const gpumm_sparse_work *work,
                          void *workspace);
  size_t (*sparse_bytes) (const gpumm_sparse_work *work);

  /* A routine of BLAS (not gemm) or LAPACK. All addresses are the device's, also of tau, pivots and
   * *info, which LAPACK sets. getri leaves the inverse in b. NULL: the engine calls the CPU's
   * library, which reaches this device's memory. call_bytes sets the bytes of workspace. */
  gpumm_status (*call) (int device, gpumm_stream *stream, const gpumm_call *call, void *workspace,
                        size_t bytes, int32_t *info);
  gpumm_status (*call_bytes) (int device, const gpumm_call *call, size_t *bytes);
  /* Why the library behind this algorithm's kernels cannot be used; NULL if it can, or there is
   * none. NULL if the driver's kernels need no libraries. */
  const char *(*missing) (const char *algorithm);
} gpumm_driver;

/* The one symbol that a driver library exports. */
GPUMM_API const gpumm_driver *gpumm_driver_table (void);

#ifdef __cplusplus
}
#endif
#endif
