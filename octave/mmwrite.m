## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} mmwrite (@var{file}, @var{A})
## @deftypefnx {} {} mmwrite (@var{file}, @var{A}, @var{name}, @var{value}, @dots{})
## Write the matrix @var{A} to @var{file}, in Matrix Market exchange format.
##
## A sparse, diagonal or permutation matrix is written in @qcode{"coordinate"}
## format, any other in @qcode{"array"} format.  The field is @qcode{"integer"} for
## integer classes and full logical matrices, @qcode{"pattern"} for sparse logical
## matrices, @qcode{"real"} or @qcode{"complex"} for all others.  @code{mmread} reads
## the same values back, bit for bit; its help says how it chooses the class.
##
## The options are:
##
## @table @asis
## @item @qcode{"Comment"}
## A string or cell array of strings, written as comments below the first line.
##
## @item @qcode{"Symmetry"}
## @qcode{"auto"} (default): if @var{A} is exactly symmetric, skew-symmetric or
## Hermitian, only its lower triangle is written.  @qcode{"general"}: all of
## @var{A} is written.
##
## @item @qcode{"Precision"}
## Significant digits of real and complex numbers, from 1 to 17.  By default a
## number has 15 digits (single: 6) if these give the number back exactly, and
## 17 (single: 9) otherwise.
## @end table
##
## An older file is replaced only when the new file is complete; an error leaves
## the older file unchanged.  The new file has the mode of the older file.  A pipe or
## a device, such as @file{/dev/stdout}, is written directly.
##
## The identifier of an error with the file or the matrix is @code{gpumm:mmwrite:@var{what}}, where
## @var{what} is @code{argument}, @code{open} or @code{write}.
##
## @example
## @group
## file = tempname ();
## mmwrite (file, [1 0.5; 0.1+0.2 Inf], "Comment", "half a thing");
## printf ("%s", fileread (file))
##   @print{} %%MatrixMarket matrix array real general
##   @print{} % half a thing
##   @print{} 2 2
##   @print{} 1
##   @print{} 0.30000000000000004
##   @print{} 0.5
##   @print{} Inf
## @end group
## @group
## delete (file);
## @end group
## @end example
## @seealso{mmread, gpumm, save}
## @end deftypefn

