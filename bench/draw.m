## draw (COMMANDS): gnuplot runs the commands, a text that includes the data.  The text goes through
## a file, because then gnuplot stops at the first mistake, and draw fails.
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
