## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [folder, gone] = temporary_folder (caller)
##
## Makes an empty folder, which is removed with all in it when the variable GONE is cleared.

function [folder, gone] = temporary_folder (caller)

  folder = tempname ();
  [made, why] = mkdir (folder);
  if (! made)
    error ("gpumm:unwritable", "%s: cannot make %s: %s", caller, folder, why);
  endif
  gone = onCleanup (@() remove (folder));

endfunction

function remove (folder)
  confirm_recursive_rmdir (false, "local");
  [~] = rmdir (folder, "s"); # does not follow links
endfunction
