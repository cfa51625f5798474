// shape.h - the sizes of an array by dimension, and places along a dimension.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_SHAPE_H
#define GPUMM_SHAPE_H

#include <algorithm>
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
      : n{rows, cols, int64_t (others)...} {
  }
  explicit shape (const std::vector<int64_t> &sizes) : n (sizes) {
    n.resize (std::max<std::size_t> (n.size (), 2), 1);
  }

  int ndims () const {
    return int (n.size ());
  }
  int64_t operator() (int d) const {
    return d < ndims () ? n[std::size_t (d)] : 1;
  }
  int64_t &operator() (int d) {
    return n[std::size_t (d)];
  }
  int64_t numel () const {
    int64_t all = 1;
    for (const int64_t size : n)
      all *= size;
    return all;
  }
  // The same, or std::bad_alloc for more than 2^62 entries.
  int64_t checked_numel () const {
    double all = 1;
    for (const int64_t size : n)
      all *= double (size);
    if (all >= 0x1p62)
      throw std::bad_alloc ();
    return numel ();
  }

  // With so many dimensions: those after the last are 1, or the last one takes in the rest.
  shape redim (int dims) const {
    shape s = *this;
    while (s.ndims () > std::max (dims, 2)) {
      s.n[s.n.size () - 2] *= s.n.back ();
      s.n.pop_back ();
    }
    s.n.resize (std::size_t (std::max (dims, s.ndims ())), 1);
    return s;
  }
  void chop_trailing_singletons () {
    while (n.size () > 2 && n.back () == 1)
      n.pop_back ();
  }

  bool operator== (const shape &s) const {
    return n == s.n;
  }
  bool operator!= (const shape &s) const {
    return n != s.n;
  }
  std::string str () const { // "2x3"
    std::string text;
    for (const int64_t size : n)
      text += (text.empty () ? "" : "x") + std::to_string (size);
    return text;
  }

private:
  std::vector<int64_t> n;
};

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
        listed (std::make_shared<const std::vector<int64_t> > (list)) {
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
  std::shared_ptr<const std::vector<int64_t> > listed;
};

} // namespace gpumm

#endif
