## X = numbers (TYPE, DIMS): small whole numbers of a type of full arrays, so that sums are exact.
## numbers () is the cell array of the types whose sums a device computes, and numbers ("shapes") of
## sizes with edges.
## SPDX-License-Identifier: BSD-3-Clause

function X = numbers (type, dims)

  if (nargin == 0)
    X = {"double", "single", "complex", "single complex", "logical", "int8", "uint8", "int16", ...
         "uint16", "int32", "uint32"};
    return;
  elseif (nargin == 1)
    X = {[1, 1], [1, 4], [4, 1], [3, 3], [3, 4], [2, 3, 2], [1, 1, 3], [0, 0], [0, 3], [3, 0], ...
         [1, 0], [2, 0, 2]};
    return;
  endif
  X = reshape (mod ((1:prod (dims)) * 7, 11) - 4, dims);
  if (prod (dims) == 0) # Octave forgets that an empty array is complex
    type = strrep (strrep (type, "single complex", "single"), "complex", "double");
  endif
  switch (type)
    case "complex"
      X = complex (X, 2 - X);
    case "single complex"
      X = complex (single (X), single (mod (X, 3) + 1));
    case "logical"
      X = mod (X, 3) > 0;
    otherwise
      X = feval (type, X);
  endswitch

endfunction
