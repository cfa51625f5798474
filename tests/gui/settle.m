## settle (rounds): gives the toolkit the time to draw, and to bring in what was typed and pressed.
## SPDX-License-Identifier: BSD-3-Clause

function settle (rounds = 2)

  for i = 1:rounds
    drawnow ();
    pause (0.03);
  endfor

endfunction
