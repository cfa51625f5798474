## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{yes} =} gpumm_available ()
## @deftypefnx {} {@var{yes} =} gpumm_available (@var{backend})
## @deftypefnx {} {[@var{yes}, @var{why}] =} gpumm_available (@dots{})
## Return true if @code{gpumm} can use @var{backend}, @qcode{"gpu"} (the default) or @qcode{"cpu"},
## now.
##
## If it cannot, @var{why} says why; otherwise @var{why} is empty.
##
## @example
## @group
## gpumm_available ("cpu")
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpumm, gpumm_info}
## @end deftypefn

function [yes, why] = gpumm_available (backend = "gpu")

  if (! (ischar (backend) && any (strcmpi (backend, {"gpu", "cpu"}))))
    error ("gpumm:bad-value", "gpumm_available: BACKEND must be \"gpu\" or \"cpu\"");
  endif

  yes = true;
  why = "";
  if (strcmpi (backend, "gpu"))
    s = __gpumm_info__ ("gpus");
    yes = s.gpus > 0;
    why = s.why;
  endif

endfunction

%!assert (gpumm_available ("cpu"), true)
%!assert (gpumm_available (), gpumm_available ("gpu"))
%!test
%! [yes, why] = gpumm_available ("gpu");
%! assert (islogical (yes));
%! assert (yes, isempty (why));
%!error id=gpumm:bad-value gpumm_available ("tpu")
