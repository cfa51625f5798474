## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{G} =} gpuArray (@var{A})
## @deftypefnx {} {@var{G} =} gpuArray.@var{name} (@dots{})
## Copy an array to the GPU, where it stays.
##
## @var{A} is double or single, real or complex, logical, or of an integer class, or it is sparse or
## a @code{blocksparse}.  Results of operations with @var{G} stay on the GPU, too.
## @code{gather} copies an array back.
##
## @example
## @group
## G = gpuArray ([1, 2; 3, 4]);
## H = G * G + 1;
## class (H)
##   @result{} ans = gpuArray
## gather (H)
##   @result{} ans =
##        8   11
##       16   23
## @end group
## @end example
##
## @code{save} writes @var{G} as the matrix that @code{gather (@var{G})} returns, and @code{load}
## gives this matrix.
##
## A script with @code{gpuArray} runs without a GPU, too.  The arrays are then in host memory, and
## @code{existsOnGPU} is false.  @code{canUseGPU} says so before there is an array.
##
## The form with a dot makes an array on the GPU.  @var{name} is @code{zeros}, @code{ones},
## @code{eye}, @code{Inf}, @code{NaN}, @code{NA}, @code{true}, @code{false}, @code{rand},
## @code{randn}, @code{rande}, @code{randi}, @code{randperm}, @code{linspace}, @code{logspace},
## @code{colon}, @code{speye} or @code{sprand}, and the arguments are those of Octave's function.
## Random numbers are drawn on the GPU, by a generator of their own: @code{gpurng} sets its seed.  The
## same seed gives the same numbers with and without a GPU.  Those of @code{sprand} are Octave's.
##
## Octave's own functions take the class @qcode{"gpuArray"} as their last argument, also after
## another class, and @qcode{"like"} with an array whose class, complexity, format and place the
## result gets: @code{zeros (3, "single", "gpuArray")}, @code{ones (2, 3, "like", @var{G})}.  These
## are @code{zeros}, @code{ones}, @code{eye}, @code{Inf}, @code{NaN}, @code{NA}, @code{true},
## @code{false}, @code{rand}, @code{randn}, @code{rande} and @code{randperm}; @code{linspace} and
## @code{colon} take @qcode{"gpuArray"}.  @code{randi} and @code{cast} are files of Octave, which
## only know @qcode{"like"} with a gpuArray: write @code{gpuArray.randi (9, 3)}.
##
## @example
## @group
## G = gpuArray.eye (2, "single");
## underlyingType (G)
##   @result{} ans = single
## size (gpuArray.rand (3, 4))
##   @result{} ans =
##        3   4
## @end group
## @end example
##
## These work on the GPU, with the same values, classes and errors as for Octave's arrays:
##
## @itemize
## @item
## products, @code{@var{G} * @var{H}}, and @code{[@var{C}, @var{info}] = gpumm (@var{G}, @var{H},
## @dots{})} with the options that its help names; transposes, which copy nothing
## @item
## @code{+ - .* ./ .\ .^}, division by a number, comparisons, @code{& | !}, and
## @code{+= -= *= /= .*= ./=}, also of a matrix with a row, a column or a number
## @item
## @code{abs}, @code{sqrt}, @code{exp}, @code{log}, @code{tanh}, @code{sin}, @code{cos},
## @code{sign}, @code{round}, @code{floor}, @code{ceil}, @code{fix}, @code{real}, @code{imag},
## @code{conj}, @code{isnan}, @code{isinf}, @code{isfinite}, @code{atan2}, @code{hypot},
## @code{mod}, @code{rem}
## @item
## @code{sum}, @code{prod}, @code{sumsq}, @code{mean}, @code{max}, @code{min}, @code{range},
## @code{bounds}, @code{var}, @code{any}, @code{all}, @code{xor}, @code{cumsum}, @code{cumprod},
## @code{cummax}, @code{cummin}, @code{dot}, @code{trace}, @code{isequal}
## @item
## @code{sort}, @code{median}, @code{find}
## @item
## @code{diff}, @code{gradient}, @code{del2}, @code{kron}, @code{complex}, @code{polyval},
## @code{vecnorm}, @code{nextpow2}
## @item
## @code{sum (@var{G}, "all", "omitnan")}, @code{max (@var{G}, [], [1, 2], "includenan")}: reductions
## and running sums take these words and lists of dimensions as in Octave 11, in every version
## @item
## @code{norm (@var{G}, @var{p})} with @var{p} 1, @code{Inf} or @qcode{"fro"}, of a vector also 2
## and @code{-Inf}
## @item
## @code{@var{G} \ @var{b}} and @code{@var{b} / @var{G}} with a full triangular matrix @var{G}, and
## @code{chol (@var{G})}.  The CPU solves systems that are singular or nearly so, with Octave's
## warnings
## @item
## indexing and assignment by numbers, ranges, colons and logical masks; @code{[@var{G}, @var{H}]},
## @code{[@var{G}; @var{H}]}, @code{cat}, @code{reshape}, @code{permute}, @code{squeeze},
## @code{repmat}, @code{diag}, @code{triu}, @code{tril}, @code{bsxfun} with operators
## @item
## @code{double}, @code{single}, @code{int8}, @dots{}, @code{logical}
## @end itemize
##
## These work for sparse matrices: products with sparse, full and diagonal matrices, by @code{*} and
## by @code{gpumm}, transposes, @code{+ - .*}, comparisons and functions that leave zeros zero,
## numbers and vectors as factors and divisors, @code{sum}, @code{max}, @code{min}, @code{any},
## @code{norm} with 1, @code{Inf} and @qcode{"fro"}, @code{vecnorm} with 1, 2 and @code{Inf},
## @code{diff}, @code{complex} of two, @code{trace}, @code{diag}, @code{nnz}, reading rows and
## columns, @code{[@var{G}, @var{H}]}, @code{full} and @code{sparse}.
##
## These work for matrices in blocks: products with each other and with full matrices, by @code{*}
## and by @code{gpumm}, powers by whole numbers from 1 on, transposes, @code{+ - .*} of two matrices
## with the same block size, numbers as factors and divisors, functions that leave zeros zero,
## @code{dropblocks}, @code{sum}, @code{norm} with 1, @code{Inf} and @qcode{"fro"}, @code{trace} and
## @code{diag} of square blocks, @code{nnz}, @code{nnzb}, @code{blocksize}, reading rows and columns
## (the result is full) and blocks @code{@var{G}@{I,J@}}, @code{[@var{G}, @var{H}]} of one class and
## block size, @code{full}, @code{sparse}, and @code{blocksparse (@var{G}, @var{b})} of a full
## matrix.  Products of two matrices in blocks of one integer class are exact and saturate once, at
## the end.
##
## The CPU divides by a matrix in host memory, @code{@var{M} \ @var{G}} and
## @code{@var{G} / @var{M}}.  The CPU also computes @code{arrayfun}, and @code{bsxfun} of other
## functions than operators, from one copy in host memory.
##
## Functions of Octave that are made of these work, too, such as @code{std}, @code{circshift},
## @code{trapz}, @code{cross}, @code{rot90}, @code{rescale} and, since Octave 8, @code{normalize}.
## All other functions give an error with the identifier @code{gpumm:gpuArray:gather}, which says
## what to write.  For int64 and uint64 arrays, operators, comparisons and elementwise functions are
## such errors, too, except for products of matrices in blocks.  A GPU also refuses some operations
## on arrays of more than 4 dimensions, and sparse matrices with 2^31 - 1 rows or more, which work
## without a GPU.
##
## You can use a @code{gpuArray} of one element as a number, for example in @code{if}, @code{while},
## @code{zeros} and @code{printf}.  A range of such numbers, @code{1:@var{k}}, is one of the host.
## Plots, @code{printf}, @code{fwrite}, @code{imwrite} and others that draw or write take the values
## of a @code{gpuArray}.  The cells of @code{num2cell}, @code{mat2cell} and @code{cellslices} are
## parts on its device.
##
## Products and elementwise operations are queued: Octave continues before they are complete.
## These calls wait: @code{gather}, display, truth values, @code{sqrt}, @code{log} and @code{.^} of
## real arrays (a negative number makes the result complex), division by a matrix, @code{chol}, and
## @code{wait (gpuDevice ())}.
##
## Some results differ from those of Octave's arrays; the guide lists them.  A complex result whose
## imaginary parts are all zero stays complex until @code{gather}.  Sums of integers with
## @qcode{"native"} are exact and saturate once, at the end.  @code{norm} of a matrix with NaN is
## NaN; Octave 9 and earlier skip some NaN.
##
## Errors have the identifiers @code{gpumm:gpuArray:gather}, @code{gpumm:invalid} (a class that
## cannot be a @code{gpuArray}), @code{gpumm:device-memory} and those of Octave.
## @seealso{gather, isgpuarray, existsOnGPU, canUseGPU, underlyingType, gpuDevice, gpurng, gpumm}
## @end deftypefn

function G = gpuArray (varargin)

  if (nargin > 0)
    G = __gpuarray__ ("gpuArray", varargin);
  else
    ## gpuArray.rand (2) calls gpuArray () and takes a field of the result
    persistent makers = __gpuarray__ ("makers");
    G = makers;
  endif

endfunction

%!assert (gather (gpuArray (magic (3))), magic (3))
%!assert (underlyingType (gpuArray (int8 (1))), "int8")
%!assert (gather (gpuArray.zeros (2, 3)), zeros (2, 3))
%!assert (gather (gpuArray.eye (2, 3, "int8")), full (eye (2, 3, "int8")))
%!error <Invalid call to gpuArray> gpuArray (1, 2)
%!error id=gpumm:invalid gpuArray ({1})
