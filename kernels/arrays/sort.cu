/* sort.cu - sorting along one dimension.
 *
 * A radix sort takes keys, whose order as unsigned numbers is that of the entries, with the numbers
 * of the entries; then the entries move. The upper bits of a key are the lane of its entry, so that
 * one sort serves all lanes. What does not fit into 64 bits is sorted from its lower parts on, as
 * each sort keeps the order of equal keys: complex numbers by arg, then by abs, then by lane.
 *
 * What limits it is memory: the sort reads and writes keys and numbers once for 8 bits of a key.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"
#include "sparse/sums_and_sorts.h"

#include <string.h>

/* The parts of a key, from the lowest on. */
enum part { VALUE, ARG, ABS, LANE };

enum { MOST_PARTS = 3 };

/* Consecutive parts that are sorted at once. */
struct sort_pass {
  int parts, bits;
  part what[MOST_PARTS];
  int bits_of[MOST_PARTS];
};

struct sorting {
  int type;
  const void *from;
  int64_t inner, count, entries;
  bool descends;
};

/* ---- keys ----------------------------------------------------------------------------------- */

/* Bits in the order of reals, with -0 as 0 and NaN last: the sign is inverted, of negative numbers
 * all bits (Knuth, TAOCP 3, exercise 5.2.5-8). U has the size of R. */
template <class U, class R> DEVICE U key_of_real (R x) {
  const U sign = (U) 1 << (8 * sizeof (U) - 1), nan = (U) ~(U) 0;
  const R y = x + (R) 0;
  U bits;
  memcpy (&bits, &y, sizeof bits);
  return isnan (x) ? nan : bits & sign ? ~bits : bits | sign;
}

DEVICE uint64_t key_of (float x) {
  return key_of_real<uint32_t> (x);
}

DEVICE uint64_t key_of (double x) {
  return key_of_real<uint64_t> (x);
}

template <class I> constexpr uint64_t least = (uint64_t) std::numeric_limits<I>::min ();

template <class I> DEVICE uint64_t key_of (I x) {
  return (uint64_t) x - least<I>;
}

template <class E> DEVICE uint64_t key_of (part, E x) {
  return key_of (x);
}

template <class R> DEVICE uint64_t key_of (part what, complex<R> x) {
  return key_of (is_nan (x) ? (R) NAN : what == ABS ? magnitude (x) : angle_of (x, false));
}

DEVICE uint64_t key_of (part what, int type, const void *p, int64_t i) {
#define KEY(TYPE, E)                                                                               \
  case TYPE:                                                                                       \
    return key_of (what, ((const E *) p)[i]);
  switch (type) {
    CASES_OF_NUMBERS (KEY)
    KEY (GPUMM_I64, int64_t)
    KEY (GPUMM_U64, uint64_t)
  }
#undef KEY
  return ((const uint8_t *) p)[i] != 0;
}

/* The keys of a pass, for the numbers in the order of the passes before: before NULL: in their
 * own. */
template <class K>
__global__ void __launch_bounds__ (THREADS)
    make_keys (sorting s, sort_pass p, const uint32_t *before, uint32_t *number, K *key) {
  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < s.entries;
       i += (int64_t) THREADS * gridDim.x) {
    const int64_t n = before ? before[i] : i;
    const int64_t lane = divide (n, s.count, s.entries);
    const int64_t at = place_in (s, lane, n - lane * s.count);
    uint64_t bits = 0;
    for (int part = p.parts - 1; part >= 0; part--) {
      const uint64_t mask = ~UINT64_C (0) >> (64 - p.bits_of[part]);
      uint64_t x =
          p.what[part] == LANE ? (uint64_t) lane : key_of (p.what[part], s.type, s.from, at);
      if (s.descends && p.what[part] != LANE)
        x = ~x & mask;
      bits = p.bits_of[part] < 64 ? bits << p.bits_of[part] | x : x;
    }
    key[i] = (K) bits;
    number[i] = (uint32_t) n;
  }
}

/* E has the size of an entry. */
template <class E>
__global__ void __launch_bounds__ (THREADS)
    move_sorted (sorting s, const uint32_t *number, E *to, double *places) {
  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < s.entries;
       i += (int64_t) THREADS * gridDim.x) {
    const int64_t lane = divide (i, s.count, s.entries), first = lane * s.count;
    const int64_t k = number[i] - first, at = place_in (s, lane, i - first);
    to[at] = ((const E *) s.from)[place_in (s, lane, k)];
    if (places)
      places[at] = (double) k + 1;
  }
}

