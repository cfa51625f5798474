// gpumm.cc - the function that users call, and its help.
//
// Short products with sparse matrices go on to Octave's `*`. The others are the gateway's,
// __gpumm_multiply__, which multiplies or returns nothing: then `*` does, or __multiply_any__.m
// converts the operands. Written in Octave's language this function took as long as the gateway,
// and a small product takes hardly longer than its call.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/parse.h>

#include "plan/too_small.h"

static const char *const help = R"(-*- texinfo -*-
@deftypefn  {} {@var{C} =} gpumm (@var{A}, @var{B})
@deftypefnx {} {[@var{C}, @var{info}] =} gpumm (@dots{}, @var{name}, @var{value})
Multiply the matrices @var{A} and @var{B} on an NVIDIA GPU, or on the CPU if there is no GPU or
if the CPU is faster.

The result agrees with @code{@var{A} * @var{B}}: it has the same size, class, sparsity and
complexness, the same NaN and Inf, and values within @w{n eps |A| |B|} of the exact product.
Errors are the same, too.  If complex numbers meet NaN or Inf, the same elements are not finite,
but which part is NaN and which is Inf depends on the routine, as it does within Octave.

@example
@group
gpumm ([1, 2; 3, 4], [5; 6])
  @result{} ans =
       17
       39
@end group
@end example

The table lists the pairs of classes that can be multiplied.  Logical and character arrays,
ranges and the indices that @code{find} returns count as double.

@multitable @columnfractions 0.26 0.26 0.48
@headitem @var{A} @tab @var{B} @tab @var{C}
@item double @tab double @tab double
@item single @tab single or double @tab single
@item double @tab single @tab single
@item sparse (double, logical) @tab sparse (double, logical) @tab sparse double
@item sparse (double, logical) @tab full double @tab full double
@item full double @tab sparse (double, logical) @tab full double
@item integer @tab same integer class @tab that class, or any @qcode{"OutputClass"}; @code{*} has
no products of two integer matrices
@item integer @tab scalar double, single or logical @tab the integer class
@item integer scalar @tab double, single or logical @tab the integer class
@item N-d array @tab scalar, or a full or sparse matrix of this table @tab as with @code{*}
@item diagonal, permutation @tab any of these @tab as with @code{*}
@item @code{blocksparse} @tab @code{blocksparse}, full or sparse, of a class of this table @tab
@code{blocksparse}, full or sparse
@end multitable

A real matrix can be multiplied by a complex one, but integers must be real.  A complex result
becomes real if all its imaginary parts are zero.  Other pairs are errors: sparse with single,
sparse with integers, two different integer classes.

An N-d array times a matrix is the product of matrices, as with @code{*}: all dimensions of the
array after the first count columns.  @code{pagemtimes} multiplies pages.

A product of two integer matrices of one class is computed exactly, and is rounded and saturated
once, at the end:

@example
@group
A = uint8 ([200, 100; 1, 2]);
gpumm (A, A)
  @result{} ans =
      255  255
      202  104
gpumm (A, A, "OutputClass", "uint32")
  @result{} ans =
      40100  20200
        202    104
@end group
@end example

Options are pairs of a name, in upper or lower case, and a value:

@table @asis
@item @qcode{"TransposeA"}, @qcode{"TransposeB"}
@qcode{"none"}, @qcode{"transpose"} or @qcode{"ctranspose"}: multiply @code{op (@var{A})} by
@code{op (@var{B})}, without forming the transposes of full, sparse and integer matrices.

@item @qcode{"Alpha"}, @qcode{"Beta"}, @qcode{"C"}
For full and sparse matrices of floating point: compute
@code{alpha * op (A) * op (B) + beta * C}, with the class of this expression in Octave.
Alpha is 1 by default.  Beta is 1 by default if C is given, and 0 otherwise.  As in BLAS, C is
not read if Beta is 0, and the elements of @var{A} and @var{B} are not read if Alpha is 0, so
NaN and Inf in them have no effect.  If the inner size is 0, @code{A * B} is zero; a full
result is then NaN if Alpha is NaN or Inf.  If Alpha is not finite, Octave multiplies by
Alpha.

