## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [C, INFO] = multiply_any (A, B, O): the product of any two values that `*` takes.
##
## The engine multiplies pairs of one class: full, sparse, and blocks by blocks or by full matrices
## (gpumm_result_type in engine/job.c).  This file converts the other pairs to such ones.  What `*`
## treats by special rules (a scalar times an array, diagonal and permutation matrices) is left to
## `*`, and so are the pairs of classes that have no product: it raises the error.  O is from
## parse_options.

function [C, info] = multiply_any (A, B, o)

  started = tic ();
  kinds = {kind(A), kind(B)};
  [A, B] = as_matrices (A, B, o);
  has_arrays = any (strcmp (kinds, "device"));
  if (has_arrays && nargout < 2)
    C = on_device (A, B, o); # without info nothing is timed, and so nothing waits
    return;
  endif
  has_blocks = any (strcmp (kinds, "blocks"));
  if (! has_blocks && ! isempty (o.form))
    error ("gpumm:bad-value", "gpumm: Output is for products with a blocksparse");
  elseif (any (strcmp (kinds, "none")))
    undefined_operator ({type_name(A), type_name(B)});
  elseif (has_arrays)
    [C, info] = on_device (A, B, o);
  elseif (has_blocks)
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

## At least one is a gpuArray, and so is the result.  The host computes without a GPU, and products of
## integers, which take it much longer than the copies.
function [C, info] = on_device (A, B, o)
  if (in_blocks (A) || in_blocks (B))
    error ("gpumm:gpuArray:gather", ["gpuArray: gpumm of a blocksparse is not available on a " ...
                                     "device. Write X * Y, or use gather (X)"]);
  elseif (issparse (A) || issparse (B))
    C = sparse_on_device (A, B, o, nargout);
    return;
  elseif (issparse (o.c) || in_blocks (o.c))
    if (! isfinite (o.beta)) # by Octave's rules for zeros that are not stored
      try
        o.c = o.beta * o.c;
      catch err
        raise_again (err);
      end_try_catch
      o.beta = 1;
    endif
    o.c = full (o.c); # as the product is
  endif
  device = __gpuarray__ ("device", {A, B}{1 + ! strcmp(class (A), "gpuArray")});
  if (device == -1 || isinteger (A) || isinteger (B))
    o.c = __gpuarray__ ("gather", o.c);
    [C, info] = multiply_any (__gpuarray__ ("gather", A), __gpuarray__ ("gather", B), o);
    C = __gpuarray__ ("upload", C, device);
    return;
  endif
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

## As `*` multiplies them, with a GPU or without one.
function C = sparse_on_device (A, B, o, results)
  if (! isempty (o.form))
    error ("gpumm:bad-value", "gpumm: Output is for products with a blocksparse");
  endif
  ## what is not among these cannot be told to the operators
  heeded = {"transpose_a", "transpose_b", "alpha", "beta", "c", "output"};
  if (results > 1 || ! isequal (rmfield (o, heeded), rmfield (parse_options ({}), heeded)))
    error ("gpumm:gpuArray:gather", ["gpuArray: gpumm of a sparse gpuArray takes TransposeA, " ...
                                     "TransposeB, Alpha, Beta, C and OutputClass, and returns no " ...
                                     "INFO. For others use gather (X)"]);
  endif
  try
    C = apply_op (A, o.transpose_a) * apply_op (B, o.transpose_b);
  catch err
    raise_again (err);
  end_try_catch
  device = __gpuarray__ ("device", C);
  C = combined (C, o);
  if (! strcmp (class (C), "gpuArray")) # Alpha is 0
    C = __gpuarray__ ("upload", C, device);
  endif
  if (! isempty (o.output))
    valid = {"double", "single"};
    check_class (o.output, {typeinfo(A), typeinfo(B)}, valid(1:2 - issparse (C)));
    C = feval (o.output, C);
  endif
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

function undefined_operator (types)
  error ("gpumm:undefined-operator", ...
         "gpumm: binary operator '*' not implemented for '%s' by '%s' operations", types{:});
endfunction

## Sizes of op (X), of the blocks of op (X), of the product.
function sizes = op_size (X, op)
  if (isstruct (X))
    sizes = [X.rows, X.cols];
  else
    sizes = size (X);
  endif
  sizes = turned (sizes, op);
endfunction

function b = op_blocks (X, op)
  b = turned ([X.block_rows, X.block_cols], op);
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

## A transpose of a complex matrix without imaginary parts is real: Inf times its elements is Inf and
## not NaN.  But where Octave does not form the transpose it is not: beside a complex matrix as it is.
function X = narrowed (X, op, Y, op_y)
  if (op && iscomplex (X) && ! issparse (X) && ! (iscomplex (Y) && ! op_y) && all (imag (X)(:) == 0))
    X = real (X);
  endif
