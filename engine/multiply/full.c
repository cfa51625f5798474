/* full.c - full products by a kernel of the table: the product as steps for streaming.c.
 *
 * C is computed tile by tile from panels of op(A) and op(B). If all three fit the device, each
 * panel goes up once and stays, and tiles come in shells: d panels of both allow all tiles of the d
 * x d corner. So work grows with the square of the uploads, and the device is soon busy longer than
 * the transfers. If they do not fit, the device holds two panels of each, one in use and one in
 * transfer, and C is summed over steps along k.
 *
 * A part of a product on several devices (spread.c) takes only its slice of each panel of op (A)
 * up; the other devices give it the rest, and get this slice.
 *
 * For kernels that are faster at certain sizes, op(A) and op(B) are padded with zeros on their way
 * up; the extra rows and columns of C stay on the device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "arrays/calls.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/types.h"
#include "move/exchange.h"
#include "pass.h"
#include "plan/tiles.h"
#include "plan/work.h"

#include <string.h>

/* Steps are made and run in windows of this many: a product in tiny tiles may have millions. */
enum { WINDOW = 512 };

/* A buffer on the device, holding panel or tile (row, col) of its matrix. */
typedef struct {
  void *memory;
  int64_t row, col;  /* -1: nothing yet */
  int64_t last_step; /* the last step that uses it */
} buffer;

/* A tile of C: a product, which may be mirrored then, or the mirror image of another tile. */
typedef struct {
  gpumm_product product; /* first: a trace takes the task for a product */
  gpumm_mirroring mirror;
} tile;

typedef struct {
  gpumm_pass pass;
  gpumm_owner memory; /* of the host */
  struct gpumm_job *job;
  const gpumm_matrix *result;
  gpumm_buffers sizes;
  void *workspace;
  buffer *a, *b, *c;
  gpumm_step *steps; /* of the current window */
  tile *tiles;
  int64_t count, room, made;
  int mirrors;              /* tiles below the diagonal are images of those above it */
  gpumm_exchange *exchange; /* NULL: none */
  int64_t slices;           /* of a panel of op (A) */
  char *known_a, *known_b;  /* for each panel: has a launch read it? NULL: no keeping */
} schedule;

/* ---- panels ------------------------------------------------------------------------------- */

/* The stored panel of x with the rows and columns of op (x) from (row, col) on, with the kernel's
 * padding. What lies in a buffer is there already. */
static gpumm_panel panel_of (const schedule *s, const gpumm_matrix *x, gpumm_op op, int64_t row,
                             int64_t rows, int64_t col, int64_t cols) {
  const gpumm_plan *plan = &s->job->plan;
  int64_t first_row = op == GPUMM_NONE ? row : col, first_col = op == GPUMM_NONE ? col : row;
  size_t element = gpumm_type_bytes (x->type);
  gpumm_panel p = {.rows = op == GPUMM_NONE ? rows : cols,
                   .cols = op == GPUMM_NONE ? cols : rows,
                   .ld_from = x->ld,
                   .element = element,
                   .form = gpumm_is_single (x->type) ? GPUMM_FLOATS : GPUMM_DOUBLES};
  if (s->job->trace) /* a kernel that widens would be recorded, too */
    p.form = GPUMM_AS_IT_IS;
  p.from = (const char *) x->values + (size_t) (first_row + first_col * x->ld) * element;
  p.pad_rows = gpumm_padded (plan, p.rows, x->type) - p.rows;
  p.pad_cols = gpumm_padded (plan, p.cols, x->type) - p.cols;
  p.ld_to = x->buffer ? x->ld : gpumm_device_ld (p.rows + p.pad_rows, element);
  return p;
}

/* Where panel (row, col) is: where it stays, or the buffer that holds it; else the least recently
 * used buffer, to which this step uploads the panel. */
