## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## x = grade_value (text)
##
## The value of a word that grade_text made.  The word may come from a student: nothing of it is
## evaluated, and anything else becomes {1}.

function x = grade_value (text)

  numbers = {"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", ...
             "uint64"};
  x = {1};
  if (strcmp (text, "empty"))
    x = {};
    return;
  endif
  try
    parts = ostrsplit (text, ":");
    values = cellfun (@bytes, parts(3:end), "UniformOutput", false);
    switch (parts{1})
      case numbers
        values = cellfun (@(v) typecast (v, parts{1}), values, "UniformOutput", false);
      case {"char", "logical"}
        values = cellfun (@(v) feval (parts{1}, v), values, "UniformOutput", false);
      otherwise
        return;
    endswitch
    shape = sscanf (parts{2}, "%dx%d").';
    x = reshape (values{1}, shape);
    if (numel (values) > 1)
      x = complex (x, reshape (values{2}, shape));
    endif
  catch
    x = {1};
  end_try_catch

endfunction

function b = bytes (hex)
  digits = double (hex) - 48;
  digits(digits > 9) -= 39;
  digits = reshape (digits, 2, []); # an odd number is an error, which becomes {1}
  b = uint8 ([16, 1] * digits);
endfunction
