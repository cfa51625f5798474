## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __write_file__ (file, piece, caller, ids)
##
## Writes the texts piece (1), piece (2), ... until a text is empty.  The new file replaces an older
## file only when it is complete; an error leaves the older file unchanged.  The error begins with
## the name of the caller.  Its identifier is ids{1} if the file cannot be opened, else ids{2}.

function __write_file__ (file, piece, caller, ids)

  if (any (file == "\0"))
    error (ids{1}, "%s: a file name cannot contain the character 0", caller);
  endif
  check (__gpumm_file__ ("open", tilde_expand (file)), caller, ids{1});
  unwind_protect
    k = 1;
    text = piece (k);
    while (! isempty (text))
      check (__gpumm_file__ ("write", text), caller, ids{2});
      k++;
      text = piece (k);
    endwhile
    check (__gpumm_file__ ("commit"), caller, ids{2});
  unwind_protect_cleanup
    __gpumm_file__ ("abort");
  end_unwind_protect

endfunction

function check (err, caller, id)

  if (! isempty (err))
    error (id, "%s", strrep (err.message, "gpumm: ", [caller ": "]));
  endif

endfunction
