## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bsxfun (F, A, B): Octave's own calls F for each column of a gpuArray.  Its operators expand their
## operands themselves, so they are called once.  As in Octave, their result is full, also for
## sparse matrices, unless both are in blocks; if one is logical, it is what Octave makes of small
## ones.  Functions of Octave such as center and std call bsxfun.

function R = bsxfun (varargin)

  name = "";
  if (nargin == 3 && is_function_handle (varargin{1}))
    name = func2str (varargin{1});
  elseif (nargin == 3 && ischar (varargin{1}))
    name = varargin{1};
  endif
  operators = {"plus", "minus", "times", "rdivide", "power", "eq", "ne", "lt", "le", "gt", "ge", ...
               "max", "min"};
  if (any (strcmp (name, operators)))
    args = varargin(2:3);
    if (! (is_blocks (args{1}) && is_blocks (args{2})))
      args = cellfun (@full, args, "UniformOutput", false);
    endif
    R = feval (name, args{:});
    if (! isempty (R) && any (cellfun (@islogical, args))
        && any (cellfun (@issparse, varargin(2:3)))
        && issparse (bsxfun (name, sample (varargin{2}), sample (varargin{3}))))
      R = sparse (R);
    endif
  else
    R = builtin ("bsxfun", varargin{:});
  endif

endfunction

## A small matrix of the host with the class and the kind of X.
function x = sample (X)
  x = ones (min (size (X), 2));
  if (islogical (X))
    x = logical (x);
  endif
  if (issparse (X))
    x = sparse (x);
  endif
endfunction
