/* calls.c - elementwise work on arrays of a device: checks, and launches queued on the array
 * stream.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"
#include "base/error.h"
#include "base/overlap.h"
#include "base/types.h"
#include "device/devices.h"
#include "gpumm_elementwise.h"
#include "memory/buffer.h"
#include "memory/pool.h"
#include "memory/queue.h"

#include <string.h>
#include <unistd.h>

typedef gpumm_array_call call;

/* ---- checks ------------------------------------------------------------------------------- */

/* Can this process use the buffer, and is it on the call's device? */
static gpumm_status check_place (call *c, const gpumm_buffer *buffer, const char *what) {
  if (!buffer)
    return gpumm_fail (GPUMM_INVALID, "%s: %s has no buffer", c->name, what);
  if (buffer->process != getpid ())
    return gpumm_fail (GPUMM_INVALID, "%s: %s lies on a device that a forked process cannot use",
                       c->name, what);
  if (c->context && buffer->context != c->context)
    return gpumm_fail (GPUMM_INVALID, "%s: %s is on another device", c->name, what);
  c->context = buffer->context;
  return c->context->driver->map
             ? GPUMM_OK
             : gpumm_fail (GPUMM_UNSUPPORTED, "%s: not on device %d", c->name, c->context->device);
}

/* Do elements low to high, counted from values, lie in the buffer? Computed in double, against
 * overflow. */
static gpumm_status check_extent (call *c, const gpumm_buffer *buffer, const void *values,
                                  size_t element, double low, double high, const char *what) {
  const gpumm_status status = check_place (c, buffer, what);
  if (status)
    return status;
  const double at = (double) (intptr_t) values - (double) (intptr_t) buffer->p;
  const intptr_t apart = (intptr_t) values - (intptr_t) buffer->p;
  if (at + low * (double) element < 0
      || at + (high + 1) * (double) element > (double) buffer->bytes)
    return gpumm_fail (GPUMM_INVALID, "%s: %s does not lie in its buffer", c->name, what);
  if (apart % (intptr_t) element != 0) /* a misaligned access ends CUDA for this process */
    return gpumm_fail (GPUMM_INVALID, "%s: %s does not begin at a whole element of its buffer",
                       c->name, what);
  return GPUMM_OK;
}

static gpumm_status check_type (const call *c, gpumm_type type, const char *what) {
  return (int) type >= 0 && type < GPUMM_TYPES
             ? GPUMM_OK
             : gpumm_fail (GPUMM_INVALID, "%s: %s has no element type %d", c->name, what,
                           (int) type);
}

/* Sets *entries, which may be at most 2^53. */
static gpumm_status check_sizes (const call *c, const int64_t *size, int count, int64_t *entries) {
  double product = 1;
  *entries = 1;
  for (int d = 0; d < count; d++) {
    if (size[d] < 0)
      return gpumm_fail (GPUMM_INVALID, "%s: size %lld is negative", c->name, (long long) size[d]);
    product *= (double) size[d];
  }
  if (product > 0x1p53)
    return gpumm_fail (GPUMM_INVALID, "%s: %.0f entries are too many", c->name, product);
  for (int d = 0; d < count; d++)
    *entries = product > 0 ? *entries * size[d] : 0;
  return GPUMM_OK;
}

static gpumm_region region_of (const gpumm_view *x, const int64_t *size) {
  gpumm_region r = {.values = x->values, .element = gpumm_type_bytes (x->type)};
  memcpy (r.size, size, sizeof r.size);
  memcpy (r.stride, x->stride, sizeof r.stride);
  return r;
}

gpumm_status gpumm_check_apart (const call *c, const gpumm_view *out, const int64_t *size_out,
                                const gpumm_view *other, const int64_t *size, const char *what_out,
                                const char *what) {
  if (out->buffer != other->buffer)
    return GPUMM_OK;
  const gpumm_region x = region_of (out, size_out), y = region_of (other, size);
  return gpumm_overlap (&x, &y) ? gpumm_fail (GPUMM_INVALID, "%s: %s lies in the memory of %s",
                                              c->name, what_out, what)
                                : GPUMM_OK;
}

