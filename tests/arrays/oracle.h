// oracle.h - full matrices in host memory by plain loops, which arrays on a device are compared to.
//
// All entries are whole numbers, real or complex, so small that each operation of a test is exact:
// results are compared for equality.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_TESTS_ORACLE_H
#define GPUMM_TESTS_ORACLE_H

#include "arrays/blocks.h"
#include "check.h"

#include <complex>
#include <functional>

namespace oracle {

using number = std::complex<double>;
using gpumm::selection;
using gpumm::shape;

struct full {
  shape size;
  std::vector<number> v; // column after column

  explicit full (const shape &s = shape ()) : size (s), v (std::size_t (s.numel ())) {
  }
  int64_t numel () const {
    return int64_t (v.size ());
  }
  number &at (int64_t i, int64_t j) {
    return v[std::size_t (i + j * size (0))];
  }
  number at (int64_t i, int64_t j) const {
    return v[std::size_t (i + j * size (0))];
  }
};

using place = std::vector<int64_t>; // an index by dimension

inline place place_of (const shape &size, int64_t k) {
  place p;
  for (int d = 0; d < size.ndims (); d++) {
    p.push_back (k % size (d));
    k /= size (d);
  }
  return p;
}

// A size of 1 repeats.
inline int64_t number_of (const shape &size, const place &p) {
  int64_t k = 0, step = 1;
  for (int d = 0; d < size.ndims (); d++) {
    k += size (d) == 1 ? 0 : p[std::size_t (d)] * step;
    step *= size (d);
  }
  return k;
}

// The matrix of this size whose entries f makes of their places.
template <typename F> full made (const shape &size, F f) {
  full x (size);
  for (int64_t k = 0; k < x.numel (); k++)
    x.v[std::size_t (k)] = f (place_of (size, k));
  return x;
}

inline number entry (const full &x, const place &p) {
  return x.v[std::size_t (number_of (x.size, p))];
}

inline full transposed (const full &x, bool conjugates) {
  return made (shape (x.size (1), x.size (0)), [&] (const place &p) {
    const number z = x.at (p[1], p[0]);
    return conjugates ? std::conj (z) : z;
  });
}

inline full times (const full &a, const full &b) {
  full c (shape (a.size (0), b.size (1)));
  for (int64_t i = 0; i < c.size (0); i++)
    for (int64_t j = 0; j < c.size (1); j++)
      for (int64_t k = 0; k < a.size (1); k++)
        c.at (i, j) += a.at (i, k) * b.at (k, j);
  return c;
}

// Entry by entry, with sizes of 1 repeated.
inline full combined (const full &a, const full &b,
                      const std::function<number (number, number)> &f) {
  return made (gpumm::common_size (a.size, b.size),
               [&] (const place &p) { return f (entry (a, p), entry (b, p)); });
}

// Whole numbers from -4 to 4, of which so many of ten are not zero.
inline full random (const shape &size, bool is_complex, int filled = 8) {
  const auto one = [] { return double (check_between (-4, 4)); };
  return made (size, [&] (const place &) {
    const number z (one (), is_complex ? one () : 0);
    return check_between (1, 10) <= filled ? z : number (0);
  });
}

// Each lane of x along a dimension as f makes it; if f folds, it makes one entry.
using lane = std::vector<number>;
template <typename F> full along (const full &x, int dim, bool folds, F f) {
  const shape from = x.size.redim (3);
  shape size = from;
  size (dim) = folds ? 1 : from (dim);
  full y = made (size, [&] (place p) {
    const std::size_t at = std::size_t (p[std::size_t (dim)]);
    lane all;
    for (int64_t k = 0; k < from (dim); k++) {
      p[std::size_t (dim)] = k;
      all.push_back (x.v[std::size_t (number_of (from, p))]);
    }
    f (all);
    return all[at];
  });
  y.size.chop_trailing_singletons ();
  return y;
}

// The part that the indices select.
inline place inside (const std::vector<selection> &index, const place &p) {
  place q;
  for (std::size_t d = 0; d < p.size (); d++)
    q.push_back (index[d].is_all () ? p[d] : index[d](p[d]));
  return q;
}

inline full part (const full &x, const std::vector<selection> &index) {
  return made (gpumm::size_of_part (index, x.size),
               [&] (const place &p) { return entry (x, inside (index, p)); });
}

// Can a program go on with it, and stay exact?
inline bool is_small (const full &x, int64_t most) {
  for (const number &z : x.v)
    if (std::abs (z) > 64)
      return false;
  return x.numel () > 0 && x.numel () < most;
}

inline const gpumm::function &function_named (const std::string &name) {
  for (const gpumm::function &f : gpumm::functions ())
    if (name == f.name)
      return f;
  printf ("there is no %s\n", name.c_str ());
  exit (EXIT_FAILURE);
}

// ---- to and from the host device ----------------------------------------------------------------

inline gpumm::array up (const full &x, gpumm_type type) {
  const gpumm::array there = gpumm::new_array (gpumm::HOST_DEVICE, GPUMM_Z, x.size);
  gpumm::from_host (x.v.data (), there);
  if (gpumm::is_complex (type))
    return gpumm::converted (there, type);
  // the engine converts no complex array to a real one
  std::vector<double> real;
  for (const number &z : x.v)
    real.push_back (z.real ());
  const gpumm::array y = gpumm::new_array (gpumm::HOST_DEVICE, GPUMM_D, x.size);
  gpumm::from_host (real.data (), y);
  return gpumm::converted (y, type);
}

inline full down (const gpumm::array &x) {
  full y (x.size);
  gpumm::to_host (gpumm::converted (x, GPUMM_Z), y.v.data ());
  return y;
}

// Counts a comparison.
inline void compare (const gpumm::array &x, const full &right, const char *what) {
  const full y = down (x);
  shape size = right.size;
  size.chop_trailing_singletons ();
  CHECK (y.size == size, "%s: %s instead of %s", what, y.size.str ().c_str (),
         size.str ().c_str ());
  if (y.size != size)
    return;
  int64_t wrong = 0, first = -1;
  for (int64_t k = 0; k < y.numel (); k++)
    if (y.v[std::size_t (k)] != right.v[std::size_t (k)]) {
      first = wrong == 0 ? k : first;
      wrong++;
    }
  CHECK (wrong == 0, "%s of %s: %lld entries are wrong, first %lld: %g%+gi instead of %g%+gi", what,
         size.str ().c_str (), (long long) wrong, (long long) first,
         y.v[std::size_t (first)].real (), y.v[std::size_t (first)].imag (),
         right.v[std::size_t (first)].real (), right.v[std::size_t (first)].imag ());
}

} // namespace oracle

#endif
