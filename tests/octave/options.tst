## options.tst - Alpha, Beta and C, OutputClass, Backend, Algorithm and the rest; info.
## SPDX-License-Identifier: BSD-3-Clause

## C = alpha op(A) op(B) + beta C0 for every class, by Octave's own expression
%!function check_expression (A, B, C0, alpha, beta, varargin)
%!  X = A;
%!  Y = B;
%!  if (any (strcmp (varargin, "TransposeA")))
%!    X = A';
%!  endif
%!  try
%!    R = alpha * (X * Y);
%!    if (beta != 0)
%!      R = R + beta * C0;
%!    endif
%!  catch
%!    id = error_of (@gpumm, A, B, "Alpha", alpha, "Beta", beta, "C", C0, varargin{:});
%!    assert (id, "gpumm:undefined-operator");
%!    return;
%!  end_try_catch
%!  C = gpumm (A, B, "Alpha", alpha, "Beta", beta, "C", C0, varargin{:});
%!  assert (class (C), class (R));
%!  assert (issparse (C), issparse (R));
%!  assert (iscomplex (C), iscomplex (R));
%!  assert (full (C), full (R), 1e3 * eps (class (R)));
%!  on_device = {gpuArray(A), gpuArray(B)}; # and so do gpuArrays, one or both
%!  for G = {on_device, {A, on_device{2}}}
%!    try
%!      D = gather (gpumm (G{1}{:}, "Alpha", alpha, "Beta", beta, "C", C0, varargin{:}));
%!      assert (class (D), class (R));
%!      assert (issparse (D), issparse (R));
%!      assert (full (D), full (R), 1e3 * eps (class (R)));
%!    catch err
%!      is_refusal = strcmp (err.identifier, "gpumm:gpuArray:gather") && (issparse (A) || issparse (B));
%!      assert (is_refusal, "%s", err.message);
%!    end_try_catch
%!  endfor
%!endfunction

