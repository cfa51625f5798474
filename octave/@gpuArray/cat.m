## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cat (DIM, X, Y, ...): what lies before DIM and along DIM as one column for each index after DIM.

function R = cat (varargin)

  dim = on_host (varargin(1)){1};
  arrays = varargin(2:end);
  type = "";
  if (isempty (arrays))
    R = cat (dim);
    return;
  elseif (numel (dim) != 1)
    not_there ("cat", "with a DIM of several elements");
  endif
  sizes = cellfun (@size, arrays, "UniformOutput", false);
  if (any (cellfun (@(x) issparse (x) || isa (x, "blocksparse") || is_blocks (x), arrays)))
    R = of_sparse (dim, sizes, arrays);
    return;
  endif
  if (! (isnumeric (dim) && isscalar (dim) && dim >= 1 && dim == fix (dim))
      || any (cellfun (@isempty, arrays)) || ! fit (dim, sizes))
    ## Octave has the rules of empty arrays and the errors
    bools = cellfun (@false, sizes, "UniformOutput", false);
    if (isempty (cat (dim, bools{:})))
      R = by_host ("cat", varargin{:});
      return;
    endif
    samples = cellfun (@(x) feval (underlyingType (x), ones (1, 2)), arrays, ...
                       "UniformOutput", false);
    type = class ([samples{:}]); # empty arrays count
    full = ! cellfun (@isempty, arrays);
    arrays = arrays(full);
    sizes = sizes(full);
  endif
  total = sizes{1};
  total(end+1:dim) = 1;
  inner = prod (total(1:dim-1));
  outer = prod (total(dim+1:end));
  for i = 1:numel (arrays)
    arrays{i} = reshape (arrays{i}, [], outer);
  endfor
  R = vertcat (arrays{:});
  total(dim) = rows (R) / inner;
  R = reshape (R, total);
  if (! any (strcmp (type, {"", underlyingType(R)})))
    R = feval (type, R);
  endif

endfunction

## Do all sizes agree but for dimension DIM?
function yes = fit (dim, sizes)
  yes = true;
  n = max ([dim, cellfun(@numel, sizes)]);
  for i = 1:numel (sizes)
    s = sizes{i};
    s(end+1:n) = 1;
    s(dim) = 0;
    sizes{i} = s;
    yes = yes && isequal (s, sizes{1});
  endfor
endfunction

function R = of_sparse (dim, sizes, arrays)
  if (isequal (dim, 1))
    R = vertcat (arrays{:});
  elseif (isequal (dim, 2))
    R = horzcat (arrays{:});
  else
    bools = cellfun (@(s) false (min (s, 2)), sizes, "UniformOutput", false);
    if (any (cellfun (@issparse, arrays)))
      bools{1} = sparse (bools{1});
    endif
    cat (dim, bools{:}); # Octave's error
    not_there ("cat", "of sparse matrices along other dimensions than 1 and 2");
  endif
endfunction
