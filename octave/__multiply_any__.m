## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, INFO] = __multiply_any__ (A, B, NAME, VALUE, ...): the product of any two values that `*`
## takes, where gpumm finds that its gateway does not multiply them as they are.
##
## The engine multiplies pairs of one class: full, sparse, and blocks by blocks or by full matrices
## (gpumm_result_type in engine/job/checks.c).  This file converts the other pairs to such ones.
## What `*` treats by special rules (a scalar times an array, diagonal and permutation matrices) is
## left to `*`, and so are the pairs of classes that have no product: it raises the error.

function [C, info] = __multiply_any__ (A, B, varargin)

  o = parse_options (varargin);
  if (nargout < 2)
    C = product (A, B, o); # without info nothing is timed
  else
    [C, info] = product (A, B, o);
  endif

endfunction

function [C, info] = product (A, B, o)

  started = tic ();
  kinds = {kind(A), kind(B)};
  check_options (A, B, o, kinds);
  if (any (strcmp (kinds, "none")))
    undefined_operator (A, B);
  endif
  [A, B] = as_matrices (A, B, o);
  if (! isempty (o.form) && ! in_blocks (A) && ! in_blocks (B))
    error ("gpumm:bad-value", ["gpumm: Output is for products with a blocksparse. Write %s " ...
                               "(gpumm (A, B)%s)"], o.form, ...
           {"", ", BLOCKSIZE"}{1 + strcmp(o.form, "blocksparse")});
  endif
  has_arrays = any (strcmp (kinds, "device"));
  if (has_arrays && nargout < 2)
    C = on_device (A, B, o); # without info nothing is timed, and so nothing waits
    return;
  endif
  if (has_arrays)
    [C, info] = on_device (A, B, o);
  elseif (any (strcmp (kinds, "blocks")))
    [C, info] = with_blocks (A, B, o);
  else
    [C, info] = without_blocks (A, B, o, kinds{:});
  endif

  ## what was done in Octave counts, too
  info.seconds.total = toc (started);
  stages = info.seconds.upload + info.seconds.compute + info.seconds.download;
  info.seconds.overhead = max (info.seconds.total - stages, 0);
  info.gflops = 1e-9 * info.flops / info.seconds.total;

endfunction

## What these operands do not take is an error that says what to write.
function check_options (A, B, o, kinds)
  is_any_asked = o.is_scaled || ! isempty (o.output) || o.backend || o.max_device_memory ...
                 || o.max_capability;
  if (! is_any_asked || any (strcmp (kinds, "none")))
    return; # "none" have no product
  endif
  integers = isinteger (A) + isinteger (B);
  is_array = any (strcmp (kinds, "device"));
  by_operators = "Write ALPHA * gpumm (A, B) + BETA * C";
  if (o.is_scaled && is_array)
    removed ("Alpha, Beta and C are not for a gpuArray. %s", by_operators);
  elseif (o.is_scaled && integers > 0)
    removed (["Alpha, Beta and C are for floating point. %s, where each step saturates, or " ...
              "compute with OutputClass \"double\" and convert at the end"], by_operators);
  elseif (o.is_scaled && any (strcmp (kinds, "blocks")))
    removed ("Alpha, Beta and C are for full and sparse matrices. %s", by_operators);
  elseif (! isempty (o.output) && integers < 2)
    words = [o.output " (gpumm (A, B))"];
    if (strcmp (o.output, "double"))
      words = "gpumm (double (A), double (B))"; # single would be rounded before
    endif
    removed ("OutputClass is for two integer matrices. Write %s", words);
  elseif (is_array && (o.backend || o.max_device_memory || o.max_capability))
    removed (["Backend, MaxDeviceMemory and MaxCapability are not for a gpuArray, whose " ...
              "products run where it lies. With them write gpumm (gather (A), gather (B))"]);
  endif
endfunction

function removed (text, varargin)
  error ("gpumm:removed", ["gpumm: ", text], varargin{:});
endfunction

