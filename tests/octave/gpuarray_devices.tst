## gpuarray_devices.tst - gpuArrays on two devices: the host device pretends to be two GPUs.
## SPDX-License-Identifier: BSD-3-Clause

%!shared A, B, C, D, a, b, c, d
%! setenv ("GPUMM_HOST_DEVICES", "2"); # before their first use
%! setenv ("GPUMM_GPUARRAY", "host-device");
%! a = magic (5); b = rand (5) + 1i; c = int16 (magic (5)); d = rand (5) > 0.5;
%! A = gpuArray (a);
%! C = gpuArray (c);
%! __gpuarray__ ("select", 1);
%! B = gpuArray (b);
%! D = gpuArray (d);

%!function k = on (X)
%!  k = -2 - __gpuarray__ ("device", X); # HOST_DEVICE - k
%!endfunction

%!test # new arrays go where the last selection said
%! assert ([on(A), on(B), on(C), on(D)], [0, 1, 0, 1]);
%! assert (on (gpuArray (1)), 1);
%! assert (on (gpuArray.ones (3)), 1);

%!test # operands meet where the first one is
%! for op = {@plus, @minus, @times, @rdivide, @eq, @lt, @max, @atan2}
%!   if (! strcmp (func2str (op{1}), "atan2"))
%!     X = op{1} (A, D);
%!     assert (gather (X), op{1} (a, double (d)));
%!     assert (on (X), 0);
%!     X = op{1} (D, A);
%!     assert (gather (X), op{1} (double (d), a));
%!     assert (on (X), 1);
%!   endif
%! endfor

%!test # transposes, pending operations and products
%! assert (gather (A * B), a * b, 1e-13);
%! assert (gather (B * A), b * a, 1e-13);
%! assert (gather (A' * B'), a' * b', 1e-13);
%! assert (gather (B' + A), b' + a, 1e-15);
%! assert (gather (A + B.'), a + b.', 1e-15);
%! assert (gather ((A + 1) .* (B - 2)'), (a + 1) .* (b - 2)', 1e-13);
%! assert (gather (C + int16 (1)), c + int16 (1));
%! assert ([on(A * B), on(B * A)], [0, 1]);

%!test # gpumm, with C elsewhere
%! assert (gather (gpumm (A, B, "C", B, "TransposeA", "transpose")), a' * b + b, 1e-13);
%! assert (gather (gpumm (B, A, "C", A, "Beta", 2)), b * a + 2 * a, 1e-13);

%!test # concatenation, parts, and assignment to parts
%! assert (gather ([A, B; B, A]), [a, b; b, a]);
%! X = A;
%! X(2:3,:) = D(1:2,:);
%! x = a;
%! x(2:3,:) = d(1:2,:);
%! assert (gather (X), x);
%! assert (on (X), 0);
%! I = gpuArray ([4, 1, 3]); # on the other device
%! assert (gather (A(I,:)), a([4, 1, 3],:));
%! assert (gather (A(D)), a(d));
%! X = A;
%! X(D) = 7;
%! x = a;
%! x(d) = 7;
%! assert (gather (X), x);

%!test # pages, and what is computed by several arrays
%! P = gpuArray (rand (3, 3, 4));
%! assert (gather (pagemtimes (A(1:3,1:3), P)), pagemtimes (a(1:3,1:3), gather (P)), 1e-13);
%! assert (gather (dot (A, D + 0)), dot (a, d + 0));
%! assert (isequal (A, gpuArray (a)));
%! assert (isequal (D, d));

%!test # empty arrays
%! E = gpuArray (zeros (0, 5));
%! assert (gather ([A; E]), a);
%! assert (gather (E * A), zeros (0, 5));

%!test # device 0 again
%! __gpuarray__ ("select", 0);
%! assert (on (gpuArray (1)), 0);
%! assert (gather (gpuArray (3) * B), 3 * b);
