## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## matrixwise (A, B, NAME): A \ B, A / B or A ^ B, where one of them is a blocksparse.

function C = matrixwise (A, B, name)

  switch (name)
    case "mldivide"
      if (numel (A) == 1)
        C = elementwise (whole ({A}){1}, B, "ldivide");
      else
        C = by_full (name, square_as_sparse (A), B);
      endif
    case "mrdivide"
      if (numel (B) == 1)
        C = elementwise (A, whole ({B}){1}, "rdivide");
      else
        C = by_full (name, A, square_as_sparse (B));
      endif
    case "mpower"
      if (isa (A, "blocksparse") && isfloat (A) && issquare (A) && diff (blocksize (A)) == 0 ...
          && isfloat (B) && isreal (B) && isscalar (B) && ! isa (B, "blocksparse") ...
          && B >= 1 && B == fix (B) && B <= flintmax ())
        C = powers (A, B);
      else
        C = by_full (name, A, B);
      endif
  endswitch

endfunction

## The factors of a sparse matrix need less; Octave has no sparse single.
function A = square_as_sparse (A)
  if (isa (A, "blocksparse") && strcmp (underlyingType (A), "double") && issquare (A))
    A = sparse (A);
  endif
endfunction

## By squares: as many products as p has bits, and those that are 1.
function C = powers (A, p)
  C = [];
  while (true)
    if (mod (p, 2) == 1)
      if (isempty (C))
        C = A;
      else
        C = C * A;
      endif
    endif
    p = floor (p / 2);
    if (p == 0)
      break;
    endif
    A = A * A;
  endwhile
endfunction
