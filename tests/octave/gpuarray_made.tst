## gpuarray_made.tst - arrays that are made on the device by Octave's functions, by the class word
## "gpuArray" and by "like"; and that these functions are Octave's in all else.
## SPDX-License-Identifier: BSD-3-Clause

## [class, complexness, format] of what a gpuArray holds
%!function kind = kind_of (x)
%!  kind = {isgpuarray(x), underlyingType(x), iscomplex(x), issparse(x)};
%!endfunction

## the class word, also behind a class: what Octave makes without it, on the device
%!test
%! sizes = {{}, {3}, {2, 3}, {[2, 3]}, {2, 3, 2}, {0, 2}, {-1}, {int8(2), 3}, {gpuArray(2), gpuArray(3)}, ...
%!          {gpuArray([2, 3])}};
%! classes = {"zeros", {"double", "single", "int8", "uint64"}; "ones", {"single", "uint16"}
%!            "eye", {"double", "single", "int8"}; "Inf", {"single", "double"}; "inf", {"single"}
%!            "NaN", {"single"}; "nan", {"double"}; "NA", {"single"}; "true", {}; "false", {}};
%! for row = classes.'
%!   f = @(varargin) feval (row{1}, varargin{:});
%!   for s = sizes
%!     if (strcmp (row{1}, "eye") && numel (s{1}) > 2)
%!       continue;
%!     endif
%!     host = cellfun (@gather, s{1}, "UniformOutput", false);
%!     for c = [{{}}, num2cell(row{2})]
%!       G = f (s{1}{:}, c{1}{:}, "gpuArray");
%!       R = f (host{:}, c{1}{:});
%!       assert (isgpuarray (G) && isempty (difference (G, full (R))), disp ({row{1}, s{1}{:}, c{1}{:}}));
%!     endfor
%!     assert (f (s{1}{:}), f (host{:})); # sizes that are gpuArrays, and no word
%!   endfor
%! endfor
%! assert (gather (colon (1, 2, 7, "gpuArray")), 1:2:7);
%! assert (isgpuarray (colon (1, 3, "gpuArray")) && isgpuarray (linspace (1, 2, 3, "gpuArray")));
%! assert (gather (linspace (gpuArray (1), 2, 5)), linspace (1, 2, 5));

## "like": class, complexness, format and place
%!test
%! prototypes = {5, single([1, 2]), int8(3), uint64(1), true, 2i, complex(single (1), 2), sparse([1, 0]), ...
%!               sparse(1i)};
%! for X = [prototypes, cellfun(@gpuArray, prototypes, "UniformOutput", false)]
%!   X = X{1};
%!   names = {"zeros", "ones", "eye"};
%!   if (isfloat (X))
%!     names = [names, {"Inf", "NaN", "NA", "rand", "randn", "rande"}];
%!   endif
%!   for name = names
%!     f = @(varargin) feval (name{1}, varargin{:}, "like", X);
%!     Y = f (2, 3);
%!     assert (kind_of (Y), kind_of (X), name{1});
%!     assert (size (Y), [2, 3]);
%!     assert (size (f ([3, 2])), [3, 2]);
%!     if (! strncmp (name{1}, "rand", 4))
%!       assert (isequaln (double (full (gather (Y))), double (full (feval (name{1}, 2, 3)))), name{1});
%!     endif
%!   endfor
%! endfor
%! for name = {"true", "false"}
%!   assert (kind_of (feval (name{1}, 2, "like", gpuArray (true))), kind_of (gpuArray (true)));
%! endfor

## wrong words and arrays
%!test
%! G = gpuArray (1);
%! for row = {@() zeros(1.5, "gpuArray"), "gpuArray.zeros: sizes must be"; @() zeros({}, "gpuArray"), "gpuArray.zeros"
%!            @() ones(2, "int128", "gpuArray"), "gpuArray.ones: sizes must be .* class must be a name"
%!            @() true(2, "like", G), "true: the array after \"like\" must be logical"
%!            @() rand(2, "like", gpuArray (true)), "rand: the array after \"like\" must be numeric"
%!            @() gpuArray.foo(2), "gpuArray.foo: there is no such function. There are gpuArray.zeros, ones, "}.'
%!   check_error ("gpumm:bad-value", row{2}, row{1});
%! endfor
%!error id=gpumm:bad-value gpuArray.zeros2
%!error id=gpumm:bad-value gpuArray ()(2)
%!error zeros (2, "like", {1})

## gpuArray.NAME
%!assert (gather (gpuArray.linspace (0, 1, 5)), linspace (0, 1, 5))
%!assert (gather (gpuArray.logspace (0, 2, 3)), [1, 10, 100])
%!assert (gather (gpuArray.colon (1, 3)), 1:3)
%!assert (isgpuarray (gpuArray.colon (1, 3)))
%!assert (gather (gpuArray.speye (2)), speye (2))
%!assert (issparse (gpuArray.sprand (5, 5, 0.4)))
%!assert (all (gather (gpuArray.randi (3, 1, 50) <= 3)))
%!assert (underlyingType (gpuArray.randi (3, 2, "int8")), "int8")
%!assert (size (gpuArray.randperm (4)), [1, 4])
%!assert (gather (gpuArray.ones (2, 2)(2,:)), [1, 1])

