## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## seconds = __gui_rates__ (names, backend, m, n, k)
##
## The estimated seconds of one product of each name.  The first call measures a small product: its
## operations per second, and the bytes of A, B and C per second of the rest of its call.  The
## estimate is the time of 2 m n k operations and of the product's bytes at these rates.

function seconds = __gui_rates__ (names, backend, m, n, k)

  persistent known = struct ();
  ## At these sizes a kernel takes milliseconds and is near its full rate: a kernel for study on the
  ## CPU (0.4 to 8 GFLOPS on a 2 GHz Xeon), a BLAS, a GPU.
  sizes = struct ("study", 64, "blas", 256, "gpu", 1024);

  seconds = zeros (1, numel (names));
  for i = 1:numel (names)
    name = names{i};
    on_gpu = strcmp (backend, "gpu") && ! any (strcmp (name, {"*", "loops"}));
    key = [{"cpu_", "gpu_"}{1 + on_gpu}, strrep(name, "*", "octave")];
    if (! isfield (known, key))
      if (on_gpu)
        size = sizes.gpu;
      elseif (any (strcmp (name, {"*", "blas"})))
        size = sizes.blas;
      else
        size = sizes.study;
      endif
      known.(key) = measure (name, backend, size);
    endif
    rate = known.(key);
    seconds(i) = 2 * m * n * k / rate.flops + 8 * (m * k + k * n + m * n) / rate.bytes;
  endfor

endfunction

## A kernel that cannot run here gets no time; the run itself says why.
function rate = measure (name, backend, n)

  rate = struct ("flops", Inf, "bytes", Inf);
  A = ones (n) / n;
  try
    __gui_product__ (name, A, A, backend); # loads what it needs
    [~, seconds, info] = __gui_product__ (name, A, A, backend);
    rate.flops = 2 * n ^ 3 / max (seconds, 1e-9);
    rate.bytes = 24 * n ^ 2 / max (info.seconds.total - seconds, 1e-9);
  catch
  end_try_catch

endfunction
