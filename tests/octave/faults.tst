## faults.tst - the n-th allocation and the n-th call of the device fail, for every n: an error with
## its identifier or the right result, nothing leaked, and Octave goes on.
## SPDX-License-Identifier: BSD-3-Clause

## some thousand times: assert takes longer than the product
%!function check (yes, format, varargin)
%!  if (! yes)
%!    error (["faults.tst: " format], varargin{:});
%!  endif
%!endfunction
%!function check_result (C, R)
%!  check (size_equal (C, R) && strcmp (class (C), class (R)) ...
%!         && all ((abs (double (full (C)) - double (full (R))) <= 1e-3)(:)), "a wrong result");
%!endfunction

%!function faults = fail_each (what, identifiers, R, varargin)
%!  gpumm_reset ();
%!  C = gpumm (varargin{:}); # what is opened and kept at first use is no leak
%!  assert (full (C), full (R), 1e-3); # its size and class, too
%!  gpumm_reset ();
%!  alive = __gpumm_fault__ ("live");
%!  faults = 0;
%!  for n = 1:10000
%!    __gpumm_fault__ (what, n);
%!    failed = false;
%!    try
%!      C = gpumm (varargin{:});
%!    catch err
%!      failed = true;
%!    end_try_catch
%!    calls = __gpumm_fault__ (what, 0);
%!    if (failed)
%!      check (any (strcmp (err.identifier, identifiers)) && strncmp (err.message, "gpumm: ", 7) ...
%!             && numel (err.message) > 10, "%s: %s", err.identifier, err.message);
%!      faults++;
%!    else
%!      check_result (C, R);
%!    endif
%!    gpumm_reset ();
%!    check (__gpumm_fault__ ("live") == alive, "memory is missing");
%!    C = gpumm (varargin{:}); # the session is usable at once
%!    check_result (C, R);
%!    gpumm_reset ();
%!    check (__gpumm_fault__ ("live") == alive, "memory is missing");
%!    if (calls < n)
%!      return;
%!    endif
%!  endfor
%!  error ("no end of faults");
%!endfunction

%!shared A, B, Z, S, I
%! rand ("twister", 61);
%! A = rand (40, 50);
%! B = rand (50, 30);
%! Z = complex (rand (40, 50), rand (40, 50));
%! S = sprand (40, 50, 0.2);
%! I = int8 (10 * A);

%!test # host memory: every algorithm of the CPU
%! id = "gpumm:host-memory";
%! faults = fail_each ("memory", id, A * B, A, B);
%! assert (faults > 0);
%! faults += fail_each ("memory", id, Z * B, Z, B);
%! faults += fail_each ("memory", id, B' * Z', B, Z, "TransposeA", "ctranspose", "TransposeB", "ctranspose");
%! faults += fail_each ("memory", id, Z * Z', Z, Z, "TransposeB", "ctranspose");
%! faults += fail_each ("memory", id, A * B, A, B, "Algorithm", "loops");
%! faults += fail_each ("memory", id, S * B, S, B);
%! faults += fail_each ("memory", id, B' * S', B', S, "TransposeB", "ctranspose");
%! faults += fail_each ("memory", id, S * S', S, S, "TransposeB", "ctranspose");
%! faults += fail_each ("memory", id, S' * S, S, S, "TransposeA", "ctranspose");
%! faults += fail_each ("memory", id, (S > 0.5) * (S' > 0.5), S > 0.5, S' > 0.5);
%! faults += fail_each ("memory", id, S * S', S, S, "TransposeB", "transpose", "Algorithm", "sparse_as_dense");
%! faults += fail_each ("memory", id, S' * sparse (Z), S, sparse (Z), "TransposeA", "transpose", ...
%!                      "Algorithm", "sparse_as_dense");
%! faults += fail_each ("memory", id, exact_integer_product (I, I.', "int8"), I, I, ...
%!                      "TransposeB", "transpose");
%! printf ("faults.tst: %d allocations failed\n", faults);

%!test # host memory while a device works, in one part and in many
%! id = {"gpumm:host-memory", "gpumm:device-memory"};
%! for name = {"tiled", "register", "naive"}
%!   options = {"Algorithm", name{1}, "Backend", "cpu"};
%!   assert (fail_each ("memory", id, A * B, A, B, options{:}) > 0);
%!   fail_each ("memory", id, Z * B, Z, B, options{:});
%!   fail_each ("memory", id, A * B, A, B, options{:}, "MaxDeviceMemory", 20000);
%! endfor

%!test # the host device
%! id = {"gpumm:device-memory", "gpumm:device-failed", "gpumm:no-device", "gpumm:host-memory"};
%! faults = 0;
%! for name = {"tiled", "register"}
%!   options = {"Algorithm", name{1}, "Backend", "cpu"};
%!   faults += fail_each ("device", id, A * B, A, B, options{:});
%!   faults += fail_each ("device", id, A * B + 1, A, B, options{:}, "C", ones (40, 30));
%!   faults += fail_each ("device", id, Z * B, Z, B, options{:});
%!   faults += fail_each ("device", id, A * B, A, B, options{:}, "MaxDeviceMemory", 20000);
%!   faults += fail_each ("device", id, single (A * B), single (A), single (B), options{:});
%! endfor
%! options = {"Backend", "cpu", "Algorithm"};
%! faults += fail_each ("device", id, S * S', S, S, "TransposeB", "ctranspose", options{:}, "spgemm");
%! faults += fail_each ("device", id, S * B, S, B, options{:}, "spmm");
%! fail_each ("memory", id, S' * Z, S, Z, "TransposeA", "transpose", options{:}, "spmm");
%! fail_each ("memory", id, S' * (S > 0.5), S, S > 0.5, "TransposeA", "transpose", options{:}, "spgemm");
%! faults += fail_each ("device", id, ones (600, 3) * B(1:3,:), ones (600, 3), B(1:3,:), options{:}, "naive"); # widened
%! faults += fail_each ("device", id, A * B, A, B, "Algorithm", "strassen_register_1", ...
%!                      "Backend", "cpu"); # in the midst of its launches
%! assert (faults > 50);
%! printf ("faults.tst: %d calls of the device failed\n", faults);

%!test # Octave has no memory for the result: no address space has so many bytes
%! x = ones (1e7, 1);
%! gpumm_reset ();
%! alive = __gpumm_fault__ ("live");
%! setenv ("GPUMM_MAX_HOST_MEMORY", "none"); # the engine would refuse it before
%! unwind_protect
%!   for pair = {x, x'; int8(x), int8(x'); i * x, x'; sparse(x), sparse(x'); i * sparse(x), sparse(x'); ...
%!               blocksparse(x, [1e5, 1]), blocksparse(x', [1, 1e5])}.'
%!     err = struct ("identifier", "none");
%!     try
%!       gpumm (pair{:}, "Backend", "cpu");
%!     catch err
%!     end_try_catch
%!     assert (err.identifier, "gpumm:host-memory");
%!     assert (! isempty (strfind (err.message, "gpumm: Octave has no memory for the")), err.message);
%!   endfor
%! unwind_protect_cleanup
%!   unsetenv ("GPUMM_MAX_HOST_MEMORY");
%! end_unwind_protect
%! gpumm_reset ();
%! assert (__gpumm_fault__ ("live"), alive);
%! assert (gpumm (A, B), A * B, 1e-12);
