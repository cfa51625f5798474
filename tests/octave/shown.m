## text = shown (X): class, size and first elements of an array, for messages.
## SPDX-License-Identifier: BSD-3-Clause

function text = shown (X)

  if (isnumeric (X) || islogical (X))
    kind = {"", "complex "}{1 + iscomplex(X)};
    text = sprintf ("%s%s %s %s", kind, class (X), strrep (mat2str (size (X)), " ", "x"), ...
                    mat2str (X(:).'(1:min (9, end)), 5));
  else
    text = strtrim (disp (X));
  endif

endfunction
