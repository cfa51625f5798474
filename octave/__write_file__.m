## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __write_file__ (file, piece, caller, ids)
##
## Writes a text, or the texts piece (1), piece (2), ... until one is empty.  The new file replaces an
## older file only when it is complete; an error leaves the older file unchanged.  The error begins
## with the name of the caller.  Its identifier is ids{1} if the file cannot be opened, else ids{2}.

function __write_file__ (file, piece, caller, ids)

  if (any (file == "\0"))
    error (ids{1}, "%s: a file name cannot contain the character 0", caller);
  endif
  if (ischar (piece))
    whole = piece;
    piece = @(k) whole(1:end * (k == 1));
  endif
  fflush (stdout); # FILE may be /dev/stdout
  call (caller, ids{1}, "open", tilde_expand (file));
  unwind_protect
    k = 1;
    text = piece (k);
    while (! isempty (text))
      call (caller, ids{2}, "write", text);
      k++;
      text = piece (k);
    endwhile
    call (caller, ids{2}, "commit");
  unwind_protect_cleanup
    __gpumm_file__ ("abort");
  end_unwind_protect

endfunction

function call (caller, id, varargin)

  try
    __gpumm_file__ (varargin{:});
  catch err
    error (id, "%s", strrep (err.message, "gpumm: ", [caller ": "]));
  end_try_catch

endfunction
