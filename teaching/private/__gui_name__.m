## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = __gui_name__ (product)
##
## The text that the window shows for a product of __gui_product__: A*B for "*".

function text = __gui_name__ (product)
  text = strrep (product, "*", "A*B");
endfunction
