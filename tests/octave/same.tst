## same.tst - A with itself, its conjugate, its transposes, and another matrix: every pair of
## transposes, every type, every algorithm and kernel.
##
## Some algorithms take a shorter way where both operands are one matrix (syrk and herk, one copy on
## the device).  The oracle takes none: it sums products of single elements.  All numbers
## are small integers, so every sum is exact, and results are compared without tolerance.
## SPDX-License-Identifier: BSD-3-Clause

%!function X = turned (X, op)
%!  if (op == 2)
%!    X = X.';
%!  elseif (op == 3)
%!    X = X';
%!  endif
%!endfunction

## X * Y by sums of products, element by element
%!function C = sums (X, Y)
%!  X = full (double (X));
%!  Y = full (double (Y));
%!  C = reshape (sum (X .* permute (Y, [3, 1, 2]), 2), rows (X), columns (Y));
%!endfunction

## The second operand: A itself, which shares its memory, or a matrix of its own.
%!function B = second (A, which)
%!  switch (which)
%!    case 1
%!      B = A;
%!    case 2
%!      B = conj (A);
%!    case 3
%!      B = A.';
%!    case 4
%!      B = A';
%!    case 5
%!      B = conj (A);
%!      B(end, 1) = 7 - B(end, 1); # differs in its last row alone
%!    case 6
%!      B = A';
%!      B(1, end) = 7 - B(1, end);
%!    case 7
%!      B = A;
%!      B(1) += 0; # the same numbers in memory of its own
%!  endswitch
%!endfunction

%!function A = whole_numbers (m, n, type)
%!  A = randi ([-3, 3], m, n);
%!  if (any (type == "cz"))
%!    A = complex (A, randi ([1, 4], m, n));
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

## All pairs of transposes of A and of second operands that conform: rows of the second operand, the
## transposes as options, op (A) * op (B), and which second operand it is.
%!function list = cells (A, which)
%!  names = {"none", "transpose", "ctranspose"};
%!  list = cell (0, 4);
%!  for w = which
%!    B = second (A, w);
%!    for i = 1:3
%!      for j = 1:3
%!        X = turned (A, i);
%!        Y = turned (B, j);
%!        if (columns (X) == rows (Y))
%!          options = {"TransposeA", names{i}, "TransposeB", names{j}};
%!          list(end+1,:) = {B, options, sums(X, Y), w};
%!        endif
%!      endfor
%!    endfor
%!  endfor
%!endfunction

## Multiplies A by each second operand. Returns how many cells ran, none of them where the algorithm
## does not take such operands and says gpumm:unsupported.
%!function ran = every_cell (A, alphas, varargin)
%!  ran = 0;
%!  for c = cells (A, 1:7).'
%!    for alpha = alphas
%!      options = [c{2}, varargin];
%!      R = c{3};
%!      if (alpha != 1)
%!        options = [options, {"Alpha", alpha}];
%!        R = alpha * R;
%!      endif
%!      if (! isreal (alpha) && ! issparse (A)) # C is not symmetric
%!        C0 = reshape (1:numel (R), size (R));
%!        options = [options, {"Beta", -2, "C", cast(C0, class (A))}];
%!        R = R - 2 * C0;
%!      endif
%!      try
%!        C = gpumm (A, c{1}, options{:});
%!      catch err
%!        if (! strcmp (err.identifier, "gpumm:unsupported"))
%!          rethrow (err);
%!        endif
%!        return;
%!      end_try_catch
%!      ran++;
%!      assert (isequal (double (full (C)), R), ...
%!              "%dx%d %s, second operand %d, alpha %s%s: wrong", rows (A), columns (A), ...
%!              typeinfo (A), c{4}, num2str (alpha), ...
%!              sprintf (", %s", options(2:2:4){:}, varargin{2:2:end}));
%!    endfor
%!  endfor
%!endfunction

