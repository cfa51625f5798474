## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} existsOnGPU (@var{X})
## Return true if @var{X} is a @code{gpuArray} that is on a GPU and can be used.
##
## The result is false for other values, for an array in host memory on a machine without a GPU, and
## in a process that was forked from the one that made the array.
##
## @example
## @group
## existsOnGPU (gpuArray (1)) == gpumm_available ("gpu")
##   @result{} ans = 1
## existsOnGPU (1)
##   @result{} ans = 0
## @end group
## @end example
## @seealso{gpuArray, isgpuarray, gpuDevice}
## @end deftypefn

function yes = existsOnGPU (X)

  if (nargin < 1)
    print_usage ();
  endif
  yes = strcmp (class (X), "gpuArray") && __gpuarray__ ("valid", X) ...
        && __gpuarray__ ("device", X) >= 0;

endfunction

%!assert (existsOnGPU (gpuArray ([1, 2])), gpumm_available ("gpu"))
%!assert (existsOnGPU ("a"), false)
%!error <Invalid call to existsOnGPU> existsOnGPU ()
