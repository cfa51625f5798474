## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{seconds} =} gputimeit (@var{f})
## @deftypefnx {} {@var{seconds} =} gputimeit (@var{f}, @var{n})
## Return the seconds that the function @var{f} takes, with all that it queues on the GPU.
##
## @var{f} is a function handle without arguments.  It is called with @var{n} outputs; the default
## is one, or none if @var{f} returns nothing.  @code{gputimeit} calls @var{f} several times, waits
## for the device before and after each call, and returns the median without the time of an empty
## function.  The first call does not count: it may compile, measure or allocate.
##
## Without a GPU the result is the time on the CPU.
##
## @example
## @group
## G = gpuArray (magic (100));
## seconds = gputimeit (@@() G * G);
## seconds >= 0
##   @result{} ans = 1
## @end group
## @end example
##
## If @var{f} takes minutes, use @code{tic}, @code{wait (gpuDevice ())} and @code{toc}: one call is
## then enough.
## @seealso{gpuDevice, gpuArray, tic, toc}
## @end deftypefn

function seconds = gputimeit (f, n)

  if (nargin < 1)
    print_usage ();
  elseif (! is_function_handle (f))
    error ("gpumm:bad-value", ...
           "gputimeit: F must be a function handle without arguments, for example @() A * B");
  elseif (nargin < 2)
    n = outputs_of (f);
  else
    n = gather (n);
    if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 0 && n == fix (n)))
      error ("gpumm:bad-value", "gputimeit: N must be a whole number from 0 on");
    endif
  endif
  seconds = max (typical (f, n) - typical (@() [], min (n, 1)), 0);

endfunction

## Does F return a value?  If it fails for another reason, its next call says so.
function n = outputs_of (f)

  n = 1;
  try
    x = f ();
  catch err
    if (! any (strcmp (err.identifier, {"Octave:invalid-fun-call", "Octave:undefined-function"})))
      rethrow (err);
    endif
    n = 0;
  end_try_catch

endfunction

## The median of 3 to 25 calls in about half a second.
function seconds = typical (f, n)

  one_call (f, n);
  times = [];
  do
    times(end+1) = one_call (f, n);
  until (numel (times) == 25 || (numel (times) >= 3 && sum (times) > 0.5))
  seconds = median (times);

endfunction

function seconds = one_call (f, n)

  D = gpuDevice ();
  results = cell (1, n);
  wait (D);
  clock = tic ();
  if (n == 0)
    f ();
  else
    [results{:}] = f ();
  endif
  wait (D);
  seconds = toc (clock);

endfunction

%!function varargout = counted (varargin)
%!  global gputimeit_calls
%!  gputimeit_calls(end+1) = nargout;
%!  varargout = num2cell (1:nargout);
%!endfunction
%!function nothing ()
%!endfunction
%!test
%! global gputimeit_calls
%! for n = [0, 1, 3]
%!   gputimeit_calls = [];
%!   seconds = gputimeit (@counted, n);
%!   assert (isscalar (seconds) && seconds >= 0);
%!   assert (numel (gputimeit_calls) >= 4 && all (gputimeit_calls == n));
%! endfor
%! clear -global gputimeit_calls
%!assert (gputimeit (@nothing) >= 0)
%!assert (gputimeit (@() nothing ()) >= 0)
%!assert (gputimeit (@() gpuArray (1) + 1, gpuArray (1)) >= 0)
%!error <Invalid call to gputimeit> gputimeit ()
%!error id=gpumm:bad-value gputimeit ("sin")
%!error id=gpumm:bad-value gputimeit (@() 1, -1)
%!error id=gpumm:bad-value gputimeit (@() 1, 0.5)
%!error <no value|undefined> gputimeit (@() no_such_function_here (1))
%!error id=a:b gputimeit (@() error ("a:b", "c"))
