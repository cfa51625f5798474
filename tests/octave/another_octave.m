## command = another_octave (code, gateways): for system (), to run CODE in an octave-cli of its own with this
## gpumm and the gateways that are tested, or those of a folder.
## SPDX-License-Identifier: BSD-3-Clause

function command = another_octave (code, gateways = fileparts (which ("__gpumm_info__")))

  quote = @(text) ["'" strrep(text, "'", "'\\''") "'"];
  program = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
  sources = strjoin (function_folders (), pathsep ());
  command = strjoin ({quote(program), "--no-history --norc --path", quote(sources), "--path", quote(gateways), ...
                      "--eval", quote(code)}, " ");

endfunction
