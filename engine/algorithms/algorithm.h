/* algorithm.h - what an algorithm gives the engine: one row of the table in table.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ALGORITHM_H
#define GPUMM_ALGORITHM_H

#include "../gpumm.h"
#include "../plan.h"
#include "../types.h"

struct gpumm_sparse_estimate; /* sparse.h */

struct gpumm_job {
  gpumm_problem problem;
  gpumm_options options;
  gpumm_operand c0;    /* copy of *problem.c0, so that the caller's struct may go */
  gpumm_operand shape; /* the result without memory; open () of an algorithm may lower nzmax */
  gpumm_plan plan;
  gpumm_report report;
  int keeps_sparse; /* making dense matrices of sparse ones has failed */
  double opened;    /* host clock, seconds */
  int has_run;
  int is_open; /* the algorithm's open was called, and its close was not */
  gpumm_trace
      *trace;  /* of gpumm_run_traced, else NULL: kernels run in one piece, and are watched */
  int count;   /* and counted */
  void *state; /* the algorithm's own, between open and close */
};

/* Where element (row, col) of op (X) is. */
static inline const void *gpumm_element_at (const void *x, int64_t ld, gpumm_op op, int64_t row,
                                            int64_t col, gpumm_type type) {
  int64_t elements = op == GPUMM_NONE ? row + col * ld : col + row * ld;
  return (const char *) x + elements * (int64_t) gpumm_type_bytes (type);
}

/* The part of p that makes rows i .. i + m - 1 and columns j .. j + n - 1 of C, or as many as there
 * are. */
static inline gpumm_product gpumm_product_part (const gpumm_product *p, int64_t i, int64_t m,
                                                int64_t j, int64_t n) {
  gpumm_product part = *p;
  part.m = gpumm_least (m, p->m - i);
  part.n = gpumm_least (n, p->n - j);
  part.a = gpumm_element_at (p->a, p->lda, p->op_a, i, 0, p->type);
  part.b = gpumm_element_at (p->b, p->ldb, p->op_b, 0, j, p->type);
  part.c = (char *) p->c + (i + j * p->ldc) * (int64_t) gpumm_type_bytes (p->type);
  return part;
}

/* Launches a gpumm_product with the gpumm_kernel that is the stream job's context (panels.h). */
struct gpumm_stream_job;
struct gpumm_part;
gpumm_status gpumm_launch_product (const struct gpumm_stream_job *job, const void *product,
                                   struct gpumm_part part, gpumm_stream *stream, char *note);

/* What an algorithm that runs a kernel of the table does instead where job->trace is set. */
gpumm_status gpumm_trace_kernel (struct gpumm_job *job, gpumm_operand *result);

/* Its parts, for algorithms with steps of their own: what was launched since the last call; and a
 * launch with counting on, to job->trace. memory is where A, B, C and the temporaries lie on the
 * device, NULL for those that lie nowhere. */
typedef gpumm_status gpumm_counted_launch (const struct gpumm_job *job, const void *context,
                                           gpumm_stream *stream);
gpumm_status gpumm_trace_launches (const struct gpumm_job *job, gpumm_launches *launches);
gpumm_status gpumm_trace_count (const struct gpumm_job *job, gpumm_counted_launch *launch,
                                const void *context, void *const memory[]);

typedef struct gpumm_algorithm {
  const char *name;
  const char *summary;
  int on_device; /* runs kernels of the table on a device (the GPU, or the host device) */
  /* its error can be larger than plain arithmetic of the class allows, element by element: "auto"
   * never takes it */
  int wider_bound;
  /* it multiplies by jobs of its own, whose plans choose the CPU or a device */
  int has_own_jobs;
  /* can it multiply these at all? A pure look at kinds and types; shape->type is the result's. */
  int (*takes) (const gpumm_problem *problem);
  /* Products that are not full by full in floating point: an estimate of the seconds from host
   * memory to host memory, on a device, or on the CPU with place NULL, by which "auto" chooses;
   * INFINITY: not known. NULL: only its name chooses it. */
  double (*seconds) (const gpumm_problem *problem, const gpumm_place *place,
                     const struct gpumm_sparse_estimate *estimate);
  /* may be NULL; for sparse results the symbolic phase: sets job->shape.nzmax */
  gpumm_status (*open) (struct gpumm_job *job);
  /* computes into result; fills kernel, compute and flops of job->report */
  gpumm_status (*run) (struct gpumm_job *job, gpumm_operand *result);
  void (*close) (struct gpumm_job *job); /* releases job->state; may be NULL */
} gpumm_algorithm;

/* All algorithms, ended by NULL; the one of that name, or NULL. */
extern const gpumm_algorithm *const gpumm_algorithms[];
const gpumm_algorithm *gpumm_algorithm_find (const char *name);

/* Not in the table: real times complex, made of real products (mixed.c). */
extern const gpumm_algorithm gpumm_algorithm_mixed;

extern const gpumm_algorithm gpumm_algorithm_blas, gpumm_algorithm_loops, gpumm_algorithm_integers,
    gpumm_algorithm_sparse, gpumm_algorithm_blocks, gpumm_algorithm_naive, gpumm_algorithm_tiled,
    gpumm_algorithm_register, gpumm_algorithm_cublas, gpumm_algorithm_strassen,
    gpumm_algorithm_emulated, gpumm_algorithm_blocks_integer, gpumm_algorithm_classic,
    gpumm_algorithm_bsr, gpumm_algorithm_spgemm, gpumm_algorithm_spmm,
    gpumm_algorithm_sparse_as_dense;

#endif
