## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## address = __file_address__ (path)
##
## The address of a file for a browser.  It is safe in a command of a shell.

function address = __file_address__ (path)

  plain = ["A":"Z", "a":"z", "0":"9", "/.~_-"];
  address = "file://";
  for byte = path
    if (! any (byte == plain))
      byte = sprintf ("%%%02X", double (byte));
    endif
    address = [address, byte];
  endfor

endfunction
