/* test_trace.c - traced products on the host device: what a kernel loads, computes and launches.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "host_device.h"
#include "operands.h"

#include <inttypes.h>

/* c has memory where it is OK. */
static gpumm_status trace (const gpumm_problem *p, const char *kernel, int count, gpumm_matrix *c,
                           gpumm_trace *t) {
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = kernel, .device = -1};
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (p, &o, &job);
  *c = (gpumm_matrix){0};
  if (!status) {
    gpumm_result (job, c);
    provide (c, 2);
    status = gpumm_run_traced (job, c, count, t);
  }
  if (status)
    release (c);
  gpumm_close (job);
  return status;
}

/* Is the traced product right? A Strassen's step costs bits of the bound. */
static void check_traced (const gpumm_problem *p, const char *kernel, gpumm_trace *t) {
  gpumm_matrix c;
  CHECK (!trace (p, kernel, 1, &c, t) && t->counted, "%s: %s", kernel, gpumm_last_error ());
  CHECK (strstr (kernel, "strassen") || judge (p, &c, ROUNDED, 0).wrong == 0, "%s is wrong",
         kernel);
  release (&c);
}

/* Loads are 2 m n k divided by the tile, over edges and transposes. */
static void test_full (void) {
  static const struct {
    const char *kernel;
    int64_t tile, m, n, k; /* tile 0: loads are not known */
  } table[] = {{"naive", 1, 5, 7, 9},
               {"tiled_8", 8, 16, 24, 9},
               {"tiled_32", 32, 32, 32, 3},
               {"naive", 1, 0, 3, 4},
               {"tiled_8", 8, 8, 8, 0},
               {"register_32x32x4", 32, 64, 32, 6},
               {"strassen_register_1", 0, 40, 40, 40}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int n = 0; n < 16; n++) {
      const int64_t outer = table[i].m * table[i].n, all = 2 * outer * table[i].k;
      const gpumm_type type = (gpumm_type) (n / 4);
      gpumm_problem p = {.alpha = {1, 0}, .output = type};
      gpumm_trace t;
      p.a = make (&(operand){.type = type,
                             .op = n & 1 ? GPUMM_CTRANSPOSE : GPUMM_NONE,
                             .rows = table[i].m,
                             .cols = table[i].k});
      p.b = make (&(operand){.type = type,
                             .op = n & 2 ? GPUMM_TRANSPOSE : GPUMM_NONE,
                             .rows = table[i].k,
                             .cols = table[i].n});
      check_traced (&p, table[i].kernel, &t);
      CHECK (table[i].tile == 0 || t.all.load.elements * table[i].tile == all,
             "%" PRId64 " loads of %s", t.all.load.elements, table[i].kernel);
      CHECK (t.a.load.elements + t.b.load.elements + t.c.load.elements + t.workspace.load.elements
                 == t.all.load.elements,
             "loads of the operands add up");
      CHECK ((t.launched.launches > 0) == (outer > 0), "%" PRId64 " launches", t.launched.launches);
      release (&p.a);
      release (&p.b);
    }
}

/* Each pair of blocks of m x m loads m m m elements of A and of B. */
static void test_blocks (void) {
  static const char *const kernels[] = {"classic_one", "classic_search", "classic", "blocks_exact",
                                        "bsr_register"};
  for (int n = 0; n < 60 / SANITIZED_STEP; n++) {
    const char *kernel = kernels[n % 5];
    const int is_classic = n % 5 < 3;
    const gpumm_type type = n % 5 < 4 ? GPUMM_U16 : GPUMM_D;
    const int64_t m = 4 * check_between (1, 2), rows = check_between (0, 6),
                  inner = check_between (0, 6), cols = check_between (0, 6);
    const int percent = (int) check_between (0, 100);
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
    gpumm_trace t;
    int64_t pairs = 0;
    p.a = make_in_blocks (GPUMM_BLOCKS, type, rows, inner, m, m, percent, ANY);
    p.b = make_in_blocks (GPUMM_BLOCKS, type, inner, cols, m, m, percent, ANY);
    for (int64_t e = 0; e < p.a.start[rows]; e++)
      pairs += p.b.start[p.a.block_column[e] + 1] - p.b.start[p.a.block_column[e]];
    const int64_t loads = pairs * m * m * m;
    check_traced (&p, kernel, &t);
    CHECK ((t.launched.launches > 0) == (pairs > 0), "%" PRId64 " launches", t.launched.launches);
    CHECK (!is_classic
               || (t.a.load.elements == loads && t.b.load.elements == loads
                   && t.all.operations == 2 * loads),
           "%s: %" PRId64 " and %" PRId64 " loads, %" PRId64 " operations of %" PRId64 " pairs",
           kernel, t.a.load.elements, t.b.load.elements, t.all.operations, pairs);
    release (&p.a);
    release (&p.b);
  }
}

