## GONE = with_functions (FUNCTIONS): functions, rows of name, head and body, that hide others of their
## names until the variable GONE ends.
## SPDX-License-Identifier: BSD-3-Clause

function gone = with_functions (functions)

  warning ("off", "Octave:shadowed-function", "local");
  [folder, leaves] = scratch ();
  for f = functions.'
    write_file (fullfile (folder, [f{1} ".m"]), ["function " f{2} "\n" f{3} "\nendfunction\n"]);
  endfor
  addpath (folder);
  gone = {onCleanup(@() rmpath (folder)), leaves, onCleanup(@() clear ("-f", functions{:,1}))};

endfunction
