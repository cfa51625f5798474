// array.h - full arrays that stay on a device: views, elementwise programs, reductions, parts and
// products.
//
// An array is a buffer of the engine, or a program of elementwise operations that has not run yet.
// An operator appends to the program of an operand, so G + 2 * H .* K is computed in one pass.
// ready () runs the program.
//
// The callers know their language: sizes fit, indices exist, and types are those of its rules.
// What fails nevertheless is raised (failure.h).
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_ARRAY_H
#define GPUMM_ARRAY_H

#include <memory>
#include <optional>
#include <vector>

#include "failure.h"
#include "gpumm_arrays.h"
#include "shape.h"

namespace gpumm {

// ---- types --------------------------------------------------------------------------------------

inline bool is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

inline bool is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

inline bool is_float (gpumm_type type) {
  return type <= GPUMM_Z;
}

inline bool is_integer (gpumm_type type) {
  return !is_float (type) && type != GPUMM_B;
}

// Has it no arithmetic on a device?
inline bool is_wide (gpumm_type type) {
  return type == GPUMM_I64 || type == GPUMM_U64;
}

inline gpumm_type real_type (gpumm_type type) {
  return type == GPUMM_C ? GPUMM_S : type == GPUMM_Z ? GPUMM_D : type;
}

inline gpumm_type complex_type (gpumm_type type) {
  return type == GPUMM_S ? GPUMM_C : type == GPUMM_D ? GPUMM_Z : type;
}

// The type of a product of matrices of floating-point or logical entries, or of integers of one
// class.
inline gpumm_type product_type (gpumm_type a, gpumm_type b) {
  if (is_integer (a))
    return a;
  const gpumm_type real = is_single (a) || is_single (b) ? GPUMM_S : GPUMM_D;
  return is_complex (a) || is_complex (b) ? complex_type (real) : real;
}

// The type in which entries of a type are computed.
inline gpumm_type domain_of (gpumm_type type) {
  return is_float (type) ? type : GPUMM_D;
}

// The type of a reduction of entries of a type.
gpumm_type type_of_fold (gpumm_fold_op op, gpumm_type type);

// Does it find an entry, and is there such a fold of sparse matrices, and of matrices in blocks?
bool has_places (gpumm_fold_op op);
bool is_of_sparse (gpumm_fold_op op);
bool is_of_blocks (gpumm_fold_op op);

// Octave's function; the two that give truth values.
const char *name_of_fold (gpumm_fold_op op);
extern const gpumm_fold_op fold_any, fold_all;

// ---- arrays -------------------------------------------------------------------------------------

enum {
  NO_DEVICE = -1,
  HOST_DEVICE = -2
}; // of several host devices HOST_DEVICE - k has the index k

// The engine's index of a device.
inline int engine_device (int device) {
  return device <= HOST_DEVICE ? GPUMM_HOST + (device - HOST_DEVICE) : device;
}

struct program;

struct array {
  gpumm_type type = GPUMM_D;
  shape size;
  std::shared_ptr<gpumm_buffer> buffer;   // none while a program is pending
  int64_t offset = 0;                     // the first entry's place in the buffer
  bool is_part = false;                   // of the columns that the buffer holds
  bool turned = false;                    // the buffer holds the transpose of this matrix
  bool conjugated = false;                // the buffer holds the conjugates
  std::shared_ptr<const program> pending; // the program to run
  int device = NO_DEVICE;                 // the index of a GPU, or HOST_DEVICE

