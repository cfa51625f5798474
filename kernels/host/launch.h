/* launch.h - the words of kernel.h for the host: CUDA C as the host's compiler takes it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_HOST_LAUNCH_H
#define GPUMM_HOST_LAUNCH_H

#include "fibers.h"

#define __global__ static
#define __device__
#define __host__
#define __launch_bounds__(...)

#define threadIdx       gpumm_host_thread
#define blockIdx        gpumm_host_block
#define blockDim        gpumm_host_block_size
#define gridDim         gpumm_host_grid_size
#define __syncthreads() gpumm_host_barrier (__LINE__)

/* Inlined even in builds without inlining: counting identifies an access by the address of its
 * code. */
#define INLINE inline __attribute__ ((always_inline))

static INLINE void counted (int kind, const void *p, unsigned bytes, int line) {
  if (__builtin_expect (gpumm_host_counting, 0))
    gpumm_host_access (kind, p, bytes, line);
}

/* Arithmetic is counted, too, in operations on reals. */
#define COUNT_OPERATIONS(n)                                                                        \
  do                                                                                               \
    if (__builtin_expect (gpumm_host_counting, 0))                                                 \
      gpumm_host_operations += (n);                                                                \
  while (0)

/* An index, and the line of the source that made it: that of the brackets around a number. */
struct element_index {
  int64_t i;
  int line;

  INLINE element_index (int64_t j, int here = __builtin_LINE()) : i (j), line (here) {
  }
};

/* One element in memory, which counts reads and writes. */
template <class T, int LOAD, int STORE> struct element {
  T &x;
  int line;

  INLINE operator T () const {
    counted (LOAD, &x, sizeof (T), line);
    return x;
  }

  INLINE void operator= (T value) const {
    counted (STORE, &x, sizeof (T), line);
    x = value;
  }

  INLINE void operator= (const element &other) const {
    *this = (T) other;
  }

  INLINE element (T &y, int here) : x (y), line (here) {
  }
};

template <class T, int LOAD, int STORE> struct pointer {
  T *p;

  INLINE pointer (T *q) : p (q) {
  }

  INLINE element<T, LOAD, STORE> operator[] (element_index at) const {
    return element<T, LOAD, STORE> (p[at.i], at.line);
  }
};

/* To global memory; a global<const T> is read-only. */
template <class T> using global = pointer<T, GPUMM_LOAD, GPUMM_STORE>;

/* Arrays in shared memory. */
template <class T, int ROWS, int COLUMNS> struct tile {
  T (*p)[COLUMNS];

  INLINE pointer<T, GPUMM_SHARED_LOAD, GPUMM_SHARED_STORE> operator[] (int i) const {
    return p[i];
  }
};

#define SHARED(T, name, rows, columns)                                                             \
  tile<T, rows, columns> name = {                                                                  \
      (T (*)[columns]) gpumm_host_shared (sizeof (T) * (rows) * (columns), #name, columns)}

/* Threads run one at a time, so plain operations are atomic. */
template <class T, int LOAD, int STORE> static INLINE T atomic_or (element<T, LOAD, STORE> x, T y) {
  T old = x;
  x = (T) (old | y);
  return old;
}

template <class T, int LOAD, int STORE>
static INLINE T atomic_max (element<T, LOAD, STORE> x, T y) {
  T old = x;
  x = old < y ? y : old;
  return old;
}

template <class T> static INLINE T atomic_add (T &x, T y) {
  T old = x;
  x = old + y;
  return old;
}

/* Multiplications that are not fused: CMakeLists.txt forbids the compiler to fuse any. */
static inline float __fmul_rn (float x, float y) {
  return x * y;
}

static inline double __dmul_rn (double x, double y) {
  return x * y;
}

static inline int __popc (unsigned x) {
  return __builtin_popcount (x);
}

struct dim3 {
  unsigned x, y, z;

  dim3 (unsigned a = 1, unsigned b = 1, unsigned c = 1) : x (a), y (b), z (c) {
  }
};

template <class Body>
static gpumm_status launch_on_host (const char *kernel, int64_t blocks, dim3 threads, int device,
                                    gpumm_stream *stream, Body body) {
  return gpumm_host_launch (
      kernel, device, stream, blocks, {threads.x, threads.y, threads.z},
      [] (const void *p) { (*(const Body *) p) (); }, &body);
}

/* Work on a stream runs at once, and every launch checks for a cancellation. */
static inline gpumm_status pace (int, gpumm_stream *, double, double, double *) {
  return GPUMM_OK;
}

#define LAUNCH(name, kernel, blocks, threads, device, stream, ...)                                 \
  launch_on_host (name, blocks, threads, device, stream, [=] { (kernel) (__VA_ARGS__); })

#endif