function mmwrite (file, A, varargin)

  if (nargin < 2)
    print_usage ();
  elseif (! (ischar (file) && isrow (file)))
    error ("gpumm:mmwrite:argument", "mmwrite: FILE must be a string");
  elseif (isgpuarray (A))
    error ("gpumm:gpuArray:gather", "mmwrite: A is a gpuArray. Use gather (A)");
  elseif (! ((isnumeric (A) || islogical (A)) && ndims (A) == 2))
    error ("gpumm:mmwrite:argument", "mmwrite: A must be a numeric or logical matrix");
  elseif (any (strcmpi (varargin(1:2:end), "Field")))
    error ("gpumm:mmwrite:field",
           ["mmwrite: \"Field\" was removed; write mmwrite (FILE, X) where X is int64 (A) " ...
            "for integers, complex (A), or sparse (A != 0) for a pattern"]);
  endif
  o = __options_of__ ("mmwrite", varargin, { ...
    "Comment", {}, @(x) (ischar (x) && rows (x) <= 1) || iscellstr (x), ...
    "a string or a cell array of strings"; ...
    "Symmetry", "auto", @(x) ischar (x) && any (strcmpi (x, {"auto", "general"})), ...
    "\"auto\" or \"general\"; \"auto\" finds every other symmetry of A"; ...
    "Precision", [], @(x) isnumeric (x) && isscalar (x) && any (x == 1:17), ...
    "an integer from 1 to 17"});
  comment = "";
  if (! isempty (o.comment))
    text = strrep (strjoin (cellstr (o.comment)(:).', "\n"), "\r\n", "\n");
    lines = ostrsplit (text, "\r\n");      # no regular expression: it refuses broken UTF-8
    comment = sprintf ("%% %s\n", lines{:});
  endif

  if (regexp (typeinfo (A), '(diagonal|permutation) matrix$'))
    A = sparse (A);
  endif
  field = "real";
  if (iscomplex (A))
    field = "complex";
  elseif (islogical (A) && issparse (A))
    field = "pattern";
  elseif (islogical (A) || isinteger (A))
    field = "integer";
  endif
  symmetry = "general";
  if (strcmpi (o.symmetry, "auto"))
    symmetry = symmetry_of (A);
  endif

  if (issparse (A))
    [i, j, x] = find (A);
    keep = i >= j | strcmp (symmetry, "general");
    at = [i(keep)(:), j(keep)(:)];
    x = columns_of (x, field)(keep,:);
    format = "coordinate";
    sizes = [size(A), rows(at)];
  else
    x = columns_of (A, field);
    if (! strcmp (symmetry, "general"))
      x = x(tril (true (size (A)), -strcmp (symmetry, "skew-symmetric")),:);
    endif
    at = zeros (rows (x), 0);
    format = "array";
    sizes = size (A);
  endif
  head = [sprintf("%%%%MatrixMarket matrix %s %s %s\n%s", format, field, symmetry, comment), ...
          sprintf("%d ", sizes)(1:end-1), "\n"];
  __write_file__ (file, @(k) piece (k, head, at, x, field, double (o.precision)), "mmwrite", ...
                  {"gpumm:mmwrite:open", "gpumm:mmwrite:write"});

endfunction

## The elements as a column, or as two, for real and imaginary parts: Octave makes a complex array
## real if its imaginary parts are all zero, and would lose those that are -0.
function x = columns_of (A, field)

  if (strcmp (field, "complex"))
    x = [real(A)(:), imag(A)(:)];
  else
    x = A(:);
  endif

endfunction

## The symmetry with which mmread gets A back from its lower triangle, -0 and NA included.
function symmetry = symmetry_of (A)

  symmetry = "general";
  if (! issquare (A) || rows (A) < 2)
    return;
  endif
  d = full (diag (A));
  x = {real(A), imag(A)};
  y = {x{1}.', x{2}.'};
  if (issparse (A))
    [i, j, v] = find (A);
    [k, l, w] = find (A.');
    if (! isequal (i, k) || ! isequal (j, l))
      return;
    endif
    x = {real(v), imag(v)};
    y = {real(w), imag(w)};
  endif
  same = @(x, y) isequaln (x, y) && isequaln (1 ./ x, 1 ./ y) && isequal (isna (x), isna (y));
  ## mmread computes 0 - x for the image of x
  if (same (x{1}, y{1}) && same (x{2}, y{2}))
    symmetry = "symmetric";
  elseif (same (x{2}, 0 - y{2}))
    if (same (x{1}, 0 - y{1}) && all (d == 0) && ! islogical (A))
      symmetry = "skew-symmetric";
    elseif (same (x{1}, y{1}) && all (imag (d) == 0))
      symmetry = "hermitian";
    endif
  endif

endfunction

## Piece K of the file's text: first the head, then 50000 entries at a time (a megabyte or two).
function str = piece (k, head, at, x, field, digits)

  step = 50000;
  range = max ((k - 2) * step + 1, 1):min ((k - 1) * step, rows (x));
  str = "";
  if (k == 1)
    str = head;
  elseif (! isempty (range))
    str = entry_lines (at(range,:).', x(range,:).', field, digits);
    check_count (sum (str == "\n"), numel (range));
  endif

endfunction

## The lines of the entries, columns of X.  AT has their rows and columns, and none in array format.
function str = entry_lines (at, x, field, digits)

  start = repmat ("%d ", 1, rows (at));
  if (strcmp (field, "pattern"))
    str = sprintf ("%d %d\n", at);
  elseif (isa (x, "uint64"))
    ## printf converts a uint64 beyond int64 to double, so print the digits in two parts.
    low = mod (x, 1e10);
    str = sprintf ("%d%010d\n", [(x - low) / 1e10; low]);
    str = regexprep (str, '^0+(?=\d)', "", "lineanchors");
  elseif (strcmp (field, "integer"))
    str = sprintf ([start "%d\n"], [at; x]);
  elseif (strcmp (field, "complex"))
    str = sprintf ([start "%.*g %.*g\n"], [at; digits_for(x(1,:), digits); x(1,:);
                                           digits_for(x(2,:), digits); x(2,:)]);
  else
    str = sprintf ([start "%.*g\n"], [at; digits_for(x, digits); x]);
  endif

endfunction

## Octave's sprintf cuts its text if there is no memory for it.
function check_count (found, wanted)

  if (found != wanted)
    error ("gpumm:host-memory", "mmwrite: no memory for the text of %d entries", wanted);
  endif

endfunction

## How many digits each number of X gets: as many as the user wants, or 15 (single: 6) if these are
## enough to read it back unchanged, as for numbers that people type, else 17 (9).
function digits = digits_for (x, wanted)

  digits = repmat (wanted, size (x));
  if (isempty (wanted))
    [few, more] = {15, 17; 6, 9}{1 + isa(x, "single"),:};
    read = cast (sscanf (sprintf (sprintf ("%%.%dg ", few), x), "%f"), class (x));
    check_count (numel (read), numel (x));
    digits = few + (more - few) * (read.' != x);
  endif

endfunction