static const void *bring (schedule *s, gpumm_step *step, buffer *buffers, int64_t count,
                          int64_t row, int64_t col, gpumm_panel p) {
  buffer *oldest = buffers;
  if (count == 0)
    return p.from;
  for (buffer *x = buffers; x < buffers + count; x++) {
    if (x->row == row && x->col == col) {
      x->last_step = s->count;
      return x->memory;
    }
    if (x->last_step < oldest->last_step)
      oldest = x;
  }
  if (oldest->last_step > step->after_launch)
    step->after_launch = oldest->last_step;
  *oldest = (buffer){.memory = oldest->memory, .row = row, .col = col, .last_step = s->count};
  p.to = oldest->memory;
  gpumm_add_upload (step, p);
  return oldest->memory;
}

/* Adds steps that bring panel i of op (A), if it is not there: this device's slice goes up, and
 * then the others' are copied from them. All devices take the panels in the same order, so that
 * none waits for a later one. */
static void bring_slices (schedule *s, int64_t i, gpumm_panel a) {
  buffer *x = &s->a[i];
  if (x->row == i)
    return;
  *x = (buffer){.memory = x->memory, .row = i, .last_step = s->count};
  a.to = x->memory;
  for (int64_t turn = 0; turn < s->slices; turn++) {
    const gpumm_panel slice =
        gpumm_exchange_slice (s->exchange, s->job->member, i * s->slices, s->slices, turn, &a);
    if (slice.cols > 0 || slice.pad_cols > 0)
      s->steps[s->count++] =
          (gpumm_step){.up = {slice}, .ups = 1, .after_launch = -1, .after_download = -1};
  }
}

/* ---- steps -------------------------------------------------------------------------------- */

/* The place of op (B)'s panel inside A's buffer, if A and B are one array. */
static const void *inside (const schedule *s, const gpumm_panel *b, int64_t ld) {
  const gpumm_matrix *x = &s->job->problem.b;
  size_t element = gpumm_type_bytes (x->type);
  size_t offset = (size_t) ((const char *) b->from - (const char *) x->values) / element;
  int64_t row = (int64_t) offset % x->ld, col = (int64_t) offset / x->ld;
  return (const char *) s->a[0].memory + (size_t) (row + col * ld) * element;
}

/* A piece of C is a rectangle of whole tiles of every kernel. Columns are divided first; rows only
 * if pieces would be narrower than NARROW. */
static gpumm_status launch_piece (const gpumm_stream_job *job, const gpumm_product *p,
                                  gpumm_piece piece, gpumm_stream *stream) {
  enum { TILE = 64, NARROW = 256 };
  const gpumm_kernel *kernel = job->kernel;
  if (piece.count == 1)
    return kernel->launch (job->context->device, stream, p);
  int64_t across = gpumm_least (piece.count, p->n / NARROW);
  across = across < 1 ? 1 : across;
  const int64_t down = gpumm_pieces (piece.count, across);
  const int64_t n = gpumm_pieces (gpumm_pieces (p->n, across), TILE) * TILE;
  const int64_t m = gpumm_pieces (gpumm_pieces (p->m, down), TILE) * TILE;
  gpumm_status status = GPUMM_OK;
  for (int64_t c = piece.index; c < across * down && !status; c += piece.count) {
    const int64_t i = c % down * m, j = c / down * n;
    if (i >= p->m || j >= p->n)
      continue;
    const gpumm_product tile = gpumm_product_tile (p, i, m, j, n);
    status = kernel->launch (job->context->device, stream, &tile);
  }
  return status;
}

static gpumm_status launch_product (const gpumm_stream_job *job, gpumm_product p, gpumm_piece piece,
                                    gpumm_stream *stream, char *note) {
  const gpumm_kernel *kernel = job->kernel;
  p.note = note;
  gpumm_status status = launch_piece (job, &p, piece, stream);
  return status ? gpumm_fail (status, "kernel %s failed on %lld x %lld times %lld x %lld: %s",
                              kernel->name, (long long) p.m, (long long) p.k, (long long) p.k,
                              (long long) p.n, job->context->driver->error_text ())
                : GPUMM_OK;
}

