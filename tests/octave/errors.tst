## errors.tst - every error: its identifier, what its text says, and that Octave goes on.
## SPDX-License-Identifier: BSD-3-Clause

## what `*` and `+` refuse, with their words
%!test
%! both = {"TransposeA", "transpose", "TransposeB", "transpose"};
%! O = @ones;
%! for row = {O(2, 3), O(2, 3), {}, ...
%!            '^operator \*: nonconformant arguments \(op1 is 2x3, op2 is 2x3\)$'
%!            sparse(O (2, 3)), O(2, 3), {}, '\*'; sparse(O (2, 3)), sparse(O (2, 3)), {}, '\*'
%!            eye(2), O(3), {}, '\*'; single(O (2, 3)), O(2, 3), {}, '\*'; "abc", "abc", {}, '\*'
%!            O(2, 3), O(2, 3), {both{:}, "Alpha", 2}, "op1 is 3x2, op2 is 3x2"
%!            O(2, 3), O(2, 4), both, "op1 is 3x2, op2 is 4x2"
%!            O(2, 3), O(2, 4), {both{3:4}, "Algorithm", "tiled"}, "op1 is 2x3, op2 is 4x2"
%!            O(2), O(2), {"C", O(2, 3)}, 'C is 2x3'; O(2), O(2), {"C", O(2, 1)}, 'C is 2x1'
%!            O(2), O(2), {"C", 1}, 'C is 1x1'; O(2), O(2), {"C", single([1, 2])}, 'C is 1x2'
%!            eye(2), O(2), {"C", [1, 2]}, 'C is 1x2'; 2, O(2), {"C", [1; 2]}, 'C is 2x1'
%!            2, O(2), {"C", O(2, 3)}, 'C is 2x3'; O(2), O(2), {"C", O(2, 2, 2)}, 'C is 2x2x2'
%!            sparse(O (2)), sparse(O (2)), {"C", O(1, 2)}, 'C is 1x2'
%!            O(2, 2, 2), O(2), {}, "^gpumm: A is 2x2x2 and B is 2x2; gpumm multiplies matrices. pagemtimes \\(A, B\\) multiplies each page$"
%!            O(2), sparse(O (2)), {"TransposeA", "transpose", "C", O(3)}, 'C is 3x3'
%!            sparse(O (2)), O(3, 2, 2), {}, "pagemtimes \\(full \\(A\\), B\\)"
%!            int8(O (2, 2, 2)), int8(O (2)), {}, "pagemtimes \\(A, B\\)"}.'
%!   [id, text] = error_of (@gpumm, row{1:2}, row{3}{:});
%!   assert (id, "Octave:nonconformant-args");
%!   assert (any (regexp (text, row{4})), text);
%!   if (strncmp (row{4}, "C is", 4))
%!     assert (text, ["gpumm: ", row{4}, " and must have the size of the product, 2x2"]);
%!   endif
%! endfor

## classes that have no product: what to convert, for gpumm, pagemtimes and a gpuArray
%!test
%! I = int8 (magic (2));
%! D = magic (2);
%! for row = {I, D, "double (A) or int8 (B)"; D, I, "int8 (A) or double (B)"
%!            I, single(D), "single (A) or int8 (B)"; I, int16(D), "int16 (A) or int8 (B)"
%!            I, 1i * D, "double (A)"; single(1i * D), I, "single (B)"
%!            I, sparse(D), "double (A) or int8 (full (B))"; sparse(1i * D), I, "double (B)"
%!            I, D > 2, "double (A) or int8 (B)"; sparse(D), int8(2), "int8 (full (A)) or double (B)"
%!            blocksparse(I, 1), D, "double (A) or int8 (B)"
%!            blocksparse(D, 1), blocksparse(I, 1), "int8 (A) or double (B)"
%!            sparse(D), blocksparse(I, 1), "int8 (full (A)) or double (B)"
%!            gpuArray(I), D, "double (A) or int8 (B)"}.'
%!   [id, text] = error_of (@gpumm, row{1:2});
%!   assert (id, "gpumm:undefined-operator");
%!   start = ["^gpumm: binary operator '\\*' not implemented for '.*' by '.*' operations. "];
%!   assert (! isempty (regexp (text, start)), text);
%!   assert (text(regexp (text, "Convert", "once"):end), ["Convert an operand: write ", row{3}]);
%!   ## what it says multiplies
%!   A = row{1};
%!   B = row{2};
%!   for words = strsplit (row{3}, " or ")
%!     if (any (strfind (words{1}, "(A)")) || any (strfind (words{1}, "(full (A))")))
%!       gpumm (eval ([words{1} ";"]), B);
%!     else
%!       gpumm (A, eval ([words{1} ";"]));
%!     endif
%!   endfor
%! endfor
%! check_error ("gpumm:undefined-operator", "write double \\(X\\) or int8 \\(Y\\)$", @pagemtimes, I, D);
%! check_error ("gpumm:undefined-operator", "Write full \\(Y\\)$", @pagemtimes, D, sparse (D));

