## X = make_operand (TYPE, M, N): a random M x N matrix of that type, for tests.
##
## Floating-point values are small multiples of 1/8, so that many products are exact; some are zero.
## A range is 1 x N for any M.  make_operand () returns the cell array of all types.
## SPDX-License-Identifier: BSD-3-Clause

function X = make_operand (type, m, n)

  if (nargin == 0)
    X = {"double", "single", "complex", "single complex", "sparse", "sparse complex", ...
         "sparse logical", "logical", "char", "range", "diagonal", "permutation", "int8", ...
         "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"};
    return;
  endif

  switch (type)
    case "double"
      X = reals (m, n);
    case "single"
      X = single (reals (m, n));
    case "complex"
      X = complex (reals (m, n), reals (m, n));
    case "single complex"
      X = single (complex (reals (m, n), reals (m, n)));
    case "sparse"
      X = sparse (reals (m, n) .* (rand (m, n) < 0.3));
    case "sparse complex"
      X = sparse (complex (reals (m, n), reals (m, n)) .* (rand (m, n) < 0.3));
    case "sparse logical"
      X = sparse (rand (m, n) < 0.3);
    case "logical"
      X = rand (m, n) < 0.5;
    case "char"
      X = char (integers (32, 126, m, n));
      if (isempty (X))
        X = char (zeros (m, n));
      endif
    case "range"
      X = 1:n;
    case "diagonal"
      X = diag (reals (1, min (m, n)), m, n);
    case "permutation"
      X = eye (m)(randperm (m), :);
    otherwise # integers over their whole range
      low = double (intmin (type));
      high = double (intmax (type));
      X = cast (low + (high - low) * rand (m, n), type);
  endswitch

endfunction

function X = reals (m, n)
  X = integers (-32, 32, m, n) / 8;
endfunction

## randi's integers, in a seventh of its time
function X = integers (low, high, m, n)
  X = low + floor ((high - low + 1) * rand (m, n));
endfunction
