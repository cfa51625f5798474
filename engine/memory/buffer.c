/* buffer.c - memory of a device that outlives a product, and who owns it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "buffer.h"
#include "devices.h"
#include "error.h"
#include "host.h"
#include "pool.h"

#include <unistd.h>

gpumm_status gpumm_buffer_new (int device, size_t bytes, gpumm_buffer **buffer) {
  gpumm_context *context;
  if (!buffer)
    return gpumm_fail (GPUMM_INVALID, "no pointer for the buffer");
  *buffer = NULL;
  gpumm_status status = gpumm_context_of (device, &context);
  if (status)
    return status;
  gpumm_buffer *b = gpumm_allocate (1, sizeof *b);
  if (!b)
    return GPUMM_HOST_MEMORY;
  status = gpumm_pool_take_in_order (context, GPUMM_POOL_DEVICE, bytes, &b->p);
  if (status) {
    gpumm_release (b);
    return status;
  }
  b->context = context;
  b->bytes = bytes;
  b->process = getpid ();
  *buffer = b;
  return GPUMM_OK;
}

void *gpumm_buffer_address (const gpumm_buffer *b) {
  return b ? b->p : NULL;
}

void gpumm_buffer_release (gpumm_buffer *b) {
  if (!b)
    return;
  if (b->process == getpid ())
    gpumm_pool_give (b->context, GPUMM_POOL_DEVICE, b->p);
  gpumm_release (b);
}

gpumm_status gpumm_check_buffer (const gpumm_matrix *x, const char *name) {
  const gpumm_buffer *b = x->buffer;
  const uintptr_t begin = (uintptr_t) b->p, at = (uintptr_t) x->values;
  const double elements = (double) x->ld * (double) (x->cols - 1) + (double) x->rows;
  const double end = (double) (at - begin) + elements * (double) gpumm_type_bytes (x->type);
  if (b->process != getpid ())
    return gpumm_fail (GPUMM_INVALID, "%s lies on a device that a forked process cannot use", name);
  if (x->rows > 0 && x->cols > 0 && (at < begin || end > (double) b->bytes))
    return gpumm_fail (GPUMM_INVALID, "%s does not lie in its buffer", name);
  if ((at - begin) % gpumm_type_bytes (x->type) != 0) /* would end CUDA for this process */
    return gpumm_fail (GPUMM_INVALID, "%s does not begin at a whole element of its buffer", name);
  return GPUMM_OK;
}

gpumm_status gpumm_memory (int device, int64_t *used, int64_t *kept) {
  gpumm_context *context;
  if (!used || !kept)
    return gpumm_fail (GPUMM_INVALID, "no pointers for the bytes");
  *used = *kept = 0;
  const gpumm_status status = gpumm_context_of (device, &context);
  if (status)
    return status;
  size_t unused;
  *used = (int64_t) gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused);
  *kept = (int64_t) unused;
  *used -= *kept;
  return GPUMM_OK;
}
