## hermitian.tst - a matrix times its own transpose: symmetric or Hermitian bit by bit, with a real
## diagonal, whatever the path: every pair of transposes and conjugates, type, algorithm and format, in
## one launch, in tiles, by pages, on several devices, and as a gpuArray.
##
## The elements are random numbers of many magnitudes, so that each order of sums rounds differently.
## SPDX-License-Identifier: BSD-3-Clause

%!shared bad
%! bad = {};

%!function A = random_matrix (m, n, type)
%!  A = randn (m, n) .* 2 .^ randi ([-8, 8], m, n);
%!  if (any (type == "cz"))
%!    A = complex (A, randn (m, n) .* 2 .^ randi ([-8, 8], m, n));
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

## Is each page of C its own transpose, or conjugate transpose?
%!function is = mirrors (C, conjugates)
%!  is = true;
%!  C = full (C);
%!  for i = 1:prod (size (C)(3:end))
%!    P = C(:,:,i);
%!    if (conjugates)
%!      is = is && isequal (P, P') && all (imag (diag (P)) == 0);
%!    else
%!      is = is && isequal (P, P.');
%!    endif
%!  endfor
%!endfunction

%!function verdict (bad)
%!  b = regexprep (bad, ' \d+x\d+ ', ' ');
%!  [u, ~, j] = unique (b);
%!  for i = 1:numel (u)
%!    printf ("%s: %d\n", strrep (u{i}, "\n", ""), sum (j == i));
%!  endfor
%!  assert (isempty (bad));
%!endfunction

## The pairs of op (A) and op (B) by which A times itself mirrors.
%!function p = pairs ()
%!  p = {"none", "transpose", false; "none", "ctranspose", true;
%!       "transpose", "none", false; "ctranspose", "none", true};
%!endfunction

## Products of A, a full, sparse or block matrix, or a gpuArray of one, by gpumm: one variable with its ops, and
## matrices of their own. Returns the cells that do not mirror, and counts those that ran.
%!function [bad, ran] = by_gpumm (A, what, varargin)
%!  bad = {};
%!  ran = 0;
%!  copies = {A, A.', false; A, A', true; A.', A, false; A', A, true; conj(A), A.', true; A.', conj(A), true};
%!  products = {};
%!  for p = pairs ()'
%!    products(end+1,:) = {A, A, {"TransposeA", p{1}, "TransposeB", p{2}}, p{3}, [p{1}, ", ", p{2}]};
%!  endfor
%!  for i = 1:rows (copies)
%!    products(end+1,:) = {copies{i,1:2}, {}, copies{i,3}, sprintf("copies %d", i)};
%!  endfor
%!  for p = products'
%!    options = [p{3}, varargin];
%!    for with = 1:3
%!      if (with == 2)
%!        options = [options, {"Alpha", -0.3}];
%!      elseif (with == 3)
%!        if (! isfloat (A) || issparse (A) || isa (A, "blocksparse"))
%!          continue;
%!        endif
%!        n = sqrt (numel (C));
%!        C0 = random_matrix (n, n, "sdcz"(1 + ! isa (A, "single") + 2 * iscomplex (A)));
%!        if (p{4})
%!          C0 = C0 + C0';
%!        else
%!          C0 = C0 + C0.';
%!        endif
%!        options = [options, {"Beta", 0.7, "C", C0}];
%!      endif
%!      try
%!        C = gather (gpumm (p{1}, p{2}, options{:}));
%!      catch err
%!        if (! any (strcmp (err.identifier, {"gpumm:unsupported", "gpumm:gpuArray:gather"})))
%!          rethrow (err);
%!        endif
%!        break;
%!      end_try_catch
%!      ran++;
%!      if (! mirrors (C, p{4}))
%!        bad{end+1} = sprintf ("%s %dx%d %s %s, %d", what, size (A), p{5}, strjoin (cellfun (@disp, varargin, "uniformoutput", false), " "), with);
%!      endif
%!    endfor
%!  endfor
%!endfunction

## The same by operators, as they are written.
%!function [bad, ran] = by_operators (A, what)
%!  bad = {};
%!  T = A.';
%!  H = A';
%!  cells = {"A*A'", A*A', true; "A'*A", A'*A, true; "A*A.'", A*A.', false; "A.'*A", A.'*A, false; ...
%!           "conj (A)*A.'", conj(A)*A.', true; "A.'*conj (A)", A.'*conj(A), true; ...
%!           "A*H", A*H, true; "H*A", H*A, true; "A*T", A*T, false; "T*A", T*A, false; ...
%!           "T*T'", T*T', true; "H.'*H'.'", H.'*H.'', true; "A(:,2:end)", A(:,2:end)*A(:,2:end)', true};
%!  ran = rows (cells);
%!  for c = cells'
%!    if (! mirrors (gather (c{2}), c{3}))
%!      bad{end+1} = sprintf ("%s %dx%d %s", what, size (A), c{1});
%!    endif
%!  endfor
%!endfunction

## full matrices, each algorithm and kernel
%!test
%! randn ("twister", 71);
%! info = gpumm_info ();
%! bad = {};
%! for backend = {"cpu", "gpu"}(1:1 + gpumm_available ("gpu"))
%!   for name = [{"auto"}, unique([info.algorithms(:); {info.kernels.name}(:)])']
%!     for type = "sdcz"
%!       for s = {[1, 7], [7, 1], [2, 3], [33, 20], [20, 33]}
%!         [b, ran] = by_gpumm (random_matrix (s{1}(1), s{1}(2), type), ["full ", type], ...
%!                              "Algorithm", name{1}, "Backend", backend{1});
%!         bad = [bad, b];
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! verdict (bad);

## sparse
%!test
%! bad = {};
%! for way = {"auto", "sparse", "spgemm", "sparse_as_dense"}
%!   for type = "dz"
%!     for s = {[1, 7], [7, 1], [2, 3], [33, 20], [60, 80]}
%!       A = sparse (random_matrix (s{1}(1), s{1}(2), type) .* (rand (s{1}) < 0.4));
%!       bad = [bad, by_gpumm(A, ["sparse ", type], "Algorithm", way{1})];
%!     endfor
%!   endfor
%! endfor
%! verdict (bad);

## blocks
%!test
%! bad = {};
%! for out = {"blocksparse", "full", "sparse"}
%! for way = {"auto", "blocks", "bsr", "spmm"}
%!   for type = "sdcz"
%!     for s = {[4, 12], [12, 4], [8, 12], [40, 60]}
%!       A = blocksparse (random_matrix (s{1}(1), s{1}(2), type) .* kron (rand (s{1} / 4) < 0.5, ones (4)), [4, 4]);
%!       if (strcmp (out{1}, "sparse") && any (type == "sc")) continue; endif
%!       bad = [bad, by_gpumm(A, ["blocks ", type], "Algorithm", way{1}, "Output", out{1})];
%!     endfor
%!   endfor
%! endfor
%! endfor
%! verdict (bad);

## gpuArrays
%!test
%! bad = {};
%!   for type = "sdcz"
%!     for s = {[1, 7], [7, 1], [2, 3], [33, 20], [20, 33], [500, 7]}
%!       A = random_matrix (s{1}(1), s{1}(2), type);
%!       bad = [bad, by_operators(gpuArray (A), ["op full ", type]), by_gpumm(gpuArray(A), ["gpumm full ", type])];
%!       if (any (type == "dz"))
%!         S = sparse (A .* (rand (s{1}) < 0.4));
%!         bad = [bad, by_operators(gpuArray (S), ["op sparse ", type]), by_gpumm(gpuArray(S), ["gpumm sparse ", type])];
%!       endif
%!     endfor
%!   endfor
%!   for type = "sdcz"
%!     for s = {[4, 12], [12, 4], [8, 12], [40, 60]}
%!       A = blocksparse (random_matrix (s{1}(1), s{1}(2), type) .* kron (rand (s{1} / 4) < 0.5, ones (4)), [4, 4]);
%!       bad = [bad, by_operators(gpuArray (A), ["op blocks ", type]), by_gpumm(gpuArray(A), ["gpumm blocks ", type])];
%!     endfor
%!   endfor
%! verdict (bad);

## pages
%!test
%! bad = {};
%!   for type = "sdcz"
%!     for s = {[1, 7, 5], [7, 1, 5], [2, 3, 4], [33, 20, 3], [20, 33, 2]}
%!       A = reshape (random_matrix (s{1}(1), s{1}(2)*s{1}(3), type), s{1});
%!       for p = pairs ()'
%!         for g = 1:2
%!           X = A; if (g == 2) X = gpuArray (A); endif
%!           if (! mirrors (gather (pagemtimes (X, p{1}, X, p{2})), p{3}))
%!             bad{end+1} = sprintf ("pages %s %d %s %s", type, g, p{1}, p{2});
%!           endif
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! verdict (bad);
