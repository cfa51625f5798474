## sparse.tst - sparse products: what is stored, and how much memory it takes.
## SPDX-License-Identifier: BSD-3-Clause

## terms that cancel leave nothing stored, and no room for it; what turns out real is real
%!test
%! A = sparse ([1, 1; 1, 1]);
%! B = sparse ([1, 2; -1, 3]);
%! n = 300;
%! F = sparse ([ones(n, 1), ones(n, 1)]);
%! G = sparse ([2, ones(1, n - 1); -ones(1, n)]);
%! for by = {{}, {"Algorithm", "sparse_as_full"}}
%!   for pair = {A, B; i * A, i * B; F, G; i * F, i * G}.'
%!     C = gpumm (pair{:}, by{1}{:});
%!     R = pair{1} * pair{2};
%!     assert (isequal (C, R) && isreal (C) && nnz (C) == nnz (R));
%!     assert (rows (C) == 2 || nzmax (C) < 3 * n);
%!   endfor
%! endfor

## a result is an ordinary sparse matrix: it can be changed, grown, indexed, saved
%!test
%! A = sprand (50, 50, 0.1);
%! C = gpumm (A, A);
%! R = A * A;
%! C(3, 4) = 5;
%! R(3, 4) = 5;
%! C(60, 60) = 1;
%! R(60, 60) = 1;
%! assert (norm (C - R, 1) < 1e-12);
%! C(:, 10) = [];
%! R(:, 10) = [];
%! assert (norm (C' - R', 1) < 1e-12);
%! x = C \ ones (60, 1);
%! file = tempname ();
%! save ("-binary", file, "C");
%! D = load (file).C;
%! unlink (file);
%! assert (isequal (C, D));

## patterns of practice: graphs (R-MAT: Chakrabarti, Zhan, Faloutsos 2004), finite elements with three
## unknowns a point, hubs, a band; wherever they run
%!function S = pattern (name, n)
%! switch (name)
%!   case "rmat"
%!     levels = round (log2 (n));
%!     at = ones (8 * n, 2);
%!     for l = 1:levels
%!       part = rand (8 * n, 1);
%!       at += 2 ^ (l - 1) * [part > 0.76, (part > 0.57 & part <= 0.76) | part > 0.95];
%!     endfor
%!     S = sparse (at(:,1), at(:,2), rand (8 * n, 1) - 0.5, 2 ^ levels, 2 ^ levels);
%!   case "elements"
%!     side = round ((n / 3) ^ (1 / 3));
%!     line = spdiags (ones (side, 3), -1:1, side, side);
%!     S = kron (kron (line, kron (line, line)), sparse (rand (3)));
%!   case "hubs"
%!     S = sprand (n, n, 3 / n);
%!     S(5,:) = rand (1, n) - 0.5;
%!     S(:,[1, end]) = rand (n, 2) - 0.5;
%!     S(10:20,:) = 0;
%!     S(:,30:40) = 0;
%!   case "band"
%!     S = spdiags (rand (n, 7) - 0.5, [-40, -3:1, 9], n, n);
%! endswitch
%!endfunction
%!test
%! rand ("twister", 25);
%! backends = {"auto", "cpu", "gpu"}(1:2 + gpumm_available ("gpu"));
%! for name = {"rmat", "elements", "hubs", "band"}
%!   for n = [100, 600]
%!     S = pattern (name{1}, n);
%!     Z = S + i * S.';
%!     F = rand (columns (S), 9) - 0.5;
%!     for backend = backends
%!       check_product (S, S, "Backend", backend{1});
%!       check_product (S, Z, "TransposeA", "transpose", "Backend", backend{1});
%!       check_product (S > 0, S, "Backend", backend{1});
%!       check_product (S, F, "Backend", backend{1});
%!       check_product (F, S, "TransposeA", "transpose", "Backend", backend{1});
%!     endfor
%!   endfor
%!   check_product (pattern (name{1}, 100), pattern (name{1}, 100), "Algorithm", "spgemm", "Backend", "cpu");
%! endfor

