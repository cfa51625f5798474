/* test_blocks.c - matrices that are sparse by blocks: ends of sums, zeros, what is refused, traces,
 * checks and conversions. Their products are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "host_device.h"
#include "multiply/compressed.h"
#include "operands.h"

#include <inttypes.h>

/* ---- products ----------------------------------------------------------------------------- */

static gpumm_matrix make_blocks (gpumm_type type, int64_t rows, int64_t cols, int64_t block_rows,
                                 int64_t block_cols, int percent, values v) {
  return make_in_blocks (GPUMM_BLOCKS, type, rows, cols, block_rows, block_cols, percent, v);
}

/* By "auto" on the CPU, or by the algorithm of this name. */
static gpumm_status run (const char *algorithm, const gpumm_problem *p, gpumm_matrix *c,
                         gpumm_report *report) {
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = algorithm, .device = -1};
  return multiply (p, &o, 0, c, report);
}

static const char *const ways[] = {NULL, "blocks_integer"};

/* 65535 65535 + 65535 2 = 2^32 - 1: one less, just that, one more. */
static void test_saturation (void) {
  for (int on = 0; on < 2; on++)
    for (int d = -1; d <= 1; d++) {
      gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
      p.a = make_blocks (GPUMM_U16, 1, 2, 1, 2, 100, ANY);
      p.b = make_blocks (GPUMM_U16, 2, 1, 2, 1, 100, ANY);
      const uint16_t row[] = {65535, 1, 1, (uint16_t) (d == 1)};
      const uint16_t col[] = {65535, 65535, (uint16_t) (65535 - (d == -1)), 1};
      memcpy (p.a.values, row, sizeof row);
      memcpy (p.b.values, col, sizeof col);
      gpumm_matrix c;
      CHECK (!run (ways[on], &p, &c, NULL), "%s", gpumm_last_error ());
      CHECK (*(uint32_t *) c.values == UINT32_MAX - (d < 0), "%" PRIu32 " of %d",
             *(uint32_t *) c.values, d);
      release (&c);
      release (&p.a);
      release (&p.b);
    }
}

/* A sum above 2^53, and odd: no double holds it. */
static void test_long (void) {
  const int64_t k = ((int64_t) 1 << 22) + 1;
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U64};
  p.a = make_blocks (GPUMM_U16, 1, k, 1, 1, 100, ANY);
  p.b = make_blocks (GPUMM_U16, k, 1, 1, 1, 100, ANY);
  memset (p.a.values, 0xff, (size_t) k * 2);
  memset (p.b.values, 0xff, (size_t) k * 2);
  gpumm_matrix c;
  gpumm_report report = {0};
  CHECK (!run (NULL, &p, &c, &report), "%s", gpumm_last_error ());
  CHECK (*(uint64_t *) c.values == (uint64_t) k * 65535 * 65535, "%" PRIu64,
         *(uint64_t *) c.values);
  CHECK (strstr (report.kernel, "int64"), "%s", report.kernel);
  release (&c);
  release (&p.a);
  release (&p.b);
}

/* Complex infinities as C has them, in each block of a row of C: (Inf + Inf i) i, whose parts alone
 * are NaN. */
static void test_infinities (gpumm_type type) {
  const double complex a[] = {1, CMPLX (INFINITY, INFINITY)}, b[] = {1, 1, 1, 1, CMPLX (0, 1)};
  float complex single_a[2], single_b[5];
  for (int e = 0; e < 5; e++) {
    single_a[e % 2] = (float complex) a[e % 2];
    single_b[e] = (float complex) b[e];
  }
  for (int32_t at = 0; at < 4; at++) {
    int64_t start_a[] = {0, 2}, start_b[] = {0, 4, 5};
    int32_t column_a[] = {0, 1}, column_b[] = {0, 1, 2, 3, at};
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_matrix c;
    p.a = (gpumm_matrix){.format = GPUMM_BLOCKS,
                         .type = type,
                         .rows = 1,
                         .cols = 2,
                         .nzmax = 2,
                         .block_rows = 1,
                         .block_cols = 1,
                         .start = start_a,
                         .block_column = column_a,
                         .values = type == GPUMM_Z ? (void *) a : single_a};
    p.b = p.a;
    p.b.rows = 2;
    p.b.cols = 4;
    p.b.nzmax = 5;
    p.b.start = start_b;
    p.b.block_column = column_b;
    p.b.values = type == GPUMM_Z ? (void *) b : single_b;
    CHECK (!run (NULL, &p, &c, NULL), "%s", gpumm_last_error ());
    const double complex made =
        type == GPUMM_Z ? ((double complex *) c.values)[at] : ((float complex *) c.values)[at];
    CHECK (c.start[1] == 4 && creal (made) == -INFINITY && cimag (made) == INFINITY,
           "%s, block %d: %g + %gi", gpumm_type_name (type), at, creal (made), cimag (made));
    release (&c);
  }
}

