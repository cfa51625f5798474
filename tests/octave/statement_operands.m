## statement_operands (IS_THERE) gives its caller the variables of statements that run twice, as
## gpuArrays and as values of the host.
## SPDX-License-Identifier: BSD-3-Clause

function statement_operands (is_there)

  s = struct ("k", 3, "n", int32 (2), "q", single (2.5), "b", true, "v", [3, 1, 2], ...
              "M", magic (4), "U", uint8 (magic (4)), "x", 0:4, "y", [1, 4, 2, 8, 5], ...
              "S", sparse (magic (4)), "C", reshape ((1:48) / 48, 4, 4, 3));
  if (is_there)
    s = structfun (@gpuArray, s, "UniformOutput", false);
  endif
  for [value, name] = s
    assignin ("caller", name, value);
  endfor

endfunction
