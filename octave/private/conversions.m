## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## TEXT = conversions (X, Y, NAMES): what to write where X by Y is refused because of their classes,
## a sentence with the NAMES of X and Y, or "".

function text = conversions (X, Y, names)

  words = {};
  if (isinteger (X) || isinteger (Y))
    words = [conversion(X, Y, names{1}), conversion(Y, X, names{2})];
  endif
  text = "";
  if (! isempty (words))
    text = [". Convert an operand: write " strjoin(words, " or ")];
  endif

endfunction

## X in the class of Y, if there is such a conversion.  A sparse matrix has none to integers, and a
## complex one would lose its imaginary part.
function words = conversion (X, Y, name)

  words = {};
  to = underlyingType (Y);
  if (! isinteger (Y) && ! strcmp (to, "single"))
    to = "double";
  endif
  if (strcmp (to, underlyingType (X)) || (isinteger (Y) && iscomplex (X)))
    return;
  elseif (isinteger (Y) && issparse (X) && ! isa (X, "blocksparse"))
    name = ["full (" name ")"];
  endif
  words = {[to " (" name ")"]};

endfunction
