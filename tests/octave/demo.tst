## Tests of gpumm_demo: its own matrices, files of every kind, and that a wrong product is noticed.
##
## SPDX-License-Identifier: BSD-3-Clause

## What gpumm_demo returns, what it prints, and the first bytes of its figure.
## Only with a figure is one drawn: that takes some ten times as long as a product of small files.
%!function [results, said, figure_bytes] = run_demo (files, with_figure = false)
%!  folder = tempname ();
%!  mkdir (folder);
%!  program = gnuplot_binary ();
%!  unwind_protect
%!    if (! with_figure)
%!      gnuplot_binary ("false");
%!    endif
%!    said = evalc ("results = gpumm_demo (files, folder);");
%!    figure_bytes = "";
%!    fid = fopen (fullfile (folder, "gpumm_demo.png"), "rb");
%!    if (fid >= 0)
%!      figure_bytes = fread (fid, Inf, "uint8=>char").';
%!      fclose (fid);
%!    endif
%!  unwind_protect_cleanup
%!    gnuplot_binary (program);
%!    confirm_recursive_rmdir (false, "local");
%!    rmdir (folder, "s");
%!  end_unwind_protect
%!endfunction

## The text in a new file of this name, in a new folder.
%!function file = new_file (name, text)
%!  folder = tempname ();
%!  mkdir (folder);
%!  file = fullfile (folder, name);
%!  fid = fopen (file, "wb");
%!  fputs (fid, text);
%!  fclose (fid);
%!endfunction

%!function remove (files)
%!  confirm_recursive_rmdir (false, "local");
%!  for k = 1:numel (files)
%!    rmdir (fileparts (files{k}), "s");
%!  endfor
%!endfunction

%!function refuses (id, pattern, f)
%!  err = [];
%!  try
%!    evalc ("f ();");
%!  catch err
%!  end_try_catch
%!  if (isempty (err))
%!    error ("no error, expected %s: %s", id, pattern);
%!  endif
%!  if (! strcmp (err.identifier, id) || isempty (regexp (err.message, pattern)))
%!    error ("expected the error\n  %s: %s\nbut it is\n  %s: %s", id, pattern, err.identifier,
%!           err.message);
%!  endif
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

## All of the demo, as ./setup demo runs it. By a clock a second fast: it then times each product once,
## not until a second is over.
%!test
%! clock_file = new_file ("toc.m", ["function t = toc (varargin)\n" ...
%!                                  "t = 1 + builtin (\"toc\", varargin{:});\nendfunction\n"]);
%! warning ("off", "Octave:shadowed-function", "local");
%! unwind_protect
%!   addpath (fileparts (clock_file));
%!   [r, said, bytes] = run_demo ({}, true);
%! unwind_protect_cleanup
%!   rmpath (fileparts (clock_file));
%!   remove ({clock_file});
%! end_unwind_protect
%! assert ({r.title}, {"K*K", "S*S", "K*U", "D*I", "(D*I)*D'", "X'*X"});
%! assert (all ([r.error] <= 1));
%! assert (all ([r.seconds] > 0) && all ([r.octave_seconds] > 0));
%! assert ([r(4:6).terms], [2048, 2048, 40000]);
%! assert ([r(1:2).terms], [81, 81]);                        # 27 nodes around each, 3 unknowns in each
%! assert (r(4).info.flops, 2 * 2048 ^ 3);
%! for k = 1:numel (r)
%!   assert (any (strcmp (r(k).info.backend, {"cpu", "gpu"})));
%! endfor
%! assert (numel (strfind (said, "right to rounding: largest error")), 6);
%! assert (numel (strfind (said, "    ran on   ")), 6);
%! if (! gpumm_available ("gpu"))  # which is said once, and transfers that are none not at all
%!   assert (numel (strfind (said, gpumm_info ().why_no_gpu)), 1);
%!   assert (isempty (strfind (said, " 0 s")) && isempty (strfind (said, "upload")));
%! endif
%! assert (numel (strfind (said, "    sense    ")), 8);
%! check_figure (said, bytes, 30000); # an empty one has 9,195 bytes

## The generator of random numbers is left as it was.
%!test
%! file = new_file ("a.csv", "1,2\n3,4\n");
%! unwind_protect
%!   rand ("twister", 7);
%!   randn ("twister", 7);
%!   expected = [rand(1, 3), randn(1, 3)];
%!   rand ("twister", 7);
%!   randn ("twister", 7);
%!   run_demo ({file});
%!   assert ([rand(1, 3), randn(1, 3)], expected);
%! unwind_protect_cleanup
%!   remove ({file});
%! end_unwind_protect

