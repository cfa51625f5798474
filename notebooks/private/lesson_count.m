## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## count = lesson_count ()
##
## How many lessons have answers here.

function count = lesson_count ()
  count = numel (glob (fullfile (fileparts (mfilename ("fullpath")), "answers_*.m")));
endfunction