## each option of a gpuArray's product changes something that is seen, or is refused
%!function seen = shown (varargin)
%!  seen = {};
%!  try
%!    C = gpumm (varargin{:});
%!    seen = {class(gather (C)), issparse(C), full(gather (C))};
%!    [~, info] = gpumm (varargin{:});
%!    seen(4:5) = {info.algorithm, info.kernel};
%!  catch err
%!    seen{end+1} = err.identifier;
%!  end_try_catch
%!endfunction
%!test
%! elsewhere = {"cpu", "gpu"}{1 + ! gpumm_available("gpu")};
%! values = {{}, "TransposeA", "transpose"; {}, "TransposeB", "ctranspose"; {}, "Alpha", 2
%!           {"C", ones(4)}, "Beta", 3; {}, "C", ones(4); {}, "Backend", elsewhere; {}, "Algorithm", "naive"
%!           {}, "Device", 99; {}, "OutputClass", "single"; {}, "Output", "full"
%!           {"Algorithm", "register"}, "MaxDeviceMemory", 1; {"Algorithm", "register"}, "MaxCapability", 1};
%! try
%!   gpumm (1, 1, "none", 1);
%! catch err
%!   names = strsplit (strtrim (regexprep (err.message, ".*valid options are", "")), ", ");
%! end_try_catch
%! assert (sort (names), sort (values(:,2).'));
%! A = magic (4) + 1i * triu (magic (4));
%! for X = {gpuArray(A), gpuArray(sparse (A)), gpuArray(blocksparse (A, 2))}
%!   for v = values.'
%!     without = shown (X{1}, X{1}, v{1}{:});
%!     with = shown (X{1}, X{1}, v{1}{:}, v{2:3});
%!     is_refused = numel (without) == 1 && any (strcmp (without{1}, {"gpumm:gpuArray:gather"}));
%!     is_unseen = strcmp (v{2}, "MaxDeviceMemory") && gpumm_available ("gpu"); # where all lies, no more is needed
%!     assert (is_refused || is_unseen || ! isequal (with, without), "%s of a %s", v{2}, typeinfo (X{1}));
%!   endfor
%! endfor

## of a scalar by an array, which the engine does not multiply, too
%!test
%! elsewhere = {"cpu", "gpu"}{1 + ! gpumm_available("gpu")};
%! identifier = {"gpumm:unsupported", "gpumm:no-device"}{1 + strcmp(elsewhere, "gpu")};
%! assert (error_of (@gpumm, gpuArray (2), gpuArray (magic (3)), "Backend", elsewhere), identifier);

## what the operators that multiply sparse gpuArrays do not take
%!test
%! S = gpuArray (sparse (magic (3)));
%! for option = {{"Device", 0}, {"MaxDeviceMemory", 1e9}, {"MaxCapability", 9}, {"Algorithm", "spgemm"}, {"Backend", "cpu"}}
%!   assert (error_of (@gpumm, S, S, option{1}{:}), "gpumm:gpuArray:gather", option{1}{1});
%! endfor

## a complex Alpha without imaginary part counts as complex, as it does for `*`
%!test
%! A = [Inf, 1; 2, 3];
%! alpha = complex (2, 0);
%! C = gpumm (A, A, "Alpha", alpha);
%! R = alpha * (A * A);
%! assert (real (C), real (R));
%! assert (imag (C), imag (R));

%!test
%! rand ("twister", 41);
%! types = {"double", "single", "complex", "single complex", "sparse", "sparse complex", "logical"};
%! factors = {1, 0, -1, 2.5, 1 + 2i, single(3)};
%! count = 0;
%! for a = types
%!   for b = types
%!     for c = types
%!       for round = 1:2
%!         alpha = factors{mod(count, 6) + 1};
%!         beta = factors{mod(floor (count / 6), 6) + 1};
%!         A = make_operand (a{1}, 4, 3);
%!         B = make_operand (b{1}, 3, 5);
%!         C0 = make_operand (c{1}, 4, 5);
%!         check_expression (A, B, C0, alpha, beta);
%!         check_expression (A', B, C0, alpha, beta, "TransposeA", "ctranspose");
%!         count++;
%!       endfor
%!     endfor
%!   endfor
%! endfor

## defaults: Beta is 1 where C is given
%!test
%! A = magic (3);
%! assert (gpumm (A, A, "C", A), A * A + A);
%! assert (gpumm (A, A, "C", A, "Beta", 0), A * A);
%! assert (gpumm (A, A, "Alpha", 2), 2 * A * A);
%! assert (gpumm (eye (3), A, "Alpha", 2, "C", A), 3 * A);
%! assert (gpumm (2, A, "Alpha", 2, "C", A, "Beta", -1), 3 * A);
%! assert (gpumm (A, A, "C", 1:3, "Beta", 0), A * A);

## as in BLAS: what a zero multiplies is not read
%!test
%! N = NaN (3);
%! A = magic (3);
%! for algorithm = [{"auto"}, algorithms_for(A, A)]
%!   assert (gpumm (A, A, "C", N, "Beta", 0, "Algorithm", algorithm{1}), A * A);
%!   assert (gpumm (N, N, "Alpha", 0, "Algorithm", algorithm{1}), zeros (3));
%!   assert (gpumm (N, N, "Alpha", 0, "C", A, "Beta", 2, "Algorithm", algorithm{1}), 2 * A);
%! endfor
%! assert (gpumm (sparse (N), sparse (N), "Alpha", 0), sparse (3, 3));
%! assert (gpumm (sparse (N), N, "Alpha", 0), zeros (3));
%! assert (gpumm (diag ([NaN, 1]), ones (2), "Alpha", 0), zeros (2));
%! assert (gpumm (NaN, ones (2), "Alpha", 0, "C", ones (2)), ones (2));
%! assert (gpumm (zeros (2, 0), zeros (0, 2), "C", ones (2)), ones (2));

## alpha and beta in every kernel
%!test
%! for k = gpumm_info ().kernels.'
%!   A = make_operand ("complex", 9, 17);
%!   B = make_operand ("complex", 17, 6);
%!   C0 = make_operand ("complex", 9, 6);
%!   if (any (k.types == "z"))
%!     assert (gpumm (A, B, "Alpha", 2 - i, "Beta", 0.5i, "C", C0, "Algorithm", k.name), ...
%!             (2 - i) * A * B + 0.5i * C0, 1e-10);
%!   endif
%!   if (any (k.types == "s"))
%!     assert (gpumm (single (real (A)), single (real (B)), "Alpha", 2, "Beta", -1, ...
%!                    "C", single (real (C0)), "Algorithm", k.name), ...
%!             single (2 * real (A) * real (B) - real (C0)), 1e-3);
%!   endif
%! endfor

## of a diagonal or permutation matrix it is the product that `*` has, too
%!test
%! A = [Inf, 1; 1, 2];
%! P = eye (2)([2, 1],:);
%! for x = {A, single(A), eye(2), single(eye (2)), P}
%!   for y = {A, single(A), eye(2), single(eye (2)), P}
%!     for name = {"single", "double"}
%!       C = gpumm (x{1}, y{1}, "OutputClass", name{1});
%!       assert (class (C), name{1});
%!       assert (isequaln (double (full (C)), double (full (x{1} * y{1}))), "%s by %s in %s", typeinfo (x{1}), ...
%!               typeinfo (y{1}), name{1});
%!     endfor
%!   endfor
%! endfor

## OutputClass of floats: computed in the wider class, rounded once
%!test
%! rand ("twister", 42);
%! A = rand (20);
%! B = rand (20);
%! C = gpumm (A, B, "OutputClass", "single");
%! assert (isa (C, "single"));
%! assert (C, single (A * B), eps (C));
%! S = single (A);
%! T = single (B);
%! C = gpumm (S, T, "OutputClass", "double");
%! assert (isa (C, "double"));
%! assert (C, double (S) * double (T), 100 * eps);
%! C = gpumm (S, B, "OutputClass", "double");
%! assert (C, double (S) * B, 100 * eps);
%! C = gpumm (S, B, "OutputClass", "single");
%! assert (C, single (double (S) * B), eps (C));
%! assert (class (gpumm (S, T, "OutputClass", "single")), "single");
%! assert (class (gpumm (sparse (A), B, "OutputClass", "single")), "single");
%! assert (class (gpumm (A > 0.5, B > 0.5, "OutputClass", "single")), "single");
%! assert (issparse (gpumm (sparse (A), sparse (B), "OutputClass", "double")));
%! assert (class (gpumm (single (2), S, "OutputClass", "double")), "double");
%! assert (gpumm (single (2), S, "OutputClass", "double"), 2 * double (S));
%! assert (class (gpumm (single (eye (20)), S, "OutputClass", "double")), "double");
%! assert (class (gpumm (int8 (3), [1.5, 2], "OutputClass", "int8")), "int8");
%! C = gpumm (S, T, "OutputClass", "double", "C", S, "Alpha", 2);
%! assert (C, 2 * double (S) * double (T) + double (S), 1e-13);

%!error id=gpumm:bad-value gpumm (1, 2, "OutputClass", "int8")
%!error <OutputClass of the sparse matrix by scalar product must be "double"> ...
%! gpumm (sparse (eye (2)), 3, "OutputClass", "single")
%!error <OutputClass of the permutation matrix by sparse matrix product must be "double"> ...
%! gpumm (eye (2)([2, 1], :), sparse (eye (2)), "OutputClass", "single")
%!assert (class (gpumm (sparse (eye (2)), ones (2), "OutputClass", "single")), "single")
%!error <OutputClass of the matrix by matrix product must be "double" or "single"> ...
%! gpumm (ones (2), ones (2), "OutputClass", "int8")
%!error <OutputClass must be "double", "single", "int8"> gpumm (1, 2, "OutputClass", "char")
%!error id=gpumm:bad-value gpumm (sparse (eye (2)), sparse (eye (2)), "OutputClass", "single")
%!error id=gpumm:bad-value gpumm (int8 (3), [1.5, 2], "OutputClass", "int16")

## names and words in any case
%!test
%! A = magic (3);
%! assert (gpumm (A, A, "transposea", "TRANSPOSE", "BACKEND", "Cpu", "Algorithm", "BLAS"), A' * A);

## Backend, Algorithm, Device and the limits
%!test
%! A = rand (50);
%! [C, info] = gpumm (A, A, "Backend", "cpu");
%! assert (C, A * A, 1e-12);
%! assert (info.backend, "cpu");
%! assert (info.algorithm, "blas");
%! assert (info.device.index, -1);
%! [C, info] = gpumm (A, A, "Algorithm", "tiled", "Backend", "cpu");
%! assert (info.backend, "cpu");
%! assert (info.algorithm, "tiled");
%! assert (strncmp (info.kernel, "tiled_", 6));
%! [C, info] = gpumm (A, A, "Algorithm", "tiled_10", "Backend", "cpu");
%! assert (info.kernel, "tiled_10");
%! ## in parts: less memory than the three matrices
%! A = rand (150, 130);
%! B = rand (130, 140);
%! for bytes = [4e5, 1e5]
%!   [C, info] = gpumm (A, B, "Algorithm", "register", "Backend", "cpu", "MaxDeviceMemory", bytes);
%!   assert (C, A * B, 1e-12);
%! endfor
%! [C, info] = gpumm (A, B, "Algorithm", "naive", "Backend", "cpu", "MaxCapability", 7.5);
%! assert (C, A * B, 1e-12);
%!error id=gpumm:unsupported gpumm (ones (9), ones (9), "Algorithm", "naive", "Backend", "cpu", "MaxCapability", 1)
%!test # sparse operands too
%! S = speye (9);
%! U = blocksparse (eye (8, "uint16"), 4);
%! for product = {S, S, "spgemm"; S, ones(9), "spmm"; U, U, "blocks_integer"; U, U, "classic"}.'
%!   options = {"Algorithm", product{3}, "Backend", "cpu", "MaxCapability"};
%!   if (isa (product{1}, "blocksparse"))
%!     options = [{"OutputClass", "uint32"}, options];
%!   endif
%!   gpumm (product{1:2}, options{:}, 7.5);
%!   [id, text] = error_of (@gpumm, product{1:2}, options{:}, 1);
%!   assert (! isempty (strfind (text, "under the given MaxCapability")), text);
%!   assert (id, "gpumm:unsupported", product{3});
%! endfor

## info: every field, of every way to multiply
%!test
%! cases = {magic(4), magic(4); sparse(magic (4)), magic(4); sparse(magic (4)), sparse(magic (4)); ...
%!          int8(magic (4)), int8(magic (4)); eye(4), magic(4); 3, magic(4); eye(4)(:, [2, 1, 3, 4]), magic(4); ...
%!          true(4), single(magic (4)); i * magic(4), magic(4); zeros(0, 4), ones(4)};
%! for c = cases.'
%!   [C, info] = gpumm (c{1}, c{2});
%!   assert (fieldnames (info), {"backend"; "device"; "algorithm"; "kernel"; "seconds"; "bytes"; ...
%!                               "flops"; "gflops"; "reason"; "devices"});
%!   assert (fieldnames (info.device), {"name"; "index"});
%!   assert (fieldnames (info.seconds), {"total"; "upload"; "compute"; "download"; "overhead"});
%!   assert (fieldnames (info.bytes), {"up"; "down"});
%!   assert (any (strcmp (info.backend, {"cpu", "gpu"})));
%!   assert (ischar (info.device.name) && ! isempty (info.device.name));
%!   assert (ischar (info.algorithm) && ! isempty (info.algorithm));
%!   assert (ischar (info.kernel));
%!   assert (ischar (info.reason) && numel (info.reason) > 10);
%!   s = info.seconds;
%!   assert (s.total > 0 && s.total < 10);
%!   assert (s.compute >= 0 && s.compute <= s.total);
%!   assert (s.overhead, max (s.total - s.upload - s.compute - s.download, 0), 1e-9);
%!   assert (info.flops >= 0);
%!   assert (info.gflops, 1e-9 * info.flops / s.total, 1e-12);
%! endfor
%! [~, info] = gpumm (ones (30, 40), ones (40, 50));
%! assert (info.flops, 2 * 30 * 40 * 50);
%! [~, info] = gpumm (i * ones (30, 40), i * ones (40, 50));
%! assert (info.flops, 8 * 30 * 40 * 50);
%! [~, info] = gpumm (ones (30, 40), i * ones (40, 50));
%! assert (info.flops, 4 * 30 * 40 * 50);

## without terms A*B is zero, and Alpha times that
%!test
%! for alpha = {NaN, Inf, -Inf, NaN + i, 2}
%!   for c = {"double", "single"}
%!     X = zeros (2, 0, c{1});
%!     Y = zeros (0, 3, c{1});
%!     R = alpha{1} * (X * Y);
%!     for algorithm = [{"auto"}, algorithms_for(ones (2, c{1}), ones (2, c{1}))]
%!       C = gpumm (X, Y, "Alpha", alpha{1}, "Algorithm", algorithm{1});
%!       assert (C, R);
%!       assert (class (C), c{1});
%!       C = gpumm (X, Y, "Alpha", alpha{1}, "Algorithm", algorithm{1}, "Beta", 2, "C", ones (2, 3, c{1}));
%!       assert (C, R + 2);
%!     endfor
%!     if (strcmp (c{1}, "double"))
%!       assert (gpumm (sparse (X), Y, "Alpha", alpha{1}), R);
%!       assert (gpumm (X, sparse (Y), "Alpha", alpha{1}), R);
%!       assert (gpumm (sparse (X), sparse (Y), "Alpha", alpha{1}), alpha{1} * (sparse (X) * sparse (Y)));
%!     endif
%!   endfor
%!   if (isreal (alpha{1}))
%!     assert (gpumm (blocksparse (2, 0, [1, 1]), zeros (0, 3), "Alpha", alpha{1}), alpha{1} * zeros (2, 3));
%!   endif
%! endfor

## the class of a product by blocks is that of alpha * (A*B), as for full matrices
%!test
%! S = blocksparse (magic (4), 2);
%! T = blocksparse (single (magic (4)), 2);
%! for x = {S, S; S, magic(4); magic(4), S; S, sparse(magic (4)); T, T}'
%!   for alpha = {2, single(2), true}
%!     C = gpumm (x{:}, "Alpha", alpha{1});
%!     D = full (C);
%!     R = alpha{1} * (full (x{1}) * full (x{2}));
%!     assert (class (D), class (R));
%!     assert (D, R);
%!   endfor
%! endfor
%! C = gpumm (S, magic (4), "C", ones (4), "Beta", single (2));
%! assert (C, single (magic (4)^2 + 2));
%! assert (underlyingType (gpumm (S, S, "Alpha", single (2), "OutputClass", "double")), "double");
%!error id=gpumm:bad-value S = blocksparse (magic (4), 2); gpumm (S, S, "Alpha", int8 (2))
%!error <C must be a full matrix of class "single"> S = blocksparse (single (magic (4)), 2); gpumm (S, magic (4), "C", sparse (magic (4) > 3))

## sparse with single has no product, with OutputClass neither
%!test
%! S = sparse (magic (3));
%! for x = {S, single(magic (3)); single(magic (3)), S; S, single(2); single(eye (3)), S}'
%!   for options = {{}, {"OutputClass", "double"}, {"OutputClass", "single"}, {"Algorithm", "sparse"}}
%!     [id, text] = error_of (@gpumm, x{:}, options{1}{:});
%!     assert (id, "gpumm:undefined-operator");
%!     assert (all (cellfun (@(way) any (strfind (text, way)), ...
%!                           {"double (X)", "full (S)", "single (blocksparse (S, BLOCKSIZE))"})), text);
%!   endfor
%! endfor

## an Alpha that is not finite multiplies the sum, not its terms
%!assert (gpumm (1:3, [1; 1; -1](:, [1, 1, 1]), "Alpha", Inf), NaN (1, 3))
%!assert (gpumm ([1, 0, -3], ones (3, 2), "Alpha", Inf), [-Inf, -Inf])
%!assert (gpumm ([1, 0, -3]', ones (3, 2), "Alpha", -Inf, "TransposeA", "transpose"), [Inf, Inf])
%!assert (gpumm ([1, 2; 3, 4], [1, 2; 3, 4], "Beta", NaN, "C", eye (2)), ...
%!        [7, 10; 15, 22] + NaN * eye (2)) # up to Octave 9 that stays diagonal

## Device: 0 is the first GPU or, where there is none, the CPU
%!test
%! A = magic (3);
%! [C, info] = gpumm (A, A, "Device", 0);
%! assert (C, A * A);
%! if (! gpumm_available ("gpu"))
%!   assert (info.backend, "cpu");
%!   assert (info.device.index, -1);
%! endif
%!error id=gpumm:bad-value gpumm (1, 2, "Device", 99)
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "Device", 99, "Backend", "cpu")
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "Device", sparse (0))
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "Device", [0, 0])
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "Device", NaN)
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "Device", 0i + complex (0, 1))
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "MaxDeviceMemory", sparse (1e6))
%!error id=gpumm:bad-value gpumm (ones (2), ones (2), "MaxCapability", sparse (9))