## At least one is a gpuArray, and so is the result.  The host computes without a GPU, and products
## of full integers, which take it much longer than the copies.
function [C, info] = on_device (A, B, o)
  device = __gpuarray__ ("device", {A, B}{1 + ! strcmp(class (A), "gpuArray")});
  blocks = in_blocks (A) + in_blocks (B);
  is_integer = isinteger (A) || isinteger (B);
  if (blocks == 1 && is_integer)
    __gpuarray__ ("refuse", ["a device multiplies a blocksparse of integers only by another " ...
                             "one. Use gather (X)"]);
  elseif (blocks == 1 && (issparse (A) || issparse (B)))
    __gpuarray__ ("refuse", ["gpumm cannot combine a blocksparse X with a sparse matrix on " ...
                             "a device. Use sparse (X), full (X) or gather (X)"]);
  elseif (blocks == 2 && is_integer && any (strcmp (o.output, {"double", "single"})))
    __gpuarray__ ("refuse", ["OutputClass of integers on a device is an integer class. Use " ...
                             "gather (X)"]);
  elseif (! isempty (o.form))
    __gpuarray__ ("refuse", ["gpumm has no Output for a gpuArray. Write full (gpumm (A, B)) " ...
                             "or gather (gpumm (A, B))"]);
  elseif (device == -1 || (is_integer && blocks == 0))
    [C, info] = product (gather (A), gather (B), o);
    C = __gpuarray__ ("upload", C, device);
    return;
  endif
  ## what check_options refuses
  o = rmfield (o, {"alpha", "beta", "c", "is_scaled", "backend", "form", "max_device_memory", ...
                   "max_capability"});
  try
    if (nargout < 2)
      C = __gpuarray__ ("gpumm", A, B, o);
    else
      [C, info] = __gpuarray__ ("gpumm", A, B, o);
    endif
  catch err
    raise_again (err);
  end_try_catch
endfunction

## Is X a matrix in blocks, on the host or on a device?
function yes = in_blocks (X)
  yes = any (strcmp (typeinfo (X), {"blocksparse", "blocksparse gpuArray"}));
endfunction

## ---- what the operands are ---------------------------------------------------------------------

function k = kind (X)
  if (isa (X, "blocksparse"))
    k = "blocks";
  elseif (strcmp (class (X), "gpuArray"))
    k = "device";
  elseif (isobject (X) || ! (isnumeric (X) || islogical (X) || ischar (X)))
    k = "none";
  elseif (issparse (X))
    k = "sparse";
  elseif (isinteger (X))
    k = "integer";
  else
    type = typeinfo (X);
    if (any (strfind (type, "diagonal")))
      k = "diagonal";
    elseif (strcmp (type, "permutation matrix"))
      k = "permutation";
    else
      k = "full"; # or with the values of a full matrix, stored otherwise
    endif
  endif
endfunction

function type = type_name (X)
  type = typeinfo (X);
  if (isa (X, "blocksparse"))
    type = ["blocksparse " underlyingType(X)];
  endif
endfunction

function undefined_operator (A, B)
  error ("gpumm:undefined-operator", ...
         "gpumm: binary operator '*' not implemented for '%s' by '%s' operations%s", ...
         type_name (A), type_name (B), conversions (A, B, {"A", "B"}));
endfunction

## Sizes of op (X), of the blocks of op (X), of the product.
function sizes = op_size (X, op)
  sizes = turned (size (X), op);
endfunction

function b = op_blocks (X, op)
  b = turned (blocksize (X), op);
endfunction

function sizes = turned (sizes, op)
  if (op)
    sizes = sizes([2, 1]);
  endif
endfunction

function sizes = product_size (A, B, o)
  sizes = [op_size(A, o.transpose_a)(1), op_size(B, o.transpose_b)(2)];
endfunction

function yes = inner_sizes_agree (A, B, o)
  yes = op_size (A, o.transpose_a)(2) == op_size (B, o.transpose_b)(1);
endfunction

function text = size_text (sizes)
  text = sprintf ("%dx", sizes)(1:end-1);
endfunction

function X = apply_op (X, op)
  if (op == 1)
    X = X.';
  elseif (op == 2)
    X = X';
  endif
endfunction

## A transpose of a complex matrix without imaginary parts is real: Inf times its elements is Inf
## and not NaN.  But where Octave does not form the transpose it is not: beside a complex matrix as
## it is.
function X = narrowed (X, op, Y, op_y)
  if (op && iscomplex (X) && ! issparse (X) && ! (iscomplex (Y) && ! op_y)
      && all (imag (X)(:) == 0))
    X = real (X);
  endif
