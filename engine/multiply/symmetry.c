/* symmetry.c - finds products that are symmetric or Hermitian by their operands, and makes their
 * results so.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "symmetry.h"
#include "arrays/calls.h"
#include "base/cancel.h"
#include "base/threads.h"
#include "base/types.h"
#include "compressed.h"
#include "device/device.h"
#include "memory/buffer.h"
#include "memory/host.h"

#include <stdatomic.h>
#include <string.h>

/* ---- comparing operands ------------------------------------------------------------------- */

/* Possible relations of two elements. */
enum { EQUAL = 1, CONJUGATE = 2 };

/* The relations that hold for x and y, bit for bit, so that NaN equals its own copy; -0i equals
 * 0i. */
static int relation (const void *x, const void *y, gpumm_type type) {
  uint64_t a[2] = {0}, b[2] = {0};
  const size_t part = gpumm_is_single (type) ? 4 : 8;
  memcpy (&a[0], x, part);
  memcpy (&b[0], y, part);
  if (a[0] != b[0])
    return 0;
  if (!gpumm_is_complex (type))
    return EQUAL | CONJUGATE;
  memcpy (&a[1], (const char *) x + part, part);
  memcpy (&b[1], (const char *) y + part, part);
  const uint64_t sign = UINT64_C (1) << (8 * part - 1);
  if (((a[1] | b[1]) & ~sign) == 0)
    return EQUAL | CONJUGATE;
  return (a[1] == b[1] ? EQUAL : 0) | (a[1] == (b[1] ^ sign) ? CONJUGATE : 0);
}

/* Matrices and triangles are read in squares of SIDE. A thread gets at least LEAST_ELEMENTS;
 * reading them takes ten times as long as waking the thread. */
enum { SIDE = 32, LEAST_ELEMENTS = 100000 };

/* A(i,j) is compared with B(j,i) if turns, else with B(i,j). */
typedef struct {
  const gpumm_matrix *a, *b;
  int turns;
  int64_t first;     /* column of A, from which the others count */
  _Atomic int holds; /* the relations that no element has refuted */
} comparison;

/* Compares columns begin .. end - 1 of A until no relation is left. */
static void compare_columns (void *context, int64_t begin, int64_t end) {
  comparison *x = context;
  const gpumm_matrix *a = x->a, *b = x->b;
  const size_t element = gpumm_type_bytes (a->type);
  int holds = EQUAL | CONJUGATE;
  for (int64_t j0 = begin; j0 < end && !gpumm_is_cancelled (); j0 += SIDE)
    for (int64_t i0 = 0; i0 < a->rows; i0 += SIDE) {
      for (int64_t j = x->first + j0; j < x->first + gpumm_least (end, j0 + SIDE) && holds; j++)
        for (int64_t i = i0; i < gpumm_least (a->rows, i0 + SIDE); i++) {
          const int64_t there = x->turns ? j + i * b->ld : i + j * b->ld;
          holds &= relation ((const char *) a->values + (size_t) (i + j * a->ld) * element,
                             (const char *) b->values + (size_t) there * element, a->type);
        }
      holds &= atomic_load_explicit (&x->holds, memory_order_relaxed);
      if (!holds) {
        atomic_store_explicit (&x->holds, 0, memory_order_relaxed);
        return;
      }
    }
  atomic_fetch_and (&x->holds, holds);
}

/* The relations of two full matrices of sizes that fit. */
static gpumm_status compare_full (const gpumm_matrix *a, const gpumm_matrix *b, int turns,
                                  int *holds) {
  comparison x = {.a = a, .b = b, .turns = turns, .holds = EQUAL | CONJUGATE};
  gpumm_status status = GPUMM_OK;
  /* most pairs differ at once, so compare a little before waking threads */
  compare_columns (&x, 0, gpumm_least (a->cols, SIDE));
  if (x.holds && a->cols > SIDE) {
    x.first = SIDE;
    status =
        gpumm_parallel (a->cols - SIDE, LEAST_ELEMENTS / (a->rows + 1) + 1, compare_columns, &x);
  }
  *holds = x.holds;
  return status;
}

