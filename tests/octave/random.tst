## random.tst - random calls: any value by any value, any options, special numbers, and what no call
## should have.
##
## Either the result is that of Octave's expression (check_product), or there is an error that names
## what is wrong, with an identifier of gpumm's guide.  GPUMM_RANDOM_CASES in the environment is the
## number of calls (2500), GPUMM_SEED the seed, which is printed: the same seed gives the same
## calls.  Where there is a GPU, most products of full matrices run on it.  A million:
##
##   GPUMM_RANDOM_CASES=1000000 ctest --test-dir build -R octave_random -V
## SPDX-License-Identifier: BSD-3-Clause

## mostly numbers in a full matrix, else any type; sometimes a value that `*` treats by rules of its
## own, or that is no matrix
%!function X = any_value (m, n)
%!  whole = @() randi ([-4, 4], m, n);
%!  if (rand < 0.4)
%!    X = make_operand (pick ({"double", "single", "complex", "single complex"}), m, n);
%!  elseif (rand < 0.6)
%!    X = make_operand (pick (make_operand ()), m, n);
%!  else
%!    X = pick ({@() complex(whole (), zeros (m, n)), @() sparse(m, n), ...
%!               @() eye(m, n) * (randi (4) + 2i), @() single(eye (m, n) * randi (4)), ...
%!               @() blocksparse(whole () .* (rand (m, n) < 0.5), 1), ...
%!               @() blocksparse(single (whole ()), max ([m, n], 1)), ...
%!               @() blocksparse(uint16 (whole () + 4), 1), ...
%!               2, -3, 0, NaN, Inf, 1i, complex(2, 0), single(2), true, "a", single(1 + 2i), ...
%!               sparse(2), sparse(0), sparse(1i), sparse(true), sparse(NaN), ...
%!               int8(3), uint16(3), int64(-3), uint64(3), ...
%!               ones(m, n, 2), zeros(0, 3, 2), single(ones (1, 1, 3)), int8(ones (2, 1, 2)), ...
%!               true(2, 2, 2), [], "", '', zeros(0, 1), zeros(1, 0), sparse(0, 0), single([]), ...
%!               {1}, struct("a", 1), @sin, {}, containers.Map(), inputParser()});
%!    if (is_function_handle (X) && isempty (strfind (func2str (X), "sin")))
%!      X = X ();
%!    endif
%!  endif
%!  if (rand < 0.15 && isfloat (X) && numel (X) > 0 && ! isa (X, "blocksparse"))
%!    X(randi (numel (X))) = pick ({NaN, Inf, -Inf, -0});
%!  endif
%!endfunction

