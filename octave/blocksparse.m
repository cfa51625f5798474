## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{S} =} blocksparse (@var{A}, @var{b})
## @deftypefnx {} {@var{S} =} blocksparse (@var{A}, [@var{br}, @var{bc}])
## @deftypefnx {} {@var{S} =} blocksparse (@var{I}, @var{J}, @var{blocks}, @var{m}, @var{n})
## @deftypefnx {} {@var{S} =} blocksparse (@var{m}, @var{n}, [@var{br}, @var{bc}], @var{class})
## @deftypefnx {} {@var{S} =} blocksparse (@var{struct})
## Make a block-sparse matrix.  It consists of full blocks of one size and stores only the blocks
## with a nonzero element, sorted by block row and then by block column.
##
## The elements are double or single, real or complex, or of any integer class.  So a
## @code{blocksparse} can be a sparse matrix of single or of integers, which Octave does not have.
## @code{underlyingType (@var{S})} is the class of the elements.
##
## @var{A} is a full or sparse matrix, which is cut into blocks of @var{b} x @var{b} or @var{br} x
## @var{bc}.  The block size must divide the size of @var{A}.
##
## @var{blocks} is an array @var{br} x @var{bc} x @var{k}; block @code{@var{blocks}(:,:,t)}
## becomes the block in block row @code{@var{I}(t)} and block column @code{@var{J}(t)} of an
## @var{m} x @var{n} matrix.  Two blocks with the same indices are an error, here and in a file of
## blocks, because a sum of integers may saturate.
##
## If only sizes are given, the matrix is zero.  Its @var{class} is @qcode{"double"} by default.
##
## @example
## @group
## S = blocksparse ([1 2 0 0; 3 4 0 0; 0 0 0 5; 0 0 6 0], 2)
##   @result{} S = 4x4 blocksparse double: 2 of 4 blocks of 2x2, 6 nonzeros
##       4  .
##       .  2
## @end group
## @group
## S(2,1)
##   @result{} ans = 3
## full (S * S)(1:2,1:2)
##   @result{} ans =
##        7   10
##       15   22
## @end group
## @end example
##
## The display shows the number of nonzeros of each block, and a dot for a block that is not stored.
## For a large matrix it shows these numbers for rectangles of blocks.
##
## @code{S(i,j)}, with indices, ranges or colons, is a full matrix; @code{S@{I,J@}} is one block.
## (@code{end} counts elements in both.)  You cannot assign elements: make another matrix.
##
## Nearly all functions of Octave take a @code{blocksparse}.  These give a @code{blocksparse}:
##
## @itemize
## @item @code{+}, @code{-} and @code{.*} of two matrices with the same block size; @code{-S},
## @code{S'} and @code{S.'}; @code{*}, @code{.*}, @code{/} and @code{.^} with a number; @code{S^p}
## with a whole number;
## @item @code{[S, T]} and @code{[S; T]} with the same class and block size;
## @item @code{abs}, @code{real}, @code{imag}, @code{conj}, @code{round}, @code{sqrt}, @code{sin}
## and others that are 0 at 0; @code{triu}, @code{tril}; @code{kron} with a full matrix;
## @code{double}, @code{single}, @code{int8} and the other classes, @code{cast};
## @item @code{reshape}, if blocks are one column wide and none is cut;
## @item @code{dropblocks (S, tol)}: @var{S} without the blocks whose Frobenius norm is at most
## @var{tol}.
## @end itemize
##
## These work on the blocks, too: @code{sum}, @code{sumsq}, @code{mean}, @code{max}, @code{min},
## @code{any}, @code{all}, @code{norm} (1, Inf and @qcode{"fro"}), @code{trace}, @code{diag},
## @code{nnz}, @code{nzmax}, @code{nnzb}, @code{blocksize}, @code{find}, @code{nonzeros},
## @code{isnan}, @code{isinf}, @code{isequal}, @code{ishermitian}, @code{isdiag}, @code{isbanded},
## @code{size}, @code{sparse}, @code{spy}, @code{pcg}.  @code{S \ b} converts @var{S} to a sparse
## matrix.
##
## All other functions and operators get the full matrix if it takes at most 1 GiB.  If it takes
## more, they give an error; convert the matrix yourself with @code{full (@var{S})} or @code{sparse
## (@var{S})}.  Functions that assign elements of their argument, such as @code{expm}, need
## @code{full (@var{S})}, too.
##
## @code{gpuArray (@var{S})} keeps the blocks on the GPU.
##
## @code{save} and @code{load} keep a @code{blocksparse} in Octave's formats @option{-text},
## @option{-binary} and @option{-hdf5}.  MATLAB's formats cannot hold a @code{blocksparse}.
## @code{struct (@var{S})} returns the fields of @var{S} as a struct.
## @code{blocksparse (@var{struct})} checks such a struct and makes the matrix again.
##
## @code{*} calls @code{gpumm}:
##
## @table @asis
## @item blocksparse by blocksparse
## gives a blocksparse.  Blocks of @var{br} x @var{bk} must meet blocks of @var{bk} x @var{bc}.
## @item blocksparse by full, full by blocksparse
## gives a full matrix.
## @item blocksparse by sparse, sparse by blocksparse
## gives a sparse matrix; for single, a blocksparse.
## @item blocksparse by scalar
## gives a blocksparse.
## @end table
##
## The class of the result is the same as for full matrices.  @code{full (gpumm (@var{S}, @var{T}))}
## equals @code{gpumm (full (@var{S}), full (@var{T}))}, bit for bit for integers, with one
## exception: NaN and Inf are not multiplied by zeros that are not stored.  @code{gpumm (@var{S},
## @var{T}, "Output", @var{form})} with @qcode{"full"}, @qcode{"sparse"} or @qcode{"blocksparse"}
## chooses the form of the result.
##
## The identifier of an error is @code{gpumm:blocksparse:@var{what}}, where @var{what} is
## @code{size}, @code{class}, @code{index}, @code{duplicate}, @code{argument}, @code{structure} or
## @code{assignment}.
## @seealso{gpumm, blocksparse_read, blocksparse_write, sparse}
## @end deftypefn

