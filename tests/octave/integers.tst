## integers.tst - matrices of one integer class: exact, saturated once. gpumm's extension of `*`.
## SPDX-License-Identifier: BSD-3-Clause

## the oracle itself, by hand
%!assert (exact_integer_product (intmin ("int64"), intmin ("int64"), "int64"), intmax ("int64"))
%!assert (exact_integer_product (intmin ("int64"), int64 (1), "int64"), intmin ("int64"))
%!assert (exact_integer_product (int64 ([3, -7]), int64 ([-5; 11]), "int64"), int64 (-92))
%!assert (exact_integer_product ([intmax("int64"), intmin("int64")], int64 ([1; 1]), "int64"), int64 (-1))
%!assert (exact_integer_product ([intmax("uint64"), uint64(2)], uint64 ([1; 1]), "uint64"), intmax ("uint64"))
%!assert (exact_integer_product (uint64 (2^63), uint64 (1), "uint64"), uint64 (2^63))
%!assert (exact_integer_product (uint64 (4294967295), uint64 (4294967297), "uint64"), intmax ("uint64"))

## every class into every class, whole ranges, so that most results of narrow classes saturate
%!test
%! rand ("twister", 31);
%! classes = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
%! ops = {"none", "transpose", "ctranspose"};
%! count = 0;
%! for c = classes
%!   for out = classes
%!     for s = [1, 1, 1; 1, 5, 1; 3, 1, 2; 2, 3, 4; 17, 16, 15; 33, 65, 31; 0, 3, 2; 2, 0, 3; 5, 200, 1].'
%!       op_a = mod (count, 3) + 1;
%!       op_b = mod (floor (count / 3), 3) + 1;
%!       A = make_operand (c{1}, s(1), s(2));
%!       B = make_operand (c{1}, s(2), s(3));
%!       if (mod (count, 2)) # small numbers: the result's own values, not only its limits
%!         A = A / 32 ^ (sizeof (A(1:min (1, end))) * 1.2);
%!       endif
%!       expected = exact_integer_product (A, B, out{1});
%!       if (op_a > 1) A = A.'; endif
%!       if (op_b > 1) B = B.'; endif
%!       C = gpumm (A, B, "OutputClass", out{1}, "TransposeA", ops{op_a}, "TransposeB", ops{op_b});
%!       assert (class (C), out{1});
%!       assert (C, expected);
%!       count++;
%!     endfor
%!   endfor
%! endfor
%! printf ("integers.tst: %d products\n", count);

## extremes: the sums need more than 128 bits
%!test
%! for c = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
%!   low = intmin (c{1});
%!   high = intmax (c{1});
%!   for n = [1, 2, 3, 100, 1000]
%!     L = repmat (low, 2, n);
%!     H = repmat (high, 2, n);
%!     for p = {L, L; L, H; H, L; H, H}.'
%!       for out = {"int64", "uint64", c{1}}
%!         assert (gpumm (p{1}, p{2}, "TransposeB", "transpose", "OutputClass", out{1}), ...
%!                 exact_integer_product (p{1}, p{2}.', out{1}));
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! ## one past the limit on either side, reached by sums that go far beyond it and come back
%! M = intmax ("int64");
%! assert (gpumm ([M, M, -M], int64 ([1; 1; 1])), M);
%! assert (gpumm ([M, M, -M], [M; int64(1); M]), M);
%! assert (gpumm ([M, M, -M, int64(1)], [M; -int64(1); M; int64(1)]), -M + 1);
%! assert (gpumm ([M, int64(1)], int64 ([1; 1])), M);
%! assert (gpumm ([-M, int64(1)], int64 ([1; -1])), intmin ("int64"));
%! assert (gpumm ([-M, int64(1)], int64 ([1; -2])), intmin ("int64"));

## the default is the class of the operands
%!test
%! C = gpumm (uint8 ([200, 100; 1, 2]), uint8 ([1, 2; 1, 0]));
%! assert (C, uint8 ([255, 255; 3, 2]));
%! assert (class (C), "uint8");
%! assert (gpumm (int8 ([100, 100]), int8 ([1; -1])), int8 (0));
%! [C, info] = gpumm (int32 (magic (4)), int32 (magic (4)));
%! assert (C, int32 (magic (4) * magic (4)));
%! assert (info.backend, "cpu");

## to double and single
%!test
%! rand ("twister", 32);
%! for c = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
%!   A = make_operand (c{1}, 9, 20);
%!   B = make_operand (c{1}, 20, 7);
%!   R = double (A) * double (B);
%!   C = gpumm (A, B, "OutputClass", "double");
%!   assert (isa (C, "double"));
%!   assert (C, R, 40 * eps * max (abs (double (A)) * abs (double (B)))(1));
%!   if (sizeof (A(1)) <= 2)
%!     assert (C, R);
%!   endif
%!   S = gpumm (A, B, "OutputClass", "single");
%!   assert (isa (S, "single"));
%!   assert (S, single (C), 2 * eps ("single") * abs (C));
%! endfor

## a scalar of the same class: as `*` without options, exact with them
%!test
%! X = int8 (reshape (1:24, 2, 3, 4) * 5);
%! assert (gpumm (int8 (2), X), int8 (2) * X);
%! C = gpumm (int8 (100), X, "OutputClass", "int16");
%! assert (C, int16 (100) * int16 (X));
%! assert (gpumm (X, int8 (100), "OutputClass", "int16"), C);
%! assert (gpumm (int8 (100), int8 ([2, 3]), "OutputClass", "int32", "TransposeB", "transpose"), ...
%!         int32 ([200; 300]));

## large k: more terms than 16-bit accumulators would hold
%!test
%! A = repmat (int8 (-128), 3, 1e5);
%! assert (gpumm (A, A, "TransposeB", "transpose", "OutputClass", "int64"), repmat (int64 (16384e5), 3, 3));
%! A = repmat (intmax ("uint16"), 2, 1e5);
%! assert (gpumm (A, A, "TransposeB", "transpose", "OutputClass", "uint64"), ...
%!         repmat (uint64 (65535)^2 * 1e5, 2, 2));

%!error id=gpumm:undefined-operator gpumm (int8 (ones (2)), int16 (ones (2)))
%!error id=gpumm:undefined-operator gpumm (int8 (ones (2)), ones (2))
%!error id=gpumm:undefined-operator gpumm (true (2), uint8 (ones (2)))
%!error id=Octave:nonconformant-args gpumm (int8 (ones (2, 3)), int8 (ones (2, 3)))
