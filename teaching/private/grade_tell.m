## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## grade_tell (word, ...)
##
## Sends a line of words from the process of a student to gpumm_grade.  The stream is opened each
## time, so that a student's `fclose all` and `clear all` do no harm.

function grade_tell (varargin)
  stream = fopen ("/dev/fd/4", "w");
  fputs (stream, [strjoin(varargin, " ") "\n"]);
  fclose (stream);
endfunction