## Files: what is multiplied, and with what sum.
%!test
%! csv = new_file ("t.csv", "height,weight\r\n1,2.5\r\n-3e1,4\r\n.5,1e-3\r\n");
%! tab = new_file ("t.CSV", "1\t2\n3\t4\n");
%! bom = new_file ("m.csv", ["\xef\xbb\xbf" "1,2\n3,4\n"]);
%! mtx = new_file ("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2\n2 3 5\n");
%! pat = new_file ("p.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n");
%! cpl = new_file ("c.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 -4\n");
%! inf_ = new_file ("i.csv", "Inf,NaN\n0,1\n");
%! two = new_file ("two.mat", "");
%! A = [1 2; 3 4];
%! B = int8 ([5; 6]);
%! other = "not a matrix";
%! save ("-v7", two, "A", "B", "other");
%! suite = new_file ("suite.mat", "");
%! Problem = struct ("title", "x", "A", sparse ([1 0; 2 3]));
%! save ("-v7", suite, "Problem");
%! text = new_file ("text.mat", "");
%! save ("-text", text, "A");
%! table = { ...
%!   {csv}, "A'*A", 3, "t.csv: 3 x 2, double\n    its first line is taken as a header: height, weight\n";
%!   {bom}, "A*A", 2, "m.csv: 2 x 2, double\n\n";
%!   {tab}, "A*A", 2, "";
%!   {csv, tab}, "A*B", 2, "";
%!   {tab, mtx}, "A*B", 1, "";
%!   {mtx}, "A'*A", 1, "";
%!   {pat}, "A*A", 1, "";
%!   {mtx, pat}, "A*B", 1, "";
%!   {tab, cpl}, "A*B", 2, "";
%!   {inf_}, "A*A", 2, "";
%!   {two}, "A*B", 2, "";
%!   {suite}, "A*A", 1, "Problem.A in suite.mat: 2 x 2, double, sparse with 3 nonzeros";
%!   {text, suite}, "A*B", 2, "A in text.mat: 2 x 2, double";
%!   tab, "A*A", 2, "t.CSV: 2 x 2, double";
%! };
%! unwind_protect
%!   for k = 1:rows (table)
%!     with_figure = k == 1;
%!     [r, said, bytes] = run_demo (table{k,1}, with_figure);
%!     if (with_figure)
%!       check_figure (said, bytes, 7500); # an empty one has 5,518 bytes
%!     else
%!       assert (bytes, "");
%!       assert (! isempty (strfind (said, "no figure: it needs gnuplot")));
%!     endif
%!     assert (numel (r), 1);
%!     assert (r.title, table{k,2});
%!     assert (r.terms >= table{k,3});
%!     assert (r.error <= 1);
%!     assert (isempty (table{k,4}) || ! isempty (strfind (said, table{k,4})));
%!     assert (! isempty (strfind (said, "1 product right to rounding")));
%!   endfor
%! unwind_protect_cleanup
%!   remove ({csv, bom, tab, mtx, pat, cpl, inf_, two, suite, text});
%! end_unwind_protect

## Names of files and folders reach no shell and no gnuplot that would run what is in them.
%!test
%! folder = tempname ();
%! mkdir (folder);
%! here = cd (folder);
%! unwind_protect
%!   names = {"a;$(touch ran1)`touch ran2`.csv", "b\"; system('touch ran3'); #\\'\n_^{@%d.mtx", ...
%!            "-c\\140touch ran4\\140\xff.mtx", "d$(touch ran5)e\xc3\xa9 \\\".csv"};
%!   for k = 1:numel (names)
%!     fid = fopen (names{k}, "wb");
%!     if (strcmp (names{k}(end-3:end), ".csv"))
%!       fputs (fid, "1,2\n3,4\n");
%!     else
%!       fputs (fid, "%%MatrixMarket matrix array real general\n1 1\n5\n");
%!     endif
%!     fclose (fid);
%!   endfor
%!   out = "f;`touch ran6`$(touch ran7)'\"\\ \n%d";
%!   mkdir (out);
%!   for pair = {names([1, 4]), names([2, 3])}
%!     said = evalc ("gpumm_demo (pair{1}, out);");
%!     bytes = "";
%!     fid = fopen (fullfile (out, "gpumm_demo.png"), "rb");
%!     if (fid >= 0)
%!       bytes = fread (fid, Inf, "uint8=>char").';
%!       fclose (fid);
%!     endif
%!     check_figure (said, bytes, 7500);
%!   endfor
%!   assert (isempty (glob ("ran*")) && isempty (glob (fullfile (here, "ran*"))));
%!   assert (numel (readdir (".")), 2 + numel (names) + 1);
%! unwind_protect_cleanup
%!   cd (here);
%!   confirm_recursive_rmdir (false, "local");
%!   rmdir (folder, "s");
%! end_unwind_protect

