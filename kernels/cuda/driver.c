/* driver.c - engine/device/device.h on the CUDA runtime.
 *
 * The runtime is linked statically, so this library opens on a machine without CUDA and can say
 * what is missing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------- */

gpumm_status gpumm_cuda_check (const char *call, cudaError_t error) {
  if (error == cudaSuccess)
    return GPUMM_OK;
  cudaGetLastError (); /* so that the next launch is not blamed for it */
  gpumm_status status = error == cudaErrorMemoryAllocation ? GPUMM_DEVICE_MEMORY
                        : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
                                || error == cudaErrorNoKernelImageForDevice
                                || error == cudaErrorInvalidDevice
                            ? GPUMM_NO_DEVICE
                            : GPUMM_DEVICE_FAILED;
  return gpumm_driver_fail (status, "%s: %s (%s)", call, cudaGetErrorString (error),
                            cudaGetErrorName (error));
}

/* For functions that release something: at the end of the process the runtime may already be gone,
 * and everything with it. */
static gpumm_status check_release (const char *call, cudaError_t error) {
  return error == cudaErrorCudartUnloading ? GPUMM_OK : gpumm_cuda_check (call, error);
}

/* ---- the current device ------------------------------------------------------------------- */

/* Is there a context on that device yet? Asks the driver, which creates none to answer. */
static int has_context (int device) {
  static int (*get_state) (int device, unsigned *flags, int *active);
  static int looked;
  if (!__atomic_load_n (&looked, __ATOMIC_ACQUIRE)) {
    void *driver = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver) {
      void *symbol = dlsym (driver, "cuDevicePrimaryCtxGetState");
      memcpy (&get_state, &symbol, sizeof symbol);
    }
    __atomic_store_n (&looked, 1, __ATOMIC_RELEASE);
  }
  unsigned flags;
  int active = 0;
  return !get_state || (get_state (device, &flags, &active) == 0 && active);
}

gpumm_status gpumm_cuda_enter (const char *call, int device, int *before) {
  *before = device;
  cudaError_t error = cudaGetDevice (before);
  if (!error && *before != device)
    error = cudaSetDevice (device);
  return gpumm_cuda_check (call, error);
}

void gpumm_cuda_leave (int device, int before) {
  /* Selecting a device creates a context there, which takes memory. Without a context, nothing in
   * this process uses the device. */
  if (before != device && has_context (before) && cudaSetDevice (before))
    cudaGetLastError ();
}

/* The body of a driver function: device current, CUDA's error checked, device put back. */
#define ON_DEVICE(device, name, call)                                                              \
  do {                                                                                             \
    int before;                                                                                    \
    gpumm_status status = gpumm_cuda_enter (name, device, &before);                                \
    if (!status) {                                                                                 \
      status = gpumm_cuda_check (name, call);                                                      \
      gpumm_cuda_leave (device, before);                                                           \
    }                                                                                              \
    return status;                                                                                 \
  } while (0)

/* ---- devices ------------------------------------------------------------------------------ */

