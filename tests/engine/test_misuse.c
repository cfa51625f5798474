/* test_misuse.c - calls of gpumm.h, gpumm_arrays.h and gpumm_blas.h with arguments that do not fit:
 * each of them says so before anything is read or written. Each row is a right call with one
 * change, and the status and text that it gives. test_arrays.c and test_job.c have more rows of
 * the entries that they test.
 *
 *   test_misuse [gpu]   arrays on the host device, or on GPU 0
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_blas.h"
#include "base/overlap.h"
#include "gpumm_folds.h"
#include "resident.h"
#include "routine_arguments.h"

#include <limits.h>
#include <math.h>

/* ---- sparse matrices on a device ------------------------------------------------------------- */

enum { ROWS = 6, COLS = 5, WORDS = 2 };

/* Right work for each operation, of matrices of ROWS x COLS. */
static gpumm_sparse_work right[GPUMM_SPARSE_OPS];

static gpumm_view typed (gpumm_type type, int64_t count) {
  gpumm_view x = take (type, count);
  x.stride[0] = 1;
  return x;
}

static gpumm_matrix send_random (int64_t rows, int64_t cols, int percent) {
  gpumm_matrix here = make_in_blocks (GPUMM_SPARSE, GPUMM_D, rows, cols, 1, 1, percent, WHOLE);
  const gpumm_matrix there = send_compressed (&here);
  release (&here);
  return there;
}

static gpumm_matrix room_for (gpumm_type type, int64_t rows, int64_t cols, int64_t stored) {
  return compressed_at (&(gpumm_matrix){
      .format = GPUMM_SPARSE, .type = type, .rows = rows, .cols = cols, .nzmax = stored});
}

static void make_right (void) {
  const gpumm_matrix a = send_random (ROWS, COLS, 60), b = send_random (ROWS, COLS, 60);
  static const int64_t which[] = {3, 0, 3};
  static const double zeros[ROWS * COLS];
  gpumm_sparse_work w = {.a = a, .b = b};
  w.marks = typed (GPUMM_U64, WORDS - 1);
  w.before = typed (GPUMM_I64, WORDS);
  for (int op = 0; op < GPUMM_SPARSE_OPS; op++) {
    right[op] = w;
    right[op].op = (gpumm_sparse_op) op;
  }
  OK (gpumm_sparse_run (&right[GPUMM_SPARSE_MATCH]));
  const int64_t both = look (&w.before, WORDS - 1), all = a.nzmax + b.nzmax - both;
  right[GPUMM_SPARSE_PACK].c = room_for (GPUMM_D, ROWS, COLS, both);
  right[GPUMM_SPARSE_PLACES].c.nzmax = both;
  right[GPUMM_SPARSE_PLACES].places = typed (GPUMM_D, both);
  right[GPUMM_SPARSE_UNITE].c = room_for (GPUMM_D, ROWS, COLS, all);
  right[GPUMM_SPARSE_UNITE].from_a = typed (GPUMM_I64, a.nzmax);
  right[GPUMM_SPARSE_UNITE].from_b = typed (GPUMM_I64, b.nzmax);
  right[GPUMM_SPARSE_MEET].c = room_for (GPUMM_D, ROWS, COLS, both);
  right[GPUMM_SPARSE_MEET].from_a = typed (GPUMM_I64, both);
  right[GPUMM_SPARSE_MEET].from_b = typed (GPUMM_I64, both);
  right[GPUMM_SPARSE_OFFSETS].c = send_random (ROWS, COLS, 60);
  gpumm_sparse_work *lengths = &right[GPUMM_SPARSE_LENGTHS], *taken = &right[GPUMM_SPARSE_TAKE];
  lengths->which = taken->which = send (GPUMM_I64, which, 3);
  lengths->c = room_for (GPUMM_D, ROWS, 3, 3 * ROWS);
  OK (gpumm_sparse_run (lengths));
  const gpumm_view start = {
      .type = GPUMM_I64, .buffer = lengths->c.start_buffer, .values = lengths->c.start};
  taken->c = lengths->c;
  taken->c.nzmax = look (&start, 3);
  right[GPUMM_SPARSE_TRANSPOSE].c = room_for (GPUMM_D, COLS, ROWS, a.nzmax);
  gpumm_sparse_work *scale = &right[GPUMM_SPARSE_SCALE];
  scale->full = send (GPUMM_D, zeros, ROWS * COLS);
  scale->full.stride[0] = 1;
  scale->full.stride[1] = ROWS;
  memcpy (scale->full_size, (int64_t[]){ROWS, COLS, 1, 1}, sizeof scale->full_size);
  right[GPUMM_SPARSE_SCATTER].full = scale->full;
  memcpy (right[GPUMM_SPARSE_SCATTER].full_size, scale->full_size, sizeof scale->full_size);
  scale->c = room_for (GPUMM_D, ROWS, COLS, a.nzmax);
  right[GPUMM_SPARSE_FOLD].c = room_for (GPUMM_D, 1, COLS, COLS);
  right[GPUMM_SPARSE_FOLD].fold = GPUMM_FOLD_MAX;
}

