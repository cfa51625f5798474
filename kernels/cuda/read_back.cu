/* read_back.cu - what a launch decides by: a few words of the device.
 *
 * A kernel writes them to page-locked memory of the host. A copy would wait for the copies of
 * results that other streams have queued: products of blocks by slices waited until a piece of C
 * was down before they computed the next one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 256, WORDS = 2048 };

struct page {
  uint32_t words[WORDS];
  page *next; /* of the idle ones */
};

static page *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static page *take_idle (void) {
  pthread_mutex_lock (&lock);
  page *p = idle;
  if (p)
    idle = p->next;
  pthread_mutex_unlock (&lock);
  return p;
}

static void give_idle (page *p) {
  pthread_mutex_lock (&lock);
  p->next = idle;
  idle = p;
  pthread_mutex_unlock (&lock);
}

__global__ void __launch_bounds__ (THREADS)
    copy_words (int count, const uint32_t *from, uint32_t *to) {
  for (int w = threadIdx.x; w < count; w += THREADS)
    to[w] = from[w];
}

gpumm_status gpumm_cuda_read_back (int device, gpumm_stream *stream, void *to, const void *from,
                                   size_t bytes) {
  const int count = (int) (bytes / sizeof (uint32_t));
  if (bytes % sizeof (uint32_t) != 0 || count > WORDS)
    return gpumm_driver_fail (GPUMM_INTERNAL, "%zu bytes are not read back", bytes);
  page *p = take_idle ();
  gpumm_status status = p ? GPUMM_OK : gpumm_driver_here.pin (device, sizeof *p, (void **) &p);
  if (!status)
    status = LAUNCH ("read_back", copy_words, 1, dim3 (THREADS), device, stream, count,
                     (const uint32_t *) from, p->words);
  if (!status)
    status = gpumm_driver_here.stream_synchronize (device, stream);
  if (!status)
    memcpy (to, p->words, bytes);
  if (p)
    give_idle (p);
  return status;
}

void gpumm_cuda_forget_pages (void) {
  for (page *p; (p = take_idle ()) != NULL;)
    gpumm_driver_here.unpin (0, p);
}
