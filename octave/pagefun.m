## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} pagefun (@@mtimes, @var{X}, @var{Y})
## @deftypefnx {} {@var{Z} =} pagefun (@@transpose, @var{X})
## @deftypefnx {} {@var{Z} =} pagefun (@@ctranspose, @var{X})
## Apply a function to each page of full N-d arrays.
##
## @code{@@mtimes} multiplies the pages, as @code{pagemtimes (@var{X}, @var{Y})} does.
## @code{@@transpose} and @code{@@ctranspose} transpose each page.  The function may also be a
## string, @qcode{"mtimes"}.  Other functions are not supported.
##
## @example
## @group
## X = cat (3, [1, 2; 3, 4], [5, 6; 7, 8]);
## Z = pagefun (@@mtimes, X, [1; 1]);
## Z(:).'
##   @result{} ans =
##        3    7   11   15
## Z = pagefun (@@transpose, X);
## Z(:,:,2)
##   @result{} ans =
##        5   7
##        6   8
## @end group
## @end example
##
## Errors have the identifiers of @code{pagemtimes}.  Octave up to version 11 has no @code{pagefun}.
## While gpumm is loaded, this function hides the @code{pagefun} of a later Octave.
## @seealso{pagemtimes}
## @end deftypefn

function Z = pagefun (fcn, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  name = fcn;
  if (is_function_handle (fcn))
    name = func2str (fcn);
  elseif (! ischar (fcn))
    name = "";
  endif
  op = find (strcmp (name, {"transpose", "ctranspose"}));
  if (strcmp (name, "mtimes"))
    if (nargin != 3)
      print_usage ();
    endif
    Z = pagemtimes (varargin{:});
  elseif (! isempty (op))
    if (nargin != 2)
      print_usage ();
    elseif (! is_full_array (varargin{1}))
      error ("gpumm:undefined-operator", "pagefun: not implemented for a '%s' operand", ...
             typeinfo (varargin{1}));
    endif
    Z = turned_pages (varargin{1}, op);
  else
    error ("gpumm:bad-value", "pagefun: the function must be @mtimes, @transpose or @ctranspose");
  endif

endfunction

%!assert (pagefun (@mtimes, ones (2, 2, 3), [1; 1]), 2 * ones (2, 1, 3))
%!assert (pagefun ("mtimes", 2, ones (1, 2, 2)), 2 * ones (1, 2, 2))
%!assert (pagefun (@transpose, cat (3, [1, 2i], [3, 4])), cat (3, [1; 2i], [3; 4]))
%!assert (pagefun (@ctranspose, cat (3, [1, 2i], [3, 4])), cat (3, [1; -2i], [3; 4]))
%!error <@mtimes, @transpose or @ctranspose> pagefun (@inv, ones (2, 2, 2))
%!error id=gpumm:bad-value pagefun (@(x, y) x * y, 1, 2)
%!error id=gpumm:undefined-operator pagefun (@transpose, sparse (1))
%!error <Invalid call> pagefun (@mtimes)
%!error <Invalid call> pagefun (@mtimes, 1)