endfunction

## ---- conversion --------------------------------------------------------------------------------

## X as a full or sparse matrix that the engine takes.
function X = plain (X)
  if (ischar (X) || (islogical (X) && ! issparse (X)))
    X = double (X);
  elseif (! issparse (X) && (isreal (X) || isdiag_type (X)))
    X = full (X); # it would make complex (2, 0) real, which counts beside Inf
  endif
endfunction

## In that class, and complex if X is, as operators convert: a function's result would become real.
function Y = converted (X, name)
  if (isa (X, name))
    Y = X;
  elseif (isa (X, "blocksparse"))
    s = struct (X);
    s.values = converted (s.values, name);
    Y = __blocksparse__ (s, "product"); # with the blocks that have become zero
  else
    Y = feval (name, X);
    if (iscomplex (X) && isreal (Y))
      Y = complex (Y, 0);
    endif
  endif
endfunction

## C as the engine adds it to the product of A and B.
function o = with_c (A, B, o, is_complex)
  if (! inner_sizes_agree (A, B, o))
    o.beta = 0; # the engine has the words for A and B, whatever C is
    return;
  endif
  check_c (o.c, product_size (A, B, o));
  o.c = plain (o.c);
  if (isempty (o.c))
    o.beta = 0; # nothing to add; an empty array is never complex
  elseif (is_complex && isreal (o.c))
    o.c = complex (o.c, 0);
  endif
endfunction

## `+` would stretch a row or a column to the product's size.
function check_c (C0, sizes)
  if (ndims (C0) != numel (sizes) || any (size (C0) != sizes))
    error ("Octave:nonconformant-args", ...
           "gpumm: C is %s and must have the size of the product, %s", ...
           size_text (size (C0)), size_text (sizes));
  endif
endfunction

## As `*` takes an N-d array beside a matrix: all dimensions after the first count columns.
function [A, B] = as_matrices (A, B, o)
  if (ndims (A) * ndims (B) == 4)
    return;
  elseif ((ndims (A) > 2 && o.transpose_a) || (ndims (B) > 2 && o.transpose_b))
    multiply_pages ("gpumm:nd-array", A, B, o);
  elseif (numel (A) != 1 && numel (B) != 1)
    given = {A, B};
    A = as_matrix (A);
    B = as_matrix (B);
    if (! inner_sizes_agree (A, B, o))
      multiply_pages ("Octave:nonconformant-args", given{:}, o);
    endif
  endif
endfunction

## An error that says pagemtimes, which takes full arrays.
function multiply_pages (id, A, B, o)
  names = {"A", "B"};
  names([issparse(A), issparse(B)]) = {"full (A)", "full (B)"}([issparse(A), issparse(B)]);
  call = strjoin (names, ", ");
  if (o.transpose_a || o.transpose_b)
    words = {"none", "transpose", "ctranspose"};
    call = sprintf ("%s, \"%s\", %s, \"%s\"", names{1}, words{1+o.transpose_a}, ...
                    names{2}, words{1+o.transpose_b});
  endif
  error (id, ["gpumm: A is %s and B is %s; gpumm multiplies matrices. pagemtimes (%s) " ...
              "multiplies each page"], size_text (size (A)), size_text (size (B)), call);
endfunction

## A matrix stays what it is: reshape would make a permutation matrix full.
function X = as_matrix (X)
  if (ndims (X) > 2)
    X = reshape (X, [rows(X), prod(size (X)(2:end))]);
  endif
endfunction

## ---- without blocks ----------------------------------------------------------------------------

