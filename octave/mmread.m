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
## matrix is returned whole, although the file stores only one triangle.
##
## The field in the file determines the class:
##
## @multitable @columnfractions .3 .35 .35
## @headitem field @tab coordinate @tab array
## @item @qcode{real}, @qcode{double} @tab sparse double @tab double
## @item @qcode{complex} @tab sparse complex double @tab complex double
## @item @qcode{integer}, @qcode{unsigned-integer} @tab sparse double @tab double
## @item @qcode{pattern} @tab sparse logical @tab (not in the format)
## @end multitable
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
## If a file breaks the format, the error names the file and the line.  The
## identifier of an error is @code{gpumm:mmread:@var{what}}, where @var{what} is
## @code{open}, @code{banner}, @code{header}, @code{size}, @code{number},
## @code{layout}, @code{count}, @code{integer}, @code{range}, @code{index},
## @code{triangle}, @code{diagonal} or @code{argument}.
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

  if (nargin != 1 && nargin != 3)
    print_usage ();
  endif
  if (! (ischar (file) && isrow (file)))
    error ("gpumm:mmread:argument", "mmread: FILE must be a string");
  endif
  name = "auto";
  if (nargin == 3)
    name = check_class_option (varargin{:});
  endif

  in = __open_text__ (file, "mmread", "gpumm:mmread:open");
  unwind_protect
    [bytes, in] = read_head (file, in);
    [info, start, in.line] = read_header (file, ascii (bytes), bytes);
    in.text = ascii (bytes(start:end));
    clear bytes;
    if (strcmp (info.format, "coordinate"))
      A = read_coordinate (file, in, info, name);
    else
      A = read_array (file, in, info, name);
    endif
  unwind_protect_cleanup
    fclose (in.fid);
  end_unwind_protect

endfunction

function name = check_class_option (option, name)

  names = {"auto", "double", "single", "logical", "int8", "int16", "int32", "int64", ...
           "uint8", "uint16", "uint32", "uint64"};
  if (! (ischar (option) && strcmpi (option, "Class")))
    error ("gpumm:mmread:argument", "mmread: the only option is \"Class\"");
  endif
  if (! (ischar (name) && any (strcmp (name, names))))
    error ("gpumm:mmread:argument", "mmread: \"Class\" must be one of %s", strjoin (names, ", "));
  endif

endfunction

function fail (what, file, line, template, varargin)

  error (["gpumm:mmread:" what], "mmread: %s:%d: %s", file, line,
         sprintf (template, varargin{:}));

endfunction

## The next lines of the file, about a megabyte, because a whole file would need 12 times its size.
## They end in "\n" or "\r\n".  in.rest is the beginning of the next line.  in.is_last: no line
## follows.
function [bytes, in] = read_lines (file, in)

  size = 1e6;
  bytes = fread (in.fid, size, "uint8=>char").';
  in.is_last = numel (bytes) < size;
  if (isempty (in.ends_in_cr))
    in.ends_in_cr = ! any (bytes == "\n");
  endif
  if (in.ends_in_cr)
    bytes(bytes == "\r") = "\n";
  endif
  bytes = [in.rest, bytes];
  in.rest = "";
  last = numel (bytes);
  if (! in.is_last)
    last = find (bytes == "\n", 1, "last");
    if (isempty (last))
      fail ("layout", file, in.line + 1, "the line is longer than %d bytes", numel (bytes));
    endif
    in.rest = bytes(last+1:end);
    bytes(last+1:end) = [];
  endif

endfunction

## Puts the lines after in.text in its place: empty if there are none.
function in = next_lines (file, in)

  in.line += sum (in.text == "\n");
  in.text = "";
  while (! in.is_last && isempty (in.text))
    [bytes, in] = read_lines (file, in);
    in.text = ascii (bytes);
  endwhile

endfunction

## The first lines, to the line with the sizes at least.
function [bytes, in] = read_head (file, in)

  in.ends_in_cr = []; # alone: not known yet
  in.rest = "";
  in.line = 0;
  [bytes, in] = read_lines (file, in);
  if (strncmp (bytes, "\xEF\xBB\xBF", 3))
    bytes(1:3) = [];
  endif
  while (! in.is_last && isempty (regexp (ascii (bytes), '\n[ \t\r\v\f]*[^%\s]', "once")))
    [more, in] = read_lines (file, in);
    bytes = [bytes, more];
  endwhile

