/* test_blocks.c - matrices that are sparse by blocks: a long sum, what is refused, checks and
 * conversions. Their products are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "multiply/compressed.h"
#include "operands.h"

#include <inttypes.h>

static gpumm_matrix make_blocks (gpumm_type type, int64_t rows, int64_t cols, int64_t block_rows,
                                 int64_t block_cols, int percent, values v) {
  return make_in_blocks (GPUMM_BLOCKS, type, rows, cols, block_rows, block_cols, percent, v);
}

/* On the CPU. */
static gpumm_status run (const gpumm_problem *p, gpumm_matrix *c, gpumm_report *report) {
  const gpumm_options o = {.backend = GPUMM_CPU, .device = -1};
  return multiply (p, &o, 0, c, report);
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
  CHECK (!run (&p, &c, &report), "%s", gpumm_last_error ());
  CHECK (*(uint64_t *) c.values == (uint64_t) k * 65535 * 65535, "%" PRIu64,
         *(uint64_t *) c.values);
  CHECK (strstr (report.kernel, "int64"), "%s", report.kernel);
  release (&c);
  release (&p.a);
  release (&p.b);
}

static gpumm_status open_problem (const gpumm_problem *p) {
  gpumm_job *job = NULL;
  return gpumm_open (p, NULL, &job);
}

static void test_errors (void) {
  gpumm_matrix a = make_blocks (GPUMM_I8, 4, 4, 2, 3, 100, ANY);
  gpumm_matrix b = make_blocks (GPUMM_I8, 4, 4, 3, 2, 100, ANY), c;
  const gpumm_problem good = {.a = a, .b = b, .alpha = {1, 0}, .output = GPUMM_I8};
  CHECK (!run (&good, &c, NULL), "%s", gpumm_last_error ());
  release (&c);
  const struct {
    const char *text;
    int64_t *offset; /* or */
    int32_t *column;
    int64_t value;
  } wrong[] = {{"begins at 1", &a.start[0], NULL, 1},
               {"descend", &a.start[2], NULL, 3},
               {"descend", &b.start[3], NULL, -1},
               {"the arrays hold", &b.start[4], NULL, 17},
               {"block row 1 do not ascend", NULL, &a.block_column[0], -1},
               {"block row 4 do not ascend", NULL, &b.block_column[15], 4},
               {"block row 2 do not ascend", NULL, &a.block_column[5], 0},
               {"block row 2 do not ascend", NULL, &a.block_column[5], 2}};
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
    int64_t *const offset = wrong[w].offset;
    const int64_t right = offset ? *offset : *wrong[w].column;
    for (int again = 0; again < 2; again++) {
      const int64_t value = again ? right : wrong[w].value;
      if (offset)
        *offset = value;
      else
        *wrong[w].column = (int32_t) value;
      if (!again)
        refused (open_problem (&good), GPUMM_INVALID, wrong[w].text);
    }
  }
  REFUSED (gpumm_problem, good, x.b.block_rows = 4, open_problem, GPUMM_NONCONFORMANT,
           "blocks of 2x3, op2 of 4x2");
  REFUSED (gpumm_problem, good, x.a.block_rows = 3, open_problem, GPUMM_INVALID, "does not divide");
  REFUSED (gpumm_problem, good, x.a.type = GPUMM_D, open_problem, GPUMM_UNSUPPORTED,
           "block-sparse double by block-sparse int8");
  release (&a);
  release (&b);
}

/* Device memory that is too small for a piece. */
static void test_scant_memory (void) {
  gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_U64};
  p.a = make_blocks (GPUMM_U8, 700, 2, 2, 1, 100, ANY);
  p.b = make_blocks (GPUMM_U8, 2, 700, 1, 2, 100, ANY);
  const gpumm_options o = {
      .backend = GPUMM_CPU, .algorithm = "bsr_integer", .device = -1, .max_device_memory = 20000};
  gpumm_matrix c;
  gpumm_reset ();
  CHECK (multiply (&p, &o, 0, &c, NULL) == GPUMM_DEVICE_MEMORY, "20 kB are enough");
  release (&p.a);
  release (&p.b);
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
  test_long ();
  test_errors ();
  test_scant_memory ();
  test_sparse (300);
  test_verify (2000);
  return check_done ();
}
