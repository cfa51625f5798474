## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{Y} =} __made_there__ (@var{name}, @var{arguments})
## Octave's function @var{name} where its arguments end with the class @qcode{"gpuArray"}, or with
## @qcode{"like"} and an array whose class, complexity, format and place @var{Y} gets.
## @end deftypefn

function Y = __made_there__ (name, arguments)

  if (ischar (arguments{end}) && strcmp (arguments{end}, "gpuArray"))
    Y = made (name, arguments(1:end-1), true);
  else
    Y = like (name, arguments(1:end-2), arguments{end});
  endif

endfunction

## An array of Octave's is Octave's, where its function knows "like".
function Y = like (name, sizes, X)

  gives_truth = any (strcmp (name, {"true", "false"}));
  if (! isgpuarray (X) && octave_knows_like (name, gives_truth))
    Y = builtin (name, sizes{:}, "like", X);
    return;
  elseif (! isnumeric (X) && ! islogical (X))
    error ("gpumm:bad-value", "%s: the array after \"like\" must be numeric or logical", name);
  elseif (gives_truth && ! islogical (X))
    error ("gpumm:bad-value", "%s: the array after \"like\" must be logical", name);
  elseif (islogical (X) && ! gives_truth && ! any (strcmp (name, {"zeros", "ones", "eye"})))
    error ("gpumm:bad-value", "%s: the array after \"like\" must be numeric", name);
  endif
  if (! islogical (X))
    sizes{end+1} = underlyingType (X);
  endif
  Y = made (name, sizes, isgpuarray (X));
  if (islogical (X))
    Y = logical (Y);
  elseif (iscomplex (X) && strncmp (name, "rand", 4))
    Y = Y + 1i * made (name, sizes, isgpuarray (X));
  elseif (iscomplex (X) && isgpuarray (X))
    Y = gpuArray (complex (gather (Y), 0));
  elseif (iscomplex (X))
    Y = complex (Y, 0);
  endif
  if (issparse (X))
    Y = sparse (Y);
  endif

endfunction

function Y = made (name, arguments, is_there)

  if (is_there && strncmp (name, "rand", 4) && ! isempty (arguments)
      && any (strcmp (arguments{1}, {"seed", "state", "twister"})))
    error ("gpumm:bad-value", "%s: set and ask for the state by gpuArray.%s (\"%s\", ...)", ...
           name, name, arguments{1});
  elseif (is_there)
    Y = gpuArray (__gpuarray__ (name, arguments)); # colon makes ranges of the host
  else
    Y = feval (name, arguments{:});
  endif

endfunction

function yes = octave_knows_like (name, gives_truth)

  persistent known = struct ();
  if (! isfield (known, name))
    X = 1;
    if (gives_truth)
      X = true;
    endif
    known.(name) = true;
    try
      builtin (name, 0, 0, "like", X); # draws no random number
    catch
      known.(name) = false;
    end_try_catch
  endif
  yes = known.(name);

endfunction
