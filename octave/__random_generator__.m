## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## name = __random_generator__ (caller, name): "twister", the generator of gpuArray.rand, or an
## error that names the generator that is not there.

function name = __random_generator__ (caller, name)

  absent = {"threefry", "threefry4x64_20", "philox", "philox4x32_10", "combrecursive", "mrg32k3a"};
  if (! ischar (name) || rows (name) > 1)
    error ("gpumm:bad-value", "%s: the name of a generator must be a string", caller);
  elseif (any (strcmpi (strrep (name, "-", "_"), absent)))
    error ("gpumm:unsupported", ...
           ["%s: gpumm has no generator \"%s\". gpuArray.rand takes its numbers from Octave's " ...
            "generator: write \"twister\""], caller, name);
  elseif (! any (strcmpi (name, {"twister", "mt19937ar"})))
    error ("gpumm:bad-value", "%s: there is no generator \"%s\"; write \"twister\"", caller, name);
  endif
  name = "twister";

endfunction
