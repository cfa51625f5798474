## mtimes.tst - Octave's own A*B, while gpumm computes it and while it does not.
## SPDX-License-Identifier: BSD-3-Clause

## The result of f with gpumm_mtimes on, and how many products gpumm computed for it.
%!function [C, count] = with_gpumm (f)
%!  [~, before] = gpumm_mtimes ();
%!  was = gpumm_mtimes (true);
%!  unwind_protect
%!    C = f ();
%!  unwind_protect_cleanup
%!    gpumm_mtimes (was);
%!  end_unwind_protect
%!  [~, after] = gpumm_mtimes ();
%!  count = after.gpu + after.cpu - before.gpu - before.cpu;
%!endfunction

## Whole numbers, so that each order of summing gives the same.
%!function X = whole (m, n)
%!  X = floor (19 * rand (m, n)) - 9;
%!endfunction

%!test # each pair of classes, plain and transposed; real by complex, too
%! rand ("twister", 7);
%! A = whole (390, 400);
%! B = whole (400, 415);
%! make = {@(x) x, @(x) single(x), @(x) x + 2i * x, @(x) single(x + 2i * x)};
%! for i = 1:4
%!   for j = 1:4
%!     X = make{i} (A);
%!     Y = make{j} (B);
%!     Xt = X.';
%!     Yt = Y.';
%!     Xh = X';
%!     Yh = Y';
%!     right = X * Y;
%!     forms = {@() X * Y, @() Xt.' * Y, @() X * Yt.', @() Xh' * Y, @() X * Yh'};
%!     if (i != j && i + j > 3)
%!       forms = forms(1);
%!     endif
%!     for f = forms
%!       [C, count] = with_gpumm (f{1});
%!       assert (count == 1, "%d, %d: %s", i, j, func2str (f{1}));
%!       assert (class (C), class (right));
%!       assert (isequal (C, right));
%!     endfor
%!   endfor
%! endfor

