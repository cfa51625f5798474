// gpu_words.cc - see gpu_words.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <sstream>

#include "gpu_words.h"

using namespace gpumm;

// ---- rows ---------------------------------------------------------------------------------------

declared read_row (const named_function &f) {
  declared d;
  std::istringstream words (f.arguments);
  for (std::string word; words >> word;) {
    if (word == "...") {
      d.most = std::numeric_limits<octave_idx_type>::max ();
      break;
    }
    const bool may_lack = word.back () == '?';
    if (may_lack)
      word.pop_back ();
    if (d.most == 0) {
      d.is_float = word == "F";
      d.has_elements = word == "X" || d.is_float;
    }
    d.is_int_dim = d.is_int_dim || word == "INTDIM";
    d.has_dims = d.has_dims || word == "DIMS";
    d.has_second = d.has_second || word == "B";
    if (word == "B")
      d.words = d.most + 1;
    if (word == "DIM" || word == "INTDIM" || word == "DIMS")
      d.dim = d.most;
    d.has_nan = d.has_nan || word == "NAN";
    d.has_class = d.has_class || word == "CLASS";
    d.has_mode = d.has_mode || word == "MODE";
    d.least += !may_lack;
    d.most++;
  }
  for (const char *format = f.formats; *format; format++)
    d.takes[std::string ("fsb").find (*format)] = true;
  return d;
}

// ---- lists of dimensions, "all", "omitnan" ------------------------------------------------------

// A word in small letters, or "".
static std::string word_of (const octave_value &x) {
  std::string word = x.is_string () && x.rows () == 1 ? x.string_value () : "";
  std::transform (word.begin (), word.end (), word.begin (), ::tolower);
  return word;
}

// NAN: two words for each.
static bool omits (const std::string &word) {
  return word == "omitnan" || word == "omitmissing";
}

static bool includes (const std::string &word) {
  return word == "includenan" || word == "includemissing";
}

bool is_word (const octave_value &x) {
  const std::string word = word_of (x);
  return word == "all" || omits (word) || includes (word);
}

// The order of max and min, in which NaN is left out without a word.
static bool orders (const named_call &c) {
  return c.f.op == GPUMM_FOLD_MAX || c.f.op == GPUMM_FOLD_MIN;
}

static bool may_have_words (const octave_value_list &args, const declared &d) {
  for (octave_idx_type i = d.words; i < args.length (); i++)
    if (args (i).is_string () || (i == d.dim && args (i).numel () > 1))
      return true;
  return false;
}

// The dimensions of a list, from 0 on, in their order.
static std::vector<int> dimensions_of (const named_call &c, const octave_value &list) {
  std::vector<int> dims;
  const NDArray x = list.isreal () && list.isnumeric () && list.ndims () == 2
                            && (list.rows () == 1 || list.columns () == 1)
                        ? list.array_value ()
                        : NDArray (dim_vector (1, 1), 0.0);
  for (octave_idx_type i = 0; i < x.numel (); i++)
    dims.push_back (plain_dimension (octave_value (x (i))));
  std::sort (dims.begin (), dims.end ());
  if (dims.front () < 0 || std::adjacent_find (dims.begin (), dims.end ()) != dims.end ())
    error_with_id ("gpumm:bad-value",
                   "%s: a list of dimensions must have different positive integers, as [1, 2]",
                   c.f.name);
  return dims;
}

// Full x with the listed dimensions as the first of them, and the others of these 1. The order of
// their elements is that of the whole array. Each permute is of 4 dimensions, as many as a device
// has.
static octave_value with_joined (octave_value x, const std::vector<int> &dims) {
  dim_vector size = x.dims ();
  octave_idx_type before = 1, count = 1, between = 1; // elements up to the joined, and behind them
  for (int d = 0; d < size.ndims (); d++)
    if (d < dims.front ())
      before *= size (d);
    else if (!std::binary_search (dims.begin (), dims.end (), d))
      between *= size (d);
    else {
      if (between != 1 && size (d) != 1) {
        octave_idx_type behind = 1;
        for (int e = d + 1; e < size.ndims (); e++)
          behind *= size (e);
        Array<int> order (dim_vector (1, 4));
        for (int i = 0; i < 4; i++)
          order (i) = i == 1 || i == 2 ? 3 - i : i;
        x = x.reshape (dim_vector (before * count, between, size (d), behind)).permute (order);
      }
      count *= size (d);
    }
  for (const int d : dims)
    size (d) = d == dims.front () ? count : 1;
  size.chop_trailing_singletons ();
  if (x.issparse () && x.isempty ()) // which Octave 7 crashes at reshaping
    return by_octave ("sparse", ovl (double (size (0)), double (size (1))));
  return x.reshape (size);
}

// The error for what is stored, of which the full array has all words in every Octave.
void named_call::refuse_stored () const {
  std::string line;
  bool is_sparse = false;
  for (octave_idx_type i = 0; i < given->length (); i++) {
    const std::string name = i < 3 ? std::string (1, "XYZ"[i]) : "X" + std::to_string (i + 1);
    line += (i > 0 ? ", " : "") + (is_stored ((*given) (i)) ? "full (" + name + ")" : name);
    is_sparse = is_sparse || (*given) (i).issparse ();
  }
  gpumm::refuse (f.name,
                 std::string ("of a ") + (is_sparse ? "sparse matrix" : "blocksparse")
                     + " with these arguments",
                 std::string (f.name) + " (" + line + ")");
}

