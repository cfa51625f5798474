## blocksparse_functions.tst - Octave's functions and operators with a blocksparse, beside the full
## matrix: the same, or an error that names full (S) or sparse (S).
## SPDX-License-Identifier: BSD-3-Clause

%!test # all functions that take a matrix
%! [wrong, calls, names] = walk_functions ();
%! assert (numel (names) > 500);
%! fail_with (wrong);

%!test # arguments and outputs that a method does not take
%! [wrong, calls, names] = walk_functions ("blocksparse", "arguments");
%! assert (numel (names) > 60 && calls > 3000, "%d calls of %d methods", calls, numel (names));
%! fail_with (wrong);

## of a blocksparse what compares with a full matrix
%!function x = plain (x)
%!  if (isa (x, "blocksparse"))
%!    x = full (x);
%!  endif
%!endfunction

%!function [x, err] = attempt (f, list)
%!  x = [];
%!  err = "";
%!  try
%!    x = plain (f (list{:}));
%!  catch e
%!    err = [e.message " "];
%!  end_try_catch
%!endfunction

## What is wrong with F (LIST{:}), or ""
%!function text = compare (f, list, may_refuse = true)
%!  text = "";
%!  [expected, err] = attempt (f, cellfun (@plain, list, "UniformOutput", false));
%!  [given, said] = attempt (f, list);
%!  if (isempty (err) && isempty (said))
%!    near = isequal (size (given), size (expected)) && strcmp (class (given), class (expected));
%!    if (near && isfloat (given) && ! isequaln (full (given), full (expected)))
%!      near = all (abs (given(:) - expected(:)) <= 1e4 * eps (class (given)) * (1 + max (abs (expected(:)))));
%!    elseif (near)
%!      near = isequaln (given, expected) || is_function_handle (given);
%!    endif
%!    if (! near)
%!      text = "another value";
%!    endif
%!  elseif (isempty (err) && (! may_refuse || isempty (regexp (said, 'full \(S\)|sparse \(S\)'))))
%!    text = said;
%!  elseif (! isempty (err) && isempty (said))
%!    text = ["no error: " err];
%!  endif
%!  ## gpumm multiplies more classes than `*`, and no N-d arrays
%!  if (! isempty (regexp (func2str (f), 'mtimes|\*')) && ! isempty (regexp (text, '^no error|an N-d array')))
%!    text = "";
%!  endif
%!  if (! isempty (text))
%!    names = cellfun (@(x) sprintf ("%dx%d %s", rows (x), columns (x), typeinfo (x)), list, ...
%!                     "UniformOutput", false);
%!    text = sprintf ("%s, %s: %s", func2str (f), strjoin (names, ", "), text);
%!  endif
%!endfunction

%!function list = matrices ()
%!  A = [4, 1, 0, 0; 1, 5, 0, 0; 0, 0, 6, 2; 0, 0, 2, 7];
%!  list = {blocksparse(A, 2), blocksparse(int8 (30 * A), [4, 2]), ...
%!          blocksparse(single (A(1:2,:) * 1i), [1, 2]), blocksparse(5, 1)};
%!endfunction

%!function list = others ()
%!  A = magic (4);
%!  list = {A, single(A * 1i), int8(A), uint16(A), A > 7, char(A + 60), sparse(A .* (A > 7)), ...
%!          0, single(3), int8(2), true, "a", 2i, NaN, 1:4, (1:4).', ...
%!          eye(4), eye(4)(:,[2, 1, 4, 3]), zeros(4, 0), ones(2, 2, 2), {A}, struct("a", 1), ...
%!          @sin, 1:0, magic(3), "abcd", '', blocksparse(0, 4, 2), blocksparse(A + eye (4), [2, 1])};
%!endfunction

%!function wrong = walk_binary ()
%!  wrong = {};
%!  operators = {@plus, @minus, @mtimes, @times, @mrdivide, @rdivide, @mldivide, @ldivide, @mpower, ...
%!               @power, @eq, @ne, @lt, @le, @gt, @ge, @and, @or};
%!  joints = {@(x, y) [x, y], @(x, y) [x; y], @(x, y) {x, y}{2}, ...
%!            @(x, y) cat(3, x, y), @(x, y) x', @(x, y) x.', @(x, y) -x, @(x, y) +x, @(x, y) ! x, ...
%!            @(x, y) x'*y, @(x, y) x*y', @isequal, @(x, y) ifelse(true, x, y)};
%!  state = warning ();
%!  warning ("off", "all");
%!  for S = matrices ()
%!    for X = [others(), matrices()]
%!      for f = [operators, joints]
%!        ## stored elements alone meet NaN in a product
%!        skip = ! isempty (regexp (func2str (f{1}), 'mtimes|\*')) && isnumeric (X{1}) ...
%!               && any (isnan (plain (X{1})(:)));
%!        for list = {{S{1}, X{1}}, {X{1}, S{1}}}
%!          if (! skip)
%!            text = compare (f{1}, list{1});
%!            if (! isempty (text))
%!              wrong{end+1} = text;
%!            endif
%!          endif
%!        endfor
%!      endfor
%!    endfor
%!  endfor
%!  warning (state);
%!endfunction