static gpumm_status launch_tile (const gpumm_stream_job *job, const void *task, gpumm_piece piece,
                                 gpumm_stream *stream, char *note) {
  const tile *t = task;
  gpumm_status status =
      t->mirror.from ? GPUMM_OK : launch_product (job, t->product, piece, stream, note);
  if (status || t->mirror.symmetry == GPUMM_GENERAL || piece.index + 1 < piece.count)
    return status;
  status = job->context->driver->mirror (job->context->device, stream, &t->mirror);
  return status ? gpumm_fail (status, "mirroring a tile: %s", job->context->driver->error_text ())
                : GPUMM_OK;
}

/* Runs the collected steps. The buffers keep their contents, and nothing waits for them any
 * more. */
static void run_window (schedule *s) {
  const gpumm_plan *plan = &s->job->plan;
  gpumm_stream_job stream = {.steps = s->steps,
                             .count = s->count,
                             .launch = launch_tile,
                             .kernel = plan->kernel,
                             .waits = plan->kernel->waits,
                             .divides = !plan->kernel->workspace && !s->job->trace};
  if (s->count > 0) {
    s->job->writes = 1;
    gpumm_pass_stream (&s->pass, &stream,
                       plan->fits_device && !s->result->buffer ? s->result : NULL, 0);
  }
  s->count = 0;
  for (int64_t i = 0; i < s->sizes.a; i++)
    s->a[i].last_step = -1;
  for (int64_t i = 0; i < s->sizes.b; i++)
    s->b[i].last_step = -1;
  for (int64_t i = 0; i < s->sizes.c; i++)
    s->c[i].last_step = -1;
}

/* Tile (i,j) of C, where it lies in the result. */
static gpumm_panel tile_of_result (const schedule *s, int64_t i, int64_t j) {
  const gpumm_plan *plan = &s->job->plan;
  const int64_t row = i * plan->tile_m, col = j * plan->tile_n;
  return panel_of (s, s->result, GPUMM_NONE, row, gpumm_least (plan->tile_m, s->result->rows - row),
                   col, gpumm_least (plan->tile_n, s->result->cols - col));
}

/* The buffer for tile (i,j), or NULL: the tile lies in the result. The first step of a tile waits
 * until the tile before has gone down. */
static const buffer *take_tile (schedule *s, gpumm_step *step, int64_t i, int64_t j, int is_first) {
  buffer *c = s->sizes.c > 0 ? &s->c[s->made % s->sizes.c] : NULL;
  if (!c)
    return NULL;
  if (is_first && c->last_step >= 0)
    step->after_download = c->last_step;
  c->row = i;
  c->col = j;
  c->last_step = s->count;
  return c;
}

static void bring_down (schedule *s, gpumm_step *step, gpumm_panel c, const buffer *from) {
  if (!from)
    return;
  c.to = from->memory;
  c.form = GPUMM_AS_IT_IS;
  c.pad_rows = c.pad_cols = 0;
  gpumm_add_download (step, gpumm_turned (c));
  s->made++;
}

static gpumm_mirroring mirroring_of (const schedule *s, const gpumm_panel *c, const void *memory) {
  return (gpumm_mirroring){.type = s->job->problem.output,
                           .symmetry = s->job->symmetry,
                           .c = {.rows = c->rows,
                                 .cols = c->cols,
                                 .values = (void *) (uintptr_t) memory,
                                 .ld = c->ld_to},
                           .pages = 1};
}

