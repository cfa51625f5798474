/* marshal.c - what all gateways share: errors, values, operands, results.
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

static int fail_cancelled (gateway_error *e) {
  return gateway_fail (e, "gpumm:cancelled", "gpumm: cancelled");
}

/* By Octave's own function error, because MEX's puts the gateway's name before the text. */
void gateway_raise (const gateway_error *e) {
  if (!e->identifier[0])
    return;
  if (strcmp (e->identifier, "gpumm:cancelled") == 0 && is_interrupted ())
    throw_interrupt ();
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  set_text (s, 0, "message", e->message);
  set_text (s, 0, "identifier", e->identifier);
  mexCallMATLAB (0, NULL, 1, &s, "error");
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

void set_value (mxArray *s, int i, const char *field, mxArray *value) {
  if (mxGetFieldNumber (s, field) < 0)
    mxAddField (s, field);
  mxSetField (s, (mwIndex) i, field, value);
}

void set_number (mxArray *s, int i, const char *field, double value) {
  set_value (s, i, field, mxCreateDoubleScalar (value));
}

void set_text (mxArray *s, int i, const char *field, const char *text) {
  set_value (s, i, field, mxCreateString (text));
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

mxArray *ask_octave (const char *function, mxArray *argument, gateway_error *e) {
  octave_call call = {.function = function, .argument = argument};
  const int interrupted = catch_interrupt (call_octave, &call);
  mxDestroyArray (argument);
  if (interrupted)
    fail_cancelled (e);
  if (call.failure)
    mxDestroyArray (call.failure);
  return interrupted || call.failure ? NULL : call.result;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* The types whose memory the engine reads directly, by Octave's names. Classes alone do not
 * distinguish a matrix from a diagonal matrix or a range, which reading the data would expand. */
static const struct {
  const char *name;
  gpumm_format kind;
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
};

enum { PLAIN_TYPES = sizeof plain / sizeof plain[0] };

/* Integers have types like "int8 matrix" and "int8 scalar". */
static int get_integer_type (char *name, gpumm_type *type) {
  char *space = strchr (name, ' ');
  if (!space || (strcmp (space, " matrix") != 0 && strcmp (space, " scalar") != 0))
    return 0;
  *space = '\0';
  return find_type (name, type) && is_integer (*type);
}

int get_operand (const mxArray *x, gpumm_matrix *operand) {
  char name[32];
  if (!x)
    return 0;
  get_type_name (x, name, sizeof name);
  int i = 0;
  while (i < PLAIN_TYPES && strcmp (name, plain[i].name) != 0)
    i++;
  gpumm_format kind = i < PLAIN_TYPES ? plain[i].kind : GPUMM_DENSE;
  gpumm_type type = i < PLAIN_TYPES ? plain[i].type : GPUMM_TYPES;
  if ((i == PLAIN_TYPES && !get_integer_type (name, &type)) || mxGetNumberOfDimensions (x) != 2)
    return 0;
  *operand = (gpumm_matrix){.format = kind,
                            .type = type,
                            .rows = (int64_t) mxGetM (x),
                            .cols = (int64_t) mxGetN (x),
                            .ld = (int64_t) mxGetM (x),
                            .values = mxGetData (x)};
  if (kind == GPUMM_SPARSE) {
    operand->nzmax = (int64_t) mxGetNzmax (x);
    operand->start = (int64_t *) mxGetJc (x);
    operand->row = (int64_t *) mxGetIr (x);
  }
  return 1;
}

/* The engine follows these arrays, so their classes and lengths must be right. */
int get_blocks (const mxArray *x, gpumm_matrix *operand) {
  const mxArray *start = mxGetField (x, 0, "start"), *column = mxGetField (x, 0, "column");
  const mxArray *values = mxGetField (x, 0, "values");
  gpumm_matrix v;
  if (!start || !column || !get_operand (values, &v) || v.format != GPUMM_DENSE
      || mxGetClassID (start) != mxINT64_CLASS || mxGetClassID (column) != mxINT32_CLASS)
    return 0;
  *operand = (gpumm_matrix){.format = GPUMM_BLOCKS,
                            .type = v.type,
                            .rows = (int64_t) get_number (x, "rows"),
                            .cols = (int64_t) get_number (x, "cols"),
                            .block_rows = (int64_t) get_number (x, "block_rows"),
                            .block_cols = (int64_t) get_number (x, "block_cols"),
                            .nzmax = (int64_t) mxGetNumberOfElements (column),
                            .start = mxGetData (start),
                            .block_column = mxGetData (column),
                            .values = v.values};
  const int64_t each = operand->block_rows * operand->block_cols;
  return operand->block_rows > 0 && operand->block_cols > 0
         && (int64_t) mxGetNumberOfElements (start) == operand->rows / operand->block_rows + 1
         && v.rows * v.cols == each * operand->nzmax;
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
static gpumm_type real_if_empty (const gpumm_matrix *shape) {
  int empty =
      shape->format == GPUMM_DENSE ? shape->rows == 0 || shape->cols == 0 : shape->nzmax == 0;
  return !empty                   ? shape->type
         : shape->type == GPUMM_C ? GPUMM_S
         : shape->type == GPUMM_Z ? GPUMM_D
                                  : shape->type;
}

/* __gpumm_allocate__ ([type, rows, cols, nzmax]) */
static mxArray *call_allocator (gpumm_type type, const gpumm_matrix *shape, gateway_error *e) {
  mxArray *request = mxCreateDoubleMatrix (1, 4, mxREAL);
  double *r = mxGetData (request);
  r[0] = type;
  r[1] = (double) shape->rows;
  r[2] = (double) shape->cols;
  r[3] = shape->format == GPUMM_SPARSE ? (double) shape->nzmax : -1;
  mxArray *x = ask_octave ("__gpumm_allocate__", request, e);
  if (!x && !e->identifier[0]) {
    double bytes = (double) gpumm_type_bytes (type)
                   * (shape->format == GPUMM_SPARSE ? (double) shape->nzmax
                                                    : (double) shape->rows * (double) shape->cols);
    gateway_fail (e, "gpumm:host-memory",
                  "gpumm: Octave has no memory for the %lld x %lld result (%.3g GB)",
                  (long long) shape->rows, (long long) shape->cols, 1e-9 * bytes);
  }
  return x;
}

static mxArray *allocate (gpumm_matrix *shape, gateway_error *e);

/* A struct; column and values have room for nzmax blocks. */
static mxArray *allocate_blocks (gpumm_matrix *shape, gateway_error *e) {
  static const char *names[] = {"start", "column", "values"};
  gpumm_matrix arrays[] = {
      {.type = GPUMM_I64, .rows = shape->rows / shape->block_rows + 1, .cols = 1},
      {.type = GPUMM_I32, .rows = shape->nzmax, .cols = 1},
      {.type = shape->type, .rows = shape->block_rows, .cols = shape->block_cols * shape->nzmax}};
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  for (int i = 0; i < 3; i++) {
    mxArray *x = allocate (&arrays[i], e);
    if (!x) {
      mxDestroyArray (s);
      return NULL;
    }
    set_value (s, 0, names[i], x);
  }
  set_number (s, 0, "rows", (double) shape->rows);
  set_number (s, 0, "cols", (double) shape->cols);
  set_number (s, 0, "block_rows", (double) shape->block_rows);
  set_number (s, 0, "block_cols", (double) shape->block_cols);
  shape->start = arrays[0].values;
  shape->block_column = arrays[1].values;
  shape->values = arrays[2].values;
  return s;
}

/* A matrix of this kind, type and size with undefined elements; sets the pointers of shape. NULL
 * with the error set. Complex arrays need values before Octave sees them. */
static mxArray *allocate (gpumm_matrix *shape, gateway_error *e) {
  if (shape->format == GPUMM_BLOCKS)
    return allocate_blocks (shape, e);
  gpumm_type type = real_if_empty (shape);
  mxArray *x;
  if (shape->format == GPUMM_DENSE && !is_complex (type)
      && (double) shape->rows * (double) shape->cols * (double) gpumm_type_bytes (type)
             <= SMALL_RESULT_BYTES)
    x = mxCreateNumericMatrix ((mwSize) shape->rows, (mwSize) shape->cols, class_of[type], mxREAL);
  else
    x = call_allocator (type, shape, e);
  if (!x)
    return NULL;
  shape->values = mxGetData (x);
  if (shape->format == GPUMM_SPARSE) {
    shape->nzmax = (int64_t) mxGetNzmax (x);
    shape->start = (int64_t *) mxGetJc (x);
    shape->row = (int64_t *) mxGetIr (x);
  }
  return x;
}

/* Large results are scanned in pieces of this many elements, about 10 ms, so that Ctrl-C works. */
static const int64_t DELIVERED_AT_ONCE = 1 << 22;

static int any_imaginary (const gpumm_matrix *x, int64_t begin, int64_t end) {
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

int has_imaginary_part (const gpumm_matrix *x, int64_t count) {
  for (int64_t i = 0; i < count && !is_interrupted (); i += DELIVERED_AT_ONCE)
    if (any_imaginary (x, i, i + DELIVERED_AT_ONCE < count ? i + DELIVERED_AT_ONCE : count))
      return 1;
  return 0;
}

static void copy_values (const gpumm_matrix *to, const gpumm_matrix *from, int64_t begin,
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

/* Copies the elements, count of them, and the indices. */
static void copy_matrix (const gpumm_matrix *to, const gpumm_matrix *from, int64_t count) {
  for (int64_t i = 0; i < count && !is_interrupted (); i += DELIVERED_AT_ONCE) {
    const int64_t end = i + DELIVERED_AT_ONCE < count ? i + DELIVERED_AT_ONCE : count;
    copy_values (to, from, i, end);
    if (to->format == GPUMM_SPARSE)
      memcpy (to->row + i, from->row + i, (size_t) (end - i) * sizeof *to->row);
  }
  if (to->format == GPUMM_SPARSE)
    memcpy (to->start, from->start, ((size_t) to->cols + 1) * sizeof *to->start);
  if (to->format == GPUMM_BLOCKS) {
    memcpy (to->start, from->start, (size_t) (to->rows / to->block_rows + 1) * sizeof *to->start);
    memcpy (to->block_column, from->block_column, (size_t) to->nzmax * sizeof *to->block_column);
  }
}

/* The number of stored elements, or of blocks. */
static int64_t stored (const gpumm_matrix *x) {
  return x->format == GPUMM_SPARSE   ? x->start[x->cols]
         : x->format == GPUMM_BLOCKS ? x->start[x->rows / x->block_rows]
                                     : x->rows * x->cols;
}

/* x as `*` would return it, see make_matrix. The result may be another array, or NULL with the error
 * set; the old array is then destroyed. */
static mxArray *settle (mxArray *x, const gpumm_matrix *result, gateway_error *e) {
  if (result->format == GPUMM_DENSE && !is_complex (result->type))
    return x;
  gpumm_matrix less = *result;
  less.nzmax = stored (result);
  const int64_t count =
      result->format == GPUMM_BLOCKS ? less.nzmax * less.block_rows * less.block_cols : less.nzmax;
  /* Empty results are real already; the test of others ends at the first imaginary part. */
  int narrow = is_complex (result->type) && real_if_empty (result) == result->type
               && !has_imaginary_part (result, count);
  int shrink = result->format == GPUMM_SPARSE   ? less.nzmax < result->nzmax / 2
               : result->format == GPUMM_BLOCKS ? less.nzmax < result->nzmax
                                                : 0;
  if (!narrow && !shrink)
    return x;
  if (narrow)
    less.type = result->type == GPUMM_C ? GPUMM_S : GPUMM_D;
  mxArray *y = allocate (&less, e);
  if (y)
    copy_matrix (&less, result, count);
  mxDestroyArray (x);
  if (y && is_interrupted ()) {
    mxDestroyArray (y);
    fail_cancelled (e);
    return NULL;
  }
  return y;
}

mxArray *make_matrix (gpumm_status status, gpumm_matrix *shape, filler *fill, void *source,
                      gateway_error *e) {
  mxArray *x = NULL;
  if (!status) {
    x = allocate (shape, e);
    if (!x)
      return NULL;
    status = fill (source, shape);
  }
  if (!status)
    return settle (x, shape, e);
  gateway_fail_engine (e, status);
  if (x)
    mxDestroyArray (x);
  return NULL;
}
