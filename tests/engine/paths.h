/* paths.h - operands and products on every path that needs no GPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

#include "operands.h"

/* ---- operands ----------------------------------------------------------------------------- */

static inline gpumm_matrix full (int64_t n, gpumm_type type) {
  return make_full (type, n, n, WHOLE);
}

/* each elements in a column, in rows that lie apart evenly */
static gpumm_matrix sparse (int64_t n, int64_t each) {
  gpumm_matrix x = {
      .format = GPUMM_SPARSE, .type = GPUMM_D, .rows = n, .cols = n, .nzmax = n * each};
  double *values = x.values = check_allocate (n * each, sizeof *values);
  x.start = check_allocate (n + 1, sizeof *x.start);
  x.row = check_allocate (n * each, sizeof *x.row);
  for (int64_t j = 0; j < n; j++) {
    x.start[j + 1] = (j + 1) * each;
    for (int64_t e = 0; e < each; e++) {
      x.row[j * each + e] = e * (n / each) + check_between (0, n / each - 1);
      values[j * each + e] = (double) check_between (1, 9);
    }
  }
  return x;
}

static inline gpumm_matrix blocks (int64_t n, int64_t size) {
  return make_in_blocks (GPUMM_BLOCKS, GPUMM_D, n / size, n / size, size, size, 100, WHOLE);
}

/* ---- products ----------------------------------------------------------------------------- */

typedef struct {
  const char *name, *algorithm;
  gpumm_matrix a, b;
} path;

/* c gets memory where it is OK. */
static inline gpumm_status run_path (const path *p, gpumm_matrix *c) {
  const gpumm_problem problem = {.a = p->a, .b = p->b, .alpha = {1, 0}, .output = p->a.type};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = p->algorithm, .device = -1};
  return multiply (&problem, &options, 0, c, NULL);
}

static gpumm_matrix turned (gpumm_matrix x) {
  x.op = GPUMM_TRANSPOSE;
  return x;
}

/* AddressSanitizer makes products take five times as long: half the size is enough to be stopped
 * in. */
#ifdef __SANITIZE_ADDRESS__
enum { PART = 2 };
#else
enum { PART = 1 };
#endif

/* Calls body for each path. */
static void on_all_paths (void (*body) (const path *p, int times), int times) {
  gpumm_matrix a = full (700 / PART, GPUMM_D), i = full (500 / PART, GPUMM_I32);
  gpumm_matrix w = make_full (GPUMM_D, 700 / PART, 250 / PART, WHOLE);
  gpumm_matrix s = sparse (5000 / PART, 25), t = sparse (900 / PART, 16),
               u = sparse (700 / PART, 200 / PART);
  gpumm_matrix d = full (220 / PART, GPUMM_D), x = blocks (640 / PART, 8),
               y = blocks (480 / PART, 80 / PART);
  gpumm_matrix z = blocks (96 / PART, 4);
  const path paths[] = {
      {"blas", NULL, a, a},
      {"blas, symmetric", NULL, a, turned (a)},
      {"loops", "loops", turned (d), d},
      {"integers", NULL, i, i},
      {"sparse", "sparse", s, s},
      {"sparse, transposed", "sparse", turned (s), turned (s)},
      {"sparse by full", "sparse", u, a},
      {"full by sparse", "sparse", a, u},
      {"sparse as dense", "sparse_as_dense", u, u},
      {"blocks", "blocks", x, turned (x)},
      {"large blocks", "blocks", y, y},
      {"naive", "naive", d, d},
      {"tiled", "tiled_16", d, d},
      {"strassen", "strassen_register_2", d, d},
      {"spgemm", "spgemm", t, t},
      {"spmm", "spmm", u, w},
      {"bsr", "bsr", z, z},
  };
  for (size_t n = 0; n < sizeof paths / sizeof *paths; n++)
    body (&paths[n], times);
  gpumm_matrix *all[] = {&a, &i, &s, &d, &t, &u, &w, &x, &y, &z};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++)
    release (all[n]);
}

#endif
