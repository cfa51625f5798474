## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, INFO] = blocks_product (A, B, O): a product with a blocksparse among A and B.
##
## The engine multiplies blocks by blocks and by full matrices.  A sparse matrix is cut in blocks
## that go with the other's, a row or a column wide.  O is from parse_options.

function [C, info] = blocks_product (A, B, o)

  started = tic ();
  if (! (is_matrix (A) && is_matrix (B)))
    undefined_operator (type_name (A), type_name (B));
  endif
  has_sparse = issparse (A) || issparse (B);
  [A, B] = scalars (A, B, o);
  blocks_a = isa (A, "blocksparse");
  blocks_b = isa (B, "blocksparse");
  if (! (blocks_a || blocks_b))
    [C, info] = multiply_any (A, B, setfield (o, "form", ""));
  elseif ((! blocks_a && numel (A) == 1) || (! blocks_b && numel (B) == 1))
    [C, info] = scaled (A, B, o);
  else
    [A, type_a] = operand (A);
    [B, type_b] = operand (B);
    check_sizes (A, B, o);
    if (issparse (A))
      A = cut (A, o.transpose_a, [1, op_blocks(B, o.transpose_b)(1)]);
    elseif (issparse (B))
      B = cut (B, o.transpose_b, [op_blocks(A, o.transpose_a)(2), 1]);
    endif
    o.full = isnumeric (A) || isnumeric (B) || strcmp (o.form, "full");
    [A, B, o] = common_class (A, B, type_a, type_b, o);
    o = check_factors (A, B, o);
    asked = o;
    by_octave = o.full && ! (isfinite (o.alpha) && isfinite (o.beta));
    if (by_octave) # algorithms differ in where such factors meet a sum, its terms or no term at all
      o.alpha = double (o.alpha != 0);
      o.beta = 0;
    endif
    try
      [C, info] = __gpumm_multiply__ ({A, B, o});
    catch err
      if (isempty (strfind (err.message, "nonconformant blocks")))
        rethrow (err);
      endif
      error (err.identifier, "%s; take full (S) or sparse (S) of one, or other blocks", err.message);
    end_try_catch
    if (by_octave && asked.alpha != 0)
      C = asked.alpha * C;
    endif
    if (by_octave && asked.beta != 0)
      C = C + asked.beta * asked.c;
    endif
    if (isstruct (C))
      C = blocksparse (C);
    endif
    if (! isempty (o.after))
      C = feval (o.after, C);
    endif
  endif

  ## without a word the result has the richer form of the two
  if (isempty (o.form) && has_sparse && isa (C, "blocksparse")
      && strcmp (underlyingType (C), "double"))
    o.form = "sparse";
  endif
  if (strcmp (o.form, "full"))
    C = full (C);
  elseif (strcmp (o.form, "sparse") && ! issparse (C))
    check_sparse (C);
    C = sparse (C);
  elseif (strcmp (o.form, "blocksparse") && ! isa (C, "blocksparse"))
    error ("gpumm:bad-value", ["gpumm: Output \"blocksparse\" is for products of two sparse " ...
                               "matrices"]);
  endif

  info = whole_call (info, started);

endfunction

function check_sparse (C)
  name = class (C);
  if (isa (C, "blocksparse"))
    name = underlyingType (C);
  endif
  if (! strcmp (name, "double"))
    error ("gpumm:bad-value", "gpumm: Output \"sparse\" is for double, and the product is %s", ...
           name);
  endif
endfunction

## A blocksparse of 1x1 that does not conform with the other operand is a scalar, as it is for `*`.
function [A, B] = scalars (A, B, o)
  if (isa (A, "blocksparse") && numel (A) == 1 && op_size (B, o.transpose_b)(1) != 1)
    A = full (A);
  elseif (isa (B, "blocksparse") && numel (B) == 1 && op_size (A, o.transpose_a)(2) != 1)
    B = full (B);
  endif
endfunction

## What the engine takes (a struct for a blocksparse), and what to call it in an error.
function [X, type] = operand (X)
  type = type_name (X);
  if (isa (X, "blocksparse"))
    X = struct (X);
  elseif (ndims (X) > 2)
    error ("gpumm:nd-array", "gpumm: an N-d array is multiplied by scalars only");
  elseif (issparse (X))
    X = double (X);
  elseif (isinteger (X) || isfloat (X))
    X = full (X);
  else
    X = full (double (X));
  endif
endfunction

function yes = is_matrix (X)
  yes = isa (X, "blocksparse") || isnumeric (X) || islogical (X) || ischar (X);
endfunction

function type = type_name (X)
  type = typeinfo (X);
  if (isa (X, "blocksparse"))
    type = ["blocksparse " underlyingType(X)];
  endif
endfunction

function undefined_operator (type_a, type_b)
  error ("gpumm:undefined-operator", ...
         "gpumm: binary operator '*' not implemented for '%s' by '%s' operations", type_a, type_b);
endfunction

function check_sizes (A, B, o)
  a = op_size (A, o.transpose_a);
  b = op_size (B, o.transpose_b);
  if (a(2) != b(1))
    error ("Octave:nonconformant-args", ...
           "operator *: nonconformant arguments (op1 is %dx%d, op2 is %dx%d)", a, b);
  endif
endfunction

function sizes = op_size (X, op)
  if (isstruct (X))
    sizes = [X.rows, X.cols];
  else
    sizes = size (X);
  endif
  if (op)
    sizes = sizes([2, 1]);
  endif
endfunction

