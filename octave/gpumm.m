## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{C} =} gpumm (@var{A}, @var{B})
## @deftypefnx {} {[@var{C}, @var{info}] =} gpumm (@var{A}, @var{B}, @var{name}, @var{value}, @dots{})
## Multiply the matrices @var{A} and @var{B} on an NVIDIA GPU, or on the CPU where there is no GPU
## or where the CPU is faster.
##
## The result is that of @code{@var{A} * @var{B}}: the same size, class, sparsity and
## complexness, the same NaN and Inf, values within @w{n eps |A| |B|}, and the same errors.  (Where
## complex numbers meet NaN or Inf the same elements are not finite; whether a part of one is NaN or
## Inf depends on the routine, as it does within Octave.)
##
## @example
## @group
## gpumm ([1, 2; 3, 4], [5; 6])
##   @result{} ans =
##        17
##        39
## @end group
## @end example
##
## These classes go with each other.  Logical and character arrays, ranges and the indices that
## @code{find} returns count as double.
##
## @multitable @columnfractions 0.26 0.26 0.48
## @headitem @var{A} @tab @var{B} @tab @var{C}
## @item double @tab double @tab double
## @item single @tab single or double @tab single
## @item double @tab single @tab single
## @item sparse (double, logical) @tab sparse (double, logical) @tab sparse double
## @item sparse (double, logical) @tab full double @tab full double
## @item full double @tab sparse (double, logical) @tab full double
## @item integer @tab same integer class @tab that class, or any @qcode{"OutputClass"}; matrices
## of integers are gpumm's extension of @code{*}
## @item integer @tab scalar double, single or logical @tab the integer class
## @item integer scalar @tab double, single or logical @tab the integer class
## @item N-d array @tab scalar @tab as @code{*}
## @item diagonal, permutation @tab any of these @tab as @code{*}, by its special rules
## @item @code{blocksparse} @tab @code{blocksparse}, or full or sparse of a class that goes with its
## elements @tab @code{blocksparse}, or full or sparse
## @end multitable
##
## Real and complex go with each other except among integers; a complex result without imaginary
## parts becomes real.  Other pairs are errors, with OutputClass too: sparse with single, sparse with integers, two
## different integer classes, an N-d array with anything but a scalar.
##
## Products of two integer matrices of one class are exact.  They are rounded and saturated once,
## at the end:
##
## @example
## @group
## A = uint8 ([200, 100; 1, 2]);
## gpumm (A, A)
##   @result{} ans =
##       255  255
##       202  104
## gpumm (A, A, "OutputClass", "uint32")
##   @result{} ans =
##       40100  20200
##         202    104
## @end group
## @end example
##
## Options are pairs of a name, in upper or lower case, and a value:
##
## @table @asis
## @item @qcode{"TransposeA"}, @qcode{"TransposeB"}
## @qcode{"none"}, @qcode{"transpose"} or @qcode{"ctranspose"}: multiply @code{op (@var{A})} by
## @code{op (@var{B})}, without forming the transposes of full, sparse and integer matrices.
##
## @item @qcode{"Alpha"}, @qcode{"Beta"}, @qcode{"C"}
## The result is @code{alpha * op (A) * op (B) + beta * C}, with the class that Octave's expression
## has.  The default of Alpha is 1, that of Beta 1 where C is given and 0 where not.  As in BLAS,
## C is not read where Beta is 0, nor are the elements of @var{A} and @var{B} where Alpha is 0: NaN
## and Inf in them do not matter.  Where the inner size is 0, @code{A * B} is zero, and a full result
## is NaN if Alpha is NaN or Inf.  Octave multiplies by an Alpha that is not finite.  Between integer matrices Alpha and Beta must be integers from -2^53
## to 2^53, and C must be full and of the result's class; the sum is exact and saturated once.
##
## @item @qcode{"Backend"}
## @qcode{"auto"} (the default): the GPU where measured rates say that it is faster with both
## transfers; @qcode{"gpu"}: an error where there is none; @qcode{"cpu"}.
##
## @item @qcode{"Algorithm"}
## @qcode{"auto"} (the default), one of @code{gpumm_info ().algorithms}, or the name of one of
## @code{gpumm_info ().kernels} or @code{gpumm_info ().sparse_kernels}.  Without a GPU, or with Backend @qcode{"cpu"}, the kernels for the
## GPU run on the CPU, for study and not for speed.  @qcode{"strassen"} takes fewer operations, with
## an error that is small beside the largest elements of @var{A} and @var{B} but not beside each
## element of @code{|A| |B|}.  Where @code{gpumm_tune} has measured the GPU, @qcode{"auto"} takes the
## kernel that was the fastest at such sizes, and an algorithm the fastest of its own kernels;
## @code{@var{info}.reason} then says @qcode{"tuned: @dots{}"}.  With the environment variable
## @env{GPUMM_TUNED} set to 0 they do not.
##
## @item @qcode{"Device"}
## The index of the GPU to use, from 0.  Where there is no GPU, 0 stands for the CPU.
##
## @item @qcode{"OutputClass"}
## For integer matrices any integer class, @qcode{"double"} or @qcode{"single"}.  For others
## @qcode{"double"} or @qcode{"single"}: the product is computed in the widest of this class and
## those of the operands, and converted once at the end.
##
## @item @qcode{"Output"}
## For products with a @code{blocksparse}: @qcode{"full"}, @qcode{"sparse"} or
## @qcode{"blocksparse"}.
##
## @item @qcode{"MaxDeviceMemory"}
## Bytes of the GPU's memory that this call may use; larger problems are done in parts.  Sparse
## operands must fit.
##
## @item @qcode{"MaxCapability"}
## A compute capability, for instance 7.5: kernels that need a newer card are left out.
## @end table
##
## @example
## @group
## A = [1, 2; 3, 4; 5, 6];
## gpumm (A, A, "TransposeA", "transpose")
##   @result{} ans =
##       35   44
##       44   56
## gpumm (A, [1; 1], "Alpha", 2, "C", [1; 2; 3], "Beta", 10)
##   @result{} ans =
##       16
##       34
##       52
## @end group
## @end example
##
## @var{info} says what ran, in the fields
##
## @table @code
## @item backend
## @qcode{"cpu"} or @qcode{"gpu"}
## @item device
## A struct: @code{name}, and @code{index}, which is -1 for the CPU.
## @item algorithm, kernel
## Their names; @qcode{"scale"}, @qcode{"diagonal"} and @qcode{"permutation"} are Octave's own.
## @item seconds
## A struct: @code{total}, @code{upload}, @code{compute}, @code{download}, and @code{overhead}, what
## these three leave of the total.  The GPU's stages are timed on the GPU.
## @item bytes
## A struct: @code{up} and @code{down}, bytes moved to the GPU and back.  Numbers of full matrices that
## @code{single}, @code{int16} or @code{int8} holds exactly go up as these.
## @item flops, gflops
## Operations of the problem (2mnk where full and real) and, with @code{seconds.total}, their rate
## in units of 1e9 a second.
## @item reason
## Why it ran there, in a sentence.
## @end table
##
## @example
## @group
## [C, info] = gpumm (ones (3, 4), ones (4, 5));
## printf ("%s, %d operations\n", info.backend, info.flops)
##   @print{} cpu, 120 operations
## @end group
## @end example
##
## A product that takes more than two seconds shows on the terminal how much of it is done; see
## @code{gpumm_progress}.  Ctrl-C stops a product within 0.3 seconds, on the CPU and on the GPU.  Variables stay as they
## were, and the memory that the product had taken is given back.
##
## Errors have the identifiers @code{Octave:nonconformant-args}, @code{gpumm:undefined-operator},
## @code{gpumm:nd-array}, @code{gpumm:unknown-option}, @code{gpumm:missing-value},
## @code{gpumm:bad-value}, @code{gpumm:no-device}, @code{gpumm:host-memory},
## @code{gpumm:device-memory}, @code{gpumm:device-failed} and @code{gpumm:unsupported}.
## @seealso{blocksparse, gpumm_info, gpumm_available, gpumm_progress, gpumm_reset, gpumm_tune, mtimes}
## @end deftypefn

