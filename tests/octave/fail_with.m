## fail_with (TEXTS): an error with all of TEXTS that are not empty, or nothing.
## SPDX-License-Identifier: BSD-3-Clause

function fail_with (texts)

  texts = texts(! cellfun (@isempty, texts));
  if (! isempty (texts))
    error ("%d failures:\n%s", numel (texts), strjoin (texts(1:min (30, end)), "\n"));
  endif

endfunction
