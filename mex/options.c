/* options.c - the options of gpumm: pairs of a name and a value.
 *
 * This is the only table of the names. gpumm passes its pairs to __gpumm_multiply__ unchanged,
 * because a function in between would take longer than a small product. Products that Octave must
 * help with get the same options as a struct, from __gpumm_options__.
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

/* What the values must be that are no words. */
static const char *const meanings[OPTIONS] = {
    [ALPHA] = "a numeric scalar",
    [BETA] = "a numeric scalar",
    [DEVICE] = "the index of a device, from 0, different indices of several, or \"all\"",
    [MAX_DEVICE_MEMORY] = "a positive number of bytes",
    [MAX_CAPABILITY] = "a compute capability, for instance 7.5",
};

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

/* ---- single options ----------------------------------------------------------------------- */

enum { CLASSES = 10, MOST_ALGORITHMS = 512 };

static gpumm_type class_at (int i) {
  return (gpumm_type) (i < 2 ? GPUMM_D - i : GPUMM_I8 + i - 2);
}

static const char *const *class_words (void) {
  static const char *words[CLASSES + 1];
  for (int i = 0; i < CLASSES; i++)
    words[i] = gpumm_type_name (class_at (i));
  return words;
}

/* "auto", the algorithms, and then the names of their kernels; listed once, because a session's
 * libraries do not change. */
static const char *const *algorithm_words (int *kernels) {
  static const char *words[MOST_ALGORITHMS + 1] = {"auto"};
  static int count, algorithms;
  gpumm_algorithm_info a;
  gpumm_kernel_info k;
  if (count == 0) {
    for (count = 1; count < MOST_ALGORITHMS && !gpumm_algorithm_at (count - 1, &a); count++)
      words[count] = a.name;
    algorithms = count;
    for (int i = 0; count < MOST_ALGORITHMS && !gpumm_kernel_at (i, &k); i++)
      words[count++] = k.name;
  }
  *kernels = algorithms;
  return words;
}

/* The words that an option takes, or NULL. From *kernels on, they are names of kernels. */
static const char *const *words_of (int option, int *kernels) {
  *kernels = INT_MAX;
  return option == TRANSPOSE_A || option == TRANSPOSE_B ? ops
         : option == BACKEND                            ? backends
         : option == ALGORITHM                          ? algorithm_words (kernels)
         : option == OUTPUT_CLASS                       ? class_words ()
         : option == OUTPUT                             ? forms
                                                        : NULL;
}

static int fail_value (int option, const mxArray *x, gateway_error *e) {
  char list[512], text[768];
  int kernels;
  const char *const *words = words_of (option, &kernels);
  if (option == C0)
    snprintf (text, sizeof text, "a numeric matrix, not a %s", mxGetClassName (x));
  else if (option == ALGORITHM) {
    list_words (list, sizeof list, words + 1, kernels - 1, "", ", ");
    snprintf (text, sizeof text,
              "\"auto\", one of the algorithms %s, or one of the kernels that gpumm_info lists",
              list);
  } else if (words)
    list_words (text, sizeof text, words, INT_MAX, "\"", " or ");
  else
    snprintf (text, sizeof text, "%s", meanings[option]);
  return gateway_fail (e, "gpumm:bad-value", "gpumm: %s must be %s", names[option], text);
}

/* A double can hold the bits of this many devices; ALL is one more. */
enum { MOST = 52 };
static const uint64_t ALL = UINT64_C (1) << MOST;

/* The GPUs; without one, or where the CPU was asked for, the CPU, which tests make several
 * devices. */
static int device_count (const gpumm_options *o, const char **why) {
  const int gpus = gpumm_device_count (why);
  const int hosts = gpus == 0 || o->backend == GPUMM_CPU ? gpumm_host_device_count () : 0;
  return gpus > hosts ? gpus : hosts;
}

