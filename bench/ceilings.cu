/* ceilings.cu - measures the hardware's limits: the lines of the roofline, and how fast pageable
 * memory goes to all GPUs of the host and back.
 *
 *   nvcc -O3 -arch=native bench/ceilings.cu -o ceilings && ./ceilings
 *
 * Prints rows of the CSV file that bench/run writes: page-locked copies to the GPU, from the GPU
 * and both at once; copies within the GPU's memory (bytes read and bytes written are counted); and
 * the arithmetic of each unit, by chains of instructions in registers without memory accesses. Each
 * row has the median, least and most of ROUNDS runs, after one that is not counted.
 *
 * The rows "host; ..." are by the clock, the others by CUDA events: first touches of fresh pages;
 * pageable memory that threads copy into page-locked slots, from where the GPUs fetch it ("staged
 * up"); the way back into fresh pages ("staged down"); and both at once, each with half of the
 * threads. Slots have 2 MiB; or, "through small slots", 512 KiB, so that all of them stay in the
 * processor's cache. Threads are shared out by GPU. They take 8 GiB of host memory. "peer" is a
 * copy from GPU 0 to GPU 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <atomic>
#include <chrono>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Ends the program if a call of the CUDA runtime fails. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    cudaError_t failed = (call);                                                                   \
    if (failed != cudaSuccess) {                                                                   \
      fprintf (stderr, "%s: %s: %s\n", program_invocation_short_name, #call,                       \
               cudaGetErrorString (failed));                                                       \
      exit (1);                                                                                    \
    }                                                                                              \
  } while (0)

enum {
  ROUNDS = 7,
  LINK_BYTES = 256 << 20,
  DEVICE_BYTES = 1 << 30,
  STEPS = 4096, /* instructions of each chain */
  CHAINS = 8,   /* independent chains of a thread: more than enough to hide the latency */
  THREADS = 256,
  BLOCKS_EACH = 8 /* blocks per multiprocessor */
};

/* ---- arithmetic --------------------------------------------------------------------------- */

/* Never true, but the compiler cannot know: so it keeps the chains' results. */
template <class T> __device__ bool impossible (const T *x, int count) {
  T sum = 0;
  for (int i = 0; i < count; i++)
    sum += x[i];
  return sum == (T) 12345;
}

/* x <- a x + b, 2 operations */
template <class T> __global__ void multiply_adds (T a, T b, T *out) {
  T x[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    x[c] = (T) (threadIdx.x + c);
#pragma unroll 16
  for (int step = 0; step < STEPS; step++)
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      x[c] = a * x[c] + b;
  if (impossible (x, CHAINS))
    *out = x[0];
}

/* Double precision tensor instruction: m8n8k4 from 8.0 on, m16n8k16 from 9.0 on. */
__global__ void tensor_d (double *out) {
#if __CUDA_ARCH__ >= 900
  double a[8], b[4], x[4][4] = {};
  for (int i = 0; i < 8; i++)
    a[i] = 1e-3 * (threadIdx.x + i);
  for (int i = 0; i < 4; i++)
    b[i] = 1e-3 * (threadIdx.x - i);
  for (int step = 0; step < STEPS / 4; step++)
#pragma unroll
    for (int c = 0; c < 4; c++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                   "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                   : "+d"(x[c][0]), "+d"(x[c][1]), "+d"(x[c][2]), "+d"(x[c][3])
                   : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                     "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  if (impossible (x[0], 4) && impossible (x[1], 4) && impossible (x[2], 4) && impossible (x[3], 4))
    *out = x[0][0];
#elif __CUDA_ARCH__ >= 800
  double a = 1e-3 * threadIdx.x, b = 1 - a, x[4][2] = {};
  for (int step = 0; step < STEPS; step++)
#pragma unroll
    for (int c = 0; c < 4; c++)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
                   "{%0, %1};"
                   : "+d"(x[c][0]), "+d"(x[c][1])
                   : "d"(a), "d"(b));
  if (impossible (x[0], 2) && impossible (x[1], 2) && impossible (x[2], 2) && impossible (x[3], 2))
    *out = x[0][0];
#endif
}

/* Operations per warp in tensor_d, as compiled for this capability. */
static double tensor_d_operations (int capability) {
  if (capability >= 90)
    return 2.0 * 16 * 8 * 16 * 4 * (STEPS / 4);
  return capability >= 80 ? 2.0 * 8 * 8 * 4 * 4 * STEPS : 0;
}

/* 8-bit integer tensor instruction, m16n8k32 with 32-bit sums. */
__global__ void tensor_i8 (int *out) {
#if __CUDA_ARCH__ >= 800
  int a = threadIdx.x * 0x01030507, b = a ^ 0x5a5a5a5a, x[CHAINS][4] = {};
  for (int step = 0; step < STEPS; step++)
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                   "{%4, %5, %4, %5}, {%5, %4}, {%0, %1, %2, %3};"
                   : "+r"(x[c][0]), "+r"(x[c][1]), "+r"(x[c][2]), "+r"(x[c][3])
                   : "r"(a), "r"(b));
  for (int c = 0; c < CHAINS; c++)
    if (!impossible (x[c], 4))
      return;
  *out = x[0][0];
#endif
}

