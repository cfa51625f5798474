## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Y} =} pow2 (@var{X})
## @deftypefnx {} {@var{Y} =} pow2 (@var{F}, @var{E})
## Powers of 2, @code{2 .^ @var{X}} or @code{@var{F} .* 2 .^ @var{E}}, of gpuArrays.
## @seealso{gpuArray}
## @end deftypefn

function Y = pow2 (F, E)

  if (nargin < 1)
    print_usage ();
  elseif (nargin == 1)
    Y = 2 .^ F;
  else
    Y = F .* (2 .^ E);
  endif

endfunction