gpumm_status gpumm_check_view (call *c, const gpumm_view *x, const int64_t *size, int writes,
                               const char *what) {
  double low = 0, high = 0;
  int64_t entries = 0;
  gpumm_status status = check_type (c, x->type, what);
  if (!status)
    status = check_sizes (c, size, GPUMM_MAP_DIMS, &entries);
  for (int d = 0; d < GPUMM_MAP_DIMS; d++) {
    const double reach = ((double) size[d] - 1) * (double) x->stride[d];
    *(reach < 0 ? &low : &high) += reach;
  }
  if (status || entries == 0)
    return status ? status : check_place (c, x->buffer, what);
  status = check_extent (c, x->buffer, x->values, gpumm_type_bytes (x->type), low, high, what);
  const gpumm_region all = region_of (x, size);
  if (!status && writes && !gpumm_is_apart (&all))
    status = gpumm_fail (GPUMM_INVALID, "%s: %s has several entries at one place", c->name, what);
  return status;
}

gpumm_status gpumm_check_vectors_apart (const call *c, const gpumm_view *out, int64_t entries_out,
                                        const gpumm_view *other, int64_t entries,
                                        const char *what_out, const char *what) {
  const int64_t size_out[] = {entries_out, 1, 1, 1}, size[] = {entries, 1, 1, 1};
  gpumm_view x = *out, y = *other;
  x.stride[0] = y.stride[0] = 1;
  return gpumm_check_apart (c, &x, size_out, &y, size, what_out, what);
}

gpumm_status gpumm_check_vector (call *c, const gpumm_view *x, int64_t entries, const char *what) {
  const int64_t size[] = {entries, 1, 1, 1};
  gpumm_view y = *x;
  y.stride[0] = 1;
  return gpumm_check_view (c, &y, size, 1, what);
}

static int is_wide (gpumm_type type) {
  return type == GPUMM_I64 || type == GPUMM_U64;
}

static gpumm_status fail_wide (const call *c) {
  return gpumm_fail (GPUMM_UNSUPPORTED, "%s: int64 and uint64 can only be moved", c->name);
}

/* Checks that each step finds its operands. */
static gpumm_status check_steps (const call *c, const gpumm_map *m) {
  int depth = 0;
  for (int s = 0; s < m->steps; s++) {
    const gpumm_map_step *step = &m->step[s];
    const int op = (int) step->op, from = step->source, pops = from == GPUMM_MAP_POP;
    if (op < 0 || op >= GPUMM_MAP_OPS)
      return gpumm_fail (GPUMM_INVALID, "%s: step %d has no operation %d", c->name, s + 1, op);
    if (op >= GPUMM_MAP_NEG && op < GPUMM_MAP_ADD)
      continue;
    if (from < GPUMM_MAP_POP || from >= m->inputs)
      return gpumm_fail (GPUMM_INVALID, "%s: step %d has no operand %d", c->name, s + 1, from);
    if ((pops && depth == 0) || (op == GPUMM_MAP_PUSH && (pops || depth == 2)))
      return gpumm_fail (GPUMM_INVALID, "%s: step %d finds the stack %s", c->name, s + 1,
                         op == GPUMM_MAP_PUSH && depth == 2 ? "full" : "empty or in use");
    depth += (op == GPUMM_MAP_PUSH) - pops;
  }
  return GPUMM_OK;
}

static int is_ramp (const gpumm_view *x) {
  return x->type == GPUMM_I64 && !x->buffer;
}

/* Each thread reads an entry before it writes the entry at the same place. */
static int is_in_place (const gpumm_view *x, const gpumm_view *y, const int64_t *size) {
  int same = x->values == y->values && gpumm_type_bytes (x->type) == gpumm_type_bytes (y->type);
  for (int d = 0; d < GPUMM_MAP_DIMS; d++)
    same = same && (size[d] == 1 || x->stride[d] == y->stride[d]);
  return same;
}

