## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{A} =} mmread (@var{file})
## @deftypefnx {} {@var{A} =} mmread (@var{file}, "Class", @var{class})
## @deftypefnx {} {@var{A} =} mmread (@dots{}, "Symmetry", "lenient")
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
## A symmetric, skew-symmetric or Hermitian file stores only the lower triangle, and its
## diagonal goes with its symmetry.  Other files are an error, unless the option
## @qcode{"Symmetry"} is @qcode{"lenient"}.  Then the diagonal is read as it is stored, and an
## entry above the diagonal stands for its image below.  Elements that the file has on both
## sides must match, and count once.  A Hermitian file may be real.
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

function [A, info] = mmread (file, varargin)

  if (nargin < 1)
    print_usage ();
  elseif (! (ischar (file) && isrow (file)))
    error ("gpumm:mmread:argument", "mmread: FILE must be a string");
  endif
  names = {"auto", "double", "single", "logical", "int8", "int16", "int32", "int64", ...
           "uint8", "uint16", "uint32", "uint64"};
  o = __options_of__ ("mmread", varargin, ...
                      {"Class", "auto", @(x) ischar (x) && any (strcmp (x, names)), ...
                       ["one of " strjoin(names, ", ")]; ...
                       "Symmetry", "strict", ...
                       @(x) ischar (x) && any (strcmpi (x, {"strict", "lenient"})), ...
                       "\"strict\" or \"lenient\""});
  name = o.class;

  in = __open_text__ (file, "mmread", "gpumm:mmread:open");
  in.file = file;
  in.is_lenient = strcmpi (o.symmetry, "lenient");
  unwind_protect
    [info, in] = read_header (in);
    if (strcmp (info.format, "coordinate") && ! any (strcmp (name, {"auto", "double", "logical"})))
      error ("gpumm:mmread:argument",
             "mmread: %s is sparse, and a sparse matrix cannot be of class %s", file, name);
    elseif (strcmp (info.field, "complex") && ! any (strcmp (name, {"auto", "double", "single"})))
      error ("gpumm:mmread:argument", "mmread: %s is complex and cannot be of class %s", file,
             name);
    elseif (strcmp (name, "auto"))
      name = {"double", "logical"}{1 + strcmp (info.field, "pattern")};
    endif
    A = {@full_matrix, @sparse_matrix}{1 + strcmp (info.format, "coordinate")} (in, info, name);
  unwind_protect_cleanup
    fclose (in.fid);
  end_unwind_protect

endfunction

## ---- lines --------------------------------------------------------------------------------------

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

## The numbers of the lines of TEXT that are not blank, and their first and last characters.
function [lines, first, last] = shown_lines (text)

  is_dark = ! isspace (text);
  before = [0, cumsum(is_dark)(text == "\n")];
  lines = find (diff (before));
  dark = find (is_dark);
  first = dark(before(lines) + 1);
  last = dark(before(lines + 1));

endfunction

## Between quotes, and without the characters that a terminal would obey.
function str = quoted (str)

  str(str < 32 | str == 127) = "?";
  if (numel (str) > 40)
    str = [str(1:37) "..."];
  endif
  str = ["\"" str "\""];

endfunction

function fail (what, in, line, template, varargin)

  error (["gpumm:mmread:" what], "mmread: %s:%d: %s", in.file, line,
         sprintf (template, varargin{:}));

endfunction

## Fails at the first entry of in.text that is BAD, a column.
function refuse (what, in, bad, template, varargin)

  k = find (any (bad, 1), 1);
  if (! isempty (k))
    [lines, first, last] = shown_lines (in.text);
    if (isempty (strfind (template, "found %s")))
      template = [template ", found %s"];
    endif
    fail (what, in, in.line + lines(k), template, varargin{:},
          quoted (in.text(first(k):last(k))));
  endif

endfunction

## The same for what breaks the file's symmetry.
function refuse_symmetry (what, in, bad, template, varargin)

  if (! in.is_lenient)
    refuse (what, in, bad, [template ", found %s. Write mmread (FILE, \"Symmetry\", \"lenient\")"],
            varargin{:});
  endif

endfunction

