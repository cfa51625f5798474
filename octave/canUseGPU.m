## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} canUseGPU ()
## Return true if gpumm can use a GPU on this machine, now.
##
## @code{gpuArray} works without a GPU, too: the arrays are then in host memory.  Ask
## @code{canUseGPU} before a call that needs a GPU, such as @code{gpuDevice (1)}.
##
## @example
## @group
## if (canUseGPU ())
##   gpuDevice (1);
## endif
## canUseGPU () == (gpuDeviceCount () > 0)
##   @result{} ans = 1
## @end group
## @end example
##
## @code{[yes, why] = gpumm_available ()} also says why there is no GPU.
## @seealso{gpuDeviceCount, gpuDevice, validateGPU, gpumm_available}
## @end deftypefn

function yes = canUseGPU ()
  yes = gpumm_available ("gpu");
endfunction

%!assert (canUseGPU (), gpumm_available ("gpu"))
%!assert (islogical (canUseGPU ()))
%!error <called with too many inputs> canUseGPU (1)
