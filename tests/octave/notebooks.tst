## notebooks.tst - the checks of the exercises tell right from wrong, and the notebooks carry the
## outputs of a GPU.  (`./setup notebooks --execute` runs the notebooks themselves.)
## SPDX-License-Identifier: BSD-3-Clause

## the folder of the notebooks, which the release tarball does not have; "" without it
%!function folder = notebooks ()
%!  folder = fileparts (fileparts (fileparts (which ("check_product"))));
%!  folder = fullfile (folder, "notebooks");
%!  if (exist (folder, "dir") != 7 || exist ("jsondecode") == 0)
%!    folder = "";
%!  endif
%!endfunction

## the lessons in the order of their numbers
%!function files = lesson_files ()
%!  files = glob (fullfile (notebooks (), "*.ipynb"));
%!  [~, names] = cellfun (@fileparts, files, "UniformOutput", false);
%!  [~, order] = sort (cellfun (@(name) sscanf (name, "%d"), names));
%!  files = files(order);
%!endfunction

%!function yes = has (program)
%!  yes = system (["command -v " program " >/dev/null"]) == 0;
%!endfunction

%!function cells = code_of (file)
%!  cells = {};
%!  for cell = jsondecode (fileread (file)).cells.'
%!    if (iscell (cell))
%!      cell = cell{1};
%!    endif
%!    if (strcmp (cell.cell_type, "code"))
%!      cell.source = strjoin (cellstr (cell.source), "");
%!      cells{end+1} = cell;
%!    endif
%!  endfor
%!endfunction

## runs a student's cell and the check after it; what the check says, and whether it said "right"
%!function [right, said] = checked (answer, check)
%!  said = evalc ([answer, "\n", check]);
%!  right = ! isempty (regexp (said, "exercise [\\d.]+: right"));
%!endfunction

## each exercise: the empty cell is not answered, the teacher's solution right, the wrong one wrong
%!testif ; ! isempty (notebooks ())
%! folder = notebooks ();
%! addpath (folder);
%! teacher = fileread (fullfile (folder, "teacher", "README.md"));
%! exercises = 0;
%! for file = lesson_files ().'
%!   cells = code_of (file{1});
%!   for i = 2:numel (cells)
%!     id = regexp (cells{i}.source, '^exercise \("([\d.]+)"', "tokens", "once");
%!     if (isempty (id))
%!       continue;
%!     endif
%!     check = cells{i}.source;
%!     part = regexp (teacher, ["### " strrep(id{1}, ".", '\.') '\n(.*?)(?=\n#{2,3} |$)'], ...
%!                    "tokens", "once");
%!     assert (! isempty (part));
%!     answers = regexp (part{1}, '```octave\n(# (right|wrong).*?)```', "tokens");
%!     assert (numel (answers), 2);
%!     [right, said] = checked (cells{i-1}.source, check);
%!     assert (strtrim (said), ["exercise " id{1} ": not answered yet"]);
%!     assert (strncmp (answers{1}{1}, "# right", 7) && strncmp (answers{2}{1}, "# wrong", 7));
%!     [right, said] = checked (answers{1}{1}, check);
%!     assert (strtrim (said), ["exercise " id{1} ": right"]);
%!     [right, said] = checked (answers{2}{1}, check);
%!     assert (! right);
%!     assert (! isempty (regexp (said, ["^exercise " id{1} ": wrong: [^\\n]{15,}\\n" ...
%!                                       "For a hint: hint \\(\"" id{1} "\"\\)\\n$"])));
%!     assert (isempty (strfind (said, "your answer stops")));
%!     exercises++;
%!   endfor
%! endfor
%! assert (exercises, numel (strfind (teacher, "\n### ")));
%! assert (exercises, 3 * numel (lesson_files ()));

## an exercise that there is not is the mistake of a notebook, and no answer to it right
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! for id = {"1.4", sprintf("%d.1", numel (lesson_files ()) + 1), "0.1", "1", "first"}
%!   try
%!     exercise (id{1}, 1);
%!     error ("no error");
%!   catch err
%!     assert (err.identifier, "gpumm:bad-value");
%!   end_try_catch
%! endfor

