## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} isgpuarray (@var{X})
## Return true if @var{X} is a @code{gpuArray}.
##
## @example
## @group
## isgpuarray (gpuArray (1))
##   @result{} ans = 1
## isgpuarray (1)
##   @result{} ans = 0
## @end group
## @end example
## @seealso{gpuArray, existsOnGPU}
## @end deftypefn

function yes = isgpuarray (X)

  if (nargin < 1)
    print_usage ();
  endif
  yes = strcmp (class (X), "gpuArray");

endfunction

%!assert (isgpuarray (gpuArray (1)), true)
%!assert (isgpuarray ({gpuArray(1)}), false)
%!error <Invalid call to isgpuarray> isgpuarray ()
