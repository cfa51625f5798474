## several_gpus.tst - products on two real GPUs, compared bit for bit with one GPU; skipped where there are
## fewer. devices.tst has the same on made-up devices. Elements are small whole numbers unless the test says
## otherwise, so that every order of sums gives the same bits.
## SPDX-License-Identifier: BSD-3-Clause

%!function X = whole (rows, cols, type)
%!  X = round (8 * rand (rows, cols) - 4);
%!  if (any (strcmp (type, {"complex", "single complex"})))
%!    X = complex (X, round (8 * rand (rows, cols) - 4));
%!  endif
%!  if (strncmp (type, "single", 6))
%!    X = single (X);
%!  endif
%!endfunction

## The product on GPU 0 and on GPUs 0 and 1, with the same bits; wanted: it must have been spread.
%!function info = compare (A, B, wanted, varargin)
%!  C = gpumm (A, B, "Device", 0, varargin{:});
%!  [D, info] = gpumm (A, B, "Device", [0, 1], varargin{:});
%!  what = sprintf ("%s %dx%d by %s %dx%d %s: %s", class (A), size (A), class (B), size (B), ...
%!                  disp (varargin), info.reason);
%!  assert (isequal (C, D), what);
%!  assert (! wanted || numel (info.devices) == 2, what);
%!  if (numel (info.devices) == 2)
%!    assert (sum ([info.devices.flops]), info.flops);
%!    assert (sort ([info.devices.index]), [0, 1]);
%!  endif
%!endfunction

%!testif ; numel (gpumm_info ().devices) > 1 # every class and op
%! rand ("twister", 24);
%! for type = {"double", "single", "complex", "single complex"}
%!   A = whole (5000, 4500, type{1});
%!   B = whole (4500, 5500, type{1});
%!   compare (A, B, true);
%!   compare (A, A, true, "TransposeB", "ctranspose");
%!   compare (B, B, true, "TransposeA", "transpose");
%!   compare (B, A, true, "TransposeA", "ctranspose", "TransposeB", "transpose");
%!   C = whole (5000, 5500, type{1});
%!   compare (A, B, true, "Alpha", 2, "Beta", -1, "C", C);
%! endfor
%! x = whole (5500, 1, "double");
%! A = real (double (A));
%! B = real (double (B));
%! assert (gpumm (A, B, "Device", "all") * x, A * (B * x));

%!testif ; numel (gpumm_info ().devices) > 1 # mixed classes, logical and integer ones
%! rand ("twister", 25);
%! A = whole (5000, 5000, "double");
%! compare (A, whole (5000, 5000, "single"), false);
%! compare (A, whole (5000, 5000, "complex"), false);
%! compare (A > 0, A, false);