function [C, info] = gpumm (A, B, varargin)

  ## Every statement here costs a small product a part of its time: mod (nargin, 2) a third of it.
  try
    if (nargout < 2) # making info takes as long as a small product
      C = __gpumm_multiply__ (A, B, varargin{:});
    else
      [C, info] = __gpumm_multiply__ (A, B, varargin{:});
    endif
  catch err
    if (nargin < 2)
      print_usage ();
    endif
    [C, info] = not_as_it_stands (A, B, varargin, err);
  end_try_catch

endfunction

## What the engine does not take as it stands goes the longer way; all else is an error.
function [C, info] = not_as_it_stands (A, B, list, err)
  if (! strcmp (err.identifier, "gpumm:special"))
    error (without_prefix (err));
  endif
  [C, info] = multiply_any (A, B, parse_options (list));
endfunction

%!assert (gpumm ([1, 2; 3, 4], [5; 6]), [17; 39])
%!assert (gpumm (magic (4), 2), 2 * magic (4))
%!assert (gpumm (single ([1, 2]), [3; 4]), single (11))
%!assert (gpumm (sparse ([1, 0; 0, 2]), [1, 2; 3, 4]), [1, 2; 6, 8])
%!assert (gpumm (int8 ([100, 100]), int8 ([1; 1])), int8 (127))
%!assert (gpumm (int8 ([100, 100]), int8 ([1; 1]), "OutputClass", "int16"), int16 (200))
%!test
%! [C, info] = gpumm ([1, 2i], [3; 4], "TransposeA", "none");
%! assert (C, 3 + 8i);
%! assert (info.flops, 8);
%!error <Invalid call to gpumm> gpumm (1)
%!error <op1 is 2x3, op2 is 2x3> gpumm (ones (2, 3), ones (2, 3))
%!error id=Octave:nonconformant-args gpumm (ones (2, 3), ones (2, 3))
%!error id=gpumm:undefined-operator gpumm ({1}, 2)
%!error id=gpumm:unknown-option gpumm (1, 2, "Foo", 3)
