## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## c = grade_start (job, how, skip)
##
## Starts the notebook of a JOB, without the code cells in SKIP, in an Octave of its own.  HOW has
## the fields program (a function of the working folder that returns the words of the command),
## seconds, and longest (seconds after which the process ends by itself).  C is for grade_finish.

function c = grade_start (job, how, skip)

  [folder, gone] = temporary_folder ("gpumm_grade");
  copy_file (job.file, fullfile (folder, "notebook.ipynb"));
  for file = job.helpers
    [~, name] = fileparts (file{1});
    if (! any (strcmp (name, how.taken)))
      copy_file (file{1}, [folder, filesep(), name, ".m"]);
    endif
  endfor
  code = sprintf ("grade_run (\"notebook.ipynb\", %s)", mat2str (skip));
  command = sprintf (["exec 3<&0 4>&1 </dev/null >/dev/null 2>&1; cd %s && %s" ...
                      "exec timeout -k 2 %d %s --eval %s"], __quoted_word__ (folder), ...
                     process_limits (how.seconds), how.longest, how.program (folder), ...
                     __quoted_word__ (code));
  [to, from, pid] = popen2 ("/bin/sh", {"-c", command});
  fcntl (from, F_SETFL, O_NONBLOCK);
  c = struct ("to", to, "from", from, "pid", pid, "gone", gone, "seconds", how.seconds, ...
              "started", tic ());

endfunction
