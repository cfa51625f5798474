## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## There is no assignment to elements.

function S = subsasgn (S, varargin)

  error ("gpumm:blocksparse:assignment", ["blocksparse: elements cannot be assigned; make " ...
                                          "another matrix of blocks"]);

endfunction
