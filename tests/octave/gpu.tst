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
%!   S = blocksparse (A, [3, 4]);
%!   T = blocksparse (B, [4, 2]);
%!   [C, info] = gpumm (S, T, "Backend", "gpu", "OutputClass", classes{end + 1 - i});
%!   assert (info.algorithm, "blocks_integer");
%!   assert (full (C), gpumm (A, B, "OutputClass", classes{end + 1 - i}));
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
%!testif ; gpumm_available ("gpu") && strcmp (nthargout (2, @gpumm, blocksparse (1, 1), blocksparse (1, 1), "Backend", "gpu").backend, "gpu")
%! ops = {"none", "transpose", "ctranspose"};
%! sizes = [1, 2, 3, 4, 5, 8, 9, 13, 16, 23, 32, 64];
%! for i = 1:24
%!   b = sizes(mod (i, numel (sizes)) + 1);
%!   c = sizes(randi (numel (sizes)));
%!   precision = {"double", "single"}{mod(i, 2) + 1};
%!   A = feval (precision, randn (9 * b, 7 * c) .* kron (rand (9, 7) < 0.5, ones (b, c)));
%!   B = feval (precision, randn (7 * c, 6 * b) .* kron (rand (7, 6) < 0.5, ones (c, b)));
%!   if (mod (i, 3) == 0)
%!     A = complex (A, A(end:-1:1,end:-1:1) .* (A != 0));
%!   endif
%!   bound = 4 * columns (A) * eps (precision) * max ((abs (A) * abs (B))(:)) + realmin;
%!   which = randi (3);
%!   a = ops{which};
%!   S = blocksparse ({A, A.', A'}{which}, {[b, c], [c, b], [c, b]}{which});
%!   T = blocksparse (B, [c, b]);
%!   [C, info] = gpumm (S, T, "TransposeA", a, "Backend", "gpu");
%!   assert (info.backend, "gpu");
%!   assert (info.algorithm, "bsr");
%!   D = gpumm (S, T, "TransposeA", a, "Backend", "cpu");
%!   assert (nnzb (C), nnzb (D));
%!   assert (full (C), full (D), bound);
%!   assert (full (C), A * B, bound);
%!   [C, info] = gpumm (S, full (B), "TransposeA", a, "Backend", "gpu");
%!   assert (info.algorithm, "spmm");
%!   assert (C, A * B, bound);
%!   [C, info] = gpumm (full (A), T.', "TransposeB", "transpose", "Backend", "gpu");
%!   assert (info.backend, "gpu");
%!   assert (C, A * B, bound);
%! endfor
