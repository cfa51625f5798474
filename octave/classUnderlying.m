## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{name} =} classUnderlying (@var{X})
## Return the class of the elements of @var{X}.
##
## This is the earlier name of @code{underlyingType}, for programs that use it.
##
## @example
## @group
## classUnderlying (gpuArray (single (1)))
##   @result{} ans = single
## @end group
## @end example
## @seealso{underlyingType, isUnderlyingType}
## @end deftypefn

function name = classUnderlying (X)

  if (nargin < 1)
    print_usage ();
  endif
  name = underlyingType (X);

endfunction

%!assert (classUnderlying (gpuArray (int8 (1))), "int8")
%!assert (classUnderlying (blocksparse (single (eye (2)), 1)), "single")
%!assert (classUnderlying ("a"), "char")
%!error <Invalid call to classUnderlying> classUnderlying ()
