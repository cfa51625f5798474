/* types.h - element types and sizes of problems.
 *
 * Here is what follows from the fields of a matrix or a problem. The functions check nothing and
 * read no array but the last offset (gpumm_entries). What can fail or takes a loop is in matrix.h
 * and multiply/compressed.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TYPES_H
#define GPUMM_TYPES_H

#include "gpumm.h"

static inline int gpumm_is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static inline int gpumm_is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static inline int gpumm_is_float (gpumm_type type) {
  return type <= GPUMM_Z;
}

static inline int gpumm_is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

static inline int gpumm_is_signed (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_I64;
}

static inline int64_t gpumm_least (int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* The number of tiles that cover size. */
static inline int64_t gpumm_pieces (int64_t size, int64_t tile) {
  return tile > 0 ? (size + tile - 1) / tile : 1;
}

/* Of a floating-point type: of its precision. */
static inline gpumm_type gpumm_real_type (gpumm_type type) {
  return gpumm_is_single (type) ? GPUMM_S : GPUMM_D;
}

static inline gpumm_type gpumm_complex_type (gpumm_type type) {
  return gpumm_is_single (type) ? GPUMM_C : GPUMM_Z;
}

/* Are both operands full? */
static inline int gpumm_is_full (const gpumm_problem *p) {
  return p->a.format == GPUMM_FULL && p->b.format == GPUMM_FULL;
}

/* And floating point? */
static inline int gpumm_is_full_float (const gpumm_problem *p) {
  return gpumm_is_full (p) && gpumm_is_float (p->a.type) && gpumm_is_float (p->b.type);
}

static inline int gpumm_is_turned (const gpumm_matrix *x) {
  return x->op != GPUMM_NONE;
}

/* Sizes of op (X): */
static inline int64_t gpumm_op_rows (const gpumm_matrix *x) {
  return gpumm_is_turned (x) ? x->cols : x->rows;
}

static inline int64_t gpumm_op_cols (const gpumm_matrix *x) {
  return gpumm_is_turned (x) ? x->rows : x->cols;
}

/* The product's sizes: m x k times k x n. */
static inline int64_t gpumm_m (const gpumm_problem *p) {
  return gpumm_op_rows (&p->a);
}

static inline int64_t gpumm_k (const gpumm_problem *p) {
  return gpumm_op_cols (&p->a);
}

static inline int64_t gpumm_n (const gpumm_problem *p) {
  return gpumm_op_cols (&p->b);
}

/* Makes x, a full matrix, the matrix of `count` of the columns of op (x). */
static inline void gpumm_take_columns (gpumm_matrix *x, int64_t from, int64_t count) {
  const int is_turned = gpumm_is_turned (x);
  *(is_turned ? &x->rows : &x->cols) = count;
  x->values =
      (char *) x->values + (size_t) (is_turned ? from : from * x->ld) * gpumm_type_bytes (x->type);
}

/* Compressed columns of elements, or compressed rows of blocks, are lines of entries: the number of
 * lines, the places in a line, and the entries. */
static inline int64_t gpumm_line_count (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->rows / x->block_rows : x->cols;
}

static inline int64_t gpumm_line_length (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->cols / x->block_cols : x->rows;
}

static inline int64_t gpumm_entries (const gpumm_matrix *x) {
  return x->buffer ? x->nzmax : x->start[gpumm_line_count (x)];
}

/* Elements and bytes of an entry, bytes of its index. */
static inline int64_t gpumm_entry_elements (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->block_rows * x->block_cols : 1;
}

static inline size_t gpumm_entry_bytes (const gpumm_matrix *x) {
  return (size_t) gpumm_entry_elements (x) * gpumm_type_bytes (x->type);
}

static inline size_t gpumm_index_bytes (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS || x->buffer ? sizeof *x->block_column : sizeof *x->row;
}

/* Sizes of the blocks of op (X). */
static inline int64_t gpumm_op_block_rows (const gpumm_matrix *x) {
  return gpumm_is_turned (x) ? x->block_cols : x->block_rows;
}

static inline int64_t gpumm_op_block_cols (const gpumm_matrix *x) {
  return gpumm_is_turned (x) ? x->block_rows : x->block_cols;
}

/* Elements at the same places, and the same arrays say so. Equal pointers are not enough: the sizes
 * must match too. */
static inline int gpumm_is_same_pattern (const gpumm_matrix *a, const gpumm_matrix *b) {
  return a->rows == b->rows && a->cols == b->cols && a->start == b->start && a->index == b->index
         && a->block_rows == b->block_rows && a->block_cols == b->block_cols;
}

/* One matrix, whatever its op. */
static inline int gpumm_is_same (const gpumm_matrix *a, const gpumm_matrix *b) {
  return a->format == b->format && a->type == b->type && a->buffer == b->buffer
         && a->values == b->values && a->ld == b->ld && a->nzmax == b->nzmax
         && gpumm_is_same_pattern (a, b);
}

static inline int gpumm_is_one_array (const gpumm_problem *p) {
  return gpumm_is_same (&p->a, &p->b);
}

/* A A' or A' A. */
static inline int gpumm_is_gram (const gpumm_problem *p) {
  return gpumm_is_one_array (p) && gpumm_is_turned (&p->a) != gpumm_is_turned (&p->b);
}

/* A buffer that decides where the product runs, or NULL. */
static inline const gpumm_buffer *gpumm_home (const gpumm_problem *p) {
  return p->a.buffer ? p->a.buffer : p->b.buffer ? p->b.buffer : p->c0 ? p->c0->buffer : NULL;
}

/* Is the product bound to a device? */
static inline int gpumm_is_bound (const gpumm_problem *p) {
  return p->stays || gpumm_home (p);
}

/* The result is sparse, or in blocks, if both operands are. */
static inline gpumm_format gpumm_result_format (const gpumm_problem *p) {
  return p->a.format == p->b.format && !(p->a.format == GPUMM_BLOCKS && p->full) ? p->a.format
                                                                                 : GPUMM_FULL;
}

/* Operations of one multiply-add: real 2, complex 8, one of each 4. */
static inline double gpumm_flops_each (const gpumm_problem *p) {
  return 2.0 * (gpumm_is_complex (p->a.type) ? 2 : 1) * (gpumm_is_complex (p->b.type) ? 2 : 1);
}

/* The word before the element type's name in an error. */
static inline const char *gpumm_format_word (gpumm_format kind) {
  return kind == GPUMM_SPARSE ? "sparse " : kind == GPUMM_BLOCKS ? "block-sparse " : "";
}

/* A scalar as BLAS takes it: of the type of the matrices. */
typedef union gpumm_typed_scalar {
  float s[2];
  double d[2];
} gpumm_typed_scalar;

static inline gpumm_typed_scalar gpumm_scalar_of (gpumm_type type, gpumm_scalar x) {
  return gpumm_is_single (type) ? (gpumm_typed_scalar){.s = {(float) x.re, (float) x.im}}
                                : (gpumm_typed_scalar){.d = {x.re, x.im}};
}

static inline int gpumm_is_one (gpumm_scalar s) {
  return s.re == 1 && s.im == 0;
}

static inline int gpumm_is_zero (gpumm_scalar s) {
  return s.re == 0 && s.im == 0;
}

#endif
