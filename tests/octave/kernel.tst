## kernel.tst - what gpumm_kernel counts is what one works out by hand.
## SPDX-License-Identifier: BSD-3-Clause

%!shared n, A, B
%! rand ("twister", 91);
%! n = 64;
%! A = rand (n) - 0.5;
%! B = rand (n) - 0.5;

## Compares the fields of a trace, by their names, with what they must be.
%!function check (t, varargin)
%!  for i = 1:2:numel (varargin)
%!    found = t;
%!    for name = strsplit (varargin{i}, ".")
%!      found = found.(name{1});
%!    endfor
%!    if (! isequaln (found, varargin{i+1}))
%!      error ("%s: %s is %s and not %s", t.kernel, varargin{i}, disp (found), ...
%!             disp (varargin{i+1}));
%!    endif
%!  endfor
%!endfunction

## each kernel, each class, edges and transposes: the product is right
%!test
%! families = algorithms_for (A, B);
%! families = families(ismember (families, [{"loops"}, {gpumm_info().kernels.algorithm}]));
%! ops = {"none", "transpose", "ctranspose"};
%! apply = {@(X) X, @(X) X.', @(X) X'};
%! for name = [families, {"tiled_10", "tiled_32_unpadded"}]
%!   for type = {"double", "single", "complex", "single complex"}
%!     for i = 1:3
%!       X = apply{i} (make_operand (type{1}, 33, 21));
%!       Y = apply{4-i} (make_operand (type{1}, 21, 17));
%!       R = apply{i} (X) * apply{4-i} (Y);
%!       C = gpumm_kernel (name{1}, X, Y, "TransposeA", ops{i}, "TransposeB", ops{4-i});
%!       assert (class (C), class (R));
%!       assert (C, R, 100 * eps (class (R)) * norm (R, 1));
%!     endfor
%!   endfor
%! endfor
%! for row = {"tiled", ones(3, 0), ones(0, 2); "naive", 1:3, (1:3)'; ...
%!            "naive", single([1, 2]), [1i; 2]
%!            "naive", [true, false], [2; 3]; "naive", eye(2), [2; 3]}.'
%!   C = gpumm_kernel (row{:});
%!   R = row{2} * row{3};
%!   assert (isequal (C, R) && strcmp (class (C), class (R)));
%! endfor

## naive: a b x c block of C reads 2 n b c numbers, all blocks 2 n^3
%!test
%! [C, t] = gpumm_kernel ("naive", A, B, "Backend", "cpu");
%! assert (C, A * B, 1e-12);
%! b = t.tile(1) * t.tile(2);
%! check (t, "per_block.load.total.elements", 2 * n * b, "load.A.elements", n ^ 3, ...
%!        "load.B.elements", n ^ 3, ...
%!        "load.total.elements", 2 * n ^ 3, "load.C.elements", 0, "store.C.elements", n ^ 2, ...
%!        "store.total", t.store.C, "flops.done", 2 * n ^ 3, "flops.needed", 2 * n ^ 3, ...
%!        "barriers", 0, "shared.load.elements", 0, "blocks", prod (t.grid), "launches", 1);
%! assert (prod (t.threads), b);

## tiled: a b x b block reads 2 n b, all blocks 2 n^3 / b; two barriers a step; shared memory reads
## what naive reads from global
%!test
%! for b = [8, 16, 32]
%!   [C, t] = gpumm_kernel ("tiled", A, B, "Tile", b, "Backend", "cpu");
%!   assert (C, A * B, 1e-12);
%!   loads = 2 * n ^ 3 / b;
%!   check (t, "kernel", sprintf ("tiled_%d", b), "per_block.load.total.elements", 2 * n * b, ...
%!          "load.total.elements", loads, "load.A", t.load.B, "shared.load.elements", 2 * n ^ 3, ...
%!          "load.total.sectors", loads / 4, "shared.store.elements", loads, ... # 4 doubles each
%!          "per_block.barriers", 2 * n / b, "grid", [n, n] / b, "threads", [b, b], ...
%!          "shared_bytes", 2 * 8 * b * (b + 1), "per_block.flops", 2 * n * b ^ 2, ...
%!          "bytes", 8 * (loads + n ^ 2), "intensity", t.flops.done / t.bytes);
%! endfor