function [C, info] = without_blocks (A, B, o, kind_a, kind_b)

  A = narrowed (A, o.transpose_a, B, o.transpose_b);
  B = narrowed (B, o.transpose_b, A, o.transpose_a);

  is_scale = numel (A) == 1 || numel (B) == 1;
  is_special = any (strcmp (kind_a, {"diagonal", "permutation"})) ...
               || any (strcmp (kind_b, {"diagonal", "permutation"}));
  is_nd = ndims (A) > 2 || ndims (B) > 2;

  integer_a = strcmp (kind_a, "integer");
  integer_b = strcmp (kind_b, "integer");
  is_integer = integer_a && integer_b && strcmp (class (A), class (B));
  if (is_special)
    on_engine = false;
  elseif (is_integer)
    ## Scalars too, where `*` does not do what was asked for: round once, at the end.
    on_engine = ! is_scale || ! isempty (o.output);
  elseif (is_scale)
    ## A named algorithm multiplies a full 1x1 matrix like any other, where the sizes let it.
    ## Kernels for sparse matrices would skip a zero that meets NaN or Inf.
    on_engine = ! strcmp (o.algorithm, "auto") && ! is_nd && ! issparse (A) && ! issparse (B) ...
                && ! integer_a && ! integer_b && inner_sizes_agree (A, B, o);
  else
    on_engine = true;
  endif
  is_undefined = (issparse (A) || issparse (B)) && (isa (A, "single") || isa (B, "single"));
  if (on_engine && ! is_integer)
    on_engine = ! integer_a && ! integer_b && ! is_undefined;
  endif

  if (on_engine && is_integer)
    [C, info] = integer_product (A, B, o);
  elseif (on_engine)
    [C, info] = float_product (A, B, o);
  else
    [C, info] = octave_product (A, B, o, kind_a, kind_b);
  endif

endfunction

## An error of Octave's operators on X and Y: what has an identifier keeps it and its text.
function raise_again (err, X, Y)
  text = err.message;
  if (strncmp (text, "binary operator", 15))
    if (any (regexp (text, "'\\*'.*('sparse.* by 'float|'float.* by 'sparse).*operations$")))
      text = [text, ". Use double (X) of the single operand X, full (S) of the sparse operand " ...
                    "S, or single (blocksparse (S, BLOCKSIZE))"];
    elseif (nargin > 1)
      text = [text, conversions(X, Y, {"A", "B"})];
    endif
    error ("gpumm:undefined-operator", "gpumm: %s", text);
  endif
  error (struct ("message", err.message, "identifier", err.identifier));
endfunction

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
    raise_again (err, A, B);
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
  seconds = toc (started);
  info = struct ("backend", "cpu", "device", struct ("name", "CPU", "index", -1), ...
                 "algorithm", algorithm, "kernel", "", ...
                 "seconds", struct ("total", seconds, "upload", 0, "compute", seconds, ...
                                    "download", 0, "overhead", 0), ...
                 "bytes", struct ("up", 0, "down", 0), "flops", flops, "gflops", 0, ...
                 "reason", ["scalars, diagonal and permutation matrices are multiplied by " ...
                            "Octave's own rules"], ...
                 "devices", struct ("index", {}, "name", {}, "seconds", {}, "bytes", {}, ...
                                    "flops", {}));
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
      C = zeros (size (P), underlyingType (P));
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

function [C, info] = float_product (A, B, o)
  A = plain (A);
  B = plain (B);
  if (isa (A, "single") || isa (B, "single"))
    A = converted (A, "single");
    B = converted (B, "single");
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
      o = with_c (A, B, o, is_complex);
    endif
  endif
  asked = o;
  if (! in_engine)
    o.alpha = double (o.alpha != 0);
    o.beta = 0;
  endif

  [C, info] = __gpumm_multiply__ ({A, B, o});
  if (! in_engine)
    C = combined (C, asked);
  endif
endfunction

function [C, info] = integer_product (A, B, o)
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

  [C, info] = __gpumm_multiply__ ({A, B, o});
  if (! isempty (sizes))
    C = reshape (C, sizes);
  endif
endfunction

## ---- with blocks -------------------------------------------------------------------------------

