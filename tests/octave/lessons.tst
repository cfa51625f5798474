## lessons.tst - gpumm_lessons copies the notebooks and no answers, keeps what is there, and a
## lesson runs in its copy.
## SPDX-License-Identifier: BSD-3-Clause

## the folder of the notebooks, which only the sources have here
%!function folder = notebooks ()
%!  folder = fullfile (fileparts (fileparts (which ("gpumm_info"))), "notebooks");
%!endfunction

%!function names = files_in (folder)
%!  names = setdiff (readdir (folder), {".", ".."});
%!endfunction

## the copy has the notebooks as they are, and nothing that knows an answer
%!test
%! [folder, gone] = scratch ();
%! gpumm_lessons (folder);
%! books = regexprep (glob (fullfile (notebooks (), "*.ipynb")), '.*/', "");
%! assert (any (strcmp (books, "1-two-loops-to-a-gpu.ipynb")));
%! assert (files_in (folder), sort ([books; {"lesson.m"}]));
%! for name = files_in (folder).'
%!   assert (fileread (fullfile (folder, name{1})), fileread (fullfile (notebooks (), name{1})));
%! endfor

## what is there stays, what is missing comes; what is said
%!test
%! [folder, gone] = scratch ();
%! folder = fullfile (folder, "it's mine");
%! said = evalc ("gpumm_lessons (folder)");
%! count = numel (files_in (folder));
%! begins = sprintf ("The lessons are in %s: %d new files; 0 were there", folder, count);
%! assert (strncmp (said, begins, numel (begins)), "%s", said);
%! command = "\n  '[^\n]*/setup' notebooks '[^\n]*it'\\\\''s mine'\n$";
%! assert (! isempty (regexp (said, command, "once")));
%! write_file (fullfile (folder, "2-block-size.ipynb"), "mine");
%! write_file (fullfile (folder, "notes.txt"), "mine, too");
%! unlink (fullfile (folder, "4-strassen.ipynb"));
%! said = evalc ("gpumm_lessons (folder)");
%! assert (! isempty (strfind (said, sprintf (": 1 new files; %d were there and are unchanged.", ...
%!                                            count - 1))), "%s", said);
%! assert (fileread (fullfile (folder, "2-block-size.ipynb")), "mine");
%! assert (fileread (fullfile (folder, "notes.txt")), "mine, too");
%! assert (fileread (fullfile (folder, "4-strassen.ipynb")), ...
%!         fileread (fullfile (notebooks (), "4-strassen.ipynb")));

## in a notebook, and in a terminal of a JupyterHub, Jupyter runs already
%!test
%! [folder, gone] = scratch ();
%! for name = {"JPY_PARENT_PID", "JUPYTERHUB_USER"}
%!   set_there = with_variable (name{1}, "1");
%!   said = evalc ("gpumm_lessons (folder)");
%!   clear set_there
%!   assert (! isempty (regexp (said, "unchanged\\.\nOpen [^\n]* list of files\\.\n$", "once")), ...
%!           "%s", said);
%! endfor

## gpumm-lessons in the current folder by default
%!test
%! [folder, gone] = scratch ("cd");
%! assert (gpumm_lessons (), fullfile (folder, "gpumm-lessons"));
%! assert (exist (fullfile ("gpumm-lessons", "lesson.m"), "file"), 2);

## a file in the way
%!test
%! [folder, gone] = scratch ();
%! file = write_file (fullfile (folder, "file"), "");
%! for folder = {file, fullfile(file, "below")}
%!   check_error ("gpumm:unwritable", regexptranslate ("escape", folder{1}), ...
%!                @() gpumm_lessons (folder{1}));
%! endfor

## A lesson runs in its copy, in an Octave whose path has gpumm and Jupyter's kernel alone, of the
## sources or as pkg installs it.
%!function said = in_copy (copy, gpumm_folders, before)
%!  code = {before, "addpath (\"kernel\");", "where = lesson ();", ...
%!          "_make_figures (\".\", \"png\", \"Figure\", -1, -1, 0, 0);", ...
%!          "exercise (\"1.1\", 12e6);", "exercise (\"1.1\", 6e6);", ...
%!          "if (strcmp (where, \"cpu\"))", "  from_gpu (\"1-times\", @() []);", "endif"};
%!  octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
%!  command = sprintf ("'%s' --norc --no-history --path '%s' --path '%s' my_lesson.m 2>&1", ...
%!                     octave, gpumm_folders, fileparts (which ("__gpumm_info__")));
%!  cd (copy);
%!  write_file ("my_lesson.m", strjoin (code, "\n"));
%!  mkdir ("kernel"); # Jupyter's, whose figures need Ghostscript
%!  write_file ("kernel/_make_figures.m", "function _make_figures (varargin)\n  error (\"no gs\");\nendfunction\n");
%!  [~, said] = system (command);
%!endfunction
%!function check_in_copy (gpumm_folders, before = "")
%!  [copy, gone] = scratch ("cd");
%!  said = in_copy (gpumm_lessons (copy), gpumm_folders, before);
%!  assert (! isempty (strfind (said, "exercise 1.1: right\nexercise 1.1: wrong: ")), "%s", said);
%!  assert (isempty (regexp (said, '(^|\n)(error|warning):')), "%s", said);
%!endfunction
%!test
%! check_in_copy (strjoin (function_folders (), pathsep ()));
%! check_in_copy (strjoin (function_folders (), pathsep ()), sprintf ("addpath (\"%s\")", notebooks ())); # ./setup notebooks

%!test
%! [folder, gone] = scratch ("path");
%! source = notebooks ();
%! copyfile (strcat (function_folders (), "/*"), folder);
%! addpath (folder);
%! fail ("gpumm_lessons (tempname ())", "installed without its lessons");
%! mkdir (fullfile (folder, "doc"));
%! copyfile (source, fullfile (folder, "doc", "notebooks"));
%! check_in_copy (folder);
%! said = evalc ("gpumm_lessons (fullfile (folder, \"my own\"))");
%! command = "\n  OCTAVE_CLI_OPTIONS=\\S+ PYDEVD\\S+=1 jupyter notebook '[^\n]*my own'\n$";
%! assert (! isempty (regexp (said, command, "once")));
