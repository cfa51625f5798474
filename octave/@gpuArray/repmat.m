## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## repmat (X, M, N, ...)

function R = repmat (X, varargin)

  if (nargin < 2)
    error ("Octave:invalid-fun-call", "Invalid call to repmat");
  endif
  varargin = on_host (varargin);
  if (! strcmp (class (X), "gpuArray"))
    R = repmat (X, varargin{:});
    return;
  elseif (isempty (X))
    R = by_host ("repmat", X, varargin{:});
    return;
  endif
  ## Octave reads the arguments: how often does it repeat rows and columns of an empty array?
  times = size (repmat (zeros (1, 0), varargin{:}));
  times(2) = columns (repmat (zeros (0, 1), varargin{:}));
  times(end+1:ndims (X)) = 1;
  index = cell (size (times));
  for d = 1:numel (times)
    index{d} = repmat ((1:size (X, d)).', times(d), 1);
  endfor
  index(times == 1) = {":"};
  R = X(index{:});
  if (issparse (R) && islogical (R) && ! islogical (repmat (sparse (true (1, 2)), 1, 1)))
    R = double (R); # as Octave repeats sparse logical matrices
  endif

endfunction
