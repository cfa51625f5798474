## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = readable (text)
##
## A text of a student in one line of at most 300 bytes, without control characters; "" of other values.
function text = readable (text)

  if (! ischar (text))
    text = "";
  endif
  try
    regexp (text, ".", "once");
  catch # it is not UTF-8
    text(text > 126) = "?";
  end_try_catch
  text = regexprep (text, '[\x00-\x1f\x7f]+', " ");
  text = regexprep (strtrim (text), ' +', " ");
  if (numel (text) > 300)
    text = [regexp(text, '^.{250}', "match", "once"), " ..."];
  endif
  text = text(:).';

endfunction