/* Blocks that cancel are left out; a NaN is not zero; -0 is. By "blocks" or a device's
 * algorithm. */
static void test_zeros_with (const char *name) {
  double a[] = {1, 2, 3, 4, -1, -2, -3, -4, 5, 6, 7, 8}, b[] = {1, 0, 0, 1, 1, 0, 0, 1};
  int64_t start_a[] = {0, 2, 3}, start_b[] = {0, 1, 2};
  int32_t column_a[] = {0, 1, 0}, column_b[] = {0, 0};
  gpumm_matrix x = {.format = GPUMM_BLOCKS,
                    .type = GPUMM_D,
                    .rows = 4,
                    .cols = 4,
                    .nzmax = 3,
                    .block_rows = 2,
                    .block_cols = 2,
                    .start = start_a,
                    .block_column = column_a,
                    .values = a};
  gpumm_matrix y = x, c;
  y.cols = 2;
  y.start = start_b;
  y.block_column = column_b;
  y.values = b;
  gpumm_problem p = {.a = x, .b = y, .alpha = {1, 0}};
  gpumm_report report;
  CHECK (!run (name, &p, &c, &report), "%s", gpumm_last_error ());
  CHECK (c.nzmax == 2 && c.start[1] == 0 && c.start[2] == 1, "the zero block is there");
  CHECK (((double *) c.values)[1] == 6, "the other block has moved wrongly");
  CHECK (report.flops == 3 * 2 * 8, "%g operations", report.flops);
  CHECK (strcmp (report.algorithm, name) == 0, "%s", report.algorithm);
  CHECK (strstr (report.reason, "3 products of blocks, 75 %"), "%s", report.reason);
  release (&c);
  a[0] = NAN;
  CHECK (!run (name, &p, &c, NULL), "%s", gpumm_last_error ());
  CHECK (c.start[1] == 1 && isnan (((double *) c.values)[0]), "NaN is zero");
  release (&c);
}

static void test_errors (void) {
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_I8};
  gpumm_matrix c;
  p.a = make_blocks (GPUMM_I8, 4, 4, 2, 3, 100, ANY);
  p.b = make_blocks (GPUMM_I8, 6, 4, 2, 3, 100, ANY);
  CHECK (run (NULL, &p, &c, NULL) == GPUMM_NONCONFORMANT, "%s", gpumm_last_error ());
  CHECK (strstr (gpumm_last_error (), "blocks of 2x3, op2 of 2x3"), "%s", gpumm_last_error ());
  release (&p.b);
  p.b = make_blocks (GPUMM_I8, 4, 4, 3, 2, 100, ANY);
  CHECK (!run (NULL, &p, &c, NULL), "%s", gpumm_last_error ());
  release (&c);
  const struct {
    const char *what;
    int64_t *offset, offset_value;
    int32_t *column, column_value;
  } wrong[] = {{"begins at 1", &p.a.start[0], 1, NULL, 0},
               {"descend", &p.a.start[2], 3, NULL, 0},
               {"descend", &p.b.start[3], -1, NULL, 0},
               {"the arrays hold", &p.b.start[4], 17, NULL, 0},
               {"block row 1 do not ascend", NULL, 0, &p.a.block_column[0], -1},
               {"block row 4 do not ascend", NULL, 0, &p.b.block_column[15], 4},
               {"block row 2 do not ascend", NULL, 0, &p.a.block_column[5], 0},
               {"block row 2 do not ascend", NULL, 0, &p.a.block_column[5], 2}};
  for (int w = 0; w < (int) (sizeof wrong / sizeof *wrong); w++) {
    const int64_t offset = wrong[w].offset ? *wrong[w].offset : 0;
    const int32_t column = wrong[w].column ? *wrong[w].column : 0;
    if (wrong[w].offset)
      *wrong[w].offset = wrong[w].offset_value;
    else
      *wrong[w].column = wrong[w].column_value;
    CHECK (run (NULL, &p, &c, NULL) == GPUMM_INVALID, "%s was taken", wrong[w].what);
    CHECK (strstr (gpumm_last_error (), wrong[w].what), "%s", gpumm_last_error ());
    if (wrong[w].offset)
      *wrong[w].offset = offset;
    else
      *wrong[w].column = column;
  }
  gpumm_problem q = p;
  q.a.block_rows = 3;
  CHECK (run (NULL, &q, &c, NULL) == GPUMM_INVALID
             && strstr (gpumm_last_error (), "does not divide"),
         "%s", gpumm_last_error ());
  q = p;
  q.a.type = GPUMM_D;
  CHECK (run (NULL, &q, &c, NULL) == GPUMM_UNSUPPORTED, "double by int8");
  CHECK (strstr (gpumm_last_error (), "block-sparse double by block-sparse int8"), "%s",
         gpumm_last_error ());
  release (&p.a);
  release (&p.b);
}

