/* marshal.c - what all gateways share: Octave's arrays as operands, results, errors.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"
#include "build_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof (mwIndex) == sizeof (int64_t), "an Octave with 64-bit indices is needed");

/* ---- life of a gateway -------------------------------------------------------------------- */

/* The driver may be shutting down already, so ignore failures to release memory. */
static void at_exit (void) {
  (void) gpumm_reset ();
}

/* Calls Octave's own warning, because MEX's puts the gateway's name before the text. */
static void warn (const char *identifier, const char *template, const char *text) {
  mxArray *arguments[] = {mxCreateString (identifier), mxCreateString (template),
                          mxCreateString (text)};
  mexCallMATLAB (0, NULL, 3, arguments, "warning");
  for (size_t i = 0; i < 3; i++)
    mxDestroyArray (arguments[i]);
}

void gateway_enter (void) {
  if (!mexIsLocked ()) {
    mexLock ();
    mexAtExit (at_exit);
    watch_interrupts ();
    watch_progress ();
    const char *unused = gpumm_unused_gpu ();
    if (unused)
      warn ("gpumm:no-cuda-kernels", "gpumm: %s; to build it with CUDA: " GPUMM_WITH_CUDA, unused);
  }
}

/* ---- errors ------------------------------------------------------------------------------- */

int gateway_fail (gateway_error *e, const char *identifier, const char *format, ...) {
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (e->message, sizeof e->message, format, arguments);
  va_end (arguments);
  snprintf (e->identifier, sizeof e->identifier, "%s", identifier);
  return 0;
}

int gateway_fail_engine (gateway_error *e, gpumm_status status) {
  char identifier[sizeof e->identifier];
  /* the engine's text is Octave's own here, and so is the identifier */
  if (status == GPUMM_NONCONFORMANT)
    return gateway_fail (e, "Octave:nonconformant-args", "%s", gpumm_last_error ());
  snprintf (identifier, sizeof identifier, "gpumm:%s", gpumm_status_name (status));
  return gateway_fail (e, identifier, "gpumm: %s", gpumm_last_error ());
}

mxArray *gateway_error_value (const gateway_error *e) {
  if (!e->identifier[0])
    return mxCreateDoubleMatrix (0, 0, mxREAL);
  const char *fields[] = {"message", "identifier"};
  mxArray *value = mxCreateStructMatrix (1, 1, 2, fields);
  mxSetFieldByNumber (value, 0, 0, mxCreateString (e->message));
  mxSetFieldByNumber (value, 0, 1, mxCreateString (e->identifier));
  return value;
}

static int fail_cancelled (gateway_error *e) {
  return gateway_fail (e, "gpumm:cancelled", "gpumm: cancelled");
}

void gateway_interrupt (const gateway_error *e) {
  if (strcmp (e->identifier, "gpumm:cancelled") == 0 && is_interrupted ())
    throw_interrupt ();
}

void gateway_raise (const gateway_error *e) {
  gateway_interrupt (e);
  if (e->identifier[0])
    mexErrMsgIdAndTxt (e->identifier, "%s", e->message);
}

/* ---- values ------------------------------------------------------------------------------- */

int get_text (const mxArray *x, char *text, size_t size) {
  return mxIsChar (x) && mxGetString (x, text, size) == 0;
}

double get_number (const mxArray *options, const char *field) {
  const mxArray *x = mxGetField (options, 0, field);
  return x && mxGetNumberOfElements (x) == 1 ? mxGetScalar (x) : 0;
}

int get_scalar (const mxArray *x, gpumm_scalar *scalar) {
  if (mxGetClassID (x) != mxDOUBLE_CLASS || mxIsSparse (x) || mxGetNumberOfElements (x) != 1)
    return 0;
  const double *v = mxGetData (x);
  *scalar = (gpumm_scalar){v[0], mxIsComplex (x) ? v[1] : 0};
  return 1;
}

int find_type (const char *name, gpumm_type *type) {
  for (int t = 0; t < GPUMM_TYPES; t++)
    if (strcmp (name, gpumm_type_name ((gpumm_type) t)) == 0) {
      *type = (gpumm_type) t;
      return 1;
    }
  return 0;
}

