## gpuarray_random.tst - random numbers of gpuArrays: the same bits with and without a GPU, their
## distributions, classes, sizes, and the state of their generator.
## SPDX-License-Identifier: BSD-3-Clause

## F (), with the state of the generator as it was before.
%!function varargout = kept (f, varargin)
%!  s = gpurng ();
%!  unwind_protect
%!    [varargout{1:nargout}] = f (varargin{:});
%!  unwind_protect_cleanup
%!    gpurng (s);
%!  end_unwind_protect
%!endfunction
%!function varargout = seeded (name, varargin)
%!  gpurng (20261201);
%!  varargout{1} = gather (gpuArray.(name)(varargin{:}));
%!endfunction
%!function x = drawn (name, varargin)
%!  x = kept (@() seeded (name, varargin{:}));
%!endfunction
%!function text = digest (x)
%!  text = hash ("md5", char (typecast (x(:).', "uint8")));
%!endfunction

## The same numbers on every device and without one. These are what one machine gave.
%!test
%! assert (num2hex (drawn ("rand", 3, 1)), num2hex (drawn ("rand", 1, 3)));
%! table = {{"rand", 1, 3}, "06854c7e581e64711488e539ecc155ee"
%!          {"rand", 999, 101}, "3b8299a0b55335e9c80347228ad59e1e"
%!          {"rand", 999, 101, "single"}, "0168a739063e33e8c2ba49ad3ad2996e"
%!          {"randn", 1001, 99}, "e523f619732191a594c16d4d30c31d63"
%!          {"randn", 1001, 99, "single"}, "c5e1793ae5444dea667ee50724b85ba6"
%!          {"rande", 1001, 99}, "941684dccdfa74e3314e4430995639f6"
%!          {"rande", 1001, 99, "single"}, "78168288baabd95ed1a6f4aba362fa27"
%!          {"randi", 10, 999, 7}, "96911440f1dd6b85cc1e369b9818c678"
%!          {"randi", [-2^40, 2^50], 999, 7}, "946f48b99326df595547640c4844e4c2"
%!          {"randi", 200, 99, 7, "uint8"}, "770cfe7b308e77e5bcaf37d73eeaabae"
%!          {"randperm", 5001}, "8f7933422276514c501c7a5cde1d9eb4"
%!          {"randperm", 5001, 700}, "dafe1eb9683d46ddc168f79e07811b3c"
%!          {"randperm", 1e9, 50}, "56e2a3142f10690708952c0e2603e2d5"};
%! for row = table.'
%!   x = drawn (row{1}{:});
%!   assert (digest (x), row{2}, disp (row{1}));
%! endfor

## in the words of Random123, philox4x32_10: counter 0, key 0
%!test
%! x = kept (@() {gpurng(0), gather(gpuArray.rand (1, 2))}){2};
%! words = hex2dec ({"6627e8d5", "e169c58d"; "bc57ac4c", "9b00dbd8"});
%! words = reshape (words, 2, 2);
%! assert (x, (floor (words(:,1) / 2^11) + words(:,2) * 2^21).' / 2^53);

## moments and chi-squared of 64 bins: 63 degrees of freedom, deviation sqrt (126)
%!test
%! n = 2^17;
%! to_uniform = {"rand", @(x) x, 1/2, 1/12; "randn", @(x) erfc (-x / sqrt (2)) / 2, 0, 1
%!               "rande", @(x) -expm1 (-x), 1, 1};
%! for row = to_uniform.'
%!   for name = {"double", "single"}
%!     x = double (drawn (row{1}, n, 1, name{1}));
%!     assert (mean (x), row{3}, 5 * sqrt (row{4} / n));
%!     assert (var (x), row{4}, 15 * row{4} / sqrt (n));
%!     counts = accumarray (min (floor (64 * row{2}(x)), 63) + 1, 1, [64, 1]);
%!     chi = sumsq (counts - n / 64) / (n / 64);
%!     assert (chi, 63, 4 * sqrt (126));
%!   endfor
%! endfor
%! x = drawn ("randi", 6, n, 1);
%! assert (accumarray (x, 1), n / 6 * ones (6, 1), 4 * sqrt (n / 6));
%! x = drawn ("randi", [-1, 2], 1, n, "int8");
%! assert (class (x), "int8");
%! assert (arrayfun (@(k) sum (x == k), -1:2), n / 4 * ones (1, 4), 4 * sqrt (n / 4));

## no number is 0 or 1
%!test
%! for name = {"double", "single"}
%!   x = drawn ("rand", 300, 300, name{1});
%!   assert (all (x(:) > 0 & x(:) < 1));
%!   assert (x, round (x * 2^53) / 2^53);
%!   x = drawn ("rande", 300, 300, name{1});
%!   assert (all (x(:) > 0));
%! endfor

## permutations
%!test
%! for n = [0, 1, 2, 17, 1000]
%!   assert (sort (drawn ("randperm", n)), 1:n);
%!   for m = unique (min ([0, 1, 5, 40, n], n))
%!     x = drawn ("randperm", n, m);
%!     assert (size (x), [1, m]);
%!     assert (numel (unique (x)), m);
%!     assert (all (x >= 1 & x <= n & x == fix (x)));
%!   endfor
%! endfor
%! x = drawn ("randperm", 2^40, 3);
%! assert (all (x >= 1 & x <= 2^40 & x == fix (x)));
%! first = kept (@() cellfun (@(k) gather (gpuArray.randperm (4))(1), cell (1, 4000)));
%! assert (accumarray (first(:), 1), 1000 * ones (4, 1), 150);

## sizes and classes
%!test
%! G = gpuArray (single (1));
%! for name = {"rand", "randn", "rande"}
%!   f = @(varargin) gpuArray.(name{1})(varargin{:});
%!   for sizes = {{}, {3}, {2, 3}, {[2, 3]}, {2, 3, 2}, {0, 2}, {-1}, {int8(2), 3}, {gpuArray(2), 3}, {2, 3, 1, 1}}
%!     host = cellfun (@gather, sizes{1}, "UniformOutput", false);
%!     assert (size (f (sizes{1}{:})), size (zeros (host{:}))); # Octave 7 has no rand (-1)
%!   endfor
%!   assert (underlyingType (f (2)), "double");
%!   assert (underlyingType (f (2, "single")), "single");
%!   assert (underlyingType (f (2, 3, "double")), "double");
%!   x = feval (name{1}, 2, 3, "like", G);
%!   assert ({isgpuarray(x), underlyingType(x), size(x)}, {true, "single", [2, 3]});
%!   x = feval (name{1}, 2, 3, "single", "gpuArray");
%!   assert ({isgpuarray(x), underlyingType(x), size(x)}, {true, "single", [2, 3]});
%!   assert (iscomplex (feval (name{1}, 2, "like", 1i * G)));
%! endfor
%! for name = {"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
%!   x = drawn ("randi", [3, 90], 5, 7, name{1});
%!   assert (class (x), name{1});
%!   assert (double (x), drawn ("randi", [3, 90], 5, 7));
%! endfor
%! assert (size (gpuArray.randi (9)), [1, 1]);
%! assert (size (gpuArray.randi (9, [2, 3])), [2, 3]);
%! assert (size (gpuArray.randi (gpuArray (9), 2, 0, 3)), [2, 0, 3]);
%! assert (drawn ("randi", [5; 5], 1, 3), [5, 5, 5]);
%! x = drawn ("randi", [2 - 2^52, 2^52 - 2], 1, 1000);
%! assert (any (x < 0) && any (x > 0) && any (mod (x, 2) == 1) && all (x == fix (x)));
%!warning <IMAX exceeds requested type> assert (max (drawn ("randi", 300, 1, 100, "uint8")), uint8 (255));

## the state: one for all functions, apart from Octave's
%!function [x, y, z] = continued ()
%!  gpurng (4);
%!  gpuArray.rand (1, 3);
%!  s = gpuArray.randn ("state");
%!  x = gather (gpuArray.rand (1, 6));
%!  gpuArray.rande ("twister", s);
%!  y = gather ([gpuArray.rand(1, 4), gpuArray.rand(1, 2)]);
%!  gpuArray.rand ("seed", s);
%!  z = gather (gpuArray.rand (1, 6));
%!endfunction
%!function x = seeded_by (seed)
%!  gpurng (seed);
%!  x = gather (gpuArray.rand (1, 3));
%!endfunction
%!function x = first_of (state)
%!  gpuArray.rand ("state", state);
%!  x = gather (gpuArray.rand (1, 3));
%!endfunction
%!test
%! octaves = {rand("state"), randn("state"), rande("state")};
%! [x, y, z] = kept (@continued);
%! assert (y, x);
%! assert (z, x);
%! gpuArray.randperm (10);
%! gpuArray.randi (10, 3);
%! assert ({rand("state"), randn("state"), rande("state")}, octaves);
%! assert (kept (@first_of, 5), kept (@() seeded_by (5)));
%! assert (isequal (kept (@first_of, 5), kept (@first_of, 5.5)), false);
%! assert (isequal (kept (@first_of, [1, 2]), kept (@first_of, [2, 1])), false);
%! assert (kept (@first_of, 1:700), kept (@first_of, gpuArray (1:700)));
%! assert (kept (@first_of, -3.5), kept (@first_of, single (-3.5)));
%! assert (isequal (kept (@first_of, "reset"), kept (@first_of, "reset")), false);
%! assert (size (gpuArray.rand ("state")), [4, 1]);
%! assert (class (gpuArray.rand ("state")), "double");
%! assert (gpuArray.rand ("state")(1), gpuArray.rand ("twister")(1));

## another session has other numbers
%!test
%! code = "disp (gpuArray.rand (\"state\").')";
%! [status, one] = system (another_octave (code));
%! assert (status, 0, one);
%! [status, two] = system (another_octave (code));
%! assert (status, 0, two);
%! assert (! strcmp (one, two));

## errors
%!test
%! sizes = "sizes must be";
%! state = "needs real numbers, or \"reset\"";
%! for row = {@() gpuArray.rand(1.5), sizes; @() gpuArray.rand("foo"), sizes; @() gpuArray.rand(2, "int8"), sizes
%!            @() gpuArray.rand({}), sizes; @() gpuArray.randn(NaN), sizes; @() gpuArray.randi(0), sizes
%!            @() gpuArray.randi(2^53), sizes; @() gpuArray.randi(1.5), sizes; @() gpuArray.randi([3, 2]), sizes
%!            @() gpuArray.randi(9, 2, "foo"), sizes; @() gpuArray.randi(9, NaN), sizes
%!            @() gpuArray.randperm(-1), sizes; @() gpuArray.randperm(3, 4), sizes
%!            @() gpuArray.rand("seed", "x"), state; @() gpuArray.rand("state", {}), state
%!            @() gpuArray.randn("state", []), state; @() gpuArray.rande("twister", 1i), state
%!            @() rand("state", 1, "gpuArray"), "set and ask for the state by gpuArray.rand"}.'
%!   check_error ("gpumm:bad-value", row{2}, row{1});
%! endfor
%!error <Invalid call> gpuArray.randi ()
%!error <Invalid call> gpuArray.randperm ()
%!error <Invalid call> gpuArray.rand ("seed", 1, 2)
