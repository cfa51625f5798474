## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [c, wrong] = __gui_check__ (choices)
## initial = __gui_check__ ()
##
## Completes the choices of gpumm_gui and checks them.  Sizes may be typed text.  Each field of
## wrong says what is wrong with the choice of that name, or is "".  The field `size` is about
## memory and time; c.estimate has the estimate.  __gui_compare__ takes c if nothing is wrong.
## Without an argument the result is the window's first choices.

function [c, wrong] = __gui_check__ (choices = struct ())

  c = struct ("m", [], "n", [], "k", [], "A", "random", "B", "random", "kernels", [], ...
              "backend", "auto", "seconds", 30, "bytes", []);
  for field = fieldnames (choices).'
    c.(field{1}) = choices.(field{1});
  endfor
  c = sizes_of_own (c);
  if (nargin == 0)
    return;
  endif

  wrong = struct ("m", "", "n", "", "k", "", "A", "", "B", "", "kernels", "", "backend", "", ...
                  "limits", "", "size", "");
  [c.m, wrong.m] = whole (c.m);
  [c.n, wrong.n] = whole (c.n);
  [c.k, wrong.k] = whole (c.k);
  sized = isempty ([wrong.m, wrong.n, wrong.k]);
  [c.A, wrong.A] = matrix (c.A, {"m", "k"}, [c.m, c.k], sized);
  [c.B, wrong.B] = matrix (c.B, {"k", "n"}, [c.k, c.n], sized);

  [gpu, why] = gpumm_available ("gpu");
  if (! (ischar (c.backend) && any (strcmp (c.backend, {"auto", "gpu", "cpu"}))))
    wrong.backend = "backend must be \"auto\", \"gpu\" or \"cpu\"";
  elseif (strcmp (c.backend, "gpu") && ! gpu)
    wrong.backend = ["no GPU can be used: " why];
  elseif (strcmp (c.backend, "auto"))
    c.backend = {"cpu", "gpu"}{1 + gpu};
  endif

  products = __gui_product__ (c.backend);
  if (isnumeric (c.kernels) && isempty (c.kernels))
    c.kernels = products;
  elseif (! (iscellstr (c.kernels) && all (ismember (c.kernels, products))))
    wrong.kernels = ["kernels must be a cell array of \"" strjoin(products, "\", \"") "\""];
  elseif (isempty (c.kernels))
    wrong.kernels = "choose at least one";
  else
    c.kernels = products(ismember (products, c.kernels));
  endif

  if (! (is_positive (c.seconds) && (isempty (c.bytes) || is_positive (c.bytes))))
    wrong.limits = "seconds and bytes must be numbers above 0";
  endif

  c.seeds = [1, 2]; # of random A and B
  c.estimate = struct ("bytes", NaN, "seconds", NaN, "said", {{"", ""}});
  if (sized && isempty ([wrong.kernels, wrong.backend, wrong.limits]))
    [c.estimate, wrong.size] = estimate (c);
  endif

endfunction

## Missing sizes come from the user's own matrices.
function c = sizes_of_own (c)

  usual = 128;
  own = {[], [], []};
  if (! ischar (c.B))
    own([3, 2]) = {rows(c.B), columns(c.B)};
  endif
  if (! ischar (c.A)) # if both give k, use A's
    own([1, 3]) = {rows(c.A), columns(c.A)};
  endif
  names = "mnk";
  for i = 1:3
    if (isempty (own{i}))
      own{i} = usual;
    endif
    if (isnumeric (c.(names(i))) && isempty (c.(names(i))))
      c.(names(i)) = own{i};
    endif
  endfor

endfunction

## A size, given as a number or as typed text.
function [x, text] = whole (x)

  text = "";
  if (ischar (x))
    if (isempty (strtrim (x)))
      text = "is missing";
      return;
    endif
    x = typed_number (x);
  endif
  if (! (isnumeric (x) && isreal (x) && isscalar (x)) || isnan (x))
    text = "is not a number";
    x = NaN;
  elseif (x < 1)
    text = "must be 1 or more";
  elseif (x != fix (x))
    text = "must be whole";
  elseif (x > flintmax ())
    text = "is too large";
  endif
  x = double (x);

endfunction

## How to fill a matrix, or the matrix itself.  Elements are limited so that neither sums nor the
## unit of the check, eps |A| |B|, over- or underflow.
function [X, text] = matrix (X, names, sizes, sized)

  text = "";
  tiny = 1e-150;
  fills = __gui_fill__ ();
  if (ischar (X))
    if (! any (strcmp (X, fills)))
      text = ["must be a matrix or \"" strjoin(fills, "\", \"") "\""];
    endif
  elseif (! (isnumeric (X) || islogical (X)) || ! isreal (X) || issparse (X) || ndims (X) > 2)
    text = "must be a real full matrix";
  elseif (sized && ! isequal (size (X), sizes))
    text = sprintf ("is %d x %d, but %s x %s is %d x %d", size (X), names{:}, sizes);
  else
    X = double (X);
    x = abs (X(X != 0 & isfinite (X)));
    if (any (x < tiny | x > 1 / tiny))
      text = "has an element below 1e-150 or above 1e150";
    endif
  endif

endfunction

## Estimates the memory and the time of all steps.
function [e, text] = estimate (c)

  text = "";
  ## Memory: A, B, their absolute values and their copies on a device; C of two runs and on the
  ## device; A*B, |A| |B|, and the arrays of the comparison.
  e.bytes = 8 * (3 * c.m * c.k + 3 * c.k * c.n + 8 * c.m * c.n);
  e.seconds = NaN;
  e.said = {"", in_bytes(e.bytes)};
  if (isempty (c.bytes))
    c.bytes = half_of_free ();
  endif
  if (e.bytes > c.bytes)
    text = sprintf ("too large: it needs %s of memory, and the limit is %s", ...
                    in_bytes (e.bytes), in_bytes (c.bytes));
    return;
  endif

  each = __gui_rates__ (c.kernels, c.backend, c.m, c.n, c.k);
  each .*= 1 + (each < 1); # fastest () runs these twice
  e.seconds = sum (each) + 2 * __gui_rates__ ({"*"}, c.backend, c.m, c.n, c.k); # the check
  e.said{1} = in_seconds (e.seconds);
  if (e.seconds > c.seconds)
    [longest, i] = max (each);
    text = sprintf ("too slow: it takes %s, of which %s takes %s, and the limit is %s", ...
                    in_seconds (e.seconds), ...
                    __gui_name__ (c.kernels{i}), in_seconds (longest), ...
                    in_seconds (c.seconds));
  endif

endfunction

## Half of the free memory, so that the window does not use all of it; 2 GB if Octave cannot tell.
function bytes = half_of_free ()

  bytes = 2e9;
  try
    [~, system] = memory ();
    bytes = system.PhysicalMemory.Available / 2;
  catch
  end_try_catch

endfunction

function text = in_bytes (x)
  i = min (5, max (0, floor (log10 (x) / 3)));
  text = [__three_digits__(x / 1000 ^ i), " ", {"bytes", "kB", "MB", "GB", "TB", "PB"}{i+1}];
endfunction

function text = in_seconds (x)
  units = [1e-3, 1, 60, 3600, 86400];
  i = max ([1, find(x >= units, 1, "last")]);
  text = [__three_digits__(x / units(i)), " ", {"ms", "s", "minutes", "hours", "days"}{i}];
endfunction

function yes = is_positive (x)
  yes = isnumeric (x) && isreal (x) && isscalar (x) && x > 0;
endfunction