static void test_sparse_work (void) {
  make_right ();
  const gpumm_matrix roomy = room_for (GPUMM_D, ROWS, COLS, ROWS * COLS);
  for (int op = 0; op < GPUMM_SPARSE_OPS; op++)
    CHECK (!gpumm_sparse_run (&right[op]), "operation %d: %s", op, gpumm_last_error ());
#define WORK(OP, change, text)                                                                     \
  REFUSED (gpumm_sparse_work, right[GPUMM_SPARSE_##OP], change, gpumm_sparse_run, GPUMM_INVALID,   \
           text)
  /* sizes */
  WORK (MATCH, x.b.cols--, "B of 6 x 4 elements does not fit A of 6 x 5");
  WORK (MATCH, x.b.rows--, "B of 5 x 5");
  WORK (UNITE, x.b.cols--, "B of 6 x 4");
  WORK (UNITE, x.c.cols--, "C of 6 x 4");
  WORK (MEET, x.b.rows--, "B of 5 x 5");
  WORK (MEET, x.c.cols--, "C of 6 x 4");
  WORK (PACK, x.c.cols--, "C of 6 x 4");
  WORK (PACK, x.c.rows--, "C of 5 x 5");
  WORK (LENGTHS, x.c.rows--, "C of 5 x 3");
  WORK (TAKE, x.c.rows++, "C of 7 x 3");
  WORK (TRANSPOSE, x.c.cols--, "C of 5 x 5");
  WORK (TRANSPOSE, x.c = x.a, "C of 6 x 5");
  WORK (SCALE, x.full_size[0]--, "an array of 5 x 5 does not fit A of 6 x 5");
  WORK (SCALE, x.full_size[1] = 1, "an array of 6 x 1");
  WORK (SCATTER, x.full_size[1]--, "an array of 6 x 4");
  WORK (SCATTER, (x.full_size[0] = x.full_size[1] = 1), "an array of 1 x 1");
  WORK (FOLD, x.c.cols--, "C stores 5 of 1 x 4 elements");
  WORK (FOLD, (x.c.rows = x.c.cols = 5), "not a vector of 5");
  WORK (KEEP, x.a.rows = -1, "negative sizes");
  /* entries */
  WORK (DIAGONAL, x.a.rows = x.a.cols = 1, "of 1 x 1 elements");
  WORK (PACK, x.c = roomy, "which do not fit");
  WORK (PACK, (x.a.start = NULL, x.a.index = NULL), "A is full");
  WORK (PACK, x.a.start = NULL, "buffer");
  WORK (UNITE, x.c.nzmax = x.a.nzmax - 1, "of A and B");
  WORK (UNITE, x.from_b.buffer = NULL, "a vector of places has no buffer");
  WORK (MEET, x.c = roomy, "of A and B");
  WORK (TRANSPOSE, x.c.nzmax--, "do not fit");
  WORK (SCALE, x.c.nzmax--, "do not fit");
  WORK (TAKE, x.c.nzmax = 600, "C stores 600 of 6 x 3 elements");
  WORK (FOLD, x.c.nzmax--, "not a vector of 5");
  WORK (KEEP, x.a.nzmax = 64 * WORDS, "buffer");
  WORK (OFFSETS, x.c.cols = 600, "buffer");
  /* types */
  WORK (PACK, x.c.type = GPUMM_S, "C is single and A double");
  WORK (TAKE, x.c.type = GPUMM_S, "of one type");
  WORK (TRANSPOSE, x.c.type = GPUMM_S, "of one type");
  WORK (SCALE, x.c.type = GPUMM_S, "of one type");
  WORK (SCATTER, x.full.type = GPUMM_S, "of different types");
  WORK (FOLD, x.c.type = GPUMM_S, "the result has elements of type");
  WORK (FOLD, x.a.type = GPUMM_TYPES, "no element type");
  WORK (KEEP, x.marks.type = GPUMM_I64, "the marks");
  WORK (MEET, x.from_a.type = GPUMM_I32, "a vector of places");
  WORK (TAKE, x.which.type = GPUMM_I32, "a vector of columns");
  REFUSED (gpumm_sparse_work, right[GPUMM_SPARSE_SCALE],
           (x.a.type = x.c.type = x.full.type = GPUMM_I32), gpumm_sparse_run, GPUMM_UNSUPPORTED,
           "int32, not double");
  /* operations */
  WORK (FOLD, x.fold = (gpumm_fold_op) 77, "no fold 77 of sparse matrices");
  WORK (FOLD, x.fold = GPUMM_FOLD_PROD, "no fold");
  WORK (KEEP, x.op = (gpumm_sparse_op) -1, "no such operation");
  /* memory */
  WORK (KEEP, (x.before.buffer = x.marks.buffer, x.before.values = x.marks.values), "buffer");
  WORK (DIAGONAL, (x.marks.buffer = x.before.buffer, x.marks.values = x.before.values),
        "the counts of marks lies in the memory of the marks");
  WORK (PACK, (x.c.index = x.a.index, x.c.index_buffer = x.a.index_buffer),
        "C lies in the memory of A");
  WORK (PACK, (x.c.values = x.a.values, x.c.buffer = x.a.buffer), "C lies in the memory of A");
  WORK (TRANSPOSE, (x.c.values = x.a.values, x.c.buffer = x.a.buffer), "in the memory of A");
  WORK (TAKE, (x.c.start = x.a.start, x.c.start_buffer = x.a.start_buffer), "in the memory of A");
  WORK (LENGTHS, (x.c.start = x.a.start, x.c.start_buffer = x.a.start_buffer), "memory of A");
  WORK (UNITE, (x.c.start = x.b.start, x.c.start_buffer = x.b.start_buffer), "memory of B");
  WORK (PLACES, x.places.type = GPUMM_I64, "a vector of places has elements");
  WORK (PLACES, x.c.nzmax = x.a.nzmax + 1, "do not fit");
  WORK (PLACES, (x.before.values = x.places.values, x.before.buffer = x.places.buffer),
        "a vector of places lies in the memory of the counts");
  WORK (MEET, x.from_b = x.from_a, "a vector of places lies in the memory of a vector");
  WORK (FOLD, (x.c.values = x.a.values, x.c.buffer = x.a.buffer), "memory of A");
  WORK (SCATTER, (x.a.values = x.full.values, x.a.buffer = x.full.buffer),
        "an array lies in the memory of A");
  WORK (SCALE, (x.c.values = x.full.values, x.c.buffer = x.full.buffer),
        "an array lies in the memory of C");
  WORK (SCALE,
        (x.c.values = (double *) x.a.values + 1, x.c.buffer = x.a.buffer, x.c.nzmax--, x.a.nzmax--),
        "C lies in the memory of A");
  give_all ();
}

/* How many entries are marked only the device knows: a C with less room gets as many as it has room
 * for. */
static void test_little_room (void) {
  static const gpumm_sparse_op ops[] = {GPUMM_SPARSE_PACK, GPUMM_SPARSE_MEET, GPUMM_SPARSE_UNITE};
  int32_t unused[2 * ROWS * COLS];
  memset (unused, 0xff, sizeof unused);
  make_right ();
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    gpumm_sparse_work w = right[ops[i]];
    const gpumm_view index = send (GPUMM_I32, unused, w.c.nzmax);
    int32_t found[2 * ROWS * COLS];
    const int64_t all = w.c.nzmax--;
    w.c.index = index.values;
    w.c.index_buffer = index.buffer;
    OK (gpumm_sparse_run (&w));
    fetch (&index, all, found);
    CHECK (found[all - 2] >= 0 && found[all - 1] == -1, "operation %d: %d, %d", (int) ops[i],
           (int) found[all - 2], (int) found[all - 1]);
  }
  give_all ();
}