int get_type (const mxArray *name, gpumm_type *type) {
  char text[16];
  return get_text (name, text, sizeof text) && find_type (text, type);
}

void set_number (mxArray *s, int i, const char *field, double value) {
  mxSetField (s, (mwIndex) i, field, mxCreateDoubleScalar (value));
}

void set_text (mxArray *s, int i, const char *field, const char *text) {
  mxSetField (s, (mwIndex) i, field, mxCreateString (text));
}

void get_options (const mxArray *options, gpumm_options *o, char name[NAME_BYTES]) {
  const mxArray *algorithm = mxGetField (options, 0, "algorithm");
  if (algorithm && get_text (algorithm, name, NAME_BYTES))
    o->algorithm = name;
  o->backend = (gpumm_backend) get_number (options, "backend");
  o->device = (int) get_number (options, "device");
  o->max_device_memory = (int64_t) get_number (options, "max_device_memory");
  o->max_capability = (int) get_number (options, "max_capability");
}

/* ---- calls of Octave ------------------------------------------------------------------------ */

typedef struct {
  const char *function;
  mxArray *argument, *result, *failure;
} octave_call;

static void call_octave (void *argument) {
  octave_call *c = argument;
  c->failure = mexCallMATLABWithTrap (1, &c->result, 1, &c->argument, c->function);
}

/* Calls an oct-file with one argument, which is destroyed. NULL if the function fails, or with the
 * error set to a cancellation. */
static mxArray *ask_octave (const char *function, mxArray *argument, gateway_error *e) {
  octave_call call = {.function = function, .argument = argument};
  const int interrupted = catch_interrupt (call_octave, &call);
  mxDestroyArray (argument);
  if (interrupted)
    fail_cancelled (e);
  if (call.failure)
    mxDestroyArray (call.failure);
  return interrupted || call.failure ? NULL : call.result;
}

mxArray *report_value (const gpumm_report *r, gateway_error *e) {
  mxArray *bytes = mxCreateNumericMatrix (1, sizeof *r, mxUINT8_CLASS, mxREAL);
  memcpy (mxGetData (bytes), r, sizeof *r);
  mxArray *info = ask_octave ("__gpumm_report__", bytes, e);
  if (!info && !e->identifier[0])
    gateway_fail (e, "gpumm:host-memory", "gpumm: Octave has no memory for info");
  return info;
}

static void set_known (mxArray *s, const char *field, double value) {
  set_number (s, 0, field, value < 0 ? mxGetNaN () : value);
}

/* All NaN if t was not counted. */
static mxArray *access_value (const gpumm_trace *t, const gpumm_access *x, int shared) {
  const char *fields[] = {"elements", "requests", shared ? "passes" : "sectors", "conflicts"};
  mxArray *s = mxCreateStructMatrix (1, 1, shared ? 4 : 3, fields);
  set_known (s, fields[0], t->counted ? (double) x->elements : -1);
  set_known (s, fields[1], t->counted ? (double) x->requests : -1);
  set_known (s, fields[2], t->counted ? (double) x->transfers : -1);
  if (shared)
    set_known (s, fields[3], t->counted ? (double) x->conflicts : -1);
  return s;
}