## Block rows and columns of op (X).
function b = op_blocks (X, op)
  b = [X.block_rows, X.block_cols];
  if (op)
    b = b([2, 1]);
  endif
endfunction

## A sparse matrix in such blocks of op (X).
function X = cut (X, op, b)
  if (op)
    b = b([2, 1]);
  endif
  X = struct (blocksparse (X, b));
endfunction

## The operands in one class, as `*` has it for full matrices; o.output is then for the engine, and
## o.after the class that the result still has to be converted to.
function [A, B, o] = common_class (A, B, type_a, type_b, o)
  class_a = class (elements_of (A));
  class_b = class (elements_of (B));
  integers = [strncmp(class_a, "int", 3) || strncmp(class_a, "uint", 4), ...
              strncmp(class_b, "int", 3) || strncmp(class_b, "uint", 4)];
  o.after = "";
  o.has_class = ! isempty (o.output);
  if (any (integers))
    if (! strcmp (class_a, class_b))
      undefined_operator (type_a, type_b);
    elseif (isempty (o.output))
      o.output = class_a;
    endif
    return;
  endif
  common = "double";
  if (strcmp (class_a, "single") || strcmp (class_b, "single"))
    common = "single";
  endif
  if (! isempty (o.output))
    if (! any (strcmp (o.output, {"double", "single"})))
      error ("gpumm:bad-value", ["gpumm: OutputClass of a %s by %s product must be " ...
                                 "\"double\" or \"single\""], type_a, type_b);
    endif
    ## computed in the widest class of operands and result, converted at the end
    if (strcmp (o.output, "double") || strcmp (class_a, "double") || strcmp (class_b, "double"))
      common = "double";
    endif
    if (! strcmp (o.output, common))
      o.after = o.output;
    endif
    o.output = "";
  endif
  A = converted (A, common);
  B = converted (B, common);
endfunction

function X = converted (X, name)
  if (isstruct (X))
    X.values = converted (X.values, name);
  elseif (! isa (X, name))
    X = feval (name, X);
  endif
endfunction

## Alpha, Beta and C as the engine takes them.
function o = check_factors (A, B, o)
  is_integer = ! isempty (o.output);
  is_complex = ! (isreal (elements_of (A)) && isreal (elements_of (B)));
  names = {"Alpha", "Beta"};
  values = {o.alpha, o.beta};
  for i = 1:2
    x = values{i};
    if (is_integer)
      x = whole_factor (names{i}, x);
    elseif (isinteger (x))
      error ("gpumm:bad-value", ["gpumm: %s of a product by blocks of %s must be double or " ...
                                 "single"], names{i}, class (elements_of (A)));
    elseif (! isreal (x) && ! is_complex)
      error ("gpumm:bad-value", ["gpumm: %s of a product of real matrices by blocks must " ...
                                 "be real"], names{i});
    endif
    ## as alpha * (A*B), the result is single where a factor is
    if (isa (x, "single") && ! is_integer && ! o.has_class && isempty (o.after) ...
        && ! isa (elements_of (A), "single"))
      o.after = "single";
    endif
    values{i} = double (x);
  endfor
  [o.alpha, o.beta] = values{:};
  if (o.beta == 0)
    return;
  endif
  name = o.output;
  if (! is_integer)
    name = class (elements_of (A));
  endif
  if (! o.full)
    error ("gpumm:bad-value", "gpumm: C goes with a full product; ask for Output \"full\"");
  elseif (! isa (o.c, name) || issparse (o.c) || (o.has_class && ! isempty (o.after)) ...
          || (! isreal (o.c) && ! is_complex))
    error ("gpumm:bad-value", ["gpumm: C must be a full matrix of class \"%s\", as the " ...
                               "product is"], name);
  endif
  o.c = full (o.c);
  sizes = [op_size(A, o.transpose_a)(1), op_size(B, o.transpose_b)(2)];
  if (! isequal (size (o.c), sizes))
    error ("Octave:nonconformant-args", ...
           "operator +: nonconformant arguments (op1 is %dx%d, op2 is %s)", sizes, ...
           sprintf ("%dx", size (o.c))(1:end-1));
  elseif (isempty (o.c))
    o.beta = 0; # nothing to add; an empty array is never complex
  elseif (is_complex && isreal (o.c))
    o.c = complex (o.c, 0);
  endif
endfunction

function X = full_scalar (X)
  if (issparse (X))
    X = full (X);
  endif
endfunction

## By a scalar: element by element, as a full matrix of the stored blocks.
function [C, info] = scaled (A, B, o)
  if (o.beta != 0)
    error ("gpumm:bad-value", "gpumm: C goes with products of two matrices");
  endif
  A = full_scalar (apply_op (A, o.transpose_a));
  B = full_scalar (apply_op (B, o.transpose_b));
  o.transpose_a = o.transpose_b = 0;
  o.form = "";
  o.algorithm = "auto"; # it names one for matrices of blocks
  if (isa (A, "blocksparse"))
    S = struct (A);
    [values, info] = multiply_any (S.values, B, o);
  else
    S = struct (B);
    [values, info] = multiply_any (A, S.values, o);
  endif
  ## built anew: products may be zero
  count = numel (S.column);
  b = [S.block_rows, S.block_cols];
  if (count == 0)
    C = blocksparse (S.rows, S.cols, b, class (values));
  else
    begins = double (S.start(1:end-1)) + 1;
    I = cumsum (accumarray (begins, 1, [count + 1, 1]))(1:count);
    C = blocksparse (I, S.column + 1, reshape (values, [b, count]), S.rows, S.cols);
  endif
endfunction
