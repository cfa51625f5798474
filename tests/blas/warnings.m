## warnings.m - what Octave warns of when it solves, and how well conditioned it says that matrices are.
## SPDX-License-Identifier: BSD-3-Clause
1;

## The identifier of the warning, and the reciprocal condition number where it is more than rounding.
function report (A)
  lastwarn ("", "");
  A \ ones (rows (A), 1);
  [~, solving] = lastwarn ();
  lastwarn ("", "");
  inv (A);
  [~, inverting] = lastwarn ();
  r = rcond (A);
  if (r < 100 * rows (A) * eps (class (A)))
    r = 0;
  endif
  printf ("%d x %d %s: %s, %s, %.2g\n", size (A), class (A), solving, inverting, r);
endfunction

randn ("state", 1);
for n = [1, 5, 130, 300]
  A = randn (n);
  report (A);
  report (complex (A, randn (n)));
  report (single (A));
  report (A' * A + eye (n));
  report (1e300 * A);
  report (1e-300 * A);
endfor
for n = [8, 13, 20]
  report (hilb (n));
  report (single (hilb (n)));
  report (complex (hilb (n), hilb (n)));
  report (invhilb (n));
  report (vander (1:n));
  report (randn (n, n-1) * randn (n-1, n));
endfor
report (magic (4));
report (ones (7));
report (zeros (5));
report ([1, 1; 0, 1e-20]);
report ([1, NaN; 2, 3]);
report ([1, Inf; 2, 3]);
