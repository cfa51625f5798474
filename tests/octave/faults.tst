## faults.tst - the n-th allocation and the n-th call of the device fail, for every n: an error with
## its identifier or the right result, nothing leaked, and Octave goes on.
## SPDX-License-Identifier: BSD-3-Clause

%!shared A, B, Z, S, I
%! rand ("twister", 61);
%! A = rand (40, 50);
%! B = rand (50, 30);
%! Z = complex (rand (40, 50), rand (40, 50));
%! S = sprand (40, 50, 0.2);
%! I = int8 (10 * A);

## Rows of operands, their right product and options. How many calls failed.
%!function faults = fail_rows (what, identifiers, least, table, varargin)
%!  faults = 0;
%!  for row = table.'
%!    options = [row{4}, varargin];
%!    failed = fail_each (what, identifiers, @() gpumm (row{1:2}, options{:}), row{3});
%!    assert (failed >= least, "%d failed", failed);
%!    faults += failed;
%!  endfor
%!  printf ("faults.tst: %d faults of %s\n", faults, what);
%!endfunction

%!test # host memory: every algorithm of the CPU
%! h = "ctranspose";
%! as_full = {"Algorithm", "sparse_as_full"};
%! table = {A, B, A * B, {}; Z, B, Z * B, {}; Z, Z, Z * Z', {"TransposeB", h}
%!          B, Z, B' * Z', {"TransposeA", h, "TransposeB", h}; A, B, A * B, {"Algorithm", "loops"}
%!          S, B, S * B, {}; B', S, B' * S', {"TransposeB", h}; S, S, S * S', {"TransposeB", h}
%!          S, S, S' * S, {"TransposeA", h}; S > 0.5, S' > 0.5, (S > 0.5) * (S' > 0.5), {}
%!          S, S, S * S', {"TransposeB", "transpose", as_full{:}}
%!          S, sparse(Z), S' * sparse(Z), {"TransposeA", "transpose", as_full{:}}
%!          I, I, exact_integer_product(I, I.', "int8"), {"TransposeB", "transpose"}};
%! assert (fail_rows ("memory", "gpumm:host-memory", 0, table) > 10);

%!test # host memory while a device works, in one part and in many
%! id = {"gpumm:host-memory", "gpumm:device-memory"};
%! table = {A, B, A * B, {}; Z, B, Z * B, {}; A, B, A * B, {"MaxDeviceMemory", 20000}};
%! for name = {"tiled", "register", "naive"}
%!   fail_rows ("memory", id, 1, table, "Algorithm", name{1}, "Backend", "cpu");
%! endfor
%! fail_rows ("memory", id, 1, {S, Z, S' * Z, {"Algorithm", "spmm"}; ...
%!                              S, S > 0.5, S' * (S > 0.5), {"Algorithm", "spgemm"}}, ...
%!            "TransposeA", "transpose", "Backend", "cpu");

%!test # the host device
%! id = {"gpumm:device-memory", "gpumm:device-failed", "gpumm:no-device", "gpumm:host-memory"};
%! table = {A, B, A * B, {}; A, B, A * B + 1, {"C", ones(40, 30)}; Z, B, Z * B, {}
%!          A, B, A * B, {"MaxDeviceMemory", 20000}; single(A), single(B), single(A * B), {}};
%! faults = 0;
%! for name = {"tiled", "register"}
%!   faults += fail_rows ("device", id, 1, table, "Algorithm", name{1}, "Backend", "cpu");
%! endfor
%! T = B(1:3,:);
%! table = {S, S, S * S', {"TransposeB", "ctranspose", "Algorithm", "spgemm"}
%!          S, B, S * B, {"Algorithm", "spmm"}; ones(600, 3), T, ones(600, 3) * T, ...
%!          {"Algorithm", "naive"} # widened
%!          A, B, A * B, {"Algorithm", "strassen_register_1"}}; # in the midst of its launches
%! faults += fail_rows ("device", id, 1, table, "Backend", "cpu");
%! assert (faults > 50);

%!function C = counted (name, X)
%!  [C, t] = gpumm_kernel (name, X, X, "Backend", "cpu");
%!endfunction
%!test # pages, and kernels that are counted
%! rand ("twister", 71);
%! X = make_operand ("double", 4, 80)(:,:);
%! X = reshape (X, 4, 4, 20);
%! Y = complex (X, X);
%! Y(:,:,3) = 1;
%! faults = 0;
%! for pair = {X, X; Y, X; X, Y; Y, Y; X(:,:,1), X; X(:,:,1), complex(X, 1); int8(X), int8(X); ...
%!             single(X), single(Y)}.'
%!   faults += fail_each ("memory", "gpumm:host-memory", @() pagemtimes (pair{:}), ...
%!                        pagemtimes (pair{:}));
%! endfor
%! assert (faults > 20);
%! X = uint16 (kron ([1, 0, 0, 1; 0, 0, 1, 0; 1, 1, 0, 0; 0, 0, 0, 0], ones (4)));
%! for row = {"tiled", A(1:9,1:9); "classic", blocksparse(X, 4)}.'
%!   R = gpumm_kernel (row{:}, row{2}, "Backend", "cpu");
%!   for what = {"memory", "device"}
%!     faults = fail_each (what{1}, {"gpumm:host-memory", "gpumm:host-failed", ...
%!                                   "gpumm:device-memory", "gpumm:device-failed"}, ...
%!                         @() full (counted (row{:})), full (R));
%!     assert (faults > 3);
%!   endfor
%! endfor

%!test # Octave has no memory for the result: no address space has so many bytes
%! x = ones (1e7, 1);
%! gpumm_reset ();
%! alive = __gpumm_fault__ ("live");
%! gone = with_variable ("GPUMM_MAX_HOST_MEMORY", "none"); # the engine would refuse it before
%! for pair = {x, x'; int8(x), int8(x'); i * x, x'; sparse(x), sparse(x'); i * sparse(x), sparse(x'); ...
%!             blocksparse(x, [1e5, 1]), blocksparse(x', [1, 1e5])}.'
%!   err = struct ("identifier", "none");
%!   try
%!     gpumm (pair{:}, "Backend", "cpu");
%!   catch err
%!   end_try_catch
%!   assert (err.identifier, "gpumm:host-memory");
%!   assert (! isempty (strfind (err.message, "gpumm: Octave has no memory for the")), err.message);
%! endfor
%! gpumm_reset ();
%! assert (__gpumm_fault__ ("live"), alive);
%! assert (gpumm (A, B), A * B, 1e-12);
