/* test_job.c - jobs on the CPU: symmetric products, splits, special values, checks, traces.
 * Products of all types, ops and sizes are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "host_device.h"
#include "multiply/algorithm.h"
#include "multiply/blas.h"
#include "operands.h"

static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .device = -1};

static number at (const gpumm_matrix *x, int64_t i, int64_t j) {
  return get (x->type, x->values, i + j * x->ld);
}

static int is_right (const gpumm_problem *p, const gpumm_matrix *c) {
  return judge (p, c, ROUNDED, 0).wrong == 0;
}

/* A real by a complex matrix in panels of the BLAS, 256 columns of A or B and the rest; by no
 * factors, complex ones, and real ones. */
static void test_panels (void) {
  static const int64_t sizes[][3] = {{260, 2, 1100}, {2, 260, 1100}, {1100, 260, 2}, {7, 5, 3}};
  static const gpumm_scalar factors[][2] = {
      {{1, 0}, {0, 0}}, {{-1.5, 0.25}, {0.75, -2}}, {{-1.5, 0}, {0.75, 0}}};
  for (int which = 0; which < 4 * 9 * 3 * 2; which++) {
    const int64_t *size = sizes[which % 4], m = size[0], n = size[1], k = size[2];
    const gpumm_op a = (gpumm_op) (which / 4 % 3), b = (gpumm_op) (which / 12 % 3);
    const gpumm_type types[] = {which < 108 ? GPUMM_Z : GPUMM_D, which < 108 ? GPUMM_D : GPUMM_Z};
    const gpumm_scalar *factor = factors[which / 36 % 3];
    gpumm_problem p = {.alpha = factor[0], .beta = factor[1]};
    gpumm_matrix c0 = make_full (GPUMM_Z, m, n, ANY), c = {0};
    p.a = make_full (types[0], a == GPUMM_NONE ? m : k, a == GPUMM_NONE ? k : m, ANY);
    p.b = make_full (types[1], b == GPUMM_NONE ? k : n, b == GPUMM_NONE ? n : k, ANY);
    p.a.op = a;
    p.b.op = b;
    if (factor[1].re != 0)
      p.c0 = &c0;
    const gpumm_status status = multiply (&p, &on_cpu, 2, &c, NULL);
    CHECK (!status && is_right (&p, &c), "case %d: %s", which, gpumm_last_error ());
    release (&c);
    release (&c0);
    release (&p.a);
    release (&p.b);
  }
}