static void add_step (schedule *s, int64_t i, int64_t j, int64_t l, int64_t k) {
  const gpumm_problem *p = &s->job->problem;
  const gpumm_plan *plan = &s->job->plan;
  if (s->count == s->room)
    run_window (s);
  int64_t row = i * plan->tile_m, col = j * plan->tile_n, from = l * plan->tile_k;
  int64_t m = gpumm_least (plan->tile_m, s->result->rows - row);
  int64_t n = gpumm_least (plan->tile_n, s->result->cols - col),
          depth = gpumm_least (plan->tile_k, k - from);
  gpumm_panel a = panel_of (s, &p->a, p->a.op, row, m, from, depth);
  gpumm_panel b = panel_of (s, &p->b, p->b.op, from, depth, col, n);
  if (s->exchange)
    bring_slices (s, i, a);
  gpumm_step *step = &s->steps[s->count];
  *step = (gpumm_step){.after_launch = -1, .after_download = -1};
  const gpumm_panel c = tile_of_result (s, i, j);
  tile *task = &s->tiles[s->count];
  gpumm_product *product = &task->product;
  step->task = task;
  *task = (tile){.product = gpumm_product_of (p)};
  product->a = product->b = NULL; /* on the device there may be none */
  product->m = gpumm_padded (plan, m, p->output);
  product->n = gpumm_padded (plan, n, p->output);
  product->k = gpumm_padded (plan, depth, p->output);
  product->lda = a.ld_to;
  product->ldb = b.ld_to;
  product->ldc = c.ld_to;
  if (s->job->trace)
    memcpy (s->job->trace->ld, (int64_t[]){a.ld_to, b.ld_to, c.ld_to}, sizeof s->job->trace->ld);
  if (l > 0)
    product->beta = (gpumm_scalar){1, 0};
  product->workspace = s->workspace;
  product->workspace_bytes = (size_t) plan->workspace_bytes;
  product->tiling = gpumm_plan_tiling (p, plan);
  product->gain = plan->gain;
  if (plan->keeps) {
    product->tiling.row = i;
    product->tiling.col = j;
    product->tiling.known_a = s->known_a[i];
    product->tiling.known_b = s->known_b[j];
    s->known_a[i] = s->known_b[j] = 1;
  }
  if (plan->rate > 0)
    step->seconds = gpumm_full_flops (p) / plan->rate * ((double) m / (double) s->result->rows)
                    * ((double) n / (double) s->result->cols) * ((double) depth / (double) k);
  if (depth > 0) {
    product->a = bring (s, step, s->a, s->sizes.a, i, l, a);
    if (s->sizes.b > 0 || p->b.buffer)
      product->b = bring (s, step, s->b, s->sizes.b, l, j, b);
    else if (gpumm_is_gram (p))
      product->b = bring (s, step, s->a, s->sizes.a, j, l, b);
    else { /* A*A */
      product->b = inside (s, &b, a.ld_to);
      product->ldb = a.ld_to;
    }
  }
  const buffer *there = take_tile (s, step, i, j, l == 0);
  product->c = there ? there->memory : (void *) (uintptr_t) c.from;
  if (l == 0 && p->c0 && !p->c0->buffer) {
    gpumm_panel c0 = panel_of (s, p->c0, GPUMM_NONE, row, m, col, n);
    c0.pad_rows = c0.pad_cols = 0; /* padding is never downloaded */
    c0.to = product->c;
    c0.ld_to = c.ld_to;
    gpumm_add_upload (step, c0);
  }
  if (s->mirrors && i == j)
    task->mirror = mirroring_of (s, &c, product->c);
  if (from + depth == k)
    bring_down (s, step, c, there);
  s->count++;
}

/* Tile (i,j) below the diagonal, as the mirror image of tile (j,i). */
static void add_image (schedule *s, int64_t i, int64_t j) {
  gpumm_step *step = &s->steps[s->count];
  *step = (gpumm_step){.after_launch = -1, .after_download = -1};
  const gpumm_panel c = tile_of_result (s, i, j), above = tile_of_result (s, j, i);
  const buffer *there = take_tile (s, step, i, j, 1);
  tile *task = &s->tiles[s->count];
  *task = (tile){.mirror = mirroring_of (s, &c, there ? there->memory : c.from)};
  task->mirror.from = above.from;
  task->mirror.ld_from = above.ld_to;
  for (int64_t x = 0; there && x < s->sizes.c; x++)
    if (s->c[x].row == j && s->c[x].col == i)
      task->mirror.from = s->c[x].memory;
  step->task = task;
  bring_down (s, step, c, there);
  s->count++;
}

