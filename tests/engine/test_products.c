/* test_products.c - the table of products.h, row by row.
 *
 *   test_products [RUNNER [SEED]]
 *
 * right (or nothing): every product of the table. The others take one product for each three types
 * of a row:
 *   memory      each allocation of the engine fails in turn
 *   faults      each call of the host device fails in turn
 *   cancelled   it is stopped before it begins, and at each word about its progress
 *   devices     full matrices on any of four host devices, and spread over several
 *   gpu         rows that run on a device, on a GPU in place of the host device
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "faults.h"
#include "host_device.h"
#include "products.h"
#include "base/progress.h"

#include <inttypes.h>

typedef struct {
  const row *row;
  int number; /* of its row, types and ops */
  gpumm_problem p;
  gpumm_matrix c0;
  values values;
  void *memory[2]; /* of B where it has memory of its own, and of both where they share one */
  const char *algorithm;
} cell;

static int64_t made;                      /* products that were checked */
static gpumm_backend backend = GPUMM_CPU; /* whose device runs them */

/* ---- sizes and scalars -------------------------------------------------------------------- */

/* Up to `most`; half of the sizes lie at the edges of tiles. */
static int64_t draw_size (int64_t most) {
  static const int64_t edges[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130};
  const int64_t at_edge = edges[check_between (0, sizeof edges / sizeof *edges - 1)];
  return at_edge <= most && check_between (0, 1) ? at_edge : check_between (0, most);
}

static void draw_shape (const row *r, int number, shape *s) {
  *s = r->shapes[number % r->shape_count];
  int64_t *const sizes[] = {&s->m, &s->n, &s->k}, *const blocks[] = {&s->block_m, &s->block_n,
                                                                     &s->block_k};
  for (int i = 0; i < 3; i++) {
    if (*sizes[i] < 0)
      *sizes[i] = draw_size (-*sizes[i]);
    if (*blocks[i] <= 0)
      *blocks[i] = *blocks[i] < 0 ? check_between (1, -*blocks[i]) : 1;
    *sizes[i] *= *blocks[i];
  }
  static const int percents[] = {0, 1, 5, 20, 50, 100};
  int *const stored[] = {&s->percent_a, &s->percent_b};
  for (int i = 0; i < 2; i++)
    if (*stored[i] == 0)
      *stored[i] =
          check_between (0, 1) ? percents[check_between (0, 5)] : (int) check_between (0, 100);
}

static values values_of (const row *r, int number) {
  static const char letters[] = "awsechdp";
  static const values all[] = {ANY, WHOLE, SPECIAL, ENDS, ALTERNATING, HALF_RANGE, DIGITS, POWERS};
  const int shape = number % r->shape_count, round = number / r->shape_count;
  const char letter = r->values[(size_t) (shape + round) % strlen (r->values)];
  return all[strchr (letters, letter) - letters];
}

static gpumm_scalar draw_scalar (values v, gpumm_type type) {
  static const double whole[] = {0, 1, 1, -1, 2, -3}, any[] = {0, 1, 1, 0.75, -1.5, -2.5};
  const double re = (v == WHOLE ? whole : any)[check_between (0, 5)];
  return (gpumm_scalar){re, is_complex (type) && check_between (0, 2) == 0 ? 2 : 0};
}

static gpumm_type output_of (char letter, gpumm_type a) {
  static const char outputs[] = "ijklpqrusd";
  return letter != '*' && letter != '+' ? type_of (letter)
         : check_between (0, 1)         ? a
                                : type_of (outputs[check_between (0, letter == '*' ? 9 : 7)]);
}

/* ---- operands that share memory ----------------------------------------------------------- */

/* How B lies beside A. From COPY on it has memory of its own, with A's elements, their conjugates,
 * or the transpose of either. */
enum {
  ONE,
  OTHER_SIZES,
  OTHER_LD,
  OVERLAPPING,
  COPY,
  CONJUGATE,
  TRANSPOSED,
  CONJUGATE_TRANSPOSED,
  RELATIONS
};

