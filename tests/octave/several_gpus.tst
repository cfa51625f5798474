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

## The product, spread however short it is and whatever the links of this host are.
%!function [C, info] = spread (varargin)
%!  unwind_protect
%!    __gpumm_fault__ ("spread", 1);
%!    [C, info] = gpumm (varargin{:});
%!  unwind_protect_cleanup
%!    __gpumm_fault__ ("spread", 0);
%!  end_unwind_protect
%!endfunction

## The product on GPU 0 and on GPUs 0 and 1, with the same bits. It must have been spread; or, with `how`
## "whole", must not, because it cannot be split; or may have been ("maybe").
%!function info = compare (how, A, B, varargin)
%!  C = gpumm (A, B, "Device", 0, varargin{:});
%!  [D, info] = spread (A, B, "Device", [0, 1], varargin{:});
%!  what = sprintf ("%s %dx%d by %s %dx%d %s: %s", class (A), size (A), class (B), size (B), ...
%!                  strjoin (varargin(cellfun (@ischar, varargin))), info.reason);
%!  assert (isequal (C, D), what);
%!  count = numel (info.devices);
%!  assert (strcmp (how, "maybe") || count == 2 * strcmp (how, "spread"), what);
%!  if (count == 2)
%!    assert (sum ([info.devices.flops]), info.flops);
%!    assert (sort ([info.devices.index]), [0, 1]);
%!  endif
%!endfunction

%!testif ; numel (gpumm_info ().devices) > 1 # every class and op
%! rand ("twister", 24);
%! for type = {"double", "single", "complex", "single complex"}
%!   A = whole (5000, 2500, type{1}); # two panels
%!   B = whole (2500, 3500, type{1});
%!   D = whole (3500, 2500, type{1});
%!   compare ("spread", A, B);
%!   compare ("spread", A, D, "TransposeB", "ctranspose");
%!   compare ("spread", B, D, "TransposeA", "transpose", "TransposeB", "transpose");
%!   compare ("spread", A, A, "TransposeA", "ctranspose");
%!   compare ("spread", A, B, "Alpha", 2, "Beta", -1, "C", whole (5000, 3500, type{1}));
%!   compare ("spread", A, B(:,1:2), "Backend", "gpu");
%!   compare ("whole", A, B(:,1), "Backend", "gpu");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # mixed classes
%! rand ("twister", 25);
%! A = whole (2000, 2000, "double");
%! compare ("maybe", A, whole (2000, 2000, "single"));
%! compare ("maybe", A, whole (2000, 2000, "complex"));
%! compare ("maybe", A > 0, A);

%!testif ; numel (gpumm_info ().devices) > 1 # every algorithm
%! rand ("twister", 26);
%! A = whole (4096, 3072, "double");
%! B = whole (3072, 4608, "double");
%! for name = {"naive", "tiled", "register", "cublas", "strassen", "emulated"}
%!   compare ("spread", A, B, "Algorithm", name{1}, "Backend", "gpu");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # numbers that round: the same bits, or within the bound
%! rand ("twister", 27);
%! n = 8192;
%! A = rand (n) - 0.5;
%! B = rand (n) - 0.5;
%! bound = 2 * n * eps / 2 * max (sum (abs (A), 2)) * max (abs (B(:)));
%! for name = {"tiled", "register", "cublas", "auto"}
%!   C = gpumm (A, B, "Device", 0, "Algorithm", name{1});
%!   [D, info] = spread (A, B, "Device", 0:1, "Algorithm", name{1});
%!   assert (numel (info.devices), 2);
%!   assert (info.bytes.up, sizeof (A) + sizeof (B)); # each byte once in all
%!   assert (isequal (C, D) || ! any (strcmp (name{1}, {"tiled", "register"})));
%!   assert (max (abs (C - D)(:)) <= bound);
%! endfor
%! x = rand (n, 1);
%! assert (norm (D * x - A * (B * x), Inf) <= n * bound);

%!testif ; numel (gpumm_info ().devices) > 1 # out of core on each
%! rand ("twister", 28);
%! A = whole (6000, 5000, "double");
%! B = whole (5000, 7000, "double");
%! for bytes = [1e8, 2e8, 4e8]
%!   compare ("spread", A, B, "MaxDeviceMemory", bytes);
%!   compare ("spread", B, A, "MaxDeviceMemory", bytes, "TransposeA", "transpose", "TransposeB", "transpose");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # as many as are faster here
%! for type = {"double", "single", "complex", "single complex"}
%!   A = whole (6000, 5000, type{1});
%!   B = whole (5000, 8192, type{1});
%!   for algorithm = {"cublas", "register"}
%!     options = {"Backend", "gpu", "Algorithm", algorithm{1}};
%!     [D, info] = gpumm (A, B, options{:}, "Device", "all");
%!     assert (isequal (gpumm (A, B, options{:}), D));
%!     is_one = ! isempty (strfind (info.reason, "; one device")); # several are no faster here
%!     assert (isempty (info.devices) == is_one, "%s", info.reason);
%!     assert (info.bytes.up <= sizeof (A) + sizeof (B)); # each byte once
%!   endfor
%! endfor
%! A = rand (100, 4000);
%! B = rand (4000, 100000); # several are faster, but not on a busy host
%! [C, info] = gpumm (A, B, "Backend", "gpu", "Device", "all");
%! is_slower = ! isempty (strfind (info.reason, "; one device, as it takes"));
%! assert ((numel (info.devices) > 1) != is_slower, "%s", info.reason);
%! assert (isequal (C, gpumm (A, B, "Backend", "gpu")));

%!testif ; numel (gpumm_info ().devices) > 1 # sparse matrices and blocks run on one
%! rand ("twister", 29);
%! n = 10000;
%! S = sparse (randi (n, 60 * n, 1), repmat ((1:n)', 60, 1), randi ([-4, 4], 60 * n, 1), n, n);
%! F = whole (n, 256, "double");
%! I = randi (1000, 20000, 1);
%! [~, at] = unique ([I, repmat((1:1000)', 20, 1)], "rows");
%! J = repmat ((1:1000)', 20, 1);
%! X = blocksparse (I(at), J(at), randi ([-4, 4], 9, 9, numel (at)), 9000, 9000);
%! Y = blocksparse (I(at), J(at), cast (randi ([0, 100], 4, 4, numel (at)), "uint16"), 4000, 4000);
%! for pair = {S, S; S, F; F', S; X, X; X, F(1:9000,:); Y, Y}'
%!   compare ("whole", pair{:}, "Backend", "gpu");
%! endfor

%!testif ; numel (gpumm_info ().devices) > 1 # what the environment allows; one GPU unless told
%! A = rand (1000);
%! gone = with_variable ("GPUMM_DEVICES", "");
%! for list = {"all", "0,1", "1", "0"}
%!   setenv ("GPUMM_DEVICES", list{1});
%!   [~, info] = spread (A, A, "Backend", "gpu");
%!   assert (numel (info.devices), 2 * any (strcmp (list{1}, {"all", "0,1"})), info.reason);
%! endfor
%! unsetenv ("GPUMM_DEVICES");
%! [~, info] = spread (A, A, "Backend", "gpu");
%! assert (isempty (info.devices));
%! assert (info.device.index, 0);

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
%!   assert (isequal (gather (A + gpuArray (a)), 2 * a)); # on two GPUs
%!   big = gpuArray (rand (6000));
%!   [~, info] = spread (big, big, "Device", "all"); # resident operands stay
%!   assert (isempty (info.devices));
%! unwind_protect_cleanup
%!   gpuDevice (1);
%! end_unwind_protect
