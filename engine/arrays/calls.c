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
    if (op < 0 || op >= GPUMM_MAP_OPS || (op >= GPUMM_MAP_ONES && op < GPUMM_MAP_ADD))
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

/* ---- operations --------------------------------------------------------------------------- */

static const gpumm_array_kernel *row_of (const gpumm_driver *driver, const char *name) {
  const gpumm_array_kernel *const *row = driver->array_kernels;
  while (*row && strcmp ((*row)->name, name) != 0)
    row++;
  return *row;
}

static int moves (const gpumm_array_kernel *row) {
  return row->types >> GPUMM_I64 & 1;
}

/* Checks what is read. Sets *read to it, with an input without gaps as a vector. */
static gpumm_status check_read (call *c, const gpumm_array_kernel *row, const gpumm_operation *o,
                                gpumm_map *read, int64_t *entries) {
  const int64_t lanes[] = {o->inner, o->count, o->outer};
  gpumm_view *x = &read->input[0];
  gpumm_status status = GPUMM_OK;
  *read = o->map;
  if (row->reads == GPUMM_READS_MAP) {
    status = check_map (c, read, 0, entries);
    return status ? status : check_lanes (c, o->inner, o->count, o->outer, *entries);
  }
  if (row->reads == GPUMM_READS_NOTHING)
    return read->inputs == 0 && read->steps == 0
               ? check_sizes (c, lanes, 3, entries)
               : gpumm_fail (GPUMM_INVALID, "%s: it reads no array", c->name);
  if (read->inputs != 1 || read->steps != 0)
    return gpumm_fail (GPUMM_INVALID, "%s: it reads one array, without steps", c->name);
  if (row->length == GPUMM_SIZES_GIVEN)
    status = check_sizes (c, read->size, GPUMM_MAP_DIMS, entries);
  else {
    status = check_sizes (c, lanes, 3, entries);
    memcpy (read->size, (int64_t[]){*entries, 1, 1, 1}, sizeof read->size);
    x->stride[0] = 1;
  }
  if (!status)
    status = gpumm_check_view (c, x, read->size, 0, "the input");
  if (!status && !(row->types >> x->type & 1))
    status = is_wide (x->type) ? fail_wide (c)
                               : gpumm_fail (GPUMM_UNSUPPORTED, "%s: not of element type %s",
                                             c->name, gpumm_type_name (x->type));
  return status;
}

/* Checks a result. */
static gpumm_status check_result (call *c, const gpumm_array_kernel *row, const gpumm_map *read,
                                  const gpumm_view *y, const int64_t *size, int is_first,
                                  const char *what) {
  const int reads = row->reads != GPUMM_READS_NOTHING;
  const int same = reads && y->type == read->input[0].type;
  gpumm_status status = gpumm_check_view (c, y, size, 1, what);
  if (!status && !reads && !(row->types >> y->type & 1))
    status = gpumm_fail (GPUMM_UNSUPPORTED, "%s: not of element type %s", c->name,
                         gpumm_type_name (y->type));
  if (!status && reads && is_first && moves (row) && !same)
    status = gpumm_fail (GPUMM_INVALID, "%s: input and output are of different types", c->name);
  if (!status && is_wide (y->type) && !moves (row))
    status = fail_wide (c);
  return status ? status : check_output (c, read, y, size, is_first && same && row->in_place, what);
}

/* Checks the results. Sets *written to the entries of each. */
static gpumm_status check_results (call *c, const gpumm_array_kernel *row, const gpumm_operation *o,
                                   const gpumm_map *read, int64_t entries, int64_t *written) {
  static const char *const names[GPUMM_RESULTS] = {"the output", "the places"};
  const int is_given = row->length == GPUMM_SIZES_GIVEN;
  /* these may be too many where count is 0 */
  const int64_t lanes[] = {o->inner, o->length, o->outer};
  int64_t size[GPUMM_MAP_DIMS] = {entries, 1, 1, 1};
  gpumm_view y[GPUMM_RESULTS];
  gpumm_status status = GPUMM_OK;
  memcpy (y, o->result, sizeof y);
  if (is_given)
    memcpy (size, o->size, sizeof size);
  if (row->length == GPUMM_LENGTH_ONE || row->length == GPUMM_LENGTH_GIVEN)
    status = check_sizes (c, lanes, 3, &size[0]);
  for (int r = 0; r < GPUMM_RESULTS && !status; r++) {
    if (r > 0 && !y[r].values)
      continue;
    if (r >= row->results)
      return gpumm_fail (GPUMM_INVALID, "%s: there are no %d results", c->name, r + 1);
    if (!is_given)
      y[r].stride[0] = 1;
    status = check_result (c, row, read, &y[r], size, r == 0, names[r]);
    if (!status && r > 0)
      status = gpumm_check_apart (c, &y[r], size, &y[0], size, names[r], names[0]);
  }
  return status ? status : check_sizes (c, size, GPUMM_MAP_DIMS, written);
}

