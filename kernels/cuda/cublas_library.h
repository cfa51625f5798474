/* cublas_library.h - opens NVIDIA's libraries and finds their functions by name, so that gpumm
 * loads on a machine without them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CUDA_CUBLAS_LIBRARY_H
#define GPUMM_CUDA_CUBLAS_LIBRARY_H

#include "cublas_types.h"
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of the libraries in the Toolkit that built this, with a final slash; "" if unknown. */
#ifndef GPUMM_CUBLAS_DIRECTORY
#define GPUMM_CUBLAS_DIRECTORY ""
#endif

/* How to get a library that is missing, after the loader's own words. */
#define HOW_TO_GET_LIBRARIES                                                                       \
  "; to fetch NVIDIA's libraries type ./setup libraries in gpumm's sources, or in Octave "         \
  "system (\"gpumm-libraries\")"

/* name: "libcublas". Takes the loader's library of this CUDA version, else the one of the Toolkit
 * that built this, else any. cuSOLVER's version is one less than CUDA's, and pip's folders have no
 * names without a version. NULL: dlerror () says why. */
static inline void *open_cuda_library (const char *name) {
  static const char *const directories[] = {"", GPUMM_CUBLAS_DIRECTORY};
  const int own = CUDART_VERSION / 1000;
  char path[sizeof GPUMM_CUBLAS_DIRECTORY + 64];
  void *library = NULL;
  for (int version : {own, own - 1, own - 2})
    for (const char *directory : directories)
      if (!library) {
        snprintf (path, sizeof path, "%s%s.so.%d", directory, name, version);
        library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
      }
  for (const char *directory : directories)
    if (!library) {
      snprintf (path, sizeof path, "%s%s.so", directory, name);
      library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  return library;
}

/* Sets *function, a pointer to a function; NULL and false if the library lacks that name. */
template <class F> static inline bool find_function (void *library, const char *name, F *function) {
  void *found = dlsym (library, name);
  memcpy (function, &found, sizeof found);
  return found != NULL;
}

/* Destroys the handle of a device, if there is one. */
template <class Handle, class Destroy>
static inline void release_handle (int device, Handle *handle, Destroy destroy) {
  int before;
  if (*handle && gpumm_cuda_enter ("reset", device, &before) == GPUMM_OK) {
    destroy (*handle);
    cudaGetLastError ();
    gpumm_cuda_leave (device, before);
  }
  *handle = NULL;
}

/* cuBLAS's one handle of a device, set to that stream, for this thread until gpumm_cublas_leave,
 * which takes the status of the call. In full/cublas.cu; gpumm_cublas_missing () is NULL. */
gpumm_status gpumm_cublas_enter (const char *call, int device, gpumm_stream *stream, int *before,
                                 cublasHandle_t *handle);
gpumm_status gpumm_cublas_leave (const char *call, int device, int before, cublasStatus_t error);
void *gpumm_cublas_function (const char *name); /* NULL: there is none */

/* Variables that change what cuBLAS computes, not only how fast. 0 turns a variable off, as if it
 * were not set. Read each time, because Octave's setenv can change them. */
static inline cublasMath_t cublas_math_mode (void) {
  static const char *const variables[] = {
      "NVIDIA_TF32_OVERRIDE",
      "CUBLAS_EMULATE_SINGLE_PRECISION",
      "CUBLAS_EMULATE_DOUBLE_PRECISION",
  };
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = getenv (variables[i]);
    if (value && *value && strcmp (value, "0") != 0)
      return CUBLAS_PEDANTIC_MATH;
  }
  return CUBLAS_DEFAULT_MATH;
}

#endif
