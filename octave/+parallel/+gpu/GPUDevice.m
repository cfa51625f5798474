## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

classdef GPUDevice

## -*- texinfo -*-
## @deftypefn  {} {@var{yes} =} parallel.gpu.GPUDevice.isAvailable ()
## @deftypefnx {} {@var{yes} =} parallel.gpu.GPUDevice.isAvailable (@var{n})
## @deftypefnx {} {@var{n} =} parallel.gpu.GPUDevice.count ()
## @deftypefnx {} {@var{D} =} parallel.gpu.GPUDevice.getDevice (@var{n})
## Ask for GPUs, for programs that use these names of MATLAB.
##
## @code{isAvailable} is true if gpumm can use a GPU, as @code{canUseGPU} is, or GPU @var{n},
## counted from 1.  @code{count} is the number of GPUs that gpumm can use, as @code{gpuDeviceCount} is.
## @code{getDevice} returns GPU @var{n}, as @code{gpuDevice} does, but does not select it.
##
## @example
## @group
## parallel.gpu.GPUDevice.isAvailable () == canUseGPU ()
##   @result{} ans = 1
## names = @{@};
## for n = 1:parallel.gpu.GPUDevice.count ()
##   names@{n@} = parallel.gpu.GPUDevice.getDevice (n).Name;
## endfor
## numel (names) == gpuDeviceCount ()
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpuDevice, canUseGPU, gpuDeviceCount, gpuDeviceTable}
## @end deftypefn

  methods

    function D = GPUDevice ()
      error ("gpumm:bad-value", "parallel.gpu.GPUDevice: write gpuDevice (N)");
    endfunction

  endmethods

  methods (Static)

    function yes = isAvailable (n = 1)

      n = gather (n);
      if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 1 && n == fix (n)))
        error ("gpumm:bad-value", ...
               "parallel.gpu.GPUDevice.isAvailable: N must be a whole number from 1 on");
      endif
      yes = n <= gpuDeviceCount ();

    endfunction

    function n = count ()
      n = gpuDeviceCount ();
    endfunction

    function D = getDevice (n)

      if (nargin < 1 || isempty (n))
        error ("gpumm:bad-value", ...
               "parallel.gpu.GPUDevice.getDevice: N must be a whole number from 1 on");
      endif
      D = gpuDevice (n, false);

    endfunction

  endmethods

endclassdef

## The help follows the first line of the class: Octave 7 finds it at no other place.

%!assert (parallel.gpu.GPUDevice.isAvailable, canUseGPU ())
%!assert (parallel.gpu.GPUDevice.isAvailable (1), canUseGPU ())
%!assert (parallel.gpu.GPUDevice.isAvailable (99), false)
%!assert (parallel.gpu.GPUDevice.count (), gpuDeviceCount ())
%!error id=gpumm:bad-value parallel.gpu.GPUDevice ()
%!error id=gpumm:bad-value parallel.gpu.GPUDevice.isAvailable (0)
%!error id=gpumm:bad-value parallel.gpu.GPUDevice.isAvailable ("a")
%!error id=gpumm:bad-value parallel.gpu.GPUDevice.getDevice ()
%!error id=gpumm:bad-value parallel.gpu.GPUDevice.getDevice ([])
%!error id=gpumm:bad-value parallel.gpu.GPUDevice.getDevice (0)
%!error id=gpumm:no-device parallel.gpu.GPUDevice.getDevice (99)
%!error <called with too many inputs> parallel.gpu.GPUDevice.count (1)
