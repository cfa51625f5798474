## draw (COMMANDS): gnuplot does the commands, a text with all its data.  From a file, because only then
## gnuplot stops at the first mistake and says so, which is an error here.
## SPDX-License-Identifier: BSD-3-Clause
function draw (commands)
  file = [tempname() ".gnuplot"];
  unwind_protect
    id = fopen (file, "w");
    fputs (id, commands);
    fclose (id);
    [status, said] = system (sprintf ("gnuplot '%s' 2>&1", strrep (file, "'", "'\\''")));
    if (status != 0)
      error ("gnuplot: %s", said);
    endif
  unwind_protect_cleanup
    unlink (file);
  end_unwind_protect
endfunction
