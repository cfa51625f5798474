## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpurng (@var{seed})
## @deftypefnx {} {} gpurng (@var{seed}, @var{generator})
## @deftypefnx {} {} gpurng (@var{generator})
## @deftypefnx {} {} gpurng ("shuffle")
## @deftypefnx {} {} gpurng ("default")
## @deftypefnx {} {} gpurng (@var{s})
## @deftypefnx {} {@var{s} =} gpurng (@dots{})
## Set or return the state of the random numbers of @code{gpuArray.rand} and @code{gpuArray.randn}.
##
## Octave's generators make these numbers on the host: @code{gpurng} sets the state of Octave's
## @code{rand} and @code{randn}, too.  The same @var{seed}, a whole number from 0 to 2^32 - 1, gives
## the same numbers, with and without a GPU, from @code{gpuArray.rand} and from @code{rand}.
##
## @example
## @group
## gpurng (1);
## G = gpuArray.rand (2, 3);
## gpurng (1);
## isequal (gather (G), rand (2, 3))
##   @result{} ans = 1
## @end group
## @end example
##
## The only @var{generator} is @qcode{"twister"}, the Mersenne Twister of Octave.  MATLAB's
## generators of a GPU, @qcode{"Threefry"}, @qcode{"Philox"} and @qcode{"CombRecursive"}, are
## errors with the identifier @code{gpumm:unsupported}: the numbers differ from those of MATLAB.
##
## @qcode{"shuffle"} takes the seed from the clock.  @qcode{"default"} is the seed 0, as is a
## @var{generator} without a seed.
##
## @var{s} has the state before the call: @code{Type} is @qcode{"twister"}, @code{Seed} the last seed
## of @code{gpurng}, NaN if there was none, and @code{State} has the states of @code{rand} and
## @code{randn}.  @code{gpurng (@var{s})} continues from there.
##
## @example
## @group
## s = gpurng ();
## x = gather (gpuArray.randn (1, 5));
## gpurng (s);
## isequal (gather (gpuArray.randn (1, 5)), x)
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpuArray, rand, randn, rng}
## @end deftypefn

function s = gpurng (varargin)

  persistent last = NaN;
  if (nargin > 2)
    print_usage ();
  endif
  before = struct ("Type", "twister", "Seed", last, "State", {{rand("state"); randn("state")}});
  if (nargin == 1 && isstruct (varargin{1}))
    after = checked_state (varargin{1});
    rand ("state", after.State{1});
    randn ("state", after.State{2});
    last = after.Seed;
  elseif (nargin > 0)
    last = seed_of (varargin{:});
    rand ("state", last);
    randn ("state", last);
  endif
  if (nargin == 0 || nargout > 0)
    s = before;
  endif

endfunction

function seed = seed_of (seed, generator = "twister")

  if (ischar (seed) && nargin == 1 && ! any (strcmpi (seed, {"shuffle", "default"})))
    generator = seed;
    seed = 0;
  elseif (ischar (seed) && nargin == 1 && strcmpi (seed, "default"))
    seed = 0;
  elseif (ischar (seed) && strcmpi (seed, "shuffle"))
    seed = mod (floor (1e3 * time ()), 2^32);
  endif
  __random_generator__ ("gpurng", generator);
  seed = gather (seed);
  if (! (isnumeric (seed) && isreal (seed) && isscalar (seed) && seed >= 0 && seed < 2^32 ...
         && seed == fix (seed)))
    error ("gpumm:bad-value", ["gpurng: SEED must be a whole number from 0 to 2^32 - 1, " ...
                               "\"shuffle\" or \"default\""]);
  endif
  seed = double (seed);

endfunction

function s = checked_state (s)

  if (! (isscalar (s) && all (isfield (s, {"Type", "Seed", "State"}))))
    error ("gpumm:bad-value", "gpurng: S must be a struct that gpurng returned");
  endif
  __random_generator__ ("gpurng", s.Type);
  if (! (iscell (s.State) && numel (s.State) == 2 && all (cellfun (@isnumeric, s.State))))
    error ("gpumm:bad-value", "gpurng: S.State must be that of a struct that gpurng returned");
  endif

endfunction

%!function varargout = kept (f, varargin)
%!  states = {rand("state"), randn("state")};
%!  unwind_protect
%!    [varargout{1:nargout}] = f (varargin{:});
%!  unwind_protect_cleanup
%!    rand ("state", states{1});
%!    randn ("state", states{2});
%!  end_unwind_protect
%!endfunction
%!function x = drawn (varargin)
%!  gpurng (varargin{:});
%!  x = {gather(gpuArray.rand (1, 3)), gather(gpuArray.randn (1, 3)), rand(), randn()};
%!endfunction
%!test
%! x = kept (@drawn, 5);
%! assert (kept (@drawn, single (5), "Twister"), x);
%! assert (kept (@drawn, gpuArray (5)), x);
%! assert (isequal (kept (@drawn, 6), x), false);
%! assert (kept (@drawn, "default"), kept (@drawn, 0));
%! assert (kept (@drawn, "mt19937ar"), kept (@drawn, 0));
%! assert (isequal (kept (@drawn, "shuffle"), kept (@drawn, 0)), false);
%!test
%! gpurng (3);
%! s = gpurng ();
%! x = rand (1, 4);
%! assert (fieldnames (s), {"Type"; "Seed"; "State"});
%! assert ({s.Type, s.Seed}, {"twister", 3});
%! gpurng (4);
%! t = gpurng (s);
%! assert (t.Seed, 4);
%! assert (rand (1, 4), x);
%! assert (gpurng ("shuffle").Seed, 3);
%!error <Invalid call to gpurng> gpurng (1, 2, 3)
%!error id=gpumm:unsupported gpurng (1, "Philox")
%!error id=gpumm:unsupported gpurng ("Philox4x32-10")
%!error <no generator "threefry"> gpurng (0, "threefry")
%!error id=gpumm:unsupported gpurng (struct ("Type", "threefry", "Seed", 0, "State", 0))
%!error id=gpumm:bad-value gpurng (1, "dice")
%!error id=gpumm:bad-value gpurng ("default", "twister")
%!error id=gpumm:bad-value gpurng (1, 2)
%!error id=gpumm:bad-value gpurng (-1)
%!error id=gpumm:bad-value gpurng (0.5)
%!error id=gpumm:bad-value gpurng (2^32)
%!error id=gpumm:bad-value gpurng ({})
%!error id=gpumm:bad-value gpurng (struct ("Type", "twister"))
%!error id=gpumm:bad-value gpurng (struct ("Type", "twister", "Seed", 0, "State", 0))
