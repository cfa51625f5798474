## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, seconds, info] = __gui_product__ (name, A, B, backend)
## names = __gui_product__ (backend)
##
## Runs and times one of the products that gpumm_gui compares.  SECONDS is the time of the kernel
## alone; INFO is gpumm's, and info.seconds.total is the time of the whole call.  With only the
## backend it returns the names of all products; __gui_name__ gives the texts that the window shows.

function [C, seconds, info] = __gui_product__ (name, A, B, backend)

  if (nargin == 1)
    backend = name;
    fast = {"blas", "cublas"}{1 + strcmp(backend, "gpu")};
    C = {"loops", "naive", "tiled", "register", fast, "*"};
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
    otherwise
      options = {"Algorithm", name, "Backend", backend};
  endswitch
  [C, info] = gpumm (A, B, options{:});
  seconds = info.seconds.compute;

endfunction