%!test # all operators, by operands of all types
%! fail_with (walk_binary ());

%!test # random matrices in blocks of all shapes: nothing is refused
%! functions = {@sum, @(x) sum(x,1), @(x) sum(x,2), @(x) sum(x,3), @sumsq, @mean,  ...
%!              @(x) mean(x,2), @max, @min, @(x) max(x,[],2), @any, @all, @(x) any(x,2),  ...
%!              @(x) all(x,2), @(x) norm(x,1), @(x) norm(x,Inf), @(x) norm(x,"fro"), @trace,  ...
%!              @diag, @(x) diag(x,1), @(x) diag(x,-2), @find, @nonzeros, @isnan, @isinf, @triu, ...
%!              @(x) tril(x,-1), @ishermitian, @issymmetric, @isdiag, @istriu, @istril,  ...
%!              @(x) isbanded(x,1,1), @(x) kron(x,[1 2]), @(x) kron([1;0],x), @(x) isequal(x,x), ...
%!              @(x) x.*x, @(x) x+x, @(x) x-x, @(x) x.', @(x) x', @(x) -x, @(x) [x,x;x,x],  ...
%!              @(x) reshape(x,[],1), @(x) x(:), @(x) x(end:-1:1,:), @(x) x.^2, @(x) x/2, @nnz,  ...
%!              @isempty, @length, @abs, @(x) x(1:end), @(x) x(:,1:end), @(x) sqrt(x),  ...
%!              @(x) max(x, 2), @(x) sum(x, "native"), @(x) repmat(x,2,2), @(x) circshift(x,1),  ...
%!              @flipud, @sort, @cumsum, @prod, @rot90};
%! wrong = {};
%! for seed = 1:60
%!   rand ("twister", seed);
%!   b = randi (3, 1, 2);
%!   grid = randi ([0, 3], 1, 2);
%!   name = {"double", "single", "int8", "uint16"}{randi(4)};
%!   A = kron (rand (grid) < 0.5, ones (b)) .* (randi (9, grid .* b) - 4);
%!   if (rand () < 0.3 && any (strcmp (name, {"double", "single"})))
%!     A *= 1 + 2i;
%!   endif
%!   if (rand () < 0.2)
%!     A(rand (size (A)) < 0.05) = NaN;
%!   endif
%!   S = blocksparse (feval (name, A), b);
%!   for f = functions
%!     ## Octave's all ([1, NaN; 1, 1], 2) is [0; 1], and all ([1, NaN], 2) is 1
%!     if (! strcmp (func2str (f{1}), "@(x) all (x, 2)") || ! any (isnan (full (S)(:))))
%!       wrong{end+1} = compare (f{1}, {S}, false);
%!     endif
%!   endfor
%! endfor
%! for name = {"int8", "uint16", "single", "double"} # integers saturate as Octave's
%!   S = blocksparse (feval (name{1}, [100, 120; 90, 3]), 1);
%!   for f = {@(x) x+x, @(x) x-2*x, @(x) x.*x, @(x) -x, @(x) x/7, @(x) 2.5*x, @abs, @sum, ...
%!            @(x) sum(x, 2), @max, ...
%!            @(x) [x; x], @double, @int8, @(x) cast(x, "uint8"), @nonzeros, @diag}
%!     wrong{end+1} = compare (f{1}, {S}, false);
%!   endfor
%!   assert (isa (S, name{1}) && isa (S, "numeric") && isnumeric (S) && ! isobject (S));
%!   assert (isa (int8 (S), "blocksparse"));
%! endfor
%! fail_with (wrong);

## the pages of a blocksparse are one, and stay a blocksparse
%!test
%! S = blocksparse (reshape (1:8, 2, 4) + 1i, [2, 2]);
%! assert (isequal (pagetranspose (S), S.') && isa (pagetranspose (S), "blocksparse"));
%! assert (isequal (pagectranspose (S), S') && isa (pagectranspose (S), "blocksparse"));
