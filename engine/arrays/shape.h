// shape.h - the sizes of an array by dimension, and places along a dimension.
//
// It has numbers alone: no device, no element type, nothing of the engine. The callers have checked
// that the places of a selection exist.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_SHAPE_H
#define GPUMM_SHAPE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace gpumm {

// The sizes of an array: two or more. Behind the last all are 1.
class shape {
public:
  template <typename... N>
  explicit shape (int64_t rows = 0, int64_t cols = 0, N... others)
      : dims (2 + int (sizeof...(others))), near{rows, cols, int64_t (others)...} {
    static_assert (2 + sizeof...(others) <= NEAR, "for more dimensions write redim");
  }

  int ndims () const {
    return dims;
  }
  int64_t operator() (int d) const {
    return d >= dims ? 1 : d < NEAR ? near[d] : far[std::size_t (d - NEAR)];
  }
  int64_t &operator() (int d) {
    return d < NEAR ? near[d] : far[std::size_t (d - NEAR)];
  }
  int64_t numel () const {
    int64_t all = 1;
    for (int d = 0; d < dims; d++)
      all *= (*this) (d);
    return all;
  }
  // The same, or std::bad_alloc for more than 2^62 entries, and for a size below 0.
  int64_t checked_numel () const {
    double all = 1;
    for (int d = 0; d < dims; d++)
      all = (*this) (d) < 0 ? INFINITY : all * double ((*this) (d));
    if (!(all < 0x1p62))
      throw std::bad_alloc ();
    return numel ();
  }

  // With so many dimensions: those after the last are 1, or the last one takes in the rest.
  shape redim (int count) const {
    shape s;
    s.dims = std::max (count, 2);
    s.far.resize (std::size_t (std::max (s.dims - NEAR, 0)));
    for (int d = 0; d < s.dims; d++)
      s (d) = (*this) (d);
    for (int d = s.dims; d < dims; d++)
      s (s.dims - 1) *= (*this) (d);
    return s;
  }
  void chop_trailing_singletons () {
    while (dims > 2 && (*this) (dims - 1) == 1)
      dims--;
  }

  bool operator== (const shape &s) const {
    bool same = dims == s.dims;
    for (int d = 0; d < dims && same; d++)
      same = (*this) (d) == s (d);
    return same;
  }
  bool operator!= (const shape &s) const {
    return !(*this == s);
  }
  std::string str () const { // "2x3"
    std::string text = std::to_string (near[0]);
    for (int d = 1; d < dims; d++)
      text += "x" + std::to_string ((*this) (d));
    return text;
  }

private:
  static const int NEAR = 4; // so many need no memory of their own: shapes are copied often
  int dims = 2;
  int64_t near[NEAR] = {};
  std::vector<int64_t> far;
};

// Can sizes be broadcast from this dimension on: are they equal, or one of them 1?
inline bool can_broadcast (const shape &a, const shape &b, int first = 0) {
  bool can = true;
  for (int d = first; d < std::min (a.ndims (), b.ndims ()); d++)
    can = can && (a (d) == b (d) || a (d) == 1 || b (d) == 1);
  return can;
}

// The size of what an operator makes of two sizes that can.
inline shape common_size (const shape &a, const shape &b) {
  shape size = a.redim (std::max (a.ndims (), b.ndims ()));
  for (int d = 0; d < size.ndims (); d++)
    if (size (d) == 1)
      size (d) = b (d);
  return size;
}

// What an index selects along a dimension, from 0 on: all places, a range, or a list.
class selection {
public:
  // All of them.
  selection () = default;
  // first, first + step, ...
  selection (int64_t first, int64_t count, int64_t step)
      : all (false), first (first), count (count), step (step) {
  }
  explicit selection (const std::vector<int64_t> &list)
      : all (false), first (list.empty () ? 0 : list[0]), count (int64_t (list.size ())),
        listed (std::make_shared<const std::vector<int64_t>> (list)) {
  }
  // From first to before end.
  static selection range (int64_t first, int64_t end) {
    return selection (first, end - first, 1);
  }

  bool is_all () const {
    return all;
  }
  // Of a dimension with n places.
  int64_t length (int64_t n) const {
    return all ? n : count;
  }
  int64_t operator() (int64_t k) const {
    return listed ? (*listed)[std::size_t (k)] : first + k * step;
  }
  // The distance of two neighbours, if these are not listed.
  int64_t increment () const {
    return step;
  }
  // The places, if they are neither all nor a range.
  const std::vector<int64_t> *list () const {
    return listed.get ();
  }

private:
  bool all = true;
  int64_t first = 0, count = 0, step = 1;
  std::shared_ptr<const std::vector<int64_t>> listed;
};

} // namespace gpumm

#endif