/* Is the tile below the diagonal of a C that is mirrored? */
static int is_below (const schedule *s, int64_t i, int64_t j) {
  const gpumm_plan *plan = &s->job->plan;
  return s->job->symmetry != GPUMM_GENERAL && i * plan->tile_m >= (j + 1) * plan->tile_n;
}

/* Takes the tiles whose larger index is d, then d + 1, ... The images of tiles come after them. */
static void add_shells (schedule *s, int64_t down, int64_t across, int64_t k) {
  for (int64_t d = 0; d < down || d < across; d++) {
    for (int64_t j = 0; d < down && j < gpumm_least (d, across); j++)
      if (!is_below (s, d, j))
        add_step (s, d, j, 0, k);
    for (int64_t i = 0; d < across && i < gpumm_least (d + 1, down); i++)
      add_step (s, i, d, 0, k);
    for (int64_t j = 0; s->mirrors && j < d; j++)
      add_image (s, d, j);
  }
}

static void add_tiles (schedule *s, int64_t down, int64_t across, int64_t deep, int64_t k) {
  for (int64_t j = 0; j < across && !s->pass.status; j++)
    for (int64_t i = 0; i < down && !is_below (s, i, j) && !s->pass.status; i++)
      for (int64_t l = 0; l < deep && !s->pass.status; l++)
        add_step (s, i, j, l, k);
}

/* ---- memory ------------------------------------------------------------------------------- */

static buffer *take_buffers (schedule *s, int64_t count, size_t bytes) {
  buffer *buffers = gpumm_own (&s->memory, count, sizeof *buffers);
  char *memory = buffers && count > 0 ? gpumm_pass_take (&s->pass, count, bytes) : NULL;
  if (!buffers)
    s->pass.status = GPUMM_HOST_MEMORY;
  for (int64_t i = 0; i < count && memory; i++)
    buffers[i] =
        (buffer){.memory = memory + (size_t) i * bytes, .row = -1, .col = -1, .last_step = -1};
  return buffers;
}

static void take_memory (schedule *s, int64_t down, int64_t across) {
  const gpumm_plan *plan = &s->job->plan;
  s->sizes = gpumm_plan_buffers (&s->job->problem, plan);
  if (s->job->trace) /* A and B are counted apart, also if they are one array */
    s->sizes.b = 1;
  s->a = take_buffers (s, s->sizes.a, s->sizes.a_bytes);
  s->b = take_buffers (s, s->sizes.b, s->sizes.b_bytes);
  s->c = take_buffers (s, s->sizes.c, s->sizes.c_bytes);
  if (plan->workspace_bytes > 0)
    s->workspace = gpumm_pass_take (&s->pass, plan->workspace_bytes, 1);
  s->room = plan->fits_device ? down * (across + s->slices) : WINDOW;
  s->steps = gpumm_own (&s->memory, s->room, sizeof *s->steps);
  s->tiles = gpumm_own (&s->memory, s->room, sizeof *s->tiles);
  s->known_a = gpumm_own (&s->memory, plan->keeps ? down + across : 0, sizeof *s->known_a);
  s->known_b = s->known_a ? s->known_a + down : NULL;
  if (!s->steps || !s->tiles || !s->known_a)
    s->pass.status = GPUMM_HOST_MEMORY;
  if (s->job->trace && !s->pass.status) {
    void *const traced[] = {s->a->memory, s->b->memory, s->c->memory, s->workspace};
    memcpy (s->pass.traced, traced, sizeof traced);
  }
}

/* ---- queued products ---------------------------------------------------------------------- */

/* Can one launch compute all, of a kernel that does not wait, while nothing moves? */
static int can_queue (const struct gpumm_job *job, const gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const gpumm_plan *plan = &job->plan;
  return p->queues && !gpumm_is_zero (p->alpha) && p->a.buffer && p->b.buffer && result->buffer
         && (!p->c0 || p->c0->buffer) && plan->fits_device && !plan->kernel->waits
         && plan->tile_m >= result->rows && plan->tile_n >= result->cols;
}

