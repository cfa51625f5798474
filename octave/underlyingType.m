## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{name} =} underlyingType (@var{X})
## Return the class of the elements of @var{X}.
##
## The class of a @code{gpuArray} is @qcode{"gpuArray"}, and the class of a @code{blocksparse} is
## @qcode{"blocksparse"}.  The elements of both have a class of Octave, such as @qcode{"double"}.
## For other values @code{underlyingType (@var{X})} is @code{class (@var{X})}.
##
## @example
## @group
## underlyingType (gpuArray (single (1)))
##   @result{} ans = single
## underlyingType (blocksparse (int8 (eye (4)), 2))
##   @result{} ans = int8
## underlyingType ("text")
##   @result{} ans = char
## @end group
## @end example
## @seealso{isUnderlyingType, gpuArray, blocksparse}
## @end deftypefn

function name = underlyingType (X)

  if (nargin < 1)
    print_usage ();
  endif
  name = class (X);
  if (strcmp (name, "gpuArray"))
    name = __gpuarray__ ("type", X);
  endif

endfunction

%!assert (underlyingType (gpuArray (true)), "logical")
%!assert (underlyingType (gpuArray (complex (single (1), 2))), "single")
%!assert (underlyingType ({}), "cell")
%!error <Invalid call to underlyingType> underlyingType ()
