/* probe.cu - does this library have code for the GPU of this machine?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <cuda_runtime.h>

__global__ static void nothing (void) {
}

cudaError_t gpumm_cuda_probe (void) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes (&attributes, nothing);
}
