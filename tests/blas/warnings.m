## warnings.m - what Octave warns of when it solves, how well conditioned it says that matrices are,
## and what it computes from matrices with NaN, Inf, extreme numbers and linear dependence.
## SPDX-License-Identifier: BSD-3-Clause
1;

## The identifier of the warning, and the reciprocal condition number where it is more than
## rounding.
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

## The identifier of f's warning, how often there is NaN and Inf in its results (of a complex Inf
## rounding errors decide whether its other part is NaN), and how large the results are, unless
## rounding errors decide over that.
function compute (name, f, outputs, is_sized = true)
  lastwarn ("", "");
  values = cell (1, outputs);
  try
    [values{:}] = f ();
  catch err
    printf ("  %s: error %s\n", name, err.message);
    return;
  end_try_catch
  [~, warned] = lastwarn ();
  printf ("  %s: %s", name, warned);
  for value = values
    x = full (double (value{1}(:)));
    finite = abs (x(isfinite (x)));
    printf (", %d NaN, %d Inf", nnz (isnan (x) & ! isinf (x)), nnz (isinf (x)));
    if (is_sized) # a power of 2; whole ones do not lie between two
      printf (", 2^%d", floor (log2 (max ([0; finite])) + 0.37));
    endif
  endfor
  printf ("\n");
endfunction

function compute_all (name, A)
  printf ("%d x %d %s %s, %s\n", size (A), {"real", "complex"}{1 + iscomplex (A)}, class (A), name);
  b = ones (rows (A), 2);
  H = A + A';
  H(1:rows (A)+1:end) += 8;
  compute ("chol", @() chol (H), 2);
  compute ("chol lower", @() chol (H, "lower"), 2);
  compute ("lu", @() lu (A), 3);
  compute ("det", @() det (A), 2);
  compute ("inv", @() inv (A), 2);
  compute ("qr", @() qr (A), 1);
  compute ("qr, Q", @() qr (A), 2);
  is_sized = rcond (A) > eps (class (A)); # else the least squares' rank is what it is
  compute ("A \\ b", @() A \ b, 1, is_sized);
  compute ("b / A", @() b' / A, 1, is_sized);
  compute ("A.' \\ b", @() A.' \ b, 1, is_sized);
  compute ("H \\ b", @() H \ b, 1);
endfunction

for n = [3, 40, 130]
  for type = {@(x) x, @(x) complex(x, x'), @(x) single(x), @(x) complex(single (x), single (x'))}
    of = type{1};
    A = of (randn (n) / n + 4 * eye (n)(:,[2:n, 1]));
    at = ceil (n / 2);
    large = realmax (class (A));
    compute_all ("good", A);
    for bad = [NaN, Inf]
      B = A;
      B(at,at+1) = bad;
      compute_all (num2str (bad), B);
      B = A;
      B(n,n) = bad;
      compute_all ([num2str(bad) " last"], B);
    endfor
    compute_all ("all NaN", A * NaN);
    compute_all ("zero", 0 * A);
    B = A;
    B(:,n) = B(:,1);
    compute_all ("two equal columns", B);
    B(:,at) = 0;
    compute_all ("and a zero one", B);
    compute_all ("huge", large / 16 * A);
    compute_all ("tiny", 1 / large * A);
  endfor
endfor
