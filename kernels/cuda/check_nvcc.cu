/* check_nvcc.cu - the build compiles and links this file to see whether a CUDA Toolkit works and
 * has what the kernels need. SPDX-License-Identifier: BSD-3-Clause */
#include <cooperative_groups.h>
#include <cub/version.cuh>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void fill (int *x) {
  x[threadIdx.x] = 1;
}

int main () {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes (&attributes, fill) != cudaSuccess;
}
