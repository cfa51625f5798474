## Tests of mmread and mmwrite: files by table, every error with its line, random round trips.
##
## SPDX-License-Identifier: BSD-3-Clause

%!function [A, info] = read (text, varargin)
%!  [folder, gone] = scratch ();
%!  [A, info] = mmread (write_file (fullfile (folder, "a"), text), varargin{:});
%!endfunction

## Same values, class, sparsity, complexness, signs of zeros, and NA where it is.
%!function same (A, B)
%!  kind = @(X) {class(X), issparse(X), iscomplex(X), size(X)};
%!  parts = {A, B};
%!  for k = 1:2
%!    if (issparse (parts{k}))
%!      [~, ~, parts{k}] = find (parts{k});
%!    endif
%!    signs{k} = {1 ./ real(parts{k}), 1 ./ imag(parts{k}), isna(parts{k})};
%!  endfor
%!  if (! isequal (kind (A), kind (B)) || ! isequaln (A, B) || ! isequaln (signs{:}))
%!    error ("these differ:\n%s\n%s", disp (A), disp (B));
%!  endif
%!endfunction

## What mmwrite writes is read back as the class NAME; "auto" is double, of a pattern logical.
%!function round_trip (A, name, varargin)
%!  [folder, gone] = scratch ();
%!  file = fullfile (folder, "a");
%!  mmwrite (file, A, varargin{:});
%!  C = mmread (file, "Class", name);
%!  if (! strcmp (class (C), class (A)))
%!    assert ({name, class(C)}, {"auto", "double"});
%!    C = cast (C, class (A));
%!  endif
%!  same (C, A);
%!endfunction

## An error of mmread in a file of these contents: what, on which line, and what it says.
%!function refuses_text (what, line, pattern, text, varargin)
%!  [folder, gone] = scratch ();
%!  file = write_file (fullfile (folder, "a"), text);
%!  check_error (["gpumm:mmread:" what],
%!               sprintf ("^mmread: %s:%d: .*%s", regexptranslate ("escape", file), line, pattern),
%!               @() mmread (file, varargin{:}));
%!endfunction

