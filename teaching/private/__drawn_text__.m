## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## str = __drawn_text__ (str)
##
## Make a foreign text (a file's name, a device, a user's struct) safe to draw in the current figure
## with "interpreter", "none".  Control characters become blanks.
##
## Octave passes texts unchanged to gnuplot, in double quotes.  gnuplot runs `...` in a shell, and a
## quote ends the text.  So special characters are written as octal numbers.

function str = __drawn_text__ (str)

  str = char (str)(:).';
  str(str < 32 | str == 127) = " ";
  if (! is_utf8 (str))
    str(str > 127) = "?";
  endif
  if (strcmp (get (gcf (), "__graphics_toolkit__"), "gnuplot"))
    special = any (str == "\"`\\@%$".', 1);
    parts = num2cell (str);
    parts(special) = arrayfun (@(c) sprintf ("\\%03o", c), str(special), "UniformOutput", false);
    str = [parts{:}];
  endif

endfunction

## Regular expressions fail on bytes that are not UTF-8, so match letters that name kinds of bytes.
function yes = is_utf8 (str)

  byte = double (uint8 (str));
  kind = repmat ("x", size (byte));
  kind(byte < 128) = "a";
  kind(byte >= 128 & byte < 192) = "c";
  kind(byte >= 194 & byte < 224) = "2";
  kind(byte >= 224 & byte < 240) = "3";
  kind(byte >= 240 & byte < 245) = "4";
  yes = ! isempty (regexp (kind, '^(a|2c|3cc|4ccc)*$', "once"));

endfunction
