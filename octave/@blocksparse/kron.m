## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## kron (S, B), kron (A, S): a blocksparse, if the other matrix is full and both are floating point.

function C = kron (varargin)

  [A, B] = varargin{1:min (nargin, 2)};
  if (nargin != 2 || ! isfloat (A) || ! isfloat (B) || issparse (A) || issparse (B) ...
      || isempty (A) || isempty (B) || ndims (A) > 2 || ndims (B) > 2 ...
      || (isa (A, "blocksparse") && isa (B, "blocksparse")) ...
      || ! (all (isfinite (elements (A))) && all (isfinite (elements (B)))))
    C = by_full ("kron", varargin{:});
  elseif (isa (A, "blocksparse")) # each block becomes a larger block
    s = struct (A);
    [p, q] = size (B);
    count = numel (s.column);
    V = bsxfun (@times, s.values(:), full (B)(:).');
    V = permute (reshape (V, s.block_rows, s.block_cols, count, p, q), [4, 1, 5, 2, 3]);
    s.rows *= p;
    s.block_rows *= p;
    s.cols *= q;
    s.block_cols *= q;
    s.values = reshape (V, s.block_rows, []);
    C = blocksparse (s);
  else # each block is repeated
    s = struct (B);
    [i, j, a] = find (full (A));
    grid = [s.rows / s.block_rows, s.cols / s.block_cols];
    I = block_rows (s) + (i(:).' - 1) * grid(1);
    J = double (s.column) + 1 + (j(:).' - 1) * grid(2);
    V = bsxfun (@times, s.values(:), a(:).');
    b = [s.block_rows, s.block_cols];
    C = blocksparse (I(:), J(:), reshape (V, [b, numel(I)]), s.rows * rows (A), ...
                     s.cols * columns (A));
  endif

endfunction

function x = elements (x)
  if (isa (x, "blocksparse"))
    x = struct (x).values;
  endif
  x = x(:);
endfunction
