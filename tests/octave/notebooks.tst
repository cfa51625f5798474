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
%! files = glob (fullfile (folder, "*.ipynb"));
%! assert (numel (files), 7);
%! for file = files.'
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
%!     assert (! isempty (regexp (said, ["^exercise " id{1} ": wrong: [^\\n]{15,}\\n$"])));
%!     assert (isempty (strfind (said, "your answer stops")));
%!     exercises++;
%!   endfor
%! endfor
%! assert (exercises, numel (strfind (teacher, "\n### ")));

## an exercise that there is not is the mistake of a notebook, and no answer to it right
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! for id = {"1.4", "8.1", "0.1", "1", "first"}
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
%!          "5.2", @(a, b) intersect (a, b).'; "6.2", single(4800); ...
%!          "7.1", @(x, p) mod(x + p / 2, p) - p / 2};
%! wrong = {"2.2", 31, "in percent"; "3.1", 0.4, "for each l"; "4.3", int8(14), "5341"; ...
%!          "1.2", 3, "is a function"; "5.3", [1, 2], "is a function"; ...
%!          "7.1", @(x, p) x - p * round (x / p), "makes 128"};
%! for i = 1:rows (right)
%!   said = evalc ("exercise (right{i,:});");
%!   assert (said, ["exercise " right{i,1} ": right\n"]);
%! endfor
%! for i = 1:rows (wrong)
%!   said = evalc ("exercise (wrong{i,1:2});");
%!   assert (strncmp (said, ["exercise " wrong{i,1} ": wrong: "], 21));
%!   assert (! isempty (strfind (said, wrong{i,3})));
%! endfor

## answers of the wrong kind are told so, and a function that fails stops nothing
%!testif ; ! isempty (notebooks ())
%! addpath (notebooks ());
%! for id = {"1.1", "2.1", "2.2", "3.1", "3.3", "4.2", "4.3", "5.1", "6.1", "6.2", "7.2"}
%!   for answer = {"many", NaN, {3}, -1, 1:3}
%!     said = evalc ("right = exercise (id{1}, answer{1});");
%!     assert (right, false);
%!     assert (! isempty (regexp (said, ["^exercise " id{1} ": wrong: "])));
%!   endfor
%! endfor
%! for id = {"1.2", "3.2", "4.1", "5.2", "5.3", "6.3", "7.1", "7.3"}
%!   said = evalc ("right = exercise (id{1}, @(varargin) error (\"oh\"));");
%!   assert (right, false);
%!   assert (said, ["exercise " id{1} ": wrong: your answer stops with \"oh\"\n"]);
%!   said = evalc ("right = exercise (id{1}, @(varargin) []);");
%!   assert (said, ["exercise " id{1} ": not answered yet\n"]);
%! endfor

## every code cell has run, on a GPU, without an error; every notebook has figures
%!testif ; ! isempty (notebooks ())
%! for file = glob (fullfile (notebooks (), "*.ipynb")).'
%!   text = "";
%!   figures = 0;
%!   for cell = code_of (file{1})
%!     assert (! isempty (cell{1}.execution_count));
%!     for output = cell{1}.outputs.'
%!       if (iscell (output))
%!         output = output{1};
%!       endif
%!       if (isfield (output, "text"))
%!         text = [text, strjoin(cellstr (output.text), "")];
%!       else
%!         assert (output.output_type, "display_data");
%!         figures++;
%!       endif
%!     endfor
%!   endfor
%!   assert (! isempty (strfind (text, "gpumm on a GPU: NVIDIA ")));
%!   assert (isempty (regexp (text, '(^|\n)(error|warning):')));
%!   assert (figures > 0);
%! endfor

## from_gpu: without a GPU what was measured before, and an error where nothing was
%!testif ; ! isempty (notebooks ()) && ! gpumm_available ("gpu")
%! addpath (notebooks ());
%! said = evalc ("d = from_gpu (\"1-times\", @() error (\"measured\"));");
%! assert (! isempty (regexp (said, '^measured before, on NVIDIA .*, driver \d.* \(.*CUDA')));
%! assert (size (d.seconds), [numel(d.kernels), numel(d.sizes)]);
%! fail ("from_gpu (\"0-nothing\", @() 1)", "nothing was measured before as 0-nothing");

## notebooks/execute runs cells in one workspace; an error in any is a failure, and so is one that
## has not run
%!function write_notebook (file, sources)
%!  for i = 1:numel (sources)
%!    cells{i} = struct ("cell_type", "code", "execution_count", NaN, "metadata", struct (), ...
%!                       "source", {sources(i)}, "outputs", {{}});
%!  endfor
%!  id = fopen (file, "w");
%!  fputs (id, jsonencode (struct ("cells", {cells}, "nbformat", 4)));
%!  fclose (id);
%!endfunction
%!testif ; ! isempty (notebooks ()) && system ("python3 --version > /dev/null && gnuplot --version > /dev/null 2>&1") == 0
%! execute = fullfile (notebooks (), "execute");
%! file = [tempname(), ".ipynb"];
%! run = @(mode) system (sprintf ("'%s' %s '%s' 2>&1", execute, mode, file));
%! unwind_protect
%!   write_notebook (file, {"function y = twice (x)\n  y = 2 * x;\nendfunction\nx = 3;", ...
%!                          "x = twice (x)\nplot (1:3);"});
%!   [status, said] = run ("");
%!   assert (status, 0);
%!   assert (! isempty (strfind (said, "2 cells, 0 with errors\n1 passed, 0 failed\n")));
%!   [status, said] = run ("--check"); # nothing was stored
%!   assert (status != 0 && ! isempty (strfind (said, "cell 2 has not run")));
%!   for bad = {"error (\"oh\")", "x = no_such_thing;", "x = (1"}
%!     write_notebook (file, {"x = 1;", bad{1}, "x"});
%!     [status, said] = run ("");
%!     assert (status != 0);
%!     assert (! isempty (strfind (said, "3 cells, 1 with errors\ncell 2:\n")));
%!     assert (! isempty (strfind (said, "\n0 passed, 1 failed\n")));
%!   endfor
%!   write_notebook (file, {"exit (3)"});
%!   [status, said] = run ("");
%!   assert (status != 0 && ! isempty (strfind (said, "Octave ended with 3")));
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
