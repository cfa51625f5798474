// random.cc - random arrays and permutations: see array.h. They are the same on every device.
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace gpumm {

// How many entries a block of the generator gives.
static int entries_of_block (const random_kind &kind) {
  if (kind.distribution != GPUMM_INTEGERS)
    return 16 / int (gpumm_type_bytes (kind.type));
  return kind.range <= UINT32_MAX ? 2 : 1;
}

array drawn (int device, const shape &size, const random_kind &kind, random_stream &from) {
  const array x = new_array (device, kind.type, size);
  gpumm_operation o = {};
  o.name = "random";
  o.inner = o.outer = 1;
  o.count = x.numel ();
  o.result[0] = view_of (x);
  o.random = {kind.distribution, from.key, {from.position, 0}, kind.low, kind.range};
  need (gpumm_operation_run (&o));
  const int each = entries_of_block (kind);
  from.position += uint64_t ((o.count + each - 1) / each);
  return x;
}

// In parts of whole blocks: the host device has less memory than the host.
void draw_on_host (void *to, int64_t count, const random_kind &kind, random_stream &from) {
  enum { PART = 1 << 18 };
  for (int64_t first = 0; first < count; first += PART) {
    const shape size (std::min<int64_t> (PART, count - first), 1);
    to_host (drawn (HOST_DEVICE, size, kind, from),
             static_cast<char *> (to) + first * int64_t (gpumm_type_bytes (kind.type)));
  }
}

// ---- permutations -------------------------------------------------------------------------------

static const random_kind words = {GPUMM_U64, GPUMM_RANDOM_BITS};

// A permutation sorts n random words. Where `count` is far below n, the host draws without them.
static bool are_few (int64_t n, int64_t count) {
  return count < n / 16;
}

// By the steps of Fisher and Yates, of which it keeps the numbers that have moved.
static std::vector<double> few_of (int64_t n, int64_t count, random_stream &from) {
  std::vector<double> x (std::size_t (count), 0.0);
  draw_on_host (x.data (), count, random_kind (), from);
  std::unordered_map<int64_t, int64_t> moved;
  const auto number_at = [&] (int64_t i) {
    const auto found = moved.find (i);
    return found == moved.end () ? i : found->second;
  };
  for (int64_t i = 0; i < count; i++) {
    const int64_t left = n - i; // x * left may round to left
    const int64_t j = i + std::min (int64_t (x[std::size_t (i)] * double (left)), left - 1);
    x[std::size_t (i)] = double (number_at (j)) + 1;
    moved[j] = number_at (i);
  }
  return x;
}

array permutation (int device, int64_t n, int64_t count, random_stream &from) {
  if (are_few (n, count)) {
    const array y = new_array (device, GPUMM_D, shape (1, count));
    from_host (few_of (n, count, from).data (), y);
    return y;
  }
  array place;
  sorted (drawn (device, shape (1, n), words, from), 1, false, &place);
  return own (part_of (place, {selection::range (0, 1), selection::range (0, count)}));
}

std::vector<double> permutation_on_host (int64_t n, int64_t count, random_stream &from) {
  if (are_few (n, count))
    return few_of (n, count, from);
  std::vector<uint64_t> word (std::size_t (n), 0);
  draw_on_host (word.data (), n, words, from);
  std::vector<std::pair<uint64_t, int64_t>> order;
  order.reserve (word.size ());
  for (const uint64_t w : word)
    order.emplace_back (w, int64_t (order.size ()) + 1);
  std::sort (order.begin (), order.end ()); // equal words by their numbers: stable, as sorted is
  std::vector<double> x;
  x.reserve (std::size_t (count));
  for (int64_t i = 0; i < count; i++)
    x.push_back (double (order[std::size_t (i)].second));
  return x;
}

} // namespace gpumm
