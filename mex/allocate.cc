// allocate.cc - results of Octave's in untouched memory.
//
// The elements are undefined: the calling gateway writes all of them. Octave's own constructors and
// zeros () write every element once, which takes 1/3 s for a result of 512 MB. Array and Sparse
// also have constructors that take ownership of memory allocated outside (Array.h, Sparse.h:
// "externally allocated"). With these the thread that computes a page touches it first. The memory
// must come from the allocator to which the class returns it: std::allocator in Octave 7, a
// polymorphic one later. If the build-time probe finds that this does not work (GPUMM_ADOPT 0),
// this file uses Octave's own constructors.
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
#include <memory>
#include <new>
#include <type_traits>

#include <octave/oct.h>

#include <octave/mxarray.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "allocate.h"

#ifndef GPUMM_ADOPT
#define GPUMM_ADOPT 1
#endif

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

// Untouched memory for n elements T, from the allocator of a class that has Allocator.
template <typename T, typename Allocator> static auto raw (std::size_t n) {
  using own = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  const auto release = [n] (T *p) { own ().deallocate (p, n); };
  std::unique_ptr<T, decltype (release)> p (own ().allocate (n), release);
  advise_huge_pages (p.get (), n * sizeof (T));
  return p;
}

// The second argument names the allocator.
template <typename T, typename Allocator>
static Array<T, Allocator> new_full (const dim_vector &size, const Array<T, Allocator> &) {
  return Array<T, Allocator> (raw<T, Allocator> (size.numel ()).release (), size);
}

template <typename T, typename Allocator>
static Sparse<T, Allocator> new_sparse (const dim_vector &size, octave_idx_type nzmax,
                                        const Sparse<T, Allocator> &) {
  auto values = raw<T, Allocator> (nzmax);
  auto rows = raw<octave_idx_type, Allocator> (nzmax);
  auto columns = raw<octave_idx_type, Allocator> (size (1) + 1);
  return Sparse<T, Allocator> (size, nzmax, values.release (), rows.release (), columns.release ());
}

#else

template <typename T> static Array<T> new_full (const dim_vector &size, const Array<T> &) {
  return Array<T> (size, T ());
}

template <typename T>
static Sparse<T> new_sparse (const dim_vector &size, octave_idx_type nzmax, const Sparse<T> &) {
  return Sparse<T> (size, nzmax);
}

#endif

template <typename T> static void mark_complex (std::complex<T> &first) {
  first = std::complex<T> (0, 1);
}

template <typename T> static void mark_complex (T &) {
}

template <typename T> static octave_value full (const dim_vector &size) {
  if (double (size (0)) * double (size (1)) * sizeof (T) >= 0x1p62) // numel () could overflow
    throw std::bad_alloc ();
  Array<T> x = new_full (size, Array<T> ());
  if (x.numel () > 0)
    mark_complex (const_cast<T &> (x.data ()[0]));
  return octave_value (x);
}

template <typename T> static octave_value sparse (const dim_vector &size, octave_idx_type nzmax) {
  Sparse<T> x = new_sparse (size, std::max<octave_idx_type> (nzmax, 1), Sparse<T> ());
  std::fill_n (x.xcidx (), size (1) + 1, 0);
  if (!std::is_arithmetic<T>::value && size (0) > 0 && size (1) > 0) { // one, in the last column
    mark_complex (x.xdata ()[0]);
    x.xridx ()[0] = 0;
    x.xcidx ()[size (1)] = 1;
  }
  return octave_value (x);
}

octave_value allocated (const gpumm_matrix &shape) {
  static octave_value (*const of_type[]) (const dim_vector &) = {
      full<float>,        full<double>,        full<FloatComplex>,  full<Complex>,
      full<octave_int8>,  full<octave_int16>,  full<octave_int32>,  full<octave_int64>,
      full<octave_uint8>, full<octave_uint16>, full<octave_uint32>, full<octave_uint64>,
      full<bool>};
  static_assert (GPUMM_S == 0 && GPUMM_I8 == 4 && GPUMM_B == 12, "the order of the types");
  const dim_vector size (shape.rows, shape.cols);
  if (shape.format == GPUMM_FULL)
    return of_type[shape.type](size);
  return shape.type == GPUMM_Z ? sparse<Complex> (size, shape.nzmax)
                               : sparse<double> (size, shape.nzmax);
}

#ifdef GPUMM_PROBE // what probe.m calls: X = __gpumm_allocate__ ([TYPE, ROWS, COLS, NZMAX])
DEFUN_DLD (__gpumm_allocate__, args, , "For the probe: an array of undefined elements.") {
  const NDArray request = args (0).array_value ();
  gpumm_matrix shape = {};
  shape.format = request (3) < 0 ? GPUMM_FULL : GPUMM_SPARSE;
  shape.type = gpumm_type (request (0));
  shape.rows = request (1);
  shape.cols = request (2);
  shape.nzmax = request (3);
  return ovl (allocated (shape));
}
#endif

// See marshal.h.
extern "C" mxArray *new_array (const gpumm_matrix *shape) {
  try {
    return new mxArray (true, allocated (*shape));
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
