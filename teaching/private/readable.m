## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = readable (text)
##
## A text of a student in one line of at most 300 bytes, without control characters; "" of other
## values.

function text = readable (text)

  if (! ischar (text))
    text = "";
  endif
  text = text(:).';
  text(text < 32 | text == 127) = " ";
  try
    text = regexprep (text, ' +', " ");
  catch # it is not UTF-8
    text(text > 126) = "?";
    text = regexprep (text, ' +', " ");
  end_try_catch
  text = strtrim (text);
  if (numel (text) > 300)
    text = [strtrim(regexp (text, '^.{250}', "match", "once")), " ..."];
  endif

endfunction
