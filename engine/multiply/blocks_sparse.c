/* blocks_sparse.c - converts a matrix in blocks to a sparse one.
 *
 * gpumm_blocks_sparse_open lists the blocks by block columns, in row order, and counts the nonzeros
 * of each column. gpumm_blocks_sparse_fill then writes the columns of each block column from its
 * list. The lists take 12 bytes per block and 8 per column.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_tools.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/matrix.h"
#include "base/threads.h"
#include "base/types.h"
#include "compressed.h"
#include "memory/host.h"
#include "memory/limit.h"

#include <complex.h>
#include <string.h>

/* The fewest elements for a thread: about 50 us of work. */
static const int64_t LEAST_ELEMENTS = 20000;

struct gpumm_blocks_sparse {
  const gpumm_matrix *x;
  gpumm_matrix turned; /* the block row and the place in x of each block, by block columns */
  int64_t *column;     /* offsets of the result, as in gpumm_matrix */
  gpumm_matrix *y;     /* the result; NULL: its columns are counted */
  gpumm_owner memory;  /* behind all these */
};

static int is_nonzero (const gpumm_matrix *x, int64_t at) {
  return x->type == GPUMM_D ? ((const double *) x->values)[at] != 0
                            : ((const double complex *) x->values)[at] != 0;
}

/* The nonzeros of block columns begin to end - 1 are counted in s->column, or written to s->y. */
static void visit_columns (void *context, int64_t begin, int64_t end) {
  const gpumm_blocks_sparse *s = context;
  const gpumm_matrix *x = s->x, *y = s->y;
  const int64_t *start = s->turned.start, *source = s->turned.values;
  const int64_t height = x->block_rows, width = x->block_cols;
  const size_t bytes = gpumm_type_bytes (x->type);
  for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++)
    for (int64_t c = 0; c < width; c++) {
      int64_t to = y ? s->column[j * width + c] : 0;
      for (int64_t t = start[j]; t < start[j + 1]; t++) {
        const int64_t from = (source[t] * width + c) * height;
        for (int64_t r = 0; r < height; r++) {
          const int any = is_nonzero (x, from + r);
          if (any && y) {
            y->row[to] = s->turned.block_column[t] * height + r;
            memcpy ((char *) y->values + (size_t) to * bytes,
                    (const char *) x->values + (size_t) (from + r) * bytes, bytes);
          }
          to += any;
        }
      }
      if (!y)
        s->column[j * width + c + 1] = to;
    }
}

static gpumm_status visit (gpumm_blocks_sparse *s) {
  const gpumm_matrix *x = s->x;
  const double columns = (double) gpumm_line_length (x) + 1;
  const double elements = (double) gpumm_entries (x) * (double) gpumm_entry_elements (x);
  const int64_t least = (int64_t) ((double) LEAST_ELEMENTS / (elements / columns + 1)) + 1;
  return gpumm_parallel (gpumm_line_length (x), least, visit_columns, s);
}

gpumm_status gpumm_blocks_sparse_open (const gpumm_matrix *x, gpumm_blocks_sparse **sparse,
                                       gpumm_matrix *shape) {
  if (!x || !sparse || !shape)
    return gpumm_fail (GPUMM_INVALID, "no matrix given");
  *sparse = NULL;
  if (x->format != GPUMM_BLOCKS || (x->type != GPUMM_D && x->type != GPUMM_Z))
    return gpumm_fail (GPUMM_UNSUPPORTED, "sparse matrices are made of blocks of double in host "
                                          "memory");
  gpumm_status status = gpumm_check_matrix (x, "the matrix");
  if (!status)
    status = gpumm_check_entries (x, "the matrix");
  if (!status && x->rows / x->block_rows > INT32_MAX)
    status = gpumm_fail (GPUMM_UNSUPPORTED, "the matrix has more than 2^31 block rows");
  if (status)
    return status;
  gpumm_blocks_sparse *s = gpumm_allocate (1, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  gpumm_cancel_enter ();
  s->x = x;
  s->column = gpumm_own (&s->memory, x->cols + 1, sizeof *s->column);
  status = s->column ? gpumm_transpose_lines (&s->memory, x, 0, &s->turned) : GPUMM_HOST_MEMORY;
  if (!status)
    status = visit (s);
  for (int64_t j = 0; !status && j < x->cols; j++)
    s->column[j + 1] += s->column[j];
  if (!status) {
    *shape = (gpumm_matrix){.format = GPUMM_SPARSE,
                            .type = x->type,
                            .rows = x->rows,
                            .cols = x->cols,
                            .nzmax = s->column[x->cols]};
    status = gpumm_check_room (shape);
  }
  if (status)
    gpumm_blocks_sparse_close (s);
  else
    *sparse = s;
  return status;
}

void gpumm_blocks_sparse_close (gpumm_blocks_sparse *s) {
  if (!s)
    return;
  gpumm_release_owned (&s->memory);
  gpumm_release (s);
  gpumm_cancel_leave ();
}

gpumm_status gpumm_blocks_sparse_fill (gpumm_blocks_sparse *s, gpumm_matrix *y) {
  const gpumm_matrix *x = s ? s->x : NULL;
  if (!s || !y || y->format != GPUMM_SPARSE || y->type != x->type || y->rows != x->rows
      || y->cols != x->cols || y->nzmax < s->column[x->cols] || !y->start
      || (s->column[x->cols] > 0 && (!y->row || !y->values)))
    return gpumm_fail (GPUMM_INVALID, "not the matrix that gpumm_blocks_sparse_open described");
  memcpy (y->start, s->column, ((size_t) x->cols + 1) * sizeof *y->start);
  s->y = y;
  return visit (s);
}
