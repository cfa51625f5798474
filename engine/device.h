/* device.h - the seam between the engine and a device runtime.
 *
 * A driver is one table of functions and one table of kernels. There are two: kernels/cuda (the
 * CUDA runtime) and kernels/host (the same kernels compiled for the host; memory is malloc, a
 * stream runs at once). Each is a library of its own, opened at first use, that exports
 * gpumm_driver_table (). All functions return 0 or a negative gpumm_status and leave a text for
 * error_text (). Everything is asynchronous on its stream unless it says otherwise.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_DEVICE_H
#define GPUMM_DEVICE_H

#include "gpumm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpumm_stream gpumm_stream; /* owned by the driver, opaque to the engine */
typedef struct gpumm_event gpumm_event;

enum { GPUMM_NOTE_BYTES = 32 };

/* A product that is a tile of a larger one whose operands stay on the device: C is made of down x
 * across tiles, all but the last of m x n, in launches one after the other that share a workspace
 * nobody else writes to. This is tile (row, col), and known_a and known_b say whether an earlier
 * launch read the same rows of op(A) and the same columns of op(B): what it found out of them may
 * still be there. down = 0: a product by itself. */
typedef struct gpumm_tiling {
  int64_t down, across, m, n;
  int64_t row, col;
  int known_a, known_b;
} gpumm_tiling;

/* One dense product with all operands on one device, type S, D, C or Z for all three:
 * C = alpha op(A) op(B) + beta C, sizes m x k, k x n, m x n after op (), any of them >= 0. A and B
 * are read in whole pieces of 16 bytes where that is faster: memory reaches to the end of the last
 * one, as all that a driver hands out does. */
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
  /* For a kernel whose speed depends on the data: how many times faster than the library's it is on
   * ordinary data, as measured. Where the data make it the slower one, it calls the library's. 0:
   * it was asked for, and is not to. */
  double gain;
  char *note; /* NULL, or GPUMM_NOTE_BYTES for what the launch decided: "14 moduli" */
} gpumm_product;

/* A row of the kernel table. */
typedef struct gpumm_kernel {
  const char *algorithm;  /* family: "tiled" */
  const char *name;       /* row: "tiled_16" */
  unsigned types;         /* bit 1 << gpumm_type for each it multiplies */
  int tile_m, tile_n;     /* of C, made by one block */
  int tile_k;             /* step along k */
  int thread_m, thread_n; /* of C, made by one thread */
  int capability;         /* lowest compute capability it runs on */
  int64_t from;           /* preferred over its family's earlier rows when min (m, n) >= from */
  /* may it run this product on that device? NULL: always */
  int (*runs) (const gpumm_product *product, const gpumm_device_properties *device);
  gpumm_status (*launch) (int device, gpumm_stream *stream, const gpumm_product *product);
  /* bytes of workspace it needs for a product of that type, ops, sizes, alpha and beta (its
   * pointers are not set yet); NULL: none */
  size_t (*workspace) (const gpumm_product *product, const gpumm_device_properties *device);
  int waits; /* launch reads the device and waits for the stream before it decides */
  /* tiles of C are not cut smaller than this only so that transfers overlap; 0: as the plan likes
   * */
  int64_t smallest_tile;
  /* products of these types are faster where m, n and k are multiples of this: the engine pads with
   * zeros; 0: none are */
  unsigned padded_types;
  int64_t multiple;
} gpumm_kernel;

/* A matrix by compressed rows on a device, in blocks of one size, plain sparse in blocks of 1 x 1;
 * or, start NULL, a dense one by columns. In a row the block columns ascend. */
typedef struct gpumm_rows {
  int64_t rows, cols;             /* in blocks; dense: in elements */
  int64_t block_rows, block_cols; /* of a block, its elements column by column */
  int64_t *start;                 /* rows + 1 offsets, counted in blocks from 0 */
  int32_t *column;                /* block column of each */
  void *values;                   /* the blocks one after the other */
  int64_t ld;                     /* dense: elements from one column to the next */
  int64_t stored;                 /* blocks that there are; of C: that there is room for */
} gpumm_rows;

/* C = alpha A B + beta C for the block rows row .. row + count - 1 of A and C (with a dense C: the
 * rows of elements that these are), all on one device, at least one of A and B by compressed rows.
 * beta is 0 where C is by rows. With a dense C op_a and op_b are of any operand: of one by rows
 * they say that its transpose is multiplied, so that a matrix by compressed columns is given as the
 * rows of its transpose, and GPUMM_TRANSPOSE. With a C by rows both operands come as they are
 * multiplied, but for kernels of blocks of floating point: these transpose in their workspace, the
 * structure in the symbolic phase and the elements in a launch, each unless it is prepared. */
typedef struct gpumm_sparse_product {
  gpumm_type type_a, type_b, type_c;
  gpumm_op op_a, op_b;
  gpumm_rows a, b, c;
  int64_t row, count;
  /* Blocks that are multiplied with each other for these rows, and for one of them, at most. Both 0:
   * not known, or none. */
  int64_t pairs, row_pairs;
  gpumm_scalar alpha, beta;
  /* C or Z, and all elements of A (of B) are real: as such they multiply, both parts of the other */
  int real_a, real_b;
  int32_t *zero;   /* NULL, or on the device: becomes 1 where a block of C comes out all zero */
  int conjugated;  /* the elements of the operand by rows are conjugated, beside what its op does */
  int prepared;    /* the workspace is as this phase has left it, with these operands by rows */
  void *workspace; /* as for gpumm_product */
  size_t workspace_bytes;
  char *note;
} gpumm_sparse_product;