// A matrix that is stored keeps its size: its reductions run along both dimensions.
static void join_stored (named_call &c, const std::vector<int> &dims) {
  const gpumm_fold_op op = gpumm_fold_op (c.f.op);
  const bool takes = c.x.issparse () ? is_of_sparse (op) && !(has_places (op) && c.x.iscomplex ())
                                     : is_of_blocks (op);
  if (!takes || c.nargout > 1 || c.nan_differs || (!dims.empty () && dims.front () > 1))
    c.refuse_stored ();
  c.both = dims.size () > 1 && dims[1] == 1;
}

// The words of a call, and what else stands there.
struct words_read {
  octave_value_list others;
  std::vector<int> dims;
  bool is_all = false, has_nan = false;
};

static words_read words_of (named_call &c, const declared &d) {
  words_read w;
  const octave_value_list &args = c.args;
  for (octave_idx_type i = 0; i < args.length (); i++) {
    const octave_value x = i < d.words ? args (i) : on_host (args (i));
    const std::string word = i < d.words ? "" : word_of (x);
    if (d.has_dims && word == "all")
      w.is_all = true;
    else if (d.has_nan && (omits (word) || includes (word))) {
      w.has_nan = true;
      c.nan_differs = orders (c) ? includes (word) : omits (word);
    } else if (d.has_dims && i == d.dim && !x.is_string () && x.numel () > 1)
      w.dims = dimensions_of (c, x);
    else
      w.others.append (x);
  }
  return w;
}

void read_words (named_call &c, const declared &d, const octave_value_list &given) {
  if ((!d.has_dims && !d.has_nan) || !may_have_words (c.args, d))
    return;
  words_read w = words_of (c, d);
  octave_value_list list = w.others;
  const bool has_list = !w.dims.empty (), joins = w.is_all || has_list;
  if (!joins && !w.has_nan)
    return;
  if (joins
      && ((w.is_all && has_list) || (list.length () > d.dim && !list (d.dim).is_string ())
          || (d.has_second && !list (1).isempty ())))
    error_with_id ("gpumm:bad-value",
                   "%s: \"all\" or a list of dimensions cannot stand beside another argument for "
                   "them%s",
                   c.f.name, d.has_second ? ", or beside two arrays" : "");
  const bool has_no_dim = list.length () > d.dim && list (d.dim).isempty ();
  if (has_no_dim) { // which bounds takes, up to Octave 10
    c.ask ();
    list = list.slice (0, d.dim).append (list.slice (d.dim + 1, list.length () - d.dim - 1));
  }
  c.given = &given;
  if (c.x.isempty ())
    c.x = on_host (c.x);
  for (int i = 0; i < c.x.ndims () && w.is_all; i++)
    w.dims.push_back (i);
  std::vector<int> dims = w.dims;
  while (dims.size () > 1 && dims.back () >= c.x.ndims ())
    dims.pop_back ();
  if (is_stored (c.x))
    join_stored (c, dims);
  else if (dims.size () > 1)
    c.x = with_joined (c.x, dims);
  list (0) = c.x;
  // max (X, []) would be of two arrays
  const bool needs_dim = d.has_second && list.length () == 2 && list (1).dims ().zero_by_zero ();
  if (joins || needs_dim) {
    const int dim = joins ? dims.front () : c.x.dims ().first_non_singleton ();
    octave_value_list plain = list.slice (0, std::min (list.length (), d.dim));
    while (plain.length () < d.dim)
      plain.append (octave_value (Matrix ()));
    plain.append (octave_value (double (dim) + 1));
    if (list.length () > d.dim)
      plain.append (list.slice (d.dim, list.length () - d.dim));
    list = plain;
  }
  c.args = list;
}

// ---- DIM, CLASS and MODE ------------------------------------------------------------------------

// Takes the words off the list behind the array: CLASS and MODE, and of rows without DIMS and NAN
// "all" and the one that asks for nothing.
static octave_value_list without_words (named_call &c, const declared &d,
                                        const octave_value_list &list) {
  octave_value_list numbers;
  for (octave_idx_type i = 0; i < list.length (); i++) {
    std::string word = list (i).is_string () ? list (i).string_value () : "";
    std::transform (word.begin (), word.end (), word.begin (), ::tolower);
    if (!list (i).is_string ())
      numbers.append (list (i));
    else if ((d.has_class && (word == "native" || word == "double" || word == "default"))
             || (d.has_mode && (word == "ascend" || word == "descend")))
      c.word = word;
    else if (word == "all" && !is_stored (c.x))
      c.x = c.x.reshape (dim_vector (c.x.numel (), 1));
    else if (word != (orders (c) ? "omitnan" : "includenan"))
      c.refuse ("with \"" + word + "\"");
  }
  return numbers;
}

// Reads DIM and CLASS, or raises Octave's error if Octave takes no such arguments.
void read_dimension (named_call &c, const declared &d) {
  const octave_idx_type count = c.args.length () - d.dim;
  octave_value_list list =
      count > 0 ? on_host (rest_of (c.args, int (d.dim))) : octave_value_list ();
  c.dim = count == 1 ? plain_dimension (list (0)) : -1;
  if (count > 0 && c.dim < 0) {
    for (octave_idx_type i = 1; i < count; i++)
      if (list (i - 1).is_string () && !list (i).is_string ()) // a pair, such as "Weights", W
        c.refuse ("with these arguments");
    c.ask ();
    list = without_words (c, d, list);
    c.dim = list.length () > 0 ? plain_dimension (list (0)) : -1;
    // some functions of Octave take 0 for none; it rounds numbers, and takes the first of several
    const bool is_none =
        list.length () > 0
        && (list (0).isempty () || (is_number (list (0)) && list (0).double_value () == 0));
    if (list.length () > 1 || (list.length () > 0 && c.dim < 0 && !is_none))
      c.refuse ("with these arguments");
  }
  if (c.dim < 0)
    c.dim = c.x.dims ().first_non_singleton ();
}
