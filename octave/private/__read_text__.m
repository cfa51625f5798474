## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = __read_text__ (file, caller, id)
##
## Reads all of a file as a row of characters, without a byte order mark.  If the file cannot be
## read, the error has the identifier id and begins with the name of the caller.

function text = __read_text__ (file, caller, id)

  [st, err] = stat (file);
  if (err == 0 && S_ISDIR (st.mode))
    error (id, "%s: cannot read %s: it is a directory", caller, file);
  elseif (any (file == "\0") || (err == 0 && ! S_ISREG (st.mode)))
    error (id, "%s: cannot read %s: it is not a regular file", caller, file); # may have no end
  endif
  [fid, msg] = fopen (file, "rb");
  if (fid < 0)
    error (id, "%s: cannot open %s: %s", caller, file, msg);
  endif
  unwind_protect
    text = fread (fid, Inf, "uint8=>char").';
  unwind_protect_cleanup
    fclose (fid);
  end_unwind_protect

  if (strncmp (text, "\xEF\xBB\xBF", 3))
    text(1:3) = [];
  endif

endfunction
