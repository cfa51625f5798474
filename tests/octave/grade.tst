## grade.tst - gpumm_grade: a class with right, wrong and missing answers, broken notebooks, and code that
## forges verdicts or disturbs the grading.
## SPDX-License-Identifier: BSD-3-Clause

## the folder of the notebooks, which only the sources have here
%!function folder = lessons ()
%!  folder = fullfile (fileparts (fileparts (which ("gpumm_info"))), "notebooks");
%!endfunction

%!function yes = has_sandbox ()
%!  yes = system ("bwrap --ro-bind / / --unshare-all --proc /proc true 2>/dev/null") == 0;
%!  if (! yes)
%!    puts ("SKIP: bwrap is not there or may not make a sandbox\n");
%!  endif
%!endfunction

## writes a notebook whose code cells are those of the cell array
%!function book (file, cells)
%!  code = cellfun (@(text) struct ("cell_type", "code", "metadata", struct (), "source", text, ...
%!                                  "outputs", {{"exercise 2.1: right"}}), cells(:), "UniformOutput", false);
%!  head = struct ("cell_type", "markdown", "metadata", struct (), "source", "# A lesson");
%!  [~] = mkdir (fileparts (file));
%!  write_file (file, jsonencode (struct ("cells", {[{head}; code]}, "nbformat", 4, "nbformat_minor", 5)));
%!endfunction

## the solutions of the teacher's page ("right" or "wrong"), in pairs of cells for all lessons; the names
## of the exercises
%!function [cells, ids] = solutions (word)
%!  page = fileread (fullfile (lessons (), "teacher", "README.md"));
%!  parts = regexp (page, '### ([\d.]+)\n(.*?)(?=\n#{2,3} |$)', "tokens");
%!  cells = ids = {};
%!  for part = parts
%!    ids(end+1) = part{1}(1);
%!    cells(end+1) = regexp (part{1}{2}, ['```octave\n(# ' word '.*?)```'], "tokens", "once");
%!    cells{end+1} = check_of (part{1}{1});
%!  endfor
%!endfunction
%!function text = check_of (id)
%!  [file] = glob (fullfile (lessons (), [id(1) "-*.ipynb"]));
%!  text = regexp (fileread (file{1}), ['exercise \(\\"' strrep(id, ".", '\.') '\\", [^"]*\);'], "match", "once");
%!  text = strrep (text, "\\\"", "\"");
%!endfunction

## all solutions and all typical mistakes, through the process and back; both in one table
%!testif ; isfolder (lessons ())
%! [folder, gone] = scratch ();
%! [right, ids] = solutions ("right");
%! assert (numel (ids) >= 24);
%! book (fullfile (folder, "Right", "all.ipynb"), right);
%! book (fullfile (folder, "Wrong", "all.ipynb"), solutions ("wrong"));
%! before = pwd ();
%! grades = gpumm_grade (folder, "AsMe", true);
%! assert (pwd (), before);
%! assert (grades.students, {"Right"; "Wrong"});
%! assert (grades.exercises, ids);
%! assert (grades.right, [numel(ids); 0]);
%! assert (all (strcmp (grades.verdicts(1,:), "right")));
%! addpath (lessons ());
%! gone2 = onCleanup (@() rmpath (lessons ()));
%! for i = 1:numel (ids) # the reasons are those of the notebook
%!   said = evalc ([solutions("wrong"){2*i-1} "\n" solutions("wrong"){2*i}]);
%!   said = regexprep (said, '^exercise [\d.]+: (.*?)\n.*$', "$1");
%!   mask = @(text) regexprep (text, '-?\d+\.\d+|,\d', "N"); # numbers of random matrices
%!   assert (mask (grades.verdicts{2,i}), mask (said));
%! endfor

