// elementwise.cc - operators, functions and reductions of arrays, entry by entry: see array.h.
//
// Operations are only queued. Only holds waits for the device: for an answer, and where negative
// numbers decide whether a result is complex. The caller says the types of results, by the rules of
// its language.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"

#include <algorithm>
#include <cmath>

namespace gpumm {

// ---- programs of two operands -------------------------------------------------------------------

// input_of returns this instead of a source if the program has no room for another input.
enum { NO_ROOM = -3 };

// The source of y in p's steps.
static int input_of (program &p, const array &y) {
  for (std::size_t i = 0; i < p.inputs.size (); i++) {
    const array &x = p.inputs[i];
    if (x.is_with (y) && x.size == y.size && x.turned == y.turned && x.conjugated == y.conjugated)
      return int (i);
  }
  if (p.inputs.size () == GPUMM_MAP_INPUTS)
    return NO_ROOM;
  p.inputs.push_back (y);
  return int (p.inputs.size ()) - 1;
}

// Does x have a program that can continue in this domain? Not if its result is rounded to another
// type.
static bool fits (const array &x, gpumm_type domain) {
  return x.pending && x.pending->domain == domain && (x.type == domain || x.type == GPUMM_B);
}

operand number_operand (gpumm_scalar number, gpumm_type type, int device) {
  operand o;
  o.is_number = true;
  o.number = number;
  o.x.type = type;
  o.x.size = shape (1, 1);
  o.x.device = device;
  return o;
}

array as_array (const operand &o) {
  if (!o.is_number)
    return o.x;
  program p;
  p.domain = domain_of (o.x.type);
  p.steps.push_back (step_of (GPUMM_MAP_LOAD, GPUMM_MAP_CONSTANT, false, o.number));
  return pending_array (p, o.x.type, o.x.size, o.x.device);
}

// Appends op with operand y to p; false if there is no room.
static bool append (program &p, gpumm_map_op op, const operand &y, bool swapped) {
  const int source = y.is_number ? int (GPUMM_MAP_CONSTANT) : input_of (p, y.x);
  if (source == NO_ROOM || p.steps.size () == GPUMM_MAP_STEPS)
    return false;
  p.steps.push_back (step_of (op, source, swapped, y.number));
  return true;
}

// Appends: save what p computes, compute q, and combine both; false if there is no room.
static bool append (program &p, gpumm_map_op op, const program &q) {
  if (q.depth > 1 || p.steps.size () + q.steps.size () + 2 > GPUMM_MAP_STEPS || q.inputs.empty ())
    return false;
  program r = p;
  std::vector<int> sources;
  for (const array &x : q.inputs) {
    sources.push_back (input_of (r, x));
    if (sources.back () == NO_ROOM)
      return false;
  }
  r.steps.push_back (step_of (GPUMM_MAP_PUSH, sources[0]));
  for (gpumm_map_step step : q.steps) {
    const bool has_operand = step.op <= GPUMM_MAP_PUSH || step.op >= GPUMM_MAP_ADD;
    if (has_operand && step.source >= 0)
      step.source = sources[step.source];
    r.steps.push_back (step);
  }
  r.steps.push_back (step_of (op, GPUMM_MAP_POP, true));
  r.depth = std::max (p.depth, q.depth + 1);
  p = r;
  return true;
}

program fused (gpumm_map_op op, operand a, operand b, gpumm_type domain) {
  for (operand *o : {&a, &b})
    if (!o->is_number && !fits (o->x, domain))
      ready (o->x);
  for (;; ready (a.is_number || !a.x.pending ? b.x : a.x)) {
    const bool are_arrays = !a.is_number && !b.is_number;
    const bool both_pend = are_arrays && a.x.pending && b.x.pending;
    const bool onto_b = a.is_number || (are_arrays && b.x.pending && !a.x.pending);
    program p = program_of (onto_b ? as_array (b) : a.x);
    p.domain = domain;
    if (both_pend ? append (p, op, *b.x.pending) : append (p, op, onto_b ? a : b, onto_b))
      return p;
  }
}

// ---- folds --------------------------------------------------------------------------------------

gpumm_type type_of_fold (gpumm_fold_op op, gpumm_type type) {
  enum { SAME, REAL, TRUTH };
  const gpumm_type sum = type == GPUMM_B ? GPUMM_D : type,
                   types[] = {sum, real_type (sum), GPUMM_B};
#define ROW(NAME, name, result, ...) types[result],
  const gpumm_type results[] = {GPUMM_FOLDS (ROW)};
#undef ROW
  return results[op];
}

bool has_places (gpumm_fold_op op) {
  enum { VALUE, PLACED, SCALED, EXPONENTS };
#define ROW(NAME, name, result, state, ...) (state) == PLACED,
  static const bool rows[] = {GPUMM_FOLDS (ROW)};
#undef ROW
  return rows[op];
}

bool is_of_sparse (gpumm_fold_op op) {
  enum { NONE, SUMS, EXTREMES };
#define ROW(NAME, name, result, state, begin, enter, combine, sparse) (sparse) != NONE,
  static const bool rows[] = {GPUMM_FOLDS (ROW)};
#undef ROW
  return rows[op];
}

bool is_of_blocks (gpumm_fold_op op) {
  return op == GPUMM_FOLD_SUM;
}

const char *name_of_fold (gpumm_fold_op op) {
#define ROW(NAME, name, ...) #name,
  static const char *const names[] = {GPUMM_FOLDS (ROW)};
#undef ROW
  return names[op];
}

const gpumm_fold_op fold_any = GPUMM_FOLD_ANY, fold_all = GPUMM_FOLD_ALL;

// o, named, for the lanes of these sizes along dimension dim.
static gpumm_operation along (const char *name, const shape &size, int dim,
                              gpumm_operation o = {}) {
  o.name = name;
  o.inner = o.count = o.outer = 1;
  for (int d = 0; d < size.ndims (); d++)
    (d < dim ? o.inner : d > dim ? o.outer : o.count) *= size (d);
  return o;
}

// Runs o, which reads what it has to, to an array of this size; index: and to another.
static array results_of (gpumm_operation &o, int device, const shape &size, gpumm_type type,
                         array *index) {
  const array y = new_array (device, type, size);
  o.result[0] = view_of (y);
  if (index) {
    *index = new_array (device, GPUMM_D, size);
    o.result[1] = view_of (*index);
  }
  need (gpumm_operation_run (&o));
  return y;
}

// Runs f, whose lanes are those of x, to an array of this size.
static array fold_lanes (gpumm_operation f, gpumm_fold_op op, array x, const shape &size,
                         gpumm_type type, array *index) {
  if (!x.pending || !fits (x, x.pending->domain))
    ready (x);
  f.fold = op;
  array all = x; // only gives the map its size: the map's output is not used
  all.turned = false;
  f.map = map_of (program_of (x), all);
  return results_of (f, x.device, size, type, index);
}

array fold (gpumm_fold_op op, array x, int dim, gpumm_type type, array *index) {
  shape size = x.size;
  if (dim < size.ndims ())
    size (dim) = 1;
  return fold_lanes (along ("fold", x.size, dim), op, x, size, type, index);
}

array along_lanes (const char *name, array x, int dim, gpumm_type type, array *index,
                   gpumm_operation o) {
  shape size = x.size;
  o = along (name, x.size, dim, o);
  x = plain (x);
  o.map.inputs = 1;
  o.map.input[0] = view_of (x);
  if (o.length == 0)
    o.length = o.count;
  else
    size (dim) = o.length;
  return results_of (o, x.device, size, type, index);
}

array scan (gpumm_fold_op op, const array &x, int dim, gpumm_type type, array *index) {
  gpumm_operation o = {};
  o.fold = op;
  return along_lanes ("scan", x, dim, type, index, o);
}

array sorted (const array &x, int dim, bool descends, array *index) {
  gpumm_operation o = {};
  o.descends = descends;
  return along_lanes ("sort", x, dim, x.type, index, o);
}

bool holds (gpumm_fold_op op, const array &x) {
  const array y =
      fold_lanes (along ("fold", shape (x.numel (), 1), 0), op, x, shape (1, 1), GPUMM_B, nullptr);
  uint8_t answer = 0;
  const gpumm_read read = {view_of (y), 1, &answer}; // one copy and one wait
  need (gpumm_read_back (&read, 1));
  return answer != 0;
}

// Is any value of the program nonzero? Waits.
static bool anywhere (const program &p, const array &like) {
  return like.numel () > 0
         && holds (GPUMM_FOLD_ANY, pending_array (p, GPUMM_B, like.size, like.device));
}

bool has_nan (const operand &o) {
  if (o.is_number)
    return std::isnan (o.number.re) || std::isnan (o.number.im);
  if (!is_float (o.x.type))
    return false;
  array x = o.x;
  program p = program_of (ready (x));
  p.steps.push_back (step_of (GPUMM_MAP_ISNAN));
  return anywhere (p, x);
}

// ---- operators ----------------------------------------------------------------------------------

// Larger powers count as fractions, as in Octave.
static const double MOST_WHOLE = 2147483647;

static bool is_whole (double x) {
  return x == std::round (x) && std::fabs (x) <= MOST_WHOLE;
}

// Is x .^ y complex, because a negative number has a fractional power? Waits if it must look.
static bool leaves_reals (const operand &x, const operand &y) {
  if ((x.is_number && x.number.re >= 0) || (y.is_number && is_whole (y.number.re)))
    return false;
  if (!is_float (x.x.type) || !is_float (y.x.type)) // integer results stay integers
    return false;
  const operand zero = number_operand ({0, 0}, GPUMM_D, x.x.device);
  const gpumm_type domain = is_single (x.x.type) && is_single (y.x.type) ? GPUMM_S : GPUMM_D;
  array a = as_array (x), b = as_array (y);
  program negative = program_of (ready (a));
  negative.domain = domain;
  append (negative, GPUMM_MAP_LT, zero, false);
  if (y.is_number)
    return anywhere (negative, a);
  program fraction = program_of (ready (b));
  fraction.domain = domain;
  fraction.steps.push_back (step_of (GPUMM_MAP_ROUND));
  append (fraction, GPUMM_MAP_NE, operand (b), false);
  program large = program_of (b);
  large.domain = domain;
  large.steps.push_back (step_of (GPUMM_MAP_ABS));
  large.steps.push_back (
      step_of (GPUMM_MAP_GT, GPUMM_MAP_CONSTANT, false, gpumm_scalar{MOST_WHOLE, 0}));
  append (fraction, GPUMM_MAP_OR, large);
  array like = a;
  like.size = common_size (a.size, b.size);
  append (negative, GPUMM_MAP_AND, fraction);
  return anywhere (negative, like);
}

// The type in which Octave compares: the type of a sum, but integers are compared exactly.
static gpumm_type compared_type (gpumm_type s, gpumm_type t) {
  return !is_integer (s) && !is_integer (t) && (is_single (s) || is_single (t)) ? GPUMM_S : GPUMM_D;
}

array combined (gpumm_map_op op, operand a, operand b, gpumm_type real) {
  const shape size = common_size (a.x.size, b.x.size);
  const gpumm_type s = a.x.type, t = b.x.type;
  bool is_complex_result = is_complex (s) || is_complex (t);
  const bool is_truth = compares (op);
  if (op == GPUMM_MAP_POW) {
    is_complex_result = is_complex_result || leaves_reals (a, b);
    const double n = b.is_number && !is_complex (t) && is_float (real) ? b.number.re : 0;
    // As Octave computes these. (The square of a complex number begins with 1, in whole_power.)
    if (n == -1) {
      std::swap (a, b);
      a.number.re = 1;
      op = GPUMM_MAP_DIV;
    } else if (n == 3 || (n == 2 && !is_complex_result)) {
      ready (a.x);
      program p = program_of (a.x);
      p.domain = domain_of (is_complex_result ? complex_type (real) : real);
      append (p, GPUMM_MAP_MUL, a, false);
      if (n == 3)
        append (p, GPUMM_MAP_MUL, a, false);
      return pending_array (p, p.domain, size, a.x.device);
    }
  }
  gpumm_type domain = is_truth ? compared_type (s, t) : domain_of (real);
  if (is_complex_result)
    domain = complex_type (domain);
  const gpumm_type type = is_truth ? GPUMM_B : is_complex_result ? complex_type (real) : real;
  return pending_array (fused (op, a, b, domain), type, size, a.x.device);
}

// ---- elementwise functions ----------------------------------------------------------------------

enum { REAL, SAME, COMPLEX };

const std::vector<function> &functions () {
  static const std::vector<function> rows = {
#define ROW(NAME, name, mapper, result, zero, real, complex, oracle, complex_oracle, units)        \
  {#name, GPUMM_MAP_##NAME, (result) == REAL, (result) == COMPLEX, (zero) == 0, units},
      GPUMM_ELEMENTWISE (ROW)
#undef ROW
  };
  return rows;
}

const std::vector<function_of_two> &functions_of_two () {
  static const std::vector<function_of_two> rows = {
#define ROW(NAME, name, arguments, of_two, oracle, units)                                          \
  {#name, GPUMM_MAP_##NAME, arguments, units},
      GPUMM_ELEMENTWISE_OF_TWO (ROW)
#undef ROW
  };
  return rows;
}

array applied (array x, const std::vector<gpumm_map_step> &steps, gpumm_type domain,
               gpumm_type type) {
  if (!fits (x, domain) || x.pending->steps.size () + steps.size () > GPUMM_MAP_STEPS)
    ready (x);
  program p = program_of (x);
  p.domain = domain;
  p.steps.insert (p.steps.end (), steps.begin (), steps.end ());
  return pending_array (p, type, x.size, x.device);
}

array mapped (const function &f, array x, gpumm_type type) {
  bool is_complex_result = is_complex (x.type) && !f.is_real;
  if (f.leaves_reals) {
    const operand zero = number_operand ({0, 0}, GPUMM_D, x.device);
    program p = program_of (ready (x));
    if (!is_complex (x.type) && append (p, GPUMM_MAP_LT, zero, false))
      is_complex_result = anywhere (p, x);
  }
  gpumm_type domain = is_float (type) ? type : domain_of (real_type (x.type));
  if (is_complex_result || is_complex (x.type))
    domain = complex_type (domain);
  if (is_complex_result)
    type = complex_type (type);
  return applied (x, {step_of (f.map)}, domain, type);
}

array conjugates_of (const array &x) {
  return applied (x, {step_of (GPUMM_MAP_CONJ)}, x.type, x.type);
}

array not_zero (const array &x) {
  if (is_wide (x.type)) { // without arithmetic: its halves are tested
    array halves = x;
    halves.type = GPUMM_U32;
    halves.size = shape (2, x.numel ());
    return reshaped (fold (GPUMM_FOLD_ANY, halves, 0, GPUMM_B), x.size);
  }
  return !is_float (x.type)
             ? x
             : combined (GPUMM_MAP_NE, operand (x), number_operand ({0, 0}, GPUMM_D, x.device));
}

// The ramp has row - column of each entry.
array triangle_of (const array &given, bool is_upper, double k) {
  const double farthest = 0x1p62; // beyond all diagonals
  const int64_t diagonal = int64_t (std::max (-farthest, std::min (k, farthest)));
  array x = given;
  ready (x);
  array y = new_array (x.device, x.type, x.size);
  y.conjugated = x.conjugated; // copied as stored; readers conjugate
  gpumm_operation o = {};
  o.name = "triangle";
  o.low = is_upper ? diagonal : INT64_MIN;
  o.high = is_upper ? INT64_MAX : diagonal;
  o.map.inputs = 1;
  o.map.input[0] = view_of (x);
  o.result[0] = view_of (y);
  for (int d = 0; d < GPUMM_MAP_DIMS; d++)
    o.size[d] = o.map.size[d] = d < 2 ? x.size (d) : 1;
  std::copy_n (strides_of (x, x.size).begin (), 2, o.map.input[0].stride);
  std::copy_n (strides_of (y, y.size).begin (), 2, o.result[0].stride);
  need (gpumm_operation_run (&o));
  return y;
}

} // namespace gpumm