## "Symmetry", "lenient": the lower triangle or the upper one or both, any diagonal, real Hermitian
%!test
%! table = { ...
%!   "coordinate real symmetric\n3 3 3\n1 1 1\n1 2 2\n3 2 3\n",        sparse([1 2 0; 2 0 3; 0 3 0]);
%!   "coordinate real symmetric\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 3\n", sparse([1 2; 2 3]);
%!   "coordinate real symmetric\n2 2 3\n1 2 2\n2 1 1.5\n2 1 0.5\n",    sparse([0 2; 2 0]);
%!   "coordinate real symmetric\n2 2 2\n1 2 NaN\n2 1 NaN\n",           sparse([0 NaN; NaN 0]);
%!   "coordinate real symmetric\n2 2 2\n1 2 0\n2 1 0\n",               sparse(2, 2);
%!   "coordinate real skew-symmetric\n3 3 2\n1 2 2\n3 2 -3\n",         sparse([0 2 0; -2 0 3; 0 -3 0]);
%!   "coordinate real skew-symmetric\n2 2 3\n1 1 5\n1 2 2\n2 1 -2\n",  sparse([5 2; -2 0]);
%!   "coordinate complex hermitian\n2 2 2\n1 2 1 2\n2 2 5 7\n",        sparse([0 1+2i; 1-2i 5+7i]);
%!   "coordinate complex hermitian\n2 2 2\n1 2 1 2\n2 1 1 -2\n",       sparse([0 1+2i; 1-2i 0]);
%!   "coordinate real hermitian\n2 2 2\n1 1 3\n2 1 4\n",               sparse([3 4; 4 0]);
%!   "coordinate integer hermitian\n2 2 1\n1 2 4\n",                   sparse([0 4; 4 0]);
%!   "coordinate pattern symmetric\n3 3 3\n1 2\n2 1\n3 1\n",           sparse(logical([0 1 1; 1 0 0; 1 0 0]));
%!   "coordinate pattern hermitian\n2 2 1\n2 1\n",                     sparse(logical([0 1; 1 0]));
%!   "array complex hermitian\n2 2\n1 6\n3 4\n5 0\n",                  [1+6i, 3-4i; 3+4i, 5];
%!   "array real hermitian\n2 2\n1\n3\n5\n",                           [1 3; 3 5];
%!   "coordinate real general\n2 2 2\n1 2 2\n2 1 3\n",                 sparse([0 2; 3 0])};
%! for row = table.'
%!   same (read (["%%MatrixMarket matrix " row{1}], "Symmetry", "Lenient"), row{2});
%! endfor
%! for row = {"real symmetric\n3 3 3\n1 1 1\n2 3 2\n3 2 3\n", "\\(3,2\\) and \\(2,3\\) do not match in a symmetric"; ...
%!            "real skew-symmetric\n2 2 2\n1 2 2\n2 1 2\n", "\\(2,1\\) and \\(1,2\\) do not match in a skew"; ...
%!            "complex hermitian\n2 2 2\n1 2 1 2\n2 1 1 2\n", "do not match in a hermitian"}.'
%!   check_error ("gpumm:mmread:triangle", row{2}, @() read (["%%MatrixMarket matrix coordinate " row{1}], "Symmetry", "lenient"));
%! endfor
%! check_error ("gpumm:bad-value", "^mmread: Symmetry must be \"strict\" or \"lenient\"$", @() read ("", "Symmetry", "loose"));
%! n = 300; # many entries, both triangles, in any order
%! A = sprand (n, n, 0.02);
%! A = A + A.';
%! [i, j, x] = find (A);
%! order = randperm (numel (i));
%! text = sprintf ("%d %d %.17g\n", [i, j, x](order,:).');
%! same (read (sprintf ("%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n%s", n, n, numel (i), text), ...
%!             "Symmetry", "lenient"), A);

## Every format, field and symmetry that there is, and places that are named twice.
%!test
%! table = { ...
%!   "coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e3\n1 2 .5\n", sparse([1.5 .5 0; 0 0 -2e3]);
%!   "coordinate double general\n1 1 1\n1 1 2\n",                   sparse(2);
%!   "coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n",     sparse([1 2 0; 2 0 3; 0 3 0]);
%!   "coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 -3\n",      sparse([0 -2 0; 2 0 3; 0 -3 0]);
%!   "coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n",       sparse([0 -3; 3 0]);
%!   "coordinate real general\n1 2 3\n1 1 5\n1 1 -5\n1 2 1\n",      sparse([0 1]);
%!   "coordinate complex general\n2 2 2\n1 2 1 2\n2 2 0 -1\n", ...
%!       sparse([0 1+2i; 0 complex(0,-1)]);
%!   "coordinate complex symmetric\n2 2 2\n2 1 1 2\n2 2 0 -1\n", ...
%!       sparse([0 1+2i; 1+2i complex(0,-1)]);
%!   "coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n",         sparse([0 -1-2i; 1+2i 0]);
%!   "coordinate complex hermitian\n2 2 2\n2 1 1 2\n2 2 5 0\n",     sparse([0 1-2i; 1+2i 5]);
%!   "coordinate complex hermitian\n2 2 2\n2 1 1 1\n2 1 1 2\n",     sparse([0 2-3i; 2+3i 0]);
%!   "coordinate complex general\n1 2 1\n1 1 3 0\n", ...
%!       complex(sparse([3 0]), sparse(1, 2));
%!   "coordinate integer general\n2 2 2\n1 1 7\n2 1 -8\n",          sparse([7 0; -8 0]);
%!   "coordinate integer general\n1 1 1\n1 1 1152921504606846976\n", sparse(2^60);
%!   "coordinate unsigned-integer general\n1 1 1\n1 1 7\n",         sparse(7);
%!   "coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 -8\n",        sparse([7 -8; -8 0]);
%!   "coordinate integer skew-symmetric\n2 2 1\n2 1 -8\n",          sparse([0 8; -8 0]);
%!   "coordinate pattern general\n2 3 2\n1 1\n2 3\n",               sparse(logical([1 0 0; 0 0 1]));
%!   "coordinate pattern general\n2 2 3\n1 2\n1 2\n2 2\n",          sparse(logical([0 1; 0 1]));
%!   "coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",             sparse(logical([1 1; 1 0]));
%!   "array real general\n2 3\n1\n2\n3\n4\n5\n6\n",                 [1 3 5; 2 4 6];
%!   "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",               [1 2 3; 2 4 5; 3 5 6];
%!   "array real skew-symmetric\n3 3\n1\n2\n3\n",                   [0 -1 -2; 1 0 -3; 2 3 0];
%!   "array complex general\n1 2\n1 2\n3 -4\n",                     [1+2i, 3-4i];
%!   "array complex symmetric\n2 2\n1 2\n3 4\n5 6\n",               [1+2i 3+4i; 3+4i 5+6i];
%!   "array complex skew-symmetric\n2 2\n3 4\n",                    [0 -3-4i; 3+4i 0];
%!   "array complex hermitian\n2 2\n1 0\n3 4\n5 0\n",               [1 3-4i; 3+4i 5];
%!   "array complex general\n1 2\n1 0\n3 0\n",                      complex([1 3], 0);
%!   "array complex hermitian\n2 2\n1 0\n3 0\n5 0\n",               complex([1 3; 3 5], 0);
%!   "array integer general\n1 3\n-1\n0\n+2\n",                     [-1 0 2];
%!   "array integer general\n1 2\n18014398509481984\n-9007199254740992\n", [2^54, -2^53];
%!   "array integer symmetric\n2 2\n1\n2\n3\n",                     [1 2; 2 3];
%!   "array integer skew-symmetric\n2 2\n-4\n",                     [0 4; -4 0];
%!   "coordinate real general\n0 0 0\n",                            sparse(0, 0);
%!   "coordinate pattern symmetric\n0 0 0\n",                       sparse(false(0, 0));
%!   "coordinate complex general\n3 4 0\n", ...
%!       complex(sparse(3, 4), sparse(3, 4));
%!   "array real general\n0 4\n",                                   zeros(0, 4);
%!   "array real symmetric\n0 0\n",                                 [];
%!   "array real skew-symmetric\n0 0\n",                            [];
%!   "array real skew-symmetric\n1 1\n",                            0;
%!   "array complex hermitian\n0 0\n",                              complex(zeros(0, 0), 0);
%!   ["array real general\n9 1\nInf\n-inf\nNaN\nnan\nINFINITY\n-Infinity\nNA\n-0\n" ...
%!    "1d3\n"],                                       [Inf; -Inf; NaN; NaN; Inf; -Inf; NA; -0; 1e3];
%!   ["array real general\n3 1\n-4.9406564584124654D-324\n1e-400\n" ...
%!    "1.7976931348623157e308\n"],                                  [-2^-1074; 0; realmax];
%! };
%! for k = 1:rows (table)
%!   [A, info] = read (["%%MatrixMarket matrix " table{k,1}]);
%!   same (A, table{k,2});
%!   assert (! issparse (A) || nzmax (A) == max (nnz (A), 1) || nzmax (A) == nnz (A));
%!   words = strsplit (strtok (table{k,1}, "\n"), " ");
%!   assert ({info.format, info.field, info.symmetry}, words);
%!   assert ([info.rows, info.cols], size (A));
%!   assert (info.entries, sum (table{k,1} == "\n") - 2);
%! endfor

## Oddities of real files.
%!test
%! b = "%%MatrixMarket matrix coordinate real general\n";
%! want = sparse ([1 2], [1 3], [10 -0.25], 2, 3);
%! table = { ...
%!   [b "2 3 2\n1 1 10\n2 3 -0.25"];                                  # no end of the last line
%!   [b "2 3 2\n1 1 10\n2 3 -0.25\n\n\n  \n"];
%!   ["\xEF\xBB\xBF" b "2 3 2\n1 1 10\n2 3 -0.25\n"];                 # byte order mark
%!   strrep([b "% c\n\n2 3 2\n1 1 10\n2 3 -0.25\n"], "\n", "\r\n");
%!   strrep([b "% c\n\n2 3 2\n1 1 10\n2 3 -0.25\n"], "\n", "\r");
%!   [b "% c\n\n%\n \t\n2 3 2\n% d 5 5 5\n1 1 10\n\n  % e\n2 3 -0.25\n%"];
%!   [b "  2\t3   2 \n\t1 1 10  \n 2   3\t-0.25\t\n"];
%!   [b "2 3 2\n1 1 1.0D+1\n2 3 -2.5d-01\n"];                         # Fortran
%!   [b "2 3 2\n01 +1 1E1\n2 3 -.25\n"];
%!   [b "2 3 2\n2 3 -2500e-4\n1 1 10.\n"];                            # not in order
%!   [b "2 3 4\n1 1 7\n2 3 -0.25\n1 1 3\n1 2 0\n"];                   # summed; a stored zero
%!   [upper(b) "2 3 2\n1 1 10\n2 3 -0.25\n"];
%!   ["%%matrixmarket  Matrix\tCoordinate Real   General \n2 3 2\n1 1 10\n2 3 -0.25\n"];
%! };
%! for k = 1:rows (table)
%!   A = read (table{k});
%!   same (A, want);
%!   assert ([nnz(A), nzmax(A)], [2, 2]);
%! endfor
%! assert (size (read ("%%MatrixMarket matrix array real general\n0 3\n\n")), [0, 3]);

## Classes: the value, or the line of the first number that a class has not and what is said.
%!test
%! numbers = "array integer general\n1 3\n1\n300\n-1\n";
%! halves = "array real general\n3 1\n1\n0.5\nNaN\n";
%! skew = "array integer skew-symmetric\n2 2\n";
%! i = "array integer general\n1 1\n";
%! table = { ...
%!   "array real general\n1 2\n1\n0\n",                   "logical", [true false];
%!   "array complex general\n1 1\n0.1 2\n",               "single", single(0.1+2i);
%!   "coordinate integer symmetric\n2 2 1\n2 1 1\n",      "logical", sparse(logical ([0 1; 1 0]));
%!   "coordinate pattern general\n1 1 2\n1 1\n1 1\n",     "double", sparse(1);
%!   "array integer general\n1 2\n9007199254740993\n-9223372036854775808\n", "int64", ...
%!       int64([9007199254740992, 0]) + [int64(1), intmin("int64")];
%!   "array integer general\n1 2\n18446744073709551615\n000000000000000000000000000003\n", ...
%!       "uint64", [intmax("uint64"), 3];
%!   [skew "127\n"],                "int8", int8([0 -127; 127 0]);
%!   [skew "0\n"],                  "logical", false(2);
%!   numbers,                       "int8", {4, "class int8 .*\"300\""};
%!   numbers,                       "uint16", {5, "class uint16 .*\"-1\""};
%!   numbers,                       "logical", {4, "class logical .*\"300\""};
%!   halves,                        "int32", {4, "class int32 .*\"0.5\""};
%!   strrep(halves, "0.5", "5"),    "int8", {5, "class int8 .*\"NaN\""};
%!   strrep(halves, "\n1\n", "\n1e300\n"), "single", {3, "class single .*\"1e300\""};
%!   [i "9223372036854775808\n"],   "int64", {3, "9223372036854775808"};
%!   [i "-9223372036854775809\n"],  "int64", {3, "-9223372036854775809"};
%!   [i "-9007199254740993\n"],     "uint64", {3, "-9007199254740993"};
%!   [i "9007199254740992\n"],      "int32", {3, "int32 .*\"9007199254740992\""};
%!   "array real general\n1 1\n1e19\n", "int64", {3, "class int64 .*\"1e19\""};
%!   [skew "-128\n"],               "int8", {3, "int8 .* above the diagonal.*\"-128\""};
%!   [skew "5\n"],                  "uint8", {3, "uint8 .* above the diagonal.*\"5\""};
%!   [skew "1\n"],                  "logical", {3, "logical .* above the diagonal.*\"1\""};
%!   "coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "logical", ...
%!       {3, "logical .* above the diagonal.*\"2 1 1\""};
%! };
%! for name = {"double", "single", "int8", "int16", "int32", "int64", "auto"}
%!   type = strrep (name{1}, "auto", "double");
%!   table(end+1,:) = {"array integer general\n1 3\n1\n-128\n100\n", name{1}, ...
%!                     cast([1 -128 100], type)};
%! endfor
%! for k = 1:rows (table)
%!   [text, name, wanted] = table{k,:};
%!   text = ["%%MatrixMarket matrix " text];
%!   if (iscell (wanted))
%!     refuses_text ("range", wanted{:}, text, "Class", name);
%!   else
%!     same (read (text, "class", name), wanted);
%!   endif
%! endfor

## What is no number, at the end of the file and before other lines: what is said of it, in quotes.
%!test
%! words = {"x", "1.0f", "2,5", "2%", "1-2", "--1", "+-1", "-", "1e", "1e5.5", "0x1F", "NaNNaN", ...
%!          "nan(3)", "infinite", "1dd5", ".", "1i", "5n", "5in", "NaN.", "\xff", "1\0"};
%! coordinate = "%%MatrixMarket matrix coordinate real general\n2 2 2\n% c\n1 1 1d0\n";
%! array = "%%MatrixMarket matrix array real general\n2 1\n";
%! for word = words
%!   seen = word{1};
%!   seen(seen < " " | seen > "~") = "?";
%!   quoted = ["\"" regexptranslate("escape", seen) "\" is not a number"];
%!   for last = {"", "\n"}
%!     refuses_text ("number", 5, quoted, [coordinate "2 2 " word{1} last{1}]);
%!     refuses_text ("number", 4, quoted, [array "1\n" word{1} last{1}]);
%!   endfor
%!   refuses_text ("number", 3, quoted, [array word{1} "\n1\n"]);
%!   refuses_text ("number", 5, quoted, [coordinate "2 " word{1} " 2\n"]);
%! endfor
%! refuses_text ("number", 3, "x{37}\\.\\.\\.\" is not", [array repmat("x", 1, 500) "\n"]);

## Other errors: what, line, text, file.
%!test
%! b = "%%MatrixMarket matrix ";
%! r = [b "coordinate real general\n"];
%! s = [b "coordinate real symmetric\n"];
%! k = [b "coordinate real skew-symmetric\n"];
%! h = [b "coordinate complex hermitian\n"];
%! a = [b "array real general\n"];
%! i = [b "array integer general\n"];
%! table = { ...
%!   "banner",   1, "MatrixMarket",              "";
%!   "banner",   1, "MatrixMarket",              "\n";
%!   "banner",   1, "MatrixMarket",              "1 2 3\n";
%!   "banner",   1, "MatrixMarket", "%MatrixMarket matrix array real general\n1 1\n1\n";
%!   "banner",   1, "MatrixMarket", "\n%%MatrixMarket matrix array real general\n1 1\n1\n";
%!   "header",   1, "matrix FORMAT FIELD SYMM",  "%%MatrixMarket\n";
%!   "header",   1, "matrix FORMAT FIELD SYMM",  [b "array real\n1 1\n1\n"];
%!   "header",   1, "matrix FORMAT FIELD SYMM",  [b "array real general x\n1 1\n1\n"];
%!   "header",   1, "object \"vector\"", "%%MatrixMarket vector array real general\n1 1\n1\n";
%!   "header",   1, "format \"elemental\"",      [b "elemental real general\n1 1\n1\n"];
%!   "header",   1, "field \"quaternion\".*pattern", [b "array quaternion general\n1 1\n1\n"];
%!   "header",   1, "symmetry \"upper\".*hermitian", [b "array real upper\n1 1\n1\n"];
%!   "header",   1, "no field pattern",      [b "array pattern general\n1 1\n1\n"];
%!   "header",   1, "cannot be skew-symmetric",  [b "coordinate pattern skew-symmetric\n1 1 0\n"];
%!   "header",   1, "must have the field complex, not pattern",       [b "coordinate pattern hermitian\n1 1 0\n"];
%!   "header",   1, "complex, not real",         [b "coordinate real hermitian\n1 1 0\n"];
%!   "header",   1, "complex, not integer",      [b "array integer hermitian\n1 1\n1\n"];
%!   "size",     1, "ends before",               strtrim(r);
%!   "size",     4, "ends before",               [r "%\n%\n\n"];
%!   "size",     3, "expected 3 .*found \"2 3\"",   [r "% c\n2 3\n1 1 1\n"];
%!   "size",     2, "expected 2 .*found \"2 3 1\"", [a "2 3 1\n1\n"];
%!   "size",     2, "so many rows: sizes are at most 2\\^53", [a repmat("9", 1, 400) " 1\n1\n"];
%!   "size",     2, "so many rows",              [r repmat("9", 1, 240) " 3 0\n"];
%!   "size",     2, "so many rows.*\"9223372036854775808 1 1\"$", [r "9223372036854775808 1 1\n1 1 1\n"];
%!   "size",     2, "so many columns",           [r "1 99999999999999999999 0\n"];
%!   "size",     2, "so many entries",           [r "2 2 18446744073709551616\n1 1 1\n"];
%!   "size",     2, "found \"2 2\\? 1\"",        [r "2 2\0 1\n1 1 1\n"];
%!   "size",     2, "1 x 100000000000000 matrix of 0 entries needs 800000 GB", ...
%!       [r "1 100000000000000 0\n"];
%!   "count",    3, "after 1 of 9007199254740992", [r "1 1 9007199254740992\n1 1 1\n"];
%!   "count",    3, "after 1 of 8.11\\d*e\\+31",  [a "9007199254740992 9007199254740992\n1\n"];
%!   "header",   1, "unknown symmetry \"gen\\?\"", ["%%MatrixMarket matrix array real gen\xff\n"];
%!   "size",     2, "square, not 2 x 3",         [s "2 3 0\n"];
%!   "size",     3, "square, not 3 x 2",         [b "array real skew-symmetric\n\n3 2\n1\n2\n3\n"];
%!   "number",   4, "\"1-2\" is not",            [r "2 2 2\n1 1 1\n2 1-2\n"];
%!   "number",   3, "\"-\" is not",              [r "2 2 2\n1 1 - 2\n2 2 1-2\n"];
%!   "number",   4, "is not a number",           [r "2 2 2\n1 1 1\n\0 2 2 2\n"];
%!   "range",    4, "largest double.*\"1e400\"",           [a "2 1\n1\n1e400\n"];
%!   "range",    3, "largest double.*\"-\\.5e999\"",       [a "2 1\n-.5e999\n1\n"];
%!   "layout",   4, "3 numbers, found 2", [r "2 2 2\n1 1 1\n2 2\n"];
%!   "layout",   3, "3 numbers, found 4",       [r "2 2 2\n1 1 1 0\n2 2 2\n"];
%!   "layout",   3, "3 numbers, found 2",       [r "2 2 2\n1 1\n1 2 2 2\n"];  # six in all
%!   "layout",   3, "3 numbers, found 6",       [r "2 2 2\n1 1 1 2 2 2\n"];
%!   "layout",   5, "4 numbers, found 3", ...
%!                                               [h "2 2 2\n1 1 1 0\n\n2 1 1\n"];
%!   "layout",   3, "2 numbers, found 3", ...
%!                                               [b "coordinate pattern general\n2 2 1\n1 1 1\n"];
%!   "layout",   4, "1 number, found 2", [a "1 3\n1\n2 3\n"];
%!   "layout",   3, "2 numbers, found 1", ...
%!                                               [b "array complex general\n1 1\n1\n"];
%!   "count",    4, "1 of 2",                    [r "% c\n2 2 2\n1 1 1\n"];
%!   "count",    2, "0 of 2",                    [r "2 2 2\n"];
%!   "count",    2, "0 of 2",                    [r "2 2 2"];
%!   "count",    5, "3 of 4",                    [a "2 2\n1\n2\n3\n\n\n"];
%!   "count",    4, "2 of 3",                    [b "array real symmetric\n2 2\n1\n2\n"];
%!   "count",    6, "2 entries.*more, found \"2 1 3\"", [r "2 2 2\n1 1 1\n\n1 2 2\n2 1 3\n2 2 4\n"];
%!   "count",    3, "0 entries.*more, found \"1 1 1\"",        [r "2 2 0\n1 1 1\n"];
%!   "count",    7, "4 entries.*more, found \"5\"",        [a "2 2\n1\n2\n3\n4\n5\n6\n"];
%!   "count",    4, "1 entries.*more, found \"2\"",  [b "array real skew-symmetric\n2 2\n1\n2\n"];
%!   "integer",  4, "an integer, found \"2.5\"", [i "1 2\n1\n2.5\n"];
%!   "integer",  3, "an integer, found \"NaN\"", [i "1 2\nNaN\n2\n"];
%!   "integer",  3, "an integer, .*\"1 1 Inf\"", [b "coordinate integer general\n1 2 1\n1 1 Inf\n"];
%!   "range",    3, "double .*\"9007199254740993\"", [i "1 1\n9007199254740993\n"];
%!   "range",    4, "double .*\"1 2 -9007199254740993\"", ...
%!               [b "coordinate integer general\n1 2 2\n1 1 1\n1 2 -9007199254740993\n"];
%!   "range",    3, "plain integer.*\"18446744073709551616\"", [i "1 1\n18446744073709551616\n"];
%!   "range",    3, "plain .*\"100000000000000000000000\"", [i "1 1\n100000000000000000000000\n"];
%!   "range",    3, "plain integer.*\"1e20\"",                [i "1 1\n1e20\n"];
%!   "index",    4, "row index.* 1 to 2, found \"3 1 1\"",     [r "2 4 2\n1 1 1\n3 1 1\n"];
%!   "index",    4, "row index.*\"0 1 1\"",              [r "2 4 2\n\n0 1 1\n1 1 1\n"];
%!   "index",    3, "row index.*\"-1 1 1\"",             [r "2 4 1\n-1 1 1\n"];
%!   "index",    3, "column index.* 1 to 4, found \"1 5 1\"",  [r "2 4 1\n1 5 1\n"];
%!   "index",    3, "column index.*\"1 1.5 1\"",         [r "2 4 1\n1 1.5 1\n"];
%!   "index",    3, "row index.*\"NaN 1 1\"",            [r "2 4 1\nNaN 1 1\n"];
%!   "index",    3, "column index.*\"1 Inf\"", [b "coordinate pattern general\n2 4 1\n1 Inf\n"];
%!   "index",    3, "row index.* 1 to 0, found \"1 1 1\"",     [r "0 4 1\n1 1 1\n"];
%!   "triangle", 4, "symmetric .* lower triangle, found \"1 2 1\". Write mmread \\(FILE, \"Symmetry\", \"lenient\"\\)$", [s "2 2 2\n1 1 1\n1 2 1\n"];
%!   "triangle", 3, "skew-symmetric .* lower triangle.*\"1 2 1\"", [k "2 2 1\n1 2 1\n"];
%!   "triangle", 3, "hermitian .* lower triangle.*\"1 2 1 1\"", [h "2 2 1\n1 2 1 1\n"];
%!   "triangle", 3, "lower triangle.*\"1 3\"", [b "coordinate pattern symmetric\n3 3 1\n1 3\n"];
%!   "diagonal", 4, "diagonal of a skew.* zero",        [k "2 2 2\n2 1 1\n2 2 1\n"];
%!   "diagonal", 3, "diagonal of a skew.* zero",        [k "2 2 1\n2 2 NaN\n"];
%!   "diagonal", 3, "diagonal of a skew", [b "coordinate complex skew-symmetric\n2 2 1\n2 2 0 1\n"];
%!   "diagonal", 4, "diagonal of a hermitian.* real", [h "2 2 2\n2 1 1 1\n2 2 1 1\n"];
%!   "diagonal", 5, "diagonal of a hermitian.* real", ...
%!       [b "array complex hermitian\n2 2\n1 0\n1 1\n1 1\n"];
%! };
%! for sizes = {"2 3 x", "-2 3 0", "2.5 3 0", "1e99 3 0", "NaN 3 0", repmat("\xc3", 1, 1e5)}
%!   table(end+1,:) = {"size", 2, "rows, columns, entries", [r sizes{1} "\n"]};
%! endfor
%! for k = 1:rows (table)
%!   refuses_text (table{k,:});
%! endfor

%!test  # arguments, and what is no file or has no end
%! [folder, gone] = scratch ();
%! pipe = fullfile (folder, "pipe");
%! mkfifo (pipe, 600);
%! b = "%%MatrixMarket matrix ";
%! with_head = @(head) write_file (fullfile (folder, strtok (head)), [b head]);
%! table = { ...
%!   "Octave:invalid-fun-call", "Invalid call to mmread", {};
%!   "gpumm:missing-value", "^mmread: option \"Class\" has no value", {"a", "Class"};
%!   "gpumm:mmread:argument", "^mmread: FILE must be a string", {5};
%!   "gpumm:mmread:argument", "^mmread: FILE must be a string", {["a"; "b"]};
%!   "gpumm:unknown-option", "^mmread: unknown option \"Type\"", {"a", "Type", "double"};
%!   "gpumm:bad-value", "^mmread: Class must be one of auto, double", {"a", "Class", "int128"};
%!   "gpumm:mmread:open", "^mmread: cannot open /no/such/file: ", {"/no/such/file"};
%!   "gpumm:mmread:open", "^mmread: cannot read .*directory", {tempdir()};
%!   "gpumm:mmread:open", "^mmread: cannot read", {pipe};
%!   "gpumm:mmread:open", "^mmread: cannot read", {"/dev/zero"};
%!   "gpumm:mmread:open", "^mmread: cannot read", {"/dev/null"};
%!   "gpumm:mmread:open", "^mmread: cannot read", {"a\0b"};
%!   "gpumm:mmread:argument", "sparse .* class single", ...
%!       {with_head("coordinate real general\n0 0 0\n"), "Class", "single"};
%!   "gpumm:mmread:argument", "complex .* class int8", ...
%!       {with_head("array complex general\n0 0\n"), "Class", "int8"};
%!   "gpumm:mmread:argument", "complex .* logical", ...
%!       {with_head("array complex general\n0 0\n"), "Class", "logical"};
%! };
%! for k = 1:rows (table)
%!   check_error (table{k,1:2}, @() mmread (table{k,3}{:}));
%! endfor

## A file of many lines: one bad line is found where it is, and the rest is read in bulk.
%!test
%! n = 2000;
%! k = (1:n);
%! entries = [mod(7 * k, 997) + 1; mod(k, 503) + 1; sin(k)];
%! lines = strsplit (sprintf ("%d %d %.17g\n", entries), "\n")(1:n);
%! head = sprintf ("%%%%MatrixMarket matrix coordinate real general\n997 503 %d\n", n);
%! text = @(lines) [head, strjoin(lines, "\n"), "\n"];
%! A = read (text (lines));
%! assert (A, sparse (entries(1,:), entries(2,:), entries(3,:), 997, 503));
%! for at = [1, 2, 777, n - 1, n]
%!   cases = {"1 2 3.x", "number", at + 2, "\"3.x\""; "1 2", "layout", at + 2, "found 2"; ...
%!            "998 2 1", "index", at + 2, "row index.*\"998 2 1\""; ...
%!            "", "count", n + 2 - (at == n), sprintf("%d of %d", n - 1, n)};
%!   for i = 1:rows (cases)
%!     refuses_text (cases{i,2:4}, text ([lines(1:at-1), cases(i,1), lines(at+1:end)]));
%!   endfor
%! endfor

## A file of several pieces: lines across their ends, each kind of end, comments, and errors in a
## later piece.
%!test
%! n = 4e4;
%! head = "%%MatrixMarket matrix coordinate real general\n%\xff\n";
%! comments = repmat (["% " repmat("c", 1, 97) "\n"], 1, 12000); # more than a piece
%! entry = sprintf ("%d %d %.17f\n", [1:n; n:-1:1; mod(1:n, 1000) / 8 + 1]);
%! want = sparse (1:n, n:-1:1, mod (1:n, 1000) / 8 + 1, n, n);
%! sizes = @(m, n, entries) sprintf ("%d %d %d\n", m, n, entries);
%! all_lines = [head sizes(n, n, n) entry];
%! for text = {all_lines, [head comments sizes(n, n, n) entry], strrep(all_lines, "\n", "\r\n"), ...
%!             strrep(all_lines, "\n", "\r"), strrep(all_lines, "00 ", "00 \t  ")}
%!   [A, info] = read (text{1});
%!   assert (isequal (A, want));
%!   assert (info.comments{1}, "\xff");
%! endfor
%! bad = entry;
%! bad(find (bad == "\n", n - 5)(end) - 1) = "x";
%! refuses_text ("number", n - 2, "x\" is not a number", [head sizes(n, n, n) bad]);
%! refuses_text ("count", n + 3, sprintf ("%d of %d", n, n + 1), [head sizes(n, n, n + 1) entry]);
%! refuses_text ("count", n + 3, "entries, and there are more", [head sizes(n, n, n - 1) entry]);
%! refuses_text ("index", n + 3, "row index.*\"40000 1 ", [head sizes(n - 1, n, n) entry]);
%! ## A file that was cut off where a piece ends, after 10^6 bytes: no piece after it says so.
%! some = entry(1:find (entry == "\n", 10000)(end));
%! fill = @(m) ["%" repmat("x", 1, 1e6 - 2 - numel ([head sizes(n, n, m) some])) "\n"];
%! assert (nnz (read ([head fill(10000) sizes(n, n, 10000) some])), 10000);
%! refuses_text ("count", 10004, "10000 of 10001", [head fill(10001) sizes(n, n, 10001) some]);

## Memory: at most 4 times the file's size, and 64 MB. GPUMM_ENTRIES in the environment: as many entries. Another process has no memory of others.
%!test
%! n = from_environment ("GPUMM_ENTRIES", 2e5);
%! [folder, gone] = scratch ("cd");
%! k = 1:n;
%! square = sprintf ("%d %d %d\n", n, n, n);
%! coordinate = @() sprintf ("%d %d %.10f\n", [k; ceil(k / 2); k / 8]);
%! kinds = {"coordinate real general", square, coordinate, n*(n + 1)/2; ...
%!          "coordinate real symmetric", square, coordinate, n*(n + 1) - 1; ... # 1 on the diagonal
%!          "array real general", sprintf("%d 1\n", n), @() sprintf("%.10f\n", k / 8), n*(n + 1)/2};
%! for kind = kinds.'
%!   write_file (kind{1}, ["%%MatrixMarket matrix " kind{1} "\n" kind{2} kind{3}()]);
%! endfor
%! code = sprintf (["high = @() 1024 * str2double (regexp (fileread (\"/proc/self/status\"), " ...
%!                  "'VmHWM:\\s+(\\d+)', \"tokens\"){1}{1});\nfor name = {%s}\n" ...
%!                  "fid = fopen (\"/proc/self/clear_refs\", \"w\"); fputs (fid, \"5\"); " ...
%!                  "fclose (fid); before = high (); A = mmread (name{1});\n" ...
%!                  "printf (\"%%d %%d\\n\", high () - before, " ...
%!                  "8 * full (sum (nonzeros (A)))); clear A\nendfor"], ...
%!                 sprintf ("\"%s\",", kinds{:,1}));
%! [status, said] = system (another_octave (code));
%! got = sscanf (said, "%f", [2, Inf]).';
%! for i = 1:rows (kinds)
%!   size_of_file = stat (kinds{i,1}).size;
%!   assert (got(i,1) <= 4 * size_of_file + 64e6, "%s: %d bytes for %d", kinds{i,1}, got(i,1), ...
%!           size_of_file);
%!   assert (got(i,1) > 0.5 * size_of_file);
%!   assert (got(i,2), kinds{i,4});
%! endfor

## 200 GB of nothing are refused at once, in little memory.
%!test
%! [folder, gone] = scratch ("cd");
%! b = "%%MatrixMarket matrix ";
%! texts = {"", "", "%%MatrixMarket", [b "array real general\n"], ...
%!          [b "array real general\n9 9\n"], [b "coordinate real general\n9 9 9\n1 1 1\n"], ...
%!          [b "array real general\n100000 100000\n1\n"]};
%! for k = 1:7
%!   write_file (sprintf ("%d.csv", k), texts{k});
%! endfor
%! assert (system ("truncate -s 200G ?.csv"), 0);
%! code = ["for k = 1:7, try, {@mmread, @gpumm_demo}{1 + (k == 1)} (sprintf (\"%d.csv\", k)), " ...
%!         "catch err, disp (err.identifier), end, end"];
%! [~, said] = system (["ulimit -v 4000000; timeout 60 " another_octave(code) " 2>&1"]);
%! refused = regexp (said, '^gpumm:(mmread|demo):\w+$', "match", "lineanchors");
%! assert (numel (refused) == 7, "%s", said);

## What mmwrite writes.
%!test
%! table = { ...
%!   [1 2; 3 4.5], {},                           "array real general\n2 2\n1\n3\n2\n4.5\n";
%!   [1 2; 2 4], {},                             "array real symmetric\n2 2\n1\n2\n4\n";
%!   [1 2; 2 4], {"Symmetry", "general"},        "array real general\n2 2\n1\n2\n2\n4\n";
%!   [0 -2; 2 0], {},                            "array real skew-symmetric\n2 2\n2\n";
%!   [1 3+2i; 3-2i 4], {},                       "array complex hermitian\n2 2\n1 0\n3 -2\n4 0\n";
%!   [1 2i; -2i 4], {}, "array complex general\n2 2\n1 0\n-0 -2\n0 2\n4 0\n";
%!   [1 2i; 2i 4], {},                           "array complex symmetric\n2 2\n1 0\n0 2\n4 0\n";
%!   complex(zeros(2), [0 2; -2 0]), {},         "array complex skew-symmetric\n2 2\n0 -2\n";
%!   5, {},                                      "array real general\n1 1\n5\n";
%!   [], {},                                     "array real general\n0 0\n";
%!   int8([1 -2]), {},                           "array integer general\n1 2\n1\n-2\n";
%!   [true false], {},                           "array integer general\n1 2\n1\n0\n";
%!   complex([1 -2], 0), {},                     "array complex general\n1 2\n1 0\n-2 0\n";
%!   [intmax("uint64") 0 10000000005], {}, ...
%!       "array integer general\n1 3\n18446744073709551615\n0\n10000000005\n";
%!   uint64(18446744073) * 1e9 + uint64([0 709551615]), {}, ...
%!       "array integer general\n1 2\n18446744073000000000\n18446744073709551615\n";
%!   intmax("uint64") - uint64(3709551616), {}, ...
%!       "array integer general\n1 1\n18446744069999999999\n";
%!   [intmax("int64") intmin("int64")], {}, ...
%!       "array integer general\n1 2\n9223372036854775807\n-9223372036854775808\n";
%!   single([0.1 1/3]), {},                      "array real general\n1 2\n0.1\n0.333333343\n";
%!   [0.1 1/3], {}, "array real general\n1 2\n0.1\n0.33333333333333331\n";
%!   [0.1 1/3], {"Precision", 3},                "array real general\n1 2\n0.1\n0.333\n";
%!   [0.1 1/3], {"Precision", 17}, ...
%!       "array real general\n1 2\n0.10000000000000001\n0.33333333333333331\n";
%!   [Inf -Inf NaN NA -0], {}, "array real general\n1 5\nInf\n-Inf\nNaN\nNA\n-0\n";
%!   sparse([0 2; 0 3]), {},                     "coordinate real general\n2 2 2\n1 2 2\n2 2 3\n";
%!   sparse([0 2; 2 3]), {},                     "coordinate real symmetric\n2 2 2\n2 1 2\n2 2 3\n";
%!   sparse([0 2; -2 0]), {},                    "coordinate real skew-symmetric\n2 2 1\n2 1 -2\n";
%!   complex(sparse([3 0]), sparse(1, 2)), {},   "coordinate complex general\n1 2 1\n1 1 3 0\n";
%!   sparse([1 2+1i; 2-1i 0]), {}, "coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 2 -1\n";
%!   sparse([1 0 1] > 0), {},                    "coordinate pattern general\n1 3 2\n1 1\n1 3\n";
%!   sparse([0 1; 1 0] > 0), {},                 "coordinate pattern symmetric\n2 2 1\n2 1\n";
%!   sparse([0 7; 8 0]) != 0, {},                "coordinate pattern symmetric\n2 2 1\n2 1\n";
%!   sparse(3, 4), {},                           "coordinate real general\n3 4 0\n";
%!   eye(3)(:,[2 1 3]), {},                      "coordinate real symmetric\n3 3 2\n2 1 1\n3 3 1\n";
%!   eye(2) * 3, {},                             "coordinate real symmetric\n2 2 2\n1 1 3\n2 2 3\n";
%!   1:3, {"Comment", "a\nb"},                   "array real general\n% a\n% b\n1 3\n1\n2\n3\n";
%!   1, {"comment", {"100 %d", "", "x"}},        "array real general\n% 100 %d\n% \n% x\n1 1\n1\n";
%!   1, {"comment", ""},                         "array real general\n1 1\n1\n";
%! };
%! [folder, gone] = scratch ();
%! file = fullfile (folder, "a");
%! for k = 1:rows (table)
%!   mmwrite (file, table{k,1}, table{k,2}{:});
%!   assert (fileread (file), ["%%MatrixMarket matrix " table{k,3}]);
%! endfor

## A matrix that is nearly symmetric is written in general form, or it would change.
%!test
%! for A = {[0 1; 1+eps 0], [1 NaN; NaN 1], [0 0; -0 1], [NaN 1; -1 0], [-0 1; -1 0], ...
%!          [0 NaN; -NaN NaN], [1i 1; 1 0], [1 1i; -1i NaN], sparse([0 1; 1+eps 0]), ...
%!          sparse([1i 1; 1 0]), sparse([NaN 1; -1 0]), sparse([0 1; 0 1]), ...
%!              int8([0 127; -128 0]), ...
%!          uint8([0 0; 5 0]), complex([1 0; 0 2], [0 -0; 0 0]), [1 2 3; 2 4 5]}
%!   round_trip (A{1}, class (A{1}));
%!   round_trip (A{1}, "auto", "Symmetry", "general");
%! endfor

## Random round trips of every class, shape and symmetry.
%!test
%! seed = from_environment ("GPUMM_SEED", fix (1e6 * rem (now (), 1)));
%! printf ("mmread.tst: random round trips with GPUMM_SEED=%d\n", seed);
%! rand ("twister", seed);
%! randn ("twister", seed);
%! special = [0, -0, Inf, -Inf, NaN, NA, realmax, realmin, 2^-1074, 1e23, 0.1, 123456789012345678];
%! for trial = 1:300
%!   m = randi ([0, 12]);
%!   n = m;
%!   if (rand () < 0.5)
%!     n = randi ([0, 12]);
%!   endif
%!   A = randn (m, n) .* 10 .^ randi ([-320, 300], m, n);
%!   pick = rand (m, n) < 0.2;
%!   A(pick) = special(randi (numel (special), 1, nnz (pick)));
%!   kind = randi (8);
%!   if (m == n)
%!     part = tril (A, -1);
%!     A = {A, A, tril(A) + part.', part - part.'}{randi(4)};
%!   endif
%!   switch (kind)
%!     case 1
%!       A = single (A);
%!     case 2
%!       A = sparse (A);
%!     case 3
%!       A = complex (A, A(randperm (m), :));
%!     case 4
%!       B = tril (randn (m, n), -1);
%!       if (m == n)
%!         B = B - B.';
%!       endif
%!       A = complex (A, B);
%!     case 5
%!       A = sparse (complex (A, fliplr (A)));
%!     case 6
%!       names = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
%!       A = cast (A, names{randi (8)});
%!     case 7
%!       A = sparse (A > 0);
%!   endswitch
%!   if (issparse (A) && iscomplex (A) && isreal (sparse (A)))
%!     A = real (A);
%!   endif
%!   name = {"auto", class(A)}{randi(2)};
%!   if (isinteger (A) && any (abs (double (A(:))) > flintmax ()))
%!     name = class (A);
%!   endif
%!   round_trip (A, name, {{}, {"Symmetry", "general", "Comment", {"round", "trip"}}}{randi(2)}{:});
%! endfor

%!test  # more entries than are written at a time
%! rand ("twister", 5);
%! round_trip (sprand (4000, 3000, 0.005), "double");
%! round_trip (single (rand (501, 100)), "single");
%! round_trip (intmax ("uint64") - uint64 (rand (700, 100) * 1e19), "uint64");

%!test  # what mmwrite refuses, and that it leaves an older file and no temporary one
%! [folder, gone] = scratch ();
%! file = fullfile (folder, "a.mtx");
%! mmwrite (file, 42);
%! old = fileread (file);
%! table = { ...
%!   "gpumm:mmwrite:argument", "A must be a numeric",     {file, "a"};
%!   "gpumm:mmwrite:argument", "A must be a numeric",     {file, {1}};
%!   "gpumm:mmwrite:argument", "A must be a numeric",     {file, struct()};
%!   "gpumm:mmwrite:argument", "A must be a numeric",     {file, @sin};
%!   "gpumm:mmwrite:argument", "A must be a numeric",     {file, ones(2, 2, 2)};
%!   "gpumm:unknown-option",   "unknown option \"Format\"", {file, 1, "Format", "x"};
%!   "gpumm:unknown-option",   "options are pairs",       {file, 1, 5, "x"};
%!   "gpumm:bad-value",        "Comment must be",      {file, 1, "Comment", 5};
%!   "gpumm:bad-value",        "Comment must be",      {file, 1, "Comment", ["a"; "b"]};
%!   "gpumm:bad-value",        "Symmetry must be \"auto\" or \"general\"", ...
%!       {file, 1, "Symmetry", "symmetric"};
%!   "gpumm:mmwrite:field",    "\"Field\" was removed; write", {file, 1, "Field", "real"};
%!   "gpumm:bad-value",        "Precision must be",    {file, 1, "Precision", 0};
%!   "gpumm:bad-value",        "Precision must be",    {file, 1, "Precision", 18};
%!   "gpumm:bad-value",        "Precision must be",    {file, 1, "Precision", 2.5};
%!   "gpumm:bad-value",        "Precision must be",    {file, 1, "Precision", "3"};
%!   "Octave:invalid-fun-call", "Invalid call to mmwrite", {file};
%!   "gpumm:missing-value", "option \"Comment\" has no value", {file, 1, "Comment"};
%!   "gpumm:mmwrite:argument", "FILE must be", {1, 1};
%!   "gpumm:mmwrite:open", "No such file",     {fullfile(folder, "no", "a.mtx"), 1};
%!   "gpumm:mmwrite:open", "Is a directory",   {folder, 1};
%!   "gpumm:mmwrite:open", "character 0",      {[file "\0x"], 1};
%!   "gpumm:mmwrite:write", "No space left",   {"/dev/full", 1};
%!   "gpumm:gpuArray:gather", "A is a gpuArray. Use gather", {file, gpuArray(magic (3))};
%!   "gpumm:gpuArray:gather", "A is a gpuArray. Use gather", {file, gpuArray(speye (3))};
%! };
%! for k = 1:rows (table)
%!   begins = {"^mmwrite: .*", ""}{1 + strncmp(table{k,1}, "Octave", 6)};
%!   check_error (table{k,1}, [begins table{k,2}], @() mmwrite (table{k,3}{:}));
%! endfor
%! assert (fileread (file), old);
%! assert (numel (readdir (folder)), 3);

%!test  # the mode stays, and a link; a device is written to
%! [folder, gone] = scratch ("cd");
%! mmwrite ("a.mtx", 1);
%! system ("chmod 604 a.mtx; ln -s a.mtx b.mtx");
%! mmwrite ("b.mtx", 3);
%! assert (mmread ("a.mtx"), 3);
%! assert (bitand (stat ("a.mtx").mode, 511), 388);
%! assert (readlink ("b.mtx"), "a.mtx");
%! mmwrite ("/dev/null", 1);
%! assert (numel (readdir (".")), 4);

## Comments are bytes of any encoding and of all lengths, so that pieces of the text end everywhere,
## with blank lines between.
%!test
%! head = "%%MatrixMarket matrix array real general\n";
%! [A, info] = read ([head "% Z\xfcrich \xff\n %\t\xc3\xbc \n%\xe4\n1 1\n% \xf6\n5\n"]);
%! assert (A, 5);
%! assert (info.comments, {"Z\xfcrich \xff", "\xc3\xbc", "\xe4"});
%! between = {"", "\n", " \t\n", "\r\n"};
%! for seed = 1:8
%!   rand ("twister", seed);
%!   lengths = floor (10 .^ (4 * rand (1, 50) .^ 3) - 1);
%!   comments = arrayfun (@(n) repmat ("x%", 1, n), lengths, "UniformOutput", false);
%!   lines = cellfun (@(c) [between{randi(4)}, blanks(randi(3) - 1), "% ", c, "\n"], comments, ...
%!                    "UniformOutput", false);
%!   [A, info] = read ([head, lines{:}, "1 1\n5\n"]);
%!   assert (A, 5);
%!   assert (info.comments, comments);
%!   refuses_text ("size", 2 + sum ([lines{:}] == "\n"), "expected 2 sizes", ...
%!                 [head, lines{:}, "1\n5\n"]);
%! endfor
%! refuses_text ("size", 3, "the file ends", [head, "% a\n%b"]);

%!test  # 50,000 of them; bench/products.m growth times them
%! comments = sprintf ("%% comment %d\n", 1:50e3);
%! lines = strsplit (comments, "\n")(1:50e3);
%! head = "%%MatrixMarket matrix array real general\n";
%! for text = {[head, comments, "1 1\n5\n"], [head, "1 1\n", comments, "5\n"]}
%!   [A, info] = read (text{1});
%!   assert (A, 5);
%!   if (strcmp (text{1}(end-5:end-3), "1 1"))
%!     assert (isequal (strcat ({"% "}, info.comments), lines));
%!   endif
%! endfor

## Files with faults: a matrix of the sizes that info tells, or an error with its identifier.
## GPUMM_FUZZ in the environment says how many.
%!test
%! count = from_environment ("GPUMM_FUZZ", 400);
%! seed = 17;
%! rand ("twister", seed);
%! matrices = {magic(4), sprand(9, 5, 0.4), [1 2i; 3 4], int64([1 2; 3 9]), eye(3) > 0, ...
%!             sparse([1 0; 1 1]) > 0, [0 1; -1 0], single(pi) * ones(2), zeros(0, 3)};
%! texts = cell (1, numel (matrices));
%! [folder, gone] = scratch ();
%! file = fullfile (folder, "a");
%! for k = 1:numel (matrices)
%!   mmwrite (file, matrices{k}, "Comment", "caf\xe9");
%!   texts{k} = fileread (file);
%! endfor
%! bits = {"\0", "\xff", "\xc3", "\xe2\x80", "\n", "\r", "%", " ", "-", "1e300", "NaN", "Inf", ...
%!         "D", "99999999999", repmat("7", 1, 240), "\t", "0x1p3", ".", "'", "\xa0", "\x1a"};
%! taken = 0;
%! for k = 1:count
%!   text = texts{ceil (rand * numel (texts))};
%!   for change = 1:ceil (3 * rand)
%!     at = ceil (rand * (numel (text) + 1));
%!     to = min (numel (text), at + floor (rand ^ 3 * 30));
%!     switch (ceil (5 * rand))
%!       case 1
%!         text = [text(1:at-1), bits{ceil(rand * numel (bits))}, text(at:end)];
%!       case 2
%!         text(at:to) = [];
%!       case 3
%!         text = [text(1:to), text(at:end)];
%!       case 4
%!         text(at:to) = char (floor (256 * rand (1, to - at + 1)));
%!       otherwise
%!         digits = find (text >= "0" & text <= "9");
%!         if (! isempty (digits))
%!           text(digits(ceil (rand * end))) = "0" + floor (10 * rand);
%!         endif
%!     endswitch
%!   endfor
%!   try
%!     [A, info] = read (text);
%!     taken++;
%!     assert (size (A), [info.rows, info.cols]);
%!   catch err
%!     if (! strncmp (err.identifier, "gpumm:mmread:", 13))
%!       error ("seed %d, file %d: %s: %s\nchar (%s)", seed, k, err.identifier, err.message, ...
%!              mat2str (double (text)));
%!     endif
%!   end_try_catch
%! endfor
%! assert (taken > count / 20 && taken < count * 0.9);