/* Full operands in one memory. 0: with these ops no such B fits A. */
static int relate_full (cell *x, int relation, gpumm_type type, gpumm_op op_a, gpumm_op op_b) {
  enum { ROOM = 80 * 140 };
  gpumm_matrix *a = &x->p.a, *b = &x->p.b;
  const size_t bytes = gpumm_type_bytes (type);
  x->memory[1] = check_allocate (ROOM, bytes);
  for (int64_t e = 0; e < ROOM; e++)
    draw (type, x->memory[1], e, WHOLE);
  const int64_t rows = draw_size (65), cols = check_between (0, 1) ? rows : draw_size (65);
  *a = (gpumm_matrix){.type = type, .op = op_a, .rows = rows, .cols = cols};
  a->ld = rows + check_between (0, 3);
  a->values = x->memory[1];
  *b = *a;
  const int64_t k = op_a == GPUMM_NONE ? cols : rows, m = op_a == GPUMM_NONE ? rows : cols;
  if (relation >= COPY) {
    *b = copied (a, relation >= TRANSPOSED,
                 relation == CONJUGATE || relation == CONJUGATE_TRANSPOSED);
    x->memory[0] = b->values;
  } else if (relation != ONE) {
    const int64_t n = check_between (0, 2) ? draw_size (65) : m; /* of op (B); or C is square */
    b->rows = op_b == GPUMM_NONE ? k : n;
    b->cols = op_b == GPUMM_NONE ? n : k;
    if (relation == OTHER_LD)
      b->ld = b->rows + check_between (0, 3);
    if (relation == OVERLAPPING)
      b->values = (char *) a->values + bytes * (size_t) check_between (1, 9);
  }
  b->op = op_b;
  /* C0 may lie there, too */
  const int64_t n = op_b == GPUMM_NONE ? b->cols : b->rows;
  x->c0 = (gpumm_matrix){.type = type, .rows = m, .cols = n, .ld = m + 1, .values = x->memory[1]};
  if (!is_integer (type) && check_between (0, 3) == 0 && x->c0.ld * n <= ROOM) {
    x->p.beta = draw_scalar (WHOLE, type);
    x->p.c0 = &x->c0;
  }
  x->p.alpha = is_integer (type) ? (gpumm_scalar){1, 0} : draw_scalar (WHOLE, type);
  return (op_b == GPUMM_NONE ? b->rows : b->cols) == k && b->ld >= b->rows
         && b->ld * b->cols + 9 <= ROOM;
}

/* Compressed operands of one set of arrays, of which one may have fewer lines; or the arrays hold
 * blocks of 4 x 8 of A and blocks of 8 x 4 of B. 0: with these ops they have no product. */
static int relate_compressed (cell *x, gpumm_format format, int relation, gpumm_type type,
                              gpumm_op op_a, gpumm_op op_b) {
  const int64_t block = format == GPUMM_BLOCKS ? 4 : 1, less = 4 * block;
  const int recuts = format == GPUMM_BLOCKS && relation % 4 == 2;
  gpumm_matrix *a = &x->p.a, *b = &x->p.b;
  *a = make_in_blocks (format, type, recuts ? 26 : 13, 13, block, recuts ? 2 * block : block, 33,
                       WHOLE);
  *b = *a;
  a->op = op_a;
  b->op = op_b;
  if (recuts) {
    b->block_rows = a->block_cols;
    b->block_cols = a->block_rows;
  }
  gpumm_matrix *shorter = relation % 2 == 0 ? NULL : relation % 4 == 1 ? a : b;
  if (shorter)
    *(format == GPUMM_SPARSE ? &shorter->cols : &shorter->rows) = less;
  const int64_t block_a = op_a == GPUMM_NONE ? a->block_cols : a->block_rows,
                block_b = op_b == GPUMM_NONE ? b->block_rows : b->block_cols;
  return block_a == block_b
         && (op_a == GPUMM_NONE ? a->cols : a->rows) == (op_b == GPUMM_NONE ? b->rows : b->cols);
}

/* ---- one product -------------------------------------------------------------------------- */

static gpumm_format format_of (char letter) {
  return letter == 'f' ? GPUMM_FULL : letter == 's' ? GPUMM_SPARSE : GPUMM_BLOCKS;
}

