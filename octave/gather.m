## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{A} =} gather (@var{G})
## @deftypefnx {} {[@var{A}, @var{B}, @dots{}] =} gather (@var{G}, @var{H}, @dots{})
## Copy @code{gpuArray}s back to Octave's arrays.
##
## @code{gather} waits until the array is computed.  A complex result whose imaginary parts are all
## zero becomes real, as Octave's own results do; an array that was complex when @code{gpuArray}
## took it stays complex.  Values that are not @code{gpuArray}s are returned unchanged, so a
## function can call @code{gather} for arguments of any class.
##
## @example
## @group
## G = gpuArray ([3, 1, 2]);
## gather (2 * G)
##   @result{} ans =
##        6   2   4
## [a, b] = gather (max (G), "text")
##   @result{} a = 3
##      b = text
## @end group
## @end example
## @seealso{gpuArray}
## @end deftypefn

function varargout = gather (varargin)
  varargout = __gpuarray__ ("gather", varargin, nargout);
endfunction

%!assert (gather (5), 5)
%!assert (gather ({1}), {1})
%!test
%! [a, b] = gather (gpuArray (1), 2);
%! assert ({a, b, class(a)}, {1, 2, "double"});
%!assert (iscomplex (gather (gpuArray (complex (1, 0)))))
%!assert (iscomplex (gather (1 * gpuArray (complex (1, 0)))), false)
%!error <Invalid call to gather> gather ()
%!error <Invalid call to gather> [a, b] = gather (1)
