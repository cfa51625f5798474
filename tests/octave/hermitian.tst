## hermitian.tst - a matrix times its own transpose: symmetric or Hermitian bit by bit, with a real diagonal,
## on every path: each pair of transposes and conjugates, type, algorithm, kernel and format, in one launch,
## in tiles, by pages, on several devices, and as a gpuArray.
##
## The elements are random numbers of many magnitudes, so that another order of a sum rounds otherwise.
## Whether the products are right is the matter of other tests.
## SPDX-License-Identifier: BSD-3-Clause

%!shared seed
%! setenv ("GPUMM_HOST_DEVICES", "4"); # before its first use
%! seed = from_environment ("GPUMM_SEED", floor (1e6 * rand ()));
%! printf ("hermitian.tst: seed %d\n", seed);
%! rand ("twister", seed);
%! randn ("twister", seed);

%!function A = random_matrix (m, n, type)
%!  A = randn (m, n) .* 2 .^ randi ([-8, 8], m, n);
%!  if (any (type == "cz"))
%!    A = complex (A, randn (m, n) .* 2 .^ randi ([-8, 8], m, n));
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

## a quarter of the blocks of 4 x 4 is missing
%!function S = random_blocks (m, n, type)
%!  S = blocksparse (random_matrix (m, n, type) .* kron (rand ([m, n] / 4) < 0.75, ones (4)), [4, 4]);
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

%!function check (bad, ran, least)
%!  assert (isempty (bad), "%d of %d cells do not mirror:\n%s", numel (bad), ran, strjoin (bad(1:min (end, 20)), "\n"));
%!  assert (ran >= least, "only %d cells ran", ran);
%!endfunction