/* ---- measuring ---------------------------------------------------------------------------- */

template <class... T> static void launch (void (*kernel) (T...), int blocks, T... values) {
  void *addresses[] = {&values...};
  TRY (cudaLaunchKernel ((const void *) kernel, dim3 (blocks), dim3 (THREADS), addresses, 0, 0));
}

static int ascending (const void *x, const void *y) {
  double a = *(const double *) x, b = *(const double *) y;
  return (a > b) - (a < b);
}

static void put (const char *name, double *rates, const char *unit) {
  qsort (rates, ROUNDS, sizeof *rates, ascending);
  printf ("ceiling,%s,,,,,,%d,%.5g,%.5g,%.5g,%s,,,,,\n", name, (int) ROUNDS, rates[ROUNDS / 2],
          rates[0], rates[ROUNDS - 1], unit);
}

/* work () queues work; amount is the work of one call, in `unit`. */
template <class F> static void row (const char *name, double amount, const char *unit, F work) {
  cudaEvent_t from, to;
  TRY (cudaEventCreate (&from));
  TRY (cudaEventCreate (&to));
  double rates[ROUNDS];
  for (int round = -1; round < ROUNDS; round++) {
    float ms;
    TRY (cudaDeviceSynchronize ());
    TRY (cudaEventRecord (from));
    work ();
    TRY (cudaGetLastError ());
    TRY (cudaEventRecord (to));
    TRY (cudaEventSynchronize (to));
    TRY (cudaEventElapsedTime (&ms, from, to));
    if (round >= 0)
      rates[round] = amount / (1e-3 * ms);
  }
  put (name, rates, unit);
  TRY (cudaEventDestroy (from));
  TRY (cudaEventDestroy (to));
}

/* ---- the host's memory, and all GPUs -------------------------------------------------------- */

enum {
  CHUNK = 2 << 20, /* a huge page */
  SMALL_PIECE = 512 << 10,
  CHUNKS = 2048, /* 4 GiB in all */
  SLOTS = 2      /* of a thread */
};

enum way { TOUCH, UP, DOWN };

/* One thread's stream, slots and part of a GPU's memory. */
struct lane {
  int device;
  cudaStream_t stream;
  cudaEvent_t moved[SLOTS];
  char *slot[SLOTS], *memory;
};

static lane make_lane (int device) {
  lane x;
  x.device = device;
  TRY (cudaSetDevice (device));
  TRY (cudaStreamCreateWithFlags (&x.stream, cudaStreamNonBlocking));
  TRY (cudaMalloc (&x.memory, SLOTS * (size_t) CHUNK));
  for (int i = 0; i < SLOTS; i++) {
    TRY (cudaEventCreateWithFlags (&x.moved[i], cudaEventDisableTiming));
    TRY (cudaMallocHost (&x.slot[i], CHUNK));
    memset (x.slot[i], i + 1, CHUNK);
  }
  TRY (cudaMemset (x.memory, 1, SLOTS * (size_t) CHUNK));
  TRY (cudaDeviceSynchronize ());
  return x;
}

static char *fresh_pages (size_t bytes) {
  char *x = (char *) aligned_alloc (CHUNK, bytes); /* from the system, as it is large */
  if (!x) {
    fprintf (stderr, "no host memory\n");
    exit (1);
  }
  (void) madvise (x, bytes, MADV_HUGEPAGE); /* as gpumm asks for its results */
  return x;
}

/* Are there pages of 2 MB for this chunk, whose first byte was written? */
static bool is_huge (char *chunk) {
  unsigned char is_there = 0;
  return mincore (chunk + CHUNK - 4096, 4096, &is_there) == 0 && (is_there & 1);
}

/* Past the caches: the lines that are written are not read first. */
static void copy_past_caches (char *to, const char *from, size_t bytes) {
#ifdef __SSE2__
  for (size_t i = 0; i < bytes; i += sizeof (__m128i))
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
  _mm_sfence ();
#else
  memcpy (to, from, bytes);
#endif
}

/* Takes chunks until there are none and moves them in pieces, by two slots in turn, so that one
 * moves while the other is copied. */
