## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{A} =} mmread (@var{file})
## @deftypefnx {} {@var{A} =} mmread (@var{file}, "Class", @var{class})
## @deftypefnx {} {[@var{A}, @var{info}] =} mmread (@dots{})
## Read the matrix in @var{file}, a text file in Matrix Market exchange format.
##
## A file in @qcode{"coordinate"} format gives a sparse matrix, a file in
## @qcode{"array"} format a full matrix.  A symmetric, skew-symmetric or Hermitian
## matrix is returned whole, although the file stores only one triangle.  The class
## is double; a pattern is logical.
##
## The option @qcode{"Class"} sets another class: @qcode{"double"} or
## @qcode{"logical"}, and for the array format also @qcode{"single"} or an
## integer class.  The file does not hold the class of a matrix.  To read a
## matrix @var{A} that @code{mmwrite} has written back bit for bit, use
## @code{mmread (@var{file}, "Class", class (@var{A}))}; for a double or a sparse
## matrix @code{mmread (@var{file})} is enough.  An integer that the class cannot
## hold exactly, such as @math{2^{53} + 1} in a double, is an error.
##
## Entries of a coordinate file with the same indices are added, as in
## @code{sparse}; in a pattern they count once.  Stored zeros are removed.
##
## @code{mmread} accepts more than the format allows: comments and empty lines
## anywhere after the first line, keywords in upper or lower case, lines that end
## in CR, LF or both, exponents with @samp{D} as in Fortran, and the numbers
## @samp{Inf}, @samp{NaN} and @samp{NA}.  Each entry must be on a line of its own.
##
## @var{info} is a struct with the fields @code{format}, @code{field} and
## @code{symmetry} (as in the file, in lower case), @code{rows}, @code{cols},
## @code{entries} (the number of entries in the file) and @code{comments} (a cell
## array of the comment lines without their @samp{%}).
##
## If a file breaks the format, the error names the file and the line.  Its
## identifier is @code{gpumm:mmread:@var{what}}, for example
## @code{gpumm:mmread:number}; the chapter on errors of the guide lists all.
##
## @example
## @group
## file = tempname ();
## mmwrite (file, sparse ([2 1; 1 0]));
## printf ("%s", fileread (file))
##   @print{} %%MatrixMarket matrix coordinate real symmetric
##   @print{} 2 2 2
##   @print{} 1 1 2
##   @print{} 2 1 1
## @end group
## @group
## A = full (mmread (file))
##   @result{}
##      A =
##         2   1
##         1   0
## @end group
## @group
## delete (file);
## @end group
## @end example
##
## Reference: R. F. Boisvert, R. Pozo, K. A. Remington, @cite{The Matrix Market
## Exchange Formats: Initial Design}, NISTIR 5935, 1996.
## @seealso{mmwrite, gpumm, sparse, load}
## @end deftypefn

function [A, info] = mmread (file, option = "Class", name = "auto")

  if (nargin != 1 && nargin != 3)
    print_usage ();
  endif
  names = {"auto", "double", "single", "logical", "int8", "int16", "int32", "int64", ...
           "uint8", "uint16", "uint32", "uint64"};
  if (! (ischar (file) && isrow (file)))
    error ("gpumm:mmread:argument", "mmread: FILE must be a string");
  elseif (! (ischar (option) && strcmpi (option, "Class")))
    error ("gpumm:mmread:argument", "mmread: the only option is \"Class\"");
  elseif (! (ischar (name) && any (strcmp (name, names))))
    error ("gpumm:mmread:argument", "mmread: \"Class\" must be one of %s", strjoin (names, ", "));
  endif

  in = __open_text__ (file, "mmread", "gpumm:mmread:open");
  in.file = file;
  unwind_protect
    [info, in] = read_header (in);
    is_sparse = strcmp (info.format, "coordinate");
    if (is_sparse && ! any (strcmp (name, {"auto", "double", "logical"})))
      error ("gpumm:mmread:argument",
             "mmread: %s is sparse, and a sparse matrix cannot be of class %s", file, name);
    elseif (strcmp (info.field, "complex")
            && ! any (strcmp (name, {"auto", "double", "single"})))
      error ("gpumm:mmread:argument", "mmread: %s is complex and cannot be of class %s", file,
             name);
    endif
    if (strcmp (name, "auto"))
      name = {"double", "logical"}{1 + strcmp (info.field, "pattern")};
    endif
    if (is_sparse)
      A = sparse_matrix (in, info, name);
    else
      A = full_matrix (in, info, name);
    endif
  unwind_protect_cleanup
    fclose (in.fid);
  end_unwind_protect

