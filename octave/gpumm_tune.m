## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {} gpumm_tune (@dots{})
## This function was removed.  It raises the error @code{gpumm:removed}.
##
## gpumm measures the rates of the GPU at the first product that needs them.  To compare the tiled
## kernels on your GPU, draw them:
##
## @example
## h = gpumm_plot ("block size", "Sizes", [32, 64]);
## @end example
## @seealso{gpumm_plot, gpumm}
## @end deftypefn

function varargout = gpumm_tune (varargin)

  error ("gpumm:removed", ["gpumm_tune was removed: gpumm chooses the kernel by itself.  To " ...
                           "compare the tiled kernels, write gpumm_plot (\"block size\")"]);

endfunction

%!error id=gpumm:removed gpumm_tune ()
%!error id=gpumm:removed T = gpumm_tune ();
%!error <write gpumm_plot \("block size"\)> gpumm_tune ("Types", "d", "Store", false)
