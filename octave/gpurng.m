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
## Set or return the state of the random numbers of gpuArrays.
##
## @code{gpuArray.rand}, @code{randn}, @code{rande}, @code{randi} and @code{randperm} draw on the
## GPU.  All of them use one generator, which is not that of Octave's own @code{rand}: @code{gpurng}
## does not change the numbers of Octave, and @code{rand ("seed", @dots{})} does not change those of
## gpuArrays.  The same @var{seed}, a whole number from 0 to 2^32 - 1, gives the same numbers on every
## GPU and without a GPU, bit by bit.  Until a seed is set, each session has other numbers.
##
## @example
## @group
## gpurng (1);
## G = gpuArray.rand (2, 3);
## gpurng (1);
## isequal (gather (gpuArray.rand (2, 3)), gather (G))
##   @result{} ans = 1
## @end group
## @end example
##
## The only @var{generator} is @qcode{"Philox"} or @qcode{"Philox4x32-10"}, by Salmon et al.,
## "Parallel random numbers: as easy as 1, 2, 3", SC11.  Other generators, such as MATLAB's
## @qcode{"Threefry"} and @qcode{"CombRecursive"}, are errors with the identifier
## @code{gpumm:unsupported}.  The numbers differ from those of MATLAB.
##
## @qcode{"shuffle"} takes the seed from the clock.  @qcode{"default"} is the seed 0, as is a
## @var{generator} without a seed.
##
## @var{s} has the state before the call: @code{Type} is @qcode{"philox"}, @code{Seed} the seed, and
## @code{State} a column of four whole numbers.  @code{gpurng (@var{s})} continues from there.
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
##
## @code{gpuArray.rand ("state", @var{x})} sets the same state from a number, from any vector of
## numbers, or from @qcode{"reset"}, and @code{gpuArray.rand ("state")} returns the column
## @code{State}.  @qcode{"seed"} and @qcode{"twister"} do the same, and so do @code{randn} and
## @code{rande}; @code{gpuArray.rand ("seed")} returns the seed.
## @seealso{gpuArray, rand, randn, rng}
## @end deftypefn

function s = gpurng (varargin)

  if (nargin > 2)
    print_usage ();
  endif
  before = struct ("Type", "philox", "Seed", __gpuarray__ ("rand", {"seed"}), ...
                   "State", __gpuarray__ ("rand", {"state"}));
  if (nargin == 1 && isstruct (varargin{1}))
    __gpuarray__ ("rand", {"state", checked_state(varargin{1})});
  elseif (nargin > 0)
    __gpuarray__ ("rand", {"seed", seed_of(varargin{:})});
  endif
  if (nargin == 0 || nargout > 0)
    s = before;
  endif

endfunction

function seed = seed_of (seed, generator = "Philox")

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

function state = checked_state (s)

  if (! (isscalar (s) && all (isfield (s, {"Type", "Seed", "State"}))))
    error ("gpumm:bad-value", "gpurng: S must be a struct that gpurng returned");
  endif
  __random_generator__ ("gpurng", s.Type);
  state = s.State;
  if (! (isnumeric (state) && isreal (state) && numel (state) == 4 && all (state(:) >= 0)
         && all (state(:) < 2^32) && all (state(:) == fix (state(:)))))
    error ("gpumm:bad-value", "gpurng: S.State must be that of a struct that gpurng returned");
  endif

endfunction

%!function varargout = kept (f, varargin)
%!  s = gpurng ();
%!  unwind_protect
%!    [varargout{1:nargout}] = f (varargin{:});
%!  unwind_protect_cleanup
%!    gpurng (s);
%!  end_unwind_protect
%!endfunction
%!function x = drawn (varargin)
%!  gpurng (varargin{:});
%!  x = {gather(gpuArray.rand (1, 3)), gather(gpuArray.randn (1, 3)), gather(gpuArray.randperm (9))};
%!endfunction
%!test
%! x = kept (@drawn, 5);
%! assert (kept (@drawn, single (5), "philox"), x);
%! assert (kept (@drawn, gpuArray (5)), x);
%! assert (isequal (kept (@drawn, 6), x), false);
%! assert (kept (@drawn, "default"), kept (@drawn, 0));
%! assert (kept (@drawn, "Philox4x32-10"), kept (@drawn, 0));
%! assert (isequal (kept (@drawn, "shuffle"), kept (@drawn, 0)), false);
%!test
%! first = gpurng (3);
%! s = gpurng ();
%! x = gather (gpuArray.rand (1, 4));
%! assert (fieldnames (s), {"Type"; "Seed"; "State"});
%! assert ({s.Type, s.Seed}, {"philox", 3});
%! assert (size (s.State), [4, 1]);
%! gpurng (4);
%! t = gpurng (s);
%! assert (t.Seed, 4);
%! assert (gather (gpuArray.rand (1, 4)), x);
%! assert (gpurng ("shuffle").Seed, 3);
%! gpurng (first);
%! assert (gpurng (), first);
%!test # Octave's own numbers are others
%! states = {rand("state"), randn("state")};
%! kept (@drawn, 5);
%! assert ({rand("state"), randn("state")}, states);
%!error <Invalid call to gpurng> gpurng (1, 2, 3)
%!error id=gpumm:unsupported gpurng (1, "Threefry")
%!error id=gpumm:unsupported gpurng ("mt19937ar")
%!error <no generator "threefry"> gpurng (0, "threefry")
%!error id=gpumm:unsupported gpurng (struct ("Type", "threefry", "Seed", 0, "State", 0))
%!error id=gpumm:bad-value gpurng (1, "dice")
%!error id=gpumm:bad-value gpurng ("default", "Philox")
%!error id=gpumm:bad-value gpurng (1, 2)
%!error id=gpumm:bad-value gpurng (-1)
%!error id=gpumm:bad-value gpurng (0.5)
%!error id=gpumm:bad-value gpurng (2^32)
%!error id=gpumm:bad-value gpurng ({})
%!error id=gpumm:bad-value gpurng (struct ("Type", "philox"))
%!error id=gpumm:bad-value gpurng (struct ("Type", "philox", "Seed", 0, "State", 0))
%!error id=gpumm:bad-value gpurng (struct ("Type", "philox", "Seed", 0, "State", [0; 0; 0; 0.5]))
