## check_product (A, B, OPTIONS...): gpumm (A, B, OPTIONS...) must give the result of `*`, or fail
## if `*` fails.  The error says what differs.
##
## Size, class, sparsity, complexness and the places of NaN and Inf must agree.  Values must agree
## to the bound of a plain sum, (k + 8) eps |A| |B| (complex: twice that).  Sparse results must have
## ascending rows and no stored zeros.  Only TransposeA and TransposeB change the expected result.
##
## Complex results must be finite at the same elements.  Which part of another element is NaN and
## which is Inf depends on the routine.  So these parts are compared only if `*` calls the same
## routine: on the CPU, with no algorithm named, for operands of one class with at most one
## transposed, more than one element, and not where `*` makes a real operand complex (k <=
## min (m, n) / 10), as gpumm does not.
## SPDX-License-Identifier: BSD-3-Clause

function check_product (A, B, varargin)

  op_a = op_b = "none";
  is_named = false;
  for i = 1:2:numel (varargin)
    if (strcmp (varargin{i}, "TransposeA"))
      op_a = varargin{i+1};
    elseif (strcmp (varargin{i}, "TransposeB"))
      op_b = varargin{i+1};
    elseif (strcmp (varargin{i}, "Algorithm"))
      is_named = ! strcmp (varargin{i+1}, "auto");
    endif
  endfor

  expected = got = "";
  try
    X = turned (A, op_a);
    Y = turned (B, op_b);
    ## Write A.' * B as one expression: Octave then makes one call of BLAS, as gpumm does.  Two
    ## expressions would call another routine, with NaN at other places if complex numbers meet Inf.
    switch ([op_a, " ", op_b])
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
  catch err
    expected = err;
  end_try_catch
  try
    [C, info] = gpumm (A, B, varargin{:});
    ## without info, most calls take a shorter path
    if (isempty (varargin) && ! isequaln (gpumm (A, B), C))
      fail ("another result without info", A, B, varargin);
    endif
  catch err
    got = err;
  end_try_catch

  if (isstruct (expected) || isobject (expected))
    if (ischar (got))
      fail ("* says \"%s\" and gpumm gives a result", A, B, varargin, expected.message);
    elseif (strcmp (expected.identifier, "Octave:nonconformant-args"))
      if (! strcmp (got.identifier, expected.identifier) || ! strcmp (got.message, expected.message))
        fail ("* says \"%s\" and gpumm \"%s\"", A, B, varargin, expected.message, got.message);
      endif
    elseif (! strcmp (got.identifier, "gpumm:undefined-operator"))
      fail ("* says \"%s\" and gpumm \"%s\"", A, B, varargin, expected.message, got.message);
    endif
    return;
  elseif (! ischar (got))
    fail ("* gives a result and gpumm says \"%s\"", A, B, varargin, got.message);
  endif

  if (! isequal (size (C), size (R)))
    fail ("size %s, not %s", A, B, varargin, mat2str (size (C)), mat2str (size (R)));
  elseif (! strcmp (class (C), class (R)))
    fail ("class %s, not %s", A, B, varargin, class (C), class (R));
  elseif (issparse (C) != issparse (R))
    fail ("sparsity differs", A, B, varargin);
  elseif (iscomplex (C) != iscomplex (R))
    fail ("complexness differs", A, B, varargin);
  endif
  if (issparse (C))
    check_sparse (C, A, B, varargin);
  endif

  C = full (C);
  R = full (R);
  if (isinteger (C))
    if (! isequal (C, R))
      fail ("integers differ", A, B, varargin);
    endif
    return;
  endif
  X = abs (double (full (X)));
  Y = abs (double (full (Y)));
  X(! isfinite (X)) = 0;
  Y(! isfinite (Y)) = 0;
  if (isscalar (X) || isscalar (Y))
    bound = reshape (X .* Y, size (R)); # a sparse scalar turns an N-d array into a matrix
  else
    bound = X * Y;
  endif
  limit = (columns (X) + 8) * (1 + iscomplex (R)) * eps (class (R)) * bound + realmin (class (R));
  same_routine = strcmp (info.device.name, "CPU") && ! is_named ...
                 && strcmp (class (A), class (B)) && ! isscalar (R) ...
                 && (strcmp (op_a, "none") || strcmp (op_b, "none")) ...
                 && (iscomplex (A) == iscomplex (B) || columns (X) > min (size (R)) / 10);
  if (iscomplex (R) && ! same_routine)
    if (! isequal (isfinite (C), isfinite (R)))
      fail ("finite elsewhere", A, B, varargin);
    endif
    C(! isfinite (R)) = R(! isfinite (R)) = 0;
  endif
  check_part (real (C), real (R), limit, A, B, varargin);
  if (iscomplex (R))
    check_part (imag (C), imag (R), limit, A, B, varargin);
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

function check_part (c, r, limit, A, B, options)
  if (! isequal (isnan (c), isnan (r)))
    fail ("NaN elsewhere", A, B, options);
  endif
  infinite = isinf (c) | isinf (r);
  if (! isequal (c(infinite), r(infinite)))
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
  elseif (! isequal (sortrows ([j(:), i(:)]), [j(:), i(:)]))
    fail ("rows are not ascending", A, B, options);
  elseif (! isequaln (sparse (i, j, v, rows (C), columns (C)), C))
    fail ("not as Octave would store it", A, B, options);
  endif
endfunction

function fail (format, A, B, options, varargin)
  text = "";
  for o = options
    text = [text, ", ", disp(o{1})(1:end-1)];
  endfor
  error ("check_product: %s x %s by %s x %s (%s by %s%s): %s", num2str (rows (A)), ...
         num2str (columns (A)), num2str (rows (B)), num2str (columns (B)), typeinfo (A), ...
         typeinfo (B), text, sprintf (format, varargin{:}));
endfunction
