/* marshal.h - what all gateways share: Octave's arrays as operands, results, errors.
 *
 * A function here that can fail leaves the failure in a gateway_error, which is raised when all is
 * released: an error raised in a MEX file jumps over what is left of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MARSHAL_H
#define GPUMM_MARSHAL_H

#include "gpumm.h"
#include "mex.h"

/* ---- life and errors of a gateway --------------------------------------------------------- */

typedef struct gateway_error {
  char identifier[64]; /* "" while nothing has failed */
  char message[1024];
} gateway_error;

/* Keeps this file loaded, with the engine's pools, and has the engine reset when Octave exits. */
void gateway_enter (void);

/* Sets the error (printf's rules) and returns 0, so that a check fails in one line. */
int gateway_fail (gateway_error *e, const char *identifier, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* The engine's last error as one of Octave's: identifier gpumm:<status>. Returns 0. */
int gateway_fail_engine (gateway_error *e, gpumm_status status);

/* The error as a struct (message, identifier), or [] for none. */
mxArray *gateway_error_value (const gateway_error *e);

/* After a cancellation by Ctrl-C, goes on with it as Octave's own functions do, and does not return:
 * for a gateway that hands its error back, when all is released. */
void gateway_interrupt (const gateway_error *e);

/* Raises the error, if there is one, or goes on with an interrupt: the last thing a gateway does.
 * Octave puts the file's name before the message. */
void gateway_raise (const gateway_error *e);

/* ---- interrupts, interrupt.cc --------------------------------------------------------------- */

void watch_interrupts (void); /* has the engine stop at Ctrl-C */
int is_interrupted (void);    /* was Ctrl-C pressed, and is not dealt with? */
int catch_interrupt (void (*call) (void *), void *arguments); /* 1: it ended call (arguments) */
void throw_interrupt (void) __attribute__ ((noreturn));

/* ---- progress, progress.c ------------------------------------------------------------------- */

void watch_progress (void); /* has the engine say how much of long work is done */

/* ---- values ------------------------------------------------------------------------------- */

/* One of mex's own arguments as text; 0 when it is none or longer than size - 1. */
int get_text (const mxArray *x, char *text, size_t size);

/* A field that is one number, else 0. */
double get_number (const mxArray *options, const char *field);

/* One double, real or complex; 0 when x is not. */
int get_scalar (const mxArray *x, gpumm_scalar *scalar);

/* A type by its class's name; 0 when there is none of it. */
int find_type (const char *name, gpumm_type *type);
int get_type (const mxArray *name, gpumm_type *type);

/* Field by name of element i of a struct array. */
void set_number (mxArray *s, int i, const char *field, double value);
void set_text (mxArray *s, int i, const char *field, const char *text);

/* The fields of private/parse_options.m that are the engine's options; name keeps the algorithm. */
enum { NAME_BYTES = 64 };
void get_options (const mxArray *options, gpumm_options *o, char name[NAME_BYTES]);

/* The struct info of gpumm.m; NULL with the error set. */
mxArray *report_value (const gpumm_report *r, gateway_error *e);

/* A trace as gpumm_kernel.m takes it: a struct; numbers that are not known are NaN. */
mxArray *trace_value (const gpumm_trace *t);

/* ---- the options of gpumm, options.c ------------------------------------------------------- */

typedef struct call_options {
  gpumm_options engine;
  char algorithm[NAME_BYTES]; /* memory for engine.algorithm, where a struct has it */
  gpumm_op op_a, op_b;
  const mxArray *alpha, *beta, *c; /* the user's, not yet marshalled; NULL where not given */
  const char *output, *form;       /* OutputClass and Output; "" where not given */
  int scalars; /* a scalar is a 1x1 matrix; else it multiplies element by element, by Octave */
} call_options;

/* From gpumm's names and values; 0 with the error set. */
int get_pairs (int count, const mxArray *const pairs[], call_options *o, gateway_error *e);

/* From the struct of private/parse_options.m. */
void get_struct (const mxArray *s, call_options *o);

/* ---- operands and results ----------------------------------------------------------------- */

static inline int is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static inline int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static inline int is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

/* typeinfo (x), cut off at size - 1 characters; to be asked before x's memory is (typeinfo.cc). */
void get_type_name (const mxArray *x, char *name, size_t size);

/* x as an operand that shares its memory; x may be NULL. Returns 0 and leaves x's memory alone when
 * the engine has no such operand: x is of a special type (diagonal, range, ...), has more than two
 * dimensions, or is no numeric array at all. */
int get_operand (const mxArray *x, gpumm_operand *operand);

/* Is there one among the first count elements of x, which is complex? */
int has_imaginary_part (const gpumm_operand *x, int64_t count);

/* An array of that kind, type and size in Octave's memory, its elements undefined; shape gets the
 * pointers to them. NULL with the error set. Complex arrays must get values before Octave sees
 * them. */
mxArray *allocate_result (gpumm_operand *shape, gateway_error *e);

/* The array as Octave would have it after `*`: a complex one without imaginary parts becomes real,
 * a sparse one gives back room that it does not need. The result may be another array (the old one
 * is then destroyed), or NULL with the error set (and the old one destroyed). */
mxArray *settle_result (mxArray *x, const gpumm_operand *result, gateway_error *e);

/* ---- matrices by blocks ------------------------------------------------------------------- */

/* The same for structs with the fields of a blocksparse (blocksparse.cc). */
int get_blocks (const mxArray *x, gpumm_operand *operand);

/* Arrays for a result by blocks: column and values have room for nzmax of them. */
typedef struct block_arrays {
  mxArray *start, *column, *values;
} block_arrays;

int allocate_blocks (gpumm_operand *shape, block_arrays *x, gateway_error *e);

/* The struct of a result, as settle_result would have it; x no longer owns the arrays then. NULL
 * with the error set. */
mxArray *blocks_value (block_arrays *x, const gpumm_operand *result, gateway_error *e);

void destroy_blocks (block_arrays *x);

#endif
