## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{was} =} gpumm_mtimes (@var{on})
## @deftypefnx {} {[@var{on}, @var{count}] =} gpumm_mtimes ()
## Let gpumm compute Octave's own @code{A*B}.
##
## After @code{gpumm_mtimes (true)}, gpumm computes large products that are written with the
## operator @code{*}, on the GPU if it is faster, otherwise on the CPU.  This includes the products
## in functions that you call, such as @code{expm} or your own.  Programs need no change:
##
## @example
## @group
## [~, before] = gpumm_mtimes ();
## gpumm_mtimes (true);
## A = ones (600);
## C = A * A;
## [on, after] = gpumm_mtimes ()
##   @result{} on = 1
##     after =
##       scalar structure containing the fields:
##         gpu = @dots{}
##         cpu = @dots{}
## after.gpu + after.cpu - before.gpu - before.cpu
##   @result{} ans = 1
## gpumm_mtimes (false);
## @end group
## @end example
##
## gpumm computes products of full matrices of double and single, real and complex, from 400^3
## multiplications on, of two sparse matrices from 1e5 on, and of a sparse and a full matrix from
## 1e6 on.  @code{A'*B}, @code{A*B'}, @code{A.'*B} and @code{A*B.'} are computed without forming the
## transpose.  Octave computes all other products, and products for which gpumm raises an error.
## The values agree with Octave's to the bound that @code{help gpumm} gives.
##
## Without an argument, @var{on} says whether @code{gpumm_mtimes} is on, and the fields @code{gpu}
## and @code{cpu} of @var{count} are the numbers of products that gpumm computed on the GPU and on
## the CPU in this session.  @var{was} is the setting before the call.  The setting is @code{false}
## when Octave starts, unless the environment variable @env{GPUMM_MTIMES} is 1 when the package is
## loaded.
##
## For @code{A\b}, @code{chol}, @code{inv} and @code{qr} see @code{gpumm_blas}.
##
## If @var{on} is not one logical value or number, the error is @code{gpumm:bad-value}.
## @seealso{gpumm, gpumm_blas, gpuArray}
## @end deftypefn

function [on, count] = gpumm_mtimes (on)

  if (nargin == 1)
    if (! ((islogical (on) || isnumeric (on)) && isscalar (on) && isreal (on) && ! isnan (on)))
      error ("gpumm:bad-value", "gpumm_mtimes: ON must be true or false");
    endif
    was = __gpumm_mtimes__ (on != 0);
    if (nargout > 0)
      on = was;
    else
      clear on;
    endif
  else
    [on, count.gpu, count.cpu] = __gpumm_mtimes__ ();
  endif

endfunction

%!error <called with too many inputs> gpumm_mtimes (1, 2)
%!error id=gpumm:bad-value gpumm_mtimes ("off")
%!error id=gpumm:bad-value gpumm_mtimes ([true, false])
%!error id=gpumm:bad-value gpumm_mtimes (NaN)
%!error id=gpumm:bad-value gpumm_mtimes ({})