function S = blocksparse (varargin)

  switch (nargin)
    case 1
      s = varargin{1};
      if (isa (s, "blocksparse"))
        S = s;
        return;
      endif
      if (! isstruct (s))
        print_usage ();
      endif
    case 2
      s = from_matrix (varargin{:});
    case {3, 4}
      s = from_sizes (varargin{:});
    case 5
      s = from_blocks (varargin{:});
    otherwise
      print_usage ();
  endswitch
  S = __blocksparse__ (s);

endfunction

function b = block_size (b)
  if (! (isnumeric (b) && isreal (b) && any (numel (b) == [1, 2]) && all (b >= 1) ...
         && all (b == fix (b)) && all (b <= 2^31 - 1)))
    error ("gpumm:blocksparse:size", ["blocksparse: the size of a block must be one or two " ...
                                      "positive integers"]);
  endif
  b = full (double ([b(1), b(end)]));
endfunction

## [M, N] as double.  Each is converted alone, because [int8, double] would saturate.
function sizes = matrix_size (m, n)
  for x = {m, n}
    x = x{1};
    if (! (isnumeric (x) && isreal (x) && isscalar (x) && x >= 0 && x == fix (x) && x < Inf))
      error ("gpumm:blocksparse:size", "blocksparse: M and N must be nonnegative integers");
    endif
  endfor
  sizes = full ([double(m), double(n)]);
endfunction

function check_divides (sizes, b)
  if (any (mod (sizes, b)))
    error ("gpumm:blocksparse:size", "blocksparse: %dx%d does not divide into blocks of %dx%d", ...
           sizes, b);
  endif
  ## block columns are int32; places in the grid are numbered in double
  grid = sizes ./ b;
  if (any (grid > 2^31 - 1) || prod (grid) > flintmax ())
    error ("gpumm:blocksparse:size", ["blocksparse: a grid of %dx%d blocks has more than " ...
                                      "2^31 - 1 rows or columns, or more than 2^53 blocks"], grid);
  endif
endfunction

function check_class (name)
  if (! any (strcmp (name, {"double", "single", "int8", "int16", "int32", "int64", "uint8", ...
                            "uint16", "uint32", "uint64"})))
    error ("gpumm:blocksparse:class", ["blocksparse: elements must be double, single or of " ...
                                       "an integer class, not %s"], name);
  endif
endfunction

