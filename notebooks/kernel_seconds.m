## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{seconds} =} kernel_seconds (@var{kernel}, @var{n}, @var{backend})
## @deftypefnx {} {[@var{seconds}, @var{trace}] =} kernel_seconds (@dots{})
## Time a kernel for random n x n matrices of double.
##
## @var{kernel} is the name of a kernel for @code{gpumm_kernel}, or @qcode{"*"} for Octave's own
## product.  @var{trace} is the trace of @code{gpumm_kernel} without counts; for @qcode{"*"} it is
## empty.  @var{backend} is @qcode{"cpu"} or @qcode{"gpu"}.  @var{seconds} is the time of the
## fastest of at least two runs in a tenth of a second, because other work on the machine only adds
## time.  A wrong product is the error @code{gpumm:wrong-result}.
## @seealso{gpumm_kernel, figure_data}
## @end deftypefn

function [seconds, trace] = kernel_seconds (kernel, n, backend)

  A = rand (n) - 0.5;
  B = rand (n) - 0.5;
  seconds = Inf;
  trace = [];
  runs = 0;
  spent = tic ();
  do
    if (strcmp (kernel, "*"))
      C = []; # freeing the last product takes time, too
      begun = tic ();
      C = A * B;
      now = toc (begun);
    else
      [C, trace] = gpumm_kernel (kernel, A, B, "Backend", backend, "Count", false);
      now = trace.seconds;
    endif
    seconds = min (seconds, now);
    runs++;
  until (runs >= 2 && (toc (spent) > 0.1 || runs >= 7))
  x = rand (n, 1);
  if (norm (C * x - A * (B * x), Inf) > 100 * n * eps () * norm (A, Inf) * norm (B, Inf))
    error ("gpumm:wrong-result", "kernel_seconds: %s is wrong at n = %d", kernel, n);
  endif

endfunction
