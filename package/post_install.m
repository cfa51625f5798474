## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## post_install (desc): Octave's pkg calls this function when the files of the package are in place.
##
## An Octave that has gpumm loaded cannot replace the gateways, which are locked. It would try,
## because the files are newer, and print pages of warnings. So the files get an old time, and one
## line tells the user.
##
## Octave's doc looks for doc.info beside the function, and gpumm is one of the gateways.

function post_install (desc)

  name = [desc.name "-" desc.version];
  for folder = unique ({desc.dir, fullfile(desc.archprefix, name), desc.archprefix})
    for file = glob (fullfile (folder{1}, "*", {"*.mex", "*.oct"})).'
      system (sprintf ("touch -t 200001010000 '%s'", strrep (file{1}, "'", "'\\''")));
    endfor
    for file = glob (fullfile (folder{1}, "*", "gpumm.oct")).'
      copyfile (fullfile (desc.dir, "doc.info"), fileparts (file{1}));
    endfor
  endfor
  if (any (strcmp (typeinfo (), "blocksparse")))
    printf (["gpumm is loaded: this Octave keeps the old code; start Octave again to use the " ...
             "new version\n"]);
  endif

endfunction
