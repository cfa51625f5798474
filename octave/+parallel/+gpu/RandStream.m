## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

classdef RandStream

## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} parallel.gpu.RandStream (@var{generator})
## @deftypefnx {} {@var{s} =} parallel.gpu.RandStream (@var{generator}, "Seed", @var{seed})
## @deftypefnx {} {@var{s} =} parallel.gpu.RandStream.getGlobalStream ()
## @deftypefnx {} {@var{old} =} parallel.gpu.RandStream.setGlobalStream (@var{s})
## @deftypefnx {} {} parallel.gpu.RandStream.list ()
## Make a stream of random numbers for @code{gpuArray.rand} and @code{gpuArray.randn}.
##
## The only @var{generator} is @qcode{"Philox4x32-10"} or @qcode{"Philox"}; see @code{gpurng}, which
## is shorter.  Other generators, such as @qcode{"Threefry"} and @qcode{"mt19937ar"}, are errors with
## the identifier @code{gpumm:unsupported}.  @var{seed} is a whole number from 0 to 2^32 - 1 or
## @qcode{"shuffle"}; the default is 0.
##
## @code{setGlobalStream} makes the stream @var{s} the one that @code{gpuArray.rand} and the other
## functions of gpuArrays use, and returns the one before it.  @code{getGlobalStream} returns the
## current one.  @code{list} prints the generators.
##
## @example
## @group
## s = parallel.gpu.RandStream ("Philox", "Seed", 1);
## old = parallel.gpu.RandStream.setGlobalStream (s);
## x = gather (gpuArray.rand (1, 3));
## parallel.gpu.RandStream.setGlobalStream (s);
## isequal (gather (gpuArray.rand (1, 3)), x)
##   @result{} ans = 1
## parallel.gpu.RandStream.setGlobalStream (old);
## @end group
## @end example
##
## @var{s} is a value, with the properties @code{Type}, @code{Seed}, @code{State} and
## @code{NormalTransform}: @code{setGlobalStream (@var{s})} begins with the @code{State} of
## @var{s} each time.
## @seealso{gpurng, gpuArray}
## @end deftypefn

  properties (SetAccess = private)
    Type = "philox";
    Seed = 0;
    NormalTransform = "BoxMuller";
    State = [];
  endproperties

  methods

    function s = RandStream (generator, varargin)

      if (nargin < 1 || mod (nargin, 2) == 0)
        error ("gpumm:bad-value", ["parallel.gpu.RandStream: write parallel.gpu.RandStream " ...
                                   "(\"Philox\", \"Seed\", 1)"]);
      elseif (isstruct (generator)) # what gpurng returned
        settings = generator;
      else
        __random_generator__ ("parallel.gpu.RandStream", generator);
        before = gpurng (seed_of (varargin{:}));
        settings = gpurng (before);
      endif
      s.Seed = settings.Seed;
      s.State = settings.State;

    endfunction

    function disp (s)
      printf ("%s random stream of gpuArrays\n", s.Type);
      printf ("             Seed: %d\n  NormalTransform: %s\n", s.Seed, s.NormalTransform);
    endfunction

  endmethods

  methods (Static)

    function s = getGlobalStream ()
      s = parallel.gpu.RandStream (gpurng ());
    endfunction

    function old = setGlobalStream (s)

      if (! isa (s, "parallel.gpu.RandStream"))
        error ("gpumm:bad-value", ...
               ["parallel.gpu.RandStream.setGlobalStream: S must be a stream that " ...
                "parallel.gpu.RandStream made"]);
      endif
      before = gpurng (struct ("Type", s.Type, "Seed", s.Seed, "State", s.State));
      if (nargout > 0)
        old = parallel.gpu.RandStream (before);
      endif

    endfunction

    function list ()
      printf ("philox (Philox4x32-10): counter based, with 10 rounds\n");
    endfunction

  endmethods

endclassdef

## The help follows the first line of the class: Octave 7 finds it at no other place.

## The seed among the options of a stream.
function seed = seed_of (varargin)

  seed = 0;
  for i = 1:2:nargin
    if (strcmpi (varargin{i}, "Seed"))
      seed = varargin{i+1};
      if (ischar (seed) && ! strcmpi (seed, "shuffle"))
        error ("gpumm:bad-value", ...
               ["parallel.gpu.RandStream: Seed must be a whole number from 0 to 2^32 - 1, or " ...
                "\"shuffle\""]);
      endif
    elseif (! strcmpi (varargin{i}, "NormalTransform"))
      error ("gpumm:bad-value", ["parallel.gpu.RandStream: the options are \"Seed\" and " ...
                                 "\"NormalTransform\""]);
    elseif (! strcmpi (varargin{i+1}, "BoxMuller"))
      error ("gpumm:unsupported", ["parallel.gpu.RandStream: the only NormalTransform is " ...
                                   "\"BoxMuller\""]);
    endif
  endfor

endfunction

%!test
%! s = parallel.gpu.RandStream ("Philox4x32_10", "Seed", 7, "NormalTransform", "BoxMuller");
%! assert ({s.Type, s.Seed, s.NormalTransform}, {"philox", 7, "BoxMuller"});
%! old = parallel.gpu.RandStream.setGlobalStream (s);
%! x = gather ([gpuArray.rand(1, 3), gpuArray.randn(1, 3)]);
%! assert (parallel.gpu.RandStream.getGlobalStream ().Seed, 7);
%! gpurng (7);
%! assert (gather ([gpuArray.rand(1, 3), gpuArray.randn(1, 3)]), x);
%! parallel.gpu.RandStream.setGlobalStream (old);
%! y = gather (gpuArray.rand (1, 3));
%! parallel.gpu.RandStream.setGlobalStream (old);
%! assert (gather (gpuArray.rand (1, 3)), y);
%! assert (! isempty (strfind (evalc ("s"), "Seed: 7")));
%! assert (! isempty (strfind (evalc ("parallel.gpu.RandStream.list ()"), "philox")));
%!error id=gpumm:unsupported parallel.gpu.RandStream ("twister")
%!error id=gpumm:unsupported parallel.gpu.RandStream ("Threefry", "Seed", 1)
%!error id=gpumm:unsupported parallel.gpu.RandStream ("Philox", "NormalTransform", "Ziggurat")
%!error id=gpumm:bad-value parallel.gpu.RandStream ("Philox", "Seed")
%!error id=gpumm:bad-value parallel.gpu.RandStream ("Philox", "Seed", -1)
%!error id=gpumm:bad-value parallel.gpu.RandStream ("Philox", "Seed", "default")
%!error id=gpumm:bad-value parallel.gpu.RandStream ("Philox", "Speed", 1)
%!error id=gpumm:bad-value parallel.gpu.RandStream.setGlobalStream (1)
