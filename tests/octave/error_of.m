## [id, message] = error_of (F, ...): the identifier and the message of the error that F (...)
## raises; "none" if it raises none.
## SPDX-License-Identifier: BSD-3-Clause

function [id, message] = error_of (f, varargin)

  id = "none";
  message = "";
  try
    f (varargin{:});
  catch err
    id = err.identifier;
    message = err.message;
  end_try_catch

endfunction
