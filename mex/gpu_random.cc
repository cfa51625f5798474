// gpu_random.cc - random numbers of gpuArrays: rand, randn, rande, randi and randperm, and the
// state of their generator.
//
// The generator is Philox 4x32-10 (kernels/arrays/random.cu). Without a GPU the host device draws
// the same numbers into Octave's memory. All functions take their numbers from one stream; Octave's
// own generators stay apart.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <unistd.h>

#include "allocate.h"
#include "gpu_functions.h"

#include <octave/oct-time.h>

using namespace gpumm;

// ---- the state ----------------------------------------------------------------------------------

static const double MOST_WHOLE = 0x1p53, WORD = 0x1p32;

static bool is_whole (double x, double end) {
  return x >= 0 && x < end && x == std::trunc (x);
}

// A key of 53 bits from any numbers: multiplicative hashing by the golden ratio.
static uint64_t key_of (const NDArray &numbers) {
  uint64_t key = 0;
  for (octave_idx_type i = 0; i < numbers.numel (); i++) {
    uint64_t bits;
    const double x = numbers (i);
    std::memcpy (&bits, &x, sizeof bits);
    key = (key ^ bits) * UINT64_C (0x9E3779B97F4A7C15);
    key ^= key >> 29;
  }
  return key >> 11;
}

// From the clock and the process, as Octave's.
static random_stream shuffled () {
  NDArray numbers (dim_vector (3, 1));
  numbers (0) = octave::sys::time ().double_value ();
  numbers (1) = double (std::clock ());
  numbers (2) = double (getpid ());
  return {key_of (numbers), 0};
}

static random_stream &stream () {
  static random_stream s = shuffled ();
  return s;
}

// Key and position in four words of 32 bits.
static NDArray state () {
  const random_stream &s = stream ();
  NDArray x (dim_vector (4, 1));
  for (int i = 0; i < 4; i++)
    x (i) = double (uint32_t ((i < 2 ? s.key : s.position) >> 32 * (i % 2)));
  return x;
}

static random_stream stream_from (const NDArray &x) {
  bool is_state = x.numel () == 4;
  for (octave_idx_type i = 0; i < x.numel (); i++)
    is_state = is_state && is_whole (x (i), WORD);
  if (is_state)
    return {uint64_t (x (0)) | uint64_t (x (1)) << 32, uint64_t (x (2)) | uint64_t (x (3)) << 32};
  const bool is_seed = x.numel () == 1 && is_whole (x (0), MOST_WHOLE);
  return {is_seed ? uint64_t (x (0)) : key_of (x), 0};
}

bool are_of_state (const std::string &name, const octave_value_list &args) {
  if ((name != "rand" && name != "randn" && name != "rande") || args.length () == 0
      || !args (0).is_string ())
    return false;
  const std::string word = args (0).string_value ();
  return word == "seed" || word == "state" || word == "twister";
}

// ("state"), ("state", NUMBERS), ("state", "reset"); the same with "twister" and "seed", of which
// the first returns the key
static octave_value_list set_or_return_state (const named_call &c) {
  const octave_value_list args = on_host (c.args);
  if (args.length () > 2)
    c.usage ();
  if (args.length () == 1)
    return args (0).string_value () == "seed" ? ovl (double (stream ().key)) : ovl (state ());
  const octave_value &x = args (1);
  if (x.is_string () && x.rows () == 1 && x.string_value () == "reset")
    stream () = shuffled ();
  else if ((x.isnumeric () || x.islogical ()) && x.isreal () && !x.isempty ())
    stream () = stream_from (x.array_value ());
  else
    error_with_id ("gpumm:bad-value",
                   "gpuArray.%s: \"%s\" needs real numbers, or \"reset\". Write gpuArray.%s "
                   "(\"%s\", 1)",
                   c.f.name, args (0).string_value ().c_str (), c.f.name,
                   args (0).string_value ().c_str ());
  return ovl ();
}

// ---- arrays -------------------------------------------------------------------------------------

