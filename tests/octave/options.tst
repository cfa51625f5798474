## options.tst - Alpha, Beta and C, OutputClass, Backend, Algorithm and the rest; info.
## SPDX-License-Identifier: BSD-3-Clause

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
%! values = {"TransposeA", "transpose"; "TransposeB", "ctranspose"; "Alpha", 2; "Beta", 0; "C", ones(4)
%!           "Backend", elsewhere; "Algorithm", "naive"; "Device", 99; "OutputClass", "single"
%!           "Output", "full"; "MaxDeviceMemory", 1; "MaxCapability", 1};
%! removed = {"Alpha", "Beta", "C", "Backend", "OutputClass", "MaxDeviceMemory", "MaxCapability"};
%! try
%!   gpumm (1, 1, "none", 1);
%! catch err
%!   names = strsplit (strtrim (regexprep (err.message, ".*valid options are", "")), ", ");
%! end_try_catch
%! assert (sort (names), sort (values(:,1).'));
%! A = magic (4) + 1i * triu (magic (4));
%! for X = {gpuArray(A), gpuArray(sparse (A)), gpuArray(blocksparse (A, 2))}
%!   for v = values.'
%!     without = shown (X{1}, X{1});
%!     with = shown (X{1}, X{1}, v{:});
%!     is_refused = numel (without) == 1 && strcmp (without{1}, "gpumm:gpuArray:gather");
%!     assert (is_refused || ! isequal (with, without), "%s of a %s", v{1}, typeinfo (X{1}));
%!     assert (isequal (with, {"gpumm:removed"}) == any (strcmp (v{1}, removed)), "%s of a %s", v{1}, typeinfo (X{1}));
%!   endfor
%! endfor

## what went: each says what to write, of each kind of operands; "Beta", 0 and "Alpha", 1 too
%!test
%! I = int8 (magic (3));
%! D = magic (3);
%! S = blocksparse (D, 1);
%! scaled = {{"Alpha", 1}, {"Alpha", single(2)}, {"Beta", 0}, {"C", D}, {"C", D, "Beta", 0}, {"Alpha", 2, "Beta", 3, "C", D}};
%! to_class = {{"OutputClass", "double"}, {"OutputClass", "single"}, {"OutputClass", "int8"}};
%! places = {{"Backend", "cpu"}, {"Backend", "gpu"}, {"MaxDeviceMemory", 1e9}, {"MaxCapability", 9}};
%! for row = {I, I, scaled, "BETA \\* C, where each step saturates"
%!            I, 2, scaled, "BETA \\* C, where each step saturates"
%!            blocksparse(I, 1), blocksparse(I, 1), scaled, "BETA \\* C, where each step saturates"
%!            S, S, scaled, "Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            S, D, scaled, "Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            sparse(D), S, scaled, "Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            S, 2, scaled, "Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            gpuArray(D), D, scaled, "gpuArray. Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            2, gpuArray(I), scaled, "gpuArray. Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            gpuArray(sparse (D)), D, scaled, "gpuArray. Write ALPHA \\* gpumm \\(A, B\\) \\+ BETA \\* C$"
%!            D, D, to_class, "Write (single|int8) \\(gpumm \\(A, B\\)\\)$|Write gpumm \\(double \\(A\\), double \\(B\\)\\)$"
%!            single(D), D, to_class, "Write (single|int8|gpumm) "; sparse(D), D, to_class, "Write (single|int8|gpumm) "
%!            2, D, to_class, "Write (single|int8|gpumm) "; eye(3), D, to_class, "Write (single|int8|gpumm) "
%!            D > 3, D > 3, to_class, "Write (single|int8|gpumm) "; S, S, to_class, "Write (single|int8|gpumm) "
%!            I, 2, to_class, "Write (single|int8|gpumm) "; gpuArray(D), D, to_class, "Write (single|int8|gpumm) "
%!            D, gpuArray(D), places, "With them write gpumm \\(gather \\(A\\), gather \\(B\\)\\)$"
%!            gpuArray(I), I, places, "write gpumm \\(gather"; gpuArray(2), D, places, "write gpumm \\(gather"}.'
%!   for options = row{3}
%!     [id, text] = error_of (@gpumm, row{1:2}, options{1}{:});
%!     assert (strcmp (id, "gpumm:removed"), "%s by %s: %s", typeinfo (row{1}), typeinfo (row{2}), options{1}{1});
%!     assert (! isempty (regexp (text, row{4})), text);
%!   endfor
%! endfor

## sparse gpuArrays have the options of full ones
%!test
%! S = gpuArray (sparse (magic (3)));
%! assert (isequal (gather (gpumm (S, S, "Algorithm", "spgemm")), magic (3) ^ 2));
%! assert (error_of (@gpumm, S, S, "Algorithm", "tiled"), "gpumm:unsupported");

## Alpha, Beta and C: of each class, and with each kernel, in products.tst. Beta is 1 where C is
## given; what a zero multiplies is not read, as in BLAS; a complex Alpha without imaginary part
## counts as complex, as it does for `*`; an Alpha that is not finite multiplies the sum, not its
## terms
%!test
%! A = magic (3);
%! N = NaN (3);
%! D = [Inf, 1; 2, 3];
%! O = ones (2);
%! X = zeros (2, 0);
%! for row = {A, A, {"C", A}; A, A, {"C", A, "Beta", 0}; A, A, {"Alpha", 2}
%!            eye(3), A, {"Alpha", 2, "C", A}; 2, A, {"Alpha", 2, "C", A, "Beta", -1}
%!            A, A, {"C", 1:3, "Beta", 0}; D, D, {"Alpha", complex(2, 0)}
%!            sparse(N), sparse(N), {"Alpha", 0}; sparse(N), N, {"Alpha", 0}
%!            diag([NaN, 1]), O, {"Alpha", 0}; NaN, O, {"Alpha", 0, "C", O}; X, X.', {"C", O}
%!            O, O, {"Beta", NaN, "C", eye(2)}; 1:3, repmat([1; 1; -1], 1, 3), {"Alpha", Inf}
%!            [1, 0, -3], ones(3, 2), {"Alpha", Inf}
%!            [1, 0, -3]', ones(3, 2), {"Alpha", -Inf, "TransposeA", "transpose"}}.'
%!   check_product (row{1:2}, row{3}{:});
%! endfor
%! for algorithm = [{"auto"}, algorithms_for(A, A)]
%!   for row = {A, {"C", N, "Beta", 0}, A * A; N, {"Alpha", 0}, zeros(3); ...
%!              N, {"Alpha", 0, "C", A, "Beta", 2}, 2 * A}.'
%!     assert (gpumm (row{1}, row{1}, row{2}{:}, "Algorithm", algorithm{1}), row{3});
%!   endfor
%! endfor

%!error <OutputClass must be "double", "single", "int8"> gpumm (1, 2, "OutputClass", "char")

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
%! for product = {S, S, "spgemm"; S, ones(9), "spmm"; U, U, "bsr_integer"; U, U, "classic"}.'
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
%!   assert (s.total > 0 && isfinite (s.total));
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
%!     for algorithm = [{"auto"}, algorithms_for(ones (2, c{1}), ones (2, c{1}))]
%!       check_product (X, Y, "Alpha", alpha{1}, "Algorithm", algorithm{1});
%!       check_product (X, Y, "Alpha", alpha{1}, "Algorithm", algorithm{1}, "Beta", 2, "C", ...
%!                      ones (2, 3, c{1}));
%!     endfor
%!   endfor
%!   for pair = {sparse(2, 0), zeros(0, 3); zeros(2, 0), sparse(0, 3); sparse(2, 0), sparse(0, 3)}.'
%!     check_product (pair{:}, "Alpha", alpha{1});
%!   endfor
%! endfor

## sparse with single has no product
%!test
%! S = sparse (magic (3));
%! for x = {S, single(magic (3)); single(magic (3)), S; S, single(2); single(eye (3)), S}'
%!   for options = {{}, {"Algorithm", "sparse"}}
%!     [id, text] = error_of (@gpumm, x{:}, options{1}{:});
%!     assert (id, "gpumm:undefined-operator");
%!     assert (all (cellfun (@(way) any (strfind (text, way)), ...
%!                           {"double (X)", "full (S)", "single (blocksparse (S, BLOCKSIZE))"})), text);
%!   endfor
%! endfor

## Device: 0 is the first GPU or, where there is none, the CPU
%!test
%! A = magic (3);
%! [C, info] = gpumm (A, A, "Device", 0);
%! assert (C, A * A);
%! if (! gpumm_available ("gpu"))
%!   assert (info.backend, "cpu");
%!   assert (info.device.index, -1);
%! endif
%! for option = {{"Device", 99}, {"Device", 99, "Backend", "cpu"}, {"Device", sparse(0)}, ...
%!                {"Device", [0, 0]}, {"Device", NaN}, {"Device", complex(0, 1)}, ...
%!                {"MaxDeviceMemory", sparse(1e6)}, {"MaxCapability", sparse(9)}}
%!   assert (error_of (@gpumm, ones (2), ones (2), option{1}{:}), "gpumm:bad-value");
%! endfor

## values that are numbers or matrices without being of Octave's own types
%!test
%! A = magic (2);
%! S = blocksparse (ones (2), 2);
%! for row = {A, A, {"Alpha", blocksparse(3, 1)}; A, i * A, {"Alpha", blocksparse(3, 1)}
%!            A, A, {"C", S}; A, A, {"C", S, "Beta", 2}; single(A), A, {"C", S}
%!            A, A, {"Beta", complex(0, 0)}; A, A, {"Alpha", sparse(2), "Device", uint8(0)}
%!            A, A, {"Alpha", eye(1), "MaxCapability", single(9)}}.'
%!   check_product (row{1:2}, row{3}{:});
%! endfor

## the last value of a name counts
%!assert (gpumm (magic (3), magic (3), "Alpha", 5, "ALPHA", 1), magic (3)^2)
