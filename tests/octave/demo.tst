## Tests of gpumm_demo: its own matrices, files of every kind, and that a wrong product is noticed.
##
## SPDX-License-Identifier: BSD-3-Clause

## What gpumm_demo returns, what it prints, and the first bytes of its figure.
## Only with a figure is one drawn: that takes some ten times as long as a product of small files.
%!function [results, said, figure_bytes] = run_demo (files, with_figure = false)
%!  [folder, gone] = scratch ();
%!  program = gnuplot_binary ();
%!  unwind_protect
%!    if (! with_figure)
%!      gnuplot_binary ("false");
%!    endif
%!    said = evalc ("results = gpumm_demo (files, folder);");
%!    figure_bytes = bytes_of (fullfile (folder, "gpumm_demo.png"));
%!  unwind_protect_cleanup
%!    gnuplot_binary (program);
%!  end_unwind_protect
%!endfunction

%!function bytes = bytes_of (file)
%!  bytes = "";
%!  if (exist (file, "file"))
%!    bytes = fileread (file);
%!  endif
%!endfunction

## Writes files, given by names and texts, into the current folder; a text may be a cell array of
## the options of save, with the names of variables and their values behind.
%!function write_files (files)
%!  for file = files.'
%!    if (iscell (file{2}))
%!      s = struct (file{2}{2:end});
%!      save (file{2}{1}, file{1}, "-struct", "s");
%!    else
%!      write_file (file{:});
%!    endif
%!  endfor
%!endfunction

%!function quietly (f)
%!  evalc ("f ();");
%!endfunction

## A figure of so many bytes at least, so no empty sheet, or word that there is none.
%!function check_figure (said, bytes, least)
%!  if (any (strcmp (available_graphics_toolkits (), "gnuplot")) && ! isempty (bytes))
%!    assert (bytes(1:8), "\x89PNG\r\n\x1a\n");
%!    assert (numel (bytes) > least);
%!  else
%!    assert (! isempty (strfind (said, "no figure: it needs gnuplot")));
%!  endif
%!endfunction

## All of the demo, as ./setup demo runs it. By a clock a second fast: it then times each product
## once, not until a second is over.
%!test
%! gone = with_functions ({"toc", "t = toc (varargin)", "t = 1 + builtin (\"toc\", varargin{:});"});
%! [r, said, bytes] = run_demo ({}, true);
%! assert ({r.title}, {"K*K", "S*S", "K*U", "D*I", "(D*I)*D'", "X'*X"});
%! assert (all ([r.error] <= 1));
%! assert (all ([r.seconds] > 0) && all ([r.octave_seconds] > 0));
%! assert ([r(4:6).terms], [2048, 2048, 40000]);
%! assert ([r(1:2).terms], [81, 81]); # 27 nodes around each, 3 unknowns in each
%! assert (r(4).info.flops, 2 * 2048 ^ 3);
%! for k = 1:numel (r)
%!   assert (any (strcmp (r(k).info.backend, {"cpu", "gpu"})));
%! endfor
%! assert (numel (regexp (said, " check    (equal to|as) Octave's product")), 6);
%! assert (numel (strfind (said, "    ran on   ")), 6);
%! if (! gpumm_available ("gpu"))  # which is said once, and transfers that are none not at all
%!   assert (numel (strfind (said, gpumm_info ().why_no_gpu)), 1);
%!   assert (isempty (strfind (said, " 0 s")) && isempty (strfind (said, "upload")));
%! endif
%! assert (numel (strfind (said, "    sense    ")), 8);
%! check_figure (said, bytes, 30000); # an empty one has 9,195 bytes

## The generator of random numbers is left as it was.
%!test
%! [folder, gone] = scratch ("cd");
%! write_file ("a.csv", "1,2\n3,4\n");
%! numbers = [];
%! for after = {@() [], @() run_demo({"a.csv"})}
%!   rand ("twister", 7);
%!   randn ("twister", 7);
%!   after{1} ();
%!   numbers(end+1,:) = [rand(1, 3), randn(1, 3)];
%! endfor
%! assert (numbers(1,:), numbers(2,:));