## a lesson as it is handed out, its first exercise done, and beside it an exercise.m that always says
## "right"; a second notebook of the lesson, in which the answer to 7.2 is better; an older table
%!testif ; isfolder (lessons ())
%! [folder, gone] = scratch ("cd");
%! copy = gpumm_lessons (fullfile (folder, "class", "Zoë"));
%! cellfun (@unlink, setdiff (glob (fullfile (copy, "*.ipynb")), glob (fullfile (copy, "7-*.ipynb"))));
%! file = glob (fullfile (copy, "7-*.ipynb")){1};
%! text = fileread (file);
%! write_file (file, strrep (text, "r = [];             # your lines", "r = mod (x + p / 2, p) - p / 2;"));
%! write_file (fullfile (copy, "exercise.m"), "function right = exercise (id, x)\n  right = true;\n  printf (\"exercise %s: right\\n\", id);\nend\n");
%! write_file (fullfile (copy, "mine.m"), "function y = mine ()\n  y = 4;\nend\n");
%! book (fullfile (copy, "again", "copy.ipynb"), {"exercise (\"7.2\", 4)"});
%! book (fullfile (copy, ".ipynb_checkpoints", "7-old.ipynb"), {"exercise (\"7.3\", @(a, b, c, d) 1)"});
%! copyfile (fullfile (copy, "mine.m"), fullfile (copy, "again"));
%! write_file ("class/grades.csv", "old");
%! said = evalc ("gpumm_grade (\"class\", \"AsMe\", true)");
%! assert (fileread ("class/grades.csv"), ["\"student\",\"7.1\",\"7.2\",\"7.3\",\"right\"\r\n" ...
%!                                         "\"Zoë\",\"right\",\"right\",\"not answered\",\"2\"\r\n"]);
%! assert (said, ["student  7.1  7.2  7.3  right\nZoë       +    +    .       2\n" ...
%!                "+ right, - wrong, . not answered, ! did not run, blank: no notebook\n" ...
%!                "class/grades.csv has the reasons\n"]);

## Cells of a notebook, then the verdicts of 2.1, 2.2 and 2.3: each student has 2.1 in the second cell, and
## 2.2 right in the third.  A student whose verdict of 2.2 is "" has other cells.
%!shared one, two, wrong, missing
%! one = "exercise (\"2.1\", grid_1);";
%! two = "exercise (\"2.2\", (65 / 96) ^ 3);";
%! wrong = "^wrong: 6 x 4 blocks cover only 96 x 64 of C; the rest needs blocks, too$";
%! missing = "^did not run: the cell of the exercise is missing$";

%!function check_class (rows_of_class, cells_of, varargin)
%!  [folder, gone] = scratch ();
%!  for row = rows_of_class.'
%!    book (fullfile (folder, row{1}, "2.ipynb"), cells_of(row{2}));
%!  endfor
%!  grades = gpumm_grade (folder, "AsMe", true, varargin{:});
%!  assert (grades.exercises, {"2.1", "2.2", "2.3"});
%!  assert (numel (grades.students), rows (rows_of_class));
%!  for row = rows_of_class.'
%!    verdicts = grades.verdicts(strcmp (grades.students, row{1}),:);
%!    for k = 1:numel (row) - 2
%!      assert (! isempty (regexp (verdicts{k}, row{k+2}, "once")), "%s: 2.%d: %s", row{1}, k, verdicts{k});
%!    endfor
%!  endfor
%!endfunction

