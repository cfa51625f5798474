/* options.c - the options of gpumm: pairs of a name and a value.
 *
 * This is the only table of the names. gpumm passes its pairs to __gpumm_multiply__ unchanged, because
 * a function in between would take longer than a small product. Products that Octave must help with get
 * the same options as a struct, from __gpumm_options__.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
  TRANSPOSE_A,
  TRANSPOSE_B,
  ALPHA,
  BETA,
  C0,
  BACKEND,
  ALGORITHM,
  DEVICE,
  OUTPUT_CLASS,
  OUTPUT,
  MAX_DEVICE_MEMORY,
  MAX_CAPABILITY,
  OPTIONS
};

static const char *const names[OPTIONS + 1] = {
    "TransposeA",      "TransposeB",    "Alpha",  "Beta",        "C",
    "Backend",         "Algorithm",     "Device", "OutputClass", "Output",
    "MaxDeviceMemory", "MaxCapability", NULL};

/* Words for enums; a word's index is its value. */
static const char *const ops[] = {"none", "transpose", "ctranspose", NULL};
static const char *const backends[] = {"auto", "cpu", "gpu", NULL};
static const char *const forms[] = {"full", "sparse", "blocksparse", NULL};
static const char *const classes[] = {"double", "single", "int8",   "int16",  "int32", "int64",
                                      "uint8",  "uint16", "uint32", "uint64", NULL};

/* ---- words and numbers -------------------------------------------------------------------- */

static int is_row_of_text (const mxArray *x) {
  return mxIsChar (x) && mxGetNumberOfDimensions (x) == 2 && mxGetM (x) == 1;
}

/* The index of x among the words, in upper or lower case, or -1. */
static int find_word (const mxArray *x, const char *const words[]) {
  char text[NAME_BYTES];
  if (!is_row_of_text (x) || !get_text (x, text, sizeof text)
      || strlen (text) != mxGetNumberOfElements (x))
    return -1;
  for (int i = 0; words[i]; i++)
    if (strcasecmp (text, words[i]) == 0)
      return i;
  return -1;
}

/* The words, at most count of them, in text: "a", "b" or "c" if last is " or ". */
static void list_words (char *text, size_t size, const char *const words[], int count,
                        const char *quote, const char *last) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && words[i] && used < size; i++) {
    const char *comma = i == 0 ? "" : i + 1 < count && words[i + 1] ? ", " : last;
    used += (size_t) snprintf (text + used, size - used, "%s%s%s%s", comma, quote, words[i], quote);
  }
}

static int get_word (const mxArray *x, int option, const char *const words[], int *value,
                     gateway_error *e) {
  char text[256];
  *value = find_word (x, words);
  if (*value >= 0)
    return 1;
  list_words (text, sizeof text, words, INT_MAX, "\"", " or ");
  return gateway_fail (e, "gpumm:bad-value", "gpumm: %s must be %s", names[option], text);
}

/* The value of a full real numeric scalar, else NaN. */
static double number (const mxArray *x) {
  return mxIsNumeric (x) && mxGetClassID (x) != mxUNKNOWN_CLASS && !mxIsComplex (x)
                 && !mxIsSparse (x) && mxGetNumberOfElements (x) == 1
                 && mxGetNumberOfDimensions (x) == 2
             ? mxGetScalar (x)
             : NAN;
}

static int get_whole (const mxArray *x, int option, double most, const char *meaning, double *value,
                      gateway_error *e) {
  *value = number (x);
  if (*value >= 0 && *value <= most && *value == trunc (*value))
    return 1;
  return gateway_fail (e, "gpumm:bad-value", "gpumm: %s must be %s", names[option], meaning);
}

static int get_factor (const mxArray *x, int option, const mxArray **value, gateway_error *e) {
  *value = x;
  if ((mxIsNumeric (x) || mxIsLogical (x)) && mxGetNumberOfElements (x) == 1
      && mxGetNumberOfDimensions (x) == 2)
    return 1;
  return gateway_fail (e, "gpumm:bad-value", "gpumm: %s must be a numeric scalar", names[option]);
}

/* ---- single options ----------------------------------------------------------------------- */

enum { MOST_ALGORITHMS = 512 };

/* "auto", the algorithms, and then the names of their kernels; listed once, because a session's
 * libraries do not change. */
static const char *const *algorithm_words (int *kernels) {
  static const char *words[MOST_ALGORITHMS + 1] = {"auto"};
  static int count, algorithms;
  gpumm_algorithm_info a;
  gpumm_kernel_info k;
  gpumm_sparse_kernel_info s;
  if (count == 0) {
    for (count = 1; count < MOST_ALGORITHMS && !gpumm_algorithm_at (count - 1, &a); count++)
      words[count] = a.name;
    algorithms = count;
    for (int i = 0; count < MOST_ALGORITHMS && !gpumm_kernel_at (i, &k); i++)
      words[count++] = k.name;
    for (int i = 0; count < MOST_ALGORITHMS && !gpumm_sparse_kernel_at (i, &s); i++)
      words[count++] = s.name;
  }
  *kernels = algorithms;
  return words;
}

static int get_algorithm (const mxArray *x, const char **name, gateway_error *e) {
  int kernels;
  const char *const *words = algorithm_words (&kernels);
  const int i = find_word (x, words);
  if (i >= 0) {
    *name = words[i];
    return 1;
  }
  char text[512];
  list_words (text, sizeof text, words + 1, kernels - 1, "", ", ");
  return gateway_fail (e, "gpumm:bad-value",
                       "gpumm: Algorithm must be \"auto\", one of the algorithms %s, or one of the "
                       "kernels that gpumm_info lists",
                       text);
}