## rows of so many products that their columns are split, alone and with a neighbour's pattern
%!test
%! if (! gpumm_available ("gpu"))
%!   return;
%! endif
%! rand ("twister", 26);
%! n = 70000;
%! S = sprand (n, n, 5 / n);
%! S([500, 1000:1002],:) = rand (4, n) - 0.5;
%! S(:,7) = 0;
%! for T = {S, S + i * S.'(:,randperm (n))}
%!   C = gpumm (S, T{1}, "Backend", "gpu", "Algorithm", "spgemm");
%!   assert (isequal (C, S * T{1}));
%! endfor

## a kernel can be asked for by name, as gpumm_info tells it
%!test
%! k = gpumm_info ().sparse_kernels;
%! assert (any (strcmp ({k.algorithm}, "spgemm")) && any (strcmp ({k.algorithm}, "spmm")));
%! name = k(find (strcmp ({k.algorithm}, "spgemm"), 1)).name;
%! [C, info] = gpumm (speye (4), speye (4), "Algorithm", name);
%! assert (info.kernel, name);
%! assert (C, speye (4));

## Inf times a stored zero-product, NaN with a pattern
%!test
%! A = sparse ([1, 0, NaN; 0, Inf, 0]);
%! B = sparse ([0, 1; 2, 0; 0, 0]);
%! check_product (A, B);
%! check_product (A, full (B));
%! check_product (full (A), B);
%! check_product (A', A);
%! check_product (A, A, "TransposeB", "ctranspose");

## what ran by name; the transposes, types and sizes of these ways are in products.tst
%!test
%! A = sprand (40, 30, 0.2);
%! B = sprand (30, 45, 0.2);
%! for row = {"spgemm", B, "spgemm", "spgemm_merge"; "spmm", full(B), "spmm", "spmm"
%!            "sparse_as_full", B, "sparse_as_full", "dgemm"}.'
%!   [~, info] = check_product (A, row{2}, "Algorithm", row{1}, "Backend", "cpu");
%!   assert ({info.algorithm, info.kernel, info.backend}, {row{3:4}, "cpu"});
%!   terms = full (sum (A != 0, 1)) .* full (sum (row{2} != 0 | ! issparse (row{2}), 2)).';
%!   assert (info.flops, 2 * sum (terms));
%!   C = gpumm (A, -row{2}, "Alpha", 0, "Algorithm", row{1}, "Backend", "cpu");
%!   assert (isequal (C, sparse (40, 45)) && issparse (C) == issparse (row{2}));
%! endfor
%! check_product (A, full (B), "Alpha", 2, "Beta", 3i, "C", ones (40, 45), "Algorithm", "spmm");
%! check_product (sparse (Inf), sparse (1 + 2i), "Algorithm", "spgemm", "Backend", "cpu");

## blocks that a matrix is made of without saying so: the product is that of `*`, to the last bit
%!function A = of_mesh (n, b) # b unknowns at each of n x n nodes
%!  [x, y] = ndgrid (1:n);
%!  [dx, dy] = ndgrid (-1:1);
%!  X = x(:)' + dx(:);
%!  Y = y(:)' + dy(:);
%!  inside = min (X, Y) >= 1 & max (X, Y) <= n;
%!  I = repmat (1:n^2, 9, 1)(inside);
%!  J = (X + n * (Y - 1))(inside);
%!  [i, j] = find (kron (sparse (I, J, 1), ones (b)));
%!  A = sparse (i, j, rand (numel (i), 1) - 0.5, n^2 * b, n^2 * b);
%!endfunction
%!function same_as_octave (A, B, size, varargin)
%!  [C, info] = gpumm (A, B, "Backend", "cpu", varargin{:});
%!  R = A * B;
%!  assert (isequaln (C, R) && nnz (C) == nnz (R) && isreal (C) == isreal (R));
%!  found = regexp (info.reason, 'natural blocks of (\d+)', "tokens", "once");
%!  assert (isequal (found, {num2str(size)}) || (size == 0 && isempty (found)), info.reason);
%!endfunction
%!test
%! rand ("twister", 5);
%! for b = [1, 2, 3, 4, 6, 8]
%!   size = b * (b > 1);
%!   A = of_mesh (9, b);
%!   n = rows (A);
%!   for pair = {A, A; A', A; A, A(:,1:6*b); A + 2i*A', A; A != 0, A != 0}.'
%!     same_as_octave (pair{:}, size);
%!   endfor
%!   assert (gpumm (A, A, "TransposeA", "transpose", "Backend", "cpu"), A' * A);
%!   assert (gpumm (A, A, "TransposeB", "ctranspose", "Backend", "cpu"), A * A');
%!   if (b == 1)
%!     continue;
%!   endif
%!   ## nearly blocks: an element less, one more, all of it a row and a column further
%!   less = more = A;
%!   less(n - 1, n) = 0;
%!   more(n, 1) = 1;
%!   further = [sparse(1, n + b); sparse(n, 1), A, sparse(n, b - 1); sparse(b - 1, n + b)];
%!   for pair = {less, less; less, A; A, less; more, more; further, further}.'
%!     same_as_octave (pair{:}, 0);
%!   endfor
%!   ## what cancels in blocks is not stored; NaN and Inf meet what is stored and nothing else
%!   S = sign (A);
%!   same_as_octave (S, S, b);
%!   assert (nnz (S * S) < 0.95 * nnz ((S != 0) * (S != 0)));
%!   S(1, 1) = NaN;
%!   S(b + 1, 2) = -Inf;
%!   S(1, b + 1) = Inf;
%!   same_as_octave (S, S, b);
%!   Z = kron (speye (5), (-1) .^ (1:b) .* ones (b, 1)); # whose square is zero where b is even
%!   assert (nnz (gpumm (Z, Z)), nnz (Z * Z));
%!   ## by a full matrix: where rows are scattered, through blocks
%!   X = rand (n, 40) - 0.5;
%!   same_as_octave (A, X, b);
%!   assert (gpumm (A, X, "Backend", "cpu", "Alpha", -2), -2 * (A * X));
%!   A(1, 2) = NaN;
%!   A(b, b) = Inf;
%!   same_as_octave (A, X, b);
%!   A(b, b) = 0;
%!   same_as_octave (A, X, 0);
%! endfor

## "auto" with Inf and NaN, which must not meet zeros that are not stored
%!test
%! rand ("twister", 10);
%! for n = [60, 300]
%!   for what = [1, Inf, -Inf, NaN, 1e200]
%!     A = sparse (rand (n) .* (rand (n) < 0.9));
%!     B = sparse (rand (n) .* (rand (n) < 0.9));
%!     A(3, 5) = what;
%!     B(5, 7) = 0;
%!     [C, info] = gpumm (A, B);
%!     check_product (A, B);
%!     check_product (B, A, "TransposeB", "transpose");
%!     check_product (A != 0, B + i * B.');
%!     said = ! isempty (strfind (info.reason, "C fills up: a full product takes"));
%!     fell = ! isempty (strfind (info.reason, "not as full matrices"));
%!     assert (strcmp (info.algorithm, "sparse_as_full"), said);
%!     assert (! said || what == 1);
%!     assert (! fell || what != 1);
%!   endfor
%! endfor
%!error <full matrices could give Inf or NaN where sparse ones do not: an element of B> ...
%! gpumm (speye (3), sparse ([1, Inf; 2, 3; 4, 5]), "Algorithm", "sparse_as_full")
%!error id=gpumm:unsupported gpumm (sparse ([1, NaN; 2, 0]), speye (2), "Algorithm", "sparse_as_full")
%!error id=gpumm:unsupported gpumm (speye (3), ones (3), "Algorithm", "sparse_as_full")

%!testif ; gpumm_available ("gpu")
%! A = round (8 * sprandn (700, 600, 0.7));
%! B = round (8 * sprandn (600, 500, 0.7)) + i * round (8 * sprandn (600, 500, 0.7));
%! by = {"Algorithm", "sparse_as_full", "Backend", "gpu"};
%! for limit = {{}, {"MaxDeviceMemory", 4e6}}
%!   [C, info] = gpumm (A, B, by{:}, limit{1}{:});
%!   assert (C, A * B);
%!   assert (info.backend, "gpu");
%!   assert (info.bytes.up > 0 && info.seconds.compute > 0);
%!   assert (gpumm (B, A, "TransposeA", "ctranspose", "TransposeB", "transpose", by{:}, limit{1}{:}), B' * A');
%! endfor

## spgemm rounds as `*` does: the same bits, and what cancels there is not stored
%!test
%! backends = {"cpu", "gpu"}(1:1 + gpumm_available ("gpu"));
%! for backend = backends
%!   by = {"Algorithm", "spgemm", "Backend", backend{1}};
%!   for z = [0, i]
%!     u = rand (1, 40) + z * rand (1, 40);
%!     v = rand (1, 40) + z * rand (1, 40);
%!     for n = [1, 2, 12, 50, 300]
%!       A = sparse (repmat ([u; -v](:).', 9, 1));
%!       B = sparse (repmat ([v; u](:), 1, n));
%!       assert (nnz (A * B), 0);
%!       assert (gpumm (A, B, by{:}), A * B);
%!       assert (nnz (gpumm (A, B, by{:}, "Alpha", 3)), 0);
%!     endfor
%!     S = sprandn (300, 200, 0.05) + z * sprandn (300, 200, 0.03);
%!     assert (isequal (gpumm (S, S', by{:}), S * S'));
%!     assert (isequal (gpumm (S, S, "TransposeB", "ctranspose", by{:}), S * S'));
%!   endfor
%! endfor

## Rows without entries take no memory: a small product, with its rows put far apart, by every way.
%!function X = stretched (x, place, rows)
%!  [i, j, v] = find (x);
%!  X = sparse (place(i), j, v, rows, columns (x));
%!endfunction
%!test
%! rows = 3e9;
%! place = [3, 7, 1e9, 2e9, rows];
%! s = sparse ([1, 2, 3, 1, 5], [1, 2, 3, 4, 2], 1:5, 5, 4);
%! t = sparse ([2, 3, 4], [1, 3, 5], [1, 1, 2], 5, 5);
%! k = sparse ([1, 2, 3, 1], [1, 2, 3, 2], 1:4, 4, 3);
%! far = @(x) stretched (x, place, rows);
%! gone = with_variable ("GPUMM_MAX_HOST_MEMORY", "64M");
%! for options = {{}, {"Backend", "cpu"}, {"Backend", "cpu", "Algorithm", "spgemm"}, {"Algorithm", "sparse"}}
%!   o = options{1};
%!   assert (isequal (gpumm (far (s), far (s), "TransposeA", "transpose", o{:}), s' * s));
%!   assert (isequal (gpumm (far (s), far (t), "TransposeA", "ctranspose", o{:}), s' * t));
%!   z = s * (1+2i);
%!   assert (isequal (gpumm (far (z), far (z), "TransposeA", "ctranspose", o{:}), z' * z));
%!   assert (isequal (gpumm (far (s), k, o{:}), far (s * k)));
%!   assert (isequal (gpumm (far (s != 0), k', "TransposeB", "transpose", "Alpha", 3, o{:}), far (3 * (s != 0) * k)));
%!   assert (isequal (gpumm (sparse (rows, 4), k, o{:}), sparse (rows, 3)));
%!   assert (isequal (gpumm (far (s), sparse (rows, 2), "TransposeA", "transpose", o{:}), sparse (4, 2)));
%! endfor