/* 0: there is no such cell. */
static int make_cell (cell *x, const row *r, const char *types, gpumm_op op_a, gpumm_op op_b,
                      int number) {
  const gpumm_type type_a = type_of (types[0]), type_b = type_of (types[1]);
  const gpumm_format format_a = format_of (r->formats[0]), format_b = format_of (r->formats[1]);
  *x = (cell){
      .row = r, .number = number, .algorithm = r->algorithm, .values = values_of (r, number)};
  x->p = (gpumm_problem){.alpha = {1, 0}, .output = output_of (types[2], type_a)};
  x->p.full = strcmp (r->formats, "bbf") == 0;
  if (r->relates)
    return format_a == GPUMM_FULL ? relate_full (x, number % RELATIONS, type_a, op_a, op_b)
                                  : relate_compressed (x, format_a, number, type_a, op_a, op_b);
  shape s;
  draw_shape (r, number, &s);
  if (x->values != SPECIAL && r->scalars & ALPHA)
    x->p.alpha = draw_scalar (x->values, x->p.output);
  if (x->values != SPECIAL && r->scalars & BETA)
    x->p.beta = draw_scalar (x->values, x->p.output);
  const values read = is_zero (x->p.alpha) ? UNREAD : x->values;
  x->p.a =
      make (&(operand){format_a, type_a, op_a, s.m, s.k, s.block_m, s.block_k, s.percent_a, read});
  x->p.b =
      make (&(operand){format_b, type_b, op_b, s.k, s.n, s.block_k, s.block_n, s.percent_b, read});
  if (r->scalars & BETA && (!is_zero (x->p.beta) || check_between (0, 1))) {
    x->c0 = make_full (x->p.output, s.m, s.n, is_zero (x->p.beta) ? UNREAD : WHOLE);
    x->p.c0 = &x->c0;
  }
  return 1;
}

static void release_cell (cell *x) {
  if (x->row->relates) { /* C0 has no memory of its own */
    if (x->p.a.format != GPUMM_FULL)
      release (&x->p.a);
    free (x->memory[0]);
    free (x->memory[1]);
    return;
  }
  release (&x->p.a);
  release (&x->p.b);
  release (&x->c0);
}

static gpumm_options options_of (const cell *x) {
  return (gpumm_options){.backend = backend,
                         .algorithm = x->algorithm,
                         .device = -1,
                         .max_device_memory = x->row->memory};
}

static const char *text_of (const cell *x) {
  static char text[300];
  const gpumm_matrix *a = &x->p.a, *b = &x->p.b;
  snprintf (text, sizeof text,
            "row %d, %s %s, cell %d: %s by %s to %s, ops %d %d, %" PRId64 "x%" PRId64 " by %" PRId64
            "x%" PRId64 ", alpha %g + %gi, beta %g + %gi",
            (int) (x->row - products), x->algorithm ? x->algorithm : "auto", x->row->formats,
            x->number, gpumm_type_name (a->type), gpumm_type_name (b->type),
            gpumm_type_name (x->p.output), a->op, b->op, a->rows, a->cols, b->rows, b->cols,
            x->p.alpha.re, x->p.alpha.im, x->p.beta.re, x->p.beta.im);
  return text;
}

/* What a product of matrices in blocks says of its pairs of blocks. One operand twice goes up once,
 * with the offsets of C. */
static void check_pairs (const cell *x, const gpumm_matrix *c, const gpumm_report *r,
                         double terms) {
  const gpumm_matrix *a = &x->p.a, *b = &x->p.b;
  const int turned = a->op != GPUMM_NONE;
  const int64_t block_k = turned ? a->block_rows : a->block_cols;
  const int64_t blocks_k = turned ? lines_of (a) : a->cols / a->block_cols;
  const int64_t entries_c = lines_of (c) * (c->cols / c->block_cols);
  const double pairs = terms / (double) (entry_elements (c) * block_k);
  char text[100];
  snprintf (text, sizeof text, "; %.0f products of blocks, %.3g %% of", pairs,
            100 * pairs / (double) (entries_c * blocks_k));
  CHECK (strstr (r->reason, text), "%s: %s, not %s", text_of (x), r->reason, text);
  /* kernels of a GPU may compute the offsets of C there */
  if (backend == GPUMM_GPU || r->bytes_up == 0 || a->values != b->values || a->rows != b->rows
      || a->cols != b->cols || a->block_rows != b->block_rows)
    return;
  const int64_t bytes = entry_elements (a) * (int64_t) gpumm_type_bytes (a->type) + 4;
  CHECK (r->bytes_up == entries_of (a) * bytes + 8 * (lines_of (a) + 1 + lines_of (c) + 1),
         "%s: %" PRId64 " bytes up", text_of (x), r->bytes_up);
}