/* Entry t of A and entry u of B, with elements (r,s) and (s,r) if turns. */
static int compare_entry (const gpumm_matrix *a, int64_t t, const gpumm_matrix *b, int64_t u,
                          int turns) {
  const size_t element = gpumm_type_bytes (a->type);
  const int64_t each = gpumm_entry_elements (a);
  const int64_t rows = a->format == GPUMM_BLOCKS ? a->block_rows : 1, cols = each / rows;
  int holds = EQUAL | CONJUGATE;
  for (int64_t e = 0; e < each && holds; e++) {
    const int64_t there = turns ? e / rows + e % rows * cols : e;
    holds &= relation ((const char *) a->values + (size_t) (t * each + e) * element,
                       (const char *) b->values + (size_t) (u * each + there) * element, a->type);
  }
  return holds;
}

/* The same for two sparse matrices, or two in blocks: entries of A, line by line, meet those of
 * each line of B in their order. */
static gpumm_status compare_compressed (const gpumm_matrix *a, const gpumm_matrix *b, int turns,
                                        int *holds) {
  const int64_t lines = gpumm_line_count (a), others = gpumm_line_count (b);
  *holds = 0;
  if ((turns ? gpumm_line_length (a) : lines) != others || gpumm_entries (a) != gpumm_entries (b)
      || (a->format == GPUMM_BLOCKS
          && (a->block_rows != (turns ? b->block_cols : b->block_rows)
              || a->block_cols != (turns ? b->block_rows : b->block_cols))))
    return GPUMM_OK;
  int64_t *next = gpumm_allocate (others, sizeof *next);
  if (!next)
    return GPUMM_HOST_MEMORY;
  memcpy (next, b->start, (size_t) others * sizeof *next);
  *holds = EQUAL | CONJUGATE;
  for (int64_t i = 0; i < lines && *holds; i++)
    for (int64_t t = a->start[i]; t < a->start[i + 1] && *holds && !gpumm_is_cancelled_at (t);
         t++) {
      const int64_t x = gpumm_index_at (a, t), line = turns ? x : i, u = next[line]++;
      const int is_there = u < b->start[line + 1] && gpumm_index_at (b, u) == (turns ? i : x);
      *holds &= is_there ? compare_entry (a, t, b, u, turns) : 0;
    }
  gpumm_release (next);
  return gpumm_check_cancelled ();
}

/* ---- the symmetry of a product ------------------------------------------------------------ */

static int conjugates (const gpumm_matrix *x) {
  return x->op == GPUMM_CTRANSPOSE && gpumm_is_complex (x->type);
}

/* Products of compressed matrices add real terms of C(i,j) and C(j,i) in one order, so they
 * mirror. */
static int may_mirror (const gpumm_problem *p) {
  const gpumm_matrix *a = &p->a, *b = &p->b;
  return a->format == b->format && a->type == b->type && gpumm_is_float (a->type)
         && gpumm_m (p) == gpumm_n (p) && !gpumm_is_zero (p->alpha)
         && (gpumm_is_complex (a->type) || (a->format == GPUMM_FULL && gpumm_m (p) > 1));
}

/* Sets *holds to the relations of op (A) and the transpose of op (B). */
static gpumm_status compare_operands (const gpumm_problem *p, int *holds) {
  const gpumm_matrix *a = &p->a, *b = &p->b;
  const int turns = gpumm_is_turned (a) == gpumm_is_turned (b);
  gpumm_status status = GPUMM_OK;
  if (gpumm_is_one_array (p) && !turns)
    *holds = EQUAL;
  else if (a->buffer || b->buffer)
    *holds = 0;
  else if (a->format == GPUMM_FULL)
    status = compare_full (a, b, turns, holds);
  else
    status = compare_compressed (a, b, turns, holds);
  if (conjugates (a) != conjugates (b))
    *holds = (*holds & EQUAL ? CONJUGATE : 0) | (*holds & CONJUGATE ? EQUAL : 0);
  return status;
}

/* Do the scalars and C0 keep the symmetry? */
static gpumm_status check_terms (const gpumm_problem *p, gpumm_symmetry *symmetry) {
  const int is_hermitian = *symmetry == GPUMM_HERMITIAN;
  int holds = 0;
  gpumm_status status = GPUMM_OK;
  if (is_hermitian && (p->alpha.im != 0 || (p->c0 && p->beta.im != 0)))
    *symmetry = GPUMM_GENERAL;
  if (*symmetry == GPUMM_GENERAL || !p->c0)
    return GPUMM_OK;
  if (!p->c0->buffer)
    status = compare_full (p->c0, p->c0, 1, &holds);
  if (!(holds & (is_hermitian ? CONJUGATE : EQUAL)))
    *symmetry = GPUMM_GENERAL;
  return status;
}

