## check_error (ID, PATTERN, F, ...): an error unless F (...) raises the error ID with a message that
## matches PATTERN.
## SPDX-License-Identifier: BSD-3-Clause

function check_error (id, pattern, f, varargin)

  [said, message] = error_of (f, varargin{:});
  if (! strcmp (said, id) || isempty (regexp (message, pattern, "once")))
    error ("expected the error\n  %s: %s\nbut it is\n  %s: %s", id, pattern, said, message);
  endif

endfunction