## A and B that do not conform are named whatever C is
%!test
%! pairs = {ones(2, 0), single(ones (2, 3)), ones(2, 3) + 1i, int8(ones (2, 3)), sparse(ones (2, 3)), ...
%!          blocksparse(ones (2, 3), [1, 1]), blocksparse(single (ones (2, 3)), [1, 1])};
%! others = {[], ones(3), ones(2, 2, 2), ones(2, 0, 2), sparse(ones (2)), 1i * ones(2), single(1), ...
%!           int8(ones (2, 3, 2)), true(2), "abc", eye(2)};
%! for X = pairs
%!   for C = others
%!     allowed = {"Octave:nonconformant-args", "gpumm:bad-value"};
%!     if (isinteger (X{1}) || isa (X{1}, "blocksparse"))
%!       allowed = {"gpumm:removed"};
%!     endif
%!     for more = {{}, {"Algorithm", "blas"}, {"Output", "full"}, {"Beta", 2i}}
%!       [id, text] = error_of (@gpumm, X{1}, X{1}, "C", C{1}, more{1}{:});
%!       assert (any (strcmp (id, allowed)), "%s by C %s: %s %s", class (X{1}), class (C{1}), id, text);
%!     endfor
%!   endfor
%! endfor

## what is no matrix
%!test
%! bad = {@sin, @(x) x, struct("a", 1), struct("a", {1, 2}), {1}, {}, inputParser(), ...
%!        containers.Map()};
%! for b = bad
%!   for x = {2, ones(2), sparse(ones (2)), int8(ones (2)), eye(2), b{1}, ones(2, 2, 2)}
%!     for pair = {b(1), x(1); x(1), b(1)}.'
%!       [id, text] = error_of (@gpumm, pair{1}{1}, pair{2}{1});
%!       assert ({id, text(1:7)}, {"gpumm:undefined-operator", "gpumm: "});
%!       id = error_of (@gpumm, pair{1}{1}, pair{2}{1}, "Alpha", 2);
%!       assert (id, "gpumm:undefined-operator");
%!     endfor
%!   endfor
%! endfor
%!error <gpumm: binary operator '\*' not implemented for 'function handle' by 'matrix' operations> gpumm (@sin, ones (2))
%!error <gpumm: binary operator '\*' not implemented for 'cell' by 'scalar' operations> gpumm ({1}, 2)

