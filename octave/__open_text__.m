## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## in = __open_text__ (file, caller, id)
##
## Opens a file to read: in.fid, and in.size in bytes.  Errors have the identifier id and begin with
## the name of the caller.

function in = __open_text__ (file, caller, id)

  [st, err] = stat (file);
  if (err == 0 && S_ISDIR (st.mode))
    error (id, "%s: cannot read %s: it is a directory", caller, file);
  elseif (any (file == "\0") || (err == 0 && ! S_ISREG (st.mode)))
    error (id, "%s: cannot read %s: it is not a regular file", caller, file); # may have no end
  endif
  [in.fid, msg] = fopen (file, "rb");
  if (in.fid < 0)
    error (id, "%s: cannot open %s: %s", caller, file, msg);
  endif
  in.size = stat (in.fid).size;

endfunction