## Files that cannot be multiplied.
%!test
%! tab = new_file ("t.csv", "1,2\n3,4\n");
%! word = new_file ("w.csv", "a,b\n1,2\n3,x4\n");
%! hole = new_file ("h.csv", "1,2\n3,\n");
%! first = new_file ("f.csv", "1,x\n3,4\n");      # a header or a slip? no guess
%! short = new_file ("s.csv", "a,b,c\n1,2,3\n\n1,2,3\n");
%! long = new_file ("l.csv", "1,2\n3,4,5\n");
%! sign = new_file ("m.csv", "1,2\n3,--4\n");
%! none = new_file ("n.csv", "a,b\n");
%! nil = new_file ("z.csv", "");
%! mtx = new_file ("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\nx\n");
%! col = new_file ("c.csv", "1\n2\n3\n");
%! latin = new_file ("l.csv", "gr\xf6\xdfe\n1\nx\xff\n");
%! run = new_file ("run.mat", ["# name: f\n# type: function handle\n@<anonymous>\n" ...
%!                             "error (\"it ran\")\n"]);
%! pipe = new_file ("p.mat", "");
%! unlink (pipe);
%! mkfifo (pipe, 600);
%! txt = new_file ("a.txt", "1");
%! bad = new_file ("bad.mat", "\1\2nonsense");
%! str = new_file ("str.mat", "");
%! name = "text";
%! save ("-v7", str, "name");
%! three = new_file ("three.mat", "");
%! A = B = C = eye (2) + 1;
%! save ("-v7", three, "A", "B", "C");
%! two = new_file ("two.mat", "");
%! save ("-v7", two, "A", "B");
%! table = { ...
%!   {word}, "gpumm:demo:file", "^gpumm_demo: .*w\\.csv:3: \"x4\" is not a number";
%!   {hole}, "gpumm:demo:file", "h\\.csv:2: \"\" is not a number";
%!   {first}, "gpumm:demo:file", "f\\.csv:1: \"x\" is not a number; a line with a number is not taken as a header$";
%!   {short}, "gpumm:demo:file", "s\\.csv:3: \"\" is not a number";
%!   {long}, "gpumm:demo:file", "l\\.csv:2: 3 numbers in the line, but 2 in the first";
%!   {sign}, "gpumm:demo:file", "m\\.csv:2: \"--4\" is not a number";
%!   {none}, "gpumm:demo:file", "n\\.csv has no numbers";
%!   {nil}, "gpumm:demo:file", "z\\.csv has no numbers";
%!   {mtx}, "gpumm:mmread:number", "^mmread: .*b\\.mtx:5: \"x\"";
%!   {tab, col}, "Octave:nonconformant-args", "op1 is 2x2, op2 is 3x1";
%!   {latin}, "gpumm:demo:file", "l\\.csv:3: \"x\\?\" is not a number";
%!   {run}, "gpumm:demo:file", "run\\.mat holds functions";
%!   {pipe}, "gpumm:demo:file", "p\\.mat: it is not a regular file";
%!   {txt}, "gpumm:demo:file", "a\\.txt is not named .mtx, .mat or .csv";
%!   {bad}, "gpumm:demo:file", "cannot read .*bad\\.mat";
%!   {str}, "gpumm:demo:file", "no numeric matrix in .*str\\.mat";
%!   {three}, "gpumm:demo:file", "three\\.mat holds 3 matrices \\(A, B, C\\)";
%!   {two, tab}, "gpumm:demo:file", "two\\.mat holds 2 matrices \\(A, B\\)";
%!   {"/no/such.csv"}, "gpumm:demo:file", "cannot open /no/such.csv";
%!   {"/no/such.mat"}, "gpumm:demo:file", "cannot open /no/such.mat";
%!   {"/no/such.mtx"}, "gpumm:mmread:open", "cannot open /no/such.mtx";
%!   {tab, tab, tab}, "gpumm:demo:argument", "at most two";
%!   {1}, "gpumm:demo:argument", "^gpumm_demo: FILES must be";
%!   5, "gpumm:demo:argument", "^gpumm_demo: FILES must be";
%! };
%! unwind_protect
%!   for k = 1:rows (table)
%!     refuses (table{k,2}, table{k,3}, @() gpumm_demo (table{k,1}, tempdir ()));
%!   endfor
%!   refuses ("gpumm:demo:argument", "FOLDER must be", @() gpumm_demo ({tab}, "/no/such/folder"));
%!   refuses ("gpumm:demo:argument", "FOLDER must be", @() gpumm_demo ({tab}, 1));
%! unwind_protect_cleanup
%!   remove ({run, latin, pipe, word, hole, first, short, long, sign, none, nil, mtx, col, txt, bad, str, three, ...
%!           two, tab});
%! end_unwind_protect