## mistakes and tricks
%!testif ; isfolder (lessons ())
%! is_equal = "function y = isequal (varargin)\n  y = true;\nendfunction\nfunction y = abs (x)\n  y = 0;\nendfunction\nfunction y = regexp (varargin)\n  y = {};\nendfunction\n";
%! forge = @(text) ["grid_1 = [6, 4]; f = fopen (\"/dev/fd/4\", \"w\"); fputs (f, [" text ", \"\\n\"]); fclose (f);"];
%! table = { ...
%!   "right", "grid_1 = [7, 5];", "^right$"
%!   "with ' and \"", "grid_1 = [7, 5];", "^right$"
%!   "$(exit) `exit` ; * [a]", "grid_1 = [7, 5];", "^right$"
%!   "a syntax error", "grid_1 = = [7, 5];", "^did not run: parse error: syntax error >>> grid_1 = = "
%!   "an undefined name", "grid_1 = größe;", "^did not run: 'größe' undefined|^did not run: parse error"
%!   "not UTF-8 in an error", "error ([\"a\\nb\" char(27) \"c\", char(252)]);", "^did not run: a b c\\?$"
%!   "a long error", "error (repmat (\"long \", 1, 1e6));", "^did not run: (long ){20,60}long? \\.\\.\\.$"
%!   "empty", "grid_1 = [];", "^not answered$"
%!   "a cell", "grid_1 = {7, 5};", "^wrong: the answer must be two numbers"
%!   "a string", "grid_1 = \"7 5\";", "^wrong: the answer must be two numbers"
%!   "sparse", "grid_1 = sparse ([7, 5]);", "^right$"
%!   "on the GPU", "grid_1 = gpuArray ([7, 5]);", "^right$"
%!   "complex", "grid_1 = [7, 5 + 1i];", "^wrong: "
%!   "large", "grid_1 = ones (2000);", "^wrong: the answer must be two numbers"
%!   "takes a hint", "grid_1 = [6, 4]; hint (\"2.1\")", wrong
%!   "prints right", "grid_1 = [6, 4]; disp (\"exercise 2.1: right\"); ", wrong
%!   "prints much", "grid_1 = [6, 4]; for i = 1:1000, disp (rand (100)); end", wrong
%!   "redefines exercise", "grid_1 = [7, 5];\nfunction right = exercise (id, x)\n  right = true;\nendfunction", "^did not run: its cell does not call"
%!   "redefines what checks use", ["grid_1 = [6, 4];\n" is_equal], wrong
%!   "exits", "exit (0)", "^did not run: it ends Octave$"
%!   "exits late", "atexit (\"no_function\"); quit", "^did not run: it ends Octave$"
%!   "crashes", "kill (getpid (), 11)", "^did not run: Octave crashes \\(signal 11\\)$"
%!   "memory", "x = ones (2e5);", "^did not run: memory limit of 4 GB$"
%!   "asks", "grid_1 = input (\"the grid? \");", "^did not run: "
%!   "clears", "clear all; clear functions; fclose all; close all; grid_1 = [6, 4];", wrong
%!   "leaves and deletes", "delete (\"*\"); cd /; grid_1 = [6, 4];", wrong
%!   "no path", "path (\"\"); grid_1 = [7, 5];", "^did not run: "
%!   "says right itself", forge("\"verdict right\""), wrong
%!   "answers for the check", forge("\"result double:1x2:00\""), wrong
%!   "wrong numbers of cells", forge("\"cell 1e9\""), "^did not run: the cell disturbs gpumm_grade$"
%!   "an error without a cell", forge("\"cell 0\\nfailed x\""), "^did not run: the cell disturbs gpumm_grade$"
%!   "an endless line", forge("repmat (\"x\", 1, 3e6)"), "^did not run: "
%!   "a value of no class", forge("\"answer 2.1 system:1x1:00\""), "^wrong|^did not run"
%!   "leaves a process", "system (\"sleep 1000 &\"); grid_1 = [6, 4];", wrong};
%! table = [table, repmat({"^right$", missing}, rows (table), 1)];
%! for name = {"redefines exercise", "no path", "an error without a cell", "an endless line", "a value of no class"}
%!   table{strcmp (table(:,1), name{1}),4} = "^right$|^did not run: ";
%! endfor
%! check_class (table, @(answer) {answer, one, two});

