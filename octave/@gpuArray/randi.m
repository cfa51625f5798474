## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} randi (@var{imax}, @dots{}, "like", @var{G})
## @deftypefnx {} {@var{R} =} randi ([@var{imin}, @var{imax}], @dots{}, "like", @var{G})
## Random integers with the class and on the device of @var{G}, a gpuArray.
##
## The numbers are drawn on the GPU, as those of @code{gpuArray.randi}.  If a limit or a size is a
## gpuArray, and there is no @qcode{"like"}, the result is an array of Octave, from Octave's generator.
## @seealso{gpuArray, gpurng}
## @end deftypefn

function R = randi (varargin)

  if (nargin > 2 && ischar (varargin{end-1}) && strcmp (varargin{end-1}, "like"))
    R = __made_there__ ("randi", varargin);
  else
    varargin = cellfun (@gather, varargin, "UniformOutput", false);
    R = randi (varargin{:});
  endif

endfunction
