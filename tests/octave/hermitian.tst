## hermitian.tst - a matrix times its own transpose: symmetric or Hermitian bit by bit, with a real
## diagonal, on every path: each pair of transposes and conjugates, type, algorithm, kernel and
## format, in one launch, in tiles, by pages, on several devices, and as a gpuArray.
##
## The elements are random numbers of many magnitudes, so that another order of a sum rounds
## otherwise. Whether the products are right is the matter of other tests.
## SPDX-License-Identifier: BSD-3-Clause

%!shared seed, names, gpu, on_host
%! setenv ("GPUMM_HOST_DEVICES", "4"); # before its first use
%! seed = from_environment ("GPUMM_SEED", floor (1e6 * rand ()));
%! printf ("hermitian.tst: seed %d\n", seed);
%! rand ("twister", seed);
%! randn ("twister", seed);
%! names = [{"auto"}, gpumm_info().algorithms(:).'];
%! gpu = gpumm_available ("gpu");
%! on_host = ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device"); # else the same again

%!function A = random_matrix (s, type)
%!  A = randn (s) .* 2 .^ randi ([-8, 8], s);
%!  if (any (type == "cz"))
%!    A = complex (A, randn (s) .* 2 .^ randi ([-8, 8], s));
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function S = scattered (s, type)
%!  S = sparse (random_matrix (s, type) .* (rand (s) < 0.4));
%!endfunction

## full blocks of 3 x 3, though no blocksparse
%!function S = natural (s, type)
%!  S = sparse (random_matrix (s, type) .* kron (rand (s / 3) < 0.2, ones (3)));
%!endfunction

## a quarter of the blocks of 4 x 4 is missing
%!function S = in_blocks (s, type)
%!  S = blocksparse (random_matrix (s, type) .* kron (rand (s / 4) < 0.75, ones (4)), [4, 4]);
%!endfunction

## Is each page of C its own transpose, or conjugate transpose?
%!function is = mirrors (C, conjugates)
%!  is = true;
%!  C = full (gather (C));
%!  for i = 1:prod (size (C)(3:end))
%!    P = C(:,:,i);
%!    if (conjugates)
%!      is = is && isequal (P, P') && isreal (diag (P));
%!    else
%!      is = is && isequal (P, P.');
%!    endif
%!  endfor
%!endfunction

## The pairs of op (A) and op (B) by which A times itself is symmetric, or Hermitian.
%!function p = pairs ()
%!  p = {"none", "transpose", false; "none", "ctranspose", true;
%!       "transpose", "none", false; "ctranspose", "none", true};
%!endfunction

## gpumm of A, a matrix of any format or a gpuArray, and of elements of its own transpose: of one
## variable with its ops, and of two; scaled, and with C added where A is full. Which do not mirror,
## and how many ran: none where the algorithm does not take such operands.
%!function [bad, ran] = by_gpumm (A, varargin)
%!  bad = {};
%!  ran = 0;
%!  products = {A, A.', {}, false; A, A', {}, true; A.', A, {}, false; A', A, {}, true
%!              conj(A), A.', {}, true; A.', conj(A), {}, true};
%!  for p = pairs ()'
%!    products(end+1,:) = {A, A, {"TransposeA", p{1}, "TransposeB", p{2}}, p{3}};
%!  endfor
%!  factors = 3 - issparse (A); # without factors, with Alpha, with C
%!  if (isa (A, "blocksparse") || isa (A, "gpuArray"))
%!    factors = 1;
%!  endif
%!  for i = 1:rows (products)
%!    [X, Y, options, conjugates] = products{i,:};
%!    options = [options, varargin];
%!    for with = 1:factors
%!      if (with == 2)
%!        options = [options, {"Alpha", -0.3}];
%!      elseif (with == 3)
%!        options = [options, {"Beta", 0.7, "C", C}]; # which mirrors
%!      endif
%!      try
%!        C = gpumm (X, Y, options{:});
%!      catch err
%!        if (! any (strcmp (err.identifier, {"gpumm:unsupported", "gpumm:gpuArray:gather"})))
%!          rethrow (err);
%!        endif
%!        break;
%!      end_try_catch
%!      ran++;
%!      if (! mirrors (C, conjugates))
%!        bad{end+1} = sprintf ("gpumm, row %d, with %d", i, with);
%!      endif
%!    endfor
%!  endfor
%!endfunction

%!function [bad, ran] = by_operators (A)
%!  bad = {};
%!  T = A.';
%!  H = A';
%!  forms = {A*A', A'*A, conj(A)*A.', A.'*conj(A), A*H, H*A, T*T', H.'*H.'', A*A.', A.'*A, A*T, ...
%!           T*A};
%!  is_full = ! issparse (A) && ! isa (gather (A), "blocksparse");
%!  if (is_full) # parts of others are computed anew
%!    forms = [{A(:,2:end)*A(:,2:end)', A(:,1:end-1)'*A(:,1:end-1)}, forms];
%!  endif
%!  ran = numel (forms);
%!  for i = 1:ran
%!    if (! mirrors (forms{i}, i <= ran - 4))
%!      bad{end+1} = sprintf ("form %d of the operators", i);
%!    endif
%!  endfor
%!endfunction

## Each row: how A is made, types, sizes, the algorithms, further options; and how many cells run at
## least.
%!function walk (table, least)
%!  bad = {};
%!  ran = 0;
%!  for row = table.'
%!    [make, types, sizes, algorithms, options] = row{:};
%!    for type = types
%!      for s = sizes
%!        A = make (s{1}, type);
%!        for name = algorithms
%!          [b, r] = by_gpumm (A, "Algorithm", name{1}, options{:});
%!          what = sprintf ("%s %s %dx%d %s %s: ", func2str (make), type, s{1}, name{1}, ...
%!                          disp (options));
%!          bad = [bad, strcat({what}, b)];
%!          ran += r;
%!        endfor
%!      endfor
%!    endfor
%!  endfor
%!  fail_with (bad);
%!  assert (ran >= least, "only %d cells ran", ran);
%!endfunction

%!testif ; on_host # full matrices: one launch, tiles, several devices, a GPU for its speed
%! small = {[1, 7], [7, 1], [2, 3], [33, 20]};
%! kernels = unique ({gpumm_info().kernels.name});
%! full = @random_matrix;
%! cpu = {"Backend", "cpu"};
%! table = {full, "sdcz", small, names, cpu
%!          full, "sc", small(4), kernels(1:2:end), cpu
%!          full, "dz", small(4), kernels(2:2:end), cpu
%!          full, "sdcz", {[200, 300], [600, 40]}, {"auto"}, {}
%!          full, "sdcz", {[70, 60]}, {"tiled_32"}, {cpu{:}, "MaxDeviceMemory", 6e4}
%!          full, "sdcz", {[70, 60]}, {"tiled_32"}, {cpu{:}, "Device", 0:3}
%!          full, "dz", {[1301, 7]}, {"register"}, cpu}; # tiles are cut for the transfers
%! if (gpu)
%!   on_gpu = {"Backend", "gpu"};
%!   table = [table
%!            {full, "sdcz", small, names, on_gpu
%!             full, "sdcz", small(4), kernels, on_gpu
%!             full, "sdcz", {[3000, 64]}, {"auto"}, {}
%!             full, "sdcz", {[2100, 70]}, {"cublas", "register", "emulated"}, ...
%!             {on_gpu{:}, "MaxDeviceMemory", 40e6}}];
%! endif
%! walk (table, 3000);

%!testif ; on_host # sparse matrices, and matrices in blocks
%! ways = {"auto", "sparse", "spgemm", "sparse_as_full"};
%! by_blocks = {"auto", "blocks", "bsr"};
%! sizes = {[4, 12], [12, 4], [40, 60]};
%! walk ({@scattered, "dz", {[1, 7], [7, 1], [60, 80]}, ways, {}
%!        @natural, "dz", {[90, 60]}, ways, {}
%!        @in_blocks, "sdcz", sizes, by_blocks, {"Output", "blocksparse"}
%!        @in_blocks, "sc", sizes, by_blocks, {"Output", "full"}
%!        @in_blocks, "dz", sizes, by_blocks, {"Output", "sparse"}}, 600);
%! ## of two mirrored blocks of which one cancels, none is stored
%! A = complex ([1, 1], [2^-60, 1]);
%! for S = {blocksparse([A; A], 1), sparse([A; A])}
%!   C = gpumm (S{1}, S{1}, "TransposeB", "ctranspose");
%!   assert (full (C), full (C)');
%!   assert (nnz (C), 4);
%! endfor

## gpuArrays; and what they are for
%!test
%! bad = {};
%! ran = 0;
%! for type = "sdcz"
%!   for row = {@random_matrix, {[1, 7], [7, 1], [2, 3], [33, 20], [500, 7], ...
%!                               [2100, 300](:,1:2 * gpu)}
%!              @scattered, {[1, 7], [7, 1], [2, 3], [33, 20]}(:,1:4 * any (type == "dz"))
%!              @in_blocks, {[4, 12], [12, 4], [40, 60]}}.'
%!     for s = row{2}(! cellfun (@isempty, row{2}))
%!       G = gpuArray (row{1} (s{1}, type));
%!       [b, r] = by_operators (G);
%!       [c, q] = by_gpumm (G);
%!       bad = [bad, strcat({sprintf("%s %s %dx%d: ", func2str (row{1}), type, s{1})}, [b, c])];
%!       ran += r + q;
%!     endfor
%!   endfor
%! endfor
%! fail_with (bad);
%! assert (ran >= 700, "only %d cells ran", ran);
%! A = random_matrix ([30, 20], "z");
%! G = gpuArray (A);
%! assert (isreal (eig (gather (G * G'))));
%! [~, p] = chol (gather (G' * G));
%! assert (p, 0);
%! z = G(:,1);
%! assert (isreal (gather (z' * z)));
%! z = A(:,1);
%! assert (isreal (gpumm (z, z, "TransposeA", "ctranspose")) && isreal (gpumm (z', z)));
%! assert (size (zeros (2, ceil (gpumm (z', z) / 1e9))), [2, 1]);

## pages, all of one array, or all by one page
%!test
%! bad = {};
%! for type = "sdcz"
%!   for s = {[1, 7, 5], [7, 1, 5], [2, 3, 4], [33, 20, 3], [70, 80, 1, 2]}
%!     A = random_matrix (s{1}, type);
%!     for p = pairs ()'
%!       for X = {A, gpuArray(A)}
%!         for Y = {X{1}, X{1}(:,:,1)}
%!           C = pagemtimes (X{1}, p{1}, Y{1}, p{2});
%!           if (numel (Y{1}) < numel (A))
%!             C = C(:,:,1);
%!           endif
%!           if (! mirrors (C, p{3}))
%!             bad{end+1} = sprintf ("%s %s, pages %s: %s, %s", class (X{1}), type, ...
%!                                   mat2str (s{1}), p{1:2});
%!           endif
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! fail_with (bad);
