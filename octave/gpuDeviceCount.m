## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{n} =} gpuDeviceCount ()
## Return the number of GPUs that gpumm can use.
##
## @example
## @group
## gpuDeviceCount () == numel (gpumm_info ().devices)
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpuDevice, gpumm_available, gpumm_info}
## @end deftypefn

function n = gpuDeviceCount ()

  n = double (__gpumm_info__ ("gpus").gpus);

endfunction

%!assert (gpuDeviceCount () > 0, gpumm_available ("gpu"))