## In all else the functions are Octave's: what a program sees, and an error says, is the same with
## and without the package, after it was loaded twice, and after `clear all`.
%!function text = seen (begin)
%!  lines = {"which zeros", "which rand", "nargin zeros", "type zeros", "h = @zeros; h (1, 2)", ...
%!           "builtin ('zeros', 1, 2)", "zeros ({})", "zeros (1, 'foo')", "ones (1, 2, 3)", "rand (1, 2, 'x')", ...
%!           "rand ('foo')", "eye (2, 3, 4)", "eye ()", "linspace ()", "linspace (1, 2, {})", "colon (1)", ...
%!           "true (2, 'like')", "randperm (-1)", "randperm ()", "Inf (2, 'int8')", "NA (1, 2)", "e = zeros", ...
%!           "f = 'zeros'; feval (f, 2)", "cellfun (@ones, {1, 2}, 'UniformOutput', false)", ...
%!           "exist zeros", "is_function_handle (@ones)", "func2str (@ones)", "functions (@ones)", ...
%!           "zeros (1, 2)(1)", "a.b = ones (2)", "size (zeros (0, 3))", "class (1:3)", "[a, b] = zeros (1)", ...
%!           "help zeros", "print_usage ()", "x = inf", "nan (2, 'single')", "false (1, 2)", ...
%!           "arrayfun (@(k) numel (zeros (k)), 1:3)", "zeros (1e10, 1e10)", "zeros (-1)"};
%!  code = [begin, "; page_screen_output (false); more off; function called (c), eval (c); end; for c = {'", ...
%!          strjoin(strrep (lines, "'", "''"), "', '"), "'}, try, called (c{1}), ", ...
%!          "catch e, disp (e.message), disp (e.identifier), disp ({e.stack.name}), end, end"];
%!  [status, text] = system ([another_octave(code) " 2>&1"]);
%!  assert (status, 0, text);
%!endfunction
%!test
%! folder = fileparts (which ("__gpumm_made_there__"));
%! without = seen ("__gpumm_made_there__ (false)");
%! assert (seen ("1;"), without);
%! assert (seen ("clear all"), without);
%! again = sprintf ("rmpath ('%s'); addpath ('%s')", folder, folder);
%! assert (seen ([again "; " again]), without);
%! assert (seen (sprintf ("rmpath ('%s')", folder)), without);

## a handle from before, a function of the user's, and the package gone
%!test
%! folder = fileparts (which ("__gpumm_made_there__"));
%! [own, gone] = scratch ();
%! write_file ([own "/zeros.m"], "function x = zeros (varargin), x = 'mine'; end");
%! code = ["h = @zeros; rmpath ('" folder "'); k = @zeros; addpath ('" folder "'); ", ...
%!         "assert (h (1, 2), [0, 0]); assert (k (1, 2), [0, 0]); ", ...
%!         "assert (isgpuarray (zeros (1, 'gpuArray'))); clear all; ", ...
%!         "assert (isgpuarray (zeros (1, 'gpuArray'))); warning ('off', 'all'); addpath ('" own "'); ", ...
%!         "assert (zeros (1, 'gpuArray'), 'mine'); rmpath ('" own "'); ", ...
%!         "assert (isgpuarray (zeros (1, 'gpuArray'))); rmpath ('" folder "'); ", ...
%!         "try, zeros (1, 'gpuArray'), catch e, disp (e.message), end"];
%! [status, text] = system ([another_octave(code) " 2>&1"]);
%! assert (status, 0, text);
%! assert (! isempty (strfind (text, "zeros")) || ! isempty (strfind (text, "invalid data type")), text);

## files of Octave, which know a gpuArray beside them
%!test
%! for X = {5, int8([1, 300]), [1.5, -2; 0, 3], true, sparse([1, 0, 2]), 2i}
%!   for V = {single(1), int8(1), 1, 1i, sparse(1), true}
%!     if (iscomplex (X{1}) && ! isfloat (V{1}))
%!       continue;
%!     endif
%!     for there = [true, true, false; true, false, true]
%!       place = @(x, on) {x, gpuArray(x)}{1 + on};
%!       Y = cast (place (X{1}, there(1)), "like", place (V{1}, there(2)));
%!       assert (isgpuarray (Y), there(2) == 1);
%!       assert (class (gather (Y)), class (V{1}));
%!       assert ([issparse(Y), iscomplex(Y)], [issparse(V{1}), iscomplex(V{1}) || iscomplex(X{1})]);
%!       assert (full (gather (Y)), feval (class (V{1}), full (X{1})));
%!     endfor
%!   endfor
%! endfor
%!assert (underlyingType (cast (gpuArray (1), "int8")), "int8")
%!error id=gpumm:bad-value cast (gpuArray (1), "gpuArray")
%!error id=gpumm:bad-value cast (gpuArray (1), "like", "a")
%!error <Invalid call to cast> cast (gpuArray (1), "int8", 2)
%!test
%! R = randi ([2, 4], 3, 5, "like", gpuArray (int8 (1)));
%! assert (kind_of (R), {true, "int8", false, false});
%! assert (size (R), [3, 5]);
%! assert (all (ismember (gather (R)(:), 2:4)));
%! assert (size (randi (gpuArray (3), 2)), [2, 2]);
