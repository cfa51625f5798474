## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} mmwrite (@var{file}, @var{A})
## @deftypefnx {} {} mmwrite (@var{file}, @var{A}, @var{name}, @var{value}, @dots{})
## Write the matrix @var{A} to @var{file}, in Matrix Market exchange format.
##
## A sparse, diagonal or permutation matrix is written in @qcode{"coordinate"}
## format, any other in @qcode{"array"} format.  @code{mmread} reads the same
## values back, bit for bit; its help says how it chooses the class.
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
## @var{A} is written.  @qcode{"symmetric"}, @qcode{"skew-symmetric"} or
## @qcode{"hermitian"}: this form is written.  It is an error if @var{A} does not
## have this symmetry; zeros may differ in sign.
##
## @item @qcode{"Field"}
## @qcode{"auto"} (default): @qcode{"integer"} for integer classes and full
## logical matrices, @qcode{"pattern"} for sparse logical matrices, @qcode{"real"}
## or @qcode{"complex"} for all others.  One of these names sets the field.  It is
## an error if the field cannot hold @var{A}, but any sparse matrix can be written
## as a pattern, which stores the indices of the nonzeros and no values.
##
## @item @qcode{"Precision"}
## Significant digits of real and complex numbers, from 1 to 17.  By default a
## number has 15 digits (single: 6) if these give the number back exactly, and
## 17 (single: 9) otherwise.
## @end table
##
## An older file is replaced only when the new file is complete; an error leaves
## the older file unchanged.  The new file keeps the mode and the links of the
## older file.  A pipe or a device, such as @file{/dev/stdout}, is written directly.
##
## The identifier of an error is @code{gpumm:mmwrite:@var{what}}, where @var{what}
## is @code{argument}, @code{field}, @code{symmetry}, @code{open} or @code{write}.
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

  if (nargin < 2 || mod (nargin, 2) != 0)
    print_usage ();
  endif
  if (! (ischar (file) && isrow (file)))
    error ("gpumm:mmwrite:argument", "mmwrite: FILE must be a string");
  endif
  if (isgpuarray (A))
    error ("gpumm:gpuArray:gather", "mmwrite: A is a gpuArray. Use gather (A)");
  elseif (! ((isnumeric (A) || islogical (A)) && ndims (A) == 2))
    error ("gpumm:mmwrite:argument", "mmwrite: A must be a numeric or logical matrix");
  endif
  options = check_options (varargin{:});

  if (regexp (typeinfo (A), '(diagonal|permutation) matrix$'))
    A = sparse (A);
  endif
  [field, A] = choose_field (options.field, A);
  symmetry = choose_symmetry (options.symmetry, field, A);

  if (issparse (A))
    [i, j, x] = find (A);
    keep = i >= j | strcmp (symmetry, "general");
    at = [i(keep)(:), j(keep)(:)];
    x = x(keep);
    head = sprintf ("%%%%MatrixMarket matrix coordinate %s %s\n%s%d %d %d\n", field, symmetry,
                    options.comment, rows (A), columns (A), rows (at));
  else
    if (strcmp (symmetry, "general"))
      x = A(:);
    else
      x = A(tril (true (size (A)), -strcmp (symmetry, "skew-symmetric")));
    endif
    at = zeros (numel (x), 0);
    head = sprintf ("%%%%MatrixMarket matrix array %s %s\n%s%d %d\n", field, symmetry,
                    options.comment, rows (A), columns (A));
  endif
  x = x(:);
  __write_file__ (file, @(k) piece (k, head, at, x, field, options.digits), "mmwrite", ...
                  {"gpumm:mmwrite:open", "gpumm:mmwrite:write"});

endfunction

