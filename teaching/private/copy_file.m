## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## copy_file (from, to)
##
## Copies a regular file; nothing else becomes a file.  copyfile would take [ and * in a name for
## patterns.

function copy_file (from, to)
  [info, status] = stat (from);
  if (status == 0 && S_ISREG (info.mode))
    __write_file__ (to, fileread (from), "gpumm_grade", {"gpumm:unwritable", "gpumm:unwritable"});
  endif
endfunction