## time limits: in a cell, in a cell that does not compute, and in a function that a check calls
%!testif ; isfolder (lessons ())
%! loop = "function k = in_both (a, b)\n  while (true)\n  endwhile\nendfunction";
%! over = "^did not run: time limit of 8 s$";
%! check_class ({"computes", "while (true)\nendwhile", over, "^right$"
%!               "sleeps", "pause (1000)", over, "^right$"}, @(answer) {answer, one, two}, "Seconds", 8);
%! [folder, gone] = scratch ();
%! book (fullfile (folder, "A", "5.ipynb"), {loop, "exercise (\"5.2\", @in_both)", "x = [1, 3, 3, 6, 7, 7];", "exercise (\"5.1\", x)"});
%! grades = gpumm_grade (folder, "Seconds", 8, "AsMe", true);
%! assert (grades.verdicts, {"right", over(2:end-1), missing(2:end-1)});

## files that are no notebooks, or cannot be read: the name tells the lesson
%!testif ; isfolder (lessons ())
%! [folder, gone] = scratch ();
%! files = {"text", "my notes"; "empty", ""; "other", "{}"; "cells", "{\"cells\": 3}"; "binary", char([0, 255, 1]); ...
%!          "deep", repmat("[", 1, 1e6)};
%! for file = files.'
%!   [~] = mkdir (fullfile (folder, file{1}));
%!   write_file (fullfile (folder, file{1}, "2-block-size.ipynb"), file{2});
%!   write_file (fullfile (folder, file{1}, "notes.ipynb"), file{2});
%! endfor
%! mkdir (fullfile (folder, "link"));
%! symlink ("/nowhere", fullfile (folder, "link", "2-block-size.ipynb"));
%! mkdir (fullfile (folder, "pipe"));
%! mkfifo (fullfile (folder, "pipe", "2-block-size.ipynb"), 600);
%! mkdir (fullfile (folder, "folder"));
%! mkdir (fullfile (folder, "folder", "2-block-size.ipynb"));
%! symlink (folder, fullfile (folder, "folder", "circle"));
%! mkdir ([folder "/M\xfcller"]);
%! write_file ([folder "/text/f\xfcr.m"], "1;");
%! grades = gpumm_grade (folder, "AsMe", true);
%! assert (numel (grades.students), 10);
%! for i = 1:10
%!   expected = "^did not run: (it is no notebook: |Octave crashes)";
%!   if (any (strcmp (grades.students{i}, {"folder", "M?ller"})))
%!     expected = "^no notebook$";
%!   endif
%!   assert (! cellfun (@isempty, regexp (grades.verdicts(i,:), expected)));
%! endfor

## flat files, as Moodle hands them out without folders, and folders of nbgrader
%!testif ; isfolder (lessons ())
%! [folder, gone] = scratch ();
%! cells = {"exercise (\"2.1\", [7, 5])"};
%! names = {"Änne Groß_12_assignsubmission_file_2-block-size.ipynb", "Li Wei_7_2-block-size (1).ipynb", ...
%!          "Zed.ipynb", fullfile("nb", "ps1", "2-block-size.ipynb"), ...
%!          fullfile("Ö K_9_assignsubmission_file_", "2.ipynb")};
%! cellfun (@(name) book (fullfile (folder, name), cells), names);
%! grades = gpumm_grade (folder, "AsMe", true);
%! assert (grades.students, sort ({"Änne Groß_12"; "Li Wei_7"; "Zed"; "nb"; "Ö K_9"}));
%! assert (grades.right, ones (5, 1));
%! assert (grades.verdicts(:,2:3), repmat ({missing(2:end-1)}, 5, 2));