## Files: what is multiplied, with what sum, and what is said. Of the first a figure is drawn.
%!test
%! [folder, gone] = scratch ("cd");
%! write_files ({"t.csv", "height,weight\r\n1,2.5\r\n-3e1,4\r\n.5,1e-3\r\n"
%!               "t.CSV", "1\t2\n3\t4\n"
%!               "m.csv", ["\xef\xbb\xbf" "1,2\n3,4\n"]
%!               "b.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2\n2 3 5\n"
%!               "p.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n"
%!               "c.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 -4\n"
%!               "i.csv", "sensor 1; left, 2nd\n Inf ;NaN\n-inf;1 \n"
%!               "two.mat", {"-v7", "A", [1 2; 3 4], "B", int8([5; 6]), "other", "not a matrix"}
%!               "suite.mat", {"-v7", "Problem", struct("title", "x", "A", sparse ([1 0; 2 3]))}
%!               "text.mat", {"-text", "A", [1 2; 3 4]}});
%! table = { ...
%!   {"t.csv"}, "A'*A", 3, ...
%!       "t.csv: 3 x 2, double\n    its first line is taken as a header: height, weight\n";
%!   {"m.csv"}, "A*A", 2, "m.csv: 2 x 2, double\n\n";
%!   {"t.CSV"}, "A*A", 2, "";
%!   {"t.csv", "t.CSV"}, "A*B", 2, "";
%!   {"t.CSV", "b.mtx"}, "A*B", 1, "";
%!   {"b.mtx"}, "A'*A", 1, "";
%!   {"p.mtx"}, "A*A", 1, "";
%!   {"b.mtx", "p.mtx"}, "A*B", 1, "";
%!   {"t.CSV", "c.mtx"}, "A*B", 2, "";
%!   {"i.csv"}, "A*A", 2, "";
%!   {"two.mat"}, "A*B", 2, "";
%!   {"suite.mat"}, "A*A", 1, "Problem.A in suite.mat: 2 x 2, double, sparse with 3 nonzeros";
%!   {"text.mat", "suite.mat"}, "A*B", 2, "A in text.mat: 2 x 2, double";
%!   "t.CSV", "A*A", 2, "t.CSV: 2 x 2, double";
%! };
%! for k = 1:rows (table)
%!   [r, said, bytes] = run_demo (table{k,1}, k == 1);
%!   if (k == 1)
%!     check_figure (said, bytes, 7500); # an empty one has 5,518 bytes
%!   else
%!     assert (bytes, "");
%!     assert (! isempty (strfind (said, "no figure: it needs gnuplot")));
%!   endif
%!   assert ({numel(r), r.title}, {1, table{k,2}});
%!   assert (r.terms >= table{k,3} && r.error <= 1);
%!   assert (isempty (table{k,4}) || ! isempty (strfind (said, table{k,4})));
%!   assert (! isempty (strfind (said, "1 product right, in")));
%! endfor

## Names of files and folders reach no shell and no gnuplot that would run what is in them.
%!test
%! here = pwd ();
%! [folder, gone] = scratch ("cd");
%! names = {"a;$(touch ran1)`touch ran2`.csv", "b\"; system('touch ran3'); #\\'\n_^{@%d.mtx", ...
%!          "-c\\140touch ran4\\140\xff.mtx", "d$(touch ran5)e\xc3\xa9 \\\".csv"};
%! texts = {"1,2\n3,4\n", "%%MatrixMarket matrix array real general\n1 1\n5\n"};
%! write_files ([names.', texts([1, 2, 2, 1]).']);
%! out = "f;`touch ran6`$(touch ran7)'\"\\ \n%d";
%! mkdir (out);
%! for pair = {names([1, 4]), names([2, 3])}
%!   said = evalc ("gpumm_demo (pair{1}, out);");
%!   check_figure (said, bytes_of (fullfile (out, "gpumm_demo.png")), 7500);
%! endfor
%! assert (isempty (glob ("ran*")) && isempty (glob (fullfile (here, "ran*"))));
%! assert (numel (readdir (".")), 2 + numel (names) + 1);

