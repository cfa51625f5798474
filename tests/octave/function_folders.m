## folders = function_folders (): those of gpumm's functions, octave/ and teaching/, or the one of a package.
## SPDX-License-Identifier: BSD-3-Clause

function folders = function_folders ()

  folders = unique ({fileparts(which ("gpumm_info")), fileparts(which ("gpumm_plot"))});

endfunction