endfunction

## ---- conversion --------------------------------------------------------------------------------

## The class in which two floating-point matrices are multiplied, and C: as `*` does it, and with
## OutputClass the widest of its class and theirs; the result is converted once, at the end.
function name = common_class (class_a, class_b, output)
  singles = strcmp ({class_a, class_b}, "single");
  if (isempty (output))
    is_single = any (singles);
  else
    is_single = all (singles) && strcmp (output, "single");
  endif
  name = {"double", "single"}{1 + is_single};
endfunction

function check_class (name, types, valid)
  if (! any (strcmp (name, valid)))
    error ("gpumm:bad-value", "gpumm: OutputClass of the %s by %s product must be %s", types{:}, ...
           ["\"" strjoin(valid, "\" or \"") "\""]);
  endif
endfunction

## X as a full or sparse matrix that the engine takes.
function X = plain (X)
  if (ischar (X) || (islogical (X) && ! issparse (X)))
    X = double (X);
  elseif (! issparse (X) && (isreal (X) || isdiag_type (X)))
    X = full (X); # it would make complex (2, 0) real, which counts beside Inf
  endif
endfunction

## Single as double, what counts as double as it is.
function X = wide (X)
  if (isa (X, "single"))
    X = converted (X, "double");
  endif
endfunction

## In that class, and complex if X is, as operators convert: a function's result would become real.
function Y = converted (X, name)
  Y = X;
  if (isstruct (X))
    Y.values = converted (X.values, name);
  elseif (! isa (X, name))
    Y = feval (name, X);
    if (iscomplex (X) && isreal (Y))
      Y = complex (Y, 0);
    endif
  endif
endfunction

## Alpha or Beta of an integer product as the double that the engine takes, or an error where it is
## no whole number or a double does not hold it exactly.
function x = whole_factor (name, x)
  if (! (isreal (x) && x == fix (x)))
    error ("gpumm:bad-value", "gpumm: %s of an integer product must be an integer", name);
  elseif (x > flintmax () || x < -flintmax ())
    error ("gpumm:bad-value", ["gpumm: %s of an integer product must be an integer from -2^53 to " ...
                               "2^53, which a double holds exactly"], name);
  endif
  x = double (x);
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
           "operator +: nonconformant arguments (op1 is %s, op2 is %s)", ...
           size_text (sizes), size_text (size (C0)));
  endif
endfunction

## As `*` takes an N-d array beside a matrix: all dimensions after the first count columns.
function [A, B] = as_matrices (A, B, o)
  if ((ndims (A) > 2 && o.transpose_a) || (ndims (B) > 2 && o.transpose_b))
    error ("gpumm:nd-array", "gpumm: an N-d array has no transpose (A is %s, B is %s)", ...
           size_text (size (A)), size_text (size (B)));
  elseif (ndims (A) * ndims (B) > 4 && numel (A) != 1 && numel (B) != 1)
    A = reshape (A, [rows(A), prod(size (A)(2:end))]);
    B = reshape (B, [rows(B), prod(size (B)(2:end))]);
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
    on_engine = ! is_scale || ! isempty (o.output) || o.alpha != 1 || o.beta != 0;
  elseif (is_scale)
    ## A named algorithm multiplies a full 1x1 matrix like any other, where the sizes let it.  Kernels
    ## for sparse matrices would skip a zero that meets NaN or Inf.
    on_engine = ! strcmp (o.algorithm, "auto") && ! is_nd && ! issparse (A) && ! issparse (B) ...
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
    if (! isempty (o.output) && ! is_undefined
        && strcmp (common_class (class (A), class (B), o.output), "double"))
      if (isfloat (A) && isfloat (B) && ! strcmp (class (A), class (B)))
        ## `*` takes a diagonal matrix of another class for a full one, whose zeros count
        if (strcmp (kind_a, "full") && strcmp (kind_b, "diagonal"))
          B = full (B);
        elseif (strcmp (kind_a, "diagonal") && strcmp (kind_b, "full"))
          A = full (A);
        endif
      endif
      A = wide (A);
      B = wide (B);
      o.c = wide (o.c);
    endif
    if (on_engine)
      [C, info] = float_product (A, B, o);
    else
      [C, info] = octave_product (A, B, o, kind_a, kind_b);
    endif
    if (! isempty (o.output) && ! isa (C, o.output))
      if (issparse (C))
        error ("gpumm:bad-value", ["gpumm: the sum with a sparse C is sparse here, and Octave has no " ...
                                   "sparse single: OutputClass must be \"double\""]);
      endif
      C = feval (o.output, C);
    endif
  endif

endfunction

