/* test_integers.c - integer products worked out by hand, and the kernels of each type. The products
 * are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "operands.h"

#include <inttypes.h>

static gpumm_matrix vector (gpumm_type type, int64_t rows, int64_t cols, const uint64_t *values) {
  gpumm_matrix x = make_full (type, rows, cols, ANY);
  const size_t bytes = gpumm_type_bytes (type);
  for (int64_t q = 0; q < 3; q++) /* the low bytes */
    memcpy ((char *) x.values + (size_t) (cols > 1 ? q * x.ld : q) * bytes, &values[q], bytes);
  return x;
}

/* Values worked out by hand. */
static void test_by_hand (void) {
  static const struct {
    gpumm_type type;
    uint64_t a[3], b[3];
    gpumm_type output;
    uint64_t integer;
    double number;
  } rows[] = {
      /* 2^127 saturates; -2^63 (2^63 - 1) + (2^63 - 1)^2 = -(2^63 - 1) */
      {GPUMM_I64,
       {1ull << 63, 1ull << 63, 0},
       {1ull << 63, 1ull << 63, 0},
       GPUMM_I64,
       INT64_MAX,
       0},
      {GPUMM_I64,
       {1ull << 63, INT64_MAX, 0},
       {INT64_MAX, INT64_MAX, 0},
       GPUMM_I64,
       (1ull << 63) + 1,
       0},
      /* 2^126 - (2^63 - 1) 2^63 - 2^63 = 0 */
      {GPUMM_I64,
       {1ull << 63, INT64_MAX, 1ull << 63},
       {1ull << 63, 1ull << 63, 1},
       GPUMM_I64,
       0,
       0},
      /* 3 (2^64 - 1)^2 = 3 2^128 - 6 2^64 + 3: in double 3 2^128 */
      {GPUMM_U64, {~0ull, ~0ull, ~0ull}, {~0ull, ~0ull, ~0ull}, GPUMM_U64, ~0ull, 0},
      {GPUMM_U64, {~0ull, ~0ull, ~0ull}, {~0ull, ~0ull, ~0ull}, GPUMM_D, 0, 0x3p128},
      /* 2^53 + 1 is a tie, 2^53 + 3 the next; both go to the even one */
      {GPUMM_I32, {1 << 30, 1, 0}, {1 << 23, 1, 0}, GPUMM_D, 0, 0x1p53},
      {GPUMM_I32, {1 << 30, 3, 0}, {1 << 23, 1, 0}, GPUMM_D, 0, 0x1p53 + 4},
      {GPUMM_U8, {255, 1, 0}, {255, 0, 0}, GPUMM_U16, 65025, 0},
      {GPUMM_U8, {255, 255, 1}, {255, 2, 0}, GPUMM_U16, 65535, 0},
      {GPUMM_U8, {255, 255, 1}, {255, 2, 1}, GPUMM_U16, 65535, 0},
      {GPUMM_I8, {128, 127, 0}, {128, 127, 0}, GPUMM_I16, 32513, 0},
      /* 2^24 + 1 is a tie in single */
      {GPUMM_I16, {4096, 1, 0}, {4096, 1, 0}, GPUMM_S, 0, 0x1p24},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = rows[r].output};
    gpumm_matrix c;
    p.a = vector (rows[r].type, 1, 3, rows[r].a);
    p.b = vector (rows[r].type, 3, 1, rows[r].b);
    CHECK (!multiply (&p, NULL, 0, &c, NULL), "%s", gpumm_last_error ());
    const int is_whole = is_integer (c.type);
    uint64_t integer = 0;
    memcpy (&integer, c.values, is_whole ? gpumm_type_bytes (c.type) : 0);
    const double real = is_whole ? 0 : (double) creall (get (c.type, c.values, 0));
    CHECK (integer == rows[r].integer && real == rows[r].number, "row %zu: %" PRIu64 ", %.17g", r,
           integer, real);
    release (&c);
    release (&p.a);
    release (&p.b);
  }
}

static void test_kernel_names (void) {
  static const char *const names[] = {"int64", "int64", "int128", "int192",
                                      "int64", "int64", "int128", "int192"};
  for (int type = GPUMM_I8; type <= GPUMM_U64; type++) {
    gpumm_report report = {0};
    gpumm_matrix a = make_full ((gpumm_type) type, 2, 2, ANY), c;
    const gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}, .output = (gpumm_type) type};
    CHECK (!multiply (&p, NULL, 0, &c, &report), "%s", gpumm_last_error ());
    CHECK (strcmp (report.algorithm, "integers") == 0
               && strcmp (report.kernel, names[type - GPUMM_I8]) == 0,
           "%s, %s", report.algorithm, report.kernel);
    release (&a);
    release (&c);
  }
}

static void test_errors (void) {
  int8_t element = 1;
  const gpumm_matrix x = {.type = GPUMM_I8, .rows = 1, .cols = 1, .ld = 1, .values = &element};
  const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = GPUMM_Z};
  gpumm_job *job = NULL;
  CHECK (gpumm_open (&p, NULL, &job) == GPUMM_UNSUPPORTED && !job, "to complex");
}

int main (void) {
  check_seed (1);
  test_by_hand ();
  test_kernel_names ();
  test_errors ();
  return check_done ();
}
