## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{on} =} gpumm_progress ()
## @deftypefnx {} {@var{was} =} gpumm_progress (@var{on})
## Query or set whether long work shows its progress.
##
## A product that takes more than two seconds writes one line to the terminal, such as
## @samp{gpumm: 43 %, about 6 s left}.  The line is updated as the work goes on, and removed when
## the work ends, fails or is stopped by Ctrl-C.  @code{gpumm_plot} and other long
## functions of the package do the same.
##
## No line is shown if output or errors go to a file or a pipe, in a notebook, in the background, on
## a terminal of type @samp{dumb}, and for products that cannot report their progress.
##
## Without an argument, @var{on} is the present setting, which is true when Octave starts.
## @code{gpumm_progress (false)} switches the lines off for this session,
## @code{gpumm_progress (true)} switches them on, and @var{was} is the setting before the call.
##
## @example
## @group
## was = gpumm_progress (false);
## C = gpumm (magic (4), magic (4)); # shows nothing, however long it takes
## gpumm_progress (was);
## gpumm_progress ()
##   @result{} ans = 1
## @end group
## @end example
##
## If @var{on} is not one logical value or number, the error is @code{gpumm:bad-value}.
## @seealso{gpumm, gpumm_plot}
## @end deftypefn

function was = gpumm_progress (on)

  if (nargin == 0)
    was = __gpumm_progress__ ();
  else
    if (! ((islogical (on) || isnumeric (on)) && isscalar (on) && isreal (on) && ! isnan (on)))
      error ("gpumm:bad-value", "gpumm_progress: ON must be true or false");
    endif
    before = __gpumm_progress__ (double (on != 0));
    if (nargout > 0)
      was = before;
    endif
  endif

endfunction

%!test
%! was = gpumm_progress ();
%! unwind_protect
%!   gpumm_progress (true);
%!   assert (gpumm_progress (false), true);
%!   assert (gpumm_progress (), false);
%!   assert (gpumm ([1, 2], [3; 4]), 11);
%!   assert (gpumm_progress (single (1)), false);
%!   assert (gpumm_progress (), true);
%! unwind_protect_cleanup
%!   gpumm_progress (was);
%! end_unwind_protect
%!error <called with too many inputs> gpumm_progress (1, 2)
%!error id=gpumm:bad-value gpumm_progress ("off")
%!error id=gpumm:bad-value gpumm_progress ([true, false])
%!error id=gpumm:bad-value gpumm_progress (NaN)
%!error id=gpumm:bad-value gpumm_progress ({})