## options
%!error <unknown option "Foo"; valid options are TransposeA, TransposeB, Alpha, .*> gpumm (1, 2, "Foo", 3)
%!error <option "Alpha" has no value> gpumm (1, 2, "Alpha")
%!error <^gpumm: unknown option "backend"> gpumm (1, 2, "backend\0", "cpu")
%!error <unknown option "xxxx> gpumm (ones (2), ones (2), repmat ("x", 1, 2000), 1)
%!error <C must be a numeric matrix, not a inputParser> gpumm (ones (2), ones (2), "C", inputParser ())
%!error <Beta is not 0 and there is no C> gpumm (ones (2), ones (2), "Beta", 2i)
%!error <Beta is not 0 and there is no C> gpumm (ones (2, 3), ones (2, 3), "Beta", 1)
%!error <Beta is not 0 and there is no C> gpumm (1, 2, "Beta", 1)
%!error <^gpumm: TransposeA must be "none"> gpumm ({}, @sin, "Alpha", 2, "TransposeA", "t", "Foo", 1)
%!error <TransposeA must be "none", "transpose" or "ctranspose"> gpumm (1, 2, "TransposeA", "t")
%!error <Backend must be "auto", "cpu" or "gpu"> gpumm (1, 2, "Backend", "tpu")
%!error <Algorithm must be "auto", one of the algorithms blas, loops> gpumm (1, 2, "Algorithm", "magic")
%!error <OutputClass must be "double"> gpumm (1, 2, "OutputClass", "float")
%!error <Invalid call to gpumm> gpumm ()
%!error <Invalid call to gpumm> gpumm (1)
%!error id=gpumm:bad-value gpumm_available ("abacus")
%!test
%! for options = {{"Foo", 3}, {3, 4}, {3}, {{"Alpha"}, 4}, {struct("alpha", 2, "scalars", 1)}, ...
%!                {["Beta"; "Beta"], 1}, {"", 1}, {"Alph", 1}}
%!   assert (error_of (@gpumm, 1, 2, options{1}{:}), "gpumm:unknown-option");
%! endfor
%! for options = {{"Alpha"}, {"Alpha", 1, "Beta"}}
%!   assert (error_of (@gpumm, 1, 2, options{1}{:}), "gpumm:missing-value");
%! endfor
%! for row = {"Backend", {"cpu\0", repmat("cpu", 1, 999)}; "TransposeB", {true}; ...
%!            "Algorithm", {3}; "Beta", {{}}
%!            "Alpha", {[1, 2], "x", inputParser()}; "C", {{1}, @sin}; ...
%!            "MaxDeviceMemory", {0, -5, NaN, Inf}
%!            "MaxCapability", {"7.5", 0, 0.01, blocksparse(8, 1)}
%!            "Device", {-1, 0.5, "first", 2^31, [], "", [0, 0.5], [0, -1], [0, NaN], [0, 1, 0], ...
%!                       [0, 51], [0, 52], [0, 1; 2, 3], {0, 1}}}.'
%!   for value = row{2}
%!     for A = {1, ones(2)}
%!       assert (error_of (@gpumm, A{1}, A{1}, row{1}, value{1}), "gpumm:bad-value", row{1});
%!     endfor
%!   endfor
%! endfor
%! ## an algorithm that does not multiply these
%! for row = {sparse(ones (2)), ones(2), {"tiled"}; ones(2), ones(2), {"sparse"}
%!            int8(ones (2)), int8(ones (2)), {"blas"}; ones(2), ones(2), ...
%!            {"cublas", "Backend", "cpu"}}.'
%!   assert (error_of (@gpumm, row{1:2}, "Algorithm", row{3}{:}), "gpumm:unsupported");
%! endfor
%!error <^gpumm: algorithm "spgemm" does not multiply double by double; write one of "auto", "blas", "loops", "naive"> ...
%! gpumm (ones (2), ones (2), "Algorithm", "spgemm")
%!error <^gpumm: algorithm "blas" does not multiply int8 by int8; write one of "auto", "integers"$> ...
%! gpumm (int8 (ones (2)), int8 (ones (2)), "Algorithm", "blas")
%!error <^gpumm: algorithm "cublas" needs a GPU, and Backend "cpu" was asked for$> ...
%! gpumm (ones (2), ones (2), "Algorithm", "cublas", "Backend", "cpu")
%!error <Write sparse \(gpumm \(A, B\)\)$> gpumm (ones (2), ones (2), "Output", "sparse")
%!error <Write blocksparse \(gpumm \(A, B\), BLOCKSIZE\)$> gpumm (ones (2), ones (2), "Output", "blocksparse")
%!error <Write blocksparse \(gpumm \(A, B\), BLOCKSIZE\)$> gpumm (blocksparse (4, 4, 2), ones (4), "Output", "blocksparse")
%!error <no kernel of "naive" .* under the given MaxCapability> ...
%! gpumm (ones (2), ones (2), "Algorithm", "naive", "Backend", "cpu", "MaxCapability", 1)

