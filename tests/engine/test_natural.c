/* test_natural.c - natural blocks of sparse matrices: found where they are and nowhere else.
 * Products through them are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "memory/host.h"
#include "multiply/natural.h"
#include "multiply/sparse.h"
#include "operands.h"

#include <inttypes.h>

static const int sizes[] = {2, 3, 4, 6, 8};

enum { SIZES = sizeof sizes / sizeof *sizes };

/* rows x cols blocks of b x b, percent of them there. */
static gpumm_matrix make_natural (gpumm_type type, int64_t rows, int64_t cols, int64_t b,
                                  int percent, values v) {
  return make_in_blocks (GPUMM_SPARSE, type, rows, cols, b, b, percent, v);
}

/* Element t, of column j, goes. */
static void drop (gpumm_matrix *x, int64_t j, int64_t t) {
  const size_t each = gpumm_type_bytes (x->type), after = (size_t) (x->nzmax - t - 1);
  memmove (x->row + t, x->row + t + 1, after * sizeof *x->row);
  memmove ((char *) x->values + (size_t) t * each, (char *) x->values + (size_t) (t + 1) * each,
           after * each);
  for (int64_t i = j + 1; i <= x->cols; i++)
    x->start[i]--;
  x->nzmax--;
}

/* Blocks of b are blocks of each size that divides b. */
static unsigned all_of (int64_t b) {
  unsigned all = 0;
  for (int s = 0; s < SIZES; s++)
    if (b % sizes[s] == 0)
      all |= 1u << sizes[s];
  return all;
}

static int is_natural (const gpumm_matrix *x, int64_t b) {
  gpumm_owner memory = {0};
  gpumm_matrix blocks;
  CHECK (gpumm_as_natural (&memory, x, b, &blocks) == GPUMM_OK, "%s", gpumm_last_error ());
  const int64_t *start = blocks.start, *row = blocks.row;
  int found = start != NULL;
  if (found) { /* and the pattern is right */
    CHECK (start[x->cols / b] * b * b == x->nzmax, "%" PRId64 " blocks", start[x->cols / b]);
    for (int64_t j = 0; j < x->cols / b; j++)
      for (int64_t t = start[j]; t < start[j + 1]; t++)
        if (row[t] * b != x->row[x->start[j * b] + (t - start[j]) * b])
          found = -1;
  }
  gpumm_release_owned (&memory);
  return found;
}

/* ---- what is found ------------------------------------------------------------------------ */

static void test_sizes (void) {
  for (int b = 1; b <= 12; b++)
    for (int repeat = 0; repeat < 8; repeat++) {
      /* prime numbers of blocks with gaps between them: no larger block can be made of these */
      gpumm_matrix x = make_natural (repeat % 2 ? GPUMM_D : GPUMM_Z, 31, 29, b, 30, ANY);
      CHECK (gpumm_natural_sizes (&x) == all_of (b), "blocks of %d: %x", b,
             gpumm_natural_sizes (&x));
      for (int s = 0; s < SIZES; s++)
        if (x.rows % sizes[s] == 0 && x.cols % sizes[s] == 0)
          CHECK (is_natural (&x, sizes[s]) == (b % sizes[s] == 0), "blocks of %d as %d", b,
                 sizes[s]);
      release (&x);
    }
  gpumm_matrix none = make_natural (GPUMM_D, 4, 4, 2, 0, ANY);
  CHECK (gpumm_natural_sizes (&none) == 0, "a matrix without elements");
  const gpumm_matrix wide = {.format = GPUMM_FULL, .type = GPUMM_D, .rows = 6, .cols = 6};
  CHECK (gpumm_natural_sizes (&wide) == 0, "a full matrix");
  release (&none);
}