static gpumm_status queue_product (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_plan *plan = &job->plan;
  gpumm_product product = gpumm_product_of (&job->problem);
  product.c = result->values;
  product.ldc = result->ld;
  product.tiling = gpumm_plan_tiling (&job->problem, plan);
  product.gain = plan->gain;
  product.symmetry = job->symmetry;
  product.workspace_bytes = (size_t) plan->workspace_bytes;
  gpumm_array_call call = {.name = plan->kernel->name, .context = plan->context};
  gpumm_status status = gpumm_array_begin (&call, product.workspace_bytes);
  if (status)
    return status;
  product.workspace = call.workspace;
  job->writes = 1;
  status = plan->kernel->launch (plan->context->device, call.stream, &product);
  return gpumm_array_end (&call, status);
}

/* ---- run ---------------------------------------------------------------------------------- */

/* Plans a traced product as one launch, exactly as the kernel's source says. */
static void plan_whole (const gpumm_problem *p, gpumm_plan *plan) {
  const gpumm_product whole = gpumm_product_of (p);
  plan->fits_device = 1;
  plan->tile_m = whole.m;
  plan->tile_n = whole.n;
  plan->tile_k = whole.k;
  plan->pads = plan->keeps = 0;
  plan->gain = 0;
  plan->workspace_bytes =
      plan->kernel->workspace ? (int64_t) plan->kernel->workspace (&whole, &plan->properties) : 0;
}

static gpumm_status run_full (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const gpumm_plan *plan = &job->plan;
  schedule s = {.job = job, .result = result};
  job->report.flops = gpumm_full_flops (p);
  if (result->rows == 0 || result->cols == 0)
    return GPUMM_OK;
  if (job->trace)
    plan_whole (p, &job->plan);
  if (can_queue (job, result))
    return queue_product (job, result);
  /* alpha = 0: A and B are not read, so they do not go up */
  int64_t k = gpumm_is_zero (p->alpha) ? 0 : gpumm_k (p);
  int64_t down = gpumm_pieces (result->rows, plan->tile_m),
          across = gpumm_pieces (result->cols, plan->tile_n);
  int64_t deep = k > 0 ? gpumm_pieces (k, plan->tile_k) : 1;
  if (plan->fits_device && k > 0 && job->exchange) {
    s.slices = gpumm_plan_slices (p, plan, gpumm_exchange_members (job->exchange));
    if (gpumm_exchange_joins (job->exchange, job->member, down * s.slices))
      s.exchange = job->exchange;
  }
  gpumm_pass_open (&s.pass, job, "product of full matrices");
  take_memory (&s, down, across);
  job->is_mirrored = s.mirrors =
      job->symmetry != GPUMM_GENERAL && plan->fits_device && plan->tile_m == plan->tile_n;
  if (!s.pass.status) {
    /* of C's tiles, those that are not below the diagonal */
    const double upper =
        job->symmetry == GPUMM_GENERAL ? 1 : (1 + 1 / (double) gpumm_least (down, across)) / 2;
    if (plan->rate > 0)
      gpumm_progress_of (upper * job->report.flops / plan->rate); /* in seconds, as the steps are */
    else
      gpumm_progress_of_launches (upper
                                  * (double) (down * across * (plan->fits_device ? 1 : deep)));
    if (plan->fits_device)
      add_shells (&s, down, across, k);
    else
      add_tiles (&s, down, across, deep, k);
    run_window (&s);
  }
  gpumm_exchange_leave (s.exchange, job->member, plan->context);
  gpumm_pass_close (&s.pass);
  gpumm_release_owned (&s.memory);
  return s.pass.status;
}

/* ---- the rows of the table ----------------------------------------------------------------- */

#define ALGORITHM(name)
#define KERNELS(family, text)                                                                      \
  const gpumm_algorithm gpumm_algorithm_##family = {.name = #family,                               \
                                                    .summary = text,                               \
                                                    .on_device = 1,                                \
                                                    .takes = gpumm_is_full_float,                  \
                                                    .run = run_full};
#include "list.h"