static gpumm_status count (int *devices) {
  *devices = 0;
  int driver = 0, runtime = 0;
  cudaError_t error = cudaGetDeviceCount (devices);
  if (!error && *devices > 0)
    return GPUMM_OK;
  *devices = 0;
  cudaGetLastError ();
  cudaDriverGetVersion (&driver);
  cudaRuntimeGetVersion (&runtime);
  if (driver == 0)
    gpumm_driver_fail (GPUMM_NO_DEVICE, "no CUDA driver: libcuda.so.1 cannot be opened");
  else if (error == cudaErrorInsufficientDriver)
    gpumm_driver_fail (GPUMM_NO_DEVICE, "CUDA driver is older than the runtime: %d.%d and %d.%d",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  else
    gpumm_driver_fail (GPUMM_NO_DEVICE, "no CUDA device: %s",
                       error ? cudaGetErrorString (error) : "the driver lists none");
  return GPUMM_OK;
}

/* Constant properties are read once: cudaGetDeviceProperties, the only way to the name, can take
 * milliseconds. */
static gpumm_status constant_properties (int device, gpumm_device_properties *properties) {
  static struct {
    int known;
    gpumm_device_properties properties;
  } cache[MOST_DEVICES];
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct cudaDeviceProp all; /* more than 1 KB: not on the stack */

  if (device < 0 || device >= MOST_DEVICES)
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "there is no device %d", device);
  gpumm_status status = GPUMM_OK;
  pthread_mutex_lock (&lock);
  gpumm_device_properties *p = &cache[device].properties;
  if (!cache[device].known) {
    status = gpumm_cuda_check ("cudaGetDeviceProperties", cudaGetDeviceProperties (&all, device));
    if (!status && gpumm_cuda_probe () == cudaErrorNoKernelImageForDevice) {
      cudaGetLastError ();
      status = gpumm_driver_fail (GPUMM_NO_DEVICE,
                                  "%s has compute capability %d.%d, for which gpumm was not built",
                                  all.name, all.major, all.minor);
    }
    if (!status) {
      memset (p, 0, sizeof *p);
      snprintf (p->name, sizeof p->name, "%.*s", (int) sizeof p->name - 1, all.name);
      p->capability = 10 * all.major + all.minor;
      p->multiprocessors = all.multiProcessorCount;
      p->memory_total = (int64_t) all.totalGlobalMem;
      p->shared_bytes = (int64_t) all.sharedMemPerBlockOptin;
      cudaDriverGetVersion (&p->driver);
      cudaRuntimeGetVersion (&p->runtime);
      cudaDeviceGetAttribute (&p->clock_khz, cudaDevAttrClockRate, device);
      cudaDeviceGetAttribute (&p->compute_mode, cudaDevAttrComputeMode, device);
      cudaDeviceGetAttribute (&p->has_timeout, cudaDevAttrKernelExecTimeout, device);
      cache[device].known = 1;
    }
  }
  if (!status)
    *properties = *p;
  pthread_mutex_unlock (&lock);
  return status;
}

static gpumm_status properties (int device, gpumm_device_properties *properties) {
  int before;
  gpumm_status status = gpumm_cuda_enter ("cudaSetDevice", device, &before);
  if (status)
    return status;
  status = constant_properties (device, properties);
  if (!status) {
    size_t left = 0, total = 0;
    status = gpumm_cuda_check ("cudaMemGetInfo", cudaMemGetInfo (&left, &total));
    properties->memory_free = (int64_t) left;
    properties->memory_total = (int64_t) total;
  }
  gpumm_cuda_leave (device, before);
  return status;
}

/* ---- memory ------------------------------------------------------------------------------- */

static gpumm_status allocate (int device, size_t bytes, void **p) {
  char name[64];
  snprintf (name, sizeof name, "cudaMalloc of %zu bytes", bytes);
  *p = NULL;
  ON_DEVICE (device, name, cudaMalloc (p, bytes ? bytes : 1));
}

static gpumm_status release (int device, void *p) {
  (void) device; /* the runtime knows the device */
  return check_release ("cudaFree", cudaFree (p));
}

static gpumm_status pin (int device, size_t bytes, void **p) {
  char name[64];
  snprintf (name, sizeof name, "cudaHostAlloc of %zu bytes", bytes);
  *p = NULL;
  ON_DEVICE (device, name, cudaHostAlloc (p, bytes ? bytes : 1, cudaHostAllocPortable));
}

static gpumm_status unpin (int device, void *p) {
  (void) device;
  return check_release ("cudaFreeHost", cudaFreeHost (p));
}

/* ---- streams and events ------------------------------------------------------------------- */

static gpumm_status stream_create (int device, gpumm_stream **stream) {
  *stream = NULL;
  ON_DEVICE (device, "cudaStreamCreate",
             cudaStreamCreateWithFlags ((cudaStream_t *) stream, cudaStreamNonBlocking));
}

static gpumm_status stream_destroy (int device, gpumm_stream *stream) {
  (void) device;
  return stream ? check_release ("cudaStreamDestroy", cudaStreamDestroy ((cudaStream_t) stream))
                : GPUMM_OK;
}

static gpumm_status stream_synchronize (int device, gpumm_stream *stream) {
  ON_DEVICE (device, "cudaStreamSynchronize", cudaStreamSynchronize ((cudaStream_t) stream));
}

