## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, INFO] = multiply_any (A, B, O): the product of any two values that `*` takes.
##
## Full, sparse and blocksparse matrices go to the engine.  What `*` treats by special rules (a
## scalar times an array, diagonal and permutation matrices) is left to `*`, and so are the pairs of
## classes that have no product: it raises the error.  O is from parse_options.

function [C, info] = multiply_any (A, B, o)

  started = tic ();

  if (isa (A, "blocksparse") || isa (B, "blocksparse"))
    [C, info] = blocks_product (A, B, o);
    return;
  elseif (! isempty (o.form))
    error ("gpumm:bad-value", "gpumm: Output is for products with a blocksparse");
  endif
  kind_a = kind (A);
  kind_b = kind (B);
  if (strcmp (kind_a, "none") || strcmp (kind_b, "none"))
    undefined_operator (typeinfo (A), typeinfo (B));
  endif
  A = narrowed (A, o.transpose_a, B, o.transpose_b);
  B = narrowed (B, o.transpose_b, A, o.transpose_a);

  is_scale = numel (A) == 1 || numel (B) == 1;
  is_special = strcmp (kind_a, "diagonal") || strcmp (kind_b, "diagonal") ...
               || strcmp (kind_a, "permutation") || strcmp (kind_b, "permutation");
  is_nd = ndims (A) > 2 || ndims (B) > 2;
  if (is_nd && (! is_scale || o.transpose_a || o.transpose_b))
    error ("gpumm:nd-array", ["gpumm: an N-d array is multiplied by scalars only, and has no " ...
                              "transpose (A is %s, B is %s)"], ...
           size_text (size (A)), size_text (size (B)));
  endif

  integer_a = strcmp (kind_a, "integer");
  integer_b = strcmp (kind_b, "integer");
  is_integer = integer_a && integer_b && strcmp (class (A), class (B));
  if (is_special)
    on_engine = false;
  elseif (is_integer)
    ## Scalars too, where `*` does not do what was asked for: round once, at the end.
    on_engine = ! is_scale || ! isempty (o.output) || o.alpha != 1 || o.beta != 0;
  elseif (is_scale)
    ## A named algorithm multiplies a 1x1 matrix like any other, where the sizes let it.
    on_engine = ! strcmp (o.algorithm, "auto") && ! is_nd ...
                && ! integer_a && ! integer_b && inner_sizes_agree (A, B, o);
  else
    on_engine = true;
  endif
  ## a pair of classes that has no product, and gets none by OutputClass
  is_undefined = (issparse (A) || issparse (B)) && (isa (A, "single") || isa (B, "single"));
  if (on_engine && ! is_integer)
    on_engine = ! integer_a && ! integer_b && ! is_undefined;
  endif

  if (! isempty (o.output) && ! is_undefined)
    check_output (A, B, kind_a, kind_b, o);
  endif

  if (on_engine && is_integer)
    [C, info] = integer_product (A, B, o);
  else
    if (! isempty (o.output) && ! is_undefined)
      ## computed in the widest class of operands and result, converted at the end
      if (strcmp (o.output, "double") || isa (A, "double") || isa (B, "double") ...
          || ! (isfloat (A) && isfloat (B)))
        A = wide (A);
        B = wide (B);
        o.c = wide (o.c);
      endif
    endif
    if (on_engine)
      [C, info] = float_product (A, B, o);
    else
      [C, info] = octave_product (A, B, o, kind_a, kind_b);
    endif
    if (! isempty (o.output) && ! isa (C, o.output))
      C = feval (o.output, C);
    endif
  endif

  info = whole_call (info, started);

endfunction

## ---- what the operands are ---------------------------------------------------------------------

function k = kind (X)
  switch (typeinfo (X))
    case {"matrix", "complex matrix", "float matrix", "float complex matrix", ...
          "scalar", "complex scalar", "float scalar", "float complex scalar"}
      k = "full";
    case {"sparse matrix", "sparse complex matrix", "sparse bool matrix"}
      k = "sparse";
    case {"diagonal matrix", "complex diagonal matrix", "float diagonal matrix", ...
          "float complex diagonal matrix"}
      k = "diagonal";
    case "permutation matrix"
      k = "permutation";
    case {"int8 matrix", "int16 matrix", "int32 matrix", "int64 matrix", "uint8 matrix", ...
          "uint16 matrix", "uint32 matrix", "uint64 matrix", "int8 scalar", "int16 scalar", ...
          "int32 scalar", "int64 scalar", "uint8 scalar", "uint16 scalar", "uint32 scalar", ...
          "uint64 scalar"}
      k = "integer";
    case {"bool", "bool matrix", "string", "sq_string", "null_matrix", "null_string", ...
          "null_sq_string", "lazy_index", "range", "double_range"}
      k = "convert"; # the values of a full double matrix, stored otherwise
    otherwise
      k = "none";
  endswitch
endfunction

function text = size_text (sizes)
  text = sprintf ("%dx", sizes)(1:end-1);
endfunction