// A gpuArray of random entries.
static octave_value drawn_there (const dim_vector &size, const random_kind &kind) {
  const int device = device_for_new ();
  if (device != NO_DEVICE)
    return value_of (drawn (device, shape_of (size), kind, stream ()));
  gpumm_matrix column = {};
  column.type = kind.type;
  column.rows = column.ld = size.numel ();
  column.cols = 1;
  const octave_value x = allocated (column).reshape (size);
  draw_on_host (const_cast<void *> (x.mex_get_data ()), size.numel (), kind, stream ());
  return value_of (x);
}

// The size that these arguments of a function ask for, or Octave's error.
static dim_vector size_of (const named_function &f, const octave_value_list &sizes) {
  dim_vector size (1, 1);
  if (sizes.length () > 0 && !get_sizes (sizes, size))
    size = asked_for (f, sizes, "zeros").dims (); // which draws no numbers
  (void) size.safe_numel ();                      // Octave's error if no array can be so large
  size.chop_trailing_singletons ();
  return size;
}

// gpuArray.rand (...), randn and rande
octave_value_list generated (named_call &c) {
  if (are_of_state (c.f.name, c.args))
    return set_or_return_state (c);
  octave_value_list sizes = on_host (c.args);
  const octave_idx_type last = sizes.length () - 1;
  std::string in_class = "double";
  if (last >= 0 && sizes (last).is_string ()) {
    in_class = sizes (last).string_value ();
    sizes.resize (last);
  }
  if (in_class != "double" && in_class != "single")
    return ovl (on_device (asked_for (c.f, c.args), device_for_new ())); // its error
  const dim_vector size = size_of (c.f, sizes);
  const std::string name = c.f.name;
  const gpumm_distribution distribution = name == "rand"    ? GPUMM_UNIFORM
                                          : name == "randn" ? GPUMM_NORMAL
                                                            : GPUMM_EXPONENTIAL;
  return ovl (drawn_there (size, {in_class == "single" ? GPUMM_S : GPUMM_D, distribution}));
}

// gpuArray.randi (IMAX, ...), ([IMIN, IMAX], ...)
octave_value_list random_integers (named_call &c) {
  octave_value_list sizes = on_host (c.args);
  if (sizes.length () == 0)
    c.usage ();
  const octave_value limits = sizes (0);
  sizes = rest_of (sizes);
  const octave_idx_type last = sizes.length () - 1;
  octave_value_list nothing = ovl (limits, 0.0, 0.0);
  gpumm_type type = GPUMM_D;
  if (last >= 0 && sizes (last).is_string ()) {
    type = type_of_class (sizes (last).string_value ());
    nothing.append (sizes (last));
    sizes.resize (last);
  }
  asked_for (c.f, nothing); // its errors and warnings for limits and classes
  const dim_vector size = size_of (c.f, sizes);
  const NDArray both = limits.real ().array_value ();
  const int64_t low = both.numel () == 1 ? 1 : int64_t (both (0));
  const int64_t high = int64_t (both (both.numel () == 1 ? 0 : 1));
  return ovl (drawn_there (size, {type, GPUMM_INTEGERS, low, uint64_t (high - low) + 1}));
}

// gpuArray.randperm (N), (N, M)
octave_value_list random_order (named_call &c) {
  const octave_value_list args = on_host (c.args);
  const double n = args.length () > 0 && is_number (args (0)) ? args (0).double_value () : NAN;
  const double m = args.length () < 2 ? n : is_number (args (1)) ? args (1).double_value () : NAN;
  if (args.length () > 2 || !is_whole (n, MOST_WHOLE) || !is_whole (m, MOST_WHOLE) || m > n)
    return ovl (on_device (asked_for (c.f, c.args), device_for_new ())); // its error
  if (device_for_new () != NO_DEVICE)
    return ovl (value_of (permutation (device_for_new (), int64_t (n), int64_t (m), stream ())));
  const std::vector<double> order = permutation_on_host (int64_t (n), int64_t (m), stream ());
  RowVector x (octave_idx_type (order.size ()));
  std::copy (order.begin (), order.end (), x.fortran_vec ());
  return ovl (value_of (octave_value (x)));
}
