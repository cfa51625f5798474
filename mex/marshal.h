/* marshal.h - what all gateways share: errors, options, operands, results, products.
 *
 * A function here that can fail stores the failure in a gateway_error. The gateway raises it after
 * releasing everything, because raising an error leaves the MEX file at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MARSHAL_H
#define GPUMM_MARSHAL_H

#include "gpumm_tools.h"
#include "mex.h"

/* ---- life and errors of a gateway --------------------------------------------------------- */

typedef struct gateway_error {
  char identifier[64]; /* "" while nothing has failed */
  char message[1024];
  /* What to close when the gateway ends, or Octave raises an error itself, as when it has no
   * memory; NULL: nothing. */
  void (*close) (void *open);
  void *open;
} gateway_error;

/* What each gateway defines; mexFunction calls it, and then raises the error if it has set one. */
void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e);

/* Sets the error (printf's rules) and returns 0, so a check fails in one line. */
int gateway_fail (gateway_error *e, const char *identifier, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* What each gateway begins with: raises gpumm:internal unless its arguments are of the number and
 * kinds that its user, a function, gives it. */
void check_use (int is_right, const char *user);

/* If status is a failure, sets the error to the engine's last one, with identifier gpumm:<status>,
 * and returns 0. */
int gateway_check (gateway_error *e, gpumm_status status);

/* ---- Octave's C++ interfaces: octave.cc, allocate.cc --------------------------------------- */

/* run (call), then clean (call), also if an error of Octave's passes. */
void run_and_clean (void (*run) (void *call), void (*clean) (void *call), void *call);

/* typeinfo (x), cut off at size - 1 characters. Call it before reading x's memory (octave.cc). */
void get_type_name (const mxArray *x, char *name, size_t size);

void watch_interrupts (void); /* makes the engine stop at Ctrl-C */
void keep_signals (void);     /* a signal that came before is not forgotten */
int is_interrupted (void);    /* is a Ctrl-C pending? */
void throw_interrupt (void) __attribute__ ((noreturn));

/* A full or sparse matrix of this shape, its elements undefined: NULL if there is no memory. A
 * complex one needs values before Octave sees it. A blocksparse of such arrays, which are filled.
 * And gpumm's struct info. The C interface does not
 * know these arrays: pass each to own, or make it a field. */
mxArray *new_array (const gpumm_matrix *shape);
mxArray *new_blocksparse (const gpumm_matrix *shape, const mxArray *start, const mxArray *column,
                          const mxArray *values);
mxArray *new_info (const gpumm_report *report);

/* A matrix as an array of pages of that many columns, with these page sizes: x itself, or an array
 * that shares its memory: pass that to own. */
mxArray *in_pages (mxArray *x, int64_t cols, int dims, const int64_t *sizes);

/* x, which is freed when the gateway ends, as are all that mxCreate* makes. */
mxArray *own (mxArray *x);

/* ---- progress, progress.c ------------------------------------------------------------------- */

void watch_progress (void); /* makes the engine show progress of long work */

/* ---- values ------------------------------------------------------------------------------- */

/* An argument as text; returns 0 if it is no text or longer than size - 1. */
int get_text (const mxArray *x, char *text, size_t size);

/* The value of a full real numeric scalar, else NaN. */
double get_number (const mxArray *x);

/* Is it one struct? Only then its fields can be read; x may be NULL. */
int is_struct (const mxArray *x);

/* Reads a field, a number or a truth value; 0 if it is missing. Returns 0 if it is no whole number
 * of least to most. */
int get_field (const mxArray *s, const char *field, double least, double most, int64_t *number);

/* Reads one double, real or complex; returns 0 if x is not one. */
int get_scalar (const mxArray *x, gpumm_scalar *scalar);

/* The type with this class name, or GPUMM_TYPES. */
gpumm_type get_type (const mxArray *name);

/* Sets a field of element i of a struct array; adds the field if it is new. */
void set_value (mxArray *s, int i, const char *field, mxArray *value);
void set_number (mxArray *s, int i, const char *field, double value);
void set_text (mxArray *s, int i, const char *field, const char *text);

/* ---- the options of gpumm, options.c ------------------------------------------------------- */

enum { NAME_BYTES = 64 };

typedef struct call_options {
  gpumm_options engine;
  char algorithm[NAME_BYTES]; /* memory for engine.algorithm from a struct */
  gpumm_op op_a, op_b;
  const mxArray *alpha, *beta, *c; /* the user's values, not yet marshalled; or NULL */
  gpumm_type output;               /* OutputClass, or GPUMM_TYPES */
  const char *form;                /* Output, or "" */
  int full;                        /* blocks by blocks: a full product */
} call_options;

/* Reads "none", "transpose" or "ctranspose"; returns 0 if x is none of them. */
int get_op (const mxArray *x, gpumm_op *op);

/* Reads gpumm's names and values; returns 0 with the error set. */
int get_pairs (int count, const mxArray *const pairs[], call_options *o, gateway_error *e);

/* The options as the struct of private/parse_options.m. alpha, beta and c are the positions of the
 * values among the pairs, or 0: Octave 7 would copy half of a complex array. */
mxArray *struct_of (const call_options *o, int count, const mxArray *const pairs[]);

/* Reads that struct; a field that is missing has its default. Returns 0
 * if s is no such struct. */
int get_struct (const mxArray *s, call_options *o);

/* ---- operands and results ----------------------------------------------------------------- */

static inline int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static inline int is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

/* x as an operand that shares its memory; x may be NULL. Returns 0, without reading x's memory, if
 * the engine has no such operand: x has a special type (diagonal, range, ...), more than two
 * dimensions, or is not numeric. */
int get_operand (const mxArray *x, gpumm_matrix *operand);

/* The same for an array of any dimensions: a matrix whose columns are those of all pages. */
int get_array (const mxArray *x, gpumm_matrix *operand);

/* A blocksparse as an operand that shares its memory; returns 0 if x is another value. */
int get_blocks (const mxArray *x, gpumm_matrix *operand);

/* Is there one among the first count elements of x, which is complex? */
int has_imaginary_part (const gpumm_matrix *x, int64_t count);

/* Writes the elements of x, and its indices; source is what they are made of. */
typedef gpumm_status filler (void *source, gpumm_matrix *x);

/* The matrix of this shape that fill writes, in Octave's memory and as `*` would return it: a
 * complex one with zero imaginary parts becomes real, a sparse one gives back unused room. One in
 * blocks is a struct with the fields of a blocksparse. NULL with the error set, also if status, of
 * the step that told the shape, is a failure. */
mxArray *make_matrix (gpumm_status status, gpumm_matrix *shape, filler *fill, void *source,
                      gateway_error *e);

/* ---- products, product.c ------------------------------------------------------------------ */

/* A problem, with what it points to. */
typedef struct request {
  gpumm_problem problem;
  gpumm_matrix c0;
  call_options options;
} request;

/* Makes a problem of the operands and r->options. Returns 0 if the engine has no such operands or
 * does not multiply their types. */
int get_problem (const mxArray *a, const mxArray *b, request *r);

/* The product, or NULL with the error set. Sets the struct info of gpumm, if info is not NULL.
 * With a trace, the product runs under the microscope, and is counted if trace->counted is 1. */
mxArray *make_product (const request *r, mxArray **info, gpumm_trace *trace, gateway_error *e);

#endif
