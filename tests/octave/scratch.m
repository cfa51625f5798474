## [FOLDER, GONE] = scratch (WHAT): a new folder, which is removed when the variable GONE ends. With
## WHAT = "cd" the folder is the current one until then, with "path" it is first on the path.
## SPDX-License-Identifier: BSD-3-Clause

function [folder, gone] = scratch (what = "")

  folder = tempname ();
  mkdir (folder);
  here = pwd ();
  if (strcmp (what, "cd"))
    cd (folder);
  elseif (strcmp (what, "path"))
    addpath (folder);
  endif
  gone = onCleanup (@() leave (folder, here, what));

endfunction

function leave (folder, here, what)

  if (strcmp (what, "cd"))
    cd (here);
  elseif (strcmp (what, "path"))
    rmpath (folder);
  endif
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");

endfunction
