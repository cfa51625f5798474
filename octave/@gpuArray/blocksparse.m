## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## blocksparse (X, B): the full matrix X on the device, cut into blocks of B x B or B(1) x B(2)

function S = blocksparse (X, varargin)

  if (! strcmp (class (X), "gpuArray") || nargin > 2)
    not_there ("blocksparse", "with these arguments");
  elseif (is_blocks (X) && (nargin == 1 || isequal (blocksize (X), block_size (X, varargin{1}))))
    S = X;
  elseif (nargin == 1)
    blocksparse (like (X)); # its error
  elseif (issparse (X))
    not_there ("blocksparse", "of a sparse matrix");
  else
    S = __gpuarray__ ("blocksparse", full (X), block_size (X, varargin{1}));
  endif

endfunction

## [rows, columns] of a block, or blocksparse's error.
function b = block_size (X, b)
  b = on_host ({b}){1};
  if (ndims (X) == 2)
    b = blocksize (blocksparse (rows (X), columns (X), b));
  else
    blocksparse (ones (1, 1, 2), b); # its error
  endif
endfunction