## The struct of a blocksparse; full () because the engine reads no ranges or diagonal matrices.
function s = make (sizes, b, start, column, values)
  s = struct ("rows", sizes(1), "cols", sizes(2), "block_rows", b(1), "block_cols", b(2), ...
              "start", int64 (start(:)), "column", int32 (column(:)), "values", ...
              reshape (full (values), b(1), []));
endfunction

function s = from_sizes (m, n, b, name = "double")
  sizes = matrix_size (m, n);
  b = block_size (b);
  check_divides (sizes, b);
  if (! ischar (name))
    error ("gpumm:blocksparse:class", "blocksparse: CLASS must be the name of a class");
  endif
  check_class (name);
  s = make (sizes, b, zeros (sizes(1) / b(1) + 1, 1), [], zeros (b(1), 0, name));
endfunction

function s = from_matrix (A, b)
  if (isa (A, "blocksparse"))
    A = full (A);
  elseif (islogical (A) || ischar (A))
    A = double (A);
  endif
  check_class (class (A));
  if (ndims (A) > 2)
    error ("gpumm:blocksparse:size", "blocksparse: A must have two dimensions");
  endif
  b = block_size (b);
  sizes = size (A);
  check_divides (sizes, b);
  grid = sizes ./ b;
  if (issparse (A))
    [i, j, v] = find (A);
    i = i(:) - 1;
    j = j(:) - 1;
    block = floor (i / b(1)) * grid(2) + floor (j / b(2)); # blocks numbered row by row
    [places, ~, at] = unique (block);
    values = zeros (prod (b), numel (places));
    values(mod (i, b(1)) + mod (j, b(2)) * b(1) + 1 + (at(:) - 1) * prod (b)) = v;
  else
    values = permute (reshape (A, b(1), grid(1), b(2), grid(2)), [1, 3, 4, 2]);
    values = reshape (values, prod (b), prod (grid)); # the blocks, row by row
    places = find (any (values != 0, 1)).' - 1;
    values = values(:,places+1);
  endif
  s = make (sizes, b, offsets (floor (places / grid(2)), grid(1)), mod (places, grid(2)), values);
endfunction

## The offsets of the block rows, from the sorted block rows (from 0) of all blocks.
function start = offsets (block_row, count)
  start = [0; cumsum(accumarray (block_row(:) + 1, 1, [count, 1]))];
endfunction

function s = from_blocks (I, J, blocks, m, n)
  if (islogical (blocks) || ischar (blocks))
    blocks = double (blocks);
  endif
  check_class (class (blocks));
  if (ndims (blocks) > 3)
    error ("gpumm:blocksparse:size", "blocksparse: BLOCKS must be an array BR x BC x K");
  endif
  b = block_size ([size(blocks, 1), size(blocks, 2)]);
  count = size (blocks, 3);
  if (numel (blocks) == 0)
    count = 0;
  endif
  sizes = matrix_size (m, n);
  check_divides (sizes, b);
  grid = sizes ./ b;
  if (numel (I) != count || numel (J) != count)
    error ("gpumm:blocksparse:index", ...
           "blocksparse: %d blocks do not match %d block rows and %d block columns", count, ...
           numel (I), numel (J));
  endif
  I = check_index ("row", I, grid(1));
  J = check_index ("column", J, grid(2));
  [places, order] = sort ((I - 1) * grid(2) + J - 1);
  twice = find (diff (places) == 0, 1);
  if (! isempty (twice))
    error ("gpumm:blocksparse:duplicate", ...
           "blocksparse: blocks %d and %d both have block row %d and block column %d", ...
           order(twice), order(twice+1), I(order(twice)), J(order(twice)));
  endif
  values = reshape (blocks, prod (b), count);
  if (! issorted (order))
    values = values(:,order);
  endif
  kept = any (values != 0, 1);
  if (! all (kept))
    values = values(:,kept);
    places = places(kept);
  endif
  s = make (sizes, b, offsets (floor (places / grid(2)), grid(1)), mod (places, grid(2)), values);
endfunction

function x = check_index (what, x, most)
  if (! (isnumeric (x) && isreal (x)))
    error ("gpumm:blocksparse:index", "blocksparse: block %ss must be numbers", what);
  endif
  x = double (x(:));
  bad = find (! (x >= 1 & x <= most & x == fix (x)), 1);
  if (! isempty (bad))
    error ("gpumm:blocksparse:index", "blocksparse: block %d: block %s %g is not from 1 to %d", ...
           bad, what, x(bad), most);
  endif
endfunction
