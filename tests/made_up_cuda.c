/* made_up_cuda.c - a libcuda.so.1 for machines without a GPU: what the build and gpumm-libraries
 * ask a driver. A program that opens the GPU fails: the other functions are missing.
 * MADE_UP_DRIVER: its CUDA version, 13000 for 13.0; MADE_UP_GPUS: the number of GPUs, which have
 * compute capability 9.0.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

static int number (const char *name, int otherwise) {
  const char *value = getenv (name);
  return value ? atoi (value) : otherwise;
}

int cuInit (unsigned flags) {
  return flags != 0;
}

int cuDriverGetVersion (int *version) {
  *version = number ("MADE_UP_DRIVER", 13000);
  return 0;
}

int cuDeviceGetCount (int *count) {
  *count = number ("MADE_UP_GPUS", 1);
  return 0;
}

int cuDeviceGetAttribute (int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : 0;
  return device >= number ("MADE_UP_GPUS", 1);
}
