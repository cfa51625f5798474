## quoted (TEXT): as a text of gnuplot.
## SPDX-License-Identifier: BSD-3-Clause
function text = quoted (text)
  text = ["'", strrep(text, "'", "''"), "'"];
endfunction