/* 0 is the first GPU, or the CPU if there is none. "all" becomes those that there are. */
static int check_device (gpumm_options *o, gateway_error *e) {
  const char *why = "";
  if (o->devices == ALL) {
    const int count = device_count (o, &why);
    o->devices = (UINT64_C (1) << (count < MOST ? count : MOST)) - 1;
  }
  const int last = o->devices ? 63 - __builtin_clzll (o->devices) : o->device;
  if (last <= 0)
    return 1;
  const int count = device_count (o, &why);
  if (count <= 1 && why[0])
    return gateway_fail (e, "gpumm:bad-value", "gpumm: Device must be 0, as no GPU can be used: %s",
                         why);
  if (last >= count)
    return gateway_fail (e, "gpumm:bad-value", "gpumm: Device must be 0 to %d", count - 1);
  return 1;
}

/* An index, a vector of them, or "all". */
static int get_device (const mxArray *x, gpumm_options *o) {
  static const char *const all[] = {"all", NULL};
  const double one = get_number (x);
  const size_t n = mxGetNumberOfElements (x);
  o->device = -1;
  o->devices = 0;
  if (find_word (x, all) == 0)
    o->devices = ALL;
  else if (n == 1) {
    if (!(one >= 0 && one <= INT_MAX && one == trunc (one)))
      return 0;
    o->device = (int) one;
  } else {
    if (!mxIsDouble (x) || mxIsComplex (x) || mxIsSparse (x) || mxGetM (x) * mxGetN (x) != n
        || (mxGetM (x) != 1 && mxGetN (x) != 1))
      return 0;
    for (const double *i = mxGetPr (x); i < mxGetPr (x) + n; i++) {
      if (!(*i >= 0 && *i < MOST && *i == trunc (*i)) || o->devices & UINT64_C (1) << (int) *i)
        return 0;
      o->devices |= UINT64_C (1) << (int) *i;
    }
  }
  return o->device >= 0 || o->devices > 0;
}

static int is_factor (const mxArray *x) {
  return (mxIsNumeric (x) || mxIsLogical (x)) && mxGetNumberOfElements (x) == 1
         && mxGetNumberOfDimensions (x) == 2;
}

static int get_option (int option, const mxArray *x, call_options *o, gateway_error *e) {
  int kernels;
  const char *const *words = words_of (option, &kernels);
  const int word = words ? find_word (x, words) : 0;
  const double value = words ? 0 : get_number (x);
  int ok = word >= 0;
  if (!ok)
    return fail_value (option, x, e);
  switch (option) {
  case TRANSPOSE_A:
    o->op_a = (gpumm_op) word;
    break;
  case TRANSPOSE_B:
    o->op_b = (gpumm_op) word;
    break;
  case ALPHA:
    o->alpha = x;
    ok = is_factor (x);
    break;
  case BETA:
    o->beta = x;
    ok = is_factor (x);
    break;
  case C0:
    o->c = x;
    ok = mxIsNumeric (x) || mxIsLogical (x) || mxIsChar (x);
    break;
  case BACKEND:
    o->engine.backend = (gpumm_backend) word;
    break;
  case ALGORITHM:
    o->engine.algorithm = words[word];
    break;
  case DEVICE:
    ok = get_device (x, &o->engine);
    break;
  case OUTPUT_CLASS:
    o->output = class_at (word);
    break;
  case OUTPUT:
    o->form = words[word];
    break;
  case MAX_DEVICE_MEMORY:
    ok = value > 0 && value <= 0x1p53 && value == trunc (value);
    o->engine.max_device_memory = ok ? (int64_t) value : 0;
    break;
  default:
    ok = value >= 1 && value < 1000;
    o->engine.max_capability = ok ? (int) round (10 * value) : 0;
  }
  return ok || fail_value (option, x, e);
}

/* ---- all of them -------------------------------------------------------------------------- */

/* The error for a pair without the name of an option, or for a name without a value. */
static int fail_pair (const mxArray *name, int has_value, gateway_error *e) {
  char valid[256];
  const char *text = is_row_of_text (name) ? mxArrayToString (name) : NULL;
  if (text && !has_value)
    return gateway_fail (e, "gpumm:missing-value", "gpumm: option \"%.300s\" has no value", text);
  list_words (valid, sizeof valid, names, INT_MAX, "", ", ");
  if (text)
    return gateway_fail (e, "gpumm:unknown-option",
                         "gpumm: unknown option \"%.300s\"; valid options are %s", text, valid);
  return gateway_fail (e, "gpumm:unknown-option", "gpumm: %s; valid options are %s",
                       has_value ? "the name of an option must be a string"
                                 : "options are pairs of a name and a value",
                       valid);
}

