/* cuda.h - what the files of the CUDA driver share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CUDA_CUDA_H
#define GPUMM_CUDA_CUDA_H

#include "driver.h"

#include <cuda_runtime_api.h>

enum { MOST_DEVICES = 64 };

#ifdef __cplusplus
extern "C" {
#endif

/* Makes device current for this thread; pass *before to gpumm_cuda_leave. */
gpumm_status gpumm_cuda_enter (const char *call, int device, int *before);

/* Makes the caller's device current again. */
void gpumm_cuda_leave (int device, int before);

/* The status for CUDA's result; keeps CUDA's own text and the call's name. */
gpumm_status gpumm_cuda_check (const char *call, cudaError_t error);

/* Records the launch of a kernel for driver->launched (). */
void gpumm_cuda_note_launch (const void *kernel, int64_t blocks, int64_t threads_x,
                             int64_t threads_y);

/* Does this library have code for the current device? Asks for an attribute of a kernel. */
cudaError_t gpumm_cuda_probe (void);

/* Copies words of the device to the host and waits for the stream; read_back.cu. */
gpumm_status gpumm_cuda_read_back (int device, gpumm_stream *stream, void *to, const void *from,
                                   size_t bytes);

/* gpumm_driver.call and call_bytes, in full/routines.cu. */
gpumm_status gpumm_cuda_call (int device, gpumm_stream *stream, const gpumm_call *call,
                              void *workspace, size_t bytes, int32_t *info);
gpumm_status gpumm_cuda_call_bytes (int device, const gpumm_call *call, size_t *bytes);

/* gpumm_driver.missing. gpumm_cublas_missing and gpumm_int8_missing are its parts. */
const char *gpumm_cuda_missing (const char *algorithm);
const char *gpumm_cublas_missing (void);
const char *gpumm_int8_missing (void);

/* Release the handles of cuBLAS, cuSOLVER and cuBLASLt, and the memory of gpumm_cuda_read_back. */
void gpumm_cublas_reset (void);
void gpumm_routines_reset (void);
void gpumm_emulated_reset (void);
void gpumm_cuda_forget_pages (void);

#ifdef __cplusplus
}
#endif
#endif
