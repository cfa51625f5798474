## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## wait (D): until all queued work of the device is complete.

function wait (D)

  selected = __gpuarray__ ("select");
  if (D.index == selected)
    __gpuarray__ ("wait");
  else
    unwind_protect
      __gpuarray__ ("select", D.index);
      __gpuarray__ ("wait");
    unwind_protect_cleanup
      __gpuarray__ ("select", selected);
    end_unwind_protect
  endif

endfunction
