/* cublas_library.h - opens NVIDIA's libraries and finds their functions by name, so that gpumm
 * loads on a machine without them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CUDA_CUBLAS_LIBRARY_H
#define GPUMM_CUDA_CUBLAS_LIBRARY_H

#include <cublas_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The folder of the libraries in the Toolkit that built this, with a final slash; "" if unknown. */
#ifndef GPUMM_CUBLAS_DIRECTORY
#define GPUMM_CUBLAS_DIRECTORY ""
#endif

/* name: "libcublas". Tries the version of the headers at compile time first. NULL: dlerror ()
 * says why. */
static inline void *open_cublas_library (const char *name) {
  char file[64], path[sizeof GPUMM_CUBLAS_DIRECTORY + sizeof file];
  void *library = NULL;
  for (int version : {CUBLAS_VER_MAJOR, 13, 12, 11})
    if (!library) {
      snprintf (file, sizeof file, "%s.so.%d", name, version);
      library = dlopen (file, RTLD_NOW | RTLD_LOCAL);
    }
  for (const char *directory : {"", GPUMM_CUBLAS_DIRECTORY})
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

#endif
