## pairs.tst - products of all pairs of A, A.', A' and conj (A), with themselves and with another
## matrix: a product that shares memory with its operand, is symmetric by its operands, or is read
## as a transpose has the values of any other.
## SPDX-License-Identifier: BSD-3-Clause

## The product by its definition, without an operator of matrices.
%!function C = by_definition (A, B)
%!  [A, B] = deal (double (full (A)), double (full (B)));
%!  C = zeros (rows (A), columns (B));
%!  for k = 1:columns (A)
%!    C += A(:,k) .* B(k,:);
%!  endfor
%!endfunction

%!function x = on_host (x)
%!  x = full (gather (x));
%!endfunction

## Whole numbers: every product is exact.
%!function matrices = kinds ()
%!  A = [1, -2, 0, 0; 3, 5, 0, 0; 0, 0, 0, 7; 2, 0, -1, 4];
%!  Z = A + 1i * [2, 1, 0, 0; -1, 0, 0, 0; 0, 0, 0, -3; 0, 4, 2, 1];
%!  full_ones = {A, single(A), Z, single(Z)};
%!  stored = {sparse(A), sparse(Z), blocksparse(A, 2), blocksparse(Z, 2), blocksparse(single (Z), 2)};
%!  matrices = [full_ones, stored];
%!endfunction

%!function check (name, C, wanted)
%!  C = on_host (C);
%!  assert (isequal (double (C), wanted), "%s: %s and not %s", name, mat2str (C), mat2str (wanted));
%!endfunction

## the operands as they are formed, on the host, there, and one there
%!test
%! forms = {@(x) x, @(x) x.', @(x) x', @conj};
%! places = {@(x) x, @(x) x, @gpumm; @gpuArray, @gpuArray, @mtimes; @gpuArray, @gpuArray, @gpumm
%!           @gpuArray, @(x) x, @mtimes; @(x) x, @gpuArray, @mtimes}.';
%! for A = kinds ()
%!   for B = {A{1}, A{1} + 2 * A{1}.'}
%!     for place = places
%!       [X, Y] = deal (place{1} (A{1}), place{2} (B{1}));
%!       if (isequal (A{1}, B{1}) && isequal (place{1}, place{2}))
%!         Y = X; # one memory
%!       endif
%!       for f = forms
%!         for g = forms
%!           name = sprintf ("%s (%s, %s) of %s", func2str (place{3}), func2str (f{1}), ...
%!                           func2str (g{1}), shown (A{1}));
%!           check (name, place{3} (f{1} (X), g{1} (Y)), ...
%!                  by_definition (f{1} (A{1}), g{1} (B{1})));
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor

## and as options say it
%!test
%! ops = {"none", "transpose", "ctranspose"};
%! forms = {@(x) x, @(x) x.', @(x) x'};
%! for A = kinds ()
%!   for place = {@(x) x, @gpuArray}
%!     X = place{1} (A{1});
%!     for i = 1:3
%!       for j = 1:3
%!         for c = {@(x) x, @conj}
%!           C = gpumm (c{1} (X), X, "TransposeA", ops{i}, "TransposeB", ops{j});
%!           check (sprintf ("%s, %s of %s", ops{[i, j]}, shown (A{1})), C, ...
%!                  by_definition (forms{i} (c{1} (A{1})), forms{j} (A{1})));
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor

## pages
%!test
%! ops = {"none", "transpose", "ctranspose"};
%! forms = {@(x) x, @(x) x.', @(x) x'};
%! for A = kinds ()(1:4)
%!   for place = {@(x) x, @gpuArray}
%!     X = place{1} (cat (3, A{1}, A{1} + 1, conj (A{1})));
%!     for i = 1:3
%!       for j = 1:3
%!         for c = {@(x) x, @conj}
%!           C = pagemtimes (c{1} (X), ops{i}, X, ops{j});
%!           for page = 1:3
%!             P = gather (X)(:,:,page);
%!             check (sprintf ("pages: %s, %s of %s", ops{[i, j]}, shown (A{1})), C(:,:,page), ...
%!                    by_definition (forms{i} (c{1} (P)), forms{j} (P)));
%!           endfor
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