## what was wrong once
%!test
%! A = [1, 2i; 3, 4];
%! assert (gpumm (A, A', "TransposeA", "transpose", "TransposeB", "transpose"), ...
%!         sums (A.', conj (A)));
%! assert (gpumm (A, A.', "TransposeA", "ctranspose", "TransposeB", "ctranspose"), ...
%!         sums (A', conj (A)));

## as chosen by "auto", at all sizes
%!test
%! rand ("twister", 61);
%! ran = 0;
%! for type = "sdcz"
%!   for s = [1, 1; 2, 2; 2, 3; 3, 2; 1, 4; 4, 1]'
%!     A = whole_numbers (s(1), s(2), type);
%!     ran += every_cell (A, [1, -2, 2 - 1i]);
%!   endfor
%!   for s = [16, 16; 31, 33; 33, 31; 70, 70]'
%!     A = whole_numbers (s(1), s(2), type);
%!     ran += every_cell (A, [1, 2 - 1i](randi (2)));
%!   endfor
%! endfor
%! assert (ran > 3000, "%d cells", ran);

## every algorithm, and every kernel at one size, on the CPU and, where there is one, on the GPU
%!test
%! rand ("twister", 62);
%! info = gpumm_info ();
%! for backend = {"cpu", "gpu"}(1:1 + gpumm_available ("gpu"))
%!   for name = unique ([info.algorithms(:); {info.kernels.name}(:)])'
%!     ran = struct ("s", 0, "d", 0, "c", 0, "z", 0);
%!     sizes = [2, 2; 3, 5; 17, 17]';
%!     if (! any (strcmp (name{1}, info.algorithms)))
%!       sizes = [5, 5]';
%!     endif
%!     for type = "sdcz"
%!       for s = sizes
%!         A = whole_numbers (s(1), s(2), type);
%!         alpha = 1;
%!         if (any (type == "cz"))
%!           alpha = [1, 2 - 1i](randi (2));
%!         endif
%!         ran.(type) += every_cell (A, alpha, "Algorithm", name{1}, "Backend", backend{1});
%!       endfor
%!     endfor
%!     ## a kernel runs all cells of the types in its row
%!     for k = info.kernels(strcmp ({info.kernels.name}, name{1}))'
%!       for type = k.types
%!         only_gpu = strcmp (backend{1}, "cpu") && gpumm_available ("gpu") && ran.(type) == 0; # listed with the others there
%!         assert (only_gpu || ran.(type) >= 63, "%s ran %d", k.name, ran.(type));
%!       endfor
%!     endfor
%!     if (any (strcmp (name{1}, {"blas", "loops"})) && strcmp (backend{1}, "cpu"))
%!       assert (ran.z >= 150, "%s ran %d", name{1}, ran.z);
%!     endif
%!   endfor
%! endfor

## in tiles, more of them than the device has room for
%!test
%! rand ("twister", 63);
%! for c = {65, 65, "z", 1e5; 60, 70, "z", 6e4; 65, 65, "d", 4e4}'
%!   A = whole_numbers (c{1:3});
%!   ran = every_cell (A, 1, "Algorithm", "tiled_32", "MaxDeviceMemory", c{4});
%!   assert (ran > 20, "%d cells", ran);
%! endfor

## sparse by sparse, by every way; the pattern is that of A, so that transposes meet different
## columns
%!test
%! rand ("twister", 64);
%! runs = zeros (1, 4);
%! ways = {"auto", "sparse", "spgemm", "sparse_as_dense"};
%! for type = "dz"
%!   for s = [1, 1; 2, 2; 3, 5; 17, 17; 33, 20]'
%!     A = sparse (whole_numbers (s(1), s(2), type) .* (rand (s(1), s(2)) < 0.4));
%!     for way = 1:4
%!       alpha = [1, 2 - 1i](randi (1 + (type == "z")));
%!       runs(way) += every_cell (A, alpha, "Algorithm", ways{way});
%!     endfor
%!   endfor
%! endfor
%! assert (all (runs > 200), "%s", mat2str (runs));

## sparse by full and full by sparse of one matrix; logical ones
%!test
%! rand ("twister", 65);
%! for way = {"auto", "sparse", "spmm"}
%!   for type = "dzb"
%!     for n = [2, 9]
%!       A = whole_numbers (n, n, type) .* (rand (n) < 0.5);
%!       if (type == "b")
%!         A = A != 0;
%!       endif
%!       for c = cells (A, 1:4).'
%!         [B, R] = c{[1, 3]};
%!         options = [c{2}, {"Algorithm", way{1}}];
%!         assert (full (gpumm (sparse (A), B, options{:})), R);
%!         assert (full (gpumm (A, sparse (B), options{:})), R);
%!         if (type == "b" && ! strcmp (way{1}, "spmm"))
%!           assert (full (gpumm (sparse (A), sparse (B), options{:})), R);
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor

## blocks: by blocks, to blocks and to a full matrix, and by a full matrix
%!test
%! rand ("twister", 66);
%! ran = 0;
%! ways = {"auto", "blocks", "bsr"; "auto", "blocks", "spmm"};
%! for type = "sdcz"
%!   for s = [4, 4; 12, 12; 8, 12](1 + (any (type == "sd")):end - (any (type == "sc")), :)'
%!     A = whole_numbers (s(1), s(2), type) .* kron (rand (s' / 4) < 0.7, ones (4));
%!     S = blocksparse (A, [4, 4]);
%!     for c = cells (A, 1:5).'
%!       [B, options, R] = c{1:3};
%!       T = S;
%!       if (c{4} > 1)
%!         T = blocksparse (B, [4, 4]);
%!       endif
%!       ran++;
%!       assert (double (gpumm (S, T, options{:}, "Output", "full")), R);
%!       way = ways(:, mod (ran, 3) + 1);
%!       assert (double (full (gpumm (S, T, options{:}, "Algorithm", way{1}))), R);
%!       assert (double (gpumm (S, B, options{:}, "Algorithm", way{2})), R);
%!       assert (double (gpumm (A, T, options{:}, "Algorithm", way{2})), R);
%!     endfor
%!   endfor
%! endfor
%! assert (ran > 150, "%d products", ran);

## integers, full and by blocks, to their own class and to double
%!test
%! rand ("twister", 67);
%! for type = {"int8", "uint16", "int32", "uint64"}
%!   for s = [1, 1; 2, 2; 4, 8; 12, 12]'
%!     A = cast (randi ([0, 3], s'), type{1});
%!     for c = cells (A, [1, 3, 5]).'
%!       [B, options, R] = c{1:3};
%!       assert (gpumm (A, B, options{:}), cast (R, type{1}));
%!       assert (gpumm (A, B, options{:}, "OutputClass", "double"), R);
%!       if (all (mod (s, 4) == 0))
%!         S = T = blocksparse (A, 4);
%!         if (c{4} > 1)
%!           T = blocksparse (B, 4);
%!         endif
%!         assert (full (gpumm (S, T, options{:})), cast (R, type{1}));
%!       endif
%!     endfor
%!   endfor
%! endfor
