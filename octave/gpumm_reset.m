## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {} gpumm_reset ()
## Release all memory that @code{gpumm} keeps between calls, on the GPU and on the host.
##
## The next call of @code{gpumm} takes as long as the first one of a session.
##
## @example
## @group
## gpumm_reset ()
## gpumm ([1, 2], [3; 4])
##   @result{} ans = 11
## @end group
## @end example
## @seealso{gpumm, gpumm_info}
## @end deftypefn

function gpumm_reset ()

  __gpumm_reset__ ();

endfunction

%!test
%! gpumm_reset ();
%! assert (gpumm (2 * eye (3)(:, :), ones (3)), 2 * ones (3));
%! gpumm_reset ();
%! gpumm_reset ();