## A transpose of a complex matrix without imaginary parts is real: Inf times its elements is Inf and
## not NaN.  But where Octave does not form the transpose it is not: beside a complex matrix as it is.
function X = narrowed (X, op, Y, op_y)
  if (op && iscomplex (X) && ! issparse (X) && ! (iscomplex (Y) && ! op_y) && all (imag (X)(:) == 0))
    X = real (X);
  endif
endfunction

## Sizes of op (X).
function sizes = op_size (X, op)
  sizes = size (X);
  if (op)
    sizes = sizes([2, 1]);
  endif
endfunction

function yes = inner_sizes_agree (A, B, o)
  yes = op_size (A, o.transpose_a)(2) == op_size (B, o.transpose_b)(1);
endfunction

function undefined_operator (type_a, type_b)
  error ("gpumm:undefined-operator", ...
         "gpumm: binary operator '*' not implemented for '%s' by '%s' operations", type_a, type_b);
endfunction

## Is OutputClass one that this pair can have?
function check_output (A, B, kind_a, kind_b, o)
  integers = strcmp ({kind_a, kind_b}, "integer");
  if (all (integers))
    return; # any; two different classes fail later
  elseif (any (integers))
    valid = {class(ifelse_first (integers(1), A, B))};
  elseif (stays_sparse (A, B, kind_b) || stays_sparse (B, A, kind_a))
    valid = {"double"}; # Octave has no sparse single
  else
    valid = {"double", "single"};
  endif
  if (! any (strcmp (o.output, valid)))
    error ("gpumm:bad-value", "gpumm: OutputClass of a %s by %s product must be %s", ...
           typeinfo (A), typeinfo (B), ["\"" strjoin(valid, "\" or \"") "\""]);
  endif
endfunction

## Is the product of S and X, of that kind, sparse as S is?
function yes = stays_sparse (S, X, kind)
  yes = issparse (S) && (issparse (X) || isscalar (X) ...
                         || any (strcmp (kind, {"diagonal", "permutation"})));
endfunction

function x = ifelse_first (condition, a, b)
  x = b;
  if (condition)
    x = a;
  endif
endfunction

## An error of Octave's operators: what has an identifier keeps it and its text.
function raise_again (err)
  if (strncmp (err.message, "binary operator", 15))
    error ("gpumm:undefined-operator", "gpumm: %s", err.message);
  endif
  error (struct ("message", err.message, "identifier", err.identifier));
endfunction

## ---- products ----------------------------------------------------------------------------------

## As `*` does it, by Octave's own rules for special matrices and scalars.
function [C, info] = octave_product (A, B, o, kind_a, kind_b)
  if (o.backend == 2)
    gpus = __gpumm_info__ ("gpus");
    if (gpus.gpus == 0)
      error ("gpumm:no-device", "gpumm: no GPU can be used: %s", gpus.why);
    endif
  endif
  started = tic ();
  A = apply_op (A, o.transpose_a);
  B = apply_op (B, o.transpose_b);
  try
    if (isdiag_type (A) && isdiag_type (B))
      C = diagonal_product (A, B);
    else
      C = A * B;
    endif
  catch err
    raise_again (err);
  end_try_catch
  complexes = iscomplex (A) + iscomplex (B);
  work = [1, 2, 6](complexes + 1);
  if (strcmp (kind_a, "permutation") || strcmp (kind_b, "permutation"))
    algorithm = "permutation";
    work = 0;
  elseif (strcmp (kind_a, "diagonal") || strcmp (kind_b, "diagonal"))
    algorithm = "diagonal";
  else
    algorithm = "scale";
  endif
  if (issparse (C))
    flops = work * nnz (C);
  elseif (strcmp (algorithm, "diagonal") && isdiag_type (C))
    flops = work * min (size (C));
  else
    flops = work * numel (C);
  endif
  C = combined (C, o);
  info = octave_info (algorithm, toc (started), flops, ["scalars, diagonal and permutation " ...
                      "matrices are multiplied by Octave's own rules"]);
endfunction

## Octave 7 leaves elements undefined where the inner size is the least.
function C = diagonal_product (A, B)
  k = columns (A);
  if (k == rows (B) && k < min (rows (A), columns (B)))
    C = diag (diag (full (A(1:k,1:k) * B(1:k,1:k)))(:), rows (A), columns (B));
  else
    C = A * B;
  endif
endfunction

function yes = isdiag_type (X)
  yes = any (strfind (typeinfo (X), "diagonal"));
endfunction