## other ways to write a right answer, and near ones to write a wrong one
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! right = {"1.1", int32(12e6); "2.1", [7; 5]; "2.2", 0.31; "2.3", int8([32, 24, 16, 8]); ...
%!          "3.1", 0.42; "3.1", 5/12; "4.3", int8(16); "5.1", int8([1; 3; 3; 6; 7; 7]); ...
%!          "6.2", single(4800); "8.1", 0.54; "8.1", single(0.5369); "8.3", [16; 16]; ...
%!          "8.2", @(n, l, f, s) max (1, ceil (12 * f / (n * l) * (1 / s - 1))); ...
%!          "7.1", @(x, p) mod(x + p / 2, p) - p / 2; ...
%!          "9.2", int32([1003996; 1000000]); "9.3", [8; 33]};
%! wrong = {"2.2", 31, "in percent"; "3.1", 0.4, "for each l"; "4.3", int8(14), "5341"; ...
%!          "1.2", 3, "must be a function"; "5.3", [1, 2], "must be a function"; ...
%!          "7.1", @(x, p) x - p * round (x / p), "you return 128"; ...
%!          "8.1", 1.07, "three passes"; "8.1", 0.000537, "in seconds"; ...
%!          "8.1", 0.067, "eight bytes"; ...
%!          "8.2", @(n, l, f, s) 12 * f / (n * l) * (1 / s - 1), "no number of products"; ...
%!          "8.2", @(n, l, f, s) 1 + ceil (12 * f / (n * l) * (1 / s - 1)), "fewer products"; ...
%!          "8.2", @(n, l, f, s) ceil (12 * f / (n * l)), "take 0.494"; ...
%!          "8.2", 27, "must be a function"; ...
%!          "8.3", [17, 17], "distances or steps"; "5.1", [1, 3, 4, 6, 7, 7], "entry 3 is not 4; count"; "8.3", [16, 12], "is not the number of steps"; ...
%!          "8.3", [15, 16], "you predict 15 steps, but measure 16"; ...
%!          "8.3", 16, "must be two numbers"; ...
%!          "9.1", [1, 2], "must be a function"; ...
%!          "9.1", @(k, a, B, n) deal (k, 1:n), "the same length"; ...
%!          "9.1", @(k, a, B, n) deal (fliplr (k), k), "do not ascend"; ...
%!          "9.1", @(k, a, B, n) deal (k, a), "but C has"; ...
%!          "9.1", @(k, a, B, n) deal ([k, k], [a, a]), "occurs once"; ...
%!          "9.2", [2007992, 1e6], "additions"; "9.2", [1e9, 1e6], "full matrices"; ...
%!          "9.2", [1e6, 1e6], "select a row, too"; ...
%!          "9.2", [5000, 1e6], "multiplications are wrong"; ...
%!          "9.2", [1003996, 2998], "no arrow"; "9.2", [1003996, 5], "number of elements"; ...
%!          "9.2", 1003996, "two numbers"; ...
%!          "9.3", [33, 8], "wrong order"; "9.3", [12, 50], "a column, too"; ...
%!          "9.3", [16, 33], "by the upper bound"; "9.3", [8, 8], "by the symbolic pass"};
%! for i = 1:rows (right)
%!   said = evalc ("exercise (right{i,:});");
%!   assert (said, ["exercise " right{i,1} ": right\n"]);
%! endfor
%! for i = 1:rows (wrong)
%!   said = evalc ("exercise (wrong{i,1:2});");
%!   assert (strncmp (said, ["exercise " wrong{i,1} ": wrong: "], 21));
%!   assert (! isempty (strfind (said, wrong{i,3})));
%! endfor

## what is said of a wrong answer leaves the number to the student: neither is it there, nor are its
## factors or square
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! table = {"1.1", 12e6, {1, 6e6, 24e6}; "1.3", 512000, {1, 160 ^ 3, 2 * 160 ^ 3, 256000}
%!          "2.1", [7, 5], {[7, 4], [5, 7], [6, 4], [8, 8]}
%!          "2.3", [8, 16, 24, 32], {[8, 16, 32], [8, 10], 24}
%!          "3.1", 5 / 12, {10, 2.4, 24, 1}; "3.3", 768, {832, 704, 64 * 132, 1}
%!          "4.2", 7 ^ 10, {70, 8 ^ 10, 7, 7 * 512 ^ 3}; "4.3", 16, {18, 14, 20, 5}
%!          "6.1", 10, {0.1, 80, 9, 11}; "6.2", 4800, {3200, 600, 9600, 1}
%!          "7.2", 4, {5, 6, 3, 2}; "8.1", 0.53687, {0.4, 1.07, 1}; "8.3", 16, {[17, 17], [5, 15]}
%!          "9.2", [1003996, 1e6], {[2007992, 1], [1e6, 1], [5, 1], [1003996, 2998], [1003996, 5]}
%!          "9.3", [8, 33], {[33, 8], [12, 50], [16, 33], [8, 16]}};
%! for row = table.'
%!   for answer = row{3}
%!     said = evalc ("right = exercise (row{1}, answer{1});");
%!     assert (right, false);
%!     hint = regexp (said, 'wrong: ([^\n]*)', "tokens", "once"){1};
%!     numbers = str2double (regexp (hint, '\d+(\.\d+)?', "match"));
%!     given = setdiff ([numbers, sqrt(numbers), prod(numbers) * [1, 2]], answer{1});
%!     assert (! any (ismember (given, setdiff (row{2}, answer{1}))), "%s", said);
%!   endfor
%! endfor

