/* one_call.c - C = op (A) op (B) in one call, for programs that need no more. By the functions of
 * gpumm.h that other programs have, too: it knows nothing of jobs within.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/types.h"
#include "memory/host.h"

#include <stdlib.h>

static void release (gpumm_matrix *c) {
  free (c->start);
  free (c->index);
  free (c->values);
  c->start = NULL;
  c->index = NULL;
  c->values = NULL;
}

/* The arrays of a matrix of this shape. */
static gpumm_status allocate (gpumm_matrix *c) {
  const int is_full = c->format == GPUMM_FULL;
  const int64_t stored = is_full ? c->ld * c->cols : c->nzmax * gpumm_entry_elements (c);
  c->values = gpumm_allocate_result (stored, gpumm_type_bytes (c->type));
  if (is_full)
    return c->values ? GPUMM_OK : GPUMM_HOST_MEMORY;
  c->start = gpumm_allocate_result (gpumm_line_count (c) + 1, sizeof *c->start);
  c->index = gpumm_allocate_result (c->nzmax, gpumm_index_bytes (c));
  return c->values && c->start && c->index ? GPUMM_OK : GPUMM_HOST_MEMORY;
}

gpumm_status gpumm_multiply (const gpumm_matrix *a, const gpumm_matrix *b, gpumm_matrix *c) {
  gpumm_problem p = {.alpha = {1, 0}};
  gpumm_job *job;
  if (a && b) /* one of them may be c */
    p.a = *a, p.b = *b, p.output = a->type;
  if (c)
    *c = (gpumm_matrix){0};
  if (!a || !b || !c)
    return gpumm_fail (GPUMM_INVALID, "no operand, or no matrix for the result");
  gpumm_status status = gpumm_open (&p, NULL, &job);
  if (!status)
    status = gpumm_result (job, c);
  if (!status)
    status = allocate (c);
  if (!status)
    status = gpumm_run (job, c);
  if (status)
    release (c);
  gpumm_close (job);
  return status;
}