## too large for this machine
%!test
%! [id, text] = error_of (@gpumm, ones (1e9, 0), ones (0, 1e9));
%! assert (id, "gpumm:host-memory");
%! assert (! isempty (strfind (text, "1000000000")));
%! assert (error_of (@gpumm, ones (1e5, 0), ones (0, 1e8)), "gpumm:host-memory");
%! assert (gpumm ([1, 2], [3; 4]), 11);

## one rule for all formats: a result that memory cannot hold is refused before it is made.  The limit
## is that of the machine and its control group, or GPUMM_MAX_HOST_MEMORY
%!test
%! x = sparse (ones (3000, 1)); # 9e6 nonzeros of 16 bytes
%! S = blocksparse (ones (3000, 4), 4);
%! y = ones (3000, 1); # 72 MB
%! gone = with_variable ("GPUMM_MAX_HOST_MEMORY", "");
%! for limit = {"60M", "3e7", "none", "0", "1T", ""}
%!   setenv ("GPUMM_MAX_HOST_MEMORY", limit{1});
%!   for X = {x, x != 0, i * x, S, y, single(y), uint32(y)}
%!     for options = {{}, {"OutputClass", "double"}}
%!       if (isa (X{1}, "uint32") != ! isempty (options{1}))
%!         continue;
%!       endif
%!       [id, text] = error_of (@gpumm, X{1}, X{1}, "TransposeB", "transpose", options{1}{:});
%!       assert (strcmp (id, "none") || ! isempty (strfind (text, "3000x3000 result")), text);
%!       refuses = any (strcmp (limit{1}, {"60M", "3e7"})) ...
%!                 && ! (strcmp (limit{1}, "60M") && isa (X{1}, "single"));
%!       assert (strcmp (id, {"none", "gpumm:host-memory"}{1 + refuses}), "%s: %s says %s", ...
%!               limit{1}, typeinfo (X{1}), id);
%!     endfor
%!   endfor
%! endfor
%! setenv ("GPUMM_MAX_HOST_MEMORY", "60M");
%! B = blocksparse (ones (3000), 4); # 72 MB by blocks, 144 MB as a sparse matrix
%! assert (error_of (@sparse, B), "gpumm:host-memory");
%! setenv ("GPUMM_MAX_HOST_MEMORY", "much");
%! assert (error_of (@gpumm, x, x, "TransposeB", "transpose"), "gpumm:invalid");

## Every variable of the environment with a value that is none of its values: an error that names it
%!test
%! for variable = {"GPUMM_MAX_HOST_MEMORY", "10X"; "GPUMM_MAX_HOST_MEMORY", "1K"; "GPUMM_DEVICES", "first"; ...
%!                 "GPUMM_BLAS", "libblas.so.3"}' # the BLAS has been chosen
%!   unwind_protect
%!     setenv (variable{:});
%!     for call = {@() gpumm(magic (3), magic (3)), @() gpumm(magic (3), magic (3), "Backend", "cpu"), ...
%!                 @() gpumm(magic (3), magic (3), "Algorithm", "loops"), @() pagemtimes(ones (2, 2, 2), ones (2))}
%!       [id, text] = error_of (call{1});
%!       assert (id, "gpumm:invalid");
%!       words = sprintf ("the environment variable %s is \"%s\"; it must be ", variable{:});
%!       assert (! isempty (strfind (text, words)), "%s", text);
%!     endfor
%!   unwind_protect_cleanup
%!     unsetenv (variable{1});
%!   end_unwind_protect
%! endfor
%!test # before the package is loaded
%! product = "gpumm (1:3, ones (3), \"Backend\", \"cpu\", \"Algorithm\", \"%s\");";
%! for try_it = {"GPUMM_BLAS", "/nowhere", sprintf(product, "blas"); ...
%!               "GPUMM_BLAS", "libc.so.6", sprintf(product, "loops"); ...
%!               "GPUMM_HOST_DEVICES", "none", sprintf(product, "tiled"); ...
%!               "GPUMM_HOST_DEVICES", "9", sprintf(product, "tiled"); ...
%!               "GPUMM_GPUARRAY", "host_device", "gpuArray (1)"; ...
%!               "GPUMM_GPUARRAY", "1", "gpuArray.zeros (3)"; ...
%!               "GPUMM_MTIMES", "yes", "1"}'
%!   [~, said] = system ([try_it{1} "=" try_it{2} " " another_octave(try_it{3}) " 2>&1"]);
%!   words = sprintf ("the environment variable %s is \"%s\"; it must be ", try_it{1:2});
%!   assert (numel (strfind (said, words)) == 1, "%s", said);
%! endfor

