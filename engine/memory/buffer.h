/* buffer.h - memory of a device that outlives a product, and who owns it.
 *
 * Programs have only a pointer to the struct, and the functions of gpumm.h. queue.h says who waits
 * before a buffer is read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_BUFFER_H
#define GPUMM_MEMORY_BUFFER_H

#include "device/context.h"

#include <sys/types.h>

struct gpumm_buffer {
  gpumm_context *context;
  void *p;
  size_t bytes;
  pid_t process; /* that can use it: a forked one cannot */
};

/* Does x, in buffers, lie inside them, and can this process use them? name is for errors. */
gpumm_status gpumm_check_buffers (const gpumm_matrix *x, const char *name);

#endif
