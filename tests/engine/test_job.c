/* test_job.c - jobs on the CPU: symmetric products, splits, result types, what is refused.
 * Products of all types, ops and sizes are rows of products.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "host_device.h"
#include "multiply/algorithm.h"
#include "multiply/blas.h"
#include "operands.h"
#include "plan/work.h"

static const gpumm_options on_cpu = {.backend = GPUMM_CPU, .device = -1};

static number at (const gpumm_matrix *x, int64_t i, int64_t j) {
  return get (x->type, x->values, i + j * x->ld);
}

static int is_right (const gpumm_problem *p, const gpumm_matrix *c) {
  return judge (p, c, ROUNDED, 0).wrong == 0;
}

/* A A', A' A and their conjugates go through syrk and herk: by one array, by a transpose that the
 * caller has formed, or sparse and multiplied as full matrices. C is symmetric to the bit. */
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
  enum { ONE_ARRAY, COPIED, SPARSE, WAYS };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int way = ONE_ARRAY; way < WAYS; way++) {
      const gpumm_options o = {
          .backend = GPUMM_CPU, .algorithm = way == SPARSE ? "sparse_as_full" : NULL, .device = -1};
      gpumm_problem p = {.alpha = {1, 0}};
      gpumm_matrix x = make_in_blocks (way == SPARSE ? GPUMM_SPARSE : GPUMM_FULL, table[i].type, 37,
                                       21, 1, 1, 60, ANY);
      gpumm_matrix c, turned = {0};
      gpumm_report report = {0};
      if (way == SPARSE && is_single (x.type)) {
        release (&x);
        continue;
      }
      p.a = p.b = x;
      p.a.op = table[i].a;
      p.b.op = table[i].b;
      if (way == COPIED) {
        gpumm_matrix *const side = p.a.op != GPUMM_NONE ? &p.a : &p.b;
        turned = copied (&x, 1, side->op == GPUMM_CTRANSPOSE);
        *side = turned;
      }
      CHECK (!multiply (&p, &o, 2, &c, &report) && is_right (&p, &c), "row %zu, way %d: %s", i, way,
             gpumm_last_error ());
      CHECK (strcmp (report.kernel, table[i].kernel) == 0, "row %zu, way %d: %s", i, way,
             report.kernel);
      int symmetric = 1;
      for (int64_t r = 0; r < c.rows && way != SPARSE; r++)
        for (int64_t s = 0; s < r; s++) {
          const number above = at (&c, s, r), below = at (&c, r, s);
          symmetric &= below == (table[i].kernel[1] == 'h' ? conjl (above) : above);
        }
      CHECK (symmetric, "row %zu, way %d: not symmetric to the bit", i, way);
      release (&turned);
      release (&x);
      release (&c);
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
      gpumm_product product = gpumm_product_of (&p);
      product.c = c.values;
      product.ldc = c.ld;
      CHECK (gpumm_blas_product (&product, 10, NULL) == GPUMM_OK, "%s", gpumm_last_error ());
      CHECK (is_right (&p, &c), "type %d ops %d", t, ops);
      release (&c);
      release (&c0);
      release (&p.a);
      release (&p.b);
    }
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
  } table[] = {{GPUMM_FULL, GPUMM_FULL, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_BLOCKS, GPUMM_FULL, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_FULL, GPUMM_BLOCKS, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_BLOCKS, GPUMM_BLOCKS, "sss scc ccc csc ddd dzz zzz zdz iii uuu"},
               {GPUMM_SPARSE, GPUMM_FULL, "ddd dzz zzz zdz bdd bzz"},
               {GPUMM_FULL, GPUMM_SPARSE, "ddd dzz zzz zdz dbd zbz"},
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

static gpumm_status open_problem (const gpumm_problem *p) {
  gpumm_job *job = (gpumm_job *) (uintptr_t) p;
  const gpumm_status status = gpumm_open (p, NULL, &job);
  CHECK (!job, "a job is open");
  return status;
}

#define BAD(change, status, text) REFUSED (gpumm_problem, good, change, open_problem, status, text)

static double numbers[16], others[16];
static const gpumm_matrix square = {
    .type = GPUMM_D, .rows = 4, .cols = 4, .ld = 4, .values = numbers};
static const gpumm_problem good = {.a = square, .b = square, .alpha = {1, 0}};

static void test_bad_problems (void) {
  gpumm_matrix tall = square, single = square;
  tall.cols = 3;
  single.type = GPUMM_S;
  BAD (x.a.cols = 3, GPUMM_NONCONFORMANT,
       "operator *: nonconformant arguments (op1 is 4x3, op2 is 4x4)");
  BAD (x.a.ld = 3, GPUMM_INVALID, "leading dimension");
  BAD (x.a.values = NULL, GPUMM_INVALID, "no values");
  BAD (x.a.format = (gpumm_format) 7, GPUMM_INVALID, "kind");
  BAD (x.a.type = (gpumm_type) 99, GPUMM_INVALID, "type");
  BAD (x.a.rows = -1, GPUMM_INVALID, "negative");
  BAD (x.b.type = GPUMM_S, GPUMM_UNSUPPORTED,
       "double by single has no product: convert one of them to the type of the other");
  BAD (x.a.type = GPUMM_I32, GPUMM_UNSUPPORTED, "int32 by double");
  BAD (x.alpha.im = 1, GPUMM_INVALID, "complex alpha");
  BAD (x.beta.re = 1, GPUMM_INVALID, "C0 is missing");
  BAD ((x.beta.re = 1, x.c0 = &tall), GPUMM_NONCONFORMANT,
       "C is 4x3 and must have the size of the product, 4x4");
  BAD ((x.beta.re = 1, x.c0 = &single), GPUMM_INVALID, "double");
}

static void test_bad_options (void) {
  static const struct {
    gpumm_type type;
    gpumm_options options;
    gpumm_status status;
  } table[] = {{GPUMM_D, {.algorithm = "none such", .device = -1}, GPUMM_UNSUPPORTED},
               {GPUMM_I32, {.algorithm = "loops", .device = -1}, GPUMM_UNSUPPORTED},
               {GPUMM_D, {.backend = (gpumm_backend) 3, .device = -1}, GPUMM_INVALID},
               {GPUMM_D, {.backend = (gpumm_backend) -1, .device = -1}, GPUMM_INVALID},
               {GPUMM_D, {.device = -2}, GPUMM_INVALID},
               {GPUMM_D, {.device = -1, .max_device_memory = -1}, GPUMM_INVALID},
               {GPUMM_D, {.device = -1, .max_capability = -75}, GPUMM_INVALID}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_problem p = good;
    gpumm_job *job = NULL;
    p.a.type = p.b.type = p.output = table[i].type;
    CHECK (gpumm_open (&p, &table[i].options, &job) == table[i].status && !job, "row %zu: %s", i,
           gpumm_last_error ());
  }
}

/* ---- one call ------------------------------------------------------------------------------- */

static gpumm_status in_one_call (void *context) {
  const gpumm_problem *p = context;
  gpumm_matrix c;
  const gpumm_status status = gpumm_multiply (&p->a, &p->b, &c);
  if (!status)
    CHECK (c.type == p->output && judge (p, &c, ROUNDED, 0).wrong == 0, "one call: a wrong result");
  else
    CHECK (!c.values && !c.start && !c.index, "one call: memory after a failure");
  release (&c);
  return status;
}

static void test_one_call (void) {
  static const struct {
    gpumm_format formats[2];
    gpumm_type types[2], output;
  } table[] = {{{GPUMM_FULL, GPUMM_FULL}, {GPUMM_D, GPUMM_D}, GPUMM_D},
               {{GPUMM_FULL, GPUMM_FULL}, {GPUMM_Z, GPUMM_D}, GPUMM_Z},
               {{GPUMM_FULL, GPUMM_FULL}, {GPUMM_U16, GPUMM_U16}, GPUMM_U16},
               {{GPUMM_SPARSE, GPUMM_SPARSE}, {GPUMM_D, GPUMM_Z}, GPUMM_Z},
               {{GPUMM_SPARSE, GPUMM_FULL}, {GPUMM_D, GPUMM_D}, GPUMM_D},
               {{GPUMM_BLOCKS, GPUMM_BLOCKS}, {GPUMM_S, GPUMM_S}, GPUMM_S},
               {{GPUMM_BLOCKS, GPUMM_FULL}, {GPUMM_I32, GPUMM_I32}, GPUMM_I32}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_matrix x[2];
    for (int side = 0; side < 2; side++)
      x[side] = make_in_blocks (table[i].formats[side], table[i].types[side], side ? 4 : 3,
                                side ? 2 : 4, 2, 2, 50, WHOLE);
    gpumm_problem p = {.a = x[0], .b = x[1], .alpha = {1, 0}, .output = table[i].output};
    char name[32];
    snprintf (name, sizeof name, "one call, row %zu", i);
    CHECK (!in_one_call (&p), "%s: %s", name, gpumm_last_error ());
    fail_in_turn (&(faults){name, gpumm_fault_memory, in_one_call, &p, .least = 2});
    p.b.op = GPUMM_TRANSPOSE;
    CHECK (in_one_call (&p) == GPUMM_NONCONFORMANT, "%s: of other sizes", name);
    release (&x[0]);
    release (&x[1]);
  }
  refused (gpumm_multiply (&square, NULL, NULL), GPUMM_INVALID, "no operand");
}

/* In the memory of an operand or of C0, without memory, of another size; and a job runs once. */
static void test_bad_results (void) {
  gpumm_matrix c0 = square, c;
  gpumm_problem p = good;
  gpumm_job *job;
  c0.values = others;
  p.beta.re = 1;
  p.c0 = &c0;
  for (int i = 0; i < 2; i++) {
    CHECK (!gpumm_open (&p, NULL, &job), "%s", gpumm_last_error ());
    gpumm_result (job, &c);
    c.values = i ? numbers : others;
    refused (gpumm_run (job, &c), GPUMM_INVALID, "operand");
    gpumm_close (job);
  }
  CHECK (!gpumm_open (&good, NULL, &job), "%s", gpumm_last_error ());
  gpumm_result (job, &c);
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a result without memory");
  c.values = others;
  c.rows = 3;
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a result of another size");
  c.rows = 4;
  CHECK (!gpumm_run (job, &c), "%s", gpumm_last_error ());
  CHECK (gpumm_run (job, &c) == GPUMM_INVALID, "a job that runs twice");
  gpumm_close (job);
  gpumm_close (NULL);
}

int main (int argc, char **argv) {
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261120);
  test_own_transpose ();
  test_nearly_own_transpose ();
  test_split ();
  test_too_large ();
  test_result_types ();
  test_bad_problems ();
  test_bad_options ();
  test_bad_results ();
  test_one_call ();
  return released_and_done ();
}