function options = check_options (varargin)

  options = struct ("comment", "", "symmetry", "auto", "field", "auto", "digits", []);
  for k = 1:2:numel (varargin)
    name = varargin{k};
    value = varargin{k+1};
    if (! ischar (name))
      error ("gpumm:mmwrite:argument", "mmwrite: the name of an option must be a string");
    endif
    switch (lower (name))
      case "comment"
        if (! (ischar (value) && rows (value) <= 1) && ! iscellstr (value))
          error ("gpumm:mmwrite:argument",
                 "mmwrite: \"Comment\" must be a string or a cell array of strings");
        endif
        text = strrep (strjoin (cellstr (value)(:).', "\n"), "\r\n", "\n");
        lines = ostrsplit (text, "\r\n");  # no regular expression: it refuses broken UTF-8
        if (! isempty (value))
          options.comment = sprintf ("%% %s\n", lines{:});
        endif
      case "symmetry"
        options.symmetry = check_word ("Symmetry", value, {"auto", "general", "symmetric", ...
                                                           "skew-symmetric", "hermitian"});
      case "field"
        options.field = check_word ("Field", value, {"auto", "real", "complex", "integer", ...
                                                     "pattern"});
      case "precision"
        if (! (isnumeric (value) && isscalar (value) && any (value == 1:17)))
          error ("gpumm:mmwrite:argument",
                 "mmwrite: \"Precision\" must be an integer from 1 to 17");
        endif
        options.digits = double (value);
      otherwise
        error ("gpumm:mmwrite:argument",
               ["mmwrite: unknown option \"%s\"; valid options are Comment, Symmetry, Field, " ...
                "Precision"], name);
    endswitch
  endfor

endfunction

function value = check_word (option, value, words)

  if (! (ischar (value) && any (strcmpi (value, words))))
    error ("gpumm:mmwrite:argument", "mmwrite: \"%s\" must be one of %s", option,
           strjoin (words, ", "));
  endif
  value = lower (value);

endfunction

## Chooses the field, and converts A to values that the field can hold.
function [field, A] = choose_field (field, A)

  switch (field)
    case "auto"
      if (iscomplex (A))
        field = "complex";
      elseif (islogical (A) && issparse (A))
        field = "pattern";
      elseif (islogical (A) || isinteger (A))
        field = "integer";
      else
        field = "real";
      endif

    case "pattern"
      if (! issparse (A))
        error ("gpumm:mmwrite:field", "mmwrite: only a sparse matrix can be written as a pattern");
      endif
      A = A != 0;

    case "real"
      if (iscomplex (A))
        error ("gpumm:mmwrite:field", "mmwrite: A is complex and the field real cannot hold it");
      elseif (islogical (A))
        A = double (A);
      endif

    case "complex"
      if (! isfloat (A))
        if (any (abs (A(:)) > flintmax ()))
          error ("gpumm:mmwrite:field",
                 "mmwrite: the field complex needs integers up to 2^53, but A has other elements");
        endif
        A = double (A);
      endif

    case "integer"
      if (isfloat (A))
        x = nonzeros (A);
        if (iscomplex (A) || ! all (x == fix (x) & abs (x) <= flintmax ()))
          error ("gpumm:mmwrite:field",
                 "mmwrite: the field integer needs integers up to 2^53, but A has other elements");
        endif
      endif
  endswitch

endfunction

function symmetry = choose_symmetry (wanted, field, A)

  symmetry = "general";
  if (strcmp (wanted, "general"))
    return;
  elseif (! strcmp (wanted, "auto"))
    kinds = {wanted};
  elseif (rows (A) > 1)
    kinds = {"symmetric", "skew-symmetric", "hermitian"};
  else
    kinds = {};
  endif
  if (issquare (A))
    for k = 1:numel (kinds)
      if (has_symmetry (A, field, kinds{k}, strcmp (wanted, "auto")))
        symmetry = kinds{k};
        return;
      endif
    endfor
  endif
  if (! strcmp (wanted, "auto"))
    error ("gpumm:mmwrite:symmetry", "mmwrite: in the field %s, A is not %s", field, wanted);
  endif

endfunction

## Would mmread get A back from the lower triangle?  EXACT compares bits, so that -0 differs from 0.
function yes = has_symmetry (A, field, kind, exact)

  d = full (diag (A));
  switch (kind)
    case "symmetric"
      yes = true;
    case "skew-symmetric"
      yes = ! islogical (A) && all (d == 0);
    case "hermitian"
      yes = strcmp (field, "complex") && all (imag (d) == 0);
  endswitch
  if (! yes)
    return;
  endif

  B = A.';
  if (issparse (A))
    [ia, ja, A] = find (A);
    [ib, jb, B] = find (B);
    yes = isequal (ia, ib) && isequal (ja, jb);
  endif
  re = real (B);
  im = imag (B);
  switch (kind)
    case "skew-symmetric"
      re = 0 - re;  # as in mmread: the image of 0 is +0
      im = 0 - im;
    case "hermitian"
      im = 0 - im;
  endswitch
  yes = yes && same (real (A), re, exact) && (isreal (A) || same (imag (A), im, exact));

endfunction

function yes = same (x, y, exact)

  if (! exact)
    yes = isequaln (x, y);
  elseif (isa (x, "double"))
    yes = isequal (typecast (x(:), "uint64"), typecast (y(:), "uint64"));
  elseif (isa (x, "single"))
    yes = isequal (typecast (x(:), "uint32"), typecast (y(:), "uint32"));
  else
    yes = isequal (x, y);
  endif

endfunction

## Piece K of the file's text: first the head, then 200000 entries at a time (some megabytes).
function str = piece (k, head, at, x, field, digits)

  step = 200000;
  if (k == 1)
    str = head;
  else
    range = (k - 2) * step + 1:min ((k - 1) * step, numel (x));
    str = "";
    if (! isempty (range))
      str = entry_lines (at(range,:), x(range), field, digits);
      check_count (sum (str == "\n"), numel (range));
    endif
  endif

endfunction

## The lines of the entries x(k).  at(k,:) is the row and column, or empty in array format.
function str = entry_lines (at, x, field, digits)

  start = repmat ("%d ", 1, columns (at));
  at = at.';
  x = x.';
  if (strcmp (field, "pattern"))
    str = sprintf ("%d %d\n", at);
  elseif (isa (x, "uint64"))
    ## printf converts a uint64 beyond int64 to double, so print the digits in two parts.
    low = mod (x, 1e10);
    str = sprintf ("%d%010d\n", [(x - low) / 1e10; low]);
    str = regexprep (str, '^0+(?=\d)', "", "lineanchors");
  elseif (isinteger (x) || strcmp (field, "integer"))
    str = sprintf ([start "%d\n"], [at; x]);
  else
    values = {real(x), imag(x)}(1:1 + strcmp (field, "complex"));
    args = {at};
    for k = 1:numel (values)
      n = digits;
      if (isempty (n))
        n = digits_for (values{k});
      endif
      args = [args, {n .* ones(size (x)), values{k}}];
    endfor
    str = sprintf ([start, strjoin(repmat ({"%.*g"}, 1, numel (values)), " "), "\n"],
                   vertcat (args{:}));
  endif

endfunction

## Octave's sprintf cuts its text if there is no memory for it.
function check_count (found, wanted)

  if (found != wanted)
    error ("gpumm:host-memory", "mmwrite: no memory for the text of %d entries", wanted);
  endif

endfunction

## How many digits each number of X needs to be read back unchanged: 15 (single: 6) if these are
## enough, as for numbers that people type, else 17 (9).
function digits = digits_for (x)

  few = 15;
  more = 17;
  if (isa (x, "single"))
    few = 6;
    more = 9;
  endif
  read = cast (sscanf (sprintf (sprintf ("%%.%dg ", few), x), "%f"), class (x));
  check_count (numel (read), numel (x));
  digits = few + (more - few) * (read != x(:)).';

endfunction