%!test # sparse by sparse and by full, with Octave's values, class and zeros; one array twice
%! S = sprand (2000, 2000, 0.01);
%! S(S < 0.2) = -S(S < 0.2);
%! Z = S + 1i * S.^2;
%! F = rand (2000, 30);
%! for f = {@() S * S, @() Z * S, @() S' * Z, @() S * F, @() F' * S, @() Z * (F + 1i), ...
%!          @() S.' * F, @() Z' * F, @() F * F'}
%!   right = f{1} ();
%!   [C, count] = with_gpumm (f{1});
%!   assert (count == 1, func2str (f{1}));
%!   assert ([issparse(C), iscomplex(C), nnz(C)], [issparse(right), iscomplex(right), nnz(right)]);
%!   assert (C, right, 1e-12);
%! endfor
%! assert (issymmetric (C));

%!test # what stays Octave's: small products, scalars, other classes, arrays that do not conform, diagonal matrices
%! A = ones (500);
%! S = speye (500);
%! forms = {@() ones (10) * ones (10), @() A * 2, @() 1 * A, @() (A > 0)(1:9,:) * A(:,1:9), @() eye (500) * A, ...
%!          @() A(:,1) * A(1,:), @() S * S, @() ones (900, 0) * ones (0, 900), @() int8 (A) * 2};
%! for f = forms
%!   [C, count] = with_gpumm (f{1});
%!   assert (count == 0, func2str (f{1}));
%!   assert (isequal (C, f{1} ()));
%! endfor

%!test # every form of every pair of types, small and where sparse ones (200) and full ones (400) are taken: as
%! # without, and so are errors
%! S = sparse (mod (reshape (1:400^2, 400, 400), 7) == 3);
%! A = 3 * S + 2 * S.';
%! make = {@full, @(x) full (x) + 2i * full (x), @(x) single (full (x)), @(x) single (full (x)) * 1i, @(x) x, @(x) x * (1 - 1i), ...
%!         @(x) x > 3, @(x) full (x) > 3, @(x) int8 (full (x)), @(x) eye (rows (x)), @(x) eye (rows (x))(end:-1:1,:), ...
%!         @(x) x(2,1), @(x) 1:rows (x)};
%! forms = {@(x, y) x * y, @(x, y) x' * y, @(x, y) x.' * y, @(x, y) x * y', @(x, y) x * y.'};
%! for n = [5, 200, 400]
%!   few = make(1:merge (n == 400, 4, numel (make)));
%!   for f = few
%!     X = f{1} (A(1:n,1:n));
%!     for g = few
%!       Y = g{1} (A(1:n,1:n) + S(1:n,1:n));
%!       for h = forms
%!         found = cell (1, 2);
%!         for on = [false, true]
%!           gpumm_mtimes (on);
%!           try
%!             found{1+on} = h{1} (X, Y);
%!           catch err
%!             found{1+on} = {err.identifier, err.message};
%!           end_try_catch
%!         endfor
%!         gpumm_mtimes (false);
%!         assert (isequal (found{:}) && strcmp (class (found{1}), class (found{2})) ...
%!                 && issparse (found{1}) == issparse (found{2}) && iscomplex (found{1}) == iscomplex (found{2}), ...
%!                 "n = %d, %s: %s by %s", n, func2str (h{1}), func2str (f{1}), func2str (g{1}));
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!test # errors are Octave's own, with its texts, and nothing is left of them
%! A = ones (600);
%! lasterr ("");
%! for f = {@() A * ones(500), @() A' * ones(500, 600), @() ones (500, 600, 2) * A, ...
%!          @() speye (600) * ones (500)}
%!   [~, said] = error_of (f{1});
%!   was = gpumm_mtimes (true);
%!   [~, message] = error_of (f{1});
%!   gpumm_mtimes (was);
%!   assert (! isempty (said));
%!   assert (message, said);
%! endfor

%!test # where gpumm cannot be found, Octave multiplies
%! A = whole (500, 500);
%! right = A * A;
%! folder = fileparts (which ("__gpumm_multiply__"));
%! was = gpumm_mtimes (true);
%! [~, before] = gpumm_mtimes ();
%! rmpath (folder);
%! unwind_protect
%!   C = A * A;
%! unwind_protect_cleanup
%!   addpath (folder);
%!   gpumm_mtimes (was);
%! end_unwind_protect
%! [~, after] = gpumm_mtimes ();
%! assert (C, right);
%! assert (after, before);

%!test # functions of Octave use it
%! A = whole (400, 400) / 400;
%! [E, count] = with_gpumm (@() expm (A));
%! assert (count > 5);
%! assert (E, expm (A), 1e-10 * norm (E));

%!test # GPUMM_MTIMES=1 before the package is loaded
%! code = ["A = ones (500); C = A * A; [on, count] = gpumm_mtimes (); printf (\"%d %d\", on, count.gpu + count.cpu);"];
%! for value = {"1", "0"}
%!   [status, said] = system (["GPUMM_MTIMES=" value{1} " " another_octave(code)]);
%!   assert (status, 0);
%!   assert (said, merge (strcmp (value{1}, "1"), "1 1", "0 0"));
%! endfor

%!test # what gpumm_demo, gpumm_plot and the window compare gpumm with is Octave's own, and then the setting is as before
%! folder = fullfile (fileparts (which ("gpumm_demo")), "private");
%! for user = {"../gpumm_demo.m", "../gpumm_plot.m", "__gui_compare__.m"}
%!   text = fileread (fullfile (folder, user{1}));
%!   assert (isscalar (regexp (text, '^ +own = octaves_own_products \(\);$', "lineanchors")), user{1});
%! endfor
%! here = cd (folder);
%! was = gpumm_mtimes (true);
%! unwind_protect
%!   own = octaves_own_products ();
%!   assert (gpumm_mtimes (), false);
%!   clear own
%!   assert (gpumm_mtimes (), true);
%! unwind_protect_cleanup
%!   gpumm_mtimes (was);
%!   cd (here);
%! end_unwind_protect

%!test # on and off, also twice; `clear all` leaves it on (and no function of this file: this test is the last);
%! # no warning is given or left
%! lastwarn ("none"); # assert, too, changes it in Octave 11
%! was = [gpumm_mtimes(), gpumm_mtimes(true), gpumm_mtimes(1)];
%! said = lastwarn ();
%! assert (was, [false, false, true]);
%! assert (said, "none");
%! clear all
%! assert (gpumm_mtimes (), true);
%! A = ones (600);
%! assert (A * A, 600 * A);
%! lastwarn ("none");
%! was = [gpumm_mtimes(false), gpumm_mtimes(single (0))];
%! said = lastwarn ();
%! assert (was, [true, false]);
%! assert (said, "none");
%! [~, before] = gpumm_mtimes ();
%! C = A * A;
%! [~, after] = gpumm_mtimes ();
%! assert (after, before);
