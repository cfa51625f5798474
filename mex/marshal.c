/* marshal.c - what all gateways share: errors, values, operands, results.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"
#include "build_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof (mwIndex) == sizeof (int64_t), "an Octave with 64-bit indices is needed");

/* ---- errors ------------------------------------------------------------------------------- */

int gateway_fail (gateway_error *e, const char *identifier, const char *format, ...) {
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (e->message, sizeof e->message, format, arguments);
  va_end (arguments);
  snprintf (e->identifier, sizeof e->identifier, "%s", identifier);
  return 0;
}

void check_use (int is_right, const char *user) {
  if (!is_right)
    mexErrMsgIdAndTxt ("gpumm:internal", "for use by %s only", user);
}

int gateway_check (gateway_error *e, gpumm_status status) {
  char identifier[sizeof e->identifier];
  if (status == GPUMM_OK)
    return 1;
  /* the identifier is Octave's own here, and so is the text of an operator */
  if (status == GPUMM_NONCONFORMANT)
    return gateway_fail (
        e, "Octave:nonconformant-args", "%s%s",
        strncmp (gpumm_last_error (), "operator", 8) == 0 ? "" : "gpumm: ", gpumm_last_error ());
  snprintf (identifier, sizeof identifier, "gpumm:%s", gpumm_status_name (status));
  return gateway_fail (e, identifier, "gpumm: %s", gpumm_last_error ());
}

/* By Octave's own function error, because MEX's puts the gateway's name before the text. After a
 * cancellation by Ctrl-C throws the interrupt, as Octave's own functions do. */
static void raise_error (const gateway_error *e) {
  if (strcmp (e->identifier, "gpumm:cancelled") == 0 && is_interrupted ())
    throw_interrupt ();
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  set_text (s, 0, "message", e->message);
  set_text (s, 0, "identifier", e->identifier);
  mexCallMATLAB (0, NULL, 1, &s, "error");
}

/* ---- life of a gateway -------------------------------------------------------------------- */

/* The driver may be shutting down already, so ignore failures to release memory. */
static void at_exit (void) {
  (void) gpumm_reset ();
}

/* Keeps this file and the engine's pools loaded, and resets the engine when Octave exits. */
static void stay (void) {
  mexLock ();
  mexAtExit (at_exit);
  watch_interrupts ();
  watch_progress ();
  const char *unused = gpumm_unused_gpu ();
  if (unused) { /* by Octave's own function warning, for the reason at raise_error */
    mxArray *arguments[] = {mxCreateString ("gpumm:no-cuda-kernels"),
                            mxCreateString ("gpumm: %s; to build it with CUDA: " GPUMM_WITH_CUDA),
                            mxCreateString (unused)};
    mexCallMATLAB (0, NULL, 3, arguments, "warning");
  }
}

typedef struct gateway_call {
  int nlhs, nrhs;
  mxArray **plhs;
  const mxArray **prhs;
  gateway_error error;
} gateway_call;

static void run_call (void *call) {
  gateway_call *c = call;
  gateway (c->nlhs, c->plhs, c->nrhs, c->prhs, &c->error);
}

static void close_call (void *call) {
  const gateway_error *e = &((gateway_call *) call)->error;
  if (e->close)
    e->close (e->open);
}

void mexFunction (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  gateway_call call = {.nlhs = nlhs, .nrhs = nrhs, .plhs = plhs, .prhs = prhs};
  if (!mexIsLocked ())
    stay ();
  keep_signals ();
  run_and_clean (run_call, close_call, &call);
  if (call.error.identifier[0])
    raise_error (&call.error);
}

/* ---- values ------------------------------------------------------------------------------- */

int get_text (const mxArray *x, char *text, size_t size) {
  return mxIsChar (x) && mxGetString (x, text, size) == 0;
}

double get_number (const mxArray *x) {
  return mxIsNumeric (x) && mxGetClassID (x) != mxUNKNOWN_CLASS && !mxIsComplex (x)
                 && !mxIsSparse (x) && mxGetNumberOfElements (x) == 1
                 && mxGetNumberOfDimensions (x) == 2
             ? mxGetScalar (x)
             : NAN;
}

int is_struct (const mxArray *x) {
  return x && mxIsStruct (x) && mxGetNumberOfElements (x) == 1;
}

int get_field (const mxArray *s, const char *field, double least, double most, int64_t *number) {
  const mxArray *x = mxGetField (s, 0, field);
  const int is_flag = x && mxIsLogical (x) && !mxIsSparse (x) && mxGetNumberOfElements (x) == 1;
  const double value = !x ? 0 : is_flag ? mxGetScalar (x) : get_number (x);
  if (!(value >= least && value <= most && value == trunc (value)))
    return 0;
  *number = (int64_t) value;
  return 1;
}

int get_scalar (const mxArray *x, gpumm_scalar *scalar) {
  if (mxGetClassID (x) != mxDOUBLE_CLASS || mxIsSparse (x) || mxGetNumberOfElements (x) != 1)
    return 0;
  const double *v = mxGetData (x);
  *scalar = (gpumm_scalar){v[0], mxIsComplex (x) ? v[1] : 0};
  return 1;
}

