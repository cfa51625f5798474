/* pass.h - a product on a device: its memory, its kernel, and the steps that launch the kernel.
 *
 * An algorithm says what goes up, what a launch reads and writes, and what comes down. `status`
 * keeps the first failure; functions called after a failure do nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PASS_H
#define GPUMM_PASS_H

#include "algorithm.h"
#include "compressed.h"
#include "memory/host.h"
#include "move/streaming.h"

enum { GPUMM_MOST_TAKEN = 8 };

typedef struct gpumm_pass {
  struct gpumm_job *job;
  const char *what; /* in errors: "sparse product" */
  gpumm_status status;
  const gpumm_sparse_kernel *kernel;
  gpumm_device_properties device; /* memory_free: bytes left to take */
  double room;                    /* bytes that could be taken at first */
  int queues;      /* the product is queued on the array stream, in whose order memory is taken */
  void *pinned;    /* page-locked memory that a queued product writes to, or NULL */
  void *traced[4]; /* memory of A, B, C and the workspace, for a trace */
  void *taken[GPUMM_MOST_TAKEN];
  int count;
  /* The whole product with all its pairs; each launch gets a copy with its own fields. */
  gpumm_sparse_product product;
  gpumm_sparse_product launch; /* the largest launch, for which the kernel was chosen */
} gpumm_pass;

/* Finds the room on the plan's device. */
void gpumm_pass_open (gpumm_pass *pass, struct gpumm_job *job, const char *what);

/* Gives all memory back to the pool. */
void gpumm_pass_close (gpumm_pass *pass);

/* Takes device memory for count elements until the pass is closed; NULL sets the status. */
void *gpumm_pass_take (gpumm_pass *pass, int64_t count, size_t element);

/* ---- the kernel --------------------------------------------------------------------------- */

/* The next row after `last` (NULL: the first row) of this family or this name that runs on this
 * compute capability, or NULL. */
const gpumm_sparse_kernel *gpumm_next_sparse_kernel (const gpumm_driver *driver, const char *name,
                                                     int capability,
                                                     const gpumm_sparse_kernel *last);

/* Sets *launch to the largest launch of this kernel; it holds the product, or the launch of the row
 * before. */
typedef void gpumm_describe (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                             gpumm_sparse_product *launch);

/* Chooses among the kernels that run the product and whose workspace fits: the one with the least
 * estimated seconds, or without estimates the last. Takes its workspace. describe may be NULL: the
 * workspace is then for the whole product. */
gpumm_status gpumm_pass_choose (gpumm_pass *pass, gpumm_describe *describe);

/* ---- steps -------------------------------------------------------------------------------- */

/* The number of launches for this many seconds of work: a launch cannot be revoked, so it is
 * short. */
int64_t gpumm_launch_count (double seconds);

typedef struct gpumm_task {
  gpumm_sparse_product p;
  int counts; /* the symbolic phase */
} gpumm_task;

typedef struct gpumm_steps {
  int64_t count;
  gpumm_step *step;
  gpumm_task *task; /* of each step */
} gpumm_steps;

/* Makes this many launches that wait for no other; the task of each is the whole product. A step
 * whose task becomes NULL launches nothing. */
gpumm_steps gpumm_make_steps (gpumm_pass *pass, int64_t count);

/* Runs the steps. C's memory, which may be NULL, is fresh; a sparse C has that many entries. */
gpumm_status gpumm_pass_run (gpumm_pass *pass, const gpumm_steps *steps, const gpumm_matrix *c,
                             int64_t entries);

/* The same of steps with tasks of another kind: *stream says how they are launched. */
gpumm_status gpumm_pass_stream (gpumm_pass *pass, gpumm_stream_job *stream, const gpumm_matrix *c,
                                int64_t entries);

/* Runs the steps of a traced product. The first step launches all of it: this launch is recorded in
 * job->trace, and with job->count repeated and counted. memory: the device addresses of A, B, C and
 * the workspace, or NULL. */
gpumm_status gpumm_trace_steps (struct gpumm_job *job, const gpumm_stream_job *stream,
                                void *const memory[]);

void gpumm_release_steps (gpumm_steps *steps);

/* The form in which elements of one type go up as another, and indices as 32 bits. */
gpumm_form gpumm_form_of (gpumm_type from, gpumm_type to);
gpumm_form gpumm_index_form (const gpumm_matrix *x);

/* Add a panel or a vector to a step's uploads or downloads, unless it is empty. */
void gpumm_add_upload (gpumm_step *step, gpumm_panel panel);
void gpumm_add_download (gpumm_step *step, gpumm_panel panel);
void gpumm_send (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                 gpumm_form form);
void gpumm_fetch (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                  gpumm_form form);

gpumm_panel gpumm_turned (gpumm_panel up); /* from the device back */

/* The lines as rows on the device, without memory; without entries if nothing will be read. */
gpumm_device_matrix gpumm_device_matrix_of (const gpumm_matrix *x, int reads);

/* The op of the rows on the device that is op (X): compressed columns are rows of the transpose. */
gpumm_op gpumm_op_by_rows (const gpumm_matrix *x);

/* Sets the types of a product on the device: integers stay as they are, others become those of C,
 * and if C is complex the product knows which operand is real. */
void gpumm_set_types (gpumm_sparse_product *product, const gpumm_matrix *a, const gpumm_matrix *b,
                      gpumm_type type_c);

/* Operations of this many products of entries. */
double gpumm_compressed_flops (const gpumm_pass *pass, double pairs);

/* Bytes of two compressed operands on their way to the device; one matrix goes once. */
double gpumm_compressed_bytes (const gpumm_problem *problem);

/* Upload offsets and indices; and values, as elements of a type. */
void gpumm_bring_structure (gpumm_step *step, const gpumm_matrix *x, const gpumm_device_matrix *to);
void gpumm_bring_values (gpumm_step *step, const gpumm_matrix *x, const gpumm_device_matrix *to,
                         gpumm_type type);

#endif
