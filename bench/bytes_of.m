## bytes_of (X): the bytes of a matrix's data, also of a blocksparse.
## SPDX-License-Identifier: BSD-3-Clause
function n = bytes_of (X)
  if (isa (X, "blocksparse"))
    X = struct (X);
  endif
  n = sizeof (X);
endfunction
