## narrow.tst - numbers that go to a device in a narrower type: exact at the ends of each type, on the
## host device and, where there is one, on the GPU.
## SPDX-License-Identifier: BSD-3-Clause

## X goes up in so many bytes a real number.
%!function check_width (X, bytes)
%!  B = cast ([1, 0; 0, 1; 0, 0], class (X)); # too few rows: it goes up as it is
%!  reals = 1;
%!  if (iscomplex (X))
%!    B = complex (B, 0);
%!    reals = 2;
%!  endif
%!  places = {{"Backend", "cpu", "Algorithm", "naive"}};
%!  if (gpumm_available ("gpu"))
%!    places{end+1} = {"Backend", "gpu"};
%!  endif
%!  for place = places
%!    [C, info] = gpumm (X, B, place{1}{:});
%!    assert (C, X * B);
%!    assert (info.bytes.up, bytes * reals * numel (X) + sizeof (B));
%!  endfor
%!endfunction

%!function X = with (X, value, place)
%!  X(place) = value;
%!endfunction

## real numbers, and complex ones, of which either part decides; the ends of the types are in
## test_narrow
%!test
%! rand ("twister", 72);
%! X = randi ([-128, 127], 700, 3);
%! Z = complex (X, X(:,[3, 1, 2]));
%! reals = {127, 1; -128, 1; 128, 2; -129, 2; 32767, 2; -32768, 2; 32768, 4; -32769, 4
%!          2^24, 4; 2^24 + 1, 8; 0.5, 4; 1 + 2^-23, 4; 1 + 2^-24, 8; realmax("single"), 4
%!          realmax, 8; 2^-149, 4; 2^-150, 8; 2^-1074, 8; Inf, 4; -Inf, 4; NaN, 8; 2^31, 4; -2^31, 4
%!          -0, 4}; # minus zero is no integer
%! for case_ = reals.'
%!   [value, bytes] = case_{:};
%!   for place = [1, 699, 2100]
%!     check_width (with (X, value, place), bytes);
%!     check_width (with (with (X, 4000, 2), value, place), max (bytes, 2));
%!   endfor
%!   if (bytes < 8 || isnan (value)) # others are rounded
%!     check_width (single (with (X, value, 2100)), min (bytes, 4));
%!   endif
%! endfor
%! check_width (Z, 1);
%! for case_ = {complex(1, 1000), 2; complex(-1000, 1), 2; complex(0, 0.25), 4; ...
%!              complex(0.1, 0), 8}.'
%!   check_width (with (Z, case_{1}, 2100), case_{2});
%!   check_width (single (with (Z, case_{1}, 2100)), min (case_{2}, 4));
%! endfor

## too few rows for the device to widen
%!test
%! [C, info] = gpumm (ones (100, 30), ones (30, 20), "Backend", "cpu", "Algorithm", "naive");
%! assert (C, 30 * ones (100, 20));
%! assert (info.bytes.up, 8 * (100 * 30 + 30 * 20));

## panels of many chunks, of which some are narrow
%!testif ; gpumm_available ("gpu")
%! rand ("twister", 74);
%! for type = {"double", "single", "complex", "single complex"}
%!   for limit = {{}, {"MaxDeviceMemory", 64e6}}
%!     A = floor (100 * rand (3000, 2500));
%!     B = floor (100 * rand (2500, 2000));
%!     A(:, 400:700) += 0.25;
%!     A(3000, 2500) = 2^20;
%!     B(:, 1000:end) *= 100;
%!     if (any (strfind (type{1}, "complex")))
%!       A = complex (A, 1);
%!       B = complex (1, B);
%!     endif
%!     if (strncmp (type{1}, "single", 6))
%!       [A, B] = deal (single (A), single (B));
%!     endif
%!     [C, info] = gpumm (A, B, "Backend", "gpu", limit{1}{:});
%!     D = double (A) * double (B);
%!     assert (double (C), D, 2500 * eps (class (A)) * max (abs (D(:))));
%!     if (isempty (limit{1})) # or panels go up more than once
%!       assert (info.bytes.up < 0.7 * (sizeof (A) + sizeof (B)));
%!     endif
%!   endfor
%! endfor