endfunction

function fail (what, in, line, template, varargin)

  error (["gpumm:mmread:" what], "mmread: %s:%d: %s", in.file, line,
         sprintf (template, varargin{:}));

endfunction

## Fails at the first entry of in.text that is BAD.  SHOW gives what the template prints.
function refuse (what, in, bad, template, show)

  k = find (any (bad, 1), 1);
  if (! isempty (k))
    fail (what, in, line_of (in, k), template, show (k));
  endif

endfunction

## The line of entry K of in.text, or the line before in.text if K is 0.
function line = line_of (in, k)

  line = in.line + [0, shown_lines(in.text)](k + 1);

endfunction

## The numbers of the lines of TEXT that are not blank, and their first and last characters.
function [lines, first, last] = shown_lines (text)

  is_dark = ! isspace (text);
  before = [0, cumsum(is_dark)(text == "\n")];
  lines = find (diff (before));
  dark = find (is_dark);
  first = dark(before(lines) + 1);
  last = dark(before(lines + 1));

endfunction

function str = shortened (str)

  str(str < 32 | str == 127) = "?";       # a terminal obeys such characters
  if (numel (str) > 40)
    str = [str(1:37) "..."];
  endif

endfunction

## The next lines of the file, about a megabyte, because a whole file would need 12 times its size.
## They begin after in.line lines.  in.rest is the beginning of the line after them.
function in = next_lines (in)

  in.line += sum (in.text == "\n");
  bytes = fread (in.fid, 1e6, "uint8=>char").';
  in.is_last = feof (in.fid) || ftell (in.fid) >= in.size;
  if (! any (bytes == "\n"))
    bytes(bytes == "\r") = "\n";
  endif
  bytes = [in.rest, bytes];
  if (in.is_last && ! isempty (bytes) && bytes(end) != "\n")
    bytes(end+1) = "\n";
  endif
  last = find (bytes == "\n", 1, "last");
  if (! in.is_last && isempty (last))
    fail ("layout", in, in.line + 1, "the line is longer than %d bytes", numel (bytes));
  endif
  in.bytes = bytes(1:last);
  in.rest = bytes(last+1:end);
  ## Regular expressions refuse invalid UTF-8, so only comments keep bytes that are not ASCII.
  in.text = in.bytes;
  in.text(in.text > 127) = "?";

endfunction