/* Checks that an output of these sizes lies apart from the inputs of the map. */
static gpumm_status check_output (const call *c, const gpumm_map *m, const gpumm_view *out,
                                  const int64_t *size, int in_place, const char *what) {
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < m->inputs && !status; i++)
    if (!is_ramp (&m->input[i]) && !(in_place && is_in_place (&m->input[i], out, size)))
      status = gpumm_check_apart (c, out, size, &m->input[i], m->size, what, "an input");
  return status;
}

/* Checks everything of a map except its output. */
static gpumm_status check_map (call *c, const gpumm_map *m, int moves, int64_t *entries) {
  gpumm_status status = check_sizes (c, m->size, GPUMM_MAP_DIMS, entries);
  if (!status && m->domain > GPUMM_Z)
    status = gpumm_fail (GPUMM_INVALID, "%s: no arithmetic of element type %d", c->name,
                         (int) m->domain);
  if (!status
      && (m->inputs < 0 || m->inputs > GPUMM_MAP_INPUTS || m->steps < 0
          || m->steps > GPUMM_MAP_STEPS))
    status = gpumm_fail (GPUMM_INVALID, "%s: %d inputs and %d steps, not up to %d and %d", c->name,
                         m->inputs, m->steps, GPUMM_MAP_INPUTS, GPUMM_MAP_STEPS);
  if (!status)
    status = check_steps (c, m);
  for (int i = 0; i < m->inputs && !status; i++) {
    if (is_ramp (&m->input[i]))
      continue;
    status = gpumm_check_view (c, &m->input[i], m->size, 0, "an input");
    if (!status && is_wide (m->input[i].type) && !moves)
      status = fail_wide (c);
  }
  return status;
}

/* Checks that inner x count x outer is the number of entries. */
static gpumm_status check_lanes (const call *c, int64_t inner, int64_t count, int64_t outer,
                                 int64_t entries) {
  const int64_t size[] = {inner, count, outer};
  int64_t product = 0;
  gpumm_status status = check_sizes (c, size, 3, &product);
  if (!status && product != entries)
    status =
        gpumm_fail (GPUMM_INVALID, "%s: %lld x %lld x %lld are not the map's %lld entries", c->name,
                    (long long) inner, (long long) count, (long long) outer, (long long) entries);
  return status;
}

/* ---- launches ----------------------------------------------------------------------------- */

gpumm_status gpumm_array_begin (call *c, size_t bytes) {
  gpumm_status status = gpumm_queue_failure (c->context);
  if (!status && bytes > 0)
    status = gpumm_pool_take_in_order (c->context, GPUMM_POOL_DEVICE, bytes, &c->workspace);
  if (!status)
    status = gpumm_queue_begin (c->context, &c->stream);
  if (status)
    gpumm_pool_give (c->context, GPUMM_POOL_DEVICE, c->workspace);
  return status;
}

gpumm_status gpumm_array_end (call *c, gpumm_status launched) {
  if (launched)
    gpumm_fail (launched, "device %d: %s failed: %s", c->context->device, c->name,
                c->context->driver->error_text ());
  gpumm_queue_end (c->context, c->name); /* after a failure a part of the work may still run */
  gpumm_pool_give (c->context, GPUMM_POOL_DEVICE, c->workspace);
  return launched;
}

gpumm_status gpumm_map_entries (const gpumm_map *m) {
  call c = {.name = "map"};
  int64_t entries = 0;
  if (!m)
    return gpumm_fail (GPUMM_INVALID, "no map");
  const int moves = m->steps == 0 && m->inputs > 0 && m->input[0].type == m->output.type
                    && !is_ramp (&m->input[0]);
  gpumm_status status = check_map (&c, m, moves, &entries);
  if (!status)
    status = gpumm_check_view (&c, &m->output, m->size, 1, "the output");
  if (!status && is_wide (m->output.type) && !moves)
    status = fail_wide (&c);
  if (!status)
    status = check_output (&c, m, &m->output, m->size, 1, "the output");
  if (status || entries == 0)
    return status;
  status = gpumm_array_begin (&c, 0);
  return status ? status
                : gpumm_array_end (&c, c.context->driver->map (c.context->device, c.stream, m));
}

