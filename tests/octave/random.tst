## random.tst - random classes, shapes, options and values against `*`.
##
## GPUMM_RANDOM_CASES in the environment is their number (3000), GPUMM_SEED the seed, which is
## printed: the same seed gives the same cases.  Where there is a GPU, most full ones run on it.  A
## million small ones:
##
##   GPUMM_RANDOM_CASES=1000000 ctest --test-dir build -R octave_random -V
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! cases = from_environment ("GPUMM_RANDOM_CASES", 3000);
%! printf ("random.tst: GPUMM_SEED=%d GPUMM_RANDOM_CASES=%d\n", seed, cases);
%! fflush (stdout);
%! rand ("twister", seed);
%! types = make_operand ();
%! plain = {"double", "single", "complex", "single complex"};
%! ops = {"none", "transpose", "ctranspose"};
%! kernels = {gpumm_info().kernels.name};
%! has_gpu = gpumm_available ("gpu");
%! for n = 1:cases
%!   ## mostly small, each size down to 0; mostly conformant
%!   s = floor (40 * rand (1, 4) .^ 2);
%!   if (rand < 0.95)
%!     s(4) = s(2);
%!   endif
%!   if (rand < 0.5)
%!     a = plain{randi (4)};
%!     b = plain{randi (4)};
%!   else
%!     a = types{randi (numel (types))};
%!     b = types{randi (numel (types))};
%!   endif
%!   if (strcmp (a, b) && any (strncmp (a, {"int", "uint"}, 3)))
%!     continue; # gpumm's extension: integers.tst
%!   endif
%!   op_a = randi (3);
%!   op_b = randi (3);
%!   size_a = s([1, 2]);
%!   size_b = s([4, 3]);
%!   if (op_a > 1) size_a = flip (size_a); endif
%!   if (op_b > 1) size_b = flip (size_b); endif
%!   A = make_operand (a, size_a(1), size_a(2));
%!   B = make_operand (b, size_b(1), size_b(2));
%!   on_gpu = has_gpu && isfloat (A) && isfloat (B) && rand < 0.7;
%!   options = {};
%!   if (op_a > 1 || rand < 0.5)
%!     options = {"TransposeA", ops{op_a}};
%!   endif
%!   if (op_b > 1 || rand < 0.5)
%!     options = [options, {"TransposeB", ops{op_b}}];
%!   endif
%!   if (rand < 0.2 && ! issparse (A) && ! issparse (B))
%!     if (on_gpu)
%!       options = [options, {"Algorithm", kernels{randi(numel (kernels))}}];
%!     else
%!       options = [options, {"Algorithm", [{"blas", "loops"}, kernels]{randi(numel (kernels) + 2)}}];
%!     endif
%!   endif
%!   if (on_gpu)
%!     options = [options, {"Backend", "gpu"}];
%!   endif
%!   ## Strassen's algorithm spreads NaN and Inf further: docs/strassen.md
%!   if (rand < 0.1 && numel (A) > 0 && isfloat (A) && ! any (strncmp (options, "strassen", 8)))
%!     A(randi (numel (A))) = [NaN, Inf, -Inf](randi (3));
%!   endif
%!   try
%!     check_product (A, B, options{:});
%!   catch err
%!     ## a kernel may be for some types or for few rows alone, and says so
%!     if (isempty (strfind (err.message, "gpumm says \"gpumm: no kernel of ")))
%!       error ("case %d of seed %d: %s", n, seed, err.message);
%!     endif
%!   end_try_catch
%! endfor
