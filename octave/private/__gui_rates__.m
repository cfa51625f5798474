## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## seconds = __gui_rates__ (names, backend, m, n, k)
##
## The estimated seconds of one product of each name.  The first call measures a small product.  The
## estimate is the time of 2 m n k operations at its rate, plus the time of the bytes of A, B and C at
## the rate of the rest of its call.

function seconds = __gui_rates__ (names, backend, m, n, k)

  persistent known = struct ();
  ## Sizes at which a kernel is near its full rate and takes milliseconds: a kernel for study on the
  ## CPU (0.4 to 8 GFLOPS, measured on a Xeon of 2 GHz), a BLAS, a GPU.
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
