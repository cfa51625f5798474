## gui.tst - what gpumm_gui computes, without its window. tests/gui tests the window.
## SPDX-License-Identifier: BSD-3-Clause

## gpumm_gui with these choices, given as fields and values
%!function r = computed (varargin)
%!  r = gpumm_gui (cell2struct (varargin(2:2:end), varargin(1:2:end), 2));
%!endfunction

%!function refused (id, pattern, varargin)
%!  check_error (id, ["^gpumm_gui: " pattern "$"], @() computed (varargin{:}));
%!endfunction

## What these choices give with a gpumm of this body.
%!function r = with_gpumm (body, varargin)
%!  gone = with_functions ({"gpumm", "[C, info] = gpumm (A, B, varargin)", body});
%!  r = computed (varargin{:});
%!endfunction

## all kernels, edges of tiles: products, times and rates fit each other
%!test
%! for sizes = [1 1 1; 33 17 40; 5 100 3].'
%!   r = computed ("m", sizes(1), "n", sizes(2), "k", sizes(3));
%!   assert ([r.m, r.n, r.k], sizes.');
%!   assert ({size(r.A), size(r.B)}, {sizes([1, 3]).', sizes([3, 2]).'});
%!   assert (r.C, r.A * r.B, eps () * columns (r.A) * norm (r.A) * norm (r.B));
%!   assert (r.kernels, {"loops"; "naive"; "tiled"; "register"; ...
%!                       {"blas", "cublas"}{1 + gpumm_available("gpu")}; "*"});
%!   assert (r.right, true (6, 1));
%!   assert (all (r.error >= 0 & r.error <= 1));
%!   assert (! any (cellfun (@isempty, r.ran)) && all (cellfun (@isempty, r.failed)));
%!   assert (all (r.seconds > 0) && all (r.total >= r.seconds));
%!   assert (r.flops, 2 * prod (sizes));
%!   assert (r.gflops, 1e-9 * r.flops ./ r.seconds, -1e-12);
%!   assert (isnan (r.loads), [true; false; false; false; true; true]);
%!   for i = 2:4
%!     [~, trace] = gpumm_kernel (r.ran{i}, r.A, r.B);
%!     assert (r.loads(i), trace.load.total.elements);
%!   endfor
%!   assert (! r.stopped);
%!   assert (r.backend, {"cpu", "gpu"}{1 + gpumm_available("gpu")});
%! endfor

## chosen kernels, in the order of the window
%!test
%! r = computed ("m", 20, "n", 20, "k", 20, "kernels", {"*", "tiled", "loops"}, "backend", "cpu");
%! assert (r.kernels, {"loops"; "tiled"; "*"});
%! assert (r.ran{1}, "loops");
%! assert (strncmp (r.ran{2}, "tiled", 5));
%! assert ({r.backend, r.device}, {"cpu", "CPU"});

%!testif ; gpumm_available ("gpu")
%! r = computed ("m", 300, "n", 200, "k", 100, "backend", "gpu");
%! assert (r.backend, "gpu");
%! assert (r.device, gpumm_info ().devices(1).name);
%! assert (r.right, true (6, 1));
%! assert (strncmp (r.ran{5}, "cublas", 6));

## how matrices are filled
%!test
%! few = {"kernels", {"naive"}, "m", 2, "k", 3, "n", 4};
%! r = computed (few{:}, "A", "counting", "B", "ones");
%! assert (r.A, [1 2 3; 4 5 6]);
%! assert (r.B, ones (3, 4));
%! assert (r.C, [6 6 6 6; 15 15 15 15]);
%! r = computed (few{:}, "A", "identity", "B", "counting");
%! assert (r.A, eye (2, 3));
%! assert (r.C, [1 2 3 4; 5 6 7 8]);
%! rand ("twister", 5);
%! expected = rand (1, 3);
%! rand ("twister", 5);
%! r = computed (few{:});
%! assert (rand (1, 3), expected);          # the user's numbers go on as they were
%! s = computed (few{:});
%! assert (s.A, r.A);
%! assert (all (abs (r.A(:)) < 0.5) && numel (unique ([r.A(:); r.B(:)])) == 18);

## one's own matrices; sizes that are not given are theirs
%!test
%! r = computed ("A", [1, 2; 3, 4; 5, 6], "B", "identity");
%! assert ([r.m, r.k, r.n], [3, 2, 128]);
%! r = computed ("A", int8 ([1, 2]), "B", [true; false]);
%! assert (r.C, 1);
%! r = computed ("B", 7, "m", "3", "A", "ones");
%! assert (r.C, [7; 7; 7]);

## NaN and Inf are where A*B has them
%!test
%! A = [1, NaN; 3, -Inf; 0, 1];
%! B = [0, 1; 2, Inf];
%! r = computed ("A", A, "B", B);
%! assert (r.C, A * B);
%! assert (r.right, true (6, 1));

## sizes as they are typed
%!test
%! for typed = {"4", " 4\t", "+4", "4.", "4.0", "04", ".4e1", "40e-1", "4E0", "4e+0"}
%!   r = computed ("m", typed{1}, "k", "1", "n", "1", "kernels", {"loops"});
%!   assert (r.m, 4, typed{1});
%! endfor

## what is refused, and how it is said
%!test
%! no = "gpumm:bad-value";
%! sizes = {"is missing", {"", "  "}; "must be 1 or more", {0, -Inf, "0", "-1", "-.5", "-Inf"}; ...
%!          "must be whole", {2.5, "2.5", ".25e1", "25E-1"}; "is too large", {Inf, "inf", "+INF", "1e99"}; ...
%!          "is not a number", {NaN, [2, 3], {2}, "NaN", "nan", "NA", "infx", "-nan", "4,5", "4 5", "4x", ...
%!                              "x4", "4i", "[4]", "0x4", "1d2", "1e", "1e.5", "e1", ".", "+", "--4", ...
%!                              "1.2.3"}};
%! for name = {"m", "n", "k"}
%!   for row = sizes.'
%!     cellfun (@(value) refused (no, [name{1} " " row{1}], name{1}, value), row{2});
%!   endfor
%! endfor
%! refused (no, "A must be a matrix or \"random\", \"ones\", .*", "A", "zeros");
%! refused (no, "B must be a real full matrix", "B", 1i);
%! refused (no, "B must be a real full matrix", "B", speye (3));
%! refused (no, "A must be a real full matrix", "A", ones (2, 2, 2));
%! refused (no, "A is 2 x 3, but m x k is 4 x 3", "A", ones (2, 3), "m", 4);
%! refused (no, "B is 2 x 3, but k x n is 1 x 3", "A", 1, "B", ones (2, 3));
%! refused (no, "B has an element below 1e-150 or above 1e150", "B", [1, -1e151]);
%! refused (no, "B has an element below 1e-150 or above 1e150", "B", [1, 1e-151]);
%! refused (no, "kernels must be a cell array of \"loops\", .*", "kernels", {"cannon"});
%! refused (no, "kernels must be .* \"blas\", \"\\*\"", "kernels", {"cublas"}, "backend", "cpu");
%! refused (no, "kernels must be a cell array of .*", "kernels", "loops");
%! refused (no, "choose at least one", "kernels", {});
%! refused (no, "backend must be .*", "backend", "tpu");
%! refused (no, "seconds and bytes must be .*", "seconds", 0);
%! refused (no, "seconds and bytes must be .*", "bytes", "all");
%! refused ("gpumm:unknown-option", "unknown choice \"o\"; valid choices are m, n, k, .*", "o", 1);

## too much memory or time, with how much; it may be allowed
%!test
%! refused ("gpumm:too-large", "m = 1000000, n = 1000000, k = 1: too large: it needs 64 TB .*", ...
%!          "m", 1e6, "n", 1e6, "k", 1);
%! few = {"m", 100, "n", 100, "k", 100, "kernels", {"naive"}};
%! refused ("gpumm:too-large", ".*: it needs 1\\.12 MB of memory, and the limit is 1 MB", ...
%!          few{:}, "bytes", 1e6);
%! assert (computed (few{:}, "bytes", 2e6).right);
%! refused ("gpumm:too-large", ...
%!          ".*: it takes .* ms, of which naive takes .* ms, and the limit is 0\\.001 ms", ...
%!          few{:}, "seconds", 1e-6);
%! assert (computed (few{:}, "seconds", 1e4).right);

%!testif ; ! gpumm_available ("gpu")
%! refused ("gpumm:no-device", "no GPU can be used: .+", "backend", "gpu");

## an error of one element is found; at half a unit in the last place it is rounding
%!test
%! body = ["C = A * B; C(end) *= 1 + %s; s = struct ('total', 2e-3, 'compute', 1e-3);\n" ...
%!         "info = struct ('kernel', 'fake', 'seconds', s, 'backend', 'cpu');"];
%! few = {"m", 9, "n", 9, "k", 9, "A", "ones", "backend", "cpu", "kernels", {"naive", "*"}};
%! r = with_gpumm (sprintf (body, "1e-10"), few{:});
%! assert (r.right, [false; true]);
%! assert (r.error(1) > 100);
%! assert (r.C(end) != (r.A * r.B)(end));      # the wrong one is shown
%! assert (r.ran, {"fake"; "*"});
%! assert ([r.seconds(1), r.total(1)], [1e-3, 2e-3]);
%! r = with_gpumm (sprintf (body, "eps ()"), few{:});
%! assert (r.right, [true; true]);
%! assert (r.error(1) > 0);

## a kernel that fails says why, and the others run
%!test
%! body = "error ('gpumm:device-memory', 'gpumm: no memory for %d', 3);";
%! r = with_gpumm (body, "m", 3, "n", 3, "k", 3, "kernels", {"tiled", "*"});
%! assert (r.failed, {"gpumm: no memory for 3"; ""});
%! assert (isnan (r.seconds), [true; false]);
%! assert (r.right, [false; true]);
%! assert (r.C, r.A * r.B);

## without a display, or in an Octave without Qt, there is no window
%!testif ; ! any (strcmp (available_graphics_toolkits (), "qt"))
%! check_error ("gpumm:no-display", "gpumm_lessons", @() gpumm_gui ());

## times and rates for people have no exponent
%!test
%! table = {380, "380"; 1721.4, "1721"; 999.4, "999"; 999.7, "999.7"; 52340, "52340"; ...
%!          3.84e6, "3840000"; 38.04, "38"; 0.0123456, "0.0123"; 0, "0"; ...
%!          -1721.4, "-1721"; Inf, "Inf"; NaN, "NaN"};
%! for row = table.'
%!   assert (__three_digits__ (row{1}), row{2});
%! endfor
