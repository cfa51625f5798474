## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} pagemtimes (@var{X}, @var{Y})
## @deftypefnx {} {@var{Z} =} pagemtimes (@var{X}, @var{transpX}, @var{Y}, @var{transpY})
## Multiply the pages of the N-d arrays @var{X} and @var{Y}:
## @code{@var{Z}(:,:,i) = @var{X}(:,:,i) * @var{Y}(:,:,i)}.
##
## @example
## @group
## X = cat (3, [1, 2; 3, 4], [0, 1; 1, 0]);
## Y = cat (3, [5; 6], [7; 8]);
## Z = pagemtimes (X, Y);
## Z(:,:,1)
##   @result{} ans =
##        17
##        39
## Z(:,:,2)
##   @result{} ans =
##        8
##        7
## @end group
## @end example
##
## The first two dimensions are those of the matrices.  All other dimensions count pages.  If an
## array has size 1 along such a dimension, its pages are used again for each page of the other
## array.  So a matrix multiplies every page:
##
## @example
## @group
## X = [1, 1; 0, 1];
## size (pagemtimes (X, rand (2, 5, 3, 4)))
##   @result{} ans =
##        2   5   3   4
## size (pagemtimes (rand (2, 5, 3), rand (5, 1, 1, 4)))
##   @result{} ans =
##        2   1   3   4
## @end group
## @end example
##
## @var{transpX} and @var{transpY} are @qcode{"none"}, @qcode{"transpose"} or @qcode{"ctranspose"},
## in upper or lower case.  The pages are transposed without a copy.
##
## @example
## @group
## X = cat (3, [1, 2; 3, 4], [1, 1; 1, 1]);
## Z = pagemtimes (X, "transpose", X, "none");
## Z(:,:,1)
##   @result{} ans =
##        10   14
##        14   20
## @end group
## @end example
##
## @var{X} and @var{Y} are full arrays: double, single, complex, logical, character, or both of one
## integer class.  Each page has the class and the values of @code{*}, within the bound that the
## help of @code{gpumm} states.  Integer products are exact and are saturated once, at the end.  If
## the pages of one array are scalars, they scale the pages of the other.  Then integers may also
## meet the other classes, as with @code{*}.
##
## A page of a complex array is complex, even if all its imaginary parts are zero: Inf times such an
## element is not finite, but its imaginary part may be NaN.  @var{Z} becomes real if all its
## imaginary parts are zero.
##
## The CPU's threads share small pages.  Large pages, and one matrix by pages that are not
## transposed, are multiplied as @code{gpumm} multiplies, on the GPU or on the CPU.  Ctrl-C stops
## the products within 0.3 seconds.
##
## Errors have the identifiers @code{Octave:nonconformant-args}, @code{gpumm:undefined-operator},
## @code{gpumm:bad-value} and @code{gpumm:host-memory}.
##
## Octave up to version 11 has no @code{pagemtimes}.  This function has the name and the arguments
## of @sc{Matlab}'s.  While gpumm is loaded, it hides the @code{pagemtimes} of a later Octave.
## @seealso{pagefun, gpumm, mtimes}
## @end deftypefn

function Z = pagemtimes (X, varargin)

  ## A statement here slows small products.
  try
    Z = __gpumm_pages__ (X, varargin{:});
  catch err
    if (nargin != 2 && nargin != 4)
      print_usage ();
    elseif (! strcmp (err.identifier, "gpumm:special"))
      rethrow (err);
    elseif (nargin == 2)
      Z = not_as_they_stand (X, "none", varargin{1}, "none");
    else
      Z = not_as_they_stand (X, varargin{:});
    endif
  end_try_catch

endfunction

## Arrays that the engine does not multiply as they are: converted, or multiplied by `.*`, or an
## error.
function Z = not_as_they_stand (X, name_x, Y, name_y)
  op_x = find_op (name_x, "transpX");
  op_y = find_op (name_y, "transpY");
  if (! (is_full_array (X) && is_full_array (Y)))
    not_implemented (X, Y);
  endif
  size_x = op_size (X, op_x);
  size_y = op_size (Y, op_y);
  if (all (size_x(1:2) == 1) || all (size_y(1:2) == 1))
    Z = scaled (turned_pages (X, op_x), turned_pages (Y, op_y));
  else
    product_size (size_x, size_y);
    [X, Y] = of_one_class (X, Y);
    Z = __gpumm_pages__ (X, name_x, Y, name_y);
  endif
