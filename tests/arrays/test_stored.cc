// test_stored.cc - sparse matrices and matrices in blocks that stay on a device, in C++ and without
// Octave: random programs, as in test_full.cc. What a program makes may store zeros, be transposed,
// and share its pattern with other matrices.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.h"
#include "gpumm_folds.h"

using namespace gpumm;
using oracle::full;
using oracle::number;
using oracle::place;

namespace {

template <typename M> struct value {
  M m;
  full right;
};

full sum (const full &a, const full &b) {
  return oracle::combined (a, b, [] (number x, number y) { return x + y; });
}
full difference (const full &a, const full &b) {
  return oracle::combined (a, b, [] (number x, number y) { return x - y; });
}
full entry_product (const full &a, const full &b) {
  return oracle::combined (a, b, [] (number x, number y) { return x * y; });
}

selection any_selection (int64_t n) {
  std::vector<int64_t> list;
  switch (check_between (0, 2)) {
  case 0:
    return selection ();
  case 1:
    return selection::range (check_between (0, n / 2), check_between (n / 2, n));
  default:
    for (int64_t count = check_between (0, 4); count > 0; count--)
      list.push_back (check_between (0, n - 1));
    return selection (list);
  }
}

// ---- what both formats have ---------------------------------------------------------------------

template <typename M> value<M> transpose (const value<M> &a) {
  const bool conjugates = check_between (0, 1) != 0;
  return {transposed (a.m, conjugates), oracle::transposed (a.right, conjugates)};
}

template <typename M> value<M> conjugate (const value<M> &a) {
  return {mapped (oracle::function_named ("conj"), a.m, real_type (a.m.type ())),
          oracle::combined (a.right, a.right, [] (number x, number) { return std::conj (x); })};
}

template <typename M> value<M> real_part (const value<M> &a) {
  return {
      mapped (oracle::function_named ("real"), a.m, real_type (a.m.type ())),
      oracle::combined (a.right, a.right, [] (number x, number) { return number (x.real ()); })};
}

template <typename M> value<M> drop (const value<M> &a) {
  M m = a.m;
  return {drop_zeros (m), a.right};
}

// ---- sparse -------------------------------------------------------------------------------------

using sparse_value = value<sparse>;

sparse_value fresh_sparse (int64_t rows, int64_t cols, bool is_complex) {
  const full right = oracle::random (shape (rows, cols), is_complex, 3);
  return {sparse_of (oracle::up (right, is_complex ? GPUMM_Z : GPUMM_D)), right};
}

// With another matrix, with itself, or with its own pattern.
sparse_value combine (const sparse_value &a) {
  sparse_value b = check_between (0, 2)   ? fresh_sparse (a.right.size (0), a.right.size (1),
                                                          check_between (0, 1) != 0)
                   : check_between (0, 1) ? a
                                          : conjugate (a);
  switch (check_between (0, 2)) {
  case 0:
    return {combined (true, GPUMM_MAP_ADD, a.m, b.m), sum (a.right, b.right)};
  case 1:
    return {combined (true, GPUMM_MAP_SUB, a.m, b.m), difference (a.right, b.right)};
  default:
    return {combined (false, GPUMM_MAP_MUL, a.m, b.m), entry_product (a.right, b.right)};
  }
}

sparse_value scale (const sparse_value &a) {
  const bool by_rows = check_between (0, 1) != 0;
  const full factors =
      oracle::random (by_rows ? shape (a.right.size (0), 1) : shape (1, a.right.size (1)),
                      check_between (0, 1) != 0);
  const bool is_real =
      std::all_of (factors.v.begin (), factors.v.end (), [] (number z) { return z.imag () == 0; });
  return {scaled (false, a.m, oracle::up (factors, is_real ? GPUMM_D : GPUMM_Z), by_rows),
          entry_product (a.right, factors)};
}

sparse_value sum_lines (const sparse_value &a) {
  const int dim = int (check_between (0, 1));
  full right (dim == 0 ? shape (1, a.right.size (1)) : shape (a.right.size (0), 1));
  for (int64_t i = 0; i < a.right.size (0); i++)
    for (int64_t j = 0; j < a.right.size (1); j++)
      right.v[std::size_t (dim == 0 ? j : i)] += a.right.at (i, j);
  return {folded (GPUMM_FOLD_SUM, a.m, dim), right};
}

sparse_value take_lines (const sparse_value &a) {
  if (check_between (0, 1)) {
    const selection cols = any_selection (a.right.size (1));
    return {columns_of (a.m, cols), oracle::part (a.right, {selection (), cols})};
  }
  const selection rows = any_selection (a.right.size (0));
  return {rows_of (a.m, rows), oracle::part (a.right, {rows, selection ()})};
}

sparse_value multiply (const sparse_value &a) {
  sparse_value b = check_between (0, 2) ? fresh_sparse (a.right.size (1), check_between (0, 6),
                                                        is_complex (a.m.type ()))
                                        : transpose (a);
  sparse left = a.m;
  return {multiplied (left, b.m, product_options ()), oracle::times (a.right, b.right)};
}

// A product with a full matrix, as a sparse one again.
sparse_value multiply_full (const sparse_value &a) {
  const bool left = check_between (0, 1) != 0, is_complex_too = check_between (0, 1) != 0;
  const int64_t width = check_between (1, 5);
  const full d = oracle::random (
      left ? shape (a.right.size (1), width) : shape (width, a.right.size (0)), is_complex_too);
  sparse s = a.m;
  const array c = multiplied_full (s, oracle::up (d, is_complex_too ? GPUMM_Z : GPUMM_D), left,
                                   product_options ());
  const full right = left ? oracle::times (a.right, d) : oracle::times (d, a.right);
  oracle::compare (c, right, "a product with a full matrix");
  return {sparse_of (c), right};
}

sparse_value join (const sparse_value &a) {
  const int64_t rows = a.right.size (0), cols = a.right.size (1);
  const sparse_value b = fresh_sparse (rows, cols, is_complex (a.m.type ()));
  sparse none = none_like (a.m, shape (2 * rows, 2 * cols));
  const full right = oracle::made (shape (2 * rows, 2 * cols), [&] (const place &p) {
    const int64_t i = p[0] % rows, j = p[1] % cols;
    return (p[0] < rows) != (p[1] < cols) ? number (0)
           : p[0] < rows                  ? a.right.at (i, j)
                                          : b.right.at (i, j);
  });
  return {
      joined (none, std::vector<gpumm::part<sparse>>{{straight (a.m), 0, 0}, {b.m, rows, cols}}),
      right};
}

sparse_value diagonal (const sparse_value &a) {
  const int64_t n = std::min (a.right.size (0), a.right.size (1));
  return {diagonal_of (a.m, 0),
          oracle::made (shape (n, 1), [&] (const place &p) { return a.right.at (p[0], p[0]); })};
}

// ---- blocks -------------------------------------------------------------------------------------

using blocks_value = value<blocks>;

const shape BLOCK_SIZES[] = {shape (1, 1), shape (2, 2), shape (2, 3), shape (3, 1)};

// Of blocks of this size, so many by so many, of which half are there.
blocks_value fresh_blocks (const shape &size, int64_t down, int64_t across, gpumm_type type) {
  full right = oracle::random (shape (size (0) * down, size (1) * across), is_complex (type));
  const full there = oracle::random (shape (down, across), false, 4);
  for (int64_t i = 0; i < right.size (0); i++)
    for (int64_t j = 0; j < right.size (1); j++)
      if (there.at (i / size (0), j / size (1)) == 0.)
        right.at (i, j) = 0;
  return {blocks_of (oracle::up (right, type), size), right};
}

blocks_value like (const blocks_value &a) {
  const shape size = a.m.block_size ();
  return fresh_blocks (size, a.right.size (0) / size (0), a.right.size (1) / size (1), a.m.type ());
}

blocks_value combine (const blocks_value &a) {
  const blocks_value b = check_between (0, 2) ? like (a) : check_between (0, 1) ? a : conjugate (a);
  return check_between (0, 1)
             ? blocks_value{combined (GPUMM_MAP_ADD, a.m, b.m, real_type (a.m.type ())),
                            sum (a.right, b.right)}
             : blocks_value{combined (GPUMM_MAP_SUB, a.m, b.m, real_type (a.m.type ())),
                            difference (a.right, b.right)};
}

blocks_value multiply (const blocks_value &a) {
  const shape size = a.m.block_size ();
  blocks_value b = check_between (0, 2)
                       ? fresh_blocks (shape (size (1), size (0)), a.right.size (1) / size (1),
                                       check_between (1, 3), a.m.type ())
                       : transpose (a);
  blocks left = a.m;
  return {multiplied (left, b.m, a.m.type (), product_options ()),
          oracle::times (a.right, b.right)};
}

// A product with a full matrix, a part and the sums of columns, which are full: the blocks go on.
blocks_value look (const blocks_value &a) {
  const bool left = check_between (0, 1) != 0;
  const full d =
      oracle::random (left ? shape (a.right.size (1), 3) : shape (3, a.right.size (0)), false);
  blocks m = a.m;
  oracle::compare (multiplied_full (m, oracle::up (d, a.m.type ()), left, product_options ()),
                   left ? oracle::times (a.right, d) : oracle::times (d, a.right),
                   "a product with a full matrix");
  const selection rows = any_selection (a.right.size (0)), cols = any_selection (a.right.size (1));
  oracle::compare (part_of (a.m, rows, cols), oracle::part (a.right, {rows, cols}), "a part");
  full sums (shape (1, a.right.size (1)));
  for (int64_t k = 0; k < a.right.numel (); k++)
    sums.v[std::size_t (k / a.right.size (0))] += a.right.v[std::size_t (k)];
  oracle::compare (sum_of (a.m, 0), sums, "sums of columns");
  oracle::compare (full_of (sparse_of (a.m)), a.right, "as a sparse matrix");
  int64_t filled = 0;
  for (const number &z : a.right.v)
    filled += z != 0.;
  CHECK (nonzeros_of (a.m) == filled, "%lld elements that are not zero", (long long) filled);
  CHECK (equal (a.m, a.m), "a matrix is not equal to itself");
  return {m, a.right};
}

blocks_value join (const blocks_value &a) {
  const blocks_value b = like (a);
  const int64_t rows = a.right.size (0), cols = a.right.size (1);
  const full right = oracle::made (shape (rows, 2 * cols), [&] (const place &p) {
    return p[1] < cols ? a.right.at (p[0], p[1]) : b.right.at (p[0], p[1] - cols);
  });
  const blocks none = none_like (straight (a.m), shape (rows, 2 * cols));
  return {joined (none, std::vector<gpumm::part<blocks>>{{straight (a.m), 0, 0}, {b.m, 0, cols}}),
          right};
}

// ---- programs -----------------------------------------------------------------------------------

template <typename M> struct step {
  const char *name;
  value<M> (*run) (const value<M> &);
};

const std::vector<step<sparse>> SPARSE_STEPS = {
    {"transposed", transpose}, {"conj", conjugate},        {"real", real_part},
    {"drop_zeros", drop},      {"combined", combine},      {"scaled", scale},
    {"folded", sum_lines},     {"columns_of", take_lines}, {"multiplied", multiply},
    {"joined", join},          {"by full", multiply_full}, {"diagonal_of", diagonal}};
const std::vector<step<blocks>> BLOCK_STEPS = {
    {"transposed", transpose}, {"conj", conjugate},      {"real", real_part}, {"drop_zeros", drop},
    {"combined", combine},     {"multiplied", multiply}, {"full", look},      {"joined", join}};

template <typename M> void run_program (value<M> a, const std::vector<step<M>> &steps) {
  std::string said = a.right.size.str ();
  for (int length = 0; length < 6 && oracle::is_small (a.right, 400); length++) {
    const step<M> &s = steps[std::size_t (check_between (0, int64_t (steps.size ()) - 1))];
    said += std::string (" ") + s.name;
    const value<M> next = s.run (a);
    if (check_between (0, 3) == 0) // what a step has read is as it was
      oracle::compare (full_of (a.m), a.right, (said + ", the operand").c_str ());
    a = next;
    if (check_between (0, 1))
      oracle::compare (full_of (a.m), a.right, said.c_str ());
  }
  oracle::compare (full_of (a.m), a.right, said.c_str ());
}

} // namespace

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], nullptr, 10) : 20261130);
  for (int k = 0; k < 1000 / SANITIZED_STEP; k++)
    run_program (
        fresh_sparse (check_between (1, 8), check_between (1, 8), check_between (0, 1) != 0),
        SPARSE_STEPS);
  const gpumm_type types[] = {GPUMM_D, GPUMM_Z, GPUMM_S, GPUMM_C};
  for (int k = 0; k < 1000 / SANITIZED_STEP; k++)
    run_program (fresh_blocks (BLOCK_SIZES[check_between (0, 3)], check_between (1, 4),
                               check_between (1, 4), types[check_between (0, 3)]),
                 BLOCK_STEPS);
  return check_done ();
}
