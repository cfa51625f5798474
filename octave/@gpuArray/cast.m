## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{Y} =} cast (@var{X}, @var{class})
## @deftypefnx {} {@var{Y} =} cast (@var{X}, "like", @var{V})
## Convert an array, of which @var{X} or @var{V} is a gpuArray.
##
## With @qcode{"like"} the result has the class of the elements of @var{V}, is sparse if @var{V} is,
## complex if @var{X} or @var{V} is, and a gpuArray if @var{V} is one.
## @seealso{gpuArray, gather, underlyingType}
## @end deftypefn

function Y = cast (X, type, V)

  is_like = nargin == 3 && ischar (type) && strcmp (type, "like");
  if (! is_like && nargin != 2)
    print_usage ();
  elseif (is_like)
    if (! isnumeric (V) && ! islogical (V))
      error ("gpumm:bad-value", "cast: V must be numeric or logical");
    endif
    type = underlyingType (V);
    if (! issparse (V))
      X = full (X);
    endif
  endif
  classes = {"double", "single", "logical", "int8", "int16", "int32", "int64", "uint8", "uint16", ...
             "uint32", "uint64"};
  if (! ischar (type) || ! any (strcmp (type, classes)))
    error ("gpumm:bad-value", "cast: the class must be one of %s", strjoin (classes, ", "));
  endif
  Y = feval (type, X);
  if (! is_like)
    return;
  endif
  if (issparse (V))
    Y = sparse (Y);
  endif
  if (! isgpuarray (V))
    Y = gather (Y);
  endif
  if ((iscomplex (V) || iscomplex (X)) && ! iscomplex (Y))
    Y = complex (gather (Y), 0);
  endif
  if (isgpuarray (V))
    Y = gpuArray (Y);
  endif

endfunction
