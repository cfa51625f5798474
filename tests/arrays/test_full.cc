// test_full.cc - full arrays that stay on a device, in C++ and without Octave: random programs,
// systems, and what fails.
//
// A program goes on with what it has computed: views that are transposed, conjugated, or parts of
// other arrays, and elementwise programs that have not run. Each result is compared to plain loops.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.h"
#include "gpumm_folds.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace gpumm;
using oracle::full;
using oracle::lane;
using oracle::number;
using oracle::place;

namespace {

// An array and what it must hold.
struct value {
  array x;
  full right;
};

const gpumm_type TYPES[] = {GPUMM_D, GPUMM_Z, GPUMM_S, GPUMM_C};

shape any_size () {
  return check_between (0, 3)
             ? shape (check_between (0, 5), check_between (1, 5))
             : shape (check_between (1, 3), check_between (1, 4), check_between (1, 3));
}

value fresh (const shape &size, gpumm_type type) {
  const full right = oracle::random (size, is_complex (type));
  return {oracle::up (right, type), right};
}

// All places of a dimension, a range forwards or backwards, or a list.
selection any_selection (int64_t n) {
  if (n == 0 || check_between (0, 3) == 0)
    return selection ();
  if (check_between (0, 1)) {
    const int64_t first = check_between (0, n - 1), last = check_between (0, n - 1);
    const int64_t step = first <= last ? check_between (1, 2) : -check_between (1, 2);
    return selection (first, (last - first) / step + 1, step);
  }
  std::vector<int64_t> list;
  for (int64_t count = check_between (0, 4); count > 0; count--)
    list.push_back (check_between (0, n - 1));
  return selection (list);
}

std::vector<selection> any_index (const shape &size) {
  std::vector<selection> index;
  for (int d = 0; d < size.ndims (); d++)
    index.push_back (any_selection (size (d)));
  return index;
}

// ---- the steps of a program: what each makes of one value, or of two ----------------------------

value transpose (const value &a) {
  const bool conjugates = check_between (0, 1) != 0;
  return a.x.size.ndims () > 2
             ? a
             : value{transposed (a.x, conjugates), oracle::transposed (a.right, conjugates)};
}

value take_part (const value &a) {
  const std::vector<selection> index = any_index (a.right.size);
  return {part_of (a.x, index), oracle::part (a.right, index)};
}

// Some columns, or pages, that stay in the buffer.
value see_part (const value &a) {
  std::vector<selection> index (std::size_t (a.right.size.ndims ()));
  const int64_t n = a.right.size (a.right.size.ndims () - 1), first = check_between (0, n - 1);
  index.back () = selection::range (first, check_between (first, n));
  array x = a.x;
  const array y = seen_part_of (ready (x), index);
  CHECK (own (y).buffer != x.buffer || (!y.is_part && y.numel () == x.numel ()),
         "a part that is to be its own keeps the buffer of all");
  return {y, oracle::part (a.right, index)};
}

value permute (const value &a) {
  std::vector<int> order = {0, 1, 2};
  std::swap (order[0], order[std::size_t (check_between (0, 2))]);
  std::swap (order[1], order[std::size_t (check_between (1, 2))]);
  const shape size = a.right.size.redim (3);
  full right (shape (size (order[0]), size (order[1]), size (order[2])));
  right = oracle::made (right.size, [&] (const place &p) {
    place q (3);
    for (std::size_t d = 0; d < 3; d++)
      q[std::size_t (order[d])] = p[d];
    return a.right.v[std::size_t (oracle::number_of (size, q))];
  });
  return {permuted (a.x, order), right};
}

value repeat (const value &a) {
  const shape times (check_between (0, 2), check_between (1, 2), check_between (1, 2));
  const shape from = a.right.size.redim (3);
  const shape size (from (0) * times (0), from (1) * times (1), from (2) * times (2));
  return {repeated (a.x, times), oracle::made (size, [&] (const place &p) {
            return a.right.v[std::size_t (
                oracle::number_of (from, {p[0] % from (0), p[1] % from (1), p[2] % from (2)}))];
          })};
}

value reshape (const value &a) {
  full right = a.right;
  right.size = shape (1, right.numel ());
  return {reshaped (a.x, right.size), right};
}

value diagonal (const value &a) {
  if (a.right.size.ndims () > 2)
    return a;
  const int64_t rows = a.right.size (0), cols = a.right.size (1), k = check_between (-rows, cols);
  const int64_t count =
      std::max<int64_t> (std::min (std::min (rows, cols - k), std::min (cols, rows + k)), 0);
  return {diagonal_of (a.x, k), oracle::made (shape (count, 1), [&] (const place &p) {
            return a.right.at (p[0] + std::max<int64_t> (-k, 0), p[0] + std::max<int64_t> (k, 0));
          })};
}

value on_diagonal (const value &a) {
  const int64_t k = check_between (-2, 2);
  array x = plain (a.x);
  x.size = shape (x.numel (), 1);
  const int64_t n = x.numel () + std::abs (k);
  full right (shape (n, n));
  for (int64_t i = 0; i < a.right.numel (); i++)
    right.at (i + std::max<int64_t> (-k, 0), i + std::max<int64_t> (k, 0)) =
        a.right.v[std::size_t (i)];
  return {matrix_with_diagonal (x, k), right};
}

value triangle (const value &a) {
  if (a.right.size.ndims () > 2)
    return a;
  const bool is_upper = check_between (0, 1) != 0;
  const int64_t k = check_between (-3, 3);
  array x = a.x;
  return {triangle_of (ready (x), is_upper, double (k)),
          oracle::made (a.right.size, [&] (const place &p) {
            const bool stays = is_upper ? p[1] - p[0] >= k : p[1] - p[0] <= k;
            return stays ? oracle::entry (a.right, p) : number (0);
          })};
}

value grow (const value &a) {
  shape size = a.right.size;
  for (int d = 0; d < size.ndims (); d++)
    size (d) += check_between (0, 2);
  return {enlarged (a.x, size), oracle::made (size, [&] (const place &p) {
            bool is_inside = true;
            for (int d = 0; d < size.ndims (); d++)
              is_inside = is_inside && p[std::size_t (d)] < a.right.size (d);
            return is_inside ? a.right.v[std::size_t (oracle::number_of (a.right.size, p))] : 0;
          })};
}

// Writes numbers into a part of a copy: another variable's array must stay as it is.
value put (const value &a) {
  full right = a.right;
  const std::vector<selection> index = any_index (right.size);
  const shape size = size_of_part (index, right.size);
  const value part = fresh (size, a.x.type);
  const array other = a.x;
  array x = own_copy (a.x);
  pick (true, plain (part.x), size, x, right.size, index);
  for (int64_t k = 0; k < part.right.numel (); k++)
    right.v[std::size_t (
        oracle::number_of (right.size, oracle::inside (index, oracle::place_of (size, k))))] =
        part.right.v[std::size_t (k)];
  const full was = oracle::down (other);
  CHECK (was.v == a.right.v, "a copy that was written to changed the array");
  return {x, right};
}

value apply (const value &a) {
  static const struct {
    const char *name;
    number (*f) (number);
  } rows[] = {{"conj", [] (number z) { return std::conj (z); }},
              {"real", [] (number z) { return number (z.real ()); }},
              {"imag", [] (number z) { return number (z.imag ()); }},
              {"round", [] (number z) { return z; }},
              {"isfinite", [] (number) { return number (1); }}};
  const auto &row = rows[check_between (0, 4)];
  return {mapped (oracle::function_named (row.name), a.x, real_type (a.x.type)),
          oracle::combined (a.right, a.right, [&] (number z, number) { return row.f (z); })};
}

// Does x come before y? By abs and then by arg, in the precision of the array; real ones by value.
template <typename R> bool comes_before (number x, number y, bool is_complex_array) {
  if (!is_complex_array)
    return x.real () < y.real ();
  const std::complex<R> p (x), q (y);
  const auto angle = [] (std::complex<R> z) {
    const R a = std::arg (z), pi = R (std::acos (-1.));
    return a == -pi ? pi : a;
  };
  return std::abs (p) != std::abs (q) ? std::abs (p) < std::abs (q) : angle (p) < angle (q);
}

template <bool descends> void sort_lane (lane &x, gpumm_type type) {
  std::stable_sort (x.begin (), x.end (), [type] (number p, number q) {
    if (descends)
      std::swap (p, q);
    return is_single (type) ? comes_before<float> (p, q, is_complex (type))
                            : comes_before<double> (p, q, is_complex (type));
  });
}

template <gpumm_fold_op op> array fold_of (const array &x, int dim) {
  return fold (op, x, dim, type_of_fold (op, x.type));
}

// Operations along a dimension: what makes the array, and what makes a lane of it; a fold makes the
// first entry.
const struct {
  const char *name;
  bool folds;
  array (*run) (const array &x, int dim);
  void (*lane) (lane &x, gpumm_type type);
} lanes[] = {
    {"sum", true, fold_of<GPUMM_FOLD_SUM>,
     [] (lane &x, gpumm_type) { x[0] = std::accumulate (x.begin (), x.end (), number (0)); }},
    {"sumsq", true, fold_of<GPUMM_FOLD_SUMSQ>,
     [] (lane &x, gpumm_type) {
       x[0] = std::accumulate (x.begin (), x.end (), number (0),
                               [] (number all, number z) { return all + std::norm (z); });
     }},
    {"any", true, fold_of<GPUMM_FOLD_ANY>,
     [] (lane &x, gpumm_type) {
       x[0] = std::any_of (x.begin (), x.end (), [] (number z) { return z != 0.; });
     }},
    {"all", true, fold_of<GPUMM_FOLD_ALL>,
     [] (lane &x, gpumm_type) {
       x[0] = std::all_of (x.begin (), x.end (), [] (number z) { return z != 0.; });
     }},
    {"cumsum", false,
     [] (const array &x, int dim) { return scan (GPUMM_FOLD_SUM, x, dim, x.type); },
     [] (lane &x, gpumm_type) { std::partial_sum (x.begin (), x.end (), x.begin ()); }},
    {"sort", false, [] (const array &x, int dim) { return sorted (x, dim, false); },
     sort_lane<false>},
    {"sort down", false, [] (const array &x, int dim) { return sorted (x, dim, true); },
     sort_lane<true>}};

value convert (const value &a) {
  const gpumm_type type = check_between (0, 1) ? GPUMM_D : GPUMM_S;
  return {converted (a.x, is_complex (a.x.type) ? complex_type (type) : type), a.right};
}

value join (const value &a) {
  const value b = fresh (a.right.size, a.x.type);
  const int dim = int (check_between (0, 1));
  shape size = a.right.size;
  const int64_t half = size (dim);
  size (dim) *= 2;
  return {joined ({a.x, b.x}, dim, size, HOST_DEVICE, a.x.type), oracle::made (size, [&] (place p) {
            const bool is_second = p[std::size_t (dim)] >= half;
            p[std::size_t (dim)] -= is_second ? half : 0;
            const full &x = is_second ? b.right : a.right;
            return x.v[std::size_t (oracle::number_of (x.size, p))];
          })};
}

// a OP b of one size, with a row, a column or a number, on either side.
value operate (const value &a) {
  static const struct {
    gpumm_map_op op;
    number (*f) (number, number);
  } rows[] = {{GPUMM_MAP_ADD, [] (number x, number y) { return x + y; }},
              {GPUMM_MAP_SUB, [] (number x, number y) { return x - y; }},
              {GPUMM_MAP_MUL, [] (number x, number y) { return x * y; }},
              {GPUMM_MAP_EQ, [] (number x, number y) { return number (x == y); }},
              {GPUMM_MAP_AND, [] (number x, number y) { return number (x != 0. && y != 0.); }}};
  const auto &row = rows[check_between (0, 4)];
  shape size = a.right.size;
  if (check_between (0, 1))
    size (int (check_between (0, 1))) = 1;
  const value b = check_between (0, 3) ? fresh (size, TYPES[check_between (0, 3)]) : a;
  const gpumm_type real = is_single (a.x.type) || is_single (b.x.type) ? GPUMM_S : GPUMM_D;
  const bool is_swapped = check_between (0, 1) != 0;
  const value &left = is_swapped ? b : a, &second = is_swapped ? a : b;
  return {combined (row.op, operand (left.x), operand (second.x), real),
          oracle::combined (left.right, second.right, row.f)};
}

value multiply (const value &a) {
  if (a.right.size.ndims () > 2)
    return a;
  const gpumm_type type = product_type (a.x.type, is_single (a.x.type) ? GPUMM_S : GPUMM_D);
  if (check_between (0, 1)) { // with itself, in a way of being read
    const value b = transpose (a),
                c = check_between (0, 1)
                        ? a
                        : value{transposed (transposed (a.x, true), false),
                                oracle::transposed (oracle::transposed (a.right, true), false)};
    return {multiplied (c.x, b.x, type, product_options ()), oracle::times (c.right, b.right)};
  }
  const value b = fresh (shape (a.right.size (1), check_between (0, 4)), a.x.type);
  return {multiplied (a.x, b.x, type, product_options ()), oracle::times (a.right, b.right)};
}

const struct {
  const char *name;
  value (*run) (const value &);
} steps[] = {{"transposed", transpose},
             {"part_of", take_part},
             {"seen_part_of", see_part},
             {"permuted", permute},
             {"repeated", repeat},
             {"reshaped", reshape},
             {"diagonal_of", diagonal},
             {"matrix_with_diagonal", on_diagonal},
             {"triangle_of", triangle},
             {"enlarged", grow},
             {"pick", put},
             {"mapped", apply},
             {"converted", convert},
             {"joined", join},
             {"combined", operate},
             {"multiplied", multiply}};

// The next step takes small whole numbers of a floating-point type.
bool goes_on (const value &a) {
  return is_float (a.x.type) && oracle::is_small (a.right, 200);
}

void test_programs (int programs) {
  for (int k = 0; k < programs; k++) {
    value a = fresh (any_size (), TYPES[check_between (0, 3)]);
    std::string said;
    for (int length = 0; length < 5 && goes_on (a); length++) {
      const std::size_t which =
          std::size_t (check_between (0, std::size (steps) + std::size (lanes) - 1));
      said += " ";
      if (which < std::size (steps)) {
        said += steps[which].name;
        a = steps[which].run (a);
      } else {
        const auto &row = lanes[which - std::size (steps)];
        const int dim = int (check_between (0, 2));
        said += row.name;
        a = {row.run (a.x, dim),
             oracle::along (a.right, dim, row.folds, [&] (lane &x) { row.lane (x, a.x.type); })};
      }
      if (check_between (0, 1)) // else it may stay a program that has not run
        oracle::compare (a.x, a.right, said.c_str ());
    }
    oracle::compare (a.x, a.right, said.c_str ());
  }
}

// ---- systems ------------------------------------------------------------------------------------

// x as it may lie: stored by columns or rows, each also conjugated.
array lying (const full &x, gpumm_type type, int way) {
  const full adjoint = oracle::transposed (x, true);
  return way == 0   ? oracle::up (x, type)
         : way == 1 ? transposed (oracle::up (oracle::transposed (x, false), type), false)
         : way == 2
             ? transposed (oracle::up (adjoint, type), true)
             : transposed (
                 transposed (oracle::up (oracle::transposed (adjoint, false), type), true), false);
}

// With 1 and 2 on its diagonal, so that solutions in whole numbers have no rounding.
full any_triangle (int64_t n, bool is_upper, bool is_complex) {
  full t = oracle::random (shape (n, n), is_complex);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      if (i == j || (i < j) != is_upper)
        t.at (i, j) = i == j ? 1 + check_between (0, 1) : 0;
  return t;
}

void expect (const std::optional<array> &given, const full &right, const char *what) {
  CHECK (given.has_value (), "%s: left to the CPU", what);
  if (given)
    oracle::compare (*given, right, what);
}

void test_systems () {
  for (const gpumm_type type : TYPES)
    for (int k = 0; k < 64; k++) {
      const bool is_upper = k % 2, is_z = is_complex (type);
      const int64_t n = check_between (1, 4), others = check_between (1, 5);
      const full t = any_triangle (n, is_upper, is_z), x = oracle::random (shape (n, others), is_z),
                 y = oracle::transposed (x, false);
      const array a = lying (t, type, k / 2 % 4);
      const int way = k / 8 % 4;
      expect (solved ('L', a, is_upper, lying (oracle::times (t, x), type, way), type), x, "left");
      expect (solved ('R', a, is_upper, lying (oracle::times (y, t), type, way), type), y, "right");
      const full adjoint = oracle::transposed (t, true),
                 of_t = is_upper ? oracle::times (adjoint, t) : oracle::times (t, adjoint);
      expect (factored (lying (of_t, type, way), is_upper), t, "factor");
      full wrong = t;
      wrong.at (n - 1, n - 1) = 0;
      CHECK (!solved ('L', lying (wrong, type, way), is_upper, oracle::up (x, type), type),
             "a singular matrix");
      CHECK (!factored (oracle::up (full (shape (n, n)), type), is_upper), "zeros have a factor");
    }
}

// ---- what fails ---------------------------------------------------------------------------------

int handled;

void count_failures (const failure &f) {
  handled += f.is_limit ? 1 : 100;
}

void test_failures () {
  const array x = oracle::up (oracle::random (shape (2, 3), false), GPUMM_D);
  const std::vector<selection> five (5);
  for (int is_handled = 0; is_handled < 2; is_handled++) {
    handle_failure = is_handled ? count_failures : nullptr;
    try {
      pick (false, x, x.size, x, x.size, five);
      CHECK (false, "five indices");
    } catch (const failure &f) {
      CHECK (f.is_limit && f.status == GPUMM_UNSUPPORTED, "%s", f.what ());
    }
    try {
      array beyond = x;
      beyond.offset = 1;
      oracle::down (copied (beyond));
      CHECK (false, "entries beyond a buffer");
    } catch (const failure &f) {
      CHECK (!f.is_limit && f.status == GPUMM_INVALID, "%s", f.what ());
    }
  }
  handle_failure = nullptr;
  CHECK (handled == 101, "%d", handled);
  // first, count, step: of two rows
  const array other = new_array (HOST_DEVICE, GPUMM_D, shape (3, 3));
  for (const std::array<int64_t, 3> &places :
       {std::array<int64_t, 3>{-1, 2, 1}, {0, 3, 1}, {2, 1, 1}, {1, 3, -1}, {2, 2, -1}, {0, 2, 2}})
    for (const bool puts : {false, true})
      try {
        pick (puts, other, shape (places[1], 3), x, x.size,
              {selection (places[0], places[1], places[2]), selection ()});
        CHECK (false, "places from %lld by %lld", (long long) places[0], (long long) places[2]);
      } catch (const failure &f) {
        CHECK (f.status == GPUMM_INVALID, "%s", f.what ());
      }
  try {
    zeros (HOST_DEVICE, GPUMM_D, shape (INT64_MAX, 2));
    CHECK (false, "2^64 entries");
  } catch (const std::bad_alloc &) {
    CHECK (true, " ");
  }
}

} // namespace

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], nullptr, 10) : 20261130);
  test_programs (5000 / SANITIZED_STEP);
  test_systems ();
  test_failures ();
  return check_done ();
}