mxArray *trace_value (const gpumm_trace *t) {
  const char *fields[] = {"launches",  "blocks",    "threads",    "shared_bytes",
                          "registers", "occupancy", "operations", "barriers",
                          "load",      "store",     "shared"};
  const char *parts[] = {"A", "B", "C", "temporaries", "total"};
  const char *ways[] = {"load", "store"};
  const gpumm_counts *of[] = {&t->a, &t->b, &t->c, &t->workspace, &t->all};
  const gpumm_launches *l = &t->launched;
  mxArray *s = mxCreateStructMatrix (1, 1, 11, fields);
  mxArray *threads = mxCreateDoubleMatrix (1, 2, mxREAL);
  mxArray *load = mxCreateStructMatrix (1, 1, 5, parts);
  mxArray *store = mxCreateStructMatrix (1, 1, 5, parts);
  mxArray *shared = mxCreateStructMatrix (1, 1, 2, ways);
  for (int i = 0; i < 2; i++)
    ((double *) mxGetData (threads))[i] =
        l->launches > 0 && l->threads[i] > 0 ? (double) l->threads[i] : mxGetNaN ();
  for (int i = 0; i < 5; i++) {
    mxSetField (load, 0, parts[i], access_value (t, &of[i]->load, 0));
    mxSetField (store, 0, parts[i], access_value (t, &of[i]->store, 0));
  }
  mxSetField (shared, 0, "load", access_value (t, &t->all.shared_load, 1));
  mxSetField (shared, 0, "store", access_value (t, &t->all.shared_store, 1));
  set_number (s, 0, "launches", (double) l->launches);
  set_number (s, 0, "blocks", (double) l->blocks);
  mxSetField (s, 0, "threads", threads);
  set_known (s, "shared_bytes", (double) l->shared_bytes);
  set_known (s, "registers", l->registers);
  set_known (s, "occupancy", l->occupancy);
  set_known (s, "operations", t->counted ? (double) t->all.operations : -1);
  set_known (s, "barriers", t->counted ? (double) t->all.barriers : -1);
  mxSetField (s, 0, "load", load);
  mxSetField (s, 0, "store", store);
  mxSetField (s, 0, "shared", shared);
  return s;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* The types whose memory the engine reads directly, by Octave's names. Classes alone do not
 * distinguish a matrix from a diagonal matrix or a range, which reading the data would expand. */
static const struct {
  const char *name;
  gpumm_kind kind;
  gpumm_type type;
} plain[] = {
    {"matrix", GPUMM_DENSE, GPUMM_D},
    {"float matrix", GPUMM_DENSE, GPUMM_S},
    {"complex matrix", GPUMM_DENSE, GPUMM_Z},
    {"float complex matrix", GPUMM_DENSE, GPUMM_C},
    {"scalar", GPUMM_DENSE, GPUMM_D},
    {"float scalar", GPUMM_DENSE, GPUMM_S},
    {"complex scalar", GPUMM_DENSE, GPUMM_Z},
    {"float complex scalar", GPUMM_DENSE, GPUMM_C},
    {"sparse matrix", GPUMM_SPARSE, GPUMM_D},
    {"sparse complex matrix", GPUMM_SPARSE, GPUMM_Z},
    {"sparse bool matrix", GPUMM_SPARSE, GPUMM_B},
    {"int8 matrix", GPUMM_DENSE, GPUMM_I8},
    {"int16 matrix", GPUMM_DENSE, GPUMM_I16},
    {"int32 matrix", GPUMM_DENSE, GPUMM_I32},
    {"int64 matrix", GPUMM_DENSE, GPUMM_I64},
    {"uint8 matrix", GPUMM_DENSE, GPUMM_U8},
    {"uint16 matrix", GPUMM_DENSE, GPUMM_U16},
    {"uint32 matrix", GPUMM_DENSE, GPUMM_U32},
    {"uint64 matrix", GPUMM_DENSE, GPUMM_U64},
    {"int8 scalar", GPUMM_DENSE, GPUMM_I8},
    {"int16 scalar", GPUMM_DENSE, GPUMM_I16},
    {"int32 scalar", GPUMM_DENSE, GPUMM_I32},
    {"int64 scalar", GPUMM_DENSE, GPUMM_I64},
    {"uint8 scalar", GPUMM_DENSE, GPUMM_U8},
    {"uint16 scalar", GPUMM_DENSE, GPUMM_U16},
    {"uint32 scalar", GPUMM_DENSE, GPUMM_U32},
    {"uint64 scalar", GPUMM_DENSE, GPUMM_U64},
};

enum { PLAIN_TYPES = sizeof plain / sizeof plain[0] };

int get_operand (const mxArray *x, gpumm_operand *operand) {
  char name[32];
  if (!x)
    return 0;
  get_type_name (x, name, sizeof name);
  int i = 0;
  while (i < PLAIN_TYPES && strcmp (name, plain[i].name) != 0)
    i++;
  if (i == PLAIN_TYPES || mxGetNumberOfDimensions (x) != 2)
    return 0;
  *operand = (gpumm_operand){.kind = plain[i].kind,
                             .type = plain[i].type,
                             .rows = (int64_t) mxGetM (x),
                             .cols = (int64_t) mxGetN (x),
                             .ld = (int64_t) mxGetM (x),
                             .values = mxGetData (x),
                             .place = GPUMM_HOST};
  if (operand->kind == GPUMM_SPARSE) {
    operand->nzmax = (int64_t) mxGetNzmax (x);
    operand->column = (int64_t *) mxGetJc (x);
    operand->row = (int64_t *) mxGetIr (x);
  }
  return 1;
}

/* ---- results ------------------------------------------------------------------------------ */

/* Real results up to this many bytes come from mxCreate*. Octave copies them on return, which costs
 * less than calling the allocator (measured: equal at about 8 KB). */
enum { SMALL_RESULT_BYTES = 8192 };

static const mxClassID class_of[GPUMM_TYPES] = {
    [GPUMM_S] = mxSINGLE_CLASS,   [GPUMM_D] = mxDOUBLE_CLASS,   [GPUMM_I8] = mxINT8_CLASS,
    [GPUMM_I16] = mxINT16_CLASS,  [GPUMM_I32] = mxINT32_CLASS,  [GPUMM_I64] = mxINT64_CLASS,
    [GPUMM_U8] = mxUINT8_CLASS,   [GPUMM_U16] = mxUINT16_CLASS, [GPUMM_U32] = mxUINT32_CLASS,
    [GPUMM_U64] = mxUINT64_CLASS,
};

/* A complex array without elements is real in Octave. */
static gpumm_type real_if_empty (const gpumm_operand *shape) {
  int empty = shape->kind == GPUMM_DENSE ? shape->rows == 0 || shape->cols == 0 : shape->nzmax == 0;
  return !empty                   ? shape->type
         : shape->type == GPUMM_C ? GPUMM_S
         : shape->type == GPUMM_Z ? GPUMM_D
                                  : shape->type;
}

/* __gpumm_allocate__ ([type, rows, cols, nzmax]) */
static mxArray *call_allocator (gpumm_type type, const gpumm_operand *shape, gateway_error *e) {
  mxArray *request = mxCreateDoubleMatrix (1, 4, mxREAL);
  double *r = mxGetData (request);
  r[0] = type;
  r[1] = (double) shape->rows;
  r[2] = (double) shape->cols;
  r[3] = shape->kind == GPUMM_SPARSE ? (double) shape->nzmax : -1;
  mxArray *x = ask_octave ("__gpumm_allocate__", request, e);
  if (!x && !e->identifier[0]) {
    double bytes = (double) gpumm_type_bytes (type)
                   * (shape->kind == GPUMM_SPARSE ? (double) shape->nzmax
                                                  : (double) shape->rows * (double) shape->cols);
    gateway_fail (e, "gpumm:host-memory",
                  "gpumm: Octave has no memory for the %lld x %lld result (%.3g GB)",
                  (long long) shape->rows, (long long) shape->cols, 1e-9 * bytes);
  }
  return x;
}

mxArray *allocate_result (gpumm_operand *shape, gateway_error *e) {
  gpumm_type type = real_if_empty (shape);
  mxArray *x;
  if (shape->kind == GPUMM_DENSE && !is_complex (type)
      && (double) shape->rows * (double) shape->cols * (double) gpumm_type_bytes (type)
             <= SMALL_RESULT_BYTES)
    x = mxCreateNumericMatrix ((mwSize) shape->rows, (mwSize) shape->cols, class_of[type], mxREAL);
  else
    x = call_allocator (type, shape, e);
  if (!x)
    return NULL;
  shape->values = mxGetData (x);
  if (shape->kind == GPUMM_SPARSE) {
    shape->nzmax = (int64_t) mxGetNzmax (x);
    shape->column = (int64_t *) mxGetJc (x);
    shape->row = (int64_t *) mxGetIr (x);
  }
  return x;
}

/* Large results are scanned in pieces of this many elements, about 10 ms, so that Ctrl-C works. */
static const int64_t DELIVERED_AT_ONCE = 1 << 22;

static int any_imaginary (const gpumm_operand *x, int64_t begin, int64_t end) {
  if (x->type == GPUMM_C) {
    const float *v = x->values;
    for (int64_t i = begin; i < end; i++)
      if (v[2 * i + 1] != 0)
        return 1;
  } else {
    const double *v = x->values;
    for (int64_t i = begin; i < end; i++)
      if (v[2 * i + 1] != 0)
        return 1;
  }
  return 0;
}

int has_imaginary_part (const gpumm_operand *x, int64_t count) {
  for (int64_t i = 0; i < count && !is_interrupted (); i += DELIVERED_AT_ONCE)
    if (any_imaginary (x, i, i + DELIVERED_AT_ONCE < count ? i + DELIVERED_AT_ONCE : count))
      return 1;
  return 0;
}

static void copy_values (const gpumm_operand *to, const gpumm_operand *from, int64_t begin,
                         int64_t end) {
  const size_t bytes = gpumm_type_bytes (to->type);
  if (to->type == from->type)
    memcpy ((char *) to->values + (size_t) begin * bytes,
            (const char *) from->values + (size_t) begin * bytes, (size_t) (end - begin) * bytes);
  else if (to->type == GPUMM_S)
    for (int64_t i = begin; i < end; i++)
      ((float *) to->values)[i] = ((const float *) from->values)[2 * i];
  else
    for (int64_t i = begin; i < end; i++)
      ((double *) to->values)[i] = ((const double *) from->values)[2 * i];
}

static void copy_elements (const gpumm_operand *to, const gpumm_operand *from, int64_t count) {
  for (int64_t i = 0; i < count && !is_interrupted (); i += DELIVERED_AT_ONCE) {
    const int64_t end = i + DELIVERED_AT_ONCE < count ? i + DELIVERED_AT_ONCE : count;
    copy_values (to, from, i, end);
    if (to->kind == GPUMM_SPARSE)
      memcpy (to->row + i, from->row + i, (size_t) (end - i) * sizeof (int64_t));
  }
}

mxArray *settle_result (mxArray *x, const gpumm_operand *result, gateway_error *e) {
  int is_sparse = result->kind == GPUMM_SPARSE;
  int64_t count = is_sparse ? result->column[result->cols] : result->rows * result->cols;
  /* Empty results are real already; the test of others ends at the first imaginary part. */
  int narrow = is_complex (result->type) && real_if_empty (result) == result->type
               && !has_imaginary_part (result, count);
  int shrink = is_sparse && count < result->nzmax / 2;
  if (!narrow && !shrink)
    return x;
  gpumm_operand less = *result;
  less.nzmax = count;
  if (narrow)
    less.type = result->type == GPUMM_C ? GPUMM_S : GPUMM_D;
  mxArray *y = allocate_result (&less, e);
  if (y) {
    copy_elements (&less, result, count);
    if (is_sparse)
      memcpy (less.column, result->column, ((size_t) result->cols + 1) * sizeof (int64_t));
  }
  mxDestroyArray (x);
  if (y && is_interrupted ()) {
    mxDestroyArray (y);
    fail_cancelled (e);
    return NULL;
  }
  return y;
}

/* ---- matrices by blocks -------------------------------------------------------------------- */

/* The engine follows these arrays, so their classes and lengths must be right. */
int get_blocks (const mxArray *x, gpumm_operand *operand) {
  const mxArray *start = mxGetField (x, 0, "start"), *column = mxGetField (x, 0, "column");
  const mxArray *values = mxGetField (x, 0, "values");
  gpumm_operand v;
  if (!start || !column || !get_operand (values, &v) || v.kind != GPUMM_DENSE
      || mxGetClassID (start) != mxINT64_CLASS || mxGetClassID (column) != mxINT32_CLASS)
    return 0;
  *operand = (gpumm_operand){.kind = GPUMM_BLOCKS,
                             .type = v.type,
                             .rows = (int64_t) get_number (x, "rows"),
                             .cols = (int64_t) get_number (x, "cols"),
                             .block_rows = (int64_t) get_number (x, "block_rows"),
                             .block_cols = (int64_t) get_number (x, "block_cols"),
                             .nzmax = (int64_t) mxGetNumberOfElements (column),
                             .block_start = mxGetData (start),
                             .block_column = mxGetData (column),
                             .values = v.values,
                             .place = GPUMM_HOST};
  const int64_t each = operand->block_rows * operand->block_cols;
  return operand->block_rows > 0 && operand->block_cols > 0
         && (int64_t) mxGetNumberOfElements (start) == operand->rows / operand->block_rows + 1
         && v.rows * v.cols == each * operand->nzmax;
}

void destroy_blocks (block_arrays *x) {
  if (x->start)
    mxDestroyArray (x->start);
  if (x->column)
    mxDestroyArray (x->column);
  if (x->values)
    mxDestroyArray (x->values);
  *x = (block_arrays){0};
}

int allocate_blocks (gpumm_operand *shape, block_arrays *x, gateway_error *e) {
  gpumm_operand start = {.type = GPUMM_I64, .rows = shape->rows / shape->block_rows + 1, .cols = 1};
  gpumm_operand column = {.type = GPUMM_I32, .rows = shape->nzmax, .cols = 1};
  gpumm_operand values = {
      .type = shape->type, .rows = shape->block_rows, .cols = shape->block_cols * shape->nzmax};
  x->start = allocate_result (&start, e);
  x->column = x->start ? allocate_result (&column, e) : NULL;
  x->values = x->column ? allocate_result (&values, e) : NULL;
  if (!x->values) {
    destroy_blocks (x);
    return 0;
  }
  shape->block_start = start.values;
  shape->block_column = column.values;
  shape->values = values.values;
  return 1;
}

/* Copies a result with fewer blocks than room for them, or without imaginary parts, to arrays of
 * the right size. */
static int settle_blocks (block_arrays *x, const gpumm_operand *result, gateway_error *e) {
  const int64_t count = result->block_start[result->rows / result->block_rows];
  gpumm_operand values = {.kind = GPUMM_DENSE,
                          .type = result->type,
                          .rows = result->block_rows,
                          .cols = result->block_cols * count,
                          .ld = result->block_rows,
                          .values = result->values};
  if (count < result->nzmax) {
    block_arrays less = {0};
    gpumm_operand shape = *result;
    shape.nzmax = count;
    if (!allocate_blocks (&shape, &less, e))
      return 0;
    const size_t bytes = gpumm_type_bytes (result->type);
    memcpy (shape.block_start, result->block_start,
            (size_t) (result->rows / result->block_rows + 1) * sizeof *shape.block_start);
    memcpy (shape.block_column, result->block_column, (size_t) count * sizeof *shape.block_column);
    memcpy (shape.values, result->values, (size_t) (values.rows * values.cols) * bytes);
    destroy_blocks (x);
    *x = less;
    values.values = shape.values;
  }
  x->values = settle_result (x->values, &values, e);
  return x->values != NULL;
}

mxArray *blocks_value (block_arrays *x, const gpumm_operand *c, gateway_error *e) {
  static const char *names[] = {"rows",  "cols",   "block_rows", "block_cols",
                                "start", "column", "values"};
  if (!settle_blocks (x, c, e))
    return NULL;
  mxArray *s = mxCreateStructMatrix (1, 1, sizeof names / sizeof *names, names);
  set_number (s, 0, "rows", (double) c->rows);
  set_number (s, 0, "cols", (double) c->cols);
  set_number (s, 0, "block_rows", (double) c->block_rows);
  set_number (s, 0, "block_cols", (double) c->block_cols);
  mxSetField (s, 0, "start", x->start);
  mxSetField (s, 0, "column", x->column);
  mxSetField (s, 0, "values", x->values);
  *x = (block_arrays){0};
  return s;
}