endfunction

function op = find_op (text, name)
  op = find (strcmpi (text, {"none", "transpose", "ctranspose"})) - 1;
  if (! ischar (text) || isempty (op))
    error ("gpumm:bad-value", ...
           "pagemtimes: %s must be \"none\", \"transpose\" or \"ctranspose\"", name);
  endif
endfunction

function not_implemented (X, Y)
  text = conversions (X, Y, {"X", "Y"});
  if (issparse (X) || issparse (Y))
    text = [". Write full (" {"X", "Y"}{1 + ! issparse(X)} ")"];
  endif
  error ("gpumm:undefined-operator", "pagemtimes: not implemented for '%s' by '%s' operands%s", ...
         typeinfo (X), typeinfo (Y), text);
endfunction

## ---- sizes -------------------------------------------------------------------------------------

function sizes = op_size (X, op)
  sizes = size (X);
  if (op)
    sizes([1, 2]) = sizes([2, 1]);
  endif
endfunction

function sizes = product_size (size_x, size_y)
  x = size_x;
  y = size_y;
  x(end+1:numel (y)) = 1;
  y(end+1:numel (x)) = 1;
  pages = x;
  pages(x == 1) = y(x == 1);
  fits = x == pages & (y == pages | y == 1) | x == 1;
  if (size_x(2) != size_y(1) || ! all (fits(3:end)))
    error ("Octave:nonconformant-args", ...
           "pagemtimes: nonconformant arguments (op1 is %s, op2 is %s)", ...
           size_text (size_x), size_text (size_y));
  endif
  sizes = [x(1), y(2), pages(3:end)];
endfunction

function text = size_text (sizes)
  text = sprintf ("%dx", sizes)(1:end-1);
endfunction

## ---- classes -----------------------------------------------------------------------------------

## Both in the class in which their pages are multiplied.
function [X, Y] = of_one_class (X, Y)
  if (isinteger (X) || isinteger (Y))
    if (! strcmp (class (X), class (Y)))
      not_implemented (X, Y);
    endif
  elseif (isa (X, "single") || isa (Y, "single"))
    X = full (single (X));
    Y = full (single (Y));
  else
    X = full (double (X)); # a range or a diagonal matrix, too
    Y = full (double (Y));
  endif
endfunction

## ---- pages that are scalars --------------------------------------------------------------------

## The pages of X or of Y are scalars: `*` multiplies element by element.
function Z = scaled (X, Y)
  try
    Z = full (X) .* full (Y);
  catch err
    if (strncmp (err.message, "binary operator", 15))
      not_implemented (X, Y);
    endif
    product_size ([1, 1, size(X)(3:end)], [1, 1, size(Y)(3:end)]); # its words for page sizes
    rethrow (err);
  end_try_catch
  if (has_real_page (X) || has_real_page (Y))
    pages = ones ([1, 1, size(Z)(3:end)]);
    X = X .* pages;
    Y = Y .* pages;
    Z = zeros (size (Z), class (Z));
    for i = 1:numel (pages)
      Z(:,:,i) = X(:,:,i) * Y(:,:,i);
    endfor
  endif
endfunction

## A page without imaginary parts is real: Inf times it is Inf and not NaN.
function yes = has_real_page (X)
  yes = iscomplex (X) && any (all (reshape (imag (X) == 0, rows (X) * columns (X), []), 1));
endfunction

%!test
%! X = cat (3, [1, 2; 3, 4], [0, 1; 1, 0]);
%! assert (pagemtimes (X, [1; 2]), cat (3, [5; 11], [2; 1]));
%! assert (pagemtimes (X, "transpose", [1; 2], "none"), cat (3, [7; 10], [2; 1]));
%! assert (pagemtimes (int8 (100 * X), int8 (X)), int8 (cat (3, 100 * X(:,:,1)^2, 100 * eye (2))));
%!error <Invalid call> pagemtimes (1)
%!error <Invalid call> pagemtimes (1, "none", 2)
%!error <op1 is 2x3x4, op2 is 2x3> pagemtimes (ones (2, 3, 4), ones (2, 3))
%!error id=Octave:nonconformant-args pagemtimes (ones (2, 2, 4), ones (2, 2, 3))
%!error id=gpumm:undefined-operator pagemtimes ({1}, 2)
%!error id=gpumm:bad-value pagemtimes (1, "no", 2, "none")
