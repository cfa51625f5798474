## devices.tst - products on several devices: the host device pretends to be four.
## SPDX-License-Identifier: BSD-3-Clause

%!shared A, B, on
%! setenv ("GPUMM_HOST_DEVICES", "4"); # before its first use
%! unsetenv ("GPUMM_DEVICES");
%! A = round (8 * rand (60, 50) - 4);
%! B = round (8 * rand (50, 90) - 4);
%! on = @(list) {"Backend", "cpu", "Algorithm", "tiled", "Device", list};

## info tells the shares: all of C, of different devices
%!function check_shares (info, indices, flops)
%!  d = info.devices;
%!  assert (sort ([d.index]), indices);
%!  assert (sum ([d.flops]), flops);
%!  assert (sum (arrayfun (@(x) x.bytes.up, d)), info.bytes.up);
%!  assert (sum (arrayfun (@(x) x.bytes.down, d)), info.bytes.down);
%!  seconds = [d.seconds];
%!  assert (max ([seconds.compute]) <= info.seconds.compute); # which includes packing, if it is mixed
%!  assert (all ([seconds.total] > 0));
%!endfunction

%!test
%! for row = {1:3, 1:3; [3, 0], [0, 3]; (0:3).', 0:3; 0:1, 0:1; "all", 0:3}.'
%!   [C, info] = gpumm (A, B, on (row{1}){:});
%!   assert (C, A * B);
%!   check_shares (info, row{2}, 2 * 60 * 90 * 50);
%! endfor

## one device is not several
%!test
%! for device = {0, 3, int8(2), single(1)}
%!   [C, info] = gpumm (A, B, on (device{1}){:});
%!   assert (C, A * B);
%!   assert (size (info.devices), [0, 0]);
%!   assert (isfield (info.devices, {"index", "name", "seconds", "bytes", "flops"}), true (1, 5));
%! endfor

## nor is a product that the CPU's own code computes
%!test
%! [C, info] = gpumm (A, B, "Device", "all", "Backend", "cpu");
%! assert (C, A * B);
%! assert (isempty (info.devices));

%!test # every class, op and kind of operand
%! for row = {single(A), single(B), {}; B, A, {"TransposeA", "transpose", "TransposeB", ...
%!                                             "ctranspose"}
%!            A, B(:,1:2), {}; A, B(:,[]), {}; A(:,[]), B([],:), {}
%!            A, B, {"MaxDeviceMemory", 30000}}.'
%!   [~, info] = check_product (row{1:2}, on (0:3){:}, row{3}{:});
%!   count = numel (info.devices);
%!   assert (count == 4 || isempty (row{1}) || columns (row{2}) < 3, "%d devices", count);
%! endfor
%!error id=Octave:nonconformant-args gpumm (A, A, on (0:1){:})

%!test
%! D = round (8 * rand (90, 50) - 4) + 1i * round (8 * rand (90, 50) - 4);
%! [C, info] = gpumm (A, D, "TransposeB", "ctranspose", on (0:3){:});
%! assert (C, A * D');
%! check_shares (info, 0:3, 8 * 60 * 90 * 50); # A is made complex
%! [C, info] = gpumm (D, B, "Alpha", 2, "Beta", -1, "C", ones (90) * 1i, on (0:3){:});
%! assert (C, 2 * D * B - 1i * ones (90));
%! check_shares (info, 0:3, 4 * 90 * 90 * 50);

## sparse matrices and blocks take the first of the devices
%!test
%! S = sparse (A .* (rand (size (A)) < 0.2));
%! T = sparse (B .* (rand (size (B)) < 0.2));
%! X = blocksparse (round (9 * rand (40)), [4, 4]);
%! for call = {S, T, "spgemm"; S, B, "spmm"; A, T, "spmm"; X, X, "bsr"; X, ones(40, 30), "spmm"}'
%!   [C, info] = gpumm (call{1:2}, "Backend", "cpu", "Device", 1:3, "Algorithm", call{3});
%!   assert (full (C), full (call{1}) * full (call{2}));
%!   assert (isempty (info.devices));
%!   assert (! isempty (strfind (info.reason, "only products of full matrices are spread")));
%! endfor
%! C = gpumm (S, T, "Backend", "cpu", "Device", 0:3, "Algorithm", "sparse_as_full");
%! assert (C, S * T);

%!test # what the environment allows
%! gone = with_variable ("GPUMM_DEVICES", "");
%! for list = {"all", "0,1,2,3", "2", "3,1"}
%!   setenv ("GPUMM_DEVICES", list{1});
%!   [C, info] = gpumm (A, B, "Backend", "cpu", "Algorithm", "tiled");
%!   assert (C, A * B);
%!   count = [4, 4, 0, 2](strcmp (list{1}, {"all", "0,1,2,3", "2", "3,1"}));
%!   assert (numel (info.devices), count);
%!   [~, info] = gpumm (A, B, on (1){:});
%!   assert (isempty (info.devices));
%! endfor
%! for list = {"", "x", "0,0", "0;1", "-1", "4", "1,9"}
%!   setenv ("GPUMM_DEVICES", list{1});
%!   [id, text] = error_of (@gpumm, A, B, "Backend", "cpu", "Algorithm", "tiled");
%!   assert (id, "gpumm:invalid");
%!   assert (! isempty (strfind (text, "evice")));
%! endfor