/* ---- overlaps ------------------------------------------------------------------------------- */

enum { SPACE = 400 };

/* Marks the bytes of x, counted from `base`. Returns whether two elements share one. */
static int mark_bytes (const gpumm_region *x, const char *base, char *marked) {
  int shares = 0;
  int64_t at[4];
  memset (marked, 0, SPACE);
  for (at[3] = 0; at[3] < x->size[3]; at[3]++)
    for (at[2] = 0; at[2] < x->size[2]; at[2]++)
      for (at[1] = 0; at[1] < x->size[1]; at[1]++)
        for (at[0] = 0; at[0] < x->size[0]; at[0]++) {
          const char *p = x->values;
          for (int d = 0; d < 4; d++)
            p += at[d] * x->stride[d] * (int64_t) x->element;
          for (size_t b = 0; b < x->element; b++)
            shares |= marked[p - base + (int64_t) b]++ > 0;
        }
  return shares;
}

static gpumm_region draw_region (const char *base, const gpumm_region *like) {
  static const int64_t most[] = {5, 4, 3, 2};
  gpumm_region x = {.values = base + 200,
                    .element = like ? like->element : 1u << check_between (0, 1)};
  for (int d = 0; d < 4; d++) {
    x.size[d] = check_between (check_between (0, 19) == 0 ? 0 : 1, most[d]);
    x.stride[d] = like ? like->stride[d] : check_between (-6, 6) * (d + 1);
    while (x.size[d] > 1 && llabs ((x.size[d] - 1) * x.stride[d]) > 20)
      x.size[d]--;
  }
  x.values = (const char *) x.values + check_between (-30, 30);
  return x;
}

/* Against all bytes. */
static void test_overlaps (void) {
  static char base[SPACE], of_x[SPACE], of_y[SPACE];
  int found = 0, alone = 0;
  for (int n = 0; n < 20000 / SANITIZED_STEP; n++) {
    const gpumm_region x = draw_region (base, NULL), y = draw_region (base, n % 2 ? &x : NULL);
    const int shares = mark_bytes (&x, base, of_x), apart = gpumm_is_apart (&x);
    gpumm_region both = x; /* as large as x and y */
    int meet = 0, same = x.element == y.element;
    same = same && ((const char *) x.values - (const char *) y.values) % (int64_t) x.element == 0;
    mark_bytes (&y, base, of_y);
    for (int b = 0; b < SPACE; b++)
      meet |= of_x[b] && of_y[b];
    const int said = gpumm_overlap (&x, &y);
    for (int d = 0; d < 4; d++)
      same = same && x.stride[d] == y.stride[d],
      both.size[d] = x.size[d] > y.size[d] ? x.size[d] : y.size[d];
    CHECK (!(apart && shares) && gpumm_overlap (&y, &x) == said && (meet || !said)
               && (said || !meet || !same || !gpumm_is_apart (&both)),
           "case %d: apart %d, shares %d, overlap %d, not %d", n, apart, shares, said, meet);
    found += said;
    alone += apart;
  }
  CHECK (found > 50 && alone > 500, "%d found, %d apart", found, alone);
}

/* ---- arrays on a device --------------------------------------------------------------------- */

/* Two inputs and an output of 4 x 3 doubles, all in one buffer of `count`. */
enum { COUNT = 60 };

static gpumm_view part_of (const gpumm_view *all, int64_t at, int64_t down, int64_t across) {
  gpumm_view x = *all;
  x.values = (double *) x.values + at;
  x.stride[0] = down;
  x.stride[1] = across;
  return x;
}

