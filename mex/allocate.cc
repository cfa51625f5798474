// allocate.cc - Octave arrays in untouched memory.
//
//   X = __gpumm_allocate__ ([TYPE, ROWS, COLS, NZMAX])
//
// TYPE is a gpumm_type (engine/gpumm.h); NZMAX is negative for a dense array. The elements are
// undefined: the calling gateway writes all of them. For internal use.
//
// Octave's own constructors and zeros () write every element once, which takes 1/3 s for a result
// of 512 MB. Array and Sparse also have constructors that take ownership of memory allocated
// outside (Array.h, Sparse.h: "externally allocated"). With these the thread that computes a page
// touches it first. The memory must come from the allocator Alloc to which the class returns it:
// std::allocator in Octave 7, a polymorphic one later. If the build-time probe finds that this does
// not work (GPUMM_ADOPT 0), this file uses Octave's own constructors.
//
// octave_value's constructor narrows a complex array with zero imaginary parts to a real array of
// half the size. So one element gets an imaginary part first, and the gateway narrows the filled
// array.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include <octave/oct.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "gpumm.h"

#ifndef GPUMM_ADOPT
#define GPUMM_ADOPT 1
#endif

template <typename T> static void mark_complex (std::complex<T> &first) {
  first = std::complex<T> (0, 1);
}

template <typename T> static void mark_complex (T &) {
}

#if GPUMM_ADOPT

// Pages of 2 MB instead of 4 KB halve the time of the first touch (2.9 instead of 1.5 GB/s per
// thread, if the kernel lets the program choose). Only advice, so failures do not matter.
static void advise_huge_pages (void *p, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const std::uintptr_t huge = std::uintptr_t (2) << 20;
  std::uintptr_t begin = (reinterpret_cast<std::uintptr_t> (p) + huge - 1) & ~(huge - 1);
  std::uintptr_t end = (reinterpret_cast<std::uintptr_t> (p) + bytes) & ~(huge - 1);
  if (begin < end)
    madvise (reinterpret_cast<void *> (begin), end - begin, MADV_HUGEPAGE);
#else
  (void) p;
  (void) bytes;
#endif
}

template <typename Allocator> static typename Allocator::value_type *raw (octave_idx_type n) {
  Allocator allocator;
  return std::allocator_traits<Allocator>::allocate (allocator, n);
}

template <typename T, typename Allocator>
static Array<T, Allocator> adopt (const dim_vector &size, Array<T, Allocator> *) {
  octave_idx_type n = size.safe_numel (); // raises Octave's own error when it overflows
  if (n > std::numeric_limits<octave_idx_type>::max () / octave_idx_type (sizeof (T)))
    throw std::bad_alloc ();
  T *p = raw<Allocator> (n);
  advise_huge_pages (p, n * sizeof (T));
  return Array<T, Allocator> (p, size);
}

template <typename T> static Array<T> dense_array (const dim_vector &size) {
  return adopt (size, static_cast<Array<T> *> (nullptr));
}

template <typename T, typename Allocator>
static Sparse<T, Allocator> adopt (const dim_vector &size, octave_idx_type nzmax,
                                   Sparse<T, Allocator> *) {
  typedef typename std::allocator_traits<Allocator>::template rebind_alloc<octave_idx_type> Index;
  Allocator values;
  Index indices;
  T *data = raw<Allocator> (nzmax);
  octave_idx_type *row = nullptr;
  try {
    row = raw<Index> (nzmax);
    octave_idx_type *column = raw<Index> (size (1) + 1);
    advise_huge_pages (data, nzmax * sizeof (T));
    advise_huge_pages (row, nzmax * sizeof (octave_idx_type));
    std::fill_n (column, size (1) + 1, 0);
    return Sparse<T, Allocator> (size, nzmax, data, row, column);
  } catch (const std::bad_alloc &) { // free the arrays that have no owner yet
    std::allocator_traits<Allocator>::deallocate (values, data, nzmax);
    if (row)
      std::allocator_traits<Index>::deallocate (indices, row, nzmax);
    throw;
  }
}

template <typename T>
static Sparse<T> sparse_array (const dim_vector &size, octave_idx_type nzmax) {
  return adopt (size, nzmax, static_cast<Sparse<T> *> (nullptr));
}

#else

template <typename T> static Array<T> dense_array (const dim_vector &size) {
  return Array<T> (size, T ());
}

template <typename T>
static Sparse<T> sparse_array (const dim_vector &size, octave_idx_type nzmax) {
  Sparse<T> x (size, nzmax);
  std::fill_n (x.xcidx (), size (1) + 1, 0);
  return x;
}

#endif

// ND is Octave's array class of elements T.
template <typename T, typename ND> static octave_value dense (const dim_vector &size) {
  Array<T> x = dense_array<T> (size);
  if (x.numel () > 0)
    mark_complex (const_cast<T &> (x.data ()[0]));
  return octave_value (ND (x));
}

template <typename T, typename S>
static octave_value sparse (const dim_vector &size, octave_idx_type nzmax) {
  Sparse<T> x = sparse_array<T> (size, nzmax > 0 ? nzmax : 1);
  if (!std::is_arithmetic<T>::value && size (0) > 0 && size (1) > 0) { // one, in the last column
    mark_complex (x.xdata ()[0]);
    x.xridx ()[0] = 0;
    x.xcidx ()[size (1)] = 1;
  }
  return octave_value (S (x));
}

static octave_value allocate (double type, const dim_vector &size, double nzmax) {
  static octave_value (*const full[]) (const dim_vector &) = {
      dense<float, FloatNDArray>,
      dense<double, NDArray>,
      dense<FloatComplex, FloatComplexNDArray>,
      dense<Complex, ComplexNDArray>,
      dense<octave_int8, int8NDArray>,
      dense<octave_int16, int16NDArray>,
      dense<octave_int32, int32NDArray>,
      dense<octave_int64, int64NDArray>,
      dense<octave_uint8, uint8NDArray>,
      dense<octave_uint16, uint16NDArray>,
      dense<octave_uint32, uint32NDArray>,
      dense<octave_uint64, uint64NDArray>};
  static_assert (GPUMM_S == 0 && GPUMM_I8 == 4 && GPUMM_U64 == 11, "the order of the types");
  if (nzmax >= 0 && type == GPUMM_D)
    return sparse<double, SparseMatrix> (size, nzmax);
  if (nzmax >= 0 && type == GPUMM_Z)
    return sparse<Complex, SparseComplexMatrix> (size, nzmax);
  if (nzmax < 0 && type >= GPUMM_S && type <= GPUMM_U64)
    return full[int (type)](size);
  error ("__gpumm_allocate__: no such arrays of type %g", type);
}

DEFUN_DLD (__gpumm_allocate__, args, , "For internal use: an array of undefined elements.") {
  NDArray request;
  if (args.length () == 1)
    request = args (0).array_value ();
  if (request.numel () != 4 || !(request (1) >= 0 && request (2) >= 0))
    error ("__gpumm_allocate__: one argument, [type, rows, cols, nzmax]");
  try {
    return ovl (allocate (request (0), dim_vector (request (1), request (2)), request (3)));
  } catch (const std::bad_alloc &) { // the calling gateway is C and can catch only Octave's errors
    error ("__gpumm_allocate__: out of memory");
  }
}