/* A*A', A'*A and their conjugates go through syrk and herk, by one array or by an equal one. */
static void test_own_transpose (void) {
  static const struct {
    gpumm_type type;
    gpumm_op a, b;
    const char *kernel;
  } table[] = {{GPUMM_D, GPUMM_NONE, GPUMM_TRANSPOSE, "dsyrk"},
               {GPUMM_D, GPUMM_CTRANSPOSE, GPUMM_NONE, "dsyrk"},
               {GPUMM_S, GPUMM_NONE, GPUMM_CTRANSPOSE, "ssyrk"},
               {GPUMM_Z, GPUMM_NONE, GPUMM_CTRANSPOSE, "zherk"},
               {GPUMM_Z, GPUMM_CTRANSPOSE, GPUMM_NONE, "zherk"},
               {GPUMM_C, GPUMM_TRANSPOSE, GPUMM_NONE, "csyrk"},
               {GPUMM_Z, GPUMM_NONE, GPUMM_TRANSPOSE, "zsyrk"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int copies = 0; copies < 2; copies++) {
      gpumm_problem p = {.alpha = {1, 0}};
      p.a = make_full (table[i].type, 37, 21, ANY);
      p.b = p.a;
      p.a.op = table[i].a;
      p.b.op = table[i].b;
      if (copies) { /* the caller formed the transpose */
        gpumm_op turn = p.a.op != GPUMM_NONE ? p.a.op : p.b.op;
        p.b = make_full (table[i].type, 21, 37, ANY);
        for (int64_t r = 0; r < 37; r++)
          for (int64_t c = 0; c < 21; c++) {
            const number x = at (&p.a, r, c);
            put (p.b.type, p.b.values, c + r * p.b.ld, turn == GPUMM_CTRANSPOSE ? conjl (x) : x);
          }
        if (p.a.op != GPUMM_NONE) {
          gpumm_matrix swap = p.a;
          p.a = p.b;
          p.b = swap;
        }
        p.a.op = p.b.op = GPUMM_NONE;
      }
      gpumm_matrix c = {0};
      gpumm_report report = {0};
      const gpumm_status status = multiply (&p, &on_cpu, 2, &c, &report);
      CHECK (!status && is_right (&p, &c), "row %zu: %s", i, gpumm_last_error ());
      CHECK (strcmp (report.kernel, table[i].kernel) == 0, "row %zu, copies %d: %s", i, copies,
             report.kernel);
      int symmetric = 1;
      for (int64_t r = 0; r < c.rows; r++)
        for (int64_t s = 0; s < r; s++) {
          const number x = at (&c, r, s), y = at (&c, s, r);
          symmetric &= table[i].kernel[1] == 'h' ? x == conjl (y) : x == y;
        }
      CHECK (symmetric, "row %zu: the result is not symmetric to the bit", i);
      if (copies)
        free (p.b.values);
      free (p.a.values);
      free (c.values);
    }
}

/* Large enough for several threads, which see one element that differs wherever it is. */
static void test_nearly_own_transpose (void) {
  enum { M = 700, K = 900 };
  for (int differs = 0; differs < 4; differs++) {
    gpumm_problem p = {.alpha = {1, 0}, .output = GPUMM_D};
    p.a = make_full (GPUMM_D, M, K, ANY);
    p.b = make_full (GPUMM_D, K, M, ANY);
    double *a = p.a.values, *b = p.b.values;
    for (int64_t r = 0; r < M; r++)
      for (int64_t c = 0; c < K; c++)
        b[c + r * p.b.ld] = a[r + c * p.a.ld];
    int64_t row = check_between (0, M - 1), col = differs == 3 ? K - 1 : check_between (0, K - 1);
    if (differs)
      b[col + row * p.b.ld] += 1;
    gpumm_matrix c = {0};
    gpumm_report report = {0};
    CHECK (!multiply (&p, &on_cpu, 2, &c, &report), "%s", gpumm_last_error ());
    CHECK (strcmp (report.kernel, differs ? "dgemm" : "dsyrk") == 0, "(%lld, %lld): %s",
           (long long) row, (long long) col, report.kernel);
    double largest = 0; /* error of some elements, half of them in the column that differs */
    for (int i = 0; i < 2000; i++) {
      int64_t r = check_between (0, M - 1);
      int64_t s = differs && i % 2 ? row : check_between (0, M - 1);
      double sum = 0;
      for (int64_t l = 0; l < K; l++)
        sum += a[r + l * p.a.ld] * b[l + s * p.b.ld];
      double error = fabs (sum - ((double *) c.values)[r + s * c.ld]);
      largest = error > largest || isnan (error) ? error : largest;
    }
    CHECK (largest < 1e-10, "(%lld, %lld) differs: error %g", (long long) row, (long long) col,
           largest);
    free (p.a.values);
    free (p.b.values);
    free (c.values);
  }
}

/* Sizes beyond the BLAS's integers are split: the same at a limit of 10. */
static void test_split (void) {
  for (int t = 0; t < 4; t++)
    for (int ops = 0; ops < 9; ops++) {
      gpumm_problem p = {.alpha = {2, 0}, .beta = {-1, 0}, .output = (gpumm_type) t};
      p.a = make (&(operand){
          .type = p.output, .op = (gpumm_op) (ops % 3), .rows = 23, .cols = 31, .values = ANY});
      p.b = make (&(operand){
          .type = p.output, .op = (gpumm_op) (ops / 3), .rows = 31, .cols = 20, .values = ANY});
      gpumm_matrix c0 = make_full (p.output, 23, 20, ANY), c = c0;
      p.c0 = &c0;
      c.ld = c.rows;
      provide (&c, 2);
      for (int64_t e = 0; e < 23 * 20; e++)
        put (c.type, c.values, e % 23 + e / 23 * c.ld, at (&c0, e % 23, e / 23));
      gpumm_product product = {.type = p.output,
                               .op_a = p.a.op,
                               .op_b = p.b.op,
                               .m = 23,
                               .n = 20,
                               .k = 31,
                               .a = p.a.values,
                               .lda = p.a.ld,
                               .b = p.b.values,
                               .ldb = p.b.ld,
                               .c = c.values,
                               .ldc = c.ld,
                               .alpha = p.alpha,
                               .beta = p.beta};
      CHECK (gpumm_blas_product (&product, 10, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
      CHECK (is_right (&p, &c), "type %d ops %d", t, ops);
      free (c.values);
      free (c0.values);
      free (p.a.values);
      free (p.b.values);
    }
}

/* beta = 0 does not read C0, alpha = 0 neither A nor B; Inf in a real operand meets no zero of a
 * complex one, where Octave multiplies the parts apart. */
static void test_special_values (void) {
  double a[4] = {NAN, 1, 2, 3}, b[4] = {1, 0, 0, 1};
  gpumm_problem p = {.a = {.type = GPUMM_D, .rows = 2, .cols = 2, .ld = 2, .values = a},
                     .b = {.type = GPUMM_D, .rows = 2, .cols = 2, .ld = 2, .values = b}};
  gpumm_matrix c = {0};
  CHECK (!multiply (&p, NULL, 2, &c, NULL), "%s", gpumm_last_error ());
  for (int i = 0; i < 4; i++)
    CHECK (at (&c, i % 2, i / 2) == 0, "alpha = 0 read A");
  free (c.values);
  p.alpha.re = 1;
  CHECK (!multiply (&p, NULL, 2, &c, NULL), "%s", gpumm_last_error ());
  CHECK (isnan (creall (at (&c, 0, 0))) && isnan (creall (at (&c, 0, 1))) && at (&c, 1, 1) == 3,
         "NaN spreads along its row");
  free (c.values);
  double complex z[4] = {1, I, 2, 1 + I};
  a[0] = INFINITY;
  p.b.type = GPUMM_Z;
  p.b.values = z;
  CHECK (!multiply (&p, NULL, 2, &c, NULL), "%s", gpumm_last_error ());
  /* Inf * (1 + 0i) + 2 * (0 + 1i): real Inf, imaginary Inf * 0 + 2 = NaN, as Octave has it */
  CHECK (isinf (creall (at (&c, 0, 0))) && isnan (cimagl (at (&c, 0, 0))), "Inf times complex");
  CHECK (at (&c, 1, 0) == 1 + 3 * I, "the row without Inf");
  free (c.values);
}

/* A result that no machine holds is refused before anything is asked for. */
static void test_too_large (void) {
  double x = 1;
  gpumm_matrix column = {
      .type = GPUMM_D, .rows = 100000000, .cols = 0, .ld = 100000000, .values = &x};
  gpumm_matrix row = {.type = GPUMM_D, .rows = 0, .cols = (int64_t) 1 << 62, .ld = 0, .values = &x};
  gpumm_problem p = {.a = column, .b = row, .alpha = {1, 0}};
  gpumm_job *job;
  CHECK (gpumm_open (&p, NULL, &job) == GPUMM_HOST_MEMORY, "%s", gpumm_last_error ());
  CHECK (strstr (gpumm_last_error (), "100000000x4611686018427387904"), "%s", gpumm_last_error ());
}

/* Each kind and type beside each other one: which pairs have a product, and of which type. */
static void test_result_types (void) {
  /* A, B and their product */
  static const struct {
    gpumm_format a, b;
    const char *pairs;
  } table[] = {{GPUMM_DENSE, GPUMM_DENSE, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_BLOCKS, GPUMM_DENSE, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_DENSE, GPUMM_BLOCKS, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_BLOCKS, GPUMM_BLOCKS, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_SPARSE, GPUMM_DENSE, "ddd dzz zzz zdz bdd bzz"},
               {GPUMM_DENSE, GPUMM_SPARSE, "ddd dzz zzz zdz dbd zbz"},
               {GPUMM_SPARSE, GPUMM_SPARSE, "ddd dzz zzz zdz bdd bzz dbd zbz bbd"},
               {GPUMM_SPARSE, GPUMM_BLOCKS, ""},
               {GPUMM_BLOCKS, GPUMM_SPARSE, ""}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int a = 0; a < GPUMM_TYPES; a++)
      for (int b = 0; b < GPUMM_TYPES; b++) {
        const gpumm_problem p = {.a = {.format = table[i].a, .type = (gpumm_type) a},
                                 .b = {.format = table[i].b, .type = (gpumm_type) b},
                                 .output = (gpumm_type) a};
        const char pair[] = {type_letters[a], type_letters[b], '\0'};
        const char *found = table[i].pairs;
        gpumm_type type = GPUMM_TYPES;
        if ((a >= GPUMM_I16 && a < GPUMM_U64) || (b >= GPUMM_I16 && b < GPUMM_U64))
          continue; /* as GPUMM_I8 and GPUMM_U64 */
        while ((found = strstr (found, pair)) && (found - table[i].pairs) % 4 != 0)
          found++;
        const gpumm_status status = gpumm_result_type (&p, &type);
        CHECK (status == (found ? GPUMM_OK : GPUMM_UNSUPPORTED)
                   && (!found || type_letters[type] == found[2]),
               "kinds %d and %d, types %s: %s", table[i].a, table[i].b, pair, gpumm_last_error ());
      }
  gpumm_type type;
  gpumm_problem p = {.a.type = GPUMM_U8, .b.type = GPUMM_U8, .output = GPUMM_D};
  CHECK (gpumm_result_type (&p, &type) == GPUMM_OK && type == GPUMM_D, "integers as double");
  p.output = GPUMM_Z;
  CHECK (gpumm_result_type (&p, &type) == GPUMM_UNSUPPORTED, "integers as complex");
}

static void test_errors (void) {
  double x[16] = {0};
  static int32_t ints[16];
  gpumm_matrix d = {.type = GPUMM_D, .rows = 4, .cols = 4, .ld = 4, .values = x};
  gpumm_matrix tall = d, bad_ld = d, no_values = d, single = d, integer = d, kind = d;
  gpumm_matrix type = d, negative = d, complex_type = d;
  tall.cols = 3;
  bad_ld.ld = 3;
  no_values.values = NULL;
  single.type = GPUMM_S;
  integer.type = GPUMM_I32;
  integer.values = ints;
  kind.format = (gpumm_format) 7;
  type.type = (gpumm_type) 99;
  negative.rows = -1;
  complex_type.type = GPUMM_Z;
  const struct {
    gpumm_matrix a, b;
    gpumm_scalar alpha, beta;
    const gpumm_matrix *c0;
    gpumm_status expected;
    const char *says;
  } table[] = {
      {tall,
       d,
       {1, 0},
       {0, 0},
       NULL,
       GPUMM_NONCONFORMANT,
       "operator *: nonconformant arguments (op1 is 4x3, op2 is 4x4)"},
      {bad_ld, d, {1, 0}, {0, 0}, NULL, GPUMM_INVALID, "leading dimension"},
      {no_values, d, {1, 0}, {0, 0}, NULL, GPUMM_INVALID, "no values"},
      {d, single, {1, 0}, {0, 0}, NULL, GPUMM_UNSUPPORTED, "double by single"},
      {integer, d, {1, 0}, {0, 0}, NULL, GPUMM_UNSUPPORTED, "int32 by double"},
      {kind, d, {1, 0}, {0, 0}, NULL, GPUMM_INVALID, "kind"},
      {type, d, {1, 0}, {0, 0}, NULL, GPUMM_INVALID, "type"},
      {negative, d, {1, 0}, {0, 0}, NULL, GPUMM_INVALID, "negative"},
      {d, d, {1, 1}, {0, 0}, NULL, GPUMM_INVALID, "complex alpha"},
      {d, d, {1, 0}, {1, 0}, NULL, GPUMM_INVALID, "C0 is missing"},
      {d,
       d,
       {1, 0},
       {1, 0},
       &tall,
       GPUMM_NONCONFORMANT,
       "operator +: nonconformant arguments (op1 is 4x4, op2 is 4x3)"},
      {d, d, {1, 0}, {1, 0}, &single, GPUMM_INVALID, "double"},
  };
  (void) complex_type;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_problem p = {.a = table[i].a,
                       .b = table[i].b,
                       .alpha = table[i].alpha,
                       .beta = table[i].beta,
                       .c0 = table[i].c0};
    gpumm_job *job = (gpumm_job *) &p;
    gpumm_status status = gpumm_open (&p, NULL, &job);
    CHECK (status == table[i].expected && job == NULL, "row %zu: %s", i,
           gpumm_status_name (status));
    CHECK (strstr (gpumm_last_error (), table[i].says), "row %zu: %s", i, gpumm_last_error ());
  }
  gpumm_problem p = {.a = d, .b = d, .alpha = {1, 0}};
  gpumm_job *job;
  gpumm_matrix c;
  CHECK (gpumm_open (&p, &(gpumm_options){.algorithm = "none such", .device = -1}, &job)
             == GPUMM_UNSUPPORTED,
         "an unknown algorithm: %s", gpumm_last_error ());
  const gpumm_problem whole = {.a = integer, .b = integer, .alpha = {1, 0}, .output = GPUMM_I32};
  CHECK (gpumm_open (&whole, &(gpumm_options){.algorithm = "loops", .device = -1}, &job)
                 == GPUMM_UNSUPPORTED
             && !job,
         "integers by \"loops\"");
  const gpumm_options bad_options[] = {{.backend = (gpumm_backend) 3, .device = -1},
                                       {.backend = (gpumm_backend) -1, .device = -1},
                                       {.device = -2},
                                       {.device = -1, .max_device_memory = -1},
                                       {.device = -1, .max_capability = -75}};
  for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++)
    CHECK (gpumm_open (&p, &bad_options[i], &job) == GPUMM_INVALID && job == NULL, "options %zu",
           i);
  double y[16] = {0};
  gpumm_matrix other = d;
  other.values = y;
  gpumm_problem in_place = {.a = d, .b = d, .alpha = {1, 0}, .beta = {1, 0}, .c0 = &other};
  for (int i = 0; i < 2; i++) {
    CHECK (!gpumm_open (&in_place, NULL, &job), "%s", gpumm_last_error ());
    gpumm_result (job, &c);
    c.values = i ? x : other.values;
    CHECK (gpumm_run (job, &c) == GPUMM_INVALID && strstr (gpumm_last_error (), "operand"),
           "a result in the memory of an operand");
    gpumm_close (job);
  }
  CHECK (!gpumm_open (&p, NULL, &job), "%s", gpumm_last_error ());
  gpumm_result (job, &c);
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a result without memory");
  c.values = x;
  c.rows = 3;
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a result of another size");
  c.rows = 4;
  c.values = y;
  CHECK (!gpumm_run (job, &c), "%s", gpumm_last_error ());
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a job that runs twice");
  gpumm_close (job);
  gpumm_close (NULL);
}

/* ---- traces ------------------------------------------------------------------------------- */

static gpumm_status trace (const gpumm_problem *p, const char *kernel, int count, gpumm_matrix *c,
                           gpumm_trace *t) {
  gpumm_options o = {.backend = GPUMM_CPU, .algorithm = kernel, .device = -1};
  gpumm_job *job = NULL;
  *c = (gpumm_matrix){0};
  gpumm_status status = gpumm_open (p, &o, &job);
  if (!status) {
    gpumm_result (job, c);
    provide (c, 2);
    status = gpumm_run_traced (job, c, count, t);
  }
  gpumm_close (job);
  return status;
}

/* The product is right and its loads are 2 m n k divided by the tile, over edges and transposes. */
static void test_trace (void) {
  static const struct {
    const char *kernel;
    int64_t tile, m, n, k;
  } table[] = {{"naive", 1, 5, 7, 9},
               {"tiled_8", 8, 16, 24, 9},
               {"tiled_32", 32, 32, 32, 3},
               {"naive", 1, 0, 3, 4},
               {"tiled_8", 8, 8, 8, 0},
               {"register_32x32x4", 32, 64, 32, 6},
               {"strassen_register_1", 0, 40, 40, 40}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int ops = 0; ops < 4; ops++) {
        gpumm_op oa = ops & 1 ? GPUMM_CTRANSPOSE : GPUMM_NONE;
        gpumm_op ob = ops & 2 ? GPUMM_TRANSPOSE : GPUMM_NONE;
        int64_t m = table[i].m, n = table[i].n, k = table[i].k;
        gpumm_problem p = {.alpha = {1, 0}, .output = (gpumm_type) type};
        p.a = make_full ((gpumm_type) type, oa ? k : m, oa ? m : k, ANY);
        p.b = make_full ((gpumm_type) type, ob ? n : k, ob ? k : n, ANY);
        p.a.op = oa;
        p.b.op = ob;
        gpumm_matrix c = {0};
        gpumm_trace t;
        CHECK (!trace (&p, table[i].kernel, 1, &c, &t), "%s", gpumm_last_error ());
        if (table[i].tile > 0)
          CHECK (is_right (&p, &c), "%s is wrong", table[i].kernel);
        CHECK (t.counted, "%s is not counted", table[i].kernel);
        if (table[i].tile > 0)
          CHECK (t.all.load.elements == 2 * m * n * k / table[i].tile, "%lld loads of %s",
                 (long long) t.all.load.elements, table[i].kernel);
        CHECK (t.a.load.elements + t.b.load.elements + t.c.load.elements + t.workspace.load.elements
                   == t.all.load.elements,
               "loads of the operands add up");
        CHECK ((t.launched.launches > 0) == (m * n > 0), "%lld launches",
               (long long) t.launched.launches);
        free (p.a.values);
        free (p.b.values);
        free (c.values);
      }
}

static void test_not_traced (void) {
  int64_t start[] = {0, 1}, row[] = {0};
  double number[] = {1, 0};
  const gpumm_matrix full = {.type = GPUMM_D, .rows = 1, .cols = 1, .ld = 1, .values = number};
  gpumm_matrix sparse = full, other = full;
  sparse.format = GPUMM_SPARSE;
  sparse.nzmax = 1;
  sparse.start = start;
  sparse.row = row;
  other.type = GPUMM_Z;
  const struct {
    const char *algorithm;
    gpumm_matrix a, b;
  } table[] = {{"spgemm", sparse, sparse}, {"sparse_as_dense", sparse, sparse},
               {"sparse", sparse, sparse}, {"spmm", sparse, full},
               {"spmm", full, sparse},     {"naive", full, other},
               {"naive", other, full}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const gpumm_problem p = {
        .a = table[i].a, .b = table[i].b, .alpha = {1, 0}, .output = table[i].b.type};
    gpumm_matrix c;
    gpumm_trace t;
    CHECK (trace (&p, table[i].algorithm, 0, &c, &t) == GPUMM_UNSUPPORTED
               && strstr (gpumm_last_error (), "not traced"),
           "%zu, %s: %s", i, table[i].algorithm, gpumm_last_error ());
    release (&c);
  }
}

static void test_trace_errors (void) {
  gpumm_matrix x = make_full (GPUMM_D, 3, 3, ANY), c = {0};
  gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
  gpumm_trace t;
  CHECK (!trace (&p, "naive", 0, &c, &t) && !t.counted && t.launched.launches == 1, "uncounted");
  free (c.values);
  CHECK (!trace (&p, "loops", 1, &c, &t) && !t.counted && t.launched.launches == 0, "no kernel");
  free (c.values);
  CHECK (gpumm_run_traced (NULL, &c, 1, &t) == GPUMM_INVALID, "no job");
  gpumm_problem with_c = p;
  with_c.beta.re = 1;
  with_c.c0 = &x;
  CHECK (trace (&with_c, "naive", 0, &c, &t) == GPUMM_UNSUPPORTED, "a C to add to");
  free (c.values);
  free (x.values);
  x = make_full (GPUMM_S, 1, GPUMM_COUNT_MOST_K + 1, ANY);
  p = (gpumm_problem){.a = x, .b = x, .alpha = {1, 0}};
  p.b.op = GPUMM_TRANSPOSE;
  CHECK (trace (&p, "naive", 1, &c, &t) == GPUMM_TOO_LARGE, "%s", gpumm_last_error ());
  CHECK (strcmp (gpumm_status_name (GPUMM_TOO_LARGE), "too-large") == 0, "the status has a name");
  free (c.values);
  CHECK (!trace (&p, "naive", 0, &c, &t), "%s", gpumm_last_error ());
  free (c.values);
  free (x.values);
  /* the host device fails: an error, and nothing is lost */
  x = make_full (GPUMM_D, 3, 3, ANY);
  p = (gpumm_problem){.a = x, .b = x, .alpha = {1, 0}};
  int failed = 0;
  for (int i = 1; i < 40; i++) {
    gpumm_fault_device (i);
    failed += trace (&p, "tiled_8", 1, &c, &t) != GPUMM_OK;
    gpumm_fault_device (0);
    free (c.values);
  }
  CHECK (failed > 3 && failed < 39, "%d of 39 calls failed", failed);
  CHECK (!trace (&p, "tiled_8", 1, &c, &t) && t.a.load.elements == 9, "after all failures");
  free (c.values);
  free (x.values);
}

int main (int argc, char **argv) {
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261120);
  int64_t before = gpumm_live_allocations ();
  test_panels ();
  test_own_transpose ();
  test_nearly_own_transpose ();
  test_split ();
  test_special_values ();
  test_too_large ();
  test_result_types ();
  test_errors ();
  test_trace ();
  test_not_traced ();
  test_trace_errors ();
  gpumm_reset (); /* on a GPU the pools keep what they have */
  CHECK (gpumm_live_allocations () == before, "%lld allocations leaked",
         (long long) (gpumm_live_allocations () - before));
  return check_done ();
}