## ---- the header ---------------------------------------------------------------------------------

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
      fail ("header", in, 1, "unknown %s %s; it must be %s", known{k,1}, quoted (words{k+1}),
            strjoin (known{k,2}, ", "));
    endif
  endfor
  [format, field, symmetry] = words{3:5};
  is_array = strcmp (format, "array");
  is_pattern = strcmp (field, "pattern");
  if (is_array && is_pattern)
    fail ("header", in, 1, "the array format has no field pattern");
  elseif (is_pattern && strcmp (symmetry, "skew-symmetric"))
    fail ("header", in, 1, "a matrix with the field pattern cannot be %s", symmetry);
  elseif (strcmp (symmetry, "hermitian") && ! strcmp (field, "complex") && ! in.is_lenient)
    fail ("header", in, 1, ["a hermitian matrix must have the field complex, not %s. Write " ...
                            "mmread (FILE, \"Symmetry\", \"lenient\")"], field);
  endif

  [comments, m, n, entries, in] = read_sizes (in, is_array);
  if (! strcmp (symmetry, "general") && m != n)
    fail ("size", in, in.line, "a %s matrix must be square, not %d x %d", symmetry, m, n);
  elseif (is_array && ! strcmp (symmetry, "general"))
    entries = m * (m + 1 - 2 * strcmp (symmetry, "skew-symmetric")) / 2;
  endif
  info = struct ("format", format, "field", field, "symmetry", symmetry, "rows", m, "cols", n,
                 "entries", entries, "comments", {comments});

endfunction

## Reads to the line with the sizes.  The first line of the file is not one of the comments.
function [comments, m, n, entries, in] = read_sizes (in, is_array)

  comments = {};
  do
    [lines, first, last] = shown_lines (in.text);
    at = find ([in.text(first) != "%", true], 1);  # the line with the sizes, or the one after all
    start = first(1:at-1) + 1;
    start += isspace (in.text(start));
    comments = [comments, cellslices(in.bytes, start, last(1:at-1), 2)];
    is_there = at <= numel (lines);
    if (! is_there && in.is_last)
      fail ("size", in, in.line + sum (in.text == "\n"),
            "the file ends before the line with the sizes");
    elseif (! is_there)
      in = next_lines (in);
    endif
  until (is_there)
  comments(1) = [];

  in.line += lines(at);
  str = in.text(first(at):last(at));
  in.text = in.text(find (in.text == "\n", lines(at))(end)+1:end);
  words = regexp (str, '\S+', "match");
  sizes = str2double (words);
  labels = {"rows", "columns", "entries"}(1:end-is_array);
  if (numel (words) != numel (labels) || any (cellfun (@isempty, regexp (words, '^\+?\d+$'))))
    fail ("size", in, in.line, "expected %d sizes (%s), found %s", numel (labels),
          strjoin (labels, ", "), quoted (str));
  elseif (! all (sizes <= flintmax ()))
    fail ("size", in, in.line, "no matrix has so many %s: sizes are at most 2^53, found %s",
          labels{find (! (sizes <= flintmax ()), 1)}, quoted (str));
  endif
  [m, n, entries] = num2cell ([sizes, prod(sizes)]){1:3};

endfunction

## ---- the entries --------------------------------------------------------------------------------

## The numbers of all entries, a column for each: row, column and value in the coordinate format,
## else the value.  A complex value has two rows, a pattern none.
function entries = read_entries (in, info, name)

  is_sparse = strcmp (info.format, "coordinate");
  width = 1 + strcmp (info.field, "complex") - strcmp (info.field, "pattern") + 2 * is_sparse;
  ## In the file, a number has at least a digit, and a blank or the end of the line.
  most = min (info.entries, floor ((in.size + 1) / (2 * width)));
  bytes = 8 * (width * most + is_sparse * (info.cols + 1));  # a sparse matrix counts each column
  if (bytes > 1e9)
    [~, machine] = memory ();
    if (bytes > machine.PhysicalMemory.Total / 2)
      fail ("size", in, in.line, "a %d x %d matrix of %d entries needs %s GB of memory",
            info.rows, info.cols, info.entries, __three_digits__ (1e-9 * bytes));
    endif
  endif
  entries = cast (zeros (width, most), {name, "double"}{1 + is_sparse});
  done = 0;
  do
    [v, in] = read_numbers (in, width);
    place = done + (1:columns (v));
    done += columns (v);
    refuse ("count", in, place > info.entries, "the sizes say %d entries, and there are more",
            info.entries);
    if (in.is_last && done < info.entries)
      fail ("count", in, in.line + [0, shown_lines(in.text)](end),
            "the file ends after %d of %d entries", done, info.entries);
    endif
    entries(:,place) = checked_entries (in, info, name, v, place);
    in = next_lines (in);
  until (isempty (in.text))

endfunction