endfunction

## Octave's functions for characters expect UTF-8, and some write past the end of invalid UTF-8.
## So only comments keep bytes that are not ASCII.
function text = ascii (text)

  if (any (text > 127))
    text(text > 127) = "?";
  endif

endfunction

## Reads banner, comments and sizes.  The entries begin at text(start), on the line after LINE.
function [info, start, line] = read_header (file, text, bytes)

  [banner, start] = one_line (text, 1);
  line = 1;
  words = regexp (lower (banner), '\S+', "match");
  if (isempty (words) || ! strcmp (words{1}, "%%matrixmarket"))
    fail ("banner", file, line,
          "not a Matrix Market file: it does not begin with %%%%MatrixMarket");
  endif
  if (numel (words) != 5)
    fail ("header", file, line, "expected %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  endif
  check_word (file, "object", words{2}, {"matrix"});
  check_word (file, "format", words{3}, {"coordinate", "array"});
  check_word (file, "field", words{4},
              {"real", "double", "complex", "integer", "unsigned-integer", "pattern"});
  check_word (file, "symmetry", words{5}, {"general", "symmetric", "skew-symmetric", "hermitian"});
  info = struct ("format", words{3}, "field", words{4}, "symmetry", words{5}, "rows", 0,
                 "cols", 0, "entries", 0, "comments", {{}});

  pattern = strcmp (info.field, "pattern");
  if (pattern && strcmp (info.format, "array"))
    fail ("header", file, line, "the array format has no field pattern");
  elseif (pattern && any (strcmp (info.symmetry, {"skew-symmetric", "hermitian"})))
    fail ("header", file, line, "a matrix with the field pattern cannot be %s", info.symmetry);
  elseif (strcmp (info.symmetry, "hermitian") && ! strcmp (info.field, "complex"))
    fail ("header", file, line, "a hermitian matrix must have the field complex, not %s",
          info.field);
  endif

  [info.comments, str, start, line] = read_comments (file, text, bytes, start, line);

  if (strcmp (info.format, "coordinate"))
    labels = {"rows", "columns", "entries"};
  else
    labels = {"rows", "columns"};
  endif
  words = regexp (str, '\S+', "match");
  sizes = str2double (words);
  if (numel (words) != numel (labels) || any (cellfun (@isempty, regexp (words, '^\+?\d+$')))
      || ! all (sizes <= flintmax ()))
    fail ("size", file, line, "expected %d sizes (%s), found \"%s\"", numel (labels),
          strjoin (labels, ", "), shortened (str));
  endif
  info.rows = sizes(1);
  info.cols = sizes(2);
  if (! strcmp (info.symmetry, "general") && info.rows != info.cols)
    fail ("size", file, line, "a %s matrix must be square, not %d x %d", info.symmetry, info.rows,
          info.cols);
  endif
  if (numel (sizes) == 3)
    info.entries = sizes(3);
  elseif (strcmp (info.symmetry, "general"))
    info.entries = info.rows * info.cols;
  else
    diagonals = 1 - 2 * strcmp (info.symmetry, "skew-symmetric");
    info.entries = info.rows * (info.rows + diagonals) / 2;
  endif

endfunction

## The line that begins at text(start), without its end, and the start of the next line.
function [str, next] = one_line (text, start)

  ## Header lines are usually short, so search the first characters before all of the text.
  for last = [min(start + 1023, numel (text)), numel(text)]
    len = find (text(start:last) == "\n", 1);
    if (! isempty (len))
      break;
    endif
  endfor
  if (isempty (len))
    len = numel (text) - start + 2;
  endif
  str = text(start:start+len-2);
  next = start + len;

endfunction

## The text after the %, without one blank after the % and blanks at the end.
## The comments from START on, and the first line STR that is neither one nor blank.  The text is read in
## pieces, since a call for each line would take minutes for a million.
function [comments, str, start, line] = read_comments (file, text, bytes, start, line)

  comments = {};
  str = "";
  wanted = 2048;
  while (isempty (str))
    if (start > numel (text))
      fail ("size", file, line, "the file ends before the line with the sizes");
    endif
    wanted *= 4;
    piece = start:min (start + wanted - 1, numel (text));
    part = text(piece);
    ends = find (part == "\n");
    if (piece(end) == numel (text) && part(end) != "\n")
      ends(end+1) = numel (part) + 1;
    endif
    if (isempty (ends))                   # of a line that is longer than the piece
      continue;
    endif
    begins = [1, ends(1:end-1) + 1];
    is_blank = part == " " | (part >= 9 & part <= 13);
    shown = [find(! is_blank & part != 0), Inf];
    first = shown(lookup (shown, begins - 0.5) + 1);
    has_text = first < ends;
    is_comment = has_text;
    is_comment(has_text) = part(first(has_text)) == "%";
    k = find (has_text & ! is_comment, 1);
    if (! isempty (k))
      str = strtrim (part(begins(k):ends(k)-1));
      is_comment(k:end) = [];
      ends(k+1:end) = [];
    endif
    first = first(is_comment) + 1;
    dark = find (! is_blank);
    last = dark(lookup (dark, ends(is_comment) - 0.5));
    first += first <= last & [is_blank, false](first);
    if (any (is_comment))
      comments = [comments, cellslices(bytes(piece), first, last, 2)];
    endif
    start += ends(end);
    line += numel (ends);
  endwhile

endfunction

function check_word (file, what, word, words)

  if (! any (strcmp (word, words)))
    fail ("header", file, 1, "unknown %s \"%s\"; it must be %s", what, shortened (word),
          strjoin (words, ", "));
  endif

endfunction

function str = shortened (str)

  str(str < 32 | str == 127) = "?";       # a terminal obeys such characters
  if (numel (str) > 40)
    str = [str(1:37) "..."];
  endif

endfunction

function A = read_coordinate (file, in, info, name)

  if (! any (strcmp (name, {"auto", "double", "logical"})))
    error ("gpumm:mmread:argument",
           "mmread: %s is sparse, and a sparse matrix cannot be of class %s", file, name);
  endif
  is_complex = strcmp (info.field, "complex");
  is_pattern = strcmp (info.field, "pattern");
  if (is_complex && strcmp (name, "logical"))
    error ("gpumm:mmread:argument", "mmread: %s is complex and cannot be logical", file);
  endif

  n = most_entries (in, info);
  ## A sparse matrix stores one number per column, even if the file has no entries.
  check_memory (file, in, info, 8 * (info.cols + 1) + 16 * n);
  index = {"int32", "double"}{1 + (max (info.rows, info.cols) > intmax ())};
  i = j = zeros (1, n, index);
  re = zeros (1, n * ! is_pattern);
  im = zeros (1, n * is_complex);
  done = 0;
  do
    [v, lines, words] = read_entries (file, in, info, done);
    check_indices (file, lines, info, v);
    k = done + (1:columns (v));
    done += columns (v);
    i(k) = v(1,:);
    j(k) = v(2,:);
    if (! is_pattern)
      re(k) = coordinate_values (file, in, lines, words, info, name, v);
    endif
    if (is_complex)
      im(k) = v(4,:);
    endif
    in = next_lines (file, in);
  until (isempty (in.text))
  clear v lines words k;

  if (is_complex)  # a sum of two triangles would make each -0 a +0
    off = find (i != j & ! strcmp (info.symmetry, "general"));
    [re_mirror, im_mirror] = mirror (info.symmetry, re(off), im(off));
    A = sparse ([i, j(off)], [j, i(off)], complex ([re, re_mirror], [im, im_mirror]), ...
                info.rows, info.cols);
    if (isreal (A))
      A = complex (A, 0);  # the file says complex, even if all imaginary parts are 0
    endif
    return;
  elseif (is_pattern)
    A = sparse (i, j, true, info.rows, info.cols);
  else
    A = sparse (i, j, re, info.rows, info.cols);
  endif
  clear i j re;
  if (is_pattern && strcmp (info.symmetry, "symmetric"))
    A |= A.';
  elseif (strcmp (info.symmetry, "symmetric"))
    A += tril (A, -1).';
  elseif (strcmp (info.symmetry, "skew-symmetric"))
    A -= A.';
  endif
  if (! strcmp (name, "auto"))
    A = cast (A, name);
  endif

endfunction

## The real parts, as doubles.
function re = coordinate_values (file, in, lines, words, info, name, v)

  re = v(3,:);
  im = 0;
  if (any (strcmp (info.field, {"integer", "unsigned-integer"})))
    re = exact_integers (file, lines, re, words(3,:), in.text, "double");
  elseif (strcmp (info.field, "complex"))
    im = v(4,:);
  endif
  check_diagonal (file, lines, info, v(1,:) == v(2,:), re, im);
  if (strcmp (name, "logical"))
    re = to_class (file, lines, re, "logical");
    if (any (re) && strcmp (info.symmetry, "skew-symmetric"))
      fail ("range", file, lines(find (re, 1)), "class logical cannot hold -1");
    endif
  endif

endfunction

## The number of entries to expect: those that the sizes give, if the file can hold them.  An entry
## has at least a digit, and a blank or the end of the line, for each number.
function n = most_entries (in, info)

  n = min (info.entries, floor ((in.size + 1) / (2 * numel (labels_of (info)))));

endfunction

function check_memory (file, in, info, bytes)

  if (bytes > 1e9)
    [~, machine] = memory ();
    if (bytes > machine.PhysicalMemory.Total / 2)
      fail ("size", file, in.line, "a %d x %d matrix of %d entries needs %.3g GB of memory", ...
            info.rows, info.cols, info.entries, 1e-9 * bytes);
    endif
  endif

endfunction

function A = read_array (file, in, info, name)

  if (strcmp (name, "auto"))
    name = "double";
  endif
  is_complex = strcmp (info.field, "complex");
  if (is_complex && ! any (strcmp (name, {"double", "single"})))
    error ("gpumm:mmread:argument", "mmread: %s is complex and cannot be of class %s", file, name);
  endif

  n = most_entries (in, info);
  check_memory (file, in, info, 8 * n * (1 + is_complex));
  skew = strcmp (info.symmetry, "skew-symmetric");
  re = repmat (cast (0, name), 1, n);
  im = repmat (cast (0, name), 1, n * is_complex);
  on_diagonal = false (1, n * strcmp (info.symmetry, "hermitian"));
  if (any (! on_diagonal) && n == info.entries)
    on_diagonal(cumsum ([1, info.rows:-1:2])) = true;
  endif
  done = 0;
  do
    [v, lines, words] = read_entries (file, in, info, done);
    k = done + (1:columns (v));
    done += columns (v);
    part = v(1,:);
    if (any (strcmp (info.field, {"integer", "unsigned-integer"})))
      part = exact_integers (file, lines, part, words, in.text, name);
    endif
    re(k) = part = to_class (file, lines, part, name);
    if (is_complex)
      im(k) = to_class (file, lines, v(2,:), name);
    endif
    if (strcmp (info.symmetry, "hermitian"))
      check_diagonal (file, lines, info, on_diagonal(k), part, v(2,:));
    elseif (skew)
      check_negatives (file, lines, part);
    endif
    in = next_lines (file, in);
  until (isempty (in.text))
  clear v lines words k part;

  if (strcmp (info.symmetry, "general"))
    A = reshape (re, info.rows, info.cols);
    if (is_complex)
      A = complex (A, reshape (im, info.rows, info.cols));
    endif
  else
    stored = tril (true (info.rows), -skew);
    [re_mirror, im_mirror] = mirror (info.symmetry, re, im);
    A = complete (stored, re, re_mirror);
    if (is_complex)
      A = complex (A, complete (stored, im, im_mirror));
    endif
  endif

endfunction

## What the numbers of a line are.
function labels = labels_of (info)

  labels = {"value"};
  if (strcmp (info.field, "complex"))
    labels = {"real part", "imaginary part"};
  elseif (strcmp (info.field, "pattern"))
    labels = {};
  endif
  if (strcmp (info.format, "coordinate"))
    labels = [{"row", "column"}, labels];
  endif

endfunction

## Reads the numbers in in.text, which begins on the line after in.line.  Entry k is v(:,k) and
## stands on line lines(k).  The digits of v(:,k) begin at in.text(words(:,k)).  DONE entries have
## been read before.
##
## One sscanf reads all of the text, but ignores lines and the ends of words ("1-2" gives two
## numbers, "--1" gives 1).  So check three things: the number of words is the number of numbers, no
## sign is misplaced, and each line has the numbers of one entry.
function [v, lines, words] = read_entries (file, in, info, done)

  labels = labels_of (info);
  width = numel (labels);
  line = in.line;
  text = without_comments (in.text);
  if (! isempty (text) && text(end) != "\n")
    text(end+1) = "\n";  # sscanf passes over the beginning of a word, "in" or ".", at the end of all text
  endif
  [v, complete] = read_numbers (text);
  space = isspace (text);
  words = find (! space & [true, space(1:end-1)](1:numel (space)));
  if (! complete || numel (v) != numel (words) || any_loose_sign (text, space))
    k = first_non_number (text);
    fail ("number", file, line + 1 + sum (text(1:k-1) == "\n"), "\"%s\" is not a number",
          word_at (text, k));
  endif
  clear space;
  k = find (isinf (v));
  k = k(lower (text(words(k))) != "i" & lower (text(min (words(k) + 1, end))) != "i");
  if (! isempty (k))
    fail ("range", file, line + 1 + sum (text(1:words(k(1))-1) == "\n"),
          "%s is beyond the largest double", word_at (text, words(k(1))));
  endif

  ends = find (text == "\n");
  if (isempty (words))
    on_line = zeros (1, numel (ends) + 1);
  else
    on_line = diff ([0, lookup(words, ends), numel(words)]);
  endif
  k = find (on_line != 0 & on_line != width, 1);
  if (! isempty (k))
    fail ("layout", file, line + k, "expected %d number%s (%s), found %d", width,
          {"", "s"}{1 + (width > 1)}, strjoin (labels, ", "), on_line(k));
  endif

  lines = line + find (on_line);
  n = numel (lines);
  if (done + n > info.entries)
    fail ("count", file, lines(info.entries - done + 1),
          "more entries than the %d that the line with the sizes gives", info.entries);
  elseif (in.is_last && done + n < info.entries)
    fail ("count", file, [line, lines](end), "the file ends after %d of %d entries", done + n,
          info.entries);
  endif
  v = reshape (v, width, n);
  words = reshape (words, width, n);

endfunction

## The numbers before the first word that is not a number, as a column.  COMPLETE: no such word?
function [v, complete] = read_numbers (text)

  [v, ~, ~, stop] = sscanf (text, "%f");
  if (stop <= numel (text) && any (lower (text(stop)) == "di"))
    ## Fortran's exponents, and "infinity" written in full.
    text(text == "d" | text == "D") = "e";
    if (any (lower (text) == "y"))
      text = regexprep (text, '(?i)\<infinity(?!\S)', "inf     ");
    endif
    [v, ~, ~, stop] = sscanf (text, "%f");
  endif
  v = v(:);
  complete = stop > numel (text);

endfunction

## Overwrites comment lines with spaces, so that all other characters keep their positions.
function text = without_comments (text)

  if (any (text == "%"))
    [first, last] = regexp (text, '^[ \t]*%[^\n]*', "start", "end", "lineanchors");
    for k = 1:numel (first)
      text(first(k):last(k)) = " ";
    endfor
  endif

endfunction

## Is there a sign that does not begin a word or an exponent, or that no number follows?
function yes = any_loose_sign (text, space)

  k = find (text == "-" | text == "+");
  if (isempty (k))  # the comparisons below may fail for an empty k of this size
    yes = false;
    return;
  endif
  before = max (k - 1, 1);
  after = min (k + 1, numel (text));
  begins = k == 1 | space(before) | any (text(before) == "eEdD".', 1);
  goes_on = isdigit (text(after)) | any (text(after) == ".iInN".', 1);
  yes = ! all (begins & goes_on);

endfunction

function k = first_non_number (text)

  number = ['[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?', ...
            '|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]?)'];
  k = regexp (text, ['(?<!\S)(?!' number '(?!\S))\S'], "once", "start");
  if (isempty (k))
    k = find (! isspace (text), 1);
  endif

endfunction

function word = word_at (text, k)

  word = shortened (regexp (text(k:min (k + 99, end)), '\S+', "once", "match"));

endfunction

function check_indices (file, lines, info, v)

  check_index (file, lines, v(1,:), info.rows, "row");
  check_index (file, lines, v(2,:), info.cols, "column");
  k = find (v(1,:) < v(2,:) & ! strcmp (info.symmetry, "general"), 1);
  if (! isempty (k))
    fail ("triangle", file, lines(k),
          "entry (%d, %d) is above the diagonal; a %s file stores only the lower triangle",
          v(1,k), v(2,k), info.symmetry);
  endif

endfunction

function check_index (file, lines, i, n, what)

  k = find (! (i >= 1 & i <= n & i == fix (i)), 1);
  if (! isempty (k))
    fail ("index", file, lines(k), "%s index %.15g is not an integer from 1 to %d", what, i(k), n);
  endif

endfunction

function check_diagonal (file, lines, info, diagonal, re, im)

  im_bad = false;
  if (! isempty (im))
    im_bad = im != 0;
  endif
  if (strcmp (info.symmetry, "skew-symmetric"))
    k = find (diagonal & (re != 0 | im_bad), 1);
    what = "value";
  elseif (strcmp (info.symmetry, "hermitian"))
    k = find (diagonal & im_bad, 1);
    what = "imaginary part";
  else
    return;
  endif
  if (! isempty (k))
    fail ("diagonal", file, lines(k), "the %s on the diagonal of a %s matrix must be zero", what,
          info.symmetry);
  endif

endfunction

## A skew-symmetric matrix needs -x for each x.  int8 has no 128, uint8 has no -1.
function check_negatives (file, lines, x)

  if (islogical (x) || (isinteger (x) && intmin (class (x)) == 0))
    k = find (x != 0, 1);
  elseif (isinteger (x))
    k = find (x == intmin (class (x)), 1);
  else
    return;
  endif
  if (! isempty (k))
    fail ("range", file, lines(k), "class %s cannot hold -(%d)", class (x), x(k));
  endif

endfunction

## The entries above the diagonal, computed from the entries below it.
function [re, im] = mirror (symmetry, re, im = [])

  ## Compute 0 - x rather than -x, so that the image of 0 is +0.
  switch (symmetry)
    case "skew-symmetric"
      re = 0 - re;
      im = 0 - im;
    case "hermitian"
      im = 0 - im;
  endswitch

endfunction

## The full matrix with the entries X where STORED is true, column by column, and their mirror
## images X_MIRROR on the other side of the diagonal.
function A = complete (stored, x, x_mirror)

  A = cast (zeros (size (stored)), class (x));
  A(stored) = x_mirror;
  A = A.';
  A(stored) = x;

endfunction

function y = to_class (file, lines, x, name)

  switch (name)
    case "logical"
      k = find (x != 0 & x != 1, 1);
      y = x == 1;
    case {"double", "single"}
      y = cast (x, name);
      k = find (isinf (y) & ! isinf (x), 1);
    otherwise
      y = cast (x, name);
      k = find (! (y == x), 1);
  endswitch
  if (! isempty (k))
    fail ("range", file, lines(k), "class %s cannot hold %.15g", name, x(k));
  endif

endfunction

## The values of an integer field.  V is exact below 2^53.  Larger values may be rounded, so they
## are computed again from their digits, in the 64-bit class if NAME is one.
function x = exact_integers (file, lines, v, words, text, name)

  k = find (! (v == fix (v)) | isinf (v), 1);
  if (! isempty (k))
    fail ("integer", file, lines(k), "\"%s\" is not an integer", word_at (text, words(k)));
  endif
  x = v;
  large = find (abs (v) >= flintmax ());
  if (isempty (large))
    return;
  endif

  ## Loop over the digits: the first digit of all large numbers, then the second, ...
  text(end+1) = " ";
  at = words(large);
  at += text(at) == "-" | text(at) == "+";
  magnitude = zeros (size (large), "uint64");
  last = (intmax ("uint64") - 5) / 10;
  fits = going_on = true (size (large));
  while (any (going_on))
    digit = text(at) - "0";
    going_on &= digit >= 0 & digit <= 9;
    fits &= ! going_on | magnitude < last | (magnitude == last & digit <= 5);
    magnitude(going_on) = magnitude(going_on) * 10 + digit(going_on);
    at += going_on;
  endwhile
  k = find (! (fits & isspace (text(at))), 1);
  if (! isempty (k))
    fail ("range", file, lines(large(k)), "%s is not a plain integer that fits in 64 bits",
          word_at (text, words(large(k))));
  endif

  negative = v(large) < 0;
  switch (name)
    case "uint64"
      exact = ! negative;
      x = uint64 (v);
      x(large) = magnitude;
    case "int64"
      exact = magnitude <= uint64 (intmax ("int64")) + uint64 (negative);
      x = int64 (v);
      part = int64 (magnitude);
      part(negative) = -1 - int64 (magnitude(negative) - 1);
      x(large) = part;
    otherwise
      exact = magnitude == abs (v(large));
  endswitch
  k = find (! exact, 1);
  if (! isempty (k))
    fail ("range", file, lines(large(k)), "class %s cannot hold %s exactly", name,
          word_at (text, words(large(k))));
  endif

endfunction