/* Checks the outputs of a fold, vectors of so many lanes. */
static gpumm_status check_outputs (call *c, const gpumm_fold *f, int64_t lanes) {
  const int64_t size[] = {lanes, 1, 1, 1};
  const int finds = f->index.values != NULL;
  gpumm_view output = f->output, index = f->index;
  output.stride[0] = index.stride[0] = 1;
  gpumm_status status = gpumm_check_view (c, &output, size, 1, "the output");
  if (!status && is_wide (output.type))
    status = fail_wide (c);
  if (!status)
    status = check_output (c, &f->map, &output, size, 0, "the output");
  if (status || !finds)
    return status;
  if ((f->op != GPUMM_FOLD_MAX && f->op != GPUMM_FOLD_MIN) || index.type != GPUMM_D)
    return gpumm_fail (GPUMM_INVALID, "%s: places are doubles, of max and min alone", c->name);
  status = gpumm_check_view (c, &index, size, 1, "the places");
  if (!status)
    status = check_output (c, &f->map, &index, size, 0, "the places");
  if (!status)
    status = gpumm_check_apart (c, &index, size, &output, size, "the places", "the output");
  return status;
}

gpumm_status gpumm_fold_entries (const gpumm_fold *f) {
  call c = {.name = "fold"};
  int64_t entries = 0;
  if (!f)
    return gpumm_fail (GPUMM_INVALID, "no fold");
  const int is_extreme = f->op == GPUMM_FOLD_MAX || f->op == GPUMM_FOLD_MIN;
  if ((int) f->op < 0 || f->op >= GPUMM_FOLD_OPS)
    return gpumm_fail (GPUMM_INVALID, "%s: there is no operation %d", c.name, (int) f->op);
  if (f->op == GPUMM_FOLD_LARGEST && (f->map.domain == GPUMM_C || f->map.domain == GPUMM_Z))
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s: complex numbers have no largest one", c.name);
  gpumm_status status = check_map (&c, &f->map, 0, &entries);
  if (!status)
    status = check_lanes (&c, f->inner, f->count, f->outer, entries);
  const int64_t ends[] = {f->inner, f->outer}; /* which may be too many where count is 0 */
  int64_t lanes = 0;
  if (!status)
    status = check_sizes (&c, ends, 2, &lanes);
  if (!status)
    status = check_outputs (&c, f, lanes);
  if (!status && is_extreme && f->count == 0 && lanes > 0)
    status = gpumm_fail (GPUMM_INVALID, "%s: nothing has no maximum and no minimum", c.name);
  if (status || lanes == 0)
    return status;
  const gpumm_driver *driver = c.context->driver;
  status = gpumm_array_begin (&c, driver->fold_bytes (f));
  return status ? status
                : gpumm_array_end (&c, driver->fold (c.context->device, c.stream, f, c.workspace));
}

gpumm_status gpumm_scan_entries (const gpumm_scan *s) {
  call c = {.name = "scan"};
  if (!s)
    return gpumm_fail (GPUMM_INVALID, "no scan");
  if (s->op != GPUMM_FOLD_SUM && s->op != GPUMM_FOLD_PROD)
    return gpumm_fail (GPUMM_INVALID, "%s: only sums and products run", c.name);
  const int64_t size[] = {s->inner, s->count, s->outer};
  int64_t entries = 0;
  gpumm_status status = check_sizes (&c, size, 3, &entries);
  if (!status)
    status = gpumm_check_vector (&c, &s->input, entries, "the input");
  if (!status)
    status = gpumm_check_vector (&c, &s->output, entries, "the output");
  if (!status && (is_wide (s->input.type) || is_wide (s->output.type)))
    status = fail_wide (&c);
  if (!status && (s->input.values != s->output.values || s->input.type != s->output.type))
    status = gpumm_check_vectors_apart (&c, &s->output, entries, &s->input, entries, "the output",
                                        "the input");
  if (status || entries == 0)
    return status;
  const gpumm_driver *driver = c.context->driver;
  status = gpumm_array_begin (&c, driver->scan_bytes (s));
  return status ? status
                : gpumm_array_end (&c, driver->scan (c.context->device, c.stream, s, c.workspace));
}