int get_op (const mxArray *x, gpumm_op *op) {
  const int word = find_word (x, ops);
  *op = word < 0 ? GPUMM_NONE : (gpumm_op) word;
  return word >= 0;
}

int get_pairs (int count, const mxArray *const pairs[], call_options *o, gateway_error *e) {
  *o = (call_options){.engine.device = -1, .output = GPUMM_TYPES, .form = ""};
  if (count % 2 != 0)
    return fail_pair (pairs[count - 1], 0, e);
  for (int i = 0; i < count; i += 2) {
    const int option = find_word (pairs[i], names);
    if (option < 0)
      return fail_pair (pairs[i], 1, e);
    if (!get_option (option, pairs[i + 1], o, e))
      return 0;
  }
  return check_device (&o->engine, e);
}

/* The position of x among the arguments, from 1; 0: it is none of them. */
static int place (const mxArray *x, int count, const mxArray *const pairs[]) {
  int i = x ? count : 0;
  while (i > 0 && pairs[i - 1] != x)
    i--;
  return i;
}

mxArray *struct_of (const call_options *o, int count, const mxArray *const pairs[]) {
  mxArray *s = mxCreateStructMatrix (1, 1, 0, NULL);
  set_number (s, 0, "transpose_a", o->op_a);
  set_number (s, 0, "transpose_b", o->op_b);
  set_number (s, 0, "alpha", place (o->alpha, count, pairs));
  set_number (s, 0, "beta", place (o->beta, count, pairs));
  set_number (s, 0, "c", place (o->c, count, pairs));
  set_number (s, 0, "backend", o->engine.backend);
  set_text (s, 0, "algorithm", o->engine.algorithm ? o->engine.algorithm : "auto");
  set_number (s, 0, "device", o->engine.device);
  set_number (s, 0, "devices", (double) o->engine.devices); /* by bits */
  set_text (s, 0, "output", o->output < GPUMM_TYPES ? gpumm_type_name (o->output) : "");
  set_text (s, 0, "form", o->form);
  set_number (s, 0, "max_device_memory", (double) o->engine.max_device_memory);
  set_number (s, 0, "max_capability", o->engine.max_capability);
  return s;
}

int get_struct (const mxArray *s, call_options *o) {
  int64_t backend, device, devices, memory, capability, op_a, op_b, full;
  if (!is_struct (s) || !get_field (s, "backend", GPUMM_AUTO, GPUMM_GPU, &backend)
      || !get_field (s, "device", -1, INT_MAX, &device)
      || !get_field (s, "devices", 0, 0x1p53, &devices)
      || !get_field (s, "max_device_memory", 0, 0x1p53, &memory)
      || !get_field (s, "max_capability", 0, 10000, &capability)
      || !get_field (s, "transpose_a", GPUMM_NONE, GPUMM_CTRANSPOSE, &op_a)
      || !get_field (s, "transpose_b", GPUMM_NONE, GPUMM_CTRANSPOSE, &op_b)
      || !get_field (s, "full", 0, 1, &full))
    return 0;
  const mxArray *output = mxGetField (s, 0, "output");
  const mxArray *algorithm = mxGetField (s, 0, "algorithm");
  *o = (call_options){.engine.backend = (gpumm_backend) backend,
                      .engine.device = (int) device,
                      .engine.devices = (uint64_t) devices,
                      .engine.max_device_memory = memory,
                      .engine.max_capability = (int) capability,
                      .op_a = (gpumm_op) op_a,
                      .op_b = (gpumm_op) op_b,
                      .alpha = mxGetField (s, 0, "alpha"),
                      .beta = mxGetField (s, 0, "beta"),
                      .c = mxGetField (s, 0, "c"),
                      .output = output ? get_type (output) : GPUMM_TYPES,
                      .form = "",
                      .full = (int) full};
  if (algorithm && get_text (algorithm, o->algorithm, sizeof o->algorithm))
    o->engine.algorithm = o->algorithm;
  return 1;
}