/* What the report says. */
static void check_report (const cell *x, const gpumm_matrix *c, const gpumm_report *r,
                          double terms) {
  const char *kernel = x->row->kernel;
  const double each = 2.0 * (1 + is_complex (x->p.a.type)) * (1 + is_complex (x->p.b.type));
  if (is_zero (x->p.alpha) || c->rows == 0 || c->cols == 0 || terms == 0)
    return;
  /* what runs: a real by a complex full matrix may be made complex, tiles of integers are whole */
  const int is_mixed = is_complex (x->p.a.type) != is_complex (x->p.b.type);
  if (!(is_mixed && strcmp (x->row->formats, "fff") == 0)
      && !(is_integer (x->p.a.type) && x->p.a.format != x->p.b.format))
    CHECK (r->flops == each * terms, "%s: %g operations, not %g", text_of (x), r->flops,
           each * terms);
  CHECK (r->backend == backend && r->device == (backend == GPUMM_GPU ? 0 : -1) && r->reason[0],
         "%s: the report", text_of (x));
  if (kernel) /* of the host device: a GPU may have a faster one */
    CHECK (strncmp (r->algorithm, x->algorithm, strlen (r->algorithm)) == 0
               && (backend == GPUMM_GPU || strncmp (r->kernel, kernel, strlen (kernel)) == 0),
           "%s: ran %s, %s", text_of (x), r->algorithm, r->kernel);
  if (strcmp (x->row->formats, "bbb") == 0)
    check_pairs (x, c, r, terms);
}

static void check_cell (const cell *x) {
  gpumm_matrix c;
  gpumm_report report;
  const row *r = x->row;
  const gpumm_options o = options_of (x);
  if (r->memory > 0)
    gpumm_reset ();
  const gpumm_status status = multiply (&x->p, &o, check_between (0, 2), &c, &report);
  CHECK (!status, "%s: %s", text_of (x), gpumm_last_error ());
  if (status)
    return;
  const int is_special = x->values == SPECIAL;
  const bound within = is_special || r->within == ORDERED ? r->within
                       : x->values == WHOLE               ? EXACT
                                                          : ROUNDED;
  const verdict v = judge (&x->p, &c, within, is_special);
  const int64_t m = x->p.a.op == GPUMM_NONE ? x->p.a.rows : x->p.a.cols,
                n = x->p.b.op == GPUMM_NONE ? x->p.b.cols : x->p.b.rows;
  CHECK (c.format == format_of (r->formats[2]) && c.type == x->p.output && c.rows == m
             && c.cols == n,
         "%s: of another shape", text_of (x));
  CHECK (v.wrong == 0, "%s: %" PRId64 " wrong, by %s", text_of (x), v.wrong, report.kernel);
  if (c.format != GPUMM_FULL)
    CHECK (c.nzmax == v.most || (r->kernel == NULL && c.nzmax >= v.most),
           "%s: nzmax %" PRId64 ", not %" PRId64, text_of (x), c.nzmax, v.most);
  check_report (x, &c, &report, v.products);
  release (&c);
  made++;
}

/* ---- runners ------------------------------------------------------------------------------ */

/* Does this algorithm take the operands on any machine? */
static int takes (const char *algorithm, gpumm_type type) {
  double element[2] = {0};
  const gpumm_matrix x = {.type = type, .rows = 1, .cols = 1, .ld = 1, .values = element};
  const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = type};
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = algorithm, .device = -1};
  gpumm_job *job;
  const gpumm_status status = gpumm_open (&p, &o, &job);
  gpumm_close (job);
  return status == GPUMM_OK;
}

static void run_cell (const row *r, const char *algorithm, const char *types, int ops, int number) {
  cell x;
  if (make_cell (&x, r, types, (gpumm_op) (ops / 3), (gpumm_op) (ops % 3), number)) {
    x.algorithm = algorithm;
    check_cell (&x);
  }
  release_cell (&x);
}

/* All ops and cells of these three types. */
static void run_types (const row *r, const char *algorithm, const char *types) {
  for (int ops = 0; ops < (r->ops == ALL_OPS ? 9 : 1); ops++)
    for (int number = 0; number < r->cells; number += SANITIZED_STEP)
      run_cell (r, algorithm, types, r->ops == DRAWN_OPS ? (int) check_between (0, 8) : ops,
                number);
}

