## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [x, yes] = typed_number (text)
##
## The number that was typed, decimal, NaN or Inf, and whether it is one; else x is NaN.  str2double
## alone would make 45 of "4,5", which many write for 4.5.

function [x, yes] = typed_number (text)

  text = strtrim (text);
  decimal = '[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?';
  yes = ! isempty (regexp (text, ['^(' decimal '|nan|[+-]?inf)$'], "once", "ignorecase"));
  x = NaN;
  if (yes)
    x = str2double (text);
  endif

endfunction
