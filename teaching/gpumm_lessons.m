## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_lessons ()
## @deftypefnx {} {} gpumm_lessons (@var{folder})
## @deftypefnx {} {@var{folder} =} gpumm_lessons (@dots{})
## Copy the lessons, Jupyter notebooks with exercises, into a folder of your own.
##
## The default @var{folder} is @file{gpumm-lessons} in the current folder.  If it does not exist,
## @code{gpumm_lessons} makes it.  No file is overwritten, so your work in a notebook stays.
## To start a lesson again, delete its notebook and call @code{gpumm_lessons} again.
##
## @code{gpumm_lessons} prints how to open the notebooks.  With an output argument it prints nothing
## and returns the absolute path of the folder.  The notebooks need Jupyter and its kernel for
## Octave (Debian: @code{jupyter-notebook} and @code{python3-octave-kernel}).  To read the lessons
## without Jupyter, call @code{gpumm_doc}.
##
## @example
## @group
## folder = gpumm_lessons (tempname ());
## exist (fullfile (folder, "1-two-loops-to-a-gpu.ipynb"), "file")
##   @result{} ans = 2
## @end group
## @end example
## @seealso{gpumm_doc, gpumm_kernel}
## @end deftypefn

function folder = gpumm_lessons (folder = "gpumm-lessons")

  if (! (ischar (folder) && isrow (folder)))
    error ("gpumm:bad-value", "gpumm_lessons: FOLDER must be a string");
  endif
  [source, open_by] = lessons_source ();
  folder = make_absolute_filename (tilde_expand (folder));
  make_folder (folder);

  ## The functions and checks of the exercises stay in the source folder; lesson.m finds them there.
  files = readdir (source);
  files = files(! cellfun (@isempty, regexp (files, '\.ipynb$|^lesson\.m$', "once")));
  copied = 0;
  for file = files.'
    to = fullfile (folder, file{1});
    if (! exist (to, "file"))
      text = fileread (fullfile (source, file{1}));
      __write_file__ (to, text, "gpumm_lessons", ...
                      {"gpumm:unwritable", "gpumm:unwritable"});
      copied++;
    endif
  endfor

  if (nargout == 0)
    printf ("The lessons are in %s: %d new files; %d were there and are unchanged.\n", ...
            folder, copied, numel (files) - copied);
    if (isempty ([getenv("JPY_PARENT_PID"), getenv("JUPYTERHUB_USER")]))
      printf ("To open the lessons in Jupyter, type in a shell:\n  %s %s\n", open_by, ...
              __quoted_word__ (folder));
    else # a notebook, or a terminal of a JupyterHub
      printf ("Open them in Jupyter's list of files.\n");
    endif
    clear folder
  endif

endfunction

function make_folder (folder)
  if (! isfolder (folder))
    [status, message] = mkdir (folder);
    if (! status)
      error ("gpumm:unwritable", "gpumm_lessons: cannot make %s: %s", folder, message);
    endif
  endif
endfunction

## The folder of the lessons, and the command that opens a copy of them.
function [source, open_by] = lessons_source ()

  [source, is_installed] = lessons_folder ("gpumm_lessons");
  ## With line editing, Jupyter shows control characters, and each cell takes seconds.  Python's
  ## debugger warns of frozen modules.
  open_by = ["OCTAVE_CLI_OPTIONS=--no-line-editing PYDEVD_DISABLE_FILE_VALIDATION=1 " ...
             "jupyter notebook"];
  if (! is_installed)
    open_by = [__quoted_word__(fullfile (fileparts (source), "setup")), " notebooks"];
  endif

endfunction

%!error id=Octave:invalid-fun-call gpumm_lessons (1, 2)
%!error id=gpumm:bad-value gpumm_lessons (1)
%!error id=gpumm:unwritable gpumm_lessons ("/dev/null/lessons")
