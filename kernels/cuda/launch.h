/* launch.h - the words of kernel.h for nvcc.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CUDA_LAUNCH_H
#define GPUMM_CUDA_LAUNCH_H

#include "cuda.h"

#include <stdio.h>

template <class T> using global = T *__restrict__;

typedef int64_t element_index;

template <class T, int ROWS, int COLUMNS> using tile = T[ROWS][COLUMNS];

#define COUNT_OPERATIONS(n)

#define SHARED(T, name, rows, columns) __shared__ T name[rows][columns]

template <class T> __device__ static inline T atomic_or (T &x, T y) {
  return atomicOr (&x, y);
}

template <class T> __device__ static inline T atomic_add (T &x, T y) {
  return atomicAdd (&x, y);
}

template <class T> __device__ static inline T atomic_max (T &x, T y) {
  return atomicMax (&x, y);
}

/* Blocks lie along x, which allows 2^31 - 1: no memory holds a C with more tiles. An empty C needs
 * no launch. code is the kernel, for driver->launched (); NULL if it also has shared memory that
 * only its launch knows. */
template <class Body>
static gpumm_status launch_on_gpu (const char *kernel, int64_t blocks, dim3 threads, int device,
                                   Body body, const void *code = NULL) {
  if (blocks == 0)
    return GPUMM_OK;
  if (blocks > INT32_MAX)
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "kernel %s: %lld blocks are too many", kernel,
                              (long long) blocks);
  int before;
  gpumm_status status = gpumm_cuda_enter (kernel, device, &before);
  if (status)
    return status;
  body ();
  cudaError_t error = cudaGetLastError ();
  if (error) {
    char call[128];
    snprintf (call, sizeof call, "kernel %s, %lld blocks of %u x %u threads", kernel,
              (long long) blocks, threads.x, threads.y);
    status = gpumm_cuda_check (call, error);
  } else
    gpumm_cuda_note_launch (code, blocks, threads.x, threads.y);
  gpumm_cuda_leave (device, before);
  return status;
}

/* Sets `bytes` bytes from `to` on to that byte. */
static inline gpumm_status fill (int device, gpumm_stream *stream, void *to, int byte,
                                 size_t bytes) {
  return gpumm_driver_here.fill (device, stream, to, byte, bytes);
}

/* Call it between the products of a launch that waits anyway: it lets the device catch up when more
 * than most operations are queued, so that a cancellation does not wait for all of them. The caller
 * keeps queued, 0 at first. */
static inline gpumm_status pace (int device, gpumm_stream *stream, double operations, double most,
                                 double *queued) {
  *queued += operations;
  if (*queued < most)
    return GPUMM_OK;
  *queued = 0;
  const gpumm_status status = gpumm_driver_here.stream_synchronize (device, stream);
  return status ? status : gpumm_driver_check_cancelled ();
}

static inline gpumm_status multiprocessors (int device, int *count) {
  return gpumm_cuda_check ("cudaDeviceGetAttribute",
                           cudaDeviceGetAttribute (count, cudaDevAttrMultiProcessorCount, device));
}

/* clang-format off */
#define LAUNCH(name, kernel, blocks, threads, device, stream, ...)                                 \
  launch_on_gpu (name, blocks, threads, device, [&] {                                              \
    kernel<<<(unsigned) (blocks), threads, 0, (cudaStream_t) (stream)>>> (__VA_ARGS__);            \
  }, (const void *) (kernel))

/* The same, with bytes of shared memory that the kernel does not declare. */
#define LAUNCH_SHARED(name, kernel, blocks, threads, bytes, device, stream, ...)                   \
  launch_on_gpu (name, blocks, threads, device, [&] {                                              \
    auto code = kernel;                                                                            \
    if (!cudaFuncSetAttribute (code, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) (bytes)))  \
      code<<<(unsigned) (blocks), threads, bytes, (cudaStream_t) (stream)>>> (__VA_ARGS__);        \
  })
/* clang-format on */

#endif
