## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, seconds, info] = __gui_product__ (name, A, B, backend)
## titles = __gui_product__ ()
##
## One of the products that gpumm_gui compares, timed: seconds of the kernel alone, and info as from
## gpumm, with info.seconds.total of the whole call.  Without arguments: their names, and in the
## second column what the window calls them.

function [C, seconds, info] = __gui_product__ (name, A, B, backend)

  if (nargin == 0)
    C = {"loops", "triple loop"; "naive", "naive"; "tiled", "shared memory"; ...
         "register", "registers"; "library", "library"; "*", "Octave's A*B"};
    return;
  endif

  switch (name)
    case "*"
      begun = tic ();
      C = A * B;
      seconds = toc (begun);
      info = struct ("kernel", "*", "backend", "cpu", "bytes", struct ("up", 0, "down", 0), ...
                     "seconds", struct ("total", seconds));
      return;
    case "loops"
      options = {"Algorithm", "loops", "Backend", "cpu"};
    case "library"
      options = {"Algorithm", {"blas", "cublas"}{1 + strcmp(backend, "gpu")}, "Backend", backend};
    otherwise
      options = {"Algorithm", name, "Backend", backend};
  endswitch
  [C, info] = gpumm (A, B, options{:});
  seconds = info.seconds.compute;

endfunction
