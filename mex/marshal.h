/* marshal.h - what all gateways share: Octave's arrays as operands, results, errors.
 *
 * A function here that can fail stores the failure in a gateway_error. The gateway raises it after
 * releasing everything, because raising an error leaves the MEX file at once.
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

/* Keeps this file and the engine's pools loaded, and resets the engine when Octave exits. */
void gateway_enter (void);

/* Sets the error (printf's rules) and returns 0, so a check fails in one line. */
int gateway_fail (gateway_error *e, const char *identifier, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Sets the error to the engine's last one, with identifier gpumm:<status>. Returns 0. */
int gateway_fail_engine (gateway_error *e, gpumm_status status);

/* The error as a struct (message, identifier), or [] for none. */
mxArray *gateway_error_value (const gateway_error *e);

/* After a cancellation by Ctrl-C, throws the interrupt as Octave's own functions do, and does not
 * return. For gateways that return their error; call it after releasing everything. */
void gateway_interrupt (const gateway_error *e);

/* Raises the error or the interrupt, if there is one; a gateway's last call. Octave puts the file's
 * name before the message. */
void gateway_raise (const gateway_error *e);

/* ---- interrupts, interrupt.cc --------------------------------------------------------------- */

void watch_interrupts (void);                                 /* makes the engine stop at Ctrl-C */
int is_interrupted (void);                                    /* is a Ctrl-C pending? */
int catch_interrupt (void (*call) (void *), void *arguments); /* 1: Ctrl-C ended call (arguments) */
void throw_interrupt (void) __attribute__ ((noreturn));

/* ---- progress, progress.c ------------------------------------------------------------------- */

void watch_progress (void); /* makes the engine show progress of long work */

/* ---- values ------------------------------------------------------------------------------- */

/* An argument as text; returns 0 if it is no text or longer than size - 1. */
int get_text (const mxArray *x, char *text, size_t size);

/* The value of a field, or 0 if it is not one number. */
double get_number (const mxArray *options, const char *field);

/* Reads one double, real or complex; returns 0 if x is not one. */
int get_scalar (const mxArray *x, gpumm_scalar *scalar);

/* Finds a type by its class name; returns 0 if there is none. */
int find_type (const char *name, gpumm_type *type);
int get_type (const mxArray *name, gpumm_type *type);

/* Sets a field of element i of a struct array. */
void set_number (mxArray *s, int i, const char *field, double value);
void set_text (mxArray *s, int i, const char *field, const char *text);

/* The engine's options from the struct of private/parse_options.m; name stores the algorithm. */
enum { NAME_BYTES = 64 };
void get_options (const mxArray *options, gpumm_options *o, char name[NAME_BYTES]);

/* The struct info of gpumm.m; NULL with the error set. */
mxArray *report_value (const gpumm_report *r, gateway_error *e);

/* A trace as a struct for gpumm_kernel.m; unknown numbers are NaN. */
mxArray *trace_value (const gpumm_trace *t);

/* ---- the options of gpumm, options.c ------------------------------------------------------- */

typedef struct call_options {
  gpumm_options engine;
  char algorithm[NAME_BYTES]; /* memory for engine.algorithm from a struct */
  gpumm_op op_a, op_b;
  const mxArray *alpha, *beta, *c; /* the user's values, not yet marshalled; or NULL */
  const char *output, *form;       /* OutputClass and Output, or "" */
  int scalars;                     /* 1: a scalar is a 1x1 matrix; 0: Octave multiplies by it */
} call_options;

/* Reads gpumm's names and values; returns 0 with the error set. */
int get_pairs (int count, const mxArray *const pairs[], call_options *o, gateway_error *e);

/* Reads the struct of private/parse_options.m. */
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

/* typeinfo (x), cut off at size - 1 characters. Call it before reading x's memory (typeinfo.cc). */
void get_type_name (const mxArray *x, char *name, size_t size);

/* x as an operand that shares its memory; x may be NULL. Returns 0, without reading x's memory, if
 * the engine has no such operand: x has a special type (diagonal, range, ...), more than two
 * dimensions, or is not numeric. */
int get_operand (const mxArray *x, gpumm_operand *operand);

/* Is there one among the first count elements of x, which is complex? */
int has_imaginary_part (const gpumm_operand *x, int64_t count);

/* An array of this kind, type and size in Octave's memory with undefined elements; sets the
 * pointers of shape. NULL with the error set. Complex arrays need values before Octave sees
 * them. */
mxArray *allocate_result (gpumm_operand *shape, gateway_error *e);

/* The array as `*` would return it: a complex array with zero imaginary parts becomes real, a
 * sparse array gives back unused room. The result may be another array, or NULL with the error set;
 * the old array is then destroyed. */
mxArray *settle_result (mxArray *x, const gpumm_operand *result, gateway_error *e);

/* ---- matrices by blocks ------------------------------------------------------------------- */

/* The same for structs with the fields of a blocksparse (blocksparse.cc). */
int get_blocks (const mxArray *x, gpumm_operand *operand);

/* Arrays for a result in blocks; column and values have room for nzmax blocks. */
typedef struct block_arrays {
  mxArray *start, *column, *values;
} block_arrays;

int allocate_blocks (gpumm_operand *shape, block_arrays *x, gateway_error *e);

/* The struct of a result, settled as by settle_result; x no longer owns the arrays. NULL with the
 * error set. */
mxArray *blocks_value (block_arrays *x, const gpumm_operand *result, gateway_error *e);

void destroy_blocks (block_arrays *x);

#endif