/* op (B) by the array of A, if an op of A says it. */
static void take_one_array (gpumm_problem *p, gpumm_symmetry symmetry) {
  const gpumm_op turned = symmetry == GPUMM_HERMITIAN ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE;
  if (p->a.format != GPUMM_FULL || gpumm_is_one_array (p))
    return;
  if (p->a.op != GPUMM_NONE && gpumm_is_complex (p->a.type) && p->a.op != turned)
    return; /* op (B) is the conjugate of A, not transposed */
  const gpumm_op op = p->a.op == GPUMM_NONE ? turned : GPUMM_NONE;
  p->b = p->a;
  p->b.op = op;
}

gpumm_status gpumm_find_symmetry (gpumm_problem *p, gpumm_symmetry *symmetry) {
  int holds = 0;
  *symmetry = GPUMM_GENERAL;
  if (!may_mirror (p))
    return GPUMM_OK;
  gpumm_status status = compare_operands (p, &holds);
  if (status || !holds)
    return status;
  *symmetry = holds & EQUAL || !gpumm_is_complex (p->a.type) ? GPUMM_SYMMETRIC : GPUMM_HERMITIAN;
  status = check_terms (p, symmetry);
  if (!status && *symmetry != GPUMM_GENERAL)
    take_one_array (p, *symmetry);
  return status;
}

/* ---- mirroring ---------------------------------------------------------------------------- */

typedef struct {
  gpumm_matrix c;
  int is_hermitian;
  atomic_int zeroes; /* entries of which the mirrored one is not stored have become zero */
} mirroring;

/* Element `to` becomes element `from`, mirrored; on the diagonal they are one. */
static inline void mirror_element (const mirroring *m, void *to, const void *from) {
  const gpumm_type type = m->c.type;
  const size_t bytes = gpumm_type_bytes (type);
  memmove (to, from, bytes);
  if (!m->is_hermitian)
    return;
  if (type == GPUMM_C)
    ((float *) to)[1] = to == from ? 0 : -((float *) to)[1];
  else
    ((double *) to)[1] = to == from ? 0 : -((double *) to)[1];
}

/* Squares of the upper triangle, one below the other, are copied to the lower one by way of a small
 * array: columns of C that are a power of 2 apart would drive each other out of the cache. */
#define MIRROR(name, real, parts)                                                                  \
  static void name (void *context, int64_t begin, int64_t end) {                                   \
    const mirroring *m = context;                                                                  \
    const int64_t n = m->c.cols, ld = m->c.ld;                                                     \
    real *c = m->c.values, square[SIDE][SIDE][parts];                                              \
    for (int64_t j0 = begin * SIDE; j0 < n && j0 < end * SIDE && !gpumm_is_cancelled ();           \
         j0 += SIDE) {                                                                             \
      const int64_t cols = gpumm_least (SIDE, n - j0);                                             \
      for (int64_t i0 = 0; i0 <= j0; i0 += SIDE) {                                                 \
        const int64_t rows = gpumm_least (SIDE, n - i0);                                           \
        for (int64_t j = 0; j < cols; j++)                                                         \
          for (int64_t i = 0; i < rows; i++)                                                       \
            for (int p = 0; p < parts; p++)                                                        \
              square[i][j][p] = c[parts * (i0 + i + (j0 + j) * ld) + p];                           \
        for (int64_t i = 0; i < rows; i++)                                                         \
          for (int64_t j = i0 == j0 ? i : 0; j < cols; j++) {                                      \
            real *to = c + parts * (j0 + j + (i0 + i) * ld);                                       \
            const real im = square[i][j][parts - 1];                                               \
            to[0] = square[i][j][0];                                                               \
            if (parts == 2)                                                                        \
              to[1] = !m->is_hermitian ? im : i0 == j0 && i == j ? 0 : -im;                        \
          }                                                                                        \
      }                                                                                            \
    }                                                                                              \
  }