## Is OutputClass one that this pair can have?
function check_output (A, B, kind_a, kind_b, o)
  integers = strcmp ({kind_a, kind_b}, "integer");
  if (all (integers))
    return; # any; two different classes fail later
  elseif (any (integers))
    valid = {class(A), class(B)}(integers);
  elseif (stays_sparse (A, B, kind_b) || stays_sparse (B, A, kind_a))
    valid = {"double"}; # Octave has no sparse single
  else
    valid = {"double", "single"};
  endif
  check_class (o.output, {typeinfo(A), typeinfo(B)}, valid);
endfunction

## Is the product of S and X, of that kind, sparse as S is?
function yes = stays_sparse (S, X, kind)
  yes = issparse (S) && (issparse (X) || isscalar (X) ...
                         || any (strcmp (kind, {"diagonal", "permutation"})));
endfunction

## An error of Octave's operators: what has an identifier keeps it and its text.
function raise_again (err)
  text = err.message;
  if (strncmp (text, "binary operator", 15))
    if (any (regexp (text, "'\\*'.*('sparse.* by 'float|'float.* by 'sparse).*operations$")))
      text = [text, ". Use double (X) of the single operand X, full (S) of the sparse operand " ...
                    "S, or single (blocksparse (S, BLOCKSIZE))"];
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
  o.output = ""; # the caller converts

  [C, info] = __gpumm_multiply__ ({A, B, o});
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
    if (! isempty (sizes))
      check_c (o.c, sizes);
      o.c = o.c(:);
    endif
    o = with_c (A, B, o, false);
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
  if (! (blocks_a || blocks_b))
    o.algorithm = "auto"; # it names one for matrices of blocks
    [C, info] = without_blocks (A, B, o, kind (A), kind (B));
  elseif ((! blocks_a && numel (A) == 1) || (! blocks_b && numel (B) == 1))
    [C, info] = scaled (A, B, o);
  else
    types = {type_name(A), type_name(B)};
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
    o.full = isnumeric (A) || isnumeric (B) || strcmp (o.form, "full");
    [A, B, o] = of_one_class (A, B, types, o);
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
      error (err.identifier, "%s. Use full (S) or sparse (S) of one of them, or other blocks", ...
             err.message);
    end_try_catch
    if (by_octave)
      C = combined (C, asked);
    endif
    if (isstruct (C))
      C = __blocksparse__ (C, "product");
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

## A blocksparse of 1x1 is a scalar, as it is for `*`: 0 by NaN is NaN, also where no block is stored.
function [A, B] = scalars (A, B)
  if (isa (A, "blocksparse") && numel (A) == 1 && numel (B) != 1)
    A = full (A);
  elseif (isa (B, "blocksparse") && numel (B) == 1 && numel (A) != 1)
    B = full (B);
  endif
endfunction

## What the engine takes: a struct for a blocksparse.
function X = operand (X)
  if (isa (X, "blocksparse"))
    X = struct (X);
    return;
  elseif (islogical (X))
    X = double (X); # sparse too
  elseif (! issparse (X))
    X = full (plain (X));
  endif
endfunction

## A sparse matrix in such blocks of op (X).
function X = cut (X, op, b)
  X = struct (blocksparse (X, turned (b, op)));
endfunction

## The operands in one class; o.output is then for the engine, and o.after the class that the result
## still has to be converted to.
function [A, B, o] = of_one_class (A, B, types, o)
  class_a = class (elements_of (A));
  class_b = class (elements_of (B));
  o.after = "";
  o.has_class = ! isempty (o.output);
  if (isinteger (elements_of (A)) || isinteger (elements_of (B)))
    if (! strcmp (class_a, class_b))
      undefined_operator (types);
    elseif (! o.has_class)
      o.output = class_a;
    endif
    return;
  endif
  if (o.has_class)
    check_class (o.output, types, {"double", "single"});
  endif
  name = common_class (class_a, class_b, o.output);
  if (o.has_class && ! strcmp (o.output, name))
    o.after = o.output;
  endif
  o.output = "";
  A = converted (A, name);
  B = converted (B, name);
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
    if ((islogical (o.c) || ischar (o.c)) && ! issparse (o.c)) # single has no sparse matrices
      o.c = feval (name, o.c);
    endif
  endif
  if (! o.full)
    error ("gpumm:bad-value", "gpumm: C goes with a full product; ask for Output \"full\"");
  elseif (! isreal (o.c) && ! is_complex)
    error ("gpumm:bad-value", "gpumm: C of a product of real matrices by blocks must be real");
  elseif (! isa (o.c, name) || issparse (o.c) || (o.has_class && ! isempty (o.after)))
    error ("gpumm:bad-value", ["gpumm: C must be a full matrix of class \"%s\", as the " ...
                               "product is"], name);
  endif
  o = with_c (A, B, o, is_complex);
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
  o.algorithm = "auto"; # it names one for matrices of blocks
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