## Files that cannot be multiplied: name, text, error, and what else is multiplied.
%!test
%! [folder, gone] = scratch ("cd");
%! write_file ("tab.csv", "1,2\n3,4\n");
%! mkfifo ("p.mat", 600);
%! E = eye (2) + 1;
%! file = "gpumm:demo:file";
%! argument = "gpumm:demo:argument";
%! table = { ...
%!   {"w.csv", "a,b\n1,2\n3,x4\n"}, file, "^gpumm_demo: .*w\\.csv:3: \"x4\" is not a number";
%!   {"h.csv", "1,2\n3,\n"}, file, "h\\.csv:2: \"\" is not a number";
%!   {"f.csv", "1,x\n3,4\n"}, file, "f\\.csv:1: \"x\" is not a number$"; # a header or a slip?
%!   {"d.csv", "1,5;2,5\n"}, file, "d\\.csv:1: two kinds of separators in the table\\. Separate num";
%!   {"t.csv", "a,b;c\n1;2\n1,000;2\n"}, file, "t\\.csv:3: two kinds of separators";
%!   {"k.csv", "1,2\n3\t4\n"}, file, "k\\.csv:2: two kinds of separators";
%!   {"v.csv", "1 2\n3 4\n"}, file, "v\\.csv:1: \"1 2\" is not a number\\. Separate numbers by commas, ";
%!   {"u.csv", "a b\n1 2\n3 4\n"}, file, "u\\.csv:2: \"1 2\" is not a number\\. Separate numbers";
%!   {"o.csv", "x,y\nInf,2\n3,-1e400\n"}, file, "o\\.csv:3: \"-1e400\" is beyond the largest";
%!   {"q.csv", "1e400"}, file, "q\\.csv:1: \"1e400\" is beyond the largest double$";
%!   {"s.csv", "a,b,c\n1,2,3\n\n1,2,3\n"}, file, "s\\.csv:3: \"\" is not a number";
%!   {"l.csv", "1,2\n3,4,5\n"}, file, "l\\.csv:2: 3 numbers in the line, but 2 in the first";
%!   {"m.csv", "1,2\n3,--4\n"}, file, "m\\.csv:2: \"--4\" is not a number";
%!   {"n.csv", "a,b\n"}, file, "n\\.csv has no numbers";
%!   {"z.csv", ""}, file, "z\\.csv has no numbers";
%!   {"b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\nx\n"}, ...
%!       "gpumm:mmread:number", "^mmread: .*b\\.mtx:5: \"x\"";
%!   {"c.csv", "1\n2\n3\n", "tab.csv"}, "Octave:nonconformant-args", "op1 is 3x1, op2 is 2x2";
%!   {"g.csv", "gr\xf6\xdfe\n1\nx\xff\n"}, file, "g\\.csv:3: \"x\\?\" is not a number";
%!   {"run.mat", "# name: f\n# type: function handle\n@<anonymous>\nerror (\"it ran\")\n"}, ...
%!       file, "run\\.mat holds functions";
%!   {"p.mat"}, file, "p\\.mat: it is not a regular file";
%!   {"a.txt", "1"}, file, "a\\.txt is not named .mtx, .mat or .csv";
%!   {"bad.mat", "\1\2nonsense"}, file, "cannot read .*bad\\.mat";
%!   {"str.mat", {"-v7", "name", "text"}}, file, "no numeric matrix in .*str\\.mat";
%!   {"three.mat", {"-v7", "A", E, "B", E, "C", E}}, file, ...
%!       "three\\.mat holds 3 matrices \\(A, B, C\\)";
%!   {"two.mat", {"-v7", "A", E, "B", E}, "tab.csv"}, file, "two\\.mat holds 2 matrices \\(A, B\\)";
%!   {"/no/such.csv"}, file, "cannot open /no/such.csv";
%!   {"/no/such.mat"}, file, "cannot open /no/such.mat";
%!   {"/no/such.mtx"}, "gpumm:mmread:open", "cannot open /no/such.mtx";
%! };
%! for k = 1:rows (table)
%!   given = table{k,1};
%!   if (numel (given) > 1)
%!     write_files (given(1:2));
%!   endif
%!   check_error (table{k,2:3}, @() quietly (@() gpumm_demo (given([1, 3:end]), tempdir ())));
%! endfor
%! check_error (argument, "at most two", @() gpumm_demo (repmat ({"tab.csv"}, 1, 3), tempdir ()));
%! check_error (argument, "^gpumm_demo: FILES must be", @() gpumm_demo ({1}, tempdir ()));
%! check_error (argument, "^gpumm_demo: FILES must be", @() gpumm_demo (5, tempdir ()));
%! check_error (argument, "FOLDER must be", @() gpumm_demo ({"tab.csv"}, "/no/such/folder"));
%! check_error (argument, "FOLDER must be", @() gpumm_demo ({"tab.csv"}, 1));