## The numbers in in.text, a column of WIDTH for each entry.  in.text loses its comments.
function [v, in] = read_numbers (in, width)

  if (any (in.text == "%"))
    in.text = regexprep (in.text, '^[^\S\n]*+%[^\n]*+', "", "lineanchors");
  endif
  ## sscanf reads all numbers at once, but passes over the ends of words and lines: "1-2" gives two
  ## numbers.  So check all lines before, and look for the wrong word only if one does not match.
  number = ['[+-]?+(?:(?:\d++\.?+\d*+|\.\d++)(?:[eEdD][+-]?+\d++)?+', ...
            '|(?i:inf(?:inity)?+|nan?+))(?!\S)'];
  entry = [repmat([number '[^\S\n]++'], 1, width - 1), number];
  [~, last] = regexp (in.text, ['\A(?:[^\S\n]*+(?:' entry '[^\S\n]*+)?+\n)*+'], "once");
  last = [last, 0](1);
  if (last < numel (in.text))
    line = in.line + 1 + sum (in.text(1:last) == "\n");
    words = regexp (strtok (in.text(last+1:end), "\n"), '\S+', "match");
    wrong = words(cellfun (@isempty, regexp (words, ['^' number])));
    if (! isempty (wrong))
      fail ("number", in, line, "%s is not a number", quoted (wrong{1}));
    endif
    fail ("layout", in, line, "expected %d number%s, found %d", width, "s"(width > 1),
          numel (words));
  endif

  text = in.text;
  text(text == "d" | text == "D") = "e";
  if (any (text == "y" | text == "Y"))
    text = regexprep (text, '(?i)infinity', "inf");
  endif
  v = reshape (sscanf (text, "%f"), width, []);
  if (any (isinf (v(:))) && sum (isinf (v(:))) != sum (text == "f" | text == "F")) # not "inf"
    is_word = ! cellfun (@isempty, regexp (regexp (text, '\S+', "match"), '(?i)f', "once"));
    refuse ("range", in, isinf (v) & ! reshape (is_word, size (v)),
            "expected numbers up to the largest double");
  endif

endfunction

## The entries V with values that the class NAME holds.  PLACE counts entries from the file's first.
function v = checked_entries (in, info, name, v, place)

  is_sparse = strcmp (info.format, "coordinate");
  is_skew = strcmp (info.symmetry, "skew-symmetric");
  x = v(1+2*is_sparse:end,:);
  if (is_sparse)
    sizes = {"row", info.rows; "column", info.cols};
    for k = 1:2
      refuse ("index", in, ! (v(k,:) >= 1 & v(k,:) <= sizes{k,2} & v(k,:) == fix (v(k,:))),
              "the %s index must be an integer from 1 to %d", sizes{k,:});
    endfor
    refuse_symmetry ("triangle", in, v(1,:) < v(2,:) & ! strcmp (info.symmetry, "general"),
                     "a %s file stores only the lower triangle", info.symmetry);
    is_diagonal = v(1,:) == v(2,:);
  elseif (strcmp (info.symmetry, "hermitian"))
    j = 0:min (info.rows, max ([place, 0]))-1;  # columns of rows, rows - 1, ... entries
    is_diagonal = lookup (1 + j * info.rows - j .* (j - 1) / 2, place, "b");
  endif
  if (is_skew && is_sparse)
    refuse_symmetry ("diagonal", in, is_diagonal & any (x != 0, 1),
                     "the diagonal of a skew-symmetric matrix must be zero");
  elseif (strcmp (info.symmetry, "hermitian") && rows (x) == 2)
    refuse_symmetry ("diagonal", in, is_diagonal & x(2,:) != 0,
                     "the diagonal of a hermitian matrix must be real");
  endif

  if (any (strcmp (info.field, {"integer", "unsigned-integer"})))
    x = exact_integers (in, x, name);
  endif
  if (strcmp (name, "logical"))
    y = x == 1;
  else
    y = cast (x, name);
  endif
  if (isfloat (y))
    bad = isinf (y) & ! isinf (x);
  else
    bad = y != x;
  endif
  refuse ("range", in, bad, "class %s cannot hold the value", name);
  if (is_skew && ! isfloat (y))
    refuse ("range", in, y + cast (0 - y, name) != 0,
            "class %s cannot hold the value above the diagonal, which has the other sign", name);
  endif
  if (is_sparse)
    v(3:end,:) = y;
  else
    v = y;
  endif

endfunction

