## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} pagemtimes (@var{X}, @var{Y})
## @deftypefnx {} {@var{Z} =} pagemtimes (@var{X}, @var{transpX}, @var{Y}, @var{transpY})
## Multiply the pages of two arrays on a GPU.  At least one of the arrays is a gpuArray, and the
## products run on its device.
##
## Sizes, classes and transposes are those of @code{pagemtimes} for arrays in host memory.  A page
## of a complex array is complex, even if its imaginary parts are all zero.  The CPU computes
## products of integers, which are copied to host memory and back.
## Small pages are multiplied all at once.  The products are queued: @code{wait} or @code{gather}
## waits for them.
## @seealso{pagefun, gpuArray}
## @end deftypefn

function Z = pagemtimes (varargin)
  Z = __gpuarray__ ("pagemtimes", varargin);
endfunction