static void run_row (const row *r) {
  const int64_t before = made;
  for (const char *types = r->types; strlen (types) >= 3; types += types[3] ? 4 : 3) {
    gpumm_algorithm_info info;
    if (!r->algorithm || r->algorithm[0] != '*') {
      run_types (r, r->algorithm, types);
      continue;
    }
    for (int i = 0; !gpumm_algorithm_at (i, &info); i++)
      if (takes (info.name, type_of (types[0])))
        run_types (r, info.name, types);
  }
  printf ("row %d, %s %s: %" PRId64 " products\n", (int) (r - products),
          r->algorithm ? r->algorithm : "auto", r->formats, made - before);
  CHECK (made > before, "row %d is empty", (int) (r - products));
}

/* ---- one product of a row ----------------------------------------------------------------- */

typedef struct {
  cell x;
  gpumm_options options;
  gpumm_matrix right;
  int is_last; /* of the types of the row */
} trial;

typedef void runner (trial *t);

static gpumm_status try_again (void *context) {
  const trial *t = context;
  gpumm_matrix c;
  const gpumm_status status = multiply (&t->x.p, &t->options, 0, &c, NULL);
  if (!status) {
    CHECK (is_same (&c, &t->right), "%s: another result", text_of (&t->x));
    release (&c);
  }
  return status;
}

static int is_on_device (const char *algorithm) {
  gpumm_algorithm_info info;
  for (int i = 0; algorithm && !gpumm_algorithm_at (i, &info); i++)
    if (strncmp (info.name, algorithm, strlen (info.name)) == 0 && info.on_device)
      return 1;
  return 0;
}

static void fail_memory (trial *t) {
  made += fail_in_turn (&(faults){.name = text_of (&t->x),
                                  .inject = gpumm_fault_memory,
                                  .run = try_again,
                                  .context = t,
                                  .least = 1});
}

/* Each call takes some milliseconds, so only of the last types of a row; cancelled ones, too. */
static void fail_device (trial *t) {
  if (is_on_device (t->x.algorithm) && t->is_last)
    made += fail_in_turn (&(faults){.name = text_of (&t->x),
                                    .inject = gpumm_fault_device,
                                    .run = try_again,
                                    .context = t,
                                    .least = 12});
}

static int words, last_word; /* about progress; the one at which the product is stopped */

static void stop_at_word (double part, double left) {
  (void) left;
  if (part >= 0 && ++words == last_word)
    gpumm_cancel ();
}

static void cancel (trial *t) {
  enum { MOST_WORDS = 6 };
  static volatile sig_atomic_t flag;
  if (!t->is_last)
    return;
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  gpumm_watch (&flag);
  flag = 1;
  CHECK (try_again (t) == GPUMM_CANCELLED && strstr (gpumm_last_error (), "cancelled"),
         "%s: it ran", text_of (&t->x));
  flag = 0;
  gpumm_watch (NULL);
  gpumm_tell (stop_at_word);
  gpumm_progress_set_delay (1e-9);
  for (last_word = 1; last_word <= MOST_WORDS; last_word++) {
    words = 0;
    const gpumm_status status = try_again (t);
    CHECK (!status || (status == GPUMM_CANCELLED && words >= last_word), "%s, word %d: %s",
           text_of (&t->x), last_word, gpumm_last_error ());
    made++;
  }
  gpumm_tell (NULL);
  gpumm_progress_set_delay (GPUMM_TELL_AFTER);
  CHECK (!try_again (t), "%s, after it was stopped: %s", text_of (&t->x), gpumm_last_error ());
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "%s: %" PRId64 " allocations are left", text_of (&t->x),
         gpumm_live_allocations () - live);
}

/* A product of full matrices is the same on any choice of devices, all of which take part. */
static void spread (trial *t) {
  if (t->x.p.a.format != GPUMM_FULL || t->x.p.b.format != GPUMM_FULL
      || !is_on_device (t->x.algorithm))
    return;
  for (uint64_t devices = 2; devices < 16; devices += 1 + SANITIZED_STEP / 2) {
    gpumm_report report = {0};
    gpumm_matrix c;
    const int count = __builtin_popcountll (devices);
    t->options.devices = devices;
    CHECK (!multiply (&t->x.p, &t->options, 3, &c, &report) && is_same (&c, &t->right),
           "%s on devices %" PRIx64 ": %s", text_of (&t->x), devices, gpumm_last_error ());
    CHECK (report.device_count == (count > 1 ? count : 0), "%s on devices %" PRIx64 ": %d",
           text_of (&t->x), devices, report.device_count);
    release (&c);
    made++;
  }
}

