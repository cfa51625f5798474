## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## word = quoted_word (text)
##
## The text as one word of a shell's command line, whatever its characters are.

function word = quoted_word (text)
  word = ["'", strrep(text, "'", "'\\''"), "'"];
endfunction
