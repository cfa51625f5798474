## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## copy_file (from, to)
##
## Copies a regular file.  Of anything else, and of an unreadable file, no file is made.  copyfile
## would take [ and * in a name for patterns.

function copy_file (from, to)

  [info, status] = stat (from);
  if (status != 0 || ! S_ISREG (info.mode))
    return;
  endif
  try
    text = fileread (from);
  catch
    return;
  end_try_catch
  __write_file__ (to, text, "gpumm_grade", {"gpumm:unwritable", "gpumm:unwritable"});

endfunction