static void test_maps (void) {
  const gpumm_view all = take (GPUMM_D, COUNT), others = take (GPUMM_D, COUNT);
  const gpumm_map right_map = {.domain = GPUMM_D,
                               .size = {4, 3, 1, 1},
                               .inputs = 1,
                               .steps = 1,
                               .step = {{.op = GPUMM_MAP_NEG}},
                               .input = {part_of (&all, 12, 1, 4)},
                               .output = part_of (&all, 24, 1, 4)};
  /* what does not overlap, or lies where it may */
  const struct {
    gpumm_view input, output;
  } good[] = {{right_map.input[0], right_map.output},
              {part_of (&all, 0, 1, 4), part_of (&all, 0, 1, 4)},     /* in place */
              {part_of (&all, 0, 1, 8), part_of (&all, 4, 1, 8)},     /* halves of columns */
              {part_of (&all, 0, 2, 8), part_of (&all, 1, 2, 8)},     /* even and odd ones */
              {part_of (&all, 0, 1, 8), part_of (&all, 7, -1, 8)},    /* the other half, turned */
              {part_of (&all, 30, 0, 0), part_of (&all, 0, 1, 4)},    /* a number */
              {part_of (&all, 0, 1, 1), part_of (&others, 0, 1, 4)}}; /* columns that overlap */
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    gpumm_map m = right_map;
    m.input[0] = good[i].input;
    m.output = good[i].output;
    CHECK (!gpumm_map_entries (&m), "row %zu: %s", i, gpumm_last_error ());
  }
#define MAP(change, text)                                                                          \
  REFUSED (gpumm_map, right_map, change, gpumm_map_entries, GPUMM_INVALID, text)
#define OVERLAP(...) MAP ((__VA_ARGS__), "the output lies in the memory of an input")
  OVERLAP (x.output = part_of (&all, 13, 1, 4));
  OVERLAP (x.output = part_of (&all, 12, 3, 1));   /* transposed in place */
  OVERLAP (x.output = part_of (&all, 15, -1, 4));  /* upside down */
  OVERLAP (x.output = part_of (&all, 20, 1, 5));   /* its end */
  OVERLAP (x.input[0] = part_of (&all, 25, 0, 0)); /* a number */
  OVERLAP (x.input[0] = part_of (&all, 24, 1, 0)); /* a column */
  OVERLAP (x.input[0] = part_of (&all, 0, 1, 8), x.output = part_of (&all, 9, 1, 8));
  OVERLAP (x.output.type = GPUMM_S, x.output.values = x.input[0].values);
  OVERLAP (x.inputs = 2, x.input[1] = x.input[0], x.input[0] = x.output,
           x.input[1].values = (double *) x.output.values + 3);
  MAP (x.output.stride[1] = 1, "several entries at one place");
  MAP (x.output.stride[1] = 3, "several entries at one place");
  MAP (x.output.stride[1] = -3, "several entries at one place");
  MAP (x.domain = (gpumm_type) -1, "no arithmetic");
  MAP (x.inputs = -1, "-1 inputs");
  MAP (x.steps = -1, "-1 steps");
  MAP (x.output.type = (gpumm_type) -1, "no element type");
  MAP (x.output.buffer = NULL, "no buffer");
  MAP (x.step[0] = ((gpumm_map_step){.op = GPUMM_MAP_ADD, .source = -3}), "no operand -3");
  give_all ();
}

static gpumm_status read_one (const gpumm_read *read) {
  return gpumm_read_back (read, 1);
}

