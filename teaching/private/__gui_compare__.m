## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## r = __gui_compare__ (c, go_on)
##
## Runs each kernel of c (from __gui_check__), times it, and checks its product against A*B.  Before
## each kernel it calls go_on (share, text) with the share of work done and the next kernel's name.
## If go_on returns false, r has the results so far.  The help of gpumm_gui describes r.

function r = __gui_compare__ (c, go_on = @(share, text) true)

  own = octaves_own_products ();
  count = numel (c.kernels);
  none = NaN (count, 1);
  r = struct ("m", c.m, "n", c.n, "k", c.k, "flops", 2 * c.m * c.n * c.k, "backend", c.backend, ...
              "device", "CPU", "kernels", {c.kernels(:)}, "ran", {repmat({""}, count, 1)}, ...
              "seconds", none, "total", none, "gflops", none, "error", none, ...
              "loads", none, "right", false (count, 1), "failed", {repmat({""}, count, 1)}, ...
              "stopped", true, ...
              "A", [], "B", [], "C", []);
  if (strcmp (c.backend, "gpu"))
    r.device = gpumm_info ().devices(1).name;
  endif

  if (! go_on (0, "A, B and A*B"))
    return;
  endif
  A = __gui_fill__ (c.A, c.m, c.k, c.seeds(1));
  B = __gui_fill__ (c.B, c.k, c.n, c.seeds(2));
  r.A = A;
  r.B = B;
  expected = A * B;
  bound = abs (A) * abs (B);

  rows = gpumm_info ().kernels;
  for i = 1:count
    name = c.kernels{i};
    if (! go_on (i / (count + 1), __gui_name__ (name)))
      return;
    endif
    try
      [seconds, C, info] = fastest (@() __gui_product__ (name, A, B, c.backend));
    catch err
      r.failed{i} = err.message;
      continue;
    end_try_catch
    r.ran{i} = info.kernel;
    r.seconds(i) = seconds;
    r.total(i) = max (info.seconds.total, seconds);
    r.gflops(i) = 1e-9 * r.flops / seconds;
    r.loads(i) = loads_of (rows(strcmp ({rows.name}, info.kernel)), c.m, c.n, c.k);
    r.error(i) = largest_error (C, expected, c.k, @() bound);
    r.right(i) = r.error(i) <= 1;
    if (isempty (r.C) || ! r.right(i)) # show a wrong product rather than a right one
      r.C = C;
    endif
  endfor
  r.stopped = false;

endfunction

## The elements that the kernel of this row loads from global memory, as gpumm_kernel counts them: naive loads two
## for each multiply-add; with tiles each column of tiles loads all of A, and each row of tiles all
## of B.  NaN for what is no such kernel.
function count = loads_of (row, m, n, k)

  count = NaN;
  if (isscalar (row) && strcmp (row.algorithm, "naive"))
    count = 2 * m * n * k;
  elseif (isscalar (row) && any (strcmp (row.algorithm, {"tiled", "register"})))
    count = m * k * ceil (n / row.tile_n) + k * n * ceil (m / row.tile_m);
  endif

endfunction