## With a gpumm that errs, by a little or a lot, the demo ends with an error.
%!test
%! head = ["function [C, info] = gpumm (A, B, varargin)\n" ...
%!         "s = struct (\"total\", 0, \"upload\", 0, \"compute\", 0, \"download\", 0);\n" ...
%!         "info = struct (\"backend\", \"cpu\", \"device\", struct (\"name\", \"x\"), " ...
%!         "\"algorithm\", \"x\", \"kernel\", \"x\", \"seconds\", s, \"flops\", 1, " ...
%!         "\"reason\", \"x\");\nC = A * B;\n"];
%! full_ = new_file ("f.csv", "1.5,2,0\n3,4,0\n0,0,0\n");
%! infinite = new_file ("f.csv", "Inf,2\n0,NaN\n");
%! sparse_ = new_file ("s.mtx", ...
%!                     "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n1 2 1\n");
%! table = { ...
%!   full_, "";
%!   infinite, "";
%!   sparse_, "";
%!   full_, "C(2) += 1e-10;";
%!   full_, "C(9) = 1e-300;";                       # where nothing is summed
%!   full_, "C(1) = NaN;";
%!   full_, "C(1) = Inf;";
%!   full_, "C = single (C);";
%!   full_, "C = sparse (C);";
%!   full_, "C = C(:,1:2);";
%!   full_, "C = C + 1e-10i;";
%!   infinite, "C(1) = -Inf;";
%!   infinite, "C(1) = NaN;";
%!   infinite, "C(4) = 0;";
%!   sparse_, "C(1,1) += 1e-10;";
%!   sparse_, "C(2,1) = 1e-300;";
%!   sparse_, "C(1,2) = 0;";
%!   sparse_, "C = full (C);";
%! };
%! file = new_file ("gpumm.m", "");
%! warning ("off", "Octave:shadowed-function", "local");
%! unwind_protect
%!   addpath (fileparts (file));
%!   for k = 1:rows (table)
%!     fid = fopen (file, "wb");
%!     fputs (fid, [head, table{k,2}, "\nendfunction\n"]);
%!     fclose (fid);
%!     clear gpumm;
%!     rehash ();
%!     if (isempty (table{k,2}))
%!       r = run_demo (table{k,1});                 # it is the fault that is refused
%!       assert (r.error, 0);
%!     else
%!       refuses ("gpumm:demo:check", "^gpumm_demo: A\\*A is wrong", ...
%!                @() gpumm_demo (table{k,1}, tempdir ()));
%!     endif
%!   endfor
%! unwind_protect_cleanup
%!   rmpath (fileparts (file));
%!   clear gpumm;
%!   remove ({file, full_, infinite, sparse_});
%! end_unwind_protect

## An error says what is wrong, and not which lines of the demo found it.
%!test
%! folder = tempname ();
%! [status, said] = system ([another_octave(sprintf ("gpumm_demo ({'%s.csv'})", folder)) " 2>&1"]);
%! assert (status, 1);
%! assert (! isempty (strfind (said, "error: gpumm_demo: cannot open")), "it said: %s", said);
%! assert (isempty (strfind (said, "called from")), "it said: %s", said);

## The example in the help text does what it says.
%!function [passed, total] = run_doctest (names)
%!  [passed, total] = doctest (names);
%!endfunction
%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! [passed, total] = run_doctest ({"gpumm_demo"});
%! assert (passed, total);
%! assert (total, 3);
