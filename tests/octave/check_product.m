## [C, INFO] = check_product (A, B, OPTIONS...): gpumm (A, B, OPTIONS...) must give the result of
## Octave's expression ALPHA * op (A) * op (B) + BETA * C, or fail if the expression fails. The
## error says what differs, with the identifier of gpumm's error if gpumm raised one.
##
## Size, class, sparsity, complexness and the places of NaN and Inf must agree, integers exactly,
## and other values to the bound of a plain sum, (k + 8) eps |A| |B| (complex: twice that). Two
## matrices of one integer class, which `*` does not multiply, are compared with
## exact_integer_product, and a blocksparse with the full matrix. Results must not store zeros.
##
## Complex results must be finite at the same elements.  Which part of another element is NaN and
## which is Inf depends on the routine.  So these parts are compared only if `*` calls the same
## routine: on the CPU, with no algorithm, Alpha or C given, for operands of one class with at most
## one transposed (and not one matrix by itself), more than one element, and not where `*` makes a
## real operand complex (k <= min (m, n) / 10), as gpumm does not.
## SPDX-License-Identifier: BSD-3-Clause

function [C, info] = check_product (A, B, varargin)

  o = struct ("transposea", "none", "transposeb", "none", "alpha", 1, "c", [], "beta", [], ...
              "algorithm", "auto", "outputclass", "", "output", "");
  o.is_scaled = false;
  for i = 1:2:numel (varargin) - 1
    name = lower (varargin{i});
    if (ischar (name) && isfield (o, name))
      o.(name) = varargin{i+1};
      o.is_scaled |= any (strcmp (name, {"alpha", "beta", "c"}));
    endif
  endfor
  if (isempty (o.beta))
    o.beta = double (any (strcmpi (varargin(1:2:end), "C")));
  endif

  expected = got = X = Y = [];
  try
    X = turned (full_blocks (A), o.transposea);
    Y = turned (full_blocks (B), o.transposeb);
    P = product (full_blocks (A), full_blocks (B), X, Y, o);
    R = combined (P, o);
  catch expected
  end_try_catch
  try
    [C, info] = gpumm (A, B, varargin{:});
    ## without info, most calls take a shorter path
    if (isempty (varargin) && ! is_alike (gpumm (A, B), C))
      fail ("another result without info", A, B, varargin);
    endif
  catch got
  end_try_catch

  if (! isempty (expected))
    if (isempty (got))
      fail ("* says \"%s\" and gpumm gives a result", A, B, varargin, expected.message);
    endif
    wanted = {expected.identifier, ...
              regexprep(expected.message, '^operator \+: .*op1 is (\w+), op2 is (\w+)\)$', ...
                        "gpumm: C is $2 and must have the size of the product, $1")};
    if (max (ndims (A), ndims (B)) > 2 && prod (size (X)(2:end)) != rows (Y)
        && any (strfind (got.message, ". pagemtimes (")))
      wanted = {"Octave:nonconformant-args", got.message};
    elseif (! strcmp (expected.identifier, "Octave:nonconformant-args"))
      wanted = {"gpumm:undefined-operator", got.message};
    endif
    if (! all (strcmp ({got.identifier, got.message}, wanted)))
      fail_as (got.identifier, "* says \"%s\" and gpumm \"%s\"", A, B, varargin, ...
               expected.message, got.message);
    endif
    return;
  elseif (! isempty (got))
    fail_as (got.identifier, "* gives a result and gpumm says \"%s\"", A, B, varargin, got.message);
  endif

  [is_sparse, is_blocks] = form (A, B, o);
  if (is_blocks != isa (C, "blocksparse"))
    fail ("a %s", A, B, varargin, class (C));
  elseif (is_blocks)
    check_blocks (C, A, B, o, varargin);
    C = full (C);
  elseif (issparse (C) != (issparse (R) || is_sparse))
    fail ("sparsity differs", A, B, varargin);
  endif
  if (! size_equal (C, R))
    fail ("size %s, not %s", A, B, varargin, mat2str (size (C)), mat2str (size (R)));
  elseif (! strcmp (class (C), class (R)))
    fail ("class %s, not %s", A, B, varargin, class (C), class (R));
  endif
  may_differ = (iscomplex (R) || iscomplex (C)) && ! all (isfinite (full (R))(:)) ...
               && ! same_routine (A, B, X, R, o, info);
  if (iscomplex (C) != iscomplex (R) && ! may_differ)
    fail ("complexness differs", A, B, varargin);
  endif
  if (issparse (C))
    check_sparse (C, A, B, varargin);
  endif

  c = full (C);
  R = full (R);
  if (isinteger (c) && any ((c != R)(:)))
    fail ("integers differ", A, B, varargin);
  endif
  if (may_differ)
    if (any ((isfinite (c) != isfinite (R))(:)))
      fail ("finite elsewhere", A, B, varargin);
    endif
    c(! isfinite (R)) = R(! isfinite (R)) = 0;
  endif
  if (all ((c == R)(:))) # as in most tests, whose sums are exact
    return;
  endif
  limit = bound (X, Y, P, R, o);
  check_part (real (c), real (R), limit, A, B, varargin);
  if (iscomplex (R))
    check_part (imag (c), imag (R), limit, A, B, varargin);
  endif