/* On the CPU, so many rows that the full matrix needs more than one panel: what each panel makes is
 * what its columns alone make. */
static void test_panels (void) {
  enum { ROWS = 140000, COLUMNS = 45, PART = 20 };
  gpumm_problem p = {.alpha = {1, 0}};
  gpumm_matrix c, d;
  p.a = make_blocks (GPUMM_D, 3, ROWS / 5, 4, 5, 50, ANY);
  p.b = make_full (GPUMM_D, ROWS, COLUMNS, ANY);
  CHECK (!run (NULL, &p, &c, NULL), "%s", gpumm_last_error ());
  for (int64_t first = 0; first < COLUMNS; first += PART) {
    gpumm_problem q = p;
    q.b.cols = first + PART < COLUMNS ? PART : COLUMNS - first;
    q.b.values = (double *) p.b.values + first * p.b.ld;
    CHECK (!run (NULL, &q, &d, NULL), "%s", gpumm_last_error ());
    for (int64_t j = 0; j < q.b.cols; j++)
      CHECK (memcmp ((double *) c.values + (first + j) * c.ld, (double *) d.values + j * d.ld,
                     12 * sizeof (double))
                 == 0,
             "column %" PRId64, first + j);
    release (&d);
  }
  release (&c);
  release (&p.a);
  release (&p.b);
}

/* One operand twice goes up once, also where one of both is transposed. */
static void test_one_operand (void) {
  static const struct {
    const char *algorithm;
    gpumm_type type, output;
    gpumm_op op;
  } cases[] = {{"blocks_integer", GPUMM_U16, GPUMM_U32, GPUMM_NONE},
               {"bsr", GPUMM_D, GPUMM_D, GPUMM_NONE},
               {"bsr", GPUMM_D, GPUMM_D, GPUMM_TRANSPOSE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = cases[i].output};
    gpumm_report report = {0};
    gpumm_matrix c;
    p.a = make_blocks (cases[i].type, 20, 20, 4, 4, 30, WHOLE);
    p.b = p.a;
    p.a.op = cases[i].op;
    CHECK (!run (cases[i].algorithm, &p, &c, &report), "%s", gpumm_last_error ());
    CHECK (judge (&p, &c, EXACT, 0).wrong == 0, "%s is wrong", cases[i].algorithm);
    const int64_t each = 4 + 16 * (int64_t) gpumm_type_bytes (cases[i].type);
    CHECK (report.bytes_up == 21 * 8 * 2 + p.a.start[20] * each, "%" PRId64 " bytes up",
           report.bytes_up);
    CHECK (strcmp (report.algorithm, cases[i].algorithm) == 0
               && strstr (report.reason, "products of"),
           "%s: %s", report.algorithm, report.reason);
    release (&c);
    release (&p.a);
  }
}

/* Only blocks that are there multiply, so Inf and NaN are where the CPU has them. */
static void test_special (void) {
  for (int full = 0; full <= 1; full++) {
    gpumm_problem p = {.alpha = {1, 0}};
    gpumm_matrix c;
    p.a = make_blocks (GPUMM_D, 20, 20, 3, 3, 30, SPECIAL);
    p.b = full ? make_full (GPUMM_D, 60, 7, WHOLE) : p.a;
    CHECK (!run (full ? "spmm" : "bsr", &p, &c, NULL), "%s", gpumm_last_error ());
    CHECK (judge (&p, &c, EXACT, 1).wrong == 0, "Inf or NaN elsewhere");
    release (&c);
    release (&p.a);
    if (full)
      release (&p.b);
  }
}