/* A row of the table of kernels that have an operand by compressed rows. Of an algorithm's rows that
 * run, the one with the least estimated seconds is taken, and of rows without an estimate the last. */
typedef struct gpumm_sparse_kernel {
  const char *algorithm; /* family: "spgemm" */
  const char *name;      /* row */
  int capability;
  int (*runs) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
  /* memory_free of device: what workspace and C may take together */
  size_t (*workspace) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
  /* The symbolic phase: c.start[i + 1] becomes the number of blocks of row i of C, for each row of
   * the product; zeros that come of cancellation count. NULL: C is dense. */
  gpumm_status (*symbolic) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  /* The numeric phase, with c.start as it will be: offsets. */
  gpumm_status (*launch) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  int waits; /* launch reads the device and waits for the stream before it decides */
  /* C is not cut in pieces of fewer rows of elements only so that transfers overlap; 0: as the
   * engine likes */
  int64_t smallest_piece;
  /* Between them: c.start[i + 1] for each row of the product, counts, become offsets that go on from
   * c.start[row]. NULL: for the caller to do. */
  gpumm_status (*offsets) (int device, gpumm_stream *stream, const gpumm_sparse_product *product);
  /* The seconds that it needs on that device, estimated from sizes and pairs: memory may be missing.
   * INFINITY: it does not multiply these. NULL: no estimate. */
  double (*seconds) (const gpumm_sparse_product *product, const gpumm_device_properties *device);
} gpumm_sparse_kernel;

/* Reals on a device that came in a narrower type. Columns of rows reals, ld apart, are cut in pieces
 * of piece rows, the last of a column in what is left; at the beginning of a piece its reals lie one
 * after the other, in the narrow type. Of the pieces, counted down the columns, count from first on
 * become reals of the wide type where they lie. */
typedef struct gpumm_widening {
  gpumm_type narrow, wide; /* I8, I16 or S; S or D */
  void *p;
  int64_t rows, ld, piece;
  int64_t first, count;
} gpumm_widening;

#define GPUMM_DRIVER_VERSION 10

typedef struct gpumm_driver {
  int version;      /* GPUMM_DRIVER_VERSION */
  const char *name; /* "cuda" or "host" */

  /* Devices. count gives 0 and a text when there is none or the runtime cannot start. */
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
  gpumm_status (*event_create) (int device, gpumm_event **event);
  gpumm_status (*event_destroy) (int device, gpumm_event *event);
  gpumm_status (*event_record) (int device, gpumm_event *event, gpumm_stream *stream);
  gpumm_status (*event_synchronize) (int device, gpumm_event *event);     /* waits */
  gpumm_status (*event_done) (int device, gpumm_event *event, int *done); /* looks */
  gpumm_status (*event_seconds) (int device, gpumm_event *from, gpumm_event *to, double *seconds);
  /* work queued on stream from now on waits for event */
  gpumm_status (*stream_wait) (int device, gpumm_stream *stream, gpumm_event *event);

  /* height columns of width bytes each, pitch bytes apart. Host memory must be pinned. */
  gpumm_status (*copy_up) (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                           const void *from, size_t from_pitch, size_t width, size_t height);
  gpumm_status (*copy_down) (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height);
  gpumm_status (*fill) (int device, gpumm_stream *stream, void *p, int byte, size_t bytes);

  /* NULL where the driver cannot: then nothing comes narrow. */
  gpumm_status (*widen) (int device, gpumm_stream *stream, const gpumm_widening *widening);

  /* What the runtime said of the last failure in this thread: its own words. */
  const char *(*error_text) (void);

  /* Give back what the driver itself keeps (library handles); streams stay valid. */
  void (*reset) (void);

  /* Tests: let the n-th call from now fail, 0: none. Returns the calls since the last setting.
   * NULL where the driver cannot (cuda). */
  int64_t (*fault) (int64_t n);

  /* To study kernels. launched says what was launched since its last call; NULL where the driver
   * cannot. count_accesses starts (on != 0) or stops counting what kernels do, and counts gives the
   * counts since, of the allocation that p points into or, p NULL, of all memory; both NULL where
   * the driver cannot (cuda). */
  gpumm_status (*launched) (int device, gpumm_launches *launches);
  void (*count_accesses) (int on);
  gpumm_status (*counts) (const void *p, gpumm_counts *counts);

  /* Cancelling: launches that take long look at is_cancelled () and, once it is not 0, return
   * GPUMM_CANCELLED. Progress: a launch that runs at once says by add (part) what part of it is done,
   * in all 1. Called once, when the driver is opened; NULL where nothing takes long. */
  void (*watch) (int (*is_cancelled) (void), void (*add) (double part));

  const gpumm_kernel *const *kernels;               /* ends with NULL */
  const gpumm_sparse_kernel *const *sparse_kernels; /* ends with NULL */
} gpumm_driver;

/* The one symbol that a driver library exports. */
GPUMM_API const gpumm_driver *gpumm_driver_table (void);

#ifdef __cplusplus
}
#endif
#endif
