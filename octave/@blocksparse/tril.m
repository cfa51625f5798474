## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## tril (S, K): a blocksparse.

function T = tril (varargin)

  S = varargin{1};
  k = 0;
  if (nargin == 2)
    k = varargin{2};
  endif
  if (nargin > 2 || ! isa (S, "blocksparse") || ! (isnumeric (k) && isscalar (k) && k == fix (k)))
    T = by_full ("tril", varargin{:});
    return;
  endif
  s = struct (S);
  i = (block_rows (s).' - 1) * s.block_rows + (1:s.block_rows).'; # of each block
  j = double (s.column(:).') * s.block_cols + (1:s.block_cols).';
  i = reshape (repmat (reshape (i, s.block_rows, 1, []), 1, s.block_cols), s.block_rows, []);
  s.values(! (j(:).' - i <= double (k))) = 0;
  T = blocksparse (s);

endfunction
