## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## name = __random_generator__ (caller, name): "philox", the generator of gpuArray.rand, or an
## error that names the generator that is not there.

function name = __random_generator__ (caller, name)

  absent = {"threefry", "threefry4x64_20", "combrecursive", "mrg32k3a", "twister", "mt19937ar"};
  if (! ischar (name) || rows (name) > 1)
    error ("gpumm:bad-value", "%s: the name of a generator must be a string", caller);
  elseif (any (strcmpi (strrep (name, "-", "_"), absent)))
    error ("gpumm:unsupported", ...
           "%s: gpuArrays have no generator \"%s\". Write \"Philox\"", caller, name);
  elseif (! any (strcmpi (strrep (name, "-", "_"), {"philox", "philox4x32_10"})))
    error ("gpumm:bad-value", "%s: there is no generator \"%s\". Write \"Philox\"", caller, name);
  endif
  name = "philox";

endfunction