## A sparse matrix is cut in blocks that go with the other's, a row or a column wide.
function [C, info] = with_blocks (A, B, o)

  has_sparse = issparse (A) || issparse (B);
  [A, B] = scalars (A, B);
  blocks_a = isa (A, "blocksparse");
  blocks_b = isa (B, "blocksparse");
  if (! (blocks_a && blocks_b) && (numel (A) == 1 || numel (B) == 1))
    o.algorithm = "auto"; # it names one for matrices of blocks
  endif
  if (! (blocks_a || blocks_b))
    [C, info] = without_blocks (A, B, o, kind (A), kind (B));
  elseif ((! blocks_a && numel (A) == 1) || (! blocks_b && numel (B) == 1))
    [C, info] = scaled (A, B, o);
  else
    given = {A, B};
    A = operand (A);
    B = operand (B);
    if (! inner_sizes_agree (A, B, o))
      error ("Octave:nonconformant-args", ...
             "operator *: nonconformant arguments (op1 is %dx%d, op2 is %dx%d)", ...
             op_size (A, o.transpose_a), op_size (B, o.transpose_b));
    endif
    if (issparse (A))
      A = cut (A, o.transpose_a, [1, op_blocks(B, o.transpose_b)(1)]);
    elseif (issparse (B))
      B = cut (B, o.transpose_b, [op_blocks(A, o.transpose_a)(2), 1]);
    endif
    o.full = ! isa (A, "blocksparse") || ! isa (B, "blocksparse") || strcmp (o.form, "full");
    [A, B, o] = of_one_class (A, B, given, o);
    try
      [C, info] = __gpumm_multiply__ ({A, B, o});
    catch err
      if (isempty (strfind (err.message, "nonconformant blocks")))
        rethrow (err);
      endif
      error (err.identifier, "%s. Use full (S) or sparse (S) of one of them, or other blocks", ...
             err.message);
    end_try_catch
  endif

  ## without a word the result has the richer form of the two
  if (isempty (o.form) && has_sparse && isa (C, "blocksparse")
      && strcmp (underlyingType (C), "double"))
    o.form = "sparse";
  endif
  if (strcmp (o.form, "full"))
    C = full (C);
  elseif (strcmp (o.form, "sparse") && ! issparse (C))
    if (! strcmp (underlyingType (C), "double"))
      error ("gpumm:bad-value", "gpumm: Output \"sparse\" is for double, and the product is %s", ...
             underlyingType (C));
    endif
    C = sparse (C);
  elseif (strcmp (o.form, "blocksparse") && ! isa (C, "blocksparse"))
    error ("gpumm:bad-value", ["gpumm: Output \"blocksparse\" is for products of two sparse " ...
                               "matrices. Write blocksparse (gpumm (A, B), BLOCKSIZE)"]);
  endif
endfunction

## A blocksparse of 1x1 is a scalar, as for `*`: 0 by NaN is NaN, also without a stored block.
function [A, B] = scalars (A, B)
  if (isa (A, "blocksparse") && numel (A) == 1 && numel (B) != 1)
    A = full (A);
  elseif (isa (B, "blocksparse") && numel (B) == 1 && numel (A) != 1)
    B = full (B);
  endif
endfunction

## What the engine takes.
function X = operand (X)
  if (islogical (X))
    X = double (X); # sparse too
  elseif (! issparse (X) && ! isa (X, "blocksparse"))
    X = full (plain (X));
  endif
endfunction

## A sparse matrix in such blocks of op (X).
function X = cut (X, op, b)
  X = blocksparse (X, turned (b, op));
endfunction

## The operands in one class, and the class of the result for the engine.
function [A, B, o] = of_one_class (A, B, given, o)
  class_a = underlyingType (A);
  class_b = underlyingType (B);
  if (isinteger (A) || isinteger (B))
    if (! strcmp (class_a, class_b))
      undefined_operator (given{:});
    elseif (isempty (o.output))
      o.output = class_a;
    endif
  else
    name = {"double", "single"}{1 + any(strcmp ({class_a, class_b}, "single"))};
    A = converted (A, name);
    B = converted (B, name);
  endif
endfunction

function X = full_scalar (X)
  if (issparse (X))
    X = full (X);
  endif
endfunction

## By a scalar: element by element, as a full matrix of the stored blocks.
function [C, info] = scaled (A, B, o)
  A = full_scalar (apply_op (A, o.transpose_a));
  B = full_scalar (apply_op (B, o.transpose_b));
  o.transpose_a = o.transpose_b = 0;
  if (isa (A, "blocksparse"))
    S = struct (A);
    [values, info] = without_blocks (S.values, B, o, kind (S.values), kind (B));
  else
    S = struct (B);
    [values, info] = without_blocks (A, S.values, o, kind (A), kind (S.values));
  endif
  S.values = values;
  C = __blocksparse__ (S); # without the blocks that have become zero
endfunction