static void test_lanes (void) {
  const gpumm_view all = take (GPUMM_D, COUNT), others = take (GPUMM_D, COUNT);
  const gpumm_operation right_fold = {
      .name = "fold",
      .fold = GPUMM_FOLD_MAX,
      .map = {.domain = GPUMM_D,
              .size = {4, 3, 1, 1},
              .inputs = 1,
              .input = {part_of (&all, 0, 1, 4)}},
      .inner = 1,
      .count = 4,
      .outer = 3,
      .result = {part_of (&all, 12, 1, 0), part_of (&all, 15, 1, 0)}};
  OK (gpumm_operation_run (&right_fold));
#define FOLD(change, text)                                                                         \
  REFUSED (gpumm_operation, right_fold, change, gpumm_operation_run, GPUMM_INVALID, text)
  FOLD (x.fold = (gpumm_fold_op) -1, "no operation");
  FOLD (x.inner = -1, "negative");
  FOLD (x.count = 3, "are not the map's 12 entries");
  FOLD (x.result[0] = part_of (&all, 11, 1, 0), "the output lies in the memory of an input");
  FOLD (x.result[1] = part_of (&all, 11, 1, 0), "the places lies in the memory of an input");
  FOLD (x.result[1] = part_of (&all, 14, 1, 0), "the places lies in the memory of the output");
  FOLD (x.result[0] = part_of (&all, COUNT - 2, 1, 0), "buffer");
  FOLD (x.fold = GPUMM_FOLD_SUM, "max and min alone");
  FOLD ((x.count = 0, x.map.size[0] = 0), "nothing has no maximum");
  const gpumm_operation right_scan = {.name = "scan",
                                      .fold = GPUMM_FOLD_SUM,
                                      .inner = 1,
                                      .count = 12,
                                      .outer = 1,
                                      .map = {.inputs = 1, .input = {part_of (&all, 0, 1, 0)}},
                                      .result = {part_of (&all, 12, 1, 0)}};
  OK (gpumm_operation_run (&right_scan));
#define SCAN(change, text)                                                                         \
  REFUSED (gpumm_operation, right_scan, change, gpumm_operation_run, GPUMM_INVALID, text)
  REFUSED (gpumm_operation, right_scan, x.result[0] = x.map.input[0], gpumm_operation_run, GPUMM_OK,
           "");
  SCAN (x.result[0] = part_of (&all, 11, 1, 0), "the output lies in the memory of an input");
  SCAN ((x.result[0] = x.map.input[0], x.result[0].type = GPUMM_S), "in the memory of an input");
  SCAN (x.fold = (gpumm_fold_op) 77, "only sums");
  SCAN (x.outer = -1, "negative");
  SCAN (x.result[0].type = GPUMM_TYPES, "no element type");
  const gpumm_view wide = take (GPUMM_I64, COUNT);
  SCAN (x.map.inputs = 0, "one array");
  SCAN (x.map.steps = 1, "without steps");
  SCAN (x.result[1] = x.result[0], "max and min alone");
  SCAN (x.name = "shuffle", "no operation \"shuffle\"");
  SCAN (x.name = NULL, "no operation is named");
  const gpumm_operation right_pick = {
      .name = "pick",
      .map = {.size = {4, 3, 1, 1}, .inputs = 1, .input = {part_of (&others, 0, 1, 4)}},
      .size = {3, 2, 1, 1},
      .places = {{.first = 3, .step = -1}, {.buffer = wide.buffer, .vector = wide.values}},
      .result = {part_of (&all, 0, 1, 3)}};
  gpumm_operation right_put = right_pick;
  right_put.name = "put";
  right_put.map.input[0] = right_pick.result[0];
  right_put.result[0] = right_pick.map.input[0];
  memcpy (right_put.map.size, right_pick.size, sizeof right_pick.size);
  memcpy (right_put.size, right_pick.map.size, sizeof right_put.size);
#define PICK(change, text)                                                                         \
  REFUSED (gpumm_operation, right_pick, change, gpumm_operation_run, GPUMM_INVALID, text)
#define PUT(change, text)                                                                          \
  REFUSED (gpumm_operation, right_put, change, gpumm_operation_run, GPUMM_INVALID, text)
  PICK (x.result[0] = part_of (&others, 2, 1, 3), "the output lies in the memory of an input");
  PUT (x.map.input[0] = part_of (&others, 2, 1, 3), "the output lies in the memory of an input");
  PICK ((x.result[0].buffer = wide.buffer, x.result[0].values = wide.values),
        "the output lies in the memory of a vector of places");
  PUT (x.result[0].stride[1] = 3, "several entries");
  PICK (x.result[0].type = x.map.input[0].type = GPUMM_TYPES, "no element type");
  PICK (x.map.size[0] = -1, "negative");
  PICK (x.places[0].first = 4, "places 4 to 2 are not in 0 to 3");
  PICK (x.places[1].buffer = NULL, "no buffer");
  PUT ((x.map.size[1] = 600, x.map.input[0].stride[1] = 0), "a vector of places does not lie");
  double number;
  const gpumm_read read = {.at = all, .count = 1, .to = &number};
  refused (gpumm_read_back (&read, -1), GPUMM_INVALID, "nothing to read");
#define READ(change, text) REFUSED (gpumm_read, read, change, read_one, GPUMM_INVALID, text)
  READ (x.count = -1, "negative");
  READ (x.count = COUNT + 1, "buffer");
  READ (x.at.type = GPUMM_TYPES, "no element type");
  READ (x.at.buffer = NULL, "no buffer");
  READ (x.to = NULL, "no memory on the host");
  const gpumm_status status = gpumm_wait (1000); /* with a GPU other devices are invalid */
  CHECK ((status == GPUMM_NO_DEVICE || status == GPUMM_INVALID) && gpumm_waits () >= 0,
         "device 1000: %s", gpumm_last_error ());
  give_all ();
}

/* ---- products ------------------------------------------------------------------------------- */

static double space[400];

/* A part of the space: rows x cols, 20 elements from column to column. */
static gpumm_matrix block_of (int row, int col, int rows, int cols) {
  return (gpumm_matrix){
      .type = GPUMM_D, .rows = rows, .cols = cols, .ld = 20, .values = space + row + 20 * col};
}

/* The result, of A and B of 4 x 4 side by side, in this memory. */
static gpumm_status run_into (const gpumm_matrix *given) {
  const gpumm_problem p = {.a = block_of (0, 0, 4, 4), .b = block_of (4, 0, 4, 4), .alpha = {1, 0}};
  gpumm_matrix c = *given;
  gpumm_job *job;
  OK (gpumm_open (&p, NULL, &job));
  const gpumm_status status = gpumm_run (job, &c);
  gpumm_close (job);
  return status;
}

static gpumm_status run_sparse_into (const gpumm_problem *p, const gpumm_matrix *given) {
  gpumm_matrix c;
  gpumm_job *job;
  OK (gpumm_open (p, NULL, &job));
  OK (gpumm_result (job, &c));
  c.start = given->start;
  c.index = given->index;
  c.values = given->values;
  const gpumm_status status = gpumm_run (job, &c);
  gpumm_close (job);
  return status;
}

