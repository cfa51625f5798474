/* __gpumm_kernel__.c - the gateway of gpumm_kernel.m to one kernel under the microscope.
 *
 *   [C, INFO, TRACE] = __gpumm_kernel__ (A, B, OPTIONS, COUNT)
 *   [C, INFO, TRACE, RECORD] = __gpumm_kernel__ (A, B, OPTIONS, COUNT)
 *
 * A and B are full matrices of one type, or both are a blocksparse.
 * OPTIONS has the fields algorithm, backend, device, transpose_a and transpose_b, and for blocks
 * output, the class of C. If COUNT is true, accesses are counted, and with RECORD
 * recorded; help gpumm_kernel says how.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <math.h>
#include <string.h>

/* ---- the trace: unknown numbers are NaN --------------------------------------------------- */

static void set_known (mxArray *s, const char *field, int is_known, double value) {
  set_number (s, 0, field, is_known ? value : mxGetNaN ());
}

static mxArray *access_value (int counted, const gpumm_access *x, int shared) {
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  set_known (s, "elements", counted, (double) x->elements);
  set_known (s, "requests", counted, (double) x->requests);
  set_known (s, shared ? "passes" : "sectors", counted, (double) x->transfers);
  if (shared)
    set_known (s, "conflicts", counted, (double) x->conflicts);
  return s;
}

static mxArray *trace_value (const gpumm_trace *t) {
  const char *parts[] = {"A", "B", "C", "temporaries", "total"};
  const gpumm_counts *of[] = {&t->a, &t->b, &t->c, &t->workspace, &t->all};
  const gpumm_launches *l = &t->launched;
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  mxArray *load = mxCreateStructMatrix (1, 1, 0, NULL);
  mxArray *store = mxCreateStructMatrix (1, 1, 0, NULL);
  mxArray *shared = mxCreateStructMatrix (1, 1, 0, NULL);
  mxArray *threads = mxCreateDoubleMatrix (1, 2, mxREAL);
  for (int i = 0; i < 2; i++)
    ((double *) mxGetData (threads))[i] =
        l->launches > 0 && l->threads[i] > 0 ? (double) l->threads[i] : mxGetNaN ();
  for (int i = 0; i < 5; i++) {
    set_value (load, 0, parts[i], access_value (t->counted, &of[i]->load, 0));
    set_value (store, 0, parts[i], access_value (t->counted, &of[i]->store, 0));
  }
  set_value (shared, 0, "load", access_value (t->counted, &t->all.shared_load, 1));
  set_value (shared, 0, "store", access_value (t->counted, &t->all.shared_store, 1));
  set_number (s, 0, "launches", (double) l->launches);
  set_number (s, 0, "blocks", (double) l->blocks);
  set_value (s, 0, "threads", threads);
  set_known (s, "shared_bytes", l->shared_bytes >= 0, (double) l->shared_bytes);
  set_known (s, "registers", l->registers >= 0, l->registers);
  set_known (s, "occupancy", l->occupancy >= 0, l->occupancy);
  set_known (s, "operations", t->counted, (double) t->all.operations);
  set_known (s, "barriers", t->counted, (double) t->all.barriers);
  set_value (s, 0, "load", load);
  set_value (s, 0, "store", store);
  set_value (s, 0, "shared", shared);
  return s;
}

/* ---- the record --------------------------------------------------------------------------- */

enum { MOST_ARRAYS = 64 };

/* The number of the array, from 1: A, B, C, temporaries, then those in shared memory. A new one is
 * added to the arrays. */
static int array_of (const gpumm_trace *t, const gpumm_record *r, const gpumm_record *arrays[],
                     int *count) {
  int i = 0;
  if (!r->array) {
    while (i < 3 && r->first != t->first[i])
      i++;
    return i + 1;
  }
  while (i < *count && strcmp (arrays[i]->array, r->array) != 0)
    i++;
  if (i == *count && i < MOST_ARRAYS)
    arrays[(*count)++] = r;
  return i + 5;
}

static mxArray *record_value (const gpumm_trace *t) {
  const char *columns[] = {"request", "block",  "barriers", "thread",    "line",     "store",
                           "array",   "offset", "bytes",    "transfers", "conflicts"};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  const gpumm_record *arrays[MOST_ARRAYS];
  int count = 0;
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  double *x[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) {
    mxArray *column = mxCreateDoubleMatrix ((size_t) t->recorded, 1, mxREAL);
    x[i] = mxGetData (column);
    set_value (s, 0, columns[i], column);
  }
  for (int64_t i = 0; i < t->recorded; i++) {
    const gpumm_record *r = &t->records[i];
    const double row[COLUMNS] = {(double) r->request,
                                 r->block,
                                 (double) r->barriers,
                                 r->thread,
                                 r->line,
                                 r->is_store,
                                 array_of (t, r, arrays, &count),
                                 (double) ((const char *) r->p - (const char *) r->first),
                                 r->bytes,
                                 (double) r->transfers,
                                 (double) r->conflicts};
    for (int j = 0; j < COLUMNS; j++)
      x[j][i] = row[j];
  }
  mxArray *shared = mxCreateStructMatrix (1, (size_t) count, 0, NULL);
  for (int i = 0; i < count; i++) {
    set_text (shared, i, "name", arrays[i]->array);
    set_number (shared, i, "columns", arrays[i]->columns);
  }
  set_value (s, 0, "shared", shared);
  mxArray *ld = mxCreateDoubleMatrix (1, 3, mxREAL);
  for (int i = 0; i < 3; i++)
    ((double *) mxGetData (ld))[i] = (double) t->ld[i];
  set_value (s, 0, "ld", ld);
  return s;
}

/* ---- the gateway -------------------------------------------------------------------------- */

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  request r;
  check_use (nrhs == 4 && (nlhs == 3 || nlhs == 4) && get_struct (prhs[2], &r.options)
                 && (mxIsLogicalScalar (prhs[3]) || !isnan (get_number (prhs[3]))),
             "gpumm_kernel");
  gpumm_trace trace = {.counted = mxGetScalar (prhs[3]) == 0 ? 0 : nlhs > 3 ? GPUMM_RECORD : 1};
  if (get_problem (prhs[0], prhs[1], &r) && r.problem.a.format == r.problem.b.format
      && r.problem.a.type == r.problem.b.type && r.problem.a.format != GPUMM_SPARSE)
    plhs[0] = make_product (&r, &plhs[1], &trace, e);
  else
    gateway_fail (e, "gpumm:unsupported", "gpumm_kernel: no kernel multiplies these operands");
  plhs[2] = trace_value (&trace);
  if (nlhs > 3)
    plhs[3] = record_value (&trace);
}