## hint: each exercise has a row, and the row a section of its lesson and three hints.  None of them has
## the answer of the teacher's page: a number that is not in the question, or a line of code that the
## lesson does not show.
%!function text = without_blanks (text)
%!  text = lower (regexprep (text, {'[#%].*$', '\s+', ';'}, "", "lineanchors", "dotexceptnewline"));
%!endfunction
%!function numbers = numbers_in (text)
%!  numbers = str2double (regexp (text, '\d+(\.\d+)?(e-?\d+)?', "match"));
%!endfunction
%!function lines = lines_of_answer (code, known) # and what an assignment assigns
%!  lines = cellfun (@without_blanks, ostrsplit (code, "\n"), "UniformOutput", false);
%!  lines = [lines, regexprep(lines, '^[^=<>!~]*[-+*/]?=(?!=)', "")];
%!  lines(cellfun (@(line) numel (line) < 6 || ! isempty (strfind (known, line)), lines)) = [];
%!endfunction
%!testif ; ! isempty (notebooks ())
%! folder = notebooks ();
%! addpath (folder);
%! teacher = fileread (fullfile (folder, "teacher", "README.md"));
%! ids = {};
%! for file = lesson_files ().'
%!   cells = jsondecode (fileread (file{1})).cells;
%!   if (! iscell (cells))
%!     cells = num2cell (cells);
%!   endif
%!   texts = cellfun (@(cell) strjoin (cellstr (cell.source), ""), cells, "UniformOutput", false);
%!   known = without_blanks (strjoin (texts, "\n"));
%!   for i = 3:numel (texts)
%!     id = regexp (texts{i}, '^exercise \("([\d.]+)"', "tokens", "once");
%!     if (isempty (id))
%!       continue;
%!     endif
%!     ids(end+1) = id;
%!     for k = 1:3
%!       said{k} = evalc ("hint (id{1}, k);");
%!       head = sprintf ("hint %d of 3 for exercise %s:\n", k, id{1});
%!       assert (strncmp (said{k}, head, numel (head)));
%!       said{k}(1:numel (head)) = [];
%!       assert (numel (said{k}) > 20 && said{k}(end) == "\n");
%!     endfor
%!     assert (numel (unique (said)), 3);
%!     assert (said{1}(end-1), "?");
%!     code = regexp (teacher, ["### " strrep(id{1}, ".", '\.') '\n+```octave\n# right\n(.*?)```'], ...
%!                    "tokens", "once"){1};
%!     printed = strjoin (said, "\n");
%!     for line = lines_of_answer (code, known)
%!       assert (isempty (strfind (without_blanks (printed), line{1})), "%s: %s", id{1}, line{1});
%!     endfor
%!     name = regexp (texts{i-1}, '^\w+(?= = \[\];)', "match", "once");
%!     if (! isempty (name)) # the answer is a number or a vector
%!       evalc (code);
%!       answer = eval (name);
%!       new = setdiff (answer, numbers_in (texts{i-2}));
%!       near = @(x) any (abs (numbers_in (printed) - x) <= 5e-3 * abs (x));
%!       assert (isempty (new) || ! any (arrayfun (near, new)), "%s", id{1});
%!       for k = 1:3
%!         assert (isscalar (answer) ...
%!                 || isempty (strfind (without_blanks (said{k}), without_blanks (mat2str (answer)))));
%!         chosen = intersect (numbers_in (said{k}), numbers_in (texts{i-2}));
%!         assert (! isequal (chosen, unique (answer(:).')));
%!       endfor
%!     endif
%!     last = evalc ("for k = 1:4, hint (id{1}); endfor");
%!     section = regexp (last, 'section "([^"]*)" of the lesson again, or ask your teacher\.\n$', ...
%!                       "tokens", "once");
%!     assert (any (strcmp (strtok (texts, "\n"), ["## ", section{1}])), "%s", last);
%!   endfor
%! endfor
%! assert (numel (ids) >= 24);
%! here = cd (fullfile (folder, "private"));
%! back = onCleanup (@() cd (here));
%! table = hints ();
%! assert (size (table), [numel(ids), 5]);
%! assert (table(:,1), ids(:));

## the first call prints the first hint, each further one the next; a number prints that one
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! munlock ("hint");
%! clear ("hint");
%! first = evalc ("hint (\"1.2\")");
%! assert (evalc ("hint (\"1.2\", 1)"), first);
%! for k = 2:3
%!   assert (evalc ("hint (\"1.2\")"), evalc ("hint (\"1.2\", k)"));
%! endfor
%! for k = 1:2
%!   last = evalc ("hint (\"1.2\")");
%!   assert (strncmp (last, "There are three hints for exercise 1.2, and you have seen all", 61));
%! endfor
%! assert (strncmp (evalc ("hint (\"2.1\")"), "hint 1 of 3 for exercise 2.1:\n", 30));
%! table = {{"1.4"}, "there is no exercise 1.4; the exercises are 1.1 to \\d.3"
%!          {"0.1"}, "no exercise 0.1"; {""}, "no exercise ;"; {"first", 1}, "no exercise first"
%!          {2.1}, "ID must be a string, as in hint \\(\"1.1\"\\)"; {{"2.1"}}, "ID must be a string"
%!          {"2.1", 0}, "K must be 1, 2 or 3"; {"2.1", 4}, "K must be"; {"2.1", "1"}, "K must be"
%!          {"2.1", 1.5}, "K must be"; {"2.1", [1, 2]}, "K must be"};
%! for row = table.'
%!   check_error ("gpumm:bad-value", row{2}, @() hint (row{1}{:}));
%! endfor
%! check_error ("Octave:invalid-fun-call", "Invalid call to hint", @() hint ());
%! text = get_help_text ("hint");
%! assert (! isempty (strfind (text, "@deftypefnx {} {} hint (@var{id}, @var{k})")));

## answers of the wrong kind are told so, and a function that fails stops nothing
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! for id = {"1.1", "2.1", "2.2", "3.1", "3.3", "4.2", "4.3", "5.1", "6.1", "6.2", "7.2", "8.1", ...
%!           "8.3", "9.2", "9.3"}
%!   for answer = {"many", NaN, {3}, -1, 1:3}
%!     said = evalc ("right = exercise (id{1}, answer{1});");
%!     assert (right, false);
%!     assert (! isempty (regexp (said, ["^exercise " id{1} ": wrong: "])));
%!   endfor
%! endfor
%! for id = {"1.2", "3.2", "4.1", "5.2", "5.3", "6.3", "7.1", "7.3", "8.2", "9.1"}
%!   said = evalc ("right = exercise (id{1}, @(varargin) error (\"oh\"));");
%!   assert (right, false);
%!   assert (strncmp (said, ["exercise " id{1} ": wrong: your answer stops with \"oh\"\n"], 45));
%!   said = evalc ("right = exercise (id{1}, @(varargin) deal ([]));");
%!   assert (said, ["exercise " id{1} ": not answered yet\n"]);
%! endfor

## an exercise that forbids something finds it in the source, not in comments and strings
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! one = "function c = one_thread (i, j, A, B)\n";
%! add = "function C = add_outer (C, a, b)\n";
%! both = "function k = in_both (a, b)\n";
%! merge = ["k = zeros (1, 0); p = q = 1;\nwhile (p <= numel (a) && q <= numel (b))\n", ...
%!          "if (a(p) < b(q)) p++; elseif (a(p) > b(q)) q++;\n", ...
%!          "else k(end+1) = a(p); p++; q++; endif\nendwhile\n"];
%! threads = { ... # body, and what is said of it, "" if it is allowed
%!   "c = A(i,:) * B(:,j);\n", "asks for a loop (for, while, do)"
%!   "for l = 1\nc = A(i,:) * B(:,j);\nend\n", "A(i,:) * B(:,j)"
%!   "for l = 1\nC = A * B;\nend\nc = C(i,j);\n", "the product A * B"
%!   "for l = 1\nC = (A) * (B);\nend\nc = C(i,j);\n", "(A) * (B)"
%!   "for l = 1\nc = sum (A(i,:) .* B(:,j).');\nend\n", "A(i,:) .* B(:,j)"
%!   "for l = 1\nc = dot (A(i,:), B(:,j));\nend\n", "forbids dot"
%!   "c = 0;\nfor l = 1\nc = eval (\"A(i,:) * B(:,j)\");\nend\n", "eval"
%!   "# for\nc = A(i,:) * B(:,j); s = 'for'; t = \"while\";\n", "asks for"
%!   ["c = 0; # no A(i,:) * B(:,j), no dot\n%{\nc = A * B;\n%}\n", ...
%!    "s = \"A * B # \"; t = 'dot (A, B) ';\n", ...
%!    "for l = 1:columns (A)\nc += A(i,l) * B(l,j)';\nend\n"], ""
%!   ["x = A(i,:); y = B(:,j)'; c = 0; l = 0;\n", ...
%!    "do\nl++; c = c + x(l) * y(l);\nuntil (l == numel (x))\n"], ""
%!   ["p = zeros (1, rows (B));\nwhile (any (! p))\nl = find (! p, 1);\n", ...
%!    "p(l) = A(i,l) * B(l,j);\nend\nc = sum (p);\n"], ""};
%! sums = { ...
%!   "C += a*b;\n", "asks for"; "C = C + a * b;\n", "asks for"
%!   "for i = 1\nC += a*b;\nend\n", "the product a * b"
%!   "for i = 1\nC += a(:) * b(1,:);\nend\n", "a(:) * b(1,:)"
%!   "for i = 1\nC += a .* b;\nend\n", "a .* b"
%!   "for i = 1\nC += kron (a, b);\nend\n", "forbids kron"
%!   "for i = 1:rows (a)\nC(i,:) += b * a(i);\nend\n", ""
%!   ["for i = 1:numel (a)\nfor j = 1:numel (b)\n", ...
%!    "C(i,j) = C(i,j) + a(i) * b(j);\nend\nend # C + a*b\n"], ""
%!   "for i = 1:numel (a)\nC(i,:) = C(i,:) + a(i) .* b(1,:);\nend\n", ""
%!   "for j = 1:numel (b)\nC(:,j) += a * b(j);\nend\n", ""};
%! common = { ...
%!   "k = intersect (a, b);\n", "forbids intersect"; "k = a(ismember (a, b));\n", "forbids ismember"
%!   ["k = [];\nfor x = a\nfor y = b\nif (x == y) k(end+1) = x; end\nend\nend\n", ...
%!    "if (isempty (k)) k = zeros (1, 0); end\n"], "asks for a loop (while)"
%!   ["# not intersect (a, b), nor find\n" merge], ""};
%! rows_of = @(id, f, head, cases) [repmat({id, f}, rows (cases), 1), ...
%!                                  strcat({head}, cases(:,1)), cases(:,2)];
%! table = [rows_of("1.2", "@one_thread", one, threads)
%!          rows_of("3.2", "@add_outer", add, sums)
%!          rows_of("5.2", "@in_both", both, common); { ...
%!   "1.2", "@(i, j, A, B) A(i,:) * B(:,j)", "", "asks for"
%!   "1.2", "@(i, j, A, B) dot (A(i,:), B(:,j))", "", "forbids dot"
%!   "1.2", "@one_thread", ["function c = by_rows (x, y)\nc = dot (x, y);\nend\n", one, ...
%!                          "for l = 1\nc = by_rows (A(i,:), B(:,j));\nend\n"], "forbids dot"
%!   "5.2", "@intersect", "", "forbids intersect"
%!   "5.2", "@(a, b) in_both (a, b)", [both merge], ""
%!   "7.1", "@(x, p) (x - p * round (x / p)) - p * ((x - p * round (x / p)) >= p / 2)", "", ...
%!       "forbids round"
%!   "7.1", "@(x, p) x - p * floor (x / p + 1 / 2)", "", "asks for mod"
%!   "7.1", "@(x, p) mod (x + p / 2, p) - p / 2", "# round", ""}];
%! assert (rows (table), 33);
%! for row = table.'
%!   source = regexprep (row{3}, '^(function.*)$', "$1endfunction\n");
%!   [right, said] = checked (source, sprintf ("exercise (\"%s\", %s);", row{1:2}));
%!   assert (right == isempty (row{4}), "%s%s", row{3}, said);
%!   if (! right)
%!     head = ["exercise ", row{1}, ": wrong: the result is right, but this exercise "];
%!     assert (strncmp (said, head, numel (head)), "%s%s", row{3}, said);
%!     assert (! isempty (strfind (said, row{4})), "%s%s", row{3}, said);
%!   endif
%! endfor

## the score counts the exercises whose last answer was right
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! for id = {"2.1", "2.2", "2.3"}
%!   evalc ("exercise (id{1}, [])");
%! endfor
%! assert (evalc ("score (2)"), "0 of 3 solved; left: 2.1, 2.2, 2.3\n");
%! evalc ("exercise (\"2.1\", [7, 5]); exercise (\"2.3\", [8, 16, 24, 32])");
%! assert (evalc ("score (2)"), "2 of 3 solved; left: 2.2\n");
%! assert (score (2), 2);
%! evalc ("exercise (\"2.1\", [7, 6]); exercise (\"2.2\", 0.31)");
%! assert (evalc ("score (2)"), "2 of 3 solved; left: 2.1\n");
%! evalc ("exercise (\"2.1\", [7, 5])");
%! assert (evalc ("score (2)"), "3 of 3 solved\n");
%! count = numel (lesson_files ());
%! assert (! isempty (strfind (evalc ("score ()"), sprintf (" of %d solved", 3 * count))));
%! for number = {0, count + 1, 1.5, "2", [], {}}
%!   check_error ("gpumm:bad-value", sprintf ("the notebooks have the numbers 1 to %d", count), ...
%!                @() score (number{1}));
%! endfor

## every code cell has run without an error, on a GPU unless the text of all cells is the same
## everywhere; every notebook has figures
%!testif ; ! isempty (notebooks ())
%! for file = glob (fullfile (notebooks (), "*.ipynb")).'
%!   text = "";
%!   figures = 0;
%!   same = true;
%!   for cell = code_of (file{1})
%!     about = cell{1}.metadata;
%!     same &= (isfield (about, "tags") && any (strcmp (about.tags, "same-everywhere"))) ...
%!             || (isfield (about, "slideshow") && strcmp (about.slideshow.slide_type, "skip"));
%!     assert (! isempty (cell{1}.execution_count));
%!     for output = cell{1}.outputs.'
%!       if (iscell (output))
%!         output = output{1};
%!       endif
%!       if (isfield (output, "text"))
%!         text = [text, strjoin(cellstr (output.text), "")];
%!       else
%!         assert (output.output_type, "display_data");
%!         assert (fieldnames (output.data), {"image_png"}); # nbconvert 6.5 exports SVG as blanks
%!         png = strjoin (cellstr (output.data.image_png), "");
%!         header = double (matlab.net.base64decode (png(1:32)));
%!         assert (header(17:20) * 256 .^ [3; 2; 1; 0] <= 1100); # pixels, as a small screen has
%!         figures++;
%!       endif
%!     endfor
%!   endfor
%!   begins = {"Stored outputs of another machine: its GPU is an NVIDIA ", ...
%!             "Stored outputs, which are the same on every machine"}{1 + same};
%!   assert (strncmp (text, begins, numel (begins)), "%s: %s", file{1}, text);
%!   assert (isempty (regexp (text, '(^|\n)(error|warning):')));
%!   assert (figures > 0);
%! endfor

## exported by nbconvert, a lesson has all of its figures and pictures in itself
%!testif ; ! isempty (notebooks ()) && has ("jupyter-nbconvert")
%! [folder, gone] = scratch ();
%! files = glob (fullfile (notebooks (), "[12]-*.ipynb"));
%! [status, said] = system (sprintf ("jupyter nbconvert --to html --output-dir '%s' '%s' '%s' 2>&1", ...
%!                                   folder, files{:}));
%! assert (status == 0, "%s", said);
%! figures = [2, 4];
%! for i = 1:2
%!   [~, name] = fileparts (files{i});
%!   text = fileread (fullfile (folder, [name ".html"]));
%!   assert (numel (regexp (text, '<img [^>]*src="data:image/png;base64,')), figures(i));
%!   assert (numel (strfind (text, "<img")), figures(i));
%! endfor

## each picture is attached as it was drawn: a PNG of its size
%!testif ; ! isempty (notebooks ())
%! attached = {};
%! for file = glob (fullfile (notebooks (), "*.ipynb")).'
%!   text = fileread (file{1});
%!   shown = regexp (text, '\]\(attachment:(\w+)\.png\)', "tokens");
%!   for name = [shown{:}]
%!     png = regexp (text, ['"' name{1} '\.png": \{\s*"image/png": "([^"]*)"'], "tokens", "once");
%!     header = double (matlab.net.base64decode (png{1}(1:32)));
%!     svg = fileread (fullfile (notebooks (), "pictures", [name{1} ".svg"]));
%!     drawn = str2double (regexp (svg, 'width="(\d+)" height="(\d+)"', "tokens", "once"));
%!     assert (header(17:24) * blkdiag (256 .^ [3; 2; 1; 0], 256 .^ [3; 2; 1; 0]), drawn(:).');
%!     attached(end+1) = name;
%!   endfor
%! endfor
%! assert (sort (attached), {"memory", "threads", "tiles"});

## every lesson begins with its time and aims, ends with score, summary and two to four items to read,
## and leads to the lessons before and after it
%!testif ; ! isempty (notebooks ())
%! files = lesson_files ();
%! [~, names] = cellfun (@fileparts, files, "UniformOutput", false);
%! for i = 1:numel (files)
%!   cells = jsondecode (fileread (files{i})).cells;
%!   if (iscell (cells))
%!     texts = cellfun (@(c) strjoin (cellstr (c.source), ""), cells, "UniformOutput", false);
%!   else
%!     texts = arrayfun (@(c) strjoin (cellstr (c.source), ""), cells, "UniformOutput", false);
%!   endif
%!   assert (! isempty (regexp (texts{1}, '\n\*Time:\* \d+ minutes')));
%!   assert (! isempty (strfind (texts{1}, "\n*After this lesson you can*\n\n- ")));
%!   assert (texts{end-2}, sprintf ("score (%d)", i));
%!   assert (strncmp (texts{end-1}, "## Summary\n\n- ", 14));
%!   assert (strncmp (texts{end}, "## Further reading\n\n- ", 22));
%!   items = regexp (texts{end}, '(?<=\n)- .*?(?=\n- |\n\n)', "match");
%!   assert (any (numel (items) == 2:4));
%!   for item = strrep (items, "\n ", "")
%!     assert (! isempty (regexp (item{1}, '(\]\(https://|edition).*: ')), "%s", item{1}); # and why
%!     doi = regexp (item{1}, '\[doi ([^\]]*)\]\(https://doi.org/([^)]*)\)', "tokens");
%!     assert (numel (doi), numel (regexp (item{1}, 'doi\.org')));
%!     assert (all (cellfun (@(parts) strcmp (parts{:}), doi)), "%s", item{1});
%!   endfor
%!   links = regexp (texts{end}, '\]\(([^)]*)\.ipynb\)', "tokens");
%!   links = cellfun (@(t) t{1}, links, "UniformOutput", false);
%!   nearby = [i - 1, i + 1];
%!   assert (links(:), names(nearby(ismember (nearby, 1:numel (files)))));
%! endfor

## the pages of gpumm_steps that lessons 1 to 3 name can be made
%!testif ; ! isempty (notebooks ())
%! [folder, gone] = scratch ("cd");
%! made = [2, 1, 1];
%! for i = 1:3
%!   text = fileread (glob (fullfile (notebooks (), sprintf ("%d-*.ipynb", i))){1});
%!   text = strrep (text, '\"', '"');
%!   for code = regexp (text, '`(Y = [^`]*)`', "tokens")
%!     eval ([code{1}{1} ";"]);
%!   endfor
%!   calls = regexp (text, '`(gpumm_steps \([^`]*"File", "(\w+\.html)"\))`', "tokens");
%!   assert (numel (calls), made(i));
%!   for call = calls
%!     eval (["file = " call{1}{1} ";"]); # without a browser
%!     assert (strncmp (fileread (call{1}{2}), "<!DOCTYPE html>", 15));
%!   endfor
%! endfor

## as slides (nbconvert --to slides), a lesson begins a slide at each heading, and leaves out its
## exercises and what is for Jupyter alone
%!testif ; ! isempty (notebooks ())
%! for file = lesson_files ().'
%!   slides = 0;
%!   is_exercise = false;
%!   for cell = jsondecode (fileread (file{1})).cells.'
%!     if (iscell (cell))
%!       cell = cell{1};
%!     endif
%!     text = strjoin (cellstr (cell.source), "");
%!     mark = "";
%!     if (isfield (cell.metadata, "slideshow"))
%!       mark = cell.metadata.slideshow.slide_type;
%!     endif
%!     is_heading = strcmp (cell.cell_type, "markdown") && text(1) == "#";
%!     if (is_heading)
%!       is_exercise = ! isempty (regexp (text, '^## (Exercises|Your score)', "once"));
%!     endif
%!     is_left_out = is_exercise || strncmp (text, "%plot", 5) ...
%!                   || (isfield (cell.metadata, "tags") && any (strcmp (cell.metadata.tags, "notebook-only")));
%!     assert (strcmp (mark, "skip") == is_left_out, text);
%!     assert (strcmp (mark, "slide") == (is_heading && ! is_left_out), text);
%!     slides += strcmp (mark, "slide");
%!   endfor
%!   assert (slides >= 4, "%s: %d slides", file{1}, slides);
%! endfor

## as pages of the guide the lessons have no line for Jupyter, and links and pictures lead somewhere
%!testif ; ! isempty (notebooks ()) && has ("python3")
%! code = {"import pathlib, sys", "sys.dont_write_bytecode = True", ...
%!         "sys.path.insert (0, sys.argv[1] + '/../docs/guide/parts')", "import lessons", ...
%!         "for notebook in sorted (pathlib.Path (sys.argv[1]).glob ('*.ipynb')):", ...
%!         "  page = pathlib.Path (sys.argv[2]) / (notebook.stem + '.html')", ...
%!         "  page.write_text (lessons.markdown (notebook, page.parent))"};
%! [folder, gone] = scratch ();
%! program = write_file (fullfile (folder, "make.py"), strjoin (code, "\n"));
%! [status, said] = system (sprintf ("python3 '%s' '%s' '%s' 2>&1", program, notebooks (), ...
%!                                   folder));
%! assert (status == 0, "%s", said);
%! [~, names] = cellfun (@fileparts, lesson_files (), "UniformOutput", false);
%! pictures = 0;
%! for i = 1:numel (names)
%!   text = fileread (fullfile (folder, [names{i}, ".html"]));
%!   assert (isempty (regexp (text, '(^|\n)%|%plot|Shift \+ Enter|\.ipynb')));
%!   nearby = regexp (text, '(?:Previous|Next): \[[^\]]*\]\((\d+)', "tokens");
%!   nearby = unique (cellfun (@(t) str2double (t{1}), nearby));
%!   assert (nearby, [i-1, i+1](ismember ([i-1, i+1], 1:numel (names))));
%!   for link = regexp (text, '\]\(([^)]*\.(html|png|svg))\)', "tokens")
%!     if (! strcmp (link{1}{1}, "../lessons.html"))
%!       assert (exist (fullfile (folder, link{1}{1}), "file"), 2);
%!     endif
%!     pictures += ! isempty (strfind (link{1}{1}, ".svg"));
%!   endfor
%! endfor
%! assert (pictures >= 3);

## the numbers of an H200 in lesson 8 are those of the benchmarks
%!testif ; ! isempty (notebooks ())
%! cells = code_of (glob (fullfile (notebooks (), "8-*.ipynb")){1});
%! at = find (cellfun (@(c) strncmp (c.source, "h200.n ", 7), cells));
%! assert (numel (at), 1);
%! evalc (cells{at}.source);
%! text = fileread (fullfile (notebooks (), "..", "bench", "results", "h200", "ladder.csv"));
%! field = @(line, i) str2double (ostrsplit (line, ","){i});
%! for j = 1:numel (h200.n)
%!   start = sprintf ("\nstages,gpumm,[^,]*,d,%d,%d,%d,[^\n]*", h200.n([j, j, j]));
%!   row = regexp (text, start, "match", "once");
%!   assert ([h200.upload(j), h200.compute(j), h200.download(j)], ...
%!           [field(row, 14), field(row, 15), field(row, 16)]);
%! endfor
%! ceiling = @(name) field (regexp (text, ["\nceiling," name ",[^\n]*"], "match", "once"), 9);
%! assert ([h200.link, h200.memory], [ceiling("host to device"), ceiling("device memory")]);

## and so are those in lesson 9
%!testif ; ! isempty (notebooks ())
%! cells = code_of (glob (fullfile (notebooks (), "9-*.ipynb")){1});
%! at = find (cellfun (@(c) strncmp (c.source, "h200.case ", 10), cells));
%! assert (numel (at), 1);
%! evalc (cells{at}.source);
%! text = fileread (fullfile (notebooks (), "..", "bench", "results", "h200", "spgemm.csv"));
%! for j = 1:numel (h200.case)
%!   row = ostrsplit (regexp (text, ["\n" h200.case{j} ",spgemm,[^\n]*"], "match", "once"), ",");
%!   assert ([h200.products(j), h200.nnz_c(j), h200.counting(j), h200.all(j)], ...
%!           str2double (row([5, 6, 7, 10])));
%! endfor

## from_gpu: without a GPU what was measured before, what the caller has instead, and an error where
## there is neither
%!testif ; ! isempty (notebooks ()) && ! gpumm_available ("gpu")
%! addpath (notebooks ());
%! said = evalc ("d = from_gpu (\"1-times\", @() error (\"measured\"));");
%! assert (! isempty (regexp (said, '^no GPU here: measured before on another machine, with an NVIDIA .* \(driver \d')));
%! assert (size (d.seconds), [numel(d.kernels), numel(d.sizes)]);
%! fail ("from_gpu (\"0-nothing\", @() 1)", "nothing was measured before as 0-nothing");
%! said = evalc ("d = from_gpu (\"0-nothing\", @() 1, []);");
%! assert (isempty (d));
%! assert (strncmp (said, "no GPU here, and no measurement of one is stored", 48));
%! evalc ("d = from_gpu (\"1-times\", @() 1, []);");
%! assert (isstruct (d));

## notebooks/execute runs cells in one workspace; an error in any is a failure, and so is one that
## has not run, or a figure that is cut off; what gnuplot says about itself is in no cell
%!function write_notebook (file, sources, about = repmat ({struct()}, size (sources)))
%!  for i = 1:numel (sources)
%!    cells{i} = struct ("cell_type", "code", "execution_count", NaN, "metadata", about{i}, ...
%!                       "source", {sources(i)}, "outputs", {{}});
%!  endfor
%!  write_file (file, jsonencode (struct ("cells", {cells}, "nbformat", 4)));
%!endfunction
%!testif ; ! isempty (notebooks ()) && has ("python3") && has ("gnuplot")
%! [folder, gone] = scratch ("cd");
%! [~, gnuplot] = system ("command -v gnuplot");
%! write_file ("gnuplot", sprintf ("#!/bin/sh\necho 'error: old syntax' >&2\nexec %s \"$@\"\n", ...
%!                                 strtrim (gnuplot)));
%! system ("chmod +x gnuplot");
%! right = {"function y = twice (x)\n  y = 2 * x;\nendfunction\nx = 3;", ...
%!          "x = twice (x)\nplot (1:3);"};
%! wrong = "3 cells, 1 with errors\ncell 2:\n(.*\n)?0 passed, 1 failed\n";
%! table = {right, "", true, "2 cells, 0 with errors\n1 passed, 0 failed\n"
%!          right, "--check", false, "cell 2 has not run" # nothing was stored
%!          {"x = 1;", "error (\"oh\")", "x"}, "", false, wrong
%!          {"x = 1;", "x = no_such_thing;", "x"}, "", false, wrong
%!          {"x = 1;", "x = (1", "x"}, "", false, wrong
%!          {"exit (3)"}, "", false, "Octave ended with 3"
%!          {"plot (1:3); xlabel (repmat (\"long \", 1, 50))"}, "", false, ...
%!              "cell 1: a figure is cut off at its frame"};
%! for k = 1:rows (table)
%!   write_notebook ("a.ipynb", table{k,1});
%!   command = ["PATH=$PWD:$PATH '" notebooks() "/execute' " table{k,2} " a.ipynb 2>&1"];
%!   [status, said] = system (command);
%!   assert ((status == 0) == table{k,3}, "%s", said);
%!   assert (! isempty (regexp (said, table{k,4}, "once")), "%s", said);
%! endfor

## notebooks/execute --store on a machine without a GPU: only a lesson whose outputs depend on no machine
%!testif ; ! isempty (notebooks ()) && has ("python3") && has ("gnuplot") && ! gpumm_available ("gpu")
%! [folder, gone] = scratch ("cd");
%! variables = with_variable ("OCTAVE_PATH", strjoin ({function_folders(){:}, ...
%!                            fileparts(which ("__gpumm_info__"))}, pathsep ()));
%! skip = struct ("slideshow", struct ("slide_type", "skip"));
%! same = struct ("tags", {{"same-everywhere"}});
%! table = {same, "1 passed, 0 failed", "Stored outputs, which are the same on every machine"
%!          struct(), "only a GPU's outputs can be stored", ""};
%! for k = 1:rows (table)
%!   write_notebook ("a.ipynb", {"lesson ();", "x = 3"}, {skip, table{k,1}});
%!   [~, said] = system (["'" notebooks() "/execute' --store a.ipynb 2>&1"]);
%!   assert (! isempty (strfind (said, table{k,2})), "%s", said);
%!   assert (! isempty (strfind (fileread ("a.ipynb"), "Stored")), ! isempty (table{k,3}));
%!   assert (isempty (table{k,3}) || ! isempty (strfind (fileread ("a.ipynb"), table{k,3})));
%! endfor

## notebooks/execute --check: stored figures are whole.  A lesson that ran is compared with the stored one:
## the text that depends on no machine, the number and the sizes of figures.
%!testif ; ! isempty (notebooks ()) && has ("python3")
%! [folder, gone] = scratch ("cd");
%! check = @(file) nthargout (1:2, @system, ["'" notebooks() "/execute' --check '" file "' 2>&1"]);
%! lesson = fullfile (notebooks (), "4-strassen.ipynb");
%! text = fileread (lesson);
%! table = {"", "", "0 with errors\n1 passed, 0 failed\n"
%!          "1\\.0000 of 2n\\^3", "1.1000 of 2n^3", "cell 5 says\n[^\n]*\n.*but stored is\n"
%!          "\"image/png\"", "\"text/plain\"", "cell 6: figures of \\[\\] pixels, stored \\[\\(900, 515\\)\\]"};
%! for k = 1:rows (table)
%!   write_file ("4-strassen.ipynb", regexprep (text, table{k,1:2}, "once"));
%!   said = check ("4-strassen.ipynb"){2};
%!   assert (! isempty (regexp (said, table{k,3}, "once")), "%s", said);
%! endfor
%! for file = glob (fullfile (notebooks (), "*.ipynb")).'
%!   said = check (file{1});
%!   assert (said{1} == 0, "%s", said{2});
%! endfor

## Jupyter's kernel calls _make_figures after each cell: figures are PNG without Ghostscript, of their own
## size or of the one that %plot asks for; they are whole, closed, and nothing else is left behind
%!testif ; ! isempty (notebooks ()) && has ("gnuplot")
%! addpath (notebooks ());
%! [folder, gone] = scratch ();
%! defaults = get (0, "default");
%! evalc ("lesson ();");
%! data = load (fullfile (notebooks (), "measured", "6-roofline.txt")).data;
%! data.device = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"; # a long name
%! table = {-1, -1, [900, 515]; 600, -1, [600, 343]; -1, 801, [1400, 801]; 1400, 700, [1400, 700]};
%! for k = 1:rows (table)
%!   gpumm_plot ("roofline", "Data", data);
%!   _make_figures (folder, "png", "Figure", table{k,1:2}, 0, 3);
%!   assert (isempty (get (0, "children")));
%!   file = fullfile (folder, "Figure004.png");
%!   pixels = imread (file);
%!   assert (columns (pixels), table{k,3}(1));
%!   assert (rows (pixels), table{k,3}(2));
%!   inside = pixels(4:end-3,4:end-3,:);
%!   assert (sum (pixels(:) < 255), sum (inside(:) < 255)); # the frame is white
%!   assert (sum (inside(:) < 255) > 1000);
%!   unlink (file);
%! endfor
%! assert (numel (readdir (folder)), 2);

## on a display, where Octave would choose another toolkit, a figure is as without one, byte by byte
%!testif ; ! isempty (notebooks ()) && has ("gnuplot") && has ("Xvfb")
%! [folder, gone] = scratch ("cd");
%! write_file ("draw.m", strjoin ({ ...
%!   "set (0, \"defaultfigurevisible\", \"off\"); graphics_toolkit (\"gnuplot\"); # as the kernel does", ...
%!   "lesson ();", ...
%!   "line_figure (1:3, magic (5)(:,1:3), {\"a\", \"b\", \"c\", \"d\", \"a long name\"}, {\"x\", \"y\", \"title\"});", ...
%!   "load (fullfile (fileparts (which (\"lesson\")), \"measured\", \"4-strassen.txt\"));", ...
%!   "gpumm_plot (\"strassen\", \"Data\", data);", ...
%!   "_make_figures (getenv (\"TO\"), \"png\", \"\", -1, -1, 0, 0);"}, "\n"));
%! octave = sprintf ("'%s' --norc --no-history --path '%s' --path '%s' --path '%s' draw.m", ...
%!                   fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli"), notebooks (), ...
%!                   strjoin (function_folders (), pathsep ()), fileparts (which ("__gpumm_info__")));
%! write_file ("draw", strjoin ({ ...
%!   "mkdir without with", "unset DISPLAY WAYLAND_DISPLAY", ["TO=without " octave], ...
%!   "Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>number 2>/dev/null &", ...
%!   "for i in $(seq 100); do test -s number || sleep 0.1; done", ...
%!   ["DISPLAY=:$(cat number) TO=with " octave], "kill $!"}, "\n"));
%! [status, said] = system ("sh draw 2>&1");
%! for name = {"001.png", "002.png"}
%!   pictures = cellfun (@(folder) fileread (fullfile (folder, name{1})), {"with", "without"}, ...
%!                       "UniformOutput", false);
%!   assert (isequal (pictures{:}), "%s", said);
%! endfor
