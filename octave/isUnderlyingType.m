## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} isUnderlyingType (@var{X}, @var{name})
## Return true if the elements of @var{X} are of class @var{name}.
##
## @example
## @group
## isUnderlyingType (gpuArray (single (1)), "single")
##   @result{} ans = 1
## @end group
## @end example
## @seealso{underlyingType}
## @end deftypefn

function yes = isUnderlyingType (X, name)

  if (nargin < 2)
    print_usage ();
  elseif (! (ischar (name) && (rows (name) == 1 || isempty (name))))
    error ("gpumm:bad-value", "isUnderlyingType: the name of a class must be a string");
  endif
  yes = strcmp (underlyingType (X), name);

endfunction

%!assert (isUnderlyingType (gpuArray (int8 (1)), "int8"), true)
%!assert (isUnderlyingType (1, "single"), false)
%!error <Invalid call to isUnderlyingType> isUnderlyingType (1)
%!error id=gpumm:bad-value isUnderlyingType (1, 2)