static void test_results (void) {
  const gpumm_matrix beside = block_of (8, 0, 4, 4);
#define INTO(change, status, text) REFUSED (gpumm_matrix, beside, change, run_into, status, text)
  INTO (x.rows = 4, GPUMM_OK, "");
  INTO (x = block_of (0, 4, 4, 4), GPUMM_OK, "");
  INTO (x = block_of (7, 0, 4, 4), GPUMM_INVALID, "the memory of an operand");
  INTO (x = block_of (1, 3, 4, 4), GPUMM_INVALID, "the memory of an operand");
  INTO ((x = block_of (3, 3, 4, 4), x.ld = 4), GPUMM_INVALID, "the memory of an operand");
  INTO (x.ld = 3, GPUMM_INVALID, "leading dimension");
  INTO (x.type = GPUMM_S, GPUMM_INVALID, "not of the shape");
  gpumm_matrix a = make_in_blocks (GPUMM_SPARSE, GPUMM_D, 5, 5, 1, 1, 100, WHOLE);
  const gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}};
  gpumm_matrix c = {.format = GPUMM_SPARSE, .type = GPUMM_D, .rows = 5, .cols = 5, .nzmax = 25};
  provide (&c, 0);
  OK (run_sparse_into (&p, &c));
  for (int i = 0; i < 4; i++) {
    gpumm_matrix into = c;
    if (i == 0)
      into.start = a.start;
    else if (i == 1)
      into.index = a.row + 24;
    else if (i == 2)
      into.values = (double *) a.values + 24;
    else
      into.values = a.row; /* another array of the operand */
    refused (run_sparse_into (&p, &into), GPUMM_INVALID, "the memory of an operand");
  }
  release (&a);
  release (&c);
}

static gpumm_status open_it (const gpumm_problem *p) {
  gpumm_job *job;
  const gpumm_status status = gpumm_open (p, NULL, &job);
  gpumm_close (job);
  return status;
}

/* Of sparse matrices on the device: where the offsets and the flag of the result go. */
static void test_resident (void) {
  const gpumm_matrix a = send_random (ROWS, ROWS, 60);
  gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}, .stays = 1};
  const gpumm_view start = take (GPUMM_I64, ROWS + 1), flag = take (GPUMM_I32, 1);
  p.start = start.buffer;
#define OPEN(change, status, text) REFUSED (gpumm_problem, p, change, open_it, status, text)
  OPEN (x.alpha.re = 1, GPUMM_OK, "");
  OPEN (x.start = a.start_buffer, GPUMM_INVALID, "lies in the memory of an operand");
  OPEN (x.start = flag.buffer, GPUMM_INVALID, "too small");
  OPEN (x.stays = 0, GPUMM_UNSUPPORTED, "its result stays there");
  OPEN (x.a.op = GPUMM_TRANSPOSE, GPUMM_UNSUPPORTED, "needs its transpose");
  OPEN (x.a.nzmax = 600, GPUMM_INVALID, "buffer");
  OPEN (x.b.index_buffer = NULL, GPUMM_INVALID, "no buffers");
  gpumm_job *job;
  gpumm_matrix shape;
  for (int i = 0; i < 3; i++) {
    OK (gpumm_open (&p, NULL, &job));
    OK (gpumm_result (job, &shape));
    gpumm_matrix c = room_for (GPUMM_D, ROWS, ROWS, shape.nzmax);
    c.zero = i == 0 ? a.buffer : i == 1 ? c.buffer : flag.buffer;
    if (i < 2)
      refused (gpumm_run (job, &c), GPUMM_INVALID, "the flag for zeros lies in the memory");
    else
      OK (gpumm_run (job, &c));
    gpumm_close (job);
  }
  OK (gpumm_wait (device));
  give_all ();
}

static const int64_t three[] = {3}, one_step[] = {1}, no_step[] = {0};

static gpumm_status run_pages (const gpumm_pages *p) {
  gpumm_matrix c;
  const gpumm_status status = gpumm_pages_result (p, &c);
  c.values = space + 200;
  return status ? status : gpumm_pages_run (p, NULL, &c);
}

static void test_pages (void) {
  gpumm_pages pages = {.dims = 1, .sizes = three, .steps_a = one_step, .steps_b = no_step};
  pages.a = pages.b = block_of (0, 0, 4, 4);
  pages.a.ld = pages.b.ld = 4;
  pages.b.values = space + 100;
#define PAGES(change, status, text) REFUSED (gpumm_pages, pages, change, run_pages, status, text)
  PAGES (x.dims = 1, GPUMM_OK, "");
  PAGES (x.a.values = space + 200 - 47, GPUMM_INVALID, "the memory of the pages of A");
  PAGES (x.b.values = space + 200 + 47, GPUMM_INVALID, "the memory of the pages of B");
  PAGES (x.dims = -1, GPUMM_INVALID, "in -1 dimensions");
  PAGES (x.sizes = NULL, GPUMM_INVALID, "without sizes");
  PAGES (x.sizes = (int64_t[]){-3}, GPUMM_INVALID, "below 0");
  PAGES (x.steps_b = (int64_t[]){-1}, GPUMM_INVALID, "below 0");
  PAGES (x.steps_a = (int64_t[]){INT64_MAX}, GPUMM_INVALID, "out of any memory");
  PAGES (x.a.ld = 5, GPUMM_INVALID, "gaps");
  PAGES (x.b.rows = x.b.ld = 5, GPUMM_NONCONFORMANT, "nonconformant");
  PAGES (x.a.type = GPUMM_TYPES, GPUMM_INVALID, "unknown element type");
  PAGES (x.a.format = (gpumm_format) 7, GPUMM_INVALID, "unknown kind");
  refused (gpumm_pages_result (NULL, NULL), GPUMM_INVALID, "no pages");
  refused (gpumm_pages_result (&pages, NULL), GPUMM_INVALID, "no pages");
  refused (gpumm_pages_run (&pages, NULL, NULL), GPUMM_INVALID, "not of the shape");
  gpumm_matrix c;
  OK (gpumm_pages_result (&pages, &c));
  c.values = space + 200;
  refused (gpumm_pages_run (&pages, &(gpumm_options){.device = -2}, &c), GPUMM_INVALID,
           "device -2");
}