static gpumm_status event_create (int device, gpumm_event_kind kind, gpumm_event **event) {
  *event = NULL;
  ON_DEVICE (device, "cudaEventCreate",
             cudaEventCreateWithFlags ((cudaEvent_t *) event, kind == GPUMM_UNTIMED
                                                                  ? cudaEventDisableTiming
                                                                  : cudaEventDefault));
}

static gpumm_status event_destroy (int device, gpumm_event *event) {
  (void) device;
  return event ? check_release ("cudaEventDestroy", cudaEventDestroy ((cudaEvent_t) event))
               : GPUMM_OK;
}

static gpumm_status event_record (int device, gpumm_event *event, gpumm_stream *stream) {
  ON_DEVICE (device, "cudaEventRecord",
             cudaEventRecord ((cudaEvent_t) event, (cudaStream_t) stream));
}

static gpumm_status event_synchronize (int device, gpumm_event *event) {
  ON_DEVICE (device, "cudaEventSynchronize", cudaEventSynchronize ((cudaEvent_t) event));
}

static gpumm_status event_done (int device, gpumm_event *event, int *done) {
  (void) device;
  cudaError_t error = cudaEventQuery ((cudaEvent_t) event);
  *done = error == cudaSuccess;
  if (error == cudaErrorNotReady) {
    cudaGetLastError ();
    return GPUMM_OK;
  }
  return gpumm_cuda_check ("cudaEventQuery", error);
}

static gpumm_status event_seconds (int device, gpumm_event *from, gpumm_event *to,
                                   double *seconds) {
  (void) device;
  float milliseconds = 0;
  gpumm_status status =
      gpumm_cuda_check ("cudaEventElapsedTime",
                        cudaEventElapsedTime (&milliseconds, (cudaEvent_t) from, (cudaEvent_t) to));
  *seconds = 1e-3 * (double) milliseconds;
  return status;
}

static gpumm_status stream_wait (int device, gpumm_stream *stream, gpumm_event *event) {
  ON_DEVICE (device, "cudaStreamWaitEvent",
             cudaStreamWaitEvent ((cudaStream_t) stream, (cudaEvent_t) event, 0));
}

/* ---- copies ------------------------------------------------------------------------------- */

/* One copy if the columns are contiguous; one per column if they are farther apart than the 2^31 -
 * 1 bytes that cudaMemcpy2D allows. */
static cudaError_t copy (void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind,
                         cudaStream_t stream) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  if (height == 1 || (to_pitch == width && from_pitch == width))
    return cudaMemcpyAsync (to, from, width * height, kind, stream);
  if (to_pitch <= INT_MAX && from_pitch <= INT_MAX)
    return cudaMemcpy2DAsync (to, to_pitch, from, from_pitch, width, height, kind, stream);
  cudaError_t error = cudaSuccess;
  for (size_t j = 0; j < height && !error; j++)
    error = cudaMemcpyAsync ((char *) to + j * to_pitch, (const char *) from + j * from_pitch,
                             width, kind, stream);
  return error;
}

static gpumm_status copy_up (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height) {
  char name[96];
  snprintf (name, sizeof name, "copy of %zu x %zu bytes to the device", width, height);
  ON_DEVICE (device, name,
             copy (to, to_pitch, from, from_pitch, width, height, cudaMemcpyHostToDevice,
                   (cudaStream_t) stream));
}

static gpumm_status copy_down (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                               const void *from, size_t from_pitch, size_t width, size_t height) {
  char name[96];
  snprintf (name, sizeof name, "copy of %zu x %zu bytes from the device", width, height);
  ON_DEVICE (device, name,
             copy (to, to_pitch, from, from_pitch, width, height, cudaMemcpyDeviceToHost,
                   (cudaStream_t) stream));
}

/* Copies go straight from device to device where a device may reach the other's memory; elsewhere
 * the runtime sends them through memory of the host. Access that was given before is not an
 * error. */
