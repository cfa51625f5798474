/* pass.h - one product on its device, by a kernel of the table of sparse kernels: the memory that it
 * may take, the choice of the kernel, and steps that launch it.
 *
 * An algorithm says what goes up, what a launch reads and writes, and what comes down. The first
 * failure stays in `status`, and what is called after it does nothing.
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
  gpumm_device_properties device; /* memory_free: what may still be taken */
  double room, bytes;             /* that may be taken in all, that are */
  void *taken[GPUMM_MOST_TAKEN];
  int count;
  gpumm_owner memory; /* of the host */
  /* The whole product; launches get it with what is theirs. pairs: of all its blocks. */
  gpumm_sparse_product product;
  gpumm_sparse_product launch; /* the largest that the kernel was chosen for */
} gpumm_pass;

/* Reads the device's properties and finds the room. The pass is all zeros, but for its memory. */
gpumm_status gpumm_pass_open (gpumm_pass *pass, struct gpumm_job *job, const char *what);

/* Gives all memory back. */
void gpumm_pass_close (gpumm_pass *pass);

/* Memory of the device for so many elements, until the pass is closed. */
void *gpumm_pass_take (gpumm_pass *pass, int64_t count, size_t element);

/* ---- the kernel --------------------------------------------------------------------------- */

/* The row after `last` (NULL: the first) that is of this family or bears this name and runs on this
 * compute capability; NULL: there is none. */
const gpumm_sparse_kernel *gpumm_next_sparse_kernel (const gpumm_driver *driver, const char *name,
                                                     int capability,
                                                     const gpumm_sparse_kernel *last);

/* Makes of *launch, which is as it was for the row before, the largest launch that the kernel would get. */
typedef void gpumm_describe (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                             gpumm_sparse_product *launch);

/* Takes the kernel with the least estimated seconds that runs the product and has room for its
 * workspace, of kernels without an estimate the last; and the workspace. */
gpumm_status gpumm_pass_choose (gpumm_pass *pass, gpumm_describe *describe);

/* ---- steps -------------------------------------------------------------------------------- */

/* Launches so that none takes too long: it cannot be called back. */
int64_t gpumm_launch_count (double seconds);

typedef struct gpumm_task {
  gpumm_sparse_product p;
  int counts;      /* the symbolic phase */
  int first, last; /* of the launches of this phase */
} gpumm_task;

typedef struct gpumm_steps {
  int64_t count;
  gpumm_step *step;
  gpumm_task *task; /* of each */
} gpumm_steps;

/* Steps that wait for nobody, each with a task of the whole product. */
gpumm_steps gpumm_make_steps (gpumm_pass *pass, int64_t count);

/* Runs them, with C's memory fresh: stored entries of it where it is sparse or in blocks. */
gpumm_status gpumm_pass_run (gpumm_pass *pass, const gpumm_steps *steps, const gpumm_operand *c,
                             int64_t stored, gpumm_report *report);

void gpumm_release_steps (gpumm_steps *steps);

/* How elements of one type become those of another on their way up. */
gpumm_form gpumm_form_of (gpumm_type from, gpumm_type to);
gpumm_form gpumm_index_form (const gpumm_lines *x); /* and indices those of 32 bits */

/* What goes up with a step, and what comes down, unless it is empty: a panel, or a vector. */
void gpumm_add_upload (gpumm_step *step, gpumm_panel panel);
void gpumm_add_download (gpumm_step *step, gpumm_panel panel);
void gpumm_send (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                 gpumm_form form);
void gpumm_fetch (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                  gpumm_form form);

gpumm_panel gpumm_turned (gpumm_panel up); /* the way back */

/* Lines as rows on the device, without memory; without entries where nothing will be read. */
gpumm_rows gpumm_rows_of (const gpumm_lines *x, int reads);

/* Their offsets and indices; and their values, which become elements of a type. */
void gpumm_bring_structure (gpumm_step *step, const gpumm_lines *x, const gpumm_rows *to);
void gpumm_bring_values (gpumm_step *step, const gpumm_lines *x, const gpumm_rows *to,
                         gpumm_type type);

#endif