@item @qcode{"Backend"}
@qcode{"auto"} (the default) takes the GPU if measured rates say that it is faster, transfers
included.  @qcode{"gpu"} takes the GPU and is an error if there is none.  @qcode{"cpu"} takes
the CPU.

@item @qcode{"Algorithm"}
@qcode{"auto"} (the default), one of @code{gpumm_info ().algorithms}, or the name of one of
@code{gpumm_info ().kernels} or @code{gpumm_info ().sparse_kernels}.  Without a GPU, or with
Backend @qcode{"cpu"}, the kernels for the GPU run on the CPU, for study and not for speed.
@qcode{"strassen"} needs fewer operations.  Its error is small relative to the largest elements
of @var{A} and @var{B}, but not relative to each element of @code{|A| |B|}.

@item @qcode{"Device"}
The index of the GPU to use, from 0, a vector of indices, or @qcode{"all"}.  Without a GPU, 0 is
the CPU.  If you allow several GPUs, they share a product of full matrices in host memory when
measured rates say that this is faster.  Products with sparse matrices or blocks run on the first
of these GPUs.  The default is GPU 0, or the GPUs that the environment variable
@env{GPUMM_DEVICES} names: @code{all}, or indices, for example @code{0,1}.

@item @qcode{"OutputClass"}
For two integer matrices: the class of the result, which is any integer class, @qcode{"double"}
or @qcode{"single"}.

@item @qcode{"Output"}
For products with a @code{blocksparse}: @qcode{"full"}, @qcode{"sparse"} or
@qcode{"blocksparse"}.

@item @qcode{"MaxDeviceMemory"}
The number of bytes of the GPU's memory that this call may use.  Products that need more are
computed in parts, but sparse operands must fit.

@item @qcode{"MaxCapability"}
A compute capability, for instance 7.5.  Kernels that need a newer card are not used.
@end table

If @var{A} or @var{B} is a @code{gpuArray}, the product runs where the array lies, and the
options are TransposeA, TransposeB, Algorithm, Device, and OutputClass of integers.

@example
@group
A = [1, 2; 3, 4; 5, 6];
gpumm (A, A, "TransposeA", "transpose")
  @result{} ans =
      35   44
      44   56
gpumm (A, [1; 1], "Alpha", 2, "C", [1; 2; 3], "Beta", 10)
  @result{} ans =
      16
      34
      52
@end group
@end example

@var{info} says what ran, in the fields

@table @code
@item backend
@qcode{"cpu"} or @qcode{"gpu"}
@item device
A struct: @code{name}, and @code{index}, which is -1 for the CPU.
@item algorithm, kernel
The names of the algorithm and the kernel.  @qcode{"scale"}, @qcode{"diagonal"} and
@qcode{"permutation"} are products that Octave computed.
@item seconds
A struct with the fields @code{total}, @code{upload}, @code{compute}, @code{download}, and
@code{overhead}, the rest of the total.  The GPU's stages are timed on the GPU.
@item bytes
A struct with the fields @code{up} and @code{down}: the bytes copied to the GPU and back.  Full
matrices whose elements @code{single}, @code{int16} or @code{int8} holds exactly are copied in
that class.
@item flops, gflops
The number of operations of the product (2mnk if full and real), and their rate over
@code{seconds.total} in units of 1e9 per second.
@item reason
A sentence that says why this device and algorithm were taken.
@item devices
A struct array of the devices that a product was spread over: @code{index}, @code{name},
@code{seconds}, @code{bytes} and @code{flops} of each device.  Empty if only one device took
part.  Otherwise the field @code{seconds} above is for the slowest device, and the fields
@code{bytes} and @code{flops} are for all devices together.
@end table

@example
@group
[C, info] = gpumm (ones (3, 4), ones (4, 5));
printf ("%s, %d operations\n", info.backend, info.flops)
  @print{} cpu, 120 operations
@end group
@end example

