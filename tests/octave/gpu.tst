## gpu.tst - what needs a GPU; skipped, and counted as skipped, where there is none.
## SPDX-License-Identifier: BSD-3-Clause

## Products by each kernel are in products.tst; several GPUs in several_gpus.tst.

%!testif ; gpumm_available ("gpu")
%! A = rand (600, 700); # which no narrower type holds
%! B = rand (700, 800);
%! [C, info] = gpumm (A, B, "Backend", "gpu");
%! assert (C, A * B, 700 * eps * 200);
%! assert (info.backend, "gpu");
%! assert (info.device.index >= 0);
%! assert (info.device.name, gpumm_info ().devices(info.device.index + 1).name);
%! assert (info.bytes.up, 8 * (600 * 700 + 700 * 800));
%! assert (info.bytes.down, 8 * 600 * 800);
%! s = info.seconds;
%! assert (s.upload > 0 && s.compute > 0 && s.download > 0);

%!testif ; gpumm_available ("gpu")
%! d = gpumm_info ().devices;
%! for i = 1:numel (d)
%!   assert (d(i).capability >= 5);
%!   assert (d(i).memory_free > 0 && d(i).memory_free <= d(i).memory_total);
%!   C = gpumm (magic (50), magic (50), "Backend", "gpu", "Device", i - 1);
%!   assert (C, magic (50) * magic (50));
%! endfor

## large products are the GPU's by "auto", small ones the CPU's
%!testif ; gpumm_available ("gpu")
%! [~, info] = gpumm (ones (10), ones (10));
%! assert (info.backend, "cpu");
%! assert (isempty (strfind (info.reason, "no GPU")));

## integers sparse by blocks: every class, few blocks and many, elements small and large
%!testif ; gpumm_available ("gpu")
%! classes = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
%! for i = 1:numel (classes)
%!   top = double (intmax (classes{i}));
%!   A = feval (classes{i}, top * (rand (30, 40) - 0.3) .* kron (rand (10, 10) < 0.5, ones (3, 4)));
%!   B = feval (classes{i}, 9 * rand (40, 20) .* kron (rand (10, 10) < 0.5, ones (4, 2)));
%!   [~, info] = check_product (blocksparse (A, [3, 4]), blocksparse (B, [4, 2]), ...
%!                              "Backend", "gpu", "OutputClass", classes{end + 1 - i});
%!   assert (info.algorithm, "bsr_integer");
%! endfor

%!testif ; gpumm_available ("gpu")
%! for m = [4, 8]
%!   for density = [0.02, 0.6]
%!     for top = [100, 5000, 65535]
%!       A = uint16 (top * rand (1600)) .* uint16 (kron (rand (1600 / m) < density, ones (m)));
%!       B = uint16 (top * rand (1600)) .* uint16 (kron (rand (1600 / m) < density, ones (m)));
%!       S = blocksparse (A, m);
%!       T = blocksparse (B, m);
%!       [C, info] = gpumm (S, T, "Backend", "gpu", "OutputClass", "uint32");
%!       [D, slow] = gpumm (S, T, "Backend", "cpu", "OutputClass", "uint32");
%!       assert (isequal (C, D));
%!       assert (info.backend, "gpu");
%!       assert (slow.backend, "cpu");
%!     endfor
%!   endfor
%! endfor

## floating point sparse by blocks: elements, ops, sizes of blocks; against the CPU and full matrices
%!testif ; gpumm_available ("gpu")
%! sizes = [1, 2, 3, 4, 5, 8, 9, 13, 16, 23, 32, 64];
%! for i = 1:24
%!   b = sizes(mod (i, numel (sizes)) + 1);
%!   c = sizes(randi (numel (sizes)));
%!   precision = {"double", "single"}{mod(i, 2) + 1};
%!   A = feval (precision, randn (9 * b, 7 * c) .* kron (rand (9, 7) < 0.5, ones (b, c)));
%!   B = feval (precision, randn (7 * c, 6 * b) .* kron (rand (7, 6) < 0.5, ones (c, b)));
%!   if (mod (floor (i / 2), 3) == 0)
%!     A = complex (A, A(end:-1:1,end:-1:1) .* (A != 0));
%!   endif
%!   X = {A, A.', A'}{1 + mod(i, 3)};
%!   a = {"TransposeA", {"none", "transpose", "ctranspose"}{1 + mod(i, 3)}};
%!   S = blocksparse (X, {[b, c], [c, b], [c, b]}{1 + mod(i, 3)});
%!   T = blocksparse (B, [c, b]);
%!   for row = {S, T, a, "bsr"; S, B, a, "spmm"; A, T.', {"TransposeB", "transpose"}, "spmm"}.'
%!     [~, info] = check_product (row{1:2}, row{3}{:}, "Backend", "gpu");
%!     assert ({info.backend, info.algorithm}, {"gpu", row{4}});
%!   endfor
%! endfor