static void give_access (int device, int from_device) {
  static unsigned char tried[MOST_DEVICES][MOST_DEVICES];
  int can = 0;
  if (device >= MOST_DEVICES || from_device >= MOST_DEVICES
      || __atomic_exchange_n (&tried[device][from_device], 1, __ATOMIC_ACQ_REL))
    return;
  if (cudaDeviceCanAccessPeer (&can, device, from_device) || !can
      || cudaDeviceEnablePeerAccess (from_device, 0))
    cudaGetLastError ();
}

static gpumm_status copy_peer (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                               int from_device, const void *from, size_t from_pitch, size_t width,
                               size_t height) {
  char name[96];
  snprintf (name, sizeof name, "copy of %zu x %zu bytes from device %d to %d", width, height,
            from_device, device);
  ON_DEVICE (
      device, name,
      (give_access (device, from_device), copy (to, to_pitch, from, from_pitch, width, height,
                                                cudaMemcpyDefault, (cudaStream_t) stream)));
}

static gpumm_status fill (int device, gpumm_stream *stream, void *p, int byte, size_t bytes) {
  if (bytes == 0)
    return GPUMM_OK;
  ON_DEVICE (device, "cudaMemsetAsync", cudaMemsetAsync (p, byte, bytes, (cudaStream_t) stream));
}

static void reset (void) {
  gpumm_cublas_reset ();
  gpumm_routines_reset ();
  gpumm_emulated_reset ();
  gpumm_cuda_forget_pages ();
}

/* ---- launches ----------------------------------------------------------------------------- */

/* Launches of this thread since the last query. Their attributes are read only in the query. */
static _Thread_local struct {
  const void *kernel; /* NULL if several kernels were launched */
  gpumm_launches all;
} noted;

void gpumm_cuda_note_launch (const void *kernel, int64_t blocks, int64_t threads_x,
                             int64_t threads_y) {
  gpumm_launches *all = &noted.all;
  if (all->launches == 0) {
    noted.kernel = kernel;
    all->threads[0] = threads_x;
    all->threads[1] = threads_y;
  }
  if (kernel != noted.kernel)
    noted.kernel = NULL;
  if (all->threads[0] != threads_x || all->threads[1] != threads_y)
    all->threads[0] = all->threads[1] = -1;
  all->blocks += blocks;
  all->launches++;
}

static cudaError_t ask (int device, const void *kernel, gpumm_launches *launches) {
  struct cudaFuncAttributes attributes;
  int threads = (int) (launches->threads[0] * launches->threads[1]), resident = 0, most = 0;
  cudaError_t error = cudaFuncGetAttributes (&attributes, kernel);
  if (!error)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor (&resident, kernel, threads, 0);
  if (!error)
    error = cudaDeviceGetAttribute (&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (!error) {
    int warps = (threads + 31) / 32;
    launches->shared_bytes = (int64_t) attributes.sharedSizeBytes;
    launches->registers = attributes.numRegs;
    launches->occupancy = most > 0 ? 32.0 * warps * resident / most : -1;
  }
  return error;
}

static gpumm_status launched (int device, gpumm_launches *launches) {
  const void *kernel = noted.kernel;
  *launches = noted.all;
  noted.all = (gpumm_launches){0};
  noted.kernel = NULL;
  launches->shared_bytes = launches->registers = -1;
  launches->occupancy = -1;
  if (launches->launches == 0 || !kernel || launches->threads[0] < 0)
    return GPUMM_OK;
  ON_DEVICE (device, "cudaFuncGetAttributes", ask (device, kernel, launches));
}

const char *gpumm_cuda_missing (const char *algorithm) {
  const char *why = NULL;
  if (strcmp (algorithm, "cublas") == 0 || strcmp (algorithm, "emulated") == 0)
    why = gpumm_cublas_missing ();
  if (!why && strcmp (algorithm, "emulated") == 0)
    why = gpumm_int8_missing ();
  return why;
}

/* ---- the table ---------------------------------------------------------------------------- */

const gpumm_driver gpumm_driver_here = {
    GPUMM_DRIVER_FUNCTIONS,        GPUMM_DRIVER_ARRAYS,
    .call = gpumm_cuda_call,       .call_bytes = gpumm_cuda_call_bytes,
    .missing = gpumm_cuda_missing, .name = "cuda",
};