/* In small sizes and whole numbers, for each three types of the row. */
static void run_one (const row *r, const char *algorithm, runner *run) {
  row small = *r;
  shape s = {40, 45, 50, 0, 0, 0, 60, 60};
  if (r->shapes->block_m != 0) {
    s = (shape){6, 70, 5, 3, 3, 3, 60, 60};
    if (strcmp (r->formats, "bff") == 0)
      s.block_n = 1;
    if (strcmp (r->formats, "fbf") == 0)
      s.block_m = 1;
    if (strcmp (algorithm ? algorithm : "", "classic") == 0)
      s.block_m = s.block_n = s.block_k = 4;
  }
  small.shapes = &s;
  small.shape_count = 1;
  small.values = "w";
  small.scalars = small.relates = 0;
  /* transposes take memory of their own; what is spread is cut where it lies */
  const int turns = r->ops != NO_OPS && run != spread;
  for (const char *types = r->types; strlen (types) >= 3; types += types[3] ? 4 : 3) {
    trial t;
    make_cell (&t.x, &small, types, turns ? GPUMM_TRANSPOSE : GPUMM_NONE,
               turns ? GPUMM_CTRANSPOSE : GPUMM_NONE, 0);
    t.x.algorithm = algorithm;
    t.options = options_of (&t.x);
    t.is_last = strlen (types) < 7;
    if (algorithm && r->algorithm[0] == '*' && !takes (algorithm, t.x.p.a.type)) {
      release_cell (&t.x);
      continue;
    }
    const gpumm_status status = multiply (&t.x.p, &t.options, 0, &t.right, NULL);
    t.x.row = r; /* for its number */
    CHECK (!status && judge (&t.x.p, &t.right, EXACT, 0).wrong == 0, "%s: %s", text_of (&t.x),
           status ? gpumm_last_error () : "wrong");
    if (!status) {
      run (&t);
      release (&t.right);
    }
    t.x.row = &small;
    release_cell (&t.x);
  }
}

static void run_ones (const row *r, runner *run) {
  gpumm_algorithm_info info;
  if (!r->algorithm || r->algorithm[0] != '*')
    run_one (r, r->algorithm, run);
  else
    for (int i = 0; !gpumm_algorithm_at (i, &info); i++)
      run_one (r, info.name, run);
}

/* Rows of large products are left to "right", and so are rows after the first of an algorithm's
 * operands, unless these have natural blocks. */
static int is_for_ones (const row *r) {
  for (const row *s = products; s < r; s++)
    if (s->algorithm && r->algorithm && strcmp (s->algorithm, r->algorithm) == 0
        && strcmp (s->formats, r->formats) == 0 && !s->shapes->block_m == !r->shapes->block_m)
      return 0;
  return (!r->relates || r->shapes == drawn_shapes) && r->cells > 4 && r->shapes->m < 300;
}

int main (int argc, char **argv) {
  static const struct {
    const char *name;
    runner *run;
  } runners[] = {
      {"memory", fail_memory}, {"faults", fail_device}, {"cancelled", cancel}, {"devices", spread}};
  const char *name = argc > 1 ? argv[1] : "right";
  runner *run = NULL;
  check_seed (argc > 2 ? strtoull (argv[2], NULL, 0) : 20261128);
  for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
    if (strcmp (name, runners[i].name) == 0)
      run = runners[i].run;
  if (run == spread)
    setenv ("GPUMM_HOST_DEVICES", "4", 1);
  if (strcmp (name, "gpu") == 0)
    backend = GPUMM_GPU;
  need_host_device ();
  for (const row *r = products; r < products + PRODUCTS; r++) {
    if (run && is_for_ones (r))
      run_ones (r, run);
    if (!run && (backend == GPUMM_CPU || is_on_device (r->algorithm)))
      run_row (r);
  }
  printf ("%" PRId64 " products\n", made);
  return released_and_done ();
}