static gpumm_type find_type (const char *name) {
  int t = 0;
  while (t < GPUMM_TYPES && strcmp (name, gpumm_type_name ((gpumm_type) t)) != 0)
    t++;
  return (gpumm_type) t;
}

gpumm_type get_type (const mxArray *name) {
  char text[16];
  return get_text (name, text, sizeof text) ? find_type (text) : GPUMM_TYPES;
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

/* A cell frees its elements, wherever they come from. */
mxArray *own (mxArray *x) {
  mxSetCell (mxCreateCellMatrix (1, 1), 0, x);
  return x;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* The types whose memory the engine reads directly, by Octave's names without "matrix" or "scalar".
 * Classes alone do not distinguish a matrix from a diagonal matrix or a range, which reading the
 * data would expand. */
static const struct {
  const char *name;
  gpumm_format format;
  gpumm_type type;
} plain[] = {
    {"", GPUMM_FULL, GPUMM_D},
    {"float ", GPUMM_FULL, GPUMM_S},
    {"complex ", GPUMM_FULL, GPUMM_Z},
    {"float complex ", GPUMM_FULL, GPUMM_C},
    {"sparse ", GPUMM_SPARSE, GPUMM_D},
    {"sparse complex ", GPUMM_SPARSE, GPUMM_Z},
    {"sparse bool ", GPUMM_SPARSE, GPUMM_B},
};

/* Sets format and type of x by the name of its type; integers have the names of their classes. */
static int get_plain_type (char *name, gpumm_matrix *x) {
  const size_t length = strlen (name), word = strlen ("matrix");
  char *end = name + length - word;
  if (length < word || (strcmp (end, "matrix") != 0 && strcmp (end, "scalar") != 0))
    return 0;
  *end = '\0';
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (strcmp (name, plain[i].name) == 0) {
      x->format = plain[i].format;
      x->type = plain[i].type;
      return 1;
    }
  end[-1] = '\0';
  x->type = find_type (name);
  return is_integer (x->type);
}

/* Sets the pointers of m to the memory of x. */
static void point_to (const mxArray *x, gpumm_matrix *m) {
  m->values = mxGetData (x);
  if (m->format == GPUMM_SPARSE) {
    m->nzmax = (int64_t) mxGetNzmax (x);
    m->start = (int64_t *) mxGetJc (x);
    m->row = (int64_t *) mxGetIr (x);
  }
}

int get_array (const mxArray *x, gpumm_matrix *operand) {
  char name[32];
  *operand = (gpumm_matrix){0};
  if (!x)
    return 0;
  get_type_name (x, name, sizeof name);
  if (!get_plain_type (name, operand))
    return 0;
  operand->rows = operand->ld = (int64_t) mxGetM (x);
  operand->cols = (int64_t) mxGetN (x);
  point_to (x, operand);
  return 1;
}

int get_operand (const mxArray *x, gpumm_matrix *operand) {
  return x && mxGetNumberOfDimensions (x) == 2 && get_array (x, operand);
}

/* ---- results ------------------------------------------------------------------------------ */

/* Real results up to this many bytes come from mxCreate*. Octave copies them on return, which costs
 * less than what new_array and own do. */
static const double SMALL_RESULT_BYTES = 8192;

static const mxClassID class_of[GPUMM_TYPES] = {
    [GPUMM_S] = mxSINGLE_CLASS,   [GPUMM_D] = mxDOUBLE_CLASS,   [GPUMM_I8] = mxINT8_CLASS,
    [GPUMM_I16] = mxINT16_CLASS,  [GPUMM_I32] = mxINT32_CLASS,  [GPUMM_I64] = mxINT64_CLASS,
    [GPUMM_U8] = mxUINT8_CLASS,   [GPUMM_U16] = mxUINT16_CLASS, [GPUMM_U32] = mxUINT32_CLASS,
    [GPUMM_U64] = mxUINT64_CLASS,
};

/* A full or sparse matrix of this shape, to become field of s, or without s on its own; sets the
 * pointers of shape. NULL with the error set. */
static mxArray *allocate_array (gpumm_matrix *shape, mxArray *s, const char *field,
                                gateway_error *e) {
  const int sparse = shape->format == GPUMM_SPARSE;
  const double bytes =
      (double) gpumm_type_bytes (shape->type)
      * (sparse ? (double) shape->nzmax : (double) shape->rows * (double) shape->cols);
  const int small = !s && !sparse && !is_complex (shape->type) && bytes <= SMALL_RESULT_BYTES;
  mxArray *x = small ? mxCreateNumericMatrix ((mwSize) shape->rows, (mwSize) shape->cols,
                                              class_of[shape->type], mxREAL)
                     : new_array (shape);
  if (!x)
    gateway_fail (e, "gpumm:host-memory",
                  "gpumm: Octave has no memory for the %lld x %lld result (%.3g GB)",
                  (long long) shape->rows, (long long) shape->cols, 1e-9 * bytes);
  else if (s)
    mxSetField (s, 0, field, x);
  else if (!small)
    own (x);
  if (x)
    point_to (x, shape);
  return x;
}

/* The same for all formats: blocks are a struct, whose column and values have room for nzmax. */
static mxArray *allocate (gpumm_matrix *shape, gateway_error *e) {
  static const char *names[] = {"start", "column", "values"};
  if (shape->format != GPUMM_BLOCKS)
    return allocate_array (shape, NULL, NULL, e);
  gpumm_matrix arrays[] = {
      {.type = GPUMM_I64, .rows = shape->rows / shape->block_rows + 1, .cols = 1},
      {.type = GPUMM_I32, .rows = shape->nzmax, .cols = 1},
      {.type = shape->type, .rows = shape->block_rows, .cols = shape->block_cols * shape->nzmax}};
  mxArray *s = mxCreateStructMatrix (1, 1, 3, names);
  for (int i = 0; i < 3; i++)
    if (!allocate_array (&arrays[i], s, names[i], e))
      return NULL;
  set_number (s, 0, "rows", (double) shape->rows);
  set_number (s, 0, "cols", (double) shape->cols);
  set_number (s, 0, "block_rows", (double) shape->block_rows);
  set_number (s, 0, "block_cols", (double) shape->block_cols);
  shape->start = arrays[0].values;
  shape->block_column = arrays[1].values;
  shape->values = arrays[2].values;
  return s;
}

/* Large results are scanned and copied in pieces, about 10 ms long, so that Ctrl-C works. */
enum { PIECE_ELEMENTS = 1 << 22, PIECE_BYTES = 1 << 25 };

int has_imaginary_part (const gpumm_matrix *x, int64_t count) {
  const float *single = x->values;
  const double *number = x->values;
  for (int64_t i = 0; i < count && (i % PIECE_ELEMENTS != 0 || !is_interrupted ()); i++)
    if (x->type == GPUMM_C ? single[2 * i + 1] != 0 : number[2 * i + 1] != 0)
      return 1;
  return 0;
}

static void copy_real_parts (const gpumm_matrix *to, const gpumm_matrix *from, int64_t count) {
  for (int64_t i = 0; i < count && (i % PIECE_ELEMENTS != 0 || !is_interrupted ()); i++)
    if (to->type == GPUMM_S)
      ((float *) to->values)[i] = ((const float *) from->values)[2 * i];
    else
      ((double *) to->values)[i] = ((const double *) from->values)[2 * i];
}

static void copy (void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes && !is_interrupted (); i += PIECE_BYTES)
    memcpy ((char *) to + i, (const char *) from + i,
            bytes - i < PIECE_BYTES ? bytes - i : PIECE_BYTES);
}

/* x, which is result, as `*` would return it, see make_matrix: x itself or another array, or NULL
 * with the error set. */
static mxArray *settle (mxArray *x, const gpumm_matrix *result, gateway_error *e) {
  if (result->format == GPUMM_FULL && !is_complex (result->type))
    return x;
  const int sparse = result->format == GPUMM_SPARSE, blocks = result->format == GPUMM_BLOCKS;
  const int64_t lines = sparse ? result->cols : blocks ? result->rows / result->block_rows : 0;
  int64_t count = result->rows * result->cols; /* elements */
  gpumm_matrix less = *result;
  if (sparse || blocks) {
    less.nzmax = result->start[lines];
    count = less.nzmax * (blocks ? result->block_rows * result->block_cols : 1);
  }
  /* the test ends at the first imaginary part */
  const int narrow = is_complex (result->type) && !has_imaginary_part (result, count);
  if (!narrow && less.nzmax >= (sparse ? result->nzmax / 2 : result->nzmax))
    return x;
  if (narrow)
    less.type = result->type == GPUMM_C ? GPUMM_S : GPUMM_D;
  const int64_t used = less.nzmax;
  mxArray *y = allocate (&less, e);
  if (!y)
    return NULL;
  if (narrow)
    copy_real_parts (&less, result, count);
  else
    copy (less.values, result->values, (size_t) count * gpumm_type_bytes (less.type));
  if (sparse || blocks) {
    copy (less.start, result->start, (size_t) (lines + 1) * sizeof *less.start);
    copy (less.index, result->index,
          (size_t) used * (sparse ? sizeof *less.row : sizeof *less.block_column));
  }
  if (!is_interrupted ())
    return y;
  gateway_fail (e, "gpumm:cancelled", "gpumm: cancelled");
  return NULL;
}

mxArray *make_matrix (gpumm_status status, gpumm_matrix *shape, filler *fill, void *source,
                      gateway_error *e) {
  mxArray *x = gateway_check (e, status) ? allocate (shape, e) : NULL;
  return x && gateway_check (e, fill (source, shape)) ? settle (x, shape, e) : NULL;
}