static void serve (lane *x, way w, size_t piece, char *host, std::atomic<int> *next, int last) {
  char *waits[SLOTS] = {}; /* the pages for what a slot receives */
  char *chunk = NULL;
  size_t at = CHUNK; /* in the chunk */
  TRY (cudaSetDevice (x->device));
  for (int turn = 0;; turn = (turn + 1) % SLOTS, at += piece) {
    if (w != TOUCH)
      TRY (cudaEventSynchronize (x->moved[turn])); /* at once, if nothing was recorded */
    if (waits[turn])
      copy_past_caches (waits[turn], x->slot[turn], piece);
    waits[turn] = NULL;
    if (at == CHUNK) {
      const int i = (*next)++;
      if (i >= last)
        break;
      chunk = host + (size_t) i * CHUNK;
      at = 0;
    }
    char *here = chunk + at, *there = x->memory + (size_t) turn * CHUNK;
    if (w == UP) {
      memcpy (x->slot[turn], here, piece);
      TRY (cudaMemcpyAsync (there, x->slot[turn], piece, cudaMemcpyHostToDevice, x->stream));
    } else {
      if (w == DOWN)
        TRY (cudaMemcpyAsync (x->slot[turn], there, piece, cudaMemcpyDeviceToHost, x->stream));
      if (at == 0) {
        here[0] = 1; /* a write fault: MADV_POPULATE_WRITE was slower with more threads */
        if (!is_huge (here))
          memset (here, 1, CHUNK);
      }
      waits[turn] = w == DOWN ? here : NULL;
    }
    if (w != TOUCH)
      TRY (cudaEventRecord (x->moved[turn], x->stream));
  }
  if (w == TOUCH)
    return;
  TRY (cudaStreamSynchronize (x->stream));
  for (int turn = 0; turn < SLOTS; turn++)
    if (waits[turn])
      copy_past_caches (waits[turn], x->slot[turn], piece);
}

/* Each GPU moves its share of the chunks by its own threads; with both ways each has half of
 * them. */
static void host_row (const char *name, std::vector<lane> &lanes, int gpus, const way *ways,
                      int count, size_t piece, char *source) {
  const size_t bytes = (size_t) CHUNKS * CHUNK;
  const int threads = (int) lanes.size ();
  double rates[ROUNDS];
  char text[80];
  for (int round = -1; round < ROUNDS; round++) {
    char *fresh = fresh_pages (bytes);
    std::vector<std::atomic<int>> next (gpus * count);
    std::vector<std::thread> running;
    const auto begun = std::chrono::steady_clock::now ();
    for (int way = 0; way < count; way++)
      for (int gpu = 0; gpu < gpus; gpu++)
        next[way * gpus + gpu] = CHUNKS * gpu / gpus;
    for (int t = 0; t < threads; t++) {
      const int gpu = lanes[t].device, which = t / gpus % count;
      running.emplace_back (serve, &lanes[t], ways[which], piece,
                            ways[which] == UP ? source : fresh, &next[which * gpus + gpu],
                            CHUNKS * (gpu + 1) / gpus);
    }
    for (std::thread &t : running)
      t.join ();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now () - begun;
    if (round >= 0)
      rates[round] = (double) count * (double) bytes / seconds.count ();
    free (fresh);
  }
  snprintf (text, sizeof text, "host; %s%s; %d GPU%s; %d threads", name,
            piece < CHUNK ? " through small slots" : "", gpus, gpus > 1 ? "s" : "", threads);
  put (text, rates, "bytes/s");
}

static void host_rows (int gpus) {
  static const way touch[] = {TOUCH}, up[] = {UP}, down[] = {DOWN}, both[] = {UP, DOWN};
  const int cores = (int) std::thread::hardware_concurrency ();
  char *source = fresh_pages ((size_t) CHUNKS * CHUNK);
  for (size_t i = 0; i < (size_t) CHUNKS * CHUNK / sizeof (unsigned); i++)
    ((unsigned *) source)[i] = (unsigned) i * 2654435761u;
  for (int used = 1; used <= gpus; used += gpus > 1 ? gpus - 1 : 1)
    for (int threads = cores / 2; threads <= cores; threads += cores - cores / 2) {
      std::vector<lane> lanes;
      for (int t = 0; t < threads; t++)
        lanes.push_back (make_lane (t % used));
      host_row ("first touch", lanes, used, touch, 1, CHUNK, source);
      for (size_t piece : {(size_t) CHUNK, (size_t) SMALL_PIECE}) {
        host_row ("staged up", lanes, used, up, 1, piece, source);
        host_row ("staged down", lanes, used, down, 1, piece, source);
        if (threads >= 2 * used)
          host_row ("staged both ways", lanes, used, both, 2, piece, source);
      }
      for (lane &x : lanes) {
        TRY (cudaSetDevice (x.device));
        TRY (cudaFree (x.memory));
        TRY (cudaStreamDestroy (x.stream));
        for (int i = 0; i < SLOTS; i++) {
          TRY (cudaFreeHost (x.slot[i]));
          TRY (cudaEventDestroy (x.moved[i]));
        }
      }
    }
  free (source);
}

