## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## reshape (S, M, N): a blocksparse if no block is cut, that is if blocks are one column wide and
## their height divides M.  Otherwise computed from the full matrix.

function T = reshape (S, varargin)

  sizes = [];
  if (nargin == 2)
    sizes = varargin{1};
  elseif (nargin == 3 && isscalar (varargin{1}) && isscalar (varargin{2}))
    sizes = [varargin{:}];
  endif
  if (! isa (S, "blocksparse") || ! isnumeric (sizes) || numel (sizes) != 2 ...
      || ! (all (sizes > 0) && prod (double (sizes)) == numel (S)))
    T = by_full ("reshape", S, varargin{:});
    return;
  endif
  sizes = double (sizes(:).');
  s = struct (S);
  if (isequal (sizes, size (S)))
    T = S;
  elseif (s.block_cols == 1 && mod (sizes(1), s.block_rows) == 0)
    down = [s.rows, sizes(1)] / s.block_rows;
    at = block_rows (s) - 1 + double (s.column) * down(1);
    T = blocksparse (mod (at, down(2)) + 1, floor (at / down(2)) + 1, ...
                     reshape (s.values, s.block_rows, 1, []), sizes(1), sizes(2));
  else
    T = by_full ("reshape", S, sizes);
  endif

endfunction