## a list of options, most of them well formed
%!function options = any_options (m, n, kernels)
%!  options = {};
%!  names = {"none", "transpose", "ctranspose"};
%!  factors = {0, 1, 2, -1, 0.5, NaN, Inf, 1i, complex(2, 0), single(2), true, int8(2), ...
%!             int64(9007199254740993), sparse(2), sparse(0), single(1i), -0, uint8(0), eye(1)};
%!  if (rand < 0.05)
%!    factors = {"x", [1, 2], [], {1}, @sin, ones(1, 1, 2), blocksparse(1, 1)};
%!  endif
%!  algorithms = [gpumm_info().algorithms(:)', kernels, {"auto", "no", 1}];
%!  seldom = {{"Device", 0}, {"Device", sparse(0)}, {"Device", 1e3}, {"Device", -1}, ...
%!            {"MaxDeviceMemory", 1e6}, ...
%!            {"MaxDeviceMemory", "x"}, {"MaxCapability", 7.5}, {"Backend", "cpu"}, ...
%!            {"backend", "AUTO"}, {"Backend", "gpu"}, {"Nothing", 1}, {"Alpha"}, {1, 2}};
%!  classes = {"double", "single", "int8", "int32", "uint64", "char", 1};
%!  for choice = {0.5, {"TransposeA", names}; 0.5, {"TransposeB", names}; 0.25, {"Alpha", factors}
%!                0.15, {"C", {any_value(m, n)}}; 0.1, {"Beta", factors}
%!                0.15, {"Algorithm", algorithms}; 0.06, {"OutputClass", classes}
%!                0.05, {"Output", {"full", "sparse", "blocksparse", "no"}}}.'
%!    if (rand < choice{1} * (! strcmp (choice{2}{1}, "Beta") || rand < 0.3 ...
%!                            || any (strcmp (options(1:2:end), "C"))))
%!      options = [options, choice{2}(1), {pick(choice{2}{2})}];
%!    endif
%!  endfor
%!  if (rand < 0.1)
%!    options = [options, pick(seldom)];
%!  endif
%!endfunction

%!function is = all_finite (X)
%!  is = ! isnumeric (X) || all (isfinite (full (X))(:));
%!endfunction

%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! cases = from_environment ("GPUMM_RANDOM_CASES", 2500);
%! printf ("random.tst: GPUMM_SEED=%d GPUMM_RANDOM_CASES=%d\n", seed, cases);
%! fflush (stdout);
%! rand ("twister", seed);
%! kernels = {gpumm_info().kernels.name};
%! has_gpu = gpumm_available ("gpu");
%! refusals = {"gpumm:nd-array", "gpumm:unknown-option", "gpumm:missing-value", ...
%!             "gpumm:bad-value", "gpumm:no-device", "gpumm:unsupported", "gpumm:removed"};
%! is_matrix = @(X) ndims (X) == 2 && (isnumeric (X) || islogical (X) || ischar (X));
%! products = refused = 0;
%! for n = 1:cases
%!   ## mostly small, each size down to 0; mostly conformant
%!   s = pick ({randi([0, 5], 1, 4), randi([1, 4], 1, 4), floor(40 * rand (1, 4) .^ 2)});
%!   if (rand < 0.93)
%!     s(3) = s(2);
%!   endif
%!   options = any_options (s(1), s(4), kernels);
%!   A = any_value (s(1), s(2));
%!   B = any_value (s(3), s(4));
%!   if (rand < 0.15 && is_matrix (A))
%!     B = pick ({A, conj(+A), A.', A'});
%!   endif
%!   for i = 1:2:min (numel (options), 4) # so that they conform
%!     if (isequal (options{i}, "TransposeA") && ! strcmp (options{i+1}, "none") && is_matrix (A))
%!       A = A.';
%!     elseif (isequal (options{i}, "TransposeB") && ! strcmp (options{i+1}, "none") ...
%!             && is_matrix (B))
%!       B = B.';
%!     endif
%!   endfor
%!   if (has_gpu && isfloat (A) && isfloat (B) && rand < 0.7)
%!     options = [options, {"Backend", "gpu"}];
%!   endif
%!   ## no oracle: blocks of 1 x 1 are scalars; Strassen's algorithm spreads NaN and Inf
%!   ## (docs/strassen.md)
%!   words = options(cellfun (@(x) ischar (x) && isrow (x), options));
%!   is_block = cellfun (@(x) isa (x, "blocksparse"), [{A, B}, options]);
%!   has_oracle = ! any (is_block) && ! any (strcmp (words, "Output"));
%!   if (any (strncmpi (words, "strassen", 8)))
%!     has_oracle = has_oracle && all_finite (A) && all_finite (B);
%!   endif
%!   try
%!     if (! has_oracle)
%!       gpumm (A, B, options{:});
%!     else
%!       check_product (A, B, options{:});
%!       products++;
%!     endif
%!   catch err
%!     refused++;
%!     allowed = refusals;
%!     if (! has_oracle)
%!       allowed = [refusals, {"Octave:nonconformant-args", "gpumm:undefined-operator"}];
%!     endif
%!     unclear = regexp (err.message, '__gpumm|as they are|out of bound|undefined near');
%!     if (! any (strcmp (err.identifier, allowed)) || ! isempty (unclear))
%!       error ("case %d of seed %d: %s: %s", n, seed, err.identifier, err.message);
%!     endif
%!   end_try_catch
%! endfor
%! printf ("random.tst: %d products compared, %d calls refused\n", products, refused);
%! assert (cases < 100 || (products > cases / 2 && refused > cases / 20));