## The values X of an integer field, the last words of the lines.  X is exact below 2^53.  Larger
## values may be rounded, so compute them again from their last 20 digits, in the 64-bit class if
## NAME is one.
function y = exact_integers (in, x, name)

  refuse ("integer", in, ! (x == fix (x)) | isinf (x), "expected an integer");
  y = x;
  large = abs (x) >= flintmax ();
  if (! any (large))
    return;
  endif
  [~, ~, last] = shown_lines (in.text);
  digits = reshape ([blanks(20), in.text](last(large) + (1:20).'), 20, []) - "0";
  digits .*= flipud (cumprod (flipud (digits >= 0 & digits <= 9)));
  high = 10 .^ (10:-1:0) * digits(1:11,:);
  low = 10 .^ (8:-1:0) * digits(12:20,:);
  magnitude = uint64 (high) * 1e9 + uint64 (low);
  bad = false (size (x));
  bad(large) = double (magnitude) != abs (x(large)) | high > 18446744073 ...
               | (high == 18446744073 & low > 709551615);
  refuse ("range", in, bad, "expected a plain integer that fits in 64 bits");

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
  refuse ("range", in, bad, "class %s cannot hold the value exactly", name);

endfunction

## ---- the matrix ---------------------------------------------------------------------------------

## The values [re; im] above the diagonal, from those below it.  They are 0 - x, not -x, so that the
## image of 0 is +0.
function y = mirrored (symmetry, x)

  y = x;
  if (strcmp (symmetry, "skew-symmetric"))
    y = cast (0 - x, class (x));
  elseif (strcmp (symmetry, "hermitian") && rows (x) == 2)
    y(2,:) = 0 - x(2,:);
  endif

endfunction

## Values with a row, or two for real and imaginary parts, or none, as one row.
function v = joined (x)

  v = x;
  if (rows (x) == 0)
    v = true (1, columns (x));
  elseif (rows (x) == 2)
    v = complex (x(1,:), x(2,:));
  endif

endfunction

## Entries above the diagonal become their images below.  Where the file has elements on both sides,
## they must match, and those above are left out.
function [i, j, x] = turned_down (in, info, i, j, x)

  is_above = i < j;
  k = i(is_above);
  l = j(is_above);
  images = mirrored (info.symmetry, x(:,is_above));
  i(is_above) = j(is_above) = x(:,is_above) = [];
  matrix = @(i, j, x) sparse (i, j, joined (x), info.rows, info.cols);
  both = matrix (i, j, zeros (0, numel (i))) & matrix (l, k, zeros (0, numel (k)));
  below = matrix (i, j, x);
  above = matrix (l, k, images);
  [k_both, l_both] = find (both & below != above & ! (isnan (below) & isnan (above)), 1);
  if (! isempty (k_both))
    error ("gpumm:mmread:triangle", ...
           "mmread: %s: elements (%d,%d) and (%d,%d) do not match in a %s matrix", in.file, ...
           k_both, l_both, l_both, k_both, info.symmetry);
  endif
  keep = ! full (both(sub2ind (size (both), l, k)));
  i = [i, l(keep)];
  j = [j, k(keep)];
  x = [x, images(:,keep)];

endfunction

function A = sparse_matrix (in, info, name)

  entries = read_entries (in, info, name);
  i = entries(1,:);
  j = entries(2,:);
  x = entries(3:end,:);
  clear entries;
  if (any (i < j) && ! strcmp (info.symmetry, "general"))
    [i, j, x] = turned_down (in, info, i, j, x);
  endif
  if (! strcmp (info.symmetry, "general"))
    off = find (i != j);
    x = [x, mirrored(info.symmetry, x(:,off))];
    rows_above = j(off);
    j = [j, i(off)];
    i = [i, rows_above];
  endif
  x = joined (x);
  A = cast (sparse (i, j, x, info.rows, info.cols), name);
  if (iscomplex (x) && isreal (A))
    A = complex (A, sparse (info.rows, info.cols));  # as the file says
  endif

endfunction

function A = full_matrix (in, info, name)

  x = read_entries (in, info, name);
  images = mirrored (info.symmetry, x);
  parts = cell (1, rows (x));
  for k = 1:rows (x)
    if (strcmp (info.symmetry, "general"))
      parts{k} = reshape (x(k,:), info.rows, info.cols);
    else
      stored = tril (true (info.rows), -strcmp (info.symmetry, "skew-symmetric"));
      parts{k} = cast (zeros (info.rows), name);
      parts{k}(stored) = images(k,:);
      parts{k} = parts{k}.';
      parts{k}(stored) = x(k,:);
    endif
  endfor
  A = parts{1};
  if (numel (parts) == 2)
    A = complex (parts{:});
  endif

endfunction
