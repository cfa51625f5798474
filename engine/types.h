/* types.h - element types and sizes of problems.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TYPES_H
#define GPUMM_TYPES_H

#include "gpumm.h"

static inline int gpumm_is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
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

/* Are both operands full floating point? */
static inline int gpumm_is_dense_float (const gpumm_problem *p) {
  return p->a.kind == GPUMM_DENSE && p->b.kind == GPUMM_DENSE && gpumm_is_float (p->a.type)
         && gpumm_is_float (p->b.type);
}

/* Sizes of op (X): */
static inline int64_t gpumm_op_rows (const gpumm_operand *x, gpumm_op op) {
  return op == GPUMM_NONE ? x->rows : x->cols;
}

static inline int64_t gpumm_op_cols (const gpumm_operand *x, gpumm_op op) {
  return op == GPUMM_NONE ? x->cols : x->rows;
}

/* The product's sizes: m x k times k x n. */
static inline int64_t gpumm_m (const gpumm_problem *p) {
  return gpumm_op_rows (&p->a, p->op_a);
}

static inline int64_t gpumm_k (const gpumm_problem *p) {
  return gpumm_op_cols (&p->a, p->op_a);
}

static inline int64_t gpumm_n (const gpumm_problem *p) {
  return gpumm_op_cols (&p->b, p->op_b);
}

/* Sizes of the blocks of op (X). */
static inline int64_t gpumm_op_block_rows (const gpumm_operand *x, gpumm_op op) {
  return op == GPUMM_NONE ? x->block_rows : x->block_cols;
}

static inline int64_t gpumm_op_block_cols (const gpumm_operand *x, gpumm_op op) {
  return op == GPUMM_NONE ? x->block_cols : x->block_rows;
}

/* Elements at the same places, and the same arrays say so. Equal pointers are not enough: the sizes
 * must match too. */
static inline int gpumm_is_same_pattern (const gpumm_operand *a, const gpumm_operand *b) {
  return a->rows == b->rows && a->cols == b->cols && a->column == b->column && a->row == b->row
         && a->block_rows == b->block_rows && a->block_cols == b->block_cols
         && a->block_start == b->block_start && a->block_column == b->block_column;
}

/* One matrix, of any kind. */
static inline int gpumm_is_same (const gpumm_operand *a, const gpumm_operand *b) {
  return a->kind == b->kind && a->type == b->type && a->values == b->values && a->ld == b->ld
         && a->nzmax == b->nzmax && gpumm_is_same_pattern (a, b);
}

static inline int gpumm_is_one_array (const gpumm_problem *p) {
  return gpumm_is_same (&p->a, &p->b);
}

/* The result is sparse, or in blocks, if both operands are. */
static inline gpumm_kind gpumm_result_kind (const gpumm_problem *p) {
  return p->a.kind == p->b.kind && !(p->a.kind == GPUMM_BLOCKS && p->full) ? p->a.kind
                                                                           : GPUMM_DENSE;
}

/* Operations of one multiply-add: real 2, complex 8, one of each 4. */
static inline double gpumm_flops_each (const gpumm_problem *p) {
  return 2.0 * (gpumm_is_complex (p->a.type) ? 2 : 1) * (gpumm_is_complex (p->b.type) ? 2 : 1);
}

/* The word before the element type's name in an error. */
static inline const char *gpumm_kind_word (gpumm_kind kind) {
  return kind == GPUMM_SPARSE ? "sparse " : kind == GPUMM_BLOCKS ? "block-sparse " : "";
}

static inline int gpumm_is_one (gpumm_scalar s) {
  return s.re == 1 && s.im == 0;
}

static inline int gpumm_is_zero (gpumm_scalar s) {
  return s.re == 0 && s.im == 0;
}

#endif