## Products by gpumm of A, a matrix of any format or a gpuArray: of one variable with its ops, and of two with the
## elements of the transpose; scaled, and with C0 added where A is full. Returns the cells that do not mirror,
## and how many ran: none where the algorithm does not take such operands.
%!function [bad, ran] = by_gpumm (A, what, varargin)
%!  bad = {};
%!  ran = 0;
%!  products = {A, A.', {}, false, "A, A.'"; A, A', {}, true, "A, A'"; A.', A, {}, false, "A.', A";
%!              A', A, {}, true, "A', A"; conj(A), A.', {}, true, "conj (A), A.'";
%!              A.', conj(A), {}, true, "A.', conj (A)"};
%!  for p = pairs ()'
%!    products(end+1,:) = {A, A, {"TransposeA", p{1}, "TransposeB", p{2}}, p{3}, [p{1}, ", ", p{2}]};
%!  endfor
%!  factors = 3 - issparse (A); # without factors, with Alpha, with C
%!  if (is_blocks (A) || isa (A, "gpuArray"))
%!    factors = 1;
%!  endif
%!  for p = products'
%!    options = [p{3}, varargin];
%!    for with = 1:factors
%!      if (with == 2)
%!        options = [options, {"Alpha", -0.3}];
%!      elseif (with == 3)
%!        options = [options, {"Beta", 0.7, "C", C}]; # which mirrors
%!      endif
%!      try
%!        C = gpumm (p{1}, p{2}, options{:});
%!      catch err
%!        if (! any (strcmp (err.identifier, {"gpumm:unsupported", "gpumm:gpuArray:gather"})))
%!          rethrow (err);
%!        endif
%!        break;
%!      end_try_catch
%!      ran++;
%!      if (! mirrors (C, p{4}))
%!        bad{end+1} = sprintf ("%s %dx%d: gpumm (%s), %s, with %d", what, size (A), p{5}, ...
%!                              strjoin (cellfun (@(x) disp (x)(1:end-1), varargin, "uniformoutput", false), " "), with);
%!      endif
%!    endfor
%!  endfor
%!endfunction

%!function is = is_blocks (A)
%!  is = isa (gather (A), "blocksparse");
%!endfunction

## The same by operators.
%!function [bad, ran] = by_operators (A, what)
%!  bad = {};
%!  T = A.';
%!  H = A';
%!  cells = {"A*A'", A*A', true; "A'*A", A'*A, true; "A*A.'", A*A.', false; "A.'*A", A.'*A, false;
%!           "conj (A)*A.'", conj(A)*A.', true; "A.'*conj (A)", A.'*conj(A), true;
%!           "A*H", A*H, true; "H*A", H*A, true; "A*T", A*T, false; "T*A", T*A, false;
%!           "T*T'", T*T', true; "H.'*H'.'", H.'*H.'', true};
%!  if (! is_blocks (A) && ! issparse (A)) # parts of others are computed anew
%!    cells(end+1,:) = {"A(:,2:end)*A(:,2:end)'", A(:,2:end)*A(:,2:end)', true};
%!    cells(end+1,:) = {"A(:,1:end-1)'*A(:,1:end-1)", A(:,1:end-1)'*A(:,1:end-1), true};
%!  endif
%!  ran = rows (cells);
%!  for c = cells'
%!    if (! mirrors (c{2}, c{3}))
%!      bad{end+1} = sprintf ("%s %dx%d: %s", what, size (A), c{1});
%!    endif
%!  endfor
%!endfunction

## full matrices by each algorithm and kernel, on the CPU and the GPU; a vector by itself is one number
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
%! info = gpumm_info ();
%! bad = {};
%! ran = 0;
%! for backend = {"cpu", "gpu"}(1:1 + gpumm_available ("gpu"))
%!   for name = [{"auto"}, unique([info.algorithms(:); {info.kernels.name}(:)])']
%!     sizes = {[1, 7], [7, 1], [2, 3], [33, 20]};
%!     if (! any (strcmp (name{1}, [{"auto"}, info.algorithms(:)'])))
%!       sizes = sizes(4);
%!     endif
%!     for type = "sdcz"
%!       for s = sizes
%!         [b, r] = by_gpumm (random_matrix (s{1}(1), s{1}(2), type), type, "Algorithm", name{1}, ...
%!                            "Backend", backend{1});
%!         bad = [bad, b];
%!         ran += r;
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! check (bad, ran, 3000);

## as chosen by "auto", also where a GPU is taken for its speed
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
%! bad = {};
%! ran = 0;
%! for type = "sdcz"
%!   for s = {[200, 300], [600, 40], [3000, 64](1:2 * gpumm_available ("gpu"))}
%!     if (! isempty (s{1}))
%!       [b, r] = by_gpumm (random_matrix (s{1}(1), s{1}(2), type), type, "Backend", "auto");
%!       bad = [bad, b];
%!       ran += r;
%!     endif
%!   endfor
%! endfor
%! check (bad, ran, 200);

## in tiles, and on several devices
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
%! bad = {};
%! ran = 0;
%! for type = "sdcz"
%!   for options = {{"MaxDeviceMemory", 6e4}, {"Device", 0:3}}
%!     A = random_matrix (70, 60, type);
%!     [b, r] = by_gpumm (A, type, "Algorithm", "tiled_32", "Backend", "cpu", options{1}{:});
%!     bad = [bad, b];
%!     ran += r;
%!   endfor
%! endfor
%! for type = "dz" # so large that tiles are cut for the transfers
%!   [b, r] = by_gpumm (random_matrix (1301, 7, type), type, "Algorithm", "register", "Backend", "cpu");
%!   bad = [bad, b];
%!   ran += r;
%! endfor
%! if (gpumm_available ("gpu"))
%!   for algorithm = {"cublas", "register", "emulated"}
%!     for type = "sdcz"
%!       [b, r] = by_gpumm (random_matrix (2100, 70, type), type, "Algorithm", algorithm{1}, "Backend", "gpu", ...
%!                          "MaxDeviceMemory", 40e6);
%!       bad = [bad, b];
%!       ran += r;
%!     endfor
%!   endfor
%! endif
%! check (bad, ran, 200);

## sparse matrices; the last one consists of full blocks of 3 x 3
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
%! bad = {};
%! ran = 0;
%! for way = {"auto", "sparse", "spgemm", "sparse_as_dense"}
%!   for type = "dz"
%!     scattered = random_matrix (60, 80, type) .* (rand (60, 80) < 0.3);
%!     natural = random_matrix (90, 60, type) .* kron (rand (30, 20) < 0.2, ones (3));
%!     for A = {random_matrix(1, 7, type), random_matrix(7, 1, type), scattered, natural}
%!       [b, r] = by_gpumm (sparse (A{1}), ["sparse ", type], "Algorithm", way{1});
%!       bad = [bad, b];
%!       ran += r;
%!     endfor
%!   endfor
%! endfor
%! check (bad, ran, 400);

## matrices in blocks
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
%! bad = {};
%! ran = 0;
%! for out = {"blocksparse", "full", "sparse"}
%!   for way = {"auto", "blocks", "bsr"}
%!     for type = "sdcz"(1 + strcmp (out{1}, "sparse"):2 + strcmp (out{1}, "sparse"):end)
%!       for s = {[4, 12], [12, 4], [40, 60]}
%!         [b, r] = by_gpumm (random_blocks (s{1}(1), s{1}(2), type), ["blocks ", type], "Algorithm", way{1}, ...
%!                            "Output", out{1});
%!         bad = [bad, b];
%!         ran += r;
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! check (bad, ran, 200);

## of two mirrored blocks of which one cancels, none is stored
%!testif ; ! strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") # else the same again
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
%!   arrays = {};
%!   for s = {[1, 7], [7, 1], [2, 3], [33, 20], [500, 7]}
%!     arrays{end+1} = random_matrix (s{1}(1), s{1}(2), type);
%!     if (any (type == "dz"))
%!       arrays{end+1} = sparse (arrays{end} .* (rand (s{1}) < 0.4));
%!     endif
%!   endfor
%!   for s = {[4, 12], [12, 4], [40, 60]}
%!     arrays{end+1} = random_blocks (s{1}(1), s{1}(2), type);
%!   endfor
%!   if (gpumm_available ("gpu"))
%!     arrays{end+1} = random_matrix (2100, 300, type);
%!   endif
%!   for A = arrays
%!     [b, r] = by_operators (gpuArray (A{1}), [class(A{1}), " gpuArray ", type]);
%!     [c, q] = by_gpumm (gpuArray (A{1}), [class(A{1}), " gpuArray ", type]);
%!     bad = [bad, b, c];
%!     ran += r + q;
%!   endfor
%! endfor
%! check (bad, ran, 800);

%!test
%! A = random_matrix (30, 20, "z");
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
%! ran = 0;
%! for type = "sdcz"
%!   for s = {[1, 7, 5], [7, 1, 5], [2, 3, 4], [33, 20, 3], [70, 80, 1, 2]}
%!     A = reshape (random_matrix (s{1}(1), prod (s{1}(2:end)), type), s{1});
%!     for p = pairs ()'
%!       for X = {A, gpuArray(A)}
%!         for Y = {X{1}, X{1}(:,:,1)}
%!           C = pagemtimes (X{1}, p{1}, Y{1}, p{2});
%!           if (numel (Y{1}) < numel (A))
%!             C = C(:,:,1);
%!           endif
%!           ran++;
%!           if (! mirrors (C, p{3}))
%!             bad{end+1} = sprintf ("%s %s, pages %s: %s, %s", class (X{1}), type, mat2str (s{1}), p{1}, p{2});
%!           endif
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! check (bad, ran, 320);