MIRROR (mirror_s, float, 1)
MIRROR (mirror_d, double, 1)
MIRROR (mirror_c, float, 2)
MIRROR (mirror_z, double, 2)

static gpumm_status mirror_full (mirroring *m, int64_t pages) {
  void (*const of_type[]) (void *, int64_t, int64_t) = {mirror_s, mirror_d, mirror_c, mirror_z};
  const int64_t n = m->c.cols;
  gpumm_status status = GPUMM_OK;
  for (int64_t page = 0; page < pages && !status; page++) {
    status = gpumm_parallel (gpumm_pieces (n, SIDE), LEAST_ELEMENTS / (SIDE * n) + 1,
                             of_type[m->c.type], m);
    m->c.values = (char *) m->c.values + (size_t) (m->c.ld * n) * gpumm_type_bytes (m->c.type);
  }
  return status;
}

/* The entry with this index in a line, or -1. */
static int64_t find_entry (const gpumm_matrix *c, int64_t line, int64_t index) {
  int64_t begin = c->start[line], end = c->start[line + 1];
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (gpumm_index_at (c, middle) < index)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < c->start[line + 1] && gpumm_index_at (c, begin) == index ? begin : -1;
}

/* Of two mirrored entries the one with the larger index in its line counts; on the diagonal the
 * elements above it. */
static void mirror_lines (void *context, int64_t begin, int64_t end) {
  mirroring *m = context;
  const gpumm_matrix *c = &m->c;
  const size_t element = gpumm_type_bytes (c->type);
  const int64_t each = gpumm_entry_elements (c);
  const int64_t side = c->format == GPUMM_BLOCKS ? c->block_rows : 1;
  for (int64_t line = begin; line < end; line++)
    for (int64_t t = c->start[line]; t < c->start[line + 1] && !gpumm_is_cancelled_at (t); t++) {
      const int64_t index = gpumm_index_at (c, t), there = find_entry (c, index, line);
      char *to = (char *) c->values + (size_t) (t * each) * element;
      const char *from = (const char *) c->values + (size_t) (there * each) * element;
      if (there < 0) {
        memset (to, 0, (size_t) each * element);
        atomic_store_explicit (&m->zeroes, 1, memory_order_relaxed);
      } else if (index <= line)
        for (int64_t e = 0; e < each; e++) {
          const int64_t row = e % side, col = e / side;
          if (index < line || row >= col)
            mirror_element (m, to + (size_t) e * element,
                            from + (size_t) (col + row * side) * element);
        }
    }
}

static gpumm_status mirror_on_device (const gpumm_matrix *c, int64_t pages,
                                      gpumm_symmetry symmetry) {
  gpumm_context *context = c->buffer->context;
  const int in_blocks = c->format == GPUMM_BLOCKS;
  const gpumm_mirroring m = {.type = c->type,
                             .symmetry = symmetry,
                             .c = {.rows = in_blocks ? c->rows / c->block_rows : c->rows,
                                   .cols = in_blocks ? c->cols / c->block_cols : c->cols,
                                   .block_rows = c->block_rows,
                                   .block_cols = c->block_cols,
                                   .start = c->start,
                                   .column = c->block_column,
                                   .values = c->values,
                                   .ld = c->ld,
                                   .stored = c->nzmax},
                             .pages = pages,
                             .step = c->ld * c->cols};
  gpumm_array_call call = {.name = "mirroring", .context = context};
  const gpumm_status status = gpumm_array_begin (&call, 0);
  return status
             ? status
             : gpumm_array_end (&call, context->driver->mirror (context->device, call.stream, &m));
}

gpumm_status gpumm_mirror (const gpumm_matrix *c, int64_t pages, gpumm_symmetry symmetry) {
  mirroring m = {.c = *c, .is_hermitian = symmetry == GPUMM_HERMITIAN};
  if (symmetry == GPUMM_GENERAL || c->rows == 0 || pages == 0)
    return GPUMM_OK;
  if (c->buffer)
    return mirror_on_device (c, pages, symmetry);
  if (c->format == GPUMM_FULL)
    return mirror_full (&m, pages);
  gpumm_status status = gpumm_parallel (gpumm_line_count (c), 64, mirror_lines, &m);
  if (!status && atomic_load (&m.zeroes))
    status = gpumm_drop_zeros (c);
  return status;
}