## values that are numbers or matrices without being of Octave's own types
%!test
%! A = magic (2);
%! S = blocksparse (ones (2), 2);
%! assert (gpumm (A, A, "Alpha", blocksparse (3, 1)), 3 * A * A);
%! assert (gpumm (A, i * A, "Alpha", blocksparse (3, 1)), 3i * A * A);
%! assert (gpumm (A, A, "C", S), A * A + 1);
%! assert (gpumm (A, A, "C", S, "Beta", 2), A * A + 2);
%! assert (gpumm (single (A), A, "C", S), single (A * A + 1));
%! assert (gpumm (A, A, "Beta", complex (0, 0)), A * A);
%! assert (gpumm (A, A, "Alpha", sparse (2), "Device", uint8 (0)), 2 * A * A);
%! assert (gpumm (A, A, "Alpha", eye (1), "MaxCapability", single (9)), A * A);
%!error <C must be a full real matrix of class "int8"> ...
%! gpumm (int8 (magic (2)), int8 (magic (2)), "C", blocksparse (int8 (ones (2)), 2))

## the last value of a name counts
%!assert (gpumm (magic (3), magic (3), "Alpha", 5, "ALPHA", 1), magic (3)^2)

## an option costs a fraction of a small product, info less than two of them
%!test
%! A = magic (2);
%! seconds = Inf (3, 1);
%! for round = 1:60
%!   begun = tic ();
%!   for j = 1:20
%!     C = gpumm (A, A);
%!   endfor
%!   seconds(1) = min (seconds(1), toc (begun));
%!   begun = tic ();
%!   for j = 1:20
%!     C = gpumm (A, A, "TransposeA", "transpose");
%!   endfor
%!   seconds(2) = min (seconds(2), toc (begun));
%!   begun = tic ();
%!   for j = 1:20
%!     [C, info] = gpumm (A, A);
%!   endfor
%!   seconds(3) = min (seconds(3), toc (begun));
%! endfor
%! assert (seconds(2) < 1.7 * seconds(1), "an option: %g s, none: %g s", seconds(2), seconds(1));
%! assert (seconds(3) < 3 * seconds(1), "info: %g s, none: %g s", seconds(3), seconds(1));