endfunction

## Equal, but for the parts of complex elements that are not finite.
function yes = is_alike (C, D)
  yes = isequaln (C, D);
  if (! yes && iscomplex (C) && iscomplex (D) && size_equal (C, D))
    there = isfinite (C);
    yes = isequal (there, isfinite (D)) && isequal (C(there), D(there));
  endif
endfunction

function yes = same_routine (A, B, X, R, o, info)
  yes = ! o.is_scaled && strcmp (info.device.name, "CPU") && strcmp (o.algorithm, "auto") ...
        && strcmp (class (A), class (B)) && ! isscalar (R) ...
        && (strcmp (o.transposea, "none") || strcmp (o.transposeb, "none")) ...
        && (iscomplex (A) == iscomplex (B) || columns (X) > min (size (R)) / 10) ...
        && ! isequaln (abs (A), abs (B)) && (ndims (B) > 2 || ! isequaln (abs (A), abs (B.')));
endfunction

function X = full_blocks (X)
  if (isa (X, "blocksparse"))
    X = full (X);
  endif
endfunction

function X = turned (X, op)
  switch (op)
    case "transpose"
      X = X.';
    case "ctranspose"
      X = X';
  endswitch
endfunction

## op (A) * op (B), where X and Y are op (A) and op (B)
function R = product (A, B, X, Y, o)
  is_scale = isscalar (A) || isscalar (B);
  if (isinteger (A) && strcmp (class (A), class (B)) && ! (is_scale && isempty (o.outputclass)))
    name = {o.outputclass, class(A)}{1 + isempty(o.outputclass)};
    if (any (strcmp (name, {"double", "single"})))
      R = cast (double (X) * double (Y), name);
    elseif (is_scale)
      R = reshape (exact_integer_product (X(:), Y(:).', name), size (double (X) * double (Y)));
    else
      R = exact_integer_product (X, Y, name);
    endif
    return;
  elseif (columns (X) == rows (Y) && columns (X) < min (rows (X), columns (Y))
          && any (strfind (typeinfo (X), "diagonal")) && any (strfind (typeinfo (Y), "diagonal")))
    k = columns (X); # Octave 7 leaves other elements undefined
    R = diag (full (diag (X))(1:k)(:) .* full (diag (Y))(1:k)(:), rows (X), columns (Y));
    return;
  endif
  ## Write A.' * B as one expression: Octave then makes one call of BLAS, as gpumm does.  Two
  ## expressions would call another routine, with NaN at other places if complex numbers meet Inf.
  switch ([o.transposea, " ", o.transposeb])
    case "transpose none"
      R = A.' * B;
    case "ctranspose none"
      R = A' * B;
    case "none transpose"
      R = A * B.';
    case "none ctranspose"
      R = A * B';
    otherwise
      R = X * Y;
  endswitch
endfunction

## ALPHA * P + BETA * C; what a zero multiplies is not read
function R = combined (P, o)
  R = P;
  if (! o.is_scaled)
    return;
  endif
  if (o.alpha == 0)
    R(:) = 0;
    if (iscomplex (R))
      R = real (R);
    endif
  endif
  if (! (isa (o.alpha, "double") && o.alpha == 1))
    R = plain (o.alpha) * R;
  endif
  if (o.beta != 0)
    C0 = full_blocks (o.c);
    if (! isequal (size (C0), size (R)))
      error ("Octave:nonconformant-args", ...
             "operator +: nonconformant arguments (op1 is %s, op2 is %s)", ...
             sprintf ("%dx", size (R))(1:end-1), sprintf ("%dx", size (C0))(1:end-1));
    endif
    if (issparse (R) && strcmp (typeinfo (C0), "diagonal matrix"))
      C0 = sparse (C0); # Octave 7 may crash
    elseif (issparse (C0) && strcmp (typeinfo (R), "diagonal matrix"))
      R = sparse (R);
    endif
    if (isa (o.beta, "double") && o.beta == 1)
      R = R + C0;
    else
      R = R + plain (o.beta) * C0;
    endif
  endif
endfunction

function x = plain (x)
  x = full_blocks (x);
  if (issparse (x) || isreal (x))
    x = full (x);
  endif
endfunction

## Must C be sparse because of blocks, or in blocks?
function [is_sparse, is_blocks] = form (A, B, o)
  in_blocks = [isa(A, "blocksparse"), isa(B, "blocksparse")];
  is_scale = numel (A) == 1 || numel (B) == 1;
  is_blocks = any (in_blocks) && (all (in_blocks) || is_scale);
  is_sparse = any (in_blocks) && ! is_blocks && (issparse (A) || issparse (B));
  if (any (in_blocks) && ! isempty (o.output))
    is_blocks = strcmp (o.output, "blocksparse");
    is_sparse = strcmp (o.output, "sparse");
  endif
endfunction

function limit = bound (X, Y, P, R, o)
  X = sizes_of (X);
  Y = sizes_of (Y);
  if (isscalar (X) || isscalar (Y))
    terms = reshape (X .* Y, size (R)); # a sparse scalar turns an N-d array into a matrix
  else
    terms = X * Y;
  endif
  limit = (columns (X) + 8) * (1 + iscomplex (R)) * eps (class (R)) * terms + realmin (class (R));
  if (o.is_scaled)
    limit = max (sizes_of (o.alpha), 1) * limit;
    if (o.beta != 0)
      added = sizes_of (P) * sizes_of (o.alpha) + sizes_of (o.c) * sizes_of (o.beta);
      limit += 8 * eps (class (R)) * added;
    endif
  endif
endfunction

function X = sizes_of (X)
  X = abs (double (full (full_blocks (X))));
  X(! isfinite (X)) = 0;
endfunction

function check_part (c, r, limit, A, B, options)
  if (any ((isnan (c) != isnan (r))(:)))
    fail ("NaN elsewhere", A, B, options);
  endif
  infinite = isinf (c) | isinf (r);
  if (any (c(infinite) != r(infinite)))
    fail ("Inf elsewhere", A, B, options);
  endif
  error_of = abs (double (c) - double (r));
  wrong = isfinite (r) & ! (error_of <= limit);
  if (any (wrong(:)))
    i = find (wrong, 1);
    fail ("element %d is %.17g and not %.17g", A, B, options, i, c(i), r(i));
  endif
endfunction

function check_sparse (C, A, B, options)
  [i, j, v] = find (C);
  if (numel (v) != nnz (C) || any (v == 0))
    fail ("a stored zero", A, B, options);
  elseif (any (diff (i(:) + j(:) * rows (C)) <= 0))
    fail ("rows are not ascending", A, B, options);
  elseif (! isequaln (sparse (i, j, v, rows (C), columns (C)), C))
    fail ("not as Octave would store it", A, B, options);
  endif
endfunction

function check_blocks (C, A, B, o, options)
  s = struct (C);
  if (any (all (reshape (s.values, s.block_rows * s.block_cols, []) == 0, 1)))
    fail ("a stored block of zeros", A, B, options);
  elseif (isa (A, "blocksparse") && isa (B, "blocksparse"))
    b = {blocksize(A), blocksize(B)};
    flips = ! strcmp ({o.transposea, o.transposeb}, "none");
    b(flips) = cellfun (@flip, b(flips), "UniformOutput", false);
    if (numel (A) > 1 && numel (B) > 1 && ! isequal (blocksize (C), [b{1}(1), b{2}(2)]))
      fail ("blocks of %s", A, B, options, mat2str (blocksize (C)));
    endif
  endif
endfunction

function fail (varargin)
  fail_as ("check_product:differs", varargin{:});
endfunction

function fail_as (id, format, A, B, options, varargin)
  text = "";
  for o = options
    x = o{1};
    if ((isnumeric (x) || islogical (x)) && ! isobject (x) && numel (x) < 10)
      x = mat2str (full (x)(:).');
    elseif (! ischar (x))
      x = typeinfo (x);
    endif
    text = [text, ", ", x(:).'];
  endfor
  error (id, "check_product: %s by %s (%s by %s%s): %s", mat2str (size (A)), mat2str (size (B)), ...
         typeinfo (A), typeinfo (B), text, sprintf (format, varargin{:}));
endfunction