%!testif ; numel (gpumm_info ().devices) > 1 # every algorithm
%! rand ("twister", 26);
%! A = whole (4096, 3072, "double");
%! B = whole (3072, 4608, "double");
%! for name = {"naive", "tiled", "register", "cublas", "strassen", "emulated"}
%!   compare (A, B, false, "Algorithm", name{1}, "Backend", "gpu");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # numbers that round: the same bits, or the bound
%! rand ("twister", 27);
%! A = rand (8192) - 0.5;
%! B = rand (8192) - 0.5;
%! [~, info] = gpumm (A, B, "Device", 0:1);
%! assert (info.bytes.up, sizeof (A) + sizeof (B)); # each byte once in all
%! for name = {"tiled", "register", "cublas", "auto"}
%!   C = gpumm (A, B, "Device", 0, "Algorithm", name{1});
%!   [D, info] = gpumm (A, B, "Device", 0:1, "Algorithm", name{1});
%!   printf ("%s: %d GPUs, %d of %d elements differ, by %g at most; %s\n", name{1}, ...
%!           numel (info.devices), nnz (C != D), numel (C), max (abs (C - D)(:)), info.reason);
%!   if (any (strcmp (name{1}, {"tiled", "register"})))
%!     assert (isequal (C, D));
%!   endif
%!   assert (max (abs (C - D)(:)) <= 2 * 8192 * eps / 2 * max (max (sum (abs (A), 2)) * max (abs (B(:)))));
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # out of core on each
%! rand ("twister", 28);
%! A = whole (6000, 5000, "double");
%! B = whole (5000, 7000, "double");
%! for bytes = [1e8, 2e8, 4e8]
%!   compare (A, B, false, "MaxDeviceMemory", bytes);
%!   compare (B, A, false, "MaxDeviceMemory", bytes, "TransposeA", "transpose", "TransposeB", "transpose");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # sparse matrices
%! rand ("twister", 29);
%! n = 40000;
%! S = sparse (randi (n, 60 * n, 1), repmat ((1:n)', 60, 1), randi ([-4, 4], 60 * n, 1), n, n);
%! T = sparse (randi (n, 40 * n, 1), repmat ((1:n)', 40, 1), randi ([-4, 4], 40 * n, 1), n, n);
%! compare (S, T, true, "Backend", "gpu");
%! compare (S, T, false, "TransposeA", "transpose", "Backend", "gpu");
%! compare (S, T * 1i, false, "Backend", "gpu");
%! F = whole (n, 512, "double");
%! compare (S, F, false, "Backend", "gpu");
%! compare (S, F, false, "TransposeA", "transpose", "Backend", "gpu");
%! G = whole (512, n, "double");
%! compare (G, S, false, "Backend", "gpu");
%! compare (G, S, false, "TransposeB", "transpose", "Backend", "gpu");
%! x = whole (n, 1, "double");
%! assert (gpumm (S, T, "Device", "all", "Backend", "gpu") * x, S * (T * x));

%!testif ; numel (gpumm_info ().devices) > 1 # blocks of floating-point numbers and of integers
%! for b = [4, 9, 23]
%!   n = round (60000 / b);
%!   I = randi (n, 20 * n, 1);
%!   J = repmat ((1:n)', 20, 1);
%!   [~, at] = unique ([I, J], "rows");
%!   X = blocksparse (I(at), J(at), randi ([-4, 4], b, b, numel (at)), n * b, n * b);
%!   compare (X, X, false, "Backend", "gpu");
%!   compare (X, X, false, "TransposeB", "transpose", "Backend", "gpu");
%!   F = whole (n * b, 128, "double");
%!   compare (X, F, false, "Backend", "gpu");
%! endfor
%! for type = {"uint16", "uint8", "uint32"}
%!   n = 4096;
%!   I = randi (n, 40 * n, 1);
%!   J = repmat ((1:n)', 40, 1);
%!   [~, at] = unique ([I, J], "rows");
%!   X = blocksparse (I(at), J(at), cast (randi ([0, 200], 4, 4, numel (at)), type{1}), n * 4, n * 4);
%!   compare (X, X, false, "Backend", "gpu");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # what the environment allows; one GPU unless told
%! A = rand (8192);
%! unwind_protect
%!   for list = {"all", "0,1", "1", "0"}
%!     setenv ("GPUMM_DEVICES", list{1});
%!     [~, info] = gpumm (A, A);
%!     assert (numel (info.devices), 2 * any (strcmp (list{1}, {"all", "0,1"})), info.reason);
%!   endfor
%!   unsetenv ("GPUMM_DEVICES");
%!   [~, info] = gpumm (A, A);
%!   assert (isempty (info.devices));
%!   assert (info.device.index, 0);
%! unwind_protect_cleanup
%!   unsetenv ("GPUMM_DEVICES");
%! end_unwind_protect

%!testif ; numel (gpumm_info ().devices) > 1 # gpuArrays: where they are, and what they do to host operands
%! unwind_protect
%!   gpuDevice (2);
%!   a = rand (700, 500);
%!   A = gpuArray (a);
%!   gpuDevice (1);
%!   b = rand (500, 600);
%!   B = gpuArray (b);
%!   assert (gather (A * B), a * b, 1e-10);
%!   assert (gather (B' * A'), b' * a', 1e-10);
%!   assert (gather (A * b), a * b, 1e-10);
%!   big = gpuArray (rand (6000));
%!   [~, info] = gpumm (big, big, "Device", "all"); # resident operands stay
%!   assert (isempty (info.devices));
%! unwind_protect_cleanup
%!   gpuDevice (1);
%! end_unwind_protect