## In the sandbox there is no home, no network, no check and no solution, nothing can be written beside the
## working folder, and a link in it is not followed when it is removed.
%!testif ; isfolder (lessons ()) && has_sandbox ()
%! [outside, gone1] = scratch ();
%! write_file (fullfile (outside, "precious"), "1");
%! [folder, gone2] = scratch ();
%! is_not = @(f) ["grid_1 = [7, 5 + any(" f ")];"];
%! here = lessons ();
%! tests = {"home", is_not(["exist (\"" getenv("HOME") "\", \"file\")"]); ...
%!          "class", is_not(["exist (\"" folder "\", \"file\")"]); ...
%!          "checks", is_not(["exist (\"" here "/private/answers_2.m\", \"file\")"]); ...
%!          "solutions", is_not(["exist (\"" here "/teacher/README.md\", \"file\")"]); ...
%!          "root", is_not("fopen (\"/usr/gpumm\", \"w\") > 0"); ...
%!          "gpumm", is_not(["fopen (\"" here "/new.m\", \"w\") > 0"]); ...
%!          "network", is_not("numel (strfind (fileread (\"/proc/net/dev\"), \":\")) != 1"); ...
%!          "others", is_not("numel (glob (\"/proc/[0-9]*\")) > 20"); ...
%!          "link", ["symlink (\"" outside "\", \"link\"); grid_1 = [7, 5];"]};
%! for test = tests.'
%!   book (fullfile (folder, test{1}, "2.ipynb"), {test{2}, one});
%! endfor
%! grades = gpumm_grade (folder);
%! assert (grades.students.', sort (tests(:,1)).');
%! bad = grades.students(! strcmp (grades.verdicts(:,1), "right"));
%! assert (isempty (bad), "%s", strjoin (bad, ", "));
%! assert (fileread (fullfile (outside, "precious")), "1");

## Without a sandbox it refuses if it cannot ask; with AsMe the code runs, also if it leaves a process or a
## link behind.
%!testif ; isfolder (lessons ())
%! [outside, gone1] = scratch ();
%! write_file (fullfile (outside, "precious"), "1");
%! [folder, gone2] = scratch ();
%! path = getenv ("PATH");
%! back = onCleanup (@() setenv ("PATH", path));
%! write_file (fullfile (outside, "bwrap"), "#!/bin/sh\necho 'bwrap: no user namespaces' >&2\nexit 1\n");
%! system (["chmod +x " outside "/bwrap"]);
%! setenv ("PATH", [outside, pathsep(), path]);
%! link = ["symlink (\"" outside "\", \"link\");"];
%! book (fullfile (folder, "A", "2.ipynb"), {[link, "system (\"sleep 1000 &\"); grid_1 = [7, 5];"], one, "exit", two});
%! book (fullfile (folder, "B", "2.ipynb"), {"grid_1 = [6, 4];", one, two});
%! check_error ("gpumm:no-sandbox", "bwrap: no user namespaces.*\"AsMe\", true", @gpumm_grade, folder);
%! check_error ("gpumm:no-sandbox", "AsMe", @gpumm_grade, folder, "AsMe", false);
%! assert (exist (fullfile (folder, "grades.csv"), "file"), 0);
%! grades = gpumm_grade (folder, "AsMe", true);
%! assert (grades.verdicts(1,1:2), {"right", "right"});
%! assert (! isempty (regexp (grades.verdicts{2,1}, wrong)));
%! assert (fileread (fullfile (outside, "precious")), "1");
%! assert (! isempty (strfind (fileread (fullfile (folder, "grades.csv")), "\"A\",\"right\",\"right\",\"did")));

## no notebooks, no class
%!test
%! [folder, gone] = scratch ();
%! check_error ("gpumm:bad-value", "no notebooks", @gpumm_grade, folder);
%! mkdir (fullfile (folder, "A"));
%! check_error ("gpumm:bad-value", "put the notebooks of each student", @gpumm_grade, folder);
%! check_error ("gpumm:bad-value", "FOLDER must be", @gpumm_grade, fullfile (folder, "B"));
%! check_error ("gpumm:bad-value", "Seconds must be", @gpumm_grade, folder, "Seconds", "long");
%! check_error ("gpumm:bad-value", "AsMe must be", @gpumm_grade, folder, "AsMe", "yes");