/* Device memory that is too small for a piece. */
static void test_scant_memory (void) {
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U64};
  p.a = make_blocks (GPUMM_U8, 700, 2, 2, 1, 100, ANY);
  p.b = make_blocks (GPUMM_U8, 2, 700, 1, 2, 100, ANY);
  const gpumm_options o = {.backend = GPUMM_CPU,
                           .algorithm = "blocks_integer",
                           .device = -1,
                           .max_device_memory = 20000};
  gpumm_matrix c;
  gpumm_reset ();
  CHECK (multiply (&p, &o, 0, &c, NULL) == GPUMM_DEVICE_MEMORY, "20 kB are enough");
  release (&p.a);
  release (&p.b);
}

/* A and B in one memory, cut into blocks of other sizes: 2 x 3 by 3 x 2. */
static void test_shared_memory (void) {
  int32_t values[] = {1, 2, 3, 4, 5, 6}, column[] = {0};
  int64_t start[] = {0, 1};
  gpumm_matrix a = {.format = GPUMM_BLOCKS,
                    .type = GPUMM_I32,
                    .rows = 2,
                    .cols = 3,
                    .block_rows = 2,
                    .block_cols = 3,
                    .nzmax = 1,
                    .start = start,
                    .block_column = column,
                    .values = values},
               b = a, c;
  b.rows = b.block_rows = 3;
  b.cols = b.block_cols = 2;
  const gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}, .output = GPUMM_I32};
  const int32_t right[] = {22, 28, 49, 64};
  for (int on = 0; on < 2; on++) {
    CHECK (run (ways[on], &p, &c, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
    CHECK (memcmp (c.values, right, sizeof right) == 0, "%d: wrong", on);
    release (&c);
  }
}

static gpumm_status trace (const gpumm_problem *p, const char *kernel, int count, gpumm_matrix *c,
                           gpumm_trace *t) {
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = kernel, .device = -1};
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (p, &o, &job);
  *c = (gpumm_matrix){0};
  if (!status) {
    gpumm_result (job, c);
    provide (c, 0);
    status = gpumm_run_traced (job, c, count, t);
  }
  gpumm_close (job);
  return status;
}

static gpumm_status trace_again (void *problem) {
  gpumm_matrix c;
  gpumm_trace t;
  const gpumm_status status = trace (problem, "classic", 1, &c, &t);
  release (&c);
  return status;
}

/* On the host device: the product is right, each pair of blocks reads m m m numbers of A and of B,
 * and what fails is an error that leaves nothing behind. */
static void test_trace (void) {
  static const char *kernels[] = {"classic_one", "classic_search", "classic", "blocks_exact",
                                  "bsr_register"};
  check_seed (11);
  for (int c = 0; c < 60 / SANITIZED_STEP; c++) {
    const int which = c % 5, whole = which < 4;
    const int64_t m = 4 * check_between (1, 2), rows = check_between (0, 6),
                  inner = check_between (0, 6), cols = check_between (0, 6);
    const int percent = (int) check_between (0, 100);
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
    p.a = make_blocks (whole ? GPUMM_U16 : GPUMM_D, rows, inner, m, m, percent, ANY);
    p.b = make_blocks (p.a.type, inner, cols, m, m, percent, ANY);
    int64_t pairs = 0;
    for (int64_t t = 0; t < p.a.start[rows]; t++)
      pairs += p.b.start[p.a.block_column[t] + 1] - p.b.start[p.a.block_column[t]];
    gpumm_matrix x;
    gpumm_trace t;
    CHECK (!trace (&p, kernels[which], 1, &x, &t), "%s", gpumm_last_error ());
    CHECK (judge (&p, &x, ROUNDED, 0).wrong == 0, "%s is wrong", kernels[which]);
    CHECK (t.counted && (t.launched.launches > 0) == (pairs > 0), "%" PRId64 " launches",
           t.launched.launches);
    CHECK (
        which > 2
            || (t.a.load.elements == pairs * m * m * m && t.b.load.elements == t.a.load.elements),
        "%" PRId64 " loads of %" PRId64 " pairs", t.a.load.elements, pairs);
    CHECK (which > 2 || t.all.operations == 2 * pairs * m * m * m, "%" PRId64 " operations",
           t.all.operations);
    release (&x);
    release (&p.a);
    release (&p.b);
  }
  gpumm_matrix x;
  gpumm_trace t;
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U32};
  p.a = p.b = make_blocks (GPUMM_U16, 5, 5, 4, 4, 50, ANY);
  CHECK (!trace (&p, "classic", 0, &x, &t) && !t.counted, "%s", gpumm_last_error ());
  release (&x);
  fail_in_turn (&(faults){.name = "a trace",
                          .inject = gpumm_fault_device,
                          .run = trace_again,
                          .context = &p,
                          .least = 20});
  release (&p.a);
}

