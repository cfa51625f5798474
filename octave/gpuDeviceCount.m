## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{n} =} gpuDeviceCount ()
## @deftypefnx {} {@var{n} =} gpuDeviceCount (@var{mode})
## @deftypefnx {} {[@var{n}, @var{indices}] =} gpuDeviceCount (@dots{})
## Return the number of GPUs that gpumm can use, and their numbers for @code{gpuDevice}.
##
## @var{mode} is @qcode{"all"}, @qcode{"supported"} or @qcode{"available"}, as in MATLAB.  All three
## mean the same here, because gpumm lists no GPU that it cannot use.
##
## @example
## @group
## gpuDeviceCount () == numel (gpumm_info ().devices)
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpuDevice, gpumm_available, gpumm_info}
## @end deftypefn

function [n, indices] = gpuDeviceCount (mode = "all")

  if (! (ischar (mode) && any (strcmpi (mode, {"all", "supported", "available"}))))
    error ("gpumm:bad-value", ...
           "gpuDeviceCount: MODE must be \"all\", \"supported\" or \"available\"");
  endif
  n = double (__gpumm_info__ ("gpus").gpus);
  indices = 1:n;

endfunction

%!assert (gpuDeviceCount () > 0, gpumm_available ("gpu"))
%!test
%! for mode = {"all", "supported", "available"}
%!   [n, indices] = gpuDeviceCount (mode{1});
%!   assert (n, gpuDeviceCount ());
%!   assert (indices, 1:n);
%! endfor
%!error id=gpumm:bad-value gpuDeviceCount ("free")
%!error id=gpumm:bad-value gpuDeviceCount (1)
