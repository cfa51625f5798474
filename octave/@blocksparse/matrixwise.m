## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## matrixwise (A, B, NAME): A \ B, A / B or A ^ B.  A or B or both are blocksparse.

function C = matrixwise (A, B, name)

  switch (name)
    case "mldivide"
      if (numel (A) == 1 && ! isa (A, "blocksparse"))
        C = elementwise (A, B, "ldivide");
      else
        C = by_full (name, square_as_sparse (A, B), B);
      endif
    case "mrdivide"
      if (numel (B) == 1 && ! isa (B, "blocksparse"))
        C = elementwise (A, B, "rdivide");
      else
        C = by_full (name, A, square_as_sparse (B, A));
      endif
    case "mpower"
      if (isa (A, "blocksparse") && isfloat (A) && issquare (A) && diff (blocksize (A)) == 0 ...
          && strcmp (class (B), "double") && isreal (B) && isscalar (B) && ! issparse (B) ...
          && B >= 1 && B == fix (B) && B <= flintmax ())
        C = powers (A, B);
      else
        C = by_full (name, A, B);
      endif
  endswitch

endfunction

## Sparse factors need less memory than full ones.  Octave solves sparse systems only in double.
function A = square_as_sparse (A, B)
  if (isa (A, "blocksparse") && isa (A, "double") && numel (A) != 1 && issquare (A) ...
      && (isa (B, "double") || islogical (B)))
    A = sparse (A);
  endif
endfunction

## Repeated squaring: one product per bit of p, and one more per bit that is 1.
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
