/* buffer.c - memory of a device that outlives a product, and who owns it.
 *
 * A forked process may release a buffer but not use it. The checks compare addresses: they do not
 * know what offsets and indices on the device say.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "buffer.h"
#include "base/error.h"
#include "base/types.h"
#include "device/devices.h"
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

/* Do so many elements from `at` on lie in the buffer b? */
static gpumm_status check_extent (const gpumm_buffer *b, const void *at, double elements,
                                  size_t element, const char *name) {
  const uintptr_t begin = (uintptr_t) b->p, first = (uintptr_t) at;
  const double end = (double) (first - begin) + elements * (double) element;
  if (b->process != getpid ())
    return gpumm_fail (GPUMM_INVALID, "%s lies on a device that a forked process cannot use", name);
  if (elements > 0 && (first < begin || end > (double) b->bytes))
    return gpumm_fail (GPUMM_INVALID, "%s does not lie in its buffer", name);
  if ((first - begin) % element != 0) /* would end CUDA for this process */
    return gpumm_fail (GPUMM_INVALID, "%s does not begin at a whole element of its buffer", name);
  return GPUMM_OK;
}

static gpumm_status check_compressed (const gpumm_matrix *x, const char *name) {
  const gpumm_buffer *start = x->start_buffer, *index = x->index_buffer, *values = x->buffer;
  const double stored = (double) x->nzmax;
  if (!start || !index || start->context != values->context || index->context != values->context
      || (x->zero && x->zero->context != values->context))
    return gpumm_fail (GPUMM_INVALID,
                       "%s: offsets, indices or the flag have no buffers on its device", name);
  if (gpumm_line_count (x) >= INT32_MAX || gpumm_line_length (x) >= INT32_MAX)
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s of %lld x %lld: a device takes sizes below 2^31",
                       name, (long long) x->rows, (long long) x->cols);
  gpumm_status status =
      check_extent (start, x->start, (double) gpumm_line_count (x) + 1, sizeof *x->start, name);
  if (!status)
    status = check_extent (index, x->index, stored, gpumm_index_bytes (x), name);
  if (!status)
    status = check_extent (values, x->values, stored * (double) gpumm_entry_elements (x),
                           gpumm_type_bytes (x->type), name);
  if (!status && x->zero)
    status = check_extent (x->zero, x->zero->p, 1, sizeof (int32_t), name);
  return status;
}

gpumm_status gpumm_check_buffers (const gpumm_matrix *x, const char *name) {
  const int has_entries = x->rows > 0 && x->cols > 0;
  if (x->format != GPUMM_FULL)
    return check_compressed (x, name);
  return check_extent (x->buffer, x->values,
                       has_entries ? (double) x->ld * (double) (x->cols - 1) + (double) x->rows : 0,
                       gpumm_type_bytes (x->type), name);
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
