## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## diag (S, K): the diagonal K as a full column.

function d = diag (varargin)

  S = varargin{1};
  k = 0;
  if (nargin == 2)
    k = varargin{2};
  endif
  if (nargin > 2 || ! isa (S, "blocksparse") || isvector (S) || isempty (S) ...
      || ! (isnumeric (k) && isscalar (k) && k == fix (k)))
    d = by_full ("diag", varargin{:});
    return;
  endif
  k = double (k);
  count = min (rows (S) - max (-k, 0), columns (S) - max (k, 0));
  [i, j, v] = nonzero (S);
  on = j - i == k;
  d = zeros (max (count, 0), 1, class (v));
  d(min (i(on), j(on))) = v(on);

endfunction