/* One element less, one more, one in another row, or all of it one row down. */
static void test_nearly (void) {
  for (int s = 0; s < SIZES; s++)
    for (int what = 0; what < 4; what++)
      for (int repeat = 0; repeat < 20; repeat++) {
        const int b = sizes[s];
        gpumm_matrix x = make_natural (GPUMM_D, 17, 19, b, 40, ANY);
        int64_t j = check_between (0, x.cols - 1);
        while (x.start[j + 1] == x.start[j])
          j = (j + 1) % x.cols;
        const int64_t t = check_between (x.start[j], x.start[j + 1] - 1);
        if (what == 0)
          drop (&x, j, t);
        else if (what < 3 && x.row[x.start[j + 1] - 1] == x.rows - 1) {
          release (&x);
          continue;
        } else if (what == 1) /* the last of a column is one row further down */
          x.row[x.start[j + 1] - 1]++;
        else if (what == 2) /* of all columns of a block: equal columns alone are no blocks */
          for (int w = 0; w < b; w++)
            x.row[x.start[j / b * b + w + 1] - 1]++;
        else { /* shifted: one row more above, and some below */
          x.rows += b;
          for (int64_t e = 0; e < x.nzmax; e++)
            x.row[e]++;
        }
        CHECK (is_natural (&x, b) == 0, "size %d, change %d", b, what);
        /* few columns: the estimate sees all of them */
        CHECK (!(gpumm_natural_sizes (&x) & 1u << b), "size %d, change %d: estimate", b, what);
        release (&x);
      }
}

/* n x n blocks of b x b; there are those at most `width` from the diagonal. */
static gpumm_matrix make_band (int64_t n, int64_t b, int64_t width) {
  gpumm_matrix x = make_natural (GPUMM_D, n, n, b, 0, ANY);
  free (x.row);
  x.row = check_allocate (n * (2 * width + 1) * b * b, sizeof *x.row);
  for (int64_t j = 0; j < n * b; j++) {
    const int64_t end = j / b + width + 1 < n ? j / b + width + 1 : n;
    for (int64_t i = j / b > width ? (j / b - width) * b : 0; i < end * b; i++)
      x.row[x.nzmax++] = i;
    x.start[j + 1] = x.nzmax;
  }
  return x;
}

/* Elements of C of a chain of blocks, or elements, each of which meets three neighbours to both
 * sides: spread evenly they would be far more. And columns of so many products that only some of
 * them are looked at: of a full matrix, and of a wide band, whose columns fall into the same
 * rows. */
static void test_nonzeros (void) {
  static const struct {
    int64_t b, n, width;
    double within;
  } bands[] = {{2, 400, 3, 0.1}, {3, 400, 3, 0.1}, {4, 400, 3, 0.1},      {6, 400, 3, 0.1},
               {8, 400, 3, 0.1}, {1, 400, 3, 0.1}, {1, 1500, 1500, 0.15}, {1, 1500, 200, 0.15}};
  for (size_t s = 0; s < sizeof bands / sizeof *bands; s++) {
    const int64_t b = bands[s].b, n = bands[s].n, reach = 2 * bands[s].width;
    gpumm_matrix x = make_band (n, b, bands[s].width);
    const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
    double right = 0;
    for (int64_t j = 0; j < n; j++)
      right += (double) (b * b
                         * ((j + reach < n ? j + reach : n - 1) - (j > reach ? j - reach : 0) + 1));
    const double nonzeros = gpumm_estimate_sparse (&p).nonzeros;
    CHECK (fabs (nonzeros - right) < bands[s].within * right, "band %zu: %g nonzeros, not %g", s,
           nonzeros, right);
    release (&x);
  }
}

/* ---- the kernels that run ----------------------------------------------------------------- */

/* Runs the product and compares it to the last bit; *kernel is what has run. */
static void check_product (const gpumm_problem *p, char kernel[128]) {
  static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .algorithm = "sparse", .device = -1};
  gpumm_report report = {0};
  gpumm_matrix c;
  CHECK (!multiply (p, &on_cpu, 0, &c, &report), "%s", gpumm_last_error ());
  CHECK (judge (p, &c, ORDERED, 0).wrong == 0, "%s is wrong", report.kernel);
  CHECK (!strstr (report.reason, "natural blocks of ") == !strpbrk (report.kernel, "23468"),
         "%s: %s", report.kernel, report.reason);
  memcpy (kernel, report.kernel, 128);
  release (&c);
}

