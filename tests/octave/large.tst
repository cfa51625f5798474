## large.tst - sizes that no element-wise oracle should have to redo: C * t against A * (B * t).
## SPDX-License-Identifier: BSD-3-Clause

%!function check_by_vectors (A, B, varargin)
%!  C = gpumm (A, B, varargin{:});
%!  X = A;
%!  Y = B;
%!  for i = 1:2:numel (varargin)
%!    switch (varargin{i})
%!      case "TransposeA"
%!        X = A';
%!      case "TransposeB"
%!        Y = B';
%!    endswitch
%!  endfor
%!  assert (size (C), [rows(X), columns(Y)]);
%!  ## each element of C * t is a sum over all columns: one wrong element of C shows
%!  for round = 1:3
%!    t = rand (columns (Y), 1) - 0.5;
%!    bound = abs (X) * (abs (Y) * abs (t));
%!    difference = abs (double (C) * t - double (X) * (double (Y) * t));
%!    k = columns (X) + columns (Y);
%!    assert (all (difference <= 4 * sqrt (k) * eps (class (C)) * bound));
%!  endfor
%!endfunction

## full, sparse, tall, flat, thin along k, and on a device in many parts
%!test
%! rand ("twister", 51);
%! A = rand (1500, 1201) - 0.5;
%! B = rand (1201, 1403) - 0.5;
%! Z = complex (A(1:700, 1:600), A(601:1300, 1:600));
%! S = sprand (30000, 20000, 2e-4);
%! T = sprand (20000, 25000, 2e-4);
%! a = {"TransposeA", "ctranspose"};
%! b = {"TransposeB", "ctranspose"};
%! for row = {A, B, {}; A', B, a; A, B', b; A, A, b; single(A), single(B), {}; ...
%!            Z, B(1:600,:), {}; Z, Z, a
%!            S, T, {}; S, S, b; S', T, a; S, rand(20000, 20), {}; rand(20, 30000), S, {}; ...
%!            S, rand(20, 20000), b
%!            rand(1e6, 3), rand(3, 2), {}; rand(3, 1e6), rand(1e6, 2), {}; ...
%!            rand(2000, 1), rand(1, 2000), {}
%!            rand(2, 3), rand(3, 1e6), {}}.'
%!   check_by_vectors (row{1:2}, row{3}{:});
%! endfor
%! A = rand (310, 290);
%! B = rand (290, 330);
%! for bytes = [1e6, 3e5]
%!   check_by_vectors (A, B, "Algorithm", "register", "MaxDeviceMemory", bytes);
%!   check_by_vectors (A', B, a{:}, "Algorithm", "tiled", "MaxDeviceMemory", bytes);
%! endfor

## where there is a GPU: larger than the memory it is given
%!testif ; gpumm_available ("gpu")
%! rand ("twister", 55);
%! A = rand (6000, 5000) - 0.5;
%! B = rand (5000, 7001) - 0.5;
%! check_by_vectors (A, B, "Backend", "gpu");
%! check_by_vectors (A, B, "Backend", "gpu", "MaxDeviceMemory", 1e8);
%! check_by_vectors (A, A, "Backend", "gpu", "TransposeB", "ctranspose");
%! check_by_vectors (single (A), single (B), "Backend", "gpu");
%! check_by_vectors (complex (A, flip (A)), B, "Backend", "gpu");

## where there is a GPU: "auto" weighs emulated by what it measures, says so, and the product is right,
## whatever the data are; the same at each call, and after all was forgotten
%!testif ; gpumm_available ("gpu")
%! rand ("twister", 56);
%! A = single (rand (8192) - 0.5);
%! B = single (rand (8192) - 0.5);
%! [C, info] = gpumm (A, B, "Backend", "gpu");
%! taken = ! isempty (strfind (info.reason, "emulated computes"));
%! assert (strcmp (info.algorithm, "emulated"), taken);
%! [D, again] = gpumm (A, B, "Backend", "gpu");
%! assert (again.algorithm, info.algorithm);
%! assert (D, C);
%! gpumm_reset ();
%! [D, again] = gpumm (A, B, "Backend", "gpu");
%! taken = ! isempty (strfind (again.reason, "emulated computes"));
%! assert (strcmp (again.algorithm, "emulated"), taken);
%! assert (norm (double (D - C), "fro") <= 1e-5 * norm (double (C), "fro"));
%! check_by_vectors (A, B, "Backend", "gpu");
%! S = A .* single (exp (4 * randn (8192)));
%! check_by_vectors (S, B, "Backend", "gpu");
%! A(17, 4000) = NaN;
%! [D, again] = gpumm (A, B, "Backend", "gpu");
%! assert (all (isnan (D(17,:))));
%! D(17,:) = C(17,:);
%! assert (norm (double (D - C), "fro") <= 1e-5 * norm (double (C), "fro"));
%! if (strcmp (again.algorithm, "emulated"))
%!   assert (! isempty (strfind (again.kernel, "native: NaN or Inf")), again.kernel);
%! endif
