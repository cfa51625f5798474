## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## word = __quoted_word__ (text)
##
## The text as one word of a shell's command line, whatever its characters are.

function word = __quoted_word__ (text)
  word = ["'", strrep(text, "'", "'\\''"), "'"];
endfunction
