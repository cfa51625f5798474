/* vectors.h - vectors on a device, for tests of arrays: taken, filled, read, and given back together.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_VECTORS_H
#define GPUMM_TESTS_VECTORS_H

#include "check.h"
#include "gpumm.h"

static int device = GPUMM_HOST;

static gpumm_buffer *buffers[64];
static int taken;

static gpumm_view take (gpumm_type type, int64_t count) {
  gpumm_view v = {.type = type};
  const size_t bytes = (size_t) (count > 0 ? count : 1) * gpumm_type_bytes (type);
  CHECK (!gpumm_buffer_new (device, bytes, &v.buffer), "%s", gpumm_last_error ());
  v.values = gpumm_buffer_address (v.buffer);
  buffers[taken++] = v.buffer;
  return v;
}

static void give_all (void) {
  while (taken > 0)
    gpumm_buffer_release (buffers[--taken]);
}

static gpumm_matrix column_of (const gpumm_view *v, int64_t count, int on_host, void *at) {
  return (gpumm_matrix){.type = v->type,
                        .rows = count,
                        .cols = 1,
                        .ld = count,
                        .values = on_host ? at : v->values,
                        .buffer = on_host ? NULL : v->buffer};
}

static gpumm_view put (gpumm_type type, const void *from, int64_t count) {
  const gpumm_view v = take (type, count);
  const gpumm_matrix a = column_of (&v, count, 1, (void *) (uintptr_t) from),
                     b = column_of (&v, count, 0, NULL);
  if (count > 0)
    CHECK (!gpumm_copy (&a, &b), "%s", gpumm_last_error ());
  return v;
}

static void get (const gpumm_view *v, int64_t count, void *to) {
  const gpumm_matrix a = column_of (v, count, 0, NULL), b = column_of (v, count, 1, to);
  if (count > 0)
    CHECK (!gpumm_copy (&a, &b), "%s", gpumm_last_error ());
}

static int64_t look (const gpumm_view *v, int64_t place) {
  int64_t count = -1;
  gpumm_glance glance = {.at = *v, .count = 1, .to = &count};
  glance.at.values = (char *) v->values + place * 8;
  CHECK (!gpumm_look (&glance, 1), "%s", gpumm_last_error ());
  return count;
}

#endif