/* What is not traced, too large to count, or not counted. */
static void test_refusals (void) {
  static const struct {
    const char *algorithm, *formats, *types;
  } table[] = {{"spgemm", "ss", "dd"}, {"sparse_as_full", "ss", "dd"}, {"sparse", "ss", "dd"},
               {"spmm", "sf", "dd"},   {"spmm", "fs", "dd"},           {"naive", "ff", "dz"},
               {"naive", "ff", "zd"}};
  gpumm_matrix c;
  gpumm_trace t;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_matrix x[2];
    for (int side = 0; side < 2; side++)
      x[side] =
          make (&(operand){.format = table[i].formats[side] == 's' ? GPUMM_SPARSE : GPUMM_FULL,
                           .type = type_of (table[i].types[side]),
                           .rows = 2,
                           .cols = 2,
                           .percent = 100});
    const gpumm_problem p = {.a = x[0], .b = x[1], .alpha = {1, 0}};
    CHECK (trace (&p, table[i].algorithm, 0, &c, &t) == GPUMM_UNSUPPORTED
               && strstr (gpumm_last_error (), "not traced"),
           "%zu, %s: %s", i, table[i].algorithm, gpumm_last_error ());
    release (&x[0]);
    release (&x[1]);
  }
  gpumm_matrix x = make_full (GPUMM_D, 3, 3, ANY);
  gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
  CHECK (!trace (&p, "naive", 0, &c, &t) && !t.counted && t.launched.launches == 1, "uncounted");
  release (&c);
  CHECK (!trace (&p, "loops", 1, &c, &t) && !t.counted && t.launched.launches == 0, "no kernel");
  CHECK (gpumm_run_traced (NULL, &c, 1, &t) == GPUMM_INVALID, "no job");
  release (&c);
  p.beta.re = 1;
  p.c0 = &x;
  CHECK (trace (&p, "naive", 0, &c, &t) == GPUMM_UNSUPPORTED, "a C to add to");
  release (&x);
  x = make_full (GPUMM_S, 1, GPUMM_COUNT_MOST_K + 1, ANY);
  p = (gpumm_problem){.a = x, .b = x, .alpha = {1, 0}};
  p.b.op = GPUMM_TRANSPOSE;
  CHECK (trace (&p, "naive", 1, &c, &t) == GPUMM_TOO_LARGE, "%s", gpumm_last_error ());
  CHECK (strcmp (gpumm_status_name (GPUMM_TOO_LARGE), "too-large") == 0, "the status has a name");
  CHECK (!trace (&p, "naive", 0, &c, &t), "%s", gpumm_last_error ());
  release (&c);
  release (&x);
}

static gpumm_status trace_again (void *problem) {
  const gpumm_problem *p = problem;
  gpumm_matrix c;
  gpumm_trace t;
  const int is_full = p->a.format == GPUMM_FULL;
  const gpumm_status status = trace (p, is_full ? "tiled_8" : "classic", 1, &c, &t);
  CHECK (status || t.a.load.elements == (is_full ? 9 : 5 * 5 * 5 * 64), "%" PRId64 " loads",
         t.a.load.elements);
  release (&c);
  return status;
}

/* Each call of the device fails in turn. */
static void test_faults (void) {
  for (int is_full = 0; is_full < 2; is_full++) {
    gpumm_matrix x = is_full ? make_full (GPUMM_D, 3, 3, ANY)
                             : make_in_blocks (GPUMM_BLOCKS, GPUMM_U16, 5, 5, 4, 4, 100, ANY);
    gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = GPUMM_U32};
    fail_in_turn (&(faults){.name = is_full ? "tiled_8" : "classic",
                            .inject = gpumm_fault_device,
                            .run = trace_again,
                            .context = &p,
                            .least = 20});
    release (&x);
  }
}

int main (void) {
  check_seed (11);
  need_host_device ();
  test_full ();
  test_blocks ();
  test_refusals ();
  test_faults ();
  return check_done ();
}