/* ---- buffers, devices and the rest ---------------------------------------------------------- */

static void test_others (void) {
  gpumm_matrix c = block_of (0, 0, 4, 4);
  refused (gpumm_multiply (NULL, &c, &c), GPUMM_INVALID, "no operand");
  CHECK (!c.values && !c.start && !c.index, "one call: memory after a failure");
  const gpumm_problem p = {.a.format = (gpumm_format) 7, .b.format = (gpumm_format) 7};
  gpumm_type type;
  refused (gpumm_result_type (&p, &type), GPUMM_UNSUPPORTED, "has no product");
  refused (gpumm_result_type (&p, NULL), GPUMM_INVALID, "no problem");
  refused (gpumm_open (&p, NULL, NULL), GPUMM_INVALID, "no pointer");
  refused (gpumm_result (NULL, &c), GPUMM_INVALID, "no job");
  refused (gpumm_run (NULL, &c), GPUMM_INVALID, "no job");
  CHECK (!gpumm_job_report (NULL), "a report of no job");
  gpumm_buffer *buffer;
  refused (gpumm_buffer_new (device, 8, NULL), GPUMM_INVALID, "no pointer");
  refused (gpumm_buffer_new (1000, 8, &buffer), gpumm_wait (1000), "");
  refused (gpumm_buffer_new (device, SIZE_MAX, &buffer), GPUMM_DEVICE_MEMORY, "");
  CHECK (!buffer && !gpumm_buffer_address (NULL), "a buffer of no memory");
  gpumm_buffer_release (NULL);
  const gpumm_view all = take (GPUMM_D, 16);
  const gpumm_matrix here = {.type = GPUMM_D, .rows = 4, .cols = 4, .ld = 4, .values = space},
                     there = full_at (&all, 4, 4, 0);
  OK (gpumm_copy (&here, &there));
#define COPY(change, status, text)                                                                 \
  do {                                                                                             \
    gpumm_matrix x = there;                                                                        \
    change;                                                                                        \
    refused (gpumm_copy (&here, &x), status, text);                                                \
    refused (gpumm_copy (&x, &here), status, text);                                                \
  } while (0)
  COPY (x.rows--, GPUMM_UNSUPPORTED, "of one type and size");
  COPY (x.type = GPUMM_S, GPUMM_UNSUPPORTED, "of one type and size");
  COPY (x.buffer = NULL, GPUMM_UNSUPPORTED, "between host and device");
  COPY (x.ld = 5, GPUMM_INVALID, "buffer");
  COPY (x.ld = 3, GPUMM_INVALID, "leading dimension");
  COPY (x.values = NULL, GPUMM_INVALID, "no values");
  COPY (x.format = GPUMM_SPARSE, GPUMM_INVALID, "no index arrays");
  refused (gpumm_copy (NULL, &there), GPUMM_INVALID, "no matrix");
  refused (gpumm_copy (&here, NULL), GPUMM_INVALID, "no matrix");
  int64_t used, kept;
  refused (gpumm_memory (device, NULL, &kept), GPUMM_INVALID, "no pointers");
  refused (gpumm_memory (1000, &used, &kept), gpumm_wait (1000), "");
  CHECK (used == 0 && kept == 0, "memory of no device");
  refused (gpumm_device (0, NULL), GPUMM_INVALID, "no pointer");
  refused (gpumm_device (-1, &(gpumm_device_properties){0}), GPUMM_INVALID, "devices count from 0");
  CHECK (gpumm_device_count (NULL) >= 0 && *gpumm_version (), "without a pointer for the reason");
  CHECK (gpumm_type_bytes (GPUMM_TYPES) == 0 && gpumm_type_bytes ((gpumm_type) -1) == 0
             && strcmp (gpumm_type_name (GPUMM_TYPES), "unknown") == 0
             && strcmp (gpumm_status_name ((gpumm_status) 1), "unknown") == 0
             && strcmp (gpumm_status_name ((gpumm_status) -11), "unknown") == 0,
         "names of what does not exist");
  gpumm_cancel (); /* no job is open */
  gpumm_watch (NULL);
  OK (run_into (
      &(gpumm_matrix){.type = GPUMM_D, .rows = 4, .cols = 4, .ld = 4, .values = space + 200}));
  give_all ();
}

/* ---- routines of BLAS and LAPACK ------------------------------------------------------------- */

enum { N = 8 };
static double one[2 * N * N], another[2 * N * N], third[2 * N * N], scales[N];
static int32_t rows[N];

static gpumm_status run_call (const gpumm_call *call) {
  return gpumm_run_call (call, GPUMM_CPU);
}

static gpumm_status estimate (const gpumm_call *call) {
  double rcond = -1;
  const gpumm_status status = gpumm_estimate_condition (call, '1', 1, &rcond);
  CHECK (status ? rcond == -1 : rcond > 0, "rcond is %g", rcond);
  return status;
}