static gpumm_status open_sparse (void *x) {
  gpumm_matrix y;
  gpumm_blocks_sparse *sparse = NULL;
  const gpumm_status status = gpumm_blocks_sparse_open (x, &sparse, &y);
  gpumm_blocks_sparse_close (sparse);
  return status;
}

/* As a sparse matrix: every element against the full copy, columns that ascend, no zeros; then what
 * is refused, and memory that is. */
static void test_sparse (int cases) {
  for (int n = 0; n < cases; n++) {
    const gpumm_type type = n % 2 ? GPUMM_D : GPUMM_Z;
    const int large = n == cases - 1; /* for several threads */
    gpumm_matrix y = {0};
    gpumm_blocks_sparse *sparse = NULL;
    gpumm_matrix x =
        make_blocks (type, check_between (0, 6) + 300 * large, check_between (0, 6) + 100 * large,
                     check_between (1, 5), check_between (1, 5), (int) check_between (0, 100), ANY);
    const int64_t blocks = x.start[x.rows / x.block_rows];
    for (int64_t e = 0; e < blocks * x.block_rows * x.block_cols; e++)
      if (check_between (0, 2) == 0)
        memset ((char *) x.values + (size_t) e * gpumm_type_bytes (type), 0,
                gpumm_type_bytes (type));
    entries all = list_of (&x);
    int64_t wrong = 0, stored = 0;
    CHECK (!gpumm_blocks_sparse_open (&x, &sparse, &y), "%s", gpumm_last_error ());
    provide (&y, 0);
    CHECK (!gpumm_blocks_sparse_fill (sparse, &y), "%s", gpumm_last_error ());
    for (int64_t j = 0; j < x.cols; j++) {
      for (int64_t u = all.first[j]; u < all.first[j + 1]; u++)
        if (all.list[u].value != 0) {
          wrong += stored >= y.start[j + 1] || y.row[stored] != all.list[u].row
                   || get (type, y.values, stored) != all.list[u].value;
          stored++;
        }
      wrong += y.start[j + 1] != stored;
    }
    CHECK (wrong == 0 && stored == y.nzmax, "%" PRId64 " of %" PRId64 " elements are wrong", wrong,
           stored);
    y.nzmax--;
    CHECK (gpumm_blocks_sparse_fill (sparse, &y) == GPUMM_INVALID, "too little room was taken");
    gpumm_blocks_sparse_close (sparse);

    if (blocks > 0) {
      x.block_column[0] = (int32_t) (x.cols / x.block_cols);
      CHECK (gpumm_blocks_sparse_open (&x, &sparse, &y) == GPUMM_INVALID && !sparse
                 && strstr (gpumm_last_error (), "the block columns of block row"),
             "a block column out of range was taken");
    }
    release (&y);
    release_list (&all);
    release (&x);
  }

  gpumm_matrix y, x = make_blocks (GPUMM_S, 3, 3, 2, 2, 100, ANY);
  gpumm_blocks_sparse *sparse = NULL;
  CHECK (gpumm_blocks_sparse_open (&x, &sparse, &y) == GPUMM_UNSUPPORTED, "single was taken");
  release (&x);
  x = make_blocks (GPUMM_D, 3, 3, 2, 2, 100, ANY);
  CHECK (fail_in_turn (&(faults){.name = "as a sparse matrix",
                                 .inject = gpumm_fault_memory,
                                 .run = open_sparse,
                                 .context = &x})
             == 5 / SANITIZED_STEP,
         "other allocations");
  release (&x);
}

