## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpuDevice ()
## @deftypefnx {} {@var{D} =} gpuDevice (@var{n})
## @deftypefnx {} {} wait (@var{D})
## @deftypefnx {} {} reset (@var{D})
## Return the device on which new @code{gpuArray}s are made, or select GPU @var{n}, counted from 1.
##
## @code{wait (@var{D})} waits until everything queued on the device is complete.  Use it before
## you read a clock.  @code{reset (@var{D})} waits, and releases the memory that gpumm keeps between
## calls, as @code{gpumm_reset} does.  Arrays stay as they are.
##
## The fields of @var{D} are
##
## @table @code
## @item Name
## The name of the GPU; @qcode{"CPU"} if there is no GPU.
## @item Index
## The number of the GPU, from 1; 0 if there is no GPU.
## @item ComputeCapability
## For example @qcode{"9.0"}; empty if there is no GPU.
## @item TotalMemory, AvailableMemory
## The bytes of the GPU's memory, and the bytes that no process uses now.  @code{NaN} if there is no
## GPU.
## @item UsedMemory, CachedMemory
## The bytes that the arrays of this session use now, and the bytes that gpumm keeps for the next
## arrays.  @code{NaN} if there is no GPU.
## @item DeviceAvailable
## True if the device is a GPU.
## @end table
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
## A number that no GPU has is an error with the identifier @code{gpumm:no-device}.  If @var{n} is
## not a positive whole number, the identifier is @code{gpumm:bad-value}.
## @seealso{gpuArray, gpuDeviceCount, gpumm_info}
## @end deftypefn

function D = gpuDevice (n)

  if (nargin > 0)
    n = gather (n);
    if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 1 && n == fix (n)))
      error ("gpumm:bad-value", "gpuDevice: N must be a whole number from 1 on");
    elseif (n > gpuDeviceCount ())
      s = __gpumm_info__ ("gpus");
      if (s.gpus == 0)
        error ("gpumm:no-device", "gpuDevice: there is no GPU: %s", s.why);
      endif
      error ("gpumm:no-device", "gpuDevice: there is no GPU %d. The number of GPUs is %d", n, ...
             s.gpus);
    endif
    __gpuarray__ ("select", double (n) - 1);
  endif
  D = class (struct ("index", __gpuarray__ ("select")), "gpuDevice");

endfunction
