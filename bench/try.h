/* try.h - ends a program that calls the CUDA runtime directly if a call fails.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TRY_H
#define GPUMM_TRY_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
  do {                                                                                             \
    cudaError_t failed = (call);                                                                   \
    if (failed != cudaSuccess) {                                                                   \
      fprintf (stderr, "%s: %s: %s\n", program_invocation_short_name, #call,                       \
               cudaGetErrorString (failed));                                                       \
      exit (1);                                                                                    \
    }                                                                                              \
  } while (0)

#endif