/* Is x sound? By its definition, element by element. */
static int is_intact (const gpumm_matrix *x) {
  const int64_t rows = x->rows / x->block_rows, cols = x->cols / x->block_cols;
  if (x->start[0] != 0 || x->start[rows] != x->nzmax)
    return 0;
  for (int64_t i = 0; i < rows; i++)
    if (x->start[i + 1] < x->start[i] || x->start[i + 1] > x->nzmax)
      return 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t t = x->start[i]; t < x->start[i + 1]; t++)
      if (x->block_column[t] < 0 || x->block_column[t] >= cols
          || (t > x->start[i] && x->block_column[t] <= x->block_column[t - 1]))
        return 0;
  return 1;
}

/* Matrices from outside: sound ones without their zeros, and damaged ones, which are told. */
static void test_verify (int cases) {
  int told = 0;
  for (int k = 0; k < cases; k++) {
    const int64_t rows = check_between (0, 6), cols = check_between (0, 6);
    gpumm_matrix x =
        make_blocks (GPUMM_U8, rows, cols, check_between (1, 6), check_between (1, 6), 60, WHOLE);
    const int64_t each = x.block_rows * x.block_cols;
    x.nzmax = x.start[rows];
    int64_t zeros, expected = 0;
    for (int64_t t = 0; t < x.nzmax; t++) {
      unsigned char *block = (unsigned char *) x.values + t * each;
      memset (block, 0, (size_t) each);
      if (check_between (0, 2))
        block[check_between (0, each - 1)] = 7;
      else
        expected++;
    }
    CHECK (gpumm_blocks_verify (&x, &zeros) == GPUMM_OK && zeros == expected,
           "%" PRId64 " of %" PRId64 " zeros: %s", zeros, expected, gpumm_last_error ());
    gpumm_matrix y = make_blocks (GPUMM_U8, rows, cols, x.block_rows, x.block_cols, 100, WHOLE);
    memcpy (y.start, x.start, (size_t) (rows + 1) * sizeof *x.start);
    memcpy (y.block_column, x.block_column, (size_t) x.nzmax * sizeof *x.block_column);
    memcpy (y.values, x.values, (size_t) (x.nzmax * each));
    CHECK (gpumm_drop_zeros (&y) == GPUMM_OK, "%s", gpumm_last_error ());
    y.nzmax = x.nzmax - expected;
    int64_t after = -1;
    CHECK (gpumm_blocks_verify (&y, &after) == GPUMM_OK && after == 0, "%" PRId64, after);
    for (int64_t i = 0; i < rows; i++)
      for (int64_t t = x.start[i], u = y.start[i]; t < x.start[i + 1]; t++) {
        const unsigned char *block = (unsigned char *) x.values + t * each;
        if (!memchr (block, 7, (size_t) each))
          continue;
        CHECK (y.block_column[u] == x.block_column[t]
                   && !memcmp ((unsigned char *) y.values + u * each, block, (size_t) each),
               "block %" PRId64, t);
        u++;
      }
    const int64_t wrong[] = {-1, 0, 1, 5, 100000000, INT64_MAX, INT64_MIN};
    if (check_between (0, 1) || x.nzmax == 0)
      x.start[check_between (0, rows)] = wrong[check_between (0, 6)];
    else
      x.block_column[check_between (0, x.nzmax - 1)] = (int32_t) wrong[check_between (0, 4)];
    const int sound = is_intact (&x);
    CHECK ((gpumm_blocks_verify (&x, &zeros) == GPUMM_OK) == sound, "%d: %s", sound,
           gpumm_last_error ());
    told += !sound;
    release (&x);
    release (&y);
  }
  CHECK (told > cases / 4 && told < cases, "%d of %d", told, cases);
}

int main (void) {
  check_seed (4);
  need_host_device ();
  test_saturation ();
  test_long ();
  test_infinities (GPUMM_C);
  test_infinities (GPUMM_Z);
  test_zeros_with ("blocks");
  test_zeros_with ("bsr");
  test_errors ();
  test_panels ();
  test_one_operand ();
  test_special ();
  test_scant_memory ();
  test_shared_memory ();
  test_trace ();
  test_sparse (300);
  test_verify (2000);
  return check_done ();
}