## With a gpumm that errs, by a little or a lot, the demo ends with an error.
%!test
%! head = ["function [C, info] = gpumm (A, B, varargin)\n" ...
%!         "s = struct (\"total\", 0, \"upload\", 0, \"compute\", 0, \"download\", 0);\n" ...
%!         "info = struct (\"backend\", \"cpu\", \"device\", struct (\"name\", \"x\"), " ...
%!         "\"algorithm\", \"x\", \"kernel\", \"x\", \"seconds\", s, \"flops\", 1, " ...
%!         "\"reason\", \"x\");\nC = A * B;\n"];
%! [folder, gone] = scratch ("cd");
%! write_files ({"full.csv", "1.5,2,0\n3,4,0\n0,0,0\n"; "infinite.csv", "Inf,2\n0,NaN\n"
%!               "s.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n1 2 1\n"});
%! table = {"full.csv", {"", "C(2) += 1e-10;", "C(9) = 1e-300;", ... # where nothing is summed
%!                       "C(1) = NaN;", "C(1) = Inf;", "C = single (C);", "C = sparse (C);", ...
%!                       "C = C(:,1:2);", "C = C + 1e-10i;"}
%!          "infinite.csv", {"", "C(1) = -Inf;", "C(1) = NaN;", "C(4) = 0;"}
%!          "s.mtx", {"", "C(1,1) += 1e-10;", "C(2,1) = 1e-300;", "C(1,2) = 0;", "C = full (C);"}};
%! warning ("off", "Octave:shadowed-function", "local");
%! unwind_protect
%!   for given = table.'
%!     for fault = given{2}
%!       write_file ("gpumm.m", [head, fault{1}, "\nendfunction\n"]);
%!       clear gpumm;
%!       rehash ();
%!       if (isempty (fault{1}))
%!         assert (run_demo (given{1}).error, 0); # it is the fault that is refused
%!       else
%!         check_error ("gpumm:demo:check", "^gpumm_demo: A\\*A is wrong", ...
%!                      @() quietly (@() gpumm_demo (given{1}, tempdir ())));
%!       endif
%!     endfor
%!   endfor
%! unwind_protect_cleanup
%!   clear gpumm;
%! end_unwind_protect

## An error says what is wrong, and not which lines of the demo found it.
%!test
%! folder = tempname ();
%! [status, said] = system ([another_octave(sprintf ("gpumm_demo ({'%s.csv'})", folder)) " 2>&1"]);
%! assert (status, 1);
%! assert (! isempty (strfind (said, "error: gpumm_demo: cannot open")), "it said: %s", said);
%! assert (isempty (strfind (said, "called from")), "it said: %s", said);

## The example in the help text does what it says.
%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! [passed, total] = feval ("doctest", {"gpumm_demo"});
%! assert (passed, total);
%! assert (total, 3);