/* ---- launch ------------------------------------------------------------------------------- */

static int64_t entries_of (const gpumm_operation &o) {
  return o.inner * o.count * o.outer;
}

static void append (sort_pass *passes, int &count, part what, int bits) {
  if (bits == 0)
    return;
  if (count == 0 || passes[count - 1].bits + bits > 64)
    passes[count++] = {0, 0, {}, {}};
  sort_pass &last = passes[count - 1];
  last.what[last.parts] = what;
  last.bits_of[last.parts++] = bits;
  last.bits += bits;
}

/* Sets the passes of a sort, and returns their number. */
static int passes_of (const gpumm_operation &o, sort_pass (&passes)[MOST_PARTS]) {
  const gpumm_type type = o.map.input[0].type;
  const int bits = 8 * (int) element_bytes (type);
  int count = 0;
  if (is_real (type))
    append (passes, count, VALUE, bits);
  else {
    append (passes, count, ARG, bits / 2);
    append (passes, count, ABS, bits / 2);
  }
  append (passes, count, LANE, bits_below (o.inner * o.outer));
  return count;
}

/* The workspace: two arrays of numbers, and two of keys, which have space for the longest. */
struct memory {
  uint32_t *number, *sorted;
  uint64_t *key, *sorted_key;
  char *scratch;
  size_t scratch_bytes, bytes;

  memory (const gpumm_operation &o, void *workspace) {
    sort_pass passes[MOST_PARTS];
    const int count = passes_of (o, passes);
    const int64_t entries = entries_of (o);
    bool long_keys = false;
    for (int n = 0; n < count; n++)
      long_keys = long_keys || passes[n].bits > 32;
    parts m (workspace);
    m.take (number, entries);
    m.take (sorted, entries);
    m.take (key, long_keys ? entries : ceil_div (entries, 2));
    m.take (sorted_key, long_keys ? entries : ceil_div (entries, 2));
    scratch_bytes =
        long_keys ? gpumm_sort_bytes<uint64_t> (entries) : gpumm_sort_bytes<uint32_t> (entries);
    m.take (scratch, (int64_t) scratch_bytes);
    bytes = m.used;
  }
};

template <class K>
static gpumm_status run_pass (int device, gpumm_stream *stream, const sorting &s,
                              const sort_pass &p, const memory &m, bool is_first) {
  K *const key = (K *) m.key, *const sorted_key = (K *) m.sorted_key;
  TRY (LAUNCH ("sort", make_keys<K>, blocks_for (s.entries, 1), dim3 (THREADS), device, stream, s,
               p, is_first ? NULL : m.sorted, m.number, key));
  return gpumm_sort (device, stream, key, sorted_key, m.number, m.sorted, s.entries, p.bits,
                     m.scratch, m.scratch_bytes);
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *o,
                            void *workspace) {
  const gpumm_view &from = o->map.input[0];
  const memory m (*o, workspace);
  const sorting s = {from.type, from.values, o->inner, o->count, entries_of (*o), o->descends != 0};
  sort_pass passes[MOST_PARTS];
  const int count = passes_of (*o, passes);
  for (int n = 0; n < count; n++)
    TRY (passes[n].bits > 32 ? run_pass<uint64_t> (device, stream, s, passes[n], m, n == 0)
                             : run_pass<uint32_t> (device, stream, s, passes[n], m, n == 0));
  WITH_BYTES (from.type, E,
              return LAUNCH ("sort", move_sorted<E>, blocks_for (s.entries, 1), dim3 (THREADS),
                             device, stream, s, m.sorted, (E *) o->result[0].values,
                             (double *) o->result[1].values));
}

static size_t workspace_bytes (const gpumm_operation *o) {
  return memory (*o, NULL).bytes;
}

static gpumm_status check (const gpumm_operation *o) {
  if (o->result[1].values && o->result[1].type != GPUMM_D)
    return gpumm_driver_fail (GPUMM_INVALID, "places are doubles");
  if ((double) o->inner * (double) o->count * (double) o->outer > UINT32_MAX)
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "not of more than 2^32 - 1 entries");
  return GPUMM_OK;
}

ARRAY_ROWS (sort) = {{"sort", MOVED_TYPES, 2, GPUMM_SAME_LENGTH, GPUMM_NO_PLACES, GPUMM_READS_INPUT,
                      0, check, workspace_bytes, launch},
                     {}};
