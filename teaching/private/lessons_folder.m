## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [folder, is_installed] = lessons_folder (caller)
##
## The folder of the lessons, in the installed package or in gpumm's sources.  Without it the error
## begins with the name of the caller.

function [folder, is_installed] = lessons_folder (caller)

  here = fileparts (fileparts (mfilename ("fullpath")));
  folder = fullfile (here, "doc", "notebooks");
  is_installed = isfolder (folder);
  if (! is_installed)
    folder = fullfile (fileparts (here), "notebooks");
  endif
  if (! exist (fullfile (folder, "lesson.m"), "file"))
    error ("gpumm:no-documentation", ["%s: this gpumm was installed without its lessons; gpumm's " ...
                                      "sources have them in notebooks/"], caller);
  endif

endfunction
