## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} pagemtimes (@var{X}, @var{Y})
## @deftypefnx {} {@var{Z} =} pagemtimes (@var{X}, @var{transpX}, @var{Y}, @var{transpY})
## The products of the pages of two arrays, of which at least one is a gpuArray, on its device.
##
## Sizes, types and transposes are those of @code{pagemtimes} for arrays of the host, but integers
## must be gathered.  A page of a complex array is complex, also where its imaginary parts are zero.
## Small pages are multiplied at once.  The products are queued; @code{wait} or @code{gather} waits.
## @seealso{pagefun, gpuArray}
## @end deftypefn

function Z = pagemtimes (X, varargin)

  if (nargin == 2)
    Z = __gpuarray__ ("pages", X, "none", varargin{1}, "none");
  elseif (nargin == 4)
    Z = __gpuarray__ ("pages", X, varargin{:});
  else
    print_usage ();
  endif

endfunction