A product that takes more than two seconds shows its progress on the terminal; see
@code{gpumm_progress}.  Ctrl-C stops a product within 0.3 seconds, on the CPU and on the GPU.
Variables keep their values, and the memory of the product is released.

Errors have the identifiers @code{Octave:nonconformant-args}, @code{gpumm:undefined-operator},
@code{gpumm:nd-array}, @code{gpumm:unknown-option}, @code{gpumm:missing-value},
@code{gpumm:bad-value}, @code{gpumm:removed}, @code{gpumm:invalid}, @code{gpumm:no-device},
@code{gpumm:host-memory}, @code{gpumm:device-memory}, @code{gpumm:device-failed} and
@code{gpumm:unsupported}.
@seealso{pagemtimes, blocksparse, gpumm_info, gpumm_available, gpumm_mtimes, gpumm_progress,
gpumm_reset, mtimes}
@end deftypefn
)";

// ---- by Octave's own rules ----------------------------------------------------------------------

// Products up to these m n k and m n are too small for __multiply_any__.m, which takes 0.3 ms.
static const double SHORT_PRODUCT = 1e6;

// No gpuArray or blocksparse, which have no class of Octave's own.
static bool is_value (const octave_value &x) {
  return x.builtin_type () <= btyp_char;
}

static double stored (const octave_value &x) {
  return double (x.issparse () ? x.nnz () : x.numel ());
}

// Is A * B a product with a sparse matrix for which `*` is faster?
static bool is_short (const octave_value &a, const octave_value &b) {
  return (a.issparse () || b.issparse ()) && a.columns () == b.rows ()
         && gpumm_octave_is_faster (a.issparse (), b.issparse (), stored (a), stored (b),
                                    double (a.rows ()), double (b.rows ()), double (b.columns ()));
}

// Should `*` compute A * B, which is not for the engine as it is, at once? Yes for scalars,
// diagonal and permutation matrices, and for small products whose operands would need conversion.
static bool is_for_octave (const octave_value &a, const octave_value &b) {
  if (a.numel () == 1 || b.numel () == 1)
    return true;
  if (a.isinteger () || b.isinteger () || a.ndims () != 2 || b.ndims () != 2)
    return false;
  if (a.is_diag_matrix () && b.is_diag_matrix ()) // Octave 7 has a bug for these
    return false;
  const double m = double (a.rows ()), n = double (b.columns ());
  return a.is_diag_matrix () || b.is_diag_matrix () || a.is_perm_matrix () || b.is_perm_matrix ()
         || (m * double (a.columns ()) * n <= SHORT_PRODUCT && m * n <= SHORT_PRODUCT);
}

// A * B, or an undefined value where `*` has none: __multiply_any__.m raises that error.
static octave_value octave_product (const octave_value &a, const octave_value &b) {
  octave::interpreter &octave = *octave::interpreter::the_interpreter ();
  try {
    return octave::binary_op (octave.get_type_info (), octave_value::op_mul, a, b);
  } catch (const octave::execution_exception &) {
    octave.recover_from_exception ();
    return octave_value ();
  }
}

// ---- the function -------------------------------------------------------------------------------

static bool is_one (const octave_value_list &results) {
  return !results.empty () && results (0).is_defined ();
}

DEFUN_DLD (gpumm, args, nargout, help) {
  if (args.length () < 2)
    print_usage ();
  if (nargout > 2)
    error_with_id ("Octave:invalid-fun-call", "gpumm: function called with too many outputs");
  const bool is_plain =
      args.length () == 2 && nargout < 2 && is_value (args (0)) && is_value (args (1));
  octave_value_list results;
  if (is_plain && is_short (args (0), args (1)))
    results = octave_product (args (0), args (1));
  if (!is_one (results))
    results = octave::feval ("__gpumm_multiply__", args, nargout);
  if (!is_one (results) && is_plain && is_for_octave (args (0), args (1)))
    results = octave_product (args (0), args (1));
  return is_one (results) ? results : octave::feval ("__multiply_any__", args, nargout);
}
