## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpuDevice ()
## @deftypefnx {} {@var{D} =} gpuDevice (@var{n})
## @deftypefnx {} {@var{D} =} gpuDevice ([])
## @deftypefnx {} {} wait (@var{D})
## @deftypefnx {} {} reset (@var{D})
## Return the device on which new @code{gpuArray}s are made, or select GPU @var{n}, counted from 1.
##
## Without a GPU @code{gpuDevice ()} is the CPU, so @code{wait (gpuDevice ())} runs there, too.
## @code{gpuDevice (1)} is then an error with the identifier @code{gpumm:no-device}: ask
## @code{canUseGPU} before.
##
## @code{wait (@var{D})} waits until everything queued on the device is complete.  Use it before
## you read a clock.  @code{reset (@var{D})} and @code{gpuDevice ([])} wait, and release the memory
## that gpumm keeps between calls, as @code{gpumm_reset} does.  Arrays stay as they are.
##
## The fields of @var{D} are
##
## @table @code
## @item Name
## The name of the GPU; @qcode{"CPU (no GPU)"} if there is no GPU.
## @item Index
## The number of the device, from 1.
## @item ComputeCapability
## For example @qcode{"9.0"}; empty if there is no GPU.
## @item TotalMemory, AvailableMemory
## The bytes of the GPU's memory, and the bytes that no process uses now; of the machine's memory if
## there is no GPU.
## @item UsedMemory, CachedMemory
## The bytes that the arrays of this session use now, and the bytes that gpumm keeps for the next
## arrays.
## @item DeviceAvailable, DeviceSupported
## True if the device is a GPU.
## @item DeviceSelected
## True if new @code{gpuArray}s are made on this device.
## @item MultiprocessorCount, ClockRateKHz, ToolkitVersion, DriverVersion
## Numbers of the GPU, of the CUDA runtime, and of the latest CUDA that the driver runs: 13 for
## CUDA 13.0.
## @item GraphicsDriverVersion, DriverModel, ComputeMode, KernelExecutionTimeout
## How the GPU's driver is set up; the version is empty where the driver does not tell it.
## @item MaxThreadsPerBlock, MaxShmemPerBlock, MaxThreadBlockSize, MaxGridSize, SIMDWidth
## The limits of CUDA's kernels.
## @item SupportsDouble, GPUOverlapsTransfers, CanMapHostMemory, CachePolicy
## The same for all GPUs that gpumm can use.
## @end table
##
## Numbers that only a GPU has are @code{NaN} if there is no GPU.
##
## @example
## @group
## D = gpuDevice ();
## D.DeviceAvailable == gpumm_available ("gpu")
##   @result{} ans = 1
## G = gpuArray (magic (4));
## G = G * G;
## wait (D);
## @end group
## @end example
##
## A number that no device has is an error with the identifier @code{gpumm:no-device}.  If @var{n}
## is not a positive whole number, the identifier is @code{gpumm:bad-value}.
## @seealso{gpuArray, canUseGPU, gpuDeviceCount, gpuDeviceTable, gpumm_info}
## @end deftypefn

function D = gpuDevice (n, selects = true) # getDevice of parallel.gpu.GPUDevice selects nothing

  index = __gpuarray__ ("select");
  if (nargin > 0 && isnumeric (n) && isempty (n))
    __gpuarray__ ("wait", index);
    gpumm_reset ();
  elseif (nargin > 0)
    n = gather (n);
    if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 1 && n == fix (n)))
      error ("gpumm:bad-value", "gpuDevice: N must be a whole number from 1 on");
    endif
    s = __gpumm_info__ ("gpus");
    if (s.gpus == 0)
      error ("gpumm:no-device", ...
             ["gpuDevice: unable to find a supported GPU device: %s. Ask canUseGPU () first, " ...
              "or write gpuDevice () for the CPU"], s.why);
    elseif (n > s.gpus)
      error ("gpumm:no-device", "gpuDevice: there is no GPU %d. The number of GPUs is %d", ...
             n, s.gpus);
    endif
    index = double (n) - 1;
    if (selects)
      __gpuarray__ ("select", index);
    endif
  endif
  D = class (struct ("index", index), "gpuDevice");

endfunction
