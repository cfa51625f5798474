## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = __read_text__ (file, caller, id)
##
## Reads all of a file as a row of characters, without a byte order mark.  If the file cannot be
## read, the error has the identifier id and begins with the name of the caller.

function text = __read_text__ (file, caller, id)

  in = __open_text__ (file, caller, id);
  unwind_protect
    [~, machine] = memory ();
    if (in.size > machine.PhysicalMemory.Total / 4)
      error (id, "%s: cannot read %s: it has %s GB, too many for the memory of this machine", ...
             caller, file, __three_digits__ (1e-9 * in.size));
    endif
    text = fread (in.fid, Inf, "uint8=>char").';
  unwind_protect_cleanup
    fclose (in.fid);
  end_unwind_protect

  if (strncmp (text, "\xEF\xBB\xBF", 3))
    text(1:3) = [];
  endif

endfunction
