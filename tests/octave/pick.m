## x = pick (LIST): one of a cell array, at random.
## SPDX-License-Identifier: BSD-3-Clause

function x = pick (list)

  x = list{ceil (rand * numel (list))};

endfunction