/* 0 is the first GPU, or the CPU if there is none. */
static int check_device (int device, gateway_error *e) {
  const char *why = "";
  if (device < 0)
    return 1;
  const int gpus = gpumm_device_count (&why);
  if (gpus == 0 && device > 0)
    return gateway_fail (e, "gpumm:bad-value", "gpumm: Device must be 0, as no GPU can be used: %s",
                         why);
  if (gpus > 0 && device >= gpus)
    return gateway_fail (e, "gpumm:bad-value", "gpumm: Device must be 0 to %d", gpus - 1);
  return 1;
}

static int get_capability (const mxArray *x, int *capability, gateway_error *e) {
  const double value = number (x);
  *capability = value >= 1 && value < 1000 ? (int) round (10 * value) : 0;
  return *capability > 0
         || gateway_fail (e, "gpumm:bad-value",
                          "gpumm: MaxCapability must be a compute capability, for instance 7.5");
}

static int get_c (const mxArray *x, const mxArray **value, gateway_error *e) {
  *value = x;
  return mxIsNumeric (x) || mxIsLogical (x) || mxIsChar (x)
         || gateway_fail (e, "gpumm:bad-value", "gpumm: C must be a numeric matrix, not a %s",
                          mxGetClassName (x));
}

static int get_option (int option, const mxArray *x, call_options *o, gateway_error *e) {
  int i = -1;
  double value;
  switch (option) {
  case TRANSPOSE_A:
  case TRANSPOSE_B:
    if (get_word (x, option, ops, &i, e))
      *(option == TRANSPOSE_A ? &o->op_a : &o->op_b) = (gpumm_op) i;
    return i >= 0;
  case ALPHA:
    return get_factor (x, option, &o->alpha, e);
  case BETA:
    return get_factor (x, option, &o->beta, e);
  case C0:
    return get_c (x, &o->c, e);
  case BACKEND:
    if (get_word (x, option, backends, &i, e))
      o->engine.backend = (gpumm_backend) i;
    return i >= 0;
  case ALGORITHM:
    return get_algorithm (x, &o->engine.algorithm, e);
  case DEVICE:
    if (!get_whole (x, option, INT_MAX, "the index of a device, from 0", &value, e))
      return 0;
    o->engine.device = (int) value;
    return 1;
  case OUTPUT_CLASS:
    if (get_word (x, option, classes, &i, e))
      o->output = classes[i];
    return i >= 0;
  case OUTPUT:
    if (get_word (x, option, forms, &i, e))
      o->form = forms[i];
    return i >= 0;
  case MAX_DEVICE_MEMORY:
    if (!get_whole (x, option, 0x1p53, "a number of bytes", &value, e))
      return 0;
    o->engine.max_device_memory = (int64_t) value;
    return value > 0
           || gateway_fail (e, "gpumm:bad-value", "gpumm: MaxDeviceMemory must be positive");
  default:
    return get_capability (x, &o->engine.max_capability, e);
  }
}

/* ---- all of them -------------------------------------------------------------------------- */

/* The error for something that is not a pair with the name of an option. */
static int fail_name (const mxArray *name, const char *what, gateway_error *e) {
  char valid[256];
  char *text = is_row_of_text (name) ? mxArrayToString (name) : NULL;
  list_words (valid, sizeof valid, names, INT_MAX, "", ", ");
  if (text)
    gateway_fail (e, "gpumm:unknown-option",
                  "gpumm: unknown option \"%.300s\"; valid options are %s", text, valid);
  else
    gateway_fail (e, "gpumm:unknown-option", "gpumm: %s; valid options are %s", what, valid);
  mxFree (text);
  return 0;
}

static int fail_odd (const mxArray *last, gateway_error *e) {
  char *text = is_row_of_text (last) ? mxArrayToString (last) : NULL;
  if (!text)
    return fail_name (last, "options are pairs of a name and a value", e);
  gateway_fail (e, "gpumm:missing-value", "gpumm: option \"%.300s\" has no value", text);
  mxFree (text);
  return 0;
}

int get_pairs (int count, const mxArray *const pairs[], call_options *o, gateway_error *e) {
  *o = (call_options){.engine.device = -1, .output = "", .form = ""};
  if (count % 2 != 0)
    return fail_odd (pairs[count - 1], e);
  for (int i = 0; i < count; i += 2) {
    const int option = find_word (pairs[i], names);
    if (option < 0)
      return fail_name (pairs[i], "the name of an option must be a string", e);
    if (!get_option (option, pairs[i + 1], o, e))
      return 0;
  }
  return check_device (o->engine.device, e);
}

void get_struct (const mxArray *s, call_options *o) {
  gpumm_type type = GPUMM_D;
  const mxArray *output = mxGetField (s, 0, "output");
  const mxArray *algorithm = mxGetField (s, 0, "algorithm");
  *o = (call_options){.engine.backend = (gpumm_backend) get_number (s, "backend"),
                      .engine.device = (int) get_number (s, "device"),
                      .engine.max_device_memory = (int64_t) get_number (s, "max_device_memory"),
                      .engine.max_capability = (int) get_number (s, "max_capability"),
                      .op_a = (gpumm_op) get_number (s, "transpose_a"),
                      .op_b = (gpumm_op) get_number (s, "transpose_b"),
                      .alpha = mxGetField (s, 0, "alpha"),
                      .beta = mxGetField (s, 0, "beta"),
                      .c = mxGetField (s, 0, "c"),
                      .output = output && get_type (output, &type) ? gpumm_type_name (type) : "",
                      .form = "",
                      .full = get_number (s, "full") != 0};
  if (algorithm && get_text (algorithm, o->algorithm, sizeof o->algorithm))
    o->engine.algorithm = o->algorithm;
}