/* Checks the places along a dimension of the whole. */
static gpumm_status check_places (call *c, const gpumm_places *x, int64_t count, int64_t size) {
  if (count == 0)
    return GPUMM_OK;
  if (x->vector)
    return check_extent (c, x->buffer, x->vector, sizeof (int64_t), 0, (double) (count - 1),
                         "a vector of places");
  const double last = (double) x->first + (double) (count - 1) * (double) x->step;
  if (x->first < 0 || x->first >= size || last < 0 || last >= (double) size)
    return gpumm_fail (GPUMM_INVALID, "%s: places %lld to %.0f are not in 0 to %lld", c->name,
                       (long long) x->first, last, (long long) size - 1);
  return GPUMM_OK;
}

/* Checks all places, which lie apart from what is written. */
static gpumm_status check_all_places (call *c, const gpumm_array_kernel *row,
                                      const gpumm_operation *o) {
  const int reads = row->places == GPUMM_PLACES_READ;
  const int64_t *part = reads ? o->size : o->map.size, *whole = reads ? o->map.size : o->size;
  gpumm_status status = GPUMM_OK;
  for (int d = 0; d < GPUMM_MAP_DIMS && !status; d++) {
    const gpumm_places *x = &o->places[d];
    const int64_t count[] = {part[d], 1, 1, 1};
    const gpumm_view places = {.type = x->from_1 ? GPUMM_D : GPUMM_I64,
                               .buffer = x->buffer,
                               .values = (void *) (uintptr_t) x->vector,
                               .stride = {1}};
    status = check_places (c, x, part[d], whole[d]);
    if (!status && x->vector)
      status = gpumm_check_apart (c, &o->result[0], o->size, &places, count, "the output",
                                  "a vector of places");
  }
  return status;
}

gpumm_status gpumm_operation_run (const gpumm_operation *given) {
  call c = {.name = "arrays"};
  int64_t entries = 0, written = 0;
  gpumm_map read;
  if (!given || !given->name)
    return gpumm_fail (GPUMM_INVALID, "%s: no operation is named", c.name);
  gpumm_operation whole = *given, *const o = &whole;
  c.name = o->name;
  gpumm_status status = check_place (&c, o->result[0].buffer, "the output");
  if (status)
    return status;
  const gpumm_driver *driver = c.context->driver;
  const gpumm_array_kernel *row = row_of (driver, o->name);
  if (!row)
    return gpumm_fail (GPUMM_INVALID, "arrays have no operation \"%s\"", o->name);
  c.name = row->name; /* which outlives the call */
  const int is_given = row->length == GPUMM_LENGTH_GIVEN;
  const int64_t own = row->length == GPUMM_LENGTH_ONE ? 1 : o->count;
  if (!is_given && o->length == 0)
    o->length = own;
  if (is_given ? o->length > o->count : o->length != own)
    return gpumm_fail (GPUMM_INVALID, "%s: lanes of %lld entries do not give %lld", c.name,
                       (long long) o->count, (long long) o->length);
  status = row->check ? row->check (o) : GPUMM_OK;
  if (status)
    return gpumm_fail (status, "%s: %s", c.name, driver->error_text ());
  status = check_read (&c, row, o, &read, &entries);
  if (!status)
    status = check_results (&c, row, o, &read, entries, &written);
  const int is_empty = written == 0 || (entries == 0 && row->length != GPUMM_LENGTH_ONE);
  if (!status && row->places != GPUMM_NO_PLACES && !is_empty)
    status = check_all_places (&c, row, o);
  if (status || is_empty)
    return status;
  status = gpumm_array_begin (&c, row->workspace ? row->workspace (o) : 0);
  return status ? status
                : gpumm_array_end (&c, row->launch (c.context->device, c.stream, o, c.workspace));
}

gpumm_status gpumm_wait (int device) {
  gpumm_context *context;
  const gpumm_status status = gpumm_context_of (device, &context);
  return status ? status : gpumm_queue_wait (context);
}
