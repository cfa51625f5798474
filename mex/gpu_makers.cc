// gpu_makers.cc - gpuArray.zeros (...) and the others that make arrays on a device: what
// gpuArray () returns, of which a program takes a field.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <string>

#include "gpu_functions.h"

#include <octave/parse.h>

using namespace gpumm;

// The functions that make arrays, in the order of the table.
static std::vector<std::string> find_makers () {
  using handler = octave_value_list (*) (named_call &);
  static const handler makers[] = {filled,       generated,      random_integers,
                                   random_order, made_by_octave, colon};
  std::vector<std::string> names;
  const auto add = [&] (const char *name, handler run) {
    if (std::find (std::begin (makers), std::end (makers), run) != std::end (makers))
      names.push_back (name);
  };
#define ROW(name, file, arguments, formats, rule, handler, ...) add (#name, handler);
  GPU_FUNCTIONS (ROW)
#undef ROW
  return names;
}

static const std::vector<std::string> &maker_names () {
  static const std::vector<std::string> names = find_makers ();
  return names;
}

class gpu_makers : public octave_base_value {
public:
  bool is_defined () const {
    return true;
  }
  // Of an object, Octave hands over .NAME and (ARGUMENTS) at once.
  bool isobject () const {
    return true;
  }

  // .NAME (ARGUMENTS), or .NAME without any; what follows indexes the array
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &index,
                             int nargout) {
    const std::string name =
        type[0] == '.' ? index.front () (0).xstring_value ("gpuArray: a name must follow") : "";
    const std::vector<std::string> &names = maker_names ();
    if (std::find (names.begin (), names.end (), name) == names.end ())
      error_with_id ("gpumm:bad-value", "gpuArray.%s: there is no such function. There are %s",
                     name.c_str (), list_of (names).c_str ());
    const bool has_arguments = type.size () > 1 && type[1] == '(';
    const octave_value_list args =
        has_arguments ? *std::next (index.begin ()) : octave_value_list ();
    const octave_value_list results = call_function (*find_function (name), args, 1);
    if (results.empty ()) // the state of the random numbers was set
      return results;
    const octave_value x =
        are_of_state (name, args) ? results (0) : on_device (results (0), device_for_new ());
    const std::size_t read = has_arguments ? 2 : 1;
    return read < type.size () ? octave_value (x).next_subsref (nargout, type, index, read)
                               : ovl (x);
  }
  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index) {
    return subsref (type, index, 1) (0);
  }

  void print_raw (std::ostream &os, bool = false) const {
    os << "functions that make arrays on a GPU: " << list_of (maker_names ());
  }
  void print (std::ostream &os, bool = false) {
    print_raw (os);
    newline (os);
  }

private:
  static std::string list_of (const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty () ? "gpuArray." : ", ") + name;
    return list;
  }

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (gpu_makers, "makers of gpuArrays", "gpuArray_makers");

void install_makers (octave::type_info &types) {
  gpu_makers::register_type (types);
}

octave_value makers () {
  return octave_value (new gpu_makers ());
}