## register: thread_m + thread_n reads from shared memory for thread_m thread_n multiply-adds
%!test
%! for tile = {[32, 32, 4], [64, 64, 8]}
%!   [C, t] = gpumm_kernel ("register", A, B, "Tile", tile{1}, "Backend", "cpu");
%!   assert (C, A * B, 1e-12);
%!   check (t, "load.total.elements", 2 * n ^ 3 / tile{1}(1), "shared.load.conflicts", 0, ...
%!          "shared.store.conflicts", 0, ...
%!          "shared.load.elements", n ^ 3 * sum (t.thread) / prod (t.thread));
%!   [~, u] = gpumm_kernel ("register", A, B, "Thread", t.thread, "Backend", "cpu");
%!   check (u, "kernel", t.kernel);
%! endfor

## coalesced and strided: 32 doubles side by side are 8 sectors, a column apart 32, one for all 1
%!test
%! [~, t] = gpumm_kernel ("naive", A, B, "Backend", "cpu");
%! [C, turned] = gpumm_kernel ("naive", A', B, "TransposeA", "transpose", "Backend", "cpu");
%! [~, narrow] = gpumm_kernel ("naive", single (A), single (B), "Backend", "cpu");
%! per_request = @(load) load.sectors / load.requests;
%! assert (cellfun (per_request, {t.load.A, t.load.B, turned.load.A, narrow.load.A}), ...
%!         [8, 1, 32, 4]);
%! assert (C, A * B, 1e-12);
%! ## tiled turns the tile on its way instead
%! [~, t] = gpumm_kernel ("tiled", A, B, "Tile", 32, "Backend", "cpu");
%! [~, u] = gpumm_kernel ("tiled", A', B, "Tile", 32, "TransposeA", "transpose", "Backend", "cpu");
%! check (u, "load", t.load);

## bank conflicts: B goes into the tile by columns; in single, 32 words apart is one bank for all
%!test
%! X = single (A);
%! Y = single (B);
%! [~, padded] = gpumm_kernel ("tiled_32", X, Y, "Backend", "cpu");
%! [C, unpadded] = gpumm_kernel ("tiled_32_unpadded", X, Y, "Backend", "cpu");
%! assert (C, X * Y, 1e-4);
%! requests = unpadded.load.B.requests;
%! check (padded, "shared.store.conflicts", 0, "shared.load.conflicts", 0);
%! check (unpadded, "shared.store.conflicts", 31 * requests, "load", padded.load, ...
%!        "shared_bytes", 2 * 4 * 32 * 32, ...
%!        "shared.store.passes", 33 * requests); # 32 for B, 1 for A

## odd sizes: 33 x 33 by tiles of 32 fills four blocks of 64 x 64, and loads only what is there
%!test
%! A33 = A(1:33,1:33);
%! [C, t] = gpumm_kernel ("tiled", A33, A33, "Tile", 32, "Backend", "cpu");
%! assert (C, A33 * A33, 1e-12);
%! check (t, "grid", [2, 2], "blocks", 4, "flops.needed", 2 * 33 ^ 3, "flops.done", 2 * 64 ^ 3, ...
%!        "load.A.elements", 2 * 33 ^ 2, "load.total.elements", 4 * 33 ^ 2, "store.C.elements", ...
%!        33 ^ 2);
%! [~, t] = gpumm_kernel ("tiled", A33, A33, "Tile", 8, "Backend", "cpu");
%! check (t, "flops.done", 2 * 40 ^ 3);

## complex: 8 operations; strassen: 7 of 8 products and some sums, with temporaries
%!test
%! [~, t] = gpumm_kernel ("naive", complex (A(1:8,:)), complex (B(:,1:8)), "Backend", "cpu");
%! check (t, "flops", struct ("needed", 8 * 64 * n, "done", 8 * 64 * n));
%! [C, t] = gpumm_kernel ("strassen", A, B, "Depth", 1, "Backend", "cpu");
%! assert (C, A * B, 1e-11);
%! assert (t.flops.done > 7 / 8 * t.flops.needed && t.flops.done < t.flops.needed);
%! assert (t.launches > 7 && t.store.temporaries.elements > 0);
%! parts = [t.store.A, t.store.B, t.store.C, t.store.temporaries];
%! check (t, "store.total.elements", sum ([parts.elements]));

## a grid chooses the row that makes it
%!test
%! [~, t] = gpumm_kernel ("tiled", A(:,1:20), B(1:20,1:33), "Grid", [4, 3], "Backend", "cpu");
%! check (t, "kernel", "tiled_16", "grid", [4, 3], "blocks", 12);

## what there is not is said, with what there is
%!error <^gpumm_kernel: tiled has no Tile 12; write 8, 10, 16, 20 or 32$> ...
%! gpumm_kernel ("tiled", ones (33), ones (33), "Tile", 12)
%!error <^gpumm_kernel: tiled has no Grid \[1, 2\]; write \[5, 5\], .* or \[2, 2\] for a C of 33x33$> ...
%! gpumm_kernel ("tiled", ones (33), ones (33), "Grid", [1, 2])
%!test # the deepest row of strassen is a GPU's
%! there = {"1, 2 or 3", "1, 2, 3 or 4"}{1 + gpumm_available("gpu")};
%! [~, said] = error_of (@gpumm_kernel, "strassen", ones (8), ones (8), "Depth", 9);
%! assert (said, ["gpumm_kernel: strassen has no Depth 9; write " there]);
%!error <^gpumm_kernel: register has no Tile 5; write \[32, 32, 4\] or \[64, 64, 8\]$> ...
%! gpumm_kernel ("register", ones (8), ones (8), "Tile", 5)
%!error <^gpumm_kernel: naive has no Thread 4; write 1$> gpumm_kernel ("naive", 1, 1, "Thread", 4)
%!error <^gpumm_kernel: strassen has no Tile$> gpumm_kernel ("strassen", 1, 1, "Tile", 8)
%!error <^gpumm_kernel: tiled has no Depth$> gpumm_kernel ("tiled", 1, 1, "Depth", 1)
%!error <has no row with these Tile and Thread; write \(\[32, 32, 4\], \[4, 2\]\) or \(\[64, .*\)$> ...
%! gpumm_kernel ("register", 1, 1, "Tile", 32, "Thread", [8, 4])
%!error <^gpumm_kernel: A is 2x2x2 and B is 2x2; .*pagemtimes \(A, B\) multiplies each page$> ...
%! gpumm_kernel ("tiled", ones (2, 2, 2), ones (2))
%!error <^gpumm_kernel: device 99 does not exist> gpumm_kernel ("naive", 1, 1, "Device", 99)
%!error <gather \(X\) of a gpuArray> gpumm_kernel ("tiled", gpuArray (1), 1)
%!error <KERNEL must be one of loops, naive, .*strassen, .*classic, or the name of> gpumm_kernel ("summa", 1, 1)

## limits of counting
%!test
%! big = ones (257, 256);
%! C = gpumm_kernel ("register", big, big', "Backend", "cpu"); # nothing is counted
%! assert (C, big * big');
%! [C, t] = gpumm_kernel ("register", big, big', "Backend", "cpu", "Count", false);
%! assert (C, big * big');
%! check (t, "load.total.elements", NaN, "flops.done", NaN, "barriers", NaN, "blocks", ...
%!        prod (t.grid));
%! assert (t.seconds > 0);
%!error <"Count", false>
%! [C, t] = gpumm_kernel ("register", ones (257, 256), ones (256, 257), "Backend", "cpu");
%!error id=gpumm:too-large
%! [C, t] = gpumm_kernel ("register", ones (257, 256), ones (256, 257), "Backend", "cpu");
%!error id=gpumm:too-large
%! [C, t] = gpumm_kernel ("naive", ones (1, 8193), ones (8193, 1), "Backend", "cpu");

## loops: no kernel of the table, so nothing is counted
%!test
%! [C, t] = gpumm_kernel ("loops", A, B);
%! assert (C, A * B, 1e-12);
%! check (t, "kernel", "loops", "flops.needed", 2 * n ^ 3, "flops.done", NaN, "launches", 0, ...
%!        "backend", "cpu");
%! assert (isnan (t.tile(1)));

## counting stops, and counts afresh
%!test
%! [~, t] = gpumm_kernel ("naive", A, B, "Backend", "cpu");
%! C = gpumm_kernel ("naive", A, B, "Backend", "cpu");
%! [~, u] = gpumm_kernel ("naive", A, B, "Backend", "cpu");
%! assert (rmfield (u, "seconds"), rmfield (t, "seconds"));

%!testif ; gpumm_available ("gpu")
%! for name = {"naive", "tiled", "register"}
%!   [C, t] = gpumm_kernel (name{1}, A, B, "Backend", "gpu");
%!   assert (C, A * B, 1e-12);
%!   assert (t.backend, "gpu");
%!   assert (t.occupancy > 0 && t.occupancy <= 1);
%!   assert (t.registers > 0 && t.seconds > 0);
%!   assert (t.flops.done, 2 * n ^ 3);
%!   [~, u] = gpumm_kernel (t.kernel, A, B, "Backend", "cpu");
%!   assert (t.load, u.load);
%!   assert (t.blocks, u.blocks);
%! endfor
%!testif ; ! gpumm_available ("gpu")
%! assert (error_of (@gpumm_kernel, "naive", 1, 1, "Backend", "gpu"), "gpumm:no-device");

## classic: each pair of blocks that meet reads b^3 numbers of A and as many of B for 2 b^3 operations;
## merge and search differ in how they find the pairs. Faults are in faults.tst.
%!shared P, Q
%! P = logical ([1 0 0 1 0; 0 0 1 0 1; 1 1 0 0 0; 0 0 0 0 0]);
%! Q = logical ([1 0 1; 0 0 1; 0 1 0; 1 0 0; 1 1 0]);
%!test
%! pairs = sum ((double (P) * double (Q))(:));
%! for b = [4, 8]
%!   S = blocksparse (uint16 (kron (P, magic (b))), b);
%!   T = blocksparse (uint16 (kron (Q, 60000 + magic (b))), b);
%!   R = gpumm (S, T, "OutputClass", "uint32", "Backend", "cpu", "Algorithm", "blocks");
%!   reads = pairs * b ^ 3;
%!   for name = {"classic", "Classic_Search", "classic_one"}
%!     [C, t] = gpumm_kernel (name{1}, S, T, "Backend", "cpu");
%!     assert (isequal (C, R));
%!     assert (underlyingType (C), "uint32");
%!     check (t, "kernel", lower (name{1}), "algorithm", "classic", "precision", "uint16", ...
%!            "load.A.elements", reads, ...
%!            "load.B.elements", reads, "store.A.elements", 0, "store.C.elements", ...
%!            nnzb (R) * b ^ 2, ...
%!            "flops.needed", 2 * reads, "flops.done", 2 * reads, "tile", [b, b, b], "thread", ...
%!            [1, 1], "threads", [b, b], "grid", [4, 3], "per_block.flops", 2 * reads / 12);
%!     assert (t.load.total.elements > 2 * reads); # and where the blocks lie
%!     assert (t.launches > 1 && t.seconds > 0);
%!     launches.(lower (name{1})) = t.launches;
%!   endfor
%!   assert (launches.classic_one - launches.classic_search, 12 - 1); # a block of C each
%! endfor
%! [C, t] = gpumm_kernel ("classic", S, S', "Backend", "cpu", "Count", false);
%! assert (isequal (C, gpumm (S, S', "OutputClass", "uint32", "Backend", "cpu")));
%! assert (isnan (t.load.A.elements));
%!test # one matrix as both operands is counted as two, and no block as none
%! S = blocksparse (uint16 (magic (8)), 8);
%! [C, t] = gpumm_kernel ("classic", S, S, "Backend", "cpu");
%! assert (full (C), uint32 (magic (8) * magic (8)));
%! assert ([t.load.A.elements, t.load.B.elements], [512, 512]);
%! [C, t] = gpumm_kernel ("classic", S, blocksparse (8, 16, 8, "uint16"), "Backend", "cpu");
%! assert ({size(C), nnzb(C), t.flops.done, t.load.total.elements}, {[8, 16], 0, 0, 0});
%!function check_unsupported (varargin)
%!  [id, text] = error_of (@gpumm_kernel, "classic", varargin{:});
%!  assert (id, "gpumm:unsupported");
%!  assert (! isempty (strfind (text, "4x4 or both of 8x8, not transposed")));
%!endfunction
%!test
%! S = blocksparse (uint16 (magic (8)), 4);
%! check_unsupported (S, uint16 (magic (8)));
%! check_unsupported (S, blocksparse (magic (8), 4));
%! check_unsupported (S, blocksparse (uint16 (magic (8)), 8));
%! check_unsupported (blocksparse (uint16 (magic (8)), 2), blocksparse (uint16 (magic (8)), 2));
%! check_unsupported (S, S, "TransposeB", "transpose");
%!error <are the blocks of A and B>
%! S = blocksparse (uint16 (magic (8)), 4);
%! gpumm_kernel ("classic", S, S, "Grid", [2, 2]);
%!error <only classic multiplies blocksparse>
%! S = blocksparse (uint16 (magic (8)), 4);
%! gpumm_kernel ("naive", S, S);
%!error id=gpumm:too-large
%! S = blocksparse (320, 320, 8, "uint16");
%! [C, t] = gpumm_kernel ("classic", S, S, "Backend", "cpu");
%!testif ; gpumm_available ("gpu")
%! S = blocksparse (uint16 (kron (P(:,1:4), magic (8))), 8);
%! [C, t] = gpumm_kernel ("classic", S, S, "Backend", "gpu");
%! [R, u] = gpumm_kernel ("classic", S, S, "Backend", "cpu");
%! assert (isequal (C, R));
%! assert ({t.backend, t.load, t.flops, t.launches}, {"gpu", u.load, u.flops, u.launches});
%! assert (t.seconds > 0);

## without outputs, what is counted is printed as a table of about ten lines
%!test
%! A = ones (64);
%! said = evalc ("gpumm_kernel (\"tiled\", A, A, \"Tile\", 16, \"Backend\", \"cpu\")");
%! assert (isempty (strfind (said, "ans")));
%! assert (numel (strfind (said, "\n")) <= 14);
%! assert (! isempty (regexp (said, '^tiled_16 on the CPU, for study: C is 64 x 64, k = 64, double\n')));
%! assert (! isempty (regexp (said, 'load A +16384 +\d+ +\d+\n')));  # 2 n^3 / b, half of it A's
%! assert (! isempty (strfind (said, "524288 needed, 524288 done")));
%! [~, t] = gpumm_kernel ("tiled", A, A, "Tile", 16, "Backend", "cpu");
%! assert (t.load.A.elements, 64 ^ 3 / 16);
%!test # too large to be counted, and what is not counted
%! A = ones (300);
%! said = evalc ("gpumm_kernel (\"register\", A, A, \"Backend\", \"cpu\")");
%! assert (! isempty (strfind (said, "54000000 needed; what the kernel did is not counted")));
%! said = evalc ("gpumm_kernel (\"loops\", 2, 3)");
%! assert (! isempty (strfind (said, "loops on the CPU: C is 1 x 1")));
%! said = evalc ("gpumm_kernel (\"naive\", zeros (3, 0), zeros (0, 3), \"Backend\", \"cpu\")");
%! assert (! isempty (strfind (said, "0 needed, 0 done")));
%! S = blocksparse (uint16 (magic (8)), 4);
%! said = evalc ("gpumm_kernel (\"classic\", S, S, \"Backend\", \"cpu\")");
%! assert (isempty (strfind (said, "NaN")));
%!error id=gpumm:too-large gpumm_kernel ("naive", ones (300), ones (300), "Count", true, "Backend", "cpu")