## alpha * P + beta * C0 by Octave's operators.  A factor of another class than double is applied
## even where it is 1: it decides the class of the result.
function C = combined (P, o)
  C = P;
  if (o.alpha == 0)
    ## as in BLAS, NaN and Inf in A and B do not matter then
    if (issparse (P))
      C = sparse (rows (P), columns (P));
    else
      C = zeros (size (P), class (P));
    endif
  endif
  try
    if (o.alpha != 1 || ! isa (o.alpha, "double"))
      C = o.alpha * C;
    endif
    if (o.beta != 0)
      check_c (o.c, size (P));
      ## the sum is sparse; Octave 7 may crash where a sparse matrix meets a diagonal one
      if (issparse (C) && isdiag_type (o.c) && isa (o.c, "double"))
        o.c = sparse (o.c);
      elseif (issparse (o.c) && isdiag_type (C) && isa (C, "double"))
        C = sparse (C);
      endif
      if (o.beta == 1 && isa (o.beta, "double"))
        C = C + o.c;
      else
        C = C + o.beta * o.c;
      endif
    endif
  catch err
    raise_again (err);
  end_try_catch
endfunction

## `+` would stretch a row or a column to the product's size.
function check_c (C0, sizes)
  if (ndims (C0) != numel (sizes) || any (size (C0) != sizes))
    error ("Octave:nonconformant-args", ...
           "operator +: nonconformant arguments (op1 is %s, op2 is %s)", ...
           size_text (sizes), size_text (size (C0)));
  endif
endfunction

## X as a full or sparse matrix that the engine takes.
function X = plain (X)
  switch (kind (X))
    case "convert"
      X = full (double (X));
    case {"diagonal", "permutation"}
      X = full (X);
  endswitch
endfunction

## Single as double, what counts as double as it is.
function X = wide (X)
  if (isa (X, "single"))
    X = converted (X, "double");
  endif
endfunction

## In that class, and complex if X is, as operators convert: a function's result would become real.
function Y = converted (X, name)
  Y = feval (name, X);
  if (iscomplex (X) && isreal (Y))
    Y = complex (Y, 0);
  endif
endfunction

function [C, info] = float_product (A, B, o)
  A = plain (A);
  B = plain (B);
  if (isa (A, "single") && isa (B, "double"))
    B = converted (B, "single");
  elseif (isa (A, "double") && isa (B, "single"))
    A = converted (A, "single");
  endif

  ## The engine scales and adds where all is of one class; else Octave's operators do.
  is_full = ! issparse (A) && ! issparse (B);
  is_complex = iscomplex (A) || iscomplex (B);
  own_class = class (A);
  in_engine = is_full && isfinite (o.alpha) && isfinite (o.beta) ...
              && isa (o.alpha, "double") && isa (o.beta, "double") ...
              && (is_complex || (isreal (o.alpha) && isreal (o.beta)));
  if (in_engine && o.beta != 0)
    in_engine = strcmp (class (o.c), own_class) && ! issparse (o.c) && (is_complex || isreal (o.c));
    if (in_engine)
      check_sizes (A, B, o);
      o.c = plain (o.c);
      if (isempty (o.c))
        o.beta = 0; # nothing to add; an empty array is never complex
      elseif (is_complex && isreal (o.c))
        o.c = complex (o.c, 0);
      endif
    endif
  endif
  asked = o;
  if (! in_engine)
    o.alpha = double (o.alpha != 0);
    o.beta = 0;
  endif
  o.output = ""; # the caller converts

  stays = (issparse (A) && isscalar (B)) || (issparse (B) && isscalar (A));
  [C, info] = __gpumm_multiply__ ({A, B, o});
  if (stays)
    C = sparse (C); # as by `*`, where a kernel took the scalar for a full 1x1 matrix
  endif
  if (! in_engine)
    C = combined (C, asked);
  endif
endfunction

function [C, info] = integer_product (A, B, o)
  o.alpha = whole_factor ("Alpha", o.alpha);
  o.beta = whole_factor ("Beta", o.beta);
  if (isempty (o.output))
    o.output = class (A);
  endif

  ## An array by a scalar is a column by a 1x1 matrix.
  sizes = [];
  if ((numel (A) == 1 || numel (B) == 1)
      && (ndims (A) > 2 || ndims (B) > 2 || ! inner_sizes_agree (A, B, o)))
    if (numel (A) == 1)
      [X, op, s] = deal (B, o.transpose_b, A);
    else
      [X, op, s] = deal (A, o.transpose_a, B);
    endif
    X = apply_op (X, op);
    sizes = size (X);
    [A, B] = deal (X(:), s);
    o.transpose_a = o.transpose_b = 0;
  endif

  if (o.beta != 0)
    if (! strcmp (class (o.c), o.output) || issparse (o.c) || ! isreal (o.c))
      error ("gpumm:bad-value", ["gpumm: C must be a full real matrix of class \"%s\", as the " ...
                                 "product is"], o.output);
    endif
    if (isempty (sizes))
      check_sizes (A, B, o);
    else
      check_c (o.c, sizes);
      o.c = o.c(:);
    endif
    o.c = plain (o.c);
  endif
  [C, info] = __gpumm_multiply__ ({A, B, o});
  if (! isempty (sizes))
    C = reshape (C, sizes);
  endif
endfunction

function check_sizes (A, B, o)
  if (inner_sizes_agree (A, B, o)) # else the engine has the words for it
    check_c (o.c, [op_size(A, o.transpose_a)(1), op_size(B, o.transpose_b)(2)]);
  endif
endfunction

