## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## post_install (desc): Octave's pkg calls this when the files of the package are in place.
##
## An Octave that has gpumm loaded cannot exchange its gateways, which are locked. It would try, for
## the files are newer, and warn, pages long: so they get an old time, and one line says it.

function post_install (desc)

  name = [desc.name "-" desc.version];
  for folder = unique ({desc.dir, fullfile(desc.archprefix, name), desc.archprefix})
    for file = [glob(fullfile (folder{1}, "*", "*.mex")); glob(fullfile (folder{1}, "*", "*.oct"))].'
      system (sprintf ("touch -t 200001010000 '%s'", strrep (file{1}, "'", "'\\''")));
    endfor
  endfor
  if (any (strcmp (typeinfo (), "blocksparse")))
    printf (["gpumm is loaded: this Octave goes on with the code it has; start it again to use " ...
             "the new one\n"]);
  endif

endfunction