## of the machine itself
%!error <47000x47000 result of 2209000000 nonzeros is too large|Octave has no memory> ...
%! x = sparse (ones (47000, 1)); setenv ("GPUMM_MAX_HOST_MEMORY", "24G"); gpumm (x, x, "TransposeB", "transpose");
%!test unsetenv ("GPUMM_MAX_HOST_MEMORY");
%!error id=gpumm:host-memory x = sparse (ones (1e7, 1)); gpumm (x, x, "TransposeB", "transpose")
%!error id=gpumm:host-memory ...
%! x = sparse (ones (1e7, 1)); gpumm (x, x, "TransposeB", "transpose", "Algorithm", "spgemm"); # not counted
## nor are the blocks of one: to count these takes hours
%!test
%! n = 3e6;
%! x = blocksparse ((1:n).', ones (n, 1), ones (1, 1, n), n, 1);
%! z = blocksparse (ones (n, 1), (1:n).', ones (1, 1, n), 1, n);
%! for algorithm = {"bsr", "blocks"}
%!   for operands = {{x, z}, {x, x, "TransposeB", "transpose"}, {z, z, "TransposeA", "transpose"}, ...
%!                   {z, x, "TransposeA", "transpose", "TransposeB", "transpose"}}
%!     id = error_of (@gpumm, operands{1}{:}, "Backend", "cpu", "Algorithm", algorithm{1});
%!     assert (id, "gpumm:host-memory");
%!   endfor
%! endfor
%!error id=gpumm:host-memory x = sparse (1, 1, 1, 1e7, 1); y = sparse (1, 1, 1, 1e15, 1); gpumm (x, y, "TransposeB", "transpose")

## without a GPU
%!test
%! if (! gpumm_available ("gpu"))
%!   for pair = {ones(3), ones(3); 2, ones(3); eye(3), ones(3)}.'
%!     assert (error_of (@gpumm, pair{:}, "Backend", "gpu"), "gpumm:no-device");
%!   endfor
%!   for name = {"cublas", "emulated"} # and why, in one sentence
%!     for X = {ones(3), single(ones (3))}
%!       check_error ("gpumm:unsupported", ["algorithm \"" name{1} "\" needs a GPU, and there is none: " ...
%!                                          regexptranslate("escape", gpumm_info ().why_no_gpu) "$"], ...
%!                    @gpumm, X{1}, X{1}, "Algorithm", name{1});
%!     endfor
%!   endfor
%! else
%!   assert (error_of (@gpumm, ones (3), ones (3), "Backend", "gpu", "Device", 99), "gpumm:bad-value");
%! endif

## the gateways refuse what gpumm would not send them
%!error <__gpumm_multiply__: for use by gpumm only> __gpumm_multiply__ ()
%!test
%! for arguments = {{{1, 2, 3}}, {{}}, {1}}
%!   [~, text] = error_of (@__gpumm_multiply__, arguments{1}{:});
%!   assert (any (strfind (text, "__gpumm_multiply__: for use by gpumm only")), text);
%! endfor
%! assert (error_of (@__gpumm_multiply__, 1, 2, 3), "gpumm:unknown-option");
%! for pair = {@sin, struct(); ones(2), {}; int8(ones (2)), ones(2); ones(2), true(3); ...
%!             ones(2), ones(2, 2, 2)
%!             single(ones (200)), ones(200)}.'
%!   ans = "no result";
%!   __gpumm_multiply__ (pair{:});
%!   assert (ans, "no result");
%! endfor
%!error id=gpumm:internal __gpumm_fault__ ()

## and after all of that
%!assert (gpumm (magic (4), magic (4)), magic (4) * magic (4))