static void test_calls (void) {
  gpumm_call call = {.type = GPUMM_D,
                     .side = 'L',
                     .uplo = 'U',
                     .trans = 'N',
                     .trans_b = 'N',
                     .diag = 'N',
                     .m = N,
                     .n = N,
                     .k = N,
                     .alpha = {1, 0},
                     .a = one,
                     .b = another,
                     .c = third,
                     .lda = N,
                     .ldb = N,
                     .ldc = N,
                     .tau = scales,
                     .pivots = rows};
  for (int i = 0; i < N; i++)
    rows[i] = i + 1;
  for (int r = 0; r < GPUMM_GECON; r++) {
    for (int i = 0; i < 2 * N * N; i++)
      one[i] = i % (N + 1) == 0 ? 2 : 1.0 / (2 + i), another[i] = third[i] = 1;
    memset (scales, 0, sizeof scales);
    call.routine = (gpumm_routine) r;
    const int is_hermitian = r == GPUMM_HEMM || r == GPUMM_HERK || r == GPUMM_HER2K;
    call.type = is_hermitian ? GPUMM_Z : GPUMM_D;
    const char *name = gpumm_routine_name (call.routine, GPUMM_D);
    CHECK (!run_call (&call), "%s: %s", name, gpumm_last_error ());
    memset (one, 0, sizeof one); /* what reads it is left to the CPU */
    for (int i = 0; i < N; i++)
      one[i * (N + 1)] = 1;
#define CALL(change, text) REFUSED (gpumm_call, call, change, run_call, GPUMM_INVALID, text)
    CALL (x.lda = N - 1, "");
    CALL (x.a = NULL, "");
    CALL (x.m = x.n = x.k = 0, "");
    if (has (r, "ldb"))
      CALL (x.ldb = N - 1, "");
    if (has (r, "ldb") && !has (r, "ldc")) /* the last matrix is the result */
      CALL (x.b = one + N, "the memory of another argument");
    if (has (r, "ldc"))
      CALL (x.c = one + N - 1, "the memory of");
    if (has (r, "pivots"))
      CALL (x.pivots = NULL, "no memory");
    if (has (r, "tau"))
      CALL (x.tau = NULL, "no memory");
    if (r == GPUMM_GEQRF)
      CALL (x.tau = one, "the memory of another argument");
    if (r == GPUMM_GETRF)
      CALL (x.pivots = (void *) one, "the memory of another argument");
    if (has (r, "uplo"))
      CALL (x.uplo = 'X', "not a letter of BLAS");
    if (has (r, "side"))
      CALL (x.side = 0, "not a letter of BLAS");
    if (r == GPUMM_ORGQR || r == GPUMM_ORMQR)
      CALL (x.k = N + 1, "do not fit");
    if (has (r, "diag"))
      CALL (x.diag = 'X', "not a letter of BLAS");
    if (has (r, "trans,"))
      CALL (x.trans = 'n', "not a letter of BLAS");
  }
  CALL (x.routine = GPUMM_GECON, "no call of a routine");
  CALL (x.routine = (gpumm_routine) -1, "no call of a routine");
  CALL (x.type = GPUMM_I32, "no call of a routine");
  refused (gpumm_run_call (NULL, GPUMM_CPU), GPUMM_INVALID, "no call");
  refused (gpumm_run_call (&call, (gpumm_backend) 3), GPUMM_INVALID, "no call");
  gpumm_operand operands[GPUMM_OPERANDS];
  refused (gpumm_call_operands (NULL, operands), GPUMM_INVALID, "no call");
  refused (gpumm_call_operands (&call, NULL), GPUMM_INVALID, "no call");
  CHECK (!*gpumm_routine_name (GPUMM_ROUTINES, GPUMM_D), "a name of no routine");
  CHECK (!gpumm_blas_symbol (NULL) && gpumm_blas_file () && gpumm_blas_bits () >= 0, "no symbol");
  call.routine = GPUMM_GECON;
  call.type = GPUMM_D;
#define ESTIMATE(change, status)                                                                   \
  REFUSED (gpumm_call, call, change, estimate, status, status ? "no condition number" : "")
  ESTIMATE (x.n = N, GPUMM_OK);
  ESTIMATE (x.n = 0, GPUMM_INVALID);
  ESTIMATE (x.lda = N - 1, GPUMM_INVALID);
  ESTIMATE (x.a = NULL, GPUMM_INVALID);
  ESTIMATE (x.type = GPUMM_U8, GPUMM_INVALID);
  ESTIMATE (x.routine = GPUMM_GEMM, GPUMM_INVALID);
  ESTIMATE ((x.routine = GPUMM_POCON, x.uplo = 'X'), GPUMM_INVALID);
  double rcond;
  refused (gpumm_estimate_condition (&call, '1', 1, NULL), GPUMM_INVALID, "no condition number");
  refused (gpumm_estimate_condition (&call, '1', 0, &rcond), GPUMM_INVALID, "no condition number");
  refused (gpumm_estimate_condition (&call, '1', NAN, &rcond), GPUMM_INVALID, "no condition");
  refused (gpumm_estimate_condition (&call, 'F', 1, &rcond), GPUMM_INVALID, "no condition number");
}

int main (int argc, char **argv) {
  check_seed (20261130);
  take_arguments (argc, argv, &(int){0});
  test_overlaps ();
  test_sparse_work ();
  test_little_room ();
  test_maps ();
  test_lanes ();
  test_results ();
  test_resident ();
  test_pages ();
  test_others ();
  if (device == GPUMM_HOST)
    test_calls ();
  return released_and_done ();
}
