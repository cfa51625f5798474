## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## T = triangle (NAME, S, K): tril or triu.

function T = triangle (name, varargin)

  S = varargin{1};
  k = 0;
  if (numel (varargin) == 2)
    k = varargin{2};
  endif
  if (numel (varargin) > 2 || ! isa (S, "blocksparse")
      || ! (isnumeric (k) && isscalar (k) && k == fix (k)))
    T = by_full (name, varargin{:});
    return;
  endif
  s = struct (S);
  i = (block_rows (s).' - 1) * s.block_rows + (1:s.block_rows).'; # rows of each block
  j = double (s.column(:).') * s.block_cols + (1:s.block_cols).';
  i = reshape (repmat (reshape (i, s.block_rows, 1, []), 1, s.block_cols), s.block_rows, []);
  if (strcmp (name, "tril"))
    s.values(j(:).' - i > double (k)) = 0;
  else
    s.values(j(:).' - i < double (k)) = 0;
  endif
  T = blocksparse (s);

endfunction