/* From GPU 0 to GPU 1, directly where the host allows it. */
static void peer_row (void) {
  char *from, *to;
  int can = 0;
  TRY (cudaDeviceCanAccessPeer (&can, 1, 0));
  TRY (cudaSetDevice (0));
  TRY (cudaMalloc (&from, DEVICE_BYTES));
  TRY (cudaMemset (from, 1, DEVICE_BYTES));
  TRY (cudaDeviceSynchronize ());
  TRY (cudaSetDevice (1));
  TRY (cudaMalloc (&to, DEVICE_BYTES));
  if (can)
    TRY (cudaDeviceEnablePeerAccess (0, 0));
  row (can ? "peer; direct" : "peer; through the host", DEVICE_BYTES, "bytes/s",
       [&] { cudaMemcpyPeerAsync (to, 1, from, 0, DEVICE_BYTES, 0); });
  TRY (cudaFree (to));
  TRY (cudaSetDevice (0));
  TRY (cudaFree (from));
}

int main (void) {
  cudaDeviceProp device;
  char *host, *back, *memory;
  TRY (cudaGetDeviceProperties (&device, 0));
  TRY (cudaMallocHost (&host, LINK_BYTES));
  TRY (cudaMallocHost (&back, LINK_BYTES));
  TRY (cudaMalloc (&memory, 2 * (size_t) DEVICE_BYTES));
  for (int i = 0; i < LINK_BYTES; i++)
    host[i] = (char) (i * 2654435761u >> 24); /* pseudo-random bytes, neither zeros nor a pattern */

  row ("host to device", LINK_BYTES, "bytes/s",
       [&] { cudaMemcpyAsync (memory, host, LINK_BYTES, cudaMemcpyHostToDevice, 0); });
  row ("device to host", LINK_BYTES, "bytes/s",
       [&] { cudaMemcpyAsync (back, memory, LINK_BYTES, cudaMemcpyDeviceToHost, 0); });
  cudaStream_t up, down;
  cudaEvent_t begun, up_done, down_done;
  TRY (cudaStreamCreateWithFlags (&up, cudaStreamNonBlocking));
  TRY (cudaStreamCreateWithFlags (&down, cudaStreamNonBlocking));
  TRY (cudaEventCreate (&begun));
  TRY (cudaEventCreate (&up_done));
  TRY (cudaEventCreate (&down_done));
  row ("both ways at once", 2.0 * LINK_BYTES, "bytes/s", [&] {
    cudaEventRecord (begun, 0);
    cudaStreamWaitEvent (up, begun, 0);
    cudaStreamWaitEvent (down, begun, 0);
    cudaMemcpyAsync (memory, host, LINK_BYTES, cudaMemcpyHostToDevice, up);
    cudaMemcpyAsync (back, memory + DEVICE_BYTES, LINK_BYTES, cudaMemcpyDeviceToHost, down);
    cudaEventRecord (up_done, up);
    cudaEventRecord (down_done, down);
    cudaStreamWaitEvent (0, up_done, 0);
    cudaStreamWaitEvent (0, down_done, 0);
  });
  row ("device memory", 2.0 * DEVICE_BYTES, "bytes/s", [&] {
    cudaMemcpyAsync (memory + DEVICE_BYTES, memory, DEVICE_BYTES, cudaMemcpyDeviceToDevice, 0);
  });

  int blocks = BLOCKS_EACH * device.multiProcessorCount;
  int capability = 10 * device.major + device.minor;
  double threads = (double) blocks * THREADS, warps = threads / 32;
  double chains = 2.0 * CHAINS * STEPS * threads;
  row ("single multiply-add", chains, "flops/s",
       [&] { launch (multiply_adds<float>, blocks, 0.5f, 1.0f, (float *) memory); });
  row ("double multiply-add", chains, "flops/s",
       [&] { launch (multiply_adds<double>, blocks, 0.5, 1.0, (double *) memory); });
  if (capability >= 80) {
    row ("double tensor", tensor_d_operations (capability) * warps, "flops/s",
         [&] { launch (tensor_d, blocks, (double *) memory); });
    row ("int8 tensor (mma.sync)", 2.0 * 16 * 8 * 32 * CHAINS * STEPS * warps, "flops/s",
         [&] { launch (tensor_i8, blocks, (int *) memory); });
  }
  int gpus;
  TRY (cudaGetDeviceCount (&gpus));
  if (gpus > 1)
    peer_row ();
  host_rows (gpus);
  return 0;
}