  int64_t numel () const {
    return size.numel ();
  }
  bool is_scalar () const {
    return size == shape (1, 1);
  }
  void *values () const {
    return static_cast<char *> (gpumm_buffer_address (buffer.get ()))
           + offset * int64_t (gpumm_type_bytes (type));
  }
  // Do both read the same memory, perhaps one of them transposed?
  bool is_with (const array &x) const {
    return buffer == x.buffer && offset == x.offset && type == x.type;
  }
};

// How entries are computed: gpumm_map without sizes and memory.
struct program {
  gpumm_type domain = GPUMM_D;
  std::vector<array> inputs; // have the size of the result, or are repeated to it
  std::vector<gpumm_map_step> steps;
  int depth = 0; // values on the stack, at most
};

using distances = std::vector<int64_t>; // elements from one entry to the next, by dimension

// ---- memory -------------------------------------------------------------------------------------

// An array with undefined entries, with zeros.
array new_array (int device, gpumm_type type, const shape &size);
array zeros (int device, gpumm_type type, const shape &size);

// Copies all entries from and to host memory.
void from_host (const void *values, const array &x);
void to_host (array x, void *values);

// All entries of x, which has no gaps, for a copy.
gpumm_matrix column_of (const array &x);

// Can this process use the array's buffer? A forked child cannot use buffers of its parent.
bool is_usable (const array &x);

// x on that device: x itself if it is there, else a copy.
array moved (array x, int device);

// Strides of x for a result of this size, which has at least as many dimensions: 0 where x repeats.
distances strides_of (const array &x, const shape &size);

gpumm_view view_of (const array &x, int64_t offset = 0);

// Sets the map's size and the strides of its views, with neighbouring dimensions joined where all
// views allow it. The last of the strides are the output's.
void lay_out (gpumm_map &m, const shape &size, const std::vector<distances> &strides);

// Copies the entries of an array of this size to other strides.
void copy_entries (const gpumm_view &from, const gpumm_view &to, const shape &size,
                   const distances &from_stride, const distances &to_stride);

// ---- programs -----------------------------------------------------------------------------------

// Runs the pending program. Programs never hold pending inputs.
const array &ready (array &x);

program program_of (const array &x);
gpumm_map_step step_of (gpumm_map_op op, int source = 0, bool swapped = false,
                        gpumm_scalar constant = {});
array pending_array (const program &p, gpumm_type type, const shape &size, int device);

// The program as a map to an array of this size. The output may have no buffer yet.
gpumm_map map_of (const program &p, const array &output);

// Writes all entries of output.
void run_program (const program &p, const array &output);

// The array in a buffer of its own, stored by columns, neither transposed nor conjugated; the same
// if it is not stored so already; the same if it is a part of another array's buffer.
array copied (const array &x);
array plain (array x);
array own (const array &x);

// x converted to another type, neither of them of 64-bit integers.
array converted (array x, gpumm_type type);

// ---- operators and functions --------------------------------------------------------------------

// One operand of an operator.
struct operand {
  array x;
  bool is_number = false; // a number of the host, for which no array is made
  gpumm_scalar number = {};

  operand () = default;
  explicit operand (const array &x) : x (x) {
  }
};

// A number of the host as an operand of this type, which counts as real if its imaginary part is 0.
operand number_operand (gpumm_scalar number, gpumm_type type, int device);
array as_array (const operand &o);

// Is any entry NaN? Waits if it must look.
bool has_nan (const operand &o);

// Is it an operator that gives truth values, and one that takes them?
inline bool compares (gpumm_map_op op) {
  return op >= GPUMM_MAP_LT && op <= GPUMM_MAP_OR;
}
inline bool is_logical (gpumm_map_op op) {
  return op == GPUMM_MAP_AND || op == GPUMM_MAP_OR;
}

// a OP b. real: the real type of the result, unless the operator gives truth values.
array combined (gpumm_map_op op, operand a, operand b, gpumm_type real = GPUMM_D);

// a OP b as a program of this domain, fused with the programs of a and b if these fit.
program fused (gpumm_map_op op, operand a, operand b, gpumm_type domain);

// An elementwise function, a row of gpumm_elementwise.h.
struct function {
  const char *name;
  gpumm_map_op map;
  bool is_real;      // even of complex numbers
  bool leaves_reals; // complex of negative numbers
  bool keeps_zero;   // f (0) = 0
  int units;         // in the last place, by which it may differ from Octave's
};

const std::vector<function> &functions ();

// A function of two numbers, a row there, which combined () computes.
struct function_of_two {
  const char *name;
  gpumm_map_op map;
  const char *arguments;
  int units;
};

const std::vector<function_of_two> &functions_of_two ();

// f of each entry. type: the real type of the result. Waits if it must look for negative numbers.
array mapped (const function &f, array x, gpumm_type type);

// Appends steps to the program of x, of which the caller holds the only reference.
array applied (array x, const std::vector<gpumm_map_step> &steps, gpumm_type domain,
               gpumm_type type);

// The conjugates of x.
array conjugates_of (const array &x);

// An array that is nonzero where x is nonzero or NaN.
array not_zero (const array &x);

// x with zeros below (upper) or above the k-th diagonal.
array triangle_of (const array &x, bool is_upper, double k);

// ---- reductions ---------------------------------------------------------------------------------

// Reduces dimension dim of x; index: also finds the places of max and min.
array fold (gpumm_fold_op op, array x, int dim, gpumm_type type, array *index = nullptr);

// Runs an operation along dimension dim of x, a row of kernels/arrays; index: it also gives places.
// o: what else the row reads; with o.length above 0 the result is so long.
array along_lanes (const char *name, array x, int dim, gpumm_type type, array *index = nullptr,
                   gpumm_operation o = {});

// Running sums, products or extremes along dimension dim; index: also finds the places of extremes.
array scan (gpumm_fold_op op, const array &x, int dim, gpumm_type type, array *index = nullptr);

// Dimension dim of x sorted: stable, NaN as the largest, complex numbers by abs and arg. index:
// also finds where each entry was.
array sorted (const array &x, int dim, bool descends, array *index = nullptr);

// Is any entry of x true, or are all? Waits.
bool holds (gpumm_fold_op op, const array &x);

// ---- random numbers -----------------------------------------------------------------------------

// A place in the numbers that belong to a key. A draw moves it behind its blocks (gpumm_arrays.h).
struct random_stream {
  uint64_t key = 0, position = 0;
};

// What is drawn; low and range are of integers.
struct random_kind {
  gpumm_type type = GPUMM_D;
  gpumm_distribution distribution = GPUMM_UNIFORM;
  int64_t low = 0;
  uint64_t range = 1;
};

// Random entries; the same in host memory, by the host device.
array drawn (int device, const shape &size, const random_kind &kind, random_stream &from);
void draw_on_host (void *to, int64_t count, const random_kind &kind, random_stream &from);

// The first `count` of the numbers 1 to n in random order, a row; the same in host memory.
array permutation (int device, int64_t n, int64_t count, random_stream &from);
std::vector<double> permutation_on_host (int64_t n, int64_t count, random_stream &from);

// ---- products -----------------------------------------------------------------------------------

// What gpumm's options ask of a product beside A * B.
struct product_options {
  gpumm_options engine = {};
  gpumm_type output = GPUMM_TYPES; // of integers; GPUMM_TYPES: theirs
  gpumm_report *report = nullptr;  // filled, after a wait

