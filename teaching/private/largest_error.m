## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## err = largest_error (C, expected, terms, bound)
##
## The largest error of an element of C in units of terms eps |A| |B|, where terms is how many
## products an element sums at most and bound () gives |A| |B|.  Two results that round as they sum,
## each its own way, are within terms eps / 2 of the exact one and differ by at most 1.  Inf where
## class, sparsity or sizes are others, or where one is NaN or Inf and the other is not.

function err = largest_error (C, expected, terms, bound)

  err = Inf;
  if (! strcmp (class (C), class (expected)) || issparse (C) != issparse (expected)
      || ! size_equal (C, expected))
    return;
  endif

  k = find (C != expected);  # NaN and NaN, too
  if (isempty (k))
    err = 0;
    return;
  endif
  bound = full (bound ()(k));
  C = full (C(k));
  expected = full (expected(k));
  usual = isfinite (bound);
  if (! isequaln (C(! usual), expected(! usual)))
    return;
  endif
  err = double (abs (C - expected) ./ (terms * eps (class (C)) * bound))(usual);
  err(isnan (err)) = Inf;
  err = max ([0; err(:)]);

endfunction
