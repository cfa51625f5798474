/* algorithm.h - an algorithm's interface to the engine: one row of the table in table.c.
 *
 * By this row job/ opens, runs and closes an algorithm, and plan/ asks what it takes and how long
 * it needs. An algorithm opens no job: if it needs another product, it sets job->by.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ALGORITHM_H
#define GPUMM_ALGORITHM_H

#include "base/types.h"
#include "memory/host.h"
#include "plan/plan.h"

struct gpumm_sparse_estimate; /* sparse.h */

struct gpumm_job {
  gpumm_problem problem;
  gpumm_options options;
  gpumm_matrix c0;    /* copy of *problem.c0, so the caller's struct need not live on */
  gpumm_matrix shape; /* the result without memory; open () of an algorithm may lower nzmax */
  void *widened;      /* memory of an operand that was made complex (real_by_complex.h), or NULL */
  /* of the whole product by its operands, known when it runs (symmetry.h); is_mirrored: the
   * algorithm has made the result so */
  gpumm_symmetry symmetry;
  int is_mirrored;
  gpumm_plan plan;
  gpumm_report report;
  int keeps_sparse;    /* converting sparse matrices to full ones has failed */
  double opened;       /* host clock, seconds */
  double open_seconds; /* of the algorithm's open */
  double begun;        /* open () of the algorithm, host clock */
  int has_counted;     /* open () stated its work, see progress.h */
  int has_run;
  int is_open; /* the algorithm's open was called and its close was not */
  int writes;  /* launches may have written to the result, where C0 may lie */
  gpumm_trace
      *trace;  /* of gpumm_run_traced: kernels run in one piece and are recorded; else NULL */
  int count;   /* kernels are also counted */
  void *state; /* the algorithm's own, between open and close */
  gpumm_owner memory;          /* released when the algorithm is closed, with its state */
  int64_t *counted;            /* page-locked memory where shape.nzmax arrives; NULL: it is known */
  const gpumm_problem *by;     /* set by open () of an algorithm by another product: that product */
  struct gpumm_job *inner;     /* which has it; its report is this job's */
  struct gpumm_spread *spread; /* the parts of a product on several devices; else NULL */
  const struct gpumm_job *whole;   /* of such a part: all of it; else NULL */
  struct gpumm_exchange *exchange; /* of parts that give each other what all need; or NULL */
  int member;                      /* of the exchange */
};

/* The address of element (row, col) of op (X). */
static inline const void *gpumm_element_at (const void *x, int64_t ld, gpumm_op op, int64_t row,
                                            int64_t col, gpumm_type type) {
  int64_t elements = op == GPUMM_NONE ? row + col * ld : col + row * ld;
  return (const char *) x + elements * (int64_t) gpumm_type_bytes (type);
}

/* The tile of p that computes rows i .. i + m - 1 and columns j .. j + n - 1 of C, cut off at C's
 * edges. */
static inline gpumm_product gpumm_product_tile (const gpumm_product *p, int64_t i, int64_t m,
                                                int64_t j, int64_t n) {
  gpumm_product tile = *p;
  tile.m = gpumm_least (m, p->m - i);
  tile.n = gpumm_least (n, p->n - j);
  tile.a = gpumm_element_at (p->a, p->lda, p->op_a, i, 0, p->type);
  tile.b = gpumm_element_at (p->b, p->ldb, p->op_b, 0, j, p->type);
  tile.c = (char *) p->c + (i + j * p->ldc) * (int64_t) gpumm_type_bytes (p->type);
  return tile;
}

/* Makes job->state, of that many bytes; NULL: out of host memory. */
static inline void *gpumm_new_state (struct gpumm_job *job, size_t bytes) {
  return job->state = gpumm_own (&job->memory, 1, bytes);
}

typedef struct gpumm_algorithm {
  const char *name;
  const char *summary;
  int on_device; /* runs kernels of the table on a device (the GPU, or the host device) */
  /* can it multiply these operands? Looks only at formats and types; shape->type is the result's */
  int (*takes) (const gpumm_problem *problem);
  /* of compressed matrices: estimates the seconds from host memory to host memory, on this device
   * or on the CPU (NULL), by which "auto" chooses; INFINITY: not known. NULL: costs.h estimates
   * it, its name chooses it, or nothing else multiplies the operands */
  double (*seconds) (const gpumm_problem *problem, const gpumm_candidate *candidate,
                     const struct gpumm_sparse_estimate *estimate);
  /* may be NULL; the symbolic phase of sparse results, sets job->shape.nzmax */
  gpumm_status (*open) (struct gpumm_job *job);
  /* computes into result; fills kernel and flops of job->report, and on a device compute */
  gpumm_status (*run) (struct gpumm_job *job, gpumm_matrix *result);
  /* gives back what is not in job->memory; may be NULL */
  void (*close) (struct gpumm_job *job);
  /* An algorithm by another product, with a plan of its own: open sets job->by, and product.c opens
   * and runs that product after open and run, which may be NULL. NULL elsewhere.
   *   into    returns where that product, which job->inner has, goes
   *   finish  makes the result of it */
  gpumm_matrix (*into) (const struct gpumm_job *job, const gpumm_matrix *result);
  gpumm_status (*finish) (struct gpumm_job *job, const gpumm_matrix *c, gpumm_matrix *result);
  /* C(i,j) and C(j,i) are sums of the same terms in one order, each rounded alike, also in complex:
   * C mirrors by itself where it is symmetric or Hermitian by its operands */
  int mirrors;
  int hides; /* the report names the algorithm of the other product, and gives its reason */
} gpumm_algorithm;

/* All algorithms, ended by NULL; the algorithm of a name, or NULL. */
extern const gpumm_algorithm *const gpumm_algorithms[];
const gpumm_algorithm *gpumm_algorithm_find (const char *name);

/* Not in the table: sparse by sparse, or blocks by blocks, whose lines have many places and few
 * entries (long_lines.c); a real by a complex matrix as a real product (real_by_complex.c). */
extern const gpumm_algorithm gpumm_algorithm_long_lines, gpumm_algorithm_real_by_complex;
int gpumm_has_long_lines (const gpumm_problem *problem);

/* Of products by blocks: checks the depth of one of integers; and adds to the job's reason how many
 * products of blocks there are, and what part that is of `all`, those of full matrices. */
gpumm_status gpumm_blocks_check (const gpumm_problem *p);
void gpumm_blocks_reason (struct gpumm_job *job, double products, double all);

/* The product of "integers", without a job. */
gpumm_status gpumm_integers_product (const gpumm_problem *problem, gpumm_matrix *result);

#define ALGORITHM(name)        extern const gpumm_algorithm gpumm_algorithm_##name;
#define KERNELS(name, summary) ALGORITHM (name)
#include "list.h"
#undef ALGORITHM
#undef KERNELS

#endif