  product_options () {
    engine.device = -1; // the operands decide
  }
};

// An operand of the engine, made by as_factor: it is conjugated only if it is turned, and the op
// says both.
template <typename M> gpumm_op op_of (const M &x) {
  return !x.turned ? GPUMM_NONE : x.conjugated ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE;
}

array as_factor (array x);
gpumm_matrix matrix_of (const array &x);

// a * b with elements of this type. Without a report it is queued, if its kernel allows that.
array multiplied (const array &a, const array &b, gpumm_type type, const product_options &o);

// The products of all pages of a by those of b, each with its op. A dimension behind the second
// that is 1 in one of them is repeated.
array multiplied_pages (const array &a, gpumm_op op_a, const array &b, gpumm_op op_b,
                        gpumm_type type);

// ---- systems ------------------------------------------------------------------------------------

// a \ b (side 'L') or b / a ('R') with a triangular a and elements of this type; and Cholesky's
// factor r of a: r' * r (upper) or r * r' is a. None: the CPU's LAPACK has to compute, which may
// warn (gpumm_arrays.h). No size is 0. Both wait.
std::optional<array> solved (char side, const array &a, bool is_upper, const array &b,
                             gpumm_type type);
std::optional<array> factored (const array &a, bool is_upper);

// ---- parts --------------------------------------------------------------------------------------

array reshaped (array x, const shape &size);
array transposed (array x, bool conjugates);

// Dimension d of the result is dimension order[d] of x.
array permuted (const array &x, const std::vector<int> &order);

// x repeated so often by dimension.
array repeated (array x, const shape &times);

// What is read from places of the whole, or put there: by dimension sizes and places.
struct picking {
  bool put;
  gpumm_view part, whole;
  int64_t size[GPUMM_MAP_DIMS], whole_size[GPUMM_MAP_DIMS];
  gpumm_places places[GPUMM_MAP_DIMS];
};

// Between these arrays, with sizes 1.
picking pick_between (bool put, const array &part, const array &whole);
void run (const picking &p);

// Reads or writes a part by indices into an array of this size.
void pick (bool put, const array &part, const shape &part_size, const array &whole,
           const shape &whole_size, const std::vector<selection> &index);

// The size of the part that the indices select, by dimension.
shape size_of_part (const std::vector<selection> &index, const shape &whole);

// The size of x as so many indices see it.
shape seen_by (const array &x, int indices);

// X(I,J,...); one index makes a column. The same, but X(:,I:J) stays in X's buffer, until own ()
// copies it.
array part_of (array x, const std::vector<selection> &index);
array seen_part_of (const array &x, const std::vector<selection> &index);

// x with a buffer that nobody else holds, the caller's x apart.
array own_copy (array x);

// x enlarged to size by zeros.
array enlarged (const array &x, const shape &size);

// The parts, of one type, below each other along dimension dim, as an array of this size.
array joined (const std::vector<array> &parts, int dim, const shape &size, int device,
              gpumm_type type);

// The k-th diagonal of a matrix, a column; the matrix with x, a vector, for its k-th diagonal.
array diagonal_of (const array &x, int64_t k);
array matrix_with_diagonal (const array &x, int64_t k);

} // namespace gpumm

#endif
