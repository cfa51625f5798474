## gpuarray_devices.tst - gpuArrays on two devices: two GPUs, or the host device that pretends to be two.
## SPDX-License-Identifier: BSD-3-Clause

%!shared A, B, C, D, a, b, c, d
%! setenv ("GPUMM_HOST_DEVICES", "2"); # before their first use
%! if (numel (gpumm_info ().devices) < 2)
%!   setenv ("GPUMM_GPUARRAY", "host-device");
%! endif
%! a = magic (5); b = rand (5) + 1i; c = int16 (magic (5)); d = rand (5) > 0.5;
%! A = gpuArray (a);
%! C = gpuArray (c);
%! __gpuarray__ ("select", 1);
%! B = gpuArray (b);
%! D = gpuArray (d);

%!function k = on (X)
%!  k = __gpuarray__ ("device", X);
%!  if (k < 0)
%!    k = -2 - k; # HOST_DEVICE - k
%!  endif
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

%!test # gpumm
%! assert (gather (gpumm (A, B, "TransposeA", "transpose")), a' * b, 1e-13);
%! assert (gather (gpumm (B, A)), b * a, 1e-13);

%!test # sparse matrices and matrices in blocks: products and concatenation
%! s = sparse (a .* (a > 9));
%! t = blocksparse (magic (4), 2);
%! __gpuarray__ ("select", 0);
%! S = gpuArray (s);
%! T = gpuArray (t);
%! __gpuarray__ ("select", 1);
%! U = gpuArray (2 * s);
%! V = gpuArray (2 * t);
%! for p = {{S, U, s}, {U, S, s}, {T, V, t}, {V, T, t}}
%!   [X, Y, z] = p{1}{:};
%!   assert (isequal (gather (X * Y), 2 * z * z));
%!   assert (isequal (gather (X' * Y), 2 * z' * z));
%!   assert (isequal (gather (Y - X + (X - Y)), 0 * z));
%!   assert (full (gather ([X, Y])), full ([gather(X), gather(Y)]));
%!   assert ([on(X * Y), on([X, Y]), on([X; Y])], on (X) * [1, 1, 1]);
%! endfor
%! assert (gather (T{1,2} + V(1:2,3:4)), 3 * t{1,2});

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

%!test # sparse matrices meet each other and full ones
%! s = sparse ([1, 0, 2; 0, 3, 0; 4, 5, 0]);
%! t = sparse ([0, 1, 2; 0, 3i, 1; 4, 0, 0]);
%! f = magic (3);
%! T = gpuArray (t);
%! F = gpuArray (f);
%! __gpuarray__ ("select", 0);
%! S = gpuArray (s);
%! __gpuarray__ ("select", 1);
%! for op = {@plus, @minus, @times, @mtimes, @and, @or, @(x, y) x' * y, @(x, y) x + y', @(x, y) (x - x) * y, ...
%!           @(x, y) (x .* 2) * (y + y), @(x, y) x * y(1,1), @(x, y) x(1,1) * y, @(x, y) (x * x) .* y, @isequal}
%!   for pair = {{S, T, s, t}, {T, S, t, s}, {S, F, s, f}, {F, S, f, s}, {S, F + 1, s, f + 1}}
%!     [X, Y, x, y] = pair{1}{:};
%!     assert (isequal (gather (op{1} (X, Y)), op{1} (x, y)), func2str (op{1}));
%!   endfor
%! endfor
%! assert ([on(S + T), on(T + S), on(S * F), on(F * S), on(F + S)], [0, 1, 0, 1, 1]);
%! assert (gather (S .* gpuArray ([1, 2, 4])), s * diag ([1, 2, 4]));

%!test # and so do matrices in blocks
%! s = blocksparse (kron ([1, 0, 2; 0, 3, 0; 4, 0, 5], [1, 2; 3, 4]), 2);
%! t = blocksparse (kron ([0, 1, 0; 2, 3, 0; 0, 0, 1], [2, 1; 0, 1]), 2) * complex (1, 1);
%! f = magic (6);
%! T = gpuArray (t);
%! F = gpuArray (f);
%! __gpuarray__ ("select", 0);
%! S = gpuArray (s);
%! __gpuarray__ ("select", 1);
%! for op = {@plus, @minus, @times, @mtimes, @(x, y) x' * y, @(x, y) x + y', @(x, y) (x - x) * y, @(x, y) (x * 2) * (y + y)}
%!   for pair = {{S, T, s, t}, {T, S, t, s}, {S, F, s, f}, {F, S, f, s}}
%!     [X, Y, x, y] = pair{1}{:};
%!     assert (isequal (full (gather (op{1} (X, Y))), full (op{1} (x, y))), func2str (op{1}));
%!   endfor
%! endfor
%! assert ([on(S + T), on(T * S), on(S * F)], [0, 1, 0]);

%!test # products of integers, which meet too
%! x = int16 (magic (5) - 12);
%! y = int16 (20 * magic (5));
%! s = blocksparse (int16 (kron ([1, 0, 2; 0, 3, 0; 4, 0, 5], [100, -2; 3, 4])), 2);
%! t = blocksparse (int16 (kron ([0, 1, 0; 2, 3, 0; 0, 0, 1], [200, 1; 0, -1])), 2);
%! __gpuarray__ ("select", 0);
%! X = gpuArray (x);
%! S = gpuArray (s);
%! __gpuarray__ ("select", 1);
%! Y = gpuArray (y);
%! T = gpuArray (t);
%! assert (isequal (gather (gpumm (X, Y)), gpumm (x, y)));
%! assert (isequal (gather (gpumm (Y, X, "TransposeA", "transpose")), gpumm (y.', x)));
%! assert (isequal (gather (S * T), s * t));
%! assert (isequal (gather (T * S), t * s));
%! assert ([on(S * T), on(T * S)], [0, 1]);

%!test # empty arrays
%! E = gpuArray (zeros (0, 5));
%! assert (gather ([A; E]), a);
%! assert (gather (E * A), zeros (0, 5));

%!test # device 0 again
%! __gpuarray__ ("select", 0);
%! assert (on (gpuArray (1)), 0);
%! assert (gather (gpuArray (3) * B), 3 * b);