/* One element is missing where the estimate does not look: the product is a plain one. */
static void test_unseen (void) {
  gpumm_matrix x = make_natural (GPUMM_D, 3, 2000, 3, 100, WHOLE);
  gpumm_matrix a = make_natural (GPUMM_D, 5, 3, 3, 60, WHOLE);
  char kernel[128];
  drop (&x, 3001, x.start[3001] + 1);
  CHECK (gpumm_natural_sizes (&x) & 1u << 3, "the estimate sees element 3001");
  CHECK (is_natural (&x, 3) == 0, "missing element");
  const gpumm_problem p = {.a = a, .b = x, .alpha = {1, 0}};
  check_product (&p, kernel);
  CHECK (strcmp (kernel, "gustavson") == 0, "%s", kernel);
  release (&a);
  release (&x);
}

/* Blocks of 6 by blocks of 4: both are made of blocks of 2. And blocks by none. */
static void test_common (void) {
  static const struct {
    int64_t a, b, common;
  } pairs[] = {{6, 4, 2}, {3, 6, 3}, {8, 4, 4}, {4, 3, 0}, {1, 6, 0}, {2, 8, 2}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    gpumm_problem p = {.alpha = {1, 0}};
    p.a = make_natural (GPUMM_D, 7, 24, pairs[i].a, 40, WHOLE);
    p.b = make_natural (GPUMM_D, 24 * pairs[i].a / pairs[i].b, 7, pairs[i].b, 40, WHOLE);
    char kernel[128], expected[16] = "gustavson";
    const int common = (int) pairs[i].common;
    if (common)
      snprintf (expected, sizeof expected, "gustavson_%dx%d", common, common);
    check_product (&p, kernel);
    CHECK (strcmp (kernel, expected) == 0, "blocks of %" PRId64 " by %" PRId64 ": %s", pairs[i].a,
           pairs[i].b, kernel);
    release (&p.a);
    release (&p.b);
  }
}

/* A matrix in blocks by a full one where rows are scattered; sums of rows, other types and few
 * columns go the plain way. So little work is for panels of 4 or 8 on any machine. */
static void test_full (void) {
  for (int s = 0; s < SIZES; s++)
    for (int left = 0; left < 2; left++)
      for (int turned = 0; turned < 2; turned++)
        for (int repeat = 0; repeat < 4; repeat++) {
          const int64_t b = sizes[s], other = repeat == 0 ? 5 : check_between (16, 80);
          const gpumm_type type = repeat == 1 ? GPUMM_Z : GPUMM_D;
          gpumm_matrix x = make_natural (GPUMM_D, 9, 31, b, 40, WHOLE);
          x.op = turned ? GPUMM_TRANSPOSE : GPUMM_NONE;
          const int64_t rows = turned ? x.cols : x.rows, cols = turned ? x.rows : x.cols;
          gpumm_matrix y =
              left ? make_full (type, cols, other, ANY) : make_full (type, other, rows, ANY);
          const gpumm_problem p = {.a = left ? x : y, .b = left ? y : x, .alpha = {1, 0}};
          char kernel[128];
          check_product (&p, kernel);
          if (other < 16 || type != GPUMM_D || left == turned || !gpumm_natural_sizes (&x))
            CHECK (!strchr (kernel, 'x'), "%s", kernel);
          else
            CHECK (strchr (kernel, 'x') && (kernel[strlen (kernel) - 1] - '0') % b == 0, "%s",
                   kernel);
          release (&x);
          release (&y);
        }
}

/* One memory, two matrices: B is A without its last column, and so without blocks. */
static void test_shared_arrays (void) {
  gpumm_problem p = {.alpha = {1, 0}};
  char kernel[128];
  p.a = make_natural (GPUMM_D, 4, 4, 2, 60, WHOLE);
  p.b = p.a;
  p.b.cols--;
  check_product (&p, kernel);
  CHECK (strcmp (kernel, "gustavson") == 0, "%s", kernel);
  release (&p.a);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  test_sizes ();
  test_nearly ();
  test_unseen ();
  test_nonzeros ();
  test_common ();
  test_full ();
  test_shared_arrays ();
  return check_done ();
}