## Reads the first line, the comments and the sizes.  The entries begin with in.text.
function [info, in] = read_header (in)

  in.line = 0;
  in.text = in.rest = "";
  in = next_lines (in);
  if (strncmp (in.bytes, "\xEF\xBB\xBF", 3))
    in.text(1:3) = in.bytes(1:3) = [];
  endif
  words = regexp (lower (in.text(1:find (in.text == "\n", 1))), '\S+', "match");
  if (isempty (words) || ! strcmp (words{1}, "%%matrixmarket"))
    fail ("banner", in, 1, "not a Matrix Market file: it does not begin with %%%%MatrixMarket");
  elseif (numel (words) != 5)
    fail ("header", in, 1, "expected %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  endif
  known = {"object", {"matrix"};
           "format", {"coordinate", "array"};
           "field", {"real", "double", "complex", "integer", "unsigned-integer", "pattern"};
           "symmetry", {"general", "symmetric", "skew-symmetric", "hermitian"}};
  for k = 1:4
    if (! any (strcmp (words{k+1}, known{k,2})))
      fail ("header", in, 1, "unknown %s \"%s\"; it must be %s", known{k,1},
            shortened (words{k+1}), strjoin (known{k,2}, ", "));
    endif
  endfor
  [format, field, symmetry] = words{3:5};
  is_pattern = strcmp (field, "pattern");
  if (is_pattern && strcmp (format, "array"))
    fail ("header", in, 1, "the array format has no field pattern");
  elseif (is_pattern && any (strcmp (symmetry, {"skew-symmetric", "hermitian"})))
    fail ("header", in, 1, "a matrix with the field pattern cannot be %s", symmetry);
  elseif (strcmp (symmetry, "hermitian") && ! strcmp (field, "complex"))
    fail ("header", in, 1, "a hermitian matrix must have the field complex, not %s", field);
  endif

  labels = {"rows", "columns", "entries"};
  [comments, sizes, in] = read_sizes (in, labels(1:end-strcmp (format, "array")));
  if (! strcmp (symmetry, "general") && sizes(1) != sizes(2))
    fail ("size", in, in.line, "a %s matrix must be square, not %d x %d", symmetry, sizes(1:2));
  elseif (strcmp (format, "array"))
    sizes(3) = prod (sizes);
    if (! strcmp (symmetry, "general"))
      sizes(3) = sizes(1) * (sizes(1) + 1 - 2 * strcmp (symmetry, "skew-symmetric")) / 2;
    endif
  endif
  info = struct ("format", format, "field", field, "symmetry", symmetry, "rows", sizes(1), ...
                 "cols", sizes(2), "entries", sizes(3), "comments", {comments});

endfunction

## Reads to the line with the sizes.  The first line of the file is not one of the comments.
function [comments, sizes, in] = read_sizes (in, labels)

  comments = {};
  do
    [~, last] = regexp (in.text, '\A(?:[^\S\n]*+(?:%[^\n]*+)?+\n)*+', "once");
    last = [last, 0](1);
    [~, first, stop] = shown_lines (in.text(1:last));
    first += 1 + isspace (in.text(first + 1));
    comments = [comments, cellslices(in.bytes, first, stop, 2)];
    at_sizes = last < numel (in.text);
    if (! at_sizes && in.is_last)
      fail ("size", in, in.line + sum (in.text == "\n"),
            "the file ends before the line with the sizes");
    elseif (! at_sizes)
      in = next_lines (in);
    endif
  until (at_sizes)
  comments(1) = [];

  str = strtok (in.text(last+1:end), "\n");
  used = last + numel (str) + 1;
  in.line += sum (in.text(1:used) == "\n");
  in.text(1:used) = [];
  words = regexp (str, '\S+', "match");
  sizes = str2double (words);
  if (numel (words) != numel (labels) || any (cellfun (@isempty, regexp (words, '^\+?\d+$')))
      || ! all (sizes <= flintmax ()))
    fail ("size", in, in.line, "expected %d sizes (%s), found \"%s\"", numel (labels),
          strjoin (labels, ", "), shortened (strtrim (str)));
  endif

endfunction

## The numbers of all entries, a column for each: row, column and value in the coordinate format,
## else the value.  A complex value has two rows, a pattern none.
function entries = read_entries (in, info, name)

  labels = {"value"};
  if (strcmp (info.field, "complex"))
    labels = {"real part", "imaginary part"};
  elseif (strcmp (info.field, "pattern"))
    labels = {};
  endif
  stored = name;
  extra = 0;
  if (strcmp (info.format, "coordinate"))
    labels = [{"row", "column"}, labels];
    stored = "double";
    extra = info.cols + 1;                  # a sparse matrix stores a number for each column
  endif
  ## In the file, a number has at least a digit, and a blank or the end of the line.
  most = min (info.entries, floor ((in.size + 1) / (2 * numel (labels))));
  bytes = 8 * (numel (labels) * most + extra);
  if (bytes > 1e9)
    [~, machine] = memory ();
    if (bytes > machine.PhysicalMemory.Total / 2)
      fail ("size", in, in.line, "a %d x %d matrix of %d entries needs %.3g GB of memory", ...
            info.rows, info.cols, info.entries, 1e-9 * bytes);
    endif
  endif
  entries = cast (zeros (numel (labels), most), stored);
  done = 0;
  do
    [v, in] = read_numbers (in, labels);
    place = done + (1:columns (v));
    done += columns (v);
    refuse ("count", in, place > info.entries, ...
            "more entries than the %d that the line with the sizes gives", @(k) info.entries);
    if (in.is_last && done < info.entries)
      fail ("count", in, line_of (in, columns (v)), "the file ends after %d of %d entries", done,
            info.entries);
    endif
    entries(:,place) = checked_entries (in, info, name, v, place);
    in = next_lines (in);
  until (isempty (in.text))

endfunction

## The numbers in in.text, a column for each entry.
function [v, in] = read_numbers (in, labels)

  ## sscanf reads all numbers at once, but passes over the ends of words and lines: "1-2" gives two
  ## numbers.  So check all lines before.
  width = numel (labels);
  number = ['[+-]?+(?:(?:\d++\.?+\d*+|\.\d++)(?:[eEdD][+-]?+\d++)?+', ...
            '|(?i:inf(?:inity)?+|nan?+))(?!\S)'];
  entry = [repmat([number '[^\S\n]++'], 1, width - 1), number];
  [~, last] = regexp (in.text, ['\A(?:[^\S\n]*+(?:%[^\n]*+|' entry '[^\S\n]*+)?+\n)*+'], "once");
  last = [last, 0](1);
  if (last < numel (in.text))
    line = in.line + 1 + sum (in.text(1:last) == "\n");
    words = regexp (strtok (in.text(last+1:end), "\n"), '\S+', "match");
    k = find (cellfun (@isempty, regexp (words, ['^' number '$'])), 1);
    if (! isempty (k))
      fail ("number", in, line, "\"%s\" is not a number", shortened (words{k}));
    endif
    fail ("layout", in, line, "expected %d number%s (%s), found %d", width, "s"(width > 1),
          strjoin (labels, ", "), numel (words));
  endif

  if (any (in.text == "%"))
    [~, first, last] = shown_lines (in.text);
    is_comment = in.text(first) == "%";
    inside = zeros (size (in.text));
    inside(first(is_comment)) = 1;
    inside(last(is_comment) + 1) = -1;
    in.text(cumsum (inside) > 0) = " ";
  endif
  text = in.text;
  text(text == "d" | text == "D") = "e";
  if (any (text == "y" | text == "Y"))
    text = regexprep (text, '(?i)infinity', "inf");
  endif
  v = reshape (sscanf (text, "%f"), width, []);
  if (any (isinf (v(:))))
    words = words_of (in.text, v);
    is_word = lower (reshape (in.text([words(:), words(:) + 1]), [], 2)) == "i";
    bad = isinf (v) & ! reshape (any (is_word, 2), size (v));
    refuse ("range", in, bad, "%s is beyond the largest double",
            @(k) word_at (in.text, words(bad(:,k),k)(1)));
  endif

endfunction

## Where the words of the numbers V begin.
function words = words_of (text, v)

  space = isspace (text);
  words = reshape (find (! space & [true, space](1:end-1)), size (v));

endfunction

function word = word_at (text, k)

  word = shortened (regexp (text(k:min (k + 99, end)), '\S+', "once", "match"));

endfunction

## The entries V with values that the class NAME holds.  PLACE counts entries from the file's first.
function v = checked_entries (in, info, name, v, place)

  is_sparse = strcmp (info.format, "coordinate");
  first = 1 + 2 * is_sparse;
  x = v(first:end,:);
  if (is_sparse)
    on_diagonal = v(1,:) == v(2,:);
    check_indices (in, info, v);
  elseif (strcmp (info.symmetry, "hermitian"))
    j = 0:min (info.rows, max ([place, 0]))-1;  # columns of rows, rows - 1, ... entries
    on_diagonal = lookup (1 + j * info.rows - j .* (j - 1) / 2, place, "b");
  endif
  skew = strcmp (info.symmetry, "skew-symmetric");
  if (skew && is_sparse)
    refuse ("diagonal", in, on_diagonal & any (x != 0, 1), ...
            "the value on the diagonal of a skew-symmetric matrix must be zero", @(k) []);
  elseif (strcmp (info.symmetry, "hermitian"))
    refuse ("diagonal", in, on_diagonal & x(2,:) != 0, ...
            "the imaginary part on the diagonal of a hermitian matrix must be zero", @(k) []);
  endif

  if (any (strcmp (info.field, {"integer", "unsigned-integer"})))
    x = exact_integers (in, v, first, name);
  endif
  if (strcmp (name, "logical"))
    y = x == 1;
    bad = x != 0 & x != 1;
  else
    y = cast (x, name);
    bad = ! (y == x);
    if (isfloat (y))
      bad = isinf (y) & ! isinf (x);
    endif
  endif
  refuse ("range", in, bad, ["class " name " cannot hold %.15g"], @(k) x(bad(:,k),k)(1));
  if (skew && ! isfloat (y))
    refuse ("range", in, y + cast (0 - y, name) != 0, ["class " name " cannot hold -(%d)"], ...
            @(k) y(k));
  endif
  if (is_sparse)
    v(first:end,:) = y;
  else
    v = y;
  endif

endfunction

function check_indices (in, info, v)

  labels = {"row", "column"};
  sizes = [info.rows, info.cols];
  for k = 1:2
    i = v(k,:);
    refuse ("index", in, ! (i >= 1 & i <= sizes(k) & i == fix (i)),
            [labels{k} " index %.15g is not an integer from 1 to %d"], @(at) [i(at), sizes(k)]);
  endfor
  refuse ("triangle", in, v(1,:) < v(2,:) & ! strcmp (info.symmetry, "general"),
          ["entry (%d, %d) is above the diagonal; a " info.symmetry ...
           " file stores only the lower triangle"], @(k) v(1:2,k));

endfunction

## The values of an integer field, the last row of V.  V is exact below 2^53.  Larger values may be
## rounded, so compute them again from their digits, in the 64-bit class if NAME is one.
function y = exact_integers (in, v, row, name)

  y = x = v(row,:);
  bad = ! (x == fix (x)) | isinf (x);
  large = abs (x) >= flintmax ();
  if (! any (bad | large))
    return;
  endif
  at = words_of (in.text, v)(row,:);
  word = @(k) word_at (in.text, at(k));
  refuse ("integer", in, bad, "\"%s\" is not an integer", word);

  ## Loop over the digits: the first digit of all large numbers, then the second, ...
  at = at(large) + (x(large) < 0 | in.text(at(large)) == "+");
  magnitude = zeros (size (at), "uint64");
  going_on = true (size (at));
  last = (intmax ("uint64") - 5) / 10;
  do
    digit = in.text(at) - "0";
    going_on &= digit >= 0 & digit <= 9;
    fits = magnitude < last | (magnitude == last & digit <= 5);
    bad(large) |= going_on & ! fits;
    magnitude(going_on) = magnitude(going_on) * 10 + digit(going_on);
    at += going_on;
  until (! any (going_on))
  bad(large) |= ! isspace (in.text(at));
  refuse ("range", in, bad, "%s is not a plain integer that fits in 64 bits", word);

  negative = x(large) < 0;
  switch (name)
    case "uint64"
      y = uint64 (x);
      y(large) = magnitude;
      bad(large) = negative;
    case "int64"
      y = int64 (x);
      bad(large) = magnitude > uint64 (intmax ("int64")) + uint64 (negative);
      part = int64 (magnitude);
      part(negative) = -1 - int64 (magnitude(negative) - 1);
      y(large) = part;
    otherwise
      bad(large) = magnitude != abs (x(large));
  endswitch
  refuse ("range", in, bad, ["class " name " cannot hold %s exactly"], word);

endfunction

## The values [re; im] above the diagonal, from those below it.
function y = mirrored (symmetry, x)

  y = x;
  if (strcmp (symmetry, "skew-symmetric"))
    y = 0 - x;                              # not -x, so that the image of 0 is +0
  elseif (strcmp (symmetry, "hermitian"))
    y(2,:) = 0 - x(2,:);
  endif

endfunction

function A = sparse_matrix (in, info, name)

  entries = read_entries (in, info, name);
  i = entries(1,:);
  j = entries(2,:);
  x = entries(3:end,:);
  clear entries;
  if (rows (x) == 2)                        # a sum of two triangles would make each -0 a +0
    off = find (i != j & ! strcmp (info.symmetry, "general"));
    x = [x, mirrored(info.symmetry, x(:,off))];
    A = sparse ([i, j(off)], [j, i(off)], complex (x(1,:), x(2,:)), info.rows, info.cols);
    if (isreal (A))
      A = complex (A, sparse (info.rows, info.cols));  # as the file says
    endif
    return;
  elseif (rows (x) == 0)
    x = true;
  endif
  A = sparse (i, j, x, info.rows, info.cols);
  clear i j x;
  if (strcmp (info.symmetry, "skew-symmetric"))
    A -= A.';
  elseif (strcmp (info.symmetry, "symmetric"))
    if (islogical (A))
      A |= A.';
    else
      A += tril (A, -1).';
    endif
  endif
  A = cast (A, name);

endfunction

function A = full_matrix (in, info, name)

  x = read_entries (in, info, name);
  is_general = strcmp (info.symmetry, "general");
  stored = tril (true (info.rows * ! is_general), -strcmp (info.symmetry, "skew-symmetric"));
  images = mirrored (info.symmetry, x);
  parts = cell (1, rows (x));
  for k = 1:rows (x)
    if (is_general)
      part = reshape (x(k,:), info.rows, info.cols);
    else
      part = cast (zeros (info.rows), class (x));
      part(stored) = images(k,:);
      part = part.';
      part(stored) = x(k,:);
    endif
    parts{k} = part;
  endfor
  A = parts{1};
  if (numel (parts) == 2)
    A = complex (parts{:});
  endif

endfunction
