## gpuarray_devices.tst - gpuArrays on two devices: two GPUs, or the host device that pretends to be
## two. Each call of the tables, with operands on two devices, gives the host's value, where the first
## operand is.
## SPDX-License-Identifier: BSD-3-Clause

%!shared a, b, c, d
%! setenv ("GPUMM_HOST_DEVICES", "2"); # before their first use
%! if (numel (gpumm_info ().devices) < 2)
%!   setenv ("GPUMM_GPUARRAY", "host-device");
%! endif
%! a = magic (5); b = rand (5) + 1i; c = int16 (magic (5)); d = rand (5) > 0.5;

%!function k = on (X)
%!  k = __gpuarray__ ("device", X);
%!  if (k < 0)
%!    k = -2 - k; # HOST_DEVICE - k
%!  endif
%!endfunction
%!function X = to_device (x, k)
%!  __gpuarray__ ("select", k);
%!  X = gpuArray (x);
%!  assert (on (X), k);
%!endfunction
%!function x = with_part (x, varargin)
%!  x(varargin{1:end-1}) = varargin{end};
%!endfunction

%!function check (fs, pairs, tol = 0)
%!  texts = {};
%!  for pair = [pairs, cellfun(@fliplr, pairs, "UniformOutput", false)]
%!    [x, y] = pair{1}{:};
%!    for k = 0:1
%!      [X, Y] = deal (to_device (x, k), to_device (y, 1 - k));
%!      for f = fs
%!        Z = f{1} (X, Y);
%!        text = difference (Z, f{1} (x, y), tol);
%!        if (isempty (text) && strcmp (class (Z), "gpuArray") && on (Z) != k)
%!          text = "it is where the second operand is";
%!        endif
%!        texts{end+1} = [func2str(f{1}) ": " text](1:end * ! isempty (text));
%!      endfor
%!    endfor
%!  endfor
%!  fail_with (texts);
%!endfunction

%!test # new arrays go where the last selection said; so does a host's array when a part of it is assigned
%! for k = [1, 0]
%!   X = to_device (c, 1 - k);
%!   to_device (c, k);
%!   assert ([on(gpuArray (1)), on(gpuArray.ones (3))], [k, k]);
%!   Z = {with_part(c, 1, ":", X(2,:)), blkdiag(X, 2 * X), blkdiag(X, to_device (a, k))};
%!   assert (cellfun (@(z) on (z), Z), [k, k, k]);
%!   assert (cellfun (@gather, Z, "UniformOutput", false), ...
%!           {with_part(c, 1, ":", c(2,:)), blkdiag(c, 2 * c), blkdiag(c, a)});
%! endfor

## what joins arrays goes where the first one on a device is, whatever lies on the host before it
%!test
%! joins = {@horzcat, @vertcat, @(x, y) [x, y], @(x, y) [x; y], @(x, y) cat (1, x, y), @(x, y) cat (2, x, y), ...
%!          @(x, y) cat (3, x, y)};
%! after = {@(x, y) [ones(5), x, y], @(x, y) [ones(5); x; y], @(x, y) cat (3, ones (5), x, y), ...
%!          @(x, y) [x, ones(5), y], @(x, y) [x, x; y, y], @(x, y) horzcat (zeros (5, 0), x, y)};
%! check ([joins, after], {{a, a + 1}, {a, b}, {c, c + 7}, {a, d}, {single(a), c}});
%! s = sparse (a);
%! check (joins(1:6), {{s, a}, {s, 2 * s}, {s, d}});
%! check ({@(x, y) [s, x, y], @(x, y) [ones(5); x; y]}, {{s, a}, {s, 2 * s}});
%! s = blocksparse (kron ([1, 2; 0, 3], [1, 2; 3, 4]), 2);
%! check ({@horzcat, @vertcat, @(x, y) [s, x, y], @(x, y) [s; x; y]}, {{s, 2 * s}});

## full arrays, with operations that wait, parts and pages; masks and places on the other device
%!test
%! operators = {@plus, @minus, @times, @rdivide, @eq, @lt, @max, @(x, y) x' + y, @(x, y) x + y.', ...
%!              @(x, y) (x + 1) .* (y - 2)', @(x, y) [x, y; y, x], @dot, @isequal, ...
%!              @(x, y) with_part(x, 2:3, ":", y(1:2,:)), @(x, y) x(y > 0.5), ...
%!              @(x, y) with_part(x, y > 0.5, 7), @(x, y) [x; y([],:)]};
%! products = {@mtimes, @(x, y) x' * y', @(x, y) gpumm(x, y), ...
%!             @(x, y) gpumm(x, y, "TransposeA", "transpose"), ...
%!             @(x, y) pagemtimes(x, cat (3, y, 2 * y)), ...
%!             @(x, y) x(zeros (1, 0),:) * y};
%! check (operators, {{a, d + 0}, {a, a}, {a, b}, {c, c + 7}}, 1e-13);
%! check ({@plus, @times, @(x, y) x + 0 * y}, {{a, d}});
%! check (products, {{a, b}, {a, a + 1}}, 1e-12);
%! check ({@(x, y) gpumm(x, y), @(x, y) gpumm(x, y, "TransposeA", "transpose")}, ...
%!        {{c - 12, 20 * c}});
%! for k = 0:1
%!   X = to_device (a, k);
%!   assert (gather (X(to_device ([4, 1, 3], 1 - k),:)), a([4, 1, 3],:));
%!   assert (gather (to_device (3, 1 - k) * X), 3 * a);
%! endfor

## sparse matrices and matrices in blocks, each other and full ones
%!test
%! s = sparse ([1, 0, 2; 0, 3, 0; 4, 5, 0]);
%! t = sparse ([0, 1, 2; 0, 3i, 1; 4, 0, 0]);
%! every = {@plus, @minus, @times, @mtimes, @(x, y) x' * y, @(x, y) x + y', @(x, y) (x - x) * y, ...
%!          @(x, y) (x * 2) * (y + y), @(x, y) x - y + (y - x)};
%! check ([every, {@and, @or, @(x, y) x * y(1,1), @(x, y) (x * x) .* y}], ...
%!        {{s, t}, {s, magic(3)}, {s, 2 * s}});
%! check ({@isequal, @(x, y) [x, y], @(x, y) [x; y]}, {{s, t}, {s, 2 * s}});
%! assert (gather (to_device (s, 0) .* to_device ([1, 2, 4], 1)), s * diag ([1, 2, 4]));
%! s = blocksparse (kron ([1, 0, 2; 0, 3, 0; 4, 0, 5], [1, 2; 3, 4]), 2);
%! t = blocksparse (kron ([0, 1, 0; 2, 3, 0; 0, 0, 1], [2, 1; 0, 1]), 2) * complex (1, 1);
%! check (every, {{s, t}, {s, 2 * s}});
%! check ({@plus, @minus, @times, @mtimes, @(x, y) x' * y}, {{s, magic(6)}});
%! check ({@(x, y) [x, y], @(x, y) [x; y], @(x, y) x{1,1} + y(1:2,1:2)}, {{s, 2 * s}});
%! check ({@mtimes}, {{int16(100 * s - 12 * s), int16(90 * s)}});
