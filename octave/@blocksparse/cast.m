## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cast (S, CLASS): a blocksparse with elements of that class.

function T = cast (S, name)

  if (isa (S, "blocksparse") && ischar (name) ...
      && any (strcmp (name, {"double", "single", "int8", "int16", "int32", "int64", "uint8", ...
                             "uint16", "uint32", "uint64"})))
    T = feval (name, S);
  else
    T = by_full ("cast", S, name);
  endif

endfunction