/* Checks the places along a dimension of the whole. */
static gpumm_status check_places (call *c, const gpumm_places *x, int64_t count, int64_t size) {
  if (count == 0)
    return GPUMM_OK;
  if (x->vector)
    return check_extent (c, x->buffer, x->vector, sizeof *x->vector, 0, (double) (count - 1),
                         "a vector of places");
  const double last = (double) x->first + (double) (count - 1) * (double) x->step;
  if (x->first < 0 || x->first >= size || last < 0 || last >= (double) size)
    return gpumm_fail (GPUMM_INVALID, "%s: places %lld to %.0f are not in 0 to %lld", c->name,
                       (long long) x->first, last, (long long) size - 1);
  return GPUMM_OK;
}

/* Checks that what is written lies apart from the rest. */
static gpumm_status check_written (const call *c, const gpumm_pick *p) {
  const gpumm_view *out = p->put ? &p->whole : &p->part, *in = p->put ? &p->part : &p->whole;
  const int64_t *size_out = p->put ? p->whole_size : p->size,
                *size = p->put ? p->size : p->whole_size;
  const char *what = p->put ? "the whole" : "the part";
  gpumm_status status =
      gpumm_check_apart (c, out, size_out, in, size, what, p->put ? "the part" : "the whole");
  for (int d = 0; d < GPUMM_MAP_DIMS && !status; d++) {
    const gpumm_places *x = &p->places[d];
    const int64_t count[] = {p->size[d], 1, 1, 1};
    const gpumm_view places = {.type = GPUMM_I64,
                               .buffer = x->buffer,
                               .values = (void *) (uintptr_t) x->vector,
                               .stride = {1}};
    if (x->vector)
      status = gpumm_check_apart (c, out, size_out, &places, count, what, "a vector of places");
  }
  return status;
}

gpumm_status gpumm_pick_entries (const gpumm_pick *p) {
  call c = {.name = "pick"};
  int64_t entries = 0, whole = 0;
  if (!p)
    return gpumm_fail (GPUMM_INVALID, "no pick");
  if (p->part.type != p->whole.type)
    return gpumm_fail (GPUMM_INVALID, "%s: part and whole are of different types", c.name);
  gpumm_status status = check_sizes (&c, p->size, GPUMM_MAP_DIMS, &entries);
  if (!status)
    status = check_sizes (&c, p->whole_size, GPUMM_MAP_DIMS, &whole);
  if (!status)
    status = gpumm_check_view (&c, &p->part, p->size, !p->put, "the part");
  if (!status)
    status = gpumm_check_view (&c, &p->whole, p->whole_size, p->put, "the whole");
  for (int d = 0; d < GPUMM_MAP_DIMS && !status && entries > 0; d++)
    status = check_places (&c, &p->places[d], p->size[d], p->whole_size[d]);
  if (!status)
    status = check_written (&c, p);
  if (status || entries == 0)
    return status;
  status = gpumm_array_begin (&c, 0);
  return status ? status
                : gpumm_array_end (&c, c.context->driver->pick (c.context->device, c.stream, p));
}

gpumm_status gpumm_wait (int device) {
  gpumm_context *context;
  const gpumm_status status = gpumm_context_of (device, &context);
  return status ? status : gpumm_queue_wait (context);
}
